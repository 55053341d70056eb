// SPDX-License-Identifier: Apache-2.0
// The collector units of a register file, of a mechanism's kind, with sockets for an instruction's
// way through them. It enters at `issue`. Its reads go to an arbiter and, once granted, through a
// crossbar. Its operands leave at `operands`. The owner of the stage has the clock and decides what
// happens in a cycle: smrf::register_file, or smrf::clocked_collectors.
#ifndef SMRF_RF_COLLECTOR_STAGE_H
#define SMRF_RF_COLLECTOR_STAGE_H

#include "models/collector/collector_module.h"
#include "models/rf/rf_instruction.h"
#include "models/seam/operand_cache_module.h"
#include "models/tlm/connections.h"
#include "models/tlm/edge_clock.h"
#include "models/tlm/has_process.h"
#include "models/tlm/inlet.h"
#include "models/tlm/zeroed.h"

#include <functional>
#include <memory>
#include <vector>

namespace smrf
{

struct collector_setup {
    smrf_rf_params rf; // at most 15 collectors
    smrf_sm_params sm; // registers and subcores say how many rows there are
    uint32_t warps = 1, registers_per_warp = 1;
    const smrf_mechanism *mechanism =
        nullptr; // the kind of the collectors; nullptr: operand collectors
    smrf_mechanism_setup mechanism_setup{}; // the set-up that the mechanism is built for
    sc_core::sc_time period{1, sc_core::SC_NS};
    bool monitors = false; // a protocol monitor on every connection inside
};

class collector_stage : public sc_core::sc_module
{
  public:
    using wake_call = std::function<void(const sc_core::sc_time &)>;
    using loose_call = decltype(inlet::calls::loosely);

    // wake: there is something to do from that time on. Throws std::invalid_argument if it cannot
    // be built. loosely: what a loosely timed `issue` does.
    collector_stage(const sc_core::sc_module_name &name, const collector_setup &s, wake_call wake,
                    loose_call loosely = nullptr);

    inlet issue;
    outlet operands;
    tlm::tlm_target_socket<> &grant_in()
    {
        return collectors_->grant_in[0];
    }
    tlm::tlm_initiator_socket<> &request_out(unsigned unit)
    {
        return collectors_->request_out[unit];
    }
    tlm::tlm_initiator_socket<> &read_out(unsigned unit)
    {
        return collectors_->read_out[unit];
    }

    // A cycle begins, at this edge; then, in this order, as often as it has steps and issue ports.
    void begin(uint64_t cycle);
    void dispatch();
    void enter();
    // In the place of enter(): the caller has the instruction, which decode() has found good.
    // False: there is no room for it in this cycle.
    bool admit(const smrf_rf_instruction &in);
    bool decode(const tlm::tlm_generic_payload &gp, smrf_rf_instruction &in) const;
    // What becomes of operands, instead of a write to `operands`.
    std::function<void(const smrf_rf_instruction &in, const void *data, size_t bytes)> delivery;

    // A register has been written: what the units hold of it follows.
    void written(unsigned warp, unsigned reg, uint32_t *row);
    bool caches() const
    {
        return cache_ != nullptr;
    }
    smrf_register_place place_of(unsigned warp, unsigned reg) const;
    smrf_flights &flights()
    {
        return *flights_;
    }
    const smrf_collectors *core() const
    {
        return collectors_->core();
    }
    window_clock &clock()
    {
        return clock_;
    }
    uint32_t under_way() const
    {
        return under_way_;
    }
    uint32_t delivered() const
    {
        return delivered_;
    }
    uint64_t violations() const
    {
        return links_.violations();
    }
    // As after elaboration; instructions that wait are answered with an error.
    void reset();

    tlm::tlm_sync_enum fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    void build_cache();
    smrf_wires make_wires();
    void start_warps();
    uint32_t make_flight(const smrf_rf_instruction &in);
    void deliver(uint32_t flight);
    void answer(tlm::tlm_generic_payload &gp, tlm::tlm_response_status how);

    const collector_setup setup_;
    const wake_call wake_;
    uint64_t cycle_ = 0;
    bool values_ = true;
    sc_core::sc_time edge_; // the present cycle's
    rf_pool pool_{"rf_pool"};
    zeroed_ptr<smrf_flights> flights_;
    std::vector<smrf_static_inst> ops_;
    std::vector<smrf_rf_instruction> held_; // by flight
    uint32_t under_way_ = 0, delivered_ = 0;
    zeroed_ptr<void> mechanism_state_;
    smrf_rng rng_{};
    smrf_wires wires_;
    window_clock clock_;
    connections links_{setup_.monitors};
    std::unique_ptr<collector_module> collectors_;
    std::unique_ptr<operand_cache_module> cache_;
    target_ports<collector_stage, 1> dispatch_in_{"dispatch_in", *this, 1};
    initiator_ports<collector_stage, 1> enter_out_{"enter_out", *this, 1};
    initiator_ports<collector_stage, 1> merge_out_{"merge_out", *this, 1};
    std::vector<std::unique_ptr<initiator_ports<collector_stage, 1>>> cache_out_; // ports D and R
};

// The stage with a clock of its own, for register files that others put together.
//
// issue, operands: as smrf::register_file's. request_out, grant_in, read_out: as
// collector_module's, but that a request may take its time; grants and reads are to be completed at
// once. result_in: a write of a whole register, 128 bytes, to its address in smrf::register_file,
// once its bank has it: kinds that keep operands have to be told.
class clocked_collectors : public sc_core::sc_module
{
    tlm::tlm_sync_enum granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);
    edge_clock clock_;

  public:
    SMRF_HAS_PROCESS(clocked_collectors);
    clocked_collectors(const sc_core::sc_module_name &name, const collector_setup &s);

    collector_stage stage;
    inlet result_in;

    tlm::tlm_target_socket<> &grant_in()
    {
        return grant_in_[0];
    }
    tlm::tlm_initiator_socket<> &request_out(unsigned unit)
    {
        return requests_[unit]->socket;
    }
    void reset();

    // A unit's request goes on to the arbiter.
    tlm::tlm_sync_enum fw(unsigned unit, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a grant is completed at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    void take_results();
    void step();

    const uint32_t steps_, warps_, registers_;
    std::vector<std::unique_ptr<outlet>> requests_;
    target_ports<clocked_collectors> request_in_;
    target_ports<clocked_collectors, 1, &clocked_collectors::granted> grant_in_{"grant_in", *this,
                                                                                1};
    initiator_ports<clocked_collectors, 1> grant_out_{"grant_out", *this, 1};
};

} // namespace smrf

#endif
