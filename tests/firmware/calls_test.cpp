// SPDX-License-Identifier: Apache-2.0
// The programs of the group calls: every result is what plain C computes, with calls and inlined,
// and their depths and rates of calls are near those of CARS (HPCA 2024), table I.
#include "tests/support/suite_program.h"
#include "tests/support/suite_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace
{

using smrf_test::run_suite_program;
using smrf_test::suite_outcome;

double calls_a_thousand(const smrf_exec_totals &totals)
{
    return 1e3 * static_cast<double>(totals.calls) / static_cast<double>(totals.warp_insts);
}

// Small traces stay below 30 000 warp instructions, medium ones have 0.1 to 4 million.
void agrees_with_reference(const std::string &name, smrf_size size, suite_outcome &outcome)
{
    outcome = run_suite_program(name.c_str(), size);
    ASSERT_EQ(outcome.rc, 0) << name << ": " << outcome.error;
    EXPECT_GT(outcome.compared, 0u);
    EXPECT_GE(outcome.totals.warp_insts, size == SMRF_SMALL ? 1u : 100000u) << name;
    EXPECT_LE(outcome.totals.warp_insts, size == SMRF_SMALL ? 30000u : 4000000u) << name;
    EXPECT_EQ(outcome.totals.forced_syncs, 0u) << name;
}

bool text_has(const std::string &name, const char *word)
{
    return smrf_test::suite_text(smrf_suite_find(name.c_str())).find(word) != std::string::npos;
}

// depth, rate: the paper's. The rate may be off by a third.
void is_like(const std::string &name, const char *workload, uint32_t depth, double rate,
             const std::string &code = "")
{
    const std::string text = code.empty() ? name : code;
    suite_outcome small{}, calls{}, inlined{};
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference(name, SMRF_SMALL, small));
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference(name, SMRF_MEDIUM, calls));
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference(name + "-inlined", SMRF_SMALL, inlined));
    const double measured = calls_a_thousand(calls.totals);
    std::printf("%-10s depth %2u (%s: %2u)  calls per 1000 %5.2f (%5.2f)  medium %7llu\n",
                name.c_str(), calls.totals.call_depth, workload, depth, measured, rate,
                static_cast<unsigned long long>(calls.totals.warp_insts));
    EXPECT_EQ(calls.totals.call_depth, depth);
    EXPECT_NEAR(measured, rate, rate / 3);
    EXPECT_EQ(inlined.totals.calls, 0u);
    EXPECT_LT(inlined.totals.warp_insts, small.totals.warp_insts);
    // only leaves save no register
    EXPECT_EQ(text_has(text, "STL"), depth > 1);
    EXPECT_FALSE(text_has(text + "-inlined", "STL"));
    if (smrf_suite_find(
            (name + "-modules").c_str())) { // what is unknown of a callee costs something
        suite_outcome modules{};
        ASSERT_NO_FATAL_FAILURE(agrees_with_reference(name + "-modules", SMRF_SMALL, modules));
        EXPECT_EQ(modules.totals.call_depth, small.totals.call_depth);
        EXPECT_GE(modules.totals.warp_insts, small.totals.warp_insts);
    }
}

TEST(Calls, CfdFluxes)
{
    is_like("cfd", "CFD", 3, 17.48);
}

TEST(Calls, ClustersAFunctionAFeature)
{
    is_like("clusters", "KMEAN", 14, 41.23);
}

TEST(Calls, CollisionDispatchesTwice)
{
    is_like("collision", "COLI", 3, 19.54);
}

// No workload of the paper's: lanes in different functions, recursion, exits inside.
TEST(Calls, DispatchByFunctionPointers)
{
    suite_outcome small{}, medium{};
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference("dispatch", SMRF_SMALL, small));
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference("dispatch", SMRF_MEDIUM, medium));
    EXPECT_GE(small.totals.call_depth, 10u);
}

TEST(Calls, DelaunayRefinementCallsLeavesOnly)
{
    is_like("dmr", "DMR", 1, 11.61);
}

TEST(Calls, FibonacciRecurses)
{
    is_like("fib", "FIB", 8, 22.41);
}

TEST(Calls, ForestGoesDeepest)
{
    is_like("forest", "RF", 17, 47.11);
}

TEST(Calls, FunctorsInFunctors)
{
    is_like("functors", "Bert_LT", 5, 17.01);
}

TEST(Calls, LayersOfNetworksAreTheSameCodeInOtherShapes)
{
    is_like("bert_score", "Bert_AtScore", 5, 17.62, "functors");
    is_like("bert_op", "Bert_AtOp", 5, 17.48, "functors");
    is_like("bert_fc", "Bert_FC", 5, 17.01, "functors");
    is_like("resnet_fp", "Resnet_FP", 5, 17.04, "functors");
    is_like("resnet_wg", "Resnet_WG", 5, 16.91, "functors");
}

TEST(Calls, GameOfLife)
{
    is_like("gol", "GOL", 1, 7.05);
}

TEST(Calls, HydrodynamicsCallsLeast)
{
    is_like("hydro", "LULESH", 3, 2.84);
}

TEST(Calls, MinimumSpanningTree)
{
    is_like("mst", "MST", 5, 20.75);
}

TEST(Calls, NbodyPullsAndMoves)
{
    is_like("nbody", "NBD", 2, 21.40);
}

TEST(Calls, PointsToAnalysis)
{
    is_like("pta", "PTA", 9, 46.11);
}

TEST(Calls, RayTracer)
{
    is_like("ray", "RAY", 4, 19.71);
}

TEST(Calls, ShortestPaths)
{
    is_like("sssp", "SSSP", 3, 6.30);
}

TEST(Calls, StructureOfMaterials)
{
    is_like("structure", "STUT", 3, 10.94);
}

TEST(Calls, SupportVectorsAFunctionAFeature)
{
    is_like("svr", "SVR", 17, 47.03);
}

TEST(Calls, TrafficCallsSeldom)
{
    is_like("traffic", "TRAF", 3, 3.13);
}

// Barriers inside of calls; as deep as the level functions and what they call.
TEST(Calls, VcyclesWithBarriers)
{
    suite_outcome small{}, modules{}, inlined{};
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference("vcycle", SMRF_SMALL, small));
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference("vcycle-modules", SMRF_SMALL, modules));
    ASSERT_NO_FATAL_FAILURE(agrees_with_reference("vcycle-inlined", SMRF_SMALL, inlined));
    EXPECT_EQ(7u, small.totals.call_depth);
    EXPECT_GT(modules.totals.warp_insts, small.totals.warp_insts);
    EXPECT_EQ(0u, inlined.totals.calls);
}

struct depth_outcome {
    int rc;
    std::string error;
    smrf_exec_totals totals;
};

depth_outcome run_to_depth(const char *name, uint32_t depth)
{
    depth_outcome outcome{SMRF_ERR_UNKNOWN, "", {}};
    const smrf_suite_program *program = smrf_suite_find(name);
    smrf_suite_run run{};
    if (!program || smrf_device_create(&run.device) < 0) {
        return outcome;
    }
    const std::string text = smrf_test::suite_text(program);
    run.depth = depth;
    outcome.rc =
        smrf_device_load_text(run.device, &run.module, program->sass, text.data(), text.size());
    if (outcome.rc >= 0) {
        outcome.rc = program->run(&run);
    }
    outcome.error = run.error;
    smrf_device_totals(run.device, &outcome.totals);
    smrf_device_destroy(run.device);
    return outcome;
}

TEST(Calls, FibonacciGoesAsDeepAsIsAsked)
{
    for (uint32_t depth : {1u, 2u, 5u, 16u}) {
        const depth_outcome outcome = run_to_depth("fib", depth);
        ASSERT_EQ(outcome.rc, 0) << outcome.error;
        EXPECT_EQ(outcome.totals.call_depth, depth);
    }
    EXPECT_EQ(run_to_depth("fib-inlined", 5).rc, 0);
}

TEST(Calls, FibonacciRefusesDepthsItDoesNotHave)
{
    const depth_outcome deep = run_to_depth("fib", 25), inlined = run_to_depth("fib-inlined", 9);
    EXPECT_EQ(deep.rc, SMRF_ERR_INVAL);
    EXPECT_EQ(deep.error, "depth 25: choose 1 to 24");
    EXPECT_EQ(inlined.rc, SMRF_ERR_INVAL);
    EXPECT_EQ(inlined.error, "depth 9: choose 1 to 8");
}

// The references are no decoration: where a block is left out, a program says so.
TEST(Calls, MissingBlocksAreNoticed)
{
    smrf_device_limits limits{};
    limits.wants_block = [](void *, smrf_exec_dim id) { return id.x != 0; };
    for (const char *name :
         {"cfd", "clusters", "collision", "dmr", "fib", "forest", "functors", "gol", "hydro", "mst",
          "pta", "ray", "sssp", "structure", "svr", "traffic", "vcycle"}) {
        const suite_outcome outcome = run_suite_program(name, SMRF_SMALL, &limits);
        EXPECT_LT(outcome.rc, 0) << name;
    }
}

} // namespace
