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

static void pools()
{
    void *first, *own, *now;
    int supported, on = 7;
    unsigned long long bytes = 1ull << 40;
    int *memory;
    OK(cudaDeviceGetAttribute(&supported, 115, 0));
    OK(cudaDeviceGetDefaultMemPool(&first, 0));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(supported == 1 && now == first);
    OK(cudaMemPoolCreate(&own, nullptr));
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == own && own != first);
    OK(cudaMemPoolGetAttribute(own, 1, &on)); // a switch, on by default
    CHECK(on == 1);
    on = 0;
    OK(cudaMemPoolSetAttribute(own, 1, &on));
    on = 1;
    OK(cudaMemPoolGetAttribute(own, 1, &on));
    CHECK(on == 0);
    OK(cudaMemPoolSetAttribute(own, 4, &bytes)); // the threshold
    bytes = 0;
    OK(cudaMemPoolGetAttribute(own, 4, &bytes));
    CHECK(bytes == 1ull << 40);
    CHECK_CODE(cudaMemPoolGetAttribute(own, 5, &bytes), 801); // not known
    CHECK(cudaGetLastError() == 801);
    OK(cudaMallocFromPoolAsync(reinterpret_cast<void **>(&memory), 64, own, nullptr));
    OK(cudaMemset(memory, 0, 64));
    OK(cudaFreeAsync(memory, nullptr));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == first);
    CHECK_CODE(cudaMemPoolDestroy(first), 1);
    CHECK_CODE(cudaMallocFromPoolAsync(reinterpret_cast<void **>(&memory), 64, own, nullptr), 1);
    CHECK(cudaGetLastError() == 1);
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
    pools();
    std::puts("passed");
    return 0;
}
