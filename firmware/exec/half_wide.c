/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of halves since sm_80: BF16 in HADD2, HMUL2, HFMA2; minima and maxima, HMNMX2; a pair made
 * of two floats, F2FP. */
#include "firmware/exec/half.h"

#include <math.h>

#define NAN_BF16 UINT32_C(0x7fff)

/* op->sub of HMNMX2 and F2FP. */
enum { PAIR_BF16 = 1 << 8, PAIR_NAN = 1 << 9, PAIR_RELU = 1 << 10 };

/* A float cut to its upper half, which is a bfloat16. */
SMRF_EXEC_INLINE uint32_t to_bf16_(float x, uint32_t rounding)
{
    const uint32_t bits = smrf_exec_float_bits(x), kept = bits >> 16, lost = bits & 0xffff;
    const bool negative = bits >> 31 != 0;
    const bool up = rounding == SMRF_EXEC_NEAREST ? lost + (kept & 1) > 0x8000
                    : rounding == SMRF_EXEC_UP    ? lost != 0 && !negative
                    : rounding == SMRF_EXEC_DOWN  ? lost != 0 && negative
                                                  : false;
    return isnan(x) ? NAN_BF16 : kept + up;
}

SMRF_EXEC_INLINE float from_bf16_(uint32_t half)
{
    return smrf_exec_float(half << 16);
}

/* a * b + c, rounded once: a product of two fractions of 8 bits is exact in a float, and the sum's
 * error decides its last bit. */
SMRF_EXEC_INLINE uint32_t fma_bf16_(uint32_t a, uint32_t b, uint32_t c)
{
    const double sum = (double)from_bf16_(a) * (double)from_bf16_(b);
    const double addend = (double)from_bf16_(c), total = sum + addend;
    const double part = total - sum, lost = (sum - (total - part)) + (addend - part);
    const float near = (float)total;
    const double rest = (total - (double)near) + lost;
    const float sign = rest > 0 ? 1.0F : rest < 0 ? -1.0F : 0.0F;
    return to_bf16_(isfinite(near) ? smrf_exec_to_odd(near, sign) : near, SMRF_EXEC_NEAREST);
}

/* HFMA2.BF16_V2, and with a factor or an addend that changes nothing HADD2 and HMUL2. A source that
 * is not there is op->num_src's; op->sub2: which of the three. */
enum { BF16_FMA, BF16_ADD, BF16_MUL };

SMRF_EXEC_INLINE uint32_t bf16_(const struct smrf_exec_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t one = 0x3f80, nothing = 0x8000; /* -0: x + -0 is x */
    const uint32_t half = op->sub2 == BF16_ADD   ? fma_bf16_(a, one, b)
                          : op->sub2 == BF16_MUL ? fma_bf16_(a, b, nothing)
                                                 : fma_bf16_(a, b, c);
    return (op->sub & PAIR_RELU) != 0 && half >> 15 != 0 ? 0 : half;
}

SMRF_EXEC_HANDLER(half_bf16)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    const uint32_t *c = b;
    uint32_t scratch[SMRF_EXEC_LANES], out[SMRF_EXEC_LANES];
    if (op->num_src > 2) {
        c = smrf_exec_h2(w, &op->src[2], scratch);
    }
    SMRF_EXEC_EACH_LANE(i)
        out[i] = bf16_(op, a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff) |
                 bf16_(op, a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

bool smrf_exec_bind_bf16(struct smrf_exec_binding *b, const char *opcode)
{
    if (!smrf_exec_bind_has(b, "BF16_V2")) {
        return false;
    }
    (void)smrf_exec_bind_has(b, "MMA");
    b->op->sub2 = opcode[1] == 'A' ? BF16_ADD : opcode[1] == 'M' ? BF16_MUL : BF16_FMA;
    b->op->sub = smrf_exec_bind_has(b, "RELU") ? PAIR_RELU : 0;
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < (b->op->sub2 == BF16_FMA ? 3U : 2U); k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_B2);
    }
    b->op->fn = SMRF_EXEC_PICK(half_bf16);
    return true;
}

/* ---- HMNMX2 -------------------------------------------------------------------------------- */

/* A NaN loses against a number, or (.NAN) wins; -0 is less than 0. */
SMRF_EXEC_INLINE uint32_t least_(const struct smrf_exec_op *op, uint32_t a, uint32_t b, bool lesser)
{
    const bool wide = (op->sub & PAIR_BF16) != 0;
    const float x = wide ? from_bf16_(a) : smrf_exec_half_to_float(a);
    const float y = wide ? from_bf16_(b) : smrf_exec_half_to_float(b);
    if (isnan(x) || isnan(y)) {
        const bool number = (op->sub & PAIR_NAN) == 0 && !(isnan(x) && isnan(y));
        return !number ? SMRF_EXEC_NAN_F16 : isnan(x) ? b : a;
    }
    const bool first = x < y || (x == y && a >> 15 > b >> 15);
    return first == lesser ? a : b;
}

SMRF_EXEC_HANDLER(hmnmx2)
{
    SMRF_EXEC_ROW_H2(a, 0);
    SMRF_EXEC_ROW_H2(b, 1);
    const uint32_t lesser = smrf_exec_pred(w, &op->psrc[0]);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        const bool low = (lesser & smrf_exec_bit[i]) != 0;
        out[i] = least_(op, a[i] & 0xffff, b[i] & 0xffff, low) |
                 least_(op, a[i] >> 16, b[i] >> 16, low) << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_hmnmx2(struct smrf_exec_binding *b)
{
    const bool wide = smrf_exec_bind_has(b, "BF16_V2");
    b->op->sub = (wide ? (unsigned)PAIR_BF16 : 0U) |
                 (smrf_exec_bind_has(b, "NAN") ? (unsigned)PAIR_NAN : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, wide ? SMRF_EXEC_B2 : SMRF_EXEC_H2);
    smrf_exec_bind_src(b, wide ? SMRF_EXEC_B2 : SMRF_EXEC_H2);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(hmnmx2);
}

/* ---- F2FP ---------------------------------------------------------------------------------- */

SMRF_EXEC_INLINE uint32_t narrow_(const struct smrf_exec_op *op, uint32_t bits)
{
    const uint32_t rounding = op->sub & SMRF_EXEC_ROUNDING;
    const float x = smrf_exec_float(bits);
    const uint32_t half = (op->sub & PAIR_BF16) != 0 ? to_bf16_(x, rounding)
                          : rounding == SMRF_EXEC_NEAREST
                              ? smrf_exec_float_to_half(x)
                              : smrf_exec_double_to_half((double)x, rounding);
    return (op->sub & PAIR_RELU) != 0 && half >> 15 != 0 ? 0 : half;
}

/* The second source below the first. */
static int f2fp_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_F32(a, 0);
    SMRF_EXEC_ROW_F32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = narrow_(op, a[i]) << 16 | narrow_(op, b[i]);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_f2fp(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "PACK_AB")) {
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    }
    (void)smrf_exec_bind_has(b, "F32");
    (void)smrf_exec_bind_has(b, "F16");
    b->op->sub = smrf_exec_bind_rounding(b) |
                 (smrf_exec_bind_has(b, "BF16") ? (unsigned)PAIR_BF16 : 0U) |
                 (smrf_exec_bind_has(b, "RELU") ? (unsigned)PAIR_RELU : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    b->op->fn = f2fp_;
}
