/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses the driver: it keeps two GPUs busy, one awaited by polling, the other by
 * interrupt, launches from a descriptor, makes a mistake on purpose and recovers. Freestanding. */
#ifndef SMRF_TWO_GPUS_H
#define SMRF_TWO_GPUS_H

#include "smrf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that the core and both GPUs see at the same addresses. */
struct two_gpus_memory {
    struct smrf_gpu_descriptor descriptor;
    struct smrf_gpu_completion completion;
};

struct two_gpus_result {
    uint64_t cycles[2]; /* of the first launches */
    uint64_t warp_insts[2];
    uint64_t described;  /* cycles of the launch from a descriptor, as its completion says */
    uint64_t bank_reads; /* a statistic found by name */
    uint32_t tag;
};

/* g: the devices, whose interrupt handler calls smrf_dev_irq. memory, at: the same place, as the
 * core and as the GPUs see it. Returns 0, or the number of the step that went wrong. */
int two_gpus_run(struct smrf_gpu_device g[2], const struct smrf_gpu_io io[2],
                 struct two_gpus_memory *memory, uint64_t at, struct two_gpus_result *result);

#ifdef __cplusplus
}
#endif

#endif
