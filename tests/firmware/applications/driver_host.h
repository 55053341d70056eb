// SPDX-License-Identifier: Apache-2.0
// For applications that call the driver alone: the calls that all of them make, and checks that
// name the driver's errors.
#ifndef SMRF_TEST_APPLICATION_DRIVER_HOST_H
#define SMRF_TEST_APPLICATION_DRIVER_HOST_H

#include "host.h"

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleUnload(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void *, void **, void **);
int cuMemAllocManaged(uint64_t *, size_t, unsigned);
int cuGetErrorName(int, const char **);
}

#undef CHECK_CODE
#define CHECK_CODE(call, code)                                                                     \
    do {                                                                                           \
        const int got_ = (call);                                                                   \
        const char *name_ = "?";                                                                   \
        if (got_ != (code)) {                                                                      \
            cuGetErrorName(got_, &name_);                                                          \
            std::fprintf(stderr, "%s:%d: %s gives %d (%s), not %d\n", __FILE__, __LINE__, #call,   \
                         got_, name_, code);                                                       \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

#endif
