// SPDX-License-Identifier: Apache-2.0
// The shared bus under initiators that call b_transport. A cycle is 1 ns.
#include "platform/outside/shared_bus.h"

#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <array>
#include <sysc/kernel/sc_dynamic_processes.h>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t held = 4, latency = 20; // cycles

// Two initiators on the bus, each with processes that call at times of their own.
struct bench {
    struct result {
        sc_core::sc_time returned, end; // of the call; of the access
    };
    shared_bus bus{"bus", {2, held, latency, 1000, false}};
    mock_initiator first{"first"}, second{"second"};
    std::array<result, 4> results;
    unsigned calls = 0;

    bench()
    {
        first.socket.bind(bus.in(0));
        second.socket.bind(bus.in(1));
    }
    // A process that calls at time `at` for an access at `at + ahead`.
    void call(mock_initiator &from, uint64_t at, uint64_t ahead)
    {
        result &r = results.at(calls++);
        const auto process = [&from, &r, at, ahead] {
            std::array<uint8_t, 32> data{};
            tlm::tlm_generic_payload gp;
            gp.set_command(tlm::TLM_READ_COMMAND);
            gp.set_data_ptr(data.data());
            gp.set_data_length(data.size());
            gp.set_streaming_width(data.size());
            sc_core::wait(ns(at));
            sc_core::sc_time delay = ns(ahead);
            from.socket->b_transport(gp, delay);
            r = {sc_core::sc_time_stamp(), sc_core::sc_time_stamp() + delay};
        };
        sc_core::sc_spawn(process, sc_core::sc_gen_unique_name("initiator"));
    }
};

} // namespace

TEST(SharedBus, CallsOfOneCycleAreGrantedInTheOrderOfTheirSockets)
{
    bench b;
    b.call(b.second, 10, 0); // its process runs before the other's
    b.call(b.first, 10, 0);
    sc_core::sc_start(ns(100));
    EXPECT_EQ(ns(10 + held + latency), b.results[1].end);
    EXPECT_EQ(ns(10 + 2 * held + latency), b.results[0].end);
    EXPECT_EQ(2u, b.bus.accesses());
}

TEST(SharedBus, CallsAheadOfTimeReturnAtOnceAndTakeTheFirstFreeCycles)
{
    bench b;
    b.call(b.second, 10, 50);
    b.call(b.first, 12, 48); // for the same cycle, later
    sc_core::sc_start(ns(100));
    EXPECT_EQ(ns(10), b.results[0].returned);
    EXPECT_EQ(ns(60 + held + latency), b.results[0].end);
    EXPECT_EQ(ns(12), b.results[1].returned);
    EXPECT_EQ(ns(60 + 2 * held + latency), b.results[1].end);
}

TEST(SharedBus, ACallThatWaitsGoesRoundWhatOthersHaveTakenAheadOfTime)
{
    bench b;
    b.call(b.second, 2, 9); // takes 11 to 14
    b.call(b.first, 10, 0);
    sc_core::sc_start(ns(100));
    EXPECT_EQ(ns(11 + held + latency), b.results[0].end);
    EXPECT_EQ(ns(15 + held + latency), b.results[1].end);
}

TEST(SharedBus, AnotherCallOfTheCycleThatIsBeingGrantedIsOfThatCycle)
{
    bench b;
    const auto process = [&] {
        for (const unsigned i : {0, 1}) {
            tlm::tlm_generic_payload gp;
            std::array<uint8_t, 32> data{};
            gp.set_data_ptr(data.data());
            gp.set_data_length(data.size());
            gp.set_streaming_width(data.size());
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            b.first.socket->b_transport(gp, delay);
            b.results.at(i) = {sc_core::sc_time_stamp(), sc_core::sc_time_stamp() + delay};
        }
    };
    sc_core::sc_spawn(process, "initiator");
    sc_core::sc_start(ns(100));
    EXPECT_EQ(ps(500), b.results[0].returned);
    EXPECT_EQ(ps(500), b.results[1].returned);
    EXPECT_EQ(ns(held + latency), b.results[0].end);
    EXPECT_EQ(ns(2 * held + latency), b.results[1].end);
}
