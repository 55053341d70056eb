/* SPDX-License-Identifier: Apache-2.0 */
/* Integer sums and products: IADD3, IMAD, LEA, IABS, IDP, VABSDIFF. */
#include "firmware/exec/lanes.h"

/* op->sub of IADD3 and LEA with carries. */
enum {
    EXTENDED = 1,  /* .X: carries come in */
    HIGH = 2,      /* LEA.HI */
    SIGNED_32 = 4, /* LEA.HI.SX32: the high word of the first operand is its sign */
    LESS = 8,      /* LEA: the first operand, shifted, is subtracted, */
    LESS_X = 16    /* LEA.HI.X: .. without the one that comes in as the carry */
};

/* ---- IADD3 --------------------------------------------------------------------------------- */

SMRF_EXEC_HANDLER(iadd3)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] + b[i] + c[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* A summand before truncation: -x is ~x + 1 in the adder, so that -0 carries. */
SMRF_EXEC_INLINE void add_summand_(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint64_t sum[SMRF_EXEC_LANES])
{
    struct smrf_exec_src plain = *src;
    plain.negated = false;
    plain.plain = src->kind == SMRF_SASS_REG && !src->inverted && !src->absolute;
    uint32_t scratch[SMRF_EXEC_LANES];
    const uint32_t *x = smrf_exec_u32(w, &plain, scratch);
    uint32_t flip = src->negated ? UINT32_MAX : 0;
    uint64_t one = src->negated ? 1 : 0;
    SMRF_EXEC_EACH_LANE(i)
        sum[i] += (uint64_t)(x[i] ^ flip) + one;
}

SMRF_EXEC_INLINE void add_carry_(uint32_t carry, uint64_t sum[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i)
        sum[i] += (carry & smrf_exec_bit[i]) != 0 ? 1 : 0;
}

/* Three summands can carry two: the predicates count in unary, and the sum that takes them in adds
 * both. */
SMRF_EXEC_INLINE void write_sum_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                 uint32_t mask, const uint64_t sum[SMRF_EXEC_LANES])
{
    uint32_t out[SMRF_EXEC_LANES], once = 0, twice = 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t carry = (uint32_t)(sum[i] >> 32);
        out[i] = (uint32_t)sum[i];
        once |= carry >= 1 ? smrf_exec_bit[i] : 0;
        twice |= carry >= 2 ? smrf_exec_bit[i] : 0;
    }
    smrf_exec_write(w, op->dst, mask, out);
    smrf_exec_write_pred(w, op->pdst, mask, once);
    smrf_exec_write_pred(w, op->pdst2, mask, twice);
}

SMRF_EXEC_HANDLER(iadd3_carry)
{
    uint64_t sum[SMRF_EXEC_LANES] = {0};
    for (unsigned k = 0; k < 3; k++) {
        add_summand_(w, &op->src[k], sum);
    }
    if ((op->sub & EXTENDED) != 0) {
        add_carry_(smrf_exec_pred(w, &op->psrc[0]), sum);
        add_carry_(smrf_exec_pred(w, &op->psrc[1]), sum);
    }
    write_sum_(w, op, mask, sum);
    return smrf_exec_done(w);
}

/* Carry-out predicates that stand between destination and sources. */
static void bind_carries_out_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst2);
    }
}

/* One or two carry-in predicates at the end; a missing one is no carry. */
static void bind_carries_in_(struct smrf_exec_binding *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = smrf_exec_bind_kind(b);
        if (kind == SMRF_SASS_PRED || kind == SMRF_SASS_UPRED) {
            smrf_exec_bind_psrc(b);
        } else {
            smrf_exec_bind_true(b);
            b->op->psrc[b->num_psrc - 1].inverted = true;
        }
    }
}

static void bind_iadd3_(struct smrf_exec_binding *b)
{
    bool extended = smrf_exec_bind_has(b, "X");
    smrf_exec_bind_dst(b);
    bind_carries_out_(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    if (smrf_exec_bind_kind(b) != SMRF_SASS_NONE) { /* IADD has two */
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    } else {
        smrf_exec_bind_zero(b);
    }
    if (extended) {
        bind_carries_in_(b, 2);
    }
    b->op->sub = extended ? EXTENDED : 0;
    bool carries = extended || b->op->pdst != 7 || b->op->pdst2 != 7;
    b->op->fn = carries ? SMRF_EXEC_PICK(iadd3_carry) : SMRF_EXEC_PICK(iadd3);
}

/* ---- IMAD ---------------------------------------------------------------------------------- */

SMRF_EXEC_HANDLER(imad)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] * b[i] + c[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

SMRF_EXEC_HANDLER(imad_extended)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], carry = smrf_exec_pred(w, &op->psrc[0]);
    SMRF_EXEC_EACH_LANE(i)
        out[i] = a[i] * b[i] + c[i] + ((carry & smrf_exec_bit[i]) != 0 ? 1 : 0);
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

/* IMAD.MOV and MOV: the last source as it is. */
SMRF_EXEC_HANDLER(copy_c)
{
    SMRF_EXEC_ROW_U32(c, 2);
    if (mask == SMRF_EXEC_ALL) {
        memmove(w->r[op->dst], c, sizeof w->r[0]);
    } else {
        smrf_exec_write(w, op->dst, mask, c);
    }
    return smrf_exec_done(w);
}

enum {
    WIDE_SIGNED = 1,
    WIDE_HIGH = 2,    /* .HI: the upper word of the 64-bit sum */
    WIDE_EXTENDED = 4 /* .X */
};

/* 32 x 32 + 64 bits, with carries of the 64-bit sum. .HI takes its addend from a register pair too:
 * division by reciprocal relies on it (pair of zero and estimate gives estimate + high(product)).
 */
SMRF_EXEC_INLINE void wide_sum_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                uint64_t sum[SMRF_EXEC_LANES], uint32_t *carry_out)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U64(c, 2);
    if ((op->sub & WIDE_SIGNED) != 0) {
        SMRF_EXEC_EACH_LANE(i)
            sum[i] = (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]);
    } else {
        SMRF_EXEC_EACH_LANE(i)
            sum[i] = (uint64_t)a[i] * b[i];
    }
    if ((op->sub & WIDE_EXTENDED) == 0 && op->pdst == 7) {
        SMRF_EXEC_EACH_LANE(i)
            sum[i] += c[i];
        return;
    }
    uint32_t in = (op->sub & WIDE_EXTENDED) != 0 ? smrf_exec_pred(w, &op->psrc[0]) : 0;
    uint32_t out = 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint64_t s = sum[i] + c[i], t = s + ((in & smrf_exec_bit[i]) != 0 ? 1 : 0);
        out |= (uint32_t)((s < c[i]) | (t < s)) << i;
        sum[i] = t;
    }
    *carry_out = out;
}

SMRF_EXEC_HANDLER(imad_wide)
{
    uint64_t sum[SMRF_EXEC_LANES];
    uint32_t carry = 0;
    wide_sum_(w, op, sum, &carry);
    if ((op->sub & WIDE_HIGH) != 0) {
        uint32_t out[SMRF_EXEC_LANES];
        SMRF_EXEC_EACH_LANE(i)
            out[i] = (uint32_t)(sum[i] >> 32);
        smrf_exec_write(w, op->dst, mask, out);
    } else {
        smrf_exec_write64(w, op->dst, mask, sum);
    }
    smrf_exec_write_pred(w, op->pdst, mask, carry);
    return smrf_exec_done(w);
}

static void bind_imad_wide_(struct smrf_exec_binding *b, bool high)
{
    bool is_signed = !smrf_exec_bind_has(b, "U32"), extended = smrf_exec_bind_has(b, "X");
    smrf_exec_bind_dst(b);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U64);
    for (unsigned i = 0; i < 2; i++) {
        if (b->op->src[i].negated || b->op->src[i].absolute || b->op->src[i].inverted) {
            smrf_exec_bind_fail(b, "a negated factor of %s is not supported", b->inst->mnemonic);
        }
    }
    if (extended) {
        bind_carries_in_(b, 1);
    }
    b->op->sub =
        (is_signed ? WIDE_SIGNED : 0U) | (high ? WIDE_HIGH : 0U) | (extended ? WIDE_EXTENDED : 0U);
    b->op->fn = SMRF_EXEC_PICK(imad_wide);
}

static void bind_imad_(struct smrf_exec_binding *b)
{
    bool wide = smrf_exec_bind_has(b, "WIDE"), high = smrf_exec_bind_has(b, "HI");
    if (wide || high) {
        bind_imad_wide_(b, high);
        return;
    }
    /* The signs of the factors do not reach the low word; .IADD and .SHL say how the compiler uses
     * the instruction, not what it does. */
    bool move = smrf_exec_bind_has(b, "MOV"), extended = smrf_exec_bind_has(b, "X");
    (void)smrf_exec_bind_has(b, "U32");
    (void)smrf_exec_bind_has(b, "IADD");
    (void)smrf_exec_bind_has(b, "SHL");
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    if (smrf_exec_bind_kind(b) != SMRF_SASS_NONE) { /* IMUL has two */
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    } else {
        smrf_exec_bind_zero(b);
    }
    if (extended) {
        bind_carries_in_(b, 1);
    }
    const struct smrf_exec_src *s = b->op->src;
    bool zero = s[0].plain && s[0].reg == SMRF_EXEC_RZ && s[1].plain && s[1].reg == SMRF_EXEC_RZ;
    b->op->fn = extended       ? SMRF_EXEC_PICK(imad_extended)
                : move && zero ? SMRF_EXEC_PICK(copy_c)
                               : SMRF_EXEC_PICK(imad);
}

static void bind_mov_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_zero(b);
    smrf_exec_bind_zero(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(copy_c);
}

/* ---- LEA ----------------------------------------------------------------------------------- */

/* a << shift, or the upper word of {c, a} << shift, plus b. */
/* The complement is of all 64 bits of the first operand, after the shift. */
SMRF_EXEC_INLINE void subtract_shifted_(const struct smrf_exec_op *op, const uint32_t *a,
                                        uint64_t sum[SMRF_EXEC_LANES])
{
    const bool high = (op->sub & HIGH) != 0, whole = (op->sub & LESS) != 0;
    SMRF_EXEC_EACH_LANE(i) {
        const uint64_t one = whole && (!high || a[i] << op->sub2 == 0) ? 1 : 0;
        sum[i] = (uint64_t)(uint32_t)~sum[i] + one;
    }
}

SMRF_EXEC_HANDLER(lea)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint64_t sum[SMRF_EXEC_LANES];
    unsigned shift = op->sub2;
    if ((op->sub & HIGH) != 0) {
        SMRF_EXEC_ROW_U32(c, 2);
        if ((op->sub & SIGNED_32) != 0) {
            SMRF_EXEC_EACH_LANE(i)
                sum[i] = (uint32_t)((uint64_t)(int64_t)(int32_t)a[i] << shift >> 32);
        } else {
            SMRF_EXEC_EACH_LANE(i)
                sum[i] = (uint32_t)(((uint64_t)c[i] << 32 | a[i]) << shift >> 32);
        }
    } else {
        SMRF_EXEC_EACH_LANE(i)
            sum[i] = a[i] << shift;
    }
    if ((op->sub & (LESS | LESS_X)) != 0) {
        subtract_shifted_(op, a, sum);
    }
    add_summand_(w, &op->src[1], sum);
    if ((op->sub & EXTENDED) != 0) {
        add_carry_(smrf_exec_pred(w, &op->psrc[0]), sum);
    }
    write_sum_(w, op, mask, sum);
    return smrf_exec_done(w);
}

static void bind_lea_(struct smrf_exec_binding *b)
{
    bool high = smrf_exec_bind_has(b, "HI"), extended = smrf_exec_bind_has(b, "X");
    bool sign = smrf_exec_bind_has(b, "SX32");
    smrf_exec_bind_dst(b);
    bind_carries_out_(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    struct smrf_exec_src *first = &b->op->src[0];
    const unsigned less = first->negated ? LESS : first->inverted ? LESS_X : 0;
    first->negated = first->inverted = false;
    first->plain = first->plain || (first->kind == SMRF_SASS_REG && less != 0);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    if (high && !sign) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    } else {
        smrf_exec_bind_zero(b);
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_INT) {
        b->op->sub2 = (uint32_t)b->inst->operand[b->next++].imm & 31;
    } else {
        smrf_exec_bind_fail(b, "%s lacks its shift", b->inst->mnemonic);
    }
    if (extended) {
        bind_carries_in_(b, 1);
    }
    b->op->sub =
        (high ? HIGH : 0U) | (extended ? EXTENDED : 0U) | (sign ? (unsigned)SIGNED_32 : 0U) | less;
    b->op->fn = SMRF_EXEC_PICK(lea);
}

/* ---- Sums of parts ------------------------------------------------------------------------- */

SMRF_EXEC_HANDLER(iabs)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = (int32_t)a[i] < 0 ? 0U - a[i] : a[i];
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_iabs_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(iabs);
}

enum { DOT_A_SIGNED = 1, DOT_B_SIGNED = 2, DOT_HALVES = 4, DOT_HIGH = 8 };

SMRF_EXEC_INLINE uint32_t field_(uint32_t x, unsigned shift, unsigned bits, bool is_signed)
{
    uint32_t up = x << (32 - bits - shift);
    return is_signed ? (uint32_t)((int32_t)up >> (32 - bits)) : up >> (32 - bits);
}

/* Four products of bytes, or two of a half with a byte of the low or high half of b. */
SMRF_EXEC_HANDLER(idp)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    bool halves = (op->sub & DOT_HALVES) != 0;
    unsigned count = halves ? 2 : 4, width = halves ? 16 : 8;
    unsigned base = (op->sub & DOT_HIGH) != 0 ? 16 : 0;
    uint32_t out[SMRF_EXEC_LANES];
    memcpy(out, c, sizeof out);
    for (unsigned k = 0; k < count; k++) {
        SMRF_EXEC_EACH_LANE(i)
            out[i] += field_(a[i], k * width, width, (op->sub & DOT_A_SIGNED) != 0) *
                      field_(b[i], base + k * 8, 8, (op->sub & DOT_B_SIGNED) != 0);
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_idp_(struct smrf_exec_binding *b)
{
    static const char *const type_a[] = {"S8", "U8", "S16", "U16"};
    static const char *const type_b[] = {"S8", "U8"};
    bool halves = smrf_exec_bind_has(b, "2A");
    if (!halves && !smrf_exec_bind_has(b, "4A")) {
        smrf_exec_bind_fail(b, "%s names neither .2A nor .4A", b->inst->mnemonic);
    }
    bool high = halves && smrf_exec_bind_has(b, "HI");
    if (halves && !high) {
        (void)smrf_exec_bind_has(b, "LO");
    }
    unsigned a = smrf_exec_bind_next_of(b, halves ? type_a + 2 : type_a, 2, 2);
    unsigned c = smrf_exec_bind_next_of(b, type_b, 2, 2);
    if (a == 2 || c == 2) {
        smrf_exec_bind_fail(b, "%s lacks the types of its factors", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->sub = (a == 0 ? DOT_A_SIGNED : 0U) | (c == 0 ? DOT_B_SIGNED : 0U) |
                 (halves ? DOT_HALVES : 0U) | (high ? DOT_HIGH : 0U);
    b->op->fn = SMRF_EXEC_PICK(idp);
}

/* |a - b| + c of whole words. */
SMRF_EXEC_HANDLER(vabsdiff)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES];
    uint32_t bias = op->sub != 0 ? UINT32_C(0x80000000) : 0; /* signed order as unsigned order */
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t x = a[i] ^ bias, y = b[i] ^ bias;
        out[i] = (x > y ? x - y : y - x) + c[i];
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_vabsdiff_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "U32") ? 0 : 1;
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = SMRF_EXEC_PICK(vabsdiff);
}

enum { BYTES_SIGNED = 1, BYTES_SUM = 2 };

/* |a - b| of each byte; .ACC adds their sum to c, which counts for nothing without it. */
SMRF_EXEC_HANDLER(vabsdiff4)
{
    SMRF_EXEC_ROW_U32(a, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    bool sum = (op->sub & BYTES_SUM) != 0;
    uint32_t bias = (op->sub & BYTES_SIGNED) != 0 ? UINT32_C(0x80808080) : 0;
    uint32_t out[SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        out[i] = sum ? c[i] : 0;
    for (unsigned k = 0; k < 32; k += 8) {
        SMRF_EXEC_EACH_LANE(i) {
            uint32_t x = (a[i] ^ bias) >> k & 0xff, y = (b[i] ^ bias) >> k & 0xff;
            uint32_t d = x > y ? x - y : y - x;
            out[i] += sum ? d : d << k;
        }
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_vabsdiff4_(struct smrf_exec_binding *b)
{
    bool is_signed = smrf_exec_bind_has(b, "S8"), sum = smrf_exec_bind_has(b, "ACC");
    if (!is_signed) {
        (void)smrf_exec_bind_has(b, "U8");
    }
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->sub = (is_signed ? BYTES_SIGNED : 0U) | (sum ? BYTES_SUM : 0U);
    b->op->fn = SMRF_EXEC_PICK(vabsdiff4);
}

int smrf_exec_bind_int_arith(struct smrf_exec_op *op, char *error)
{
    static const struct smrf_exec_opcode table[] = {
        {"IMAD", bind_imad_},         {"IADD3", bind_iadd3_},         {"MOV", bind_mov_},
        {"LEA", bind_lea_},           {"IABS", bind_iabs_},           {"IDP", bind_idp_},
        {"VABSDIFF", bind_vabsdiff_}, {"VABSDIFF4", bind_vabsdiff4_}, {"IADD", bind_iadd3_},
        {"IMUL", bind_imad_},         {"IADD32I", bind_iadd3_},       {"MOV32I", bind_mov_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
