// SPDX-License-Identifier: Apache-2.0
// A GPU as a piece of IP: SMs, and the control socket through which a CPU's firmware drives them. A
// plain module: use it alone, several times, anywhere in a hierarchy. It neither starts nor pauses
// nor stops the simulation, and nothing that is done at its sockets throws.
//
// - control: TLM target, 32 bits: the registers of firmware/driver/gpu_registers.h.
// - dma: TLM initiator, 32 bits: launch descriptors and completions; may stay unbound.
// - memory[i]: TLM initiator, 32 bits: sectors of SM i; there with own_memory = false only. With
//   merged_memory it is memory[0] for all SMs (memory_arbiter.h).
// - reset: sc_in<bool>, active high; may stay unbound. High at time 0, it holds the GPU in reset.
// - interrupt: sc_out<bool>, active high: (IRQ_CAUSE & IRQ_ENABLE) != 0; may stay unbound.
//
// In the mode `execute` it computes: kernels of machine code run on the memory of the platform, and
// take the time that the model says (executor.h). In the mode `replay` launches are traces alone.
//
// The GPU's clock stands still while no launch runs: cycles count from the first launch on,
// whenever it begins.
#ifndef SMRF_IP_GPU_H
#define SMRF_IP_GPU_H

#include "firmware/driver/gpu_registers.h"
#include "models/tlm/has_process.h"
#include "platform/ip/executor.h"
#include "platform/ip/machine.h"
#include "platform/ip/memory_arbiter.h"

#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace smrf
{

enum class gpu_mode { replay, execute };

struct gpu_options : machine_options {
    std::vector<std::string> programs; // traces, or code for the mode execute; handle = position
    gpu_mode mode = gpu_mode::replay;
    executor_options execute;   // for that mode
    bool own_memory = true;     // the in-tree L2 and DRAM; else memory[] is to be bound
    bool merged_memory = false; // one socket, memory[0], for all SMs
    sc_core::sc_time access{10, sc_core::SC_NS}; // time of an access to a register
};

class gpu : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<gpu> control{"control"};
    tlm_utils::simple_initiator_socket_optional<gpu> dma{"dma"};
    sc_core::sc_vector<tlm::tlm_initiator_socket<>> memory{"memory"};
    sc_core::sc_in<bool> reset{"reset"};
    sc_core::sc_out<bool> interrupt{"interrupt"};

    SMRF_HAS_PROCESS(gpu);
    // Throws std::invalid_argument with the platform's text if the options cannot be built.
    gpu(const sc_core::sc_module_name &name, const gpu_options &options);
    ~gpu() override;

    // Adds a program and returns its handle. May be called at any time; the program is read when it
    // is launched.
    uint32_t add_program(const std::string &path);
    // Does the same as a write of CONTROL.RESET. Any process, any time.
    void restart()
    {
        begin_reset();
    }
    // The GPU's platform, for results, statistics and texts of errors. Do not run, reset or destroy
    // it.
    smrf_platform *platform()
    {
        return platform_;
    }
    // Text of the latest error.
    const std::string &error_text() const
    {
        return error_text_;
    }

  private:
    struct registers {
        uint32_t error = 0, irq_enable = 0, irq_cause = 0;
        uint32_t program = 0, repeat = 1, limit_lo = 0, limit_hi = 0;
        uint32_t descriptor_lo = 0, descriptor_hi = 0, stat_index = 0;
        uint32_t launches = 0, tag = 0;
        uint32_t high = 0; // upper half of the value whose low half was read last
        bool done = false;
    };
    struct launch {
        uint32_t program, repeat;
        uint64_t limit, completion;
        uint32_t tag;
        bool is_kernel = false;
    };

    // Two registers, or two words of a descriptor.
    static uint64_t wide(uint32_t lo, uint32_t hi)
    {
        return lo | static_cast<uint64_t>(hi) << 32;
    }

    void before_end_of_elaboration() override;
    std::function<void(smrf_platform *)> binder(const gpu_options &options);

    void transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay);
    unsigned debug(tlm::tlm_generic_payload &gp);
    static tlm::tlm_response_status refusal(const tlm::tlm_generic_payload &gp);
    void access_word(tlm::tlm_generic_payload &gp, uint64_t word, bool look);
    uint32_t read(uint32_t offset, bool look);
    uint32_t low(uint64_t value, bool look);
    void write(uint32_t offset, uint32_t value);
    void ring(uint32_t how);
    void order(uint32_t bits);
    uint64_t count(const char *name) const;
    uint64_t statistic() const;
    uint32_t name_word(uint32_t offset) const;

    void serve();
    uint32_t run(const launch &what);
    uint32_t replay(const std::string &trace, uint32_t repeat, uint64_t limit);
    uint32_t fetch(launch *what);
    uint32_t fetch_kernel(uint64_t address, smrf_gpu_kernel *k, launch *what);
    uint32_t fetch_parts(const smrf_gpu_kernel &k);
    bool fetch_bytes(uint64_t address, uint8_t *data, uint64_t bytes);
    uint32_t run_kernel(const launch &what);
    void make_executor(const gpu_options &options);
    bool look(tlm::tlm_command command, uint64_t address, uint8_t *data, uint64_t bytes);
    bool transfer(tlm::tlm_command command, uint64_t address, void *data, unsigned bytes);
    void finish(uint32_t error);
    void do_reset();
    void begin_reset();
    void raise(uint32_t error);
    void drive();

    const sc_core::sc_time access_;
    smrf_platform *platform_ = nullptr;
    std::unique_ptr<memory_arbiter> arbiter_; // merged_memory
    std::vector<std::string> programs_;
    std::string error_text_;
    registers regs_;
    const bool own_memory_;
    std::unique_ptr<executor> executor_;                    // mode execute
    kernel_launch kernel_;                                  // of the present launch
    uint64_t address_mask_ = UINT64_MAX, address_base_ = 0; // of the memory sockets
    uint32_t sms_ = 0;
    uint32_t rung_ = 0; // a doorbell that has not been handled yet
    bool busy_ = false, must_reset_ = false, reset_pending_ = false;
    sc_core::sc_event work_{"work"}, irq_{"irq"};
    sc_core::sc_signal<bool> no_reset_{"no_reset"}, no_interrupt_{"no_interrupt"};
};

} // namespace smrf

#endif
