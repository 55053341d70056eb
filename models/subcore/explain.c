/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

/* --- where an instruction in flight is -------------------------------------------------------- */

static bool in_collector_(const struct smrf_subcores *s, const struct smrf_subcore_blocks *b,
                          uint32_t flight, struct smrf_wait_info *info)
{
    const struct smrf_collectors *c = b->collectors;
    for (unsigned u = 0; u < c->count; u++) {
        if (c->free_mask >> u & 1 || c->unit[u].flight != flight) {
            continue;
        }
        info->holder_collector = (int32_t)u;
        info->holder_place = "collector, ready for its unit";
        const struct smrf_flight *f = &s->links.flights->record[flight];
        const uint32_t missing = c->unit[u].missing;
        if (missing) {
            info->holder_bank = f->src[__builtin_ctz(missing)].bank;
            info->holder_place = "collector, waiting for a bank";
        }
        return true;
    }
    return false;
}

static void place_(const struct smrf_subcores *s, uint32_t flight, struct smrf_wait_info *info)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    const struct smrf_subcore_blocks *b = &s->sub[f->sub];
    const struct smrf_units *units = s->links.units;

    info->flight = flight;
    info->holder_warp = f->warp;
    info->holder_pc = f->op->pc;
    info->holder_text = f->op->text;
    const char *reading = b->reading.ops && b->reading.ops->place
                              ? b->reading.ops->place(b->reading.state, flight)
                              : NULL;
    if (reading) {
        info->holder_place = reading;
    } else if (b->issue->cfg.issue.latches && b->issue->latch_full >> f->unit & 1 &&
               b->issue->latch[f->unit] == flight) {
        info->holder_place = "issue latch";
    } else if (in_collector_(s, b, flight, info)) {
        return;
    } else if (smrf_units_probe_full(units, f->sub, f->unit) &&
               units->latched[smrf_units_latch_of(f->sub, f->unit)] == flight) {
        info->holder_place = "latch before its unit";
    } else if ((info->holder_bank = smrf_writeback_probe(s->links.writeback, flight)) >= 0) {
        info->holder_place = "write queue of a bank";
    } else {
        info->holder_place =
            f->unit == SMRF_UNIT_MEM ? "load/store unit or memory" : "execution unit";
    }
}

/* --- what the next instruction waits for ---------------------------------------------------- */

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
static void find_holder_(const struct smrf_subcores *s, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_flights *flights = s->links.flights;
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
        place_(s, best, info);
    }
}

/* The oldest instruction in the read stages stands before this one. */
static void explain_reading_(const struct smrf_subcores *s, const struct smrf_subcore_blocks *b,
                             struct smrf_wait_info *info)
{
    uint64_t used[SMRF_FLIGHTS / 64];
    uint32_t best = SMRF_NO_FLIGHT;
    if (*b->reading.free) {
        return;
    }
    smrf_flights_used(s->links.flights, used);
    for (uint32_t i = 0; i < SMRF_FLIGHTS; i++) {
        if (used[i / 64] >> (i % 64) & 1 && b->reading.ops->place(b->reading.state, i) &&
            (best == SMRF_NO_FLIGHT ||
             s->links.flights->record[i].uid < s->links.flights->record[best].uid)) {
            best = i;
        }
    }
    if (best != SMRF_NO_FLIGHT) {
        info->wait = SMRF_WAIT_COLLECTOR;
        place_(s, best, info);
    }
}

/* Which instruction occupies the latch or the collector that this one needs? */
static void explain_exit_(const struct smrf_subcores *s, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(s, warp);
    const struct smrf_subcore_blocks *b = &s->sub[smrf_subcores_of(s, warp)];
    const struct smrf_collectors *c = b->collectors;
    unsigned unit = issue->warp[smrf_subcores_k_of(s, warp)].head_unit;

    if (issue->cfg.issue.latches) {
        if (issue->latch_full >> unit & 1) {
            info->wait = SMRF_WAIT_UNIT;
            place_(s, issue->latch[unit], info);
        }
    } else if (b->reading.free) {
        explain_reading_(s, b, info);
    } else if (c->free_mask == 0) {
        info->wait = SMRF_WAIT_COLLECTOR;
        place_(s, c->unit[0].flight, info);
    } else if (s->links.mechanism->allocation) {
        info->wait = SMRF_WAIT_MECHANISM;
    }
}

static enum smrf_wait wait_of_(enum smrf_warp_state state)
{
    switch (state) {
    case SMRF_WARP_memory:
    case SMRF_WARP_data:
    case SMRF_WARP_count:
    case SMRF_WARP_counter:
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
    case SMRF_WARP_constant:
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
    case SMRF_WARP_port:
    case SMRF_WARP_queue:
    case SMRF_WARP_withheld:
        break;
    }
    return SMRF_WAIT_NONE;
}

void smrf_subcores_explain(const struct smrf_subcores *s, unsigned warp,
                           struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_subcores_issue_of(s, warp);
    unsigned k = smrf_subcores_k_of(s, warp);
    const struct smrf_issue_warp *w = &issue->warp[k];
    *info = (struct smrf_wait_info){
        .wait = wait_of_(smrf_issue_probe_warp(issue, k).state),
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
        explain_exit_(s, warp, info);
        break;
    case SMRF_WAIT_REGISTER:
    case SMRF_WAIT_READERS:
    case SMRF_WAIT_MEMBAR:
    case SMRF_WAIT_DRAIN:
        find_holder_(s, warp, info);
        break;
    default:
        break;
    }
}
