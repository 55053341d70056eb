/* SPDX-License-Identifier: Apache-2.0 */
/* The L1D without its cycles: what an instruction finds in it, and asks for. */
#include "models/ldst/ldst_estimate_internal.h"

#include <string.h>

/* --- requests --------------------------------------------------------------------------------- */

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
    smrf_ldst_plan(q, &p);
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

/* When they enter the pipes of their banks: in order, the last one first, each as soon as its bank
 * has room, and the tags have taken the lines before. */
static void enter_each_(struct smrf_ldst_estimate *q, uint64_t at)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t banks = l->cfg.l1d.banks;
    uint64_t line = SMRF_NEVER;
    uint32_t lines = 0, n = 0; /* that enter at once */
    uint8_t taken[SMRF_LDST_MAX_PIPES];

    memset(taken, 0, banks);
    for (uint32_t i = d->left; i > 0; i--) {
        const uint32_t b = smrf_ldst_bank_of(l, d->sector[i - 1].address);

        if (taken[b] == l->cfg.l1d.ports) {
            const uint64_t busy = smrf_ldst_tag_cycles(l, lines, n);
            memset(taken, 0, banks);
            at += busy > 1 ? busy : 1;
            line = SMRF_NEVER;
            lines = n = 0;
        }
        taken[b]++;
        n++;
        lines += d->sector[i - 1].address / SMRF_LINE_BYTES != line;
        line = d->sector[i - 1].address / SMRF_LINE_BYTES;
        q->entered[i - 1] = at;
    }
    l->tags_free = at + smrf_ldst_tag_cycles(l, lines, n);
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
static void join_(struct smrf_ldst_estimate *q, uint16_t *note, uint16_t entry, uint64_t tags)
{
    uint16_t at = q->join_free;

    if (at) {
        q->join_free = q->join[at].next;
    } else {
        at = q->joins_known++;
        SMRF_ASSERT(at < SMRF_LDST_JOINS);
    }
    q->joins_used++;
    q->join[at] = (struct smrf_ldst_join){(uint32_t)tags, entry, *note};
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
            join_(q, smrf_cache_note(&l->tags, line, all.address), entry,
                  smrf_ldst_at_tags(q, i - 1));
        }
    }
}

/* The sectors of a load in one line, of which `there` are there. */
static inline void find_hits_(const struct smrf_ldst_estimate *q, const struct line_ *g,
                              unsigned there, struct smrf_ldst_looked_up *to)
{
    const struct smrf_ldst_dispatch *d = &q->unit->dispatch;

    for (uint32_t i = g->first; there && i < g->end; i++) {
        if (smrf_cache_sector(d->sector[i].address) & there && smrf_ldst_at_tags(q, i) > to->hit) {
            to->hit = smrf_ldst_at_tags(q, i);
        }
        there = there == g->bits ? 0 : there; /* the first one enters last */
    }
}

/* First cycle in which an access that reaches the tags finds room in the miss queue. One place is
 * kept for stores, unless it is the only one. */
static inline uint64_t room_(const struct smrf_ldst_estimate *q, bool store)
{
    const uint32_t places = q->unit->cfg.l1d.miss_queue;
    const uint64_t behind = q->missed + (!store && places > 1);

    return q->count + SMRF_MAX_SECTORS > SMRF_LDST_SENDS ? SMRF_NEVER
           : behind > places                             ? behind - places
                                                         : 0;
}

/* Does an access that reaches the tags then, and does not hit, wait? It does where all lines of its
 * set are awaited, a load for an MSHR, too: up to an answer. If none is to come, it does not, and
 * is not kept. And it does for the miss queue. q->again: when to try again. */
static inline bool waits_(struct smrf_ldst_estimate *q, const struct smrf_cache_found *f,
                          uint64_t tags, bool store)
{
    const bool full =
        f->result == SMRF_CACHE_FULL || (!store && q->fills >= q->unit->cfg.l1d.mshrs);
    const uint64_t room = room_(q, store);

    if (full && q->fills > 0) {
        q->again = SMRF_NEVER;
        return true;
    }
    q->again = room == SMRF_NEVER ? tags + 1 : room; /* some have been sent by then */
    return room > tags;
}

/* The sectors of a load in one line. Returns whether it need not wait. */
static inline bool load_line_(struct smrf_ldst_estimate *q, const struct line_ *g, uint16_t entry,
                              struct smrf_ldst_looked_up *to)
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
    if ((missing | awaited) && waits_(q, &f, q->entered[g->first] + l->cfg.l1d.latency, false)) {
        return false;
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
    find_hits_(q, g, g->bits & ~(missing | awaited), to);
    if (missing | awaited) {
        count_(l, access, 2, sectors_in_(awaited));
        count_(l, access, 3, sectors_in_(missing));
        await_(q, g, f.line, missing, awaited, entry);
        to->awaited += sectors_in_(missing | awaited);
    }
    return true;
}

/* Lines of a load, up to one that waits. */
struct smrf_ldst_looked_up smrf_ldst_estimate_look_up(struct smrf_ldst_estimate *q, uint16_t entry)
{
    struct smrf_ldst_dispatch *d = &q->unit->dispatch;
    struct smrf_ldst_looked_up found = {0, 0};

    while (d->left > 0) {
        const struct line_ g = line_before_(d->sector, d->left);

        if (!load_line_(q, &g, entry, &found)) {
            break;
        }
        d->left = g.first;
    }
    return found;
}

/* Returns whether it need not wait. */
static inline bool store_(struct smrf_ldst_estimate *q, const struct smrf_sector *s, uint64_t tags)
{
    struct smrf_ldst *l = q->unit;
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t set = smrf_cache_linear_set(&l->tags, s->address);
    const struct smrf_cache_found f = smrf_cache_probe(&l->tags, s->address, set, true);
    struct smrf_cache_victim victim;

    if (waits_(q, &f, tags, true)) {
        return false;
    }
    if (f.result != SMRF_CACHE_FULL) {
        smrf_cache_write(&l->tags, &f, s->bytes, &victim);
        l->stats.l1d_evictions += victim.evicted;
    }
    miss_(q, s, SMRF_LDST_REQ_WRITE, d->warp, SMRF_MEM_WRITE, tags);
    count_(l, d->access, 1 + (f.result < SMRF_CACHE_SECTOR_MISS ? f.result : 2u), 1);
    return true;
}

bool smrf_ldst_estimate_write_through(struct smrf_ldst_estimate *q)
{
    struct smrf_ldst_dispatch *d = &q->unit->dispatch;

    while (d->left > 0 && store_(q, &d->sector[d->left - 1], smrf_ldst_at_tags(q, d->left - 1))) {
        d->left--;
    }
    return d->left == 0;
}

/* --- an instruction --------------------------------------------------------------------------- */

struct smrf_ldst_outlook smrf_ldst_estimate_store(struct smrf_ldst_estimate *q, uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t left = enter_(q, cycle);
    const uint32_t all = d->left;

    if (d->access & SMRF_LDST_ALWAYS_HITS) {
        count_(l, d->access, 1, d->left);
        return (struct smrf_ldst_outlook){left, left, 0};
    }
    if (q->waiting || !smrf_ldst_estimate_write_through(q)) {
        smrf_ldst_estimate_wait(q, d->warp);
    }
    return (struct smrf_ldst_outlook){left, left, all};
}

struct smrf_ldst_outlook smrf_ldst_estimate_load(struct smrf_ldst_estimate *q,
                                                 const struct smrf_ldst_inst *in, uint64_t now,
                                                 uint64_t cycle)
{
    struct smrf_ldst *l = q->unit;
    struct smrf_ldst_dispatch *d = &l->dispatch;
    struct smrf_ldst_outlook o = {.left = enter_(q, cycle)};
    const bool dst = smrf_ldst_entry_flags(l, in->inst) & SMRF_LDST_HAS_DST;
    const uint16_t entry = l->entry_free;
    struct smrf_ldst_looked_up found = {0, 0};

    if (d->access & SMRF_LDST_ALWAYS_HITS) {
        count_(l, d->access, 1, d->left);
        found.hit = o.left + l->cfg.l1d.latency;
        d->left = 0;
    } else if (q->waiting == 0) {
        found = smrf_ldst_estimate_look_up(q, entry);
    }
    if (d->left > 0) {
        smrf_ldst_estimate_wait(q, entry);
        found.awaited += d->left;
    }
    const bool writes =
        dst && (l->cfg.rf.l1_hit_writes || (found.awaited && !l->cfg.rf.write_per_sector));
    o.end = found.hit;
    if (writes && !found.awaited) {
        o.end = smrf_ldst_estimate_hold(q, false, found.hit, now);
    }
    if (found.awaited) {
        (void)smrf_ldst_estimate_take_entry(l, in, found.awaited);
        l->entry[entry].flags |= SMRF_LDST_MISSED;
        q->hit[entry] = o.end;
        o.end = SMRF_NEVER;
    } else {
        l->stats.write_backs += writes;
        l->stats.hits_completed += !writes;
    }
    return o;
}
