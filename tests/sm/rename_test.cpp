// SPDX-License-Identifier: Apache-2.0
// Renaming: every result in a new register, lanes carried over, registers freed after their last
// read, and the value oracle when it is done wrongly.
#include "tests/support/renaming_machine.h"
#include "tests/support/sm_dut.h"

#include "models/common/smrf_rng.h"

namespace
{

using namespace sm_test;
using renaming::machine;

constexpr unsigned REGISTERS = 10; // that a program uses

program random_program(uint32_t seed)
{
    static const smrf_class classes[] = {SMRF_CLASS_INT, SMRF_CLASS_SP, SMRF_CLASS_SFU,
                                         SMRF_CLASS_TENSOR};
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 3);
    program p;
    for (uint8_t reg = 0; reg < REGISTERS; reg++) {
        p.push_back(alu(SMRF_CLASS_INT, {reg}, {}));
    }
    for (unsigned n = 0; n < 150; n++) {
        const uint8_t d = uint8_t(smrf_rng_below(&rng, REGISTERS));
        std::vector<uint8_t> dst = {d}, src;
        if (smrf_rng_below(&rng, 4) == 0) {
            dst.push_back(uint8_t((d + 1) % REGISTERS));
        }
        for (unsigned k = smrf_rng_below(&rng, 4); k; k--) {
            src.push_back(uint8_t(smrf_rng_below(&rng, REGISTERS)));
        }
        step s = alu(classes[smrf_rng_below(&rng, 4)], dst, src);
        if (smrf_rng_below(&rng, 5) == 0) {
            s = memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, {2}, 0x4000 + 512 * n);
        }
        s.mask = smrf_rng_below(&rng, 2) ? UINT32_MAX : smrf_rng_next(&rng) | 1;
        p.push_back(s);
    }
    p.push_back(exit_step());
    return p;
}

// Four warps a sub-core that use REGISTERS each, and `spare` physical registers more.
smrf_config config(unsigned subcores, unsigned banks, unsigned spare)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    cfg.sm.subcores = subcores;
    cfg.rf.banks = banks;
    cfg.sm.registers = SMRF_LANES * subcores * (4 * REGISTERS + spare);
    cfg.sim.check = true;
    return cfg;
}

std::vector<block> blocks(unsigned subcores, uint32_t seed)
{
    std::vector<block> all;
    for (unsigned b = 0; b < 4; b++) {
        block one;
        for (unsigned w = 0; w < subcores; w++) {
            one.push_back(random_program(seed + 100 * b + w));
        }
        all.push_back(one);
    }
    return all;
}

struct outcome {
    smrf_sm_stats stats;
    uint64_t end; // cycle of the last block's
};

outcome run(const smrf_config &cfg, machine *state, uint32_t seed, bool right = true)
{
    const smrf_mechanism mechanism = renaming::mechanism<machine>();
    dut d(cfg, blocks(cfg.sm.subcores, seed), REGISTERS, 0, &mechanism, &state);
    d.laws = right;
    d.run();
    return {d.stats(), d.ends.back()};
}

TEST(Renaming, EveryResultInANewRegisterKeepsEveryValue)
{
    for (uint32_t seed = 0; seed < 24; seed++) {
        const unsigned subcores = 1u << seed % 3, banks = 1 + seed % 5;
        const smrf_config cfg = config(subcores, banks, 4 + seed % 4);
        machine m(cfg.sm, cfg.rf);
        const outcome o = run(cfg, &m, 1000 * seed);
        EXPECT_EQ(0u, o.stats.oracle_violations) << "seed " << seed;
        EXPECT_GT(o.stats.oracle_checked, 300u);
        EXPECT_GT(m.carried, 100u);
        EXPECT_GT(o.stats.merge_reads, 0u);
        EXPECT_LE(o.stats.merge_reads, m.carried)
            << "a source that is read anyway is not read twice";
        EXPECT_GT(m.freed_late, 50u);
        for (unsigned sub = 0; sub < subcores; sub++) {
            EXPECT_EQ(smrf_physical_registers(&cfg.sm), m.free[sub].size()) << "all came back";
        }
    }
}

TEST(Renaming, AWarpWaitsForARegisterAndIsWokenByALastRead)
{
    const smrf_config tight = config(1, 2, 2), wide = config(1, 2, 200);
    machine of_tight(tight.sm, tight.rf), of_wide(wide.sm, wide.rf);
    const outcome slow = run(tight, &of_tight, 7), fast = run(wide, &of_wide, 7);
    EXPECT_GT(of_tight.waits, 0u);
    EXPECT_EQ(0u, of_wide.waits);
    EXPECT_NE(slow.end, fast.end);
    EXPECT_GT(of_tight.freed_late, 0u);
    EXPECT_EQ(0u, slow.stats.oracle_violations);
}

TEST(Renaming, LanesThatAreNotCarriedAreFound)
{
    const smrf_config cfg = config(1, 2, 8);
    renaming::faults wrong;
    wrong.loses_lanes = true;
    machine m(cfg.sm, cfg.rf, wrong);
    EXPECT_GT(run(cfg, &m, 5, false).stats.oracle_violations, 0u);
}

TEST(Renaming, ARegisterThatIsFreedBeforeItsLastReadIsFound)
{
    // One bank and many collectors: operands wait longer than a younger result takes.
    smrf_config cfg = config(1, 1, 200);
    cfg.rf.collectors = 16;
    cfg.exec.int_latency = cfg.exec.sp_latency = 1;
    renaming::faults wrong;
    wrong.frees_early = true;
    machine right(cfg.sm, cfg.rf), early(cfg.sm, cfg.rf, wrong);
    std::vector<block> crowd(4, block(4, random_program(1)));
    for (machine *state : {&right, &early}) {
        const smrf_mechanism mechanism = renaming::mechanism<machine>();
        dut d(cfg, crowd, REGISTERS, 0, &mechanism, &state);
        d.laws = state == &right;
        d.run();
        EXPECT_EQ(state == &early, d.stats().oracle_violations > 0);
    }
}

TEST(Renaming, AMachineThatFreesNothingStopsAndIsNamed)
{
    const smrf_config cfg = config(1, 2, 8);
    renaming::faults wrong;
    wrong.never_frees = true;
    machine m(cfg.sm, cfg.rf, wrong), *state = &m;
    const smrf_mechanism mechanism = renaming::mechanism<machine>();
    dut d(cfg, blocks(1, 5), REGISTERS, 0, &mechanism, &state);
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    for (uint64_t until = 100; until <= 20000; until += 100) {
        d.advance(until);
    }
    EXPECT_EQ(SMRF_NEVER, smrf_sm_next(d.sm()));
    smrf_wait_info info;
    smrf_sm_explain(d.sm(), 0, &info);
    EXPECT_EQ(SMRF_WAIT_MECHANISM, info.wait);
}

TEST(Renaming, ADebuggerSeesARegisterWhereItLies)
{
    const smrf_config cfg = config(1, 2, 8);
    machine m(cfg.sm, cfg.rf), *state = &m;
    const smrf_mechanism mechanism = renaming::mechanism<machine>();
    program p = {alu(SMRF_CLASS_INT, {3}, {}), alu(SMRF_CLASS_INT, {3}, {}),
                 memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {4}, {}, 0x4000),
                 alu(SMRF_CLASS_INT, {5}, {4}), exit_step()};
    dut d(cfg, {{p}}, REGISTERS, 0, &mechanism, &state);
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    d.advance(100); // the load is under way
    uint32_t data[SMRF_LANES], row[SMRF_LANES];
    ASSERT_EQ(0, smrf_sm_read_register(d.sm(), 0, 3, data));
    const smrf_register_place at = machine::probe(&state, 0, 3);
    smrf_bank_row scratch;
    const smrf_bank *bank = smrf_sm_blocks(d.sm(), 0)->bank[at.bank];
    std::copy_n(smrf_bank_probe(bank, at.row, &scratch)->lane, SMRF_LANES, row);
    EXPECT_TRUE(std::equal(data, data + SMRF_LANES, row));
    EXPECT_NE(row[0], 0u);
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_sm_read_register(d.sm(), 0, 9, data)) << "never written";
}

} // namespace
