// SPDX-License-Identifier: Apache-2.0
// Speed of replay: the trace reader alone, the cores driven by a plain loop, and the SystemC
// platform, in which every wire is a TLM transaction, on the same traces, in turn, in processes of
// their own. The last column is the cost of TLM: SystemC's time over the plain loop's. Of each: how
// long the machine takes to be built, the least, the median and the most instructions a second over
// the rounds, and the memory at its peak. One thread is measured in processor time, so that a busy
// machine disturbs it little; several are measured in real time, which wants a quiet one.
//
// usage: bench-replay [-r ROUNDS] [-p PRESET] [-m MECHANISM].. [-t THREADS] [-c] [-u] TRACE..
// -c: with the value oracle; -m: lines for each mechanism, the baseline if there is none; -t: also
// on so many threads; -u: what users run instead, each paper's design on its machine with the value
// oracle, and how many times the baseline's time of that machine and engine it takes
#include "platform/platform.h"
#include "traces/trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
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
    double start, seconds; // to build the machine; to replay the trace
    double megabytes;
    uint64_t insts;
};

double processor_seconds()
{
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

double real_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
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
    return {0, processor_seconds() - start, 0, insts};
}

struct setup {
    const char *preset, *mechanism, *engine;
    unsigned threads;
    bool check;
};

sample replay(const setup &s, const char *trace)
{
    const auto now = s.threads > 1 ? real_seconds : processor_seconds;
    const double begin = now();
    smrf_platform *p = nullptr;
    if (smrf_platform_create(&p) < 0 || smrf_platform_preset(p, s.preset) < 0 ||
        smrf_platform_mechanism(p, s.mechanism) < 0 || smrf_platform_engine(p, s.engine) < 0 ||
        smrf_platform_threads(p, s.threads) < 0 ||
        smrf_platform_set(p, s.check ? "sim.check=1" : "sim.check=0") < 0 ||
        smrf_platform_add_trace(p, trace) < 0 || smrf_platform_build(p) < 0) {
        fail(s.engine, p ? smrf_platform_error(p) : "out of memory");
    }
    const double built = now();
    if (smrf_platform_run(p, UINT64_MAX) < 0) {
        fail(trace, smrf_platform_error(p));
    }
    const double seconds = now() - built;
    uint64_t insts = 0;
    smrf_platform_count(p, "instructions.warp", &insts);
    return {built - begin, seconds, 0, insts};
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
    rusage used{};
    wait4(pid, &status, 0, &used);
    if (pid < 0 || status != 0) {
        fail("a measurement", "failed");
    }
    sample result = *shared;
    result.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
    munmap(shared, sizeof(sample));
    return result;
}

double rate(const sample &s)
{
    return s.seconds > 0 ? 1e-6 * static_cast<double>(s.insts) / s.seconds : 0;
}

// What is measured of a trace, over the rounds.
struct row {
    std::string preset, mechanism, engine;
    unsigned threads;
    std::function<sample()> measure;
    std::vector<sample> samples;

    std::vector<double> rates() const // ascending
    {
        std::vector<double> all;
        for (const sample &s : samples) {
            all.push_back(rate(s));
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    double least_start() const
    {
        double least = samples[0].start;
        for (const sample &s : samples) {
            least = std::min(least, s.start);
        }
        return least;
    }
};

void print(const char *trace, const row &r, double compared)
{
    const std::vector<double> rates = r.rates();
    char ratio[16] = "";
    if (compared > 0) {
        std::snprintf(ratio, sizeof ratio, "%.2f", compared / rates.back());
    }
    std::printf("%-20s %-16s %-14s %-8s %7u %10llu %8.1f %7.2f %7.2f %7.2f %8.1f %9s\n", trace,
                r.preset.c_str(), r.mechanism.c_str(), r.engine.c_str(), r.threads,
                static_cast<unsigned long long>(r.samples[0].insts), 1e3 * r.least_start(),
                rates.front(), rates[rates.size() / 2], rates.back(), r.samples[0].megabytes,
                ratio);
}

struct options {
    int rounds = 5;
    const char *preset = "rtx2060-accelsim";
    std::vector<const char *> mechanisms;
    bool check = false, users = false;
    unsigned threads = 1;
};

row replayed(const setup &s, const char *trace)
{
    return {s.preset, s.mechanism, s.engine, s.threads, [=] { return replay(s, trace); }, {}};
}

// The reader, and a machine with both engines: the cost of TLM.
std::vector<row> chosen_rows(const options &o, const char *trace)
{
    std::vector<row> rows;
    rows.push_back({"-", "-", "reader", 1, [=] { return read_only(trace); }, {}});
    for (const char *mechanism : o.mechanisms) {
        for (const unsigned n : {1u, o.threads}) {
            for (const char *engine : {"direct", "systemc"}) {
                rows.push_back(replayed({o.preset, mechanism, engine, n, o.check}, trace));
            }
            if (o.threads == 1) {
                break;
            }
        }
    }
    return rows;
}

// What users run: the default machine and the papers' machines.
std::vector<row> users_rows(const char *trace)
{
    static const struct {
        const char *preset;
        std::vector<const char *> mechanisms;
    } machines[] = {{"rtx2060-paper", {"baseline", "malekeh-long", "bow-long", "rfc", "ltrf"}},
                    {"larf-paper", {"baseline", "larf"}},
                    {"cars-paper", {"baseline", "cars"}}};
    std::vector<row> rows;
    for (const char *engine : {"direct", "systemc"}) {
        for (const auto &m : machines) {
            for (const char *mechanism : m.mechanisms) {
                rows.push_back(replayed({m.preset, mechanism, engine, 1, true}, trace));
            }
        }
    }
    return rows;
}

void measure(const options &o, const char *trace)
{
    const char *slash = std::strrchr(trace, '/');
    std::vector<row> rows = o.users ? users_rows(trace) : chosen_rows(o, trace);
    for (int r = 0; r < o.rounds; r++) { // in turn, so that all see the same disturbances
        for (row &each : rows) {
            each.samples.push_back(in_child(each.measure));
        }
    }
    double compared = 0;
    for (const row &each : rows) {
        const bool base =
            o.users ? each.mechanism == "baseline" : each.engine == "direct" && each.threads == 1;
        compared = base ? each.rates().back() : compared;
        print(slash && slash[1] ? slash + 1 : trace, each, base ? 0 : compared);
    }
    std::fflush(stdout);
}

} // namespace

extern "C" int sc_main(int argc, char *argv[])
{
    options o;
    int option;
    while ((option = getopt(argc, argv, "r:p:m:t:cu")) != -1) {
        if (option == 'r') {
            o.rounds = std::max(1, std::atoi(optarg));
        } else if (option == 'p') {
            o.preset = optarg;
        } else if (option == 'm') {
            o.mechanisms.push_back(optarg);
        } else if (option == 't') {
            o.threads = static_cast<unsigned>(std::max(1, std::atoi(optarg)));
        } else if (option == 'c') {
            o.check = true;
        } else if (option == 'u') {
            o.users = true;
        } else {
            std::fprintf(stderr, "usage: bench-replay [-r ROUNDS] [-p PRESET] [-m MECHANISM].. "
                                 "[-t THREADS] [-c] [-u] TRACE..\n");
            return 2;
        }
    }
    if (o.mechanisms.empty()) {
        o.mechanisms.push_back("baseline");
    }
    std::printf("million warp instructions a second (one thread: of processor time), %d rounds, "
                "checks %s\n%-20s %-16s %-14s %-8s %7s %10s %8s %7s %7s %7s %8s %9s\n",
                o.rounds, o.check || o.users ? "on" : "off", "trace", "preset", "mechanism",
                "engine", "threads", "insts", "start/ms", "least", "median", "most", "MB",
                o.users ? "/baseline" : "/plain");
    for (int i = optind; i < argc; i++) {
        measure(o, argv[i]);
    }
    return 0;
}
