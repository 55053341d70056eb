/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode_modifiers.h"

#include "models/common/smrf_inst.h"
#include "opcode_text.h"

#include <stdlib.h>

uint8_t smrf_modifiers_accumulators(const char *opcode)
{
    if (opcode[0] != 'H') {
        return SMRF_ACCUMULATORS_INT;
    }
    const char *type = strstr(opcode, ".F");
    return type != NULL && type[2] == '3' ? SMRF_ACCUMULATORS_F32 : SMRF_ACCUMULATORS_F16;
}

/* Bytes of a modifier that is a vector's type: F32x4, F16x2, BF16x8, E4M3x16; 0: there is none. */
static unsigned vector_bytes_(const char *opcode)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } types[] = {{"F32x", 4},  {"F16x", 2},  {"BF16x", 2}, {"F64x", 8},
                 {"E4M3x", 1}, {"E5M2x", 1}, {"U32x", 4},  {"S32x", 4}};
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        p++;
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            const size_t n = strlen(types[i].type);
            if (strncmp(p, types[i].type, n) == 0 && p[n] >= '0' && p[n] <= '9') {
                const unsigned long bytes = types[i].bytes * strtoul(p + n, NULL, 10);
                return bytes <= 32 ? (unsigned)bytes : 0;
            }
        }
    }
    return 0;
}

uint8_t smrf_modifiers_bytes(const char *opcode)
{
    static const struct {
        const char *modifier;
        uint8_t bytes;
    } widths[] = {{"256", 32}, {"128", 16}, {"96", 12}, {"64", 8},  {"F64", 8}, {"S64", 8},
                  {"U64", 8},  {"U8", 1},   {"S8", 1},  {"U16", 2}, {"S16", 2}};
    const unsigned vector = vector_bytes_(opcode);
    if (vector != 0) {
        return (uint8_t)vector;
    }
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (smrf_opcode_has(opcode, widths[i].modifier)) {
            return widths[i].bytes;
        }
    }
    return 4;
}

bool smrf_modifiers_bypass_l1(const char *opcode)
{
    return smrf_opcode_has(opcode, "CG") || smrf_opcode_has(opcode, "CV") ||
           smrf_opcode_has(opcode, "BYPASS") ||
           (smrf_opcode_has(opcode, "STRONG") &&
            (smrf_opcode_has(opcode, "GPU") || smrf_opcode_has(opcode, "SYS"))) ||
           smrf_opcode_has(opcode, "MMIO");
}

bool smrf_modifiers_bypass_l1_in_accelsim(const char *opcode)
{
    return smrf_opcode_has(opcode, "STRONG") && smrf_opcode_has(opcode, "GPU");
}

uint8_t smrf_modifiers_matrices(const char *opcode)
{
    const bool known = smrf_opcode_has(opcode, "M88") || smrf_opcode_has(opcode, "MT88");
    return !known ? 0 : smrf_opcode_has(opcode, "4") ? 4 : smrf_opcode_has(opcode, "2") ? 2 : 1;
}

/* The rank-th modifier that is an operand type (F16, F32, F64, ...); NULL if there are fewer. */
static const char *type_token_(const char *opcode, unsigned rank)
{
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        p++;
        bool letter = *p == 'F' || *p == 'S' || *p == 'U' || *p == 'B';
        bool number = letter && ((p[1] >= '0' && p[1] <= '9') || (p[1] == 'F' && p[2] == '1'));
        if (number && rank-- == 0) {
            return p;
        }
    }
    return NULL;
}

uint8_t smrf_modifiers_f2f_width(const char *opcode, bool dst)
{
    const char *type = type_token_(opcode, dst ? 0 : 1);
    return type != NULL && strncmp(type, "F64", 3) == 0 ? 2 : 1;
}

bool smrf_modifiers_int64(const char *opcode)
{
    return smrf_opcode_has(opcode, "S64") || smrf_opcode_has(opcode, "U64");
}

uint8_t smrf_modifiers_coordinates(const char *opcode)
{
    static const struct {
        const char *dimension;
        uint8_t registers;
    } dimensions[] = {{"1D", 1}, {"A1D", 2}, {"2D", 2}, {"A2D", 3}, {"3D", 3}};
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        if (smrf_opcode_has(opcode, dimensions[i].dimension)) {
            return dimensions[i].registers;
        }
    }
    return 0;
}
