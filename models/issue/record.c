/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an instruction that issues (struct smrf_flight): where its registers lie, and what
 * later stages need of it. */
#include "issue_internal.h"

#include "models/common/smrf_bits.h"
#include "models/common/smrf_program.h"

#include <string.h>

/* --- places of registers ---------------------------------------------------------------------- */

/* Where a register of a warp lies without renaming: the warp's registers follow one another.
 * Compiled for every case, and for `simple` ones: the warp has the register, and the number of
 * banks is a power of two. */
static inline struct smrf_register_place own_place_(const struct smrf_issue *s,
                                                    const struct smrf_issue_warp *w, unsigned reg,
                                                    const bool simple)
{
    const unsigned turned = s->cfg.rf.swizzle ? w->slot : 0, index = w->base + reg;
    if (simple) {
        const struct smrf_register_place at = {
            (uint16_t)(index >> s->banks_shift),
            (uint8_t)((index + turned) & (s->cfg.rf.banks - 1)),
        };
        return at;
    }
    const bool none = reg == SMRF_REG_ZERO || reg >= w->registers;
    return smrf_place_turned(s->cfg.rf.banks, s->banks_reciprocal, turned, reg,
                             none ? SMRF_PHYS_NONE : index);
}

struct smrf_register_place smrf_issue_probe_place(const struct smrf_issue *s, unsigned k,
                                                  unsigned reg)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    return rename && rename->probe && reg != SMRF_REG_ZERO
               ? rename->probe(s->links.seams.state, smrf_issue_warp_of(s, k), reg)
               : own_place_(s, &s->warp[k], reg, false);
}

/* Is it a register that the instruction names and that has no place? */
static inline bool unbacked_(struct smrf_register_place at, unsigned reg)
{
    return at.row == SMRF_ROW_NONE && reg != SMRF_REG_ZERO;
}

/* Places of registers that are not renamed. Returns how many have no place. */
static inline unsigned own_places_(const struct smrf_issue *s, const struct smrf_issue_warp *w,
                                   const uint8_t *regs, unsigned count,
                                   struct smrf_register_place *places, const bool simple)
{
    unsigned unbacked = 0;
    for (unsigned i = 0; i < count; i++) {
        places[i] = own_place_(s, w, regs[i], simple);
        unbacked += !simple && unbacked_(places[i], regs[i]);
    }
    return unbacked;
}

static inline void place_(struct smrf_issue *s, const struct smrf_issue_warp *w,
                          struct smrf_flight *f, const struct smrf_reg_set *set, const bool simple)
{
    const unsigned unbacked = own_places_(s, w, set->src, set->num_src, f->src, simple) +
                              own_places_(s, w, set->dst, set->num_dst, f->dst, simple);
    s->stats.unbacked_registers += unbacked;
}

static SMRF_APART void place_any_(struct smrf_issue *s, const struct smrf_issue_warp *w,
                                  struct smrf_flight *f, const struct smrf_reg_set *set)
{
    place_(s, w, f, set, false);
}

/* --- places that a mechanism names ------------------------------------------------------------ */

static struct smrf_register_place source_(const struct smrf_issue *s,
                                          const struct smrf_issue_warp *w,
                                          const struct smrf_flight *f, unsigned i)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    return f->src_reg[i] != SMRF_REG_ZERO ? rename->source(s->links.seams.state, f, i)
                                          : own_place_(s, w, f->src_reg[i], false);
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

static struct smrf_register_place destination_(struct smrf_issue *s,
                                               const struct smrf_issue_warp *w,
                                               struct smrf_flight *f, unsigned i)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    struct smrf_register_place from = {SMRF_ROW_NONE, 0};
    if (f->dst_reg[i] == SMRF_REG_ZERO) {
        return own_place_(s, w, f->dst_reg[i], false);
    }
    const struct smrf_register_place at = rename->destination(s->links.seams.state, f, i, &from);
    if (from.row != SMRF_ROW_NONE && f->mask != UINT32_MAX) {
        carry_(s, f, i, from);
    }
    return at;
}

static SMRF_APART void rename_(struct smrf_issue *s, const struct smrf_issue_warp *w,
                               struct smrf_flight *f)
{
    for (unsigned i = 0; i < f->num_read; i++) {
        f->src[i] = source_(s, w, f, i);
        smrf_readers_add(&s->readers, f->src[i]);
        s->stats.unbacked_registers += unbacked_(f->src[i], f->src_reg[i]);
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->dst[i] = destination_(s, w, f, i);
        s->stats.unbacked_registers += unbacked_(f->dst[i], f->dst_reg[i]);
    }
    s->stats.merge_reads += (unsigned)(f->num_src - f->num_read);
}

/* A mechanism that names registers, or only follows what becomes of them, learns that all of an
 * instruction have their places. */
static inline void named_(struct smrf_issue *s, const struct smrf_rename_seam *rename,
                          const struct smrf_flight *f, const struct smrf_inst *inst)
{
    if (!rename->source && s->readers.count) {
        for (unsigned i = 0; i < f->num_src; i++) {
            smrf_readers_add(&s->readers, f->src[i]);
        }
    }
    if (rename->issued) {
        rename->issued(s->links.seams.state, f, inst);
    }
}

/* A mechanism's own operation names its physical registers itself. */
static void place_micro_(struct smrf_issue *s, struct smrf_flight *f,
                         const struct smrf_micro *micro)
{
    SMRF_ASSERT(smrf_issue_removable(f->op) && f->op->flow == SMRF_FLOW_NONE);
    SMRF_ASSERT(!micro->num_waits || !f->op->num_src);
    for (unsigned i = 0; i < f->num_src; i++) {
        f->src[i] = smrf_place_of(&s->cfg.rf, f->warp, f->src_reg[i], micro->src_phys[i]);
        smrf_readers_add(&s->readers, f->src[i]);
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->dst[i] = smrf_place_of(&s->cfg.rf, f->warp, f->dst_reg[i], micro->dst_phys[i]);
    }
}

/* --- reuse annotation ------------------------------------------------------------------------- */

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

/* --- the record ------------------------------------------------------------------------------- */

/* Copies a register list. Few are longer than the 8 bytes of the first, fixed-size copy. */
static inline void copy_list_(uint8_t *to, const uint8_t *from, unsigned count, unsigned room)
{
    memcpy(to, from, 8);
    if (count > 8) {
        memcpy(to + 8, from + 8, room - 8);
    }
}

/* Fills in all but the places of its registers. Returns its flight. */
static inline uint32_t begin_(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_inst *inst = w->head;
    const struct smrf_reg_set *set = w->set;
    const uint32_t number = smrf_flights_take(s->links.flights);
    struct smrf_flight *f = &s->links.flights->record[number];
    f->op = inst->op;
    f->uid = s->links.flights->issued++;
    f->mask = inst->mask;
    f->needs = set->needs;
    f->num_src = set->num_src;
    f->num_read = set->num_read;
    f->num_dst = set->num_dst;
    f->dst_left = set->dst_left;
    f->carries = set->no_carries;
    f->warp = w->slot;
    f->sub = s->sub;
    f->unit = w->head_unit;
    f->shared = false;
    f->micro = false;
    f->version = (uint32_t)f->uid + 1;
    f->number = ++w->issued;
    f->near_src = 0;
    f->near_dst = 0;
    /* Facts of one execution do not live as long as it. */
    f->facts = inst->facts && !inst->facts->exact ? inst->facts : NULL;
    copy_list_(f->dst_reg, set->dst, set->num_dst, SMRF_MAX_DST);
    copy_list_(f->src_reg, set->src, set->num_src, SMRF_MAX_SRC);
    w->inflight++;
    return number;
}

/* Addresses of a memory instruction, for the load/store unit. */
static inline void keep_addresses_(struct smrf_issue *s, unsigned k, uint32_t flight,
                                   const struct smrf_inst *inst)
{
    struct smrf_inst *to = &s->links.flights->memory[flight].inst;
    memcpy(to, inst, offsetof(struct smrf_inst, imm));
    if (inst->addr_kind == SMRF_ADDR_LIST && !inst->list) {
        memcpy(to->lane, inst->lane, sizeof to->lane);
    }
    if (inst->op->op_class == SMRF_CLASS_ATOMIC && inst->mask) {
        s->warp[k].atomics++;
    }
}

static inline void count_(struct smrf_issue_stats *stats, const struct smrf_flight *f)
{
    const unsigned op_class = f->op->op_class;
    const unsigned first = f->op->step == 0, lanes = first ? smrf_count_bits(f->mask) : 0;
    stats->warp_insts += first;
    stats->further_steps += !first;
    stats->thread_insts += lanes;
    stats->by_class[op_class].warp_insts += first;
    stats->by_class[op_class].thread_insts += lanes;
    stats->operand_reads += f->num_src;
    stats->operand_writes += f->num_dst;
}

static inline void end_(struct smrf_issue *s, unsigned k, uint32_t number,
                        const struct smrf_inst *inst)
{
    struct smrf_flight *f = &s->links.flights->record[number];
    count_(&s->stats, f);
    if (inst->near_src | inst->near_dst) {
        annotate_(s, f, inst);
    }
    if (f->needs & SMRF_NEED_MEMORY) {
        keep_addresses_(s, k, number, inst);
    }
}

uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_inst *inst = w->head;
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    const uint32_t number = begin_(s, k);
    struct smrf_flight *f = &s->links.flights->record[number];
    if (rename && rename->source) {
        rename_(s, w, f);
    } else if (w->set->highest < w->registers && w->set->highest != SMRF_REG_ZERO &&
               s->cfg.rf.banks == 1u << s->banks_shift) {
        place_(s, w, f, w->set, true);
    } else {
        place_any_(s, w, f, w->set);
    }
    if (rename) {
        named_(s, rename, f, inst);
    }
    end_(s, k, number, inst);
    return number;
}

uint32_t smrf_issue_record_own(struct smrf_issue *s, unsigned k)
{
    const uint32_t number = begin_(s, k);
    struct smrf_flight *f = &s->links.flights->record[number];
    f->micro = true;
    f->needs |= SMRF_NEED_END;
    f->facts = NULL;
    place_micro_(s, f, &s->store->micro[k]);
    end_(s, k, number, &s->store->micro[k].inst);
    return number;
}
