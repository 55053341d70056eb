// SPDX-License-Identifier: Apache-2.0
// The execution units of an SM with their write-back. Instructions come from the collectors;
// results go to the banks, and to the operand cache where there is one.
//
// | socket            | what passes                                              | address       |
// | ----------------- | -------------------------------------------------------- | ------------- |
// | dispatch_in[s]    | write: an instruction's number in flight, 4 bytes        | execution unit |
// | drained_out[s]    | write: a latch is free again, 4 bytes (SMRF_WORD_YES)    | execution unit |
// | access_out[0]     | write: an instruction's number, which goes to the        | sub-core      |
// |                   | load/store unit, 4 bytes                                 |               |
// | load_in[0]        | results of loads: models/ldst/ldst_module.h              | SMRF_LOAD     |
// | later_in[0]       | write of 8 bytes: the cycle in which results come        | flight        |
// | port_out[s]       | read of 4 bytes: write-back takes a bank for a write     | bank          |
// | write_out(s)[b]   | write of a warp register, byte enables = lanes, version  | the bank's row |
// | settled_out[s]    | write: an instruction's number, 4 bytes                  | SMRF_RESULT   |
// | forward_out[s]    | write of a result of fixed latency, 128 bytes: the bypass | operand       |
// | result_out[s]     | port D: write of the whole register after it, 128 bytes; | operand       |
// |                   | read of 4: does no bank take it? Write of what none      |               |
// |                   | takes; read of an eviction                               | its token     |
// | merged_out[0]     | read of a merge's result, 128 bytes                      | operand       |
//
// s: sub-core, b: bank; operand addresses: models/wires/words.h. All are completed at once.
#ifndef SMRF_UNITS_MODULE_H
#define SMRF_UNITS_MODULE_H

#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/units/units.h"
#include "models/units/writeback.h"

#include <array>
#include <memory>

namespace smrf
{

class units_module : public sc_core::sc_module
{
    // Results of loads come on a port of their own.
    tlm::tlm_sync_enum load(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                            sc_core::sc_time &delay);
    tlm::tlm_sync_enum schedule(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                sc_core::sc_time &delay);

  public:
    struct place {
        uint32_t rows; // of a bank
        smrf_flights *flights;
        const smrf_wires *wires; // the cores', expected to end in the functions below
        window_clock *clock;
        rf_pool *pool;
        smrf_units *units = nullptr; // nullptr: the module's own, with its own write-back
        smrf_writeback *writeback = nullptr;
    };

    units_module(const sc_core::sc_module_name &name, const smrf_units_config &cfg,
                 const smrf_rf_params &rf, const place &p);

  private:
    alignas(64) const place place_;
    const uint32_t banks_; // of a sub-core
    const carried<smrf_units> units_;
    const carried<smrf_writeback> writeback_;
    port_payload drained_, port_, write_, settled_, access_, released_, retired_;

  public:
    initiator_ports<units_module, SMRF_MAX_SUBCORES> drained_out, port_out, settled_out;
    target_ports<units_module, SMRF_MAX_SUBCORES> dispatch_in;

  private:
    // write_out_s_b, by sub-core and bank
    initiator_ports<units_module, SMRF_MAX_SUBCORES * SMRF_MAX_BANKS> write_out_;

  public:
    target_ports<units_module, 1, &units_module::load> load_in{"load_in", *this, 1};
    initiator_ports<units_module, 1> access_out{"access_out", *this, 1};
    target_ports<units_module, 1, &units_module::schedule> later_in{"later_in", *this, 1};
    initiator_ports<units_module, SMRF_MAX_SUBCORES> result_out;
    initiator_ports<units_module, SMRF_MAX_SUBCORES> forward_out; // where there is a bypass
    initiator_ports<units_module, 1> merged_out{"merged_out", *this, 1};
    tlm::tlm_initiator_socket<> &write_out(unsigned sub, unsigned bank)
    {
        return write_out_[bank_of(sub, bank)];
    }

    smrf_units *units()
    {
        return units_.get();
    }
    smrf_writeback *writeback()
    {
        return writeback_.get();
    }
    // As after construction.
    void reset()
    {
        smrf_units_reset(units_.get());
        smrf_writeback_reset(writeback_.get());
    }

    // The cores' wires, as in struct smrf_wires.
    void drained(unsigned sub, unsigned unit);
    void access(uint32_t flight);
    bool port(unsigned sub, unsigned bank);
    void released(uint32_t flight, unsigned reg);
    void retired(uint32_t flight);
    void settled(uint32_t flight);
    bool alone(uint32_t flight, unsigned i);
    void write(const smrf_write &w);
    void forward(const smrf_write &w);
    bool result(const smrf_write &w);
    void keep(const smrf_write &w);
    uint32_t evict(unsigned sub, uint32_t token, uint32_t *data, uint32_t *version);
    void merged(uint32_t flight, unsigned i, uint32_t *data);

    tlm::tlm_sync_enum fw(unsigned sub, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a write is completed at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    void settle(port_payload &t, uint32_t flight, uint64_t address);

    unsigned bank_of(unsigned sub, unsigned bank) const
    {
        return sub * banks_ + bank;
    }
    const sc_core::sc_time &now() const
    {
        return place_.clock->delay();
    }

    port_payload forward_, alone_, result_, keep_, eviction_, merged_;
    const zeroed_ptr<smrf_writeback_store> store_; // of its own write-back
};

} // namespace smrf

#endif
