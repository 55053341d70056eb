/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_text.h"

#include <math.h>
#include <string.h>

void smrf_csv_text(FILE *out, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n") != NULL;
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputs(quoted ? "\"" : "", out);
}

void smrf_csv_number(FILE *out, double value)
{
    if (!isnan(value)) {
        fprintf(out, "%.9g", value);
    }
}
