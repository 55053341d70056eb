// SPDX-License-Identifier: Apache-2.0
// A mechanism in an SM that is fed from memory, and what became of its laws.
#ifndef SMRF_TESTS_MECHANISM_BENCH_H
#define SMRF_TESTS_MECHANISM_BENCH_H

#include "mechanism_state.h"
#include "sm_dut.h"

#include <list>
#include <optional>

// machine: the mechanism's state, with its counters in `stats`.
template <typename machine> class mechanism_bench : public testing::Test
{
  protected:
    void run(const smrf_config &cfg, std::vector<sm_test::block> blocks, unsigned registers,
             const smrf_mechanism &m, bool laws = true)
    {
        mechanism = m;
        state.emplace(cfg, m);
        d = std::make_unique<sm_test::dut>(cfg, std::move(blocks), registers, 0, &mechanism,
                                           state->get());
        d->laws = laws;
        d->run();
    }
    const auto &own() const
    {
        return static_cast<const machine *>(state->get())->stats;
    }
    // Names of the laws that do not hold.
    std::string broken() const
    {
        std::string all;
        const auto counters = reinterpret_cast<const uint64_t *>(&own());
        for (size_t i = 0; i < mechanism.num_laws; i++) {
            const smrf_mechanism_law &l = mechanism.laws[i];
            if (l.left(counters, &d->stats()) != l.right(counters, &d->stats())) {
                all += l.name + std::string("; ");
            }
        }
        return all;
    }
    // The two-level scheduler of the preset, which the options may change.
    static smrf_config two_level(unsigned subcores, std::initializer_list<const char *> options)
    {
        std::vector<const char *> all = {"issue.scheduler=two_level"};
        all.insert(all.end(), options);
        smrf_config cfg;
        smrf_config_error err;
        EXPECT_EQ(0, smrf_preset_apply(&cfg, "rtx2060-paper", &err)) << err.text;
        EXPECT_EQ(0, smrf_config_set_pairs(&cfg, all.data(), all.size(), "test", &err)) << err.text;
        cfg.sm.subcores = subcores;
        cfg.sim.check = true;
        return cfg;
    }
    smrf_mechanism mechanism{};
    std::list<std::vector<smrf_inst_facts>> facts;
    std::optional<mechanism_state> state;
    std::unique_ptr<sm_test::dut> d;
};

#endif
