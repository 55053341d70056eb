// SPDX-License-Identifier: Apache-2.0
// The sidecar of a captured trace: what it tells, and what is wrong with one that does not fit.
#include "tests/support/captured_kernel.h"

using namespace smrf_test;

namespace
{

void replace(const std::string &path, const std::string &from, const std::string &to)
{
    std::string text = file_text(path);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(path, std::ios::binary) << text.replace(at, from.size(), to);
}

class sidecar : public capture
{
  protected:
    void SetUp() override
    {
        run_options o;
        o.launches = 1;
        ASSERT_EQ(run(folder / "t", o).rc, 0);
    }
    // The line changed, what does the reader say? Both files have to be named.
    std::string complaint(const std::string &from, const std::string &to)
    {
        replace(path, from, to);
        read_trace t = read_back(folder / "t");
        EXPECT_EQ(t.rc, SMRF_ERR_FORMAT) << t.error;
        return t.error;
    }
    const smrf_static_inst &op(const char *opcode)
    {
        trace = read_back(folder / "t");
        EXPECT_EQ(trace.rc, 0) << trace.error;
        for (const auto &o : trace.op) {
            if (std::string(o.second.text) == opcode) {
                return o.second;
            }
        }
        ADD_FAILURE() << opcode;
        return trace.op.begin()->second;
    }
    const std::string path = folder / "t/kernel-1.operands";
    read_trace trace;
};

TEST_F(sidecar, TellsPositionsReuseAndPredicates)
{
    trace = read_back(folder / "t");
    ASSERT_EQ(trace.rc, 0) << trace.error;
    // R11 = R9 x c[..] + R10.reuse
    const smrf_static_inst &imad = trace.op[{1, 0x150}];
    ASSERT_STREQ(imad.text, "IMAD");
    EXPECT_EQ(imad.has_operands, 1);
    ASSERT_EQ(imad.num_src, 2);
    EXPECT_EQ(imad.src[1], 10);
    EXPECT_EQ(imad.src_slot[0], 0);
    EXPECT_EQ(imad.src_slot[1], 2);
    EXPECT_EQ(imad.src_reuse, 2u);
    EXPECT_EQ(imad.const_slots, 2u);
    EXPECT_EQ(imad.guard, 7);
    // @P1 BRA and ISETP P1
    const smrf_static_inst &bra = trace.op[{1, 0x140}], &isetp = trace.op[{1, 0x130}];
    EXPECT_EQ(bra.guard, 1);
    EXPECT_EQ(bra.guard_inverted, 0);
    EXPECT_EQ(isetp.pred_dst, 2);
    EXPECT_EQ(isetp.pred_src, 0);
    const smrf_static_inst &stg = trace.op[{1, 0x1a0}];
    ASSERT_STREQ(stg.text, "STG.E.SYS");
    EXPECT_EQ(stg.guard, 0);
    EXPECT_EQ(stg.guard_inverted, 1);
    // IMAD.WIDE R4, R0, R12, c[..]: A and B are single registers
    EXPECT_EQ(trace.op[(std::pair<unsigned, uint32_t>{1, 0x60})].num_src, 2);
}

TEST_F(sidecar, IsNotNeeded)
{
    seen_trace with = read_back(folder / "t").seen;
    std::filesystem::remove(path);
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ(trace.seen, with);
    const smrf_static_inst &imad = trace.op[{1, 0x150}];
    EXPECT_EQ(imad.has_operands, 0);
    EXPECT_EQ(imad.guard, 7);
    EXPECT_EQ(imad.src_reuse, 0u);
    EXPECT_EQ(imad.src_slot[1], 1) << "a guess without it";
}

// The same file as it was before version 2: no control bits, functions as remarks.
TEST_F(sidecar, Version1StillReads)
{
    seen_trace now = read_back(folder / "t").seen;
    std::string text = file_text(path), old;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        size_t control = line.find(" - ");
        if (line[0] == '.') {
            continue;
        }
        old += line == "#smrf operands 3"     ? "#smrf operands 1\n#function 0000 k"
               : control != std::string::npos ? line.erase(control, 2)
                                              : line;
        old += '\n';
    }
    std::ofstream(path, std::ios::binary) << old;
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ(trace.seen, now);
    EXPECT_EQ((trace.op[{1, 0x150}].has_operands), 1);
    EXPECT_EQ((trace.op[{1, 0x150}].has_control), 0);
}

TEST_F(sidecar, ControlBitsReachTheInstruction)
{
    replace(path, "0150 PT - IMAD", "0150 PT 0407e3 IMAD");
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ((trace.op[{1, 0x150}].has_control), 1);
    EXPECT_EQ((trace.op[{1, 0x150}].control), 0x407e3u);
    EXPECT_EQ((trace.op[{1, 0x140}].has_control), 0);
}

TEST_F(sidecar, AMismatchNamesBothFiles)
{
    std::string error = complaint("IMAD =R11 A:R9", "IMAD =R11 A:R19");
    EXPECT_NE(error.find("kernel-1.traceg:"), std::string::npos) << error;
    EXPECT_NE(error.find("kernel-1.operands:24"), std::string::npos) << error;
    EXPECT_NE(error.find("R19"), std::string::npos) << error;
    EXPECT_NE(complaint("A:R19", "A:R9 D:R3").find("does not fit"), std::string::npos);
    EXPECT_NE(complaint("IMAD =R11 A:R9 D:R3", "IMAD.HI =R11 A:R9").find("IMAD.HI"),
              std::string::npos);
}

// It says how long it is: half of one would change results without a word.
TEST_F(sidecar, EveryCutIsAnError)
{
    const std::string whole = file_text(path);
    const size_t end = whole.rfind("#end ");
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(std::stol(whole.substr(end + 5)), std::count(whole.begin(), whole.end(), '\n') - 1);
    // Version 2 has no last line, but says how long its functions are.
    std::string old = whole.substr(0, end);
    old.replace(old.find("operands 3"), 10, "operands 2");
    for (const std::string &text : {whole, old}) {
        std::ofstream(path, std::ios::binary) << text;
        trace = read_back(folder / "t");
        EXPECT_EQ(trace.rc, 0) << trace.error;
        for (size_t cut = 0; cut + 1 < text.size(); cut += 1 + cut % 5) {
            std::ofstream(path, std::ios::binary) << text.substr(0, cut);
            trace = read_back(folder / "t");
            EXPECT_LT(trace.rc, 0) << cut << " of " << text.size();
            EXPECT_NE(trace.error.find("kernel-1.operands"), std::string::npos) << trace.error;
        }
    }
    std::ofstream(path, std::ios::binary) << whole << "0ff0 PT - NOP\n";
    EXPECT_NE(read_back(folder / "t").error.find("nothing may follow"), std::string::npos);
    std::string shorter = whole;
    shorter.erase(shorter.find("0150 PT"), shorter.find("0160 PT") - shorter.find("0150 PT"));
    std::ofstream(path, std::ios::binary) << shorter;
    EXPECT_NE(read_back(folder / "t").error.find("is not whole"), std::string::npos);
}

TEST_F(sidecar, AnInstructionThatIsNotInItIsAnError)
{
    std::string error = complaint("0150 PT", "0158 PT");
    EXPECT_NE(error.find("kernel-1.operands"), std::string::npos) << error;
    EXPECT_NE(error.find("PC 0150"), std::string::npos) << error;
}

TEST_F(sidecar, BadTextIsAnErrorWithFileAndLine)
{
    const char *const changes[][3] = {
        {"#smrf operands 3", "#operands", "the first line must read"},
        {"0150 PT", "0140 PT", "PCs must ascend"},
        {"0150 PT", "x150 PT", "a hexadecimal PC"},
        {"0150 PT", "0150 Q1", "a guard"},
        {"0150 PT - IMAD", "0150 PT IMAD", "the control bits"},
        {"0150 PT - IMAD", "0150 PT 200000 IMAD", "the control bits"},
        {"0150 PT - IMAD", "0150 PT - imad", "an opcode"},
        {".function 0000", ".function", "'.function PC bytes registers"},
        {".function", ".call 0000 xyz\n.function", "PCs must follow"},
        {".function", ".function 0000 10 3 device f\n.function", "functions must ascend"},
        {".function", ".functions", "unknown statement"},
        {"0150 PT - IMAD =R11", "0150 PT - IMAD R11", "an operand must begin"},
        {"0150 PT - IMAD =R11", "0150 PT - IMAD =R256", "is no register"},
        {"B:c[0x0][0x168] C:R10", "B:c[0x0][0x168 C:R10", "is no register"},
        {"A:R9 B:c[0x0][0x168]", "A:R9 A: B:c[0x0][0x168]", "is no register"},
        {"IMAD =R11 A:R9", "IMAD =R11 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 A:R9", "12 operands"},
    };
    const std::string good = file_text(path);
    for (const auto &c : changes) {
        std::ofstream(path, std::ios::binary) << good;
        std::string error = complaint(c[0], c[1]);
        EXPECT_NE(error.find("kernel-1.operands:"), std::string::npos) << error;
        EXPECT_NE(error.find(c[2]), std::string::npos) << error;
    }
    std::ofstream(path, std::ios::binary) << "";
    EXPECT_NE(read_back(folder / "t").error.find("is empty"), std::string::npos);
}

TEST_F(sidecar, BelongsToTheTracesDigest)
{
    auto digest = [&] {
        smrf_trace *t = nullptr;
        smrf_kernel_info info;
        EXPECT_EQ(smrf_trace_open(&t, (folder / "t").c_str(), nullptr), 0);
        while (smrf_trace_next_kernel(t, &info) == 1) {
        }
        uint64_t d = smrf_trace_totals_get(t)->digest;
        smrf_trace_close(t);
        return d;
    };
    uint64_t before = digest();
    replace(path, ".reuse", "");
    EXPECT_NE(digest(), before);
}

} // namespace
