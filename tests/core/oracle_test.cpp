// SPDX-License-Identifier: Apache-2.0
// The value oracle as a core of its own: told facts about instructions, it knows what every write
// computed and what every operand must be.
#include "models/bank/bank.h"
#include "models/oracle/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

namespace
{

using row = std::array<uint32_t, SMRF_LANES>;

// A bank row that writes go to, as simple as can be.
struct held {
    row value{};
    uint32_t version = 0;
};

class dut
{
  public:
    explicit dut(bool war = true, bool check = true, bool whole = true, bool shares = false,
                 bool logs = false)
    {
        cfg_.shares = shares;
        cfg_.logs = logs;
        cfg_.check = check;
        cfg_.war = war;
        cfg_.whole = whole;
        cfg_.warps = 4;
        cfg_.flights = 16;
        memory_.reset(std::aligned_alloc(64, (smrf_oracle_bytes(&cfg_) + 63) & ~size_t(63)));
        o = static_cast<smrf_oracle *>(memory_.get());
        EXPECT_EQ(0, smrf_oracle_init(o, &cfg_));
        smrf_oracle_kernel(o, false);
        for (unsigned w = 0; w < cfg_.warps; w++) {
            smrf_oracle_start(o, w, 100 + w, w);
        }
    }
    // Issue an instruction of a warp; returns its flight.
    uint32_t issue(unsigned warp, std::vector<uint8_t> dst, std::vector<uint8_t> src,
                   uint32_t mask = UINT32_MAX, const smrf_values *values = nullptr,
                   const smrf_inst *load = nullptr)
    {
        uint32_t number = next_++ % cfg_.flights;
        smrf_static_inst &op = ops_[number];
        smrf_flight &f = flight[number];
        op = smrf_static_inst{};
        op.num_src = f.num_src = f.num_read = uint8_t(src.size());
        op.num_dst = f.num_dst = uint8_t(dst.size());
        std::copy(src.begin(), src.end(), op.src);
        std::copy(src.begin(), src.end(), f.src_reg);
        std::copy(dst.begin(), dst.end(), op.dst);
        std::copy(dst.begin(), dst.end(), f.dst_reg);
        for (size_t i = 0; i < src.size(); i++) {
            f.src[i].row = 1;
        }
        f.op = &op;
        f.warp = uint8_t(warp);
        f.mask = mask;
        f.version = ++version_;
        op.pc = 0x10 * version_;
        smrf_inst inst = load ? *load : smrf_inst{};
        op.op_class = !load ? SMRF_CLASS_INT : dst.empty() ? SMRF_CLASS_STORE : SMRF_CLASS_LOAD;
        op.space = space;
        op.access_bytes = access_bytes;
        inst.op = &op;
        inst.mask = mask;
        inst.values = values;
        smrf_oracle_issued(o, number, &f, &inst);
        return number;
    }
    row result(uint32_t number, unsigned i = 0) const
    {
        row scratch, r;
        std::copy_n(smrf_oracle_result(o, number, &flight[number], i, scratch.data()), SMRF_LANES,
                    r.begin());
        return r;
    }
    // Write destination i back.
    void write(uint32_t number, held *to, unsigned i = 0) const
    {
        const row r = result(number, i);
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            to->value[l] = flight[number].mask >> l & 1 ? r[l] : to->value[l];
        }
        to->version = flight[number].version;
    }
    bool read(uint32_t number, const held &from, unsigned i = 0)
    {
        wrong = smrf_oracle_operand(o, number, &flight[number], i, from.value.data(), from.version);
        return wrong == nullptr;
    }

    smrf_oracle *o;
    smrf_flight flight[16]{};
    uint8_t access_bytes = 4, space = SMRF_SPACE_GLOBAL;
    const smrf_finding *wrong = nullptr; // what was wrong with the last read

  private:
    struct free_deleter {
        void operator()(void *p) const
        {
            std::free(p);
        }
    };
    smrf_oracle_config cfg_{};
    std::unique_ptr<void, free_deleter> memory_;
    smrf_static_inst ops_[16]{};
    uint32_t next_ = 0, version_ = 0;
};

// One destination and one source, each a value a lane.
smrf_values traced(uint32_t dst, uint32_t src = 0)
{
    smrf_values v{};
    v.num_dst = 1;
    v.num_src = 1;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        v.dst[0][l] = dst + l;
        v.src[0][l] = src + l;
    }
    return v;
}

TEST(Oracle, AReadAfterItsWriteIsRight)
{
    dut d;
    held r5;
    d.write(d.issue(0, {5}, {}), &r5);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5));
    EXPECT_EQ(1u, d.o->stats.oracle_checked);
    EXPECT_EQ(0u, d.o->stats.oracle_violations);
}

TEST(Oracle, WhatAWarpNeverWroteIsNotCompared)
{
    dut d;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), held{}));
    EXPECT_EQ(0u, d.o->stats.oracle_checked);
}

TEST(Oracle, AWriteWritesWhatItsInstructionComputedWhateverTheRegisterBecameMeanwhile)
{
    dut d;
    held old_place, new_place;
    uint32_t slow = d.issue(0, {5}, {}); // a load, say, on its way
    row computed = d.result(slow);
    uint32_t fast = d.issue(0, {5}, {}); // the same name for another value, elsewhere
    d.write(fast, &new_place);
    d.write(slow, &old_place);
    EXPECT_EQ(computed, old_place.value) << "not corrected";
    EXPECT_NE(new_place.value, old_place.value);
    uint32_t reader = d.issue(0, {}, {5});
    EXPECT_TRUE(d.read(reader, new_place));
    EXPECT_FALSE(d.read(reader, old_place));
}

TEST(Oracle, TheSameOfValuesOfTheTrace)
{
    dut d;
    held place;
    smrf_values first = traced(1000), second = traced(2000);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    uint32_t slow = d.issue(0, {5}, {}, UINT32_MAX, &first);
    uint32_t fast = d.issue(0, {5}, {}, UINT32_MAX, &second);
    d.write(slow, &place);
    EXPECT_EQ(1007u, place.value[7]);
    d.write(fast, &place);
    EXPECT_EQ(2007u, place.value[7]);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), place));
}

TEST(Oracle, NoTwoWritesLookAlike)
{
    dut d;
    std::vector<row> seen;
    for (unsigned warp = 0; warp < 4; warp++) {
        for (unsigned n = 0; n < 8; n++) {
            uint32_t f = d.issue(warp, {1, 2, 255}, {});
            for (unsigned i = 0; i < 3; i++) {
                seen.push_back(d.result(f, i));
            }
        }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen.end(), std::adjacent_find(seen.begin(), seen.end()));
}

TEST(Oracle, LanesOfSeveralWritesAreComparedEachWithItsOwn)
{
    for (bool values : {false, true}) {
        dut d;
        held r5;
        smrf_values v[2] = {traced(100), traced(900)};
        smrf_oracle_kernel(d.o, values);
        smrf_oracle_start(d.o, 0, 0, 0);
        d.write(d.issue(0, {5}, {}, UINT32_MAX, values ? &v[0] : nullptr), &r5);
        d.write(d.issue(0, {5}, {}, 0xff00, values ? &v[1] : nullptr), &r5);
        uint32_t reader = d.issue(0, {}, {5});
        EXPECT_TRUE(d.read(reader, r5));
        for (unsigned lane : {0u, 9u, 31u}) {
            held wrong = r5;
            wrong.value[lane] ^= 1;
            EXPECT_FALSE(d.read(reader, wrong)) << lane;
        }
    }
}

TEST(Oracle, LanesThatNobodyWroteAndLanesThatDoNotExecuteAreNotCompared)
{
    dut d;
    held r5;
    d.write(d.issue(0, {5}, {}, 0x00ff), &r5);
    held other = r5;
    other.value[8] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), other));
    other.value[7] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}, 0x7f), other));
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}, 0x80), other));
}

TEST(Oracle, TheValueOfAnEarlierWarpInTheSlotIsNotThatOfTheNext)
{
    dut d;
    held r5;
    d.write(d.issue(0, {5}, {}), &r5);
    smrf_oracle_start(d.o, 0, 0, 0);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5)) << "the new warp has not written it";
    d.issue(0, {5}, {});
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), r5));
}

TEST(Oracle, LanesThatAnEarlierWarpWroteAreNotThoseOfTheNext)
{
    dut d;
    held r5;
    d.write(d.issue(0, {5}, {}, 0xffff), &r5);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    smrf_oracle_start(d.o, 0, 0, 0);
    EXPECT_EQ(0u, d.o->calls[0].depth);
    d.write(d.issue(0, {5}, {}, 0x000f), &r5);
    r5.value[8] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5));
    r5.value[3] ^= 1;
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), r5));
}

TEST(Oracle, OnlyAYoungerWriteOfTheSameRegisterCanOvertakeARead)
{
    dut d(false);
    held r5, r6, none;
    d.write(d.issue(0, {5}, {}), &r5);
    uint32_t reader = d.issue(0, {}, {5});
    d.write(d.issue(0, {5}, {}), &r5);
    d.write(d.issue(0, {6}, {}), &r6);
    EXPECT_TRUE(d.read(reader, r5));
    EXPECT_EQ(1u, d.o->stats.oracle_overtaken);
    EXPECT_FALSE(d.read(reader, r6)) << "a younger write, but of another register";
    EXPECT_FALSE(d.read(reader, none));

    dut checked(true);
    checked.write(checked.issue(0, {5}, {}), &r5);
    reader = checked.issue(0, {}, {5});
    checked.write(checked.issue(0, {5}, {}), &r5);
    EXPECT_FALSE(checked.read(reader, r5)) << "the scoreboard rules it out";
}

TEST(Oracle, TheTraceIsComparedWithItsOwnWrites)
{
    dut d;
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    smrf_values w = traced(100), right = traced(0, 100), wrong = traced(0, 101);
    d.issue(0, {5}, {}, UINT32_MAX, &w);
    d.issue(0, {6}, {5}, UINT32_MAX, &right);
    EXPECT_EQ(0u, d.o->stats.oracle_trace_mismatches);
    d.issue(0, {7}, {5}, UINT32_MAX, &wrong);
    EXPECT_EQ(1u, d.o->stats.oracle_trace_mismatches);
    EXPECT_EQ(2u, d.o->stats.oracle_trace_values);
    d.issue(0, {5}, {}); // a line without values: what it wrote is not known
    d.issue(0, {7}, {5}, UINT32_MAX, &wrong);
    EXPECT_EQ(1u, d.o->stats.oracle_trace_mismatches);
}

TEST(Oracle, WhereFlightsNameAPartOfTheDestinationsEachGetsItsOwnValue)
{
    dut d(true, true, false);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    smrf_values v{};
    v.num_dst = 2;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        v.dst[0][l] = 10;
        v.dst[1][l] = 20;
    }
    smrf_static_inst op{};
    op.num_dst = 2;
    op.dst[0] = 4;
    op.dst[1] = 5;
    smrf_inst inst{};
    inst.op = &op;
    inst.mask = UINT32_MAX;
    inst.values = &v;
    smrf_flight &f = d.flight[15];
    f.op = &op;
    f.version = 77;
    f.mask = UINT32_MAX;
    f.num_dst = 1;
    f.dst_reg[0] = 5;
    smrf_oracle_issued(d.o, 15, &f, &inst);
    EXPECT_EQ(20u, d.result(15)[0]);
}

TEST(Oracle, ACopyThatDiffersFromItsBankIsCounted)
{
    dut d;
    row copy{}, bank{};
    uint32_t f = d.issue(3, {9}, {});
    EXPECT_EQ(nullptr, smrf_oracle_copy(d.o, &d.flight[f], 0, copy.data(), bank.data()));
    bank[31] = 7;
    const smrf_finding *w = smrf_oracle_copy(d.o, &d.flight[f], 0, copy.data(), bank.data());
    ASSERT_NE(nullptr, w);
    EXPECT_EQ(1u, d.o->stats.oracle_stale_copies);
    EXPECT_EQ(SMRF_FINDING_COPY, w->kind);
    EXPECT_EQ(9u, w->reg);
    EXPECT_EQ(3u, w->warp);
    EXPECT_EQ(31u, w->lane);
    EXPECT_EQ(UINT32_C(1) << 31, w->lanes);
    EXPECT_EQ(d.flight[f].version, w->expected.version);
    EXPECT_EQ(7u, w->expected.value);
    EXPECT_EQ(0u, w->found.version) << "of a copy only the value is known";
    EXPECT_EQ(0u, w->found.value);
    EXPECT_TRUE(w->cached);
}

TEST(Oracle, AFindingNamesThePlaceAndBothSides)
{
    dut d;
    held r5;
    smrf_oracle_kernel(d.o, false); // the second launch
    smrf_oracle_start(d.o, 2, 4711, 6);
    uint32_t writer = d.issue(2, {5}, {});
    d.write(writer, &r5);
    uint32_t reader = d.issue(2, {}, {5}, 0x7fffffff);
    const uint32_t right = r5.value[17];
    r5.value[17] ^= 0x100;
    r5.value[31] ^= 0x100; // a lane that does not execute
    ASSERT_FALSE(d.read(reader, r5));
    EXPECT_EQ(SMRF_FINDING_OPERAND, d.wrong->kind);
    EXPECT_EQ(2u, d.wrong->launch);
    EXPECT_EQ(4711u, d.wrong->block);
    EXPECT_EQ(6u, d.wrong->block_warp);
    EXPECT_EQ(2u, d.wrong->warp);
    EXPECT_EQ(17u, d.wrong->lane);
    EXPECT_EQ(UINT32_C(1) << 17, d.wrong->lanes);
    EXPECT_EQ(5u, d.wrong->reg);
    EXPECT_EQ(d.flight[reader].op->pc, d.wrong->pc);
    EXPECT_EQ(d.flight[writer].version, d.wrong->expected.version);
    EXPECT_EQ(d.flight[writer].version, d.wrong->found.version);
    EXPECT_TRUE(d.wrong->expected.known);
    EXPECT_EQ(right, d.wrong->expected.value);
    EXPECT_EQ(right ^ 0x100, d.wrong->found.value);
}

TEST(Oracle, AStaleVersionIsNamedEvenWhereTheValuesAreEqual)
{
    dut d;
    held r5;
    smrf_values same = traced(100);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    d.write(d.issue(0, {5}, {}, UINT32_MAX, &same), &r5);
    uint32_t newer = d.issue(0, {5}, {}, UINT32_MAX, &same);
    ASSERT_FALSE(d.read(d.issue(0, {}, {5}, 0xff00), r5));
    EXPECT_EQ(0u, d.wrong->lanes);
    EXPECT_EQ(8u, d.wrong->lane) << "the first that executes";
    EXPECT_EQ(d.flight[newer].version, d.wrong->expected.version);
    EXPECT_EQ(r5.version, d.wrong->found.version);
    EXPECT_EQ(108u, d.wrong->expected.value);
    EXPECT_EQ(108u, d.wrong->found.value);
}

TEST(Oracle, AContradictionOfTheTraceIsNamedToo)
{
    dut d;
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 1, 3, 1);
    smrf_values w = traced(100), wrong = traced(0, 200);
    uint32_t writer = d.issue(1, {5}, {}, UINT32_MAX, &w);
    uint32_t reader = d.issue(1, {6}, {5}, 0xf0, &wrong);
    ASSERT_EQ(1u, d.o->trace.count);
    EXPECT_EQ(0u, d.o->model.count) << "no fault of the model";
    const smrf_finding &f = d.o->trace.first[0];
    EXPECT_EQ(SMRF_FINDING_TRACE, f.kind);
    EXPECT_EQ(5u, f.reg);
    EXPECT_EQ(4u, f.lane);
    EXPECT_EQ(0xf0u, f.lanes);
    EXPECT_EQ(d.flight[reader].op->pc, f.pc);
    EXPECT_EQ(d.flight[writer].version, f.expected.version);
    EXPECT_EQ(104u, f.expected.value);
    EXPECT_EQ(204u, f.found.value);
}

TEST(Oracle, TheFirstTenFindingsAreKeptAndAllAreCounted)
{
    dut d;
    held never;
    for (unsigned n = 0; n < 25; n++) {
        d.issue(0, {uint8_t(n)}, {});
        EXPECT_FALSE(d.read(d.issue(0, {}, {uint8_t(n)}), never));
    }
    EXPECT_EQ(25u, d.o->stats.oracle_violations);
    ASSERT_EQ(unsigned(SMRF_ORACLE_FINDINGS), d.o->model.count);
    for (unsigned n = 0; n < SMRF_ORACLE_FINDINGS; n++) {
        EXPECT_EQ(n, d.o->model.first[n].reg);
    }
}

// --- calls ---------------------------------------------------------------------------------------

// A store or load of registers in local memory that a mechanism removes.
smrf_static_inst local_op(smrf_class op_class, std::vector<uint8_t> regs)
{
    smrf_static_inst op{};
    op.op_class = uint8_t(op_class);
    op.space = SMRF_SPACE_LOCAL;
    op.src[0] = 1; // the address
    op.num_src = 1;
    for (uint8_t r : regs) {
        if (op_class == SMRF_CLASS_STORE) {
            op.src_slot[op.num_src] = 1;
            op.src[op.num_src++] = r;
        } else {
            op.dst[op.num_dst++] = r;
        }
    }
    return op;
}

void remove(dut &d, smrf_class op_class, std::vector<uint8_t> regs, uint64_t address,
            uint32_t mask = UINT32_MAX)
{
    smrf_static_inst op = local_op(op_class, regs);
    smrf_inst inst{};
    inst.op = &op;
    inst.mask = mask;
    inst.addr_kind = SMRF_ADDR_STRIDE;
    inst.base = address;
    inst.stride = 0; // local memory is a lane's own
    smrf_oracle_removed(d.o, 0, &inst);
}

const smrf_finding *give_back(dut &d, uint32_t mask = UINT32_MAX)
{
    return smrf_oracle_returned(d.o, &d.flight[d.issue(0, {}, {}, mask)]);
}

// What a machine with register stacks does: the callee's R16 is a place of its own.
TEST(OracleCalls, AfterTheReturnTheCallersRegisterHasTheCallersValue)
{
    for (bool values : {false, true}) {
        dut d;
        held of_caller, of_callee;
        smrf_values v[2] = {traced(100), traced(900)};
        smrf_oracle_kernel(d.o, values);
        smrf_oracle_start(d.o, 0, 0, 0);
        d.write(d.issue(0, {16}, {}, UINT32_MAX, values ? &v[0] : nullptr), &of_caller);
        smrf_oracle_called(d.o, 0, UINT32_MAX);
        remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
        d.write(d.issue(0, {16}, {}, UINT32_MAX, values ? &v[1] : nullptr), &of_callee);
        EXPECT_TRUE(d.read(d.issue(0, {}, {16}), of_callee));
        EXPECT_FALSE(d.read(d.issue(0, {}, {16}), of_caller)) << "an alias inside the callee";
        remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
        EXPECT_TRUE(d.read(d.issue(0, {}, {16}), of_caller));
        EXPECT_EQ(nullptr, give_back(d));
        EXPECT_TRUE(d.read(d.issue(0, {}, {16}), of_caller));
        EXPECT_FALSE(d.read(d.issue(0, {}, {16}), of_callee)) << "the frame was not released";
        EXPECT_EQ(2u, d.o->stats.removed_insts);
        EXPECT_EQ(64u, d.o->stats.removed_threads);
    }
}

TEST(OracleCalls, RecursionRestoresEachFramesOwn)
{
    dut d;
    constexpr unsigned deep = SMRF_ORACLE_CALLS + 1;
    std::vector<held> place(deep);
    for (unsigned depth = 0; depth < deep; depth++) {
        if (depth > 0) {
            smrf_oracle_called(d.o, 0, UINT32_MAX);
            remove(d, SMRF_CLASS_STORE, {16, 17}, 0x10000 - 16 * depth);
        }
        d.write(d.issue(0, {16}, {}), &place[depth]);
    }
    for (unsigned depth = deep; depth-- > 0;) {
        EXPECT_TRUE(d.read(d.issue(0, {}, {16}), place[depth])) << depth;
        if (depth > 0) {
            remove(d, SMRF_CLASS_LOAD, {16, 17}, 0x10000 - 16 * depth);
            EXPECT_EQ(nullptr, give_back(d));
        }
    }
    EXPECT_EQ(0u, d.o->calls[0].count);
    EXPECT_EQ(0u, d.o->calls[0].depth);
}

// Lanes that take turns leave frames behind below each other's.
TEST(OracleCalls, AFrameThatItsLanesHaveLeftTakesNoPlace)
{
    dut d;
    smrf_oracle_called(d.o, 0, 0x1);
    for (unsigned turn = 0; turn < 2 * SMRF_ORACLE_CALLS; turn++) {
        const uint32_t lane = turn % 2 ? 0x1 : 0x2;
        smrf_oracle_called(d.o, 0, lane);
        EXPECT_EQ(nullptr, give_back(d, lane ^ 0x3));
    }
    EXPECT_EQ(1u, d.o->calls[0].depth);
    EXPECT_FALSE(d.o->calls[0].lost);
}

TEST(OracleCalls, OfADivergedCallOnlyTheLanesInsideAreRestored)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    const held before = r16;
    smrf_oracle_called(d.o, 0, 0xff);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xff);
    d.issue(0, {16}, {}, 0xff);                  // the callee's
    d.write(d.issue(0, {16}, {}, 0xff00), &r16); // meanwhile, lanes that did not call
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    EXPECT_EQ(nullptr, give_back(d, 0xff));
    uint32_t reader = d.issue(0, {}, {16});
    EXPECT_TRUE(d.read(reader, r16));
    held wrong = r16;
    wrong.value[3] ^= 1;
    EXPECT_FALSE(d.read(reader, wrong));
    wrong = r16;
    wrong.value[9] = before.value[9];
    EXPECT_FALSE(d.read(reader, wrong));
}

TEST(OracleCalls, ARegisterOfSeveralWritesIsJudgedByItsValuesAlone)
{
    dut d(false);
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, 0xff);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xff);
    d.issue(0, {16}, {}, 0xff);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    uint32_t reader = d.issue(0, {}, {16});
    held same = r16;
    same.version += 1000;
    EXPECT_TRUE(d.read(reader, same));
    d.issue(0, {16}, {});
    EXPECT_TRUE(d.read(reader, r16));
    EXPECT_EQ(0u, d.o->stats.oracle_overtaken);
}

TEST(OracleCalls, AWholeRegisterThatIsRestoredHasItsVersionToo)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    held other = r16;
    other.version++;
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}), other)) << "equal values, another producer";
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), r16));
}

// Lanes that returned sooner write the caller's register, and the row has their version.
TEST(OracleCalls, WhereLanesOutsideWriteMeanwhileTheValuesOfThoseInsideDecide)
{
    dut d;
    held r16, early;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    EXPECT_EQ(nullptr, give_back(d, 0xff));
    d.write(d.issue(0, {16}, {}, 0xff), &early);
    smrf_oracle_exited(d.o, 0, 0xff);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, ~0xffu);
    EXPECT_EQ(nullptr, give_back(d, ~0xffu));
    held both = r16;
    both.version = early.version;
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}, ~0xffu), both));
    both.value[9]++;
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}, ~0xffu), both));
}

TEST(OracleCalls, OfARegisterThatWasWrittenInPartThisPartIsRestored)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}, 0xff), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    r16.value[20] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), r16));
    r16.value[2] ^= 1;
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}), r16));
}

TEST(OracleCalls, TheLastSaveAtAnAddressIsRestored)
{
    dut d;
    held first, second;
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    d.write(d.issue(0, {16}, {}), &first);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.write(d.issue(0, {16}, {}), &second);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), second));
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}), first));
}

TEST(OracleCalls, LanesThatRunApartSaveEachInItsOwnFrame)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, 0xff);
    smrf_oracle_called(d.o, 0, 0xff00); // another call, while the first is open
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xff);
    EXPECT_EQ(nullptr, give_back(d, 0xff00)) << "it saved nothing";
    EXPECT_EQ(1u, d.o->calls[0].count);
    d.issue(0, {16}, {}, 0xff);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    EXPECT_EQ(nullptr, give_back(d, 0xff));
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), r16));
    EXPECT_EQ(0u, d.o->calls[0].count);
}

TEST(OracleCalls, WhatTheTraceToldOfACalleesValueIsNotHeldAgainstTheCallers)
{
    dut d;
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    smrf_values of_callee = traced(900), reads = traced(0, 100);
    d.issue(0, {16}, {}); // a line without values
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {}, UINT32_MAX, &of_callee);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    d.issue(0, {17}, {16}, UINT32_MAX, &reads);
    EXPECT_EQ(0u, d.o->stats.oracle_trace_mismatches);
}

TEST(OracleCalls, WhatARemovedInstructionWouldHaveWrittenIsNotKnown)
{
    dut d;
    held r5;
    smrf_values w = traced(100), reads = traced(0, 200);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    d.write(d.issue(0, {5}, {}, UINT32_MAX, &w), &r5);
    smrf_static_inst op{};
    op.num_dst = 1;
    op.dst[0] = 5;
    smrf_inst inst{};
    inst.op = &op;
    inst.mask = UINT32_MAX;
    smrf_oracle_removed(d.o, 0, &inst);
    EXPECT_TRUE(d.read(d.issue(0, {6}, {5}, UINT32_MAX, &reads), held{}));
    EXPECT_EQ(0u, d.o->stats.oracle_trace_mismatches);
}

TEST(OracleCalls, LanesThatReturnOneAfterTheOtherCloseTheFrameTogether)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xffff);
    EXPECT_EQ(nullptr, give_back(d, 0xffff));
    EXPECT_EQ(1u, d.o->calls[0].depth);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xffff0000);
    EXPECT_EQ(nullptr, give_back(d, 0xffff0000));
    EXPECT_EQ(0u, d.o->calls[0].depth);
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), r16));
}

TEST(OracleCalls, ASaveWithoutItsRestoreIsFoundAtTheReturn)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    uint32_t callee = d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xffff);
    const smrf_finding *f = give_back(d);
    ASSERT_NE(nullptr, f);
    EXPECT_EQ(1u, d.o->stats.oracle_unrestored);
    EXPECT_EQ(SMRF_FINDING_FRAME, f->kind);
    EXPECT_EQ(16u, f->reg);
    EXPECT_EQ(16u, f->lane);
    EXPECT_EQ(0xffff0000u, f->lanes);
    EXPECT_EQ(r16.version, f->expected.version);
    EXPECT_EQ(r16.value[16], f->expected.value);
    EXPECT_GE(d.flight[callee].version, r16.version);
}

TEST(OracleCalls, LanesThatExitInsideRestoreNothing)
{
    dut d;
    d.issue(0, {16}, {});
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    smrf_oracle_exited(d.o, 0, 0xffff);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xffff0000);
    EXPECT_EQ(nullptr, give_back(d, 0xffff0000));
    EXPECT_EQ(0u, d.o->stats.oracle_unrestored);
    smrf_oracle_called(d.o, 0, 0xffff0000);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xffff0000);
    smrf_oracle_exited(d.o, 0, 0xffff0000);
    EXPECT_EQ(0u, d.o->stats.oracle_unrestored);
    EXPECT_EQ(0u, d.o->calls[0].count);
}

TEST(OracleCalls, WhatWasNeverWrittenOrNeverSavedIsNotKnown)
{
    dut d;
    held r16, other;
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000); // whatever it holds
    d.write(d.issue(0, {16}, {}), &r16);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    EXPECT_EQ(nullptr, give_back(d));
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), other));
    d.write(d.issue(0, {17}, {}), &r16);
    remove(d, SMRF_CLASS_LOAD, {17}, 0x2000); // of an address that nobody saved at
    EXPECT_TRUE(d.read(d.issue(0, {}, {17}), other));
}

TEST(OracleCalls, MoreSavesThanAreFollowedAreCountedNotBlamed)
{
    dut d;
    held r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    for (unsigned n = 0; n < SMRF_ORACLE_SAVES + 3; n++) {
        remove(d, SMRF_CLASS_STORE, {16}, 0x1000 + 4 * n);
    }
    EXPECT_EQ(3u, d.o->stats.oracle_lost_saves);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000 + 4 * (SMRF_ORACLE_SAVES + 1));
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), held{}));
}

TEST(OracleCalls, MoreCallsThanAreFollowedBlameNobody)
{
    dut d;
    for (unsigned n = 0; n < SMRF_ORACLE_CALLS + 2; n++) {
        smrf_oracle_called(d.o, 0, UINT32_MAX);
    }
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    for (unsigned n = 0; n < SMRF_ORACLE_CALLS + 2; n++) {
        EXPECT_EQ(nullptr, give_back(d));
    }
    EXPECT_EQ(0u, d.o->stats.oracle_unrestored);
}

TEST(OracleCalls, InjectedInstructionsAreCounted)
{
    dut d;
    smrf_oracle_injected(d.o, &d.flight[d.issue(0, {}, {}, 0xff)]);
    EXPECT_EQ(1u, d.o->stats.injected_insts);
    EXPECT_EQ(8u, d.o->stats.injected_threads);
}

// --- shared registers ---------------------------------------------------------------------------

class sharing : public testing::Test
{
  protected:
    sharing() : d(true, true, true, true) {}
    uint32_t load(unsigned warp, uint8_t reg, uint64_t base, uint32_t mask = UINT32_MAX)
    {
        smrf_inst inst{};
        inst.addr_kind = SMRF_ADDR_STRIDE;
        inst.base = base;
        inst.stride = 4;
        return d.issue(warp, {reg}, {}, mask, nullptr, &inst);
    }
    dut d;
    held r4; // of warp 0, which loaded it
};

TEST_F(sharing, ARegisterThatHoldsTheSameBytesIsRightForBothWarps)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    EXPECT_EQ(nullptr, smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version,
                                          r4.value.data()));
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), r4));
    EXPECT_TRUE(d.read(d.issue(0, {}, {4}), r4));
}

TEST_F(sharing, EveryRegisterOfAWideLoadHasItsOwnBytes)
{
    smrf_inst wide{};
    wide.addr_kind = SMRF_ADDR_STRIDE;
    wide.base = 0x8000;
    wide.stride = 8;
    smrf_inst high = wide;
    high.base += 4;
    uint32_t both = d.issue(0, {4, 5}, {}, UINT32_MAX, nullptr, &wide);
    uint32_t upper = d.issue(1, {9}, {}, UINT32_MAX, nullptr, &high);
    EXPECT_NE(d.result(both, 0), d.result(both, 1));
    EXPECT_EQ(d.result(upper), d.result(both, 1));
}

TEST_F(sharing, LoadsOfOtherWidthsMakeOtherValues)
{
    uint32_t word = load(0, 4, 0x8000);
    d.access_bytes = 1;
    EXPECT_NE(d.result(word), d.result(load(1, 9, 0x8000)));
}

TEST_F(sharing, WhatAYoungerWriteHasTakenIsNotGivenBack)
{
    held newer;
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    d.write(d.issue(1, {9}, {}), &newer);
    smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), newer));
}

TEST(Oracle, WhereNothingIsSharedTwoLoadsOfAnAddressAreToldApart)
{
    dut d;
    smrf_inst load{};
    load.addr_kind = SMRF_ADDR_STRIDE;
    load.base = 0x8000;
    uint32_t first = d.issue(0, {4}, {}, UINT32_MAX, nullptr, &load);
    uint32_t second = d.issue(0, {4}, {}, UINT32_MAX, nullptr, &load);
    EXPECT_NE(d.result(first), d.result(second));
}

TEST_F(sharing, WhatNobodyToldIsAnAlias)
{
    uint32_t first = load(0, 4, 0x8000);
    load(1, 9, 0x8000);
    d.write(first, &r4);
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4)) << "the load's own result was expected";
}

TEST_F(sharing, OtherBytesAreFoundAtOnce)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8004);
    d.write(first, &r4);
    const smrf_finding *f =
        smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    ASSERT_NE(nullptr, f);
    EXPECT_EQ(SMRF_FINDING_SHARE, f->kind);
    EXPECT_EQ(1u, f->warp);
    EXPECT_EQ(9u, f->reg);
    EXPECT_EQ(UINT32_MAX, f->lanes);
    EXPECT_EQ(d.flight[second].version, f->expected.version);
    EXPECT_EQ(r4.version, f->found.version);
    EXPECT_EQ(1u, d.o->stats.oracle_wrong_shares);
}

TEST_F(sharing, ShiftedByALaneTwoRegistersMakeAThird)
{
    held other, merged;
    d.write(load(0, 4, 0x8000), &r4);
    d.write(load(0, 5, 0x8080), &other);
    uint32_t third = load(1, 9, 0x8004);
    for (unsigned l = 0; l < SMRF_LANES; l++) {
        merged.value[l] = l < 31 ? r4.value[l + 1] : other.value[0];
    }
    merged.version = d.flight[third].version; // written as the load's own result
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), merged));
    std::swap(merged.value[0], merged.value[1]);
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), merged));
}

TEST_F(sharing, AWriteInPlaceWhileAnotherWarpSharesIsFound)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    d.write(d.issue(0, {4}, {}), &r4); // should have gone elsewhere
    EXPECT_TRUE(d.read(d.issue(0, {}, {4}), r4));
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4));
}

TEST_F(sharing, LanesOutsideTheLoadKeepWhatTheWarpHadInThem)
{
    held own;
    d.write(d.issue(1, {9}, {}), &own);
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000, 0xffff);
    d.write(first, &r4);
    EXPECT_EQ(nullptr, smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version,
                                          r4.value.data()));
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}, 0xffff), r4));
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4)) << "lanes 16 to 31 were not dead";
}

// A mechanism that logs stores, and a trace with values: two SMs, whose warps load the same 128
// bytes.
class racing : public testing::Test
{
  protected:
    static constexpr uint64_t DATA = 0x8000;
    racing()
    {
        for (dut *d : {&a, &b}) {
            smrf_oracle_kernel(d->o, true);
        }
    }
    static smrf_inst row(uint64_t base)
    {
        smrf_inst inst{};
        inst.addr_kind = SMRF_ADDR_STRIDE;
        inst.base = base;
        inst.stride = 4;
        inst.mask = UINT32_MAX;
        return inst;
    }
    static void store(dut &d, uint64_t base, uint32_t mask = UINT32_MAX)
    {
        const smrf_inst at = row(base);
        d.issue(3, {}, {}, mask, nullptr, &at);
    }
    // A warp shares the register of another one that had loaded `first`, the trace says `second`.
    const smrf_finding *share(uint32_t first, uint32_t second)
    {
        const smrf_values values[] = {traced(first), traced(second)};
        const smrf_inst at = row(DATA);
        a.write(a.issue(0, {4}, {}, UINT32_MAX, &values[0], &at), &r4);
        const uint32_t load = a.issue(1, {9}, {}, UINT32_MAX, &values[1], &at);
        return smrf_oracle_shared(a.o, load, &a.flight[load], &at, 0, r4.version, r4.value.data());
    }
    void settle()
    {
        smrf_oracle *const all[] = {a.o, b.o};
        smrf_oracle_settle(all, 2);
    }
    dut a{true, true, true, true, true}, b{true, true, true, true, true};
    held r4;
};

TEST_F(racing, BytesThatSomebodyStoresToAreOfAnotherMoment)
{
    for (dut *by : {&a, &b}) {
        for (bool before : {false, true}) {
            for (dut *d : {&a, &b}) {
                smrf_oracle_reset(d->o);
                smrf_oracle_kernel(d->o, true);
            }
            if (before) {
                store(*by, DATA);
            }
            ASSERT_NE(nullptr, share(100, 200));
            EXPECT_EQ(1u, a.o->stats.oracle_unjudged);
            if (!before) {
                store(*by, DATA);
            }
            EXPECT_TRUE(a.read(a.issue(1, {}, {9}), r4)) << "its readers get what it holds";
            settle();
            EXPECT_EQ(1u, a.o->stats.oracle_raced);
            EXPECT_EQ(0u, a.o->stats.oracle_wrong_shares);
            EXPECT_EQ(0u, a.o->stats.oracle_unjudged);
            EXPECT_EQ(0u, a.o->model.count);
        }
    }
}

TEST_F(racing, BytesThatNobodyStoresToAreWrong)
{
    share(100, 200);
    store(a, DATA + 128); // beside them
    a.space = SMRF_SPACE_SHARED;
    store(a, DATA);
    a.space = SMRF_SPACE_GLOBAL;
    store(b, DATA, 0xff); // some of them
    settle();
    EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
    EXPECT_EQ(0u, a.o->stats.oracle_raced);
    ASSERT_EQ(1u, a.o->model.count);
    EXPECT_EQ(SMRF_FINDING_SHARE, a.o->model.first[0].kind);
    EXPECT_EQ(200u, a.o->model.first[0].expected.value);
    EXPECT_EQ(100u, a.o->model.first[0].found.value);
}

TEST_F(racing, ALaunchKnowsItsOwnStoresOnly)
{
    store(a, DATA);
    smrf_oracle_kernel(a.o, true);
    share(100, 200);
    settle();
    EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
}

TEST_F(racing, MergedRegistersAreJudgedOnceAndTheSameWay)
{
    for (bool stored : {false, true}) {
        const smrf_values values = traced(100);
        const smrf_inst at = row(DATA);
        const uint32_t load = a.issue(1, {9}, {}, UINT32_MAX, &values, &at);
        ::row merged = a.result(load);
        merged[7]++;
        ASSERT_NE(nullptr, smrf_oracle_merged(a.o, load, &a.flight[load], &at, 0, merged.data()));
        EXPECT_EQ(nullptr, smrf_oracle_merged(a.o, load, &a.flight[load], &at, 0, merged.data()));
        if (stored) {
            store(b, DATA + 28, 1);
        }
        settle();
        EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
        EXPECT_EQ(stored, a.o->stats.oracle_raced);
    }
}

TEST_F(racing, ThoseBeyondAreCountedAndNotJudged)
{
    for (unsigned n = 0; n < SMRF_ORACLE_DOUBTS + 3; n++) {
        EXPECT_EQ(n < SMRF_ORACLE_DOUBTS, share(100, 200) != nullptr);
    }
    store(a, DATA);
    settle();
    EXPECT_EQ(uint64_t(SMRF_ORACLE_DOUBTS), a.o->stats.oracle_raced);
    EXPECT_EQ(3u, a.o->stats.oracle_unjudged);
}

TEST(Oracle, ResetForgetsEverything)
{
    dut d;
    d.issue(0, {5}, {});
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), held{}));
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_reset(d.o);
    EXPECT_EQ(0u, d.o->stats.oracle_checked);
    EXPECT_EQ(0u, d.o->stats.oracle_violations);
    EXPECT_EQ(0u, d.o->model.count);
    EXPECT_EQ(0u, d.o->launch);
    EXPECT_FALSE(d.o->values);
}

TEST(Oracle, WithoutChecksKernelsWithValuesAreStillFollowed)
{
    dut d(true, false);
    EXPECT_FALSE(d.o->active);
    smrf_oracle_kernel(d.o, true);
    EXPECT_TRUE(d.o->active);
    smrf_oracle_kernel(d.o, false);
    EXPECT_FALSE(d.o->active);
}

TEST(Oracle, RefusesImpossibleSizes)
{
    smrf_oracle o;
    for (uint32_t warps : {0u, SMRF_MAX_WARPS + 1u}) {
        const smrf_oracle_config cfg = {true, true, false, false, true, warps, 16};
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_oracle_init(&o, &cfg));
    }
    const smrf_oracle_config none = {true, true, false, false, true, 1, 0};
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_oracle_init(&o, &none));
}

} // namespace
