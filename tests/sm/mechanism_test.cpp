// SPDX-License-Identifier: Apache-2.0
// Mechanisms from outside the tree of models plug into the seams: docs/write-a-mechanism.md's
// examples.
#include "../examples/last_result.h"
#include "../examples/prefetch.h"
#include "../examples/repeated_load.h"
#include "../support/mechanism_run.h"
#include "../support/sm_dut.h"
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

// Loads of a few rows again and again, uses of them, and writes that leave lanes alone.
sm_test::program repeated_loads()
{
    using namespace sm_test;
    program p;
    for (unsigned n = 0; n < 60; n++) {
        const auto a = uint8_t(2 + n % 5), b = uint8_t(2 + (n + 2) % 5);
        const uint64_t row = 0x8000 + 128 * (n / 4 % 3);
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {a}, {}, row));
        p.push_back(alu(SMRF_CLASS_INT, {10}, {a}));
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {b}, {}, row));
        p.push_back(alu(SMRF_CLASS_INT, {11}, {a, b}));
        p.push_back(alu(SMRF_CLASS_INT, {n % 2 ? a : b}, {10}));
        p.back().mask = n % 3 ? UINT32_MAX : 0xffff;
        p.push_back(alu(SMRF_CLASS_INT, {12}, {a, b}));
        if (n % 7 == 0) {
            p.push_back(memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, {a, b}, row));
        }
    }
    p.push_back(exit_step());
    return p;
}

replay::result repeated(const smrf_mechanism &m, const char *preset, bool laws = true)
{
    smrf_config cfg = replay::preset(preset, {"gpu.sms=1", "sim.check=1"});
    const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &m);
    std::vector<uint64_t> state(m.bytes ? m.bytes(&setup) / 8 + 1 : 0);
    if (m.init) {
        EXPECT_EQ(0, m.init(state.data(), &setup, 0));
    }
    const sm_test::program p = repeated_loads();
    sm_test::dut d(cfg, {{p, p, p}}, 64, 0, &m, state.data());
    d.laws = laws;
    d.run();
    replay::result r;
    r.stats = d.stats();
    r.ldst = *smrf_ldst_statistics(smrf_sm_ldst(d.sm()));
    return r;
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

// Loads of the same two rows again and again, with writes of either register between them.
TEST(Mechanism, SharesTheRegisterOfARepeatedLoad)
{
    for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
        const replay::result base = repeated(*smrf_mechanism_find("baseline"), preset);
        const replay::result with = repeated(repeated_load, preset);
        EXPECT_GT(with.stats.shared_loads, 0u);
        EXPECT_GT(with.stats.merge_reads, 0u) << "lanes that a write leaves alone";
        EXPECT_EQ(base.ldst.global_loads, with.ldst.global_loads + with.stats.shared_loads);
        EXPECT_EQ(with.stats.shared_writes, with.stats.shared_loads) << "no bank is written";
        EXPECT_GT(with.stats.oracle_checked, 0u);
        EXPECT_GT(repeated(careless_load, preset, false).stats.oracle_violations, 0u);
    }
}

TEST(Mechanism, OfAnotherFamilyHasItsOptionsCountersAndLaws)
{
    ASSERT_EQ(SMRF_OK, smrf_family_add(&prefetch_family));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_family_add(&prefetch_family)) << "its name is taken now";
    const smrf_mechanism *m = smrf_mechanism_find("prefetch");
    const smrf_mechanism *silent = smrf_mechanism_find("prefetch-silent");
    ASSERT_NE(nullptr, m);
    ASSERT_NE(nullptr, silent);
    const std::string matmul =
        std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/matmul";
    struct counters {
        uint64_t prefetches, done;
    };
    uint64_t injected[3];
    for (unsigned lines = 0; lines < 3; lines++) {
        const std::string pair = "prefetch.lines=" + std::to_string(lines);
        const smrf_config cfg = replay::mechanism_config(*m, "rtx2060-paper", {pair.c_str()});
        const auto o = replay::run_mechanism<counters>(*m, matmul, cfg);
        EXPECT_EQ("", o.broken);
        EXPECT_EQ(o.own.prefetches, o.run.stats.injected_insts);
        injected[lines] = o.run.stats.injected_insts;
    }
    EXPECT_EQ(0u, injected[0]);
    EXPECT_GT(injected[1], 0u);
    EXPECT_EQ(2 * injected[1], injected[2]);
    const auto wrong = replay::run_mechanism<counters>(
        *silent, matmul, replay::mechanism_config(*silent, "rtx2060-paper"));
    EXPECT_EQ("prefetches; ", wrong.broken);
    smrf_config cfg;
    smrf_config_error err;
    ASSERT_EQ(0, smrf_preset_apply(&cfg, "rtx2060-paper", &err));
    const char *const bad[] = {"prefetch.lines=5"};
    EXPECT_NE(0, smrf_config_set_pairs(&cfg, bad, 1, "test", &err));
    EXPECT_NE(nullptr, std::strstr(err.text, "prefetch.lines")) << err.text;
}

} // namespace
