// SPDX-License-Identifier: Apache-2.0
// Presets: each is legal, says what it is, and holds the values of its source.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace
{

smrf_config preset(const char *name)
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(smrf_preset_apply(&cfg, name, &err), SMRF_OK) << err.text;
    return cfg;
}

TEST(Preset, EachIsLegalAndDescribed)
{
    ASSERT_EQ(smrf_preset_count(), 19u);
    for (size_t i = 0; i < smrf_preset_count(); i++) {
        smrf_config cfg = preset(smrf_preset_name(i));
        smrf_config_error err;
        EXPECT_EQ(smrf_config_check(&cfg, &err), SMRF_OK) << smrf_preset_name(i) << err.text;
        EXPECT_GT(std::strlen(smrf_preset_description(i)), 20u);
    }
    EXPECT_EQ(smrf_preset_name(smrf_preset_count()), nullptr);
    EXPECT_EQ(smrf_preset_description(smrf_preset_count()), nullptr);
}

TEST(Preset, PaperPresetIsTheDefaults)
{
    smrf_config cfg = preset(SMRF_DEFAULT_PRESET), def;
    smrf_config_default(&def);
    EXPECT_EQ(std::memcmp(&cfg, &def, sizeof def), 0);
}

TEST(Preset, PaperPresetHoldsMalekehsTable)
{
    smrf_config c = preset("rtx2060-paper");
    EXPECT_EQ(c.gpu.sms, 10u);
    EXPECT_EQ(c.sm.threads, 1024u);
    EXPECT_EQ(c.sm.registers * 4, 256u * 1024);
    EXPECT_EQ(c.issue.scheduler, static_cast<uint32_t>(SMRF_SCHED_GTO));
    EXPECT_EQ(c.rf.banks, 2u);
    EXPECT_EQ(c.rf.collectors, 2u);
    EXPECT_EQ(c.rf.collector_ports, 1u);
    EXPECT_EQ(c.l2.slices * c.l2.sets * c.l2.ways * 128, 1024u * 1024);
}

// The public fork of Accel-Sim by Malekeh's first author: tensor 8, 4; integer and single precision
// 4, 2; L1 and shared memory 20; L2 160; L1 of 64 KB.
TEST(Preset, ForkIsThePaperMachineWithTheForksTiming)
{
    smrf_config fork = preset("rtx2060-fork"), paper = preset("rtx2060-paper");
    EXPECT_EQ(8u, fork.exec.tensor_latency);
    EXPECT_EQ(4u, fork.exec.tensor_interval);
    EXPECT_EQ(4u, fork.exec.int_latency);
    EXPECT_EQ(2u, fork.exec.sp_interval);
    EXPECT_EQ(20u, fork.l1d.latency);
    EXPECT_EQ(20u, fork.ldst.shared_latency);
    EXPECT_EQ(160u, fork.l2.latency);
    EXPECT_EQ(64u * 1024, fork.l1d.sets * fork.l1d.ways * 128);
    EXPECT_EQ(0, std::memcmp(&fork.rf, &paper.rf, sizeof paper.rf));
    EXPECT_EQ(0, std::memcmp(&fork.issue, &paper.issue, sizeof paper.issue));
}

// Turing's tensor units by type; else the papers' machine.
TEST(Preset, TensorIsThePaperMachineWithTensorTimingByType)
{
    smrf_config tensor = preset("rtx2060-tensor");
    const smrf_config paper = preset("rtx2060-paper");
    EXPECT_EQ(8u, tensor.exec.hmma_f16_interval);
    EXPECT_EQ(16u, tensor.exec.hmma_f32_interval);
    EXPECT_EQ(4u, tensor.exec.imma_interval);
    tensor.exec.hmma_f16_latency = tensor.exec.hmma_f16_interval = 0;
    tensor.exec.hmma_f32_latency = tensor.exec.hmma_f32_interval = 0;
    tensor.exec.imma_latency = tensor.exec.imma_interval = 0;
    EXPECT_EQ(0, std::memcmp(&tensor.exec, &paper.exec, sizeof paper.exec));
    EXPECT_EQ(0, std::memcmp(&tensor.rf, &paper.rf, sizeof paper.rf));
}

TEST(Preset, StartsFromTheDefaultsWhateverWasSetBefore)
{
    smrf_config cfg = preset("larf-paper");
    smrf_config_error err;
    ASSERT_EQ(smrf_preset_apply(&cfg, "rtx2060-accelsim", &err), SMRF_OK);
    smrf_config fresh = preset("rtx2060-accelsim");
    EXPECT_EQ(std::memcmp(&cfg, &fresh, sizeof cfg), 0);
}

TEST(Preset, CachesHaveTheSizesOfTheirGpus)
{
    smrf_config rtx2060 = preset("rtx2060-accelsim"), qv100 = preset("qv100-accelsim"),
                rtx3070 = preset("rtx3070-accelsim");
    EXPECT_EQ(rtx2060.l2.slices * rtx2060.l2.sets * rtx2060.l2.ways * 128, 3u << 20);
    EXPECT_EQ(qv100.l2.slices * qv100.l2.sets * qv100.l2.ways * 128, 6u << 20);
    EXPECT_EQ(rtx3070.l2.slices * rtx3070.l2.sets * rtx3070.l2.ways * 128, 4u << 20);
    EXPECT_EQ(qv100.rf.banks * qv100.sm.subcores, 16u);
}

TEST(Preset, LarfHasOneRegisterFileOfHalfTheSizeAndTwoLevelScheduling)
{
    smrf_config c = preset("larf-paper");
    EXPECT_EQ(c.sm.registers * 4, 128u * 1024);
    EXPECT_EQ(c.issue.scheduler, static_cast<uint32_t>(SMRF_SCHED_TWO_LEVEL));
    EXPECT_EQ(c.issue.active_warps, 12u) << "of two schedulers";
    EXPECT_EQ(c.sm.subcores, 1u);
    EXPECT_EQ(c.issue.width, 2u);
    EXPECT_EQ(c.rf.banks, 16u);
    EXPECT_EQ(c.rf.collectors, 16u);
    EXPECT_EQ(c.rf.swizzle, 0u);
}

// Capacities and rates that NVIDIA publishes, from the values that a preset has.
TEST(Preset, CardsHaveTheirPublishedSizes)
{
    const struct {
        const char *preset;
        uint32_t sms, warps, unified_kib, architecture;
        double l2_mib, gigabytes_a_second; // 0: that of the configuration differs from the card's
    } cards[] = {{"a100-accelsim", 108, 64, 192, 80, 40, 0},
                 {"h100-accelsim", 132, 64, 256, 90, 50, 2000},
                 {"orin-accelsim", 16, 48, 0, 87, 4, 0},
                 {"rtx3070-accelsim", 46, 48, 128, 86, 4, 448},
                 {"rtx3090-whitepaper", 82, 48, 128, 86, 6, 936},
                 {"rtx4090-whitepaper", 128, 48, 128, 89, 72, 1008}};
    for (const auto &card : cards) {
        SCOPED_TRACE(card.preset);
        const smrf_config c = preset(card.preset);
        EXPECT_EQ(c.gpu.sms, card.sms);
        EXPECT_EQ(c.gpu.architecture, card.architecture);
        EXPECT_EQ(c.sm.warps, card.warps);
        EXPECT_EQ(c.sm.threads, 32 * card.warps);
        EXPECT_EQ(c.l1d.unified_bytes, card.unified_kib * 1024);
        EXPECT_EQ(c.l2.slices * c.l2.sets * c.l2.ways * 128.0 / (1 << 20), card.l2_mib);
        const double rate =
            1e-6 * c.dram.channels * c.dram.bus_bytes * c.dram.data_rate * c.dram.khz;
        if (card.gigabytes_a_second != 0) {
            EXPECT_NEAR(rate, card.gigabytes_a_second, 0.01 * card.gigabytes_a_second);
        }
    }
}

TEST(Preset, SetsOnlyWhatDiffersFromTheDefaults)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    ASSERT_NE(root, nullptr);
    for (size_t i = 0; i < smrf_preset_count(); i++) {
        smrf_config def, other;
        smrf_config_default(&def);
        std::ifstream file(std::string(root) + "/platform/presets/" + smrf_preset_name(i) +
                           ".yaml");
        std::stringstream text;
        text << file.rdbuf();
        ASSERT_FALSE(text.str().empty());
        // Over a configuration in which every value is changed, the file sets a key or leaves it.
        for (size_t k = 0; k < smrf_param_count(); k++) {
            const smrf_param *info = smrf_param_at(k);
            uint32_t value = info->def == info->max ? info->min : info->max;
            std::memcpy(reinterpret_cast<char *>(&other) + k * 4, &value, 4);
        }
        smrf_config before = other;
        smrf_config_error err;
        ASSERT_EQ(
            smrf_config_load_text(&other, "preset", text.str().data(), text.str().size(), &err),
            SMRF_OK)
            << err.text;
        for (size_t k = 0; k < smrf_param_count(); k++) {
            bool set = smrf_config_get(&other, k) != smrf_config_get(&before, k);
            if (smrf_param_type(smrf_param_at(k)) == SMRF_PARAM_KBSET_128) {
                continue; // set with the list before it
            }
            EXPECT_TRUE(!set || smrf_config_get(&other, k) != smrf_config_get(&def, k))
                << smrf_preset_name(i) << " repeats the default of " << smrf_param_at(k)->key;
        }
    }
}

TEST(Preset, UnknownNameSuggestsTheNearest)
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    smrf_config_error err;
    EXPECT_EQ(smrf_preset_apply(&cfg, "rtx2060-papr", &err), SMRF_ERR_UNKNOWN);
    EXPECT_STREQ(err.text, "preset: no preset is called 'rtx2060-papr'; did you mean "
                           "rtx2060-paper?");
    EXPECT_EQ(smrf_preset_apply(&cfg, "gtx", &err), SMRF_ERR_UNKNOWN);
    EXPECT_STREQ(err.text, "preset: no preset is called 'gtx'; smrf list presets shows all");
}

} // namespace
