// SPDX-License-Identifier: Apache-2.0
// Rows of the opcode table against expectations written by hand from SASS listings.
#include "traces/opcode.h"

#include "models/common/smrf_reg_set.h"
#include "models/common/smrf_types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace
{

using regs = std::vector<int>;

struct expectation {
    const char *opcode;
    regs dst, src; // as listed; 256 + n = UR n
    regs full_dst, full_src, slots;
    uint64_t imm = 0;
    uint32_t arch = 75;
};

smrf_listed_inst listed(const std::string &opcode, const regs &dst, const regs &src, uint32_t arch)
{
    smrf_listed_inst in = {};
    in.opcode = opcode.c_str();
    for (int r : dst) {
        in.dst[in.num_dst++] = static_cast<uint16_t>(r);
    }
    for (int r : src) {
        in.src[in.num_src++] = static_cast<uint16_t>(r);
    }
    in.binary_version = arch;
    return in;
}

smrf_static_inst decode(const std::string &opcode, const regs &dst, const regs &src,
                        uint64_t imm = 0, uint32_t arch = 75, uint32_t mem_width = 0,
                        bool *known = nullptr)
{
    smrf_listed_inst in = listed(opcode, dst, src, arch);
    in.imm = imm;
    in.mem_width = mem_width;
    smrf_static_inst out;
    bool k = smrf_opcode_decode(&in, &out, nullptr);
    if (known != nullptr) {
        *known = k;
    }
    return out;
}

std::vector<smrf_static_inst> steps_of(const std::string &opcode, const regs &dst, const regs &src,
                                       uint32_t arch)
{
    const smrf_listed_inst in = listed(opcode, dst, src, arch);
    smrf_operand_map map;
    std::vector<smrf_static_inst> steps(1);
    smrf_opcode_decode(&in, &steps[0], &map);
    for (unsigned n = 1; n < map.steps; n++) {
        steps.push_back({});
        smrf_opcode_step(&in, n, &steps[n]);
    }
    return steps;
}

regs list(const uint8_t *p, unsigned n)
{
    return regs(p, p + n);
}

class Operands : public testing::TestWithParam<expectation>
{
};

TEST_P(Operands, ExpandToTheRegistersOfTheHardware)
{
    const expectation &e = GetParam();
    smrf_static_inst i = decode(e.opcode, e.dst, e.src, e.imm, e.arch);
    EXPECT_EQ(list(i.dst, i.num_dst), e.full_dst) << e.opcode;
    EXPECT_EQ(list(i.src, i.num_src), e.full_src) << e.opcode;
    EXPECT_EQ(list(i.src_slot, i.num_src), e.slots) << e.opcode;
}

const expectation expectations[] = {
    {"FFMA", {1}, {2, 3, 4}, {1}, {2, 3, 4}, {0, 1, 2}},
    {"FFMA", {1}, {2, 2, 2}, {1}, {2, 2, 2}, {0, 1, 2}},
    {"FADD.FTZ", {255}, {2, 255}, {}, {2}, {0}},
    {"IADD3.X", {11}, {7, 255}, {11}, {7}, {0}},
    {"MOV", {1}, {}, {1}, {}, {}},
    {"S2R", {6}, {}, {6}, {}, {}},
    // 64-bit products: D and C are pairs; with a constant C only A and B are listed
    {"IMAD.WIDE", {2}, {6, 3}, {2, 3}, {6, 3}, {0, 1}},
    {"IMAD.WIDE.U32", {4}, {0, 7, 255}, {4, 5}, {0, 7}, {0, 1}},
    {"IMAD.WIDE", {4}, {8, 9, 6}, {4, 5}, {8, 9, 6, 7}, {0, 1, 2, 2}},
    {"IMAD.WIDE", {2}, {10, 2}, {2, 3}, {10, 2, 3}, {0, 2, 2}, 4, 90},
    {"IMAD.WIDE", {2}, {10, 3}, {2, 3}, {10, 3}, {0, 1}, 4, 90},
    {"IMAD.HI.U32", {3}, {3, 5, 2}, {3}, {3, 5, 2, 3}, {0, 1, 2, 2}},
    {"IMAD", {0}, {8, 3}, {0}, {8, 3}, {0, 2}, 5},
    {"IMAD.MOV.U32", {1}, {255, 255}, {1}, {}, {}},
    {"IMAD.X", {7}, {255, 4, 7}, {7}, {4, 7}, {1, 2}},
    {"LEA.HI.X.SX32", {5}, {6}, {5}, {6}, {0}},
    {"SHF.R.S32.HI", {7}, {255, 6}, {7}, {6}, {1}},
    {"SHF.L.U64.HI", {7}, {4, 6}, {7}, {4, 6}, {0, 1}},
    {"XMAD.PSL.CBCC", {0}, {3, 2, 0}, {0}, {3, 2, 0}, {0, 1, 2}, 0, 61},
    // double precision
    {"DADD", {6}, {4, 2}, {6, 7}, {4, 5, 2, 3}, {0, 0, 1, 1}},
    {"DFMA", {10}, {10, 12, 14}, {10, 11}, {10, 11, 12, 13, 14, 15}, {0, 0, 1, 1, 2, 2}},
    {"DFMA.RM", {10}, {10, 255, 14}, {10, 11}, {10, 11, 14, 15}, {0, 0, 2, 2}},
    {"DSETP.GT.AND", {}, {4, 8}, {}, {4, 5, 8, 9}, {0, 0, 1, 1}},
    {"DSET.BF.LT.AND", {1}, {4, 8}, {1}, {4, 5, 8, 9}, {0, 0, 1, 1}, 0, 35},
    {"MUFU.RCP64H", {5}, {7}, {5}, {7}, {0}},
    // conversions
    {"F2F.F64.F32", {8}, {10}, {8, 9}, {10}, {0}},
    {"F2F.F32.F64", {8}, {10}, {8}, {10, 11}, {0, 0}},
    {"F2F.F16.F32", {8}, {10}, {8}, {10}, {0}},
    {"F2F.FTZ.F64.F32", {8}, {10}, {8, 9}, {10}, {0}, 0, 61},
    {"F2I.F64.TRUNC", {8}, {10}, {8}, {10, 11}, {0, 0}},
    {"F2I.S64.F64.TRUNC", {8}, {10}, {8, 9}, {10, 11}, {0, 0}},
    {"F2I.U64.TRUNC", {8}, {10}, {8, 9}, {10}, {0}},
    {"F2I.FTZ.U32.F32.NTZ", {8}, {10}, {8}, {10}, {0}},
    {"I2F.F64", {8}, {10}, {8, 9}, {10}, {0}},
    {"I2F.F64.S64", {8}, {10}, {8, 9}, {10, 11}, {0, 0}},
    {"I2F.U64.RP", {8}, {10}, {8}, {10, 11}, {0, 0}},
    {"FRND.F64.FLOOR", {8}, {10}, {8, 9}, {10, 11}, {0, 0}},
    {"FRND.FLOOR", {8}, {10}, {8}, {10}, {0}},
    // loads and stores
    {"LDG.E.SYS", {8}, {2}, {8}, {2, 3}, {0, 0}},
    {"LDG.E.U8.SYS", {0}, {4}, {0}, {4, 5}, {0, 0}},
    {"LDG.E.64.CONSTANT.SYS", {4}, {4}, {4, 5}, {4, 5}, {0, 0}},
    {"LDG.E.LTC128B.64", {4}, {6}, {4, 5}, {6, 7}, {0, 0}},
    {"LDG.E.128", {24}, {44}, {24, 25, 26, 27}, {44, 45}, {0, 0}},
    {"LDG.E.ENL2.256", {8}, {44}, {8, 9, 10, 11, 12, 13, 14, 15}, {44, 45}, {0, 0}, 0, 100},
    {"LDG.E.CG", {4}, {4}, {4}, {4, 5}, {0, 0}, 0, 61},
    {"LDG.E", {4}, {255}, {4}, {}, {}},
    {"LD.E.64", {4}, {8}, {4, 5}, {8, 9}, {0, 0}},
    {"LD", {4}, {8}, {4}, {8}, {0}, 0, 35},
    {"LDS.U.128", {8}, {2}, {8, 9, 10, 11}, {2}, {0}},
    {"LDS.64", {8}, {2}, {8, 9}, {2}, {0}},
    {"LDL.128", {8}, {1}, {8, 9, 10, 11}, {1}, {0}},
    {"LDC.64", {4}, {}, {4, 5}, {}, {}},
    {"LDC", {4}, {5}, {4}, {5}, {0}},
    {"STG.E.SYS", {}, {12, 11}, {}, {12, 13, 11}, {0, 0, 1}},
    {"STG.E.128", {}, {4, 8}, {}, {4, 5, 8, 9, 10, 11}, {0, 0, 1, 1, 1, 1}},
    {"STG.E.U8.SYS", {}, {4, 255}, {}, {4, 5}, {0, 0}},
    {"STG.E.64.SYS", {}, {8, 6}, {}, {8, 9, 6, 7}, {0, 0, 1, 1}},
    {"STS", {}, {9, 8}, {}, {9, 8}, {0, 1}},
    {"STS.64", {}, {8}, {}, {8, 9}, {1, 1}},
    {"STL.64", {}, {1, 4}, {}, {1, 4, 5}, {0, 1, 1}},
    {"LDSM.16.M88.4", {20}, {7}, {20, 21, 22, 23}, {7}, {0}},
    {"LDSM.16.MT88.2", {20}, {7}, {20, 21}, {7}, {0}},
    {"LDSM.16.M88", {20}, {7}, {20}, {7}, {0}},
    {"STSM.16.M88.4", {}, {7, 20}, {}, {7, 20, 21, 22, 23}, {0, 1, 1, 1, 1}, 0, 90},
    {"LDGSTS.E.BYPASS.LTC128B.128", {}, {3, 4}, {}, {3, 4, 5}, {0, 1, 1}, 0, 80},
    // predicate first: the destination is listed as first source
    {"SHFL.UP", {}, {2, 11, 255}, {2}, {11}, {0}},
    {"SHFL.IDX", {}, {255, 255, 255, 255}, {}, {}, {}},
    {"SHFL.BFLY", {3}, {4}, {3}, {4}, {0}},
    {"LOP3.LUT", {}, {255, 6, 255}, {}, {6}, {0}},
    {"LOP3.LUT", {0}, {5, 255}, {0}, {5}, {0}},
    {"MATCH.ALL.U64", {}, {5, 8}, {5}, {8, 9}, {0, 0}},
    // atomics
    {"ATOMG.E.ADD.STRONG.GPU", {}, {2, 4, 6}, {2}, {4, 5, 6}, {0, 0, 1}},
    {"ATOMG.E.ADD.STRONG.GPU", {}, {255, 4, 6}, {}, {4, 5, 6}, {0, 0, 1}},
    {"ATOMG.E.CAS.64.STRONG.GPU", {}, {2, 4, 6, 8}, {2, 3}, {4, 5, 6, 7, 8, 9}, {0, 0, 1, 1, 2, 2}},
    {"ATOMG.E.ADD.F64.RN.STRONG.GPU", {}, {2, 4, 6}, {2, 3}, {4, 5, 6, 7}, {0, 0, 1, 1}},
    {"ATOM.E.CAS", {2}, {4, 6}, {2}, {4, 5, 6, 7}, {0, 0, 1, 1}, 0, 61},
    {"ATOMS.ADD", {3}, {2, 5}, {3}, {2, 5}, {0, 1}},
    {"ATOMS.CAST.SPIN", {3}, {0, 2, 3}, {3}, {0, 2, 3}, {0, 1, 2}},
    {"RED.E.ADD.STRONG.GPU", {}, {2, 4}, {}, {2, 3, 4}, {0, 0, 1}},
    {"RED.E.ADD.64.STRONG.GPU", {}, {2, 4}, {}, {2, 3, 4, 5}, {0, 0, 1, 1}},
    // operand 0 that is read
    {"RET.REL.NODEC", {4}, {}, {}, {4, 5}, {0, 0}},
    {"BRX", {4}, {}, {}, {4, 5}, {0, 0}},
    {"CALL.ABS.NOINC", {20}, {}, {}, {20, 21}, {0, 0}},
    {"CALL.REL.NOINC", {}, {}, {}, {}, {}},
    {"BMOV.32", {4}, {}, {}, {4}, {0}},
    {"BMOV.32.CLEAR", {4}, {}, {4}, {}, {}},
    {"BMOV.32.CLEAR", {255}, {}, {}, {}, {}},
    {"NANOSLEEP", {4}, {}, {}, {4}, {0}},
    {"WARPSYNC", {4}, {}, {}, {4}, {0}},
    // 64-bit system reads
    {"CS2R", {2}, {}, {2, 3}, {}, {}},
    {"CS2R.32", {2}, {}, {2}, {}, {}},
    {"CS2R", {2}, {}, {2}, {}, {}, 0, 61},
    {"LEPC", {20}, {}, {20, 21}, {}, {}},
    // tensor: A, B, C and D a thread
    {"HMMA.884.F32.F32.STEP0",
     {4},
     {10, 18, 4},
     {4, 5},
     {10, 11, 18, 19, 4, 5},
     {0, 0, 1, 1, 2, 2},
     0,
     70},
    {"HMMA.1688.F32",
     {4},
     {10, 18, 4},
     {4, 5, 6, 7},
     {10, 11, 18, 4, 5, 6, 7},
     {0, 0, 1, 2, 2, 2, 2}},
    {"HMMA.1688.F16", {4}, {10, 18, 4}, {4, 5}, {10, 11, 18, 4, 5}, {0, 0, 1, 2, 2}},
    {"HMMA.16816.F32",
     {4},
     {8, 12, 255},
     {4, 5, 6, 7},
     {8, 9, 10, 11, 12, 13},
     {0, 0, 0, 0, 1, 1},
     0,
     80},
    {"HMMA.16816.F32.BF16",
     {4},
     {8, 12, 4},
     {4, 5, 6, 7},
     {8, 9, 10, 11, 12, 13, 4, 5, 6, 7},
     {0, 0, 0, 0, 1, 1, 2, 2, 2, 2},
     0,
     80},
    {"HMMA.16816.F16",
     {4},
     {8, 12, 4},
     {4, 5},
     {8, 9, 10, 11, 12, 13, 4, 5},
     {0, 0, 0, 0, 1, 1, 2, 2},
     0,
     80},
    {"HMMA.1688.F32.TF32",
     {4},
     {8, 12, 4},
     {4, 5, 6, 7},
     {8, 9, 10, 11, 12, 13, 4, 5, 6, 7},
     {0, 0, 0, 0, 1, 1, 2, 2, 2, 2},
     0,
     80},
    {"IMMA.8816.S8.S8", {4}, {8, 12, 4}, {4, 5}, {8, 12, 4, 5}, {0, 1, 2, 2}},
    {"IMMA.16832.S8.S8",
     {4},
     {8, 12, 4},
     {4, 5, 6, 7},
     {8, 9, 10, 11, 12, 13, 4, 5, 6, 7},
     {0, 0, 0, 0, 1, 1, 2, 2, 2, 2},
     0,
     80},
    {"BMMA.88128.XOR.POPC", {4}, {8, 12, 4}, {4, 5}, {8, 12, 4, 5}, {0, 1, 2, 2}},
    {"DMMA.884",
     {4},
     {8, 12, 4},
     {4, 5, 6, 7},
     {8, 9, 12, 13, 4, 5, 6, 7},
     {0, 0, 1, 1, 2, 2, 2, 2},
     0,
     80},
};

struct matrix_row {
    const char *opcode;
    regs dst, src; // as listed; 256 + n = UR n
    unsigned written, read;
    bool known;
};

// Registers a thread by the fragments of the PTX ISA, of all steps that the instruction issues in.
const matrix_row matrix_rows[] = {
    {"DMMA.8x8x4", {4}, {8, 12, 4}, 4, 8, true},
    {"DMMA.884", {4}, {8, 12, 4}, 4, 8, true},
    {"DMMA.16x8x8", {4}, {16, 32, 4}, 8, 20, true},
    {"DMMA.16x8x16", {4}, {16, 32, 4}, 8, 32, true},
    {"QMMA.16832.F32.E4M3.E4M3", {24}, {4, 8, 24}, 4, 10, true},
    {"QMMA.16832.F16.E5M2.E4M3", {24}, {4, 8, 24}, 2, 8, true},
    {"QMMA.SP.16864.F32.E4M3.E4M3", {24}, {4, 8, 24, 30}, 4, 13, true},
    {"OMMA.16864.F32.E2M1.E2M1", {24}, {4, 8, 24}, 4, 10, true},
    {"OMMA.SF.16864.F32.E2M1.E2M1.UE8M0", {24}, {4, 8, 24, 30, 31}, 4, 12, true},
    {"IMMA.16864.S4.S4", {24}, {4, 8, 24}, 4, 10, true},
    {"HGMMA.64x8x16.F32", {24}, {264, 24}, 4, 4, true},
    {"HGMMA.64x32x16.F32.BF16", {24}, {264, 24}, 16, 16, true},
    {"HGMMA.64x64x16.F16", {24}, {264, 24}, 16, 16, true},
    {"HGMMA.64x32x16.F32", {24}, {4, 264, 24}, 16, 20, true}, // A from registers
    {"HGMMA.64x32x8.F32.TF32", {24}, {264, 24}, 16, 16, true},
    {"HGMMA.64x32x16.F32", {24}, {264, 255}, 16, 0, true}, // nothing to add to
    {"HGMMA.64x128x16.F32.BF16", {24}, {264, 24}, 64, 64, true},
    {"HGMMA.64x128x16.F16", {24}, {264, 24}, 32, 32, true},
    {"HGMMA.64x256x16.F32", {24}, {4, 264, 24}, 128, 132, true},
    {"HGMMA.SP.64x256x32.F32", {24}, {4, 264, 10, 24}, 128, 133, true},
    {"HGMMA.SP.64x256x32.F32", {24}, {4, 264, 24, 10}, 128, 133, true}, // in any order
    {"HGMMA.SP.64x64x32.F32", {24}, {264, 24, 10}, 32, 33, true},
    {"HGMMA.SP.64x64x32.F32", {24}, {264, 10, 24}, 32, 33, true},
    {"HGMMA.SP.64x64x32.F32", {24}, {264, 10, 255}, 32, 1, true},
    {"HGMMA.64x256x16.F32", {24}, {4, 264, 255}, 128, 4, true},
    {"IGMMA.64x64x32.S8.S8", {24}, {264, 24}, 32, 32, true},
    {"IGMMA.64x32x32.S8.S8", {24}, {264, 24}, 16, 16, true},
    {"QGMMA.64x64x32.F16.E4M3.E4M3", {24}, {264, 24}, 16, 16, true},
    {"BGMMA.64x16x256.AND.POPC", {24}, {264, 24}, 8, 8, true},
    {"HMMA.16864.F32.E2M1", {24}, {4, 8, 24}, 1, 3, false}, // no such shape
    {"HMMA.16816.E2M1", {24}, {4, 8, 24}, 1, 3, false},     // no such type
    {"IMMA.88.S8.S8", {24}, {4, 8, 24}, 1, 3, false},
    {"HGMMA.64x12x16.F32", {24}, {264, 24}, 1, 1, false},
    {"HGMMA.64x264x16.F32", {24}, {264, 24}, 1, 1, false},
    {"QGMMA.64x64x16.F32", {24}, {264, 24}, 1, 1, false},
    {"LDTM.x8", {24}, {264}, 8, 0, false},
    {"LDTM.16dp256bit.x4", {24}, {264}, 16, 0, false},
    {"LDTM.x64", {24}, {264}, 64, 0, false},
    {"LDTM.16dp256bit.x32", {24}, {264}, 128, 0, false},
    {"STTM.x16", {}, {264, 24}, 0, 16, false},
    {"STTM.x128", {}, {264, 24}, 0, 128, false},
    {"UTCHMMA", {}, {264, 266, 268, 270}, 0, 0, true},
};

TEST(Opcode, MatrixMultipliesHaveTheRegistersOfTheirShapeAndType)
{
    for (const matrix_row &m : matrix_rows) {
        bool known = false;
        const smrf_static_inst i = decode(m.opcode, m.dst, m.src, 0, 90, 0, &known);
        const std::vector<smrf_static_inst> steps = steps_of(m.opcode, m.dst, m.src, 90);
        unsigned written = 0, read = 0;
        for (const smrf_static_inst &step : steps) {
            written += step.num_dst;
            read += step.num_src;
        }
        EXPECT_EQ(known, m.known) << m.opcode;
        EXPECT_EQ((i.flags & SMRF_INST_UNKNOWN) == 0, m.known) << m.opcode;
        EXPECT_EQ(written, m.written) << m.opcode;
        EXPECT_EQ(read, m.read) << m.opcode;
        if (std::string(m.opcode).find("TM.") == std::string::npos) {
            EXPECT_EQ(i.op_class, SMRF_CLASS_TENSOR) << m.opcode;
        }
    }
}

TEST(Opcode, WhatTheModelLeavesOutIsNotKnown)
{
    for (const char *opcode : {"UTMALDG.2D", "UBLKCP.S.G", "UTMASTG.3D", "UBLKRED.G.S.ADD",
                               "SYNCS.PHASECHK.TRANS64.TRYWAIT", "USETMAXREG.TRY_ALLOC.CTAPOOL"}) {
        bool known = true;
        const smrf_static_inst i = decode(opcode, {}, {264}, 240, 90, 0, &known);
        EXPECT_FALSE(known) << opcode;
        EXPECT_TRUE(i.flags & SMRF_INST_UNKNOWN) << opcode;
        EXPECT_NE(i.opcode, smrf_opcode_count()) << opcode << " has a row, and its class";
    }
}

TEST(Opcode, VectorTypesOfMemoryInstructionsCountTheirRegisters)
{
    const struct {
        const char *opcode;
        unsigned bytes, written;
    } rows[] = {
        {"LDGMC.E.ADD.F32x4.STRONG.SYS", 16, 4},
        {"LDGMC.E.ADD.F16x8.STRONG.SYS", 16, 4},
        {"LDGMC.E.ADD.BF16x2.STRONG.SYS", 4, 1},
        {"LDGMC.E.MIN.E4M3x4", 4, 1},
        {"LDGMC.E.ADD.F32x2", 8, 2},
    };
    for (const auto &row : rows) {
        const smrf_static_inst i = decode(row.opcode, {4}, {2}, 0, 90, 4);
        EXPECT_EQ(i.access_bytes, row.bytes) << row.opcode;
        EXPECT_EQ(i.num_dst, row.written) << row.opcode;
    }
    EXPECT_EQ(decode("RED.E.ADD.F32x4", {}, {2, 8}, 0, 90, 16).num_src, 6) << "a pair and four";
}

// The set of lists says of every register what the lists do, and names every source once.
void expect_set(const smrf_reg_set &set, const regs &src, const regs &dst,
                const std::string &opcode)
{
    regs once;
    int highest = 0;
    for (const int r : src) {
        if (!std::count(once.begin(), once.end(), r)) {
            once.push_back(r);
        }
        highest = std::max(highest, r);
    }
    for (const int r : dst) {
        highest = std::max(highest, r);
    }
    EXPECT_NE(0u, set.made_for);
    EXPECT_EQ(once, list(set.src, set.num_src)) << opcode;
    EXPECT_EQ(dst, list(set.dst, set.num_dst)) << opcode;
    EXPECT_EQ(highest, set.highest) << opcode;
    for (unsigned r = 0; r < 256; r++) {
        EXPECT_EQ(set.read[r / 64] >> r % 64 & 1, std::count(src.begin(), src.end(), r) != 0)
            << opcode << ", R" << r;
        EXPECT_EQ(set.written[r / 64] >> r % 64 & 1, std::count(dst.begin(), dst.end(), r) != 0)
            << opcode << ", R" << r;
        EXPECT_EQ(set.named[r / 64], set.read[r / 64] | set.written[r / 64]) << opcode;
    }
}

// .. and how many sources lie in each of the banks.
void expect_reads(const smrf_reg_set &set, unsigned banks, const std::string &opcode)
{
    if ((banks & (banks - 1)) != 0) {
        EXPECT_EQ(0u, set.reads) << opcode << ", " << banks << " banks";
        return;
    }
    for (unsigned bank = 0; bank < banks; bank++) {
        const unsigned bits = 64 / banks;
        const uint64_t field = set.reads >> bank * bits & (UINT64_MAX >> (64 - bits));
        const auto in_bank = [&](unsigned reg) { return reg % banks == bank; };
        EXPECT_EQ(uint64_t(std::count_if(set.src, set.src + set.num_src, in_bank)), field)
            << opcode << ", bank " << bank << " of " << banks;
    }
}

TEST_P(Operands, SetsNameTheRegistersOfTheLists)
{
    const expectation &e = GetParam();
    smrf_static_inst i = decode(e.opcode, e.dst, e.src, e.imm, e.arch);
    EXPECT_EQ(0u, i.set.made_for) << "lists may grow yet";
    for (unsigned banks = 0; banks <= SMRF_MAX_BANKS; banks++) {
        const smrf_reg_set all = smrf_reg_set_of_inst(&i, false, banks);
        expect_set(all, list(i.src, i.num_src), list(i.dst, i.num_dst), e.opcode);
        const smrf_reg_set listed = smrf_reg_set_of_inst(&i, true, banks);
        expect_set(listed, list(i.src_listed, i.num_src_listed),
                   list(i.dst_listed, i.num_dst_listed), e.opcode);
        EXPECT_NE(all.made_for, listed.made_for);
        if (banks) {
            expect_reads(all, banks, e.opcode);
            expect_reads(listed, banks, e.opcode);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Table, Operands, testing::ValuesIn(expectations));

TEST(Opcode, UniformRegistersAreExpandedApartFromVectorRegisters)
{
    smrf_static_inst i = decode("ULDC.64", {256 + 8}, {});
    EXPECT_EQ(list(i.udst, i.num_udst), (regs{8, 9}));
    EXPECT_EQ(i.num_dst, 0);
    i = decode("IMAD", {10}, {10, 256 + 4, 3}, 0, 90);
    EXPECT_EQ(list(i.src, i.num_src), (regs{10, 3}));
    EXPECT_EQ(list(i.src_slot, i.num_src), (regs{0, 2}));
    EXPECT_EQ(list(i.usrc, i.num_usrc), (regs{4}));
    i = decode("UMOV", {256 + 4}, {256 + 63});
    EXPECT_EQ(list(i.udst, i.num_udst), (regs{4}));
    EXPECT_EQ(i.num_usrc, 0) << "URZ is no register";
    i = decode("R2UR", {256 + 4}, {2});
    EXPECT_EQ(list(i.udst, i.num_udst), (regs{4}));
    EXPECT_EQ(list(i.src, i.num_src), (regs{2}));
}

TEST(Opcode, BaseListsKeepZeroRegistersAndListedListsKeepTheOrderOfTheLine)
{
    smrf_static_inst i = decode("SHFL.IDX", {}, {2, 11, 255, 255});
    EXPECT_EQ(list(i.dst_base, i.num_dst_base), (regs{2}));
    EXPECT_EQ(list(i.src_base, i.num_src_base), (regs{11, 255, 255}));
    EXPECT_EQ(i.num_dst_listed, 0);
    EXPECT_EQ(list(i.src_listed, i.num_src_listed), (regs{2, 11, 255, 255}));
    i = decode("RET.REL.NODEC", {4}, {});
    EXPECT_EQ(list(i.src_base, i.num_src_base), (regs{4}));
    EXPECT_EQ(i.num_dst_base, 0);
    EXPECT_EQ(list(i.dst_listed, i.num_dst_listed), (regs{4}));
    i = decode("LDG.E.128", {4}, {8});
    EXPECT_EQ(list(i.dst_base, i.num_dst_base), (regs{4}));
    EXPECT_EQ(list(i.src_base, i.num_src_base), (regs{8}));
}

TEST(Opcode, AccessWidthComesFromTheOpcodeNotFromTheListedWidth)
{
    const struct {
        const char *opcode;
        int bytes;
    } rows[] = {{"LDG.E.U8.SYS", 1},    {"LDG.E.S8", 1},           {"LDG.E.U16", 2},
                {"STG.E.U16.SYS", 2},   {"LDG.E.SYS", 4},          {"LDS.U.32", 4},
                {"LDS.U", 4},           {"LDG.E.64.SYS", 8},       {"STS.128", 16},
                {"LDSM.16.M88.4", 16},  {"STSM.16.M88", 16},       {"LDG.E.LTC128B", 4},
                {"RED.E.ADD.64", 8},    {"ATOMG.E.ADD.F64.RN", 8}, {"ATOMS.ADD", 4},
                {"ATOMG.E.ADD.S64", 8}, {"LDGSTS.E.128", 16},      {"LDS.96", 12}};
    for (const auto &row : rows) {
        EXPECT_EQ(decode(row.opcode, {}, {2, 4}, 0, 80, 2).access_bytes, row.bytes) << row.opcode;
    }
    EXPECT_EQ(decode("FFMA", {1}, {2, 3, 4}).access_bytes, 0);
    EXPECT_EQ(decode("NOTANOPCODE", {1}, {2}, 0, 75, 8).access_bytes, 8) << "the only information";
}

TEST(Opcode, ClassSpaceAndFlowFollowTheTable)
{
    const struct {
        const char *opcode;
        int op_class, space, flow;
        uint32_t arch;
    } rows[] = {
        {"FFMA", SMRF_CLASS_SP, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"HFMA2.MMA", SMRF_CLASS_HALF, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 90},
        {"IADD3.X", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"XMAD.MRG", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 61},
        {"IADD32I", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 61},
        {"ISCADD", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 61},
        {"VIADD", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 90},
        {"VIMNMX", SMRF_CLASS_SP, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 90},
        {"SHFL.IDX", SMRF_CLASS_ALU, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"F2F.F64.F32", SMRF_CLASS_ALU, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"LDC.64", SMRF_CLASS_ALU, SMRF_SPACE_CONST, SMRF_FLOW_NONE, 75},
        {"MUFU.RCP", SMRF_CLASS_SFU, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"DADD", SMRF_CLASS_DP, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"HMMA.1688.F32", SMRF_CLASS_TENSOR, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"ULDC.64", SMRF_CLASS_UNIFORM, SMRF_SPACE_CONST, SMRF_FLOW_NONE, 80},
        {"R2UR", SMRF_CLASS_UNIFORM, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 80},
        {"TEX.SCR.LL", SMRF_CLASS_TEX, SMRF_SPACE_TEXTURE, SMRF_FLOW_NONE, 75},
        {"TEX.SCR.LL", SMRF_CLASS_ALU, SMRF_SPACE_TEXTURE, SMRF_FLOW_NONE, 61},
        {"KILL", SMRF_CLASS_TENSOR, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"KILL", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 61},
        {"LDG.E", SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, SMRF_FLOW_NONE, 75},
        {"LD.E", SMRF_CLASS_LOAD, SMRF_SPACE_GENERIC, SMRF_FLOW_NONE, 75},
        {"LDS.U", SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, SMRF_FLOW_NONE, 75},
        {"LDL", SMRF_CLASS_LOAD, SMRF_SPACE_LOCAL, SMRF_FLOW_NONE, 75},
        {"STL", SMRF_CLASS_STORE, SMRF_SPACE_LOCAL, SMRF_FLOW_NONE, 75},
        {"ATOMS.ADD", SMRF_CLASS_ATOMIC, SMRF_SPACE_SHARED, SMRF_FLOW_NONE, 75},
        {"RED.E.ADD", SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, SMRF_FLOW_NONE, 75},
        {"BAR.SYNC", SMRF_CLASS_BARRIER, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"MEMBAR.CTA", SMRF_CLASS_MEMBAR, SMRF_SPACE_NONE, SMRF_FLOW_NONE, 75},
        {"EXIT", SMRF_CLASS_EXIT, SMRF_SPACE_NONE, SMRF_FLOW_EXIT, 75},
        {"BRA", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_BRANCH, 75},
        {"CALL.REL.NOINC", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_CALL, 75},
        {"RET.REL.NODEC", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_RET, 75},
        {"BSSY", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_BSSY, 75},
        {"BSYNC", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_BSYNC, 75},
        {"BREAK", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_BREAK, 75},
        {"WARPSYNC", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_WARPSYNC, 75},
        {"YIELD", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_YIELD, 75},
        {"SSY", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_SSY, 61},
        {"SYNC", SMRF_CLASS_BRANCH, SMRF_SPACE_NONE, SMRF_FLOW_SYNC, 61},
    };
    for (const auto &row : rows) {
        smrf_static_inst i = decode(row.opcode, {}, {}, 0, row.arch);
        EXPECT_EQ(i.op_class, row.op_class) << row.opcode;
        EXPECT_EQ(i.space, row.space) << row.opcode;
        EXPECT_EQ(i.flow, row.flow) << row.opcode;
    }
}

TEST(Opcode, TensorInstructionsTellWhatTheyAddUpIn)
{
    const std::pair<const char *, smrf_accumulators> expected[] = {
        {"HMMA.1688.F32", SMRF_ACCUMULATORS_F32},
        {"HMMA.1688.F16", SMRF_ACCUMULATORS_F16},
        {"HMMA.884.F32.F32.STEP0", SMRF_ACCUMULATORS_F32},
        {"HMMA.16816.F16", SMRF_ACCUMULATORS_F16},
        {"HMMA.1688.F32.TF32", SMRF_ACCUMULATORS_F32},
        {"IMMA.8816.S8.S8", SMRF_ACCUMULATORS_INT},
        {"BMMA.88128.XOR.POPC", SMRF_ACCUMULATORS_INT},
    };
    for (const auto &e : expected) {
        const smrf_static_inst i = decode(e.first, {4}, {8, 12, 4});
        EXPECT_EQ(i.op_class, SMRF_CLASS_TENSOR) << e.first;
        EXPECT_EQ(i.accumulators, e.second) << e.first;
    }
    EXPECT_EQ(decode("HFMA2", {4}, {8, 12, 4}).accumulators, 0) << "not of the tensor class";
}

TEST(Opcode, OnlyStrongGpuSystemAndUncachedAccessesBypassTheFirstLevel)
{
    auto bypasses = [](const char *opcode) {
        return (decode(opcode, {4}, {2}).flags & SMRF_INST_BYPASS_L1) != 0;
    };
    EXPECT_TRUE(bypasses("LDG.E.CG"));
    EXPECT_TRUE(bypasses("LDG.E.CV"));
    EXPECT_TRUE(bypasses("LDG.E.STRONG.GPU"));
    EXPECT_TRUE(bypasses("LDG.E.64.STRONG.SYS"));
    EXPECT_TRUE(bypasses("LDGSTS.E.BYPASS.128"));
    EXPECT_FALSE(bypasses("LDG.E.SYS"));
    EXPECT_FALSE(bypasses("LDG.E.STRONG.SM"));
    EXPECT_FALSE(bypasses("LDG.E.CONSTANT.SYS"));
    EXPECT_FALSE(bypasses("FFMA.STRONG.GPU")) << "no memory";
}

TEST(Opcode, Hmul2AloneHasItsIntervalInAccelSim)
{
    for (const char *opcode : {"HMUL2", "HMUL2.BF16_V2", "HMUL2.FTZ"}) {
        EXPECT_TRUE(decode(opcode, {4}, {2, 6}).flags & SMRF_INST_HMUL2) << opcode;
    }
    for (const char *opcode : {"HMUL2_32I", "HADD2", "HFMA2", "HFMA2.MMA", "FMUL", "HSET2"}) {
        EXPECT_FALSE(decode(opcode, {4}, {2, 6}).flags & SMRF_INST_HMUL2) << opcode;
    }
}

TEST(Opcode, ConversionsFromAndToTypesOf64BitsAreMarked)
{
    for (const char *wide : {"F2F.F64.F32", "F2F.F32.F64", "F2I.F64.TRUNC", "F2I.U64.TRUNC",
                             "I2F.F64.S32", "I2F.S64", "FRND.F64.CEIL"}) {
        EXPECT_EQ(decode(wide, {4}, {2}).pipe, SMRF_PIPE_WIDE) << wide;
    }
    for (const char *narrow : {"F2F.F16.F32", "F2I.TRUNC.NTZ", "I2F.U32.RP", "FRND.CEIL", "POPC"}) {
        EXPECT_EQ(decode(narrow, {4}, {2}).pipe, SMRF_PIPE_SLOW) << narrow;
    }
    EXPECT_EQ(decode("DADD", {4}, {2, 6}).pipe, SMRF_PIPE_CLASS);
}

TEST(Opcode, AtomicsThatCountLanesAreMarked)
{
    EXPECT_TRUE(decode("ATOMS.POPC.INC.32", {255}, {2}).flags & SMRF_INST_COUNTS_LANES);
    EXPECT_FALSE(decode("ATOMS.ADD", {3}, {2, 5}).flags & SMRF_INST_COUNTS_LANES);
    EXPECT_FALSE(decode("POPC", {3}, {2}).flags & SMRF_INST_COUNTS_LANES);
}

TEST(Opcode, AccelSimBypassesForFewerModifiersThanTheHardware)
{
    auto bypasses = [](const char *opcode) {
        return (decode(opcode, {4}, {2}).flags & SMRF_INST_BYPASS_ACCELSIM) != 0;
    };
    EXPECT_TRUE(bypasses("LDG.E.STRONG.GPU"));
    EXPECT_TRUE(bypasses("LDGSTS.E.128.STRONG.GPU"));
    EXPECT_FALSE(bypasses("LDGSTS.E.BYPASS.128"));
    EXPECT_FALSE(bypasses("LDG.E.CG"));
    EXPECT_FALSE(bypasses("LDG.E.STRONG.SYS"));
    EXPECT_FALSE(bypasses("STG.E.STRONG.GPU"));
    EXPECT_FALSE(bypasses("LDS.STRONG.GPU"));
}

TEST(Opcode, FlagsTellReturningAtomicsSpillsAndSharedGlobalCopies)
{
    EXPECT_TRUE(decode("ATOMG.E.ADD", {}, {2, 4, 6}).flags & SMRF_INST_ATOMIC_RETURN);
    EXPECT_FALSE(decode("ATOMG.E.ADD", {}, {255, 4, 6}).flags & SMRF_INST_ATOMIC_RETURN);
    EXPECT_FALSE(decode("RED.E.ADD", {}, {4, 6}).flags & SMRF_INST_ATOMIC_RETURN);
    EXPECT_FALSE(decode("LDL", {2}, {1}).flags & SMRF_INST_SPILL) << "only its program tells";
    EXPECT_FALSE(decode("STL", {}, {1, 2}).flags & SMRF_INST_SPILL);
    EXPECT_TRUE(decode("LDGSTS.E", {}, {1, 2}).flags & SMRF_INST_SHARED_AND_GLOBAL);
}

TEST(Opcode, FlagsTellWhatClosesAndWhatAwaitsGroupsOfCopies)
{
    EXPECT_EQ(decode("LDGSTS.E", {}, {1, 2}).flags & SMRF_INST_COPIES, SMRF_INST_SHARED_AND_GLOBAL);
    EXPECT_EQ(decode("LDGDEPBAR", {}, {}).flags & SMRF_INST_COPIES, SMRF_INST_COPIES_CLOSE);
    EXPECT_EQ(decode("DEPBAR.LE", {}, {}).flags & SMRF_INST_COPIES, SMRF_INST_COPIES_WAIT);
    EXPECT_EQ(decode("LDG.E", {4}, {2}).flags & SMRF_INST_COPIES, 0);
}

TEST(Opcode, UnknownOpcodeIsAPlainIntegerInstruction)
{
    bool known = true;
    smrf_static_inst i = decode("FROBNICATE.E.64", {1}, {2, 3}, 0, 75, 0, &known);
    EXPECT_FALSE(known);
    EXPECT_EQ(i.op_class, SMRF_CLASS_INT);
    EXPECT_TRUE(i.flags & SMRF_INST_UNKNOWN);
    EXPECT_EQ(list(i.dst, i.num_dst), (regs{1}));
    EXPECT_EQ(list(i.src, i.num_src), (regs{2, 3}));
    EXPECT_EQ(i.opcode, smrf_opcode_count());
    decode("FFMAX", {1}, {2}, 0, 75, 0, &known);
    EXPECT_FALSE(known) << "a longer mnemonic is another one";
}

TEST(Opcode, WideOperandsAtTheEndOfTheFileAreCutAtTheZeroRegister)
{
    smrf_static_inst i = decode("LDG.E.128", {252}, {254});
    EXPECT_EQ(list(i.dst, i.num_dst), (regs{252, 253, 254}));
    EXPECT_EQ(list(i.src, i.num_src), (regs{254}));
}

TEST(Opcode, ListsNeverOverflowWhateverTheOperands)
{
    for (size_t row = 0; row < smrf_opcode_count(); row++) {
        for (const char *modifiers :
             {"", ".E.128", ".16816.F32", ".16816", ".WIDE", ".E.CAS.128"}) {
            std::string opcode = std::string(smrf_opcode_root(row)) + modifiers;
            smrf_static_inst i = decode(opcode, regs(8, 16), regs(8, 32), 0, 80, 16);
            EXPECT_LE(i.num_dst, SMRF_MAX_DST) << opcode;
            EXPECT_LE(i.num_src, SMRF_MAX_SRC) << opcode;
            EXPECT_LE(i.num_src_base, SMRF_MAX_BASE) << opcode;
            EXPECT_LE(i.num_dst_base, SMRF_MAX_BASE) << opcode;
        }
    }
}

TEST(Opcode, NoRootStandsTwiceInTheTable)
{
    std::set<std::string> seen;
    for (size_t row = 0; row < smrf_opcode_count(); row++) {
        EXPECT_TRUE(seen.insert(smrf_opcode_root(row)).second) << smrf_opcode_root(row);
    }
    EXPECT_EQ(smrf_opcode_root(smrf_opcode_count()), nullptr);
}

} // namespace
