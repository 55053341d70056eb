/* SPDX-License-Identifier: Apache-2.0 */
/* A file, or bytes in memory, read front to back as plain bytes: xz, gzip and zstd are recognised
 * by their first bytes, never by the name, and decompressed in process; concatenated streams and
 * frames are one file. */
#ifndef SMRF_BYTE_SOURCE_H
#define SMRF_BYTE_SOURCE_H

#include "trace_error.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_source; /* open */

/* A decoder that sources use one after the other; to make one takes as long as to decode a short
 * file. Zero: none yet. */
struct smrf_source_decoder {
    void *zstd;
};

void smrf_source_decoder_free(struct smrf_source_decoder *d);

/* Open path. decoder: outlives the source, which has it until it is closed; NULL: its own. *source
 * is NULL on failure. Returns 0 or SMRF_ERR_{IO,NOMEM}. */
int smrf_source_open(struct smrf_source **source, const char *path,
                     struct smrf_source_decoder *decoder, struct smrf_trace_error_text *error);

/* Open count bytes in memory, which stay the caller's until the source is closed. name: stands for
 * the path in errors. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_source_open_bytes(struct smrf_source **source, const char *name, const void *bytes,
                           size_t count, struct smrf_trace_error_text *error);

/* Read up to size bytes of content. Returns their number (0 only at the end) or an error:
 * SMRF_ERR_IO, or SMRF_ERR_CORRUPT where the compressed data end early or do not decode. */
int64_t smrf_source_read(struct smrf_source *source, void *buffer, size_t size,
                         struct smrf_trace_error_text *error);

/* Bytes taken from the file so far. */
uint64_t smrf_source_bytes(const struct smrf_source *source);

/* Bytes that the decoder itself occupies (its dictionary), as known so far. */
size_t smrf_source_memory(const struct smrf_source *source);

void smrf_source_close(struct smrf_source *source);

#ifdef __cplusplus
}
#endif

#endif
