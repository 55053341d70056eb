/* SPDX-License-Identifier: Apache-2.0 */
/* Static bits by instruction, found by PC, opcode and registers, so that two functions
 * whose PCs coincide stay apart. */
#include "bits.h"

#include "traces/files/hash_index.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    uint32_t near_src, near_dst;
};

struct smrf_reuse_bits {
    struct entry *entry; /* [room] */
    uint32_t num, room;
    struct smrf_hash_index keys;
};

void smrf_reuse_key(char key[SMRF_REUSE_KEY], const struct smrf_static_inst *op)
{
    int used = snprintf(key, SMRF_REUSE_KEY, "%04x %.80s", op->pc, op->text);
    for (unsigned i = 0; i < op->num_dst; i++) {
        used += snprintf(key + used, (size_t)(SMRF_REUSE_KEY - used), " R%u", op->dst[i]);
    }
    used += snprintf(key + used, (size_t)(SMRF_REUSE_KEY - used), " :");
    for (unsigned i = 0; i < op->num_src; i++) {
        used += snprintf(key + used, (size_t)(SMRF_REUSE_KEY - used), " R%u", op->src[i]);
    }
}

int smrf_reuse_bits_create(struct smrf_reuse_bits **bits)
{
    *bits = calloc(1, sizeof **bits);
    return *bits ? SMRF_OK : SMRF_ERR_NOMEM;
}

void smrf_reuse_bits_clear(struct smrf_reuse_bits *bits)
{
    for (uint32_t i = 0; i < bits->num; i++) {
        free(bits->entry[i].key);
    }
    bits->num = 0;
    smrf_hash_clear(&bits->keys);
}

void smrf_reuse_bits_free(struct smrf_reuse_bits *bits)
{
    if (bits) {
        smrf_reuse_bits_clear(bits);
        smrf_hash_free(&bits->keys);
        free(bits->entry);
        free(bits);
    }
}

/* A key that is looked up. */
struct wanted {
    const struct smrf_reuse_bits *bits;
    const char *key;
};

static bool is_key_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return strcmp(w->bits->entry[item].key, w->key) == 0;
}

static struct entry *find_(const struct smrf_reuse_bits *bits, const char *key)
{
    const struct wanted wanted = {bits, key};
    const uint32_t at =
        smrf_hash_find(&bits->keys, smrf_hash_text(key, strlen(key)), is_key_, &wanted);
    return at == SMRF_HASH_NONE ? NULL : &bits->entry[at];
}

static struct entry *append_(struct smrf_reuse_bits *bits, const char *key)
{
    if (bits->num == bits->room) {
        const uint32_t room = bits->room ? 2 * bits->room : 256;
        struct entry *grown = realloc(bits->entry, room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        bits->entry = grown;
        bits->room = room;
    }
    const size_t length = strlen(key);
    char *copy = malloc(length + 1);
    if (!copy || !smrf_hash_add(&bits->keys, smrf_hash_text(key, length), bits->num)) {
        free(copy);
        return NULL;
    }
    memcpy(copy, key, length + 1);
    bits->entry[bits->num] = (struct entry){.key = copy};
    return &bits->entry[bits->num++];
}

int smrf_reuse_bits_add_key(struct smrf_reuse_bits *bits, const char *key, uint32_t near_src,
                            uint32_t near_dst)
{
    struct entry *e = find_(bits, key);
    e = e ? e : append_(bits, key);
    if (!e) {
        return SMRF_ERR_NOMEM;
    }
    e->near_src = near_src;
    e->near_dst = near_dst;
    return SMRF_OK;
}

int smrf_reuse_bits_add(struct smrf_reuse_bits *bits, const struct smrf_static_inst *op,
                        uint32_t near_src, uint32_t near_dst)
{
    char key[SMRF_REUSE_KEY];
    smrf_reuse_key(key, op);
    return smrf_reuse_bits_add_key(bits, key, near_src, near_dst);
}

int smrf_reuse_bits_add_profile(struct smrf_reuse_bits *bits, const struct smrf_reuse_profile *p)
{
    int err = SMRF_OK;
    for (uint32_t i = 0; !err && i < p->num; i++) {
        uint32_t near_src, near_dst;
        if (p->counts[i].runs) {
            smrf_reuse_majority(&p->counts[i], &near_src, &near_dst);
            err = smrf_reuse_bits_add(bits, p->counts[i].op, near_src, near_dst);
        }
    }
    return err;
}

bool smrf_reuse_bits_find(const struct smrf_reuse_bits *bits, const struct smrf_static_inst *op,
                          uint32_t *near_src, uint32_t *near_dst)
{
    char key[SMRF_REUSE_KEY];
    *near_src = *near_dst = 0;
    if (!bits->num) {
        return false;
    }
    smrf_reuse_key(key, op);
    const struct entry *e = find_(bits, key);
    if (!e) {
        return false;
    }
    *near_src = e->near_src;
    *near_dst = e->near_dst;
    return true;
}
