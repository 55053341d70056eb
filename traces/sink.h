/* SPDX-License-Identifier: Apache-2.0 */
/* An output file that is compressed on the way and gets its name only when complete. */
#ifndef SMRF_SINK_H
#define SMRF_SINK_H

#include "trace.h"
#include "trace_error.h"

#define SMRF_SINK_ROOM_MAX ((size_t)64 * 1024)

struct smrf_sink;

/* Start writing. bulk: much text that hardly shrinks (register values) comes, so compress it fast.
 * Returns 0 or an error; *sink is NULL on failure. */
int smrf_sink_open(struct smrf_sink **sink, const char *path,
                   enum smrf_trace_compression compression, bool bulk,
                   struct smrf_trace_error_text *error);
int smrf_sink_write(struct smrf_sink *s, const void *data, size_t bytes,
                    struct smrf_trace_error_text *error);
/* Where up to `bytes` (at most SMRF_SINK_ROOM_MAX) can be put, NULL on an error; smrf_sink_fill
 * says how many were. */
char *smrf_sink_room(struct smrf_sink *s, size_t bytes, struct smrf_trace_error_text *error);
void smrf_sink_fill(struct smrf_sink *s, size_t bytes);
/* Bytes written, before compression. */
uint64_t smrf_sink_offset(const struct smrf_sink *s);
/* Finish, close and rename; the caller syncs the folder. Frees the sink in every
 * case. */
int smrf_sink_commit(struct smrf_sink *s, struct smrf_trace_error_text *error);
/* Remove what has been written. NULL is allowed. */
void smrf_sink_abandon(struct smrf_sink *s);

#endif
