/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the tensor family: what its parts share. */
#ifndef SMRF_EXEC_TENSOR_H
#define SMRF_EXEC_TENSOR_H

#include "firmware/exec/fp16.h"

#define SMRF_EXEC_GROUP(lane) ((lane) >> 2)
#define SMRF_EXEC_MEMBER(lane) ((lane)&3U)

/* A matrix operand: whole registers without modifiers, with the part that says how it is laid. */
void smrf_exec_bind_matrix(struct smrf_exec_binding *b, unsigned part);

/* tensor_wide.c: matrices of 16 rows, and of doubles. They consume what is left of the instruction.
 */
void smrf_exec_bind_hmma_wide(struct smrf_exec_binding *b);
void smrf_exec_bind_imma_wide(struct smrf_exec_binding *b);
void smrf_exec_bind_bmma_wide(struct smrf_exec_binding *b);
void smrf_exec_bind_dmma(struct smrf_exec_binding *b);

#endif
