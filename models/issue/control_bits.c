/* SPDX-License-Identifier: Apache-2.0 */
#include "control_bits.h"

#include "models/units/intervals.h"

#include <string.h>

void smrf_control_bits_init(struct smrf_control_bits *c, const struct smrf_issue_params *params,
                            uint32_t warps, const uint64_t *held)
{
    c->obeys = params->dependence == SMRF_DEPENDENCE_CONTROL;
    c->latencies = (uint8_t)params->latencies;
    c->zero_stall = params->zero_stall;
    c->warps = warps;
    c->held = held;
}

static void reset_(void *d)
{
    struct smrf_control_bits *c = d;
    c->stats = (struct smrf_control_stats){0};
    memset(c->warp, 0, c->warps * sizeof *c->warp);
}

static void start_(void *d, unsigned k)
{
    struct smrf_control_bits *c = d;
    memset(&c->warp[k], 0, sizeof c->warp[k]);
}

/* The time of the read stages. */
static inline uint64_t now_(const struct smrf_control_bits *c, uint64_t cycle)
{
    return cycle - *c->held;
}

static inline bool obeyed_(const struct smrf_control_bits *c, const struct smrf_static_inst *op)
{
    return c->obeys && op->has_control;
}

static bool is_variable_(const struct smrf_flight *f)
{
    return smrf_unit_queues(f->unit);
}

/* --- registers -------------------------------------------------------------------------------- */

/* What of a warp a list names: called with each register that is no zero. */
typedef void visit_reg(void *ctx, unsigned reg, enum smrf_latency_kind reader);

static void visit_list_(const uint8_t *regs, unsigned count, unsigned zero, unsigned first,
                        enum smrf_latency_kind reader, visit_reg *visit, void *ctx)
{
    for (unsigned i = 0; i < count; i++) {
        if (regs[i] != zero) {
            visit(ctx, first + regs[i], reader);
        }
    }
}

static void visit_predicates_(unsigned mask, unsigned first, enum smrf_latency_kind reader,
                              visit_reg *visit, void *ctx)
{
    for (; mask; mask &= mask - 1) {
        visit(ctx, SMRF_TRACKED_PRED + first + (unsigned)__builtin_ctz(mask), reader);
    }
}

static void visit_sources_(const struct smrf_static_inst *op, visit_reg *visit, void *ctx)
{
    const enum smrf_latency_kind kind = smrf_control_kind(op);
    visit_list_(op->src, op->num_src, SMRF_REG_ZERO, 0, kind, visit, ctx);
    visit_list_(op->usrc, op->num_usrc, SMRF_UREG_ZERO, SMRF_DEPEND_UNIFORM, kind, visit, ctx);
    if (op->has_operands) {
        const unsigned guard = op->guard < 7 ? 1u << op->guard : 0;
        visit_predicates_(guard, op->guard_uniform ? 8 : 0, SMRF_KIND_GUARD, visit, ctx);
        visit_predicates_(op->pred_src & 0x7f, 0, kind, visit, ctx);
        visit_predicates_(op->upred_src & 0x7f, 8, kind, visit, ctx);
    }
}

static void visit_destinations_(const struct smrf_static_inst *op, visit_reg *visit, void *ctx)
{
    const enum smrf_latency_kind kind = smrf_control_kind(op);
    visit_list_(op->dst, op->num_dst, SMRF_REG_ZERO, 0, kind, visit, ctx);
    visit_list_(op->udst, op->num_udst, SMRF_UREG_ZERO, SMRF_DEPEND_UNIFORM, kind, visit, ctx);
    visit_predicates_(op->pred_dst & 0x7f, 0, kind, visit, ctx);
    visit_predicates_(op->upred_dst & 0x7f, 8, kind, visit, ctx);
}

/* When a register of a warp can be read, or written again. */
struct wait_ {
    const struct smrf_control_bits *c;
    const struct smrf_control_warp *w;
    uint64_t now, ready; /* time from which all can */
    unsigned waits;      /* registers that wait for a result, known or not */
    bool pends, read;    /* for one that comes when it comes; for readers */
    unsigned first;      /* register that waits; SMRF_REG_ZERO: none */
};

static void wait_for_(void *ctx, unsigned reg, enum smrf_latency_kind reader)
{
    struct wait_ *t = ctx;
    const struct smrf_tracked *r = &t->w->reg[reg];
    const unsigned latency =
        r->writer ? smrf_control_latency((enum smrf_latencies)t->c->latencies,
                                         (enum smrf_latency_kind)(r->writer - 1), reader)
                  : 0;
    const uint64_t ready = r->wrote + latency;
    const bool waits = r->pending || (r->writer && ready > t->now);
    t->pends |= r->pending != 0;
    t->ready = r->writer && ready > t->ready ? ready : t->ready;
    t->first = waits && !t->waits ? reg : t->first;
    t->waits += waits;
}

static void wait_for_readers_(void *ctx, unsigned reg, enum smrf_latency_kind reader)
{
    struct wait_ *t = ctx;
    wait_for_(ctx, reg, reader);
    t->read |= t->w->reg[reg].readers != 0;
}

static struct wait_ waits_(const struct smrf_control_bits *c, unsigned k,
                           const struct smrf_operands *next, uint64_t now)
{
    const struct smrf_static_inst *op = next->op;
    struct wait_ t = {c, &c->warp[k], now, 0, 0, false, false, SMRF_REG_ZERO};
    visit_sources_(op, wait_for_, &t);
    visit_destinations_(op, wait_for_readers_, &t);
    if (next->src != op->src) { /* a mechanism's operation waits for others than it reads */
        visit_list_(next->src, next->num_src, SMRF_REG_ZERO, 0, smrf_control_kind(op), wait_for_,
                    &t);
    }
    return t;
}

/* --- counters --------------------------------------------------------------------------------- */

/* A counter as an instruction that would issue in a cycle sees it. */
static inline unsigned counter_(const struct smrf_control_warp *w, unsigned i, uint64_t cycle)
{
    const unsigned unseen = cycle <= w->issued + 1 ? w->rising[i] : 0;
    return w->count[i] - unseen + (cycle <= w->fell ? w->falling[i] : 0u);
}

/* From a DEPBAR's issue until it holds its warp, and from the fall of its counter until the warp
 * goes on: what issues in between is not held. Source: an A100's clock windows; with a stall of 4,
 * which compiled code has, also Huerta MICRO 2025, Figure 2. */
#define DEPBAR_CYCLES 4

/* Are the counters that an instruction waits for low enough? */
static bool counters_allow_(const struct smrf_control_warp *w, unsigned waits, uint64_t cycle)
{
    for (unsigned m = waits; m; m &= m - 1) {
        if (counter_(w, (unsigned)__builtin_ctz(m), cycle) > 0) {
            return false;
        }
    }
    return true;
}

/* Does the DEPBAR that issued last still wait? */
static bool depbar_waits_(const struct smrf_control_warp *w)
{
    for (unsigned m = w->depbar_list; m; m &= m - 1) {
        if (w->count[__builtin_ctz(m)] > 0) {
            return true;
        }
    }
    return w->depbar && w->count[(w->depbar & 7) - 1] > (unsigned)w->depbar >> 3;
}

/* A DEPBAR issues. */
static void start_depbar_(struct smrf_control_warp *w, const struct smrf_static_inst *op,
                          uint64_t cycle)
{
    w->depbar = op->depbar;
    w->depbar_list = op->depbar_list;
    w->bars_from = cycle + DEPBAR_CYCLES;
    w->bars_until = depbar_waits_(w) ? SMRF_NEVER : 0;
}

/* A counter has been counted down, which the warp sees in the next cycle. */
static void check_depbar_(struct smrf_control_warp *w, uint64_t cycle)
{
    if (w->bars_until == SMRF_NEVER && !depbar_waits_(w)) {
        w->bars_until = cycle + 1 + DEPBAR_CYCLES;
    }
}

static void count_up_(struct smrf_control_warp *w, unsigned counter)
{
    if (counter < SMRF_COUNTERS) {
        w->count[counter]++;
        w->rising[counter]++;
    }
}

/* Returns whether there is such a counter. */
static bool count_down_(struct smrf_control_warp *w, unsigned counter, uint64_t cycle)
{
    if (counter >= SMRF_COUNTERS || w->count[counter] == 0) {
        return false; /* of a warp that has started since */
    }
    if (w->fell != cycle) {
        memset(w->falling, 0, sizeof w->falling);
        w->fell = cycle;
    }
    w->count[counter]--;
    w->falling[counter]++;
    check_depbar_(w, cycle);
    return true;
}

/* No latency of the table is longer. */
#define LONGEST 16

/* --- the check -------------------------------------------------------------------------------- */

/* Counters that wait, mostly for memory. */
#define COUNTERS ((unsigned)SMRF_HAZARD_DATA | SMRF_HAZARD_LONG | SMRF_HAZARD_COUNTER)

static unsigned check_counters_(const struct smrf_control_warp *w, unsigned waits, uint64_t cycle,
                                uint64_t *again)
{
    const bool now = counters_allow_(w, waits, cycle), next = counters_allow_(w, waits, cycle + 1);
    *again = now != next ? cycle + 1 : SMRF_NEVER;
    return now ? 0u : COUNTERS;
}

static unsigned check_registers_(const struct smrf_control_bits *c, unsigned k,
                                 const struct smrf_operands *next, uint64_t cycle, uint64_t *again)
{
    const uint64_t now = now_(c, cycle);
    const struct wait_ t = waits_(c, k, next, now);
    *again = !t.pends && !t.read && t.ready > now ? t.ready + *c->held : SMRF_NEVER;
    return (t.waits ? (unsigned)SMRF_HAZARD_DATA : 0u) | (t.pends ? SMRF_HAZARD_LONG : 0u) |
           (t.read ? SMRF_HAZARD_WAR : 0u);
}

static unsigned check_(const void *d, unsigned k, const struct smrf_operands *next, uint64_t cycle,
                       uint64_t *again)
{
    const struct smrf_control_bits *c = d;
    const struct smrf_control_warp *w = &c->warp[k];
    if (now_(c, cycle) < w->next) {
        *again = w->next + *c->held;
        return (unsigned)SMRF_HAZARD_DATA | SMRF_HAZARD_COUNT;
    }
    if (cycle >= w->bars_from && cycle < w->bars_until) {
        *again = w->bars_until;
        return COUNTERS;
    }
    /* Behind a thread-block barrier the compiler overwrites what stores before it read, without a
     * counter: the barrier waits until they have read. */
    if (next->op->op_class == SMRF_CLASS_BARRIER && w->unread) {
        return SMRF_HAZARD_WAR;
    }
    const unsigned waits =
        w->owed | (obeyed_(c, next->op) ? smrf_control_waits(next->op->control) : 0u);
    unsigned hazards = waits ? check_counters_(w, waits, cycle, again) : 0;
    if (!hazards && !obeyed_(c, next->op)) {
        hazards = check_registers_(c, k, next, cycle, again);
    }
    /* Time may yet stand still in this cycle: what is just over is checked again as it issues. */
    if (!hazards && now_(c, cycle) <= w->next + LONGEST) {
        *again = cycle;
    }
    return hazards;
}

/* --- issue ------------------------------------------------------------------------------------ */

/* Cycles from an instruction to the next of its warp, at least.
 * Source: Huerta MICRO 2025; above 11 without yield: an A100's clock windows. */
static uint64_t stall_(const struct smrf_control_bits *c, uint32_t control)
{
    const unsigned stall = smrf_control_stall(control);
    const bool yields = smrf_control_yields(control);
    if (yields) {
        return stall == 0 ? c->zero_stall : stall == 1 ? 2 : stall;
    }
    return stall == 0 || stall > 11 ? 1 : stall;
}

struct issue_ {
    struct smrf_control_warp *w;
    uint64_t now;
    bool is_variable;
};

static void write_(void *ctx, unsigned reg, enum smrf_latency_kind kind)
{
    const struct issue_ *t = ctx;
    struct smrf_tracked *r = &t->w->reg[reg];
    r->wrote = t->now;
    r->writer = (uint8_t)(kind + 1);
    r->pending = (uint8_t)(r->pending + t->is_variable);
}

static void add_reader_(void *ctx, unsigned reg, enum smrf_latency_kind kind)
{
    const struct issue_ *t = ctx;
    (void)kind;
    t->w->reg[reg].readers++;
}

/* Are its destinations kept track of? Its control bits may say nothing of one that it does not
 * write, because it has no active lane. */
static bool tracks_writes_(const struct smrf_control_bits *c, const struct smrf_flight *f)
{
    return f->mask || !obeyed_(c, f->op);
}

/* A register that it reads may not be ready. */
static void check_early_(struct smrf_control_bits *c, unsigned k, const struct smrf_flight *f,
                         uint64_t now, uint64_t cycle)
{
    struct wait_ early = {c, &c->warp[k], now, 0, 0, false, false, SMRF_REG_ZERO};
    visit_sources_(f->op, wait_for_, &early);
    if (early.waits && !c->stats.early_reads) {
        c->first = (struct smrf_early_read){cycle, f->op->pc, (uint16_t)early.first, (uint8_t)k};
    }
    c->stats.early_reads += early.waits;
}

static void issued_(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle)
{
    struct smrf_control_bits *c = d;
    struct smrf_control_warp *w = &c->warp[k];
    struct issue_ t = {w, now_(c, cycle), is_variable_(f)};
    const struct smrf_static_inst *op = f->op;
    w->issued = cycle;
    w->owed = 0;
    w->flying++;
    w->next = t.now + 1;
    memset(w->rising, 0, sizeof w->rising);
    if (obeyed_(c, op)) {
        check_early_(c, k, f, t.now, cycle);
        w->next = t.now + stall_(c, op->control);
        count_up_(w, smrf_control_write_counter(op->control));
        count_up_(w, smrf_control_read_counter(op->control));
        if (op->depbar) {
            start_depbar_(w, op, cycle);
        }
    } else {
        c->stats.uncontrolled += op->step == 0 && !f->micro;
    }
    if (t.is_variable) {
        w->unread += f->num_src != 0;
        visit_sources_(op, add_reader_, &t);
    }
    if (tracks_writes_(c, f)) {
        visit_destinations_(op, write_, &t);
    }
}

/* --- reports ---------------------------------------------------------------------------------- */

static void remove_reader_(void *ctx, unsigned reg, enum smrf_latency_kind kind)
{
    struct smrf_tracked *r = &((struct smrf_control_warp *)ctx)->reg[reg];
    (void)kind;
    r->readers = (uint8_t)(r->readers - (r->readers != 0));
}

static void remove_writer_(void *ctx, unsigned reg, enum smrf_latency_kind kind)
{
    struct smrf_tracked *r = &((struct smrf_control_warp *)ctx)->reg[reg];
    (void)kind;
    r->pending = (uint8_t)(r->pending - (r->pending != 0));
}

static bool collected_(void *d, unsigned k, const struct smrf_flight *f, unsigned i)
{
    (void)d;
    (void)k;
    (void)f;
    (void)i;
    return false;
}

static bool released_(void *d, unsigned k, const struct smrf_flight *f, unsigned reg)
{
    (void)d;
    (void)k;
    (void)f;
    (void)reg;
    return false;
}

static bool read_(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle)
{
    struct smrf_control_bits *c = d;
    struct smrf_control_warp *w = &c->warp[k];
    const bool counted =
        obeyed_(c, f->op) && count_down_(w, smrf_control_read_counter(f->op->control), cycle);
    const bool counts = is_variable_(f) && f->num_src != 0;
    if (is_variable_(f)) {
        visit_sources_(f->op, remove_reader_, w);
    }
    w->unread -= counts && w->unread != 0; /* not of a warp that has started since */
    return counted || counts;
}

static bool retired_(void *d, unsigned k, const struct smrf_flight *f, uint64_t cycle)
{
    struct smrf_control_bits *c = d;
    struct smrf_control_warp *w = &c->warp[k];
    const bool counted =
        obeyed_(c, f->op) && count_down_(w, smrf_control_write_counter(f->op->control), cycle);
    w->flying--;
    if (is_variable_(f) && tracks_writes_(c, f)) {
        visit_destinations_(f->op, remove_writer_, w);
    }
    return counted || is_variable_(f);
}

/* Its stall count goes by, and the next instruction waits for its counters. It counts none up. */
static void removed_(void *d, unsigned k, const struct smrf_static_inst *op, uint64_t cycle)
{
    struct smrf_control_bits *c = d;
    struct smrf_control_warp *w = &c->warp[k];
    const uint64_t now = now_(c, cycle);
    if (obeyed_(c, op)) {
        w->owed |= (uint8_t)smrf_control_waits(op->control);
        w->next = (w->next > now ? w->next : now) + stall_(c, op->control);
    }
}

static bool quiet_(const void *d, unsigned k)
{
    return ((const struct smrf_control_bits *)d)->warp[k].flying == 0;
}

static unsigned culprit_(const void *d, unsigned k, const struct smrf_operands *next,
                         enum smrf_hazard hazard)
{
    const struct smrf_control_bits *c = d;
    (void)hazard;
    return waits_(c, k, next, 0).first;
}

const struct smrf_dependence_ops smrf_control_bits_ops = {
    reset_, start_,   check_, issued_,  collected_, released_,
    quiet_, culprit_, read_,  retired_, removed_,
};
