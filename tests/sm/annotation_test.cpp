// SPDX-License-Identifier: Apache-2.0
// The way of the reuse annotation: an annotator between trace reader and SM sets bits for the
// operands of the trace line; a mechanism sees them for the distinct operands of a flight.
#include "../support/sm_dut.h"

#include <map>
#include <set>

namespace
{

using sm_test::alu;
using sm_test::dut;
using sm_test::exit_step;
using sm_test::program;
using sm_test::step;

// A mechanism that writes down the bits of every instruction that enters a collector.
struct seen {
    std::vector<uint8_t> src, dst;
    uint32_t near_src;
    uint32_t near_dst;
};

uint32_t note(void *m, unsigned, unsigned, const smrf_flight *f, uint32_t (*)[SMRF_LANES],
              uint32_t *)
{
    static_cast<std::vector<seen> *>(m)->push_back({{f->src_reg, f->src_reg + f->num_src},
                                                    {f->dst_reg, f->dst_reg + f->num_dst},
                                                    f->near_src,
                                                    f->near_dst});
    return uint32_t((uint64_t(1) << f->num_src) - 1);
}

const smrf_collector_seam note_collector = [] {
    smrf_collector_seam c{};
    c.allocate = note;
    return c;
}();
const smrf_mechanism note_bits = [] {
    smrf_mechanism m{};
    m.name = "note-bits";
    m.collector = &note_collector;
    return m;
}();

std::vector<seen> run_steps(program p, std::initializer_list<const char *> pairs = {})
{
    std::vector<seen> all;
    p.push_back(exit_step());
    dut d(replay::preset("rtx2060-paper", pairs), {{p}}, 64, 0, &note_bits, &all);
    d.run();
    return all;
}

step marked(step s, uint32_t near_src, uint16_t near_dst)
{
    s.near_src = near_src;
    s.near_dst = near_dst;
    return s;
}

TEST(Annotation, BitsFollowTheDistinctSourcesOfAFlight)
{
    // R1 R2 R1 R3: distinct sources R1 R2 R3.
    auto all = run_steps({marked(alu(SMRF_CLASS_SP, {8, 9}, {1, 2, 1, 3}), 0b1010, 0b10)});
    ASSERT_EQ(2u, all.size());
    EXPECT_EQ((std::vector<uint8_t>{1, 2, 3}), all[0].src);
    EXPECT_EQ(0b110u, all[0].near_src);
    EXPECT_EQ(0b10u, all[0].near_dst);
    EXPECT_EQ(0u, all[1].near_src | all[1].near_dst) << "EXIT";
}

TEST(Annotation, ARegisterNamedTwiceIsNearIfEitherOperandIs)
{
    EXPECT_EQ(0b1u, run_steps({marked(alu(SMRF_CLASS_SP, {8}, {1, 1}), 0b01, 0)})[0].near_src);
    EXPECT_EQ(0b1u, run_steps({marked(alu(SMRF_CLASS_SP, {8}, {1, 1}), 0b10, 0)})[0].near_src);
    EXPECT_EQ(0b0u, run_steps({marked(alu(SMRF_CLASS_SP, {8}, {1, 1}), 0, 0)})[0].near_src);
}

TEST(Annotation, WithListedRegistersOnlyTheBitIsThatOfTheSameRegister)
{
    // The line lists R4 and R6, the operands are R4 R5 R6 R7 and the destinations R10 R11.
    step s = alu(SMRF_CLASS_SP, {10, 11}, {4, 5, 6, 7});
    s.op.num_src_listed = 2;
    s.op.src_listed[0] = 6;
    s.op.src_listed[1] = 4;
    s.op.num_dst_listed = 1;
    s.op.dst_listed[0] = 11;
    auto all = run_steps({marked(s, 0b0101, 0b10)}, {"rf.base_registers_only=on"});
    EXPECT_EQ((std::vector<uint8_t>{6, 4}), all[0].src);
    EXPECT_EQ(0b11u, all[0].near_src);
    EXPECT_EQ(0b1u, all[0].near_dst);
    all = run_steps({marked(s, 0b1010, 0b01)}, {"rf.base_registers_only=on"});
    EXPECT_EQ(0u, all[0].near_src | all[0].near_dst);
}

// An annotator that marks what a rule says, and counts what it is told.
struct annotator {
    std::set<std::string> kernels;
    std::map<smrf_trace_block *, uint64_t> blocks; // instructions of those that are open
    uint64_t insts = 0, most_open = 0;
    uint64_t fail_at = UINT64_MAX; // this instruction cannot be annotated
    smrf_annotator seam{this, kernel, nullptr, block, inst, done, error, false};

    static annotator *self(void *ctx)
    {
        return static_cast<annotator *>(ctx);
    }
    static int kernel(void *ctx, const smrf_kernel_info *info)
    {
        self(ctx)->kernels.insert(info->name);
        return 0;
    }
    static int block(void *ctx, smrf_trace_block *b)
    {
        EXPECT_TRUE(self(ctx)->blocks.emplace(b, 0).second);
        self(ctx)->most_open = std::max(self(ctx)->most_open, uint64_t(self(ctx)->blocks.size()));
        return 0;
    }
    static int inst(void *ctx, smrf_trace_block *b, uint32_t warp, smrf_inst *inst)
    {
        annotator *a = self(ctx);
        EXPECT_EQ(1u, a->blocks.count(b));
        EXPECT_LT(warp, smrf_trace_block_warps(b));
        EXPECT_EQ(0u, inst->near_src | inst->near_dst) << "the reader knows nothing";
        inst->near_src = (uint32_t(1) << inst->op->num_src) - 1;
        a->blocks[b]++;
        return a->insts++ == a->fail_at ? SMRF_ERR_FORMAT : 0;
    }
    static void done(void *ctx, smrf_trace_block *b)
    {
        EXPECT_EQ(1u, self(ctx)->blocks.erase(b));
    }
    static const char *error(void *)
    {
        return "side file: line 7: odd";
    }
};

TEST(Annotation, TheAnnotatorSeesEveryBlockAndEveryInstructionOnce)
{
    for (const char *trace : {"matmul", "divergent"}) {
        annotator a;
        replay::options opt;
        opt.annotator = &a.seam;
        replay::result r =
            replay::run(std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + trace,
                        replay::preset("rtx2060-paper"), opt);
        EXPECT_EQ(r.stats.warp_insts, a.insts);
        EXPECT_EQ(r.totals.kernels > 0, !a.kernels.empty());
        EXPECT_TRUE(a.blocks.empty());
        EXPECT_GT(a.most_open, 0u);
    }
}

TEST(Annotation, AnErrorOfTheAnnotatorStopsTheRunWithItsText)
{
    annotator a;
    a.fail_at = 100;
    smrf_gpu_hooks hooks{};
    hooks.annotator = &a.seam;
    smrf_trace *trace = nullptr;
    smrf_engine *engine = nullptr;
    char text[64] = "";
    const smrf_engine_ops &ops = smrf_engine_direct;
    const smrf_config cfg = replay::preset("rtx2060-paper");
    const std::string path = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/matmul";
    ASSERT_EQ(0, smrf_trace_open(&trace, path.c_str(), nullptr));
    ASSERT_EQ(0, ops.create(&engine, &cfg, smrf_mechanism_find("baseline"), &hooks, text, 64));
    ASSERT_EQ(0, ops.load(engine, trace));
    EXPECT_EQ(SMRF_ERR_FORMAT, ops.run(engine, SMRF_NEVER));
    EXPECT_STREQ("side file: line 7: odd", ops.error(engine));
    EXPECT_FALSE(a.blocks.empty());
    ops.destroy(engine);
    EXPECT_TRUE(a.blocks.empty()) << "every block is given back";
    smrf_trace_close(trace);
}

} // namespace
