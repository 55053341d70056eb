// SPDX-License-Identifier: Apache-2.0
// A machine that has been reset is as new: whatever it has replayed before, and wherever that was
// cut off, it gives the same cycles, counters and rows as one that has just been built.
#include "platform/config/registry.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/near_annotator.h"

#include <algorithm>

using namespace engine_outcome;
using smrf_test::near_annotator;

namespace
{

std::string bundled(const char *name)
{
    return source_folder() + "/traces/bundled/" + name;
}

smrf_config machine(const smrf_mechanism *m, const char *base,
                    const std::vector<const char *> &pairs)
{
    std::vector<const char *> all;
    for (size_t i = 0; m->defaults && m->defaults[i]; i++) {
        all.push_back(m->defaults[i]);
    }
    if (m->gpu) {
        all.push_back("malekeh.sthld_interval=500");
    }
    all.insert(all.end(), pairs.begin(), pairs.end());
    return preset(base, all);
}

outcome run_on(const smrf_engine_ops &ops, const smrf_mechanism *m, const std::string &trace,
               const smrf_config &cfg, const std::string &before = "", uint64_t cycles = SMRF_NEVER)
{
    run_options o;
    o.mechanism = m;
    near_annotator bits(near_annotator::MIXED);
    o.annotator = m->wants_reuse ? &bits.seam : nullptr;
    o.before = before;
    o.before_cycles = cycles;
    return &ops == &smrf_engine_direct ? run(ops, trace, cfg, o) : run_in_child(ops, trace, cfg, o);
}

class of_mechanism : public testing::TestWithParam<const char *>
{
  protected:
    const smrf_mechanism *const mechanism_ = smrf_mechanism_find(GetParam());
};

std::string test_name(const testing::TestParamInfo<const char *> &info)
{
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace

TEST_P(of_mechanism, ThePlainEngineIsAsNewWhereverItsRunWasCutOff)
{
    const std::vector<std::vector<const char *>> options = {
        {"gpu.sms=3"},
        {"gpu.sms=2", "issue.scheduler=two_level", "frontend.icache_bytes=4096"},
        {"gpu.sms=2", "issue.latches=on", "rf.collector_pick=random", "sim.check=off"},
    };
    for (const char *base : {"rtx2060-paper", "qv100-accelsim"}) {
        for (const auto &pairs : options) {
            const smrf_config cfg = machine(mechanism_, base, pairs);
            const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, mechanism_);
            if (mechanism_->check && mechanism_->check(&setup)) {
                continue; // it does not run there
            }
            const outcome fresh = run_on(smrf_engine_direct, mechanism_, bundled("matmul"), cfg);
            for (uint64_t cycles : {UINT64_C(900), UINT64_C(7000), SMRF_NEVER}) {
                for (const char *before : {"matmul", "divergent"}) {
                    const outcome again = run_on(smrf_engine_direct, mechanism_, bundled("matmul"),
                                                 cfg, bundled(before), cycles);
                    expect_complete(again);
                    EXPECT_EQ("", difference(fresh, again))
                        << base << ", after " << cycles << " cycles of " << before;
                    EXPECT_EQ(fresh.cycle, again.cycle);
                }
            }
        }
    }
}

// Simulated time goes on there, and cycle 0 moves with it.
TEST_P(of_mechanism, TheEngineOverSystemCIsAsNewAfterARun)
{
    const smrf_config cfg = machine(mechanism_, "rtx2060-paper", {"gpu.sms=2", "sim.monitor=on"});
    const outcome fresh = run_on(smrf_engine_direct, mechanism_, bundled("matmul"), cfg);
    for (const char *before : {"matmul", "divergent"}) {
        const outcome again =
            run_on(smrf_engine_systemc, mechanism_, bundled("matmul"), cfg, bundled(before));
        expect_complete(again);
        EXPECT_EQ("", difference(fresh, again)) << before;
        EXPECT_EQ(fresh.cycle, again.cycle);
    }
}

INSTANTIATE_TEST_SUITE_P(Reset, of_mechanism,
                         testing::Values("baseline", "malekeh-long", "malekeh-private", "gto-lru",
                                         "bow-long", "bow-short", "rfc", "rfc-software", "ltrf"),
                         test_name);

TEST(Reset, IsRefusedOverSystemCWhileAccessesAreUnderWay)
{
    const smrf_engine_ops &ops = smrf_engine_systemc;
    const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=1"});
    smrf_engine *engine = nullptr;
    smrf_trace *trace = nullptr;
    char text[128];
    ASSERT_EQ(0, smrf_trace_open(&trace, bundled("matmul").c_str(), nullptr));
    ASSERT_EQ(
        0, ops.create(&engine, &cfg, smrf_mechanism_find("baseline"), nullptr, text, sizeof text));
    ASSERT_EQ(0, ops.load(engine, trace));
    ASSERT_EQ(0, ops.reset(engine)) << "nothing has happened yet";
    ASSERT_EQ(0, ops.load(engine, trace));
    ASSERT_EQ(SMRF_RUN_LIMIT, ops.run(engine, 150));
    ASSERT_GT(ops.counted(engine)->payloads_in_use, 0u);
    EXPECT_EQ(SMRF_ERR_STATE, ops.reset(engine));
    EXPECT_NE(std::string::npos, std::string(ops.error(engine)).find("under way"));
    EXPECT_EQ(SMRF_RUN_FINISHED, ops.run(engine, SMRF_NEVER)) << "it goes on where it was";
    EXPECT_EQ(0, ops.reset(engine));
    EXPECT_EQ(0u, ops.machine(engine)->cycle);
    ops.destroy(engine);
    smrf_trace_close(trace);
}
