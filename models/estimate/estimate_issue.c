/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an instruction, from the issue of the one before it to its results. */
#include "estimate.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_reg_set.h"
#include "models/flight/unit_of_class.h"

/* --- when a warp's next instruction can issue ------------------------------------------------- */

static SMRF_APART uint64_t uniform_ready_(const struct smrf_estimate_warp *w, uint64_t at)
{
    const struct smrf_static_inst *op = w->head->op;
    const struct smrf_estimate_register *ur = w->reg + 256;
    for (unsigned i = 0; i < op->num_usrc; i++) {
        at = ur[op->usrc[i]].ready > at ? ur[op->usrc[i]].ready : at;
    }
    for (unsigned i = 0; i < op->num_udst; i++) {
        at = ur[op->udst[i]].ready > at ? ur[op->udst[i]].ready : at;
    }
    return at;
}

/* Behind a memory barrier all results are awaited, behind a DEPBAR copies. */
static SMRF_APART uint64_t fence_ready_(struct smrf_estimate_warp *w, uint64_t at)
{
    if (w->copies.awaited || (w->fenced && w->accesses)) {
        return SMRF_NEVER;
    }
    return w->fenced && w->last > at ? w->last : at;
}

/* First cycle in which its registers let it issue; SMRF_NEVER: not known. */
static inline uint64_t ready_(const struct smrf_estimate *e, struct smrf_estimate_warp *w)
{
    const struct smrf_reg_set *set = w->set;
    uint64_t at = w->held;
    if (!w->head || w->at_barrier || w->atomics) {
        return SMRF_NEVER;
    }
    for (unsigned i = 0; i < set->num_src; i++) {
        const uint64_t ready = w->reg[set->src[i]].ready;
        at = ready > at ? ready : at;
    }
    for (unsigned i = 0; i < set->num_dst; i++) {
        const struct smrf_estimate_register *r = &w->reg[set->dst[i]];
        at = r->ready > at ? r->ready : at;
        at = e->cfg.scoreboard.war && r->read > at ? r->read : at;
    }
    if (set->needs & SMRF_NEED_UNIFORM && e->cfg.scoreboard.uniform) {
        at = uniform_ready_(w, at);
    }
    return w->fenced || w->copies.awaited ? fence_ready_(w, at) : at;
}

static inline void look_at_head_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned k,
                                 struct smrf_estimate_warp *w)
{
    const uint64_t bit = UINT64_C(1) << k;
    s->memory &= ~bit;
    if (w->head) {
        const struct smrf_static_inst *op = w->head->op;
        if (op->set.made_for == e->made_for) {
            w->set = &op->set;
        } else {
            w->own = smrf_reg_set_of_inst(op, e->cfg.rf.base_registers_only, e->cfg.rf.banks);
            w->set = &w->own;
        }
        w->unit = (uint8_t)smrf_unit_of_class(op->op_class);
        s->memory |= w->unit == SMRF_UNIT_MEM ? bit : 0;
    }
}

/* Issue slot and collectors: nothing issues before. */
static inline uint64_t open_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s)
{
    uint64_t at = s->collector[0];
    for (unsigned c = 1; c < e->cfg.rf.collectors; c++) {
        at = s->collector[c] < at ? s->collector[c] : at;
    }
    if (e->cfg.issue.latches && at != SMRF_NEVER) {
        return s->slot;
    }
    return at > s->slot ? at : s->slot;
}

/* The same of one warp, whose registers are ready in cycle `at`. */
static inline uint64_t first_of_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s,
                                 unsigned k)
{
    uint64_t at = s->at[k];
    if (s->memory >> k & 1 && (e->full || s->queued == SMRF_ESTIMATE_QUEUE)) {
        return SMRF_NEVER;
    }
    if (e->cfg.issue.latches && at != SMRF_NEVER) {
        const unsigned w = k << e->shift | (unsigned)(s - e->sub);
        const uint64_t latch = s->entry[e->warp[w].unit];
        at = latch > at ? latch : at;
    }
    return at;
}

/* Does anything but its registers and what is open for all hold up a warp of the sub-core? */
static inline bool limits_warps_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s)
{
    return e->full || s->queued == SMRF_ESTIMATE_QUEUE || e->cfg.issue.latches;
}

void smrf_estimate_find_first(struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    uint64_t first = SMRF_NEVER;
    if (limits_warps_(e, s)) {
        for (unsigned k = 0; k < s->warps; k++) {
            const uint64_t at = first_of_(e, s, k);
            first = at < first ? at : first;
        }
    } else {
        for (unsigned k = 0; k < s->warps; k++) {
            first = s->at[k] < first ? s->at[k] : first;
        }
    }
    if (first != SMRF_NEVER) {
        const uint64_t open = open_(e, s);
        first = open > first ? open : first;
    }
    s->first = first;
}

/* The next issue of the sub-core may be earlier now. It is never later than what is kept, because
 * an issue that finds no warp ready looks for the next one. */
void smrf_estimate_update(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    const unsigned k = smrf_estimate_k(e, w);
    look_at_head_(e, s, k, &e->warp[w]);
    s->at[k] = ready_(e, &e->warp[w]);
    uint64_t first = first_of_(e, s, k);
    if (first < s->first) {
        const uint64_t open = open_(e, s);
        first = open > first ? open : first;
        s->first = first < s->first ? first : s->first;
    }
}

/* --- operands and results --------------------------------------------------------------------- */

static inline unsigned bank_(const struct smrf_estimate *e, unsigned w, unsigned reg)
{
    const unsigned n = e->cfg.rf.banks, at = reg + (e->cfg.rf.swizzle ? w : 0);
    return (n & (n - 1)) == 0 ? at & (n - 1) : at % n;
}

/* The cycle of a step. Most machines have one step a cycle, and a division takes longer than all
 * else that an operand costs. */
static inline uint64_t cycle_of_(uint64_t step, uint32_t steps)
{
    return steps == 1 ? step : step / steps;
}

uint64_t smrf_estimate_write(struct smrf_estimate *e, unsigned w, unsigned reg, uint64_t cycle)
{
    struct smrf_port *p = &smrf_estimate_sub_of(e, w)->bank[bank_(e, w, reg)];
    const uint32_t steps = e->cfg.rf.steps;
    if (e->cfg.rf.perfect || e->cfg.rf.drop_conflicting_writes) {
        return cycle;
    }
    smrf_port_pass(p, e->now * steps);
    const uint64_t slot = smrf_port_free(p, cycle * steps);
    smrf_port_take(p, slot);
    return cycle_of_(slot, steps);
}

/* Operands are read from cycle `from` on, of each bank and through the collector's port one a step,
 * those first whose bank is free first. Returns the cycle in which they are there. */
static inline uint64_t collect_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                                uint64_t from)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_reg_set *set = warp->set;
    const uint32_t steps = e->cfg.rf.steps, ports = e->cfg.rf.collector_ports;
    const uint32_t most = ports ? ports : SMRF_MAX_SRC, n = set->num_src;
    struct smrf_port *port[SMRF_MAX_SRC];
    uint32_t left = (UINT32_C(1) << n) - 1, used = 0;
    uint64_t step = from * steps, last = step;
    if (e->cfg.rf.perfect || !left) {
        return from + (left ? 1 : 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        port[i] = &s->bank[bank_(e, w, set->src[i])];
        smrf_port_pass(port[i], e->now * steps);
    }
    while (left) {
        uint64_t best = SMRF_NEVER;
        unsigned chosen = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            const unsigned i = (unsigned)__builtin_ctz(m);
            const uint64_t at = smrf_port_free(port[i], step);
            chosen = at < best ? i : chosen;
            best = at < best ? at : best;
        }
        smrf_port_take(port[chosen], best);
        warp->reg[set->src[chosen]].read = cycle_of_(best, steps);
        left &= ~(UINT32_C(1) << chosen);
        used = best == step ? used + 1 : 1;
        step = used == most ? best + 1 : best;
        used = used == most ? 0 : used;
        last = best;
    }
    return steps == 1 ? last + 1 : last / steps;
}

/* Its results, at the end of its unit. */
static inline void finish_(struct smrf_estimate *e, unsigned w, uint64_t end)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_static_inst *op = warp->head->op;
    uint64_t last = end;
    for (unsigned i = 0; i < warp->set->num_dst; i++) {
        const unsigned reg = warp->set->dst[i];
        const uint64_t at = smrf_estimate_write(e, w, reg, end);
        warp->reg[reg].ready = at;
        last = at > last ? at : last;
    }
    for (unsigned i = 0; i < op->num_udst; i++) {
        if (op->udst[i] != SMRF_UREG_ZERO) {
            warp->reg[256 + op->udst[i]].ready = end;
        }
    }
    warp->last = last > warp->last ? last : warp->last;
    e->stats.completed++;
}

/* From its collector to its unit and out of it. */
static inline void execute_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                            unsigned collector, uint64_t collected)
{
    const struct smrf_estimate_warp *warp = &e->warp[w];
    const unsigned unit = warp->unit;
    const struct smrf_unit_timing t = smrf_units_timing_of(e->links.units, warp->head->op);
    uint64_t at = s->latch[unit] > collected ? s->latch[unit] : collected;
    if (e->cfg.rf.dispatch == 1 && e->cfg.rf.steps == 1) {
        smrf_port_pass(&s->dispatch, e->now);
        at = smrf_port_free(&s->dispatch, at);
        smrf_port_take(&s->dispatch, at);
    }
    const uint64_t start = s->unit[unit] > at + 1 ? s->unit[unit] : at + 1;
    s->collector[collector] = at;
    s->latch[unit] = start;
    s->unit[unit] = start + t.interval;
    finish_(e, w, start + t.delay);
}

/* --- issue ------------------------------------------------------------------------------------ */

static inline void count_(struct smrf_estimate *e, const struct smrf_inst *inst,
                          const struct smrf_reg_set *set)
{
    const struct smrf_static_inst *op = inst->op;
    struct smrf_sm_stats *stats = &e->stats;
    const uint64_t first = op->step == 0, lanes = first ? smrf_count_bits(inst->mask) : 0;
    stats->warp_insts += first;
    stats->further_steps += !first;
    stats->thread_insts += lanes;
    stats->warp_insts_by_class[op->op_class] += first;
    stats->thread_insts_by_class[op->op_class] += lanes;
    stats->operand_reads += set->num_read;
    stats->bank_reads += set->num_read;
    stats->operand_writes += set->num_dst;
}

static SMRF_APART void fence_(struct smrf_estimate *e, struct smrf_estimate_warp *w,
                              const struct smrf_inst *inst)
{
    w->fenced |= inst->op->op_class == SMRF_CLASS_MEMBAR;
    if (inst->op->flags & SMRF_INST_COPIES_CLOSE) {
        smrf_copies_close(&w->copies);
    } else if (inst->op->flags & SMRF_INST_COPIES_WAIT) {
        smrf_copies_wait(&w->copies, inst->imm, (enum smrf_copy_rule)e->cfg.scoreboard.copies);
    }
}

/* The collector that is free first, and the cycle in which the instruction enters it. */
static inline unsigned collector_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s,
                                  uint64_t *enters)
{
    unsigned best = 0;
    for (unsigned c = 1; c < e->cfg.rf.collectors; c++) {
        best = s->collector[c] < s->collector[best] ? c : best;
    }
    *enters = s->collector[best] > *enters ? s->collector[best] : *enters;
    return best;
}

static void issue_warp_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned k)
{
    const unsigned w = k << e->shift | (unsigned)(s - e->sub);
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_inst *inst = warp->head;
    const struct smrf_static_inst *op = inst->op;
    const uint8_t needs = warp->set->needs;
    uint64_t enters = e->now + e->cfg.issue.latches;
    const unsigned collector = collector_(e, s, &enters);

    warp->fenced = false;
    count_(e, inst, warp->set);
    s->entry[warp->unit] = enters;
    const uint64_t collected = collect_(e, s, w, enters + 1);
    if (warp->unit == SMRF_UNIT_MEM) {
        smrf_estimate_queue(e, s, w, collector, collected);
    } else {
        execute_(e, s, w, collector, collected);
    }
    if (needs & SMRF_NEED_FENCE) {
        fence_(e, warp, inst);
    }
    const bool barrier = op->op_class == SMRF_CLASS_BARRIER && inst->mask;
    warp->held = e->now + 1;
    warp->head = smrf_frontend_take(e->links.front, w);
    e->fetch_next = e->now;
    look_at_head_(e, s, k, warp);
    if (barrier) {
        smrf_frontend_reach_barrier(e->links.front, w);
    }
    s->at[k] = ready_(e, warp);
    smrf_estimate_check_drained(e, w);
}

/* Warps that can issue now. */
static inline uint64_t ready_warps_(const struct smrf_estimate *e,
                                    const struct smrf_estimate_sub *s)
{
    uint64_t ready = 0;
    if (limits_warps_(e, s)) {
        for (unsigned k = 0; k < s->warps; k++) {
            ready |= (uint64_t)(first_of_(e, s, k) <= e->now) << k;
        }
        return ready;
    }
    for (unsigned k = 0; k < s->warps; k++) {
        ready |= (uint64_t)(s->at[k] <= e->now) << k;
    }
    return ready;
}

void smrf_estimate_issue(struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    const uint64_t ready = open_(e, s) <= e->now ? ready_warps_(e, s) : 0;
    if (ready) {
        const unsigned k = smrf_scheduler_select(&s->scheduler, ready, 0);
        s->used = s->slot == e->now ? s->used + 1 : 1;
        s->slot = s->used == e->cfg.issue.width ? e->now + 1 : e->now;
        s->used = s->slot == e->now ? s->used : 0;
        smrf_scheduler_issued(&s->scheduler, k);
        e->last_issue = e->now;
        issue_warp_(e, s, k);
        if ((ready & ~(UINT64_C(1) << k)) != 0 && !limits_warps_(e, s)) {
            s->first = open_(e, s); /* another warp is ready */
            return;
        }
    }
    smrf_estimate_find_first(e, s);
}
