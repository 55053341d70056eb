/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of the load/store unit: write-back port, answers, L1D (ldst_l1d.c), dispatch register;
 * and the first cycle that has work (Accel-Sim: ldst_unit::cycle, ldst_unit::writeback). */
#include "models/common/smrf_assert.h"
#include "models/common/smrf_prefetch.h"
#include "models/ldst/ldst_internal.h"

/* Offer the held result to the register banks. Returns false if they refused. */
static bool offer_(struct smrf_ldst *l, const struct smrf_ldst_entry *e, bool last, uint64_t cycle)
{
    if (!l->events.write_back(l->events.ctx, e->slot, last, cycle)) {
        l->stats.write_back_retries++;
        return false;
    }
    l->stats.write_backs++;
    return true;
}

/* Write the result in the holding register. */
static void write_held_(struct smrf_ldst *l, uint64_t cycle)
{
    const uint16_t i = l->next_wb;
    struct smrf_ldst_entry *e = &l->entry[i];
    const bool sector =
        l->next_wb_client == SMRF_LDST_CLIENT_GLOBAL || l->next_wb_client == SMRF_LDST_CLIENT_MISS;
    const bool last = !sector | (e->pending == 1);

    if ((e->flags & SMRF_LDST_HAS_DST) && (l->cfg.rf.write_per_sector || last)) {
        if (!offer_(l, e, last, cycle)) {
            return;
        }
    } else if (last && (e->flags & SMRF_LDST_WAITS)) {
        l->events.complete(l->events.ctx, e->slot, cycle);
    }
    l->offers &= (uint8_t)~SMRF_LDST_HELD;
    e->pending = (uint16_t)(e->pending - sector);
    smrf_ldst_entry_release_if(l, i, last);
}

static uint16_t take_shared_(struct smrf_ldst *l)
{
    const uint16_t i = l->shared[l->shared_head].entry;

    l->shared_head = l->shared_head + 1 == l->cfg.ldst.shared_latency ? 0 : l->shared_head + 1;
    if (--l->shared_count > 0) {
        l->shared_ready = l->shared[l->shared_head].entered + l->cfg.ldst.shared_latency;
    }
    return i;
}

static uint16_t take_global_(struct smrf_ldst *l)
{
    l->offers &= (uint8_t) ~(1u << SMRF_LDST_CLIENT_GLOBAL);
    return l->next_global;
}

static uint16_t take_miss_(struct smrf_ldst *l)
{
    const uint16_t i = (uint16_t)smrf_mshr_take(&l->mshr);

    l->version++;
    if (!smrf_mshr_any_ready(&l->mshr)) {
        l->offers &= (uint8_t) ~(1u << SMRF_LDST_CLIENT_MISS);
    }
    return i;
}

static uint16_t take_hit_(struct smrf_ldst *l)
{
    const uint16_t i = l->hit_head;

    l->hit_head = l->entry[i].next;
    if (l->hit_head == SMRF_LDST_NONE) {
        l->offers &= (uint8_t) ~(1u << SMRF_LDST_CLIENT_HIT);
    }
    return i;
}

static inline uint16_t take_client_(struct smrf_ldst *l, uint32_t client)
{
    switch (client) {
    case SMRF_LDST_CLIENT_SHARED:
        return take_shared_(l);
    case SMRF_LDST_CLIENT_GLOBAL:
        return take_global_(l);
    case SMRF_LDST_CLIENT_MISS:
        return take_miss_(l);
    default:
        return take_hit_(l);
    }
}

/* The next client in turn fills the holding register, which is empty. */
static void hold_next_(struct smrf_ldst *l, uint64_t cycle)
{
    const bool shared = l->shared_count > 0 && l->shared_ready <= cycle;
    uint32_t offers = l->offers | (uint32_t)shared << SMRF_LDST_CLIENT_SHARED, client;
    const struct smrf_ldst_entry *e;

    if (!offers) {
        return;
    }
    client = (uint32_t)__builtin_ctz(offers);
    if (offers & (offers - 1)) {
        offers |= offers << SMRF_LDST_CLIENTS;
        client = (l->first_client + (uint32_t)__builtin_ctz(offers >> l->first_client)) %
                 SMRF_LDST_CLIENTS;
    }
    l->next_wb = take_client_(l, client);
    l->offers |= SMRF_LDST_HELD;
    l->next_wb_client = (uint8_t)client;
    l->first_client = (uint8_t)((client + 1) % SMRF_LDST_CLIENTS);
    e = &l->entry[l->next_wb];
    if ((e->flags & SMRF_LDST_ATOMIC) && (client == SMRF_LDST_CLIENT_SHARED || e->pending == 1)) {
        l->events.answered(l->events.ctx, e->slot);
    }
}

/* The held result is written; then the next. */
static inline void write_back_(struct smrf_ldst *l, uint64_t cycle)
{
    if (l->offers & SMRF_LDST_HELD) {
        write_held_(l, cycle);
    }
    if (!(l->offers & SMRF_LDST_HELD)) {
        hold_next_(l, cycle);
    }
}

/* The next answer: prefetch what it needs, and the record behind it. */
static void expect_answer_(const struct smrf_ldst *l)
{
    const struct smrf_ldst_request *r = &l->request[smrf_ldst_answer(l, l->answer_head)->id];

    if (smrf_ldst_kind_of(r->what) == SMRF_LDST_REQ_FILL) {
        smrf_cache_expect_fill(&l->tags, smrf_ldst_line_of(r->what));
    }
    if (l->answers > 1) {
        smrf_prefetch(&l->request[smrf_ldst_answer(l, l->answer_head + 1)->id]);
    }
}

static inline void fill_(struct smrf_ldst *l, const struct smrf_ldst_request *r)
{
    uint16_t merged;
    const bool filled = smrf_cache_fill_line(&l->tags, smrf_ldst_line_of(r->what),
                                             smrf_ldst_sector_of(r->what), &merged);

    SMRF_ASSERT(filled);
    (void)smrf_mshr_arrive(&l->mshr, r->owner,
                           merged); /* loads are looked up when it is their turn */
    if (l->cfg.l1d.joins_filled) {
        const uint64_t line = l->tags.line[smrf_ldst_line_of(r->what)].number;

        smrf_mshr_name(&l->mshr, line * SMRF_CACHE_SECTORS + smrf_ldst_sector_of(r->what));
    }
    l->offers |= 1u << SMRF_LDST_CLIENT_MISS;
    l->stats.l1d_fills++;
    l->version++;
}

/* One answer that has arrived. */
static void response_(struct smrf_ldst *l)
{
    const uint16_t i = (uint16_t)smrf_ldst_answer(l, l->answer_head)->id;
    const struct smrf_ldst_request *r = &l->request[i];
    const uint32_t kind = smrf_ldst_kind_of(r->what);

    if (kind == SMRF_LDST_REQ_WRITE) {
        l->events.stores(l->events.ctx, r->owner, -1);
    } else if (kind == SMRF_LDST_REQ_DIRECT) {
        if (l->offers >> SMRF_LDST_CLIENT_GLOBAL & 1) {
            return;
        }
        l->next_global = r->owner;
        l->offers |= 1u << SMRF_LDST_CLIENT_GLOBAL;
    } else {
        fill_(l, r);
    }
    l->stats.answers++;
    smrf_ldst_request_release(l, i);
    l->answers--;
    if (l->answers == 0) {
        l->answer_head = 0;
        l->answer_due = SMRF_NEVER;
        return;
    }
    l->answer_head = (l->answer_head + 1) % SMRF_LDST_REQUESTS;
    l->answer_due = smrf_ldst_answer(l, l->answer_head)->arrival;
    expect_answer_(l);
}

/* End the stall that was noted at an earlier attempt, if any. */
static void end_stall_(struct smrf_ldst_dispatch *d, uint64_t cycle)
{
    *d->stall_stat += cycle - d->stalled_at;
    d->stall_stat = &d->no_stall;
}

static bool stalled_(const struct smrf_ldst_dispatch *d)
{
    return d->stall_stat != &d->no_stall;
}

static void stall_(struct smrf_ldst_dispatch *d, uint64_t *stat, uint64_t cycle)
{
    d->stall_stat = stat;
    d->stalled_at = cycle;
}

/* The instruction leaves the dispatch register; loads whose data are awaited go on. */
static void leave_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;

    d->busy = false;
    if (d->entry == SMRF_LDST_NONE || !(l->entry[d->entry].flags & SMRF_LDST_WAITS)) {
        if (d->holds) {
            l->events.answered(l->events.ctx, d->slot);
        }
        l->events.complete(l->events.ctx, d->slot, cycle);
    }
}

static void dispatch_shared_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint32_t latency = l->cfg.ldst.shared_latency;
    uint32_t at;

    if (cycle < d->ready) {
        return;
    }
    if (d->is_store || !(l->entry[d->entry].flags & SMRF_LDST_WAITS)) {
        leave_(l, cycle);
        if (!d->is_store) {
            smrf_ldst_entry_release(l, d->entry);
        }
        return;
    }
    if (l->shared_count == latency) {
        stall_(d, &l->stats.shared_full_stalls, cycle);
        return;
    }
    at = l->shared_head + l->shared_count;
    at -= at >= latency ? latency : 0;
    l->shared[at] = (struct smrf_ldst_shared_item){.entered = cycle, .entry = d->entry};
    if (l->shared_count++ == 0) {
        l->shared_ready = cycle + latency;
    }
    leave_(l, cycle);
}

/* The n sectors that have just entered occupy the tags. */
static void occupy_tags_(struct smrf_ldst *l, uint32_t n, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    uint64_t line = SMRF_NEVER;
    uint32_t lines = 0;

    for (uint32_t i = d->left - n; i < d->left; i++) {
        lines += d->sector[i].address / SMRF_LINE_BYTES != line;
        line = d->sector[i].address / SMRF_LINE_BYTES;
    }
    l->tags_free = cycle + smrf_ldst_tag_cycles(l, lines, n);
}

static void dispatch_l1d_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    uint32_t taken;

    if (cycle < l->tags_free) {
        return;
    }
    taken = smrf_ldst_l1d_enter(l, cycle);
    if (l->cfg.l1d.line_interval > 0) {
        occupy_tags_(l, taken, cycle);
    }
    if (d->is_store && !(d->access & SMRF_LDST_ALWAYS_HITS)) {
        for (uint32_t i = 0; i < taken; i++) {
            l->events.stores(l->events.ctx, d->warp, 1);
        }
    }
    d->left -= taken;
    if (d->left == 0) {
        leave_(l, cycle);
    } else if (taken < l->pipes && l->tags_free <= cycle + 1) {
        stall_(d, &l->stats.bank_conflict_stalls, cycle);
    }
}

static void dispatch_port_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const struct smrf_sector *s = &d->sector[d->left - 1];
    const uint8_t kind = d->is_atomic  ? SMRF_MEM_ATOMIC
                         : d->is_store ? SMRF_MEM_WRITE
                                       : SMRF_MEM_READ;
    struct smrf_mem_request r = {.address = s->address,
                                 .cycle = cycle,
                                 .byte_mask = kind == SMRF_MEM_READ ? UINT32_MAX : s->bytes,
                                 .kind = kind};
    const uint32_t what = d->is_store ? SMRF_LDST_REQ_WRITE : SMRF_LDST_REQ_DIRECT;

    if (!smrf_ldst_send(l, &r, what, d->is_store ? d->warp : d->entry)) {
        stall_(d, &l->stats.port_stalls, cycle);
        return;
    }
    if (d->is_store) {
        l->events.stores(l->events.ctx, d->warp, 1);
    }
    if (--d->left == 0) {
        leave_(l, cycle);
    }
}

static void dispatch_(struct smrf_ldst *l, uint64_t cycle)
{
    end_stall_(&l->dispatch, cycle);
    switch ((enum smrf_ldst_route)l->dispatch.route) {
    case SMRF_LDST_ROUTE_DONE:
        leave_(l, cycle);
        break;
    case SMRF_LDST_ROUTE_SHARED:
        dispatch_shared_(l, cycle);
        break;
    case SMRF_LDST_ROUTE_L1D:
        dispatch_l1d_(l, cycle);
        break;
    case SMRF_LDST_ROUTE_PORT:
        dispatch_port_(l, cycle);
        break;
    }
}

/* ---- when next, and the cycle ---- */

/* First cycle in which the dispatch register can do more; NEVER: after something else moved. */
static uint64_t dispatch_next_(const struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;

    if (!d->busy) {
        return SMRF_NEVER;
    }
    if (d->route == SMRF_LDST_ROUTE_SHARED) {
        if (stalled_(d) && l->shared_count == l->cfg.ldst.shared_latency) {
            return SMRF_NEVER;
        }
        return d->ready > cycle ? d->ready : cycle + 1;
    }
    if (d->route == SMRF_LDST_ROUTE_L1D && l->tags_free > cycle + 1) {
        return l->tags_free;
    }
    if (stalled_(d)) {
        if (d->route == SMRF_LDST_ROUTE_L1D &&
            smrf_ldst_l1d_full(l, d->sector[d->left - 1].address)) {
            return SMRF_NEVER;
        }
        if (d->route == SMRF_LDST_ROUTE_PORT && l->request_free == SMRF_LDST_NONE) {
            return SMRF_NEVER;
        }
    }
    return cycle + 1;
}

static uint64_t earlier_(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_(const struct smrf_ldst *l, uint64_t cycle)
{
    uint64_t next;

    if (l->offers || (l->miss_count > 0 && l->request_free != SMRF_LDST_NONE)) {
        return cycle + 1;
    }
    next = dispatch_next_(l, cycle);
    if (next <= cycle + 1) {
        return next;
    }
    if (l->shared_count > 0) {
        next = earlier_(next, l->shared_ready);
    }
    next = earlier_(next, l->answer_due);
    next = earlier_(next, smrf_ldst_l1d_next(l));
    return next > cycle ? next : cycle + 1;
}

bool smrf_ldst_cycle(struct smrf_ldst *l, uint64_t cycle)
{
    const uint64_t refusals = l->stats.port_refusals;
    const uint32_t under_way = l->requests_used;

    write_back_(l, cycle);
    if (l->answer_due <= cycle) {
        response_(l);
    }
    if (l->miss_count > 0) {
        smrf_ldst_l1d_send_miss(l, cycle);
    }
    if (smrf_ldst_l1d_next(l) <= cycle) {
        smrf_ldst_l1d_access(l, cycle);
    }
    if (l->dispatch.busy) {
        dispatch_(l, cycle);
    }
    l->due = next_(l, cycle);
    return l->stats.port_refusals == refusals || l->requests_used != under_way;
}

uint64_t smrf_ldst_next(const struct smrf_ldst *l, uint64_t cycle)
{
    return l->due > cycle ? l->due : cycle + 1;
}

bool smrf_ldst_probe_due(const struct smrf_ldst *l, uint64_t cycle)
{
    return l->due <= cycle;
}
