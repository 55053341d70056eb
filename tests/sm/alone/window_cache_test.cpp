// SPDX-License-Identifier: Apache-2.0
// Register caches in the Allocate stage: hits need no port, values are right on random programs and
// on compiled code, laws hold, and one warp's cycles follow the equations.
#include "tests/support/mechanism_run.h"
#include "tests/support/mechanism_state.h"
#include "tests/support/modern_sequence.h"

#include "models/window_cache/window_cache.h"

namespace
{

using namespace sm_test;

const char *const names[] = {"window-lru", "window-reuse", "window-near", "window-bow",
                             "window-rfc"};

const smrf_mechanism &mechanism(const char *name)
{
    const smrf_mechanism *m = smrf_mechanism_find(name);
    EXPECT_NE(nullptr, m) << name;
    return *m;
}

smrf_config config(const char *name, std::initializer_list<const char *> pairs,
                   const char *preset = "ga100-modern")
{
    smrf_config cfg = replay::mechanism_config(mechanism(name), preset, pairs);
    cfg.gpu.sms = 1;
    cfg.sim.check = true;
    return cfg;
}

// A run on one SM under a mechanism.
struct under {
    mechanism_state state;
    dut d;

    under(const char *name, const smrf_config &cfg, std::vector<block> blocks)
        : state(cfg, mechanism(name)),
          d(cfg, std::move(blocks), 64, 0, &mechanism(name), state.get())
    {
    }
    const smrf_window_cache_stats &own() const
    {
        return *reinterpret_cast<const smrf_window_cache_stats *>(state.get());
    }
    void expect_laws()
    {
        const smrf_mechanism &m = mechanism("window-lru"); // all have the same
        for (size_t i = 0; i < m.num_laws; i++) {
            const auto counters = reinterpret_cast<const uint64_t *>(&own());
            EXPECT_EQ(m.laws[i].left(counters, &d.stats()), m.laws[i].right(counters, &d.stats()))
                << m.laws[i].name;
        }
    }
};

// --- ports ---------------------------------------------------------------------------------------

uint64_t cycles_between_clocks(const char *name, const std::vector<std::string> &between)
{
    std::vector<std::string> lines(6, "S12 Y NOP");
    lines.emplace_back("S1 CS2R =R11");
    lines.insert(lines.end(), between.begin(), between.end());
    lines.emplace_back("S1 CS2R =R13");
    under u(name, config(name, {}), {{sequence(lines)}});
    u.d.run();
    const auto at = u.d.cycles_of(0);
    return at[at.size() - 2] - at[6];
}

// The compiler's cache gives 6 cycles for a marked operand in the same position, 7 without.
TEST(WindowCache, AHitNeedsNoPortWhateverThePosition)
{
    const char nop[] = "S1 NOP";
    const std::string plain = "S1 IADD3 =R9 R10 R5 R7", marked = "S1 IADD3 =R9 R10.r R5 R7";
    const std::string same = "S1 FFMA =R12 R10 R6 R8", other = "S1 FFMA =R12 R6 R10 R8";
    for (const std::string &reader : {same, other}) {
        EXPECT_EQ(6u, cycles_between_clocks("window-lru", {nop, plain, reader, nop}));
        EXPECT_EQ(6u, cycles_between_clocks("window-near", {nop, plain, reader, nop}));
        EXPECT_EQ(6u, cycles_between_clocks("window-bow", {nop, plain, reader, nop}));
        EXPECT_EQ(7u, cycles_between_clocks("window-rfc", {nop, plain, reader, nop}))
            << "no result";
        EXPECT_EQ(7u, cycles_between_clocks("window-reuse", {nop, plain, reader, nop}));
        EXPECT_EQ(6u, cycles_between_clocks("window-reuse", {nop, marked, reader, nop}));
    }
}

// A value stays for three instructions of its warp, whatever they read.
TEST(WindowCache, BowsWindowEndsAfterThreeInstructions)
{
    const std::string first = "S4 IADD3 =R9 R10 R5 R7", other = "S4 IADD3 =R9 R2 R3 R4",
                      again = "S4 FFMA =R12 R10 R6 R8";
    for (unsigned between = 0; between < 4; between++) {
        std::vector<std::string> lines = {first};
        lines.insert(lines.end(), between, other);
        lines.push_back(again);
        under u("window-bow", config("window-bow", {}), {{sequence(lines)}});
        u.d.run();
        const uint64_t repeats = between > 1 ? 3 * (between - 1) : 0;
        EXPECT_EQ(repeats + (between < 2), u.d.stats().cache_hits) << between;
    }
}

// A warp finds nothing of the one that had its slot before.
TEST(WindowCache, AWarpBeginsWithNothing)
{
    const program p = sequence({"S4 IADD3 =R9 R10 R5 R7"});
    for (const char *name : names) {
        smrf_config cfg = config(name, {"sm.warps=4", "sm.threads=128"});
        under u(name, cfg, std::vector<block>(9, block{p}));
        u.d.run();
        EXPECT_EQ(9u * 3, u.own().sources) << name;
        EXPECT_EQ(0u, u.own().hits) << name;
    }
}

// --- values --------------------------------------------------------------------------------------

program marked_program(smrf_rng *rng)
{
    program p = random_sequence(rng, 12);
    p.pop_back();
    for (step &s : p) {
        s.op.src_reuse = smrf_rng_below(rng, 8);
        s.near_src = smrf_rng_below(rng, 8);
        s.near_dst = uint16_t(smrf_rng_below(rng, 2));
        s.mask = smrf_rng_below(rng, 4) ? UINT32_MAX : smrf_rng_next(rng);
    }
    p.push_back(exit_step());
    return p;
}

std::vector<block> marked_blocks(uint32_t seed)
{
    return random_blocks(seed, 6, 8, marked_program);
}

TEST(WindowCache, EveryValueIsRightOnRandomPrograms)
{
    for (const char *name : names) {
        uint64_t hits = 0;
        for (uint32_t seed = 0; seed < 8; seed++) {
            const bool latency = seed % 2;
            const smrf_config cfg =
                config(name, {"sm.warps=16", "sm.threads=512", // slots of warps are used again
                              latency ? "issue.dependence=latency" : "issue.dependence=scoreboard",
                              seed % 4 < 2 ? "rf.window_order=late" : "rf.window_order=early",
                              seed % 3 ? "window_cache.entries=4" : "window_cache.entries=32"});
            SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
            under u(name, cfg, marked_blocks(seed)), awake(name, cfg, marked_blocks(seed));
            u.d.run();
            EXPECT_EQ(0u, u.d.stats().oracle_violations);
            EXPECT_EQ(0u, u.d.stats().oracle_stale_copies);
            EXPECT_GT(u.d.stats().oracle_checked, 1000u);
            u.expect_laws();
            hits += u.own().hits;
            awake.d.sleepless = true;
            awake.d.run(1);
            EXPECT_EQ(u.d.issues, awake.d.issues) << "a skipped cycle changes nothing";
            EXPECT_EQ(u.own().hits, awake.own().hits);
        }
        EXPECT_GT(hits, 500u) << name;
    }
}

TEST(WindowCache, CompiledCodeReadsNothingEarlyAndNothingStale)
{
    for (const char *trace : {"fib", "ray", "hotspot", "gemm"}) {
        const std::string path =
            std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + trace;
        for (const char *name : names) {
            SCOPED_TRACE(std::string(name) + " on " + trace);
            smrf_config cfg = config(name, {}, "turing-modern");
            cfg.gpu.sms = 2;
            const auto o =
                replay::run_mechanism<smrf_window_cache_stats>(mechanism(name), path, cfg);
            EXPECT_EQ("", o.broken);
            EXPECT_EQ(0u, o.run.stats.oracle_violations);
            EXPECT_EQ(0u, o.run.stats.oracle_stale_copies);
            EXPECT_EQ(0u, o.run.stats.early_reads);
            EXPECT_GT(o.own.sources, 0u);
        }
    }
}

// --- cycles --------------------------------------------------------------------------------------

TEST(WindowCache, IssueAndAllocateFollowTheEquations)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 12, 5);
    uint64_t hits = 0, held = 0;
    for (unsigned round = 0; round < 200; round++) {
        const std::vector<std::string> lines = random_lines(&rng, 8, false);
        const program p = sequence(lines);
        const std::string entries = "window_cache.entries=" + std::to_string(3 + round % 4);
        under u("window-lru", config("window-lru", {entries.c_str()}), {{p}});
        u.d.run();
        const auto at = u.d.cycles_of(0);
        equations expected(3 + round % 4);
        for (size_t i = 0; i + 1 < p.size(); i++) {
            ASSERT_EQ(expected.issue(p[i].op), at[i] - at[0])
                << "round " << round << ", " << lines[i] << ", instruction " << i;
        }
        hits += u.own().hits;
        held += at[at.size() - 2] - at[6] - 40;
    }
    EXPECT_GT(hits, 3000u);
    EXPECT_GT(held, 1000u) << "there are conflicts";
}

// --- where it cannot run -------------------------------------------------------------------------

TEST(WindowCache, NeedsReadStagesAndTakesThePlaceOfTheCompilersCache)
{
    const smrf_mechanism &m = mechanism("window-lru");
    smrf_config cfg = replay::preset("turing-modern");
    smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &m);
    EXPECT_STREQ("it takes the place of the compiler's register file cache: use rf.reuse_cache=off",
                 m.check(&setup));
    cfg = replay::preset("rtx2060-paper", {"rf.reuse_cache=off"});
    setup = smrf_mechanism_setup_of(&cfg, &m);
    ASSERT_NE(nullptr, m.check(&setup));
    EXPECT_NE(nullptr, std::strstr(m.check(&setup), "rf.read=window"));
}

} // namespace
