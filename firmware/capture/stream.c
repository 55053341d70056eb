/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stream.h"

#include "models/common/smrf_err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void smrf_stream_init(struct smrf_stream *s, size_t budget)
{
    *s = (struct smrf_stream){.budget = budget, .fd = -1};
}

static void put_spare_(struct smrf_stream *s, uint8_t *chunk)
{
    if (chunk == NULL) {
        return;
    }
    memcpy(chunk, &s->spare, sizeof s->spare);
    s->spare = chunk;
}

static uint8_t *take_(struct smrf_stream *s)
{
    uint8_t *chunk = s->spare;
    if (chunk == NULL) {
        return malloc(SMRF_STREAM_CHUNK);
    }
    memcpy(&s->spare, chunk, sizeof s->spare);
    return chunk;
}

static void forget_(struct smrf_stream *s)
{
    for (uint32_t i = 0; i < s->num_warps; i++) {
        struct smrf_stream_warp *w = &s->warp[i];
        for (uint32_t k = 0; k < w->num; k++) {
            put_spare_(s, w->chunk[k].memory);
        }
        put_spare_(s, w->open);
        w->open = w->p = w->limit = NULL;
        w->num = 0;
        w->insts = 0;
        w->mask = 0;
    }
    s->resident = 0;
    s->slots = 0;
}

void smrf_stream_free(struct smrf_stream *s)
{
    forget_(s);
    while (s->spare != NULL) {
        free(take_(s));
    }
    for (uint32_t i = 0; i < s->warps_room; i++) {
        free(s->warp[i].chunk);
    }
    free(s->warp);
    if (s->fd >= 0) {
        (void)close(s->fd);
    }
    smrf_stream_init(s, s->budget);
}

int smrf_stream_begin(struct smrf_stream *s, uint32_t warps)
{
    forget_(s);
    if (warps > s->warps_room) {
        struct smrf_stream_warp *grown = realloc(s->warp, warps * sizeof *grown);
        if (grown == NULL) {
            return SMRF_ERR_NOMEM;
        }
        memset(grown + s->warps_room, 0, (warps - s->warps_room) * sizeof *grown);
        s->warp = grown;
        s->warps_room = warps;
    }
    s->num_warps = warps;
    return 0;
}

static int open_file_(struct smrf_stream *s)
{
    const char *dir = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/smrf-capture-XXXXXX",
                     dir != NULL && dir[0] != '\0' ? dir : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path) {
        return SMRF_ERR_IO;
    }
    s->fd = mkstemp(path);
    if (s->fd < 0) {
        return SMRF_ERR_IO;
    }
    (void)unlink(path);
    return 0;
}

static int transfer_(int fd, uint8_t *data, uint32_t slot, size_t bytes, bool out)
{
    off_t at = (off_t)slot * (off_t)SMRF_STREAM_CHUNK;
    while (bytes > 0) {
        ssize_t n = out ? pwrite(fd, data, bytes, at) : pread(fd, data, bytes, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return SMRF_ERR_IO;
        }
        data += n;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Put the full chunk where it waits: in memory, or in the file, and then fill it anew. */
static int retire_(struct smrf_stream *s, struct smrf_stream_warp *w)
{
    struct smrf_stream_chunk *c = &w->chunk[w->num];
    *c = (struct smrf_stream_chunk){.used = (uint32_t)(w->p - w->open)};
    if (s->resident + SMRF_STREAM_CHUNK <= s->budget) {
        s->resident += SMRF_STREAM_CHUNK;
        c->memory = w->open;
        w->open = NULL;
    } else {
        int rc = s->fd < 0 ? open_file_(s) : 0;
        if (rc == 0) {
            rc = transfer_(s->fd, w->open, s->slots, c->used, true);
        }
        if (rc != 0) {
            return rc;
        }
        c->slot = s->slots++;
        s->spilled_bytes += c->used;
    }
    w->num++;
    return 0;
}

static int new_chunk_(struct smrf_stream *s, struct smrf_stream_warp *w)
{
    if (w->open != NULL) {
        if (w->num == w->room) {
            uint32_t room = 2 * w->room + 8;
            struct smrf_stream_chunk *grown = realloc(w->chunk, room * sizeof *grown);
            if (grown == NULL) {
                return SMRF_ERR_NOMEM;
            }
            w->chunk = grown;
            w->room = room;
        }
        int rc = retire_(s, w);
        if (rc != 0) {
            return rc;
        }
    }
    if (w->open == NULL) {
        w->open = take_(s);
    }
    if (w->open == NULL) {
        return SMRF_ERR_NOMEM;
    }
    w->p = w->open;
    w->limit = w->open + SMRF_STREAM_CHUNK - SMRF_STREAM_RECORD_MAX;
    return 0;
}

int smrf_stream_reserve(struct smrf_stream *s, struct smrf_stream_warp *w)
{
    return w->open != NULL && w->p <= w->limit ? 0 : new_chunk_(s, w);
}

const uint8_t *smrf_stream_read(struct smrf_stream *s, const struct smrf_stream_warp *w, uint32_t i,
                                uint8_t *window, uint32_t *bytes)
{
    if (i == w->num) {
        *bytes = (uint32_t)(w->p - w->open);
        return w->open;
    }
    const struct smrf_stream_chunk *c = &w->chunk[i];
    *bytes = c->used;
    if (c->memory != NULL) {
        return c->memory;
    }
    return transfer_(s->fd, window, c->slot, c->used, false) == 0 ? window : NULL;
}

struct smrf_stream_block *smrf_stream_open(struct smrf_stream_block **all, uint64_t number,
                                           bool make)
{
    struct smrf_stream_block *spare = NULL, *b = *all;
    while (b != NULL && !(b->open && b->number == number)) {
        spare = b->open ? spare : b;
        b = b->next;
    }
    if (b != NULL || !make) {
        return b;
    }
    if (spare == NULL && (spare = calloc(1, sizeof *spare)) != NULL) {
        smrf_stream_init(&spare->stream, 0);
        spare->next = *all;
        *all = spare;
    }
    if (spare != NULL) {
        spare->number = number;
        spare->open = true;
    }
    return spare;
}

void smrf_stream_blocks_free(struct smrf_stream_block *all)
{
    while (all != NULL) {
        struct smrf_stream_block *next = all->next;
        smrf_stream_free(&all->stream);
        free(all);
        all = next;
    }
}
