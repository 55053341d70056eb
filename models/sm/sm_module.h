// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: the modules of its blocks, the sockets between them, the outer memory
// socket, and one process that runs the SM's script.
//
//   issue ──► collectors ──read──► crossbar ──► banks ◄── write-back
//     │           └──request──► arbiter (its core grants the reads and the writes)
//     │   port R ◄── mechanism's collectors, if there are any ◄── port S: sources, port D: results
//     └─► SIMT stack
//
// A window is started with start(): the process runs the script up to a cycle, or until the SM wants
// a thread block. The process runs once a window, however many cycles it simulates.
#ifndef SMRF_SM_MODULE_H
#define SMRF_SM_MODULE_H

#include "models/arbiter/arbiter_module.h"
#include "models/bank/bank_module.h"
#include "models/collector/collector_module.h"
#include "models/issue/issue_module.h"
#include "models/seam/mechanism_module.h"
#include "models/simt_stack/simt_stack_module.h"
#include "models/sm/sm.h"
#include "models/tlm/memory_port.h"
#include "models/tlm/ports.h"
#include "models/tlm/protocol_monitor.h"
#include "models/xbar/xbar_module.h"

#include <array>
#include <memory>

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
    uint64_t monitored() const;
    uint64_t violations() const;

    // Run in this evaluation phase, up to cycle `until`.
    void start(uint64_t until);

    // Write-back's sockets need no answers.
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a write is completed at once", gp);
    }

  private:
    struct subcore; // the modules of a sub-core and the write-back sockets to it

    void run_window();
    void build_subcore(unsigned sub, smrf_sm_links &links);
    void build_mechanism(unsigned sub, subcore &s);
    void send(initiator_ports<sm_module> &ports, unsigned port, rf_payload &gp);
    void connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                 bool exclusive = true);
    const sc_core::sc_time &delay();
    void write(const smrf_write &w);

    static void to_collector(void *ctx, unsigned sub, unsigned unit, uint32_t slot);
    static void request(void *ctx, unsigned sub, unsigned unit, const smrf_read *reads,
                        unsigned count);
    static uint32_t grant(void *ctx, unsigned sub, const smrf_read *read);
    static void write_back(void *ctx, const smrf_write *w);
    static void source(void *ctx, unsigned sub, unsigned unit, uint32_t slot, unsigned operand,
                       const uint32_t *data, uint32_t version);
    static bool result(void *ctx, unsigned sub, uint32_t slot, unsigned i, const uint32_t *row,
                       uint32_t lanes);
    static uint64_t status(void *ctx, unsigned sub);
    static void control_flow(void *ctx, unsigned warp, const smrf_simt_line *line,
                             smrf_simt_out *out);
    static void on_response(void *ctx, const smrf_mem_response *response, const uint8_t *data);

    struct aligned_delete {
        void operator()(void *p) const;
    };

    const setup setup_;
    const sc_core::sc_time period_;
    rf_pool pool_{"rf_pool"};
    port_payload write_{pool_, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES};
    port_payload status_{pool_, tlm::TLM_READ_COMMAND, sizeof(uint64_t)};
    std::unique_ptr<smrf_sm, aligned_delete> sm_;
    std::unique_ptr<void, aligned_delete> mechanism_state_;
    smrf_wires wires_{};
    smrf_mechanism_wires mechanism_wires_{};
    simt_stack_module simt_;
    std::vector<std::unique_ptr<protocol_monitor>> monitors_;
    std::vector<std::unique_ptr<subcore>> subs_;
    // Of the sub-cores, on the hot path.
    std::array<issue_module *, SMRF_MAX_SUBCORES> issue_{};
    std::array<collector_module *, SMRF_MAX_SUBCORES> collectors_{};
    sc_core::sc_event wake_;
    uint64_t until_ = 0;
    sc_core::sc_time delay_;
    uint64_t delay_cycle_ = SMRF_NEVER;
};

} // namespace smrf

#endif
