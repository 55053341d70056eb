// SPDX-License-Identifier: Apache-2.0
// A register bank as a TLM memory of 128-byte words: address = row x 128, data = 32 lanes of 4
// bytes, byte enables as the standard has them. The word behind the last row stands for registers
// without a row: it reads as zero and drops writes. The version of the extension, where there is
// one, travels with the data and changes nothing else. An ignored command is an access of its port
// that moves nothing.
//
// read_in comes from the crossbar, write_in from write-back; the arbiter sees to it that only one
// of them is used in a step. BEGIN_REQ is answered with TLM_COMPLETED, annotated with the access
// time. transport_dbg reads and writes without taking the port.
#ifndef SMRF_BANK_MODULE_H
#define SMRF_BANK_MODULE_H

#include "models/bank/bank.h"
#include "models/tlm/ports.h"
#include "models/tlm/rf_extension.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class bank_module : public sc_core::sc_module
{
  public:
    // access: from grant to data. core: nullptr: its own.
    bank_module(const sc_core::sc_module_name &name, uint32_t rows, const sc_core::sc_time &access,
                smrf_bank *core = nullptr);

    tlm::tlm_sync_enum take_read(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay);
    tlm::tlm_sync_enum take_write(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    unsigned look(tlm::tlm_generic_payload &gp);

  private:
    // All that a read touches, and then what a write touches besides.
    alignas(64) const carried<smrf_bank> core_;
    sc_core::sc_time access_;

  public:
    target_ports<bank_module, 1, &bank_module::take_read, &bank_module::look> read_in{"read_in",
                                                                                      *this, 1};
    target_ports<bank_module, 1, &bank_module::take_write, &bank_module::look> write_in{"write_in",
                                                                                        *this, 1};

    smrf_bank *core()
    {
        return core_.get();
    }
    // As after construction; set_access() stays.
    void reset()
    {
        smrf_bank_reset(core_.get());
    }
    // From a grant to the data.
    const sc_core::sc_time &access() const
    {
        return access_;
    }
    // From the next access on.
    void set_access(const sc_core::sc_time &access)
    {
        access_ = access;
    }

  private:
    // count: of an access whose value is not needed.
    template <class Count>
    tlm::tlm_sync_enum serve(tlm::tlm_generic_payload &gp, const tlm::tlm_phase &phase,
                             sc_core::sc_time &delay, Count count);
    // Moves a value. Not inlined into serve(), which stays short when values do not matter.
    [[gnu::noinline]] tlm::tlm_sync_enum move(tlm::tlm_generic_payload &gp, uint32_t row);
    void read(tlm::tlm_generic_payload &gp, uint32_t row);
    void write(tlm::tlm_generic_payload &gp, uint32_t row);

    zeroed_ptr<smrf_bank_row[]> rows_; // of its own
    zeroed_ptr<smrf_bank_tag[]> tags_;
};

} // namespace smrf

#endif
