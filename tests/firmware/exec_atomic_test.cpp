// SPDX-License-Identifier: Apache-2.0
// Atomics and reductions against lanes that take turns, lowest first, in plain C++.
#include "tests/support/exec_program.h"

#include <cmath>
#include <functional>
#include <random>

namespace smrf_test
{
namespace
{

struct atomic_case {
    const char *modifiers;
    unsigned bytes;
    std::function<uint64_t(uint64_t old, uint64_t a)> next;
    bool shared;    // ATOMS has it too
    bool reduction; // RED has it too
};

uint64_t bits(float x)
{
    uint32_t b;
    std::memcpy(&b, &x, 4);
    return b;
}

float real(uint64_t b)
{
    float x;
    uint32_t low = static_cast<uint32_t>(b);
    std::memcpy(&x, &low, 4);
    return x;
}

double real64(uint64_t b)
{
    double x;
    std::memcpy(&x, &b, 8);
    return x;
}

uint64_t bits64(double x)
{
    uint64_t b;
    std::memcpy(&b, &x, 8);
    return b;
}

uint32_t low(uint64_t x)
{
    return static_cast<uint32_t>(x);
}

int32_t s32(uint64_t x)
{
    return static_cast<int32_t>(x);
}

int64_t s64(uint64_t x)
{
    return static_cast<int64_t>(x);
}

uint64_t flushed(uint64_t x)
{
    return (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}

using u64 = uint64_t;
const atomic_case cases[] = {
    {".ADD", 4, [](u64 o, u64 a) -> u64 { return low(o + a); }, true, true},
    {".MIN", 4, [](u64 o, u64 a) -> u64 { return std::min(o, a); }, true, true},
    {".MAX", 4, [](u64 o, u64 a) -> u64 { return std::max(o, a); }, true, true},
    {".MIN.S32", 4, [](u64 o, u64 a) -> u64 { return s32(a) < s32(o) ? a : o; }, true, true},
    {".MAX.S32", 4, [](u64 o, u64 a) -> u64 { return s32(a) > s32(o) ? a : o; }, true, true},
    {".INC", 4, [](u64 o, u64 a) -> u64 { return o >= a ? 0 : o + 1; }, true, true},
    {".DEC", 4, [](u64 o, u64 a) -> u64 { return o == 0 || o > a ? a : o - 1; }, true, true},
    {".AND", 4, [](u64 o, u64 a) -> u64 { return o & a; }, true, true},
    {".OR", 4, [](u64 o, u64 a) -> u64 { return o | a; }, true, true},
    {".XOR", 4, [](u64 o, u64 a) -> u64 { return o ^ a; }, true, true},
    {".EXCH", 4, [](u64, u64 a) -> u64 { return a; }, true, false},
    {".ADD.64", 8, [](u64 o, u64 a) -> u64 { return o + a; }, false, true},
    {".MIN.64", 8, [](u64 o, u64 a) -> u64 { return std::min(o, a); }, false, true},
    {".MAX.64", 8, [](u64 o, u64 a) -> u64 { return std::max(o, a); }, false, true},
    {".MIN.S64", 8, [](u64 o, u64 a) -> u64 { return s64(a) < s64(o) ? a : o; }, false, true},
    {".MAX.S64", 8, [](u64 o, u64 a) -> u64 { return s64(a) > s64(o) ? a : o; }, false, true},
    {".AND.64", 8, [](u64 o, u64 a) -> u64 { return o & a; }, false, true},
    {".OR.64", 8, [](u64 o, u64 a) -> u64 { return o | a; }, false, true},
    {".XOR.64", 8, [](u64 o, u64 a) -> u64 { return o ^ a; }, false, true},
    {".EXCH.64", 8, [](u64, u64 a) -> u64 { return a; }, true, false},
};

class Atomic : public testing::TestWithParam<unsigned>
{
};

constexpr uint32_t untouched = 0x5a5a5a5a;

// Lane i works on cell i % cells; its old value goes to the output. P0: lanes of the mask.
std::vector<std::string> atomic_lines(const std::string &instruction, bool wide, unsigned cells,
                                      const std::string &setup = "")
{
    char cell[64], pick[64];
    std::snprintf(cell, sizeof cell, "LOP3.LUT R6, R0, 0x%x, RZ, 0xc0, !PT", cells - 1);
    std::snprintf(pick, sizeof pick, "MOV R7, 0x%x", wide ? 8 : 4);
    std::vector<std::string> lines = exec_prologue(8);
    lines = lines + std::vector<std::string>{"MOV R4, 0x8",
                                             "IMAD.WIDE.U32 R4, R0, R4, c[0x0][0x170]",
                                             "LDG.E.64.SYS R8, [R4]",
                                             cell,
                                             pick,
                                             "IMAD R10, R6, R7, RZ",
                                             "IMAD.WIDE.U32 R6, R6, R7, c[0x0][0x168]",
                                             "SHF.R.U32.HI R11, RZ, R0, c[0x0][0x178]",
                                             "LOP3.LUT R11, R11, 0x1, RZ, 0xc0, !PT",
                                             "ISETP.EQ.AND P0, PT, R11, 0x1, PT",
                                             "MOV R12, 0x5a5a5a5a",
                                             "MOV R13, R12"};
    if (!setup.empty()) {
        lines.push_back(setup);
    }
    return lines + std::vector<std::string>{"@P0 " + instruction, "STG.E.64.SYS [R2], R12", "EXIT"};
}

std::vector<uint64_t> operands(unsigned bytes, uint32_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<uint64_t> values(32);
    for (uint64_t &v : values) {
        v = random() % 3 == 0 ? random() % 8 : random();
        v = bytes == 4 ? low(v) : v;
    }
    return values;
}

void put(std::vector<uint8_t> &to, unsigned index, unsigned bytes, uint64_t value)
{
    std::memcpy(&to[index * bytes], &value, bytes);
}

uint64_t get(const std::vector<uint8_t> &from, unsigned index, unsigned bytes)
{
    uint64_t value = 0;
    std::memcpy(&value, &from[index * bytes], bytes);
    return value;
}

TEST_P(Atomic, LanesTakeTurnsOnTheirCells)
{
    const atomic_case &c = cases[GetParam()];
    std::string m = c.modifiers;
    for (unsigned cells : {1u, 4u, 32u}) {
        for (uint32_t mask : {0xffffffffu, 0x00f0000fu}) {
            for (const char *opcode : {"ATOMG.E", "ATOM.E"}) {
                exec_program e(
                    atomic_lines(std::string(opcode) + m + ".STRONG.GPU PT, R12, [R6], R8",
                                 c.bytes == 8, cells));
                ASSERT_EQ(e.decoded, 0) << e.error;
                std::vector<uint64_t> a = operands(c.bytes, cells);
                std::vector<uint8_t> memory(cells * c.bytes);
                for (unsigned i = 0; i < cells; i++) {
                    put(memory, i, c.bytes, operands(c.bytes, 99)[i]);
                }
                uint64_t out = e.buffer(std::vector<uint64_t>(32));
                uint64_t at = e.buffer(memory);
                (void)e.buffer(a);
                e.param(mask);
                ASSERT_EQ(e.run(), 0) << e.error;
                std::vector<uint64_t> olds = e.read<uint64_t>(out, 32);
                for (unsigned i = 0; i < 32; i++) {
                    uint64_t old = untouched;
                    if (mask >> i & 1) {
                        old = get(memory, i % cells, c.bytes);
                        put(memory, i % cells, c.bytes, c.next(old, a[i]));
                    }
                    if (c.bytes == 4) {
                        EXPECT_EQ(low(olds[i]), old) << m << " lane " << i;
                    } else {
                        EXPECT_EQ(olds[i], mask >> i & 1 ? old : old << 32 | old) << m << i;
                    }
                }
                EXPECT_EQ(e.read<uint8_t>(at, memory.size()), memory) << opcode << m;
            }
        }
    }
}

TEST_P(Atomic, ReductionsChangeMemoryTheSameWay)
{
    const atomic_case &c = cases[GetParam()];
    if (!c.reduction) {
        return;
    }
    exec_program e(
        atomic_lines("RED.E" + std::string(c.modifiers) + ".STRONG.GPU [R6], R8", c.bytes == 8, 4));
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint64_t> a = operands(c.bytes, 5);
    std::vector<uint8_t> memory(4 * c.bytes, 0x77);
    (void)e.buffer(std::vector<uint64_t>(32));
    uint64_t at = e.buffer(memory);
    (void)e.buffer(a);
    e.param(0x7fffffffu);
    ASSERT_EQ(e.run(), 0) << e.error;
    for (unsigned i = 0; i < 31; i++) {
        put(memory, i % 4, c.bytes, c.next(get(memory, i % 4, c.bytes), a[i]));
    }
    EXPECT_EQ(e.read<uint8_t>(at, memory.size()), memory);
}

TEST_P(Atomic, SharedMemoryHasTheOnesOf32Bits)
{
    const atomic_case &c = cases[GetParam()];
    if (!c.shared) {
        return;
    }
    std::string store = c.bytes == 8 ? "STS.64 [R10], RZ" : "STS [R10], RZ";
    exec_program e(atomic_lines("ATOMS" + std::string(c.modifiers) + " R12, [R10], R8",
                                c.bytes == 8, 4, store));
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint64_t> a = operands(c.bytes, 6);
    std::vector<uint8_t> memory(4 * c.bytes);
    uint64_t out = e.buffer(std::vector<uint64_t>(32));
    (void)e.buffer(memory);
    (void)e.buffer(a);
    e.param(0xffffffffu);
    e.launch.dynamic_shared = 64;
    ASSERT_EQ(e.run(), 0) << e.error;
    std::vector<uint64_t> olds = e.read<uint64_t>(out, 32);
    for (unsigned i = 0; i < 32; i++) {
        uint64_t old = get(memory, i % 4, c.bytes);
        EXPECT_EQ(c.bytes == 4 ? low(olds[i]) : olds[i], old) << i;
        put(memory, i % 4, c.bytes, c.next(old, a[i]));
    }
}

INSTANTIATE_TEST_SUITE_P(All, Atomic, testing::Range(0u, static_cast<unsigned>(std::size(cases))));

// One float cell, these addends; what remains.
template <typename T>
T sum_of(const std::string &instruction, T start, const std::vector<T> &addends)
{
    exec_program e(atomic_lines(instruction, sizeof(T) == 8, 1));
    EXPECT_EQ(e.decoded, 0) << e.error;
    std::vector<uint64_t> a(32);
    for (unsigned i = 0; i < addends.size(); i++) {
        std::memcpy(&a[i], &addends[i], sizeof(T));
    }
    (void)e.buffer(std::vector<uint64_t>(32));
    uint64_t at = e.buffer(std::vector<T>{start});
    (void)e.buffer(a);
    e.param((uint32_t{1} << addends.size()) - 1);
    EXPECT_EQ(e.run(), 0) << e.error;
    return e.read<T>(at, 1)[0];
}

TEST(AtomicFloat, AddsInLaneOrder)
{
    const char *red = "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R6], R8";
    std::vector<float> x{1e8f, 1.0f, -1e8f, 0.25f, 3.0e-7f};
    float want = 0.5f;
    for (float v : x) {
        want += v;
    }
    EXPECT_EQ(sum_of<float>(red, 0.5f, x), want);
    EXPECT_EQ(sum_of<float>("ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R12, [R6], R8", 0.5f, x), want);
    EXPECT_TRUE(std::isinf(sum_of<float>(red, 3e38f, {3e38f})));
    EXPECT_TRUE(std::isnan(sum_of<float>(red, INFINITY, {-INFINITY})));
}

TEST(AtomicFloat, FlushesDenormalsOnlyWhereItSaysSo)
{
    float tiny = 1e-40f;
    EXPECT_EQ(sum_of<float>("RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R6], R8", tiny, {tiny}), 0.0f);
    EXPECT_EQ(sum_of<float>("RED.E.ADD.F32.RN.STRONG.GPU [R6], R8", tiny, {tiny}), tiny + tiny);
    EXPECT_EQ(flushed(bits(-tiny)), 0x80000000u);
    EXPECT_EQ(real(flushed(bits(1.0f))), 1.0f);
}

TEST(AtomicFloat, DoublesAddToo)
{
    std::vector<double> x{1e16, 1.0, -1e16, 0.125};
    double want = 0.5;
    for (double v : x) {
        want += v;
    }
    EXPECT_EQ(sum_of<double>("RED.E.ADD.F64.RN.STRONG.GPU [R6], R8", 0.5, x), want);
    EXPECT_EQ(real64(bits64(want)), want);
}

// Pairs of halves: 0x3c00 = 1, 0x4000 = 2, 0x6400 = 1024, 0x7bff = 65504, 0x0001 = 2^-24.
TEST(AtomicFloat, PairsOfHalvesRoundToNearestEven)
{
    const char *add = "ATOM.E.ADD.F16x2.RN.STRONG.GPU P2, R12, [R6], R8";
    EXPECT_EQ(sum_of<uint32_t>(add, 0x3c004000, {0x40003c00}), 0x42004200u);
    EXPECT_EQ(sum_of<uint32_t>(add, 0x00010000, {0x00018001}), 0x00028001u);
    EXPECT_EQ(sum_of<uint32_t>(add, 0x68006800, {0x3c003e00}), 0x68006801u); // 2048 + 1, + 1.5
    EXPECT_EQ(sum_of<uint32_t>(add, 0x68016801, {0x3c00bc00}), 0x68026800u); // 2050 + 1, - 1
    EXPECT_EQ(sum_of<uint32_t>(add, 0x7bfffbff, {0x7bfffbff}), 0x7c00fc00u);
    EXPECT_EQ(sum_of<uint32_t>(add, 0x7c003c00, {0xfc00bc00}), 0x7fff0000u);
    EXPECT_EQ(sum_of<uint32_t>(add, 0x03ff03ff, {0x00010001}), 0x04000400u); // into the normals
}

TEST(AtomicSwap, CasStoresWhereTheValueIsTheExpectedOne)
{
    for (bool wide : {false, true}) {
        std::string m = wide ? ".64" : "";
        exec_program e(atomic_lines("ATOMG.E.CAS" + m + ".STRONG.GPU PT, R12, [R6], R14, R8", wide,
                                    1, "MOV R14, 0x7")); // R15 = 0
        ASSERT_EQ(e.decoded, 0) << e.error;
        std::vector<uint64_t> a(32);
        for (unsigned i = 0; i < 32; i++) {
            a[i] = i == 4 ? 7 : 100 + i;
        }
        uint64_t out = e.buffer(std::vector<uint64_t>(32));
        uint64_t at = e.buffer(std::vector<uint64_t>{7});
        (void)e.buffer(a);
        e.param(0xfffffff0u);
        ASSERT_EQ(e.run(), 0) << e.error;
        std::vector<uint64_t> olds = e.read<uint64_t>(out, 32);
        EXPECT_EQ(low(olds[4]), 7u); // stored 7 again
        EXPECT_EQ(low(olds[5]), 7u); // stored 105
        for (unsigned i = 6; i < 32; i++) {
            EXPECT_EQ(low(olds[i]), 105u);
        }
        EXPECT_EQ(e.read<uint64_t>(at, 1)[0], 105u);
    }
}

// ATOMS.CAST.SPIN answers 1 where it stored.
TEST(AtomicSwap, CastTellsWhetherItStored)
{
    for (bool wide : {false, true}) {
        std::string m = wide ? ".64" : "";
        exec_program e(atomic_lines("ATOMS.CAST.SPIN" + m + " R12, [R10], R14, R8", wide, 1,
                                    wide ? "STS.64 [R10], RZ" : "STS [R10], RZ"));
        ASSERT_EQ(e.decoded, 0) << e.error;
        std::vector<uint64_t> a(32, 9);
        uint64_t out = e.buffer(std::vector<uint64_t>(32));
        (void)e.buffer(std::vector<uint64_t>(1));
        (void)e.buffer(a);
        e.param(0xfffffffcu);
        e.launch.dynamic_shared = 64;
        ASSERT_EQ(e.run(), 0) << e.error;
        std::vector<uint64_t> olds = e.read<uint64_t>(out, 32);
        EXPECT_EQ(low(olds[2]), 1u);
        EXPECT_EQ(low(olds[3]), 0u);
        EXPECT_EQ(low(olds[31]), 0u);
    }
}

// Compiled code has a loop for what generic atomics cannot do in a window: the predicate is false.
TEST(AtomicGeneric, ReportsWhatHardwareCannotDoInSharedMemory)
{
    for (bool possible : {false, true}) {
        std::string m = possible ? ".ADD" : ".ADD.64";
        exec_program e(exec_prologue(8) +
                       std::vector<std::string>{
                           "STS.64 [RZ], RZ", "MOV R6, c[0x0][0x18]", "MOV R7, c[0x0][0x1c]",
                           "MOV R8, 0x3", "MOV R9, RZ", "MOV R14, RZ",
                           "ATOM.E" + m + ".STRONG.GPU P1, R12, [R6], R8", "LDS.U.64 R10, [RZ]",
                           "@P1 IADD3 R10, R10, 0x1000, RZ", "STG.E.64.SYS [R2], R10", "EXIT"});
        ASSERT_EQ(e.decoded, 0) << e.error;
        uint64_t out = e.buffer(std::vector<uint64_t>(32));
        e.launch.dynamic_shared = 64;
        ASSERT_EQ(e.run(), 0) << e.error;
        EXPECT_EQ(e.read<uint64_t>(out, 1)[0], possible ? 0x1000u + 32 * 3 : 0u);
    }
}

TEST(AtomicShared, PopcIncCountsLanes)
{
    exec_program e(exec_prologue(4) +
                   std::vector<std::string>{"STS [RZ], RZ", "ISETP.GE.AND P0, PT, R0, 0x5, PT",
                                            "@P0 ATOMS.POPC.INC.32 RZ, [RZ]", "LDS.U R8, [RZ]",
                                            "STG.E.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(32));
    e.launch.dynamic_shared = 64;
    ASSERT_EQ(e.run(), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 1)[0], 27u);
}

TEST(AtomicErrors, AnUnknownKindIsRefusedBeforeAnythingRuns)
{
    exec_program e(exec_prologue() +
                   std::vector<std::string>{"RED.E.FROB.STRONG.GPU [R2], R0", "EXIT"});
    EXPECT_EQ(e.decoded, SMRF_ERR_UNKNOWN);
    EXPECT_NE(std::string(e.error).find("RED.E.FROB"), std::string::npos) << e.error;
    exec_program g(exec_prologue() +
                   std::vector<std::string>{"RED.E.MIN.F32.STRONG.GPU [R2], R0", "EXIT"});
    EXPECT_EQ(g.decoded, SMRF_ERR_UNKNOWN);
}

} // namespace
} // namespace smrf_test
