/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrix products. Sums run over k in the same order as in the kernels; these fuse the
 * multiplication with the addition, hence the tolerance of some units in the last place. */
#include "firmware/kernels/host.h"

#define TILE 16

static const int sizes[SMRF_SIZES] = {32, 128, 256};

static int body_(struct smrf_host *host, const char *kernel, struct smrf_exec_dim block)
{
    int n = sizes[host->run->size];
    struct smrf_host_operands o;
    float *want;
    SMRF_TRY(smrf_host_operands_init(&o, host, (size_t)n * (size_t)n, 1));
    SMRF_HOST_GET(host, want, o.count);
    const struct smrf_exec_dim grid = {smrf_host_cover(n, (int)block.x),
                                       smrf_host_cover(n, (int)block.y), 1};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, kernel, grid, block, &o.da, &o.db, &o.dc, &n));
    SMRF_TRY(smrf_host_operands_read(&o, host));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                want[i * n + j] += o.a[i * n + k] * o.b[k * n + j];
            }
        }
    }
    return smrf_suite_check_f32(host->run, "c", o.got, want, o.count, 1e-5, 1e-5);
}

static int multiply_(struct smrf_suite_run *run, const char *kernel, struct smrf_exec_dim block)
{
    struct smrf_host host = {run, NULL};
    int rc = body_(&host, kernel, block);
    smrf_host_free(&host);
    return rc;
}

static int run_naive_(struct smrf_suite_run *run)
{
    return multiply_(run, "matmul_naive", (struct smrf_exec_dim){TILE, TILE, 1});
}

/* A warp is 32 columns of one row: its values of a are one, those of b neighbours. */
static int run_rows_(struct smrf_suite_run *run)
{
    return multiply_(run, "matmul_naive", (struct smrf_exec_dim){32, 8, 1});
}

/* Four warps are a row: they have the same values of a. */
static int run_wide_(struct smrf_suite_run *run)
{
    return multiply_(run, "matmul_naive", (struct smrf_exec_dim){128, 2, 1});
}

static int run_tiled_(struct smrf_suite_run *run)
{
    return multiply_(run, "matmul_tiled", (struct smrf_exec_dim){TILE, TILE, 1});
}

const struct smrf_suite_program smrf_matmul_naive = {
    "matmul_naive",
    "locality",
    "matrix product, every operand from global memory",
    "matmul",
    {"32 x 32", "128 x 128", "256 x 256"},
    .run = run_naive_};
const struct smrf_suite_program smrf_matmul_rows = {
    "matmul_rows",
    "locality",
    "matrix product, every operand from global memory, a warp a row's part",
    "matmul",
    {"32 x 32", "128 x 128", "256 x 256"},
    .run = run_rows_};
const struct smrf_suite_program smrf_matmul_wide = {
    "matmul_wide",
    "locality",
    "matrix product, every operand from global memory, four warps a row's part",
    "matmul",
    {"32 x 32", "128 x 128", "256 x 256"},
    .run = run_wide_};
const struct smrf_suite_program smrf_matmul_tiled = {
    "matmul_tiled",
    "locality",
    "matrix product, 16 x 16 tiles in shared memory",
    "matmul",
    {"32 x 32", "128 x 128", "256 x 256"},
    .run = run_tiled_};
