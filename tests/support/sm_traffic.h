// SPDX-License-Identifier: Apache-2.0
// What an SM looks like from its memory port: it runs a window of cycles at a time, sends its
// requests in order as early as their cycles and the port allow, and notes what comes back.
#ifndef SMRF_TESTS_SM_TRAFFIC_H
#define SMRF_TESTS_SM_TRAFFIC_H

#include "models/tlm/has_process.h"
#include "models/tlm/memory_port.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

namespace smrf_test
{

class sm_traffic : public sc_core::sc_module
{
  public:
    struct arrival {
        smrf_mem_response response;
        uint64_t address;
        bool has_data;
        std::array<uint8_t, SMRF_SECTOR_BYTES> data;
    };

    SMRF_HAS_PROCESS(sm_traffic);
    // window: cycles run at a time; 0 = one, and answers of the cycle just run still count for it
    // (of interest where a target answers exactly on an edge); by_hand = only run_cycles() runs it.
    static constexpr uint64_t by_hand = SMRF_NEVER;
    sm_traffic(const sc_core::sc_module_name &name, uint16_t sm, uint64_t period_ps,
               uint64_t window, uint32_t response_interval = 0)
        : sc_module(name), port("port", options(sm, period_ps, response_interval), events()),
          window_(std::max<uint64_t>(window, 1)), strict_(window != 0), period_ps_(period_ps)
    {
        if (window != by_hand) {
            SC_METHOD(run);
        }
    }

    smrf::memory_port port;              // destroyed last of all that uses it
    std::deque<smrf_mem_request> wishes; // in order; cycle = not before
    bool record = true;                  // false: nothing is noted, for benchmarks
    std::vector<arrival> arrivals;
    std::vector<smrf_mem_request> sent; // with the cycle in which they left

    // The bytes that a write with this id carries.
    static uint8_t pattern(uint32_t id, unsigned byte)
    {
        return static_cast<uint8_t>(id * 7 + byte + 1);
    }

    void run_cycles(uint64_t count)
    {
        for (uint64_t c = cycle_; c < cycle_ + count; c++) {
            while (!wishes.empty() && wishes.front().cycle <= c) {
                smrf_mem_request r = wishes.front();
                r.cycle = c;
                if (record) {
                    address_[r.id] = r.address;
                }
                if (!port.send(r)) {
                    break;
                }
                if (record) {
                    sent.push_back(r);
                }
                wishes.pop_front();
            }
        }
        cycle_ += count;
        if (strict_) {
            port.set_open_cycle(cycle_);
        }
    }

    bool done() const
    {
        return wishes.empty() && port.idle();
    }

  private:
    static smrf::memory_port_options options(uint16_t sm, uint64_t period, uint32_t interval)
    {
        smrf::memory_port_options o;
        o.sm = sm;
        o.period_ps = period;
        o.bus.response_cycles = interval;
        return o;
    }
    smrf::memory_port_events events()
    {
        smrf::memory_port_events e;
        e.ctx = this;
        e.on_response = [](void *ctx, const smrf_mem_response *r, const uint8_t *data) {
            auto *self = static_cast<sm_traffic *>(ctx);
            if (!self->record) {
                return;
            }
            arrival a = {*r, self->address_[r->id], data != nullptr, {}};
            if (data != nullptr) {
                std::memcpy(a.data.data(), data, a.data.size());
            }
            self->arrivals.push_back(a);
        };
        e.write_data = [](void *, const smrf_mem_request *r, uint8_t *data) {
            for (unsigned b = 0; b < SMRF_SECTOR_BYTES; b++) {
                data[b] = pattern(r->id, b);
            }
            return UINT32_MAX;
        };
        return e;
    }

    void run()
    {
        run_cycles(window_);
        if (!wishes.empty()) {
            const auto ps = sc_core::sc_time(1, sc_core::SC_PS).value();
            next_trigger(sc_core::sc_time::from_value(window_ * period_ps_ * ps));
        }
    }

    const uint64_t window_;
    const bool strict_;
    const uint64_t period_ps_;
    uint64_t cycle_ = 0;
    std::map<uint32_t, uint64_t> address_;
};

} // namespace smrf_test

#endif
