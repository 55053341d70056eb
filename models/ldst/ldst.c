/* SPDX-License-Identifier: Apache-2.0 */
#include "models/ldst/ldst.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_layout.h"
#include "models/common/smrf_prefetch.h"
#include "models/ldst/ldst_internal.h"

#include <string.h>

/* ---- configuration, layout, reset ---- */

/* Bytes of L1D beside a carve-out of at least shared_bytes, or beside the largest there is. */
static uint32_t l1d_bytes_(const struct smrf_ldst_config *cfg, uint32_t shared_bytes)
{
    uint32_t carveout = 0;

    for (uint64_t m = smrf_l1d_carveouts(&cfg->l1d); m; m &= m - 1) {
        carveout = (uint32_t)__builtin_ctzll(m) * 4096;
        if (carveout >= shared_bytes) {
            break;
        }
    }
    return carveout < cfg->l1d.unified_bytes ? cfg->l1d.unified_bytes - carveout : 0;
}

static uint32_t ways_(const struct smrf_ldst_config *cfg, uint32_t shared_bytes)
{
    uint32_t ways;

    if (cfg->l1d.unified_bytes == 0) {
        return cfg->l1d.ways;
    }
    ways = l1d_bytes_(cfg, shared_bytes) / (cfg->l1d.sets * SMRF_LINE_BYTES);
    return ways ? ways : 1;
}

int smrf_ldst_config_check(const struct smrf_ldst_config *cfg)
{
    if (cfg->l1d.sets == 0 || (cfg->l1d.sets & (cfg->l1d.sets - 1)) || cfg->l1d.banks == 0 ||
        cfg->l1d.ports == 0 || cfg->l1d.latency == 0 || cfg->l1d.miss_queue == 0 ||
        cfg->ldst.shared_latency == 0 || cfg->ldst.shared_banks == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d.unified_bytes && (smrf_l1d_carveouts(&cfg->l1d) == 0 ||
                                   l1d_bytes_(cfg, 0) < cfg->l1d.sets * SMRF_LINE_BYTES)) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d.unified_bytes == 0 && cfg->l1d.ways == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l1d.mshrs == 0 || cfg->l1d.mshr_merge == 0 || cfg->gpu.sms == 0 ||
        cfg->sm.warps == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->ldst.shared_banks > 64 || cfg->sm.warps > SMRF_MAX_WARPS ||
        (uint64_t)cfg->l1d.banks * cfg->l1d.ports > SMRF_LDST_MAX_PIPES ||
        smrf_cache_bytes(cfg->l1d.sets, ways_(cfg, 0)) == 0 ||
        smrf_mshr_bytes(cfg->l1d.mshrs, cfg->l1d.mshr_merge) == 0) {
        return SMRF_ERR_LIMIT;
    }
    return SMRF_OK;
}

/* The unit and its arrays in order; l NULL only adds up. */
static size_t lay_out_(struct smrf_ldst *l, const struct smrf_ldst_config *cfg, void **tags)
{
    struct smrf_layout a = {.base = (unsigned char *)l};
    uint32_t pipes = cfg->l1d.banks * cfg->l1d.ports;
    struct smrf_ldst_shared_item *shared;
    struct smrf_ldst_lot *lot;
    struct smrf_sector *sector;
    struct smrf_ldst_access *waiting;
    struct smrf_ldst_pipe *pipe;
    struct smrf_ldst_miss *miss;

    (void)smrf_layout_take(&a, sizeof(*l));
    pipe = smrf_layout_take(&a, pipes * sizeof(*pipe));
    lot = smrf_layout_take(&a, cfg->l1d.latency * sizeof(*lot));
    sector = smrf_layout_take(&a, (size_t)pipes * cfg->l1d.latency * sizeof(*sector));
    shared = smrf_layout_take(&a, cfg->ldst.shared_latency * sizeof(*shared));
    miss = smrf_layout_take(&a, cfg->l1d.miss_queue * sizeof(*miss));
    waiting = smrf_layout_take(&a, (size_t)pipes * cfg->l1d.latency * sizeof(*waiting));
    *tags = smrf_layout_take(&a, smrf_cache_bytes(cfg->l1d.sets, ways_(cfg, 0)));
    if (l) {
        l->pipes = pipes;
        l->bank_mask = cfg->l1d.banks & (cfg->l1d.banks - 1) ? UINT32_MAX : cfg->l1d.banks - 1;
        l->line_wide =
            cfg->l1d.ports == 1 && pipes >= SMRF_CACHE_SECTORS && (pipes & (pipes - 1)) == 0;
        l->pipe = pipe;
        l->lot = lot;
        l->sector = sector;
        l->waiting = waiting;
        l->shared = shared;
        l->miss = miss;
    }
    return a.used;
}

/* Tables of what is in flight; l NULL only adds up. */
static size_t lay_out_store_(struct smrf_ldst *l, void *store, const struct smrf_ldst_config *cfg,
                             void **mshr)
{
    struct smrf_layout a = {.base = store};
    struct smrf_ldst_entry *entry;
    struct smrf_ldst_request *request;
    struct smrf_ldst_answer *answer;

    *mshr = smrf_layout_take(&a, smrf_mshr_bytes(cfg->l1d.mshrs, cfg->l1d.mshr_merge));
    entry = smrf_layout_take(&a, SMRF_LDST_INSTS * sizeof(*entry));
    request = smrf_layout_take(&a, SMRF_LDST_REQUESTS * sizeof(*request));
    answer = smrf_layout_take(&a, SMRF_LDST_REQUESTS * sizeof(*answer));
    if (l) {
        l->entry = entry;
        l->request = request;
        l->answer = answer;
    }
    return a.used;
}

size_t smrf_ldst_bytes(const struct smrf_ldst_config *cfg)
{
    void *tags;

    return smrf_ldst_config_check(cfg) < 0 ? 0 : lay_out_(NULL, cfg, &tags);
}

size_t smrf_ldst_store_bytes(const struct smrf_ldst_config *cfg)
{
    void *mshr;

    return smrf_ldst_config_check(cfg) < 0 ? 0 : lay_out_store_(NULL, NULL, cfg, &mshr);
}

static void point_stats_(struct smrf_ldst *l)
{
#define KIND_(kind)                                                                                \
    {&l->stats.l1d_##kind##_accesses, &l->stats.l1d_##kind##_hits,                                 \
     &l->stats.l1d_##kind##_pending_hits, &l->stats.l1d_##kind##_misses}
    uint64_t *const stat[4][4] = {KIND_(global_load), KIND_(global_store), KIND_(local_load),
                                  KIND_(local_store)};
#undef KIND_

    memcpy(l->l1d_stat, stat, sizeof(stat));
    l->sent_stat[SMRF_MEM_READ] = &l->stats.reads_sent;
    l->sent_stat[SMRF_MEM_WRITE] = &l->stats.writes_sent;
    l->sent_stat[SMRF_MEM_ATOMIC] = &l->stats.atomics_sent;
}

int smrf_ldst_init(struct smrf_ldst *l, void *store, const struct smrf_ldst_config *cfg,
                   uint16_t sm, const struct smrf_ldst_events *events,
                   const struct smrf_mem_port *port)
{
    int err = smrf_ldst_config_check(cfg);
    void *tags, *mshr;

    if (err < 0) {
        return err;
    }
    memset(l, 0, sizeof(*l));
    l->cfg = *cfg;
    l->sm = sm;
    l->events = *events;
    l->port = *port;
    point_stats_(l);
    (void)lay_out_(l, cfg, &tags);
    (void)lay_out_store_(l, store, cfg, &mshr);
    err = smrf_cache_init(&l->tags, tags, cfg->l1d.sets, ways_(cfg, 0));
    SMRF_ASSERT(err == SMRF_OK);
    smrf_cache_keep_dirty(&l->tags, cfg->l1d.write_ratio);
    if (cfg->l1d.age_by_cycle) {
        smrf_cache_age_by_cycle(&l->tags);
    }
    err = smrf_mshr_init(&l->mshr, mshr, cfg->l1d.mshrs, cfg->l1d.mshr_merge);
    SMRF_ASSERT(err == SMRF_OK);
    smrf_ldst_reset(l);
    return SMRF_OK;
}

/* The free lists begin with one record, and grow by the next one when the last is taken: those that
 * a run never reaches stay untouched. */
static void lengthen_entries_(struct smrf_ldst *l, uint32_t i)
{
    l->entry[i] = (struct smrf_ldst_entry){.next = SMRF_LDST_NONE};
    l->entry_free = (uint16_t)i;
    l->entries_known = i + 1;
}

static void lengthen_requests_(struct smrf_ldst *l, uint32_t i)
{
    l->request[i] = (struct smrf_ldst_request){.next = SMRF_LDST_NONE};
    l->request_free = (uint16_t)i;
    l->requests_known = i + 1;
}

uint16_t smrf_ldst_entry_take(struct smrf_ldst *l)
{
    const uint16_t i = l->entry_free;

    SMRF_ASSERT(i != SMRF_LDST_NONE);
    l->entry_free = l->entry[i].next;
    l->entries_used++;
    if (l->entry_free == SMRF_LDST_NONE && l->entries_known < SMRF_LDST_INSTS) {
        lengthen_entries_(l, l->entries_known);
    }
    return i;
}

/* There is one. */
static inline uint16_t request_take_(struct smrf_ldst *l)
{
    const uint16_t i = l->request_free;

    l->request_free = l->request[i].next;
    l->requests_used++;
    if (l->request_free != SMRF_LDST_NONE) {
        smrf_prefetch(&l->request[l->request_free]);
    } else if (l->requests_known < SMRF_LDST_REQUESTS) {
        lengthen_requests_(l, l->requests_known);
    }
    return i;
}

void smrf_ldst_reset(struct smrf_ldst *l)
{
    l->next_global = l->hit_head = l->hit_tail = SMRF_LDST_NONE;
    l->offers = l->next_wb_client = l->first_client = 0;
    l->dispatch.busy = false;
    l->dispatch.stall_stat = &l->dispatch.no_stall;
    l->shared_head = l->shared_count = 0;
    l->shared_ready = l->tags_free = 0;
    memset(l->pipe, 0, l->pipes * sizeof(*l->pipe));
    memset(l->pipe_waits, 0, sizeof(l->pipe_waits));
    l->accesses = l->blocked = l->lots = l->lot_head = 0;
    l->pipes_failed = 0;
    l->due = l->lot_due = SMRF_NEVER;
    l->version = 1;
    smrf_cache_reset(&l->tags);
    smrf_mshr_reset(&l->mshr);
    l->miss_head = l->miss_count = 0;
    lengthen_entries_(l, 0);
    lengthen_requests_(l, 0);
    l->entries_used = l->requests_used = 0;
    l->answer_head = l->answers = 0;
    l->answer_due = SMRF_NEVER;
    memset(l->awaited, 0, sizeof(l->awaited));
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
    int err = smrf_cache_set_ways(&l->tags, ways_(&l->cfg, shared_bytes_used));

    SMRF_ASSERT(err == SMRF_OK);
    SMRF_ASSERT(smrf_ldst_idle(l));
    if (l->cfg.l1d.flush) {
        smrf_cache_invalidate_all(&l->tags);
    }
}

void smrf_ldst_fence(struct smrf_ldst *l)
{
    if (l->cfg.l1d.flush) {
        smrf_cache_empty(&l->tags);
        l->version++;
    }
}

void smrf_ldst_order_local(struct smrf_ldst *l, uint32_t warps_per_block, uint32_t blocks)
{
    l->block_warps = l->cfg.ldst.local_order == SMRF_LOCAL_ORDER_BLOCK ? warps_per_block : 0;
    l->blocks = blocks;
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

bool smrf_ldst_probe_awaits(const struct smrf_ldst *l)
{
    return l->requests_used != l->answers;
}

/* ---- tables ---- */

/* The record is written before the request is sent: the port may answer at once. */
bool smrf_ldst_send(struct smrf_ldst *l, struct smrf_mem_request *r, uint32_t what, uint16_t owner)
{
    uint16_t i;

    if (l->request_free == SMRF_LDST_NONE) {
        return false;
    }
    i = request_take_(l);
    l->awaited[i / 64] |= UINT64_C(1) << (i % 64);
    l->request[i].what = what;
    l->request[i].owner = owner;
    r->id = i;
    r->sm = l->sm;
    if (!l->port.send(l->port.ctx, r)) {
        l->stats.port_refusals++;
        l->awaited[i / 64] &= ~(UINT64_C(1) << (i % 64));
        smrf_ldst_request_release(l, i);
        return false;
    }
    ++*l->sent_stat[r->kind];
    return true;
}

/* Answers mostly arrive in the order in which they were reported. */
void smrf_ldst_response(struct smrf_ldst *l, const struct smrf_mem_response *response)
{
    uint32_t at = l->answer_head + l->answers++;

    SMRF_ASSERT(response->id < SMRF_LDST_REQUESTS);
    SMRF_ASSERT(l->awaited[response->id / 64] >> (response->id % 64) & 1);
    l->awaited[response->id / 64] &= ~(UINT64_C(1) << (response->id % 64));
    while (at != l->answer_head && smrf_ldst_answer(l, at - 1)->arrival > response->cycle) {
        *smrf_ldst_answer(l, at) = *smrf_ldst_answer(l, at - 1);
        at--;
    }
    *smrf_ldst_answer(l, at) = (struct smrf_ldst_answer){response->cycle, response->id};
    if (at == l->answer_head) {
        l->answer_due = response->cycle;
        l->due = response->cycle < l->due ? response->cycle : l->due;
    }
}
