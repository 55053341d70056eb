// SPDX-License-Identifier: Apache-2.0
// SMs and memory on several threads: the same cycles and the same counters as on one, whatever the
// trace, the mechanism, the engine, the number of threads and the order in which they get to run.
#include "tests/support/engine_outcome.h"

#include "models/common/smrf_assert.h"
#include "platform/crew/crew.h"
#include "tests/support/pattern_trace.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::real_traces;
using engine_outcome::run;
using engine_outcome::run_in_child;
using engine_outcome::run_options;
using engine_outcome::source_folder;
using smrf_test::pattern;

namespace
{

constexpr unsigned counts[] = {2, 3, 8};

std::vector<std::string> traces_in(const std::string &folder)
{
    std::vector<std::string> names;
    if (!folder.empty()) {
        for (const auto &entry : std::filesystem::directory_iterator(folder)) {
            if (std::filesystem::exists(entry.path() / "kernelslist.g")) {
                names.push_back(entry.path().string());
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> all_traces()
{
    std::vector<std::string> names = traces_in(source_folder() + "/traces/bundled");
    const std::vector<std::string> real = traces_in(real_traces());
    names.insert(names.end(), real.begin(), real.end());
    return names;
}

// The plain engine on one thread, and another run of the same.
outcome expect_same(const std::string &trace, const smrf_config &cfg, run_options options,
                    const std::vector<std::pair<const smrf_engine_ops *, unsigned>> &others)
{
    options.threads = 1;
    const outcome alone = run(smrf_engine_direct, trace, cfg, options);
    expect_complete(alone);
    EXPECT_GT(alone.kernels.size(), 0u);
    for (const auto &[engine, threads] : others) {
        options.threads = threads;
        const outcome o = engine == &smrf_engine_direct
                              ? run(*engine, trace, cfg, options)
                              : run_in_child(*engine, trace, cfg, options);
        EXPECT_EQ("", difference(alone, o)) << trace << ", " << options.mechanism->name << ", "
                                            << engine->name << ", " << threads << " threads";
    }
    return alone;
}

} // namespace

TEST(Threads, EveryTraceOnEveryNumber)
{
    unsigned turn = 0;
    for (const std::string &trace : all_traces()) {
        smrf_config cfg = preset(turn % 2 ? "rtx2060-accelsim" : "rtx2060-paper");
        cfg.sim.check = turn % 3 == 0;
        cfg.sim.quantum = turn % 4 == 3 ? 17 : 1024;
        expect_same(trace, cfg, {},
                    {{&smrf_engine_direct, counts[turn % 3]},
                     {&smrf_engine_direct, counts[(turn + 1) % 3]},
                     {&smrf_engine_systemc, counts[(turn + 2) % 3]}});
        turn++;
    }
}

TEST(Threads, EveryMechanism)
{
    const std::string bundled = source_folder() + "/traces/bundled/";
    unsigned turn = 0;
    const smrf_mechanism *mechanism;
    for (unsigned m = 0; (mechanism = smrf_mechanism_at(m)) != nullptr; m++) {
        run_options options;
        options.mechanism = mechanism;
        for (const char *name : {"hotspot", "matmul", "ray"}) {
            const char *const machine = std::string(mechanism->name).rfind("larf", 0) == 0 ||
                                                std::string(mechanism->name) == "virtual-rf"
                                            ? "larf-paper"
                                            : "rtx2060-paper";
            smrf_config cfg = preset(machine);
            cfg.sim.check = turn % 2;
            const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, mechanism);
            if (mechanism->check && mechanism->check(&setup)) {
                continue;
            }
            options.threads = 1;
            const outcome alone = run(smrf_engine_direct, bundled + name, cfg, options);
            options.threads = counts[turn % 3];
            const bool systemc = turn++ % 2;
            const outcome o = systemc
                                  ? run_in_child(smrf_engine_systemc, bundled + name, cfg, options)
                                  : run(smrf_engine_direct, bundled + name, cfg, options);
            // One that cannot run this program says the same, too.
            EXPECT_EQ("", difference(alone, o)) << name << ", " << mechanism->name;
        }
    }
    EXPECT_GT(turn, 20u);
}

TEST(Threads, ReadStagesAndTheCachesOfSubCores)
{
    for (const char *name : {"hotspot", "gemm"}) {
        const outcome o = expect_same(
            source_folder() + "/traces/bundled/" + name,
            preset("turing-modern", {"frontend.l0_bytes=1024", "frontend.constant_bytes=512",
                                     "issue.barrier_latency=23"}),
            {},
            {{&smrf_engine_direct, 2},
             {&smrf_engine_direct, 3},
             {&smrf_engine_direct, 8},
             {&smrf_engine_systemc, 3}});
        EXPECT_GT(o.sum().sm.l0_misses, 0u);
        EXPECT_GT(o.sum().sm.stall[SMRF_STALL_constant], 0u);
        EXPECT_EQ(0u, o.sum().sm.oracle_violations);
    }
}

TEST(Threads, CachesInTheAllocateStage)
{
    for (const char *mechanism : {"window-lru", "window-near", "window-bow"}) {
        run_options options;
        options.mechanism = smrf_mechanism_find(mechanism);
        for (const char *name : {"hotspot", "gemm"}) {
            const outcome o = expect_same(source_folder() + "/traces/bundled/" + name,
                                          preset("turing-modern", {"rf.reuse_cache=off"}), options,
                                          {{&smrf_engine_direct, 2},
                                           {&smrf_engine_direct, 3},
                                           {&smrf_engine_direct, 8},
                                           {&smrf_engine_systemc, 3}});
            EXPECT_EQ(0u, o.sum().sm.oracle_violations);
        }
    }
}

// Few credits, one MSHR, blocks of one warp that end all the time, SMs that stand still.
TEST(Threads, TightMachines)
{
    const std::map<std::string, std::vector<const char *>> programs = {
        {"loads", {"LDG.E.32.SYS R16+16 R2 @0x100000,4,128,65536", "FFMA R40 R16 R17 R18"}},
        {"scattered", {"LDG.E.32.SYS R16+8 R2 @0x100000,256,8192,1048576"}},
        {"stores", {"STG.E.32.SYS - R2 R4 @0x200000,32,1024,65536", "IADD3 R16+4 R1 R2 R3"}},
        {"atomics", {"RED.E.ADD.STRONG.GPU - R2 R4 @0x200000,4,0,0", "IADD3 R16+4 R1 R2 R3"}},
    };
    for (const auto &p : programs) {
        for (const char *credits : {"noc.credits=1", "noc.credits=3", "noc.credits=64",
                                    "noc.input_queue=1", "noc.input_queue=5"}) {
            SCOPED_TRACE(p.first + " " + credits);
            smrf_test::temporary_folder folder;
            const std::string trace = pattern(folder, p.second, 30, 1, 20);
            for (const char *sms : {"gpu.sms=1", "gpu.sms=5"}) {
                const outcome o =
                    expect_same(trace, preset("rtx2060-paper", {sms, credits, "l1d.mshrs=2"}), {},
                                {{&smrf_engine_direct, 2},
                                 {&smrf_engine_direct, 3},
                                 {&smrf_engine_systemc, 2}});
                EXPECT_EQ(0u, o.sum().sm.oracle_violations);
            }
        }
    }
}

// A run in slices and a reset in the middle do not see how far the memory has got.
TEST(Threads, SlicesAndResets)
{
    const std::string trace = source_folder() + "/traces/bundled/matmul";
    for (const uint64_t slice : {uint64_t(100), uint64_t(777)}) {
        run_options options;
        options.slice = slice;
        expect_same(trace, preset("rtx2060-paper"), options,
                    {{&smrf_engine_direct, 2}, {&smrf_engine_systemc, 3}});
    }
    run_options options;
    options.before = source_folder() + "/traces/bundled/hotspot";
    options.before_cycles = 7000;
    expect_same(trace, preset("rtx2060-paper"), options, {{&smrf_engine_direct, 3}});
}

// --- reading ahead -------------------------------------------------------------------------------

namespace
{

const std::vector<const char *> busy = {
    "FFMA R20+4 R2 R3 R5", "LDG.E.32.SYS R16+16 R2 @0x100000,4,128,65536", "IADD3 R40 R16 R17 R18"};

// Everything that a run tells, on one thread and on others.
outcome expect_all_same(const std::string &trace, const smrf_config &cfg, run_options options = {})
{
    options.threads = 1;
    const outcome alone = run(smrf_engine_direct, trace, cfg, options);
    for (const unsigned threads : {2u, 3u, 8u, 0u}) {
        options.threads = threads ? threads : 2;
        // Over SystemC a reset in the middle of a run wants a process that waits.
        const outcome o = threads || !options.before.empty()
                              ? run(smrf_engine_direct, trace, cfg, options)
                              : run_in_child(smrf_engine_systemc, trace, cfg, options);
        EXPECT_EQ("", difference(alone, o)) << threads;
        EXPECT_EQ(alone.error, o.error) << threads;
        if (alone.end >= 0) { // an error comes in the middle of a window, whose length tells
            EXPECT_EQ(alone.cycle, o.cycle) << threads;
        }
        EXPECT_EQ(alone.totals.blocks, o.totals.blocks) << threads;
        EXPECT_EQ(alone.totals.warps, o.totals.warps) << threads;
        EXPECT_EQ(alone.totals.warp_insts, o.totals.warp_insts) << threads;
        EXPECT_EQ(alone.totals.thread_insts, o.totals.thread_insts) << threads;
        EXPECT_EQ(alone.totals.unknown_opcodes, o.totals.unknown_opcodes) << threads;
        EXPECT_EQ(alone.totals.missing_blocks, o.totals.missing_blocks) << threads;
        EXPECT_EQ(alone.totals.repeated_blocks, o.totals.repeated_blocks) << threads;
        EXPECT_EQ(alone.totals.digest, o.totals.digest) << threads;
        if (threads) {
            EXPECT_EQ(alone.reads, o.reads) << threads;
        }
    }
    return alone;
}

std::string whole(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The trace of one launch, that many times over, the last time with other text in it.
std::string repeated(const std::string &trace, unsigned times, const std::string &last)
{
    std::ofstream list(trace + "/kernelslist.g");
    const std::string text = whole(trace + "/kernel-1.traceg");
    for (unsigned i = 1; i <= times; i++) {
        const std::string name = "kernel-" + std::to_string(i) + ".traceg";
        std::ofstream(trace + "/" + name) << (i == times && !last.empty() ? last : text);
        list << name << "\n";
    }
    return trace;
}

} // namespace

TEST(ReadingAhead, ManyBlocksAndLaunches)
{
    smrf_test::temporary_folder folder;
    const std::string trace = repeated(pattern(folder, busy, 90, 3, 160), 3, "");
    for (const char *sms : {"gpu.sms=1", "gpu.sms=4", "gpu.sms=30"}) {
        for (const uint64_t slice : {SMRF_NEVER, uint64_t{501}}) {
            SCOPED_TRACE(sms);
            run_options options;
            options.slice = slice;
            const outcome o = expect_all_same(trace, preset("rtx2060-paper", {sms}), options);
            expect_complete(o);
            EXPECT_EQ(270u, o.totals.blocks);
        }
    }
}

// A run finds what is wrong with a block when an SM is to get it, and never if it ends before.
TEST(ReadingAhead, WhatIsWrongWithABlock)
{
    const std::pair<const char *, const char *> faults[] = {
        {"FFMA", "FFMA 1"}, {"#END_TB", ""}, {"warp = 1", "warp = 9"}};
    for (const auto &f : faults) {
        SCOPED_TRACE(f.first);
        smrf_test::temporary_folder folder;
        const std::string trace = pattern(folder, busy, 90, 3, 160);
        std::string text = whole(trace + "/kernel-1.traceg");
        text.replace(text.find(f.first, text.find("thread block = 41,")), std::strlen(f.first),
                     f.second);
        repeated(trace, 2, text);
        const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=2"});
        const outcome failed = expect_all_same(trace, cfg);
        EXPECT_LT(failed.end, 0);
        EXPECT_EQ(90u + 41u, failed.totals.blocks);
        EXPECT_NE("", failed.error);
        run_options options;
        for (const uint64_t before : {uint64_t{1}, uint64_t{200}, failed.cycle / 4}) {
            options.limit = failed.cycle - before;
            options.slice = options.limit / 7;
            EXPECT_EQ(SMRF_RUN_LIMIT, expect_all_same(trace, cfg, options).end);
        }
    }
}

// All blocks are asked for at once, of much text each, whose next part is got beside the one that
// is read.
TEST(ReadingAhead, TheFirstWave)
{
    const std::pair<smrf_trace_compression, const char *> forms[] = {
        {SMRF_COMPRESS_NONE, ""}, {SMRF_COMPRESS_GZ, ".gz"}, {SMRF_COMPRESS_ZSTD, ".zst"}};
    for (const auto &[compression, ending] : forms) {
        SCOPED_TRACE(ending);
        smrf_test::temporary_folder folder;
        const std::string trace = pattern(folder, busy, 12, 4, 900, compression);
        const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=30"});
        const outcome o = expect_all_same(trace, cfg);
        expect_complete(o);
        EXPECT_EQ(12u, o.totals.blocks);
        run_options options;
        options.limit = o.cycle / 3; // and closed in the middle of the launch
        options.slice = 100;
        EXPECT_EQ(SMRF_RUN_LIMIT, expect_all_same(trace, cfg, options).end);

        const std::string file = trace + "/kernel-1.traceg" + ending;
        const std::string text = whole(file);
        std::ofstream(file, std::ios::binary) << text.substr(0, text.size() * 3 / 4);
        const outcome failed = expect_all_same(trace, cfg);
        EXPECT_LT(failed.end, 0);
        EXPECT_EQ(*ending == 0, failed.error.find("truncated") == std::string::npos)
            << failed.error;
    }
}

// The SMs' blocks go back, and so do those that have not been handed out.
TEST(ReadingAhead, ARunGivenUpAndAnother)
{
    smrf_test::temporary_folder folder, other;
    run_options options;
    options.before = pattern(folder, busy, 200, 3, 160);
    const std::string trace = pattern(other, {"IADD3 R16+4 R1 R2 R3", busy[1]}, 120, 2, 200);
    for (const uint64_t cycles : {uint64_t{1500}, uint64_t{4000}, SMRF_NEVER}) {
        options.before_cycles = cycles;
        expect_complete(expect_all_same(trace, preset("rtx2060-paper", {"gpu.sms=3"}), options));
    }
}

// --- the crew itself -----------------------------------------------------------------------------

namespace
{

struct pieces {
    std::vector<std::atomic<int>> done;
    std::atomic<int> single{0};
    explicit pieces(size_t n) : done(n) {}
    static void one(void *ctx, uint32_t i)
    {
        static_cast<pieces *>(ctx)->done[i]++;
    }
    static void beside(void *ctx)
    {
        static_cast<pieces *>(ctx)->single++;
    }
};

} // namespace

TEST(Crew, EveryPieceIsDoneOnce)
{
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
        smrf_crew *crew = smrf_crew_create(threads);
        ASSERT_NE(nullptr, crew);
        for (uint32_t round = 0; round < 300; round++) {
            const uint32_t n = round % 40;
            pieces p(n);
            if (round % 3) {
                smrf_crew_begin(crew, SMRF_CREW_MEMORY, pieces::beside, &p);
            }
            smrf_crew_share(crew, n, pieces::one, &p);
            smrf_crew_share(crew, n / 2, pieces::one, &p);
            smrf_crew_end(crew, SMRF_CREW_MEMORY);
            for (uint32_t i = 0; i < n; i++) {
                ASSERT_EQ(i < n / 2 ? 2 : 1, p.done[i]) << threads << " threads, round " << round;
            }
            ASSERT_EQ(round % 3 ? 1 : 0, p.single);
            if (round % 100 == 0) { // helpers have gone to sleep
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }
        smrf_crew_destroy(crew);
    }
    smrf_crew_destroy(nullptr);
    EXPECT_GE(smrf_crew_processors(), 1u);
}

TEST(Crew, AWindowIsDoneOnceHoweverFewItsPieces)
{
    smrf_crew *crew = smrf_crew_create(3);
    ASSERT_NE(nullptr, crew);
    for (uint32_t n = 0; n < 40; n++) {
        pieces p(n);
        smrf_crew_window(crew, n, pieces::one, n % 3 ? pieces::beside : nullptr, &p);
        for (uint32_t i = 0; i < n; i++) {
            ASSERT_EQ(1, p.done[i]) << n;
        }
        smrf_crew_end(crew, SMRF_CREW_MEMORY);
        ASSERT_EQ(n % 3 ? 1 : 0, p.single) << n;
    }
    smrf_crew_destroy(crew);
}

TEST(Crew, ABrokenRuleReachesTheCaller)
{
    smrf_crew *crew = smrf_crew_create(3);
    ASSERT_NE(nullptr, crew);
    for (const uint32_t bad : {0u, 7u, 19u}) {
        struct {
            uint32_t bad;
            std::atomic<uint32_t> done{0};
        } p;
        p.bad = bad;
        const auto work = [](void *ctx, uint32_t i) {
            auto *q = static_cast<decltype(p) *>(ctx);
            q->done++;
            SMRF_ASSERT(i != q->bad);
        };
        EXPECT_THROW(smrf_crew_share(crew, 20, work, &p), std::logic_error);
        EXPECT_EQ(20u, p.done); // nobody is left behind with what the caller takes away
    }
    smrf_crew_begin(
        crew, SMRF_CREW_MEMORY, [](void *) { throw std::runtime_error("beside"); }, nullptr);
    EXPECT_THROW(smrf_crew_end(crew, SMRF_CREW_MEMORY), std::runtime_error);
    smrf_crew_end(crew, SMRF_CREW_MEMORY); // and then it is over
    smrf_crew_destroy(crew);
}

// The reader's work beside is done by who waits for the reader, asleep or not: here there is nobody
// else.
TEST(Crew, WhoWaitsDoesTheFilesNextBytes)
{
    smrf_crew *crew = smrf_crew_create(2);
    ASSERT_NE(nullptr, crew);
    struct context {
        smrf_crew *crew;
        unsigned parts, early;
        std::atomic<unsigned> got;
        static void get(void *p)
        {
            static_cast<context *>(p)->got++;
        }
    };
    for (unsigned round = 0; round < 30; round++) {
        context ctx = {crew, 1 + round % 7, 0, {}};
        smrf_crew_begin(
            crew, SMRF_CREW_READER,
            [](void *p) {
                auto *c = static_cast<context *>(p);
                for (unsigned i = 0; i < c->parts; i++) {
                    if (i % 3 == 2) { // who waits has gone to sleep
                        std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    }
                    smrf_crew_begin(c->crew, SMRF_CREW_FILE, context::get, c);
                    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
                    while (c->got == i && std::chrono::steady_clock::now() < until) {
                        std::this_thread::yield();
                    }
                    c->early += c->got != i;
                    smrf_crew_end(c->crew, SMRF_CREW_FILE);
                }
            },
            &ctx);
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the helper has begun
        smrf_crew_end(crew, SMRF_CREW_READER);
        ASSERT_EQ(ctx.parts, ctx.got);
        ASSERT_EQ(ctx.parts, ctx.early) << round;
    }
    smrf_crew_destroy(crew);
}

TEST(Crew, AReaderGoesOnFromWindowToWindow)
{
    smrf_crew *crew = smrf_crew_create(2);
    ASSERT_NE(nullptr, crew);
    for (unsigned round = 0; round < 200; round++) {
        std::atomic<bool> go{false};
        std::atomic<unsigned> read{0};
        struct context {
            std::atomic<bool> &go;
            std::atomic<unsigned> &read;
        } ctx{go, read};
        smrf_crew_begin(
            crew, SMRF_CREW_READER,
            [](void *p) {
                auto *c = static_cast<context *>(p);
                while (!c->go) {
                    std::this_thread::yield();
                }
                c->read++;
            },
            &ctx);
        for (unsigned window = 0; window < 3; window++) { // it goes on from one to the next
            pieces p(7);
            smrf_crew_window(crew, 7, pieces::one, pieces::beside, &p);
            smrf_crew_end(crew, SMRF_CREW_MEMORY);
            ASSERT_EQ(1, p.single);
            for (const auto &each : p.done) {
                ASSERT_EQ(1, each);
            }
            ASSERT_EQ(0u, read);
            ASSERT_TRUE(smrf_crew_busy(crew, SMRF_CREW_READER));
        }
        go = true;
        smrf_crew_end(crew, SMRF_CREW_READER);
        ASSERT_EQ(1u, read);
        ASSERT_FALSE(smrf_crew_busy(crew, SMRF_CREW_READER));
    }
    smrf_crew_destroy(crew);
}
