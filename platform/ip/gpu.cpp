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

void gpu::transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    const uint64_t offset = gp.get_address();
    uint32_t word = 0;
    delay += access_;
    if (gp.get_byte_enable_ptr() != nullptr) {
        gp.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (gp.get_data_length() != sizeof word || gp.get_streaming_width() < sizeof word ||
               offset % sizeof word != 0) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (offset >= SMRF_GPU_SPAN) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
        if (gp.is_read()) {
            word = read(static_cast<uint32_t>(offset), false);
            std::memcpy(gp.get_data_ptr(), &word, sizeof word);
        } else if (gp.is_write()) {
            std::memcpy(&word, gp.get_data_ptr(), sizeof word);
            write(static_cast<uint32_t>(offset), word);
        }
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
}

// Looks without touching: whole registers, no latch moves.
unsigned gpu::debug(tlm::tlm_generic_payload &gp)
{
    unsigned done = 0;
    const uint64_t from = gp.get_address();
    while (gp.is_read() && from % sizeof(uint32_t) == 0 && from + done < SMRF_GPU_SPAN &&
           done + sizeof(uint32_t) <= gp.get_data_length()) {
        const uint32_t word = read(static_cast<uint32_t>(from + done), true);
        std::memcpy(gp.get_data_ptr() + done, &word, sizeof word);
        done += static_cast<unsigned>(sizeof word);
    }
    gp.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return done;
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
