/* SPDX-License-Identifier: Apache-2.0 */
/* Text from files and names, made fit for a terminal, JSON and CSV: a byte that is no UTF-8 is
 * written as \xHH, everywhere the same. */
#ifndef SMRF_ESCAPE_H
#define SMRF_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write control characters (those of UTF-8's second block too) and bytes that are no UTF-8 as \xHH,
 * in place; what then no longer fits is cut off. lines: line breaks stay. */
void smrf_escape(char *text, size_t size, bool lines);
/* A copy of text[0, bytes) that is UTF-8: bytes that are none, and NULs, as \xHH. To be freed;
 * NULL: no memory. */
char *smrf_utf8(const char *text, size_t bytes);
bool smrf_is_utf8(const char *text);

#ifdef __cplusplus
}
#endif

#endif
