/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct warnings, in order of appearance, each with the text of its first occasion. */
#ifndef SMRF_WARNINGS_H
#define SMRF_WARNINGS_H

#include <stddef.h>

#define SMRF_WARNINGS_MAX 256 /* distinct ones kept; more are dropped */

struct smrf_warnings {
    char *text[SMRF_WARNINGS_MAX];
    size_t count;
};

/* Add one unless a kept one starts with the same key (text up to the first ':'). */
void smrf_warn(struct smrf_warnings *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void smrf_warnings_free(struct smrf_warnings *w);

#endif
