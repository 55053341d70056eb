/* SPDX-License-Identifier: Apache-2.0 */
/* Double precision: DADD, DMUL, DFMA, DSETP. Subnormals are never flushed. A NaN among the sources
 * is the result, made quiet; the leftmost wins. */
#include "firmware/exec/fp.h"

#include <math.h>

SMRF_EXEC_INLINE bool is_nan_(uint64_t x)
{
    return x << 1 > UINT64_C(0xffe0000000000000);
}

SMRF_EXEC_INLINE uint64_t nan_of_(uint64_t result, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t first = is_nan_(a) ? a : is_nan_(b) ? b : is_nan_(c) ? c : SMRF_EXEC_NAN_F64;
    return is_nan_(result) ? first | UINT64_C(0x0008000000000000) : result;
}

SMRF_EXEC_HANDLER(dadd)
{
    SMRF_EXEC_ROW_F64(a, 0);
    SMRF_EXEC_ROW_F64(b, 1);
    uint64_t out[SMRF_EXEC_LANES];
    smrf_exec_round_begin(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_double_bits(smrf_exec_double(a[i]) + smrf_exec_double(b[i]));
    smrf_exec_round_end(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = nan_of_(out[i], a[i], b[i], 0);
    smrf_exec_write64(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(dmul)
{
    SMRF_EXEC_ROW_F64(a, 0);
    SMRF_EXEC_ROW_F64(b, 1);
    uint64_t out[SMRF_EXEC_LANES];
    smrf_exec_round_begin(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_double_bits(smrf_exec_double(a[i]) * smrf_exec_double(b[i]));
    smrf_exec_round_end(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = nan_of_(out[i], a[i], b[i], 0);
    smrf_exec_write64(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(dfma)
{
    SMRF_EXEC_ROW_F64(a, 0);
    SMRF_EXEC_ROW_F64(b, 1);
    SMRF_EXEC_ROW_F64(c, 2);
    uint64_t out[SMRF_EXEC_LANES];
    smrf_exec_round_begin(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_double_bits(
            fma(smrf_exec_double(a[i]), smrf_exec_double(b[i]), smrf_exec_double(c[i])));
    smrf_exec_round_end(op->sub, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = nan_of_(out[i], a[i], b[i], c[i]);
    smrf_exec_write64(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_arithmetic_(struct smrf_exec_binding *b, unsigned sources)
{
    b->op->sub = smrf_exec_bind_rounding(b);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < sources; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_F64);
    }
}

static void bind_dadd_(struct smrf_exec_binding *b)
{
    bind_arithmetic_(b, 2);
    b->op->fn = SMRF_EXEC_PICK(dadd);
}

static void bind_dmul_(struct smrf_exec_binding *b)
{
    bind_arithmetic_(b, 2);
    b->op->fn = SMRF_EXEC_PICK(dmul);
}

static void bind_dfma_(struct smrf_exec_binding *b)
{
    bind_arithmetic_(b, 3);
    b->op->fn = SMRF_EXEC_PICK(dfma);
}

/* Order of the bits of doubles as of signed integers: -0 comes before +0. */
SMRF_EXEC_INLINE int64_t order_key_(uint64_t x)
{
    return (int64_t)(x ^ ((0U - (x >> 63)) >> 1));
}

SMRF_EXEC_HANDLER(dsetp)
{
    SMRF_EXEC_ROW_F64(a, 0);
    SMRF_EXEC_ROW_F64(b, 1);
    uint32_t lt = 0, eq = 0, un = 0;
    SMRF_EXEC_EACH_LANE(i) {
        int64_t x = order_key_(a[i] << 1 == 0 ? 0 : a[i]),
                y = order_key_(b[i] << 1 == 0 ? 0 : b[i]);
        un |= is_nan_(a[i]) || is_nan_(b[i]) ? smrf_exec_bit[i] : 0;
        lt |= x < y ? smrf_exec_bit[i] : 0;
        eq |= x == y ? smrf_exec_bit[i] : 0;
    }
    uint32_t truth = smrf_exec_relate(op->sub & 15, lt & ~un, eq & ~un, un);
    uint32_t with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_combine(op->sub2, truth, with));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_combine(op->sub2, ~truth, with));
    return smrf_exec_done(w);
}

/* .MIN, .MAX: the first predicate says that a is the result, the second that the result is a NaN,
 * whose upper word the compiler then makes quiet: it takes b's. The number wins over a NaN. */
SMRF_EXEC_HANDLER(dsetp_extremum)
{
    SMRF_EXEC_ROW_F64(a, 0);
    SMRF_EXEC_ROW_F64(b, 1);
    uint32_t first = 0, nan = 0;
    bool lesser = op->sub == 0;
    SMRF_EXEC_EACH_LANE(i) {
        int64_t x = order_key_(a[i]), y = order_key_(b[i]);
        bool nan_a = is_nan_(a[i]), nan_b = is_nan_(b[i]);
        bool take = nan_b ? !nan_a : !nan_a && (lesser ? x < y : x > y);
        first |= take ? smrf_exec_bit[i] : 0;
        nan |= nan_a && nan_b ? smrf_exec_bit[i] : 0;
    }
    uint32_t with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_combine(op->sub2, first, with));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_combine(op->sub2, nan, with));
    return smrf_exec_done(w);
}

static void bind_dsetp_(struct smrf_exec_binding *b)
{
    bool lesser = smrf_exec_bind_has(b, "MIN"), greater = smrf_exec_bind_has(b, "MAX");
    b->op->sub = lesser ? 0 : greater ? 1 : smrf_exec_bind_compare(b, false);
    b->op->sub2 = smrf_exec_bind_combine(b);
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    smrf_exec_bind_src(b, SMRF_EXEC_F64);
    smrf_exec_bind_src(b, SMRF_EXEC_F64);
    smrf_exec_bind_psrc(b);
    b->op->fn = lesser || greater ? SMRF_EXEC_PICK(dsetp_extremum) : SMRF_EXEC_PICK(dsetp);
}

int smrf_exec_bind_double(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"DADD", bind_dadd_},
        {"DMUL", bind_dmul_},
        {"DFMA", bind_dfma_},
        {"DSETP", bind_dsetp_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
