/* SPDX-License-Identifier: Apache-2.0 */
#include "code_table.h"

#include <stdlib.h>

#define FIRST_BUCKETS 1024u
#define ARENA_BYTES ((size_t)64 * 1024)

struct smrf_code_arena {
    struct smrf_code_arena *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void *smrf_code_table_take(struct smrf_code_table *t, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    struct smrf_code_arena *a = t->arena;
    if (a == NULL || a->size - a->used < bytes) {
        size_t size = bytes > ARENA_BYTES ? bytes : ARENA_BYTES;
        a = malloc(sizeof *a + size);
        if (a == NULL) {
            return NULL;
        }
        *a = (struct smrf_code_arena){.next = t->arena, .size = size};
        t->arena = a;
        t->bytes += sizeof *a + size;
    }
    void *p = a->data + a->used;
    a->used += bytes;
    return p;
}

int smrf_code_table_init(struct smrf_code_table *t)
{
    *t = (struct smrf_code_table){0};
    t->bucket = calloc(FIRST_BUCKETS, sizeof(struct smrf_code *));
    t->bucket_mask = FIRST_BUCKETS - 1;
    return t->bucket != NULL ? 0 : -1;
}

void smrf_code_table_clear(struct smrf_code_table *t)
{
    while (t->arena != NULL) {
        struct smrf_code_arena *next = t->arena->next;
        free(t->arena);
        t->arena = next;
    }
    if (t->bucket != NULL) {
        memset(t->bucket, 0, (t->bucket_mask + (size_t)1) * sizeof t->bucket[0]);
    }
    t->count = 0;
    t->bytes = 0;
}

void smrf_code_table_destroy(struct smrf_code_table *t)
{
    smrf_code_table_clear(t);
    free(t->bucket);
    free(t->by_index);
    *t = (struct smrf_code_table){0};
}

static void link_(struct smrf_code_table *t, struct smrf_code *c)
{
    struct smrf_code **b = &t->bucket[smrf_code_bucket(t, c->inst.pc)];
    c->next = *b;
    *b = c;
}

static int grow_(struct smrf_code_table *t)
{
    if (t->count == t->by_index_room) {
        uint32_t room = t->by_index_room == 0 ? 1024 : 2 * t->by_index_room;
        struct smrf_code **p = realloc(t->by_index, room * sizeof(struct smrf_code *));
        if (p == NULL) {
            return -1;
        }
        t->by_index = p;
        t->by_index_room = room;
    }
    if (t->count <= t->bucket_mask) {
        return 0;
    }
    size_t buckets = 4 * (t->bucket_mask + (size_t)1);
    struct smrf_code **b = calloc(buckets, sizeof(struct smrf_code *));
    if (b == NULL) {
        return -1;
    }
    free(t->bucket);
    t->bucket = b;
    t->bucket_mask = (uint32_t)(buckets - 1);
    for (uint32_t i = 0; i < t->count; i++) {
        link_(t, t->by_index[i]);
    }
    return 0;
}

struct smrf_code *smrf_code_table_add(struct smrf_code_table *t, uint32_t pc, const char *line,
                                      size_t head, size_t bytes, const char *opcode)
{
    if (t->count >= SMRF_CODE_LIMIT || grow_(t) != 0) {
        return NULL;
    }
    size_t name_bytes = strlen(opcode) + 1;
    struct smrf_code *c = smrf_code_table_take(t, sizeof *c + bytes + SMRF_TEXT_PAD + name_bytes);
    if (c == NULL) {
        return NULL;
    }
    memset(c, 0, sizeof *c);
    char *copy = (char *)(c + 1);
    memcpy(copy, line, bytes);
    memset(copy + bytes, 0, SMRF_TEXT_PAD);
    char *name = copy + bytes + SMRF_TEXT_PAD;
    memcpy(name, opcode, name_bytes);
    c->whole = copy;
    c->text = copy + head;
    c->head_bytes = (uint32_t)head;
    c->inst.pc = pc;
    c->inst.index = t->count;
    c->inst.text = name;
    t->by_index[t->count++] = c;
    link_(t, c);
    return c;
}
