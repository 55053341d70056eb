// SPDX-License-Identifier: Apache-2.0
// The STHLD machine walked over IPC curves with a knee (long version, Fig. 9: same curve, narrower,
// wider flat region), its rules one by one, and its table as text.
#include "models/malekeh/sthld.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace
{

using walk = std::vector<std::pair<unsigned, unsigned>>; // STHLD, state

smrf_sthld_config machine(int climb, int back, int fine, uint32_t max = 64)
{
    smrf_sthld_config c{};
    smrf_sthld_default_table(&c.table, climb, back, fine);
    c.threshold = 200;
    c.max = max;
    return c;
}

// Instructions of an interval at some STHLD: flat up to the knee, then 1 % a unit.
uint64_t on_curve(unsigned sthld, unsigned knee)
{
    return sthld <= knee ? 1000000 : 1000000 - 10000 * (sthld - knee);
}

struct dut {
    explicit dut(const smrf_sthld_config &c) : config(c)
    {
        EXPECT_EQ(0, smrf_sthld_init(&core, &config));
    }
    // Intervals on a curve; each as it was before it ended.
    walk on(unsigned knee, unsigned intervals)
    {
        walk w;
        for (unsigned i = 0; i < intervals; i++) {
            w.push_back({core.value, core.state});
            smrf_sthld_step(&core, on_curve(core.value, knee));
        }
        return w;
    }
    smrf_sthld_config config;
    smrf_sthld core{};
};

walk append(walk a, const walk &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// --- the cases of the reconstruction, deltas 4 8 4

TEST(Sthld, SameCurveEndsAtTheLastFlatPointBelowTheKnee)
{
    dut d(machine(4, 8, 4));
    EXPECT_EQ(
        (walk{
            {0, 1}, {4, 2}, {8, 2}, {12, 2}, {16, 2}, {20, 3}, {12, 4}, {8, 5}, {12, 6}, {12, 6}}),
        d.on(13, 10));
}

TEST(Sthld, FirstFourStepsAreIncreasesAndTheFifthIntervalSeesTheLargeChange)
{
    dut d(machine(4, 8, 4));
    walk w = d.on(13, 6);
    EXPECT_EQ((walk{{0, 1}, {4, 2}, {8, 2}, {12, 2}, {16, 2}, {20, 3}}), w);
}

TEST(Sthld, NarrowerFlatRegionIsDescendedTo)
{
    dut d(machine(4, 8, 4));
    walk w = d.on(13, 4);
    w = append(w, d.on(5, 8));
    EXPECT_EQ((walk{{0, 1},
                    {4, 2},
                    {8, 2},
                    {12, 2},
                    {16, 2},
                    {20, 3},
                    {12, 4},
                    {8, 5},
                    {4, 5},
                    {0, 5},
                    {4, 6},
                    {4, 6}}),
              w);
}

TEST(Sthld, WiderFlatRegionIsClimbed)
{
    // A phase of the program ends with the climb: IPC falls once, and the new curve is flat up
    // to 40.
    dut d(machine(4, 8, 4));
    walk w;
    for (uint64_t insts : {1000000, 1000000, 1000000, 1000000, 800000}) {
        w.push_back({d.core.value, d.core.state});
        smrf_sthld_step(&d.core, insts);
    }
    EXPECT_EQ((walk{{0, 1}, {4, 2}, {8, 2}, {12, 2}, {16, 2}}), w);
    w.clear();
    for (unsigned i = 0; i < 13; i++) {
        w.push_back({d.core.value, d.core.state});
        smrf_sthld_step(&d.core, on_curve(d.core.value, 40) * 8 / 10);
    }
    EXPECT_EQ((walk{{20, 3},
                    {24, 2},
                    {28, 2},
                    {32, 2},
                    {36, 2},
                    {40, 2},
                    {44, 2},
                    {48, 3},
                    {40, 4},
                    {36, 5},
                    {40, 6},
                    {40, 6},
                    {40, 6}}),
              w);
}

TEST(Sthld, FromHoldAPhaseChangeSpeculatesAndClimbs)
{
    dut d(machine(4, 8, 4));
    d.on(13, 9);
    ASSERT_EQ(12u, d.core.value);
    ASSERT_EQ(6u, d.core.state);
    walk w;
    for (unsigned i = 0; i < 14; i++) {
        w.push_back({d.core.value, d.core.state});
        smrf_sthld_step(&d.core, on_curve(d.core.value, 40) * 8 / 10);
    }
    EXPECT_EQ((walk{{12, 6},
                    {16, 3},
                    {20, 2},
                    {24, 2},
                    {28, 2},
                    {32, 2},
                    {36, 2},
                    {40, 2},
                    {44, 2},
                    {48, 3},
                    {40, 4},
                    {36, 5},
                    {40, 6},
                    {40, 6}}),
              w);
}

// --- the default deltas 8 16 8, cases as in the same table

TEST(Sthld, DefaultDeltasOnTheSameCurve)
{
    dut d(machine(8, 16, 8));
    EXPECT_EQ((walk{{0, 1},
                    {8, 2},
                    {16, 2},
                    {24, 2},
                    {32, 2},
                    {40, 3},
                    {24, 4},
                    {16, 5},
                    {24, 6},
                    {24, 6}}),
              d.on(28, 10));
}

TEST(Sthld, DefaultDeltasOnANarrowerCurve)
{
    dut d(machine(8, 16, 8));
    const walk w = d.on(28, 4);
    EXPECT_EQ((walk{{0, 1},
                    {8, 2},
                    {16, 2},
                    {24, 2},
                    {32, 2},
                    {40, 3},
                    {24, 4},
                    {16, 5},
                    {8, 5},
                    {0, 5},
                    {8, 6},
                    {8, 6}}),
              append(w, d.on(10, 8)));
}

TEST(Sthld, WithoutAFlatRegionItComesToRestAtZero)
{
    dut d(machine(8, 16, 8));
    EXPECT_EQ((walk{{0, 1}, {8, 2}, {16, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 6}}), d.on(0, 7));
}

// --- rules

TEST(Sthld, UndoAddsBackOnlyWhatTheLastDecrementTookOff)
{
    smrf_sthld_config c = machine(3, 6, 8);
    dut d(c);
    d.core.value = 5;
    d.core.state = 4;
    smrf_sthld_step(&d.core, 1000); // 5 - 8 is cut off at 0
    EXPECT_EQ(0u, d.core.value);
    smrf_sthld_step(&d.core, 1000);
    EXPECT_EQ(5u, d.core.value) << "not 8";
    EXPECT_EQ(6u, d.core.state);
}

TEST(Sthld, StaysBetweenZeroAndItsCeiling)
{
    dut d(machine(40, 16, 8, 64));
    d.on(1000, 6);
    EXPECT_EQ(64u, d.core.value);
    smrf_sthld_config c = machine(8, 100, 8);
    dut e(c);
    e.core.value = 10;
    e.core.state = 3;
    e.core.before = 1000;
    smrf_sthld_step(&e.core, 500);
    EXPECT_EQ(0u, e.core.value);
}

TEST(Sthld, TheThresholdItselfIsSmall)
{
    for (int64_t change : {-20001, -20000, 0, 20000, 20001}) {
        dut d(machine(8, 16, 8));
        smrf_sthld_step(&d.core, 1000000);
        smrf_sthld_step(&d.core, uint64_t(1000000 + change));
        EXPECT_EQ(change < -20000 || change > 20000, d.core.large) << change;
        EXPECT_EQ(d.core.large ? 3u : 2u, d.core.state);
    }
}

TEST(Sthld, WithOnlyDropsARiseIsSmall)
{
    smrf_sthld_config c = machine(8, 16, 8);
    c.only_drops = true;
    dut d(c);
    smrf_sthld_step(&d.core, 1000);
    smrf_sthld_step(&d.core, 2000);
    EXPECT_FALSE(d.core.large);
    smrf_sthld_step(&d.core, 1000);
    EXPECT_TRUE(d.core.large);
}

TEST(Sthld, AnIdleIntervalIsLeftOutUnlessItIsToCount)
{
    dut d(machine(8, 16, 8));
    smrf_sthld_step(&d.core, 1000);
    EXPECT_FALSE(smrf_sthld_step(&d.core, 0));
    EXPECT_EQ(2u, d.core.state);
    EXPECT_TRUE(smrf_sthld_step(&d.core, 1000));
    EXPECT_FALSE(d.core.large) << "compared with the last interval that counted";
    smrf_sthld_config c = machine(8, 16, 8);
    c.count_idle = true;
    dut e(c);
    smrf_sthld_step(&e.core, 1000);
    EXPECT_TRUE(smrf_sthld_step(&e.core, 0));
    EXPECT_EQ(3u, e.core.state);
}

TEST(Sthld, ResetGoesBackToTheStartAndKeepsTheValue)
{
    dut d(machine(8, 16, 8));
    d.on(28, 5);
    unsigned value = d.core.value;
    smrf_sthld_reset(&d.core);
    EXPECT_EQ(1u, d.core.state);
    EXPECT_EQ(value, d.core.value);
}

TEST(Sthld, BeginsWithTheConfiguredValue)
{
    smrf_sthld_config c = machine(8, 16, 8);
    c.first = 20;
    EXPECT_EQ(20u, dut(c).core.value);
    c.first = 65;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_sthld_config_check(&c));
}

// --- the table as text

const char default_text[] = "# state change next delta\n"
                            "start 1\n"
                            "1 *     2 +8\n"
                            "2 small 2 +8  # climb\n"
                            "2 large 3 8\r\n"
                            "3 small 2 +8\n"
                            "3 large 4 -16\n"
                            "\n"
                            "4 * 5 -8\n"
                            "5 small 6 undo\n"
                            "5\tlarge\t5\t-8\n"
                            "6 small 6 0\n"
                            "6 large 3 +8";

int read(const std::string &text, unsigned *line, std::string *why, smrf_sthld_table *table)
{
    const char *reason = nullptr;
    int err = smrf_sthld_read_table(table, text.data(), text.size(), line, &reason);
    *why = reason ? reason : "";
    return err;
}

TEST(SthldTable, TheDefaultMachineAsText)
{
    smrf_sthld_table table{}, own{};
    unsigned line;
    std::string why;
    ASSERT_EQ(0, read(default_text, &line, &why, &table)) << line << ": " << why;
    smrf_sthld_default_table(&own, 8, 16, 8);
    EXPECT_EQ(own.start, table.start);
    for (unsigned s = 0; s <= SMRF_STHLD_STATES; s++) {
        for (unsigned c = 0; c < SMRF_STHLD_CHANGES; c++) {
            EXPECT_EQ(own.edge[s][c].next, table.edge[s][c].next) << s;
            EXPECT_EQ(own.edge[s][c].delta, table.edge[s][c].delta) << s;
        }
    }
}

TEST(SthldTable, AMachineOfTwoStatesRuns)
{
    smrf_sthld_config c = machine(1, 1, 1);
    unsigned line;
    std::string why;
    ASSERT_EQ(0, read("start 16\n16 * 2 +5\n2 small 2 +1\n2 large 16 -3\n", &line, &why, &c.table))
        << why;
    dut d(c);
    smrf_sthld_step(&d.core, 100);
    smrf_sthld_step(&d.core, 100);
    smrf_sthld_step(&d.core, 50);
    EXPECT_EQ(3u, d.core.value);
    EXPECT_EQ(16u, d.core.state);
}

TEST(SthldTable, ErrorsNameLineAndReasonAndLeaveTheTableAlone)
{
    const struct {
        const char *text;
        unsigned line;
        const char *why;
    } cases[] = {
        {"start 0\n", 1, "state from 1 to 16"},
        {"start 17\n", 1, "state from 1 to 16"},
        {"start\n", 1, "state from 1 to 16"},
        {"start 1 2\n", 1, "one state"},
        {"start 1\nstart 2\n", 2, "already"},
        {"start 1\n\n# x\nx * 1 0\n", 4, "or 'start'"},
        {"start 1\n1 big 1 0\n", 2, "small, large or *"},
        {"start 1\n1\n", 2, "small, large or *"},
        {"start 1\n1 * 99 0\n", 2, "next state"},
        {"start 1\n1 * 1\n", 2, "delta"},
        {"start 1\n1 * 1 1.5\n", 2, "delta"},
        {"start 1\n1 * 1 +\n", 2, "delta"},
        {"start 1\n1 * 1 99999\n", 2, "delta"},
        {"start 1\n1 * 1 2147483648\n", 2, "delta"},
        {"start 1\n1 * 1 -99999999999999999999\n", 2, "delta"},
        {"start 4294967297\n", 1, "state from 1 to 16"}, /* 2^32 + 1 */
        {"start 1\n1 * 18446744073709551617 0\n", 2, "next state"},
        {"start 1\n1 * 1 undone\n", 2, "delta"},
        {"start 1\n1 * 1 0 0\n", 2, "nothing after"},
        {"start 1\n1 * 1 0\n1 small 1 0\n", 3, "already"},
        {"1 * 1 0\n", 0, "no start state"},
        {"", 0, "no start state"},
        {"start 1\n1 small 1 0\n", 0, "lacks an edge"},
        {"start 1\n1 * 2 0\n", 0, "lacks an edge"},
    };
    for (const auto &c : cases) {
        smrf_sthld_table table;
        std::memset(&table, 0x5a, sizeof table);
        smrf_sthld_table before = table;
        unsigned line = 77;
        std::string why;
        EXPECT_EQ(SMRF_ERR_FORMAT, read(c.text, &line, &why, &table)) << c.text;
        EXPECT_EQ(c.line, line) << c.text;
        EXPECT_NE(std::string::npos, why.find(c.why)) << c.text << " -> " << why;
        EXPECT_EQ(0, std::memcmp(&before, &table, sizeof table));
    }
}

TEST(SthldTable, StatesThatAreNeverReachedNeedNotBeComplete)
{
    smrf_sthld_table table;
    unsigned line;
    std::string why;
    EXPECT_EQ(0, read("start 1\n1 * 1 0\n9 small 9 0\n", &line, &why, &table)) << why;
}

TEST(SthldTable, EveryCutOffOfTheTextIsAnErrorOrAMachine)
{
    const std::string whole = default_text;
    for (size_t n = 0; n < whole.size(); n++) {
        smrf_sthld_config c = machine(8, 16, 8);
        unsigned line;
        std::string why;
        if (read(whole.substr(0, n), &line, &why, &c.table) == 0) {
            EXPECT_EQ(0, smrf_sthld_config_check(&c)) << n;
        } else {
            EXPECT_FALSE(why.empty()) << n;
        }
    }
}

} // namespace
