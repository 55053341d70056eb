// SPDX-License-Identifier: Apache-2.0
// The SIMT stacks behind their sockets: a line means what it means to the core, wrong calls are
// refused, debug access shows the active mask.
#include "tests/support/block_bench.h"

#include "models/simt_stack/simt_bytes.h"
#include "models/simt_stack/simt_stack_module.h"

#include <cstddef>
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
        EXPECT_EQ(stack.begin_kernel(cfg, 64), 0);
        start_warps();
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    void start_warps()
    {
        for (unsigned w = 0; w < SMRF_MAX_WARPS; w++) {
            smrf_simt_start(stack.stacks(), w, UINT32_MAX);
        }
    }
    void transact(unsigned sub, unsigned warp, tlm::tlm_command command, void *data, unsigned bytes)
    {
        rf_payload *gp = payload(pool, command, warp, data, bytes);
        sc_core::sc_time delay = ns(9);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(issue[sub]->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, ns(9));
        gp->release();
    }
    smrf_simt_out meaning(unsigned sub, unsigned warp)
    {
        simt_out_data data;
        data.fill(0xee);
        transact(sub, warp, tlm::TLM_READ_COMMAND, data.data(), data.size());
        return simt_out_from(data.data());
    }
    smrf_simt_out send(unsigned sub, unsigned warp, const smrf_simt_line &line)
    {
        simt_line_data data = to_bytes(line), before = data;
        transact(sub, warp, tlm::TLM_WRITE_COMMAND, data.data(), data.size());
        EXPECT_EQ(data, before);
        return meaning(sub, warp);
    }
    uint32_t active(unsigned warp, unsigned bytes = 4, tlm::tlm_command c = tlm::TLM_READ_COMMAND)
    {
        uint8_t mask[8] = {0x78, 0x56, 0x34, 0x12};
        rf_payload *gp = payload(pool, c, warp, mask, bytes);
        got = issue[0]->socket->transport_dbg(*gp);
        gp->release();
        return mask[0] | mask[1] << 8 | mask[2] << 16 | static_cast<uint32_t>(mask[3]) << 24;
    }
    smrf_simt_config cfg{75, true};
    rf_pool pool{"pool"};
    wires lines;
    simt_stack_module stack;
    std::vector<std::unique_ptr<mock_initiator>> issue;
    unsigned got = 0; // bytes of the last debug access
};

smrf_simt_line line_at(uint32_t pc, uint32_t mask, smrf_simt_flow flow = SMRF_SIMT_FLOW_NONE)
{
    smrf_simt_line line{};
    line.pc = pc;
    line.mask = mask;
    line.flow = static_cast<uint8_t>(flow);
    return line;
}

} // namespace

TEST(SimtStackModule, ALineMeansWhatItMeansToTheCore)
{
    bench b;
    smrf_simt_log log{};
    auto alone = std::make_unique<smrf_simt>();
    auto splits = std::make_unique<smrf_simt_split[]>(SMRF_LANES);
    auto store = std::make_unique<smrf_simt_store>();
    ASSERT_EQ(0, smrf_simt_init(alone.get(), splits.get(), store.get(), &b.cfg, 64 + 5, &log));
    smrf_simt_reset(alone.get(), UINT32_MAX);
    const smrf_simt_line lines[] = {line_at(0, UINT32_MAX), line_at(16, 0xffff),
                                    line_at(32, 0xff, SMRF_SIMT_FLOW_EXIT), line_at(48, 0xffffff00),
                                    line_at(64, 0xffffff00, SMRF_SIMT_FLOW_EXIT)};
    for (unsigned i = 0; i < 5; i++) {
        smrf_simt_out expected;
        std::memset(&expected, 0xee, sizeof expected);
        smrf_simt_step(alone.get(), &lines[i], &expected);
        const smrf_simt_out out = b.send(i % subs, 5, lines[i]);
        EXPECT_EQ(std::memcmp(&out, &expected, sizeof out), 0) << "line " << i;
        EXPECT_EQ(b.active(5), smrf_simt_probe_active(alone.get()));
        EXPECT_EQ(b.got, 4u);
    }
    EXPECT_EQ(b.stack.log()->stats.insts, 5u);
    EXPECT_EQ(b.stack.log()->stats.exits, 32u);
    EXPECT_EQ(b.active(6), UINT32_MAX) << "other warps are untouched";
    EXPECT_EQ(b.meaning(0, 6).active, 0u) << "no line yet";
    EXPECT_EQ(b.meaning(1, 5).lanes, 0xffffff00u) << "a read changes nothing";
}

TEST(SimtStackModule, LinesAndMeaningsAreBytesInDocumentedOrder)
{
    smrf_simt_line line{};
    line.pc = 0x04030201;
    line.mask = 0x08070605;
    line.imm = 0x100f0e0d0c0b0a09;
    line.next_pc = 0x14131211;
    line.next_mask = 0x18171615;
    line.flow = 0x19;
    const simt_line_data told = to_bytes(line);
    for (unsigned i = 0; i < told.size(); i++) {
        EXPECT_EQ(told[i], i + 1);
    }
    EXPECT_EQ(to_bytes(simt_line_from(told.data())), told);

    simt_out_data meaning;
    for (unsigned i = 0; i < meaning.size(); i++) {
        meaning[i] = static_cast<uint8_t>(i + 1);
    }
    const smrf_simt_out out = simt_out_from(meaning.data());
    EXPECT_EQ(out.active, 0x04030201u);
    EXPECT_EQ(out.called_target, 0x201f1e1du);
    EXPECT_EQ(out.events, 0x2625u);
    EXPECT_EQ(out.frame, 0x3837u);
    EXPECT_EQ(to_bytes(out), meaning);
}

TEST(SimtStackModule, AResetModuleTakesTheSameLinesAsBefore)
{
    bench b;
    auto play = [&] {
        std::vector<simt_out_data> meanings;
        const smrf_simt_line lines[] = {line_at(0, UINT32_MAX),
                                        line_at(16, 0xff, SMRF_SIMT_FLOW_CALL_REGISTER),
                                        line_at(0x800, 0x0f), line_at(32, 0xffffff00),
                                        line_at(48, 0xff00, SMRF_SIMT_FLOW_EXIT)};
        for (const smrf_simt_line &line : lines) {
            meanings.push_back(to_bytes(b.send(0, 7, line)));
        }
        return meanings;
    };
    const auto first = play();
    const smrf_simt_log log = *b.stack.log();
    b.stack.reset();
    EXPECT_EQ(b.active(7), 0u);
    EXPECT_EQ(to_bytes(b.meaning(0, 7)), to_bytes(smrf_simt_out{}));
    *b.stack.log() = {};
    b.start_warps();
    EXPECT_EQ(play(), first);
    // The bytes behind the last field are no part of it.
    const size_t bytes = offsetof(smrf_simt_log, num_first) + sizeof log.num_first;
    EXPECT_EQ(std::memcmp(b.stack.log(), &log, bytes), 0);
}

TEST(SimtStackModule, AKernelThatTheStacksDoNotKnowIsRefused)
{
    bench b;
    const smrf_simt_config old{19, true};
    EXPECT_EQ(b.stack.begin_kernel(old, 0), SMRF_ERR_INVAL);
    EXPECT_EQ(b.active(0), UINT32_MAX) << "the kernel before is still there";
}

TEST(SimtStackModule, WhatIsNoLineOfAWarpIsAnError)
{
    bench b(false);
    uint8_t data[64] = {};
    struct wrong {
        tlm::tlm_command command;
        uint64_t warp;
        unsigned bytes;
    };
    for (const wrong &w : {wrong{tlm::TLM_WRITE_COMMAND, SMRF_MAX_WARPS, simt_line_bytes},
                           wrong{tlm::TLM_WRITE_COMMAND, 0, simt_line_bytes - 1},
                           wrong{tlm::TLM_WRITE_COMMAND, 0, simt_line_bytes + 1},
                           wrong{tlm::TLM_READ_COMMAND, SMRF_MAX_WARPS, simt_out_bytes},
                           wrong{tlm::TLM_READ_COMMAND, 0, simt_out_bytes - 1},
                           wrong{tlm::TLM_READ_COMMAND, 0, simt_out_bytes + 1},
                           wrong{tlm::TLM_IGNORE_COMMAND, 0, simt_line_bytes}}) {
        rf_payload *gp = payload(b.pool, w.command, w.warp, data, w.bytes);
        expect_protocol_error(*gp, [&] { return b.issue[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 0, data, simt_line_bytes);
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
