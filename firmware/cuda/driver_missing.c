/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#define SMRF_MISSING(name)                                                                         \
    SMRF_CUDA_API int name(void)                                                                   \
    {                                                                                              \
        return smrf_cuda_missing(#name, CUDA_NOT_SUPPORTED);                                       \
    }
#include "driver_missing.def"
