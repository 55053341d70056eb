// SPDX-License-Identifier: Apache-2.0
// Checks across parameters: each rejects what it is for, names the keys, and passes at its edge.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

// The verdict on the defaults with some values changed: "ok" or the message.
std::string verdict(std::vector<std::string> pairs)
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    smrf_config_error err = {};
    std::vector<const char *> texts;
    for (const auto &pair : pairs) {
        texts.push_back(pair.c_str());
    }
    EXPECT_EQ(smrf_config_set_pairs(&cfg, texts.data(), texts.size(), "test", &err), SMRF_OK)
        << err.text;
    int rc = smrf_config_check(&cfg, &err);
    EXPECT_TRUE(rc == SMRF_OK || rc == SMRF_ERR_INVAL);
    return rc == SMRF_OK ? "ok" : err.text;
}

TEST(Check, ValuesWrittenDirectlyMustBeInRange)
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    cfg.rf.banks = 17;
    smrf_config_error err;
    EXPECT_EQ(smrf_config_check(&cfg, &err), SMRF_ERR_INVAL);
    EXPECT_STREQ(err.text, "configuration: rf.banks = 17 is out of range, expected 1 to 16");
}

TEST(Check, PowersOfTwo)
{
    EXPECT_EQ(verdict({"sm.subcores=3", "sm.warps=33", "sm.registers=3072"}),
              "configuration: sm.subcores = 3 must be a power of two");
    for (const char *key : {"ldst.shared_banks", "l1d.sets", "l1d.banks", "l2.sets", "dram.banks",
                            "dram.burst", "dram.bus_bytes"}) {
        EXPECT_EQ(verdict({std::string(key) + "=3"}),
                  std::string("configuration: ") + key + " = 3 must be a power of two");
    }
}

TEST(Check, ThreadsWarpsAndRegistersOfAnSm)
{
    EXPECT_EQ(verdict({"sm.threads=1000"}), "configuration: sm.threads = 1000 must be a multiple "
                                            "of 32, the threads of a warp");
    EXPECT_EQ(verdict({"sm.threads=1056"}), "configuration: sm.warps = 32 holds 1024 threads, "
                                            "fewer than sm.threads = 1056; use at least 33");
    EXPECT_EQ(verdict({"sm.warps=64"}), "ok") << "more slots than threads are harmless";
    EXPECT_EQ(verdict({"sm.warps=34"}),
              "configuration: sm.warps = 34 must be a multiple of sm.subcores = 4");
    EXPECT_EQ(verdict({"sm.registers=65600"}), "configuration: sm.registers = 65600 must be a "
                                               "multiple of 32 x sm.subcores = 128");
    EXPECT_EQ(verdict({"sm.registers=65664"}), "ok");
}

TEST(Check, InstructionCacheHasWholeSets)
{
    EXPECT_EQ(verdict({"frontend.icache_bytes=128K"}), "ok");
    EXPECT_EQ(verdict({"frontend.icache_bytes=96K"}),
              "configuration: frontend.icache_bytes = 98304 must be 0 (ideal) or a power of two of "
              "sets of frontend.icache_ways x 128 = 2048 bytes");
    EXPECT_NE(verdict({"frontend.icache_bytes=1000"}), "ok");
}

TEST(Check, SchedulersHaveEnoughWarps)
{
    EXPECT_EQ(verdict({"issue.scheduler=two_level", "issue.active_warps=8"}), "ok");
    EXPECT_EQ(verdict({"issue.scheduler=two_level", "issue.active_warps=9"}),
              "configuration: issue.active_warps = 9 exceeds the 8 warps of a scheduler (sm.warps "
              "/ sm.subcores)");
    EXPECT_EQ(verdict({"issue.active_warps=9"}), "ok") << "only two_level uses it";
    EXPECT_EQ(verdict({"sm.warps=4", "sm.threads=128", "issue.width=2"}),
              "configuration: issue.width = 2 exceeds the 1 warps of a scheduler (sm.warps / "
              "sm.subcores)");
}

TEST(Check, InstructionsInTheCollectors)
{
    EXPECT_EQ(verdict({"rf.collectors=16", "rf.collector_slots=2"}), "ok");
    EXPECT_EQ(verdict({"rf.collectors=16", "rf.collector_slots=3"}),
              "configuration: rf.collectors x rf.collector_slots = 48 is more than 32 instructions "
              "in the collectors of a sub-core: set one of them lower");
}

TEST(Check, RzNeedsTheOperandsAsListed)
{
    EXPECT_EQ(verdict({"rf.rz_is_register=on"}),
              "configuration: rf.rz_is_register needs rf.base_registers_only: expanded operands "
              "have no RZ");
    EXPECT_EQ(verdict({"rf.rz_is_register=on", "rf.base_registers_only=on"}), "ok");
}

TEST(Check, NoUnitTakesLongerBetweenInstructionsThanForOne)
{
    for (const char *unit :
         {"int", "sp", "half", "dp", "sfu", "tensor", "branch", "tex", "uniform"}) {
        std::string key = std::string("exec.") + unit;
        EXPECT_EQ(verdict({key + "_latency=5", key + "_interval=6"}),
                  "configuration: " + key + "_interval = 6 must not exceed " + key +
                      "_latency = 5");
        EXPECT_EQ(verdict({key + "_latency=5", key + "_interval=5"}), "ok");
    }
    EXPECT_EQ(verdict({"exec.half_latency=5", "exec.hmul2_interval=6"}),
              "configuration: exec.hmul2_interval = 6 must not exceed exec.half_latency = 5");
    EXPECT_EQ(verdict({"exec.half_latency=5", "exec.hmul2_interval=5"}), "ok");
}

TEST(Check, AccelSimsHashHasNumbersOfSlicesThatItIsFor)
{
    const char *const refused =
        "configuration: l2.hash = accelsim needs 16, 32 or 64 slices, at most "
        "two a channel; l2.slices = ";
    EXPECT_EQ(verdict({"l2.hash=accelsim", "l2.slices=24", "dram.channels=12"}),
              refused + std::string("24, dram.channels = 12"));
    EXPECT_EQ(verdict({"l2.hash=accelsim", "l2.slices=32", "dram.channels=8"}),
              refused + std::string("32, dram.channels = 8"));
    EXPECT_EQ(verdict({"l2.hash=accelsim", "l2.slices=32", "dram.channels=16"}), "ok");
    EXPECT_EQ(verdict({"l2.slice_bytes=256", "dram.open_bytes=128"}),
              "configuration: l2.slice_bytes = 256 must not exceed dram.open_bytes = 128");
    for (const char *hash : {"linear", "ipoly"}) {
        EXPECT_EQ(verdict({"l2.slice_bytes=256", std::string("l2.hash=") + hash}), "ok");
    }
    EXPECT_EQ(verdict({"l2.hash=accelsim", "l2.slices=64", "dram.channels=64"}), "ok");
}

TEST(Check, CarveoutsFit)
{
    EXPECT_EQ(verdict({"l1d.carveouts=[]"}), "configuration: l1d.carveouts is empty, but "
                                             "l1d.unified_bytes = 98304 is to be divided");
    EXPECT_EQ(verdict({"l1d.carveouts=[]", "l1d.unified_bytes=0"}), "ok");
    EXPECT_EQ(verdict({"l1d.carveouts=[64, 96]"}),
              "configuration: l1d.carveouts: 96 KiB of shared memory out of l1d.unified_bytes = "
              "98304 leave no whole number of ways of l1d.sets x 128 = 512 bytes");
    EXPECT_EQ(verdict({"l1d.carveouts=[92]"}), "ok");
    EXPECT_EQ(verdict({"l1d.unified_bytes=98305"}),
              "configuration: l1d.carveouts: 32 KiB of shared memory out of l1d.unified_bytes = "
              "98305 leave no whole number of ways of l1d.sets x 128 = 512 bytes");
    EXPECT_EQ(verdict({"l1d.carveouts=[32]"}), "configuration: sm.shared_bytes = 65536 does not "
                                               "fit the largest of l1d.carveouts, 32768 bytes");
}

TEST(Check, SlicesChannelsAndBanks)
{
    EXPECT_EQ(verdict({"dram.channels=3"}),
              "configuration: l2.slices = 8 must be a multiple of dram.channels = 3");
    EXPECT_EQ(verdict({"l2.slices=12"}), "ok");
    EXPECT_EQ(verdict({"dram.bank_groups=3"}),
              "configuration: dram.banks = 16 must be a multiple of dram.bank_groups = 3");
    EXPECT_EQ(verdict({"dram.data_rate=3"}),
              "configuration: dram.burst = 16 must be a multiple of dram.data_rate = 3");
    EXPECT_EQ(verdict({"dram.ccdl=3"}),
              "configuration: dram.ccdl = 3 must be at least dram.ccd = 4");
}

TEST(Check, WatchdogOutlastsALaunch)
{
    EXPECT_EQ(verdict({"sim.watchdog=5000", "gpu.launch_latency=5000"}),
              "configuration: sim.watchdog = 5000 must exceed gpu.launch_latency = 5000");
    EXPECT_EQ(verdict({"sim.watchdog=5001", "gpu.launch_latency=5000"}), "ok");
    // Every latency in which nothing moves: a machine that waits is sound.
    for (const char *key :
         {"exec.dp_latency", "exec.tex_latency", "ldst.shared_latency", "l1d.latency",
          "noc.latency", "l2.latency", "bus.latency", "frontend.icache_miss_latency"}) {
        const std::string change = std::string(key) + "=";
        EXPECT_EQ(verdict({"sim.watchdog=1999", change + "1000"}),
                  std::string("configuration: sim.watchdog = 1999 must be at least twice ") + key +
                      " = 1000: it would stop a machine that only waits");
        EXPECT_EQ(verdict({"sim.watchdog=2000", change + "1000"}), "ok") << key;
    }
    // Requests in the DRAM are seen, unless an access is one step.
    EXPECT_EQ(verdict({"sim.watchdog=1000", "dram.latency=10000"}), "ok");
    EXPECT_NE(verdict({"sim.watchdog=1000", "dram.latency=10000", "sim.view=lt"}), "ok");
    EXPECT_NE(verdict({"sim.watchdog=1000", "dram.latency=400", "l2.latency=400", "sim.view=lt"}),
              "ok");
}

} // namespace
