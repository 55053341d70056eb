// SPDX-License-Identifier: Apache-2.0
// Memory of somebody else behind a space: what is read when, and what has changed.
#include "firmware/exec/space.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace
{

// Bytes from `first` on, and who has read them.
struct foreign {
    uint64_t first = 0x10000;
    std::vector<uint8_t> bytes = std::vector<uint8_t>(3 * SMRF_SPACE_PAGE / 2 + 32, 0x11);
    std::vector<std::pair<uint64_t, uint64_t>> reads; // that succeeded
    smrf_memory_space *space = nullptr;

    foreign()
    {
        const smrf_space_backing backing = {
            this, [](void *ctx, uint64_t address, uint8_t *data, uint64_t count) {
                auto *self = static_cast<foreign *>(ctx);
                if (address < self->first || address - self->first > self->bytes.size() ||
                    count > self->bytes.size() - (address - self->first)) {
                    return false;
                }
                std::memcpy(data, &self->bytes[address - self->first], count);
                self->reads.emplace_back(address, count);
                return true;
            }};
        EXPECT_EQ(smrf_space_create(&space), 0);
        smrf_space_back(space, &backing);
    }
    ~foreign()
    {
        smrf_space_destroy(space);
    }
    uint8_t *at(uint64_t address, uint64_t count = 4)
    {
        return static_cast<uint8_t *>(smrf_space_at(space, address, count));
    }
    std::map<uint64_t, std::vector<uint8_t>> changes()
    {
        std::map<uint64_t, std::vector<uint8_t>> found;
        EXPECT_EQ(smrf_space_changes(
                      space, &found,
                      [](void *ctx, uint64_t address, const uint8_t *data, uint64_t count) {
                          (*static_cast<decltype(found) *>(ctx))[address].assign(data,
                                                                                 data + count);
                          return 0;
                      }),
                  0);
        return found;
    }
};

} // namespace

TEST(SpaceBacking, PagesAreReadWhenTheyAreFirstAccessed)
{
    foreign f;
    ASSERT_NE(f.at(0x10010), nullptr);
    ASSERT_NE(f.at(0x10ff0, 16), nullptr);
    EXPECT_EQ(*f.at(0x10010), 0x11);
    ASSERT_EQ(f.reads.size(), 1u);
    EXPECT_EQ(f.reads[0], std::make_pair(uint64_t{0x10000}, uint64_t{SMRF_SPACE_PAGE}));
    f.bytes[0x10] = 0x77;
    EXPECT_EQ(*f.at(0x10010), 0x11) << "as it was when it was read";
}

TEST(SpaceBacking, OfAPageThatIsNotAllThereAPartIsRead)
{
    foreign f;
    EXPECT_NE(f.at(0x11000), nullptr);
    ASSERT_EQ(f.reads.size(), 1u);
    EXPECT_EQ(f.reads[0].second, SMRF_SPACE_PAGE / 2);
    EXPECT_NE(f.at(0x11800), nullptr) << "the last 32 bytes";
    EXPECT_EQ(f.reads.back().second, 32u);
    EXPECT_EQ(f.at(0x11820), nullptr);
    EXPECT_EQ(f.at(0xfffc), nullptr);
    EXPECT_EQ(f.at(UINT64_MAX - 3), nullptr);
}

TEST(SpaceBacking, ChangesAreRunsOfBytesInAscendingOrder)
{
    foreign f;
    const uint64_t own = smrf_space_alloc(f.space, 64);
    ASSERT_NE(own, 0u);
    *f.at(own) = 1; // an allocation is nobody else's
    *f.at(0x11004) = 0x22;
    std::memset(f.at(0x10100, 8), 0x33, 8);
    *f.at(0x10102) = 0x11; // as it was
    const std::map<uint64_t, std::vector<uint8_t>> expected = {
        {0x10100, {0x33, 0x33}}, {0x10103, {0x33, 0x33, 0x33, 0x33, 0x33}}, {0x11004, {0x22}}};
    EXPECT_EQ(f.changes(), expected);
}

TEST(SpaceBacking, AWriteThatFailsEndsTheChanges)
{
    foreign f;
    unsigned calls = 0;
    *f.at(0x10000) = 1;
    *f.at(0x10010) = 1;
    EXPECT_EQ(smrf_space_changes(f.space, &calls,
                                 [](void *ctx, uint64_t, const uint8_t *, uint64_t) {
                                     ++*static_cast<unsigned *>(ctx);
                                     return -5;
                                 }),
              -5);
    EXPECT_EQ(calls, 1u);
}
