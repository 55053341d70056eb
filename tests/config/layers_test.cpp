// SPDX-License-Identifier: Apache-2.0
// The order of precedence: default < preset < mechanism < --gpgpusim < --config < --set.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstring>

namespace
{

// Each layer sets the same key and one of its own; the key ends with the highest layer's value.
TEST(Layers, ALaterLayerWinsAndEarlierOnesShineThrough)
{
    smrf_config cfg;
    smrf_config_error err = {};
    ASSERT_EQ(smrf_preset_apply(&cfg, "qv100-accelsim", &err), SMRF_OK) << err.text;
    EXPECT_EQ(cfg.rf.banks, 4u);

    const char *const mechanism[] = {"rf.banks=5", "rf.extra_latency=1",
                                     "rf.dispatch_order=oldest"};
    ASSERT_EQ(smrf_config_set_pairs(&cfg, mechanism, 3, "mechanism cars", &err), SMRF_OK);
    EXPECT_EQ(cfg.rf.banks, 5u);

    const char *const options = "-gpgpu_num_reg_banks 24\n-gpgpu_l1_latency 21\n";
    ASSERT_EQ(
        smrf_config_gpgpusim_text(&cfg, "f", options, std::strlen(options), nullptr, nullptr, &err),
        SMRF_OK);
    EXPECT_EQ(cfg.rf.banks, 6u);

    const char *const yaml = "rf.banks: 7\nrf.steps: 3\n";
    ASSERT_EQ(smrf_config_load_text(&cfg, "f", yaml, std::strlen(yaml), &err), SMRF_OK);
    EXPECT_EQ(cfg.rf.banks, 7u);

    const char *const set[] = {"rf.banks=8"};
    ASSERT_EQ(smrf_config_set_pairs(&cfg, set, 1, "--set", &err), SMRF_OK);
    EXPECT_EQ(cfg.rf.banks, 8u);

    EXPECT_EQ(cfg.rf.steps, 3u) << "from the file";
    EXPECT_EQ(cfg.l1d.latency, 21u) << "from Accel-Sim's options";
    EXPECT_EQ(cfg.rf.dispatch_order, uint32_t{SMRF_ORDER_INDEX}) << "as Accel-Sim";
    EXPECT_EQ(cfg.rf.extra_latency, 1u) << "from the mechanism";
    EXPECT_EQ(cfg.gpu.sms, 80u) << "from the preset";
    EXPECT_EQ(cfg.rf.write_queue, smrf_param_at(SMRF_P_rf_write_queue)->def) << "the default";
    EXPECT_EQ(smrf_config_check(&cfg, &err), SMRF_OK) << err.text;
}

} // namespace
