/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's life: construction, kernels, who looks inside. Its cycles: sm_cycle.c. */
#include "sm_state.h"

#include "models/common/smrf_layout.h"

#include <string.h>

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

unsigned smrf_sm_occupancy(const struct smrf_sm_config *cfg, const struct smrf_mechanism *mechanism,
                           const struct smrf_sm_kernel *kernel, const char **limit)
{
    return smrf_allotment_kernel_blocks(&cfg->sm, cfg->rf.banks, kernel, mechanism->allotment,
                                        limit);
}

unsigned smrf_sm_fit(const struct smrf_sm *sm, const struct smrf_sm_kernel *kernel,
                     const char **limit)
{
    const uint32_t registers = smrf_allotment_of_thread(
        &sm->cfg.sm, kernel, sm->links.mechanism->allotment, sm->links.mechanism_state);
    return smrf_allotment_occupancy(&sm->cfg.sm, sm->cfg.rf.banks, kernel, registers, limit);
}

static struct smrf_oracle_config oracle_config_(const struct smrf_sm_config *cfg)
{
    return (struct smrf_oracle_config){
        .check = cfg->sim.check,
        .war = cfg->scoreboard.war,
        .whole = !cfg->rf.base_registers_only,
        .warps = cfg->sm.warps,
        .flights = SMRF_FLIGHTS,
    };
}

size_t smrf_sm_bytes(const struct smrf_sm_config *cfg)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    return aligned_(sizeof(struct smrf_sm)) + aligned_(smrf_ldst_bytes(&ldst));
}

struct parts_ {
    void *oracle, *readers, *carried, *merged, *fetched, *ldst;
};

/* Parts of the store; NULL only adds up. */
static size_t lay_out_(void *store, const struct smrf_sm_config *cfg, struct parts_ *to)
{
    const struct smrf_oracle_config oracle = oracle_config_(cfg);
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
    return a.used;
}

size_t smrf_sm_store_bytes(const struct smrf_sm_config *cfg)
{
    struct parts_ parts;
    return lay_out_(NULL, cfg, &parts);
}

/* Returns the load/store unit's. */
static void *carve_(struct smrf_sm *sm)
{
    struct parts_ parts;
    (void)lay_out_(sm->links.store, &sm->cfg, &parts);
    sm->oracle = parts.oracle;
    sm->readers = parts.readers;
    sm->links.flights->carried = parts.carried;
    sm->links.merges->part = parts.merged;
    sm->fetched = parts.fetched;
    return parts.ldst;
}

int smrf_sm_init(struct smrf_sm *sm, const struct smrf_sm_config *cfg, uint16_t id,
                 const struct smrf_sm_links *links)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    struct smrf_oracle_config oracle = oracle_config_(cfg);
    const struct smrf_subcores_links around = {links->wires,     links->flights,
                                               links->units,     links->writeback,
                                               links->mechanism, links->mechanism_state};
    if (smrf_subcores_init(&sm->subcores, &cfg->issue, &cfg->rf, cfg->sm.subcores, links->sub,
                           &around) != SMRF_OK) {
        return SMRF_ERR_INVAL;
    }
    sm->cfg = *cfg;
    sm->id = id;
    sm->links = *links;
    sm->ldst = (struct smrf_ldst *)((char *)sm + aligned_(sizeof *sm));
    oracle.shares = links->mechanism->memory != NULL;
    oracle.logs = oracle.shares && links->mechanism->memory->logs;
    void *ldst_store = carve_(sm);
    smrf_rng_seed(&sm->subcores.entry.rng, cfg->sim.seed, id);
    if (smrf_oracle_init(sm->oracle, &oracle) != SMRF_OK) {
        return SMRF_ERR_INVAL;
    }
    sm->inlet = (struct smrf_ldst_inlet){
        .wires = links->wires,
        .flights = links->flights,
        .ldst = sm->ldst,
        .merges = links->merges,
        .l1_latency = cfg->l1d.latency,
    };
    smrf_ldst_inlet_init(&sm->inlet);
    const struct smrf_ldst_events events = smrf_ldst_inlet_events(&sm->inlet);
    sm->others = 0;
    int err = smrf_sm_connect(sm);
    return err ? err : smrf_ldst_init(sm->ldst, ldst_store, &ldst, id, &events, &links->port);
}

static void reset_blocks_(struct smrf_sm *sm)
{
    smrf_subcores_reset(&sm->subcores);
    smrf_flights_reset(sm->links.flights);
    smrf_units_reset(sm->links.units);
    smrf_writeback_reset(sm->links.writeback);
    smrf_simt_stacks_reset(sm->links.simt);
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
    smrf_ldst_inlet_init(&sm->inlet);
    smrf_oracle_reset(sm->oracle);
    smrf_frontend_reset(&sm->front);
    smrf_rng_seed(&sm->subcores.entry.rng, sm->cfg.sim.seed, sm->id);
    sm->stats = (struct smrf_sm_stats){0};
    sm->cycle = 0;
    sm->last_progress = 0;
    sm->others = 0;
    sm->values = false;
    sm->refusal = NULL;
    sm->progress = false;
    if (mech->attach) {
        mech->attach(sm->links.mechanism_state, &sm->services);
    }
    return SMRF_OK;
}

void smrf_sm_begin_kernel(struct smrf_sm *sm, const struct smrf_sm_kernel *kernel, uint64_t cycle)
{
    smrf_frontend_begin_kernel(&sm->front, kernel);
    smrf_oracle_kernel(sm->oracle, kernel->has_values);
    smrf_sm_find_listeners(sm);
    sm->values = sm->oracle->active || sm->links.mechanism->micro || sm->links.mechanism->write;
    sm->inlet.shared_window = kernel->shared_window;
    sm->inlet.local_window = kernel->local_window;
    sm->cycle = cycle + 1;
    sm->last_progress = cycle;
    unsigned blocks = smrf_sm_fit(sm, kernel, NULL);
    if (kernel->share && kernel->share < blocks) {
        blocks = kernel->share;
    }
    smrf_ldst_begin_kernel(sm->ldst, blocks * kernel->shared_bytes);
    smrf_ldst_order_local(sm->ldst, kernel->warps_per_block, blocks);
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
    sm->others = 0;
    sm->last_progress = sm->cycle;
}

/* --- who looks inside ------------------------------------------------------------------------- */

/* The memory port of an SM that somebody looks into. */
static bool send_watched_(void *ctx, const struct smrf_mem_request *request)
{
    const struct smrf_sm *sm = ctx;
    const bool taken = sm->links.port.send(sm->links.port.ctx, request);
    if (taken && sm->watch->requested) {
        sm->watch->requested(sm->watch->ctx, sm, request);
    }
    return taken;
}

static void arbitrated_(void *ctx, unsigned sub, const struct smrf_arbitration *before)
{
    const struct smrf_sm *sm = ctx;
    sm->watch->arbitrated(sm->watch->ctx, sm, sub, before);
}

void smrf_sm_watch(struct smrf_sm *sm, const struct smrf_watch *watch)
{
    const struct smrf_mem_port watched = {sm, send_watched_};
    const bool arbitrations = watch && watch->arbitrated;
    sm->watch = watch;
    sm->subcores.listener =
        (struct smrf_arbitration_listener){arbitrations ? arbitrated_ : NULL, sm};
    smrf_sm_find_listeners(sm);
    smrf_ldst_set_port(sm->ldst, watch ? &watched : &sm->links.port);
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
    if (sm->watch && sm->watch->answered) {
        sm->watch->answered(sm->watch->ctx, sm, response);
    }
    smrf_ldst_response(sm->ldst, response);
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
    if (warp >= sm->cfg.sm.warps || !sm->values) {
        return SMRF_ERR_UNKNOWN;
    }
    if (!sm->front.warp[warp].resident) {
        return SMRF_ERR_UNKNOWN;
    }
    const struct smrf_subcore_blocks *b = &sm->subcores.sub[smrf_subcores_of(&sm->subcores, warp)];
    const struct smrf_register_place at =
        smrf_issue_probe_place(b->issue, smrf_subcores_k_of(&sm->subcores, warp), reg);
    const struct smrf_bank_row *row = smrf_bank_probe(b->bank[at.bank], at.row);
    if (!row) {
        return SMRF_ERR_UNKNOWN;
    }
    memcpy(data, row->lane, SMRF_WARP_REG_BYTES);
    return SMRF_OK;
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
