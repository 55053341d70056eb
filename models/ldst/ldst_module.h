// SPDX-License-Identifier: Apache-2.0
// Sockets of the load/store unit inside the SM: it asks the mapping controller about loads, and
// tells it of stores, fences and ended loads.
//
// | socket     | what passes                                                            | address |
// | ---------- | ----------------------------------------------------------------------- | -------
// | | map_out[0] | write: a question or what is told (SMRF_QUESTION_WORDS); after a question |
// flight  | |            | a read: the answer (SMRF_ANSWER_WORDS) |         |
//
// Words: models/wires/words.h. All are completed at once.
#ifndef SMRF_LDST_MODULE_H
#define SMRF_LDST_MODULE_H

#include "models/seam/memory_seam.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/wires/words.h"

namespace smrf
{

class ldst_module : public sc_core::sc_module
{
  public:
    struct place {
        window_clock *clock;
        rf_pool *pool;
    };

    // mapped: there is a mapping controller; without one there are no sockets.
    ldst_module(const sc_core::sc_module_name &name, bool mapped, const place &p);

    initiator_ports<ldst_module, 1> map_out;

    // The cores' wires, as in struct smrf_wires.
    unsigned map(smrf_map_question question, const smrf_memory_request &r,
                 smrf_memory_answer &answer);
    void stored(const smrf_memory_request &r);
    void tell(smrf_map_question what, uint32_t flight);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    void ask(smrf_map_question question, const smrf_memory_request &r);

    const place place_;
    port_payload question_, answer_;
};

} // namespace smrf

#endif
