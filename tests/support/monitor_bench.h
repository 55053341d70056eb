// SPDX-License-Identifier: Apache-2.0
// A monitor between two mocks: what passed, and which rules were found broken.
#ifndef SMRF_TEST_MONITOR_BENCH_H
#define SMRF_TEST_MONITOR_BENCH_H

#include "models/tlm/payload_pool.h"
#include "models/tlm/protocol_monitor.h"
#include "tests/support/expected_reports.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace smrf_test
{

using namespace smrf;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

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
        EXPECT_TRUE(monitor.check_released());
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

// What is done to one read breaks this rule, once, and no other.
inline void breaks(tlm_rule rule, const std::function<void(bench &, mem_payload &)> &what)
{
    bench b;
    mem_payload *p = b.make();
    what(b, *p);
    p->release();
    b.expect_only(rule);
}

// Sends one read whose attributes `spoil` has changed first, and completes it.
inline void send_spoilt(tlm_rule rule, const std::function<void(mem_payload &)> &spoil)
{
    breaks(rule, [&](bench &b, mem_payload &p) {
        spoil(p);
        b.request(p);
        b.respond_and_end(p);
    });
}

// A write that the target changes by `spoil` before it sends END_REQ.
inline void change_in_target(tlm_rule rule, const std::function<void(tlm_generic_payload &)> &spoil)
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
inline mock_target::nb returning(tlm::tlm_sync_enum status, tlm_phase set, uint64_t delay = 0,
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

} // namespace smrf_test

#endif
