/* SPDX-License-Identifier: Apache-2.0 */
/* HMMA of 16 x 8 sums: .1688 and .16816 of halves and of BF16, .1684 and .1688 of TF32. Fragment
 * layouts: PTX ISA, mma.m16n8k4, k8 and k16.
 *
 * A factor is exact in a float and a product in a double. The products and the accumulator are
 * added in double precision in order of k, then rounded once to nearest. The hardware's own order
 * and truncation of the sum are not documented; results agree within the last bits. A fused
 * multiply-add gives the same bits, since the product is exact. */
#include "firmware/exec/tensor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#define GROUPS 8     /* rows that a register holds: one in four lanes */
#define MOST_K 16    /* terms of a sum */
#define MOST_PARTS 2 /* pairs of registers of A: rows 0 to 7, and 8 to 15 */

typedef float four __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));

/* A row of B, C or D is kept as its four even columns and its four odd ones: a lane has an even
 * column's element and the odd one behind it. */
enum { EVEN, ODD, SIDES };

/* What an element of A and B is; in op->sub2, with the type of the sums. op->sub: pairs of
 * registers of A. */
enum { ELEMENT_F16, ELEMENT_BF16, ELEMENT_TF32, ELEMENT = 3, HALF_SUM = 4 };

struct factors {
    /* Of lane 4g + m: terms 2m and 2m + 1 of row g or 8 + g; of TF32 term m. */
    double a[MOST_PARTS][2][2][SMRF_EXEC_LANES];
    quad b[MOST_K][SIDES];
};

static const uint32_t *row_of_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                               unsigned k)
{
    return w->r[src->reg >= SMRF_EXEC_RZ ? src->reg : src->reg + k];
}

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

/* ---- halves to floats ---------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
SMRF_EXEC_WIDE static inline void convert_wide_(const uint16_t half[SMRF_EXEC_LANES],
                                                float to[SMRF_EXEC_LANES])
{
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i += 8) {
        const __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)&half[i]);
        _mm256_storeu_ps(&to[i], _mm256_cvtph_ps(eight));
    }
}

SMRF_EXEC_WIDE static inline void round_wide_(const float from[SMRF_EXEC_LANES],
                                              uint16_t half[SMRF_EXEC_LANES])
{
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i += 8) {
        const __m256 eight = _mm256_loadu_ps(&from[i]);
        _mm_storeu_si128((__m128i *)(void *)&half[i],
                         _mm256_cvtps_ph(eight, _MM_FROUND_TO_NEAREST_INT));
    }
}
#else
static inline void round_wide_(const float from[SMRF_EXEC_LANES], uint16_t half[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        half[i] = (uint16_t)smrf_exec_float_to_half(from[i]);
}

static inline void convert_wide_(const uint16_t half[SMRF_EXEC_LANES], float to[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        to[i] = smrf_exec_half_to_float(half[i]);
}
#endif

/* Elements in a word's low and high half. */
SMRF_EXEC_INLINE void split_(const uint32_t row[SMRF_EXEC_LANES], unsigned type, const bool wide,
                             float low[SMRF_EXEC_LANES], float high[SMRF_EXEC_LANES])
{
    if (type == ELEMENT_BF16) {
        SMRF_EXEC_EACH_LANE(i) {
            low[i] = smrf_exec_float(row[i] << 16);
            high[i] = smrf_exec_float(row[i] & 0xffff0000);
        }
    } else if (wide) {
        uint16_t half[SIDES][SMRF_EXEC_LANES];
        SMRF_EXEC_EACH_LANE(i) {
            half[0][i] = (uint16_t)row[i];
            half[1][i] = (uint16_t)(row[i] >> 16);
        }
        convert_wide_(half[0], low);
        convert_wide_(half[1], high);
    } else {
        SMRF_EXEC_EACH_LANE(i) {
            low[i] = smrf_exec_half_to_float(row[i] & 0xffff);
            high[i] = smrf_exec_half_to_float(row[i] >> 16);
        }
    }
}

/* ---- factors ------------------------------------------------------------------------------- */

/* The lowest 13 bits of TF32's fraction do not count. */
SMRF_EXEC_INLINE float single_(uint32_t word)
{
    return smrf_exec_float(word & ~UINT32_C(0x1fff));
}

SMRF_EXEC_INLINE void load_a_(const uint32_t row[SMRF_EXEC_LANES], unsigned type, const bool wide,
                              double a[2][SMRF_EXEC_LANES])
{
    float term[2][SMRF_EXEC_LANES];
    if (type == ELEMENT_TF32) {
        SMRF_EXEC_EACH_LANE(i)
            a[0][i] = (double)single_(row[i]);
        return;
    }
    split_(row, type, wide, term[0], term[1]);
    for (unsigned k = 0; k < 2; k++) {
        SMRF_EXEC_EACH_LANE(i)
            a[k][i] = (double)term[k][i];
    }
}

/* Lane 4x + m has terms 2m and 2m + 1 of column x, of TF32 term m. */
SMRF_EXEC_INLINE void load_b_(const uint32_t row[SMRF_EXEC_LANES], unsigned type, const bool wide,
                              quad b[][SIDES])
{
    uint32_t turned[SMRF_EXEC_LANES]; /* [m][column]: the even ones, then the odd ones */
    float half[2][SMRF_EXEC_LANES];
    for (unsigned m = 0; m < 4; m++) {
        for (unsigned j = 0; j < 4; j++) {
            turned[8 * m + j] = row[8 * j + m];
            turned[8 * m + 4 + j] = row[8 * j + 4 + m];
        }
    }
    if (type == ELEMENT_TF32) {
        SMRF_EXEC_EACH_LANE(i)
            half[0][i] = single_(turned[i]);
        for (unsigned k = 0; k < 4; k++) {
            widen_(&b[k][EVEN], &half[0][8 * k]);
            widen_(&b[k][ODD], &half[0][8 * k + 4]);
        }
        return;
    }
    split_(turned, type, wide, half[0], half[1]);
    for (unsigned k = 0; k < 8; k++) {
        widen_(&b[k][EVEN], &half[k % 2][8 * (k / 2)]);
        widen_(&b[k][ODD], &half[k % 2][8 * (k / 2) + 4]);
    }
}

SMRF_EXEC_INLINE void load_factors_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                    unsigned type, const unsigned parts, const bool wide,
                                    struct factors *f)
{
    const unsigned terms = type == ELEMENT_TF32 ? 4 : 8;
    for (unsigned part = 0; part < parts; part++) {
        for (unsigned h = 0; h < 2; h++) {
            load_a_(row_of_(w, &op->src[0], 2 * part + h), type, wide, f->a[part][h]);
        }
        load_b_(row_of_(w, &op->src[1], part), type, wide, &f->b[part * terms]);
    }
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Adds the products of A's row 8h + g. */
SMRF_EXEC_INLINE void add_row_(const struct factors *f, const unsigned parts, const unsigned terms,
                               unsigned h, unsigned g, quad sum[SIDES])
{
    quad even = sum[EVEN], odd = sum[ODD];
    for (unsigned part = 0; part < parts; part++) {
        const double(*a)[SMRF_EXEC_LANES] = f->a[part][h];
        const quad(*b)[SIDES] = &f->b[part * terms];
#pragma GCC unroll 8
        for (unsigned k = 0; k < terms; k++) {
            const double factor = terms == 8 ? a[k % 2][4 * g + k / 2] : a[0][4 * g + k];
            even += b[k][EVEN] * factor;
            odd += b[k][ODD] * factor;
        }
    }
    sum[EVEN] = even;
    sum[ODD] = odd;
}

SMRF_EXEC_INLINE void sum_floats_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                  const struct factors *f, const unsigned parts,
                                  const unsigned terms, uint32_t out[4][SMRF_EXEC_LANES])
{
    float c[4][SMRF_EXEC_LANES];
    for (unsigned k = 0; k < 4; k++) {
        memcpy(c[k], row_of_(w, &op->src[2], k), sizeof c[k]);
    }
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned g = 0; g < GROUPS; g++) {
            quad sum[SIDES];
            widen_(&sum[EVEN], &c[2 * h][4 * g]);
            widen_(&sum[ODD], &c[2 * h + 1][4 * g]);
            add_row_(f, parts, terms, h, g, sum);
            narrow_(&c[2 * h][4 * g], &sum[EVEN]);
            narrow_(&c[2 * h + 1][4 * g], &sum[ODD]);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        SMRF_EXEC_EACH_LANE(i)
            out[k][i] = smrf_exec_canonical(smrf_exec_float_bits(c[k][i]));
    }
}

/* To nearest, ties to even; a NaN becomes the canonical one. */
SMRF_EXEC_INLINE void round_(const float from[SMRF_EXEC_LANES], const bool wide,
                             uint32_t to[SMRF_EXEC_LANES])
{
    uint16_t half[SMRF_EXEC_LANES];
    if (!wide) {
        SMRF_EXEC_EACH_LANE(i)
            to[i] = smrf_exec_float_to_half(from[i]);
        return;
    }
    round_wide_(from, half);
    SMRF_EXEC_EACH_LANE(i)
        to[i] = (half[i] & 0x7fffU) > 0x7c00 ? SMRF_EXEC_NAN_F16 : half[i];
}

/* Rounded to nearest, once: a float whose last bit tells that something was lost rounds to the
 * half that the double rounds to. */
SMRF_EXEC_INLINE void pack_halves_(quad sum[GROUPS][SIDES], const bool wide,
                                   uint32_t row[SMRF_EXEC_LANES])
{
    uint32_t half[SIDES][SMRF_EXEC_LANES];
    for (unsigned side = EVEN; side < SIDES; side++) {
        float near[SMRF_EXEC_LANES], rest[SMRF_EXEC_LANES];
        for (unsigned g = 0; g < GROUPS; g++) {
            quad lost;
            narrow_(&near[4 * g], &sum[g][side]);
            widen_(&lost, &near[4 * g]);
            lost = sum[g][side] - lost;
            narrow_(&rest[4 * g], &lost);
        }
        SMRF_EXEC_EACH_LANE(i)
            near[i] = smrf_exec_to_odd(near[i], rest[i]);
        round_(near, wide, half[side]);
    }
    SMRF_EXEC_EACH_LANE(i)
        row[i] = half[EVEN][i] | half[ODD][i] << 16;
}

SMRF_EXEC_INLINE void sum_halves_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                  const struct factors *f, const unsigned parts, const bool wide,
                                  uint32_t out[4][SMRF_EXEC_LANES])
{
    for (unsigned h = 0; h < 2; h++) {
        float c[SIDES][SMRF_EXEC_LANES];
        quad sum[GROUPS][SIDES];
        split_(row_of_(w, &op->src[2], h), ELEMENT_F16, wide, c[EVEN], c[ODD]);
        for (unsigned g = 0; g < GROUPS; g++) {
            widen_(&sum[g][EVEN], &c[EVEN][4 * g]);
            widen_(&sum[g][ODD], &c[ODD][4 * g]);
            add_row_(f, parts, 8, h, g, sum[g]);
        }
        pack_halves_(sum, wide, out[h]);
    }
}

SMRF_EXEC_INLINE int hmma_parts_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                 uint32_t mask, const unsigned parts, const bool wide)
{
    struct factors f;
    uint32_t out[4][SMRF_EXEC_LANES];
    const unsigned type = op->sub2 & ELEMENT;
    const bool half = (op->sub2 & HALF_SUM) != 0;
    load_factors_(w, op, type, parts, wide, &f);
    if (half) {
        sum_halves_(w, op, &f, parts, wide, out);
    } else if (type == ELEMENT_TF32) {
        sum_floats_(w, op, &f, parts, 4, out);
    } else {
        sum_floats_(w, op, &f, parts, 8, out);
    }
    unsigned r = op->dst;
    for (unsigned k = 0; k < (half ? 2U : 4U); k++, r = smrf_exec_next_row(r)) {
        smrf_exec_write(w, r, mask, out[k]);
    }
    return smrf_exec_done(w);
}

SMRF_EXEC_INLINE int hmma_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                           const bool wide)
{
    return op->sub == 1 ? hmma_parts_(w, op, mask, 1, wide) : hmma_parts_(w, op, mask, 2, wide);
}

SMRF_EXEC_WIDE static int hmma_wide(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                    uint32_t mask)
{
    return hmma_(w, op, mask, true);
}

static int hmma_base(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    return hmma_(w, op, mask, false);
}

void smrf_exec_bind_hmma(struct smrf_exec_binding *b)
{
    static const char *const shapes[] = {"1684", "1688", "16816"};
    static const char *const sums[] = {"F32", "F16"};
    const unsigned shape = smrf_exec_bind_one_of(b, shapes, 3, 3);
    const unsigned sum = smrf_exec_bind_one_of(b, sums, 2, 2);
    const unsigned type = smrf_exec_bind_has(b, "BF16")   ? ELEMENT_BF16
                          : smrf_exec_bind_has(b, "TF32") ? ELEMENT_TF32
                                                          : ELEMENT_F16;
    if (shape == 3) {
        smrf_exec_bind_fail(b, "%s: only the shapes .884, .1684, .1688 and .16816 are supported",
                            b->inst->mnemonic);
    } else if (sum == 2 && type == ELEMENT_F16) {
        smrf_exec_bind_fail(b, "%s names no accumulator type", b->inst->mnemonic);
    } else if (sum == 2 || (sum == 1 && type != ELEMENT_F16) ||
               (shape == 2 && type == ELEMENT_TF32) || (shape == 0 && type != ELEMENT_TF32)) {
        smrf_exec_bind_fail(b, "%s: this shape or these types are not supported",
                            b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    }
    b->op->sub = shape == 2 || (shape == 1 && type == ELEMENT_TF32) ? 2 : 1;
    b->op->sub2 = type | (sum == 1 ? HALF_SUM : 0U);
    b->op->fn = SMRF_EXEC_PICK(hmma);
}
