/* SPDX-License-Identifier: Apache-2.0 */
/* Which SM a timeline looks at. */
#include "timeline_internal.h"

static uint32_t resident_(const struct smrf_timeline *t, uint32_t sm)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < t->warps; slot++) {
        count += smrf_sm_probe_warp(t->state->machine->sm[sm], slot).state != SMRF_WARP_STATE_COUNT;
    }
    return count;
}

bool smrf_timeline_choose(struct smrf_timeline *t, bool any)
{
    uint32_t most = 0, busiest = 0;
    if (t->window.sm != SMRF_TIMELINE_BUSIEST) {
        return true;
    }
    for (uint32_t sm = 0; sm < t->state->machine->cfg->gpu.sms; sm++) {
        const uint32_t warps = resident_(t, sm);
        busiest = warps > most ? sm : busiest;
        most = warps > most ? warps : most;
    }
    if (most == 0 && !any) {
        return false;
    }
    smrf_timeline_listen(t, busiest);
    return true;
}

bool smrf_timeline_has_warps(const struct smrf_timeline *t)
{
    for (size_t i = 0; i < t->num_events; i++) {
        if (t->event[i].kind == SMRF_TIMELINE_WARP) {
            return true;
        }
    }
    return false;
}
