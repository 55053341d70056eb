// SPDX-License-Identifier: Apache-2.0
// The value oracle across calls: what a return must give back to the caller.
#include "tests/support/oracle_dut.h"

#include <gtest/gtest.h>

namespace
{

using namespace smrf_test;

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

void remove(oracle_dut &d, smrf_class op_class, std::vector<uint8_t> regs, uint64_t address,
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

const smrf_finding *give_back(oracle_dut &d, uint32_t mask = UINT32_MAX)
{
    return smrf_oracle_returned(d.o, &d.flight[d.issue(0, {}, {}, mask)]);
}

// What a machine with register stacks does: the callee's R16 is a place of its own.
TEST(OracleCalls, AfterTheReturnTheCallersRegisterHasTheCallersValue)
{
    for (bool values : {false, true}) {
        oracle_dut d;
        written_row of_caller, of_callee;
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
    oracle_dut d;
    constexpr unsigned deep = SMRF_ORACLE_CALLS + 1;
    std::vector<written_row> place(deep);
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
    oracle_dut d;
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
    oracle_dut d;
    written_row r16;
    d.write(d.issue(0, {16}, {}), &r16);
    const written_row before = r16;
    smrf_oracle_called(d.o, 0, 0xff);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xff);
    d.issue(0, {16}, {}, 0xff);                  // the callee's
    d.write(d.issue(0, {16}, {}, 0xff00), &r16); // meanwhile, lanes that did not call
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    EXPECT_EQ(nullptr, give_back(d, 0xff));
    uint32_t reader = d.issue(0, {}, {16});
    EXPECT_TRUE(d.read(reader, r16));
    written_row wrong = r16;
    wrong.value[3] ^= 1;
    EXPECT_FALSE(d.read(reader, wrong));
    wrong = r16;
    wrong.value[9] = before.value[9];
    EXPECT_FALSE(d.read(reader, wrong));
}

TEST(OracleCalls, ARegisterOfSeveralWritesIsJudgedByItsValuesAlone)
{
    oracle_dut d(false);
    written_row r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, 0xff);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000, 0xff);
    d.issue(0, {16}, {}, 0xff);
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000, 0xff);
    uint32_t reader = d.issue(0, {}, {16});
    written_row same = r16;
    same.version += 1000;
    EXPECT_TRUE(d.read(reader, same));
    d.issue(0, {16}, {});
    EXPECT_TRUE(d.read(reader, r16));
    EXPECT_EQ(0u, d.o->stats.oracle_overtaken);
}

TEST(OracleCalls, AWholeRegisterThatIsRestoredHasItsVersionToo)
{
    oracle_dut d;
    written_row r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    remove(d, SMRF_CLASS_STORE, {16}, 0x1000);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000);
    written_row other = r16;
    other.version++;
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}), other)) << "equal values, another producer";
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), r16));
}

// Lanes that returned sooner write the caller's register, and the row has their version.
TEST(OracleCalls, WhereLanesOutsideWriteMeanwhileTheValuesOfThoseInsideDecide)
{
    oracle_dut d;
    written_row r16, early;
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
    written_row both = r16;
    both.version = early.version;
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}, ~0xffu), both));
    both.value[9]++;
    EXPECT_FALSE(d.read(d.issue(0, {}, {16}, ~0xffu), both));
}

TEST(OracleCalls, OfARegisterThatWasWrittenInPartThisPartIsRestored)
{
    oracle_dut d;
    written_row r16;
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
    oracle_dut d;
    written_row first, second;
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
    oracle_dut d;
    written_row r16;
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
    oracle_dut d;
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
    oracle_dut d;
    written_row r5;
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
    EXPECT_TRUE(d.read(d.issue(0, {6}, {5}, UINT32_MAX, &reads), written_row{}));
    EXPECT_EQ(0u, d.o->stats.oracle_trace_mismatches);
}

TEST(OracleCalls, LanesThatReturnOneAfterTheOtherCloseTheFrameTogether)
{
    oracle_dut d;
    written_row r16;
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
    oracle_dut d;
    written_row r16;
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
    oracle_dut d;
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
    oracle_dut d;
    written_row r16, other;
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
    oracle_dut d;
    written_row r16;
    d.write(d.issue(0, {16}, {}), &r16);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    for (unsigned n = 0; n < SMRF_ORACLE_SAVES + 3; n++) {
        remove(d, SMRF_CLASS_STORE, {16}, 0x1000 + 4 * n);
    }
    EXPECT_EQ(3u, d.o->stats.oracle_lost_saves);
    d.issue(0, {16}, {});
    remove(d, SMRF_CLASS_LOAD, {16}, 0x1000 + 4 * (SMRF_ORACLE_SAVES + 1));
    EXPECT_TRUE(d.read(d.issue(0, {}, {16}), written_row{}));
}

TEST(OracleCalls, MoreCallsThanAreFollowedBlameNobody)
{
    oracle_dut d;
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
    oracle_dut d;
    smrf_oracle_injected(d.o, &d.flight[d.issue(0, {}, {}, 0xff)]);
    EXPECT_EQ(1u, d.o->stats.injected_insts);
    EXPECT_EQ(8u, d.o->stats.injected_threads);
}

} // namespace
