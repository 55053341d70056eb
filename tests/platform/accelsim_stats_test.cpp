// SPDX-License-Identifier: Apache-2.0
// smrf run --accelsim-stats: every pattern with which Accel-Sim's get_stats.py collects statistics
// by default finds its number, totals grow from launch to launch, and they are those of the JSON.
#include "tests/support/platform_files.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

using namespace smrf_test;

namespace
{

struct outcome {
    int status;
    std::string out;
};

outcome run(const temporary_folder &folder, const std::string &arguments)
{
    const int status = std::system(
        (program() + " " + arguments + " >" + (folder / "out") + " 2>" + (folder / "err")).c_str());
    return {WEXITSTATUS(status), read_file(folder / "out")};
}

// All numbers that a pattern finds, one a line at most.
std::vector<double> found(const std::string &text, const char *pattern)
{
    std::vector<double> all;
    std::istringstream lines(text);
    const std::regex regex(pattern);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, regex)) {
            all.push_back(std::stod(match[1]));
        }
    }
    return all;
}

class accelsim_stats : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const std::string source = std::getenv("SMRF_SOURCE_DIR");
        got = run(folder, "run -q --preset rtx2060-accelsim --json " + (folder / "r.json") +
                              " --accelsim-stats " + source + "/traces/bundled/hotspot " + source +
                              "/traces/bundled/ray");
        ASSERT_EQ(0, got.status) << read_file(folder / "err");
    }
    temporary_folder folder;
    outcome got;
};

TEST_F(accelsim_stats, EveryPatternFindsANumberOfEachLaunch)
{
    const size_t launches = found(got.out, "kernel_launch_uid\\s*=\\s*(.*)").size();
    ASSERT_EQ(4u, launches);
    for (const char *pattern :
         {"gpu_tot_sim_insn\\s*=\\s*(.*)", "gpu_tot_sim_cycle\\s*=\\s*(.*)",
          "gpgpu_n_tot_w_icount\\s*=\\s*(.*)", "total dram reads\\s*=\\s*(.*)",
          "total dram writes\\s*=\\s*(.*)", "gpgpu_n_shmem_bkconflict\\s*=\\s*(.*)",
          "gpgpu_n_l1cache_bkconflict\\s*=\\s*(.*)", "gpu_ipc\\s*=\\s*(.*)",
          "gpu_occupancy\\s*=\\s*(.*)%", "L2_BW\\s*=\\s*(.*)GB\\/Sec",
          "gpu_tot_ipc\\s*=\\s*(.*)"}) {
        EXPECT_EQ(launches, found(got.out, pattern).size()) << pattern;
    }
    for (const std::string cache : {"L2_cache", "Total_core_cache"}) {
        for (const std::string kind : {"GLOBAL_ACC_R", "GLOBAL_ACC_W"}) {
            for (const std::string fate : {"HIT", "TOTAL_ACCESS"}) {
                const std::string pattern = "\\s+" + cache + "_stats_breakdown\\[" + kind +
                                            "\\]\\[" + fate + "\\]\\s*=\\s*(.*)";
                EXPECT_EQ(launches, found(got.out, pattern.c_str()).size()) << pattern;
            }
        }
    }
    EXPECT_EQ(launches, found(got.out, "\\s+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]"
                                       "\\[MSHR_HIT\\]\\s*=\\s*(.*)")
                            .size());
    for (const char *once : {"gpgpu_simulation_time\\s*=.*\\(([0-9]+) sec\\).*",
                             "gpgpu_simulation_rate\\s+=\\s+(.*)\\s+\\(inst\\/sec\\)",
                             "gpgpu_simulation_rate\\s+=\\s+(.*)\\s+\\(cycle\\/sec\\)",
                             "gpgpu_silicon_slowdown\\s*=\\s*(.*)x"}) {
        EXPECT_EQ(1u, found(got.out, once).size()) << once;
    }
    EXPECT_NE(std::string::npos, got.out.find("kernel_name = hotspot_steps\n"));
    EXPECT_NE(std::string::npos, got.out.find("\nGPGPU-Sim: *** exit detected ***\n"));
}

// get_stats.py matches both at the beginning of a line, the first one before the second.
TEST_F(accelsim_stats, NamesTheBuildWhereTheScriptsLook)
{
    const std::regex accelsim("^Accel-Sim.*\\[build\\s+(.*)\\]"),
        gpgpusim("\nGPGPU-Sim.*\\[build\\s+(.*)\\]");
    std::smatch first, second;
    ASSERT_TRUE(std::regex_search(got.out, first, accelsim)) << got.out.substr(0, 200);
    ASSERT_TRUE(std::regex_search(got.out, second, gpgpusim)) << got.out.substr(0, 200);
    EXPECT_EQ(first[1], second[1]);
    EXPECT_EQ(0u, first[1].str().find("smrf-"));
    EXPECT_LT(first.position(), second.position());
}

TEST_F(accelsim_stats, TotalsGrowToThoseOfTheRun)
{
    document json(read_file(folder / "r.json"));
    const auto number = [&](const std::string &path) {
        return json_number_value(document::at(json.root(), path.c_str()));
    };
    const std::string core = "Total_core_cache_stats_breakdown";
    const std::string ldst = "counters.ldst.l1d_", memory = "counters.memory.l2_";
    std::map<std::string, double> expected = {
        {"gpu_tot_sim_cycle", number("cycles")},
        {"gpu_tot_sim_insn", number("instructions.thread")},
        {"gpgpu_n_tot_w_icount", number("instructions.warp")},
        {"total dram reads", number("dram.reads")},
        {"total dram writes", number("dram.writes")},
        {"gpgpu_n_shmem_bkconflict", number("shared.conflict_cycles")},
        {"gpgpu_n_l1cache_bkconflict", number("counters.ldst.bank_conflict_stalls")},
        {"L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\]", number(memory + "write_hits")},
        {"L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[MISS\\]", number(memory + "write_misses")},
        {"L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\]",
         number(memory + "writes")}};
    const std::pair<const char *, const char *> kinds[] = {{"GLOBAL_ACC_R", "global_load"},
                                                           {"GLOBAL_ACC_W", "global_store"},
                                                           {"LOCAL_ACC_R", "local_load"},
                                                           {"LOCAL_ACC_W", "local_store"}};
    const std::pair<const char *, const char *> fates[] = {{"HIT", "hits"},
                                                           {"MSHR_HIT", "pending_hits"},
                                                           {"MISS", "misses"},
                                                           {"TOTAL_ACCESS", "accesses"}};
    for (auto &kind : kinds) {
        for (auto &fate : fates) {
            expected[core + "\\[" + kind.first + "\\]\\[" + fate.first + "\\]"] =
                number(ldst + kind.second + "_" + fate.second);
        }
    }
    const std::pair<const char *, const char *> l2[] = {
        {"HIT", "_hits"}, {"MSHR_HIT", "_merges"}, {"MISS", "_misses"}, {"TOTAL_ACCESS", "s"}};
    for (auto &fate : l2) {
        expected["L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[" + std::string(fate.first) +
                 "\\]"] =
            number(memory + "read" + fate.second) + number(memory + "atomic" + fate.second);
    }
    unsigned above = 0;
    for (auto &e : expected) {
        const std::vector<double> all = found(got.out, ("^\\s*" + e.first + " = (.*)").c_str());
        ASSERT_EQ(4u, all.size()) << e.first;
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << e.first;
        EXPECT_EQ(e.second, all.back()) << e.first;
        above += e.second > 0;
    }
    EXPECT_GT(above, 15u) << "programs that access all of them";
}

TEST_F(accelsim_stats, ARunThatWasCutOffHasNoEnd)
{
    const std::string source = std::getenv("SMRF_SOURCE_DIR");
    const std::string file = folder / "stats.txt";
    EXPECT_EQ(0, run(folder, "run -q --max-cycles 500 --accelsim-stats=" + file + " " + source +
                                 "/traces/bundled/ray")
                     .status);
    EXPECT_NE(std::string::npos, read_file(file).find("gpu_tot_sim_cycle = 500\n"));
    EXPECT_EQ(std::string::npos, read_file(file).find("exit detected"));
}

} // namespace
