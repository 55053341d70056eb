/* SPDX-License-Identifier: Apache-2.0 */
/* The L1D side of the load/store unit behind its way in (ldst_lot.c): bank pipes, tags, MSHRs and
 * miss queue. Write-through, allocation on a miss, lazy fetch on read (Accel-Sim: l1_cache,
 * data_cache). */
#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/ldst/ldst_internal.h"

static inline void count_access_(struct smrf_ldst *l, unsigned access,
                                 enum smrf_cache_result result, uint32_t n)
{
    uint64_t **kind = l->l1d_stat[access & (SMRF_LDST_STORE | SMRF_LDST_LOCAL)];
    const unsigned missed = SMRF_CACHE_SECTOR_MISS;

    *kind[0] += n;
    *kind[1 + (result < missed ? result : missed)] += n;
    l->stats.l1d_spill_accesses += access & SMRF_LDST_SPILL ? n : 0;
}

/* Room for the request of a load. One place is kept for the write-through of a store (Accel-Sim:
 * miss_queue_full(1) before a load that misses, miss_queue_full(0) before any store), unless the
 * queue has only one. */
static bool room_for_load_(const struct smrf_ldst *l)
{
    return l->miss_count + 1 < l->cfg.l1d.miss_queue || l->miss_count == 0;
}

static inline void push_miss_(struct smrf_ldst *l, const struct smrf_sector *s, uint8_t kind,
                              uint32_t what, uint16_t owner)
{
    uint32_t at = l->miss_head + l->miss_count++;
    struct smrf_ldst_miss *miss;

    SMRF_ASSERT(l->miss_count <= l->cfg.l1d.miss_queue);
    at -= at >= l->cfg.l1d.miss_queue ? l->cfg.l1d.miss_queue : 0;
    miss = &l->miss[at];
    miss->address = s->address;
    miss->bytes = s->bytes;
    miss->what = what;
    miss->owner = owner;
    miss->kind = kind;
}

/* The last sector of a load was found in L1. */
static SMRF_APART void end_hit_(struct smrf_ldst *l, uint16_t i, uint64_t cycle)
{
    struct smrf_ldst_entry *e = &l->entry[i];
    bool one_write_a_load = !l->cfg.rf.write_per_sector && (e->flags & SMRF_LDST_MISSED);

    if ((e->flags & SMRF_LDST_HAS_DST) && (l->cfg.rf.l1_hit_writes || one_write_a_load)) {
        e->next = SMRF_LDST_NONE;
        if (l->hit_head == SMRF_LDST_NONE) {
            l->hit_head = i;
        } else {
            l->entry[l->hit_tail].next = i;
        }
        l->hit_tail = i;
        l->offers |= 1u << SMRF_LDST_CLIENT_HIT;
        return;
    }
    if (e->flags & SMRF_LDST_WAITS) {
        l->stats.hits_completed++;
        l->events.complete(l->events.ctx, e->slot, cycle);
    }
    smrf_ldst_entry_release(l, i);
}

/* n sectors of a load were found. */
static inline void load_hit_(struct smrf_ldst *l, uint16_t entry, unsigned access, uint32_t n,
                             uint64_t cycle)
{
    struct smrf_ldst_entry *e = &l->entry[entry];

    count_access_(l, access, SMRF_CACHE_HIT, n);
    e->pending = (uint16_t)(e->pending - n);
    if (e->pending == 0) {
        end_hit_(l, entry, cycle);
    }
}

/* A sector of a load has missed, and is read from the memory: there is room, and it has its
 * MSHR. */
static inline void fetch_(struct smrf_ldst *l, uint32_t line, uint64_t address, uint16_t entry)
{
    const struct smrf_sector all = {.address = address, .bytes = UINT32_MAX};

    push_miss_(l, &all, SMRF_MEM_READ, smrf_ldst_fill_of(line, smrf_cache_sector_of(address)),
               entry);
}

/* Looks among n sectors from `sector` on for one that has arrived but has not answered all its
 * loads; returns its place among the MSHRs. If the sector misses, its line has been replaced. */
static inline uint32_t filled_(const struct smrf_ldst *l, uint64_t sector, uint32_t n)
{
    return l->cfg.l1d.joins_filled ? smrf_mshr_find(&l->mshr, sector, n) : SMRF_MSHR_NONE;
}

/* A sector of a load joins a request under way, joins one that has arrived, or sends a request. If
 * it joins one that has arrived, nothing is sent, and the sector stays awaited until a later load
 * asks for it (Accel-Sim: baseline_cache::send_read_request). Returns as
 * load_. */
static uint64_t *await_(struct smrf_ldst *l, const struct smrf_cache_found *f, uint16_t entry)
{
    const bool pending = f->result == SMRF_CACHE_HIT_PENDING;
    uint16_t *note = pending ? smrf_cache_note(&l->tags, f->line, f->address) : NULL;
    struct smrf_cache_victim victim;

    if (pending && *note != SMRF_MSHR_JOINED) {
        if (!smrf_mshr_merge(&l->mshr, note, entry)) {
            return &l->stats.merge_stalls;
        }
        smrf_cache_read(&l->tags, f, &victim);
        return NULL;
    }
    const uint32_t ready = filled_(l, f->address / SMRF_SECTOR_BYTES, 1);
    if (ready == SMRF_MSHR_NONE && smrf_mshr_full(&l->mshr)) {
        return &l->stats.mshr_stalls;
    }
    if (ready != SMRF_MSHR_NONE && !smrf_mshr_join(&l->mshr, ready, entry)) {
        return &l->stats.merge_stalls;
    }
    smrf_cache_read(&l->tags, f, &victim);
    l->stats.l1d_evictions += victim.evicted;
    if (pending || ready != SMRF_MSHR_NONE) {
        *smrf_cache_note(&l->tags, f->line, f->address) =
            ready != SMRF_MSHR_NONE ? SMRF_MSHR_JOINED : SMRF_MSHR_ALONE;
    }
    if (ready == SMRF_MSHR_NONE) {
        smrf_mshr_add(&l->mshr, 1);
        fetch_(l, f->line, f->address, entry);
    }
    return NULL;
}

/* A sector of a load is not there. Returns as load_. */
static uint64_t *load_miss_(struct smrf_ldst *l, const struct smrf_cache_found *f, uint16_t entry,
                            unsigned kind)
{
    uint64_t *waits_for;

    if (f->result == SMRF_CACHE_FULL) {
        return &l->stats.way_stalls;
    }
    waits_for = room_for_load_(l) ? await_(l, f, entry) : &l->stats.miss_queue_stalls;
    if (waits_for) {
        return waits_for;
    }
    l->entry[entry].flags |= SMRF_LDST_MISSED;
    l->version++;
    count_access_(l, kind, f->result, 1);
    return NULL;
}

/* Looks up a sector. If every line of the set awaits sectors that were never requested, no answer
 * would free one: those sectors are given up. (Accel-Sim would deadlock.) */
static inline struct smrf_cache_found probe_(struct smrf_ldst *l, uint64_t address, bool write)
{
    const uint32_t set = smrf_cache_linear_set(&l->tags, address);
    struct smrf_cache_found f = smrf_cache_probe(&l->tags, address, set, write);

    if (f.result == SMRF_CACHE_FULL && l->cfg.l1d.joins_filled && l->mshr.in_use == 0) {
        smrf_cache_give_up(&l->tags, set);
        f = smrf_cache_probe(&l->tags, address, set, write);
    }
    return f;
}

/* Try a load at the tags. Returns NULL if it is served, or the counter of what it waits for. */
static inline uint64_t *load_(struct smrf_ldst *l, uint64_t address, uint16_t entry, unsigned kind,
                              uint64_t cycle)
{
    const struct smrf_cache_found f = probe_(l, address, false);
    struct smrf_cache_victim victim;

    if (f.result != SMRF_CACHE_HIT) {
        return load_miss_(l, &f, entry, kind);
    }
    smrf_cache_read(&l->tags, &f, &victim);
    load_hit_(l, entry, kind, 1, cycle);
    return NULL;
}

static uint64_t *store_(struct smrf_ldst *l, const struct smrf_sector *s, uint16_t warp,
                        unsigned kind)
{
    const struct smrf_cache_found f = probe_(l, s->address, true);
    struct smrf_cache_victim victim;

    if (f.result == SMRF_CACHE_FULL) {
        return &l->stats.way_stalls;
    }
    if (l->miss_count == l->cfg.l1d.miss_queue) {
        return &l->stats.miss_queue_stalls;
    }
    smrf_cache_write(&l->tags, &f, s->bytes, &victim);
    push_miss_(l, s, SMRF_MEM_WRITE, SMRF_LDST_REQ_WRITE, warp);
    l->version++;
    l->stats.l1d_evictions += victim.evicted;
    count_access_(l, kind, f.result, 1);
    return NULL;
}

/* A sector uses the tags, or waits. */
static inline uint64_t *access_(struct smrf_ldst *l, const struct smrf_sector *s, uint16_t owner,
                                unsigned kind, uint64_t cycle)
{
    if (kind & SMRF_LDST_ALWAYS_HITS) {
        if (kind & SMRF_LDST_STORE) {
            count_access_(l, kind, SMRF_CACHE_HIT, 1);
        } else {
            load_hit_(l, owner, kind, 1, cycle);
        }
        return NULL;
    }
    return kind & SMRF_LDST_STORE ? store_(l, s, owner, kind)
                                  : load_(l, s->address, owner, kind, cycle);
}

/* --- accesses that wait ----------------------------------------------------------------------- */

/* An access waits in pipe k, behind others or because it has failed. */
static void wait_(struct smrf_ldst *l, uint32_t k, const struct smrf_sector *s, uint16_t owner,
                  uint8_t kind)
{
    const uint32_t latency = l->cfg.l1d.latency;
    struct smrf_ldst_pipe *p = &l->pipe[k];
    uint32_t at = p->head + p->waiting;

    at -= at >= latency ? latency : 0;
    l->waiting[k * latency + at] = (struct smrf_ldst_access){*s, owner, kind};
    if (p->waiting++ == 0) {
        l->pipe_waits[k / 64] |= UINT64_C(1) << (k % 64);
        l->blocked++;
    }
}

static void fail_(struct smrf_ldst *l, uint32_t k, uint64_t *waits_for, uint64_t cycle)
{
    struct smrf_ldst_pipe *p = &l->pipe[k];

    p->failed_stat = waits_for;
    p->failed_at = cycle;
    p->failed_version = l->version;
}

static void go_on_(struct smrf_ldst *l, uint32_t k)
{
    struct smrf_ldst_pipe *p = &l->pipe[k];

    p->head = p->head + 1 == l->cfg.l1d.latency ? 0 : p->head + 1;
    p->count--;
    l->accesses--;
    if (--p->waiting == 0) {
        l->pipe_waits[k / 64] &= ~(UINT64_C(1) << (k % 64));
        l->blocked--;
    }
}

/* The first access that waits in pipe k is tried, unless nothing has changed. */
static void retry_(struct smrf_ldst *l, uint32_t k, uint64_t cycle)
{
    struct smrf_ldst_pipe *p = &l->pipe[k];
    const struct smrf_ldst_access *a = &l->waiting[k * l->cfg.l1d.latency + p->head];
    uint64_t *waits_for;

    if (p->failed_version == l->version) {
        return;
    }
    if (p->failed_version) {
        *p->failed_stat += cycle - p->failed_at;
        p->failed_version = 0;
    }
    waits_for = access_(l, &a->sector, a->owner, a->kind, cycle);
    if (waits_for) {
        fail_(l, k, waits_for, cycle);
    } else {
        go_on_(l, k);
    }
}

/* --- lots ------------------------------------------------------------------------------------- */

/* The sector of a lot in pipe k. */
static inline struct smrf_sector of_lot_(const struct smrf_ldst *l, const struct smrf_ldst_lot *lot,
                                         uint32_t k)
{
    if (lot->plain) {
        return (struct smrf_sector){.address = lot->line * SMRF_LINE_BYTES +
                                               k % SMRF_CACHE_SECTORS * SMRF_SECTOR_BYTES,
                                    .bytes = UINT32_MAX};
    }
    return l->sector[(uint32_t)(lot - l->lot) * l->pipes + k];
}

/* Something waits for the first time: what is in the pipes is counted from now on. lot: of it, what
 * is in pipe k and behind still is. */
static SMRF_APART void count_pipes_(struct smrf_ldst *l, const struct smrf_ldst_lot *lot,
                                    uint32_t k)
{
    const uint32_t latency = l->cfg.l1d.latency;

    for (uint32_t i = 0; i < l->pipes; i++) {
        uint32_t at = l->lot_head;

        l->pipe[i].count = i >= k ? lot->pipes[i / 64] >> (i % 64) & 1 : 0;
        for (uint32_t n = 0; n < l->lots; n++) {
            l->pipe[i].count += l->lot[at].pipes[i / 64] >> (i % 64) & 1;
            at = at + 1 == latency ? 0 : at + 1;
        }
    }
}

/* It reaches the tags, where others may wait. */
static inline void arrive_(struct smrf_ldst *l, const struct smrf_ldst_lot *lot, uint32_t k,
                           uint64_t cycle)
{
    const struct smrf_sector s = of_lot_(l, lot, k);
    uint64_t *waits_for;

    if (l->pipe[k].waiting) {
        wait_(l, k, &s, lot->owner, lot->kind);
        return;
    }
    waits_for = access_(l, &s, lot->owner, lot->kind, cycle);
    if (waits_for) {
        if (!l->blocked) {
            count_pipes_(l, lot, k);
        }
        wait_(l, k, &s, lot->owner, lot->kind);
        fail_(l, k, waits_for, cycle);
        return;
    }
    l->pipe[k].count -= l->blocked > 0;
    l->accesses--;
}

/* They miss, in the order of their pipes. Returns whether all of them do, and have room. */
static inline bool miss_all_(struct smrf_ldst *l, const struct smrf_ldst_lot *lot,
                             const struct smrf_cache_found *f)
{
    struct smrf_cache_victim victim;

    if (f->result == SMRF_CACHE_FULL || l->miss_count + lot->sectors >= l->cfg.l1d.miss_queue ||
        l->mshr.in_use + lot->sectors > l->mshr.entries ||
        filled_(l, lot->line * SMRF_CACHE_SECTORS, SMRF_CACHE_SECTORS) != SMRF_MSHR_NONE) {
        return false;
    }
    smrf_cache_read_all(&l->tags, f, lot->of_line, &victim);
    l->stats.l1d_evictions += victim.evicted;
    smrf_mshr_add(&l->mshr, lot->sectors);
    for (uint32_t w = 0; w * 64 < l->pipes; w++) {
        for (uint64_t m = lot->pipes[w]; m; m &= m - 1) {
            const uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(m);

            fetch_(l, f->line, of_lot_(l, lot, k).address, lot->owner);
        }
    }
    l->entry[lot->owner].flags |= SMRF_LDST_MISSED;
    l->version++;
    count_access_(l, lot->kind, f->result, lot->sectors);
    return true;
}

/* The sectors of a load's lot at once, where they are of one line that has all or none of them, and
 * nothing stands against it. Nothing else may wait. Returns whether it was so. */
static inline bool load_all_(struct smrf_ldst *l, const struct smrf_ldst_lot *lot, uint64_t cycle)
{
    const uint64_t address =
        lot->line * SMRF_LINE_BYTES + (uint64_t)__builtin_ctz(lot->of_line) * SMRF_SECTOR_BYTES;
    struct smrf_cache_victim victim;
    struct smrf_cache_found f;

    if (lot->line == SMRF_NEVER || lot->kind & (SMRF_LDST_STORE | SMRF_LDST_ALWAYS_HITS)) {
        return false;
    }
    f = smrf_cache_probe(&l->tags, address, smrf_cache_linear_set(&l->tags, address), false);
    if (f.result == SMRF_CACHE_HIT) {
        if (smrf_cache_readable(&l->tags, f.line, lot->of_line) != lot->of_line) {
            return false;
        }
        smrf_cache_read(&l->tags, &f, &victim);
        l->accesses -= lot->sectors;
        load_hit_(l, lot->owner, lot->kind, lot->sectors, cycle);
        return true;
    }
    if (f.result == SMRF_CACHE_HIT_PENDING ||
        (f.result == SMRF_CACHE_SECTOR_MISS && smrf_cache_known(&l->tags, f.line, lot->of_line)) ||
        !miss_all_(l, lot, &f)) {
        return false;
    }
    l->accesses -= lot->sectors;
    return true;
}

/* In every pipe, in their order: the first of those that wait is tried, or the sector of the lot
 * that has reached the tags; where there are both, that waits behind the others. lot: NULL:
 * none. */
static void step_pipes_(struct smrf_ldst *l, const struct smrf_ldst_lot *lot, uint64_t cycle)
{
    l->pipes_failed = SMRF_NEVER;
    for (uint32_t w = 0; w * 64 < l->pipes; w++) {
        const uint64_t due = lot ? lot->pipes[w] : 0, waits = l->pipe_waits[w];

        for (uint64_t m = waits | due; m; m &= m - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(m), k = w * 64 + bit;
            const struct smrf_ldst_pipe *p = &l->pipe[k];

            if (due >> bit & 1) {
                arrive_(l, lot, k, cycle);
            }
            if (waits >> bit & 1) {
                retry_(l, k, cycle);
            }
            if (p->waiting && p->failed_version < l->pipes_failed) {
                l->pipes_failed = p->failed_version;
            }
        }
    }
}

/* The oldest lot has reached the tags. */
static const struct smrf_ldst_lot *take_lot_(struct smrf_ldst *l)
{
    const struct smrf_ldst_lot *lot = &l->lot[l->lot_head];

    l->lot_head = l->lot_head + 1 == l->cfg.l1d.latency ? 0 : l->lot_head + 1;
    l->lots--;
    l->lot_due = l->lots ? l->lot[l->lot_head].entered + l->cfg.l1d.latency : SMRF_NEVER;
    return lot;
}

/* .. and waits, because all of its pipes are full. It is looked at again when one moves. */
void smrf_ldst_l1d_take_late(struct smrf_ldst *l)
{
    const struct smrf_ldst_lot *lot = take_lot_(l);

    for (uint32_t w = 0; w * 64 < l->pipes; w++) {
        for (uint64_t m = lot->pipes[w]; m; m &= m - 1) {
            const uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(m);
            const struct smrf_sector s = of_lot_(l, lot, k);

            SMRF_ASSERT(l->pipe[k].waiting);
            wait_(l, k, &s, lot->owner, lot->kind);
        }
    }
}

void smrf_ldst_l1d_access(struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_lot *lot = NULL;

    smrf_cache_at(&l->tags, cycle);
    while (l->lot_due < cycle) {
        smrf_ldst_l1d_take_late(l);
    }
    if (l->lot_due == cycle) {
        lot = take_lot_(l);
        if (!l->blocked && load_all_(l, lot, cycle)) {
            return;
        }
    }
    step_pipes_(l, lot, cycle);
}

uint64_t smrf_ldst_l1d_next_blocked(const struct smrf_ldst *l)
{
    const uint32_t latency = l->cfg.l1d.latency;
    uint32_t at = l->lot_head;

    if (l->pipes_failed != l->version) {
        return 0;
    }
    for (uint32_t i = 0; i < l->lots; i++) {
        const struct smrf_ldst_lot *lot = &l->lot[at];

        for (uint32_t w = 0; w * 64 < l->pipes; w++) {
            if (lot->pipes[w] & ~l->pipe_waits[w]) {
                return lot->entered + latency;
            }
        }
        at = at + 1 == latency ? 0 : at + 1;
    }
    return SMRF_NEVER;
}

void smrf_ldst_l1d_send_miss(struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_miss *m = &l->miss[l->miss_head];
    struct smrf_mem_request r = {
        .address = m->address, .cycle = cycle, .byte_mask = m->bytes, .kind = m->kind};

    if (smrf_ldst_send(l, &r, m->what, m->owner)) {
        l->miss_head = l->miss_head + 1 == l->cfg.l1d.miss_queue ? 0 : l->miss_head + 1;
        l->miss_count--;
        l->version++;
    }
}
