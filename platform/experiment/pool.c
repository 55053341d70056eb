/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pool.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct smrf_pool_piece {
    struct smrf_pool_piece *before;
    max_align_t content[];
};

void *smrf_pool_take(struct smrf_pool *pool, size_t bytes)
{
    struct smrf_pool_piece *piece = calloc(1, sizeof *piece + bytes);
    if (!piece) {
        fputs("smrf: out of memory; what has been run is in the store\n", stderr);
        exit(EXIT_FAILURE);
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->content;
}

char *smrf_pool_text(struct smrf_pool *pool, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = smrf_pool_take(pool, (size_t)(length < 0 ? 0 : length) + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

const char *smrf_pool_quoted(struct smrf_pool *pool, const char *word)
{
    char *quoted = smrf_pool_take(pool, 4 * strlen(word) + 3), *to = quoted;
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *word;
        }
    }
    *to = '\'';
    return quoted;
}

void *smrf_pool_grow(struct smrf_pool *pool, void *list, size_t count, size_t element)
{
    bool power = (count & (count - 1)) == 0; /* full: rooms are powers of two, from 1 */
    if (!power) {
        return list;
    }
    void *larger = smrf_pool_take(pool, (count ? 2 * count : 1) * element);
    if (count) {
        memcpy(larger, list, count * element);
    }
    return larger;
}

void smrf_pool_free(struct smrf_pool *pool)
{
    while (pool->last) {
        struct smrf_pool_piece *piece = pool->last;
        pool->last = piece->before;
        free(piece);
    }
}
