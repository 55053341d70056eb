// SPDX-License-Identifier: Apache-2.0
// The driver's program drives two GPUs: natively through b_transport, and as RISC-V code on an
// instruction-set simulator that others wrote.
#include "tests/support/driver_window.h"
#include "tests/support/outside_platform.h"

#include "firmware/driver/two_gpus.h"
#include "platform/ip/gpu.h"

#ifdef SMRF_UNICORN
#include "tests/support/unicorn_cpu.h"
#endif

#include <cstdlib>

namespace
{

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

constexpr uint64_t shared_at = 0x1000;

struct board {
    outside::monitors lines;
    outside::ram ram{"ram", 0x10000};
    outside::bus noc{"noc", 3, 3};
    smrf::gpu gpu_0, gpu_1;
    sc_core::sc_signal<bool> irq{"irq"};

    static smrf::gpu_options options()
    {
        smrf::gpu_options o;
        o.preset = "rtx2060-paper";
        o.set = {"gpu.sms=2"};
        o.programs = {bundled("divergent"), bundled("matmul")};
        return o;
    }
    board() : gpu_0("gpu_0", options()), gpu_1("gpu_1", options())
    {
        lines.connect(gpu_0.dma, noc.in[1]);
        lines.connect(gpu_1.dma, noc.in[2]);
        lines.connect(noc.out[0], ram.in);
        lines.connect(noc.out[1], gpu_0.control);
        lines.connect(noc.out[2], gpu_1.control);
        gpu_1.interrupt(irq);
    }
    static uint64_t count(smrf::gpu &g, const char *name)
    {
        uint64_t n = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(g.platform(), name, &n));
        return n;
    }
    // What the program found is what the plain engine says.
    void expect(const two_gpus_result &r)
    {
        const char *const programs[] = {"divergent", "matmul"};
        for (unsigned i = 0; i < 2; i++) {
            smrf_platform *p = nullptr;
            uint64_t cycles = 0, insts = 0;
            smrf_platform_create(&p);
            smrf_platform_preset(p, "rtx2060-paper");
            smrf_platform_engine(p, "direct");
            smrf_platform_set(p, "gpu.sms=2");
            smrf_platform_add_trace(p, bundled(programs[i]).c_str());
            EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT));
            smrf_platform_count(p, "cycles", &cycles);
            smrf_platform_count(p, "instructions.warp", &insts);
            EXPECT_EQ(r.cycles[i], cycles);
            EXPECT_EQ(r.warp_insts[i], insts);
            smrf_platform_destroy(p);
        }
        EXPECT_EQ(r.tag, 77u);
        EXPECT_EQ(r.described, count(gpu_0, "cycles") - r.cycles[0]);
        EXPECT_EQ(r.bank_reads, count(gpu_1, "rf.bank_reads"));
        EXPECT_GT(r.bank_reads, 0u);
        lines.expect_clean();
    }
};

} // namespace

TEST(FirmwareDriver, DrivesTwoGpusNativelyThroughBTransport)
{
    board b;
    outside::cpu core("core");
    smrf_gpu_device devices[2];
    outside::driver_window windows[2] = {
        {core, outside::bus::window, {}},
        {core, 2 * outside::bus::window, [&] { smrf_dev_irq(&devices[1]); }}};
    const smrf_gpu_io io[2] = {windows[0].io(), windows[1].io()};
    b.lines.connect(core.out, b.noc.in[0]);
    core.irq(b.irq);
    two_gpus_result result{};
    int step = -1;
    core.program = [&](outside::cpu &) {
        // The memory is the RAM's own: the host's pointer stands for the core's view of it.
        auto *memory = reinterpret_cast<two_gpus_memory *>(&b.ram.bytes[shared_at]);
        step = two_gpus_run(devices, io, memory, shared_at, &result);
    };
    sc_core::sc_start();
    ASSERT_TRUE(core.ended);
    ASSERT_EQ(step, 0);
    EXPECT_EQ(core.bus_errors, 0u);
    b.expect(result);
}

TEST(FirmwareDriver, RefusesWhatIsNoGpu)
{
    const smrf_gpu_io io = {nullptr, [](void *, uint32_t) { return 0u; },
                            [](void *, uint32_t, uint32_t) {}, nullptr};
    smrf_gpu_device g;
    EXPECT_EQ(smrf_dev_init(&g, &io), -1);
}

// A GPU whose launches fail at once, or end while the core idles for the second time.
struct quick_gpu {
    smrf_gpu_device device{};
    uint32_t cause = 0, error = 0;
    bool fails = false;
    unsigned idles = 0;

    smrf_gpu_io io()
    {
        return {this, read, write, idle};
    }
    static uint32_t read(void *ctx, uint32_t offset)
    {
        const auto *self = static_cast<quick_gpu *>(ctx);
        return offset == SMRF_GPU_IRQ_CAUSE ? self->cause
               : offset == SMRF_GPU_ERROR   ? self->error
                                            : 0;
    }
    static void write(void *ctx, uint32_t offset, uint32_t value)
    {
        auto *self = static_cast<quick_gpu *>(ctx);
        if (offset == SMRF_GPU_IRQ_CAUSE) {
            self->cause &= ~value;
        } else if (offset == SMRF_GPU_ERROR) {
            self->error = 0;
        } else if (offset == SMRF_GPU_DOORBELL) {
            self->error = self->fails ? SMRF_GPU_ERROR_ADDRESS : SMRF_GPU_ERROR_NONE;
            self->end(self->fails);
            self->idles = 0;
        }
    }
    void end(bool ended)
    {
        if (ended) {
            cause |= SMRF_GPU_IRQ_DONE;
        }
    }
    static void idle(void *ctx)
    {
        auto *self = static_cast<quick_gpu *>(ctx);
        self->end(++self->idles == 2);
        smrf_dev_irq(&self->device);
    }
};

// Its interrupt may still be pending when the next launch begins.
TEST(FirmwareDriver, TheEndOfALaunchThatFailedAtOnceIsNotTheNextOnes)
{
    quick_gpu gpu;
    gpu.device.io = gpu.io();
    gpu.fails = true;
    EXPECT_EQ(-SMRF_GPU_ERROR_ADDRESS, smrf_dev_launch_described(&gpu.device, 0));
    gpu.fails = false;
    EXPECT_EQ(0, smrf_dev_launch_described(&gpu.device, 0));
    EXPECT_EQ(0, smrf_dev_wait_irq(&gpu.device));
    EXPECT_EQ(2u, gpu.idles);
}

TEST(FirmwareDriver, DrivesTwoGpusAsRiscVCodeOnAnIndependentSimulator)
{
#ifndef SMRF_UNICORN
    GTEST_SKIP() << "libunicorn-dev is not installed";
#else
    const outside::firmware_image image(SMRF_FIRMWARE "/two_gpus.rv64");
    if (image.bytes.empty()) {
        GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
    }
    board b;
    outside::unicorn_cpu core("core", image.bytes, image.end);
    b.lines.connect(core.out, b.noc.in[0]);
    core.irq(b.irq);
    sc_core::sc_start();
    ASSERT_TRUE(core.ended);
    ASSERT_EQ(core.result, 0u);
    EXPECT_EQ(core.interrupts, 2u)
        << "of the launch that it awaits and of the one that is given up";
    EXPECT_GT(core.accesses, 100u);
    constexpr uint64_t result_at = 0x2000;
    two_gpus_result result;
    std::memcpy(&result, &b.ram.bytes[result_at], sizeof result);
    b.expect(result);
#endif
}
