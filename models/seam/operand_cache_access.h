// SPDX-License-Identifier: Apache-2.0
// The sockets by which a block that reads operands reaches the operand cache of its sub-core: one
// of each group for every unit, or none where there is no cache.
//
// | socket        | what passes                                               | address |
// | ------------- | --------------------------------------------------------- | ------- |
// | hit_out[c]    | read: which sources are missing, 4 bytes; then each hit,  | operand |
// |               | 128; write of 4 bytes: the instruction leaves its unit    |         |
// | source_out[c] | write of a source that came from its bank, 128 bytes      | operand |
#ifndef SMRF_OPERAND_CACHE_ACCESS_H
#define SMRF_OPERAND_CACHE_ACCESS_H

#include "models/flight/flight.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/wires/wires.h"
#include "models/wires/words.h"

namespace smrf
{

template <class Module> class operand_cache_access
{
  public:
    initiator_ports<Module> hit_out, source_out; // one a unit

    struct place {
        unsigned units;
        const smrf_flights *flights;
        const smrf_wires *wires;
        window_clock *clock;
        rf_pool *pool;
    };

    operand_cache_access(Module &own, const place &p)
        : hit_out("hit_out", own, p.units), source_out("source_out", own, p.units), own_(own),
          place_(p),
          missing_(*p.pool, SMRF_PORT_KIND_missing, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
          hit_(*p.pool, SMRF_PORT_KIND_hit, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
          leave_(*p.pool, SMRF_PORT_KIND_leave, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
          source_(*p.pool, SMRF_PORT_KIND_source, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES)
    {
    }

    // As in struct smrf_wires.
    uint32_t enter(unsigned unit, uint32_t flight, uint32_t (*data)[SMRF_LANES], uint32_t *version)
    {
        uint32_t missing = 0;
        const sc_core::sc_time &now = place_.clock->delay();
        const bool values = *place_.wires->values;
        missing_.begin(smrf_operand_address(flight, SMRF_OPERAND_MASK), &missing);
        send(own_, hit_out, unit, missing_, now, "the operand cache answers at once");
        const uint32_t all =
            static_cast<uint32_t>((UINT64_C(1) << place_.flights->record[flight].num_src) - 1);
        for (uint32_t m = all & ~missing; m; m &= m - 1) {
            const auto i = static_cast<unsigned>(__builtin_ctz(m));
            hit_.begin_read(smrf_operand_address(flight, i), data[i], values);
            send(own_, hit_out, unit, hit_, now, "a hit is delivered at once");
            version[i] = hit_.payload().extension.fields.version;
        }
        return missing;
    }

    void source(unsigned unit, uint32_t flight, unsigned i, const uint32_t *data, uint32_t version)
    {
        source_.begin_write(smrf_operand_address(flight, i), data, *place_.wires->values)
            .extension.fields.version = version;
        send(own_, source_out, unit, source_, place_.clock->delay(),
             "the operand cache takes a source at once");
    }

    void leave(unsigned unit, uint32_t flight)
    {
        leave_.begin(smrf_operand_address(flight, SMRF_OPERAND_MASK), &flight);
        send(own_, hit_out, unit, leave_, place_.clock->delay(),
             "the operand cache lets an instruction leave at once");
    }

  private:
    Module &own_;
    const place place_;
    port_payload missing_, hit_, leave_, source_;
};

} // namespace smrf

#endif
