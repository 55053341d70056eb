// SPDX-License-Identifier: Apache-2.0
// Every parameter at its least and at its most, and random machines: a run of a small launch ends
// well, or the machine is refused with a reason.
#include "models/common/smrf_rng.h"
#include "platform/config/config.h"
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include <set>

using namespace smrf_test;

namespace
{

struct Extremes : testing::Test {
    temporary_folder folder;
    std::string trace;
    unsigned refused = 0, ran = 0;

    void SetUp() override
    {
        launch_shape shape = small_launch();
        shape.blocks = 1;
        shape.body.push_back("0000ffff 1 R8 LDS 1 R2 4 1 0x100 4 0");
        shape.body.push_back("00000001 0 RED.E.ADD.STRONG.GPU 2 R2 R6 4 1 0x7f0000020000 0 0");
        shape.body.push_back("ffffffff 0 BAR.SYNC 0 0 0");
        shape.body.push_back("ffffffff 1 R255 LDG.E 1 R8 4 1 0x7f0000030000 128 0");
        trace = write_trace(folder, "t", shape);
    }
    static bool is_set(const smrf_param *info)
    {
        const enum smrf_param_type kind = smrf_param_type(info);
        return kind == SMRF_PARAM_KBSET || kind == SMRF_PARAM_KBSET_128;
    }
    static std::string text(const smrf_param *info, uint32_t value)
    {
        if (smrf_param_type(info) == SMRF_PARAM_ENUM) {
            return std::string(info->key) + "=" + smrf_param_enum_name(info, value);
        }
        return std::string(info->key) + "=" + std::to_string(value);
    }
    void run(const std::vector<std::string> &changes, const char *preset, const char *mechanism)
    {
        std::string all = std::string(preset) + " " + mechanism;
        smrf_platform *p = nullptr;
        ASSERT_EQ(0, smrf_platform_create(&p));
        EXPECT_EQ(0, smrf_platform_preset(p, preset));
        EXPECT_EQ(0, smrf_platform_mechanism(p, mechanism));
        EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=1"));
        for (const std::string &change : changes) {
            EXPECT_EQ(0, smrf_platform_set(p, change.c_str())) << smrf_platform_error(p);
            all += " " + change;
        }
        EXPECT_EQ(0, smrf_platform_engine(p, "direct"));
        EXPECT_EQ(0, smrf_platform_add_trace(p, trace.c_str()));
        int rc = smrf_platform_build(p);
        if (rc == 0) {
            rc = smrf_platform_run(p, SMRF_NO_LIMIT);
        }
        refused += rc == SMRF_ERR_INVAL || rc == SMRF_ERR_LIMIT;
        ran += rc == SMRF_RUN_DONE;
        EXPECT_TRUE(rc == SMRF_RUN_DONE || rc == SMRF_ERR_INVAL || rc == SMRF_ERR_LIMIT)
            << all << ": " << smrf_platform_error(p);
        smrf_platform_destroy(p);
    }
};

TEST_F(Extremes, EveryParameterAtItsLeastAndAtItsMost)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const smrf_param *info = smrf_param_at(i);
        if (is_set(info)) {
            continue; // a set has neither
        }
        const std::string section = info->section;
        for (const uint32_t value : {info->min, info->max}) {
            run({text(info, value)}, "rtx2060-accelsim",
                section == "malekeh"        ? "malekeh-long"
                : section == "bow"          ? "bow-long"
                : section == "rfc"          ? "rfc"
                : section == "rfc_software" ? "rfc-software"
                : section == "ltrf"         ? "ltrf"
                                            : "baseline");
        }
    }
    EXPECT_GT(ran, 2 * smrf_param_count() * 3 / 4);
}

TEST_F(Extremes, AThousandRandomMachines)
{
    static const char *const mechanisms[] = {"baseline", "malekeh-long", "gto-lru", "bow-short",
                                             "rfc",      "rfc-software", "ltrf"};
    // What only makes a run long or large, and what one is checked with.
    static const std::set<std::string> fixed = {"sim.watchdog", "sim.check", "gpu.sms",
                                                "gpu.launch_latency", "l2.sets"};
    smrf_rng rng;
    smrf_rng_seed(&rng, 20, 0);
    while (ran < 1000 && !HasFailure()) {
        std::vector<std::string> changes;
        for (unsigned n = 1 + smrf_rng_below(&rng, 6); n > 0; n--) {
            const smrf_param *info =
                smrf_param_at(smrf_rng_below(&rng, uint32_t(smrf_param_count())));
            const uint32_t span = info->max - info->min;
            if (!is_set(info) && fixed.count(info->key) == 0) {
                changes.push_back(
                    text(info, info->min + smrf_rng_below(&rng, span < 40 ? span + 1 : 40)));
            }
        }
        run(changes, smrf_preset_name(smrf_rng_below(&rng, uint32_t(smrf_preset_count()))),
            mechanisms[smrf_rng_below(&rng, uint32_t(std::size(mechanisms)))]);
    }
    RecordProperty("refused", int(refused));
}

} // namespace
