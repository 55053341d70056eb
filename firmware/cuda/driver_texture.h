/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's entry points for arrays and for textures share. */
#ifndef SMRF_CUDA_DRIVER_TEXTURE_H
#define SMRF_CUDA_DRIVER_TEXTURE_H

#include "textures.h"

struct smrf_driver_plane { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};

/* The channels of a CU_AD_FORMAT_... */
int smrf_driver_channels(struct smrf_cuda_channels *channels, int format, unsigned number);

#endif
