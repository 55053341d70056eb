/* SPDX-License-Identifier: Apache-2.0 */
/* Miss status holding registers: which requests wait for which sector. A bounded number of
 * sectors, each with a bounded number of merged requests. When a sector arrives its requests are
 * ready, in the order of arrival of sectors, then of requests; its entry is free again once the
 * last of them has been taken. Every operation takes constant time. */
#ifndef SMRF_MSHR_H
#define SMRF_MSHR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_prefetch.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_MSHR_NONE UINT32_MAX
#define SMRF_MSHR_MAX (1u << 24) /* entries x merge */
#define SMRF_MSHR_MAX_MERGE UINT16_MAX
#define SMRF_MSHR_NEAR 4u /* an entry's first requests lie beside it: more are seldom */

enum smrf_mshr_state {
    SMRF_MSHR_NEW,          /* the sector is not awaited, an entry is free */
    SMRF_MSHR_MERGE,        /* awaited, and one more request can wait */
    SMRF_MSHR_ENTRIES_FULL, /* not awaited, no entry free */
    SMRF_MSHR_MERGE_FULL    /* awaited, its list of requests is full */
};

struct smrf_mshr_entry {
    uint64_t sector;      /* address / 32 */
    uint32_t next;        /* hash bucket, free list or ready list: an entry is in exactly one */
    uint16_t count, take; /* requests added; ready: taken so far */
    uint32_t id[SMRF_MSHR_NEAR];
};

struct smrf_mshr {
    uint32_t entries, merge;
    uint32_t hash_shift, bucket_mask;
    uint32_t in_use;                 /* entries not free */
    uint32_t free;                   /* first free entry */
    uint32_t added;                  /* entry of the last request */
    uint32_t ready_head, ready_tail; /* entries with ready requests */
    uint32_t *bucket;
    struct smrf_mshr_entry *entry;
    uint32_t far; /* requests of an entry that do not lie beside it, at most */
    uint32_t *id; /* [entry][far] */
};

/* Bytes of state, 0 if out of range. The caller allocates, 64-byte aligned. */
size_t smrf_mshr_bytes(uint32_t entries, uint32_t merge);

/* Lay out `storage` (smrf_mshr_bytes, kept), empty. SMRF_ERR_INVAL: 0 entries or merge;
 * SMRF_ERR_LIMIT: more than SMRF_MSHR_MAX requests, or SMRF_MSHR_MAX_MERGE an entry. */
int smrf_mshr_init(struct smrf_mshr *m, void *storage, uint32_t entries, uint32_t merge);
void smrf_mshr_reset(struct smrf_mshr *m);

/* Add request `id` for the sector of `address`, if that may be. NEW: it is the sector's first, which
 * must be requested from memory; MERGE: a further one; else nothing has changed. */
enum smrf_mshr_state smrf_mshr_add(struct smrf_mshr *m, uint64_t address, uint32_t id);

/* Entry of the request that was added last. */
static inline uint32_t smrf_mshr_added(const struct smrf_mshr *m)
{
    return m->added;
}

/* smrf_mshr_add of `address` is on its way: what leads to its entry is asked for. Later, when it comes
 * soon: the entry. */
void smrf_mshr_approach(const struct smrf_mshr *m, uint64_t address);
void smrf_mshr_expect(const struct smrf_mshr *m, uint64_t address);

/* The sector has arrived. Returns how many requests became ready, 0 if none waits for it. */
uint32_t smrf_mshr_ready(struct smrf_mshr *m, uint64_t address);

/* The same where the sector's entry is known. */
uint32_t smrf_mshr_ready_entry(struct smrf_mshr *m, uint64_t address, uint32_t entry);

/* smrf_mshr_ready_entry comes soon. */
static inline void smrf_mshr_expect_ready(const struct smrf_mshr *m, uint32_t entry)
{
    smrf_prefetch(&m->entry[entry]);
}

/* Address of the sector that an entry is for. */
static inline uint64_t smrf_mshr_address(const struct smrf_mshr *m, uint32_t entry)
{
    return m->entry[entry].sector * SMRF_SECTOR_BYTES;
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
uint32_t smrf_mshr_take(struct smrf_mshr *m);

#ifdef __cplusplus
}
#endif

#endif
