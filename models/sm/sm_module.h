// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: the modules of its blocks, the sockets between them, the outer memory
// socket, and one process that runs the SM's script.
//
//   issue ──► collectors ──read──► crossbar ──► banks ◄──── write-back ◄── units
//    │ │        │  ▲ ▲  └─request─► arbiter ─grant─┐            │           ▲
//    │ │        │  │ └─────────────────────────────┘            │           │
//    │ │        └──┼── dispatch ────────────────────────────────┼───────────┘
//    │ └─ port R ─ operand cache (ports H and S) ◄── port D ────┘
//    └─► SIMT stack
//
//   load/store unit ──► mapping controller, where the mechanism has one
//   merge unit ──► collectors ──part──► merge unit ──► write-back
//
// What is no data (a register is usable, a latch is free, a bank is taken) passes on struct smrf_wires
// as plain calls. So does everything between two of these modules that are bound to each other with
// nobody in between (sm_shortcuts.cpp), unless sim.payloads is on: then, and past a monitor, it is a
// transaction.
//
// A window is started with start(): the process runs the script up to a cycle, or until the SM wants
// a thread block. The process runs once a window, however many cycles it simulates.
#ifndef SMRF_SM_MODULE_H
#define SMRF_SM_MODULE_H

#include "models/arbiter/arbiter_module.h"
#include "models/bank/bank_module.h"
#include "models/collector/collector_module.h"
#include "models/issue/issue_module.h"
#include "models/ldst/ldst_module.h"
#include "models/ldst/merge_module.h"
#include "models/seam/mapping_module.h"
#include "models/seam/operand_cache_module.h"
#include "models/simt_stack/simt_stack_module.h"
#include "models/sm/sm.h"
#include "models/sm/stored_values.h"
#include "models/tlm/connections.h"
#include "models/tlm/memory_port.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/units/units_module.h"
#include "models/xbar/xbar_module.h"

#include <array>
#include <memory>
#include <vector>

namespace smrf
{

class sm_module : public sc_core::sc_module
{
  public:
    struct setup {
        smrf_sm_config cfg;
        uint16_t id;
        const smrf_mechanism *mechanism;
        smrf_mechanism_setup mechanism_setup;
        smrf_inst_source source;
        sc_core::sc_event
            *activity;         // notified when an answer comes that nobody drives; may be null
        bool monitors = false; // a protocol monitor on every connection inside
        smrf_bus_params bus = default_bus();
    };

    SC_HAS_PROCESS(sm_module);
    sm_module(const sc_core::sc_module_name &name, const setup &s);
    ~sm_module() override;

    memory_port memory; // memory.socket is the SM's outer socket

    smrf_sm *core()
    {
        return sm_.get();
    }
    void *mechanism_state()
    {
        return mechanism_state_.get();
    }
    simt_stack_module &simt()
    {
        return simt_;
    }
    rf_pool &pool()
    {
        return pool_;
    }
    // What the monitors inside have seen and found.
    uint64_t monitored() const
    {
        return links_.transactions();
    }
    uint64_t violations() const
    {
        return links_.violations();
    }

    // Run in this evaluation phase, up to cycle `until`.
    void start(uint64_t until);
    // It still does: the view is loosely timed, and an access waits.
    bool running() const
    {
        return running_;
    }
    // Run now; from any thread, while the kernel's waits.
    void run(uint64_t until);

    bank_module &bank(unsigned sub, unsigned index);

    // As after elaboration: all blocks, the mechanism's state, the memory port, all counters but those
    // of pools and monitors. No transaction may be under way; thread blocks that are resident are
    // forgotten. Cycle 0 is the time `origin` then. Returns what the mechanism says.
    int reset(const sc_core::sc_time &origin);

    // Cycle 0 is the time `origin` from now on. No window is open.
    void set_origin(const sc_core::sc_time &origin)
    {
        memory.set_origin(origin);
        clock_.reset(origin);
    }

  private:
    struct subcore {
        std::unique_ptr<issue_module> issue;
        std::unique_ptr<collector_module> collectors;
        std::unique_ptr<xbar_module> xbar;
        std::unique_ptr<arbiter_module> arbiter;
        std::vector<std::unique_ptr<bank_module>> banks;
        std::unique_ptr<operand_cache_module> cache; // where the mechanism has one
    };
    // Of a sub-core, what is called in every cycle.
    struct subcore_cores {
        smrf_collectors *collectors;
        smrf_arbiter *arbiter;
        smrf_xbar *xbar;
        smrf_operand_cache *cache;
        bank_module *bank[SMRF_MAX_BANKS];
    };

    // Of a wire's context.
    static sm_module &module_of(void *ctx)
    {
        return *static_cast<sm_module *>(ctx);
    }

    void end_of_elaboration() override;
    void shorten_issue();
    void shorten_reading();
    void shorten_writing();
    void shorten_cache();
    void run_started();
    void run_loosely();
    smrf_wires make_wires();
    void build_subcore(unsigned sub, smrf_sm_links &links);
    void build_cache(unsigned sub, subcore &s);
    void connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                 bool exclusive = true);

    static uint32_t write_data(void *ctx, const smrf_mem_request *request, uint8_t *data);
    static void on_response(void *ctx, const smrf_mem_response *response, const uint8_t *data);

    const setup setup_;
    rf_pool pool_{"rf_pool"};
    zeroed_ptr<smrf_sm> sm_;
    zeroed_ptr<void> mechanism_state_;
    zeroed_ptr<smrf_flights> flights_;
    stored_values stored_;
    zeroed_ptr<smrf_bank_row[]> rows_; // of all banks
    zeroed_ptr<uint32_t[]> versions_;  // .. the same
    smrf_wires wires_;
    window_clock clock_;
    units_module units_;
    ldst_module ldst_;
    merge_module merge_;
    std::unique_ptr<mapping_module> mapping_; // where the mechanism has one
    simt_stack_module simt_;
    connections links_;
    std::vector<std::unique_ptr<subcore>> subs_;
    // Of the sub-cores, on the hot path.
    std::array<issue_module *, SMRF_MAX_SUBCORES> issue_{};
    std::array<collector_module *, SMRF_MAX_SUBCORES> collectors_{};
    std::array<arbiter_module *, SMRF_MAX_SUBCORES> arbiter_{};
    std::array<subcore_cores, SMRF_MAX_SUBCORES> core_{};
    sc_core::sc_event wake_;
    uint64_t until_ = 0;
    bool running_ = false;
};

} // namespace smrf

#endif
