/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the runtime library (libcudart): its entry points and the types that they take, as
 * programs compiled against CUDA's headers pass them. The prototypes are the programs' own, so none
 * are declared here. */
#ifndef SMRF_CUDA_RUNTIME_H
#define SMRF_CUDA_RUNTIME_H

#include "core.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* An entry point that another name has as well: programs compiled for streams a thread
 * (--default-stream per-thread) call those. */
#define SMRF_ALSO(name, other)                                                                     \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("default")))

struct cuda_dim3 {
    uint32_t x, y, z;
};
struct cuda_extent {
    size_t width, height, depth;
};
struct cuda_position {
    size_t x, y, z;
};
struct cuda_pitched {
    void *at;
    size_t pitch, width, height;
};
struct cuda_copy3d {
    void *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    void *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int direction;
};

/* Keeps an error as the thread's last one; returns it. */
int smrf_runtime_done(int rc);

/* What a program has registered (runtime_register.c). With the lock held. */
int smrf_runtime_kernel(const void *host, struct smrf_cuda_kernel **kernel);
int smrf_runtime_symbol(const void *host, void **address, uint64_t *bytes);
/* Of a registered image. */
struct smrf_cuda_module *smrf_runtime_module(void **handle);

/* Where a part of a variable is (runtime_memory.c). Without the lock. */
int smrf_runtime_symbol_part(const void *symbol, size_t offset, size_t bytes, void **part);

/* The work of a copy in three dimensions, of memory and arrays (runtime_array.c). */
struct smrf_cuda_work;
int smrf_runtime_copy_3d(const struct cuda_copy3d *copy, struct smrf_cuda_work *work);

#endif
