// SPDX-License-Identifier: Apache-2.0
#include "clocked_issue.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace smrf
{

namespace
{

clocked_issue::setup checked(clocked_issue::setup s)
{
    const char *why = s.warps == 0 || s.warps > SMRF_MAX_SUB_WARPS ? "1 to 64 warps"
                      : s.registers_per_warp == 0 || s.registers_per_warp > SMRF_REG_ZERO
                          ? "1 to 255 registers a warp"
                      : s.depth == 0 ? "room for an instruction of each warp"
                      : s.period.value() < 2 || s.period.value() % 2 != 0
                          ? "a period of an even number of time steps"
                          : nullptr;
    if (why != nullptr) {
        throw std::invalid_argument(std::string("an issue stage has ") + why);
    }
    s.issue.sm.subcores = 1;
    s.issue.sm.warps = s.warps;
    s.issue.sub = 0;
    s.issue.issue.latches = 0; // everything goes to collectors
    return s;
}

} // namespace

clocked_issue::clocked_issue(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name),
      instr_in("instr_in", {[this](const sc_core::sc_time &at) { clock_.wake(at); }, nullptr}),
      result_in("result_in", {[this](const sc_core::sc_time &at) { clock_.wake(at); }, nullptr}),
      instr_out("instr_out",
                [this](tlm::tlm_response_status) { clock_.wake(sc_core::sc_time_stamp()); }),
      setup_(checked(s)), clock_(s.period), buffers_(s.warps)
{
    if (smrf_issue_init(core_.get(), store_.get(), &setup_.issue, nullptr) != SMRF_OK) {
        throw std::invalid_argument("the issue stage cannot be built of these parameters");
    }
    connect();
    start();
    SC_METHOD(step);
    sensitive << clock_.tick;
    dont_initialize();
}

void clocked_issue::connect()
{
    smrf_issue_links l{};
    l.flights = flights_.get();
    l.free_collectors = &free_;
    l.ctx = this;
    l.pick = [](void *ctx, unsigned, unsigned) {
        return static_cast<clocked_issue *>(ctx)->free_ != 0 ? 0 : int{SMRF_PICK_NONE};
    };
    l.control = [](void *, unsigned, const smrf_inst *) { return uint32_t{0}; };
    l.issued = [](void *ctx, uint32_t flight, const smrf_inst *) {
        return static_cast<clocked_issue *>(ctx)->issued(flight);
    };
    l.to_collector = [](void *ctx, unsigned, unsigned, uint32_t) {
        auto *self = static_cast<clocked_issue *>(ctx);
        const smrf_rf_instruction &in = self->under_way_.at(self->leaving_)->in.operands;
        self->free_ = 0;
        self->instr_out.write(0, &in, sizeof in, self->clock_.left());
    };
    l.reach_barrier = [](void *, unsigned) {};
    l.fence_over = [](void *, unsigned) {};
    l.drained = [](void *, unsigned, uint64_t) {};
    l.fetching = [](void *) { return false; };
    smrf_issue_connect(core_.get(), &l);
}

void clocked_issue::start()
{
    smrf_flights_reset(flights_.get());
    for (uint32_t w = 0; w < setup_.warps; w++) {
        smrf_issue_start(core_.get(), w, w, static_cast<uint16_t>(w * setup_.registers_per_warp),
                         static_cast<uint16_t>(setup_.registers_per_warp));
    }
}

void clocked_issue::step()
{
    clock_.begin();
    take_results();
    take_instructions();
    free_ = instr_out.busy() ? 0 : 1;
    if (core_->has_inst != 0) {
        smrf_issue_step(core_.get(), clock_.cycle());
        if (core_->issued || smrf_issue_next(core_.get()) != SMRF_NEVER) {
            clock_.wake(clock_.next());
        }
    }
    take_instructions(); // a buffer may have room now
    for (const inlet *port : {&instr_in, &result_in}) {
        if (port->waiting() && port->next() > clock_.edge()) {
            clock_.wake(port->next());
        }
    }
}

void clocked_issue::take_results()
{
    while (tlm::tlm_generic_payload *gp = result_in.front(clock_.edge())) {
        const auto it = under_way_.find(static_cast<uint32_t>(gp->get_address()));
        const bool good = gp->is_write() && it != under_way_.end();
        if (good) {
            const uint32_t flight = it->second->flight;
            const smrf_flight &f = flights_->record[flight];
            smrf_issue_collected(core_.get(), &f, (UINT32_C(1) << f.num_src) - 1, clock_.cycle());
            for (unsigned i = 0; i < f.num_dst; i++) {
                smrf_issue_released(core_.get(), &f, f.dst_reg[i], clock_.cycle());
            }
            smrf_issue_retired(core_.get(), flight, clock_.cycle());
            under_way_.erase(it);
        }
        gp->set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        result_in.take();
        result_in.answer(*gp, clock_.left());
    }
}

bool clocked_issue::decode(const tlm::tlm_generic_payload &gp, smrf_issue_instruction &in) const
{
    if (!gp.is_write() || gp.get_data_length() != sizeof in ||
        gp.get_byte_enable_ptr() != nullptr || gp.get_streaming_width() < sizeof in) {
        return false;
    }
    std::memcpy(&in, gp.get_data_ptr(), sizeof in);
    const smrf_rf_instruction &o = in.operands;
    bool good = o.warp < setup_.warps && o.num_src > 0 && o.num_src <= SMRF_RF_SOURCES &&
                in.num_dst <= SMRF_ISSUE_DESTINATIONS && under_way_.count(o.tag) == 0;
    for (unsigned i = 0; good && i < o.num_src; i++) {
        good = o.src[i] < setup_.registers_per_warp;
    }
    for (unsigned i = 0; good && i < in.num_dst; i++) {
        good = in.dst[i] < setup_.registers_per_warp;
    }
    return good;
}

// In order: an instruction whose warp has no room holds up what comes behind it.
void clocked_issue::take_instructions()
{
    while (tlm::tlm_generic_payload *gp = instr_in.front(clock_.edge())) {
        smrf_issue_instruction in{};
        const bool good = decode(*gp, in);
        if (good && buffers_[in.operands.warp].size() == setup_.depth) {
            return;
        }
        if (good) {
            buffer(in);
        }
        gp->set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
        instr_in.take();
        instr_in.answer(*gp, clock_.left());
        clock_.wake(clock_.next());
    }
}

void clocked_issue::buffer(const smrf_issue_instruction &in)
{
    auto e = std::make_unique<entry>();
    e->in = in;
    e->op.op_class = SMRF_CLASS_INT;
    e->op.num_dst = static_cast<uint8_t>(in.num_dst);
    std::memcpy(e->op.dst, in.dst, in.num_dst);
    for (unsigned i = 0; i < in.operands.num_src; i++) {
        const uint8_t *end = e->op.src + e->op.num_src;
        if (std::find<const uint8_t *>(e->op.src, end, in.operands.src[i]) == end) {
            e->op.src[e->op.num_src++] = in.operands.src[i];
        }
    }
    e->inst.op = &e->op;
    e->inst.mask = in.operands.lanes;
    auto &queue = buffers_[in.operands.warp];
    queue.push_back(std::move(e));
    if (queue.size() == 1) {
        smrf_issue_head(core_.get(), in.operands.warp, &queue.front()->inst, clock_.cycle());
    }
}

const smrf_inst *clocked_issue::issued(uint32_t flight)
{
    auto &queue = buffers_[flights_->record[flight].warp];
    std::unique_ptr<entry> e = std::move(queue.front());
    queue.pop_front();
    e->flight = flight;
    leaving_ = e->in.operands.tag;
    under_way_[leaving_] = std::move(e);
    return queue.empty() ? nullptr : &queue.front()->inst;
}

void clocked_issue::reset()
{
    instr_in.reset();
    result_in.reset();
    smrf_issue_reset(core_.get());
    for (auto &queue : buffers_) {
        queue.clear();
    }
    under_way_.clear();
    start();
}

} // namespace smrf
