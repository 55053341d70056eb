// SPDX-License-Identifier: Apache-2.0
// Traces of real GPUs replay to their end on every preset: every instruction, every value right,
// and the same result however the run is cut into windows.
#include "../support/replay.h"

#include <algorithm>

namespace
{

std::vector<std::string> traces()
{
    std::vector<std::string> names;
    std::string root = replay::real_traces();
    if (!root.empty()) {
        for (auto &entry : std::filesystem::directory_iterator(root)) {
            if (std::filesystem::exists(entry.path() / "kernelslist.g")) {
                names.push_back(entry.path().filename().string());
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

#define SKIP_WITHOUT_TRACES()                                                                      \
    if (traces().empty()) {                                                                        \
        GTEST_SKIP() << "no real traces: set SMRF_REAL_TRACES to their folder";                    \
    }

class real_traces_on : public testing::TestWithParam<const char *>
{
};

TEST_P(real_traces_on, EveryRealTraceReplaysToItsEndWithRightValues)
{
    SKIP_WITHOUT_TRACES();
    for (const std::string &name : traces()) {
        SCOPED_TRACE(name);
        replay::result r =
            replay::run(replay::real_traces() + "/" + name, replay::preset(GetParam()));
        EXPECT_GT(r.stats.warp_insts, 0u);
        EXPECT_GT(r.stats.oracle_checked, 0u);
    }
}

TEST_P(real_traces_on, RealTracesDoNotDependOnTheQuantum)
{
    SKIP_WITHOUT_TRACES();
    for (const std::string &name : traces()) {
        if (name.find("vecadd") == 0) {
            continue; // long, and as regular as the others
        }
        SCOPED_TRACE(name);
        smrf_config cfg = replay::preset(GetParam());
        replay::result base;
        for (uint32_t quantum : {64u, 1u, 7u, 1024u}) {
            cfg.sim.quantum = quantum;
            replay::result r = replay::run(replay::real_traces() + "/" + name, cfg);
            if (quantum == 64) {
                base = r;
            }
            EXPECT_EQ("", replay::difference(base, r)) << "sim.quantum 64 and " << quantum;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Preset, real_traces_on,
                         testing::Values("rtx2060-paper", "rtx2060-accelsim", "qv100-accelsim",
                                         "rtx3070-accelsim", "larf-paper"),
                         [](const auto &p) {
                             std::string name = p.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(RealTraces, TheOracleNeverChangesTiming)
{
    SKIP_WITHOUT_TRACES();
    for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
        for (const char *name : {"bfs-sm80-v3", "matrixmul-sm61-v4", "atax-sm90-v6"}) {
            if (!std::filesystem::is_directory(replay::real_traces() + "/" + name)) {
                continue;
            }
            smrf_config cfg = replay::preset(preset);
            replay::result on = replay::run(replay::real_traces() + "/" + name, cfg);
            cfg.sim.check = 0;
            replay::result off = replay::run(replay::real_traces() + "/" + name, cfg);
            off.stats.oracle_checked = on.stats.oracle_checked;
            off.stats.oracle_overtaken = on.stats.oracle_overtaken;
            EXPECT_EQ("", replay::difference(on, off)) << preset << " " << name;
        }
    }
}

} // namespace
