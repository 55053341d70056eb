// SPDX-License-Identifier: Apache-2.0
// Programs that call a lot, traced and replayed with register stacks of every policy and little
// room: what every operand reads is right, warps that wait at barriers inside of calls are
// switched, recursion beyond what the stack holds traps, and a sidecar that is not the trace's is
// refused.
#include "tests/support/platform_files.h"

using namespace smrf_test;

namespace
{

class calls : public ::testing::Test
{
  protected:
    std::string trace(const std::string &program, const std::string &options = "")
    {
        const std::string path = folder / program;
        const outcome got = smrf(folder, "trace -q " + options + " -o " + path + " " + program);
        EXPECT_EQ(0, got.status) << got.err;
        return path;
    }
    outcome run(const std::string &path, const std::string &settings)
    {
        return smrf(folder, "run -q --engine direct --preset cars-paper --set gpu.sms=1 --json - " +
                                settings + " " + path);
    }
    temporary_folder folder;
};

class every_program : public calls, public ::testing::WithParamInterface<const char *>
{
};

TEST_P(every_program, ReadsTheRightValuesUnderEveryPolicyWhateverTheRoom)
{
    const std::string path = trace(GetParam());
    for (const char *policy : {"cars-low", "cars-high", "cars"}) {
        for (const char *room : {"", " -s sm.registers=32768", " -s sm.registers=14336",
                                 " -s sm.registers=12288 -s cars.push=list -s cars.rfp_slot=0"}) {
            const outcome got = run(path, std::string("-m ") + policy + room);
            ASSERT_EQ(0, got.status) << policy << room << ": " << got.err;
            document result(got.out);
            EXPECT_EQ(0, result.count("oracle.violations"));
            EXPECT_GT(result.count("oracle.checked"), 500);
            EXPECT_EQ(0, result.count("simt.mask_mismatches"));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, every_program,
                         ::testing::Values("clusters-modules", "dispatch", "dmr-modules",
                                           "structure-modules", "svr-modules", "traffic-modules",
                                           "vcycle-modules"),
                         [](const auto &test) {
                             const std::string name = test.param;
                             return name.substr(0, name.find('-'));
                         });

TEST_F(calls, WarpsThatWaitAtBarriersInsideOfCallsAreSwitched)
{
    const outcome got = run(trace("vcycle-modules"), "-m cars-high -s sm.registers=12288");
    ASSERT_EQ(0, got.status) << got.err;
    document result(got.out);
    EXPECT_GT(result.count("mechanism.switches"), 10);
    EXPECT_EQ(result.count("mechanism.switches"), result.count("mechanism.switched_in"));
    EXPECT_EQ(0, result.count("oracle.violations"));
}

TEST_F(calls, ABlockThatDoesNotFitIsRefused)
{
    const outcome got = run(trace("vcycle-modules"), "-m cars -s sm.registers=8192");
    EXPECT_EQ(3, got.status);
    EXPECT_NE(std::string::npos, got.err.find("raise sm.registers")) << got.err;
}

TEST_F(calls, ARecursionDeeperThanTheGraphTraps)
{
    const outcome got = run(trace("fib", "--depth 14"), "-m cars-high -s sm.registers=6144");
    ASSERT_EQ(0, got.status) << got.err;
    document result(got.out);
    EXPECT_GT(result.count("mechanism.traps"), 100);
    EXPECT_GT(result.count("l1d.by_use.spill"), 100);
    EXPECT_EQ(0, result.count("oracle.violations"));
}

// Nobody can tell a recursion without bound from one that is deeper than can be followed.
TEST_F(calls, HundredsOfCallsMayBeOpenAndMoreAreRefused)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    const std::string listing =
        std::string(root ? root : ".") + "/tests/firmware/compiled/recursion.sass.xz";
    for (const unsigned depth : {60u, 400u, 600u}) {
        const std::string launch = folder / "launch.yaml", path = folder / std::to_string(depth);
        write_file(launch, "launches: [{kernel: recursion, grid: [1, 1, 1], block: [64, 1, 1], "
                           "args: [out, {u32: " +
                               std::to_string(depth) +
                               "}]}]\nbuffers: {out: {type: u32, count: 64, init: zero}}\n");
        const outcome traced = smrf(folder, "trace -q --stack 65536 " + listing + " --launch " +
                                                launch + " -o " + path);
        ASSERT_EQ(0, traced.status) << traced.err;
        const outcome got = run(path, "-m cars -s sm.registers=5120");
        if (depth == 600) {
            EXPECT_EQ(3, got.status);
            EXPECT_NE(std::string::npos, got.err.find("more than 512 calls")) << got.err;
            continue;
        }
        ASSERT_EQ(0, got.status) << got.err;
        document result(got.out);
        EXPECT_GT(result.count("mechanism.traps"), depth);
        EXPECT_EQ(0, result.count("oracle.violations"));
        EXPECT_EQ(0, result.count("simt.mask_mismatches"));
    }
}

TEST_F(calls, ASidecarOfAnotherTraceIsRefusedWithWhatToDo)
{
    const std::string path = trace("pta"), other = trace("pta-modules");
    fs::copy_file(other + "/kernel-1.operands", path + "/kernel-1.operands",
                  fs::copy_options::overwrite_existing);
    const outcome got = run(path, "-m cars");
    EXPECT_EQ(3, got.status);
    EXPECT_NE(std::string::npos, got.err.find("the sidecar is of another trace; trace again"))
        << got.err;
    fs::remove(path + "/kernel-1.operands");
    EXPECT_NE(std::string::npos, run(path, "-m cars").err.find("'smrf trace' writes one"));
}

} // namespace
