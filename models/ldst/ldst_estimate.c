/* SPDX-License-Identifier: Apache-2.0 */
#include "models/ldst/ldst_estimate.h"

#include "models/common/smrf_assert.h"
#include "models/ldst/ldst_internal.h"

#include <string.h>

/* A cycle in the holding register before the write. */
#define WRITE_BACK 2

void smrf_ldst_estimate_init(struct smrf_ldst_estimate *q, struct smrf_ldst *unit)
{
    q->unit = unit;
    smrf_ldst_estimate_reset(q);
}

void smrf_ldst_estimate_reset(struct smrf_ldst_estimate *q)
{
    q->free = q->missed = q->written = q->sent = q->open[0] = q->open[1] = 0;
    q->head = q->count = q->fills = 0;
    q->join_free = q->joins_used = 0;
    q->joins_known = 1;
}

bool smrf_ldst_estimate_room(const struct smrf_ldst_estimate *q)
{
    const struct smrf_ldst *l = q->unit;

    return q->fills < l->cfg.l1d.mshrs && q->count + SMRF_MAX_SECTORS <= SMRF_LDST_SENDS &&
           q->joins_used + SMRF_MAX_SECTORS < SMRF_LDST_JOINS && l->entry_free != SMRF_LDST_NONE;
}

/* --- requests --------------------------------------------------------------------------------- */

static inline struct smrf_ldst_planned *planned_(struct smrf_ldst_estimate *q, uint32_t n)
{
    return &q->planned[(q->head + n) % SMRF_LDST_SENDS];
}

/* A request leaves in its cycle: in the order of cycles. */
static inline void plan_(struct smrf_ldst_estimate *q, const struct smrf_ldst_planned *p)
{
    uint32_t n = q->count++;

    SMRF_ASSERT(n < SMRF_LDST_SENDS);
    for (; n > 0 && planned_(q, n - 1)->cycle > p->cycle; n--) {
        *planned_(q, n) = *planned_(q, n - 1);
    }
    *planned_(q, n) = *p;
}

/* The L1D sends a request a cycle, from the one on after its instruction's first sectors have
 * reached the tags: further sectors come at least as fast. */
static inline void miss_(struct smrf_ldst_estimate *q, const struct smrf_sector *s, uint32_t what,
                         uint16_t owner, uint8_t kind, uint64_t tags)
{
    const struct smrf_ldst_planned p = {.cycle = q->missed > tags + 1 ? q->missed : tags + 1,
                                        .address = s->address,
                                        .bytes = s->bytes,
                                        .what = what,
                                        .owner = owner,
                                        .kind = kind};

    q->missed++;
    plan_(q, &p);
}

void smrf_ldst_estimate_send(struct smrf_ldst_estimate *q, uint64_t until)
{
    while (q->count) {
        const struct smrf_ldst_planned *p = planned_(q, 0);
        const uint64_t open = q->open[p->past] > q->sent ? q->open[p->past] : q->sent;
        struct smrf_mem_request r = {.address = p->address,
                                     .cycle = open > p->cycle ? open : p->cycle,
                                     .byte_mask = p->bytes,
                                     .kind = p->kind};

        if (r.cycle >= until) {
            return;
        }
        q->sent = r.cycle;
        q->open[p->past] = r.cycle + 1;
        if (smrf_ldst_send(q->unit, &r, p->what, p->owner)) {
            q->head = (q->head + 1) % SMRF_LDST_SENDS;
            q->count--;
        }
    }
}

uint64_t smrf_ldst_estimate_sends(const struct smrf_ldst_estimate *q)
{
    const struct smrf_ldst_planned *p = &q->planned[q->head];
    const uint64_t open = q->open[p->past] > q->sent ? q->open[p->past] : q->sent;

    return q->count == 0 ? SMRF_NEVER : open > p->cycle ? open : p->cycle;
}

/* --- the L1D ---------------------------------------------------------------------------------- */

/* The neighbours among an instruction's sectors that are of one line, in front of `end`. */
struct line_ {
    uint32_t first, end;
    unsigned bits; /* of them in the line */
};

static inline struct line_ line_before_(const struct smrf_sector *s, uint32_t end)
{
    const uint64_t line = s[end - 1].address / SMRF_LINE_BYTES;
    struct line_ g = {.first = end, .end = end};

    for (; g.first > 0 && s[g.first - 1].address / SMRF_LINE_BYTES == line; g.first--) {
        g.bits |= smrf_cache_sector(s[g.first - 1].address);
    }
    return g;
}

static inline uint32_t bank_(const struct smrf_ldst *l, uint64_t address)
{
    const uint64_t sector = address / SMRF_SECTOR_BYTES;

    return l->bank_mask != UINT32_MAX ? (uint32_t)sector & l->bank_mask
                                      : (uint32_t)(sector % l->cfg.l1d.banks);
}

/* When they enter the pipes of their banks: in order, the last one first, each as soon as its bank
 * has room, and the tags have taken the lines before. */
static void enter_each_(struct smrf_ldst_estimate *q, uint64_t at)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t banks = l->cfg.l1d.banks, interval = l->cfg.l1d.line_interval;
    uint64_t line = SMRF_NEVER;
    uint8_t taken[SMRF_LDST_MAX_PIPES];

    memset(taken, 0, banks);
    l->tags_free = at;
    for (uint32_t i = d->left; i > 0; i--) {
        const uint32_t b = bank_(l, d->sector[i - 1].address);

        if (taken[b] == l->cfg.l1d.ports) {
            memset(taken, 0, banks);
            at = l->tags_free > at + 1 ? l->tags_free : at + 1;
            l->tags_free = at;
            line = SMRF_NEVER;
        }
        taken[b]++;
        l->tags_free += d->sector[i - 1].address / SMRF_LINE_BYTES != line ? interval : 0;
        line = d->sector[i - 1].address / SMRF_LINE_BYTES;
        q->entered[i - 1] = at;
    }
}

/* The same. Returns when the last one does. */
static inline uint64_t enter_(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t at = l->tags_free > cycle + 1 ? l->tags_free : cycle + 1;

    if (d->left > l->cfg.l1d.banks || l->cfg.l1d.line_interval > 0 ||
        d->sector[d->left - 1].address - d->sector[0].address !=
            (uint64_t)(d->left - 1) * SMRF_SECTOR_BYTES) {
        enter_each_(q, at);
        return q->entered[0];
    }
    for (uint32_t i = 0; i < d->left; i++) {
        q->entered[i] = at;
    }
    return at;
}

static inline void count_(struct smrf_ldst *l, unsigned access, unsigned of, uint32_t n)
{
    uint64_t **kind = l->l1d_stat[access & (SMRF_LDST_STORE | SMRF_LDST_LOCAL)];

    *kind[0] += n;
    *kind[of] += n;
    l->stats.l1d_spill_accesses += access & SMRF_LDST_SPILL ? n : 0;
}

/* Sectors of a line in a mask of them: a digit for each mask. */
static inline uint32_t sectors_in_(unsigned mask)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> 4 * mask & 15);
}

/* An entry waits for a sector that has been asked for. */
static void join_(struct smrf_ldst_estimate *q, uint16_t *note, uint16_t entry)
{
    uint16_t at = q->join_free;

    if (at) {
        q->join_free = q->join[at].next;
    } else {
        at = q->joins_known++;
        SMRF_ASSERT(at < SMRF_LDST_JOINS);
    }
    q->joins_used++;
    q->join[at] = (struct smrf_ldst_join){entry, *note};
    *note = at;
}

/* The sectors of a load that are not there: they are asked for, or joined. */
static inline void await_(struct smrf_ldst_estimate *q, const struct line_ *g, uint32_t line,
                          unsigned missing, unsigned awaited, uint16_t entry)
{
    struct smrf_ldst *l = q->unit;

    for (uint32_t i = g->end; i > g->first; i--) {
        const struct smrf_sector all = {l->dispatch.sector[i - 1].address, UINT32_MAX};
        const uint32_t sector = smrf_cache_sector_of(all.address);

        if (missing >> sector & 1) {
            const bool kept = line != SMRF_CACHE_NO_LINE;

            miss_(q, &all, kept ? smrf_ldst_fill_of(line, sector) : SMRF_LDST_REQ_DIRECT, entry,
                  SMRF_MEM_READ, q->entered[i - 1] + l->cfg.l1d.latency);
            q->fills += kept;
        } else if (awaited >> sector & 1) {
            join_(q, smrf_cache_note(&l->tags, line, all.address), entry);
        }
    }
}

/* The sectors of a load in one line; *hit: when those that are there will have been found. Returns
 * how many are awaited. A line that finds no place is read all the same, and not kept. */
static inline uint32_t load_line_(struct smrf_ldst_estimate *q, const struct line_ *g,
                                  uint16_t entry, uint64_t *hit)
{
    struct smrf_ldst *l = q->unit;
    const unsigned access = l->dispatch.access;
    const uint64_t address = l->dispatch.sector[g->first].address;
    const uint32_t set = smrf_cache_linear_set(&l->tags, address);
    struct smrf_cache_found f = smrf_cache_probe(&l->tags, address, set, false);
    struct smrf_cache_victim victim = {.evicted = false};
    unsigned awaited = 0, missing = g->bits;

    if (f.result <= SMRF_CACHE_SECTOR_MISS) { /* the line is there */
        const unsigned there = smrf_cache_readable(&l->tags, f.line, g->bits);

        missing = g->bits & ~smrf_cache_known(&l->tags, f.line, g->bits);
        awaited = g->bits & ~(there | missing);
        f.result = missing ? SMRF_CACHE_SECTOR_MISS : SMRF_CACHE_HIT;
    }
    if (f.result == SMRF_CACHE_HIT) {
        smrf_cache_read(&l->tags, &f, &victim);
    } else if (f.result != SMRF_CACHE_FULL) {
        f.address = address / SMRF_LINE_BYTES * SMRF_LINE_BYTES +
                    (uint64_t)__builtin_ctz(missing) * SMRF_SECTOR_BYTES;
        smrf_cache_read_all(&l->tags, &f, missing, &victim);
    }
    l->stats.l1d_evictions += victim.evicted;
    count_(l, access, 1, sectors_in_(g->bits & ~(missing | awaited)));
    if (!(missing | awaited)) {
        *hit = q->entered[g->first] > *hit ? q->entered[g->first] : *hit;
        return 0;
    }
    for (uint32_t i = g->first; i < g->end; i++) {
        const unsigned bit = smrf_cache_sector(l->dispatch.sector[i].address);

        *hit = !((missing | awaited) & bit) && q->entered[i] > *hit ? q->entered[i] : *hit;
    }
    count_(l, access, 2, sectors_in_(awaited));
    count_(l, access, 3, sectors_in_(missing));
    await_(q, g, f.line, missing, awaited, entry);
    return sectors_in_(missing | awaited);
}

static inline void store_(struct smrf_ldst_estimate *q, const struct smrf_sector *s, uint64_t tags)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t set = smrf_cache_linear_set(&l->tags, s->address);
    const struct smrf_cache_found f = smrf_cache_probe(&l->tags, s->address, set, true);
    struct smrf_cache_victim victim;

    if (f.result != SMRF_CACHE_FULL) {
        smrf_cache_write(&l->tags, &f, s->bytes, &victim);
        l->stats.l1d_evictions += victim.evicted;
    }
    miss_(q, s, SMRF_LDST_REQ_WRITE, d->warp, SMRF_MEM_WRITE, tags);
    count_(l, d->access, 1 + (f.result < SMRF_CACHE_SECTOR_MISS ? f.result : 2u), 1);
}

/* --- an instruction --------------------------------------------------------------------------- */

static inline uint16_t take_entry_(struct smrf_ldst *l, const struct smrf_ldst_inst *in,
                                   uint32_t pending)
{
    const uint16_t i = smrf_ldst_entry_take(l);

    l->entry[i] = (struct smrf_ldst_entry){.slot = in->slot,
                                           .pending = (uint16_t)pending,
                                           .flags = smrf_ldst_entry_flags(l, in->inst)};
    return i;
}

static inline struct smrf_ldst_outlook store_all_(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t left = enter_(q, cycle);

    if (d->access & SMRF_LDST_ALWAYS_HITS) {
        count_(l, d->access, 1, d->left);
        return (struct smrf_ldst_outlook){left, left, 0};
    }
    for (uint32_t i = d->left; i > 0; i--) {
        store_(q, &d->sector[i - 1], q->entered[i - 1] + l->cfg.l1d.latency);
    }
    return (struct smrf_ldst_outlook){left, left, d->left};
}

static inline struct smrf_ldst_outlook load_all_(struct smrf_ldst_estimate *q,
                                                 const struct smrf_ldst_inst *in, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    struct smrf_ldst_outlook o = {.left = enter_(q, cycle)};
    const bool dst = smrf_ldst_entry_flags(l, in->inst) & SMRF_LDST_HAS_DST;
    const uint16_t entry = l->entry_free;
    uint32_t awaited = 0, left = d->left;
    uint64_t hit = 0;

    if (d->access & SMRF_LDST_ALWAYS_HITS) {
        count_(l, d->access, 1, d->left);
        hit = o.left;
        left = 0;
    }
    while (left > 0) {
        const struct line_ g = line_before_(d->sector, left);

        awaited += load_line_(q, &g, entry, &hit);
        left = g.first;
    }
    const bool writes =
        dst && (l->cfg.rf.l1_hit_writes || (awaited && !l->cfg.rf.write_per_sector));
    o.end = hit ? hit + l->cfg.l1d.latency + (writes ? WRITE_BACK : 0) : 0;
    if (awaited) {
        (void)take_entry_(l, in, awaited);
        l->entry[entry].flags |= SMRF_LDST_MISSED;
        q->hit[entry] = o.end;
        o.end = SMRF_NEVER;
    } else {
        l->stats.write_backs += writes;
        l->stats.hits_completed += !writes;
    }
    return o;
}

/* Past the L1D, a sector a cycle. */
static inline struct smrf_ldst_outlook pass_(struct smrf_ldst_estimate *q,
                                             const struct smrf_ldst_inst *in, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint16_t owner = d->is_store ? d->warp : take_entry_(l, in, d->left);
    struct smrf_ldst_planned p = {.cycle = cycle,
                                  .what = d->is_store ? SMRF_LDST_REQ_WRITE : SMRF_LDST_REQ_DIRECT,
                                  .owner = owner,
                                  .kind = d->is_atomic  ? SMRF_MEM_ATOMIC
                                          : d->is_store ? SMRF_MEM_WRITE
                                                        : SMRF_MEM_READ,
                                  .past = true};

    for (uint32_t i = d->left; i > 0; i--) {
        p.cycle++;
        p.address = d->sector[i - 1].address;
        p.bytes = p.kind == SMRF_MEM_READ ? UINT32_MAX : d->sector[i - 1].bytes;
        plan_(q, &p);
    }
    q->hit[d->is_store ? 0 : owner] = 0;
    return (struct smrf_ldst_outlook){p.cycle, d->is_store ? p.cycle : SMRF_NEVER,
                                      d->is_store ? d->left : 0};
}

/* A shared access without a destination ends when it leaves. */
static inline struct smrf_ldst_outlook share_(struct smrf_ldst *l, const struct smrf_ldst_inst *in,
                                              uint64_t cycle)
{
    const uint64_t left = cycle + l->dispatch.passes;
    const bool writes =
        !l->dispatch.is_store && smrf_ldst_entry_flags(l, in->inst) & SMRF_LDST_HAS_DST;
    const uint64_t end = left + l->cfg.ldst.shared_latency + WRITE_BACK - 1;

    l->stats.write_backs += writes;
    return (struct smrf_ldst_outlook){left, writes ? end : left, 0};
}

struct smrf_ldst_outlook smrf_ldst_estimate_enter(struct smrf_ldst_estimate *q,
                                                  const struct smrf_ldst_inst *in, uint64_t now,
                                                  uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t tags = now + l->cfg.l1d.latency + 1;
    struct smrf_ldst_outlook o;

    q->missed = q->missed > tags ? q->missed : tags;
    smrf_ldst_generate(l, in);
    smrf_ldst_count(l, in->inst);
    if (d->route == SMRF_LDST_ROUTE_SHARED) {
        o = share_(l, in, cycle);
    } else if (d->route == SMRF_LDST_ROUTE_DONE) {
        o = (struct smrf_ldst_outlook){cycle + 1, cycle + 1, 0};
    } else if (d->route == SMRF_LDST_ROUTE_PORT) {
        o = pass_(q, in, cycle);
    } else {
        o = d->is_store ? store_all_(q, cycle) : load_all_(q, in, cycle);
    }
    q->free = (q->free > now ? q->free : now) + (o.left - cycle);
    return o;
}

/* --- answers ---------------------------------------------------------------------------------- */

uint64_t smrf_ldst_estimate_next(const struct smrf_ldst_estimate *q)
{
    return q->unit->answer_due;
}

/* A sector for an entry has arrived. Results of the memory are written one a cycle. */
static inline void arrive_(struct smrf_ldst_estimate *q, uint16_t i, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    struct smrf_ldst_entry *e = &l->entry[i];
    const bool last = --e->pending == 0;
    const bool writes = (e->flags & SMRF_LDST_HAS_DST) && (last || l->cfg.rf.write_per_sector);
    uint64_t end = (q->written > cycle + 1 ? q->written : cycle + 1) + 1;

    q->written = end;
    if (last && e->flags & SMRF_LDST_ATOMIC) {
        l->events.answered(l->events.ctx, e->slot);
    }
    end = last && q->hit[i] > end ? q->hit[i] : end;
    if (writes) {
        (void)l->events.write_back(l->events.ctx, e->slot, last, end);
        l->stats.write_backs++;
    } else if (last) {
        l->events.complete(l->events.ctx, e->slot, end);
    }
    smrf_ldst_entry_release_if(l, i, last);
}

static inline void fill_(struct smrf_ldst_estimate *q, uint32_t what, uint16_t owner,
                         uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    uint16_t at;
    const bool filled =
        smrf_cache_fill_line(&l->tags, smrf_ldst_line_of(what), smrf_ldst_sector_of(what), &at);

    SMRF_ASSERT(filled);
    l->stats.l1d_fills++;
    q->fills--;
    arrive_(q, owner, cycle);
    while (at) {
        struct smrf_ldst_join *join = &q->join[at];
        const uint16_t next = join->next;

        arrive_(q, join->entry, cycle);
        join->next = q->join_free;
        q->join_free = at;
        q->joins_used--;
        at = next;
    }
}

void smrf_ldst_estimate_take(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;

    while (l->answer_due <= cycle) {
        const uint16_t i = (uint16_t)smrf_ldst_answer(l, l->answer_head)->id;
        const uint32_t what = l->request[i].what;
        const uint16_t owner = l->request[i].owner;

        l->stats.answers++;
        smrf_ldst_request_release(l, i);
        l->answer_head = (l->answer_head + 1) % SMRF_LDST_REQUESTS;
        l->answer_due = --l->answers ? smrf_ldst_answer(l, l->answer_head)->arrival : SMRF_NEVER;
        switch (smrf_ldst_kind_of(what)) {
        case SMRF_LDST_REQ_WRITE:
            l->events.stores(l->events.ctx, owner, -1);
            break;
        case SMRF_LDST_REQ_DIRECT:
            arrive_(q, owner, cycle);
            break;
        default:
            fill_(q, what, owner, cycle);
        }
    }
}

void smrf_ldst_estimate_kept(struct smrf_ldst_stats *kept)
{
    kept->bank_conflict_stalls = kept->port_stalls = kept->shared_full_stalls = 0;
    kept->mshr_stalls = kept->merge_stalls = kept->miss_queue_stalls = kept->way_stalls = 0;
    kept->write_back_retries = 0;
}
