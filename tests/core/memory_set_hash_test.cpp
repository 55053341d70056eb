// SPDX-License-Identifier: Apache-2.0
// l2.set_hash: linear takes the low bits of a slice's line number, ipoly folds higher bits in.
#include "models/memory/map.h"
#include "platform/config/smrf_config.h"
#include "tests/support/config_views.h"

#include <gtest/gtest.h>

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

} // namespace
