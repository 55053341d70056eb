/* SPDX-License-Identifier: Apache-2.0 */
/* Zeroed, 64-byte aligned memory for the owners of the cores' states (engines and modules; cores
 * allocate nothing). Large blocks are untouched pages from the system, if it has mmap (in C: define
 * _DEFAULT_SOURCE before the first header). So memory that a run never uses costs nothing. */
#ifndef SMRF_ZEROED_H
#define SMRF_ZEROED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SMRF_ZEROED_ALIGN ((size_t)64)
#define SMRF_ZEROED_PAGES ((size_t)16 * 1024) /* smallest block of pages of its own */
#define SMRF_ZEROED_PAGE ((size_t)4096)

/* Where in its first page a block of pages begins: what the cores use most stands at their
 * beginning, and would share the few lines of a cache that all pages' beginnings go to. Of the
 * address, so that blocks that follow each other begin far apart. */
static inline size_t smrf_zeroed_colour(const void *raw)
{
    const uint32_t page = (uint32_t)((uintptr_t)raw / SMRF_ZEROED_PAGE);
    const size_t lines = SMRF_ZEROED_PAGE / SMRF_ZEROED_ALIGN;
    return (page * UINT32_C(2654435769) >> 16) % lines * SMRF_ZEROED_ALIGN;
}

/* In front of the aligned address: what to give back. */
struct smrf_zeroed_head {
    void *raw;
    size_t mapped; /* bytes; 0: from calloc */
};

/* NULL if out of memory. Give back with smrf_zeroed_free. */
static inline void *smrf_zeroed(size_t bytes)
{
    const size_t all = bytes + sizeof(struct smrf_zeroed_head) + SMRF_ZEROED_ALIGN;
    struct smrf_zeroed_head head = {NULL, 0};
    size_t colour = 0;
#ifdef MAP_ANONYMOUS
    if (all >= SMRF_ZEROED_PAGES) {
        head.mapped = all + SMRF_ZEROED_PAGE;
        head.raw =
            mmap(NULL, head.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (head.raw == MAP_FAILED) {
            return NULL;
        }
        colour = smrf_zeroed_colour(head.raw);
    }
#endif
    if (!head.mapped) {
        head.raw = calloc(1, all);
    }
    if (!head.raw) {
        return NULL;
    }
    uintptr_t at = (uintptr_t)head.raw + colour + sizeof head + SMRF_ZEROED_ALIGN - 1;
    char *p = (char *)head.raw + (at / SMRF_ZEROED_ALIGN * SMRF_ZEROED_ALIGN - (uintptr_t)head.raw);
    ((struct smrf_zeroed_head *)(void *)p)[-1] = head;
    return p;
}

static inline void smrf_zeroed_free(void *p)
{
    if (p) {
        const struct smrf_zeroed_head head = ((struct smrf_zeroed_head *)p)[-1];
        if (head.mapped) {
            (void)munmap(head.raw, head.mapped);
        } else {
            free(head.raw);
        }
    }
}

#endif
