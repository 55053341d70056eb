// SPDX-License-Identifier: Apache-2.0
// What the sockets inside the SMs carry: every result states how many transactions of each kind
// were sent, and these are what the instructions imply. A wire that no transaction stands for, or
// that is taken twice, breaks an equation here.
#include "platform/counters/counters.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/pattern_trace.h"

using engine_outcome::preset;
using engine_outcome::source_folder;
using smrf_test::temporary_folder;

namespace
{

struct sent {
    uint64_t of[SMRF_PORT_KINDS] = {};
    smrf_counters counted{};
    uint64_t operator[](smrf_port_kind kind) const
    {
        return of[kind];
    }
};

#define OF(kind) of[SMRF_PORT_KIND_##kind]

// A whole replay over an engine. One a process over SystemC, or built before the first run.
sent replay(const smrf_engine_ops &ops, const smrf_config &cfg, const char *mechanism,
            const std::string &path)
{
    sent s;
    smrf_engine *engine = nullptr;
    smrf_trace *trace = nullptr;
    smrf_gpu_hooks hooks{};
    char text[256] = "";
    EXPECT_EQ(SMRF_OK,
              ops.create(&engine, &cfg, smrf_mechanism_find(mechanism), &hooks, text, sizeof text))
        << text;
    EXPECT_EQ(0, smrf_trace_open(&trace, path.c_str(), nullptr));
    EXPECT_EQ(0, ops.load(engine, trace));
    EXPECT_EQ(SMRF_RUN_FINISHED, ops.run(engine, SMRF_NEVER)) << ops.error(engine);
    const smrf_machine *m = ops.counted(engine);
    std::copy(m->transactions, m->transactions + SMRF_PORT_KINDS, s.of);
    smrf_counters_collect(&s.counted, m);
    EXPECT_EQ(0u, m->payloads_in_use);
    smrf_trace_close(trace);
    ops.destroy(engine);
    return s;
}

smrf_config machine(const char *base, const char *mechanism)
{
    const smrf_mechanism *m = smrf_mechanism_find(mechanism);
    std::vector<const char *> pairs;
    for (size_t i = 0; m->defaults && m->defaults[i]; i++) {
        pairs.push_back(m->defaults[i]);
    }
    pairs.push_back("gpu.sms=2");
    return preset(base, pairs);
}

// Equations between what was sent and what the blocks counted.
void expect_conserved(const sent &s)
{
    const smrf_sm_stats &c = s.counted.sm;
    const auto &of = s.of;
    // An instruction enters a collector, leaves it for its latch, which is free again when its unit
    // has taken it, and ends.
    EXPECT_GT(OF(instruction), 0u);
    EXPECT_EQ(OF(dispatch), OF(instruction) + OF(merge));
    EXPECT_EQ(OF(drained), OF(dispatch));
    EXPECT_EQ(OF(settled) + OF(retired), c.completed);
    EXPECT_LE(OF(access), OF(instruction));
    // Operands: one request an instruction, a grant at least for each, a read for each source.
    EXPECT_LE(OF(request), OF(instruction) + OF(merge));
    EXPECT_GE(OF(grant), OF(request));
    EXPECT_LE(OF(grant), OF(read));
    EXPECT_EQ(OF(read), c.bank_reads);
    EXPECT_EQ(OF(read), s.counted.bank_reads) << "as the banks count";
    EXPECT_EQ(OF(bank_read), OF(read));
    EXPECT_EQ(OF(part), c.part_reads);
    // Results: a bank is asked for before each write but those that take no port.
    EXPECT_EQ(OF(write), c.bank_writes);
    EXPECT_EQ(OF(write), s.counted.bank_writes) << "as the banks count";
    EXPECT_GE(OF(port), c.bank_writes - c.portless_writes);
    EXPECT_LE(OF(port), c.bank_writes - c.portless_writes + c.write_conflicts + 2 * OF(drained));
    EXPECT_EQ(OF(meaning), OF(line));
    EXPECT_EQ(OF(flush), c.warp_insts_by_class[SMRF_CLASS_MEMBAR]);
    EXPECT_LE(OF(answer), OF(question));
    // What has left an SM and come back.
    EXPECT_EQ(OF(memory), s.counted.memory.requests);
}

// The operand cache is asked about every instruction, shown every source and every result.
void expect_cache_conserved(const sent &s)
{
    const smrf_sm_stats &c = s.counted.sm;
    const auto &of = s.of;
    EXPECT_EQ(OF(missing), OF(instruction));
    EXPECT_EQ(OF(leave), OF(instruction));
    EXPECT_EQ(OF(hit), c.cache_hits);
    EXPECT_EQ(OF(source), c.bank_reads - c.part_reads);
    EXPECT_EQ(OF(result), c.bank_writes - c.evictions);
    EXPECT_EQ(OF(keep) > 0, c.copy_writes > 0);
    EXPECT_GE(OF(eviction), c.evictions);
}

struct machine_of {
    const char *base, *mechanism, *trace;
    bool cached;
};

class transactions : public testing::TestWithParam<machine_of>
{
};

} // namespace

TEST_P(transactions, AreThoseOfTheInstructions)
{
    const machine_of &p = GetParam();
    const smrf_config cfg = machine(p.base, p.mechanism);
    const sent s = replay(smrf_engine_systemc, cfg, p.mechanism,
                          source_folder() + "/traces/bundled/" + p.trace);
    expect_conserved(s);
    if (p.cached) {
        expect_cache_conserved(s);
    } else {
        const auto &of = s.of;
        EXPECT_EQ(OF(missing) + OF(hit) + OF(leave) + OF(source) + OF(result) + OF(alone), 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sockets, transactions,
    testing::Values(machine_of{"rtx2060-paper", "baseline", "hotspot", false},
                    machine_of{"rtx2060-accelsim", "baseline", "hotspot", false},
                    machine_of{"qv100-accelsim", "baseline", "ray", false},
                    machine_of{"rtx2060-paper", "baseline", "divergent", false},
                    machine_of{"rtx2060-paper", "malekeh-long", "hotspot", true},
                    machine_of{"rtx2060-paper", "malekeh-short", "matmul", true},
                    machine_of{"rtx2060-paper", "bow-long", "hotspot", true},
                    machine_of{"rtx2060-paper", "rfc", "matmul", true},
                    machine_of{"rtx2060-paper", "rfc-software", "hotspot", true},
                    machine_of{"larf-paper", "larf", "hotspot", false},
                    machine_of{"cars-paper", "cars", "ray", false}),
    [](const auto &of) {
        std::string name =
            std::string(of.param.mechanism) + "_" + of.param.base + "_" + of.param.trace;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

// Instructions and constants come through the caches of their sub-cores.
TEST(Transactions, OfCachesAreTheirAccesses)
{
    smrf_config cfg = preset(
        "turing-modern", {"gpu.sms=2", "frontend.l0_bytes=1024", "frontend.constant_bytes=512"});
    const sent s =
        replay(smrf_engine_systemc, cfg, "baseline", source_folder() + "/traces/bundled/hotspot");
    const smrf_sm_stats &c = s.counted.sm;
    const auto &of = s.of;
    EXPECT_EQ(OF(fetch), c.warp_insts);
    EXPECT_GE(OF(code_line), c.l0_misses + c.l0_streamed);
    EXPECT_LE(OF(code_line), (c.l0_misses + c.l0_streamed) * (1 + cfg.frontend.l0_ahead));
    EXPECT_GT(OF(constant), 0u);
    EXPECT_LT(OF(constant), c.warp_insts);
}

// Numbers that can be counted by hand.
TEST(Transactions, OfAPatternAreAsManyAsItsInstructionsHaveOperands)
{
    constexpr uint64_t blocks = 4, warps = 4, length = 32;
    temporary_folder folder;
    const std::string path =
        smrf_test::pattern(folder, {"FFMA R16+16 R1 R2 R3"}, blocks, warps, length);
    const sent s =
        replay(smrf_engine_systemc, machine("rtx2060-paper", "baseline"), "baseline", path);
    const auto &of = s.of;
    const uint64_t computed = blocks * warps * length, ends = blocks * warps; // and an EXIT each
    EXPECT_EQ(OF(instruction), computed + ends);
    EXPECT_EQ(OF(dispatch), computed + ends);
    EXPECT_EQ(OF(drained), computed + ends);
    EXPECT_EQ(OF(settled) + OF(retired), computed + ends);
    EXPECT_EQ(OF(request), computed);
    EXPECT_EQ(OF(read), 3 * computed);
    EXPECT_EQ(OF(bank_read), 3 * computed);
    EXPECT_EQ(OF(write), computed);
    EXPECT_EQ(OF(access), 0u);
    EXPECT_EQ(OF(memory), 0u);
    expect_conserved(s);
}

// The load/store unit learns of the end of each, and empties its L1D.
TEST(Transactions, OfMemoryBarriersThereIsOneEach)
{
    constexpr uint64_t blocks = 2, warps = 3, length = 12;
    temporary_folder folder;
    const std::string path = smrf_test::pattern(folder, {"MEMBAR.SC.GPU"}, blocks, warps, length);
    const sent s =
        replay(smrf_engine_systemc, machine("rtx2060-paper", "baseline"), "baseline", path);
    EXPECT_EQ(s[SMRF_PORT_KIND_flush], blocks * warps * length);
    expect_conserved(s);
}

TEST(Transactions, OfThePlainEngineThereAreNone)
{
    const sent s = replay(smrf_engine_direct, machine("rtx2060-paper", "baseline"), "baseline",
                          source_folder() + "/traces/bundled/hotspot");
    for (const uint64_t count : s.of) {
        EXPECT_EQ(count, 0u);
    }
}

TEST(Transactions, AreCountedAnewAfterAReset)
{
    const smrf_config cfg = machine("rtx2060-paper", "baseline");
    smrf_engine *engine = nullptr;
    smrf_gpu_hooks hooks{};
    char text[256] = "";
    ASSERT_EQ(SMRF_OK, smrf_engine_systemc.create(&engine, &cfg, smrf_mechanism_find("baseline"),
                                                  &hooks, text, sizeof text));
    uint64_t first[SMRF_PORT_KINDS];
    for (unsigned round = 0; round < 2; round++) {
        smrf_trace *trace = nullptr;
        ASSERT_EQ(0, smrf_trace_open(&trace, (source_folder() + "/traces/bundled/hotspot").c_str(),
                                     nullptr));
        ASSERT_EQ(0, smrf_engine_systemc.load(engine, trace));
        ASSERT_EQ(SMRF_RUN_FINISHED, smrf_engine_systemc.run(engine, SMRF_NEVER));
        const uint64_t *now = smrf_engine_systemc.counted(engine)->transactions;
        for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
            first[k] = round == 0 ? now[k] : first[k];
            EXPECT_EQ(first[k], now[k]) << smrf_port_kind_name(k);
        }
        ASSERT_EQ(SMRF_OK, smrf_engine_systemc.reset(engine));
        EXPECT_EQ(0u, smrf_engine_systemc.counted(engine)->transactions[SMRF_PORT_KIND_read]);
        smrf_trace_close(trace);
    }
    smrf_engine_systemc.destroy(engine);
}

// Nothing passes between the blocks of an SM that has no cycles.
TEST(Transactions, InTheViewScoreboardThereAreOnlyThoseToTheMemory)
{
    smrf_config cfg = machine("rtx2060-paper", "baseline");
    cfg.sim.view = SMRF_VIEW_SCOREBOARD;
    const sent s =
        replay(smrf_engine_systemc, cfg, "baseline", source_folder() + "/traces/bundled/matmul");
    for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
        EXPECT_EQ(k == SMRF_PORT_KIND_memory ? s.counted.memory.requests : 0, s.of[k]) << k;
    }
    EXPECT_GT(s.counted.memory.requests, 0u);
}
