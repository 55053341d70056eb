/* SPDX-License-Identifier: Apache-2.0 */
/* The border that no exception crosses: exceptions (SystemC reports, broken model rules, lack of
 * memory) become error codes and a text. */
#ifndef SMRF_GUARD_H
#define SMRF_GUARD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns call(arg), or SMRF_ERR_CHECK or SMRF_ERR_NOMEM with text if it threw. */
int smrf_guard(int (*call)(void *arg), void *arg, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
