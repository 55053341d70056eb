/* SPDX-License-Identifier: Apache-2.0 */
#include "texture_operands.h"

#include "opcode_text.h"

#include <string.h>

bool smrf_texture_fetches(const char *opcode)
{
    static const char *const roots[] = {"TEX", "TLD", "TLD4", "TXD", "TXQ"};
    for (unsigned i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (smrf_opcode_root_is(opcode, roots[i])) {
            return true;
        }
    }
    return false;
}

unsigned smrf_texture_coordinates(const char *name, size_t n)
{
    static const struct {
        const char *name;
        uint8_t count;
    } dims[] = {{"1D", 1},       {"2D", 2},       {"3D", 3},        {"CUBE", 3},
                {"ARRAY_1D", 2}, {"ARRAY_2D", 3}, {"ARRAY_CUBE", 4}};
    for (unsigned i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        if (strlen(dims[i].name) == n && memcmp(dims[i].name, name, n) == 0) {
            return dims[i].count;
        }
    }
    return 0;
}

static unsigned results_(const struct smrf_operands *o)
{
    const struct smrf_operand *last = o->num != 0 ? &o->operand[o->num - 1] : NULL;
    const uint64_t mask =
        last != NULL && last->kind == SMRF_OPERAND_INT ? (uint64_t)last->imm & 15 : 15;
    return (unsigned)__builtin_popcountll(mask);
}

static unsigned dims_(const struct smrf_operands *o)
{
    unsigned dims = 0;
    for (unsigned i = 0; i < o->num; i++) {
        dims = o->operand[i].dims != 0 ? o->operand[i].dims : dims;
    }
    return dims;
}

/* Whether the handle is among the sources: no word of a constant and no uniform register names it
 * before the dimensions. */
static bool is_bindless_(const struct smrf_operands *o)
{
    for (unsigned i = 0; i < o->num && o->operand[i].dims == 0; i++) {
        if (o->operand[i].kind == SMRF_OPERAND_INT || o->operand[i].kind == SMRF_OPERAND_UREG) {
            return false;
        }
    }
    return true;
}

/* Of the first vector of sources, or of the second one. */
static unsigned sources_(const struct smrf_operands *o, bool second)
{
    const char *op = o->opcode;
    const unsigned coordinates = dims_(o), handle = is_bindless_(o) ? 1 : 0;
    if (strncmp(op, "TXQ", 3) == 0) {
        return second ? 0 : 1;
    }
    if (strncmp(op, "TXD", 3) == 0) { /* derivatives: two for each coordinate but the layer */
        return second ? 2 * (coordinates > 2 ? 2 : coordinates) : handle + coordinates;
    }
    const unsigned level = smrf_opcode_has(op, "LL") || smrf_opcode_has(op, "LB") ? 1 : 0;
    const unsigned all = coordinates + handle + level + (smrf_opcode_has(op, "AOFFI") ? 1 : 0);
    const unsigned first = smrf_opcode_has(op, "SCR") ? (all + 1) / 2 : coordinates;
    return second ? all - first : first;
}

unsigned smrf_texture_registers(const struct smrf_operands *o, unsigned i)
{
    unsigned before = 0; /* registers before this one, of the same role */
    const struct smrf_operand *a = &o->operand[i];
    if (a->kind == SMRF_OPERAND_UREG) {
        return 1;
    }
    if (a->kind != SMRF_OPERAND_REG) {
        return 0;
    }
    for (unsigned k = 0; k < i; k++) {
        before += o->operand[k].kind == SMRF_OPERAND_REG && o->operand[k].role == a->role;
    }
    if (a->role != SMRF_OPERAND_DST) {
        return sources_(o, before != 0);
    }
    const unsigned results = results_(o);
    return before != 0 ? (results < 2 ? results : 2) : results > 2 ? results - 2 : 0;
}
