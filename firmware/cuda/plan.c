/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that are ready to run: their work in one order, graphs within graphs laid out flat. */
#include "graph.h"

#include <stdlib.h>

struct item {
    struct smrf_cuda_node *node; /* that it comes from */
    struct smrf_cuda_work work;
    bool off;
};

struct smrf_cuda_plan {
    struct smrf_cuda_link link;
    struct item *item;
    size_t num, room;
};

enum { /* cudaGraphExecUpdateResult */
       UPDATED = 0,
       UPDATE_FAILED = 1,
       UPDATE_FORM = 2,
       UPDATE_KIND = 3
};

static struct smrf_cuda_link *plans_;

static bool is_plan_(const struct smrf_cuda_plan *plan)
{
    return *smrf_cuda_link_find(&plans_, plan) != NULL;
}

static void empty_(struct smrf_cuda_plan *plan)
{
    for (size_t i = 0; i < plan->num; i++) {
        smrf_cuda_work_free(&plan->item[i].work);
    }
    free(plan->item);
    *plan = (struct smrf_cuda_plan){.link = plan->link};
}

static int add_(void *ctx, struct smrf_cuda_node *node)
{
    struct smrf_cuda_plan *plan = ctx;
    const struct smrf_cuda_work *work = smrf_cuda_node_work(node);
    if (work->kind == SMRF_WORK_GRAPH) {
        return smrf_cuda_graph_walk(work->graph, add_, plan);
    }
    if (plan->num == plan->room) {
        const size_t room = plan->room != 0 ? 2 * plan->room : 16;
        struct item *item = realloc(plan->item, room * sizeof *item);
        if (item == NULL) {
            return CUDA_NO_MEMORY;
        }
        plan->item = item;
        plan->room = room;
    }
    plan->item[plan->num] = (struct item){.node = node};
    const int rc = smrf_cuda_work_copy(&plan->item[plan->num].work, work);
    plan->num += rc == CUDA_OK;
    return rc;
}

int smrf_cuda_plan_make(struct smrf_cuda_plan **plan, struct smrf_cuda_graph *graph)
{
    struct smrf_cuda_plan *p = plan != NULL ? calloc(1, sizeof *p) : NULL;
    if (p == NULL) {
        return plan != NULL ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE;
    }
    const int rc = smrf_cuda_graph_walk(graph, add_, p);
    if (rc != CUDA_OK) {
        empty_(p);
        free(p);
        return rc;
    }
    smrf_cuda_link_add(&plans_, &p->link);
    *plan = p;
    return CUDA_OK;
}

int smrf_cuda_plan_destroy(struct smrf_cuda_plan *plan)
{
    if (!smrf_cuda_link_remove(&plans_, plan)) {
        return CUDA_INVALID_VALUE;
    }
    empty_(plan);
    free(plan);
    return CUDA_OK;
}

static int replace_(struct item *item, const struct smrf_cuda_work *work)
{
    struct smrf_cuda_work copy;
    const int rc = smrf_cuda_work_copy(&copy, work);
    if (rc == CUDA_OK) {
        smrf_cuda_work_free(&item->work);
        item->work = copy;
    }
    return rc;
}

static struct item *item_(struct smrf_cuda_plan *plan, const struct smrf_cuda_node *node)
{
    for (size_t i = 0; is_plan_(plan) && i < plan->num; i++) {
        if (plan->item[i].node == node) {
            return &plan->item[i];
        }
    }
    return NULL;
}

int smrf_cuda_plan_set(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                       const struct smrf_cuda_work *work)
{
    struct item *item = item_(plan, node);
    return item != NULL && item->work.kind == work->kind ? replace_(item, work)
                                                         : (int)CUDA_INVALID_VALUE;
}

/* Items of `from` stand for those of `plan` whose nodes `was` has, in the same order. */
static int set_items_(struct smrf_cuda_plan *plan, const struct smrf_cuda_plan *was,
                      const struct smrf_cuda_plan *from)
{
    int rc = was->num == from->num ? CUDA_OK : (int)CUDA_INVALID_VALUE;
    for (size_t i = 0; rc == CUDA_OK && i < was->num; i++) {
        const struct item *item = item_(plan, was->item[i].node);
        rc = item != NULL && item->work.kind == from->item[i].work.kind ? CUDA_OK
                                                                        : (int)CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; rc == CUDA_OK && i < was->num; i++) {
        rc = replace_(item_(plan, was->item[i].node), &from->item[i].work);
    }
    return rc;
}

int smrf_cuda_plan_set_graph(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node,
                             struct smrf_cuda_graph *graph)
{
    struct smrf_cuda_plan was = {0}, from = {0};
    const struct smrf_cuda_work *work = is_plan_(plan) ? smrf_cuda_node_work(node) : NULL;
    int rc = work != NULL && work->kind == SMRF_WORK_GRAPH ? CUDA_OK : (int)CUDA_INVALID_VALUE;
    rc = rc == CUDA_OK ? smrf_cuda_graph_walk(work->graph, add_, &was) : rc;
    rc = rc == CUDA_OK ? smrf_cuda_graph_walk(graph, add_, &from) : rc;
    rc = rc == CUDA_OK ? set_items_(plan, &was, &from) : rc;
    empty_(&was);
    empty_(&from);
    return rc;
}

int smrf_cuda_plan_enabled(struct smrf_cuda_plan *plan, struct smrf_cuda_node *node, bool *enabled,
                           bool set)
{
    struct item *item = item_(plan, node);
    if (item == NULL || item->work.kind > SMRF_WORK_FILL) {
        return CUDA_INVALID_VALUE;
    }
    item->off = set ? !*enabled : item->off;
    *enabled = !item->off;
    return CUDA_OK;
}

int smrf_cuda_plan_update(struct smrf_cuda_plan *plan, struct smrf_cuda_graph *graph,
                          struct smrf_cuda_node **differs, int *result)
{
    struct smrf_cuda_plan other = {0};
    *differs = NULL;
    *result = UPDATE_FAILED;
    int rc = is_plan_(plan) ? smrf_cuda_graph_walk(graph, add_, &other) : (int)CUDA_INVALID_VALUE;
    if (rc == CUDA_OK && other.num != plan->num) {
        *result = UPDATE_FORM;
        rc = CUDA_UPDATE_FAILED;
    }
    for (size_t i = 0; rc == CUDA_OK && i < plan->num; i++) {
        if (plan->item[i].work.kind != other.item[i].work.kind) {
            *differs = other.item[i].node;
            *result = UPDATE_KIND;
            rc = CUDA_UPDATE_FAILED;
        }
    }
    for (size_t i = 0; rc == CUDA_OK && i < plan->num; i++) {
        const struct smrf_cuda_work work = plan->item[i].work;
        plan->item[i].work = other.item[i].work;
        other.item[i].work = work;
    }
    empty_(&other);
    *result = rc == CUDA_OK ? (int)UPDATED : *result;
    return rc;
}

int smrf_cuda_plan_run(struct smrf_cuda_plan *plan, void *stream)
{
    struct smrf_cuda_stream *s;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_stream_find(stream, &s) : rc;
    rc = rc == CUDA_OK && !is_plan_(plan) ? (int)CUDA_INVALID_VALUE : rc;
    const bool captured = rc == CUDA_OK && smrf_cuda_capturing(s);
    for (size_t i = 0; captured && rc == CUDA_OK && i < plan->num; i++) {
        rc = plan->item[i].off ? CUDA_OK : smrf_cuda_capture_work(s, &plan->item[i].work);
    }
    (void)smrf_cuda_leave(rc);
    for (size_t i = 0; !captured && rc == CUDA_OK && i < plan->num; i++) {
        rc = plan->item[i].off ? CUDA_OK : smrf_cuda_work_run(&plan->item[i].work);
    }
    return rc;
}
