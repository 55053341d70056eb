// SPDX-License-Identifier: Apache-2.0
// Every mechanism on every preset replays every bundled trace and one of a warp group's multiplies,
// which issue in steps: the values are right and the laws hold, or the run is refused with a
// reason. One test a preset.
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include "models/common/smrf_err.h"

namespace
{

class every_mechanism : public ::testing::TestWithParam<const char *>
{
};

std::vector<const char *> presets()
{
    std::vector<const char *> names;
    for (size_t i = 0; i < smrf_preset_count(); i++) {
        names.push_back(smrf_preset_name(i));
    }
    return names;
}

std::vector<std::string> bundled()
{
    const auto folder = smrf_test::fs::path(std::getenv("SMRF_SOURCE_DIR")) / "traces" / "bundled";
    std::vector<std::string> traces;
    for (const auto &entry : smrf_test::fs::directory_iterator(folder)) {
        if (entry.is_directory()) {
            traces.push_back(entry.path().string());
        }
    }
    return traces;
}

// Four warps multiply 64 x 128 with 32-bit accumulators, the last time in half of their lanes, and
// read what they have added up.
std::string multiplies()
{
    static const char *const lines =
        "0000 ffffffff 1 R24 HGMMA.64x128x16.F32.BF16 2 UR8 R24 0 0 0\n"
        "0010 0000ffff 1 R24 HGMMA.64x128x16.F32.BF16 2 UR8 R24 0 0 0\n"
        "0020 ffffffff 1 R4 FADD 2 R30 R87 0 0 0\n"
        "0030 ffffffff 0 EXIT 0 0 0 0\n";
    std::string text = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n"
                       "-block dim = (128,1,1)\n-shmem = 0\n-nregs = 96\n-binary version = 90\n"
                       "-cuda stream id = 0\n-shmem base_addr = 0x7f0000000000\n"
                       "-local mem base_addr = 0x7e0000000000\n-nvbit version = 1.7\n"
                       "-accelsim tracer version = 5\n\n#BEGIN_TB\n\nthread block = 0,0,0\n";
    for (unsigned warp = 0; warp < 4; warp++) {
        text += "\nwarp = " + std::to_string(warp) + "\ninsts = 4\n" + lines;
    }
    return text + "\n#END_TB\n";
}

// A limit of the mechanism or the trace, said in words: not a check of the model that failed.
void expect_refused(int rc, const std::string &error)
{
    EXPECT_LT(rc, 0) << error;
    EXPECT_NE(rc, SMRF_ERR_CHECK) << error;
    EXPECT_TRUE(error.find("mechanism") != std::string::npos ||
                error.find("rf.collectors x rf.collector_slots") != std::string::npos)
        << error;
}

// Returns whether the run was complete.
bool runs(const char *preset, const char *mechanism, const std::string &trace)
{
    smrf_platform *p = nullptr;
    EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
    EXPECT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
    EXPECT_EQ(SMRF_OK, smrf_platform_preset(p, preset)) << smrf_platform_error(p);
    int rc = smrf_platform_mechanism(p, mechanism);
    rc = rc ? rc : smrf_platform_add_trace(p, trace.c_str());
    rc = rc ? rc : smrf_platform_run(p, SMRF_NO_LIMIT);
    if (rc != SMRF_RUN_DONE) {
        expect_refused(rc, smrf_platform_error(p));
    } else {
        uint64_t compared = 0, wrong = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "oracle.checked", &compared));
        EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "oracle.violations", &wrong));
        EXPECT_GT(compared, 0u);
        EXPECT_EQ(0u, wrong);
    }
    smrf_platform_destroy(p);
    return rc == SMRF_RUN_DONE;
}

TEST_P(every_mechanism, IsRightOrRefused)
{
    const smrf_test::temporary_folder folder;
    std::vector<std::string> traces = bundled();
    traces.push_back(folder / "wide.traceg");
    smrf_test::write_file(traces.back(), multiplies());
    unsigned complete = 0, all = 0;
    ASSERT_GE(traces.size(), 5u);
    for (unsigned i = 0; const smrf_mechanism *m = smrf_mechanism_at(i); i++) {
        for (const std::string &trace : traces) {
            SCOPED_TRACE(std::string(m->name) + " on " + trace);
            complete += runs(GetParam(), m->name, trace);
            all++;
        }
    }
    // Read stages have no place for mechanisms that work in the collectors.
    smrf_config cfg;
    ASSERT_EQ(SMRF_OK, smrf_preset_apply(&cfg, GetParam(), nullptr));
    const bool collectors = cfg.rf.read == SMRF_READ_COLLECTORS;
    EXPECT_GT((collectors ? 2 : 10) * complete, all) << "most combinations run";
}

// 64 registers of accumulators a thread, read and written by each of four warps, twice; an addition
// reads two and writes one.
TEST(wide_instructions, HaveTheirRegistersAndCountOnceUnderEveryMechanism)
{
    const smrf_test::temporary_folder folder;
    const std::string trace = folder / "wide.traceg";
    unsigned complete = 0;
    smrf_test::write_file(trace, multiplies());
    for (unsigned i = 0; const smrf_mechanism *m = smrf_mechanism_at(i); i++) {
        SCOPED_TRACE(m->name);
        smrf_platform *p = nullptr;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
        int rc = smrf_platform_mechanism(p, m->name);
        rc = rc ? rc : smrf_platform_add_trace(p, trace.c_str());
        rc = rc ? rc : smrf_platform_run(p, SMRF_NO_LIMIT);
        if (rc == SMRF_RUN_DONE) {
            uint64_t reads = 0, writes = 0, warps = 0, threads = 0, tensor = 0, steps = 0;
            smrf_platform_count(p, "rf.operand_reads", &reads);
            smrf_platform_count(p, "rf.operand_writes", &writes);
            smrf_platform_count(p, "instructions.warp", &warps);
            smrf_platform_count(p, "instructions.thread", &threads);
            smrf_platform_count(p, "instructions.by_class.tensor", &tensor);
            smrf_platform_count(p, "counters.sm.further_steps", &steps);
            EXPECT_EQ(reads, 4u * (64 + 64 + 2));
            EXPECT_EQ(writes, 4u * (64 + 64 + 1));
            EXPECT_EQ(warps, 16u);
            EXPECT_EQ(threads, 4u * (3 * 32 + 16));
            EXPECT_EQ(tensor, 8u);
            EXPECT_EQ(steps, 8u * 7);
            complete++;
        } else {
            expect_refused(rc, smrf_platform_error(p));
        }
        smrf_platform_destroy(p);
    }
    EXPECT_GE(complete, 14u);
}

INSTANTIATE_TEST_SUITE_P(presets, every_mechanism, ::testing::ValuesIn(presets()),
                         [](const auto &name) {
                             std::string text = name.param;
                             std::replace(text.begin(), text.end(), '-', '_');
                             return text;
                         });

} // namespace
