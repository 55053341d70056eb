// SPDX-License-Identifier: Apache-2.0
// The memory of what cores use all the time: every block is aligned, zeroed, and nobody else's.
#include "models/common/smrf_slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace
{

struct block {
    unsigned char *at;
    size_t bytes;
    unsigned char mark;
};

bool all_are(const block &b, unsigned char value)
{
    return std::all_of(b.at, b.at + b.bytes, [=](unsigned char c) { return c == value; });
}

} // namespace

TEST(Slab, BlocksOfAnySizeAreAlignedZeroedAndApart)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        std::mt19937 rng(seed);
        smrf_slab slab{};
        std::vector<block> blocks;
        for (unsigned i = 0; i < 40; i++) {
            // Mostly some hundred KB, as SMs take; now and then more than a huge page, or a byte.
            const size_t kind = rng() % 8, most = kind == 0 ? 3 * SMRF_SLAB_BYTES : 400000;
            const size_t bytes = kind == 1 ? 1 : 1 + rng() % most;
            const block b = {static_cast<unsigned char *>(smrf_slab_take(&slab, bytes)), bytes,
                             static_cast<unsigned char>(1 + i)};
            ASSERT_NE(nullptr, b.at);
            EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(b.at) % SMRF_SLAB_ALIGN);
            ASSERT_TRUE(all_are(b, 0)) << "seed " << seed << ", block " << i;
            std::memset(b.at, b.mark, b.bytes);
            blocks.push_back(b);
        }
        for (const block &b : blocks) {
            EXPECT_TRUE(all_are(b, b.mark)) << "seed " << seed << ", block " << b.mark - 1;
        }
        smrf_slab_free(&slab);
        EXPECT_EQ(nullptr, slab.last);
    }
}

TEST(Slab, ABlockThatFitsLiesBehindTheOneBefore)
{
    smrf_slab slab{};
    auto *first = static_cast<char *>(smrf_slab_take(&slab, 100));
    auto *second = static_cast<char *>(smrf_slab_take(&slab, SMRF_SLAB_BYTES - 1024));
    EXPECT_EQ(first + 128, second);
    EXPECT_NE(nullptr, slab.last);
    EXPECT_EQ(nullptr, slab.last->before) << "both lie on one huge page";
    const size_t left = SMRF_SLAB_BYTES - SMRF_SLAB_ALIGN - 128 - (SMRF_SLAB_BYTES - 1024);
    auto *third = static_cast<char *>(smrf_slab_take(&slab, left));
    EXPECT_EQ(second + SMRF_SLAB_BYTES - 1024, third);
    EXPECT_EQ(nullptr, slab.last->before) << "it is full to the last byte";
    (void)smrf_slab_take(&slab, 1);
    EXPECT_NE(nullptr, slab.last->before);
    smrf_slab_free(&slab);
}

TEST(Slab, FreedIsAsAtTheBeginning)
{
    smrf_slab slab{};
    std::memset(smrf_slab_take(&slab, 5000), 0xff, 5000);
    smrf_slab_free(&slab);
    smrf_slab_free(&slab);
    const block again = {static_cast<unsigned char *>(smrf_slab_take(&slab, 5000)), 5000, 0};
    EXPECT_TRUE(all_are(again, 0));
    smrf_slab_free(&slab);
}
