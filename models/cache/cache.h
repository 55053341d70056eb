/* SPDX-License-Identifier: Apache-2.0 */
/* Tag store of a sectored cache: 128-byte lines of four 32-byte sectors, any number of sets and
 * ways, least recently used replacement. It holds states, no data, and knows no time: L1D and the
 * L2 slices build their pipelines on it.
 *
 * A sector is readable (valid), awaited (pending), or partly written (dirty, not valid): a store
 * allocates without a fetch, and the sector becomes readable once all its 32 bytes were written or
 * once it was filled (Accel-Sim: lazy fetch on read). A line with a pending sector is never
 * replaced; written lines may be kept while they are few. A lookup costs one hash probe, whatever
 * the number of ways. */
#ifndef SMRF_CACHE_H
#define SMRF_CACHE_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_prefetch.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CACHE_SECTORS (SMRF_LINE_BYTES / SMRF_SECTOR_BYTES)
#define SMRF_CACHE_NO_LINE UINT32_MAX
#define SMRF_CACHE_MAX_LINES (1u << 24) /* sets x ways */

enum smrf_cache_result {
    SMRF_CACHE_HIT,         /* read: sector readable; write: sector readable or written before */
    SMRF_CACHE_HIT_PENDING, /* sector awaited */
    SMRF_CACHE_SECTOR_MISS, /* line present, sector not */
    SMRF_CACHE_LINE_MISS,   /* line absent, a way can be had */
    SMRF_CACHE_FULL         /* line absent, and no way of the set can be had before a fill */
};

/* One line. Lines [set x allocated ways, ...) belong to a set and are taken into use in order. */
struct smrf_cache_line {
    uint64_t number;               /* address / 128 */
    uint64_t stamp;                /* of its last access */
    uint32_t chain;                /* next line of the same hash bucket */
    uint32_t newer, older;         /* neighbours in the set's order of its kind */
    uint8_t valid, pending, dirty; /* bit s: sector s */
};

/* What has been written of a line that has a dirty sector. */
struct smrf_cache_written {
    uint32_t bytes[SMRF_CACHE_SECTORS]; /* bit b: byte b of the sector is dirty */
};

/* Lines of a set in order of last access. */
struct smrf_cache_order {
    uint32_t newest, oldest;
};

struct smrf_cache_set {
    struct smrf_cache_order order[2]; /* lines without and with a dirty sector */
    uint32_t used;                    /* ways taken into use since the last invalidation */
    uint32_t pending;                 /* lines with a pending sector */
};

struct smrf_cache {
    uint32_t sets, ways_allocated, ways;
    uint32_t hash_shift;   /* a bucket is the top bits of a 64-bit product */
    uint32_t bucket_mask;  /* number of buckets - 1 */
    uint32_t keep_percent; /* see smrf_cache_keep_dirty */
    uint32_t dirty_lines;
    uint64_t stamp; /* of the last access */
    struct smrf_cache_set *set;
    uint32_t *bucket; /* first line of a bucket */
    struct smrf_cache_line *line;
    struct smrf_cache_written *written; /* of a line */
};

/* What smrf_cache_probe found; valid until the next read, write or fill. */
struct smrf_cache_found {
    enum smrf_cache_result result;
    uint32_t line; /* line found, or LINE_MISS: the one to take; NO_LINE if FULL */
    uint32_t set;
    uint64_t address;
};

/* What had to leave for a LINE_MISS. */
struct smrf_cache_victim {
    bool evicted;                         /* a line was replaced */
    uint8_t dirty;                        /* bit s: sector s had been written */
    uint64_t address;                     /* of the line, bytes */
    uint32_t written[SMRF_CACHE_SECTORS]; /* dirty bytes of each sector */
};

/* Bytes of state for sets x ways lines, 0 if out of range. The caller allocates, 64-byte aligned.
 */
size_t smrf_cache_bytes(uint32_t sets, uint32_t ways);

/* Lay out `storage` (smrf_cache_bytes, kept) and empty the cache. SMRF_ERR_INVAL: sets or ways 0;
 * SMRF_ERR_LIMIT: more than SMRF_CACHE_MAX_LINES lines. */
int smrf_cache_init(struct smrf_cache *c, void *storage, uint32_t sets, uint32_t ways);

/* Empty the cache, dirty lines too; all allocated ways are used again. */
void smrf_cache_reset(struct smrf_cache *c);

/* Forget every line. Fills of sectors that were pending find nothing. */
void smrf_cache_invalidate_all(struct smrf_cache *c);

/* Use `ways` of the allocated ways from now on. Another number than now empties the cache.
 * SMRF_ERR_INVAL: 0 or more than allocated. */
int smrf_cache_set_ways(struct smrf_cache *c, uint32_t ways);

/* Replace only lines without dirty sectors while fewer than `percent` of the lines in use are
 * dirty, unless a set has nothing else. 0 (after init): all lines are alike. Kept by reset
 * (Accel-Sim: tag_array::probe, write ratio). */
void smrf_cache_keep_dirty(struct smrf_cache *c, uint32_t percent);

/* Set of an address by plain indexing; sets must be a power of two. */
static inline uint32_t smrf_cache_linear_set(const struct smrf_cache *c, uint64_t address)
{
    return (uint32_t)(address / SMRF_LINE_BYTES) & (c->sets - 1);
}

/* Look up the sector that holds `address`, in `set` (always the same for one line). write: what
 * the access will be. Changes nothing. */
struct smrf_cache_found smrf_cache_probe(const struct smrf_cache *c, uint64_t address, uint32_t set,
                                         bool write);

/* Carry out a read that was probed (not FULL): the line becomes the most recently used; on a miss
 * its sector becomes pending, and on a LINE_MISS *victim says what left. */
void smrf_cache_read(struct smrf_cache *c, const struct smrf_cache_found *p,
                     struct smrf_cache_victim *victim);

/* Carry out a write that was probed (not FULL): as a read, but the sector becomes dirty instead of
 * pending, and readable if all its bytes have been written. bytes: bit b = byte b is written. */
void smrf_cache_write(struct smrf_cache *c, const struct smrf_cache_found *p, uint32_t bytes,
                      struct smrf_cache_victim *victim);

/* The awaited sector of `address` has arrived: readable, no longer pending. Returns false (and
 * does nothing) if it is not pending. */
bool smrf_cache_fill(struct smrf_cache *c, uint64_t address);

/* The same where the line is known: what the read had found. Not after an invalidation. */
bool smrf_cache_fill_line(struct smrf_cache *c, uint32_t line, uint64_t address);

/* smrf_cache_fill_line comes soon. */
static inline void smrf_cache_expect_fill(const struct smrf_cache *c, uint32_t line)
{
    smrf_prefetch(&c->line[line]);
}

/* A read or write of `address` in `set` is on its way: what leads to its line is asked for. Later, when
 * it comes soon: its line, and those that a miss touches. */
void smrf_cache_approach(const struct smrf_cache *c, uint64_t address, uint32_t set);
void smrf_cache_expect_access(const struct smrf_cache *c, uint64_t address, uint32_t set);

/* Mark bytes of a present sector dirty without touching the order (an atomic after its fill).
 * Returns false if the line is absent. */
bool smrf_cache_mark_dirty(struct smrf_cache *c, uint64_t address, uint32_t bytes);

/* Is the sector of `address` readable? */
bool smrf_cache_probe_valid(const struct smrf_cache *c, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
