// SPDX-License-Identifier: Apache-2.0
// Configurations that the memory refuses, and calls that break its contract.
#include "../support/memory_dut.h"
#include "tests/support/config_views.h"

#include <gtest/gtest.h>

namespace
{

struct change {
    const char *name;
    uint32_t &(*field)(smrf_config &c);
    uint32_t value;
    int expected;
};

class BadConfiguration : public testing::TestWithParam<change>
{
};

TEST_P(BadConfiguration, IsRefused)
{
    smrf_config c = default_config();
    std::vector<uint64_t> storage(8);

    EXPECT_EQ(SMRF_OK, smrf_memory_config_check(memory_of(c)));
    EXPECT_GT(smrf_memory_bytes(memory_of(c)), 0u);
    GetParam().field(c) = GetParam().value;
    EXPECT_EQ(GetParam().expected, smrf_memory_config_check(memory_of(c)));
    EXPECT_EQ(0u, smrf_memory_bytes(memory_of(c)));
    EXPECT_EQ(GetParam().expected,
              smrf_memory_init(reinterpret_cast<smrf_memory *>(storage.data()), memory_of(c)));
    EXPECT_EQ(std::vector<uint64_t>(8), storage);
}

#define BAD(section, name, value, expected)                                                        \
    change                                                                                         \
    {                                                                                              \
#section "_" #name "_" #value,                                                             \
            [](smrf_config & c) -> uint32_t & { return c.section.name; }, value, expected          \
    }

INSTANTIATE_TEST_SUITE_P(
    Values, BadConfiguration,
    testing::Values(BAD(gpu, sms, 0, SMRF_ERR_INVAL), BAD(gpu, sms, 257, SMRF_ERR_INVAL),
                    BAD(gpu, core_khz, 0, SMRF_ERR_INVAL), BAD(noc, flit_bytes, 0, SMRF_ERR_INVAL),
                    BAD(noc, credits, 0, SMRF_ERR_INVAL), BAD(noc, credits, 4097, SMRF_ERR_INVAL),
                    BAD(l2, slices, 0, SMRF_ERR_INVAL), BAD(l2, slices, 7, SMRF_ERR_INVAL),
                    BAD(l2, slices, 260, SMRF_ERR_INVAL), BAD(l2, sets, 0, SMRF_ERR_INVAL),
                    BAD(l2, sets, 48, SMRF_ERR_INVAL), BAD(l2, ways, 0, SMRF_ERR_INVAL),
                    BAD(l2, sets, 16777216, SMRF_ERR_LIMIT), BAD(l2, latency, 0, SMRF_ERR_INVAL),
                    BAD(l2, mshrs, 0, SMRF_ERR_INVAL), BAD(l2, mshr_merge, 0, SMRF_ERR_INVAL),
                    BAD(dram, channels, 0, SMRF_ERR_INVAL), BAD(dram, channels, 65, SMRF_ERR_INVAL),
                    BAD(dram, khz, 0, SMRF_ERR_INVAL), BAD(dram, bus_bytes, 0, SMRF_ERR_INVAL),
                    BAD(dram, burst, 0, SMRF_ERR_INVAL), BAD(dram, data_rate, 0, SMRF_ERR_INVAL),
                    BAD(dram, queue, 0, SMRF_ERR_INVAL), BAD(dram, banks, 0, SMRF_ERR_INVAL),
                    BAD(dram, banks, 12, SMRF_ERR_INVAL), BAD(dram, banks, 128, SMRF_ERR_INVAL),
                    BAD(dram, bank_groups, 0, SMRF_ERR_INVAL),
                    BAD(dram, bank_groups, 17, SMRF_ERR_INVAL), BAD(dram, ccd, 0, SMRF_ERR_INVAL)),
    [](const auto &i) { return std::string(i.param.name); });

TEST(MemoryLookahead, IsTheWayThroughTheNetworksAndToTheTags)
{
    smrf_config c = default_config();

    c.noc.latency = 5;
    c.l2.latency = 160;
    EXPECT_EQ(171u, smrf_memory_lookahead(memory_of(c)));
    c.noc.latency = 0;
    c.l2.latency = 1;
    EXPECT_EQ(2u, smrf_memory_lookahead(memory_of(c)));
}

TEST(MemoryContractDeathTest, IsAsserted)
{
    smrf_config c = default_config();
    memory_dut m(c);
    smrf_mem_request good{};
    good.cycle = 1000;
    m.run(1000);

    auto push = [&](auto alter) {
        smrf_mem_request r = good;
        alter(&r);
        smrf_memory_push(m.get(), &r);
    };
    EXPECT_DEATH(push([](auto *r) { r->cycle = 999; }), "model rule broken");
    push([](auto *) {});
    EXPECT_DEATH(push([&](auto *r) { r->cycle += smrf_memory_lookahead(memory_of(c)); }),
                 "model rule"); // further ahead than the first, which is not answered
    EXPECT_DEATH(push([](auto *r) { r->address = 16; }), "model rule");
    EXPECT_DEATH(push([](auto *r) { r->kind = 3; }), "model rule");
    EXPECT_DEATH(push([&](auto *r) { r->sm = uint16_t(c.gpu.sms); }), "model rule");
    good.cycle = 1001;
    push([](auto *) {});
    EXPECT_DEATH(push([](auto *r) { r->cycle = 1000; }), "model rule"); // before its last one
    EXPECT_DEATH(m.run(999), "model rule");
}

} // namespace
