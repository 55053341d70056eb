// SPDX-License-Identifier: Apache-2.0
#include "clocked_arbiter.h"

#include "models/wires/words.h"

#include <cstring>
#include <string>

namespace smrf
{

clocked_arbiter::clocked_arbiter(const sc_core::sc_module_name &name,
                                 const smrf_arbiter_config &cfg, const sc_core::sc_time &period)
    : sc_core::sc_module(name), period_(period), clock_(&cycle_, period),
      out_("request_out", *this, cfg.collectors)
{
    wires_.ctx = this;
    wires_.grant = [](void *ctx, unsigned, const smrf_read *read) {
        static_cast<clocked_arbiter *>(ctx)->arbiter_->grant(*read);
    };
    arbiter_ = std::make_unique<arbiter_module>("arbiter", cfg, 0, wires_, clock_, pool_);
    for (uint32_t c = 0; c < cfg.collectors; c++) {
        requests_.push_back(std::make_unique<inlet>(
            ("request_in_" + std::to_string(c)).c_str(),
            inlet::calls{[this](const sc_core::sc_time &at) { wake(at); }, nullptr}));
        out_[c].bind(arbiter_->request_in[c]);
    }
    SC_METHOD(step);
    sensitive << wake_;
    dont_initialize();
}

void clocked_arbiter::wake(const sc_core::sc_time &at)
{
    const auto period = period_.value();
    uint64_t cycle = (at.value() + period - 1) / period;
    cycle = stepped_ && cycle <= cycle_ ? cycle_ + 1 : cycle;
    const auto when = sc_core::sc_time::from_value(cycle * period + period / 2);
    wake_.notify(when - sc_core::sc_time_stamp());
}

// Only whole requests are queued. What is no request the arbiter refuses.
bool clocked_arbiter::has_room(const tlm::tlm_generic_payload &gp) const
{
    const smrf_arbiter *core = arbiter_->core();
    uint32_t more[SMRF_MAX_BANKS] = {};
    for (unsigned i = 0; i + sizeof(uint32_t) <= gp.get_data_length(); i += sizeof(uint32_t)) {
        uint32_t word = 0;
        std::memcpy(&word, gp.get_data_ptr() + i, sizeof word);
        const smrf_read read = smrf_read_of_word(0, word);
        if (core->count[read.at.bank] + ++more[read.at.bank] > core->depth) {
            return false;
        }
    }
    return true;
}

void clocked_arbiter::step()
{
    cycle_ = sc_core::sc_time_stamp().value() / period_.value();
    stepped_ = true;
    clock_.restart();
    const sc_core::sc_time edge = sc_core::sc_time::from_value(cycle_ * period_.value());
    const sc_core::sc_time next = edge + period_;
    for (unsigned c = 0; c < requests_.size(); c++) {
        while (tlm::tlm_generic_payload *gp = requests_[c]->front(edge)) {
            if (!has_room(*gp)) {
                break;
            }
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            requests_[c]->take();
            out_.forward(c, *gp, phase, delay);
            requests_[c]->answer(*gp, next - sc_core::sc_time_stamp());
        }
    }
    smrf_arbiter_step(arbiter_->core());
    if (smrf_arbiter_probe_busy(arbiter_->core())) {
        wake(next);
    }
    for (const auto &r : requests_) {
        if (r->waiting()) {
            wake(r->next());
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
