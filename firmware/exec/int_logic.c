/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of integers and predicates: LOP3, PLOP3, SHF, PRMT, BMSK, SGXT, BREV, POPC, FLO. */
#include "firmware/exec/bits.h"

enum { LOP3_AND = 1 }; /* op->sub2: predicate output is combined by AND (.PAND) instead of OR */

SMRF_EXEC_HANDLER(lop3)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], table = op->sub;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_lookup(table, a[i], b[i], c[i]);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* The tables the compiler emits most. */
SMRF_EXEC_HANDLER(lop3_and)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] & b[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(lop3_pred)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], table = op->sub;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_lookup(table, a[i], b[i], c[i]);
    uint32_t truth = smrf_exec_lanes(out), with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write(w, op->dst, mask, out);
    smrf_exec_write_pred(w, op->pdst, mask,
                         (op->sub2 & LOP3_AND) != 0 ? truth & with : truth | with);
    return smrf_exec_done(w);
}

/* A literal table operand. */
uint32_t smrf_exec_bind_lookup(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_INT) {
        return (uint32_t)b->inst->operand[b->next++].imm & 0xff;
    }
    smrf_exec_bind_fail(b, "%s lacks its table", b->inst->mnemonic);
    return 0;
}

static void bind_lop3_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT")) {
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    }
    b->op->sub2 = smrf_exec_bind_has(b, "PAND") ? LOP3_AND : 0;
    (void)smrf_exec_bind_has(b, "POR");
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    b->op->sub = smrf_exec_bind_lookup(b);
    if (smrf_exec_bind_kind(b) != SMRF_SASS_NONE) {
        smrf_exec_bind_psrc(b);
    } else {
        smrf_exec_bind_true(b);
    }
    b->op->fn = b->op->pdst != 7     ? SMRF_EXEC_PICK(lop3_pred)
                : b->op->sub == 0xc0 ? SMRF_EXEC_PICK(lop3_and)
                                     : SMRF_EXEC_PICK(lop3);
}

/* A predicate operand of PLOP3; of a register it takes the sign. */
SMRF_EXEC_INLINE uint32_t plop3_source_(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    if (src->kind != SMRF_SASS_REG) {
        return smrf_exec_pred(w, src);
    }
    const uint32_t *row = w->r[src->reg];
    uint32_t lanes = 0;
    SMRF_EXEC_EACH_LANE(i)
        lanes |= (int32_t)row[i] < 0 ? smrf_exec_bit[i] : 0;
    return src->inverted ? ~lanes : lanes;
}

SMRF_EXEC_HANDLER(plop3)
{
    uint32_t a = plop3_source_(w, &op->psrc[0]), b = plop3_source_(w, &op->psrc[1]);
    uint32_t c = plop3_source_(w, &op->psrc[2]);
    smrf_exec_write_pred(w, op->pdst, mask, smrf_exec_lookup(op->sub, a, b, c));
    smrf_exec_write_pred(w, op->pdst2, mask, smrf_exec_lookup(op->sub2, a, b, c));
    return smrf_exec_done(w);
}

static void bind_plop3_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT")) {
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    for (unsigned k = 0; k < 3; k++) {
        if (smrf_exec_bind_kind(b) == SMRF_SASS_REG) {
            const struct smrf_sass_operand *o = &b->inst->operand[b->next++];
            if (o->part != SMRF_SASS_SIGN) {
                smrf_exec_bind_fail(b, "operand %u of PLOP3 should be a predicate", b->next);
            }
            smrf_exec_bind_true(b);
            b->op->psrc[k] =
                (struct smrf_exec_src){.kind = o->kind, .reg = o->reg, .inverted = o->inverted};
        } else {
            smrf_exec_bind_psrc(b);
        }
    }
    b->op->sub = smrf_exec_bind_lookup(b);
    b->op->sub2 = smrf_exec_bind_lookup(b);
    b->op->fn = SMRF_EXEC_PICK(plop3);
}

/* ---- Shifts -------------------------------------------------------------------------------- */

/* Shift of the double word {c, a} by b; its lower or upper word is the result. */
SMRF_EXEC_HANDLER(shf)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], sub = op->sub, width = (sub & SMRF_EXEC_SHIFT_64) != 0 ? 64 : 32;
    uint64_t value[SMRF_EXEC_LANES], count[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t n = b[i];
        n = (sub & SMRF_EXEC_SHIFT_WRAP) != 0 ? n & (width - 1) : n > width ? width : n;
        count[i] = n;
        value[i] = (uint64_t)c[i] << 32 | a[i];
    }
    /* 64 takes two steps: C shifts by less than the width. */
    if ((sub & SMRF_EXEC_SHIFT_RIGHT) == 0) {
        SMRF_EXEC_EACH_LANE(i)
            value[i] = value[i] << (count[i] >> 1) << (count[i] - (count[i] >> 1));
    } else if ((sub & SMRF_EXEC_SHIFT_SIGNED) != 0) {
        SMRF_EXEC_EACH_LANE(i) {
            uint64_t n = count[i] > 63 ? 63 : count[i];
            uint64_t sign = 0U - (value[i] >> 63);
            value[i] = ((value[i] ^ sign) >> n) ^ sign;
        }
    } else {
        SMRF_EXEC_EACH_LANE(i)
            value[i] = value[i] >> (count[i] >> 1) >> (count[i] - (count[i] >> 1));
    }
    unsigned word = (sub & SMRF_EXEC_SHIFT_HIGH) != 0 ? 32 : 0;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (uint32_t)(value[i] >> word);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

uint32_t smrf_exec_bind_shift(struct smrf_exec_binding *b)
{
    static const char *const type[] = {"U32", "S32", "U64", "S64"};
    bool right = smrf_exec_bind_has(b, "R");
    if (!right && !smrf_exec_bind_has(b, "L")) {
        smrf_exec_bind_fail(b, "%s names no direction", b->inst->mnemonic);
    }
    bool wrap = smrf_exec_bind_has(b, "W"), high = smrf_exec_bind_has(b, "HI");
    unsigned t = smrf_exec_bind_one_of(b, type, 4, 4);
    if (t == 4) {
        smrf_exec_bind_fail(b, "%s names no type", b->inst->mnemonic);
    }
    return (right ? SMRF_EXEC_SHIFT_RIGHT : 0U) | (high ? SMRF_EXEC_SHIFT_HIGH : 0U) |
           (wrap ? SMRF_EXEC_SHIFT_WRAP : 0U) | (t >= 2 ? SMRF_EXEC_SHIFT_64 : 0U) |
           ((t & 1) != 0 ? (unsigned)SMRF_EXEC_SHIFT_SIGNED : 0U);
}

static void bind_shf_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_shift(b);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    b->op->fn = SMRF_EXEC_PICK(shf);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

SMRF_EXEC_INLINE void permute_(const uint32_t *a, const uint32_t *selector, const uint32_t *b,
                               uint32_t out[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_permute(a[i], selector[i], b[i]);
}

SMRF_EXEC_HANDLER(prmt)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(s, 1);
    SMRF_EXEC_ROW_U32(b, 2);
    uint32_t out[SMRF_EXEC_LANES], selector[SMRF_EXEC_LANES];
    if (op->sub == SMRF_EXEC_PRMT_INDEX) {
        permute_(a, s, b, out);
    } else {
        SMRF_EXEC_EACH_LANE(i)
            selector[i] = smrf_exec_prmt_selector(op->sub, s[i]);
        permute_(a, selector, b, out);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

uint32_t smrf_exec_bind_prmt_mode(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"IDX", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
    return smrf_exec_bind_one_of(b, mode, 7, SMRF_EXEC_PRMT_INDEX);
}

static void bind_prmt_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_prmt_mode(b);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    b->op->fn = SMRF_EXEC_PICK(prmt);
}

/* ---- Fields -------------------------------------------------------------------------------- */

SMRF_EXEC_HANDLER(bmsk)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_bit_mask(a[i], b[i], op->sub != 0);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_bmsk_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "W") ? 1 : 0;
    (void)smrf_exec_bind_has(b, "C");
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(bmsk);
}

enum { SGXT_UNSIGNED = 1, SGXT_WRAP = 2 };

SMRF_EXEC_HANDLER(sgxt)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    bool wrap = (op->sub & SGXT_WRAP) != 0, zeros = (op->sub & SGXT_UNSIGNED) != 0;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_extend(a[i], b[i], wrap, zeros);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_sgxt_(struct smrf_exec_binding *b)
{
    b->op->sub = (smrf_exec_bind_has(b, "U32") ? SGXT_UNSIGNED : 0U) |
                 (smrf_exec_bind_has(b, "W") ? SGXT_WRAP : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(sgxt);
}

SMRF_EXEC_HANDLER(brev)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_reverse(a[i]);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(popc)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_count(a[i]);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(flo)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = smrf_exec_leading(a[i], op->sub);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_one_source_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
}

static void bind_brev_(struct smrf_exec_binding *b)
{
    bind_one_source_(b);
    b->op->fn = SMRF_EXEC_PICK(brev);
}

static void bind_popc_(struct smrf_exec_binding *b)
{
    bind_one_source_(b);
    b->op->fn = SMRF_EXEC_PICK(popc);
}

uint32_t smrf_exec_bind_flo(struct smrf_exec_binding *b)
{
    return (smrf_exec_bind_has(b, "U32") ? SMRF_EXEC_FLO_UNSIGNED : 0U) |
           (smrf_exec_bind_has(b, "SH") ? (unsigned)SMRF_EXEC_FLO_SHIFT : 0U);
}

static void bind_flo_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_flo(b);
    bind_one_source_(b);
    b->op->fn = SMRF_EXEC_PICK(flo);
}

int smrf_exec_bind_int_logic(struct smrf_exec_op *op, char *error)
{
    static const struct smrf_exec_opcode table[] = {
        {"LOP3", bind_lop3_},   {"SHF", bind_shf_},   {"PRMT", bind_prmt_},
        {"PLOP3", bind_plop3_}, {"BMSK", bind_bmsk_}, {"SGXT", bind_sgxt_},
        {"BREV", bind_brev_},   {"POPC", bind_popc_}, {"FLO", bind_flo_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
