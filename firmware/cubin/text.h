/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/cubin: a text that grows. */
#ifndef SMRF_CUBIN_TEXT_H
#define SMRF_CUBIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct smrf_text {
    char *bytes; /* of malloc, 0 at its end */
    size_t length, room;
    bool failed; /* no memory: what is added is dropped */
};

void smrf_text_add(struct smrf_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void smrf_text_free(struct smrf_text *text);

#endif
