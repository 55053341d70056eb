// SPDX-License-Identifier: Apache-2.0
// Mechanisms at the register seams over whole traces: with sockets between the blocks, each under a
// protocol monitor, the same cycles and counters as with plain calls, and every value right.
#include "tests/support/engine_outcome.h"
#include "tests/support/keeping_machine.h"
#include "tests/support/sharing_machine.h"

using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::source_folder;

namespace
{

outcome both(const smrf_mechanism &m, const char *trace, const char *machine)
{
    const std::string path = source_folder() + "/traces/bundled/" + trace;
    smrf_config cfg = preset(machine, {"sim.check=1", "gpu.sms=2"});
    engine_outcome::run_options options;
    options.mechanism = &m;
    const outcome plain = engine_outcome::run(smrf_engine_direct, path, cfg, options);
    cfg.sim.monitor = 1;
    const outcome sockets = engine_outcome::run_in_child(smrf_engine_systemc, path, cfg, options);
    expect_complete(plain);
    expect_complete(sockets);
    EXPECT_EQ("", engine_outcome::difference(plain, sockets)) << trace << " on " << machine;
    EXPECT_EQ(0u, sockets.violations);
    EXPECT_EQ(0u, plain.sum().sm.oracle_violations + plain.sum().sm.oracle_wrong_shares);
    EXPECT_GT(plain.sum().sm.oracle_checked, 500u);
    return plain;
}

class through_sockets : public testing::TestWithParam<std::tuple<const char *, const char *>>
{
};

TEST_P(through_sockets, RenamingIsTheSame)
{
    const auto [trace, machine] = GetParam();
    const smrf_counters c = both(renaming::mechanism<renaming::machine>(), trace, machine).sum();
    EXPECT_EQ(trace != std::string("matmul"), c.sm.merge_reads > 0) << "lanes are carried";
}

TEST_P(through_sockets, SharingIsTheSame)
{
    const auto [trace, machine] = GetParam();
    const smrf_counters c = both(sharing::mechanism(), trace, machine).sum();
    EXPECT_EQ(c.sm.shared_loads, c.sm.shared_writes);
    EXPECT_EQ(2 * c.sm.merged_loads, c.sm.part_reads);
}

TEST_P(through_sockets, KeepingResultsIsTheSame)
{
    const auto [trace, machine] = GetParam();
    const smrf_counters c = both(keeping::mechanism(), trace, machine).sum();
    EXPECT_GT(c.sm.copy_writes, 0u);
    EXPECT_GT(c.sm.evictions, 0u);
    EXPECT_GT(c.sm.cache_hits, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seams, through_sockets,
                         testing::Combine(testing::Values("matmul", "hotspot", "divergent"),
                                          testing::Values("rtx2060-paper", "qv100-accelsim")));

} // namespace
