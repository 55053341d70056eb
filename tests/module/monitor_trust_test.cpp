// SPDX-License-Identifier: Apache-2.0
// What a target could do to a transaction that is not its own, and answers that never end: each
// rule is broken once on purpose, and what is legal beside it is let pass.
#include "models/tlm/has_process.h"
#include "tests/support/monitor_bench.h"

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

namespace
{

struct note : tlm::tlm_extension<note> {
    tlm::tlm_extension_base *clone() const override
    {
        return new note;
    }
    void copy_from(const tlm::tlm_extension_base &) override {}
};

struct keeper : tlm::tlm_mm_interface {
    void free(tlm_generic_payload *) override {}
};

// A blocking read of a payload of its own, in which the target does `what`.
struct blocking_read {
    uint8_t bytes[4] = {};
    note first, second;
    keeper mine, others;
    tlm_generic_payload gp;

    explicit blocking_read(bool managed = false)
    {
        if (managed) {
            gp.set_mm(&mine);
            gp.acquire();
        }
        gp.set_read();
        gp.set_data_ptr(bytes);
        gp.set_data_length(sizeof bytes);
        gp.set_streaming_width(sizeof bytes);
        gp.set_extension(&first);
    }
    ~blocking_read()
    {
        gp.clear_extension(&first);
        gp.clear_extension(&second);
    }
    void send(bench &b, const std::function<void(tlm_generic_payload &)> &what)
    {
        b.target.b = [&](tlm_generic_payload &seen, sc_core::sc_time &) {
            bench::ok(seen);
            what(seen);
        };
        sc_core::sc_time delay;
        b.initiator.socket->b_transport(gp, delay);
    }
};

} // namespace

TEST(ProtocolMonitor, IllegalCommand)
{
    send_spoilt(tlm_rule::illegal_command,
                [](mem_payload &p) { p.set_command(static_cast<tlm::tlm_command>(3)); });
}

TEST(ProtocolMonitor, DebugAndDmiCallsHaveCommandsToo)
{
    bench b;
    mem_payload *p = b.make();
    p->set_command(static_cast<tlm::tlm_command>(3));
    b.initiator.socket->transport_dbg(*p);
    b.expect_only(tlm_rule::illegal_command);
    tlm::tlm_dmi dmi;
    b.initiator.socket->get_direct_mem_ptr(*p, dmi);
    p->release();
    b.expect({{tlm_rule::illegal_command, 2}});
}

TEST(ProtocolMonitor, ByteEnablesAreAllOrNothing)
{
    static uint8_t enables[2] = {0xff, 0x0f};
    send_spoilt(tlm_rule::byte_enable_value, [](mem_payload &p) {
        p.set_byte_enable_ptr(enables);
        p.set_byte_enable_length(2);
    });
}

TEST(ProtocolMonitor, AnExtensionThatIsRemovedIsMissed)
{
    bench b;
    blocking_read r;
    r.send(b, [&](tlm_generic_payload &gp) { gp.clear_extension(&r.first); });
    b.expect_only(tlm_rule::extension_changed);
}

TEST(ProtocolMonitor, AnExtensionThatIsReplacedIsMissed)
{
    bench b;
    blocking_read r;
    r.send(b, [&](tlm_generic_payload &gp) { gp.set_extension(&r.second); });
    b.expect_only(tlm_rule::extension_changed);
}

TEST(ProtocolMonitor, AnExtensionThatIsLeftBehindIsFound)
{
    bench b;
    blocking_read r;
    r.gp.clear_extension(&r.first);
    r.send(b, [&](tlm_generic_payload &gp) { gp.set_extension(&r.second); });
    b.expect_only(tlm_rule::extension_left);
}

TEST(ProtocolMonitor, AnExtensionOfTheTargetsMayComeAndGo)
{
    bench b;
    blocking_read r;
    r.gp.clear_extension(&r.first);
    r.send(b, [&](tlm_generic_payload &gp) {
        gp.set_extension(&r.second);
        gp.clear_extension(&r.second);
    });
    b.expect({});
}

TEST(ProtocolMonitor, AnExtensionRemovedByANonBlockingCallIsMissed)
{
    bench b;
    note mine;
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_REQ) {
            gp.clear_extension(&mine);
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    p->set_extension(&mine);
    b.request(*p);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::extension_changed);
}

TEST(ProtocolMonitor, AnExtensionRemovedBetweenTwoCallsIsMissed)
{
    bench b;
    note mine;
    mem_payload *p = b.make();
    p->set_extension(&mine);
    b.request(*p);
    p->clear_extension(&mine); // by the target, in a process of its own
    b.target.bw(*p, tlm::END_REQ);
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::extension_changed);
}

TEST(ProtocolMonitor, AnExtensionOfTheTargetsMayGoBetweenTwoCalls)
{
    bench b;
    note its;
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_REQ) {
            gp.set_extension(&its);
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    b.request(*p);
    p->clear_extension(&its);
    b.respond_and_end(*p);
    p->release();
    b.expect_silence();
}

TEST(ProtocolMonitor, AMemoryManagerThatIsSwappedIsFound)
{
    bench b;
    blocking_read r(true);
    r.send(b, [&](tlm_generic_payload &gp) { gp.set_mm(&r.others); });
    b.expect_only(tlm_rule::memory_manager_changed);
    r.gp.set_mm(&r.mine);
    r.gp.release();
}

TEST(ProtocolMonitor, ReadDataAreFinalWhenTheResponseBegins)
{
    bench b;
    mem_payload *p = b.make();
    b.request(*p);
    b.ok(*p);
    std::memset(p->get_data_ptr(), 1, 32); // still the target's to write
    b.target.bw(*p, tlm::BEGIN_RESP);
    p->get_data_ptr()[3] = 2;
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::read_data_changed);
}

namespace
{

// A process that does something once, when told.
struct actor : sc_core::sc_module {
    sc_core::sc_event go{"go"};
    std::function<void()> what;
    SMRF_HAS_PROCESS(actor);
    explicit actor(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(act);
        sensitive << go;
        dont_initialize();
    }
    void act()
    {
        what();
    }
};

} // namespace

TEST(ProtocolMonitor, ACallThatWaitsWithoutTimeIsFound)
{
    actor caller("caller");
    bench b;
    b.target.fw = [](tlm_generic_payload &, tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_REQ) {
            sc_core::wait(sc_core::SC_ZERO_TIME);
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make();
    caller.what = [&] { b.request(*p); };
    caller.go.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(ns(1));
    b.respond_and_end(*p);
    p->release();
    b.expect_only(tlm_rule::call_waited);
}

TEST(ProtocolMonitor, DmiGrantsWhatWasAskedFor)
{
    bench b;
    uint8_t memory[64] = {};
    b.target.dmi = [&](tlm_generic_payload &, tlm::tlm_dmi &dmi) {
        dmi.set_dmi_ptr(memory);
        dmi.set_start_address(0x400);
        dmi.set_end_address(0x43f);
        dmi.allow_read();
        return true;
    };
    for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        mem_payload *p = b.make(command);
        tlm::tlm_dmi dmi;
        b.initiator.socket->get_direct_mem_ptr(*p, dmi);
        p->release();
    }
    b.expect_only(tlm_rule::dmi_grant);
}

TEST(ProtocolMonitor, DmiLeavesTheAddressAlone)
{
    bench b;
    b.target.dmi = [&](tlm_generic_payload &gp, tlm::tlm_dmi &) {
        gp.set_address(0);
        return false;
    };
    mem_payload *p = b.make();
    tlm::tlm_dmi dmi;
    b.initiator.socket->get_direct_mem_ptr(*p, dmi);
    p->release();
    b.expect_only(tlm_rule::address_changed);
}

namespace
{

protocol_monitor_options within(uint64_t nanoseconds)
{
    protocol_monitor_options o;
    o.timeout = ns(nanoseconds);
    return o;
}

} // namespace

TEST(ProtocolMonitor, AResponseIsEndedInTime)
{
    bench b(within(100));
    mem_payload *p = b.make();
    b.request(*p);
    sc_core::sc_start(ns(90));
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(90)); // counts from the response
    b.expect({});
    sc_core::sc_start(ns(20));
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::response_timeout);
}

namespace
{

// What is broken where a blocking call is annotated with so many ns, 100 being allowed.
void blocking_call(uint64_t took, const std::map<tlm_rule, uint64_t> &broken)
{
    bench b(within(100));
    b.target.b = [=](tlm_generic_payload &gp, sc_core::sc_time &delay) {
        bench::ok(gp);
        delay += ns(took);
    };
    mem_payload *p = b.make();
    sc_core::sc_time delay = ns(7);
    b.initiator.socket->b_transport(*p, delay);
    p->release();
    b.expect(broken);
}

} // namespace

TEST(ProtocolMonitor, ABlockingCallComesBackInTime)
{
    blocking_call(100, {});
}

TEST(ProtocolMonitor, ABlockingCallThatComesBackLateIsFound)
{
    blocking_call(101, {{tlm_rule::timeout, 1}});
}

TEST(ProtocolMonitor, ABlockingCallThatDoesNotComeBackIsFound)
{
    actor caller("caller");
    bench b(within(100));
    sc_core::sc_event end("end");
    b.target.b = [&](tlm_generic_payload &gp, sc_core::sc_time &) {
        sc_core::wait(end);
        bench::ok(gp);
    };
    mem_payload *p = b.make();
    caller.what = [&] {
        sc_core::sc_time delay;
        b.initiator.socket->b_transport(*p, delay);
    };
    caller.go.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(ns(99));
    b.expect({});
    sc_core::sc_start(ns(2));
    b.expect_only(tlm_rule::timeout);
    end.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(ns(1));
    p->release();
    b.expect_only(tlm_rule::timeout);
}

// The kernel says nothing at the end of a simulation that nobody stops.
TEST(ProtocolMonitor, WhatIsInFlightWhenTheMonitorGoesIsToldInAWarning)
{
    mem_pool pool{"test.pool"};
    expected_reports reports{"/smrf/tlm/"};
    mem_payload *p = pool.allocate();
    {
        mock_initiator initiator{"initiator"};
        protocol_monitor monitor("monitor");
        mock_target target{"target"};
        initiator.socket.bind(monitor.in);
        monitor.out.bind(target.socket);
        sc_core::sc_start(ns(1));
        p->set_read();
        p->set_address(0x400);
        p->set_data_length(32);
        p->set_streaming_width(32);
        initiator.fw(*p, tlm::BEGIN_REQ, ns(0));
        sc_core::sc_start(ns(1));
    }
    EXPECT_EQ(reports.count("/smrf/tlm/never_answered"), 1u);
    p->release();
}

TEST(ProtocolMonitor, BeforeAnInterconnectTheInitiatorMayNotChangeTheAddress)
{
    protocol_monitor_options o;
    o.interconnect = true;
    bench b(o);
    mem_payload *p = b.make();
    b.request(*p);
    p->set_address(0x9400); // on its way
    b.ok(*p);
    b.target.bw(*p, tlm::BEGIN_RESP);
    b.expect_silence();
    p->set_address(0x400);
    b.initiator.fw(*p, tlm::END_RESP);
    p->release();
    b.expect_only(tlm_rule::address_changed);
}

// --- references --------------------------------------------------------------------------------

namespace
{

// A read whose target keeps `extra` references; `late` gives one back. Ends forward, or backward
// with the initiator's reference given back within the call (`inside`) or after it.
struct lending {
    bool forward = true, inside = false, kept = false;
    int extra = 0;
    uint64_t late = 0;

    uint64_t leaks(unsigned reads = 1) const
    {
        bench b;
        std::vector<mem_payload *> all;
        for (unsigned i = 0; i < reads; i++) {
            mem_payload *p = b.make();
            all.push_back(p);
            one(b, *p);
        }
        sc_core::sc_start(ns(5));
        b.monitor.check_released();
        const uint64_t found = b.monitor.violations(tlm_rule::reference_leak);
        for (mem_payload *p : all) {
            for (int i = kept ? -1 : 0; i < extra - (late != 0); i++) {
                p->release();
            }
        }
        b.expect({{tlm_rule::reference_leak, found}});
        return found;
    }

  private:
    void one(bench &b, mem_payload &p) const
    {
        b.initiator.bw = [this](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &) {
            if (forward || phase != tlm::BEGIN_RESP) {
                return tlm::TLM_ACCEPTED;
            }
            if (inside && !kept) {
                gp.release();
            }
            return tlm::TLM_COMPLETED;
        };
        b.request(p);
        for (int i = 0; i < extra; i++) {
            p.acquire();
        }
        b.ok(p);
        b.target.bw(p, tlm::BEGIN_RESP);
        if (forward) {
            b.initiator.fw(p, tlm::END_RESP);
        }
        if (!kept && !(inside && !forward)) {
            p.release();
        }
        sc_core::sc_start(ns(1));
        if (late != 0) {
            p.release();
        }
    }
};

} // namespace

TEST(ProtocolMonitor, AReferenceThatIsNeverReleasedIsALeak)
{
    EXPECT_EQ((lending{true, false, false, 1, 0}.leaks()), 1u);
}

TEST(ProtocolMonitor, AReferenceThatIsNeverReleasedIsALeakWhereResponsesEndOnTheReturnPath)
{
    EXPECT_EQ((lending{false, true, false, 1, 0}.leaks()), 1u);
}

TEST(ProtocolMonitor, AReferenceBesideThoseThatTheInitiatorKeepsIsALeak)
{
    EXPECT_EQ((lending{true, false, true, 1, 0}.leaks(3)), 3u);
}

TEST(ProtocolMonitorLegal, AReferenceIsReleasedLate)
{
    EXPECT_EQ((lending{true, false, false, 1, 1}.leaks(2)), 0u);
}

TEST(ProtocolMonitorLegal, AReferenceIsReleasedLateWhereResponsesEndOnTheReturnPath)
{
    EXPECT_EQ((lending{false, true, false, 1, 1}.leaks()), 0u);
}

TEST(ProtocolMonitorLegal, AnInitiatorKeepsItsTransaction)
{
    EXPECT_EQ((lending{false, false, true, 0, 0}.leaks(2)), 0u);
}
