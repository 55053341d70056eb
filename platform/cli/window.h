/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose window of cycles is looked at in one SM. */
#ifndef SMRF_CLI_WINDOW_H
#define SMRF_CLI_WINDOW_H

#include "cli.h"

#include "platform/observe/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Simulate at most `cycles`. Where the timeline names no SM, the one that is the busiest when its
 * window begins is looked at, or when the first SM has a warp. Returns what smrf_platform_run
 * returns. */
int smrf_cli_run_window(struct smrf_platform *p, struct smrf_timeline *t, uint64_t cycles);

/* Does the run, which has ended, reach the window? If not that is said, with the name of the option
 * that begins the window. Returns an enum smrf_exit. */
int smrf_cli_window_reached(struct smrf_platform *p, const struct smrf_timeline *t,
                            const char *option);

#ifdef __cplusplus
}
#endif

#endif
