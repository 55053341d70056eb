// SPDX-License-Identifier: Apache-2.0
// The hash index against std::map, with hashes that collide, over insertions and removals.
#include "traces/files/hash_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace
{

struct keys {
    std::vector<uint64_t> of; // of an item
    uint64_t wanted;
};

bool is_same(const void *ctx, uint32_t item)
{
    const auto *k = static_cast<const keys *>(ctx);
    return k->of[item] == k->wanted;
}

TEST(HashIndex, FindsWhatWasAddedAndNotRemoved)
{
    std::mt19937_64 random(1);
    for (const uint32_t hashes : {1u, 7u, 300u, UINT32_MAX}) { // few: long runs of taken slots
        smrf_hash_index index{};
        keys k{};
        std::map<uint64_t, uint32_t> expected;
        for (unsigned step = 0; step < 3000; step++) {
            const uint64_t key = random() % 400;
            const uint32_t hash = static_cast<uint32_t>(key * 2654435761u) % hashes;
            const auto at = expected.find(key);
            if (at == expected.end()) {
                const auto item = static_cast<uint32_t>(k.of.size());
                k.of.push_back(key);
                ASSERT_TRUE(smrf_hash_add(&index, hash, item));
                expected[key] = item;
            } else {
                smrf_hash_remove(&index, hash, at->second);
                expected.erase(at);
            }
            k.wanted = random() % 400;
            const auto found = expected.find(k.wanted);
            EXPECT_EQ(found == expected.end() ? SMRF_HASH_NONE : found->second,
                      smrf_hash_find(&index, static_cast<uint32_t>(k.wanted * 2654435761u) % hashes,
                                     is_same, &k))
                << "hashes " << hashes << ", step " << step;
            EXPECT_EQ(expected.size(), index.used);
        }
        smrf_hash_free(&index);
    }
}

} // namespace
