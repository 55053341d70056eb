/* SPDX-License-Identifier: Apache-2.0 */
/* The control-flow graph of every function: blocks, edges, reverse postorder, dominators (Cooper,
 * Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"). */
#include "firmware/flow/internal.h"

#include <stdlib.h>

struct edges {
    uint32_t (*item)[2]; /* from, to: blocks */
    size_t num, room;
};

static bool ends_block_(const struct smrf_flow_inst *inst)
{
    return inst->role != SMRF_FLOW_STEP;
}

static bool is_branch_target_(const struct smrf_operand_edge *e)
{
    return e->kind == SMRF_EDGE_BRANCH;
}

static void mark_(const struct smrf_flow_program *p, const struct smrf_operand_table *t,
                  bool *leader)
{
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
            const struct smrf_flow_inst *inst = &p->inst[i];
            leader[i] |= i == fn->first || ends_block_(inst - (i != fn->first));
            if (inst->role == SMRF_FLOW_JUMP && inst->target != SMRF_FLOW_NOWHERE) {
                leader[inst->target] = true;
            }
        }
    }
    for (uint32_t e = 0; e < t->num_edges; e++) {
        const uint32_t to = smrf_flow_at(p, t->edge[e].to);
        if (is_branch_target_(&t->edge[e]) && to != SMRF_FLOW_NOWHERE) {
            leader[to] = true;
        }
    }
}

static int cut_(struct smrf_flow_program *p, const bool *leader)
{
    uint32_t num = 0;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        num += leader[i];
    }
    p->block = smrf_flow_alloc(p, num, sizeof *p->block);
    if (p->block == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t f = 0; f < p->num_functions; f++) {
        struct smrf_flow_function *fn = &p->function[f];
        fn->first_block = p->num_blocks;
        for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
            if (leader[i]) {
                p->block[p->num_blocks++] = (struct smrf_flow_block){.function = f,
                                                                     .first = i,
                                                                     .order = SMRF_FLOW_NOWHERE,
                                                                     .idom = SMRF_FLOW_NOWHERE};
            }
            p->block[p->num_blocks - 1].count++;
            p->inst[i].block = p->num_blocks - 1;
        }
        fn->num_blocks = p->num_blocks - fn->first_block;
    }
    return 0;
}

static int add_(struct edges *e, uint32_t from, uint32_t to)
{
    if (e->num > 0 && e->item[e->num - 1][0] == from && e->item[e->num - 1][1] == to) {
        return 0;
    }
    if (e->num == e->room) {
        e->room = 2 * e->room + 64;
        uint32_t(*grown)[2] = realloc(e->item, e->room * sizeof *grown);
        if (grown == NULL) {
            return SMRF_ERR_NOMEM;
        }
        e->item = grown;
    }
    e->item[e->num][0] = from;
    e->item[e->num++][1] = to;
    return 0;
}

/* A return from calls inside the function leads behind each of them. One of a function that is
 * itself called leads to its callers as well: not known here. */
static int add_returns_(struct smrf_flow_program *p, const struct smrf_operand_table *t, uint32_t b,
                        struct edges *edges)
{
    struct smrf_flow_function *fn = &p->function[p->block[b].function];
    int rc = 0;
    for (uint32_t i = fn->first; rc == 0 && i + 1 < fn->first + fn->count; i++) {
        if (smrf_flow_comes_back(&t->row[i], &p->inst[i])) {
            rc = add_(edges, b, p->inst[i + 1].block);
        }
    }
    fn->unknown_jump |= fn->kind != SMRF_CODE_KERNEL;
    return rc;
}

/* Targets of an indexed branch. */
static int add_targets_(struct smrf_flow_program *p, const struct smrf_operand_table *t, uint32_t b,
                        struct edges *edges)
{
    const struct smrf_flow_inst *last = smrf_flow_last(p, &p->block[b]);
    struct smrf_flow_function *fn = &p->function[p->block[b].function];
    uint32_t found = 0;
    int rc = 0;
    for (uint32_t e = 0; rc == 0 && e < t->num_edges; e++) {
        if (!is_branch_target_(&t->edge[e]) || t->edge[e].from != last->op.pc) {
            continue;
        }
        const uint32_t to = smrf_flow_at(p, t->edge[e].to);
        if (to == SMRF_FLOW_NOWHERE || to - fn->first >= fn->count) {
            fn->unknown_jump = true;
            continue;
        }
        rc = add_(edges, b, p->inst[to].block);
        found++;
    }
    fn->unknown_jump |= found == 0;
    return rc;
}

static int add_successors_(struct smrf_flow_program *p, const struct smrf_operand_table *t,
                           uint32_t b, struct edges *edges)
{
    const struct smrf_flow_block *block = &p->block[b];
    const struct smrf_flow_function *fn = &p->function[block->function];
    const struct smrf_flow_inst *last = smrf_flow_last(p, block);
    const bool leaves = last->role == SMRF_FLOW_JUMP || last->role == SMRF_FLOW_TAIL ||
                        last->role == SMRF_FLOW_RETURNS || last->role == SMRF_FLOW_ENDS;
    int rc = 0;
    if ((!leaves || last->conditional) && b + 1 < fn->first_block + fn->num_blocks) {
        rc = add_(edges, b, b + 1);
    }
    if (rc == 0 && last->role == SMRF_FLOW_JUMP) {
        rc = last->op.flow == SMRF_FLOW_RET ? add_returns_(p, t, b, edges)
             : last->indirect               ? add_targets_(p, t, b, edges)
                                            : add_(edges, b, p->inst[last->target].block);
    }
    return rc;
}

/* Edges stand in the order of their sources. */
static int link_(struct smrf_flow_program *p, const struct edges *e)
{
    uint32_t *succ = smrf_flow_alloc(p, e->num, sizeof *succ);
    uint32_t *pred = smrf_flow_alloc(p, e->num, sizeof *pred), *place = pred;
    if (succ == NULL || pred == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (size_t i = 0; i < e->num; i++) {
        struct smrf_flow_block *from = &p->block[e->item[i][0]];
        if (from->num_succ++ == 0) {
            from->succ = succ + i;
        }
        succ[i] = e->item[i][1];
        p->block[succ[i]].num_pred++;
    }
    for (uint32_t b = 0; b < p->num_blocks; b++) {
        p->block[b].pred = place;
        place += p->block[b].num_pred;
        p->block[b].num_pred = 0;
    }
    for (size_t i = 0; i < e->num; i++) {
        struct smrf_flow_block *to = &p->block[e->item[i][1]];
        pred[to->pred - pred + to->num_pred++] = e->item[i][0];
    }
    return 0;
}

/* ---- order and dominators -------------------------------------------------------------------- */

struct walk {
    uint32_t *stack, *next; /* [num_blocks] */
    uint32_t *sorted;       /* blocks in reverse postorder, a function's from its first_block on */
};

static uint32_t order_(struct smrf_flow_program *p, const struct smrf_flow_function *fn,
                       struct walk *w)
{
    uint32_t depth = 0, left = fn->num_blocks;
    w->stack[depth++] = fn->first_block;
    p->block[fn->first_block].order = 0;
    while (depth != 0) {
        const uint32_t b = w->stack[depth - 1];
        if (w->next[b] < p->block[b].num_succ) {
            const uint32_t to = p->block[b].succ[w->next[b]++];
            if (p->block[to].order == SMRF_FLOW_NOWHERE) {
                p->block[to].order = 0;
                w->stack[depth++] = to;
            }
            continue;
        }
        depth--;
        w->sorted[fn->first_block + --left] = b;
    }
    const uint32_t reached = fn->num_blocks - left;
    for (uint32_t i = 0; i < reached; i++) {
        w->sorted[fn->first_block + i] = w->sorted[fn->first_block + left + i];
        p->block[w->sorted[fn->first_block + i]].order = i;
    }
    return reached;
}

static uint32_t common_(const struct smrf_flow_program *p, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (p->block[a].order > p->block[b].order) {
            a = p->block[a].idom;
        } else {
            b = p->block[b].idom;
        }
    }
    return a;
}

static void dominators_(struct smrf_flow_program *p, const uint32_t *sorted, uint32_t reached)
{
    bool changed = true;
    p->block[sorted[0]].idom = sorted[0]; /* until all is done */
    while (changed) {
        changed = false;
        for (uint32_t i = 1; i < reached; i++) {
            struct smrf_flow_block *b = &p->block[sorted[i]];
            uint32_t idom = SMRF_FLOW_NOWHERE;
            for (uint32_t k = 0; k < b->num_pred; k++) {
                const uint32_t from = b->pred[k];
                if (p->block[from].idom != SMRF_FLOW_NOWHERE) {
                    idom = idom == SMRF_FLOW_NOWHERE ? from : common_(p, idom, from);
                }
            }
            changed |= b->idom != idom;
            b->idom = idom;
        }
    }
    p->block[sorted[0]].idom = SMRF_FLOW_NOWHERE;
}

static int sort_(struct smrf_flow_program *p)
{
    const size_t n = p->num_blocks;
    uint32_t *all = calloc(3 * n + 1, sizeof *all);
    if (all == NULL) {
        return SMRF_ERR_NOMEM;
    }
    struct walk w = {.stack = all, .next = all + n, .sorted = all + 2 * n};
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        if (fn->num_blocks != 0) {
            const uint32_t reached = order_(p, fn, &w);
            dominators_(p, w.sorted + fn->first_block, reached);
        }
    }
    free(all);
    return 0;
}

bool smrf_flow_dominates(const struct smrf_flow_program *p, uint32_t a, uint32_t b)
{
    while (b != SMRF_FLOW_NOWHERE && b != a) {
        b = p->block[b].idom;
    }
    return b == a && p->block[a].order != SMRF_FLOW_NOWHERE;
}

int smrf_flow_blocks(struct smrf_flow_program *p, const struct smrf_operand_table *t)
{
    struct edges edges = {0};
    bool *leader = calloc(p->num_insts + (size_t)1, sizeof *leader);
    if (leader == NULL) {
        return SMRF_ERR_NOMEM;
    }
    mark_(p, t, leader);
    int rc = cut_(p, leader);
    for (uint32_t b = 0; rc == 0 && b < p->num_blocks; b++) {
        rc = add_successors_(p, t, b, &edges);
    }
    rc = rc == 0 ? link_(p, &edges) : rc;
    rc = rc == 0 ? sort_(p) : rc;
    free(edges.item);
    free(leader);
    return rc;
}
