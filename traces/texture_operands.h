/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of texture instructions. An operand names the first of some: how many, the dimensions
 * and the mask of results tell, not the opcode. A trace lists each. */
#ifndef SMRF_TEXTURE_OPERANDS_H
#define SMRF_TEXTURE_OPERANDS_H

#include "operands.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TEX, TLD, TLD4, TXD, TXQ: two vectors of results, two of sources. */
bool smrf_texture_fetches(const char *opcode);
/* Coordinates, the layer included, that a name of dimensions stands for: 3 for "ARRAY_2D", 0 where
 * it is none. n: its length. */
unsigned smrf_texture_coordinates(const char *name, size_t n);
/* Registers of operand i from its own on; 0 where it names none. */
unsigned smrf_texture_registers(const struct smrf_operands *o, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
