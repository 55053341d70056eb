// SPDX-License-Identifier: Apache-2.0
// Speed of replay: the trace reader alone, the cores driven by a plain loop, and the SystemC
// platform, on the same traces, in turn, in processes of their own. The figure of each is the best
// of the rounds, in processor seconds, so that a busy machine disturbs it little.
//
// usage: bench-replay [-r ROUNDS] [-p PRESET] [-m MECHANISM].. [-c] TRACE..
// -c: with the value oracle; -m: a line for each mechanism, the baseline if there is none
#include "platform/platform.h"
#include "traces/trace.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <systemc>
#include <unistd.h>
#include <vector>

namespace
{

struct sample {
    double seconds;
    uint64_t insts;
};

double processor_seconds()
{
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

[[noreturn]] void fail(const char *what, const char *text)
{
    std::fprintf(stderr, "bench-replay: %s: %s\n", what, text);
    std::_Exit(1);
}

sample read_only(const char *trace)
{
    smrf_trace *t = nullptr;
    smrf_kernel_info info;
    smrf_trace_block *block = nullptr;
    const double start = processor_seconds();
    if (smrf_trace_open(&t, trace, nullptr) < 0) {
        fail(trace, smrf_trace_error(t));
    }
    uint64_t insts = 0;
    static smrf_inst inst;
    while (smrf_trace_next_kernel(t, &info) == 1) {
        while (smrf_trace_next_block(t, &block) == 1) {
            for (uint32_t w = 0; w < smrf_trace_block_warps(block); w++) {
                while (smrf_trace_next_inst(block, w, &inst) == 1) {
                    insts++;
                }
            }
            smrf_trace_release_block(t, block);
        }
    }
    smrf_trace_close(t);
    return {processor_seconds() - start, insts};
}

sample replay(const char *engine, const char *preset, const char *mechanism, bool check,
              const char *trace)
{
    smrf_platform *p = nullptr;
    if (smrf_platform_create(&p) < 0 || smrf_platform_preset(p, preset) < 0 ||
        smrf_platform_mechanism(p, mechanism) < 0 || smrf_platform_engine(p, engine) < 0 ||
        smrf_platform_set(p, check ? "sim.check=1" : "sim.check=0") < 0 ||
        smrf_platform_add_trace(p, trace) < 0 || smrf_platform_build(p) < 0) {
        fail(engine, p ? smrf_platform_error(p) : "out of memory");
    }
    const double start = processor_seconds();
    if (smrf_platform_run(p, UINT64_MAX) < 0) {
        fail(trace, smrf_platform_error(p));
    }
    const double seconds = processor_seconds() - start;
    uint64_t insts = 0;
    smrf_platform_count(p, "instructions.warp", &insts);
    return {seconds, insts};
}

// One measurement in a process of its own: SystemC allows one simulation a process.
template <class F> sample in_child(F measure)
{
    auto *shared = static_cast<sample *>(
        mmap(nullptr, sizeof(sample), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared == MAP_FAILED) {
        fail("mmap", std::strerror(errno));
    }
    const pid_t pid = fork();
    if (pid == 0) {
        *shared = measure();
        std::_Exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (pid < 0 || status != 0) {
        fail("a measurement", "failed");
    }
    const sample result = *shared;
    munmap(shared, sizeof(sample));
    return result;
}

void keep_best(sample &best, const sample &s)
{
    if (best.seconds == 0 || s.seconds < best.seconds) {
        best = s;
    }
}

double rate(const sample &s)
{
    return s.seconds > 0 ? 1e-6 * static_cast<double>(s.insts) / s.seconds : 0;
}

} // namespace

extern "C" int sc_main(int argc, char *argv[])
{
    int rounds = 5, option;
    const char *preset = "rtx2060-accelsim";
    std::vector<const char *> mechanisms;
    bool check = false;
    while ((option = getopt(argc, argv, "r:p:m:c")) != -1) {
        if (option == 'r') {
            rounds = std::atoi(optarg);
        } else if (option == 'p') {
            preset = optarg;
        } else if (option == 'm') {
            mechanisms.push_back(optarg);
        } else if (option == 'c') {
            check = true;
        } else {
            std::fprintf(stderr, "usage: bench-replay [-r ROUNDS] [-p PRESET] [-m MECHANISM].. "
                                 "[-c] TRACE..\n");
            return 2;
        }
    }
    if (mechanisms.empty()) {
        mechanisms.push_back("baseline");
    }
    std::printf("million warp instructions a processor second, best of %d, %s, checks %s\n"
                "%-28s %-16s %10s %8s %8s %8s %16s %14s\n",
                rounds, preset, check ? "on" : "off", "trace", "mechanism", "insts", "reader",
                "plain", "SystemC", "SystemC / plain", "reader / SystemC");
    for (int i = optind; i < argc; i++) {
        const size_t n = mechanisms.size();
        sample reader{};
        std::vector<sample> plain(n), systemc(n);
        for (int r = 0; r < rounds; r++) {
            keep_best(reader, in_child([&] { return read_only(argv[i]); }));
            for (size_t m = 0; m < n; m++) { // in turn, so that all see the same disturbances
                auto on = [&](const char *engine) {
                    return in_child(
                        [&] { return replay(engine, preset, mechanisms[m], check, argv[i]); });
                };
                keep_best(plain[m], on("direct"));
                keep_best(systemc[m], on("systemc"));
            }
        }
        const char *name = std::strrchr(argv[i], '/');
        for (size_t m = 0; m < n; m++) {
            std::printf("%-28s %-16s %10llu %8.2f %8.2f %8.2f %16.2f %14.1f\n",
                        name ? name + 1 : argv[i], mechanisms[m],
                        static_cast<unsigned long long>(systemc[m].insts), rate(reader),
                        rate(plain[m]), rate(systemc[m]), systemc[m].seconds / plain[m].seconds,
                        systemc[m].seconds / reader.seconds);
        }
        std::fflush(stdout);
    }
    return 0;
}
