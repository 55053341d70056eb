/* SPDX-License-Identifier: Apache-2.0 */
/* What passes between the front end, the issue stages, the SIMT stack and the mechanism's seams of a
 * warp's life: every function here only passes on. */
#include "sm_state.h"

/* --- from the front end ---------------------------------------------------------------------------- */

static void start_(void *ctx, unsigned warp, const struct smrf_warp_start *start)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    smrf_simt_reset(&sm->links.simt[warp], start->lanes);
    smrf_issue_start(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), start->age, start->base,
                     start->registers);
    smrf_oracle_start(sm->oracle, warp, start->block, start->index);
    if (mech->warp && mech->warp->start) {
        mech->warp->start(sm->links.mechanism_state, warp, start->base, start->registers);
    }
}

static void head_(void *ctx, unsigned warp, const struct smrf_inst *head)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_head(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), head, sm->cycle);
}

static void hold_(void *ctx, unsigned warp, uint64_t until)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_hold(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), until);
}

static void ended_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_ended(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp));
}

static void barrier_(void *ctx, unsigned warp, bool waits)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_barrier(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), waits);
}

static void exit_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    if (mech->warp && mech->warp->exit) {
        mech->warp->exit(sm->links.mechanism_state, warp);
    }
    smrf_issue_exit(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp));
}

/* --- from an issue stage ------------------------------------------------------------------------------ */

static uint64_t preferred_(void *ctx, unsigned sub)
{
    const struct smrf_wires *w = ((struct smrf_sm *)ctx)->links.wires;
    return w->status(w->ctx, sub);
}

static int pick_(void *ctx, unsigned sub, unsigned warp)
{
    return smrf_sm_pick_collector(ctx, sub, warp);
}

static void to_collector_(void *ctx, unsigned sub, unsigned unit, uint32_t flight)
{
    const struct smrf_wires *w = ((struct smrf_sm *)ctx)->links.wires;
    w->allocate(w->ctx, sub, unit, flight);
}

/* A trap, for instance: the warp does not issue for some cycles. */
static void trap_(struct smrf_sm *sm, unsigned warp, uint32_t cycles)
{
    if (cycles) {
        hold_(sm, warp, sm->cycle + 1 + cycles);
    }
}

/* The oracle follows calls by itself, whatever a mechanism makes of them. */
static void tell_oracle_(struct smrf_sm *sm, const struct smrf_flight *f,
                         const struct smrf_simt_out *out)
{
    if (out->events & SMRF_SIMT_CALL) {
        smrf_oracle_called(sm->oracle, f->warp, out->lanes);
    }
    if (out->events & SMRF_SIMT_RETURN) {
        struct smrf_finding *wrong = smrf_oracle_returned(sm->oracle, f);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, NULL);
        }
    }
    if (out->events & SMRF_SIMT_EXIT) {
        smrf_oracle_exited(sm->oracle, f->warp, f->mask);
    }
}

static void control_flow_(struct smrf_sm *sm, const struct smrf_flight *f,
                          const struct smrf_inst *inst)
{
    unsigned warp = f->warp;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    struct smrf_simt *simt = &sm->links.simt[warp];
    const struct smrf_simt_line line = smrf_simt_line_of(inst);
    struct smrf_simt_out out;

    if (smrf_simt_goes_straight(simt, &line)) {
        smrf_simt_go_straight(simt, &line);
        return;
    }
    sm->links.wires->line(sm->links.wires->ctx, warp, &line, &out);
    tell_oracle_(sm, f, &out);
    if (!mech->warp) {
        return;
    }
    if (out.events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED) && mech->warp->call) {
        trap_(sm, warp, mech->warp->call(sm->links.mechanism_state, warp, inst->op));
    }
    if (out.events & (SMRF_SIMT_RETURN | SMRF_SIMT_ALL_RETURNED) && mech->warp->ret) {
        bool all = (out.events & SMRF_SIMT_ALL_RETURNED) != 0;
        trap_(sm, warp, mech->warp->ret(sm->links.mechanism_state, warp, inst->op, all));
    }
}

static void issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (sm->oracle->active) {
        struct smrf_finding *wrong = smrf_oracle_issued(sm->oracle, flight, f, inst);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, NULL);
        }
    }
    control_flow_(sm, f, inst);
}

static void taken_(void *ctx, unsigned warp)
{
    smrf_frontend_take(&((struct smrf_sm *)ctx)->front, warp);
}

static void reach_barrier_(void *ctx, unsigned warp)
{
    smrf_frontend_reach_barrier(&((struct smrf_sm *)ctx)->front, warp);
}

static void drained_(void *ctx, unsigned warp, uint64_t cycle)
{
    smrf_frontend_drained(&((struct smrf_sm *)ctx)->front, warp, cycle);
}

static bool fetching_(void *ctx)
{
    return smrf_frontend_probe_fetching(&((struct smrf_sm *)ctx)->front);
}

/* --- ends of the wires that lie here ------------------------------------------------------------------- */

void smrf_sm_collected(struct smrf_sm *sm, uint32_t flight, unsigned i)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    smrf_issue_collected(sm->sub[f->sub].blocks.issue, f, i, sm->cycle);
}

void smrf_sm_released(struct smrf_sm *sm, uint32_t flight, unsigned reg)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    smrf_issue_released(sm->sub[f->sub].blocks.issue, f, reg, sm->cycle);
}

void smrf_sm_retired(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    for (unsigned i = 0; i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            smrf_sm_released(sm, flight, SMRF_DEPEND_UNIFORM + f->op->udst[i]);
        }
    }
    sm->last_progress = sm->cycle;
    smrf_issue_retired(sm->sub[f->sub].blocks.issue, flight, sm->cycle);
}

void smrf_sm_stores(struct smrf_sm *sm, unsigned warp, int32_t delta)
{
    smrf_issue_stores(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), delta, sm->cycle);
}

void smrf_sm_check_operand(struct smrf_sm *sm, uint32_t flight, unsigned i, const uint32_t *data,
                           uint32_t version, bool cached)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (!sm->oracle->active) {
        return;
    }
    struct smrf_finding *wrong = smrf_oracle_operand(sm->oracle, flight, f, i, data, version);
    if (wrong) {
        smrf_sm_locate(sm, wrong, f->sub, &f->src[i]);
        wrong->cached = cached;
    }
}

void smrf_sm_check_copy(struct smrf_sm *sm, uint32_t flight, unsigned i, const uint32_t *copy,
                        const uint32_t *row)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    struct smrf_finding *wrong =
        sm->cfg.sim.check ? smrf_oracle_copy(sm->oracle, f, i, copy, row) : NULL;
    if (wrong) {
        smrf_sm_locate(sm, wrong, f->sub, &f->dst[i]);
    }
}

const uint32_t *smrf_sm_value(struct smrf_sm *sm, uint32_t flight, unsigned i, uint32_t *scratch)
{
    return smrf_oracle_result(sm->oracle, flight, &sm->links.flights->record[flight], i, scratch);
}

/* --- connection ------------------------------------------------------------------------------------------ */

int smrf_sm_connect(struct smrf_sm *sm)
{
    const struct smrf_frontend_config cfg = smrf_sm_config_frontend(&sm->cfg);
    const struct smrf_frontend_links front = {
        .wires = {sm, start_, head_, hold_, ended_, barrier_, exit_},
        .source = sm->links.source,
        .fetch_ops = sm->links.fetch_ops,
        .fetch = sm->links.fetch,
    };
    const struct smrf_allocation_seam *allocation = sm->links.mechanism->allocation;
    struct smrf_issue_links issue = {
        .flights = sm->links.flights,
        .mechanism = sm->links.mechanism,
        .mechanism_state = sm->links.mechanism_state,
        .ctx = sm,
        .preferred = allocation && allocation->preferred ? preferred_ : NULL,
        .pick = pick_,
        .to_collector = to_collector_,
        .issued = issued_,
        .taken = taken_,
        .reach_barrier = reach_barrier_,
        .drained = drained_,
        .fetching = fetching_,
    };
    for (unsigned s = 0; s < sm->subs; s++) {
        issue.free_collectors = &sm->sub[s].blocks.collectors->free_mask;
        smrf_issue_connect(sm->sub[s].blocks.issue, &issue);
    }
    return smrf_frontend_init(&sm->front, &cfg, &front);
}
