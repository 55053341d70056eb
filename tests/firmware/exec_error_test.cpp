// SPDX-License-Identifier: Apache-2.0
// What goes wrong while a kernel runs: every message says where and why; nothing crashes, whatever
// the text says.
#include "firmware/launch/device.h"
#include "tests/support/exec_program.h"

#include <csignal>
#include <random>

namespace smrf_test
{
namespace
{

using lines = std::vector<std::string>;

std::string failure(const lines &code, int want, uint32_t threads = 64)
{
    exec_program e(exec_prologue() + code);
    EXPECT_EQ(e.decoded, 0) << e.error;
    (void)e.buffer(std::vector<uint32_t>(threads));
    e.launch.max_insts_per_warp = 10000;
    e.launch.stack_bytes = 256;
    e.launch.dynamic_shared = 64;
    EXPECT_EQ(e.run(threads, 2), want) << e.error;
    return e.error;
}

void expect_all(const std::string &text, const lines &parts)
{
    for (const std::string &part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
    }
}

TEST(Error, NamesKernelBlockWarpLaneAddressAndInstruction)
{
    std::string text =
        failure({"ISETP.EQ.AND P0, PT, R0, 0x23, PT", "S2R R4, SR_CTAID.X",
                 "ISETP.EQ.AND P0, PT, R4, 0x1, P0", "@P0 LDG.E.SYS R8, [R2+0x800]", "EXIT"},
                SMRF_ERR_CHECK);
    expect_all(text, {"kernel k", "block (1,0,0)", "warp 1", "lane 3", "PC 0x70",
                      "k.sass:", "@P0 LDG.E.SYS R8, [R2+0x800]", "out-of-range read of 4 bytes",
                      "of the 256 bytes"});
}

TEST(Error, NullPointersAndFreedMemory)
{
    expect_all(failure({"STG.E.SYS [RZ], R0", "EXIT"}, SMRF_ERR_CHECK),
               {"out-of-range write", "at 0x0", "lane 0"});
}

TEST(Error, ConstantsThatTheTextLeavesOutAreSaidToBeMissing)
{
    expect_all(failure({"LDC R8, c[0x2][R0]", "EXIT"}, SMRF_ERR_CHECK),
               {"c[0x2][0x0]", "does not state the constants", "output of nvdisasm"});
    expect_all(failure({"MOV R8, c[0x2][0x8]", "EXIT"}, SMRF_ERR_LIMIT),
               {"MOV R8, c[0x2][0x8]", "does not state the constants", "output of nvdisasm"});
}

TEST(Error, SharedAndLocalMemoryHaveBounds)
{
    expect_all(failure({"LDS.U R8, [R0.X4+0x3c]", "EXIT"}, SMRF_ERR_CHECK),
               {"out-of-range read", "lane 1", "64 bytes of shared memory"});
    expect_all(failure({"STL [R1], R0", "EXIT"}, SMRF_ERR_CHECK),
               {"out-of-range write", "256 bytes of local memory"});
    expect_all(
        failure({"IADD3 R4, P0, R1, c[0x0][0x20], RZ", "IADD3.X R5, RZ, c[0x0][0x24], RZ, P0, !PT",
                 "LD.E.SYS R8, [R4+0x100]", "EXIT"},
                SMRF_ERR_CHECK),
        {"out-of-range read", "local memory"});
}

TEST(Error, OfAListingsStaticSharedMemorySaysWhatToDo)
{
    const std::string text = "\tcode for sm_75\n\t\tFunction : k\n"
                             "        /*0000*/   LDS.U R0, [0x40] ;\n"
                             "        /*0010*/   EXIT ;\n\t\t..........\n";
    smrf_device *device = nullptr;
    smrf_device_module *module = nullptr;
    struct smrf_device_function *function = nullptr;
    ASSERT_EQ(smrf_device_create(&device), 0);
    ASSERT_EQ(smrf_device_load_text(device, &module, "k.sass", text.data(), text.size()), 0)
        << smrf_device_error(device);
    ASSERT_EQ(smrf_device_get_function(module, &function, "k"), 0) << smrf_device_error(device);
    EXPECT_EQ(smrf_device_launch_raw(function, {1, 1, 1}, {32, 1, 1}, 64, nullptr, 0),
              SMRF_ERR_CHECK);
    expect_all(smrf_device_error(device), {"64 bytes of shared memory", "static", "must cover it"});
    EXPECT_EQ(smrf_device_launch_raw(function, {1, 1, 1}, {32, 1, 1}, 68, nullptr, 0), 0)
        << smrf_device_error(device);
    smrf_device_destroy(device);
}

TEST(Error, AStackThatGrowsTooDeepIsAnOverflow)
{
    expect_all(failure({"MOV R20, 32@lo((k + .L_x_1@srel))", "MOV R21, 32@hi((k + .L_x_1@srel))",
                        ".L_x_1:", "IADD3 R1, R1, -0x30, RZ", "STL [R1], R20",
                        "RET.ABS.NODEC R20 0x0", "EXIT"},
                       SMRF_ERR_LIMIT),
               {"stack overflow", "32 bytes below", "raise the stack limit"});
}

TEST(Error, ARunawayLoop)
{
    expect_all(failure({".L_x_1:", "BRA `(.L_x_1)"}, SMRF_ERR_LIMIT), {"10000", "runaway loop"});
    expect_all(failure({".L_x_1:", "YIELD", "BRA `(.L_x_1)"}, SMRF_ERR_LIMIT), {"runaway loop"});
}

// A signal ends a launch within a block, also where nobody listens.
TEST(Error, ASignalEndsALoop)
{
    static const volatile std::sig_atomic_t signal = 15;
    exec_program e(exec_prologue() + lines{".L_x_1:", "YIELD", "BRA `(.L_x_1)"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    (void)e.buffer(std::vector<uint32_t>(64));
    e.launch.stop = &signal;
    EXPECT_EQ(e.run(64, 2), SMRF_ERR_STATE) << e.error;
    expect_all(e.error, {"stopped by a signal"});
}

TEST(Error, Traps)
{
    expect_all(failure({"BPT.TRAP 0x1", "EXIT"}, SMRF_ERR_CHECK),
               {"trap", "BPT.TRAP 0x1", "grid.sync()"});
}

TEST(Error, WhatIsNotSupportedIsSaidBeforeAnythingRuns)
{
    const struct {
        const char *line;
        std::vector<const char *> says;
    } cases[] = {
        {"CALL.ABS.NOINC 0x0", {"does not say what is called", "nvdisasm"}},
        {"TLD.SCR.LZ.MS RZ, R0, R2, R2, 0x0, 0x58, 2D, 0x1", {"TLD.SCR.LZ.MS", "modifier .MS"}},
        {"TMML", {"opcode TMML", "level of detail"}},
        {"SUATOM", {"opcode SUATOM", "atomics on surfaces"}},
        {"HGMMA", {"opcode HGMMA", "wgmma", "sm_80"}},
        {"WARPGROUP", {"opcode WARPGROUP", "wgmma"}},
        {"UTMALDG", {"opcode UTMALDG", "TMA", "sm_80"}},
        {"UBLKCP", {"opcode UBLKCP", "TMA"}},
        {"SYNCS", {"SYNCS is not supported"}},
        {"UCGABAR", {"opcode UCGABAR", "clusters"}},
    };
    for (const auto &c : cases) {
        exec_program e(lines{c.line, "EXIT"});
        EXPECT_EQ(e.decoded, SMRF_ERR_UNKNOWN) << c.line;
        for (const char *part : c.says) {
            EXPECT_NE(std::string(e.error).find(part), std::string::npos) << e.error;
        }
    }
}

TEST(Error, ControlThatRunsPastTheEnd)
{
    expect_all(failure({"MOV R4, R5", "NOP"}, SMRF_ERR_LIMIT), {"past the function's end"});
    expect_all(
        failure({"MOV R4, R5", "ISETP.EQ.AND P0, PT, R0, RZ, PT", "@P0 EXIT"}, SMRF_ERR_LIMIT),
        {"past the function's end"});
}

TEST(Error, LaunchesThatHardwareWouldRefuse)
{
    for (smrf_exec_dim block : {smrf_exec_dim{0, 1, 1}, {1025, 1, 1}, {1024, 2, 1}, {1, 1, 65}}) {
        exec_program e(lines{"EXIT"});
        e.launch.block = block;
        EXPECT_EQ(e.again(), SMRF_ERR_INVAL);
        expect_all(e.error, {"kernel k", "1024"});
    }
    exec_program grid(lines{"EXIT"});
    grid.launch.grid = {1, 70000, 1};
    EXPECT_EQ(grid.again(), SMRF_ERR_INVAL);
    exec_program shared(lines{"EXIT"});
    shared.launch.dynamic_shared = 65537;
    EXPECT_EQ(shared.again(), SMRF_ERR_LIMIT);
    exec_program stack(lines{"EXIT"});
    stack.launch.stack_bytes = 1u << 20;
    EXPECT_EQ(stack.again(), SMRF_ERR_LIMIT);
    exec_program params(lines{"EXIT"});
    for (int i = 0; i < 5000; i++) {
        params.param(uint8_t{0});
    }
    EXPECT_EQ(params.again(), SMRF_ERR_LIMIT);
}

TEST(Launch, LocalMemoryIsZeroInEveryBlock)
{
    exec_program e(exec_prologue() + lines{"IADD3 R1, R1, -0x10, RZ", "LDL R8, [R1]",
                                           "ATOMG.E.ADD.STRONG.GPU PT, RZ, [R2], R8", "MOV R9, 0x1",
                                           "STL [R1], R9", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(32));
    ASSERT_EQ(e.run(32, 5), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 32), std::vector<uint32_t>(32));
}

bool odd_blocks(void *, smrf_exec_dim id)
{
    return id.x % 2 == 1;
}

TEST(Launch, RunsTheBlocksThatAreWantedAndStopsBetweenBlocks)
{
    lines count = {"MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]", "S2R R4, SR_CTAID.X",
                   "RED.E.ADD.STRONG.GPU [R2], R4", "EXIT"};
    exec_program e(count);
    uint64_t out = e.buffer(std::vector<uint32_t>(1));
    e.launch.wants_block = odd_blocks;
    ASSERT_EQ(e.run(1, 10), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 1)[0], 1u + 3 + 5 + 7 + 9);
    EXPECT_EQ(e.totals.blocks, 5u);
    exec_program g(count);
    (void)g.buffer(std::vector<uint32_t>(1));
    g.launch.stop_after_insts = 12;
    ASSERT_EQ(g.run(1, 10), 0) << g.error;
    EXPECT_EQ(g.totals.blocks, 3u);
    EXPECT_EQ(g.totals.warp_insts, 15u);
    EXPECT_EQ(g.totals.thread_insts, 15u);
}

// ---- any text -------------------------------------------------------------------------------

// Instructions put together from forms that exist, with any registers, labels and numbers.
class soup
{
  public:
    explicit soup(uint32_t seed) : random_(seed) {}
    lines make()
    {
        static const char *const forms[] = {
            "BRA L",
            "@P BRA L",
            "BRX R N",
            "JMX R N",
            "CALL.REL.NOINC L",
            "CALL.ABS.NOINC R",
            "CALL.REL.NOINC R `(k)",
            "RET.ABS.NODEC R 0x0",
            "RET.REL.NODEC R `(k)",
            "BSSY B, L",
            "BSSY B, L",
            "BSYNC B",
            "BSYNC B",
            "@P BREAK B",
            "BREAK B",
            "BMOV.32 B, R",
            "BMOV.32.CLEAR R, B",
            "WARPSYNC N",
            "WARPSYNC R",
            "YIELD",
            "@P EXIT",
            "BAR.SYNC N",
            "BAR.SYNC R, N",
            "BAR.ARV N, 0x40",
            "BAR.RED.POPC N, P",
            "B2R.RESULT R, P",
            "LDG.E.SYS R, [R+N]",
            "LD.E.64.SYS R, [R+N]",
            "LDS.U.128 R, [R.X4+N]",
            "LDL R, [R+N]",
            "STG.E.SYS [R], R",
            "ST.E.64.SYS [R+N], R",
            "STS.U8 [R+N], R",
            "STL [R1+-0x8], R",
            "ATOMG.E.ADD.STRONG.GPU PT, R, [R2], R",
            "ATOMS.CAS R, [R], R, R",
            "LDC R, c[0x0][R]",
            "LDC.64 R, c[0x3][R+N]",
            "LDSM.16.M88.4 R, [R]",
            "S2R R, SR_TID.X",
            "CS2R R, SRZ",
            "MOV R, N",
            "MOV R, R",
            "IADD3 R, R, N, RZ",
            "IMAD R, R, N, R",
            "@P IADD3 R, R, R, R",
            "ISETP.LT.AND P, PT, R, N, PT",
            "LOP3.LUT R, R, N, R, 0x96, !PT",
            "MOV R, c[0x0][N]",
            "SHFL.BFLY PT, R, R, 0x3, 0x1f",
            "VOTE.ANY R, PT, P",
            "QSPC.E.S P, R, [R]",
            "ISETP.NE.AND P, PT, R0, N, PT",
            "ISETP.NE.AND P, PT, R0, N, PT",
            "NANOSLEEP N",
            "MOV R20, 32@lo((k + .L_x_3@srel))",
            "MOV R21, 32@hi((k + .L_x_3@srel))",
            "RED.E.ADD.STRONG.GPU [R2], R",
            "STG.E.SYS [R2], R",
            "LDG.E.SYS R, [R2]",
        };
        lines code = exec_prologue();
        unsigned count = 10 + pick() % 40;
        for (unsigned i = 0; i < 8; i++) {
            labels_.push_back(pick() % count);
        }
        for (unsigned i = 0; i < count; i++) {
            for (unsigned l = 0; l < 8; l++) {
                if (labels_[l] == i) {
                    code.push_back(".L_x_" + std::to_string(l) + ":");
                }
            }
            code.push_back(fill(forms[pick() % std::size(forms)]));
        }
        code.push_back("EXIT");
        return code;
    }

  private:
    std::string fill(const std::string &form)
    {
        std::string out;
        for (size_t i = 0; i < form.size(); i++) {
            char before = i == 0 ? ' ' : form[i - 1], c = form[i];
            char after = i + 1 < form.size() ? form[i + 1] : ' ';
            bool alone = std::strchr(" ,[]+-.@", before) && std::strchr(" ,[]+-.", after);
            if (!alone || (c == 'R' && before == '.')) {
                out += c;
            } else if (c == 'R') {
                out += pick() % 8 == 0 ? "RZ" : "R" + std::to_string(pick() % 26);
            } else if (c == 'P') {
                out += "P" + std::to_string(pick() % 4);
            } else if (c == 'B') {
                out += "B" + std::to_string(pick() % 4);
            } else if (c == 'L') {
                out += "`(.L_x_" + std::to_string(pick() % 8) + ")";
            } else if (c == 'N') {
                out += number();
            } else {
                out += c;
            }
        }
        return out;
    }
    std::string number()
    {
        static const char *const values[] = {"0x0",        "0x1",   "0x4",   "0x10",
                                             "0x20",       "0x3f",  "0x160", "0xffff",
                                             "0x7fffffff", "-0x10", "0x8"};
        return values[pick() % std::size(values)];
    }
    unsigned pick()
    {
        return static_cast<unsigned>(random_());
    }
    std::mt19937 random_;
    std::vector<unsigned> labels_;
};

class AnyText : public testing::TestWithParam<uint32_t>
{
};

TEST_P(AnyText, RunsOrFailsWithAReason)
{
    unsigned ran = 0, failed = 0;
    for (uint32_t seed = GetParam() * 500; seed < (GetParam() + 1) * 500; seed++) {
        std::string text = sass_function("k", soup(seed).make());
        if (sass_module(text).code() != 0) { /* a jump to outside of the code */
            continue;
        }
        exec_program e(text);
        if (e.decoded != 0) {
            ASSERT_NE(e.error[0], '\0') << seed;
            continue;
        }
        ran++;
        (void)e.buffer(std::vector<uint32_t>(256));
        e.launch.max_insts_per_warp = 3000;
        e.launch.dynamic_shared = 512;
        if (e.run(70, 2) < 0) {
            failed++;
            ASSERT_NE(std::string(e.error).find("kernel k"), std::string::npos) << seed;
        }
    }
    EXPECT_GT(ran, 100u);
    EXPECT_GT(failed, 50u);
    EXPECT_LT(failed, ran);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyText, testing::Range(0u, 4u));

} // namespace
} // namespace smrf_test
