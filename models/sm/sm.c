/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's life: construction, kernels, and the loop over cycles. */
#include "sm_state.h"

#include <string.h>

static size_t aligned_(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

uint32_t smrf_sm_rows(const struct smrf_sm_config *cfg)
{
    uint32_t total = cfg->sm.registers / SMRF_LANES;
    return cfg->sm.registers_pooled ? total : total / cfg->sm.subcores;
}

static struct smrf_oracle_config oracle_config_(const struct smrf_sm_config *cfg)
{
    return (struct smrf_oracle_config){
        .check = cfg->sim.check,
        .war = cfg->scoreboard.war,
        .whole = !cfg->rf.base_registers_only,
        .warps = cfg->sm.warps,
        .flights = SMRF_SM_SLOTS,
    };
}

size_t smrf_sm_bytes(const struct smrf_sm_config *cfg)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    const struct smrf_oracle_config oracle = oracle_config_(cfg);
    return aligned_(sizeof(struct smrf_sm)) + aligned_(smrf_ldst_bytes(&ldst)) +
           smrf_oracle_bytes(&oracle);
}

int smrf_sm_init(struct smrf_sm *sm, const struct smrf_sm_config *cfg, uint16_t id,
                 const struct smrf_sm_links *links)
{
    const struct smrf_ldst_config ldst = smrf_sm_config_ldst(cfg);
    struct smrf_oracle_config oracle = oracle_config_(cfg);
    if (cfg->sm.subcores & (cfg->sm.subcores - 1)) {
        return SMRF_ERR_INVAL;
    }
    memset(sm, 0, sizeof *sm);
    sm->cfg = *cfg;
    sm->id = id;
    sm->links = *links;
    sm->ldst = (struct smrf_ldst *)((char *)sm + aligned_(sizeof *sm));
    oracle.shares = links->mechanism->memory != NULL;
    sm->oracle = (struct smrf_oracle *)((char *)sm->ldst + aligned_(smrf_ldst_bytes(&ldst)));
    sm->subs = cfg->sm.subcores;
    sm->sub_shift = (uint32_t)__builtin_ctz(cfg->sm.subcores);
    smrf_rng_seed(&sm->rng, cfg->sim.seed, id);
    for (unsigned s = 0; s < sm->subs; s++) {
        sm->sub[s].blocks = links->sub[s];
    }
    sm->free_count = SMRF_SM_SLOTS;
    for (uint32_t i = 0; i < SMRF_SM_SLOTS; i++) {
        sm->free_slots[i] = SMRF_SM_SLOTS - 1 - i;
    }
    if (smrf_icache_init(&sm->icache, &cfg->frontend) != SMRF_OK ||
        smrf_oracle_init(sm->oracle, &oracle) != SMRF_OK) {
        return SMRF_ERR_INVAL;
    }
    smrf_sm_issue_init(sm);
    int err = smrf_sm_front_init(sm);
    return err ? err : smrf_sm_exec_init(sm);
}

void smrf_sm_begin_kernel(struct smrf_sm *sm, const struct smrf_sm_kernel *kernel, uint64_t cycle)
{
    SMRF_ASSERT(sm->resident_blocks == 0);
    smrf_icache_reset(&sm->icache);
    sm->kernel = *kernel;
    smrf_oracle_kernel(sm->oracle, kernel->has_values);
    sm->cycle = cycle + 1;
    sm->last_progress = cycle;
    sm->placed = 0;
    sm->more_blocks = true;
    sm->wants_block = true;
    sm->awake = false;
    unsigned blocks = smrf_sm_occupancy(&sm->cfg, kernel, NULL);
    smrf_ldst_begin_kernel(sm->ldst, blocks * kernel->shared_bytes);
}

void smrf_sm_set_more_blocks(struct smrf_sm *sm, bool more)
{
    sm->more_blocks = more;
    sm->wants_block = sm->wants_block && more;
}

/* --- the loop -------------------------------------------------------------------------------------- */

/* One cycle, in the order of Accel-Sim's core: results first, so that they are usable in the same
 * cycle's issue; fetch last, so that what it brings issues in the next. */
static void cycle_(struct smrf_sm *sm)
{
    sm->progress = false;
    sm->placed = 0;
    smrf_sm_write_back(sm);
    smrf_sm_execute(sm);
    smrf_sm_collect_steps(sm);
    smrf_sm_issue(sm);
    if (sm->fetch_need || sm->fetched >= 0) {
        smrf_sm_fetch(sm);
    }
    sm->stats.stepped_cycles++;
    sm->stats.active_cycles++;
    sm->awake = sm->progress;
    sm->cycle++;
    sm->wants_block = sm->more_blocks && smrf_sm_has_room(sm);
}

/* n cycles in which nothing changes: only the counters of time move. */
static void skip_(struct smrf_sm *sm, uint64_t n)
{
    if (sm->resident_blocks) {
        for (unsigned s = 0; s < sm->subs; s++) {
            sm->stats.stall[sm->sub[s].stall] += n;
            smrf_sm_issue_skip(sm, s, n);
        }
        sm->stats.scheduler_cycles += n * sm->subs;
        sm->stats.active_cycles += n;
        sm->issue_first = (uint32_t)((sm->issue_first + n) & (sm->subs - 1));
    }
    sm->cycle += n;
}

uint64_t smrf_sm_next(const struct smrf_sm *sm)
{
    if (sm->resident_blocks == 0) {
        return SMRF_NEVER; /* nothing is left in flight: a block ends with its last answer */
    }
    if (sm->awake) {
        return sm->cycle;
    }
    uint64_t next = smrf_sm_exec_next(sm);
    for (unsigned s = 0; s < sm->subs; s++) {
        for (uint64_t m = sm->sub[s].blocked; m; m &= m - 1) {
            unsigned k = (unsigned)__builtin_ctzll(m);
            uint64_t at = sm->warp[smrf_sm_warp_of(sm, s, k)].blocked_until;
            next = at < next ? at : next;
        }
        for (uint64_t m = sm->sub[s].timed; m; m &= m - 1) {
            unsigned k = (unsigned)__builtin_ctzll(m);
            uint64_t at = sm->warp[smrf_sm_warp_of(sm, s, k)].check_again;
            next = at < next ? at : next;
        }
    }
    return next < sm->cycle ? sm->cycle : next;
}

enum smrf_sm_stop smrf_sm_run(struct smrf_sm *sm, uint64_t until)
{
    while (!sm->error) {
        if (sm->wants_block) {
            return SMRF_SM_WANTS_BLOCK;
        }
        if (sm->cycle >= until) {
            return SMRF_SM_REACHED;
        }
        uint64_t next = smrf_sm_next(sm);
        if (next > sm->cycle) {
            skip_(sm, (next < until ? next : until) - sm->cycle);
        } else {
            cycle_(sm);
        }
    }
    return SMRF_SM_ERROR;
}

/* --- small things -------------------------------------------------------------------------------- */

uint64_t smrf_sm_cycle(const struct smrf_sm *sm)
{
    return sm->cycle;
}

bool smrf_sm_idle(const struct smrf_sm *sm)
{
    return sm->resident_blocks == 0;
}

uint64_t smrf_sm_last_progress(const struct smrf_sm *sm)
{
    return sm->last_progress;
}

bool smrf_sm_wants_block(const struct smrf_sm *sm)
{
    return sm->wants_block;
}

int smrf_sm_error(const struct smrf_sm *sm)
{
    return sm->error;
}

void smrf_sm_response(struct smrf_sm *sm, const struct smrf_mem_response *response)
{
    smrf_ldst_response(sm->ldst, response);
}

void smrf_sm_port_free(struct smrf_sm *sm)
{
    sm->awake = true;
}

const struct smrf_sm_stats *smrf_sm_stats_get(struct smrf_sm *sm)
{
    uint64_t conflicts = 0;
    for (unsigned s = 0; s < sm->subs; s++) {
        conflicts += sm->sub[s].blocks.arbiter->conflicts;
    }
    sm->stats.bank_conflict_cycles = conflicts;
    sm->stats.icache_misses = sm->icache.misses;
#define GATHER(name, unit, meaning) sm->stats.name = sm->oracle->stats.name;
    SMRF_ORACLE_STATS(GATHER)
#undef GATHER
    return &sm->stats;
}

const struct smrf_oracle *smrf_sm_oracle(const struct smrf_sm *sm)
{
    return sm->oracle;
}

const struct smrf_ldst *smrf_sm_ldst(const struct smrf_sm *sm)
{
    return sm->ldst;
}

const struct smrf_flight *smrf_sm_flight(const struct smrf_sm *sm, uint32_t slot)
{
    return slot < SMRF_SM_SLOTS ? &sm->flight[slot] : NULL;
}

int smrf_sm_read_register(const struct smrf_sm *sm, unsigned warp, unsigned reg, uint32_t *data)
{
    if (warp >= sm->cfg.sm.warps || !sm->warp[warp].resident || reg >= sm->warp[warp].registers) {
        return SMRF_ERR_UNKNOWN;
    }
    const struct smrf_mechanism *mech = sm->links.mechanism;
    unsigned phys = mech->rename ? mech->rename->source(sm->links.mechanism_state, warp, reg)
                                 : sm->warp[warp].base + reg;
    const struct smrf_subcore_blocks *b = &sm->sub[smrf_sm_sub_of(sm, warp)].blocks;
    const struct smrf_bank_row *row = smrf_bank_probe(
        b->bank[smrf_sm_bank_of(&sm->cfg, warp, phys)], smrf_sm_row_of(&sm->cfg, phys));
    if (!row) {
        return SMRF_ERR_UNKNOWN;
    }
    memcpy(data, row->lane, SMRF_WARP_REG_BYTES);
    return SMRF_OK;
}

const struct smrf_subcore_blocks *smrf_sm_blocks(const struct smrf_sm *sm, unsigned sub)
{
    return sub < sm->subs ? &sm->sub[sub].blocks : NULL;
}

void *smrf_sm_resident_block(const struct smrf_sm *sm, unsigned slot)
{
    bool taken = slot < sm->cfg.sm.blocks && !(sm->free_blocks >> slot & 1);
    return taken ? sm->block[slot].handle : NULL;
}
