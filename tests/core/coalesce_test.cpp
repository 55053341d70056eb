// SPDX-License-Identifier: Apache-2.0
// Coalescing and shared-memory conflicts: formulas for strides, and a reference that looks at every
// byte of every lane.
#include "models/common/smrf_rng.h"
#include "models/ldst/coalesce.h"
#include "tests/support/slow_ldst.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace
{

smrf_inst strided(uint64_t base, int64_t stride, uint32_t mask = 0xffffffff)
{
    smrf_inst in{};
    in.addr_kind = SMRF_ADDR_STRIDE;
    in.base = base;
    in.stride = stride;
    in.mask = mask;
    return in;
}

// The same accesses as a list of lanes.
smrf_inst listed(const smrf_inst &in)
{
    smrf_inst out = in;
    out.addr_kind = SMRF_ADDR_LIST;
    out.list = nullptr;
    std::memset(out.lane, 0xee, sizeof(out.lane));
    for (auto [lane, address] : slow::lane_addresses(in)) {
        out.lane[lane] = address;
    }
    return out;
}

slow::sector_list got(const smrf_sector *s, uint32_t n)
{
    slow::sector_list out;
    for (uint32_t i = 0; i < n; i++) {
        out.emplace_back(s[i].address, s[i].bytes);
    }
    return out;
}

slow::sector_list global(const smrf_inst &in, uint32_t bytes)
{
    smrf_sector s[SMRF_MAX_SECTORS];
    return got(s, smrf_coalesce_global(&in, bytes, s));
}

smrf_inst random_inst(smrf_rng *r, uint32_t bytes)
{
    uint64_t base = uint64_t(smrf_rng_next(r)) << smrf_rng_below(r, 16);
    if (smrf_rng_below(r, 3)) {
        base = base / bytes * bytes;
    }
    int64_t stride = int64_t(smrf_rng_below(r, 300)) - 100;
    if (smrf_rng_below(r, 2)) {
        stride = stride / int64_t(bytes) * int64_t(bytes);
    }
    if (smrf_rng_below(r, 4) == 0) {
        stride = bytes;
    }
    smrf_inst in = strided(base + 100000, stride, smrf_rng_next(r));
    if (smrf_rng_below(r, 2)) {
        in.mask = 0xffffffff;
    }
    if (smrf_rng_below(r, 3) == 0) {
        in = listed(in);
        for (int lane = 0; lane < 32; lane++) {
            if ((in.mask >> lane & 1) && smrf_rng_below(r, 2)) {
                in.lane[lane] += smrf_rng_below(r, 64) * bytes;
            }
        }
    }
    return in;
}

} // namespace

TEST(Coalesce, AlignedStrideTakesStrideSectorsUpToOneALane)
{
    // 32 lanes x stride s from an aligned base cover 32 s bytes = s sectors, until every lane has
    // its own.
    for (uint32_t stride : {4u, 8u, 12u, 16u, 20u, 32u, 36u, 64u, 128u, 4096u}) {
        smrf_inst in = strided(0x1000, stride);
        EXPECT_EQ(std::min(stride, 32u), global(in, 4).size()) << stride;
        EXPECT_EQ(global(in, 4), global(listed(in), 4)) << stride;
    }
    EXPECT_EQ(1u, global(strided(0x1000, 0), 4).size());
    EXPECT_EQ(16u, global(strided(0x1000, 16), 16).size());
    EXPECT_EQ(5u, global(strided(0x1004, 4), 4).size()) << "unaligned: one more";
    EXPECT_EQ(0u, global(strided(0x1000, 4, 0), 4).size());
}

TEST(Coalesce, StraddlingAccessTakesBothSectorsAndTheirBytes)
{
    slow::sector_list want = {{0x1000, 0xc0000000}, {0x1020, 0x00000003}};
    EXPECT_EQ(want, global(strided(0x101e, 0, 1), 4));
    EXPECT_EQ(want, global(listed(strided(0x101e, 0, 0x80000000)), 4));
    // the last sector of all and the first one, in whatever piece of a row
    want = {{0, 0x0000003f}, {~UINT64_C(31), 0xc0000000}};
    EXPECT_EQ(want, global(listed(strided(UINT64_MAX - 1, 4, 3)), 4));
    EXPECT_EQ(want, global(listed(strided(2, -4, 3)), 4));
}

TEST(Coalesce, EqualsByteByByteReference)
{
    smrf_rng r;
    smrf_rng_seed(&r, 11, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t bytes = 1u << smrf_rng_below(&r, 6);
        smrf_inst in = random_inst(&r, bytes);
        smrf_sector s[SMRF_MAX_SECTORS];
        ASSERT_EQ(slow::global_sectors(in, bytes, false), global(in, bytes)) << i;
        ASSERT_EQ(slow::global_sectors(in, bytes, true),
                  got(s, smrf_coalesce_atomic(&in, bytes, s)))
            << i;
        if (in.mask) {
            ASSERT_EQ(slow::lane_addresses(in).begin()->second, smrf_first_address(&in));
        }
    }
}

// A tile's rows: each goes through the sectors of the row before, forwards or backwards, or through
// others between them.
TEST(Coalesce, RowsMayGoThroughTheSectorsOfARowBefore)
{
    for (const uint32_t columns : {2u, 4u, 8u, 16u}) {
        for (const int64_t stride : {4, 12, 32, 448, -4, -448}) {
            for (const int64_t between : {0, 4, 16, 30, 448, -32}) {
                smrf_inst in = listed(strided(0x100000, 0));
                for (uint32_t lane = 0; lane < 32; lane++) {
                    in.lane[lane] += uint64_t(int64_t(lane % columns) * stride +
                                              int64_t(lane / columns) * between);
                }
                EXPECT_EQ(slow::global_sectors(in, 4, false), global(in, 4))
                    << columns << " columns, " << stride << " apart, rows " << between;
            }
        }
    }
}

TEST(Coalesce, AtomicsOnOneWordGoOneAfterTheOther)
{
    smrf_sector s[SMRF_MAX_SECTORS];
    smrf_inst same = strided(0x1000, 0), pairs = listed(strided(0x1000, 4));
    EXPECT_EQ(32u, smrf_coalesce_atomic(&same, 4, s));
    EXPECT_EQ(0x0000000fu, s[31].bytes);
    for (int lane = 0; lane < 32; lane++) {
        pairs.lane[lane] = 0x1000 + uint64_t(lane) / 2 * 4;
    }
    EXPECT_EQ(2u * 2u, smrf_coalesce_atomic(&pairs, 4, s)) << "two sectors, each word twice";
}

TEST(Coalesce, LocalWordsOfAWarpAreContiguous)
{
    const smrf_local_map map = {0x7f0000000000, 64, 1024, SMRF_LOCAL_BASE};
    smrf_sector s[SMRF_MAX_SECTORS];
    smrf_inst in = strided(0x7f0000000100, 0);
    ASSERT_EQ(4u, smrf_coalesce_local(&in, 4, &map, s));
    EXPECT_EQ(SMRF_LOCAL_BASE + 4 * (0x40 * 1024 + 64), s[0].address);
    EXPECT_EQ(s[0].address + 96, s[3].address);
    EXPECT_EQ(0xffffffffu, s[0].bytes);
    EXPECT_EQ(16u, smrf_coalesce_local(&in, 16, &map, s)) << "four words, each 128 bytes";
    EXPECT_EQ(SMRF_LOCAL_BASE + 4 * (0x41 * 1024 + 64), s[4].address);
    in.base = 0x102; // an offset, not in the window
    ASSERT_EQ(4u, smrf_coalesce_local(&in, 1, &map, s));
    EXPECT_EQ(SMRF_LOCAL_BASE + 4 * (0x40 * 1024 + 64), s[0].address);
    EXPECT_EQ(0x44444444u, s[0].bytes);
}

TEST(Coalesce, LocalEqualsByteByByteReference)
{
    smrf_rng r;
    smrf_rng_seed(&r, 12, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t bytes = 1u << smrf_rng_below(&r, 6);
        smrf_inst in = random_inst(&r, bytes);
        if (smrf_rng_below(&r, 2) && in.addr_kind == SMRF_ADDR_STRIDE) {
            in.stride = 0;
        }
        smrf_local_map map = {smrf_rng_below(&r, 2) ? in.base - smrf_rng_below(&r, 4096) : 0,
                              32u * smrf_rng_below(&r, 64), 32u * 64 * 4, SMRF_LOCAL_BASE};
        smrf_sector s[SMRF_MAX_SECTORS];
        ASSERT_EQ(slow::local_sectors(in, bytes, map.window, map.thread, map.threads),
                  got(s, smrf_coalesce_local(&in, bytes, &map, s)))
            << i;
    }
}

TEST(SharedPasses, StrideConflictsFollowTheGreatestCommonDivisor)
{
    for (uint32_t words = 1; words <= 200; words++) {
        smrf_inst in = strided(0x400, words * 4);
        uint32_t want = std::gcd(words, 32u);
        EXPECT_EQ(want, smrf_shared_passes(&in, 4, 32)) << words;
        in = strided(0x400 + 32 * 4 * words, -int64_t(words) * 4);
        EXPECT_EQ(want, smrf_shared_passes(&in, 4, 32)) << words;
        in = listed(in);
        EXPECT_EQ(want, smrf_shared_passes(&in, 4, 32)) << words;
    }
}

TEST(SharedPasses, SameWordIsBroadcastAndWideAccessesTakeTheirShare)
{
    struct {
        int64_t stride;
        uint32_t bytes, want;
    } const cases[] = {{0, 4, 1}, {0, 16, 1}, {1, 1, 1},   {2, 2, 1},
                       {4, 4, 1}, {8, 8, 2},  {16, 16, 4}, {128, 4, 32}};
    for (auto c : cases) {
        smrf_inst in = strided(0x800, c.stride);
        EXPECT_EQ(c.want, smrf_shared_passes(&in, c.bytes, 32)) << c.stride << " " << c.bytes;
        in = listed(in);
        EXPECT_EQ(c.want, smrf_shared_passes(&in, c.bytes, 32)) << c.stride << " " << c.bytes;
    }
    smrf_inst none = strided(0, 4, 0);
    EXPECT_EQ(1u, smrf_shared_passes(&none, 4, 32));
}

TEST(SharedPasses, AtomicsOnOneWordGoOneAfterTheOther)
{
    smrf_inst in{};
    in.addr_kind = SMRF_ADDR_STRIDE;
    in.mask = 0x0000ffff;
    in.base = 64;
    EXPECT_EQ(16u, smrf_shared_atomic_passes(&in, 32));
    EXPECT_EQ(1u, smrf_shared_passes(&in, 4, 32)) << "a load is broadcast";
    in.stride = 4;
    EXPECT_EQ(1u, smrf_shared_atomic_passes(&in, 32));
    EXPECT_EQ(2u, smrf_shared_atomic_passes(&in, 8));
}

TEST(SharedPasses, EqualsReferenceForAnyBanks)
{
    smrf_rng r;
    smrf_rng_seed(&r, 13, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t bytes = 1u << smrf_rng_below(&r, 6);
        uint32_t banks = smrf_rng_below(&r, 2) ? 32 : 1 + smrf_rng_below(&r, 64);
        smrf_inst in = random_inst(&r, bytes);
        ASSERT_EQ(slow::shared_passes(in, bytes, banks), smrf_shared_passes(&in, bytes, banks))
            << i << ": " << bytes << " bytes, " << banks << " banks, stride " << in.stride;
    }
}

// A list may stand somewhere else, as distances: it says the same as one of the instruction's own.
TEST(Coalesce, AListOfDistancesIsTheListOfAddresses)
{
    smrf_rng r;
    smrf_rng_seed(&r, 5, 23);
    for (int i = 0; i < 2000; i++) {
        const uint32_t bytes = 1u << smrf_rng_below(&r, 5);
        const smrf_inst own = listed(random_inst(&r, bytes));
        uint64_t distance[SMRF_LANES];
        smrf_inst in = own;
        in.base = uint64_t(smrf_rng_next(&r)) * smrf_rng_below(&r, 3);
        for (int lane = 0; lane < SMRF_LANES; lane++) {
            distance[lane] = own.lane[lane] - in.base;
        }
        std::memset(in.lane, 0xcc, sizeof in.lane);
        in.list = distance;
        EXPECT_EQ(global(own, bytes), global(in, bytes));
        EXPECT_EQ(slow::lane_addresses(own), slow::lane_addresses(in));
        if (own.mask) {
            EXPECT_EQ(smrf_first_address(&own), smrf_first_address(&in));
        }
        smrf_known_passes known{};
        EXPECT_EQ(slow::shared_passes(own, bytes, 32),
                  smrf_shared_passes_known(&known, &in, bytes, 32));
    }
}

// A handful of patterns, wherever they lie, among others; some differ in one lane, in their
// alignment or in their width alone.
TEST(SharedPasses, KnownPatternsEqualReferenceWhereverTheyLie)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        smrf_rng r;
        smrf_rng_seed(&r, seed, 17);
        const uint32_t banks = seed % 2 ? 32 : 1 + smrf_rng_below(&r, 64);
        smrf_known_passes known{};
        std::vector<smrf_inst> pattern;
        for (int i = 0; i < 5; i++) {
            pattern.push_back(listed(random_inst(&r, 4)));
            pattern.push_back(pattern.back());
            if (pattern.back().mask == 0xffffffff) {
                pattern.back().lane[smrf_rng_below(&r, 32)] ^= 1u << smrf_rng_below(&r, 8);
            }
        }
        for (int i = 0; i < 500; i++) {
            smrf_inst in = pattern[smrf_rng_below(&r, 10)];
            const uint64_t moved = smrf_rng_below(&r, 1000) * (smrf_rng_below(&r, 4) ? 4 : 1);
            const uint32_t bytes = 1u << smrf_rng_below(&r, 6);
            for (auto [lane, address] : slow::lane_addresses(in)) {
                in.lane[lane] = address + moved;
            }
            ASSERT_EQ(slow::shared_passes(in, bytes, banks),
                      smrf_shared_passes_known(&known, &in, bytes, banks))
                << seed << " " << i << ": " << bytes << " bytes, " << banks << " banks";
        }
    }
}
