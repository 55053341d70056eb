// SPDX-License-Identifier: Apache-2.0
// The view scoreboard through the C API and the command line: both engines agree, results say that
// they are an estimate, and what the view cannot know is absent or refused.
#include "tests/support/engine_outcome.h"
#include "tests/support/platform_files.h"

#include "platform/platform.h"

using namespace smrf_test;
using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::preset;
using engine_outcome::run_in_child;
using engine_outcome::source_folder;

namespace
{

const std::string matmul = source_folder() + "/traces/bundled/matmul";

// Why a platform with these options cannot be built; "": it can.
std::string refusal(const std::vector<const char *> &pairs, const char *mechanism)
{
    smrf_platform *p = nullptr;
    EXPECT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_engine(p, "direct"));
    EXPECT_EQ(0, smrf_platform_mechanism(p, mechanism));
    for (const char *pair : pairs) {
        EXPECT_EQ(0, smrf_platform_set(p, pair)) << smrf_platform_error(p);
    }
    const std::string text = smrf_platform_build(p) < 0 ? smrf_platform_error(p) : "";
    smrf_platform_destroy(p);
    return text;
}

} // namespace

TEST(ScoreboardView, BothEnginesHaveTheSameCycles)
{
    for (const char *trace : {"matmul", "divergent", "hotspot"}) {
        const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=3", "sim.view=scoreboard"});
        const std::string path = source_folder() + "/traces/bundled/" + trace;
        const auto plain = run_in_child(smrf_engine_direct, path, cfg);
        expect_complete(plain);
        EXPECT_EQ("", difference(plain, run_in_child(smrf_engine_systemc, path, cfg))) << trace;
    }
}

TEST(ScoreboardView, MeetsTheTrafficOfOthersOnABusHoweverFarItRunsAhead)
{
    const std::string path = source_folder() + "/traces/bundled/hotspot";
    const auto cycles = [&](const char *view, const char *traffic, const char *quantum) {
        const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=2", "bus.shared=2",
                                                         "bus.memory=150", view, traffic, quantum});
        const auto o = run_in_child(smrf_engine_systemc, path, cfg);
        expect_complete(o);
        return static_cast<double>(o.cycle);
    };
    const auto estimate = [&](const char *traffic, const char *quantum) {
        return cycles("sim.view=scoreboard", traffic, quantum);
    };
    const double alone = cycles("sim.view=at", "bus.traffic=0", "sim.quantum=1024");
    const double busy = cycles("sim.view=at", "bus.traffic=450", "sim.quantum=1024");
    ASSERT_GT(busy, 1.05 * alone);
    EXPECT_NEAR(alone, estimate("bus.traffic=0", "sim.quantum=1024"), 0.03 * alone);
    EXPECT_NEAR(busy, estimate("bus.traffic=450", "sim.quantum=1024"), 0.03 * busy);
    EXPECT_EQ(estimate("bus.traffic=450", "sim.quantum=1024"),
              estimate("bus.traffic=450", "sim.quantum=1"));
}

TEST(ScoreboardView, RefusesByNameWhatItDoesNotModel)
{
    EXPECT_EQ("", refusal({"sim.view=scoreboard"}, "baseline"));
    EXPECT_EQ("", refusal({"sim.view=at"}, "malekeh-long"));
    for (const char *mechanism : {"malekeh-long", "bow-long", "rfc", "ltrf", "cars", "larf"}) {
        const std::string why = refusal({"sim.view=scoreboard"}, mechanism);
        EXPECT_NE(std::string::npos, why.find(mechanism)) << why;
        EXPECT_NE(std::string::npos, why.find("sim.view=at")) << why;
    }
    EXPECT_NE(std::string::npos, refusal({"sim.view=scoreboard", "issue.scheduler=swl"}, "baseline")
                                     .find("issue.scheduler=swl"));
}

TEST(ScoreboardView, ResultsSayThatTheyAreAnEstimateAndLackWhatItCannotKnow)
{
    const temporary_folder folder;
    const std::string json = folder / "out.json", csv = folder / "out.csv";
    const std::string common =
        "run " + matmul + " --engine direct --json " + json + " --csv " + csv;
    ASSERT_EQ(0, smrf(folder, common + " --set sim.view=scoreboard").status);
    const document estimate(read_file(json));
    EXPECT_EQ("scoreboard", estimate.text("estimate.view"));
    EXPECT_GT(estimate.count("cycles"), 0);
    EXPECT_GT(estimate.count("instructions.warp"), 0);
    EXPECT_GT(estimate.count("l1d.accesses"), 0);
    EXPECT_GT(estimate.count("checks.laws"), 5);
    EXPECT_FALSE(json_is_true(estimate.at("checks.oracle")));
    for (const char *absent :
         {"energy", "issue.stalls", "rf.bank_conflict_cycles", "simt", "rf.collector_utilisation",
          "oracle.checked", "units", "counters.ldst.mshr_stalls"}) {
        EXPECT_EQ(nullptr, estimate.at(absent)) << absent;
    }
    const std::string table = read_file(csv);
    EXPECT_EQ(std::string::npos, table.find("issue.stalls"));
    EXPECT_EQ(std::string::npos, table.find("energy."));

    ASSERT_EQ(0, smrf(folder, common + " --set sim.view=at").status);
    const document exact(read_file(json));
    EXPECT_EQ(nullptr, exact.at("estimate"));
    EXPECT_NE(nullptr, exact.at("energy"));
    EXPECT_NE(nullptr, exact.at("issue.stalls"));
}

TEST(ScoreboardView, StatisticsThatItCannotKnowAreRefused)
{
    smrf_platform *p = nullptr;
    double value = 0;
    uint64_t count = 0;
    smrf_stat_info info;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_engine(p, "direct"));
    EXPECT_EQ(0, smrf_platform_set(p, "sim.view=scoreboard"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, matmul.c_str()));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    EXPECT_EQ(0, smrf_platform_stat(p, "ipc", &value));
    EXPECT_GT(value, 0);
    EXPECT_LT(smrf_platform_count(p, "issue.stalls.data", &count), 0);
    EXPECT_LT(smrf_platform_stat(p, "rf.bank_utilisation", &value), 0);
    EXPECT_NE(std::string::npos, std::string(smrf_platform_error(p)).find("sim.view=scoreboard"));
    EXPECT_LT(smrf_platform_energy(p, smrf_platform_energy_set(p, 0), "total", &value), 0);
    for (size_t i = 0; smrf_platform_stat_at(p, i, &info) == 0; i++) {
        EXPECT_EQ(0, smrf_platform_stat(p, info.name, &value)) << info.name;
    }
    smrf_platform_destroy(p);
}

TEST(ScoreboardView, TheSummarySaysSoAndASeriesHasWhatIsKnown)
{
    const temporary_folder folder;
    const std::string view = " --set sim.view=scoreboard --engine direct ";
    const auto summary = smrf(folder, "run " + matmul + view);
    EXPECT_NE(std::string::npos, summary.out.find("an estimate (sim.view=scoreboard)"));
    EXPECT_EQ(std::string::npos, summary.out.find("scheduler cycles"));
    EXPECT_EQ(std::string::npos, summary.out.find("value oracle"));
    const std::string series = " -q --series=" + (folder / "series.csv");
    EXPECT_EQ(0, smrf(folder, "run " + matmul + view + series).status);
    const auto refused = smrf(folder, "run " + matmul + view + series + " --of=issue.stalls.data");
    EXPECT_NE(0, refused.status);
    EXPECT_NE(std::string::npos, refused.err.find("sim.view=scoreboard"));
    const auto timeline =
        smrf(folder, "run " + matmul + view + " --timeline=" + (folder / "timeline.json"));
    EXPECT_NE(0, timeline.status);
    EXPECT_NE(std::string::npos, timeline.err.find("sim.view=scoreboard"));
}
