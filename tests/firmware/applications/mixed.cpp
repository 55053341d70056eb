// SPDX-License-Identifier: Apache-2.0
// A program of the runtime that calls the driver, too, without cuInit: the runtime's context is
// current.
#include "host.h"

IMAGE(streams);

extern "C" {
int cuCtxGetCurrent(void **);
int cuCtxGetDevice(int *);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuCtxSetCurrent(void *);
int cuDeviceGet(int *, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemFree_v2(uint64_t);
}

static char append;

int main()
{
    const image device(application_streams);
    device.kernel(&append, "append");
    device.end();
    int number = 7, got, value = 5, *list;
    void *current, *primary;
    uint64_t used;
    OK(cudaMalloc(reinterpret_cast<void **>(&list), 128));
    OK(cuCtxGetDevice(&number));
    CHECK(number == 0);
    OK(cuDeviceGet(&number, 0));
    OK(cuCtxGetCurrent(&current));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(current != nullptr && current == primary);
    OK(cuMemAlloc_v2(&used, 4));
    OK(cudaMemset(reinterpret_cast<void *>(used), 0, 4));
    OK(launch(&append, 1, 32, 0, nullptr, list, used, value));
    OK(cudaMemcpy(&got, list + 31, 4, to_host));
    CHECK(got == 5);
    OK(cuMemFree_v2(used));
    OK(cuCtxPopCurrent_v2(&current));
    CHECK(current == primary);
    CHECK_CODE(cuCtxGetDevice(&number), 201);
    CHECK_CODE(cuCtxPopCurrent_v2(&current), 201);
    OK(cuCtxPushCurrent_v2(primary));
    OK(cuCtxSetCurrent(nullptr));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == nullptr);
    std::puts("passed");
    return 0;
}
