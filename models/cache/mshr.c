/* SPDX-License-Identifier: Apache-2.0 */
#include "models/cache/mshr.h"

#include "models/common/smrf_assert.h"

#include <string.h>

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint32_t bucket_bits_(uint32_t entries)
{
    uint32_t bits = 1;

    while ((UINT32_C(1) << bits) < entries) {
        bits++;
    }
    return bits;
}

static bool too_many_(uint32_t entries, uint32_t merge)
{
    return merge > SMRF_MSHR_MAX_MERGE || (uint64_t)entries * merge > SMRF_MSHR_MAX;
}

static uint32_t far_(uint32_t merge)
{
    return merge > SMRF_MSHR_NEAR ? merge - SMRF_MSHR_NEAR : 0;
}

size_t smrf_mshr_bytes(uint32_t entries, uint32_t merge)
{
    if (entries == 0 || merge == 0 || too_many_(entries, merge)) {
        return 0;
    }
    return round_up_(sizeof(uint32_t) << bucket_bits_(entries)) +
           round_up_(entries * sizeof(struct smrf_mshr_entry)) +
           round_up_((size_t)entries * far_(merge) * sizeof(uint32_t));
}

int smrf_mshr_init(struct smrf_mshr *m, void *storage, uint32_t entries, uint32_t merge)
{
    unsigned char *p = storage;
    uint32_t bits;

    if (entries == 0 || merge == 0) {
        return SMRF_ERR_INVAL;
    }
    if (too_many_(entries, merge)) {
        return SMRF_ERR_LIMIT;
    }
    bits = bucket_bits_(entries);
    *m = (struct smrf_mshr){.entries = entries,
                            .merge = merge,
                            .far = far_(merge),
                            .hash_shift = 64 - bits,
                            .bucket_mask = (UINT32_C(1) << bits) - 1};
    m->bucket = (uint32_t *)(void *)p;
    p += round_up_(sizeof(uint32_t) << bits);
    m->entry = (struct smrf_mshr_entry *)(void *)p;
    p += round_up_(entries * sizeof(struct smrf_mshr_entry));
    m->id = (uint32_t *)(void *)p;
    smrf_mshr_reset(m);
    return SMRF_OK;
}

void smrf_mshr_reset(struct smrf_mshr *m)
{
    memset(m->bucket, 0xff, ((size_t)m->bucket_mask + 1) * sizeof(*m->bucket));
    for (uint32_t i = 0; i < m->entries; i++) {
        m->entry[i] = (struct smrf_mshr_entry){.next = i + 1 < m->entries ? i + 1 : SMRF_MSHR_NONE};
    }
    m->free = 0;
    m->added = 0;
    m->in_use = 0;
    m->ready_head = m->ready_tail = SMRF_MSHR_NONE;
}

static uint32_t *bucket_(const struct smrf_mshr *m, uint64_t sector)
{
    return &m->bucket[(sector * UINT64_C(0x9E3779B97F4A7C15)) >> m->hash_shift];
}

enum smrf_mshr_state smrf_mshr_add(struct smrf_mshr *m, uint64_t address, uint32_t id)
{
    const uint64_t sector = address / SMRF_SECTOR_BYTES;
    uint32_t *bucket = bucket_(m, sector), i = *bucket;
    struct smrf_mshr_entry *e;

    while (i != SMRF_MSHR_NONE && m->entry[i].sector != sector) {
        i = m->entry[i].next;
    }
    if (i != SMRF_MSHR_NONE) {
        e = &m->entry[i];
        if (e->count == m->merge) {
            return SMRF_MSHR_MERGE_FULL;
        }
        *smrf_mshr_id(m, i, e->count++) = id;
        m->added = i;
        return SMRF_MSHR_MERGE;
    }
    if (m->in_use == m->entries) {
        return SMRF_MSHR_ENTRIES_FULL;
    }
    i = m->free;
    SMRF_ASSERT(i != SMRF_MSHR_NONE);
    e = &m->entry[i];
    m->free = e->next;
    if (m->free != SMRF_MSHR_NONE) {
        smrf_prefetch(&m->entry[m->free]);
    }
    m->in_use++;
    e->sector = sector;
    e->next = *bucket;
    e->count = 1;
    e->take = 0;
    e->id[0] = id;
    *bucket = i;
    m->added = i;
    return SMRF_MSHR_NEW;
}

void smrf_mshr_approach(const struct smrf_mshr *m, uint64_t address)
{
    smrf_prefetch(bucket_(m, address / SMRF_SECTOR_BYTES));
}

void smrf_mshr_expect(const struct smrf_mshr *m, uint64_t address)
{
    const uint32_t i = *bucket_(m, address / SMRF_SECTOR_BYTES);

    if (i != SMRF_MSHR_NONE) {
        smrf_prefetch(&m->entry[i]);
    }
}

/* Entry *link leaves its bucket, and is the last of those that are ready. */
static uint32_t ready_(struct smrf_mshr *m, uint32_t *link)
{
    const uint32_t i = *link;

    *link = m->entry[i].next;
    m->entry[i].next = SMRF_MSHR_NONE;
    if (m->ready_head == SMRF_MSHR_NONE) {
        m->ready_head = i;
    } else {
        m->entry[m->ready_tail].next = i;
    }
    m->ready_tail = i;
    return m->entry[i].count;
}

uint32_t smrf_mshr_ready(struct smrf_mshr *m, uint64_t address)
{
    const uint64_t sector = address / SMRF_SECTOR_BYTES;
    uint32_t *link = bucket_(m, sector);

    while (*link != SMRF_MSHR_NONE && m->entry[*link].sector != sector) {
        link = &m->entry[*link].next;
    }
    return *link == SMRF_MSHR_NONE ? 0 : ready_(m, link);
}

uint32_t smrf_mshr_ready_entry(struct smrf_mshr *m, uint64_t address, uint32_t entry)
{
    uint32_t *link = bucket_(m, address / SMRF_SECTOR_BYTES);

    while (*link != entry) {
        SMRF_ASSERT(*link != SMRF_MSHR_NONE);
        link = &m->entry[*link].next;
    }
    return ready_(m, link);
}

bool smrf_mshr_peek(const struct smrf_mshr *m, uint32_t *id)
{
    uint32_t i = m->ready_head;

    if (i == SMRF_MSHR_NONE) {
        return false;
    }
    *id = *smrf_mshr_id(m, i, m->entry[i].take);
    return true;
}

uint32_t smrf_mshr_take(struct smrf_mshr *m)
{
    uint32_t i = m->ready_head;
    struct smrf_mshr_entry *e;
    uint32_t id;

    SMRF_ASSERT(i != SMRF_MSHR_NONE);
    e = &m->entry[i];
    id = *smrf_mshr_id(m, i, e->take++);
    if (e->take == e->count) {
        m->ready_head = e->next;
        e->next = m->free;
        m->free = i;
        m->in_use--;
    }
    return id;
}
