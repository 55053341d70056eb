// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory, as the compiler makes them of cuda::barrier.
#include "host.h"

IMAGE(barriers);

static char produce, leave, fetch;

int main()
{
    const image device(application_barriers);
    device.kernel(&produce, "produce");
    device.kernel(&leave, "leave");
    device.kernel(&fetch, "fetch");
    device.end();
    const int rounds = 7;
    int *in, *out;
    OK(cudaMallocManaged(reinterpret_cast<void **>(&in), 64 * rounds * sizeof *in, 1));
    OK(cudaMallocManaged(reinterpret_cast<void **>(&out), 64 * rounds * sizeof *out, 1));
    for (int i = 0; i < 64 * rounds; i++) {
        in[i] = 5 * i + 1;
    }
    OK(launch(&produce, 1, 64, 0, nullptr, in, out, rounds));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32 * rounds; i++) {
        CHECK(out[i] == 3 * in[i / 32 * 32 + 31 - i % 32]);
    }
    OK(launch(&leave, 1, 70, 0, nullptr, out));
    OK(cudaDeviceSynchronize());
    for (int i = 0, sum = 0; i < 69; i++) {
        sum += 70 - i;
        CHECK(out[i] == sum);
    }
    OK(launch(&fetch, 1, 64, 0, nullptr, in, out, rounds));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64 * rounds; i++) {
        CHECK(out[i] == in[i / 64 * 64 + 63 - i % 64] + i / 64);
    }
    std::puts("passed");
    return 0;
}
