// SPDX-License-Identifier: Apache-2.0
// Time series: rows of every part sum up to what the run counts by launch, whatever the interval
// and the engine, and nothing else changes.
#include "../support/platform_files.h"
#include "platform/platform.h"

#include <cmath>
#include <map>
#include <set>

namespace
{

using namespace smrf_test;

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

struct line {
    unsigned launch;
    unsigned long long cycle, cycles;
    std::string sm, sub, bank, name;
    double value;
};

std::vector<line> parse(const std::string &text)
{
    std::vector<line> all;
    std::istringstream in(text);
    std::string row;
    std::getline(in, row);
    EXPECT_EQ("launch,cycle,cycles,sm,subcore,bank,name,value", row);
    while (std::getline(in, row)) {
        std::vector<std::string> cell(1);
        for (const char c : row) {
            if (c == ',') {
                cell.emplace_back();
            } else {
                cell.back() += c;
            }
        }
        EXPECT_EQ(8u, cell.size()) << row;
        all.push_back({static_cast<unsigned>(std::stoul(cell[0])), std::stoull(cell[1]),
                       std::stoull(cell[2]), cell[3], cell[4], cell[5], cell[6],
                       std::stod(cell[7])});
    }
    return all;
}

// A run with a series; limit: of cycles.
struct sampled {
    sampled(const std::string &trace, const std::string &mechanism, unsigned interval,
            const char *by, const char *names, uint64_t limit = SMRF_NO_LIMIT)
    {
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        smrf_platform_engine(p, "direct");
        EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism.c_str()));
        EXPECT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=3"));
        EXPECT_EQ(SMRF_OK, smrf_platform_series(p, interval, by, names)) << smrf_platform_error(p);
        EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
        end = smrf_platform_run(p, limit);
        EXPECT_LE(0, end) << smrf_platform_error(p);
        const std::string file = folder / "series.csv";
        EXPECT_EQ(SMRF_OK, smrf_platform_write_series(p, file.c_str())) << smrf_platform_error(p);
        rows = parse(read_file(file));
    }
    sampled(const sampled &) = delete;
    ~sampled()
    {
        smrf_platform_destroy(p);
    }
    double of_launch(unsigned launch, const std::string &name) const
    {
        double value = NAN;
        EXPECT_EQ(SMRF_OK, smrf_platform_launch_stat(p, launch - 1, name.c_str(), &value)) << name;
        return value;
    }
    temporary_folder folder;
    smrf_platform *p = nullptr;
    std::vector<line> rows;
    int end = 0;
};

std::set<std::string> counts()
{
    std::set<std::string> names;
    smrf_stat_info info{};
    for (size_t i = 0; smrf_stat_at(i, &info) == SMRF_OK; i++) {
        if (info.is_count && std::string(info.name).find(".max_") == std::string::npos) {
            names.insert(info.name);
        }
    }
    return names;
}

using view = std::tuple<const char *, const char *, const char *, unsigned>;

class series_of : public testing::TestWithParam<view>
{
};

TEST_P(series_of, SumsUpToTheCountersOfEveryLaunch)
{
    const auto &[trace, mechanism, by, interval] = GetParam();
    const sampled s(bundled(trace), mechanism, interval, by, "*");
    const std::set<std::string> sums = counts();
    std::map<std::pair<unsigned, std::string>, double> sum;
    std::map<std::tuple<std::string, std::string, std::string>, uint64_t>
        at; // where a part's row begins
    std::set<std::string> parts;
    for (const line &l : s.rows) {
        sum[{l.launch, l.name}] += l.value;
        parts.insert(l.sm + "/" + l.sub + "/" + l.bank);
        EXPECT_GT(l.cycles, 0u);
        EXPECT_LE(l.cycles, interval + 0u);
        if (l.name == "rf.bank_reads") {
            EXPECT_EQ((at[{l.sm, l.sub, l.bank}]), l.cycle) << "rows leave no cycle out";
            at[{l.sm, l.sub, l.bank}] = l.cycle + l.cycles;
        }
    }
    const std::string part = by;
    EXPECT_EQ(part == "gpu" ? 1u : part == "sm" ? 3u : part == "subcore" ? 12u : 24u, parts.size());
    size_t checked = 0;
    for (const auto &[key, value] : sum) {
        if (sums.count(key.second) && key.second != "cycles") {
            EXPECT_EQ(s.of_launch(key.first, key.second), value)
                << "launch " << key.first << ", " << key.second;
            checked += value > 0;
        } else if (key.second == "cycles") {
            EXPECT_EQ(s.of_launch(key.first, "cycles") * static_cast<double>(parts.size()), value);
        }
    }
    EXPECT_GT(checked, part == "bank" ? 2u : 10u);
}

INSTANTIATE_TEST_SUITE_P(parts, series_of,
                         testing::Values(view{"matmul", "baseline", "gpu", 100},
                                         view{"matmul", "malekeh-long", "gpu", 7},
                                         view{"gemm", "malekeh-long", "sm", 256},
                                         view{"hotspot", "bow-short", "sm", 1000},
                                         view{"divergent", "baseline", "subcore", 64},
                                         view{"gemm", "malekeh-long", "subcore", 1000000},
                                         view{"matmul", "bow-short", "subcore", 500},
                                         view{"hotspot", "baseline", "bank", 100},
                                         view{"gemm", "malekeh-long", "bank", 333}));

TEST(series, ARowsRatiosAreOfItsOwnCycles)
{
    const sampled s(bundled("matmul"), "baseline", 200, "gpu", "ipc,instructions.thread");
    std::map<unsigned long long, double> thread;
    for (const line &l : s.rows) {
        thread[l.cycle] = l.name == "instructions.thread" ? l.value : thread[l.cycle];
    }
    for (const line &l : s.rows) {
        if (l.name == "ipc") {
            EXPECT_NEAR(thread[l.cycle] / static_cast<double>(l.cycles), l.value, 1e-6);
        }
    }
}

// The energy of all intervals is that of the run.
TEST(series, EnergySumsUpToThatOfTheRun)
{
    for (const char *mechanism : {"baseline", "malekeh-long", "rfc"}) {
        sampled s(bundled("hotspot"), mechanism, 700, "gpu", "energy.*.total,energy.aw.*");
        std::map<std::string, double> sum;
        for (const line &l : s.rows) {
            EXPECT_GE(l.value, 0) << l.name;
            sum[l.name] += l.value;
        }
        EXPECT_EQ(13u, sum.size()); // 11 components of aw, the total of the two other sets
        for (const auto &[name, value] : sum) {
            const size_t dot = name.rfind('.');
            double whole = 0;
            ASSERT_EQ(SMRF_OK, smrf_platform_energy(s.p, name.substr(7, dot - 7).c_str(),
                                                    name.substr(dot + 1).c_str(), &whole));
            EXPECT_NEAR(whole, value, 1e-6 * whole) << mechanism << " " << name;
        }
    }
}

TEST(series, ARunThatIsCutOffKeepsWhatHasHappened)
{
    const sampled s(bundled("matmul"), "baseline", 100, "sm", "instructions.warp", 350);
    EXPECT_EQ(SMRF_RUN_MORE, s.end);
    double sum = 0, whole = 0;
    for (const line &l : s.rows) {
        sum += l.value;
    }
    EXPECT_EQ(SMRF_OK, smrf_platform_stat(s.p, "instructions.warp", &whole));
    EXPECT_GT(whole, 0);
    EXPECT_EQ(whole, sum);
    EXPECT_EQ(350u, s.rows.back().cycle + s.rows.back().cycles);
}

// The command line: both engines write the same, and a run under a series is the run without it.
TEST(series, IsTheSameOfBothEnginesAndChangesNothing)
{
    temporary_folder folder;
    for (const char *by : {"gpu", "bank"}) {
        std::string text[2];
        for (const char *engine : {"systemc", "direct"}) {
            const outcome o =
                smrf(folder, std::string("run -q --series - --interval 150 --of 'rf.*' -m "
                                         "malekeh-long --by ") +
                                 by + " --engine " + engine + " " + bundled("gemm"));
            ASSERT_EQ(0, o.status) << o.err;
            text[engine[0] == 's'] = o.out;
        }
        EXPECT_GT(text[0].size(), 1000u);
        EXPECT_EQ(text[0], text[1]) << by;
    }
    std::string results[2];
    for (int with = 0; with < 2; with++) {
        const std::string csv = folder / "r.csv";
        const outcome o =
            smrf(folder, "run -q --engine direct --csv " + csv + " " +
                             (with ? "--interval 33 --series " + (folder / "s.csv") + " " : "") +
                             bundled("divergent"));
        ASSERT_EQ(0, o.status) << o.err;
        results[with] = read_file(csv);
        results[with].resize(results[with].find("\n1,")); // header; its rows follow
        const std::string all = read_file(csv);
        results[with] += all.substr(all.find("\n1,"));
    }
    EXPECT_EQ(results[0].substr(results[0].find("\n1,")),
              results[1].substr(results[1].find("\n1,")));
}

TEST(series, StandsInTheDocumentToo)
{
    temporary_folder folder;
    const outcome o = smrf(folder, "run -q --engine direct --json - --interval 200 --by sm --of "
                                   "'rf.bank_*,mechanism.*' -s gpu.sms=2 -m malekeh-long " +
                                       bundled("matmul"));
    ASSERT_EQ(0, o.status) << o.err;
    const document d(o.out);
    const json_t *series = d.at("series"), *columns = json_object_get(series, "columns");
    EXPECT_EQ(200, json_integer_value(json_object_get(series, "interval")));
    EXPECT_STREQ("sm", json_string_value(json_object_get(series, "by")));
    EXPECT_STREQ("rf.bank_reads", json_string_value(json_array_get(columns, 6)));
    EXPECT_LT(9u, json_array_size(columns));
    double sum = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(series, "rows"), i, row)
    {
        EXPECT_EQ(json_array_size(columns), json_array_size(row));
        EXPECT_EQ(static_cast<json_int_t>(i % 2), json_integer_value(json_array_get(row, 3)));
        EXPECT_TRUE(json_is_null(json_array_get(row, 4)));
        sum += json_number_value(json_array_get(row, 6));
    }
    EXPECT_EQ(json_number_value(d.at("rf.bank_reads")), sum);
}

TEST(series, AWishThatCannotBeFulfilledIsRefusedBeforeTheRun)
{
    temporary_folder folder;
    const std::string trace = " " + bundled("matmul");
    const struct {
        const char *words, *says;
    } cases[] = {
        {"--series s.csv --of nosuch", "no statistic is called 'nosuch'"},
        {"--series s.csv --of l2.hit", "did you mean l2.hits?"},
        {"--series s.csv --of l2.hits --by sm", "l2.hits is not kept by sm, but by gpu"},
        {"--series s.csv --of l1d.hits --by bank", "l1d.hits is not kept by bank, but by sm"},
        {"--series s.csv --of ipc --by bank", "ipc is not kept by bank, but by subcore"},
        {"--series s.csv --of energy.aw.total --by sm",
         "energy.aw.total is not kept by sm, but by gpu"},
        {"--series s.csv --of ,", "no statistic is named"},
        {"--series s.csv --by warp", "by gpu, sm, subcore or bank, not 'warp'"},
        {"--series s.csv --interval 0", "--interval takes a whole number above 0"},
        {"--interval 10", "--series FILE"},
    };
    for (const auto &c : cases) {
        const outcome o = smrf(folder, std::string("run -q ") + c.words + trace);
        EXPECT_EQ(2, o.status) << c.words;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << c.words << ": " << o.err;
    }
}

} // namespace
