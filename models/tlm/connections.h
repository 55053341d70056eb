// SPDX-License-Identifier: Apache-2.0
// The connections inside a module, each through a protocol monitor if that is wished.
#ifndef SMRF_TLM_CONNECTIONS_H
#define SMRF_TLM_CONNECTIONS_H

#include "models/tlm/protocol_monitor.h"

#include <memory>
#include <vector>

namespace smrf
{

class connections
{
  public:
    explicit connections(bool monitors) : monitors_(monitors) {}

    // The socket to be bound in the place of `from`.
    tlm::tlm_initiator_socket<> &behind(tlm::tlm_initiator_socket<> &from,
                                        const protocol_monitor_options &options = {})
    {
        if (!monitors_) {
            return from;
        }
        const std::string name = "monitor_" + std::to_string(list_.size());
        list_.push_back(std::make_unique<protocol_monitor>(name.c_str(), options));
        from.bind(list_.back()->in);
        return list_.back()->out;
    }
    // exclusive: the annotated times of the connection's transactions do not overlap either.
    void connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                 bool exclusive = false)
    {
        protocol_monitor_options options;
        options.annotated_exclusion = exclusive;
        behind(from, options).bind(to);
    }

    uint64_t transactions() const
    {
        uint64_t sum = 0;
        for (const auto &m : list_) {
            sum += m->transactions();
        }
        return sum;
    }
    uint64_t violations() const
    {
        uint64_t sum = 0;
        for (const auto &m : list_) {
            sum += m->violations();
        }
        return sum;
    }
    // For the end of a run that is given up with transactions under way.
    void disable()
    {
        for (const auto &m : list_) {
            m->set_enabled(false);
        }
    }

  private:
    const bool monitors_;
    std::vector<std::unique_ptr<protocol_monitor>> list_;
};

} // namespace smrf

#endif
