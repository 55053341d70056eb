// SPDX-License-Identifier: Apache-2.0
// The pieces of IP and the blocks through the C API: kinds, sockets, mistakes, and runs.
#include "platform/ip/modules.h"

#include "firmware/driver/gpu_registers.h"
#include "models/wires/wires.h"

#include <gtest/gtest.h>
#include <systemc>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace
{

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

// Modules that are destroyed in the end.
struct made {
    std::vector<smrf_module *> all;
    ~made()
    {
        for (smrf_module *m : all) {
            smrf_module_destroy(m);
        }
    }
    smrf_module *create(const char *kind, const char *name, std::vector<const char *> options = {})
    {
        smrf_module *m = nullptr;
        options.push_back(nullptr);
        EXPECT_EQ(SMRF_OK, smrf_module_create(&m, kind, name, options.data()))
            << smrf_module_error(m);
        all.push_back(m);
        return m;
    }
    smrf_module *process(unsigned sockets, std::function<void(smrf_module *)> &body)
    {
        smrf_module *m = nullptr;
        EXPECT_EQ(SMRF_OK, smrf_module_process(
                               &m, "process", sockets,
                               [](void *ctx, smrf_module *self) {
                                   (*static_cast<std::function<void(smrf_module *)> *>(ctx))(self);
                               },
                               &body));
        all.push_back(m);
        return m;
    }
    static void bind(smrf_module *a, const char *from, smrf_module *b, const char *to)
    {
        EXPECT_EQ(SMRF_OK, smrf_module_bind(a, from, b, to)) << smrf_module_error(a);
    }
};

std::string mistake(const char *kind, std::vector<const char *> options)
{
    smrf_module *m = nullptr;
    options.push_back(nullptr);
    EXPECT_LT(smrf_module_create(&m, kind, "wrong", options.data()), 0);
    const std::string text = smrf_module_error(m);
    smrf_module_destroy(m);
    return text;
}

uint32_t word(smrf_module *self, unsigned socket, uint64_t address, bool write = false,
              uint32_t value = 0)
{
    smrf_access a = {address, &value, 4, write, nullptr, 0};
    EXPECT_EQ(SMRF_OK, smrf_transfer(self, socket, &a)) << address;
    return value;
}

} // namespace

TEST(Modules, EveryKindIsCreatedByItsNameAndListsItsSockets)
{
    made m;
    size_t i = 0;
    for (const char *options = nullptr, *kind = nullptr;
         (kind = smrf_module_kind(i, &options)) != nullptr; i++) {
        smrf_module *one = m.create(kind, kind);
        smrf_socket_info info{};
        size_t n = 0;
        while (smrf_module_socket(one, n, &info) == SMRF_OK) {
            EXPECT_FALSE(info.bound) << kind << "." << info.name;
            n++;
        }
        EXPECT_GT(n, 0u) << kind;
        EXPECT_GT(std::strlen(options), 0u) << kind;
    }
    EXPECT_GE(i, 7u);
}

TEST(Modules, MistakesHaveTexts)
{
    EXPECT_NE(mistake("bnak", {}).find("'bnak'"), std::string::npos);
    EXPECT_NE(mistake("bank", {"row=4"}).find("'row'"), std::string::npos);
    EXPECT_NE(mistake("bank", {"rows=many"}).find("not a number"), std::string::npos);
    EXPECT_NE(mistake("bank", {"rows"}).find("key=value"), std::string::npos);
    EXPECT_NE(mistake("bank", {"rf.banks=4"}).find("rf.banks"), std::string::npos);
    EXPECT_NE(mistake("gpu", {"rf.bank=4"}).find("rf.bank"), std::string::npos);
    EXPECT_NE(mistake("gpu", {"mechanism=malekee"}).find("malekee"), std::string::npos);
    EXPECT_NE(mistake("register_file", {"warps=99"}).find("1 to 64 warps"), std::string::npos);
    EXPECT_NE(mistake("register_file", {"mechanism=none"}).find("'none'"), std::string::npos);
    EXPECT_NE(mistake("crossbar", {"banks=77"}).find("16"), std::string::npos);
    EXPECT_NE(mistake("arbiter", {"depth=1025"}).find("1024"), std::string::npos);
    made m;
    smrf_module *bank = m.create("bank", "bank"), *xbar = m.create("crossbar", "xbar");
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_module_bind(xbar, "bank_out_9", bank, "read_in"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_module_bind(xbar, "bank_out_0", bank, "bank_out_0"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_module_bind(bank, "read_in", bank, "read_in"));
    m.bind(xbar, "bank_out_0", bank, "read_in");
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_bind(xbar, "bank_out_1", bank, "read_in"));
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_trace(bank, "x"));
    EXPECT_EQ(nullptr, smrf_module_platform(bank));
}

TEST(Modules, AProcessInCDrivesAGpuToItsInterruptFreeEnd)
{
    made m;
    bool ended = false;
    const std::string program = "program=" + bundled("divergent");
    smrf_module *gpu =
        m.create("gpu", "gpu", {"preset=rtx2060-paper", "gpu.sms=2", program.c_str()});
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        EXPECT_EQ(word(self, 0, SMRF_GPU_ID), SMRF_GPU_ID_VALUE);
        word(self, 0, SMRF_GPU_DOORBELL, true, SMRF_GPU_DOORBELL_REGISTERS);
        while (word(self, 0, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_BUSY) {
            smrf_wait(1000000);
        }
        EXPECT_EQ(word(self, 0, SMRF_GPU_LAUNCHES), 1u);
        uint32_t none = 0;
        smrf_access a = {SMRF_GPU_SPAN, &none, 4, false, nullptr, 0};
        EXPECT_EQ(SMRF_ERR_PROTOCOL, smrf_transfer(self, 0, &a));
        ended = true;
    };
    m.bind(m.process(1, body), "out_0", gpu, "control");
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_elaborate(text, sizeof text)) << text;
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    EXPECT_TRUE(ended);
    double insts = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_stat(smrf_module_platform(gpu), "instructions.warp", &insts));
    EXPECT_GT(insts, 0);
    smrf_module *late = nullptr;
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_create(&late, "bank", "late", nullptr));
    smrf_module_destroy(late);
}

// Two programs, the interrupt, the reset as a signal and as a call.
TEST(Modules, SignalsOfAGpuAreBoundAndWaitedForFromC)
{
    made m;
    bool ended = false;
    const std::string first = "program=" + bundled("divergent");
    const std::string second = "program=" + bundled("matmul");
    smrf_module *gpu = m.create(
        "gpu", "gpu", {"preset=rtx2060-paper", "gpu.sms=2", first.c_str(), second.c_str()});
    smrf_signal *irq = nullptr, *reset = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_signal_create(&irq, "irq", false));
    ASSERT_EQ(SMRF_OK, smrf_signal_create(&reset, "reset", true));
    EXPECT_EQ(SMRF_OK, smrf_module_bind_signal(gpu, "interrupt", irq)) << smrf_module_error(gpu);
    EXPECT_EQ(SMRF_OK, smrf_module_bind_signal(gpu, "reset", reset)) << smrf_module_error(gpu);
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_bind_signal(gpu, "reset", reset)) << "bound already";
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_module_bind_signal(gpu, "clock", reset));
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        EXPECT_EQ(word(self, 0, SMRF_GPU_PROGRAMS), 2u);
        EXPECT_TRUE(word(self, 0, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING);
        smrf_signal_write(reset, false);
        smrf_wait(100000);
        word(self, 0, SMRF_GPU_IRQ_ENABLE, true, SMRF_GPU_IRQ_DONE);
        word(self, 0, SMRF_GPU_PROGRAM, true, 1);
        word(self, 0, SMRF_GPU_DOORBELL, true, SMRF_GPU_DOORBELL_REGISTERS);
        EXPECT_FALSE(smrf_signal_wait(irq, true, 1000)) << "not within a nanosecond";
        EXPECT_TRUE(smrf_signal_wait(irq, true, 0));
        EXPECT_EQ(word(self, 0, SMRF_GPU_LAUNCHES), 1u);
        EXPECT_EQ(SMRF_OK, smrf_module_reset(gpu)) << smrf_module_error(gpu);
        EXPECT_TRUE(smrf_signal_wait(irq, false, 0));
        while (word(self, 0, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_RESETTING) {
            smrf_wait(1000);
        }
        EXPECT_EQ(word(self, 0, SMRF_GPU_LAUNCHES), 0u);
        ended = true;
    };
    m.bind(m.process(1, body), "out_0", gpu, "control");
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    EXPECT_TRUE(ended);
    smrf_signal_destroy(irq);
    smrf_signal_destroy(reset);
}

TEST(Modules, ARegisterFileOfCachingCollectorsIsDrivenFromC)
{
    made m;
    unsigned delivered = 0;
    smrf_module *rf = m.create("register_file", "rf",
                               {"mechanism=malekeh-long", "warps=2", "registers_per_warp=8"});
    smrf_module *units = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_module_target(
                           &units, "units", 1,
                           [](void *ctx, unsigned, smrf_access *a, uint64_t *delay) {
                               EXPECT_EQ(a->bytes, 2 * 128u);
                               EXPECT_EQ(static_cast<uint32_t *>(a->data)[32], 7u);
                               *delay = 500;
                               ++*static_cast<unsigned *>(ctx);
                               return 0;
                           },
                           &delivered));
    m.all.push_back(units);
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        std::array<uint32_t, 32> row{7};
        smrf_access write = {(8 + 5) * 128, row.data(), 128, true, nullptr, 0};
        EXPECT_EQ(SMRF_OK, smrf_transfer(self, 1, &write));
        for (unsigned i = 0; i < 3; i++) {
            smrf_rf_instruction in = {i, 1, UINT32_MAX, 3, 2, {2, 5}};
            smrf_access issue = {0, &in, sizeof in, true, nullptr, 0};
            EXPECT_EQ(SMRF_OK, smrf_transfer(self, 0, &issue));
            smrf_wait(20000);
        }
        EXPECT_GT(word(self, 2, 4 * SMRF_RF_CACHE_HITS), 0u);
        row = {};
        smrf_access look = {(8 + 5) * 128, row.data(), 128, false, nullptr, 0};
        EXPECT_EQ(128, smrf_transfer_debug(self, 1, &look));
        EXPECT_EQ(row[0], 7u);
        EXPECT_EQ(SMRF_OK, smrf_module_reset(rf));
        EXPECT_EQ(word(self, 2, 4 * SMRF_RF_DELIVERED), 0u);
    };
    smrf_module *core = m.process(3, body);
    m.bind(core, "out_0", rf, "issue");
    m.bind(core, "out_1", rf, "registers_0");
    m.bind(core, "out_2", rf, "status");
    m.bind(rf, "operands", units, "in_0");
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    EXPECT_EQ(delivered, 3u);
}

TEST(Modules, ASocketThatIsNotBoundIsAnErrorAndNoException)
{
    made m;
    m.create("crossbar", "xbar");
    char text[512] = "";
    sc_core::sc_report_handler::set_handler(nullptr); // SystemC's own, which throws
    EXPECT_LT(smrf_simulation_elaborate(text, sizeof text), 0);
    EXPECT_NE(std::string(text).find("not bound"), std::string::npos) << text;
}

// Collectors of a kind, arbiter, crossbar and banks, put together by the names of their sockets.
class Assembled : public testing::TestWithParam<const char *>
{
};

TEST_P(Assembled, ARegisterFileOfBlocksDeliversWhatWasWritten)
{
    constexpr unsigned warps = 2, regs = 16, banks = 2, rows = warps * regs / banks;
    made m;
    struct seen {
        std::vector<std::array<uint32_t, 2>> sums; // tag, sum of the first lanes
    } got;
    const std::string kind = std::string("mechanism=") + GetParam();
    smrf_module *collectors = m.create("collectors", "collectors",
                                       {kind.c_str(), "warps=2", "registers_per_warp=16",
                                        "rf.banks=2", "rf.collectors=2", "sm.registers=1024"});
    smrf_module *arbiter = m.create("arbiter", "arbiter", {"banks=2", "collectors=2"});
    const std::string depth = "rows=" + std::to_string(rows);
    smrf_module *xbar = m.create("crossbar", "xbar", {"inputs=2", "banks=2", depth.c_str()});
    smrf_module *bank[banks], *units = nullptr;
    ASSERT_EQ(
        SMRF_OK,
        smrf_module_target(
            &units, "units", 1,
            [](void *ctx, unsigned, smrf_access *a, uint64_t *) {
                uint32_t sum = 0;
                for (unsigned i = 0; i < a->bytes / 128; i++) {
                    sum += static_cast<uint32_t *>(a->data)[32 * i];
                }
                static_cast<seen *>(ctx)->sums.push_back({static_cast<uint32_t>(a->address), sum});
                return 0;
            },
            &got));
    m.all.push_back(units);
    std::vector<uint32_t> expected;
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        uint32_t value[warps][regs] = {};
        unsigned n = 0;
        for (unsigned turn = 0; turn < 200; turn++) {
            const unsigned w = turn % warps, r = turn * 7 % regs, p = w * regs + r;
            std::array<uint32_t, 32> row{turn + 100};
            value[w][r] = row[0];
            smrf_access write = {p / banks * 128, row.data(), 128, true, nullptr, 0};
            EXPECT_EQ(SMRF_OK, smrf_transfer(self, 2 + p % banks, &write));
            smrf_access told = {p * 128, row.data(), 128, true, nullptr, 0};
            EXPECT_EQ(SMRF_OK, smrf_transfer(self, 1, &told));
            smrf_rf_instruction in = {n, w, UINT32_MAX, 7, 3, {static_cast<uint8_t>(r), 3, 8}};
            expected.push_back(value[w][r] + value[w][3] + value[w][8]);
            smrf_access issue = {0, &in, sizeof in, true, nullptr, 0};
            EXPECT_EQ(SMRF_OK, smrf_transfer(self, 0, &issue));
            while (got.sums.size() <= n) {
                smrf_wait(1000);
            }
            n++;
        }
    };
    smrf_module *core = m.process(2 + banks, body);
    m.bind(core, "out_0", collectors, "issue");
    m.bind(core, "out_1", collectors, "result_in");
    m.bind(collectors, "operands", units, "in_0");
    m.bind(arbiter, "grant_out", collectors, "grant_in");
    for (unsigned c = 0; c < 2; c++) {
        const std::string n = std::to_string(c);
        m.bind(collectors, ("request_out_" + n).c_str(), arbiter, ("request_in_" + n).c_str());
        m.bind(collectors, ("read_out_" + n).c_str(), xbar, ("read_in_" + n).c_str());
    }
    for (unsigned b = 0; b < banks; b++) {
        bank[b] = m.create("bank", b ? "bank_1" : "bank_0", {depth.c_str()});
        m.bind(xbar, b ? "bank_out_1" : "bank_out_0", bank[b], "read_in");
        m.bind(core, b ? "out_3" : "out_2", bank[b], "write_in");
    }
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    ASSERT_EQ(got.sums.size(), 200u);
    for (unsigned i = 0; i < 200; i++) {
        EXPECT_EQ(got.sums[i][0], i);
        EXPECT_EQ(got.sums[i][1], expected[i]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Modules, Assembled,
                         testing::Values("baseline", "malekeh-long", "gto-lru"));

// A clocked arbiter: 2,001 requests of one bank, one grant a cycle, none lost, FIFOs of eight.
TEST(Modules, AnArbiterGrantsByItselfAndHoldsUpWhatFindsNoRoom)
{
    made m;
    struct seen {
        unsigned grants = 0;
        uint64_t last = 0;
    } got;
    smrf_module *arbiter = m.create("arbiter", "arbiter", {"banks=2", "depth=8"});
    smrf_module *target = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_module_target(
                           &target, "grants", 1,
                           [](void *ctx, unsigned, smrf_access *, uint64_t *) {
                               auto *s = static_cast<seen *>(ctx);
                               const uint64_t cycle = smrf_simulation_time() / 1000;
                               EXPECT_TRUE(s->grants == 0 || cycle > s->last) << "one a cycle";
                               s->last = cycle;
                               s->grants++;
                               return 0;
                           },
                           &got));
    m.all.push_back(target);
    uint64_t end = 0;
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        for (unsigned i = 0; i < 667; i++) {
            uint32_t words[3];
            for (unsigned s = 0; s < 3; s++) {
                words[s] = smrf_read_word({0, 1}, 0, s);
            }
            smrf_access a = {i, words, sizeof words, true, nullptr, 0};
            EXPECT_EQ(SMRF_OK, smrf_transfer(self, 0, &a));
        }
        end = smrf_simulation_time() / 1000;
    };
    m.bind(m.process(1, body), "out_0", arbiter, "request_in_0");
    m.bind(arbiter, "grant_out", target, "in_0");
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    EXPECT_EQ(got.grants, 2001u);
    EXPECT_GE(end, 2001u - 8 - 3) << "the requester was held up";
    EXPECT_LE(got.last, 2001u + 8);
}

// Issue stage before a register file: what depends waits for the result that the processor tells,
// what does not goes past it.
TEST(Modules, AnIssueStageHoldsBackWhatDependsAndSendsTheRest)
{
    made m;
    std::vector<std::pair<uint64_t, uint64_t>> got; // tag, cycle
    smrf_module *issue = m.create("issue", "issue", {"warps=2", "registers_per_warp=16"});
    smrf_module *rf = m.create("register_file", "rf", {"warps=2", "registers_per_warp=16"});
    smrf_module *units = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_module_target(
                           &units, "units", 1,
                           [](void *ctx, unsigned, smrf_access *a, uint64_t *) {
                               static_cast<decltype(got) *>(ctx)->emplace_back(
                                   a->address, smrf_simulation_time() / 1000);
                               return 0;
                           },
                           &got));
    m.all.push_back(units);
    std::function<void(smrf_module *)> body = [&](smrf_module *self) {
        const auto send = [&](uint32_t tag, uint32_t warp, uint8_t dst, uint8_t src) {
            smrf_issue_instruction in = {{tag, warp, UINT32_MAX, 0, 1, {src}}, 1, {dst}};
            smrf_access a = {0, &in, sizeof in, true, nullptr, 0};
            return smrf_transfer(self, 0, &a);
        };
        const auto over = [&](uint32_t tag) {
            uint32_t none = 0;
            smrf_access a = {tag, &none, sizeof none, true, nullptr, 0};
            return smrf_transfer(self, 1, &a);
        };
        EXPECT_EQ(SMRF_OK, send(10, 0, 1, 2));
        EXPECT_EQ(SMRF_OK, send(11, 0, 3, 1)); // reads what 10 writes
        EXPECT_EQ(SMRF_OK, send(20, 1, 1, 2)); // another warp's
        smrf_wait(50000);
        ASSERT_EQ(got.size(), 2u);
        EXPECT_EQ(got[0].first, 10u);
        EXPECT_EQ(got[1].first, 20u);
        EXPECT_EQ(SMRF_OK, over(10));
        smrf_wait(20000);
        ASSERT_EQ(got.size(), 3u);
        EXPECT_EQ(got[2].first, 11u);
        EXPECT_GE(got[2].second, 50u);
        EXPECT_NE(SMRF_OK, over(99)) << "no such instruction";
        EXPECT_NE(SMRF_OK, send(11, 0, 1, 2)) << "its tag is taken";
        EXPECT_NE(SMRF_OK, send(30, 2, 1, 2)) << "no such warp";
        EXPECT_EQ(SMRF_OK, send(12, 0, 2, 4)); // 11 reads 1 and writes 3: free
        EXPECT_EQ(SMRF_OK, send(13, 0, 1, 4)); // writes what 11 reads
        smrf_wait(20000);
        EXPECT_EQ(got.size(), 4u);
        EXPECT_EQ(SMRF_OK, over(11));
        smrf_wait(20000);
        ASSERT_EQ(got.size(), 5u);
        EXPECT_EQ(got[4].first, 13u);
    };
    smrf_module *core = m.process(4, body);
    m.bind(core, "out_0", issue, "instr_in");
    m.bind(core, "out_1", issue, "result_in");
    m.bind(issue, "instr_out", rf, "issue");
    m.bind(rf, "operands", units, "in_0");
    m.bind(core, "out_2", rf, "registers_0");
    m.bind(core, "out_3", rf, "status");
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
}

namespace
{

// Two warps of adds that depend on each other.
int adds(void *ctx, smrf_trace_writer *w)
{
    const unsigned n = *static_cast<unsigned *>(ctx);
    smrf_kernel_info info{};
    info.name = "adds";
    info.grid = {1, 1, 1};
    info.block = {64, 1, 1};
    info.num_regs = 16;
    info.binary_version = 75;
    int err = smrf_trace_writer_begin_kernel(w, &info);
    err = err == 0 ? smrf_trace_writer_begin_block(w, {0, 0, 0}) : err;
    for (uint32_t warp = 0; warp < 2 && err == 0; warp++) {
        err = smrf_trace_writer_begin_warp(w, warp, n + 1);
        for (uint32_t i = 0; i <= n && err == 0; i++) {
            smrf_trace_line l{};
            l.pc = i * 16;
            l.mask = UINT32_MAX;
            l.opcode = i == n ? "EXIT" : "IADD3";
            l.num_dst = i == n ? 0 : 1;
            l.num_src = i == n ? 0 : 2;
            l.dst[0] = l.src[0] = 4;
            l.src[1] = 5;
            err = smrf_trace_writer_line(w, &l);
        }
    }
    err = err == 0 ? smrf_trace_writer_end_block(w) : err;
    return err == 0 ? smrf_trace_writer_end_kernel(w) : err;
}

} // namespace

TEST(Modules, AnSmTakesItsInstructionsFromACFunction)
{
    made m;
    unsigned n = 50;
    smrf_module *sm = m.create("sm", "sm"), *memory = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_module_target(
                           &memory, "memory", 1,
                           [](void *, unsigned, smrf_access *, uint64_t *) { return 0; }, nullptr));
    m.all.push_back(memory);
    m.bind(sm, "memory", memory, "in_0");
    EXPECT_EQ(SMRF_ERR_STATE, smrf_module_source(memory, adds, &n));
    EXPECT_EQ(-77, smrf_module_source(
                       sm, [](void *, smrf_trace_writer *) { return -77; }, nullptr));
    ASSERT_EQ(SMRF_OK, smrf_module_source(sm, adds, &n)) << smrf_module_error(sm);
    char text[256] = "";
    EXPECT_EQ(SMRF_OK, smrf_simulation_run(0, text, sizeof text)) << text;
    double insts = 0, cycles = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_stat(smrf_module_platform(sm), "instructions.warp", &insts))
        << smrf_platform_error(smrf_module_platform(sm));
    EXPECT_EQ(insts, 2 * (n + 1));
    EXPECT_EQ(SMRF_OK, smrf_platform_stat(smrf_module_platform(sm), "cycles", &cycles));
    EXPECT_GT(cycles, 4 * n) << "each waits for the one before it";
}
