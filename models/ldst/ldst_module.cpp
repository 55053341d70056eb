// SPDX-License-Identifier: Apache-2.0
#include "ldst_module.h"

#include "models/tlm/word_access.h"

#include <cstring>

namespace smrf
{

ldst_module::ldst_module(const sc_core::sc_module_name &name, const place &p)
    : sc_core::sc_module(name), place_(p),
      offer_(*p.pool, SMRF_PORT_KIND_offer, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      portless_(*p.pool, SMRF_PORT_KIND_portless, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      later_(*p.pool, SMRF_PORT_KIND_later, tlm::TLM_WRITE_COMMAND, sizeof(uint64_t)),
      flush_in("flush_in", *this, p.subcores), answer_out("answer_out", *this, p.subcores),
      map_out("map_out", *this, p.mapped ? 1 : 0),
      answered_(*p.pool, SMRF_PORT_KIND_answered, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      stores_(*p.pool, SMRF_PORT_KIND_stores, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      question_(*p.pool, SMRF_PORT_KIND_question, tlm::TLM_WRITE_COMMAND,
                SMRF_QUESTION_WORDS * sizeof(uint32_t)),
      answer_(*p.pool, SMRF_PORT_KIND_answer, tlm::TLM_READ_COMMAND,
              SMRF_ANSWER_WORDS * sizeof(uint32_t))
{
}

tlm::tlm_sync_enum ldst_module::taken(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                      sc_core::sc_time &)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    if (phase == tlm::BEGIN_REQ && gp.is_write() && gp.get_data_length() == sizeof flight) {
        std::memcpy(&flight, gp.get_data_ptr(), sizeof flight);
    }
    if (flight >= SMRF_FLIGHTS || place_.flights->record[flight].unit != SMRF_UNIT_MEM ||
        place_.flights->record[flight].sub != gp.get_address()) {
        return protocol_error(*this, "a memory instruction is expected, at its sub-core", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    place_.ends->access(place_.ends->ctx, flight);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum ldst_module::barrier_over(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                             sc_core::sc_time &)
{
    uint32_t warp = 0;
    if (!take_word(gp, phase, place_.subcores, warp) || warp >= SMRF_MAX_WARPS ||
        (warp & (place_.subcores - 1)) != gp.get_address()) {
        return protocol_error(*this, "a warp's slot is expected, at its sub-core", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    place_.ends->flush(place_.ends->ctx, warp);
    return tlm::TLM_COMPLETED;
}

bool ldst_module::offer(uint32_t flight, bool last)
{
    uint32_t taken = SMRF_WORD_NO;
    offer_.begin(flight * uint64_t{SMRF_LOAD_SPAN} +
                     (last ? SMRF_LOAD_LAST_OFFER : SMRF_LOAD_OFFER),
                 &taken);
    send(*this, load_out, 0, offer_, place_.clock->delay(), "write-back answers an offer at once");
    return taken != SMRF_WORD_NO;
}

void ldst_module::portless(uint32_t flight)
{
    portless_.begin(flight * uint64_t{SMRF_LOAD_SPAN} + SMRF_LOAD_PORTLESS, &flight);
    send(*this, load_out, 0, portless_, place_.clock->delay(),
         "write-back takes results without ports at once");
}

void ldst_module::later(uint32_t flight, uint64_t due)
{
    later_.begin(flight, &due);
    send(*this, later_out, 0, later_, place_.clock->delay(),
         "the execution units take results that come later at once");
}

void ldst_module::answered(uint32_t flight)
{
    answered_.begin(SMRF_ANSWERED_ATOMIC, &flight);
    send(*this, answer_out, place_.flights->record[flight].sub, answered_, place_.clock->delay(),
         "the issue stage takes an answer at once");
}

void ldst_module::stores(unsigned warp, int32_t delta)
{
    stores_.begin(uint64_t{4} * warp, &delta);
    send(*this, answer_out, warp & (place_.subcores - 1), stores_, place_.clock->delay(),
         "the issue stage takes write answers at once");
}

void ldst_module::ask(smrf_map_question question, const smrf_memory_request &r)
{
    uint32_t word[SMRF_QUESTION_WORDS] = {static_cast<uint32_t>(question), r.space, r.inst->mask};
    for (uint32_t lanes = r.inst->mask; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes));
        const uint64_t at = smrf_inst_address(r.inst, lane);
        word[3 + 2 * lane] = static_cast<uint32_t>(at);
        word[4 + 2 * lane] = static_cast<uint32_t>(at >> 32);
    }
    question_.begin(r.flight, word);
    send(*this, map_out, 0, question_, place_.clock->delay(),
         "the mapping controller is asked at any time");
}

unsigned ldst_module::map(smrf_map_question question, const smrf_memory_request &r,
                          smrf_memory_answer &answer)
{
    uint32_t word[SMRF_ANSWER_WORDS] = {};
    ask(question, r);
    answer_.begin(r.flight, word);
    send(*this, map_out, 0, answer_, place_.clock->delay(),
         "the mapping controller answers at once");
    const uint32_t *part = word + 3 + SMRF_MAX_DST;
    answer.delay = word[1];
    answer.collector = static_cast<uint8_t>(word[2]);
    for (unsigned i = 0; i < SMRF_MAX_DST; i++) {
        answer.at[i] = smrf_place_of_word(word[3 + i]);
    }
    for (unsigned i = 0; i < SMRF_MERGE_DST; i++) {
        for (unsigned p = 0; p < 2; p++, part += 3) {
            answer.part[i][p] = {smrf_place_of_word(part[0]), part[1],
                                 static_cast<int8_t>(static_cast<int32_t>(part[2]))};
        }
    }
    return word[0];
}

void ldst_module::stored(const smrf_memory_request &r)
{
    ask(SMRF_MAP_STORE, r);
}

void ldst_module::report(smrf_map_question what, uint32_t flight)
{
    uint32_t word[SMRF_QUESTION_WORDS] = {static_cast<uint32_t>(what)};
    question_.begin(flight, word);
    send(*this, map_out, 0, question_, place_.clock->delay(),
         "the mapping controller takes an event at any time");
}

} // namespace smrf
