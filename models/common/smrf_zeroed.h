/* SPDX-License-Identifier: Apache-2.0 */
/* Zeroed, 64-byte aligned memory for whoever owns the cores' states (engines and modules; cores
 * allocate nothing). Large blocks come as untouched pages, so what a run never uses costs nothing. */
#ifndef SMRF_ZEROED_H
#define SMRF_ZEROED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define SMRF_ZEROED_ALIGN ((size_t)64)

/* NULL if out of memory. Give back with smrf_zeroed_free. */
static inline void *smrf_zeroed(size_t bytes)
{
    char *raw = (char *)calloc(1, bytes + sizeof(void *) + SMRF_ZEROED_ALIGN);
    if (!raw) {
        return NULL;
    }
    /* In front of the aligned address stands the one that free() wants. */
    uintptr_t at = (uintptr_t)raw + sizeof(void *) + SMRF_ZEROED_ALIGN - 1;
    char *p = raw + (at / SMRF_ZEROED_ALIGN * SMRF_ZEROED_ALIGN - (uintptr_t)raw);
    ((void **)(void *)p)[-1] = raw;
    return p;
}

static inline void smrf_zeroed_free(void *p)
{
    if (p) {
        free(((void **)p)[-1]);
    }
}

#endif
