// SPDX-License-Identifier: Apache-2.0
// Sockets of the load/store unit inside the SM: instructions come in from their latch, results go
// to write-back, answers to the issue stages; it queries the mapping controller about loads, and
// reports stores, fences and ended loads to it.
//
// | socket        | what passes                                                  | address       |
// | ------------- | ------------------------------------------------------------ | ------------- |
// | access_in[0]  | write: an instruction's number in flight, 4 bytes            | sub-core      |
// | flush_in[s]   | write: a warp slot, 4 bytes: its memory barrier is over      | sub-core      |
// | load_out[0]   | read of 4 bytes: a load offers its results; write of 4: they | SMRF_LOAD     |
// |               | are due without ports                                        |               |
// | later_out[0]  | write of 8 bytes: the cycle in which results come; it may    | flight        |
// |               | follow from an offer that is under way                       |               |
// | answer_out[s] | write: write answers, or the number of an atomic, 4 bytes    | SMRF_ANSWERED |
// | map_out[0]    | write: a question or an event (SMRF_QUESTION_WORDS); after a | flight        |
// |               | question a read of the answer (SMRF_ANSWER_WORDS)            |               |
//
// s: sub-core. Words and addresses: models/wires/words.h. All are completed at once.
#ifndef SMRF_LDST_MODULE_H
#define SMRF_LDST_MODULE_H

#include "models/flight/flight.h"
#include "models/seam/memory_seam.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/wires/words.h"

namespace smrf
{

class ldst_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum taken(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay);
    tlm::tlm_sync_enum barrier_over(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);

  public:
    struct place {
        unsigned subcores;
        bool mapped; // there is a mapping controller; without one it has no sockets to it
        const smrf_flights *flights;
        window_clock *clock;
        rf_pool *pool;
        const smrf_wires *ends; // the targets call its access
    };

    ldst_module(const sc_core::sc_module_name &name, const place &p);

  private:
    alignas(64) const place place_;
    port_payload offer_, portless_, later_;

  public:
    target_ports<ldst_module, 1, &ldst_module::taken> access_in{"access_in", *this, 1};
    initiator_ports<ldst_module, 1> load_out{"load_out", *this, 1};
    target_ports<ldst_module, SMRF_MAX_SUBCORES, &ldst_module::barrier_over> flush_in;
    initiator_ports<ldst_module, 1> later_out{"later_out", *this, 1};
    initiator_ports<ldst_module, SMRF_MAX_SUBCORES> answer_out;
    initiator_ports<ldst_module, 1> map_out;

    // The cores' wires, as in struct smrf_wires.
    bool offer(uint32_t flight, bool last);
    void portless(uint32_t flight);
    void later(uint32_t flight, uint64_t due);
    void answered(uint32_t flight);
    void stores(unsigned warp, int32_t delta);
    unsigned map(smrf_map_question question, const smrf_memory_request &r,
                 smrf_memory_answer &answer);
    void stored(const smrf_memory_request &r);
    void report(smrf_map_question what, uint32_t flight);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    void ask(smrf_map_question question, const smrf_memory_request &r);

    port_payload answered_, stores_, question_, answer_;
};

} // namespace smrf

#endif
