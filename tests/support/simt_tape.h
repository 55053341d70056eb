// SPDX-License-Identifier: Apache-2.0
// A SIMT stack and the trace that a test writes for it, line by line.
#ifndef SMRF_TESTS_SIMT_TAPE_H
#define SMRF_TESTS_SIMT_TAPE_H

#include "models/simt_stack/simt_stack.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace simt_test
{

constexpr uint32_t all = UINT32_MAX;

/* A warp and its trace so far. */
struct tape {
    explicit tape(uint32_t version = 70, bool targets = true, uint32_t lanes = all)
        : cfg{version, targets}, s(std::make_unique<smrf_simt>()),
          splits(std::make_unique<smrf_simt_split[]>(SMRF_LANES)),
          store(std::make_unique<smrf_simt_store>())
    {
        EXPECT_EQ(smrf_simt_init(s.get(), splits.get(), store.get(), &cfg, 3, &log), 0);
        smrf_simt_reset(s.get(), lanes);
    }

    smrf_simt_out line(uint64_t pc, uint32_t mask, smrf_flow flow = SMRF_FLOW_NONE,
                       uint64_t imm = 0, const char *text = "")
    {
        return ahead_of(0, 0, pc, mask, flow, imm, text);
    }
    // The same with the warp's next line known.
    smrf_simt_out ahead_of(uint32_t next_pc, uint32_t next_mask, uint64_t pc, uint32_t mask,
                           smrf_flow flow, uint64_t imm = 0, const char *text = "",
                           bool by_register = false)
    {
        smrf_static_inst op{};
        op.num_src_base = by_register;
        op.pred_src = condition;
        op.pc = static_cast<uint32_t>(pc);
        op.flow = static_cast<uint8_t>(flow);
        op.text = text;
        smrf_simt_out out;
        std::memset(&out, 0xee, sizeof out);
        smrf_inst inst{};
        inst.op = &op;
        inst.mask = mask;
        inst.imm = imm;
        inst.next_pc = next_pc;
        inst.next_mask = next_mask;
        smrf_simt_line told = smrf_simt_line_of(&inst);
        EXPECT_EQ(smrf_simt_step(s.get(), &told, &out), out.mismatch);
        return out;
    }

    uint64_t mismatches() const
    {
        return log.stats.mismatch_pc + log.stats.mismatch_converge + log.stats.mismatch_barrier +
               log.stats.mismatch_dead;
    }

    uint8_t condition = 0; // predicates that the lines' instructions read beside the guard
    smrf_simt_config cfg;
    smrf_simt_log log{};
    std::unique_ptr<smrf_simt> s;
    std::unique_ptr<smrf_simt_split[]> splits;
    std::unique_ptr<smrf_simt_store> store;
};

} // namespace simt_test

#endif
