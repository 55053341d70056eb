/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions of a warp: HMMA of quad pairs, BMMA, MOVM. Fragment layouts: PTX ISA,
 * mma.m8n8k4, m8n8k128 and movmatrix. Which lanes are active does not matter: the
 * instructions need the whole warp, and a partial mask only limits the writes. HMMA adds as
 * tensor_float.c says. */
#include "firmware/exec/tensor.h"

#include <math.h>

#define GROUP SMRF_EXEC_GROUP
#define MEMBER SMRF_EXEC_MEMBER

/* Rows of consecutive registers from a source on; all zeros from RZ on. */
static void source_rows_(struct smrf_exec_warp *w, const struct smrf_exec_src *src, unsigned count,
                         const uint32_t *row[])
{
    unsigned r = src->reg;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r)) {
        row[k] = w->r[r];
    }
}

static void write_rows_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                        unsigned count, uint32_t out[][SMRF_EXEC_LANES])
{
    unsigned r = op->dst;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r)) {
        smrf_exec_write(w, r, mask, out[k]);
    }
}

/* --- HMMA.884: 8 x 4 by 4 x 8 in each of four quad pairs, a step for a pair of registers ------ */

/* op->sub: which of A and B are laid out by columns, the step, and whether C is of halves. */
enum { QUAD_A_COL = 1, QUAD_B_COL = 2, QUAD_STEP = 3 << 2, QUAD_C_HALF = 1 << 4 };
#define QUAD_STEP_OF(op) ((unsigned)((op)->sub & QUAD_STEP) >> 2)

/* Lane of a quad pair's member: 0 to 3 lie in the lower half of the warp, 4 to 7 in the upper. */
#define QUAD_LANE(pair, member) (4U * (pair) + ((member)&3U) + 4U * ((member)&4U))

/* An operand of 8 vectors of 4: a member holds its own vector, or, turned, a member of each half
 * holds one place of the four vectors of that half. */
static void load_quad_(const uint32_t *const row[2], unsigned pair, bool turned, double v[8][4])
{
    for (unsigned member = 0; member < 8; member++) {
        for (unsigned i = 0; i < 4; i++) {
            uint32_t half = row[i / 2][QUAD_LANE(pair, member)] >> 16 * (i & 1) & 0xffff;
            unsigned vector = turned ? (member & 4) + i : member;
            v[vector][turned ? member & 3 : i] = (double)smrf_exec_half_to_float(half);
        }
    }
}

static double quad_product_(double a[8][4], double b[8][4], unsigned y, unsigned x, double sum)
{
    for (unsigned k = 0; k < 4; k++) {
        sum += a[y][k] * b[x][k];
    }
    return sum;
}

/* Halves of the accumulator: a member holds its row, a step four columns of it. */
static double quad_half_(const uint32_t *const row[2], unsigned pair, unsigned y, unsigned x)
{
    uint32_t word = row[x / 2 & 1][QUAD_LANE(pair, y)];
    return (double)smrf_exec_half_to_float(word >> 16 * (x & 1) & 0xffff);
}

static void quad_f32_(const struct smrf_exec_op *op, const uint32_t *const c[2], unsigned pair,
                      double a[8][4], double b[8][4], uint32_t out[2][SMRF_EXEC_LANES])
{
    for (unsigned member = 0; member < 8; member++) {
        for (unsigned e = 0; e < 2; e++) {
            unsigned lane = QUAD_LANE(pair, member), i = 2 * QUAD_STEP_OF(op) + e;
            unsigned y = (member & 5) + (i & 2), x = (i & 4) + (member & 2) + (i & 1);
            float own;
            memcpy(&own, &c[e][lane], sizeof own);
            double sum = (op->sub & QUAD_C_HALF) != 0 ? quad_half_(c, pair, y, x) : (double)own;
            float result = (float)quad_product_(a, b, y, x, sum);
            out[e][lane] = smrf_exec_canonical(smrf_exec_float_bits(result));
        }
    }
}

static void quad_f16_(const struct smrf_exec_op *op, const uint32_t *const c[2], unsigned pair,
                      double a[8][4], double b[8][4], uint32_t out[2][SMRF_EXEC_LANES])
{
    for (unsigned y = 0; y < 8; y++) {
        for (unsigned e = 0; e < 4; e++) {
            unsigned lane = QUAD_LANE(pair, y), x = 4 * QUAD_STEP_OF(op) + e;
            double sum = quad_product_(a, b, y, x, quad_half_(c, pair, y, x));
            uint32_t half = smrf_exec_nearest_half(sum);
            out[e / 2][lane] = (e & 1) != 0 ? out[e / 2][lane] | half << 16 : half;
        }
    }
}

static int hmma_quad_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    const uint32_t *row[3][2];
    uint32_t out[2][SMRF_EXEC_LANES];
    for (unsigned k = 0; k < 3; k++) {
        source_rows_(w, &op->src[k], 2, row[k]);
    }
    for (unsigned pair = 0; pair < 4; pair++) {
        double a[8][4], b[8][4];
        load_quad_(row[0], pair, (op->sub & QUAD_A_COL) != 0, a);
        load_quad_(row[1], pair, (op->sub & QUAD_B_COL) == 0, b);
        (op->sub2 != 0 ? quad_f32_ : quad_f16_)(op, row[2], pair, a, b, out);
    }
    write_rows_(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_matrix(struct smrf_exec_binding *b, unsigned part)
{
    smrf_exec_bind_src(b, SMRF_EXEC_RAW);
    if (b->rc != 0) {
        return;
    }
    const struct smrf_exec_src *src = &b->op->src[b->op->num_src - 1];
    if (src->kind != SMRF_SASS_REG || src->part != part || src->negated || src->absolute ||
        src->inverted) {
        smrf_exec_bind_fail(b, "operand %u of %s is not supported in this form", b->next,
                            b->inst->mnemonic);
    }
}

/* Types of D and C, the step, and how A and B are laid out. */
static void bind_quad_(struct smrf_exec_binding *b)
{
    static const char *const types[] = {"F32", "F16"};
    static const char *const steps[] = {"STEP0", "STEP1", "STEP2", "STEP3"};
    unsigned d = smrf_exec_bind_next_of(b, types, 2, 2), c = smrf_exec_bind_next_of(b, types, 2, 2);
    unsigned step = smrf_exec_bind_next_of(b, steps, 4, 4);
    if (c == 2 || (d == 1 && (c == 0 || step > 1)) || step == 4) {
        smrf_exec_bind_fail(b, "%s: these types or this step are not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    unsigned columns[2];
    for (unsigned k = 0; k < 2; k++) {
        columns[k] =
            b->next < b->inst->num_operands && b->inst->operand[b->next].part == SMRF_SASS_COL;
        smrf_exec_bind_matrix(b, columns[k] ? SMRF_SASS_COL : SMRF_SASS_ROW);
    }
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->sub = (columns[0] ? QUAD_A_COL : 0U) | (columns[1] ? QUAD_B_COL : 0U) | (step & 3) << 2 |
                 (c == 1 ? QUAD_C_HALF : 0U);
    b->op->sub2 = d == 0;
    b->op->fn = hmma_quad_;
}

static void bind_hmma_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_has(b, "884")) {
        bind_quad_(b);
        return;
    }
    smrf_exec_bind_hmma(b);
}

/* --- BMMA: 8 x 8 ---------------------------------------------------------------------------- */

/* Bits in common, or in which row and column differ, of 128. */
SMRF_EXEC_HANDLER(bmma)
{
    const uint32_t *a[1], *b[1], *c[2];
    uint32_t out[2][SMRF_EXEC_LANES];
    source_rows_(w, &op->src[0], 1, a);
    source_rows_(w, &op->src[1], 1, b);
    source_rows_(w, &op->src[2], 2, c);
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned h = 0; h < 2; h++) {
            uint32_t sum = c[h][i];
            for (unsigned k = 0; k < 4; k++) {
                uint32_t x = a[0][4 * GROUP(i) + k], y = b[0][4 * (2 * MEMBER(i) + h) + k];
                sum += (uint32_t)__builtin_popcount(op->sub != 0 ? x & y : x ^ y);
            }
            out[h][i] = sum;
        }
    write_rows_(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

static void bind_bmma_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_has(b->inst, "88128")) {
        smrf_exec_bind_bmma_wide(b);
        return;
    }
    bool both = smrf_exec_bind_has(b, "AND");
    if (!smrf_exec_bind_has(b, "88128") || !smrf_exec_bind_has(b, "POPC") ||
        (!both && !smrf_exec_bind_has(b, "XOR"))) {
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    }
    b->op->sub = both ? 1 : 0;
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_ROW);
    smrf_exec_bind_matrix(b, SMRF_SASS_COL);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(bmma);
}

/* Transpose of 8 x 8 halves; a row lies in four lanes. */
static int movm_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    const uint32_t *a[1];
    uint32_t out[SMRF_EXEC_LANES];
    source_rows_(w, &op->src[0], 1, a);
    SMRF_EXEC_EACH_LANE(i) {
        unsigned y = GROUP(i), x = 2 * MEMBER(i), shift = 16 * (y & 1);
        uint32_t low = a[0][4 * x + y / 2] >> shift & 0xffff;
        uint32_t high = a[0][4 * (x + 1) + y / 2] >> shift & 0xffff;
        out[i] = low | high << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_movm_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "16") || !smrf_exec_bind_has(b, "MT88")) {
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = movm_;
}

int smrf_exec_bind_tensor(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {{"HMMA", bind_hmma_},
                                                    {"IMMA", smrf_exec_bind_imma},
                                                    {"BMMA", bind_bmma_},
                                                    {"MOVM", bind_movm_},
                                                    {"DMMA", smrf_exec_bind_dmma}};
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
