/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions of a warp: HMMA, IMMA, BMMA, MOVM. Fragment layouts: PTX ISA, mma.m16n8k8,
 * m8n8k16, m8n8k32, m8n8k128 and movmatrix. Which lanes are active does not matter: the
 * instructions need the whole warp, and a partial mask only limits the writes.
 *
 * HMMA multiplies halves exactly and adds the eight products and the accumulator in double
 * precision in order of k, then rounds once to nearest. The hardware's own order and truncation of
 * the sum are not documented; results agree within the last bits. */
#include "firmware/exec/fp16.h"

#include <math.h>

#define GROUP(lane) ((lane) >> 2)
#define MEMBER(lane) ((lane)&3U)

/* Rows of consecutive registers from a source on; all zeros from RZ on. */
static void source_rows(struct smrf_exec_warp *w, const struct smrf_exec_src *src, unsigned count,
                        const uint32_t *row[])
{
    unsigned r = src->reg;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r))
        row[k] = w->r[r];
}

static void write_rows(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                       unsigned count, uint32_t out[][SMRF_EXEC_LANES])
{
    unsigned r = op->dst;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r))
        smrf_exec_write(w, r, mask, out[k]);
}

/* ---- HMMA.1688: 16 x 8 by 8 x 8 ----------------------------------------------------------------
 */

/* Lane i holds elements 2i and 2i + 1 of a matrix of 8 x 8, row by row (of B: column by column): a
 * register is 64 elements one after the other, and the loops below run over rows of lanes. */

SMRF_EXEC_INLINE void unpack_halves(const uint32_t row[SMRF_EXEC_LANES], double out[64])
{
    float half[2][SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        half[0][i] = smrf_exec_half_to_float(row[i] & 0xffff);
        half[1][i] = smrf_exec_half_to_float(row[i] >> 16);
    }
    SMRF_EXEC_EACH_LANE(i) {
        out[2 * i] = (double)half[0][i];
        out[2 * i + 1] = (double)half[1][i];
    }
}

/* Rounded to nearest, once: a float whose last bit tells that something was lost rounds to the
 * half that the double rounds to. */
SMRF_EXEC_INLINE void pack_halves(const double in[64], uint32_t row[SMRF_EXEC_LANES])
{
    float near[64], rest[64];
    uint32_t half[64];
    for (unsigned i = 0; i < 64; i++) {
        near[i] = (float)in[i];
        rest[i] = (float)(in[i] - (double)near[i]);
    }
    for (unsigned i = 0; i < 64; i++)
        half[i] = smrf_exec_float_to_half(smrf_exec_to_odd(near[i], rest[i]));
    SMRF_EXEC_EACH_LANE(i)
        row[i] = half[2 * i] | half[2 * i + 1] << 16;
}

/* A row of the 8 columns, as vectors: left to itself the compiler splits the sums. */
typedef double quad __attribute__((vector_size(32)));
struct sum_row {
    quad at[2];
};

SMRF_EXEC_INLINE void hmma_multiply(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                    double d[128])
{
    const uint32_t *row[2], *column[1];
    double a[128], columns[64];
    struct sum_row b[8];
    source_rows(w, &op->src[0], 2, row);
    source_rows(w, &op->src[1], 1, column);
    unpack_halves(row[0], a);
    unpack_halves(row[1], a + 64);
    unpack_halves(column[0], columns);
    for (unsigned x = 0; x < 8; x++)
        for (unsigned k = 0; k < 8; k++)
            b[k].at[x / 4][x % 4] = columns[8 * x + k];
    for (unsigned y = 0; y < 16; y++) {
        struct sum_row sum;
        memcpy(&sum, &d[8 * y], sizeof sum);
        for (unsigned k = 0; k < 8; k++) {
            sum.at[0] += b[k].at[0] * a[8 * y + k];
            sum.at[1] += b[k].at[1] * a[8 * y + k];
        }
        memcpy(&d[8 * y], &sum, sizeof sum);
    }
}

SMRF_EXEC_HANDLER(hmma_f32)
{
    const uint32_t *c[4];
    double d[128];
    uint32_t out[4][SMRF_EXEC_LANES];
    source_rows(w, &op->src[2], 4, c);
    for (unsigned k = 0; k < 4; k++)
        SMRF_EXEC_EACH_LANE(i)
            d[64 * (k >> 1) + 2 * i + (k & 1)] = (double)smrf_exec_float(c[k][i]);
    hmma_multiply(w, op, d);
    for (unsigned k = 0; k < 4; k++)
        SMRF_EXEC_EACH_LANE(i)
            out[k][i] = smrf_exec_canonical(
                smrf_exec_float_bits((float)d[64 * (k >> 1) + 2 * i + (k & 1)]));
    write_rows(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(hmma_f16)
{
    const uint32_t *c[2];
    double d[128];
    uint32_t out[2][SMRF_EXEC_LANES];
    source_rows(w, &op->src[2], 2, c);
    unpack_halves(c[0], d);
    unpack_halves(c[1], d + 64);
    hmma_multiply(w, op, d);
    pack_halves(d, out[0]);
    pack_halves(d + 64, out[1]);
    write_rows(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

/* A matrix operand: whole registers without modifiers, with the part that says how it is laid. */
static void bind_matrix(struct smrf_exec_binding *b, unsigned part)
{
    smrf_exec_bind_src(b, SMRF_EXEC_RAW);
    if (b->rc != 0)
        return;
    const struct smrf_exec_src *src = &b->op->src[b->op->num_src - 1];
    if (src->kind != SMRF_SASS_REG || src->part != part || src->negated || src->absolute ||
        src->inverted)
        smrf_exec_bind_fail(b, "operand %u of %s is not supported in this form", b->next,
                            b->inst->mnemonic);
}

static void bind_hmma(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "1688"))
        smrf_exec_bind_fail(b, "%s: only the shape .1688 is supported", b->inst->mnemonic);
    bool single = smrf_exec_bind_has(b, "F32");
    if (!single && !smrf_exec_bind_has(b, "F16"))
        smrf_exec_bind_fail(b, "%s names no accumulator type", b->inst->mnemonic);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++)
        bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = single ? SMRF_EXEC_PICK(hmma_f32) : SMRF_EXEC_PICK(hmma_f16);
}

/* ---- IMMA, BMMA: 8 x 8 -------------------------------------------------------------------------
 */

/* op->sub: bits an element, then signs and saturation. */
enum { A_SIGNED = 1 << 8, B_SIGNED = 1 << 9, SATURATE = 1 << 10 };

/* Element k of a lane's word. */
SMRF_EXEC_INLINE int32_t element(uint32_t word, unsigned k, unsigned bits, bool is_signed)
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
    source_rows(w, &op->src[0], 1, a);
    source_rows(w, &op->src[1], 1, b);
    source_rows(w, &op->src[2], 2, c);
    int32_t left[8][32], right[8][32];
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < depth; k++) {
            left[GROUP(i)][MEMBER(i) * depth + k] = element(a[0][i], k, bits, sign_a);
            right[GROUP(i)][MEMBER(i) * depth + k] = element(b[0][i], k, bits, sign_b);
        }
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned h = 0; h < 2; h++) {
            const int32_t *row = left[GROUP(i)], *column = right[2 * MEMBER(i) + h];
            int32_t sum = 0; /* 32 products of bytes fit */
            for (unsigned k = 0; k < 4 * depth; k++)
                sum += row[k] * column[k];
            int64_t whole = (int64_t)(int32_t)c[h][i] + sum;
            if ((op->sub & SATURATE) != 0)
                whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            out[h][i] = (uint32_t)whole;
        }
    write_rows(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

static void bind_imma(struct smrf_exec_binding *b)
{
    static const char *const byte[] = {"S8", "U8"}, *const nibble[] = {"S4", "U4"};
    bool wide = smrf_exec_bind_has(b, "8816");
    if (!wide && !smrf_exec_bind_has(b, "8832"))
        smrf_exec_bind_fail(b, "%s: only the shapes .8816 and .8832 are supported",
                            b->inst->mnemonic);
    unsigned type[2];
    for (unsigned n = 0; n < 2; n++)
        type[n] = smrf_exec_bind_next_of(b, wide ? byte : nibble, 2, 2);
    if (type[0] == 2 || type[1] == 2)
        smrf_exec_bind_fail(b, "%s lacks the types of its factors", b->inst->mnemonic);
    b->op->sub = (wide ? 8U : 4U) | (type[0] == 0 ? A_SIGNED : 0U) |
                 (type[1] == 0 ? B_SIGNED : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SATURATE : 0U);
    smrf_exec_bind_dst(b);
    bind_matrix(b, SMRF_SASS_ROW);
    bind_matrix(b, SMRF_SASS_COL);
    bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(imma);
}

/* Bits in common, or in which row and column differ, of 128. */
SMRF_EXEC_HANDLER(bmma)
{
    const uint32_t *a[1], *b[1], *c[2];
    uint32_t out[2][SMRF_EXEC_LANES];
    source_rows(w, &op->src[0], 1, a);
    source_rows(w, &op->src[1], 1, b);
    source_rows(w, &op->src[2], 2, c);
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned h = 0; h < 2; h++) {
            uint32_t sum = c[h][i];
            for (unsigned k = 0; k < 4; k++) {
                uint32_t x = a[0][4 * GROUP(i) + k], y = b[0][4 * (2 * MEMBER(i) + h) + k];
                sum += (uint32_t)__builtin_popcount(op->sub != 0 ? x & y : x ^ y);
            }
            out[h][i] = sum;
        }
    write_rows(w, op, mask, 2, out);
    return smrf_exec_done(w);
}

static void bind_bmma(struct smrf_exec_binding *b)
{
    bool both = smrf_exec_bind_has(b, "AND");
    if (!smrf_exec_bind_has(b, "88128") || !smrf_exec_bind_has(b, "POPC") ||
        (!both && !smrf_exec_bind_has(b, "XOR")))
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    b->op->sub = both ? 1 : 0;
    smrf_exec_bind_dst(b);
    bind_matrix(b, SMRF_SASS_ROW);
    bind_matrix(b, SMRF_SASS_COL);
    bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(bmma);
}

/* Transpose of 8 x 8 halves; a row lies in four lanes. */
static int movm(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    const uint32_t *a[1];
    uint32_t out[SMRF_EXEC_LANES];
    source_rows(w, &op->src[0], 1, a);
    SMRF_EXEC_EACH_LANE(i) {
        unsigned y = GROUP(i), x = 2 * MEMBER(i), shift = 16 * (y & 1);
        uint32_t low = a[0][4 * x + y / 2] >> shift & 0xffff;
        uint32_t high = a[0][4 * (x + 1) + y / 2] >> shift & 0xffff;
        out[i] = low | high << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_movm(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "16") || !smrf_exec_bind_has(b, "MT88"))
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    smrf_exec_bind_dst(b);
    bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = movm;
}

int smrf_exec_bind_tensor(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"HMMA", bind_hmma}, {"IMMA", bind_imma}, {"BMMA", bind_bmma}, {"MOVM", bind_movm}};
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
