// SPDX-License-Identifier: Apache-2.0
#include "ldst_module.h"

namespace smrf
{

ldst_module::ldst_module(const sc_core::sc_module_name &name, bool mapped, const place &p)
    : sc_core::sc_module(name), map_out("map_out", *this, mapped ? 1 : 0), place_(p),
      question_(*p.pool, port_kind::question, tlm::TLM_WRITE_COMMAND,
                SMRF_QUESTION_WORDS * sizeof(uint32_t)),
      answer_(*p.pool, port_kind::answer, tlm::TLM_READ_COMMAND,
              SMRF_ANSWER_WORDS * sizeof(uint32_t))
{
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
    send(*this, map_out, 0, question_.begin(r.flight, word), place_.clock->delay(),
         "the mapping controller is asked at any time");
}

unsigned ldst_module::map(smrf_map_question question, const smrf_memory_request &r,
                          smrf_memory_answer &answer)
{
    uint32_t word[SMRF_ANSWER_WORDS] = {};
    ask(question, r);
    send(*this, map_out, 0, answer_.begin(r.flight, word), place_.clock->delay(),
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

void ldst_module::tell(smrf_map_question what, uint32_t flight)
{
    uint32_t word[SMRF_QUESTION_WORDS] = {static_cast<uint32_t>(what)};
    send(*this, map_out, 0, question_.begin(flight, word), place_.clock->delay(),
         "the mapping controller is told at any time");
}

} // namespace smrf
