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

struct smrf_driver_sampler { /* CUDA_TEXTURE_DESC */
    int mode[3];
    int filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level[3];
    float border[4];
    int reserved[12];
};

/* The channels of a CU_AD_FORMAT_..., and the format of channels, 0 if there is none. */
int smrf_driver_channels(struct smrf_cuda_channels *channels, int format, unsigned number);
int smrf_driver_format(const struct smrf_cuda_channels *channels);
/* A width for linear memory of `bytes`, with the channels that the source has. */
int smrf_driver_line(struct smrf_cuda_source *source, uint64_t bytes);
/* Integers of 32 bits are read as they are, whatever the flags say. */
int smrf_driver_texture(uint32_t *handle, const struct smrf_cuda_source *source,
                        const struct smrf_driver_sampler *sampler);

#endif
