// SPDX-License-Identifier: Apache-2.0
// The three views of an SM: what programs compute is the same in all of them, the cycle view has
// the cycles of annotated delays, and loosely timed ones depend on who runs ahead.
#include "tests/support/engine_outcome.h"
#include "tests/support/pattern_trace.h"

#include "platform/platform_tlm.h"

#include <tlm_utils/simple_target_socket.h>

using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::run;
using engine_outcome::run_in_child;
using engine_outcome::run_options;
using engine_outcome::source_folder;
using namespace smrf;

namespace
{

using settings = std::vector<const char *>;

outcome replay(const char *trace, settings pairs, const settings &more)
{
    pairs.insert(pairs.end(), more.begin(), more.end());
    pairs.push_back("gpu.sms=2");
    const smrf_config cfg = preset("rtx2060-paper", pairs);
    run_options options;
    options.mechanism = smrf_mechanism_find("malekeh-long");
    return run_in_child(smrf_engine_systemc, source_folder() + "/traces/bundled/" + trace, cfg,
                        options);
}

class views : public testing::TestWithParam<std::tuple<const char *, bool>>
{
  protected:
    const char *trace = std::get<0>(GetParam());
    settings machine = std::get<1>(GetParam())
                           ? settings{"bus.shared=2", "bus.traffic=200", "bus.memory=150"}
                           : settings{};
};

} // namespace

TEST_P(views, EveryPhaseAtItsCycleHasTheCyclesOfAnnotatedDelays)
{
    const outcome at = replay(trace, {"sim.view=at"}, machine);
    const outcome cycle = replay(trace, {"sim.view=cycle", "sim.monitor=on"}, machine);
    expect_complete(at);
    expect_complete(cycle);
    EXPECT_EQ("", difference(at, cycle));
}

TEST_P(views, LooselyTimedComputesTheSame)
{
    const outcome at = replay(trace, {"sim.view=at"}, machine);
    for (const char *quantum : {"sim.quantum=1", "sim.quantum=333", "sim.quantum=1000000000"}) {
        for (const char *dmi : {"bus.dmi=on", "bus.dmi=off"}) {
            const outcome lt =
                replay(trace, {"sim.view=lt", quantum, dmi, "sim.monitor=on"}, machine);
            expect_complete(lt);
            EXPECT_EQ(at.sum().sm.warp_insts, lt.sum().sm.warp_insts);
            EXPECT_EQ(at.sum().sm.thread_insts, lt.sum().sm.thread_insts);
            EXPECT_EQ(at.sum().sm.operand_reads, lt.sum().sm.operand_reads);
            EXPECT_EQ(at.sum().ldst.writes_sent, lt.sum().ldst.writes_sent);
            EXPECT_GT(lt.sum().sm.oracle_checked, 0u);
            EXPECT_EQ(smrf_counters{}.sm.oracle_violations, lt.sum().sm.oracle_violations);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfAnSm, views,
                         testing::Combine(testing::Values("matmul", "divergent"), testing::Bool()));

TEST(Views, WhoRunsALaunchAheadDoesNotMeetTheOthers)
{
    const settings busy = {"bus.shared=2", "bus.traffic=400", "bus.dmi=off"};
    const outcome cycle = replay("matmul", {"sim.view=cycle"}, busy);
    const outcome ahead = replay("matmul", {"sim.view=lt", "sim.quantum=1000000000"}, busy);
    const outcome close = replay("matmul", {"sim.view=lt", "sim.quantum=1"}, busy);
    const auto error = [&](const outcome &o) {
        const double a = static_cast<double>(o.kernels.at(1)),
                     b = static_cast<double>(cycle.kernels.at(1));
        return a > b ? a / b - 1 : b / a - 1;
    };
    EXPECT_NE(cycle.kernels.at(1), ahead.kernels.at(1));
    EXPECT_EQ(cycle.kernels, close.kernels);
    EXPECT_LT(error(ahead), 0.5);
}

// Initiators that synchronise every cycle meet on the bus as those with four phases do.
TEST(Views, AQuantumOfOneCycleHasTheCyclesOfAnnotatedDelays)
{
    for (const char *trace : {"matmul", "divergent", "hotspot", "gemm"}) {
        for (const char *traffic : {"bus.traffic=0", "bus.traffic=400"}) {
            const settings busy = {"bus.shared=2", traffic};
            const outcome at = replay(trace, {"sim.view=at"}, busy);
            const outcome lt = replay(trace, {"sim.view=lt", "sim.quantum=1"}, busy);
            expect_complete(lt);
            EXPECT_EQ(at.kernels, lt.kernels) << trace << " " << traffic;
        }
    }
}

TEST(Views, DmiIsUsedOnlyWhereItIsSwitchedOn)
{
    const settings busy = {"bus.shared=2", "sim.view=lt", "sim.quantum=1"};
    const outcome usual = replay("matmul", busy, {});
    EXPECT_EQ(usual.kernels, replay("matmul", busy, {"bus.dmi=off"}).kernels);
    EXPECT_NE(usual.kernels, replay("matmul", busy, {"bus.dmi=on"}).kernels);
}

TEST(Views, CoarserAnswersAreLater)
{
    const outcome fine = replay("matmul", {"sim.granularity=1"}, {});
    const outcome coarse = replay("matmul", {"sim.granularity=1000"}, {});
    expect_complete(coarse);
    EXPECT_GT(coarse.kernels.at(1), fine.kernels.at(1));
}

namespace
{

struct waits_in_call : sc_core::sc_module {
    tlm_utils::simple_target_socket<waits_in_call> in{"in"};
    explicit waits_in_call(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_b_transport(this, &waits_in_call::transport);
    }
    void transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        sc_core::wait(delay + sc_core::sc_time(50, sc_core::SC_NS));
        delay = sc_core::SC_ZERO_TIME;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

} // namespace

TEST(Views, LooselyTimedOnATargetThatWaits)
{
    const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=2", "sim.view=lt", "sim.monitor=on"});
    std::vector<std::unique_ptr<waits_in_call>> memories;
    memory_binder binder = [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
        memories.push_back(std::make_unique<waits_in_call>(("m_" + std::to_string(sm)).c_str()));
        socket.bind(memories.back()->in);
    };
    run_options options;
    options.binder = &binder;
    expect_complete(
        run(smrf_engine_systemc, source_folder() + "/traces/bundled/divergent", cfg, options));
}

TEST(Views, ThePlainEngineHasOne)
{
    for (const char *pair :
         {"sim.view=lt", "sim.view=cycle", "sim.granularity=2", "bus.shared=1"}) {
        smrf_platform *p = nullptr;
        ASSERT_EQ(0, smrf_platform_create(&p));
        EXPECT_EQ(0, smrf_platform_engine(p, "direct"));
        EXPECT_EQ(0, smrf_platform_set(p, pair));
        EXPECT_LT(smrf_platform_build(p), 0) << pair;
        EXPECT_NE(std::string(smrf_platform_error(p)).find("systemc"), std::string::npos);
        smrf_platform_destroy(p);
    }
}
