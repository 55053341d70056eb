// SPDX-License-Identifier: Apache-2.0
// The arbiter's request sockets: requests enter its queues as they came, everything else is
// refused.
#include "tests/support/block_bench.h"

#include "models/arbiter/arbiter_module.h"
#include "models/flight/flight.h"
#include "models/wires/words.h"

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t banks = 4, units = 3;

struct bench {
    explicit bench(bool monitored = true)
        : arbiter("arbiter", {banks, units, 1, 16, false, 1}, 2, table, clock, pool, 1)
    {
        auto join = [&](auto &from, auto &to) {
            if (monitored) {
                lines.connect(from, to);
            } else {
                from.bind(to);
            }
        };
        for (uint32_t c = 0; c < units; c++) {
            unit.push_back(std::make_unique<mock_initiator>(("unit_" + std::to_string(c)).c_str()));
            join(unit[c]->socket, arbiter.request_in[c]);
        }
        join(arbiter.grant_out[0], collectors.socket);
        join(writes.socket, arbiter.write_in[0]);
        table.ctx = this;
        table.grant = [](void *ctx, unsigned sub, uint32_t flight, const uint32_t *words,
                         unsigned count) {
            EXPECT_EQ(sub, 2u);
            static_cast<bench *>(ctx)->arbiter.grant(flight, words, count);
        };
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    rf_payload *request(uint32_t flight, uint32_t *words, unsigned bytes)
    {
        return payload(pool, tlm::TLM_WRITE_COMMAND, flight, words, bytes);
    }
    const uint64_t cycle = 7;
    window_clock clock{&cycle, ns(10)};
    smrf_wires table{};
    rf_pool pool{"pool"};
    wires lines;
    arbiter_module arbiter;
    std::vector<std::unique_ptr<mock_initiator>> unit;
    mock_target collectors{"collectors"};
    mock_initiator writes{"writes"};
};

uint32_t word_of(unsigned bank, unsigned collector, unsigned source)
{
    const smrf_register_place at = {static_cast<uint16_t>(10 * bank + source),
                                    static_cast<uint8_t>(bank)};
    return smrf_read_word(at, collector, source);
}

} // namespace

TEST(ArbiterModule, AnInstructionsReadsEnterTheQueuesOfTheirBanksInOrder)
{
    bench b;
    for (unsigned c = 0; c < units; c++) {
        uint32_t words[3] = {word_of(1, c, 0), word_of(3, c, 1), word_of(1, c, 2)};
        rf_payload *gp = b.request(77 + c, words, sizeof words);
        sc_core::sc_time delay = ns(4);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(b.unit[c]->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, ns(4)) << "queueing takes no time of its own";
        gp->release();
    }
    smrf_arbiter *core = b.arbiter.core();
    EXPECT_EQ(core->waiting, 0b1010u);
    EXPECT_EQ(smrf_arbiter_probe_count(core, 1), 2 * units);
    EXPECT_EQ(smrf_arbiter_probe_count(core, 3), units);
    for (unsigned c = 0; c < units; c++) {
        const smrf_waiting_read *head = smrf_arbiter_entry(core, 1, 2 * c);
        EXPECT_EQ(smrf_read_collector(head->word), c);
        EXPECT_EQ(smrf_read_source(head->word), 0u);
        EXPECT_EQ(head->flight, 77 + c);
        EXPECT_EQ(smrf_read_at(head->word).row, 10u);
        EXPECT_EQ(smrf_read_source(smrf_arbiter_entry(core, 1, 2 * c + 1)->word), 2u);
        EXPECT_EQ(smrf_read_source(smrf_arbiter_entry(core, 3, c)->word), 1u);
    }
}

TEST(ArbiterModule, AResetForgetsWhatWaits)
{
    bench b;
    uint32_t words[2] = {word_of(1, 0, 0), word_of(1, 0, 1)};
    rf_payload *gp = b.request(77, words, sizeof words);
    sc_core::sc_time delay = ns(4);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    b.unit[0]->socket->nb_transport_fw(*gp, phase, delay);
    gp->release();
    ASSERT_TRUE(smrf_arbiter_probe_busy(b.arbiter.core()));
    b.arbiter.reset();
    EXPECT_FALSE(smrf_arbiter_probe_busy(b.arbiter.core()));
    EXPECT_EQ(smrf_arbiter_probe_count(b.arbiter.core(), 1), 0u);
}

TEST(ArbiterModule, AGrantGoesToTheCollectorsInTheScriptsCycle)
{
    bench b;
    uint32_t word = word_of(2, 1, 4);
    rf_payload *gp = b.request(99, &word, sizeof word);
    EXPECT_EQ(b.unit[1]->fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    gp->release();
    b.collectors.fw = [&](tlm::tlm_generic_payload &granted, tlm::tlm_phase &, sc_core::sc_time &) {
        EXPECT_TRUE(granted.is_write());
        EXPECT_EQ(granted.get_address(), 99u);
        EXPECT_EQ(granted.get_data_length(), sizeof word);
        EXPECT_EQ(*reinterpret_cast<uint32_t *>(granted.get_data_ptr()), word);
        granted.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    EXPECT_EQ(1u, smrf_arbiter_step(b.arbiter.core()));
    ASSERT_EQ(b.collectors.calls.size(), 1u);
    EXPECT_EQ(b.collectors.calls[0].time, ns(70));
}

TEST(ArbiterModule, CollectorsThatDoNotTakeAGrantAreReported)
{
    bench b(false);
    uint32_t word = word_of(2, 1, 4);
    for (tlm::tlm_sync_enum sync : {tlm::TLM_ACCEPTED, tlm::TLM_UPDATED, tlm::TLM_COMPLETED}) {
        rf_payload *gp = b.request(99, &word, sizeof word);
        b.unit[1]->fw(*gp, tlm::BEGIN_REQ);
        gp->release();
        b.collectors.fw = [sync](tlm::tlm_generic_payload &granted, tlm::tlm_phase &,
                                 sc_core::sc_time &) {
            granted.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return sync;
        };
        expected_reports reports("/smrf/tlm/phase");
        smrf_arbiter_step(b.arbiter.core());
        EXPECT_EQ(reports.seen.size(), 1u);
    }
}

TEST(ArbiterModule, WhatIsNoListOfReadsIsAnError)
{
    bench b(false);
    uint32_t words[SMRF_MAX_SRC + 1] = {word_of(0, 0, 0), word_of(1, 0, 1)};
    for (unsigned bytes : {0u, 1u, 3u, 10u, unsigned{sizeof words}}) {
        rf_payload *gp = b.request(0, words, bytes);
        expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    rf_payload *gp = b.request(SMRF_FLIGHTS, words, 8);
    expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->set_address(0);
    gp->set_read();
    expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->set_write();
    for (tlm::tlm_phase phase : other_phases) {
        expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, phase); });
    }
    gp->release();
    EXPECT_EQ(b.arbiter.core()->waiting, 0u) << "nothing was queued";
}

TEST(ArbiterModule, AReadOfNoBankOrForAnotherCollectorIsAnErrorAndNothingOfItsListIsQueued)
{
    bench b(false);
    for (uint32_t wrong : {word_of(banks, 0, 1), word_of(1, 1, 1)}) {
        uint32_t words[2] = {word_of(0, 0, 0), wrong};
        rf_payload *gp = b.request(0, words, sizeof words);
        expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    EXPECT_EQ(b.arbiter.core()->waiting, 0u);
}

TEST(ArbiterModule, NoDebugNoDmiNoBlockingCalls)
{
    bench b(false);
    uint32_t word = word_of(0, 0, 0);
    rf_payload *gp = b.request(0, &word, sizeof word);
    EXPECT_EQ(b.unit[0]->socket->transport_dbg(*gp), 0u) << "queues hold nothing to look at";
    gp->release();
    expect_refusals(*b.unit[0]->socket.operator->(), b.pool);
}

TEST(ArbiterModule, AWriteTakesABankOnceAStep)
{
    bench b(false);
    uint32_t word = 77;
    rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, 3, &word, sizeof word);
    for (const unsigned expected : {SMRF_WORD_YES, SMRF_WORD_NO}) {
        EXPECT_EQ(b.writes.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(word, expected);
    }
    smrf_arbiter_step(b.arbiter.core());
    EXPECT_EQ(b.writes.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(word, unsigned{SMRF_WORD_YES}) << "the next step";
    gp->set_address(banks);
    expect_protocol_error(*gp, [&] { return b.writes.fw(*gp, tlm::BEGIN_REQ); });
    gp->set_address(0);
    gp->set_write();
    expect_protocol_error(*gp, [&] { return b.writes.fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
    EXPECT_EQ(b.arbiter.core()->write_mask, 1u << 3);
}
