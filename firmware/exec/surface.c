/* SPDX-License-Identifier: Apache-2.0 */
/* SULD, SUST and SURED: texels by number, x in bytes, without a format. */
#include "firmware/exec/address.h"
#include "firmware/exec/atomic.h"
#include "firmware/exec/space.h"
#include "firmware/exec/texture.h"

#include <string.h>

enum outside { IGNORED, CLAMPED, TRAPPED };
enum dims { D_1D, D_1D_ARRAY, D_2D, D_2D_ARRAY, D_3D };

#define DIMS 7U /* of sub: enum dims */
#define OUTSIDE_SHIFT 4
#define WIDTH_SHIFT 8
#define VECTOR 4U /* registers of coordinates, at most */

static const uint8_t width_bytes[] = {1, 1, 2, 2, 4, 8, 16};

static uint32_t handle_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane)
{
    const struct smrf_exec_src *s = &op->src[2];
    return s->kind == SMRF_SASS_CONST  ? (uint32_t)smrf_exec_const(w, s->bank, s->imm, 4)
           : s->kind == SMRF_SASS_UREG ? w->ur[s->ureg]
                                       : w->r[s->reg][lane];
}

/* Holds a coordinate against its size, in steps of `step`. False: it is outside, and stays so. */
static bool inside_(int64_t *at, int64_t size, int64_t step, enum outside outside)
{
    if (*at >= 0 && *at <= size - step) {
        return true;
    }
    if (outside == CLAMPED) {
        *at = *at < 0 ? 0 : size - step;
    }
    return outside == CLAMPED;
}

/* Host pointer of a lane's texel, or NULL: *rc 0, it is outside and ignored. */
static uint8_t *texel_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane,
                       bool write, int *rc)
{
    const struct smrf_exec_texture *t = smrf_exec_texture_of(w, lane, handle_(w, op, lane));
    const unsigned dims = op->sub & DIMS, base = op->src[0].reg;
    const enum outside outside = (enum outside)(op->sub >> OUTSIDE_SHIFT & 3);
    int64_t at[3] = {0};
    *rc = t == NULL ? SMRF_ERR_CHECK : 0;
    if (t == NULL) {
        return NULL;
    }
    const unsigned listed = dims == D_1D ? 1 : dims == D_1D_ARRAY || dims == D_2D ? 2 : 3;
    for (unsigned i = 0; i < listed && base != SMRF_EXEC_RZ; i++) {
        at[i] = (int32_t)w->r[base + i][lane];
    }
    const bool layered = dims == D_1D_ARRAY || dims == D_2D_ARRAY;
    const int64_t width = (int64_t)t->width * (t->bits / 8) * t->channels;
    const int64_t z = dims == D_1D_ARRAY ? at[1] : at[2];
    int64_t y = dims == D_1D_ARRAY ? 0 : at[1], slice = z;
    bool inside = inside_(&at[0], width, op->bytes, outside);
    inside = inside_(&y, t->height, 1, outside) && inside;
    inside = inside_(&slice, layered ? t->layers : t->depth, 1, outside) && inside;
    if (!inside || at[0] % op->bytes != 0) {
        if (outside != IGNORED || inside) {
            w->fault = inside ? SMRF_FAULT_MISALIGNED : SMRF_FAULT_ADDRESS;
            *rc = smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                                 "%s access of %u bytes at x %lld, y %lld, z %lld of a surface of "
                                 "%lld bytes x %u x %u",
                                 inside ? "misaligned" : "out-of-range", (unsigned)op->bytes,
                                 (long long)at[0], (long long)y, (long long)slice, (long long)width,
                                 t->height, layered ? t->layers : t->depth);
        }
        return NULL;
    }
    uint8_t *p = smrf_space_use(w->block->space,
                                t->address + (uint64_t)slice * t->slice + (uint64_t)y * t->pitch +
                                    (uint64_t)at[0],
                                op->bytes, write);
    if (p == NULL) {
        w->fault = SMRF_FAULT_ADDRESS;
        *rc = smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK, "the surface's memory has been freed");
    }
    return p;
}

static unsigned rows_(const struct smrf_exec_op *op)
{
    return op->bytes <= 4 ? 1 : op->bytes / 4;
}

static unsigned row_at_(unsigned first, unsigned k)
{
    return first >= SMRF_EXEC_RZ ? first : first + k;
}

static int load_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t out[4][SMRF_EXEC_LANES];
    const unsigned width = op->sub >> WIDTH_SHIFT;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t value[4] = {0};
        int rc;
        const uint8_t *p = texel_(w, op, i, false, &rc);
        if (rc < 0) {
            return rc;
        }
        if (p != NULL) {
            memcpy(value, p, op->bytes);
        }
        if (width == 1 || width == 3) { /* .S8, .S16 */
            const unsigned shift = 32U - 8U * op->bytes;
            value[0] = (uint32_t)((int32_t)(value[0] << shift) >> shift);
        }
        for (unsigned k = 0; k < 4; k++) {
            out[k][i] = value[k];
        }
    }
    for (unsigned k = 0; k < rows_(op); k++) {
        smrf_exec_write(w, row_at_(op->dst, k), mask, out[k]);
    }
    return smrf_exec_done(w);
}

static int store_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t value[4] = {0};
        int rc;
        uint8_t *p = texel_(w, op, i, true, &rc);
        if (rc < 0) {
            return rc;
        }
        for (unsigned k = 0; k < rows_(op); k++) {
            value[k] = w->r[row_at_(op->src[1].reg, k)][i];
        }
        if (p != NULL) {
            memcpy(p, value, op->bytes);
        }
    }
    return smrf_exec_done(w);
}

/* The lanes take turns, lowest first. */
static int reduce_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        uint64_t value = 0, old = 0;
        int rc;
        uint8_t *p = texel_(w, op, i, true, &rc);
        if (rc < 0) {
            return rc;
        }
        for (unsigned k = 0; k < rows_(op); k++) {
            value |= (uint64_t)w->r[row_at_(op->src[1].reg, k)][i] << (32 * k);
        }
        if (p != NULL) {
            memcpy(&old, p, op->bytes);
            value = smrf_exec_reduced((enum smrf_atomic_action)op->sub2,
                                      op->sub >> WIDTH_SHIFT != 0, old, value);
            memcpy(p, &value, op->bytes);
        }
    }
    return smrf_exec_done(w);
}

/* ---- binding ------------------------------------------------------------------------------- */

static void bind_shape_(struct smrf_exec_binding *b)
{
    static const char *const dims[] = {"1D", "1D_ARRAY", "2D", "2D_ARRAY", "3D"};
    static const char *const outside[] = {"IGN", "", "TRAP"};
    const bool by_bytes = smrf_exec_bind_has(b, "D") && smrf_exec_bind_has(b, "BA");
    const unsigned d = smrf_exec_bind_one_of(b, dims, 5, 5);
    if (!by_bytes || d == 5) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
        return;
    }
    b->op->sub = d | smrf_exec_bind_one_of(b, outside, 3, CLAMPED) << OUTSIDE_SHIFT;
}

static void bind_form_(struct smrf_exec_binding *b)
{
    static const char *const widths[] = {"U8", "S8", "U16", "S16", "32", "64", "128"};
    const unsigned width = smrf_exec_bind_one_of(b, widths, 7, 4);
    bind_shape_(b);
    b->op->sub |= width << WIDTH_SHIFT;
    b->op->bytes = width_bytes[width];
    smrf_exec_bind_caching(b);
}

static void bind_reduction_(struct smrf_exec_binding *b)
{
    static const char *const actions[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"};
    b->op->sub2 = smrf_exec_bind_one_of(b, actions, 8, SMRF_ATOMIC_ADD); /* in their order */
    bind_shape_(b);
    b->op->sub |= smrf_exec_bind_has(b, "S32") ? 1U << WIDTH_SHIFT : 0;
    b->op->bytes = smrf_exec_bind_has(b, "64") ? 8 : 4;
    smrf_exec_bind_caching(b);
}

/* [R4]: where the coordinates are. */
static void bind_place_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    if (o == NULL || o->kind != SMRF_SASS_MEM || o->imm != 0 || o->ureg != 63 || o->wide ||
        o->scale > 1 || (o->reg != SMRF_EXEC_RZ && o->reg > SMRF_EXEC_RZ - VECTOR)) {
        smrf_exec_bind_fail(b, "%s needs coordinates in registers", b->inst->mnemonic);
        return;
    }
    b->op->src[0].reg = o->reg;
}

static void bind_which_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_REG) {
        b->op->src[2] = (struct smrf_exec_src){
            .kind = SMRF_SASS_REG, .reg = (uint8_t)smrf_exec_bind_vector(b, SMRF_EXEC_RZ)};
    } else {
        smrf_exec_bind_header(b, &b->op->src[2]);
    }
}

int smrf_exec_bind_surface(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_exec_binding b;
    const char *name = op->inst->opcode;
    const bool loads = strcmp(name, "SULD") == 0, reduces = strcmp(name, "SURED") == 0;
    if (!loads && !reduces && strcmp(name, "SUST") != 0) {
        return 0;
    }
    smrf_exec_bind_begin(&b, op, error);
    op->fn = loads ? load_ : reduces ? reduce_ : store_;
    if (reduces) {
        bind_reduction_(&b);
    } else {
        bind_form_(&b);
    }
    if (loads) {
        op->dst = (uint16_t)smrf_exec_bind_vector(&b, SMRF_EXEC_BIN);
        bind_place_(&b);
    } else {
        bind_place_(&b);
        op->src[1].reg = (uint8_t)smrf_exec_bind_vector(&b, SMRF_EXEC_RZ);
    }
    bind_which_(&b);
    return smrf_exec_bind_end(&b);
}
