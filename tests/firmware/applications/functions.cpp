// SPDX-License-Identifier: Apache-2.0
// Two images in one program; pointers to functions in buffers, virtual calls, recursion, the heap.
#include "host.h"

IMAGE(functions);
IMAGE(second);

static char give, apply, areas, recurse, combine, numbers;

__attribute__((constructor)) static void register_all()
{
    static image first(application_functions), second(application_second);
    first.kernel(&give, "give");
    first.kernel(&apply, "apply");
    first.kernel(&areas, "areas");
    first.kernel(&recurse, "recurse");
    first.end();
    second.kernel(&combine, "combine");
    second.variable(&numbers, "numbers", 16, false);
    second.end();
}

int main()
{
    int a[32], b[32], c[32];
    int *da, *db, *dc;
    void *which;
    for (int i = 0; i < 32; i++) {
        a[i] = 100 + i;
        b[i] = 3 * i;
    }
    OK(cudaMalloc(reinterpret_cast<void **>(&da), 128));
    OK(cudaMalloc(reinterpret_cast<void **>(&db), 128));
    OK(cudaMalloc(reinterpret_cast<void **>(&dc), 128));
    OK(cudaMalloc(&which, 16));
    OK(cudaMemcpy(da, a, 128, to_device));
    OK(cudaMemcpy(db, b, 128, to_device));
    OK(launch(&give, 1, 1, 0, nullptr, which));
    OK(launch(&apply, 1, 32, 0, nullptr, which, da, db, dc));
    OK(cudaMemcpy(c, dc, 128, to_host));
    for (int i = 0; i < 32; i++) {
        CHECK(c[i] == (i % 2 ? a[i] + b[i] : a[i] - b[i]));
    }
    OK(launch(&combine, 1, 32, 0, nullptr, dc)); // the second image while the first is in use
    OK(cudaMemcpy(c, dc, 128, to_host));
    static const int n[] = {1, 10, 100, 1000}, f[] = {2, 3, 5, 7};
    for (int i = 0; i < 32; i++) {
        CHECK(c[i] == n[i % 4] * f[i / 4 % 4] + i * i * i + 100);
    }
    void *handle; // since CUDA 12 a kernel's handle may stand for its function
    OK(cudaMemset(dc, 0, 128));
    OK(__cudaGetKernel(&handle, &combine));
    OK(launch(handle, 1, 32, 0, nullptr, dc));
    int again[32];
    OK(cudaMemcpy(again, dc, 128, to_host));
    CHECK(memcmp(again, c, 128) == 0);
    CHECK_CODE(launch(&handle, 1, 32, 0, nullptr, dc), 98); // neither
    CHECK(cudaGetLastError() == 98);
    const int changed = 200;
    OK(cudaMemcpyToSymbol(&numbers, &changed, 4, 8, to_device));
    OK(launch(&combine, 1, 32, 0, nullptr, dc));
    OK(cudaMemcpy(c, dc, 128, to_host));
    CHECK(c[2] == 200 * 2 + 8 + 200);
    OK(launch(&areas, 1, 32, 0, nullptr, dc, 32));
    OK(cudaMemcpy(c, dc, 128, to_host));
    for (int i = 0; i < 32; i++) {
        CHECK(c[i] == (i % 2 ? i * i : 3 * i));
    }
    OK(cudaDeviceSetLimit(0, 8192));
    OK(launch(&recurse, 1, 32, 0, nullptr, dc));
    OK(cudaMemcpy(c, dc, 128, to_host));
    static const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 32; i++) {
        CHECK(c[i] == fibonacci[i % 12]);
    }
    std::puts("passed");
    return 0;
}
