/* SPDX-License-Identifier: Apache-2.0 */
/* From an image in a program's memory to a module. */
#ifndef SMRF_CUDA_IMAGE_H
#define SMRF_CUDA_IMAGE_H

#include "core.h"

/* Offers the device the architectures of an image that is to be read later. */
void smrf_cuda_image_offer(const void *image, uint64_t bytes);

/* bytes 0: the image says itself how long it is. It is placed at `where`. On failure error
 * says why. */
int smrf_cuda_image_read(struct smrf_sass_module **module, const void *image, uint64_t bytes,
                         const struct smrf_sass_where *where, char error[SMRF_SASS_ERROR_BYTES]);

#endif
