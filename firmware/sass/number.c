/* SPDX-License-Identifier: Apache-2.0 */
/* Immediates as printed: 0x1f, -0x5, 1.5, 1.84467440737095516160e+19, +INF, -QNAN. */
#include "firmware/sass/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 120 /* characters */

static bool special_(struct smrf_sass_parser *p, double *value)
{
    static const struct {
        const char *word;
        bool nan;
    } words[] = {{"INF", false}, {"QNAN", true}, {"SNAN", true}, {"NAN", true}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (smrf_sass_accept_word(p, words[i].word)) {
            *value = words[i].nan ? (double)NAN : (double)INFINITY;
            return true;
        }
    }
    return false;
}

static bool decimal_(struct smrf_sass_parser *p, double *value)
{
    char copy[MAX_NUMBER + 1];
    size_t n = 0;
    bool any = false;
    while (p->at + n < p->end && n < MAX_NUMBER) {
        char c = p->at[n];
        bool sign = (c == '+' || c == '-') && n && (copy[n - 1] == 'e' || copy[n - 1] == 'E');
        bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && c != '.' && c != 'e' && c != 'E' && !sign) {
            break;
        }
        any |= is_digit;
        copy[n++] = c;
    }
    copy[n] = 0;
    char *stop;
    *value = strtod(copy, &stop);
    if (!any || n == MAX_NUMBER || stop != copy + n) {
        return false;
    }
    p->at += n;
    return true;
}

int smrf_sass_parse_number(struct smrf_sass_parser *p, struct smrf_sass_operand *operand)
{
    char buffer[48];
    const char *start = p->at;
    bool negative = false;
    if (!smrf_sass_at_end(p) && (*p->at == '-' || *p->at == '+')) {
        negative = *p->at++ == '-';
    }
    double value = 0;
    if (smrf_sass_starts(p, "0x") || smrf_sass_starts(p, "0X")) {
        uint64_t bits;
        if (smrf_sass_unsigned(p, &bits) && (!negative || bits <= (uint64_t)INT64_MAX)) {
            operand->kind = SMRF_SASS_INT;
            operand->imm = negative ? -(int64_t)bits : (int64_t)bits;
            return 0;
        }
    } else if (special_(p, &value) || decimal_(p, &value)) {
        operand->kind = SMRF_SASS_FLOAT;
        operand->number = negative ? -value : value;
        return 0;
    }
    p->at = start;
    return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "bad number at %s",
                          smrf_sass_here(p, buffer));
}
