/* SPDX-License-Identifier: Apache-2.0 */
#include "issue.h"

#include "models/common/smrf_assert.h"

#include <string.h>

int smrf_issue_init(struct smrf_issue *s, const struct smrf_issue_params *params, unsigned warps)
{
    if (warps == 0 || warps > SMRF_MAX_SUB_WARPS) {
        return SMRF_ERR_INVAL;
    }
    *s = (struct smrf_issue){
        .policy = (uint8_t)params->scheduler,
        .inner = (uint8_t)params->inner,
        .warps = (uint8_t)warps,
        .active_limit = (uint8_t)params->active_warps,
        .last = (uint8_t)(warps - 1), /* round robin starts at warp 0 */
        .allowed = UINT64_MAX,
    };
    s->limit = (uint8_t)params->limit_warps;
    s->restart = true;
    for (unsigned k = 0; k < warps; k++) {
        s->pending[k] = (uint8_t)k;
    }
    s->pending_count = (uint8_t)warps;
    return SMRF_OK;
}

void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age)
{
    SMRF_ASSERT(k < s->warps);
    s->age[k] = age;
    s->restart = true;
}

/* Remove position i of the active list. */
static void active_remove_(struct smrf_issue *s, unsigned i)
{
    s->active_mask &= ~(UINT64_C(1) << s->active[i]);
    s->active_count--;
    for (; i < s->active_count; i++) {
        s->active[i] = s->active[i + 1];
    }
}

static void pending_push_(struct smrf_issue *s, uint8_t k)
{
    s->pending[(s->pending_head + s->pending_count) % s->warps] = k;
    s->pending_count++;
}

/* Waiting warps go round in a ring: the active ones that wait, then the pending ones. As many
 * rotations as it has members leave it as it was. */
void smrf_issue_rotate_many(struct smrf_issue *s, uint64_t waiting, uint64_t n)
{
    if (s->policy != SMRF_SCHED_TWO_LEVEL || !(s->active_mask & waiting)) {
        return;
    }
    uint64_t ring = (uint64_t)__builtin_popcountll(s->active_mask & waiting) + s->pending_count;
    for (uint64_t i = 1 + (n - 1) % ring; i > 0; i--) {
        smrf_issue_rotate(s, waiting);
    }
}

/* Oldest warp of a mask that is not empty. */
static unsigned oldest_(const struct smrf_issue *s, uint64_t mask)
{
    unsigned best = (unsigned)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (s->age[k] < s->age[best]) {
            best = k;
        }
    }
    return best;
}

static bool rotate_swl_(struct smrf_issue *s, uint64_t waiting)
{
    if (waiting == s->waiting && !s->restart) {
        return false;
    }
    uint64_t all = s->warps == 64 ? UINT64_MAX : (UINT64_C(1) << s->warps) - 1;
    uint64_t rest = all & ~waiting, allowed = 0;
    for (unsigned n = 0; n < s->limit && rest; n++) {
        uint64_t bit = UINT64_C(1) << oldest_(s, rest);
        allowed |= bit;
        rest &= ~bit;
    }
    bool changed = allowed != s->allowed;
    s->allowed = allowed;
    s->waiting = waiting;
    s->restart = false;
    return changed;
}

static bool rotate_two_level_(struct smrf_issue *s, uint64_t waiting)
{
    bool changed = false;
    for (unsigned i = 0; i < s->active_count;) {
        uint8_t k = s->active[i];
        if (waiting >> k & 1) {
            active_remove_(s, i);
            pending_push_(s, k);
            changed = true;
        } else {
            i++;
        }
    }
    while (s->active_count < s->active_limit && s->pending_count > 0) {
        uint8_t k = s->pending[s->pending_head];
        s->pending_head = (uint8_t)((s->pending_head + 1) % s->warps);
        s->pending_count--;
        s->active[s->active_count++] = k;
        s->active_mask |= UINT64_C(1) << k;
        changed = true;
    }
    return changed;
}

bool smrf_issue_rotate(struct smrf_issue *s, uint64_t waiting)
{
    switch (s->policy) {
    case SMRF_SCHED_TWO_LEVEL:
        return rotate_two_level_(s, waiting);
    case SMRF_SCHED_SWL:
        return rotate_swl_(s, waiting);
    default:
        return false;
    }
}

static unsigned select_oldest_(const struct smrf_issue *s, uint64_t ready, uint64_t preferred)
{
    return oldest_(s, ready & preferred ? ready & preferred : ready);
}

static unsigned select_gto_(const struct smrf_issue *s, uint64_t ready, uint64_t preferred)
{
    if (s->any_issued && ready >> s->last & 1) {
        return s->last;
    }
    return select_oldest_(s, ready, preferred);
}

static unsigned select_lrr_(const struct smrf_issue *s, uint64_t ready, uint64_t preferred)
{
    uint64_t pool = ready & preferred ? ready & preferred : ready;
    uint64_t after = s->last < 63 ? pool & (UINT64_MAX << (s->last + 1)) : 0;
    return (unsigned)__builtin_ctzll(after ? after : pool);
}

static unsigned select_two_level_(const struct smrf_issue *s, uint64_t ready, uint64_t preferred)
{
    if (s->inner == SMRF_INNER_GTO) {
        return select_gto_(s, ready, preferred);
    }
    /* The list itself is the round-robin order: it begins after who issued last. */
    for (unsigned i = 0; i < s->active_count; i++) {
        if (ready >> s->active[i] & 1) {
            return s->active[i];
        }
    }
    SMRF_ASSERT(!"a ready warp is on the active list");
    return 0;
}

unsigned smrf_issue_select(const struct smrf_issue *s, uint64_t ready, uint64_t preferred)
{
    static unsigned (*const select[])(const struct smrf_issue *, uint64_t, uint64_t) = {
        [SMRF_SCHED_GTO] = select_gto_,       [SMRF_SCHED_LRR] = select_lrr_,
        [SMRF_SCHED_OLDEST] = select_oldest_, [SMRF_SCHED_TWO_LEVEL] = select_two_level_,
        [SMRF_SCHED_SWL] = select_gto_,
    };
    SMRF_ASSERT(ready != 0);
    return select[s->policy](s, ready, preferred);
}

/* Loose round robin: the list begins after warp k. */
static void active_rotate_(struct smrf_issue *s, unsigned k)
{
    uint8_t order[SMRF_MAX_SUB_WARPS];
    unsigned n = s->active_count, first = 0;
    while (s->active[first] != k) {
        first++;
    }
    for (unsigned i = 0; i < n; i++) {
        order[i] = s->active[(first + 1 + i) % n];
    }
    memcpy(s->active, order, n);
}

void smrf_issue_issued(struct smrf_issue *s, unsigned k)
{
    s->last = (uint8_t)k;
    s->any_issued = true;
    if (s->policy == SMRF_SCHED_TWO_LEVEL && s->inner == SMRF_INNER_LRR) {
        active_rotate_(s, k);
    }
}
