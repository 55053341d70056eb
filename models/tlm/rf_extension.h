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

// Travels with a warp register beside its bytes. The access works without it.
struct rf_fields {
    uint32_t version = 0; // of the value: which write made it. Written by write-back (writes), the
                          // bank (reads) and the operand cache (hits); kept by the bank, read by
                          // the collectors for the value oracle. 0 = none
    bool kept = false;    // the target holds a copy now: written by the operand cache on its port
                          // D, counted by write-back
};

// One 32-byte sector access that leaves an SM.
struct mem_fields {
    uint32_t id = 0;              // id (uint32_t, unique in flight per SM, load/store unit, 0)
    uint16_t sm = 0;              // sm (uint16_t, index of the SM, memory port, 0)
    uint8_t kind = SMRF_MEM_READ; // kind (enum smrf_mem_kind, -, load/store unit, SMRF_MEM_READ)
    // bytes (uint32_t, a bit each of the sector: that a store writes, whether or not their values
    // are known and so enabled, memory port, all)
    uint32_t bytes = UINT32_MAX;
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
