// SPDX-License-Identifier: Apache-2.0
// A memory socket of another bus width. The width of a TLM-2.0 socket is part of its type and of
// nothing that passes through it, so that everything is handed on as it is.
#ifndef SMRF_TLM_WIDTH_BRIDGE_H
#define SMRF_TLM_WIDTH_BRIDGE_H

#include <systemc>
#include <tlm>

namespace smrf
{

template <unsigned Width>
class width_bridge : public sc_core::sc_module,
                     private tlm::tlm_fw_transport_if<>,
                     private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_target_socket<> in{"in"};
    tlm::tlm_initiator_socket<Width> out{"out"};

    explicit width_bridge(const sc_core::sc_module_name &name) : sc_core::sc_module(name)
    {
        in.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
        out.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    }

  private:
    using payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        return out->nb_transport_fw(gp, phase, delay);
    }
    void b_transport(payload &gp, sc_core::sc_time &delay) override
    {
        out->b_transport(gp, delay);
    }
    bool get_direct_mem_ptr(payload &gp, tlm::tlm_dmi &dmi) override
    {
        return out->get_direct_mem_ptr(gp, dmi);
    }
    unsigned transport_dbg(payload &gp) override
    {
        return out->transport_dbg(gp);
    }
    tlm::tlm_sync_enum nb_transport_bw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        return in->nb_transport_bw(gp, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override
    {
        in->invalidate_direct_mem_ptr(start, end);
    }
};

} // namespace smrf

#endif
