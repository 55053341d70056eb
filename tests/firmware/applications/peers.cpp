// SPDX-License-Identifier: Apache-2.0
// Calls for several devices and for access to memory, on the one device that there is.
#include "host.h"

IMAGE(streams);

struct peer_copy {
    void *from_array;
    cuda_position from_position;
    cuda_pitched from;
    int from_device;
    void *to_array;
    cuda_position to_position;
    cuda_pitched to;
    int to_device;
    cuda_extent extent;
};
struct location {
    int type, number;
};
struct access_of {
    location where;
    int flags;
};
struct launch_params {
    const void *function;
    dim3 grid, block;
    void **args;
    size_t shared;
    void *stream;
};

extern "C" {
int cudaDeviceCanAccessPeer(int *, int, int);
int cudaDeviceEnablePeerAccess(int, unsigned);
int cudaDeviceGetP2PAttribute(int *, int, int, int);
int cudaMemcpyPeer(void *, int, const void *, int, size_t);
int cudaMemcpy3DPeer(const peer_copy *);
int cudaMemPoolSetAccess(void *, const access_of *, size_t);
int cudaMemPoolGetAccess(int *, void *, const location *);
int cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const int *, int);
int cudaLaunchCooperativeKernelMultiDevice(launch_params *, unsigned, unsigned);
}

static char append;

int main()
{
    const image device(application_streams);
    device.kernel(&append, "append");
    device.end();
    int value, data[64], back[64];
    int *a, *b;
    for (int i = 0; i < 64; i++) {
        data[i] = 3 * i;
    }
    CHECK_CODE(cudaDeviceCanAccessPeer(&value, 0, 1), 101);
    CHECK_CODE(cudaDeviceEnablePeerAccess(1, 0), 101);
    CHECK_CODE(cudaDeviceGetP2PAttribute(&value, 1, 0, 1), 101);
    OK(cudaMalloc(reinterpret_cast<void **>(&a), sizeof data));
    OK(cudaMalloc(reinterpret_cast<void **>(&b), sizeof data));
    OK(cudaMemcpy(a, data, sizeof data, to_device));
    OK(cudaMemset(b, 0, sizeof data));
    OK(cudaMemcpyPeer(b, 0, a, 0, 16));
    CHECK_CODE(cudaMemcpyPeer(b, 1, a, 0, 16), 101);
    peer_copy c = {};
    c.from = {a, 32, 8, 8};
    c.from_position = {8, 1, 0}; // bytes, rows
    c.to = {b, 32, 8, 8};
    c.to_position = {0, 4, 0};
    c.extent = {12, 3, 1};
    OK(cudaMemcpy3DPeer(&c));
    OK(cudaMemcpy(back, b, sizeof back, to_host));
    for (int i = 0; i < 64; i++) {
        const int x = i % 8, y = i / 8;
        const bool copied = x < 3 && y >= 4 && y < 7;
        CHECK(back[i] == (i < 4 ? data[i] : copied ? data[(y - 3) * 8 + x + 2] : 0));
    }
    c.to_device = 1;
    CHECK_CODE(cudaMemcpy3DPeer(&c), 101);

    void *pool;
    const access_of mine = {{1, 0}, 3}, none = {{1, 0}, 0}, other = {{1, 1}, 3};
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolGetAccess(&value, pool, &mine.where));
    CHECK(value == 3);
    OK(cudaMemPoolSetAccess(pool, &mine, 1));
    CHECK_CODE(cudaMemPoolSetAccess(pool, &none, 1), 1);
    CHECK_CODE(cudaMemPoolSetAccess(pool, &other, 1), 101);

    size_t width;
    const int floats[] = {32, 0, 0, 0, 2};
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, floats, 0));
    CHECK(width == 1 << 28);

    int number = 7;
    void *args[] = {&a, &b, &number};
    launch_params p = {&append, 1, 32, args, 0, nullptr};
    OK(cudaMemset(b, 0, 4));
    OK(cudaLaunchCooperativeKernelMultiDevice(&p, 1, 0));
    CHECK_CODE(cudaLaunchCooperativeKernelMultiDevice(&p, 2, 0), 1);
    OK(cudaMemcpy(back, a, sizeof back, to_host));
    CHECK(back[0] == 7 && back[31] == 7 && back[32] == data[32]);
    std::puts("passed");
    return 0;
}
