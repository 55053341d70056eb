/* SPDX-License-Identifier: Apache-2.0 */
/* A hash index: finds the items of the caller's array by their hashes, in constant time. The array
 * stays the caller's; the index holds positions. Open addressing, at most half full. */
#ifndef SMRF_HASH_INDEX_H
#define SMRF_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_hash_slot {
    uint32_t hash, item; /* item: position + 1, 0 = free */
};

struct smrf_hash_index {
    struct smrf_hash_slot *slot;
    uint32_t size, used; /* size: a power of two, or 0 */
};

#define SMRF_HASH_NONE UINT32_MAX

uint32_t smrf_hash_text(const char *text, size_t length);

static inline uint32_t smrf_hash_number(uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Adds an item that is not there yet. False: out of memory, and nothing was added. */
bool smrf_hash_add(struct smrf_hash_index *x, uint32_t hash, uint32_t item);
/* Removes an item that is there, with the hash that it was added with. */
void smrf_hash_remove(struct smrf_hash_index *x, uint32_t hash, uint32_t item);
/* Forgets all items and keeps the memory. */
void smrf_hash_clear(struct smrf_hash_index *x);

static inline void smrf_hash_free(struct smrf_hash_index *x)
{
    free(x->slot);
    x->slot = NULL;
    x->size = x->used = 0;
}

/* The item with this hash for which `same` holds, or SMRF_HASH_NONE. */
static inline uint32_t smrf_hash_find(const struct smrf_hash_index *x, uint32_t hash,
                                      bool (*same)(const void *ctx, uint32_t item), const void *ctx)
{
    for (uint32_t at = hash & (x->size - 1); x->size != 0 && x->slot[at].item != 0;
         at = (at + 1) & (x->size - 1)) {
        if (x->slot[at].hash == hash && same(ctx, x->slot[at].item - 1)) {
            return x->slot[at].item - 1;
        }
    }
    return SMRF_HASH_NONE;
}

#ifdef __cplusplus
}
#endif

#endif
