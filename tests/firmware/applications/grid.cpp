// SPDX-License-Identifier: Apache-2.0
// A cooperative launch: blocks meet at the grid's barrier; without one the barrier is a trap.
#include "host.h"

IMAGE(grid);

static char rounds;

__attribute__((constructor)) static void register_all()
{
    static image m(application_grid);
    m.kernel(&rounds, "rounds");
    m.end();
}

int main()
{
    const int n = 6 * 96, steps = 7;
    static int host[2 * n];
    int *value, asked = steps;
    void *args[] = {&value, &asked};
    OK(cudaMalloc(reinterpret_cast<void **>(&value), sizeof host));
    for (int again = 0; again < 2; again++) { // the barrier begins anew
        for (int i = 0; i < n; i++) {
            host[i] = 10 * i;
        }
        OK(cudaMemcpy(value, host, sizeof host, to_device));
        OK(cudaLaunchCooperativeKernel(&rounds, 6, 96, args, 0, nullptr));
        OK(cudaMemcpy(host, value, sizeof host, to_host));
        for (int i = 0; i < n; i++) { // an odd number of steps: in the second half
            CHECK(host[n + i] == 10 * ((i + n - steps) % n) + steps);
        }
    }
    CHECK_CODE(cudaLaunchCooperativeKernel(&rounds, 65535, 1024, args, 0, nullptr), 720);
    CHECK(cudaGetLastError() == 720);
    OK(launch(&rounds, 1, 32, 0, nullptr, value, 1)); // fails later
    CHECK_CODE(cudaDeviceSynchronize(), 719);
    std::puts("passed");
    return 0;
}
