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

#endif
