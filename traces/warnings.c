/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "warnings.h"

#include "traces/files/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void smrf_warn(struct smrf_warnings *w, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    smrf_escape(text, sizeof text, false);
    size_t key = strcspn(text, ":");
    for (size_t i = 0; i < w->count; i++) {
        if (strncmp(w->text[i], text, key) == 0 && w->text[i][key] == text[key]) {
            return;
        }
    }
    if (w->count < SMRF_WARNINGS_MAX && (w->text[w->count] = strdup(text)) != NULL) {
        w->count++;
    }
}

void smrf_warnings_free(struct smrf_warnings *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->text[i]);
    }
    w->count = 0;
}
