// SPDX-License-Identifier: Apache-2.0
// The rules by which a shared register is given up, broken one by one on whole programs of the
// suite: the value oracle alone must tell.
#include "models/larf/larf.h"
#include "tests/support/mechanism_run.h"
#include "tests/support/platform_files.h"

using namespace smrf_test;

namespace
{

// A store has arrived, and nothing becomes of it.
void arrived_only(void *m, const smrf_memory_request *r)
{
    smrf_larf_ahead_arrived(static_cast<smrf_larf *>(m), r->f->version);
}

// Only atomics are overlooked.
void atomics_overlooked(void *m, const smrf_memory_request *r)
{
    const bool atomic = r->f->op->op_class == SMRF_CLASS_ATOMIC;
    (atomic ? arrived_only : smrf_larf_memory_seam.store)(m, r);
}

struct broken_rule {
    const char *program;
    void (*store)(void *, const smrf_memory_request *);
    bool fence;
};

class larf_rules : public ::testing::TestWithParam<broken_rule>
{
};

TEST_P(larf_rules, ARuleLeftOutIsFoundByValues)
{
    const broken_rule &rule = GetParam();
    temporary_folder folder;
    const std::string trace = trace_with_values(folder, rule.program);
    ASSERT_NE("", trace);

    smrf_memory_seam seam = smrf_larf_memory_seam;
    smrf_mechanism mutant = smrf_larf_mechanism;
    mutant.memory = &seam;
    const smrf_config cfg = replay::mechanism_config(mutant, "larf-paper", {"sim.check=on"});
    replay::options opt;
    opt.mechanism = &mutant;
    const replay::result right = replay::run(trace, cfg, opt);
    EXPECT_EQ(0u, right.stats.oracle_wrong_shares);

    seam.store = rule.store;
    seam.fence = rule.fence ? nullptr : seam.fence;
    opt.laws = false;
    const replay::result wrong = replay::run(trace, cfg, opt);
    EXPECT_GT(wrong.stats.oracle_wrong_shares, 0u);
}

const broken_rule rules[] = {
    {"meets_own", arrived_only, false},
    {"meets_synced", arrived_only, false},
    {"meets_atomic", atomics_overlooked, false},
    {"meets_remote", smrf_larf_memory_seam.store, true},
};

INSTANTIATE_TEST_SUITE_P(Programs, larf_rules, testing::ValuesIn(rules),
                         [](const auto &rule) { return std::string(rule.param.program); });

} // namespace
