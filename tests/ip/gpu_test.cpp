// SPDX-License-Identifier: Apache-2.0
// smrf::gpu in a platform of others: registers, launches, descriptors, interrupts, misuse, resets.
#include "models/tlm/has_process.h"
#include "tests/support/expected_reports.h"
#include "tests/support/outside_platform.h"

#include "platform/ip/gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

using outside::bus;
using outside::cpu;

namespace
{

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

constexpr uint64_t ram_base = 0, gpu_base = bus::window, gpu1_base = 2 * bus::window;

smrf::gpu_options small(bool own_memory = true, const std::string &mechanism = "baseline")
{
    smrf::gpu_options o;
    o.preset = "rtx2060-paper";
    o.mechanism = mechanism;
    o.set = {"gpu.sms=2"};
    o.programs = {bundled("divergent"), bundled("matmul")};
    o.own_memory = own_memory;
    return o;
}

// A GPU and a CPU at its registers, nothing else.
struct lone_gpu {
    smrf::gpu gpu;
    outside::cpu core{"core"};
    sc_core::sc_signal<bool> none;
    explicit lone_gpu(const smrf::gpu_options &o = small()) : gpu("gpu", o)
    {
        core.irq(none);
        core.out.bind(gpu.control);
    }
};

// Two GPUs deep in a hierarchy, a bus, a memory, a CPU.
struct system_of_others : sc_core::sc_module {
    outside::monitors lines;
    outside::cpu core{"core"};
    outside::ram ram{"ram", 0x10000};
    bus noc{"noc", 3, 3};
    struct card : sc_core::sc_module {
        smrf::gpu gpu;
        card(const sc_core::sc_module_name &name, const smrf::gpu_options &o)
            : sc_module(name), gpu("gpu", o)
        {
        }
    } card_0, card_1;
    std::vector<std::unique_ptr<outside::far_memory>> far;
    sc_core::sc_signal<bool> irq_0{"irq_0"}, reset_0{"reset_0"};

    explicit system_of_others(const smrf::gpu_options &o, double latency_ns = 150)
        : sc_module(sc_core::sc_module_name("system")), card_0("card_0", o), card_1("card_1", o)
    {
        lines.connect(core.out, noc.in[0]);
        lines.connect(gpu().dma, noc.in[1]);
        lines.connect(card_1.gpu.dma, noc.in[2]);
        lines.connect(noc.out[0], ram.in);
        lines.connect(noc.out[1], gpu().control);
        lines.connect(noc.out[2], card_1.gpu.control);
        for (smrf::gpu *g : {&gpu(), &card_1.gpu}) {
            for (auto &socket : g->memory) {
                far.push_back(std::make_unique<outside::far_memory>(
                    ("far_" + std::to_string(far.size())).c_str(), latency_ns));
                lines.connect(socket, far.back()->in);
            }
        }
        core.irq(irq_0);
        gpu().interrupt(irq_0);
        gpu().reset(reset_0);
    }
    smrf::gpu &gpu()
    {
        return card_0.gpu;
    }
    void run(std::function<void(cpu &)> program)
    {
        core.program = std::move(program);
        sc_core::sc_start();
        EXPECT_TRUE(core.ended) << "the CPU's program stands still";
        lines.expect_clean();
    }
};

void launch(cpu &c, uint64_t base, uint32_t program)
{
    c.write(base + SMRF_GPU_PROGRAM, program);
    c.write(base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_REGISTERS);
}

uint32_t poll(cpu &c, uint64_t base, uint32_t bit = SMRF_GPU_STATUS_BUSY)
{
    uint32_t status = 0;
    while ((status = c.read(base + SMRF_GPU_STATUS)) & bit) {
        c.wait(sc_core::sc_time(1, sc_core::SC_US));
    }
    return status;
}

uint64_t wide(cpu &c, uint64_t low)
{
    const uint64_t lo = c.read(low);
    return lo | static_cast<uint64_t>(c.read(low + 4)) << 32;
}

// What the plain engine says of the same machine and traces.
uint64_t cycles_of(const std::vector<std::string> &traces, const char *mechanism = "baseline",
                   uint64_t *insts = nullptr, const char *pair = "gpu.sms=2")
{
    smrf_platform *p = nullptr;
    uint64_t cycles = 0;
    smrf_platform_create(&p);
    smrf_platform_preset(p, "rtx2060-paper");
    smrf_platform_mechanism(p, mechanism);
    smrf_platform_engine(p, "direct");
    smrf_platform_set(p, "gpu.sms=2");
    smrf_platform_set(p, pair);
    for (const std::string &t : traces) {
        smrf_platform_add_trace(p, t.c_str());
    }
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    smrf_platform_count(p, "cycles", &cycles);
    if (insts) {
        smrf_platform_count(p, "instructions.warp", insts);
    }
    smrf_platform_destroy(p);
    return cycles;
}

} // namespace

TEST(GpuIp, CyclesCountFromTheLaunchOnWheneverItBegins)
{
    for (const char *mechanism : {"malekeh-long"}) {
        uint64_t insts = 0;
        const uint64_t expected = cycles_of({bundled("divergent")}, mechanism, &insts);
        system_of_others s(small(true, mechanism));
        s.run([&](cpu &c) {
            EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ID), SMRF_GPU_ID_VALUE);
            EXPECT_EQ(c.read(gpu_base + SMRF_GPU_SMS), 2u);
            EXPECT_EQ(c.read(gpu_base + SMRF_GPU_PROGRAMS), 2u);
            c.wait(sc_core::sc_time(123457, sc_core::SC_NS));
            launch(c, gpu_base, 0);
            EXPECT_EQ(poll(c, gpu_base), uint32_t{SMRF_GPU_STATUS_DONE});
            EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), expected);
            EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_WARP_INSTS_LO), insts);
            c.wait(sc_core::sc_time(3, sc_core::SC_US));
            launch(c, gpu1_base, 0);
            EXPECT_EQ(poll(c, gpu1_base), uint32_t{SMRF_GPU_STATUS_DONE});
            EXPECT_EQ(wide(c, gpu1_base + SMRF_GPU_CYCLES_LO), expected);
        });
    }
}

TEST(GpuIp, TwoGpusAtOnceAndOneAfterTheOtherOnTheSameMachine)
{
    const uint64_t one = cycles_of({bundled("matmul")});
    system_of_others s(small());
    s.run([&](cpu &c) {
        launch(c, gpu_base, 1);
        launch(c, gpu1_base, 1);
        EXPECT_TRUE(c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY);
        EXPECT_TRUE(c.read(gpu1_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY);
        poll(c, gpu_base);
        poll(c, gpu1_base);
        EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), one);
        EXPECT_EQ(wide(c, gpu1_base + SMRF_GPU_CYCLES_LO), one);
        c.wait(sc_core::sc_time(77, sc_core::SC_US));
        launch(c, gpu_base, 0);
        EXPECT_EQ(poll(c, gpu_base), uint32_t{SMRF_GPU_STATUS_DONE});
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_LAUNCHES), 2u);
        const uint64_t both = wide(c, gpu_base + SMRF_GPU_CYCLES_LO);
        EXPECT_GT(both, one);
        EXPECT_LT(both, one + 2 * cycles_of({bundled("divergent")})) << "the pause counts nothing";
    });
}

TEST(GpuIp, StatisticsAreReadByIndexWithTheirNames)
{
    system_of_others s(small(true, "malekeh-long"));
    s.run([&](cpu &c) {
        launch(c, gpu_base, 0);
        poll(c, gpu_base);
        const uint32_t n = c.read(gpu_base + SMRF_GPU_STAT_COUNT);
        unsigned ratios = 0, own = 0;
        for (uint32_t i = 0; i < n; i++) {
            c.write(gpu_base + SMRF_GPU_STAT_INDEX, i);
            char name[SMRF_GPU_STAT_NAME_BYTES];
            for (unsigned k = 0; k < sizeof name; k += 4) {
                const uint32_t word = c.read(gpu_base + SMRF_GPU_STAT_NAME + k);
                std::memcpy(name + k, &word, 4);
            }
            double expected = 0;
            ASSERT_EQ(SMRF_OK, smrf_platform_stat(s.gpu().platform(), name, &expected)) << name;
            const uint64_t value = wide(c, gpu_base + SMRF_GPU_STAT_LO);
            if (c.read(gpu_base + SMRF_GPU_STAT_IS_RATIO)) {
                ratios++;
                EXPECT_NEAR(static_cast<double>(value) / 4294967296.0, expected, 1e-6) << name;
            } else {
                EXPECT_EQ(static_cast<double>(value), expected) << name;
            }
            own += std::strncmp(name, "mechanism.", 10) == 0;
        }
        EXPECT_GT(ratios, 0u);
        EXPECT_GT(own, 0u) << "the mechanism's own";
        EXPECT_GT(n, 50u);
        c.write(gpu_base + SMRF_GPU_STAT_INDEX, n);
        EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_STAT_LO), 0u);
    });
}

TEST(GpuIp, TheInterruptFollowsCauseAndEnable)
{
    system_of_others s(small());
    s.run([&](cpu &c) {
        launch(c, gpu_base, 0);
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_IRQ_CAUSE), uint32_t{SMRF_GPU_IRQ_DONE});
        EXPECT_FALSE(c.irq.read()) << "not enabled";
        c.write(gpu_base + SMRF_GPU_IRQ_ENABLE, SMRF_GPU_IRQ_DONE);
        c.wait(sc_core::sc_time(1, sc_core::SC_NS));
        EXPECT_TRUE(c.irq.read());
        c.write(gpu_base + SMRF_GPU_IRQ_CAUSE, SMRF_GPU_IRQ_DONE);
        c.wait(sc_core::sc_time(1, sc_core::SC_NS));
        EXPECT_FALSE(c.irq.read());
        launch(c, gpu_base, 0);
        c.wait(c.irq.posedge_event());
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_STATUS), uint32_t{SMRF_GPU_STATUS_DONE});
    });
}

TEST(GpuIp, ADescriptorIsReadFromMemoryAndItsCompletionWrittenThere)
{
    const uint64_t twice = cycles_of({bundled("divergent"), bundled("divergent")});
    system_of_others s(small());
    s.run([&](cpu &c) {
        const smrf_gpu_descriptor d{
            SMRF_GPU_DESCRIPTOR_MAGIC, sizeof d, 0, 2, 0, 0, 0x800, 0, 42, 0};
        for (unsigned k = 0; k < sizeof d; k += 4) {
            uint32_t word = 0;
            std::memcpy(&word, reinterpret_cast<const char *>(&d) + k, 4);
            c.write(ram_base + 0x400 + k, word);
        }
        c.write(gpu_base + SMRF_GPU_DESCRIPTOR_LO, 0x400);
        c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_DESCRIPTOR);
        while (c.read(ram_base + 0x804) == 0) { // firmware may look at memory alone
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        EXPECT_EQ(c.read(ram_base + 0x800), 42u);
        EXPECT_EQ(c.read(ram_base + 0x804), 1u + SMRF_GPU_ERROR_NONE);
        EXPECT_EQ(wide(c, ram_base + 0x808), twice);
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_TAG), 42u);
    });
}

TEST(GpuIp, MisuseSetsTheErrorBitAndThrowsNothing)
{
    system_of_others s(small());
    s.run([&](cpu &c) {
        auto error = [&] {
            const uint32_t cause = c.read(gpu_base + SMRF_GPU_ERROR);
            EXPECT_EQ((c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_ERROR) != 0,
                      cause != 0);
            EXPECT_EQ((c.read(gpu_base + SMRF_GPU_IRQ_CAUSE) & SMRF_GPU_IRQ_ERROR) != 0,
                      cause != 0);
            c.write(gpu_base + SMRF_GPU_ERROR, 0);
            c.write(gpu_base + SMRF_GPU_IRQ_CAUSE, ~0u);
            EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), 0u);
            return cause;
        };
        launch(c, gpu_base, 0);
        c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_REGISTERS);
        EXPECT_EQ(error(), uint32_t{SMRF_GPU_ERROR_BUSY});
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_LAUNCHES), 1u) << "the first went on";
        c.write(gpu_base + SMRF_GPU_IRQ_CAUSE, ~0u);

        launch(c, gpu_base, 99);
        poll(c, gpu_base);
        EXPECT_EQ(error(), uint32_t{SMRF_GPU_ERROR_PROGRAM});
        c.write(gpu_base + SMRF_GPU_PROGRAM, 0);
        c.write(gpu_base + SMRF_GPU_REPEAT, 0);
        c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_REGISTERS);
        poll(c, gpu_base);
        EXPECT_EQ(error(), uint32_t{SMRF_GPU_ERROR_PARAMETER});
        c.write(gpu_base + SMRF_GPU_REPEAT, 1);
        c.write(gpu_base + SMRF_GPU_DOORBELL, 77);
        EXPECT_EQ(error(), uint32_t{SMRF_GPU_ERROR_PARAMETER});
        c.write(gpu_base + SMRF_GPU_ID, 1);
        EXPECT_EQ(error(), uint32_t{SMRF_GPU_ERROR_READ_ONLY});
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ID), SMRF_GPU_ID_VALUE);
        for (const auto &[address, cause] :
             {std::pair<uint32_t, uint32_t>{0x400, SMRF_GPU_ERROR_DESCRIPTOR}, // zeros
              {0x404, SMRF_GPU_ERROR_PARAMETER},
              {0x20000, SMRF_GPU_ERROR_DMA},       // behind the memory's end
              {0xfff00000, SMRF_GPU_ERROR_DMA}}) { // nobody there
            c.write(gpu_base + SMRF_GPU_DESCRIPTOR_LO, address);
            c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_DESCRIPTOR);
            poll(c, gpu_base);
            EXPECT_EQ(error(), cause) << address;
        }
        EXPECT_EQ(c.bus_errors, 0u);
        uint64_t two = 0;
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, gpu_base, &two, 3),
                  tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, gpu_base + 2, &two, 4),
                  tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, gpu_base + SMRF_GPU_SPAN, &two, 4),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        launch(c, gpu_base, 0);
        poll(c, gpu_base);
        EXPECT_EQ(error(), 0u) << "it still works";
    });
}

// What bus bridges send: words of 8 bytes, single bytes, byte enables.
TEST(GpuIp, RegistersAreAccessedInAnyAlignedWidthAndWithByteEnables)
{
    lone_gpu alone;
    outside::cpu &core = alone.core;
    core.program = [](cpu &c) {
        uint64_t two = 0;
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, 0, &two, 8), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(two, SMRF_GPU_ID_VALUE | uint64_t{SMRF_GPU_VERSION_VALUE} << 32);
        uint8_t one = 0;
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, 1, &one, 1), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(one, uint8_t(SMRF_GPU_ID_VALUE >> 8));
        two = 0x1122334455667788;
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, SMRF_GPU_DESCRIPTOR_LO + 4, &two, 4),
                  tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(c.read(SMRF_GPU_DESCRIPTOR_HI), 0x55667788u);
        one = 0xaa;
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, SMRF_GPU_DESCRIPTOR_HI + 2, &one, 1),
                  tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(c.read(SMRF_GPU_DESCRIPTOR_HI), 0x55aa7788u) << "the other bytes stay";
        const auto enabled = [&](std::vector<unsigned char> bytes, uint32_t value) {
            tlm::tlm_generic_payload gp;
            sc_core::sc_time delay;
            gp.set_write();
            gp.set_address(SMRF_GPU_DESCRIPTOR_HI);
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
            gp.set_data_length(4);
            gp.set_streaming_width(4);
            gp.set_byte_enable_ptr(bytes.data());
            gp.set_byte_enable_length(static_cast<unsigned>(bytes.size()));
            c.out->b_transport(gp, delay);
            EXPECT_TRUE(gp.is_response_ok()) << gp.get_response_string();
            return c.read(SMRF_GPU_DESCRIPTOR_HI);
        };
        EXPECT_EQ(enabled({0xff}, 0x01020304), 0x01020304u) << "all on";
        EXPECT_EQ(enabled({0xff, 0, 0, 0xff}, 0x99887766), 0x99020366u);
        EXPECT_EQ(enabled({0}, 0x55555555), 0x99020366u) << "none";
    };
    sc_core::sc_start();
    EXPECT_TRUE(core.ended);
}

TEST(GpuIp, ADebuggerReadsAllRegistersAndWritesThoseThatHoldAValue)
{
    lone_gpu alone;
    outside::cpu &core = alone.core;
    core.program = [](cpu &c) {
        const auto debug = [&](tlm::tlm_command command, uint64_t address, void *data,
                               unsigned bytes) {
            tlm::tlm_generic_payload gp;
            gp.set_command(command);
            gp.set_address(address);
            gp.set_data_ptr(static_cast<unsigned char *>(data));
            gp.set_data_length(bytes);
            gp.set_streaming_width(bytes);
            return c.out->transport_dbg(gp);
        };
        uint32_t words[3] = {7, 2, 1000};
        EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, SMRF_GPU_PROGRAM, words, sizeof words), 12u);
        EXPECT_EQ(c.read(SMRF_GPU_PROGRAM), 7u);
        EXPECT_EQ(c.read(SMRF_GPU_REPEAT), 2u);
        EXPECT_EQ(c.read(SMRF_GPU_LIMIT_LO), 1000u);
        words[0] = SMRF_GPU_DOORBELL_REGISTERS;
        EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, SMRF_GPU_DOORBELL, words, 4), 0u);
        EXPECT_EQ(c.read(SMRF_GPU_STATUS), 0u) << "it launches nothing";
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, SMRF_GPU_PROGRAM, words, sizeof words), 12u);
        EXPECT_EQ(words[0], 7u);
    };
    sc_core::sc_start();
    EXPECT_TRUE(core.ended);
}

// The level counts: a platform may power up with its reset high.
TEST(GpuIp, AResetThatIsHighFromTheBeginningHoldsIt)
{
    lone_gpu alone;
    outside::cpu &core = alone.core;
    sc_core::sc_signal<bool> power_up{"power_up", true};
    alone.gpu.reset(power_up);
    core.program = [&](cpu &c) {
        c.wait(sc_core::sc_time(100, sc_core::SC_NS));
        launch(c, 0, 0);
        EXPECT_EQ(c.read(SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_BUSY}) << "held in reset";
        EXPECT_TRUE(c.read(SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING);
        power_up.write(false);
        poll(c, 0, SMRF_GPU_STATUS_RESETTING);
        launch(c, 0, 0);
        EXPECT_EQ(poll(c, 0), uint32_t{SMRF_GPU_STATUS_DONE});
        EXPECT_EQ(c.read(SMRF_GPU_LAUNCHES), 1u);
    };
    sc_core::sc_start();
    EXPECT_TRUE(core.ended);
}

namespace
{

// A memory at memory[i] that breaks the protocol in its own way: takes a request, and returns.
struct faulty : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> in{"in"};
    std::function<tlm::tlm_sync_enum(faulty &, tlm::tlm_generic_payload &, tlm::tlm_phase &)> take;
    explicit faulty(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.bind(*this);
    }
    void send(tlm::tlm_generic_payload &gp, const tlm::tlm_phase &which)
    {
        tlm::tlm_phase phase = which;
        sc_core::sc_time delay;
        in->nb_transport_bw(gp, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_COMPLETED;
        }
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        const tlm::tlm_sync_enum status = take(*this, gp, phase);
        delay += status == tlm::TLM_COMPLETED ? sc_core::sc_time(50, sc_core::SC_NS)
                                              : sc_core::SC_ZERO_TIME;
        return status;
    }
    void b_transport(tlm::tlm_generic_payload &, sc_core::sc_time &) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override
    {
        return false;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &) override
    {
        return 0;
    }
};

// Launches program 0 on a GPU before two such memories. Returns ERROR, and the text in `text`.
uint32_t error_behind(
    std::function<tlm::tlm_sync_enum(faulty &, tlm::tlm_generic_payload &, tlm::tlm_phase &)> take,
    std::string *text)
{
    smrf::gpu_options o = small(false);
    o.set.push_back("sim.watchdog=3000");
    smrf::gpu gpu("gpu", o);
    faulty first("first"), second("second");
    outside::cpu core("core");
    sc_core::sc_signal<bool> none;
    uint32_t error = 0;
    core.irq(none);
    core.out.bind(gpu.control);
    first.take = second.take = std::move(take);
    gpu.memory[0].bind(first.in);
    gpu.memory[1].bind(second.in);
    core.program = [&](cpu &c) {
        launch(c, 0, 0);
        for (int i = 0; i < 1000 && (c.read(SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY); i++) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        EXPECT_EQ(c.read(SMRF_GPU_STATUS),
                  uint32_t{SMRF_GPU_STATUS_DONE} | uint32_t{SMRF_GPU_STATUS_ERROR});
        error = c.read(SMRF_GPU_ERROR);
    };
    EXPECT_NO_THROW(sc_core::sc_start());
    EXPECT_TRUE(core.ended);
    *text = gpu.error_text();
    return error;
}

} // namespace

TEST(GpuIpFaults, ATargetThatNeverEndsARequestIsFoundByTheWatchdog)
{
    std::string text;
    const auto silent = [](faulty &, tlm::tlm_generic_payload &gp, tlm::tlm_phase &) {
        gp.acquire();
        return tlm::TLM_ACCEPTED;
    };
    EXPECT_EQ(error_behind(silent, &text), uint32_t{SMRF_GPU_ERROR_CHECK});
    EXPECT_NE(text.find("no progress"), std::string::npos) << text;
    EXPECT_NE(text.find("owes answers"), std::string::npos) << text;
    EXPECT_NE(text.find("bus.end_resp=on"), std::string::npos) << text;
}

TEST(GpuIpFaults, ABrokenProtocolIsTheErrorMemoryAndThrowsNothing)
{
    smrf_test::expected_reports reports("/smrf/memory_port/");
    std::string text;
    const auto twice = [](faulty &self, tlm::tlm_generic_payload &gp, tlm::tlm_phase &) {
        self.send(gp, tlm::END_REQ);
        self.send(gp, tlm::END_REQ);
        return tlm::TLM_COMPLETED;
    };
    EXPECT_EQ(error_behind(twice, &text), uint32_t{SMRF_GPU_ERROR_MEMORY}) << text;
    EXPECT_GT(reports.count("/smrf/memory_port/phase"), 0u);
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 0) << "that throws";
    EXPECT_NE(text.find("memory that is bound"), std::string::npos) << text;
}

TEST(GpuIpFaults, AnUpdateThatMeansNothingIsTheErrorMemory)
{
    smrf_test::expected_reports reports("/smrf/memory_port/");
    std::string text;
    const auto update = [](faulty &, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase) {
        gp.acquire();
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    };
    EXPECT_EQ(error_behind(update, &text), uint32_t{SMRF_GPU_ERROR_MEMORY}) << text;
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 0) << "that throws";
    EXPECT_NE(text.find("broken the base protocol"), std::string::npos) << text;
}

TEST(GpuIpFaults, AReferenceThatAMemoryKeepsIsNoBugOfOurs)
{
    std::string text;
    bool kept = false;
    const auto keep = [&](faulty &, tlm::tlm_generic_payload &gp, tlm::tlm_phase &) {
        if (!kept) {
            gp.acquire();
        }
        kept = true;
        return tlm::TLM_COMPLETED;
    };
    smrf_test::expected_reports reports("/smrf/tlm/leak");
    EXPECT_EQ(error_behind(keep, &text), uint32_t{SMRF_GPU_ERROR_MEMORY}) << text;
    EXPECT_NE(text.find("still holds references to 1 "), std::string::npos) << text;
    EXPECT_EQ(text.find("bug of smrf"), std::string::npos) << text;
}

// A platform with a coarse time resolution: the core's period is a whole number of its steps.
TEST(GpuIp, TheTimeResolutionMayBeANanosecond)
{
    sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    smrf::gpu_options o = small();
    o.set.push_back("gpu.core_khz=500000");
    o.access = sc_core::sc_time(10, sc_core::SC_NS);
    lone_gpu alone(o);
    outside::cpu &core = alone.core;
    core.program = [](cpu &c) {
        launch(c, 0, 0);
        EXPECT_EQ(poll(c, 0), uint32_t{SMRF_GPU_STATUS_DONE});
        EXPECT_EQ(wide(c, SMRF_GPU_CYCLES_LO),
                  cycles_of({bundled("divergent")}, "baseline", nullptr, "gpu.core_khz=500000"));
    };
    sc_core::sc_start();
    EXPECT_TRUE(core.ended);
}

TEST(GpuIp, APeriodThatIsNoWholeNumberOfTimeStepsIsRefused)
{
    smrf_test::expected_reports reports("/smrf/memory");
    sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    smrf::gpu_options o = small();
    o.access = sc_core::sc_time(10, sc_core::SC_NS);
    lone_gpu alone(o);
    outside::cpu &core = alone.core;
    core.program = [](cpu &) {};
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    ASSERT_FALSE(reports.seen.empty());
    EXPECT_NE(reports.seen[0].text.find("732 ps is no whole number of time steps of 1 ns"),
              std::string::npos)
        << reports.seen[0].text;
}

TEST(GpuIp, ALaunchBeyondItsLimitOrStoppedOrUnreadableNeedsAReset)
{
    smrf::gpu_options o = small();
    o.programs.push_back("/nowhere");
    system_of_others s(o);
    const uint64_t fresh = cycles_of({bundled("divergent")});
    s.run([&](cpu &c) {
        auto reset = [&] {
            c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
            EXPECT_EQ(poll(c, gpu_base, SMRF_GPU_STATUS_RESETTING), 0u);
            EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), 0u);
        };
        c.write(gpu_base + SMRF_GPU_LIMIT_LO, 100);
        launch(c, gpu_base, 1);
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_LIMIT});
        EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), 100u);
        c.write(gpu_base + SMRF_GPU_ERROR, 0);
        launch(c, gpu_base, 1);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_NEEDS_RESET});
        reset();
        launch(c, gpu_base, 1);
        c.wait(sc_core::sc_time(1, sc_core::SC_US));
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_STOP);
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_STOPPED});
        reset();
        launch(c, gpu_base, 2);
        poll(c, gpu_base);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_TRACE});
        EXPECT_NE(s.gpu().error_text().find("/nowhere"), std::string::npos);
        reset();
        launch(c, gpu_base, 0);
        EXPECT_EQ(poll(c, gpu_base), uint32_t{SMRF_GPU_STATUS_DONE});
        EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), fresh) << "as new";
    });
}

// A reset anywhere in a launch: what is under way is awaited, nothing leaks, the machine is as new,
// and the GPU beside it does not notice.
class GpuIpReset : public testing::TestWithParam<int>
{
};

TEST_P(GpuIpReset, InTheMiddleOfALaunch)
{
    const bool own = GetParam() % 2 == 0;
    system_of_others s(small(own));
    uint64_t expected = 0;
    s.run([&](cpu &c) {
        launch(c, gpu_base, 1);
        EXPECT_EQ(poll(c, gpu_base), uint32_t{SMRF_GPU_STATUS_DONE});
        expected = wide(c, gpu_base + SMRF_GPU_CYCLES_LO);
        launch(c, gpu1_base, 1);
        for (int turn = 0; turn < 4; turn++) {
            c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
            poll(c, gpu_base, SMRF_GPU_STATUS_RESETTING);
            launch(c, gpu_base, 1);
            c.wait(sc_core::sc_time(GetParam() * 171 + turn * 333, sc_core::SC_NS));
            if (turn % 2) {
                s.reset_0.write(true);
                c.wait(sc_core::sc_time(40, sc_core::SC_NS));
                launch(c, gpu_base, 1);
                EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_BUSY})
                    << "held in reset";
                s.reset_0.write(false);
                poll(c, gpu_base, SMRF_GPU_STATUS_RESETTING);
                launch(c, gpu_base, 1);
            }
        }
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
        poll(c, gpu_base, SMRF_GPU_STATUS_RESETTING);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), 0u);
        launch(c, gpu_base, 1);
        EXPECT_EQ(poll(c, gpu_base), uint32_t{SMRF_GPU_STATUS_DONE}) << s.gpu().error_text();
        EXPECT_EQ(wide(c, gpu_base + SMRF_GPU_CYCLES_LO), expected);
        poll(c, gpu1_base);
        EXPECT_EQ(wide(c, gpu1_base + SMRF_GPU_CYCLES_LO), expected) << "the one beside it";
    });
    for (const auto &m : s.far) {
        EXPECT_GT(m->reads, 0u);
        EXPECT_EQ(m->under_way, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(GpuIp, GpuIpReset, testing::Range(0, 8));

TEST(GpuIp, OptionsThatCannotBeBuiltAreRefusedWithTheReason)
{
    smrf::gpu_options o = small();
    o.set.push_back("rf.bank=4");
    try {
        smrf::gpu gpu("gpu", o);
        FAIL() << "built";
    } catch (const std::invalid_argument &e) {
        EXPECT_NE(std::string(e.what()).find("rf.bank"), std::string::npos);
    }
}

TEST(GpuIp, StandsAloneWithNothingBoundButItsControlSocket)
{
    lone_gpu alone;
    outside::cpu &core = alone.core;
    core.program = [](cpu &c) {
        launch(c, 0, 0);
        poll(c, 0);
        EXPECT_EQ(c.read(SMRF_GPU_LAUNCHES), 1u);
        c.write(SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_DESCRIPTOR);
        poll(c, 0);
        EXPECT_EQ(c.read(SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_DMA}) << "no such socket";
    };
    sc_core::sc_start();
    EXPECT_TRUE(core.ended);
}

// --- the platform under a simulation of others ---------------------------------------------------

namespace
{

smrf_platform *platform(const char *trace, const char *mechanism = "baseline")
{
    smrf_platform *p = nullptr;
    EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
    EXPECT_EQ(SMRF_OK, smrf_platform_preset(p, "rtx2060-paper"));
    EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism));
    EXPECT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=2"));
    EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, bundled(trace).c_str()));
    EXPECT_EQ(SMRF_OK, smrf_platform_build(p)) << smrf_platform_error(p);
    return p;
}

uint64_t cycles(smrf_platform *p)
{
    uint64_t n = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "cycles", &n));
    return n;
}

struct pauser : sc_core::sc_module {
    SMRF_HAS_PROCESS(pauser);
    explicit pauser(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }
    void run()
    {
        wait(1, sc_core::SC_US);
        sc_core::sc_pause();
    }
};

} // namespace

TEST(PlatformInASimulation, ThreadProcessesRunTwoPlatformsAtOnceWithStacksOfTheUsualSize)
{
    smrf_platform *a = platform("matmul"), *b = platform("divergent", "malekeh-long");
    outside::cpu first("first"), second("second");
    sc_core::sc_signal<bool> none;
    smrf::gpu unused("unused", small());
    bus noc("noc", 2, 1);
    first.out.bind(noc.in[0]);
    second.out.bind(noc.in[1]);
    noc.out[0].bind(unused.control);
    first.irq(none);
    second.irq(none);
    first.program = [&](cpu &) {
        EXPECT_EQ(SMRF_RUN_MORE, smrf_platform_run(a, 100));
        EXPECT_EQ(cycles(a), 100u);
        EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    };
    second.program = [&](cpu &c) {
        c.wait(sc_core::sc_time(700, sc_core::SC_NS));
        EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_run(a, 1)) << "it runs already";
        EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(b, SMRF_NO_LIMIT)) << smrf_platform_error(b);
    };
    sc_core::sc_start();
    EXPECT_TRUE(first.ended && second.ended);
    EXPECT_EQ(cycles(a), cycles_of({bundled("matmul")}));
    EXPECT_EQ(cycles(b), cycles_of({bundled("divergent")}, "malekeh-long"));
    smrf_platform_destroy(a);
    smrf_platform_destroy(b);
}

TEST(PlatformInASimulation, TwoPlatformsInTurnFromTheMainFunction)
{
    smrf_platform *a = platform("matmul"), *b = platform("matmul");
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    EXPECT_EQ(SMRF_RUN_MORE, smrf_platform_run(b, 100)) << smrf_platform_error(b);
    EXPECT_EQ(cycles(b), 100u) << "a limit counts the cycles that run";
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(b, SMRF_NO_LIMIT)) << smrf_platform_error(b);
    EXPECT_EQ(cycles(a), cycles(b));
    EXPECT_EQ(SMRF_OK, smrf_platform_continue(a, bundled("divergent").c_str()));
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    EXPECT_EQ(SMRF_OK, smrf_platform_reset(a));
    EXPECT_EQ(cycles(a), 0u);
    EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(a, bundled("matmul").c_str()));
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    EXPECT_EQ(cycles(a), cycles(b));
    smrf_platform_destroy(a);
    smrf_platform_destroy(b);
}

TEST(PlatformInASimulation, APauseOfAnotherModuleIsNoEnd)
{
    pauser other("other");
    smrf_platform *a = platform("matmul");
    EXPECT_EQ(SMRF_RUN_HALTED, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_US));
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(a, SMRF_NO_LIMIT)) << smrf_platform_error(a);
    EXPECT_EQ(cycles(a), cycles_of({bundled("matmul")}));
    smrf_platform_destroy(a);
}
