// SPDX-License-Identifier: Apache-2.0
// An RV64 core for a platform of others: Unicorn interprets, this puts it behind a TLM socket. The
// core's own memory holds its program; what lies below is the bus, reached through b_transport at
// the time at which the core is. A slice of instructions takes its time at one instruction a
// period.
#ifndef SMRF_TESTS_UNICORN_CPU_H
#define SMRF_TESTS_UNICORN_CPU_H

#include "models/tlm/has_process.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <unicorn/unicorn.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace outside
{

// A program as tests/tools/build_firmware.sh leaves it; no bytes where it was not built.
struct firmware_image {
    std::vector<uint8_t> bytes;
    uint64_t end = 0;
    explicit firmware_image(const std::string &path)
    {
        std::ifstream image(path, std::ios::binary), symbols(path + ".end");
        bytes.assign(std::istreambuf_iterator<char>(image), std::istreambuf_iterator<char>());
        symbols >> std::hex >> end;
    }
};

class unicorn_cpu : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<unicorn_cpu> out{"out"};
    sc_core::sc_in<bool> irq{"irq"};
    bool ended = false;
    uint64_t result = 0, instructions = 0, accesses = 0, interrupts = 0;

    SMRF_HAS_PROCESS(unicorn_cpu);
    unicorn_cpu(const sc_core::sc_module_name &name, const std::vector<uint8_t> &program,
                uint64_t end)
        : sc_module(name), end_(end)
    {
        ok(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &uc_));
        ok(uc_mem_map(uc_, own, own_bytes, UC_PROT_ALL));
        ok(uc_mmio_map(uc_, 0, bus_bytes, &unicorn_cpu::load, this, &unicorn_cpu::store, this));
        ok(uc_mem_write(uc_, own, program.data(), program.size()));
        SC_THREAD(run);
        set_stack_size(1024 * 1024);
    }
    ~unicorn_cpu() override
    {
        uc_close(uc_);
    }

  private:
    static constexpr uint64_t own = 0x80000000, own_bytes = 0x10000, bus_bytes = 0x300000;
    static constexpr size_t slice = 200;

    static void ok(uc_err err)
    {
        if (err != UC_ERR_OK) {
            SC_REPORT_FATAL("/outside/unicorn", uc_strerror(err));
        }
    }
    uint64_t reg(int id)
    {
        uint64_t value = 0;
        ok(uc_reg_read(uc_, id, &value));
        return value;
    }
    void set(int id, uint64_t value)
    {
        ok(uc_reg_write(uc_, id, &value));
    }

    void access(tlm::tlm_command command, uint64_t address, void *data, unsigned bytes)
    {
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(static_cast<unsigned char *>(data));
        gp.set_data_length(bytes);
        gp.set_streaming_width(bytes);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        accesses++;
        out->b_transport(gp, delay);
        wait(delay);
        if (!gp.is_response_ok()) {
            SC_REPORT_ERROR("/outside/unicorn", "bus error");
        }
    }
    static uint64_t load(uc_engine *, uint64_t offset, unsigned bytes, void *self)
    {
        uint64_t value = 0;
        static_cast<unicorn_cpu *>(self)->access(tlm::TLM_READ_COMMAND, offset, &value, bytes);
        return value;
    }
    static void store(uc_engine *, uint64_t offset, unsigned bytes, uint64_t value, void *self)
    {
        static_cast<unicorn_cpu *>(self)->access(tlm::TLM_WRITE_COMMAND, offset, &value, bytes);
    }

    // Machine external interrupt, as the privileged architecture has it.
    void take_interrupt()
    {
        const uint64_t status = reg(UC_RISCV_REG_MSTATUS), mie = 1u << 3, mpie = 1u << 7;
        if ((status & mie) == 0) {
            return;
        }
        interrupts++;
        set(UC_RISCV_REG_MEPC, reg(UC_RISCV_REG_PC));
        set(UC_RISCV_REG_MCAUSE, UINT64_C(1) << 63 | 11);
        set(UC_RISCV_REG_MSTATUS, (status & ~mie) | mpie | 3u << 11);
        set(UC_RISCV_REG_PC, reg(UC_RISCV_REG_MTVEC));
    }

    void run()
    {
        set(UC_RISCV_REG_PC, own);
        while (reg(UC_RISCV_REG_PC) != end_) {
            if (irq.read()) {
                take_interrupt();
            }
            ok(uc_emu_start(uc_, reg(UC_RISCV_REG_PC), end_, 0, slice));
            instructions += slice;
            wait(sc_core::sc_time(2 * slice, sc_core::SC_NS));
        }
        result = reg(UC_RISCV_REG_X10);
        ended = true;
    }

    uc_engine *uc_ = nullptr;
    const uint64_t end_;
};

} // namespace outside

#endif
