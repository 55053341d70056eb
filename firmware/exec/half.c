/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of halves: HADD2, HMUL2, HFMA2, HSET2, HSETP2. Subnormals count unless .FTZ is given. */
#include "firmware/exec/half.h"

#include <math.h>

uint32_t smrf_exec_double_to_half(double x, uint32_t rounding)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x)) {
        return SMRF_EXEC_NAN_F16;
    }
    double magnitude = fabs(x);
    if (isinf(magnitude)) {
        return sign | 0x7c00;
    }
    /* In units of the last place, which stay those of the smallest normal below it. */
    int exponent = magnitude >= 0x1p-14 ? ilogb(magnitude) : -14;
    double units = ldexp(magnitude, 10 - exponent);
    bool up = (rounding == SMRF_EXEC_UP && sign == 0) || (rounding == SMRF_EXEC_DOWN && sign != 0);
    double whole = rounding == SMRF_EXEC_NEAREST ? rint(units) : up ? ceil(units) : floor(units);
    if (exponent > 15 || (exponent == 15 && whole >= 2048)) {
        return sign | (rounding == SMRF_EXEC_NEAREST || up ? 0x7c00U : 0x7bffU);
    }
    /* The hidden bit, and a carry, add to the exponent field. */
    return sign | ((uint32_t)whole + ((uint32_t)(exponent + 14) << 10));
}

SMRF_EXEC_INLINE float part_(const struct smrf_exec_op *op, uint32_t pair, unsigned shift)
{
    uint32_t half = pair >> shift & 0xffff;
    if ((op->sub & SMRF_EXEC_FTZ) != 0 && (half & 0x7c00) == 0) {
        half &= 0x8000;
    }
    return smrf_exec_half_to_float(half);
}

SMRF_EXEC_INLINE uint32_t finish_(const struct smrf_exec_op *op, uint32_t half)
{
    if ((op->sub & SMRF_EXEC_FTZ) != 0 && (half & 0x7c00) == 0) {
        half &= 0x8000;
    }
    if ((op->sub & SMRF_EXEC_SAT) != 0) {
        half = half > 0x7c00 ? 0 : half > 0x3c00 ? 0x3c00 : half;
    }
    return half;
}

SMRF_EXEC_HANDLER(hadd2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        /* A float has more than twice a half's bits: rounding twice is rounding once. */
        uint32_t low = smrf_exec_float_to_half(part_(op, a[i], 0) + part_(op, b[i], 0));
        uint32_t high = smrf_exec_float_to_half(part_(op, a[i], 16) + part_(op, b[i], 16));
        out[i] = finish_(op, low) | finish_(op, high) << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* HADD2.F32: the sum of the low halves as a float. */
SMRF_EXEC_HANDLER(hadd2_f32)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        float sum = part_(op, a[i], 0) + part_(op, b[i], 0);
        uint32_t bits = smrf_exec_canonical(smrf_exec_float_bits(sum));
        out[i] = (op->sub & SMRF_EXEC_SAT) != 0 ? smrf_exec_saturate(bits) : bits;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* HADD2 R, a.F32, b or HADD2 R, b, a.F32 (op->sub2: where the float is): the float, cut to a half,
 * plus each half of b. That it is cut and not rounded: nvcc converts so for cvt.rz.f16.f32, and for
 * no other rounding. */
static int hadd2_from_f32_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_F32(a, op->sub2);
    SMRF_EXEC_ROW_H2(b, 1 - op->sub2);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t cut = smrf_exec_double_to_half((double)smrf_exec_float(a[i]), SMRF_EXEC_CHOP);
        float x = part_(op, cut, 0);
        uint32_t low = smrf_exec_float_to_half(x + part_(op, b[i], 0));
        uint32_t high = smrf_exec_float_to_half(x + part_(op, b[i], 16));
        out[i] = finish_(op, low) | finish_(op, high) << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(hmul2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t low = smrf_exec_float_to_half(part_(op, a[i], 0) * part_(op, b[i], 0));
        uint32_t high = smrf_exec_float_to_half(part_(op, a[i], 16) * part_(op, b[i], 16));
        out[i] = finish_(op, low) | finish_(op, high) << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(hfma2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    SMRF_EXEC_ROW_H2(c, 2);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t low =
            smrf_exec_half_fma(part_(op, a[i], 0), part_(op, b[i], 0), part_(op, c[i], 0));
        uint32_t high =
            smrf_exec_half_fma(part_(op, a[i], 16), part_(op, b[i], 16), part_(op, c[i], 16));
        out[i] = finish_(op, low) | finish_(op, high) << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* HFMA2.F32: of the low halves as a float; the product is exact in one. */
SMRF_EXEC_HANDLER(hfma2_f32)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    SMRF_EXEC_ROW_H2(c, 2);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        float sum = part_(op, a[i], 0) * part_(op, b[i], 0) + part_(op, c[i], 0);
        uint32_t bits = smrf_exec_canonical(smrf_exec_float_bits(sum));
        out[i] = (op->sub & SMRF_EXEC_SAT) != 0 ? smrf_exec_saturate(bits) : bits;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_flags_(struct smrf_exec_binding *b)
{
    b->op->sub = (smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SMRF_EXEC_SAT : 0U);
}

static void bind_sources_(struct smrf_exec_binding *b, unsigned count)
{
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < count; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_H2);
    }
}

static void bind_hadd2_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_bf16(b, b->inst->opcode)) {
        return;
    }
    bool single = smrf_exec_bind_has(b, "F32");
    bind_flags_(b);
    smrf_exec_bind_dst(b);
    const struct smrf_sass_operand *o = b->inst->operand;
    bool first = b->inst->num_operands > 2 && o[1].part == SMRF_SASS_F32;
    bool second = b->inst->num_operands > 2 && o[2].part == SMRF_SASS_F32;
    smrf_exec_bind_src(b, first ? SMRF_EXEC_F32 : SMRF_EXEC_H2);
    smrf_exec_bind_src(b, second ? SMRF_EXEC_F32 : SMRF_EXEC_H2);
    if (first + second + single > 1) {
        smrf_exec_bind_fail(b, "HADD2 with more than one .F32 is not supported");
    }
    b->op->sub2 = second ? 1 : 0;
    b->op->fn = single            ? SMRF_EXEC_PICK(hadd2_f32)
                : first || second ? hadd2_from_f32_
                                  : SMRF_EXEC_PICK(hadd2);
}

static void bind_hmul2_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_bf16(b, b->inst->opcode)) {
        return;
    }
    bind_flags_(b);
    bind_sources_(b, 2);
    b->op->fn = SMRF_EXEC_PICK(hmul2);
}

static void bind_hfma2_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_bf16(b, b->inst->opcode)) {
        return;
    }
    (void)smrf_exec_bind_has(b, "MMA"); /* the pipe it runs on */
    bool single = smrf_exec_bind_has(b, "F32");
    bind_flags_(b);
    bind_sources_(b, 3);
    b->op->fn = single ? SMRF_EXEC_PICK(hfma2_f32) : SMRF_EXEC_PICK(hfma2);
}

/* ---- Comparisons ---------------------------------------------------------------------------- */

enum {
    HSET_BOTH = 1 << 8,
    HSET_NUMBER = 1 << 9
}; /* in op->sub2, over comparison and combination */

/* Lanes in which the comparison of the halves at `shift` holds. */
SMRF_EXEC_INLINE uint32_t compare_(const struct smrf_exec_op *op, const uint32_t *a,
                                   const uint32_t *b, unsigned shift)
{
    uint32_t lt = 0, eq = 0, un = 0;
    SMRF_EXEC_EACH_LANE(i) {
        float x = part_(op, a[i], shift), y = part_(op, b[i], shift);
        un |= isunordered(x, y) ? smrf_exec_bit[i] : 0;
        lt |= isless(x, y) ? smrf_exec_bit[i] : 0;
        eq |= x == y ? smrf_exec_bit[i] : 0;
    }
    return smrf_exec_relate(op->sub2 & 15, lt, eq, un);
}

SMRF_EXEC_HANDLER(hsetp2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    uint32_t low = compare_(op, a, b, 0), high = compare_(op, a, b, 16);
    uint32_t with = smrf_exec_pred(w, &op->psrc[0]), combine = op->sub2 >> 4 & 3;
    if ((op->sub2 & HSET_BOTH) != 0) {
        low &= high;
        high = ~low;
    }
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_combine(combine, low, with));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_combine(combine, high, with));
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(hset2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    uint32_t with = smrf_exec_pred(w, &op->psrc[0]), combine = op->sub2 >> 4 & 3;
    uint32_t low = smrf_exec_combine(combine, compare_(op, a, b, 0), with);
    uint32_t high = smrf_exec_combine(combine, compare_(op, a, b, 16), with);
    uint32_t out[SMRF_EXEC_LANES], one = (op->sub2 & HSET_NUMBER) != 0 ? 0x3c00 : 0xffff;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = ((low & smrf_exec_bit[i]) != 0 ? one : 0) |
                 ((high & smrf_exec_bit[i]) != 0 ? one << 16 : 0);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_hsetp2_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_float_comparison(b);
    if (smrf_exec_bind_has(b, "H_AND")) {
        b->op->sub2 |= HSET_BOTH;
    }
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    smrf_exec_bind_src(b, SMRF_EXEC_H2);
    smrf_exec_bind_src(b, SMRF_EXEC_H2);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(hsetp2);
}

static void bind_hset2_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_float_comparison(b);
    if (smrf_exec_bind_has(b, "BF")) {
        b->op->sub2 |= HSET_NUMBER;
    }
    bind_sources_(b, 2);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(hset2);
}

int smrf_exec_bind_half(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"HADD2", bind_hadd2_},        {"HMUL2", bind_hmul2_},   {"HFMA2", bind_hfma2_},
        {"HSET2", bind_hset2_},        {"HSETP2", bind_hsetp2_}, {"HMNMX2", smrf_exec_bind_hmnmx2},
        {"F2FP", smrf_exec_bind_f2fp},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
