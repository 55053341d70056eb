// SPDX-License-Identifier: Apache-2.0
// Every legal sequence passes the monitor in silence.
#include "tests/support/monitor_bench.h"

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

DECLARE_EXTENDED_PHASE(private_phase);

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
    mem_payload *p = b.make();
    b.request(*p);
    b.initiator.fw(*p, tlm_phase(private_phase));
    b.target.bw(*p, tlm_phase(private_phase));
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

TEST(ProtocolMonitorLegal, AnyErrorIsAResponse)
{
    bench b;
    for (int status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE; status < 0; status++) {
        mem_payload *p = b.make();
        b.request(*p);
        p->set_response_status(static_cast<tlm::tlm_response_status>(status));
        b.target.bw(*p, tlm::BEGIN_RESP);
        b.initiator.fw(*p, tlm::END_RESP);
        p->release();
    }
    b.expect_silence();
}

TEST(ProtocolMonitorLegal, DebugAndDmiCallsOfAnIgnoreCommand)
{
    bench b;
    mem_payload *p = b.make(tlm::TLM_IGNORE_COMMAND);
    p->set_gp_option(tlm::TLM_FULL_PAYLOAD);
    b.target.dbg = [](tlm_generic_payload &gp) {
        gp.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED);
        return 0u;
    };
    EXPECT_EQ(b.initiator.socket->transport_dbg(*p), 0u);
    p->set_gp_option(tlm::TLM_MIN_PAYLOAD);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(b.initiator.socket->get_direct_mem_ptr(*p, dmi));
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
