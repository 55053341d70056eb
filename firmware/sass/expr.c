/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over symbols, as in "(.L_7 - .L_6)", "32@lo((fn + .L_x_4@srel))" or
 * "fun@R_CUDA_G64((tab + 0x14))": read into a flat sum, given a value once everything is placed. */
#include "firmware/sass/internal.h"

#include <string.h>

#define MAX_DEPTH 16

static int add_symbol_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr, const char *name,
                       size_t length, int sign)
{
    if (expr->terms == SMRF_SASS_EXPR_TERMS) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "more than %d symbols in one expression",
                              SMRF_SASS_EXPR_TERMS);
    }
    unsigned t = expr->terms;
    int rc = smrf_sass_symbol_of(p, name, length, &expr->symbol[t]);
    if (rc < 0) {
        return rc;
    }
    expr->sign[t] = (int8_t)sign;
    expr->srel[t] = smrf_sass_accept_word(p, "@srel");
    expr->terms++;
    return 0;
}

static int parse_sum_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr, int sign,
                      unsigned depth);

static int parse_term_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr, int sign,
                       unsigned depth)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    while (!smrf_sass_at_end(p) && (*p->at == '-' || *p->at == '+')) {
        sign = *p->at == '-' ? -sign : sign;
        p->at++;
        smrf_sass_skip_space(p);
    }
    if (smrf_sass_accept(p, '(')) {
        int rc = parse_sum_(p, expr, sign, depth + 1);
        if (rc < 0) {
            return rc;
        }
        if (!smrf_sass_accept(p, ')')) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "')' is missing before %s",
                                  smrf_sass_here(p, buffer));
        }
        return 0;
    }
    if (!smrf_sass_at_end(p) && *p->at >= '0' && *p->at <= '9') {
        uint64_t number;
        if (!smrf_sass_unsigned(p, &number)) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "bad number before %s",
                                  smrf_sass_here(p, buffer));
        }
        uint64_t sum = (uint64_t)expr->constant + (sign < 0 ? 0 - number : number);
        expr->constant = (int64_t)sum;
        return 0;
    }
    size_t length = smrf_sass_name_length(p);
    if (length == 0) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected a symbol or a number at %s",
                              smrf_sass_here(p, buffer));
    }
    const char *name = p->at;
    p->at += length;
    if (length == 1 && *name == '.') {
        if (expr->here > 8 || expr->here < -8) {
            return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "'.' too often in one expression");
        }
        expr->here = (int8_t)(expr->here + sign);
        return 0;
    }
    return add_symbol_(p, expr, name, length, sign);
}

static int parse_sum_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr, int sign,
                      unsigned depth)
{
    if (depth > MAX_DEPTH) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "parentheses nest deeper than %d",
                              MAX_DEPTH);
    }
    int rc = parse_term_(p, expr, sign, depth);
    while (rc >= 0) {
        smrf_sass_skip_space(p);
        if (smrf_sass_at_end(p) || (*p->at != '+' && *p->at != '-')) {
            return 0;
        }
        int next = *p->at == '-' ? -sign : sign;
        p->at++;
        rc = parse_term_(p, expr, next, depth);
    }
    return rc;
}

static bool word_is_(const char *word, size_t length, const char *is)
{
    return strlen(is) == length && memcmp(word, is, length) == 0;
}

/* 32@lo, 32@hi, 8@lo: the lowest or the highest bits of 64. 0xff00@field: the bits of a mask. */
static bool bits_operator_(const char *of, size_t of_length, const char *what, size_t length,
                           struct smrf_sass_expr *expr)
{
    struct smrf_sass_parser number = {.at = of, .end = of + of_length};
    uint64_t value;
    if (!smrf_sass_unsigned(&number, &value) || !smrf_sass_at_end(&number) || value == 0) {
        return false;
    }
    if (word_is_(what, length, "field")) {
        for (; (value & 1) == 0; value >>= 1) {
            expr->shift++;
        }
        expr->mask = value;
        return true;
    }
    bool high = word_is_(what, length, "hi");
    if ((!high && !word_is_(what, length, "lo")) || value > 32) {
        return false;
    }
    expr->shift = high ? (uint8_t)(64 - value) : 0;
    expr->mask = (UINT64_C(1) << value) - 1;
    return true;
}

/* fun@R_CUDA_G64, fun@fdesc: the address itself. */
static bool fun_operator_(const char *type, size_t length, struct smrf_sass_expr *expr)
{
    if (length >= 19 && memcmp(type, "R_CUDA_UNUSED_CLEAR", 19) == 0) {
        expr->form = SASS_CLEARED;
    } else if (!word_is_(type, length, "fdesc") &&
               (length < 7 || memcmp(type, "R_CUDA_", 7) != 0)) {
        return false;
    }
    return true;
}

/* One operator before '('; 1 = there was one, 0 = there is none. */
static int parse_operator_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr)
{
    const char *start = p->at;
    size_t length = smrf_sass_name_length(p);
    if (length == 0 || (size_t)(p->end - start) <= length || start[length] != '@') {
        return 0;
    }
    p->at += length + 1;
    const char *type = p->at;
    size_t type_length = smrf_sass_name_length(p);
    p->at += type_length;
    if (word_is_(type, type_length, "srel")) { /* x@srel: a term, not an operator */
        p->at = start;
        return 0;
    }
    bool known = true;
    if (type_length == 0 && word_is_(start, length, "index")) {
        expr->form = SASS_INDEX;
    } else if (type_length == 0 && word_is_(start, length, "str_index")) {
        expr->form = SASS_STR_INDEX;
    } else if (word_is_(start, length, "fun")) {
        known = fun_operator_(type, type_length, expr);
    } else {
        known = expr->mask == 0 && bits_operator_(start, length, type, type_length, expr);
    }
    if (!known) {
        return smrf_sass_fail(p, SMRF_ERR_UNKNOWN, p->line,
                              "unknown relocation operator '%.*s@%.*s'",
                              (int)(length < 40 ? length : 40), start,
                              (int)(type_length < 40 ? type_length : 40), type);
    }
    return 1;
}

static int parse_quoted_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr)
{
    const char *start = ++p->at;
    const char *stop = memchr(start, '"', (size_t)(p->end - start));
    if (!stop) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "the closing '\"' is missing");
    }
    uint32_t string;
    int rc = smrf_sass_string_of(p, start, (size_t)(stop - start), &string);
    p->at = stop + 1;
    expr->constant = string;
    return rc;
}

static int parse_from_(struct smrf_sass_parser *p, struct smrf_sass_expr *expr, unsigned depth)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    int found = depth > 4 ? 0 : parse_operator_(p, expr);
    if (found <= 0) {
        return found < 0 ? found : parse_sum_(p, expr, 1, 0);
    }
    if (!smrf_sass_accept(p, '(')) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "'(' expected at %s",
                              smrf_sass_here(p, buffer));
    }
    smrf_sass_skip_space(p);
    bool quoted = expr->form == SASS_STR_INDEX && smrf_sass_starts(p, "\"");
    int rc = quoted ? parse_quoted_(p, expr) : parse_from_(p, expr, depth + 1);
    if (rc < 0) {
        return rc;
    }
    if (!smrf_sass_accept(p, ')')) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "')' is missing before %s",
                              smrf_sass_here(p, buffer));
    }
    return 0;
}

int smrf_sass_parse_expr(struct smrf_sass_parser *p, struct smrf_sass_expr *expr)
{
    *expr = (struct smrf_sass_expr){0};
    return parse_from_(p, expr, 0);
}

static int value_of_(struct smrf_sass_parser *p, const struct smrf_sass_expr *expr, unsigned t,
                     uint32_t line, uint64_t *value)
{
    const struct smrf_sass_label *symbol = &p->symbols[expr->symbol[t]];
    /* The driver's own: sizes of the entries of its tables of textures and surfaces. */
    if (strncmp(symbol->name, ".nv.unified.", strlen(".nv.unified.")) == 0) {
        *value = 0;
        return 0;
    }
    if (symbol->section == SMRF_SASS_NO_INDEX && symbol->function == SMRF_SASS_NO_INDEX &&
        !(symbol->shared && p->relocatable)) {
        return smrf_sass_fail(
            p, SMRF_ERR_UNKNOWN, line,
            "symbol '%.120s' is defined nowhere in the text: give the whole output of "
            "nvdisasm, of a linked cubin",
            symbol->name);
    }
    *value = expr->srel[t] ? symbol->offset : symbol->value;
    return 0;
}

int smrf_sass_eval(struct smrf_sass_parser *p, const struct smrf_sass_expr *expr, uint32_t line,
                   uint64_t here, int64_t *value)
{
    uint64_t sum = (uint64_t)expr->constant;
    if (expr->form == SASS_CLEARED) {
        *value = 0;
        return 0;
    }
    if (expr->form == SASS_INDEX || expr->form == SASS_STR_INDEX) {
        *value = expr->form == SASS_STR_INDEX ? expr->constant + 1
                 : expr->terms                ? (int64_t)expr->symbol[0] + 1
                                              : 0;
        return 0;
    }
    for (unsigned t = 0; t < expr->terms; t++) {
        uint64_t of_symbol = 0;
        int rc = value_of_(p, expr, t, line, &of_symbol);
        if (rc < 0) {
            return rc;
        }
        sum += expr->sign[t] < 0 ? 0 - of_symbol : of_symbol;
    }
    sum += (uint64_t)(int64_t)expr->here * here;
    if (expr->mask) {
        sum = sum >> expr->shift & expr->mask;
    }
    *value = (int64_t)sum;
    return 0;
}

int smrf_sass_add_fixup(struct smrf_sass_parser *p, const struct smrf_sass_fixup *fixup)
{
    if (!smrf_sass_grow((void **)&p->fixups, p->num_fixups, &p->cap_fixups, sizeof *p->fixups)) {
        return smrf_sass_nomem(p);
    }
    p->fixups[p->num_fixups++] = *fixup;
    return 0;
}
