/* SPDX-License-Identifier: Apache-2.0 */
/* Address mapping table in the load/store unit: which physical register holds what a load has
 * brought, or will bring. An entry is a register: the address of lane 0 (extrapolated, whether or
 * not that lane was active), the stride from lane to lane in bytes, the lanes.
 * Source: LARF 3 (address mapping table, mapping controller), 4.2 (size). */
#ifndef SMRF_LARF_TABLE_H
#define SMRF_LARF_TABLE_H

#include "larf_params.h"

#include "models/flight/flight.h"
#include "models/seam/memory_seam.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_AMT_NONE UINT16_MAX
#define SMRF_AMT_BUCKETS 1024 /* a power of two */

/* What a register of a load holds, lane by lane: 4 bytes from base + lane x stride. */
struct smrf_amt_bytes {
    uint64_t base;
    int64_t stride;
    uint32_t lanes;
};

struct smrf_amt_entry {
    struct smrf_amt_bytes bytes;
    uint64_t used;   /* order of its last use */
    uint64_t since;  /* cycle in which its load was looked up: own stores since then take it out */
    uint64_t loaded; /* load cycle of its oldest part, for a merged load */
    uint32_t flight; /* the load, SMRF_NO_FLIGHT: it has ended */
    uint16_t phys;
    uint8_t sub;
    bool taken;
    bool stale_local, stale_remote; /* stores have changed the bytes since, which it has survived */
    uint16_t next;                  /* of the same bucket */
};

struct smrf_amt {
    struct smrf_larf_params options;
    uint32_t physical; /* registers of a sub-core */
    uint32_t capacity, count;
    uint64_t order; /* of uses so far */
    uint64_t window;
    uint16_t bucket[SMRF_AMT_BUCKETS];
    struct smrf_amt_entry *entry; /* [capacity], the owner's */
    uint16_t *of_register;        /* [subcores * physical]: its entry, SMRF_AMT_NONE; the owner's */
};

/* Number of entries for a machine with `registers` registers. */
uint32_t smrf_amt_capacity(const struct smrf_larf_params *options, uint32_t registers);
/* entry, of_register: set by the owner before. */
void smrf_amt_init(struct smrf_amt *t, const struct smrf_larf_params *options, uint32_t subcores,
                   uint32_t physical);

/* What the first register of a load holds; the i-th 4 x i bytes further on. Returns false: the
 * table has no form for it. */
bool smrf_amt_describe(const struct smrf_amt *t, const struct smrf_inst *inst,
                       struct smrf_amt_bytes *bytes);

static inline struct smrf_amt_bytes smrf_amt_word(struct smrf_amt_bytes bytes, unsigned i)
{
    bytes.base += 4 * (uint64_t)i;
    return bytes;
}

/* An entry of the sub-core that holds all of it, NULL: none. */
struct smrf_amt_entry *smrf_amt_find(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes);

/* Two entries that hold it together, of loads that have ended, or else that will
 * (larf.partial_pending), not that of the load itself. Returns false: there are none. */
struct smrf_amt_pair {
    struct smrf_amt_entry *entry[2];
    uint32_t lanes[2]; /* of what is sought */
    int8_t shift[2];   /* lane l of it is lane l + shift of the entry */
};
bool smrf_amt_cover(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes, uint32_t flight,
                    struct smrf_amt_pair *pair);

/* The entry becomes the one that was used last. */
void smrf_amt_use(struct smrf_amt *t, struct smrf_amt_entry *e);

/* Makes an entry for a load's register. Returns it, or NULL: the table has no room. *out: the entry
 * that it replaced; taken = false: none. */
struct smrf_amt_entry *smrf_amt_insert(struct smrf_amt *t, unsigned sub, unsigned phys,
                                       struct smrf_amt_bytes bytes, uint32_t flight, uint64_t cycle,
                                       struct smrf_amt_entry *out);
/* The entry of a register, NULL: it has none. */
struct smrf_amt_entry *smrf_amt_of(struct smrf_amt *t, unsigned sub, unsigned phys);
void smrf_amt_remove(struct smrf_amt *t, struct smrf_amt_entry *e);

/* Lowest and highest address of lanes. */
struct smrf_amt_span {
    uint64_t low, high;
};

/* A store, with its span, which is found once for all entries. */
struct smrf_amt_store {
    const struct smrf_inst *inst;
    struct smrf_amt_span span;
};
struct smrf_amt_store smrf_amt_store_of(const struct smrf_inst *inst);

static inline struct smrf_amt_span smrf_amt_span_of(const struct smrf_amt_bytes *b)
{
    const uint64_t first = b->base + (uint64_t)__builtin_ctz(b->lanes) * (uint64_t)b->stride;
    const uint64_t last = b->base + (31 - (uint64_t)__builtin_clz(b->lanes)) * (uint64_t)b->stride;
    const struct smrf_amt_span span = {first < last ? first : last, first < last ? last : first};
    return span;
}

/* Do the spans meet? */
static inline bool smrf_amt_probe_close(const struct smrf_amt_bytes *b,
                                        const struct smrf_amt_store *store)
{
    const struct smrf_amt_span span = smrf_amt_span_of(b);
    return span.low < store->span.high + store->inst->op->access_bytes &&
           store->span.low < span.high + 4;
}

/* Lane by lane, where the spans meet. */
bool smrf_amt_lanes_overlap(const struct smrf_amt_bytes *bytes, const struct smrf_amt_store *store);
bool smrf_amt_lanes_in_range(const struct smrf_amt_bytes *bytes,
                             const struct smrf_amt_store *store);

/* Does a store of these lanes' bytes change what an entry holds (or lies in its range)? Most
 * entries are far from what is stored. */
static inline bool smrf_amt_overlaps(const struct smrf_amt_bytes *b,
                                     const struct smrf_amt_store *store)
{
    return smrf_amt_probe_close(b, store) && smrf_amt_lanes_overlap(b, store);
}
static inline bool smrf_amt_in_range(const struct smrf_amt_bytes *b,
                                     const struct smrf_amt_store *store)
{
    return smrf_amt_probe_close(b, store) && smrf_amt_lanes_in_range(b, store);
}

#ifdef __cplusplus
}
#endif

#endif
