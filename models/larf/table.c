/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <string.h>

uint32_t smrf_amt_capacity(const struct smrf_larf_params *options, uint32_t registers)
{
    return options->entries && options->entries < registers ? options->entries : registers;
}

void smrf_amt_init(struct smrf_amt *t, const struct smrf_larf_params *options, uint32_t subcores,
                   uint32_t physical)
{
    t->options = *options;
    t->physical = physical;
    t->capacity = smrf_amt_capacity(options, subcores * physical);
    t->count = 0;
    t->order = 0;
    memset(t->bucket, 0xff, sizeof t->bucket);
    memset(t->entry, 0, t->capacity * sizeof *t->entry);
    memset(t->of_register, 0xff, subcores * physical * sizeof *t->of_register);
}

/* --- what a load brings ----------------------------------------------------------------------- */

/* Lanes without a gap. */
static bool is_run_(uint32_t mask)
{
    const uint32_t run = mask >> __builtin_ctz(mask);
    return (run & (run + 1)) == 0;
}

static bool lanes_fit_(const struct smrf_amt *t, uint32_t mask)
{
    switch ((enum smrf_larf_lanes)t->options.lanes) {
    case SMRF_LARF_LANES_ANY:
        return true;
    case SMRF_LARF_LANES_FIRST:
        return (mask & (mask + 1)) == 0;
    case SMRF_LARF_LANES_RUN:
        break;
    }
    return is_run_(mask);
}

/* Distance of neighbours, if it is the same from lane to lane, inactive ones counted. */
static bool stride_(const struct smrf_inst *inst, int64_t *stride)
{
    const unsigned first = (unsigned)__builtin_ctz(inst->mask);
    const uint64_t at = smrf_inst_address(inst, first);
    uint32_t rest = inst->mask & (inst->mask - 1);
    *stride = 0;
    if (!rest) {
        return true;
    }
    if (inst->addr_kind == SMRF_ADDR_STRIDE && is_run_(inst->mask)) {
        *stride = inst->stride;
        return true;
    }
    const unsigned second = (unsigned)__builtin_ctz(rest);
    const int64_t apart = (int64_t)(smrf_inst_address(inst, second) - at);
    *stride = apart / (int64_t)(second - first);
    for (; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        if (smrf_inst_address(inst, l) != at + (uint64_t)(l - first) * (uint64_t)*stride) {
            return false;
        }
    }
    return true;
}

static bool stride_fits_(const struct smrf_amt *t, int64_t stride)
{
    const uint64_t unit = t->options.stride_unit == SMRF_LARF_ELEMENTS ? 4 : 1;
    const uint64_t most = t->options.stride_max * unit;
    const uint64_t size = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    return t->options.stride_max == 0 || (size <= most && size % unit == 0);
}

bool smrf_amt_describe(const struct smrf_amt *t, const struct smrf_inst *inst,
                       struct smrf_amt_bytes *bytes)
{
    const unsigned first = (unsigned)__builtin_ctz(inst->mask);
    if (!lanes_fit_(t, inst->mask) || !stride_(inst, &bytes->stride) ||
        !stride_fits_(t, bytes->stride)) {
        return false;
    }
    const uint64_t at = smrf_inst_address(inst, first);
    bytes->base = at - first * (uint64_t)bytes->stride;
    bytes->lanes = inst->mask;
    const uint32_t bits = t->options.base_bits;
    return bits == 0 || t->count == 0 || at >> bits == t->window;
}

/* --- look-up ---------------------------------------------------------------------------------- */

static unsigned bucket_(unsigned sub, uint64_t base, int64_t stride)
{
    uint64_t h = (base ^ (uint64_t)stride << 40 ^ sub) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(h >> 54) & (SMRF_AMT_BUCKETS - 1);
}

/* The next entry with these addresses, from one of the same bucket on. */
static struct smrf_amt_entry *next_(struct smrf_amt *t, uint16_t at, unsigned sub, uint64_t base,
                                    int64_t stride)
{
    for (; at != SMRF_AMT_NONE; at = t->entry[at].next) {
        struct smrf_amt_entry *e = &t->entry[at];
        if (e->bytes.base == base && e->bytes.stride == stride && e->sub == sub) {
            return e;
        }
    }
    return NULL;
}

struct smrf_amt_entry *smrf_amt_find(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes)
{
    uint16_t at = t->bucket[bucket_(sub, bytes.base, bytes.stride)];
    struct smrf_amt_entry *e;
    while ((e = next_(t, at, sub, bytes.base, bytes.stride)) != NULL) {
        if ((bytes.lanes & ~e->bytes.lanes) == 0) {
            return e;
        }
        at = e->next;
    }
    return NULL;
}

/* Lanes l of the sought whose lane l + shift an entry has. */
static uint32_t reach_(uint32_t lanes, int shift)
{
    return shift >= 0 ? lanes >> shift : lanes << -shift;
}

/* Entries from which a load may take a part. */
struct sources_ {
    uint32_t load; /* itself, whose entries are none of them */
    bool pending;  /* those of loads that have not ended, too */
    bool passed;   /* result: there were some of these, which could not be taken */
};

static bool may_give_(struct sources_ *from, const struct smrf_amt_entry *e)
{
    const bool waits = e->flight != SMRF_NO_FLIGHT && e->flight != from->load;
    from->passed |= waits && !from->pending;
    return e->flight == SMRF_NO_FLIGHT || (waits && from->pending);
}

/* What may give a part: shift by shift, of each the entry that gives most. */
static unsigned candidates_(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes,
                            struct sources_ *from, struct smrf_amt_pair all[2 * SMRF_LANES])
{
    unsigned n = 0;
    for (int shift = 1 - SMRF_LANES; shift < SMRF_LANES; shift++) {
        const uint64_t base = bytes.base - (uint64_t)(shift * bytes.stride);
        uint16_t at = t->bucket[bucket_(sub, base, bytes.stride)];
        struct smrf_amt_entry *e;
        uint32_t most = 0;
        for (; (e = next_(t, at, sub, base, bytes.stride)) != NULL; at = e->next) {
            const uint32_t lanes = reach_(e->bytes.lanes, shift) & bytes.lanes;
            const uint32_t count = may_give_(from, e) ? smrf_count_bits(lanes) : 0;
            if (count > most) {
                most = count;
                all[n].entry[0] = e;
                all[n].lanes[0] = lanes;
                all[n].shift[0] = (int8_t)shift;
            }
        }
        n += most != 0;
    }
    return n;
}

static bool cover_(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes,
                   struct sources_ *from, struct smrf_amt_pair *pair)
{
    struct smrf_amt_pair all[2 * SMRF_LANES];
    const unsigned n = candidates_(t, sub, bytes, from, all);
    for (unsigned a = 0; a < n; a++) {
        const uint32_t missing = bytes.lanes & ~all[a].lanes[0];
        for (unsigned b = a; b < n; b++) {
            if (missing & ~all[b].lanes[0]) {
                continue;
            }
            *pair = all[a];
            pair->entry[1] = all[b].entry[0];
            pair->lanes[1] = missing;
            pair->shift[1] = all[b].shift[0];
            return true;
        }
    }
    return false;
}

bool smrf_amt_cover(struct smrf_amt *t, unsigned sub, struct smrf_amt_bytes bytes, uint32_t flight,
                    struct smrf_amt_pair *pair)
{
    struct sources_ from = {.load = flight};
    if (cover_(t, sub, bytes, &from, pair)) {
        return true;
    }
    from.pending = t->options.partial_pending;
    return from.passed && from.pending && cover_(t, sub, bytes, &from, pair);
}

void smrf_amt_use(struct smrf_amt *t, struct smrf_amt_entry *e)
{
    e->used = ++t->order;
}

/* --- entries come and go ---------------------------------------------------------------------- */

static uint16_t *link_(struct smrf_amt *t, const struct smrf_amt_entry *e)
{
    uint16_t *at = &t->bucket[bucket_(e->sub, e->bytes.base, e->bytes.stride)];
    while (&t->entry[*at] != e) {
        at = &t->entry[*at].next;
    }
    return at;
}

void smrf_amt_remove(struct smrf_amt *t, struct smrf_amt_entry *e)
{
    *link_(t, e) = e->next;
    t->of_register[e->sub * t->physical + e->phys] = SMRF_AMT_NONE;
    e->taken = false;
    t->count--;
}

struct smrf_amt_entry *smrf_amt_of(struct smrf_amt *t, unsigned sub, unsigned phys)
{
    const uint16_t at = t->of_register[sub * t->physical + phys];
    return at == SMRF_AMT_NONE ? NULL : &t->entry[at];
}

/* A free entry, or the one used longest ago whose load has ended; NULL: none of either. */
static struct smrf_amt_entry *room_(const struct smrf_amt *t)
{
    struct smrf_amt_entry *best = NULL;
    for (uint32_t i = 0; i < t->capacity; i++) {
        struct smrf_amt_entry *e = &t->entry[i];
        if (!e->taken) {
            return e;
        }
        if (e->flight == SMRF_NO_FLIGHT && (!best || e->used < best->used)) {
            best = e;
        }
    }
    return t->options.replacement == SMRF_LARF_REPLACE_LRU ? best : NULL;
}

struct smrf_amt_entry *smrf_amt_insert(struct smrf_amt *t, unsigned sub, unsigned phys,
                                       struct smrf_amt_bytes bytes, uint32_t flight, uint64_t cycle,
                                       struct smrf_amt_entry *out)
{
    struct smrf_amt_entry *e = room_(t);
    out->taken = false;
    if (!e) {
        return NULL;
    }
    if (t->count == 0 && t->options.base_bits) {
        const unsigned first = (unsigned)__builtin_ctz(bytes.lanes);
        t->window = (bytes.base + first * (uint64_t)bytes.stride) >> t->options.base_bits;
    }
    if (e->taken) {
        *out = *e;
        smrf_amt_remove(t, e);
    }
    uint16_t *bucket = &t->bucket[bucket_(sub, bytes.base, bytes.stride)];
    *e = (struct smrf_amt_entry){
        .bytes = bytes,
        .since = cycle,
        .loaded = cycle,
        .flight = flight,
        .phys = (uint16_t)phys,
        .sub = (uint8_t)sub,
        .taken = true,
        .next = *bucket,
    };
    *bucket = (uint16_t)(e - t->entry);
    t->of_register[sub * t->physical + phys] = *bucket;
    t->count++;
    smrf_amt_use(t, e);
    return e;
}

/* --- stores ----------------------------------------------------------------------------------- */

static uint64_t at_(const struct smrf_amt_bytes *b, unsigned lane)
{
    return b->base + lane * (uint64_t)b->stride;
}

static bool meet_(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

struct smrf_amt_store smrf_amt_store_of(const struct smrf_inst *inst)
{
    struct smrf_amt_store store = {inst, {UINT64_MAX, 0}};
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(inst, (unsigned)__builtin_ctz(m));
        store.span.low = at < store.span.low ? at : store.span.low;
        store.span.high = at > store.span.high ? at : store.span.high;
    }
    return store;
}

bool smrf_amt_lanes_in_range(const struct smrf_amt_bytes *b, const struct smrf_amt_store *store)
{
    const struct smrf_amt_span span = smrf_amt_span_of(b);
    for (uint32_t m = store->inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(store->inst, (unsigned)__builtin_ctz(m));
        if (meet_(span.low, span.high - span.low + 4, at, store->inst->op->access_bytes)) {
            return true;
        }
    }
    return false;
}

bool smrf_amt_lanes_overlap(const struct smrf_amt_bytes *b, const struct smrf_amt_store *store)
{
    if (!smrf_amt_lanes_in_range(b, store)) {
        return false;
    }
    const uint64_t written = store->inst->op->access_bytes;
    for (uint32_t m = store->inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(store->inst, (unsigned)__builtin_ctz(m));
        for (uint32_t lanes = b->lanes; lanes; lanes &= lanes - 1) {
            if (meet_(at_(b, (unsigned)__builtin_ctz(lanes)), 4, at, written)) {
                return true;
            }
        }
    }
    return false;
}
