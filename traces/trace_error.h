/* SPDX-License-Identifier: Apache-2.0 */
/* The text behind a negative return value, written where the error is met first. */
#ifndef SMRF_TRACE_ERROR_H
#define SMRF_TRACE_ERROR_H

#include "models/common/smrf_err.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_trace_error_text {
    int code;        /* 0 = no error yet */
    char text[1024]; /* cut off, never overrun, where a path is longer */
};

/* Record the first error and return its code; a later one is dropped (it is a consequence). */
int smrf_trace_fail(struct smrf_trace_error_text *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
