/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls whom: the sites, the graph of functions, recursion and depth. */
#include "firmware/flow/internal.h"

#include <stdlib.h>

static uint32_t function_at_(const struct smrf_flow_program *p, uint32_t pc)
{
    uint32_t low = 0, high = p->num_functions; /* the last that begins at or before pc */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->function[middle].pc <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/* A jump that leaves its function is a call that does not come back. */
static void find_tails_(struct smrf_flow_program *p)
{
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        for (uint32_t i = fn->first; i < fn->first + fn->count; i++) {
            struct smrf_flow_inst *inst = &p->inst[i];
            if (inst->role == SMRF_FLOW_JUMP && inst->target != SMRF_FLOW_NOWHERE &&
                inst->target - fn->first >= fn->count) {
                inst->role = SMRF_FLOW_TAIL;
            }
        }
    }
}

static uint32_t target_pc_(const struct smrf_operands *row)
{
    for (unsigned i = 0; i < row->num; i++) {
        if (row->operand[i].kind == SMRF_OPERAND_INT) {
            return (uint32_t)row->operand[i].imm;
        }
    }
    return SMRF_FLOW_NOWHERE;
}

/* Callees of an indirect site: all of its function's; list: room for every edge. */
static uint32_t indirect_(const struct smrf_flow_program *p, const struct smrf_operand_table *t,
                          uint32_t caller, uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < t->num_edges; e++) {
        const struct smrf_operand_edge *edge = &t->edge[e];
        const uint32_t to = function_at_(p, edge->to);
        if (edge->kind == SMRF_EDGE_INDIRECT && edge->from == p->function[caller].pc &&
            p->function[to].pc == edge->to) {
            list[n++] = to;
        }
    }
    return n;
}

static int site_(struct smrf_flow_program *p, const struct smrf_operand_table *t, uint32_t caller,
                 uint32_t i, uint32_t *list)
{
    const struct smrf_flow_inst *inst = &p->inst[i];
    struct smrf_flow_site *site = &p->site[p->num_sites++];
    *site = (struct smrf_flow_site){.inst = i, .caller = caller};
    if (inst->indirect) {
        site->num_callees = indirect_(p, t, caller, list);
    } else {
        const uint32_t pc = target_pc_(&t->row[i]);
        list[0] = function_at_(p, pc);
        site->num_callees = p->function[list[0]].pc == pc ? 1 : 0;
    }
    site->unknown = site->num_callees == 0;
    uint32_t *callee = smrf_flow_alloc(p, site->num_callees, sizeof *callee);
    if (callee == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t k = 0; k < site->num_callees; k++) {
        callee[k] = list[k];
    }
    site->callee = callee;
    return 0;
}

static int sites_(struct smrf_flow_program *p, const struct smrf_operand_table *t)
{
    uint32_t num = 0;
    for (uint32_t i = 0; i < p->num_insts; i++) {
        num += p->inst[i].role == SMRF_FLOW_CALLS || p->inst[i].role == SMRF_FLOW_TAIL;
    }
    p->site = smrf_flow_alloc(p, num, sizeof *p->site);
    uint32_t *list = malloc((t->num_edges + (size_t)1) * sizeof *list);
    int rc = p->site != NULL && list != NULL ? 0 : SMRF_ERR_NOMEM;
    for (uint32_t f = 0; f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        for (uint32_t i = fn->first; rc == 0 && i < fn->first + fn->count; i++) {
            if (p->inst[i].role == SMRF_FLOW_CALLS || p->inst[i].role == SMRF_FLOW_TAIL) {
                rc = site_(p, t, f, i, list);
            }
        }
    }
    free(list);
    return rc;
}

struct pair {
    uint32_t from, to;
};

static int by_both_(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return x->to < y->to ? -1 : x->to > y->to;
}

/* The lists of one direction from sorted pairs. */
static int lists_(struct smrf_flow_program *p, struct pair *pair, uint32_t num, bool callers)
{
    qsort(pair, num, sizeof *pair, by_both_);
    uint32_t *list = smrf_flow_alloc(p, num, sizeof *list);
    if (list == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < num; i++) {
        struct smrf_flow_function *f = &p->function[pair[i].from];
        uint32_t *count = callers ? &f->num_callers : &f->num_callees;
        const uint32_t **first = callers ? &f->caller : &f->callee;
        if (i > 0 && by_both_(&pair[i - 1], &pair[i]) == 0) {
            continue;
        }
        if (*count == 0) {
            *first = list;
        }
        *list++ = pair[i].to;
        (*count)++;
    }
    return 0;
}

static int graph_(struct smrf_flow_program *p, const struct smrf_operand_table *t)
{
    size_t room = t->num_edges;
    uint32_t num = 0;
    for (uint32_t s = 0; s < p->num_sites; s++) {
        room += p->site[s].num_callees;
    }
    struct pair *pair = malloc((room + 1) * sizeof *pair);
    if (pair == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (uint32_t s = 0; s < p->num_sites; s++) {
        for (uint32_t k = 0; k < p->site[s].num_callees; k++) {
            pair[num++] = (struct pair){p->site[s].caller, p->site[s].callee[k]};
        }
    }
    for (uint32_t e = 0; e < t->num_edges; e++) {
        const uint32_t from = function_at_(p, t->edge[e].from), to = function_at_(p, t->edge[e].to);
        if (t->edge[e].kind != SMRF_EDGE_BRANCH && p->function[from].pc == t->edge[e].from &&
            p->function[to].pc == t->edge[e].to) {
            pair[num++] = (struct pair){from, to};
        }
    }
    int rc = lists_(p, pair, num, false);
    for (uint32_t i = 0; i < num; i++) {
        pair[i] = (struct pair){pair[i].to, pair[i].from};
    }
    rc = rc == 0 ? lists_(p, pair, num, true) : rc;
    free(pair);
    return rc;
}

int smrf_flow_calls(struct smrf_flow_program *p, const struct smrf_operand_table *t)
{
    find_tails_(p);
    const int rc = sites_(p, t);
    return rc == 0 ? graph_(p, t) : rc;
}

/* ---- recursion and depth --------------------------------------------------------------------- */

/* Tarjan's components, callees before callers. */
struct components {
    uint32_t *number, *low, *of, *next_callee; /* [functions]; of: component, number 0 = new */
    uint32_t *open, *path;                     /* stacks */
    uint32_t num_open, depth, count, numbered;
};

static void enter_(struct components *c, uint32_t f)
{
    c->number[f] = c->low[f] = ++c->numbered;
    c->open[c->num_open++] = f;
    c->path[c->depth++] = f;
}

static void leave_(struct components *c, uint32_t f)
{
    if (c->low[f] == c->number[f]) {
        uint32_t member;
        do {
            member = c->open[--c->num_open];
            c->of[member] = c->count;
        } while (member != f);
        c->count++;
    }
    if (--c->depth != 0) {
        const uint32_t above = c->path[c->depth - 1];
        c->low[above] = c->low[f] < c->low[above] ? c->low[f] : c->low[above];
    }
}

static void find_components_(const struct smrf_flow_program *p, struct components *c)
{
    for (uint32_t root = 0; root < p->num_functions; root++) {
        if (c->number[root] != 0) {
            continue;
        }
        enter_(c, root);
        while (c->depth != 0) {
            const uint32_t f = c->path[c->depth - 1];
            if (c->next_callee[f] == p->function[f].num_callees) {
                leave_(c, f);
                continue;
            }
            const uint32_t to = p->function[f].callee[c->next_callee[f]++];
            if (c->number[to] == 0) {
                enter_(c, to);
            } else if (c->of[to] == SMRF_FLOW_NOWHERE && c->number[to] < c->low[f]) {
                c->low[f] = c->number[to];
            }
        }
    }
}

/* Longest paths over the components, each function of one counted once. */
static void measure_(struct smrf_flow_program *p, const struct components *c, uint32_t *depth,
                     uint32_t *stack)
{
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t members = 0, saved = 0, below = 0, below_stack = 0;
        for (uint32_t f = 0; f < p->num_functions; f++) {
            struct smrf_flow_function *fn = &p->function[f];
            if (c->of[f] != k) {
                continue;
            }
            members++;
            saved += smrf_regset_count(&fn->saved);
            for (uint32_t i = 0; i < fn->num_callees; i++) {
                const uint32_t to = c->of[fn->callee[i]];
                fn->recursive |= to == k;
                if (to != k && depth[to] > below) {
                    below = depth[to];
                }
                if (to != k && stack[to] > below_stack) {
                    below_stack = stack[to];
                }
            }
        }
        depth[k] = below + members;
        stack[k] = below_stack + saved;
        for (uint32_t f = 0; f < p->num_functions; f++) {
            if (c->of[f] == k) {
                p->function[f].recursive |= members > 1;
                p->function[f].depth = depth[k] - 1;
                p->function[f].stack_registers = stack[k];
            }
        }
    }
}

int smrf_flow_depth(struct smrf_flow_program *p)
{
    const size_t n = p->num_functions;
    uint32_t *all = calloc(8 * n, sizeof *all);
    if (all == NULL) {
        return SMRF_ERR_NOMEM;
    }
    struct components c = {.number = all,
                           .low = all + n,
                           .of = all + 2 * n,
                           .next_callee = all + 3 * n,
                           .open = all + 4 * n,
                           .path = all + 5 * n};
    for (size_t f = 0; f < n; f++) {
        c.of[f] = SMRF_FLOW_NOWHERE;
    }
    find_components_(p, &c);
    measure_(p, &c, all + 6 * n, all + 7 * n);
    free(all);
    return 0;
}
