/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#define THREADS 256

static const struct {
    int columns, rows, pyramid;
} sizes[SMRF_SIZES] = {{500, 11, 5}, {8000, 101, 20}, {50000, 161, 20}};

static void reference_(const int *wall, int columns, int rows, int *cost, int *next)
{
    for (int x = 0; x < columns; x++) {
        cost[x] = wall[x];
    }
    for (int y = 1; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            int least = cost[x];
            if (x > 0 && cost[x - 1] < least) {
                least = cost[x - 1];
            }
            if (x < columns - 1 && cost[x + 1] < least) {
                least = cost[x + 1];
            }
            next[x] = least + wall[y * columns + x];
        }
        for (int x = 0; x < columns; x++) {
            cost[x] = next[x];
        }
    }
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {11};
    int columns = sizes[run->size].columns;
    const int rows = sizes[run->size].rows, pyramid = sizes[run->size].pyramid;
    const size_t width = (size_t)columns, cells = width * (size_t)rows;
    int *wall = smrf_rodinia_take(host, cells, sizeof *wall);
    int *got = smrf_rodinia_take(host, width, sizeof *got);
    int *want = smrf_rodinia_take(host, width, sizeof *want);
    int *scratch = smrf_rodinia_take(host, width, sizeof *scratch);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (size_t i = 0; i < cells; i++) {
        wall[i] = (int)(smrf_suite_u32(&rng) % 10);
    }
    smrf_dptr d_wall, d_cost[2];
    SMRF_TRY(smrf_suite_buffer(run, &d_wall, wall, cells * sizeof *wall));
    SMRF_TRY(smrf_suite_buffer(run, &d_cost[0], wall, width * sizeof *wall));
    SMRF_TRY(smrf_suite_buffer(run, &d_cost[1], NULL, width * sizeof *wall));
    int from = 0;
    for (int row = 1; row < rows; row += pyramid, from = !from) {
        int now = rows - row < pyramid ? rows - row : pyramid;
        smrf_dptr d_rows = d_wall + (uint64_t)row * width * sizeof *wall;
        const uint32_t blocks = smrf_rodinia_blocks(width, (uint32_t)(THREADS - 2 * now));
        SMRF_RODINIA_LAUNCH(run, "path_rows", smrf_rodinia_dim(blocks, 1),
                            smrf_rodinia_dim(THREADS, 1), &now, &d_rows, &d_cost[from],
                            &d_cost[!from], &columns, &now);
    }
    SMRF_TRY(smrf_device_read(run->device, got, d_cost[from], width * sizeof *got));
    reference_(wall, columns, rows, want, scratch);
    return smrf_suite_check_i32(run, "cost of the path", got, want, width);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_pathfinder = {
    .name = "pathfinder",
    .group = "rodinia",
    .summary = "cheapest paths down a grid: dynamic programming, many rows a launch",
    .sass = "pathfinder",
    .size_text = {"500 columns, 11 rows, 5 a launch", "8000 columns, 101 rows, 20 a launch",
                  "50000 columns, 161 rows, 20 a launch"},
    .run = run_,
};
