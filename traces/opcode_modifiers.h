/* SPDX-License-Identifier: Apache-2.0 */
/* What an opcode's modifiers say, whatever its root: widths, types, paths through the caches. */
#ifndef SMRF_OPCODE_MODIFIERS_H
#define SMRF_OPCODE_MODIFIERS_H

#include <stdbool.h>
#include <stdint.h>

/* enum smrf_accumulators of a warp's matrix multiply: HMMA.1688.F32, HMMA.1688.F16,
 * IMMA.8816.S8.S8: the type after the shape. */
uint8_t smrf_modifiers_accumulators(const char *opcode);

/* Bytes that one lane accesses: a vector's type (F32x4), a width (.128), a type (.U16, .F64); 4 if
 * nothing says more. */
uint8_t smrf_modifiers_bytes(const char *opcode);

bool smrf_modifiers_bypass_l1(const char *opcode);
/* The same of a load as Accel-Sim sees it (trace_driven.cc, parse_from_trace_struct). */
bool smrf_modifiers_bypass_l1_in_accelsim(const char *opcode);

/* Number of 8x8 matrices of LDSM and STSM: .M88 (one), .M88.2, .M88.4; 0: not of a known shape. */
uint8_t smrf_modifiers_matrices(const char *opcode);

/* Registers of the destination and of the source of F2F: .<destination type>.<source type>. */
uint8_t smrf_modifiers_f2f_width(const char *opcode, bool dst);

/* A 64-bit integer is one of the types. */
bool smrf_modifiers_int64(const char *opcode);

/* Registers of a surface's coordinates: .1D, .2D, .3D, .A1D and .A2D (with a layer); 0: none of
 * them. */
uint8_t smrf_modifiers_coordinates(const char *opcode);

#endif
