// SPDX-License-Identifier: Apache-2.0
// The rules behind protocol_monitor: state of a transaction, and what each rule looks at.
#include "models/tlm/protocol_monitor.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>
#include <string_view>

namespace smrf
{

const char *rule_name(tlm_rule rule)
{
#define SMRF_TLM_RULE_TEXT(name, meaning) #name,
    static const char *const names[] = {SMRF_TLM_RULES(SMRF_TLM_RULE_TEXT)};
#undef SMRF_TLM_RULE_TEXT
    return names[static_cast<size_t>(rule)];
}

const char *rule_meaning(tlm_rule rule)
{
#define SMRF_TLM_RULE_TEXT(name, meaning) meaning,
    static const char *const meanings[] = {SMRF_TLM_RULES(SMRF_TLM_RULE_TEXT)};
#undef SMRF_TLM_RULE_TEXT
    return meanings[static_cast<size_t>(rule)];
}

namespace
{

bool is_command(tlm::tlm_command command)
{
    return command == tlm::TLM_READ_COMMAND || command == tlm::TLM_WRITE_COMMAND ||
           command == tlm::TLM_IGNORE_COMMAND;
}

const char *command_name(tlm::tlm_command command)
{
    static const char *const names[] = {"read", "write", "ignore"};
    return is_command(command) ? names[command] : "no command";
}

size_t hash_bytes(const unsigned char *bytes, unsigned length)
{
    if (bytes == nullptr) {
        return 0;
    }
    return std::hash<std::string_view>{}({reinterpret_cast<const char *>(bytes), length});
}

// The base class keeps it to itself: its place is found in an object that has a known one.
const void *manager_of(const tlm::tlm_generic_payload &gp)
{
    static const size_t place = [] {
        struct : tlm::tlm_mm_interface {
            void free(tlm::tlm_generic_payload *) override {}
        } known;
        const tlm::tlm_generic_payload probe(&known);
        tlm::tlm_mm_interface *const wanted = &known;
        size_t at = 0;
        while (std::memcmp(reinterpret_cast<const char *>(&probe) + at, &wanted, sizeof wanted)) {
            at += alignof(void *);
            if (at + sizeof wanted > sizeof probe) {
                return SIZE_MAX; // another library's payload: then only its presence is known
            }
        }
        return at;
    }();
    const void *manager = gp.has_mm() ? &place : nullptr;
    if (place != SIZE_MAX) {
        std::memcpy(&manager, reinterpret_cast<const char *>(&gp) + place, sizeof manager);
    }
    return manager;
}

sc_core::sc_time::value_type annotated(const sc_core::sc_time &delay)
{
    return sc_core::sc_time_stamp().value() + delay.value();
}

} // namespace

protocol_monitor::snapshot::snapshot(const payload &gp)
    : command(gp.get_command()), address(gp.get_address()), data(gp.get_data_ptr()),
      enables(gp.get_byte_enable_ptr()), length(gp.get_data_length()),
      enable_length(gp.get_byte_enable_length()), streaming_width(gp.get_streaming_width()),
      option(gp.get_gp_option()), data_hash(gp.is_write() ? hash_bytes(data, length) : 0),
      enable_hash(hash_bytes(enables, enable_length))
{
}

protocol_monitor::belongings::belongings(const payload &gp) : manager(manager_of(gp))
{
    for (unsigned i = 0; i < tlm::max_num_extensions(); i++) {
        extensions.push_back(gp.get_extension(i));
    }
}

// ---- transactions in flight ----

// From the snapshot: the transaction itself may be gone.
std::string protocol_monitor::snapshot::describe() const
{
    std::ostringstream text;
    text << command_name(command) << " of " << length << " bytes at 0x" << std::hex << address;
    return text.str();
}

std::string protocol_monitor::record::describe() const
{
    return start.describe() + ", sent at " + begun.to_string() + ", last phase " +
           tlm::tlm_phase(static_cast<tlm::tlm_phase_enum>(phase)).get_name();
}

bool protocol_monitor::is_blocked(const payload &gp) const
{
    return std::any_of(blocking_.begin(), blocking_.end(),
                       [&gp](const blocked &b) { return b.gp == &gp; });
}

void protocol_monitor::expect_within_timeout(const sc_core::sc_time &delay)
{
    if (options_.timeout != sc_core::SC_ZERO_TIME) {
        deadline_.notify(delay + options_.timeout); // an earlier notification stays
    }
}

protocol_monitor::record *protocol_monitor::find(payload &gp, uint64_t serial)
{
    const auto it = records_.find(&gp);
    const bool found = it != records_.end() && (serial == 0 || it->second.serial == serial);
    return found ? &it->second : nullptr;
}

void protocol_monitor::forget(payload &gp)
{
    if (requesting_ == &gp) {
        requesting_ = nullptr;
    }
    if (responding_ == &gp) {
        responding_ = nullptr;
    }
    records_.erase(&gp);
}

uint64_t protocol_monitor::begin_request(payload &gp, const sc_core::sc_time &delay)
{
    if (find(gp) != nullptr) {
        violation(tlm_rule::transaction_reused, &gp);
        forget(gp);
    }
    if (is_blocked(gp)) {
        violation(tlm_rule::mixed_transport, &gp, "nb_transport_fw");
    }
    check_start(gp);
    if (requesting_ != nullptr) {
        violation(tlm_rule::request_exclusion, &gp);
    } else if (options_.annotated_exclusion && annotated(delay) < request_end_) {
        violation(tlm_rule::request_overlap, &gp);
    }
    record r;
    r.serial = ++serial_;
    r.gp = &gp;
    r.phase = tlm::BEGIN_REQ;
    r.time = annotated(delay);
    r.begun = sc_core::sc_time_stamp() + delay;
    r.start = snapshot(gp);
    r.references = gp.get_ref_count();
    watch(gp);
    r.extensions = belongings(gp).extensions;
    records_[&gp] = r;
    requesting_ = &gp;
    expect_within_timeout(delay);
    return r.serial;
}

// The request phase ends at r.time.
void protocol_monitor::end_request(record &r)
{
    if (requesting_ == r.gp) {
        requesting_ = nullptr;
        request_end_ = r.time;
    }
}

void protocol_monitor::begin_response(record &r)
{
    if (r.phase != tlm::BEGIN_REQ && r.phase != tlm::END_REQ) {
        violation(tlm_rule::phase_order, r.gp, "BEGIN_RESP twice");
        return;
    }
    end_request(r); // implied
    if (responding_ != nullptr) {
        violation(tlm_rule::response_exclusion, r.gp);
    } else if (options_.annotated_exclusion && r.time < response_end_) {
        violation(tlm_rule::response_overlap, r.gp);
    }
    check_status(*r.gp, "BEGIN_RESP");
    responding_ = r.gp;
    r.phase = tlm::BEGIN_RESP;
    r.status = r.gp->get_response_status();
    r.dmi_allowed = r.gp->is_dmi_allowed();
    r.read_hash = r.gp->is_read() ? hash_bytes(r.gp->get_data_ptr(), r.gp->get_data_length()) : 0;
    r.answered = sc_core::sc_time::from_value(r.time);
    r.timed_out = false;
    expect_within_timeout(r.answered - sc_core::sc_time_stamp());
}

// The response phase ends at r.time.
void protocol_monitor::end_response(record &r)
{
    if (responding_ == r.gp) {
        responding_ = nullptr;
        response_end_ = r.time;
    }
}

// ---- rules ----

void protocol_monitor::check_command(const payload &gp)
{
    if (!is_command(gp.get_command())) {
        violation(tlm_rule::illegal_command, &gp, std::to_string(gp.get_command()));
    }
}

// Of a response: one of those that the base protocol has, none of which says that it is missing.
void protocol_monitor::check_status(payload &gp, const char *where)
{
    const tlm::tlm_response_status status = gp.get_response_status();
    if (status == tlm::TLM_INCOMPLETE_RESPONSE || status > tlm::TLM_OK_RESPONSE ||
        status < tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE) {
        violation(tlm_rule::response_status, &gp, where);
    }
}

void protocol_monitor::check_start(payload &gp)
{
    const bool access = gp.get_command() != tlm::TLM_IGNORE_COMMAND;
    check_command(gp);
    if (const unsigned char *enable = gp.get_byte_enable_ptr()) {
        const auto legal = [](unsigned char e) {
            return e == TLM_BYTE_ENABLED || e == TLM_BYTE_DISABLED;
        };
        if (!std::all_of(enable, enable + gp.get_byte_enable_length(), legal)) {
            violation(tlm_rule::byte_enable_value, &gp);
        }
    }
    if (access && gp.get_data_ptr() == nullptr) {
        violation(tlm_rule::null_data_pointer, &gp);
    }
    if (access && gp.get_data_length() == 0) {
        violation(tlm_rule::zero_data_length, &gp);
    }
    if (gp.get_byte_enable_ptr() != nullptr && gp.get_byte_enable_length() == 0) {
        violation(tlm_rule::zero_byte_enable_length, &gp);
    }
    if (gp.get_streaming_width() == 0) {
        violation(tlm_rule::zero_streaming_width, &gp);
    }
    if (gp.is_dmi_allowed()) {
        violation(tlm_rule::dmi_hint_set, &gp);
    }
    if (gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        violation(tlm_rule::initial_status, &gp, gp.get_response_string());
    }
    if (gp.get_gp_option() != tlm::TLM_MIN_PAYLOAD) {
        violation(tlm_rule::payload_option, &gp);
    }
}

void protocol_monitor::check_references(payload &gp)
{
    if (!gp.has_mm()) {
        violation(tlm_rule::memory_manager, &gp);
    } else if (gp.get_ref_count() == 0) {
        violation(tlm_rule::reference_count, &gp);
    }
}

// Compares with the snapshot, and takes a new one so that one change is one violation.
// may_move: an interconnect has had its turn.
void protocol_monitor::check_unchanged(payload &gp, snapshot &start, const char *where,
                                       bool may_move)
{
    const snapshot now(gp);
    if (now.command != start.command) {
        violation(tlm_rule::command_changed, &gp, where);
    }
    if (now.address != start.address && !(options_.interconnect && may_move)) {
        std::ostringstream text;
        text << where << ", was 0x" << std::hex << start.address;
        violation(tlm_rule::address_changed, &gp, text.str());
    }
    if (now.data != start.data) {
        violation(tlm_rule::data_pointer_changed, &gp, where);
    } else if (now.length != start.length) {
        violation(tlm_rule::data_length_changed, &gp, where);
    } else if (now.command == start.command && now.data_hash != start.data_hash) {
        violation(tlm_rule::write_data_changed, &gp, where);
    }
    if (now.enables != start.enables || now.enable_length != start.enable_length ||
        now.enable_hash != start.enable_hash) {
        violation(tlm_rule::byte_enables_changed, &gp, where);
    }
    if (now.streaming_width != start.streaming_width) {
        violation(tlm_rule::streaming_width_changed, &gp, where);
    }
    if (now.option != start.option) {
        violation(tlm_rule::payload_option, &gp, where);
    }
    start = now;
}

// Of a call towards the target, which keeps the extensions it finds and leaves none that would
// leak.
void protocol_monitor::check_belongings(payload &gp, const belongings &before, const char *where)
{
    const belongings now(gp);
    if (now.manager != before.manager) {
        violation(tlm_rule::memory_manager_changed, &gp, where);
    }
    for (size_t i = 0; i < now.extensions.size(); i++) {
        const auto *was = i < before.extensions.size() ? before.extensions[i] : nullptr;
        if (was != nullptr && now.extensions[i] != was) {
            violation(tlm_rule::extension_changed, &gp, where);
        } else if (was == nullptr && now.extensions[i] != nullptr && !gp.has_mm()) {
            violation(tlm_rule::extension_left, &gp, where);
        }
    }
}

// Between two calls the target's side may set its own extensions and remove them, but the
// initiator's must stay.
void protocol_monitor::check_extensions(payload &gp, record &r)
{
    const belongings now(gp);
    for (size_t i = 0; i < r.extensions.size(); i++) {
        if (r.extensions[i] != nullptr && now.extensions[i] != r.extensions[i]) {
            violation(tlm_rule::extension_changed, &gp, "between two calls");
            r.extensions[i] = now.extensions[i];
        }
    }
}

// The initiator's side had its turn, and may have taken off its own; or its loss has been reported.
void protocol_monitor::keep_extensions(payload &gp, record &r)
{
    for (size_t i = 0; i < r.extensions.size(); i++) {
        if (r.extensions[i] != nullptr) {
            r.extensions[i] = gp.get_extension(static_cast<unsigned>(i));
        }
    }
}

// A target may accept the option TLM_FULL_PAYLOAD, and change nothing else of it.
void protocol_monitor::check_option(payload &gp, snapshot &start, const char *call)
{
    const tlm::tlm_gp_option sent = start.option;
    start.option = gp.get_gp_option();
    if (sent == tlm::TLM_FULL_PAYLOAD_ACCEPTED) {
        violation(tlm_rule::debug_option, &gp,
                  std::string(call) + " with TLM_FULL_PAYLOAD_ACCEPTED");
    } else if (start.option != sent &&
               !(sent == tlm::TLM_FULL_PAYLOAD && start.option == tlm::TLM_FULL_PAYLOAD_ACCEPTED)) {
        violation(tlm_rule::debug_option, &gp, std::string(call) + " changed it");
    }
}

// Calls that are no b_transport take neither time nor a turn of the scheduler.
void protocol_monitor::check_instant(const sc_core::sc_time &time, sc_dt::uint64 delta,
                                     const char *call)
{
    if (sc_core::sc_time_stamp() != time) {
        violation(tlm_rule::time_advanced, nullptr, call);
    } else if (sc_core::sc_delta_count() != delta) {
        violation(tlm_rule::call_waited, nullptr, call);
    }
}

// What may change until BEGIN_RESP, and not after.
void protocol_monitor::check_response_kept(payload &gp, record &r, const char *where)
{
    if (gp.get_response_status() != r.status) {
        violation(tlm_rule::status_changed, &gp, where);
        r.status = gp.get_response_status();
    }
    if (gp.is_dmi_allowed() != r.dmi_allowed) {
        violation(tlm_rule::dmi_hint_changed, &gp, where);
        r.dmi_allowed = gp.is_dmi_allowed();
    }
    const size_t hash = gp.is_read() ? hash_bytes(gp.get_data_ptr(), gp.get_data_length()) : 0;
    if (hash != r.read_hash) {
        violation(tlm_rule::read_data_changed, &gp, where);
        r.read_hash = hash;
    }
}

void protocol_monitor::check_time(record &r, const sc_core::sc_time &delay)
{
    const time_value time = annotated(delay);
    if (time < r.time) {
        violation(tlm_rule::time_backwards, r.gp,
                  "by " + sc_core::sc_time::from_value(r.time - time).to_string());
        return;
    }
    r.time = time;
}

// Runs when the oldest transaction known at the last look may have waited for too long.
void protocol_monitor::check_timeouts()
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time next = sc_core::SC_ZERO_TIME;
    const auto late = [&](const sc_core::sc_time &since) {
        const sc_core::sc_time deadline = since + options_.timeout;
        if (deadline > now && (next == sc_core::SC_ZERO_TIME || deadline < next)) {
            next = deadline;
        }
        return deadline <= now;
    };
    for (auto &entry : records_) {
        record &r = entry.second;
        const bool answered = r.phase == tlm::BEGIN_RESP;
        if (!r.timed_out && late(answered ? r.answered : r.begun)) {
            r.timed_out = true;
            violation(answered ? tlm_rule::response_timeout : tlm_rule::timeout, nullptr,
                      r.describe());
        }
    }
    for (blocked &b : blocking_) {
        if (!b.timed_out && late(b.begun)) {
            b.timed_out = true;
            violation(tlm_rule::timeout, nullptr, b.start.describe() + ", in b_transport");
        }
    }
    if (next != sc_core::SC_ZERO_TIME) {
        deadline_.notify(next - now);
    }
}

bool protocol_monitor::check_quiescent()
{
    if (in_flight() == 0) {
        return true;
    }
    std::vector<const record *> waiting;
    for (const auto &entry : records_) {
        waiting.push_back(&entry.second);
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const record *a, const record *b) { return a->serial < b->serial; });
    for (const record *r : waiting) {
        violation(tlm_rule::never_answered, nullptr, r->describe());
    }
    for (const blocked &b : blocking_) {
        violation(tlm_rule::never_answered, nullptr,
                  b.start.describe() + ", b_transport has not returned");
    }
    records_.clear();
    blocking_.clear();
    requesting_ = responding_ = nullptr;
    return false;
}

uint64_t protocol_monitor::violations() const
{
    return std::accumulate(counts_.begin(), counts_.end(), uint64_t(0));
}

void protocol_monitor::violation(tlm_rule rule, const payload *gp, const std::string &detail)
{
    counts_[static_cast<size_t>(rule)]++;
    std::ostringstream text;
    text << name() << ": " << rule_meaning(rule);
    if (!detail.empty()) {
        text << " (" << detail << ")";
    }
    if (gp != nullptr) {
        text << ": " << command_name(gp->get_command()) << " of " << gp->get_data_length()
             << " bytes at 0x" << std::hex << gp->get_address() << std::dec << ", status "
             << gp->get_response_string() << ", references " << gp->get_ref_count();
    }
    text << ", at " << sc_core::sc_time_stamp();
    const std::string id = std::string("/smrf/tlm/") + rule_name(rule);
    if (closing_) {
        SC_REPORT_WARNING(id.c_str(), text.str().c_str());
    } else {
        SC_REPORT_ERROR(id.c_str(), text.str().c_str());
    }
}

} // namespace smrf
