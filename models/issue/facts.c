/* SPDX-License-Identifier: Apache-2.0 */
/* What the stage is told of its warps, and what then holds the next of each back. */
#include "head.h"

#include "models/common/smrf_apart.h"

static void set_bit_(uint64_t *mask, unsigned k, bool value)
{
    *mask = (*mask & ~smrf_issue_bit(k)) | (uint64_t)value << k;
}

void smrf_issue_held_otherwise(struct smrf_issue *s, unsigned k, unsigned changed)
{
    smrf_issue_flip(&s->long_op, k, changed, SMRF_HAZARD_LONG);
    smrf_issue_flip(&s->war, k, changed, SMRF_HAZARD_WAR);
    smrf_issue_flip(&s->rename, k, changed, SMRF_HELD_RENAME);
    smrf_issue_flip(&s->membar, k, changed, SMRF_HELD_MEMBAR);
    smrf_issue_flip(&s->timed, k, changed, SMRF_HELD_TIMED);
}

bool smrf_issue_renames(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    if (smrf_issue_micro(s, k)) {
        return true; /* it names its registers itself */
    }
    return rename && rename->ready
               ? rename->ready(s->links.seams.state, smrf_issue_warp_of(s, k), s->warp[k].head)
               : s->warp[k].registers != 0;
}

/* The same, where a fence may be done by now. */
static SMRF_APART bool still_fenced_(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    if (w->membar && s->parts.dependence_ops->quiet(s->parts.dependence, k)) {
        w->membar = false;
        smrf_issue_note_lone(w);
    }
    return smrf_issue_fenced(w);
}

/* What another dependence check than the stage's own says of the head of warp k. */
static SMRF_APART unsigned ask_other_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_operands next = smrf_issue_next_operands(s, k);
    uint64_t *again = &s->warp[k].check_again;
    const unsigned held =
        s->parts.dependence_ops->check(s->parts.dependence, k, &next, cycle, again);
    return held | (*again != SMRF_NEVER ? SMRF_HELD_TIMED : 0u);
}

/* What holds the next of a warp back, where that is more than registers that wait. */
static SMRF_APART unsigned hazards_elsewhere_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    unsigned held = 0;
    w->check_again = SMRF_NEVER;
    if (w->head) {
        held = smrf_issue_own_scoreboard(s) ? smrf_issue_ask_own(s, k) : ask_other_(s, k, cycle);
        held |= smrf_issue_renames(s, k) ? 0 : SMRF_HELD_RENAME;
    }
    if (smrf_issue_fenced(w)) {
        held |= still_fenced_(s, k) ? SMRF_HELD_MEMBAR : 0;
    }
    return held;
}

void smrf_issue_look_again(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const unsigned held = smrf_issue_alone(s, &s->warp[k]) ? smrf_issue_ask_own(s, k)
                                                           : hazards_elsewhere_(s, k, cycle);
    if (smrf_issue_set_held(s, k, held)) {
        smrf_issue_stir(s, k);
    }
}

static inline void check_drained_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    if (s->ended >> k & 1 && w->inflight == 0 && w->stores == 0) {
        s->links.drained(s->links.ctx, smrf_issue_warp_of(s, k), cycle);
    }
}

/* An operation of the mechanism's own goes before the trace's instruction, if there is one. */
static SMRF_APART void choose_own_(struct smrf_issue *s, unsigned k)
{
    const struct smrf_micro_seam *seam = s->links.seams.micro;
    struct smrf_issue_warp *w = &s->warp[k];
    const bool own =
        seam->next && w->trace &&
        seam->next(s->links.seams.state, smrf_issue_warp_of(s, k), w->trace, &s->store->micro[k]);
    w->head = own ? &s->store->micro[k].inst : w->trace;
    set_bit_(&s->own, k, own);
    smrf_issue_stand(s);
}

void smrf_issue_list_registers(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const bool micro = smrf_issue_micro(s, k);
    const struct smrf_micro *own = &s->store->micro[k];
    struct smrf_reg_set *set = &s->store->set[k];
    *set =
        smrf_reg_set_of_inst(w->head->op, s->cfg.rf.base_registers_only && !micro, s->cfg.rf.banks);
    for (unsigned i = 0; micro && i < own->num_waits; i++) {
        smrf_reg_set_wait(set, own->waits[i]);
    }
    w->set = set;
}

/* What issues next of a warp: an operation of the mechanism's own, or the trace's instruction. */
void smrf_issue_choose_head(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    w->head = w->trace;
    if (s->links.seams.micro) {
        choose_own_(s, k);
    }
    if (w->head) {
        smrf_issue_look_at_head(s, k);
        if (smrf_issue_alone(s, w)) {
            smrf_issue_set_held(s, k, smrf_issue_ask_own(s, k));
        } else {
            smrf_issue_look_again(s, k, cycle);
        }
        smrf_issue_stir(s, k);
        return;
    }
    smrf_issue_awaken(s);
    s->has_inst &= ~smrf_issue_bit(k);
    if (w->held_by || smrf_issue_fenced(w)) {
        smrf_issue_look_again(s, k, cycle);
    }
}

/* Does the mechanism remove the next instruction of a warp? Then it is gone. */
static SMRF_APART bool remove_(struct smrf_issue *s, unsigned k, const struct smrf_inst *head,
                               uint64_t cycle)
{
    const struct smrf_micro_seam *seam = s->links.seams.micro;
    const unsigned warp = smrf_issue_warp_of(s, k);
    if (!seam->remove || !seam->remove(s->links.seams.state, warp, head)) {
        return false;
    }
    SMRF_ASSERT(head->op->flow == SMRF_FLOW_NONE && smrf_issue_plain(head->op));
    s->links.control(s->links.ctx, warp, head);
    smrf_issue_head(s, k, s->links.removed(s->links.ctx, warp, head), cycle);
    check_drained_(s, k, cycle);
    return true;
}

void smrf_issue_turn_head_otherwise(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    smrf_issue_look_at_head(s, k);
    smrf_issue_look_again(s, k, cycle);
}

static SMRF_APART void head_elsewhere_(struct smrf_issue *s, unsigned k,
                                       const struct smrf_inst *head, uint64_t cycle)
{
    s->warp[k].trace = head;
    if (!head || !s->links.seams.micro || !remove_(s, k, head, cycle)) {
        smrf_issue_choose_head(s, k, cycle);
    }
}

void smrf_issue_head(struct smrf_issue *s, unsigned k, const struct smrf_inst *head, uint64_t cycle)
{
    if (s->straight && head) {
        smrf_issue_turn_head(s, k, head, cycle);
        smrf_issue_stir(s, k);
    } else {
        head_elsewhere_(s, k, head, cycle);
    }
}

/* Where the registers of warp k lie. */
static void allot_(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers)
{
    const unsigned banks = s->cfg.rf.banks;
    const unsigned first = base + (s->cfg.rf.swizzle ? smrf_issue_warp_of(s, k) : 0);
    struct smrf_issue_warp *w = &s->warp[k];
    w->slot = (uint8_t)smrf_issue_warp_of(s, k);
    w->base = base;
    w->registers = registers;
    smrf_issue_note_lone(w);
    w->backed = (uint8_t)(registers < SMRF_REG_ZERO ? registers : SMRF_REG_ZERO);
    w->turned = (uint8_t)(first % banks * (64 / banks));
}

void smrf_issue_allotted(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers,
                         uint64_t cycle)
{
    allot_(s, k, base, registers);
    smrf_issue_look_again(s, k, cycle);
}

void smrf_issue_wake(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    if (smrf_issue_micro(s, k)) {
        smrf_issue_look_again(s, k, cycle);
    } else {
        smrf_issue_choose_head(s, k, cycle);
    }
}

void smrf_issue_collected(struct smrf_issue *s, const struct smrf_flight *f, uint32_t sources,
                          uint64_t cycle)
{
    const unsigned k = f->warp >> s->sub_shift;
    bool free = false;
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        free |= s->parts.dependence_ops->collected(s->parts.dependence, k, f, i);
        if (smrf_readers_done(&s->readers, f->src[i])) {
            s->links.seams.rename->last_read(s->links.seams.state, s->cfg.sub, f->src[i]);
        }
    }
    if (free && s->war >> k & 1) {
        smrf_issue_look_again(s, k, cycle);
    }
}

/* The result of a register is usable: where a mechanism renames, or another dependence check is
 * asked. */
static SMRF_APART void released_elsewhere_(struct smrf_issue *s, const struct smrf_flight *f,
                                           unsigned reg, uint64_t cycle)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    const unsigned k = f->warp >> s->sub_shift;
    if (rename && rename->written && reg < SMRF_REG_ZERO && !f->micro) {
        rename->written(s->links.seams.state, f, reg);
    }
    if (s->parts.dependence_ops->released(s->parts.dependence, k, f, reg) && s->data >> k & 1) {
        smrf_issue_look_again(s, k, cycle);
    }
}

/* The same where neither is so. Returns whether the next of warp k may have waited for it. */
static inline bool released_here_(struct smrf_issue *s, unsigned k, unsigned reg)
{
    return smrf_scoreboard_released(&s->own_scoreboard, k, reg) && s->data >> k & 1 &&
           smrf_scoreboard_concerns(s->warp[k].set, reg);
}

/* The head of warp k waited for results, one of which may have come. */
static inline void look_at_results_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    if (s->straight && s->warp[k].held_by == SMRF_HAZARD_DATA) {
        smrf_issue_let_go(s, k);
    } else {
        smrf_issue_look_again(s, k, cycle);
    }
}

void smrf_issue_released(struct smrf_issue *s, const struct smrf_flight *f, unsigned reg,
                         uint64_t cycle)
{
    const unsigned k = f->warp >> s->sub_shift;
    if (!s->bare) {
        released_elsewhere_(s, f, reg, cycle);
    } else if (released_here_(s, k, reg)) {
        look_at_results_(s, k, cycle);
    }
}

/* Hazards that end by time. */
void smrf_issue_check_again(struct smrf_issue *s, uint64_t cycle)
{
    for (uint64_t m = s->timed; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].check_again <= cycle) {
            smrf_issue_look_again(s, k, cycle);
        }
    }
}

/* --- the life of a warp ----------------------------------------------------------------------- */

void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age, uint16_t base,
                      uint16_t registers)
{
    smrf_issue_awaken(s);
    smrf_issue_turn_to(s, k, 0);
    smrf_issue_set_held(s, k, 0);
    s->warp[k] = (struct smrf_issue_warp){.head = NULL};
    allot_(s, k, base, registers);
    if (s->copied & smrf_issue_bit(k)) {
        s->copied &= ~smrf_issue_bit(k);
        s->store->copies[k] = (struct smrf_copies){0};
    }
    s->residents += !(s->resident & smrf_issue_bit(k));
    s->resident |= smrf_issue_bit(k);
    s->ended &= ~smrf_issue_bit(k);
    s->parts.dependence_ops->start(s->parts.dependence, k);
    s->parts.scheduler_ops->start(s->parts.scheduler, k, age);
}

void smrf_issue_barrier(struct smrf_issue *s, unsigned k, bool waits)
{
    smrf_issue_awaken(s);
    set_bit_(&s->barrier, k, waits);
    smrf_issue_stand(s);
}

void smrf_issue_ended(struct smrf_issue *s, unsigned k)
{
    s->ended |= smrf_issue_bit(k);
}

void smrf_issue_exit(struct smrf_issue *s, unsigned k)
{
    smrf_issue_awaken(s);
    s->residents -= (s->resident & smrf_issue_bit(k)) != 0;
    s->resident &= ~smrf_issue_bit(k);
    s->barrier &= ~smrf_issue_bit(k);
    smrf_issue_stand(s);
}

void smrf_issue_hold(struct smrf_issue *s, unsigned k, uint64_t until)
{
    struct smrf_issue_warp *w = &s->warp[k];
    smrf_issue_awaken(s);
    w->held_until = until > w->held_until ? until : w->held_until;
    s->held |= smrf_issue_bit(k);
    smrf_issue_stand(s);
}

void smrf_issue_unhold(struct smrf_issue *s, uint64_t cycle)
{
    for (uint64_t m = s->held; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].held_until <= cycle) {
            s->held &= ~smrf_issue_bit(k);
        }
    }
    smrf_issue_stand(s);
}

/* What a warp may have waited for: a copy, all before a fence, or, where a mechanism may have taken
 * back that its registers are there, or at its end, all of it. */
static SMRF_APART void settle_(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flights *flights = s->links.flights;
    const struct smrf_flight *f = &flights->record[flight];
    const unsigned k = f->warp >> s->sub_shift;
    struct smrf_issue_warp *w = &s->warp[k];
    const bool copied = (f->op->flags & SMRF_INST_SHARED_AND_GLOBAL) &&
                        smrf_copies_done(&s->store->copies[k], flights->copy_group[flight]);
    if (copied) {
        w->copies = false;
        smrf_issue_note_lone(w);
    }
    if (w->membar || copied || (w->inflight == 0 && s->links.seams.rename)) {
        smrf_issue_look_again(s, k, cycle);
    }
    check_drained_(s, k, cycle);
}

/* A flight of warp k has left. Returns whether the warp may have waited for it. */
static inline bool retire_(struct smrf_issue *s, unsigned k, uint32_t flight)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    struct smrf_issue_warp *w = &s->warp[k];
    w->inflight--;
    s->stats.completed++;
    smrf_flights_give(s->links.flights, flight);
    return w->membar | (s->ended >> k & 1) | (f->needs & SMRF_NEED_END);
}

void smrf_issue_retired(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const unsigned k = s->links.flights->record[flight].warp >> s->sub_shift;
    if (retire_(s, k, flight) || !s->bare) {
        settle_(s, flight, cycle);
    }
}

/* One after the other, where somebody else is told of each, or nobody has summed its registers
 * up. */
static SMRF_APART void settled_one_by_one_(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        smrf_issue_released(s, f, smrf_flight_destination(f, i), cycle);
    }
    smrf_issue_retired(s, flight, cycle);
}

/* The scoreboard knows, and it has left: where that is more than one of the results that a head
 * waits for. */
static SMRF_APART void settled_besides_(struct smrf_issue *s, uint32_t flight, bool awaited,
                                        uint64_t cycle)
{
    const unsigned k = s->links.flights->record[flight].warp >> s->sub_shift;
    if (s->data >> k & 1) {
        look_at_results_(s, k, cycle);
    }
    if (awaited) {
        settle_(s, flight, cycle);
    }
}

void smrf_issue_settled(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    const struct smrf_reg_set *set = &f->op->set;
    const unsigned k = f->warp >> s->sub_shift;
    if (!s->bare || f->micro || set->made_for != s->made_for) {
        settled_one_by_one_(s, flight, cycle);
        return;
    }
    smrf_scoreboard_settled(&s->own_scoreboard, k, set);
    const bool awaited = retire_(s, k, flight);
    if (awaited | !s->straight | (s->warp[k].held_by > SMRF_HAZARD_DATA)) {
        settled_besides_(s, flight, awaited, cycle);
    } else {
        smrf_issue_let_go(s, k);
    }
}

void smrf_issue_answered(struct smrf_issue *s, const struct smrf_flight *f, uint64_t cycle)
{
    unsigned k = f->warp >> s->sub_shift;
    SMRF_ASSERT(s->warp[k].atomics > 0);
    s->warp[k].atomics--;
    smrf_issue_note_lone(&s->warp[k]);
    smrf_issue_look_again(s, k, cycle);
}

void smrf_issue_stores(struct smrf_issue *s, unsigned k, int32_t delta, uint64_t cycle)
{
    s->warp[k].stores += delta;
    check_drained_(s, k, cycle);
}
