/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <stdio.h>

#define THREADS 256

static const int vertices[SMRF_SIZES] = {800, 32768, 262144};

struct vertex {
    int first_edge, num_edges;
};

struct graph {
    int n, num_edges;
    struct vertex *vertex;
    int *edge;
};

/* Each vertex has 1 to 7 edges to anywhere, and every one of them also leads back. */
static int build_(struct smrf_rodinia_host *host, struct graph *g)
{
    struct smrf_suite_rng rng = {4};
    const size_t n = (size_t)g->n;
    int *from = smrf_rodinia_take(host, n * 7, sizeof *from);
    int *to = smrf_rodinia_take(host, n * 7, sizeof *to);
    g->vertex = smrf_rodinia_take(host, n, sizeof *g->vertex);
    g->edge = smrf_rodinia_take(host, n * 14, sizeof *g->edge);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    int pairs = 0;
    for (int v = 0; v < g->n; v++) {
        const int edges = 1 + (int)(smrf_suite_u32(&rng) % 7);
        for (int e = 0; e < edges; e++, pairs++) {
            from[pairs] = v;
            to[pairs] = (int)(smrf_suite_u32(&rng) % (uint32_t)g->n);
            g->vertex[v].num_edges++;
            g->vertex[to[pairs]].num_edges++;
        }
    }
    for (int v = 0; v < g->n; v++) {
        g->vertex[v].first_edge = g->num_edges;
        g->num_edges += g->vertex[v].num_edges;
        g->vertex[v].num_edges = 0;
    }
    for (int p = 0; p < pairs; p++) {
        struct vertex *a = &g->vertex[from[p]], *b = &g->vertex[to[p]];
        g->edge[a->first_edge + a->num_edges++] = to[p];
        g->edge[b->first_edge + b->num_edges++] = from[p];
    }
    return 0;
}

/* Distances by a queue. */
static void reference_(const struct graph *g, int source, int *queue, int *cost)
{
    int head = 0, tail = 0;
    for (int v = 0; v < g->n; v++) {
        cost[v] = -1;
    }
    cost[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        const int v = queue[head++];
        for (int e = 0; e < g->vertex[v].num_edges; e++) {
            const int next = g->edge[g->vertex[v].first_edge + e];
            if (cost[next] < 0) {
                cost[next] = cost[v] + 1;
                queue[tail++] = next;
            }
        }
    }
}

static int search_(struct smrf_suite_run *run, const struct graph *g, int source, int *cost,
                   unsigned char *mask)
{
    int num_vertices = g->n;
    const uint64_t n = (uint64_t)g->n;
    smrf_dptr d_vertices, d_edges, d_frontier, d_updating, d_visited, d_cost, d_again;
    SMRF_TRY(smrf_suite_buffer(run, &d_vertices, g->vertex, n * sizeof *g->vertex));
    SMRF_TRY(smrf_suite_buffer(run, &d_edges, g->edge, (uint64_t)g->num_edges * sizeof *g->edge));
    SMRF_TRY(smrf_suite_buffer(run, &d_updating, mask, n));
    mask[source] = 1;
    SMRF_TRY(smrf_suite_buffer(run, &d_frontier, mask, n));
    SMRF_TRY(smrf_suite_buffer(run, &d_visited, mask, n));
    for (int v = 0; v < g->n; v++) {
        cost[v] = v == source ? 0 : -1;
    }
    SMRF_TRY(smrf_suite_buffer(run, &d_cost, cost, n * sizeof *cost));
    SMRF_TRY(smrf_suite_buffer(run, &d_again, NULL, sizeof(int)));
    const struct smrf_exec_dim grid = smrf_rodinia_dim(smrf_rodinia_blocks(n, THREADS), 1);
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1);
    int again = 1;
    for (int level = 0; again; level++) {
        if (level > g->n) {
            (void)snprintf(run->error, sizeof run->error,
                           "level %d of a search of %d vertices still finds new ones", level, g->n);
            return SMRF_ERR_CHECK;
        }
        again = 0;
        SMRF_TRY(smrf_device_write(run->device, d_again, &again, sizeof again));
        SMRF_RODINIA_LAUNCH(run, "visit", grid, block, &d_vertices, &d_edges, &d_frontier,
                            &d_updating, &d_visited, &d_cost, &num_vertices);
        SMRF_RODINIA_LAUNCH(run, "advance", grid, block, &d_frontier, &d_updating, &d_visited,
                            &d_again, &num_vertices);
        SMRF_TRY(smrf_device_read(run->device, &again, d_again, sizeof again));
    }
    return smrf_device_read(run->device, cost, d_cost, n * sizeof *cost);
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct graph g = {.n = vertices[run->size]};
    const int source = 0;
    SMRF_TRY(build_(host, &g));
    const size_t n = (size_t)g.n;
    int *got = smrf_rodinia_take(host, n, sizeof *got);
    int *want = smrf_rodinia_take(host, n, sizeof *want);
    int *queue = smrf_rodinia_take(host, n, sizeof *queue);
    unsigned char *mask = smrf_rodinia_take(host, n, sizeof *mask);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    SMRF_TRY(search_(run, &g, source, got, mask));
    reference_(&g, source, queue, want);
    return smrf_suite_check_i32(run, "distance", got, want, n);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_bfs = {
    .name = "bfs",
    .group = "rodinia",
    .summary = "breadth-first search of a random graph, two kernels a level",
    .sass = "bfs",
    .size_text = {"800 vertices, 8 edges each on average", "32768 vertices", "262144 vertices"},
    .run = run_,
};
