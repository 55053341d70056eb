/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over symbols, as in "(.L_7 - .L_6)", "32@lo((fn + .L_x_4@srel))" or
 * "fun@R_CUDA_G64((tab + 0x14))": read into a flat sum, given a value once everything is placed. */
#include "firmware/sass/internal.h"

#include <string.h>

#define MAX_DEPTH 16

static int add_symbol(struct sass_parser *p, struct sass_expr *expr, const char *name,
                      size_t length, int sign)
{
    if (expr->terms == SMRF_SASS_EXPR_TERMS)
        return sass_fail(p, SMRF_ERR_LIMIT, p->line, "more than %d symbols in one expression",
                         SMRF_SASS_EXPR_TERMS);
    unsigned t = expr->terms;
    int rc = sass_symbol_of(p, name, length, &expr->symbol[t]);
    if (rc < 0)
        return rc;
    expr->sign[t] = (int8_t)sign;
    expr->srel[t] = sass_accept_word(p, "@srel");
    expr->terms++;
    return 0;
}

static int parse_sum(struct sass_parser *p, struct sass_expr *expr, int sign, unsigned depth);

static int parse_term(struct sass_parser *p, struct sass_expr *expr, int sign, unsigned depth)
{
    char buffer[48];
    sass_skip_space(p);
    while (!sass_at_end(p) && (*p->at == '-' || *p->at == '+')) {
        sign = *p->at == '-' ? -sign : sign;
        p->at++;
        sass_skip_space(p);
    }
    if (sass_accept(p, '(')) {
        int rc = parse_sum(p, expr, sign, depth + 1);
        if (rc < 0)
            return rc;
        if (!sass_accept(p, ')'))
            return sass_fail(p, SMRF_ERR_FORMAT, p->line, "')' is missing before %s",
                             sass_here(p, buffer));
        return 0;
    }
    if (!sass_at_end(p) && *p->at >= '0' && *p->at <= '9') {
        uint64_t number;
        if (!sass_unsigned(p, &number))
            return sass_fail(p, SMRF_ERR_FORMAT, p->line, "bad number before %s",
                             sass_here(p, buffer));
        uint64_t sum = (uint64_t)expr->constant + (sign < 0 ? 0 - number : number);
        expr->constant = (int64_t)sum;
        return 0;
    }
    size_t length = sass_name_length(p);
    if (length == 0)
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected a symbol or a number at %s",
                         sass_here(p, buffer));
    const char *name = p->at;
    p->at += length;
    if (length == 1 && *name == '.') {
        if (expr->here > 8 || expr->here < -8)
            return sass_fail(p, SMRF_ERR_LIMIT, p->line, "'.' too often in one expression");
        expr->here = (int8_t)(expr->here + sign);
        return 0;
    }
    return add_symbol(p, expr, name, length, sign);
}

static int parse_sum(struct sass_parser *p, struct sass_expr *expr, int sign, unsigned depth)
{
    if (depth > MAX_DEPTH)
        return sass_fail(p, SMRF_ERR_LIMIT, p->line, "parentheses nest deeper than %d", MAX_DEPTH);
    int rc = parse_term(p, expr, sign, depth);
    while (rc >= 0) {
        sass_skip_space(p);
        if (sass_at_end(p) || (*p->at != '+' && *p->at != '-'))
            return 0;
        int next = *p->at == '-' ? -sign : sign;
        p->at++;
        rc = parse_term(p, expr, next, depth);
    }
    return rc;
}

static bool word_is(const char *word, size_t length, const char *is)
{
    return strlen(is) == length && memcmp(word, is, length) == 0;
}

/* 32@lo, 32@hi, 8@lo: the lowest or the highest bits of 64. 0xff00@field: the bits of a mask. */
static bool bits_operator(const char *of, size_t of_length, const char *what, size_t length,
                          struct sass_expr *expr)
{
    struct sass_parser number = {.at = of, .end = of + of_length};
    uint64_t value;
    if (!sass_unsigned(&number, &value) || !sass_at_end(&number) || value == 0)
        return false;
    if (word_is(what, length, "field")) {
        for (; (value & 1) == 0; value >>= 1)
            expr->shift++;
        expr->mask = value;
        return true;
    }
    bool high = word_is(what, length, "hi");
    if ((!high && !word_is(what, length, "lo")) || value > 32)
        return false;
    expr->shift = high ? (uint8_t)(64 - value) : 0;
    expr->mask = (UINT64_C(1) << value) - 1;
    return true;
}

/* fun@R_CUDA_G64, fun@fdesc: the address itself. */
static bool fun_operator(const char *type, size_t length, struct sass_expr *expr)
{
    if (length >= 19 && memcmp(type, "R_CUDA_UNUSED_CLEAR", 19) == 0)
        expr->form = SASS_CLEARED;
    else if (!word_is(type, length, "fdesc") && (length < 7 || memcmp(type, "R_CUDA_", 7) != 0))
        return false;
    return true;
}

/* One operator before '('; 1 = there was one, 0 = there is none. */
static int parse_operator(struct sass_parser *p, struct sass_expr *expr)
{
    const char *start = p->at;
    size_t length = sass_name_length(p);
    if (length == 0 || (size_t)(p->end - start) <= length || start[length] != '@')
        return 0;
    p->at += length + 1;
    const char *type = p->at;
    size_t type_length = sass_name_length(p);
    p->at += type_length;
    if (word_is(type, type_length, "srel")) { /* x@srel: a term, not an operator */
        p->at = start;
        return 0;
    }
    bool known = true;
    if (type_length == 0 && word_is(start, length, "index"))
        expr->form = SASS_INDEX;
    else if (type_length == 0 && word_is(start, length, "str_index"))
        expr->form = SASS_STR_INDEX;
    else if (word_is(start, length, "fun"))
        known = fun_operator(type, type_length, expr);
    else
        known = expr->mask == 0 && bits_operator(start, length, type, type_length, expr);
    if (!known)
        return sass_fail(p, SMRF_ERR_UNKNOWN, p->line, "unknown relocation operator '%.*s@%.*s'",
                         (int)(length < 40 ? length : 40), start,
                         (int)(type_length < 40 ? type_length : 40), type);
    return 1;
}

static int parse_quoted(struct sass_parser *p, struct sass_expr *expr)
{
    const char *start = ++p->at;
    const char *stop = memchr(start, '"', (size_t)(p->end - start));
    if (!stop)
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "the closing '\"' is missing");
    uint32_t string;
    int rc = sass_string_of(p, start, (size_t)(stop - start), &string);
    p->at = stop + 1;
    expr->constant = string;
    return rc;
}

static int parse_from(struct sass_parser *p, struct sass_expr *expr, unsigned depth)
{
    char buffer[48];
    sass_skip_space(p);
    int found = depth > 4 ? 0 : parse_operator(p, expr);
    if (found <= 0)
        return found < 0 ? found : parse_sum(p, expr, 1, 0);
    if (!sass_accept(p, '('))
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "'(' expected at %s", sass_here(p, buffer));
    sass_skip_space(p);
    bool quoted = expr->form == SASS_STR_INDEX && sass_starts(p, "\"");
    int rc = quoted ? parse_quoted(p, expr) : parse_from(p, expr, depth + 1);
    if (rc < 0)
        return rc;
    if (!sass_accept(p, ')'))
        return sass_fail(p, SMRF_ERR_FORMAT, p->line, "')' is missing before %s",
                         sass_here(p, buffer));
    return 0;
}

int sass_parse_expr(struct sass_parser *p, struct sass_expr *expr)
{
    *expr = (struct sass_expr){0};
    return parse_from(p, expr, 0);
}

static int value_of(struct sass_parser *p, const struct sass_expr *expr, unsigned t, uint32_t line,
                    uint64_t *value)
{
    const struct sass_symbol *symbol = &p->symbols[expr->symbol[t]];
    if (symbol->section == SMRF_SASS_NO_INDEX && symbol->function == SMRF_SASS_NO_INDEX &&
        !(symbol->shared && p->relocatable))
        return sass_fail(p, SMRF_ERR_UNKNOWN, line,
                         "symbol '%.120s' is defined nowhere in the text: give the whole output of "
                         "nvdisasm, of a linked cubin",
                         symbol->name);
    *value = expr->srel[t] ? symbol->offset : symbol->value;
    return 0;
}

int sass_eval(struct sass_parser *p, const struct sass_expr *expr, uint32_t line, uint64_t here,
              int64_t *value)
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
        int rc = value_of(p, expr, t, line, &of_symbol);
        if (rc < 0)
            return rc;
        sum += expr->sign[t] < 0 ? 0 - of_symbol : of_symbol;
    }
    sum += (uint64_t)(int64_t)expr->here * here;
    if (expr->mask)
        sum = sum >> expr->shift & expr->mask;
    *value = (int64_t)sum;
    return 0;
}

int sass_add_fixup(struct sass_parser *p, const struct sass_fixup *fixup)
{
    if (!sass_grow((void **)&p->fixups, p->num_fixups, &p->cap_fixups, sizeof *p->fixups))
        return sass_nomem(p);
    p->fixups[p->num_fixups++] = *fixup;
    return 0;
}
