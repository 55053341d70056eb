/* SPDX-License-Identifier: Apache-2.0 */
/* The program product on a bare core: memory at 0 of the bus, the GPUs' registers behind it. What
 * it found is left in memory. */
#include "firmware/driver/product.h"

#define SHARED UINT64_C(0x4000)
#define RESULT UINT64_C(0x2000)
#define GPU(i) ((volatile uint32_t *)(UINT64_C(0x100000) * (1 + (i))))

extern const uint32_t product_code[], product_code_end[];

static struct smrf_gpu_device gpu[2];

void interrupt(void);
int main(void);

void interrupt(void)
{
    smrf_dev_irq(&gpu[0]);
    smrf_dev_irq(&gpu[1]);
}

int main(void)
{
    const struct smrf_gpu_io io[2] = {smrf_dev_mmio(GPU(0)), smrf_dev_mmio(GPU(1))};
    return product_run(gpu, io, (volatile struct product_memory *)SHARED, SHARED, product_code,
                       (uint32_t)(product_code_end - product_code) * 4,
                       (struct product_result *)RESULT);
}
