/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <inttypes.h>

#define STEP 64 /* cycles, while no SM has a warp */

static int run_(struct smrf_platform *p, uint64_t cycles, uint64_t *left)
{
    const uint64_t now = cycles < *left ? cycles : *left;
    *left -= now;
    return smrf_platform_run(p, now);
}

/* Runs up to the window and chooses the SM there. */
static int choose_(struct smrf_platform *p, struct smrf_timeline *t, uint64_t *left)
{
    uint64_t at = t->window.from ? t->window.from : 1;
    int end = run_(p, at, left);
    while (end == SMRF_RUN_MORE && *left && at < t->window.to && !smrf_timeline_choose(t, false)) {
        end = run_(p, STEP, left);
        at += STEP;
    }
    if (end >= 0) {
        (void)smrf_timeline_choose(t, true);
    }
    return end;
}

int smrf_cli_run_window(struct smrf_platform *p, struct smrf_timeline *t, uint64_t cycles)
{
    uint64_t left = cycles;
    const int end = t->window.sm == SMRF_TIMELINE_BUSIEST ? choose_(p, t, &left) : SMRF_RUN_MORE;
    return end == SMRF_RUN_MORE && left ? smrf_platform_run(p, left) : end;
}

int smrf_cli_window_reached(struct smrf_platform *p, const struct smrf_timeline *t,
                            const char *option)
{
    uint64_t cycles = 0;
    smrf_platform_count(p, "cycles", &cycles);
    if (t->window.from >= cycles) {
        smrf_cli_error("smrf: %s %" PRIu64 ": the run ends after %" PRIu64 " cycles", option,
                       t->window.from, cycles);
        return SMRF_EXIT_USAGE;
    }
    return SMRF_EXIT_OK;
}
