// SPDX-License-Identifier: Apache-2.0
// The SM beside a slow reference on random programs: the same instructions in the same cycles.
#include "reference_sm.h"

#include "models/common/smrf_rng.h"

namespace
{

using namespace sm_test;

struct random_case {
    smrf_config cfg;
    std::vector<block> blocks;
    unsigned registers;
};

uint8_t random_register(smrf_rng *rng, unsigned registers, bool zero)
{
    return zero && smrf_rng_below(rng, 8) == 0 ? uint8_t(SMRF_REG_ZERO)
                                               : uint8_t(smrf_rng_below(rng, registers));
}

step random_step(smrf_rng *rng, unsigned registers, bool zero)
{
    static const smrf_class classes[] = {
        SMRF_CLASS_SP,   SMRF_CLASS_SP,  SMRF_CLASS_INT,    SMRF_CLASS_INT,    SMRF_CLASS_ALU,
        SMRF_CLASS_HALF, SMRF_CLASS_SFU, SMRF_CLASS_TENSOR, SMRF_CLASS_BRANCH, SMRF_CLASS_UNIFORM,
        SMRF_CLASS_SP,   SMRF_CLASS_INT, SMRF_CLASS_DP,
    };
    smrf_class c = classes[smrf_rng_below(rng, sizeof classes / sizeof *classes)];
    std::vector<uint8_t> dst, src;
    for (unsigned n = smrf_rng_below(rng, 8) ? 1 : smrf_rng_below(rng, 3); n; n--) {
        uint8_t reg = random_register(rng, registers, zero);
        if (std::find(dst.begin(), dst.end(), reg) == dst.end()) {
            dst.push_back(reg);
        }
    }
    for (unsigned n = smrf_rng_below(rng, 5); n; n--) {
        src.push_back(random_register(rng, registers, zero));
    }
    if (c == SMRF_CLASS_BRANCH) {
        dst.clear();
    }
    step s = alu(c, dst, src);
    s.mask = smrf_rng_below(rng, 3) ? UINT32_MAX : smrf_rng_next(rng);
    return s;
}

random_case make_case(uint32_t seed, const char *preset)
{
    random_case r;
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 11);
    r.cfg = replay::preset(preset);
    r.cfg.rf.collector_pick = SMRF_PICK_FIRST;
    r.cfg.issue.scheduler = smrf_rng_below(&rng, 2) ? SMRF_SCHED_LRR : SMRF_SCHED_GTO;
    if (smrf_rng_below(&rng, 2)) { // otherwise the preset's own
        r.cfg.rf.banks = 1 + smrf_rng_below(&rng, 8);
        r.cfg.rf.collectors = 1 + smrf_rng_below(&rng, 8);
        r.cfg.rf.steps = 1 + smrf_rng_below(&rng, 3);
        r.cfg.rf.collector_ports = smrf_rng_below(&rng, 4);
        r.cfg.rf.dispatch = 1 + smrf_rng_below(&rng, 3);
        r.cfg.rf.dispatch_order = smrf_rng_below(&rng, 2);
        r.cfg.rf.in_ports = 1 + smrf_rng_below(&rng, 8);
        r.cfg.rf.oldest_first = smrf_rng_below(&rng, 2);
        r.cfg.rf.swizzle = smrf_rng_below(&rng, 2);
        r.cfg.rf.write_queue = smrf_rng_below(&rng, 4);
        r.cfg.exec.result_buses = 1 + smrf_rng_below(&rng, 8);
        r.cfg.exec.buses_by_kind = seed % 2;
        r.cfg.exec.int_latency = 2 + smrf_rng_below(&rng, 6);
        r.cfg.exec.sp_latency = 2 + smrf_rng_below(&rng, 6);
        r.cfg.sm.subcores = 1u << smrf_rng_below(&rng, 3);
        r.cfg.frontend.fetch_warps = 1 + smrf_rng_below(&rng, 4);
        r.cfg.frontend.ibuffer = 1 + smrf_rng_below(&rng, 2);
        r.cfg.issue.width = smrf_rng_below(&rng, 4) ? 1 : 2;
        r.cfg.frontend.exit_at_fetch = seed % 5 < 3;
    }
    r.cfg.issue.barrier_latency = seed % 3 == 1 ? seed % 11 : 0; // no draw: others keep theirs
    r.cfg.exec.dp_shared = seed % 4 == 2;
    r.cfg.frontend.l0_bytes = seed % 5 == 3 ? 512 : 0;
    r.cfg.frontend.l0_ways = 2;
    r.cfg.frontend.l0_ahead = seed % 4;
    r.cfg.frontend.l0_latency = 10 + seed % 60;
    bool zero = r.cfg.rf.rz_is_register;
    r.registers = 8 * (1 + smrf_rng_below(&rng, 8));
    unsigned used = 2 + smrf_rng_below(&rng, r.registers - 2);
    unsigned warps = seed % 7 == 0 ? 1 : 1 + smrf_rng_below(&rng, 16);
    unsigned blocks = 1 + smrf_rng_below(&rng, std::min(4u, 32 / warps));
    unsigned barriers = smrf_rng_below(&rng, 3);
    unsigned most = 1 + smrf_rng_below(&rng, 60);
    for (unsigned b = 0; b < blocks; b++) {
        block all(warps);
        for (program &p : all) {
            for (unsigned part = 0; part <= barriers; part++) {
                for (unsigned n = smrf_rng_below(&rng, most); n; n--) {
                    p.push_back(random_step(&rng, used, zero));
                }
                if (part < barriers) {
                    p.push_back(alu(SMRF_CLASS_BARRIER, {}, {}));
                }
            }
            p.push_back(exit_step());
            if (r.cfg.frontend.l0_bytes) {
                give_addresses(p);
            }
        }
        r.blocks.push_back(all);
    }
    return r;
}

class random_sm_on : public testing::TestWithParam<const char *>
{
};

TEST_P(random_sm_on, IssuesEveryInstructionInTheCycleOfTheReference)
{
    unsigned differ = 0;
    for (uint32_t seed = 0; seed < 400 && differ < 5; seed++) {
        random_case c = make_case(seed, GetParam());
        reference::sm slow(c.cfg, c.blocks);
        slow.run();
        dut d(c.cfg, c.blocks, c.registers);
        d.run();
        ASSERT_EQ(slow.issues.size(), d.issues.size()) << "seed " << seed;
        for (size_t i = 0; i < slow.issues.size(); i++) {
            if (!(slow.issues[i] == d.issues[i])) {
                ADD_FAILURE() << "seed " << seed << ", issue " << i << ": reference "
                              << slow.issues[i] << ", SM " << d.issues[i];
                differ++;
                break;
            }
        }
        std::vector<uint64_t> ends = slow.ends, seen = d.ends;
        std::sort(ends.begin(), ends.end());
        EXPECT_EQ(ends, seen) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Preset, random_sm_on, testing::Values("rtx2060-paper", "rtx2060-accelsim"),
                         [](const auto &p) {
                             std::string name = p.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(RandomSm, SleepNeverChangesResults)
{
    uint64_t skipped = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim", "larf-paper"}) {
            random_case c = make_case(seed, preset);
            if (seed % 3 == 0) {
                c.cfg.issue.scheduler = SMRF_SCHED_TWO_LEVEL;
            }
            dut whole(c.cfg, c.blocks, c.registers), steps(c.cfg, c.blocks, c.registers);
            steps.sleepless = true;
            whole.run(1000);
            steps.run(1);
            ASSERT_EQ(whole.issues, steps.issues) << preset << " seed " << seed;
            ASSERT_EQ(whole.ends, steps.ends) << preset << " seed " << seed;
            struct smrf_sm_stats a = whole.stats(), b = steps.stats();
            EXPECT_EQ(b.active_cycles, b.stepped_cycles) << "no cycle was skipped";
            skipped += a.active_cycles - a.stepped_cycles;
            a.stepped_cycles = b.stepped_cycles;
            EXPECT_EQ(0, std::memcmp(&a, &b, sizeof a)) << preset << " seed " << seed;
        }
    }
    EXPECT_GT(skipped, 1000u) << "there was sleep to compare with";
}

} // namespace
