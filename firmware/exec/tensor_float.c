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
#define MOST_TERMS 8 /* of them in a pair of registers of A and a register of B */
#define MOST_PARTS 2 /* pairs of registers of A: rows 0 to 7, and 8 to 15 */

typedef float four __attribute__((vector_size(16)));
typedef int flags __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
typedef long long words __attribute__((vector_size(32)));
typedef short halves __attribute__((vector_size(32)));

/* A row of B, C or D is kept as its four even columns and its four odd ones: a lane has an even
 * column's element and the odd one behind it. */
enum { EVEN, ODD, SIDES };

/* What an element of A and B is; in op->sub2, with the type of the sums. op->sub: pairs of
 * registers of A. */
enum { ELEMENT_F16, ELEMENT_BF16, ELEMENT_TF32, ELEMENT = 3, HALF_SUM = 4 };

/* Which of the host's instructions this is compiled for. */
enum reach { BASE, WIDE, WIDEST };

struct factors {
    double a[MOST_PARTS][2][GROUPS * MOST_TERMS]; /* of row g or 8 + g, its terms */
    quad b[MOST_K][SIDES];
};

static const uint32_t *row_of_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                               unsigned k)
{
    return w->r[src->reg >= SMRF_EXEC_RZ ? src->reg : src->reg + k];
}

#if defined(__x86_64__) && defined(__GNUC__)
SMRF_EXEC_WIDE static inline void widen_wide_(quad *to, const void *from)
{
    *to = (quad)_mm256_cvtps_pd(_mm_loadu_ps(from));
}
SMRF_EXEC_WIDEST static inline void widen_widest_(quad to[SIDES], const float from[GROUPS])
{
    _mm512_storeu_pd((double *)to, _mm512_cvtps_pd(_mm256_loadu_ps(from)));
}
#else
static inline void widen_widest_(quad to[SIDES], const float from[GROUPS])
{
    (void)to;
    (void)from;
}

static inline void widen_wide_(quad *to, const void *from)
{
    (void)to;
    (void)from;
}
#endif

/* from: four floats. The compiler does it in halves. */
SMRF_EXEC_INLINE void widen_(quad *to, const void *from, const enum reach reach)
{
    four f;
    if (reach != BASE) {
        widen_wide_(to, from);
        return;
    }
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
/* half: so many of 16 bits each. */
SMRF_EXEC_WIDE static inline void convert_wide_(const void *half, unsigned count, float *to)
{
    const __m128i *eight = half;
    for (unsigned i = 0; i < count; i += 8) {
        _mm256_storeu_ps(&to[i], _mm256_cvtph_ps(_mm_loadu_si128(eight++)));
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

/* As turn_, eight by eight: pairs of rows, then of pairs, then of halves. */
SMRF_EXEC_WIDE static inline void turn_wide_(const float from[64], float to[64])
{
    __m256 r[8], pair[8], four_of[8];
    for (unsigned i = 0; i < 8; i++) {
        r[i] = _mm256_loadu_ps(&from[8 * (2 * i % 8 + i / 4)]);
    }
    for (unsigned i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        four_of[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
        four_of[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xee);
        four_of[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
        four_of[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xee);
    }
    for (unsigned i = 0; i < 4; i++) {
        _mm256_storeu_ps(&to[8 * i], _mm256_permute2f128_ps(four_of[i], four_of[i + 4], 0x20));
        _mm256_storeu_ps(&to[8 * (i + 4)],
                         _mm256_permute2f128_ps(four_of[i], four_of[i + 4], 0x31));
    }
}
#else
static inline void round_wide_(const float from[SMRF_EXEC_LANES], uint16_t half[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        half[i] = (uint16_t)smrf_exec_float_to_half(from[i]);
}

static inline void convert_wide_(const void *half, unsigned count, float *to)
{
    (void)half;
    (void)count;
    (void)to;
}

static inline void turn_wide_(const float from[64], float to[64])
{
    (void)from;
    (void)to;
}
#endif

/* Halves in a word's low and high part, apart. */
SMRF_EXEC_INLINE void split_(const uint32_t row[SMRF_EXEC_LANES], const enum reach reach,
                             float low[SMRF_EXEC_LANES], float high[SMRF_EXEC_LANES])
{
    uint16_t half[SIDES][SMRF_EXEC_LANES];
    if (reach == BASE) {
        SMRF_EXEC_EACH_LANE(i) {
            low[i] = smrf_exec_half_to_float(row[i] & 0xffff);
            high[i] = smrf_exec_half_to_float(row[i] >> 16);
        }
        return;
    }
    SMRF_EXEC_EACH_LANE(i) {
        half[0][i] = (uint16_t)row[i];
        half[1][i] = (uint16_t)(row[i] >> 16);
    }
    convert_wide_(half[0], SMRF_EXEC_LANES, low);
    convert_wide_(half[1], SMRF_EXEC_LANES, high);
}

/* ---- factors ------------------------------------------------------------------------------- */

/* The lowest 13 bits of TF32's fraction do not count. */
SMRF_EXEC_INLINE float single_(uint32_t word)
{
    return smrf_exec_float(word & ~UINT32_C(0x1fff));
}

/* A register's elements: lane 4g + m has terms 2m and 2m + 1 of row g of A or column g of B, so
 * they come in order of g and then of terms; of TF32 term m. */
SMRF_EXEC_INLINE void elements_(const uint32_t row[SMRF_EXEC_LANES], unsigned type,
                                const enum reach reach, float element[2 * SMRF_EXEC_LANES])
{
    if (type == ELEMENT_F16 && reach != BASE) { /* x86 has the low half of a word first, too */
        convert_wide_(row, 2 * SMRF_EXEC_LANES, element);
        return;
    }
    SMRF_EXEC_EACH_LANE(i) {
        if (type == ELEMENT_TF32) {
            element[i] = single_(row[i]);
        } else if (type == ELEMENT_BF16) {
            element[2 * i] = smrf_exec_float(row[i] << 16);
            element[2 * i + 1] = smrf_exec_float(row[i] & 0xffff0000);
        } else {
            element[2 * i] = smrf_exec_half_to_float(row[i] & 0xffff);
            element[2 * i + 1] = smrf_exec_half_to_float(row[i] >> 16);
        }
    }
}

SMRF_EXEC_INLINE void load_a_(const uint32_t row[SMRF_EXEC_LANES], unsigned type,
                              const enum reach reach, const unsigned terms, double *a)
{
    float element[2 * SMRF_EXEC_LANES];
    elements_(row, type, reach, element);
    for (unsigned i = 0; i < GROUPS * terms; i++) {
        a[i] = (double)element[i];
    }
}

/* From columns with their terms to terms with their columns, the even ones and then the odd ones.
 */
SMRF_EXEC_INLINE void turn_(const float from[], const unsigned terms, const enum reach reach,
                            float to[])
{
    if (reach != BASE && terms == MOST_TERMS) {
        turn_wide_(from, to);
        return;
    }
    for (unsigned k = 0; k < terms; k++) {
        for (unsigned j = 0; j < GROUPS; j++) {
            to[GROUPS * k + j] = from[terms * (2 * j % GROUPS + j / 4) + k];
        }
    }
}

SMRF_EXEC_INLINE void load_b_(const uint32_t row[SMRF_EXEC_LANES], unsigned type,
                              const enum reach reach, const unsigned terms, quad b[][SIDES])
{
    float element[2 * SMRF_EXEC_LANES], turned[2 * SMRF_EXEC_LANES];
    elements_(row, type, reach, element);
    turn_(element, terms, reach, turned);
    for (unsigned k = 0; k < terms; k++) {
        if (reach == WIDEST) {
            widen_widest_(b[k], &turned[GROUPS * k]);
        } else {
            widen_(&b[k][EVEN], &turned[GROUPS * k], reach);
            widen_(&b[k][ODD], &turned[GROUPS * k + 4], reach);
        }
    }
}

SMRF_EXEC_INLINE void load_factors_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                    unsigned type, const unsigned parts, const unsigned terms,
                                    const enum reach reach, struct factors *f)
{
    for (unsigned part = 0; part < parts; part++) {
        for (unsigned h = 0; h < 2; h++) {
            load_a_(row_of_(w, &op->src[0], 2 * part + h), type, reach, terms, f->a[part][h]);
        }
        load_b_(row_of_(w, &op->src[1], part), type, reach, terms, &f->b[part * terms]);
    }
}

/* ---- sums ---------------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
/* As add_row_ and float_row_, with both sides in one vector: half the multiplications. */
SMRF_EXEC_WIDEST static inline __m512d row_widest_(const struct factors *f, const unsigned parts,
                                                   const unsigned terms, unsigned h, unsigned g,
                                                   const void *even, const void *odd)
{
    const __m256 c =
        _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(even)), _mm_loadu_ps(odd), 1);
    __m512d both = _mm512_cvtps_pd(c);
    for (unsigned part = 0; part < parts; part++) {
#pragma GCC unroll 8
        for (unsigned k = 0; k < terms; k++) {
            const __m512d b = _mm512_loadu_pd((const double *)f->b[part * terms + k]);
            both = _mm512_fmadd_pd(b, _mm512_set1_pd(f->a[part][h][terms * g + k]), both);
        }
    }
    return both;
}

SMRF_EXEC_WIDEST static inline void add_row_widest_(const struct factors *f, const unsigned parts,
                                                    const unsigned terms, unsigned h, unsigned g,
                                                    const void *even, const void *odd,
                                                    quad sum[SIDES])
{
    _mm512_storeu_pd((double *)sum, row_widest_(f, parts, terms, h, g, even, odd));
}

SMRF_EXEC_WIDEST static inline void float_row_widest_(const struct factors *f, const unsigned parts,
                                                      const unsigned terms, unsigned h, unsigned g,
                                                      const uint32_t *const c[SIDES],
                                                      uint32_t *const out[SIDES], flags *any)
{
    const __m256 both =
        _mm512_cvtpd_ps(row_widest_(f, parts, terms, h, g, &c[EVEN][4 * g], &c[ODD][4 * g]));
    const __m256 is_nan = _mm256_cmp_ps(both, both, _CMP_UNORD_Q);
    _mm_storeu_ps((float *)(void *)&out[EVEN][4 * g], _mm256_castps256_ps128(both));
    _mm_storeu_ps((float *)(void *)&out[ODD][4 * g], _mm256_extractf128_ps(both, 1));
    *any |= (flags)_mm256_castps256_ps128(is_nan) | (flags)_mm256_extractf128_ps(is_nan, 1);
}
#else
static inline void add_row_widest_(const struct factors *f, const unsigned parts,
                                   const unsigned terms, unsigned h, unsigned g, const void *even,
                                   const void *odd, quad sum[SIDES])
{
    (void)f, (void)parts, (void)terms, (void)h, (void)g, (void)even, (void)odd, (void)sum;
}

static inline void float_row_widest_(const struct factors *f, const unsigned parts,
                                     const unsigned terms, unsigned h, unsigned g,
                                     const uint32_t *const c[SIDES], uint32_t *const out[SIDES],
                                     flags *any)
{
    (void)f, (void)parts, (void)terms, (void)h, (void)g, (void)c, (void)out, (void)any;
}
#endif

/* The accumulator's row 8h + g, given as four floats a side, and the products of A's row. */
SMRF_EXEC_INLINE void add_row_(const struct factors *f, const unsigned parts, const unsigned terms,
                               unsigned h, unsigned g, const void *c_even, const void *c_odd,
                               const enum reach reach, quad sum[SIDES])
{
    quad even, odd;
    if (reach == WIDEST) {
        add_row_widest_(f, parts, terms, h, g, c_even, c_odd, sum);
        return;
    }
    widen_(&even, c_even, reach);
    widen_(&odd, c_odd, reach);
    for (unsigned part = 0; part < parts; part++) {
        const double *a = &f->a[part][h][terms * g];
        const quad(*b)[SIDES] = &f->b[part * terms];
#pragma GCC unroll 8
        for (unsigned k = 0; k < terms; k++) {
            even += b[k][EVEN] * a[k];
            odd += b[k][ODD] * a[k];
        }
    }
    sum[EVEN] = even;
    sum[ODD] = odd;
}

/* A row of sums as floats. any: not 0 where one of them is a NaN. */
SMRF_EXEC_INLINE void float_row_(const struct factors *f, const unsigned parts,
                                 const unsigned terms, unsigned h, unsigned g,
                                 const uint32_t *const c[SIDES], const enum reach reach,
                                 uint32_t *const out[SIDES], flags *any)
{
    quad sum[SIDES];
    if (reach == WIDEST) {
        float_row_widest_(f, parts, terms, h, g, c, out, any);
        return;
    }
    add_row_(f, parts, terms, h, g, &c[EVEN][4 * g], &c[ODD][4 * g], reach, sum);
    for (unsigned side = EVEN; side < SIDES; side++) {
        const four narrow = __builtin_convertvector(sum[side], four);
        memcpy(&out[side][4 * g], &narrow, sizeof narrow);
        *any |= ((flags)narrow & 0x7fffffff) > 0x7f800000;
    }
}

SMRF_EXEC_INLINE void sum_floats_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                  const struct factors *f, const unsigned parts,
                                  const unsigned terms, const enum reach reach,
                                  uint32_t out[4][SMRF_EXEC_LANES])
{
    flags any = {0};
    for (unsigned h = 0; h < 2; h++) {
        const uint32_t *c[SIDES] = {row_of_(w, &op->src[2], 2 * h),
                                    row_of_(w, &op->src[2], 2 * h + 1)};
        uint32_t *const to[SIDES] = {out[2 * h], out[2 * h + 1]};
        for (unsigned g = 0; g < GROUPS; g++) {
            float_row_(f, parts, terms, h, g, c, reach, to, &any);
        }
    }
    if ((any[0] | any[1] | any[2] | any[3]) != 0) {
        for (unsigned k = 0; k < 4; k++) {
            SMRF_EXEC_EACH_LANE(i)
                out[k][i] = smrf_exec_canonical(out[k][i]);
        }
    }
}

/* To nearest, ties to even; NaNs, which are rare, become the canonical one. */
SMRF_EXEC_INLINE void round_(const float from[SMRF_EXEC_LANES], const enum reach reach,
                             uint16_t to[SMRF_EXEC_LANES])
{
    halves any = {0};
    words all;
    if (reach == BASE) {
        SMRF_EXEC_EACH_LANE(i)
            to[i] = (uint16_t)smrf_exec_float_to_half(from[i]);
        return;
    }
    round_wide_(from, to);
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i += 16) {
        halves some;
        memcpy(&some, &to[i], sizeof some);
        any |= (some & 0x7fff) > 0x7c00;
    }
    all = (words)any;
    if ((all[0] | all[1] | all[2] | all[3]) != 0) {
        SMRF_EXEC_EACH_LANE(i)
            to[i] = (to[i] & 0x7fff) > 0x7c00 ? SMRF_EXEC_NAN_F16 : to[i];
    }
}

/* As a float has them, without the lower bits, but with the last one set where one of these was: a
 * float that rounds to the half that the double rounds to. */
SMRF_EXEC_INLINE void to_odd_(quad *x)
{
    const words lower = {0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff};
    const words bits = (words)*x, lost = (bits & lower) != 0;
    *x = (quad)((bits & ~lower) | (lost & (lower + 1)));
}

/* Rounded to nearest, once. */
SMRF_EXEC_INLINE void pack_halves_(quad sum[GROUPS][SIDES], const enum reach reach,
                                   uint32_t row[SMRF_EXEC_LANES])
{
    uint16_t half[SIDES][SMRF_EXEC_LANES];
    for (unsigned side = EVEN; side < SIDES; side++) {
        float near[SMRF_EXEC_LANES];
        for (unsigned g = 0; g < GROUPS; g++) {
            to_odd_(&sum[g][side]);
            narrow_(&near[4 * g], &sum[g][side]);
        }
        round_(near, reach, half[side]);
    }
    SMRF_EXEC_EACH_LANE(i)
        row[i] = half[EVEN][i] | (uint32_t)half[ODD][i] << 16;
}

SMRF_EXEC_INLINE void sum_halves_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                  const struct factors *f, const unsigned parts,
                                  const enum reach reach, uint32_t out[4][SMRF_EXEC_LANES])
{
    for (unsigned h = 0; h < 2; h++) {
        float c[SIDES][SMRF_EXEC_LANES];
        quad sum[GROUPS][SIDES];
        split_(row_of_(w, &op->src[2], h), reach, c[EVEN], c[ODD]);
        for (unsigned g = 0; g < GROUPS; g++) {
            add_row_(f, parts, 8, h, g, &c[EVEN][4 * g], &c[ODD][4 * g], reach, sum[g]);
        }
        pack_halves_(sum, reach, out[h]);
    }
}

SMRF_EXEC_INLINE int hmma_parts_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                 uint32_t mask, const unsigned parts, const enum reach reach)
{
    struct factors f;
    uint32_t out[4][SMRF_EXEC_LANES];
    const unsigned type = op->sub2 & ELEMENT;
    const bool half = (op->sub2 & HALF_SUM) != 0;
    if (half) {
        load_factors_(w, op, ELEMENT_F16, parts, 8, reach, &f);
        sum_halves_(w, op, &f, parts, reach, out);
    } else if (type == ELEMENT_TF32) {
        load_factors_(w, op, ELEMENT_TF32, parts, 4, reach, &f);
        sum_floats_(w, op, &f, parts, 4, reach, out);
    } else if (type == ELEMENT_F16) {
        load_factors_(w, op, ELEMENT_F16, parts, 8, reach, &f);
        sum_floats_(w, op, &f, parts, 8, reach, out);
    } else {
        load_factors_(w, op, ELEMENT_BF16, parts, 8, reach, &f);
        sum_floats_(w, op, &f, parts, 8, reach, out);
    }
    unsigned r = op->dst;
    for (unsigned k = 0; k < (half ? 2U : 4U); k++, r = smrf_exec_next_row(r)) {
        smrf_exec_write(w, r, mask, out[k]);
    }
    return smrf_exec_done(w);
}

SMRF_EXEC_INLINE int hmma_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                           const enum reach reach)
{
    return op->sub == 1 ? hmma_parts_(w, op, mask, 1, reach) : hmma_parts_(w, op, mask, 2, reach);
}

SMRF_EXEC_WIDE static int hmma_wide(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                    uint32_t mask)
{
    return hmma_(w, op, mask, WIDE);
}

SMRF_EXEC_WIDEST static int hmma_widest(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                        uint32_t mask)
{
    return hmma_(w, op, mask, WIDEST);
}

static int hmma_base(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    return hmma_(w, op, mask, BASE);
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
    b->op->fn = smrf_exec_widest() && b->op->width == SMRF_EXEC_ANY_WIDTH ? hmma_widest
                                                                          : SMRF_EXEC_PICK(hmma);
}
