// SPDX-License-Identifier: Apache-2.0
// For the tests of the blocks inside an SM: mock peers with a protocol monitor in line, payloads as
// an SM makes them, and what every target socket inside an SM refuses.
#ifndef SMRF_TESTS_BLOCK_BENCH_H
#define SMRF_TESTS_BLOCK_BENCH_H

#include "expected_reports.h"
#include "tlm_mocks.h"

#include "models/tlm/payload_pool.h"
#include "models/tlm/protocol_monitor.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace smrf_test
{

// Connections with a monitor in each.
class wires
{
  public:
    template <class From, class To> void connect(From &from, To &to)
    {
        smrf::protocol_monitor_options options;
        options.annotated_exclusion = true;
        const std::string name = "wire_" + std::to_string(monitors_.size());
        monitors_.push_back(std::make_unique<smrf::protocol_monitor>(name.c_str(), options));
        from.bind(monitors_.back()->in);
        monitors_.back()->out.bind(to);
    }
    void expect_clean()
    {
        for (const auto &monitor : monitors_) {
            EXPECT_TRUE(monitor->check_quiescent());
            EXPECT_EQ(monitor->violations(), 0u) << monitor->name();
        }
    }
    uint64_t transactions() const
    {
        uint64_t sum = 0;
        for (const auto &monitor : monitors_) {
            sum += monitor->transactions();
        }
        return sum;
    }

  private:
    std::vector<std::unique_ptr<smrf::protocol_monitor>> monitors_;
};

inline void elaborate()
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

// A payload that reads or writes `bytes` bytes at `data`.
inline smrf::rf_payload *payload(smrf::rf_pool &pool, tlm::tlm_command command, uint64_t address,
                                 void *data, unsigned bytes)
{
    smrf::rf_payload *gp = pool.allocate();
    gp->set_command(command);
    gp->set_address(address);
    gp->set_data_ptr(static_cast<unsigned char *>(data));
    gp->set_data_length(bytes);
    gp->set_streaming_width(bytes);
    gp->extension.fields = {};
    return gp;
}

// No target inside an SM takes blocking calls or grants DMI.
inline void expect_refusals(tlm::tlm_fw_transport_if<> &target, smrf::rf_pool &pool)
{
    uint32_t data[SMRF_LANES] = {};
    smrf::rf_payload *gp = payload(pool, tlm::TLM_READ_COMMAND, 0, data, sizeof data);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    target.b_transport(*gp, delay);
    EXPECT_EQ(gp->get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(target.get_direct_mem_ptr(*gp, dmi));
    EXPECT_TRUE(dmi.is_none_allowed());
    EXPECT_FALSE(gp->is_dmi_allowed());
    gp->release();
}

// `call` breaks the protocol: reported once as a phase error, answered with an error and
// TLM_COMPLETED.
template <class Call> void expect_protocol_error(tlm::tlm_generic_payload &gp, Call call)
{
    expected_reports reports("/smrf/tlm/phase");
    EXPECT_EQ(call(), tlm::TLM_COMPLETED);
    EXPECT_EQ(reports.seen.size(), 1u);
    EXPECT_TRUE(gp.is_response_error());
}

// All phases but BEGIN_REQ, for targets that complete everything at once.
inline const tlm::tlm_phase other_phases[] = {tlm::END_REQ, tlm::BEGIN_RESP, tlm::END_RESP};

} // namespace smrf_test

#endif
