// SPDX-License-Identifier: Apache-2.0
// Sections, symbols, data, attributes and calls of whole texts.
#include "firmware/kernels/texts.h"
#include "tests/support/sass_text.h"
#include "tests/support/suite_text.h"
#include "tests/support/temporary_folder.h"

#include <cstring>
#include <fstream>
#include <map>

using smrf_test::sass_function;
using smrf_test::sass_module;

namespace
{

constexpr uint64_t code = SMRF_SASS_CODE_BASE;
constexpr uint64_t data_base = SMRF_SASS_DATA_BASE;

std::string section(const std::string &name, const std::string &kind, const std::string &lines)
{
    return "//--------------------- " + name + " --------------------------\n\t.section\t" + name +
           "," + kind + "\n" + lines + "\n\n";
}

template <class T> T value_at(const uint8_t *bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::string fault(const std::string &text, int code_expected)
{
    sass_module m(text);
    EXPECT_EQ(m.get(), nullptr);
    EXPECT_EQ(m.code(), code_expected) << m.error();
    return m.error();
}

TEST(SassModule, FunctionsLieInTheOrderOfTheTextAt128Bytes)
{
    sass_module m(sass_function("first", {"NOP", "EXIT"}) + sass_function("second", {"EXIT"}) +
                  sass_function("callee", {"NOP"}, false));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->num_functions, 3u);
    EXPECT_EQ(m.function("first").address, code);
    EXPECT_EQ(m.function("second").address, code + 128);
    EXPECT_EQ(m.function("callee").address, code + 256);
    EXPECT_EQ(m->code_bytes, 384u);
    EXPECT_TRUE(m.function("first").entry);
    EXPECT_FALSE(m.function("callee").entry);
    EXPECT_EQ(m.function("first").count, 2u);
    EXPECT_EQ(m.function("first").size, 32u);
    EXPECT_EQ(m.function("second").first, 2u);
    EXPECT_EQ(m.function("second").registers, 24u);
    EXPECT_STREQ(m->file, "k.sass");
}

// Of nvdisasm -g and -gi; the latter says of inlined code first where it stands, then who calls it.
TEST(SassModule, KnowsTheLinesOfTheSourceThatTheTextTells)
{
    const std::string text = sass_function(
        "a", {"NOP", "\t//## File \"k.cu\", line 6", "NOP", ".L_x_0:", "NOP",
              "\t//## File \"k.h\", line 3 inlined at \"k.cu\", line 6",
              "\t//## File \"k.cu\", line 6", "NOP", "\t//## File \"k.cu\", line 0", "NOP",
              "\t//## File \"an \"odd\", name\", line 4294967295", "\t// a remark", "NOP",
              "\t//## File \"k.cu\", line 4294967296", "\t//## File \"k.cu\"", "\t//## File",
              "\t//## File \"\", line 7", "\t//## File \"k.cu\", line x", "EXIT"});
    sass_module m(text + sass_function("b", {"EXIT"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    const std::pair<const char *, uint32_t> want[] = {
        {nullptr, 0}, {"k.cu", 6}, {"k.cu", 6}, {"k.h", 3}, {nullptr, 0}};
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT_STREQ(m->inst[i].source, want[i].first) << i;
        EXPECT_EQ(m->inst[i].source_line, want[i].second) << i;
    }
    for (uint32_t i = 5; i < 7; i++) { // what is no such mark changes nothing
        EXPECT_STREQ(m->inst[i].source, "an \"odd\", name") << i;
        EXPECT_EQ(m->inst[i].source_line, UINT32_MAX) << i;
    }
    EXPECT_EQ(m.function("b").count, 1u);
    EXPECT_EQ(m->inst[m.function("b").first].source, nullptr) << "another function's";
}

// The suite's texts name lines that are there, by the repository's names.
TEST(SassModule, LinesOfTheSuiteAreThoseOfItsSources)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    std::map<std::string, uint32_t> lines; // of each file
    size_t told = 0, all = 0;
    for (const smrf_sass_text *text = smrf_sass_texts; text->stem; text++) {
        sass_module m(smrf_test::embedded_text(*text), text->stem);
        ASSERT_EQ(m.code(), 0) << m.error();
        for (uint32_t i = 0; i < m->num_insts; i++) {
            const smrf_sass_inst &inst = m->inst[i];
            const std::string file = inst.source ? inst.source : "";
            all++;
            told += inst.source != nullptr;
            if (file.rfind("firmware/kernels/", 0) != 0) {
                EXPECT_TRUE(file.empty() || file.rfind("cuda/include/", 0) == 0) << file;
                continue;
            }
            if (lines.find(file) == lines.end()) {
                std::ifstream in(std::string(root ? root : ".") + "/" + file);
                lines[file] = 0;
                for (std::string line; std::getline(in, line);) {
                    lines[file]++;
                }
            }
            ASSERT_LE(inst.source_line, lines[file]) << text->stem << ": " << file;
        }
    }
    EXPECT_GT(lines.size(), 30u);
    EXPECT_GT(told, all / 2);
}

TEST(SassModule, FindsInstructionsByAddressAndNothingBetweenThem)
{
    sass_module m(sass_function("a", {"NOP", "EXIT"}) +
                  sass_function("b", {"RET.ABS.NODEC R20 0x0"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    for (uint32_t i = 0; i < m->num_insts; i++) {
        EXPECT_EQ(smrf_sass_at(m.get(), m->inst[i].address), &m->inst[i]);
    }
    EXPECT_EQ(smrf_sass_at(m.get(), code + 8), nullptr);
    EXPECT_EQ(smrf_sass_at(m.get(), code + 32), nullptr);
    EXPECT_EQ(smrf_sass_at(m.get(), code - 16), nullptr);
    EXPECT_EQ(smrf_sass_at(m.get(), code + (UINT64_C(1) << 40)), nullptr);
}

TEST(SassModule, FunctionsWithinAKernelsSectionHaveTheirOwnRange)
{
    sass_module m(sass_function("k", {"NOP", "EXIT", "\t.type           $k$f,@function",
                                      "$k$f:", "NOP", "RET.REL.NODEC R20 `(k)"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m.function("k").count, 2u);
    EXPECT_EQ(m.function("$k$f").address, code + 32);
    EXPECT_EQ(m.function("$k$f").first, 2u);
    EXPECT_EQ(m.function("$k$f").count, 2u);
    EXPECT_FALSE(m.function("$k$f").entry);
    EXPECT_EQ(m->inst[1].function, 0u);
    EXPECT_EQ(m->inst[3].function, 1u);
}

TEST(SassModule, FunctionsOutsideAreExternalBehindTheImage)
{
    sass_module m(sass_function("k", {"CALL.ABS.NOINC `(malloc)", "CALL.ABS.NOINC `(free)"}) +
                  "//--------------------- SYMBOLS --------------------------\n\n"
                  "\t.type\t\tmalloc,@function\n\t.type\t\tfree,@function\n");
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_TRUE(m.function("malloc").external);
    EXPECT_EQ(m.function("malloc").count, 0u);
    EXPECT_EQ(m.function("malloc").address, code + 128);
    EXPECT_EQ(m.function("free").address, code + 144);
    EXPECT_EQ(m->inst[0].operand[0].kind, SMRF_SASS_CODE);
    EXPECT_EQ(m->inst[0].operand[0].imm, static_cast<int64_t>(code + 128));
    EXPECT_EQ(smrf_sass_at(m.get(), code + 128), nullptr);
    ASSERT_EQ(m->num_calls, 2u);
    EXPECT_STREQ(m->function[m->call[0].callee].name, "malloc");
}

TEST(SassModule, GlobalDataIsPlacedAndRelocated)
{
    sass_module m(
        sass_function(
            "k", {"UMOV UR4, 32@lo(table)", "UMOV UR5, 32@hi(table)", "MOV R2, 32@lo(zeros)"}) +
        section(".nv.global.init", "\"aw\",@progbits",
                "\t.align\t8\n\t.type\t\tvt,@object\n\t.size\t\tvt,(table - vt)\nvt:\n"
                ".nv.global.init:\n\t.zero\t\t16\n\t.align\t\t8\n"
                "        /*0010*/ \t.dword\tk\n"
                "        /*0018*/ \t.dword\tfun@R_CUDA_G64((zeros + 0x14))\n"
                "\t.global\t\ttable\n\t.type\t\ttable,@object\n\t.size\t\ttable,(.L_5 - table)\n"
                "table:\n        /*0020*/ \t.byte\t0x01, 0xff\n        /*0022*/ \t.short\t0x1234\n"
                "        /*0024*/ \t.word\t(.L_5 - vt)\n.L_5:\n") +
        section(".nv.global", "\"aw\",@nobits",
                "\t.align\t4\n\t.type\t\tzeros,@object\n\t.size\t\tzeros,(.L_1 - zeros)\nzeros:\n"
                ".nv.global:\n\t.zero\t\t24\n.L_1:\n"));
    ASSERT_EQ(m.code(), 0) << m.error();
    ASSERT_EQ(m->num_data, 2u);
    EXPECT_EQ(m->data[0].address, data_base);
    EXPECT_EQ(m->data[0].size, 0x28u);
    EXPECT_EQ(m->data[1].bytes, nullptr);
    EXPECT_EQ(m->data[1].size, 24u);
    EXPECT_EQ(m->data[1].address, m.symbol("zeros").address);
    const uint8_t *bytes = m->data[0].bytes;
    EXPECT_EQ(value_at<uint64_t>(bytes + 8), 0u);
    EXPECT_EQ(value_at<uint64_t>(bytes + 16), code);
    EXPECT_EQ(value_at<uint64_t>(bytes + 24), m.symbol("zeros").address + 0x14);
    EXPECT_EQ(value_at<uint16_t>(bytes + 32), 0xff01);
    EXPECT_EQ(value_at<uint16_t>(bytes + 34), 0x1234);
    EXPECT_EQ(value_at<uint32_t>(bytes + 36), 0x28u);
    EXPECT_EQ(m.symbol("vt").size, 32u);
    EXPECT_EQ(m.symbol("table").size, 8u);
    EXPECT_EQ(m.symbol("table").address, data_base + 0x20);
    EXPECT_EQ(m.symbol("table").space, 'g');
    EXPECT_EQ(smrf_sass_find_symbol(m.get(), ".L_5"), nullptr);
    EXPECT_EQ(smrf_sass_find_symbol(m.get(), "nothing"), nullptr);
    EXPECT_EQ(m->inst[0].operand[1].imm, static_cast<int64_t>((data_base + 0x20) & 0xffffffff));
    EXPECT_EQ(m->inst[1].operand[1].imm, static_cast<int64_t>(data_base >> 32));
}

TEST(SassModule, UnalignedAddressesAreAssembledFromTheirBytes)
{
    sass_module m(
        sass_function("k", {"EXIT"}) +
        section(".nv.global.init", "\"aw\",@progbits",
                "q:\n        /*0000*/ \t.byte\t0x07\n        /*0001*/ \t.byte\t"
                "8@lo(fun@R_CUDA_G8_0(q)), 0xff00@field(fun@R_CUDA_G8_8(q))\n"
                "        /*0003*/ \t.byte\t0xff0000@field(q), 0xff000000@field(q), "
                "0xff00000000@field(q), 0xff0000000000@field(q), 0xff000000000000@field(q)\n"
                "        /*0008*/ \t.byte\t8@hi(fun@R_CUDA_G8_56(q))\n"
                "        /*0009*/ \t.dword\tfun@R_CUDA_UNUSED_CLEAR64(q)\n"));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->data[0].bytes[0], 7);
    EXPECT_EQ(value_at<uint64_t>(m->data[0].bytes + 1), data_base);
    EXPECT_EQ(value_at<uint64_t>(m->data[0].bytes + 9), 0u);
}

TEST(SassModule, ConstantBanksBelongToTheModuleOrToAFunction)
{
    sass_module m(
        section(".nv.constant3", "\"a\",@progbits",
                "\t.align\t4\n\t.type\t\tcc,@object\n\t.size\t\tcc,(.L_4 - cc)\ncc:\n"
                ".nv.constant3:\n\t.zero\t\t64\n.L_4:\nci:\n        /*0040*/ \t.word\t0x5\n") +
        section(".nv.constant2.k", "\"a\",@progbits",
                "\t.align\t4\n.nv.constant2.k:\n        /*0000*/ \t.word\t(.L_x_1 - .text.k)\n"
                "        /*0004*/ \t.byte\t0x10, 0x00, 0x00, 0x00\n") +
        section(".nv.constant0.k", "\"a\",@progbits",
                "\t.align\t4\n.nv.constant0.k:\n\t.zero\t\t364\n") +
        sass_function("k", {"MOV R1, c[`(ci)]", "LDC R6, c[R8+`((cc + -0x7ff8))]", ".L_x_1:",
                            "EXIT", "\t.type           $k$f,@function", "$k$f:", "NOP"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->const_bytes[3], 68u);
    EXPECT_EQ(m->const_data[3][64], 5);
    EXPECT_EQ(m.symbol("ci").address, 64u);
    EXPECT_EQ(m.symbol("ci").space, 'c');
    EXPECT_EQ(m.symbol("ci").bank, 3);
    EXPECT_EQ(m.symbol("cc").size, 64u);
    EXPECT_EQ(m.function("k").const_bytes[2], 8u);
    EXPECT_EQ(value_at<uint32_t>(m.function("k").const_data[2]), 0x20u);
    EXPECT_EQ(m.function("$k$f").const_data[2], m.function("k").const_data[2]);
    EXPECT_EQ(m.function("k").const_bytes[0], 364u);
    EXPECT_EQ(m.function("k").const_data[0], nullptr);
    EXPECT_EQ(m.function("k").param_bytes, 12u);
    EXPECT_EQ(m->inst[0].operand[1].bank, 3);
    EXPECT_EQ(m->inst[0].operand[1].imm, 64);
    EXPECT_EQ(m->inst[1].operand[1].reg, 8);
    EXPECT_EQ(m->inst[1].operand[1].imm, -0x7ff8); /* the code adds 0x8000 to R8 itself */
}

TEST(SassModule, SharedMemoryOfAKernel)
{
    sass_module m(sass_function("k", {"EXIT"}) +
                  section(".nv.shared.k", "\"aw\",@nobits",
                          "\t.align\t16\n\t.zero\t\t3\n\t.align\t\t8\ns:\n\t.zero\t\t776\n"));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m.function("k").shared_bytes, 784u);
    EXPECT_EQ(m.symbol("s").space, 's');
    EXPECT_EQ(m.symbol("s").address, 8u);
}

// A linker leaves marks in it; a block finds nothing there.
TEST(SassModule, ReferencesInSharedMemoryAreNotLookedUp)
{
    sass_module m(sass_function("k", {"EXIT"}) +
                  section(".nv.shared.k", "\"aw\",@progbits",
                          "\t.align\t4\n\t.zero\t\t12\n\t.word\tdefined_nowhere\n"));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m.function("k").shared_bytes, 16u);
}

const char *const attributes =
    "\t.align\t4\n\t//----- nvinfo : EIATTR_FRAME_SIZE\n        /*0000*/ \t.byte\t0x04, 0x11\n"
    "        /*0002*/ \t.short\t(.L_7 - .L_6)\n\t.align\t\t4\n.L_6:\n"
    "        /*0004*/ \t.word\tindex@(k)\n        /*0008*/ \t.word\t0x00000010\n.L_7:\n"
    "        /*000c*/ \t.byte\t0x04, 0x2f\n        /*000e*/ \t.short\t0x8\n"
    "        /*0010*/ \t.word\tindex@(k)\n        /*0014*/ \t.word\t0x00000032\n"
    "        /*0018*/ \t.byte\t0x04, 0x12\n        /*001a*/ \t.short\t0x8\n"
    "        /*001c*/ \t.word\tindex@(k)\n        /*0020*/ \t.word\t0x00000018\n"
    "        /*0024*/ \t.byte\t0x04, 0x12\n        /*0026*/ \t.short\t0x8\n"
    "        /*0028*/ \t.word\tindex@(f)\n        /*002c*/ \t.word\t0xffffffff\n";

const char *const parameters =
    "        /*0000*/ \t.byte\t0x03, 0x1b\n        /*0002*/ \t.short\t0x00ff\n"
    "        /*0004*/ \t.byte\t0x01, 0x2b\n\t.zero\t\t2\n"
    "        /*0008*/ \t.byte\t0x04, 0x17\n        /*000a*/ \t.short\t0xc\n"
    "        /*000c*/ \t.word\t0x00000000\n        /*0010*/ \t.short\t0x0001, 0x0008\n"
    "        /*0014*/ \t.byte\t0x00, 0xf0, 0x11, 0x00\n"
    "        /*0018*/ \t.byte\t0x04, 0x17\n        /*001a*/ \t.short\t0xc\n"
    "        /*001c*/ \t.word\t0x00000000\n        /*0020*/ \t.short\t0x0000, 0x0000\n"
    "        /*0024*/ \t.byte\t0x00, 0xf0, 0x21, 0x00\n"
    "        /*0028*/ \t.byte\t0x03, 0x19\n        /*002a*/ \t.short\t0x000c\n"
    "        /*002c*/ \t.byte\t0x04, 0x0a\n        /*002e*/ \t.short\t0x8\n"
    "        /*0030*/ \t.word\tindex@(.nv.constant0.k)\n        /*0034*/ \t.short\t0x0160, "
    "0x000c\n";

TEST(SassModule, AttributesOfFunctionsAndParameters)
{
    sass_module m(section(".nv.info", "\"\",@\"SHT_CUDA_INFO\"", attributes) +
                  section(".nv.info.k", "\"\",@\"SHT_CUDA_INFO\"", parameters) +
                  sass_function("k", {"EXIT"}) + sass_function("f", {"NOP"}, false));
    ASSERT_EQ(m.code(), 0) << m.error();
    const smrf_sass_function &k = m.function("k");
    EXPECT_EQ(k.frame_bytes, 16u);
    EXPECT_EQ(k.registers, 50u);
    EXPECT_EQ(k.stack_bytes, 24);
    EXPECT_EQ(m.function("f").stack_bytes, -1);
    EXPECT_EQ(k.param_base, 0x160u);
    EXPECT_EQ(k.param_bytes, 12u);
    ASSERT_EQ(k.num_params, 2u);
    EXPECT_EQ(k.param[0].ordinal, 0);
    EXPECT_EQ(k.param[0].offset, 0);
    EXPECT_EQ(k.param[0].bytes, 8);
    EXPECT_EQ(k.param[1].ordinal, 1);
    EXPECT_EQ(k.param[1].offset, 8);
    EXPECT_EQ(k.param[1].bytes, 4);
}

TEST(SassModule, BarriersStandInSectionflagsOrSectioninfo)
{
    for (const char *line :
         {"\t.sectionflags\t@\"SHF_BARRIERS=3\"", "\t.sectioninfo\t@\"SHI_BARRIERS=3\""}) {
        sass_module m(sass_function("k", {line, "EXIT"}));
        ASSERT_EQ(m.code(), 0) << m.error();
        EXPECT_EQ(m.function("k").barriers, 3u);
    }
}

// Upper words of ptxas and what they order, decoded by hand: stall in bits 0 to 3.
TEST(SassModule, ControlBitsAreTheEncodingsBits105To125)
{
    const struct {
        const char *upper;
        uint32_t control;
    } words[] = {{"0x0000a800001ee900", 0x00054}, {"0x008fc600078e0206", 0x047e3},
                 {"0x024fc80000000009", 0x127e4}, {"0x040fe40007ffe0ff", 0x207f2},
                 {"0x000fea0003800000", 0x007f5}, {"0xffffffffffffffff", 0x1fffff}};
    std::string text =
        "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=24\"\n"
        "\t.global\tk\n\t.type\tk,@function\n"
        "\t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\nk:\n.text.k:\n";
    unsigned offset = 0;
    for (const auto &w : words) {
        char line[160];
        std::snprintf(line, sizeof line, "        /*%04x*/  NOP ;  /* 0x0000000000007918 */\n",
                      offset);
        text += line + std::string("             /* ") + w.upper + " */\n";
        offset += 16;
    }
    text += "        /*0060*/  EXIT ;\n";
    sass_module m(text);
    ASSERT_EQ(m.code(), 0) << m.error();
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQ(m->inst[i].control, words[i].control) << i;
    }
    EXPECT_EQ(m->inst[6].control, SMRF_SASS_NO_CONTROL);
}

TEST(SassModule, BranchTargetsOfAnIndexedBranchAreAddresses)
{
    sass_module m(sass_function("k", {"BRX R6 -0x10 (*\"BRANCH_TARGETS .L_x_1,.L_x_2,.L_x_1\"*)",
                                      ".L_x_1:", "NOP", ".L_x_2:", "EXIT",
                                      "BRX R6 -0x40 (*\"BRANCH_TARGETS .L_x_1,.L_x_9\"*)"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    ASSERT_EQ(m->num_jumps, 3u) << "those of a branch with an unknown target do not count";
    EXPECT_EQ(m->jump[0].target, code + 0x10);
    EXPECT_EQ(m->jump[1].target, code + 0x20);
    EXPECT_EQ(m->jump[2].target, code + 0x10);
    EXPECT_EQ(m->jump[0].inst, 0u);
}

std::vector<std::string> calls_of(const sass_module &m)
{
    std::vector<std::string> all;
    for (uint32_t i = 0; i < m->num_calls; i++) {
        all.push_back(std::string(m->function[m->call[i].caller].name) + ">" +
                      m->function[m->call[i].callee].name);
    }
    return all;
}

TEST(SassModule, CallGraphHasDirectAndPossibleIndirectCalls)
{
    sass_module m(
        section(
            ".nv.callgraph", "\"\",@\"SHT_CUDA_CALLGRAPH\"",
            "        /*0000*/ \t.word\t0x00000000\n        /*0004*/ \t.word\t0xffffffff\n"
            "        /*0008*/ \t.word\tindex@(k)\n        /*000c*/ \t.word\tindex@(f)\n"
            "        /*0010*/ \t.word\t0x00000000\n        /*0014*/ \t.word\t0xfffffffe\n"
            "        /*0018*/ \t.word\tindex@(f)\n        /*001c*/ \t.word\tstr_index@(\"#ii\")\n"
            "        /*0020*/ \t.word\tindex@(g)\n        /*0024*/ \t.word\tstr_index@(\"#iii\")\n"
            "        /*0028*/ \t.word\tindex@(h)\n        /*002c*/ \t.word\tstr_index@(\"#ii\")\n"
            "        /*0030*/ \t.word\t0x00000000\n        /*0034*/ \t.word\t0xfffffffd\n"
            "        /*0038*/ \t.word\tindex@(g)\n        /*003c*/ "
            "\t.word\tstr_index@(\"#ii\")\n") +
        sass_function("k", {"CALL.ABS.NOINC `(f)", "EXIT"}) + sass_function("f", {"NOP"}, false) +
        sass_function("g", {"CALL.ABS.NOINC R4"}, false) +
        sass_function("h", {"CALL.REL.NOINC `(h)", "BRA `(g)"}, false));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(calls_of(m), (std::vector<std::string>{"k>f", "g>f", "g>h", "h>h", "h>g"}));
    for (uint32_t i = 0; i < m->num_calls; i++) {
        EXPECT_EQ(m->call[i].indirect, i == 1 || i == 2) << i;
        EXPECT_EQ(m->call[i].direct, i != 1 && i != 2) << i;
    }
}

TEST(SassModule, CallsByOffsetReachTheFunctionsOfTheKernelsSection)
{
    sass_module m(
        sass_function("k", {"CALL.REL.NOINC R2 `(k)", "EXIT", "\t.type           $k$f,@function",
                            "$k$f:", "NOP", "\t.type           $k$g,@function", "$k$g:", "NOP"}) +
        sass_function("other", {"NOP"}));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(calls_of(m), (std::vector<std::string>{"k>$k$f", "k>$k$g"}));
}

TEST(SassModule, PlainNamesAreFoundWhereOnlyOneKernelBearsThem)
{
    sass_module m(
        sass_function("_Z5saxpyPfPKffi", {"EXIT"}) + sass_function("_ZN2ns5innerEPi", {"EXIT"}) +
        sass_function("_ZN2mm5innerEPi", {"EXIT"}) + sass_function("_Z4tmplILi3EEvPi", {"EXIT"}) +
        sass_function("plain", {"EXIT"}) + sass_function("_Z1fv", {"NOP"}, false));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_STREQ(m.function("saxpy").name, "_Z5saxpyPfPKffi");
    EXPECT_STREQ(m.function("_Z5saxpyPfPKffi").name, "_Z5saxpyPfPKffi");
    EXPECT_STREQ(m.function("ns::inner").name, "_ZN2ns5innerEPi");
    EXPECT_STREQ(m.function("tmpl").name, "_Z4tmplILi3EEvPi");
    EXPECT_STREQ(m.function("plain").name, "plain");
    EXPECT_EQ(smrf_sass_find(m.get(), "inner"), nullptr);
    EXPECT_EQ(smrf_sass_find(m.get(), "f"), nullptr);
    EXPECT_EQ(smrf_sass_find(m.get(), "saxp"), nullptr);
}

const char *const listing =
    "\nFatbin elf code:\n================\narch = sm_75\ncode version = [1,7]\n\n"
    "\tcode for sm_75\n\t\tFunction : _Z1kPfS_id7__half2\n"
    "\t.headerflags    @\"EF_CUDA_SM75 EF_CUDA_PTX_SM(EF_CUDA_SM75)\"\n"
    "        /*0000*/                   IMAD R4, R5, c[0x0][0x160], R2 ;   /* 0x00000a00ff017624 "
    "*/\n"
    "                                                                      /* 0x000fc400078e00ff "
    "*/\n"
    "        /*0010*/              @!P0 BRA 0x30 ;                         /* 0x0000000000000947 "
    "*/\n"
    "        /*0020*/                   CALL.REL.NOINC 0x40 ;              /* 0x0000000000007944 "
    "*/\n"
    "        /*0030*/                   BRX R6 -0x40 ;                     /* 0x0000000000007949 "
    "*/\n"
    "        /*0040*/                   RET.REL.NODEC R20 0x0 ;            /* 0x0000000000007950 "
    "*/\n"
    "\t\t..........\n\n\n\t\tFunction : second\n"
    "        /*0000*/                   MOV R9, c[0x0][0x16c] ;\n"
    "        /*0010*/                   BSSY B0, 0x10 ;\n\t\t..........\n"
    "\n\tcode for sm_80\n\t\tFunction : second\n        /*0000*/   LDGSTS [R2.64], {x} "
    ";\n\t\t.....\n";

TEST(SassListing, OfCuobjdumpHasTargetsWithinTheFunction)
{
    sass_module m(listing);
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->num_functions, 2u);
    EXPECT_EQ(m->num_insts, 7u);
    EXPECT_TRUE(m.function("k").entry);
    EXPECT_EQ(m->inst[1].operand[0].imm, static_cast<int64_t>(code + 0x30));
    EXPECT_EQ(m->inst[2].operand[0].imm, static_cast<int64_t>(code + 0x40));
    EXPECT_EQ(m->inst[3].operand[1].imm, static_cast<int64_t>(code));
    EXPECT_EQ(m->inst[4].operand[1].imm, static_cast<int64_t>(code));
    EXPECT_EQ(m.function("second").address, code + 128);
    EXPECT_EQ(m->inst[6].operand[1].imm, static_cast<int64_t>(code + 128 + 0x10));
}

TEST(SassListing, ParametersComeFromTheMangledName)
{
    sass_module m(listing);
    ASSERT_EQ(m.code(), 0) << m.error();
    const smrf_sass_function &k = m.function("k");
    const unsigned offsets[] = {0, 8, 16, 24, 32}, sizes[] = {8, 8, 4, 8, 4};
    ASSERT_EQ(k.num_params, 5u);
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQ(k.param[i].offset, offsets[i]);
        EXPECT_EQ(k.param[i].bytes, sizes[i]);
    }
    EXPECT_EQ(k.param_bytes, 36u);
    EXPECT_EQ(k.registers, 22u);
    EXPECT_EQ(m.function("second").num_params, 0u);
    EXPECT_EQ(m.function("second").param_bytes, 16u);
}

TEST(SassListing, OfAFatbinLeavesOutPtxAndOtherArchitectures)
{
    sass_module m(
        "Fatbin elf code:\n================\narch = sm_60\n\tcode for sm_60\n\t\tFunction : k\n"
        "        /*0008*/  { IADD R2.CC, R2, c[0x0][0x140] ;\n\t\t......\n\nFatbin elf code:\n"
        "================\narch = sm_75\n\tcode for sm_75\n\t\tFunction : k\n"
        "        /*0000*/   EXIT ;\n\t\t......\n\nFatbin ptx code:\n================\n"
        "arch = sm_80\n\n.version 7.8\n.target sm_80\n.visible .entry k()\n{\nret;\n}\n");
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->num_insts, 1u);
    EXPECT_STREQ(m->inst[0].opcode, "EXIT");
}

TEST(SassObject, NotLinkedGetsOneLayoutForAllFunctions)
{
    const std::string shared = "\"aw\",@\"SHT_CUDA_SHARED\"";
    sass_module m(
        "\t.elftype\t@\"ET_REL\"\n" +
        sass_function("k", {"MOV R3, `(s)", "MOV R4, `(d)", "LDS.U R1, [R5.X4+`((dyn + 0x4))]",
                            "MOV R6, c[`(second)]"}) +
        sass_function("f", {"MOV R6, c[`(first)]"}, false) +
        section(".nv.constant2.f", "\"a\",@\"SHT_CUDA_CONSTANT_B2\"",
                "first:\n        /*0000*/ .word 0x1\n") +
        section(".nv.constant2.k", "\"a\",@\"SHT_CUDA_CONSTANT_B2\"",
                "second:\n        /*0000*/ .word 0x2\n") +
        section(".nv.shared.f", shared, "\t.align\t4\nd:\n\t.zero\t\t8\n") +
        section(".nv.shared.k", shared, "\t.align\t4\ns:\n\t.zero\t\t20\n") +
        "//--------------------- SYMBOLS --------------------------\n"
        "\t.type\t\tdyn,@\"STT_CUDA_OBJECT\"\n\t.other\t\tdyn,@\"STO_CUDA_SHARED STV_DEFAULT\"\n");
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->inst[0].operand[1].imm, 0);
    EXPECT_EQ(m->inst[1].operand[1].imm, 32);
    EXPECT_EQ(m->inst[2].operand[1].imm, 52);
    EXPECT_EQ(m.function("k").shared_bytes, 48u);
    EXPECT_EQ(m.function("f").const_data[2], m.function("k").const_data[2]);
    EXPECT_EQ(m.function("k").const_data[2][m->inst[3].operand[1].imm], 2);
    EXPECT_EQ(m.function("k").const_data[2][m->inst[4].operand[1].imm], 1);
    EXPECT_EQ(m->inst[3].operand[1].bank, 2);
}

TEST(SassModule, SkipsWhatALoaderDoesNotRead)
{
    sass_module m("\t.headerflags\t@\"EF_CUDA_SM75\"\n" +
                  section(".debug_frame", "\"\",@progbits",
                          ".debug_frame:\n        /*0000*/ .byte zz\nnonsense\n") +
                  section(".nv_debug_line", "\"\"", "more nonsense\n") +
                  sass_function("k", {"EXIT"}) +
                  section(".debug_frame", "\"\",@progbits", "again\n"));
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m->num_insts, 1u);
}

TEST(SassModule, CarriageReturnsAreSpace)
{
    std::string text = sass_function("k", {"BRA `(.L_x_1)", ".L_x_1:", "EXIT"}), dos;
    for (char c : text) {
        dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    sass_module m(dos);
    EXPECT_EQ(m.code(), 0) << m.error();
}

TEST(SassModule, AWordThatNamesATextureIsItsOwnKernelsAlone)
{
    const std::string text = sass_function("plain", {"EXIT"}) +
                             sass_function("textured", {"EXIT"}) +
                             section(".nv.constant0.plain", "\"a\",@progbits", "\t.zero\t376") +
                             section(".nv.constant0.textured", "\"a\",@progbits",
                                     "\t.zero\t376\n\t.word\t[20@lo(0x0)=texRef2d]\n"
                                     "\t.word\t[20@lo(0x0)=fun@R_CUDA_SURF_HEADER_INDEX(surf)]");
    sass_module m(text);
    ASSERT_EQ(m.code(), 0) << m.error();
    EXPECT_EQ(m.function("plain").header, nullptr);
    const smrf_sass_header *h = m.function("textured").header;
    ASSERT_NE(h, nullptr);
    EXPECT_STREQ(h->name, "surf");
    EXPECT_EQ(h->offset, 380u);
    ASSERT_NE(h->next, nullptr);
    EXPECT_STREQ(h->next->name, "texRef2d");
    EXPECT_EQ(h->next->offset, 376u);
    EXPECT_EQ(h->next->next, nullptr);
    EXPECT_EQ(m.function("textured").const_bytes[0], 384u);
    EXPECT_NE(fault(sass_function("k", {"EXIT"}) +
                        section(".nv.constant0.k", "\"a\",@progbits", "\t.word\t[20@lo(0x0)]"),
                    SMRF_ERR_FORMAT)
                  .find("expected [number=texture]"),
              std::string::npos);
}

TEST(SassError, NamesTheArchitecturesOfAListingWithoutItsOwn)
{
    const std::string part = "\t\tFunction : k\n        /*0000*/ EXIT ;\n";
    EXPECT_EQ(fault("\tcode for sm_61\n" + part + "\tcode for sm_120\n" + part +
                        "\tcode for sm_61\n" + part,
                    SMRF_ERR_UNKNOWN),
              "k.sass: the code is for sm_61, sm_120, not for sm_70, 72, 75, 80, 86, 87, 89 or 90: "
              "compile "
              "with nvcc -arch=sm_75");
}

TEST(SassError, OfTheWholeText)
{
    EXPECT_NE(fault("", SMRF_ERR_CORRUPT).find("k.sass: no instruction"), std::string::npos);
    EXPECT_NE(fault("\t.headerflags\t@\"EF_CUDA_SM61\"\n", SMRF_ERR_UNKNOWN)
                  .find("k.sass:1: the code is for none of sm_70"),
              std::string::npos);
    EXPECT_NE(fault(std::string(300, '\0'), SMRF_ERR_CORRUPT), "");
    EXPECT_NE(fault("\177ELF\2\1", SMRF_ERR_FORMAT).find("k.sass: this is a cubin"),
              std::string::npos);
    EXPECT_NE(fault(sass_function("k", {"EXIT"}) + "rubbish here\n", SMRF_ERR_FORMAT)
                  .find("k.sass:12: 'rubbish here'"),
              std::string::npos);
}

TEST(SassError, OfSectionsAndLabels)
{
    const std::string k = sass_function("k", {"EXIT"});
    const std::pair<std::string, std::string> cases[] = {
        {k + sass_function("k", {"EXIT"}), "section '.text.k' stands twice: first in line 1"},
        {sass_function("k", {"NOP", "k:", "EXIT"}), "label 'k' stands twice: first in line 7"},
        {k + section(".nv.constant9", "\"a\"", ""), "constant bank 9"},
        {k + section("", "\"a\"", ""), "a section needs a name"},
        {k + section(".text.", "\"a\"", ""), "names no function"},
        {k + section(".nv.global", "\"a\"", "\t.align\t3\n"), "power of two"},
        {k + section(".nv.global", "\"a\"", "\t.strange\t3\n"), "unknown directive"},
        {k + "//---------- x\n\t.align\t8\n", "outside of any section"},
        {k + "//---------- x\nlost:\n", "outside of any section"},
        {k + "//---------- x\n        /*0000*/ .byte 0x1\n", "outside of any section"},
        {k + section(".nv.global", "\"a\"", "        /*00g0*/ .byte 0x1\n"), "expected an offset"},
        {k + section(".nv.global", "\"a\"", "x:\n\t.size\t\tx,(.L_9 - x)\n"),
         "'.L_9' is defined nowhere"},
        {k + section(".nv.global", "\"a\"", "x:\n\t.size\t\tx,64\n"), "beyond its section"},
        {k + section(".nv.global", "\"a\"", "x:\n\t.size\t\tx\n"), "a size expected"},
        {k + section(".nv.global", "\"a\"", "\t.type\t\t,@object\n"), "expected a symbol"},
        {section(".nv.global", "\"a\"", "k:\n") +
             section(".text.k", "\"ax\"", "        /*0000*/ NOP ;\n"),
         "is not in its section"},
    };
    for (const auto &[text, reason] : cases) {
        sass_module m(text);
        EXPECT_LT(m.code(), 0) << reason;
        EXPECT_NE(m.error().find(reason), std::string::npos) << m.error() << " / " << reason;
        EXPECT_EQ(m.error().rfind("k.sass:", 0), 0u);
    }
}

TEST(SassError, OfDataAndAddresses)
{
    const std::string k = sass_function("k", {"EXIT"});
    const std::pair<std::string, std::string> lines[] = {
        {"        /*0004*/ .byte 0x1\n", "the data's offset is 0x4, but 0x0 is next"},
        {"        /*0000*/ .byte 0x100\n", "does not fit 1 bytes"},
        {"        /*0000*/ .byte -0x81\n", "does not fit 1 bytes"},
        {"        /*0000*/ .short\n", "expected a symbol or a number"},
        {"        /*0000*/ .word 0x1 0x2\n", "',' expected"},
        {"        /*0000*/ .word k\n", "does not fit 32 bits"},
        {"        /*0000*/ .word str_index@(\"x)\n", "closing '\"'"},
        {"        /*0000*/ .zero x\n", "bad number of bytes"},
        {"        .zero 99999999999\n", "becomes larger than"},
        {"        /*0000*/ .quad 0x1\n", "does not belong"},
        {"        /*0000*/ .dword nobody\n", "'nobody' is defined nowhere"},
    };
    for (const auto &[line, reason] : lines) {
        sass_module m(k + section(".nv.global.init", "\"aw\",@progbits", line));
        EXPECT_LT(m.code(), 0) << reason;
        EXPECT_NE(m.error().find(reason), std::string::npos) << m.error() << " / " << reason;
        EXPECT_EQ(m.error().rfind("k.sass:14: ", 0), 0u) << m.error();
    }
    EXPECT_NE(fault(k + section(".nv.global", "\"aw\",@nobits", "        /*0000*/ .byte 0x1\n"),
                    SMRF_ERR_FORMAT)
                  .find("without bits"),
              std::string::npos);
    EXPECT_NE(fault(k + section(".nv.global", "\"aw\",@nobits", "        /*0000*/ .dword k\n"),
                    SMRF_ERR_FORMAT)
                  .find("without bits"),
              std::string::npos);
    EXPECT_NE(fault(k + section(".nv.constant3", "\"a\"", "\t.zero\t65537\n"), SMRF_ERR_LIMIT)
                  .find("larger than 65536"),
              std::string::npos);
    EXPECT_NE(
        fault(k + section(".text.f", "\"ax\"", "        /*0000*/ .byte 0x1\n"), SMRF_ERR_FORMAT)
            .find("does not belong"),
        std::string::npos);
    EXPECT_NE(fault(section(".text.f", "\"ax\"", "        /*0010*/ NOP ;\n"), SMRF_ERR_CORRUPT)
                  .find("instruction's address is 0x10, but 0x0 is next"),
              std::string::npos);
    EXPECT_NE(fault(section(".text.f", "\"ax\"", "        /*0000*/ NOP\n"), SMRF_ERR_FORMAT)
                  .find("does not end in ';'"),
              std::string::npos);
}

TEST(SassError, OfAttributes)
{
    const std::string k = sass_function("k", {"EXIT"});
    const std::pair<std::string, std::string> lines[] = {
        {"        /*0000*/ .byte 0x04, 0x17\n        /*0002*/ .short 0xc\n",
         "ends within an attribute"},
        {"        /*0000*/ .byte 0x04\n", "ends within an attribute"},
        {"        /*0000*/ .byte 0x07, 0x17, 0x0, 0x0\n", "unknown format 7 at offset 0x0"},
        {"        /*0000*/ .word 0x000c1704, 0x0, 0x1, 0x0\n", "parameter 0"},
        {"        /*0000*/ .word 0x000c1704, 0x0, 0x0, 0x00210000\n", "parameter 0"},
    };
    for (const auto &[line, reason] : lines) {
        sass_module m(k + section(".nv.info.k", "\"\"", line));
        EXPECT_EQ(m.code(), SMRF_ERR_CORRUPT) << reason;
        EXPECT_NE(m.error().find(reason), std::string::npos) << m.error() << " / " << reason;
    }
}

TEST(SassError, OfObjectsThatNeedALinker)
{
    const std::string object = "\t.elftype\t@\"ET_REL\"\n" + sass_function("k", {"EXIT"}) +
                               sass_function("f", {"NOP"}, false);
    EXPECT_NE(fault(object + section(".nv.shared.k", "\"aw\",@nobits", "\t.zero\t65536\n") +
                        section(".nv.shared.f", "\"aw\",@nobits", "\t.zero\t1\n"),
                    SMRF_ERR_LIMIT)
                  .find("nvcc -dlink"),
              std::string::npos);
    EXPECT_NE(fault(object + section(".nv.constant2.k", "\"a\"", "\t.zero\t65536\n") +
                        section(".nv.constant2.f", "\"a\"", "\t.zero\t1\n"),
                    SMRF_ERR_LIMIT)
                  .find("nvcc -dlink"),
              std::string::npos);
}

TEST(SassFile, IsReadOrNamedInTheError)
{
    smrf_test::temporary_folder folder;
    std::string path = folder / "a.sass";
    std::ofstream(path) << sass_function("k", {"EXIT"});
    smrf_sass_module *module = nullptr;
    char error[SMRF_SASS_ERROR_BYTES];
    ASSERT_EQ(smrf_sass_load(&module, path.c_str(), error), 0) << error;
    EXPECT_EQ(module->num_insts, 1u);
    EXPECT_EQ(path, module->file);
    smrf_sass_free(module);
    EXPECT_EQ(smrf_sass_load(&module, (folder / "none").c_str(), error), SMRF_ERR_IO);
    EXPECT_EQ(module, nullptr);
    EXPECT_NE(std::string(error).find("none"), std::string::npos);
    EXPECT_EQ(smrf_sass_load(&module, folder.path().c_str(), error), SMRF_ERR_IO);
    smrf_sass_free(nullptr);
}

} // namespace
