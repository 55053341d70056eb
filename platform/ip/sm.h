// SPDX-License-Identifier: Apache-2.0
// An SM as a piece of IP: it replays traces and sends what they access to the memory that is bound.
// A plain module: use it alone, several times, anywhere in a hierarchy. It neither starts nor
// pauses nor stops the simulation.
//
// - memory: TLM initiator, 32 bits: sectors of 32 bytes, base protocol (models/tlm/memory_port.h).
// - reset: sc_in<bool>, active high; may stay unbound. High at time 0, it holds the SM in reset.
#ifndef SMRF_IP_SM_H
#define SMRF_IP_SM_H

#include "models/tlm/has_process.h"
#include "platform/ip/machine.h"
#include "traces/trace.h"

#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

namespace smrf
{

class sm : public sc_core::sc_module
{
  public:
    tlm::tlm_initiator_socket<> memory{"memory"};
    sc_core::sc_in<bool> reset{"reset"};

    SMRF_HAS_PROCESS(sm);
    // gpu.sms is 1 here, whatever the options say. Throws std::invalid_argument if the options
    // cannot be built.
    sm(const sc_core::sc_module_name &name, const machine_options &options);
    ~sm() override;

    // Replays a trace after earlier ones. Caches and counters stay as they are. Any process, any
    // time.
    void start(const std::string &trace);
    // Replays instructions that a function writes (traces/trace.h: smrf_trace_writer_*). The
    // function is called at once. Returns its value, or the writer's error; nothing is replayed
    // then.
    int start(const std::function<int(smrf_trace_writer *)> &source);
    // Drops present and waiting traces. The SM is as after elaboration once outstanding accesses
    // have been answered.
    void restart();
    bool busy() const
    {
        return running_ || !waiting_.empty() || reset_pending_;
    }
    // Notified when the last trace or a reset has ended.
    const sc_core::sc_event &idle() const
    {
        return idle_;
    }
    // The end of the latest trace: SMRF_RUN_DONE or an error. An error drops the traces behind it
    // and lasts until a reset; platform() has the text.
    int result() const
    {
        return result_;
    }
    // The SM's platform, for statistics, results and registers. Do not run, reset or destroy it.
    smrf_platform *platform()
    {
        return platform_;
    }

  private:
    void before_end_of_elaboration() override;
    void run();

    smrf_platform *platform_;
    std::deque<std::string> waiting_;
    std::vector<std::string> written_; // folders with the traces of sources
    bool running_ = false, reset_pending_ = false;
    int result_ = SMRF_RUN_DONE;
    sc_core::sc_event work_{"work"}, idle_{"idle"};
    sc_core::sc_signal<bool> no_reset_{"no_reset"};
};

} // namespace smrf

#endif
