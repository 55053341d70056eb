/* SPDX-License-Identifier: Apache-2.0 */
/* The L1D side of the load/store unit: bank pipes, tags, MSHRs and miss queue.
 * Write-through, allocation on a miss, lazy fetch on read (Accel-Sim: l1_cache, data_cache). */
#include "models/common/smrf_assert.h"
#include "models/ldst/ldst_internal.h"

static void count_access_(struct smrf_ldst *l, const struct smrf_ldst_access *a,
                          enum smrf_cache_result result)
{
    uint64_t **kind = l->l1d_stat[a->is_store + 2 * a->is_local];

    ++*kind[0];
    l->stats.l1d_spill_accesses += a->is_spill;
    ++*kind[result == SMRF_CACHE_HIT ? 1 : result == SMRF_CACHE_HIT_PENDING ? 2 : 3];
}

/* Room for the request of a load. One place is kept for the write-through of a store (Accel-Sim:
 * miss_queue_full(1) before a load that misses, miss_queue_full(0) before any store), unless the queue
 * has only one. */
static bool room_for_load_(const struct smrf_ldst *l)
{
    return l->miss_count + 1 < l->cfg.l1d.miss_queue || l->miss_count == 0;
}

static void push_miss_(struct smrf_ldst *l, const struct smrf_ldst_access *a, uint32_t bytes,
                       uint32_t line)
{
    uint32_t at = l->miss_head + l->miss_count++;

    SMRF_ASSERT(l->miss_count <= l->cfg.l1d.miss_queue);
    at -= at >= l->cfg.l1d.miss_queue ? l->cfg.l1d.miss_queue : 0;
    l->miss[at] = (struct smrf_ldst_miss){.address = a->address,
                                          .bytes = bytes,
                                          .warp = a->warp,
                                          .is_write = a->is_store,
                                          .line = line,
                                          .mshr = smrf_mshr_added(&l->mshr)};
}

/* A sector of a load was found in L1. */
static void load_hit_(struct smrf_ldst *l, uint32_t i, uint64_t cycle)
{
    struct smrf_ldst_entry *e = &l->entry[i];
    bool one_write_a_load = !l->cfg.rf.write_per_sector && (e->flags & SMRF_LDST_MISSED);

    if (--e->pending > 0) {
        return;
    }
    if ((e->flags & SMRF_LDST_HAS_DST) && (l->cfg.rf.l1_hit_writes || one_write_a_load)) {
        e->next = SMRF_LDST_NONE;
        if (l->hit_head == SMRF_LDST_NONE) {
            l->hit_head = i;
        } else {
            l->entry[l->hit_tail].next = i;
        }
        l->hit_tail = i;
        return;
    }
    if (e->flags & SMRF_LDST_WAITS) {
        l->stats.hits_completed++;
        l->events.complete(l->events.ctx, e->slot, cycle);
    }
    smrf_ldst_entry_release(l, i);
}

/* Try a load at the tags. Returns NULL if it is served, or the counter of what it waits for. */
static uint64_t *load_(struct smrf_ldst *l, const struct smrf_ldst_access *a, uint64_t cycle)
{
    struct smrf_cache_found f =
        smrf_cache_probe(&l->tags, a->address, smrf_cache_linear_set(&l->tags, a->address), false);
    struct smrf_cache_victim victim;

    if (f.result != SMRF_CACHE_HIT) {
        enum smrf_mshr_state state;

        if (f.result == SMRF_CACHE_FULL) {
            return &l->stats.way_stalls;
        }
        if (!room_for_load_(l)) {
            return &l->stats.miss_queue_stalls;
        }
        state = smrf_mshr_add(&l->mshr, a->address, a->entry);
        if (state == SMRF_MSHR_ENTRIES_FULL) {
            return &l->stats.mshr_stalls;
        }
        if (state == SMRF_MSHR_MERGE_FULL) {
            return &l->stats.merge_stalls;
        }
        if (state == SMRF_MSHR_NEW) {
            push_miss_(l, a, UINT32_MAX, f.line);
        }
        l->entry[a->entry].flags |= SMRF_LDST_MISSED;
        l->version++;
    }
    smrf_cache_read(&l->tags, &f, &victim);
    l->stats.l1d_evictions += victim.evicted;
    count_access_(l, a, f.result);
    if (f.result == SMRF_CACHE_HIT) {
        load_hit_(l, a->entry, cycle);
    }
    return NULL;
}

static uint64_t *store_(struct smrf_ldst *l, const struct smrf_ldst_access *a)
{
    struct smrf_cache_found f =
        smrf_cache_probe(&l->tags, a->address, smrf_cache_linear_set(&l->tags, a->address), true);
    struct smrf_cache_victim victim;

    if (f.result == SMRF_CACHE_FULL) {
        return &l->stats.way_stalls;
    }
    if (l->miss_count == l->cfg.l1d.miss_queue) {
        return &l->stats.miss_queue_stalls;
    }
    smrf_cache_write(&l->tags, &f, a->bytes, &victim);
    push_miss_(l, a, a->bytes, f.line);
    l->version++;
    l->stats.l1d_evictions += victim.evicted;
    count_access_(l, a, f.result);
    return NULL;
}

/* The front of a pipe uses the tags, or waits. */
static uint64_t *access_(struct smrf_ldst *l, const struct smrf_ldst_access *a, uint64_t cycle)
{
    if (smrf_ldst_always_hits(l, a->is_local, a->is_spill)) {
        count_access_(l, a, SMRF_CACHE_HIT);
        if (!a->is_store) {
            load_hit_(l, a->entry, cycle);
        }
        return NULL;
    }
    return a->is_store ? store_(l, a) : load_(l, a, cycle);
}

static void step_pipe_(struct smrf_ldst *l, uint32_t k, uint64_t cycle)
{
    struct smrf_ldst_pipe *p = &l->pipe[k];
    uint64_t *waits_for;

    if (p->ready > cycle || p->failed_version == l->version) {
        return;
    }
    if (p->failed_version) {
        *p->failed_stat += cycle - p->failed_at;
        p->failed_version = 0;
    }
    waits_for = access_(l, &p->item[p->head], cycle);
    if (waits_for) {
        p->failed_stat = waits_for;
        p->failed_at = cycle;
        p->failed_version = l->version;
        return;
    }
    p->head = p->head + 1 == l->cfg.l1d.latency ? 0 : p->head + 1;
    l->accesses--;
    if (--p->count == 0) {
        l->pipe_used[k / 64] &= ~(UINT64_C(1) << (k % 64));
    } else {
        p->ready = p->item[p->head].entered + l->cfg.l1d.latency;
    }
}

static uint64_t earlier_(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Note when pipe k's front is next. */
static void note_front_(struct smrf_ldst *l, uint32_t k)
{
    const struct smrf_ldst_pipe *p = &l->pipe[k];

    if (p->failed_version) {
        l->pipes_failed = earlier_(l->pipes_failed, p->failed_version);
    } else if (p->count > 0) {
        l->pipes_due = earlier_(l->pipes_due, p->ready);
    }
}

void smrf_ldst_l1d_access(struct smrf_ldst *l, uint64_t cycle)
{
    if (smrf_ldst_l1d_next(l) > cycle) {
        return;
    }
    l->pipes_due = l->pipes_failed = SMRF_NEVER;
    for (uint32_t w = 0; w * 64 < l->pipes; w++) {
        for (uint64_t m = l->pipe_used[w]; m; m &= m - 1) {
            const uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(m);

            step_pipe_(l, k, cycle);
            note_front_(l, k);
        }
    }
}

/* First pipe of the bank of an address; banks interleave by sectors. */
static uint32_t first_pipe_(const struct smrf_ldst *l, uint64_t address)
{
    uint64_t sector = address / SMRF_SECTOR_BYTES;
    uint32_t banks = l->cfg.l1d.banks;
    uint64_t bank = (banks & (banks - 1)) == 0 ? sector & (banks - 1) : sector % banks;

    return (uint32_t)bank * l->cfg.l1d.ports;
}

bool smrf_ldst_l1d_enter(struct smrf_ldst *l, const struct smrf_sector *s, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    uint32_t first = first_pipe_(l, s->address), latency = l->cfg.l1d.latency;

    for (uint32_t k = first; k < first + l->cfg.l1d.ports; k++) {
        struct smrf_ldst_pipe *p = &l->pipe[k];
        uint32_t at;

        if (p->count == latency || (p->count && p->entered == cycle)) {
            continue;
        }
        at = p->head + p->count;
        at -= at >= latency ? latency : 0;
        p->item[at] = (struct smrf_ldst_access){.address = s->address,
                                                .entered = cycle,
                                                .bytes = s->bytes,
                                                .entry = (uint16_t)d->entry,
                                                .warp = d->warp,
                                                .is_store = d->is_store,
                                                .is_local = d->is_local,
                                                .is_spill = d->is_spill};
        p->entered = cycle;
        if (p->count++ == 0) {
            p->ready = cycle + latency;
            l->pipes_due = earlier_(l->pipes_due, p->ready);
            l->pipe_used[k / 64] |= UINT64_C(1) << (k % 64);
        }
        l->accesses++;
        if (!smrf_ldst_always_hits(l, d->is_local, d->is_spill)) {
            smrf_cache_expect_access(&l->tags, s->address,
                                     smrf_cache_linear_set(&l->tags, s->address));
            smrf_mshr_expect(&l->mshr, s->address);
        }
        return true;
    }
    return false;
}

bool smrf_ldst_l1d_full(const struct smrf_ldst *l, uint64_t address)
{
    uint32_t first = first_pipe_(l, address);

    for (uint32_t k = first; k < first + l->cfg.l1d.ports; k++) {
        if (l->pipe[k].count < l->cfg.l1d.latency) {
            return false;
        }
    }
    return true;
}

void smrf_ldst_l1d_send_miss(struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_miss *m = &l->miss[l->miss_head];
    struct smrf_mem_request r;
    struct smrf_ldst_request record;

    if (l->miss_count == 0) {
        return;
    }
    r = (struct smrf_mem_request){.address = m->address,
                                  .cycle = cycle,
                                  .byte_mask = m->bytes,
                                  .kind = m->is_write ? SMRF_MEM_WRITE : SMRF_MEM_READ};
    record =
        (struct smrf_ldst_request){.address = m->address,
                                   .warp = m->warp,
                                   .line = m->line,
                                   .mshr = m->mshr,
                                   .kind = m->is_write ? SMRF_LDST_REQ_WRITE : SMRF_LDST_REQ_FILL};
    if (smrf_ldst_send(l, &r, &record)) {
        l->miss_head = l->miss_head + 1 == l->cfg.l1d.miss_queue ? 0 : l->miss_head + 1;
        l->miss_count--;
        l->version++;
    }
}

uint64_t smrf_ldst_l1d_next(const struct smrf_ldst *l)
{
    const bool retry = l->pipes_failed != SMRF_NEVER && l->pipes_failed != l->version;

    return retry ? 0 : l->pipes_due;
}
