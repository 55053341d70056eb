/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_index.h"

#include <string.h>
#include <xxhash.h>

uint32_t smrf_hash_text(const char *text, size_t length)
{
    return (uint32_t)XXH3_64bits(text, length);
}

static void put_(struct smrf_hash_slot *slots, uint32_t size, struct smrf_hash_slot slot)
{
    uint32_t at = slot.hash & (size - 1);
    while (slots[at].item != 0) {
        at = (at + 1) & (size - 1);
    }
    slots[at] = slot;
}

static bool grow_(struct smrf_hash_index *x)
{
    const uint32_t size = x->size != 0 ? x->size * 2 : 256;
    struct smrf_hash_slot *slots = size != 0 ? calloc(size, sizeof *slots) : NULL;
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < x->size; i++) {
        if (x->slot[i].item != 0) {
            put_(slots, size, x->slot[i]);
        }
    }
    free(x->slot);
    x->slot = slots;
    x->size = size;
    return true;
}

bool smrf_hash_add(struct smrf_hash_index *x, uint32_t hash, uint32_t item)
{
    if (x->used >= x->size / 2 && !grow_(x)) {
        return false;
    }
    put_(x->slot, x->size, (struct smrf_hash_slot){hash, item + 1});
    x->used++;
    return true;
}

/* The slots behind the removed one, up to a free one, may be where they are because it was taken:
 * each is put in again. */
void smrf_hash_remove(struct smrf_hash_index *x, uint32_t hash, uint32_t item)
{
    const uint32_t mask = x->size - 1;
    uint32_t at = hash & mask;
    while (x->slot[at].item != item + 1) {
        at = (at + 1) & mask;
    }
    x->slot[at].item = 0;
    x->used--;
    for (at = (at + 1) & mask; x->slot[at].item != 0; at = (at + 1) & mask) {
        const struct smrf_hash_slot moved = x->slot[at];
        x->slot[at].item = 0;
        put_(x->slot, x->size, moved);
    }
}

void smrf_hash_clear(struct smrf_hash_index *x)
{
    if (x->size != 0) {
        memset(x->slot, 0, x->size * sizeof *x->slot);
    }
    x->used = 0;
}
