// SPDX-License-Identifier: Apache-2.0
// Instructions with more registers than one can have: the steps that they issue in.
#include "trace_files.h"

#include "traces/steps.h"

using namespace trace_files;

namespace
{

// Sources: `others`, then the destinations, as a multiply adds to its result; or `others` alone.
smrf_wide wide(unsigned others, unsigned accumulators, bool adds)
{
    smrf_wide w = {};
    for (unsigned i = 0; i < others; i++) {
        w.src[w.num_src++] = uint8_t(200 + i);
    }
    for (unsigned i = 0; i < accumulators; i++) {
        w.dst[w.num_dst++] = uint8_t(i);
        if (adds) {
            w.src_slot[w.num_src] = 2;
            w.src[w.num_src++] = uint8_t(i);
        }
    }
    return w;
}

void check_steps(const smrf_wide &w)
{
    std::vector<uint8_t> read, written, slots;
    const unsigned steps = smrf_wide_steps(&w);
    for (unsigned n = 0; n < steps; n++) {
        smrf_static_inst s = {};
        unsigned src = 0, dst = 0;
        smrf_wide_step(&w, n, &s, &src, &dst);
        EXPECT_EQ(s.step, n);
        EXPECT_EQ(src, read.size());
        EXPECT_EQ(dst, written.size());
        EXPECT_TRUE(s.num_src + s.num_dst != 0 || steps == 1);
        EXPECT_LE(s.num_src, steps == 1 ? SMRF_MAX_SRC : SMRF_STEP_SRC);
        EXPECT_LE(s.num_dst, steps == 1 ? SMRF_MAX_DST : SMRF_STEP_DST);
        for (unsigned i = 0; i < s.num_src; i++) {
            EXPECT_EQ(std::count(written.begin(), written.end(), s.src[i]), 0)
                << "step " << n << " reads R" << int(s.src[i]) << ", which one before it wrote";
        }
        read.insert(read.end(), s.src, s.src + s.num_src);
        slots.insert(slots.end(), s.src_slot, s.src_slot + s.num_src);
        written.insert(written.end(), s.dst, s.dst + s.num_dst);
    }
    EXPECT_EQ(read, std::vector<uint8_t>(w.src, w.src + w.num_src));
    EXPECT_EQ(slots, std::vector<uint8_t>(w.src_slot, w.src_slot + w.num_src));
    EXPECT_EQ(written, std::vector<uint8_t>(w.dst, w.dst + w.num_dst));
}

TEST(Steps, HaveEveryRegisterOnceAndReadBeforeTheyWrite)
{
    for (unsigned others = 0; others <= 40; others++) {
        for (unsigned accumulators = 0; accumulators <= 128; accumulators++) {
            check_steps(wide(others, accumulators, true));
            check_steps(wide(others, accumulators, false));
            ASSERT_FALSE(HasFailure()) << others << " " << accumulators;
        }
    }
}

TEST(Steps, OfAMultiplyReadAsManyAccumulatorsAsTheyWrite)
{
    const smrf_wide w = wide(4, 64, true);
    ASSERT_EQ(smrf_wide_steps(&w), 8u);
    for (unsigned n = 0; n < 8; n++) {
        smrf_static_inst s = {};
        unsigned src, dst;
        smrf_wide_step(&w, n, &s, &src, &dst);
        EXPECT_EQ(s.num_dst, 8);
        EXPECT_EQ(s.num_src, n == 0 ? 12 : 8) << "A is read once";
    }
}

const std::vector<std::string> multiplies = {
    "0000 ffffffff 1 R4 MOV 0 0 0 ",
    "0010 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR8 R24 0 0 ",
    "0020 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR8 R24 0 7 ",
    "0010 0000ffff 1 R24 HGMMA.64x64x16.F32 2 UR8 R24 0 0 ",
    "0000 ffffffff 1 R4 MOV 0 0 0 ",
    "0010 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR8 R24 0 0 ",
    "0020 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR8 R24 0 7 ",
    "0030 ffffffff 0 EXIT 0 0 0 ",
};

struct execution {
    uint32_t pc, mask;
    unsigned step, written;
    uint64_t imm;
    bool operator==(const execution &o) const
    {
        return pc == o.pc && mask == o.mask && step == o.step && written == o.written &&
               imm == o.imm;
    }
};

std::vector<execution> executions(smrf_trace *t, uint64_t *length)
{
    std::vector<execution> all;
    smrf_trace_block *b = nullptr;
    EXPECT_EQ(smrf_trace_next_block(t, &b), 1) << smrf_trace_error(t);
    *length = smrf_trace_warp_length(b, 0);
    smrf_inst inst;
    while (smrf_trace_next_inst(b, 0, &inst) > 0) {
        all.push_back({inst.op->pc, inst.mask, inst.op->step, inst.op->num_dst, inst.imm});
    }
    smrf_trace_release_block(t, b);
    return all;
}

TEST(Steps, OfALineComeBehindItEachTimeInEveryLaunch)
{
    temp_dir dir;
    write_file(dir / "kernel-1.traceg", header("5", 32, 90) + one_warp(multiplies));
    write_file(dir / "kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
    std::vector<execution> want;
    for (const std::string &line : multiplies) {
        const uint32_t pc = uint32_t(std::stoul(line.substr(0, 4), nullptr, 16));
        const uint32_t mask = uint32_t(std::stoul(line.substr(5, 8), nullptr, 16));
        const bool wide = line.find("HGMMA") != std::string::npos;
        for (unsigned n = 0; n < (wide ? 4u : 1u); n++) {
            const unsigned written = wide ? 8 : line.find("MOV") != std::string::npos;
            want.push_back({pc, mask, n, written, pc == 0x20 && n == 0 ? 7u : 0u});
        }
    }
    smrf_trace *t;
    smrf_kernel_info info;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "kernelslist.g").c_str(), nullptr), 0);
    for (unsigned launch = 0; launch < 2; launch++) {
        uint64_t length = 0;
        ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
        EXPECT_EQ(executions(t, &length), want);
        EXPECT_EQ(length, want.size());
    }
    EXPECT_EQ(smrf_trace_totals_get(t)->warp_insts, 2 * multiplies.size()) << "steps count nowhere";
    EXPECT_EQ(smrf_trace_warning(t, 0), nullptr);
    smrf_trace_close(t);
}

TEST(Steps, AreNoneWhereOnlyListedRegistersCount)
{
    temp_dir dir;
    write_file(dir / "k.traceg", header("5", 32, 90) + one_warp(multiplies));
    smrf_trace *t;
    smrf_kernel_info info;
    uint64_t length = 0;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "k.traceg").c_str(), nullptr), 0);
    smrf_trace_sum_registers(t, true, 2);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
    EXPECT_EQ(executions(t, &length).size(), multiplies.size());
    EXPECT_EQ(length, multiplies.size());
    smrf_trace_close(t);
}

} // namespace
