/* SPDX-License-Identifier: Apache-2.0 */
#include "models/cache/mshr.h"

#include "models/common/smrf_assert.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static bool too_many_(uint32_t entries, uint32_t merge)
{
    return entries > SMRF_MSHR_MAX_ENTRIES || merge > SMRF_MSHR_MAX_MERGE ||
           (uint64_t)entries * merge > SMRF_MSHR_MAX;
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
    return round_up_(entries * sizeof(struct smrf_mshr_entry)) +
           round_up_(entries * sizeof(uint16_t)) +
           round_up_((size_t)entries * far_(merge) * sizeof(uint32_t));
}

int smrf_mshr_init(struct smrf_mshr *m, void *storage, uint32_t entries, uint32_t merge)
{
    unsigned char *p = storage;

    if (entries == 0 || merge == 0) {
        return SMRF_ERR_INVAL;
    }
    if (too_many_(entries, merge)) {
        return SMRF_ERR_LIMIT;
    }
    *m = (struct smrf_mshr){.entries = entries, .merge = merge, .far = far_(merge)};
    m->entry = (struct smrf_mshr_entry *)(void *)p;
    p += round_up_(entries * sizeof(struct smrf_mshr_entry));
    m->free = (uint16_t *)(void *)p;
    p += round_up_(entries * sizeof(uint16_t));
    m->id = (uint32_t *)(void *)p;
    smrf_mshr_reset(m);
    return SMRF_OK;
}

void smrf_mshr_reset(struct smrf_mshr *m)
{
    for (uint32_t i = 0; i < m->entries; i++) {
        m->entry[i] = (struct smrf_mshr_entry){.next = SMRF_MSHR_NONE};
        m->free[i] = (uint16_t)(m->entries - 1 - i);
    }
    m->in_use = 0;
    m->ready_head = m->ready_tail = SMRF_MSHR_NONE;
}

bool smrf_mshr_merge(struct smrf_mshr *m, uint32_t entry, uint32_t id)
{
    struct smrf_mshr_entry *e = &m->entry[entry];

    SMRF_ASSERT(entry < m->entries);
    if (e->count == m->merge) {
        return false;
    }
    *smrf_mshr_id(m, entry, e->count++) = id;
    return true;
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
