// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include "models/tlm/core_period.h"

#include <cstring>
#include <stdexcept>

namespace smrf
{

namespace
{

// The run checks laws and writes texts on the stack of the process that waits for its end.
constexpr size_t stack_bytes = 512 * 1024;

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
    : sc_core::sc_module(name), access_(options.access), programs_(options.programs),
      own_memory_(options.own_memory)
{
    platform_ = build_machine(options, binder(options));
    sms_ = sms_of(platform_);
    make_executor(options);
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

// What is bound in the place of the in-tree memory, if anything is: a socket a SM, or one for all.
std::function<void(smrf_platform *)> gpu::binder(const gpu_options &options)
{
    if (options.own_memory && options.merged_memory) {
        throw std::invalid_argument("merged_memory: there is no memory socket with own_memory");
    }
    if (options.own_memory) {
        return {};
    }
    if (!options.merged_memory) {
        return [this](smrf_platform *p) {
            memory.init(sms_of(p));
            bind_memory(p, [this](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
                socket.bind(memory[sm]);
            });
        };
    }
    return [this](smrf_platform *p) {
        const auto khz = static_cast<uint32_t>(number_of(p, "gpu.core_khz"));
        memory.init(1);
        arbiter_ = std::make_unique<memory_arbiter>(
            "memory_arbiter", sms_of(p),
            time_of_ps(period_ps(khz), "/smrf/memory_arbiter/resolution"));
        arbiter_->out.bind(memory[0]);
        bind_memory(p, [this](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
            socket.bind(arbiter_->in(sm));
        });
    };
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
        launch what{regs_.program, regs_.repeat, wide(regs_.limit_lo, regs_.limit_hi), 0, 0, false};
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
    if (what.program >= programs_.size() && !(what.is_kernel && kernel_.path.empty())) {
        return SMRF_GPU_ERROR_PROGRAM;
    }
    if (what.repeat == 0 || what.repeat > UINT16_MAX) {
        return SMRF_GPU_ERROR_PARAMETER;
    }
    return what.is_kernel ? run_kernel(what)
                          : replay(programs_[what.program], what.repeat, what.limit);
}

uint32_t gpu::replay(const std::string &trace, uint32_t repeat, uint64_t limit)
{
    int result = SMRF_OK;
    for (uint32_t i = 0; i < repeat && result == SMRF_OK; i++) {
        result = smrf_platform_continue(platform_, trace.c_str());
    }
    if (result == SMRF_OK && !reset_pending_) {
        result = smrf_platform_run(platform_, limit ? limit : SMRF_NO_LIMIT);
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
    if (d.magic == SMRF_GPU_KERNEL_MAGIC && executor_) {
        smrf_gpu_kernel k{};
        std::memcpy(&k, &d, sizeof d);
        return fetch_kernel(address, &k, what);
    }
    if (d.magic != SMRF_GPU_DESCRIPTOR_MAGIC || d.bytes != sizeof d || d.reserved != 0 ||
        completion % 8 != 0) {
        return SMRF_GPU_ERROR_DESCRIPTOR;
    }
    *what = {d.program, d.repeat, wide(d.limit_lo, d.limit_hi), completion, d.tag, false};
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
