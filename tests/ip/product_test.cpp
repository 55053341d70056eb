// SPDX-License-Identifier: Apache-2.0
// Two GPUs compute for a CPU on the memory that all three share: the driver's program fills two
// matrices, launches their product and checks it, natively and as RISC-V code on an
// instruction-set simulator that others wrote.
#include "tests/support/driver_window.h"

#include "firmware/driver/product.h"
#include "platform/ip/gpu.h"

#ifdef SMRF_UNICORN
#include "tests/support/unicorn_cpu.h"
#endif

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace
{

// The CPU has one interrupt; either GPU raises it.
struct either : sc_core::sc_module {
    sc_core::sc_signal<bool> a{"a"}, b{"b"}, any{"any"};
    SMRF_HAS_PROCESS(either);
    explicit either(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_METHOD(follow);
        sensitive << a << b;
    }
    void follow()
    {
        any.write(a.read() || b.read());
    }
};

struct board {
    outside::monitors lines;
    outside::ram ram{"ram", 0x10000};
    smrf::gpu gpu_0, gpu_1;
    outside::bus noc{"noc", 7, 3};
    either irq{"irq"};

    static smrf::gpu_options options()
    {
        smrf::gpu_options o;
        o.preset = "rtx2060-paper";
        o.set = {"gpu.sms=2"};
        o.mode = smrf::gpu_mode::execute;
        o.own_memory = false;
        return o;
    }
    board() : gpu_0("gpu_0", options()), gpu_1("gpu_1", options())
    {
        unsigned master = 1;
        for (smrf::gpu *g : {&gpu_0, &gpu_1}) {
            lines.connect(g->dma, noc.in[master++]);
            for (auto &socket : g->memory) {
                lines.connect(socket, noc.in[master++]);
            }
        }
        lines.connect(noc.out[0], ram.in);
        lines.connect(noc.out[1], gpu_0.control);
        lines.connect(noc.out[2], gpu_1.control);
        gpu_0.interrupt(irq.a);
        gpu_1.interrupt(irq.b);
    }
    void expect(const product_result &r)
    {
        EXPECT_EQ(r.wrong, 0u);
        EXPECT_GT(r.cycles[0], 1000u);
        EXPECT_GT(r.cycles[1], 1000u);
        lines.expect_clean();
    }
};

} // namespace

TEST(FirmwareProduct, ComputesOnTwoGpusNativelyThroughBTransport)
{
    board b;
    outside::cpu core("core");
    smrf_gpu_device devices[2];
    const auto handler = [&] {
        smrf_dev_irq(&devices[0]);
        smrf_dev_irq(&devices[1]);
    };
    outside::driver_window windows[2] = {{core, outside::bus::window, handler},
                                         {core, 2 * outside::bus::window, handler}};
    const smrf_gpu_io io[2] = {windows[0].io(), windows[1].io()};
    b.lines.connect(core.out, b.noc.in[0]);
    core.irq(b.irq.any);
    std::ifstream file(std::string(std::getenv("SMRF_SOURCE_DIR")) +
                           "/firmware/driver/product.cubin",
                       std::ios::binary);
    std::vector<char> cubin((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    ASSERT_FALSE(cubin.empty());
    std::vector<uint32_t> code((cubin.size() + 3) / 4);
    std::memcpy(code.data(), cubin.data(), cubin.size());
    product_result result{};
    int step = -1;
    core.program = [&](outside::cpu &) {
        constexpr uint64_t at = 0x4000;
        // The memory is the RAM's own: the host's pointer stands for the core's view of it.
        auto *memory = reinterpret_cast<product_memory *>(&b.ram.bytes[at]);
        step = product_run(devices, io, memory, at, code.data(),
                           static_cast<uint32_t>(code.size() * 4), &result);
    };
    sc_core::sc_start();
    ASSERT_TRUE(core.ended);
    ASSERT_EQ(step, 0) << b.gpu_0.error_text() << b.gpu_1.error_text();
    b.expect(result);
    // The GPUs' own: sectors of both halves, once more of the first, which is launched again after
    // a fault, and the completions of four launches.
    EXPECT_EQ(b.ram.writes, 3u * PRODUCT_SIZE * PRODUCT_SIZE / 16 + 4);
}

TEST(FirmwareProduct, ComputesOnTwoGpusAsRiscVCodeOnAnIndependentSimulator)
{
#ifndef SMRF_UNICORN
    GTEST_SKIP() << "libunicorn-dev is not installed";
#else
    const outside::firmware_image image(SMRF_FIRMWARE "/product.rv64");
    if (image.bytes.empty()) {
        GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
    }
    board b;
    outside::unicorn_cpu core("core", image.bytes, image.end);
    b.lines.connect(core.out, b.noc.in[0]);
    core.irq(b.irq.any);
    sc_core::sc_start();
    ASSERT_TRUE(core.ended);
    ASSERT_EQ(core.result, 0u) << b.gpu_0.error_text() << b.gpu_1.error_text();
    EXPECT_GE(core.interrupts, 3u) << "of two halves that may end at once, a fault, and one more";
    constexpr uint64_t result_at = 0x2000;
    product_result result;
    std::memcpy(&result, &b.ram.bytes[result_at], sizeof result);
    b.expect(result);
    EXPECT_GE(b.ram.writes, 2u * PRODUCT_SIZE * PRODUCT_SIZE / 8) << "the core's writes, too";
#endif
}
