// SPDX-License-Identifier: Apache-2.0
// killed HOW: three launches, then an end that is not exit()'s, or a long launch.
#include "host.h"

#include <csignal>
#include <string>
#include <sys/time.h>
#include <unistd.h>

IMAGE(streams);

static char append;

static void die(int)
{
    std::raise(SIGKILL);
}

int main(int, char **argv)
{
    const image device(application_streams);
    device.kernel(&append, "append");
    device.end();
    const unsigned blocks = 1 << 17;
    int *list, *used, got[96];
    OK(cudaMalloc(reinterpret_cast<void **>(&list), blocks * 1024ul));
    OK(cudaMalloc(reinterpret_cast<void **>(&used), sizeof *used));
    OK(cudaMemset(used, 0, sizeof *used));
    for (int i = 0; i < 3; i++) {
        OK(launch(&append, 1, 32, 0, nullptr, list, used, i));
    }
    OK(cudaMemcpy(got, list, sizeof got, to_host));
    CHECK(got[0] == 0 && got[95] == 2);
    std::puts("launched");
    std::fflush(stdout);
    const std::string how = argv[1];
    if (how == "abort") {
        std::abort();
    } else if (how == "leave") {
        _exit(5);
    } else if (how == "kill") {
        std::raise(SIGKILL);
    } else {
        const itimerval soon = {{0, 0}, {0, how == "within" ? 100000 : 0}};
        std::signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &soon, nullptr);
        OK(cudaMemset(used, 0, sizeof *used));
        OK(launch(&append, blocks, 256, 0, nullptr, list, used, 7));
    }
    return 1;
}
