// SPDX-License-Identifier: Apache-2.0
// The digest of a byte stream does not depend on the pieces in which it comes, and tells apart what
// differs in a byte, in the order of blocks, or in length.
#include <gtest/gtest.h>

#include "traces/digest.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace
{

std::string text(size_t bytes)
{
    std::string s(bytes, '\0');
    uint32_t next = 1;
    for (char &c : s) {
        next = next * 1664525 + 1013904223;
        c = static_cast<char>(next >> 24);
    }
    return s;
}

uint64_t digest_of(const std::string &s, size_t piece)
{
    smrf_digest d;
    smrf_digest_init(&d);
    for (size_t at = 0; at < s.size(); at += piece) {
        smrf_digest_add(&d, s.data() + at, std::min(piece, s.size() - at));
        (void)smrf_digest_value(&d); // adding may go on
    }
    return smrf_digest_value(&d);
}

TEST(Digest, DoesNotDependOnThePieces)
{
    for (size_t bytes : {size_t{0}, size_t{1}, SMRF_DIGEST_BLOCK - 1, SMRF_DIGEST_BLOCK,
                         SMRF_DIGEST_BLOCK + 1, 5 * SMRF_DIGEST_BLOCK + 17}) {
        const std::string s = text(bytes);
        for (size_t piece : {size_t{1}, size_t{7}, size_t{4000}, SMRF_DIGEST_BLOCK,
                             SMRF_DIGEST_BLOCK + 3, 4 * SMRF_DIGEST_BLOCK}) {
            EXPECT_EQ(digest_of(s, piece), digest_of(s, s.size() + 1)) << bytes << ' ' << piece;
        }
    }
}

TEST(Digest, TellsApartWhatDiffers)
{
    const std::string s = text(3 * SMRF_DIGEST_BLOCK);
    std::string swapped = s, changed = s;
    std::rotate(swapped.begin(), swapped.begin() + SMRF_DIGEST_BLOCK, swapped.end());
    changed[SMRF_DIGEST_BLOCK + 5] ^= 1;
    EXPECT_NE(digest_of(s, 100), digest_of(swapped, 100));
    EXPECT_NE(digest_of(s, 100), digest_of(changed, 100));
    EXPECT_NE(digest_of(s, 100), digest_of(s + '\0', 100));
    EXPECT_NE(digest_of(s, 100), digest_of(s.substr(1), 100));
    EXPECT_NE(digest_of("", 1), digest_of(std::string(1, '\0'), 1));
}

} // namespace
