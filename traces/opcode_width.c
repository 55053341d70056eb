/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode_modifiers.h"
#include "opcode_parts.h"
#include "opcode_text.h"

/* With two listed sources, one of A, B, C is a constant or an immediate that the trace does not
 * list. Assumption A-trace-1: the missing one is C, unless an immediate is known (then B is the
 * immediate and the second register is C; a pair C is even). */
static bool imad_second_is_c_(const struct smrf_opcode_parts *d)
{
    uint16_t r = d->src[1];
    bool pair = smrf_opcode_has(d->in->opcode, "WIDE") || smrf_opcode_has(d->in->opcode, "HI");
    return d->num_src == 2 && d->in->imm != 0 && (!pair || r == SMRF_REG_ZERO || r % 2 == 0);
}

static bool address_pair_(const struct smrf_opcode_parts *d)
{
    uint8_t space = d->row->space;
    return (space == SMRF_SPACE_GLOBAL || space == SMRF_SPACE_GENERIC ||
            space == SMRF_SPACE_NONE) &&
           smrf_opcode_has(d->in->opcode, "E");
}

static uint8_t imad_width_(const struct smrf_opcode_parts *d, bool dst, unsigned k)
{
    bool wide = smrf_opcode_has(d->in->opcode, "WIDE");
    bool high = smrf_opcode_has(d->in->opcode, "HI");
    if (dst) {
        return wide ? 2 : 1;
    }
    bool is_c = k == 2 || (k == 1 && !d->in->has_slots && imad_second_is_c_(d));
    return is_c && (wide || high) ? 2 : 1;
}

static uint8_t atom_width_(const struct smrf_opcode_parts *d, bool dst, unsigned k)
{
    if (dst) {
        return d->data_regs;
    }
    if (k == 0) {
        return address_pair_(d) ? 2 : 1;
    }
    /* Before Volta comparand and new value stand in consecutive registers, listed once. */
    bool both = smrf_opcode_has(d->in->opcode, "CAS") && d->num_src == 2;
    return (uint8_t)(both ? 2 * d->data_regs : d->data_regs);
}

/* A warp group's multiply adds to its destination: that vector register is C, else the last one
 * (RZ: nothing is added to). Of the others, the last is a sparse multiply's metadata, and one
 * before it is A. */
static uint8_t gmma_width_(const struct smrf_opcode_parts *d, bool dst, unsigned k)
{
    unsigned c = d->num_src, others = 0, before = 0;
    bool in_place = false;
    for (unsigned i = 0; i < d->num_src; i++) {
        const bool same = d->num_dst > 0 && d->src[i] == d->dst[0];
        if (d->src[i] < SMRF_LISTED_UREG && (same || !in_place)) {
            c = i;
            in_place = same;
        }
    }
    for (unsigned i = 0; i < d->num_src; i++) {
        const unsigned at = d->in->has_slots ? d->src_slot[i] : i;
        if (d->src[i] >= SMRF_LISTED_UREG || (i == c && at != k)) {
            continue;
        }
        if (i == c) {
            return smrf_matrix_width(&d->matrix, dst, 2);
        }
        others++;
        before += at < k;
    }
    const bool metadata = d->matrix.metadata != 0 && before + 1 == others;
    return smrf_matrix_width(&d->matrix, dst, metadata ? 3 : 0);
}

static bool plain_pairs_(const struct smrf_opcode_parts *d)
{
    uint8_t c = d->row->op_class;
    return d->row->root[0] != '\0' &&
           (c == SMRF_CLASS_INT || c == SMRF_CLASS_ALU || c == SMRF_CLASS_UNIFORM) &&
           d->row->space == SMRF_SPACE_NONE && smrf_opcode_has(d->in->opcode, "64");
}

/* A store's line with one register: the address is a constant or uniform. */
static bool only_data_(const struct smrf_opcode_parts *d)
{
    return d->num_src == 1 && !d->in->has_slots;
}

/* Registers of an operand that holds data of a memory access: all of them, or where .ENL2 has two
 * such operands, half of them. */
static uint8_t data_width_(const struct smrf_opcode_parts *d, bool dst)
{
    const unsigned operands = dst ? d->num_dst : d->num_src - 1u;
    const bool halves = operands == 2 && smrf_opcode_has(d->in->opcode, "ENL2");
    return halves ? d->data_regs / 2 : d->data_regs;
}

bool smrf_opcode_access_is_known(const struct smrf_opcode_row *row, const char *opcode)
{
    switch ((enum smrf_opcode_shape)row->shape) {
    case SMRF_SHAPE_LDSM:
    case SMRF_SHAPE_STSM:
        return smrf_modifiers_matrices(opcode) != 0;
    case SMRF_SHAPE_SULD:
    case SMRF_SHAPE_SUST:
        return smrf_modifiers_coordinates(opcode) != 0 && !smrf_opcode_has(opcode, "P");
    default:
        return true;
    }
}

/* The same as width_, of an access to matrices or a surface. */
static uint8_t access_width_(const struct smrf_opcode_parts *d, bool dst, unsigned k)
{
    const char *op = d->in->opcode;
    if (!smrf_opcode_access_is_known(d->row, op)) {
        return 1;
    }
    switch ((enum smrf_opcode_shape)d->row->shape) {
    case SMRF_SHAPE_LDSM:
        return dst ? smrf_modifiers_matrices(op) : 1;
    case SMRF_SHAPE_STSM:
        return !dst && (only_data_(d) || k > 0) ? smrf_modifiers_matrices(op) : 1;
    case SMRF_SHAPE_SULD:
        return dst ? d->data_regs : k == 0 ? smrf_modifiers_coordinates(op) : 1;
    default: /* SMRF_SHAPE_SUST */
        return dst || k == 1 ? d->data_regs : k == 0 ? smrf_modifiers_coordinates(op) : 1;
    }
}

uint8_t smrf_opcode_width(const struct smrf_opcode_parts *d, bool dst, unsigned k)
{
    const char *op = d->in->opcode;
    bool volta = d->in->binary_version >= 70;
    switch ((enum smrf_opcode_shape)d->row->shape) {
    case SMRF_SHAPE_ONE:
        return plain_pairs_(d) ? 2 : 1;
    case SMRF_SHAPE_PAIRS:
        return 2;
    case SMRF_SHAPE_DSET:
        return dst ? 1 : 2;
    case SMRF_SHAPE_IMAD:
        return imad_width_(d, dst, k);
    case SMRF_SHAPE_F2F:
        return smrf_modifiers_f2f_width(op, dst);
    case SMRF_SHAPE_F2I:
        return (dst ? smrf_modifiers_int64(op) : smrf_opcode_has(op, "F64")) ? 2 : 1;
    case SMRF_SHAPE_I2F:
        return (dst ? smrf_opcode_has(op, "F64") : smrf_modifiers_int64(op)) ? 2 : 1;
    case SMRF_SHAPE_FRND:
        return smrf_opcode_has(op, "F64") ? 2 : 1;
    case SMRF_SHAPE_MATCH:
        return !dst && smrf_opcode_has(op, "U64") ? 2 : 1;
    case SMRF_SHAPE_CS2R:
        return dst && volta && !smrf_opcode_has(op, "32") ? 2 : 1;
    case SMRF_SHAPE_DST_PAIR:
        return dst && volta ? 2 : 1;
    case SMRF_SHAPE_SYNCS:
        return dst || (k > 0 && smrf_opcode_has(op, "EXCH")) ? 2 : 1;
    case SMRF_SHAPE_TARGET:
        return !dst && volta ? 2 : 1;
    case SMRF_SHAPE_ADDRESS:
        return !dst && k == 0 && address_pair_(d) ? 2 : 1;
    case SMRF_SHAPE_LDC:
        return dst ? d->data_regs : 1;
    case SMRF_SHAPE_LOAD:
        return dst ? data_width_(d, true) : k == 0 && address_pair_(d) ? 2 : 1;
    case SMRF_SHAPE_STORE:
        if (dst) {
            return 1;
        }
        return only_data_(d) || k > 0 ? data_width_(d, false) : address_pair_(d) ? 2 : 1;
    case SMRF_SHAPE_ATOM:
        return atom_width_(d, dst, k);
    case SMRF_SHAPE_LDSM:
    case SMRF_SHAPE_STSM:
    case SMRF_SHAPE_SULD:
    case SMRF_SHAPE_SUST:
        return access_width_(d, dst, k);
    case SMRF_SHAPE_LDGSTS:
        return !dst && k > 0 && address_pair_(d) ? 2 : 1;
    case SMRF_SHAPE_MMA:
        return smrf_matrix_width(&d->matrix, dst, k);
    case SMRF_SHAPE_GMMA:
        return gmma_width_(d, dst, k);
    case SMRF_SHAPE_LDTM:
        return dst ? smrf_tensor_memory_width(op) : 1;
    case SMRF_SHAPE_STTM:
        return dst ? 1 : smrf_tensor_memory_width(op);
    }
    return 1;
}

uint8_t smrf_opcode_slot(const struct smrf_opcode_parts *d, unsigned k)
{
    if (d->in->has_slots) {
        return d->src_slot[k];
    }
    if (d->row->shape == SMRF_SHAPE_IMAD && k == 1 && imad_second_is_c_(d)) {
        return 2;
    }
    bool store = d->row->shape == SMRF_SHAPE_STORE || d->row->shape == SMRF_SHAPE_STSM;
    if (store && only_data_(d)) {
        return 1;
    }
    return (uint8_t)k;
}
