/* SPDX-License-Identifier: Apache-2.0 */
/* Static bits by instruction: a table hashed by PC, opcode and registers, so that two functions
 * whose PCs coincide stay apart. */
#include "bits.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    char *key; /* NULL = free */
    uint32_t hash, near_src, near_dst;
};

struct smrf_reuse_bits {
    struct entry *entry; /* [room], open addressing */
    uint32_t num, room;
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

static uint32_t hash_(const char *key)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *key; key++) {
        hash = (hash ^ (uint8_t)*key) * 16777619u;
    }
    return hash;
}

int smrf_reuse_bits_create(struct smrf_reuse_bits **bits)
{
    *bits = calloc(1, sizeof **bits);
    return *bits ? SMRF_OK : SMRF_ERR_NOMEM;
}

void smrf_reuse_bits_clear(struct smrf_reuse_bits *bits)
{
    for (uint32_t i = 0; i < bits->room; i++) {
        free(bits->entry[i].key);
        bits->entry[i].key = NULL;
    }
    bits->num = 0;
}

void smrf_reuse_bits_free(struct smrf_reuse_bits *bits)
{
    if (bits) {
        smrf_reuse_bits_clear(bits);
        free(bits->entry);
        free(bits);
    }
}

static struct entry *slot_(struct entry *table, uint32_t room, const char *key, uint32_t hash)
{
    uint32_t at = hash & (room - 1);
    while (table[at].key && (table[at].hash != hash || strcmp(table[at].key, key) != 0)) {
        at = (at + 1) & (room - 1);
    }
    return &table[at];
}

static int grow_(struct smrf_reuse_bits *bits)
{
    uint32_t room = bits->room ? 2 * bits->room : 512;
    struct entry *table = calloc(room, sizeof *table);
    if (!table) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < bits->room; i++) {
        const struct entry *e = &bits->entry[i];
        if (e->key) {
            *slot_(table, room, e->key, e->hash) = *e;
        }
    }
    free(bits->entry);
    bits->entry = table;
    bits->room = room;
    return SMRF_OK;
}

int smrf_reuse_bits_add_key(struct smrf_reuse_bits *bits, const char *key, uint32_t near_src,
                            uint32_t near_dst)
{
    if (2 * bits->num >= bits->room && grow_(bits)) {
        return SMRF_ERR_NOMEM;
    }
    uint32_t hash = hash_(key);
    struct entry *e = slot_(bits->entry, bits->room, key, hash);
    if (!e->key) {
        size_t size = strlen(key) + 1;
        char *copy = malloc(size);
        if (!copy) {
            return SMRF_ERR_NOMEM;
        }
        memcpy(copy, key, size);
        e->key = copy;
        e->hash = hash;
        bits->num++;
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
    const struct entry *e = slot_(bits->entry, bits->room, key, hash_(key));
    if (!e->key) {
        return false;
    }
    *near_src = e->near_src;
    *near_dst = e->near_dst;
    return true;
}
