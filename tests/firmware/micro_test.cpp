// SPDX-License-Identifier: Apache-2.0
// The microbenchmarks: results are what plain C computes, and each does what its name says.
#include "tests/support/suite_group.h"
#include "tests/support/suite_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace
{

using smrf_test::run_suite_program;

void agrees_with_reference(const char *name)
{
    smrf_test::agrees_with_reference(name, 30000);
}

// A program's text, parsed; the FFMA of its loop are those that read three registers.
struct parsed {
    explicit parsed(const char *name)
    {
        const std::string text = smrf_test::suite_text(smrf_suite_find(name));
        smrf_sass_parse(&module, name, text.data(), text.size(), error);
    }
    ~parsed()
    {
        smrf_sass_free(module);
    }
    parsed(const parsed &) = delete;
    parsed &operator=(const parsed &) = delete;

    // [instruction] its three source registers
    std::vector<std::array<unsigned, 3>> chain() const
    {
        std::vector<std::array<unsigned, 3>> found;
        for (uint32_t i = 0; module && i < module->num_insts; i++) {
            const smrf_sass_inst &inst = module->inst[i];
            if (std::strcmp(inst.opcode, "FFMA") == 0) {
                found.push_back({inst.operand[1].reg, inst.operand[2].reg, inst.operand[3].reg});
            }
        }
        return found;
    }

    smrf_sass_module *module = nullptr;
    char error[SMRF_SASS_ERROR_BYTES];
};

// Most sources of an instruction that share a bank.
unsigned conflict(const std::array<unsigned, 3> &sources, unsigned banks)
{
    unsigned most = 0;
    for (unsigned a : sources) {
        most = std::max(most, static_cast<unsigned>(
                                  std::count_if(sources.begin(), sources.end(), [=](unsigned b) {
                                      return b % banks == a % banks;
                                  })));
    }
    return most;
}

TEST(Micro, FfmaChainsAgreeWithTheReference)
{
    for (const char *name : {"ffma", "ffma-conflict1", "ffma-conflict2", "ffma-conflict3",
                             "ffma-reuse1", "ffma-reuse3", "ffma-reuse10", "ffma-reuse40",
                             "ffma-regs40", "ffma-regs64", "ffma-regs128", "ffma-regs255"}) {
        SCOPED_TRACE(name);
        agrees_with_reference(name);
    }
}

TEST(Micro, ConflictsAreThoseOfTheName)
{
    const std::map<const char *, unsigned> programs = {
        {"ffma-conflict1", 1}, {"ffma-conflict2", 2}, {"ffma-conflict3", 3}};
    for (const auto &[name, most] : programs) {
        const parsed text(name);
        const auto chain = text.chain();
        ASSERT_EQ(chain.size(), 120u) << text.error;
        for (const auto &sources : chain) {
            EXPECT_EQ(conflict(sources, 4), most) << name;
            EXPECT_EQ(conflict(sources, 8), most) << name;
        }
    }
}

// Round and round: the loop's end is followed by its begin.
TEST(Micro, ReuseDistancesAreThoseOfTheName)
{
    const std::map<const char *, size_t> programs = {
        {"ffma-reuse1", 1}, {"ffma-reuse3", 3}, {"ffma-reuse10", 10}, {"ffma-reuse40", 40}};
    for (const auto &[name, distance] : programs) {
        const auto chain = parsed(name).chain();
        ASSERT_EQ(chain.size(), 120u) << name;
        for (size_t i = 0; i < chain.size(); i++) {
            for (unsigned source : chain[i]) {
                size_t d = 1;
                while (std::count(chain[(i + d) % 120].begin(), chain[(i + d) % 120].end(),
                                  source) == 0) {
                    d++;
                }
                ASSERT_EQ(d, distance) << name << ", FFMA " << i << ", R" << source;
            }
        }
    }
}

TEST(Micro, RegisterCountsAreThoseOfTheName)
{
    const std::map<const char *, unsigned> programs = {
        {"ffma-regs40", 40}, {"ffma-regs64", 64}, {"ffma-regs128", 128}, {"ffma-regs255", 255}};
    for (const auto &[name, registers] : programs) {
        const parsed text(name);
        ASSERT_NE(text.module, nullptr) << text.error;
        const smrf_sass_function *kernel = smrf_sass_find(text.module, "ffma_chain");
        ASSERT_NE(kernel, nullptr);
        EXPECT_EQ(kernel->registers, registers);
    }
}

TEST(Micro, PointerChasing)
{
    agrees_with_reference("chase");
}

// Runs a program at its small size and sees every instruction.
void listen(const char *name, const smrf_exec_listener &exec)
{
    const smrf_suite_program *program = smrf_suite_find(name);
    smrf_suite_run run{};
    ASSERT_NE(program, nullptr);
    ASSERT_EQ(smrf_device_create(&run.device), 0);
    smrf_device_listener listener{};
    listener.exec = exec;
    smrf_device_listen(run.device, &listener);
    const std::string text = smrf_test::suite_text(program);
    EXPECT_EQ(
        smrf_device_load_text(run.device, &run.module, program->sass, text.data(), text.size()), 0);
    EXPECT_EQ(program->run(&run), 0) << run.error;
    smrf_device_destroy(run.device);
}

TEST(Micro, SharedMemoryConflictsAreAllPowersOfTwo)
{
    agrees_with_reference("shared-banks");
    std::map<size_t, unsigned> seen; // most words of a bank that a load touches
    smrf_exec_listener exec{};
    exec.ctx = &seen;
    exec.after = [](void *ctx, const smrf_exec_warp *, const smrf_exec_op *op, uint32_t,
                    uint32_t mask, const uint64_t *address) {
        if (std::strcmp(op->inst->opcode, "LDS") != 0) {
            return 0;
        }
        std::map<uint64_t, std::set<uint64_t>> banks;
        size_t most = 0;
        for (unsigned lane = 0; lane < SMRF_EXEC_LANES; lane++) {
            if (mask >> lane & 1) {
                auto &words = banks[address[lane] / 4 % 32];
                words.insert(address[lane] / 4);
                most = std::max(most, words.size());
            }
        }
        (*static_cast<std::map<size_t, unsigned> *>(ctx))[most]++;
        return 0;
    };
    listen("shared-banks", exec);
    ASSERT_EQ(seen.size(), 6u);
    for (size_t lanes : {1u, 2u, 4u, 8u, 16u, 32u}) {
        EXPECT_EQ(seen[lanes], 4u * 32) << lanes; // 4 warps, 32 loads each
    }
}

TEST(Micro, LaddersSplitWarpsToSingleLanes)
{
    agrees_with_reference("ladder");
    uint32_t sizes = 0; // bit n: some instruction ran for n + 1 lanes
    smrf_exec_listener exec{};
    exec.ctx = &sizes;
    exec.before = [](void *ctx, const smrf_exec_warp *, const smrf_exec_op *, uint32_t active,
                     uint32_t) {
        *static_cast<uint32_t *>(ctx) |= UINT32_C(1) << (__builtin_popcount(active) - 1);
        return 0;
    };
    listen("ladder", exec);
    EXPECT_EQ(sizes, UINT32_C(0xffffffff)); // lanes leave the loops one after the other
}

TEST(Micro, KeepsReadsInAllLanesWhatItWritesInHalf)
{
    agrees_with_reference("keeps");
    struct seen {
        unsigned half, whole;
    } seen{};
    smrf_exec_listener exec{};
    exec.ctx = &seen;
    exec.before = [](void *ctx, const smrf_exec_warp *, const smrf_exec_op *op, uint32_t active,
                     uint32_t) {
        auto &s = *static_cast<struct seen *>(ctx);
        s.half += std::strcmp(op->inst->opcode, "MOV") == 0 && active == UINT32_C(0xaaaaaaaa);
        s.whole += std::strcmp(op->inst->opcode, "SEL") == 0 && active == UINT32_C(0xffffffff);
        return 0;
    };
    listen("keeps", exec);
    EXPECT_GE(seen.half, 4u) << "a warp's odd lanes";
    EXPECT_EQ(4u, seen.whole) << "4 warps";
}

TEST(Micro, MissingBlocksAreNoticed)
{
    smrf_device_limits limits{};
    limits.wants_block = [](void *, smrf_exec_dim id) { return id.x != 0; };
    for (const char *name : {"ffma", "ffma-conflict1", "chase", "shared-banks", "ladder"}) {
        EXPECT_LT(run_suite_program(name, SMRF_SMALL, &limits).rc, 0) << name;
    }
}

} // namespace
