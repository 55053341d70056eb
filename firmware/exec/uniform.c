/* SPDX-License-Identifier: Apache-2.0 */
/* The uniform datapath: one value a warp in UR and UP registers. The instructions are those of the
 * vector datapath on scalars; R2UR and VOTEU lead from the lanes to it. */
#include "firmware/exec/bits.h"

static bool upred_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    return (smrf_exec_pred(w, src) & 1) != 0;
}

/* `count` scalar sources. */
static void bind_sources_(struct smrf_exec_binding *b, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
        if (b->rc == 0 && b->op->src[b->op->num_src - 1].kind == SMRF_SASS_REG) {
            smrf_exec_bind_fail(b, "operand %u of %s should be uniform", b->next,
                                b->inst->mnemonic);
        }
    }
}

static void bind_carries_out_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_UPRED) {
        smrf_exec_bind_updst(b, &b->op->pdst);
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_UPRED) {
        smrf_exec_bind_updst(b, &b->op->pdst2);
    }
}

/* Carry-in predicates; a missing one is no carry. */
static void bind_carries_in_(struct smrf_exec_binding *b, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (smrf_exec_bind_kind(b) != SMRF_SASS_NONE) {
            smrf_exec_bind_psrc(b);
        } else {
            smrf_exec_bind_true(b);
            b->op->psrc[b->num_psrc - 1].inverted = true;
        }
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

enum { EXTENDED = 1, HIGH = 2, SIGNED_32 = 4, SIGNED = 8, WIDE = 16 }; /* op->sub */

/* A summand before truncation: -x is ~x + 1, so that -0 carries. */
static uint64_t summand_(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    struct smrf_exec_src plain = *src;
    plain.negated = false;
    uint32_t x = smrf_exec_scalar(w, &plain);
    return src->negated ? (uint64_t)~x + 1 : x;
}

static void write_sum_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint64_t sum)
{
    smrf_exec_write_uniform(w, op->udst, (uint32_t)sum);
    smrf_exec_write_upred(w, op->pdst, sum >> 32 >= 1);
    smrf_exec_write_upred(w, op->pdst2, sum >> 32 >= 2);
}

static int uiadd3_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint64_t sum = summand_(w, &op->src[0]) + summand_(w, &op->src[1]) + summand_(w, &op->src[2]);
    if ((op->sub & EXTENDED) != 0) {
        sum += (uint64_t)upred_(w, &op->psrc[0]) + upred_(w, &op->psrc[1]);
    }
    write_sum_(w, op, sum);
    return smrf_exec_done(w);
}

static void bind_uiadd3_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "X") ? EXTENDED : 0;
    smrf_exec_bind_udst(b);
    bind_carries_out_(b);
    bind_sources_(b, 3);
    if ((b->op->sub & EXTENDED) != 0) {
        bind_carries_in_(b, 2);
    }
    b->op->fn = uiadd3_;
}

static int ulea_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = smrf_exec_scalar(w, &op->src[0]);
    uint64_t high = (op->sub & SIGNED_32) != 0 ? 0U - (a >> 31) : 0;
    if ((op->sub & HIGH) != 0 && (op->sub & SIGNED_32) == 0) {
        high = smrf_exec_scalar(w, &op->src[2]);
    }
    uint64_t shifted = (high << 32 | a) << op->sub2;
    uint64_t sum = (op->sub & HIGH) != 0 ? shifted >> 32 : (uint32_t)shifted;
    sum += summand_(w, &op->src[1]);
    if ((op->sub & EXTENDED) != 0) {
        sum += upred_(w, &op->psrc[0]);
    }
    write_sum_(w, op, sum);
    return smrf_exec_done(w);
}

static void bind_ulea_(struct smrf_exec_binding *b)
{
    bool high = smrf_exec_bind_has(b, "HI"), sign = smrf_exec_bind_has(b, "SX32");
    bool extended = smrf_exec_bind_has(b, "X");
    smrf_exec_bind_udst(b);
    bind_carries_out_(b);
    bind_sources_(b, high && !sign ? 3 : 2);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_INT) {
        b->op->sub2 = (uint32_t)b->inst->operand[b->next++].imm & 31;
    } else {
        smrf_exec_bind_fail(b, "%s lacks its shift", b->inst->mnemonic);
    }
    if (extended) {
        bind_carries_in_(b, 1);
    }
    b->op->sub =
        (high ? HIGH : 0U) | (sign ? SIGNED_32 : 0U) | (extended ? (unsigned)EXTENDED : 0U);
    b->op->fn = ulea_;
}

static int uimad_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = smrf_exec_scalar(w, &op->src[0]), b = smrf_exec_scalar(w, &op->src[1]);
    if ((op->sub & (WIDE | HIGH)) == 0) {
        smrf_exec_write_uniform(w, op->udst, a * b + smrf_exec_scalar(w, &op->src[2]));
        return smrf_exec_done(w);
    }
    uint64_t product =
        (op->sub & SIGNED) != 0 ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    product += smrf_exec_scalar64(w, &op->src[2]);
    if ((op->sub & HIGH) != 0) {
        smrf_exec_write_uniform(w, op->udst, (uint32_t)(product >> 32));
    } else {
        smrf_exec_write_uniform64(w, op->udst, product);
    }
    return smrf_exec_done(w);
}

static void bind_uimad_(struct smrf_exec_binding *b)
{
    bool wide = smrf_exec_bind_has(b, "WIDE"), high = smrf_exec_bind_has(b, "HI");
    bool is_signed = !smrf_exec_bind_has(b, "U32");
    (void)smrf_exec_bind_has(b, "IADD"); /* how the compiler uses it */
    (void)smrf_exec_bind_has(b, "SHL");
    (void)smrf_exec_bind_has(b, "MOV");
    smrf_exec_bind_udst(b);
    bind_sources_(b, 2);
    if ((wide || high) && (b->op->src[0].negated || b->op->src[1].negated)) {
        smrf_exec_bind_fail(b, "a negated factor of %s is not supported", b->inst->mnemonic);
    }
    if (wide || high) {
        smrf_exec_bind_src(b, SMRF_EXEC_U64);
    } else {
        bind_sources_(b, 1);
    }
    b->op->sub = (wide ? WIDE : 0U) | (high ? HIGH : 0U) | (is_signed ? (unsigned)SIGNED : 0U);
    b->op->fn = uimad_;
}

/* ---- Functions of up to three scalars -------------------------------------------------------- */

enum uniform_function {
    U_MOV,
    U_LOP3,
    U_SHF,
    U_SEL,
    U_PRMT,
    U_FLO,
    U_POPC,
    U_BREV,
    U_BMSK,
    U_SGXT,
    U_ABS
};

static uint32_t shift_(uint32_t a, uint32_t count, uint32_t c, uint32_t flags)
{
    uint32_t width = (flags & SMRF_EXEC_SHIFT_64) != 0 ? 64 : 32;
    uint64_t value = (uint64_t)c << 32 | a;
    if ((flags & SMRF_EXEC_SHIFT_WRAP) != 0) {
        count &= width - 1;
    } else if (count > width) {
        count = width;
    }
    if (count == 64) { /* C shifts by less than the width */
        value = (flags & SMRF_EXEC_SHIFT_RIGHT) == 0    ? 0
                : (flags & SMRF_EXEC_SHIFT_SIGNED) != 0 ? 0U - (value >> 63)
                                                        : 0;
    } else if ((flags & SMRF_EXEC_SHIFT_RIGHT) == 0) {
        value <<= count;
    } else if ((flags & SMRF_EXEC_SHIFT_SIGNED) != 0) {
        value = (uint64_t)((int64_t)value >> count);
    } else {
        value >>= count;
    }
    return (uint32_t)((flags & SMRF_EXEC_SHIFT_HIGH) != 0 ? value >> 32 : value);
}

/* op->sub: the function's modifiers; op->sub2: the function. */
static int uniform_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t x[3] = {0};
    for (unsigned k = 0; k < op->num_src; k++) {
        x[k] = smrf_exec_scalar(w, &op->src[k]);
    }
    uint32_t result = x[0];
    switch ((enum uniform_function)op->sub2) {
    case U_LOP3:
        result = smrf_exec_lookup(op->sub & 0xff, x[0], x[1], x[2]);
        smrf_exec_write_upred(w, op->pdst,
                              op->sub >> 8 != 0 ? result != 0 && upred_(w, &op->psrc[0])
                                                : result != 0 || upred_(w, &op->psrc[0]));
        break;
    case U_SHF:
        result = shift_(x[0], x[1], x[2], op->sub);
        break;
    case U_SEL:
        result = upred_(w, &op->psrc[0]) ? x[0] : x[1];
        break;
    case U_PRMT:
        result = smrf_exec_permute(x[0], smrf_exec_prmt_selector(op->sub, x[1]), x[2]);
        break;
    case U_FLO:
        result = smrf_exec_leading(x[0], op->sub);
        break;
    case U_POPC:
        result = smrf_exec_count(x[0]);
        break;
    case U_BREV:
        result = smrf_exec_reverse(x[0]);
        break;
    case U_BMSK:
        result = smrf_exec_bit_mask(x[0], x[1], op->sub != 0);
        break;
    case U_SGXT:
        result = smrf_exec_extend(x[0], x[1], (op->sub & 2) != 0, (op->sub & 1) != 0);
        break;
    case U_ABS:
        result = x[0] >> 31 != 0 ? 0U - x[0] : x[0];
        break;
    case U_MOV:
        break;
    }
    smrf_exec_write_uniform(w, op->udst, result);
    return smrf_exec_done(w);
}

static void bind_uniform_(struct smrf_exec_binding *b, enum uniform_function function,
                          unsigned sources)
{
    b->op->sub2 = (uint32_t)function;
    smrf_exec_bind_udst(b);
    bind_sources_(b, sources);
    b->op->fn = uniform_;
}

static void bind_umov_(struct smrf_exec_binding *b)
{
    bind_uniform_(b, U_MOV, 1);
}

static void bind_uiabs_(struct smrf_exec_binding *b)
{
    bind_uniform_(b, U_ABS, 1);
}

static void bind_ulop3_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT")) {
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    }
    bool both = smrf_exec_bind_has(b, "PAND");
    (void)smrf_exec_bind_has(b, "POR");
    if (smrf_exec_bind_kind(b) == SMRF_SASS_UPRED) {
        smrf_exec_bind_updst(b, &b->op->pdst);
    }
    bind_uniform_(b, U_LOP3, 3);
    b->op->sub = smrf_exec_bind_lookup(b) | (both ? 1U << 8 : 0U);
    bind_carries_in_(b, 1);
}

static void bind_ushf_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_shift(b);
    bind_uniform_(b, U_SHF, 3);
}

static void bind_usel_(struct smrf_exec_binding *b)
{
    bind_uniform_(b, U_SEL, 2);
    smrf_exec_bind_psrc(b);
}

static void bind_uprmt_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_prmt_mode(b);
    bind_uniform_(b, U_PRMT, 3);
}

static void bind_uflo_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_flo(b);
    bind_uniform_(b, U_FLO, 1);
}

static void bind_upopc_(struct smrf_exec_binding *b)
{
    bind_uniform_(b, U_POPC, 1);
}

static void bind_ubrev_(struct smrf_exec_binding *b)
{
    bind_uniform_(b, U_BREV, 1);
}

static void bind_ubmsk_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "W") ? 1 : 0;
    bind_uniform_(b, U_BMSK, 2);
}

static void bind_usgxt_(struct smrf_exec_binding *b)
{
    b->op->sub = (smrf_exec_bind_has(b, "U32") ? 1U : 0U) | (smrf_exec_bind_has(b, "W") ? 2U : 0U);
    bind_uniform_(b, U_SGXT, 2);
}

/* ---- Predicates ------------------------------------------------------------------------------ */

enum { SETP_UNSIGNED = 16, SETP_EXTENDED = 32 };

static int uisetp_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t bias = (op->sub & SETP_UNSIGNED) != 0 ? 0 : UINT32_C(0x80000000);
    uint32_t a = smrf_exec_scalar(w, &op->src[0]) ^ bias;
    uint32_t b = smrf_exec_scalar(w, &op->src[1]) ^ bias;
    uint32_t relation = a < b ? SMRF_EXEC_LT : a == b ? SMRF_EXEC_EQ : SMRF_EXEC_GT;
    uint32_t truth = (op->sub & relation) != 0;
    if ((op->sub & SETP_EXTENDED) != 0 && a == b) { /* then the lower words' outcome counts */
        truth = upred_(w, &op->psrc[1]);
    }
    uint32_t with = upred_(w, &op->psrc[0]);
    smrf_exec_write_upred(w, op->pdst, smrf_exec_combine(op->sub2, truth, with) != 0);
    smrf_exec_write_upred(w, op->pdst2, smrf_exec_combine(op->sub2, truth ^ 1, with) != 0);
    return smrf_exec_done(w);
}

static void bind_uisetp_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_compare(b, true);
    bool extended = smrf_exec_bind_has(b, "EX");
    b->op->sub |=
        (smrf_exec_bind_has(b, "U32") ? SETP_UNSIGNED : 0U) | (extended ? SETP_EXTENDED : 0U);
    b->op->sub2 = smrf_exec_bind_combine(b);
    smrf_exec_bind_updst(b, &b->op->pdst);
    smrf_exec_bind_updst(b, &b->op->pdst2);
    bind_sources_(b, 2);
    smrf_exec_bind_psrc(b);
    if (extended) {
        smrf_exec_bind_psrc(b);
    }
    b->op->fn = uisetp_;
}

static int uplop3_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    unsigned entry = (upred_(w, &op->psrc[0]) ? 4U : 0U) | (upred_(w, &op->psrc[1]) ? 2U : 0U) |
                     (upred_(w, &op->psrc[2]) ? 1U : 0U);
    smrf_exec_write_upred(w, op->pdst, (op->sub >> entry & 1) != 0);
    smrf_exec_write_upred(w, op->pdst2, (op->sub2 >> entry & 1) != 0);
    return smrf_exec_done(w);
}

static void bind_uplop3_(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "LUT")) {
        smrf_exec_bind_fail(b, "%s without .LUT is not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_updst(b, &b->op->pdst);
    smrf_exec_bind_updst(b, &b->op->pdst2);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_psrc(b);
    }
    b->op->sub = smrf_exec_bind_lookup(b);
    b->op->sub2 = smrf_exec_bind_lookup(b);
    b->op->fn = uplop3_;
}

static int up2ur_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t chosen = smrf_exec_scalar(w, &op->src[1]) & 0x7f, bits = 0;
    for (unsigned n = 0; n < 7; n++) {
        bits |= w->up[n] != 0 ? 1U << n : 0;
    }
    smrf_exec_write_uniform(w, op->udst,
                            (smrf_exec_scalar(w, &op->src[0]) & ~chosen) | (bits & chosen));
    return smrf_exec_done(w);
}

static int ur2up_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t bits = smrf_exec_scalar(w, &op->src[0]), chosen = smrf_exec_scalar(w, &op->src[1]);
    for (unsigned n = 0; n < 7; n++) {
        if ((chosen >> n & 1) != 0) {
            smrf_exec_write_upred(w, n, (bits >> n & 1) != 0);
        }
    }
    return smrf_exec_done(w);
}

/* The operand UPR: all uniform predicates. */
static void bind_upr_(struct smrf_exec_binding *b)
{
    if (smrf_exec_bind_kind(b) == SMRF_SASS_SPECIAL &&
        strcmp(b->inst->operand[b->next].name, "UPR") == 0) {
        b->next++;
    } else {
        smrf_exec_bind_fail(b, "operand %u of %s should be UPR", b->next + 1, b->inst->mnemonic);
    }
}

static void bind_up2ur_(struct smrf_exec_binding *b)
{
    smrf_exec_bind_udst(b);
    bind_upr_(b);
    bind_sources_(b, 2);
    b->op->fn = up2ur_;
}

static void bind_ur2up_(struct smrf_exec_binding *b)
{
    bind_upr_(b);
    bind_sources_(b, 2);
    b->op->fn = ur2up_;
}

/* ---- From constants and lanes ---------------------------------------------------------------- */

/* op->bytes: width; op->sub: sign extension. */
static int uldc_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)mask;
    const struct smrf_exec_src *src = &op->src[0];
    uint64_t x = src->kind == SMRF_SASS_INT
                     ? src->imm
                     : smrf_exec_const(w, src->bank, src->imm + w->ur[src->ureg], op->bytes);
    if (op->bytes == 8) {
        smrf_exec_write_uniform64(w, op->udst, x);
        return smrf_exec_done(w);
    }
    unsigned up = 32U - 8U * op->bytes;
    uint32_t word = (uint32_t)x << up;
    smrf_exec_write_uniform(w, op->udst,
                            op->sub != 0 ? (uint32_t)((int32_t)word >> up) : word >> up);
    return smrf_exec_done(w);
}

static void bind_uldc_(struct smrf_exec_binding *b)
{
    static const char *const width[] = {"U8", "S8", "U16", "S16", "32", "64"};
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8};
    unsigned k = smrf_exec_bind_one_of(b, width, 6, 4);
    b->op->bytes = bytes[k];
    b->op->sub = k == 1 || k == 3;
    smrf_exec_bind_udst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U64);
    if (b->rc == 0 && b->op->src[0].kind != SMRF_SASS_CONST) {
        smrf_exec_bind_fail(b, "%s loads from a constant bank only", b->inst->mnemonic);
    }
    b->op->fn = uldc_;
}

/* The lowest lane's value: the compiler sees to it that all lanes have one. */
/* The first lane's value; a predicate tells which lanes have another one (.OR: or had before). */
static int r2ur_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t others = 0;
    if (mask != 0) {
        const uint32_t value = a[__builtin_ctz(mask)];
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            others |= a[i] != value ? smrf_exec_bit[i] : 0;
        }
        others |= op->sub != 0 ? w->p[op->pdst] : 0;
        smrf_exec_write_uniform(w, op->udst, value);
        smrf_exec_write_pred(w, op->pdst, mask, others);
    }
    return smrf_exec_done(w);
}

static void bind_r2ur_(struct smrf_exec_binding *b)
{
    b->op->sub = smrf_exec_bind_has(b, "OR") ? 1 : 0;
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
    smrf_exec_bind_udst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = r2ur_;
}

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };

static int voteu_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t ballot = smrf_exec_pred(w, &op->psrc[0]) & mask;
    bool truth = op->sub == VOTE_ALL   ? ballot == mask
                 : op->sub == VOTE_ANY ? ballot != 0
                                       : ballot == 0 || ballot == mask;
    smrf_exec_write_uniform(w, op->udst, ballot);
    smrf_exec_write_upred(w, op->pdst, truth);
    return smrf_exec_done(w);
}

static void bind_voteu_(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"ALL", "ANY", "EQ"};
    b->op->sub = smrf_exec_bind_one_of(b, mode, 3, 3);
    if (b->op->sub == 3) {
        smrf_exec_bind_fail(b, "%s names no vote", b->inst->mnemonic);
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_UREG) {
        smrf_exec_bind_udst(b);
    }
    smrf_exec_bind_updst(b, &b->op->pdst);
    smrf_exec_bind_psrc(b);
    b->op->fn = voteu_;
}

int smrf_exec_bind_uniform(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"UMOV", bind_umov_},     {"ULDC", bind_uldc_},   {"UIADD3", bind_uiadd3_},
        {"ULEA", bind_ulea_},     {"UIMAD", bind_uimad_}, {"ULOP3", bind_ulop3_},
        {"USHF", bind_ushf_},     {"USEL", bind_usel_},   {"UPRMT", bind_uprmt_},
        {"UFLO", bind_uflo_},     {"UPOPC", bind_upopc_}, {"UBREV", bind_ubrev_},
        {"UBMSK", bind_ubmsk_},   {"USGXT", bind_usgxt_}, {"UISETP", bind_uisetp_},
        {"UPLOP3", bind_uplop3_}, {"UP2UR", bind_up2ur_}, {"UR2UP", bind_ur2up_},
        {"R2UR", bind_r2ur_},     {"VOTEU", bind_voteu_}, {"UIABS", bind_uiabs_},
    };
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
