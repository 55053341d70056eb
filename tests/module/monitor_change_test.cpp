// SPDX-License-Identifier: Apache-2.0
// Time, and what must not change: each rule of the monitor is broken once on purpose, by a mock on
// either side, and must be reported exactly so often.
#include "tests/support/monitor_bench.h"

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

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

// --- what must not change ---

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
    breaks(tlm_rule::dmi_hint_changed, [](bench &b, mem_payload &p) {
        b.request(p);
        b.ok(p);
        b.target.bw(p, tlm::BEGIN_RESP);
        p.set_dmi_allowed(true);
        b.initiator.fw(p, tlm::END_RESP);
    });
}

TEST(ProtocolMonitor, StatusChangedAfterTheResponse)
{
    breaks(tlm_rule::status_changed, [](bench &b, mem_payload &p) {
        b.request(p);
        b.ok(p);
        b.target.bw(p, tlm::BEGIN_RESP);
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        b.initiator.fw(p, tlm::END_RESP);
    });
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

TEST(ProtocolMonitor, PayloadOptionSetByTheTarget)
{
    change_in_target(tlm_rule::payload_option, [](tlm_generic_payload &gp) {
        gp.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED);
    });
}

TEST(ProtocolMonitor, PayloadOptionSetInABlockingCall)
{
    breaks(tlm_rule::payload_option, [](bench &b, mem_payload &p) {
        b.target.b = [](tlm_generic_payload &gp, sc_core::sc_time &) {
            bench::ok(gp);
            gp.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED);
        };
        sc_core::sc_time delay;
        b.initiator.socket->b_transport(p, delay);
    });
}

TEST(ProtocolMonitor, AStatusThatThereIsNot)
{
    bench b;
    for (const int status : {2, -6}) {
        mem_payload *p = b.make();
        b.request(*p);
        p->set_response_status(static_cast<tlm::tlm_response_status>(status));
        b.target.bw(*p, tlm::BEGIN_RESP);
        b.initiator.fw(*p, tlm::END_RESP);
        p->release();
    }
    b.expect({{tlm_rule::response_status, 2}});
}

// --- debug and DMI ---

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

TEST(ProtocolMonitor, DmiIsNotAskedForFromWithinAnInvalidation)
{
    bench b;
    mem_payload *p = b.make();
    b.initiator.on_invalidate = [&] {
        tlm::tlm_dmi fresh;
        b.initiator.socket->get_direct_mem_ptr(*p, fresh);
    };
    b.target.socket->invalidate_direct_mem_ptr(0, 63);
    p->release();
    b.expect_only(tlm_rule::dmi_in_invalidate);
}

TEST(ProtocolMonitor, ADebugCallsOptionIsTheInitiatorsToSetAndTheTargetsToAccept)
{
    bench b;
    mem_payload *p = b.make();
    p->set_gp_option(tlm::TLM_FULL_PAYLOAD);
    b.target.dbg = [](tlm_generic_payload &gp) {
        gp.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED);
        return 0u;
    };
    b.initiator.socket->transport_dbg(*p);
    b.expect_silence();
    p->set_gp_option(tlm::TLM_MIN_PAYLOAD);
    b.initiator.socket->transport_dbg(*p);
    b.expect_only(tlm_rule::debug_option);
    b.target.dbg = nullptr;
    b.initiator.socket->transport_dbg(*p); // with what the target has left there
    p->set_gp_option(tlm::TLM_MIN_PAYLOAD);
    p->release();
    b.expect({{tlm_rule::debug_option, 2}});
}

// --- the monitor itself ---

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
