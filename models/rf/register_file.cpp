// SPDX-License-Identifier: Apache-2.0
#include "register_file.h"

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

// At least one byte, within one register.
bool fits(const tlm::tlm_generic_payload &gp)
{
    return gp.get_data_length() > 0 && gp.get_streaming_width() >= gp.get_data_length() &&
           gp.get_address() % SMRF_WARP_REG_BYTES + gp.get_data_length() <= SMRF_WARP_REG_BYTES;
}

bool enabled(const tlm::tlm_generic_payload &gp, unsigned i)
{
    const unsigned char *enables = gp.get_byte_enable_ptr();
    const unsigned length = gp.get_byte_enable_length();
    return enables == nullptr || length == 0 || enables[i % length] == TLM_BYTE_ENABLED;
}

void check(const register_file::setup &s)
{
    const char *why = s.rf.collectors == 0 || s.rf.collectors >= SMRF_MAX_COLLECTORS
                          ? "1 to 15 collectors"
                      : s.rf.banks == 0 || s.rf.banks > SMRF_MAX_BANKS ? "1 to 16 banks"
                      : s.sm.subcores != 1                             ? "one sub-core"
                      : s.warps == 0 || s.warps > SMRF_MAX_SUB_WARPS   ? "1 to 64 warps"
                      : s.registers_per_warp == 0 || s.registers_per_warp > 256
                          ? "1 to 256 registers a warp"
                      : s.warps * s.registers_per_warp > smrf_physical_registers(&s.sm)
                          ? "no more registers than there are rows"
                      : s.period.value() < 2 || s.period.value() % 2 != 0
                          ? "a period of an even number of time steps"
                      : s.ports == 0 || s.plain_reads == 0 ||
                              s.rf.collectors * SMRF_RF_SOURCES + s.plain_reads > SMRF_ARBITER_DEPTH
                          ? "a port, and room for a read"
                      : s.mechanism != nullptr && (s.mechanism->write != nullptr ||
                                                   s.mechanism->rename != nullptr)
                          ? "collectors that neither hold writes back nor rename registers"
                          : nullptr;
    if (why != nullptr) {
        throw std::invalid_argument(std::string("a register file has ") + why);
    }
}

const register_file::setup &checked(const register_file::setup &s)
{
    check(s);
    return s;
}

} // namespace

register_file::register_file(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name), setup_(checked(s)), rows_(smrf_bank_rows(&s.sm, &s.rf)),
      plain_(s.rf.collectors),
      flights_(static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))),
      ops_(SMRF_FLIGHTS), held_(SMRF_FLIGHTS), plain_reads_(SMRF_FLIGHTS), wires_(make_wires()),
      clock_(&cycle_, s.period),
      issue_in_("issue", {[this](const sc_core::sc_time &at) { wake(at); }, nullptr}),
      status_in_("status", {[this](const sc_core::sc_time &at) { wake(at); }, nullptr}),
      operands_out_("operands", [this](tlm::tlm_response_status) { wake(sc_core::sc_time_stamp()); }),
      write_out_("write_out", *this, s.rf.banks)
{
    for (uint32_t p = 0; p < s.ports; p++) {
        registers_.push_back(std::make_unique<inlet>(
            ("registers_" + std::to_string(p)).c_str(),
            inlet::calls{[this](const sc_core::sc_time &at) { wake(at); },
                         [this](tlm::tlm_generic_payload &gp) { return look(gp); }}));
    }
    smrf_flights_reset(flights_.get());
    if (s.mechanism != nullptr && s.mechanism->bytes != nullptr) {
        mechanism_state_.reset(allocate_zeroed(s.mechanism->bytes(&setup_.mechanism_setup)));
    }
    build_blocks();
    start_warps();
    SC_METHOD(step);
    sensitive << wake_;
    dont_initialize();
}

register_file::~register_file() = default;

// --- construction ------------------------------------------------------------------------------

void register_file::connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to)
{
    if (!setup_.monitors) {
        from.bind(to);
        return;
    }
    monitors_.push_back(std::make_unique<protocol_monitor>(
        ("monitor_" + std::to_string(monitors_.size())).c_str(), protocol_monitor_options{}));
    from.bind(monitors_.back()->in);
    monitors_.back()->out.bind(to);
}

void register_file::build_blocks()
{
    const smrf_rf_params &rf = setup_.rf;
    const uint32_t requesters = rf.collectors + 1;
    collectors_ = std::make_unique<collector_module>(
        "collectors", rf,
        collector_module::place{0, rows_, flights_.get(), &wires_, &clock_, &pool_});
    xbar_ = std::make_unique<xbar_module>("xbar", requesters, rf.banks, rows_);
    arbiter_ = std::make_unique<arbiter_module>(
        "arbiter",
        smrf_arbiter_config{rf.banks, requesters, rf.collector_ports,
                            rf.collectors * SMRF_RF_SOURCES + setup_.plain_reads},
        0, wires_, clock_, pool_);
    smrf_xbar_init(&map_, rf.banks, rows_);
    connect(enter_out_[0], collectors_->instr_in[0]);
    connect(merge_out_[0], collectors_->instr_in[1]);
    connect(collectors_->dispatch_out[0], dispatch_in_[0]);
    connect(arbiter_->grant_out[0], grant_in_[0]);
    connect(grant_out_[0], collectors_->grant_in[0]);
    connect(request_out_[0], arbiter_->request_in[plain_]);
    connect(read_out_[0], xbar_->read_in[plain_]);
    for (uint32_t c = 0; c < rf.collectors; c++) {
        connect(collectors_->request_out[c], arbiter_->request_in[c]);
        connect(collectors_->read_out[c], xbar_->read_in[c]);
    }
    for (uint32_t b = 0; b < rf.banks; b++) {
        banks_.push_back(std::make_unique<bank_module>(("bank_" + std::to_string(b)).c_str(), rows_,
                                                       setup_.period * smrf_bank_delay(&rf)));
        connect(xbar_->bank_out[b], banks_[b]->read_in[0]);
        connect(write_out_[b], banks_[b]->write_in[0]);
    }
    if (wires_.cached) {
        build_cache();
    }
}

void register_file::build_cache()
{
    const uint32_t units = setup_.rf.collectors;
    cache_ = std::make_unique<operand_cache_module>(
        "operand_cache", operand_cache_module::place{setup_.mechanism, mechanism_state_.get(), 0,
                                                     units, flights_.get(), &wires_});
    for (uint32_t c = 0; c < units; c++) {
        connect(collectors_->hit_out[c], cache_->port_h[c]);
        connect(collectors_->source_out[c], cache_->port_s[c]);
    }
    for (const char *name : {"result_out", "preferred_out"}) {
        cache_out_.push_back(std::make_unique<initiator_ports<register_file, 1>>(name, *this, 1));
    }
    connect((*cache_out_[0])[0], cache_->port_d[0]);
    connect((*cache_out_[1])[0], cache_->port_r[0]);
}

// The mechanism as new, and warps that keep their registers for ever.
void register_file::start_warps()
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

register_file &module_of(void *ctx)
{
    return *static_cast<register_file *>(ctx);
}

} // namespace

smrf_wires register_file::make_wires()
{
    smrf_wires w{};
    w.ctx = this;
    w.cycle = &cycle_;
    w.values = &values_;
    w.cached = setup_.mechanism != nullptr && smrf_operand_cache_needed(setup_.mechanism);
    w.enter = [](void *ctx, unsigned, unsigned collector, uint32_t flight,
                 uint32_t(*data)[SMRF_LANES], uint32_t *version) {
        return module_of(ctx).collectors_->enter(collector, flight, data, version);
    };
    w.request = [](void *ctx, unsigned, unsigned collector, const smrf_read *reads,
                   unsigned count) { module_of(ctx).collectors_->request(collector, reads, count); };
    w.read = [](void *ctx, unsigned, const smrf_read *read, uint32_t *data, uint32_t *version) {
        return module_of(ctx).collectors_->read(*read, data, version);
    };
    w.source = [](void *ctx, unsigned, unsigned collector, uint32_t flight, unsigned i,
                  const uint32_t *data, uint32_t version) {
        module_of(ctx).collectors_->source(collector, flight, i, data, version);
    };
    w.check = [](void *, uint32_t, unsigned, const uint32_t *, uint32_t, bool) {};
    w.collected = [](void *, uint32_t, unsigned) {};
    w.copy = [](void *, uint32_t, unsigned, const uint32_t *, const uint32_t *) {};
    w.leave = [](void *ctx, unsigned, unsigned collector, uint32_t flight) {
        smrf_operand_cache_leave(module_of(ctx).cache_->core(), collector, flight);
    };
    w.dispatch = [](void *ctx, unsigned, uint32_t flight) {
        module_of(ctx).collectors_->dispatch(flight);
    };
    w.grant = [](void *ctx, unsigned, const smrf_read *read) {
        module_of(ctx).arbiter_->grant(*read);
    };
    return w;
}

// --- the clock ---------------------------------------------------------------------------------

// Requests of a cycle come at its edge; what is done with them is decided half a period later, so that
// it does not depend on the order in which they came, and is there at the next edge.
void register_file::wake(const sc_core::sc_time &at)
{
    const auto period = setup_.period.value();
    uint64_t cycle = (at.value() + period - 1) / period;
    if (stepped_ && cycle <= cycle_) {
        cycle = cycle_ + 1;
    }
    const auto when = cycle * period + period / 2;
    wake_.notify(sc_core::sc_time::from_value(when) - sc_core::sc_time_stamp());
}

// (1) write-backs and plain reads (2) dispatch, arbitration, reads (3) a new instruction (4) status.
void register_file::step()
{
    const auto period = setup_.period.value();
    cycle_ = sc_core::sc_time_stamp().value() / period;
    stepped_ = true;
    edge_ = sc_core::sc_time::from_value(cycle_ * period);
    clock_.restart();
    for (const auto &port : registers_) {
        access(*port);
    }
    collect();
    (void)enter();
    show();
    if (work_left()) {
        wake(edge_ + setup_.period);
    }
    for (const inlet *port : {&issue_in_, &status_in_}) {
        if (port->waiting()) {
            wake(port->next());
        }
    }
    for (const auto &port : registers_) {
        if (port->waiting()) {
            wake(port->next());
        }
    }
}

bool register_file::work_left() const
{
    return under_way_ != 0 || plain_count_ != 0 || smrf_arbiter_probe_busy(arbiter_->core());
}

void register_file::answer(inlet &port, tlm::tlm_generic_payload &gp,
                           tlm::tlm_response_status how, const sc_core::sc_time &late)
{
    gp.set_response_status(how);
    port.answer(gp, edge_ + setup_.period - sc_core::sc_time_stamp() + late);
}

// --- the memory view ---------------------------------------------------------------------------

smrf_register_place register_file::place_of(unsigned warp, unsigned reg) const
{
    return smrf_place_of(&setup_.rf, warp, reg, warp * setup_.registers_per_warp + reg);
}

// In order: what finds no bank or no room holds up what comes behind it.
void register_file::access(inlet &port)
{
    while (tlm::tlm_generic_payload *gp = port.front(edge_)) {
        const uint64_t index = gp->get_address() / SMRF_WARP_REG_BYTES;
        const bool there = index < uint64_t{setup_.warps} * setup_.registers_per_warp;
        const auto warp = static_cast<unsigned>(index / setup_.registers_per_warp);
        const auto reg = static_cast<unsigned>(index % setup_.registers_per_warp);
        if (!there || !fits(*gp) || gp->get_command() == tlm::TLM_IGNORE_COMMAND) {
            port.take();
            answer(port, *gp,
                   !there       ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                   : fits(*gp) ? tlm::TLM_OK_RESPONSE
                                : tlm::TLM_BURST_ERROR_RESPONSE);
        } else if (gp->is_write()) {
            if (!write(*gp, warp, reg)) {
                return;
            }
            port.take();
            answer(port, *gp, tlm::TLM_OK_RESPONSE);
        } else {
            if (plain_count_ == setup_.plain_reads || flights_->free_count == 0) {
                return;
            }
            port.take();
            request(port, *gp, warp, reg);
        }
    }
}

// False: the bank is taken in this cycle.
bool register_file::write(tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg)
{
    const smrf_register_place at = place_of(warp, reg);
    if (!smrf_arbiter_take_write(arbiter_->core(), at.bank)) {
        return false;
    }
    const auto offset = static_cast<unsigned>(gp.get_address() % SMRF_WARP_REG_BYTES);
    uint8_t enables[SMRF_WARP_REG_BYTES] = {};
    rf_payload *word = pool_.allocate();
    for (unsigned i = 0; i < gp.get_data_length(); i++) {
        word->data()[offset + i] = gp.get_data_ptr()[i];
        enables[offset + i] = enabled(gp, i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    word->set_write();
    word->set_address(smrf_row_address(rows_, at.row));
    word->set_data_ptr(word->data());
    word->set_data_length(SMRF_WARP_REG_BYTES);
    word->set_streaming_width(SMRF_WARP_REG_BYTES);
    word->set_byte_enable_ptr(enables);
    word->set_byte_enable_length(sizeof enables);
    send(*this, write_out_, at.bank, *word, sc_core::SC_ZERO_TIME, "a bank takes a write at once");
    word->release();
    if (cache_) {
        tell_cache(warp, reg);
    }
    return true;
}

// A copy that the collectors hold of the register follows it.
void register_file::tell_cache(unsigned warp, unsigned reg)
{
    const uint32_t flight = smrf_flights_take(flights_.get());
    smrf_flight &f = flights_->record[flight];
    const smrf_register_place at = place_of(warp, reg);
    uint32_t row[SMRF_LANES] = {};
    f = {};
    f.op = &ops_[flight];
    f.warp = static_cast<uint8_t>(warp);
    f.mask = UINT32_MAX;
    f.num_dst = 1;
    f.dst_reg[0] = static_cast<uint8_t>(reg);
    f.dst[0] = at;
    bank_debug(at, 0, tlm::TLM_READ_COMMAND, reinterpret_cast<uint8_t *>(row), sizeof row);
    rf_payload *gp = pool_.allocate();
    gp->set_write();
    gp->set_address(smrf_operand_address(flight, 0));
    gp->set_data_ptr(reinterpret_cast<unsigned char *>(row));
    gp->set_data_length(sizeof row);
    gp->set_streaming_width(sizeof row);
    send(*this, *cache_out_[0], 0, *gp, sc_core::SC_ZERO_TIME, "port D takes a result at once");
    gp->release();
    smrf_flights_give(flights_.get(), flight);
}

void register_file::request(inlet &port, tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg)
{
    const uint32_t flight = smrf_flights_take(flights_.get());
    plain_reads_[flight] = {&port, &gp, place_of(warp, reg)};
    plain_count_++;
    smrf_read read{};
    read.flight = flight;
    read.at = plain_reads_[flight].at;
    read.collector = static_cast<uint8_t>(plain_);
    uint32_t word = smrf_word_of_read(&read);
    rf_payload *request = pool_.allocate();
    request->set_write();
    request->set_address(flight);
    request->set_data_ptr(reinterpret_cast<unsigned char *>(&word));
    request->set_data_length(sizeof word);
    request->set_streaming_width(sizeof word);
    send(*this, request_out_, 0, *request, sc_core::SC_ZERO_TIME, "the arbiter takes requests at once");
    request->release();
}

tlm::tlm_sync_enum register_file::granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                          sc_core::sc_time &delay)
{
    uint32_t word = 0;
    std::memcpy(&word, gp.get_data_ptr(), sizeof word);
    const auto flight = static_cast<uint32_t>(gp.get_address());
    if (smrf_read_of_word(flight, word).collector != plain_) {
        return grant_out_.forward(0, gp, phase, delay);
    }
    const plain_read read = plain_reads_[flight];
    tlm::tlm_generic_payload &to = *read.gp;
    rf_payload *row = pool_.allocate();
    row->set_read();
    row->set_address(smrf_xbar_address(&map_, read.at));
    row->set_data_ptr(row->data());
    row->set_data_length(SMRF_WARP_REG_BYTES);
    row->set_streaming_width(SMRF_WARP_REG_BYTES);
    const sc_core::sc_time late = send(*this, read_out_, 0, *row, sc_core::SC_ZERO_TIME,
                                       "a granted read is completed at once");
    const uint64_t offset = to.get_address() % SMRF_WARP_REG_BYTES;
    for (unsigned i = 0; i < to.get_data_length(); i++) {
        if (enabled(to, i)) {
            to.get_data_ptr()[i] = row->data()[offset + i];
        }
    }
    row->release();
    smrf_flights_give(flights_.get(), flight);
    plain_count_--;
    answer(*read.port, to, tlm::TLM_OK_RESPONSE, late);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned register_file::bank_debug(smrf_register_place at, uint64_t offset,
                                   tlm::tlm_command command, uint8_t *data, unsigned bytes)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(smrf_xbar_address(&map_, at) + offset);
    gp.set_data_ptr(data);
    gp.set_data_length(bytes);
    gp.set_streaming_width(bytes);
    return read_out_.debug(0, gp);
}

// Debug accesses reach over registers.
unsigned register_file::look(tlm::tlm_generic_payload &gp)
{
    unsigned done = 0;
    while (done < gp.get_data_length() && gp.get_byte_enable_ptr() == nullptr) {
        const uint64_t address = gp.get_address() + done, index = address / SMRF_WARP_REG_BYTES;
        if (index >= uint64_t{setup_.warps} * setup_.registers_per_warp) {
            break;
        }
        const auto warp = static_cast<unsigned>(index / setup_.registers_per_warp);
        const auto reg = static_cast<unsigned>(index % setup_.registers_per_warp);
        const auto offset = static_cast<unsigned>(address % SMRF_WARP_REG_BYTES);
        done += bank_debug(place_of(warp, reg), offset, gp.get_command(), gp.get_data_ptr() + done,
                           std::min(gp.get_data_length() - done, SMRF_WARP_REG_BYTES - offset));
        if (gp.is_write() && cache_ && flights_->free_count != 0) {
            tell_cache(warp, reg);
        }
    }
    return done;
}

// --- instructions ------------------------------------------------------------------------------

void register_file::collect()
{
    smrf_collectors *core = collectors_->core();
    for (unsigned pass = 0; pass < setup_.rf.steps; pass++) {
        if (!operands_out_.busy()) {
            smrf_collectors_drained(core, unit);
        }
        if (core->ready_mask != 0) {
            smrf_collectors_dispatch(core);
        }
        if (smrf_arbiter_probe_busy(arbiter_->core())) {
            smrf_arbiter_step(arbiter_->core());
        }
    }
}

uint32_t register_file::make_flight(const smrf_rf_instruction &in)
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
        const auto at = static_cast<unsigned>(std::find(f.src_reg, f.src_reg + f.num_src, in.src[i]) -
                                              f.src_reg);
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

// The first instruction that waits, if there is a collector for it. Returns whether it has entered.
bool register_file::enter()
{
    tlm::tlm_generic_payload *gp = issue_in_.front(edge_);
    if (gp == nullptr) {
        return false;
    }
    smrf_rf_instruction in{};
    bool good = gp->is_write() && gp->get_data_length() == sizeof in &&
                gp->get_streaming_width() >= sizeof in && gp->get_byte_enable_ptr() == nullptr;
    if (good) {
        std::memcpy(&in, gp->get_data_ptr(), sizeof in);
        good = in.warp < setup_.warps && in.num_src > 0 && in.num_src <= SMRF_RF_SOURCES;
        for (unsigned i = 0; good && i < in.num_src; i++) {
            good = in.src[i] < setup_.registers_per_warp;
        }
    }
    if (!good) {
        issue_in_.take();
        answer(issue_in_, *gp, tlm::TLM_GENERIC_ERROR_RESPONSE);
        return false;
    }
    smrf_collectors *core = collectors_->core();
    if (core->free_mask == 0 || flights_->free_count < 2) {
        return false;
    }
    const smrf_mechanism *m = setup_.mechanism;
    const bool chooses = m != nullptr && m->allocation != nullptr && m->allocation->pick != nullptr;
    const int collector =
        chooses ? m->allocation->pick(mechanism_state_.get(), 0, in.warp, core->free_mask, &rng_, cycle_)
                : static_cast<int>(smrf_collectors_pick(core, &rng_));
    if (collector < 0) {
        wake(edge_ + setup_.period);
        return false;
    }
    issue_in_.take();
    uint32_t flight = make_flight(in);
    under_way_++;
    rf_payload *number = pool_.allocate();
    number->set_write();
    number->set_address(static_cast<uint64_t>(collector));
    number->set_data_ptr(reinterpret_cast<unsigned char *>(&flight));
    number->set_data_length(sizeof flight);
    number->set_streaming_width(sizeof flight);
    send(*this, enter_out_, 0, *number, sc_core::SC_ZERO_TIME, "a free collector takes an instruction");
    number->release();
    answer(issue_in_, *gp, tlm::TLM_OK_RESPONSE);
    return true;
}

// The collectors dispatch to here: all operands go on to the processor.
tlm::tlm_sync_enum register_file::fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                     sc_core::sc_time &)
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

void register_file::deliver(uint32_t flight)
{
    const smrf_flight &f = flights_->record[flight];
    const smrf_rf_instruction &in = held_[flight];
    const smrf_collector_unit &from = collectors_->core()->unit[f.collector];
    uint32_t data[SMRF_RF_SOURCES][SMRF_LANES];
    for (unsigned i = 0; i < in.num_src; i++) {
        const auto at = std::find(f.src_reg, f.src_reg + f.num_src, in.src[i]) - f.src_reg;
        std::memcpy(data[i], from.data[at], sizeof data[i]);
    }
    operands_out_.write(in.tag, data, in.num_src * sizeof data[0],
                        edge_ + setup_.period - sc_core::sc_time_stamp());
    delivered_++;
    under_way_--;
    smrf_flights_give(flights_.get(), flight);
}

// --- status and reset --------------------------------------------------------------------------

uint32_t register_file::word(unsigned status_word) const
{
    uint64_t reads = 0, writes = 0;
    for (const auto &b : banks_) {
        reads += b->core()->reads;
        writes += b->core()->writes;
    }
    const uint64_t words[SMRF_RF_STATUS_WORDS] = {
        collectors_->core()->free_mask,
        setup_.rf.collectors,
        setup_.rf.banks,
        arbiter_->core()->waiting,
        under_way_,
        delivered_,
        reads,
        writes,
        collectors_->core()->stats.cache_hits,
        arbiter_->core()->stats.bank_conflict_cycles,
    };
    return static_cast<uint32_t>(words[status_word]);
}

void register_file::show()
{
    while (tlm::tlm_generic_payload *gp = status_in_.front(edge_)) {
        const uint64_t index = gp->get_address() / sizeof(uint32_t);
        tlm::tlm_response_status how = tlm::TLM_OK_RESPONSE;
        if (index >= SMRF_RF_STATUS_WORDS) {
            how = tlm::TLM_ADDRESS_ERROR_RESPONSE;
        } else if (!gp->is_read()) {
            how = tlm::TLM_COMMAND_ERROR_RESPONSE;
        } else if (gp->get_data_length() != sizeof(uint32_t) ||
                   gp->get_address() % sizeof(uint32_t) != 0 || gp->get_byte_enable_ptr() != nullptr) {
            how = tlm::TLM_BURST_ERROR_RESPONSE;
        } else {
            const uint32_t value = word(static_cast<unsigned>(index));
            std::memcpy(gp->get_data_ptr(), &value, sizeof value);
        }
        status_in_.take();
        answer(status_in_, *gp, how);
    }
}

void register_file::reset()
{
    issue_in_.reset();
    status_in_.reset();
    for (const auto &port : registers_) {
        port->reset();
    }
    collectors_->reset();
    arbiter_->reset();
    smrf_xbar_reset(xbar_->core());
    for (const auto &b : banks_) {
        b->reset();
    }
    smrf_flights_reset(flights_.get());
    plain_count_ = under_way_ = delivered_ = 0;
    if (cache_) {
        cache_->reset();
    }
    if (mechanism_state_) {
        std::memset(mechanism_state_.get(), 0, setup_.mechanism->bytes(&setup_.mechanism_setup));
    }
    start_warps();
}

uint64_t register_file::violations() const
{
    uint64_t sum = 0;
    for (const auto &m : monitors_) {
        sum += m->violations();
    }
    return sum;
}

} // namespace smrf
