// SPDX-License-Identifier: Apache-2.0
// Whose turn it is, against a walk from member to member.
#include "models/common/smrf_rng.h"
#include "models/common/smrf_turn.h"

#include <gtest/gtest.h>

namespace
{

uint32_t walk(uint64_t members, uint32_t from)
{
    from %= 64;
    while (!(members >> from & 1)) {
        from = (from + 1) % 64;
    }
    return from;
}

TEST(Turn, IsThatOfTheFirstMemberFromOneOnAroundTheEnd)
{
    smrf_rng rng;

    smrf_rng_seed(&rng, 7, 0);
    for (uint32_t from = 0; from <= 64; from++) {
        for (uint32_t bit = 0; bit < 64; bit++) {
            const uint64_t members = UINT64_C(1) << bit;
            const uint64_t more =
                members | (uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng));

            EXPECT_EQ(bit, smrf_turn_first(members, from));
            EXPECT_EQ(walk(more, from), smrf_turn_first(more, from)) << more << " from " << from;
        }
    }
}

} // namespace
