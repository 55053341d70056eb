/* SPDX-License-Identifier: Apache-2.0 */
/* Which stores and loads belong to the calling convention. A function stores a register that still
 * has its value from the call, loads it from the same slot later, and does not touch it from there
 * to its return. So the registers that a function keeps for its caller are found, not assumed: any
 * set, pushed at its entry or later, popped in any order. */
#include "firmware/flow/internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_SLOT INT32_MIN
#define REGS 256

/* On every path to a point. */
struct state {
    bool known;       /* some path has been looked at */
    bool stack_known; /* R1 is its entry value plus `stack` */
    int32_t stack;
    struct smrf_regset intact; /* registers with the value of the function's entry */
    int32_t slot[REGS];        /* where the entry value of each lies in memory, or NO_SLOT */
};

struct abi {
    struct smrf_flow_program *p;
    struct state *in; /* [num_blocks] */
    struct smrf_regset
        *clean; /* [num_blocks]: at a block's end, what no path to a return touches */
};

static void forget_slot_(struct state *s, int32_t offset, unsigned bytes)
{
    for (unsigned r = 0; r < REGS; r++) {
        if (s->slot[r] != NO_SLOT && s->slot[r] < offset + (int32_t)bytes &&
            offset < s->slot[r] + 4) {
            s->slot[r] = NO_SLOT;
        }
    }
}

/* The k-th word that a local access moves: the register, 255 = none. */
static unsigned word_(const struct smrf_flow_inst *i, unsigned k)
{
    const struct smrf_static_inst *op = &i->op;
    if (op->num_dst != 0) {
        return k < op->num_dst ? op->dst[k] : SMRF_REG_ZERO;
    }
    for (unsigned n = 0; n < op->num_src; n++) {
        if (op->src_slot[n] == 1 && k-- == 0) {
            return op->src[n];
        }
    }
    return SMRF_REG_ZERO;
}

static bool is_store_(const struct smrf_flow_inst *i)
{
    return i->op.op_class == SMRF_CLASS_STORE;
}

static bool moves_words_(const struct smrf_flow_inst *i, const struct state *s)
{
    return i->local && s->stack_known && !i->conditional && i->op.access_bytes >= 4;
}

static void store_(struct state *s, const struct smrf_flow_inst *i)
{
    const int32_t at = s->stack + i->offset;
    if (!i->local || !s->stack_known) { /* the compiler's own slots have no address */
        return;
    }
    for (unsigned k = 0; k < (i->op.access_bytes + 3u) / 4; k++) {
        const unsigned reg = word_(i, k);
        const int32_t slot = at + 4 * (int32_t)k;
        const bool saves =
            moves_words_(i, s) && reg != SMRF_REG_ZERO && smrf_regset_has(&s->intact, reg);
        if (saves && s->slot[reg] == slot) {
            continue;
        }
        forget_slot_(s, slot, 4);
        if (saves) {
            s->slot[reg] = slot;
        }
    }
}

static bool restores_(const struct state *s, const struct smrf_flow_inst *i, unsigned k)
{
    const unsigned reg = word_(i, k);
    return moves_words_(i, s) && !is_store_(i) && reg != SMRF_REG_ZERO &&
           s->slot[reg] == s->stack + i->offset + 4 * (int32_t)k;
}

static void load_(struct state *s, const struct smrf_flow_inst *i)
{
    struct smrf_regset back = {{0}};
    for (unsigned k = 0; k < i->op.access_bytes / 4u; k++) {
        if (restores_(s, i, k)) {
            smrf_regset_add(&back, word_(i, k));
        }
    }
    smrf_regset_subtract(&s->intact, &i->writes);
    (void)smrf_regset_unite(&s->intact, &back);
}

/* What a call leaves alone. */
static struct smrf_regset preserved_(const struct smrf_flow_program *p,
                                     const struct smrf_flow_site *site)
{
    struct smrf_regset all = smrf_regset_all();
    for (uint32_t i = 0; i < site->num_callees; i++) {
        (void)smrf_regset_meet(&all, &p->function[site->callee[i]].preserved);
    }
    return site->unknown ? (struct smrf_regset){{0}} : all;
}

static void step_(const struct abi *a, struct state *s, uint32_t index)
{
    const struct smrf_flow_inst *i = &a->p->inst[index];
    if (i->role == SMRF_FLOW_CALLS) {
        const struct smrf_regset kept = preserved_(a->p, smrf_flow_site_at(a->p, index));
        (void)smrf_regset_meet(&s->intact, &kept);
    } else if (i->moves_stack) {
        s->stack += i->offset;
    } else if (i->op.space == SMRF_SPACE_LOCAL && is_store_(i)) {
        store_(s, i);
    } else if (i->op.space == SMRF_SPACE_LOCAL) {
        load_(s, i);
    } else {
        smrf_regset_subtract(&s->intact, &i->writes);
        s->stack_known = s->stack_known && !smrf_regset_has(&i->writes, SMRF_FLOW_STACK_POINTER);
    }
}

static bool meet_(struct state *to, const struct state *from)
{
    if (!to->known) {
        *to = *from;
        return true;
    }
    bool changed = smrf_regset_meet(&to->intact, &from->intact);
    if (to->stack_known && (!from->stack_known || to->stack != from->stack)) {
        to->stack_known = false;
        changed = true;
    }
    for (unsigned r = 0; r < REGS; r++) {
        if (to->slot[r] != NO_SLOT && to->slot[r] != from->slot[r]) {
            to->slot[r] = NO_SLOT;
            changed = true;
        }
    }
    return changed;
}

static void begin_(struct state *s)
{
    *s = (struct state){.known = true, .stack_known = true, .intact = smrf_regset_all()};
    for (unsigned r = 0; r < REGS; r++) {
        s->slot[r] = NO_SLOT;
    }
}

static bool leaves_(const struct smrf_flow_inst *i)
{
    return i->role == SMRF_FLOW_RETURNS || i->role == SMRF_FLOW_TAIL;
}

/* States at the blocks' beginnings; returns what is intact at every return. */
static struct smrf_regset forward_(const struct abi *a, const struct smrf_flow_function *fn)
{
    const struct smrf_flow_program *p = a->p;
    struct smrf_regset preserved = smrf_regset_all();
    bool changed = fn->num_blocks != 0;
    for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
        a->in[b].known = false;
    }
    if (changed) {
        begin_(&a->in[fn->first_block]);
    }
    while (changed) {
        changed = false;
        for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
            const struct smrf_flow_block *block = &p->block[b];
            struct state s = a->in[b];
            if (!s.known) {
                continue;
            }
            for (uint32_t i = block->first; i < block->first + block->count; i++) {
                step_(a, &s, i);
            }
            for (uint32_t k = 0; k < block->num_succ; k++) {
                changed |= meet_(&a->in[block->succ[k]], &s);
            }
            if (leaves_(smrf_flow_last(p, block))) {
                struct smrf_regset at_return = s.intact;
                if (!s.stack_known || s.stack != 0) {
                    smrf_regset_remove(&at_return, SMRF_FLOW_STACK_POINTER);
                } else {
                    smrf_regset_add(&at_return, SMRF_FLOW_STACK_POINTER);
                }
                const struct smrf_flow_site *tail = smrf_flow_site_of(p, block);
                if (tail != NULL) {
                    const struct smrf_regset kept = preserved_(p, tail);
                    (void)smrf_regset_meet(&at_return, &kept);
                }
                (void)smrf_regset_meet(&preserved, &at_return);
            }
        }
    }
    return fn->unknown_jump ? (struct smrf_regset){{0}} : preserved;
}

/* One instruction backward: what is still untouched on the way to a return. */
static void untouch_(const struct abi *a, struct smrf_regset *clean, uint32_t index)
{
    const struct smrf_flow_inst *i = &a->p->inst[index];
    if (i->role == SMRF_FLOW_RETURNS) { /* reads where to go */
        return;
    }
    if (i->role == SMRF_FLOW_CALLS) {
        const struct smrf_regset kept = preserved_(a->p, smrf_flow_site_at(a->p, index));
        (void)smrf_regset_meet(clean, &kept);
    }
    smrf_regset_subtract(clean, &i->reads);
    smrf_regset_subtract(clean, &i->writes);
}

static void backward_(const struct abi *a, const struct smrf_flow_function *fn)
{
    bool changed = true;
    for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
        a->clean[b] = smrf_regset_all();
    }
    while (changed) {
        changed = false;
        for (uint32_t b = fn->first_block + fn->num_blocks; b-- > fn->first_block;) {
            const struct smrf_flow_block *block = &a->p->block[b];
            struct smrf_regset at = a->clean[b];
            for (uint32_t i = block->first + block->count; i-- > block->first;) {
                untouch_(a, &at, i);
            }
            for (uint32_t k = 0; k < block->num_pred; k++) {
                changed |= smrf_regset_meet(&a->clean[block->pred[k]], &at);
            }
        }
    }
}

/* ---- what was found -------------------------------------------------------------------------- */

static void note_(struct smrf_flow_program *p, uint32_t inst, uint32_t function, unsigned reg,
                  bool restore, int32_t offset)
{
    p->save[p->num_saves++] = (struct smrf_flow_save){.inst = inst,
                                                      .function = function,
                                                      .reg = (uint8_t)reg,
                                                      .restore = restore,
                                                      .offset = offset};
}

/* The loads that give a register back, or, second, the stores that they belong to. */
static void collect_(const struct abi *a, uint32_t f, bool second, int32_t slot[REGS])
{
    struct smrf_flow_program *p = a->p;
    struct smrf_flow_function *fn = &p->function[f];
    for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
        const struct smrf_flow_block *block = &p->block[b];
        struct state s = a->in[b];
        for (uint32_t i = block->first; s.known && i < block->first + block->count; i++) {
            const struct smrf_flow_inst *inst = &p->inst[i];
            const bool candidate = inst->op.space == SMRF_SPACE_LOCAL && moves_words_(inst, &s) &&
                                   is_store_(inst) == second;
            for (unsigned k = 0; candidate && k < inst->op.access_bytes / 4u; k++) {
                const unsigned reg = word_(inst, k);
                const int32_t at = s.stack + inst->offset + 4 * (int32_t)k;
                if (second && reg != SMRF_REG_ZERO && slot[reg] == at &&
                    smrf_regset_has(&s.intact, reg)) {
                    note_(p, i, f, reg, false, at);
                }
                if (!second && restores_(&s, inst, k)) {
                    struct smrf_regset clean = a->clean[b];
                    for (uint32_t n = block->first + block->count; n-- > i + 1;) {
                        untouch_(a, &clean, n);
                    }
                    if (smrf_regset_has(&clean, reg)) {
                        note_(p, i, f, reg, true, at);
                        smrf_regset_add(&fn->saved, reg);
                        slot[reg] = at;
                    }
                }
            }
            step_(a, &s, i);
        }
    }
}

static int by_place_(const void *a, const void *b)
{
    const struct smrf_flow_save *x = a, *y = b;
    if (x->inst != y->inst) {
        return x->inst < y->inst ? -1 : 1;
    }
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void results_(const struct abi *a)
{
    struct smrf_flow_program *p = a->p;
    for (uint32_t f = 1; f < p->num_functions; f++) { /* a kernel has no caller to save for */
        struct smrf_flow_function *fn = &p->function[f];
        int32_t slot[REGS];
        for (unsigned r = 0; r < REGS; r++) {
            slot[r] = NO_SLOT;
        }
        backward_(a, fn);
        collect_(a, f, false, slot);
        collect_(a, f, true, slot);
        fn->unrestored = fn->saved;
        smrf_regset_subtract(&fn->unrestored, &fn->preserved);
    }
    qsort(p->save, p->num_saves, sizeof *p->save, by_place_);
}

int smrf_flow_abi(struct smrf_flow_program *p)
{
    struct abi a = {.p = p,
                    .in = calloc(p->num_blocks + (size_t)1, sizeof *a.in),
                    .clean = calloc(p->num_blocks + (size_t)1, sizeof *a.clean)};
    uint32_t words = 0;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        words += p->inst[i].local ? (p->inst[i].op.access_bytes + 3u) / 4 : 0;
    }
    p->save = smrf_flow_alloc(p, words, sizeof *p->save);
    const int rc = a.in != NULL && a.clean != NULL && p->save != NULL ? 0 : SMRF_ERR_NOMEM;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        p->function[f].preserved = p->function[f].kind == SMRF_CODE_EXTERNAL
                                       ? (struct smrf_regset){{0}}
                                       : smrf_regset_all();
    }
    for (bool changed = rc == 0; changed;) {
        changed = false;
        for (uint32_t f = 0; f < p->num_functions; f++) {
            struct smrf_flow_function *fn = &p->function[f];
            if (fn->kind != SMRF_CODE_EXTERNAL) {
                const struct smrf_regset found = forward_(&a, fn);
                changed |= smrf_regset_meet(&fn->preserved, &found);
            }
        }
    }
    if (rc == 0) {
        results_(&a);
    }
    free(a.in);
    free(a.clean);
    return rc;
}
