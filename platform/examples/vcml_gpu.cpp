// SPDX-License-Identifier: Apache-2.0
// smrf::gpu as a component of VCML (https://github.com/machineware-gmbh/vcml): its properties, its
// reset and its interrupt are VCML's, its sockets are bound to VCML's bus. Two of them multiply two
// matrices, driven by a processor beside them.
//
//     vcml_gpu firmware/driver/product.cubin
#include "firmware/driver/product.h"
#include "models/tlm/has_process.h"
#include "platform/ip/gpu.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vcml.h>
#include <vector>

class vcml_gpu : public vcml::component
{
  public:
    vcml::property<unsigned> sms{"sms", 2};
    smrf::gpu gpu{"gpu", options()};
    vcml::gpio_initiator_socket irq{"irq"};

    SMRF_HAS_PROCESS(vcml_gpu);
    explicit vcml_gpu(const sc_core::sc_module_name &name) : component(name)
    {
        gpu.interrupt(interrupt_);
        gpu.reset(reset_);
        SC_METHOD(pass_interrupt);
        sensitive << interrupt_;
        SC_METHOD(pass_reset);
        sensitive << rst.default_event();
    }
    VCML_KIND(vcml_gpu);

  private:
    sc_core::sc_signal<bool> interrupt_{"interrupt"}, reset_{"gpu_reset"};

    smrf::gpu_options options() const
    {
        smrf::gpu_options o;
        o.mode = smrf::gpu_mode::execute;
        o.own_memory = false;
        o.merged_memory = true;
        // VCML's sockets know b_transport only.
        o.set = {"bus.blocking=on", "gpu.sms=" + std::to_string(sms.get())};
        return o;
    }
    void pass_interrupt()
    {
        irq = interrupt_.read();
    }
    void pass_reset()
    {
        reset_ = rst.read();
    }
};

// It runs firmware/driver/product.c.
class my_cpu : public vcml::component
{
  public:
    vcml::tlm_initiator_socket out{"out"};
    vcml::gpio_target_socket irq_0{"irq_0"}, irq_1{"irq_1"};
    int step = -1; // in which it went wrong; 0: in none

    SMRF_HAS_PROCESS(my_cpu);
    my_cpu(const sc_core::sc_module_name &name, vcml::generic::memory &ram, const std::string &code)
        : component(name), ram_(ram), code_((code.size() + 3) / 4)
    {
        code.copy(reinterpret_cast<char *>(code_.data()), code.size());
        SC_THREAD(run);
        set_stack_size(512 * 1024);
    }
    VCML_KIND(my_cpu);

  private:
    struct window { // of a GPU's registers
        my_cpu *cpu;
        uint64_t base;
    };

    vcml::generic::memory &ram_;
    std::vector<uint32_t> code_;
    smrf_gpu_device device_[2] = {};
    window window_[2] = {{this, 0x10000000}, {this, 0x10001000}};

    static uint32_t read(void *ctx, uint32_t offset)
    {
        const window &w = *static_cast<window *>(ctx);
        uint32_t value = 0;
        w.cpu->out.readw(w.base + offset, value);
        return value;
    }
    static void write(void *ctx, uint32_t offset, uint32_t value)
    {
        const window &w = *static_cast<window *>(ctx);
        w.cpu->out.writew(w.base + offset, value);
    }
    static void idle(void *ctx)
    {
        my_cpu *cpu = static_cast<window *>(ctx)->cpu;
        if (!cpu->irq_0.read() && !cpu->irq_1.read()) {
            sc_core::wait(cpu->irq_0.posedge_event() | cpu->irq_1.posedge_event());
        }
        smrf_dev_irq(&cpu->device_[0]);
        smrf_dev_irq(&cpu->device_[1]);
        sc_core::wait(cpu->clock_cycle());
    }
    void run()
    {
        const smrf_gpu_io io[2] = {{&window_[0], read, write, idle},
                                   {&window_[1], read, write, idle}};
        product_result result = {};
        wait_clock_reset();
        step = product_run(device_, io, reinterpret_cast<product_memory *>(ram_.data()), 0,
                           code_.data(), static_cast<uint32_t>(4 * code_.size()), &result);
        std::printf("halves in %u and %u cycles, step %d\n", unsigned(result.cycles[0]),
                    unsigned(result.cycles[1]), step);
        sc_core::sc_stop();
    }
};

extern "C" int sc_main(int argc, char *argv[])
{
    std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
    vcml::generic::clock clock("clock", 1 * vcml::GHz);
    vcml::generic::reset reset("reset");
    vcml::generic::bus bus("bus");
    vcml::generic::memory ram("ram", 0x10000);
    vcml_gpu gpu_0("gpu_0"), gpu_1("gpu_1");
    my_cpu cpu("cpu", ram, std::string(std::istreambuf_iterator<char>(file), {}));
    for (vcml::component *c :
         std::initializer_list<vcml::component *>{&bus, &ram, &gpu_0, &gpu_1, &cpu}) {
        clock.clk.bind(c->clk);
        reset.rst.bind(c->rst);
    }
    bus.bind(cpu.out);
    bus.bind(ram.in, vcml::range(0, 0xffff));
    bus.bind(gpu_0.gpu.control, vcml::range(0x10000000, 0x10000fff));
    bus.bind(gpu_1.gpu.control, vcml::range(0x10001000, 0x10001fff));
    for (vcml_gpu *g : {&gpu_0, &gpu_1}) {
        g->gpu.dma.bind(bus.in[bus.in.next_index()]);
        g->gpu.memory[0].bind(bus.in[bus.in.next_index()]);
    }
    gpu_0.irq.bind(cpu.irq_0);
    gpu_1.irq.bind(cpu.irq_1);
    sc_core::sc_start();
    return cpu.step != 0;
}
