// SPDX-License-Identifier: Apache-2.0
// The collectors of a mechanism as a block of a sub-core: caching collector units, for instance.
// The mechanism's C functions decide; this carries what comes and goes on its ports:
//
//   port_s[c]   unit c: a write of a source that has come from its bank (128 bytes; extension:
//   flight,
//               slot = operand, version). -> collector seam, arrive
//   port_d[0]   a write of a result that its bank has taken (128 bytes, the whole row; extension:
//               flight, slot = destination, lanes). Comes back with `kept`. -> collector seam,
//               write
//   port_r[0]   a read of 8 bytes: the warps (bit k) that go before others. -> allocation seam,
//               preferred; a debug read tells the same
//
// All are completed at once, in the cycle of their annotation.
#ifndef SMRF_MECHANISM_MODULE_H
#define SMRF_MECHANISM_MODULE_H

#include "models/seam/mechanism.h"
#include "models/sm/sm.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"

namespace smrf
{

class mechanism_module : public sc_core::sc_module
{
  public:
    struct place {
        smrf_sm *sm;
        const smrf_mechanism *mechanism;
        void *state; // of the mechanism
        unsigned sub;
        uint32_t units; // collector units of the sub-core
    };

    mechanism_module(const sc_core::sc_module_name &name, const place &p);

  private:
    // A group of ports that ends in one function.
    struct group {
        mechanism_module *own;
        tlm::tlm_sync_enum (mechanism_module::*take)(unsigned port, tlm::tlm_generic_payload &gp);

        tlm::tlm_sync_enum fw(unsigned port, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                              sc_core::sc_time &)
        {
            return phase == tlm::BEGIN_REQ
                       ? (own->*take)(port, gp)
                       : protocol_error(*own, "a port takes whole accesses", gp);
        }
        unsigned debug(unsigned, tlm::tlm_generic_payload &gp)
        {
            return own->debug(gp, take == &mechanism_module::status);
        }
    };

    tlm::tlm_sync_enum source(unsigned unit, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum result(unsigned, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum status(unsigned, tlm::tlm_generic_payload &gp);
    unsigned debug(tlm::tlm_generic_payload &gp, bool is_status);
    uint64_t preferred() const;

    const place place_;
    group s_{this, &mechanism_module::source}, d_{this, &mechanism_module::result},
        r_{this, &mechanism_module::status};

  public:
    target_ports<group> port_s;
    target_ports<group, 1> port_d, port_r;
};

} // namespace smrf

#endif
