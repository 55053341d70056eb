/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "suggest.h"

#include "platform/config/internal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool contains_(const char *text, const char *name)
{
    return *name && strcasestr(text, name) != NULL;
}

static const char *nearest_(const char *name, const char *(*at)(size_t), unsigned edits)
{
    const char *best = NULL, *next;
    for (size_t i = 0; (next = at(i)) != NULL; i++) {
        const unsigned distance = smrf_edit_distance(name, next);
        if (distance < edits) {
            edits = distance;
            best = next;
        }
    }
    return best;
}

/* "; did you mean a, b or c": all that contain `name`. Returns the length of the text. */
static size_t list_(const char *name, const char *(*at)(size_t), char *text, size_t size)
{
    const char *next;
    size_t count = 0, shown = 0, length = 0;
    for (size_t i = 0; (next = at(i)) != NULL; i++) {
        count += contains_(next, name);
    }
    for (size_t i = 0; (next = at(i)) != NULL && length < size; i++) {
        if (contains_(next, name)) {
            const char *between = shown == 0           ? "; did you mean "
                                  : shown + 1 == count ? " or "
                                                       : ", ";
            length += (size_t)snprintf(text + length, size - length, "%s%s", between, next);
            shown++;
        }
    }
    return length;
}

void smrf_suggest(const char *name, const char *(*at)(size_t index), unsigned edits, char *text,
                  size_t size)
{
    *text = 0;
    size_t length = list_(name, at, text, size);
    const char *near = length ? NULL : nearest_(name, at, edits);
    if (near) {
        length = (size_t)snprintf(text, size, "; did you mean %s", near);
    }
    char begin[64];
    snprintf(begin, sizeof begin, "%s", name);
    for (size_t cut = strlen(begin), least = cut - cut / 4; !length && cut > least; cut--) {
        begin[cut - 1] = 0;
        length = list_(begin, at, text, size);
    }
    if (length && length + 1 < size) {
        strcat(text, "?");
    }
}
