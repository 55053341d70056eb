// SPDX-License-Identifier: Apache-2.0
// Memory stays bounded whatever waits: small budgets go to the temporary file and come back
// unchanged; a large compressed trace with hundreds of resident blocks stays under 100 MB.
#include "trace_files.h"

#include "traces/generate/generate.h"

#include <sys/resource.h>

using namespace trace_files;

namespace
{

void generate(const std::string &dir, uint32_t blocks, uint32_t warps, uint64_t length,
              smrf_trace_format format, smrf_trace_compression compression)
{
    smrf_gen_pattern p = {};
    char copy[3][64];
    char error[256];
    smrf_gen_target target = {dir.c_str(), format, compression};
    ASSERT_EQ(
        smrf_generate_parse_inst("LDG.E.SYS R40 R10 @0x7f0a20000000,4,640,7", &p.inst[0], copy[0]),
        0);
    ASSERT_EQ(smrf_generate_parse_inst("FFMA R20+4 R2 R3 R5", &p.inst[1], copy[1]), 0);
    ASSERT_EQ(smrf_generate_parse_inst("STG.E.SYS - R10 R40 @0x7f0a30000000,-4,12,7", &p.inst[2],
                                       copy[2]),
              0);
    p.num_insts = 3;
    p.blocks = blocks;
    p.warps = warps;
    p.length = length;
    p.loop = 48;
    p.num_regs = 64;
    p.binary_version = 75;
    ASSERT_EQ(smrf_generate_pattern(&target, &p, error), 0) << error;
}

// Hash of everything that all warps of all blocks give, `resident` blocks at a time, each of their
// warps one instruction in turn.
uint64_t replay(const std::string &path, size_t resident, const smrf_trace_options *options,
                struct smrf_trace_totals *totals)
{
    smrf_trace *t;
    smrf_kernel_info info;
    uint64_t sum = 0;
    EXPECT_EQ(smrf_trace_open(&t, path.c_str(), options), 0);
    EXPECT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
    for (bool more = true; more;) {
        std::vector<smrf_trace_block *> blocks;
        smrf_trace_block *b;
        while (blocks.size() < resident && (more = smrf_trace_next_block(t, &b) == 1)) {
            blocks.push_back(b);
        }
        bool any = true;
        smrf_inst i;
        while (any) {
            any = false;
            for (size_t k = 0; k < blocks.size(); k++) {
                for (uint32_t w = 0; w < smrf_trace_block_warps(blocks[k]); w++) {
                    int rc = smrf_trace_next_inst(blocks[k], w, &i);
                    EXPECT_GE(rc, 0) << smrf_trace_error(t);
                    if (rc <= 0) {
                        continue;
                    }
                    any = true;
                    uint64_t h = i.op->pc * 31u + i.mask + i.imm;
                    if (i.addr_kind == SMRF_ADDR_STRIDE) {
                        h = h * 1000003 + i.base * 17 + static_cast<uint64_t>(i.stride);
                    }
                    h += smrf_trace_block_id(blocks[k]).x * UINT64_C(0x9E3779B97F4A7C15) + w;
                    sum += h * h;
                }
            }
        }
        for (smrf_trace_block *block : blocks) {
            smrf_trace_release_block(t, block);
        }
    }
    *totals = *smrf_trace_totals_get(t);
    EXPECT_STREQ(smrf_trace_error(t), "");
    smrf_trace_close(t);
    return sum;
}

TEST(Memory, WhatIsSpilledComesBackUnchanged)
{
    temp_dir dir;
    std::string out = dir / "o";
    generate(out, 12, 8, 3000, SMRF_TRACE_V5, SMRF_COMPRESS_ZSTD);
    struct smrf_trace_totals all, tight, none;
    uint64_t want = replay(out, 12, nullptr, &all);
    EXPECT_EQ(all.spilled_bytes, 0u);
    smrf_trace_options options = {};
    options.memory_budget = 1;
    EXPECT_EQ(replay(out, 12, &options, &none), want);
    EXPECT_GT(none.spilled_bytes, 300000u);
    options.memory_budget = none.spilled_bytes / 2;
    EXPECT_EQ(replay(out, 12, &options, &tight), want);
    EXPECT_GT(tight.spilled_bytes, 0u);
    EXPECT_LT(tight.spilled_bytes, none.spilled_bytes);
    EXPECT_EQ(replay(out, 1, &options, &tight), want) << "few resident blocks";
    EXPECT_EQ(tight.spilled_bytes, 0u) << "one block alone fits";
    EXPECT_EQ(all.digest, none.digest);
    EXPECT_EQ(all.warp_insts, 12u * 8 * 3001);
}

TEST(Memory, BlocksReleasedEarlyLeaveTheOthersIntact)
{
    temp_dir dir;
    std::string out = dir / "o";
    generate(out, 6, 4, 4000, SMRF_TRACE_TRACEZ, SMRF_COMPRESS_NONE);
    smrf_trace_options options = {};
    options.memory_budget = 1;
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *a, *b, *c;
    smrf_inst i, j;
    ASSERT_EQ(smrf_trace_open(&t, out.c_str(), &options), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1);
    ASSERT_EQ(smrf_trace_next_block(t, &a), 1);
    ASSERT_EQ(smrf_trace_next_block(t, &b), 1);
    for (int n = 0; n < 1000; n++) {
        ASSERT_EQ(smrf_trace_next_inst(b, 3, &i), 1);
    }
    smrf_trace_release_block(t, a); /* its places in the file go to the next block */
    ASSERT_EQ(smrf_trace_next_block(t, &c), 1);
    for (int n = 0; n < 1000; n++) {
        ASSERT_EQ(smrf_trace_next_inst(c, 3, &j), 1);
    }
    for (int n = 1000; n < 4001; n++) {
        ASSERT_EQ(smrf_trace_next_inst(b, 3, &i), 1);
        ASSERT_EQ(smrf_trace_next_inst(c, 3, &j), 1);
        ASSERT_EQ(i.op, j.op);
        if (i.addr_kind == SMRF_ADDR_STRIDE) {
            ASSERT_EQ(i.base + 4 * 7, j.base) << n;
        }
    }
    ASSERT_EQ(smrf_trace_next_inst(b, 3, &i), 0);
    smrf_trace_release_block(t, b);
    smrf_trace_release_block(t, c);
    smrf_trace_close(t);
}

TEST(Memory, HundredsOfResidentBlocksOfALargeTraceStayUnderTheLimit)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer's own memory dwarfs the reader's";
#endif
    temp_dir dir;
    std::string out = dir / "o";
    generate(out, 480, 32, 1520, SMRF_TRACE_V5, SMRF_COMPRESS_ZSTD); /* 23 million lines, 1.1 GB */
    if (HasFatalFailure()) {
        return;
    }
    struct smrf_trace_totals totals;
    smrf_trace_options options = {};
    replay(out, 480, &options, &totals);
    EXPECT_EQ(totals.warp_insts, 480u * 32 * 1521);
    EXPECT_GT(totals.spilled_bytes, 0u);
    struct rusage usage;
    ASSERT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
    EXPECT_LT(usage.ru_maxrss, 100 * 1024) << "KiB";
}

} // namespace
