// SPDX-License-Identifier: Apache-2.0
// A register bank as a TLM memory of 128-byte words. Payload: address = warp register of the SM x
// 128, data = 32 lanes of 4 bytes, byte enables = lanes (writes; reads are whole registers), the
// extension's version travels with the data. Addresses past the SM's registers are RZ: they read
// zeros and drop writes.
//
// read_in comes from the crossbar, write_in from write-back; the arbiter sees to it that only one of
// them is used in a step. BEGIN_REQ is answered with TLM_COMPLETED, annotated with the access time.
// transport_dbg reads and writes without taking the port.
#ifndef SMRF_BANK_MODULE_H
#define SMRF_BANK_MODULE_H

#include "models/bank/bank.h"
#include "models/tlm/ports.h"
#include "models/tlm/rf_extension.h"

#include <vector>

namespace smrf
{

class bank_module : public sc_core::sc_module
{
  public:
    // Registers first .. first + count x banks of the SM, of which this bank holds every banks-th.
    struct shape {
        uint32_t first, rows, banks;
        sc_core::sc_time access; // from grant to data
    };

    bank_module(const sc_core::sc_module_name &name, const shape &s);

    target_ports<bank_module, 1> read_in{"read_in", *this, 1};
    target_ports<bank_module, 1> write_in{"write_in", *this, 1};

    smrf_bank *core()
    {
        return &core_;
    }

    tlm::tlm_sync_enum fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    unsigned debug(unsigned, tlm::tlm_generic_payload &gp);

  private:
    uint32_t row_of(uint64_t address) const;

    const shape shape_;
    const int shift_; // log2(banks), -1 if banks is not a power of two
    std::vector<smrf_bank_row> rows_;
    std::vector<uint32_t> versions_;
    smrf_bank core_{};
};

} // namespace smrf

#endif
