// SPDX-License-Identifier: Apache-2.0
// The sidecar's statements: functions, calls, targets; what each wrong one is told.
#include "traces/operands.h"

#include "trace_files.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace trace_files;

namespace
{

struct table {
    explicit table(const std::string &text)
    {
        code = smrf_operand_table_read(&t, "k.operands", text.data(), text.size(), &error);
    }
    ~table()
    {
        smrf_operand_table_close(&t);
    }
    table(const table &) = delete;
    table &operator=(const table &) = delete;
    smrf_operand_table t{};
    smrf_trace_error_text error{};
    int code;
};

const char *const program = "#smrf operands 2\n"
                            ".function 0000 0030 40 kernel _Z1kPf\n"
                            ".call 0000 0030\n"
                            ".indirect 0000 0030 0050\n"
                            ".branch 0010 0000 0020\n"
                            "0000 PT 0007f5 CALL.REL.NOINC A:0x30\n"
                            "0010 !P0 - BRX A:R6 B:-0x10\n"
                            "0020 PT 1fffff EXIT\n"
                            "# a remark\n"
                            ".function 0030 0020 8 device _Z1fv\n"
                            "0030 UP2 - S2R =R0 A:SR_CTAID.X\n"
                            "0040 PT - S2R =R0 A:SR_TID.X\n"
                            ".function 0050 0000 0 external malloc";

TEST(Operands, Version2TellsFunctionsCallsAndTargets)
{
    table t(program);
    ASSERT_EQ(t.code, 0) << t.error.text;
    EXPECT_EQ(t.t.version, 2u);
    ASSERT_EQ(t.t.num_functions, 3u);
    const smrf_operand_function *f = t.t.function;
    EXPECT_STREQ(f[0].name, "_Z1kPf");
    EXPECT_EQ(f[0].kind, SMRF_CODE_KERNEL);
    EXPECT_EQ(f[0].bytes, 0x30u);
    EXPECT_EQ(f[0].registers, 40u);
    EXPECT_EQ(f[1].kind, SMRF_CODE_DEVICE);
    EXPECT_EQ(f[1].pc, 0x30u);
    EXPECT_STREQ(f[2].name, "malloc");
    EXPECT_EQ(f[2].kind, SMRF_CODE_EXTERNAL);
    ASSERT_EQ(t.t.num_edges, 5u);
    const smrf_operand_edge want[] = {{SMRF_EDGE_CALL, 0, 0x30},
                                      {SMRF_EDGE_INDIRECT, 0, 0x30},
                                      {SMRF_EDGE_INDIRECT, 0, 0x50},
                                      {SMRF_EDGE_BRANCH, 0x10, 0},
                                      {SMRF_EDGE_BRANCH, 0x10, 0x20}};
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQ(t.t.edge[i].kind, want[i].kind) << i;
        EXPECT_EQ(t.t.edge[i].from, want[i].from) << i;
        EXPECT_EQ(t.t.edge[i].to, want[i].to) << i;
    }
}

TEST(Operands, Version2TellsControlBits)
{
    table t(program);
    ASSERT_EQ(t.code, 0) << t.error.text;
    ASSERT_EQ(t.t.num, 5u);
    EXPECT_EQ(t.t.row[0].control, 0x7f5u);
    EXPECT_EQ(t.t.row[1].control, SMRF_NO_CONTROL);
    EXPECT_EQ(t.t.row[2].control, 0x1fffffu);
    EXPECT_STREQ(t.t.row[4].opcode, "S2R");
    EXPECT_TRUE(t.t.row[3].operand[1].uniform) << "every lane is in the same block";
    EXPECT_FALSE(t.t.row[4].operand[1].uniform);
}

TEST(Operands, Version1HasNeither)
{
    table t("#smrf operands 1\n#function 0000 k\n0000 PT EXIT\n");
    ASSERT_EQ(t.code, 0) << t.error.text;
    EXPECT_EQ(t.t.version, 1u);
    EXPECT_EQ(t.t.num, 1u);
    EXPECT_EQ(t.t.num_functions, 0u);
    table control("#smrf operands 1\n0000 PT - EXIT\n");
    EXPECT_EQ(control.code, SMRF_ERR_FORMAT);
    table statement("#smrf operands 1\n.function 0000 10 3 kernel k\n");
    EXPECT_EQ(statement.code, SMRF_ERR_FORMAT);
}

TEST(Operands, LinesOfTheSourceHoldUntilTheNext)
{
    for (const char *version : {"2", "1"}) {
        const std::string control = *version == '2' ? "- " : "";
        table t("#smrf operands " + std::string(version) + "\n0000 PT " + control +
                "NOP\n#line 6 \"a \"b\".cu\"\n0010 PT " + control + "NOP\n# a remark\n0020 PT " +
                control + "NOP\n#line 3 \"c.h\"\n#lines\n#line 4 \"c.h\"\n0030 PT " + control +
                "NOP\n#line 0\n0040 PT " + control + "EXIT\n");
        ASSERT_EQ(t.code, 0) << t.error.text;
        ASSERT_EQ(t.t.num, 5u);
        EXPECT_EQ(t.t.row[0].source, nullptr);
        EXPECT_STREQ(t.t.row[1].source, "a \"b\".cu");
        EXPECT_EQ(t.t.row[1].source_line, 6u);
        EXPECT_EQ(t.t.row[2].source, t.t.row[1].source);
        EXPECT_EQ(t.t.row[2].source_line, 6u);
        EXPECT_STREQ(t.t.row[3].source, "c.h");
        EXPECT_EQ(t.t.row[3].source_line, 4u);
        EXPECT_EQ(t.t.row[4].source, nullptr);
        EXPECT_EQ(t.t.row[4].source_line, 0u);
        EXPECT_EQ(t.t.num_sources, 2u);
    }
    std::string many = "#smrf operands 2\n";
    for (int i = 0; i < 4096; i++) {
        many += "#line 1 \"" + std::to_string(i) + ".h\"\n";
    }
    table fits(many + "#line 2 \"7.h\"\n");
    EXPECT_EQ(fits.code, 0) << fits.error.text;
    table full(many + "#line 2 \"one.h\"\n");
    EXPECT_EQ(full.code, SMRF_ERR_LIMIT);
    EXPECT_NE(std::string(full.error.text).find("k.operands:4098: more than 4096"),
              std::string::npos)
        << full.error.text;
}

TEST(Operands, WrongStatementsNameTheirLine)
{
    const char *const wrong[][2] = {{".function 0000 10 3 kernel", "is expected"},
                                    {".function 0000 10 3 kernel ", "is expected"},
                                    {".function 0000 10 3 entry k", "is expected"},
                                    {".function 0000 10 x kernel k", "is expected"},
                                    {".function 100000000 10 3 kernel k", "is expected"},
                                    {".call", "PCs must follow"},
                                    {".call 0000 10 zz", "PCs must follow"},
                                    {".call 0000 10,20", "PCs must follow"},
                                    {".calls 0000 10", "unknown statement"},
                                    {".", "unknown statement"},
                                    {"#line x \"a\"", "is expected"},
                                    {"#line 3", "is expected"},
                                    {"#line 3 a.cu", "is expected"},
                                    {"#line 3 \"", "is expected"},
                                    {"#line 3 \"\"", "is expected"},
                                    {"#line 0 \"a\"", "is expected"},
                                    {"#line 4294967296 \"a\"", "is expected"},
                                    {"0000 PT EXIT", "the control bits"},
                                    {"0000 PT 200000 EXIT", "the control bits"},
                                    {"0000 PT 7F5 EXIT", "the control bits"}};
    for (const auto &w : wrong) {
        table t("#smrf operands 2\n\n" + std::string(w[0]) + "\n");
        EXPECT_EQ(t.code, SMRF_ERR_FORMAT) << w[0];
        EXPECT_NE(std::string(t.error.text).find("k.operands:3: "), std::string::npos)
            << t.error.text;
        EXPECT_NE(std::string(t.error.text).find(w[1]), std::string::npos) << t.error.text;
    }
    table long_line("#smrf operands 2\n.function 0000 10 3 kernel " + std::string(20000, 'k'));
    EXPECT_EQ(long_line.code, SMRF_ERR_FORMAT);
    table long_name("#smrf operands 2\n.function 0000 10 3 kernel " + std::string(9000, 'k'));
    EXPECT_EQ(long_name.code, 0) << long_name.error.text;
}

// A texture's vectors: how many registers each has, dimensions, mask and opcode tell. Version 5 has
// one destination a line.
TEST(Operands, TexturesListEveryRegister)
{
    using list = std::vector<uint16_t>;
    const struct {
        const char *text;
        list dst, src, uniform;
    } cases[] = {
        {"TEX.SCR.LL =R6 =R4 A:R4 B:R8 C:0x0 D:0x5c E:2D", {4, 5, 6, 7}, {4, 5, 8}, {}},
        {"TEX.SCR.LL =RZ =R4 A:R4 B:R8 C:0x0 D:0x5c E:3D F:0x4", {4}, {4, 5, 8, 9}, {}},
        {"TEX.LL =R9 =R4 A:R4 B:R8 C:UR4 D:0x0 E:ARRAY_2D F:0xb", {4, 5, 9}, {4, 5, 6, 8}, {4}},
        {"TEX.SCR.B.LL =RZ =R4 A:R14 B:R8 C:2D D:0x3", {4, 5}, {14, 15, 8, 9}, {}},
        {"TLD.SCR.LZ =RZ =R4 A:R2 C:0x0 D:0x5c E:1D F:0x1", {4}, {2}, {}},
        {"TLD4.SCR.B.B =R10 =R8 A:R4 B:R2 C:2D", {8, 9, 10, 11}, {4, 5, 2}, {}},
        {"TXD =RZ =R0 A:R2 B:R4 C:0x0 D:0x60 E:2D F:0x1", {0}, {2, 3, 4, 5, 6, 7}, {}},
        {"TXQ =RZ =R0 A:R3 B:TEX_HEADER_DIMENSION C:0x0 D:0x5a E:0x2", {0}, {3}, {}},
    };
    for (const auto &c : cases) {
        char name[64];
        const char *reason = "";
        smrf_operands o;
        const std::string text = std::string("0040 PT 0007f5 ") + c.text;
        ASSERT_EQ(smrf_operands_parse(text.c_str(), 3, &o, name, sizeof name, &reason), 0)
            << c.text << ": " << reason;
        smrf_listed_inst in{};
        smrf_operands_list(&o, 6, &in, nullptr);
        list src = c.src;
        for (uint16_t u : c.uniform) {
            src.push_back(static_cast<uint16_t>(u + SMRF_LISTED_UREG));
        }
        EXPECT_EQ(list(in.dst, in.dst + in.num_dst), c.dst) << c.text;
        EXPECT_EQ(list(in.src, in.src + in.num_src), src) << c.text;
        smrf_operands_list(&o, 5, &in, nullptr);
        EXPECT_LE(in.num_dst, 1u) << c.text;
        EXPECT_LE(in.num_src, 4u) << c.text;
    }
}

// {2,1} of a listing is 0x6 in a traced program.
TEST(Operands, DepbarWaitsForASetOfCountersToo)
{
    const struct {
        const char *text;
        unsigned counter, most, set;
    } cases[] = {
        {"DEPBAR.LE A:SB0 B:0x0", 1, 0, 0},
        {"DEPBAR.LE A:SB3 B:0x2", 4, 2, 0},
        {"DEPBAR.LE A:SB0 B:0x0 C:0x6", 1, 0, 0x6},
        {"DEPBAR.LE A:SB5 B:0x1 C:{2,1}", 6, 1, 0x6},
        {"DEPBAR A:{5,4}", 0, 0, 0x30},
        {"DEPBAR A:0x30", 0, 0, 0x30},
    };
    for (const auto &c : cases) {
        char name[64];
        const char *reason = "";
        smrf_operands o;
        smrf_operand_map map{};
        smrf_static_inst inst{};
        const std::string text = std::string("0040 PT 0007e7 ") + c.text;
        ASSERT_EQ(smrf_operands_parse(text.c_str(), 3, &o, name, sizeof name, &reason), 0)
            << c.text << ": " << reason;
        inst.flags = SMRF_INST_COPIES_WAIT;
        smrf_operands_apply(&o, &map, &inst);
        EXPECT_EQ(c.counter, inst.depbar & 7u) << c.text;
        EXPECT_EQ(c.most, inst.depbar >> 3) << c.text;
        EXPECT_EQ(c.set, inst.depbar_list) << c.text;
    }
}

std::string text_of(unsigned kernel)
{
    return "#smrf operands 1\n0000 P" + std::to_string(kernel) + " EXIT\n";
}

TEST(Operands, LaunchesOfOneProgramShareATable)
{
    const temp_dir dir;
    auto before = std::make_unique<smrf_operand_tables>();
    smrf_digest with, without;
    smrf_digest_init(&with);
    smrf_digest_init(&without);
    const smrf_operands *row[2] = {};
    for (unsigned launch = 0; launch < 3 * SMRF_OPERAND_TABLES; launch++) {
        const unsigned kernel = launch < SMRF_OPERAND_TABLES ? launch % 2 : launch % 5;
        const std::string stem = dir / "k" + std::to_string(launch);
        write_file(stem + ".operands", text_of(kernel));
        auto nothing = std::make_unique<smrf_operand_tables>();
        smrf_operand_table t, alone;
        smrf_trace_error_text error{};
        ASSERT_EQ(
            smrf_operand_table_open(&t, (stem + ".traceg").c_str(), before.get(), &with, &error),
            1);
        ASSERT_EQ(smrf_operand_table_open(&alone, (stem + ".traceg").c_str(), nothing.get(),
                                          &without, &error),
                  1);
        EXPECT_EQ(t.path, stem + ".operands");
        ASSERT_EQ(t.num, 1u);
        EXPECT_EQ(t.row[0].guard, kernel);
        EXPECT_EQ(smrf_digest_value(&t.content), smrf_digest_value(&alone.content));
        EXPECT_EQ(smrf_digest_value(&with), smrf_digest_value(&without));
        if (launch < SMRF_OPERAND_TABLES) {
            row[kernel] = row[kernel] == nullptr ? t.row : row[kernel];
            EXPECT_EQ(t.row, row[kernel]) << "it was read again";
        }
        smrf_operand_table_keep(&t, before.get());
        smrf_operand_table_close(&alone);
    }
    smrf_operand_tables_close(before.get());
}

} // namespace
