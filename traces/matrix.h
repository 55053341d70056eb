/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the operands of matrix multiplies and of tensor memory's loads and stores, by shape
 * and type: the rows of mma_shapes.def. */
#ifndef SMRF_MATRIX_H
#define SMRF_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

/* 32-bit registers a thread. */
struct smrf_matrix {
    uint8_t src[3];      /* A, B, C */
    uint8_t accumulator; /* D; 0: no row fits, and every operand counts as one register */
    uint8_t metadata;    /* of a sparse one's selector */
};

/* opcode: text with modifiers. A multiply that a warp does alone. */
struct smrf_matrix smrf_matrix_of_warp(const char *opcode);
/* One that a warp group does; A counts where it comes from registers. */
struct smrf_matrix smrf_matrix_of_group(const char *opcode);
/* Registers of an operand; k: 0 = A, 1 = B, 2 = C, 3.. = what follows. */
uint8_t smrf_matrix_width(const struct smrf_matrix *matrix, bool dst, unsigned k);
/* Registers of the data of LDTM and STTM, 1 to 128. */
uint8_t smrf_tensor_memory_width(const char *opcode);

#endif
