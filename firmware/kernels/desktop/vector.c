/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the products of a matrix and a vector. */
#include "firmware/kernels/desktop/operation.h"

/* Sums modulo 2^32 are the same in any order. */
static void multiply_(uint32_t *y, const uint32_t *a, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            y[i] += a[i * n + k] * x[k];
        }
    }
}

static int multiply_by_(struct smrf_host *host, const struct smrf_operation *op, int n, int threads,
                        bool shared)
{
    const size_t bytes = (size_t)n * sizeof(uint32_t), count = (size_t)n * (size_t)n;
    struct smrf_suite_rng rng = {16};
    uint32_t *a, *x, *got, *want;
    SMRF_HOST_GET(host, a, count);
    SMRF_HOST_GET(host, x, (size_t)n);
    SMRF_HOST_GET(host, got, (size_t)n);
    SMRF_HOST_GET(host, want, (size_t)n);
    for (size_t i = 0; i < count; i++) {
        a[i] = smrf_suite_u32(&rng);
    }
    for (int i = 0; i < n; i++) {
        x[i] = smrf_suite_u32(&rng);
    }
    smrf_dptr da, dx, dy;
    SMRF_TRY(smrf_suite_buffer(host->run, &da, a, count * sizeof *a));
    SMRF_TRY(smrf_suite_buffer(host->run, &dx, x, bytes));
    SMRF_TRY(smrf_suite_buffer(host->run, &dy, NULL, bytes));
    SMRF_TRY(
        SMRF_TWICE(host->run, op->kernel, smrf_work_grid(n, threads), smrf_work_dim(threads, 1),
                   shared ? (uint32_t)threads * (uint32_t)sizeof *x : 0, &dy, &da, &dx, &n, &n));
    SMRF_TRY(smrf_device_read(host->run->device, got, dy, bytes));
    multiply_(want, a, x, (size_t)n);
    return smrf_suite_check_i32(host->run, "y", (const int32_t *)got, (const int32_t *)want,
                                (size_t)n);
}

static int by_512_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 512, false);
}

static int shared_by_512_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 512, true);
}

static int shared_by_128_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 128, true);
}

static int shared_by_32_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 32, true);
}

SMRF_OPERATIONS(matrix_vector, "vector", 1, "by_rows", by_512_, 6, 9, 11, 13,
                "product of a matrix and a vector of integers, a row a thread", "64 x 64",
                "512 x 512", "2048 x 2048")
SMRF_OPERATIONS(matrix_vector_shared, "vector", 9, "by_rows_shared", shared_by_512_, 9, 10, 11, 13,
                "the same, the vector in shared memory, blocks of 512", "512 x 512", "1024 x 1024",
                "2048 x 2048")
SMRF_OPERATIONS(matrix_vector_shared_128, "vector", 7, "by_rows_shared", shared_by_128_, 7, 9, 11,
                13, "the same in blocks of 128", "128 x 128", "512 x 512", "2048 x 2048")
SMRF_OPERATIONS(matrix_vector_shared_32, "vector", 5, "by_rows_shared", shared_by_32_, 6, 9, 11, 13,
                "the same in blocks of 32", "64 x 64", "512 x 512", "2048 x 2048")
