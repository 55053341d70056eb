// SPDX-License-Identifier: Apache-2.0
// l2.set_hash: linear takes the low bits of a slice's line number, ipoly its remainder modulo a
// polynomial.
#include "models/memory/map.h"
#include "platform/config/smrf_config.h"
#include "tests/support/config_views.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace
{

smrf_map map_with(uint32_t hash, uint32_t sets)
{
    smrf_config cfg{};
    smrf_config_default_sections(&cfg);
    cfg.l2.set_hash = hash;
    cfg.l2.sets = sets;
    smrf_map map;
    smrf_map_init(&map, memory_of(cfg));
    return map;
}

TEST(L2SetHash, LinearIsTheLineNumberModuloTheSets)
{
    for (uint32_t sets : {1u, 32u, 64u, 1024u}) {
        smrf_map map = map_with(SMRF_HASH_LINEAR, sets);
        for (uint64_t line = 0; line < 100000; line += 37) {
            ASSERT_EQ(smrf_map_set(&map, line * 128 + 32), line % sets);
        }
    }
}

TEST(L2SetHash, AStrideOfTheSetsUsesOneSetLinearlyAndAllOfThemHashed)
{
    const uint32_t sets = 64;
    smrf_map linear = map_with(SMRF_HASH_LINEAR, sets), hashed = map_with(SMRF_HASH_IPOLY, sets);
    uint64_t used = 0;
    for (uint64_t i = 0; i < sets; i++) {
        EXPECT_EQ(smrf_map_set(&linear, i * sets * 128), 0u);
        used |= uint64_t{1} << smrf_map_set(&hashed, i * sets * 128);
    }
    EXPECT_EQ(used, UINT64_MAX);
}

// Accel-Sim gives its function bit by bit. Of 16, 32 and 64 sets: the line numbers with one bit
// more than sets have, whose set tells the polynomial; and the product with x of any number is one
// shift more.
TEST(L2SetHash, IsTheRemainderModuloAccelSimsPolynomials)
{
    for (auto [sets, first] : {std::pair{16u, 3u}, {32u, 5u}, {64u, 3u}}) {
        smrf_map map = map_with(SMRF_HASH_IPOLY, sets);
        EXPECT_EQ(smrf_map_set(&map, uint64_t{sets} * 128), first);
        for (uint64_t line = 1; line < 4096; line++) {
            const uint32_t set = smrf_map_set(&map, line * 128);
            const uint32_t shifted = set << 1 & sets ? (set << 1 ^ first) % sets : set << 1;
            ASSERT_EQ(smrf_map_set(&map, line * 2 * 128), shifted);
            ASSERT_EQ(smrf_map_set(&map, (line ^ 1) * 128), set ^ 1);
        }
    }
}

// As far as its table goes: it looks at 13, 15 and 19 bits above the set's own.
TEST(L2SetHash, LooksAtNoBitThatAccelSimLeavesOut)
{
    for (auto [sets, bits] : {std::pair{16u, 17u}, {32u, 20u}, {64u, 25u}}) {
        smrf_map map = map_with(SMRF_HASH_IPOLY, sets);
        EXPECT_NE(smrf_map_set(&map, uint64_t{128} << (bits - 1)), 0u);
        for (uint32_t bit = bits; bit < 57; bit++) {
            EXPECT_EQ(smrf_map_set(&map, uint64_t{128} << bit), 0u);
        }
    }
}

// Any number of sets: a block of as many lines uses each once, wherever it lies.
TEST(L2SetHash, ALineOfEachSetStandsInEveryAlignedBlock)
{
    for (uint32_t sets = 1; sets <= 65536; sets *= 2) {
        smrf_map map = map_with(SMRF_HASH_IPOLY, sets);
        for (uint64_t block : {uint64_t{0}, uint64_t{5}, uint64_t{0x3456789}}) {
            std::vector<bool> used(sets);
            for (uint64_t i = 0; i < sets; i++) {
                const uint32_t set = smrf_map_set(&map, (block * sets + i) * 128);
                ASSERT_LT(set, sets);
                ASSERT_FALSE(used[set]);
                used[set] = true;
            }
        }
    }
}

} // namespace
