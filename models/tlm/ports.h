// SPDX-License-Identifier: Apache-2.0
// Sockets of the blocks inside an SM: a plain TLM-2.0 socket whose calls end, with the number of the
// port, in member functions of the block's module. One virtual call a hop, nothing else.
//
// Timing of every transaction inside an SM: the SM runs ahead of simulated time within a window, so
// each call is annotated with the whole cycles from now to the cycle that it belongs to.
#ifndef SMRF_TLM_PORTS_H
#define SMRF_TLM_PORTS_H

#include <systemc>
#include <tlm>

namespace smrf
{

// Target port number `index` of module M. M offers
//   tlm_sync_enum fw(unsigned index, payload &, phase &, sc_time &)  and
//   unsigned debug(unsigned index, payload &).
template <class M> class target_port : public tlm::tlm_target_socket<>, tlm::tlm_fw_transport_if<>
{
  public:
    target_port(const char *name, M &module, unsigned index)
        : tlm::tlm_target_socket<>(name), module_(module), index_(index)
    {
        bind(*static_cast<tlm::tlm_fw_transport_if<> *>(this));
    }

    // Towards the initiator.
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                sc_core::sc_time &delay)
    {
        return (*this)->nb_transport_bw(gp, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        return module_.fw(index_, gp, phase, delay);
    }
    // Blocks inside an SM are driven by its script alone; a blocking call has no place in it.
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &) override
    {
        gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) override
    {
        gp.set_dmi_allowed(false);
        dmi.init();
        dmi.allow_none();
        return false;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
    {
        return module_.debug(index_, gp);
    }

    M &module_;
    const unsigned index_;
};

// Initiator port number `index` of module M. M offers
//   tlm_sync_enum bw(unsigned index, payload &, phase &, sc_time &).
template <class M>
class initiator_port : public tlm::tlm_initiator_socket<>, tlm::tlm_bw_transport_if<>
{
  public:
    initiator_port(const char *name, M &module, unsigned index)
        : tlm::tlm_initiator_socket<>(name), module_(module), index_(index)
    {
        bind(*static_cast<tlm::tlm_bw_transport_if<> *>(this));
    }
    using tlm::tlm_initiator_socket<>::bind;

    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay)
    {
        return (*this)->nb_transport_fw(gp, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        return module_.bw(index_, gp, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    M &module_;
    const unsigned index_;
};

// Answer of a target to a call that its protocol position does not allow.
inline tlm::tlm_sync_enum protocol_error(sc_core::sc_object &where, const char *rule,
                                         tlm::tlm_generic_payload &gp)
{
    SC_REPORT_ERROR("/smrf/tlm/phase", (std::string(where.name()) + ": " + rule).c_str());
    gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf

#endif
