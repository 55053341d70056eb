// SPDX-License-Identifier: Apache-2.0
// One memory socket for several SMs: the order of requests, who gets which answer, and phases.
#include "tests/support/tlm_mocks.h"

#include "models/tlm/protocol_monitor.h"
#include "platform/ip/memory_arbiter.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

using smrf_test::mock_initiator;
using smrf_test::mock_target;
using smrf_test::ns;

namespace
{

constexpr unsigned inputs = 3;

// The bench keeps its transactions.
struct keeper : tlm::tlm_mm_interface {
    void free(tlm::tlm_generic_payload *) override {}
};

// Three initiators, an arbiter with a cycle of 1 ns, a target, monitors between.
struct bench {
    smrf::memory_arbiter arbiter{"arbiter", inputs, ns(1)};
    mock_target memory{"memory"};
    std::vector<std::unique_ptr<mock_initiator>> from;
    std::vector<std::unique_ptr<smrf::protocol_monitor>> monitors;
    keeper mm;
    tlm::tlm_generic_payload gp[inputs][4];
    unsigned char data[32] = {};

    bench()
    {
        for (unsigned i = 0; i < inputs; i++) {
            from.push_back(std::make_unique<mock_initiator>(("from_" + std::to_string(i)).c_str()));
            connect(from[i]->socket, arbiter.in(i));
            for (unsigned k = 0; k < 4; k++) {
                gp[i][k].set_mm(&mm);
                gp[i][k].acquire();
                gp[i][k].set_command(tlm::TLM_READ_COMMAND);
                gp[i][k].set_address(0x1000 * i + 32 * k);
                gp[i][k].set_data_ptr(data);
                gp[i][k].set_data_length(32);
                gp[i][k].set_streaming_width(32);
            }
        }
        connect(arbiter.out, memory.socket);
    }
    template <class From, class To> void connect(From &initiator, To &target)
    {
        const std::string name = "monitor_" + std::to_string(monitors.size());
        monitors.push_back(std::make_unique<smrf::protocol_monitor>(
            name.c_str(), smrf::protocol_monitor_options{}));
        initiator.bind(monitors.back()->in);
        monitors.back()->out.bind(target);
    }
    void send(unsigned i, unsigned k)
    {
        EXPECT_EQ(from[i]->fw(gp[i][k], tlm::BEGIN_REQ), tlm::TLM_ACCEPTED);
    }
    void expect_clean()
    {
        for (const auto &m : monitors) {
            EXPECT_TRUE(m->check_quiescent());
            EXPECT_EQ(m->violations(), 0u) << m->name();
        }
    }
};

} // namespace

TEST(MemoryArbiter, RequestsTakeTurnsACycleEach)
{
    bench b;
    unsigned sent[inputs] = {};
    for (unsigned i = 0; i < inputs; i++) { // each sends four, the next when it can
        b.from[i]->bw = [&b, &sent, i](tlm::tlm_generic_payload &, tlm::tlm_phase &phase,
                                       sc_core::sc_time &) {
            if (phase == tlm::END_REQ && ++sent[i] < 4) {
                b.send(i, sent[i]);
            }
            return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
        };
    }
    b.memory.fw = [](tlm::tlm_generic_payload &, tlm::tlm_phase &phase, sc_core::sc_time &) {
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    sc_core::sc_start(ns(10));
    for (const unsigned i : {2u, 0u, 1u}) {
        b.send(i, 0);
    }
    sc_core::sc_start(ns(100));
    std::vector<uint64_t> order, expected;
    std::vector<sc_core::sc_time> times;
    for (const auto &c : b.memory.calls) {
        if (c.phase == tlm::BEGIN_REQ) {
            order.push_back(c.gp->get_address());
            times.push_back(c.time);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned i = 0; i < inputs; i++) {
            expected.push_back(0x1000 * i + 32 * k);
        }
    }
    EXPECT_EQ(order, expected);
    for (size_t i = 0; i < times.size(); i++) {
        EXPECT_EQ(times[i], ns(10 + i)) << i;
    }
    EXPECT_GT(b.arbiter.waited(), 0u);
    for (auto &of_input : b.gp) {
        for (tlm::tlm_generic_payload &gp : of_input) {
            gp.set_response_status(tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(b.memory.bw(gp, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
        }
    }
    b.expect_clean();
}

TEST(MemoryArbiter, ATargetThatHoldsARequestHoldsAllAndAnswersGoHome)
{
    bench b;
    std::map<const tlm::tlm_generic_payload *, unsigned> answered;
    for (unsigned i = 0; i < inputs; i++) { // END_RESP comes as a call of its own
        b.from[i]->bw = [&answered, i](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &) {
            if (phase == tlm::BEGIN_RESP) {
                answered[&gp] = i;
            }
            return tlm::TLM_ACCEPTED;
        };
    }
    sc_core::sc_start(ns(1));
    for (unsigned i = 0; i < inputs; i++) {
        b.send(i, 0);
    }
    b.memory.fw = [](tlm::tlm_generic_payload &, tlm::tlm_phase &phase, sc_core::sc_time &) {
        return phase == tlm::END_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    sc_core::sc_start(ns(50));
    ASSERT_EQ(b.memory.calls.size(), 1u) << "no END_REQ yet";
    for (unsigned i = 0; i < inputs; i++) {
        EXPECT_EQ(b.memory.bw(b.gp[i][0], tlm::END_REQ), tlm::TLM_ACCEPTED);
        sc_core::sc_start(ns(5));
    }
    ASSERT_EQ(b.memory.calls.size(), 3u);
    for (const unsigned i : {1u, 0u, 2u}) { // in an order of its own
        b.gp[i][0].set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.memory.bw(b.gp[i][0], tlm::BEGIN_RESP), tlm::TLM_ACCEPTED);
        sc_core::sc_start(ns(5));
        const size_t before = b.memory.calls.size();
        EXPECT_EQ(b.from[i]->fw(b.gp[i][0], tlm::END_RESP), tlm::TLM_COMPLETED);
        ASSERT_EQ(b.memory.calls.size(), before + 1) << "END_RESP reaches the target";
        EXPECT_EQ(b.memory.calls.back().phase, tlm::END_RESP);
    }
    ASSERT_EQ(answered.size(), 3u);
    for (unsigned i = 0; i < inputs; i++) {
        EXPECT_EQ(answered.at(&b.gp[i][0]), i);
    }
    b.expect_clean();
}

TEST(MemoryArbiter, AnAnswerThatComesWithTheRequestIsGivenInItsTime)
{
    bench b;
    std::vector<sc_core::sc_time> at;
    b.from[0]->bw = [&at](tlm::tlm_generic_payload &, tlm::tlm_phase &phase, sc_core::sc_time &d) {
        if (phase == tlm::BEGIN_RESP) {
            at.push_back(sc_core::sc_time_stamp() + d);
        }
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    b.memory.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &delay) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += ns(30);
        return tlm::TLM_COMPLETED;
    };
    sc_core::sc_start(ns(1));
    b.send(0, 0);
    sc_core::sc_start(ns(30));
    b.send(0, 1);
    sc_core::sc_start(ns(100));
    EXPECT_EQ(at, (std::vector<sc_core::sc_time>{ns(31), ns(61)}));
    b.expect_clean();
}

TEST(MemoryArbiter, BlockingCallsOfACycleTakeOneEach)
{
    bench b;
    std::vector<sc_core::sc_time> seen;
    sc_core::sc_start(ns(1));
    b.memory.b = [&seen](tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) {
        seen.push_back(delay);
        delay += ns(100);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    for (const uint64_t ahead : {5u, 5u, 6u, 5u, 2u}) {
        sc_core::sc_time delay = ns(ahead);
        b.gp[0][0].set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        b.from[ahead % inputs]->socket->b_transport(b.gp[0][0], delay);
        EXPECT_EQ(delay, seen.back() + ns(100));
    }
    EXPECT_EQ(seen, (std::vector<sc_core::sc_time>{ns(5), ns(6), ns(7), ns(8), ns(2)}));
}

TEST(MemoryArbiter, DebugAccessesAndDmiPass)
{
    bench b;
    tlm::tlm_dmi dmi;
    sc_core::sc_start(ns(1));
    b.memory.dbg = [](tlm::tlm_generic_payload &) { return 7u; };
    b.memory.dmi = [&b](tlm::tlm_generic_payload &, tlm::tlm_dmi &d) {
        d.set_dmi_ptr(b.data);
        d.set_end_address(0x2fff);
        d.allow_read_write();
        return true;
    };
    EXPECT_EQ(b.from[1]->socket->transport_dbg(b.gp[1][0]), 7u);
    EXPECT_TRUE(b.from[2]->socket->get_direct_mem_ptr(b.gp[2][0], dmi));
    b.memory.socket->invalidate_direct_mem_ptr(0x100, 0x1ff);
    for (const auto &from : b.from) {
        ASSERT_EQ(from->invalidated.size(), 1u);
        EXPECT_EQ(from->invalidated[0].first, 0x100u);
    }
}
