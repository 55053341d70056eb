/* SPDX-License-Identifier: Apache-2.0 */
#include "head.h"

#include "models/common/smrf_apart.h"

#include <string.h>

int smrf_issue_init(struct smrf_issue *s, struct smrf_issue_store *store,
                    const struct smrf_issue_config *cfg, const struct smrf_issue_parts *parts)
{
    s->store = store;
    s->cfg = *cfg;
    s->readers.count = NULL;
    s->stirred = &s->own_stirred;
    s->parts = parts ? *parts : (struct smrf_issue_parts){0};
    s->sub = (uint8_t)cfg->sub;
    s->sub_shift = (uint8_t)__builtin_ctz(cfg->sm.subcores);
    s->sub_bit = UINT32_C(1) << cfg->sub;
    s->banks_reciprocal = smrf_reciprocal(cfg->rf.banks);
    s->banks_shift = (uint8_t)__builtin_ctz(cfg->rf.banks);
    s->made_for = smrf_reg_set_kind(cfg->rf.base_registers_only, cfg->rf.banks);
    if (!s->parts.scheduler_ops) {
        s->parts.scheduler_ops = smrf_scheduler_policy(&s->cfg.issue);
        s->parts.scheduler = &s->own_scheduler;
    }
    if (!s->parts.dependence_ops) {
        s->parts.dependence_ops = &smrf_scoreboard_ops;
        s->parts.dependence = &s->own_scoreboard;
    }
    s->rotates = s->parts.scheduler_ops->skip != NULL;
    const uint32_t warps = cfg->sm.warps / cfg->sm.subcores;
    const int err = smrf_scheduler_init(&s->own_scheduler, &s->cfg.issue, warps);
    if (!err) {
        smrf_scoreboard_init(&s->own_scoreboard, store->readers, &s->cfg.scoreboard, warps);
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
    }
}

static void clear_readers_(struct smrf_issue *s)
{
    if (s->readers.count) {
        memset(s->readers.count, 0,
               smrf_readers_size(&s->cfg.sm, &s->cfg.rf) * sizeof *s->readers.count);
    }
}

/* Is there an instruction a cycle, chosen in one order of all warps, that goes to a latch? */
static bool goes_straight_(const struct smrf_issue *s)
{
    const struct smrf_issue_links *l = &s->links;
    return s->bare && !s->own_scoreboard.war && l->passed && !l->preferred && !l->seams.micro &&
           s->cfg.issue.latches && s->cfg.issue.width == 1 &&
           s->parts.scheduler == &s->own_scheduler && smrf_scheduler_plain(&s->cfg.issue);
}

void smrf_issue_connect(struct smrf_issue *s, const struct smrf_issue_links *links)
{
    const struct smrf_rename_seam *rename = links->seams.rename;
    s->links = *links;
    s->stirred = links->stirred ? links->stirred : &s->own_stirred;
    s->bare = !rename && smrf_issue_own_scoreboard(s);
    s->straight = goes_straight_(s);
    s->readers =
        (struct smrf_readers){rename && rename->last_read ? links->readers : NULL, s->cfg.rf.banks};
    clear_readers_(s);
    s->hears_reads =
        s->readers.count || s->parts.dependence != &s->own_scoreboard || s->own_scoreboard.war;
    if (links->seams.schedule && s->parts.scheduler_ops->listen) {
        const struct smrf_scheduler_events events = {s, demote_, promote_};
        s->parts.scheduler_ops->listen(s->parts.scheduler, &events);
    }
}

void smrf_issue_reset(struct smrf_issue *s)
{
    s->stats = (struct smrf_issue_stats){0};
    s->resident = s->ended = s->barrier = 0;
    s->residents = 0;
    s->has_inst = s->own = s->membar = s->held = s->stands = 0;
    s->data = s->war = s->rename = s->long_op = s->timed = 0;
    s->hindered = s->obstructed = 0;
    s->unseen = false;
    memset(s->head_unit, 0, sizeof s->head_unit);
    s->latch_full = 0;
    s->stall = SMRF_STALL_idle;
    s->issued = false;
    smrf_issue_awaken(s);
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
    smrf_issue_note_lone(&s->warp[k]);
}

void smrf_issue_fence(struct smrf_issue *s, unsigned k, uint32_t flight,
                      const struct smrf_inst *inst)
{
    if (inst->op->op_class == SMRF_CLASS_MEMBAR) {
        s->warp[k].membar = true;
        smrf_issue_note_lone(&s->warp[k]);
    }
    if (inst->op->flags & SMRF_INST_COPIES) {
        copies_(s, k, flight, inst);
    }
}

/* The dependence check hears of an instruction that issues. */
static inline void note_(struct smrf_issue *s, unsigned k, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    if (smrf_issue_own_scoreboard(s)) {
        smrf_scoreboard_issued(&s->own_scoreboard, k, f, s->warp[k].set);
    } else {
        s->parts.dependence_ops->issued(s->parts.dependence, k, f, cycle);
    }
}

/* The next instruction of the trace of warp k issues. Returns its flight. */
static uint32_t issue_traced_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_links *l = &s->links;
    const struct smrf_inst *inst = s->warp[k].head;
    const bool barrier = smrf_issue_is_barrier(inst);
    l->control(l->ctx, smrf_issue_warp_of(s, k), inst);
    const uint32_t flight = smrf_issue_record(s, k);
    note_(s, k, flight, cycle);
    smrf_issue_fence(s, k, flight, inst);
    smrf_issue_head(s, k, l->issued(l->ctx, flight, inst), cycle);
    if (barrier) {
        l->reach_barrier(l->ctx, smrf_issue_warp_of(s, k));
    }
    return flight;
}

/* The same of an operation of the mechanism's own. */
static SMRF_APART uint32_t issue_own_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const uint32_t flight = smrf_issue_record_own(s, k);
    note_(s, k, flight, cycle);
    s->links.injected(s->links.ctx, flight);
    smrf_issue_choose_head(s, k, cycle);
    return flight;
}

static SMRF_APART void issue_one_(struct smrf_issue *s, unsigned k, int collector, uint64_t cycle)
{
    const uint32_t flight =
        smrf_issue_micro(s, k) ? issue_own_(s, k, cycle) : issue_traced_(s, k, cycle);
    s->parts.scheduler_ops->issued(s->parts.scheduler, k);
    if (collector >= 0) {
        s->links.to_collector(s->links.ctx, s->cfg.sub, (unsigned)collector, flight);
    } else {
        smrf_issue_latch(s, s->links.flights->record[flight].unit, flight);
    }
}

/* A stage that sleeps wakes if a warp waits for the latch alone. */
uint32_t smrf_issue_unlatch(struct smrf_issue *s, unsigned unit)
{
    const uint64_t wanting = s->head_unit[unit];
    SMRF_ASSERT(s->latch_full >> unit & 1);
    s->latch_full &= ~(UINT32_C(1) << unit);
    s->obstructed &= ~wanting;
    smrf_issue_awaken_if(s, (s->stall == SMRF_STALL_unit) & ((wanting & smrf_issue_ready(s)) != 0));
    return s->latch[unit];
}

enum smrf_stall smrf_issue_stall_cause(const struct smrf_issue *s, uint64_t ready, uint64_t allowed)
{
    if (allowed) {
        return s->cfg.issue.latches ? SMRF_STALL_unit : SMRF_STALL_collector;
    }
    uint64_t waiting = s->has_inst & ~((s->barrier & ~s->own) | s->membar | s->held);
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
    const struct smrf_allocation_seam *seam = s->links.seams.allocation;
    if (s->cfg.issue.latches) {
        return allowed & ~s->obstructed;
    }
    uint32_t free_units = *s->links.free_collectors;
    if (!free_units) {
        return 0;
    }
    if (seam && seam->eligible) {
        allowed &= seam->eligible(s->links.seams.state, s->cfg.sub, free_units, allowed);
    }
    return allowed;
}

static struct smrf_scheduler_view view_(const struct smrf_issue *s)
{
    const struct smrf_scheduler_view view = {
        (s->barrier & ~s->own) | s->membar | s->rename | s->ended | ~s->resident, s->long_op};
    return view;
}

/* Choose among the warps of `open`. Returns k with the collector that takes its instruction (-1:
 * the latch of its unit), or -1: none can. */
static int choose_(struct smrf_issue *s, uint64_t open, uint64_t preferred, int *collector,
                   bool *moved)
{
    const struct smrf_issue_links *l = &s->links;
    *collector = -1;
    while (open && l->flights->free_count) {
        unsigned k = s->parts.scheduler_ops->select(s->parts.scheduler, open, preferred);
        /* Others may have taken the registers since it was ready. */
        if (s->links.seams.rename && !smrf_issue_renames(s, k)) {
            smrf_issue_set_held(s, k, s->warp[k].held_by | SMRF_HELD_RENAME);
            smrf_issue_stir(s, k);
            open &= ~smrf_issue_bit(k);
            continue;
        }
        if (s->cfg.issue.latches ||
            (*collector = l->pick(l->ctx, s->cfg.sub, smrf_issue_warp_of(s, k))) >= 0) {
            return (int)k;
        }
        *moved |= *collector <= SMRF_PICK_NEXT_WAIT;
        bool none = *collector == SMRF_PICK_NONE || *collector == SMRF_PICK_NONE_WAIT;
        open &= none ? 0 : ~smrf_issue_bit(k);
    }
    return -1;
}

/* Nothing has issued, and no candidate was asked: it is so again. Not where the scheduler goes on
 * by itself. */
static inline void fall_asleep_(struct smrf_issue *s)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    if (!ops->order && !ops->allowed) {
        smrf_issue_sleep(s);
    }
}

/* An instruction has issued into a latch: will the next step find nothing, and why? */
static inline void look_ahead_(struct smrf_issue *s)
{
    const uint64_t ready = smrf_issue_ready(s);
    if (s->cfg.issue.latches && !unobstructed_(s, ready)) {
        s->stall = (uint8_t)smrf_issue_stall_cause(s, ready, ready);
        fall_asleep_(s);
    }
}

static bool issue_width_(struct smrf_issue *s, uint64_t cycle)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    /* Asked for when there is a choice to make, at most once a cycle. */
    bool ask = s->links.preferred != NULL, moved = false;
    uint64_t done = 0, preferred = 0;

    for (unsigned n = 0; n < s->cfg.issue.width; n++) {
        uint64_t ready = smrf_issue_ready(s) & ~done;
        uint64_t allowed = ops->allowed ? ready & ops->allowed(s->parts.scheduler) : ready;
        uint64_t open = allowed ? unobstructed_(s, allowed) : 0;
        int collector;
        if (ask && (open & (open - 1))) {
            preferred = s->links.preferred(s->links.ctx, s->cfg.sub);
            ask = false;
        }
        int k = choose_(s, open, preferred, &collector, &moved);
        if (k < 0) {
            if (!done) {
                s->stall = (uint8_t)smrf_issue_stall_cause(s, ready, allowed);
                if (!open) {
                    fall_asleep_(s);
                }
            }
            break;
        }
        issue_one_(s, (unsigned)k, collector, cycle);
        done |= smrf_issue_bit((unsigned)k);
    }
    s->issued = done != 0;
    return moved | s->issued;
}

/* The scheduler orders its warps, and they issue. Returns whether anything moved. */
static SMRF_APART bool issue_in_order_(struct smrf_issue *s, uint64_t cycle)
{
    bool moved = false;
    s->now = cycle;
    if (s->parts.scheduler_ops->order) {
        const struct smrf_scheduler_view view = view_(s);
        moved = s->parts.scheduler_ops->order(s->parts.scheduler, &view);
    }
    moved |= issue_width_(s, cycle);
    if (s->issued) {
        look_ahead_(s);
    }
    return moved;
}

/* Warps whose time has come. */
static SMRF_APART void look_at_clock_(struct smrf_issue *s, uint64_t cycle)
{
    smrf_issue_unhold(s, cycle);
    smrf_issue_check_again(s, cycle);
}

bool smrf_issue_step(struct smrf_issue *s, uint64_t cycle)
{
    if (s->held | s->timed) {
        look_at_clock_(s, cycle);
    }
    const bool moved = s->straight ? smrf_issue_straight(s, cycle) : issue_in_order_(s, cycle);
    s->stats.scheduler_cycles++;
    s->stats.warp_cycles += s->residents;
    if (s->issued) {
        s->stats.cycles_issued++;
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
    if (s->rotates) {
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

/* --- questions -------------------------------------------------------------------------------- */

uint64_t smrf_issue_probe_allowed(const struct smrf_issue *s)
{
    const struct smrf_scheduler_ops *ops = s->parts.scheduler_ops;
    return ops->allowed ? ops->allowed(s->parts.scheduler) : UINT64_MAX;
}

uint64_t smrf_issue_probe_long(const struct smrf_issue *s)
{
    uint64_t waits = s->data & s->long_op;
    for (uint64_t m = s->straight ? s->data & s->has_inst : 0; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        waits |= (uint64_t)smrf_scoreboard_any_long(&s->own_scoreboard, k, s->warp[k].set) << k;
    }
    return waits;
}

unsigned smrf_issue_probe_culprit(const struct smrf_issue *s, unsigned k, enum smrf_hazard hazard)
{
    const struct smrf_operands next = smrf_issue_next_operands(s, k);
    return s->parts.dependence_ops->culprit(s->parts.dependence, k, &next, hazard);
}
