// SPDX-License-Identifier: Apache-2.0
// Streams, events and functions of the host keep the order that they were given.
#include "host.h"

IMAGE(streams);

static char append;
static int calls;

__attribute__((constructor)) static void register_all()
{
    static image m(application_streams);
    m.kernel(&append, "append");
    m.end();
}

static void on_host(void *used)
{
    int now;
    std::memcpy(&now, used, 4); // mapped: what the kernels before have written
    CHECK(now == 2);
    calls++;
}

int main()
{
    void *a, *b, *start, *end;
    int *list, *used;
    float milliseconds;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaMallocManaged(reinterpret_cast<void **>(&list), 64, 1));
    OK(cudaHostAlloc(reinterpret_cast<void **>(&used), 4, 2));
    *used = 0;
    CHECK_CODE(cudaEventElapsedTime(&milliseconds, start, end), 400); // not recorded
    CHECK(cudaGetLastError() == 400);
    OK(cudaEventRecord(start, a));
    OK(launch(&append, 1, 1, 0, a, list, used, 1));
    OK(launch(&append, 1, 1, 0, a, list, used, 2));
    OK(cudaLaunchHostFunc(a, on_host, used));
    OK(cudaEventRecord(end, a));
    OK(cudaStreamWaitEvent(b, end, 0));
    OK(launch(&append, 1, 1, 0, b, list, used, 3));
    OK(cudaStreamSynchronize(b));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds >= 0 && calls == 1);
    CHECK(*used == 3 && list[0] == 1 && list[1] == 2 && list[2] == 3);
    OK(cudaStreamDestroy(a));
    CHECK_CODE(cudaStreamDestroy(a), 400);
    CHECK_CODE(cudaStreamSynchronize(a), 400);
    OK(cudaStreamDestroy(b));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    std::puts("passed");
    return 0;
}
