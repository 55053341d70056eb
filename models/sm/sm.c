/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's life: construction, kernels, questions. Its cycles: sm_cycle.c. */
#include "sm_state.h"

#include "models/common/smrf_layout.h"

#include <string.h>

unsigned smrf_sm_occupancy(const struct smrf_sm_config *cfg, const struct smrf_mechanism *mechanism,
                           const struct smrf_sm_kernel *kernel, const char **limit)
{
    return smrf_allotment_kernel_blocks(&cfg->sm, cfg->rf.banks, kernel, mechanism->allotment,
                                        limit);
}

unsigned smrf_sm_fit(const struct smrf_sm *sm, const struct smrf_sm_kernel *kernel,
                     const char **limit)
{
    return smrf_frontend_fit(&sm->front, kernel, limit);
}

/* Behind an SM. */
struct behind_ {
    struct smrf_ldst *ldst;
    void *warps; /* of the view scoreboard */
};

/* sm NULL: only adds up. */
static size_t lay_out_behind_(struct smrf_sm *sm, const struct smrf_sm_config *cfg,
                              struct behind_ *to)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    struct smrf_layout a = {.base = (unsigned char *)sm};
    (void)smrf_layout_take(&a, sizeof *sm);
    to->ldst = smrf_layout_take(&a, smrf_ldst_bytes(&ldst));
    to->warps = smrf_sm_lay_out_estimate_warps(&a, cfg);
    return a.used;
}

size_t smrf_sm_bytes(const struct smrf_sm_config *cfg)
{
    struct behind_ behind;
    return lay_out_behind_(NULL, cfg, &behind);
}

struct parts_ {
    void *oracle, *readers, *carried, *merged, *fetched, *ldst, *estimate;
};

/* Parts of the store; NULL only adds up. */
static size_t lay_out_(void *store, const struct smrf_sm_config *cfg, struct parts_ *to)
{
    const struct smrf_oracle_config oracle = smrf_sm_config_oracle(cfg, NULL);
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    const size_t readers = cfg->sm.subcores * smrf_readers_size(&cfg->sm, &cfg->rf);
    const struct smrf_flights *flights = NULL;
    const struct smrf_merges *merges = NULL;
    struct smrf_layout a = {.base = store};
    to->oracle = smrf_layout_take(&a, smrf_oracle_bytes(&oracle));
    to->readers = smrf_layout_take(&a, readers * sizeof(uint16_t));
    /* these two are touched only where a mechanism carries lanes over, and where one merges */
    to->carried = smrf_layout_take(&a, SMRF_FLIGHTS * sizeof *flights->carried);
    to->merged = smrf_layout_take(&a, SMRF_FLIGHTS * sizeof *merges->part);
    to->fetched = smrf_layout_take(&a, sizeof(struct smrf_frontend_store));
    to->ldst = smrf_layout_take(&a, smrf_ldst_store_bytes(&ldst));
    to->estimate = smrf_sm_lay_out_estimate(&a, cfg);
    return a.used;
}

size_t smrf_sm_store_bytes(const struct smrf_sm_config *cfg)
{
    struct parts_ parts;
    return lay_out_(NULL, cfg, &parts);
}

/* --- the memory port ------------------------------------------------------------------------- */

static bool send_(void *ctx, const struct smrf_mem_request *request)
{
    const struct smrf_sm *sm = ctx;
    const bool taken = sm->links.port.send(sm->links.port.ctx, request);
    if (taken) {
        SMRF_CALL_LISTENERS(sm->links.hooks, requested, request);
    }
    return taken;
}

/* --- code ------------------------------------------------------------------------------------- */

static uint64_t fetch_(void *ctx, unsigned sub, uint32_t pc, uint64_t cycle)
{
    const struct smrf_wires *w = ((const struct smrf_sm *)ctx)->links.wires;
    return w->fetch(w->ctx, sub, pc, cycle);
}

/* Another kernel's code and constants lie at the same addresses. */
static void empty_caches_(struct smrf_sm *sm)
{
    smrf_icache_reset(sm->links.icache);
    for (unsigned sub = 0; sub < sm->subcores.count; sub++) {
        smrf_l0_reset(sm->subcores.sub[sub].l0);
        smrf_icache_reset(sm->subcores.sub[sub].constants);
    }
}

static void reset_caches_(struct smrf_sm *sm)
{
    empty_caches_(sm);
    sm->links.icache->accesses = sm->links.icache->misses = 0;
    for (unsigned sub = 0; sub < sm->subcores.count; sub++) {
        struct smrf_l0 *l0 = sm->subcores.sub[sub].l0;
        struct smrf_icache *constants = sm->subcores.sub[sub].constants;
        l0->accesses = l0->misses = l0->streamed = 0;
        constants->accesses = constants->misses = 0;
    }
}

/* --- construction ---------------------------------------------------------------------------- */

/* The blocks that the SM itself owns. */
static int init_blocks_(struct smrf_sm *sm, const struct parts_ *parts)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(&sm->cfg);
    const struct smrf_frontend_config front = smrf_sm_config_frontend(&sm->cfg);
    const struct smrf_ldst_events events =
        sm->estimate ? smrf_estimate_events(sm->estimate) : smrf_ldst_inlet_events(sm->links.inlet);
    const struct smrf_mem_port port = {sm, send_};
    const struct smrf_mechanism *mech = sm->links.mechanism;
    const struct smrf_oracle_config oracle = smrf_sm_config_oracle(&sm->cfg, mech);
    const struct smrf_frontend_links links = {
        .wires = sm->estimate ? smrf_estimate_wires(sm->estimate)
                              : smrf_subcores_frontend_wires(&sm->subcores),
        .code = {sm, fetch_},
        .source = sm->links.source,
        .fetch_ops = sm->links.fetch_ops,
        .fetch = sm->links.fetch,
        .allotment = mech->allotment,
        .block = mech->block,
        .warp = mech->warp,
        .mechanism_state = sm->links.mechanism_state,
    };
    int err = smrf_oracle_init(sm->oracle, &oracle);
    err = err ? err : smrf_frontend_init(&sm->front, parts->fetched, &front, &links);
    return err ? err : smrf_ldst_init(sm->ldst, parts->ldst, &ldst, sm->id, &events, &port);
}

/* What the blocks around the SM's own need of it. */
static void connect_(struct smrf_sm *sm, const struct parts_ *parts)
{
    const struct smrf_sm_links *l = &sm->links;
    l->flights->carried = parts->carried;
    l->inlet->merges->part = parts->merged;
    l->inlet->wires = l->wires;
    l->inlet->flights = l->flights;
    l->inlet->ldst = sm->ldst;
    l->inlet->l1_latency = sm->cfg.l1d.latency;
    smrf_ldst_inlet_init(l->inlet);
    *l->values = (struct smrf_register_values){
        l->wires, l->flights, sm->oracle, l->mechanism->micro, l->mechanism_state, l->hooks};
    sm->checker = (struct smrf_checker){.oracle = sm->oracle,
                                        .flights = l->flights,
                                        .cycle = &sm->cycle,
                                        .rf = sm->cfg.rf,
                                        .sm = sm->id};
}

int smrf_sm_init(struct smrf_sm *sm, const struct smrf_sm_config *cfg, uint16_t id,
                 const struct smrf_sm_links *links)
{
    struct parts_ parts;
    struct behind_ behind;
    (void)lay_out_(links->store, cfg, &parts);
    (void)lay_out_behind_(sm, cfg, &behind);
    const struct smrf_subcores_links around = {
        links->wires,  links->flights, links->units,  links->writeback, links->simt,
        &sm->front,    links->hooks,   parts.readers, links->mechanism, links->mechanism_state,
        &cfg->frontend};
    if (smrf_subcores_init(&sm->subcores, &cfg->sm, &cfg->issue, &cfg->rf, links->sub, &around) !=
        SMRF_OK) {
        return SMRF_ERR_INVAL;
    }
    sm->cfg = *cfg;
    sm->id = id;
    sm->links = *links;
    sm->oracle = parts.oracle;
    sm->ldst = behind.ldst;
    sm->others = 0;
    smrf_rng_seed(&sm->subcores.entry.rng, cfg->sim.seed, id);
    connect_(sm, &parts);
    smrf_sm_offer_services(sm);
    const int err =
        parts.estimate ? smrf_sm_init_estimate(sm, parts.estimate, behind.warps) : SMRF_OK;
    return err ? err : init_blocks_(sm, &parts);
}

static void reset_blocks_(struct smrf_sm *sm)
{
    smrf_subcores_reset(&sm->subcores);
    smrf_flights_reset(sm->links.flights);
    smrf_units_reset(sm->links.units);
    smrf_writeback_reset(sm->links.writeback);
    smrf_simt_stacks_reset(sm->links.simt);
    reset_caches_(sm);
}

int smrf_sm_reset(struct smrf_sm *sm, const struct smrf_mechanism_setup *setup)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    if (mech->bytes) {
        memset(sm->links.mechanism_state, 0, mech->bytes(setup));
    }
    int err = mech->init ? mech->init(sm->links.mechanism_state, setup, sm->id) : SMRF_OK;
    if (err) {
        return err;
    }
    reset_blocks_(sm);
    smrf_ldst_reset(sm->ldst);
    smrf_ldst_stats_reset(sm->ldst);
    smrf_ldst_inlet_init(sm->links.inlet);
    smrf_oracle_reset(sm->oracle);
    smrf_frontend_reset(&sm->front);
    smrf_rng_seed(&sm->subcores.entry.rng, sm->cfg.sim.seed, sm->id);
    sm->stats = (struct smrf_sm_stats){0};
    if (sm->estimate) {
        smrf_estimate_reset(sm->estimate);
    }
    sm->cycle = 0;
    sm->last_progress = 0;
    sm->others = 0;
    sm->values = false;
    sm->refusal = NULL;
    sm->progress = false;
    smrf_sm_offer_services(sm);
    return SMRF_OK;
}

void smrf_sm_begin_kernel(struct smrf_sm *sm, const struct smrf_sm_kernel *kernel, uint64_t cycle)
{
    smrf_frontend_begin_kernel(&sm->front, kernel);
    empty_caches_(sm);
    smrf_checker_kernel(&sm->checker, sm->links.hooks, kernel->has_values);
    sm->values = !sm->estimate && sm->oracle->active;
    sm->cycle = cycle + 1;
    sm->last_progress = cycle;
    smrf_ldst_inlet_begin_kernel(sm->links.inlet, kernel, smrf_frontend_most_blocks(&sm->front));
    if (sm->estimate) {
        smrf_estimate_begin_kernel(sm->estimate, kernel);
    }
}

void smrf_sm_set_more_blocks(struct smrf_sm *sm, bool more)
{
    smrf_frontend_set_more(&sm->front, more);
}

void smrf_sm_look_for_room(struct smrf_sm *sm)
{
    smrf_frontend_look_for_room(&sm->front);
}

void smrf_sm_launch_block(struct smrf_sm *sm, void *block)
{
    smrf_frontend_launch(&sm->front, block, sm->cycle);
    if (sm->estimate) {
        smrf_estimate_launched(sm->estimate, sm->cycle);
    }
    sm->others = 0;
    sm->last_progress = sm->cycle;
}

/* --- small things ----------------------------------------------------------------------------- */

uint64_t smrf_sm_cycle(const struct smrf_sm *sm)
{
    return sm->cycle;
}

bool smrf_sm_idle(const struct smrf_sm *sm)
{
    return sm->front.resident_blocks == 0;
}

uint64_t smrf_sm_last_progress(const struct smrf_sm *sm)
{
    const uint64_t issued = sm->subcores.last_issue;
    return issued > sm->last_progress ? issued : sm->last_progress;
}

bool smrf_sm_wants_block(const struct smrf_sm *sm)
{
    return sm->front.wants;
}

int smrf_sm_error(const struct smrf_sm *sm)
{
    return sm->front.error;
}

const char *smrf_sm_refusal(const struct smrf_sm *sm)
{
    return sm->refusal;
}

void smrf_sm_response(struct smrf_sm *sm, const struct smrf_mem_response *response)
{
    SMRF_CALL_LISTENERS(sm->links.hooks, answered, response);
    smrf_ldst_response(sm->ldst, response);
    if (sm->estimate) {
        smrf_estimate_answered(sm->estimate);
    }
}

void smrf_sm_listen(struct smrf_sm *sm, const struct smrf_listener *listener)
{
    smrf_hooks_add(sm->links.hooks, listener);
}

void smrf_sm_port_free(struct smrf_sm *sm)
{
    sm->others = 0;
}

const struct smrf_oracle *smrf_sm_oracle(const struct smrf_sm *sm)
{
    return sm->oracle;
}

void smrf_sm_settle(struct smrf_sm *const *sm, unsigned count)
{
    struct smrf_oracle *oracle[SMRF_MAX_SMS];
    for (unsigned i = 0; i < count; i++) {
        oracle[i] = sm[i]->oracle;
    }
    smrf_oracle_settle(oracle, count);
}

const struct smrf_ldst *smrf_sm_ldst(const struct smrf_sm *sm)
{
    return sm->ldst;
}

const uint64_t *smrf_sm_clock(const struct smrf_sm *sm)
{
    return &sm->cycle;
}

const bool *smrf_sm_values(const struct smrf_sm *sm)
{
    return &sm->values;
}

int smrf_sm_read_register(const struct smrf_sm *sm, unsigned warp, unsigned reg, uint32_t *data)
{
    const bool there = warp < sm->cfg.sm.warps && sm->values && sm->front.warp[warp].resident;
    return there ? smrf_subcores_read_register(&sm->subcores, warp, reg, data) : SMRF_ERR_UNKNOWN;
}

void smrf_sm_explain(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    smrf_subcores_explain(&sm->subcores, warp, info);
}

struct smrf_warp_look smrf_sm_probe_warp(const struct smrf_sm *sm, unsigned warp)
{
    return smrf_issue_probe_warp(smrf_subcores_issue_of(&sm->subcores, warp),
                                 smrf_subcores_k_of(&sm->subcores, warp));
}

const struct smrf_flights *smrf_sm_flights(const struct smrf_sm *sm)
{
    return sm->links.flights;
}

const struct smrf_subcore_blocks *smrf_sm_blocks(const struct smrf_sm *sm, unsigned sub)
{
    return sub < sm->subcores.count ? &sm->subcores.sub[sub] : NULL;
}

void *smrf_sm_resident_block(const struct smrf_sm *sm, unsigned slot)
{
    bool taken = slot < sm->cfg.sm.blocks && !(sm->front.free_blocks >> slot & 1);
    return taken ? sm->front.block[slot].handle : NULL;
}
