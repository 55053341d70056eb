// SPDX-License-Identifier: Apache-2.0
// Seeded damage to valid texts: whatever stands there, the parser answers with a module whose parts
// fit together or with an error that names the file; and its time grows with the text, not faster.
#include "tests/support/sass_text.h"

#include <chrono>
#include <cstdint>
#include <memory>

using smrf_test::sass_function;
using smrf_test::sass_module;

namespace
{

class generator
{
  public:
    explicit generator(uint64_t seed) : state_(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) {}
    uint32_t below(size_t bound)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<uint32_t>((state_ >> 16) % bound);
    }

  private:
    uint64_t state_;
};

// All that the parser knows, in one text.
std::string full_text()
{
    return "\t.headerflags\t@\"EF_CUDA_SM75\"\n\t.elftype\t@\"ET_EXEC\"\n"
           "//--------------------- .nv.info --------------------------\n"
           "\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n\t.align\t4\n"
           "        /*0000*/ \t.byte\t0x04, 0x2f\n        /*0002*/ \t.short\t(.L_9 - .L_8)\n.L_8:\n"
           "        /*0004*/ \t.word\tindex@(k)\n        /*0008*/ \t.word\t0x00000018\n.L_9:\n"
           "\t.section\t.nv.info.k,\"\",@\"SHT_CUDA_INFO\"\n"
           "        /*0000*/ \t.byte\t0x03, 0x19\n        /*0002*/ \t.short\t0x0008\n"
           "        /*0004*/ \t.byte\t0x04, 0x17\n        /*0006*/ \t.short\t0x000c\n"
           "        /*0008*/ \t.word\t0x0\n        /*000c*/ \t.short\t0x0000, 0x0000\n"
           "        /*0010*/ \t.byte\t0x00, 0xf0, 0x21, 0x00\n"
           "\t.section\t.nv.callgraph,\"\",@\"SHT_CUDA_CALLGRAPH\"\n"
           "        /*0000*/ \t.word\t0x0, 0xffffffff, index@(k), index@(f), 0x0, 0xfffffffe\n"
           "        /*0018*/ \t.word\tindex@(f), str_index@(\"#ii\"), 0x0, 0xfffffffd\n"
           "        /*0028*/ \t.word\tindex@(k), str_index@(\"#ii\")\n" +
           sass_function(
               "k", {"MOV R1, c[0x0][0x28]", "@!P0 BRA `(.L_x_1)", "BSSY B0, `(.L_x_1)",
                     "LDG.E.SYS R6, [R6.U32+UR4+-0x10]", "LDC R0, c[0x3][R8+`(cc)]",
                     "FSETP.GTU.FTZ.AND P0, PT, |R0|.reuse, +INF , PT",
                     "HFMA2 R1, R1.H0_H0, 1.5, -1.5, R1.H1_H1",
                     ".L_x_1:", "MOV R20, 32@lo((k + .L_x_1@srel))", "CALL.ABS.NOINC `(malloc)",
                     "BRX R6 -0x80 (*\"BRANCH_TARGETS .L_x_1\"*)", "EXIT",
                     "\t.type           $k$g,@function", "$k$g:", "RET.REL.NODEC R20 `(k)"}) +
           sass_function("f", {"DEPBAR {5,4}", "RET.ABS.NODEC R20 0x0"}, false) +
           "\t.section\t.nv.constant3,\"a\",@progbits\n\t.size\t\tcc,(.L_4 - cc)\ncc:\n"
           "\t.zero\t\t64\n.L_4:\n\t.section\t.nv.constant2.k,\"a\",@progbits\n"
           "        /*0000*/ \t.word\t(.L_x_1 - .text.k)\n"
           "\t.section\t.nv.global.init,\"aw\",@progbits\n\t.type\t\tt,@object\n"
           "\t.size\t\tt,(.L_5 - t)\nt:\n        /*0000*/ \t.dword\tfun@R_CUDA_G64((z + 0x14))\n"
           "        /*0008*/ \t.byte\t0xff00@field(z), 8@hi(z), 0x12\n.L_5:\n"
           "\t.section\t.nv.global,\"aw\",@nobits\nz:\n\t.zero\t\t64\n"
           "\t.section\t.nv.shared.k,\"aw\",@nobits\n\t.align\t16\n\t.zero\t\t784\n"
           "//--------------------- SYMBOLS "
           "--------------------------\n\n\t.type\tmalloc,@function\n";
}

std::string listing_text()
{
    return "\tcode for sm_75\n\t\tFunction : _Z1kPfS_iN2ns1SEPFivE\n"
           "        /*0000*/  IMAD R4, R5, c[0x0][0x160], R2 ;  /* 0x00000a00ff017624 */\n"
           "                                                    /* 0x000fc400078e00ff */\n"
           "        /*0010*/ @!P0 BRA 0x20 ;\n        /*0020*/ BRX R6 -0x30 ;\n"
           "        /*0030*/ CALL.REL.NOINC R2 0x0 ;\n\t\t..........\n";
}

std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        size_t stop = text.find('\n', at);
        stop = stop == std::string::npos ? text.size() : stop + 1;
        lines.push_back(text.substr(at, stop - at));
        at = stop;
    }
    return lines;
}

const char *const pieces[] = {"`",
                              "(",
                              ")",
                              "[",
                              "]",
                              "|",
                              "-",
                              "@",
                              ".",
                              "/*",
                              "*/",
                              "0x",
                              "c[",
                              ",",
                              ";",
                              ":",
                              "{",
                              "\"",
                              "+",
                              "RZ",
                              "R255",
                              "UR63",
                              "0xffffffffffffffff",
                              "-0x8000000000000000",
                              "1e999",
                              "+INF",
                              ".zero 4096",
                              ".section",
                              ".L_x_1",
                              "\n",
                              "32@lo(",
                              "index@(",
                              "fun@",
                              "@srel",
                              "%s%n",
                              "//"};

std::string damage(std::string text, generator &g)
{
    for (unsigned n = 1 + g.below(4); n > 0 && !text.empty(); n--) {
        size_t at = g.below(text.size());
        switch (g.below(7)) {
        case 0:
            text[at] = static_cast<char>(g.below(256));
            break;
        case 1:
            text.erase(at, 1 + g.below(6));
            break;
        case 2:
            text.insert(at, pieces[g.below(sizeof pieces / sizeof *pieces)]);
            break;
        case 3:
            text.resize(at);
            break;
        case 4:
            text[at] = "0123456789abcdefxRUPB"[g.below(21)];
            break;
        default: {
            std::vector<std::string> lines = lines_of(text);
            size_t a = g.below(lines.size()), b = g.below(lines.size());
            if (g.below(2)) {
                lines.erase(lines.begin() + static_cast<long>(a));
            } else {
                lines.insert(lines.begin() + static_cast<long>(a), lines[b]);
            }
            text.clear();
            for (const std::string &line : lines) {
                text += line;
            }
        }
        }
    }
    return text;
}

// Whatever a module says must be within what it has.
void check(const smrf_sass_module *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->num_insts; i++) {
        const smrf_sass_inst &inst = m->inst[i];
        ASSERT_LT(inst.function, m->num_functions);
        ASSERT_EQ(smrf_sass_at(m, inst.address), &inst);
        ASSERT_TRUE(i == 0 || inst.address > m->inst[i - 1].address);
        ASSERT_LE(inst.num_operands, SMRF_SASS_MAX_OPERANDS);
        sum += std::string(inst.text).size() + std::string(inst.opcode).size();
        for (unsigned k = 0; k < inst.num_operands; k++) {
            const smrf_sass_operand &o = inst.operand[k];
            ASSERT_TRUE(o.kind != SMRF_SASS_NONE);
            ASSERT_TRUE(o.kind != SMRF_SASS_SPECIAL || o.name != nullptr);
            ASSERT_TRUE(o.kind != SMRF_SASS_UREG || o.reg <= 63);
        }
    }
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const smrf_sass_function &f = m->function[i];
        ASSERT_LE(uint64_t{f.first} + f.count, m->num_insts);
        for (unsigned bank = 1; bank < SMRF_SASS_CONST_BANKS; bank++) {
            for (uint32_t k = 0; k < f.const_bytes[bank]; k++) {
                sum += f.const_data[bank][k];
            }
        }
        for (uint32_t k = 0; k < f.num_params; k++) {
            ASSERT_LE(uint32_t{f.param[k].offset} + f.param[k].bytes, f.param_bytes);
        }
    }
    for (uint32_t i = 0; i < m->num_data; i++) {
        if (m->data[i].bytes) {
            sum += m->data[i].bytes[m->data[i].size - 1];
        }
    }
    for (uint32_t i = 0; i < m->num_calls; i++) {
        ASSERT_TRUE(m->call[i].caller < m->num_functions && m->call[i].callee < m->num_functions);
    }
    for (uint32_t i = 0; i < m->num_symbols; i++) {
        ASSERT_EQ(smrf_sass_find_symbol(m, m->symbol[i].name), &m->symbol[i]);
    }
    volatile uint64_t seen = sum; // everything has been read
    (void)seen;
}

class SassFuzz : public testing::TestWithParam<unsigned>
{
};

TEST_P(SassFuzz, DamagedTextIsAModuleOrAnErrorThatNamesTheFile)
{
    constexpr unsigned cases = 2000;
    const std::string texts[] = {full_text(), listing_text()};
    unsigned refused = 0;
    for (unsigned n = 0; n < cases; n++) {
        generator g(uint64_t{GetParam()} * cases + n);
        std::string text = damage(texts[n % 4 == 3], g);
        /* exactly as long as it is, so that a read beyond its end is seen */
        std::unique_ptr<char[]> exact(new char[text.size()]);
        std::copy(text.begin(), text.end(), exact.get());
        smrf_sass_module *module = nullptr;
        char error[SMRF_SASS_ERROR_BYTES];
        int rc = smrf_sass_parse(&module, "fuzz.sass", exact.get(), text.size(), error);
        SCOPED_TRACE("seed " + std::to_string(GetParam()) + " case " + std::to_string(n));
        if (rc < 0) {
            ASSERT_EQ(module, nullptr);
            ASSERT_EQ(std::string(error).rfind("fuzz.sass:", 0), 0u) << error;
            refused++;
        } else {
            ASSERT_NE(module, nullptr);
            ASSERT_STREQ(error, "");
            check(module);
            smrf_sass_free(module);
        }
        if (HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(refused, cases / 10);
    EXPECT_LT(refused, cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SassFuzz, testing::Range(0u, 8u));

TEST(SassFuzz, TheUndamagedTextsAreValid)
{
    for (const std::string &text : {full_text(), listing_text()}) {
        sass_module m(text);
        EXPECT_EQ(m.code(), 0) << m.error();
    }
}

TEST(SassFuzz, EveryPrefixIsHandled)
{
    const std::string text = full_text();
    for (size_t n = 0; n < text.size(); n++) {
        std::unique_ptr<char[]> exact(new char[n + 1]);
        std::copy(text.begin(), text.begin() + static_cast<long>(n), exact.get());
        smrf_sass_module *module = nullptr;
        char error[SMRF_SASS_ERROR_BYTES];
        int rc = smrf_sass_parse(&module, "fuzz.sass", exact.get(), n, error);
        ASSERT_EQ(rc < 0, module == nullptr) << n;
        smrf_sass_free(module);
    }
}

double seconds(const std::string &text)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        auto start = std::chrono::steady_clock::now();
        sass_module m(text);
        EXPECT_EQ(m.code(), 0) << m.error();
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

// Many functions that call each other, labels, data with relocations.
std::string large(unsigned functions)
{
    std::string text;
    for (unsigned i = 0; i < functions; i++) {
        std::string n = std::to_string(i), next = std::to_string((i + 1) % functions);
        text += sass_function("f" + n, {"IADD3 R1, R1, -0x10, RZ", "@P0 BRA `(.L_x_" + n + ")",
                                        "CALL.ABS.NOINC `(f" + next + ")", ".L_x_" + n + ":",
                                        "MOV R20, 32@lo((f" + n + " + .L_x_" + n + "@srel))",
                                        "LDG.E.64.SYS R4, [R2.64+UR4+0x10]", "EXIT"});
        text += "\t.section\t.nv.constant2.f" + n +
                ",\"a\",@progbits\n        /*0000*/ .word (.L_x_" + n + " - .text.f" + n + ")\n";
    }
    return text;
}

TEST(SassTime, GrowsWithTheTextAndNotFaster)
{
    const std::string small = large(1000), big = large(16000);
    double ratio = seconds(big) / seconds(small);
    /* 16 times the text; quadratic parts would take 256 times as long */
    EXPECT_LT(ratio, 80.0);
}

} // namespace
