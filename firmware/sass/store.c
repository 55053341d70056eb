/* SPDX-License-Identifier: Apache-2.0 */
/* What a module owns: chunks of memory that are freed together. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (size_t)(256 * 1024)

struct smrf_sass_chunk {
    struct smrf_sass_chunk *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void *smrf_sass_alloc(struct smrf_sass_store *store, size_t size)
{
    struct smrf_sass_chunk *chunk = store->chunk;
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + 15) & ~(size_t)15;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        struct smrf_sass_chunk *fresh = calloc(1, sizeof *fresh + room);
        if (!fresh) {
            return NULL;
        }
        fresh->size = room;
        fresh->next = chunk;
        store->chunk = chunk = fresh;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += size;
    return block;
}

char *smrf_sass_copy(struct smrf_sass_store *store, const char *text, size_t length)
{
    char *copy = smrf_sass_alloc(store, length + 1);
    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}

void smrf_sass_release(struct smrf_sass_store *store)
{
    struct smrf_sass_module *module = &store->module;
    while (store->chunk) {
        struct smrf_sass_chunk *next = store->chunk->next;
        free(store->chunk);
        store->chunk = next;
    }
    for (uint32_t i = 0; i < store->num_bytes; i++) {
        free(store->bytes[i]);
    }
    free(store->bytes);
    free(module->inst);
    free(module->function);
    free(module->symbol);
    free(module->data);
    free(module->call);
    free(module->jump);
    free(store->slot);
    smrf_hash_free(&store->symbol_names);
    smrf_hash_free(&store->function_names);
    free(store);
}

bool smrf_sass_grow(void **array, uint32_t count, uint32_t *capacity, size_t item)
{
    if (count < *capacity) {
        return true;
    }
    uint32_t larger = *capacity ? *capacity * 2 : 64;
    if (larger <= *capacity || larger > SIZE_MAX / item) {
        return false;
    }
    void *grown = realloc(*array, larger * item);
    if (!grown) {
        return false;
    }
    *array = grown;
    *capacity = larger;
    return true;
}
