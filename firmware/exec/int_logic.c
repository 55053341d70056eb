/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of integers and predicates: LOP3, PLOP3, SHF, PRMT, BMSK, SGXT, BREV, POPC, FLO. */
#include "firmware/exec/lanes.h"

/* A table of three inputs as a choice between constants: bit a<<2 | b<<1 | c of the table. */
SMRF_EXEC_INLINE uint32_t lookup(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
#define ENTRY(k) (0U - (table >> (k)&1))
#define PICK(x, zero, one) ((zero) ^ ((x) & ((zero) ^ (one))))
    uint32_t low = PICK(b, PICK(c, ENTRY(0), ENTRY(1)), PICK(c, ENTRY(2), ENTRY(3)));
    uint32_t high = PICK(b, PICK(c, ENTRY(4), ENTRY(5)), PICK(c, ENTRY(6), ENTRY(7)));
    return PICK(a, low, high);
#undef PICK
#undef ENTRY
}

enum { LOP3_AND = 1 }; /* op->sub2: predicate output is combined by AND (.PAND) instead of OR */

SMRF_EXEC_HANDLER(lop3)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], table = op->sub;
    SMRF_EXEC_EACH_LANE (i)
        out[i] = lookup(table, a[i], b[i], c[i]);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* The tables the compiler emits most. */
SMRF_EXEC_HANDLER(lop3_and)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE (i)
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
    SMRF_EXEC_EACH_LANE (i)
        out[i] = lookup(table, a[i], b[i], c[i]);
    uint32_t truth = smrf_exec_lanes(out), with = smrf_exec_pred(w, &op->psrc[0]);
    smrf_exec_write(w, op->dst, mask, out);
    smrf_exec_write_pred(w, op->pdst, mask,
                         (op->sub2 & LOP3_AND) != 0 ? truth & with : truth | with);
    return smrf_exec_done(w);
}

/* A literal table operand. */
static uint32_t bind_table(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_INT)
        return (uint32_t)b->inst->operand[b->next++].imm & 0xff;
    smrf_exec_bind_fail(b, "%s lacks its table", b->inst->mnemonic);
    return 0;
}

static void bind_lop3(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT"))
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    b->op->sub2 = smrf_exec_bind_has(b, "PAND") ? LOP3_AND : 0;
    (void)smrf_exec_bind_has(b, "POR");
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED)
        smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++)
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->sub = bind_table(b);
    if (smrf_exec_bind_kind(b) != SMRF_SASS_NONE)
        smrf_exec_bind_psrc(b);
    else
        smrf_exec_bind_true(b);
    b->op->fn = b->op->pdst != 7     ? SMRF_EXEC_PICK(lop3_pred)
                : b->op->sub == 0xc0 ? SMRF_EXEC_PICK(lop3_and)
                                     : SMRF_EXEC_PICK(lop3);
}

/* A predicate operand of PLOP3; of a register it takes the sign. */
SMRF_EXEC_INLINE uint32_t plop3_source(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    if (src->kind != SMRF_SASS_REG)
        return smrf_exec_pred(w, src);
    const uint32_t *row = w->r[src->reg];
    uint32_t lanes = 0;
    SMRF_EXEC_EACH_LANE (i)
        lanes |= (int32_t)row[i] < 0 ? smrf_exec_bit[i] : 0;
    return src->inverted ? ~lanes : lanes;
}

SMRF_EXEC_HANDLER(plop3)
{
    uint32_t a = plop3_source(w, &op->psrc[0]), b = plop3_source(w, &op->psrc[1]);
    uint32_t c = plop3_source(w, &op->psrc[2]);
    smrf_exec_write_pred(w, op->pdst, mask, lookup(op->sub, a, b, c));
    smrf_exec_write_pred(w, op->pdst2, mask, lookup(op->sub2, a, b, c));
    return smrf_exec_done(w);
}

static void bind_plop3(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT"))
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_pdst(b, &b->op->pdst2);
    for (unsigned k = 0; k < 3; k++) {
        if (smrf_exec_bind_kind(b) == SMRF_SASS_REG) {
            const struct smrf_sass_operand *o = &b->inst->operand[b->next++];
            if (o->part != SMRF_SASS_SIGN)
                smrf_exec_bind_fail(b, "operand %u of PLOP3 should be a predicate", b->next);
            smrf_exec_bind_true(b);
            b->op->psrc[k] =
                (struct smrf_exec_src){.kind = o->kind, .reg = o->reg, .inverted = o->inverted};
        } else {
            smrf_exec_bind_psrc(b);
        }
    }
    b->op->sub = bind_table(b);
    b->op->sub2 = bind_table(b);
    b->op->fn = SMRF_EXEC_PICK(plop3);
}

/* ---- Shifts -------------------------------------------------------------------------------- */

enum {
    SHIFT_RIGHT = 1,
    SHIFT_HIGH = 2, /* .HI: result is the upper word */
    SHIFT_WRAP = 4, /* .W: count modulo the width, else clamped to it */
    SHIFT_64 = 8,   /* counts go to 64 instead of 32 */
    SHIFT_SIGNED = 16
};

/* Shift of the double word {c, a} by b; its lower or upper word is the result. */
SMRF_EXEC_HANDLER(shf)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], sub = op->sub, width = (sub & SHIFT_64) != 0 ? 64 : 32;
    uint64_t value[SMRF_EXEC_LANES], count[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t n = b[i];
        n = (sub & SHIFT_WRAP) != 0 ? n & (width - 1) : n > width ? width : n;
        count[i] = n;
        value[i] = (uint64_t)c[i] << 32 | a[i];
    }
    /* 64 takes two steps: C shifts by less than the width. */
    if ((sub & SHIFT_RIGHT) == 0) {
        SMRF_EXEC_EACH_LANE (i)
            value[i] = value[i] << (count[i] >> 1) << (count[i] - (count[i] >> 1));
    } else if ((sub & SHIFT_SIGNED) != 0) {
        SMRF_EXEC_EACH_LANE (i) {
            uint64_t n = count[i] > 63 ? 63 : count[i];
            uint64_t sign = 0U - (value[i] >> 63);
            value[i] = ((value[i] ^ sign) >> n) ^ sign;
        }
    } else {
        SMRF_EXEC_EACH_LANE (i)
            value[i] = value[i] >> (count[i] >> 1) >> (count[i] - (count[i] >> 1));
    }
    unsigned word = (sub & SHIFT_HIGH) != 0 ? 32 : 0;
    SMRF_EXEC_EACH_LANE (i)
        out[i] = (uint32_t)(value[i] >> word);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_shf(struct smrf_exec_binding *b)
{
    static const char *const type[] = {"U32", "S32", "U64", "S64"};
    bool right = smrf_exec_bind_has(b, "R");
    if (!right && !smrf_exec_bind_has(b, "L"))
        smrf_exec_bind_fail(b, "%s names no direction", b->inst->mnemonic);
    bool wrap = smrf_exec_bind_has(b, "W"), high = smrf_exec_bind_has(b, "HI");
    unsigned t = smrf_exec_bind_one_of(b, type, 4, 4);
    if (t == 4)
        smrf_exec_bind_fail(b, "%s names no type", b->inst->mnemonic);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++)
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->sub = (right ? SHIFT_RIGHT : 0U) | (high ? SHIFT_HIGH : 0U) | (wrap ? SHIFT_WRAP : 0U) |
                 (t >= 2 ? SHIFT_64 : 0U) | ((t & 1) != 0 ? SHIFT_SIGNED : 0U);
    b->op->fn = SMRF_EXEC_PICK(shf);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

enum { PRMT_INDEX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

/* The modes as selectors of the general form. PTX ISA: prmt. */
SMRF_EXEC_INLINE uint32_t prmt_selector(uint32_t mode, uint32_t n)
{
    uint32_t selector = 0;
    if (mode == PRMT_INDEX)
        return n;
    n &= 3;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t byte = mode == PRMT_F4E   ? n + k
                        : mode == PRMT_B4E ? (n - k) & 7
                        : mode == PRMT_RC8 ? n
                        : mode == PRMT_ECL ? (n > k ? n : k)
                        : mode == PRMT_ECR ? (n < k ? n : k)
                                           : (n & 1) * 2 + (k & 1);
        selector |= byte << (4 * k);
    }
    return selector;
}

SMRF_EXEC_INLINE void permute(const uint32_t *a, const uint32_t *selector, const uint32_t *b,
                              uint32_t out[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE (i) {
        uint64_t bytes = (uint64_t)b[i] << 32 | a[i];
        uint32_t result = 0;
        for (unsigned k = 0; k < 4; k++) {
            uint32_t n = selector[i] >> (4 * k);
            uint32_t byte = (uint32_t)(bytes >> ((n & 7) * 8)) & 0xff;
            uint32_t sign = (0U - (byte >> 7)) & 0xff;
            result |= ((n & 8) != 0 ? sign : byte) << (8 * k);
        }
        out[i] = result;
    }
}

SMRF_EXEC_HANDLER(prmt)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(s, 1);
    SMRF_EXEC_ROW_U32(b, 2);
    uint32_t out[SMRF_EXEC_LANES], selector[SMRF_EXEC_LANES];
    if (op->sub == PRMT_INDEX) {
        permute(a, s, b, out);
    } else {
        SMRF_EXEC_EACH_LANE (i)
            selector[i] = prmt_selector(op->sub, s[i]);
        permute(a, selector, b, out);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_prmt(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"IDX", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
    b->op->sub = smrf_exec_bind_one_of(b, mode, 7, PRMT_INDEX);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++)
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(prmt);
}

/* ---- Fields -------------------------------------------------------------------------------- */

/* b ones from bit a on; both clamped to 32, or modulo 32 with .W. */
SMRF_EXEC_HANDLER(bmsk)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    bool wrap = op->sub != 0;
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t from = wrap ? a[i] & 31 : a[i] > 32 ? 32 : a[i];
        uint32_t ones = wrap ? b[i] & 31 : b[i] > 32 ? 32 : b[i];
        out[i] = (uint32_t)(((UINT64_C(1) << ones) - 1) << from);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_bmsk(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "W") ? 1 : 0;
    (void)smrf_exec_bind_has(b, "C");
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(bmsk);
}

enum { SGXT_UNSIGNED = 1, SGXT_WRAP = 2 };

/* a's lowest b bits, extended to the word. */
SMRF_EXEC_HANDLER(sgxt)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    uint32_t out[SMRF_EXEC_LANES];
    bool wrap = (op->sub & SGXT_WRAP) != 0, zeros = (op->sub & SGXT_UNSIGNED) != 0;
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t n = wrap ? b[i] & 31 : b[i] > 32 ? 32 : b[i];
        uint64_t kept = (uint64_t)a[i] & ((UINT64_C(1) << n) - 1);
        uint64_t sign = n == 0 ? 0 : UINT64_C(1) << (n - 1);
        out[i] = (uint32_t)(zeros ? kept : (kept ^ sign) - sign);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_sgxt(struct smrf_exec_binding *b)
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
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t x = a[i];
        x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
        x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
        x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
        out[i] = x >> 16 | x << 16;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(popc)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t x = a[i] - (a[i] >> 1 & 0x55555555);
        x = (x & 0x33333333) + (x >> 2 & 0x33333333);
        out[i] = ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

enum { FLO_UNSIGNED = 1, FLO_SHIFT = 2 };

/* Position of the leading one (of the leading bit that differs from the sign), or how far to shift
 * it to the top; all ones where there is none. */
SMRF_EXEC_HANDLER(flo)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE (i) {
        uint32_t x = a[i];
        x ^= (op->sub & FLO_UNSIGNED) != 0 ? 0 : 0U - (x >> 31);
        uint32_t position = x == 0 ? 0 : 31U - (uint32_t)__builtin_clz(x);
        out[i] = x == 0 ? UINT32_MAX : (op->sub & FLO_SHIFT) != 0 ? 31 - position : position;
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_one_source(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
}

static void bind_brev(struct smrf_exec_binding *b)
{
    bind_one_source(b);
    b->op->fn = SMRF_EXEC_PICK(brev);
}

static void bind_popc(struct smrf_exec_binding *b)
{
    bind_one_source(b);
    b->op->fn = SMRF_EXEC_PICK(popc);
}

static void bind_flo(struct smrf_exec_binding *b)
{
    b->op->sub = (smrf_exec_bind_has(b, "U32") ? FLO_UNSIGNED : 0U) |
                 (smrf_exec_bind_has(b, "SH") ? FLO_SHIFT : 0U);
    bind_one_source(b);
    b->op->fn = SMRF_EXEC_PICK(flo);
}

int smrf_exec_bind_int_logic(struct smrf_exec_op *op, char *error)
{
    static const struct smrf_exec_opcode table[] = {
        {"LOP3", bind_lop3},   {"SHF", bind_shf},   {"PRMT", bind_prmt},
        {"PLOP3", bind_plop3}, {"BMSK", bind_bmsk}, {"SGXT", bind_sgxt},
        {"BREV", bind_brev},   {"POPC", bind_popc}, {"FLO", bind_flo},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
