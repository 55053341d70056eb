/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stages' connections: to the front end, whose reports about a warp go to the stage of
 * the warp's sub-core, to the SIMT stacks, and to the collectors. */
#include "subcore_internal.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

static inline struct smrf_issue *issue_of_(const struct smrf_subcores *s, unsigned warp)
{
    return smrf_subcores_issue_of(s, warp);
}

/* --- from the front end ----------------------------------------------------------------------- */

static void start_(void *ctx, unsigned warp, const struct smrf_warp_start *start)
{
    struct smrf_subcores *s = ctx;
    smrf_subcores_settle(s);
    smrf_simt_start(s->links.simt, warp, start->lanes);
    smrf_issue_start(issue_of_(s, warp), smrf_subcores_k_of(s, warp), start->age, start->base,
                     start->registers);
    SMRF_CALL_LISTENERS(s->links.hooks, started, warp, start);
}

static void head_(void *ctx, unsigned warp, const struct smrf_inst *head)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_head(issue_of_(s, warp), smrf_subcores_k_of(s, warp), head, *s->links.wires->cycle);
}

static void hold_(void *ctx, unsigned warp, uint64_t until)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_hold(issue_of_(s, warp), smrf_subcores_k_of(s, warp), until);
}

static void refill_(void *ctx, unsigned warp, uint64_t until)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_refill(issue_of_(s, warp), smrf_subcores_k_of(s, warp), until);
}

static void allotted_(void *ctx, unsigned warp, uint16_t base, uint16_t registers)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_allotted(issue_of_(s, warp), smrf_subcores_k_of(s, warp), base, registers,
                        *s->links.wires->cycle);
}

static void ended_(void *ctx, unsigned warp)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_ended(issue_of_(s, warp), smrf_subcores_k_of(s, warp));
}

static void barrier_(void *ctx, unsigned warp, bool waits)
{
    const struct smrf_subcores *s = ctx;
    smrf_issue_barrier(issue_of_(s, warp), smrf_subcores_k_of(s, warp), waits,
                       *s->links.wires->cycle);
}

static void exit_(void *ctx, unsigned warp)
{
    struct smrf_subcores *s = ctx;
    smrf_subcores_settle(s);
    smrf_issue_exit(issue_of_(s, warp), smrf_subcores_k_of(s, warp));
}

struct smrf_frontend_wires smrf_subcores_frontend_wires(struct smrf_subcores *s)
{
    const struct smrf_frontend_wires wires = {s,         start_, head_,    hold_, refill_,
                                              allotted_, ended_, barrier_, exit_};
    return wires;
}

/* --- from an issue stage: to the collectors --------------------------------------------------- */

static uint64_t preferred_(void *ctx, unsigned sub)
{
    const struct smrf_wires *w = ((const struct smrf_subcores *)ctx)->links.wires;
    return w->status(w->ctx, sub);
}

static int pick_(void *ctx, unsigned sub, unsigned warp)
{
    return smrf_entry_pick(&((struct smrf_subcores *)ctx)->entry, sub, warp);
}

static void to_collector_(void *ctx, unsigned sub, unsigned unit, uint32_t flight)
{
    const struct smrf_wires *w = ((const struct smrf_subcores *)ctx)->links.wires;
    w->allocate(w->ctx, sub, unit, flight);
}

/* --- from an issue stage: to its constant cache ----------------------------------------------- */

static uint64_t constant_(void *ctx, unsigned sub, uint32_t address)
{
    const struct smrf_wires *w = ((const struct smrf_subcores *)ctx)->links.wires;
    return w->constant(w->ctx, sub, address);
}

/* --- from an issue stage: control flow -------------------------------------------------------- */

/* The line goes to the SIMT stack, and what it means there to the mechanism. */
static SMRF_APART uint32_t change_flow_(struct smrf_subcores *s, unsigned warp,
                                        const struct smrf_inst *inst)
{
    const struct smrf_control_seam *seam = s->links.mechanism->control;
    const struct smrf_simt_line line = smrf_simt_line_of(inst);
    s->links.wires->line(s->links.wires->ctx, warp, &line, &s->line);
    return seam ? seam->line(s->links.mechanism_state, warp, inst, &s->line) : 0;
}

static uint32_t control_(void *ctx, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_subcores *s = ctx;
    struct smrf_simt *simt = &s->links.simt->stack[warp];
    s->line.events = 0;
    return inst->op->flow == SMRF_FLOW_NONE &&
                   (inst->op->step != 0 ||
                    smrf_simt_step_sequential(simt, inst->op->pc, inst->mask))
               ? 0
               : change_flow_(s, warp, inst);
}

/* --- from an issue stage: to the front end ---------------------------------------------------- */

/* Are instructions counted in the record of their thread block? */
static inline bool counted_(const struct smrf_subcores *s)
{
    const struct smrf_block_seam *block = s->links.front->links.block;
    return block && block->counted;
}

/* An instruction has issued, and is observed or counted in the record of its thread block. */
static SMRF_APART void report_issue_(const struct smrf_subcores *s, uint32_t flight,
                                     const struct smrf_inst *inst)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    if (counted_(s) && f->op->step == 0) {
        smrf_frontend_issued(s->links.front, f->warp, smrf_count_bits(f->mask), f->micro);
    }
    if (f->micro) {
        SMRF_CALL_LISTENERS(s->links.hooks, injected, flight);
        return;
    }
    SMRF_CALL_LISTENERS(s->links.hooks, issued, flight, inst);
    if (s->line.events) {
        SMRF_CALL_LISTENERS(s->links.hooks, flow, flight, &s->line);
    }
}

static const struct smrf_inst *issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    const struct smrf_subcores *s = ctx;
    const uint32_t observed = UINT32_C(1) << SMRF_HOOK_issued | UINT32_C(1) << SMRF_HOOK_flow;
    if (s->links.hooks->hooked & observed || counted_(s)) {
        report_issue_(s, flight, inst);
    }
    return smrf_frontend_take(s->links.front, s->links.flights->record[flight].warp);
}

static void injected_(void *ctx, uint32_t flight)
{
    report_issue_(ctx, flight, NULL);
}

static const struct smrf_inst *removed_(void *ctx, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_subcores *s = ctx;
    SMRF_CALL_LISTENERS(s->links.hooks, removed, warp, inst);
    return smrf_frontend_take(s->links.front, warp);
}

static void reach_barrier_(void *ctx, unsigned warp)
{
    smrf_frontend_reach_barrier(((const struct smrf_subcores *)ctx)->links.front, warp);
}

static void fence_over_(void *ctx, unsigned warp)
{
    const struct smrf_wires *w = ((const struct smrf_subcores *)ctx)->links.wires;
    w->flush(w->ctx, warp);
}

static void drained_(void *ctx, unsigned warp, uint64_t cycle)
{
    smrf_frontend_drained(((const struct smrf_subcores *)ctx)->links.front, warp, cycle);
}

static bool fetching_(void *ctx)
{
    return smrf_frontend_probe_fetching(((const struct smrf_subcores *)ctx)->links.front);
}

void smrf_subcores_connect_issue(struct smrf_subcores *s, size_t readers)
{
    const struct smrf_mechanism *mech = s->links.mechanism;
    struct smrf_issue_links issue = {
        .flights = s->links.flights,
        .seams = {s->links.mechanism_state, mech->allocation, mech->rename, mech->micro,
                  mech->schedule},
        .awake = &s->awake,
        .ctx = s,
        .preferred = mech->allocation && mech->allocation->preferred ? preferred_ : NULL,
        .pick = pick_,
        .to_collector = to_collector_,
        .control = control_,
        .issued = issued_,
        .injected = injected_,
        .removed = removed_,
        .reach_barrier = reach_barrier_,
        .fence_over = fence_over_,
        .drained = drained_,
        .fetching = fetching_,
    };
    if (s->links.caches->constant_bytes) {
        issue.constant = constant_;
        issue.constant_switch = s->links.caches->constant_switch;
    }
    for (unsigned sub = 0; sub < s->count; sub++) {
        const struct smrf_subcore_blocks *b = &s->sub[sub];
        issue.readers = s->links.readers + sub * readers;
        issue.free_collectors = b->reading.free ? b->reading.free : &b->collectors->free_mask;
        issue.held_cycles = b->reading.held_cycles;
        issue.queued = b->reading.queued;
        smrf_issue_connect(b->issue, &issue);
        b->collectors->reports_reads = smrf_issue_uses_reads(b->issue);
    }
}
