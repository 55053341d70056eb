/* SPDX-License-Identifier: Apache-2.0 */
#include "models/ldst/ldst.h"

#include "models/common/smrf_assert.h"
#include "models/ldst/ldst_internal.h"

#include <string.h>

/* ---- configuration, layout, reset ---- */

/* Bytes of L1D beside a carve-out of at least shared_bytes, or beside the largest there is. */
static uint32_t l1d_bytes_(const struct smrf_config *cfg, uint32_t shared_bytes)
{
    uint32_t carveout = 0;

    for (uint32_t m = cfg->l1d_carveouts; m; m &= m - 1) {
        carveout = (uint32_t)__builtin_ctz(m) * 4096;
        if (carveout >= shared_bytes) {
            break;
        }
    }
    return carveout < cfg->l1d_unified_bytes ? cfg->l1d_unified_bytes - carveout : 0;
}

static uint32_t ways_(const struct smrf_config *cfg, uint32_t shared_bytes)
{
    uint32_t ways;

    if (cfg->l1d_unified_bytes == 0) {
        return cfg->l1d_ways;
    }
    ways = l1d_bytes_(cfg, shared_bytes) / (cfg->l1d_sets * SMRF_LINE_BYTES);
    return ways ? ways : 1;
}

int smrf_ldst_config_check(const struct smrf_config *cfg)
{
    if (cfg->l1d_sets == 0 || (cfg->l1d_sets & (cfg->l1d_sets - 1)) || cfg->l1d_banks == 0 ||
        cfg->l1d_ports == 0 || cfg->l1d_latency == 0 || cfg->l1d_miss_queue == 0 ||
        cfg->ldst_shared_latency == 0 || cfg->ldst_shared_banks == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d_unified_bytes &&
        (cfg->l1d_carveouts == 0 || l1d_bytes_(cfg, 0) < cfg->l1d_sets * SMRF_LINE_BYTES)) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d_unified_bytes == 0 && cfg->l1d_ways == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d_mshrs == 0 || cfg->l1d_mshr_merge == 0 || cfg->gpu_sms == 0 ||
        cfg->sm_warps == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->ldst_shared_banks > 64 || cfg->sm_warps > SMRF_MAX_WARPS ||
        (uint64_t)cfg->l1d_banks * cfg->l1d_ports > SMRF_LDST_MAX_PIPES ||
        smrf_cache_bytes(cfg->l1d_sets, ways_(cfg, 0)) == 0 ||
        smrf_mshr_bytes(cfg->l1d_mshrs, cfg->l1d_mshr_merge) == 0) {
        return SMRF_ERR_LIMIT;
    }
    return SMRF_OK;
}

/* Hands out 64-byte aligned pieces of the caller's storage; base NULL only adds up. */
struct layout_ {
    unsigned char *base;
    size_t used;
};

static void *take_(struct layout_ *a, size_t bytes)
{
    void *p = a->base ? a->base + a->used : NULL;

    a->used += (bytes + 63u) & ~(size_t)63u;
    return p;
}

/* Arrays of the unit in order; l NULL only adds up. */
static size_t lay_out_(struct smrf_ldst *l, const struct smrf_config *cfg, void **tags, void **mshr)
{
    struct layout_ a = {.base = (unsigned char *)l};
    uint32_t pipes = cfg->l1d_banks * cfg->l1d_ports;
    struct smrf_ldst_shared_item *shared;
    struct smrf_ldst_access *items;
    struct smrf_ldst_pipe *pipe;
    struct smrf_ldst_miss *miss;
    struct smrf_ldst_entry *entry;
    struct smrf_ldst_request *request;

    (void)take_(&a, sizeof(*l));
    pipe = take_(&a, pipes * sizeof(*pipe));
    items = take_(&a, (size_t)pipes * cfg->l1d_latency * sizeof(*items));
    shared = take_(&a, cfg->ldst_shared_latency * sizeof(*shared));
    miss = take_(&a, cfg->l1d_miss_queue * sizeof(*miss));
    entry = take_(&a, SMRF_LDST_INSTS * sizeof(*entry));
    request = take_(&a, SMRF_LDST_REQUESTS * sizeof(*request));
    *tags = take_(&a, smrf_cache_bytes(cfg->l1d_sets, ways_(cfg, 0)));
    *mshr = take_(&a, smrf_mshr_bytes(cfg->l1d_mshrs, cfg->l1d_mshr_merge));
    if (l) {
        l->pipes = pipes;
        l->pipe = pipe;
        l->shared = shared;
        l->miss = miss;
        l->entry = entry;
        l->request = request;
        memset(pipe, 0, pipes * sizeof(*pipe));
        for (uint32_t k = 0; k < pipes; k++) {
            pipe[k].item = items + (size_t)k * cfg->l1d_latency;
        }
    }
    return a.used;
}

size_t smrf_ldst_bytes(const struct smrf_config *cfg)
{
    void *tags, *mshr;

    return smrf_ldst_config_check(cfg) < 0 ? 0 : lay_out_(NULL, cfg, &tags, &mshr);
}

int smrf_ldst_init(struct smrf_ldst *l, const struct smrf_config *cfg, uint16_t sm,
                   const struct smrf_ldst_events *events, const struct smrf_mem_port *port)
{
    int err = smrf_ldst_config_check(cfg);
    void *tags, *mshr;

    if (err < 0) {
        return err;
    }
    memset(l, 0, sizeof(*l));
    l->cfg = cfg;
    l->sm = sm;
    l->events = *events;
    l->port = *port;
    (void)lay_out_(l, cfg, &tags, &mshr);
    err = smrf_cache_init(&l->tags, tags, cfg->l1d_sets, ways_(cfg, 0));
    SMRF_ASSERT(err == SMRF_OK);
    err = smrf_mshr_init(&l->mshr, mshr, cfg->l1d_mshrs, cfg->l1d_mshr_merge);
    SMRF_ASSERT(err == SMRF_OK);
    smrf_ldst_reset(l);
    return SMRF_OK;
}

void smrf_ldst_reset(struct smrf_ldst *l)
{
    l->next_wb = l->next_global = l->hit_head = l->hit_tail = SMRF_LDST_NONE;
    l->next_wb_client = l->first_client = 0;
    l->dispatch.busy = false;
    l->dispatch.stall_stat = NULL;
    l->shared_head = l->shared_count = 0;
    l->shared_ready = 0;
    for (uint32_t k = 0; k < l->pipes; k++) {
        l->pipe[k] = (struct smrf_ldst_pipe){.item = l->pipe[k].item};
    }
    memset(l->pipe_used, 0, sizeof(l->pipe_used));
    l->accesses = 0;
    l->version = 1;
    smrf_cache_reset(&l->tags);
    smrf_mshr_reset(&l->mshr);
    l->miss_head = l->miss_count = 0;
    for (uint32_t i = 0; i < SMRF_LDST_INSTS; i++) {
        l->entry[i] =
            (struct smrf_ldst_entry){.next = i + 1 < SMRF_LDST_INSTS ? i + 1 : SMRF_LDST_NONE};
    }
    for (uint32_t i = 0; i < SMRF_LDST_REQUESTS; i++) {
        l->request[i] =
            (struct smrf_ldst_request){.next = i + 1 < SMRF_LDST_REQUESTS ? i + 1 : SMRF_LDST_NONE};
    }
    l->entry_free = l->request_free = 0;
    l->entries_used = l->requests_used = 0;
    l->response_head = l->response_tail = SMRF_LDST_NONE;
}

const struct smrf_ldst_stats *smrf_ldst_statistics(const struct smrf_ldst *l)
{
    return &l->stats;
}

void smrf_ldst_stats_reset(struct smrf_ldst *l)
{
    l->stats = (struct smrf_ldst_stats){0};
}

void smrf_ldst_begin_kernel(struct smrf_ldst *l, uint32_t shared_bytes_used)
{
    int err = smrf_cache_set_ways(&l->tags, ways_(l->cfg, shared_bytes_used));

    SMRF_ASSERT(err == SMRF_OK);
    SMRF_ASSERT(smrf_ldst_idle(l));
    if (l->cfg->l1d_flush) {
        smrf_cache_invalidate_all(&l->tags);
    }
}

uint32_t smrf_ldst_probe_l1d_ways(const struct smrf_ldst *l)
{
    return l->tags.ways;
}

bool smrf_ldst_idle(const struct smrf_ldst *l)
{
    return !l->dispatch.busy && l->entries_used == 0 && l->requests_used == 0 && l->accesses == 0 &&
           l->miss_count == 0;
}

/* ---- tables ---- */

static uint32_t entry_take_(struct smrf_ldst *l)
{
    uint32_t i = l->entry_free;

    SMRF_ASSERT(i != SMRF_LDST_NONE);
    l->entry_free = l->entry[i].next;
    l->entries_used++;
    return i;
}

void smrf_ldst_entry_release(struct smrf_ldst *l, uint32_t i)
{
    l->entry[i].next = l->entry_free;
    l->entry_free = i;
    l->entries_used--;
}

static void request_release_(struct smrf_ldst *l, uint32_t i)
{
    l->request[i].arrival = 0; /* only a request in flight says NEVER */
    l->request[i].next = l->request_free;
    l->request_free = i;
    l->requests_used--;
}

/* Send r. The record stands before the port is asked: it may answer at once. */
bool smrf_ldst_send(struct smrf_ldst *l, const struct smrf_mem_request *r,
                    const struct smrf_ldst_request *record)
{
    struct smrf_mem_request request = *r;
    uint32_t i = l->request_free;

    if (i == SMRF_LDST_NONE) {
        return false;
    }
    l->request_free = l->request[i].next;
    l->requests_used++;
    l->request[i] = *record;
    l->request[i].arrival = SMRF_NEVER;
    request.id = i;
    request.sm = l->sm;
    if (!l->port.send(l->port.ctx, &request)) {
        l->stats.port_refusals++;
        request_release_(l, i);
        return false;
    }
    switch (request.kind) {
    case SMRF_MEM_READ:
        l->stats.reads_sent++;
        break;
    case SMRF_MEM_WRITE:
        l->stats.writes_sent++;
        break;
    default:
        l->stats.atomics_sent++;
        break;
    }
    return true;
}

void smrf_ldst_response(struct smrf_ldst *l, const struct smrf_mem_response *response)
{
    uint32_t i = response->id, *link = &l->response_head;

    SMRF_ASSERT(i < SMRF_LDST_REQUESTS);
    SMRF_ASSERT(l->request[i].arrival == SMRF_NEVER);
    l->request[i].arrival = response->cycle;
    /* Nearly always the last; else behind all that arrive no later. */
    if (l->response_head != SMRF_LDST_NONE &&
        l->request[l->response_tail].arrival <= response->cycle) {
        link = &l->request[l->response_tail].next;
    } else {
        while (*link != SMRF_LDST_NONE && l->request[*link].arrival <= response->cycle) {
            link = &l->request[*link].next;
        }
    }
    l->request[i].next = *link;
    *link = i;
    if (l->request[i].next == SMRF_LDST_NONE) {
        l->response_tail = i;
    }
}

/* ---- accept ---- */

bool smrf_ldst_free(const struct smrf_ldst *l)
{
    return !l->dispatch.busy && l->entry_free != SMRF_LDST_NONE;
}

static bool in_window_(uint64_t address, uint64_t window)
{
    return window && address - window < (UINT64_C(16) << 20);
}

/* The space that the instruction accesses; the first active lane decides for generic addresses
 * (Accel-Sim: trace_warp_inst_t::parse_from_trace_struct). */
static enum smrf_space space_(const struct smrf_ldst_inst *in)
{
    enum smrf_space space = (enum smrf_space)in->inst->op->space;
    uint64_t address;

    if (in->inst->mask == 0 || in->inst->op->access_bytes == 0 ||
        in->inst->addr_kind == SMRF_ADDR_NONE) {
        return SMRF_SPACE_NONE;
    }
    if (in->inst->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        return SMRF_SPACE_GLOBAL;
    }
    if (space != SMRF_SPACE_GENERIC) {
        return space;
    }
    address = smrf_first_address(in->inst);
    if (in_window_(address, in->shared_window)) {
        return SMRF_SPACE_SHARED;
    }
    return in_window_(address, in->local_window) ? SMRF_SPACE_LOCAL : SMRF_SPACE_GLOBAL;
}

static void accept_shared_(struct smrf_ldst *l, const struct smrf_inst *inst, uint32_t bytes,
                           uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    uint32_t passes = smrf_shared_passes(inst, bytes, l->cfg->ldst_shared_banks);

    d->route = SMRF_LDST_ROUTE_SHARED;
    d->ready = cycle + passes;
    l->stats.shared_conflict_cycles += passes - 1;
    if (d->is_store) {
        l->stats.shared_stores++;
    } else {
        l->stats.shared_loads++;
    }
}

static void accept_local_(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint32_t bytes)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    uint64_t threads = (uint64_t)l->cfg->sm_warps * SMRF_LANES;
    const struct smrf_local_map map = {.window = in->local_window,
                                       .thread = l->sm * threads + in->warp * SMRF_LANES,
                                       .threads = l->cfg->gpu_sms * threads};

    d->route = SMRF_LDST_ROUTE_L1D;
    d->is_local = true;
    d->left = smrf_coalesce_local(in->inst, bytes, &map, d->sector);
    l->stats.local_sectors += d->left;
    if (in->inst->op->flags & SMRF_INST_SPILL) {
        l->stats.spills++;
        l->stats.spill_sectors += d->left;
    }
    if (d->is_store) {
        l->stats.local_stores++;
    } else {
        l->stats.local_loads++;
    }
}

static void accept_global_(struct smrf_ldst *l, const struct smrf_inst *inst, uint32_t bytes)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    bool bypass = l->cfg->l1d_bypass || (inst->op->flags & SMRF_INST_BYPASS_L1);

    d->is_atomic = inst->op->op_class == SMRF_CLASS_ATOMIC;
    if (d->is_atomic) {
        d->route = SMRF_LDST_ROUTE_PORT;
        d->left = smrf_coalesce_atomic(inst, bytes, d->sector);
        l->stats.atomics++;
    } else {
        d->route = bypass ? SMRF_LDST_ROUTE_PORT : SMRF_LDST_ROUTE_L1D;
        d->left = smrf_coalesce_global(inst, bytes, d->sector);
        l->stats.bypass_sectors += bypass ? d->left : 0;
        if (d->is_store) {
            l->stats.global_stores++;
        } else {
            l->stats.global_loads++;
        }
    }
    l->stats.global_sectors += d->left;
}

static uint8_t entry_flags_(const struct smrf_ldst *l, const struct smrf_inst *inst)
{
    bool dst = inst->op->num_dst > 0 || (l->cfg->rf_rz_is_register && inst->op->num_dst_base > 0);
    uint8_t flags = 0;

    if (dst) {
        flags = SMRF_LDST_HAS_DST | SMRF_LDST_WAITS;
    } else if (inst->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        flags = SMRF_LDST_WAITS;
    } else if (l->dispatch.is_atomic) {
        flags = SMRF_LDST_REDUCES;
    }
    return flags;
}

void smrf_ldst_accept(struct smrf_ldst *l, const struct smrf_ldst_inst *in, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const struct smrf_inst *inst = in->inst;
    uint32_t bytes = inst->op->access_bytes;

    SMRF_ASSERT(smrf_ldst_free(l));
    SMRF_ASSERT(in->warp < l->cfg->sm_warps);
    bytes = bytes > SMRF_MAX_ACCESS_BYTES ? SMRF_MAX_ACCESS_BYTES : bytes;
    d->busy = true;
    d->route = SMRF_LDST_ROUTE_DONE;
    d->warp = (uint8_t)in->warp;
    d->is_store = inst->op->op_class == SMRF_CLASS_STORE;
    d->is_atomic = d->is_local = false;
    d->slot = in->slot;
    d->entry = SMRF_LDST_NONE;
    d->left = 0;
    d->stall_stat = NULL;
    switch (space_(in)) {
    case SMRF_SPACE_SHARED:
        accept_shared_(l, inst, bytes, cycle);
        break;
    case SMRF_SPACE_LOCAL:
        accept_local_(l, in, bytes);
        break;
    case SMRF_SPACE_GLOBAL:
        accept_global_(l, inst, bytes);
        break;
    default: /* constant and texture memory are ideal; no active lane */
        l->stats.others++;
        return;
    }
    if (!d->is_store) {
        d->entry = entry_take_(l);
        l->entry[d->entry] = (struct smrf_ldst_entry){.slot = in->slot,
                                                      .pending = (uint16_t)d->left,
                                                      .warp = d->warp,
                                                      .flags = entry_flags_(l, inst)};
    }
}

/* ---- a cycle ---- */

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
    uint32_t i = l->next_wb;
    struct smrf_ldst_entry *e = &l->entry[i];
    bool sector =
        l->next_wb_client == SMRF_LDST_CLIENT_GLOBAL || l->next_wb_client == SMRF_LDST_CLIENT_MISS;
    bool last = !sector || e->pending == 1;

    if ((e->flags & SMRF_LDST_HAS_DST) && (last || l->cfg->rf_write_per_sector)) {
        if (!offer_(l, e, last, cycle)) {
            return;
        }
    } else if (last && (e->flags & SMRF_LDST_WAITS)) {
        l->events.complete(l->events.ctx, e->slot, cycle);
    }
    if (sector) {
        e->pending--;
    }
    if (last) {
        smrf_ldst_entry_release(l, i);
    }
    l->next_wb = SMRF_LDST_NONE;
}

static uint32_t take_shared_(struct smrf_ldst *l, uint64_t cycle)
{
    uint32_t i;

    if (l->shared_count == 0 || l->shared_ready > cycle) {
        return SMRF_LDST_NONE;
    }
    i = l->shared[l->shared_head].entry;
    l->shared_head = l->shared_head + 1 == l->cfg->ldst_shared_latency ? 0 : l->shared_head + 1;
    if (--l->shared_count > 0) {
        uint64_t flow = l->shared[l->shared_head].entered + l->cfg->ldst_shared_latency;

        l->shared_ready = flow > cycle + 1 ? flow : cycle + 1;
    }
    return i;
}

static uint32_t take_client_(struct smrf_ldst *l, uint32_t client, uint64_t cycle)
{
    uint32_t i = SMRF_LDST_NONE;

    switch (client) {
    case SMRF_LDST_CLIENT_SHARED:
        return take_shared_(l, cycle);
    case SMRF_LDST_CLIENT_GLOBAL:
        i = l->next_global;
        l->next_global = SMRF_LDST_NONE;
        if (i != SMRF_LDST_NONE && (l->entry[i].flags & SMRF_LDST_REDUCES)) {
            l->events.stores(l->events.ctx, l->entry[i].warp, -1);
        }
        return i;
    case SMRF_LDST_CLIENT_MISS:
        if (smrf_mshr_peek(&l->mshr, &i)) {
            (void)smrf_mshr_take(&l->mshr);
            l->version++;
        }
        return i;
    default:
        i = l->hit_head;
        if (i != SMRF_LDST_NONE) {
            l->hit_head = l->entry[i].next;
        }
        return i;
    }
}

static void write_back_(struct smrf_ldst *l, uint64_t cycle)
{
    if (l->next_wb != SMRF_LDST_NONE) {
        write_held_(l, cycle);
    }
    for (uint32_t c = 0; l->next_wb == SMRF_LDST_NONE && c < SMRF_LDST_CLIENTS; c++) {
        uint32_t client = (l->first_client + c) % SMRF_LDST_CLIENTS;

        l->next_wb = take_client_(l, client, cycle);
        if (l->next_wb != SMRF_LDST_NONE) {
            l->next_wb_client = (uint8_t)client;
            l->first_client = (uint8_t)((client + 1) % SMRF_LDST_CLIENTS);
        }
    }
}

/* One answer that has arrived. */
static void response_(struct smrf_ldst *l, uint64_t cycle)
{
    uint32_t i = l->response_head;
    const struct smrf_ldst_request *r;

    if (i == SMRF_LDST_NONE || l->request[i].arrival > cycle) {
        return;
    }
    r = &l->request[i];
    if (r->kind == SMRF_LDST_REQ_WRITE) {
        l->events.stores(l->events.ctx, r->warp, -1);
    } else if (r->kind == SMRF_LDST_REQ_DIRECT) {
        if (l->next_global != SMRF_LDST_NONE) {
            return;
        }
        l->next_global = r->entry;
    } else {
        bool filled = smrf_cache_fill(&l->tags, r->address);
        uint32_t woken = smrf_mshr_ready(&l->mshr, r->address);

        SMRF_ASSERT(filled && woken > 0);
        l->stats.l1d_fills++;
        l->version++;
    }
    l->stats.answers++;
    l->response_head = r->next;
    request_release_(l, i);
}

/* End the stall that was noted at an earlier attempt, if any. */
static void end_stall_(struct smrf_ldst_dispatch *d, uint64_t cycle)
{
    if (d->stall_stat) {
        *d->stall_stat += cycle - d->stalled_at;
        d->stall_stat = NULL;
    }
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
        l->events.complete(l->events.ctx, d->slot, cycle);
    }
}

static void dispatch_shared_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    uint32_t latency = l->cfg->ldst_shared_latency, at;

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
    at = (l->shared_head + l->shared_count) % latency;
    l->shared[at] = (struct smrf_ldst_shared_item){.entered = cycle, .entry = d->entry};
    if (l->shared_count++ == 0) {
        l->shared_ready = cycle + latency;
    }
    leave_(l, cycle);
}

static void dispatch_l1d_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    bool answered = d->is_store && !(d->is_local && l->cfg->l1d_always_hit_local);

    for (uint32_t k = 0; k < l->pipes && d->left > 0; k++) {
        if (!smrf_ldst_l1d_enter(l, &d->sector[d->left - 1], cycle)) {
            stall_(d, &l->stats.bank_conflict_stalls, cycle);
            return;
        }
        d->left--;
        if (answered) {
            l->events.stores(l->events.ctx, d->warp, 1);
        }
    }
    if (d->left == 0) {
        leave_(l, cycle);
    }
}

static void dispatch_port_(struct smrf_ldst *l, uint64_t cycle)
{
    struct smrf_ldst_dispatch *d = &l->dispatch;
    const struct smrf_sector *s = &d->sector[d->left - 1];
    uint8_t kind = d->is_atomic ? SMRF_MEM_ATOMIC : d->is_store ? SMRF_MEM_WRITE : SMRF_MEM_READ;
    struct smrf_mem_request r = {.address = s->address,
                                 .cycle = cycle,
                                 .byte_mask = kind == SMRF_MEM_READ ? UINT32_MAX : s->bytes,
                                 .kind = kind};
    struct smrf_ldst_request record = {.address = s->address,
                                       .entry = (uint16_t)d->entry,
                                       .warp = d->warp,
                                       .kind = d->is_store ? SMRF_LDST_REQ_WRITE
                                                           : SMRF_LDST_REQ_DIRECT};

    if (!smrf_ldst_send(l, &r, &record)) {
        stall_(d, &l->stats.port_stalls, cycle);
        return;
    }
    if (d->is_store || (l->entry[d->entry].flags & SMRF_LDST_REDUCES)) {
        l->events.stores(l->events.ctx, d->warp, 1);
    }
    if (--d->left == 0) {
        leave_(l, cycle);
    }
}

static void dispatch_(struct smrf_ldst *l, uint64_t cycle)
{
    if (!l->dispatch.busy) {
        return;
    }
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

void smrf_ldst_cycle(struct smrf_ldst *l, uint64_t cycle)
{
    write_back_(l, cycle);
    response_(l, cycle);
    smrf_ldst_l1d_send_miss(l, cycle);
    smrf_ldst_l1d_access(l, cycle);
    dispatch_(l, cycle);
}

/* ---- when next ---- */

/* First cycle in which the dispatch register can do more; NEVER: after something else moved. */
static uint64_t dispatch_next_(const struct smrf_ldst *l, uint64_t cycle)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;

    if (!d->busy) {
        return SMRF_NEVER;
    }
    if (d->route == SMRF_LDST_ROUTE_SHARED) {
        if (d->stall_stat && l->shared_count == l->cfg->ldst_shared_latency) {
            return SMRF_NEVER;
        }
        return d->ready > cycle ? d->ready : cycle + 1;
    }
    if (d->stall_stat) {
        if (d->route == SMRF_LDST_ROUTE_L1D &&
            smrf_ldst_l1d_waits(l, d->sector[d->left - 1].address)) {
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

uint64_t smrf_ldst_next(const struct smrf_ldst *l, uint64_t cycle)
{
    uint64_t next;
    uint32_t id;

    if (l->next_wb != SMRF_LDST_NONE || l->next_global != SMRF_LDST_NONE ||
        l->hit_head != SMRF_LDST_NONE || smrf_mshr_peek(&l->mshr, &id) ||
        (l->miss_count > 0 && l->request_free != SMRF_LDST_NONE)) {
        return cycle + 1;
    }
    next = dispatch_next_(l, cycle);
    if (next <= cycle + 1) {
        return next;
    }
    if (l->shared_count > 0) {
        next = earlier_(next, l->shared_ready);
    }
    if (l->response_head != SMRF_LDST_NONE) {
        next = earlier_(next, l->request[l->response_head].arrival);
    }
    if (l->accesses > 0) {
        next = earlier_(next, smrf_ldst_l1d_next(l, cycle));
    }
    return next > cycle ? next : cycle + 1;
}
