// SPDX-License-Identifier: Apache-2.0
// The virtual register file: every value where it belongs, registers that come back, and throttling
// that cannot deadlock.
#include "tests/support/known_program.h"
#include "tests/support/mechanism_state.h"
#include "tests/support/random_warps.h"

#include "models/larf/larf.h"

namespace
{

using namespace sm_test;

constexpr unsigned REGISTERS = 16; // of a thread, of which programs name the first 14

std::vector<block> random_blocks(unsigned count, unsigned warps, uint32_t seed,
                                 bool barriers = false)
{
    static const random_warps::shape shape = {14, 120, 9, 5, 8, false};
    return random_warps::blocks(shape, count, warps, seed, barriers);
}

smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
{
    smrf_config cfg = replay::preset("rtx2060-paper", options);
    cfg.sm.subcores = subcores;
    cfg.rf.swizzle = 0;
    cfg.sim.check = true;
    return cfg;
}

class virtual_rf : public testing::Test
{
  protected:
    // Returns whether it came to its end.
    bool run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &mechanism = smrf_virtual_rf, uint64_t limit = 0)
    {
        known_program::tell(blocks, facts);
        const size_t count = blocks.size();
        state.emplace(cfg, mechanism);
        d = std::make_unique<dut>(cfg, std::move(blocks), REGISTERS, 0, &mechanism, state->get());
        d->laws = limit == 0;
        if (limit == 0) {
            d->run();
            return true;
        }
        smrf_sm_begin_kernel(d->sm(), &d->kernel, 0);
        for (uint64_t until = 100; until <= limit && d->done < count; until += 100) {
            d->advance(until);
        }
        return d->done == count;
    }
    const smrf_vrf &file() const
    {
        return *static_cast<const smrf_vrf *>(state->get());
    }
    void expect_all_back() const
    {
        const smrf_vrf_stats &s = file().stats;
        EXPECT_EQ(s.allocated, s.freed);
        EXPECT_EQ(s.named, s.unnamed);
        EXPECT_EQ(0u, file().in_use);
        EXPECT_EQ(0u, s.faults_freed);
        EXPECT_EQ(0u, s.faults_names);
        for (unsigned sub = 0; sub < file().sm.subcores; sub++) {
            EXPECT_EQ(file().physical, file().sub[sub].free);
            EXPECT_EQ(0u, file().sub[sub].dying);
        }
    }
    std::list<std::vector<smrf_inst_facts>> facts;
    std::optional<mechanism_state> state;
    std::unique_ptr<dut> d;
};

TEST_F(virtual_rf, KeepsEveryValueAndTakesEveryRegisterBack)
{
    static const char *const options[] = {"larf.release=death",   "larf.release=exit",
                                          "larf.allocate=lookup", "larf.bank=turn",
                                          "larf.bank=fullest",    "larf.overwrite=new"};
    for (uint32_t seed = 0; seed < 18; seed++) {
        smrf_config cfg = config(1u << seed % 3, {options[seed % 6]});
        cfg.rf.banks = 1 + seed % 5;
        run(cfg, random_blocks(4, 6, 1000 * seed));
        EXPECT_EQ(0u, d->stats().oracle_violations) << "seed " << seed;
        EXPECT_GT(d->stats().oracle_checked, 1000u);
        EXPECT_GT(file().stats.overwritten, 0u);
        EXPECT_EQ(seed % 6 == 1, file().stats.released == 0);
        expect_all_back();
    }
}

TEST_F(virtual_rf, TakesFewerRegistersThanAreSetAsideWithoutIt)
{
    run(config(1), random_blocks(2, 4, 3));
    const smrf_vrf_stats at_death = file().stats;
    run(config(1, {"larf.release=exit"}), random_blocks(2, 4, 3));
    EXPECT_EQ(2u * 4 * REGISTERS, at_death.peak_demand);
    EXPECT_LT(at_death.peak_registers, file().stats.peak_registers);
    EXPECT_LE(file().stats.peak_registers, at_death.peak_demand);
}

// The file holds one block and a little more; four are resident, and their warps wait for each
// other.
smrf_config short_file(unsigned subcores)
{
    smrf_config cfg = config(subcores, {"larf.extra_blocks=3"});
    cfg.sm.registers = SMRF_LANES * (4 * REGISTERS + 16);
    return cfg;
}

TEST_F(virtual_rf, ShortOfRegistersItThrottlesAndEnds)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        smrf_config cfg = short_file(1 + seed % 2);
        cfg.issue.scheduler = seed % 3 == 2 ? SMRF_SCHED_TWO_LEVEL : SMRF_SCHED_GTO;
        ASSERT_TRUE(run(cfg, random_blocks(8, 4, 77 * seed, true), smrf_virtual_rf, 200000))
            << seed;
        EXPECT_GT(d->most_resident, 1u);
        EXPECT_GT(file().stats.throttled, 0u) << seed;
        EXPECT_EQ(0u, d->stats().oracle_violations) << seed;
        EXPECT_LE(file().stats.peak_registers, file().physical * cfg.sm.subcores);
        EXPECT_GT(file().stats.peak_demand, file().physical * cfg.sm.subcores);
        expect_all_back();
    }
}

// The same without the rule: whoever finds a free register gets it.
bool greedy(void *m, unsigned warp, const smrf_inst *inst)
{
    auto *v = static_cast<smrf_vrf *>(m);
    const smrf_vrf_block oldest = v->block[v->order[0]];
    memset(v->block[v->order[0]].need, 0, sizeof oldest.need);
    const bool ready = smrf_vrf_ready(v, warp, inst);
    v->block[v->order[0]] = oldest;
    return ready;
}

TEST_F(virtual_rf, WithoutTheRuleItWouldStandStill)
{
    smrf_rename_seam rename = *smrf_virtual_rf.rename;
    rename.ready = greedy;
    smrf_mechanism mechanism = smrf_virtual_rf;
    mechanism.rename = &rename;
    // Only the end of a warp gives registers back: every block holds some, and none gets all.
    smrf_config cfg = short_file(1);
    cfg.issue.scheduler = SMRF_SCHED_LRR;
    reinterpret_cast<smrf_larf_params *>(smrf_config_options(&cfg, &smrf_virtual_rf))->release =
        SMRF_LARF_RELEASE_OVERWRITE;
    EXPECT_FALSE(run(cfg, random_blocks(4, 4, 5, true), mechanism, 100000));
    EXPECT_TRUE(run(cfg, random_blocks(4, 4, 5, true), smrf_virtual_rf, 100000));
}

TEST_F(virtual_rf, ABlockThatTheFileCannotHoldFitsNoMachine)
{
    const smrf_config cfg = config(1, {"larf.file_bytes=8K"});
    state.emplace(cfg, smrf_virtual_rf);
    dut whole(cfg, random_blocks(1, 4, 1), REGISTERS, 0, &smrf_virtual_rf, state->get());
    EXPECT_LT(0u, smrf_sm_fit(whole.sm(), &whole.kernel, nullptr)) << "4 x 16 of 64 registers";
    whole.kernel.warps_per_block = 5;
    const char *limit = nullptr;
    EXPECT_EQ(0u, smrf_sm_fit(whole.sm(), &whole.kernel, &limit));
    EXPECT_STREQ("sm.registers", limit);
}

// --- seeded faults
// ------------------------------------------------------------------------------------

// A register is given away while an instruction has still to read it.
void freed_under_a_reader(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    auto *v = static_cast<smrf_vrf *>(m);
    const smrf_services own = v->services;
    v->services.readers = [](void *, unsigned, smrf_register_place) { return 0u; };
    smrf_vrf_issued(v, f, inst);
    v->services = own;
}

TEST_F(virtual_rf, FreedUnderAReaderIsFound)
{
    smrf_rename_seam rename = *smrf_virtual_rf.rename;
    rename.issued = freed_under_a_reader;
    smrf_mechanism mechanism = smrf_virtual_rf;
    mechanism.rename = &rename;
    run(config(1), random_blocks(2, 4, 5), mechanism, 100000);
    EXPECT_GT(file().stats.faults_freed, 0u);
}

// A register that lives on is taken for dead.
void dies_early(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    smrf_inst wrong = *inst;
    smrf_inst_facts none{};
    wrong.facts = f->number % 7 ? inst->facts : &none;
    smrf_vrf_issued(static_cast<smrf_vrf *>(m), f, &wrong);
}

TEST_F(virtual_rf, AValueThatDiesEarlyIsFound)
{
    smrf_rename_seam rename = *smrf_virtual_rf.rename;
    rename.issued = dies_early;
    smrf_mechanism mechanism = smrf_virtual_rf;
    mechanism.rename = &rename;
    run(config(1), random_blocks(2, 4, 5), mechanism, 100000);
    EXPECT_GT(d->stats().oracle_violations, 0u);
}

} // namespace
