// SPDX-License-Identifier: Apache-2.0
// The crossbar's address space: every place has one address of its own, and every address one
// place.
#include "models/common/smrf_rng.h"
#include "models/wires/words.h"
#include "models/xbar/xbar.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

TEST(Crossbar, RefusesImpossibleSizes)
{
    smrf_xbar x;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, 0, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, SMRF_MAX_BANKS + 1, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, 1, 0));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, 1, SMRF_ROW_NONE));
    EXPECT_EQ(0, smrf_xbar_init(&x, SMRF_MAX_BANKS, SMRF_ROW_NONE - 1));
}

TEST(Crossbar, EveryPlaceHasAnAddressOfItsOwnThatLeadsToItsRow)
{
    for (uint32_t banks : {1u, 2u, 3u, 5u, 16u}) {
        for (uint32_t rows : {1u, 7u, 8u, 64u, 100u}) {
            smrf_xbar x;
            ASSERT_EQ(0, smrf_xbar_init(&x, banks, rows));
            std::set<uint64_t> seen;
            for (uint32_t bank = 0; bank < banks; bank++) {
                for (uint32_t row = 0; row <= rows; row++) {
                    smrf_register_place at;
                    at.row = uint16_t(row == rows ? SMRF_ROW_NONE : row);
                    at.bank = uint8_t(bank);
                    const uint64_t address = smrf_xbar_address(&x, at);
                    uint64_t local = 0;
                    EXPECT_TRUE(seen.insert(address).second);
                    EXPECT_EQ(bank, smrf_xbar_route(&x, address, &local));
                    EXPECT_EQ(row * 128u, local) << "the word behind the rows stands for none";
                }
            }
        }
    }
}

TEST(Crossbar, AddressesBeyondTheLastBankLeadNowhere)
{
    smrf_xbar x;
    uint64_t local = 0;
    ASSERT_EQ(0, smrf_xbar_init(&x, 3, 10));
    for (uint64_t address : {uint64_t{3} << x.shift, UINT64_MAX / 2, UINT64_MAX}) {
        EXPECT_EQ(3u, smrf_xbar_route(&x, address, &local));
    }
}

TEST(Crossbar, CountsWhatCrosses)
{
    smrf_xbar x;
    ASSERT_EQ(0, smrf_xbar_init(&x, 2, 4));
    smrf_xbar_transfer(&x, 1);
    smrf_xbar_transfer(&x, 3);
    EXPECT_EQ(4u, x.stats.crossbar_transfers);
    smrf_xbar_reset(&x);
    EXPECT_EQ(0u, x.stats.crossbar_transfers);
}

TEST(Words, AReadSurvivesItsWord)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 1, 2);
    for (int n = 0; n < 1000; n++) {
        const smrf_register_place at = {uint16_t(smrf_rng_below(&rng, 65536)),
                                        uint8_t(smrf_rng_below(&rng, SMRF_MAX_BANKS))};
        const unsigned collector = smrf_rng_below(&rng, SMRF_MAX_COLLECTORS);
        const unsigned source = smrf_rng_below(&rng, SMRF_MAX_SRC);
        const uint32_t word = smrf_read_word(at, collector, source);
        EXPECT_EQ(at.row, smrf_read_at(word).row);
        EXPECT_EQ(at.bank, smrf_read_at(word).bank);
        EXPECT_EQ(at.bank, smrf_read_bank(word));
        EXPECT_EQ(collector, smrf_read_collector(word));
        EXPECT_EQ(source, smrf_read_source(word));
    }
}

TEST(Words, AnOperandsAddressNamesItsInstructionAndItsNumber)
{
    for (uint32_t flight : {0u, 1u, SMRF_FLIGHTS - 1u}) {
        for (unsigned i : {0u, 1u, unsigned{SMRF_MAX_SRC} - 1, unsigned{SMRF_OPERAND_MASK}}) {
            const uint64_t address = smrf_operand_address(flight, i);
            EXPECT_EQ(flight, smrf_flight_of_address(address));
            EXPECT_EQ(i, smrf_operand_of_address(address));
            EXPECT_EQ(0u, address % SMRF_WARP_REG_BYTES);
        }
    }
}

} // namespace
