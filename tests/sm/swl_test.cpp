// SPDX-License-Identifier: Apache-2.0
// The static limit on warps, and the baseline on machines that nobody builds.
#include "../support/mechanism_run.h"

#include "models/swl/swl.h"

namespace
{

using outcome = replay::mechanism_outcome<smrf_swl_stats>;

std::string bundled(const char *name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

outcome run(const char *mechanism, const char *trace, std::initializer_list<const char *> pairs)
{
    const smrf_mechanism &m = *smrf_mechanism_find(mechanism);
    return replay::run_mechanism<smrf_swl_stats>(
        m, bundled(trace), replay::mechanism_config(m, "rtx2060-paper", pairs), {});
}

// matmul has barriers: a limit that counted the warps that wait there would never end.
TEST(Swl, NoMoreWarpsIssueThanTheLimitSays)
{
    for (const char *trace : {"matmul", "ray"}) {
        for (unsigned limit : {1u, 2u, 3u, 8u}) {
            const std::string warps = "swl.warps=" + std::to_string(limit);
            const outcome sm = run("swl", trace, {"gpu.sms=2", warps.c_str()});
            const outcome each =
                run("swl", trace, {"gpu.sms=2", warps.c_str(), "swl.scope=scheduler"});
            SCOPED_TRACE(std::string(trace) + " " + warps);
            for (const outcome *o : {&sm, &each}) {
                EXPECT_EQ(0, o->run.err) << o->run.error;
                EXPECT_EQ("", o->broken);
                EXPECT_EQ(0u, o->run.stats.oracle_violations);
                EXPECT_GE(o->own.admitted, o->own.started);
            }
            EXPECT_GT(sm.own.most, 0u);
            EXPECT_LE(sm.own.most, 2 * limit); // of two SMs
            EXPECT_LE(each.own.most, 8 * limit);
            EXPECT_GE(sm.run.cycles, each.run.cycles);
        }
    }
}

TEST(Swl, ALimitThatNobodyReachesChangesNothing)
{
    const outcome all = run("swl", "ray", {"gpu.sms=2", "swl.warps=64"});
    const outcome gto = run("baseline", "ray", {"gpu.sms=2", "issue.scheduler=gto"});
    EXPECT_EQ(gto.run.cycles, all.run.cycles);
    EXPECT_GT(run("swl", "ray", {"gpu.sms=2", "swl.warps=1"}).run.cycles, all.run.cycles);
}

TEST(IdealMachines, OnlySavesAndRestoresAlwaysHit)
{
    const outcome base = run("baseline", "ray", {"gpu.sms=2"});
    const outcome hit = run("all-hit", "ray", {"gpu.sms=2"});
    EXPECT_EQ(base.run.ldst.l1d_spill_accesses, hit.run.ldst.l1d_spill_accesses);
    EXPECT_GT(base.run.ldst.l1d_local_store_misses, 0u);
    EXPECT_LT(hit.run.ldst.l1d_local_store_misses, base.run.ldst.l1d_local_store_misses);
    EXPECT_EQ(base.run.ldst.l1d_global_load_accesses, hit.run.ldst.l1d_global_load_accesses);
}

// No line that was brought is brought again.
TEST(IdealMachines, ALargeL1MissesNoMoreThanOnce)
{
    const outcome base =
        run("baseline", "matmul", {"gpu.sms=1", "l1d.unified_bytes=0", "l1d.ways=8"});
    const outcome large = run("l1-10mb", "matmul", {"gpu.sms=1"});
    EXPECT_LT(large.run.ldst.reads_sent, base.run.ldst.reads_sent);
}

TEST(IdealMachines, VirtualWarpsAreLimitedByWarpSlotsAlone)
{
    const smrf_config cfg =
        replay::mechanism_config(*smrf_mechanism_find("virtual-warps"), "cars-paper", {});
    EXPECT_EQ(cfg.sm.registers, cfg.sm.warps * 32 * 128);
    EXPECT_EQ(0u, cfg.l1d.unified_bytes);
    const outcome few = run("baseline", "matmul", {"gpu.sms=1", "sm.registers=8192"});
    EXPECT_LT(run("virtual-warps", "matmul", {"gpu.sms=1"}).run.cycles, few.run.cycles);
}

} // namespace
