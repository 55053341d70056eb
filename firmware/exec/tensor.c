/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions of a warp: HMMA, IMMA, BMMA, MOVM. Fragment layouts: PTX ISA, mma.m16n8k8,
 * m8n8k4, m8n8k16, m8n8k32, m8n8k128 and movmatrix. Which lanes are active does not matter: the
 * instructions need the whole warp, and a partial mask only limits the writes.
 *
 * HMMA multiplies halves exactly and adds the eight products and the accumulator in double
 * precision in order of k, then rounds once to nearest. The hardware's own order and truncation of
 * the sum are not documented; results agree within the last bits. */
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

/* --- HMMA.1688: 16 x 8 by 8 x 8 ------------------------------------------------------------- */

/* Lane i holds elements 2i and 2i + 1 of a matrix of 8 x 8, row by row (of B: column by column), so
 * the lanes 4y to 4y + 3 hold row y: its even columns in their low halves and its odd ones in their
 * high halves, or, of floats, in one register and the next. The sums of a row are kept in that
 * order: four even columns, four odd ones. A product of halves is exact in a double, so that the
 * result is the same whether the compiler fuses it with the addition or not. */

typedef float four __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
enum { EVEN, ODD, SIDES };

/* D or C: rows 0 to 7, and 8 to 15, of four even and four odd columns. */
struct sums {
    quad row[16][SIDES];
};

SMRF_EXEC_INLINE void widen_(quad *to, const float from[4])
{
    four f;
    memcpy(&f, from, sizeof f);
    *to = __builtin_convertvector(f, quad);
}

SMRF_EXEC_INLINE void narrow_(float to[4], const quad *from)
{
    four f = __builtin_convertvector(*from, four);
    memcpy(to, &f, sizeof f);
}

SMRF_EXEC_INLINE void unpack_halves_(const uint32_t row[SMRF_EXEC_LANES],
                                     float half[SIDES][SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i) {
        half[EVEN][i] = smrf_exec_half_to_float(row[i] & 0xffff);
        half[ODD][i] = smrf_exec_half_to_float(row[i] >> 16);
    }
}

/* Rows of B: k = 2m and 2m + 1 of column x lie in lane 4x + m. */
SMRF_EXEC_INLINE void load_b_(const uint32_t column[SMRF_EXEC_LANES], quad b[8][SIDES])
{
    uint32_t turned[SMRF_EXEC_LANES]; /* [m][x], x: even columns, odd columns */
    float half[2][SMRF_EXEC_LANES];
    for (unsigned m = 0; m < 4; m++) {
        for (unsigned side = EVEN; side < SIDES; side++) {
            for (unsigned j = 0; j < 4; j++) {
                turned[8 * m + 4 * side + j] = column[4 * (2 * j + side) + m];
            }
        }
    }
    unpack_halves_(turned, half);
    for (unsigned k = 0; k < 8; k++) {
        for (unsigned side = EVEN; side < SIDES; side++) {
            widen_(&b[k][side], &half[k % 2][8 * (k / 2) + 4 * side]);
        }
    }
}

SMRF_EXEC_INLINE void hmma_multiply_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                     struct sums *d)
{
    const uint32_t *row[2], *column[1];
    quad b[8][SIDES];
    source_rows_(w, &op->src[0], 2, row);
    source_rows_(w, &op->src[1], 1, column);
    load_b_(column[0], b);
    for (unsigned h = 0; h < 2; h++) {
        float half[SIDES][SMRF_EXEC_LANES];
        double a[SIDES][SMRF_EXEC_LANES];
        unpack_halves_(row[h], half);
        for (unsigned side = EVEN; side < SIDES; side++) {
            SMRF_EXEC_EACH_LANE(i)
                a[side][i] = (double)half[side][i];
        }
        for (unsigned y = 0; y < 8; y++) {
            quad *sum = d->row[8 * h + y], even = sum[EVEN], odd = sum[ODD];
            for (unsigned k = 0; k < 8; k++) {
                even += b[k][EVEN] * a[k % 2][4 * y + k / 2];
                odd += b[k][ODD] * a[k % 2][4 * y + k / 2];
            }
            sum[EVEN] = even;
            sum[ODD] = odd;
        }
    }
}

SMRF_EXEC_HANDLER(hmma_f32)
{
    const uint32_t *c[4];
    struct sums d;
    uint32_t out[4][SMRF_EXEC_LANES];
    source_rows_(w, &op->src[2], 4, c);
    for (unsigned k = 0; k < 4; k++) {
        float in[SMRF_EXEC_LANES];
        memcpy(in, c[k], sizeof in);
        for (unsigned y = 0; y < 8; y++) {
            widen_(&d.row[8 * (k >> 1) + y][k & 1], &in[4 * y]);
        }
    }
    hmma_multiply_(w, op, &d);
    for (unsigned k = 0; k < 4; k++) {
        float sum[SMRF_EXEC_LANES];
        for (unsigned y = 0; y < 8; y++) {
            narrow_(&sum[4 * y], &d.row[8 * (k >> 1) + y][k & 1]);
        }
        SMRF_EXEC_EACH_LANE(i)
            out[k][i] = smrf_exec_canonical(smrf_exec_float_bits(sum[i]));
    }
    write_rows_(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

/* Rounded to nearest, once: a float whose last bit tells that something was lost rounds to the
 * half that the double rounds to. */
SMRF_EXEC_INLINE void pack_halves_(quad sum[8][SIDES], uint32_t row[SMRF_EXEC_LANES])
{
    uint32_t half[SIDES][SMRF_EXEC_LANES];
    for (unsigned side = EVEN; side < SIDES; side++) {
        float near[SMRF_EXEC_LANES], rest[SMRF_EXEC_LANES];
        for (unsigned y = 0; y < 8; y++) {
            quad lost;
            narrow_(&near[4 * y], &sum[y][side]);
            widen_(&lost, &near[4 * y]);
            lost = sum[y][side] - lost;
            narrow_(&rest[4 * y], &lost);
        }
        SMRF_EXEC_EACH_LANE(i)
            half[side][i] = smrf_exec_float_to_half(smrf_exec_to_odd(near[i], rest[i]));
    }
    SMRF_EXEC_EACH_LANE(i)
        row[i] = half[EVEN][i] | half[ODD][i] << 16;
}

SMRF_EXEC_HANDLER(hmma_f16)
{
    const uint32_t *c[2];
    struct sums d;
    uint32_t out[2][SMRF_EXEC_LANES];
    source_rows_(w, &op->src[2], 2, c);
    for (unsigned h = 0; h < 2; h++) {
        float half[SIDES][SMRF_EXEC_LANES];
        unpack_halves_(c[h], half);
        for (unsigned y = 0; y < 8; y++) {
            for (unsigned side = EVEN; side < SIDES; side++) {
                widen_(&d.row[8 * h + y][side], &half[side][4 * y]);
            }
        }
    }
    hmma_multiply_(w, op, &d);
    for (unsigned h = 0; h < 2; h++) {
        pack_halves_(&d.row[8 * h], out[h]);
    }
    write_rows_(w, op, mask, 2, out);
    return smrf_exec_done(w);
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
    if (smrf_exec_has(b->inst, "16816") || smrf_exec_has(b->inst, "1684") ||
        smrf_exec_has(b->inst, "BF16") || smrf_exec_has(b->inst, "TF32")) {
        smrf_exec_bind_hmma_wide(b);
        return;
    }
    if (!smrf_exec_bind_has(b, "1688")) {
        smrf_exec_bind_fail(b, "%s: only the shapes .884, .1684, .1688 and .16816 are supported",
                            b->inst->mnemonic);
    }
    bool single = smrf_exec_bind_has(b, "F32");
    if (!single && !smrf_exec_bind_has(b, "F16")) {
        smrf_exec_bind_fail(b, "%s names no accumulator type", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    }
    b->op->fn = single ? SMRF_EXEC_PICK(hmma_f32) : SMRF_EXEC_PICK(hmma_f16);
}

/* --- IMMA, BMMA: 8 x 8 ---------------------------------------------------------------------- */

/* op->sub: bits an element, then signs and saturation. */
enum { A_SIGNED = 1 << 8, B_SIGNED = 1 << 9, SATURATE = 1 << 10 };

/* Element k of a lane's word. */
SMRF_EXEC_INLINE int32_t element_(uint32_t word, unsigned k, unsigned bits, bool is_signed)
{
    uint32_t up = word << (32 - bits - k * bits);
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

/* Row y of A lies in lanes 4y to 4y + 3, column x of B in lanes 4x to 4x + 3, elements 2m and 2m +
 * 1 of a row of C in its lane m. */
SMRF_EXEC_HANDLER(imma)
{
    const uint32_t *a[1], *b[1], *c[2];
    uint32_t out[2][SMRF_EXEC_LANES];
    unsigned bits = op->sub & 0xff, depth = 32 / bits;
    bool sign_a = (op->sub & A_SIGNED) != 0, sign_b = (op->sub & B_SIGNED) != 0;
    source_rows_(w, &op->src[0], 1, a);
    source_rows_(w, &op->src[1], 1, b);
    source_rows_(w, &op->src[2], 2, c);
    int32_t left[8][32], right[8][32];
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < depth; k++) {
            left[GROUP(i)][MEMBER(i) * depth + k] = element_(a[0][i], k, bits, sign_a);
            right[GROUP(i)][MEMBER(i) * depth + k] = element_(b[0][i], k, bits, sign_b);
        }
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned h = 0; h < 2; h++) {
            const int32_t *row = left[GROUP(i)], *column = right[2 * MEMBER(i) + h];
            int32_t sum = 0; /* 32 products of bytes fit */
            for (unsigned k = 0; k < 4 * depth; k++) {
                sum += row[k] * column[k];
            }
            int64_t whole = (int64_t)(int32_t)c[h][i] + sum;
            if ((op->sub & SATURATE) != 0) {
                whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            }
            out[h][i] = (uint32_t)whole;
        }
    write_rows_(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

static void bind_imma_(struct smrf_exec_binding *b)
{
    static const char *const byte[] = {"S8", "U8"}, *const nibble[] = {"S4", "U4"};
    if (!smrf_exec_has(b->inst, "8816") && !smrf_exec_has(b->inst, "8832")) {
        smrf_exec_bind_imma_wide(b);
        return;
    }
    bool wide = smrf_exec_bind_has(b, "8816");
    (void)smrf_exec_bind_has(b, "8832");
    unsigned type[2];
    for (unsigned n = 0; n < 2; n++) {
        type[n] = smrf_exec_bind_next_of(b, wide ? byte : nibble, 2, 2);
    }
    if (type[0] == 2 || type[1] == 2) {
        smrf_exec_bind_fail(b, "%s lacks the types of its factors", b->inst->mnemonic);
    }
    b->op->sub = (wide ? 8U : 4U) | (type[0] == 0 ? A_SIGNED : 0U) |
                 (type[1] == 0 ? B_SIGNED : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SATURATE : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_ROW);
    smrf_exec_bind_matrix(b, SMRF_SASS_COL);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(imma);
}

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
                                                    {"IMMA", bind_imma_},
                                                    {"BMMA", bind_bmma_},
                                                    {"MOVM", bind_movm_},
                                                    {"DMMA", smrf_exec_bind_dmma}};
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
