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

/* A list at a stroke or two: every one has room for as many. */
static inline void copy_list_(uint8_t *to, const uint8_t *from, unsigned count, unsigned room)
{
    memcpy(to, from, 8);
    if (count > 8) {
        memcpy(to + 8, from + 8, room - 8);
    }
}

static inline void list_sources_(struct smrf_flight *f, const struct smrf_reg_set *set)
{
    copy_list_(f->src_reg, set->src, set->num_src, SMRF_MAX_SRC);
}

static inline void list_(struct smrf_flight *f, const struct smrf_reg_set *set)
{
    const unsigned num_src = set->num_src, num_dst = set->num_dst;
    f->reads = 0;
    f->needs = set->needs;
    f->num_src = f->num_read = (uint8_t)num_src;
    f->num_dst = (uint8_t)num_dst;
    f->dst_left = (uint16_t)((1u << num_dst) - 1);
    copy_list_(f->dst_reg, set->dst, num_dst, SMRF_MAX_DST);
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
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    return rename && reg != SMRF_REG_ZERO
               ? rename->probe(s->links.seams.state, smrf_issue_warp_of(s, k), reg)
               : own_place_(s, k, reg);
}

static struct smrf_register_place source_(const struct smrf_issue *s, const struct smrf_flight *f,
                                          unsigned i)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    return f->src_reg[i] != SMRF_REG_ZERO ? rename->source(s->links.seams.state, f, i)
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
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    struct smrf_register_place from = {SMRF_ROW_NONE, 0};
    if (f->dst_reg[i] == SMRF_REG_ZERO) {
        return own_place_(s, (unsigned)f->warp >> s->sub_shift, f->dst_reg[i]);
    }
    const struct smrf_register_place at = rename->destination(s->links.seams.state, f, i, &from);
    if (from.row != SMRF_ROW_NONE && f->mask != UINT32_MAX) {
        carry_(s, f, i, from);
    }
    return at;
}

/* Where registers of a warp lie that nobody renames, all of which it has: registers base + reg of the
 * sub-core, whose banks are a power of two. */
static inline void even_places_(unsigned shift, unsigned base, unsigned turned, const uint8_t *regs,
                                unsigned count, struct smrf_register_place *places)
{
    const unsigned last = (1u << shift) - 1;
    for (unsigned i = 0; i < count; i++) {
        const unsigned index = base + regs[i];
        places[i].row = (uint16_t)(index >> shift);
        places[i].bank = (uint8_t)((index + turned) & last);
    }
}

/* The same of any number of banks. */
static inline void own_places_(const struct smrf_issue *s, unsigned base, unsigned turned,
                               const uint8_t *regs, unsigned count,
                               struct smrf_register_place *places)
{
    const unsigned banks = s->cfg.rf.banks, shift = s->banks_shift;
    if (banks == 1u << shift) {
        even_places_(shift, base, turned, regs, count, places);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        places[i] = smrf_place_turned(banks, s->banks_reciprocal, turned, regs[i], base + regs[i]);
    }
}

/* The same where it does not have all of them. Returns how many it should have. */
static SMRF_APART unsigned some_places_(const struct smrf_issue *s, unsigned k, const uint8_t *regs,
                                        unsigned count, struct smrf_register_place *places)
{
    unsigned unbacked = 0;
    for (unsigned i = 0; i < count; i++) {
        places[i] = own_place_(s, k, regs[i]);
        unbacked += places[i].row == SMRF_ROW_NONE && regs[i] != SMRF_REG_ZERO;
    }
    return unbacked;
}

/* A set's reads of the banks, of a warp whose registers begin so many bits further. */
static inline uint64_t turned_reads_(uint64_t reads, unsigned by)
{
    return reads << by | reads >> (-by & 63);
}

static inline void places_(struct smrf_issue *s, unsigned k, struct smrf_flight *f,
                           const struct smrf_reg_set *set)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    const unsigned num_src = set->num_src, num_dst = set->num_dst;
    const unsigned turned = s->cfg.rf.swizzle ? w->slot : 0, base = w->base;
    if (set->highest >= w->backed) {
        list_sources_(f, set);
        s->stats.unbacked_registers += some_places_(s, k, set->src, num_src, f->src) +
                                       some_places_(s, k, set->dst, num_dst, f->dst);
        return;
    }
    if (s->unseen) {
        f->reads = turned_reads_(set->reads, w->turned);
        even_places_(s->banks_shift, base, turned, set->dst, num_dst, f->dst);
        return;
    }
    list_sources_(f, set);
    own_places_(s, base, turned, set->src, num_src, f->src);
    own_places_(s, base, turned, set->dst, num_dst, f->dst);
}

void smrf_issue_place_sources(const struct smrf_issue *s, struct smrf_flight *f)
{
    const unsigned k = f->warp >> s->sub_shift;
    if (!f->reads) {
        return;
    }
    const struct smrf_reg_set set =
        smrf_reg_set_of_inst(f->op, s->cfg.rf.base_registers_only, s->cfg.rf.banks);
    f->reads = 0;
    list_sources_(f, &set);
    own_places_(s, s->warp[k].base, s->cfg.rf.swizzle ? f->warp : 0, set.src, set.num_src, f->src);
}

void smrf_issue_look_away(struct smrf_issue *s, bool away)
{
    s->unseen = away && s->bare && s->cfg.rf.banks == 1u << s->banks_shift;
}

/* The mechanism says where registers lie. */
static SMRF_APART void rename_(struct smrf_issue *s, struct smrf_flight *f,
                               const struct smrf_inst *inst)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    list_sources_(f, s->warp[f->warp >> s->sub_shift].set);
    for (unsigned i = 0; i < f->num_read; i++) {
        f->src[i] = source_(s, f, i);
        smrf_readers_add(&s->readers, f->src[i]);
        s->stats.unbacked_registers +=
            f->src[i].row == SMRF_ROW_NONE && f->src_reg[i] != SMRF_REG_ZERO;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->dst[i] = destination_(s, f, i);
        s->stats.unbacked_registers +=
            f->dst[i].row == SMRF_ROW_NONE && f->dst_reg[i] != SMRF_REG_ZERO;
    }
    s->stats.merge_reads += (unsigned)(f->num_src - f->num_read);
    if (rename->issued) {
        rename->issued(s->links.seams.state, f, inst);
    }
}

/* A mechanism's own operation names its physical registers itself. */
static void place_micro_(struct smrf_issue *s, struct smrf_flight *f,
                         const struct smrf_micro *micro)
{
    SMRF_ASSERT(smrf_issue_plain(f->op) && f->op->flow == SMRF_FLOW_NONE);
    SMRF_ASSERT(!micro->num_waits || !f->op->num_src);
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

static inline void count_(struct smrf_issue_stats *stats, unsigned op_class, uint32_t mask)
{
    const unsigned lanes = smrf_count_bits(mask);
    stats->warp_insts++;
    stats->thread_insts += lanes;
    stats->warp_insts_by_class[op_class]++;
    stats->thread_insts_by_class[op_class] += lanes;
}

/* What records of all instructions have in common. */
static inline void begin_(struct smrf_issue *s, unsigned k, struct smrf_flight *f)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_inst *inst = w->head;
    const uint64_t uid = s->links.flights->issued++;
    f->op = inst->op;
    f->uid = uid;
    f->mask = inst->mask;
    f->version = (uint32_t)uid + 1;
    f->number = ++w->issued;
    f->near_src = 0;
    f->near_dst = 0;
    f->carries = 0;
    f->shared = false;
    f->micro = false;
    f->warp = w->slot;
    f->sub = (uint8_t)s->cfg.sub;
    f->unit = w->head_unit;
    w->inflight++;
    count_(&s->stats, inst->op->op_class, inst->mask);
}

/* What the load/store unit wants to know of it. */
static inline void keep_addresses_(struct smrf_inst *to, const struct smrf_inst *inst)
{
    memcpy(to, inst, offsetof(struct smrf_inst, lane));
    if (inst->addr_kind == SMRF_ADDR_LIST) {
        memcpy(to->lane, inst->lane, sizeof to->lane);
    }
}

static inline void end_(struct smrf_issue *s, unsigned k, uint32_t number,
                        const struct smrf_inst *inst)
{
    struct smrf_flights *flights = s->links.flights;
    struct smrf_flight *f = &flights->record[number];
    s->stats.operand_reads += f->num_src;
    s->stats.operand_writes += f->num_dst;
    if (inst->near_src || inst->near_dst) {
        annotate_(s, f, inst);
    }
    if (f->needs & SMRF_NEED_ISSUE && f->unit == SMRF_UNIT_MEM) {
        keep_addresses_(&flights->memory[number], inst);
        s->warp[k].atomics = (uint16_t)(s->warp[k].atomics +
                                        (inst->op->op_class == SMRF_CLASS_ATOMIC && inst->mask));
    }
}

uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k)
{
    const uint32_t number = smrf_flights_take(s->links.flights);
    struct smrf_flight *f = &s->links.flights->record[number];
    const struct smrf_inst *inst = s->warp[k].head;
    begin_(s, k, f);
    /* Facts of one execution do not live as long as it. */
    f->facts = inst->facts && !inst->facts->exact ? inst->facts : NULL;
    list_(f, s->warp[k].set);
    if (s->links.seams.rename) {
        rename_(s, f, inst);
    } else {
        places_(s, k, f, s->warp[k].set);
    }
    end_(s, k, number, inst);
    return number;
}

uint32_t smrf_issue_record_own(struct smrf_issue *s, unsigned k)
{
    const uint32_t number = smrf_flights_take(s->links.flights);
    struct smrf_flight *f = &s->links.flights->record[number];
    begin_(s, k, f);
    f->facts = NULL;
    f->micro = true;
    list_(f, s->warp[k].set);
    list_sources_(f, s->warp[k].set);
    f->needs |= SMRF_NEED_END;
    place_micro_(s, f, &s->micro[k]);
    end_(s, k, number, &s->micro[k].inst);
    return number;
}
