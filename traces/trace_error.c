/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_error.h"

#include "traces/files/escape.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

int smrf_trace_fail(struct smrf_trace_error_text *e, int code, const char *format, ...)
{
    int none = 0;
    /* Blocks are read from several threads. */
    if (!__atomic_compare_exchange_n(&e->code, &none, code, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        return none;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    smrf_escape(e->text, sizeof e->text, false);
    return code;
}
