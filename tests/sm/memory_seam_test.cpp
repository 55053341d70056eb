// SPDX-License-Identifier: Apache-2.0
// The memory seam: loads that share a register, wait for one, or are put together from two; stores
// that forget them; and what finds each of them done wrongly.
#include "tests/support/sharing_machine.h"
#include "tests/support/sm_dut.h"

#include "models/common/smrf_rng.h"

namespace
{

using namespace sm_test;
using sharing::machine;

constexpr unsigned REGISTERS = 12, WARPS = 6;
constexpr uint64_t DATA = 0x40000;

// Loads of a few neighbouring rows of memory, whole or shifted by some lanes, uses, now and then a
// store into them.
program random_program(uint32_t seed, unsigned stores)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 5);
    program p;
    for (uint8_t reg = 0; reg < REGISTERS; reg++) {
        p.push_back(alu(SMRF_CLASS_INT, {reg}, {}));
    }
    for (unsigned n = 0; n < 120; n++) {
        const auto d = uint8_t(smrf_rng_below(&rng, REGISTERS));
        const auto a = uint8_t(smrf_rng_below(&rng, REGISTERS));
        const uint64_t row = DATA + 128 * smrf_rng_below(&rng, 5);
        const unsigned kind = smrf_rng_below(&rng, 8);
        if (kind < 3) {
            p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, {a}, row));
        } else if (kind < 4) {
            p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, {a},
                               row + 4 * smrf_rng_below(&rng, 32)));
        } else if (kind < 5 && smrf_rng_below(&rng, 4) < stores) {
            p.push_back(memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, {a, d}, row));
        } else {
            p.push_back(alu(SMRF_CLASS_INT, {d}, {a, uint8_t((a + 3) % REGISTERS)}));
        }
        if (smrf_rng_below(&rng, 4) == 0) {
            p.back().mask = smrf_rng_next(&rng) | 1;
        }
    }
    p.push_back(exit_step());
    return p;
}

smrf_config config(unsigned subcores, unsigned spare = 24)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    cfg.sm.subcores = subcores;
    cfg.sm.registers = SMRF_LANES * subcores * (2 * WARPS * REGISTERS / subcores + spare);
    cfg.sim.check = true;
    return cfg;
}

class shared_registers : public testing::Test
{
  protected:
    const smrf_sm_stats &run(const smrf_config &cfg, uint32_t seed, unsigned stores,
                             sharing::faults wrong = {}, bool right = true)
    {
        std::vector<block> blocks;
        for (unsigned b = 0; b < 2; b++) {
            block one;
            for (unsigned w = 0; w < WARPS; w++) {
                one.push_back(random_program(seed + 50 * b + w, stores));
            }
            blocks.push_back(one);
        }
        m = std::make_unique<machine>(cfg.sm, cfg.rf);
        m->fault = wrong;
        state = m.get();
        d = std::make_unique<dut>(cfg, blocks, REGISTERS, 0, &mechanism, &state);
        d->laws = right;
        d->run();
        return d->stats();
    }
    const smrf_finding &first() const
    {
        return smrf_sm_oracle(d->sm())->model.first[0];
    }
    const smrf_mechanism mechanism = sharing::mechanism();
    std::unique_ptr<machine> m;
    renaming::machine *state = nullptr;
    std::unique_ptr<dut> d;
};

TEST_F(shared_registers, HoldWhatALoadWouldHaveBrought)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        const unsigned subcores = seed % 2 ? 1 : 2;
        const smrf_sm_stats &s = run(config(subcores), 300 * seed, 1);
        EXPECT_EQ(0u, s.oracle_violations) << "seed " << seed;
        EXPECT_EQ(0u, s.oracle_wrong_shares) << "seed " << seed;
        EXPECT_GT(m->shares, 20u);
        EXPECT_GT(m->waits_for_load, 0u) << "some wait for the load that they share";
        EXPECT_EQ(m->shares, s.shared_loads);
        EXPECT_EQ(m->shares, s.shared_writes) << "and write no bank";
        EXPECT_GT(m->merges, 2u);
        EXPECT_EQ(m->merges, s.merged_loads);
        EXPECT_EQ(2 * m->merges, s.part_reads);
        EXPECT_GT(m->forgotten, 0u);
        EXPECT_EQ(0u, m->stale());
        EXPECT_GT(m->cold, 0u);
        EXPECT_GT(m->warm, 0u);
        EXPECT_TRUE(m->pinned.empty()) << "every merge's end is told";
        const auto *l = smrf_ldst_statistics(smrf_sm_ldst(d->sm()));
        EXPECT_EQ(s.warp_insts_by_class[SMRF_CLASS_LOAD],
                  l->global_loads + s.shared_loads + s.merged_loads);
        for (unsigned sub = 0; sub < subcores; sub++) { // only the table keeps any
            while (m->give_up(sub)) {
            }
            EXPECT_EQ(smrf_physical_registers(&d->config.sm), m->free[sub].size());
        }
    }
}

TEST_F(shared_registers, SaveAccessesAndTheCheckCostsNoTime)
{
    smrf_config cfg = config(1);
    run(cfg, 7, 1);
    const uint64_t requests = d->requests, end = d->ends.back();
    const uint64_t shares = m->shares;
    cfg.sim.check = false;
    run(cfg, 7, 1);
    EXPECT_EQ(end, d->ends.back());
    EXPECT_EQ(shares, m->shares);
    EXPECT_EQ(requests, d->requests);
}

TEST_F(shared_registers, OfOtherBytesAreFound)
{
    sharing::faults wrong;
    wrong.neighbour = true;
    EXPECT_GT(run(config(1), 5, 0, wrong, false).oracle_wrong_shares, 0u);
    EXPECT_EQ(SMRF_FINDING_SHARE, first().kind);
}

TEST_F(shared_registers, ThatAreShiftedWronglyAreFound)
{
    sharing::faults wrong;
    wrong.wrong_shift = true;
    EXPECT_GT(run(config(1), 5, 0, wrong, false).oracle_violations, 0u);
    EXPECT_EQ(SMRF_FINDING_OPERAND, first().kind);
}

TEST_F(shared_registers, ThatAreFreedBeforeTheirMergeAreFound)
{
    sharing::faults wrong;
    wrong.forgets_pins = true;
    unsigned found = 0;
    for (uint32_t seed = 0; seed < 6; seed++) {
        found += run(config(1, 8), 10 * seed, 0, wrong, false).oracle_violations > 0;
    }
    EXPECT_GT(found, 0u);
}

TEST_F(shared_registers, WhoseOtherLanesLiveOnAreFound)
{
    sharing::faults wrong;
    wrong.takes_lanes = true;
    EXPECT_GT(run(config(1), 5, 0, wrong, false).oracle_violations, 0u);
}

TEST_F(shared_registers, ThatOutliveAStoreAreFoundByTheFootprints)
{
    sharing::faults wrong;
    wrong.ignores_stores = true;
    run(config(1), 5, 2, wrong);
    EXPECT_GT(m->stale(), 0u);
    run(config(1), 5, 2);
    EXPECT_EQ(0u, m->stale());
}

// --- times
// --------------------------------------------------------------------------------------------

step load(uint8_t reg, uint64_t address)
{
    return memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {reg}, {}, address);
}

uint64_t use_of(machine *m, const smrf_mechanism &mechanism, const program &p)
{
    const smrf_config cfg = config(1);
    renaming::machine *state = m;
    dut d(cfg, {{p}}, REGISTERS, 0, &mechanism, &state);
    d.run();
    const std::vector<uint64_t> at = d.cycles_of(0);
    return at[p.size() - 2] - at[p.size() - 3]; // from the last load to its use
}

TEST_F(shared_registers, TakeTheCyclesThatTheMechanismSays)
{
    const smrf_config cfg = config(1);
    machine sharer(cfg.sm, cfg.rf), merger(cfg.sm, cfg.rf);
    const program again = {load(1, DATA), alu(SMRF_CLASS_INT, {2}, {1}), load(3, DATA),
                           alu(SMRF_CLASS_INT, {4}, {3}), exit_step()};
    const program between = {
        load(1, DATA),      load(2, DATA + 128),           alu(SMRF_CLASS_INT, {5}, {1, 2}),
        load(3, DATA + 40), alu(SMRF_CLASS_INT, {4}, {3}), exit_step()};
    const uint64_t shared = use_of(&sharer, mechanism, again);
    const uint64_t merged = use_of(&merger, mechanism, between);
    ASSERT_EQ(1u, sharer.shares);
    ASSERT_EQ(1u, merger.merges);
    EXPECT_LT(shared, 12u) << "no memory";
    // l1d.latency, then two reads of banks, merge_cycles and the latch before write-back
    EXPECT_GT(merged, shared + cfg.l1d.latency);
    EXPECT_LT(merged, shared + cfg.l1d.latency + 20);
}

} // namespace
