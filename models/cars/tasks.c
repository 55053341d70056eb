/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of CARS's own: PUSH and POP, and what the trap handler does. None of them may write a
 * place that an earlier instruction has yet to read: reads are collected later than they issue. */
#include "cars.h"

#include "models/common/smrf_assert.h"

#include <string.h>

/* In local memory, beyond what programs reach. */
#define FRAMES_AT UINT64_C(0x800000)
#define WARPS_AT UINT64_C(0x880000)

#define NO_REGISTER 255

/* --- static instructions ---------------------------------------------------------------------- */

static struct smrf_static_inst *op_(struct smrf_cars *m, enum smrf_cars_op kind, unsigned reg)
{
    return &m->op[kind * 256u + reg];
}

static struct smrf_static_inst *push_op_(struct smrf_cars *m, bool pop)
{
    return &m->op[SMRF_CARS_OPS_EACH * 256u + pop];
}

static void memory_op_(struct smrf_static_inst *op, unsigned reg, bool store, const char *text)
{
    op->text = text;
    op->space = SMRF_SPACE_LOCAL;
    op->access_bytes = 4;
    op->flags = SMRF_INST_SPILL;
    op->op_class = store ? SMRF_CLASS_STORE : SMRF_CLASS_LOAD;
    if (store) {
        op->num_src = op->num_src_base = 1;
        op->src[0] = op->src_base[0] = (uint8_t)reg;
        op->src_slot[0] = 1;
    } else {
        op->num_dst = op->num_dst_base = 1;
        op->dst[0] = op->dst_base[0] = (uint8_t)reg;
    }
}

void smrf_cars_ops_init_(struct smrf_cars *m)
{
    for (unsigned reg = 0; reg < 256; reg++) {
        memory_op_(op_(m, SMRF_CARS_OP_STORE, reg), reg, true, "STL (trap)");
        memory_op_(op_(m, SMRF_CARS_OP_LOAD, reg), reg, false, "LDL (trap)");
        memory_op_(op_(m, SMRF_CARS_OP_STORE_WARP, reg), reg, true, "STL (switch)");
        memory_op_(op_(m, SMRF_CARS_OP_LOAD_WARP, reg), reg, false, "LDL (switch)");
        struct smrf_static_inst *move = op_(m, SMRF_CARS_OP_MOVE, reg);
        move->text = "MOV (stack)";
        move->op_class = SMRF_CLASS_ALU;
        move->num_src = move->num_dst = move->num_src_base = move->num_dst_base = 1;
        move->src[0] = move->dst[0] = move->src_base[0] = move->dst_base[0] = (uint8_t)reg;
        move->src_slot[0] = 1;
    }
    for (unsigned pop = 0; pop < 2; pop++) {
        push_op_(m, pop)->text = pop ? "POP" : "PUSH";
        push_op_(m, pop)->op_class = SMRF_CLASS_ALU;
    }
}

static enum smrf_cars_op kind_of_(const struct smrf_cars *m, const struct smrf_flight *f)
{
    return (enum smrf_cars_op)((size_t)(f->op - m->op) / 256);
}

/* --- tasks ------------------------------------------------------------------------------------ */

void smrf_cars_task_(struct smrf_cars *m, unsigned warp, enum smrf_cars_task_kind kind, int frame,
                     uint32_t lanes)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    SMRF_ASSERT(w->num_tasks < SMRF_CARS_TASKS);
    w->task[(w->first_task + w->num_tasks++) % SMRF_CARS_TASKS] =
        (struct smrf_cars_task){(uint8_t)kind, (int16_t)frame, 0, lanes};
}

/* --- one operation ---------------------------------------------------------------------------- */

/* What a step of a task comes to. */
enum step { STEP_DONE, STEP_WAIT, STEP_READY, STEP_NOTHING };

struct maker {
    struct smrf_cars *m;
    struct smrf_cars_warp *w;
    unsigned warp;
    struct smrf_micro *micro;
};

static bool read_(const struct maker *k, unsigned reg, unsigned phys)
{
    const struct smrf_services *s = k->m->services;
    const unsigned sub = k->warp & (k->m->subs - 1);
    return s->readers(s->ctx, sub, smrf_cars_place_(k->m, k->warp, reg, phys)) == 0;
}

static void begin_(const struct maker *k, struct smrf_static_inst *op, uint32_t lanes)
{
    struct smrf_inst *inst = &k->micro->inst;
    inst->op = op;
    inst->values = NULL;
    inst->mask = lanes;
    inst->imm = 0;
    inst->base = 0;
    inst->stride = 0;
    inst->addr_kind = SMRF_ADDR_NONE;
    inst->near_src = inst->near_dst = 0;
    inst->next_pc = inst->next_mask = 0;
    inst->line = 0;
    k->micro->num_waits = 0;
}

/* Between a register and memory. */
static enum step memory_(const struct maker *k, enum smrf_cars_op kind, unsigned reg, unsigned phys,
                         uint64_t address, uint32_t lanes)
{
    const bool store = kind == SMRF_CARS_OP_STORE || kind == SMRF_CARS_OP_STORE_WARP;
    if (!store && !read_(k, reg, phys)) {
        return STEP_WAIT;
    }
    begin_(k, op_(k->m, kind, reg), lanes);
    k->micro->inst.addr_kind = SMRF_ADDR_STRIDE;
    k->micro->inst.base = address;
    *(store ? &k->micro->src_phys[0] : &k->micro->dst_phys[0]) = (uint16_t)phys;
    *(store ? &k->m->stats.bytes_spilled : &k->m->stats.bytes_filled) += smrf_cars_bytes_(lanes);
    return STEP_READY;
}

static enum step move_(const struct maker *k, unsigned reg, unsigned from, unsigned to,
                       uint32_t lanes)
{
    if (!read_(k, reg, to)) {
        return STEP_WAIT;
    }
    begin_(k, op_(k->m, SMRF_CARS_OP_MOVE, reg), lanes);
    k->micro->src_phys[0] = (uint16_t)from;
    k->micro->dst_phys[0] = (uint16_t)to;
    return STEP_READY;
}

static bool written_(const struct smrf_cars_warp *w, uint32_t slot)
{
    return w->written[slot / 64] >> slot % 64 & 1;
}

static void set_written_(struct smrf_cars_warp *w, uint32_t slot, unsigned reg)
{
    w->written[slot / 64] |= UINT64_C(1) << slot % 64;
    w->holds[slot % w->stack.size] = (uint8_t)reg;
}

/* A frame's registers, one after the other: the caller's values out or in, its own to or from the
 * base registers. */
static enum step exchange_(const struct maker *k, const struct smrf_cars_task *t)
{
    struct smrf_cars_warp *w = k->w;
    const struct smrf_cars_stack *s = &w->stack;
    const struct smrf_cars_frame *f = &s->frame[t->frame];
    const unsigned fru = f->size ? (unsigned)f->size - s->slot : 0u;
    const bool restore = t->kind == SMRF_CARS_RESTORE, spill = t->kind == SMRF_CARS_SPILL;
    const unsigned half = restore ? 1 : t->next / (fru ? fru : 1);
    const unsigned n = restore ? t->next : fru ? t->next % fru : 0;
    if (fru == 0 || (restore ? t->next >= fru : t->next >= 2 * fru)) {
        return STEP_DONE;
    }
    const unsigned reg = smrf_cars_register(s, f->function, n);
    const uint32_t slot = f->first + s->slot + n;
    const unsigned base = (unsigned)w->base + reg, phys = smrf_cars_slot_phys_(w, slot);
    if (spill == (half == 1) && !restore) { /* second of a spill, first of a fill */
        if (spill && !written_(w, slot)) {
            return STEP_NOTHING; /* the base register holds what it did */
        }
        const enum step moved =
            move_(k, reg, spill ? phys : base, spill ? base : phys, spill ? t->lanes : UINT32_MAX);
        if (moved == STEP_READY) {
            k->m->stats.frame_moves++;
            if (!spill) {
                set_written_(w, slot, reg);
            }
        }
        return moved;
    }
    if (!spill && w->loading[reg / 64] >> reg % 64 & 1) {
        return STEP_WAIT;
    }
    const enum step moved = memory_(k, spill ? SMRF_CARS_OP_STORE : SMRF_CARS_OP_LOAD, reg, base,
                                    FRAMES_AT + 4 * (uint64_t)slot, t->lanes);
    if (moved == STEP_READY) {
        *(spill ? &w->stored_to[reg] : &w->loaded_from[reg]) = (uint16_t)slot;
        w->loading[reg / 64] |= (uint64_t)!spill << reg % 64;
    }
    return moved;
}

/* Lanes exited in frames that these slots were of: their writes may be under way. */
static void wait_for_last_(const struct maker *k, uint32_t slot)
{
    const unsigned held = k->w->holds[slot % k->w->stack.size];
    if (k->w->exits && held != NO_REGISTER) {
        k->micro->waits[k->micro->num_waits++] = (uint8_t)held;
    }
}

/* The list of a frame: waits for what the stores or loads waited for. */
static enum step list_(const struct maker *k, const struct smrf_cars_task *t)
{
    struct smrf_cars_warp *w = k->w;
    const struct smrf_cars_stack *s = &w->stack;
    const struct smrf_cars_frame *f = &s->frame[t->frame];
    const unsigned fru = f->size - s->slot;
    const bool pop = t->kind == SMRF_CARS_POP;
    if (fru == 0 || t->next > 0) {
        return STEP_DONE;
    }
    for (unsigned n = 0; n < fru && !pop; n++) {
        const uint32_t slot = f->first + s->slot + n;
        const unsigned held = w->holds[slot % s->size];
        if (held != NO_REGISTER && !read_(k, held, smrf_cars_slot_phys_(w, slot))) {
            return STEP_WAIT;
        }
    }
    begin_(k, push_op_(k->m, pop), t->lanes);
    for (unsigned n = 0; n < fru && n < SMRF_MICRO_WAITS; n++) {
        k->micro->waits[k->micro->num_waits++] = (uint8_t)smrf_cars_register(s, f->function, n);
        if (!pop && k->micro->num_waits < SMRF_MICRO_WAITS) {
            wait_for_last_(k, f->first + s->slot + n);
        }
    }
    k->m->stats.push_operations++;
    return STEP_READY;
}

static enum step push_(const struct maker *k, const struct smrf_cars_task *t)
{
    struct smrf_cars_warp *w = k->w;
    const struct smrf_cars_stack *s = &w->stack;
    const struct smrf_cars_frame *f = &s->frame[t->frame];
    const bool push = t->kind == SMRF_CARS_PUSH, list = k->m->options->push == SMRF_CARS_PUSH_LIST;
    unsigned next = t->next;
    if (push && s->slot && next-- == 0) { /* the caller's frame pointer */
        begin_(k, push_op_(k->m, false), t->lanes);
        k->m->stats.push_operations++;
        return STEP_READY;
    }
    if (list && next == 0) {
        struct smrf_cars_task first = *t;
        first.next = 0;
        return list_(k, &first);
    }
    const unsigned n = list ? next - 1 : next;
    if (f->size == 0 || n >= f->size - (unsigned)s->slot || (list && !push)) {
        return STEP_DONE;
    }
    const unsigned reg = smrf_cars_register(s, f->function, n);
    const uint32_t slot = f->first + s->slot + n;
    const unsigned phys = smrf_cars_slot_phys_(w, slot), held = w->holds[slot % s->size];
    const bool copy = push && !s->prefix && smrf_program_set_has(&f->function->read_first, reg);
    if (push && held != NO_REGISTER && !read_(k, held, phys)) {
        return STEP_WAIT;
    }
    if (copy) {
        const uint32_t from = smrf_cars_find(s, f->parent, reg);
        const enum step moved =
            move_(k, reg,
                  from == SMRF_CARS_BASE ? (unsigned)w->base + reg : smrf_cars_slot_phys_(w, from),
                  phys, UINT32_MAX);
        if (moved == STEP_READY) {
            set_written_(w, slot, reg);
            k->m->stats.copies++;
        }
        return moved;
    }
    if (list) {
        return STEP_NOTHING;
    }
    begin_(k, push_op_(k->m, !push), t->lanes);
    k->micro->waits[k->micro->num_waits++] = (uint8_t)reg;
    if (push) {
        wait_for_last_(k, slot);
    }
    k->m->stats.push_operations++;
    return STEP_READY;
}

/* Every register of a warp: the kernel's, and those of the frames that are not spilled. */
static enum step switch_(const struct maker *k, const struct smrf_cars_task *t)
{
    const struct smrf_cars_warp *w = k->w;
    const struct smrf_cars_stack *s = &w->stack;
    const enum smrf_cars_op kind =
        t->kind == SMRF_CARS_SWITCH_OUT ? SMRF_CARS_OP_STORE_WARP : SMRF_CARS_OP_LOAD_WARP;
    unsigned reg = t->next, phys = (unsigned)w->base + reg;
    if (t->next >= w->kernel) {
        const uint32_t slot = smrf_cars_bottom(s) + (t->next - w->kernel);
        int frame = s->depth - 1;
        if (slot >= smrf_cars_rsp(s)) {
            return STEP_DONE;
        }
        while (s->frame[frame].first > slot || s->frame[frame].size == 0) {
            frame--;
        }
        const uint32_t n = slot - s->frame[frame].first;
        if (n < s->slot) {
            return STEP_NOTHING; /* frame pointers are kept with the warp's state */
        }
        reg = smrf_cars_register(s, s->frame[frame].function, n - s->slot);
        phys = smrf_cars_slot_phys_(w, slot);
        if (!written_(w, slot)) {
            return STEP_NOTHING;
        }
    }
    return memory_(k, kind, reg, phys, WARPS_AT + 4 * (uint64_t)(phys - w->base), UINT32_MAX);
}

static enum step step_(const struct maker *k, const struct smrf_cars_task *t)
{
    switch ((enum smrf_cars_task_kind)t->kind) {
    case SMRF_CARS_SPILL:
    case SMRF_CARS_FILL:
    case SMRF_CARS_RESTORE:
        return exchange_(k, t);
    case SMRF_CARS_PUSH:
    case SMRF_CARS_POP:
        return push_(k, t);
    case SMRF_CARS_SWITCH_OUT:
    case SMRF_CARS_SWITCH_IN:
        break;
    }
    return switch_(k, t);
}

static void task_ended_(struct smrf_cars *m, unsigned warp)
{
    struct smrf_cars_warp *w = &m->warp[warp];
    const unsigned kind = w->task[w->first_task].kind;
    w->first_task = (uint16_t)((w->first_task + 1) % SMRF_CARS_TASKS);
    w->num_tasks--;
    if (kind == SMRF_CARS_SWITCH_OUT) {
        smrf_cars_try_out_(m, warp);
    }
}

bool smrf_cars_next(void *state, unsigned warp, const struct smrf_inst *before,
                    struct smrf_micro *micro)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[warp];
    const struct maker k = {m, w, warp, micro};
    if (!m->program || m->failed || (w->state != SMRF_CARS_RUNS && w->state != SMRF_CARS_LEAVES)) {
        return false;
    }
    if (w->num_tasks == 0 && w->state == SMRF_CARS_RUNS && !w->waits_at_barrier) {
        smrf_cars_prepare_(m, warp, before);
    }
    w->blocked = false;
    while (w->num_tasks) {
        struct smrf_cars_task *t = &w->task[w->first_task];
        const enum step step = step_(&k, t);
        if (step == STEP_DONE) {
            task_ended_(m, warp);
            continue;
        }
        if (step == STEP_WAIT) {
            w->blocked = true;
            m->follow_reads |= UINT64_C(1) << warp;
            return false;
        }
        t->next++;
        if (step == STEP_READY) {
            w->under_way++;
            return true;
        }
    }
    return false;
}

/* --- what they move --------------------------------------------------------------------------- */

static struct smrf_cars_value *value_(struct smrf_cars *m, const struct smrf_flight *f,
                                      unsigned reg, struct smrf_register_place at)
{
    const struct smrf_cars_warp *w = &m->warp[f->warp];
    const unsigned banks = m->setup.rf.banks;
    switch (kind_of_(m, f)) {
    case SMRF_CARS_OP_STORE:
        return &m->frames[f->warp][w->stored_to[reg]];
    case SMRF_CARS_OP_LOAD:
        return &m->frames[f->warp][w->loaded_from[reg]];
    case SMRF_CARS_OP_STORE_WARP:
    case SMRF_CARS_OP_LOAD_WARP: {
        const unsigned turn = m->setup.rf.swizzle ? f->warp % banks : 0;
        const unsigned phys = at.row * banks + (at.bank + banks - turn) % banks;
        return &m->warps[f->warp][phys - w->base];
    }
    default:
        return &m->move[f->uid % SMRF_CARS_MOVES];
    }
}

void smrf_cars_read(void *state, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                    uint32_t version)
{
    struct smrf_cars_value *v = value_(state, f, f->src_reg[i], f->src[i]);
    v->version = version;
    memcpy(v->lane, data, sizeof v->lane);
}

void smrf_cars_write(void *state, const struct smrf_flight *f, unsigned i, uint32_t *data,
                     uint32_t *version)
{
    const struct smrf_cars_value *v = value_(state, f, f->dst_reg[i], f->dst[i]);
    *version = v->version;
    memcpy(data, v->lane, sizeof v->lane);
}

void smrf_cars_done(void *state, const struct smrf_flight *f)
{
    struct smrf_cars *m = state;
    struct smrf_cars_warp *w = &m->warp[f->warp];
    w->under_way--;
    if (f->num_dst && kind_of_(m, f) == SMRF_CARS_OP_LOAD) {
        const unsigned reg = f->dst_reg[0];
        w->loading[reg / 64] &= ~(UINT64_C(1) << reg % 64);
        if (w->blocked) {
            m->services->wake(m->services->ctx, f->warp);
        }
    }
    if (w->state == SMRF_CARS_LEAVES && w->num_tasks == 0) {
        smrf_cars_try_out_(m, f->warp);
    }
}

void smrf_cars_last_read(void *state, unsigned sub, struct smrf_register_place at)
{
    struct smrf_cars *m = state;
    (void)at;
    uint64_t follow, left = m->warps_of_first << sub;
    while ((follow = m->follow_reads & left) != 0) {
        const unsigned warp = (unsigned)__builtin_ctzll(follow);
        const struct smrf_cars_warp *w = &m->warp[warp];
        left &= UINT64_MAX << warp << 1;
        if (w->blocked) {
            m->services->wake(m->services->ctx, warp);
        } else if (w->state != SMRF_CARS_LEAVES) {
            m->follow_reads &= ~(UINT64_C(1) << warp);
        } else if (w->num_tasks == 0) {
            smrf_cars_try_out_(m, warp);
        }
    }
}
