// SPDX-License-Identifier: Apache-2.0
// Sockets of the blocks inside an SM: plain TLM-2.0 sockets in numbered groups, whose calls end,
// with the number of the port, in member functions of the block's module. These calls are the hot
// path of the model, and all that an SM touches in a cycle should fit into the processor's first
// cache. So a group has only what a call touches in itself (the bound interface of the caller, the
// end point of the callee), and a module declares its groups, payloads and core together, those of
// every cycle first.
//
// Timing of every transaction inside an SM: the SM runs ahead of simulated time within a window, so
// each call is annotated with the whole cycles from now to the cycle that it belongs to.
#ifndef SMRF_TLM_PORTS_H
#define SMRF_TLM_PORTS_H

#include "models/common/smrf_types.h"
#include "models/tlm/payload_pool.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>
#include <vector>

namespace smrf
{

// Most sockets of a group: banks or collector units of a sub-core.
constexpr unsigned max_ports =
    SMRF_MAX_BANKS > SMRF_MAX_COLLECTING ? SMRF_MAX_BANKS : SMRF_MAX_COLLECTING;

// The base class that declares the call: one indirection less than through the derived interface.
using forward_interface = tlm::tlm_fw_nonblocking_transport_if<>;

template <class T> constexpr bool is_given(T)
{
    return !std::is_same_v<T, std::nullptr_t>;
}

// The number of a port, where its module wants it.
template <bool Wanted> struct port_number {
    unsigned number = 0;
};
template <> struct port_number<false> {
};

// Target sockets name_0, name_1, ... of module M. Where M has to know which of them is called, M
// offers
//   tlm_sync_enum fw(unsigned port, payload &, phase &, sc_time &)  and
//   unsigned debug(unsigned port, payload &).
// Otherwise Take is given: all sockets end in this member function of M, at one end point, and
// debug accesses in Look, if it is given, which returns the bytes that it has moved. (They are of
// any type: where GCC watches for undefined behaviour, it does not compare a member with nullptr at
// compile time.)
template <class M, unsigned Most = max_ports, auto Take = nullptr, auto Look = nullptr>
class target_ports
{
  public:
    using socket = tlm::tlm_target_socket<>;

    target_ports(const std::string &name, M &module, unsigned count)
    {
        for (unsigned i = 0; i < count; i++) {
            end &reached = ends_[is_given(Take) ? 0 : i];
            reached.set(module, i);
            sockets_->push_back(std::make_unique<socket>((name + "_" + std::to_string(i)).c_str()));
            (*sockets_)[i]->bind(reached);
        }
    }

    socket &operator[](size_t port)
    {
        return *(*sockets_)[port];
    }
    size_t size() const
    {
        return sockets_->size();
    }

  private:
    class end final : public tlm::tlm_fw_transport_if<>, private port_number<!is_given(Take)>
    {
      public:
        void set(M &module, [[maybe_unused]] unsigned port)
        {
            module_ = &module;
            if constexpr (!is_given(Take)) {
                this->number = port;
            }
        }

        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay) override
        {
            if constexpr (is_given(Take)) {
                return (module_->*Take)(gp, phase, delay);
            } else {
                return module_->fw(this->number, gp, phase, delay);
            }
        }
        // Blocks inside an SM are driven by its script alone; a blocking call has no place in it.
        void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &) override
        {
            gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        }
        // DMI would bypass timing.
        bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) override
        {
            gp.set_dmi_allowed(false);
            dmi.init();
            dmi.allow_none();
            return false;
        }
        unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
        {
            if constexpr (!is_given(Take)) {
                return module_->debug(this->number, gp);
            } else if constexpr (is_given(Look)) {
                return (module_->*Look)(gp);
            } else {
                return 0;
            }
        }

      private:
        M *module_ = nullptr;
    };

    std::array<end, is_given(Take) ? 1 : Most> ends_; // bound by address, so they never move
    const std::unique_ptr<std::vector<std::unique_ptr<socket>>> sockets_{
        std::make_unique<std::vector<std::unique_ptr<socket>>>()};
};

// Initiator sockets name_0, name_1, ... of module M. M offers
//   tlm_sync_enum bw(unsigned port, payload &, phase &, sc_time &).
template <class M, unsigned Most = max_ports> class initiator_ports
{
  public:
    using socket = tlm::tlm_initiator_socket<>;

    initiator_ports() = default;
    initiator_ports(const std::string &name, M &module, unsigned count)
    {
        add(name, module, count);
    }
    // More sockets name_0, name_1, ... behind those that there are.
    void add(const std::string &name, M &module, unsigned count)
    {
        for (unsigned i = 0; i < count; i++) {
            const auto port = static_cast<unsigned>(size());
            sides_->push_back(std::make_unique<side>((name + "_" + std::to_string(i)).c_str(),
                                                     forth_[port], module, port));
        }
    }

    socket &operator[](size_t port)
    {
        return (*sides_)[port]->to;
    }
    size_t size() const
    {
        return sides_->size();
    }

    // Towards the target, from the end of elaboration on.
    tlm::tlm_sync_enum forward(unsigned port, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay)
    {
        return forth_[port]->nb_transport_fw(gp, phase, delay);
    }
    unsigned debug(unsigned port, tlm::tlm_generic_payload &gp)
    {
        return (*this)[port]->transport_dbg(gp);
    }

  private:
    // Notes what it is bound to when elaboration has found it.
    class bound_socket final : public socket
    {
      public:
        bound_socket(const char *name, forward_interface *&forth) : socket(name), forth_(forth) {}

      private:
        void end_of_elaboration() override
        {
            forth_ = this->operator->();
        }
        forward_interface *&forth_;
    };

    class end final : public tlm::tlm_bw_transport_if<>
    {
      public:
        end(M &module, unsigned port) : module_(module), port_(port) {}

        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay) override
        {
            return module_.bw(port_, gp, phase, delay);
        }
        void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

      private:
        M &module_;
        const unsigned port_;
    };

    // What no call towards the target touches.
    struct side {
        bound_socket to;
        end from;
        side(const char *name, forward_interface *&forth, M &module, unsigned port)
            : to(name, forth), from(module, port)
        {
            to.bind(from);
        }
    };

    std::array<forward_interface *, Most> forth_{};
    const std::unique_ptr<std::vector<std::unique_ptr<side>>> sides_{
        std::make_unique<std::vector<std::unique_ptr<side>>>()};
};

// Answer of a target to a call that its protocol position does not allow.
[[gnu::cold]] tlm::tlm_sync_enum protocol_error(sc_core::sc_object &where, const char *rule,
                                                tlm::tlm_generic_payload &gp);

// Send a transaction that its target must complete at once, annotated with `delay`. Returns the
// annotation that comes back. rule: what is broken if it does not.
// Inlined: an indirect call for each port is predicted well, a shared one is not.
template <class M, unsigned Most>
[[gnu::always_inline]] inline sc_core::sc_time
send(sc_core::sc_object &where, initiator_ports<M, Most> &ports, unsigned port,
     tlm::tlm_generic_payload &gp, sc_core::sc_time delay, const char *rule)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (ports.forward(port, gp, phase, delay) != tlm::TLM_COMPLETED || gp.is_response_error()) {
        protocol_error(where, rule, gp);
    }
    return delay;
}

// The same with the payload of a port, which has begun and is counted here.
template <class M, unsigned Most>
[[gnu::always_inline]] inline sc_core::sc_time
send(sc_core::sc_object &where, initiator_ports<M, Most> &ports, unsigned port, port_payload &t,
     const sc_core::sc_time &delay, const char *rule)
{
    t.count();
    return send(where, ports, port, t.payload(), delay, rule);
}

} // namespace smrf

#endif
