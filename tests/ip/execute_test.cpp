// SPDX-License-Identifier: Apache-2.0
// smrf::gpu in the mode execute: kernels compute on the memory of a platform of others, in the
// cycles that a replay of their trace takes. What goes wrong is a cause of error.
#include "tests/support/exec_program.h"
#include "tests/support/expected_reports.h"
#include "tests/support/outside_platform.h"
#include "tests/support/temporary_folder.h"

#include "platform/ip/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>

using outside::bus;
using outside::cpu;
using smrf_test::exec_prologue;
using smrf_test::sass_function;
using smrf_test::operator+;

namespace
{

using lines = std::vector<std::string>;
using words = std::vector<uint32_t>;

constexpr uint64_t gpu_base = bus::window, far_at = 2 * bus::window;
constexpr uint64_t code_at = 0x10000, name_at = 0x600, arguments_at = 0x400, kernel_at = 0x500,
                   completion_at = 0x700;
constexpr uint64_t a_at = 0x20000, b_at = 0x28000, c_at = 0x30000;

std::string source_file(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/" + name;
}

std::vector<uint8_t> bytes_of(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A kernel "k" of these lines, whose thread's word of the first argument is at R2:R3.
std::vector<uint8_t> code_of(const lines &code, const std::string &more = "")
{
    const std::string text = sass_function("k", exec_prologue() + code) + more;
    return {text.begin(), text.end()};
}

smrf::gpu_options computing(bool own_memory, const lines &set = {})
{
    smrf::gpu_options o;
    o.preset = "rtx2060-paper";
    o.set = {"gpu.sms=2"};
    o.set.insert(o.set.end(), set.begin(), set.end());
    o.mode = smrf::gpu_mode::execute;
    o.own_memory = own_memory;
    return o;
}

// A CPU, two memories and a GPU on a bus, a monitor in every line. Where the GPU's memory is bound,
// its SMs are masters of the bus, too.
struct board {
    outside::monitors lines_;
    cpu core{"core"};
    outside::ram ram{"ram", 0x40000}, far{"far", 0x1000};
    smrf::gpu gpu;
    bus noc;
    sc_core::sc_signal<bool> irq{"irq"}, reset{"reset"};

    explicit board(const smrf::gpu_options &o)
        : gpu("gpu", o), noc("noc", 2 + static_cast<unsigned>(gpu.memory.size()), 3)
    {
        lines_.connect(core.out, noc.in[0]);
        lines_.connect(gpu.dma, noc.in[1]);
        for (unsigned i = 0; i < gpu.memory.size(); i++) {
            lines_.connect(gpu.memory[i], noc.in[2 + i]);
        }
        lines_.connect(noc.out[0], ram.in);
        lines_.connect(noc.out[1], gpu.control);
        lines_.connect(noc.out[2], far.in);
        core.irq(irq);
        gpu.interrupt(irq);
        gpu.reset(reset);
    }
    void run(std::function<void(cpu &)> program)
    {
        core.program = std::move(program);
        sc_core::sc_start();
        EXPECT_TRUE(core.ended) << "the CPU's program stands still";
        lines_.expect_clean();
    }
    // Code, arguments and a launch of `threads` in each of `blocks` in memory.
    smrf_gpu_kernel kernel(const std::vector<uint8_t> &code, const std::vector<uint64_t> &arguments,
                           uint32_t threads = 32, uint32_t blocks = 1)
    {
        smrf_gpu_kernel k{};
        ram.put(code_at, code);
        ram.put(arguments_at, arguments);
        k.magic = SMRF_GPU_KERNEL_MAGIC;
        k.bytes = sizeof k;
        k.program = SMRF_GPU_CODE_IN_MEMORY;
        k.repeat = 1;
        k.code_bytes = static_cast<uint32_t>(code.size());
        k.code_lo = code_at;
        k.argument_bytes = static_cast<uint32_t>(arguments.size() * sizeof arguments[0]);
        k.arguments_lo = arguments_at;
        k.grid[0] = blocks;
        k.block[0] = threads;
        k.grid[1] = k.grid[2] = k.block[1] = k.block[2] = 1;
        return k;
    }
    void start(cpu &c, const smrf_gpu_kernel &k)
    {
        ram.put(kernel_at, std::vector<smrf_gpu_kernel>{k});
        c.write(gpu_base + SMRF_GPU_DESCRIPTOR_LO, kernel_at);
        c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_DESCRIPTOR);
    }
    smrf::protocol_monitor &memory_line()
    {
        return lines_.at(2);
    }
    // Launches it, waits, and returns the cause of error, which is cleared.
    uint32_t launch(cpu &c, const smrf_gpu_kernel &k)
    {
        start(c, k);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        const uint32_t error = c.read(gpu_base + SMRF_GPU_ERROR);
        c.write(gpu_base + SMRF_GPU_ERROR, 0);
        return error;
    }
    uint64_t cycles() const
    {
        uint64_t n = 0;
        EXPECT_EQ(SMRF_OK,
                  smrf_platform_count(const_cast<smrf::gpu &>(gpu).platform(), "cycles", &n));
        return n;
    }
};

// Integers of n x n, and their product by the plain rule.
struct product {
    uint32_t n;
    words a, b, c;
    explicit product(uint32_t size) : n(size), a(n * n), b(n * n), c(n * n)
    {
        uint32_t seed = 7;
        for (uint32_t i = 0; i < n * n; i++) {
            a[i] = (seed = seed * 1664525u + 1013904223u) >> 8;
            b[i] = (seed = seed * 1664525u + 1013904223u) >> 8;
        }
        for (uint32_t y = 0; y < n; y++) {
            for (uint32_t x = 0; x < n; x++) {
                for (uint32_t k = 0; k < n; k++) {
                    c[y * n + x] += a[y * n + k] * b[k * n + x];
                }
            }
        }
    }
    smrf_gpu_kernel place(board &s) const
    {
        s.ram.put(a_at, a);
        s.ram.put(b_at, b);
        smrf_gpu_kernel k =
            s.kernel(bytes_of(source_file("firmware/driver/product.cubin")), {a_at, b_at, c_at, n});
        k.argument_bytes -= 4; // the last one is an int
        k.grid[0] = k.grid[1] = n / 16;
        k.block[0] = k.block[1] = 16;
        return k;
    }
};

// The trace of that launch, by the executor alone, in a folder of its own.
std::string trace_of(const product &p, smrf::executor &executor)
{
    smrf::kernel_launch l;
    const uint64_t pointers[] = {a_at, b_at, c_at, p.n};
    l.path = source_file("firmware/driver/product.cubin");
    l.grid = {p.n / 16, p.n / 16, 1};
    l.block = {16, 16, 1};
    l.arguments.resize(sizeof pointers - 4);
    std::memcpy(l.arguments.data(), pointers, l.arguments.size());
    EXPECT_EQ(executor.execute(l), uint32_t{SMRF_GPU_ERROR_NONE}) << executor.error();
    return executor.trace();
}

smrf::executor_memory memory_of(outside::ram &ram)
{
    return {[&ram](uint64_t at, uint8_t *data, uint64_t bytes) {
                const bool there = at < ram.bytes.size() && bytes <= ram.bytes.size() - at;
                std::memcpy(data, &ram.bytes[there ? at : 0], there ? bytes : 0);
                return there;
            },
            [](uint64_t, const uint8_t *, uint64_t) { return false; }};
}

uint64_t cycles_of(const std::string &trace, const lines &set)
{
    smrf_platform *p = nullptr;
    uint64_t cycles = 0;
    smrf_platform_create(&p);
    smrf_platform_preset(p, "rtx2060-paper");
    smrf_platform_engine(p, "direct");
    smrf_platform_set(p, "gpu.sms=2");
    for (const std::string &s : set) {
        smrf_platform_set(p, s.c_str());
    }
    smrf_platform_add_trace(p, trace.c_str());
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    smrf_platform_count(p, "cycles", &cycles);
    smrf_platform_destroy(p);
    return cycles;
}

} // namespace

TEST(GpuExecutes, AProductFromItsCubinInMemoryInTheCyclesOfItsTrace)
{
    const product p(32);
    board s(computing(true));
    const smrf_gpu_kernel k = p.place(s);
    smrf::executor alone(memory_of(s.ram), {});
    const uint64_t expected = cycles_of(trace_of(p, alone), {});
    s.run([&](cpu &c) {
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_FEATURES), uint32_t{SMRF_GPU_FEATURES_EXECUTE});
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_LAUNCHES), 1u);
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
        EXPECT_EQ(s.cycles(), expected);
    });
}

class GpuExecutesOnTheBus : public testing::TestWithParam<const char *>
{
};

TEST_P(GpuExecutesOnTheBus, AProductInTheCyclesOfItsReplay)
{
    const product p(32);
    const std::string view = std::string("sim.view=") + GetParam();
    board s(computing(false, {view, "bus.address_bits=20"}));
    const smrf_gpu_kernel k = p.place(s);
    smrf::executor alone(memory_of(s.ram), {});
    const uint32_t trace = s.gpu.add_program(trace_of(p, alone));
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
        const uint64_t executed = s.cycles();
        const unsigned long writes = s.ram.writes;
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        s.ram.put(c_at, words(p.c.size()));
        c.write(gpu_base + SMRF_GPU_PROGRAM, trace);
        c.write(gpu_base + SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_REGISTERS);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        EXPECT_EQ(s.cycles(), executed);
        EXPECT_EQ(s.ram.writes - writes, p.c.size() * 4 / 32) << "a sector each";
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c) << "its writes have the values";
    });
}

INSTANTIATE_TEST_SUITE_P(Views, GpuExecutesOnTheBus, testing::Values("at", "cycle", "lt"),
                         [](const auto &view) { return std::string(view.param); });

// --- one memory socket for all SMs ---------------------------------------------------------------

class GpuMerged : public testing::TestWithParam<std::vector<std::string>>
{
};

TEST_P(GpuMerged, AllTrafficGoesThroughOneSocketAndResultsAreEqual)
{
    const product p(64);
    lines set = GetParam();
    set.push_back("sim.monitor=on");
    smrf::gpu_options o = computing(false, set);
    o.merged_memory = true;
    board s(o);
    const smrf_gpu_kernel k = p.place(s);
    ASSERT_EQ(s.gpu.memory.size(), 1u);
    s.run([&](cpu &c) {
        uint64_t accesses = 0;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
        smrf_platform_count(s.gpu.platform(), "bus.accesses", &accesses);
        EXPECT_EQ(s.memory_line().transactions(), accesses);
        EXPECT_GE(accesses, p.c.size() * 4 / 32 * 3) << "each matrix, at least once";
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        s.start(c, k); // a reset in the middle, and again
        c.wait(sc_core::sc_time(3, sc_core::SC_US));
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        s.ram.put(c_at, words(p.c.size()));
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
    });
}

INSTANTIATE_TEST_SUITE_P(Views, GpuMerged,
                         testing::Values(lines{"sim.view=at"}, lines{"sim.view=cycle"},
                                         lines{"sim.view=lt"}, lines{"bus.blocking=on"},
                                         lines{"bus.end_resp=on"}, lines{"bus.access=64"}),
                         [](const auto &set) {
                             std::string name = set.param[0];
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                                 '_');
                             return name;
                         });

TEST(GpuMerged, NeedsAMemoryToBeBound)
{
    smrf::gpu_options o = computing(true);
    o.merged_memory = true;
    EXPECT_THROW(smrf::gpu("gpu", o), std::invalid_argument);
}

TEST(GpuExecutes, StoresAreSeenWhenTheirTransactionsHaveEnded)
{
    const product p(48);
    board s(computing(false));
    const smrf_gpu_kernel k = p.place(s);
    s.run([&](cpu &c) {
        size_t partly = 0;
        s.start(c, k);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            const words now = s.ram.get<uint32_t>(c_at, p.c.size());
            size_t done = 0;
            for (size_t i = 0; i < now.size(); i++) {
                done += now[i] != 0;
                EXPECT_TRUE(now[i] == 0 || now[i] == p.c[i]) << i;
            }
            partly += done != 0 && done != now.size();
            c.wait(sc_core::sc_time(100, sc_core::SC_NS));
        }
        EXPECT_GT(partly, 0u);
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
    });
}

TEST(GpuExecutes, EachLaunchBeginsWithWhatTheOneBeforeHasLeft)
{
    for (const bool own_memory : {false}) {
        board s(computing(own_memory));
        smrf_gpu_kernel k = s.kernel(
            code_of({"LDG.E.SYS R4, [R2]", "IADD3 R4, R4, 0x5, RZ", "STG.E.SYS [R2], R4", "EXIT"}),
            {a_at});
        k.completion_lo = completion_at;
        k.repeat = 3;
        s.run([&](cpu &c) {
            EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
            EXPECT_EQ(s.ram.get<uint32_t>(a_at, 32), words(32, 15));
            EXPECT_EQ(c.read(completion_at + 4), 1u);
            for (uint64_t at = a_at; at < a_at + 128; at += 4) {
                c.write(at, 100);
            }
            EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE});
            EXPECT_EQ(s.ram.get<uint32_t>(a_at, 32), words(32, 115)) << "the CPU wrote 100";
        });
    }
}

TEST(GpuExecutes, AtomicsAndGenericStoresAreInMemoryWhenTheLaunchHasEnded)
{
    board s(computing(false));
    const smrf_gpu_kernel k =
        s.kernel(code_of({"MOV R6, c[0x0][0x168]", "MOV R7, c[0x0][0x16c]", "MOV R8, 0x1",
                          "RED.E.ADD.STRONG.GPU [R6], R8", "ST.E.SYS [R2], R0", "EXIT"}),
                 {a_at, c_at}, 64, 5);
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, 1), words{320});
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 64)[63], 63u);
    });
}

TEST(GpuExecutes, GenericStoresAreSeenWhenTheirTransactionsHaveEnded)
{
    board s(computing(false));
    const smrf_gpu_kernel k =
        s.kernel(code_of({"MOV R6, c[0x0][0x168]", "MOV R7, c[0x0][0x16c]", "ST.E.SYS [R2], R0",
                          "LDG.E.SYS R8, [R6]", "IADD3 R6, R6, R8, RZ", "LDG.E.SYS R9, [R6+0x400]",
                          "IADD3 R6, R6, R9, RZ", "LDG.E.SYS R8, [R6+0x800]",
                          "STG.E.SYS [R6+0xc00], R8", "EXIT"}),
                 {a_at, c_at}, 64, 1);
    s.run([&](cpu &c) {
        unsigned seen = 0;
        s.start(c, k);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            const uint32_t last = s.ram.get<uint32_t>(a_at, 64)[63];
            EXPECT_TRUE(last == 0 || last == 63) << last;
            seen += last == 63;
            c.wait(sc_core::sc_time(50, sc_core::SC_NS));
        }
        EXPECT_GT(seen, 3u);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), 0u) << s.gpu.error_text();
    });
}

TEST(GpuExecutes, AKernelIsChosenByName)
{
    board s(computing(true));
    smrf_gpu_kernel k = s.kernel(
        code_of({"EXIT"},
                sass_function("other", exec_prologue() +
                                           lines{"MOV R4, 0x7", "STG.E.SYS [R2], R4", "EXIT"})),
        {a_at});
    s.ram.put(name_at, std::vector<char>{'o', 't', 'h', 'e', 'r', '!'});
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_CODE});
        EXPECT_NE(s.gpu.error_text().find("several"), std::string::npos) << s.gpu.error_text();
        k.name_lo = name_at;
        k.name_bytes = 6;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_CODE}) << "other!";
        k.name_bytes = 5;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 32), words(32, 7));
    });
}

TEST(GpuExecutes, CodeOfTheHostHasAHandle)
{
    const product p(16);
    smrf::gpu_options o = computing(true);
    o.programs = {source_file("firmware/driver/product.cubin"), "/no/such/code"};
    board s(o);
    smrf_gpu_kernel k = p.place(s);
    s.run([&](cpu &c) {
        k.program = 1;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_CODE});
        k.program = 2;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_PROGRAM});
        k.program = 0;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_LAUNCHES), 1u);
    });
}

// --- what goes wrong -----------------------------------------------------------------------------

struct fault_case {
    const char *name;
    lines code;
    uint32_t cause;
    const char *text;
};

class GpuExecutesFaults : public testing::TestWithParam<fault_case>
{
};

// A launch with a fault leaves memory as it was, and the next one needs no reset.
TEST_P(GpuExecutesFaults, EndTheLaunchWithTheirCause)
{
    const fault_case &f = GetParam();
    smrf::gpu_options o = computing(false);
    o.execute.warp_insts = 10000;
    board s(o);
    const lines before = {"MOV R4, 0x9", "STG.E.SYS [R2], R4"};
    smrf_gpu_kernel bad = s.kernel(code_of(before + f.code), {a_at}, 64, 2);
    s.run([&](cpu &c) {
        bad.completion_lo = completion_at;
        EXPECT_EQ(s.launch(c, bad), f.cause) << s.gpu.error_text();
        EXPECT_NE(s.gpu.error_text().find(f.text), std::string::npos) << s.gpu.error_text();
        EXPECT_EQ(c.read(completion_at + 4), 1 + f.cause);
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 64), words(64));
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_STATUS), uint32_t{SMRF_GPU_STATUS_DONE});
        EXPECT_EQ(s.launch(c, s.kernel(code_of(before + lines{"EXIT"}), {a_at}, 64, 2)),
                  uint32_t{SMRF_GPU_ERROR_NONE});
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 64), words(64, 9));
    });
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuExecutesFaults,
    testing::Values(
        fault_case{"BadLoad",
                   {"LDG.E.SYS R4, [R2+0x70000]", "EXIT"},
                   SMRF_GPU_ERROR_ADDRESS,
                   "out-of-range read of 4 bytes at 0x90000"},
        fault_case{"BadStore", {"STG.E.SYS [R2+0x40000000]", "EXIT"}, SMRF_GPU_ERROR_CODE, "STG"},
        fault_case{"BadAtomic",
                   {"RED.E.ADD.STRONG.GPU [R2+0x70000], R4", "EXIT"},
                   SMRF_GPU_ERROR_ADDRESS,
                   "out-of-range"},
        fault_case{"Misaligned",
                   {"LDG.E.64.SYS R4, [R2+0x4]", "EXIT"},
                   SMRF_GPU_ERROR_MISALIGNED,
                   "misaligned read of 8 bytes"},
        fault_case{
            "SharedBeyond", {"STS [0x1000], R4", "EXIT"}, SMRF_GPU_ERROR_ADDRESS, "shared memory"},
        fault_case{"Trap", {"BPT.TRAP 0x1", "EXIT"}, SMRF_GPU_ERROR_TRAP, "BPT.TRAP"},
        fault_case{"Loop", {"BRA 0x60"}, SMRF_GPU_ERROR_TIMEOUT, "10000"},
        fault_case{"Illegal", {"NOSUCH R4, R5", "EXIT"}, SMRF_GPU_ERROR_CODE, "NOSUCH"},
        fault_case{"Texture",
                   {"TEX.SCR.LL RZ, R4, R2, R4, 0x0, 0x58, 2D, 0x3", "EXIT"},
                   SMRF_GPU_ERROR_ADDRESS,
                   "no texture or surface has the handle"}),
    [](const auto &f) { return std::string(f.param.name); });

class GpuExecutesWithBits : public testing::TestWithParam<unsigned>
{
};

// What lies beyond the bits of addresses that the GPU has is not there for a kernel, though it is
// for the bus.
TEST_P(GpuExecutesWithBits, MemoryBeyondThemIsAFault)
{
    const std::string there = "[R2+0x1e0000]"; // far_at
    board s(computing(false, {"bus.address_bits=" + std::to_string(GetParam())}));
    const bool reaches = GetParam() == 22;
    const uint32_t cause = reaches ? SMRF_GPU_ERROR_NONE : SMRF_GPU_ERROR_ADDRESS;
    s.far.put(0, words(32, 7));
    s.run([&](cpu &c) {
        const lines load = {"LDG.E.SYS R4, " + there, "STG.E.SYS [R2], R4", "EXIT"};
        EXPECT_EQ(s.launch(c, s.kernel(code_of(load), {a_at})), cause) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 32), words(32, reaches ? 7 : 0));
        const lines store = {"MOV R4, 0x9", "STG.E.SYS " + there + ", R4", "EXIT"};
        EXPECT_EQ(s.launch(c, s.kernel(code_of(store), {a_at})), cause) << s.gpu.error_text();
        EXPECT_EQ(s.far.get<uint32_t>(0, 32), words(32, reaches ? 9 : 7));
    });
}

INSTANTIATE_TEST_SUITE_P(Of, GpuExecutesWithBits, testing::Values(20u, 22u),
                         [](const auto &bits) { return std::to_string(bits.param); });

TEST(GpuExecutes, LaunchesThatCannotBeAreRefused)
{
    board s(computing(true));
    const lines nothing = {"EXIT"};
    s.run([&](cpu &c) {
        const smrf_gpu_kernel good = s.kernel(code_of(nothing), {a_at});
        const auto refused = [&](uint32_t cause, void (*change)(smrf_gpu_kernel &)) {
            smrf_gpu_kernel k = good;
            change(k);
            EXPECT_EQ(s.launch(c, k), cause) << s.gpu.error_text();
        };
        refused(SMRF_GPU_ERROR_LAUNCH, [](smrf_gpu_kernel &k) { k.grid[1] = 0; });
        refused(SMRF_GPU_ERROR_LAUNCH, [](smrf_gpu_kernel &k) { k.block[0] = 1025; });
        refused(SMRF_GPU_ERROR_LAUNCH, [](smrf_gpu_kernel &k) { k.dynamic_shared = 1 << 20; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.repeat = 0; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.code_bytes = 0; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.code_bytes = 1 << 25; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.name_bytes = 256; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.argument_bytes = 4097; });
        refused(SMRF_GPU_ERROR_DMA, [](smrf_gpu_kernel &k) { k.code_lo = 0x3ffc0; });
        refused(SMRF_GPU_ERROR_DMA, [](smrf_gpu_kernel &k) { k.arguments_hi = 1; });
        refused(SMRF_GPU_ERROR_DESCRIPTOR, [](smrf_gpu_kernel &k) { k.bytes = 96; });
        refused(SMRF_GPU_ERROR_DESCRIPTOR, [](smrf_gpu_kernel &k) { k.flags = 2; });
        refused(SMRF_GPU_ERROR_PARAMETER, [](smrf_gpu_kernel &k) { k.variables_lo = 0x8000; });
        refused(SMRF_GPU_ERROR_CODE, [](smrf_gpu_kernel &k) { k.code_lo = a_at; }); // zeros
        EXPECT_EQ(s.launch(c, good), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        const product p(16);
        smrf_gpu_kernel k = p.place(s);
        k.argument_bytes = 24;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_LAUNCH}) << "28 bytes are declared";
    });
}

// --- __device__ variables ------------------------------------------------------------------------

// out[thread] = next + zeros[0x440]; then the first becomes 1 more, the second 100.
const lines counting = {"MOV R4, 32@lo(next)",
                        "MOV R5, 32@hi(next)",
                        "MOV R6, 32@lo(zeros)",
                        "MOV R7, 32@hi(zeros)",
                        "LDG.E.SYS R8, [R4]",
                        "LDG.E.SYS R9, [R6+0x1100]",
                        "IADD3 R10, R8, R9, RZ",
                        "STG.E.SYS [R2], R10",
                        "IADD3 R8, R8, 0x1, RZ",
                        "IADD3 R9, R9, 0x64, RZ",
                        "STG.E.SYS [R4], R8",
                        "STG.E.SYS [R6+0x1100], R9",
                        "EXIT"};
// More than a page of zeros behind 256 bytes for the variable that has a value.
const std::string counting_data =
    "\t.section\t.nv.global.init,\"aw\",@progbits\n\t.align\t4\n"
    ".nv.global.init:\n\t.type\tnext,@object\n\t.size\tnext,4\n"
    "next:\n\t.byte\t0x05,0x00,0x00,0x00\n"
    "\t.section\t.nv.global,\"aw\",@nobits\n\t.align\t4\n\t.type\tzeros,@object\n"
    "\t.size\tzeros,0x2000\n.nv.global:\nzeros:\n\t.zero\t0x2000\n";
constexpr uint64_t next_at = c_at, zeros_at = c_at + 256, count_at = zeros_at + 0x1100;

TEST(GpuExecutes, GlobalVariablesWithoutAPlaceAreRefusedByName)
{
    board s(computing(true));
    s.run([&](cpu &c) {
        smrf_gpu_kernel k = s.kernel(code_of(counting, counting_data), {a_at});
        k.bytes = offsetof(smrf_gpu_kernel, variables_lo);
        k.variables_lo = c_at; // behind the descriptor's end
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_CODE});
        EXPECT_NE(s.gpu.error_text().find("the variable \"next\" has no place"), std::string::npos)
            << s.gpu.error_text();
        k = s.kernel(code_of({"EXIT"}), {a_at}); // no variables: either length will do
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        k.bytes = offsetof(smrf_gpu_kernel, variables_lo);
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
    });
}

class GpuExecutesVariables : public testing::TestWithParam<bool>
{
};

// They get their initial values once, where the descriptor says so, over any earlier content. The
// next launch finds what the one before, or the CPU, has left.
TEST_P(GpuExecutesVariables, LieInMemoryWhereTheDescriptorSays)
{
    board s(computing(GetParam()));
    smrf_gpu_kernel k = s.kernel(code_of(counting, counting_data), {a_at});
    k.variables_lo = static_cast<uint32_t>(next_at);
    s.ram.put(next_at, words(0x2100 / 4, 0xdead));
    const auto expect = [&](uint32_t out, uint32_t next, uint32_t count) {
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 32), words(32, out));
        EXPECT_EQ(s.ram.get<uint32_t>(next_at, 1), words{next});
        EXPECT_EQ(s.ram.get<uint32_t>(count_at, 1), words{count});
    };
    s.run([&](cpu &c) {
        k.flags = SMRF_GPU_KERNEL_FRESH;
        k.repeat = 3;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        expect(7 + 200, 8, 300);
        EXPECT_EQ(s.ram.get<uint32_t>(zeros_at, 0x1100 / 4), words(0x1100 / 4, 0));
        k.flags = 0;
        k.repeat = 1;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE});
        expect(8 + 300, 9, 400);
        c.write(next_at, 1000);
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE});
        expect(1400, 1001, 500);
        k.flags = SMRF_GPU_KERNEL_FRESH;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE});
        expect(5, 6, 100);
    });
}

INSTANTIATE_TEST_SUITE_P(Memories, GpuExecutesVariables, testing::Bool(),
                         [](const auto &m) { return m.param ? "OfItsOwn" : "OnTheBus"; });

TEST(GpuExecutes, VariablesWhereNoMemoryIsAreAFault)
{
    board s(computing(false));
    smrf_gpu_kernel k = s.kernel(code_of(counting, counting_data), {a_at});
    k.variables_lo = 0x50000; // between the memories
    s.run([&](cpu &c) {
        for (const uint32_t flags : {uint32_t{0}, SMRF_GPU_KERNEL_FRESH}) {
            k.flags = flags;
            EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_ADDRESS}) << s.gpu.error_text();
        }
        EXPECT_NE(s.gpu.error_text().find("no memory for the variables at 0x50000"),
                  std::string::npos)
            << s.gpu.error_text();
    });
}

// -------------------------------------------------------------------------------------------------

TEST(GpuExecutes, AMemoryThatAnswersWithAnErrorIsTheErrorMemory)
{
    smrf_test::expected_reports expected("/smrf/memory_port/response");
    const product p(32);
    board s(computing(false));
    const smrf_gpu_kernel k = p.place(s);
    s.ram.bad = b_at + 64;
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_MEMORY}) << s.gpu.error_text();
        s.ram.bad = UINT64_MAX;
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NEEDS_RESET});
    });
}

TEST(GpuExecutes, TheModeReplayKnowsNoKernels)
{
    smrf::gpu_options o = computing(true);
    o.mode = smrf::gpu_mode::replay;
    board s(o);
    s.run([&](cpu &c) {
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_FEATURES), 0u);
        EXPECT_EQ(s.launch(c, s.kernel(code_of({"EXIT"}), {a_at})),
                  uint32_t{SMRF_GPU_ERROR_DESCRIPTOR});
    });
}

TEST(GpuExecutes, ZerosForUnknownValuesAreRefused)
{
    try {
        smrf::gpu g("gpu", computing(false, {"bus.unknown_data=zeros"}));
        ADD_FAILURE() << "built";
    } catch (const std::invalid_argument &e) {
        EXPECT_NE(std::string(e.what()).find("bus.unknown_data=zeros"), std::string::npos);
    }
}

TEST(GpuExecutes, ALimitOfCyclesHoldsForAllRepetitions)
{
    const product p(32);
    board s(computing(true));
    smrf_gpu_kernel k = p.place(s);
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE});
        k.limit_lo = static_cast<uint32_t>(s.cycles() * 3 / 2);
        k.repeat = 100;
        const uint64_t before = s.cycles();
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_LIMIT});
        EXPECT_LE(s.cycles() - before, k.limit_lo);
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NEEDS_RESET});
    });
}

// --- texts ---------------------------------------------------------------------------------------

TEST(GpuExecutes, PrintsOnceAndAFailedAssertionIsACauseOfError)
{
    std::string printed, failed;
    smrf::gpu_options o = computing(true);
    o.execute.print = [&](bool is_error, const std::string &text) {
        (is_error ? failed : printed) += text;
    };
    board s(o);
    const smrf_gpu_kernel k = s.kernel(bytes_of(source_file("tests/ip/talks.cubin")), {a_at}, 2);
    s.ram.put(a_at, words{11, 12});
    s.run([&](cpu &c) {
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(printed, "thread 0 has 11\nthread 1 has 12\n");
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_ASSERT}) << s.gpu.error_text();
        EXPECT_NE(failed.find("data[i] != 13"), std::string::npos) << failed;
        EXPECT_EQ(s.ram.get<uint32_t>(a_at, 2), (words{12, 13})) << "nothing is written";
    });
}

// --- resets --------------------------------------------------------------------------------------

class GpuExecutesReset : public testing::TestWithParam<int>
{
};

// Whenever it comes, the next launch computes as ever.
TEST_P(GpuExecutesReset, InTheMiddleOfALaunch)
{
    const product p(32);
    board s(computing(false));
    const smrf_gpu_kernel k = p.place(s);
    const int ns = GetParam();
    s.run([&](cpu &c) {
        s.start(c, k);
        c.wait(sc_core::sc_time(ns, sc_core::SC_NS));
        if (ns % 2 == 0) {
            s.reset.write(true);
            c.wait(sc_core::sc_time(50, sc_core::SC_NS));
            s.reset.write(false);
        } else {
            c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_RESET);
        }
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_STATUS), 0u);
        const words now = s.ram.get<uint32_t>(c_at, p.c.size());
        for (size_t i = 0; i < now.size(); i++) {
            EXPECT_TRUE(now[i] == 0 || now[i] == p.c[i]) << i;
        }
        s.ram.put(c_at, words(p.c.size()));
        EXPECT_EQ(s.launch(c, k), uint32_t{SMRF_GPU_ERROR_NONE}) << s.gpu.error_text();
        EXPECT_EQ(s.ram.get<uint32_t>(c_at, p.c.size()), p.c);
    });
}

INSTANTIATE_TEST_SUITE_P(Times, GpuExecutesReset, testing::Values(0, 31, 500, 2001, 4000, 20001));

TEST(GpuExecutes, AStoppedLaunchLeavesWhatItsTransactionsHaveWritten)
{
    const product p(48);
    board s(computing(false));
    const smrf_gpu_kernel k = p.place(s);
    s.run([&](cpu &c) {
        s.start(c, k);
        while (s.ram.get<uint32_t>(c_at, 1)[0] == 0) {
            c.wait(sc_core::sc_time(50, sc_core::SC_NS));
        }
        c.write(gpu_base + SMRF_GPU_CONTROL, SMRF_GPU_CONTROL_STOP);
        while (c.read(gpu_base + SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            c.wait(sc_core::sc_time(1, sc_core::SC_US));
        }
        EXPECT_EQ(c.read(gpu_base + SMRF_GPU_ERROR), uint32_t{SMRF_GPU_ERROR_STOPPED});
        const words now = s.ram.get<uint32_t>(c_at, p.c.size());
        EXPECT_NE(now, p.c);
        EXPECT_EQ(now[0], p.c[0]);
    });
}
