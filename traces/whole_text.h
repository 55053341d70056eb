/* SPDX-License-Identifier: Apache-2.0 */
/* A whole text at once, plain or compressed: from a file, or from bytes in memory. */
#ifndef SMRF_WHOLE_TEXT_H
#define SMRF_WHOLE_TEXT_H

#include "trace_error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* most: bytes that the decompressed text may have. *text ends with NUL and is to be freed; NULL on
 * failure. Returns 0, or SMRF_ERR_LIMIT, SMRF_ERR_NOMEM, or what byte_source.h returns. */
int smrf_whole_text_of_file(const char *path, uint64_t most, char **text, size_t *size,
                            struct smrf_trace_error_text *error);

/* name: stands for the path in errors. */
int smrf_whole_text_of_bytes(const char *name, const void *bytes, size_t count, uint64_t most,
                             char **text, size_t *size, struct smrf_trace_error_text *error);

#ifdef __cplusplus
}
#endif

#endif
