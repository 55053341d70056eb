// SPDX-License-Identifier: Apache-2.0
// A listener is called for everything that happens in an SM, and changes nothing of it.
#include "tests/support/sm_dut.h"

#include <gtest/gtest.h>

using namespace sm_test;

namespace
{

// Four warps that load, compute and store.
std::vector<block> programs()
{
    program p;
    for (unsigned i = 0; i < 6; i++) {
        p.push_back(
            memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {uint8_t(8 + i)}, {2}, 0x10000 + 512 * i));
        p.push_back(alu(SMRF_CLASS_SP, {uint8_t(20 + i)}, {uint8_t(8 + i), 4, 5}));
        p.push_back(alu(SMRF_CLASS_INT, {uint8_t(30 + i)}, {uint8_t(20 + i), 4}));
    }
    p.push_back(memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, {2, 30}, 0x20000));
    p.push_back(exit_step());
    return {block(4, p)};
}

struct counts {
    uint64_t started = 0, issued = 0, sources = 0, released = 0, retired = 0, requested = 0,
             answered = 0, cycles = 0, reads = 0;
};

struct counting {
    counts n;
    smrf_listener listener{};
    const smrf_flights *flights = nullptr;

    counting()
    {
        listener.ctx = this;
        listener.started = [](void *ctx, unsigned, const smrf_warp_start *) { of(ctx).started++; };
        listener.issued = [](void *ctx, uint32_t, const smrf_inst *) { of(ctx).issued++; };
        listener.operands = [](void *ctx, uint32_t, uint32_t sources, const smrf_operand_latches *,
                               bool) { of(ctx).sources += uint64_t(__builtin_popcount(sources)); };
        listener.released = [](void *ctx, uint32_t, unsigned) { of(ctx).released++; };
        listener.retired = [](void *ctx, uint32_t) { of(ctx).retired++; };
        listener.requested = [](void *ctx, const smrf_mem_request *) { of(ctx).requested++; };
        listener.answered = [](void *ctx, const smrf_mem_response *) { of(ctx).answered++; };
        listener.cycles = [](void *ctx, uint64_t, uint64_t passed) { of(ctx).cycles += passed; };
        listener.arbitrated = [](void *ctx, unsigned, const smrf_arbitration *before) {
            of(ctx).reads += before->count[0] != 0;
        };
    }
    static counts &of(void *ctx)
    {
        return static_cast<counting *>(ctx)->n;
    }
};

TEST(Hooks, AListenerIsCalledForEverythingAndChangesNothing)
{
    for (const bool latches : {false, true}) {
        smrf_config cfg = replay::preset("rtx2060-paper", {"gpu.sms=1"});
        cfg.sim.check = true;
        cfg.issue.latches = latches;
        counting all;
        dut alone(cfg, programs()), observed(cfg, programs());
        smrf_sm_listen(observed.sm(), &all.listener);
        alone.run();
        observed.run();
        const smrf_sm_stats &s = observed.stats();
        EXPECT_EQ(0, std::memcmp(&alone.stats(), &s, sizeof s));
        EXPECT_EQ(alone.issues, observed.issues);
        EXPECT_EQ(4u, all.n.started);
        EXPECT_EQ(s.warp_insts, all.n.issued);
        EXPECT_EQ(s.operand_reads, all.n.sources);
        EXPECT_EQ(s.operand_writes, all.n.released);
        EXPECT_EQ(s.completed, all.n.retired);
        EXPECT_EQ(observed.requests, all.n.requested);
        EXPECT_EQ(observed.requests, all.n.answered);
        EXPECT_EQ(s.active_cycles, all.n.cycles + 1) << "no block is resident after the last";
        EXPECT_LT(0u, all.n.reads);
    }
}

} // namespace
