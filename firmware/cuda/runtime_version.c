/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the runtime libraries of CUDA's major versions. */
#include "runtime.h"

SMRF_CUDA_API int cudaRuntimeGetVersion(int *version)
{
    if (version == NULL) {
        return smrf_runtime_done(CUDA_INVALID_VALUE);
    }
    *version = SMRF_CUDART_VERSION;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}
