// SPDX-License-Identifier: Apache-2.0
// The checks of executions that are looked at as a whole, against the same lane by lane.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" // C's member without a length
#include "traces/line_check.h"
#pragma GCC diagnostic pop

#include "models/common/smrf_bits.h"

#include <gtest/gtest.h>

#include <random>

namespace
{

constexpr uint64_t window = UINT64_C(0x7f0000000000), window_bytes = UINT64_C(1) << 24;

struct drawn {
    smrf_line_check check{};
    smrf_code code{};
    smrf_exec exec{};
};

// Addresses a stride apart, which often begin or end at a border of what is allowed.
drawn draw(std::mt19937_64 &random)
{
    drawn d;
    const uint64_t borders[] = {0, 4096, window, window + 4096, window + window_bytes};
    const int64_t strides[] = {-4096, -8, -4, 0, 4, 8, 132, 1024, 1 << 23, -(1 << 23)};
    const uint32_t versions[] = {75, 80, 90};
    const auto below = [&](uint64_t n) { return random() % n; };
    d.check.shared_bytes = 4096;
    d.check.shared_window = below(4) ? window : 0;
    d.check.binary_version = versions[below(3)];
    d.code.inst.space = below(2) ? SMRF_SPACE_SHARED : SMRF_SPACE_GENERIC;
    d.code.inst.op_class = SMRF_CLASS_LOAD;
    d.code.inst.access_bytes = static_cast<uint8_t>(UINT32_C(1) << below(5));
    d.exec.addr_kind = SMRF_ADDR_STRIDE;
    d.exec.mask = static_cast<uint32_t>(below(3) ? random() : UINT32_MAX << below(32));
    d.exec.stride = strides[below(10)];
    d.exec.base = borders[below(5)] + (below(65) - 32) * 4;
    if (below(2)) { // it ends there
        d.exec.base -= (smrf_count_bits(d.exec.mask) - 1) * static_cast<uint64_t>(d.exec.stride);
    }
    return d;
}

bool inside_window(const drawn &d, uint64_t address, uint64_t &offset)
{
    const bool above = d.check.shared_window && address >= d.check.shared_window;
    offset = above ? address - d.check.shared_window : address;
    if (d.code.inst.space == SMRF_SPACE_GENERIC) {
        return above && offset < window_bytes;
    }
    offset %= d.check.binary_version >= 90 ? window_bytes : UINT64_MAX;
    return true;
}

bool fits(const drawn &d)
{
    uint64_t address = d.exec.base, offset;
    for (uint32_t m = d.exec.mask; m != 0; m &= m - 1) {
        if (inside_window(d, address, offset) &&
            (offset >= d.check.shared_bytes ||
             d.code.inst.access_bytes > d.check.shared_bytes - offset)) {
            return false;
        }
        address += static_cast<uint64_t>(d.exec.stride);
    }
    return true;
}

TEST(LineCheck, StridesAreFoundToFitAsLaneByLane)
{
    std::mt19937_64 random(7);
    unsigned within = 0, beyond = 0;
    for (unsigned i = 0; i < 200000; i++) {
        drawn d = draw(random);
        d.exec.code = &d.code;
        const bool expected = fits(d);
        ASSERT_EQ(expected, smrf_check_passes(&d.check, &d.exec))
            << "base " << std::hex << d.exec.base << ", stride " << std::dec << d.exec.stride
            << ", mask " << std::hex << d.exec.mask << ", draw " << std::dec << i;
        (expected ? within : beyond)++;
    }
    EXPECT_GT(within, 10000u);
    EXPECT_GT(beyond, 10000u);
}

// The first execution's addresses, moved beyond what its reach allows.
TEST(LineCheck, MovedStridesAreTheSame)
{
    std::mt19937_64 random(8);
    for (unsigned i = 0; i < 50000; i++) {
        drawn d = draw(random);
        smrf_code_addresses first{};
        const int32_t distance = static_cast<int32_t>(random() % 8192) - 4096;
        first.addr_kind = SMRF_ADDR_STRIDE;
        first.base = d.exec.base - static_cast<uint64_t>(static_cast<int64_t>(distance));
        first.stride = d.exec.stride;
        first.least = 1;
        first.most = 0;
        d.code.addresses = &first;
        d.exec.code = &d.code;
        d.exec.moved = true;
        d.exec.distance = distance;
        ASSERT_EQ(fits(d), smrf_check_passes(&d.check, &d.exec)) << "draw " << i;
    }
}

} // namespace
