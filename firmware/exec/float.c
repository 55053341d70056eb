/* SPDX-License-Identifier: Apache-2.0 */
/* Single precision: FADD, FMUL, FFMA, FMNMX, FSETP, FSET, FSEL, FCHK. */
#include "firmware/exec/fp.h"

#include <math.h>

/* Sources as the operation sees them: subnormals flushed under .FTZ. */
SMRF_EXEC_INLINE const uint32_t *flushed(const struct smrf_exec_op *op, const uint32_t *x,
                                         uint32_t scratch[SMRF_EXEC_LANES])
{
    if ((op->sub & SMRF_EXEC_FTZ) == 0) {
        return x;
    }
    SMRF_EXEC_EACH_LANE(i)
        scratch[i] = smrf_exec_flush(x[i]);
    return scratch;
}

SMRF_EXEC_INLINE void finish_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                              uint32_t mask, uint32_t out[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_canonical(out[i]);
    if ((op->sub & SMRF_EXEC_FTZ) != 0) {
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_flush(out[i]);
    }
    if ((op->sub & SMRF_EXEC_SAT) != 0) {
        SMRF_EXEC_EACH_LANE(i)
            out[i] = smrf_exec_saturate(out[i]);
    }
    smrf_exec_write(w, op->dst, mask, out);
}

#define ROW(name, n)                                                                               \
    SMRF_EXEC_ROW_F32(name##_raw, n);                                                              \
    uint32_t name##_flushed[SMRF_EXEC_LANES];                                                      \
    const uint32_t *name = flushed(op, name##_raw, name##_flushed)

SMRF_EXEC_HANDLER(fadd)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    smrf_exec_round_begin(rounding, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_float_bits(smrf_exec_float(a[i]) + smrf_exec_float(b[i]));
    smrf_exec_round_end(rounding, out);
    finish_(w, op, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(fmul)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    smrf_exec_round_begin(rounding, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_float_bits(smrf_exec_float(a[i]) * smrf_exec_float(b[i]));
    smrf_exec_round_end(rounding, out);
    finish_(w, op, mask, out);
    return smrf_exec_done(w);
}

/* FMUL.D2 .. .M8: the exact product (a double holds it) times a power of two, rounded once. */
SMRF_EXEC_HANDLER(fmul_scaled)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    const double scale = (double)smrf_exec_float(op->sub2);
    smrf_exec_round_begin(rounding, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_float_bits(
            (float)((double)smrf_exec_float(a[i]) * (double)smrf_exec_float(b[i]) * scale));
    smrf_exec_round_end(rounding, out);
    finish_(w, op, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(ffma)
{
    ROW(a, 0);
    ROW(b, 1);
    ROW(c, 2);
    uint32_t out[SMRF_EXEC_LANES], rounding = op->sub & SMRF_EXEC_ROUNDING;
    smrf_exec_round_begin(rounding, out);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_float_bits(
            fmaf(smrf_exec_float(a[i]), smrf_exec_float(b[i]), smrf_exec_float(c[i])));
    smrf_exec_round_end(rounding, out);
    finish_(w, op, mask, out);
    return smrf_exec_done(w);
}

static void bind_flags_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_rounding(b) | (smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SMRF_EXEC_SAT : 0U);
}

static void bind_sources_(struct smrf_exec_binding *b, unsigned count)
{
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < count; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_F32);
    }
}

static void bind_fadd_(struct smrf_exec_binding *b)
{
    bind_flags_(b);
    bind_sources_(b, 2);
    b->op->fn = SMRF_EXEC_PICK(fadd);
}

static void bind_fmul_(struct smrf_exec_binding *b)
{
    static const char *const scale[] = {"D2", "D4", "D8", "M8", "M4", "M2"};
    static const float factor[] = {0.5F, 0.25F, 0.125F, 8, 4, 2, 1};
    unsigned k = smrf_exec_bind_one_of(b, scale, 6, 6);
    bind_flags_(b);
    bind_sources_(b, 2);
    b->op->sub2 = smrf_exec_float_bits(factor[k]);
    b->op->fn = k < 6 ? SMRF_EXEC_PICK(fmul_scaled) : SMRF_EXEC_PICK(fmul);
}

static void bind_ffma_(struct smrf_exec_binding *b)
{
    bind_flags_(b);
    bind_sources_(b, 3);
    b->op->fn = SMRF_EXEC_PICK(ffma);
}

/* ---- Minimum, comparisons, selection --------------------------------------------------------- */

/* Order of the bits of floats as of signed integers: -0 comes before +0. */
SMRF_EXEC_INLINE int32_t order_key_(uint32_t x)
{
    return (int32_t)(x ^ ((0U - (x >> 31)) >> 1));
}

/* Minimum where the predicate holds, else maximum; the number wins over a NaN, or the NaN (op->sub2
 * 1) over the number. */
SMRF_EXEC_HANDLER(fmnmx)
{
    ROW(a, 0);
    ROW(b, 1);
    const uint32_t nan_wins = op->sub2 != 0 ? UINT32_MAX : 0;
    uint32_t out[SMRF_EXEC_LANES], lesser = smrf_exec_pred(w, &op->psrc[0]);
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t less = order_key_(a[i]) < order_key_(b[i]) ? UINT32_MAX : 0;
        uint32_t want = (lesser & smrf_exec_bit[i]) != 0 ? UINT32_MAX : 0;
        uint32_t first = ~(less ^ want);
        const uint32_t a_nan = (a[i] & 0x7fffffff) > 0x7f800000 ? UINT32_MAX : 0;
        const uint32_t b_nan = (b[i] & 0x7fffffff) > 0x7f800000 ? UINT32_MAX : 0;
        const uint32_t nan = (a_nan | b_nan) & nan_wins;
        first = (first | b_nan) & ~a_nan;
        out[i] = ((b[i] ^ ((a[i] ^ b[i]) & first)) & ~nan) | (nan & 0x7fffffff);
    }
    finish_(w, op, mask, out);
    return smrf_exec_done(w);
}

static void bind_fmnmx_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0;
    b->op->sub2 = smrf_exec_bind_has(b, "NAN") ? 1 : 0;
    bind_sources_(b, 2);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(fmnmx);
}

/* Lanes in which the comparison of bits 0..3 of op->sub2 holds. */
SMRF_EXEC_INLINE uint32_t compare_(const struct smrf_exec_op *op, const uint32_t *a,
                                   const uint32_t *b)
{
    uint32_t lt = 0, eq = 0, un = 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t nan = ((a[i] & 0x7fffffff) > 0x7f800000) | ((b[i] & 0x7fffffff) > 0x7f800000);
        /* Zeros of both signs are one value. */
        int32_t x = order_key_((a[i] << 1) == 0 ? 0 : a[i]);
        int32_t y = order_key_((b[i] << 1) == 0 ? 0 : b[i]);
        un |= nan != 0 ? smrf_exec_bit[i] : 0;
        lt |= x < y ? smrf_exec_bit[i] : 0;
        eq |= x == y ? smrf_exec_bit[i] : 0;
    }
    return smrf_exec_relate(op->sub2 & 15, lt & ~un, eq & ~un, un);
}

SMRF_EXEC_HANDLER(fsetp)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t truth = compare_(op, a, b), with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_combine(op->sub2 >> 4, truth, with));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_combine(op->sub2 >> 4, ~truth, with));
    return smrf_exec_done(w);
}

/* The value that stands for true is in the third source. */
SMRF_EXEC_HANDLER(fset)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t truth = compare_(op, a, b), with = smrf_exec_pred(w, &op->psrc[0]);
    uint32_t out[SMRF_EXEC_LANES], one = (uint32_t)op->src[2].imm;
    truth = smrf_exec_combine(op->sub2 >> 4, truth, with);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (truth & smrf_exec_bit[i]) != 0 ? one : 0;
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_float_comparison(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0;
    uint32_t relation = smrf_exec_bind_compare(b, false);
    b->op->sub2 = relation | smrf_exec_bind_combine(b) << 4;
}

static void bind_fsetp_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_float_comparison(b);
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(fsetp);
}

static void bind_fset_(struct smrf_exec_binding *b)
{
    bool number = smrf_exec_bind_has(b, "BF"); /* 1.0, else all ones */
    smrf_exec_bind_float_comparison(b);
    bind_sources_(b, 2);
    smrf_exec_bind_psrc(b);
    smrf_exec_bind_zero(b);
    b->op->src[2].imm = number ? UINT32_C(0x3f800000) : UINT32_MAX;
    b->op->fn = SMRF_EXEC_PICK(fset);
}

SMRF_EXEC_HANDLER(fsel)
{
    ROW(a, 0);
    ROW(b, 1);
    uint32_t out[SMRF_EXEC_LANES], first = smrf_exec_pred(w, &op->psrc[0]);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (first & smrf_exec_bit[i]) != 0 ? a[i] : b[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* The compiler also selects upper words of doubles: an infinity's is printed like a NaN's. Only a
 * lane that takes such a source needs its bits. */
static int fsel_unknown_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t first = smrf_exec_pred(w, &op->psrc[0]);
    uint32_t lanes = mask & (op->sub2 == 0 ? first : ~first);
    if (lanes != 0) {
        return smrf_exec_fail(w, __builtin_ctz(lanes), SMRF_ERR_UNKNOWN,
                              "the bits of the QNAN that is selected are not in the text: "
                              "disassemble with encodings (cuobjdump -sass, or nvdisasm -hex)");
    }
    return fsel_base(w, op, mask);
}

static void bind_fsel_(struct smrf_exec_binding *b)
{
    bool unknown = false;
    b->op->sub = smrf_exec_bind_has(b, "FTZ") ? SMRF_EXEC_FTZ : 0;
    for (unsigned k = 1; k < 3 && k < b->inst->num_operands; k++) {
        const struct smrf_sass_operand *o = &b->inst->operand[k];
        if (o->kind == SMRF_SASS_FLOAT && isnan(o->number) && o->imm == 0) {
            unknown = true;
            b->op->sub2 = k - 1;
        }
    }
    bind_sources_(b, 2);
    smrf_exec_bind_psrc(b);
    b->op->fn = unknown ? fsel_unknown_ : SMRF_EXEC_PICK(fsel);
}

/* Whether a / b needs the slow path of division: the fast one multiplies a by the reciprocal of b
 * and corrects with the residue a - b * q, so reciprocal, quotient and residue have to be normal
 * numbers. The hardware's exact bounds are not documented; these keep the fast path exact. */
SMRF_EXEC_HANDLER(fchk)
{
    SMRF_EXEC_ROW_F32(a, 0);
    SMRF_EXEC_ROW_F32(b, 1);
    uint32_t lanes = 0;
    SMRF_EXEC_EACH_LANE(i) {
        int32_t ea = (int32_t)(a[i] >> 23 & 0xff), eb = (int32_t)(b[i] >> 23 & 0xff);
        bool fast = (ea >= 26) & (ea <= 254) & (eb >= 1) & (eb <= 252) & (ea - eb <= 125) &
                    (ea - eb >= -124);
        lanes |= fast ? 0 : smrf_exec_bit[i];
    }
    smrf_exec_write_pred(w, op->pdst, mask, lanes);
    return smrf_exec_done(w);
}

static void bind_fchk_(struct smrf_exec_binding *b)
{
    (void)smrf_exec_bind_has(b, "DIVIDE");
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    smrf_exec_bind_src(b, SMRF_EXEC_F32);
    b->op->fn = SMRF_EXEC_PICK(fchk);
}

int smrf_exec_bind_float(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"FADD", bind_fadd_},   {"FMUL", bind_fmul_}, {"FFMA", bind_ffma_}, {"FMNMX", bind_fmnmx_},
        {"FSETP", bind_fsetp_}, {"FSET", bind_fset_}, {"FSEL", bind_fsel_}, {"FCHK", bind_fchk_},
    };
    int rc = SMRF_EXEC_BIND_TABLE(op, error, table);
    return rc == 0 ? smrf_exec_bind_mufu(op, error) : rc;
}
