/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and selections of integers: ISETP, IMNMX, SEL, VIMNMX, VIADD, and predicates as a
 * register's bits: P2R, R2P. */
#include "firmware/exec/lanes.h"

/* op->sub of ISETP: comparison in bits 0..3. */
enum { ISETP_UNSIGNED = 16, ISETP_EXTENDED = 32 };

/* Lanes in which a is less than b, and in which they are equal. */
SMRF_EXEC_INLINE void order_(const uint32_t *a, const uint32_t *b, uint32_t bias, uint32_t *less,
                             uint32_t *equal)
{
    uint32_t lt = 0, eq = 0;
    SMRF_EXEC_EACH_LANE(i) {
        lt |= (int32_t)(a[i] ^ bias) < (int32_t)(b[i] ^ bias) ? smrf_exec_bit[i] : 0;
        eq |= a[i] == b[i] ? smrf_exec_bit[i] : 0;
    }
    *less = lt;
    *equal = eq;
}

SMRF_EXEC_HANDLER(isetp)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t lt, eq, compare = op->sub & 15;
    order_(a, b, (op->sub & ISETP_UNSIGNED) != 0 ? UINT32_C(0x80000000) : 0, &lt, &eq);
    uint32_t truth = smrf_exec_relate(compare, lt, eq, 0);
    if ((op->sub & ISETP_EXTENDED) != 0) {
        /* The upper words decide unless they are equal; then the lower words' outcome counts. */
        uint32_t low = smrf_exec_pred(w, &op->psrc[1]);
        truth = (smrf_exec_relate(compare, lt, eq, 0) & ~eq) | (eq & low);
    }
    uint32_t with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_combine(op->sub2, truth, with));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_combine(op->sub2, ~truth, with));
    return smrf_exec_done(w);
}

static void bind_isetp_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_compare(b, true);
    bool extended = smrf_exec_bind_has(b, "EX");
    b->op->sub |=
        (smrf_exec_bind_has(b, "U32") ? ISETP_UNSIGNED : 0U) | (extended ? ISETP_EXTENDED : 0U);
    b->op->sub2 = smrf_exec_bind_combine(b);
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_psrc(b);
    if (extended) {
        smrf_exec_bind_psrc(b);
    }
    b->op->fn = SMRF_EXEC_PICK(isetp);
}

/* Minimum where the predicate holds, else maximum. */
SMRF_EXEC_HANDLER(imnmx)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES], lesser = smrf_exec_pred(w, &op->psrc[0]);
    uint32_t bias = op->sub != 0 ? UINT32_C(0x80000000) : 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t less = (int32_t)(a[i] ^ bias) < (int32_t)(b[i] ^ bias) ? UINT32_MAX : 0;
        uint32_t want = (lesser & smrf_exec_bit[i]) != 0 ? UINT32_MAX : 0;
        out[i] = b[i] ^ ((a[i] ^ b[i]) & ~(less ^ want));
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_imnmx_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "U32") ? 1 : 0;
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(imnmx);
}

/* VIADDMNMX: the lesser (or the greater) of a sum and c. */
SMRF_EXEC_HANDLER(viaddmnmx)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], lesser = smrf_exec_pred(w, &op->psrc[0]);
    uint32_t bias = op->sub != 0 ? UINT32_C(0x80000000) : 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t sum = a[i] + b[i];
        bool less = (int32_t)(sum ^ bias) < (int32_t)(c[i] ^ bias);
        out[i] = less == ((lesser & smrf_exec_bit[i]) != 0) ? sum : c[i];
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_viaddmnmx_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "U32") ? 1 : 0;
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(viaddmnmx);
}

SMRF_EXEC_HANDLER(viadd)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] + b[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_viadd_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(viadd);
}

SMRF_EXEC_HANDLER(sel)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES], first = smrf_exec_pred(w, &op->psrc[0]);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (first & smrf_exec_bit[i]) != 0 ? a[i] : b[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_sel_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_psrc(b);
    b->op->fn = SMRF_EXEC_PICK(sel);
}

/* ---- Predicates as bits -------------------------------------------------------------------- */

/* Predicates of the mask operand replace bits of the source; op->sub2 shifts them to a byte. */
SMRF_EXEC_HANDLER(p2r)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    uint32_t chosen = smrf_exec_scalar(w, &op->src[1]) & 0x7f, keep = ~(chosen << op->sub2);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] & keep;
    for (unsigned n = 0; n < 7; n++) {
        if ((chosen >> n & 1) == 0) {
            continue;
        }
        uint32_t lanes = w->p[n], bit = UINT32_C(1) << (n + op->sub2);
        SMRF_EXEC_EACH_LANE(i)
            out[i] |= (lanes & smrf_exec_bit[i]) != 0 ? bit : 0;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(r2p)
{
    const uint32_t *a = w->r[op->src[0].reg];
    uint32_t scratch[SMRF_EXEC_LANES];
    if (op->src[0].kind != SMRF_SASS_REG) {
        a = smrf_exec_u32(w, &op->src[0], scratch);
    }
    uint32_t chosen = smrf_exec_scalar(w, &op->src[1]) & 0x7f;
    for (unsigned n = 0; n < 7; n++) {
        if ((chosen >> n & 1) == 0) {
            continue;
        }
        uint32_t bit = UINT32_C(1) << (n + op->sub2), lanes = 0;
        SMRF_EXEC_EACH_LANE(i)
            lanes |= (a[i] & bit) != 0 ? smrf_exec_bit[i] : 0;
        smrf_exec_write_pred(w, n, mask, lanes);
    }
    return smrf_exec_done(w);
}

/* The operand PR: all predicates. */
static void bind_pr_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_SPECIAL &&
        strcmp(b->inst->operand[b->next].name, "PR") == 0) {
        b->next++;
    } else {
        smrf_exec_bind_fail(b, "operand %u of %s should be PR", b->next + 1, b->inst->mnemonic);
    }
}

/* The mask operand is the same in all lanes. */
static void bind_chosen_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    if (b->op->src[1].kind == SMRF_SASS_REG) {
        smrf_exec_bind_fail(b, "%s with a mask in a register is not supported", b->inst->mnemonic);
    }
}

static void bind_p2r_(struct smrf_exec_binding *b)
{
    static const char *const byte[] = {"B0", "B1", "B2", "B3"};
    b->op->sub2 = 8 * smrf_exec_bind_one_of(b, byte, 4, 0);
    smrf_exec_bind_dst(b);
    bind_pr_(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    bind_chosen_(b);
    b->op->fn = SMRF_EXEC_PICK(p2r);
}

static void bind_r2p_(struct smrf_exec_binding *b)
{
    bind_pr_(b);
    smrf_exec_bind_src(b, SMRF_EXEC_RAW);
    const struct smrf_exec_src *src = &b->op->src[0];
    if (src->part >= SMRF_SASS_B0 && src->part <= SMRF_SASS_B3) {
        b->op->sub2 = 8U * (uint32_t)(src->part - SMRF_SASS_B0);
    } else if (src->part != SMRF_SASS_WHOLE) {
        smrf_exec_bind_fail(b, "this part of R2P's source is not supported");
    }
    if (src->negated || src->absolute || src->inverted) {
        smrf_exec_bind_fail(b, "a modifier of R2P's source is not supported");
    }
    bind_chosen_(b);
    b->op->fn = SMRF_EXEC_PICK(r2p);
}

int smrf_exec_bind_int_select(struct smrf_exec_op *op, char *error)
{
    static const struct smrf_exec_opcode table[] = {
        {"ISETP", bind_isetp_}, {"SEL", bind_sel_},
        {"IMNMX", bind_imnmx_}, {"P2R", bind_p2r_},
        {"R2P", bind_r2p_},     {"VIMNMX", bind_imnmx_},
        {"VIADD", bind_viadd_}, {"VIADDMNMX", bind_viaddmnmx_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
