// SPDX-License-Identifier: Apache-2.0
// Every rule of the monitor is broken once on purpose, by a mock on either side, and must be
// reported exactly so often; every legal sequence must pass in silence.
#include "models/tlm/protocol_monitor.h"

#include "models/tlm/payload_pool.h"
#include "tests/support/expected_reports.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

namespace
{

struct bench {
    mem_pool pool{"test.pool"};
    mock_initiator initiator{"initiator"};
    protocol_monitor monitor;
    mock_target target{"target"};
    expected_reports reports{"/smrf/tlm/"};

    explicit bench(const protocol_monitor_options &options = {}) : monitor("monitor", options)
    {
        initiator.socket.bind(monitor.in);
        monitor.out.bind(target.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ~bench()
    {
        EXPECT_TRUE(monitor.check_quiescent());
        EXPECT_TRUE(pool.check_empty());
        EXPECT_EQ(reports.seen.size(), monitor.violations()) << "each is reported and counted";
    }

    mem_payload *make(tlm::tlm_command command = tlm::TLM_READ_COMMAND)
    {
        mem_payload *p = pool.allocate();
        p->set_command(command);
        p->set_address(0x400);
        p->set_data_length(32);
        p->set_streaming_width(32);
        return p;
    }
    static void ok(tlm_generic_payload &gp)
    {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    tlm::tlm_sync_enum request(tlm_generic_payload &gp, uint64_t delay = 0)
    {
        return initiator.fw(gp, tlm::BEGIN_REQ, ns(delay));
    }
    void respond_and_end(tlm_generic_payload &gp)
    {
        ok(gp);
        target.bw(gp, tlm::BEGIN_RESP);
        initiator.fw(gp, tlm::END_RESP);
    }

    // Exactly these rules were broken, each so often.
    void expect(const std::map<tlm_rule, uint64_t> &expected)
    {
        for (size_t i = 0; i < tlm_rule_count; i++) {
            const auto rule = static_cast<tlm_rule>(i);
            const auto it = expected.find(rule);
            EXPECT_EQ(monitor.violations(rule), it == expected.end() ? 0 : it->second)
                << rule_name(rule);
            EXPECT_EQ(reports.count(std::string("/smrf/tlm/") + rule_name(rule)),
                      monitor.violations(rule))
                << rule_name(rule);
        }
    }
    void expect_only(tlm_rule rule)
    {
        expect({{rule, 1}});
    }
    void expect_silence()
    {
        expect({});
    }
};

// Sends one read whose attributes `spoil` has changed first, and completes it.
void send_spoilt(tlm_rule rule, const std::function<void(mem_payload &)> &spoil)
{
    bench b;
    mem_payload *p = b.make();
    spoil(*p);
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(rule);
}

// A write that the target changes by `spoil` before it sends END_REQ.
void change_in_target(tlm_rule rule, const std::function<void(tlm_generic_payload &)> &spoil)
{
    bench b;
    mem_payload *p = b.make(tlm::TLM_WRITE_COMMAND);
    p->enable_bytes(0xff, 32);
    b.request(*p);
    spoil(*p);
    b.target.bw(*p, tlm::END_REQ);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(rule);
}

// The target sets the phase and returns the status for BEGIN_REQ only.
mock_target::nb returning(tlm::tlm_sync_enum status, tlm_phase set, uint64_t delay = 0,
                          bool response = false)
{
    return [=](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &t) {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        if (response) {
            bench::ok(gp);
        }
        if (set != tlm::UNINITIALIZED_PHASE) {
            phase = set;
        }
        t += ns(delay);
        return status;
    };
}

} // namespace

// ---- legal sequences: silence ----

TEST(ProtocolMonitorLegal, OnePhaseCompletion)
{
    bench b;
    b.target.fw = returning(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 5, true);
    for (int i = 0; i < 3; i++) {
        mem_payload *p = b.make();
        EXPECT_EQ(b.request(*p), tlm::TLM_COMPLETED);
        p->release();
    }
    b.expect_silence();
    EXPECT_EQ(b.monitor.transactions(), 3u);
}

TEST(ProtocolMonitorLegal, TwoPhasesWithBeginResponseOnTheReturnPath)
{
    bench b;
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::BEGIN_RESP, 5, true);
    mem_payload *p = b.make();
    b.request(*p);
    EXPECT_EQ(b.monitor.in_flight(), 1u);
    b.initiator.fw(*p, tlm::END_RESP, ns(5));
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, TwoPhasesWithCompletionOfTheResponse)
{
    bench b;
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::END_REQ, 3);
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP, ns(9));
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, ThreePhasesBeginResponseImpliesEndRequest)
{
    bench b;
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.request(*q); // the request channel is free, although no END_REQ came
    b.initiator.fw(*p, tlm::END_RESP);
    b.respond_and_end(*q);
    p->release();
    q->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, FourPhasesPipelinedAndAnsweredOutOfOrder)
{
    bench b;
    mem_payload *p[3];
    for (mem_payload *&x : p) {
        x = b.make(tlm::TLM_WRITE_COMMAND);
        b.request(*x);
        sc_core::sc_start(ns(1));
        b.target.bw(*x, tlm::END_REQ);
    }
    for (int i : {2, 0, 1}) {
        sc_core::sc_start(ns(1));
        b.ok(*p[i]);
        b.target.bw(*p[i], tlm::BEGIN_RESP);
        sc_core::sc_start(ns(1));
        b.initiator.fw(*p[i], tlm::END_RESP);
        p[i]->release();
    }
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, EndResponseOnTheReturnPath)
{
    bench b;
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &t) {
        if (phase == tlm::END_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_RESP;
        t += ns(1);
        return tlm::TLM_UPDATED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::END_REQ);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, AnnotatedDelaysThatNeverDecrease)
{
    bench b({true, false, true, sc_core::SC_ZERO_TIME, true});
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::END_REQ, 2);
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p, 10); // ends at 12
    b.request(*q, 12);
    b.ok(*p);
    b.ok(*q);
    b.target.bw(*p, tlm::BEGIN_RESP, ns(30));
    b.target.bw(*q, tlm::BEGIN_RESP, ns(30));
    p->release();
    q->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, CallsNestedInTheForwardCall)
{
    bench b;
    b.initiator.bw = [&](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_RESP) {
            b.initiator.fw(gp, tlm::END_RESP);
        }
        return tlm::TLM_ACCEPTED;
    };
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_REQ) {
            b.target.bw(gp, tlm::END_REQ);
            b.ok(gp);
            b.target.bw(gp, tlm::BEGIN_RESP);
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, PayloadReleasedByTheInitiatorInsideTheResponse)
{
    bench b;
    b.initiator.bw = [](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        gp.release();
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    EXPECT_EQ(b.pool.in_use(), 0u) << "the monitor keeps no reference";
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, MonitorAddsNoReferenceToARequest)
{
    bench b;
    b.target.fw = [](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        EXPECT_EQ(gp.get_ref_count(), 1);
        bench::ok(gp);
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    p->release();
}

TEST(ProtocolMonitorLegal, BlockingDebugAndDmi)
{
    bench b;
    b.target.b = [](tlm_generic_payload &gp, sc_core::sc_time &t) {
        bench::ok(gp);
        gp.set_dmi_allowed(true);
        t += ns(4);
    };
    b.target.dbg = [](tlm_generic_payload &gp) { return gp.get_data_length(); };
    uint8_t bytes[64] = {};
    tlm_generic_payload gp; // no memory manager
    gp.set_read();
    gp.set_data_ptr(bytes);
    gp.set_data_length(64);
    gp.set_streaming_width(64);
    sc_core::sc_time delay = ns(1);
    b.initiator.socket->b_transport(gp, delay);
    EXPECT_EQ(delay, ns(5));
    EXPECT_EQ(b.initiator.socket->transport_dbg(gp), 64u);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(b.initiator.socket->get_direct_mem_ptr(gp, dmi));
    b.target.dmi = [&](tlm_generic_payload &, tlm::tlm_dmi &d) {
        d.set_dmi_ptr(bytes);
        d.set_start_address(0);
        d.set_end_address(63);
        d.allow_read();
        return true;
    };
    tlm::tlm_dmi granted;
    EXPECT_TRUE(b.initiator.socket->get_direct_mem_ptr(gp, granted));
    b.target.socket->invalidate_direct_mem_ptr(0, 63);
    ASSERT_EQ(b.initiator.invalidated.size(), 1u);
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, InterconnectMayChangeTheAddress)
{
    bench b({true, true, false, sc_core::SC_ZERO_TIME, true});
    b.target.fw = [](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        gp.set_address(gp.get_address() & 0xff);
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, IgnorablePhasesPass)
{
    bench b;
    const tlm_phase private_phase(123);
    mem_payload *p = b.make();
    b.request(*p);
    b.initiator.fw(*p, private_phase);
    b.target.bw(*p, private_phase);
    b.respond_and_end(*p);
    p->release();
    EXPECT_EQ(b.target.calls.size(), 3u);
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, IgnoreCommandNeedsNoData)
{
    bench b;
    mem_payload *p = b.make(tlm::TLM_IGNORE_COMMAND);
    p->set_data_ptr(nullptr);
    p->set_data_length(0);
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, ReadDataMayChangeUntilTheResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    std::memset(p->get_data_ptr(), 0x77, 32);
    b.respond_and_end(*p);
    p->release();
    b.expect_silence();
}

// ---- how a transaction starts ----

TEST(ProtocolMonitor, NullDataPointer)
{
    send_spoilt(tlm_rule::null_data_pointer, [](mem_payload &p) { p.set_data_ptr(nullptr); });
}

TEST(ProtocolMonitor, ZeroDataLength)
{
    send_spoilt(tlm_rule::zero_data_length, [](mem_payload &p) { p.set_data_length(0); });
}

TEST(ProtocolMonitor, ZeroByteEnableLength)
{
    send_spoilt(tlm_rule::zero_byte_enable_length, [](mem_payload &p) {
        p.enable_bytes(1, 32);
        p.set_byte_enable_length(0);
    });
}

TEST(ProtocolMonitor, ZeroStreamingWidth)
{
    send_spoilt(tlm_rule::zero_streaming_width, [](mem_payload &p) { p.set_streaming_width(0); });
}

TEST(ProtocolMonitor, DmiHintSet)
{
    send_spoilt(tlm_rule::dmi_hint_set, [](mem_payload &p) { p.set_dmi_allowed(true); });
}

TEST(ProtocolMonitor, InitialStatus)
{
    send_spoilt(tlm_rule::initial_status,
                [](mem_payload &p) { p.set_response_status(tlm::TLM_OK_RESPONSE); });
}

TEST(ProtocolMonitor, PayloadOption)
{
    send_spoilt(tlm_rule::payload_option,
                [](mem_payload &p) { p.set_gp_option(tlm::TLM_FULL_PAYLOAD); });
}

// ---- lifetime ----

TEST(ProtocolMonitor, MemoryManager)
{
    bench b;
    b.target.fw = returning(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 0, true);
    uint8_t bytes[4] = {};
    tlm_generic_payload gp;
    gp.set_read();
    gp.set_data_ptr(bytes);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    b.request(gp);
    b.expect_only(tlm_rule::memory_manager);
}

TEST(ProtocolMonitor, ReferenceCount)
{
    struct no_manager : tlm::tlm_mm_interface {
        void free(tlm_generic_payload *) override {}
    } manager;
    bench b;
    b.target.fw = returning(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 0, true);
    uint8_t bytes[4] = {};
    tlm_generic_payload gp(&manager); // used without acquire()
    gp.set_read();
    gp.set_data_ptr(bytes);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    b.request(gp);
    b.expect_only(tlm_rule::reference_count);
}

TEST(ProtocolMonitor, MemoryManagerLeft)
{
    bench b;
    b.target.b = [&](tlm_generic_payload &gp, sc_core::sc_time &) {
        bench::ok(gp);
        gp.set_mm(&b.pool);
    };
    uint8_t bytes[4] = {};
    tlm_generic_payload gp;
    gp.set_read();
    gp.set_data_ptr(bytes);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    sc_core::sc_time delay;
    b.initiator.socket->b_transport(gp, delay);
    b.expect_only(tlm_rule::memory_manager_left);
}

TEST(ProtocolMonitor, TransactionReused)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::END_REQ);
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::transaction_reused);
}

TEST(ProtocolMonitor, UnknownTransactionBackward)
{
    bench b;
    mem_payload *p = b.make();
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->release();
    b.expect_only(tlm_rule::unknown_transaction);
}

TEST(ProtocolMonitor, UnknownTransactionForward)
{
    bench b;
    mem_payload *p = b.make();
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::unknown_transaction);
}

TEST(ProtocolMonitor, ResponseAfterCompletionIsUnknown)
{
    bench b;
    b.target.fw = returning(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 0, true);
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->release();
    b.expect_only(tlm_rule::unknown_transaction);
}

TEST(ProtocolMonitor, NeverAnswered)
{
    bench b;
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::END_REQ);
    b.request(*q);
    EXPECT_FALSE(b.monitor.check_quiescent());
    ASSERT_EQ(b.reports.seen.size(), 2u);
    EXPECT_NE(b.reports.seen[0].text.find("last phase END_REQ"), std::string::npos);
    EXPECT_NE(b.reports.seen[1].text.find("last phase BEGIN_REQ"), std::string::npos);
    p->release();
    q->release();
    b.expect({{tlm_rule::never_answered, 2}});
}

TEST(ProtocolMonitor, NeverAnsweredAtTheEndOfSimulation)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    sc_core::sc_start(ns(1));
    sc_core::sc_stop();
    b.expect_only(tlm_rule::never_answered);
    p->release();
}

TEST(ProtocolMonitor, TimeoutExactlyAtTheLimit)
{
    bench b({true, false, false, ns(50), true});
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p, 2);
    b.target.bw(*p, tlm::END_REQ, ns(2));
    sc_core::sc_start(ns(20));
    b.request(*q);
    sc_core::sc_start(ns(31)); // 51
    b.expect_silence();
    sc_core::sc_start(ns(2)); // 53
    b.expect_only(tlm_rule::timeout);
    b.respond_and_end(*q);
    sc_core::sc_start(ns(100));
    b.expect_only(tlm_rule::timeout);
    b.respond_and_end(*p);
    p->release();
    q->release();
}

// ---- phases ----

TEST(ProtocolMonitor, WrongPathForward)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.initiator.fw(*p, tlm::END_REQ);
    b.initiator.fw(*p, tlm::BEGIN_RESP);
    b.initiator.fw(*p, tlm::UNINITIALIZED_PHASE);
    b.respond_and_end(*p);
    p->release();
    b.expect({{tlm_rule::wrong_path, 3}});
}

TEST(ProtocolMonitor, WrongPathBackward)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::BEGIN_REQ);
    b.target.bw(*p, tlm::END_RESP);
    b.respond_and_end(*p);
    p->release();
    b.expect({{tlm_rule::wrong_path, 2}});
}

TEST(ProtocolMonitor, PhaseOrderEndRequestTwice)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::END_REQ);
    b.target.bw(*p, tlm::END_REQ);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::phase_order);
}

TEST(ProtocolMonitor, PhaseOrderEndRequestAfterBeginResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.target.bw(*p, tlm::END_REQ);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::phase_order);
}

TEST(ProtocolMonitor, PhaseOrderBeginResponseTwice)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::phase_order);
}

TEST(ProtocolMonitor, PhaseOrderEndResponseBeforeResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::phase_order);
}

TEST(ProtocolMonitor, RequestExclusion)
{
    bench b;
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p);
    b.request(*q);
    b.respond_and_end(*p);
    b.respond_and_end(*q);
    p->release();
    q->release();
    b.expect_only(tlm_rule::request_exclusion);
}

TEST(ProtocolMonitor, ResponseExclusion)
{
    bench b;
    mem_payload *p = b.make(), *q = b.make();
    for (mem_payload *x : {p, q}) {
        b.request(*x);
        b.target.bw(*x, tlm::END_REQ);
        b.ok(*x);
    }
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.target.bw(*q, tlm::BEGIN_RESP);
    b.initiator.fw(*p, tlm::END_RESP);
    b.initiator.fw(*q, tlm::END_RESP);
    p->release();
    q->release();
    b.expect_only(tlm_rule::response_exclusion);
}

TEST(ProtocolMonitor, RequestOverlapInAnnotatedTime)
{
    bench b({true, false, true, sc_core::SC_ZERO_TIME, true});
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::END_REQ, 5);
    mem_payload *p = b.make(), *q = b.make();
    b.request(*p, 0);
    b.request(*q, 4);
    b.target.fw = nullptr;
    sc_core::sc_start(ns(20));
    b.respond_and_end(*p);
    b.respond_and_end(*q);
    p->release();
    q->release();
    b.expect_only(tlm_rule::request_overlap);
}

TEST(ProtocolMonitor, ResponseOverlapInAnnotatedTime)
{
    bench b({true, false, true, sc_core::SC_ZERO_TIME, true});
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &t) {
        t += phase == tlm::BEGIN_RESP ? ns(3) : ns(0);
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make(), *q = b.make();
    for (mem_payload *x : {p, q}) {
        b.request(*x);
        b.target.bw(*x, tlm::END_REQ);
        b.ok(*x);
    }
    b.target.bw(*p, tlm::BEGIN_RESP, ns(10));
    b.target.bw(*q, tlm::BEGIN_RESP, ns(12));
    p->release();
    q->release();
    b.expect_only(tlm_rule::response_overlap);
}

TEST(ProtocolMonitor, ReturnValueUpdatedWithoutANewPhase)
{
    bench b;
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
    mem_payload *p = b.make();
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::return_value);
}

TEST(ProtocolMonitor, ReturnValueUpdatedToEndResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.fw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_UPDATED;
    };
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::return_value);
}

TEST(ProtocolMonitor, ReturnValueUpdatedToEndRequest)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &) {
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    };
    b.target.bw(*p, tlm::END_REQ);
    b.initiator.bw = nullptr;
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::return_value);
}

TEST(ProtocolMonitor, AcceptedModified)
{
    bench b;
    b.target.fw = returning(tlm::TLM_ACCEPTED, tlm::END_REQ);
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &t) {
        t += ns(1);
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect({{tlm_rule::accepted_modified, 2}});
}

TEST(ProtocolMonitor, ReturnedAfterEndForward)
{
    bench b;
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_COMPLETED;
    };
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        b.ok(gp);
        b.target.bw(gp, tlm::BEGIN_RESP);
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    p->release();
    b.expect_only(tlm_rule::returned_after_end);
}

TEST(ProtocolMonitor, ReturnedAfterEndBackward)
{
    bench b;
    b.initiator.bw = [&](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        b.initiator.fw(gp, tlm::END_RESP);
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->release();
    b.expect_only(tlm_rule::returned_after_end);
}

TEST(ProtocolMonitor, CompletedWithoutResponse)
{
    bench b;
    b.initiator.bw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::END_REQ);
    p->release();
    b.expect_only(tlm_rule::completed_without_response);
}

TEST(ProtocolMonitor, MixedTransport)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.b = [](tlm_generic_payload &, sc_core::sc_time &) {};
    sc_core::sc_time delay;
    b.initiator.socket->b_transport(*p, delay);
    b.respond_and_end(*p);
    p->release();
    b.expect({{tlm_rule::mixed_transport, 1}, {tlm_rule::response_status, 1}});
}

TEST(ProtocolMonitor, MixedTransportTheOtherWayRound)
{
    bench b;
    mem_payload *p = b.make();
    b.target.b = [&](tlm_generic_payload &gp, sc_core::sc_time &) {
        b.request(gp);
        b.respond_and_end(gp);
    };
    sc_core::sc_time delay;
    b.initiator.socket->b_transport(*p, delay);
    p->release();
    b.expect_only(tlm_rule::mixed_transport);
}

TEST(ProtocolMonitor, BlockingFromMethod)
{
    struct caller : sc_core::sc_module {
        SC_HAS_PROCESS(caller);
        std::function<void()> call;
        explicit caller(sc_core::sc_module_name n) : sc_module(n)
        {
            SC_METHOD(run);
        }
        void run()
        {
            call();
        }
    };
    mem_pool pool;
    mock_initiator initiator("initiator");
    protocol_monitor monitor("monitor");
    mock_target target("target");
    expected_reports reports("/smrf/tlm/b_from_method");
    initiator.socket.bind(monitor.in);
    monitor.out.bind(target.socket);
    target.b = [](tlm_generic_payload &gp, sc_core::sc_time &) { bench::ok(gp); };
    caller c("caller");
    c.call = [&] {
        mem_payload *p = pool.allocate();
        p->set_read();
        p->set_data_length(4);
        p->set_streaming_width(4);
        sc_core::sc_time delay;
        initiator.socket->b_transport(*p, delay);
        p->release();
    };
    sc_core::sc_start(ns(1));
    EXPECT_EQ(monitor.violations(tlm_rule::b_from_method), 1u);
    EXPECT_EQ(monitor.violations(), 1u);
}

// ---- time ----

TEST(ProtocolMonitor, TimeBackwards)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p, 10);
    b.target.bw(*p, tlm::END_REQ, ns(9)); // earlier than the request itself
    sc_core::sc_start(ns(10));
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::time_backwards);
    EXPECT_NE(b.reports.seen[0].text.find("by 1 ns"), std::string::npos);
}

TEST(ProtocolMonitor, TimeBackwardsOnReturn)
{
    bench b;
    b.target.fw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &t) {
        if (phase == tlm::BEGIN_REQ) {
            phase = tlm::END_REQ;
            t = sc_core::SC_ZERO_TIME;
            return tlm::TLM_UPDATED;
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    b.request(*p, 10);
    sc_core::sc_start(ns(10));
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::time_backwards);
}

TEST(ProtocolMonitor, TimeBackwardsInBlockingTransport)
{
    bench b;
    b.target.b = [](tlm_generic_payload &gp, sc_core::sc_time &t) {
        bench::ok(gp);
        t = sc_core::SC_ZERO_TIME;
    };
    mem_payload *p = b.make();
    sc_core::sc_time delay = ns(3);
    b.initiator.socket->b_transport(*p, delay);
    p->release();
    b.expect_only(tlm_rule::time_backwards);
}

TEST(ProtocolMonitor, TimeAdvancedInsideACall)
{
    bench b;
    b.target.fw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        sc_core::sc_start(ns(1)); // stands for a wait() in a thread
        return tlm::TLM_ACCEPTED;
    };
    b.initiator.bw = b.target.fw;
    b.target.dbg = [](tlm_generic_payload &) {
        sc_core::sc_start(ns(1));
        return 0u;
    };
    b.target.dmi = [](tlm_generic_payload &, tlm::tlm_dmi &) {
        sc_core::sc_start(ns(1));
        return false;
    };
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.target.fw = nullptr;
    b.initiator.fw(*p, tlm::END_RESP);
    b.initiator.socket->transport_dbg(*p);
    tlm::tlm_dmi dmi;
    b.initiator.socket->get_direct_mem_ptr(*p, dmi);
    p->release();
    b.expect({{tlm_rule::time_advanced, 4}});
}

// ---- what must not change ----

TEST(ProtocolMonitor, CommandChanged)
{
    change_in_target(tlm_rule::command_changed, [](tlm_generic_payload &gp) { gp.set_read(); });
}

TEST(ProtocolMonitor, AddressChanged)
{
    change_in_target(tlm_rule::address_changed,
                     [](tlm_generic_payload &gp) { gp.set_address(0x40); });
}

TEST(ProtocolMonitor, DataPointerChanged)
{
    static uint8_t other[32];
    change_in_target(tlm_rule::data_pointer_changed,
                     [](tlm_generic_payload &gp) { gp.set_data_ptr(other); });
}

TEST(ProtocolMonitor, DataLengthChanged)
{
    change_in_target(tlm_rule::data_length_changed,
                     [](tlm_generic_payload &gp) { gp.set_data_length(16); });
}

TEST(ProtocolMonitor, ByteEnablesChanged)
{
    change_in_target(tlm_rule::byte_enables_changed,
                     [](tlm_generic_payload &gp) { gp.get_byte_enable_ptr()[31] = 0xff; });
}

TEST(ProtocolMonitor, StreamingWidthChanged)
{
    change_in_target(tlm_rule::streaming_width_changed,
                     [](tlm_generic_payload &gp) { gp.set_streaming_width(8); });
}

TEST(ProtocolMonitor, WriteDataChanged)
{
    change_in_target(tlm_rule::write_data_changed,
                     [](tlm_generic_payload &gp) { gp.get_data_ptr()[5] ^= 1; });
}

TEST(ProtocolMonitor, AddressChangedByTheTargetOnTheReturnPath)
{
    bench b;
    b.target.fw = [](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        gp.set_address(0);
        bench::ok(gp);
        return tlm::TLM_COMPLETED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    p->release();
    b.expect_only(tlm_rule::address_changed);
    EXPECT_NE(b.reports.seen[0].text.find("was 0x400"), std::string::npos);
    EXPECT_NE(b.reports.seen[0].text.find("monitor:"), std::string::npos);
}

TEST(ProtocolMonitor, DmiHintChangedAfterTheResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->set_dmi_allowed(true);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::dmi_hint_changed);
}

TEST(ProtocolMonitor, StatusChangedAfterTheResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::status_changed);
}

TEST(ProtocolMonitor, IncompleteResponse)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.initiator.fw(*p, tlm::END_RESP);
    b.expect_only(tlm_rule::response_status);
    b.target.fw = returning(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE);
    b.request(*p);
    b.target.fw = returning(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
    b.request(*p);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect({{tlm_rule::response_status, 3}});
}

// ---- debug and DMI ----

TEST(ProtocolMonitor, DebugCountAndPointer)
{
    bench b;
    b.target.dbg = [](tlm_generic_payload &gp) { return gp.get_data_length() + 1; };
    mem_payload *p = b.make();
    b.initiator.socket->transport_dbg(*p);
    b.expect_only(tlm_rule::debug_count);
    b.target.dbg = nullptr;
    p->set_data_ptr(nullptr);
    b.initiator.socket->transport_dbg(*p);
    p->release();
    b.expect({{tlm_rule::debug_count, 1}, {tlm_rule::null_data_pointer, 1}});
}

TEST(ProtocolMonitor, DmiDescriptorGrantAndRange)
{
    bench b;
    mem_payload *p = b.make();
    tlm::tlm_dmi used;
    used.allow_read();
    b.initiator.socket->get_direct_mem_ptr(*p, used);
    b.expect_only(tlm_rule::dmi_descriptor);
    b.target.dmi = [](tlm_generic_payload &, tlm::tlm_dmi &) { return true; };
    tlm::tlm_dmi fresh;
    b.initiator.socket->get_direct_mem_ptr(*p, fresh);
    b.target.socket->invalidate_direct_mem_ptr(5, 4);
    p->release();
    b.expect({{tlm_rule::dmi_descriptor, 1}, {tlm_rule::dmi_grant, 1}, {tlm_rule::dmi_range, 1}});
}

// ---- the monitor itself ----

TEST(ProtocolMonitor, SwitchedOffItOnlyPassesThrough)
{
    bench b({false, false, false, sc_core::SC_ZERO_TIME, true});
    mem_payload *p = b.make();
    p->set_dmi_allowed(true);
    b.request(*p);
    b.request(*p);
    b.target.bw(*p, tlm::END_RESP);
    sc_core::sc_time delay;
    b.initiator.socket->b_transport(*p, delay);
    b.initiator.socket->transport_dbg(*p);
    tlm::tlm_dmi dmi;
    b.initiator.socket->get_direct_mem_ptr(*p, dmi);
    b.target.socket->invalidate_direct_mem_ptr(5, 4);
    EXPECT_EQ(b.target.calls.size(), 2u);
    EXPECT_EQ(b.initiator.calls.size(), 1u);
    b.expect_silence();
    b.monitor.set_enabled(true);
    p->set_dmi_allowed(false);
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitor, EveryRuleHasANameAndAMeaning)
{
    bench b;
    std::map<std::string, int> names;
    for (size_t i = 0; i < tlm_rule_count; i++) {
        names[rule_name(static_cast<tlm_rule>(i))]++;
        EXPECT_GT(std::strlen(rule_meaning(static_cast<tlm_rule>(i))), 10u);
    }
    EXPECT_EQ(names.size(), tlm_rule_count);
}
