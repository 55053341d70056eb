// SPDX-License-Identifier: Apache-2.0
// Rules of the register stacks, broken one by one on whole programs of the suite: the value oracle
// alone must tell.
#include "models/cars/cars.h"
#include "tests/support/mechanism_run.h"
#include "tests/support/platform_files.h"

using namespace smrf_test;

namespace
{

using counters = smrf_cars_stats;

// A function that may read a register before it writes it gets no copy of the caller's value.
uint32_t without_copies(void *state, unsigned warp, const smrf_inst *inst, const smrf_simt_out *out)
{
    auto *m = static_cast<smrf_cars *>(state);
    for (uint32_t f = 0; m->program && f < m->program->num_functions; f++) {
        auto &read = const_cast<smrf_program_set &>(m->program->function[f].read_first);
        memset(&read, 0, sizeof read);
    }
    return smrf_cars_line(m, warp, inst, out);
}

// A frame's registers are given away when the first lanes return.
uint32_t freed_at_first_return(void *state, unsigned warp, const smrf_inst *inst,
                               const smrf_simt_out *out)
{
    auto *m = static_cast<smrf_cars *>(state);
    smrf_cars_stack &stack = m->warp[warp].stack;
    const bool returns = out->events & SMRF_SIMT_RETURN;
    const int left = returns ? smrf_cars_frame_of(&stack, inst->mask) : SMRF_CARS_KERNEL;
    const uint32_t cycles = smrf_cars_line(m, warp, inst, out);
    if (left >= 0 && left < stack.depth) {
        stack.frame[left].size = 0;
    }
    return cycles;
}

struct broken_rule {
    const char *name, *program;
    uint32_t (*line)(void *, unsigned, const smrf_inst *, const smrf_simt_out *);
};

class cars_rules : public ::testing::TestWithParam<broken_rule>
{
};

TEST_P(cars_rules, ARuleLeftOutIsFound)
{
    const broken_rule &rule = GetParam();
    temporary_folder folder;
    const std::string trace = trace_with_values(folder, rule.program);
    ASSERT_NE("", trace);

    smrf_mechanism mutant = *smrf_mechanism_find("cars-high");
    smrf_control_seam control = *mutant.control;
    const smrf_config cfg = replay::mechanism_config(mutant, "cars-paper", {"gpu.sms=2"});
    replay::options opt;
    const auto right = replay::run_mechanism<counters>(mutant, trace, cfg, opt);
    EXPECT_EQ(0u, right.run.stats.oracle_violations + right.run.stats.oracle_unrestored);
    EXPECT_EQ("", right.broken);
    EXPECT_GT(right.own.calls, 0u);

    control.line = rule.line;
    mutant.control = &control;
    opt.laws = false;
    const auto wrong = replay::run_mechanism<counters>(mutant, trace, cfg, opt);
    EXPECT_GT(wrong.run.stats.oracle_violations + wrong.run.stats.oracle_unrestored, 0u);
}

const broken_rule rules[] = {
    {"copies", "keeps", without_copies},
    {"freed", "fib", freed_at_first_return},
};

INSTANTIATE_TEST_SUITE_P(Programs, cars_rules, testing::ValuesIn(rules),
                         [](const auto &rule) { return std::string(rule.param.name); });

} // namespace
