// SPDX-License-Identifier: Apache-2.0
// SMs on memories that are not the engine's own: every kernel runs to its end, counts are the
// trace's, latencies show in the cycles as they should, every transaction ends, and the monitor in
// line finds nothing. And those that never answer: found, not waited for.
#include "tests/support/engine_outcome.h"
#include "tests/support/expected_reports.h"
#include "tests/support/memory_clock.h"
#include "tests/support/pattern_trace.h"
#include "tests/support/tlm_mocks.h"

#include "models/memory/fixed_latency_memory.h"
#include "models/memory/memory_module.h"
#include "models/tlm/memory_port.h"
#include "platform/platform_tlm.h"

#include <map>
#include <tuple>

#ifdef SMRF_TLM_EXAMPLES
#include "at_target_1_phase.h"
#include "at_target_2_phase.h"
#include "at_target_4_phase.h"
#include "lt_target.h"
#include "models/SimpleBusAT.h"
#include "reporting.h"
#endif

using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::run;
using engine_outcome::run_in_child;
using engine_outcome::run_options;
using engine_outcome::source_folder;
using namespace smrf;
using smrf_test::expected_reports;
using smrf_test::mock_target;
using smrf_test::ns;
using smrf_test::pattern;
using smrf_test::ps;
using smrf_test::temporary_folder;

namespace
{

smrf_config machine(const std::vector<const char *> &pairs = {})
{
    std::vector<const char *> all = {"gpu.sms=2", "sim.monitor=on"};
    all.insert(all.end(), pairs.begin(), pairs.end());
    return preset("rtx2060-paper", all);
}

sc_core::sc_time cycles(const smrf_config &cfg, uint64_t n)
{
    return ps(n * period_ps(cfg.gpu.core_khz));
}

// Runs on whatever `make` returns for each SM: an object with a socket `in`.
template <class Make>
outcome run_on(const std::string &trace, const smrf_config &cfg, Make make,
               run_options options = {})
{
    std::vector<decltype(make(0u))> memories;
    memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
        memories.push_back(make(sm));
        socket.bind(memories.back()->in);
    };
    options.binder = &binder;
    return run(smrf_engine_systemc, trace, cfg, options);
}

auto fixed(const fixed_latency_options &o)
{
    return [o](unsigned sm) {
        return std::make_unique<fixed_latency_memory>(("memory_" + std::to_string(sm)).c_str(), o);
    };
}

std::string bundled(const char *name)
{
    return source_folder() + "/traces/bundled/" + name;
}

// `loads` loads of one warp, each needing the one before.
std::string chase(const temporary_folder &folder, uint64_t loads)
{
    return pattern(folder, {"LDG.E.32.SYS R10 R10 @0x1000,0,128,4096"}, 1, 1, loads);
}

} // namespace

// ---- fixed latency: formulas ----

class fixed_latency : public testing::TestWithParam<std::tuple<unsigned, unsigned>>
{
};

TEST_P(fixed_latency, EveryDependentLoadTakesTheMemorysLatency)
{
    const auto [phases, accept] = GetParam();
    constexpr uint64_t loads = 20, base = 50, more = 137;
    temporary_folder folder;
    const std::string trace = chase(folder, loads);
    const smrf_config cfg = machine();
    std::vector<uint64_t> ends;
    for (uint64_t latency : {base, base + more}) {
        fixed_latency_options o;
        o.phases = phases;
        o.accept = cycles(cfg, accept);
        o.latency = cycles(cfg, latency);
        memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            // Lives until the child process ends.
            socket.bind((new fixed_latency_memory(("m_" + std::to_string(sm)).c_str(), o))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        ends.push_back(got.kernels.at(1));
    }
    EXPECT_EQ(ends[1] - ends[0], loads * more);
}

INSTANTIATE_TEST_SUITE_P(ForeignMemory, fixed_latency,
                         testing::Combine(testing::Values(1u, 2u, 4u), testing::Values(0u, 3u)));

TEST(ForeignMemory, TheNumberOfPhasesDoesNotShow)
{
    temporary_folder folder;
    const std::string trace = chase(folder, 30);
    const smrf_config cfg = machine();
    outcome first;
    for (unsigned phases : {1u, 2u, 4u}) {
        fixed_latency_options o;
        o.phases = phases;
        o.latency = cycles(cfg, 80);
        memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            socket.bind((new fixed_latency_memory(("m_" + std::to_string(sm)).c_str(), o))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        if (phases == 1) {
            first = got;
        }
        EXPECT_EQ(first.kernels.at(1), got.kernels.at(1)) << phases << " phases";
    }
}

// ---- whole kernels ----

class on_fixed_memory : public testing::TestWithParam<std::tuple<const char *, unsigned, unsigned>>
{
};

TEST_P(on_fixed_memory, RunsToItsEnd)
{
    const auto [name, phases, room] = GetParam();
    const smrf_config cfg = machine();
    fixed_latency_options o;
    o.phases = phases;
    o.accept = cycles(cfg, 2);
    o.latency = cycles(cfg, 90);
    o.max_in_flight = room;
    const outcome got = run_on(bundled(name), cfg, fixed(o));
    expect_complete(got);
    EXPECT_GT(got.sum().sm.oracle_checked, 0u);
    EXPECT_EQ(got.sum().memory.requests, 0u) << "the in-tree memory is not there";
}

INSTANTIATE_TEST_SUITE_P(ForeignMemory, on_fixed_memory,
                         testing::Combine(testing::Values("matmul", "divergent"),
                                          testing::Values(1u, 2u, 4u),
                                          testing::Values(0u, 1u, 7u)));

TEST(ForeignMemory, BackPressureCostsTime)
{
    temporary_folder folder;
    const std::string trace =
        pattern(folder, {"LDG.E.32.SYS R16+8 R2 @0x1000,256,8192,65536"}, 2, 4, 20);
    const smrf_config cfg = machine();
    std::vector<uint64_t> ends;
    for (unsigned room : {0u, 8u, 1u}) {
        fixed_latency_options o;
        o.latency = cycles(cfg, 60);
        o.max_in_flight = room;
        memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            socket.bind((new fixed_latency_memory(("m_" + std::to_string(sm)).c_str(), o))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        ends.push_back(got.kernels.at(1));
    }
    EXPECT_LT(ends[0], ends[1]);
    EXPECT_LT(ends[1], ends[2]);
    // One at a time: 4 warps x 20 loads x 32 sectors of an SM, 60 cycles each at the least.
    EXPECT_GE(ends[2], 4u * 20 * 32 * 60);
}

// ---- the in-tree memory, bound from outside ----

class memory_module_outside : public testing::TestWithParam<const char *>
{
};

TEST_P(memory_module_outside, GivesTheSameCyclesAsInside)
{
    const smrf_config cfg = machine({GetParam()});
    for (const char *name : {"matmul", "divergent"}) {
        const outcome inside = run(smrf_engine_direct, bundled(name), cfg);
        memory_module *memory = nullptr;
        memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            if (memory == nullptr) { // lives until the child process ends
                const uint64_t period = period_ps(cfg.gpu.core_khz);
                memory = new memory_module("outside", smrf_config_memory(&cfg), period);
                new smrf_test::memory_clock("clock", *memory, period);
            }
            socket.bind(memory->in[sm]);
        };
        run_options options;
        options.binder = &binder;
        outcome outside = run_in_child(smrf_engine_systemc, bundled(name), cfg, options);
        expect_complete(outside);
        ASSERT_EQ(inside.kernels.size(), outside.kernels.size());
        EXPECT_EQ(inside.kernels[0], outside.kernels[0]);
        EXPECT_EQ(inside.kernels[1], outside.kernels[1]) << name;
        EXPECT_EQ(inside.sum().ldst.reads_sent, outside.sum().ldst.reads_sent);
        EXPECT_EQ(inside.sum().ldst.writes_sent, outside.sum().ldst.writes_sent);
    }
}

INSTANTIATE_TEST_SUITE_P(ForeignMemory, memory_module_outside,
                         testing::Values("noc.credits=512", "noc.credits=3"));

// ---- pausing, limits, silence ----

TEST(ForeignMemory, ARunInSlicesIsTheSameRun)
{
    temporary_folder folder;
    const std::string trace = chase(folder, 12);
    const smrf_config cfg = machine();
    outcome first;
    for (uint64_t slice : {SMRF_NEVER, uint64_t{1}, uint64_t{13}, uint64_t{200}}) {
        fixed_latency_options o;
        o.latency = cycles(cfg, 77);
        memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            socket.bind((new fixed_latency_memory(("m_" + std::to_string(sm)).c_str(), o))->in);
        };
        run_options options;
        options.binder = &binder;
        options.slice = slice;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        if (slice == SMRF_NEVER) {
            first = got;
        }
        EXPECT_EQ("", difference(first, got)) << "slices of " << slice << " cycles";
    }
}

namespace
{

// Takes requests and keeps them.
struct silent_memory {
    explicit silent_memory(unsigned sm) : target(("silent_" + std::to_string(sm)).c_str()) {}
    mock_target target;
    tlm::tlm_target_socket<> &in = target.socket;
};

auto silent()
{
    return [](unsigned sm) { return std::make_unique<silent_memory>(sm); };
}

} // namespace

TEST(ForeignMemory, TheHookSeesAMachineThatWaitsForever)
{
    temporary_folder folder;
    const smrf_config cfg = machine({"sim.monitor=off"});
    run_options options;
    uint64_t seen = 0;
    options.window = [&](const smrf_machine *m) {
        seen = m->cycle;
        return m->cycle - smrf_sm_last_progress(m->sm[0]) <= m->cfg->sim.watchdog;
    };
    const outcome got = run_on(chase(folder, 3), cfg, silent(), options);
    EXPECT_EQ(got.end, SMRF_RUN_STOPPED);
    EXPECT_GT(seen, cfg.sim.watchdog);
    EXPECT_LT(seen, 3ull * cfg.sim.watchdog);
    EXPECT_EQ(got.payloads_in_use, 1u) << "the one that was never answered";
}

TEST(ForeignMemory, WithoutAHookASilentMemoryIsAnErrorNotAnEndlessRun)
{
    temporary_folder folder;
    const outcome got = run_on(chase(folder, 3), machine({"sim.monitor=off"}), silent());
    EXPECT_EQ(got.end, SMRF_ERR_PROTOCOL);
    EXPECT_NE(got.error.find("owes an answer"), std::string::npos) << got.error;
}

TEST(ForeignMemory, ALimitIsReachedAlsoWhileNothingHappens)
{
    temporary_folder folder;
    run_options options;
    uint64_t hooks = 0, cycle = 0;
    options.slice = 1000;
    options.window = [&](const smrf_machine *m) {
        hooks++;
        cycle = m->cycle;
        return m->cycle < 50000;
    };
    const outcome got = run_on(chase(folder, 3), machine({"sim.monitor=off"}), silent(), options);
    EXPECT_EQ(got.end, SMRF_RUN_STOPPED);
    EXPECT_EQ(cycle, 50000u) << "the hook saw the limit that was reached";
    EXPECT_GE(hooks, 50u);
}

TEST(ForeignMemory, AnErrorAnswerIsReportedAndDoesNotHangTheWarp)
{
    temporary_folder folder;
    expected_reports reports("/smrf/memory_port/response");
    auto make = [](unsigned sm) {
        auto memory = std::make_unique<silent_memory>(sm);
        memory->target.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
        return memory;
    };
    const outcome got = run_on(chase(folder, 3), machine(), make);
    expect_complete(got);
    EXPECT_EQ(reports.seen.size(), 3u);
}

// ---- through the C API ----

TEST(ForeignMemory, ThePlatformRunsOnABoundTarget)
{
    smrf_platform *p = nullptr;
    std::vector<std::unique_ptr<fixed_latency_memory>> memories;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=2"));
    EXPECT_EQ(0, smrf_platform_set(p, "sim.monitor=on"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, bundled("divergent").c_str()));
    auto binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
        fixed_latency_options o;
        o.latency = ns(100);
        memories.push_back(
            std::make_unique<fixed_latency_memory>(("m_" + std::to_string(sm)).c_str(), o));
        socket.bind(memories.back()->in);
    };
    EXPECT_EQ(0, bind_memory(p, binder));
    EXPECT_EQ(SMRF_ERR_STATE, bind_memory(p, binder)) << "one memory is enough";
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    EXPECT_EQ(memories.size(), 2u);
    EXPECT_TRUE(memories[0]->idle());
    smrf_platform_destroy(p);
}

TEST(ForeignMemory, ThePlatformsWatchdogNamesTheWarpThatASilentTargetHolds)
{
    temporary_folder folder;
    smrf_platform *p = nullptr;
    std::vector<std::unique_ptr<silent_memory>> memories;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=1"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, chase(folder, 3).c_str()));
    EXPECT_EQ(0, bind_memory(p, [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
                  memories.push_back(std::make_unique<silent_memory>(sm));
                  socket.bind(memories.back()->in);
              }));
    EXPECT_EQ(SMRF_ERR_CHECK, smrf_platform_run(p, SMRF_NO_LIMIT));
    const std::string text = smrf_platform_error(p);
    EXPECT_NE(text.find("no progress: SM 0"), std::string::npos) << text;
    EXPECT_NE(text.find("R10"), std::string::npos) << text;
    smrf_platform_destroy(p);
}

TEST(ForeignMemory, AnExceptionOfABinderIsAnErrorOfTheBuild)
{
    smrf_platform *p = nullptr;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, bind_memory(p, [](unsigned, tlm::tlm_initiator_socket<> &) {
                  throw std::runtime_error("no such bus");
              }));
    EXPECT_LT(smrf_platform_build(p), 0);
    EXPECT_NE(std::string(smrf_platform_error(p)).find("no such bus"), std::string::npos);
    smrf_platform_destroy(p);
}

// ---- SystemC's own examples ----

#ifndef SMRF_TLM_EXAMPLES

TEST(ForeignMemory, OnTheExamplesOfSystemc)
{
    GTEST_SKIP() << "SystemC's TLM examples are not installed (Debian: apt install libsystemc-doc)";
}

#else

namespace
{

constexpr uint64_t their_bytes = 1 << 20;

template <class Target> struct their_memory {
    explicit their_memory(unsigned sm)
        : target(("t_" + std::to_string(sm)).c_str(), sm, "socket", their_bytes, 4, ns(10), ns(50),
                 ns(30))
    {
    }
    Target target;
    decltype(target.m_memory_socket) &in = target.m_memory_socket;
};

std::string within_their_memory(const temporary_folder &folder)
{
    return pattern(folder,
                   {"LDG.E.32.SYS R16+8 R2 @0x1000,4,128,4096", "FFMA R40 R16 R17 R18",
                    "STG.E.32.SYS - R2 R40 @0x40000,4,128,4096"},
                   4, 2, 60);
}

// They know neither byte enables nor ignored commands.
smrf_config theirs()
{
    return machine({"bus.unknown_data=zeros"});
}

template <class Target> void run_on_theirs()
{
    REPORT_SET_ENABLES(false, true, true, true);
    temporary_folder folder;
    const outcome got = run_on(within_their_memory(folder), theirs(), [](unsigned sm) {
        return std::make_unique<their_memory<Target>>(sm);
    });
    expect_complete(got);
}

template <class Target> void run_behind_their_bus()
{
    REPORT_SET_ENABLES(false, true, true, true);
    temporary_folder folder;
    SimpleBusAT<2, 2> bus("bus");
    their_memory<Target> low(0), high(1);
    bus.initiator_socket[0].bind(low.in);
    bus.initiator_socket[1].bind(high.in);
    memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
        socket.bind(bus.target_socket[sm]);
    };
    run_options options;
    options.binder = &binder;
    expect_complete(run(smrf_engine_systemc, within_their_memory(folder), theirs(), options));
}

} // namespace

TEST(ForeignMemory, OnTheirOnePhaseTarget)
{
    run_on_theirs<at_target_1_phase>();
}

TEST(ForeignMemory, OnTheirTwoPhaseTarget)
{
    run_on_theirs<at_target_2_phase>();
}

TEST(ForeignMemory, OnTheirFourPhaseTarget)
{
    run_on_theirs<at_target_4_phase>();
}

TEST(ForeignMemory, OnTheirLooselyTimedTarget)
{
    run_on_theirs<lt_target>();
}

TEST(ForeignMemory, BehindTheirBusOnTwoPhaseTargets)
{
    run_behind_their_bus<at_target_2_phase>();
}

TEST(ForeignMemory, BehindTheirBusOnFourPhaseTargets)
{
    run_behind_their_bus<at_target_4_phase>();
}

#endif
