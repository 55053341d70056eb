// SPDX-License-Identifier: Apache-2.0
// Registers of the instructions whose modifiers, not their roots, say how many there are; and those
// of which a trace's line does not tell it.
#include "traces/opcode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using regs = std::vector<int>; // 256 + n = UR n

struct width {
    const char *opcode;
    regs dst, src;
    unsigned written, read; // vector registers
    bool known = true;
    unsigned uniform_written = 0;
};

void expect(const width &w)
{
    smrf_listed_inst in = {};
    in.opcode = w.opcode;
    in.binary_version = 100;
    for (int r : w.dst) {
        in.dst[in.num_dst++] = static_cast<uint16_t>(r);
    }
    for (int r : w.src) {
        in.src[in.num_src++] = static_cast<uint16_t>(r);
    }
    smrf_static_inst out;
    smrf_operand_map map;
    EXPECT_EQ(w.known, smrf_opcode_decode(&in, &out, &map)) << w.opcode;
    EXPECT_EQ(w.known, map.doubt == nullptr) << w.opcode;
    EXPECT_EQ(w.known, (out.flags & SMRF_INST_UNKNOWN) == 0) << w.opcode;
    EXPECT_NE(smrf_opcode_count(), out.opcode) << w.opcode << " has a row";
    EXPECT_EQ(w.written, out.num_dst) << w.opcode;
    EXPECT_EQ(w.read, out.num_src) << w.opcode;
    EXPECT_EQ(w.uniform_written, out.num_udst) << w.opcode;
}

TEST(OpcodeWidth, TwoOperandsOfDataShareAWideAccess)
{
    expect({"LDG.E.ENL2.256", {8, 4}, {2}, 8, 2});
    expect({"LDG.E.ENL2.256.CONSTANT", {8, 4}, {2}, 8, 2});
    expect({"LDG.E.ENL2.256", {8}, {2}, 8, 2}); // listed as one
    expect({"STG.E.ENL2.256", {}, {2, 4, 8}, 0, 10});
    expect({"STG.E.ENL2.256", {}, {2, 4}, 0, 10});
    expect({"LDG.E.128", {4}, {2}, 4, 2});
}

TEST(OpcodeWidth, TypesOf64BitsAndVectorsOfTwoDigitsCountInAnyMemoryInstruction)
{
    expect({"LDGMC.E.ADD.F64", {4}, {2}, 2, 2});
    expect({"LDGMC.E.MAX.S64", {4}, {2}, 2, 2});
    expect({"LDGMC.E.MIN.U64.STRONG.SYS", {4}, {2}, 2, 2});
    expect({"LDGMC.E.ADD.E4M3x16", {4}, {2}, 4, 2});
    expect({"LDGMC.E.ADD.E5M2x8", {4}, {2}, 2, 2});
    expect({"LDGMC.E.ADD.F16x8.ACC.32", {4}, {2}, 4, 2});
    expect({"LDGMC.E.ADD.F32", {4}, {2}, 1, 2});
    expect({"REDG.E.ADD.F64.RN", {}, {2, 4}, 0, 4});
    expect({"ATOMG.E.ADD.S64", {4}, {2, 8}, 2, 4});
}

TEST(OpcodeWidth, SurfacesMoveWhatTheirWidthSaysAtCoordinatesOfTheirDimension)
{
    expect({"SULD.D.BA.1D.32.TRAP", {4}, {2}, 1, 1});
    expect({"SULD.D.BA.2D.128.STRONG.SM.TRAP", {4}, {2}, 4, 2});
    expect({"SULD.D.BA.2D.64.TRAP", {4}, {2, 8}, 2, 3}); // its surface in a register
    expect({"SULD.D.3D.U8.IGN", {4}, {8}, 1, 3});
    expect({"SUST.D.BA.A2D.64.TRAP", {}, {4, 8}, 0, 5});
    expect({"SUST.D.BA.2D.STRONG.SM.TRAP", {}, {2, 0, 260}, 0, 3});
    expect({"SUST.D.A1D.128", {}, {2, 8}, 0, 6});
    expect({"SUATOM.D.BA.2D.ADD.STRONG.GPU.TRAP", {0}, {2, 4}, 1, 3});
    expect({"SURED.D.BA.1D.ADD.STRONG.GPU.TRAP", {}, {2, 4}, 0, 2});
    expect({"SULD.P.2D.RGBA.TRAP", {4}, {2}, 1, 1, false}); // components
    expect({"SUST.D.128", {}, {2, 8}, 0, 2, false});        // no dimension
}

TEST(OpcodeWidth, WhatNoLineTellsIsToldAsUnknownIs)
{
    expect({"TEX.SCR.LL", {4, 6}, {2}, 2, 1, false});
    expect({"TLD4.R", {4}, {2}, 1, 1, false});
    expect({"TXD.B", {4}, {2, 3}, 1, 2, false});
    expect({"LDSM.8.MT1616.2", {4}, {2}, 1, 1, false});
    expect({"STSM.8.MT168.2", {}, {2, 8}, 0, 2, false});
    expect({"LDSM.16.MT88.4", {4}, {2}, 4, 1});
    expect({"STSM.16.M88.2", {}, {2, 8}, 0, 3});
    for (const char *opcode : {"UCGABAR_WAIT", "ACQBULK", "UTCCP.T.S.128dp128bit", "UMEMSETS.64"}) {
        expect({opcode, {}, {260}, 0, 0, false});
    }
}

TEST(OpcodeWidth, InstructionsOfBlackwellHaveRows)
{
    expect({"LDCU", {260}, {}, 0, 0, true, 1});
    expect({"LDCU.64", {260}, {}, 0, 0, true, 2});
    expect({"LDCU.128", {260}, {258}, 0, 0, true, 4});
    expect({"FHADD", {4}, {6, 8}, 1, 2});
    expect({"FHFMA", {4}, {6, 8, 10}, 1, 3});
    expect({"UTCBAR", {}, {260}, 0, 0});
    expect({"UTCATOMSWS.FIND_AND_SET.ALIGN", {260}, {260}, 0, 0, true, 1});
    expect({"UVIRTCOUNT.DEALLOC.SMPOOL", {}, {260}, 0, 0});
}

} // namespace
