// SPDX-License-Identifier: Apache-2.0
#include "executor.h"

#include "firmware/driver/gpu_registers.h"
#include "platform/ip/temporary_folder.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace smrf
{

namespace
{

// Fault of the kernel's, else what the device says of the call.
uint32_t cause_of(int rc, smrf_exec_fault fault)
{
    switch (fault) {
    case SMRF_FAULT_ADDRESS:
        return SMRF_GPU_ERROR_ADDRESS;
    case SMRF_FAULT_MISALIGNED:
        return SMRF_GPU_ERROR_MISALIGNED;
    case SMRF_FAULT_ASSERT:
        return SMRF_GPU_ERROR_ASSERT;
    case SMRF_FAULT_TRAP:
        return SMRF_GPU_ERROR_TRAP;
    case SMRF_FAULT_TIMEOUT:
        return SMRF_GPU_ERROR_TIMEOUT;
    case SMRF_FAULT_NONE:
        break;
    }
    switch (rc) {
    case SMRF_ERR_INVAL:
        return SMRF_GPU_ERROR_LAUNCH;
    case SMRF_ERR_NOMEM:
    case SMRF_ERR_IO:
        return SMRF_GPU_ERROR_INTERNAL;
    default:
        return SMRF_GPU_ERROR_CODE;
    }
}

// A variable of the module's own that a kernel may access. Texts of printf and assert are read by
// the executor alone.
const char *variable_of(const smrf_sass_module *module)
{
    for (uint32_t i = 0; i < module->num_symbols; i++) {
        const smrf_sass_symbol &s = module->symbol[i];
        if (s.space == 'g' && std::strncmp(s.name, "$str", 4) != 0 &&
            std::strncmp(s.name, "__unnamed", 9) != 0) {
            return s.name;
        }
    }
    return nullptr;
}

// NULL: it has none or several.
const char *only_kernel(const smrf_sass_module *module)
{
    const char *name = nullptr;
    for (uint32_t i = 0; i < module->num_functions; i++) {
        if (module->function[i].entry) {
            if (name != nullptr) {
                return nullptr;
            }
            name = module->function[i].name;
        }
    }
    return name;
}

} // namespace

executor::executor(executor_memory memory, executor_options options)
    : memory_(std::move(memory)), options_(std::move(options))
{
}

executor::~executor()
{
    forget();
}

bool executor::read(void *ctx, uint64_t address, uint8_t *data, uint64_t bytes)
{
    return static_cast<executor *>(ctx)->memory_.read(address, data, bytes);
}

int executor::write(void *ctx, uint64_t address, const uint8_t *data, uint64_t bytes)
{
    return static_cast<executor *>(ctx)->memory_.write(address, data, bytes) ? 0 : SMRF_ERR_IO;
}

void executor::print(void *ctx, bool is_error, const char *text, size_t bytes)
{
    auto *self = static_cast<executor *>(ctx);
    if (self->prints_ && self->options_.print) {
        self->options_.print(is_error, std::string(text, bytes));
    }
}

uint32_t executor::fail(uint32_t cause, const std::string &text)
{
    error_ = text;
    return cause;
}

uint32_t executor::fail_launch(int rc)
{
    return fail(cause_of(rc, smrf_device_fault(device_.get())), smrf_device_error(device_.get()));
}

// A device of its own, with the kernel on it. NULL: error_ says why, as far as it is not the
// device's.
smrf_device_function *executor::load(const kernel_launch &launch)
{
    const smrf_space_backing backing = {this, &executor::read};
    smrf_device_limits limits{};
    smrf_device_module *module = nullptr;
    smrf_device_function *function = nullptr;
    smrf_device *device = nullptr;
    error_.clear();
    device_.reset();
    if (smrf_device_create(&device) < 0) {
        return nullptr;
    }
    device_.reset(device);
    smrf_space_back(smrf_device_space(device), &backing);
    limits.max_insts_per_warp = options_.warp_insts;
    limits.heap_bytes = 1; // malloc has no room: it returns NULL
    limits.print = &executor::print;
    limits.print_ctx = this;
    smrf_device_limit(device, &limits);
    if (launch.variables != 0) {
        smrf_device_data_behind(device, launch.variables);
    }
    const int rc = launch.path.empty()
                       ? smrf_device_load_bytes(device, &module, "code in memory",
                                                launch.code.data(), launch.code.size(), 0)
                       : smrf_device_load(device, &module, launch.path.c_str(), 0);
    if (rc < 0) {
        return nullptr;
    }
    module_ = module;
    const smrf_sass_module *info = smrf_device_module_info(module);
    const char *name = launch.kernel.empty() ? only_kernel(info) : launch.kernel.c_str();
    const char *variable = launch.variables != 0 ? nullptr : variable_of(info);
    if (variable != nullptr) {
        error_ = std::string(info->file) + ": the variable \"" + variable +
                 "\" has no place in the platform's memory: the descriptor's variables_lo is 0";
    } else if (name == nullptr) {
        error_ = std::string(info->file) + ": it has no kernel, or several: name one";
    } else {
        (void)smrf_device_get_function(module, &function, name);
    }
    return function;
}

// data NULL: zeros.
bool executor::initialise(uint64_t address, const uint8_t *data, uint64_t bytes) const
{
    const std::vector<uint8_t> zeros(std::min<uint64_t>(bytes, SMRF_SPACE_PAGE));
    bool done = true;
    for (uint64_t at = 0; at < bytes && done; at += SMRF_SPACE_PAGE) {
        done = memory_.write(address + at, data != nullptr ? data + at : zeros.data(),
                             std::min(bytes - at, SMRF_SPACE_PAGE));
    }
    return done;
}

// The initial values of the module's variables go to memory.
uint32_t executor::place_variables()
{
    const smrf_sass_module *module = smrf_device_module_info(module_);
    for (uint32_t i = 0; i < module->num_data; i++) {
        const smrf_sass_data &data = module->data[i];
        if (!initialise(data.address, data.bytes, data.size)) {
            char at[24];
            (void)std::snprintf(at, sizeof at, "0x%" PRIx64, module->data_base);
            return fail(SMRF_GPU_ERROR_ADDRESS,
                        std::string(module->file) + ": no memory for the variables at " + at);
        }
    }
    return SMRF_GPU_ERROR_NONE;
}

// As many bytes of arguments as the kernel declares; all that are given, if it declares none.
int executor::start(smrf_device_function *function, const kernel_launch &launch)
{
    const uint32_t declared = smrf_device_function_info(function)->param_bytes;
    return smrf_device_launch_raw(
        function, launch.grid, launch.block, launch.dynamic_shared, launch.arguments.data(),
        declared != 0 ? declared : static_cast<uint32_t>(launch.arguments.size()));
}

// Once, without a trace: what is wrong with the launch is found before anything is written. A
// kernel that never ends would write gigabytes.
uint32_t executor::run(const kernel_launch &launch)
{
    smrf_device_function *function = load(launch);
    if (function == nullptr) {
        return fail(SMRF_GPU_ERROR_CODE,
                    error_.empty() ? smrf_device_error(device_.get()) : error_);
    }
    const uint32_t declared = smrf_device_function_info(function)->param_bytes;
    const auto given = static_cast<uint32_t>(launch.arguments.size());
    if (given < declared) {
        return fail(SMRF_GPU_ERROR_LAUNCH, "the kernel has " + std::to_string(declared) +
                                               " bytes of arguments, the launch " +
                                               std::to_string(given));
    }
    if (launch.fresh) {
        if (const uint32_t cause = place_variables()) {
            return cause;
        }
    }
    const int rc = start(function, launch);
    return rc < 0 ? fail_launch(rc) : uint32_t{SMRF_GPU_ERROR_NONE};
}

// .. and once more, with one.
uint32_t executor::capture(const kernel_launch &launch)
{
    smrf_capture_options options{};
    struct smrf_capture *capture = nullptr;
    const std::string to = folder_ + "/trace";
    options.dir = to.c_str();
    options.format = SMRF_TRACE_V6;
    options.compression = SMRF_COMPRESS_NONE;
    options.values = true;
    int rc = smrf_capture_open(&capture, &options);
    uint32_t cause = SMRF_GPU_ERROR_NONE;
    if (rc == 0) {
        if (smrf_device_function *function = load(launch)) {
            smrf_device_listen(device_.get(), smrf_capture_listener(capture));
            rc = start(function, launch);
            smrf_device_listen(device_.get(), nullptr);
        } else {
            rc = SMRF_ERR_NOMEM;
        }
        rc = rc == 0 ? smrf_capture_finish(capture) : rc;
    }
    if (rc < 0) {
        cause = fail(SMRF_GPU_ERROR_INTERNAL, smrf_capture_error(capture));
    }
    smrf_capture_close(capture);
    trace_ = to;
    return cause;
}

uint32_t executor::execute(const kernel_launch &launch)
{
    forget();
    prints_ = true;
    const uint32_t cause = run(launch);
    if (cause != SMRF_GPU_ERROR_NONE) {
        device_.reset();
        return cause;
    }
    prints_ = false;
    std::string folder;
    if (!make_temporary_folder("launch", folder)) {
        return fail(SMRF_GPU_ERROR_INTERNAL, folder + ": cannot be made (TMPDIR)");
    }
    folder_ = folder;
    return capture(launch);
}

bool executor::commit()
{
    const bool done = device_ && smrf_space_changes(smrf_device_space(device_.get()), this,
                                                    &executor::write) == 0;
    error_ = done ? "" : "the memory takes no debug writes";
    return done;
}

void executor::forget()
{
    device_.reset();
    if (!folder_.empty()) {
        remove_temporary_folder(folder_);
    }
    folder_.clear();
    trace_.clear();
}

} // namespace smrf
