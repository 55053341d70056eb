// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: its cores, the modules around them with sockets between them
// (sm_blocks.h), the outer memory socket, and one process that runs the SM's script.
//
// A window is started with start(): the process runs the script up to a cycle, or until the SM
// wants a thread block. The process runs once a window, however many cycles it simulates.
#ifndef SMRF_BLOCKS_SM_MODULE_H
#define SMRF_BLOCKS_SM_MODULE_H

#include "models/blocks/sm_blocks.h"
#include "models/blocks/sm_cores.h"
#include "models/tlm/has_process.h"
#include "models/tlm/memory_port.h"
#include "models/tlm/zeroed.h"
#include "models/values/stored_values.h"

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
        slab *cores;                 // they lie there
        sc_core::sc_event *activity; // notified when an answer arrives; may be null
        bool monitors = false;       // a protocol monitor on every connection inside
        smrf_bus_params bus = default_bus();
    };

    SMRF_HAS_PROCESS(sm_module);
    sm_module(const sc_core::sc_module_name &name, const setup &s);
    ~sm_module() override;

    memory_port memory; // memory.socket is the SM's outer socket

    smrf_sm *core()
    {
        return sm_;
    }
    void *mechanism_state()
    {
        return mechanism_state_.get();
    }
    smrf_simt_log *simt_log()
    {
        return &simt_log_;
    }
    // NULL in the view scoreboard, in which nothing passes between blocks.
    sm_blocks *blocks()
    {
        return blocks_.get();
    }

    // A kernel begins: its SIMT stacks follow these rules, kept by pointer. Returns 0 or
    // SMRF_ERR_INVAL.
    int begin_kernel(const smrf_sm_kernel &kernel, const smrf_simt_config &simt,
                     uint32_t first_warp);
    // Run in this evaluation phase.
    void start(const smrf_sm_reach &reach);
    // It still does: the view is loosely timed, and an access waits.
    bool running() const
    {
        return running_;
    }
    // Run now; from any thread, while the kernel's waits.
    void run(const smrf_sm_reach &reach);

    // As after elaboration: all blocks, the mechanism's state, the memory port, all counters but
    // those of pools and monitors. No transaction may be under way; thread blocks that are resident
    // are forgotten. Cycle 0 is the time `origin` then. Returns what the mechanism says.
    int reset(const sc_core::sc_time &origin);

    // Cycle 0 is the time `origin` from now on. No window is open.
    void set_origin(const sc_core::sc_time &origin)
    {
        memory.set_origin(origin);
        if (blocks_) {
            blocks_->set_origin(origin);
        }
    }

  private:
    int build();
    void run_started();
    void run_loosely();

    static uint32_t write_data(void *ctx, const smrf_mem_request *request, uint8_t *data);
    static void on_response(void *ctx, const smrf_mem_response *response, const uint8_t *data);

    const setup setup_;
    smrf_sm *sm_ = nullptr; // of the slab
    smrf_sm_cores *cores_ = nullptr;
    zeroed_ptr<void> mechanism_state_;
    zeroed_ptr<smrf_sm_cores_store> store_;
    smrf_simt_log simt_log_{};
    stored_values stored_;
    std::unique_ptr<sm_blocks> blocks_;
    sc_core::sc_event wake_;
    smrf_sm_reach reach_{};
    bool running_ = false;
};

} // namespace smrf

#endif
