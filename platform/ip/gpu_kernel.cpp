// SPDX-License-Identifier: Apache-2.0
// smrf::gpu: launches of kernels that are executed.
#include "gpu.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace smrf
{

namespace
{

constexpr uint64_t burst_bytes = 64; // that code, names and arguments are fetched by
constexpr uint32_t variables_align = 65536;
constexpr size_t without_variables = offsetof(smrf_gpu_kernel, variables_lo);

} // namespace

void gpu::make_executor(const gpu_options &options)
{
    if (options.mode != gpu_mode::execute) {
        return;
    }
    const uint64_t bits = number_of(platform_, "bus.address_bits");
    address_mask_ = bits < 64 ? (uint64_t{1} << bits) - 1 : UINT64_MAX;
    address_base_ = number_of(platform_, "bus.base_mib") << 20;
    if (!own_memory_ && value_of(platform_, "bus.unknown_data") == "zeros") {
        smrf_platform_destroy(platform_);
        throw std::invalid_argument("bus.unknown_data=zeros: in the mode execute it would write "
                                    "zeros over data; choose masked or ignored");
    }
    executor_ = std::make_unique<executor>(
        executor_memory{[this](uint64_t address, uint8_t *data, uint64_t bytes) {
                            return look(tlm::TLM_READ_COMMAND, address, data, bytes);
                        },
                        [this](uint64_t address, const uint8_t *data, uint64_t bytes) {
                            return look(tlm::TLM_WRITE_COMMAND, address,
                                        const_cast<uint8_t *>(data), bytes);
                        }},
        options.execute);
}

// A debug access to the memory that launches see: what is bound to memory[0], else to dma.
bool gpu::look(tlm::tlm_command command, uint64_t address, uint8_t *data, uint64_t bytes)
{
    tlm::tlm_generic_payload gp;
    const auto length = static_cast<unsigned>(bytes);
    if (own_memory_ ? dma.size() == 0 : address > address_mask_ - (bytes - 1)) {
        return false;
    }
    gp.set_command(command);
    gp.set_address(own_memory_ ? address : address_base_ + address);
    gp.set_data_ptr(data);
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    return (own_memory_ ? dma->transport_dbg(gp) : memory[0]->transport_dbg(gp)) == length;
}

bool gpu::fetch_bytes(uint64_t address, uint8_t *data, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes;) { // within aligned bursts
        const uint64_t part = std::min(bytes - at, burst_bytes - (address + at) % burst_bytes);
        if (!transfer(tlm::TLM_READ_COMMAND, address + at, data + at,
                      static_cast<unsigned>(part))) {
            return false;
        }
        at += part;
    }
    return true;
}

// k: the part that it shares with a trace's descriptor has been read, the rest is 0. A short
// descriptor leaves the fields that it lacks at 0.
uint32_t gpu::fetch_kernel(uint64_t address, smrf_gpu_kernel *k, launch *what)
{
    constexpr size_t common = sizeof(smrf_gpu_descriptor);
    const uint64_t completion = wide(k->completion_lo, k->completion_hi);
    const bool known = k->bytes == sizeof *k || k->bytes == without_variables;
    if (!known || completion % 8 != 0) {
        return SMRF_GPU_ERROR_DESCRIPTOR;
    }
    if (!transfer(tlm::TLM_READ_COMMAND, address + common, reinterpret_cast<uint8_t *>(k) + common,
                  k->bytes - static_cast<uint32_t>(common))) {
        return SMRF_GPU_ERROR_DMA;
    }
    if ((k->flags & ~SMRF_GPU_KERNEL_FRESH) != 0) {
        return SMRF_GPU_ERROR_DESCRIPTOR;
    }
    *what = {k->program, k->repeat, wide(k->limit_lo, k->limit_hi), completion, k->tag, true};
    regs_.tag = k->tag;
    return fetch_parts(*k);
}

uint32_t gpu::fetch_parts(const smrf_gpu_kernel &k)
{
    const bool in_memory = k.program == SMRF_GPU_CODE_IN_MEMORY;
    if (!in_memory && k.program >= programs_.size()) {
        return SMRF_GPU_ERROR_PROGRAM;
    }
    if ((in_memory && (k.code_bytes == 0 || k.code_bytes > SMRF_GPU_CODE_MOST)) ||
        k.name_bytes > SMRF_GPU_NAME_MOST || k.argument_bytes > SMRF_GPU_ARGUMENTS_MOST ||
        k.variables_lo % variables_align != 0) {
        return SMRF_GPU_ERROR_PARAMETER;
    }
    char name[SMRF_GPU_NAME_MOST + 1] = "";
    kernel_ = {};
    kernel_.path = in_memory ? "" : programs_[k.program];
    kernel_.code.resize(in_memory ? k.code_bytes : 0);
    kernel_.arguments.resize(k.argument_bytes);
    kernel_.grid = {k.grid[0], k.grid[1], k.grid[2]};
    kernel_.block = {k.block[0], k.block[1], k.block[2]};
    kernel_.dynamic_shared = k.dynamic_shared;
    kernel_.variables = wide(k.variables_lo, k.variables_hi);
    kernel_.fresh = kernel_.variables != 0 && (k.flags & SMRF_GPU_KERNEL_FRESH) != 0;
    const bool fetched =
        fetch_bytes(wide(k.code_lo, k.code_hi), kernel_.code.data(), kernel_.code.size()) &&
        fetch_bytes(wide(k.name_lo, k.name_hi), reinterpret_cast<uint8_t *>(name), k.name_bytes) &&
        fetch_bytes(wide(k.arguments_lo, k.arguments_hi), kernel_.arguments.data(),
                    kernel_.arguments.size());
    kernel_.kernel = name;
    return fetched ? SMRF_GPU_ERROR_NONE : SMRF_GPU_ERROR_DMA;
}

// Each run of it begins with what the one before has left in memory. A launch that is given up
// leaves there what its write transactions have carried.
uint32_t gpu::run_kernel(const launch &what)
{
    uint32_t error = SMRF_GPU_ERROR_NONE;
    const uint64_t start = count("cycles");
    for (uint32_t i = 0; i < what.repeat && error == SMRF_GPU_ERROR_NONE && !reset_pending_; i++) {
        const uint64_t used = count("cycles") - start;
        if (what.limit != 0 && used >= what.limit) {
            must_reset_ = true;
            error = SMRF_GPU_ERROR_LIMIT;
            break;
        }
        error = executor_->execute(kernel_);
        kernel_.fresh = false;
        if (error != SMRF_GPU_ERROR_NONE) {
            error_text_ = executor_->error();
            break;
        }
        error = replay(executor_->trace(), 1, what.limit ? what.limit - used : 0);
        if (error == SMRF_GPU_ERROR_NONE && !executor_->commit()) {
            error_text_ = executor_->error();
            error = SMRF_GPU_ERROR_MEMORY;
        }
    }
    executor_->forget();
    return error;
}

} // namespace smrf
