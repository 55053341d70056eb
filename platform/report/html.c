/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

void smrf_html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* A number behind "%" with its form: "+.2f", ".1f". Returns what follows the form. */
static const char *number_(FILE *out, const char *form, double value)
{
    const int sign = *form == '+', digits = form[sign + 1] - '0';
    fprintf(out, sign ? "%+.*f" : "%.*f", digits, value);
    return form + sign + 3;
}

void smrf_html(FILE *out, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    while (*form) {
        const size_t plain = strcspn(form, "%");
        fwrite(form, 1, plain, out);
        form += plain;
        if (!*form) {
            break;
        }
        switch (*++form) {
        case 's':
            smrf_html_text(out, va_arg(args, const char *));
            form++;
            break;
        case 'r':
            fputs(va_arg(args, const char *), out);
            form++;
            break;
        case 'z':
            fprintf(out, "%zu", va_arg(args, size_t));
            form++;
            break;
        case '+':
        case '.':
            form = number_(out, form, va_arg(args, double));
            break;
        default:
            fputc('%', out);
            form++;
        }
    }
    va_end(args);
}
