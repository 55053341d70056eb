// SPDX-License-Identifier: Apache-2.0
#include "models/bank/bank.h"
#include "models/common/smrf_rng.h"
#include "models/register_file/geometry.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>
#include <vector>

namespace
{

using row_data = std::array<uint32_t, SMRF_LANES>;

// A bank with its storage.
struct dut {
    explicit dut(uint32_t num_rows) : rows(num_rows), tags(num_rows)
    {
        EXPECT_EQ(0, smrf_bank_init(&bank, rows.data(), tags.data(), num_rows));
    }
    std::vector<smrf_bank_row> rows;
    std::vector<smrf_bank_tag> tags;
    smrf_bank bank;
};

row_data filled(uint32_t value)
{
    row_data d;
    d.fill(value);
    return d;
}

row_data series(uint32_t first)
{
    row_data d;
    std::iota(d.begin(), d.end(), first);
    return d;
}

TEST(Bank, RefusesMissingStorageAndImpossibleSizes)
{
    smrf_bank b;
    smrf_bank_row row;
    smrf_bank_tag tag;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bank_init(&b, nullptr, &tag, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bank_init(&b, &row, nullptr, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bank_init(&b, &row, &tag, 0));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bank_init(&b, &row, &tag, SMRF_ROW_NONE));
    EXPECT_EQ(0, smrf_bank_init(&b, &row, &tag, 1));
}

TEST(Bank, WritesOnlyTheLanesOfTheMask)
{
    dut d(4);
    row_data out;
    smrf_bank_write(&d.bank, 2, filled(7).data(), UINT32_MAX, 1);
    smrf_bank_write(&d.bank, 2, filled(9).data(), 0x80000001u, 2);
    EXPECT_EQ(2u, smrf_bank_read(&d.bank, 2, out.data()));
    for (unsigned l = 0; l < SMRF_LANES; l++) {
        EXPECT_EQ(l == 0 || l == 31 ? 9u : 7u, out[l]) << l;
    }
}

// An older load without an active lane may end behind a younger write.
TEST(Bank, AWriteWithoutLanesLeavesTheVersion)
{
    dut d(4);
    row_data out;
    smrf_bank_write(&d.bank, 2, filled(7).data(), UINT32_MAX, 5);
    smrf_bank_write(&d.bank, 2, filled(9).data(), 0, 4);
    EXPECT_EQ(5u, smrf_bank_read(&d.bank, 2, out.data()));
    EXPECT_EQ(filled(7), out);
    EXPECT_EQ(2u, d.bank.writes) << "it takes the port all the same";
}

TEST(Bank, RegisterWithoutARowReadsZeroAndDiscardsWrites)
{
    dut d(2);
    row_data out = filled(5);
    smrf_bank_write(&d.bank, SMRF_ROW_NONE, filled(1).data(), UINT32_MAX, 3);
    EXPECT_EQ(0u, smrf_bank_read(&d.bank, SMRF_ROW_NONE, out.data()));
    EXPECT_EQ(filled(0), out);
    EXPECT_EQ(1u, d.bank.reads) << "it takes the port all the same";
    EXPECT_EQ(1u, d.bank.writes);
}

TEST(Bank, ProbeNeitherCountsNorLeavesTheBank)
{
    dut d(3);
    smrf_bank_row scratch;
    smrf_bank_write(&d.bank, 1, filled(4).data(), UINT32_MAX, 1);
    EXPECT_EQ(4u, smrf_bank_probe(&d.bank, 1, &scratch)->lane[31]);
    EXPECT_EQ(nullptr, smrf_bank_probe(&d.bank, 3, &scratch));
    EXPECT_EQ(0u, d.bank.reads);
}

// A series is kept as its first lane, and looks like any other value from outside.
TEST(Bank, ASeriesIsAValueLikeOthers)
{
    for (const uint32_t first : {0u, 7u, UINT32_MAX - 3}) {
        dut d(4);
        row_data out;
        smrf_bank_row scratch;
        smrf_bank_write(&d.bank, 2, series(first).data(), UINT32_MAX, 5);
        EXPECT_EQ(5u, smrf_bank_read(&d.bank, 2, out.data()));
        EXPECT_EQ(series(first), out);
        EXPECT_EQ(first + 31, smrf_bank_probe(&d.bank, 2, &scratch)->lane[31]);

        smrf_bank_write(&d.bank, 2, filled(9).data(), 2, 6);
        row_data expected = series(first);
        expected[1] = 9;
        EXPECT_EQ(6u, smrf_bank_read(&d.bank, 2, out.data()));
        EXPECT_EQ(expected, out);
    }
}

// Each lane counts: a value that only one lane keeps from being a series is none.
TEST(Bank, OneLaneTellsAValueFromASeries)
{
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        dut d(1);
        row_data in = series(100), out;
        in[lane] ^= 1u << lane;
        smrf_bank_write(&d.bank, 0, in.data(), UINT32_MAX, 1);
        smrf_bank_read(&d.bank, 0, out.data());
        EXPECT_EQ(in, out) << lane;
    }
}

// A debugger or DMI keeps a pointer to a row: it reads and writes all rows through such pointers.
TEST(Bank, APokedBankIsOpenFromThenOn)
{
    dut d(4);
    row_data out;
    smrf_bank_write(&d.bank, 1, series(50).data(), UINT32_MAX, 1);
    smrf_bank_write(&d.bank, 2, series(60).data(), UINT32_MAX, 2);
    smrf_bank_row *one = smrf_bank_poke(&d.bank, 1), *two = smrf_bank_poke(&d.bank, 2);
    EXPECT_EQ(81u, one->lane[31]);
    EXPECT_EQ(91u, two->lane[31]);
    smrf_bank_write(&d.bank, 1, series(70).data(), UINT32_MAX, 3);
    EXPECT_EQ(101u, one->lane[31]) << "a later write is seen";
    one->lane[4] = 0;
    EXPECT_EQ(3u, smrf_bank_read(&d.bank, 1, out.data()));
    EXPECT_EQ(0u, out[4]) << "a change from outside is seen";
    smrf_bank_reset(&d.bank);
    smrf_bank_write(&d.bank, 2, series(80).data(), UINT32_MAX, 1);
    EXPECT_EQ(111u, two->lane[31]) << "pointers outlive a reset";
}

TEST(Bank, ResetForgetsEverything)
{
    dut d(2);
    row_data out;
    smrf_bank_write(&d.bank, 1, filled(4).data(), UINT32_MAX, 8);
    smrf_bank_reset(&d.bank);
    EXPECT_EQ(0u, d.bank.writes);
    EXPECT_EQ(0u, smrf_bank_read(&d.bank, 1, out.data()));
    EXPECT_EQ(filled(0), out);
}

TEST(Bank, AgreesWithAMapOfRowsOnRandomTraffic)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 1);
        uint32_t num_rows = seed == 0 ? 1 : 1 + smrf_rng_below(&rng, 2048);
        dut d(num_rows);
        std::map<uint32_t, row_data> content;
        std::map<uint32_t, uint32_t> version;
        uint64_t reads = 0, writes = 0;
        for (uint32_t n = 1; n < 2000; n++) {
            uint32_t row = smrf_rng_below(&rng, num_rows < 20 ? num_rows : 20);
            row_data data;
            if (smrf_rng_below(&rng, 2)) {
                uint32_t mask = smrf_rng_below(&rng, 3) ? smrf_rng_next(&rng) : UINT32_MAX;
                const bool is_series = smrf_rng_below(&rng, 2);
                const uint32_t first = smrf_rng_next(&rng);
                for (uint32_t l = 0; l < SMRF_LANES; l++) {
                    data[l] = is_series ? first + l : smrf_rng_next(&rng);
                    if (mask >> l & 1) {
                        content[row][l] = data[l];
                    }
                }
                version[row] = n;
                smrf_bank_write(&d.bank, row, data.data(), mask, n);
                writes++;
            } else {
                ASSERT_EQ(version[row], smrf_bank_read(&d.bank, row, data.data()))
                    << "seed " << seed;
                ASSERT_EQ(content[row], data) << "seed " << seed << " access " << n;
                reads++;
            }
        }
        EXPECT_EQ(reads, d.bank.reads);
        EXPECT_EQ(writes, d.bank.writes);
    }
}

// Banks are dealt by a multiplication; a division says the same of every register that there can
// be.
TEST(Geometry, PlacesAreThoseOfADivision)
{
    for (unsigned banks = 1; banks <= SMRF_MAX_BANKS; banks++) {
        smrf_rf_params rf{};
        rf.banks = banks;
        for (unsigned swizzle = 0; swizzle < 2; swizzle++) {
            rf.swizzle = swizzle;
            for (unsigned phys = 0; phys < SMRF_PHYS_NONE; phys += phys < 4096 ? 1 : 61) {
                const unsigned warp = phys % 64;
                const smrf_register_place at = smrf_place_of(&rf, warp, 7, phys);
                ASSERT_EQ(uint16_t(phys / banks), at.row) << banks << " banks, " << phys;
                ASSERT_EQ((phys + swizzle * warp) % banks, at.bank) << banks << " banks, " << phys;
            }
            const smrf_register_place none = smrf_place_of(&rf, 5, 255, SMRF_PHYS_NONE);
            EXPECT_EQ(SMRF_ROW_NONE, none.row);
            EXPECT_EQ((255 + swizzle * 5) % banks, none.bank);
        }
    }
}

} // namespace
