// SPDX-License-Identifier: Apache-2.0
// Executes one instruction of the arithmetic families on random warps, under random lane masks, and
// compares the whole warp with what a function of one lane says.
#ifndef SMRF_TESTS_SUPPORT_ALU_BENCH_H
#define SMRF_TESTS_SUPPORT_ALU_BENCH_H

#include "firmware/exec/operands.h"
#include "tests/support/sass_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace smrf_test
{

template <typename To, typename From> inline To bit_cast(From from)
{
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

// What one lane sees, and what it is expected to write.
class alu_lane
{
  public:
    alu_lane(const smrf_exec_warp &before, smrf_exec_warp &after, unsigned lane)
        : index(lane), before_(before), after_(after)
    {
    }
    uint32_t r(unsigned n) const
    {
        return before_.r[n][index];
    }
    uint64_t r64(unsigned n) const
    {
        return static_cast<uint64_t>(r(n + 1)) << 32 | r(n);
    }
    float f(unsigned n) const
    {
        return bit_cast<float>(r(n));
    }
    double d(unsigned n) const
    {
        return bit_cast<double>(r64(n));
    }
    uint32_t half(unsigned n, unsigned k) const
    {
        return r(n) >> (16 * k) & 0xffff;
    }
    bool p(unsigned n) const
    {
        return (before_.p[n] >> index & 1) != 0;
    }
    uint32_t ur(unsigned n) const
    {
        return before_.ur[n];
    }
    void set(unsigned n, uint32_t value)
    {
        after_.r[n][index] = value;
    }
    void set64(unsigned n, uint64_t value)
    {
        set(n, static_cast<uint32_t>(value));
        set(n + 1, static_cast<uint32_t>(value >> 32));
    }
    void set_p(unsigned n, bool value)
    {
        after_.p[n] = (after_.p[n] & ~(1U << index)) | (value ? 1U << index : 0);
    }
    const unsigned index;

  private:
    const smrf_exec_warp &before_;
    smrf_exec_warp &after_;
};

// Operands that make instructions fail: words that are edges of some type.
inline uint32_t edge_word(std::mt19937_64 &random)
{
    static const uint32_t edges[] = {
        0,          1,          2,          3,          5,          31,         32,
        33,         63,         64,         65,         127,        128,        255,
        256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
        0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fffffff, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000,
        0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x4f000000, 0x4effffff, 0x5f000000,
        0x33800000, 0x33000000, 0x3c003c00, 0x7c00fc00, 0x7e000001, 0x04000400, 0x03ff83ff,
        0x7bfffbff, 0x00018001, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x3ff00000, 0x43e00000,
        0x41e00000, 0xc1e00000, 0x000fffff, 0x00100000, 0x38800000, 0x477ff000, 0x477fefff};
    return edges[random() % (sizeof edges / sizeof edges[0])];
}

inline uint32_t random_word(std::mt19937_64 &random)
{
    switch (random() % 8) {
    case 0:
    case 1:
        return edge_word(random);
    case 2:
        return static_cast<uint32_t>(random() % 80);
    case 3: // a float near 1
        return static_cast<uint32_t>((random() & 0x80ffffff) + 0x3e800000);
    case 4: // a double's upper word near 1, or two halves near 1
        return (random() & 1) != 0 ? static_cast<uint32_t>((random() & 0x801fffff) + 0x3fe00000)
                                   : static_cast<uint32_t>((random() & 0x8fff8fff) + 0x34003400);
    default:
        return static_cast<uint32_t>(random());
    }
}

class alu_bench
{
  public:
    explicit alu_bench(uint64_t seed = 1) : random(seed)
    {
        for (uint32_t &word : bank_) {
            word = random_word(random);
        }
        block_.const_data[0] = reinterpret_cast<const uint8_t *>(bank_);
        block_.const_bytes[0] = sizeof bank_;
        scramble();
    }

    // Word of constant bank 0 at a byte offset.
    uint32_t c(unsigned offset) const
    {
        return bank_[offset / 4];
    }

    void scramble()
    {
        warp.block = &block_;
        warp.error = nullptr;
        for (unsigned n = 0; n < used_rows; n++) {
            for (uint32_t &word : warp.r[n]) {
                word = random_word(random);
            }
        }
        for (uint32_t &lanes : warp.p) {
            lanes = static_cast<uint32_t>(random());
        }
        warp.p[7] = SMRF_EXEC_ALL;
        for (uint32_t &word : warp.ur) {
            word = random_word(random);
        }
        warp.ur[63] = 0;
        for (uint8_t &truth : warp.up) {
            truth = random() & 1;
        }
        warp.up[7] = 1;
        // Some instructions are only interesting where operands are close to each other.
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            if (random() % 4 == 0) {
                warp.r[5][i] = warp.r[4][i];
            }
            if (random() % 4 == 0) {
                warp.r[7][i] = warp.r[5][i];
            }
        }
    }

    uint32_t random_mask()
    {
        return random() % 3 == 0 ? SMRF_EXEC_ALL : static_cast<uint32_t>(random());
    }

    // Binds; the empty string, or the reason.
    static std::string bind(const smrf_sass_inst *inst, smrf_exec_op &op,
                            smrf_exec_width width = SMRF_EXEC_ANY_WIDTH)
    {
        using family = int(smrf_exec_op *, char *);
        static family *const families[] = {smrf_exec_bind_integer, smrf_exec_bind_float,
                                           smrf_exec_bind_half,    smrf_exec_bind_double,
                                           smrf_exec_bind_convert, smrf_exec_bind_uniform,
                                           smrf_exec_bind_tensor,  smrf_exec_bind_warp};
        char error[SMRF_SASS_ERROR_BYTES] = "";
        op = {};
        op.inst = inst;
        op.width = static_cast<uint8_t>(width);
        for (family *f : families) {
            int rc = f(&op, error);
            if (rc == 1) {
                return "";
            }
            if (rc < 0) {
                return error;
            }
        }
        return "unknown opcode";
    }

    // Run once on the present warp; by turns as bound for this host, for less and for any.
    void run(const std::string &text, uint32_t mask)
    {
        sass_instruction instruction(text);
        smrf_exec_op op;
        turn_ = (turn_ + 1) % 3;
        ASSERT_EQ(bind(&*instruction.operator->(), op, widths[turn_]), "") << text;
        ASSERT_EQ(op.fn(&warp, &op, mask), 0) << text;
    }

    using lane_function = std::function<void(alu_lane &)>;

    // `expected` is called for every lane of the mask and sets what the instruction should write;
    // nothing else may change.
    void check(const std::string &text, const lane_function &expected, unsigned rounds = 150)
    {
        sass_instruction instruction(text);
        smrf_exec_op bound[3];
        for (unsigned k = 0; k < 3; k++) {
            ASSERT_EQ(bind(&*instruction.operator->(), bound[k], widths[k]), "") << text;
        }
        auto before = std::make_unique<smrf_exec_warp>();
        auto after = std::make_unique<smrf_exec_warp>();
        for (unsigned round = 0; round < rounds; round++) {
            scramble();
            uint32_t mask = random_mask();
            *before = *after = warp;
            const smrf_exec_op &op = bound[round % 3];
            ASSERT_EQ(op.fn(&warp, &op, mask), 0) << text;
            for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
                if ((mask >> i & 1) != 0) {
                    alu_lane lane(*before, *after, i);
                    expected(lane);
                }
            }
            compare(text, *before, *after);
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }

    // The same for instructions that write uniform registers: `expected` changes the warp itself.
    void
    check_uniform(const std::string &text,
                  const std::function<void(const smrf_exec_warp &, smrf_exec_warp &)> &expected,
                  unsigned rounds = 500)
    {
        sass_instruction instruction(text);
        smrf_exec_op bound[3];
        for (unsigned k = 0; k < 3; k++) {
            ASSERT_EQ(bind(&*instruction.operator->(), bound[k], widths[k]), "") << text;
        }
        auto before = std::make_unique<smrf_exec_warp>();
        auto after = std::make_unique<smrf_exec_warp>();
        for (unsigned round = 0; round < rounds; round++) {
            scramble();
            *before = *after = warp;
            const smrf_exec_op &op = bound[round % 3];
            ASSERT_EQ(op.fn(&warp, &op, SMRF_EXEC_ALL), 0) << text;
            expected(*before, *after);
            compare(text, *before, *after);
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }

    std::mt19937_64 random;
    smrf_exec_warp warp = {};

  private:
    void compare(const std::string &text, const smrf_exec_warp &before, const smrf_exec_warp &after)
    {
        for (unsigned n = 0; n <= SMRF_EXEC_RZ; n++) {
            for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
                ASSERT_EQ(warp.r[n][i], after.r[n][i])
                    << text << ": R" << n << " lane " << i << std::hex << " R4=" << before.r[4][i]
                    << " R5=" << before.r[5][i] << " R6=" << before.r[6][i]
                    << " R7=" << before.r[7][i] << " R8=" << before.r[8][i]
                    << " R9=" << before.r[9][i] << " got " << warp.r[n][i] << " want "
                    << after.r[n][i];
            }
        }
        for (unsigned n = 0; n < 8; n++) {
            ASSERT_EQ(warp.p[n], after.p[n])
                << text << ": P" << n << std::hex << " differs in " << (warp.p[n] ^ after.p[n]);
        }
        for (unsigned n = 0; n < 64; n++) {
            ASSERT_EQ(warp.ur[n], after.ur[n])
                << text << ": UR" << n << std::hex << " UR4=" << before.ur[4]
                << " UR5=" << before.ur[5] << " UR6=" << before.ur[6];
        }
        for (unsigned n = 0; n < 8; n++) {
            ASSERT_EQ(warp.up[n], after.up[n]) << text << ": UP" << n;
        }
    }

    static constexpr unsigned used_rows = 32; // the others, RZ among them, stay zero

    static constexpr smrf_exec_width widths[3] = {SMRF_EXEC_ANY_WIDTH, SMRF_EXEC_256_BITS,
                                                  SMRF_EXEC_NO_WIDTH};
    unsigned turn_ = 0;
    smrf_exec_block block_ = {};
    uint32_t bank_[64] = {};
};

} // namespace smrf_test

#endif
