// SPDX-License-Identifier: Apache-2.0
// Executes a launch for smrf::gpu: machine code runs on the functional executor (firmware/exec)
// with the platform's memory behind it, and leaves the trace that the model replays.
//
// A launch sees memory as it is when the launch begins: what it accesses is read then, through
// debug accesses, in no time. What it writes stays here until the replay is over; commit() then
// writes it. The replay's own write transactions carry the same values, some of them earlier.
#ifndef SMRF_IP_EXECUTOR_H
#define SMRF_IP_EXECUTOR_H

#include "firmware/capture/capture.h"
#include "firmware/exec/space.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace smrf
{

// A launch whose parts have been fetched.
struct kernel_launch {
    std::string path;          // of the code on the host; empty: it is in `code`
    std::vector<uint8_t> code; // a cubin, fat binary or listing
    std::string kernel;        // empty: the only one
    smrf_exec_dim grid{}, block{};
    uint32_t dynamic_shared = 0;
    std::vector<uint8_t> arguments; // as they lie in the kernel's parameter block
    uint64_t variables = 0;         // where the module's data lies in memory; 0: nowhere
    bool fresh = false;             // initial values are written there first
};

// Debug accesses to the memory that launches see. False: not all bytes are there.
struct executor_memory {
    std::function<bool(uint64_t address, uint8_t *data, uint64_t bytes)> read;
    std::function<bool(uint64_t address, const uint8_t *data, uint64_t bytes)> write;
};

struct executor_options {
    uint64_t warp_insts = 1u << 22; // limit for each warp: beyond it, the loop counts as endless
    // Receives the text of printf (is_error false) and of a failed assert (true). Empty: dropped.
    std::function<void(bool is_error, const std::string &text)> print;
};

class executor
{
  public:
    executor(executor_memory memory, executor_options options);
    ~executor();
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;

    // Executes the launch in no time. Returns enum SMRF_GPU_ERROR_*; on success trace() is to be
    // replayed.
    uint32_t execute(const kernel_launch &launch);
    const std::string &trace() const
    {
        return trace_;
    }
    // What the launch has written goes to memory. False: memory did not take it.
    bool commit();
    // The launch is over, well or not: its trace goes.
    void forget();
    // Why execute() or commit() failed, for people.
    const std::string &error() const
    {
        return error_;
    }

  private:
    struct device_deleter {
        void operator()(smrf_device *device) const
        {
            smrf_device_destroy(device);
        }
    };

    smrf_device_function *load(const kernel_launch &launch);
    bool initialise(uint64_t address, const uint8_t *data, uint64_t bytes) const;
    uint32_t place_variables();
    static int start(smrf_device_function *function, const kernel_launch &launch);
    uint32_t run(const kernel_launch &launch);
    uint32_t capture(const kernel_launch &launch);
    uint32_t fail(uint32_t cause, const std::string &text);
    uint32_t fail_launch(int rc);
    static bool read(void *ctx, uint64_t address, uint8_t *data, uint64_t bytes);
    static int write(void *ctx, uint64_t address, const uint8_t *data, uint64_t bytes);
    static void print(void *ctx, bool is_error, const char *text, size_t bytes);

    const executor_memory memory_;
    const executor_options options_;
    std::unique_ptr<smrf_device, device_deleter> device_; // of the present launch
    smrf_device_module *module_ = nullptr;                // code of the present launch
    bool prints_ = false;                                 // of two runs, one does
    std::string folder_, trace_, error_;
};

} // namespace smrf

#endif
