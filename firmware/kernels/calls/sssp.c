/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the shortest paths: as many launches as change something. */
#include "firmware/kernels/calls/calls.h"

#define MAX_NODES 655360
#define MAX_DEGREE 24
#define FAR (1 << 29)
#define BLOCK 128

struct work {
    int32_t first[MAX_NODES + 1], from[MAX_NODES * MAX_DEGREE], weight[MAX_NODES * MAX_DEGREE];
    int32_t distance[MAX_NODES], got[MAX_NODES];
};

static const int node_counts[SMRF_SIZES] = {96, 6144, 655360};

/* Edges to near nodes mostly, so that paths are long. */
static void make_(struct work *work, int nodes)
{
    struct smrf_suite_rng rng = {15};
    int edges = 0;
    for (int i = 0; i < nodes; i++) {
        work->first[i] = edges;
        int degree = 8 + (int)(smrf_suite_u32(&rng) % (MAX_DEGREE - 8));
        for (int k = 0; k < degree; k++, edges++) {
            int near = i - 20 + (int)(smrf_suite_u32(&rng) % 41);
            int any = (int)(smrf_suite_u32(&rng) % (unsigned)nodes);
            work->from[edges] = k == 0 ? any : (near + nodes) % nodes;
            work->weight[edges] = 1 + (int)(smrf_suite_u32(&rng) % 1000);
        }
    }
    work->first[nodes] = edges;
}

/* Sweeps over all edges until nothing changes. */
static void reference_(struct work *work, int nodes)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < nodes; i++) {
            for (int e = work->first[i]; e < work->first[i + 1]; e++) {
                int through = work->distance[work->from[e]] + work->weight[e];
                if (through < work->distance[i]) {
                    work->distance[i] = through;
                    changed = true;
                }
            }
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int nodes = node_counts[run->size];
    make_(work, nodes);
    for (int i = 0; i < nodes; i++) {
        work->distance[i] = i == 0 ? 0 : FAR;
    }
    size_t edge_bytes = sizeof(int32_t) * (size_t)work->first[nodes];
    smrf_dptr first, from, weight, distance, changed;
    SMRF_TRY(smrf_suite_buffer(run, &first, work->first, sizeof(int32_t) * (size_t)(nodes + 1)));
    SMRF_TRY(smrf_suite_buffer(run, &from, work->from, edge_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &weight, work->weight, edge_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &distance, work->distance, sizeof(int32_t) * (size_t)nodes));
    SMRF_TRY(smrf_suite_buffer(run, &changed, NULL, 33 * sizeof(int32_t)));
    for (int32_t again = 1; again;) {
        SMRF_TRY(smrf_device_set(run->device, changed, 0, 33 * sizeof(int32_t)));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "relax", smrf_work_grid(nodes, BLOCK),
                                  smrf_work_dim(BLOCK, 1), &first, &from, &weight, &distance,
                                  &changed, &nodes));
        SMRF_TRY(smrf_device_read(run->device, &again, changed, sizeof again));
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, distance, sizeof(int32_t) * (size_t)nodes));
    reference_(work, nodes);
    return smrf_suite_check_i32(run, "distance", work->got, work->distance, (size_t)nodes);
}

static int run_sssp_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(sssp, "sssp", "sssp", "single-source shortest paths", "96 nodes", "6144 nodes",
                 "655360 nodes", run_sssp_);
