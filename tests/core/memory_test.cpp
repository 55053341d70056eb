// SPDX-License-Identifier: Apache-2.0
#include "../support/memory_dut.h"

#include <gtest/gtest.h>

namespace
{
const uint64_t BASE = UINT64_C(0x7f0a20000000);

smrf_mem_request request(uint32_t sm, uint32_t id, uint64_t address, uint64_t cycle,
                         smrf_mem_kind kind = SMRF_MEM_READ, uint32_t mask = UINT32_MAX)
{
    smrf_mem_request r{};

    r.address = address;
    r.cycle = cycle;
    r.id = id;
    r.byte_mask = mask;
    r.sm = uint16_t(sm);
    r.kind = kind;
    return r;
}

// Cycles from leaving an SM to the answer, alone in the memory, `from` cycles after the last one.
uint64_t latency(memory_dut *m, uint64_t address, smrf_mem_kind kind = SMRF_MEM_READ)
{
    smrf_mem_request r = request(0, 0, address, m->now(), kind);
    size_t before = m->responses.size();

    EXPECT_TRUE(smrf_memory_push(m->get(), &r));
    while (!smrf_memory_idle(m->get())) {
        m->run(m->now() + 1);
    }
    EXPECT_EQ(before + 1, m->responses.size());
    uint64_t end = m->responses.back().cycle;
    m->run(std::max(m->now(), end + 1000));
    return end - r.cycle;
}

TEST(Memory, AnswersALoneHitAfterTheSumOfItsStages)
{
    smrf_config c = default_config();
    memory_dut m(c);

    latency(&m, BASE);
    EXPECT_EQ(2 * c.noc_latency + c.l2_latency + 1, latency(&m, BASE));
}

} // namespace
