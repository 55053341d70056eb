/* SPDX-License-Identifier: Apache-2.0 */
/* What may have been meant by a name that is not there. */
#ifndef SMRF_CONFIG_SUGGEST_H
#define SMRF_CONFIG_SUGGEST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the names at(0), at(1), .. until NULL: all that contain `name` in any case of letters, else
 * the one that is nearest, with fewer than `edits` edits, else all that contain its first three
 * quarters or more. text: "; did you mean a, b or c?", or "" where none is near; at most size
 * bytes with terminator. */
void smrf_suggest(const char *name, const char *(*at)(size_t index), unsigned edits, char *text,
                  size_t size);

#ifdef __cplusplus
}
#endif

#endif
