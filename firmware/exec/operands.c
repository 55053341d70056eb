/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/exec/operands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const uint32_t smrf_exec_bit[SMRF_EXEC_LANES] = {
    1U << 0,  1U << 1,  1U << 2,  1U << 3,  1U << 4,  1U << 5,  1U << 6,  1U << 7,
    1U << 8,  1U << 9,  1U << 10, 1U << 11, 1U << 12, 1U << 13, 1U << 14, 1U << 15,
    1U << 16, 1U << 17, 1U << 18, 1U << 19, 1U << 20, 1U << 21, 1U << 22, 1U << 23,
    1U << 24, 1U << 25, 1U << 26, 1U << 27, 1U << 28, 1U << 29, 1U << 30, 1U << 31};

#define SIGN_32 UINT32_C(0x80000000)
#define SIGN_H2 UINT32_C(0x80008000)
#define SIGN_64 UINT64_C(0x8000000000000000)

void smrf_exec_bind_begin(struct smrf_exec_binding *b, struct smrf_exec_op *op, char *error)
{
    *b = (struct smrf_exec_binding){.op = op, .inst = op->inst, .error = error};
    op->dst = SMRF_EXEC_BIN;
    op->udst = 63;
    op->pdst = op->pdst2 = 7;
    op->num_src = 0;
}

void smrf_exec_bind_fail(struct smrf_exec_binding *b, const char *format, ...)
{
    if (b->rc != 0) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(b->error, SMRF_SASS_ERROR_BYTES, format, args);
    va_end(args);
    b->rc = SMRF_ERR_UNKNOWN;
}

int smrf_exec_bind_end(struct smrf_exec_binding *b)
{
    for (unsigned i = 0; i < b->inst->num_modifiers; i++) {
        if ((b->known >> i & 1) == 0) {
            smrf_exec_bind_fail(b, "modifier .%s of %s is not supported", b->inst->modifier[i],
                                b->inst->opcode);
        }
    }
    if (b->next < b->inst->num_operands) {
        smrf_exec_bind_fail(b, "%s takes %u operands in this form, not %u", b->inst->mnemonic,
                            b->next, (unsigned)b->inst->num_operands);
    }
    return b->rc != 0 ? b->rc : 1;
}

bool smrf_exec_bind_has(struct smrf_exec_binding *b, const char *name)
{
    for (unsigned i = 0; i < b->inst->num_modifiers; i++) {
        if ((b->known >> i & 1) == 0 && strcmp(b->inst->modifier[i], name) == 0) {
            b->known |= UINT32_C(1) << i;
            return true;
        }
    }
    return false;
}

unsigned smrf_exec_bind_one_of(struct smrf_exec_binding *b, const char *const *names,
                               unsigned count, unsigned otherwise)
{
    for (unsigned i = 0; i < count; i++) {
        if (smrf_exec_bind_has(b, names[i])) {
            return i;
        }
    }
    return otherwise;
}

unsigned smrf_exec_bind_next_of(struct smrf_exec_binding *b, const char *const *names,
                                unsigned count, unsigned otherwise)
{
    for (unsigned i = 0; i < b->inst->num_modifiers; i++) {
        for (unsigned k = 0; k < count && (b->known >> i & 1) == 0; k++) {
            if (strcmp(b->inst->modifier[i], names[k]) == 0) {
                b->known |= UINT32_C(1) << i;
                return k;
            }
        }
    }
    return otherwise;
}

unsigned smrf_exec_bind_kind(const struct smrf_exec_binding *b)
{
    return b->next < b->inst->num_operands ? b->inst->operand[b->next].kind : SMRF_SASS_NONE;
}

/* The next operand if it is of this kind, else NULL with the failure recorded. */
static const struct smrf_sass_operand *take_(struct smrf_exec_binding *b, unsigned kind,
                                             const char *what)
{
    if (smrf_exec_bind_kind(b) != kind) {
        smrf_exec_bind_fail(b, "operand %u of %s should be %s", b->next + 1, b->inst->mnemonic,
                            what);
        return NULL;
    }
    const struct smrf_sass_operand *o = &b->inst->operand[b->next++];
    if (o->part != SMRF_SASS_WHOLE) {
        smrf_exec_bind_fail(b, "a part of operand %u of %s is not supported", b->next,
                            b->inst->mnemonic);
    }
    return o;
}

void smrf_exec_bind_dst(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o = take_(b, SMRF_SASS_REG, "a destination register");
    if (o != NULL) {
        b->op->dst = o->reg == SMRF_EXEC_RZ ? SMRF_EXEC_BIN : o->reg;
    }
}

void smrf_exec_bind_udst(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o = take_(b, SMRF_SASS_UREG, "a uniform destination register");
    if (o != NULL) {
        b->op->udst = o->reg;
    }
}

void smrf_exec_bind_pdst(struct smrf_exec_binding *b, uint8_t *number)
{
    const struct smrf_sass_operand *o = take_(b, SMRF_SASS_PRED, "a destination predicate");
    if (o != NULL) {
        *number = o->reg;
    }
}

void smrf_exec_bind_updst(struct smrf_exec_binding *b, uint8_t *number)
{
    const struct smrf_sass_operand *o =
        take_(b, SMRF_SASS_UPRED, "a uniform destination predicate");
    if (o != NULL) {
        *number = o->reg;
    }
}

static struct smrf_exec_src *next_src_(struct smrf_exec_binding *b)
{
    if (b->op->num_src >= sizeof b->op->src / sizeof b->op->src[0]) {
        smrf_exec_bind_fail(b, "%s has too many operands", b->inst->mnemonic);
        return NULL;
    }
    return &b->op->src[b->op->num_src++];
}

static struct smrf_exec_src *next_psrc_(struct smrf_exec_binding *b)
{
    if (b->num_psrc >= sizeof b->op->psrc / sizeof b->op->psrc[0]) {
        smrf_exec_bind_fail(b, "%s has too many predicate operands", b->inst->mnemonic);
        return NULL;
    }
    return &b->op->psrc[b->num_psrc++];
}

void smrf_exec_bind_psrc(struct smrf_exec_binding *b)
{
    unsigned kind = smrf_exec_bind_kind(b);
    const struct smrf_sass_operand *o =
        take_(b, kind == SMRF_SASS_UPRED ? kind : SMRF_SASS_PRED, "a source predicate");
    struct smrf_exec_src *src = o == NULL ? NULL : next_psrc_(b);
    if (src != NULL) {
        *src = (struct smrf_exec_src){.kind = o->kind, .reg = o->reg, .inverted = o->inverted};
    }
}

void smrf_exec_bind_true(struct smrf_exec_binding *b)
{
    struct smrf_exec_src *src = next_psrc_(b);
    if (src != NULL) {
        *src = (struct smrf_exec_src){.kind = SMRF_SASS_PRED, .reg = 7};
    }
}

void smrf_exec_bind_zero(struct smrf_exec_binding *b)
{
    struct smrf_exec_src *src = next_src_(b);
    if (src != NULL) {
        *src = (struct smrf_exec_src){
            .kind = SMRF_SASS_REG, .reg = SMRF_EXEC_RZ, .ureg = 63, .plain = true};
    }
}

static bool is_pair_(enum smrf_exec_type type)
{
    return type == SMRF_EXEC_H2 || type == SMRF_EXEC_B2;
}

/* Nearest half to x, ties to even. */
static uint32_t half_bits_(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = (uint32_t)(bits >> 63) << 15;
    uint64_t magnitude = bits & ~SIGN_64;
    if (magnitude > UINT64_C(0x7ff0000000000000)) {
        return sign | 0x7fff;
    }
    if (magnitude >= UINT64_C(0x40effe0000000000)) { /* 65520 and up round to infinity */
        return sign | 0x7c00;
    }
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent < -25) {
        return sign;
    }
    uint64_t significand = (magnitude & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    unsigned drop = exponent >= -14 ? 42 : (unsigned)(42 + -14 - exponent);
    uint64_t rest = significand & ((UINT64_C(1) << drop) - 1), tie = UINT64_C(1) << (drop - 1);
    uint32_t kept = (uint32_t)(significand >> drop);
    kept += rest > tie || (rest == tie && (kept & 1) != 0) ? 1U : 0U;
    /* A normal's hidden bit adds one to the exponent field, as does a carry out of the rounding. */
    return sign | (exponent >= -14 ? kept + ((uint32_t)(exponent + 14) << 10) : kept);
}

/* Numbers are rounded to the operation's format; what is printed in hexadecimal are bits. */
static uint64_t immediate_bits_(const struct smrf_sass_operand *o, enum smrf_exec_type type)
{
    if (o->kind != SMRF_SASS_FLOAT) {
        return type == SMRF_EXEC_U64 ? (uint64_t)o->imm : (uint32_t)o->imm;
    }
    double x;
    float f;
    uint64_t bits = 0;
    uint32_t word;
    switch (type) {
    case SMRF_EXEC_F32:
        x = o->number;
        if (x != x && o->imm != 0) {
            return (uint32_t)o->imm;
        }
        if (x != x) { /* the text has no payload: the canonical NaN */
            return signbit(x) ? 0xffffffff : 0x7fffffff;
        }
        f = (float)x;
        memcpy(&word, &f, sizeof word);
        return word;
    case SMRF_EXEC_F64: /* the encoding holds the upper word only */
        x = o->number;
        if (x != x && o->imm != 0) {
            return (uint64_t)o->imm << 32;
        }
        memcpy(&bits, &x, sizeof bits);
        return x != x ? bits : (bits + SIGN_32) & ~UINT64_C(0xffffffff);
    case SMRF_EXEC_H2:
        return half_bits_(o->number);
    case SMRF_EXEC_B2: /* a bfloat16 is printed exactly */
        f = (float)o->number;
        memcpy(&word, &f, sizeof word);
        return word >> 16;
    default:
        return 0;
    }
}

static int operand_fails_(const struct smrf_sass_operand *o, char *error, const char *what)
{
    (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "%s (operand kind %u, part %u) is not supported",
                   what, (unsigned)o->kind, (unsigned)o->part);
    return SMRF_ERR_UNKNOWN;
}

int smrf_exec_bind_operand(struct smrf_exec_src *src, const struct smrf_sass_operand *o,
                           enum smrf_exec_type type, char error[SMRF_SASS_ERROR_BYTES])
{
    *src = (struct smrf_exec_src){.kind = o->kind,
                                  .reg = o->reg,
                                  .ureg = 63,
                                  .part = o->part,
                                  .bank = o->bank,
                                  .negated = o->negated,
                                  .absolute = o->absolute,
                                  .inverted = o->inverted};
    bool half_part = o->part <= SMRF_SASS_H0_NH1;
    bool single = type == SMRF_EXEC_F32 && o->part == SMRF_SASS_F32;
    if (o->part != SMRF_SASS_WHOLE && type != SMRF_EXEC_RAW && !single &&
        !(is_pair_(type) && half_part)) {
        return operand_fails_(o, error, "this part of a register");
    }
    if (o->inverted && type != SMRF_EXEC_U32 && type != SMRF_EXEC_U64 && type != SMRF_EXEC_RAW) {
        return operand_fails_(o, error, "the inversion of a floating-point operand");
    }
    switch (o->kind) {
    case SMRF_SASS_REG:
        src->plain =
            (o->part == SMRF_SASS_WHOLE || single) && !o->negated && !o->absolute && !o->inverted;
        return 0;
    case SMRF_SASS_UREG:
        return 0;
    case SMRF_SASS_CONST:
        if (o->reg != SMRF_EXEC_RZ) {
            return operand_fails_(o, error, "a constant indexed by a vector register");
        }
        src->ureg = o->ureg;
        src->imm = (uint64_t)o->imm;
        return 0;
    case SMRF_SASS_FLOAT:
        if (type == SMRF_EXEC_U32 || type == SMRF_EXEC_U64 || type == SMRF_EXEC_RAW) {
            return operand_fails_(o, error, "a floating-point immediate of an integer operation");
        }
        src->imm = immediate_bits_(o, type);
        src->kind = SMRF_SASS_INT;
        return 0;
    case SMRF_SASS_INT:
    case SMRF_SASS_CODE: /* an address in a move */
        if (type == SMRF_EXEC_F64 || is_pair_(type)) {
            return operand_fails_(o, error, "a hexadecimal immediate of this operation");
        }
        src->imm = immediate_bits_(o, type);
        src->kind = SMRF_SASS_INT;
        return 0;
    default:
        return operand_fails_(o, error, "this operand");
    }
}

void smrf_exec_bind_src(struct smrf_exec_binding *b, enum smrf_exec_type type)
{
    if (b->rc != 0) {
        return;
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_NONE) {
        smrf_exec_bind_fail(b, "%s lacks an operand", b->inst->mnemonic);
        return;
    }
    struct smrf_exec_src *src = next_src_(b);
    if (src == NULL) {
        return;
    }
    const struct smrf_sass_operand *o = &b->inst->operand[b->next++];
    int rc = smrf_exec_bind_operand(src, o, type, b->error);
    if (rc != 0) {
        b->rc = rc;
        return;
    }
    if (is_pair_(type) && src->kind == SMRF_SASS_INT) {
        /* Half immediates are printed one by one: high half first. */
        const struct smrf_sass_operand *low = &b->inst->operand[b->next];
        unsigned kind = smrf_exec_bind_kind(b);
        if (kind == SMRF_SASS_FLOAT || kind == SMRF_SASS_INT) {
            src->imm = src->imm << 16 | immediate_bits_(low, type);
            b->next++;
        } else {
            smrf_exec_bind_fail(b, "%s lacks the second half of its immediate", b->inst->mnemonic);
        }
    }
}

void smrf_exec_fold_const(struct smrf_exec_src *src, const uint8_t *data, uint32_t bytes)
{
    if (src->kind != SMRF_SASS_CONST || src->ureg != 63) {
        return;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < 8 && src->imm + i < bytes; i++) {
        value |= (uint64_t)data[src->imm + i] << (8 * i);
    }
    src->kind = SMRF_SASS_INT;
    src->imm = value;
}

uint64_t smrf_exec_const(struct smrf_exec_warp *w, unsigned bank, uint64_t offset, unsigned bytes)
{
    const struct smrf_exec_block *block = w->block;
    uint64_t value = 0;
    if (block == NULL || bank >= SMRF_SASS_CONST_BANKS || block->const_data[bank] == NULL ||
        offset > block->const_bytes[bank] || block->const_bytes[bank] - offset < bytes) {
        bool empty = bank != 0 && (block == NULL || bank >= SMRF_SASS_CONST_BANKS ||
                                   block->const_data[bank] == NULL);
        w->error = empty ? SMRF_EXEC_NO_CONSTANTS : "a constant lies outside its bank";
        w->error_lane = -1;
        return 0;
    }
    memcpy(&value, block->const_data[bank] + offset, bytes < 8 ? bytes : 8);
    return value;
}

/* Bits of a source that is the same in all lanes, without its modifiers. */
static uint64_t raw_scalar_(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                            unsigned bytes)
{
    switch (src->kind) {
    case SMRF_SASS_INT:
        return bytes == 8 ? src->imm : (uint32_t)src->imm;
    case SMRF_SASS_UREG: {
        uint64_t low = w->ur[src->reg];
        if (bytes != 8) {
            return low;
        }
        return low | (src->reg < 63 ? (uint64_t)w->ur[src->reg + 1] << 32 : 0);
    }
    case SMRF_SASS_CONST:
        return smrf_exec_const(w, src->bank, src->imm + w->ur[src->ureg], bytes);
    default:
        w->error = "a vector register where a uniform operand is needed";
        w->error_lane = -1;
        return 0;
    }
}

static inline uint32_t integer_modifiers_(const struct smrf_exec_src *src, uint32_t x)
{
    x = src->absolute && (int32_t)x < 0 ? 0U - x : x;
    x = src->negated ? 0U - x : x;
    return src->inverted ? ~x : x;
}

static inline uint64_t integer_modifiers64_(const struct smrf_exec_src *src, uint64_t x)
{
    x = src->absolute && (int64_t)x < 0 ? 0U - x : x;
    x = src->negated ? 0U - x : x;
    return src->inverted ? ~x : x;
}

uint32_t smrf_exec_scalar(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    return integer_modifiers_(src, (uint32_t)raw_scalar_(w, src, 4));
}

uint64_t smrf_exec_scalar64(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    return integer_modifiers64_(src, raw_scalar_(w, src, 8));
}

const uint32_t *smrf_exec_fill_u32(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint32_t scratch[SMRF_EXEC_LANES])
{
    const uint32_t *row = w->r[src->reg];
    /* ~x = -x - 1 */
    uint32_t flip = src->inverted ^ src->negated ? UINT32_MAX : 0, add = src->negated ? 1 : 0;
    if (src->negated && src->inverted) {
        flip = 0;
        add = UINT32_MAX; /* ~(-x) = x - 1 */
    }
    if (src->absolute) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            uint32_t sign = 0U - (row[i] >> 31);
            scratch[i] = (((row[i] ^ sign) - sign) ^ flip) + add;
        }
    } else {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            scratch[i] = (row[i] ^ flip) + add;
        }
    }
    return scratch;
}

/* Sign handling that singles, pairs of halves and doubles share: clear, then flip. */
static inline uint64_t keep_mask_(const struct smrf_exec_src *src, uint64_t sign)
{
    return src->absolute ? ~sign : ~UINT64_C(0);
}

static inline uint64_t flip_mask_(const struct smrf_exec_src *src, uint64_t sign)
{
    return src->negated ? sign : 0;
}

uint32_t smrf_exec_scalar_f32(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    uint32_t keep = (uint32_t)keep_mask_(src, SIGN_32), flip = (uint32_t)flip_mask_(src, SIGN_32);
    return ((uint32_t)raw_scalar_(w, src, 4) & keep) ^ flip;
}

uint64_t smrf_exec_scalar_f64(struct smrf_exec_warp *w, const struct smrf_exec_src *src)
{
    return (raw_scalar_(w, src, 8) & keep_mask_(src, SIGN_64)) ^ flip_mask_(src, SIGN_64);
}

const uint32_t *smrf_exec_fill_f32(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint32_t scratch[SMRF_EXEC_LANES])
{
    uint32_t keep = (uint32_t)keep_mask_(src, SIGN_32), flip = (uint32_t)flip_mask_(src, SIGN_32);
    const uint32_t *row = w->r[src->reg];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        scratch[i] = (row[i] & keep) ^ flip;
    }
    return scratch;
}

const uint32_t *smrf_exec_fill_h2(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                  uint32_t scratch[SMRF_EXEC_LANES])
{
    uint32_t keep = (uint32_t)keep_mask_(src, SIGN_H2), flip = (uint32_t)flip_mask_(src, SIGN_H2);
    if (src->part == SMRF_SASS_H0_NH1) {
        flip ^= SIGN_32;
    }
    if (src->kind == SMRF_SASS_REG) {
        memcpy(scratch, w->r[src->reg], sizeof w->r[0]);
    } else {
        smrf_exec_broadcast(scratch, (uint32_t)raw_scalar_(w, src, 4));
    }
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        uint32_t x = scratch[i];
        if (src->part == SMRF_SASS_H0_H0) {
            x = x << 16 | (x & 0xffff);
        } else if (src->part == SMRF_SASS_H1_H1) {
            x = (x & 0xffff0000) | x >> 16;
        }
        scratch[i] = (x & keep) ^ flip;
    }
    return scratch;
}

void smrf_exec_modify_u64(const struct smrf_exec_src *src, uint64_t out[SMRF_EXEC_LANES])
{
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = integer_modifiers64_(src, out[i]);
    }
}
