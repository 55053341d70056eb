/* SPDX-License-Identifier: Apache-2.0 */
/* The multi-function unit. Its results are specified by error bounds only (CUDA programming guide,
 * intrinsic functions); here they are the function's value in double precision rounded to nearest,
 * which lies within every bound. Subnormal sources and results are zeros, as the scaling that the
 * compiler puts around the instruction presumes. SIN and COS take revolutions. */
#include "firmware/exec/fp16.h"

#include <math.h>

enum mufu {
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_SQRT,
    MUFU_LG2,
    MUFU_EX2,
    MUFU_SIN,
    MUFU_COS,
    MUFU_TANH,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_COUNT
};

static double sine_(double turns)
{
    double rest = turns - rint(turns); /* exact; quarters and halves exactly, too */
    if (isnan(rest)) {
        return rest;
    }
    double quarter = rint(rest * 4), angle = (rest - quarter * 0.25) * 6.283185307179586476925;
    switch ((int)quarter & 3) {
    case 0:
        return sin(angle);
    case 1:
        return cos(angle);
    case 2:
        return -sin(angle);
    default:
        return -cos(angle);
    }
}

static double evaluate_(enum mufu function, double x)
{
    switch (function) {
    case MUFU_RCP:
        return 1.0 / x;
    case MUFU_RSQ:
        return 1.0 / sqrt(x);
    case MUFU_SQRT:
        return sqrt(x);
    case MUFU_LG2:
        return log2(x);
    case MUFU_EX2:
        return exp2(x);
    case MUFU_SIN:
        return sine_(x);
    case MUFU_COS:
        return isfinite(x) ? sine_(x - rint(x) + 0.25) : x - x;
    default:
        return tanh(x);
    }
}

static int mufu_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_F32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    enum mufu function = (enum mufu)op->sub;
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        double x = (double)smrf_exec_float(smrf_exec_flush(a[i]));
        float y = (float)evaluate_(function, x);
        out[i] = smrf_exec_flush(smrf_exec_canonical(smrf_exec_float_bits(y)));
    }
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = (mask >> i & 1) != 0 ? out[i] : 0;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* EX2 and TANH of the low (op->sub2: or high) half; subnormal halves count. */
static int mufu_f16_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_src pair = op->src[0];
    pair.part = SMRF_SASS_WHOLE;
    uint32_t scratch[SMRF_EXEC_LANES], out[SMRF_EXEC_LANES];
    const uint32_t *a = smrf_exec_h2(w, &pair, scratch);
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        double x = (double)smrf_exec_half_to_float(a[i] >> op->sub2 & 0xffff);
        out[i] = smrf_exec_double_to_half(evaluate_((enum mufu)op->sub, x), SMRF_EXEC_NEAREST);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* Reciprocals are frequent and vectorise. */
SMRF_EXEC_HANDLER(mufu_rcp)
{
    SMRF_EXEC_ROW_F32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        float y = 1.0F / smrf_exec_float(smrf_exec_flush(a[i]));
        out[i] = smrf_exec_flush(smrf_exec_canonical(smrf_exec_float_bits(y)));
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* The upper word of a double's reciprocal (root), from its upper word: a start for Newton steps.
 * Subnormals count as zeros. */
static int mufu_64h_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_F32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        uint32_t high = (a[i] & 0x7ff00000) == 0 ? a[i] & UINT32_C(0x80000000) : a[i];
        double x = smrf_exec_double((uint64_t)high << 32);
        double y = op->sub == MUFU_RCP64H ? 1.0 / x : 1.0 / sqrt(x);
        uint64_t bits = smrf_exec_double_bits(y);
        if (y != y) {
            out[i] = 0x7fffffff;
        } else if ((bits & UINT64_C(0x7ff0000000000000)) == 0) {
            out[i] = (uint32_t)(bits >> 32) & UINT32_C(0x80000000);
        } else {
            out[i] = (uint32_t)((bits + UINT64_C(0x80000000)) >> 32);
        }
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_half_source_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_src(b, SMRF_EXEC_RAW);
    const struct smrf_exec_src *src = &b->op->src[0];
    bool high = src->part == SMRF_SASS_H1 || src->part == SMRF_SASS_H1_H1;
    bool low =
        src->part == SMRF_SASS_WHOLE || src->part == SMRF_SASS_H0 || src->part == SMRF_SASS_H0_H0;
    if (src->kind == SMRF_SASS_INT || (!high && !low)) {
        smrf_exec_bind_fail(b, "this source of %s is not supported", b->inst->mnemonic);
    }
    b->op->sub2 = high ? 16 : 0;
}

/* An immediate, the divisor in x / 3.0, is printed as the double that it is the upper word of. */
static void bind_upper_word_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) != SMRF_SASS_FLOAT) {
        smrf_exec_bind_src(b, SMRF_EXEC_F32);
        return;
    }
    smrf_exec_bind_src(b, SMRF_EXEC_F64);
    b->op->src[0].imm >>= 32;
}

static void bind_mufu_(struct smrf_exec_binding *b)
{
    static const char *const name[MUFU_COUNT] = {"RCP", "RSQ", "SQRT", "LG2",    "EX2",
                                                 "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
    unsigned function = smrf_exec_bind_one_of(b, name, MUFU_COUNT, MUFU_COUNT);
    if (function == MUFU_COUNT) {
        smrf_exec_bind_fail(b, "%s names no function that is supported", b->inst->mnemonic);
    }
    b->op->sub = function;
    smrf_exec_bind_dst(b);
    if ((function == MUFU_EX2 || function == MUFU_TANH) && smrf_exec_bind_has(b, "F16")) {
        bind_half_source_(b);
        b->op->fn = mufu_f16_;
        return;
    }
    if (function >= MUFU_RCP64H) {
        bind_upper_word_(b);
        b->op->fn = mufu_64h_;
        return;
    }
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    b->op->fn = function == MUFU_RCP ? SMRF_EXEC_PICK(mufu_rcp) : mufu_;
}

int smrf_exec_bind_mufu(struct smrf_exec_op *op, char *error)
{
    static const struct smrf_exec_opcode table[] = {{"MUFU", bind_mufu_}};
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
