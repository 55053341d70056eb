// SPDX-License-Identifier: Apache-2.0
// smrf why: differences of causes add up to the difference of cycles, what it names is what was
// put in, and what it tests is what a run of that machine takes. Beside it the split of the stall
// for collectors, and what smrf profile chooses.
#include "tests/support/experiment_folder.h"

#include <cmath>

using namespace smrf_test;

namespace
{

struct why : testing::Test {
    temporary_folder folder;
    std::string bundled(const char *name) const
    {
        const char *source = std::getenv("SMRF_SOURCE_DIR");
        return std::string(source ? source : ".") + "/traces/bundled/" + name;
    }
    std::string json(const std::string &command)
    {
        const outcome o = smrf(folder, command);
        EXPECT_EQ(0, o.status) << o.err;
        return o.out;
    }
    // Of one mechanism's run.
    double stat(const std::string &machine, const char *trace, const char *name)
    {
        return json_number_value(
            document(json("run -q --json - " + machine + " " + bundled(trace))).at(name));
    }
};

double value(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

// The causes of a kernel add up to its difference, and so does what they explain.
void expect_sums(const json_t *kernel)
{
    double changes = 0, explained = 0;
    size_t i;
    const json_t *cause;
    json_array_foreach(json_object_get(kernel, "causes"), i, cause)
    {
        changes += value(cause, "after") - value(cause, "before");
        explained += value(cause, "explains");
    }
    const double difference = value(kernel, "after") - value(kernel, "before");
    EXPECT_NEAR(difference, changes, 1e-6) << json_string_value(json_object_get(kernel, "kernel"));
    EXPECT_NEAR(difference, explained, 1e-6);
}

const json_t *cause(const json_t *kernel, const std::string &name)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(kernel, "causes"), i, one)
    {
        if (name == json_string_value(json_object_get(one, "cause"))) {
            return one;
        }
    }
    return nullptr;
}

// Of a profile.
const json_t *first_kernel(const document &d)
{
    return json_array_get(json_object_get(json_array_get(d.at("runs"), 0), "kernels"), 0);
}

TEST_F(why, CausesAddUpToTheDifference)
{
    for (const char *trace : {"gemm", "ray", "fib", "divergent"}) {
        for (const char *mechanism : {"rfc", "ltrf", "malekeh-long"}) {
            const document d(json("why --untested --json - -m baseline -m " +
                                  std::string(mechanism) + " " + bundled(trace)));
            expect_sums(d.at("whole"));
            size_t i;
            const json_t *kernel;
            double sum = 0;
            json_array_foreach(d.at("kernels"), i, kernel)
            {
                expect_sums(kernel);
                sum += value(kernel, "after");
            }
            EXPECT_GT(i, 0u);
            EXPECT_EQ(value(d.at("whole"), "after"), sum) << trace << " " << mechanism;
        }
    }
}

// The two-level scheduler of LTRF keeps ready warps out of its active list; under the baseline's
// scheduler the difference goes.
TEST_F(why, FindsThePolicyBehindALoss)
{
    const document d(json("why --json - -m baseline -m ltrf " + bundled("matmul")));
    const json_t *whole = d.at("whole");
    const double difference = value(whole, "after") - value(whole, "before");
    EXPECT_GT(difference, 0.05 * value(whole, "before"));
    EXPECT_GT(value(cause(whole, "inactive"), "explains"), 0.9 * difference);
    EXPECT_GT(json_array_size(
                  json_object_get(cause(json_array_get(d.at("kernels"), 0), "inactive"), "places")),
              0u);
    bool tested = false;
    size_t i;
    const json_t *t;
    json_array_foreach(d.at("tests"), i, t)
    {
        if (std::string("issue.scheduler=gto") ==
            json_string_value(json_object_get(t, "setting"))) {
            tested = true;
            EXPECT_LT(value(t, "after") - value(t, "before"), 0.2 * difference);
            const document run(
                json("run -q --json - -m ltrf -s issue.scheduler=gto " + bundled("matmul")));
            EXPECT_EQ(value(json_array_get(run.at("kernels"), 0), "cycles"), value(t, "after"));
        }
    }
    EXPECT_TRUE(tested);
}

TEST_F(why, FindsWhatAMechanismWithholds)
{
    const outcome o = smrf(folder, "why -m baseline -m malekeh-long " + bundled("gemm"));
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_TRUE(has(o.out, "withheld: a warp was ready, the mechanism gave it none")) << o.out;
    EXPECT_TRUE(has(o.out, "With malekeh.allocation=any: malekeh-long takes ")) << o.out;
    EXPECT_TRUE(has(o.out, "this explains ")) << o.out;
    EXPECT_TRUE(has(o.out, "In the other direction: ")) << o.out;
}

// Programs that lose: 8.7 % of their speed and 2.3 %. The setting that a replay names takes the
// loss away.
TEST_F(why, FindsTheSettingBehindALossOfProgramsOfTheSuite)
{
    const struct {
        const char *program, *mechanism, *cause, *setting;
    } losses[] = {{"srad", "rfc", "inactive", "issue.scheduler=gto"},
                  {"gemm_bench_t1", "malekeh-long", "withheld", "malekeh.allocation=any"}};
    for (const auto &l : losses) {
        const std::string trace = folder / l.program;
        ASSERT_EQ(0, smrf(folder, std::string("trace -q ") + l.program + " -o " + trace).status);
        const document d(
            json(std::string("why --json - -m baseline -m ") + l.mechanism + " " + trace));
        const json_t *whole = d.at("whole");
        const double difference = value(whole, "after") - value(whole, "before");
        EXPECT_GT(difference, 0.02 * value(whole, "before")) << l.program;
        size_t i;
        const json_t *one;
        json_array_foreach(json_object_get(whole, "causes"), i, one)
        {
            EXPECT_LE(value(one, "explains"), value(cause(whole, l.cause), "explains"));
        }
        bool named = false;
        json_array_foreach(d.at("tests"), i, one)
        {
            if (std::string(l.setting) == json_string_value(json_object_get(one, "setting"))) {
                named = true;
                EXPECT_LT(value(one, "after") - value(one, "before"), 0.05 * difference);
            }
        }
        EXPECT_TRUE(named) << l.program;
    }
}

TEST_F(why, TellsCyclesAndSpeed)
{
    const outcome o = smrf(folder, "why --untested -m baseline -m ltrf " + bundled("matmul"));
    const document d(json("why --untested --json - -m baseline -m ltrf " + bundled("matmul")));
    const double before = value(d.at("whole"), "before"), after = value(d.at("whole"), "after");
    char text[80];
    std::snprintf(text, sizeof text, " more, %.1f %% (speed %.1f %%).", 100 * (after / before - 1),
                  100 * (before / after - 1));
    EXPECT_TRUE(has(o.out, text)) << o.out << text;
}

TEST_F(why, SaysThatNothingDiffers)
{
    const outcome o = smrf(folder, "why -m baseline -m virtual-rf " + bundled("divergent"));
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_TRUE(has(o.out, "virtual-rf takes as many cycles as baseline")) << o.out;
    EXPECT_FALSE(has(o.out, "With ")) << o.out;
}

TEST_F(why, WantsTwoMechanisms)
{
    const outcome o = smrf(folder, "why -m rfc " + bundled("divergent"));
    EXPECT_EQ(2, o.status);
    EXPECT_TRUE(has(o.err, "name two mechanisms")) << o.err;
}

// "collector" is: none was free. "withheld": there was one, and no warp got it.
TEST_F(why, WithholdingIsCountedApart)
{
    EXPECT_EQ(0, stat("-m baseline", "gemm", "issue.stalls.withheld"));
    EXPECT_GT(stat("-m baseline", "gemm", "issue.stalls.collector"), 0);
    EXPECT_GT(stat("-m malekeh-long", "gemm", "issue.stalls.withheld"), 0);
    EXPECT_EQ(0,
              stat("-m malekeh-long -s malekeh.allocation=any", "gemm", "issue.stalls.withheld"));
    EXPECT_EQ(stat("-m malekeh-long", "gemm", "issue.stalls.withheld") +
                  stat("-m malekeh-long", "gemm", "issue.stalls.collector"),
              stat("-m malekeh-long", "gemm", "rf.collector_stalls"));
}

TEST_F(why, AProfileChoosesKernelsAndLaunches)
{
    const document all(json("profile --json - " + bundled("gemm")));
    const std::string name = json_string_value(json_object_get(first_kernel(all), "name"));
    const document one(json("profile --json - --kernel " + name + " " + bundled("gemm")));
    EXPECT_EQ(name, json_string_value(json_object_get(first_kernel(one), "name")));
    EXPECT_EQ(2, smrf(folder, "profile --kernel no_such_kernel " + bundled("gemm")).status);

    launch_shape shape = small_launch();
    const std::string twice = write_trace(folder, "twice", shape, 2);
    const document second(json("profile --json - --launch 2 " + twice));
    const json_t *kernel = first_kernel(second);
    EXPECT_EQ(1, json_integer_value(json_object_get(kernel, "launches")));
    const outcome beyond = smrf(folder, "profile --launch 3 " + twice);
    EXPECT_EQ(2, beyond.status);
    EXPECT_TRUE(has(beyond.err, "there is no launch 3, the traces have 2")) << beyond.err;
}

// What takes longer under the second comes first, and nothing that takes less stands before it.
TEST_F(why, AProfileShowsWhatIsSlowerFirst)
{
    const outcome o =
        smrf(folder, "profile -n 5 --by slower -m baseline -m ltrf " + bundled("matmul"));
    EXPECT_EQ(0, o.status) << o.err;
    const size_t first = o.out.find("%", o.out.find("more or less"));
    EXPECT_EQ('+', o.out[o.out.rfind(' ', first) + 1]) << o.out;
    EXPECT_EQ(2, smrf(folder, "profile --by slower " + bundled("matmul")).status);
}

} // namespace
