/* SPDX-License-Identifier: Apache-2.0 */
/* Zeroed memory for what many cores use all the time: one block behind the other on huge pages,
 * where the system has them, so that a GPU's SMs need few entries of a translation buffer and are
 * not brought in page by page. What lies here should be used; large tables that few runs touch:
 * smrf_zeroed. In C: define _DEFAULT_SOURCE before the first header. */
#ifndef SMRF_SLAB_H
#define SMRF_SLAB_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SMRF_SLAB_BYTES ((size_t)2 * 1024 * 1024) /* of a huge page */
#define SMRF_SLAB_ALIGN ((size_t)64)

struct smrf_slab_part {
    struct smrf_slab_part *before;
    size_t bytes;
};

/* Zero: nothing taken. */
struct smrf_slab {
    struct smrf_slab_part *last;
    char *at; /* free, zeroed */
    size_t left;
};

/* Whole huge pages, zeroed. */
static inline struct smrf_slab_part *smrf_slab_pages(size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t all = bytes + SMRF_SLAB_BYTES;
    char *raw = (char *)mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == (char *)MAP_FAILED) {
        return NULL;
    }
    const size_t before = SMRF_SLAB_BYTES - (uintptr_t)raw % SMRF_SLAB_BYTES;
    (void)munmap(raw, before);
    if (before < SMRF_SLAB_BYTES) {
        (void)munmap(raw + before + bytes, SMRF_SLAB_BYTES - before);
    }
    (void)madvise(raw + before, bytes, MADV_HUGEPAGE);
    return (struct smrf_slab_part *)(void *)(raw + before);
#else
    return (struct smrf_slab_part *)calloc(1, bytes);
#endif
}

/* 64-byte aligned; NULL if out of memory. Given back with the slab. */
static inline void *smrf_slab_take(struct smrf_slab *s, size_t bytes)
{
    const size_t head = SMRF_SLAB_ALIGN;
    bytes = (bytes + SMRF_SLAB_ALIGN - 1) / SMRF_SLAB_ALIGN * SMRF_SLAB_ALIGN;
    if (s->left < bytes) {
        const size_t pages = (bytes + head + SMRF_SLAB_BYTES - 1) / SMRF_SLAB_BYTES;
        struct smrf_slab_part *part = smrf_slab_pages(pages * SMRF_SLAB_BYTES);
        if (!part) {
            return NULL;
        }
        part->before = s->last;
        part->bytes = pages * SMRF_SLAB_BYTES;
        s->last = part;
        s->at = (char *)part + head;
        s->left = part->bytes - head;
    }
    char *p = s->at;
    s->at += bytes;
    s->left -= bytes;
    return p;
}

static inline void smrf_slab_free(struct smrf_slab *s)
{
    while (s->last) {
        struct smrf_slab_part *part = s->last;
        s->last = part->before;
#ifdef MADV_HUGEPAGE
        (void)munmap(part, part->bytes);
#else
        free(part);
#endif
    }
    s->at = NULL;
    s->left = 0;
}

#endif
