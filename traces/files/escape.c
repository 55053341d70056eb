/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at p, 1 to 4; 0: there is none. The text ends in a NUL, which
 * continues no character. Overlong forms and surrogates are no characters (RFC 3629). */
static size_t character_(const unsigned char *p)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        unsigned char bytes;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*p < forms[i].first || *p > forms[i].last) {
            continue;
        }
        bool whole = forms[i].bytes == 1 || (p[1] >= forms[i].low && p[1] <= forms[i].high);
        for (size_t k = 2; whole && k < forms[i].bytes; k++) {
            whole = p[k] >= 0x80 && p[k] <= 0xbf;
        }
        return whole ? forms[i].bytes : 0;
    }
    return 0;
}

static bool is_control_(const unsigned char *p, bool lines)
{
    return (*p < 0x20 && !(lines && *p == '\n')) || *p == 0x7f ||
           (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);
}

static char *put_(char *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    *out++ = '\\';
    *out++ = 'x';
    *out++ = digits[byte >> 4];
    *out++ = digits[byte & 15];
    return out;
}

void smrf_escape(char *text, size_t size, bool lines)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)text + i;
        size_t bytes = character_(p);
        if (bytes != 0 && !is_control_(p, lines)) {
            i += bytes;
            continue;
        }
        for (bytes = bytes != 0 ? bytes : 1; bytes > 0; bytes--) {
            if (length + 4 > size) {
                text[i] = '\0';
                return;
            }
            const unsigned char byte = (unsigned char)text[i];
            memmove(text + i + 4, text + i + 1, length - i);
            (void)put_(text + i, byte);
            length += 3;
            i += 4;
        }
    }
}

char *smrf_utf8(const char *text, size_t bytes)
{
    char *copy = malloc(4 * bytes + 1), *out = copy;
    char *source = malloc(bytes + 1); /* `text` need not end in a NUL */
    if (copy == NULL || source == NULL) {
        free(copy);
        free(source);
        return NULL;
    }
    memcpy(source, text, bytes);
    source[bytes] = '\0';
    for (size_t i = 0; i < bytes;) {
        const size_t n = source[i] != '\0' ? character_((unsigned char *)source + i) : 0;
        if (n == 0) {
            out = put_(out, (unsigned char)source[i++]);
        }
        for (size_t k = 0; k < n; k++) {
            *out++ = source[i++];
        }
    }
    *out = '\0';
    free(source);
    return copy;
}

bool smrf_is_utf8(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        const size_t n = *p < 0x80 ? 1 : character_(p); /* most are of ASCII */
        if (n == 0) {
            return false;
        }
        p += n;
    }
    return true;
}
