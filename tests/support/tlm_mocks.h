// SPDX-License-Identifier: Apache-2.0
// TLM peers for tests that do as they are told. The test calls them between sc_start() calls, so
// that a protocol sequence reads from top to bottom.
#ifndef SMRF_TESTS_TLM_MOCKS_H
#define SMRF_TESTS_TLM_MOCKS_H

#include <systemc>
#include <tlm>

#include <functional>
#include <vector>

namespace smrf_test
{

inline sc_core::sc_time ps(uint64_t n)
{
    return sc_core::sc_time::from_value(n * sc_core::sc_time(1, sc_core::SC_PS).value());
}

inline sc_core::sc_time ns(uint64_t n)
{
    return ps(1000 * n);
}

inline tlm::tlm_sync_enum nb_fw(tlm::tlm_fw_transport_if<> &to, tlm::tlm_generic_payload &gp,
                                tlm::tlm_phase phase,
                                sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
{
    return to.nb_transport_fw(gp, phase, delay);
}

inline tlm::tlm_sync_enum nb_bw(tlm::tlm_bw_transport_if<> &to, tlm::tlm_generic_payload &gp,
                                tlm::tlm_phase phase,
                                sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
{
    return to.nb_transport_bw(gp, phase, delay);
}

// Records every forward call and answers as `fw` says (default: TLM_ACCEPTED).
class mock_target : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>
{
  public:
    struct call {
        tlm::tlm_generic_payload *gp;
        tlm::tlm_phase phase;
        sc_core::sc_time time; // with the annotated delay
    };
    using nb = std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload &, tlm::tlm_phase &,
                                                sc_core::sc_time &)>;

    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<call> calls;
    nb fw;
    std::function<void(tlm::tlm_generic_payload &, sc_core::sc_time &)> b;
    std::function<unsigned(tlm::tlm_generic_payload &)> dbg;
    std::function<bool(tlm::tlm_generic_payload &, tlm::tlm_dmi &)> dmi;

    explicit mock_target(const sc_core::sc_module_name &name) : sc_module(name)
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    }

    tlm::tlm_sync_enum bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase phase,
                          sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        return nb_bw(*socket.operator->(), gp, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        calls.push_back({&gp, phase, sc_core::sc_time_stamp() + delay});
        return fw ? fw(gp, phase, delay) : tlm::TLM_ACCEPTED;
    }
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) override
    {
        if (b) {
            b(gp, delay);
        }
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
    {
        return dbg ? dbg(gp) : 0;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &data) override
    {
        return dmi && dmi(gp, data);
    }
};

// Records every backward call and answers as `bw` says (default: TLM_ACCEPTED).
class mock_initiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};
    std::vector<mock_target::call> calls;
    mock_target::nb bw;
    std::vector<std::pair<sc_dt::uint64, sc_dt::uint64>> invalidated;
    std::function<void()> on_invalidate;

    explicit mock_initiator(const sc_core::sc_module_name &name) : sc_module(name)
    {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    }

    tlm::tlm_sync_enum fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase phase,
                          sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        return nb_fw(*socket.operator->(), gp, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        calls.push_back({&gp, phase, sc_core::sc_time_stamp() + delay});
        return bw ? bw(gp, phase, delay) : tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override
    {
        invalidated.emplace_back(start, end);
        if (on_invalidate) {
            on_invalidate();
        }
    }
};

} // namespace smrf_test

#endif
