// SPDX-License-Identifier: Apache-2.0
// A kernel that cannot be executed is refused at its launch, each time; the others run.
#include "host.h"

IMAGE(refused);

static char look, count;

__attribute__((constructor)) static void register_all()
{
    static image m(application_refused);
    m.kernel(&look, "look");
    m.kernel(&count, "count");
    m.end();
}

int main()
{
    int *out, got = -1;
    OK(cudaMalloc(reinterpret_cast<void **>(&out), 128));
    OK(cudaMemset(out, 0, 128));
    OK(launch(&count, 2, 32, 0, nullptr, out));
    for (int i = 0; i < 2; i++) {
        CHECK_CODE(launch(&look, 1, 32, 0, nullptr, 1ull, out), 801);
        CHECK(cudaGetLastError() == 801);
    }
    OK(launch(&count, 1, 32, 0, nullptr, out));
    OK(cudaMemcpy(&got, out, 4, to_host));
    CHECK(got == 96);
    puts("passed");
    return 0;
}
