// SPDX-License-Identifier: Apache-2.0
// The rules of the TLM-2.0 base protocol that protocol_monitor checks (IEEE Std 1666-2011, clauses
// 11 and 14 to 16), one line each: X(name, what it means to break it). The name is also the last
// part of the report id "/smrf/tlm/<name>".
#ifndef SMRF_TLM_PROTOCOL_RULES_H
#define SMRF_TLM_PROTOCOL_RULES_H

#include <cstddef>

namespace smrf
{

#define SMRF_TLM_RULES(X)                                                                          \
    /* how a transaction must look when it starts */                                               \
    X(illegal_command, "a call was made with a command that there is not")                         \
    X(byte_enable_value, "a byte enable is neither 0 nor 0xff")                                    \
    X(null_data_pointer, "a read or write was sent without a data pointer")                        \
    X(zero_data_length, "a read or write was sent with data length 0")                             \
    X(zero_byte_enable_length, "byte enables were sent with length 0")                             \
    X(zero_streaming_width, "a transaction was sent with streaming width 0")                       \
    X(dmi_hint_set, "a transaction was sent with the DMI hint already set")                        \
    X(initial_status, "a transaction was sent whose response status is not INCOMPLETE")            \
    X(payload_option, "a transport call was made, or answered, with a generic payload option set") \
    /* lifetime */                                                                                 \
    X(memory_manager, "nb_transport was called without a memory manager")                          \
    X(reference_count, "a managed transaction was passed with reference count 0")                  \
    X(reference_leak, "a reference to an ended transaction was never released")                    \
    X(memory_manager_changed, "the memory manager changed during the transaction")                 \
    X(extension_changed, "a module removed or replaced an extension that it does not own")         \
    X(extension_left, "an extension was left on a transaction without a memory manager")           \
    X(transaction_reused, "BEGIN_REQ was sent for a transaction that is still in flight")          \
    X(unknown_transaction, "a phase was sent for a transaction that is not in flight")             \
    X(never_answered, "a transaction was never answered")                                          \
    X(timeout, "a transaction was not answered in time")                                           \
    X(response_timeout, "a response was not ended in time")                                        \
    /* phases and return values */                                                                 \
    X(wrong_path, "a phase was sent on a path that it does not belong to")                         \
    X(phase_order, "a phase was sent out of order")                                                \
    X(request_exclusion, "BEGIN_REQ was sent while the socket's last request had not ended")       \
    X(response_exclusion, "BEGIN_RESP was sent while the socket's last response had not ended")    \
    X(request_overlap, "BEGIN_REQ is annotated earlier than the end of the socket's last request") \
    X(response_overlap,                                                                            \
      "BEGIN_RESP is annotated earlier than the end of the socket's last response")                \
    X(return_value, "a call returned a value or phase that is not legal for its phase")            \
    X(accepted_modified, "TLM_ACCEPTED was returned with the phase or the delay changed")          \
    X(returned_after_end, "TLM_UPDATED or TLM_COMPLETED was returned for an ended transaction")    \
    X(completed_without_response, "TLM_COMPLETED was returned to END_REQ")                         \
    X(mixed_transport, "b_transport and nb_transport were used for one transaction at a time")     \
    X(b_from_method, "b_transport was called from a method process")                               \
    /* time */                                                                                     \
    X(time_backwards, "the annotated time of a transaction went backwards")                        \
    X(time_advanced, "a non-blocking, debug or DMI call took simulated time")                      \
    X(call_waited, "a non-blocking, debug or DMI call waited")                                     \
    /* what must not change on the way */                                                          \
    X(command_changed, "the command changed during the transaction")                               \
    X(address_changed, "a target or initiator changed the address during the transaction")         \
    X(data_pointer_changed, "the data pointer changed during the transaction")                     \
    X(data_length_changed, "the data length changed during the transaction")                       \
    X(byte_enables_changed, "the byte enables changed during the transaction")                     \
    X(streaming_width_changed, "the streaming width changed during the transaction")               \
    X(write_data_changed, "the bytes of a write changed during the transaction")                   \
    X(read_data_changed, "the bytes of a read changed after the response began")                   \
    X(dmi_hint_changed, "the DMI hint changed after the response began")                           \
    X(status_changed, "the response status changed after the response began")                      \
    X(response_status, "a transaction was answered with a status that is not of a response")       \
    /* debug and DMI */                                                                            \
    X(debug_count, "transport_dbg returned more bytes than were asked for")                        \
    X(dmi_descriptor, "get_direct_mem_ptr was called with a descriptor not in its initial state")  \
    X(dmi_grant, "get_direct_mem_ptr granted other access than was asked for, or no range of it")  \
    X(dmi_range, "invalidate_direct_mem_ptr was called with start after end")                      \
    X(dmi_in_invalidate, "get_direct_mem_ptr was called from within invalidate_direct_mem_ptr")    \
    X(debug_option, "a debug or DMI call was made, or answered, with an illegal payload option")

#define SMRF_TLM_RULE_NAME(name, meaning) name,
enum class tlm_rule { SMRF_TLM_RULES(SMRF_TLM_RULE_NAME) count };
#undef SMRF_TLM_RULE_NAME

constexpr size_t tlm_rule_count = static_cast<size_t>(tlm_rule::count);

const char *rule_name(tlm_rule rule);
const char *rule_meaning(tlm_rule rule);

} // namespace smrf

#endif
