// SPDX-License-Identifier: Apache-2.0
// smrf compare and smrf sweep: their numbers are those of the runs, their words are checked first.
#include "tests/support/experiment_folder.h"

#include <cmath>

using namespace smrf_test;

namespace
{

struct compare : testing::Test {
    temporary_folder folder;
    double run(const std::string &mechanism, const std::string &trace, const std::string &more = "")
    {
        outcome o =
            smrf(folder, "run -q --json - --mechanism " + mechanism + " " + more + " " + trace);
        EXPECT_EQ(0, o.status) << o.err;
        return json_number_value(document(o.out).at("ipc"));
    }
    static const json_t *row(const document &d, const std::string &trace, int launch,
                             const std::string &variant)
    {
        size_t i;
        const json_t *one;
        json_array_foreach(json_object_get(d.root(), "rows"), i, one)
        {
            if (trace == json_string_value(json_object_get(one, "trace")) &&
                launch == json_integer_value(json_object_get(one, "launch")) &&
                variant == json_string_value(json_object_get(one, "variant"))) {
                return one;
            }
        }
        ADD_FAILURE() << trace << launch << variant;
        return nullptr;
    }
    static double value(const json_t *row, const char *name)
    {
        return json_number_value(json_object_get(row, name));
    }
};

TEST_F(compare, TellsWhatTheRunsFound)
{
    const std::string traces[] = {tiny_trace(folder, "a", 12), tiny_trace(folder, "b", 30, 3)};
    outcome o =
        smrf(folder, "compare --json - --csv " + (folder / "c.csv") +
                         " -m baseline -m malekeh-long -m gto-lru " + traces[0] + " " + traces[1]);
    ASSERT_EQ(0, o.status) << o.err;
    document d(o.out);
    for (const char *mechanism : {"malekeh-long", "gto-lru"}) {
        double logs = 0;
        for (const char *name : {"a", "b"}) {
            const double ratio = run(mechanism, folder / name) / run("baseline", folder / name);
            EXPECT_NEAR(ratio, value(row(d, name, 0, mechanism), "ipc_ratio"), 1e-7);
            logs += std::log(ratio);
        }
        EXPECT_NEAR(std::exp(logs / 2),
                    json_number_value(json_object_get(d.at("geometric_means"), mechanism)), 1e-7);
    }
    EXPECT_NE(nullptr, row(d, "b", 3, "gto-lru")) << "three launches";
    outcome whole = smrf(folder, "run -q --json - " + traces[1]);
    const document base(whole.out);
    const json_t *second = json_array_get(base.at("kernels"), 1);
    EXPECT_EQ(value(second, "cycles"), value(row(d, "b", 2, "baseline"), "cycles"));
    const std::string csv = read_file(folder / "c.csv");
    EXPECT_EQ(1 + 3 * (3 + 4), std::count(csv.begin(), csv.end(), '\n'));
    EXPECT_FALSE(has(o.err, "smrf-compare-")) << "its folder is its own affair";
}

TEST_F(compare, TellsTheSpreadOverSeeds)
{
    const std::string trace = folder / "t";
    ASSERT_EQ(0, smrf(folder, "trace nn -q -o " + trace).status);
    outcome o = smrf(folder, "compare --json - --seeds 3 -m malekeh-long " + trace);
    ASSERT_EQ(0, o.status) << o.err;
    double sum = 0, least = 9, most = 0;
    for (const char *seed : {"1", "2", "3"}) {
        const std::string more = std::string("--seed ") + seed;
        const double r = run("malekeh-long", trace, more) / run("baseline", trace, more);
        sum += r;
        least = std::min(least, r);
        most = std::max(most, r);
    }
    const document d(o.out);
    const json_t *one = row(d, "t", 0, "malekeh-long");
    EXPECT_NEAR(sum / 3, value(one, "ipc_ratio"), 1e-7);
    EXPECT_NEAR(least, value(one, "ipc_ratio_least"), 1e-7);
    EXPECT_NEAR(most, value(one, "ipc_ratio_most"), 1e-7);
}

TEST_F(compare, ComparesResultsOfEarlierRuns)
{
    const std::string trace = tiny_trace(folder, "a", 20), a = folder / "a.json",
                      b = folder / "b.json";
    ASSERT_EQ(0, smrf(folder, "run -q --json " + a + " " + trace).status);
    ASSERT_EQ(0, smrf(folder, "run -q -s rf.collectors=8 --json " + b + " " + trace).status);
    const double ratio = run("baseline", trace, "-s rf.collectors=8") / run("baseline", trace);
    outcome o = smrf(folder, "compare --json - " + a + " " + b);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_NEAR(ratio, value(row(document(o.out), "a", 0, b), "ipc_ratio"), 1e-7);
    EXPECT_TRUE(has(smrf(folder, "compare " + a + " " + b).out, "geometric mean"));

    char above[32], below[32];
    std::snprintf(above, sizeof above, "%.4f", ratio + 0.001);
    std::snprintf(below, sizeof below, "%.4f", ratio - 0.001);
    EXPECT_EQ(
        4, smrf(folder, "compare --fail-below " + std::string(above) + " " + a + " " + b).status);
    EXPECT_EQ(
        0, smrf(folder, "compare --fail-below " + std::string(below) + " " + a + " " + b).status);

    write_file(folder / "c.json", "{}");
    EXPECT_EQ(3, smrf(folder, "compare " + a + " " + (folder / "c.json")).status);
    EXPECT_EQ(2, smrf(folder, "compare " + a).status);
}

// Whatever is wrong is told before anything runs.
TEST_F(compare, WrongWordsEndItAtOnce)
{
    const std::string trace = tiny_trace(folder, "a");
    const struct {
        const char *words, *says;
    } cases[] = {
        {"compare -m malekeh-lng", "did you mean malekeh-long?"},
        {"compare -p rtx2060", "rtx2060"},
        {"compare -s rf.bank=2", "did you mean rf.banks?"},
        {"compare -s rf.banks=1000", "out of range"},
        {"compare -m gto-lru -m gto-lru", "two variants 'gto-lru'"},
        {"compare --fail-below x", "--fail-below takes"},
        {"compare --seeds 0", "--seeds takes"},
        {"compare --jobs 0", "--jobs takes"},
        {"sweep", "no axis"},
        {"sweep --axis rf.banks", "--axis takes"},
        {"sweep --axis rf.banks=", "--axis takes"},
        {"sweep --axis rf.bnks=2,4", "did you mean rf.banks?"},
        {"sweep --axis rf.banks=2,x", "'x' is not a number"},
        {"sweep --axis rf.banks=2,4 --axis rf.collectors=2 --zip", "of one length"},
        {"sweep --axis rf.banks=2,2", "two variants"},
    };
    for (const auto &c : cases) {
        outcome o = smrf(folder, std::string(c.words) + " -o " + (folder / "out") + " " + trace);
        EXPECT_EQ(2, o.status) << c.words << ": " << o.err;
        EXPECT_TRUE(has(o.err, c.says)) << c.words << ": " << o.err;
        EXPECT_FALSE(fs::exists(folder / "out")) << c.words;
    }
    EXPECT_EQ(2, smrf(folder, "compare /nowhere/trace").status);
    EXPECT_EQ(2, smrf(folder, "compare").status);
    EXPECT_EQ(3, smrf(folder, "compare -o /proc/none/x " + trace).status);
}

TEST_F(compare, ASweepCombinesItsAxesOrZipsThem)
{
    const std::string trace = tiny_trace(folder, "a"), out = folder / "out";
    const std::string axes = "--axis rf.banks=2,4 --axis rf.collectors=2,8 ";
    outcome o = smrf(folder, "sweep -o " + out + " " + axes + trace);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(
        (std::vector<std::string>{"baseline-2-2", "baseline-2-8", "baseline-4-2", "baseline-4-8"}),
        rows(out, "SELECT variant FROM plan ORDER BY 1"));
    EXPECT_EQ("rf.banks=4 rf.collectors=8",
              rows(out, "SELECT settings FROM plan WHERE variant = 'baseline-4-8'").at(0));
    for (const char *banks : {"2", "4"}) {
        EXPECT_NEAR(
            run("baseline", trace, std::string("-s rf.collectors=8 -s rf.banks=") + banks),
            std::atof(rows(out, std::string("SELECT value FROM results WHERE launch = 0 AND "
                                            "name = 'ipc' AND variant = 'baseline-") +
                                    banks + "-8'")
                          .at(0)
                          .c_str()),
            1e-6);
    }
    ASSERT_EQ(0, smrf(folder, "sweep --launches --zip -o " + out + " " + axes + trace).status);
    EXPECT_EQ((std::vector<std::string>{"baseline-2-2", "baseline-4-8"}),
              rows(out, "SELECT variant FROM plan ORDER BY 1"));
    const std::string csv = read_file(out + "/results.csv");
    EXPECT_EQ(number(out, "SELECT count(*) FROM results") + 1,
              std::count(csv.begin(), csv.end(), '\n'));
}

} // namespace
