// SPDX-License-Identifier: Apache-2.0
#include "clocked_arbiter.h"

#include <cstring>
#include <string>

namespace smrf
{

clocked_arbiter::clocked_arbiter(const sc_core::sc_module_name &name,
                                 const smrf_arbiter_config &cfg, const sc_core::sc_time &period)
    : sc_core::sc_module(name), clock_(period), window_(&clock_.cycle(), period),
      out_("request_out", *this, cfg.collectors)
{
    wires_.ctx = this;
    wires_.grant = [](void *ctx, unsigned, uint32_t flight, const uint32_t *words, unsigned count) {
        static_cast<clocked_arbiter *>(ctx)->arbiter_->grant(flight, words, count);
    };
    arbiter_ = std::make_unique<arbiter_module>("arbiter", cfg, 0, wires_, window_, pool_);
    for (uint32_t c = 0; c < cfg.collectors; c++) {
        requests_.push_back(std::make_unique<inlet>(
            ("request_in_" + std::to_string(c)).c_str(),
            inlet::calls{[this](const sc_core::sc_time &at) { clock_.wake(at); }, nullptr}));
        out_[c].bind(arbiter_->request_in[c]);
    }
    SC_METHOD(step);
    sensitive << clock_.tick;
    dont_initialize();
}

// Only whole requests are queued. What is no request the arbiter refuses.
bool clocked_arbiter::has_room(const tlm::tlm_generic_payload &gp) const
{
    const smrf_arbiter *core = arbiter_->core();
    uint32_t more[SMRF_MAX_BANKS] = {};
    for (unsigned i = 0; i + sizeof(uint32_t) <= gp.get_data_length(); i += sizeof(uint32_t)) {
        uint32_t word = 0;
        std::memcpy(&word, gp.get_data_ptr() + i, sizeof word);
        const unsigned bank = smrf_read_bank(word);
        if (smrf_arbiter_probe_count(core, bank) + ++more[bank] > core->depth) {
            return false;
        }
    }
    return true;
}

void clocked_arbiter::step()
{
    clock_.begin();
    window_.restart();
    for (unsigned c = 0; c < requests_.size(); c++) {
        while (tlm::tlm_generic_payload *gp = requests_[c]->front(clock_.edge())) {
            if (!has_room(*gp)) {
                break;
            }
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            requests_[c]->take();
            out_.forward(c, *gp, phase, delay);
            requests_[c]->answer(*gp, clock_.left());
        }
    }
    smrf_arbiter_step(arbiter_->core());
    if (smrf_arbiter_probe_busy(arbiter_->core())) {
        clock_.wake(clock_.next());
    }
    for (const auto &r : requests_) {
        if (r->waiting()) {
            clock_.wake(r->next());
        }
    }
}

void clocked_arbiter::reset()
{
    for (const auto &r : requests_) {
        r->reset();
    }
    arbiter_->reset();
}

} // namespace smrf
