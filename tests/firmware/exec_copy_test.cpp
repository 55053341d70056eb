// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory (cp.async).
#include "tests/support/exec_program.h"

namespace smrf_test
{
namespace
{

using lines = std::vector<std::string>;

// 4 bytes a lane to where 0xffffffff was, then back: `copy` has the global address in R2, the
// shared one in R4, and in P0 whether the lane is odd.
std::vector<uint32_t> copied(const lines &address, const std::string &copy)
{
    exec_program e(exec_prologue() +
                   lines{"IMAD.SHL R4, R0, 0x4, RZ", "MOV R6, 0xffffffff",
                         "LOP3.LUT R7, R0, 0x1, RZ, 0xc0, !PT", "ISETP.NE.AND P0, PT, R7, RZ, PT",
                         "STS [R4], R6"} +
                   address +
                   lines{copy, "LDGDEPBAR", "DEPBAR.LE SB0, 0x0", "LDS R8, [R4]", "MOV R9, 0x4",
                         "IMAD.WIDE.U32 R2, R0, R9, c[0x0][0x168]", "STG.E [R2], R8", "EXIT"});
    EXPECT_EQ(e.decoded, 0) << e.error;
    std::vector<uint32_t> in(32);
    for (uint32_t i = 0; i < 32; i++) {
        in[i] = 0x10203040 + i;
    }
    (void)e.buffer(in);
    const uint64_t out = e.buffer(std::vector<uint32_t>(32));
    e.launch.dynamic_shared = 256;
    EXPECT_EQ(e.run(), 0) << e.error;
    return e.read<uint32_t>(out, 32);
}

// The compiler makes "LDGSTS.E [..], [..], !PT" of a cp.async of 0 bytes, and a guard of one that a
// thread does not execute.
TEST(Copy, WithoutItsPredicateItWritesZerosWithoutItsGuardNothing)
{
    const std::vector<uint32_t> zeros = copied({}, "LDGSTS.E [R4], [R2.64], P0");
    const std::vector<uint32_t> guarded = copied({}, "@P0 LDGSTS.E [R4], [R2.64]");
    const std::vector<uint32_t> none = copied({}, "LDGSTS.E [R4], [R2.64], !PT");
    for (uint32_t i = 0; i < 32; i++) {
        EXPECT_EQ(zeros[i], i % 2 ? 0x10203040 + i : 0) << i;
        EXPECT_EQ(guarded[i], i % 2 ? 0x10203040 + i : 0xffffffff) << i;
        EXPECT_EQ(none[i], 0u) << i;
    }
}

// Compiled code adds (4 - size) & 3 to the address, and has P0 = size != 0.
TEST(Copy, ZerosFillWhatASizeLeaves)
{
    const std::vector<uint32_t> got =
        copied({"LOP3.LUT R9, R0, 0x3, RZ, 0xc0, !PT", "IADD3 R2, R2, R9, RZ"},
               "LDGSTS.E.ZFILL [R4], [R2.64], P0");
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t kept = UINT32_MAX >> 8 * (i % 4);
        EXPECT_EQ(got[i], i % 2 ? (0x10203040 + i) & kept : 0) << i;
    }
}

} // namespace
} // namespace smrf_test
