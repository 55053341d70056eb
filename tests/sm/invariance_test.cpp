// SPDX-License-Identifier: Apache-2.0
// Random programs with memory accesses on whole machines: nothing but the configuration and the
// trace decides the result.
#include "../support/microbench.h"
#include "../support/replay.h"

#include "models/common/smrf_rng.h"

namespace
{

using microbench::op;
using microbench::program;

op random_op(smrf_rng *rng)
{
    auto below = [&](uint32_t n) { return smrf_rng_below(rng, n); };
    auto reg = [&] { return uint16_t(4 + below(24)); };
    op o;
    switch (below(12)) {
    case 0:
    case 1:
        o = {"LDG.E.SYS", {reg()}, {2}, microbench::GLOBAL + 32 * below(4096)};
        break;
    case 2:
        o = {"STG.E.SYS", {}, {2, reg()}, microbench::GLOBAL + 32 * below(4096)};
        break;
    case 3:
        o = {"LDS.U", {reg()}, {2}, microbench::SHARED + 4 * below(256)};
        break;
    case 4:
        o = {"MUFU.RCP", {reg()}, {reg()}};
        break;
    case 5:
        o = below(6) ? op{"IADD3", {reg()}, {reg(), reg()}}
                     : op{"DFMA", {reg()}, {reg(), reg(), reg()}};
        break;
    case 6:
        o = below(8) ? op{"MOV", {reg()}, {reg()}}
                     : op{"ATOMG.E.ADD.STRONG.GPU", {reg()}, {2, reg()}, microbench::GLOBAL};
        break;
    case 7:
        o = below(8) ? op{"IMAD", {reg()}, {reg(), reg(), reg()}} : op{"MEMBAR.SC.GPU", {}, {}};
        break;
    default:
        o = {below(2) ? "FFMA" : "LOP3.LUT", {reg()}, {reg(), reg(), reg()}};
    }
    o.mask = below(4) ? UINT32_MAX : smrf_rng_next(rng);
    return o;
}

void write_random(const std::string &folder, uint32_t seed)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 21);
    microbench::launch l;
    l.threads = 32 * (1 + smrf_rng_below(&rng, 8));
    l.blocks = 1 + smrf_rng_below(&rng, 40);
    l.registers = 32;
    l.shared_bytes = 1024 * smrf_rng_below(&rng, 12);
    unsigned barriers = smrf_rng_below(&rng, 3), most = 1 + smrf_rng_below(&rng, 40);
    microbench::write(folder, l, [&](unsigned, unsigned) {
        program p;
        for (unsigned part = 0; part <= barriers; part++) {
            for (unsigned n = smrf_rng_below(&rng, most); n; n--) {
                p.push_back(random_op(&rng));
            }
            if (part < barriers) {
                p.push_back({"BAR.SYNC", {}, {}});
            }
        }
        p.push_back({"EXIT", {}, {}});
        return p;
    });
}

smrf_config random_config(uint32_t seed, const char *preset)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 22);
    smrf_config cfg = replay::preset(preset);
    cfg.gpu.sms = 1 + smrf_rng_below(&rng, 6);
    cfg.gpu.launch_latency = smrf_rng_below(&rng, 20);
    cfg.issue.scheduler = smrf_rng_below(&rng, 5);
    cfg.issue.limit_warps = 1 + smrf_rng_below(&rng, 4);
    return cfg;
}

class invariance_on : public testing::TestWithParam<const char *>
{
};

TEST_P(invariance_on, TheQuantumNeverChangesResults)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        replay::temporary_folder folder;
        write_random(folder.path(), seed);
        smrf_config cfg = random_config(seed, GetParam());
        replay::result base = replay::run(folder.path(), cfg);
        for (uint32_t quantum : {1u, 7u, 1024u}) {
            cfg.sim.quantum = quantum;
            EXPECT_EQ("", replay::difference(base, replay::run(folder.path(), cfg)))
                << "seed " << seed << " quantum " << quantum;
        }
    }
}

// Its lists go round while nothing issues: as often, and with the same warps, however time is cut.
TEST_P(invariance_on, TheQuantumNeverChangesTheListsOfTwoLevelScheduling)
{
    for (uint32_t seed = 60; seed < 72; seed++) {
        replay::temporary_folder folder;
        write_random(folder.path(), seed);
        smrf_config cfg = random_config(seed, GetParam());
        cfg.issue.scheduler = SMRF_SCHED_TWO_LEVEL;
        cfg.issue.active_warps = 1 + seed % 4;
        replay::result base = replay::run(folder.path(), cfg);
        for (uint32_t quantum : {1u, 3u, 7u}) {
            cfg.sim.quantum = quantum;
            EXPECT_EQ("", replay::difference(base, replay::run(folder.path(), cfg)))
                << "seed " << seed << " quantum " << quantum;
        }
    }
}

TEST_P(invariance_on, RunsOfLimitedLengthAddUpToOneRun)
{
    for (uint32_t seed = 20; seed < 26; seed++) {
        replay::temporary_folder folder;
        write_random(folder.path(), seed);
        smrf_config cfg = random_config(seed, GetParam());
        replay::result base = replay::run(folder.path(), cfg);
        for (uint64_t slice : {1u, 13u, 1000u}) {
            replay::options opt;
            opt.slice = slice;
            EXPECT_EQ("", replay::difference(base, replay::run(folder.path(), cfg, opt)))
                << "seed " << seed << " slices of " << slice;
        }
    }
}

TEST_P(invariance_on, TwoRunsAreEqualAndTheOracleChangesNothing)
{
    for (uint32_t seed = 40; seed < 50; seed++) {
        replay::temporary_folder folder;
        write_random(folder.path(), seed);
        smrf_config cfg = random_config(seed, GetParam());
        replay::result base = replay::run(folder.path(), cfg);
        EXPECT_EQ("", replay::difference(base, replay::run(folder.path(), cfg))) << seed;
        EXPECT_GT(base.stats.oracle_checked, 0u);
        cfg.sim.check = 0;
        replay::result off = replay::run(folder.path(), cfg);
        EXPECT_EQ(0u, off.stats.oracle_checked);
        off.stats.oracle_checked = base.stats.oracle_checked;
        off.stats.oracle_overtaken = base.stats.oracle_overtaken;
        EXPECT_EQ("", replay::difference(base, off)) << seed;
    }
}

// Collectors are alike, so that a random choice among them shows only where their number decides.
TEST_P(invariance_on, TheSeedOnlyMattersWhereSomethingIsRandom)
{
    replay::temporary_folder folder;
    write_random(folder.path(), 60);
    smrf_config cfg = random_config(60, GetParam());
    for (uint32_t order : {SMRF_ORDER_OLDEST, SMRF_ORDER_INDEX}) {
        cfg.rf.dispatch_order = order;
        cfg.sim.seed = 1;
        replay::result base = replay::run(folder.path(), cfg);
        cfg.sim.seed = 12345;
        bool same = replay::difference(base, replay::run(folder.path(), cfg)).empty();
        bool random = cfg.rf.collector_pick == SMRF_PICK_RANDOM && order == SMRF_ORDER_INDEX;
        EXPECT_EQ(!random, same);
    }
}

INSTANTIATE_TEST_SUITE_P(Preset, invariance_on,
                         testing::Values("rtx2060-paper", "rtx2060-accelsim", "qv100-accelsim",
                                         "larf-paper"),
                         [](const auto &p) {
                             std::string name = p.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
