/* SPDX-License-Identifier: Apache-2.0 */
#include "product.h"

#include <stddef.h>

#define HALF (PRODUCT_SIZE / 2) /* rows of each GPU */
#define TILE 16                 /* of the kernel */

static void fill_(volatile struct product_memory *memory, const uint32_t *code, uint32_t code_bytes)
{
    for (uint32_t i = 0; i < code_bytes / 4; i++) {
        memory->code[i] = code[i];
    }
    for (uint32_t i = 0; i < PRODUCT_SIZE * PRODUCT_SIZE; i++) {
        memory->a[i] = 3 * i + 1;
        memory->b[i] = i ^ 0x55;
        memory->c[i] = 0;
    }
}

static int launch_(struct smrf_gpu_device *g, volatile struct product_memory *memory, uint64_t at,
                   uint32_t half, uint32_t code_bytes)
{
    /* Rows of the half, in A and in C. */
    const uint64_t rows = (uint64_t)half * HALF * PRODUCT_SIZE * sizeof(uint32_t);
    volatile struct product_arguments *arguments = &memory->arguments[half];
    struct smrf_gpu_kernel *kernel = (struct smrf_gpu_kernel *)&memory->kernel[half];
    arguments->a = at + offsetof(struct product_memory, a) + rows;
    arguments->b = at + offsetof(struct product_memory, b);
    arguments->c = at + offsetof(struct product_memory, c) + rows;
    arguments->n = PRODUCT_SIZE;
    memory->completion[half].state = 0;
    smrf_dev_describe_kernel(kernel, at + offsetof(struct product_memory, code), code_bytes,
                             at + offsetof(struct product_memory, arguments) +
                                 half * sizeof(struct product_arguments),
                             offsetof(struct product_arguments, n) + sizeof(int32_t),
                             at + offsetof(struct product_memory, completion) +
                                 half * sizeof(struct smrf_gpu_completion),
                             half);
    kernel->grid[0] = PRODUCT_SIZE / TILE;
    kernel->grid[1] = HALF / TILE;
    kernel->block[0] = TILE;
    kernel->block[1] = TILE;
    smrf_dev_irq_enable(g, true);
    return smrf_dev_launch_described(g, at + offsetof(struct product_memory, kernel) +
                                            half * sizeof(struct smrf_gpu_kernel));
}

static uint32_t wrong_(const volatile struct product_memory *memory)
{
    uint32_t wrong = 0;
    for (uint32_t y = 0; y < PRODUCT_SIZE; y++) {
        for (uint32_t x = 0; x < PRODUCT_SIZE; x++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < PRODUCT_SIZE; k++) {
                sum += memory->a[y * PRODUCT_SIZE + k] * memory->b[k * PRODUCT_SIZE + x];
            }
            wrong += memory->c[y * PRODUCT_SIZE + x] != sum;
        }
    }
    return wrong;
}

/* A kernel that reads where no memory is ends with its cause, and the next one computes. */
static int fault_(struct smrf_gpu_device *g, volatile struct product_memory *memory, uint64_t at)
{
    volatile struct product_arguments *arguments = &memory->arguments[0];
    const uint64_t kernel = at + offsetof(struct product_memory, kernel);
    const uint64_t a = arguments->a;
    arguments->a = a | UINT64_C(1) << 40;
    const int early =
        smrf_dev_launch_described(g, kernel); /* told by then, if accesses take long */
    if ((early ? early : smrf_dev_wait_irq(g)) != -SMRF_GPU_ERROR_ADDRESS) {
        return 5;
    }
    arguments->a = a;
    return smrf_dev_launch_described(g, kernel) || smrf_dev_wait_irq(g) ? 6 : 0;
}

int product_run(struct smrf_gpu_device g[2], const struct smrf_gpu_io io[2],
                volatile struct product_memory *memory, uint64_t at, const uint32_t *code,
                uint32_t code_bytes, struct product_result *result)
{
    if (smrf_dev_init(&g[0], &io[0]) || smrf_dev_init(&g[1], &io[1]) || !smrf_dev_executes(&g[0]) ||
        !smrf_dev_executes(&g[1]) || code_bytes > PRODUCT_CODE) {
        return 1;
    }
    fill_(memory, code, code_bytes);
    for (uint32_t half = 0; half < 2; half++) {
        if (launch_(&g[half], memory, at, half, code_bytes)) {
            return 2;
        }
    }
    for (uint32_t half = 0; half < 2; half++) {
        const volatile struct smrf_gpu_completion *end = &memory->completion[half];
        if (smrf_dev_wait_irq(&g[half]) || end->state != 1 || end->tag != half) {
            return 3;
        }
        result->cycles[half] = end->cycles_lo | (uint64_t)end->cycles_hi << 32;
    }
    result->wrong = wrong_(memory);
    if (result->wrong) {
        return 4;
    }
    const int step = fault_(&g[0], memory, at);
    return step ? step : wrong_(memory) ? 7 : 0;
}
