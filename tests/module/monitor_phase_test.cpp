// SPDX-License-Identifier: Apache-2.0
// Phases: each rule of the monitor is broken once on purpose, by a mock on
// either side, and must be reported exactly so often.
#include "models/tlm/has_process.h"
#include "tests/support/monitor_bench.h"

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

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
    breaks(tlm_rule::phase_order, [](bench &b, mem_payload &p) {
        b.request(p);
        b.target.bw(p, tlm::END_REQ);
        b.target.bw(p, tlm::END_REQ);
        b.respond_and_end(p);
    });
}

TEST(ProtocolMonitor, PhaseOrderEndRequestAfterBeginResponse)
{
    breaks(tlm_rule::phase_order, [](bench &b, mem_payload &p) {
        b.request(p);
        b.ok(p);
        b.target.bw(p, tlm::BEGIN_RESP);
        b.target.bw(p, tlm::END_REQ);
        b.initiator.fw(p, tlm::END_RESP);
    });
}

TEST(ProtocolMonitor, PhaseOrderBeginResponseTwice)
{
    breaks(tlm_rule::phase_order, [](bench &b, mem_payload &p) {
        b.request(p);
        b.ok(p);
        b.target.bw(p, tlm::BEGIN_RESP);
        b.target.bw(p, tlm::BEGIN_RESP);
        b.initiator.fw(p, tlm::END_RESP);
    });
}

TEST(ProtocolMonitor, PhaseOrderEndResponseBeforeResponse)
{
    breaks(tlm_rule::phase_order, [](bench &b, mem_payload &p) {
        b.request(p);
        b.initiator.fw(p, tlm::END_RESP);
    });
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
    breaks(tlm_rule::return_value, [](bench &b, mem_payload &p) {
        b.request(p);
        b.target.fw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
            return tlm::TLM_UPDATED;
        };
        b.respond_and_end(p);
    });
}

TEST(ProtocolMonitor, ReturnValueUpdatedToEndRequest)
{
    breaks(tlm_rule::return_value, [](bench &b, mem_payload &p) {
        b.request(p);
        b.initiator.bw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &) {
            phase = tlm::END_RESP;
            return tlm::TLM_UPDATED;
        };
        b.target.bw(p, tlm::END_REQ);
        b.initiator.bw = nullptr;
        b.respond_and_end(p);
    });
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
    breaks(tlm_rule::mixed_transport, [](bench &b, mem_payload &p) {
        b.target.b = [&](tlm_generic_payload &gp, sc_core::sc_time &) {
            b.request(gp);
            b.respond_and_end(gp);
        };
        sc_core::sc_time delay;
        b.initiator.socket->b_transport(p, delay);
    });
}

TEST(ProtocolMonitor, BlockingFromMethod)
{
    struct caller : sc_core::sc_module {
        SMRF_HAS_PROCESS(caller);
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
