/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of the issue stage: selection, issue, the cause of a cycle without issue, sleep. */
#include "issue_internal.h"

#include "models/units/intervals.h"

#include <string.h>

/* The one that the configuration names; the memory of the other is not touched. */
static void own_dependence_(struct smrf_issue *s, uint32_t warps)
{
    if (s->cfg.issue.dependence == SMRF_DEPENDENCE_SCOREBOARD) {
        smrf_scoreboard_init(&s->own_scoreboard, s->store->readers, &s->cfg.scoreboard, warps);
        s->parts.dependence_ops = &smrf_scoreboard_ops;
        s->parts.dependence = &s->own_scoreboard;
    } else {
        smrf_control_bits_init(&s->store->control, &s->cfg.issue, warps, s->held_cycles);
        s->parts.dependence_ops = &smrf_control_bits_ops;
        s->parts.dependence = &s->store->control;
    }
}

int smrf_issue_init(struct smrf_issue *s, struct smrf_issue_store *store,
                    const struct smrf_issue_config *cfg, const struct smrf_issue_parts *parts)
{
    s->store = store;
    s->cfg = *cfg;
    s->readers.count = NULL;
    s->awake = &s->own_awake;
    s->parts = parts ? *parts : (struct smrf_issue_parts){0};
    s->sub = (uint8_t)cfg->sub;
    s->sub_shift = (uint8_t)__builtin_ctz(cfg->sm.subcores);
    s->sub_bit = UINT32_C(1) << cfg->sub;
    s->banks_shift = (uint8_t)__builtin_ctz(cfg->rf.banks);
    s->banks_reciprocal = smrf_reciprocal(cfg->rf.banks);
    s->made_for = smrf_reg_set_kind(cfg->rf.base_registers_only, cfg->rf.banks);
    if (!s->parts.scheduler_ops) {
        s->parts.scheduler_ops = smrf_scheduler_policy(&s->cfg.issue);
        s->parts.scheduler = &s->own_scheduler;
    }
    s->reads_window = cfg->rf.read == SMRF_READ_WINDOW;
    s->held_cycles = &s->none_held;
    const uint32_t warps = cfg->sm.warps / cfg->sm.subcores;
    if (!s->parts.dependence_ops) {
        own_dependence_(s, warps);
    }
    const int err = smrf_scheduler_init(&s->own_scheduler, &s->cfg.issue, warps);
    if (!err) {
        smrf_issue_reset(s);
    }
    return err;
}

static bool demote_(void *ctx, unsigned k)
{
    struct smrf_issue *s = ctx;
    const struct smrf_schedule_seam *seam = s->links.seams.schedule;
    return !seam->demote || seam->demote(s->links.seams.state, smrf_issue_warp_of(s, k), s->now);
}

static void promote_(void *ctx, unsigned k)
{
    struct smrf_issue *s = ctx;
    const struct smrf_schedule_seam *seam = s->links.seams.schedule;
    if (seam->promote) {
        seam->promote(s->links.seams.state, smrf_issue_warp_of(s, k), s->now);
        s->outdated = true; /* it may have changed what the warp waits for */
    }
}

/* With issue.barrier_slip a warp that waits may issue, if it is on the active list. */
static bool move_freely_(void *ctx, uint64_t warps)
{
    const struct smrf_issue *s = ctx;
    const struct smrf_schedule_seam *seam = s->links.seams.schedule;
    return seam->move_freely && !(s->slips & warps) &&
           seam->move_freely(s->links.seams.state, s->cfg.sub, warps);
}

static void clear_readers_(struct smrf_issue *s)
{
    if (s->readers.count) {
        memset(s->readers.count, 0,
               smrf_readers_size(&s->cfg.sm, &s->cfg.rf) * sizeof *s->readers.count);
    }
}

void smrf_issue_connect(struct smrf_issue *s, const struct smrf_issue_links *links)
{
    const struct smrf_rename_seam *rename = links->seams.rename;
    s->links = *links;
    s->awake = links->awake ? links->awake : &s->own_awake;
    s->held_cycles = links->held_cycles ? links->held_cycles : &s->none_held;
    if (s->parts.dependence == &s->store->control) {
        s->store->control.held = s->held_cycles;
    }
    s->readers =
        (struct smrf_readers){rename && rename->last_read ? links->readers : NULL, s->cfg.rf.banks};
    clear_readers_(s);
    if (links->seams.schedule && s->parts.scheduler_ops->listen) {
        const struct smrf_scheduler_events events = {s, demote_, promote_, move_freely_};
        s->parts.scheduler_ops->listen(s->parts.scheduler, &events);
    }
}

void smrf_issue_reset(struct smrf_issue *s)
{
    s->stats = (struct smrf_issue_stats){0};
    s->has_inst = s->has_hazard = s->stopped = s->latch_busy = 0;
    s->data = s->long_op = s->war = s->rename = s->membar = s->timed = 0;
    s->held = s->barrier = s->own = s->leaving = s->slips = 0;
    s->count = s->counter = s->refill = s->constant = s->came = 0;
    s->last = 0;
    s->resident = s->ended = 0;
    s->residents = 0;
    memset(s->head_unit, 0, sizeof s->head_unit);
    s->latch_full = s->reserved = 0;
    s->stall = SMRF_STALL_idle;
    s->issued = s->outdated = false;
    smrf_issue_wake_stage(s);
    memset(s->warp, 0, sizeof s->warp);
    clear_readers_(s);
    s->parts.scheduler_ops->reset(s->parts.scheduler);
    s->parts.dependence_ops->reset(s->parts.dependence);
}

/* --- issue ------------------------------------------------------------------------------------ */

/* An instruction that begins asynchronous copies, closes a group of them, or waits for some. */
static void copies_(struct smrf_issue *s, unsigned k, uint32_t flight, const struct smrf_inst *inst)
{
    struct smrf_copies *c = &s->store->copies[k];
    s->copied |= smrf_issue_bit(k);
    if (inst->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        s->links.flights->copy_group[flight] = smrf_copies_begin(c);
    } else if (inst->op->flags & SMRF_INST_COPIES_CLOSE) {
        smrf_copies_close(c);
    } else {
        smrf_copies_wait(c, inst->imm, (enum smrf_copy_rule)s->cfg.scoreboard.copies);
    }
    s->warp[k].copies = c->awaited != 0;
}

/* An instruction of warp k issues for which later ones of its warp may wait. */
static SMRF_APART void fence_(struct smrf_issue *s, unsigned k, uint32_t flight,
                              const struct smrf_inst *inst)
{
    s->warp[k].membar |= inst->op->op_class == SMRF_CLASS_MEMBAR;
    if (inst->op->flags & SMRF_INST_COPIES) {
        copies_(s, k, flight, inst);
    }
}

/* The dependence check learns of an instruction that issues. */
static inline void reserve_(struct smrf_issue *s, unsigned k, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    if (smrf_issue_own_scoreboard(s)) {
        smrf_scoreboard_issued(&s->own_scoreboard, k, f, s->warp[k].set);
    } else {
        s->parts.dependence_ops->issued(s->parts.dependence, k, f, cycle);
    }
}

static inline void control_(struct smrf_issue *s, unsigned k, const struct smrf_inst *inst,
                            uint64_t cycle)
{
    const uint32_t penalty = s->links.control(s->links.ctx, smrf_issue_warp_of(s, k), inst);
    if (penalty) {
        smrf_issue_hold(s, k, cycle + 1 + penalty);
    }
}

void smrf_issue_control(struct smrf_issue *s, unsigned k, const struct smrf_inst *inst,
                        uint64_t cycle)
{
    control_(s, k, inst, cycle);
}

/* A barrier has issued. */
static SMRF_APART void reach_barrier_(struct smrf_issue *s, unsigned k)
{
    const struct smrf_inst *next = s->warp[k].head;
    if (s->cfg.issue.barrier_slip && next && next->op->flow == SMRF_FLOW_NONE &&
        smrf_issue_removable(next->op) && !smrf_unit_queues(s->warp[k].head_unit)) {
        s->slips |= smrf_issue_bit(k);
    }
    s->links.reach_barrier(s->links.ctx, smrf_issue_warp_of(s, k));
}

/* The next instruction of the trace of warp k issues. Returns its flight. */
static inline uint32_t issue_traced_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_links *l = &s->links;
    const struct smrf_inst *inst = s->warp[k].head;
    const bool fence = s->warp[k].set->needs & SMRF_NEED_FENCE;
    control_(s, k, inst, cycle);
    const uint32_t flight = smrf_issue_record(s, k);
    reserve_(s, k, flight, cycle);
    if (fence) {
        fence_(s, k, flight, inst);
    }
    smrf_issue_head(s, k, l->issued(l->ctx, flight, inst), cycle);
    if (fence && inst->op->op_class == SMRF_CLASS_BARRIER && inst->mask) {
        reach_barrier_(s, k);
    }
    return flight;
}

/* An operation of the mechanism's own issues. Returns its flight. */
static SMRF_APART uint32_t issue_own_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const uint32_t flight = smrf_issue_record_own(s, k);
    s->warp[k].own++;
    reserve_(s, k, flight, cycle);
    s->links.injected(s->links.ctx, flight);
    smrf_issue_choose_head(s, k, cycle);
    return flight;
}

/* An instruction enters the issue latch of its unit. */
static inline void latch_(struct smrf_issue *s, uint32_t flight)
{
    const unsigned unit = s->links.flights->record[flight].unit;
    s->latch[unit] = flight;
    s->latch_full |= UINT32_C(1) << unit;
    s->latch_busy |= s->head_unit[unit];
}

/* The next instruction of warp k issues: to a collector, or, collector < 0, to its latch. */
static inline void issue_one_(struct smrf_issue *s, unsigned k, int collector, uint64_t cycle)
{
    const uint32_t flight =
        smrf_issue_micro(s, k) ? issue_own_(s, k, cycle) : issue_traced_(s, k, cycle);
    s->last = (uint8_t)k;
    s->came &= ~smrf_issue_bit(k);
    if (s->parts.scheduler == &s->own_scheduler) {
        smrf_scheduler_issued(&s->own_scheduler, k);
    } else {
        s->parts.scheduler_ops->issued(s->parts.scheduler, k);
    }
    if (collector >= 0) {
        if (s->reads_window) {
            smrf_issue_reserve_unit(s, flight, cycle);
        }
        s->links.to_collector(s->links.ctx, s->cfg.sub, (unsigned)collector, flight);
    } else {
        latch_(s, flight);
    }
}

/* --- selection -------------------------------------------------------------------------------- */

/* A register, the stall count before, or a counter: the first of any warp of those that wait. */
static inline enum smrf_stall data_cause_(const struct smrf_issue *s, uint64_t waiting)
{
    return waiting & s->data & ~(s->count | s->counter) ? SMRF_STALL_data
           : waiting & s->count                         ? SMRF_STALL_count
                                                        : SMRF_STALL_counter;
}

/* Why nothing issued: the most immediate reason of any warp. ready: warps whose instructions have
 * no hazard, allowed: by the scheduler, too. */
static enum smrf_stall stall_cause_(const struct smrf_issue *s, uint64_t ready, uint64_t allowed)
{
    if (allowed) {
        const bool unit = s->cfg.issue.latches || (s->reads_window && !(allowed & ~s->latch_busy));
        return unit                        ? SMRF_STALL_unit
               : *s->links.free_collectors ? SMRF_STALL_withheld
               : !s->reads_window          ? SMRF_STALL_collector
               : *s->links.queued & 1      ? SMRF_STALL_queue
                                           : SMRF_STALL_port;
    }
    const uint64_t waiting = s->has_inst & ~(s->stopped | s->membar);
    const uint64_t at_barrier = s->barrier | s->leaving;
    const uint64_t blocked = s->held & ~(s->leaving | s->refill | s->constant);
    return ready                             ? SMRF_STALL_inactive
           : waiting & s->data               ? data_cause_(s, waiting)
           : waiting & s->war                ? SMRF_STALL_war
           : waiting & s->rename             ? SMRF_STALL_rename
           : s->has_inst & blocked           ? SMRF_STALL_blocked
           : s->has_inst & s->membar         ? SMRF_STALL_membar
           : s->has_inst & at_barrier        ? SMRF_STALL_barrier
           : !s->resident                    ? SMRF_STALL_idle
           : s->has_inst & s->constant       ? SMRF_STALL_constant
           : s->has_inst & s->refill         ? SMRF_STALL_fetch
           : s->links.fetching(s->links.ctx) ? SMRF_STALL_fetch
                                             : SMRF_STALL_drain;
}

/* Warps of `allowed` for whose instruction there is a free latch, or may be a free collector. */
static inline uint64_t unobstructed_(const struct smrf_issue *s, uint64_t allowed)
{
    if (s->cfg.issue.latches) {
        return allowed & ~s->latch_busy;
    }
    const struct smrf_allocation_seam *seam = s->links.seams.allocation;
    const uint32_t free_units = *s->links.free_collectors;
    if (s->reads_window) {
        allowed &= ~s->latch_busy;
    }
    if (!free_units || !allowed) {
        return 0;
    }
    return seam && seam->eligible
               ? allowed & seam->eligible(s->links.seams.state, s->cfg.sub, free_units, allowed)
               : allowed;
}

/* Others may have taken the registers since warp k was found to have no hazard. */
static SMRF_APART bool loses_registers_(struct smrf_issue *s, unsigned k)
{
    if (smrf_issue_can_rename(s, k)) {
        return false;
    }
    smrf_issue_set_hazards(s, k, s->warp[k].hazards | SMRF_HAZARD_RENAME);
    return true;
}

/* Selects a warp of `open`. Returns k, with the collector that takes its instruction (-1: the latch
 * of its unit), or -1: none can issue. *moved: a mechanism counts the cycle. */
static inline int select_(struct smrf_issue *s, uint64_t open, uint64_t preferred, int *collector,
                          bool *moved, uint64_t cycle)
{
    const struct smrf_issue_links *l = &s->links;
    const bool names = l->seams.rename && l->seams.rename->source;
    *collector = -1;
    while (open && l->flights->free_count) {
        const unsigned k =
            s->parts.scheduler == &s->own_scheduler
                ? smrf_scheduler_select(&s->own_scheduler, open, preferred)
                : s->parts.scheduler_ops->select(s->parts.scheduler, open, preferred);
        if (names && loses_registers_(s, k)) {
            open &= ~smrf_issue_bit(k);
            continue;
        }
        if (l->constant && smrf_issue_waits_for_constant(s, k, cycle)) {
            open &= smrf_issue_ready(s);
            continue;
        }
        if (s->cfg.issue.latches) {
            return (int)k;
        }
        *collector = l->pick(l->ctx, s->cfg.sub, smrf_issue_warp_of(s, k));
        if (*collector >= 0) {
            return (int)k;
        }
        const bool none = *collector == SMRF_PICK_NONE || *collector == SMRF_PICK_NONE_WAIT;
        *moved |= *collector <= SMRF_PICK_NEXT_WAIT;
        open &= none ? 0 : ~smrf_issue_bit(k);
    }
    return -1;
}

/* --- sleep ------------------------------------------------------------------------------------ */

/* First cycle in which time alone lets a warp issue. */
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
    for (uint32_t m = s->reserved; m; m &= m - 1) {
        uint64_t at = s->unit_free[__builtin_ctz(m)] + *s->held_cycles;
        next = at < next ? at : next;
    }
    return next;
}

/* Nothing can issue: until another block reports something, or the time of a warp comes, a step
 * would find the same. Not so where the front end is the cause. */
static inline void sleep_(struct smrf_issue *s)
{
    if (s->stall != SMRF_STALL_fetch && s->stall != SMRF_STALL_drain) {
        s->asleep_until = smrf_issue_probe_timed(s) ? smrf_issue_next(s) : SMRF_NEVER;
        *s->awake &= ~s->sub_bit;
    }
}

/* An instruction has issued. If the next step cannot issue another one, the stage sleeps now, with
 * the cause that this step would find. reorders: the scheduler may order its lists before it. */
static inline void sleep_after_issue_(struct smrf_issue *s, bool reorders)
{
    if (reorders || !smrf_issue_in_order(s)) {
        return;
    }
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    const uint64_t ready = smrf_issue_ready(s);
    const uint64_t allowed = ops->allowed ? ready & ops->allowed(s->parts.scheduler) : ready;
    if (!unobstructed_(s, allowed)) {
        s->stall = (uint8_t)stall_cause_(s, ready, allowed);
        sleep_(s);
    }
}

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Issues from as many warps as the width allows. reorders: the scheduler may order its lists
 * otherwise in the next cycle. Returns whether anything moved. */
static inline bool issue_width_(struct smrf_issue *s, uint64_t cycle, bool reorders)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    /* Asked for when there is a choice to make, at most once a cycle. */
    bool ask = s->links.preferred != NULL, moved = false;
    uint64_t done = 0, preferred = 0;

    for (unsigned n = 0; n < s->cfg.issue.width; n++) {
        uint64_t ready = smrf_issue_ready(s) & ~done;
        uint64_t allowed = ops->allowed ? ready & ops->allowed(s->parts.scheduler) : ready;
        uint64_t open = unobstructed_(s, allowed);
        int collector;
        if (ask && (open & (open - 1))) {
            preferred = s->links.preferred(s->links.ctx, s->cfg.sub);
            ask = false;
        }
        const int k = select_(s, open, preferred, &collector, &moved, cycle);
        if (k < 0) {
            ready &= smrf_issue_ready(s); /* some may wait for constants now */
            allowed &= ready;
            open &= ready;
            if (!done) {
                s->stall = (uint8_t)stall_cause_(s, ready, allowed);
            }
            if (!done && !open && !reorders) {
                sleep_(s);
            }
            break;
        }
        issue_one_(s, (unsigned)k, collector, cycle);
        done |= smrf_issue_bit((unsigned)k);
    }
    s->issued = done != 0;
    return moved | s->issued;
}

/* Holds and hazards that end by time. */
static SMRF_APART void check_timed_(struct smrf_issue *s, uint64_t cycle)
{
    for (uint64_t m = s->held; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].held_until <= cycle) {
            s->held &= ~smrf_issue_bit(k);
        }
    }
    s->leaving &= s->held;
    s->refill &= s->held;
    s->constant &= s->held;
    smrf_issue_update_stopped(s);
    if (s->reserved) {
        smrf_issue_free_units(s, cycle);
    }
    for (uint64_t m = s->timed; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->warp[k].check_again <= cycle) {
            smrf_issue_check(s, k, cycle);
        }
    }
}

/* The scheduler moves warps between its lists. Returns whether it may move others in the next
 * cycle, though nothing else happens but what the moves have brought about. */
static SMRF_APART bool order_(struct smrf_issue *s, uint64_t cycle)
{
    s->ordered = smrf_issue_view(s);
    s->outdated = false;
    s->now = cycle;
    const bool reorders = s->parts.scheduler_ops->order(s->parts.scheduler, &s->ordered);
    const bool promoted = s->outdated;
    s->outdated = false;
    return reorders || (promoted && !smrf_issue_in_order(s));
}

bool smrf_issue_step(struct smrf_issue *s, uint64_t cycle)
{
    if (smrf_issue_probe_timed(s)) {
        check_timed_(s, cycle);
    }
    const bool reorders = s->parts.scheduler_ops->order && order_(s, cycle);
    const bool moved = issue_width_(s, cycle, reorders) | reorders;
    s->stats.scheduler_cycles++;
    s->stats.warp_cycles += s->residents;
    if (s->issued) {
        s->stats.cycles_issued++;
        sleep_after_issue_(s, reorders);
    } else {
        s->stats.stall[s->stall]++;
    }
    return moved;
}

void smrf_issue_skip(struct smrf_issue *s, uint64_t n)
{
    s->issued = false;
    s->stats.stall[s->stall] += n;
    s->stats.scheduler_cycles += n;
    s->stats.warp_cycles += n * s->residents;
    if (s->parts.scheduler_ops->skip) { /* a warp that changes its lists wakes the stage */
        s->parts.scheduler_ops->skip(s->parts.scheduler, &s->ordered, n);
    }
}

void smrf_issue_settle_lists(struct smrf_issue *s)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    if (ops->settle && ops->settle(s->parts.scheduler)) {
        s->outdated = true;
        smrf_issue_wake_stage(s);
    }
}

/* --- questions -------------------------------------------------------------------------------- */

uint64_t smrf_issue_probe_allowed(const struct smrf_issue *s)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    return ops->allowed ? ops->allowed(s->parts.scheduler) : UINT64_MAX;
}

uint64_t smrf_issue_probe_long(const struct smrf_issue *s)
{
    return s->data & s->long_op;
}
