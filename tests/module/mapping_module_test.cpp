// SPDX-License-Identifier: Apache-2.0
// The load/store unit's questions and the mapping controller's answers, over the socket between
// them and through it: what comes to the mechanism is what was asked, what comes back is what it
// said.
#include "tests/support/block_bench.h"

#include "models/ldst/ldst_module.h"
#include "models/seam/mapping_module.h"
#include "models/tlm/zeroed.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

// A mechanism that remembers what it hears and says what it is told to.
struct listener {
    std::vector<std::string> heard;
    smrf_inst inst{};
    smrf_memory_verdict verdict = SMRF_MEMORY_ISSUE;
    smrf_memory_answer answer{};

    void hear(const std::string &what, const smrf_memory_request *r)
    {
        heard.push_back(what + " " + std::to_string(r->flight) + " at " + std::to_string(r->cycle) +
                        " in " + std::to_string(r->space));
        inst = *r->inst;
    }
};

const smrf_memory_seam seam = {
    [](void *m, const smrf_memory_request *r, smrf_memory_answer *answer) {
        auto *l = static_cast<listener *>(m);
        l->hear("address", r);
        EXPECT_EQ(40u, answer->at[1].row) << "on entry what renaming said";
        *answer = l->answer;
        return l->verdict;
    },
    [](void *m, const smrf_memory_request *r, bool readable, smrf_memory_answer *answer) {
        auto *l = static_cast<listener *>(m);
        l->hear(readable ? "readable" : "misses", r);
        *answer = l->answer;
        return l->verdict;
    },
    [](void *m, const smrf_memory_request *r) { static_cast<listener *>(m)->hear("store", r); },
    [](void *m, const smrf_flight *f, uint32_t flight) {
        static_cast<listener *>(m)->heard.push_back("loaded " + std::to_string(flight) + " of " +
                                                    std::to_string(f->warp));
    },
    4,
    false,
    [](void *m, const smrf_flight *f) {
        static_cast<listener *>(m)->heard.push_back("fence of " + std::to_string(f->warp));
    },
};

struct bench {
    bench()
    {
        mechanism.memory = &seam;
        block = std::make_unique<mapping_module>(
            "mapping", mapping_module::place{&mechanism, &own, flights.get(), &clock});
        options.annotated_exclusion = false; // a question and its answer share their time
        monitor = std::make_unique<protocol_monitor>("monitor", options);
        units.socket.bind(ldst.access_in[0]);
        ldst.load_out[0].bind(writeback.socket);
        ldst.later_out[0].bind(wheel.socket);
        ldst.map_out[0].bind(monitor->in);
        monitor->out.bind(block->map_in[0]);
        elaborate();
        smrf_flight &f = flights->record[5];
        f.warp = 3;
        f.dst[1] = {40, 2};
        flights->memory[5].inst.op = &op;
        op.access_bytes = 8;
        inst = flights->memory[5].inst;
        inst.addr_kind = SMRF_ADDR_STRIDE;
        inst.base = 0x7fff00001000;
        inst.stride = -440;
        inst.mask = 0x00ff0003;
        request.f = &f;
        request.inst = &inst;
        request.flight = 5;
        request.space = SMRF_SPACE_GLOBAL;
        answer.at[1] = {40, 2};
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        EXPECT_EQ(0u, monitor->violations());
    }

    uint64_t cycle = 12;
    rf_pool pool{"pool"};
    window_clock clock{&cycle, ns(1)};
    zeroed_ptr<smrf_flights> flights{
        static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))};
    smrf_mechanism mechanism{};
    smrf_static_inst op{};
    smrf_inst inst{};
    smrf_memory_request request{};
    smrf_memory_answer answer{};
    listener own;
    protocol_monitor_options options;
    smrf_wires ends{};
    ldst_module ldst{"ldst", {0, true, flights.get(), &clock, &pool, &ends}};
    mock_initiator units{"units"};
    mock_target writeback{"writeback"}, wheel{"wheel"};
    std::unique_ptr<protocol_monitor> monitor;
    std::unique_ptr<mapping_module> block;
};

} // namespace

TEST(MappingModule, AQuestionBringsTheAddressesOfItsLanes)
{
    bench b;
    EXPECT_EQ(SMRF_MEMORY_ISSUE, b.ldst.map(SMRF_MAP_ADDRESS, b.request, b.answer));
    EXPECT_EQ((std::vector<std::string>{"address 5 at 12 in " + std::to_string(SMRF_SPACE_GLOBAL)}),
              b.own.heard);
    EXPECT_EQ(b.inst.mask, b.own.inst.mask);
    EXPECT_EQ(8u, b.own.inst.op->access_bytes);
    for (unsigned lane : {0u, 1u, 16u, 23u}) {
        EXPECT_EQ(smrf_inst_address(&b.inst, lane), smrf_inst_address(&b.own.inst, lane)) << lane;
    }
}

TEST(MappingModule, AnAnswerComesBackWhole)
{
    bench b;
    b.own.verdict = SMRF_MEMORY_MERGE;
    b.own.answer.delay = SMRF_MEMORY_WAIT;
    b.own.answer.collector = 15;
    b.own.answer.at[1] = {511, 15};
    b.own.answer.part[3][1] = {{17, 3}, 0xfffffffe, -31};
    b.own.answer.part[0][0] = {{18, 4}, 1, 31};
    EXPECT_EQ(SMRF_MEMORY_MERGE, b.ldst.map(SMRF_MAP_MISSES, b.request, b.answer));
    EXPECT_EQ(SMRF_MEMORY_WAIT, b.answer.delay);
    EXPECT_EQ(15u, b.answer.collector);
    EXPECT_EQ(511u, b.answer.at[1].row);
    EXPECT_EQ(15u, b.answer.at[1].bank);
    EXPECT_EQ(17u, b.answer.part[3][1].from.row);
    EXPECT_EQ(0xfffffffeu, b.answer.part[3][1].lanes);
    EXPECT_EQ(-31, b.answer.part[3][1].shift);
    EXPECT_EQ(31, b.answer.part[0][0].shift);
    EXPECT_EQ(SMRF_MEMORY_MERGE, b.ldst.map(SMRF_MAP_READABLE, b.request, b.answer));
    EXPECT_EQ(2u, b.own.heard.size());
    EXPECT_EQ(0u, b.own.heard[1].find("readable"));
}

TEST(MappingModule, StoresEndsAndFencesAreTold)
{
    bench b;
    b.ldst.stored(b.request);
    b.ldst.report(SMRF_MAP_LOADED, 5);
    b.ldst.report(SMRF_MAP_FENCE, 5);
    ASSERT_EQ(3u, b.own.heard.size());
    EXPECT_EQ(0u, b.own.heard[0].find("store 5"));
    EXPECT_EQ("loaded 5 of 3", b.own.heard[1]);
    EXPECT_EQ("fence of 3", b.own.heard[2]);
}

TEST(MappingModule, WhatIsNoQuestionAndNoAnswerIsAnError)
{
    uint64_t cycle = 0;
    rf_pool pool("pool");
    window_clock clock(&cycle, ns(1));
    zeroed_ptr<smrf_flights> flights(
        static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights))));
    smrf_mechanism mechanism{};
    mechanism.memory = &seam;
    listener own;
    mapping_module block("mapping", {&mechanism, &own, flights.get(), &clock});
    mock_initiator from("from");
    from.socket.bind(block.map_in[0]);
    elaborate();
    expected_reports errors("/smrf/tlm/phase");
    uint32_t word[SMRF_QUESTION_WORDS] = {SMRF_MAP_FENCE + 1};
    auto refused = [&](tlm::tlm_command command, uint64_t flight, unsigned words) {
        rf_payload *gp = payload(pool, command, flight, word, words * 4);
        (void)from.fw(*gp, tlm::BEGIN_REQ, clock.delay());
        const bool bad = gp->is_response_error();
        gp->release();
        return bad;
    };
    EXPECT_TRUE(refused(tlm::TLM_WRITE_COMMAND, 5, SMRF_QUESTION_WORDS)) << "no such question";
    word[0] = SMRF_MAP_FENCE;
    EXPECT_TRUE(refused(tlm::TLM_WRITE_COMMAND, 5, 1));
    EXPECT_TRUE(refused(tlm::TLM_WRITE_COMMAND, SMRF_FLIGHTS, SMRF_QUESTION_WORDS));
    EXPECT_TRUE(refused(tlm::TLM_READ_COMMAND, 5, SMRF_ANSWER_WORDS)) << "nothing was asked";
    EXPECT_EQ(4u, errors.count("/smrf/tlm/phase"));
    EXPECT_FALSE(refused(tlm::TLM_WRITE_COMMAND, 5, SMRF_QUESTION_WORDS));
    EXPECT_TRUE(pool.check_empty());
}
