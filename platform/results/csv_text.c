/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_text.h"

#include "traces/files/escape.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Would a spreadsheet evaluate it as a formula? A number with a sign is not one. */
static bool is_formula_(const char *text)
{
    char *end;
    if (*text == '\0' || !strchr("=+-@\t\r", *text)) {
        return false;
    }
    (void)strtod(text, &end);
    return end == text || *end != '\0';
}

void smrf_csv_text(FILE *out, const char *text)
{
    char *escaped = smrf_is_utf8(text) ? NULL : smrf_utf8(text, strlen(text));
    const char *at = escaped ? escaped : text;
    const bool formula = is_formula_(at), quoted = strpbrk(at, ",\"\r\n") != NULL;
    fputs(quoted ? "\"" : "", out);
    fputs(formula ? "'" : "", out);
    for (; *at; at++) {
        fputs(*at == '"' ? "\"" : "", out);
        fputc(*at, out);
    }
    fputs(quoted ? "\"" : "", out);
    free(escaped);
}

void smrf_csv_number(FILE *out, double value)
{
    if (!isnan(value)) {
        fprintf(out, "%.9g", value);
    }
}
