/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the driver's entry points (libcuda). As with the runtime's, the prototypes are the
 * programs' own. */
#ifndef SMRF_CUDA_DRIVER_H
#define SMRF_CUDA_DRIVER_H

#include "core.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define SMRF_ALSO(name, other)                                                                     \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("default")))

/* A context: all of them share the one device. */
struct smrf_driver_context {
    struct smrf_driver_context *next;
    unsigned flags;
    bool primary;
};
/* Of the calling thread; NULL = none. */
struct smrf_driver_context *smrf_driver_current(void);
struct smrf_driver_context *smrf_driver_primary(void);
/* 0, or CUDA_NOT_INITIALIZED before cuInit, or CUDA_INVALID_CONTEXT without a context. */
int smrf_driver_ready(void);

/* Takes the parameters from CU_LAUNCH_PARAM_..: where the launch has no arguments of its own. */
int smrf_driver_params(struct smrf_cuda_launch *launch, void *const *extra);

/* The texture and surface references of a module that goes. */
void smrf_driver_forget_references(const struct smrf_cuda_module *module);

/* CUDA_MEMCPY3D, and the work that it asks for. */
struct smrf_driver_copy3d {
    size_t from_x, from_y, from_z, from_lod;
    int from_type;
    const void *from_host;
    uint64_t from_device;
    void *from_array, *reserved0;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_lod;
    int to_type;
    void *to_host;
    uint64_t to_device;
    void *to_array, *reserved1;
    size_t to_pitch, to_height;
    size_t width, height, depth;
};
struct smrf_cuda_work;
int smrf_driver_copy_3d(const struct smrf_driver_copy3d *copy, struct smrf_cuda_work *work);

#endif
