// SPDX-License-Identifier: Apache-2.0
// The SIMT stacks behind their sockets: a line means what it means to the core, wrong calls are
// refused, debug access shows the active mask.
#include "tests/support/block_bench.h"

#include "models/simt_stack/simt_stack_module.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr unsigned subs = 2;

struct bench {
    explicit bench(bool monitored = true) : stack("stack", subs)
    {
        for (unsigned s = 0; s < subs; s++) {
            issue.push_back(
                std::make_unique<mock_initiator>(("issue_" + std::to_string(s)).c_str()));
            if (monitored) {
                lines.connect(issue[s]->socket, stack.line_in[s]);
            } else {
                issue[s]->socket.bind(stack.line_in[s]);
            }
        }
        stack.begin_kernel(cfg, 64);
        for (unsigned w = 0; w < SMRF_MAX_WARPS; w++) {
            smrf_simt_reset(&stack.stacks()[w], UINT32_MAX);
        }
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    smrf_simt_out send(unsigned sub, unsigned warp, const smrf_static_inst &op, uint32_t mask)
    {
        smrf_simt_out out;
        std::memset(&out, 0xee, sizeof out);
        smrf_simt_line line{&op, 0, mask, &out};
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, warp, &line, sizeof line);
        sc_core::sc_time delay = ns(9);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(issue[sub]->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, ns(9));
        gp->release();
        return out;
    }
    uint32_t active(unsigned warp, unsigned bytes = 4, tlm::tlm_command c = tlm::TLM_READ_COMMAND)
    {
        uint32_t mask[2] = {0x12345678, 0};
        rf_payload *gp = payload(pool, c, warp, mask, bytes);
        got = issue[0]->socket->transport_dbg(*gp);
        gp->release();
        return mask[0];
    }
    smrf_simt_config cfg{75, true};
    rf_pool pool{"pool"};
    wires lines;
    simt_stack_module stack;
    std::vector<std::unique_ptr<mock_initiator>> issue;
    unsigned got = 0; // bytes of the last debug access
};

smrf_static_inst op_at(uint32_t pc, smrf_flow flow = SMRF_FLOW_NONE)
{
    smrf_static_inst op{};
    op.pc = pc;
    op.flow = static_cast<uint8_t>(flow);
    op.text = "";
    return op;
}

} // namespace

TEST(SimtStackModule, ALineMeansWhatItMeansToTheCore)
{
    bench b;
    smrf_simt_log log{};
    auto alone = std::make_unique<smrf_simt>();
    ASSERT_EQ(0, smrf_simt_init(alone.get(), &b.cfg, 64 + 5, &log));
    smrf_simt_reset(alone.get(), UINT32_MAX);
    const smrf_static_inst ops[] = {op_at(0), op_at(16), op_at(32, SMRF_FLOW_EXIT), op_at(48),
                                    op_at(64, SMRF_FLOW_EXIT)};
    const uint32_t masks[] = {UINT32_MAX, 0xffff, 0xff, 0xffffff00, 0xffffff00};
    for (unsigned i = 0; i < 5; i++) {
        smrf_simt_out expected;
        std::memset(&expected, 0xee, sizeof expected);
        smrf_simt_step(alone.get(), &ops[i], masks[i], 0, &expected);
        const smrf_simt_out out = b.send(i % subs, 5, ops[i], masks[i]);
        EXPECT_EQ(std::memcmp(&out, &expected, sizeof out), 0) << "line " << i;
        EXPECT_EQ(b.active(5), smrf_simt_probe_active(alone.get()));
        EXPECT_EQ(b.got, 4u);
    }
    EXPECT_EQ(b.stack.log()->stats.insts, 5u);
    EXPECT_EQ(b.stack.log()->stats.exits, 32u);
    EXPECT_EQ(b.active(6), UINT32_MAX) << "other warps are untouched";
}

TEST(SimtStackModule, WhatIsNoLineOfAWarpIsAnError)
{
    bench b(false);
    smrf_simt_out out{};
    const smrf_static_inst op = op_at(0);
    smrf_simt_line line{&op, 0, 1, &out};
    struct wrong {
        uint64_t warp;
        unsigned bytes;
    };
    for (const wrong &w : {wrong{SMRF_MAX_WARPS, sizeof line}, wrong{0, sizeof line - 1},
                           wrong{0, sizeof line + 1}}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, w.warp, &line, w.bytes);
        expect_protocol_error(*gp, [&] { return b.issue[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 0, &line, sizeof line);
    for (tlm::tlm_phase phase : other_phases) {
        expect_protocol_error(*gp, [&] { return b.issue[0]->fw(*gp, phase); });
    }
    gp->release();
    EXPECT_EQ(b.stack.log()->stats.insts, 0u);
}

TEST(SimtStackModule, DebugAccessReadsWholeMasksOfWarpsOnly)
{
    bench b;
    EXPECT_EQ(b.active(3, 8), UINT32_MAX);
    EXPECT_EQ(b.got, 4u);
    EXPECT_EQ(b.active(3, 3), 0x12345678u);
    EXPECT_EQ(b.got, 0u);
    EXPECT_EQ(b.active(SMRF_MAX_WARPS), 0x12345678u);
    EXPECT_EQ(b.got, 0u);
    b.active(3, 4, tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(b.got, 0u);
    EXPECT_EQ(b.active(3), UINT32_MAX);
}

TEST(SimtStackModule, NoDmiAndNoBlockingCalls)
{
    bench b(false);
    expect_refusals(*b.issue[1]->socket.operator->(), b.pool);
}
