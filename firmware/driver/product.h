/* SPDX-License-Identifier: Apache-2.0 */
/* A program that computes on two GPUs: it fills two matrices in the memory that all share, has each
 * GPU multiply half of the rows (product.cu), waits for their interrupts and checks the product.
 * Freestanding. */
#ifndef SMRF_PRODUCT_H
#define SMRF_PRODUCT_H

#include "smrf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PRODUCT_SIZE 32   /* rows and columns */
#define PRODUCT_CODE 8192 /* bytes of machine code at most */

/* The kernel's parameters. */
struct product_arguments {
    uint64_t a, b, c;
    int32_t n;
};

/* Memory that the core and both GPUs see at the same addresses. */
struct product_memory {
    struct smrf_gpu_kernel kernel[2];
    struct smrf_gpu_completion completion[2];
    struct product_arguments arguments[2];
    uint32_t a[PRODUCT_SIZE * PRODUCT_SIZE], b[PRODUCT_SIZE * PRODUCT_SIZE];
    uint32_t c[PRODUCT_SIZE * PRODUCT_SIZE];
    uint32_t code[PRODUCT_CODE / 4];
};

struct product_result {
    uint64_t cycles[2]; /* of the launches */
    uint32_t wrong;     /* elements */
};

/* g: the devices, whose interrupt handler calls smrf_dev_irq for both. memory, at: the same place,
 * as the core and as the GPUs see it. code: the kernel, a multiple of 4 bytes. Returns 0, or the
 * number of the step that went wrong. */
int product_run(struct smrf_gpu_device g[2], const struct smrf_gpu_io io[2],
                volatile struct product_memory *memory, uint64_t at, const uint32_t *code,
                uint32_t code_bytes, struct product_result *result);

#ifdef __cplusplus
}
#endif

#endif
