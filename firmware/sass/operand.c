/* SPDX-License-Identifier: Apache-2.0 */
/* One operand: register, predicate, immediate, constant, memory, code target, special name. */
#include "firmware/sass/internal.h"

#include <string.h>

static int bad_(struct smrf_sass_parser *p, const char *what)
{
    char buffer[48];
    return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "%s at %s", what, smrf_sass_here(p, buffer));
}

static int fix_(struct smrf_sass_parser *p, const struct smrf_sass_inst *inst, uint8_t target,
                const struct smrf_sass_expr *expr)
{
    struct smrf_sass_fixup fixup = {.expr = *expr,
                                    .line = p->line,
                                    .where = p->num_insts,
                                    .offset = p->section,
                                    .target = target,
                                    .operand = inst->num_operands};
    return smrf_sass_add_fixup(p, &fixup);
}

/* `(expression): with the backquote, and what lies in the operand so far is added to it. */
static int parse_reference_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst, uint8_t target)
{
    struct smrf_sass_expr expr;
    p->at++; /* backquote */
    int rc = smrf_sass_parse_expr(p, &expr);
    return rc < 0 ? rc : fix_(p, inst, target, &expr);
}

/* A register's number after its letters; true if it is `zero` or a number up to max. */
static bool register_number_(const char *digits, size_t length, const char *zero, unsigned max,
                             unsigned zero_number, uint8_t *number)
{
    size_t zero_length = strlen(zero);
    if (length == zero_length && memcmp(digits, zero, length) == 0) {
        *number = (uint8_t)zero_number;
        return true;
    }
    unsigned value = 0;
    if (length == 0 || length > 3 || (length > 1 && digits[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(digits[i] - '0');
    }
    *number = (uint8_t)value;
    return value <= max;
}

/* A word without dots: R12, UR3, P0, UPT, B6; 0 kind = none of them. */
static uint8_t register_kind_(const char *word, size_t length, uint8_t *number)
{
    if (length >= 2 && word[0] == 'R' &&
        register_number_(word + 1, length - 1, "Z", 254, 255, number)) {
        return SMRF_SASS_REG;
    }
    if (length >= 3 && word[0] == 'U' && word[1] == 'R' &&
        register_number_(word + 2, length - 2, "Z", 62, 63, number)) {
        return SMRF_SASS_UREG;
    }
    if (length >= 2 && word[0] == 'P' &&
        register_number_(word + 1, length - 1, "T", 6, 7, number)) {
        return SMRF_SASS_PRED;
    }
    if (length >= 3 && word[0] == 'U' && word[1] == 'P' &&
        register_number_(word + 2, length - 2, "T", 6, 7, number)) {
        return SMRF_SASS_UPRED;
    }
    if (length >= 2 && word[0] == 'B' && word[1] != 'Z' &&
        register_number_(word + 1, length - 1, "", 15, 0, number)) {
        return SMRF_SASS_BARRIER;
    }
    return SMRF_SASS_NONE;
}

static size_t word_length_(const struct smrf_sass_parser *p)
{
    const char *at = p->at;
    while (at < p->end && ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
                           (*at >= '0' && *at <= '9') || *at == '_')) {
        at++;
    }
    return (size_t)(at - p->at);
}

/* .reuse, .H0_H0, .ROW, .. after a register, constant or immediate. */
static int parse_suffixes_(struct smrf_sass_parser *p, struct smrf_sass_operand *operand)
{
    static const struct {
        const char *word;
        uint8_t part;
    } parts[] = {
        {"H0_H0", SMRF_SASS_H0_H0},   {"H1_H1", SMRF_SASS_H1_H1}, {"H1_H0", SMRF_SASS_H1_H0},
        {"H0_NH1", SMRF_SASS_H0_NH1}, {"H0", SMRF_SASS_H0},       {"H1", SMRF_SASS_H1},
        {"B0", SMRF_SASS_B0},         {"B1", SMRF_SASS_B1},       {"B2", SMRF_SASS_B2},
        {"B3", SMRF_SASS_B3},         {"ROW", SMRF_SASS_ROW},     {"COL", SMRF_SASS_COL},
        {"F32", SMRF_SASS_F32},       {"SIGN", SMRF_SASS_SIGN},   {"24", SMRF_SASS_LOW24},
        {"28", SMRF_SASS_LOW28}};
    while (!smrf_sass_at_end(p) && *p->at == '.') {
        const char *start = p->at++;
        size_t length = word_length_(p);
        if (length == 5 && memcmp(p->at, "reuse", 5) == 0) {
            operand->reuse = true;
            p->at += 5;
            continue;
        }
        size_t i = 0, count = sizeof parts / sizeof *parts;
        while (i < count &&
               (strlen(parts[i].word) != length || memcmp(parts[i].word, p->at, length) != 0)) {
            i++;
        }
        if (i < count) {
            operand->part = parts[i].part;
        } else if (length == 2 && memcmp(p->at, "64", 2) == 0) {
            operand->wide = true;
        } else {
            p->at = start;
            return bad_(p, "unknown suffix of an operand");
        }
        p->at += length;
    }
    return 0;
}

/* .64, .U32, .X4 of a register within brackets. */
static int parse_base_suffixes_(struct smrf_sass_parser *p, struct smrf_sass_operand *operand)
{
    while (!smrf_sass_at_end(p) && *p->at == '.') {
        if (smrf_sass_accept_word(p, ".64")) {
            operand->wide = true;
        } else if (smrf_sass_accept_word(p, ".U32")) {
            operand->u32 = true;
        } else if (smrf_sass_accept_word(p, ".X16")) {
            operand->scale = 16;
        } else if (smrf_sass_accept_word(p, ".X4")) {
            operand->scale = 4;
        } else if (smrf_sass_accept_word(p, ".X8")) {
            operand->scale = 8;
        } else if (smrf_sass_accept_word(p, ".X1")) {
            operand->scale = 1;
        } else if (smrf_sass_accept_word(p, ".reuse")) {
            operand->reuse = true;
        } else {
            return bad_(p, "unknown suffix of an address register");
        }
    }
    return 0;
}

/* R2.64, UR4, 0x10, -0x10, `(symbol): one summand of an address. */
static int parse_summand_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                          struct smrf_sass_operand *operand, uint8_t target)
{
    smrf_sass_skip_space(p);
    if (smrf_sass_at_end(p)) {
        return bad_(p, "the address ends early");
    }
    if (*p->at == '`') {
        return parse_reference_(p, inst, target);
    }
    if (*p->at == '-' || (*p->at >= '0' && *p->at <= '9')) {
        bool negative = *p->at == '-';
        uint64_t value;
        p->at += negative;
        if (!smrf_sass_unsigned(p, &value) || value > UINT32_MAX) {
            return bad_(p, "bad offset");
        }
        operand->imm += negative ? -(int64_t)value : (int64_t)value;
        return 0;
    }
    size_t length = word_length_(p);
    uint8_t number;
    uint8_t kind = register_kind_(p->at, length, &number);
    if (kind == SMRF_SASS_REG && operand->reg == 255) {
        operand->reg = number;
    } else if (kind == SMRF_SASS_UREG && operand->ureg == 63) {
        operand->ureg = number;
        p->at += length;
        return 0;
    } else {
        return bad_(p, "expected a register, an offset or a symbol");
    }
    p->at += length;
    return parse_base_suffixes_(p, operand);
}

/* What stands between brackets, and the closing one. */
static int parse_address_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                          struct smrf_sass_operand *operand, uint8_t target)
{
    int rc = parse_summand_(p, inst, operand, target);
    while (rc >= 0) {
        smrf_sass_skip_space(p);
        if (smrf_sass_accept(p, ']')) {
            return 0;
        }
        if (smrf_sass_at_end(p) || (*p->at != '+' && *p->at != '-')) {
            return bad_(p, "']' or '+' expected");
        }
        if (*p->at == '+') {
            p->at++;
        }
        rc = parse_summand_(p, inst, operand, target);
    }
    return rc;
}

/* c[0x0][R2+0x160], c[0x1] [0x10], c[`(symbol)], cx[UR4][0x10] */
static int parse_const_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                        struct smrf_sass_operand *operand)
{
    bool bindless = p->at[1] == 'x';
    operand->kind = SMRF_SASS_CONST;
    p->at += bindless ? 3 : 2;
    smrf_sass_skip_space(p);
    if (bindless) {
        size_t length = word_length_(p);
        if (register_kind_(p->at, length, &operand->ureg) != SMRF_SASS_UREG) {
            return bad_(p, "expected the uniform register of a bindless constant");
        }
        p->at += length;
        operand->bank = SMRF_SASS_BINDLESS;
    } else if (!smrf_sass_at_end(p) && *p->at >= '0' && *p->at <= '9') {
        uint64_t bank;
        if (!smrf_sass_unsigned(p, &bank) || bank >= 32) {
            return bad_(p, "bad constant bank");
        }
        operand->bank = (uint8_t)bank;
    } else {
        return parse_address_(p, inst, operand, SASS_TO_CONST);
    }
    if (!smrf_sass_accept(p, ']') || !smrf_sass_accept(p, '[')) {
        return bad_(p, "'][' of a constant expected");
    }
    return parse_address_(p, inst, operand, SASS_TO_IMM);
}

/* {B1}, {3,2}: a set, as a mask. */
static int parse_set_(struct smrf_sass_parser *p, struct smrf_sass_operand *operand)
{
    p->at++;
    operand->kind = SMRF_SASS_INT;
    do {
        uint64_t bit;
        smrf_sass_skip_space(p);
        if (!smrf_sass_at_end(p) && *p->at == 'B') {
            p->at++;
        }
        if (!smrf_sass_unsigned(p, &bit) || bit > 31) {
            return bad_(p, "expected a number from 0 to 31 in a set");
        }
        operand->imm |= INT64_C(1) << bit;
    } while (smrf_sass_accept(p, ','));
    return smrf_sass_accept(p, '}') ? 0 : bad_(p, "'}' expected");
}

/* A register, or any other name: SR_TID.X, PR, SB0, SRZ. */
static int parse_word_(struct smrf_sass_parser *p, struct smrf_sass_operand *operand)
{
    size_t length = word_length_(p);
    uint8_t number = 0;
    operand->kind = register_kind_(p->at, length, &number);
    if (operand->kind != SMRF_SASS_NONE) {
        operand->reg = number;
        p->at += length;
        return parse_suffixes_(p, operand);
    }
    size_t letter = length && p->at[0] == 'U'; /* R300, UP9, B16 */
    bool numbered = length > letter + 1 && p->at[letter + 1] >= '0' && p->at[letter + 1] <= '9';
    char file = length > letter ? p->at[letter] : 0;
    if (length == 0 || (numbered && (file == 'R' || file == 'P' || (file == 'B' && !letter)))) {
        return bad_(p, length ? "no such register" : "expected an operand");
    }
    length = smrf_sass_name_length(p); /* with dots */
    uint32_t string;
    int rc = smrf_sass_string_of(p, p->at, length, &string);
    if (rc < 0) {
        return rc;
    }
    p->at += length;
    operand->kind = SMRF_SASS_SPECIAL;
    operand->name = p->strings[string].text;
    return 0;
}

static int parse_branch_number_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                                struct smrf_sass_operand *operand, unsigned branch)
{
    struct smrf_sass_expr expr = {.constant = operand->imm};
    if (operand->kind != SMRF_SASS_INT || branch == SASS_NO_BRANCH || branch == SASS_ABSOLUTE) {
        return 0;
    }
    operand->kind = SMRF_SASS_CODE;
    operand->imm = 0;
    return fix_(p, inst, branch == SASS_INDEXED ? SASS_TO_BRX : SASS_TO_CODE, &expr);
}

/* 32@lo(..), fun@fdesc(..) */
static bool relocated_(const struct smrf_sass_parser *p)
{
    const char *at = p->at;
    while (at < p->end && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z'))) {
        at++;
    }
    return at > p->at && at < p->end && *at == '@';
}

/* Everything but signs. */
static int parse_plain_(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                        struct smrf_sass_operand *operand, unsigned branch)
{
    if (smrf_sass_at_end(p)) {
        return bad_(p, "expected an operand");
    }
    char c = *p->at;
    if (c == '`') {
        operand->kind = branch == SASS_NO_BRANCH ? SMRF_SASS_INT : SMRF_SASS_CODE;
        return parse_reference_(p, inst, branch == SASS_INDEXED ? SASS_TO_BRX : SASS_TO_IMM);
    }
    if (smrf_sass_starts(p, "c[") || smrf_sass_starts(p, "cx[")) {
        int rc = parse_const_(p, inst, operand);
        return rc < 0 ? rc : parse_suffixes_(p, operand);
    }
    if (smrf_sass_starts(p, "desc[UR")) { /* how the memory is cached: nothing that counts here */
        while (!smrf_sass_at_end(p) && *p->at != ']') {
            p->at++;
        }
        c = p->end - p->at >= 2 ? *++p->at : 0;
    }
    if (c == '[' || (smrf_sass_starts(p, "a["))) {
        operand->kind = SMRF_SASS_MEM;
        operand->name = c == 'a' ? "a" : NULL;
        p->at += c == 'a' ? 2 : 1;
        return parse_address_(p, inst, operand, SASS_TO_IMM);
    }
    if (c == '{') {
        return parse_set_(p, operand);
    }
    if (c >= '1' && c <= '3' && p->end - p->at >= 2 && p->at[1] == 'D') {
        return parse_word_(p, operand); /* 2D: of a texture */
    }
    if (relocated_(p)) {
        struct smrf_sass_expr expr;
        int rc = smrf_sass_parse_expr(p, &expr);
        operand->kind = SMRF_SASS_INT;
        return rc < 0 ? rc : fix_(p, inst, SASS_TO_IMM, &expr);
    }
    if (c >= '0' && c <= '9') {
        int rc = smrf_sass_parse_number(p, operand);
        return rc < 0 ? rc : parse_branch_number_(p, inst, operand, branch);
    }
    if (smrf_sass_starts(p, "INF") || smrf_sass_starts(p, "QNAN") || smrf_sass_starts(p, "SNAN")) {
        return smrf_sass_parse_number(p, operand);
    }
    return parse_word_(p, operand);
}

/* -0x5, -1.5, +INF: the sign belongs to the number. */
static bool signed_number_(const struct smrf_sass_parser *p)
{
    if (p->end - p->at < 2 || (*p->at != '-' && *p->at != '+')) {
        return false;
    }
    char c = p->at[1];
    struct smrf_sass_parser next = *p;
    next.at++;
    return (c >= '0' && c <= '9') || c == '.' || smrf_sass_starts(&next, "INF") ||
           smrf_sass_starts(&next, "QNAN") || smrf_sass_starts(&next, "SNAN") ||
           smrf_sass_starts(&next, "NAN");
}

int smrf_sass_parse_operand(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                            unsigned branch)
{
    struct smrf_sass_operand *operand = &inst->operand[inst->num_operands];
    *operand = (struct smrf_sass_operand){.reg = 255, .ureg = 63, .scale = 1};
    smrf_sass_skip_space(p);
    int rc;
    if (signed_number_(p)) {
        rc = smrf_sass_parse_number(p, operand);
        if (rc >= 0) {
            rc = parse_branch_number_(p, inst, operand, branch);
        }
    } else {
        for (; !smrf_sass_at_end(p) && (*p->at == '-' || *p->at == '~' || *p->at == '!'); p->at++) {
            if (*p->at == '-') {
                operand->negated = true;
            } else {
                operand->inverted = true;
            }
        }
        operand->absolute = smrf_sass_accept(p, '|');
        rc = parse_plain_(p, inst, operand, branch);
        if (rc >= 0 && operand->absolute) {
            if (!smrf_sass_accept(p, '|')) {
                return bad_(p, "the closing '|' is missing");
            }
            rc = parse_suffixes_(p, operand);
        }
    }
    if (rc < 0) {
        return rc;
    }
    inst->num_operands++;
    return 0;
}
