/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of matrix sums, an image in grey, matrix products and histograms, whose times on
 * desktop cards are published. */
#include "firmware/kernels/desktop/operation.h"

#define BLOCK_AXIS 16
#define BINS 512
#define BIN_THREADS 512

static struct smrf_exec_dim square_(int n)
{
    return smrf_work_dim((n + BLOCK_AXIS - 1) / BLOCK_AXIS, (n + BLOCK_AXIS - 1) / BLOCK_AXIS);
}

/* --- matrix sums ------------------------------------------------------------------------------ */

static int add_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    struct smrf_host_operands o;
    SMRF_TRY(smrf_host_operands_init(&o, host, (size_t)n * (size_t)n, 11));
    SMRF_TRY(SMRF_TWICE(host->run, op->kernel, square_(n), square_(BLOCK_AXIS * BLOCK_AXIS), 0,
                        &o.dc, &o.da, &o.db, &n, &n));
    SMRF_TRY(smrf_host_operands_read(&o, host));
    for (size_t i = 0; i < o.count; i++) {
        o.a[i] += o.b[i];
    }
    return smrf_suite_check_f32(host->run, "sum", o.got, o.a, o.count, 0, 0);
}

/* --- an image in grey ------------------------------------------------------------------------- */

/* The kernel's order: the compiler fuses the second and the third product with their additions. */
static int32_t grey_of_(const uint8_t *pixel)
{
    const float green = 0.71f * (float)pixel[1];
    return (int32_t)fmaf(0.07f, (float)pixel[2], fmaf(0.21f, (float)pixel[0], green));
}

static int grey_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    const size_t count = (size_t)n * (size_t)n;
    struct smrf_suite_rng rng = {12};
    uint8_t *from, *to;
    int32_t *got, *want;
    SMRF_HOST_GET(host, from, 3 * count);
    SMRF_HOST_GET(host, to, count);
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    for (size_t i = 0; i < 3 * count; i++) {
        from[i] = (uint8_t)smrf_suite_u32(&rng);
    }
    smrf_dptr image, out;
    SMRF_TRY(smrf_suite_buffer(host->run, &image, from, 3 * count));
    SMRF_TRY(smrf_suite_buffer(host->run, &out, NULL, count));
    SMRF_TRY(SMRF_TWICE(host->run, op->kernel, square_(n), square_(BLOCK_AXIS * BLOCK_AXIS), 0,
                        &out, &image, &n, &n));
    SMRF_TRY(smrf_device_read(host->run->device, to, out, count));
    for (size_t i = 0; i < count; i++) {
        got[i] = to[i];
        want[i] = grey_of_(from + 3 * i);
    }
    return smrf_suite_check_i32(host->run, "grey", got, want, count);
}

/* --- matrix products -------------------------------------------------------------------------- */

/* Sums modulo 2^32 are the same in any order. */
static void multiply_(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < n; j++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}

/* With two results a thread, the second of which reads its tile of b one row further on in the
 * first one's; behind the last row lies the second tile. */
static void multiply_rows_(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t n)
{
    const size_t w = BLOCK_AXIS;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const bool last = k % w == w - 1;
            const size_t row = last ? k - k % w : k + 1;
            for (size_t j = 0; j < n; j++) {
                const bool second = j / w % 2;
                const size_t at = !second ? k * n + j : row * n + (last ? j : j - w);
                c[i * n + j] += !second || row < n ? a[i * n + k] * b[at] : 0;
            }
        }
    }
}

static int multiply_by_(struct smrf_host *host, const struct smrf_operation *op, int n, int tiles,
                        void (*multiply)(uint32_t *, const uint32_t *, const uint32_t *, size_t))
{
    const size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(uint32_t);
    struct smrf_suite_rng rng = {13};
    uint32_t *a, *b, *got, *want;
    SMRF_HOST_GET(host, a, count);
    SMRF_HOST_GET(host, b, count);
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    for (size_t i = 0; i < count; i++) {
        a[i] = smrf_suite_u32(&rng);
        b[i] = smrf_suite_u32(&rng);
    }
    smrf_dptr da, db, dc;
    SMRF_TRY(smrf_suite_buffer(host->run, &da, a, bytes));
    SMRF_TRY(smrf_suite_buffer(host->run, &db, b, bytes));
    SMRF_TRY(smrf_suite_buffer(host->run, &dc, NULL, bytes));
    struct smrf_exec_dim grid = square_(n);
    if (tiles == 3) { /* as measured: four times the blocks it needs, most beside the matrix */
        grid.x = (uint32_t)((n + BLOCK_AXIS / 2 - 1) / (BLOCK_AXIS / 2));
    }
    const uint32_t shared = (uint32_t)(tiles * BLOCK_AXIS * BLOCK_AXIS) * (uint32_t)sizeof *a;
    SMRF_TRY(SMRF_TWICE(host->run, op->kernel, grid, square_(BLOCK_AXIS * BLOCK_AXIS), shared, &dc,
                        &da, &db, &n));
    SMRF_TRY(smrf_device_read(host->run->device, got, dc, bytes));
    multiply(want, a, b, (size_t)n);
    return smrf_suite_check_i32(host->run, "c", (const int32_t *)got, (const int32_t *)want, count);
}

static int product_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 0, multiply_);
}

static int product_tiles_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 2, multiply_);
}

static int product_pairs_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 3, multiply_);
}

static int product_rows_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return multiply_by_(host, op, n, 3, multiply_rows_);
}

/* --- histograms ------------------------------------------------------------------------------- */

/* num_used: of the bins, those that values fall into. */
static int count_(struct smrf_host *host, const struct smrf_operation *op, int count, bool shared,
                  uint32_t num_used)
{
    struct smrf_suite_rng rng = {14};
    int num_bins = BINS;
    uint32_t *values, *none;
    int32_t *got, *want;
    SMRF_HOST_GET(host, values, (size_t)count);
    SMRF_HOST_GET(host, none, BINS);
    SMRF_HOST_GET(host, got, BINS);
    SMRF_HOST_GET(host, want, BINS);
    for (int i = 0; i < count; i++) {
        values[i] = smrf_suite_u32(&rng) % num_used;
        want[values[i]]++;
    }
    smrf_dptr from, bins;
    void *const args[] = {&bins, &from, &count, &num_bins};
    SMRF_TRY(smrf_suite_buffer(host->run, &from, values, (size_t)count * sizeof *values));
    SMRF_TRY(smrf_suite_buffer(host->run, &bins, NULL, BINS * sizeof *none));
    for (unsigned launch = 0; launch < 2; launch++) {
        SMRF_TRY(smrf_device_write(host->run->device, bins, none, BINS * sizeof *none));
        SMRF_TRY(smrf_suite_launch(host->run, op->kernel, smrf_work_grid(count, BIN_THREADS),
                                   smrf_work_dim(BIN_THREADS, 1),
                                   shared ? BINS * (uint32_t)sizeof *none : 0, args,
                                   shared ? 4 : 3));
    }
    SMRF_TRY(smrf_device_read(host->run->device, got, bins, BINS * sizeof *none));
    return smrf_suite_check_i32(host->run, "bin", got, want, BINS);
}

static int histogram_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    return count_(host, op, count, false, BINS);
}

static int histogram_shared_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    return count_(host, op, count, true, BINS);
}

/* What the cards' times are of: every value is 0. */
static int histogram_one_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    return count_(host, op, count, false, 1);
}

static int histogram_shared_one_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    return count_(host, op, count, true, 1);
}

/* --- programs --------------------------------------------------------------------------------- */

#define PROGRAMS(id, ...) SMRF_OPERATIONS(id, "desktop", 1, __VA_ARGS__)

PROGRAMS(array_add, "add_along_rows", add_, 6, 9, 11, 13, "sum of matrices, a warp along a row",
         "64 x 64", "512 x 512", "2048 x 2048")
PROGRAMS(array_add_columns, "add_along_columns", add_, 6, 9, 11, 13,
         "sum of matrices, a warp along a column", "64 x 64", "512 x 512", "2048 x 2048")
PROGRAMS(image_grey, "grey", grey_, 6, 9, 11, 13, "an image of three bytes a pixel in grey",
         "64 x 64", "512 x 512", "2048 x 2048")
PROGRAMS(product_simple, "product", product_, 5, 7, 9, 11, "matrix product of integers", "32 x 32",
         "128 x 128", "512 x 512")
PROGRAMS(product_tiles, "product_tiles", product_tiles_, 5, 7, 9, 11,
         "matrix product of integers, tiles of unknown width in shared memory", "32 x 32",
         "128 x 128", "512 x 512")
PROGRAMS(product_pairs, "product_pairs", product_pairs_, 5, 7, 9, 11,
         "the same, two results a thread", "32 x 32", "128 x 128", "512 x 512")
PROGRAMS(product_rows, "product_rows", product_rows_, 5, 7, 9, 11,
         "the same, both results from rows of one tile", "32 x 32", "128 x 128", "512 x 512")
PROGRAMS(histogram_global, "histogram", histogram_, 12, 16, 20, 27,
         "histogram of 512 bins by atomics", "4096 values", "65,536 values", "1,048,576 values")
PROGRAMS(histogram_shared, "histogram_shared", histogram_shared_, 12, 16, 20, 27,
         "the same, a block's bins in shared memory first", "4096 values", "65,536 values",
         "1,048,576 values")
PROGRAMS(histogram_one, "histogram", histogram_one_, 12, 16, 20, 27,
         "histogram by atomics, all values in one bin", "4096 values", "65,536 values",
         "1,048,576 values")
PROGRAMS(histogram_shared_one, "histogram_shared", histogram_shared_one_, 12, 16, 20, 27,
         "the same, a block's bins in shared memory first", "4096 values", "65,536 values",
         "1,048,576 values")
