// SPDX-License-Identifier: Apache-2.0
// Programs for the analysis: sidecar text made up of lines in which @n stands for the PC of the
// n-th instruction, and what the analysis makes of them.
#ifndef SMRF_TEST_FLOW_TEXT_H
#define SMRF_TEST_FLOW_TEXT_H

#include "firmware/flow/flow.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace smrf_test
{

struct flow_function {
    const char *name;
    std::vector<std::string> lines; // "IADD3 =R4 A:R5", "!P0 BRA A:@3"
};

inline std::string flow_pc(size_t index)
{
    char text[24];
    std::snprintf(text, sizeof text, "%04zx", 16 * index);
    return text;
}

inline std::string flow_line(size_t index, const std::string &line)
{
    const size_t word = line.find(' ');
    const bool guarded = (line[0] == 'P' && word == 2) || line[0] == '!';
    std::string text = flow_pc(index) + ' ';
    text += guarded ? line.substr(0, line.find(' ')) + " -" + line.substr(line.find(' '))
                    : "PT - " + line;
    for (size_t at; (at = text.find('@')) != std::string::npos;) {
        size_t digits = 0;
        const unsigned long to = std::stoul(text.substr(at + 1), &digits);
        text.replace(at, digits + 1, "0x" + flow_pc(to));
    }
    return text + '\n';
}

// The first is the kernel. extra: further statements, with @ for PCs without 0x.
inline std::string flow_text(const std::vector<flow_function> &functions,
                             const std::string &extra = "")
{
    std::string text = "#smrf operands 2\n" + extra;
    size_t index = 0;
    for (size_t f = 0; f < functions.size(); f++) {
        text += ".function " + flow_pc(index) + ' ' + flow_pc(functions[f].lines.size()) + " 32 " +
                (f == 0 ? "kernel " : "device ") + functions[f].name + '\n';
        for (const std::string &line : functions[f].lines) {
            text += flow_line(index++, line);
        }
    }
    return text;
}

class flow_analysis
{
  public:
    explicit flow_analysis(const std::string &text, const smrf_flow_options *options = nullptr)
    {
        smrf_operand_table table{};
        smrf_trace_error_text error{};
        const char *why = "";
        rc = smrf_operand_table_read(&table, "k.operands", text.data(), text.size(), &error);
        EXPECT_EQ(rc, 0) << error.text << '\n' << text;
        if (rc == 0) {
            rc = smrf_flow_build(&program_, &table, options, &why);
            reason = why;
            smrf_operand_table_close(&table);
        }
    }
    ~flow_analysis()
    {
        smrf_flow_free(program_);
    }
    flow_analysis(const flow_analysis &) = delete;
    flow_analysis &operator=(const flow_analysis &) = delete;
    const smrf_flow_program *operator->() const
    {
        return program_;
    }
    const smrf_flow_program *get() const
    {
        return program_;
    }
    bool live(uint32_t inst, unsigned reg) const
    {
        return smrf_regset_has(&program_->inst[inst].live_out, reg);
    }
    bool warp_live(uint32_t inst, unsigned reg) const
    {
        const smrf_regset set = smrf_flow_warp_live(program_, inst);
        return smrf_regset_has(&set, reg);
    }
    bool others_need(uint32_t inst, unsigned i = 0) const
    {
        return smrf_flow_others_need(program_, inst, i);
    }
    int rc = 0;
    std::string reason;

  private:
    smrf_flow_program *program_ = nullptr;
};

} // namespace smrf_test

#endif
