// SPDX-License-Identifier: Apache-2.0
// Calls on graphs that more than one application makes, and what they take.
#ifndef SMRF_TESTS_APPLICATIONS_GRAPH_HOST_H
#define SMRF_TESTS_APPLICATIONS_GRAPH_HOST_H

#include "host.h"

extern "C" {
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaMallocAsync(void **, size_t, void *);
int cudaEventQuery(void *);
int cudaGraphDestroy(void *);
int cudaGraphClone(void **, void *);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphExecDestroy(void *);
int cudaGraphLaunch(void *, void *);
int cudaGraphAddChildGraphNode(void **, void *, void *const *, size_t, void *);
int cudaGraphAddKernelNode(void **, void *, void *const *, size_t, const void *);
int cudaGraphAddHostNode(void **, void *, void *const *, size_t, const void *);
int cudaGraphAddMemsetNode(void **, void *, void *const *, size_t, const void *);
int cudaGraphAddMemcpyNode1D(void **, void *, void *const *, size_t, void *, const void *, size_t,
                             int);
}

struct kernel_params {
    const void *function;
    dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};
struct fill_params {
    void *to;
    size_t pitch;
    unsigned value, size;
    size_t width, height;
};
struct host_params {
    void (*function)(void *);
    void *data;
};

#endif
