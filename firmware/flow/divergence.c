/* SPDX-License-Identifier: Apache-2.0 */
/* A register of a warp is free only when none of its lanes needs it, those included that wait
 * elsewhere. Lanes part at a divergent branch and stay apart until they meet again (BSYNC) at a
 * barrier that was set (BSSY) before; while one side runs, the others may wait at the beginning of
 * any block of their sides, or where they are to meet. What is live there is held by the side that
 * runs. Lanes that part in a callee may come back one after the other; lanes that wait in a caller
 * hold their registers while others are in the callee. */
#include "firmware/flow/internal.h"

#include <stdlib.h>
#include <string.h>

#define BARRIERS 16
#define MAX_SIDES 64 /* of an indexed branch; with more, everything is held */

/* Blocks of one function that one side of a branch can reach before it meets the others. */
struct side {
    uint64_t *blocks; /* bit b - first_block */
    struct smrf_regset waits;
    bool returns;
};

struct parting {
    struct smrf_flow_program *p;
    const struct smrf_flow_function *fn;
    uint32_t function, words;
    struct side side[MAX_SIDES];
    unsigned sides;
    uint64_t *store; /* [MAX_SIDES * words] */
    uint32_t *stack;
    uint16_t *active;           /* [num_blocks]: barriers set on every path to a block's end */
    bool *varied;               /* [num_blocks] */
    struct smrf_regset *entry;  /* [num_functions]: held by lanes that wait outside */
    struct smrf_regset *inside; /* [num_functions]: by lanes that wait in it or below */
};

static bool in_(const struct side *s, const struct smrf_flow_function *fn, uint32_t b)
{
    const uint32_t i = b - fn->first_block;
    return (s->blocks[i / 64] >> i % 64 & 1) != 0;
}

/* ---- barriers that are set ------------------------------------------------------------------- */

static uint16_t after_(const struct smrf_flow_program *p, const struct smrf_flow_block *block,
                       uint16_t set)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct smrf_flow_inst *inst = &p->inst[i];
        if (inst->barrier >= BARRIERS) {
            continue;
        }
        const uint16_t bit = (uint16_t)(1u << inst->barrier);
        set = inst->op.flow == SMRF_FLOW_BSSY ? (uint16_t)(set | bit) : (uint16_t)(set & ~bit);
    }
    return set;
}

static void find_active_(const struct parting *a)
{
    const struct smrf_flow_function *fn = a->fn;
    const uint32_t end = fn->first_block + fn->num_blocks;
    memset(a->active + fn->first_block, 0xff, fn->num_blocks * sizeof *a->active);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = fn->first_block; b < end; b++) {
            const struct smrf_flow_block *block = &a->p->block[b];
            uint16_t set = b == fn->first_block || block->num_pred == 0 ? 0 : UINT16_MAX;
            for (uint32_t k = 0; k < block->num_pred; k++) {
                set &= a->active[block->pred[k]];
            }
            set = after_(a->p, block, set);
            changed |= set != a->active[b];
            a->active[b] = set;
        }
    }
}

/* ---- sides ----------------------------------------------------------------------------------- */

static bool meets_at_(const struct smrf_flow_inst *last, unsigned barrier)
{
    return last->role == SMRF_FLOW_MEETS && last->barrier == barrier && !last->conditional;
}

/* Does a block take lanes out of the barrier, or set it anew? */
static bool spoils_(const struct parting *a, const struct smrf_flow_block *block, unsigned barrier)
{
    const struct smrf_flow_inst *last = smrf_flow_last(a->p, block);
    if (last->role == SMRF_FLOW_RETURNS || last->role == SMRF_FLOW_TAIL) {
        return true;
    }
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct smrf_flow_inst *inst = &a->p->inst[i];
        if (inst->barrier == barrier && !meets_at_(inst, barrier)) {
            return true;
        }
    }
    return false;
}

/* Everything from `start` on; barrier BARRIERS: up to the function's ends. False: some lanes do not
 * come to the barrier. */
static bool reach_(const struct parting *a, struct side *s, uint32_t start, unsigned barrier)
{
    const struct smrf_flow_function *fn = a->fn;
    uint32_t depth = 0;
    bool good = true;
    memset(s->blocks, 0, a->words * sizeof *s->blocks);
    s->returns = false;
    a->stack[depth++] = start;
    s->blocks[(start - fn->first_block) / 64] |= UINT64_C(1) << (start - fn->first_block) % 64;
    while (depth != 0) {
        const struct smrf_flow_block *block = &a->p->block[a->stack[--depth]];
        const struct smrf_flow_inst *last = smrf_flow_last(a->p, block);
        s->returns |= last->role == SMRF_FLOW_RETURNS || last->role == SMRF_FLOW_TAIL;
        good = good && (barrier == BARRIERS || !spoils_(a, block, barrier));
        if (barrier != BARRIERS && meets_at_(last, barrier)) {
            continue;
        }
        for (uint32_t k = 0; k < block->num_succ; k++) {
            const uint32_t to = block->succ[k];
            if (!in_(s, fn, to)) {
                const uint32_t i = to - fn->first_block;
                s->blocks[i / 64] |= UINT64_C(1) << i % 64;
                a->stack[depth++] = to;
            }
        }
    }
    return good;
}

/* What lanes hold that wait in a function or in what it calls. */
static void wait_inside_(const struct parting *a, const struct smrf_flow_site *site,
                         struct smrf_regset *waits)
{
    const struct smrf_regset all = smrf_regset_all();
    for (uint32_t i = 0; i < site->num_callees; i++) {
        (void)smrf_regset_unite(waits, &a->inside[site->callee[i]]);
    }
    if (site->unknown) {
        (void)smrf_regset_unite(waits, &all);
    }
}

static void wait_in_block_(const struct parting *a, uint32_t b, struct smrf_regset *waits)
{
    const struct smrf_flow_block *block = &a->p->block[b];
    const struct smrf_flow_inst *last = smrf_flow_last(a->p, block);
    const struct smrf_flow_site *site = smrf_flow_site_of(a->p, block);
    (void)smrf_regset_unite(waits, &block->live_in);
    if (last->role == SMRF_FLOW_MEETS) {
        (void)smrf_regset_unite(waits, &last->live_out);
    }
    if (site != NULL) {
        wait_inside_(a, site, waits);
    }
}

static void find_waits_(const struct parting *a, struct side *s)
{
    s->waits = (struct smrf_regset){{0}};
    for (uint32_t b = a->fn->first_block; b < a->fn->first_block + a->fn->num_blocks; b++) {
        if (in_(s, a->fn, b)) {
            wait_in_block_(a, b, &s->waits);
        }
    }
}

/* The sides of a block's last instruction, up to the nearest place where all of them meet. Returns
 * whether there is such a place. */
static bool find_sides_(struct parting *a, uint32_t b)
{
    const struct smrf_flow_block *block = &a->p->block[b];
    unsigned best = BARRIERS;
    uint32_t smallest = UINT32_MAX;
    a->sides = 0;
    for (uint32_t k = 0; k < block->num_succ && a->sides < MAX_SIDES; k++) {
        a->side[a->sides].blocks = a->store + (size_t)a->sides * a->words;
        a->sides++;
    }
    for (unsigned barrier = 0; barrier <= BARRIERS; barrier++) {
        bool good = barrier < BARRIERS && (a->active[b] >> barrier & 1) != 0;
        uint32_t size = 0;
        for (unsigned k = 0; good && k < a->sides; k++) {
            good = reach_(a, &a->side[k], block->succ[k], barrier);
            for (uint32_t w = 0; w < a->words; w++) {
                for (uint64_t bits = a->side[k].blocks[w]; bits != 0; bits &= bits - 1) {
                    size++;
                }
            }
        }
        if (good && size < smallest) {
            smallest = size;
            best = barrier;
        }
    }
    for (unsigned k = 0; k < a->sides; k++) {
        (void)reach_(a, &a->side[k], block->succ[k], best);
        find_waits_(a, &a->side[k]);
    }
    return best != BARRIERS;
}

/* ---- what follows from one parting ----------------------------------------------------------- */

/* Blocks that only end: nothing is lost where sides come together in one. */
static bool only_ends_(const struct smrf_flow_program *p, const struct smrf_flow_block *block)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct smrf_static_inst *op = &p->inst[i].op;
        if (op->num_src + op->num_dst + op->pred_dst != 0) {
            return false;
        }
    }
    return smrf_flow_last(p, block)->role == SMRF_FLOW_ENDS || block->num_succ == 0;
}

static bool come_together_(const struct parting *a)
{
    for (uint32_t b = a->fn->first_block; b < a->fn->first_block + a->fn->num_blocks; b++) {
        unsigned sides = 0;
        for (unsigned k = 0; k < a->sides; k++) {
            sides += in_(&a->side[k], a->fn, b);
        }
        if (sides > 1 && !only_ends_(a->p, &a->p->block[b])) {
            return true;
        }
    }
    return false;
}

/* Parted lanes write in the blocks of the sides: their values may differ where they meet. */
static bool vary_(struct parting *a)
{
    bool more = false;
    for (uint32_t b = a->fn->first_block; b < a->fn->first_block + a->fn->num_blocks; b++) {
        for (unsigned k = 0; k < a->sides; k++) {
            if (in_(&a->side[k], a->fn, b) && !a->varied[b]) {
                a->varied[b] = more = true;
            }
        }
    }
    return more;
}

/* A call, or a return that not all lanes do: lanes may be inside, behind it, and outside at once.
 */
static bool crosses_functions_(const struct smrf_flow_inst *last)
{
    return last->role != SMRF_FLOW_JUMP;
}

/* Is a call one after which lanes may come back apart? */
static bool comes_back_apart_(const struct smrf_flow_program *p,
                              const struct smrf_flow_block *block)
{
    const struct smrf_flow_site *site = smrf_flow_site_of(p, block);
    for (uint32_t i = 0; site != NULL && i < site->num_callees; i++) {
        if (p->function[site->callee[i]].parts) {
            return true;
        }
    }
    return site != NULL && site->unknown;
}

static bool parts_here_(const struct smrf_flow_program *p, const struct smrf_flow_block *block)
{
    return smrf_flow_last(p, block)->divergent || comes_back_apart_(p, block);
}

/* A pair of sides can leave the function apart: one returns while another is still in it. */
static bool returns_apart_(const struct parting *a, const struct smrf_flow_inst *last)
{
    static const struct smrf_regset none;
    if (last->role == SMRF_FLOW_RETURNS || last->role == SMRF_FLOW_TAIL) {
        return true;
    }
    for (unsigned k = 0; k < a->sides; k++) {
        for (unsigned other = 0; a->side[k].returns && other < a->sides; other++) {
            const bool self = other == k && !crosses_functions_(last);
            if (!self &&
                (a->side[other].returns || !smrf_regset_same(&a->side[other].waits, &none))) {
                return true;
            }
        }
    }
    return false;
}

static void hold_(struct parting *a, uint32_t b)
{
    const struct smrf_flow_block *block = &a->p->block[b];
    const struct smrf_flow_inst *last = smrf_flow_last(a->p, block);
    const bool crosses = crosses_functions_(last);
    struct smrf_regset outside = {{0}};
    if (crosses && smrf_flow_site_of(a->p, block) != NULL) {
        wait_inside_(a, smrf_flow_site_of(a->p, block), &outside);
    }
    for (unsigned k = 0; k < a->sides; k++) {
        if (crosses) {
            (void)smrf_regset_unite(&outside, &a->side[k].waits);
        }
    }
    for (uint32_t to = a->fn->first_block; to < a->fn->first_block + a->fn->num_blocks; to++) {
        struct smrf_flow_block *held = &a->p->block[to];
        for (unsigned k = 0; k < a->sides; k++) {
            if (!in_(&a->side[k], a->fn, to)) {
                continue;
            }
            for (unsigned other = 0; other < a->sides; other++) {
                if (other != k) {
                    (void)smrf_regset_unite(&held->held, &a->side[other].waits);
                }
            }
            (void)smrf_regset_unite(&held->held, &outside);
        }
    }
    (void)smrf_regset_unite(&a->p->block[b].held, &outside);
    if (block->num_succ > MAX_SIDES) {
        a->entry[a->function] = smrf_regset_all();
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void choose_(struct parting *a, uint32_t f)
{
    a->function = f;
    a->fn = &a->p->function[f];
    a->words = (a->fn->num_blocks + 63) / 64;
}

/* What follows from the branches of a function that part lanes: where values may vary, and whether
 * it can return lanes apart. Returns whether there is anything new. */
static bool settle_(struct parting *a)
{
    struct smrf_flow_program *p = a->p;
    struct smrf_flow_function *fn = &p->function[a->function];
    bool changed = fn->unknown_jump && !fn->parts;
    fn->parts |= fn->unknown_jump;
    for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
        if (!parts_here_(p, &p->block[b])) {
            continue;
        }
        const bool meet = find_sides_(a, b);
        if (meet || crosses_functions_(smrf_flow_last(p, &p->block[b])) || come_together_(a)) {
            changed |= vary_(a);
        }
        if (!meet && !fn->parts && returns_apart_(a, smrf_flow_last(p, &p->block[b]))) {
            fn->parts = changed = true;
        }
    }
    return changed;
}

static void gather_inside_(struct parting *a)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = 0; f < a->p->num_functions; f++) {
            const struct smrf_flow_function *fn = &a->p->function[f];
            for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
                struct smrf_regset waits = {{0}};
                wait_in_block_(a, b, &waits);
                changed |= smrf_regset_unite(&a->inside[f], &waits);
            }
        }
    }
}

/* Lanes that wait outside of a function wait while any of its blocks runs. */
static void descend_(struct parting *a)
{
    const struct smrf_regset all = smrf_regset_all();
    struct smrf_flow_program *p = a->p;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        if (p->function[f].unknown_jump) {
            a->entry[f] = all;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < p->num_sites; s++) {
            const struct smrf_flow_site *site = &p->site[s];
            const struct smrf_flow_block *block = &p->block[p->inst[site->inst].block];
            struct smrf_regset held = a->entry[site->caller];
            (void)smrf_regset_unite(&held, &block->held);
            for (uint32_t k = 0; k < site->num_callees; k++) {
                changed |= smrf_regset_unite(&a->entry[site->callee[k]], &held);
            }
            for (uint32_t f = 1; site->unknown && f < p->num_functions; f++) {
                changed |= smrf_regset_unite(&a->entry[f], &all);
            }
        }
    }
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        struct smrf_flow_block *block = &p->block[b];
        (void)smrf_regset_unite(&block->held, &a->entry[block->function]);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            struct smrf_regset live = p->inst[i].live_out;
            if (!p->inst[i].conditional) {
                smrf_regset_subtract(&live, &p->inst[i].writes);
            }
            (void)smrf_regset_unite(&live, &block->held);
            p->inst[i].release_src = smrf_flow_final(&p->inst[i], &live);
        }
    }
}

static int run_(struct parting *a)
{
    struct smrf_flow_program *p = a->p;
    gather_inside_(a);
    for (uint32_t f = 0; f < p->num_functions; f++) {
        choose_(a, f);
        if (a->fn->num_blocks != 0) {
            find_active_(a);
        }
    }
    struct smrf_flow_uniform uniform;
    const int rc = smrf_flow_uniform_begin(&uniform, p, a->varied);
    for (bool changed = rc == 0; changed;) {
        changed = smrf_flow_uniform_run(&uniform);
        for (uint32_t f = p->num_functions; f-- > 0;) {
            choose_(a, f);
            changed |= a->fn->num_blocks != 0 && settle_(a);
        }
    }
    smrf_flow_uniform_end(&uniform);
    if (rc != 0) {
        return rc;
    }
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        if (parts_here_(p, &p->block[b])) {
            choose_(a, p->block[b].function);
            (void)find_sides_(a, b);
            hold_(a, b);
        }
    }
    descend_(a);
    return 0;
}

int smrf_flow_divergence(struct smrf_flow_program *p)
{
    const size_t blocks = p->num_blocks + (size_t)1;
    uint32_t most = 0;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        most = p->function[f].num_blocks > most ? p->function[f].num_blocks : most;
    }
    struct parting a = {
        .p = p,
        .store = calloc((most + (size_t)63) / 64 * MAX_SIDES + 1, sizeof *a.store),
        .stack = calloc(most + (size_t)1, sizeof *a.stack),
        .active = calloc(blocks, sizeof *a.active),
        .varied = calloc(blocks, sizeof *a.varied),
        .entry = calloc(p->num_functions, sizeof *a.entry),
        .inside = calloc(p->num_functions, sizeof *a.inside),
    };
    const bool memory = a.store != NULL && a.stack != NULL && a.active != NULL &&
                        a.varied != NULL && a.entry != NULL && a.inside != NULL;
    const int rc = memory ? run_(&a) : SMRF_ERR_NOMEM;
    free(a.store);
    free(a.stack);
    free(a.active);
    free(a.varied);
    free(a.entry);
    free(a.inside);
    return rc;
}
