// SPDX-License-Identifier: Apache-2.0
// The capture's lines, one instruction's at a time, as Accel-Sim's tracer lists operands (oracle:
// the rules written out as texts).
#include "tests/support/sass_text.h"

#include "firmware/capture/code.h"
#include "firmware/capture/stream.h"

#include <sstream>

using namespace smrf_test;

namespace
{

std::string name(uint16_t reg)
{
    return reg >= 256 ? "UR" + std::to_string(reg - 256) : "R" + std::to_string(reg);
}

// "1 R4 IMAD 2 R0 R3 0 5": what stands on the line between mask and addresses, then immediates.
std::string line_text(const smrf_trace_line &l, bool second)
{
    std::string t = std::to_string(l.num_dst) + " ";
    for (unsigned i = 0; i < l.num_dst; i++) {
        t += name(l.dst[i]) + " ";
    }
    t += std::string(l.opcode) + " " + std::to_string(l.num_src) + " ";
    for (unsigned i = 0; i < l.num_src; i++) {
        t += name(l.src[i]) + " ";
    }
    t += std::to_string(l.mem_width) + " " + std::to_string(static_cast<int64_t>(l.imm[0]));
    return second ? t + " " + std::to_string(static_cast<int64_t>(l.imm[1])) : t;
}

// The instruction under test stands at 0x10 of the kernel; a label .L_1 is at 0x20, and a function
// f of two instructions follows the kernel's 0x40 bytes.
struct one_line {
    explicit one_line(const std::string &line)
        : module(sass_function("k", {"NOP", line, ".L_1:", "EXIT", "NOP"}) +
                 sass_function("f", {"NOP", "RET.REL.NODEC R20 `(f)"}, false))
    {
        EXPECT_EQ(module.code(), 0) << module.error();
        if (module.get() == nullptr) {
            return;
        }
        ops.resize(module->num_insts);
        for (uint32_t i = 0; i < module->num_insts; i++) {
            ops[i].inst = &module->inst[i];
            for (unsigned k = 0; k < module->inst[i].num_operands; k++) {
                if (module->inst[i].operand[k].kind == SMRF_SASS_MEM) {
                    ops[i].control = SMRF_EXEC_MEMORY;
                }
            }
        }
        code = {module.get(), ops.data(), SMRF_EXEC_RZ};
    }
    std::string text(uint32_t version)
    {
        smrf_capture_code *made = nullptr;
        char error[SMRF_SASS_ERROR_BYTES] = "";
        EXPECT_EQ(smrf_capture_code_make(&made, &code, &module.function("k"), version, true, error),
                  0)
            << error;
        const uint32_t index = module.function("k").first + 1;
        std::string t = made ? line_text(made->op[index]->line, version >= 6) : error;
        char side[SMRF_CAPTURE_TEXT_MAX] = "";
        EXPECT_TRUE(made && smrf_capture_text(made, &module->inst[index], side));
        sidecar = side;
        smrf_capture_code_free(made);
        return t;
    }
    sass_module module;
    std::vector<smrf_exec_op> ops;
    smrf_exec_code code{};
    std::string sidecar;
};

struct listing {
    const char *sass, *v5, *v6, *sidecar;
};

// Accel-Sim's tracer_tool.cu: operand 0 is the destination if it is a register; of an address the
// base; constants, predicates and (version 5) uniform registers are left out; RZ is R255; the
// immediate is the last one, in version 6 the first two.
const listing listings[] = {
    {"IMAD R0, R7, c[0x0][0x0], R3", "1 R0 IMAD 2 R7 R3 0 0", "1 R0 IMAD 2 R7 R3 0 0 0",
     "0010 PT - IMAD =R0 A:R7 B:c[0x0][0x0] C:R3"},
    {"IADD3 R1, R1.reuse, -0x10, RZ", "1 R1 IADD3 2 R1 R255 0 -16", "1 R1 IADD3 2 R1 R255 0 -16 0",
     "0010 PT - IADD3 =R1 A:R1.reuse B:-0x10 C:RZ"},
    {"IADD3 R4, P0, R4, 0x40, RZ", "1 R4 IADD3 2 R4 R255 0 64", "1 R4 IADD3 2 R4 R255 0 64 0",
     "0010 PT - IADD3 =R4 =P0 A:R4 B:0x40 C:RZ"},
    {"IADD3.X R5, RZ, R5, RZ, P0, !PT", "1 R5 IADD3.X 3 R255 R5 R255 0 0",
     "1 R5 IADD3.X 3 R255 R5 R255 0 0 0", "0010 PT - IADD3.X =R5 A:RZ B:R5 C:RZ ?P0 ?!PT"},
    {"@!P2 ISETP.GE.AND P0, PT, R8, c[0x0][0x178], PT", "0 ISETP.GE.AND 1 R8 0 0",
     "0 ISETP.GE.AND 1 R8 0 0 0", "0010 !P2 - ISETP.GE.AND =P0 =PT A:R8 B:c[0x0][0x178] ?PT"},
    {"PLOP3.LUT P0, PT, P1, PT, !P2, 0x80, 0x8", "0 PLOP3.LUT 0 0 8", "0 PLOP3.LUT 0 0 128 8",
     "0010 PT - PLOP3.LUT =P0 =PT ?P1 ?PT ?!P2 A:0x80 B:0x8"},
    {"LOP3.LUT P2, RZ, R9, 0x3, RZ, 0xc0, !PT", "0 LOP3.LUT 3 R255 R9 R255 0 192",
     "0 LOP3.LUT 3 R255 R9 R255 0 3 192", "0010 PT - LOP3.LUT =P2 =RZ A:R9 B:0x3 C:RZ D:0xc0 ?!PT"},
    {"LEA R2, P1, R4, c[0x0][0x160], 0x2", "1 R2 LEA 1 R4 0 2", "1 R2 LEA 1 R4 0 2 0",
     "0010 PT - LEA =R2 =P1 A:R4 B:c[0x0][0x160] C:0x2"},
    {"SHFL.UP PT, R2, R11, 0x1, RZ", "0 SHFL.UP 3 R2 R11 R255 0 1", "0 SHFL.UP 3 R2 R11 R255 0 1 0",
     "0010 PT - SHFL.UP =PT =R2 A:R11 B:0x1 C:RZ"},
    {"VOTE.ANY R6, PT, P0", "1 R6 VOTE.ANY 0 0 0", "1 R6 VOTE.ANY 0 0 0 0",
     "0010 PT - VOTE.ANY =R6 =PT ?P0"},
    {"VOTE.ALL P1, P0", "0 VOTE.ALL 0 0 0", "0 VOTE.ALL 0 0 0 0", "0010 PT - VOTE.ALL =P1 ?P0"},
    {"FSETP.GTU.AND P0, PT, |R5|, +INF , PT", "0 FSETP.GTU.AND 1 R5 0 0",
     "0 FSETP.GTU.AND 1 R5 0 0 0", "0010 PT - FSETP.GTU.AND =P0 =PT A:|R5| B:+INF ?PT"},
    {"HFMA2 R1, R1.H0_H0, R2, -R3.H1_H1", "1 R1 HFMA2 3 R1 R2 R3 0 0",
     "1 R1 HFMA2 3 R1 R2 R3 0 0 0", "0010 PT - HFMA2 =R1 A:R1.H0_H0 B:R2 C:-R3.H1_H1"},
    {"FADD R0, -R1, 1.5", "1 R0 FADD 1 R1 0 0", "1 R0 FADD 1 R1 0 0 0",
     "0010 PT - FADD =R0 A:-R1 B:1.5"},
    {"S2R R3, SR_CTAID.X", "1 R3 S2R 0 0 0", "1 R3 S2R 0 0 0 0", "0010 PT - S2R =R3 A:SR_CTAID.X"},
    {"HMMA.1688.F32 R4, R8.reuse, R2, R4", "1 R4 HMMA.1688.F32 3 R8 R2 R4 0 0",
     "1 R4 HMMA.1688.F32 3 R8 R2 R4 0 0 0", "0010 PT - HMMA.1688.F32 =R4 A:R8.reuse B:R2 C:R4"},
    {"LDG.E.128.SYS R4, [R2+0x10]", "1 R4 LDG.E.128.SYS 1 R2 16 0",
     "1 R4 LDG.E.128.SYS 1 R2 16 0 0", "0010 PT - LDG.E.128.SYS =R4 A:[R2+0x10]"},
    {"@P0 STG.E.SYS [R8+-0x4], R6", "0 STG.E.SYS 2 R8 R6 4 0", "0 STG.E.SYS 2 R8 R6 4 0 0",
     "0010 P0 - STG.E.SYS A:[R8-0x4] B:R6"},
    {"LDG.E.SYS R4, [R2.reuse+0x10]", "1 R4 LDG.E.SYS 1 R2 4 0", "1 R4 LDG.E.SYS 1 R2 4 0 0",
     "0010 PT - LDG.E.SYS =R4 A:[R2.reuse+0x10]"},
    {"LDS.U R5, [0x10]", "1 R5 LDS.U 1 R255 4 0", "1 R5 LDS.U 1 R255 4 0 0",
     "0010 PT - LDS.U =R5 A:[0x10]"},
    {"LDS.U.U8 R5, [R9.X4+UR4+0x10]", "1 R5 LDS.U.U8 1 R9 1 0", "1 R5 LDS.U.U8 1 R9 1 0 0",
     "0010 PT - LDS.U.U8 =R5 A:[R9.X4+UR4+0x10]"},
    {"STL.64 [R1], R6", "0 STL.64 2 R1 R6 8 0", "0 STL.64 2 R1 R6 8 0 0",
     "0010 PT - STL.64 A:[R1] B:R6"},
    {"ATOMG.E.ADD.STRONG.GPU PT, R0, [R2], R5", "0 ATOMG.E.ADD.STRONG.GPU 3 R0 R2 R5 4 0",
     "0 ATOMG.E.ADD.STRONG.GPU 3 R0 R2 R5 4 0 0",
     "0010 PT - ATOMG.E.ADD.STRONG.GPU =PT =R0 A:[R2] B:R5"},
    {"RED.E.ADD.STRONG.GPU [R2], R5", "0 RED.E.ADD.STRONG.GPU 2 R2 R5 4 0",
     "0 RED.E.ADD.STRONG.GPU 2 R2 R5 4 0 0", "0010 PT - RED.E.ADD.STRONG.GPU A:[R2] B:R5"},
    {"LDC R2, c[0x3][R4+0x8]", "1 R2 LDC 0 0 0", "1 R2 LDC 0 0 0 0",
     "0010 PT - LDC =R2 A:c[0x3][R4+0x8]"},
    {"UMOV UR4, 0x5", "0 UMOV 0 0 5", "1 UR4 UMOV 0 0 5 0", "0010 PT - UMOV =UR4 A:0x5"},
    {"IMAD R10, R10, UR4, R3", "1 R10 IMAD 2 R10 R3 0 0", "1 R10 IMAD 3 R10 UR4 R3 0 0 0",
     "0010 PT - IMAD =R10 A:R10 B:UR4 C:R3"},
    {"R2UR UR6, R2", "0 R2UR 1 R2 0 0", "1 UR6 R2UR 1 R2 0 0 0", "0010 PT - R2UR =UR6 A:R2"},
    {"@P0 BRA `(.L_1)", "0 BRA 0 0 32", "0 BRA 0 0 32 0", "0010 P0 - BRA A:0x20"},
    {"BSSY B0, `(.L_1)", "0 BSSY 0 0 32", "0 BSSY 0 0 32 0", "0010 PT - BSSY =B0 A:0x20"},
    {"BSYNC B0", "0 BSYNC 0 0 0", "0 BSYNC 0 0 0 0", "0010 PT - BSYNC A:B0"},
    {"BMOV.32.CLEAR RZ, B6", "1 R255 BMOV.32.CLEAR 0 0 0", "1 R255 BMOV.32.CLEAR 0 0 0 0",
     "0010 PT - BMOV.32.CLEAR =RZ A:B6"},
    {"BMOV.32 B6, R2", "0 BMOV.32 1 R2 0 0", "0 BMOV.32 1 R2 0 0 0", "0010 PT - BMOV.32 =B6 A:R2"},
    {"CALL.REL.NOINC `(f)", "0 CALL.REL.NOINC 0 0 64", "0 CALL.REL.NOINC 0 0 64 0",
     "0010 PT - CALL.REL.NOINC A:0x40"},
    {"RET.REL.NODEC R20 `(k)", "1 R20 RET.REL.NODEC 0 0 0", "1 R20 RET.REL.NODEC 0 0 0 0",
     "0010 PT - RET.REL.NODEC A:R20 B:0x0"},
    {"BAR.SYNC 0x1", "0 BAR.SYNC 0 0 1", "0 BAR.SYNC 0 0 1 0", "0010 PT - BAR.SYNC A:0x1"},
};

TEST(Capture, ListsOperandsAsAccelSimsTracerDoes)
{
    for (const listing &l : listings) {
        one_line one(l.sass);
        if (one.module.get() == nullptr) {
            continue;
        }
        EXPECT_EQ(one.text(5), l.v5) << l.sass;
        EXPECT_EQ(one.sidecar, l.sidecar);
        EXPECT_EQ(one.text(6), l.v6) << l.sass;
    }
}

TEST(Capture, GivesCalleesPCsBehindTheKernelWhicheverComesFirstInTheText)
{
    sass_module module(sass_function("f", {"NOP", "NOP", "EXIT"}, false) +
                       sass_function("other", {"NOP", "EXIT"}) +
                       sass_function("k", {"NOP", "EXIT"}) + sass_function("g", {"EXIT"}, false));
    std::vector<smrf_exec_op> ops(module->num_insts);
    smrf_exec_code code{module.get(), ops.data(), SMRF_EXEC_RZ};
    smrf_capture_code *c = nullptr;
    char error[SMRF_SASS_ERROR_BYTES];
    ASSERT_EQ(smrf_capture_code_make(&c, &code, &module.function("k"), 5, true, error), 0) << error;
    const uint32_t k = module.function("k").size, g = module.function("g").size;
    EXPECT_EQ(smrf_capture_pc(c, module.function("k").address + 16), 16u);
    EXPECT_EQ(smrf_capture_pc(c, module.function("g").address), k);
    EXPECT_EQ(smrf_capture_pc(c, module.function("f").address), k + g);
    EXPECT_EQ(c->op[module.function("other").first], nullptr) << "no kernel calls another";
    smrf_capture_code_free(c);
}

} // namespace
