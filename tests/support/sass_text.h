// SPDX-License-Identifier: Apache-2.0
// Texts as nvdisasm prints them, made up of lines, and what the parser makes of them.
#ifndef SMRF_TEST_SASS_TEXT_H
#define SMRF_TEST_SASS_TEXT_H

#include "firmware/sass/sass.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace smrf_test
{

// Owns a module, or the reason why there is none.
class sass_module
{
  public:
    explicit sass_module(const std::string &text, const char *file = "k.sass")
    {
        code_ = smrf_sass_parse(&module_, file, text.data(), text.size(), error_);
    }
    ~sass_module()
    {
        smrf_sass_free(module_);
    }
    sass_module(const sass_module &) = delete;
    sass_module &operator=(const sass_module &) = delete;
    int code() const
    {
        return code_;
    }
    std::string error() const
    {
        return error_;
    }
    const smrf_sass_module *get() const
    {
        return module_;
    }
    const smrf_sass_module *operator->() const
    {
        return module_;
    }
    const smrf_sass_function &function(const char *name) const
    {
        static const smrf_sass_function none{};
        const smrf_sass_function *f = module_ ? smrf_sass_find(module_, name) : nullptr;
        EXPECT_NE(f, nullptr) << name << ": " << error_;
        return f ? *f : none;
    }
    const smrf_sass_symbol &symbol(const char *name) const
    {
        static const smrf_sass_symbol none{};
        const smrf_sass_symbol *s = module_ ? smrf_sass_find_symbol(module_, name) : nullptr;
        EXPECT_NE(s, nullptr) << name << ": " << error_;
        return s ? *s : none;
    }

  private:
    smrf_sass_module *module_ = nullptr;
    char error_[SMRF_SASS_ERROR_BYTES] = {};
    int code_;
};

// A .text section with these lines: labels end in ':', everything else is an instruction.
inline std::string sass_function(const std::string &name, const std::vector<std::string> &lines,
                                 bool entry = true)
{
    std::string text = "\t.section\t.text." + name + ",\"ax\",@progbits\n" +
                       "\t.sectioninfo\t@\"SHI_REGISTERS=24\"\n\t.align\t128\n" +
                       "        .global         " + name + "\n        .type           " + name +
                       ",@function\n";
    if (entry) {
        text += "        .other          " + name + ",@\"STO_CUDA_ENTRY STV_DEFAULT\"\n";
    }
    text += name + ":\n.text." + name + ":\n";
    unsigned offset = 0;
    for (const std::string &line : lines) {
        char address[32];
        if (!line.empty() && (line.back() == ':' || line[0] == '\t')) {
            text += line + "\n";
            continue;
        }
        std::snprintf(address, sizeof address, "        /*%04x*/ ", offset);
        text += address + std::string("                  ") + line + " ;\n";
        offset += 16;
    }
    return text + "\n\n";
}

// What a module of one instruction says about it.
class sass_instruction
{
  public:
    explicit sass_instruction(const std::string &line) : module_(sass_function("k", {line})) {}
    const smrf_sass_inst &operator*() const
    {
        static const smrf_sass_inst none{};
        EXPECT_EQ(module_.code(), 0) << module_.error();
        return module_.get() ? module_->inst[0] : none;
    }
    const smrf_sass_inst *operator->() const
    {
        return &**this;
    }
    const smrf_sass_operand &operand(unsigned i) const
    {
        EXPECT_LT(i, (**this).num_operands);
        return (**this).operand[i];
    }

  private:
    sass_module module_;
};

} // namespace smrf_test

#endif
