/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the GPU around the SMs. */
#ifndef SMRF_GPU_PARAMS_H
#define SMRF_GPU_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_GPU_PARAMS(X)                                                                         \
    X(gpu, sms, NUM, 10, 1, 256, "SMs", "Malekeh Table I", "streaming multiprocessors")            \
    X(gpu, core_khz, NUM, 1365000, 1000, 4000000, "kHz", "Accel-Sim SM75_RTX2060",                 \
      "clock of SMs, interconnect and L2")                                                         \
    X(gpu, architecture, NUM, 75, 0, 999, "sm", "Turing TU106",                                    \
      "compute capability of the machine code that it runs (75 = sm_75); launches compiled for "   \
      "another one are noted; 0 = unknown")                                                        \
    X(gpu, launch_latency, NUM, 0, 0, 1000000, "cycles", "Accel-Sim uses 5000",                    \
      "from a kernel's launch to its first thread block")                                          \
    X(gpu, blocks_per_cycle, NUM, 1, 1, 32, "blocks/SM", "Accel-Sim issue_block2core",             \
      "thread blocks that one SM can start in one cycle")

struct smrf_gpu_params {
    SMRF_GPU_PARAMS(SMRF_PARAM_FIELD)
};

#endif
