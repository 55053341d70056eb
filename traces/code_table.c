/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "code_table.h"

#include "line_check.h"

#include "models/common/smrf_zeroed.h"

#include <stdlib.h>

#define FIRST_BUCKETS 1024u
#define ARENA_BYTES ((size_t)64 * 1024)
#define LINE_BYTES ((size_t)64) /* of a data cache: where what is replayed begins */

struct smrf_code_arena {
    struct smrf_code_arena *next;
    size_t used, size;
    _Alignas(LINE_BYTES) char data[];
};

/* `bytes` behind what is used of the first of the list's pieces, or in a new one. NULL: no
 * memory. */
static char *room_(struct smrf_code_table *t, struct smrf_code_arena **list, size_t bytes)
{
    struct smrf_code_arena *a = *list;
    if (a == NULL || a->size - a->used < bytes) {
        size_t size =
            bytes > ARENA_BYTES ? (bytes + LINE_BYTES - 1) & ~(LINE_BYTES - 1) : ARENA_BYTES;
        a = aligned_alloc(LINE_BYTES, sizeof *a + size);
        if (a == NULL) {
            return NULL;
        }
        *a = (struct smrf_code_arena){.next = *list, .size = size};
        *list = a;
        t->bytes += sizeof *a + size;
    }
    return a->data + a->used;
}

void *smrf_code_table_take(struct smrf_code_table *t, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    char *p = room_(t, &t->arena, bytes);
    if (p != NULL) {
        t->arena->used += bytes;
    }
    return p;
}

void *smrf_code_table_line(struct smrf_code_table *t, size_t bytes)
{
    if (t->arena != NULL) {
        const size_t used = (t->arena->used + LINE_BYTES - 1) & ~(LINE_BYTES - 1);
        t->arena->used = used < t->arena->size ? used : t->arena->size;
    }
    return smrf_code_table_take(t, bytes);
}

/* A line's copy, right behind the one before it if that piece has room for it. NULL: no memory. */
static const char *copy_line_(struct smrf_code_table *t, const char *line, size_t bytes)
{
    char *copy = room_(t, &t->lines, bytes + SMRF_TEXT_PAD);
    if (copy != NULL) {
        memcpy(copy, line, bytes);
        memset(copy + bytes, 0, SMRF_TEXT_PAD);
        t->lines->used += bytes;
    }
    return copy;
}

/* The lists by index have room for all instructions from the start. So one block's instructions can
 * be read while another block's are entered. Memory that is not touched costs nothing. */
static int make_lists_(struct smrf_code_table *t)
{
    t->by_index = smrf_zeroed(SMRF_CODE_LIMIT * sizeof(struct smrf_code *));
    t->ready = smrf_zeroed(SMRF_CODE_LIMIT * sizeof(struct smrf_inst *));
    return t->by_index != NULL && t->ready != NULL ? 0 : -1;
}

int smrf_code_table_init(struct smrf_code_table *t)
{
    *t = (struct smrf_code_table){0};
    t->bucket = calloc(FIRST_BUCKETS, sizeof(struct smrf_code *));
    t->bucket_mask = FIRST_BUCKETS - 1;
    return t->bucket != NULL ? make_lists_(t) : -1;
}

static void free_pieces_(struct smrf_code_arena **list)
{
    while (*list != NULL) {
        struct smrf_code_arena *next = (*list)->next;
        free(*list);
        *list = next;
    }
}

void smrf_code_table_clear(struct smrf_code_table *t)
{
    free_pieces_(&t->arena);
    free_pieces_(&t->lines);
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
    smrf_zeroed_free(t->by_index);
    smrf_zeroed_free(t->ready);
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
    struct smrf_code *c = smrf_code_table_line(t, sizeof *c + name_bytes);
    const char *copy = copy_line_(t, line, bytes);
    if (c == NULL || copy == NULL) {
        return NULL;
    }
    memset(c, 0, sizeof *c);
    char *name = (char *)(c + 1);
    memcpy(name, opcode, name_bytes);
    c->whole = copy;
    c->text = copy + head;
    c->lead = smrf_text_word(copy);
    c->head_bytes = (uint32_t)head;
    c->inst.pc = pc;
    c->inst.index = t->count;
    c->inst.text = name;
    if (t->count > 0 && t->ready[t->count - 1] != NULL) {
        t->ready[t->count - 1]->next_pc = pc;
    }
    t->ready[t->count] = NULL;
    t->by_index[t->count++] = c;
    link_(t, c);
    return c;
}

static void mark_(struct smrf_inst *inst, const struct smrf_code *c)
{
    inst->facts = c->inst.facts;
    inst->near_src = c->inst.near_src;
    inst->near_dst = c->inst.near_dst;
}

/* An execution of the entry that the next one may come after. */
static struct smrf_inst *ready_(struct smrf_code_table *t, const struct smrf_code *c)
{
    const size_t bytes = offsetof(struct smrf_inst, lane); /* it has no list */
    struct smrf_inst *inst = smrf_code_table_line(t, bytes);
    if (inst != NULL) {
        memset(inst, 0, bytes);
        inst->op = &c->inst;
        inst->imm = c->imm;
        inst->mask = inst->next_mask = c->mask;
        inst->line = c->line;
        inst->addr_kind = SMRF_ADDR_NONE;
        mark_(inst, c);
    }
    return inst;
}

void smrf_code_table_marked(struct smrf_code_table *t, const struct smrf_code *c)
{
    if (t->ready[c->inst.index] != NULL) {
        mark_(t->ready[c->inst.index], c);
    }
}

void smrf_code_table_join(struct smrf_code_table *t, struct smrf_code *c, bool apart)
{
    const uint32_t index = c->inst.index;
    const struct smrf_code *before = index > 0 ? t->by_index[index - 1] : NULL;
    if (apart) {
        c->run = NULL;
    } else if (before != NULL && before->run != NULL && before->mask == c->mask &&
               before->run->end == c->whole &&
               (!before->straight || smrf_check_pair(before, before->mask, c, c->mask))) {
        c->run = before->run;
    } else {
        c->run = smrf_code_table_take(t, sizeof *c->run);
    }
    if (c->run != NULL) {
        *c->run = (struct smrf_code_run){index, c->text + c->full_bytes};
    }
    c->reach_bytes = c->head_bytes + c->full_bytes;
    c->reach_lines = 1;
    t->ready[index] = ready_(t, c);
    if (index > 0 && t->ready[index - 1] != NULL) {
        t->ready[index - 1]->after = t->ready[index];
    }
    if (t->ready[index] != NULL && index + 1 < t->count) {
        t->ready[index]->after = t->ready[index + 1];
    }
}
