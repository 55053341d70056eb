/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and returns, and where registers lie. */
#include "cars.h"

#include "models/common/smrf_assert.h"

/* --- where registers lie ---------------------------------------------------------------------- */

unsigned smrf_cars_slot_phys_(const struct smrf_cars_warp *w, uint32_t slot)
{
    return w->base + w->kernel + slot % w->stack.size;
}

struct smrf_register_place smrf_cars_place_(const struct smrf_cars *m, unsigned warp, unsigned reg,
                                            unsigned phys)
{
    const struct smrf_rf_params *rf = &m->setup.rf;
    return smrf_place_turned(rf->banks, m->banks_reciprocal, rf->swizzle ? warp : 0, reg, phys);
}

/* Physical register of a register of lanes in a frame, PHYS_NONE: it has none. */
static unsigned phys_(const struct smrf_cars_warp *w, int frame, unsigned reg)
{
    const uint32_t slot = smrf_cars_find(&w->stack, frame, reg);
    if (slot != SMRF_CARS_BASE) {
        return smrf_cars_slot_phys_(w, slot);
    }
    return reg < w->kernel ? (unsigned)w->base + reg : SMRF_PHYS_NONE;
}

/* Where a trace names only the first register of wide results, a slot may be read that no
 * instruction is seen to write: such a read gets the register's value from before the call. */
static int written_frame_(const struct smrf_cars *m, const struct smrf_cars_warp *w, int frame,
                          unsigned reg)
{
    while (m->setup.rf.base_registers_only && frame >= w->stack.spilled) {
        const uint32_t slot = smrf_cars_slot_of(&w->stack, frame, reg);
        if (slot != SMRF_CARS_BASE && w->written[slot / 64] >> slot % 64 & 1) {
            break;
        }
        frame = w->stack.frame[frame].parent;
    }
    return frame;
}

/* Whose registers an instruction names: a call's are its caller's, a return's those after the
 * POPs. */
static int own_frame_(const struct smrf_cars_warp *w, const struct smrf_flight *f)
{
    return f->op->flow == SMRF_FLOW_CALL ? w->call_frame
           : f->mask                     ? smrf_cars_frame_of(&w->stack, f->mask)
                                         : w->running;
}

struct smrf_register_place smrf_cars_source(void *state, const struct smrf_flight *f, unsigned i)
{
    struct smrf_cars *m = state;
    const struct smrf_cars_warp *w = &m->warp[f->warp];
    const unsigned reg = f->src_reg[i];
    m->stats.spills_left += i == 0 && f->op->flags & SMRF_INST_SPILL;
    m->stats.faults_stalled += i == 0 && w->state != SMRF_CARS_RUNS;
    const int frame = written_frame_(m, w, own_frame_(w, f), reg);
    return smrf_cars_place_(m, f->warp, reg, phys_(w, frame, reg));
}

struct smrf_register_place smrf_cars_destination(void *state, const struct smrf_flight *f,
                                                 unsigned i, struct smrf_register_place *carry)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[f->warp];
    const unsigned reg = f->dst_reg[i];
    const int frame = own_frame_(w, f);
    const uint32_t slot = smrf_cars_find(&w->stack, frame, reg);
    (void)carry;
    m->stats.faults_stalled += i == 0 && w->state != SMRF_CARS_RUNS;
    if (slot != SMRF_CARS_BASE) {
        w->written[slot / 64] |= UINT64_C(1) << slot % 64;
        w->holds[slot % w->stack.size] = (uint8_t)reg;
    }
    return smrf_cars_place_(m, f->warp, reg, phys_(w, frame, reg));
}

bool smrf_cars_ready(void *state, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_cars_warp *w = &((struct smrf_cars *)state)->warp[warp];
    (void)inst;
    return w->state == SMRF_CARS_RUNS && w->num_tasks == 0;
}

struct smrf_register_place smrf_cars_probe(const void *state, unsigned warp, unsigned reg)
{
    const struct smrf_cars *m = state;
    const struct smrf_cars_warp *w = &m->warp[warp];
    const bool has = w->state == SMRF_CARS_RUNS || w->state == SMRF_CARS_LEAVES;
    const unsigned phys = has ? phys_(w, w->stack.depth - 1, reg) : SMRF_PHYS_NONE;
    return smrf_cars_place_(m, warp, reg, phys);
}

/* --- saves and restores ----------------------------------------------------------------------- */

/* Does the instruction move registers of the frame alone? */
static bool of_frame_(const struct smrf_cars_stack *s, int frame, const struct smrf_static_inst *op)
{
    bool all = true;
    for (unsigned i = 0; i < op->num_dst; i++) {
        all &= smrf_cars_slot_of(s, frame, op->dst[i]) != SMRF_CARS_BASE;
    }
    for (unsigned i = 0; i < op->num_src; i++) {
        all &= op->src_slot[i] == 0 || /* the address */
               smrf_cars_slot_of(s, frame, op->src[i]) != SMRF_CARS_BASE;
    }
    return all;
}

bool smrf_cars_remove(void *state, unsigned warp, const struct smrf_inst *inst)
{
    struct smrf_cars *m = state;
    const struct smrf_cars_stack *s = &m->warp[warp].stack;
    if (!(inst->op->flags & SMRF_INST_SPILL)) {
        return false;
    }
    const int frame = smrf_cars_frame_of(s, inst->mask);
    const bool gone = inst->mask == 0 || (frame >= 0 && of_frame_(s, frame, inst->op));
    m->stats.spills_traced++;
    m->stats.spills_removed += gone;
    return gone;
}

_Static_assert(SMRF_CARS_FRAMES == 512 && SMRF_CARS_SLOTS == 2048, "as too_deep says");
static const char too_deep[] =
    "more than 512 calls of a warp are open, or their frames take more than 2048 registers: a "
    "recursion this deep cannot be replayed with register stacks; has it an end?";

/* --- calls and returns ------------------------------------------------------------------------ */

static void check_(struct smrf_cars *m, const struct smrf_cars_stack *s)
{
    const uint32_t rsp = smrf_cars_rsp(s), bottom = smrf_cars_bottom(s);
    m->stats.faults_bounds += rsp < bottom || rsp - bottom > s->size;
}

static void open_slots_(struct smrf_cars_warp *w, const struct smrf_cars_frame *f)
{
    for (uint32_t slot = f->first; slot < f->first + f->size; slot++) {
        w->written[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    }
}

/* Spill until a frame of so many slots fits. Returns whether anything had to be. */
static bool make_room_(struct smrf_cars *m, unsigned warp, unsigned slots)
{
    struct smrf_cars_stack *s = &m->warp[warp].stack;
    unsigned n = smrf_cars_in_the_way(s, slots);
    for (unsigned i = 0; i < n; i++) {
        struct smrf_cars_frame *f = &s->frame[s->spilled];
        f->out = f->in_memory ? 0 : f->lanes;
        smrf_cars_task_(m, warp, SMRF_CARS_SPILL, s->spilled, f->lanes);
        s->spilled++;
        m->stats.frames_spilled++;
    }
    m->stats.traps += n != 0;
    return n != 0;
}

/* Lanes enter the function at `target`. late: its first instruction issues already. */
static bool enter_(struct smrf_cars *m, unsigned warp, uint32_t target, int parent, uint32_t lanes,
                   bool late)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    struct smrf_cars_stack *s = &w->stack;
    const uint32_t at = smrf_program_function_at(m->program, target);
    if (at == SMRF_PROGRAM_NONE) {
        smrf_cars_fail_(m, warp,
                        "a call leads to a function that the trace's sidecar does not have: "
                        "it is of another trace, or was changed; trace again");
        return false;
    }
    const struct smrf_program_function *function = &m->program->function[at];
    const unsigned slots = smrf_cars_fru(s, function) + s->slot;
    const bool in_memory = slots > s->size || (late && slots > smrf_cars_free(s));
    bool trap = false;
    if (!in_memory) {
        trap = make_room_(m, warp, slots);
        m->stats.faults_free += smrf_cars_free(s) < slots;
    }
    const int frame = smrf_cars_enter(s, function, parent, lanes, in_memory);
    if (frame < 0) {
        smrf_cars_fail_(m, warp, too_deep);
        return false;
    }
    m->stats.calls++;
    if (s->depth > m->stats.peak_frames) {
        m->stats.peak_frames = s->depth;
    }
    m->stats.memory_frames += in_memory;
    if (!in_memory) {
        open_slots_(w, &s->frame[frame]);
        m->stats.frames++;
        m->stats.pushes += smrf_cars_fru(s, function);
        smrf_cars_task_(m, warp, SMRF_CARS_PUSH, frame, lanes);
    }
    check_(m, s);
    return trap;
}

/* Release frames without lanes. by_exit: their registers are dropped, not popped. */
static void release_(struct smrf_cars *m, struct smrf_cars_warp *w, bool by_exit)
{
    struct smrf_cars_stack *s = &w->stack;
    while (smrf_cars_empty(s)) {
        const struct smrf_cars_frame *f = &s->frame[s->depth - 1];
        const unsigned fru = f->size ? (unsigned)f->size - s->slot : 0u;
        if (!f->in_memory) {
            m->stats.released++;
            *(by_exit ? &m->stats.dropped : &m->stats.pops) += fru;
            m->stats.bytes_dropped += fru * smrf_cars_bytes_(f->out);
        }
        w->exits |= by_exit;
        smrf_cars_release(s);
    }
    check_(m, s);
}

static void return_(struct smrf_cars *m, unsigned warp, uint32_t lanes)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    w->popped = false;
    if (smrf_cars_leave(&w->stack, lanes, false)) {
        smrf_cars_fail_(m, warp,
                        "lanes return that no call of the trace brought there: the trace "
                        "begins in the middle or was changed; trace again");
        return;
    }
    release_(m, w, false);
}

uint32_t smrf_cars_line(void *state, unsigned warp, const struct smrf_inst *inst,
                        const struct smrf_simt_out *out)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[warp];
    bool trap = false;
    if (!m->program || m->failed) {
        return 0;
    }
    check_(m, &w->stack); /* what was let in before must fit still */
    if (out->events & SMRF_SIMT_OVERFLOW && inst->op->flow == SMRF_FLOW_CALL) {
        smrf_cars_fail_(m, warp, too_deep);
    }
    if (out->events & SMRF_SIMT_CALLED) {
        const int parent = smrf_cars_frame_of(&w->stack, out->called_lanes);
        trap |= enter_(m, warp, out->called_target, parent, out->called_lanes, true);
    }
    w->call_frame = inst->mask ? (int16_t)smrf_cars_frame_of(&w->stack, inst->mask) : w->running;
    if (out->events & SMRF_SIMT_CALL) {
        trap |= enter_(m, warp, out->target, w->call_frame, out->call_lanes, false);
    }
    if (out->events & SMRF_SIMT_RETURN) {
        return_(m, warp, inst->mask);
    }
    if (out->events & SMRF_SIMT_EXIT) {
        smrf_cars_leave(&w->stack, inst->mask, true);
        release_(m, w, true);
    }
    m->stats.faults_frames += out->frames != w->stack.depth;
    w->running = (int16_t)(out->frame <= w->stack.depth ? out->frame - 1 : SMRF_CARS_KERNEL);
    return trap ? m->options->trap_overhead : 0;
}

/* --- before an instruction -------------------------------------------------------------------- */

static void fill_(struct smrf_cars *m, unsigned warp, int frame)
{
    struct smrf_cars_stack *s = &m->warp[warp].stack;
    for (unsigned n = smrf_cars_can_fill(s, frame); n; n--) {
        struct smrf_cars_frame *f = &s->frame[--s->spilled];
        open_slots_(&m->warp[warp], f);
        smrf_cars_task_(m, warp, SMRF_CARS_FILL, s->spilled, f->out & f->lanes);
        m->stats.bytes_dropped += (f->size - s->slot) * smrf_cars_bytes_(f->out & ~f->lanes);
        f->out = 0;
        m->stats.frames_filled++;
    }
    m->stats.traps++;
    m->services->hold(m->services->ctx, warp, m->options->trap_overhead);
}

void smrf_cars_prepare_(struct smrf_cars *m, unsigned warp, const struct smrf_inst *before)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    struct smrf_cars_stack *s = &w->stack;
    const int frame = smrf_cars_frame_of(s, before->mask);
    if (frame < 0) {
        return;
    }
    struct smrf_cars_frame *f = &s->frame[frame];
    if (before->op->flow != SMRF_FLOW_RET) {
        if (smrf_cars_can_fill(s, frame) && !f->in_memory) {
            fill_(m, warp, frame);
        }
        return;
    }
    if (f->in_memory || w->popped) {
        return;
    }
    w->popped = true;
    if (f->out & before->mask) {
        m->stats.traps++;
        m->services->hold(m->services->ctx, warp, m->options->trap_overhead);
        smrf_cars_task_(m, warp, SMRF_CARS_RESTORE, frame, f->out & before->mask);
        f->out &= ~before->mask;
    } else {
        smrf_cars_task_(m, warp, SMRF_CARS_POP, frame, before->mask);
    }
}
