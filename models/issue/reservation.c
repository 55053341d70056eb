/* SPDX-License-Identifier: Apache-2.0 */
/* Execution units that are taken ahead, where read stages stand in the collectors' place: what
 * issues now comes to its unit at a known time. */
#include "issue_internal.h"

void smrf_issue_reserve_unit(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    const uint32_t interval = smrf_unit_interval(&s->cfg.exec, f);
    if (interval > 1) {
        s->unit_free[f->unit] = cycle - *s->held_cycles + interval;
        s->reserved |= UINT32_C(1) << f->unit;
        s->latch_full |= UINT32_C(1) << f->unit;
        s->latch_busy |= s->head_unit[f->unit];
    }
    const uint64_t slipped = s->slips & smrf_issue_bit(f->warp >> s->sub_shift);
    if (slipped && f->op->op_class != SMRF_CLASS_BARRIER) {
        s->slips &= ~slipped;
        smrf_issue_update_stopped(s);
    }
}

void smrf_issue_free_units(struct smrf_issue *s, uint64_t cycle)
{
    const uint64_t now = cycle - *s->held_cycles;
    for (uint32_t m = s->reserved; m; m &= m - 1) {
        const unsigned unit = (unsigned)__builtin_ctz(m);
        if (s->unit_free[unit] <= now) {
            s->reserved &= ~(UINT32_C(1) << unit);
            s->latch_full &= ~(UINT32_C(1) << unit);
            s->latch_busy &= ~s->head_unit[unit];
        }
    }
}
