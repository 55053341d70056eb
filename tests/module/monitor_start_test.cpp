// SPDX-License-Identifier: Apache-2.0
// How a transaction starts and lives: each rule of the monitor is broken once on purpose, by a mock
// on either side, and must be reported exactly so often.
#include "tests/support/monitor_bench.h"

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

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

// --- lifetime ---

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
    b.expect_only(tlm_rule::memory_manager_changed);
}

TEST(ProtocolMonitor, TransactionReused)
{
    breaks(tlm_rule::transaction_reused, [](bench &b, mem_payload &p) {
        b.request(p);
        b.target.bw(p, tlm::END_REQ);
        b.request(p);
        b.respond_and_end(p);
    });
}

TEST(ProtocolMonitor, UnknownTransactionBackward)
{
    breaks(tlm_rule::unknown_transaction,
           [](bench &b, mem_payload &p) { b.target.bw(p, tlm::BEGIN_RESP); });
}

TEST(ProtocolMonitor, UnknownTransactionForward)
{
    breaks(tlm_rule::unknown_transaction,
           [](bench &b, mem_payload &p) { b.initiator.fw(p, tlm::END_RESP); });
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
