// SPDX-License-Identifier: Apache-2.0
// The GPU as SystemC modules: the SMs, the in-tree memory behind their sockets unless another
// TLM-2.0 target is bound, and the process that opens and closes windows.
//
// A window: every SM that has work runs in the first evaluation phase; SMs that stopped for a
// thread block are served and run on in the delta cycles that follow; then the memory is run up to
// the window's end, and simulated time moves there. With a foreign memory that announces its answers
// min_latency cycles ahead, windows are that long. With one whose latency is not known they are one
// cycle long, and open some delta cycles into their time step, so that they see the answers that it
// brings; answers of still later delta cycles are seen a cycle later. Between windows the GPU sleeps
// until an SM has something to do or an answer comes.
//
// Cycle 0 is time 0. Simulated time may pass without this module while no launch is running; the
// next launch then begins in the cycle that has come.
#ifndef SMRF_GPU_MODULE_H
#define SMRF_GPU_MODULE_H

#include "models/memory/memory_module.h"
#include "models/sm/sm_module.h"
#include "models/tlm/protocol_monitor.h"
#include "platform/gpu/hooks.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/interval.h"

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
        bool foreign_memory = false; // memory_socket(i) is bound from outside
        uint32_t foreign_latency =
            0; // cycles that it takes at least and announces ahead; 0 = unknown
    };

    SC_HAS_PROCESS(gpu_module);
    gpu_module(const sc_core::sc_module_name &name, const smrf_config &cfg, const options &o);
    ~gpu_module() override;

    // Memory socket of an SM: a plain TLM-2.0 initiator, base protocol, 32-byte sectors.
    tlm::tlm_initiator_socket<> &memory_socket(uint32_t sm);
    uint32_t sms() const
    {
        return cfg_.gpu.sms;
    }
    const smrf_config &config() const
    {
        return cfg_;
    }

    // Replay this trace (between runs). Not closed here.
    int load(smrf_trace *trace);
    // Go no further than this cycle; then the simulation is paused (sc_pause) with ended() set.
    void set_limit(uint64_t cycle);
    // enum smrf_run_end or an error, when the simulation has paused; `running` while the run lasts,
    // and where it has run dry: a foreign memory owes an answer and nothing is left to happen.
    static constexpr int running = 1 << 16;
    int ended() const
    {
        return ended_;
    }
    const smrf_machine *machine();
    const char *error() const
    {
        return smrf_gpu_error(&gpu_);
    }

  private:
    enum class phase { OPEN, SERVE, CLOSE };

    void step();
    void open();
    void serve();
    void close();
    int begin_kernel();
    int end_kernel();
    void pause(int how);
    void cut_off(uint64_t cycle, int how);
    bool start_ready();
    uint64_t next_event() const;
    uint64_t next_window() const;
    bool sleep(uint64_t cycle);
    uint64_t this_cycle() const;
    void wait_until(uint64_t cycle);
    int sm_error() const;

    const smrf_config cfg_;
    const options options_;
    const sc_core::sc_time period_;
    uint32_t quantum_;
    smrf_gpu gpu_{};
    smrf_interval interval_{};
    smrf_machine machine_{};
    std::vector<std::unique_ptr<sm_module>> sms_;
    std::unique_ptr<memory_module> memory_;
    std::vector<std::unique_ptr<protocol_monitor>> monitors_;
    std::vector<smrf_sm *> cores_;
    std::vector<void *> mechanism_states_;
    std::vector<smrf_simt_log *> logs_;
    sc_core::sc_event activity_{"activity"}; // a foreign memory has answered, or a run begins
    unsigned settling_ = 0;                  // delta cycles waited, see sleep()
    phase phase_ = phase::OPEN;
    uint64_t cycle_ = 0, until_ = 0, limit_ = 0;
    int ended_ = SMRF_RUN_LIMIT; // no run has begun
};

} // namespace smrf

#endif
