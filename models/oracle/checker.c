/* SPDX-License-Identifier: Apache-2.0 */
#include "checker.h"

#include "models/collector/collector.h"
#include "models/frontend/frontend.h"
#include "models/simt_stack/simt_stack.h"

static const struct smrf_flight *record_(const struct smrf_checker *c, uint32_t flight)
{
    return &c->flights->record[flight];
}

/* Completes a finding about a register of f. place: where it lies, NULL: none in particular. */
static void locate_(const struct smrf_checker *c, struct smrf_finding *at,
                    const struct smrf_flight *f, const struct smrf_register_place *place)
{
    const struct smrf_register_place none =
        smrf_place_of(&c->rf, at->warp, at->reg, SMRF_PHYS_NONE);
    at->cycle = *c->cycle;
    at->sm = c->sm;
    at->sub = f->sub;
    at->bank = place ? place->bank : none.bank;
    at->row = place ? place->row : none.row;
}

/* --- front end and issue ---------------------------------------------------------------------- */

static void started_(void *ctx, unsigned warp, const struct smrf_warp_start *start)
{
    const struct smrf_checker *c = ctx;
    smrf_oracle_start(c->oracle, warp, start->block, start->index);
}

static void issued_(void *ctx, uint32_t flight, const struct smrf_inst *inst)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    struct smrf_finding *wrong = smrf_oracle_issued(c->oracle, flight, f, inst);
    if (wrong) {
        locate_(c, wrong, f, NULL);
    }
}

/* The oracle follows calls by itself, whatever a mechanism makes of them. */
static void flow_(void *ctx, uint32_t flight, const struct smrf_simt_out *out)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    if (out->events & SMRF_SIMT_CALLED) {
        smrf_oracle_called(c->oracle, f->warp, out->called_lanes);
    }
    if (out->events & SMRF_SIMT_CALL) {
        smrf_oracle_called(c->oracle, f->warp, out->call_lanes);
    }
    if (out->events & SMRF_SIMT_RETURN) {
        struct smrf_finding *wrong = smrf_oracle_returned(c->oracle, f);
        if (wrong) {
            locate_(c, wrong, f, NULL);
        }
    }
    if (out->events & SMRF_SIMT_EXIT) {
        smrf_oracle_exited(c->oracle, f->warp, f->mask);
    }
}

static void arrived_(void *ctx, uint32_t flight)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    if (!f->micro) {
        smrf_oracle_arrived(c->oracle, flight, f, &c->flights->memory[flight].inst, *c->cycle);
    }
}

static void injected_(void *ctx, uint32_t flight)
{
    const struct smrf_checker *c = ctx;
    smrf_oracle_injected(c->oracle, record_(c, flight));
}

static void removed_(void *ctx, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_checker *c = ctx;
    smrf_oracle_removed(c->oracle, warp, inst);
}

/* --- operands and results --------------------------------------------------------------------- */

/* Operands of a mechanism's own operations are not checked here. */
static void operands_(void *ctx, uint32_t flight, uint32_t sources,
                      const struct smrf_operand_latches *latches, bool cached)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    for (uint32_t m = f->micro ? 0 : sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        struct smrf_finding *wrong =
            smrf_oracle_operand(c->oracle, flight, f, i, latches->data[i], latches->version[i]);
        if (wrong) {
            locate_(c, wrong, f, &f->src[i]);
            wrong->cached = cached;
        }
    }
}

static void copied_(void *ctx, uint32_t flight, unsigned i, const uint32_t *copy,
                    const uint32_t *row)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    struct smrf_finding *wrong = smrf_oracle_copy(c->oracle, f, i, copy, row);
    if (wrong) {
        locate_(c, wrong, f, &f->dst[i]);
    }
}

static void shared_(void *ctx, uint32_t flight, unsigned i, const uint32_t *row, uint32_t version)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    struct smrf_finding *wrong =
        smrf_oracle_shared(c->oracle, flight, f, &c->flights->memory[flight].inst, i, version, row);
    if (wrong) {
        locate_(c, wrong, f, &f->dst[i]);
    }
}

static void merged_(void *ctx, uint32_t flight, unsigned i, const uint32_t *row)
{
    const struct smrf_checker *c = ctx;
    const struct smrf_flight *f = record_(c, flight);
    struct smrf_finding *wrong =
        smrf_oracle_merged(c->oracle, flight, f, &c->flights->memory[flight].inst, i, row);
    if (wrong) {
        locate_(c, wrong, f, &f->dst[i]);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Instructions that a mechanism removes or adds are counted in every kernel. */
void smrf_checker_kernel(struct smrf_checker *c, struct smrf_hooks *hooks, bool has_values)
{
    smrf_oracle_kernel(c->oracle, has_values);
    c->listener = (struct smrf_listener){.ctx = c, .injected = injected_, .removed = removed_};
    if (c->oracle->active) {
        c->listener.started = started_;
        c->listener.issued = issued_;
        c->listener.flow = flow_;
        c->listener.arrived = c->oracle->cfg.logs && c->oracle->values ? arrived_ : NULL;
        c->listener.operands = operands_;
        c->listener.copied = c->oracle->cfg.check ? copied_ : NULL;
        c->listener.shared = shared_;
        c->listener.merged = merged_;
    }
    smrf_hooks_add(hooks, &c->listener);
}
