// SPDX-License-Identifier: Apache-2.0
// Tests over all programs of a group of the kernel suite: what every program must hold, what it
// executes, and the same program with its machine code altered.
#ifndef SMRF_TEST_SUITE_GROUP_H
#define SMRF_TEST_SUITE_GROUP_H

#include "firmware/sass/sass.h"
#include "suite_text.h"
#include "tests/support/suite_program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace smrf_test
{

inline std::vector<const char *> programs_of(const char *group)
{
    std::vector<const char *> names;
    for (unsigned i = 0; smrf_suite_at(i) != nullptr; i++) {
        if (std::strcmp(smrf_suite_at(i)->group, group) == 0) {
            names.push_back(smrf_suite_at(i)->name);
        }
    }
    return names;
}

inline std::string program_name(const testing::TestParamInfo<const char *> &info)
{
    return info.param;
}

// Small traces stay below 40 000 warp instructions or fewer, medium ones have 0.1 to 2 million, or
// fewer where the program is a single block by its nature.
inline void agrees_with_reference(const char *name, uint64_t small_limit = 40000,
                                  uint64_t medium_limit = 2000000, uint64_t medium_least = 100000)
{
    const suite_outcome small = run_suite_program(name, SMRF_SMALL);
    ASSERT_EQ(small.rc, 0) << small.error;
    EXPECT_GT(small.compared, 0u);
    EXPECT_LE(small.totals.warp_insts, small_limit);
    const suite_outcome medium = run_suite_program(name, SMRF_MEDIUM);
    ASSERT_EQ(medium.rc, 0) << medium.error;
    EXPECT_GT(medium.compared, small.compared);
    EXPECT_GT(medium.totals.warp_insts, small.totals.warp_insts);
    EXPECT_GE(medium.totals.warp_insts, medium_least);
    EXPECT_LE(medium.totals.warp_insts, medium_limit);
    EXPECT_EQ(medium.totals.forced_syncs, 0u);
}

struct suite_mix {
    uint64_t all, named; // warp instructions, those whose opcode is the one asked for
    uint64_t launches;
};

inline suite_mix count_mix(const char *name, enum smrf_size size, const char *opcode)
{
    struct counter {
        suite_mix mix;
        const char *opcode;
    } counter{{}, opcode};
    smrf_device_listener listener{};
    listener.ctx = &counter;
    listener.launch_begin = [](void *ctx, const smrf_exec_launch *) {
        static_cast<struct counter *>(ctx)->mix.launches++;
        return 0;
    };
    listener.exec.ctx = &counter;
    listener.exec.before = [](void *ctx, const smrf_exec_warp *, const smrf_exec_op *op, uint32_t,
                              uint32_t) {
        auto *c = static_cast<struct counter *>(ctx);
        c->mix.all++;
        c->mix.named += std::strcmp(op->inst->opcode, c->opcode) == 0;
        return 0;
    };
    const suite_outcome outcome = run_suite_program(name, size, nullptr, &listener);
    EXPECT_EQ(outcome.rc, 0) << outcome.error;
    return counter.mix;
}

// The program at its small size; in every line of its SASS text that has `opcode`, the first `from`
// is replaced by `to`.
inline suite_outcome run_altered(const char *name, const char *opcode, const std::string &from,
                                 const std::string &to)
{
    suite_outcome outcome{SMRF_ERR_UNKNOWN, "no such program, or nothing to replace", 0, {}};
    const smrf_suite_program *program = smrf_suite_find(name);
    if (program == nullptr) {
        return outcome;
    }
    std::string text = suite_text(program);
    bool altered = false;
    for (size_t at = text.find(opcode); at != std::string::npos; at = text.find(opcode, at)) {
        const size_t end = text.find('\n', at), found = text.find(from, at);
        if (found < end) {
            text.replace(found, from.size(), to);
            altered = true;
        }
        at = text.find('\n', at);
    }
    if (!altered) {
        return outcome;
    }
    smrf_suite_run run{};
    run.size = SMRF_SMALL;
    if ((outcome.rc = smrf_device_create(&run.device)) < 0) {
        return outcome;
    }
    outcome.rc =
        smrf_device_load_text(run.device, &run.module, program->sass, text.data(), text.size());
    if (outcome.rc >= 0) {
        outcome.rc = program->run(&run);
    }
    outcome.error = run.error[0] != '\0' ? run.error : smrf_device_error(run.device);
    smrf_device_destroy(run.device);
    return outcome;
}

} // namespace smrf_test

#endif
