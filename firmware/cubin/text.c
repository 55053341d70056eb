/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cubin/text.h"

#include "firmware/cubin/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int smrf_code_fail(char error[SMRF_SASS_ERROR_BYTES], int code, const char *name,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    smrf_sass_error_at(error, name, 0, format, args);
    va_end(args);
    return code;
}

static bool make_room_(struct smrf_text *text, size_t more)
{
    size_t room = text->room ? text->room : 4096;
    while (room - text->length <= more) {
        room *= 2;
    }
    if (room != text->room) {
        char *bytes = realloc(text->bytes, room);
        if (!bytes) {
            text->failed = true;
            return false;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return true;
}

void smrf_text_add(struct smrf_text *text, const char *format, ...)
{
    va_list args, again;
    if (text->failed || !make_room_(text, 256)) {
        return;
    }
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(text->bytes + text->length, 256, format, args);
    if (length >= 256 && make_room_(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(args);
    if (!text->failed && length > 0) {
        text->length += (size_t)length;
    }
}

void smrf_text_free(struct smrf_text *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}
