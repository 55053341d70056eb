// SPDX-License-Identifier: Apache-2.0
// Sharing of loaded registers at its limits: a warp's accesses one after the other, and what
// becomes of the last load and of the entries.
#include "tests/support/larf_run.h"

namespace
{

using namespace sm_test;

// One access; every one waits for the loads before it, so that they go in order.
struct access {
    smrf_class kind = SMRF_CLASS_LOAD;
    uint64_t at = DATA;
    int64_t stride = 4;
    uint8_t bytes = 4;
    uint32_t mask = UINT32_MAX;
    uint16_t flags = 0;
};

struct extreme {
    const char *name;
    std::vector<const char *> options;
    std::vector<access> accesses;
    uint64_t shares; // perfect, of all loads
    // What else must be counted, and how often; NULL: nothing.
    uint64_t smrf_larf_stats::*counter = nullptr;
    uint64_t count = 0;
};

access load(uint64_t at, int64_t stride = 4, uint8_t bytes = 4, uint32_t mask = UINT32_MAX)
{
    return {SMRF_CLASS_LOAD, at, stride, bytes, mask, 0};
}

access store(uint64_t at, int64_t stride = 4, uint8_t bytes = 4, uint32_t mask = UINT32_MAX)
{
    return {SMRF_CLASS_STORE, at, stride, bytes, mask, 0};
}

const access ATOMIC = {SMRF_CLASS_ATOMIC, DATA + 4096, 4, 4, 1, 0};
const access FENCE = {SMRF_CLASS_MEMBAR};
const access BARRIER = {SMRF_CLASS_BARRIER};
const access STRONG = {SMRF_CLASS_LOAD, DATA, 4, 4, UINT32_MAX, SMRF_INST_BYPASS_L1};
const uint64_t ROW = 128;
using stats = smrf_larf_stats;

const extreme extremes[] = {
    // A table of one entry.
    {"OneEntryHoldsTheLastRow", {"larf.entries=1"}, {load(DATA), load(DATA)}, 1},
    {"OneEntryForgetsTheRowBefore",
     {"larf.entries=1"},
     {load(DATA), load(DATA + ROW), load(DATA)},
     0,
     &stats::replaced,
     2},
    {"OneEntryThatStaysKeepsTheFirstRow",
     {"larf.entries=1", "larf.replacement=none"},
     {load(DATA), load(DATA + ROW), load(DATA)},
     1,
     &stats::no_room,
     1},
    {"OneEntryHoldsOneRegisterOfTwo", {"larf.entries=1"}, {load(DATA, 8, 8), load(DATA, 8, 8)}, 0},
    {"AsManyEntriesAsRegistersHoldAll",
     {"larf.entries=0"},
     {load(DATA), load(DATA + ROW), load(DATA)},
     1,
     &stats::replaced,
     0},
    // Strides.
    {"NegativeStride", {}, {load(DATA + 124, -4), load(DATA + 124, -4)}, 1},
    {"TheSameBytesInTheOtherOrder", {}, {load(DATA), load(DATA + 124, -4)}, 0},
    {"StrideZero", {}, {load(DATA, 0), load(DATA, 0)}, 1},
    {"LargestStride", {}, {load(DATA, 511), load(DATA, 511)}, 1},
    {"LargestStrideDown",
     {},
     {load(DATA + 32 * ROW * 8, -511), load(DATA + 32 * ROW * 8, -511)},
     1},
    {"StrideThatAnEntryCannotTell",
     {},
     {load(DATA, 512), load(DATA, 512)},
     0,
     &stats::shapeless,
     2},
    {"StrideDownThatAnEntryCannotTell",
     {},
     {load(DATA + 32 * ROW * 8, -512), load(DATA + 32 * ROW * 8, -512)},
     0,
     &stats::shapeless,
     2},
    {"StrideInElements", {"larf.stride_unit=elements"}, {load(DATA, 2044), load(DATA, 2044)}, 1},
    {"StrideOfNoWholeElement",
     {"larf.stride_unit=elements"},
     {load(DATA, 6), load(DATA, 6)},
     0,
     &stats::shapeless,
     2},
    {"HugeStride",
     {"larf.stride_max=0"},
     {load(DATA, int64_t(1) << 40), load(DATA, int64_t(1) << 40)},
     1},
    {"HugeStrideDownPastZero",
     {"larf.stride_max=0"},
     {load(DATA, -(int64_t(1) << 58)), load(DATA, -(int64_t(1) << 58))},
     1},
    {"HugeStrideOfOtherSign",
     {"larf.stride_max=0"},
     {load(DATA, int64_t(1) << 40), load(DATA, -(int64_t(1) << 40))},
     0},
    {"LastBytesThatThereAre", {}, {load(UINT64_MAX - 127), load(UINT64_MAX - 127)}, 1},
    // Bases that an entry's bits can tell.
    {"RegionOfABase",
     {"larf.base_bits=12"},
     {load(DATA), load(DATA + 4096), load(DATA + 4096)},
     0,
     &stats::shapeless,
     2},
    {"RegionOfALargerBase",
     {"larf.base_bits=24"},
     {load(DATA), load(DATA + 4096), load(DATA + 4096)},
     1},
    // Lanes.
    {"FewerLanesOfTheSame", {}, {load(DATA), load(DATA + 40, 4, 4, 0xffu << 10)}, 1},
    {"MoreLanesThanTheEntryHas", {}, {load(DATA, 4, 4, 0xffff), load(DATA)}, 0},
    {"LanesWithGaps",
     {},
     {load(DATA, 4, 4, 0x55555555), load(DATA, 4, 4, 0x55555555)},
     0,
     &stats::shapeless,
     2},
    {"AnyLanes",
     {"larf.lanes=any"},
     {load(DATA, 4, 4, 0x55555555), load(DATA, 4, 4, 0x55555555)},
     1},
    {"LanesFromAnotherOn",
     {"larf.lanes=first"},
     {load(DATA, 4, 4, 0xff0), load(DATA, 4, 4, 0xff0)},
     0,
     &stats::shapeless,
     2},
    {"OneLane", {}, {load(DATA, 4, 4, 1u << 31), load(DATA, 4, 4, 1u << 31)}, 1},
    // Wide loads have an entry a register, and share all or none.
    {"TwoRegisters", {}, {load(DATA, 8, 8), load(DATA, 8, 8)}, 1, &stats::perfect_registers, 2},
    {"FourRegisters",
     {},
     {load(DATA, 16, 16), load(DATA, 16, 16)},
     1,
     &stats::perfect_registers,
     4},
    {"UpperRegisterAlone",
     {},
     {load(DATA, 8, 8), load(DATA + 4, 8)},
     1,
     &stats::perfect_registers,
     1},
    {"LowerRegisterOnlyThere", {}, {load(DATA, 8), load(DATA, 8, 8)}, 0},
    {"UpperRegisterStoredTo",
     {},
     {load(DATA, 8, 8), store(DATA + 4 + 8 * 31, 4, 4, 1), load(DATA, 8, 8)},
     0,
     &stats::invalidated,
     1},
    {"WideLoadsApart",
     {"larf.wide=off"},
     {load(DATA, 8, 8), load(DATA, 8, 8)},
     0,
     &stats::shapeless,
     2},
    {"Bytes", {}, {load(DATA, 4, 1), load(DATA, 4, 1)}, 0, &stats::shapeless, 2},
    // Strong and volatile loads.
    {"StrongLoads", {}, {STRONG, STRONG}, 0, &stats::exempt, 2},
    {"StrongLoadOfASharedRow", {}, {load(DATA), STRONG}, 0, &stats::exempt, 1},
    {"StrongLoadMakesNoEntry", {}, {STRONG, load(DATA)}, 0, &stats::inserted, 1},
    // Stores that overlap.
    {"StoreOverItsFirstByte",
     {},
     {load(DATA), store(DATA - 1, 4, 4, 1), load(DATA)},
     0,
     &stats::invalidated,
     1},
    {"StoreUpToItsFirstByte",
     {},
     {load(DATA), store(DATA - 4, 4, 4, 1), load(DATA)},
     1,
     &stats::invalidated,
     0},
    {"WideStoreFromBelow",
     {},
     {load(DATA), store(DATA - 12, 4, 16, 1), load(DATA)},
     0,
     &stats::invalidated,
     1},
    {"WideStoreUpToIt", {}, {load(DATA), store(DATA - 16, 4, 16, 1), load(DATA)}, 1},
    {"StoreOfItsLastByte",
     {},
     {load(DATA), store(DATA + 127, 4, 1, 1), load(DATA)},
     0,
     &stats::invalidated,
     1},
    {"StoreBehindIt", {}, {load(DATA), store(DATA + 128, 4, 1, 1), load(DATA)}, 1},
    {"StoreToAStrideDown",
     {},
     {load(DATA + 124, -4), store(DATA, 4, 4, 1), load(DATA + 124, -4)},
     0,
     &stats::invalidated,
     1},
    {"StoreIntoAGap",
     {},
     {load(DATA, 440), store(DATA + 8, 4, 4, 1), load(DATA, 440)},
     0,
     &stats::invalidated,
     1},
    {"StoreIntoAGapByBytes",
     {"larf.match=bytes"},
     {load(DATA, 440), store(DATA + 8, 4, 4, 1), load(DATA, 440)},
     1},
    {"StoreBesideAGapByBytes",
     {"larf.match=bytes"},
     {load(DATA, 440), store(DATA + 443, 4, 4, 1), load(DATA, 440)},
     0,
     &stats::invalidated,
     1},
    {"StoreToLanesThatAreNotActive",
     {},
     {load(DATA, 4, 4, 0xff), store(DATA + 32, 4, 4, 1), load(DATA, 4, 4, 0xff)},
     1},
    {"StoreThatTakesOutTwo",
     {},
     {load(DATA), load(DATA + 64), store(DATA + 64, 4, 4, 1), load(DATA)},
     0,
     &stats::invalidated,
     2},
    {"StoreOfAllAndAgain",
     {},
     {load(DATA), store(DATA), load(DATA), store(DATA), load(DATA)},
     0,
     &stats::invalidated,
     2},
    // Atomics, fences, barriers.
    {"Atomic", {}, {load(DATA), ATOMIC, load(DATA)}, 0, &stats::emptied, 1},
    {"AtomicElsewhere",
     {"larf.fence_empties=off"},
     {load(DATA), ATOMIC, load(DATA)},
     1,
     &stats::emptied,
     0},
    {"AtomicOnIt",
     {"larf.fence_empties=off"},
     {load(DATA), {SMRF_CLASS_ATOMIC, DATA + 64, 4, 4, 1, 0}, load(DATA)},
     0,
     &stats::invalidated,
     1},
    {"Fence", {}, {load(DATA), FENCE, load(DATA)}, 0, &stats::emptied, 1},
    {"FenceThatDoesNot", {"larf.fence_empties=off"}, {load(DATA), FENCE, load(DATA)}, 1},
    {"Barrier", {}, {load(DATA), BARRIER, load(DATA)}, 1},
    {"BarrierThatEmpties",
     {"larf.barrier_empties=on"},
     {load(DATA), BARRIER, load(DATA)},
     0,
     &stats::emptied,
     1},
};

class larf_extremes : public larf_run
{
  protected:
    static program of(const std::vector<access> &accesses)
    {
        program p;
        std::vector<uint8_t> loaded;
        uint8_t next = 1;
        for (const access &a : accesses) {
            std::vector<uint8_t> dst;
            for (unsigned i = 0; a.kind == SMRF_CLASS_LOAD && i < (a.bytes + 3u) / 4; i++) {
                dst.push_back(next++);
            }
            const bool barrier = a.kind == SMRF_CLASS_BARRIER || a.kind == SMRF_CLASS_MEMBAR;
            step s = barrier ? step{op(a.kind)} : memory(a.kind, SMRF_SPACE_GLOBAL, dst, {0}, a.at);
            s.op.access_bytes = barrier ? uint8_t(0) : a.bytes;
            s.op.flags |= a.flags;
            s.stride = a.stride;
            s.mask = a.mask;
            p.push_back(s);
            for (uint8_t reg : dst) { // the next access waits for it
                p.push_back(alu(SMRF_CLASS_INT, {0}, {0, reg}));
            }
            loaded.insert(loaded.end(), dst.begin(), dst.end());
        }
        for (uint8_t reg : loaded) { // all live to here
            p.push_back(alu(SMRF_CLASS_INT, {0}, {0, reg}));
        }
        p.push_back(exit_step());
        return p;
    }
};

TEST_F(larf_extremes, EachCaseSharesAndForgetsWhatItShould)
{
    for (const extreme &e : extremes) {
        SCOPED_TRACE(e.name);
        for (unsigned subcores : {1u, 4u}) {
            smrf_config cfg = config(subcores);
            smrf_config_error err;
            ASSERT_EQ(0,
                      smrf_config_set_pairs(&cfg, e.options.data(), e.options.size(), "case", &err))
                << err.text;
            run(cfg, {{of(e.accesses)}});
            const smrf_larf_stats &s = self()->stats;
            EXPECT_EQ(e.shares, s.perfect_shares);
            EXPECT_EQ(0u, s.partial_shares + s.stale_local + s.stale_remote);
            EXPECT_EQ(0u, d->stats().oracle_violations + d->stats().oracle_wrong_shares);
            if (e.counter) {
                EXPECT_EQ(e.count, s.*e.counter);
            }
        }
    }
}

// Two loads are on their way when a third wants bytes of both.
struct spanning {
    const char *name;
    std::vector<const char *> options;
    access first, second, third;
    uint64_t merges;
};

access strong(access a)
{
    a.flags = SMRF_INST_BYPASS_L1;
    return a;
}

const spanning spans[] = {
    {"Rows", {}, load(DATA), load(DATA + ROW), load(DATA + 40), 1},
    {"OnlyOfLoadsThatHaveEnded",
     {"larf.partial_pending=off"},
     load(DATA),
     load(DATA + ROW),
     load(DATA + 40),
     0},
    {"NotAtAll", {"larf.partial=off"}, load(DATA), load(DATA + ROW), load(DATA + 40), 0},
    {"PerfectSharesDoNotWait",
     {"larf.pending=off"},
     load(DATA),
     load(DATA + ROW),
     load(DATA + 40),
     1},
    {"TheSameRow", {"larf.pending=off"}, load(DATA), load(DATA + ROW), load(DATA), 1},
    {"Down", {}, load(DATA + 124, -4), load(DATA + 252, -4), load(DATA + 164, -4), 1},
    {"Columns", {}, load(DATA, 440), load(DATA + 32 * 440, 440), load(DATA + 31 * 440, 440), 1},
    {"LargestStride",
     {},
     load(DATA, 511),
     load(DATA + 32 * 511, 511),
     load(DATA + 5 * 511, 511),
     1},
    {"StrideThatAnEntryCannotTell",
     {},
     load(DATA, 512),
     load(DATA + 32 * 512, 512),
     load(DATA + 5 * 512, 512),
     0},
    {"OtherStride", {}, load(DATA), load(DATA + ROW), load(DATA + 40, 8), 0},
    {"TwoRegisters", {}, load(DATA, 8, 8), load(DATA + 256, 8, 8), load(DATA + 40, 8, 8), 1},
    {"FourRegisters", {}, load(DATA, 16, 16), load(DATA + 512, 16, 16), load(DATA + 48, 16, 16), 1},
    {"HalfARegisterOff", {}, load(DATA), load(DATA + ROW), load(DATA + 42), 0},
    {"AGapBetween", {}, load(DATA), load(DATA + ROW + 4), load(DATA + 40), 0},
    {"OneIsEnough", {}, load(DATA), load(DATA + 0x1000), load(DATA + 40, 4, 4, 0xff), 1},
    {"OneEntry", {"larf.entries=1"}, load(DATA), load(DATA + ROW), load(DATA + 40), 0},
    {"OneEntryIsEnough",
     {"larf.entries=1"},
     load(DATA),
     load(DATA + ROW),
     load(DATA + 40, 4, 4, 0xff),
     1},
    {"Strong", {}, load(DATA), load(DATA + ROW), strong(load(DATA + 40)), 0},
    {"StrongPart", {}, load(DATA), strong(load(DATA + ROW)), load(DATA + 40), 0},
};

TEST_F(larf_extremes, LoadsUnderWayArePartsOfWhatSpansThem)
{
    for (const spanning &s : spans) {
        SCOPED_TRACE(s.name);
        program p;
        uint8_t next = 1;
        std::vector<uint8_t> loaded;
        for (const access &a : {s.first, s.second, s.third}) {
            std::vector<uint8_t> dst;
            for (unsigned i = 0; i < a.bytes / 4u; i++) {
                dst.push_back(next++);
            }
            loaded.insert(loaded.end(), dst.begin(), dst.end());
            step l = memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, dst, {}, a.at);
            l.op.access_bytes = a.bytes;
            l.op.flags |= a.flags;
            l.stride = a.stride;
            l.mask = a.mask;
            p.push_back(l);
        }
        for (uint8_t reg : loaded) {
            p.push_back(alu(SMRF_CLASS_INT, {0}, {0, reg}));
        }
        p.push_back(exit_step());
        for (unsigned subcores : {1u, 4u}) {
            smrf_config cfg = config(subcores);
            smrf_config_error err;
            ASSERT_EQ(0,
                      smrf_config_set_pairs(&cfg, s.options.data(), s.options.size(), "case", &err))
                << err.text;
            run(cfg, {{p}});
            EXPECT_EQ(s.merges, self()->stats.partial_shares);
            EXPECT_EQ(s.merges, self()->stats.pending_merges);
            EXPECT_EQ(0u, self()->stats.perfect_shares + self()->stats.stale_local);
            EXPECT_EQ(0u, d->stats().oracle_violations + d->stats().oracle_wrong_shares);
        }
    }
}

// The store's operands lie in one bank, those of the load behind it nowhere.
TEST_F(larf_extremes, ALoadSharesNothingThatAStoreBeforeItWillChange)
{
    for (const uint64_t at : {DATA, DATA + 64, DATA + 4096}) {
        for (unsigned operands = 1; operands <= 3; operands++) {
            program p = {memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {1}, {}, DATA),
                         alu(SMRF_CLASS_INT, {4}, {1}), alu(SMRF_CLASS_INT, {6}, {1}),
                         alu(SMRF_CLASS_INT, {8}, {1}), alu(SMRF_CLASS_INT, {10}, {4, 6, 8})};
            std::vector<uint8_t> src = {4, 6, 8};
            src.resize(operands);
            p.push_back(memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, src, at));
            p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {2}, {}, DATA));
            p.push_back(alu(SMRF_CLASS_INT, {3}, {1, 2, 10}));
            p.push_back(exit_step());
            run(config(1), {{p}});
            const bool elsewhere = at == DATA + 4096;
            EXPECT_EQ(elsewhere, self()->stats.perfect_shares == 1) << operands;
            EXPECT_EQ(!elsewhere, self()->stats.overtaking == 1) << operands;
            EXPECT_EQ(0u, self()->stats.stale_local);
        }
    }
}

// The file is made smaller and smaller; at the least a block still fits and comes to its end.
TEST_F(larf_extremes, TheLeastFileHoldsABlock)
{
    constexpr unsigned WARPS = 4;
    program p;
    for (uint8_t reg = 1; reg < 20; reg++) {
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {reg}, {}, DATA + ROW * (reg % 7)));
    }
    for (uint8_t reg = 1; reg < 20; reg++) {
        p.push_back(alu(SMRF_CLASS_SP, {0}, {0, reg}));
    }
    p.push_back(exit_step());
    const std::vector<block> blocks(6, block(WARPS, p));
    for (const unsigned registers :
         {4 * WARPS * REGISTERS, 2 * WARPS * REGISTERS, WARPS * REGISTERS + 7, WARPS * REGISTERS}) {
        smrf_config cfg = config(1, {"larf.extra_blocks=4"});
        cfg.sm.registers = registers * SMRF_LANES;
        run(cfg, blocks);
        EXPECT_EQ(0u, d->stats().oracle_violations + d->stats().oracle_wrong_shares);
        EXPECT_LE(self()->v.stats.peak_registers, registers);
        EXPECT_GT(self()->stats.perfect_shares, 0u);
        EXPECT_EQ(self()->v.physical, self()->v.sub[0].free);
    }
    smrf_config cfg = config(1);
    cfg.sm.registers = (WARPS * REGISTERS - 1) * SMRF_LANES;
    state.emplace(cfg, smrf_larf_mechanism);
    dut none(cfg, {block(WARPS, p)}, REGISTERS, 0, &smrf_larf_mechanism, state->get());
    EXPECT_EQ(0u, smrf_sm_fit(none.sm(), &none.kernel, nullptr)) << "one register less";
}

} // namespace
