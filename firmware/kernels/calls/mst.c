/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the minimum spanning tree; the reference is Kruskal's. */
#include "firmware/kernels/calls/calls.h"

#define MAX_NODES 655360
#define EDGES_A_NODE 6
#define MAX_EDGES (MAX_NODES * EDGES_A_NODE)
#define BLOCK 128

struct edge {
    int32_t weight, index;
};

struct work {
    int32_t ends[2 * MAX_EDGES], weights[MAX_EDGES];
    int32_t first[MAX_NODES + 2], to[2 * MAX_EDGES], weight[2 * MAX_EDGES], edge[2 * MAX_EDGES];
    int32_t parent[MAX_NODES];
    struct edge sorted[MAX_EDGES];
    int32_t taken[MAX_EDGES], got[MAX_EDGES];
};

/* Graphs of a part's nodes each. */
static const struct {
    int nodes, part;
} sizes[SMRF_SIZES] = {{64, 64}, {8192, 64}, {655360, 64}};

static void make_(struct work *work, int nodes, int part)
{
    struct smrf_suite_rng rng = {16};
    int edges = nodes * EDGES_A_NODE;
    for (int e = 0; e < edges; e++) {
        int a = e / EDGES_A_NODE, near = a + 1 + (int)(smrf_suite_u32(&rng) % 30);
        int any = a + 1 + (int)(smrf_suite_u32(&rng) % (unsigned)(part - 1));
        work->ends[2 * e] = a;
        work->ends[2 * e + 1] = a / part * part + (e % EDGES_A_NODE == 1 ? any : near) % part;
        work->weights[e] = (int)(smrf_suite_u32(&rng) % 10000);
        work->first[a + 2]++;
        work->first[work->ends[2 * e + 1] + 2]++;
    }
    for (int i = 0; i < nodes; i++) {
        work->first[i + 2] += work->first[i + 1];
    }
    for (int e = 0; e < 2 * edges; e++) {
        int at = work->first[work->ends[e] + 1]++;
        work->to[at] = work->ends[e ^ 1];
        work->weight[at] = work->weights[e / 2];
        work->edge[at] = e / 2;
    }
}

static int lighter_(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->weight != y->weight) {
        return x->weight < y->weight ? -1 : 1;
    }
    return x->index < y->index ? -1 : 1;
}

static int32_t root_of_(int32_t *parent, int32_t node)
{
    while (parent[node] != node) {
        node = parent[node] = parent[parent[node]];
    }
    return node;
}

static void reference_(struct work *work, int nodes)
{
    int edges = nodes * EDGES_A_NODE;
    for (int i = 0; i < nodes; i++) {
        work->parent[i] = i;
    }
    for (int e = 0; e < edges; e++) {
        work->sorted[e] = (struct edge){work->weights[e], e};
    }
    qsort(work->sorted, (size_t)edges, sizeof work->sorted[0], lighter_);
    for (int k = 0; k < edges; k++) {
        int e = work->sorted[k].index;
        int32_t a = root_of_(work->parent, work->ends[2 * e]);
        int32_t b = root_of_(work->parent, work->ends[2 * e + 1]);
        work->taken[e] = a != b;
        work->parent[a] = b;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int nodes = sizes[run->size].nodes, edges = nodes * EDGES_A_NODE;
    make_(work, nodes, sizes[run->size].part);
    for (int i = 0; i < nodes; i++) {
        work->parent[i] = i;
    }
    size_t word = sizeof(int32_t), node_bytes = word * (size_t)nodes, half = word * (size_t)edges;
    smrf_dptr ends, first, to, weight, edge, parent, lightest, roots, taken, joined;
    SMRF_TRY(smrf_suite_buffer(run, &ends, work->ends, 2 * half));
    SMRF_TRY(smrf_suite_buffer(run, &first, work->first, node_bytes + word));
    SMRF_TRY(smrf_suite_buffer(run, &to, work->to, 2 * half));
    SMRF_TRY(smrf_suite_buffer(run, &weight, work->weight, 2 * half));
    SMRF_TRY(smrf_suite_buffer(run, &edge, work->edge, 2 * half));
    SMRF_TRY(smrf_suite_buffer(run, &parent, work->parent, node_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &roots, NULL, node_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &lightest, NULL, 2 * node_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &taken, work->taken, half)); /* zeros */
    SMRF_TRY(smrf_suite_buffer(run, &joined, NULL, word));
    struct smrf_exec_dim grid = smrf_work_grid(nodes, BLOCK), block = smrf_work_dim(BLOCK, 1);
    for (int32_t count = 1; count;) {
        SMRF_TRY(smrf_device_set(run->device, joined, 0, word));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "settle", grid, block, &parent, &roots, &lightest, &nodes));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "find", grid, block, &first, &to, &weight, &edge, &parent,
                                  &lightest, &nodes));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "hook", grid, block, &ends, &parent, &lightest, &roots,
                                  &taken, &joined, &nodes));
        SMRF_TRY(smrf_device_read(run->device, &count, joined, word));
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, taken, half));
    reference_(work, nodes);
    return smrf_suite_check_i32(run, "edge taken", work->got, work->taken, (size_t)edges);
}

static int run_mst_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(mst, "mst", "mst", "minimum spanning trees", "64 nodes, 384 edges",
                 "128 graphs of 64 nodes", "10240 graphs of 64 nodes", run_mst_);
