/* SPDX-License-Identifier: Apache-2.0 */
/* Miss status holding registers: which requests wait for which sector. A bounded number of
 * sectors, each with a bounded number of merged requests. When a sector arrives its requests are
 * ready, in the order of arrival of sectors, then of requests; its entry is free again once the
 * last of them has been taken. Who has looked a sector up knows its entry (cache.h), so that nothing
 * is searched for here. */
#ifndef SMRF_MSHR_H
#define SMRF_MSHR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_prefetch.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_MSHR_NONE UINT16_MAX
#define SMRF_MSHR_MAX (1u << 24) /* entries x merge */
#define SMRF_MSHR_MAX_ENTRIES (UINT16_MAX - 1)
#define SMRF_MSHR_MAX_MERGE UINT16_MAX
#define SMRF_MSHR_NEAR 4u /* an entry's first requests lie beside it: more are seldom */

struct smrf_mshr_entry {
    uint64_t address;     /* of the sector, bytes */
    uint16_t next;        /* ready list */
    uint16_t count, take; /* requests added; ready: taken so far */
    uint32_t id[SMRF_MSHR_NEAR];
};

struct smrf_mshr {
    uint32_t entries, merge;
    uint32_t in_use;                 /* entries not free */
    uint16_t ready_head, ready_tail; /* entries with ready requests */
    uint16_t *free; /* [entries - in_use], the last one first: who takes one need not
                                        look at it */
    struct smrf_mshr_entry *entry;
    uint32_t far; /* requests of an entry that do not lie beside it, at most */
    uint32_t *id; /* [entry][far] */
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

/* Request `id` is the first that waits for the sector at `address`. Precondition: not full. Returns the
 * sector's entry. */
static inline uint16_t smrf_mshr_add(struct smrf_mshr *m, uint64_t address, uint32_t id)
{
    const uint16_t i = m->free[m->entries - ++m->in_use];
    struct smrf_mshr_entry *e = &m->entry[i];

    e->address = address;
    e->count = 1;
    e->take = 0;
    e->id[0] = id;
    return i;
}

static inline void smrf_mshr_release(struct smrf_mshr *m, uint16_t i)
{
    m->free[m->entries - m->in_use--] = i;
}

/* A further request waits for the sector of an entry. Returns false, and nothing has changed, if as many do
 * already as may. */
bool smrf_mshr_merge(struct smrf_mshr *m, uint32_t entry, uint32_t id);

/* The sector of an entry has arrived. Returns how many requests became ready. */
static inline uint32_t smrf_mshr_ready(struct smrf_mshr *m, uint32_t entry)
{
    m->entry[entry].next = SMRF_MSHR_NONE;
    if (m->ready_head == SMRF_MSHR_NONE) {
        m->ready_head = (uint16_t)entry;
    } else {
        m->entry[m->ready_tail].next = (uint16_t)entry;
    }
    m->ready_tail = (uint16_t)entry;
    return m->entry[entry].count;
}

/* Does one request alone wait for the sector of an entry? */
static inline bool smrf_mshr_alone(const struct smrf_mshr *m, uint32_t entry)
{
    return m->entry[entry].count == 1;
}

/* .. then the sector arrives and the request is taken at once. No other is ready. */
static inline uint32_t smrf_mshr_take_alone(struct smrf_mshr *m, uint32_t entry)
{
    smrf_mshr_release(m, (uint16_t)entry);
    return m->entry[entry].id[0];
}

/* smrf_mshr_ready comes soon. */
static inline void smrf_mshr_expect_ready(const struct smrf_mshr *m, uint32_t entry)
{
    smrf_prefetch(&m->entry[entry]);
}

/* Address of the sector that an entry is for. */
static inline uint64_t smrf_mshr_address(const struct smrf_mshr *m, uint32_t entry)
{
    return m->entry[entry].address;
}

/* Where request n of an entry stands. */
static inline uint32_t *smrf_mshr_id(const struct smrf_mshr *m, uint32_t entry, uint32_t n)
{
    return n < SMRF_MSHR_NEAR ? &m->entry[entry].id[n]
                              : &m->id[(size_t)entry * m->far + n - SMRF_MSHR_NEAR];
}

/* Request n of the sector that has arrived last, as long as none of it has been taken. */
static inline uint32_t smrf_mshr_arrived(const struct smrf_mshr *m, uint32_t n)
{
    return *smrf_mshr_id(m, m->ready_tail, n);
}

/* Is a request ready? */
static inline bool smrf_mshr_any_ready(const struct smrf_mshr *m)
{
    return m->ready_head != SMRF_MSHR_NONE;
}

/* First ready request. Returns false if there is none. */
bool smrf_mshr_peek(const struct smrf_mshr *m, uint32_t *id);

/* Take the first ready request. Precondition: there is one. */
static inline uint32_t smrf_mshr_take(struct smrf_mshr *m)
{
    const uint16_t i = m->ready_head;
    struct smrf_mshr_entry *e = &m->entry[i];
    const uint32_t id = *smrf_mshr_id(m, i, e->take++);

    if (e->take == e->count) {
        m->ready_head = e->next;
        smrf_mshr_release(m, i);
    }
    return id;
}

#ifdef __cplusplus
}
#endif

#endif
