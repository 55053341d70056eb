/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

#include <string.h>

int smrf_scheduler_init(struct smrf_scheduler *s, const struct smrf_issue_params *params,
                        unsigned warps)
{
    if (warps == 0 || warps > SMRF_MAX_SUB_WARPS) {
        return SMRF_ERR_INVAL;
    }
    s->params = params;
    s->events = (struct smrf_scheduler_events){0};
    s->warps = (uint8_t)warps;
    smrf_scheduler_reset(s);
    return SMRF_OK;
}

/* Does the warp that issued last go first? */
static bool greedy_(const struct smrf_issue_params *params)
{
    return params->scheduler == SMRF_SCHED_GTO || params->scheduler == SMRF_SCHED_SWL ||
           params->scheduler == SMRF_SCHED_CGGTY ||
           (params->scheduler == SMRF_SCHED_TWO_LEVEL && params->inner == SMRF_INNER_GTO);
}

void smrf_scheduler_reset(struct smrf_scheduler *s)
{
    const struct smrf_issue_params *params = s->params;
    *s = (struct smrf_scheduler){
        .params = params,
        .events = s->events,
        .warps = s->warps,
        .active_limit = (uint8_t)params->active_warps,
        .limit = (uint8_t)params->limit_warps,
        .last = (uint8_t)(s->warps - 1), /* round robin starts at warp 0 */
        .greedy = greedy_(params),
        .by_age = params->scheduler != SMRF_SCHED_LRR,
        .in_list_order =
            params->scheduler == SMRF_SCHED_TWO_LEVEL && params->inner == SMRF_INNER_LRR,
        .restart = true,
        .allowed = UINT64_MAX,
        .pending_count = s->warps,
    };
    for (unsigned k = 0; k < s->warps; k++) {
        s->pending[k] = (uint8_t)k;
    }
}

static void reset_(void *state)
{
    smrf_scheduler_reset(state);
}

static void start_(void *state, unsigned k, uint64_t age)
{
    struct smrf_scheduler *s = state;
    SMRF_ASSERT(k < s->warps);
    s->age[k] = s->params->scheduler == SMRF_SCHED_CGGTY ? UINT64_MAX - age : age;
    s->restart = true;
}

static void issued_(void *state, unsigned k)
{
    smrf_scheduler_issued(state, k);
}

static unsigned select_(const void *state, uint64_t ready, uint64_t preferred)
{
    return smrf_scheduler_select(state, ready, preferred);
}

/* --- swl: the oldest warps that do not wait, as many as the limit says ------------------------ */

/* Source: Accel-Sim swl_scheduler::order_warps. What it allows depends on the view and on who is
 * there, so another cycle brings nothing. */
static bool order_swl_(void *state, const struct smrf_scheduler_view *view)
{
    struct smrf_scheduler *s = state;
    if (view->waiting == s->waiting && !s->restart) {
        return false;
    }
    uint64_t all = s->warps == 64 ? UINT64_MAX : (UINT64_C(1) << s->warps) - 1;
    uint64_t rest = all & ~view->waiting, allowed = 0;
    for (unsigned n = 0; n < s->limit && rest; n++) {
        uint64_t bit = UINT64_C(1) << smrf_scheduler_oldest(s, rest);
        allowed |= bit;
        rest &= ~bit;
    }
    s->allowed = allowed;
    s->waiting = view->waiting;
    s->restart = false;
    return false;
}

static uint64_t allowed_swl_(const void *state)
{
    const struct smrf_scheduler *s = state;
    return s->any_issued ? s->allowed | UINT64_C(1) << s->last : s->allowed;
}

/* --- two_level: a short list of active warps, the rest pending -------------------------------- */

/* A position of a ring of n, of which i counts to less than 2 n. */
static inline unsigned around_(unsigned i, unsigned n)
{
    return i < n ? i : i - n;
}

/* Before warps come and go, the list lies from its beginning on in the array. */
static void begin_at_first_(struct smrf_scheduler *s)
{
    uint8_t list[SMRF_MAX_SUB_WARPS];
    if (s->first == 0) {
        return;
    }
    memcpy(list, s->active, sizeof list);
    for (unsigned i = 0; i < s->active_count; i++) {
        s->active[i] = list[around_(s->first + i, s->active_count)];
    }
    s->first = 0;
}

static void pending_push_(struct smrf_scheduler *s, uint8_t k)
{
    s->pending[around_(s->pending_head + s->pending_count, s->warps)] = k;
    s->pending_count++;
}

/* Warps of the active list that wait go to the pending list, unless a listener objects. Returns
 * whether any has. */
static bool demote_(struct smrf_scheduler *s, uint64_t waiting)
{
    uint8_t kept[SMRF_MAX_SUB_WARPS];
    const unsigned before = s->active_count;
    unsigned count = 0;
    for (unsigned i = 0; i < before; i++) {
        const uint8_t k = s->active[around_(s->first + i, before)];
        if (waiting >> k & 1 && (!s->events.demote || s->events.demote(s->events.ctx, k))) {
            s->active_mask &= ~(UINT64_C(1) << k);
            pending_push_(s, k);
        } else {
            kept[count++] = k;
        }
    }
    if (count == before) {
        return false;
    }
    s->active_count = (uint8_t)count;
    s->first = 0;
    for (unsigned i = 0; i < count; i++) {
        s->active[i] = kept[i];
    }
    return true;
}

static inline bool has_room_(const struct smrf_scheduler *s)
{
    return s->active_count < s->active_limit && s->pending_count > 0;
}

/* Demote waiting warps, then promote from the head of the pending list while the active list has
 * room. Returns whether a warp has moved.
 * Source: Accel-Sim two_level_active_scheduler::order_warps. */
static bool rotate_(struct smrf_scheduler *s, uint64_t waiting)
{
    bool changed = demote_(s, waiting);
    while (has_room_(s)) {
        uint8_t k = s->pending[s->pending_head];
        s->pending_head = (uint8_t)around_(s->pending_head + 1u, s->warps);
        s->pending_count--;
        s->active[s->active_count++] = k;
        s->active_mask |= UINT64_C(1) << k;
        if (s->events.promote) {
            s->events.promote(s->events.ctx, k);
        }
        changed = true;
    }
    return changed;
}

/* Does n >= 1 rotations at once, while all pending warps wait. The waiting warps form a ring: first
 * the active ones, then the pending ones. One rotation moves the ring by the number of waiting
 * warps in the active list. */
static SMRF_APART void rotate_ring_(struct smrf_scheduler *s, uint64_t waiting, uint64_t n)
{
    uint8_t ring[SMRF_MAX_SUB_WARPS];
    unsigned kept = 0, members = 0;
    begin_at_first_(s);
    for (unsigned i = 0; i < s->active_count; i++) {
        const uint8_t k = s->active[i];
        const bool waits = waiting >> k & 1;
        ring[members] = k;
        s->active[kept] = k;
        members += waits;
        kept += !waits;
    }
    const unsigned step = members;
    for (unsigned i = 0; i < s->pending_count; i++) {
        ring[members++] = s->pending[around_(s->pending_head + i, s->warps)];
    }
    unsigned at = (unsigned)(n % members * step % members);
    for (unsigned i = 0; i < members; i++, at = around_(at + 1, members)) {
        uint8_t *to = i < step ? &s->active[kept + i] : &s->pending[i - step];
        *to = ring[at];
    }
    s->pending_head = 0;
    s->active_mask = 0;
    for (unsigned i = 0; i < s->active_count; i++) {
        s->active_mask |= UINT64_C(1) << s->active[i];
    }
}

/* The rotations of skipped cycles are made, and the listener learns where the warps are now. */
static SMRF_APART void make_up_(struct smrf_scheduler *s)
{
    const uint64_t before = s->active_mask;
    rotate_ring_(s, s->waiting, s->owed);
    s->owed = 0;
    for (uint64_t m = s->events.demote ? before & ~s->active_mask : 0; m; m &= m - 1) {
        const bool gone = s->events.demote(s->events.ctx, (unsigned)__builtin_ctzll(m));
        SMRF_ASSERT(gone);
    }
    for (uint64_t m = s->events.promote ? s->active_mask & ~before : 0; m; m &= m - 1) {
        s->events.promote(s->events.ctx, (unsigned)__builtin_ctzll(m));
    }
}

/* Called before the lists are used. */
static inline void settle_(struct smrf_scheduler *s)
{
    if (s->owed) {
        make_up_(s);
    }
}

static bool settle_two_level_(void *state)
{
    struct smrf_scheduler *s = state;
    const bool turning = s->turning;
    settle_(s);
    s->turning = false;
    return turning;
}

static void listen_(void *state, const struct smrf_scheduler_events *events)
{
    ((struct smrf_scheduler *)state)->events = *events;
}

/* Do the lists only turn while nothing else happens? No pending warp is there that does not wait,
 * and would stay on the active list; and the listener need not see the moves one by one. */
static bool only_turns_(const struct smrf_scheduler *s, uint64_t waiting)
{
    const uint64_t all = s->warps == 64 ? UINT64_MAX : (UINT64_C(1) << s->warps) - 1;
    const bool listened = s->events.demote || s->events.promote;
    if (all & ~s->active_mask & ~waiting) {
        return false;
    }
    return !listened ||
           (s->events.move_freely && s->events.move_freely(s->events.ctx, all & waiting));
}

static SMRF_APART bool move_(struct smrf_scheduler *s, uint64_t waiting)
{
    (void)rotate_(s, waiting);
    if (!(s->active_mask & waiting)) {
        return false;
    }
    s->turning = only_turns_(s, waiting);
    return !s->turning;
}

static bool order_two_level_(void *state, const struct smrf_scheduler_view *view)
{
    struct smrf_scheduler *s = state;
    const uint64_t waiting = view->waiting | view->long_op;
    settle_(s);
    s->turning = false;
    return (s->active_mask & waiting || has_room_(s)) && move_(s, waiting);
}

static void skip_two_level_(void *state, const struct smrf_scheduler_view *view, uint64_t n)
{
    struct smrf_scheduler *s = state;
    const uint64_t waiting = view->waiting | view->long_op;
    if (s->owed && waiting == s->waiting) {
        s->owed += n;
        return;
    }
    settle_(s);
    s->waiting = waiting;
    s->owed = s->turning ? n : 0;
}

/* The active list once the rotations of skipped cycles are made up for. */
static SMRF_APART uint64_t settled_mask_(const struct smrf_scheduler *s)
{
    struct smrf_scheduler now = *s;
    now.events = (struct smrf_scheduler_events){0};
    settle_(&now);
    return now.active_mask;
}

static uint64_t allowed_two_level_(const void *state)
{
    const struct smrf_scheduler *s = state;
    return s->owed ? settled_mask_(s) : s->active_mask;
}

unsigned smrf_scheduler_first_active(const struct smrf_scheduler *s, uint64_t ready)
{
    for (unsigned i = 0; i < s->active_count; i++) {
        const unsigned k = s->active[around_(s->first + i, s->active_count)];
        if (ready >> k & 1) {
            return k;
        }
    }
    smrf_assert_fail("a ready warp is on the active list", __FILE__, __LINE__);
}

void smrf_scheduler_begin_behind(struct smrf_scheduler *s, unsigned k)
{
    unsigned at = 0;
    while (s->active[at] != k) {
        at++;
    }
    s->first = (uint8_t)around_(at + 1, s->active_count);
}

const struct smrf_scheduler_ops *smrf_scheduler_policy(const struct smrf_issue_params *params)
{
    static const struct smrf_scheduler_ops ops[] = {
        [SMRF_SCHED_GTO] = {reset_, start_, NULL, NULL, NULL, select_, issued_, NULL, NULL},
        [SMRF_SCHED_LRR] = {reset_, start_, NULL, NULL, NULL, select_, issued_, NULL, NULL},
        [SMRF_SCHED_OLDEST] = {reset_, start_, NULL, NULL, NULL, select_, issued_, NULL, NULL},
        [SMRF_SCHED_TWO_LEVEL] = {reset_, start_, order_two_level_, skip_two_level_,
                                  allowed_two_level_, select_, issued_, listen_, settle_two_level_},
        [SMRF_SCHED_SWL] = {reset_, start_, order_swl_, NULL, allowed_swl_, select_, issued_, NULL,
                            NULL},
        [SMRF_SCHED_CGGTY] = {reset_, start_, NULL, NULL, NULL, select_, issued_, NULL, NULL},
    };
    return &ops[params->scheduler];
}
