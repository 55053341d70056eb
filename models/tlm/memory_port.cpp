// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/memory_port.h"

#include "models/common/smrf_inlined.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <sysc/kernel/sc_dynamic_processes.h>

namespace smrf
{

namespace
{

// owner_state of a payload in flight.
enum : uint32_t {
    REQUESTING = 1, // holds the request channel
    WAITING,        // request phase over, answer not yet begun
    RESPONDING,     // answered, END_RESP still to be sent
    ENDED,          // over, but the call that began it has not returned
    PHASE = 15,     // mask of the above
    IN_CALL = 16    // flag: within nb_transport_fw(BEGIN_REQ)
};

} // namespace

memory_port::memory_port(const sc_core::sc_module_name &name, const memory_port_options &options,
                         const memory_port_events &events)
    : sc_module(name), options_(options), events_(events),
      pool_(std::string(this->name()) + ".pool"), joins_(options.bus.access > SMRF_SECTOR_BYTES),
      listed_(joins_ || options.bus.latency != 0),
      ends_(!options.bus.end_resp && options.bus.response_cycles == 0 &&
            options.view != SMRF_VIEW_CYCLE),
      mask_(options.bus.address_bits < 64 ? (UINT64_C(1) << options.bus.address_bits) - 1
                                          : UINT64_MAX),
      base_(uint64_t{options.bus.base_mib} << 20)
{
    socket.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    SC_METHOD(release_held);
    sensitive << held_due_;
    dont_initialize();
    SC_METHOD(send_end_responses);
    sensitive << end_due_;
    dont_initialize();
}

void memory_port::end_of_elaboration()
{
    const sc_core::sc_time period = time_of_ps(options_.period_ps, "/smrf/memory_port/resolution");
    requests_.start(period);
    answers_.start(period);
    forth_ = socket.operator->();
}

void memory_port::reset(const sc_core::sc_time &origin)
{
    if (!idle()) {
        SC_REPORT_ERROR("/smrf/memory_port/reset", "a transaction is under way");
        return;
    }
    set_origin(origin);
    free_cycle_ = open_cycle_ = request_cycle_ = 0;
    sent_ = answered_ = protocol_errors_ = 0;
    stats_ = {};
}

bool memory_port::send_c(void *ctx, const smrf_mem_request *request)
{
    return static_cast<memory_port *>(ctx)->send(*request);
}

bool memory_port::send(const smrf_mem_request &request)
{
    if (joins_ && join(request)) {
        return true;
    }
    if (request.cycle < free_cycle_) {
        return false;
    }
    const auto now = requests_.now();
    auto at = requests_.of(request.cycle);
    if (at < now) {
        if (options_.view == SMRF_VIEW_LT) { // the last call has waited
            stats_.late += now - at >= requests_.period();
        } else {
            protocol_error("late_request", "a request was sent for a cycle that is over");
        }
        at = now;
    }
    free_cycle_ = SMRF_NEVER;
    request_cycle_ = request.cycle;
    sent_++;
    stats_.accesses++;
    mem_payload *p = make_payload(request);
    if (options_.view == SMRF_VIEW_LT) {
        call_loosely(*p, requests_.until(at));
        return true;
    }
    if (options_.bus.blocking) {
        call(*p, at);
        return true;
    }

    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = requests_.until(at);
    p->owner_state |= IN_CALL;
    const tlm::tlm_sync_enum status = forth_->nb_transport_fw(*p, phase, delay);
    p->owner_state &= ~IN_CALL;
    on_return(*p, status, phase, delay);
    if (p->owner_state == ENDED) {
        finish(*p);
    }
    report_failure();
    return true;
}

// The sector comes with a block that is under way.
bool memory_port::join(const smrf_mem_request &request)
{
    const auto found = joinable_.find(request.address / options_.bus.access);
    if (found == joinable_.end()) {
        return false;
    }
    if (request.kind != SMRF_MEM_READ) {
        joinable_.erase(found); // what is read later is newer
        return false;
    }
    found->second->wanted.push_back(request);
    sent_++;
    stats_.joined++;
    return true;
}

inline mem_payload *memory_port::make_payload(const smrf_mem_request &request)
{
    mem_payload *p = pool_.allocate();
    open_++;
    p->set_address(base_ + (request.address & mask_));
    p->owner_state = REQUESTING;
    p->extension.fields.id = request.id;
    p->extension.fields.sm = options_.sm;
    p->extension.fields.kind = request.kind;
    p->extension.fields.bytes = request.byte_mask;
    if (!at_home_) {
        describe(*p, request);
    }
    if (listed_) {
        list(*p, request);
    }
    return p;
}

void memory_port::list(const mem_payload &p, const smrf_mem_request &request)
{
    access &a = accesses_[&p] = {request.address / options_.bus.access, {request}};
    unanswered_.insert(request.cycle);
    if (joins_ && request.kind == SMRF_MEM_READ) {
        joinable_[a.block] = &a;
    }
}

// What a payload at home says in its extension alone.
void memory_port::describe(mem_payload &p, const smrf_mem_request &request)
{
    const bool write = request.kind == SMRF_MEM_WRITE;
    const uint32_t bytes = options_.bus.access;
    const uint64_t start = request.address & ~uint64_t{bytes - 1};
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(base_ + (start & mask_));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    if (write) {
        fill(p, request, static_cast<uint32_t>(request.address - start));
    }
}

// Nothing is written whose value is not known; a memory that does not look at byte enables writes
// what it holds.
void memory_port::fill(mem_payload &p, const smrf_mem_request &request, uint32_t first)
{
    uint8_t bytes[SMRF_SECTOR_BYTES] = {};
    uint32_t known = events_.write_data ? events_.write_data(events_.ctx, &request, bytes) : 0;
    known = options_.bus.unknown_data == SMRF_BUS_ZEROS ? UINT32_MAX : known;
    const uint32_t mask = request.byte_mask & known;
    if (mask == 0 && options_.bus.unknown_data == SMRF_BUS_IGNORED) {
        p.set_command(tlm::TLM_IGNORE_COMMAND);
        return;
    }
    if (looks_ && options_.bus.unknown_data != SMRF_BUS_ZEROS && (mask != UINT32_MAX || joins_)) {
        const unsigned length = p.get_data_length();
        looks_ = debug_read(p.get_address(), p.data(), length) == length;
    }
    for (uint32_t b = 0; b < SMRF_SECTOR_BYTES; b++) {
        p.data()[first + b] = (known >> b & 1) != 0 ? bytes[b] : p.data()[first + b];
    }
    p.enable_bytes(mask, p.get_data_length(), first);
}

// What nb_transport_fw(BEGIN_REQ) returned.
void memory_port::on_return(mem_payload &p, tlm::tlm_sync_enum status, const tlm::tlm_phase &phase,
                            const sc_core::sc_time &delay)
{
    if (status == tlm::TLM_ACCEPTED) {
        return;
    }
    if (options_.view == SMRF_VIEW_CYCLE && delay != sc_core::SC_ZERO_TIME) {
        hold(p, status == tlm::TLM_COMPLETED ? unsigned{tlm::UNINITIALIZED_PHASE} : unsigned{phase},
             delay);
        return;
    }
    if (p.owner_state == ENDED || p.owner_state == RESPONDING) {
        protocol_error("phase", "BEGIN_REQ returned an update after BEGIN_RESP");
        return;
    }
    if (status == tlm::TLM_COMPLETED) {
        end_request(p, delay);
        answer(p, delay);
        finish(p);
    } else if (phase == tlm::END_REQ) {
        end_request(p, delay);
    } else if (phase == tlm::BEGIN_RESP) {
        end_request(p, delay);
        answer(p, delay);
        p.owner_state = RESPONDING;
        end_response_later(p, delay);
    } else {
        protocol_error("phase", "TLM_UPDATED without END_REQ or BEGIN_RESP");
    }
}

tlm::tlm_sync_enum memory_port::nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                                sc_core::sc_time &delay)
{
    // At home every payload is our own and keeps its extension.
    mem_payload *p = at_home_ ? static_cast<mem_payload *>(&gp) : pool_.find(gp);
    const uint32_t state = p == nullptr ? 0 : p->owner_state & PHASE;
    if (state == 0 || state == ENDED) {
        protocol_error("unknown_transaction", "a phase came for a transaction not in flight");
        return tlm::TLM_ACCEPTED;
    }
    if (options_.view == SMRF_VIEW_CYCLE && delay != sc_core::SC_ZERO_TIME &&
        (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)) {
        hold(*p, phase, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        if (state != REQUESTING) {
            protocol_error("phase", "END_REQ after the request phase had ended");
        }
        end_request(*p, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        return begin_response(*p, delay);
    }
    if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
        protocol_error("phase", "a target sent BEGIN_REQ or END_RESP");
    }
    return tlm::TLM_ACCEPTED; // ignorable phases of a derived protocol
}

inline tlm::tlm_sync_enum memory_port::begin_response(mem_payload &p, const sc_core::sc_time &delay)
{
    if ((p.owner_state & PHASE) == RESPONDING) {
        protocol_error("phase", "a second BEGIN_RESP");
        return tlm::TLM_ACCEPTED;
    }
    const uint32_t in_call = p.owner_state & IN_CALL;
    end_request(p, delay); // implied where END_REQ has not come
    answer(p, delay);
    if (ends_) {
        finish(p);
    } else {
        p.owner_state = RESPONDING | in_call;
        end_response_later(p, delay);
    }
    if (in_call == 0) { // else send() does, once it has settled the request
        report_failure();
    }
    return ends_ ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

inline void memory_port::end_request(mem_payload &p, const sc_core::sc_time &delay)
{
    if ((p.owner_state & PHASE) != REQUESTING) {
        return;
    }
    p.owner_state = WAITING | (p.owner_state & IN_CALL);
    free_from(cycle_in(requests_, delay));
}

// The request channel; SMRF_NEVER: not yet known.
inline void memory_port::free_from(uint64_t cycle)
{
    free_cycle_ = cycle;
    if (cycle > request_cycle_ && cycle != SMRF_NEVER) {
        free_cycle_ = not_passed(cycle);
        if (events_.on_free != nullptr) {
            events_.on_free(events_.ctx, free_cycle_);
        }
    }
}

void memory_port::end_response_later(mem_payload &p, const sc_core::sc_time &delay)
{
    const sc_core::sc_time at =
        sc_core::sc_time_stamp() + delay +
        sc_core::sc_time::from_value(options_.bus.response_cycles * requests_.period());
    responding_.emplace(at, &p);
    end_due_.notify(responding_.begin()->first - sc_core::sc_time_stamp());
}

// Tells the SM. What was wrong is reported by report_failure() once the transaction is settled: an
// error must not leave a warp waiting, and reports may throw.
SMRF_INLINED void memory_port::answer(mem_payload &p, const sc_core::sc_time &delay)
{
    const uint64_t cycle = visible(arrival(delay));
    const bool error = !p.is_response_ok();
    if (error) {
        note_failure(p, cycle);
    }
    // The payload itself stays as the target left it: observers compare it.
    static const uint8_t nothing[SMRF_WARP_REG_BYTES] = {};
    const uint8_t *bytes = error ? nothing : p.data();
    if (!listed_) {
        tell(p.extension.fields.id, p.extension.fields.kind, cycle, p.is_read() ? bytes : nullptr);
    } else {
        tell_all(p, cycle, bytes);
    }
}

void memory_port::note_failure(const mem_payload &p, uint64_t cycle)
{
    std::ostringstream text;
    text << name() << ": cycle " << cycle << ": " << p.get_response_string() << " for address 0x"
         << std::hex << p.get_address();
    failure_ = text.str();
    stats_.errors++;
}

// Every sector that is answered with this access.
void memory_port::tell_all(mem_payload &p, uint64_t cycle, const uint8_t *bytes)
{
    const auto found = accesses_.find(&p);
    const auto open = joinable_.find(found->second.block);
    if (open != joinable_.end() && open->second == &found->second) {
        joinable_.erase(open);
    }
    const access ended = std::move(found->second);
    accesses_.erase(found);
    unanswered_.erase(unanswered_.find(ended.wanted.front().cycle));
    for (const smrf_mem_request &r : ended.wanted) {
        tell(r.id, r.kind, cycle, p.is_read() ? bytes + r.address % options_.bus.access : nullptr);
    }
}

void memory_port::tell(uint32_t id, uint8_t kind, uint64_t cycle, const uint8_t *data)
{
    const smrf_mem_response response = {cycle, id, options_.sm, kind};
    answered_++;
    if (events_.on_response != nullptr) {
        events_.on_response(events_.ctx, &response, data);
    }
}

// --- other views --------------------------------------------------------------------------------

// Until the phase's time; UNINITIALIZED_PHASE: the transaction is over then.
void memory_port::hold(mem_payload &p, unsigned phase, const sc_core::sc_time &delay)
{
    held_.emplace(sc_core::sc_time_stamp() + delay, std::make_pair(&p, phase));
    held_due_.notify(held_.begin()->first - sc_core::sc_time_stamp());
}

void memory_port::release_held()
{
    while (!held_.empty() && held_.begin()->first <= sc_core::sc_time_stamp()) {
        mem_payload &p = *held_.begin()->second.first;
        const unsigned phase = held_.begin()->second.second;
        held_.erase(held_.begin());
        if (phase == tlm::END_REQ) {
            end_request(p, sc_core::SC_ZERO_TIME);
        } else if (phase == tlm::BEGIN_RESP) {
            (void)begin_response(p, sc_core::SC_ZERO_TIME);
        } else {
            end_request(p, sc_core::SC_ZERO_TIME);
            answer(p, sc_core::SC_ZERO_TIME);
            finish(p);
            report_failure();
        }
    }
    if (!held_.empty()) {
        held_due_.notify(held_.begin()->first - sc_core::sc_time_stamp());
    }
}

// By the process of the SM, which may wait in the call.
void memory_port::call_loosely(mem_payload &p, sc_core::sc_time delay)
{
    p.owner_state = WAITING;
    if (!direct(p, delay)) {
        socket->b_transport(p, delay);
        tlm::tlm_dmi region;
        if (options_.bus.dmi != 0 && p.is_dmi_allowed() && socket->get_direct_mem_ptr(p, region)) {
            regions_.push_back(region);
        }
    }
    // A target that has waited in the call has held the request channel.
    free_cycle_ = std::max(request_cycle_ + 1, cycle_in(requests_, sc_core::SC_ZERO_TIME));
    answer(p, delay);
    finish(p);
    report_failure();
}

bool memory_port::direct(mem_payload &p, sc_core::sc_time &delay)
{
    const uint64_t first = p.get_address(), length = p.get_data_length();
    for (const tlm::tlm_dmi &r : regions_) {
        if (first < r.get_start_address() || first + length - 1 > r.get_end_address() ||
            !(p.is_read() ? r.is_read_allowed() : r.is_write_allowed())) {
            continue;
        }
        unsigned char *bytes = r.get_dmi_ptr() + (first - r.get_start_address());
        const unsigned char *enables = p.get_byte_enable_ptr();
        for (uint64_t b = 0; b < length; b++) {
            if (enables != nullptr &&
                enables[b % p.get_byte_enable_length()] == TLM_BYTE_DISABLED) {
                continue;
            }
            if (p.is_read()) {
                p.data()[b] = bytes[b];
            } else if (p.is_write()) {
                bytes[b] = p.data()[b];
            }
        }
        delay += p.is_read() ? r.get_read_latency() : r.get_write_latency();
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return true;
    }
    return false;
}

void memory_port::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
{
    regions_.erase(std::remove_if(regions_.begin(), regions_.end(),
                                  [&](const tlm::tlm_dmi &r) {
                                      return r.get_start_address() <= last &&
                                             first <= r.get_end_address();
                                  }),
                   regions_.end());
}

// --- blocking targets ---------------------------------------------------------------------------

// A process that calls, for one access after the other.
struct memory_port::caller {
    mem_payload *p;
    sc_core::sc_time::value_type at;
    sc_core::sc_event go;
};

// The channel is free in the next cycle, unless as many calls as there may be are under way.
void memory_port::call(mem_payload &p, sc_core::sc_time::value_type at)
{
    p.owner_state = WAITING;
    if (++calls_ < options_.bus.outstanding) {
        free_cycle_ = request_cycle_ + 1;
    }
    if (!idle_callers_.empty()) {
        caller *c = idle_callers_.back();
        idle_callers_.pop_back();
        c->p = &p;
        c->at = at;
        c->go.notify();
        return;
    }
    const auto process = [this, &p, at] {
        caller self{&p, at, {}};
        for (;;) {
            carry_out(self);
            idle_callers_.push_back(&self);
            sc_core::wait(self.go);
        }
    };
    sc_core::sc_spawn(process, sc_core::sc_gen_unique_name("caller"));
}

void memory_port::carry_out(const caller &c)
{
    const auto now = sc_core::sc_time_stamp().value();
    if (c.at > now) {
        sc_core::wait(sc_core::sc_time::from_value(c.at - now));
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(*c.p, delay);
    calls_--;
    if (free_cycle_ == SMRF_NEVER) {
        free_cycle_ = arrival(delay);
        if (events_.on_free != nullptr) {
            events_.on_free(events_.ctx, free_cycle_);
        }
    }
    answer(*c.p, delay);
    finish(*c.p);
    report_failure();
}

void memory_port::report_failure()
{
    if (!failure_.empty()) {
        const std::string text = std::move(failure_);
        failure_.clear();
        SC_REPORT_WARNING("/smrf/memory_port/response", text.c_str()); // the run fails by its law
    }
}

void memory_port::finish(mem_payload &p)
{
    // A target may end a transaction from within the call that began it. That must not take a
    // second reference: observers see a new reference as a new transaction.
    if (p.owner_state & IN_CALL) {
        p.owner_state = ENDED | IN_CALL;
        return;
    }
    p.owner_state = 0;
    open_--;
    p.release();
}

void memory_port::send_end_responses()
{
    end_responses(sc_core::sc_time_stamp());
    if (!responding_.empty()) {
        end_due_.notify(responding_.begin()->first - sc_core::sc_time_stamp());
    }
}

void memory_port::end_responses(const sc_core::sc_time &by)
{
    while (!responding_.empty() && responding_.begin()->first <= by) {
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        const auto first = responding_.begin();
        mem_payload &p = *first->second;
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = first->first > now ? first->first - now : sc_core::SC_ZERO_TIME;
        responding_.erase(first);
        if (socket->nb_transport_fw(p, phase, delay) == tlm::TLM_UPDATED) {
            protocol_error("phase", "END_RESP was answered with TLM_UPDATED");
        }
        finish(p);
    }
}

// The cycle that comes so much later, or as soon as one comes after it.
uint64_t memory_port::cycle_in(cycle_times &times, const sc_core::sc_time &delay)
{
    return times.cycle(times.now() + delay.value());
}

uint64_t memory_port::arrival(const sc_core::sc_time &delay)
{
    return not_passed(cycle_in(answers_, delay));
}

// The first cycle, `cycle` or later, in which answers are visible. The division is for the few runs
// with a granularity.
uint64_t memory_port::visible(uint64_t cycle) const
{
    const uint64_t grain = options_.granularity;
    return grain == 1 ? cycle : (cycle + grain - 1) / grain * grain;
}

uint64_t memory_port::not_passed(uint64_t cycle)
{
    if (cycle < open_cycle_) {
        stats_.late++;
        return open_cycle_;
    }
    return cycle;
}

void memory_port::protocol_error(const char *rule, const char *text)
{
    protocol_errors_++;
    const std::string id = std::string("/smrf/memory_port/") + rule;
    const std::string message =
        std::string(name()) + ": " + text + " at " + sc_core::sc_time_stamp().to_string();
    SC_REPORT_WARNING(id.c_str(), message.c_str()); // the run fails by its count
}

unsigned memory_port::debug_access(tlm::tlm_command command, uint64_t address, uint8_t *data,
                                   unsigned bytes)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(address);
    gp.set_data_ptr(data);
    gp.set_data_length(bytes);
    gp.set_streaming_width(bytes);
    return socket->transport_dbg(gp);
}

unsigned memory_port::debug_read(uint64_t address, uint8_t *data, unsigned bytes)
{
    return debug_access(tlm::TLM_READ_COMMAND, address, data, bytes);
}

unsigned memory_port::debug_write(uint64_t address, const uint8_t *data, unsigned bytes)
{
    return debug_access(tlm::TLM_WRITE_COMMAND, address, const_cast<uint8_t *>(data), bytes);
}

} // namespace smrf
