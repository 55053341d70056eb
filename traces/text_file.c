/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "text_file.h"

#include "code_table.h"

#include <stdlib.h>

#define FIRST_ROOM ((size_t)256 * 1024) /* fits the second-level cache */
#define LINE_LIMIT ((size_t)16 * 1024 * 1024)

int smrf_text_open(struct smrf_text *t, const char *path, struct smrf_digest *digest,
                   struct smrf_source_decoder *decoder, struct smrf_trace_error_text *error)
{
    *t = (struct smrf_text){.path = path, .digest = digest, .line = 1, .room = FIRST_ROOM};
    t->buffer = malloc(t->room + SMRF_TEXT_PAD);
    if (t->buffer == NULL) {
        return smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory to read it", path);
    }
    return smrf_source_open(&t->source, path, decoder, error);
}

static void hash_(struct smrf_text *t)
{
    if (t->digest != NULL && t->buffer != NULL) {
        smrf_digest_add(t->digest, t->buffer + t->hashed, t->pos - t->hashed);
    }
    t->hashed = t->pos;
}

void smrf_text_hash(struct smrf_text *t)
{
    hash_(t);
    t->asked = true;
}

static int make_room_(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    if (t->pos > 0) {
        hash_(t);
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

static int64_t read_(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    const int rc = make_room_(t, error);
    return rc != 0 ? rc : smrf_source_read(t->source, t->buffer + t->end, t->room - t->end, error);
}

/* ---- the next buffer ------------------------------------------------------------------------ */

/* What the next fill does, as far as it is known by now: all of the present buffer up to limit will
 * have been taken. */
static void prepare_(void *ctx)
{
    const struct smrf_text *t = ctx;
    struct smrf_text_next *next = &((struct smrf_text *)ctx)->next;
    next->end = t->end - t->limit;
    memcpy(next->buffer, t->buffer + t->limit, next->end);
    next->read =
        smrf_source_read(t->source, next->buffer + next->end, next->room - next->end, &next->error);
    if (next->hashes) {
        smrf_digest_add(&next->digest, t->buffer, t->limit);
    }
}

/* Of a file that is smaller, another thread is hardly awake when it has been read. */
#define FILLS_ALONE 2

static void begin_next_(struct smrf_text *t)
{
    struct smrf_text_next *next = &t->next;
    const bool asked = t->asked;
    t->asked = false;
    if (t->fills < FILLS_ALONE) {
        t->fills++;
        return;
    }
    if (next->beside.begin == NULL || next->due || t->ended) {
        return;
    }
    if (next->room != t->room) {
        free(next->buffer);
        next->buffer = malloc(t->room + SMRF_TEXT_PAD);
        next->room = next->buffer != NULL ? t->room : 0;
    }
    if (next->buffer == NULL) {
        return; /* costs time, nothing else */
    }
    /* Where small blocks are read ahead, what there is to hash is hashed with each of them. */
    next->hashes = t->digest != NULL && !asked;
    if (next->hashes) {
        next->digest = *t->digest; /* of nothing of the present buffer yet */
    }
    next->due = next->under_way = true;
    next->beside.begin(next->beside.ctx, prepare_, t);
}

static void end_next_(struct smrf_text *t)
{
    if (t->next.under_way) {
        t->next.under_way = false;
        t->next.beside.end(t->next.beside.ctx);
    }
}

/* As read_(). */
static int64_t take_next_(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    struct smrf_text_next *next = &t->next;
    char *const taken = t->buffer;
    end_next_(t);
    next->due = false;
    if (next->hashes) {
        *t->digest = next->digest;
    } else {
        hash_(t);
    }
    t->buffer = next->buffer;
    next->buffer = taken;
    t->end = next->end;
    t->pos = t->limit = t->hashed = 0;
    if (next->read < 0) {
        *error = next->error;
    }
    return next->read;
}

void smrf_text_beside(struct smrf_text *t, const struct smrf_trace_beside *beside)
{
    end_next_(t);
    t->next.beside = beside != NULL ? *beside : (struct smrf_trace_beside){0};
}

/* ---- lines ---------------------------------------------------------------------------------- */

int smrf_text_fill(struct smrf_text *t, struct smrf_trace_error_text *error)
{
    while (t->pos == t->limit) {
        if (t->ended) {
            return 0;
        }
        int64_t n = t->next.due ? take_next_(t, error) : read_(t, error);
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
            t->unfinished = t->end > t->pos;
            if (t->unfinished) {
                t->buffer[t->end++] = '\n'; /* the pad leaves room for it */
            }
            t->limit = t->end;
        }
        memset(t->buffer + t->end, 0, SMRF_TEXT_PAD - (t->end > t->room ? 1 : 0));
    }
    begin_next_(t);
    return 1;
}

uint64_t smrf_text_resume(struct smrf_text *t)
{
    t->ended = t->unfinished = false;
    return smrf_source_bytes(t->source);
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
    end_next_(t);
    hash_(t);
    smrf_source_close(t->source);
    free(t->buffer);
    free(t->next.buffer);
    *t = (struct smrf_text){0};
}
