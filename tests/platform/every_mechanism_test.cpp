// SPDX-License-Identifier: Apache-2.0
// Every mechanism on every preset replays every bundled trace: the values are right and the laws
// hold, or the run is refused with a reason. One test a preset.
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
    const std::vector<std::string> traces = bundled();
    unsigned complete = 0, all = 0;
    ASSERT_GE(traces.size(), 5u);
    for (unsigned i = 0; const smrf_mechanism *m = smrf_mechanism_at(i); i++) {
        for (const std::string &trace : traces) {
            SCOPED_TRACE(std::string(m->name) + " on " + trace);
            complete += runs(GetParam(), m->name, trace);
            all++;
        }
    }
    EXPECT_GT(2 * complete, all) << "most combinations run";
}

INSTANTIATE_TEST_SUITE_P(presets, every_mechanism, ::testing::ValuesIn(presets()),
                         [](const auto &name) {
                             std::string text = name.param;
                             std::replace(text.begin(), text.end(), '-', '_');
                             return text;
                         });

} // namespace
