/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_MEMORY_CONFIG_H
#define SMRF_MEMORY_CONFIG_H

#include "memory_params.h"

#include "models/common/gpu_params.h"

#include <stdbool.h>

/* Parameters that the memory looks at. */
struct smrf_memory_config {
    struct smrf_gpu_params gpu;
    struct smrf_noc_params noc;
    struct smrf_l2_params l2;
    struct smrf_dram_params dram;
    bool estimates; /* the view scoreboard: no cycles (memory_estimate.h) */
};

#endif
