/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the convolutions: of a line of values, with a mask of 5, and of an image of one
 * channel, with one of 5 x 5. */
#include "firmware/kernels/desktop/operation.h"

#define WIDTH 5 /* of the mask */
#define LINE_THREADS 512
#define BLOCK_AXIS 16

struct convolution {
    int rows, cols, mask_rows; /* a line is an image of one row */
    bool constant;             /* the mask lies in constant memory */
    struct smrf_exec_dim grid, block;
    uint32_t shared; /* values of a block in shared memory */
};

/* The kernels add in this order, too; what lies beyond the edge adds nothing. */
static float of_(const struct convolution *c, const float *from, const float *mask, int row,
                 int col)
{
    float sum = 0;
    for (int k = 0; k < c->mask_rows; k++) {
        for (int l = 0; l < WIDTH; l++) {
            const int y = row - c->mask_rows / 2 + k, x = col - WIDTH / 2 + l;
            if (y >= 0 && y < c->rows && x >= 0 && x < c->cols) {
                sum = fmaf(from[(size_t)y * (size_t)c->cols + (size_t)x], mask[k * WIDTH + l], sum);
            }
        }
    }
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

static int launch_(struct smrf_suite_run *run, const char *kernel, struct convolution *c,
                   smrf_dptr *to, smrf_dptr *from, smrf_dptr *mask)
{
    const bool image = c->mask_rows > 1;
    int width = WIDTH, channels = 1;
    void *args[8] = {to, from};
    unsigned n = 2;
    if (!c->constant) {
        args[n++] = mask;
    }
    if (image) {
        args[n++] = &c->mask_rows;
    }
    args[n++] = &width;
    if (image) {
        args[n++] = &c->rows;
    }
    args[n++] = &c->cols;
    if (image) {
        args[n++] = &channels;
    }
    return smrf_operation_twice(run, kernel, c->grid, c->block, c->shared * (uint32_t)sizeof(float),
                                args, n);
}

static int convolve_(struct smrf_host *host, const struct smrf_operation *op, struct convolution c)
{
    const size_t count = (size_t)c.rows * (size_t)c.cols, bytes = count * sizeof(float);
    struct smrf_suite_rng rng = {15};
    float mask[WIDTH * WIDTH], *values, *got, *want;
    SMRF_HOST_GET(host, values, count);
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = smrf_suite_f32(&rng, -1, 1);
    }
    for (size_t i = 0; i < WIDTH * WIDTH; i++) {
        mask[i] = smrf_suite_f32(&rng, -1, 1);
    }
    smrf_dptr to, from, of_mask;
    SMRF_TRY(smrf_suite_buffer(host->run, &from, values, bytes));
    SMRF_TRY(smrf_suite_buffer(host->run, &of_mask, mask, sizeof mask));
    SMRF_TRY(smrf_suite_buffer(host->run, &to, NULL, bytes));
    SMRF_TRY(smrf_device_symbol_write(host->run->module, "weights", mask, sizeof mask, 0));
    SMRF_TRY(launch_(host->run, op->kernel, &c, &to, &from, &of_mask));
    SMRF_TRY(smrf_device_read(host->run->device, got, to, bytes));
    for (int row = 0; row < c.rows; row++) {
        for (int col = 0; col < c.cols; col++) {
            want[(size_t)row * (size_t)c.cols + (size_t)col] = of_(&c, values, mask, row, col);
        }
    }
    return smrf_suite_check_f32(host->run, "value", got, want, count, 0, 0);
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct convolution line_(int count)
{
    return (struct convolution){.rows = 1,
                                .cols = count,
                                .mask_rows = 1,
                                .constant = true,
                                .grid = smrf_work_grid(count, LINE_THREADS),
                                .block = smrf_work_dim(LINE_THREADS, 1)};
}

static int line_global_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    struct convolution c = line_(count);
    c.constant = false;
    return convolve_(host, op, c);
}

static int line_constant_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    return convolve_(host, op, line_(count));
}

static int line_tiles_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    struct convolution c = line_(count);
    c.shared = LINE_THREADS + WIDTH - 1;
    return convolve_(host, op, c);
}

static int line_cached_(struct smrf_host *host, const struct smrf_operation *op, int count)
{
    struct convolution c = line_(count);
    c.shared = LINE_THREADS;
    return convolve_(host, op, c);
}

/* --- images ----------------------------------------------------------------------------------- */

/* results: of a block, along an axis. */
static struct convolution image_(int n, int results)
{
    const int blocks = (n + results - 1) / results;
    return (struct convolution){.rows = n,
                                .cols = n,
                                .mask_rows = WIDTH,
                                .constant = true,
                                .grid = smrf_work_dim(blocks, blocks),
                                .block = smrf_work_dim(BLOCK_AXIS, BLOCK_AXIS)};
}

static int image_global_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    struct convolution c = image_(n, BLOCK_AXIS);
    c.constant = false;
    return convolve_(host, op, c);
}

static int image_constant_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    return convolve_(host, op, image_(n, BLOCK_AXIS));
}

static int image_tiles_(struct smrf_host *host, const struct smrf_operation *op, int n)
{
    struct convolution c = image_(n, BLOCK_AXIS - WIDTH + 1);
    c.shared = BLOCK_AXIS * BLOCK_AXIS;
    return convolve_(host, op, c);
}

/* --- programs --------------------------------------------------------------------------------- */

#define LINES(id, least, kernel, body, summary)                                                    \
    SMRF_OPERATIONS(id, "convolve", least, kernel, body, 10, 16, 20, 27, summary, "1024 values",   \
                    "65,536 values", "1,048,576 values")
#define IMAGES(id, kernel, body, summary)                                                          \
    SMRF_OPERATIONS(id, "convolve", 1, kernel, body, 6, 9, 11, 13, summary, "64 x 64",             \
                    "512 x 512", "2048 x 2048")

LINES(convolve_line, 1, "line", line_global_, "convolution of a line of values, mask of 5")
LINES(convolve_line_constant, 9, "line_constant", line_constant_,
      "the same, the mask in constant memory")
LINES(convolve_line_tiles, 9, "line_tiles", line_tiles_,
      "the same, the mask in constant memory, tiles in shared memory")
LINES(convolve_line_cached, 9, "line_cached", line_cached_,
      "the same, a tile's neighbours from the cache")
IMAGES(convolve_image, "image", image_global_, "convolution of an image, mask of 5 x 5")
IMAGES(convolve_image_constant, "image_constant", image_constant_,
       "the same, the mask in constant memory")
IMAGES(convolve_image_tiles, "image_tiles", image_tiles_,
       "the same, the mask in constant memory, tiles in shared memory")
