// SPDX-License-Identifier: Apache-2.0
// The write seam: results that a mechanism alone takes, and evicts to the banks later; and what
// finds it done wrongly.
#include "tests/support/keeping_machine.h"
#include "tests/support/sm_dut.h"

#include "models/common/smrf_rng.h"

namespace
{

using namespace sm_test;
using keeping::machine;

program random_program(uint32_t seed)
{
    static const smrf_class classes[] = {SMRF_CLASS_INT, SMRF_CLASS_SP, SMRF_CLASS_SFU};
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 3);
    program p;
    for (unsigned n = 0; n < 200; n++) {
        const auto d = uint8_t(smrf_rng_below(&rng, 8)), a = uint8_t(smrf_rng_below(&rng, 8));
        step s = smrf_rng_below(&rng, 6) == 0
                     ? memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, {a}, 0x4000 + 128 * n)
                     : alu(classes[smrf_rng_below(&rng, 3)], {d}, {a, uint8_t((a + 3) % 8)});
        s.mask = smrf_rng_below(&rng, 3) ? UINT32_MAX : smrf_rng_next(&rng) | 1;
        p.push_back(s);
    }
    p.push_back(exit_step());
    return p;
}

class kept_results : public testing::Test
{
  protected:
    const smrf_sm_stats &run(const smrf_config &cfg, uint32_t seed, keeping::faults wrong = {},
                             bool right = true)
    {
        std::vector<block> blocks;
        for (unsigned b = 0; b < 6; b++) {
            blocks.push_back({random_program(seed + b), random_program(seed + b + 90)});
        }
        *m = machine{};
        m->wrong = wrong;
        d = std::make_unique<dut>(cfg, blocks, 64, 0, &mechanism, &m);
        d->laws = right;
        d->run();
        return d->stats();
    }
    const smrf_mechanism mechanism = keeping::mechanism();
    std::unique_ptr<machine> own = std::make_unique<machine>();
    machine *m = own.get();
    std::unique_ptr<dut> d;
};

smrf_config config(unsigned banks, unsigned steps, bool sectors = false)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    cfg.rf.banks = banks;
    cfg.rf.steps = steps;
    cfg.rf.write_per_sector = sectors;
    cfg.sim.check = true;
    return cfg;
}

TEST_F(kept_results, AreReadFromTheirEntriesAndThenFromTheirBanks)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        const smrf_sm_stats &s =
            run(config(1 + seed % 4, 1 + seed % 2, seed % 3 == 0), 1000 * seed);
        EXPECT_EQ(0u, s.oracle_violations) << "seed " << seed;
        EXPECT_GT(s.oracle_checked, 1000u);
        EXPECT_EQ(m->hits, s.cache_hits);
        EXPECT_GT(m->hits, 100u);
        EXPECT_GT(s.copy_writes, 100u);
        EXPECT_LE(s.copy_writes, m->kept) << "a load's sectors come one after the other";
        EXPECT_GT(s.evictions, 20u);
        EXPECT_EQ(m->evicted, s.evictions);
    }
}

TEST_F(kept_results, TakeNoPortAndTheCheckCostsNoTime)
{
    smrf_config cfg = config(1, 1);
    const smrf_sm_stats base = run(cfg, 3);
    const uint64_t end = d->ends.back();
    EXPECT_LT(base.bank_writes, base.operand_writes);
    cfg.sim.check = false;
    const smrf_sm_stats &same = run(cfg, 3);
    EXPECT_EQ(end, d->ends.back());
    EXPECT_EQ(base.bank_writes, same.bank_writes);
}

TEST_F(kept_results, EvictionsQueueForTheirBanksPort)
{
    smrf_config cfg = config(1, 1); // one bank: every eviction finds others there
    const smrf_sm_stats &s = run(cfg, 3);
    EXPECT_GT(s.evictions, 0u);
    EXPECT_GT(s.write_conflicts, 0u) << "results wait behind them, in order";
}

TEST_F(kept_results, ThatAreForgottenBeforeTheirBankHasThemAreFound)
{
    keeping::faults wrong;
    wrong.forgets_early = true;
    EXPECT_GT(run(config(2, 1), 3, wrong, false).oracle_violations, 0u);
}

TEST_F(kept_results, WhoseOtherLanesAreLostAreFound)
{
    keeping::faults wrong;
    wrong.loses_lanes = true;
    EXPECT_GT(run(config(2, 1), 3, wrong, false).oracle_violations, 0u);
}

TEST_F(kept_results, ThatNeverReachTheirBanksAreFound)
{
    keeping::faults wrong;
    wrong.never_evicts = true;
    EXPECT_GT(run(config(2, 1), 3, wrong, false).oracle_violations, 0u);
}

} // namespace
