/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a (compressed) text file, in a buffer that holds many complete lines at a time. While
 * one is taken line by line, another thread may prepare the next. */
#ifndef SMRF_TEXT_FILE_H
#define SMRF_TEXT_FILE_H

#include "byte_source.h"
#include "digest.h"
#include "trace.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The next buffer, ahead of time. Between beside.begin and beside.end it belongs to the thread that
 * works on it, and so does the source. Both threads only read the present buffer. */
struct smrf_text_next {
    struct smrf_trace_beside beside; /* no functions: none */
    bool due;                        /* the next fill takes it */
    bool under_way;                  /* it is under way: beside.end must be called before */
    bool hashes;                     /* the digest, too */
    char *buffer;
    size_t room, end;                   /* as the present one's; end of its incomplete last line */
    int64_t read;                       /* bytes behind that, 0 at the end of the file */
    struct smrf_trace_error_text error; /* or an error */
    struct smrf_digest digest;          /* with all of the present one up to its limit */
};

struct smrf_text {
    struct smrf_source *source;
    const char *path;  /* the caller's */
    char *buffer;      /* room + SMRF_TEXT_PAD bytes */
    size_t room, end;  /* bytes of buffer; filled */
    size_t pos, limit; /* next byte; end of the last complete line */
    size_t hashed;     /* bytes of the buffer already in the digest */
    uint64_t line;     /* number of the line at pos, from 1 */
    bool ended;
    bool unfinished;            /* the file's last line has no newline of its own */
    struct smrf_digest *digest; /* NULL = none */
    bool asked;                 /* the digest has been used since the last fill */
    unsigned fills;             /* up to a few */
    struct smrf_text_next next;
};

/* Open path; decoder: as smrf_source_open. Returns 0 or an error; smrf_text_close is due in both
 * cases. */
int smrf_text_open(struct smrf_text *t, const char *path, struct smrf_digest *digest,
                   struct smrf_source_decoder *decoder, struct smrf_trace_error_text *error);

/* Make a complete line available at pos, its newline included (added where the file's last line
 * lacks it). Returns 1, 0 at the end of the file, or an error. */
int smrf_text_fill(struct smrf_text *t, struct smrf_trace_error_text *error);

static inline int smrf_text_line(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    return t->pos < t->limit ? 1 : smrf_text_fill(t, error);
}

/* Step over the line at pos. */
void smrf_text_skip_line(struct smrf_text *t);
/* Step over blank lines. Returns as smrf_text_line. */
int smrf_text_skip_blank(struct smrf_text *t, struct smrf_trace_error_text *error);

/* At the end of a file that grows: the next call looks for more. Returns the bytes read so far. */
uint64_t smrf_text_resume(struct smrf_text *t);

/* Have the next buffers prepared beside; NULL: no longer, and on return nothing is under way. */
void smrf_text_beside(struct smrf_text *t, const struct smrf_trace_beside *beside);

/* Put what has been taken so far into the digest. */
void smrf_text_hash(struct smrf_text *t);
/* Hash, then close. */
void smrf_text_close(struct smrf_text *t);

#ifdef __cplusplus
}
#endif

#endif
