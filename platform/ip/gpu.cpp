// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <cstring>

namespace smrf
{

namespace
{

// The run checks laws and writes texts on the stack of the process that waits for its end.
constexpr size_t stack_bytes = 512 * 1024;

uint64_t wide(uint32_t lo, uint32_t hi)
{
    return lo | static_cast<uint64_t>(hi) << 32;
}

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

uint32_t error_of(int result)
{
    switch (result) {
    case SMRF_RUN_DONE:
        return SMRF_GPU_ERROR_NONE;
    case SMRF_RUN_MORE:
        return SMRF_GPU_ERROR_LIMIT;
    case SMRF_RUN_HALTED:
        return SMRF_GPU_ERROR_STOPPED;
    case SMRF_ERR_IO:
    case SMRF_ERR_FORMAT:
    case SMRF_ERR_CORRUPT:
    case SMRF_ERR_UNKNOWN:
    case SMRF_ERR_LIMIT:
        return SMRF_GPU_ERROR_TRACE;
    case SMRF_ERR_PROTOCOL:
        return SMRF_GPU_ERROR_MEMORY;
    case SMRF_ERR_CHECK:
        return SMRF_GPU_ERROR_CHECK;
    default:
        return SMRF_GPU_ERROR_INTERNAL;
    }
}

} // namespace

gpu::gpu(const sc_core::sc_module_name &name, const gpu_options &options)
    : sc_core::sc_module(name), access_(options.access), programs_(options.programs)
{
    platform_ = build_machine(
        options,
        options.own_memory ? std::function<void(smrf_platform *)>() : [this](smrf_platform *p) {
            memory.init(sms_of(p));
            bind_memory(p, [this](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
                socket.bind(memory[sm]);
            });
        });
    sms_ = sms_of(platform_);
    control.register_b_transport(this, &gpu::transport);
    control.register_transport_dbg(this, &gpu::debug);
    SC_THREAD(serve);
    set_stack_size(stack_bytes);
    SC_METHOD(begin_reset);
    sensitive << reset.pos();
    dont_initialize();
    SC_METHOD(drive);
    sensitive << irq_;
}

gpu::~gpu()
{
    smrf_platform_destroy(platform_);
}

void gpu::before_end_of_elaboration()
{
    if (reset.bind_count() == 0) {
        reset.bind(no_reset_);
    }
    if (interrupt.bind_count() == 0) {
        interrupt.bind(no_interrupt_);
    }
}

uint32_t gpu::add_program(const std::string &path)
{
    programs_.push_back(path);
    return static_cast<uint32_t>(programs_.size() - 1);
}

// --- the control socket ------------------------------------------------------------------------

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
        return 0x00010000;
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

// --- launches ----------------------------------------------------------------------------------

void gpu::serve()
{
    if (reset.read()) {
        begin_reset();
    }
    for (;;) {
        while (!reset_pending_ && rung_ == 0) {
            wait(work_);
        }
        if (reset_pending_) {
            do_reset();
            continue;
        }
        launch what{regs_.program, regs_.repeat, wide(regs_.limit_lo, regs_.limit_hi), 0, 0};
        busy_ = true;
        const bool fetched = rung_ == SMRF_GPU_DOORBELL_DESCRIPTOR;
        rung_ = 0;
        const uint64_t before = count("cycles");
        uint32_t error = fetched ? fetch(&what) : 0;
        error = error ? error : run(what);
        if (!reset_pending_ && what.completion != 0) {
            const uint64_t cycles = count("cycles") - before;
            smrf_gpu_completion end{what.tag, 1 + error, static_cast<uint32_t>(cycles),
                                    static_cast<uint32_t>(cycles >> 32)};
            if (!transfer(tlm::TLM_WRITE_COMMAND, what.completion, &end, sizeof end)) {
                error = error ? error : uint32_t{SMRF_GPU_ERROR_DMA};
            }
        }
        busy_ = false;
        if (!reset_pending_) {
            finish(error);
        }
    }
}

uint32_t gpu::run(const launch &what)
{
    if (what.program >= programs_.size()) {
        return SMRF_GPU_ERROR_PROGRAM;
    }
    if (what.repeat == 0 || what.repeat > UINT16_MAX) {
        return SMRF_GPU_ERROR_PARAMETER;
    }
    int result = SMRF_OK;
    for (uint32_t i = 0; i < what.repeat && result == SMRF_OK; i++) {
        result = smrf_platform_continue(platform_, programs_[what.program].c_str());
    }
    if (result == SMRF_OK && !reset_pending_) {
        result = smrf_platform_run(platform_, what.limit ? what.limit : SMRF_NO_LIMIT);
    }
    must_reset_ = result != SMRF_RUN_DONE;
    error_text_ = result < 0 ? smrf_platform_error(platform_) : "";
    return error_of(result);
}

uint32_t gpu::fetch(launch *what)
{
    const uint64_t address = wide(regs_.descriptor_lo, regs_.descriptor_hi);
    smrf_gpu_descriptor d{};
    if (address % 8 != 0) {
        return SMRF_GPU_ERROR_PARAMETER;
    }
    if (!transfer(tlm::TLM_READ_COMMAND, address, &d, sizeof d)) {
        return SMRF_GPU_ERROR_DMA;
    }
    const uint64_t completion = wide(d.completion_lo, d.completion_hi);
    if (d.magic != SMRF_GPU_DESCRIPTOR_MAGIC || d.bytes != sizeof d || d.reserved != 0 ||
        completion % 8 != 0) {
        return SMRF_GPU_ERROR_DESCRIPTOR;
    }
    *what = {d.program, d.repeat, wide(d.limit_lo, d.limit_hi), completion, d.tag};
    regs_.tag = d.tag;
    return SMRF_GPU_ERROR_NONE;
}

bool gpu::transfer(tlm::tlm_command command, uint64_t address, void *data, unsigned bytes)
{
    tlm::tlm_generic_payload gp;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (dma.size() == 0) {
        return false;
    }
    gp.set_command(command);
    gp.set_address(address);
    gp.set_data_ptr(static_cast<unsigned char *>(data));
    gp.set_data_length(bytes);
    gp.set_streaming_width(bytes);
    gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    dma->b_transport(gp, delay);
    wait(delay);
    return gp.is_response_ok();
}

void gpu::finish(uint32_t error)
{
    regs_.done = true;
    regs_.launches += error == SMRF_GPU_ERROR_NONE;
    if (error != SMRF_GPU_ERROR_NONE) {
        raise(error);
    }
    regs_.irq_cause |= SMRF_GPU_IRQ_DONE;
    irq_.notify(sc_core::SC_ZERO_TIME);
}

// --- reset -------------------------------------------------------------------------------------

void gpu::begin_reset()
{
    regs_ = {};
    rung_ = 0;
    reset_pending_ = true;
    smrf_platform_abandon(platform_);
    irq_.notify(sc_core::SC_ZERO_TIME);
    work_.notify(sc_core::SC_ZERO_TIME);
}

void gpu::do_reset()
{
    const int err = smrf_platform_reset(platform_);
    while (reset.read()) {
        wait(reset.negedge_event());
    }
    error_text_ = err ? smrf_platform_error(platform_) : "";
    must_reset_ = err != SMRF_OK;
    regs_ = {};
    reset_pending_ = false;
    if (err) {
        raise(SMRF_GPU_ERROR_INTERNAL);
    }
    irq_.notify(sc_core::SC_ZERO_TIME);
}

} // namespace smrf
