/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_EXEC_SPECIAL_H
#define SMRF_EXEC_SPECIAL_H

#include "firmware/exec/operands.h"

#ifdef __cplusplus
extern "C" {
#endif

/* S2R, S2UR, CS2R: 1 if the instruction is one of them (failures are in the binding), else 0. */
int smrf_exec_bind_special(struct smrf_exec_binding *b);

#ifdef __cplusplus
}
#endif

#endif
