/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions since sm_80: HMMA of 16 x 8 x 16 and with BF16 and TF32, IMMA and BMMA of 16
 * rows, DMMA. Fragment layouts: PTX ISA, mma.m16n8k4 to m16n8k256 and m8n8k4 of doubles.
 *
 * In all but DMMA a row of A is 2, 4 or 8 words, whatever an element's type: register r of a lane
 * has word 4 (r / 2) + m of row g + 8 (r % 2), of B word 4 r + m of column g, of C and D elements
 * 2m and 2m + 1 of row g or g + 8, with g the lane's number over 4 and m what is left. Sums are
 * formed as those of HMMA.1688 are (tensor.c). */
#include "firmware/exec/tensor.h"

#include <math.h>

#define ROWS 16
#define COLUMNS 8
#define MOST_WORDS 8
#define MOST_TERMS 16 /* of a floating-point sum */

struct words {
    uint32_t a[ROWS][MOST_WORDS], b[COLUMNS][MOST_WORDS];
};

/* op->sub: words of a row, bits of an element, then flags. */
enum {
    WIDE_WORDS = 0xff,
    WIDE_BITS = 0xff00,
    WIDE_A_SIGNED = 1 << 16,
    WIDE_B_SIGNED = 1 << 17,
    WIDE_SATURATE = 1 << 18,
    WIDE_AND = 1 << 19
};
#define WORDS(op) ((op)->sub & WIDE_WORDS)
#define BITS(op) (((op)->sub & WIDE_BITS) >> 8)

/* What an element of a floating-point matrix is; in op->sub2. */
enum { ELEMENT_F16, ELEMENT_BF16, ELEMENT_TF32, HALF_SUM = 4 };

static const uint32_t *row_of_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                               unsigned k)
{
    return w->r[src->reg >= SMRF_EXEC_RZ ? src->reg : src->reg + k];
}

static void gather_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                    struct words *words)
{
    const unsigned count = WORDS(op), pieces = (count + 3) / 4;
    for (unsigned r = 0; r < 2 * pieces; r++) {
        const uint32_t *row = row_of_(w, &op->src[0], r);
        SMRF_EXEC_EACH_LANE(i)
            words->a[SMRF_EXEC_GROUP(i) + 8 * (r % 2)][4 * (r / 2) + SMRF_EXEC_MEMBER(i)] = row[i];
    }
    for (unsigned r = 0; r < pieces; r++) {
        const uint32_t *row = row_of_(w, &op->src[1], r);
        SMRF_EXEC_EACH_LANE(i)
            words->b[SMRF_EXEC_GROUP(i)][4 * r + SMRF_EXEC_MEMBER(i)] = row[i];
    }
}

static void write_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                   unsigned count, uint32_t out[][SMRF_EXEC_LANES])
{
    unsigned r = op->dst;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r)) {
        smrf_exec_write(w, r, mask, out[k]);
    }
}

/* ---- HMMA ---------------------------------------------------------------------------------- */

/* Elements of a row's words as floats, in order of k; returns how many. */
SMRF_EXEC_INLINE unsigned elements_(const uint32_t *word, unsigned words, unsigned type,
                                    float to[MOST_TERMS])
{
    for (unsigned k = 0; k < words; k++) {
        if (type == ELEMENT_TF32) { /* the lowest 13 bits of the fraction do not count */
            to[k] = smrf_exec_float(word[k] & ~UINT32_C(0x1fff));
        } else if (type == ELEMENT_BF16) {
            to[2 * k] = smrf_exec_float(word[k] << 16);
            to[2 * k + 1] = smrf_exec_float(word[k] & 0xffff0000);
        } else {
            to[2 * k] = smrf_exec_half_to_float(word[k] & 0xffff);
            to[2 * k + 1] = smrf_exec_half_to_float(word[k] >> 16);
        }
    }
    return type == ELEMENT_TF32 ? words : 2 * words;
}

SMRF_EXEC_INLINE double addend_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                unsigned lane, unsigned k)
{
    if ((op->sub2 & HALF_SUM) != 0) {
        const uint32_t pair = row_of_(w, &op->src[2], k / 2)[lane];
        return (double)smrf_exec_half_to_float(k % 2 != 0 ? pair >> 16 : pair & 0xffff);
    }
    return (double)smrf_exec_float(row_of_(w, &op->src[2], k)[lane]);
}

SMRF_EXEC_HANDLER(hmma_wide)
{
    struct words words = {.a = {{0}}};
    float a[ROWS][MOST_TERMS], b[COLUMNS][MOST_TERMS];
    uint32_t out[4][SMRF_EXEC_LANES] = {{0}};
    const unsigned type = op->sub2 & 3;
    const bool half = (op->sub2 & HALF_SUM) != 0;
    unsigned terms = 0;
    gather_(w, op, &words);
    for (unsigned y = 0; y < ROWS; y++) {
        terms = elements_(words.a[y], WORDS(op), type, a[y]);
    }
    for (unsigned x = 0; x < COLUMNS; x++) {
        (void)elements_(words.b[x], WORDS(op), type, b[x]);
    }
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < 4; k++) {
            const float *row = a[SMRF_EXEC_GROUP(i) + 8 * (k / 2)];
            const float *column = b[2 * SMRF_EXEC_MEMBER(i) + k % 2];
            double sum = addend_(w, op, i, k);
            for (unsigned n = 0; n < terms; n++) {
                sum += (double)row[n] * (double)column[n]; /* a product is exact */
            }
            if (half) {
                out[k / 2][i] |= smrf_exec_nearest_half(sum) << 16 * (k % 2);
            } else {
                out[k][i] = smrf_exec_canonical(smrf_exec_float_bits((float)sum));
            }
        }
    write_(w, op, mask, half ? 2 : 4, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_hmma_wide(struct smrf_exec_binding *b)
{
    static const char *const shapes[] = {"1684", "1688", "16816"};
    static const char *const sums[] = {"F32", "F16"};
    const unsigned shape = smrf_exec_bind_one_of(b, shapes, 3, 3);
    const unsigned sum = smrf_exec_bind_one_of(b, sums, 2, 2);
    const unsigned type = smrf_exec_bind_has(b, "BF16")   ? ELEMENT_BF16
                          : smrf_exec_bind_has(b, "TF32") ? ELEMENT_TF32
                                                          : ELEMENT_F16;
    const unsigned words = shape == 2 ? 8 : shape == 1 && type == ELEMENT_TF32 ? 8 : 4;
    if (sum == 2 || (sum == 1 && type != ELEMENT_F16) || (shape == 2 && type == ELEMENT_TF32) ||
        (shape == 0 && type != ELEMENT_TF32)) {
        smrf_exec_bind_fail(b, "%s: this shape or these types are not supported",
                            b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    }
    b->op->sub = words;
    b->op->sub2 = type | (sum == 1 ? HALF_SUM : 0U);
    b->op->fn = SMRF_EXEC_PICK(hmma_wide);
}

/* ---- IMMA, BMMA ---------------------------------------------------------------------------- */

SMRF_EXEC_INLINE int32_t integer_(uint32_t word, unsigned k, unsigned bits, bool is_signed)
{
    const uint32_t up = word << (32 - bits - k * bits);
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

SMRF_EXEC_INLINE int32_t integer_product_(const struct smrf_exec_op *op, const uint32_t *a,
                                          const uint32_t *b)
{
    const unsigned bits = BITS(op);
    int32_t sum = 0; /* 32 products of bytes fit */
    for (unsigned n = 0; n < WORDS(op); n++) {
        for (unsigned k = 0; k < 32 / bits; k++) {
            sum += integer_(a[n], k, bits, (op->sub & WIDE_A_SIGNED) != 0) *
                   integer_(b[n], k, bits, (op->sub & WIDE_B_SIGNED) != 0);
        }
    }
    return sum;
}

SMRF_EXEC_INLINE int32_t bit_product_(const struct smrf_exec_op *op, const uint32_t *a,
                                      const uint32_t *b)
{
    int32_t sum = 0;
    for (unsigned n = 0; n < WORDS(op); n++) {
        sum += __builtin_popcount((op->sub & WIDE_AND) != 0 ? a[n] & b[n] : a[n] ^ b[n]);
    }
    return sum;
}

SMRF_EXEC_HANDLER(imma_wide)
{
    struct words words = {.a = {{0}}};
    uint32_t out[4][SMRF_EXEC_LANES];
    gather_(w, op, &words);
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t *row = words.a[SMRF_EXEC_GROUP(i) + 8 * (k / 2)];
            const uint32_t *column = words.b[2 * SMRF_EXEC_MEMBER(i) + k % 2];
            int64_t sum =
                BITS(op) == 1 ? bit_product_(op, row, column) : integer_product_(op, row, column);
            sum += (int32_t)row_of_(w, &op->src[2], k)[i];
            if ((op->sub & WIDE_SATURATE) != 0) {
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            }
            out[k][i] = (uint32_t)sum;
        }
    write_(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

static void bind_integers_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_ROW);
    smrf_exec_bind_matrix(b, SMRF_SASS_COL);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(imma_wide);
}

void smrf_exec_bind_imma_wide(struct smrf_exec_binding *b)
{
    static const char *const types[] = {"S8", "U8", "S4", "U4"};
    static const char *const shapes[] = {"16816", "16832", "16864"};
    const unsigned depth = 16U << smrf_exec_bind_one_of(b, shapes, 3, 0);
    const unsigned first = smrf_exec_bind_next_of(b, types, 4, 4);
    const unsigned second = smrf_exec_bind_next_of(b, types, 4, 4);
    const unsigned bits = first < 2 ? 8 : 4, words = depth * bits / 32;
    if (first == 4 || second == 4 || first / 2 != second / 2 || (words != 4 && words != 8)) {
        smrf_exec_bind_fail(b, "%s: this shape or these types are not supported",
                            b->inst->mnemonic);
    }
    b->op->sub = words | bits << 8 | (first % 2 == 0 ? (unsigned)WIDE_A_SIGNED : 0U) |
                 (second % 2 == 0 ? (unsigned)WIDE_B_SIGNED : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)WIDE_SATURATE : 0U);
    bind_integers_(b);
}

void smrf_exec_bind_bmma_wide(struct smrf_exec_binding *b)
{
    const bool both = smrf_exec_bind_has(b, "AND");
    const unsigned words = smrf_exec_bind_has(b, "168256")   ? 8
                           : smrf_exec_bind_has(b, "168128") ? 4
                                                             : 0;
    if (words == 0 || !smrf_exec_bind_has(b, "POPC") || (!both && !smrf_exec_bind_has(b, "XOR"))) {
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    }
    b->op->sub = words | 1U << 8 | (both ? (unsigned)WIDE_AND : 0U);
    bind_integers_(b);
}

/* ---- DMMA: 8 x 4 by 4 x 8 ------------------------------------------------------------------ */

static double pair_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src, unsigned k,
                    unsigned lane)
{
    const uint64_t low = row_of_(w, src, k)[lane], high = row_of_(w, src, k + 1)[lane];
    const uint64_t bits = low | high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Row g of A lies in lanes 4g to 4g + 3, column g of B likewise, elements 2m and 2m + 1 of row g of
 * C in its lane m. Every product is added with one rounding, in order of k. */
static int dmma_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t out[4][SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned e = 0; e < 2; e++) {
            const unsigned row = 4 * SMRF_EXEC_GROUP(i), column = 4 * (2 * SMRF_EXEC_MEMBER(i) + e);
            double sum = pair_(w, &op->src[2], 2 * e, i);
            for (unsigned k = 0; k < 4; k++) {
                sum = fma(pair_(w, &op->src[0], 0, row + k), pair_(w, &op->src[1], 0, column + k),
                          sum);
            }
            uint64_t bits = UINT64_C(0xfff8000000000000); /* the NaN that DFMA gives */
            if (!isnan(sum)) {
                memcpy(&bits, &sum, sizeof bits);
            }
            out[2 * e][i] = (uint32_t)bits;
            out[2 * e + 1][i] = (uint32_t)(bits >> 32);
        }
    write_(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_dmma(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "884") && !smrf_exec_bind_has(b, "8x8x4")) {
        smrf_exec_bind_fail(b, "%s: only the shape .884 is supported", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    }
    b->op->fn = dmma_;
}
