/* SPDX-License-Identifier: Apache-2.0 */
/* Where a register was read before its result was there, by control bits. */
#ifndef SMRF_EARLY_READS_H
#define SMRF_EARLY_READS_H

#include "platform/gpu/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first of all SMs since the last reset: cycle, SM, warp, PC and register. text: "" if there is
 * none. */
void smrf_first_early_read(const struct smrf_machine *machine, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
