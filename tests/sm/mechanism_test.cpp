// SPDX-License-Identifier: Apache-2.0
// A mechanism from outside the registry plugs into the seams: the README's example.
#include "../examples/last_result.h"
#include "../support/replay.h"
#include "platform/config/registry.h"

namespace
{

replay::result run_on(const smrf_mechanism &mechanism, const char *preset, const char *trace,
                      bool laws = true)
{
    replay::options opt;
    opt.mechanism = &mechanism;
    opt.laws = laws;
    return replay::run(std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + trace,
                       replay::preset(preset), opt);
}

TEST(Mechanism, ServesOperandsFromItsOwnStorageAndSavesBankReads)
{
    for (const char *trace : {"matmul", "divergent"}) {
        for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
            SCOPED_TRACE(std::string(trace) + " on " + preset);
            replay::result base = run_on(*smrf_mechanism_find("baseline"), preset, trace);
            replay::result with = run_on(last_result, preset, trace);
            EXPECT_EQ(0u, base.stats.cache_hits);
            EXPECT_GT(with.stats.cache_hits, 0u);
            EXPECT_EQ(base.stats.operand_reads, with.stats.operand_reads);
            EXPECT_EQ(base.stats.bank_reads, with.stats.bank_reads + with.stats.cache_hits);
            EXPECT_EQ(base.stats.operand_writes, with.stats.operand_writes);
            EXPECT_EQ(with.stats.operand_reads > 0, with.stats.oracle_checked > 0);
        }
    }
}

TEST(Mechanism, ThatHandsOutAStaleValueIsFoundByTheValueOracle)
{
    replay::options opt;
    opt.mechanism = &stale_result;
    opt.laws = false;
    bool asked = false;
    opt.end = [&](const smrf_machine *m) {
        for (uint32_t i = 0; i < m->cfg->gpu.sms && !asked; i++) {
            const smrf_oracle *o = smrf_sm_oracle(m->sm[i]);
            for (uint32_t n = 0; n < o->model.count; n++) {
                const smrf_finding &f = o->model.first[n];
                asked = true;
                EXPECT_EQ(SMRF_FINDING_OPERAND, f.kind);
                EXPECT_TRUE(f.cached) << "handed out by the mechanism";
                EXPECT_LT(f.found.version, f.expected.version) << "stale";
                EXPECT_EQ(i, f.sm);
                EXPECT_NE(0u, f.pc);
            }
        }
    };
    replay::result r =
        replay::run(std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/matmul",
                    replay::preset("rtx2060-paper"), opt);
    EXPECT_GT(r.stats.cache_hits, 0u);
    EXPECT_GT(r.stats.oracle_violations, 0u);
    EXPECT_TRUE(asked);
}

} // namespace
