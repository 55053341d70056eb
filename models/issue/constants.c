/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of instructions of fixed latency, whose tags are looked up at issue. While that of the
 * warp that issued last is on its way, no warp issues for some cycles; then others may.
 * Source: Huerta MICRO 2025 5.1. */
#include "issue_internal.h"

#include "models/units/intervals.h"

static void wait_(struct smrf_issue *s, unsigned k, uint64_t until)
{
    s->constant |= smrf_issue_bit(k);
    smrf_issue_hold(s, k, until);
}

bool smrf_issue_waits_for_constant(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const uint32_t constant = s->warp[k].head->op->constant;
    if (!constant || smrf_unit_queues(s->warp[k].head_unit) || s->came >> k & 1) {
        return false;
    }
    const uint64_t there = s->links.constant(s->links.ctx, s->cfg.sub, constant - 1);
    if (there <= cycle) {
        return false;
    }
    /* The instruction takes it as it comes, whether or not its line is replaced before. */
    s->came |= smrf_issue_bit(k);
    wait_(s, k, there);
    const uint64_t others = cycle + s->links.constant_switch;
    for (uint64_t m = k == s->last ? s->resident & ~smrf_issue_bit(k) : 0; m; m &= m - 1) {
        wait_(s, (unsigned)__builtin_ctzll(m), there < others ? there : others);
    }
    return true;
}
