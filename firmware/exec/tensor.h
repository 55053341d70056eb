/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the tensor family: what its parts share. */
#ifndef SMRF_EXEC_TENSOR_H
#define SMRF_EXEC_TENSOR_H

#include "firmware/exec/fp16.h"

#define SMRF_EXEC_GROUP(lane) ((lane) >> 2)
#define SMRF_EXEC_MEMBER(lane) ((lane)&3U)

/* A matrix operand: whole registers without modifiers, with the part that says how it is laid. */
void smrf_exec_bind_matrix(struct smrf_exec_binding *b, unsigned part);

/* They consume what is left of the instruction. tensor_float.c: floating-point matrices of 16 rows.
 * tensor_int.c: integers. tensor_wide.c: bits of 16 rows, and doubles. */
void smrf_exec_bind_hmma(struct smrf_exec_binding *b);
void smrf_exec_bind_imma(struct smrf_exec_binding *b);
void smrf_exec_bind_bmma_wide(struct smrf_exec_binding *b);
void smrf_exec_bind_dmma(struct smrf_exec_binding *b);

#endif
