// SPDX-License-Identifier: Apache-2.0
// The preset rtx2060-accelsim beside Accel-Sim's own answers: micro-benchmarks with one SM, and
// whole runs of real traces. The answers are in a folder of their own (SMRF_ACCELSIM_REFERENCE).
#include "../support/microbench.h"
#include "../support/replay.h"

#include <cmath>
#include <fstream>
#include <sstream>

namespace
{

std::string reference()
{
    return replay::folder("SMRF_ACCELSIM_REFERENCE", "../shared/accelsim-reference");
}

#define SKIP_WITHOUT_REFERENCE()                                                                   \
    if (reference().empty()) {                                                                     \
        GTEST_SKIP() << "no answers of Accel-Sim: set SMRF_ACCELSIM_REFERENCE to their folder";    \
    }

// Rows of a table, its heading left out.
std::vector<std::vector<std::string>> table(const std::string &path)
{
    std::ifstream file(path);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        rows.emplace_back();
        for (std::string cell; cells >> cell;) {
            rows.back().push_back(cell);
        }
    }
    return rows;
}

double percent(double measured, double expected)
{
    return 100 * (measured - expected) / expected;
}

uint64_t measure(const std::string &name)
{
    replay::temporary_folder folder;
    microbench::write(folder.path(), microbench::parse(name));
    return replay::run(folder.path(),
                       replay::preset("rtx2060-accelsim", {"gpu.sms=1", "gpu.launch_latency=0"}))
        .cycles;
}

TEST(AccelSimReference, MicroBenchmarksTakeAsManyCycles)
{
    SKIP_WITHOUT_REFERENCE();
    auto rows = table(reference() + "/microbench.tsv");
    ASSERT_GT(rows.size(), 100u);
    for (auto &row : rows) {
        EXPECT_EQ(std::stoull(row[1]), measure(row[0])) << row[0];
    }
}

TEST(AccelSimReference, RealTracesTakeAsManyCyclesAndInstructions)
{
    SKIP_WITHOUT_REFERENCE();
    if (replay::real_traces().empty()) {
        GTEST_SKIP() << "no real traces: set SMRF_REAL_TRACES to their folder";
    }
    auto rows = table(reference() + "/traces.tsv");
    ASSERT_GT(rows.size(), 10u);
    std::printf("%-20s %-8s %9s %9s %8s\n", "trace", "machine", "Accel-Sim", "smrf", "cycles %");
    for (auto &row : rows) {
        SCOPED_TRACE(row[0] + " " + row[1]);
        smrf_config cfg =
            row[1] == "paper10"
                ? replay::preset("rtx2060-accelsim", {"gpu.sms=10", "dram.channels=4",
                                                      "l2.slices=8", "issue.scheduler=gto"})
                : replay::preset("rtx2060-accelsim");
        replay::result r = replay::run(replay::real_traces() + "/" + row[0], cfg);
        double expected = std::stod(row[3]);
        std::printf("%-20s %-8s %9.0f %9llu %+8.2f\n", row[0].c_str(), row[1].c_str(), expected,
                    (unsigned long long)r.cycles, percent(double(r.cycles), expected));
        EXPECT_EQ(std::stoull(row[2]), r.kernels.size());
        EXPECT_EQ(std::stoull(row[4]), r.stats.thread_insts);
        EXPECT_LE(std::abs(percent(double(r.cycles), expected)), 0.6) << "cycles";
    }
}

} // namespace
