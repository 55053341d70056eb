// SPDX-License-Identifier: Apache-2.0
// The C API in the test's own process, on the plain engine where a test builds several platforms.
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace smrf_test;

namespace
{

// A platform that ends with the test.
class api : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
    }
    void TearDown() override
    {
        smrf_platform_destroy(p);
    }
    void load(const launch_shape &shape, unsigned launches = 1)
    {
        std::string trace = write_trace(folder, "trace", shape, launches);
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
    }
    uint64_t count(const char *name)
    {
        uint64_t value = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(p, name, &value)) << smrf_platform_error(p);
        return value;
    }
    std::string error() const
    {
        return smrf_platform_error(p);
    }

    temporary_folder folder;
    smrf_platform *p = nullptr;
};

TEST_F(api, ReplaysATraceToItsEndAndCountsWhatItHolds)
{
    launch_shape shape = small_launch();
    load(shape);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_EQ(instructions(shape), count("instructions.warp"));
    EXPECT_EQ(32 * instructions(shape), count("instructions.thread"));
    EXPECT_EQ(shape.blocks * shape.warps, count("instructions.by_class.load"));
    EXPECT_EQ(shape.blocks * shape.warps, count("instructions.by_class.exit"));
    EXPECT_EQ(0u, count("oracle.violations"));
    // LDG 2 (address pair), FFMA 2 distinct, IADD3 2, STG 3: a warp reads 9 operands.
    EXPECT_EQ(9u * shape.blocks * shape.warps, count("rf.operand_reads"));
    EXPECT_EQ(3u * shape.blocks * shape.warps, count("rf.operand_writes"));
}

TEST_F(api, RunsInStepsAsInOneGo)
{
    load(small_launch(), 2);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    smrf_platform *steps = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&steps));
    ASSERT_EQ(SMRF_OK, smrf_platform_engine(steps, "direct"));
    ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(steps, (folder / "trace").c_str()));
    int end, calls = 0;
    while ((end = smrf_platform_run(steps, 37)) == SMRF_RUN_MORE) {
        ASSERT_LT(++calls, 100000);
    }
    ASSERT_EQ(SMRF_RUN_DONE, end) << smrf_platform_error(steps);
    EXPECT_GT(calls, 5);
    smrf_stat_info info;
    for (size_t i = 0; smrf_stat_at(i, &info) == SMRF_OK; i++) {
        double a = -1, b = -2;
        ASSERT_EQ(SMRF_OK, smrf_platform_stat(p, info.name, &a));
        ASSERT_EQ(SMRF_OK, smrf_platform_stat(steps, info.name, &b));
        // How often the simulator itself woke up is the one thing that may differ.
        if (std::string(info.name) != "counters.sm.stepped_cycles") {
            EXPECT_EQ(a, b) << info.name;
        }
    }
    smrf_platform_destroy(steps);
}

TEST_F(api, RunStopsAtTheCycleAskedFor)
{
    load(small_launch());
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 50)) << error();
    EXPECT_EQ(50u, count("cycles"));
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 25)) << error();
    EXPECT_EQ(75u, count("cycles"));
}

TEST_F(api, LaunchesAddUpToTheWhole)
{
    load(small_launch(), 3);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    ASSERT_EQ(3u, smrf_platform_launches(p));
    for (const char *name : {"cycles", "instructions.warp", "rf.operand_reads", "issue.stalls.data",
                             "issue.scheduler_cycles", "counters.sm.blocks"}) {
        double sum = 0, value = 0;
        for (size_t i = 0; i < 3; i++) {
            ASSERT_EQ(SMRF_OK, smrf_platform_launch_stat(p, i, name, &value));
            sum += value;
        }
        EXPECT_EQ(static_cast<double>(count(name)), sum) << name;
    }
    EXPECT_STREQ("_Z4testPf", smrf_platform_launch_name(p, 2));
    EXPECT_EQ(nullptr, smrf_platform_launch_name(p, 3));
    double value;
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_launch_stat(p, 3, "cycles", &value));
}

TEST_F(api, SeveralTracesRunOneAfterTheOther)
{
    load(small_launch());
    ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, (folder / "trace").c_str()));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_EQ(2u, smrf_platform_launches(p));
    EXPECT_EQ(2 * instructions(small_launch()), count("instructions.warp"));
    double first = 0;
    ASSERT_EQ(SMRF_OK, smrf_platform_launch_stat(p, 0, "cycles", &first));
    EXPECT_GT(static_cast<double>(count("cycles")), first);
}

TEST_F(api, StopEndsTheRunAndItCanGoOn)
{
    load(small_launch());
    ASSERT_EQ(SMRF_OK, smrf_platform_build(p));
    smrf_platform_stop(p);
    ASSERT_EQ(SMRF_RUN_HALTED, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_LT(count("instructions.warp"), instructions(small_launch()));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_EQ(instructions(small_launch()), count("instructions.warp"));
}

TEST_F(api, LimitOfInstructionsEndsTheRunSoonAfter)
{
    launch_shape shape = small_launch();
    shape.repeat = 50;
    load(shape);
    ASSERT_EQ(SMRF_OK, smrf_platform_limit_insts(p, 100));
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_GE(count("instructions.warp"), 100u);
    EXPECT_LT(count("instructions.warp"), instructions(shape));
}

TEST_F(api, PrecedenceOfConfigurationDoesNotDependOnTheOrderOfCalls)
{
    write_file(folder / "c.yaml", "rf:\n  banks: 4\n  collectors: 3\n");
    ASSERT_EQ(SMRF_OK, smrf_platform_set(p, "rf.banks=8"));
    ASSERT_EQ(SMRF_OK, smrf_platform_config_file(p, (folder / "c.yaml").c_str())) << error();
    ASSERT_EQ(SMRF_OK, smrf_platform_preset(p, "qv100-accelsim"));
    std::string banks, collectors, sms;
    const char *key;
    char value[64];
    for (size_t i = 0; smrf_platform_config_at(p, i, &key, value, sizeof value) == SMRF_OK; i++) {
        banks = std::string(key) == "rf.banks" ? value : banks;
        collectors = std::string(key) == "rf.collectors" ? value : collectors;
        sms = std::string(key) == "gpu.sms" ? value : sms;
    }
    EXPECT_EQ("8", banks);
    EXPECT_EQ("3", collectors);
    EXPECT_EQ("80", sms);
}

TEST_F(api, ARejectedSettingLeavesTheConfigurationAsItWas)
{
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_set(p, "rf.bnaks=4"));
    EXPECT_NE(std::string::npos, error().find("did you mean rf.banks?")) << error();
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_set(p, "rf.banks=1000"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_preset(p, "rtx2060"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_mechanism(p, "baselnie"));
    EXPECT_NE(std::string::npos, error().find("did you mean baseline?")) << error();
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_engine(p, "fast"));
    EXPECT_EQ(SMRF_ERR_IO, smrf_platform_config_file(p, (folder / "none.yaml").c_str()));
    EXPECT_EQ(SMRF_ERR_IO, smrf_platform_gpgpusim(p, (folder / "none.config").c_str()));
    EXPECT_EQ(SMRF_ERR_IO, smrf_platform_add_trace(p, (folder / "none").c_str()));
    load(small_launch());
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
}

TEST_F(api, CallsInTheWrongStateAreRefused)
{
    double value;
    uint32_t lanes[32];
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_stat(p, "cycles", &value));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_read_register(p, 0, 0, 0, lanes));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_write_json(p, (folder / "x.json").c_str()));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_run(p, 1)) << "no trace";
    load(small_launch());
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_run(p, 1));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_build(p));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_set(p, "rf.banks=4"));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_preset(p, "rtx2060-paper"));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_engine(p, "direct"));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_strict(p, true));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_add_trace(p, (folder / "trace").c_str()));
}

TEST_F(api, StatisticsHaveUniqueNamesAndMeaningsAndAreFoundByName)
{
    load(small_launch());
    ASSERT_EQ(SMRF_OK, smrf_platform_build(p));
    std::set<std::string> names;
    smrf_stat_info info;
    for (size_t i = 0; smrf_stat_at(i, &info) == SMRF_OK; i++) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_STRNE("", info.meaning) << info.name;
        EXPECT_TRUE(!info.is_count || info.unit[0]) << info.name << " has no unit";
        double value;
        uint64_t exact;
        EXPECT_EQ(SMRF_OK, smrf_platform_stat(p, info.name, &value)) << info.name;
        EXPECT_EQ(info.is_count ? SMRF_OK : SMRF_ERR_INVAL,
                  smrf_platform_count(p, info.name, &exact))
            << info.name;
    }
    EXPECT_GT(names.size(), 100u);
    double value;
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_stat(p, "rf.bank_read", &value));
    EXPECT_NE(std::string::npos, error().find("did you mean rf.bank_reads?")) << error();
}

TEST_F(api, ReadsRegistersOfResidentWarpsOnly)
{
    launch_shape shape = small_launch();
    shape.body = {"ffffffff 1 R4 MOV 0 0 7", "ffffffff 1 R5 LDG.E 1 R2 4 1 0x7f0000000000 4 0"};
    load(shape);
    uint32_t lanes[32] = {0};
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 100)) << error();
    EXPECT_EQ(SMRF_OK, smrf_platform_read_register(p, 0, 0, 4, lanes)) << error();
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_read_register(p, 0, 0, 200, lanes));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_read_register(p, 0, 31, 4, lanes));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_read_register(p, 9999, 0, 4, lanes));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_read_register(p, 0, 0, 4, lanes));
}

TEST_F(api, ABlockThatFitsNoSmIsTheInputsFault)
{
    launch_shape shape = small_launch();
    shape.warps = 32;
    load(shape);
    ASSERT_EQ(SMRF_OK, smrf_platform_set(p, "sm.threads=512"));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_platform_run(p, SMRF_NO_LIMIT));
    EXPECT_NE(std::string::npos, error().find("sm.threads")) << error();
}

TEST_F(api, UnknownOpcodesAreNotesUnlessStrict)
{
    launch_shape shape = small_launch();
    shape.body = {"ffffffff 1 R4 FROBNICATE.X 1 R2 0 0"};
    load(shape);
    std::string notes;
    smrf_platform_on_note(
        p, [](void *ctx, const char *text) { *static_cast<std::string *>(ctx) += text; }, &notes);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    EXPECT_NE(std::string::npos, notes.find("FROBNICATE")) << notes;

    smrf_platform *strict = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&strict));
    smrf_platform_engine(strict, "direct");
    smrf_platform_strict(strict, true);
    smrf_platform_add_trace(strict, (folder / "trace").c_str());
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_run(strict, SMRF_NO_LIMIT));
    EXPECT_NE(nullptr, strstr(smrf_platform_error(strict), "FROBNICATE"));
    smrf_platform_destroy(strict);
}

TEST_F(api, ProgressGrowsToTheWhole)
{
    launch_shape shape = small_launch();
    shape.repeat = 200;
    shape.blocks = 40;
    load(shape, 2);
    std::vector<double> fractions;
    smrf_platform_on_progress(
        p, 0.0,
        [](void *ctx, const smrf_progress *progress) {
            static_cast<std::vector<double> *>(ctx)->push_back(progress->fraction);
            EXPECT_LE(progress->blocks, progress->blocks_total);
            EXPECT_EQ(40u, progress->blocks_total);
        },
        &fractions);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    ASSERT_GT(fractions.size(), 2u);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_GE(fractions.front(), 0.0);
    EXPECT_GT(fractions.back(), 0.5);
    EXPECT_LE(fractions.back(), 1.0);
}

TEST(ApiSystemc, GivesTheSameDocumentAsThePlainEngine)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch(), 2);
    std::string text[2];
    const char *engines[] = {"systemc", "direct"};
    for (int i = 0; i < 2; i++) {
        smrf_platform *p = nullptr;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, engines[i]));
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str()));
        ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
        ASSERT_EQ(SMRF_OK, smrf_platform_write_json(p, (folder / engines[i]).c_str()));
        smrf_platform_destroy(p);
        text[i] = document(read_file(folder / engines[i])).without_sim();
    }
    EXPECT_EQ(text[0], text[1]);
}

TEST(ApiExample, InCIsCompiledAndRuns)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch(), 2);
    std::string tests = fs::path(program()).parent_path().string() + "/tests/";
    std::string out = folder / "out";
    std::string command =
        tests + "example_replay " + trace + " " + (folder / "r.json") + " >" + out;
    ASSERT_EQ(0, std::system(command.c_str()));
    std::string text = read_file(out);
    EXPECT_NE(std::string::npos, text.find("launch 2:")) << text;
    EXPECT_NE(std::string::npos, text.find("cycles ")) << text;
    document json(read_file(folder / "r.json"));
    EXPECT_EQ(2u, json_array_size(json.at("kernels")));
    EXPECT_EQ(4, json_integer_value(json_object_get(json.at("provenance.config"), "rf.banks")));
}

TEST(ApiExample, HeaderAloneIsEnoughForC11)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch());
    std::string tests = fs::path(program()).parent_path().string() + "/tests/";
    std::string out = folder / "out";
    ASSERT_EQ(0, std::system((tests + "api_c11 " + trace + " >" + out).c_str()));
    EXPECT_EQ("0 " + std::to_string(instructions(small_launch())) + " \n", read_file(out));
}

} // namespace
