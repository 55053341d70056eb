// SPDX-License-Identifier: Apache-2.0
// The GPU as SystemC modules: the SMs, the in-tree memory behind their sockets unless another
// TLM-2.0 target is bound, and the process that does what the window says (window.h).
//
// Every SM that has work in a window runs in its first evaluation phase; SMs that stopped for a
// thread block are served and run on in the delta cycles that follow; then simulated time moves to
// the window's end. With a foreign memory that announces its answers foreign_latency cycles ahead,
// windows are that long. With one whose latency is not known they are one cycle long, and open some
// delta cycles into their time step, so that they see the answers that it brings; answers of still
// later delta cycles are seen a cycle later. Between windows the GPU sleeps until an SM has
// something to do or an answer comes.
//
// Cycle 0 is the time at which the first launch begins. The clock stands still while no launch
// runs.
#ifndef SMRF_GPU_MODULE_H
#define SMRF_GPU_MODULE_H

#include "models/blocks/sm_module.h"
#include "models/memory/memory_module.h"
#include "models/tlm/connections.h"
#include "models/tlm/has_process.h"
#include "platform/crew/crew.h"
#include "platform/gpu/hooks.h"
#include "platform/gpu/window.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace smrf
{

class gpu_module : public sc_core::sc_module
{
  public:
    struct options {
        const smrf_mechanism *mechanism;
        smrf_gpu_hooks hooks;
        bool foreign_memory = false;   // memory_socket(i) is bound from outside
        bool foreign_overlaps = false; // annotated times of its answers may be equal
        uint32_t foreign_latency =
            0; // cycles that it takes at least and announces ahead; 0 = unknown
        std::function<void()> on_end; // ended() has been set; may be empty
    };

    SMRF_HAS_PROCESS(gpu_module);
    gpu_module(const sc_core::sc_module_name &name, const smrf_config &cfg, const options &o);
    ~gpu_module() override;

    // Memory socket of an SM: a plain TLM-2.0 initiator, base protocol, 32-byte sectors.
    tlm::tlm_initiator_socket<> &memory_socket(uint32_t sm)
    {
        return *memory_sockets_[sm];
    }
    uint32_t sms() const
    {
        return cfg_.gpu.sms;
    }
    const smrf_config &config() const
    {
        return cfg_;
    }

    // Replay this trace (between runs). Not closed here. Returns 0 or SMRF_ERR_STATE: a launch is
    // running.
    int load(smrf_trace *trace);
    // As after elaboration, with no trace loaded (between runs; the trace is open still). Simulated
    // time goes on: cycle 0 is then the first that has not come, and into which no access reaches.
    // Returns 0, what the mechanism says, or SMRF_ERR_STATE: a memory access is under way.
    int reset();
    // Run, no further than this cycle; then ended() is set and on_end called. Simulated time is the
    // kernel's: this module neither starts nor pauses nor stops it.
    void set_limit(uint64_t cycle);
    // End the present run here. Nothing but a reset may follow.
    void abandon();
    // For a reset: have the in-tree memory answer what is under way, ahead of time. False: a
    // foreign memory owes answers still, of which activity() tells.
    bool drain();
    const sc_core::sc_event &activity() const
    {
        return activity_;
    }
    // enum smrf_run_end or an error, when the run has ended; `running` while it lasts, and where it
    // has run dry: a foreign memory owes an answer and nothing is left to happen.
    static constexpr int running = 1 << 16;
    int ended() const
    {
        return ended_;
    }
    const smrf_machine &machine() const
    {
        return window_.machine;
    }
    const smrf_machine &counted();
    const char *error() const
    {
        return smrf_gpu_error(&window_.gpu);
    }

  private:
    struct crew_deleter {
        void operator()(smrf_crew *crew) const
        {
            smrf_crew_destroy(crew);
        }
    };
    struct window : smrf_window {
        ~window()
        {
            smrf_window_free(this);
        }
    };

    void build_sm(uint32_t i);
    void step();
    bool carry_out(smrf_window_step what); // false: the process waits
    void run_side_by_side();
    void advance_memory(uint64_t cycle);
    int begin_kernel();
    void sleep(uint64_t cycle);
    void hold_clock();
    void end(int how);
    bool ports_idle() const;
    // Sockets take whole-cycle annotated delays. The view scoreboard differs within SMs alone.
    bool annotates() const
    {
        return cfg_.sim.view == SMRF_VIEW_AT || cfg_.sim.view == SMRF_VIEW_SCOREBOARD;
    }
    // What the memory answers is known ahead: its own, unless every phase is to come at its time.
    bool announced() const
    {
        return memory_ && annotates();
    }
    uint64_t come() const;
    sc_core::sc_time::value_type since_origin() const;

    const smrf_config cfg_;
    const options options_;
    const sc_core::sc_time period_;
    // SMs, memory and the reading of the trace on several threads; null: one thread. The kernel's
    // thread distributes the work and passes the results on. No other thread enters the kernel or a
    // foreign module.
    std::unique_ptr<smrf_crew, crew_deleter> crew_;
    window window_{};
    slab cores_; // of the SMs
    std::vector<std::unique_ptr<sm_module>> sms_;
    std::unique_ptr<memory_module> memory_;
    connections links_;
    std::vector<tlm::tlm_initiator_socket<> *> memory_sockets_; // or the monitors' behind them
    uint64_t beside_ = 0;                    // to here the memory is run while the SMs run
    sc_core::sc_event activity_{"activity"}; // a foreign memory has answered, or a run begins
    sc_core::sc_time origin_;                // time of cycle 0
    uint64_t drained_ = 0;                   // the memory has been run up to here for a reset
    unsigned settling_ = 0;                  // delta cycles waited, see come()
    int ended_ = SMRF_RUN_LIMIT;             // no run has begun
};

} // namespace smrf

#endif
