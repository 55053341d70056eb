/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that were compiled for another architecture than the machine's: they replay, with the
 * machine's classes, latencies and units. */
#ifndef SMRF_RESULTS_ARCHITECTURE_H
#define SMRF_RESULTS_ARCHITECTURE_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the launch say that it is of another one? machine: gpu.architecture, 0: not said. */
bool smrf_architecture_differs(uint32_t machine, const struct smrf_launch *launch);
/* How many of the launches do. text: a sentence of it for a person, "" if none does. */
size_t smrf_architecture_note(uint32_t machine, const struct smrf_launch *launches, size_t count,
                              char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
