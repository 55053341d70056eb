// SPDX-License-Identifier: Apache-2.0
#include "mapping_module.h"

#include <cstddef>
#include <cstring>

namespace smrf
{

mapping_module::mapping_module(const sc_core::sc_module_name &name, const place &p)
    : sc_core::sc_module(name), place_(p), core_(p.core)
{
    if (core_.is_own()) {
        smrf_mapping_init(core_.get(), p.mechanism, p.state, p.flights);
    }
}

void mapping_module::question(uint32_t flight, smrf_map_question what, const smrf_memory_request &r)
{
    smrf_memory_answer answer{};
    std::memcpy(answer.at, r.f->dst, sizeof answer.at);
    uint32_t *to = answer_;
    *to++ = smrf_mapping_map(core_.get(), what, &r, &answer);
    *to++ = answer.delay;
    *to++ = answer.collector;
    for (const smrf_register_place &at : answer.at) {
        *to++ = smrf_word_of_place(at);
    }
    for (const auto &parts : answer.part) {
        for (const smrf_merge_part &part : parts) {
            *to++ = smrf_word_of_place(part.from);
            *to++ = part.lanes;
            *to++ = static_cast<uint32_t>(part.shift);
        }
    }
    asked_ = flight;
}

// The instruction is the one in flight, its lanes' addresses those of the question.
void mapping_module::take(uint32_t flight, const uint32_t *word)
{
    const auto what = static_cast<smrf_map_question>(word[0]);
    if (what == SMRF_MAP_LOADED) {
        smrf_mapping_loaded(core_.get(), flight);
        return;
    }
    if (what == SMRF_MAP_FENCE) {
        smrf_mapping_fenced(core_.get(), flight);
        return;
    }
    smrf_inst inst;
    std::memcpy(&inst, &place_.flights->memory[flight].inst, offsetof(smrf_inst, lane));
    inst.addr_kind = SMRF_ADDR_LIST;
    inst.list = nullptr;
    inst.mask = word[2];
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        inst.lane[lane] = word[3 + 2 * lane] | static_cast<uint64_t>(word[4 + 2 * lane]) << 32;
    }
    smrf_memory_request r{};
    r.f = &place_.flights->record[flight];
    r.inst = &inst;
    r.cycle = place_.clock->cycle();
    r.flight = flight;
    r.space = static_cast<uint8_t>(word[1]);
    if (what == SMRF_MAP_STORE) {
        smrf_mapping_stored(core_.get(), &r);
    } else {
        question(flight, what, r);
    }
}

tlm::tlm_sync_enum mapping_module::asked(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                         sc_core::sc_time &)
{
    const uint64_t flight = gp.get_address();
    uint32_t word[SMRF_QUESTION_WORDS];
    bool good = phase == tlm::BEGIN_REQ && flight < SMRF_FLIGHTS;
    if (gp.is_read()) {
        good = good && gp.get_data_length() == sizeof answer_ && asked_ == flight;
    } else {
        good = good && gp.is_write() && gp.get_data_length() == sizeof word;
    }
    if (good && gp.is_write()) {
        std::memcpy(word, gp.get_data_ptr(), sizeof word);
        good = word[0] <= SMRF_MAP_FENCE;
    }
    if (!good) {
        return protocol_error(*this, "a question is written whole, then its answer is read", gp);
    }
    if (gp.is_write()) {
        take(static_cast<uint32_t>(flight), word);
    } else {
        std::memcpy(gp.get_data_ptr(), answer_, sizeof answer_);
        asked_ = SMRF_NO_FLIGHT;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
