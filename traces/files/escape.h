/* SPDX-License-Identifier: Apache-2.0 */
/* Text from files and names, made fit for a terminal. */
#ifndef SMRF_ESCAPE_H
#define SMRF_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write control characters (those of UTF-8's second block too) as \xHH, in place; what then no
 * longer fits is cut off. lines: line breaks stay. */
void smrf_escape(char *text, size_t size, bool lines);

#ifdef __cplusplus
}
#endif

#endif
