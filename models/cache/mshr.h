/* SPDX-License-Identifier: Apache-2.0 */
/* Miss status holding registers: which requests wait for which sector. A bounded number of
 * sectors, each with a bounded number of merged requests. When a sector arrives its requests are
 * ready, in the order of arrival of sectors, then of requests; its entry is free again once the
 * last of them has been taken.
 *
 * The first request that waits for a sector is mostly the only one, and who has asked the memory
 * for the sector knows it: it is notified when the sector arrives, and until then an entry is a
 * number that is counted. Those that merge have a record, whose number stands with the sector
 * (cache.h). So nothing is searched for here, and little is kept. */
#ifndef SMRF_MSHR_H
#define SMRF_MSHR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the place of a record: no request has merged; no request waits for the sector. */
#define SMRF_MSHR_ALONE 0
#define SMRF_MSHR_JOINED UINT16_MAX
#define SMRF_MSHR_NONE UINT32_MAX /* no ready sector */
#define SMRF_MSHR_MAX (1u << 24)  /* entries x merge */
#define SMRF_MSHR_MAX_ENTRIES (UINT16_MAX - 1)
#define SMRF_MSHR_MAX_MERGE UINT16_MAX

/* A sector that has arrived. */
struct smrf_mshr_ready {
    uint64_t sector; /* its number, where it has been named */
    uint32_t first;  /* request */
    uint16_t merged; /* record of the others, from 1 on; SMRF_MSHR_ALONE */
};

struct smrf_mshr {
    uint32_t entries, merge;
    uint32_t in_use;               /* entries not free */
    uint32_t head, sectors, taken; /* those that are ready; requests of the first that were taken */
    uint32_t frees, fresh;         /* records: number of freed ones; number ever used */
    struct smrf_mshr_ready *ready; /* [entries] ring */
    uint16_t *free;                /* [frees], the last one first */
    uint32_t *other;               /* [record][merge]: how many, then the requests */
};

/* Bytes of state, 0 if out of range. The caller allocates, 64-byte aligned. */
size_t smrf_mshr_bytes(uint32_t entries, uint32_t merge);

/* Lay out `storage` (smrf_mshr_bytes, kept), empty. SMRF_ERR_INVAL: 0 entries or merge;
 * SMRF_ERR_LIMIT: more than SMRF_MSHR_MAX requests, SMRF_MSHR_MAX_ENTRIES entries, or
 * SMRF_MSHR_MAX_MERGE requests an entry. */
int smrf_mshr_init(struct smrf_mshr *m, void *storage, uint32_t entries, uint32_t merge);
void smrf_mshr_reset(struct smrf_mshr *m);

/* Is no entry free? */
static inline bool smrf_mshr_full(const struct smrf_mshr *m)
{
    return m->in_use == m->entries;
}

/* A request waits for n further sectors, as the first request of each. Precondition: n entries are
 * free. */
static inline void smrf_mshr_add(struct smrf_mshr *m, uint32_t n)
{
    m->in_use += n;
}

/* Request `id` waits for a sector for which others do. *merged: the sector's record, which becomes
 * one with the first that merges. Returns false, and nothing has changed, if as many wait already
 * as may. */
bool smrf_mshr_merge(struct smrf_mshr *m, uint16_t *merged, uint32_t id);

/* A sector has arrived, for which `first` waits, and those of a record. Returns how many requests
 * became ready. */
static inline uint32_t smrf_mshr_arrive(struct smrf_mshr *m, uint32_t first, uint16_t merged)
{
    uint32_t at = m->head + m->sectors++;

    at -= at >= m->entries ? m->entries : 0;
    m->ready[at].first = first;
    m->ready[at].merged = merged;
    return merged == SMRF_MSHR_ALONE ? 1 : 1 + m->other[(size_t)merged * m->merge];
}

/* A sector has arrived whose first request is gone: the oldest of those that merged becomes the
 * first. Returns it; *merged: the record of the others, which is given back with the last of them.
 * Precondition: one has merged. */
uint32_t smrf_mshr_promote(struct smrf_mshr *m, uint16_t *merged);

/* Name the sector that has arrived last, so that it can be found. */
static inline void smrf_mshr_name(struct smrf_mshr *m, uint64_t sector)
{
    const uint32_t at = m->head + m->sectors - 1;

    m->ready[at - (at >= m->entries ? m->entries : 0)].sector = sector;
}

/* The place of one of n sectors from `first` on that is ready and was named; SMRF_MSHR_NONE: none
 * is. */
uint32_t smrf_mshr_find(const struct smrf_mshr *m, uint64_t first, uint32_t n);

/* Request `id` is answered with those of the ready sector in that place, after them. Returns false
 * if as many as may have not been taken yet. */
bool smrf_mshr_join(struct smrf_mshr *m, uint32_t place, uint32_t id);

/* A sector has arrived for which one request waits, and that is taken at once. No other is
 * ready. */
static inline void smrf_mshr_take_alone(struct smrf_mshr *m)
{
    m->in_use--;
}

/* Request n of the sector that has arrived last, as long as none of it has been taken. */
uint32_t smrf_mshr_arrived(const struct smrf_mshr *m, uint32_t n);

/* Is a request ready? */
static inline bool smrf_mshr_any_ready(const struct smrf_mshr *m)
{
    return m->sectors > 0;
}

/* First ready request. Returns false if there is none. */
bool smrf_mshr_peek(const struct smrf_mshr *m, uint32_t *id);

/* The next request of a sector that has a record. */
uint32_t smrf_mshr_take_merged(struct smrf_mshr *m);

/* All requests of the first sector that was ready have been taken. The ring begins anew where it is
 * empty: what is used of it stays small. */
static inline void smrf_mshr_end(struct smrf_mshr *m)
{
    m->in_use--;
    m->sectors--;
    m->head = m->sectors > 0 && m->head + 1 < m->entries ? m->head + 1 : 0;
}

/* Take the first ready request. Precondition: there is one. */
static inline uint32_t smrf_mshr_take(struct smrf_mshr *m)
{
    const struct smrf_mshr_ready *r = &m->ready[m->head];

    if (r->merged != SMRF_MSHR_ALONE) {
        return smrf_mshr_take_merged(m);
    }
    smrf_mshr_end(m);
    return r->first;
}

#ifdef __cplusplus
}
#endif

#endif
