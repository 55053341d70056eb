// SPDX-License-Identifier: Apache-2.0
// Every form of operand that nvdisasm prints for sm_75, field by field.
#include "tests/support/sass_text.h"

#include <cmath>

using smrf_test::sass_function;
using smrf_test::sass_instruction;
using smrf_test::sass_module;

namespace
{

constexpr uint64_t code = SMRF_SASS_CODE_BASE;

TEST(SassInstruction, SplitsTheMnemonicAtItsDots)
{
    sass_instruction i("IMAD.WIDE.U32 R2, R16, -0x55555555, RZ");
    EXPECT_STREQ(i->opcode, "IMAD");
    EXPECT_STREQ(i->mnemonic, "IMAD.WIDE.U32");
    ASSERT_EQ(i->num_modifiers, 2);
    EXPECT_STREQ(i->modifier[0], "WIDE");
    EXPECT_STREQ(i->modifier[1], "U32");
    EXPECT_STREQ(i->text, "IMAD.WIDE.U32 R2, R16, -0x55555555, RZ");
    EXPECT_EQ(i->num_operands, 4);
    EXPECT_EQ(i->address, code);
    EXPECT_EQ(i->line, 9u);
}

TEST(SassInstruction, WithoutGuardIsGuardedByTrue)
{
    sass_instruction i("EXIT");
    EXPECT_EQ(i->guard, 7);
    EXPECT_FALSE(i->guard_inverted);
    EXPECT_FALSE(i->guard_uniform);
    EXPECT_EQ(i->num_operands, 0);
}

TEST(SassInstruction, ReadsGuardsOfBothPredicateFiles)
{
    sass_instruction inverted("@!P3 EXIT");
    EXPECT_EQ(inverted->guard, 3);
    EXPECT_TRUE(inverted->guard_inverted);
    EXPECT_FALSE(inverted->guard_uniform);
    EXPECT_STREQ(inverted->text, "@!P3 EXIT");
    sass_instruction uniform("@UP1 UMOV UR4, URZ");
    EXPECT_EQ(uniform->guard, 1);
    EXPECT_FALSE(uniform->guard_inverted);
    EXPECT_TRUE(uniform->guard_uniform);
    EXPECT_EQ(sass_instruction("@!PT BRA P0, 0x0")->guard, 7);
}

TEST(SassInstruction, LeavesOutRemarksAndEncodings)
{
    sass_module m("\t.section\t.text.k,\"ax\",@progbits\nk:\n"
                  "        /*0000*/                   YIELD      "
                  "(*\"RELOCATOR OPCODE,YIELD,280\"*);     /* 0x0000000000007946 */\n"
                  "                                                  /* 0x003fec0003800000 */\n"
                  "        /*0010*/                   EXIT ;   // |  1   |\n");
    ASSERT_EQ(m.code(), 0) << m.error();
    ASSERT_EQ(m->num_insts, 2u);
    EXPECT_STREQ(m->inst[0].text, "YIELD");
    EXPECT_EQ(m->inst[0].num_operands, 0);
    EXPECT_EQ(m->inst[1].address, code + 16);
}

TEST(SassOperand, RegistersOfEveryFile)
{
    struct {
        const char *text;
        int kind, number;
    } const cases[] = {
        {"R0", SMRF_SASS_REG, 0},       {"R254", SMRF_SASS_REG, 254}, {"RZ", SMRF_SASS_REG, 255},
        {"UR0", SMRF_SASS_UREG, 0},     {"UR62", SMRF_SASS_UREG, 62}, {"URZ", SMRF_SASS_UREG, 63},
        {"P0", SMRF_SASS_PRED, 0},      {"P6", SMRF_SASS_PRED, 6},    {"PT", SMRF_SASS_PRED, 7},
        {"UP0", SMRF_SASS_UPRED, 0},    {"UPT", SMRF_SASS_UPRED, 7},  {"B0", SMRF_SASS_BARRIER, 0},
        {"B15", SMRF_SASS_BARRIER, 15},
    };
    for (const auto &c : cases) {
        sass_instruction i(std::string("MOV ") + c.text);
        EXPECT_EQ(i.operand(0).kind, c.kind) << c.text;
        EXPECT_EQ(i.operand(0).reg, c.number) << c.text;
    }
}

TEST(SassOperand, SignsAndHints)
{
    sass_instruction i("X -R1, |R2|, -|R3|, ~R4, !P5, R6.reuse, |R7|.reuse, -R8.reuse");
    EXPECT_TRUE(i.operand(0).negated);
    EXPECT_TRUE(i.operand(1).absolute);
    EXPECT_FALSE(i.operand(1).negated);
    EXPECT_TRUE(i.operand(2).absolute && i.operand(2).negated);
    EXPECT_TRUE(i.operand(3).inverted);
    EXPECT_FALSE(i.operand(3).negated);
    EXPECT_TRUE(i.operand(4).inverted);
    EXPECT_EQ(i.operand(4).kind, SMRF_SASS_PRED);
    EXPECT_TRUE(i.operand(5).reuse);
    EXPECT_TRUE(i.operand(6).reuse && i.operand(6).absolute);
    EXPECT_TRUE(i.operand(7).reuse && i.operand(7).negated);
    EXPECT_FALSE(i.operand(0).reuse);
}

TEST(SassOperand, PartsOfRegisters)
{
    const std::pair<const char *, int> parts[] = {
        {"R1.H0_H0", SMRF_SASS_H0_H0},   {"R1.H1_H1", SMRF_SASS_H1_H1},
        {"R1.H1_H0", SMRF_SASS_H1_H0},   {"R1.H0_NH1", SMRF_SASS_H0_NH1},
        {"R1.H0", SMRF_SASS_H0},         {"R1.H1", SMRF_SASS_H1},
        {"R1.B0", SMRF_SASS_B0},         {"R1.B1", SMRF_SASS_B1},
        {"R1.B2", SMRF_SASS_B2},         {"R1.B3", SMRF_SASS_B3},
        {"R1.ROW", SMRF_SASS_ROW},       {"R1.reuse.COL", SMRF_SASS_COL},
        {"R1.24", SMRF_SASS_LOW24},      {"RZ.reuse.28", SMRF_SASS_LOW28},
        {"|R1|.H1_H1", SMRF_SASS_H1_H1}, {"R1", SMRF_SASS_WHOLE}};
    for (const auto &[text, part] : parts) {
        EXPECT_EQ(sass_instruction(std::string("X ") + text).operand(0).part, part) << text;
    }
}

TEST(SassOperand, IntegerImmediatesKeepTheirSign)
{
    sass_instruction i("X 0x0, -0x5, 0xffffffff, 0x7fffffffffffffff");
    EXPECT_EQ(i.operand(0).kind, SMRF_SASS_INT);
    EXPECT_EQ(i.operand(0).imm, 0);
    EXPECT_EQ(i.operand(1).imm, -5);
    EXPECT_EQ(i.operand(2).imm, INT64_C(0xffffffff));
    EXPECT_EQ(i.operand(3).imm, INT64_MAX);
}

TEST(SassOperand, FloatImmediatesOfEveryForm)
{
    sass_instruction i("X 1.5, -0.63661974668502807617, 1.84467440737095516160e+19, "
                       "2.3283064365386962891e-10, 16777216, -24, +INF , -QNAN ");
    const double values[] = {
        1.5, -0.63661974668502807617, 18446744073709551616.0, 2.3283064365386962891e-10, 16777216,
        -24};
    for (unsigned k = 0; k < 6; k++) {
        EXPECT_EQ(i.operand(k).kind, SMRF_SASS_FLOAT);
        EXPECT_EQ(i.operand(k).number, values[k]) << k;
    }
    EXPECT_TRUE(std::isinf(i.operand(6).number) && i.operand(6).number > 0);
    EXPECT_TRUE(std::isnan(i.operand(7).number));
    EXPECT_TRUE(std::signbit(i.operand(7).number));
    EXPECT_LT(sass_instruction("X -INF , PT").operand(0).number, 0);
}

TEST(SassOperand, ConstantsOfEveryForm)
{
    sass_instruction i("X c[0x0][0x160], -c[0x3][R2+0x10], |c[0x2][R5]|, c[0x0][UR4+-0x8], "
                       "cx[UR6][0x20], c[0x1] [0x4].F32");
    for (unsigned k = 0; k < 6; k++) {
        EXPECT_EQ(i.operand(k).kind, SMRF_SASS_CONST) << k;
    }
    EXPECT_EQ(i.operand(0).bank, 0);
    EXPECT_EQ(i.operand(0).imm, 0x160);
    EXPECT_EQ(i.operand(0).reg, 255);
    EXPECT_EQ(i.operand(0).ureg, 63);
    EXPECT_EQ(i.operand(1).bank, 3);
    EXPECT_EQ(i.operand(1).reg, 2);
    EXPECT_EQ(i.operand(1).imm, 0x10);
    EXPECT_TRUE(i.operand(1).negated);
    EXPECT_EQ(i.operand(2).reg, 5);
    EXPECT_TRUE(i.operand(2).absolute);
    EXPECT_EQ(i.operand(3).ureg, 4);
    EXPECT_EQ(i.operand(3).imm, -8);
    EXPECT_EQ(i.operand(4).bank, SMRF_SASS_BINDLESS);
    EXPECT_EQ(i.operand(4).ureg, 6);
    EXPECT_EQ(i.operand(4).imm, 0x20);
    EXPECT_EQ(i.operand(5).bank, 1);
    EXPECT_EQ(i.operand(5).part, SMRF_SASS_F32);
}

TEST(SassOperand, AddressesOfEveryForm)
{
    sass_instruction i("X [R2], [R2.64+UR4+0x8], [R2.X4+0x10], [UR4+0x8], [R2.U32+UR4], [0x10], "
                       "[R2+-0x10], a[0x10]");
    for (unsigned k = 0; k < 8; k++) {
        EXPECT_EQ(i.operand(k).kind, SMRF_SASS_MEM) << k;
    }
    EXPECT_EQ(i.operand(0).reg, 2);
    EXPECT_EQ(i.operand(0).scale, 1);
    EXPECT_FALSE(i.operand(0).wide);
    EXPECT_TRUE(i.operand(1).wide);
    EXPECT_EQ(i.operand(1).ureg, 4);
    EXPECT_EQ(i.operand(1).imm, 8);
    EXPECT_EQ(i.operand(2).scale, 4);
    EXPECT_EQ(i.operand(2).imm, 16);
    EXPECT_EQ(i.operand(3).reg, 255);
    EXPECT_EQ(i.operand(3).ureg, 4);
    EXPECT_TRUE(i.operand(4).u32);
    EXPECT_EQ(i.operand(4).ureg, 4);
    EXPECT_EQ(i.operand(5).reg, 255);
    EXPECT_EQ(i.operand(5).ureg, 63);
    EXPECT_EQ(i.operand(5).imm, 16);
    EXPECT_EQ(i.operand(6).imm, -16);
    EXPECT_STREQ(i.operand(7).name, "a");
    EXPECT_EQ(sass_instruction("X [R2.X16]").operand(0).scale, 16);
    EXPECT_EQ(sass_instruction("X [R2.X8+UR4]").operand(0).scale, 8);
}

TEST(SassOperand, NamesThatAreNoRegisters)
{
    sass_instruction i("X SR_TID.X, SRZ, PR, SB0, 2D, ARRAY_2D, MACTIVE, {5,B1,0}");
    const char *names[] = {"SR_TID.X", "SRZ", "PR", "SB0", "2D", "ARRAY_2D", "MACTIVE"};
    for (unsigned k = 0; k < 7; k++) {
        EXPECT_EQ(i.operand(k).kind, SMRF_SASS_SPECIAL);
        EXPECT_STREQ(i.operand(k).name, names[k]);
    }
    EXPECT_EQ(i.operand(7).kind, SMRF_SASS_INT);
    EXPECT_EQ(i.operand(7).imm, 0x23);
}

TEST(SassOperand, BranchTargetsAreAbsolute)
{
    sass_module m(sass_function("k", {"NOP", ".L_x_1:", "BRA `(.L_x_1)", "@P0 BRA P1, `(.L_x_2)",
                                      "BSSY B0, `(.L_x_2)", ".L_x_2:", "EXIT"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->inst[1].operand[0].kind, SMRF_SASS_CODE);
    EXPECT_EQ(m->inst[1].operand[0].imm, static_cast<int64_t>(code + 0x10));
    EXPECT_EQ(m->inst[2].operand[0].kind, SMRF_SASS_PRED);
    EXPECT_EQ(m->inst[2].operand[1].imm, static_cast<int64_t>(code + 0x40));
    EXPECT_EQ(m->inst[3].operand[1].imm, static_cast<int64_t>(code + 0x40));
}

TEST(SassOperand, TargetsAfterARegisterAreWhatItIsAddedTo)
{
    sass_module m(
        sass_function("k", {"NOP", "CALL.REL.NOINC R2 `(k)", "RET.REL.NODEC R20 `(k)",
                            "BRX R6 -0x40 (*\"BRANCH_TARGETS .L_x_95,.L_x_96\"*)",
                            "BRX R6 `(((.text.k - .) - 0x10))", "RET.ABS.NODEC R20 0x0"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    for (unsigned k = 1; k < 5; k++) {
        ASSERT_EQ(m->inst[k].num_operands, 2) << k;
        EXPECT_EQ(m->inst[k].operand[0].kind, SMRF_SASS_REG) << k;
        EXPECT_EQ(m->inst[k].operand[1].kind, SMRF_SASS_CODE) << k;
        EXPECT_EQ(m->inst[k].operand[1].imm, static_cast<int64_t>(code)) << k;
    }
    EXPECT_EQ(m->inst[5].operand[1].kind, SMRF_SASS_INT);
    EXPECT_EQ(m->inst[5].operand[1].imm, 0);
}

TEST(SassOperand, RelocatedImmediates)
{
    sass_module m(sass_function("pad", {"NOP", "NOP"}, false) +
                  sass_function("k", {"MOV R20, 32@lo((k + .L_x_4@srel))",
                                      "MOV R21, 32@hi((k + .L_x_4@srel))", ".L_x_4:",
                                      "UMOV UR4, 32@lo(pad)", "MOV R2, 32@lo(fun@fdesc(pad))"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    const smrf_sass_inst *i = m->inst + m.function("k").first;
    EXPECT_EQ(i[0].operand[1].kind, SMRF_SASS_INT);
    EXPECT_EQ(i[0].operand[1].imm, INT64_C(0x000000a0)); /* k at 0x80, the label 0x20 behind */
    EXPECT_EQ(i[1].operand[1].imm, INT64_C(0x7e12));
    EXPECT_EQ(i[2].operand[1].imm, 0);
    EXPECT_EQ(i[3].operand[1].imm, 0);
}

struct bad_line {
    const char *text, *reason;
};

class SassBadInstruction : public testing::TestWithParam<bad_line>
{
};

TEST_P(SassBadInstruction, IsRefusedWithFileLineAndReason)
{
    sass_module m(sass_function("k", {"NOP", GetParam().text}));
    EXPECT_EQ(m.get(), nullptr);
    EXPECT_LT(m.code(), 0);
    EXPECT_NE(m.error().find("k.sass:10: "), std::string::npos) << m.error();
    EXPECT_NE(m.error().find(GetParam().reason), std::string::npos) << m.error();
}

INSTANTIATE_TEST_SUITE_P(
    All, SassBadInstruction,
    testing::Values(
        bad_line{"MOV R255, R1", "no such register"}, bad_line{"MOV R01, R1", "no such register"},
        bad_line{"MOV UR63, R1", "no such register"}, bad_line{"MOV P7, R1", "no such register"},
        bad_line{"MOV UP9, R1", "no such register"}, bad_line{"MOV B16, R1", "no such register"},
        bad_line{"MOV R1000", "no such register"}, bad_line{"MOV R1,, R2", "expected an operand"},
        bad_line{"MOV R1,", "expected an operand"}, bad_line{"MOV R1 R2", "',' or ';' expected"},
        bad_line{"MOV R1.Q, R2", "unknown suffix"}, bad_line{"MOV R1, |R2", "closing '|'"},
        bad_line{"MOV R1, 0x", "bad number"}, bad_line{"MOV R1, 0x10000000000000000", "bad number"},
        bad_line{"MOV R1, 1.5e", "bad number"}, bad_line{"MOV R1, 1..5", "bad number"},
        bad_line{"MOV R1, -0xffffffffffffffff", "bad number"},
        bad_line{"MOV R1, c[0x0]", "'][' of a constant"}, bad_line{"MOV R1, c[0x20][0x0]", "bank"},
        bad_line{"MOV R1, c[0x0][0x10", "']' or '+'"}, bad_line{"MOV R1, cx[R4][0x0]", "bindless"},
        bad_line{"MOV R1, c[", "ends early"}, bad_line{"LD R1, [R2+R3]", "expected a register"},
        bad_line{"LD R1, [UR2+UR3]", "expected a register"}, bad_line{"LD R1, [", "ends early"},
        bad_line{"LD R1, [R2.X3]", "unknown suffix of an address"},
        bad_line{"LD R1, [R2+0x1ffffffff]", "bad offset"}, bad_line{"LD R1, [R2 R3]", "']' or '+'"},
        bad_line{"X {32}", "0 to 31"}, bad_line{"X {1", "'}' expected"},
        bad_line{"@P7 EXIT", "expected a predicate"}, bad_line{"@R1 EXIT", "expected a predicate"},
        bad_line{"@P1x EXIT", "expected a predicate"}, bad_line{"@P1", "expected an instruction"},
        bad_line{"1MOV R1", "expected an instruction"}, bad_line{"MOV..X R1", "empty part"},
        bad_line{"MOV. R1", "empty part"}, bad_line{"A.1.2.3.4.5.6.7.8.9.10.11 R1", "more than"},
        bad_line{"MOV,R1", "space expected"},
        bad_line{"X R1, R1, R1, R1, R1, R1, R1, R1, R1", "more than 8"},
        bad_line{"NOP ; NOP", "after the instruction"},
        bad_line{"BRA `(.L_x_9)", "defined nowhere"},
        bad_line{"MOV R1, 32@lo(nobody)", "defined nowhere"},
        bad_line{"MOV R1, 32@mid(k)", "unknown relocation operator"},
        bad_line{"MOV R1, fun@R_ARM(k)", "unknown relocation operator"},
        bad_line{"MOV R1, 32@lo k", "'(' expected"}, bad_line{"MOV R1, 32@lo(k", "')' is missing"},
        bad_line{"MOV R1, 32@lo()", "expected a symbol"},
        bad_line{"BRA `(k + )", "expected a symbol"},
        bad_line{"BRA `(k + k + k + k + k)", "more than 4 symbols"},
        bad_line{"BRA `(((((((((((((((((((k)))))))))))))))))))", "nest deeper"},
        bad_line{"BRA `(k - k)", "outside the code"},
        bad_line{"BRA `(k + 0x8)", "outside the code"}, bad_line{"BRA 0x7000", "outside the code"},
        bad_line{"MOV R1, c[`(k)]", "constant bank"}));

} // namespace
