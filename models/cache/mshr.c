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

size_t smrf_mshr_bytes(uint32_t entries, uint32_t merge)
{
    if (entries == 0 || merge == 0 || too_many_(entries, merge)) {
        return 0;
    }
    return round_up_(entries * sizeof(struct smrf_mshr_ready)) +
           round_up_(entries * sizeof(uint16_t)) +
           round_up_(((size_t)entries + 1) * merge * sizeof(uint32_t));
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
    *m = (struct smrf_mshr){.entries = entries, .merge = merge};
    m->ready = (struct smrf_mshr_ready *)(void *)p;
    p += round_up_(entries * sizeof(struct smrf_mshr_ready));
    m->free = (uint16_t *)(void *)p;
    p += round_up_(entries * sizeof(uint16_t));
    m->other = (uint32_t *)(void *)p;
    smrf_mshr_reset(m);
    return SMRF_OK;
}

void smrf_mshr_reset(struct smrf_mshr *m)
{
    m->in_use = m->head = m->sectors = m->taken = 0;
    m->frees = m->fresh = 0;
}

static inline uint32_t *others_(const struct smrf_mshr *m, uint16_t record)
{
    return &m->other[(size_t)record * m->merge];
}

static uint16_t take_record_(struct smrf_mshr *m)
{
    if (m->frees > 0) {
        return m->free[--m->frees];
    }
    SMRF_ASSERT(m->fresh < m->entries);
    return (uint16_t)++m->fresh;
}

bool smrf_mshr_merge(struct smrf_mshr *m, uint16_t *merged, uint32_t id)
{
    uint32_t *other;

    if (m->merge == 1) {
        return false;
    }
    if (*merged == SMRF_MSHR_ALONE) {
        *merged = take_record_(m);
        *others_(m, *merged) = 0;
    }
    other = others_(m, *merged);
    if (*other + 1 == m->merge) {
        return false;
    }
    other[++*other] = id;
    return true;
}

/* The first n of a record are no longer among the others. */
static void drop_(uint32_t *other, uint32_t n)
{
    *other -= n;
    for (uint32_t i = 1; i <= *other; i++) {
        other[i] = other[i + n];
    }
}

uint32_t smrf_mshr_promote(struct smrf_mshr *m, uint16_t *merged)
{
    uint32_t *other = others_(m, *merged);
    const uint32_t id = other[1];

    SMRF_ASSERT(*other > 0);
    drop_(other, 1);
    if (*other == 0) {
        m->free[m->frees++] = *merged;
        *merged = SMRF_MSHR_ALONE;
    }
    return id;
}

uint32_t smrf_mshr_find(const struct smrf_mshr *m, uint64_t first, uint32_t n)
{
    uint32_t at = m->head;

    for (uint32_t i = 0; i < m->sectors; i++) {
        if (m->ready[at].sector - first < n) {
            return at;
        }
        at = at + 1 == m->entries ? 0 : at + 1;
    }
    return SMRF_MSHR_NONE;
}

/* Those of the first ready sector that have been taken no longer count. Precondition: one has been,
 * so that it has a record. */
static void forget_taken_(struct smrf_mshr *m)
{
    struct smrf_mshr_ready *r = &m->ready[m->head];
    uint32_t *other = others_(m, r->merged);

    r->first = other[m->taken];
    drop_(other, m->taken);
    m->taken = 0;
}

bool smrf_mshr_join(struct smrf_mshr *m, uint32_t place, uint32_t id)
{
    if (place == m->head && m->taken > 0) {
        forget_taken_(m);
    }
    return smrf_mshr_merge(m, &m->ready[place].merged, id);
}

uint32_t smrf_mshr_arrived(const struct smrf_mshr *m, uint32_t n)
{
    const uint32_t last = m->head + m->sectors - 1;
    const struct smrf_mshr_ready *r = &m->ready[last < m->entries ? last : last - m->entries];

    return n == 0 ? r->first : others_(m, r->merged)[n];
}

static uint32_t next_(const struct smrf_mshr *m)
{
    const struct smrf_mshr_ready *r = &m->ready[m->head];

    return m->taken == 0 ? r->first : others_(m, r->merged)[m->taken];
}

bool smrf_mshr_peek(const struct smrf_mshr *m, uint32_t *id)
{
    if (m->sectors == 0) {
        return false;
    }
    *id = next_(m);
    return true;
}

uint32_t smrf_mshr_take_merged(struct smrf_mshr *m)
{
    const uint16_t record = m->ready[m->head].merged;
    const uint32_t id = next_(m);

    if (m->taken++ == *others_(m, record)) {
        m->free[m->frees++] = record;
        m->taken = 0;
        smrf_mshr_end(m);
    }
    return id;
}
