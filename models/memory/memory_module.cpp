// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_module.h"

#include "models/common/smrf_inlined.h"
#include "models/memory/noc.h"
#include "models/memory/written_bytes.h"
#include "models/tlm/core_period.h"
#include "models/tlm/cycle_times.h"
#include "models/tlm/payload_pool.h"

#include <algorithm>
#include <string>

namespace smrf
{

namespace
{

constexpr uint32_t no_slot = UINT32_MAX;
constexpr ptrdiff_t prefetched = 8; // answers ahead

} // namespace

// One socket: at most one request being taken, at most one response being given. An initiator
// touches nothing but its lane.
class memory_module::lane final : public tlm::tlm_fw_transport_if<>
{
  public:
    lane(memory_module &module, tlm::tlm_target_socket<> &socket, uint16_t sm)
        : module_(module), socket_(socket), sm_(sm)
    {
        smrf_channel_init(&channel_, module.core_);
        socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    }

    // A sector of an access has been answered.
    void sector(const smrf_mem_response &r)
    {
        if (--slots_[r.id].sectors == 0) {
            answer(r.id, r.cycle);
        }
    }
    void prefetch_answer(uint32_t index) const
    {
        prefetch(*slots_[index].gp);
    }
    void give_answers();
    void retry();
    void reset();
    bool idle() const
    {
        return under_way_ == 0 && !channel_.waiting;
    }
    uint64_t late_requests() const
    {
        return late_requests_;
    }
    cycle_times &times()
    {
        return times_;
    }
    // Once the socket is bound.
    void start(const sc_core::sc_time &period)
    {
        times_.start(period);
        back_ = socket_.operator->();
    }

  private:
    struct slot {
        tlm::tlm_generic_payload *gp = nullptr;
        uint32_t sectors = 0;    // to be answered
        uint32_t next = no_slot; // free: the one that was free before
    };
    // An access whose sectors have not all been taken by the core.
    struct held_access {
        uint32_t index;   // no_slot: there is none
        uint32_t pushed;  // its sectors that the channel has been given
        uint32_t sectors; // it has
    };
    struct ready_answer {
        uint32_t index;
        uint64_t cycle;
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
    {
        return module_.store_.debug(gp);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override
    {
        return false;
    }

    tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                     sc_core::sc_time &delay);
    void add_slot();
    uint32_t take_slot(tlm::tlm_generic_payload &gp, uint32_t sectors);
    void end_transaction(uint32_t index);
    void answer(uint32_t index, uint64_t cycle);
    void give(const ready_answer &next);
    tlm::tlm_sync_enum refuse(tlm::tlm_generic_payload &gp, tlm::tlm_response_status status);
    bool push(uint32_t index, uint32_t pushed, uint32_t sectors, uint64_t cycle);
    smrf_mem_request next_sector(uint32_t index, uint32_t pushed, uint64_t cycle) const;
    const sc_core::sc_time &time_until(uint64_t cycle)
    {
        return times_.until(times_.of(cycle));
    }
    [[gnu::cold]] void report(const char *rule, const std::string &text) const;

    memory_module &module_;
    tlm::tlm_target_socket<> &socket_;
    const uint16_t sm_;
    tlm::tlm_bw_transport_if<> *back_ = nullptr; // of the initiator
    smrf_channel channel_;
    std::vector<slot> slots_;      // index = id in the core
    uint32_t free_slot_ = no_slot; // the last that became free
    uint32_t under_way_ = 0;       // those that are not
    uint64_t late_requests_ = 0;
    held_access held_{no_slot, 0, 0};
    std::deque<ready_answer> ready_;
    uint32_t responding_ = no_slot;
    cycle_times times_;
    cycle_times::value_type response_free_ = 0; // earliest time of the next BEGIN_RESP
};

void memory_module::lane::report(const char *rule, const std::string &text) const
{
    const std::string id = std::string("/smrf/memory/") + rule;
    const std::string message =
        std::string(socket_.name()) + ": " + text + " at " + sc_core::sc_time_stamp().to_string();
    SC_REPORT_ERROR(id.c_str(), message.c_str());
}

tlm::tlm_sync_enum memory_module::lane::nb_transport_fw(tlm::tlm_generic_payload &gp,
                                                        tlm::tlm_phase &phase,
                                                        sc_core::sc_time &delay)
{
    if (phase == tlm::BEGIN_REQ) {
        return begin_request(gp, phase, delay);
    }
    if (phase == tlm::END_RESP) {
        if (responding_ == no_slot || slots_[responding_].gp != &gp) {
            report("unknown_transaction", "END_RESP for a transaction that has no response");
            return tlm::TLM_COMPLETED;
        }
        response_free_ = times_.now() + delay.value();
        end_transaction(responding_);
        responding_ = no_slot;
        module_.response_free_.notify(sc_core::SC_ZERO_TIME);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
        report("phase", "an initiator sent END_REQ or BEGIN_RESP");
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum memory_module::lane::begin_request(tlm::tlm_generic_payload &gp,
                                                      tlm::tlm_phase &phase,
                                                      sc_core::sc_time &delay)
{
    if (held_.index != no_slot) {
        report("request_exclusion", "BEGIN_REQ before the last request had ended");
        return refuse(gp, tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    if (!gp.has_mm()) {
        report("memory_manager", "nb_transport_fw with a transaction without memory manager");
        return refuse(gp, tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    if (gp.get_command() != tlm::TLM_IGNORE_COMMAND && gp.get_data_length() == 0) {
        return refuse(gp, tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    const cycle_times::value_type at = times_.now() + delay.value();
    const uint64_t cycle = times_.cycle(at);
    late_requests_ += cycle < smrf_memory_now(module_.core_);
    const uint64_t bytes = std::max(gp.get_data_length(), 1u);
    const uint64_t first = gp.get_address() / SMRF_SECTOR_BYTES;
    const uint64_t last = (gp.get_address() + bytes - 1) / SMRF_SECTOR_BYTES;
    gp.acquire();
    const auto sectors = static_cast<uint32_t>(last - first + 1);
    if (!push(take_slot(gp, sectors), 0, sectors, cycle)) {
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    const cycle_times::value_type taken = times_.of(smrf_channel_free(&channel_));
    if (taken != at) { // nearly every request is taken in its cycle
        delay = times_.until(taken);
    }
    return tlm::TLM_UPDATED;
}

[[gnu::noinline]] void memory_module::lane::add_slot()
{
    free_slot_ = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
}

uint32_t memory_module::lane::take_slot(tlm::tlm_generic_payload &gp, uint32_t sectors)
{
    if (free_slot_ == no_slot) {
        add_slot();
    }
    const uint32_t index = free_slot_;
    slot &taken = slots_[index];
    free_slot_ = taken.next;
    taken.gp = &gp;
    taken.sectors = sectors;
    under_way_++;
    return index;
}

void memory_module::lane::end_transaction(uint32_t index)
{
    slot &over = slots_[index];
    tlm::tlm_generic_payload *gp = over.gp;
    over.gp = nullptr;
    over.next = free_slot_;
    free_slot_ = index;
    under_way_--;
    gp->release();
}

// An answer without the core.
tlm::tlm_sync_enum memory_module::lane::refuse(tlm::tlm_generic_payload &gp,
                                               tlm::tlm_response_status status)
{
    gp.set_dmi_allowed(false);
    gp.set_response_status(status);
    return tlm::TLM_COMPLETED;
}

inline smrf_mem_request memory_module::lane::next_sector(uint32_t index, uint32_t pushed,
                                                         uint64_t cycle) const
{
    const tlm::tlm_generic_payload &gp = *slots_[index].gp;
    const mem_fields *fields = sector_fields(gp);
    smrf_mem_request request = {};
    request.address = (gp.get_address() / SMRF_SECTOR_BYTES + pushed) * SMRF_SECTOR_BYTES;
    request.cycle = cycle;
    request.id = index;
    request.byte_mask = UINT32_MAX;
    request.sm = sm_;
    request.kind = gp.is_write() ? SMRF_MEM_WRITE : SMRF_MEM_READ;
    if (fields &&
        (fields->kind == SMRF_MEM_ATOMIC || gp.get_command() == tlm::TLM_IGNORE_COMMAND)) {
        request.kind = fields->kind;
    }
    if (request.kind != SMRF_MEM_READ) {
        request.byte_mask = changed_bytes(gp, fields, request.address);
    }
    return request;
}

// Gives the channel the access's sectors from `cycle` on. True if the core has taken them all, else
// it is held. Inlined: nearly every access is one sector, which the core takes.
SMRF_INLINED bool memory_module::lane::push(uint32_t index, uint32_t pushed, uint32_t sectors,
                                            uint64_t cycle)
{
    while (pushed < sectors) {
        const smrf_mem_request request = next_sector(index, pushed, cycle);
        pushed++;
        if (!smrf_channel_take(&channel_, &request)) {
            held_ = {index, pushed, sectors};
            return false;
        }
    }
    return true;
}

// After the core has been run: the held request may have found its credit.
void memory_module::lane::retry()
{
    if (!smrf_channel_retry(&channel_)) {
        return;
    }
    tlm::tlm_generic_payload &gp = *slots_[held_.index].gp;
    const held_access waited = held_;
    held_.index = no_slot;
    if (push(waited.index, waited.pushed, waited.sectors, smrf_channel_free(&channel_))) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = time_until(smrf_channel_free(&channel_));
        if (back_->nb_transport_bw(gp, phase, delay) != tlm::TLM_ACCEPTED) {
            report("phase", "an initiator answered END_REQ with more than TLM_ACCEPTED");
        }
    }
}

void memory_module::lane::reset()
{
    smrf_channel_reset(&channel_);
    response_free_ = 0;
    slots_.clear();
    free_slot_ = no_slot;
    under_way_ = 0;
    late_requests_ = 0;
}

SMRF_INLINED void memory_module::lane::give(const ready_answer &next)
{
    tlm::tlm_generic_payload &gp = *slots_[next.index].gp;
    gp.set_dmi_allowed(false);
    gp.set_response_status(gp.get_command() == tlm::TLM_IGNORE_COMMAND ? tlm::TLM_OK_RESPONSE
                                                                       : module_.store_.access(gp));
    responding_ = next.index;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = times_.until(std::max(times_.of(next.cycle), response_free_));
    const tlm::tlm_sync_enum status = back_->nb_transport_bw(gp, phase, delay);
    if (status == tlm::TLM_ACCEPTED) {
        return; // END_RESP follows, or came from within the call
    }
    if (status == tlm::TLM_UPDATED && phase != tlm::END_RESP) {
        report("phase", "an initiator answered BEGIN_RESP with TLM_UPDATED without END_RESP");
    }
    response_free_ = times_.now() + delay.value();
    if (responding_ != no_slot) {
        responding_ = no_slot;
        end_transaction(next.index);
    }
}

inline void memory_module::lane::answer(uint32_t index, uint64_t cycle)
{
    if (responding_ == no_slot && ready_.empty()) {
        give({index, cycle});
    } else {
        ready_.push_back({index, cycle});
    }
}

void memory_module::lane::give_answers()
{
    while (responding_ == no_slot && !ready_.empty()) {
        const ready_answer next = ready_.front();
        ready_.pop_front();
        give(next);
    }
}

// With the L2 as it is now and the latencies of an idle machine.
void memory_module::lane::b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    const smrf_memory_config &c = module_.config_;
    uint64_t cycles = 2 * c.noc.latency + c.l2.latency + 1 + SMRF_NOC_EJECTION;
    if (module_.idle() && gp.get_data_length() != 0) {
        const mem_fields *fields = sector_fields(gp);
        smrf_mem_request r = {};
        r.sm = sm_;
        r.kind = fields          ? fields->kind
                 : gp.is_write() ? static_cast<uint8_t>(SMRF_MEM_WRITE)
                                 : static_cast<uint8_t>(SMRF_MEM_READ);
        const uint64_t end = gp.get_address() + gp.get_data_length();
        bool hit = true;
        for (r.address = gp.get_address() / SMRF_SECTOR_BYTES * SMRF_SECTOR_BYTES; r.address < end;
             r.address += SMRF_SECTOR_BYTES) {
            r.byte_mask = r.kind == SMRF_MEM_READ ? UINT32_MAX : written_bytes(gp, r.address);
            hit = smrf_memory_touch(module_.core_, &r) && hit;
        }
        const uint64_t dram = uint64_t{c.dram.rcd} + c.dram.cl + c.dram.burst / c.dram.data_rate;
        cycles += hit || r.kind == SMRF_MEM_WRITE
                      ? 0
                      : c.dram.latency + dram * c.gpu.core_khz / c.dram.khz;
    }
    gp.set_dmi_allowed(false);
    gp.set_response_status(module_.store_.access(gp));
    delay += sc_core::sc_time::from_value(cycles * times_.period());
}

memory_module::memory_module(const sc_core::sc_module_name &name, const smrf_memory_config &config,
                             uint64_t period_ps)
    : sc_module(name), in("in", config.gpu.sms), config_(config), period_ps_(period_ps)
{
    const size_t bytes = smrf_memory_bytes(&config_);
    core_ = bytes == 0 ? nullptr : slab_.take<smrf_memory>(bytes);
    if (core_ == nullptr || smrf_memory_init(core_, &config_) != SMRF_OK) {
        SC_REPORT_FATAL("/smrf/memory/config", "the configuration is not one that "
                                               "smrf_memory_config_check() accepts");
    }
    answers_.resize(size_t{config.gpu.sms} * config.noc.credits);
    for (uint32_t i = 0; i < config.gpu.sms; i++) {
        lanes_.push_back(std::make_unique<lane>(*this, in[i], static_cast<uint16_t>(i)));
    }
    SC_METHOD(give_answers);
    sensitive << response_free_;
    dont_initialize();
}

memory_module::~memory_module() = default;

void memory_module::end_of_elaboration()
{
    const sc_core::sc_time period = time_of_ps(period_ps_, "/smrf/memory/resolution");
    for (const auto &l : lanes_) {
        l->start(period);
    }
}

void memory_module::advance(uint64_t now)
{
    take();
    move(now);
    report();
}

void memory_module::take()
{
    smrf_memory_take(core_);
}

void memory_module::move(uint64_t now)
{
    smrf_memory_advance(core_, now);
}

// Takes requests that had to wait, then sends answers, which may bring further requests.
void memory_module::report()
{
    const smrf_mem_response *const first = answers_.data();
    const smrf_mem_response *const end = first + smrf_memory_deliver_all(core_, answers_.data());
    for (const auto &l : lanes_) {
        l->retry();
    }
    for (const smrf_mem_response *r = first; r != end; r++) {
        if (end - r > prefetched) {
            lanes_[r[prefetched].sm]->prefetch_answer(r[prefetched].id);
        }
        lanes_[r->sm]->sector(*r);
    }
}

void memory_module::give_answers()
{
    for (const auto &l : lanes_) {
        l->give_answers();
    }
}

uint64_t memory_module::next() const
{
    return smrf_memory_next(core_);
}

void memory_module::warm(uint64_t address, uint64_t bytes)
{
    smrf_memory_warm(core_, address, bytes);
}

void memory_module::stats_get(smrf_memory_stats *stats) const
{
    smrf_memory_stats_get(core_, stats);
}

void memory_module::stats_reset()
{
    smrf_memory_stats_reset(core_);
}

bool memory_module::idle() const
{
    return smrf_memory_idle(core_) &&
           std::all_of(lanes_.begin(), lanes_.end(), [](const auto &l) { return l->idle(); });
}

void memory_module::set_origin(const sc_core::sc_time &origin)
{
    for (const auto &l : lanes_) {
        l->times().set_origin(origin.value());
    }
}

void memory_module::reset(const sc_core::sc_time &origin)
{
    if (!std::all_of(lanes_.begin(), lanes_.end(), [](const auto &l) { return l->idle(); })) {
        SC_REPORT_ERROR("/smrf/memory/reset", "a transaction is under way");
        return;
    }
    set_origin(origin);
    smrf_memory_reset(core_);
    store_.clear();
    for (const auto &l : lanes_) {
        l->reset();
    }
}

uint64_t memory_module::late_requests() const
{
    uint64_t sum = 0;
    for (const auto &l : lanes_) {
        sum += l->late_requests();
    }
    return sum;
}

} // namespace smrf
