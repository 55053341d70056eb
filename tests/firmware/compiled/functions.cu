// SPDX-License-Identifier: Apache-2.0
// One kernel a function. functions.sass.xz is the text of
//   nvcc -arch=sm_75 -fmad=false -cubin functions.cu; nvdisasm functions.cubin      (CUDA 11.8)
#include "functions.h"

#define KERNEL(name)                                                                               \
    extern "C" __global__ void run_##name(uint32_t *out, const uint32_t *in, uint32_t count)       \
    {                                                                                              \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        if (i < count)                                                                             \
            out[i] = name(in[3 * i], in[3 * i + 1], in[3 * i + 2]);                                \
    }

ALL_FUNCTIONS(KERNEL)
