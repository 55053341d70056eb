// SPDX-License-Identifier: Apache-2.0
// The merge unit's sockets: a merge goes to its collector, its parts come back and are joined, the
// result is read; and what is no access of theirs is an error.
#include "tests/support/block_bench.h"

#include "models/ldst/merge_module.h"
#include "models/tlm/zeroed.h"
#include "models/wires/words.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

struct bench {
    bench() : block("merge", {2, true, flights.get(), &table, &clock, &pool})
    {
        flights->carried = reinterpret_cast<uint32_t(*)[SMRF_MAX_DST][SMRF_LANES]>(carried.data());
        block.core()->part = reinterpret_cast<smrf_merge_part(*)[SMRF_MERGE_DST][2]>(parts.data());
        table.ctx = this;
        table.values = &values;
        table.vacant = [](void *ctx, unsigned, unsigned) {
            return static_cast<bench *>(ctx)->vacant;
        };
        table.merge = [](void *ctx, unsigned sub, unsigned collector, uint32_t flight) {
            static_cast<bench *>(ctx)->block.merge(sub, collector, flight);
        };
        for (unsigned s = 0; s < 2; s++) {
            const std::string id = std::to_string(s);
            collectors.push_back(std::make_unique<mock_target>(("collectors_" + id).c_str()));
            from.push_back(std::make_unique<mock_initiator>(("from_" + id).c_str()));
            lines.connect(block.merge_out[s], collectors[s]->socket);
            from[s]->socket.bind(block.part_in[s]);
            collectors[s]->fw = [this](tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                       sc_core::sc_time &) {
                uint32_t flight = 0;
                std::memcpy(&flight, gp.get_data_ptr(), sizeof flight);
                entered.push_back({gp.get_address(), flight});
                gp.set_response_status(tlm::TLM_OK_RESPONSE);
                return tlm::TLM_COMPLETED;
            };
        }
        units.socket.bind(block.merged_in[0]);
        elaborate();
        smrf_flight &f = flights->record[9];
        f = {};
        f.sub = 1;
        f.num_dst = 1;
        f.mask = UINT32_MAX;
        f.dst_reg[0] = 4;
        answer.collector = 3;
        answer.part[0][0] = {{5, 1}, 0x0fffffff, 4};
        answer.part[0][1] = {{6, 0}, 0xf0000000, -28};
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    tlm::tlm_response_status access(mock_initiator &by, tlm::tlm_command command, uint64_t address,
                                    uint32_t *data, unsigned bytes = 128)
    {
        rf_payload *gp = payload(pool, command, address, data, bytes);
        EXPECT_EQ(by.fw(*gp, tlm::BEGIN_REQ, clock.delay()), tlm::TLM_COMPLETED);
        const tlm::tlm_response_status status = gp->get_response_status();
        gp->release();
        return status;
    }

    uint64_t cycle = 0;
    bool vacant = true;
    rf_pool pool{"pool"};
    window_clock clock{&cycle, ns(1)};
    bool values = true;
    smrf_wires table{};
    zeroed_ptr<smrf_flights> flights{
        static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))};
    std::vector<uint32_t> carried =
        std::vector<uint32_t>(size_t(SMRF_FLIGHTS) * SMRF_MAX_DST * SMRF_LANES);
    std::vector<smrf_merge_part> parts =
        std::vector<smrf_merge_part>(size_t(SMRF_FLIGHTS) * SMRF_MERGE_DST * 2);
    smrf_memory_answer answer{};
    wires lines;
    std::vector<std::pair<uint64_t, uint32_t>> entered;
    merge_module block;
    std::vector<std::unique_ptr<mock_target>> collectors;
    std::vector<std::unique_ptr<mock_initiator>> from;
    mock_initiator units{"units"};
};

} // namespace

TEST(MergeModule, AMergeWaitsForItsCollectorAndItsPartsAreShiftedAndJoined)
{
    bench b;
    smrf_merges_add(b.block.core(), 9, &b.answer, 7);
    EXPECT_FALSE(smrf_merges_step(b.block.core(), 6));
    b.vacant = false;
    EXPECT_FALSE(smrf_merges_step(b.block.core(), 7));
    b.vacant = true;
    EXPECT_TRUE(smrf_merges_step(b.block.core(), 8));
    EXPECT_EQ((std::vector<std::pair<uint64_t, uint32_t>>{{3, 9}}), b.entered);
    EXPECT_EQ(1u, b.collectors[1]->calls.size()) << "of its sub-core";

    uint32_t low[SMRF_LANES], high[SMRF_LANES], got[SMRF_LANES] = {};
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        low[l] = 100 + l;
        high[l] = 132 + l;
    }
    EXPECT_EQ(tlm::TLM_OK_RESPONSE,
              b.access(*b.from[1], tlm::TLM_WRITE_COMMAND, smrf_operand_address(9, 0), low));
    EXPECT_EQ(tlm::TLM_OK_RESPONSE,
              b.access(*b.from[1], tlm::TLM_WRITE_COMMAND, smrf_operand_address(9, 1), high));
    EXPECT_EQ(tlm::TLM_OK_RESPONSE,
              b.access(b.units, tlm::TLM_READ_COMMAND, smrf_operand_address(9, 0), got));
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        EXPECT_EQ(104 + l, got[l]) << l;
    }
}

TEST(MergeModule, AMergeThatWaitsForItsPartsHoldsNoOtherBack)
{
    bench b;
    smrf_merges *core = b.block.core();
    b.answer.delay = SMRF_MEMORY_WAIT;
    smrf_merges_add(core, 9, &b.answer, 7);
    EXPECT_EQ(SMRF_NEVER, smrf_merges_next(core, 0));
    EXPECT_FALSE(smrf_merges_step(core, 1000));
    b.answer.delay = 0;
    b.answer.collector = 2;
    smrf_merges_add(core, 9, &b.answer, 1010);
    EXPECT_EQ(1010u, smrf_merges_next(core, 1000));
    EXPECT_TRUE(smrf_merges_step(core, 1010));
    smrf_merges_release(core, 9, 1020);
    EXPECT_EQ(1020u, smrf_merges_next(core, 1011));
    EXPECT_FALSE(smrf_merges_step(core, 1019));
    EXPECT_TRUE(smrf_merges_step(core, 1020));
    EXPECT_EQ((std::vector<std::pair<uint64_t, uint32_t>>{{2, 9}, {3, 9}}), b.entered);
    EXPECT_EQ(SMRF_NEVER, smrf_merges_next(core, 1020));
}

TEST(MergeModule, ACollectorIsAskedWhetherItIsVacant)
{
    bench b;
    for (const uint32_t answer : {uint32_t{SMRF_WORD_YES}, uint32_t{SMRF_WORD_NO}}) {
        b.collectors[1]->fw = [answer](tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                       sc_core::sc_time &) {
            EXPECT_TRUE(gp.is_read());
            EXPECT_EQ(3u, gp.get_address());
            std::memcpy(gp.get_data_ptr(), &answer, sizeof answer);
            gp.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
        EXPECT_EQ(answer == SMRF_WORD_YES, b.block.vacant(1, 3));
    }
    EXPECT_TRUE(b.collectors[0]->calls.empty());
}

TEST(MergeModule, WhatIsNoPartAndNoResultIsAnError)
{
    bench b;
    smrf_merges_add(b.block.core(), 9, &b.answer, 7);
    uint32_t data[SMRF_LANES] = {};
    expected_reports errors("/smrf/tlm/phase");
    mock_initiator &right = *b.from[1], &wrong = *b.from[0];
    const uint64_t part = smrf_operand_address(9, 1);
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.access(wrong, tlm::TLM_WRITE_COMMAND, part, data));
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.access(right, tlm::TLM_READ_COMMAND, part, data));
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.access(right, tlm::TLM_WRITE_COMMAND, part, data, 64));
    EXPECT_NE(tlm::TLM_OK_RESPONSE,
              b.access(right, tlm::TLM_WRITE_COMMAND, smrf_operand_address(9, 2), data));
    EXPECT_NE(tlm::TLM_OK_RESPONSE,
              b.access(right, tlm::TLM_WRITE_COMMAND, smrf_operand_address(8, 0), data))
        << "no merge";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.access(b.units, tlm::TLM_READ_COMMAND, part, data))
        << "it has one destination";
    EXPECT_NE(tlm::TLM_OK_RESPONSE,
              b.access(b.units, tlm::TLM_WRITE_COMMAND, smrf_operand_address(9, 0), data));
    EXPECT_EQ(7u, errors.count("/smrf/tlm/phase"));
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, b.access(right, tlm::TLM_IGNORE_COMMAND, part, data))
        << "nobody looks at values";
}

TEST(MergeModule, NoDmiAndNoBlockingCalls)
{
    bench b;
    expect_refusals(*b.units.socket.operator->(), b.pool);
}
