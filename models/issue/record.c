/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an instruction in flight. */
#include "record.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_program.h"

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

/* What a brief record does without, as far as nothing but its instruction is known. */
static inline void list_(struct smrf_flight *f, const struct smrf_reg_set *set)
{
    f->reads = 0;
    f->brief = false;
    f->version = (uint32_t)f->uid + 1;
    f->near_src = 0;
    f->near_dst = 0;
    f->facts = NULL;
    copy_list_(f->dst_reg, set->dst, set->num_dst, SMRF_MAX_DST);
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

/* Where registers of a warp lie that nobody renames, all of which it has: from `base` of the
 * sub-core on, in banks that are turned by so many. */
static inline void own_places_(const struct smrf_issue *s, unsigned base, unsigned turned,
                               const uint8_t *regs, unsigned count,
                               struct smrf_register_place *places)
{
    const unsigned banks = s->cfg.rf.banks, shift = s->banks_shift;
    for (unsigned i = 0; i < count; i++) {
        places[i] =
            banks == 1u << shift
                ? smrf_issue_even_place(shift, base, base + turned, regs[i])
                : smrf_place_turned(banks, s->banks_reciprocal, turned, regs[i], base + regs[i]);
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

static inline void places_(struct smrf_issue *s, unsigned k, struct smrf_flight *f,
                           const struct smrf_reg_set *set)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    const unsigned num_src = set->num_src, num_dst = set->num_dst;
    const unsigned turned = s->cfg.rf.swizzle ? w->slot : 0, base = w->base;
    list_sources_(f, set);
    if (set->highest >= w->backed) {
        s->stats.unbacked_registers += some_places_(s, k, set->src, num_src, f->src) +
                                       some_places_(s, k, set->dst, num_dst, f->dst);
        return;
    }
    own_places_(s, base, turned, set->src, num_src, f->src);
    own_places_(s, base, turned, set->dst, num_dst, f->dst);
}

void smrf_issue_fill_in(const struct smrf_issue *s, struct smrf_flight *f)
{
    const struct smrf_reg_set *set = &f->op->set;
    if (!f->brief) {
        return;
    }
    list_(f, set);
    f->number = 0;
    list_sources_(f, set);
    own_places_(s, s->warp[f->warp >> s->sub_shift].base, s->cfg.rf.swizzle ? f->warp : 0, set->src,
                set->num_src, f->src);
}

void smrf_issue_look_away(struct smrf_issue *s, bool away)
{
    s->unseen = away && s->straight && s->cfg.rf.banks == 1u << s->banks_shift;
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

static inline void end_(struct smrf_issue *s, unsigned k, uint32_t number,
                        const struct smrf_inst *inst)
{
    struct smrf_flight *f = &s->links.flights->record[number];
    smrf_issue_count(&s->stats, inst, f->num_src, f->num_dst);
    if (inst->near_src || inst->near_dst) {
        annotate_(s, f, inst);
    }
    if (f->needs & SMRF_NEED_MEMORY) {
        smrf_issue_keep_addresses(s, k, number, inst);
    }
}

uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k)
{
    const uint32_t number = smrf_flights_take(s->links.flights);
    struct smrf_flight *f = &s->links.flights->record[number];
    const struct smrf_inst *inst = s->warp[k].head;
    smrf_issue_begin(s, k, f, s->warp[k].head, s->warp[k].set);
    list_(f, s->warp[k].set);
    f->number = s->warp[k].issued;
    /* Facts of one execution do not live as long as it. */
    f->facts = inst->facts && !inst->facts->exact ? inst->facts : NULL;
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
    smrf_issue_begin(s, k, f, s->warp[k].head, s->warp[k].set);
    list_(f, s->warp[k].set);
    f->number = s->warp[k].issued;
    f->micro = true;
    list_sources_(f, s->warp[k].set);
    f->needs |= SMRF_NEED_END;
    place_micro_(s, f, &s->store->micro[k]);
    end_(s, k, number, &s->store->micro[k].inst);
    return number;
}
