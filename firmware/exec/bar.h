/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_EXEC_BAR_H
#define SMRF_EXEC_BAR_H

#include "firmware/exec/operands.h"

#ifdef __cplusplus
extern "C" {
#endif

/* BAR and B2R: true if the instruction is one of them; failures are in the binding. */
bool smrf_exec_bind_bar(struct smrf_exec_binding *b);
/* An optional predicate operand of control flow, a condition besides the guard: next of psrc, PT if
 * there is none. */
void smrf_exec_bind_condition(struct smrf_exec_binding *b);

#ifdef __cplusplus
}
#endif

#endif
