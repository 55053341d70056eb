/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

struct smrf_cuda_node {
    struct smrf_cuda_node *next; /* in the order in which they were added */
    struct smrf_cuda_graph *graph;
    struct smrf_cuda_work work;
    struct smrf_cuda_node **after;
    size_t num_after;
    struct smrf_cuda_node *twin;         /* while its graph is copied */
    const struct smrf_cuda_node *origin; /* that it is a copy of */
    bool marked;
};

struct smrf_cuda_graph {
    struct smrf_cuda_link link;
    struct smrf_cuda_node *nodes;
};

static struct smrf_cuda_link *graphs_;

static bool is_graph_(const struct smrf_cuda_graph *graph)
{
    return *smrf_cuda_link_find(&graphs_, graph) != NULL;
}

static bool has_(const struct smrf_cuda_graph *graph, const struct smrf_cuda_node *node)
{
    const struct smrf_cuda_node *n = graph->nodes;
    while (n != NULL && n != node) {
        n = n->next;
    }
    return n != NULL;
}

static bool is_node_(const struct smrf_cuda_node *node)
{
    for (const struct smrf_cuda_link *g = graphs_; g != NULL; g = g->next) {
        if (has_((const struct smrf_cuda_graph *)(const void *)g, node)) {
            return node != NULL;
        }
    }
    return false;
}

static void mark_(struct smrf_cuda_graph *graph, bool marked)
{
    for (struct smrf_cuda_node *n = graph->nodes; n != NULL; n = n->next) {
        n->marked = marked;
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

static void free_node_(struct smrf_cuda_node *node)
{
    smrf_cuda_work_free(&node->work);
    free(node->after);
    free(node);
}

int smrf_cuda_graph_create(struct smrf_cuda_graph **graph)
{
    struct smrf_cuda_graph *g = graph != NULL ? calloc(1, sizeof *g) : NULL;
    if (g == NULL) {
        return graph != NULL ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE;
    }
    smrf_cuda_link_add(&graphs_, &g->link);
    *graph = g;
    return CUDA_OK;
}

int smrf_cuda_graph_destroy(struct smrf_cuda_graph *graph)
{
    if (!smrf_cuda_link_remove(&graphs_, graph)) {
        return CUDA_INVALID_VALUE;
    }
    while (graph->nodes != NULL) {
        struct smrf_cuda_node *gone = graph->nodes;
        graph->nodes = gone->next;
        free_node_(gone);
    }
    free(graph);
    return CUDA_OK;
}

static bool waits_for_(const struct smrf_cuda_node *node, const struct smrf_cuda_node *other)
{
    for (size_t i = 0; i < node->num_after; i++) {
        if (node->after[i] == other) {
            return true;
        }
    }
    return false;
}

static int wait_for_(struct smrf_cuda_node *node, struct smrf_cuda_node *other)
{
    if (waits_for_(node, other)) {
        return CUDA_OK;
    }
    struct smrf_cuda_node **after =
        realloc(node->after, (node->num_after + 1) * sizeof(struct smrf_cuda_node *));
    if (after == NULL) {
        return CUDA_NO_MEMORY;
    }
    node->after = after;
    node->after[node->num_after++] = other;
    return CUDA_OK;
}

static void wait_no_more_(struct smrf_cuda_node *node, const struct smrf_cuda_node *other)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->num_after; i++) {
        if (node->after[i] != other) {
            node->after[kept++] = node->after[i];
        }
    }
    node->num_after = kept;
}

int smrf_cuda_graph_add(struct smrf_cuda_graph *graph, struct smrf_cuda_node **node,
                        struct smrf_cuda_node *const *after, size_t num,
                        const struct smrf_cuda_work *work)
{
    if (!is_graph_(graph) || (num != 0 && after == NULL)) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_node *n = calloc(1, sizeof *n);
    if (n == NULL) {
        return CUDA_NO_MEMORY;
    }
    n->graph = graph;
    int rc = smrf_cuda_work_copy(&n->work, work);
    for (size_t i = 0; i < num && rc == CUDA_OK; i++) {
        rc = has_(graph, after[i]) ? wait_for_(n, after[i]) : (int)CUDA_INVALID_VALUE;
    }
    if (rc != CUDA_OK) {
        free_node_(n);
        return rc;
    }
    struct smrf_cuda_node **end = &graph->nodes;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = n;
    if (node != NULL) {
        *node = n;
    }
    return CUDA_OK;
}

static int copy_node_(void *ctx, struct smrf_cuda_node *node)
{
    struct smrf_cuda_graph *copy = ctx;
    int rc = smrf_cuda_graph_add(copy, &node->twin, NULL, 0, &node->work);
    if (rc == CUDA_OK) {
        node->twin->origin = node;
    }
    for (size_t i = 0; i < node->num_after && rc == CUDA_OK; i++) {
        rc = wait_for_(node->twin, node->after[i]->twin);
    }
    return rc;
}

int smrf_cuda_graph_copy(struct smrf_cuda_graph **copy, const struct smrf_cuda_graph *graph)
{
    struct smrf_cuda_graph *from = (struct smrf_cuda_graph *)(uintptr_t)graph, *to;
    int rc = is_graph_(graph) ? smrf_cuda_graph_create(&to) : (int)CUDA_INVALID_VALUE;
    if (rc != CUDA_OK) {
        return rc;
    }
    rc = smrf_cuda_graph_walk(from, copy_node_, to);
    if (rc != CUDA_OK) {
        (void)smrf_cuda_graph_destroy(to);
        return rc;
    }
    *copy = to;
    return CUDA_OK;
}

int smrf_cuda_graph_edges_set(struct smrf_cuda_graph *graph, struct smrf_cuda_node *const *from,
                              struct smrf_cuda_node *const *to, size_t num, bool add)
{
    if (!is_graph_(graph) || (num != 0 && (from == NULL || to == NULL))) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; i < num; i++) {
        if (!has_(graph, from[i]) || !has_(graph, to[i]) || from[i] == to[i] ||
            waits_for_(to[i], from[i]) == add) {
            return CUDA_INVALID_VALUE;
        }
    }
    int rc = CUDA_OK;
    for (size_t i = 0; i < num && rc == CUDA_OK; i++) {
        if (add) {
            rc = wait_for_(to[i], from[i]);
        } else {
            wait_no_more_(to[i], from[i]);
        }
    }
    return rc;
}

int smrf_cuda_node_remove(struct smrf_cuda_node *node)
{
    if (!is_node_(node)) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_node **at = &node->graph->nodes;
    for (struct smrf_cuda_node *n = *at; n != NULL; n = n->next) {
        wait_no_more_(n, node);
    }
    while (*at != NULL && *at != node) {
        at = &(*at)->next;
    }
    *at = node->next; /* it is there: is_node_ */
    free_node_(node);
    return CUDA_OK;
}

struct smrf_cuda_work *smrf_cuda_node_work(struct smrf_cuda_node *node)
{
    return is_node_(node) ? &node->work : NULL;
}

int smrf_cuda_node_set(struct smrf_cuda_node *node, const struct smrf_cuda_work *work)
{
    struct smrf_cuda_work copy;
    if (!is_node_(node) || node->work.kind != work->kind) {
        return CUDA_INVALID_VALUE;
    }
    const int rc = smrf_cuda_work_copy(&copy, work);
    if (rc == CUDA_OK) {
        smrf_cuda_work_free(&node->work);
        node->work = copy;
    }
    return rc;
}

int smrf_cuda_node_in_copy(struct smrf_cuda_node **found, struct smrf_cuda_node *node,
                           struct smrf_cuda_graph *copy)
{
    if (found == NULL || !is_node_(node) || !is_graph_(copy)) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_node *n = copy->nodes;
    while (n != NULL && n->origin != node) {
        n = n->next;
    }
    *found = n;
    return n != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* ---- asking ---------------------------------------------------------------------------------- */

struct list {
    struct smrf_cuda_node **node;
    size_t room, num;
};

static void put_(struct list *list, struct smrf_cuda_node *node)
{
    if (list->node != NULL && list->num < list->room) {
        list->node[list->num] = node;
    }
    list->num++;
}

static void end_(struct list *list, size_t *num)
{
    for (size_t i = list->num; list->node != NULL && i < list->room; i++) {
        list->node[i] = NULL;
    }
    *num = list->node == NULL || list->num < list->room ? list->num : list->room;
}

int smrf_cuda_graph_nodes(struct smrf_cuda_graph *graph, struct smrf_cuda_node **list, size_t *num,
                          bool roots)
{
    if (!is_graph_(graph) || num == NULL) {
        return CUDA_INVALID_VALUE;
    }
    struct list l = {list, *num, 0};
    for (struct smrf_cuda_node *n = graph->nodes; n != NULL; n = n->next) {
        if (!roots || n->num_after == 0) {
            put_(&l, n);
        }
    }
    end_(&l, num);
    return CUDA_OK;
}

int smrf_cuda_graph_edges(struct smrf_cuda_graph *graph, struct smrf_cuda_node **from,
                          struct smrf_cuda_node **to, size_t *num)
{
    if (!is_graph_(graph) || num == NULL || (from == NULL) != (to == NULL)) {
        return CUDA_INVALID_VALUE;
    }
    struct list a = {from, *num, 0}, b = {to, *num, 0};
    for (struct smrf_cuda_node *n = graph->nodes; n != NULL; n = n->next) {
        for (size_t i = 0; i < n->num_after; i++) {
            put_(&a, n->after[i]);
            put_(&b, n);
        }
    }
    end_(&a, num);
    end_(&b, num);
    return CUDA_OK;
}

int smrf_cuda_node_neighbours(struct smrf_cuda_node *node, struct smrf_cuda_node **list,
                              size_t *num, bool after)
{
    if (!is_node_(node) || num == NULL) {
        return CUDA_INVALID_VALUE;
    }
    struct list l = {list, *num, 0};
    for (struct smrf_cuda_node *n = node->graph->nodes; n != NULL; n = n->next) {
        if (after ? waits_for_(n, node) : waits_for_(node, n)) {
            put_(&l, n);
        }
    }
    end_(&l, num);
    return CUDA_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool ready_(const struct smrf_cuda_node *node)
{
    for (size_t i = 0; i < node->num_after; i++) {
        if (!node->after[i]->marked) {
            return false;
        }
    }
    return !node->marked;
}

int smrf_cuda_graph_walk(struct smrf_cuda_graph *graph, smrf_cuda_visit visit, void *ctx)
{
    if (!is_graph_(graph)) {
        return CUDA_INVALID_VALUE;
    }
    mark_(graph, false);
    for (bool more = true, moved = true; more; moved = false) {
        more = false;
        for (struct smrf_cuda_node *n = graph->nodes; n != NULL; n = n->next) {
            if (ready_(n)) {
                const int rc = visit(ctx, n);
                if (rc != CUDA_OK) {
                    return rc;
                }
                n->marked = moved = true;
            }
            more = more || !n->marked;
        }
        if (more && !moved) {
            return CUDA_INVALID_VALUE;
        }
    }
    return CUDA_OK;
}

static bool mark_before_(struct smrf_cuda_node *node)
{
    bool moved = false;
    for (size_t i = 0; node->marked && i < node->num_after; i++) {
        moved = moved || !node->after[i]->marked;
        node->after[i]->marked = true;
    }
    return moved;
}

bool smrf_cuda_graph_reaches(struct smrf_cuda_graph *graph, struct smrf_cuda_node *const *last,
                             size_t num, struct smrf_cuda_node *const *wanted, size_t num_wanted)
{
    mark_(graph, false);
    for (size_t i = 0; i < num; i++) {
        last[i]->marked = true;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (struct smrf_cuda_node *n = graph->nodes; n != NULL; n = n->next) {
            moved = mark_before_(n) || moved;
        }
    }
    for (size_t i = 0; i < num_wanted; i++) {
        if (!wanted[i]->marked) {
            return false;
        }
    }
    return true;
}
