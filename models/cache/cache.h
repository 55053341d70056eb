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

#include "models/common/smrf_assert.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_prefetch.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CACHE_SECTORS (SMRF_LINE_BYTES / SMRF_SECTOR_BYTES)
#define SMRF_CACHE_NO_LINE UINT32_MAX
#define SMRF_CACHE_MAX_LINES (1u << 24) /* sets x ways */
#define SMRF_CACHE_MAX_SETS (1u << 16)
#define SMRF_CACHE_SET_BITS 48 /* behind the point of what smrf_cache_set_of multiplies */

enum smrf_cache_result {
    SMRF_CACHE_HIT,         /* read: sector readable; write: sector readable or written before */
    SMRF_CACHE_HIT_PENDING, /* sector awaited */
    SMRF_CACHE_SECTOR_MISS, /* line present, sector not */
    SMRF_CACHE_LINE_MISS,   /* line absent, a way can be had */
    SMRF_CACHE_FULL         /* line absent, and no way of the set can be had before a fill */
};

/* One line. Lines [set x allocated ways, ...) belong to a set and are taken into use in order. What
 * a fill or a look for a line to replace needs lies apart, that of sixteen lines together. */
struct smrf_cache_line {
    uint64_t number; /* address / 128 */
    uint64_t stamp;  /* of its last access */
};

/* State of its sectors; bit s: sector s. noted: a pending sector has a note */
struct smrf_cache_state {
    uint8_t valid, pending, dirty, noted;
};

/* For use by the cache's owner: the MSHR's record of the requests that wait besides the first. */
struct smrf_cache_notes {
    uint16_t of[SMRF_CACHE_SECTORS];
};

/* Neighbours of a line in its set's order of its kind. They are stored together, like links of hash
 * buckets. So a search for an absent line, or a replacement, touches no line's other data. */
struct smrf_cache_links {
    uint32_t newer, older;
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
    uint32_t used;                    /* ways taken into use since it was emptied */
    uint32_t kept;                    /* those before this may be in use, too: smrf_cache_empty */
    uint32_t pending;                 /* lines with a pending sector */
};

struct smrf_cache {
    uint32_t sets, ways_allocated, ways;
    uint64_t sets_a_line;   /* 1 / ways_allocated: see smrf_cache_set_of */
    uint32_t bucket_bits;   /* of the number of a bucket in its set */
    uint32_t keep_percent;  /* see smrf_cache_keep_dirty */
    uint32_t dirty_lines;   /* lines with a dirty sector that is not awaited */
    bool by_cycle;          /* see smrf_cache_age_by_cycle */
    uint64_t stamp;         /* of the last access */
    uint64_t recent_number; /* line of the last access: neighbouring sectors follow each other */
    uint32_t recent;
    struct smrf_cache_set *set;
    uint32_t *bucket; /* [set][bucket]: its first line, with its mark (cache.c) */
    uint32_t *chain;  /* of a line: the next one of its bucket, likewise */
    struct smrf_cache_line *line;
    struct smrf_cache_state *state; /* this and the next three: of a line */
    struct smrf_cache_links *links;
    struct smrf_cache_notes *notes;
    struct smrf_cache_written *written;
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
    uint64_t address;                     /* evicted: of the line, bytes */
    uint32_t written[SMRF_CACHE_SECTORS]; /* dirty: its dirty bytes of each sector */
};

/* Bytes of state for sets x ways lines, 0 if out of range. The caller allocates, 64-byte aligned.
 */
size_t smrf_cache_bytes(uint32_t sets, uint32_t ways);

/* Lay out `storage` (smrf_cache_bytes, kept) and empty the cache. SMRF_ERR_INVAL: sets or ways 0;
 * SMRF_ERR_LIMIT: more than SMRF_CACHE_MAX_LINES lines or SMRF_CACHE_MAX_SETS sets. */
int smrf_cache_init(struct smrf_cache *c, void *storage, uint32_t sets, uint32_t ways);

/* Empty the cache, dirty lines too; all allocated ways are used again. */
void smrf_cache_reset(struct smrf_cache *c);

/* Forget every line. Fills of sectors that were pending find nothing. */
void smrf_cache_invalidate_all(struct smrf_cache *c);

/* No sector is readable or dirty any more; those that are awaited still are, and will be filled.
 * What was written is forgotten. */
void smrf_cache_empty(struct smrf_cache *c);

/* No sector of the set is awaited any more. Precondition: none of it will be filled. */
void smrf_cache_give_up(struct smrf_cache *c, uint32_t set);

/* Use `ways` of the allocated ways from now on. Another number than now empties the cache.
 * SMRF_ERR_INVAL: 0 or more than allocated. */
int smrf_cache_set_ways(struct smrf_cache *c, uint32_t ways);

/* Replace only lines without dirty sectors while fewer than `percent` of the lines have a dirty
 * sector that is not awaited, unless a set has nothing else. 0 (after init): all lines are alike.
 * Kept by reset (Accel-Sim: tag_array::probe, write ratio). */
void smrf_cache_keep_dirty(struct smrf_cache *c, uint32_t percent);

/* Lines age by the cycle of their last access, which smrf_cache_at tells: of several that are
 * equally old, that of the highest way is replaced first. Kept by reset (Accel-Sim: the same order,
 * as it counts ways down from the last one). */
static inline void smrf_cache_age_by_cycle(struct smrf_cache *c)
{
    c->by_cycle = true;
}

static inline void smrf_cache_at(struct smrf_cache *c, uint64_t cycle)
{
    c->stamp = c->by_cycle ? cycle : c->stamp;
}

/* Set of an address by plain indexing; sets must be a power of two. */
static inline uint32_t smrf_cache_linear_set(const struct smrf_cache *c, uint64_t address)
{
    return (uint32_t)(address / SMRF_LINE_BYTES) & (c->sets - 1);
}

/* --- parts of the functions below ------------------------------------------------------------- */

/* 1 / ways, with SMRF_CACHE_SET_BITS bits behind the point, rounded up. */
static inline uint64_t smrf_cache_sets_a_line(uint32_t ways)
{
    return (UINT64_C(1) << SMRF_CACHE_SET_BITS) / ways + 1;
}

/* The set that a line belongs to: line / ways_allocated, without a division. The factor is too
 * large by 2^-48 at most, the quotient by less than 2^-24: not enough to reach the next set. */
static inline uint32_t smrf_cache_set_of(const struct smrf_cache *c, uint32_t line)
{
    return (uint32_t)(line * c->sets_a_line >> SMRF_CACHE_SET_BITS);
}

/* The line of `set` with this number, the line that a miss in `set` would take: NO_LINE where there
 * is none. */
uint32_t smrf_cache_search(const struct smrf_cache *c, uint64_t number, uint32_t set);
uint32_t smrf_cache_choose(const struct smrf_cache *c, uint32_t set);

static inline uint32_t smrf_cache_find(const struct smrf_cache *c, uint64_t number, uint32_t set)
{
    return number == c->recent_number ? c->recent : smrf_cache_search(c, number, set);
}

/* The sector of an address in its line: its number, and its bit. */
static inline uint32_t smrf_cache_sector_of(uint64_t address)
{
    return (uint32_t)(address / SMRF_SECTOR_BYTES % SMRF_CACHE_SECTORS);
}

static inline unsigned smrf_cache_sector(uint64_t address)
{
    return 1u << smrf_cache_sector_of(address);
}

/* Give the line that was found to its address, empty, and make a line the most recently used of its
 * order. */
void smrf_cache_allocate(struct smrf_cache *c, const struct smrf_cache_found *p,
                         struct smrf_cache_victim *victim);
void smrf_cache_renew(struct smrf_cache *c, struct smrf_cache_order *o, uint32_t line);

/* The stamp of an access. */
static inline uint64_t smrf_cache_stamp(struct smrf_cache *c)
{
    c->stamp += !c->by_cycle;
    return c->stamp;
}

/* Common part of reads and writes: the line exists afterwards and is the newest. */
static inline void smrf_cache_use(struct smrf_cache *c, const struct smrf_cache_found *p,
                                  struct smrf_cache_victim *victim)
{
    SMRF_ASSERT(p->result != SMRF_CACHE_FULL);
    victim->evicted = false;
    victim->dirty = 0;
    if (p->result == SMRF_CACHE_LINE_MISS) {
        smrf_cache_allocate(c, p, victim);
    } else {
        struct smrf_cache_order *o = &c->set[p->set].order[c->state[p->line].dirty != 0];

        c->line[p->line].stamp = smrf_cache_stamp(c);
        if (o->newest != p->line) {
            smrf_cache_renew(c, o, p->line);
        }
    }
    c->recent_number = p->address / SMRF_LINE_BYTES;
    c->recent = p->line;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Look up the sector that holds `address`, in `set` (always the same for one line). write: what
 * the access will be. Changes nothing. */
static inline struct smrf_cache_found smrf_cache_probe(const struct smrf_cache *c, uint64_t address,
                                                       uint32_t set, bool write)
{
    const unsigned bit = smrf_cache_sector(address);
    const struct smrf_cache_state *l;
    struct smrf_cache_found p;

    p.set = set;
    p.address = address;
    p.line = smrf_cache_find(c, address / SMRF_LINE_BYTES, set);
    if (p.line == SMRF_CACHE_NO_LINE) {
        p.line = smrf_cache_choose(c, set);
        p.result = p.line == SMRF_CACHE_NO_LINE ? SMRF_CACHE_FULL : SMRF_CACHE_LINE_MISS;
        return p;
    }
    SMRF_ASSERT(p.line - set * c->ways_allocated < c->ways_allocated);
    l = &c->state[p.line];
    if ((l->valid | (write ? l->dirty : 0u)) & bit) {
        p.result = SMRF_CACHE_HIT;
    } else {
        p.result = l->pending & bit ? SMRF_CACHE_HIT_PENDING : SMRF_CACHE_SECTOR_MISS;
    }
    return p;
}

/* Does a line have a dirty sector that is not awaited, or that has been written whole since? */
static inline bool smrf_cache_is_dirty(const struct smrf_cache_state *l)
{
    return (l->dirty & (l->valid | ~l->pending)) != 0;
}

/* Sectors of a line are awaited: of those that are dirty only what was written could be read. */
static inline void smrf_cache_await(struct smrf_cache *c, struct smrf_cache_state *l,
                                    unsigned sectors)
{
    const bool before = smrf_cache_is_dirty(l);

    l->pending = (uint8_t)(l->pending | sectors);
    c->dirty_lines -= before && !smrf_cache_is_dirty(l);
}

/* Carry out a read that was probed (not FULL): the line becomes the most recently used; on a miss
 * its sector becomes pending, and on a LINE_MISS *victim says what left. */
static inline void smrf_cache_read(struct smrf_cache *c, const struct smrf_cache_found *p,
                                   struct smrf_cache_victim *victim)
{
    struct smrf_cache_state *l = &c->state[p->line];

    smrf_cache_use(c, p, victim);
    if (p->result == SMRF_CACHE_SECTOR_MISS || p->result == SMRF_CACHE_LINE_MISS) {
        c->set[p->set].pending += l->pending == 0;
        smrf_cache_await(c, l, smrf_cache_sector(p->address));
    }
}

/* The same of several sectors of the line at once, that all miss as the one that was probed
 * does. */
static inline void smrf_cache_read_all(struct smrf_cache *c, const struct smrf_cache_found *p,
                                       unsigned sectors, struct smrf_cache_victim *victim)
{
    smrf_cache_read(c, p, victim);
    smrf_cache_await(c, &c->state[p->line], sectors);
}

/* Is `address` in the line that was read or written last, and its sector neither readable nor
 * awaited? Then it is read: a SECTOR_MISS of *line. Returns whether it was so. Not where lines age
 * by the cycle. */
static inline bool smrf_cache_read_on(struct smrf_cache *c, uint64_t address, uint32_t *line)
{
    const unsigned bit = smrf_cache_sector(address);
    struct smrf_cache_state *l;

    if (address / SMRF_LINE_BYTES != c->recent_number) {
        return false;
    }
    *line = c->recent;
    l = &c->state[*line];
    if ((l->valid | l->pending) & bit) {
        return false;
    }
    c->set[smrf_cache_set_of(c, *line)].pending += l->pending == 0;
    c->line[*line].stamp = smrf_cache_stamp(c); /* it is the newest of its set */
    smrf_cache_await(c, l, bit);
    return true;
}

/* Carry out a write that was probed (not FULL): as a read, but the sector becomes dirty instead of
 * pending, and readable if all its bytes have been written. bytes: bit b = byte b is written. */
void smrf_cache_write(struct smrf_cache *c, const struct smrf_cache_found *p, uint32_t bytes,
                      struct smrf_cache_victim *victim);

/* Of these sectors (bits) of a line, those that are readable, and those that are so or awaited. */
static inline unsigned smrf_cache_readable(const struct smrf_cache *c, uint32_t line,
                                           unsigned sectors)
{
    return c->state[line].valid & sectors;
}

static inline unsigned smrf_cache_known(const struct smrf_cache *c, uint32_t line, unsigned sectors)
{
    return (c->state[line].valid | c->state[line].pending) & sectors;
}

/* Where the cache's owner notes a number for a pending sector, 0 the first time. */
static inline uint16_t *smrf_cache_note(struct smrf_cache *c, uint32_t line, uint64_t address)
{
    uint16_t *note = &c->notes[line].of[smrf_cache_sector_of(address)];
    const unsigned bit = smrf_cache_sector(address);

    if (!(c->state[line].noted & bit)) {
        c->state[line].noted = (uint8_t)(c->state[line].noted | bit);
        *note = 0;
    }
    return note;
}

/* The awaited sector of `address` has arrived: readable, no longer pending. Returns false (and
 * does nothing) if it is not pending. */
bool smrf_cache_fill(struct smrf_cache *c, uint64_t address, uint32_t set);

/* The same where the line is known: what the read had found; and which sector of it. Not after an
 * invalidation. *note: the number that was noted, 0: none. */
static inline bool smrf_cache_fill_line(struct smrf_cache *c, uint32_t line, uint32_t sector,
                                        uint16_t *note)
{
    struct smrf_cache_state *l = &c->state[line];
    const unsigned bit = 1u << sector;
    const bool before = smrf_cache_is_dirty(l);

    *note = 0;
    if (!(l->pending & bit)) {
        return false;
    }
    l->valid = (uint8_t)(l->valid | bit);
    l->pending = (uint8_t)(l->pending & ~bit);
    c->dirty_lines += !before && smrf_cache_is_dirty(l);
    if (l->noted & bit) {
        *note = c->notes[line].of[sector];
        l->noted = (uint8_t)(l->noted & ~bit);
    }
    c->set[smrf_cache_set_of(c, line)].pending -= l->pending == 0;
    return true;
}

/* smrf_cache_fill_line comes soon. */
static inline void smrf_cache_expect_fill(const struct smrf_cache *c, uint32_t line)
{
    smrf_prefetch(&c->state[line]);
}

/* A read or write of `address` in `set` is on its way: what leads to its line is asked for. Later,
 * when it comes soon: its line, and those that a miss touches. */
void smrf_cache_approach(const struct smrf_cache *c, uint64_t address, uint32_t set);
void smrf_cache_expect_access(const struct smrf_cache *c, uint64_t address, uint32_t set);

/* Mark bytes of a present sector dirty without touching the order (an atomic after its fill).
 * Returns false if the line is absent. */
bool smrf_cache_mark_dirty(struct smrf_cache *c, uint64_t address, uint32_t set, uint32_t bytes);

/* Is the sector of `address` readable? */
bool smrf_cache_probe_valid(const struct smrf_cache *c, uint64_t address, uint32_t set);

#ifdef __cplusplus
}
#endif

#endif
