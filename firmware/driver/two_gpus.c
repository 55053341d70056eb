/* SPDX-License-Identifier: Apache-2.0 */
#include "two_gpus.h"

#include <stddef.h>

/* Both at once: the first is polled, the second interrupts. */
static int both_(struct smrf_gpu_device g[2], struct two_gpus_result *result)
{
    smrf_dev_irq_enable(&g[1], true);
    if (smrf_dev_launch(&g[0], 0, 1, 0) || smrf_dev_launch(&g[1], 1, 1, 0)) {
        return 2;
    }
    if (smrf_dev_wait(&g[0]) || smrf_dev_wait_irq(&g[1])) {
        return 3;
    }
    for (unsigned i = 0; i < 2; i++) {
        result->cycles[i] = smrf_dev_counter(&g[i], SMRF_GPU_CYCLES_LO);
        result->warp_insts[i] = smrf_dev_counter(&g[i], SMRF_GPU_WARP_INSTS_LO);
    }
    return 0;
}

static int described_(struct smrf_gpu_device *g, struct two_gpus_memory *memory, uint64_t at,
                      struct two_gpus_result *result)
{
    smrf_dev_describe(&memory->descriptor, 0, 2, 0,
                      at + offsetof(struct two_gpus_memory, completion), 77);
    memory->completion.state = 0;
    if (smrf_dev_launch_described(g, at) || smrf_dev_wait(g)) {
        return 4;
    }
    if (memory->completion.state != 1) {
        return 5;
    }
    result->tag = memory->completion.tag;
    result->described = memory->completion.cycles_lo | (uint64_t)memory->completion.cycles_hi << 32;
    return 0;
}

/* A launch that is too long is given up, and one over another refused. */
static int mistakes_(struct smrf_gpu_device *g)
{
    if (smrf_dev_launch(g, 1, 1, 2000) || smrf_dev_launch(g, 1, 1, 0) != -SMRF_GPU_ERROR_BUSY) {
        return 6;
    }
    if (smrf_dev_wait(g) != -SMRF_GPU_ERROR_LIMIT ||
        smrf_dev_launch(g, 1, 1, 0) != -SMRF_GPU_ERROR_NEEDS_RESET) {
        return 7;
    }
    smrf_dev_reset(g);
    return smrf_dev_launch(g, 0, 1, 0) || smrf_dev_wait(g) ? 8 : 0;
}

int two_gpus_run(struct smrf_gpu_device g[2], const struct smrf_gpu_io io[2],
                 struct two_gpus_memory *memory, uint64_t at, struct two_gpus_result *result)
{
    bool is_ratio = true;
    if (smrf_dev_init(&g[0], &io[0]) || smrf_dev_init(&g[1], &io[1])) {
        return 1;
    }
    int step = both_(g, result);
    step = step ? step : described_(&g[0], memory, at, result);
    step = step ? step : mistakes_(&g[1]);
    if (step) {
        return step;
    }
    const int index = smrf_dev_find_statistic(&g[1], "rf.bank_reads");
    if (index < 0) {
        return 9;
    }
    result->bank_reads = smrf_dev_statistic(&g[1], (uint32_t)index, &is_ratio);
    return is_ratio ? 10 : 0;
}
