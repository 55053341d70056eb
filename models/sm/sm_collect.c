/* SPDX-License-Identifier: Apache-2.0 */
/* Collection of operands: the steps of arbitration, dispatch and allocation of every core cycle.
 * A step dispatches what was ready before it, then reads, then fills free collectors.
 * Source: Accel-Sim opndcoll_rfu_t::step; Malekeh (long) sec. II. */
#include "sm_state.h"

#include <string.h>

/* --- dispatch: collector to unit latch ------------------------------------------------------- */

static bool ready_now_(const struct smrf_sm *sm, const struct smrf_sm_sub *s, unsigned unit)
{
    const struct smrf_collector_unit *u = &s->blocks.collectors->unit[unit];
    return u->ready_at <= sm->cycle && !(s->unit_full >> sm->flight[u->slot].unit & 1);
}

static void dispatch_one_(struct smrf_sm *sm, unsigned sub, unsigned unit)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    struct smrf_collector_unit *u = &s->blocks.collectors->unit[unit];
    const struct smrf_flight *f = &sm->flight[u->slot];
    const struct smrf_mechanism *mech = sm->links.mechanism;

    sm->stats.collector_busy += sm->cycle - u->ready_at;
    s->unit_full |= UINT32_C(1) << f->unit;
    s->unit_latch[f->unit] = u->slot;
    s->unit_ready[f->unit] = sm->cycle + 1;
    if (f->unit == SMRF_UNIT_MEM) {
        s->unit_ready[f->unit] += sm->cfg.issue.extra_latency + sm->cfg.rf.extra_latency;
    }
    if (mech->collector && mech->collector->dispatch) {
        mech->collector->dispatch(sm->links.mechanism_state, sub, unit, f);
    }
    smrf_collectors_release(s->blocks.collectors, unit);
    sm->progress = true;
}

static void dispatch_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    struct smrf_collectors *c = s->blocks.collectors;
    uint32_t candidates = c->ready_mask;
    for (unsigned n = 0; candidates && n < sm->cfg.rf.dispatch;) {
        unsigned unit = smrf_collectors_next(c, candidates);
        candidates &= ~(UINT32_C(1) << unit);
        if (ready_now_(sm, s, unit)) {
            dispatch_one_(sm, sub, unit);
            n++;
        }
    }
}

/* --- arbitration: bank to collector ----------------------------------------------------------- */

/* The operand of a granted read is in its collector's latch. */
static void arrive_(struct smrf_sm *sm, unsigned sub, const struct smrf_read *read,
                    uint32_t version)
{
    struct smrf_collectors *c = sm->sub[sub].blocks.collectors;
    struct smrf_collector_unit *u = &c->unit[read->collector];
    const struct smrf_flight *f = &sm->flight[read->slot];
    const struct smrf_mechanism *mech = sm->links.mechanism;
    unsigned i = read->operand;

    sm->stats.bank_reads++;
    sm->stats.crossbar_transfers++;
    u->version[i] = version;
    if (sm->oracle->active) {
        struct smrf_finding *wrong =
            smrf_oracle_operand(sm->oracle, read->slot, f, i, u->data[i], version);
        if (wrong) {
            smrf_sm_locate(sm, wrong, sub, f->src_phys[i]);
        }
    }
    if (mech->collector && mech->collector->arrive) {
        const struct smrf_mechanism_wires *w = sm->links.mechanism_wires;
        if (w) {
            w->source(w->ctx, sub, read->collector, read->slot, i, u->data[i], version);
        } else {
            mech->collector->arrive(sm->links.mechanism_state, sub, read->collector, f, i,
                                    u->data[i], version);
        }
    }
    smrf_issue_collected(sm->sub[sub].blocks.issue, f, i, sm->cycle);
    smrf_collectors_arrive(c, read->collector, i);
}

static void arbitrate_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    struct smrf_read grants[SMRF_MAX_BANKS];

    smrf_xbar_begin_step(s->blocks.xbar);
    unsigned n = smrf_arbiter_step(s->blocks.arbiter, s->blocks.xbar, grants);
    for (unsigned i = 0; i < n; i++) {
        uint32_t version = sm->links.wires->grant(sm->links.wires->ctx, sub, &grants[i]);
        arrive_(sm, sub, &grants[i], version);
    }
    sm->progress = true;
}

/* --- allocation: issue latch to collector --------------------------------------------------- */

void smrf_sm_collect(struct smrf_sm *sm, unsigned sub, unsigned unit, uint32_t slot)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    struct smrf_collectors *c = s->blocks.collectors;
    struct smrf_collector_unit *u = &c->unit[unit];
    struct smrf_flight *f = &sm->flight[slot];
    const struct smrf_mechanism *mech = sm->links.mechanism;
    uint32_t all = (uint32_t)((UINT64_C(1) << f->num_src) - 1);
    uint32_t missing = all;
    struct smrf_read reads[SMRF_MAX_SRC];

    f->collector = (uint8_t)unit;
    if (mech->collector && mech->collector->allocate) {
        missing =
            mech->collector->allocate(sm->links.mechanism_state, sub, unit, f, u->data, u->version);
        for (uint32_t m = all & ~missing; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            sm->stats.cache_hits++;
            if (sm->oracle->active) {
                struct smrf_finding *wrong =
                    smrf_oracle_operand(sm->oracle, slot, f, i, u->data[i], u->version[i]);
                if (wrong) {
                    smrf_sm_locate(sm, wrong, sub, f->src_phys[i]);
                    wrong->cached = true;
                }
            }
            smrf_issue_collected(sm->sub[sub].blocks.issue, f, i, sm->cycle);
        }
    }
    smrf_collectors_occupy(c, unit, slot, f->uid, missing, sm->cycle);
    unsigned count = 0;
    for (uint32_t m = missing; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        unsigned phys = f->src_phys[i] == SMRF_PHYS_NONE ? f->src_reg[i] : f->src_phys[i];
        reads[count++] = (struct smrf_read){
            .slot = slot,
            .phys = f->src_phys[i],
            .bank = (uint8_t)smrf_sm_bank_of(&sm->cfg, f->warp, phys),
            .collector = (uint8_t)unit,
            .operand = (uint8_t)i,
            .reg = f->src_reg[i],
            .warp = f->warp,
        };
    }
    if (count) {
        sm->links.wires->request(sm->links.wires->ctx, sub, unit, reads, count);
    }
    sm->progress = true;
}

/* A free collector for a warp's instruction, or enum smrf_pick_none. */
int smrf_sm_pick_collector(struct smrf_sm *sm, unsigned sub, unsigned warp)
{
    struct smrf_collectors *c = sm->sub[sub].blocks.collectors;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    if (!c->free_mask) {
        return SMRF_PICK_NEXT;
    }
    if (mech->allocation && mech->allocation->pick) {
        return mech->allocation->pick(sm->links.mechanism_state, sub, warp, c->free_mask, &sm->rng,
                                      sm->cycle);
    }
    return (int)smrf_collectors_pick(c, &sm->rng);
}

static uint64_t latched_uid_(const struct smrf_sm *sm, unsigned sub, unsigned unit)
{
    return sm->flight[sm->sub[sub].blocks.issue->latch[unit]].uid;
}

/* Sub-core whose issue latch of `unit` holds the oldest instruction, among `subs`. */
static unsigned oldest_latch_(const struct smrf_sm *sm, unsigned unit, uint32_t subs)
{
    unsigned best = (unsigned)__builtin_ctz(subs);
    for (uint32_t m = subs & (subs - 1); m; m &= m - 1) {
        unsigned s = (unsigned)__builtin_ctz(m);
        if (latched_uid_(sm, s, unit) < latched_uid_(sm, best, unit)) {
            best = s;
        }
    }
    return best;
}

static bool move_latch_(struct smrf_sm *sm, unsigned sub, unsigned unit)
{
    struct smrf_issue *issue = sm->sub[sub].blocks.issue;
    int collector = smrf_sm_pick_collector(sm, sub, sm->flight[issue->latch[unit]].warp);
    if (collector < 0) {
        sm->progress |= collector <= SMRF_PICK_NEXT_WAIT;
        return false;
    }
    sm->links.wires->to_collector(sm->links.wires->ctx, sub, (unsigned)collector,
                                  smrf_issue_unlatch(issue, unit));
    return true;
}

/* Units with an occupied issue latch, and for each the sub-cores that have one. */
static uint32_t latched_(const struct smrf_sm *sm, uint32_t *subs)
{
    uint32_t units = 0;
    memset(subs, 0, SMRF_UNIT_COUNT * sizeof *subs);
    for (unsigned s = 0; s < sm->subs; s++) {
        for (uint32_t m = sm->sub[s].blocks.issue->latch_full; m; m &= m - 1) {
            subs[__builtin_ctz(m)] |= UINT32_C(1) << s;
        }
        units |= sm->sub[s].blocks.issue->latch_full;
    }
    return units;
}

/* Fill collectors from the issue latches: in passes (Accel-Sim's in-ports), each of which offers
 * every unit's latches once. With rf.oldest_first only the oldest instruction of a unit over all
 * sub-cores is offered, and a full sub-core holds up the others. */
static void allocate_(struct smrf_sm *sm)
{
    uint32_t subs_of[SMRF_UNIT_COUNT];
    uint32_t units = latched_(sm, subs_of);
    for (unsigned pass = 0; units && pass < sm->cfg.rf.in_ports; pass++) {
        bool moved = false;
        for (uint32_t m = units; m; m &= m - 1) {
            unsigned unit = (unsigned)__builtin_ctz(m);
            uint32_t subs = subs_of[unit];
            unsigned s = oldest_latch_(sm, unit, subs);
            bool done = move_latch_(sm, s, unit);
            while (!done && !sm->cfg.rf.oldest_first && (subs &= ~(UINT32_C(1) << s))) {
                s = oldest_latch_(sm, unit, subs);
                done = move_latch_(sm, s, unit);
            }
            moved |= done;
        }
        if (!moved) {
            break;
        }
        units = latched_(sm, subs_of);
    }
}

void smrf_sm_collect_steps(struct smrf_sm *sm)
{
    for (unsigned step = 0; step < sm->cfg.rf.steps; step++) {
        for (unsigned sub = 0; sub < sm->subs; sub++) {
            struct smrf_sm_sub *s = &sm->sub[sub];
            if (s->blocks.collectors->ready_mask) {
                dispatch_(sm, sub);
            }
            if (smrf_arbiter_probe_busy(s->blocks.arbiter)) {
                arbitrate_(sm, sub);
            }
        }
        if (sm->cfg.issue.latches) {
            allocate_(sm);
        }
    }
}
