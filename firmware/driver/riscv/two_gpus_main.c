/* SPDX-License-Identifier: Apache-2.0 */
/* The program two_gpus on a bare core: memory at 0 of the bus, the GPUs' registers behind it. What
 * it found is left in memory. */
#include "firmware/driver/two_gpus.h"

#define SHARED UINT64_C(0x1000)
#define RESULT UINT64_C(0x2000)
#define GPU(i) ((volatile uint32_t *)(UINT64_C(0x100000) * (1 + (i))))

static struct smrf_gpu_device gpu[2];

void interrupt(void);
int main(void);

void interrupt(void)
{
    smrf_dev_irq(&gpu[1]);
}

int main(void)
{
    const struct smrf_gpu_io io[2] = {smrf_dev_mmio(GPU(0)), smrf_dev_mmio(GPU(1))};
    return two_gpus_run(gpu, io, (struct two_gpus_memory *)SHARED, SHARED,
                        (struct two_gpus_result *)RESULT);
}
