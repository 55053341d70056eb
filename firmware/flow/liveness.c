/* SPDX-License-Identifier: Apache-2.0 */
/* Which register values a thread still needs, through calls and only along paths that return to
 * where they came from. First, for every function alone: what it reads, and what passes through it
 * unwritten. Then, from the kernel down: what is needed after its returns. Lanes that a guard
 * leaves out keep a register's old value. That value is not needed if everything in the block that
 * reads the register has the same guard. */
#include "firmware/flow/internal.h"

#include <stdlib.h>

struct through {
    struct smrf_regset reads; /* before it writes them, on some path to a return or an end */
    struct smrf_regset pass;  /* not written, on some path to a return */
};

struct liveness {
    struct smrf_flow_program *p;
    struct through *function;     /* [num_functions] */
    struct through *block;        /* [num_blocks]: from the block's beginning on */
    struct smrf_regset *returned; /* [num_functions]: live behind its returns */
};

static struct through everything_(void)
{
    return (struct through){smrf_regset_all(), smrf_regset_all()};
}

/* What the callees of a site do together. */
static struct through callees_(const struct liveness *l, const struct smrf_flow_site *site)
{
    struct through t = {{{0}}, {{0}}};
    for (uint32_t i = 0; i < site->num_callees; i++) {
        (void)smrf_regset_unite(&t.reads, &l->function[site->callee[i]].reads);
        (void)smrf_regset_unite(&t.pass, &l->function[site->callee[i]].pass);
    }
    return site->unknown ? everything_() : t;
}

/* x then y. */
static void precede_(struct through *y, const struct through *x)
{
    (void)smrf_regset_meet(&y->reads, &x->pass);
    (void)smrf_regset_unite(&y->reads, &x->reads);
    (void)smrf_regset_meet(&y->pass, &x->pass);
}

/* Who reads a register further on in a block. */
struct readers {
    uint32_t condition[256]; /* 0: not alone those of one condition */
};

/* What a conditional instruction writes for all who read it. */
static struct smrf_regset covered_(const struct readers *readers, const struct smrf_flow_inst *inst)
{
    struct smrf_regset covered = {{0}};
    for (unsigned k = 0; k < inst->op.num_dst; k++) {
        if (inst->condition && readers->condition[inst->op.dst[k]] == inst->condition) {
            smrf_regset_add(&covered, inst->op.dst[k]);
        }
    }
    return covered;
}

/* Back over an instruction. needed: after it; pass: what passes through from before, NULL: not
 * wanted. If not every lane writes, the others keep the old value. */
static void back_(struct readers *readers, const struct smrf_flow_inst *inst,
                  struct smrf_regset *needed, struct smrf_regset *pass)
{
    const struct smrf_regset written = inst->conditional ? covered_(readers, inst) : inst->writes;
    smrf_regset_subtract(needed, &written);
    if (pass && !inst->conditional) {
        smrf_regset_subtract(pass, &inst->writes);
    }
    for (unsigned k = 0; k < inst->op.num_src; k++) {
        const unsigned r = inst->op.src[k];
        if (!smrf_regset_has(needed, r)) {
            readers->condition[r] = inst->condition;
        } else if (readers->condition[r] != inst->condition) {
            readers->condition[r] = 0;
        }
        smrf_regset_add(needed, r);
    }
}

/* From behind the last instruction of a block: returns pass everything on, ends nothing. */
static struct through behind_(const struct liveness *l, const struct smrf_flow_block *block)
{
    const struct smrf_flow_inst *last = smrf_flow_last(l->p, block);
    struct through t = {{{0}}, {{0}}};
    if (last->role == SMRF_FLOW_RETURNS || last->role == SMRF_FLOW_TAIL) {
        t.pass = smrf_regset_all();
    }
    if (last->role == SMRF_FLOW_TAIL) {
        const struct through callee = callees_(l, smrf_flow_site_of(l->p, block));
        precede_(&t, &callee);
    }
    struct through rest = {{{0}}, {{0}}};
    for (uint32_t k = 0; k < block->num_succ; k++) {
        (void)smrf_regset_unite(&rest.reads, &l->block[block->succ[k]].reads);
        (void)smrf_regset_unite(&rest.pass, &l->block[block->succ[k]].pass);
    }
    if (last->role == SMRF_FLOW_CALLS) {
        struct through called = rest;
        const struct through callee = callees_(l, smrf_flow_site_of(l->p, block));
        precede_(&called, &callee);
        if (!last->conditional) {
            return called;
        }
        (void)smrf_regset_unite(&t.reads, &called.reads);
        (void)smrf_regset_unite(&t.pass, &called.pass);
    }
    if (last->role == SMRF_FLOW_JUMP && last->indirect &&
        l->p->function[block->function].unknown_jump) {
        return everything_();
    }
    (void)smrf_regset_unite(&t.reads, &rest.reads);
    (void)smrf_regset_unite(&t.pass, &rest.pass);
    return t;
}

static bool grow_(struct through *to, const struct through *from)
{
    const bool reads = smrf_regset_unite(&to->reads, &from->reads);
    return smrf_regset_unite(&to->pass, &from->pass) || reads;
}

static bool summarise_(struct liveness *l, uint32_t f)
{
    const struct smrf_flow_function *fn = &l->p->function[f];
    bool changed = fn->num_blocks != 0, any = false;
    while (changed) {
        changed = false;
        for (uint32_t b = fn->first_block + fn->num_blocks; b-- > fn->first_block;) {
            const struct smrf_flow_block *block = &l->p->block[b];
            struct through t = behind_(l, block);
            struct readers readers = {{0}};
            for (uint32_t i = block->first + block->count; i-- > block->first;) {
                back_(&readers, &l->p->inst[i], &t.reads, &t.pass);
            }
            changed |= grow_(&l->block[b], &t);
        }
        any |= changed;
    }
    if (fn->num_blocks != 0) {
        (void)grow_(&l->function[f], &l->block[fn->first_block]);
    }
    return any;
}

/* ---- from the kernel down -------------------------------------------------------------------- */

static struct smrf_regset live_(const struct through *t, const struct smrf_regset *returned)
{
    struct smrf_regset s = *returned;
    (void)smrf_regset_meet(&s, &t->pass);
    (void)smrf_regset_unite(&s, &t->reads);
    return s;
}

/* What is needed behind a site: where it comes back, or where its function returns to. */
static struct smrf_regset after_site_(const struct liveness *l, const struct smrf_flow_site *site)
{
    const struct smrf_flow_block *block = &l->p->block[l->p->inst[site->inst].block];
    struct smrf_regset live = {{0}};
    if (l->p->inst[site->inst].role == SMRF_FLOW_TAIL) {
        return l->returned[site->caller];
    }
    for (uint32_t k = 0; k < block->num_succ; k++) {
        const struct smrf_regset s = live_(&l->block[block->succ[k]], &l->returned[site->caller]);
        (void)smrf_regset_unite(&live, &s);
    }
    return live;
}

static void descend_(struct liveness *l)
{
    const struct smrf_flow_program *p = l->p;
    const struct smrf_regset all = smrf_regset_all();
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < p->num_sites; s++) {
            const struct smrf_flow_site *site = &p->site[s];
            const struct smrf_regset live = after_site_(l, site);
            for (uint32_t k = 0; k < site->num_callees; k++) {
                changed |= smrf_regset_unite(&l->returned[site->callee[k]], &live);
            }
            for (uint32_t f = 1; site->unknown && f < p->num_functions; f++) {
                changed |= smrf_regset_unite(&l->returned[f], &all);
            }
        }
    }
}

/* Destinations whose old value is not needed in the lanes that the guard leaves out. */
static uint16_t lone_(const struct readers *readers, const struct smrf_flow_inst *inst)
{
    const struct smrf_regset covered = covered_(readers, inst);
    uint16_t unmerged = 0;
    for (unsigned k = 0; k < inst->op.num_dst; k++) {
        const unsigned r = inst->op.dst[k];
        const bool needed = inst->conditional && smrf_regset_has(&inst->live_out, r) &&
                            !smrf_regset_has(&covered, r);
        unmerged |= (uint16_t)(!needed << k);
    }
    return unmerged;
}

static void spread_(const struct liveness *l)
{
    struct smrf_flow_program *p = l->p;
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        struct smrf_flow_block *block = &p->block[b];
        const struct smrf_regset *returned = &l->returned[block->function];
        const struct through behind = behind_(l, block);
        struct smrf_regset live = live_(&behind, returned);
        struct readers readers = {{0}};
        for (uint32_t i = block->first + block->count; i-- > block->first;) {
            struct smrf_flow_inst *inst = &p->inst[i];
            struct smrf_regset old = live; /* of what was there before it wrote */
            inst->live_out = live;
            inst->unmerged_dst = lone_(&readers, inst);
            if (!inst->conditional) {
                smrf_regset_subtract(&old, &inst->writes);
            }
            inst->final_src = smrf_flow_final(inst, &old);
            back_(&readers, inst, &live, NULL);
        }
        block->live_in = live;
    }
    for (uint32_t f = 0; f < p->num_functions; f++) {
        struct smrf_flow_function *fn = &p->function[f];
        fn->live_in = l->function[f].reads;
        for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
            (void)smrf_regset_unite(&fn->used, &p->inst[i].reads);
            (void)smrf_regset_unite(&fn->used, &p->inst[i].writes);
        }
    }
}

int smrf_flow_liveness(struct smrf_flow_program *p)
{
    struct liveness l = {.p = p,
                         .function = calloc(p->num_functions, sizeof *l.function),
                         .block = calloc(p->num_blocks + (size_t)1, sizeof *l.block),
                         .returned = calloc(p->num_functions, sizeof *l.returned)};
    const int rc = l.function != NULL && l.block != NULL && l.returned != NULL ? 0 : SMRF_ERR_NOMEM;
    for (uint32_t f = 0; rc == 0 && f < p->num_functions; f++) {
        if (p->function[f].kind == SMRF_CODE_EXTERNAL) {
            l.function[f] = everything_();
        }
    }
    for (bool changed = rc == 0; changed;) {
        changed = false;
        for (uint32_t f = p->num_functions; f-- > 0;) {
            changed |= summarise_(&l, f);
        }
    }
    if (rc == 0) {
        descend_(&l);
        spread_(&l);
    }
    free(l.function);
    free(l.block);
    free(l.returned);
    return rc;
}
