/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an instruction in flight. */
#include "issue_internal.h"

#include "models/common/smrf_program.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

#include <string.h>

unsigned smrf_issue_unit_of(unsigned op_class)
{
    static const uint8_t unit[SMRF_CLASS_COUNT] = {
        [SMRF_CLASS_INT] = SMRF_UNIT_INT,       [SMRF_CLASS_ALU] = SMRF_UNIT_INT,
        [SMRF_CLASS_SP] = SMRF_UNIT_SP,         [SMRF_CLASS_HALF] = SMRF_UNIT_SP,
        [SMRF_CLASS_DP] = SMRF_UNIT_DP,         [SMRF_CLASS_SFU] = SMRF_UNIT_SFU,
        [SMRF_CLASS_TENSOR] = SMRF_UNIT_TENSOR, [SMRF_CLASS_BRANCH] = SMRF_UNIT_BRANCH,
        [SMRF_CLASS_TEX] = SMRF_UNIT_TEX,       [SMRF_CLASS_UNIFORM] = SMRF_UNIT_UNIFORM,
        [SMRF_CLASS_LOAD] = SMRF_UNIT_MEM,      [SMRF_CLASS_STORE] = SMRF_UNIT_MEM,
        [SMRF_CLASS_ATOMIC] = SMRF_UNIT_MEM,    [SMRF_CLASS_BARRIER] = SMRF_UNIT_INT,
        [SMRF_CLASS_MEMBAR] = SMRF_UNIT_MEM,    [SMRF_CLASS_EXIT] = SMRF_UNIT_INT,
    };
    return unit[op_class];
}

/* Where a register of warp k lies that nobody renames. */
static struct smrf_register_place own_place_(const struct smrf_issue *s, unsigned k, unsigned reg)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    const bool none = reg == SMRF_REG_ZERO || reg >= w->registers;
    return smrf_place_of(&s->cfg.rf, smrf_issue_warp_of(s, k), reg,
                         none ? SMRF_PHYS_NONE : w->base + reg);
}

struct smrf_register_place smrf_issue_probe_place(const struct smrf_issue *s, unsigned k,
                                                  unsigned reg)
{
    const struct smrf_rename_seam *rename = s->links.seams->rename;
    return rename && reg != SMRF_REG_ZERO
               ? rename->probe(s->links.seams->state, smrf_issue_warp_of(s, k), reg)
               : own_place_(s, k, reg);
}

static struct smrf_register_place source_(const struct smrf_issue *s, const struct smrf_flight *f,
                                          unsigned i)
{
    const struct smrf_rename_seam *rename = s->links.seams->rename;
    return f->src_reg[i] != SMRF_REG_ZERO ? rename->source(s->links.seams->state, f, i)
                                          : own_place_(s, f->warp >> s->sub_shift, f->src_reg[i]);
}

/* The lanes that destination i leaves alone are carried from another place: from a source that is
 * collected anyway, or from one more. */
static void carry_(struct smrf_issue *s, struct smrf_flight *f, unsigned i,
                   struct smrf_register_place from)
{
    unsigned at = 0;
    while (at < f->num_src && !(f->src[at].row == from.row && f->src[at].bank == from.bank)) {
        at++;
    }
    if (at == f->num_src) {
        SMRF_ASSERT(f->num_src < SMRF_MAX_SRC);
        f->src_reg[at] = f->dst_reg[i];
        f->src[at] = from;
        f->num_src++;
        smrf_readers_add(&s->readers, from);
    }
    f->carries |= (uint16_t)(1u << i);
    f->carry[i] = (uint8_t)at;
}

static struct smrf_register_place destination_(struct smrf_issue *s, struct smrf_flight *f,
                                               unsigned i)
{
    const struct smrf_rename_seam *rename = s->links.seams->rename;
    struct smrf_register_place from = {SMRF_ROW_NONE, 0};
    if (f->dst_reg[i] == SMRF_REG_ZERO) {
        return own_place_(s, (unsigned)f->warp >> s->sub_shift, f->dst_reg[i]);
    }
    const struct smrf_register_place at = rename->destination(s->links.seams->state, f, i, &from);
    if (from.row != SMRF_ROW_NONE && f->mask != UINT32_MAX) {
        carry_(s, f, i, from);
    }
    return at;
}

/* Where registers of warp k lie that nobody renames. Returns how many of them lie nowhere. */
static inline unsigned own_places_(const struct smrf_issue *s, unsigned k, const uint8_t *regs,
                            unsigned count, struct smrf_register_place *places)
{
    const unsigned banks = s->cfg.rf.banks;
    const uint64_t reciprocal = s->banks_reciprocal;
    const unsigned turned = s->cfg.rf.swizzle ? smrf_issue_warp_of(s, k) : 0;
    const unsigned base = s->warp[k].base, registers = s->warp[k].registers;
    const unsigned backed = registers < SMRF_REG_ZERO ? registers : SMRF_REG_ZERO;
    unsigned unbacked = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned reg = regs[i];
        if (reg < backed) {
            places[i] = smrf_place_turned(banks, reciprocal, turned, reg, base + reg);
        } else {
            places[i] = smrf_place_turned(banks, reciprocal, turned, reg, SMRF_PHYS_NONE);
            unbacked += reg != SMRF_REG_ZERO;
        }
    }
    return unbacked;
}

/* The same of registers that the mechanism renames. */
static SMRF_APART unsigned renamed_places_(struct smrf_issue *s, struct smrf_flight *f)
{
    unsigned unbacked = 0;
    for (unsigned i = 0; i < f->num_read; i++) {
        f->src[i] = source_(s, f, i);
        smrf_readers_add(&s->readers, f->src[i]);
        unbacked += f->src[i].row == SMRF_ROW_NONE && f->src_reg[i] != SMRF_REG_ZERO;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->dst[i] = destination_(s, f, i);
        unbacked += f->dst[i].row == SMRF_ROW_NONE && f->dst_reg[i] != SMRF_REG_ZERO;
    }
    return unbacked;
}

static bool among_(const uint8_t *list, unsigned count, uint8_t reg)
{
    while (count > 0 && list[count - 1] != reg) {
        count--;
    }
    return count > 0;
}

/* Distinct source registers, in operand order: a register is collected once however often the
 * instruction names it. list: [SMRF_MAX_SRC]. Returns their number. */
static inline unsigned distinct_(const struct smrf_operands *o, uint8_t *list)
{
    unsigned distinct = 0;
    uint64_t seen = 0; /* bit: a register whose number is that modulo 64 */
    if (o->set && o->set->distinct && o->num_src <= SMRF_MAX_BASE) {
        memcpy(list, o->src, SMRF_MAX_BASE); /* at a stroke; every list has room for so many */
        return o->num_src;
    }
    for (unsigned i = 0; i < o->num_src; i++) {
        const uint8_t reg = o->src[i];
        const uint64_t bit = UINT64_C(1) << (reg & 63);
        if (seen & bit && among_(list, distinct, reg)) {
            continue;
        }
        seen |= bit;
        list[distinct++] = reg;
    }
    return distinct;
}

static void fill_operands_(struct smrf_issue *s, unsigned k, struct smrf_flight *f,
                           const struct smrf_operands *o)
{
    f->num_src = f->num_read = (uint8_t)distinct_(o, f->src_reg);
    f->num_dst = (uint8_t)o->num_dst;
    for (unsigned i = 0; i < o->num_dst; i++) { /* few */
        f->dst_reg[i] = o->dst[i];
    }
    if (s->links.seams->rename) {
        s->stats.unbacked_registers += renamed_places_(s, f);
    } else {
        s->stats.unbacked_registers += own_places_(s, k, f->src_reg, f->num_src, f->src) +
                                       own_places_(s, k, f->dst_reg, f->num_dst, f->dst);
    }
}

static void tell_issued_(const struct smrf_issue *s, const struct smrf_flight *f,
                         const struct smrf_inst *inst)
{
    const struct smrf_rename_seam *rename = s->links.seams->rename;
    if (rename && rename->issued) {
        rename->issued(s->links.seams->state, f, inst);
    }
}

/* A mechanism's own operation names its physical registers itself. */
static SMRF_APART void fill_micro_(struct smrf_issue *s, struct smrf_flight *f,
                                   const struct smrf_micro *micro)
{
    SMRF_ASSERT(smrf_issue_plain(f->op) && f->op->flow == SMRF_FLOW_NONE);
    SMRF_ASSERT(!micro->num_waits || !f->op->num_src);
    f->num_src = f->num_read = f->op->num_src;
    f->num_dst = f->op->num_dst;
    memcpy(f->src_reg, f->op->src, f->num_src);
    memcpy(f->dst_reg, f->op->dst, f->num_dst);
    for (unsigned i = 0; i < f->num_src; i++) {
        f->src[i] = smrf_place_of(&s->cfg.rf, f->warp, f->src_reg[i], micro->src_phys[i]);
        smrf_readers_add(&s->readers, f->src[i]);
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->dst[i] = smrf_place_of(&s->cfg.rf, f->warp, f->dst_reg[i], micro->dst_phys[i]);
    }
}

/* Bit of the annotation for a register: is any operand of the list that names it reused soon? */
static uint32_t near_bit_(const uint8_t *list, unsigned count, uint32_t near_mask, unsigned reg)
{
    for (uint32_t m = near_mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (i < count && list[i] == reg) {
            return 1;
        }
    }
    return 0;
}

/* The annotation speaks of the full lists; a flight has distinct sources, and, where the
 * configuration says so, only the registers that the trace lists. */
static SMRF_APART void annotate_(const struct smrf_issue *s, struct smrf_flight *f,
                                 const struct smrf_inst *inst)
{
    const struct smrf_static_inst *op = inst->op;
    for (unsigned i = 0; i < f->num_read; i++) {
        f->near_src |= near_bit_(op->src, op->num_src, inst->near_src, f->src_reg[i]) << i;
    }
    if (!s->cfg.rf.base_registers_only) {
        f->near_dst = (uint16_t)(inst->near_dst & ((1u << f->num_dst) - 1));
        return;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->near_dst |=
            (uint16_t)(near_bit_(op->dst, op->num_dst, inst->near_dst, f->dst_reg[i]) << i);
    }
}

static void count_(struct smrf_issue *s, const struct smrf_flight *f)
{
    unsigned lanes = smrf_count_bits(f->mask);
    s->stats.warp_insts++;
    s->stats.thread_insts += lanes;
    s->stats.warp_insts_by_class[f->op->op_class]++;
    s->stats.thread_insts_by_class[f->op->op_class] += lanes;
    s->stats.operand_reads += f->num_src;
    s->stats.operand_writes += f->num_dst;
    s->stats.merge_reads += (unsigned)(f->num_src - f->num_read);
}

uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k)
{
    struct smrf_flights *flights = s->links.flights;
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_inst *inst = w->head;
    const struct smrf_static_inst *op = inst->op;
    uint32_t number = smrf_flights_take(flights);
    struct smrf_flight *f = &flights->record[number];

    f->op = op;
    f->uid = flights->issued++;
    f->mask = inst->mask;
    f->version = (uint32_t)flights->issued;
    f->number = ++w->issued;
    f->warp = (uint8_t)smrf_issue_warp_of(s, k);
    f->sub = (uint8_t)s->cfg.sub;
    f->unit = w->head_unit;
    f->micro = smrf_issue_micro(s, k);
    /* Facts of one execution do not live as long as it. */
    f->facts = inst->facts && !f->micro && !inst->facts->exact ? inst->facts : NULL;
    f->carries = 0;
    f->shared = false;
    if (f->micro) {
        fill_micro_(s, f, &s->micro[k]);
    } else {
        const struct smrf_operands next = smrf_issue_next_operands(s, k);
        fill_operands_(s, k, f, &next);
        tell_issued_(s, f, inst);
    }
    f->dst_left = (uint16_t)((1u << f->num_dst) - 1);
    f->near_src = 0;
    f->near_dst = 0;
    if (inst->near_src || inst->near_dst) {
        annotate_(s, f, inst);
    }
    if (f->unit == SMRF_UNIT_MEM) {
        size_t head = offsetof(struct smrf_inst, lane);
        memcpy(&flights->memory[number], inst,
               inst->addr_kind == SMRF_ADDR_LIST ? sizeof *inst : head);
    }
    w->inflight++;
    if (op->op_class == SMRF_CLASS_ATOMIC && f->mask) {
        w->atomics++;
    }
    count_(s, f);
    return number;
}
