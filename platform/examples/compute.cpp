// SPDX-License-Identifier: Apache-2.0
// A GPU that computes in a virtual platform: a CPU puts two matrices and a kernel's machine code
// into memory, launches their product, waits for the interrupt and checks what the GPU has written.
//
//     compute firmware/driver/product.cubin
#include "firmware/driver/product.h"
#include "models/tlm/has_process.h"
#include "platform/ip/gpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

// 64 KiB behind any number of sockets.
class my_ram : public sc_core::sc_module
{
  public:
    tlm_utils::multi_passthrough_target_socket<my_ram> in{"in"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(0x10000);

    explicit my_ram(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_b_transport(this, &my_ram::b_transport);
        in.register_transport_dbg(this, &my_ram::transport_dbg);
    }

  private:
    unsigned transport_dbg(int, tlm::tlm_generic_payload &gp)
    {
        const unsigned char *enables = gp.get_byte_enable_ptr();
        for (unsigned i = 0; i < gp.get_data_length(); i++) {
            const uint64_t at = gp.get_address() + i;
            if (at >= bytes.size()) {
                return i;
            }
            if (gp.is_read()) {
                gp.get_data_ptr()[i] = bytes[at];
            } else if (enables == nullptr || enables[i % gp.get_byte_enable_length()] != 0) {
                bytes[at] = gp.get_data_ptr()[i];
            }
        }
        return gp.get_data_length();
    }
    void b_transport(int id, tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        gp.set_response_status(transport_dbg(id, gp) == gp.get_data_length()
                                   ? tlm::TLM_OK_RESPONSE
                                   : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += sc_core::sc_time(100, sc_core::SC_NS);
    }
};

class my_cpu : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<my_cpu> registers{"registers"};
    sc_core::sc_in<bool> irq{"irq"};
    int wrong = -1; // elements of the product, or an error

    SMRF_HAS_PROCESS(my_cpu);
    my_cpu(const sc_core::sc_module_name &name, my_ram &ram, const std::vector<char> &code)
        : sc_module(name), code_(code), memory_(*reinterpret_cast<product_memory *>(&ram.bytes[0]))
    {
        SC_THREAD(run);
        set_stack_size(256 * 1024);
    }

  private:
    uint32_t access(tlm::tlm_command command, uint32_t offset, uint32_t word)
    {
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay;
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&word));
        gp.set_data_length(sizeof word);
        gp.set_streaming_width(sizeof word);
        registers->b_transport(gp, delay);
        wait(delay);
        return word;
    }
    void run()
    {
        constexpr uint32_t n = PRODUCT_SIZE;
        std::copy(code_.begin(), code_.end(), reinterpret_cast<char *>(memory_.code));
        for (uint32_t i = 0; i < n * n; i++) {
            memory_.a[i] = i;
            memory_.b[i] = i % n == i / n ? 2 : 0; // twice the identity
        }
        memory_.arguments[0] = {offsetof(product_memory, a), offsetof(product_memory, b),
                                offsetof(product_memory, c), n};
        smrf_gpu_kernel &k = memory_.kernel[0];
        smrf_dev_describe_kernel(
            &k, offsetof(product_memory, code), static_cast<uint32_t>(code_.size()),
            offsetof(product_memory, arguments), sizeof(product_arguments), 0, 1);
        k.grid[0] = k.grid[1] = n / 16;
        k.block[0] = k.block[1] = 16;
        access(tlm::TLM_WRITE_COMMAND, SMRF_GPU_IRQ_ENABLE, SMRF_GPU_IRQ_DONE);
        access(tlm::TLM_WRITE_COMMAND, SMRF_GPU_DESCRIPTOR_LO, offsetof(product_memory, kernel));
        access(tlm::TLM_WRITE_COMMAND, SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_DESCRIPTOR);
        wait(irq.posedge_event());
        const uint32_t error = access(tlm::TLM_READ_COMMAND, SMRF_GPU_ERROR, 0);
        wrong = error != SMRF_GPU_ERROR_NONE;
        for (uint32_t i = 0; i < n * n; i++) {
            wrong += memory_.c[i] != 2 * i;
        }
        std::printf("%u x %u in %u cycles, %d errors\n", n, n,
                    access(tlm::TLM_READ_COMMAND, SMRF_GPU_CYCLES_LO, 0), wrong);
    }

    const std::vector<char> &code_;
    product_memory &memory_;
};

extern "C" int sc_main(int argc, char *argv[])
{
    std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
    const std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
    smrf::gpu_options options;
    options.mode = smrf::gpu_mode::execute;
    options.own_memory = false;
    options.set = {"gpu.sms=2", "bus.blocking=on"};
    smrf::gpu gpu("gpu", options);
    my_ram ram("ram");
    my_cpu cpu("cpu", ram, code);
    sc_core::sc_signal<bool> irq("irq");
    cpu.registers.bind(gpu.control);
    gpu.dma.bind(ram.in);
    for (auto &socket : gpu.memory) {
        socket.bind(ram.in);
    }
    gpu.interrupt(irq);
    cpu.irq(irq);
    sc_core::sc_start();
    return cpu.wrong != 0;
}
