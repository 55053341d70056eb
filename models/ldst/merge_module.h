// SPDX-License-Identifier: Apache-2.0
// The merge unit: loads that two registers make up wait here, until both are there if one of them
// is still being loaded, and for the collector unit that reads them. Their parts, which have come
// through banks and crossbar, are shifted and joined; write-back takes the result to a bank's port.
// How long that takes is the execution units' to say (SMRF_UNIT_MERGE).
//
// | socket       | what passes                                              | address   |
// | ------------ | --------------------------------------------------------- | --------- |
// | merge_out[s] | read of 4 bytes: does a collector unit hold nothing?      | collector |
// |              | write: the number of a merge, 4 bytes                     | collector |
// | part_in[s]   | write of a part, 128 bytes                                | operand   |
// | merged_in[0] | read of a destination, 128 bytes; a debug read as well    | operand   |
//
// s: sub-core; operand addresses: models/wires/words.h. All are completed at once.
#ifndef SMRF_MERGE_MODULE_H
#define SMRF_MERGE_MODULE_H

#include "models/ldst/merge.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class merge_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum result(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                              sc_core::sc_time &delay);
    unsigned look(tlm::tlm_generic_payload &gp) const;

  public:
    struct place {
        uint32_t subcores;
        bool mapped; // loads are: without that no part comes
        smrf_flights *flights;
        const smrf_wires *wires;
        window_clock *clock;
        rf_pool *pool;
        smrf_merges *core = nullptr; // its own
    };

    merge_module(const sc_core::sc_module_name &name, const place &p);

    initiator_ports<merge_module, SMRF_MAX_SUBCORES> merge_out;
    target_ports<merge_module, SMRF_MAX_SUBCORES> part_in;
    target_ports<merge_module, 1, &merge_module::result, &merge_module::look> merged_in{"merged_in",
                                                                                        *this, 1};

    smrf_merges *core()
    {
        return core_.get();
    }
    // As after construction.
    void reset()
    {
        smrf_merges_reset(core_.get());
    }
    // The core's wires, as in struct smrf_wires.
    bool vacant(unsigned sub, unsigned collector);
    void merge(unsigned sub, unsigned collector, uint32_t flight);

    tlm::tlm_sync_enum fw(unsigned sub, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a merge is taken at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    const smrf_flight *merge_of(const tlm::tlm_generic_payload &gp) const;

    const place place_;
    port_payload vacant_, merge_;
    const carried<smrf_merges> core_;
};

} // namespace smrf

#endif
