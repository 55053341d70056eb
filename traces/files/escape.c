/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"

#include <string.h>

static bool is_control_(const unsigned char *p, bool lines)
{
    return (*p < 0x20 && !(lines && *p == '\n')) || *p == 0x7f ||
           (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);
}

void smrf_escape(char *text, size_t size, bool lines)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(text);
    bool second = false; /* of two bytes that are one control character */
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool control = second || is_control_((const unsigned char *)text + i, lines);
        second = control && !second && c == 0xc2;
        if (!control) {
            continue;
        }
        if (length + 4 > size) {
            text[i] = '\0';
            return;
        }
        memmove(text + i + 4, text + i + 1, length - i);
        text[i] = '\\';
        text[i + 1] = 'x';
        text[i + 2] = digits[c >> 4];
        text[i + 3] = digits[c & 15];
        length += 3;
        i += 3;
    }
}
