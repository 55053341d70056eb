// SPDX-License-Identifier: Apache-2.0
// Derived values against an independent computation over random numbers with gaps; what is wrong in
// an expression is told.
#include "platform/experiment/expression.h"
#include "tests/support/experiment_folder.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

using namespace smrf_test;

namespace
{

constexpr size_t traces = 12, seeds = 3, variants = 2;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

// Traces t0..t5 are of group "even" or "odd"; statistics a and b, and n.1 .. n.9.
struct numbers {
    std::map<std::string, double> of[variants][traces][seeds];
    unsigned launch = 0; // each launch adds a hundred
    numbers()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> value(0.5, 2);
        for (auto &v : of) {
            for (auto &t : v) {
                for (auto &s : t) {
                    s["a"] = random() % 7 ? value(random) : gap;
                    s["b"] = value(random);
                    for (int i = 1; i <= 9; i++) {
                        s["n." + std::to_string(i)] = i * value(random);
                    }
                }
            }
        }
    }
    double get(size_t v, size_t t, size_t s, const std::string &name) const
    {
        const auto found = of[v][t][s].find(name);
        return found == of[v][t][s].end() ? gap : found->second + 100 * launch;
    }
};

double statistic(void *ctx, size_t v, size_t t, size_t s, const char *name)
{
    return static_cast<numbers *>(ctx)->get(v, t, s, name);
}
bool fits(void *, size_t trace, const char *pattern)
{
    return "t" + std::to_string(trace) == pattern ||
           (trace % 2 ? "odd" : "even") == std::string(pattern);
}

unsigned at_launch(void *ctx, unsigned launch)
{
    return std::exchange(static_cast<numbers *>(ctx)->launch, launch);
}

// What the parser is told.
struct names {
    std::map<std::string, const smrf_expression *> derived;
    smrf_expression_names table{};
    names()
    {
        table.ctx = this;
        table.derived = [](void *ctx, const char *name) {
            const auto &d = static_cast<names *>(ctx)->derived;
            const auto found = d.find(name);
            return found == d.end() ? nullptr : found->second;
        };
        table.variant = [](void *, const char *name) {
            return std::strcmp(name, "base") == 0      ? 0L
                   : std::strcmp(name, "new-one") == 0 ? 1L
                                                       : -1L;
        };
        table.trace = [](void *, const char *pattern) { return pattern[0] != 'x'; };
        table.statistic = [](void *, const char *name) {
            return std::strcmp(name, "a") == 0 || std::strcmp(name, "b") == 0 ||
                   std::strncmp(name, "n.", 2) == 0;
        };
        table.near = [](void *, char kind) {
            static const char *const n[] = {"alpha", "b", nullptr}, *const v[] = {"base", "new-one",
                                                                                  nullptr};
            return kind == 'v' ? v : n;
        };
    }
};

struct expression : testing::Test {
    smrf_pool pool{};
    smrf_source source{};
    numbers data;
    names known;
    smrf_expression_data ask{traces, seeds, statistic, fits, &data, nullptr, nullptr, at_launch};
    expression()
    {
        source.pool = &pool;
        source.name = "x.yaml";
    }
    ~expression() override
    {
        smrf_pool_free(&pool);
    }
    const smrf_expression *parse(const std::string &text)
    {
        source.error[0] = '\0';
        return smrf_expression_parse(&source, 7, text.c_str(), &known.table);
    }
    double value(const std::string &text, long variant = -1, long trace = -1)
    {
        const smrf_expression *e = parse(text);
        EXPECT_NE(nullptr, e) << source.error;
        return e ? smrf_expression_value(e, &ask, variant, trace).mean : gap;
    }
    // Mean over the seeds of a trace, gaps left out.
    template <typename F> static double over_seeds(F f)
    {
        double sum = 0;
        int n = 0;
        for (size_t s = 0; s < seeds; s++) {
            const double v = f(s);
            if (!std::isnan(v)) {
                sum += v;
                n++;
            }
        }
        return n ? sum / n : gap;
    }
    double ratio(size_t t) const // a@new-one / a@base
    {
        return over_seeds(
            [&](size_t s) { return data.get(1, t, s, "a") / data.get(0, t, s, "a"); });
    }
};

TEST_F(expression, ArithmeticBindsAsUsual)
{
    EXPECT_DOUBLE_EQ(7, value("1 + 2 * 3"));
    EXPECT_DOUBLE_EQ(9, value("(1 + 2) * 3"));
    EXPECT_DOUBLE_EQ(-4, value("2 - 3 - 3"));
    EXPECT_DOUBLE_EQ(2, value("8/2/2"));
    EXPECT_DOUBLE_EQ(-6, value("-2 * 3"));
    EXPECT_DOUBLE_EQ(1.5e-3, value("1.5e-3"));
    EXPECT_TRUE(std::isnan(value("1 / 0"))) << "not there rather than infinite";
}

TEST_F(expression, AValueIsTheMeanOverTheSeeds)
{
    for (size_t t = 0; t < traces; t++) {
        const double want = ratio(t), got = value("a / a@base", 1, static_cast<long>(t));
        EXPECT_EQ(std::isnan(want), std::isnan(got));
        if (!std::isnan(want)) {
            EXPECT_NEAR(want, got, 1e-12);
            EXPECT_NEAR(want, value("a@new-one / a@base", -1, static_cast<long>(t)), 1e-12);
        }
    }
    double least = 9, most = 0;
    for (size_t s = 0; s < seeds; s++) {
        least = std::min(least, data.get(0, 3, s, "b"));
        most = std::max(most, data.get(0, 3, s, "b"));
    }
    const smrf_spread spread = smrf_expression_value(parse("b"), &ask, 0, 3);
    EXPECT_DOUBLE_EQ(least, spread.least);
    EXPECT_DOUBLE_EQ(most, spread.most);
}

TEST_F(expression, ALaunchIsOfOneValueAlone)
{
    const double b = value("b", 0, 2);
    EXPECT_DOUBLE_EQ(b + 200, value("launch(b, 2)", 0, 2));
    EXPECT_DOUBLE_EQ(2 * b + 300, value("launch(b, 3) + b", 0, 2)) << "the whole run again";
    EXPECT_DOUBLE_EQ(b + 100, value("launch(b + launch(b, 2) - launch(b, 2), 1)", 0, 2));
    EXPECT_NEAR(value("mean(b@base)") + 100, value("mean(launch(b@base, 1))"), 1e-9);
    EXPECT_NEAR(value("mean(b@base)") + 100, value("launch(mean(b@base), 1)"), 1e-9);
    for (const char *wrong : {"launch(b)", "launch(b, 0)", "launch(b, x)", "launch(b, 1"}) {
        EXPECT_EQ(nullptr, parse(wrong)) << wrong;
        EXPECT_NE(nullptr, std::strstr(source.error, "launch(X, NUMBER)")) << source.error;
    }
    ask.launch = nullptr;
    EXPECT_TRUE(std::isnan(value("launch(b, 1)", 0, 2))) << "there are no launches";
}

TEST_F(expression, AKnownNumberIsThatOfTheFirstPatternThatFits)
{
    const smrf_known measured[] = {{"t3", 7}, {"odd", 8}, {"t4", 9}};
    known.derived["measured"] = smrf_expression_known(&pool, measured, 3);
    EXPECT_DOUBLE_EQ(7, value("measured", -1, 3));
    EXPECT_DOUBLE_EQ(8, value("measured", -1, 5));
    EXPECT_DOUBLE_EQ(9, value("measured", -1, 4));
    EXPECT_TRUE(std::isnan(value("measured", -1, 2)));
    EXPECT_DOUBLE_EQ(traces / 2 + 1, value("count(measured)"));
    EXPECT_DOUBLE_EQ(9 + value("b", 0, 4), value("measured + b", 0, 4));
    EXPECT_FALSE(smrf_expression_of_variant(parse("measured")));
    EXPECT_TRUE(smrf_expression_of_trace(parse("measured")));
}

TEST_F(expression, FoldsOverTracesLeaveGapsOut)
{
    for (const std::string group : {"", "even", "odd", "t4"}) {
        double sum = 0, logs = 0, least = 9, most = 0;
        std::vector<double> all;
        int n = 0;
        for (size_t t = 0; t < traces; t++) {
            const double r = ratio(t);
            if (std::isnan(r) || (!group.empty() && !fits(nullptr, t, group.c_str()))) {
                continue;
            }
            n++;
            all.push_back(r);
            sum += r;
            logs += std::log(r);
            least = std::min(least, r);
            most = std::max(most, r);
        }
        const auto fold = [&](const std::string &name) {
            return value(name + "(a@new-one / a@base" +
                         (group.empty() ? "" : ", \"" + group + "\"") + ")");
        };
        ASSERT_GT(n, 0) << group;
        EXPECT_EQ(n, fold("count"));
        EXPECT_NEAR(sum, fold("sum"), 1e-12);
        EXPECT_NEAR(sum / n, fold("mean"), 1e-12);
        EXPECT_NEAR(std::exp(logs / n), fold("geomean"), 1e-12);
        EXPECT_NEAR(least, fold("min"), 1e-12);
        EXPECT_NEAR(most, fold("max"), 1e-12);
        std::sort(all.begin(), all.end());
        const size_t half = all.size() / 2;
        EXPECT_NEAR(all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2, fold("median"),
                    1e-12);
    }
    EXPECT_NEAR(ratio(5), value("at(a@new-one / a@base, \"t5\")"), 1e-12);
    EXPECT_TRUE(std::isnan(value("mean(b@base, \"none\")"))) << "there is none of that name";
    EXPECT_EQ(0, value("count(b@base, \"none\")"));
}

// each(): the values of several variants in one mean, median or the like.
TEST_F(expression, EachPutsTheValuesOfSeveralTogether)
{
    std::vector<double> all;
    double most = 0, sum = 0;
    for (long t = 0; t < long(traces); t += 2) {
        for (const char *text : {"b@base", "b@new-one", "b@base * 3"}) {
            const double one = value(text, -1, t);
            if (!std::isnan(one)) {
                all.push_back(one);
                sum += one;
                most = std::max(most, one);
            }
        }
    }
    std::sort(all.begin(), all.end());
    const size_t half = all.size() / 2;
    const std::string list = "(each(b@base, b@new-one, b@base * 3), \"even\")";
    EXPECT_EQ(double(all.size()), value("count" + list));
    EXPECT_NEAR(sum / double(all.size()), value("mean" + list), 1e-12);
    EXPECT_NEAR(most, value("max" + list), 1e-12);
    EXPECT_NEAR(all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2,
                value("median" + list), 1e-12);
    EXPECT_NEAR(value("mean(b@base)"), value("mean(each(b@base))"), 1e-12);
    EXPECT_TRUE(smrf_expression_of_variant(parse("mean(each(b@base, b))"))) << "the second's";
    EXPECT_FALSE(smrf_expression_of_variant(parse("mean(each(b@base, b@new-one))")));
    EXPECT_TRUE(smrf_expression_asks(parse("mean(each(a@base, b@base))"), "b"));
}

// The spread of a mean is that of the means of each seed.
TEST_F(expression, TheSpreadOfAMeanIsOverTheSeeds)
{
    double least = 9, most = 0;
    for (size_t s = 0; s < seeds; s++) {
        double sum = 0;
        for (size_t t = 0; t < traces; t++) {
            sum += data.get(0, t, s, "b");
        }
        least = std::min(least, sum / traces);
        most = std::max(most, sum / traces);
    }
    const smrf_spread spread = smrf_expression_value(parse("mean(b@base)"), &ask, -1, -1);
    EXPECT_NEAR(least, spread.least, 1e-12);
    EXPECT_NEAR(most, spread.most, 1e-12);
    EXPECT_LT(spread.least, spread.mean);
}

// t3 is t1 under another name: one of the two in means, both in everything else.
TEST_F(expression, TheSameTraceCountsOnceInAMean)
{
    ask.again = [](void *, size_t trace, const char *pattern) {
        return trace == 3 && (pattern == nullptr || fits(nullptr, 1, pattern));
    };
    const auto mean_of = [&](size_t from, size_t step) {
        double sum = 0;
        int n = 0;
        for (size_t t = from; t < traces; t += step) {
            if (t != 3) {
                sum += over_seeds([&](size_t s) { return data.get(0, t, s, "b"); });
                n++;
            }
        }
        return sum / n;
    };
    const double t3 = over_seeds([&](size_t s) { return data.get(0, 3, s, "b"); });
    EXPECT_NEAR(mean_of(0, 1), value("mean(b@base)"), 1e-12);
    EXPECT_NEAR(mean_of(1, 2), value("mean(b@base, \"odd\")"), 1e-12);
    EXPECT_NEAR(t3, value("mean(b@base, \"t3\")"), 1e-12) << "the other is not asked for";
    EXPECT_EQ(traces, value("count(b@base)"));
    EXPECT_NEAR(t3, value("at(b@base, \"t3\")"), 1e-12);
}

TEST_F(expression, TheBestIsThatOfTheLargestBesideIt)
{
    for (long t = 0; t < long(traces); t++) {
        const double one = over_seeds([&](size_t s) {
            const double x = data.get(0, size_t(t), s, "a"), y = data.get(1, size_t(t), s, "a");
            return std::isnan(x) && std::isnan(y) ? gap
                   : std::isnan(y) || x >= y      ? data.get(0, size_t(t), s, "b")
                                                  : data.get(1, size_t(t), s, "b");
        });
        EXPECT_NEAR(one, value("best(a@base, b@base, a@new-one, b@new-one)", -1, t), 1e-12);
    }
}

TEST_F(expression, AnotherTraceIsFoundByWhatStandsBehindItsName)
{
    ask.named = [](void *, size_t trace, const char *behind) {
        return std::string(behind) == "0" && trace == 1 ? 10L : -1L;
    };
    EXPECT_NEAR(value("b@base", -1, 10), value("other(b@base, \"0\")", -1, 1), 1e-12);
    EXPECT_TRUE(std::isnan(value("other(b@base, \"0\")", -1, 2)));
    EXPECT_TRUE(std::isnan(value("other(b@base, \"x\")", -1, 1)));
}

TEST_F(expression, RangesAddUpNumberedStatistics)
{
    const auto sum = [&](int from, int to) {
        return over_seeds([&](size_t s) {
            double all = 0;
            for (int i = from; i <= to; i++) {
                all += data.get(1, 2, s, "n." + std::to_string(i));
            }
            return all;
        });
    };
    EXPECT_NEAR(sum(2, 4), value("range(n, 2, 4)", 1, 2), 1e-12);
    EXPECT_NEAR(sum(3, 9), value("range(n, 3)@new-one", -1, 2), 1e-12);
    EXPECT_NEAR(0, value("range(n, 10)", 1, 2), 1e-12) << "the list is shorter";
}

TEST_F(expression, DerivedValuesAreTakenUnderTheVariantNamed)
{
    known.derived["speedup"] = parse("a / a@base");
    for (long t = 0; t < static_cast<long>(traces); t++) {
        const double want = ratio(static_cast<size_t>(t));
        if (!std::isnan(want)) {
            EXPECT_NEAR(want, value("speedup@new-one", -1, t), 1e-12);
            EXPECT_NEAR(want, value("speedup", 1, t), 1e-12);
        }
    }
    EXPECT_NEAR(1, value("mean(speedup@base)"), 1e-12);
}

TEST_F(expression, WhatItNeedsIsKnown)
{
    const struct {
        const char *text;
        bool trace, variant;
    } cases[] = {{"1", false, false},
                 {"a", true, true},
                 {"a@base", true, false},
                 {"mean(a)", false, true},
                 {"mean(a@base)", false, false},
                 {"a / mean(a@base)", true, true},
                 {"at(a@base, \"t1\")", false, false},
                 {"range(n, 1)@base", true, false}};
    for (const auto &c : cases) {
        const smrf_expression *e = parse(c.text);
        ASSERT_NE(nullptr, e) << source.error;
        EXPECT_EQ(c.trace, smrf_expression_of_trace(e)) << c.text;
        EXPECT_EQ(c.variant, smrf_expression_of_variant(e)) << c.text;
    }
}

TEST_F(expression, WhatIsWrongIsTold)
{
    const struct {
        const char *text, *says;
    } cases[] = {
        {"alpa", "there is no statistic or derived value 'alpa'; did you mean alpha?"},
        {"a@bas", "there is no variant 'bas'; did you mean base?"},
        {"a +", "a value is missing at the end"},
        {"a b", "expected an operator here: 'b'"},
        {"(a", "expected )"},
        {"mean(a", "expected )"},
        {"mean(a, even)", "named in \"quotes\""},
        {"mean(each(a, b)", "expected )"},
        {"mean(each(a, b", "expected , or )"},
        {"each(a, b)", "there is no function 'each'"},
        {"at(each(a, b), \"t1\")", "there is no function 'each'"},
        {"at(a)", "named in \"quotes\""},
        {"mean(a, \"xyz\")", "there is no trace or group 'xyz'"},
        {"mode(a)", "there is no function 'mode'; there are mean"},
        {"range(m, 1, 2)", "there is no numbered statistic 'm'"},
        {"range(n, 3, 2)", "counted from 1"},
        {"", "a value is missing"},
        {"a $ b", "expected an operator here"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(nullptr, parse(c.text)) << c.text;
        EXPECT_EQ(0u, std::string(source.error).find("x.yaml:7: ")) << source.error;
        EXPECT_TRUE(has(source.error, c.says)) << c.text << ": " << source.error;
    }
    EXPECT_EQ(nullptr, parse(std::string(100000, '('))) << "deep";
}

} // namespace
