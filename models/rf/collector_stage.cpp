// SPDX-License-Identifier: Apache-2.0
#include "collector_stage.h"

#include "models/wires/words.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace smrf
{

namespace
{

constexpr unsigned unit = SMRF_UNIT_SP; // all instructions go the same way

void check(const collector_setup &s)
{
    const char *why =
        s.rf.collectors == 0 || s.rf.collectors >= SMRF_MAX_COLLECTORS ? "1 to 15 collectors"
        : s.rf.collector_slots != 1                      ? "collectors of one instruction each"
        : s.rf.banks == 0 || s.rf.banks > SMRF_MAX_BANKS ? "1 to 16 banks"
        : s.sm.subcores != 1                             ? "one sub-core"
        : s.warps == 0 || s.warps > SMRF_MAX_SUB_WARPS   ? "1 to 64 warps"
        : s.registers_per_warp == 0 || s.registers_per_warp > 256 ? "1 to 256 registers a warp"
        : s.warps * s.registers_per_warp > smrf_physical_registers(&s.sm)
            ? "no more registers than there are rows"
        : s.period.value() < 2 || s.period.value() % 2 != 0
            ? "a period of an even number of time steps"
        : s.mechanism != nullptr &&
                (s.mechanism->write != nullptr || s.mechanism->rename != nullptr)
            ? "collectors that neither hold writes back nor rename registers"
            : nullptr;
    if (why != nullptr) {
        throw std::invalid_argument(std::string("a register file has ") + why);
    }
}

const collector_setup &checked(const collector_setup &s)
{
    check(s);
    return s;
}

} // namespace

collector_stage::collector_stage(const sc_core::sc_module_name &name, const collector_setup &s,
                                 wake_call wake, loose_call loosely)
    : sc_core::sc_module(name), issue("issue", {wake, {}, std::move(loosely), {}}),
      operands("operands", [wake](tlm::tlm_response_status) { wake(sc_core::sc_time_stamp()); }),
      setup_(checked(s)), wake_(std::move(wake)),
      flights_(static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))),
      ops_(SMRF_FLIGHTS), held_(SMRF_FLIGHTS), wires_(make_wires()), clock_(&cycle_, s.period)
{
    smrf_flights_reset(flights_.get());
    if (s.mechanism != nullptr && s.mechanism->bytes != nullptr) {
        mechanism_state_.reset(allocate_zeroed(s.mechanism->bytes(&setup_.mechanism_setup)));
    }
    collectors_ = std::make_unique<collector_module>(
        "units", setup_.rf,
        collector_module::place{0, smrf_bank_rows(&setup_.sm, &setup_.rf), flights_.get(), &wires_,
                                &clock_, &pool_});
    links_.connect(enter_out_[0], collectors_->instr_in[0]);
    links_.connect(merge_out_[0], collectors_->instr_in[1]);
    links_.connect(collectors_->dispatch_out[0], dispatch_in_[0]);
    if (wires_.cached) {
        build_cache();
    }
    start_warps();
}

void collector_stage::build_cache()
{
    const uint32_t units = setup_.rf.collectors;
    cache_ = std::make_unique<operand_cache_module>(
        "operand_cache", operand_cache_module::place{setup_.mechanism, mechanism_state_.get(), 0,
                                                     units, flights_.get(), &wires_});
    for (uint32_t c = 0; c < units; c++) {
        links_.connect(collectors_->cache.hit_out[c], cache_->port_h[c]);
        links_.connect(collectors_->cache.source_out[c], cache_->port_s[c]);
    }
    for (const char *name : {"result_out", "preferred_out"}) {
        cache_out_.push_back(std::make_unique<initiator_ports<collector_stage, 1>>(name, *this, 1));
    }
    links_.connect((*cache_out_[0])[0], cache_->port_d[0]);
    links_.connect((*cache_out_[1])[0], cache_->port_r[0]);
}

// Resets the mechanism; warps keep their registers for ever.
void collector_stage::start_warps()
{
    const smrf_mechanism *m = setup_.mechanism;
    smrf_rng_seed(&rng_, setup_.mechanism_setup.sim.seed, 0);
    if (m == nullptr) {
        return;
    }
    if (m->init != nullptr &&
        m->init(mechanism_state_.get(), &setup_.mechanism_setup, 0) != SMRF_OK) {
        throw std::invalid_argument("the mechanism of the collectors cannot be built");
    }
    for (uint32_t w = 0; m->warp != nullptr && m->warp->start != nullptr && w < setup_.warps; w++) {
        m->warp->start(mechanism_state_.get(), w,
                       static_cast<uint16_t>(w * setup_.registers_per_warp),
                       setup_.registers_per_warp);
    }
}

namespace
{

collector_stage &module_of(void *ctx)
{
    return *static_cast<collector_stage *>(ctx);
}

} // namespace

smrf_wires collector_stage::make_wires()
{
    smrf_wires w{};
    w.ctx = this;
    w.cycle = &cycle_;
    w.values = &values_;
    w.cached = setup_.mechanism != nullptr && smrf_operand_cache_needed(setup_.mechanism);
    w.enter = [](void *ctx, unsigned, unsigned collector, uint32_t flight,
                 uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return module_of(ctx).collectors_->cache.enter(collector, flight, data, version);
    };
    w.request = [](void *ctx, unsigned, unsigned collector, uint32_t flight, const uint32_t *words,
                   unsigned count) {
        module_of(ctx).collectors_->request(collector, flight, words, count);
    };
    w.read = [](void *ctx, unsigned, unsigned collector, const uint32_t *words, unsigned count,
                smrf_operand_latches *to) {
        return module_of(ctx).collectors_->read(collector, words, count, to);
    };
    w.source = [](void *ctx, unsigned, unsigned collector, uint32_t flight, unsigned i,
                  const uint32_t *data, uint32_t version) {
        module_of(ctx).collectors_->cache.source(collector, flight, i, data, version);
    };
    w.operands = [](void *, uint32_t, uint32_t, const smrf_operand_latches *, bool) {};
    w.collected = [](void *, uint32_t, uint32_t) {};
    w.copied = [](void *, uint32_t, unsigned, const uint32_t *, const uint32_t *) {};
    w.leave = [](void *ctx, unsigned, unsigned collector, uint32_t flight) {
        smrf_operand_cache_leave(module_of(ctx).cache_->core(), collector, flight);
    };
    w.dispatch = [](void *ctx, unsigned, uint32_t flight) {
        module_of(ctx).collectors_->dispatch(flight);
    };
    return w;
}

smrf_register_place collector_stage::place_of(unsigned warp, unsigned reg) const
{
    return smrf_place_of(&setup_.rf, warp, reg, warp * setup_.registers_per_warp + reg);
}

// Port D: as a result of an instruction that writes the register.
void collector_stage::written(unsigned warp, unsigned reg, uint32_t *row)
{
    const uint32_t flight = smrf_flights_take(flights_.get());
    smrf_flight &f = flights_->record[flight];
    f = {};
    f.op = &ops_[flight];
    f.warp = static_cast<uint8_t>(warp);
    f.mask = UINT32_MAX;
    f.num_dst = 1;
    f.dst_reg[0] = static_cast<uint8_t>(reg);
    f.dst[0] = place_of(warp, reg);
    rf_payload *gp = pool_.allocate();
    gp->set_write();
    gp->set_address(smrf_operand_address(flight, 0));
    gp->set_data_ptr(reinterpret_cast<unsigned char *>(row));
    gp->set_data_length(SMRF_WARP_REG_BYTES);
    gp->set_streaming_width(SMRF_WARP_REG_BYTES);
    send(*this, *cache_out_[0], 0, *gp, sc_core::SC_ZERO_TIME, "port D takes a result at once");
    gp->release();
    smrf_flights_give(flights_.get(), flight);
}

// --- a cycle -----------------------------------------------------------------------------------

void collector_stage::begin(uint64_t cycle)
{
    cycle_ = cycle;
    edge_ = sc_core::sc_time::from_value(cycle * setup_.period.value());
    clock_.restart();
}

void collector_stage::dispatch()
{
    smrf_collectors *core = collectors_->core();
    if (!operands.busy()) {
        smrf_collectors_drained(core, unit);
    }
    if (core->ready_mask != 0) {
        smrf_collectors_dispatch(core);
    }
}

uint32_t collector_stage::make_flight(const smrf_rf_instruction &in)
{
    const uint32_t flight = smrf_flights_take(flights_.get());
    smrf_flight &f = flights_->record[flight];
    smrf_static_inst &op = ops_[flight];
    f = {};
    op = {};
    f.op = &op;
    f.uid = flights_->issued++;
    f.version = static_cast<uint32_t>(flights_->issued);
    f.number = f.version;
    f.mask = in.lanes;
    f.warp = static_cast<uint8_t>(in.warp);
    f.unit = unit;
    for (unsigned i = 0; i < in.num_src; i++) {
        const uint8_t *end = f.src_reg + f.num_src;
        const auto at = static_cast<unsigned>(
            std::find(f.src_reg, f.src_reg + f.num_src, in.src[i]) - f.src_reg);
        f.near_src |= (in.near_src >> i & 1) << at;
        if (f.src_reg + at == end) { // one register is read once
            f.src_reg[at] = op.src[at] = in.src[i];
            f.src[at] = place_of(in.warp, in.src[i]);
            f.num_src++;
        }
        op.src_listed[i] = in.src[i];
    }
    f.num_read = op.num_src = f.num_src;
    op.num_src_listed = static_cast<uint8_t>(in.num_src);
    held_[flight] = in;
    return flight;
}

bool collector_stage::decode(const tlm::tlm_generic_payload &gp, smrf_rf_instruction &in) const
{
    bool good = gp.is_write() && gp.get_data_ptr() != nullptr &&
                gp.get_data_length() == sizeof in && gp.get_streaming_width() >= sizeof in &&
                gp.get_byte_enable_ptr() == nullptr;
    if (good) {
        std::memcpy(&in, gp.get_data_ptr(), sizeof in);
        good = in.warp < setup_.warps && in.num_src > 0 && in.num_src <= SMRF_RF_SOURCES;
        for (unsigned i = 0; good && i < in.num_src; i++) {
            good = in.src[i] < setup_.registers_per_warp;
        }
    }
    return good;
}

void collector_stage::answer(tlm::tlm_generic_payload &gp, tlm::tlm_response_status how)
{
    gp.set_response_status(how);
    issue.answer(gp, edge_ + setup_.period - sc_core::sc_time_stamp());
}

// The first instruction that waits, if there is a collector for it.
void collector_stage::enter()
{
    tlm::tlm_generic_payload *gp = issue.front(edge_);
    smrf_rf_instruction in{};
    if (gp == nullptr) {
        return;
    }
    if (!decode(*gp, in)) {
        issue.take();
        answer(*gp, tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    if (admit(in)) {
        issue.take();
        answer(*gp, tlm::TLM_OK_RESPONSE);
    }
}

bool collector_stage::admit(const smrf_rf_instruction &in)
{
    smrf_collectors *core = collectors_->core();
    if (core->free_mask == 0 || flights_->free_count < 2) {
        return false;
    }
    const smrf_mechanism *m = setup_.mechanism;
    const bool chooses = m != nullptr && m->allocation != nullptr && m->allocation->pick != nullptr;
    const int collector = chooses ? m->allocation->pick(mechanism_state_.get(), 0, in.warp,
                                                        core->free_mask, &rng_, cycle_)
                                  : static_cast<int>(smrf_collectors_pick(core, &rng_));
    if (collector < 0) {
        wake_(edge_ + setup_.period);
        return false;
    }
    uint32_t flight = make_flight(in);
    under_way_++;
    rf_payload *number = pool_.allocate();
    number->set_write();
    number->set_address(static_cast<uint64_t>(collector));
    number->set_data_ptr(reinterpret_cast<unsigned char *>(&flight));
    number->set_data_length(sizeof flight);
    number->set_streaming_width(sizeof flight);
    send(*this, enter_out_, 0, *number, sc_core::SC_ZERO_TIME,
         "a free collector takes an instruction");
    number->release();
    return true;
}

// The collectors dispatch to here: all operands go on to the processor.
tlm::tlm_sync_enum collector_stage::fw(unsigned, tlm::tlm_generic_payload &gp,
                                       tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    if (phase == tlm::BEGIN_REQ && gp.is_write() && gp.get_data_length() == sizeof flight) {
        std::memcpy(&flight, gp.get_data_ptr(), sizeof flight);
    }
    if (flight >= SMRF_FLIGHTS) {
        return protocol_error(*this, "an instruction's number is expected", gp);
    }
    deliver(flight);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void collector_stage::deliver(uint32_t flight)
{
    const smrf_flight &f = flights_->record[flight];
    const smrf_rf_instruction &in = held_[flight];
    const smrf_operand_latches &from = collectors_->core()->latches[f.collector];
    uint32_t data[SMRF_RF_SOURCES][SMRF_LANES];
    for (unsigned i = 0; i < in.num_src; i++) {
        const auto at = std::find(f.src_reg, f.src_reg + f.num_src, in.src[i]) - f.src_reg;
        std::memcpy(data[i], from.data[at], sizeof data[i]);
    }
    if (delivery) {
        delivery(in, data, in.num_src * sizeof data[0]);
    } else {
        operands.write(in.tag, data, in.num_src * sizeof data[0],
                       edge_ + setup_.period - sc_core::sc_time_stamp());
    }
    delivered_++;
    under_way_--;
    smrf_flights_give(flights_.get(), flight);
}

void collector_stage::reset()
{
    issue.reset();
    collectors_->reset();
    smrf_flights_reset(flights_.get());
    under_way_ = delivered_ = 0;
    if (cache_) {
        cache_->reset();
    }
    if (mechanism_state_) {
        std::memset(mechanism_state_.get(), 0, setup_.mechanism->bytes(&setup_.mechanism_setup));
    }
    start_warps();
}

// --- with a clock of its own -------------------------------------------------------------------

clocked_collectors::clocked_collectors(const sc_core::sc_module_name &name,
                                       const collector_setup &s)
    : sc_core::sc_module(name), clock_(s.period),
      stage("stage", s, [this](const sc_core::sc_time &at) { clock_.wake(at); }),
      result_in("result_in", {[this](const sc_core::sc_time &at) { clock_.wake(at); }, nullptr}),
      steps_(s.rf.steps), warps_(s.warps), registers_(s.registers_per_warp),
      request_in_("request_in", *this, s.rf.collectors)
{
    for (uint32_t c = 0; c < s.rf.collectors; c++) {
        requests_.push_back(std::make_unique<outlet>(("request_out_" + std::to_string(c)).c_str(),
                                                     [](tlm::tlm_response_status) {}));
        stage.request_out(c).bind(request_in_[c]);
    }
    grant_out_[0].bind(stage.grant_in());
    SC_METHOD(step);
    sensitive << clock_.tick;
    dont_initialize();
}

void clocked_collectors::step()
{
    clock_.begin();
    stage.begin(clock_.cycle());
    take_results();
    for (uint32_t i = 0; i < steps_; i++) {
        stage.dispatch();
    }
    stage.enter();
    if (stage.under_way() != 0) {
        clock_.wake(clock_.next());
    }
    for (const inlet *port : {&stage.issue, &result_in}) {
        if (port->waiting()) {
            clock_.wake(port->next());
        }
    }
}

// A unit has one instruction at a time, and so one request.
tlm::tlm_sync_enum clocked_collectors::fw(unsigned unit_number, tlm::tlm_generic_payload &gp,
                                          tlm::tlm_phase &, sc_core::sc_time &)
{
    requests_[unit_number]->write(gp.get_address(), gp.get_data_ptr(), gp.get_data_length(),
                                  sc_core::SC_ZERO_TIME);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// In the cycle that it is now, whichever of the two clocks has ticked first.
tlm::tlm_sync_enum clocked_collectors::granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                               sc_core::sc_time &delay)
{
    stage.begin(clock_.now());
    return grant_out_.forward(0, gp, phase, delay);
}

void clocked_collectors::take_results()
{
    while (tlm::tlm_generic_payload *gp = result_in.front(clock_.edge())) {
        const uint64_t index = gp->get_address() / SMRF_WARP_REG_BYTES;
        const bool good = gp->is_write() && gp->get_data_length() == SMRF_WARP_REG_BYTES &&
                          gp->get_address() % SMRF_WARP_REG_BYTES == 0 &&
                          gp->get_byte_enable_ptr() == nullptr &&
                          index < uint64_t{warps_} * registers_;
        if (good && stage.caches() && stage.flights().free_count != 0) {
            uint32_t row[SMRF_LANES];
            std::memcpy(row, gp->get_data_ptr(), sizeof row);
            stage.written(static_cast<unsigned>(index / registers_),
                          static_cast<unsigned>(index % registers_), row);
        }
        gp->set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
        result_in.take();
        result_in.answer(*gp, clock_.left());
    }
}

void clocked_collectors::reset()
{
    result_in.reset();
    stage.reset();
}

} // namespace smrf
