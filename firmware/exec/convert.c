/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: F2I, I2F, F2F, FRND, I2I, I2IP. What a NaN gives, and saturation: PTX ISA, cvt. */
#include "firmware/exec/fp16.h"

#include <math.h>

enum { TO_F32, TO_F16, TO_F64, NO_FLOAT };

/* Integer types: width and sign. From INT_S4 on: only I2IP's. */
enum { INT_S32, INT_U32, INT_S64, INT_U64, INT_S16, INT_U16, INT_S8, INT_U8, INT_S4 };
enum { NO_INT = INT_S4 + 4 };

static const char *const int_name[NO_INT] = {
    "S32", "U32", "S64", "U64", "S16", "U16", "S8", "U8", "S4", "U4", "S2", "U2",
};
static const char *const float_name[] = {"F32", "F16", "F64"};

static const uint8_t int_bits[NO_INT] = {32, 32, 64, 64, 16, 16, 8, 8, 4, 4, 2, 2};

/* op->sub: rounding in bits 0 and 1, then the flags of fp.h, then these. */
enum {
    NAN_TO_ZERO = 16, /* .NTZ */
    INT_SATURATE = 32
};
/* op->sub2: source type, destination type << 8. */

#define SOURCE_TYPE(op) ((op)->sub2 & 0xff)
#define TARGET_TYPE(op) ((op)->sub2 >> 8)

/* ---- Sources --------------------------------------------------------------------------------- */

/* A row of a narrow source, moved down to bit 0: bits above the type's width are not cleared. */
static const uint32_t *narrow_row_(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint32_t scratch[SMRF_EXEC_LANES])
{
    struct smrf_exec_src whole = *src;
    unsigned shift = 0;
    whole.part = SMRF_SASS_WHOLE;
    whole.negated = whole.absolute = whole.inverted = false;
    whole.plain = src->kind == SMRF_SASS_REG;
    if (src->part == SMRF_SASS_H1 || src->part == SMRF_SASS_H1_H1) {
        shift = 16;
    } else if (src->part >= SMRF_SASS_B0 && src->part <= SMRF_SASS_B3) {
        shift = 8U * (unsigned)(src->part - SMRF_SASS_B0);
    }
    const uint32_t *row = smrf_exec_u32(w, &whole, scratch);
    if (shift == 0) {
        return row;
    }
    SMRF_EXEC_EACH_LANE(i)
        scratch[i] = row[i] >> shift;
    return scratch;
}

/* Source as doubles, which hold every float and half. */
static void float_source_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                          double out[SMRF_EXEC_LANES])
{
    const struct smrf_exec_src *src = &op->src[0];
    uint32_t scratch[SMRF_EXEC_LANES];
    if (SOURCE_TYPE(op) == TO_F64) {
        uint64_t bits[SMRF_EXEC_LANES];
        smrf_exec_f64(w, src, bits);
        memcpy(out, bits, sizeof bits);
        return;
    }
    if (SOURCE_TYPE(op) == TO_F32) {
        const uint32_t *row = smrf_exec_f32(w, src, scratch);
        bool flush = (op->sub & SMRF_EXEC_FTZ) != 0;
        SMRF_EXEC_EACH_LANE(i)
            out[i] = (double)smrf_exec_float(flush ? smrf_exec_flush(row[i]) : row[i]);
        return;
    }
    const uint32_t *row = narrow_row_(w, src, scratch);
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t half = row[i] & 0xffff;
        half = src->absolute ? half & 0x7fff : half;
        half ^= src->negated ? 0x8000 : 0;
        out[i] = (double)smrf_exec_half_to_float(half);
    }
}

/* Source as 64-bit integers, signed ones sign-extended. */
static void int_source_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                        uint64_t out[SMRF_EXEC_LANES])
{
    uint32_t type = SOURCE_TYPE(op), up = 64U - int_bits[type];
    if (up == 0) {
        smrf_exec_u64(w, &op->src[0], out);
        return;
    }
    const struct smrf_exec_src *src = &op->src[0];
    uint32_t scratch[SMRF_EXEC_LANES];
    const uint32_t *row = narrow_row_(w, src, scratch);
    bool is_signed = (type & 1) == 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint64_t high = (uint64_t)row[i] << up;
        uint64_t x = is_signed ? (uint64_t)((int64_t)high >> up) : high >> up;
        x = src->absolute && (int64_t)x < 0 ? 0U - x : x;
        out[i] = src->negated ? 0U - x : x;
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Doubles to the target type. The host rounds to a float; a half is rounded here. */
static void float_result_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                          const double x[SMRF_EXEC_LANES])
{
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    if (TARGET_TYPE(op) == TO_F64) {
        uint64_t bits[SMRF_EXEC_LANES];
        memcpy(bits, x, sizeof bits);
        SMRF_EXEC_EACH_LANE(i) /* a NaN becomes quiet */
            bits[i] |= x[i] != x[i] ? UINT64_C(0x0008000000000000) : 0;
        smrf_exec_write64(w, op->dst, mask, bits);
        return;
    }
    if (TARGET_TYPE(op) == TO_F16 && rounding == SMRF_EXEC_NEAREST) {
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_nearest_half(x[i]);
    } else if (TARGET_TYPE(op) == TO_F16) {
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_double_to_half(x[i], rounding);
    } else {
        smrf_exec_round_begin(rounding, out);
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_float_bits((float)x[i]);
        smrf_exec_round_end(rounding, out);
        SMRF_EXEC_EACH_LANE(i) {
            uint32_t bits = smrf_exec_canonical(out[i]);
            bits = (op->sub & SMRF_EXEC_FTZ) != 0 ? smrf_exec_flush(bits) : bits;
            out[i] = (op->sub & SMRF_EXEC_SAT) != 0 ? smrf_exec_saturate(bits) : bits;
        }
    }
    smrf_exec_write(w, op->dst, mask, out);
}

static int f2f_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    double x[SMRF_EXEC_LANES];
    float_source_(w, op, x);
    float_result_(w, op, mask, x);
    return smrf_exec_done(w);
}

/* Rounding to an integral value, in the direction of op->sub. */
SMRF_EXEC_INLINE double integral_(double x, uint32_t rounding)
{
    return rounding == SMRF_EXEC_NEAREST ? rint(x)
           : rounding == SMRF_EXEC_DOWN  ? floor(x)
           : rounding == SMRF_EXEC_UP    ? ceil(x)
                                         : trunc(x);
}

static int frnd_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    double x[SMRF_EXEC_LANES];
    float_source_(w, op, x);
    SMRF_EXEC_EACH_LANE(i)
        x[i] = integral_(x[i], op->sub & SMRF_EXEC_ROUNDING);
    float_result_(w, op, mask, x); /* exact: rounds nothing */
    return smrf_exec_done(w);
}

/* The nearest value of an integer type, as the bits of a 64-bit register pair. x is integral. */
static uint64_t to_integer_(double x, uint32_t type, bool nan_to_zero)
{
    unsigned bits = int_bits[type];
    if (isnan(x)) {
        return nan_to_zero ? 0 : UINT64_C(1) << (bits - 1);
    }
    if ((type & 1) != 0) {
        double limit = ldexp(1.0, (int)bits);
        uint64_t most = UINT64_MAX >> (64 - bits);
        return x <= 0 ? 0 : x >= limit ? most : (uint64_t)x;
    }
    double limit = ldexp(1.0, (int)bits - 1);
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    return (uint64_t)(x >= limit ? most : x < -limit ? -most - 1 : (int64_t)x);
}

static void int_result_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                        const uint64_t x[SMRF_EXEC_LANES])
{
    if (int_bits[TARGET_TYPE(op)] == 64) {
        smrf_exec_write64(w, op->dst, mask, x);
        return;
    }
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (uint32_t)x[i];
    smrf_exec_write(w, op->dst, mask, out);
}

static int f2i_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    double x[SMRF_EXEC_LANES];
    uint64_t out[SMRF_EXEC_LANES];
    float_source_(w, op, x);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = to_integer_(integral_(x[i], op->sub & SMRF_EXEC_ROUNDING), TARGET_TYPE(op),
                             (op->sub & NAN_TO_ZERO) != 0);
    int_result_(w, op, mask, out);
    return smrf_exec_done(w);
}

/* F2I from F32 to a word: the conversion compilers emit most. Magnitudes from 2^31 on saturate; the
 * host's conversion gives the lowest number for all of them. */
SMRF_EXEC_HANDLER(f2i_trunc_s32)
{
    SMRF_EXEC_ROW_F32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        float x = smrf_exec_float(a[i]);
        bool inside = (a[i] & 0x7fffffff) < 0x4f000000;
        int32_t converted = (int32_t)(inside ? x : 0.0F);
        uint32_t limit = (a[i] & 0x7fffffff) > 0x7f800000 ? 0 : 0x7fffffff + (a[i] >> 31);
        out[i] = inside ? (uint32_t)converted : limit;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* I2F to a half or a double, or from 64 bits. Integers below 2^53 are exact in a double; above them
 * every half is infinite (or the largest), and doubles and floats are rounded by the host. */
static int i2f_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint64_t x[SMRF_EXEC_LANES], wide[SMRF_EXEC_LANES];
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    bool is_signed = (SOURCE_TYPE(op) & 1) == 0;
    int_source_(w, op, x);
    if (TARGET_TYPE(op) == TO_F16) {
        SMRF_EXEC_EACH_LANE(i) {
            double d = is_signed ? (double)(int64_t)x[i] : (double)x[i];
            out[i] = smrf_exec_double_to_half(d, rounding);
        }
        smrf_exec_write(w, op->dst, mask, out);
        return smrf_exec_done(w);
    }
    smrf_exec_round_begin(rounding, x);
    if (TARGET_TYPE(op) == TO_F64) {
        SMRF_EXEC_EACH_LANE(i)
            wide[i] = smrf_exec_double_bits(is_signed ? (double)(int64_t)x[i] : (double)x[i]);
    } else {
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_float_bits(is_signed ? (float)(int64_t)x[i] : (float)x[i]);
    }
    smrf_exec_round_end(rounding, TARGET_TYPE(op) == TO_F64 ? (void *)wide : (void *)out);
    if (TARGET_TYPE(op) == TO_F64) {
        smrf_exec_write64(w, op->dst, mask, wide);
    } else {
        smrf_exec_write(w, op->dst, mask, out);
    }
    return smrf_exec_done(w);
}

/* --- Integers to integers ------------------------------------------------------------------- */

/* Clamp of a sign-extended integer to a type, as 64 bits (sign- or zero-extended). */
static uint64_t clamp_(uint64_t x, bool is_signed, uint32_t type)
{
    unsigned bits = int_bits[type];
    if ((type & 1) != 0) {
        uint64_t most = UINT64_MAX >> (64 - bits);
        return is_signed && (int64_t)x < 0 ? 0 : x > most ? most : x;
    }
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    if (!is_signed && x > (uint64_t)most) {
        return (uint64_t)most;
    }
    int64_t value = (int64_t)x;
    return (uint64_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}

static uint64_t truncate_(uint64_t x, uint32_t type)
{
    unsigned up = 64U - int_bits[type];
    return (type & 1) != 0 ? x << up >> up : (uint64_t)((int64_t)(x << up) >> up);
}

static int i2i_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint64_t x[SMRF_EXEC_LANES];
    bool is_signed = (SOURCE_TYPE(op) & 1) == 0;
    int_source_(w, op, x);
    SMRF_EXEC_EACH_LANE(i)
        x[i] = (op->sub & INT_SATURATE) != 0 ? clamp_(x[i], is_signed, TARGET_TYPE(op))
                                             : truncate_(x[i], TARGET_TYPE(op));
    int_result_(w, op, mask, x);
    return smrf_exec_done(w);
}

/* Saturate a and b and put them side by side, a above b; narrower than 16 bits they go below the
 * low bits of c (PTX ISA, cvt.pack). */
static int i2ip_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], type = TARGET_TYPE(op), bits = int_bits[type];
    uint32_t field = UINT32_MAX >> (32 - bits);
    bool is_signed = (SOURCE_TYPE(op) & 1) == 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint64_t x = is_signed ? (uint64_t)(int64_t)(int32_t)a[i] : a[i];
        uint64_t y = is_signed ? (uint64_t)(int64_t)(int32_t)b[i] : b[i];
        uint32_t high = (uint32_t)clamp_(x, is_signed, type) & field;
        uint32_t low = (uint32_t)clamp_(y, is_signed, type) & field;
        out[i] = high << bits | low | (bits < 16 ? c[i] << 2 * bits : 0);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* --- Binding -------------------------------------------------------------------------------- */

static void bind_source_(struct smrf_exec_binding *b, bool wide, bool narrow, bool is_float)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, wide       ? (is_float ? SMRF_EXEC_F64 : SMRF_EXEC_U64)
                          : narrow   ? SMRF_EXEC_RAW
                          : is_float ? SMRF_EXEC_F32
                                     : SMRF_EXEC_RAW);
    const struct smrf_exec_src *src = &b->op->src[0];
    if (src->inverted) {
        smrf_exec_bind_fail(b, "an inverted source of %s is not supported", b->inst->mnemonic);
    }
    if (src->part == SMRF_SASS_H0_NH1 || src->part > SMRF_SASS_B3) {
        smrf_exec_bind_fail(b, "this part of the source of %s is not supported", b->inst->mnemonic);
    }
}

static uint32_t bind_direction_(struct smrf_exec_binding *b)
{
    static const char *const name[] = {"ROUND", "FLOOR", "CEIL", "TRUNC"};
    return smrf_exec_bind_one_of(b, name, 4, SMRF_EXEC_NEAREST);
}

static void bind_f2f_(struct smrf_exec_binding *b)
{
    unsigned target = smrf_exec_bind_next_of(b, float_name, 3, NO_FLOAT),
             source = smrf_exec_bind_next_of(b, float_name, 3, NO_FLOAT);
    if (target == NO_FLOAT || source == NO_FLOAT) {
        smrf_exec_bind_fail(b, "%s lacks its two types", b->inst->mnemonic);
    }
    b->op->sub = smrf_exec_bind_rounding(b) | (smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SMRF_EXEC_SAT : 0U);
    if ((b->op->sub & SMRF_EXEC_SAT) != 0 && target != TO_F32) {
        smrf_exec_bind_fail(b, ".SAT of %s is not supported", b->inst->mnemonic);
    }
    b->op->sub2 = source | target << 8;
    bind_source_(b, source == TO_F64, source == TO_F16, true);
    b->op->fn = f2f_;
}

static void bind_frnd_(struct smrf_exec_binding *b)
{
    unsigned type = smrf_exec_bind_next_of(b, float_name, 3, NO_FLOAT);
    type = type == NO_FLOAT ? TO_F32 : type;
    b->op->sub = bind_direction_(b) | (smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SMRF_EXEC_SAT : 0U);
    if ((b->op->sub & SMRF_EXEC_SAT) != 0 && type != TO_F32) {
        smrf_exec_bind_fail(b, ".SAT of %s is not supported", b->inst->mnemonic);
    }
    b->op->sub2 = type | type << 8;
    bind_source_(b, type == TO_F64, type == TO_F16, true);
    b->op->fn = frnd_;
}

static void bind_f2i_(struct smrf_exec_binding *b)
{
    unsigned source = smrf_exec_bind_next_of(b, float_name, 3, NO_FLOAT),
             target = smrf_exec_bind_next_of(b, int_name, INT_S4, NO_INT);
    source = source == NO_FLOAT ? TO_F32 : source;
    target = target == NO_INT ? INT_S32 : target;
    bool zero = smrf_exec_bind_has(b, "NTZ");
    b->op->sub = bind_direction_(b) | (smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0U) |
                 (zero ? NAN_TO_ZERO : 0U);
    b->op->sub2 = source | target << 8;
    bind_source_(b, source == TO_F64, source == TO_F16, true);
    bool common = source == TO_F32 && target == INT_S32 && zero &&
                  (b->op->sub & SMRF_EXEC_ROUNDING) == SMRF_EXEC_CHOP;
    b->op->fn = common ? SMRF_EXEC_PICK(f2i_trunc_s32) : f2i_;
}

static void bind_i2f_(struct smrf_exec_binding *b)
{
    unsigned target = smrf_exec_bind_next_of(b, float_name, 3, NO_FLOAT),
             source = smrf_exec_bind_next_of(b, int_name, INT_S4, NO_INT);
    target = target == NO_FLOAT ? TO_F32 : target;
    source = source == NO_INT ? INT_S32 : source;
    b->op->sub = smrf_exec_bind_rounding(b);
    b->op->sub2 = source | target << 8;
    bind_source_(b, int_bits[source] == 64, int_bits[source] < 32, false);
    b->op->fn = i2f_;
}

static void bind_i2i_(struct smrf_exec_binding *b)
{
    unsigned target = smrf_exec_bind_next_of(b, int_name, INT_S4, NO_INT),
             source = smrf_exec_bind_next_of(b, int_name, INT_S4, NO_INT);
    if (target == NO_INT || source == NO_INT) {
        smrf_exec_bind_fail(b, "%s lacks its two types", b->inst->mnemonic);
    }
    b->op->sub = smrf_exec_bind_has(b, "SAT") ? INT_SATURATE : 0;
    b->op->sub2 = source | target << 8;
    if (b->rc == 0) {
        bind_source_(b, int_bits[source] == 64, int_bits[source] < 32, false);
    }
    b->op->fn = i2i_;
}

static void bind_i2ip_(struct smrf_exec_binding *b)
{
    unsigned target = smrf_exec_bind_next_of(b, int_name, NO_INT, NO_INT),
             source = smrf_exec_bind_next_of(b, int_name, INT_S4, NO_INT);
    if (target < INT_S16 || target == NO_INT || source > INT_U32 || !smrf_exec_bind_has(b, "SAT")) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    b->op->sub2 = source | target << 8;
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 2; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    smrf_exec_bind_src(b, SMRF_EXEC_RAW); /* .24 or .28 only says what the types do */
    if (b->rc != 0) {
        return;
    }
    struct smrf_exec_src *above = &b->op->src[2];
    if (above->part != SMRF_SASS_WHOLE && above->part != SMRF_SASS_LOW24 &&
        above->part != SMRF_SASS_LOW28) {
        smrf_exec_bind_fail(b, "this part of %s's third source is not supported",
                            b->inst->mnemonic);
    }
    above->part = SMRF_SASS_WHOLE;
    above->plain = above->kind == SMRF_SASS_REG;
    b->op->fn = i2ip_;
}

int smrf_exec_bind_convert(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"F2I", bind_f2i_},   {"I2F", bind_i2f_}, {"I2FP", bind_i2f_},  {"F2F", bind_f2f_},
        {"FRND", bind_frnd_}, {"I2I", bind_i2i_}, {"I2IP", bind_i2ip_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
