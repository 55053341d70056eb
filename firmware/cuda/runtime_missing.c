/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#define SMRF_MISSING(name)                                                                         \
    SMRF_CUDA_API int name(void)                                                                   \
    {                                                                                              \
        return smrf_runtime_done(smrf_cuda_missing(#name, CUDA_NOT_SUPPORTED));                    \
    }
#include "runtime_missing.def"
