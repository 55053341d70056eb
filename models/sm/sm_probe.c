/* SPDX-License-Identifier: Apache-2.0 */
/* Why a warp makes no progress, for the watchdog's report; where the value oracle found something.
 * Never on the hot path. */
#include "sm_state.h"

#include <string.h>

/* --- where an instruction in flight is -------------------------------------------------------- */

static bool in_collector_(const struct smrf_sm *sm, const struct smrf_subcore_blocks *s,
                          uint32_t flight, struct smrf_wait_info *info)
{
    const struct smrf_collectors *c = s->collectors;
    for (unsigned u = 0; u < c->count; u++) {
        if (c->free_mask >> u & 1 || c->unit[u].flight != flight) {
            continue;
        }
        info->holder_collector = (int32_t)u;
        info->holder_place = "collector, ready for its unit";
        const struct smrf_flight *f = &sm->links.flights->record[flight];
        const uint32_t missing = c->unit[u].missing;
        if (missing) {
            info->holder_bank = f->src[__builtin_ctz(missing)].bank;
            info->holder_place = "collector, waiting for a bank";
        }
        return true;
    }
    return false;
}

static void place_(const struct smrf_sm *sm, uint32_t flight, struct smrf_wait_info *info)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    const struct smrf_subcore_blocks *s = &sm->subcores.sub[f->sub];
    const struct smrf_units *units = sm->links.units;

    info->flight = flight;
    info->holder_warp = f->warp;
    info->holder_pc = f->op->pc;
    info->holder_text = f->op->text;
    if (s->issue->latch_full >> f->unit & 1 && s->issue->latch[f->unit] == flight) {
        info->holder_place = "issue latch";
    } else if (in_collector_(sm, s, flight, info)) {
        return;
    } else if (smrf_units_probe_full(units, f->sub, f->unit) &&
               units->held[smrf_units_latch_of(f->sub, f->unit)] == flight) {
        info->holder_place = "latch before its unit";
    } else if ((info->holder_bank = smrf_writeback_probe(sm->links.writeback, flight)) >= 0) {
        info->holder_place = "write queue of a bank";
    } else {
        info->holder_place =
            f->unit == SMRF_UNIT_MEM ? "load/store unit or memory" : "execution unit";
    }
}

/* --- who holds what the head instruction needs ------------------------------------------------ */

static bool contains_(const uint8_t *regs, unsigned count, unsigned reg)
{
    for (unsigned i = 0; i < count; i++) {
        if (regs[i] == reg) {
            return true;
        }
    }
    return false;
}

static bool matches_(const struct smrf_flight *f, enum smrf_wait wait, unsigned reg)
{
    switch (wait) {
    case SMRF_WAIT_REGISTER:
        return reg >= SMRF_DEPEND_UNIFORM
                   ? contains_(f->op->udst, f->op->num_udst, reg - SMRF_DEPEND_UNIFORM)
                   : contains_(f->dst_reg, f->num_dst, reg);
    case SMRF_WAIT_READERS:
        return contains_(f->src_reg, f->num_src, reg);
    default:
        return true;
    }
}

/* Name the oldest instruction of the warp in flight that matches. */
static void find_holder_(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_flights *flights = sm->links.flights;
    uint64_t used[SMRF_FLIGHTS / 64];
    uint32_t best = SMRF_NO_FLIGHT;
    smrf_flights_used(flights, used);
    for (uint32_t flight = 0; flight < SMRF_FLIGHTS; flight++) {
        const struct smrf_flight *f = &flights->record[flight];
        if (used[flight / 64] >> (flight % 64) & 1 && f->warp == warp &&
            matches_(f, info->wait, info->reg) &&
            (best == SMRF_NO_FLIGHT || f->uid < flights->record[best].uid)) {
            best = flight;
        }
    }
    if (best != SMRF_NO_FLIGHT) {
        place_(sm, best, info);
    }
}

/* The way out of issue: who is in it? */
static void explain_exit_(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(&sm->subcores, warp);
    const struct smrf_collectors *c =
        sm->subcores.sub[smrf_subcores_of(&sm->subcores, warp)].collectors;
    unsigned unit = issue->warp[smrf_subcores_k_of(&sm->subcores, warp)].head_unit;

    if (sm->cfg.issue.latches) {
        if (issue->latch_full >> unit & 1) {
            info->wait = SMRF_WAIT_UNIT;
            place_(sm, issue->latch[unit], info);
        }
    } else if (c->free_mask == 0) {
        info->wait = SMRF_WAIT_COLLECTOR;
        place_(sm, c->unit[0].flight, info);
    } else if (sm->links.mechanism->allocation) {
        info->wait = SMRF_WAIT_MECHANISM;
    }
}

static enum smrf_warp_state state_of_(const struct smrf_sm *sm, unsigned warp)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(&sm->subcores, warp);
    const struct smrf_issue_warp *w = &issue->warp[smrf_subcores_k_of(&sm->subcores, warp)];
    const uint64_t bit = UINT64_C(1) << smrf_subcores_k_of(&sm->subcores, warp);

    return !(issue->resident & bit)                   ? SMRF_WARP_STATE_COUNT
           : !w->head && issue->ended & bit           ? SMRF_WARP_drain
           : !w->head                                 ? SMRF_WARP_fetch
           : issue->barrier & bit                     ? SMRF_WARP_barrier
           : w->membar || w->atomics                  ? SMRF_WARP_membar
           : issue->held & bit                        ? SMRF_WARP_blocked
           : smrf_issue_probe_long(issue) & bit       ? SMRF_WARP_memory
           : issue->data & bit                        ? SMRF_WARP_data
           : issue->war & bit                         ? SMRF_WARP_war
           : issue->rename & bit                      ? SMRF_WARP_rename
           : !(smrf_issue_probe_allowed(issue) & bit) ? SMRF_WARP_inactive
           : issue->issued                            ? SMRF_WARP_unselected
           : sm->cfg.issue.latches                    ? SMRF_WARP_unit
                                                      : SMRF_WARP_collector;
}

struct smrf_warp_look smrf_sm_probe_warp(const struct smrf_sm *sm, unsigned warp)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(&sm->subcores, warp);
    const unsigned k = smrf_subcores_k_of(&sm->subcores, warp);
    const struct smrf_inst *head = issue->warp[k].head;
    return (struct smrf_warp_look){state_of_(sm, warp), head ? head->op : NULL,
                                   head == &issue->store->micro[k].inst};
}

const char *smrf_warp_state_name(enum smrf_warp_state state)
{
    static const char *const name[] = {
#define NAME(name, meaning) #name,
        SMRF_WARP_STATES(NAME)
#undef NAME
    };
    return state < SMRF_WARP_STATE_COUNT ? name[state] : "";
}

static enum smrf_wait wait_of_(enum smrf_warp_state state)
{
    switch (state) {
    case SMRF_WARP_memory:
    case SMRF_WARP_data:
        return SMRF_WAIT_REGISTER;
    case SMRF_WARP_war:
        return SMRF_WAIT_READERS;
    case SMRF_WARP_rename:
    case SMRF_WARP_blocked:
        return SMRF_WAIT_MECHANISM;
    case SMRF_WARP_membar:
        return SMRF_WAIT_MEMBAR;
    case SMRF_WARP_barrier:
        return SMRF_WAIT_BARRIER;
    case SMRF_WARP_fetch:
        return SMRF_WAIT_FETCH;
    case SMRF_WARP_drain:
        return SMRF_WAIT_DRAIN;
    case SMRF_WARP_inactive:
        return SMRF_WAIT_POLICY;
    case SMRF_WARP_STATE_COUNT:
        return SMRF_WAIT_NO_WARP;
    case SMRF_WARP_issued:
    case SMRF_WARP_unselected:
    case SMRF_WARP_unit:
    case SMRF_WARP_collector:
        break;
    }
    return SMRF_WAIT_NONE;
}

void smrf_sm_explain(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(&sm->subcores, warp);
    unsigned k = smrf_subcores_k_of(&sm->subcores, warp);
    const struct smrf_issue_warp *w = &issue->warp[k];
    *info = (struct smrf_wait_info){
        .wait = wait_of_(state_of_(sm, warp)),
        .flight = SMRF_NO_FLIGHT,
        .holder_bank = -1,
        .holder_collector = -1,
        .stores = w->stores,
    };
    if (w->head) {
        info->pc = w->head->op->pc;
        info->text = w->head->op->text;
        if (info->wait == SMRF_WAIT_REGISTER || info->wait == SMRF_WAIT_READERS) {
            info->reg = smrf_issue_probe_culprit(
                issue, k, info->wait == SMRF_WAIT_READERS ? SMRF_HAZARD_WAR : SMRF_HAZARD_DATA);
        }
    }
    switch (info->wait) {
    case SMRF_WAIT_NONE:
        explain_exit_(sm, warp, info);
        break;
    case SMRF_WAIT_REGISTER:
    case SMRF_WAIT_READERS:
    case SMRF_WAIT_MEMBAR:
    case SMRF_WAIT_DRAIN:
        find_holder_(sm, warp, info);
        break;
    default:
        break;
    }
}

/* --- where something is wrong ----------------------------------------------------------------- */

void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub,
                    const struct smrf_register_place *place)
{
    const struct smrf_register_place none =
        smrf_place_of(&sm->cfg.rf, at->warp, at->reg, SMRF_PHYS_NONE);
    at->cycle = sm->cycle;
    at->sm = sm->id;
    at->sub = (uint8_t)sub;
    at->bank = place ? place->bank : none.bank;
    at->row = place ? place->row : none.row;
}
