/* SPDX-License-Identifier: Apache-2.0 */
/* What results say about their launches. Launches that were compiled for another architecture than
 * the machine's replay with the machine's classes, latencies and units. Launches of several streams
 * run one after another. */
#ifndef SMRF_RESULTS_ARCHITECTURE_H
#define SMRF_RESULTS_ARCHITECTURE_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many streams the launches have. text: what that means for the results, "" with one stream. */
size_t smrf_streams_note(const struct smrf_launch *launches, size_t count, char *text, size_t room);
/* Does the launch say that it is of another one? machine: gpu.architecture, 0: not said. */
bool smrf_architecture_differs(uint32_t machine, const struct smrf_launch *launch);
/* How many of the launches do. text: a sentence about them, "" if there are none. */
size_t smrf_architecture_note(uint32_t machine, const struct smrf_launch *launches, size_t count,
                              char *text, size_t room);
/* The same for a run that read registers early: why it did, and what to set. */
size_t smrf_architecture_refusal(uint32_t machine, const struct smrf_launch *launches, size_t count,
                                 char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
