/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_error.h"

#include "traces/files/escape.h"

#include <stdarg.h>
#include <stdio.h>

int smrf_trace_fail(struct smrf_trace_error_text *e, int code, const char *format, ...)
{
    if (e->code != 0) {
        return e->code;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    smrf_escape(e->text, sizeof e->text, false);
    e->code = code;
    return code;
}
