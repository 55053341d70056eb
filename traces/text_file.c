/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "text_file.h"

#include "code_table.h"

#include <stdlib.h>

#define FIRST_ROOM ((size_t)256 * 1024) /* fits the second-level cache */
#define LINE_LIMIT ((size_t)16 * 1024 * 1024)

int smrf_text_open(struct smrf_text *t, const char *path, struct smrf_digest *digest,
                   struct smrf_trace_error_text *error)
{
    *t = (struct smrf_text){.path = path, .digest = digest, .line = 1, .room = FIRST_ROOM};
    t->buffer = malloc(t->room + SMRF_TEXT_PAD);
    if (t->buffer == NULL) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory to read it", path);
    }
    return smrf_source_open(&t->source, path, error);
}

void smrf_text_hash(struct smrf_text *t)
{
    if (t->digest != NULL && t->buffer != NULL) {
        smrf_digest_add(t->digest, t->buffer + t->hashed, t->pos - t->hashed);
    }
    t->hashed = t->pos;
}

static int make_room_(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    if (t->pos > 0) {
        smrf_text_hash(t);
        memmove(t->buffer, t->buffer + t->pos, t->end - t->pos);
        t->end -= t->pos;
        t->pos = t->limit = t->hashed = 0;
    }
    if (t->end < t->room) {
        return 0;
    }
    if (t->room >= LINE_LIMIT) {
        return smrf_trace_fail(error, SMRF_ERR_LIMIT,
                               "%s:%llu: a line of more than %zu bytes; is this a trace?", t->path,
                               (unsigned long long)t->line, LINE_LIMIT);
    }
    char *p = realloc(t->buffer, 2 * t->room + SMRF_TEXT_PAD);
    if (p == NULL) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory to read it", t->path);
    }
    t->buffer = p;
    t->room *= 2;
    return 0;
}

int smrf_text_fill(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    while (t->pos == t->limit) {
        if (t->ended) {
            return 0;
        }
        int rc = make_room_(t, error);
        if (rc != 0) {
            return rc;
        }
        int64_t n = smrf_source_read(t->source, t->buffer + t->end, t->room - t->end, error);
        if (n < 0) {
            return (int)n;
        }
        const char *newline = memrchr(t->buffer + t->end, '\n', (size_t)n);
        t->end += (size_t)n;
        if (newline != NULL) {
            t->limit = (size_t)(newline + 1 - t->buffer);
        }
        if (n == 0) {
            t->ended = true;
            if (t->end > t->pos) {
                t->buffer[t->end++] = '\n'; /* the pad leaves room for it */
            }
            t->limit = t->end;
        }
        memset(t->buffer + t->end, 0, SMRF_TEXT_PAD - (t->end > t->room ? 1 : 0));
    }
    return 1;
}

void smrf_text_skip_line(struct smrf_text *t)
{
    const char *newline = memchr(t->buffer + t->pos, '\n', t->limit - t->pos);
    t->pos = (size_t)(newline + 1 - t->buffer);
    t->line++;
}

int smrf_text_skip_blank(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    for (;;) {
        int rc = smrf_text_line(t, error);
        if (rc <= 0) {
            return rc;
        }
        const char *p = t->buffer + t->pos;
        while (*p == ' ' || *p == '\t' || *p == '\r') {
            p++;
        }
        if (*p != '\n') {
            return 1;
        }
        t->pos = (size_t)(p + 1 - t->buffer);
        t->line++;
    }
}

void smrf_text_close(struct smrf_text *t)
{
    smrf_text_hash(t);
    smrf_source_close(t->source);
    free(t->buffer);
    *t = (struct smrf_text){0};
}
