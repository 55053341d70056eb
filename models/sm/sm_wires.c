/* SPDX-License-Identifier: Apache-2.0 */
/* What passes between the front end, the issue stages, the SIMT stack and the mechanism's seams of
 * a warp's life: every function here only passes on. */
#include "sm_state.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

/* --- from the front end ----------------------------------------------------------------------- */

static void start_(void *ctx, unsigned warp, const struct smrf_warp_start *start)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    smrf_sm_settle_issue(sm);
    smrf_simt_start(sm->links.simt, warp, start->lanes);
    smrf_issue_start(smrf_subcores_issue_of(&sm->subcores, warp),
                     smrf_subcores_k_of(&sm->subcores, warp), start->age, start->base,
                     start->registers);
    smrf_oracle_start(sm->oracle, warp, start->block, start->index);
    if (mech->warp && mech->warp->start) {
        mech->warp->start(sm->links.mechanism_state, warp, start->base, start->registers);
    }
}

static void head_(void *ctx, unsigned warp, const struct smrf_inst *head)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_head(smrf_subcores_issue_of(&sm->subcores, warp),
                    smrf_subcores_k_of(&sm->subcores, warp), head, sm->cycle);
}

static void hold_(void *ctx, unsigned warp, uint64_t until)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_hold(smrf_subcores_issue_of(&sm->subcores, warp),
                    smrf_subcores_k_of(&sm->subcores, warp), until);
}

static void allotted_(void *ctx, unsigned warp, uint16_t base, uint16_t registers)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_allotted(smrf_subcores_issue_of(&sm->subcores, warp),
                        smrf_subcores_k_of(&sm->subcores, warp), base, registers, sm->cycle);
}

static void ended_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    smrf_issue_ended(smrf_subcores_issue_of(&sm->subcores, warp),
                     smrf_subcores_k_of(&sm->subcores, warp));
}

static void barrier_(void *ctx, unsigned warp, bool waits)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_warp_seam *seam = sm->links.mechanism->warp;
    smrf_issue_barrier(smrf_subcores_issue_of(&sm->subcores, warp),
                       smrf_subcores_k_of(&sm->subcores, warp), waits);
    if (seam && seam->barrier) {
        seam->barrier(sm->links.mechanism_state, warp, waits);
    }
}

static void exit_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    smrf_sm_settle_issue(sm);
    smrf_issue_exit(smrf_subcores_issue_of(&sm->subcores, warp),
                    smrf_subcores_k_of(&sm->subcores, warp));
    if (mech->warp && mech->warp->exit) {
        mech->warp->exit(sm->links.mechanism_state, warp);
    }
}

/* --- from an issue stage ---------------------------------------------------------------------- */

static uint64_t preferred_(void *ctx, unsigned sub)
{
    const struct smrf_wires *w = ((struct smrf_sm *)ctx)->links.wires;
    return w->status(w->ctx, sub);
}

static int pick_(void *ctx, unsigned sub, unsigned warp)
{
    return smrf_entry_pick(&((struct smrf_sm *)ctx)->subcores.entry, sub, warp);
}

static void to_collector_(void *ctx, unsigned sub, unsigned unit, uint32_t flight)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_wires *w = sm->links.wires;
    w->allocate(w->ctx, sub, unit, flight);
}

/* The line goes to the SIMT stack, and what it means there to the mechanism. */
static SMRF_APART uint32_t change_flow_(struct smrf_sm *sm, unsigned warp,
                                        const struct smrf_inst *inst)
{
    const struct smrf_control_seam *seam = sm->links.mechanism->control;
    const struct smrf_simt_line line = smrf_simt_line_of(inst);
    sm->links.wires->line(sm->links.wires->ctx, warp, &line, &sm->line);
    return seam ? seam->line(sm->links.mechanism_state, warp, inst, &sm->line) : 0;
}

static uint32_t control_(void *ctx, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_sm *sm = ctx;
    struct smrf_simt *simt = &sm->links.simt->stack[warp];
    sm->line.events = 0;
    return inst->op->flow == SMRF_FLOW_NONE &&
                   (inst->op->step != 0 ||
                    smrf_simt_step_sequential(simt, inst->op->pc, inst->mask))
               ? 0
               : change_flow_(sm, warp, inst);
}

/* The oracle follows calls by itself, whatever a mechanism makes of them. */
static void report_flow_(struct smrf_sm *sm, const struct smrf_flight *f,
                         const struct smrf_simt_out *out)
{
    if (out->events & SMRF_SIMT_CALLED) {
        smrf_oracle_called(sm->oracle, f->warp, out->called_lanes);
    }
    if (out->events & SMRF_SIMT_CALL) {
        smrf_oracle_called(sm->oracle, f->warp, out->call_lanes);
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

/* Counts an instruction in the record of its thread block, where a mechanism reads that. */
static void count_in_block_(struct smrf_sm *sm, const struct smrf_flight *f)
{
    if (sm->links.mechanism->block && f->op->step == 0) {
        smrf_frontend_issued(&sm->front, f->warp, smrf_count_bits(f->mask), f->micro);
    }
}

/* An instruction has issued: calls its listeners. */
static SMRF_APART void report_issue_(struct smrf_sm *sm, uint32_t flight,
                                     const struct smrf_inst *inst)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    count_in_block_(sm, f);
    if (sm->watch && sm->watch->issued) {
        sm->watch->issued(sm->watch->ctx, sm, flight, inst);
    }
    if (sm->links.issued) {
        sm->links.issued(sm->links.issued_ctx, inst);
    }
    if (sm->oracle->active) {
        struct smrf_finding *wrong = smrf_oracle_issued(sm->oracle, flight, f, inst);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, NULL);
        }
    }
    if (sm->line.events) {
        report_flow_(sm, f, &sm->line);
    }
}

/* Does every instruction that issues, or ends, have a listener? */
void smrf_sm_find_listeners(struct smrf_sm *sm)
{
    sm->has_issue_listener =
        sm->links.mechanism->block || sm->watch || sm->links.issued || sm->oracle->active;
    sm->has_end_listener = sm->links.wires->mapped || sm->watch;
}

static const struct smrf_inst *issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    struct smrf_sm *sm = ctx;
    if (sm->has_issue_listener || sm->line.events) {
        report_issue_(sm, flight, inst);
    }
    return smrf_frontend_take(&sm->front, sm->links.flights->record[flight].warp);
}

static void injected_(void *ctx, uint32_t flight)
{
    struct smrf_sm *sm = ctx;
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    count_in_block_(sm, f);
    if (sm->watch && sm->watch->issued) {
        sm->watch->issued(sm->watch->ctx, sm, flight, NULL);
    }
    smrf_oracle_injected(sm->oracle, f);
}

static const struct smrf_inst *removed_(void *ctx, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_sm *sm = ctx;
    smrf_oracle_removed(sm->oracle, warp, inst);
    sm->progress = true;
    return smrf_frontend_take(&sm->front, warp);
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

/* --- ends of the wires that lie here ---------------------------------------------------------- */

void smrf_sm_collected(struct smrf_sm *sm, uint32_t flight, uint32_t sources)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    smrf_issue_collected(sm->subcores.sub[f->sub].issue, f, sources, sm->cycle);
}

static inline void released_(struct smrf_sm *sm, uint32_t flight, unsigned reg)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    smrf_issue_released(sm->subcores.sub[f->sub].issue, f, reg, sm->cycle);
}

static SMRF_APART void released_watched_(struct smrf_sm *sm, uint32_t flight, unsigned reg)
{
    if (sm->watch->released) {
        sm->watch->released(sm->watch->ctx, sm, flight, reg);
    }
    released_(sm, flight, reg);
}

void smrf_sm_released(struct smrf_sm *sm, uint32_t flight, unsigned reg)
{
    if (sm->watch) {
        released_watched_(sm, flight, reg);
    } else {
        released_(sm, flight, reg);
    }
}

static inline void retired_(struct smrf_sm *sm, const struct smrf_flight *f, uint32_t flight)
{
    sm->last_progress = sm->cycle;
    smrf_issue_retired(sm->subcores.sub[f->sub].issue, flight, sm->cycle);
}

/* An instruction that leaves has uniform results, is a copy or a mechanism's own, or is looked
 * at. */
static SMRF_APART void retired_seen_(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    for (unsigned i = 0; i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            smrf_sm_released(sm, flight, SMRF_DEPEND_UNIFORM + f->op->udst[i]);
        }
    }
    const struct smrf_micro_seam *micro = sm->links.mechanism->micro;
    if (f->micro && micro->done) {
        micro->done(sm->links.mechanism_state, f);
    }
    smrf_ldst_inlet_retired(&sm->inlet, flight);
    if (sm->watch && sm->watch->retired) {
        sm->watch->retired(sm->watch->ctx, sm, flight);
    }
    retired_(sm, f, flight);
}

/* Is it one of those? */
static inline bool leaves_seen_(const struct smrf_sm *sm, const struct smrf_flight *f)
{
    return f->needs & SMRF_NEED_END || sm->has_end_listener;
}

void smrf_sm_retired(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (leaves_seen_(sm, f)) {
        retired_seen_(sm, flight);
    } else {
        retired_(sm, f, flight);
    }
}

static SMRF_APART void settled_seen_(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        smrf_sm_released(sm, flight, f->dst_reg[i]);
    }
    retired_seen_(sm, flight);
}

void smrf_sm_settled(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (leaves_seen_(sm, f)) {
        settled_seen_(sm, flight);
    } else {
        sm->last_progress = sm->cycle;
        smrf_issue_settled(sm->subcores.sub[f->sub].issue, flight, sm->cycle);
    }
}

void smrf_sm_access(struct smrf_sm *sm, uint32_t flight)
{
    smrf_ldst_inlet_take(&sm->inlet, flight, sm->cycle);
}

void smrf_sm_answered(struct smrf_sm *sm, uint32_t flight)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    smrf_issue_answered(sm->subcores.sub[f->sub].issue, f, sm->cycle);
}

void smrf_sm_stores(struct smrf_sm *sm, unsigned warp, int32_t delta)
{
    smrf_issue_stores(smrf_subcores_issue_of(&sm->subcores, warp),
                      smrf_subcores_k_of(&sm->subcores, warp), delta, sm->cycle);
}

void smrf_sm_check_operand(struct smrf_sm *sm, uint32_t flight, unsigned i, const uint32_t *data,
                           uint32_t version, bool cached)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (f->micro) {
        sm->links.mechanism->micro->read(sm->links.mechanism_state, f, i, data, version);
        return;
    }
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

/* The register that a load shares must hold what it would have loaded. */
void smrf_sm_held(struct smrf_sm *sm, uint32_t flight, unsigned i)
{
    static const uint32_t zero[SMRF_LANES];
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    const struct smrf_register_place at = f->dst[i];
    const struct smrf_bank *bank = sm->subcores.sub[f->sub].bank[at.bank];
    const struct smrf_bank_row *row = smrf_bank_probe(bank, at.row);
    const uint32_t version = row ? bank->versions[at.row] : 0;
    struct smrf_finding *wrong =
        smrf_oracle_shared(sm->oracle, flight, f, &sm->links.flights->memory[flight].inst, i,
                           version, row ? row->lane : zero);
    if (wrong) {
        smrf_sm_locate(sm, wrong, f->sub, &f->dst[i]);
    }
}

const uint32_t *smrf_sm_value(struct smrf_sm *sm, uint32_t flight, unsigned i, uint32_t *scratch,
                              uint32_t *version)
{
    const struct smrf_flight *f = &sm->links.flights->record[flight];
    if (f->micro) {
        sm->links.mechanism->micro->write(sm->links.mechanism_state, f, i, scratch, version);
        return scratch;
    }
    *version = f->version;
    if (f->unit == SMRF_UNIT_MERGE) {
        sm->links.wires->merged(sm->links.wires->ctx, flight, i, scratch);
        struct smrf_finding *wrong = smrf_oracle_merged(
            sm->oracle, flight, f, &sm->links.flights->memory[flight].inst, i, scratch);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, &f->dst[i]);
        }
        return scratch;
    }
    return smrf_oracle_result(sm->oracle, flight, f, i, scratch);
}

/* --- from the mechanism ----------------------------------------------------------------------- */

static int allot_(void *ctx, unsigned warp, uint32_t registers)
{
    struct smrf_sm *sm = ctx;
    smrf_sm_awaken(sm);
    return smrf_frontend_allot(&sm->front, warp, registers);
}

static void wake_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    smrf_sm_awaken(sm);
    smrf_issue_wake(smrf_subcores_issue_of(&sm->subcores, warp),
                    smrf_subcores_k_of(&sm->subcores, warp), sm->cycle);
}

static uint32_t readers_(void *ctx, unsigned sub, struct smrf_register_place at)
{
    const struct smrf_readers *r = &((struct smrf_sm *)ctx)->subcores.sub[sub].issue->readers;
    return at.row == SMRF_ROW_NONE ? 0 : *smrf_readers_at(r, at);
}

static void finish_(void *ctx, uint32_t flight)
{
    struct smrf_sm *sm = ctx;
    smrf_sm_awaken(sm);
    smrf_ldst_inlet_finish(&sm->inlet, flight, sm->cycle);
}

static void release_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    smrf_sm_awaken(sm);
    smrf_frontend_release(&sm->front, warp);
}

static void hold_for_(void *ctx, unsigned warp, uint32_t cycles)
{
    struct smrf_sm *sm = ctx;
    const uint64_t until = sm->cycle + 1 + cycles;
    hold_(sm, warp, until);
    sm->others = until < sm->others ? until : sm->others;
}

static void fail_(void *ctx, unsigned warp, const char *why)
{
    struct smrf_sm *sm = ctx;
    (void)warp;
    sm->front.error = sm->front.error ? sm->front.error : SMRF_ERR_FORMAT;
    sm->refusal = sm->refusal ? sm->refusal : why;
}

static bool evict_(void *ctx, unsigned sub, struct smrf_register_place at, uint32_t token)
{
    struct smrf_sm *sm = ctx;
    smrf_sm_awaken(sm);
    return smrf_writeback_evict(sm->links.writeback, sub, at, token);
}

/* --- connection ------------------------------------------------------------------------------- */

int smrf_sm_connect(struct smrf_sm *sm)
{
    const struct smrf_frontend_config cfg = smrf_sm_config_frontend(&sm->cfg);
    const struct smrf_mechanism *mech = sm->links.mechanism;
    const struct smrf_frontend_links front = {
        .wires = {sm, start_, head_, hold_, allotted_, ended_, barrier_, exit_},
        .source = sm->links.source,
        .fetch_ops = sm->links.fetch_ops,
        .fetch = sm->links.fetch,
        .allotment = mech->allotment,
        .block = mech->block,
        .mechanism_state = sm->links.mechanism_state,
    };
    const size_t readers = smrf_readers_size(&sm->cfg.sm, &sm->cfg.rf);
    struct smrf_issue_links issue = {
        .flights = sm->links.flights,
        .seams = {sm->links.mechanism_state, mech->allocation, mech->rename, mech->micro,
                  mech->schedule},
        .awake = &sm->subcores.awake,
        .ctx = sm,
        .preferred = mech->allocation && mech->allocation->preferred ? preferred_ : NULL,
        .pick = pick_,
        .to_collector = to_collector_,
        .control = control_,
        .issued = issued_,
        .injected = injected_,
        .removed = removed_,
        .reach_barrier = reach_barrier_,
        .drained = drained_,
        .fetching = fetching_,
    };
    for (unsigned s = 0; s < sm->subcores.count; s++) {
        const struct smrf_subcore_blocks *b = &sm->subcores.sub[s];
        issue.readers = sm->readers + s * readers;
        issue.free_collectors = &b->collectors->free_mask;
        smrf_issue_connect(b->issue, &issue);
        b->collectors->reports_reads = smrf_issue_uses_reads(b->issue);
    }
    smrf_sm_find_listeners(sm);
    if (mech->attach) {
        sm->services = (struct smrf_services){.ctx = sm,
                                              .allot = allot_,
                                              .wake = wake_,
                                              .readers = readers_,
                                              .finish = finish_,
                                              .release = release_,
                                              .hold = hold_for_,
                                              .fail = fail_,
                                              .evict = evict_};
        mech->attach(sm->links.mechanism_state, &sm->services);
    }
    return smrf_frontend_init(&sm->front, sm->fetched, &cfg, &front);
}
