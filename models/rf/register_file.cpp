// SPDX-License-Identifier: Apache-2.0
#include "register_file.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace smrf
{

namespace
{

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

enum { at_issue, at_registers, at_status };

} // namespace

register_file::register_file(const sc_core::sc_module_name &name, const setup &s)
    : sc_core::sc_module(name), setup_(s),
      rows_(s.rf.banks != 0 ? smrf_bank_rows(&s.sm, &s.rf) : 0), plain_(s.rf.collectors),
      plain_reads_(SMRF_FLIGHTS), collector_free_(s.rf.collectors),
      stage_("collectors", s, calls_of(at_issue).wake, calls_of(at_issue).loosely),
      status_in_("status", calls_of(at_status)), write_out_("write_out", *this, s.rf.banks)
{
    if (s.ports == 0 || s.plain_reads == 0 ||
        s.rf.collectors * SMRF_RF_SOURCES + s.plain_reads > SMRF_ARBITER_DEPTH) {
        throw std::invalid_argument("a register file has a port, and room for a read");
    }
    for (uint32_t p = 0; p < s.ports; p++) {
        registers_.push_back(std::make_unique<inlet>(("registers_" + std::to_string(p)).c_str(),
                                                     calls_of(at_registers)));
    }
    wires_.ctx = this;
    wires_.grant = [](void *ctx, unsigned, uint32_t flight, const uint32_t *words, unsigned count) {
        static_cast<register_file *>(ctx)->arbiter_->grant(flight, words, count);
    };
    if (s.loosely_timed) {
        stage_.delivery = [this](const smrf_rf_instruction &, const void *data, size_t bytes) {
            const auto *from = static_cast<const unsigned char *>(data);
            collected_.assign(from, from + bytes);
        };
    }
    build_blocks();
    SC_METHOD(step);
    sensitive << clock_.tick;
    dont_initialize();
}

register_file::~register_file() = default;

// Nobody need read the status.
void register_file::before_end_of_elaboration()
{
    if (status_in_.socket.get_base_port().bind_count() == 0) {
        nobody_ = std::make_unique<tlm_utils::simple_initiator_socket<register_file>>("nobody");
        nobody_->bind(status_in_.socket);
    }
}

// --- construction ------------------------------------------------------------------------------

void register_file::build_blocks()
{
    const smrf_rf_params &rf = setup_.rf;
    const uint32_t requesters = rf.collectors + 1;
    xbar_ = std::make_unique<xbar_module>("xbar", requesters, rf.banks, rows_);
    arbiter_ = std::make_unique<arbiter_module>(
        "arbiter",
        smrf_arbiter_config{rf.banks, requesters, rf.collector_ports,
                            rf.collectors * SMRF_RF_SOURCES + setup_.plain_reads, rf.perfect != 0,
                            rf.collector_slots},
        0, wires_, stage_.clock(), pool_);
    smrf_xbar_init(&map_, rf.banks, rows_);
    links_.connect(arbiter_->grant_out[0], grant_in_[0]);
    links_.connect(grant_out_[0], stage_.grant_in());
    links_.connect(request_out_[0], arbiter_->request_in[plain_]);
    links_.connect(read_out_[0], xbar_->read_in[plain_]);
    for (uint32_t c = 0; c < rf.collectors; c++) {
        links_.connect(stage_.request_out(c), arbiter_->request_in[c]);
        links_.connect(stage_.read_out(c), xbar_->read_in[c]);
    }
    for (uint32_t b = 0; b < rf.banks; b++) {
        banks_.push_back(std::make_unique<bank_module>(("bank_" + std::to_string(b)).c_str(), rows_,
                                                       setup_.period * smrf_bank_delay(&rf)));
        links_.connect(xbar_->bank_out[b], banks_[b]->read_in[0]);
        links_.connect(write_out_[b], banks_[b]->write_in[0]);
    }
}

// --- the clock ---------------------------------------------------------------------------------

// (1) write-backs and plain reads (2) dispatch, arbitration, reads (3) a new instruction (4)
// status.
void register_file::step()
{
    clock_.begin();
    stage_.begin(clock_.cycle());
    for (const auto &port : registers_) {
        access(*port);
    }
    collect();
    stage_.enter();
    show();
    if (work_left()) {
        clock_.wake(clock_.next());
    }
    for (const inlet *port : {&stage_.issue, &status_in_}) {
        if (port->waiting()) {
            clock_.wake(port->next());
        }
    }
    for (const auto &port : registers_) {
        if (port->waiting()) {
            clock_.wake(port->next());
        }
    }
}

bool register_file::work_left() const
{
    return stage_.under_way() != 0 || plain_count_ != 0 ||
           smrf_arbiter_probe_busy(arbiter_->core());
}

void register_file::answer(inlet &port, tlm::tlm_generic_payload &gp, tlm::tlm_response_status how,
                           const sc_core::sc_time &late)
{
    gp.set_response_status(how);
    port.answer(gp, clock_.left() + late);
}

// --- the memory view ---------------------------------------------------------------------------

tlm::tlm_response_status register_file::locate(const tlm::tlm_generic_payload &gp, unsigned &warp,
                                               unsigned &reg) const
{
    const uint64_t index = gp.get_address() / SMRF_WARP_REG_BYTES;
    const tlm::tlm_command command = gp.get_command();
    if (command != tlm::TLM_READ_COMMAND && command != tlm::TLM_WRITE_COMMAND &&
        command != tlm::TLM_IGNORE_COMMAND) {
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (command != tlm::TLM_IGNORE_COMMAND && gp.get_data_ptr() == nullptr) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    warp = static_cast<unsigned>(index / setup_.registers_per_warp);
    reg = static_cast<unsigned>(index % setup_.registers_per_warp);
    return index >= uint64_t{setup_.warps} * setup_.registers_per_warp
               ? tlm::TLM_ADDRESS_ERROR_RESPONSE
           : fits(gp) ? tlm::TLM_OK_RESPONSE
                      : tlm::TLM_BURST_ERROR_RESPONSE;
}

// In order: what finds no bank or no room holds up what comes behind it.
void register_file::access(inlet &port)
{
    while (tlm::tlm_generic_payload *gp = port.front(clock_.edge())) {
        unsigned warp = 0, reg = 0;
        const tlm::tlm_response_status how = locate(*gp, warp, reg);
        if (how != tlm::TLM_OK_RESPONSE || gp->get_command() == tlm::TLM_IGNORE_COMMAND) {
            port.take();
            answer(port, *gp, how);
        } else if (gp->is_write()) {
            if (!write(*gp, warp, reg)) {
                return;
            }
            port.take();
            answer(port, *gp, tlm::TLM_OK_RESPONSE);
        } else {
            if (plain_count_ == setup_.plain_reads || stage_.flights().free_count == 0) {
                return;
            }
            port.take();
            request(&port, *gp, warp, reg);
        }
    }
}

// False: the bank is taken in this cycle.
bool register_file::write(tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg)
{
    const smrf_register_place at = stage_.place_of(warp, reg);
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
    follow(warp, reg);
    return true;
}

// What the collectors hold of a register follows its bank.
void register_file::follow(unsigned warp, unsigned reg)
{
    if (!stage_.caches() || stage_.flights().free_count == 0) {
        return;
    }
    uint32_t row[SMRF_LANES] = {};
    bank_debug(stage_.place_of(warp, reg), 0, tlm::TLM_READ_COMMAND,
               reinterpret_cast<uint8_t *>(row), sizeof row);
    stage_.written(warp, reg, row);
}

void register_file::request(inlet *port, tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg)
{
    const uint32_t flight = smrf_flights_take(&stage_.flights());
    plain_reads_[flight] = {port, &gp, stage_.place_of(warp, reg)};
    plain_count_++;
    uint32_t word = smrf_read_word(plain_reads_[flight].at, plain_, 0);
    rf_payload *request = pool_.allocate();
    request->set_write();
    request->set_address(flight);
    request->set_data_ptr(reinterpret_cast<unsigned char *>(&word));
    request->set_data_length(sizeof word);
    request->set_streaming_width(sizeof word);
    send(*this, request_out_, 0, *request, sc_core::SC_ZERO_TIME,
         "the arbiter takes requests at once");
    request->release();
}

tlm::tlm_sync_enum register_file::granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                          sc_core::sc_time &delay)
{
    uint32_t word = 0;
    std::memcpy(&word, gp.get_data_ptr(), sizeof word);
    const auto flight = static_cast<uint32_t>(gp.get_address());
    if (smrf_read_collector(word) != plain_) {
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
    smrf_flights_give(&stage_.flights(), flight);
    plain_count_--;
    if (read.port != nullptr) {
        answer(*read.port, to, tlm::TLM_OK_RESPONSE, late);
    } else {
        read_late_ = late;
    }
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
    while (done < gp.get_data_length() && gp.get_byte_enable_ptr() == nullptr &&
           gp.get_data_ptr() != nullptr) {
        const uint64_t address = gp.get_address() + done, index = address / SMRF_WARP_REG_BYTES;
        if (index >= uint64_t{setup_.warps} * setup_.registers_per_warp) {
            break;
        }
        const auto warp = static_cast<unsigned>(index / setup_.registers_per_warp);
        const auto reg = static_cast<unsigned>(index % setup_.registers_per_warp);
        const auto offset = static_cast<unsigned>(address % SMRF_WARP_REG_BYTES);
        done += bank_debug(stage_.place_of(warp, reg), offset, gp.get_command(),
                           gp.get_data_ptr() + done,
                           std::min(gp.get_data_length() - done, SMRF_WARP_REG_BYTES - offset));
        if (gp.is_write()) {
            follow(warp, reg);
        }
    }
    return done;
}

void register_file::collect()
{
    for (unsigned pass = 0; pass < setup_.rf.steps; pass++) {
        stage_.dispatch();
        if (smrf_arbiter_probe_busy(arbiter_->core())) {
            smrf_arbiter_step(arbiter_->core());
        }
    }
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
        stage_.core()->free_mask,
        setup_.rf.collectors,
        setup_.rf.banks,
        arbiter_->core()->waiting,
        stage_.under_way(),
        stage_.delivered(),
        reads,
        writes,
        stage_.core()->stats.cache_hits,
        smrf_arbiter_statistics(arbiter_->core()).bank_conflict_cycles,
    };
    return static_cast<uint32_t>(words[status_word]);
}

void register_file::show()
{
    while (tlm::tlm_generic_payload *gp = status_in_.front(clock_.edge())) {
        show(*gp);
        status_in_.take();
        answer(status_in_, *gp, gp->get_response_status());
    }
}

void register_file::show(tlm::tlm_generic_payload &gp)
{
    const uint64_t index = gp.get_address() / sizeof(uint32_t);
    tlm::tlm_response_status how = tlm::TLM_OK_RESPONSE;
    if (index >= SMRF_RF_STATUS_WORDS) {
        how = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    } else if (!gp.is_read()) {
        how = tlm::TLM_COMMAND_ERROR_RESPONSE;
    } else if (gp.get_data_length() != sizeof(uint32_t) ||
               gp.get_address() % sizeof(uint32_t) != 0 || gp.get_byte_enable_ptr() != nullptr) {
        how = tlm::TLM_BURST_ERROR_RESPONSE;
    } else if (gp.get_data_ptr() == nullptr) {
        how = tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else {
        const uint32_t value = word(static_cast<unsigned>(index));
        std::memcpy(gp.get_data_ptr(), &value, sizeof value);
    }
    gp.set_response_status(how);
}

void register_file::reset()
{
    status_in_.reset();
    for (const auto &port : registers_) {
        port->reset();
    }
    arbiter_->reset();
    smrf_xbar_reset(xbar_->core());
    for (const auto &b : banks_) {
        b->reset();
    }
    plain_count_ = 0;
    stage_.reset();
    std::fill(collector_free_.begin(), collector_free_.end(), sc_core::SC_ZERO_TIME);
    bank_free_.fill(sc_core::SC_ZERO_TIME);
    processor_free_ = sc_core::SC_ZERO_TIME;
    for (size_t p = 0; granted_dmi_ && p < registers_.size(); p++) {
        registers_[p]->socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
    }
    granted_dmi_ = false;
}

// --- loosely timed -----------------------------------------------------------------------------

inlet::calls register_file::calls_of(int kind)
{
    inlet::calls c;
    if (kind == at_registers) {
        c.debug = [this](tlm::tlm_generic_payload &gp) { return look(gp); };
    }
    if (!setup_.loosely_timed) {
        c.wake = [this](const sc_core::sc_time &at) { clock_.wake(at); };
        return c;
    }
    c.wake = [](const sc_core::sc_time &) {};
    if (kind == at_registers) {
        c.loosely = [this](tlm::tlm_generic_payload &gp, sc_core::sc_time &delay, bool) {
            access_loosely(gp, delay);
        };
        c.dmi = [this](tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) {
            return grant_dmi(gp, dmi);
        };
    } else if (kind == at_issue) {
        c.loosely = [this](tlm::tlm_generic_payload &gp, sc_core::sc_time &delay, bool waits) {
            if (waits) {
                issue_loosely(gp, delay);
            } else {
                gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
            }
        };
    } else {
        c.loosely = [this](tlm::tlm_generic_payload &gp, sc_core::sc_time &delay, bool) {
            show(gp);
            delay = first_edge(delay) + setup_.period - sc_core::sc_time_stamp();
        };
    }
    return c;
}

// Of the caller's clock. The blocks' own never goes back.
sc_core::sc_time register_file::first_edge(const sc_core::sc_time &delay)
{
    const auto period = setup_.period.value();
    const uint64_t cycle = ((sc_core::sc_time_stamp() + delay).value() + period - 1) / period;
    loose_cycle_ = std::max(loose_cycle_ + 1, cycle);
    return sc_core::sc_time::from_value(cycle * period);
}

void register_file::one_cycle()
{
    stage_.begin(loose_cycle_++);
    collect();
}

// What the blocks have done since `before` takes the banks' time, from `first` on. Returns how long
// that has to wait for what others have done.
sc_core::sc_time register_file::wait_for_banks(const accesses &before,
                                               const sc_core::sc_time &first)
{
    sc_core::sc_time longest = sc_core::SC_ZERO_TIME;
    const accesses now = bank_accesses();
    for (size_t b = 0; b < banks_.size() && setup_.rf.perfect == 0; b++) {
        if (now[b] != before[b]) {
            const sc_core::sc_time begin = std::max(first, bank_free_[b]);
            bank_free_[b] = begin + setup_.period * static_cast<double>(now[b] - before[b]);
            longest = std::max(longest, begin - first);
        }
    }
    return longest;
}

register_file::accesses register_file::bank_accesses() const
{
    accesses all{};
    for (size_t b = 0; b < banks_.size(); b++) {
        all[b] = banks_[b]->core()->reads + banks_[b]->core()->writes;
    }
    return all;
}

void register_file::access_loosely(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    unsigned warp = 0, reg = 0;
    const tlm::tlm_response_status how = locate(gp, warp, reg);
    sc_core::sc_time end = first_edge(delay);
    gp.set_dmi_allowed(how == tlm::TLM_OK_RESPONSE && (gp.is_read() || !stage_.caches()));
    if (how == tlm::TLM_OK_RESPONSE && gp.get_command() != tlm::TLM_IGNORE_COMMAND) {
        const accesses before = bank_accesses();
        const sc_core::sc_time first = end;
        stage_.begin(loose_cycle_);
        if (gp.is_write()) {
            write(gp, warp, reg);
        } else {
            request(nullptr, gp, warp, reg);
        }
        read_late_ = sc_core::SC_ZERO_TIME;
        do {
            one_cycle();
            end += setup_.period;
        } while (plain_count_ != 0);
        end += read_late_ + wait_for_banks(before, first);
    } else {
        end += setup_.period;
    }
    gp.set_response_status(how);
    delay = end - sc_core::sc_time_stamp();
}

// The call may take its time at the processor, which has nothing to do with the blocks any more.
void register_file::issue_loosely(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    smrf_rf_instruction in{};
    if (!stage_.decode(gp, in)) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        delay = first_edge(delay) + setup_.period - sc_core::sc_time_stamp();
        return;
    }
    const auto collector = std::min_element(collector_free_.begin(), collector_free_.end());
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time at = first_edge(std::max(now + delay, *collector) - now);
    stage_.begin(loose_cycle_);
    while (!stage_.admit(in)) {
        one_cycle();
        stage_.begin(loose_cycle_);
        at += setup_.period;
    }
    const sc_core::sc_time entered = at + setup_.period;
    const accesses before = bank_accesses();
    while (stage_.under_way() != 0) {
        loose_cycle_++;
        at += setup_.period;
        stage_.begin(loose_cycle_);
        collect();
    }
    at = std::max(at + setup_.period + wait_for_banks(before, entered), processor_free_);
    *collector = at;
    std::vector<unsigned char> operands;
    operands.swap(collected_);
    at = stage_.operands.transport(in.tag, operands, at);
    *collector = processor_free_ = at;
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = entered > sc_core::sc_time_stamp() ? entered - sc_core::sc_time_stamp()
                                               : sc_core::SC_ZERO_TIME;
}

bool register_file::grant_dmi(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi)
{
    unsigned warp = 0, reg = 0;
    if (locate(gp, warp, reg) == tlm::TLM_ADDRESS_ERROR_RESPONSE ||
        (gp.is_write() && stage_.caches())) {
        return false;
    }
    const smrf_register_place at = stage_.place_of(warp, reg);
    smrf_bank_row *row = smrf_bank_poke(banks_[at.bank]->core(), at.row);
    const uint64_t start = gp.get_address() / SMRF_WARP_REG_BYTES * SMRF_WARP_REG_BYTES;
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char *>(row));
    dmi.set_start_address(start);
    dmi.set_end_address(start + SMRF_WARP_REG_BYTES - 1);
    dmi.set_read_latency(setup_.period * (1 + smrf_bank_delay(&setup_.rf)));
    dmi.set_write_latency(setup_.period);
    stage_.caches() ? dmi.allow_read() : dmi.allow_read_write();
    gp.set_dmi_allowed(true);
    granted_dmi_ = true;
    return true;
}

} // namespace smrf
