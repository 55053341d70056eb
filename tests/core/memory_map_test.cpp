// SPDX-License-Identifier: Apache-2.0
// Where addresses lie: spread over slices and channels, and back to one address each.
#include "../support/memory_dut.h"
#include "tests/support/config_views.h"

#include "models/memory/map.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

smrf_map map_of(const smrf_config &c)
{
    smrf_map map;

    smrf_map_init(&map, memory_of(c));
    return map;
}

smrf_config machine(uint32_t channels, uint32_t slices, uint32_t hash)
{
    smrf_config c = default_config();

    c.dram.channels = channels;
    c.l2.slices = slices;
    c.l2.hash = hash;
    return c;
}

TEST(MemoryMap, Sends256BytesToEachChannelAndLinesToItsSlicesInTurn)
{
    smrf_map map = map_of(machine(12, 24, SMRF_HASH_LINEAR));

    for (uint64_t address = 0; address < 100000; address += 32) {
        smrf_place p = smrf_map_slice(&map, address);
        EXPECT_EQ(address / 256 % 12 * 2 + address / 128 % 2, p.slice);
        EXPECT_EQ(address / 256 / 12 * 128 + address % 128, p.local);
    }
}

TEST(MemoryMap, FollowsAccelSimsBitsForBankAndRow)
{
    // dramid@8 with one channel: ..RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS, sub-partition = bank bit 0.
    smrf_map map = map_of(machine(1, 2, SMRF_HASH_LINEAR));
    smrf_rng rng;

    smrf_rng_seed(&rng, 3, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t address = smrf_rng_next(&rng) & ~31u;
        smrf_place p = smrf_map_slice(&map, address);
        smrf_dram_place d = smrf_map_dram(&map, p.slice, p.local);

        EXPECT_EQ(address >> 7 & 1, p.slice);
        EXPECT_EQ((address >> 7 & 1) | (address >> 12 & 7) << 1, d.bank);
        EXPECT_EQ(address >> 15, d.row);
        EXPECT_EQ(0u, d.channel);
    }
}

TEST(MemoryMap, FollowsAccelSimsBitsWhereASliceHoldsAChunk)
{
    // dramid@8 with 32 channels: ..RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS, a channel's number at bit 8.
    smrf_config c = machine(32, 64, SMRF_HASH_LINEAR);
    smrf_rng rng;

    c.l2.slice_bytes = 256;
    smrf_map map = map_of(c);
    smrf_rng_seed(&rng, 5, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t address = smrf_rng_next(&rng) & ~31u;
        smrf_place p = smrf_map_slice(&map, address);
        smrf_dram_place d = smrf_map_dram(&map, p.slice, p.local);

        EXPECT_EQ((address >> 8 & 31) << 1 | (address >> 13 & 1), p.slice);
        EXPECT_EQ(address >> 14 << 8 | (address & 255), p.local);
        EXPECT_EQ(address >> 8 & 31, d.channel);
        EXPECT_EQ((address >> 13 & 1) | (address >> 17 & 7) << 1, d.bank);
        EXPECT_EQ(address >> 20, d.row);
    }
}

class EveryMachine
    : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>>
{
};

TEST_P(EveryMachine, GivesEachSectorAPlaceOfItsOwn)
{
    auto [channels, per_channel, hash, piece] = GetParam();
    smrf_config c = machine(channels, channels * per_channel, hash);
    c.l2.slice_bytes = piece;
    smrf_map map = map_of(c);
    std::set<std::pair<uint32_t, uint64_t>> places;
    std::vector<uint32_t> load(c.l2.slices);
    uint64_t highest = 0;
    const uint64_t sectors = 1 << 15;

    for (uint64_t i = 0; i < sectors; i++) {
        smrf_place p = smrf_map_slice(&map, i * 32);
        ASSERT_LT(p.slice, c.l2.slices);
        EXPECT_EQ(p.slice / per_channel, smrf_map_dram(&map, p.slice, p.local).channel);
        EXPECT_EQ(p.slice, smrf_map_slice(&map, i * 32 / piece * piece).slice); // in a row
        EXPECT_TRUE(places.emplace(p.slice, p.local).second) << i;
        load[p.slice]++;
        highest = std::max(highest, p.local);
    }
    EXPECT_LE(highest, sectors * 32 / c.l2.slices + 512); // dense
    for (uint32_t n : load) {
        EXPECT_NEAR(double(sectors) / c.l2.slices, n, 8.0 * per_channel);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, EveryMachine,
    testing::Combine(testing::Values(1u, 2u, 4u, 5u, 12u, 32u), testing::Values(1u, 2u, 3u),
                     testing::Values(uint32_t(SMRF_HASH_LINEAR), uint32_t(SMRF_HASH_IPOLY)),
                     testing::Values(128u, 256u)));

INSTANTIATE_TEST_SUITE_P(AccelSim, EveryMachine,
                         testing::Combine(testing::Values(16u, 32u), testing::Values(1u, 2u),
                                          testing::Values(uint32_t(SMRF_HASH_ACCELSIM)),
                                          testing::Values(128u, 256u)));

// What Accel-Sim (GPGPU-Sim 667834cf, SM86_RTX3070: 16 channels, 32 sub-partitions, indexing 2)
// sent where.
TEST(MemoryMap, AccelSimsHashSendsAddressesWhereAccelSimDoes)
{
    const std::pair<uint64_t, uint32_t> sent[] = {
        {0x7f0b2c443780, 3},  {0x7f0a34629080, 13}, {0x7f0b35cadd80, 2},  {0x7f0a3ca6d480, 26},
        {0x7f0b3a1d5c00, 18}, {0x7f0b31b49a00, 7},  {0x7f0b3dc4e700, 24}, {0x7f0b35a36b00, 21},
        {0x7f0b2e9ae980, 18}, {0x7f0b44483680, 17}, {0x7f0b24e01000, 29}, {0x7f0a2241aa80, 7},
        {0x7f0b3db8b800, 21}, {0x7f0a453c2100, 27}, {0x7f0b3890b580, 13}, {0x7f0a33e4d900, 11},
        {0x7f0b2e674800, 11}, {0x7f0a241bc900, 17}, {0x7f0b42914380, 2},  {0x7f0a2c87a400, 5}};
    const smrf_map map = map_of(machine(16, 32, SMRF_HASH_ACCELSIM));
    const smrf_map linear = map_of(machine(16, 32, SMRF_HASH_LINEAR));

    for (const auto &[address, slice] : sent) {
        const smrf_place p = smrf_map_slice(&map, address), q = smrf_map_slice(&linear, address);
        EXPECT_EQ(slice, p.slice) << std::hex << address;
        // only the slice is another: the set, the bank and the row stay as they are
        EXPECT_EQ(q.local, p.local);
        const smrf_dram_place d = smrf_map_dram(&map, p.slice, p.local),
                              e = smrf_map_dram(&linear, q.slice, q.local);
        EXPECT_EQ(slice / 2, d.channel);
        EXPECT_EQ(e.bank, d.bank);
        EXPECT_EQ(e.row, d.row);
    }
}

TEST(MemoryMap, SpreadsStridesOfPowersOfTwoWithTheHashOnly)
{
    for (uint32_t slices : {16u, 24u, 64u}) {
        smrf_map linear = map_of(machine(slices / 2, slices, SMRF_HASH_LINEAR));
        smrf_map hashed = map_of(machine(slices / 2, slices, SMRF_HASH_IPOLY));

        for (uint32_t stride = 256; stride <= 1u << 20; stride *= 2) {
            std::vector<uint32_t> load(slices);
            for (uint64_t i = 0; i < slices * 64; i++) {
                load[smrf_map_slice(&hashed, i * stride).slice]++;
            }
            EXPECT_LE(*std::max_element(load.begin(), load.end()), 160u)
                << slices << " slices, stride " << stride; // mean 64
        }
        std::set<uint32_t> used;
        for (uint64_t i = 0; i < 1024; i++) {
            used.insert(smrf_map_slice(&linear, i * 65536).slice);
        }
        EXPECT_LE(used.size(), 3u);
    }
}

TEST(MemoryMap, UsesEverySetOfASliceForStridesTooIfHashed)
{
    smrf_config c = machine(4, 8, SMRF_HASH_LINEAR);
    smrf_map hashed = map_of(c);
    c.l2.set_hash = SMRF_HASH_LINEAR;
    smrf_map linear = map_of(c);

    for (uint64_t stride : {128u, 8192u, 524288u}) {
        std::vector<uint32_t> load(c.l2.sets);
        for (uint64_t i = 0; i < c.l2.sets * 16; i++) {
            uint32_t set = smrf_map_set(&hashed, i * stride);
            ASSERT_LT(set, c.l2.sets);
            load[set]++;
            EXPECT_EQ(i * stride / 128 % c.l2.sets, smrf_map_set(&linear, i * stride));
        }
        EXPECT_LE(*std::max_element(load.begin(), load.end()), 32u) << stride;
    }
}

} // namespace
