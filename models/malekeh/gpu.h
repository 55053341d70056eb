/* SPDX-License-Identifier: Apache-2.0 */
/* Malekeh's part that is one a GPU. */
#ifndef SMRF_MALEKEH_GPU_H
#define SMRF_MALEKEH_GPU_H

#include "malekeh.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct smrf_gpu_seam smrf_malekeh_gpu_seam;

#ifdef __cplusplus
}
#endif

#endif
