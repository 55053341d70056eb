// SPDX-License-Identifier: Apache-2.0
// An SM that shares loaded registers, fed from memory, with what its programs' analysis would tell.
#ifndef SMRF_TESTS_LARF_RUN_H
#define SMRF_TESTS_LARF_RUN_H

#include "known_program.h"
#include "mechanism_state.h"

#include "models/larf/larf.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace sm_test
{

constexpr unsigned REGISTERS = 24;
constexpr uint64_t DATA = 0x400000;

inline smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
{
    smrf_config cfg = replay::preset("rtx2060-paper", options);
    cfg.sm.subcores = subcores;
    cfg.rf.swizzle = 0;
    cfg.rf.collectors = 4;
    cfg.l1d.unified_bytes = 0; /* so small that it often misses what registers hold */
    cfg.l1d.sets = 2;
    cfg.l1d.ways = 2;
    cfg.sim.check = true;
    return cfg;
}

class larf_run : public testing::Test
{
  protected:
    void run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &mechanism = smrf_larf_mechanism, bool right = true)
    {
        known_program::tell(blocks, facts);
        const size_t count = blocks.size();
        state.emplace(cfg, mechanism);
        d = std::make_unique<dut>(cfg, std::move(blocks), REGISTERS, 0, &mechanism, state->get());
        smrf_sm_begin_kernel(d->sm(), &d->kernel, 0);
        for (uint64_t until = 100; d->done < count; until += 100) {
            ASSERT_LT(until, 1000000u) << "no end";
            d->advance(until);
            compare();
        }
        if (right) {
            replay::expect_laws(d->stats(), cfg);
            expect_own_laws(mechanism);
        }
    }
    // As at an edge of time.
    void compare()
    {
        smrf_larf *l = self();
        const smrf_larf_view view = {l->log, &l->table, &l->stats.stale_local,
                                     &l->stats.stale_remote};
        smrf_larf_compare(&view, 1);
    }
    void expect_own_laws(const smrf_mechanism &mechanism)
    {
        const uint64_t *own = mechanism.counters(self());
        for (size_t i = 0; i < mechanism.num_laws; i++) {
            const smrf_mechanism_law &law = mechanism.laws[i];
            EXPECT_EQ(law.left(own, &d->stats()), law.right(own, &d->stats())) << law.name;
        }
    }
    smrf_larf *self()
    {
        return static_cast<smrf_larf *>(state->get());
    }
    std::list<std::vector<smrf_inst_facts>> facts;
    std::optional<mechanism_state> state;
    std::unique_ptr<dut> d;
};

} // namespace sm_test

#endif
