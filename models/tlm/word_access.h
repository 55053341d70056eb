// SPDX-License-Identifier: Apache-2.0
// Accesses of one 32-bit word at a block's target socket.
#ifndef SMRF_TLM_WORD_ACCESS_H
#define SMRF_TLM_WORD_ACCESS_H

#include "models/tlm/ports.h"
#include "models/wires/words.h"

#include <cstring>

namespace smrf
{

// Is it four bytes written to an address below `limit`? Then they are *word.
inline bool take_word(const tlm::tlm_generic_payload &gp, const tlm::tlm_phase &phase,
                      uint64_t limit, uint32_t &word)
{
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || gp.get_data_length() != sizeof word ||
        gp.get_address() >= limit) {
        return false;
    }
    std::memcpy(&word, gp.get_data_ptr(), sizeof word);
    return true;
}

// Write-back takes a bank for a write: take(bank) says whether it is free.
template <class Take>
tlm::tlm_sync_enum answer_bank(sc_core::sc_object &where, tlm::tlm_generic_payload &gp,
                               const tlm::tlm_phase &phase, uint32_t banks, Take take)
{
    if (phase != tlm::BEGIN_REQ || !gp.is_read() || gp.get_data_length() != sizeof(uint32_t) ||
        gp.get_address() >= banks) {
        return protocol_error(where, "a write takes a bank by reading 4 bytes at its number", gp);
    }
    const uint32_t word =
        take(static_cast<unsigned>(gp.get_address())) ? SMRF_WORD_YES : SMRF_WORD_NO;
    std::memcpy(gp.get_data_ptr(), &word, sizeof word);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf

#endif
