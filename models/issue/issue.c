/* SPDX-License-Identifier: Apache-2.0 */
#include "issue_internal.h"

#include <string.h>

int smrf_issue_init(struct smrf_issue *s, const struct smrf_issue_config *cfg,
                    const struct smrf_issue_parts *parts)
{
    s->cfg = *cfg;
    s->parts = parts ? *parts : (struct smrf_issue_parts){0};
    s->sub_shift = (uint32_t)__builtin_ctz(cfg->sm.subcores);
    if (!s->parts.scheduler_ops) {
        s->parts.scheduler_ops = smrf_scheduler_policy(&s->cfg.issue);
        s->parts.scheduler = &s->own_scheduler;
    }
    if (!s->parts.dependence_ops) {
        s->parts.dependence_ops = &smrf_scoreboard_ops;
        s->parts.dependence = &s->own_scoreboard;
    }
    smrf_scoreboard_init(&s->own_scoreboard, &s->cfg.scoreboard);
    int err =
        smrf_scheduler_init(&s->own_scheduler, &s->cfg.issue, cfg->sm.warps / cfg->sm.subcores);
    if (!err) {
        smrf_issue_reset(s);
    }
    return err;
}

static bool demote_(void *ctx, unsigned k)
{
    struct smrf_issue *s = ctx;
    const struct smrf_schedule_seam *seam = s->links.mechanism->schedule;
    return !seam->demote ||
           seam->demote(s->links.mechanism_state, smrf_issue_warp_of(s, k), s->now);
}

static void promote_(void *ctx, unsigned k)
{
    struct smrf_issue *s = ctx;
    const struct smrf_schedule_seam *seam = s->links.mechanism->schedule;
    if (seam->promote) {
        seam->promote(s->links.mechanism_state, smrf_issue_warp_of(s, k), s->now);
    }
}

void smrf_issue_connect(struct smrf_issue *s, const struct smrf_issue_links *links)
{
    s->links = *links;
    if (links->mechanism->schedule && s->parts.scheduler_ops->listen) {
        const struct smrf_scheduler_events events = {s, demote_, promote_};
        s->parts.scheduler_ops->listen(s->parts.scheduler, &events);
    }
}

void smrf_issue_reset(struct smrf_issue *s)
{
    s->stats = (struct smrf_issue_stats){0};
    s->resident = s->ended = s->barrier = 0;
    s->has_inst = s->membar = s->held = 0;
    s->data = s->war = s->rename = s->long_op = s->timed = 0;
    memset(s->head_unit, 0, sizeof s->head_unit);
    s->latch_full = 0;
    s->stall = SMRF_STALL_idle;
    s->issued = false;
    memset(s->warp, 0, sizeof s->warp);
    s->parts.scheduler_ops->reset(s->parts.scheduler);
    s->parts.dependence_ops->reset(s->parts.dependence);
}

static uint64_t bit_(unsigned k)
{
    return UINT64_C(1) << k;
}

static void set_bit_(uint64_t *mask, unsigned k, bool value)
{
    *mask = (*mask & ~bit_(k)) | (uint64_t)value << k;
}

/* --- hazards of the head instruction --------------------------------------------------------------- */

/* Look again at what holds the head instruction of a warp back. */
static void rehazard_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_parts *p = &s->parts;
    const struct smrf_rename_seam *rename = s->links.mechanism->rename;
    struct smrf_issue_warp *w = &s->warp[k];
    unsigned hazards = 0;
    bool renames = true;

    w->check_again = SMRF_NEVER;
    if (w->head) {
        const struct smrf_operands next = smrf_issue_next_operands(s, k);
        bool free = smrf_issue_micro(s, k) || !rename || !rename->ready;
        hazards = p->dependence_ops->check(p->dependence, k, &next, cycle, &w->check_again);
        renames = w->registers && (free || rename->ready(s->links.mechanism_state,
                                                         smrf_issue_warp_of(s, k), w->head->op));
    }
    if (w->membar && p->dependence_ops->quiet(p->dependence, k)) {
        w->membar = false;
    }
    set_bit_(&s->timed, k, w->check_again != SMRF_NEVER);
    set_bit_(&s->data, k, hazards & SMRF_HAZARD_DATA);
    set_bit_(&s->war, k, hazards & SMRF_HAZARD_WAR);
    set_bit_(&s->rename, k, !renames);
    set_bit_(&s->long_op, k, hazards & SMRF_HAZARD_LONG);
    set_bit_(&s->membar, k, w->membar || w->atomics);
}

static void check_drained_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    if (w->inflight == 0 && w->stores == 0) {
        s->links.drained(s->links.ctx, smrf_issue_warp_of(s, k), cycle);
    }
}

/* What issues next of a warp: an operation of the mechanism's own, or the trace's instruction. */
static void choose_head_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_micro_seam *seam = s->links.mechanism->micro;
    struct smrf_issue_warp *w = &s->warp[k];
    s->head_unit[w->head_unit] &= ~bit_(k);
    w->head = w->trace;
    if (seam && w->trace &&
        seam->next(s->links.mechanism_state, smrf_issue_warp_of(s, k), w->trace, &s->micro[k])) {
        w->head = &s->micro[k].inst;
    }
    if (w->head) {
        s->has_inst |= bit_(k);
        w->head_unit = (uint8_t)smrf_issue_unit_of(w->head->op->op_class);
        s->head_unit[w->head_unit] |= bit_(k);
    } else {
        s->has_inst &= ~bit_(k);
    }
    rehazard_(s, k, cycle);
}

void smrf_issue_head(struct smrf_issue *s, unsigned k, const struct smrf_inst *head, uint64_t cycle)
{
    const struct smrf_micro_seam *seam = s->links.mechanism->micro;
    unsigned warp = smrf_issue_warp_of(s, k);
    s->warp[k].trace = head;
    if (head && seam && seam->remove && seam->remove(s->links.mechanism_state, warp, head)) {
        SMRF_ASSERT(head->op->flow == SMRF_FLOW_NONE && smrf_issue_plain(head->op));
        s->links.control(s->links.ctx, warp, head);
        s->links.removed(s->links.ctx, warp, head);
        s->links.taken(s->links.ctx, warp); /* tells the next head, or none */
        check_drained_(s, k, cycle);
        return;
    }
    choose_head_(s, k, cycle);
}

void smrf_issue_allotted(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers,
                         uint64_t cycle)
{
    s->warp[k].base = base;
    s->warp[k].registers = registers;
    rehazard_(s, k, cycle);
}

void smrf_issue_wake(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    if (smrf_issue_micro(s, k)) {
        rehazard_(s, k, cycle);
    } else {
        choose_head_(s, k, cycle);
    }
}

void smrf_issue_collected(struct smrf_issue *s, const struct smrf_flight *f, unsigned i,
                          uint64_t cycle)
{
    unsigned k = f->warp >> s->sub_shift;
    if (s->parts.dependence_ops->collected(s->parts.dependence, k, f, i) && s->war >> k & 1) {
        rehazard_(s, k, cycle);
    }
}

void smrf_issue_released(struct smrf_issue *s, const struct smrf_flight *f, unsigned reg,
                         uint64_t cycle)
{
    unsigned k = f->warp >> s->sub_shift;
    if (s->parts.dependence_ops->released(s->parts.dependence, k, f, reg) && s->data >> k & 1) {
        rehazard_(s, k, cycle);
    }
}

/* Hazards that end by time. */
static void check_again_(struct smrf_issue *s, uint64_t cycle)
{
    for (uint64_t m = s->timed; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].check_again <= cycle) {
            rehazard_(s, k, cycle);
        }
    }
}

/* --- the life of a warp ------------------------------------------------------------------------------ */

void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age, uint16_t base,
                      uint16_t registers)
{
    s->warp[k] = (struct smrf_issue_warp){.base = base, .registers = registers};
    s->resident |= bit_(k);
    s->ended &= ~bit_(k);
    s->parts.dependence_ops->start(s->parts.dependence, k);
    s->parts.scheduler_ops->start(s->parts.scheduler, k, age);
}

void smrf_issue_barrier(struct smrf_issue *s, unsigned k, bool waits)
{
    set_bit_(&s->barrier, k, waits);
}

void smrf_issue_ended(struct smrf_issue *s, unsigned k)
{
    s->ended |= bit_(k);
}

void smrf_issue_exit(struct smrf_issue *s, unsigned k)
{
    s->resident &= ~bit_(k);
    s->barrier &= ~bit_(k);
}

void smrf_issue_hold(struct smrf_issue *s, unsigned k, uint64_t until)
{
    struct smrf_issue_warp *w = &s->warp[k];
    w->held_until = until > w->held_until ? until : w->held_until;
    s->held |= bit_(k);
}

static void unhold_(struct smrf_issue *s, uint64_t cycle)
{
    for (uint64_t m = s->held; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].held_until <= cycle) {
            s->held &= ~bit_(k);
        }
    }
}

void smrf_issue_retired(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    struct smrf_flights *flights = s->links.flights;
    const struct smrf_flight *f = &flights->record[flight];
    unsigned k = f->warp >> s->sub_shift;
    struct smrf_issue_warp *w = &s->warp[k];
    if (f->op->op_class == SMRF_CLASS_ATOMIC) {
        w->atomics--;
    }
    w->inflight--;
    s->stats.completed++;
    smrf_flights_give(flights, flight);
    if (w->membar || w->inflight == 0) {
        rehazard_(s, k, cycle);
        check_drained_(s, k, cycle);
    }
}

void smrf_issue_stores(struct smrf_issue *s, unsigned k, int32_t delta, uint64_t cycle)
{
    s->warp[k].stores += delta;
    check_drained_(s, k, cycle);
}

/* --- issue --------------------------------------------------------------------------------------------- */

static void issue_one_(struct smrf_issue *s, unsigned k, int collector, uint64_t cycle)
{
    unsigned warp = smrf_issue_warp_of(s, k);
    const struct smrf_issue_links *l = &s->links;
    const struct smrf_inst *inst = s->warp[k].head;
    bool micro = smrf_issue_micro(s, k);
    if (!micro) {
        l->control(l->ctx, warp, inst);
    }
    uint32_t flight = smrf_issue_record(s, k);
    const struct smrf_flight *f = &l->flights->record[flight];

    s->parts.dependence_ops->issued(s->parts.dependence, k, f, cycle);
    if (micro) {
        l->injected(l->ctx, flight);
        choose_head_(s, k, cycle);
    } else {
        l->issued(l->ctx, flight, inst);
        if (f->op->op_class == SMRF_CLASS_MEMBAR) {
            s->warp[k].membar = true;
        }
        l->taken(l->ctx, warp);
        if (f->op->op_class == SMRF_CLASS_BARRIER && f->mask) {
            l->reach_barrier(l->ctx, warp);
        }
    }
    s->parts.scheduler_ops->issued(s->parts.scheduler, k);
    if (collector >= 0) {
        l->to_collector(l->ctx, s->cfg.sub, (unsigned)collector, flight);
    } else {
        s->latch[f->unit] = flight;
        s->latch_full |= UINT32_C(1) << f->unit;
    }
}

uint32_t smrf_issue_unlatch(struct smrf_issue *s, unsigned unit)
{
    SMRF_ASSERT(s->latch_full >> unit & 1);
    s->latch_full &= ~(UINT32_C(1) << unit);
    return s->latch[unit];
}

/* Warps whose head instruction has no hazard. */
static uint64_t ready_(const struct smrf_issue *s)
{
    return s->has_inst & ~(s->data | s->war | s->rename | s->barrier | s->membar | s->held);
}

/* Why nothing issued: the most immediate reason of any warp. */
static enum smrf_stall stall_cause_(const struct smrf_issue *s, uint64_t ready, uint64_t allowed)
{
    if (allowed) {
        return s->cfg.issue.latches ? SMRF_STALL_unit : SMRF_STALL_collector;
    }
    uint64_t waiting = s->has_inst & ~(s->barrier | s->membar | s->held);
    return ready                             ? SMRF_STALL_inactive
           : waiting & s->data               ? SMRF_STALL_data
           : waiting & s->war                ? SMRF_STALL_war
           : waiting & s->rename             ? SMRF_STALL_rename
           : s->has_inst & s->held           ? SMRF_STALL_blocked
           : s->has_inst & s->membar         ? SMRF_STALL_membar
           : s->has_inst & s->barrier        ? SMRF_STALL_barrier
           : !s->resident                    ? SMRF_STALL_idle
           : s->links.fetching(s->links.ctx) ? SMRF_STALL_fetch
                                             : SMRF_STALL_drain;
}

/* Candidates whose way out of issue is free. */
static uint64_t unobstructed_(const struct smrf_issue *s, uint64_t allowed)
{
    const struct smrf_allocation_seam *seam = s->links.mechanism->allocation;
    if (s->cfg.issue.latches) {
        for (uint32_t m = s->latch_full; m; m &= m - 1) {
            allowed &= ~s->head_unit[__builtin_ctz(m)];
        }
        return allowed;
    }
    uint32_t free_units = *s->links.free_collectors;
    if (!free_units) {
        return 0;
    }
    if (seam && seam->eligible) {
        allowed &= seam->eligible(s->links.mechanism_state, s->cfg.sub, free_units, allowed);
    }
    return allowed;
}

static struct smrf_scheduler_view view_(const struct smrf_issue *s)
{
    const struct smrf_scheduler_view view = {s->barrier | s->membar | s->ended | ~s->resident,
                                             s->long_op};
    return view;
}

/* Choose among the warps of `open`. Returns k with the collector that takes its instruction (-1: the
 * latch of its unit), or -1: none can. */
static int choose_(struct smrf_issue *s, uint64_t open, uint64_t preferred, int *collector,
                   bool *moved)
{
    const struct smrf_issue_links *l = &s->links;
    *collector = -1;
    while (open && l->flights->free_count) {
        unsigned k = s->parts.scheduler_ops->select(s->parts.scheduler, open, preferred);
        if (s->cfg.issue.latches ||
            (*collector = l->pick(l->ctx, s->cfg.sub, smrf_issue_warp_of(s, k))) >= 0) {
            return (int)k;
        }
        *moved |= *collector <= SMRF_PICK_NEXT_WAIT;
        bool none = *collector == SMRF_PICK_NONE || *collector == SMRF_PICK_NONE_WAIT;
        open &= none ? 0 : ~bit_(k);
    }
    return -1;
}

static bool issue_width_(struct smrf_issue *s, uint64_t cycle)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    /* Asked for when there is a choice to make, once a cycle. */
    bool ask = s->links.preferred != NULL, moved = false;
    uint64_t done = 0, preferred = 0;

    s->issued = false;
    for (unsigned n = 0; n < s->cfg.issue.width; n++) {
        uint64_t ready = ready_(s) & ~done;
        uint64_t allowed = ops->allowed ? ready & ops->allowed(s->parts.scheduler) : ready;
        uint64_t open = allowed ? unobstructed_(s, allowed) : 0;
        int collector;
        if (ask && open) {
            preferred = s->links.preferred(s->links.ctx, s->cfg.sub);
            ask = false;
        }
        int k = choose_(s, open, preferred, &collector, &moved);
        if (k < 0) {
            s->stall = s->issued ? s->stall : (uint8_t)stall_cause_(s, ready, allowed);
            break;
        }
        issue_one_(s, (unsigned)k, collector, cycle);
        done |= bit_((unsigned)k);
        s->issued = true;
    }
    return moved | s->issued;
}

bool smrf_issue_step(struct smrf_issue *s, uint64_t cycle)
{
    bool moved = false;
    s->now = cycle;
    if (s->held) {
        unhold_(s, cycle);
    }
    if (s->timed) {
        check_again_(s, cycle);
    }
    if (s->parts.scheduler_ops->order) {
        const struct smrf_scheduler_view view = view_(s);
        moved = s->parts.scheduler_ops->order(s->parts.scheduler, &view);
    }
    moved |= issue_width_(s, cycle);
    s->stats.scheduler_cycles++;
    s->stats.cycles_issued += s->issued;
    s->stats.stall[s->stall] += !s->issued;
    return moved;
}

void smrf_issue_skip(struct smrf_issue *s, uint64_t n)
{
    s->stats.stall[s->stall] += n;
    s->stats.scheduler_cycles += n;
    if (s->parts.scheduler_ops->skip) {
        const struct smrf_scheduler_view view = view_(s);
        s->parts.scheduler_ops->skip(s->parts.scheduler, &view, n);
    }
}

uint64_t smrf_issue_next(const struct smrf_issue *s)
{
    uint64_t next = SMRF_NEVER;
    for (uint64_t m = s->held; m; m &= m - 1) {
        uint64_t at = s->warp[__builtin_ctzll(m)].held_until;
        next = at < next ? at : next;
    }
    for (uint64_t m = s->timed; m; m &= m - 1) {
        uint64_t at = s->warp[__builtin_ctzll(m)].check_again;
        next = at < next ? at : next;
    }
    return next;
}

/* --- questions ------------------------------------------------------------------------------------------ */

uint64_t smrf_issue_probe_allowed(const struct smrf_issue *s)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    return ops->allowed ? ops->allowed(s->parts.scheduler) : UINT64_MAX;
}

unsigned smrf_issue_probe_culprit(const struct smrf_issue *s, unsigned k, enum smrf_hazard hazard)
{
    const struct smrf_operands next = smrf_issue_next_operands(s, k);
    return s->parts.dependence_ops->culprit(s->parts.dependence, k, &next, hazard);
}
