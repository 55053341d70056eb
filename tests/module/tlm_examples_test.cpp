// SPDX-License-Identifier: Apache-2.0
// The memory port and the memory module bound to components that are not ours: the example
// targets, initiators and buses of the SystemC distribution, with a monitor on every connection.
//
// What the monitor finds in them is listed, rule by rule, where it is found; everything else is
// silence. Known limits of the examples that the tests keep away from: their memories ignore byte
// enables, and refuse an access that ends at their last byte.
#include "platform/config/smrf_config.h"
#include "tests/support/expected_reports.h"
#include "tests/support/memory_clock.h"
#include "tests/support/sm_traffic.h"
#include "tests/support/tlm_mocks.h"

#include "models/memory/memory_module.h"
#include "models/tlm/protocol_monitor.h"

#include <gtest/gtest.h>

#ifndef SMRF_TLM_EXAMPLES

TEST(TlmExamples, NotInstalled)
{
    GTEST_SKIP() << "SystemC's TLM examples are not installed (Debian: apt install libsystemc-doc)";
}

#else

#include "at_initiator_annotated.h"
#include "at_initiator_explicit.h"
#include "at_target_1_phase.h"
#include "at_target_2_phase.h"
#include "at_target_4_phase.h"
#include "lt_initiator.h"
#include "lt_target.h"
#include "models/SimpleBusAT.h"
#include "models/SimpleBusLT.h"
#include "reporting.h"
#include "traffic_generator.h"

#include <memory>
#include <string>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint64_t period = 1000; // ps
constexpr unsigned accept_ns = 10, read_ns = 50, write_ns = 30;

void hear_their_warnings()
{
    REPORT_SET_ENABLES(false, true, true, true);
}

template <class Target> std::unique_ptr<Target> make_target(const char *name, unsigned id)
{
    return std::make_unique<Target>(name, id, (std::string(name) + "_socket").c_str(), 4096, 4,
                                    ns(accept_ns), ns(read_ns), ns(write_ns));
}

std::unique_ptr<protocol_monitor> make_monitor(const std::string &name, bool interconnect = false)
{
    protocol_monitor_options o;
    o.interconnect = interconnect;
    o.timeout = ns(100000);
    return std::make_unique<protocol_monitor>(name.c_str(), o);
}

// `count` sectors are written from `base` on, and read back later.
void write_then_read(sm_traffic &sm, uint64_t base, uint32_t count, uint64_t read_cycle)
{
    for (uint32_t i = 0; i < 2 * count; i++) {
        smrf_mem_request r = {};
        r.id = i;
        r.address = base + 32 * (i % count);
        r.cycle = i < count ? 0 : read_cycle;
        r.byte_mask = UINT32_MAX;
        r.kind = i < count ? SMRF_MEM_WRITE : SMRF_MEM_READ;
        sm.wishes.push_back(r);
    }
}

void expect_read_back(const sm_traffic &sm, uint32_t count)
{
    EXPECT_TRUE(sm.done());
    ASSERT_EQ(sm.arrivals.size(), 2 * count);
    for (const auto &a : sm.arrivals) {
        for (unsigned b = 0; a.has_data && b < 32; b++) {
            ASSERT_EQ(a.data[b], sm_traffic::pattern(a.response.id - count, b)) << a.response.id;
        }
    }
    EXPECT_EQ(sm.port.error_answers(), 0u);
    EXPECT_EQ(sm.port.protocol_errors(), 0u);
    EXPECT_TRUE(sm.port.pool().check_empty());
}

void expect_clean(protocol_monitor &monitor)
{
    EXPECT_TRUE(monitor.check_quiescent());
    EXPECT_EQ(monitor.violations(), 0u) << monitor.name();
    EXPECT_GT(monitor.transactions(), 0u);
}

// One SM's port against one example target. 45 requests: at_target_1_phase answers every 20th
// with two phases.
template <class Target> void run_port_on(uint32_t response_interval)
{
    hear_their_warnings();
    sm_traffic sm("sm", 0, period, 1, response_interval);
    auto monitor = make_monitor("monitor");
    auto target = make_target<Target>("target", 201);
    sm.port.socket.bind(monitor->in);
    monitor->out.bind(target->m_memory_socket);
    write_then_read(sm, 0x100, 45, 10000);
    sc_core::sc_start();
    expect_read_back(sm, 45);
    expect_clean(*monitor);
}

} // namespace

// ---- the SM's port on their targets ----

TEST(TlmExamples, PortOnTheOnePhaseTarget)
{
    run_port_on<at_target_1_phase>(0);
}

TEST(TlmExamples, PortOnTheOnePhaseTargetWithExplicitEndResponse)
{
    run_port_on<at_target_1_phase>(2);
}

TEST(TlmExamples, PortOnTheTwoPhaseTarget)
{
    run_port_on<at_target_2_phase>(0);
}

TEST(TlmExamples, PortOnTheTwoPhaseTargetWithExplicitEndResponse)
{
    run_port_on<at_target_2_phase>(2);
}

TEST(TlmExamples, PortOnTheFourPhaseTarget)
{
    run_port_on<at_target_4_phase>(0);
}

TEST(TlmExamples, PortOnTheFourPhaseTargetWithExplicitEndResponse)
{
    run_port_on<at_target_4_phase>(2);
}

TEST(TlmExamples, FourPhaseTargetAnswersWhenItsDelaysSay)
{
    hear_their_warnings();
    sm_traffic sm("sm", 0, period, 1);
    auto target = make_target<at_target_4_phase>("target", 201);
    auto monitor = make_monitor("monitor");
    sm.port.socket.bind(monitor->in);
    monitor->out.bind(target->m_memory_socket);
    write_then_read(sm, 0, 1, 1000);
    sc_core::sc_start();
    ASSERT_EQ(sm.arrivals.size(), 2u);
    // The port's cycle begins before the target's process in the same time step, so that an answer
    // exactly on an edge is seen in that cycle only if the SM sleeps, as it does here at the end.
    EXPECT_NEAR(static_cast<double>(sm.arrivals[0].response.cycle), accept_ns + write_ns, 1);
    EXPECT_NEAR(static_cast<double>(sm.arrivals[1].response.cycle), 1000 + accept_ns + read_ns, 1);
}

TEST(TlmExamples, PortOnTheLooselyTimedTarget)
{
    run_port_on<lt_target>(0);
}

namespace
{

// Two SMs, their bus, two of their targets; every answer must come and carry the right bytes.
template <class Target0, class Target1> struct bus_system {
    sm_traffic sm0{"sm0", 0, period, 1}, sm1{"sm1", 1, period, 1};
    std::unique_ptr<protocol_monitor> up0 = make_monitor("up0", true);
    std::unique_ptr<protocol_monitor> up1 = make_monitor("up1", true);
    SimpleBusAT<2, 2> bus{"bus"};
    std::unique_ptr<protocol_monitor> down0 = make_monitor("down0"), down1 = make_monitor("down1");
    std::unique_ptr<Target0> target0 = make_target<Target0>("target0", 201);
    std::unique_ptr<Target1> target1 = make_target<Target1>("target1", 202);

    void run()
    {
        hear_their_warnings();
        sm0.port.socket.bind(up0->in);
        sm1.port.socket.bind(up1->in);
        up0->out.bind(bus.target_socket[0]);
        up1->out.bind(bus.target_socket[1]);
        bus.initiator_socket[0].bind(down0->in);
        bus.initiator_socket[1].bind(down1->in);
        down0->out.bind(target0->m_memory_socket);
        down1->out.bind(target1->m_memory_socket);
        write_then_read(sm0, 0x00000000, 20, 20000);
        write_then_read(sm1, 0x10000400, 20, 20000);
        sc_core::sc_start();
        expect_read_back(sm0, 20);
        expect_read_back(sm1, 20);
        expect_clean(*up0);
        expect_clean(*up1);
        expect_clean(*down1);
    }
};

} // namespace

TEST(TlmExamples, TwoPortsThroughTheirBusOnTwoTargets)
{
    bus_system<at_target_2_phase, at_target_1_phase> system;
    system.run();
    expect_clean(*system.down0);
}

// SimpleBusAT waits for END_REQ with one event for all its targets, which any BEGIN_RESP notifies
// too: while at_target_4_phase has not yet ended a request, an answer of another transaction makes
// the bus send it the next one. The requests are served all the same.
TEST(TlmExamples, TheirBusTakesAnothersResponseForTheEndOfARequest)
{
    expected_reports reports("/smrf/tlm/request_exclusion");
    bus_system<at_target_4_phase, at_target_2_phase> system;
    system.run();
    EXPECT_TRUE(system.down0->check_quiescent());
    EXPECT_GT(system.down0->violations(tlm_rule::request_exclusion), 0u);
    EXPECT_EQ(system.down0->violations(), system.down0->violations(tlm_rule::request_exclusion));
}

TEST(TlmExamples, PortThroughTheirLooselyTimedBus)
{
    hear_their_warnings();
    sm_traffic sm("sm", 0, period, 1);
    auto up = make_monitor("up", true), down0 = make_monitor("down0"),
         down1 = make_monitor("down1");
    SimpleBusLT<1, 2> bus("bus");
    auto target0 = make_target<at_target_1_phase>("target0", 201);
    auto target1 = make_target<at_target_2_phase>("target1", 202);
    sm.port.socket.bind(up->in);
    up->out.bind(bus.target_socket[0]);
    bus.initiator_socket[0].bind(down0->in);
    bus.initiator_socket[1].bind(down1->in);
    down0->out.bind(target0->m_memory_socket);
    down1->out.bind(target1->m_memory_socket);
    write_then_read(sm, 0x10000000, 20, 20000);
    sc_core::sc_start();
    expect_read_back(sm, 20);
    expect_clean(*up);
    expect_clean(*down1);
    EXPECT_EQ(down0->transactions(), 0u);
}

// at_target_2_phase returns END_REQ with its own accept delay in place of the request's delay plus
// that: the time of a request sent more than the accept delay ahead goes backwards. That is why an
// SM runs one cycle at a time on foreign targets.
TEST(TlmExamples, TwoPhaseTargetForgetsTheRequestsDelay)
{
    hear_their_warnings();
    expected_reports reports("/smrf/tlm/");
    sm_traffic sm("sm", 0, period, 64);
    auto monitor = make_monitor("monitor");
    auto target = make_target<at_target_2_phase>("target", 201);
    sm.port.socket.bind(monitor->in);
    monitor->out.bind(target->m_memory_socket);
    write_then_read(sm, 0, 10, 10000);
    sc_core::sc_start();
    EXPECT_TRUE(sm.done());
    EXPECT_TRUE(monitor->check_quiescent());
    EXPECT_GT(monitor->violations(tlm_rule::time_backwards), 0u);
    EXPECT_EQ(monitor->violations(), monitor->violations(tlm_rule::time_backwards));
}

// ---- their initiators on our memory ----

namespace
{

template <class Initiator> std::unique_ptr<Initiator> make_initiator(const char *name, unsigned id)
{
    return std::make_unique<Initiator>(name, id, ns(7));
}

template <> std::unique_ptr<lt_initiator> make_initiator(const char *name, unsigned id)
{
    return std::make_unique<lt_initiator>(name, id);
}

// A traffic generator and an initiator joined by fifos: writes and reads 2 x 16 words.
template <class Initiator> struct their_system {
    sc_core::sc_fifo<tlm::tlm_generic_payload *> requests, responses;
    traffic_generator traffic;
    std::unique_ptr<Initiator> initiator;
    std::unique_ptr<protocol_monitor> monitor;

    their_system(const std::string &name, unsigned id, bool interconnect = false)
        : traffic((name + "_traffic").c_str(), id, 0x100 * id, 0x10000000 + 0x100 * id, 4),
          initiator(make_initiator<Initiator>((name + "_initiator").c_str(), id)),
          monitor(make_monitor(name + "_monitor", interconnect))
    {
        traffic.request_out_port(requests);
        traffic.response_in_port(responses);
        initiator->request_in_port(requests);
        initiator->response_out_port(responses);
        initiator->initiator_socket.bind(monitor->in);
    }
    // The memory answers ahead, with the delay to the answer's time. Their approximately timed
    // initiators end the response when it is sent: the monitor finds that, `early` times an answer,
    // and nothing else.
    void expect_done(uint64_t early)
    {
        EXPECT_EQ(monitor->transactions(), 64u);
        EXPECT_TRUE(monitor->check_quiescent());
        EXPECT_EQ(monitor->violations(tlm_rule::time_backwards), 64 * early);
        EXPECT_EQ(monitor->violations(), 64 * early);
    }
};

smrf_memory_config config_of(uint32_t sms)
{
    smrf_config c{};
    smrf_config_default_sections(&c);
    c.gpu.sms = sms;
    return smrf_config_memory(&c);
}

// Long enough for all their traffic: the memory's clock never stops.
void run(memory_module &memory)
{
    memory_clock clock("clock", memory, period);
    sc_core::sc_start(ps(100000 * period));
}

template <class Initiator> void run_on_memory(uint64_t early)
{
    hear_their_warnings();
    expected_reports reports("/smrf/tlm/time_backwards");
    their_system<Initiator> theirs("theirs", 1);
    memory_module memory("memory", config_of(1), period);
    theirs.monitor->out.bind(memory.in[0]);
    run(memory);
    theirs.expect_done(early);
    EXPECT_TRUE(memory.idle());
    uint32_t word = 0;
    memory.store().read(0x104, reinterpret_cast<uint8_t *>(&word), 4);
    EXPECT_EQ(word, 0x104u);
    memory.store().read(0x10000104, reinterpret_cast<uint8_t *>(&word), 4);
    EXPECT_EQ(word, ~0x10000104u);
}

} // namespace

TEST(TlmExamples, MemoryUnderTheExplicitInitiator)
{
    run_on_memory<at_initiator_explicit>(2);
}

TEST(TlmExamples, MemoryUnderTheAnnotatedInitiator)
{
    run_on_memory<at_initiator_annotated>(1);
}

TEST(TlmExamples, MemoryUnderTheLooselyTimedInitiator)
{
    run_on_memory<lt_initiator>(0);
}

TEST(TlmExamples, MemoryUnderAMixtureOfInitiatorsAndAnSm)
{
    hear_their_warnings();
    expected_reports reports("/smrf/tlm/time_backwards");
    their_system<at_initiator_explicit> a("a", 1);
    their_system<at_initiator_annotated> b("b", 2);
    their_system<lt_initiator> c("c", 3);
    sm_traffic sm("sm", 3, period, 0);
    auto monitor = make_monitor("monitor");
    memory_module memory("memory", config_of(4), period);
    a.monitor->out.bind(memory.in[0]);
    b.monitor->out.bind(memory.in[1]);
    c.monitor->out.bind(memory.in[2]);
    sm.port.socket.bind(monitor->in);
    monitor->out.bind(memory.in[3]);
    write_then_read(sm, 0x20000, 45, 5000);
    run(memory);
    a.expect_done(2);
    b.expect_done(1);
    c.expect_done(0);
    expect_read_back(sm, 45);
    expect_clean(*monitor);
    EXPECT_TRUE(memory.idle());
}

TEST(TlmExamples, MemoryBehindTheirBus)
{
    hear_their_warnings();
    their_system<at_initiator_explicit> a("a", 1, true);
    their_system<at_initiator_annotated> b("b", 2, true);
    SimpleBusAT<2, 2> bus("bus");
    auto down0 = make_monitor("down0"), down1 = make_monitor("down1");
    memory_module memory("memory", config_of(2), period);
    a.monitor->out.bind(bus.target_socket[0]);
    b.monitor->out.bind(bus.target_socket[1]);
    bus.initiator_socket[0].bind(down0->in);
    bus.initiator_socket[1].bind(down1->in);
    down0->out.bind(memory.in[0]);
    down1->out.bind(memory.in[1]);
    run(memory);
    a.expect_done(0);
    b.expect_done(0);
    expect_clean(*down0);
    expect_clean(*down1);
    EXPECT_TRUE(memory.idle());
}

#endif
