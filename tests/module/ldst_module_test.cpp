// SPDX-License-Identifier: Apache-2.0
// The load/store unit's sockets inside the SM: instructions come in, results go to write-back,
// answers of the memory to the issue stages. (Questions: mapping_module_test.cpp.)
#include "tests/support/block_bench.h"

#include "models/ldst/ldst_module.h"
#include "models/tlm/zeroed.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

tlm::tlm_sync_enum complete(tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

struct bench {
    bench() : ldst("ldst", {2, false, flights.get(), &clock, &pool, &ends})
    {
        ends.ctx = this;
        ends.access = [](void *ctx, uint32_t flight) {
            static_cast<bench *>(ctx)->entered.push_back(flight);
        };
        ends.flush = [](void *ctx, unsigned warp) {
            static_cast<bench *>(ctx)->over.push_back(warp);
        };
        lines.connect(units.socket, ldst.access_in[0]);
        ldst.load_out[0].bind(writeback.socket);
        ldst.later_out[0].bind(wheel.socket);
        writeback.fw = complete;
        for (unsigned s = 0; s < 2; s++) {
            issue.push_back(std::make_unique<mock_target>(("issue_" + std::to_string(s)).c_str()));
            ldst.answer_out[s].bind(issue[s]->socket);
            fences.push_back(
                std::make_unique<mock_initiator>(("fences_" + std::to_string(s)).c_str()));
            fences[s]->socket.bind(ldst.flush_in[s]);
            issue[s]->fw = complete;
        }
        elaborate();
        flights->record[9].unit = SMRF_UNIT_MEM;
        flights->record[9].sub = 1;
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    // The target expects a write of `word` to `address`.
    template <class Word> static void expect(mock_target &peer, uint64_t address, Word word)
    {
        peer.fw = [=](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                      sc_core::sc_time &delay) {
            Word written{};
            EXPECT_TRUE(gp.is_write());
            EXPECT_EQ(address, gp.get_address());
            EXPECT_EQ(sizeof written, gp.get_data_length());
            std::memcpy(&written, gp.get_data_ptr(), sizeof written);
            EXPECT_EQ(word, written);
            EXPECT_EQ(ns(30), delay) << "in the cycle of the SM";
            return complete(gp, phase, delay);
        };
    }

    uint64_t cycle = 3;
    rf_pool pool{"pool"};
    window_clock clock{&cycle, ns(10)};
    zeroed_ptr<smrf_flights> flights{
        static_cast<smrf_flights *>(allocate_zeroed(sizeof(smrf_flights)))};
    smrf_wires ends{};
    std::vector<uint32_t> entered, over;
    wires lines;
    mock_initiator units{"units"};
    mock_target writeback{"writeback"}, wheel{"wheel"};
    std::vector<std::unique_ptr<mock_target>> issue;
    std::vector<std::unique_ptr<mock_initiator>> fences;
    ldst_module ldst;
};

constexpr uint64_t nine = 9 * SMRF_LOAD_SPAN;

} // namespace

TEST(LdstModule, TakesMemoryInstructionsFromTheirSubCore)
{
    bench b;
    uint32_t flight = 9;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 1, &flight, sizeof flight);
    EXPECT_EQ(b.units.fw(*gp, tlm::BEGIN_REQ, ns(30)), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    EXPECT_EQ(b.entered, std::vector<uint32_t>{9});
    gp->release();
    struct wrong {
        uint64_t sub;
        uint32_t flight;
        unsigned bytes;
    };
    for (const wrong &w :
         {wrong{0, 9, 4}, wrong{1, 8, 4}, wrong{1, SMRF_FLIGHTS, 4}, wrong{1, 9, 2}}) {
        flight = w.flight;
        gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, w.sub, &flight, w.bytes);
        expect_protocol_error(*gp, [&] { return b.units.fw(*gp, tlm::BEGIN_REQ, ns(30)); });
        gp->release();
    }
    EXPECT_EQ(b.entered.size(), 1u);
}

TEST(LdstModule, LearnsOfABarriersEndFromTheSubCoreOfItsWarp)
{
    bench b;
    uint32_t warp = 7;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 1, &warp, sizeof warp);
    EXPECT_EQ(b.fences[1]->fw(*gp, tlm::BEGIN_REQ, ns(30)), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    gp->release();
    struct wrong {
        uint64_t sub;
        uint32_t warp;
        unsigned bytes;
    };
    for (const wrong &w :
         {wrong{0, 7, 4}, wrong{2, 2, 4}, wrong{1, SMRF_MAX_WARPS + 1, 4}, wrong{1, 7, 2}}) {
        warp = w.warp;
        gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, w.sub, &warp, w.bytes);
        expect_protocol_error(*gp, [&] { return b.fences[1]->fw(*gp, tlm::BEGIN_REQ, ns(30)); });
        gp->release();
    }
    EXPECT_EQ(b.over, std::vector<uint32_t>{7});
}

TEST(LdstModule, OffersResultsUntilWriteBackTakesThem)
{
    bench b;
    for (const bool last : {false, true}) {
        for (const uint32_t answer : {uint32_t{SMRF_WORD_YES}, uint32_t{SMRF_WORD_NO}}) {
            b.writeback.fw = [=](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay) {
                EXPECT_TRUE(gp.is_read());
                EXPECT_EQ(nine + (last ? SMRF_LOAD_LAST_OFFER : SMRF_LOAD_OFFER), gp.get_address());
                std::memcpy(gp.get_data_ptr(), &answer, sizeof answer);
                return complete(gp, phase, delay);
            };
            EXPECT_EQ(answer == SMRF_WORD_YES, b.ldst.offer(9, last));
        }
    }
    EXPECT_EQ(b.pool.transactions(SMRF_PORT_KIND_offer), 4u);
}

TEST(LdstModule, ReportsWhenResultsComeAndThatTheyTakeNoPorts)
{
    bench b;
    bench::expect<uint64_t>(b.wheel, 9, 0x123456789a);
    b.ldst.later(9, 0x123456789a);
    bench::expect<uint32_t>(b.writeback, nine + SMRF_LOAD_PORTLESS, 9);
    b.ldst.portless(9);
    EXPECT_EQ(b.writeback.calls.size(), 1u);
    EXPECT_EQ(b.wheel.calls.size(), 1u);
}

TEST(LdstModule, AnswersGoToTheSubCoreOfTheirWarp)
{
    bench b;
    bench::expect<int32_t>(*b.issue[1], 4 * 7, -3);
    b.ldst.stores(7, -3);
    bench::expect<uint32_t>(*b.issue[1], SMRF_ANSWERED_ATOMIC, 9);
    b.ldst.answered(9);
    EXPECT_EQ(b.issue[1]->calls.size(), 2u);
    EXPECT_TRUE(b.issue[0]->calls.empty());
}
