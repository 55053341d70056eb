// SPDX-License-Identifier: Apache-2.0
// The C API in the test's own process, on the plain engine where a test builds several platforms.
#include "platform/observe/observer.h"
#include "platform/platform_tlm.h"
#include "tests/support/platform_files.h"

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

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

// Every pointer that a call needs, one after the other NULL: an error with a text, no signal.
TEST_F(api, NullPointersAreErrorsThatSayWhich)
{
    double value;
    uint64_t whole;
    uint32_t lanes[32];
    const char *key;
    char text[8];
    smrf_stat_info info;
    load(small_launch());
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 50)) << error();
    const std::pair<const char *, int> calls[] = {
        {"preset", smrf_platform_preset(p, nullptr)},
        {"mechanism", smrf_platform_mechanism(p, nullptr)},
        {"table", smrf_platform_mechanism_table(p, nullptr)},
        {"engine", smrf_platform_engine(p, nullptr)},
        {"gpgpusim", smrf_platform_gpgpusim(p, nullptr)},
        {"file", smrf_platform_config_file(p, nullptr)},
        {"set", smrf_platform_set(p, nullptr)},
        {"reuse", smrf_platform_reuse_file(p, nullptr)},
        {"energy file", smrf_platform_energy_file(p, nullptr)},
        {"trace", smrf_platform_add_trace(p, nullptr)},
        {"continue", smrf_platform_continue(p, nullptr)},
        {"memory", smrf_platform_bind_memory(p, nullptr)},
        {"binder", smrf::bind_memory(p, smrf::memory_binder())},
        {"stat_at", smrf_platform_stat_at(p, 0, nullptr)},
        {"stat name", smrf_platform_stat(p, nullptr, &value)},
        {"stat value", smrf_platform_stat(p, "ipc", nullptr)},
        {"count name", smrf_platform_count(p, nullptr, &whole)},
        {"count value", smrf_platform_count(p, "cycles", nullptr)},
        {"energy set", smrf_platform_energy(p, nullptr, "total", &value)},
        {"energy component", smrf_platform_energy(p, "aw", nullptr, &value)},
        {"energy value", smrf_platform_energy(p, "aw", "total", nullptr)},
        {"launch name", smrf_platform_launch_stat(p, 0, nullptr, &value)},
        {"launch value", smrf_platform_launch_stat(p, 0, "cycles", nullptr)},
        {"register", smrf_platform_read_register(p, 0, 0, 4, nullptr)},
        {"finding", smrf_platform_finding(p, 0, nullptr, 8)},
        {"json", smrf_platform_write_json(p, nullptr)},
        {"csv", smrf_platform_write_csv(p, nullptr)},
        {"accelsim", smrf_platform_write_accelsim(p, nullptr)},
        {"series", smrf_platform_write_series(p, nullptr)},
    };
    for (const auto &call : calls) {
        EXPECT_EQ(SMRF_ERR_INVAL, call.second) << call.first;
    }
    EXPECT_NE(std::string::npos, error().find("must not be NULL")) << error();
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_stat_at(0, nullptr));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_config_at(p, 0, nullptr, text, sizeof text));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_config_at(p, 0, &key, nullptr, sizeof text));
    EXPECT_EQ(SMRF_OK, smrf_platform_config_at(p, 0, &key, nullptr, 0)) << "the name alone";
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << "nothing was harmed";
    EXPECT_EQ(SMRF_OK, smrf_stat_at(0, &info));
    EXPECT_NE(SMRF_OK, smrf_platform_read_register(p, 0, 0, 4, lanes));
}

// Whoever destroys a platform twice, or uses it afterwards, learns so.
TEST(Api, ADestroyedPlatformIsAnError)
{
    smrf_platform *gone = nullptr, *stays = nullptr;
    double value = 0;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&stays));
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&gone));
    smrf_platform_destroy(gone);
    smrf_platform_destroy(gone);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_set(gone, "gpu.sms=1"));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_run(gone, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_stat(gone, "ipc", &value));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_write_json(gone, "x"));
    EXPECT_EQ(nullptr, smrf_platform_launch_name(gone, 0));
    EXPECT_EQ(0u, smrf_platform_launches(gone));
    smrf_platform_on_note(gone, nullptr, nullptr);
    EXPECT_NE(nullptr, std::strstr(smrf_platform_error(gone), "destroyed"));
    EXPECT_EQ(SMRF_OK, smrf_platform_set(stays, "gpu.sms=1")) << "another one is not touched";
    smrf_platform_destroy(stays);
}

TEST(Api, APlatformThatIsNullIsAnError)
{
    double value;
    uint64_t whole;
    uint32_t lanes[32];
    const char *key;
    char text[8];
    smrf_stat_info info;
    const smrf_outside_memory memory = {};
    const smrf_observer observer = {};
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_create(nullptr));
    EXPECT_NE(nullptr, std::strstr(smrf_platform_error(nullptr), "NULL"));
    for (const int rc : {smrf_platform_preset(nullptr, "x"),
                         smrf_platform_mechanism(nullptr, "baseline"),
                         smrf_platform_mechanism_table(nullptr, "x"),
                         smrf_platform_engine(nullptr, "direct"),
                         smrf_platform_threads(nullptr, 1),
                         smrf_platform_gpgpusim(nullptr, "x"),
                         smrf_platform_config_file(nullptr, "x"),
                         smrf_platform_set(nullptr, "gpu.sms=1"),
                         smrf_platform_reuse_file(nullptr, "x"),
                         smrf_platform_energy_file(nullptr, "x"),
                         smrf_platform_series(nullptr, 1, nullptr, nullptr),
                         smrf_platform_strict(nullptr, true),
                         smrf_platform_allow_outside(nullptr, true),
                         smrf_platform_config_at(nullptr, 0, &key, text, sizeof text),
                         smrf_platform_check(nullptr),
                         smrf_platform_add_trace(nullptr, "x"),
                         smrf_platform_continue(nullptr, "x"),
                         smrf_platform_bind_memory(nullptr, &memory),
                         smrf::bind_memory(nullptr, smrf::memory_binder()),
                         smrf_platform_build(nullptr),
                         smrf_platform_run(nullptr, 1),
                         smrf_platform_reset(nullptr),
                         smrf_platform_limit_insts(nullptr, 1),
                         smrf_platform_stat_at(nullptr, 0, &info),
                         smrf_platform_stat(nullptr, "ipc", &value),
                         smrf_platform_count(nullptr, "cycles", &whole),
                         smrf_platform_energy(nullptr, "aw", "total", &value),
                         smrf_platform_launch_stat(nullptr, 0, "ipc", &value),
                         smrf_platform_read_register(nullptr, 0, 0, 0, lanes),
                         smrf_platform_finding(nullptr, 0, text, sizeof text),
                         smrf_platform_write_json(nullptr, "x"),
                         smrf_platform_write_csv(nullptr, "x"),
                         smrf_platform_write_accelsim(nullptr, "x"),
                         smrf_platform_write_series(nullptr, "x")}) {
        EXPECT_EQ(SMRF_ERR_INVAL, rc);
    }
    EXPECT_EQ(nullptr, smrf_platform_energy_set(nullptr, 0));
    EXPECT_EQ(nullptr, smrf_platform_launch_name(nullptr, 0));
    EXPECT_EQ(0u, smrf_platform_launches(nullptr));
    EXPECT_EQ(0.0, smrf_platform_seconds(nullptr));
    smrf_platform_on_note(nullptr, nullptr, nullptr);
    smrf_platform_on_progress(nullptr, 1, nullptr, nullptr);
    smrf_platform_observe(nullptr, &observer);
    smrf_platform_abandon(nullptr);
    smrf_platform_stop(nullptr);
    smrf_platform_destroy(nullptr);
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

TEST_F(api, SaysThatValuesAreOffWhereARegisterHasNone)
{
    launch_shape shape = small_launch();
    shape.body = {"ffffffff 1 R4 MOV 0 0 7", "ffffffff 1 R5 LDG.E 1 R2 4 1 0x7f0000000000 4 0"};
    load(shape);
    ASSERT_EQ(SMRF_OK, smrf_platform_set(p, "sim.check=off"));
    uint32_t lanes[32] = {0};
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 100)) << error();
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_read_register(p, 0, 0, 4, lanes));
    EXPECT_NE(std::string::npos, error().find("values are off: with sim.check=off")) << error();
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

// The traces of these tests are compiled for sm_75.
TEST_F(api, ALaunchOfAnotherArchitectureIsNotedInEveryForm)
{
    for (const char *machine : {"86", "75", "0"}) {
        smrf_platform *q = nullptr;
        std::string notes;
        const bool differs = std::string(machine) == "86";
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&q));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(q, "direct"));
        smrf_platform_on_note(
            q, [](void *ctx, const char *text) { *static_cast<std::string *>(ctx) += text; },
            &notes);
        const std::string set = std::string("gpu.architecture=") + machine;
        ASSERT_EQ(SMRF_OK, smrf_platform_set(q, set.c_str()));
        const std::string trace = write_trace(folder, "trace", small_launch(), 3);
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(q, trace.c_str()));
        ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(q, SMRF_NO_LIMIT)) << smrf_platform_error(q);
        ASSERT_EQ(SMRF_OK, smrf_platform_write_json(q, (folder / "r.json").c_str()));
        ASSERT_EQ(SMRF_OK, smrf_platform_write_csv(q, (folder / "r.csv").c_str()));
        smrf_platform_destroy(q);
        const std::string words = "3 of 3 launches were compiled for another architecture than the "
                                  "machine's, sm_86";
        const document json(read_file(folder / "r.json"));
        const char *note = json_string_value(json.at("architecture.note"));
        EXPECT_EQ(notes.find(words) != std::string::npos, differs) << notes;
        EXPECT_EQ(json_integer_value(json.at("architecture.launches_of_another")), differs ? 3 : 0);
        EXPECT_EQ(note != nullptr && std::strstr(note, words.c_str()) != nullptr, differs);
        EXPECT_EQ(read_file(folder / "r.csv").find(words) != std::string::npos, differs);
        EXPECT_NE(read_file(folder / "r.csv").find(",75,"), std::string::npos) << "binary_version";
    }
}

// From FFMA to IADD3 code for sm_86 has a stall count of 4: a cycle short on sm_75.
TEST_F(api, ControlBitsOfAnotherArchitectureAreNoBug)
{
    launch_shape shape;
    shape.body = {"ffffffff 1 R5 FFMA 3 R4 R4 R6 0 0", "ffffffff 1 R6 IADD3 3 R5 R7 R255 0 0"};
    const std::string trace = write_trace(folder, "trace", shape),
                      file = trace + "/kernel-1.traceg";
    write_file(trace + "/kernel-1.operands", "#smrf operands 3\n"
                                             ".function 0000 0030 16 kernel _Z4testPf\n"
                                             "0000 PT 0007f4 FFMA =R5 A:R4 B:R4 C:R6\n"
                                             "0010 PT 0007f5 IADD3 =R6 A:R5 B:R7 C:RZ\n"
                                             "0020 PT 0007f5 EXIT\n"
                                             "#end 5\n");
    struct {
        const char *compiled_for, *dependence;
        int end;
        const char *words;
    } const runs[] = {
        {"75", "control", SMRF_ERR_CHECK,
         ", SM 0, warp 0, PC 0x0010, R5): the trace's control bits"},
        {"86", "control", SMRF_ERR_INVAL, "PC 0x0010, R5): 1 of 1 launches"},
        {"86", "control", SMRF_ERR_INVAL, "Set issue.dependence=latency"},
        {"86", "latency", SMRF_RUN_DONE, ""},
        {"86", "scoreboard", SMRF_RUN_DONE, ""},
    };
    for (const auto &r : runs) {
        SCOPED_TRACE(std::string(r.compiled_for) + " " + r.dependence);
        write_file(file, std::regex_replace(kernel_text(shape, 1), std::regex("version = 75"),
                                            std::string("version = ") + r.compiled_for));
        smrf_platform *q = nullptr;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&q));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(q, "direct"));
        ASSERT_EQ(SMRF_OK, smrf_platform_preset(q, "turing-modern"));
        const std::string set = std::string("issue.dependence=") + r.dependence;
        for (const char *pair : {"gpu.sms=1", "sim.check=off", set.c_str()}) {
            ASSERT_EQ(SMRF_OK, smrf_platform_set(q, pair));
        }
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(q, trace.c_str()));
        EXPECT_EQ(r.end, smrf_platform_run(q, SMRF_NO_LIMIT));
        EXPECT_NE(std::string::npos, std::string(smrf_platform_error(q)).find(r.words))
            << smrf_platform_error(q);
        smrf_platform_destroy(q);
    }
}

// Launch 2 of 3 is in a stream of its own.
TEST_F(api, LaunchesOfSeveralStreamsAreNoted)
{
    const std::string trace = write_trace(folder, "trace", small_launch(), 3);
    for (const bool several : {false, true}) {
        if (several) {
            const std::string file = trace + "/kernel-2.traceg";
            std::string text = read_file(file);
            const std::string one = "-cuda stream id = 0";
            ASSERT_NE(std::string::npos, text.find(one));
            write_file(file, text.replace(text.find(one), one.size(), "-cuda stream id = 7"));
        }
        smrf_platform *q = nullptr;
        std::string notes;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&q));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(q, "direct"));
        smrf_platform_on_note(
            q, [](void *ctx, const char *text) { *static_cast<std::string *>(ctx) += text; },
            &notes);
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(q, trace.c_str()));
        ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(q, SMRF_NO_LIMIT)) << smrf_platform_error(q);
        ASSERT_EQ(SMRF_OK, smrf_platform_write_json(q, (folder / "r.json").c_str()));
        smrf_platform_destroy(q);
        const document json(read_file(folder / "r.json"));
        EXPECT_EQ(notes.find("2 streams") != std::string::npos, several) << notes;
        EXPECT_EQ(json_integer_value(json.at("streams.count")), several ? 2 : 0);
    }
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

// A memory of the test: how often it was asked, and how long it takes.
struct counting_memory {
    uint64_t requests = 0, responses = 0, reads = 0, earliest = UINT64_MAX;
    int64_t latency = 0;

    smrf_outside_memory functions(uint32_t min_latency)
    {
        return {this, min_latency, request, response};
    }
    static int64_t request(void *ctx, const smrf_outside_request *r)
    {
        auto *m = static_cast<counting_memory *>(ctx);
        m->requests++;
        m->reads += r->kind == 0;
        m->earliest = std::min(m->earliest, r->cycle);
        EXPECT_EQ(0u, r->address % 32);
        return m->latency;
    }
    static void response(void *ctx, const smrf_outside_request *r, uint64_t cycle)
    {
        auto *m = static_cast<counting_memory *>(ctx);
        m->responses++;
        EXPECT_EQ(r->cycle + static_cast<uint64_t>(m->latency), cycle);
    }
};

class outside : public ::testing::TestWithParam<const char *>
{
  protected:
    smrf_platform *create(counting_memory &memory, uint32_t min_latency)
    {
        smrf_platform *p = nullptr;
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        EXPECT_EQ(SMRF_OK, smrf_platform_engine(p, GetParam()));
        EXPECT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=1"));
        const smrf_outside_memory functions = memory.functions(min_latency);
        EXPECT_EQ(SMRF_OK, smrf_platform_bind_memory(p, &functions)) << smrf_platform_error(p);
        EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace().c_str()));
        return p;
    }
    uint64_t count(smrf_platform *p, const char *name)
    {
        uint64_t value = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(p, name, &value));
        return value;
    }
    // One warp that loads one line, uses it and ends.
    std::string trace()
    {
        launch_shape shape;
        shape.blocks = shape.warps = 1;
        shape.body = {"ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0",
                      "ffffffff 1 R5 FADD 1 R4 0 0"};
        return write_trace(folder, "trace", shape);
    }
    temporary_folder folder;
};

TEST_P(outside, MemoryOfCFunctionsAnswersEveryRequestAtItsCycle)
{
    counting_memory memory;
    memory.latency = 500;
    smrf_platform *p = create(memory, 100);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    EXPECT_EQ(4u, memory.requests) << "a line of 128 bytes is four sectors";
    EXPECT_EQ(4u, memory.reads);
    EXPECT_EQ(memory.requests, memory.responses);
    EXPECT_EQ(0u, count(p, "l2.accesses"));
    EXPECT_GT(count(p, "cycles"), memory.earliest + 500);
    EXPECT_LT(count(p, "cycles"), memory.earliest + 600);
    ASSERT_EQ(SMRF_OK, smrf_platform_write_json(p, (folder / "r.json").c_str()));
    EXPECT_EQ("callback", document(read_file(folder / "r.json")).text("provenance.memory"));
    smrf_platform_destroy(p);
}

TEST_P(outside, LatencyAddsItsCyclesWhateverTheWindow)
{
    // SystemC builds one platform a process; the plain engine tells how many cycles to expect.
    counting_memory plain, tested;
    plain.latency = tested.latency = 777;
    smrf_platform *p = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
    const smrf_outside_memory functions = plain.functions(1);
    smrf_platform_engine(p, "direct");
    smrf_platform_set(p, "gpu.sms=1");
    smrf_platform_bind_memory(p, &functions);
    smrf_platform_add_trace(p, trace().c_str());
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    smrf_platform *q = create(tested, 777);
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(q, SMRF_NO_LIMIT)) << smrf_platform_error(q);
    EXPECT_EQ(count(p, "cycles"), count(q, "cycles"));
    EXPECT_EQ(count(p, "issue.stalls.data"), count(q, "issue.stalls.data"));
    smrf_platform_destroy(p);
    smrf_platform_destroy(q);
}

TEST_P(outside, AMemoryThatBreaksItsPromiseEndsTheRunWithItsReason)
{
    // The report is expected; SystemC's own handler turns it into the exception that a user gets.
    sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
    counting_memory memory;
    memory.latency = 20;
    smrf_platform *p = create(memory, 100);
    EXPECT_GT(0, smrf_platform_run(p, SMRF_NO_LIMIT));
    EXPECT_NE(nullptr, strstr(smrf_platform_error(p), "min_latency")) << smrf_platform_error(p);
    smrf_platform_destroy(p);
}

TEST_P(outside, AMemoryThatNeverSeemsToAnswerIsTheWatchdogsBusiness)
{
    counting_memory memory;
    memory.latency = 100000000;
    smrf_platform *p = create(memory, 100);
    smrf_platform_set(p, "sim.watchdog=5000");
    EXPECT_EQ(SMRF_ERR_CHECK, smrf_platform_run(p, SMRF_NO_LIMIT));
    for (const char *told : {"no progress: SM ", "sim.watchdog is 5000", "warp 0, FADD at pc ",
                             "waits for the result in R4, held by warp 0's LDG.E at pc "}) {
        EXPECT_NE(nullptr, strstr(smrf_platform_error(p), told)) << smrf_platform_error(p);
    }
    EXPECT_LT(count(p, "cycles"), 20000u);
    smrf_platform_destroy(p);
}

INSTANTIATE_TEST_SUITE_P(engines, outside, ::testing::Values("direct", "systemc"));

// A TLM-2.0 target of the caller's own, bound to each SM.
struct own_target : sc_core::sc_module {
    tlm_utils::simple_target_socket<own_target> socket{"socket"};
    unsigned accesses = 0;
    explicit own_target(const sc_core::sc_module_name &name) : sc_core::sc_module(name)
    {
        socket.register_b_transport(this, &own_target::access);
    }
    void access(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        accesses++;
        delay += sc_core::sc_time(100, sc_core::SC_NS);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

TEST(ApiSystemc, BindsAnyTlmTargetAsMemory)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch());
    std::vector<std::unique_ptr<own_target>> targets;
    smrf_platform *p = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
    ASSERT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=2"));
    ASSERT_EQ(SMRF_OK, smrf::bind_memory(p, [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
                  targets.push_back(
                      std::make_unique<own_target>(("own_" + std::to_string(sm)).c_str()));
                  socket.bind(targets.back()->socket);
              }));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf::bind_memory(p, nullptr));
    EXPECT_EQ(SMRF_ERR_STATE, smrf::bind_memory(p, [](unsigned, tlm::tlm_initiator_socket<> &) {}))
        << "one memory only";
    ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str()));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    ASSERT_EQ(2u, targets.size());
    uint64_t requests = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "counters.ldst.answers", &requests));
    EXPECT_EQ(requests, targets[0]->accesses + targets[1]->accesses);
    EXPECT_GT(requests, 0u);
    smrf_platform_destroy(p);
}

TEST(ApiSystemc, ThePlainEngineRefusesATlmMemory)
{
    smrf_platform *p = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
    ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
    ASSERT_EQ(SMRF_OK, smrf::bind_memory(p, [](unsigned, tlm::tlm_initiator_socket<> &) {}));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_build(p));
    EXPECT_NE(nullptr, strstr(smrf_platform_error(p), "systemc")) << smrf_platform_error(p);
    smrf_platform_destroy(p);
}

TEST(ApiExample, InCIsCompiledAndRuns)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch(), 2);
    std::string out = folder / "out";
    std::string command =
        built("tests/example_replay") + " " + trace + " " + (folder / "r.json") + " >" + out;
    ASSERT_EQ(0, std::system(command.c_str()));
    std::string text = read_file(out);
    EXPECT_NE(std::string::npos, text.find("launch 2:")) << text;
    EXPECT_NE(std::string::npos, text.find("cycles ")) << text;
    document json(read_file(folder / "r.json"));
    EXPECT_EQ(2u, json_array_size(json.at("kernels")));
    EXPECT_EQ(4, json_integer_value(json_object_get(json.at("provenance.config"), "rf.banks")));
}

// Linked with the static library and with the shared one.
TEST(ApiExample, ACProgramWithItsOwnMainRunsBothEngines)
{
    temporary_folder folder;
    std::string trace = write_trace(folder, "trace", small_launch());
    std::string out = folder / "out";
    std::string count = std::to_string(instructions(small_launch()));
    for (const char *program : {"tests/api_c11", "tests/api_c11_shared"}) {
        ASSERT_EQ(0, std::system((built(program) + " " + trace + " >" + out).c_str())) << program;
        EXPECT_EQ(count + " " + count + "\n", read_file(out));
    }
}

} // namespace
