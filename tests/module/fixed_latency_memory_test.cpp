// SPDX-License-Identifier: Apache-2.0
#include "models/memory/fixed_latency_memory.h"

#include "models/tlm/protocol_monitor.h"
#include "tests/support/expected_reports.h"
#include "tests/support/sm_traffic.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

using namespace smrf;
using namespace smrf_test;

namespace
{

struct bench {
    sm_traffic sm;
    protocol_monitor monitor{"monitor"};
    fixed_latency_memory memory;

    bench(unsigned phases, unsigned max_in_flight, uint32_t response_interval = 0,
          const sc_core::sc_time &latency = ns(40))
        : sm("sm", 0, 1000, 0, response_interval),
          memory("memory", {ns(3), latency, phases, max_in_flight})
    {
        sm.port.socket.bind(monitor.in);
        monitor.out.bind(memory.in);
    }
    ~bench()
    {
        EXPECT_TRUE(sm.done());
        EXPECT_TRUE(memory.idle());
        EXPECT_TRUE(monitor.check_quiescent());
        EXPECT_EQ(monitor.violations(), 0u);
        EXPECT_TRUE(sm.port.pool().check_empty());
        EXPECT_EQ(sm.port.error_answers() + sm.port.protocol_errors(), 0u);
    }
    // n writes, and reads of the same sectors behind them.
    void run(uint32_t n)
    {
        for (uint32_t i = 0; i < 2 * n; i++) {
            smrf_mem_request r = {};
            r.id = i;
            r.address = 32 * (i % n);
            r.byte_mask = i % 2 ? UINT32_MAX : 0x0000ffff;
            r.kind = i < n ? SMRF_MEM_WRITE : SMRF_MEM_READ;
            sm.wishes.push_back(r);
        }
        sc_core::sc_start();
        ASSERT_EQ(sm.arrivals.size(), 2 * n);
        for (const auto &a : sm.arrivals) {
            for (unsigned b = 0; a.has_data && b < 32; b++) {
                const uint32_t id = a.response.id - n;
                const bool written = id % 2 == 1 || b < 16;
                ASSERT_EQ(a.data[b], written ? sm_traffic::pattern(id, b) : 0);
            }
        }
    }
};

} // namespace

TEST(FixedLatencyMemory, FourPhases)
{
    bench b(4, 0);
    b.run(1);
    EXPECT_EQ(b.sm.arrivals[0].response.cycle, 43u);
    EXPECT_EQ(b.sm.sent[1].cycle, 3u) << "END_REQ frees the port";
    EXPECT_EQ(b.sm.arrivals[1].response.cycle, 46u);
}

TEST(FixedLatencyMemory, OnePhase)
{
    bench b(1, 0);
    b.run(20);
    EXPECT_EQ(b.sm.arrivals[0].response.cycle, 43u);
    EXPECT_EQ(b.sm.sent[1].cycle, 43u) << "a completed request holds the port until then";
}

TEST(FixedLatencyMemory, TwoPhases)
{
    bench b(2, 0);
    b.run(20);
    EXPECT_EQ(b.sm.arrivals[0].response.cycle, 43u);
    EXPECT_EQ(b.sm.sent[1].cycle, 3u);
}

TEST(FixedLatencyMemory, FourPhasesWithExplicitEndResponse)
{
    bench b(4, 0, 5);
    b.run(20);
    for (size_t i = 1; i < b.sm.arrivals.size(); i++) {
        EXPECT_GE(b.sm.arrivals[i].response.cycle, b.sm.arrivals[i - 1].response.cycle + 5);
    }
}

TEST(FixedLatencyMemory, FourPhasesWithoutLatency)
{
    bench b(4, 0, 0, ns(0));
    b.run(20);
    EXPECT_EQ(b.sm.arrivals[0].response.cycle, 3u);
}

TEST(FixedLatencyMemory, HoldsRequestsAboveItsLimit)
{
    bench b(2, 4);
    b.run(20);
    EXPECT_EQ(b.memory.peak_in_flight(), 4u);
    EXPECT_GE(b.sm.arrivals.back().response.cycle, 40u / 4 * 43) << "40 accesses, four at a time";
}

TEST(FixedLatencyMemory, HoldsRequestsAboveItsLimitInFourPhases)
{
    bench b(4, 1);
    b.run(10);
    EXPECT_EQ(b.memory.peak_in_flight(), 1u);
    EXPECT_EQ(b.sm.arrivals.back().response.cycle, 20u * 43);
}

TEST(FixedLatencyMemory, BlockingAndDebug)
{
    mock_initiator initiator("initiator");
    fixed_latency_memory memory("memory", {ns(3), ns(40), 4, 0});
    initiator.socket.bind(memory.in);
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_data_ptr(bytes);
    gp.set_data_length(8);
    gp.set_streaming_width(8);
    sc_core::sc_time delay = ns(1);
    initiator.socket->b_transport(gp, delay);
    EXPECT_TRUE(gp.is_response_ok());
    EXPECT_EQ(delay, ns(44));
    bytes[0] = 0;
    gp.set_read();
    EXPECT_EQ(initiator.socket->transport_dbg(gp), 8u);
    EXPECT_EQ(bytes[0], 1);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(gp, dmi));
}

TEST(FixedLatencyMemory, BrokenUseIsReported)
{
    expected_reports reports("/smrf/fixed_latency_memory/");
    fixed_latency_memory memory("memory", {ns(3), ns(40), 3, 0});
    EXPECT_EQ(reports.count("/smrf/fixed_latency_memory/phases"), 1u);
    mock_initiator initiator("initiator");
    initiator.socket.bind(memory.in);
    tlm::tlm_generic_payload gp;
    initiator.fw(gp, tlm::END_RESP);
    EXPECT_EQ(reports.count("/smrf/fixed_latency_memory/phase"), 1u);
}

TEST(FixedLatencyMemory, AfterAResetItIsAsNew)
{
    bench b(4, 2);
    b.run(4);
    EXPECT_GT(b.memory.store().pages(), 0u);
    b.memory.reset();
    EXPECT_EQ(b.memory.store().pages(), 0u);
    EXPECT_EQ(b.memory.peak_in_flight(), 0u);
    EXPECT_TRUE(b.memory.idle());
    b.sm.port.reset();
    EXPECT_EQ(b.sm.port.free_cycle(), 0u);
    EXPECT_EQ(b.sm.port.sent() + b.sm.port.answered(), 0u);
}

TEST(FixedLatencyMemory, AResetInTheMiddleOfATransactionIsRefused)
{
    bench b(4, 0);
    smrf_mem_request r = {};
    r.byte_mask = UINT32_MAX;
    b.sm.wishes.push_back(r);
    sc_core::sc_start(ns(5));
    {
        expected_reports reports("/smrf/");
        b.memory.reset();
        b.sm.port.reset();
        EXPECT_EQ(reports.count("/smrf/fixed_latency_memory/reset"), 1u);
        EXPECT_EQ(reports.count("/smrf/memory_port/reset"), 1u);
    }
    sc_core::sc_start();
    EXPECT_EQ(b.sm.arrivals.size(), 1u);
}
