/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the family of halves: what half.c takes from half_wide.c. */
#ifndef SMRF_EXEC_HALF_H
#define SMRF_EXEC_HALF_H

#include "firmware/exec/fp16.h"

/* HADD2, HMUL2, HFMA2 of BF16: false, the instruction is of halves. */
bool smrf_exec_bind_bf16(struct smrf_exec_binding *b, const char *opcode);
void smrf_exec_bind_hmnmx2(struct smrf_exec_binding *b);
void smrf_exec_bind_f2fp(struct smrf_exec_binding *b);

#endif
