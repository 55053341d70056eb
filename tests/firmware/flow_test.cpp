// SPDX-License-Identifier: Apache-2.0
// The analysis on programs written for one purpose each: saves of the calling convention, calls,
// lanes that part and meet, indexed branches.
#include "tests/support/flow_text.h"

using smrf_test::flow_analysis;
using smrf_test::flow_function;
using smrf_test::flow_text;

namespace
{

std::vector<unsigned> members(const smrf_regset &set)
{
    std::vector<unsigned> all;
    for (unsigned r = 0; r < 255; r++) {
        if (smrf_regset_has(&set, r)) {
            all.push_back(r);
        }
    }
    return all;
}

using regs = std::vector<unsigned>;

const flow_function caller = {"k", {"CALL.REL.NOINC A:@3", "STG.SYS A:[R4] B:R16", "EXIT"}};

// The shape of compiled code: three saves of two widths, popped in another order and between uses,
// one of a pair that only ever moves together.
const std::vector<std::string> saves = {
    "IADD3 =R1 A:R1 B:-0x18 C:RZ", // 3
    "STL.64 A:[R1+0x8] B:R16",     // R16, R17
    "STL A:[R1+0x4] B:R2",         //
    "MOV =R2 A:R4",                // 6
    "MOV =R16 A:0x1",              //
    "MOV =R17 A:R2",               //
    "LDL =R2 A:[R1+0x4]",          // 9
    "IADD3 =R4 A:R16 B:R17 C:RZ",  //
    "LDL.64 =R16 A:[R1+0x8]",      //
    "IADD3 =R1 A:R1 B:0x18 C:RZ",  //
    "RET.ABS.NODEC A:R20 B:0x0",   //
};

TEST(FlowListed, LivenessIsOfTheRegistersThatALineLists)
{
    // The machine sees R4 of the load alone: what R5 held before is what the addition reads.
    const flow_function k = {"k",
                             {"MOV =R5 A:0x1", "LDG.E.64.SYS =R4 A:[R2]",
                              "IADD3 =R6 A:R4 B:R5 C:RZ", "STG.E.SYS A:[R2] B:R6", "EXIT"}};
    smrf_flow_options options{};
    const flow_analysis whole(flow_text({k}), &options);
    options.listed_only = true;
    const flow_analysis listed(flow_text({k}), &options);
    ASSERT_EQ(whole.rc, 0) << whole.reason;
    ASSERT_EQ(listed.rc, 0) << listed.reason;
    EXPECT_FALSE(whole.live(0, 5));
    EXPECT_TRUE(listed.live(0, 5));
    EXPECT_TRUE(whole.live(0, 3)); // the address is a pair ..
    EXPECT_FALSE(listed.live(0, 3));
    EXPECT_EQ(members(listed->inst[1].writes), regs{4});
    EXPECT_EQ(members(listed->inst[1].all_writes), (regs{4, 5}));
    EXPECT_EQ(listed->inst[2].op.num_src, 2); // RZ is no value that anybody needs
}

TEST(FlowAbi, SavesAreStoresOfTheCallersValuesThatComeBack)
{
    flow_analysis a(flow_text({caller, {"f", saves}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    const smrf_flow_function &f = a->function[1];
    EXPECT_EQ(members(f.saved), (regs{2, 16, 17}));
    EXPECT_EQ(members(f.unrestored), regs{});
    EXPECT_FALSE(smrf_regset_has(&f.preserved, 4));
    for (unsigned r : {1, 2, 16, 17, 20}) {
        EXPECT_TRUE(smrf_regset_has(&f.preserved, r)) << r;
    }
    ASSERT_EQ(a->num_saves, 6u);
    const struct {
        uint32_t inst;
        unsigned reg;
        bool restore;
        int32_t offset;
    } want[] = {{4, 16, false, -16}, {4, 17, false, -12}, {5, 2, false, -20},
                {9, 2, true, -20},   {11, 16, true, -16}, {11, 17, true, -12}};
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQ(a->save[i].inst, want[i].inst) << i;
        EXPECT_EQ(a->save[i].reg, want[i].reg) << i;
        EXPECT_EQ(a->save[i].restore, want[i].restore) << i;
        EXPECT_EQ(a->save[i].offset, want[i].offset) << i;
        EXPECT_EQ(a->save[i].function, 1u) << i;
    }
    EXPECT_EQ(a->function[0].stack_registers, 3u);
    EXPECT_EQ(a->function[0].depth, 1u);
    EXPECT_FALSE(a->function[1].recursive);
}

TEST(FlowAbi, OtherLocalAccessesAreNone)
{
    const struct {
        const char *what;
        std::vector<std::string> lines;
    } cases[] = {
        {"an argument put away and used again",
         {"STL A:[R1-0x8] B:R4", "MOV =R4 A:RZ", "LDL =R4 A:[R1-0x8]", "IADD3 =R5 A:R4 B:R4 C:RZ",
          "RET.ABS.NODEC A:R20 B:0x0"}},
        {"an array", {"STL A:[R1-0x8] B:R4", "LDL =R5 A:[R1-0x8]", "RET.ABS.NODEC A:R20 B:0x0"}},
        {"a value of its own",
         {"MOV =R16 A:RZ", "STL A:[R1-0x8] B:R16", "LDL =R16 A:[R1-0x8]",
          "RET.ABS.NODEC A:R20 B:0x0"}},
        {"a slot that was overwritten",
         {"STL A:[R1-0x8] B:R16", "STL A:[R1-0x8] B:R5", "LDL =R16 A:[R1-0x8]",
          "RET.ABS.NODEC A:R20 B:0x0"}},
        {"half a slot",
         {"STL A:[R1-0x8] B:R16", "STL.U8 A:[R1-0x6] B:R5", "LDL =R16 A:[R1-0x8]",
          "RET.ABS.NODEC A:R20 B:0x0"}},
        {"another slot",
         {"STL A:[R1-0x8] B:R16", "LDL =R16 A:[R1-0x4]", "RET.ABS.NODEC A:R20 B:0x0"}},
        {"some lanes only",
         {"P0 STL A:[R1-0x8] B:R16", "MOV =R16 A:RZ", "LDL =R16 A:[R1-0x8]",
          "RET.ABS.NODEC A:R20 B:0x0"}},
    };
    for (const auto &c : cases) {
        flow_analysis a(flow_text({caller, {"f", c.lines}}));
        ASSERT_EQ(a.rc, 0) << a.reason;
        EXPECT_EQ(a->num_saves, 0u) << c.what;
        EXPECT_EQ(members(a->function[1].saved), regs{}) << c.what;
    }
}

TEST(FlowAbi, APathWithoutItsRestoreIsTold)
{
    flow_analysis a(flow_text({caller,
                               {"f",
                                {"STL A:[R1-0x8] B:R16", "MOV =R16 A:R4", "P0 BRA A:@7",
                                 "LDL =R16 A:[R1-0x8]", "RET.ABS.NODEC A:R20 B:0x0"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_EQ(members(a->function[1].saved), regs{16});
    EXPECT_EQ(members(a->function[1].unrestored), regs{16});
}

TEST(FlowAbi, WhatACalleePreservesNeedsNoSave)
{
    flow_analysis a(flow_text({{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
                               {"f",
                                {"STL A:[R1-0x8] B:R20", "MOV =R20 A:RZ", "CALL.REL.NOINC A:@7",
                                 "LDL =R20 A:[R1-0x8]", "RET.ABS.NODEC A:R20 B:0x0"}},
                               {"g", {"MOV =R6 A:R4", "RET.ABS.NODEC A:R20 B:0x0"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_TRUE(smrf_regset_has(&a->function[1].preserved, 16));
    EXPECT_FALSE(smrf_regset_has(&a->function[1].preserved, 6));
    EXPECT_EQ(members(a->function[1].saved), regs{20});
    EXPECT_EQ(a->function[0].depth, 2u);
    EXPECT_EQ(a->function[0].stack_registers, 1u);
}

TEST(FlowCalls, RecursionCountsOnceAndIndirectCallsReachAll)
{
    // k -> f <-> g -> h; f calls g or h through a pointer
    flow_analysis a(flow_text(
        {{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
         {"f", {"CALL.ABS.NOINC A:R4", "RET.ABS.NODEC A:R20 B:0x0"}},
         {"g", {"P0 CALL.REL.NOINC A:@2", "CALL.REL.NOINC A:@7", "RET.ABS.NODEC A:R20 B:0x0"}},
         {"h", {"MOV =R6 A:R5", "RET.ABS.NODEC A:R20 B:0x0"}}},
        ".indirect 0020 0040 0070\n"));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_FALSE(a->function[0].recursive);
    EXPECT_TRUE(a->function[1].recursive);
    EXPECT_TRUE(a->function[2].recursive);
    EXPECT_FALSE(a->function[3].recursive);
    EXPECT_EQ(a->function[0].depth, 3u);
    const smrf_flow_site *site = smrf_flow_site_at(a.get(), 2);
    ASSERT_NE(site, nullptr);
    ASSERT_EQ(site->num_callees, 2u);
    EXPECT_FALSE(site->unknown);
    EXPECT_EQ(a->function[3].num_callers, 2u);
    EXPECT_TRUE(a.live(0, 5)) << "some callee of a callee reads it";
    EXPECT_FALSE(a.live(1, 5));
}

TEST(FlowCalls, ACallInsideTheFunctionComesBack)
{
    const auto with = [](const std::string &call) {
        return flow_text({{"k",
                           {"MOV =R6 A:0x1", call, "STG.SYS A:[R4] B:R6", call, "EXIT",
                            "MOV =R7 A:R8", "RET.ABS A:R20 B:0x20"}}});
    };
    flow_analysis a(with("CALL.REL A:@5"));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_EQ(a->block[a->inst[6].block].num_succ, 2u);
    EXPECT_FALSE(a->function[0].unknown_jump);
    EXPECT_TRUE(a.live(0, 6) && a.live(1, 6) && a.live(5, 6) && a.live(6, 6));
    EXPECT_FALSE(a.live(6, 7) || a.live(6, 99));
    flow_analysis jumps(with("CALL.REL.NOINC A:@5"));
    ASSERT_EQ(jumps.rc, 0) << jumps.reason;
    EXPECT_EQ(jumps->block[jumps->inst[6].block].num_succ, 0u);
}

TEST(FlowCalls, WithoutATargetEverythingIsLive)
{
    flow_analysis a(flow_text({{"k", {"MOV =R6 A:RZ", "CALL.ABS.NOINC A:R4", "EXIT"}},
                               {"f", {"MOV =R6 A:R5", "RET.ABS.NODEC A:R20 B:0x0"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_TRUE(smrf_flow_site_at(a.get(), 1)->unknown);
    EXPECT_TRUE(a.live(0, 99));
    EXPECT_TRUE(a.live(4, 99));
    EXPECT_FALSE(a.live(2, 99));
}

// BSSY; lanes part; R6 is read on one side only, R7 after both, R8 on the other side.
std::vector<std::string> diamond(const char *predicate)
{
    return {predicate,                  // 0
            "BSSY =B0 A:@8",            //
            "P0 BRA A:@6",              // 2
            "IADD3 =R9 A:R6 B:R8 C:RZ", //
            "MOV =R8 A:RZ",             //
            "BRA A:@7",                 // 5
            "IADD3 =R9 A:R8 B:R8 C:RZ", //
            "BSYNC A:B0",               // 7
            "STG.SYS A:[R7] B:R9",      //
            "EXIT"};
}

TEST(FlowDivergence, TheOtherSideHoldsItsRegistersUntilLanesMeet)
{
    flow_analysis a(flow_text({{"k", diamond("ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT")}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_FALSE(a->inst[2].divergent) << "what nobody wrote is the same for all";
    std::vector<std::string> lines = diamond("ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT");
    lines[0] = "S2R =R4 A:SR_TID.X";
    lines.insert(lines.begin() + 1, "ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT");
    for (std::string &l : lines) { // one further on
        for (size_t at = l.find('@'); at != std::string::npos; at = std::string::npos) {
            l = l.substr(0, at + 1) + std::to_string(std::stoi(l.substr(at + 1)) + 1);
        }
    }
    flow_analysis b(flow_text({{"k", lines}}));
    ASSERT_EQ(b.rc, 0) << b.reason;
    EXPECT_TRUE(b->inst[3].divergent);
    // Instruction 4 reads R6 and R8 for the last time as far as its own lanes go; the other side
    // still needs R8 but not R6.
    EXPECT_EQ(b->inst[4].final_src, 3u);
    EXPECT_EQ(b->inst[4].release_src, 1u);
    EXPECT_TRUE(b.warp_live(4, 8));
    EXPECT_FALSE(b.live(4, 8));
    EXPECT_FALSE(b.warp_live(4, 6));
    // The other side holds what its fellows computed before they met: R9.
    EXPECT_TRUE(b.warp_live(7, 9));
    EXPECT_FALSE(b.warp_live(9, 8)) << "they have met";
    EXPECT_FALSE(b.warp_live(9, 9));
}

TEST(FlowDivergence, BlocksOfOneGridAreUniform)
{
    flow_analysis a(flow_text({{"k",
                                {"S2R =R4 A:SR_CTAID.X", "ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT",
                                 "P0 BRA A:@4", "MOV =R6 A:RZ", "STG.SYS A:[R6] B:R7", "EXIT"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_FALSE(a->inst[2].divergent);
    flow_analysis b(flow_text({{"k",
                                {"S2R =R4 A:SR_LANEID", "ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT",
                                 "P0 BRA A:@4", "MOV =R6 A:RZ", "STG.SYS A:[R6] B:R7", "EXIT"}}}));
    EXPECT_TRUE(b->inst[2].divergent);
}

// Lanes leave the loop one after the other and wait with what they computed in it.
TEST(FlowDivergence, LanesThatLeftALoopHoldItsResult)
{
    flow_analysis a(flow_text(
        {{"k",
          {"S2R =R4 A:SR_TID.X", "MOV =R6 A:RZ", "BSSY =B0 A:@8", "IADD3 =R6 A:R4 B:0x1 C:RZ",
           "IADD3 =R4 A:R4 B:-0x1 C:RZ", "ISETP.NE.AND =P0 =PT A:R4 B:RZ ?PT", "P0 BRA A:@3",
           "BSYNC A:B0", "STG.SYS A:[R6] B:R6", "EXIT"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_TRUE(a->inst[6].divergent);
    EXPECT_FALSE(a.live(2, 6)) << "the loop writes it first";
    EXPECT_FALSE(a.warp_live(2, 6)) << "all lanes enter together";
    EXPECT_TRUE(a.warp_live(6, 6));
    // in the second round, those that left hold R6 while the others overwrite their own
    EXPECT_TRUE(smrf_regset_has(&a->block[a->inst[3].block].held, 6));
    EXPECT_FALSE(smrf_regset_has(&a->block[a->inst[8].block].held, 6));
}

// A load over its own address, while others wait: what these have in the register is needed by
// nobody, or only behind the place where all meet; and by those whom a guard leaves out.
TEST(FlowDivergence, ALoadOverwritesWhatOtherLanesHaveUnlessTheyNeedIt)
{
    for (const bool needed : {false, true}) {
        flow_analysis a(
            flow_text({{"k",
                        {"S2R =R4 A:SR_TID.X", "ISETP.GE.AND =P0 =PT A:R4 B:R5 ?PT",
                         "BSSY =B0 A:@7", "P0 BRA A:@7", "LDG.E.SYS =R6 A:[R6]",
                         "P1 LDG.E.SYS =R9 A:[R6]", "STG.SYS A:[R8] B:R9", "BSYNC A:B0",
                         needed ? "STG.SYS A:[R6] B:R6" : "STG.SYS A:[R8] B:R8", "EXIT"}}}));
        ASSERT_EQ(a.rc, 0) << a.reason;
        EXPECT_TRUE(a->inst[3].divergent);
        EXPECT_TRUE(a.warp_live(4, 6)) << "its own lanes do";
        EXPECT_EQ(needed, a.others_need(4));
        EXPECT_TRUE(a.others_need(5)) << "whom the guard leaves out";
    }
}

TEST(FlowDivergence, ACallersWaitingLanesHoldTheirsInTheCallee)
{
    flow_analysis a(flow_text(
        {{"k",
          {"S2R =R4 A:SR_TID.X", "ISETP.NE.AND =P0 =PT A:R4 B:RZ ?PT", "BSSY =B6 A:@6",
           "P0 BRA A:@5", "CALL.REL.NOINC A:@8", "BSYNC A:B6", "STG.SYS A:[R30] B:R30", "EXIT"}},
         {"f", {"MOV =R30 A:RZ", "MOV =R6 A:R30", "RET.ABS.NODEC A:R20 B:0x0"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_TRUE(a->inst[3].divergent);
    EXPECT_FALSE(a.live(3, 31));
    EXPECT_TRUE(smrf_regset_has(&a->block[a->inst[8].block].held, 30));
    EXPECT_FALSE(a->function[1].parts);
    const std::vector<std::string> f = {"ISETP.NE.AND =P0 =PT A:R4 B:RZ ?PT", "P0 BRA A:@6",
                                        "MOV =R6 A:RZ", "RET.ABS.NODEC A:R20 B:0x0"};
    flow_analysis b(
        flow_text({{"k", {"S2R =R4 A:SR_TID.X", "CALL.REL.NOINC A:@3", "EXIT"}}, {"f", f}}));
    EXPECT_TRUE(b->function[1].parts) << "nothing brings its lanes together";
    flow_analysis c(
        flow_text({{"k", {"S2R =R4 A:SR_CTAID.X", "CALL.REL.NOINC A:@3", "EXIT"}}, {"f", f}}));
    EXPECT_FALSE(c->function[1].parts) << "all callers hand it one value for all lanes";
}

TEST(FlowLiveness, ALoadOfSomeLanesIsAllThatItsReadersSeeIfTheyHaveItsGuard)
{
    flow_analysis a(flow_text({{"k",
                                {"ISETP.NE.AND =P0 =PT A:R9 B:RZ ?PT", // 0
                                 "P2R =R8 A:PR B:RZ C:0x1",            // 1
                                 "P0 LDG =R4 A:[R2]",                  // 2: for 5
                                 "P0 LDG =R5 A:[R2]", // 3: for 6, whose guard is another
                                 "ISETP.NE.AND =P1 =PT A:R8 B:RZ ?PT", // 4: P0 again
                                 "P1 FADD =R6 A:R4 B:R4",              // 5
                                 "!P1 FADD =R7 A:R5 B:R5",             // 6
                                 "ISETP.NE.AND =P0 =PT A:R7 B:RZ ?PT", // 7
                                 "P0 LDG =R4 A:[R2]",                  // 8: for 9, another P0
                                 "P1 FADD =R6 A:R4 B:R4", "EXIT"}}}));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_FALSE(a.live(1, 4)) << "what lanes without the guard have there is never read";
    EXPECT_TRUE(a.live(1, 5));
    EXPECT_TRUE(a.live(2, 4) && a.live(3, 5));
    EXPECT_TRUE(a.live(7, 4));
    EXPECT_FALSE(a.others_need(2));
    EXPECT_TRUE(a.others_need(3));
    EXPECT_TRUE(a.others_need(8));
}

TEST(FlowBranch, AnIndexedBranchGoesWhereTheSidecarSays)
{
    const std::vector<flow_function> k = {{"k",
                                           {"LDC =R4 A:c[0x2][R5]", "BRX A:R4 B:@0", "MOV =R6 A:R7",
                                            "EXIT", "MOV =R6 A:R8", "EXIT"}}};
    flow_analysis a(flow_text(k, ".branch 0010 0020 0040\n"));
    ASSERT_EQ(a.rc, 0) << a.reason;
    EXPECT_EQ(a->block[a->inst[1].block].num_succ, 2u);
    EXPECT_FALSE(a->function[0].unknown_jump);
    EXPECT_TRUE(a.live(1, 7) && a.live(1, 8));
    EXPECT_FALSE(a.live(1, 6));
    EXPECT_FALSE(a.live(2, 7));
    flow_analysis unknown(flow_text(k));
    EXPECT_TRUE(unknown->function[0].unknown_jump);
    EXPECT_TRUE(unknown.live(1, 99) && unknown.warp_live(3, 99));
}

TEST(FlowBuild, WhatDoesNotFitIsRefused)
{
    const struct {
        const char *text, *reason;
    } cases[] = {
        {"#smrf operands 1\n0000 PT EXIT\n", "version 1"},
        {"#smrf operands 2\n0000 PT - EXIT\n", "begin with a kernel"},
        {"#smrf operands 2\n.function 0000 10 8 device f\n0000 PT - EXIT\n", "begin with a kernel"},
        {"#smrf operands 2\n.function 0010 10 8 kernel f\n0010 PT - EXIT\n", "begin with a kernel"},
        {"#smrf operands 2\n.function 0000 10 8 kernel f\n", "without instructions"},
        {"#smrf operands 2\n.function 0000 10 8 kernel f\n0000 PT - BRA A:0x40\n",
         "no instruction"},
    };
    for (const auto &c : cases) {
        flow_analysis a(c.text);
        EXPECT_LT(a.rc, 0) << c.text;
        EXPECT_NE(a.reason.find(c.reason), std::string::npos) << a.reason;
    }
}

} // namespace
