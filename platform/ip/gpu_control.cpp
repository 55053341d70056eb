// SPDX-License-Identifier: Apache-2.0
// smrf::gpu: what is read and written at its control socket.
#include "gpu.h"

#include <cstring>

namespace smrf
{

namespace
{

uint32_t when(bool holds, uint32_t bit)
{
    return holds ? bit : 0;
}

// A write of it does nothing but keep a value.
bool holds_value(uint32_t offset)
{
    switch (offset) {
    case SMRF_GPU_IRQ_ENABLE:
    case SMRF_GPU_PROGRAM:
    case SMRF_GPU_REPEAT:
    case SMRF_GPU_LIMIT_LO:
    case SMRF_GPU_LIMIT_HI:
    case SMRF_GPU_DESCRIPTOR_LO:
    case SMRF_GPU_DESCRIPTOR_HI:
    case SMRF_GPU_STAT_INDEX:
        return true;
    default:
        return false;
    }
}

} // namespace

// An access of 1 to 8 bytes within an aligned word of its own length; its byte enables may select
// any of them.
tlm::tlm_response_status gpu::refusal(const tlm::tlm_generic_payload &gp)
{
    const uint64_t offset = gp.get_address();
    const unsigned bytes = gp.get_data_length();
    const bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!whole || gp.get_streaming_width() < bytes || offset % bytes != 0) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (offset >= SMRF_GPU_SPAN || bytes > SMRF_GPU_SPAN - offset) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (gp.get_data_ptr() == nullptr ||
        (gp.get_byte_enable_ptr() != nullptr && gp.get_byte_enable_length() == 0)) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    return gp.is_read() || gp.is_write() || gp.get_command() == tlm::TLM_IGNORE_COMMAND
               ? tlm::TLM_OK_RESPONSE
               : tlm::TLM_COMMAND_ERROR_RESPONSE;
}

void gpu::transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    const tlm::tlm_response_status how = refusal(gp);
    delay += access_;
    if (how == tlm::TLM_OK_RESPONSE && gp.get_command() != tlm::TLM_IGNORE_COMMAND) {
        const uint64_t end = gp.get_address() + gp.get_data_length();
        for (uint64_t at = gp.get_address() & ~uint64_t{3}; at < end; at += sizeof(uint32_t)) {
            access_word(gp, at, false);
        }
    }
    gp.set_response_status(how);
}

// The part of an access that lies in the register at `word`. Bytes of a write that are not enabled
// keep the register's value; the bits of IRQ_CAUSE that are not written stay.
void gpu::access_word(tlm::tlm_generic_payload &gp, uint64_t word, bool look)
{
    const auto offset = static_cast<uint32_t>(word);
    const unsigned char *enables = gp.get_byte_enable_ptr();
    unsigned char bytes[sizeof(uint32_t)];
    uint32_t value = gp.is_write() && offset == SMRF_GPU_IRQ_CAUSE ? 0 : read(offset, true);
    bool any = false;
    std::memcpy(bytes, &value, sizeof bytes);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        const uint64_t at = word + i - gp.get_address(); // wraps below the access
        any |=
            at < gp.get_data_length() &&
            (enables == nullptr || enables[at % gp.get_byte_enable_length()] == TLM_BYTE_ENABLED);
    }
    if (!any) {
        return;
    }
    if (gp.is_read() && !look) {
        value = read(offset, false);
        std::memcpy(bytes, &value, sizeof bytes);
    }
    for (unsigned i = 0; i < sizeof bytes; i++) {
        const uint64_t at = word + i - gp.get_address();
        if (at >= gp.get_data_length() ||
            (enables != nullptr && enables[at % gp.get_byte_enable_length()] != TLM_BYTE_ENABLED)) {
            continue;
        }
        if (gp.is_read()) {
            gp.get_data_ptr()[at] = bytes[i];
        } else {
            bytes[i] = gp.get_data_ptr()[at];
        }
    }
    if (gp.is_write()) {
        std::memcpy(&value, bytes, sizeof value);
        write(offset, value);
    }
}

// Reads look without touching: no latch moves. Writes reach the registers that hold a value; a
// launch or a reset is no business of a debugger's.
unsigned gpu::debug(tlm::tlm_generic_payload &gp)
{
    const uint64_t from = gp.get_address();
    const uint64_t end = from + gp.get_data_length();
    uint64_t at = from;
    while (at < end && at < SMRF_GPU_SPAN && from % sizeof(uint32_t) == 0 &&
           end - at >= sizeof(uint32_t) && gp.get_data_ptr() != nullptr &&
           (gp.is_read() || (gp.is_write() && holds_value(static_cast<uint32_t>(at))))) {
        access_word(gp, at, true);
        at += sizeof(uint32_t);
    }
    gp.set_response_status(at != from ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return static_cast<unsigned>(at - from);
}

uint64_t gpu::count(const char *name) const
{
    uint64_t value = 0;
    (void)smrf_platform_count(platform_, name, &value);
    return value;
}

uint64_t gpu::statistic() const
{
    smrf_stat_info info;
    double value = 0;
    if (smrf_platform_stat_at(platform_, regs_.stat_index, &info) != SMRF_OK) {
        return 0;
    }
    if (info.is_count) {
        return count(info.name);
    }
    (void)smrf_platform_stat(platform_, info.name, &value);
    return value > 0 ? static_cast<uint64_t>(value * 4294967296.0 + 0.5) : 0;
}

uint32_t gpu::name_word(uint32_t offset) const
{
    smrf_stat_info info;
    char name[SMRF_GPU_STAT_NAME_BYTES] = "";
    uint32_t word = 0;
    if (smrf_platform_stat_at(platform_, regs_.stat_index, &info) == SMRF_OK) {
        std::strncpy(name, info.name, sizeof name - 1);
    }
    std::memcpy(&word, name + offset, sizeof word);
    return word;
}

uint32_t gpu::low(uint64_t value, bool look)
{
    if (!look) {
        regs_.high = static_cast<uint32_t>(value >> 32);
    }
    return static_cast<uint32_t>(value);
}

uint32_t gpu::read(uint32_t offset, bool look)
{
    smrf_stat_info info;
    switch (offset) {
    case SMRF_GPU_ID:
        return SMRF_GPU_ID_VALUE;
    case SMRF_GPU_VERSION:
        return SMRF_GPU_VERSION_VALUE;
    case SMRF_GPU_SMS:
        return sms_;
    case SMRF_GPU_PROGRAMS:
        return static_cast<uint32_t>(programs_.size());
    case SMRF_GPU_STATUS:
        return when(busy_ || rung_ != 0, SMRF_GPU_STATUS_BUSY) |
               when(regs_.done, SMRF_GPU_STATUS_DONE) |
               when(regs_.error != 0, SMRF_GPU_STATUS_ERROR) |
               when(reset_pending_, SMRF_GPU_STATUS_RESETTING);
    case SMRF_GPU_ERROR:
        return regs_.error;
    case SMRF_GPU_IRQ_ENABLE:
        return regs_.irq_enable;
    case SMRF_GPU_IRQ_CAUSE:
        return regs_.irq_cause;
    case SMRF_GPU_PROGRAM:
        return regs_.program;
    case SMRF_GPU_REPEAT:
        return regs_.repeat;
    case SMRF_GPU_LIMIT_LO:
        return regs_.limit_lo;
    case SMRF_GPU_LIMIT_HI:
        return regs_.limit_hi;
    case SMRF_GPU_DESCRIPTOR_LO:
        return regs_.descriptor_lo;
    case SMRF_GPU_DESCRIPTOR_HI:
        return regs_.descriptor_hi;
    case SMRF_GPU_LAUNCHES:
        return regs_.launches;
    case SMRF_GPU_TAG:
        return regs_.tag;
    case SMRF_GPU_CYCLES_LO:
        return low(count("cycles"), look);
    case SMRF_GPU_WARP_INSTS_LO:
        return low(count("instructions.warp"), look);
    case SMRF_GPU_THREAD_INSTS_LO:
        return low(count("instructions.thread"), look);
    case SMRF_GPU_STAT_LO:
        return low(statistic(), look);
    case SMRF_GPU_CYCLES_HI:
    case SMRF_GPU_WARP_INSTS_HI:
    case SMRF_GPU_THREAD_INSTS_HI:
    case SMRF_GPU_STAT_HI:
        return regs_.high;
    case SMRF_GPU_STAT_COUNT: {
        uint32_t n = 0;
        while (smrf_platform_stat_at(platform_, n, &info) == SMRF_OK) {
            n++;
        }
        return n;
    }
    case SMRF_GPU_STAT_INDEX:
        return regs_.stat_index;
    case SMRF_GPU_FEATURES:
        return when(executor_ != nullptr, SMRF_GPU_FEATURES_EXECUTE);
    case SMRF_GPU_STAT_IS_RATIO:
        return smrf_platform_stat_at(platform_, regs_.stat_index, &info) == SMRF_OK &&
               !info.is_count;
    default:
        return offset >= SMRF_GPU_STAT_NAME ? name_word(offset - SMRF_GPU_STAT_NAME) : 0;
    }
}

void gpu::write(uint32_t offset, uint32_t value)
{
    switch (offset) {
    case SMRF_GPU_CONTROL:
        order(value);
        break;
    case SMRF_GPU_ERROR:
        regs_.error = SMRF_GPU_ERROR_NONE;
        break;
    case SMRF_GPU_IRQ_ENABLE:
        regs_.irq_enable = value & (SMRF_GPU_IRQ_DONE | SMRF_GPU_IRQ_ERROR);
        break;
    case SMRF_GPU_IRQ_CAUSE:
        regs_.irq_cause &= ~value;
        break;
    case SMRF_GPU_PROGRAM:
        regs_.program = value;
        break;
    case SMRF_GPU_REPEAT:
        regs_.repeat = value;
        break;
    case SMRF_GPU_LIMIT_LO:
        regs_.limit_lo = value;
        break;
    case SMRF_GPU_LIMIT_HI:
        regs_.limit_hi = value;
        break;
    case SMRF_GPU_DESCRIPTOR_LO:
        regs_.descriptor_lo = value;
        break;
    case SMRF_GPU_DESCRIPTOR_HI:
        regs_.descriptor_hi = value;
        break;
    case SMRF_GPU_STAT_INDEX:
        regs_.stat_index = value;
        break;
    case SMRF_GPU_DOORBELL:
        ring(value);
        break;
    default:
        raise(SMRF_GPU_ERROR_READ_ONLY);
        break;
    }
    irq_.notify(sc_core::SC_ZERO_TIME);
}

void gpu::raise(uint32_t error)
{
    regs_.error = regs_.error ? regs_.error : error;
    regs_.irq_cause |= SMRF_GPU_IRQ_ERROR;
    irq_.notify(sc_core::SC_ZERO_TIME);
}

void gpu::ring(uint32_t how)
{
    if (busy_ || rung_ || reset_pending_) {
        raise(SMRF_GPU_ERROR_BUSY);
    } else if (must_reset_) {
        raise(SMRF_GPU_ERROR_NEEDS_RESET);
    } else if (how != SMRF_GPU_DOORBELL_REGISTERS && how != SMRF_GPU_DOORBELL_DESCRIPTOR) {
        raise(SMRF_GPU_ERROR_PARAMETER);
    } else {
        regs_.done = false;
        rung_ = how;
        work_.notify(sc_core::SC_ZERO_TIME);
    }
}

void gpu::order(uint32_t bits)
{
    if (bits & SMRF_GPU_CONTROL_RESET) {
        begin_reset();
    } else if (bits & SMRF_GPU_CONTROL_STOP && busy_) {
        smrf_platform_stop(platform_);
    }
}

void gpu::drive()
{
    interrupt.write((regs_.irq_cause & regs_.irq_enable) != 0);
}

} // namespace smrf
