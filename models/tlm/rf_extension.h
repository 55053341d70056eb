// SPDX-License-Identifier: Apache-2.0
// What register traffic and memory traffic say about themselves beyond the generic payload.
//
// Both extensions are ignorable: a component that does not know them may treat the payload as the
// plain memory access that it is. All fields stand in one struct each, so that clone and copy_from
// cannot miss one.
#ifndef SMRF_TLM_RF_EXTENSION_H
#define SMRF_TLM_RF_EXTENSION_H

#include "models/common/smrf_mem.h"

#include <tlm>

namespace smrf
{

// One warp-register access between collectors, crossbar, arbiter, banks and write-back. The
// payload itself carries address = phys_reg x 128, data = the register's 32 lanes of 4 bytes,
// byte enables = lanes.
struct rf_fields {
    uint32_t version = 0;  // version (uint32_t, writes of the register, writer of the register, 0)
    uint32_t flight = 0;   // flight (uint32_t, instruction in flight of the SM, issue stage, 0)
    uint32_t lanes = 0;    // lanes (uint32_t, bit l = lane l takes part, request's sender, 0)
    uint16_t phys_reg = 0; // phys_reg (uint16_t, warp register of the SM, renamer, 0)
    uint8_t arch_reg = 0;  // arch_reg (uint8_t, register name in the code, request's sender, 0)
    uint8_t warp = 0;      // warp (uint8_t, warp slot of the SM, request's sender, 0)
    uint8_t collector = 0; // collector (uint8_t, unit of the sub-core, issue stage, 0)
    uint8_t bank = 0;      // bank (uint8_t, bank of the sub-core, request's sender, 0)
    uint8_t slot = 0;      // slot (uint8_t, operand slot of the collector, issue stage, 0)
    bool near = false;     // near (bool, reused soon, annotation of the trace, false)
    bool kept = false;     // kept (bool, the target holds a copy now, mechanism's port D, false)
};

// One 32-byte sector access that leaves an SM.
struct mem_fields {
    uint32_t id = 0;              // id (uint32_t, unique in flight per SM, load/store unit, 0)
    uint16_t sm = 0;              // sm (uint16_t, index of the SM, memory port, 0)
    uint8_t kind = SMRF_MEM_READ; // kind (enum smrf_mem_kind, -, load/store unit, SMRF_MEM_READ)
};

// The TLM side of either: `fields` is all there is.
template <class Fields>
class payload_extension : public tlm::tlm_extension<payload_extension<Fields>>
{
  public:
    Fields fields;

    tlm::tlm_extension_base *clone() const override
    {
        auto *copy = new payload_extension;
        copy->fields = fields;
        return copy;
    }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        fields = static_cast<const payload_extension &>(other).fields;
    }

    // The pooled payload that this object is part of; nullptr for clones and others.
    const tlm::tlm_generic_payload *home() const
    {
        return home_;
    }

  protected:
    const tlm::tlm_generic_payload *home_ = nullptr; // belongs to the object, never copied
};

using rf_extension = payload_extension<rf_fields>;
using mem_extension = payload_extension<mem_fields>;

} // namespace smrf

#endif
