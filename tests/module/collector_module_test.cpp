// SPDX-License-Identifier: Apache-2.0
// The collector units' sockets: an instruction comes in, the operand cache is asked, the rest is
// requested, granted operands are read into the latches, a complete instruction is dispatched; and
// every way in which a peer can fail.
#include "tests/support/block_bench.h"

#include "models/collector/collector_module.h"
#include "models/common/smrf_bits.h"
#include "models/wires/words.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t units = 2, rows = 64;

tlm::tlm_sync_enum complete(tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

smrf_rf_params params()
{
    smrf_rf_params rf{};
    rf.collectors = units;
    rf.collector_slots = 1;
    rf.banks = 2;
    rf.dispatch = 1;
    return rf;
}

// Sub-core 3's units, alone.
struct bench {
    explicit bench(bool monitored = true, bool cached = false)
        : table(make_wires(cached)),
          block("units", params(), {3, rows, flights.get(), &table, &clock, &pool, true})
    {
        auto join = [&](auto &from, auto &to) {
            if (monitored) {
                lines.connect(from, to);
            } else {
                from.bind(to);
            }
        };
        auto peers = [&](auto &list, const char *name, auto &ports, uint32_t count) {
            for (uint32_t c = 0; c < count; c++) {
                list.push_back(std::make_unique<mock_target>((name + std::to_string(c)).c_str()));
                list[c]->fw = complete;
                join(ports[c], list[c]->socket);
            }
        };
        join(issue.socket, block.instr_in[0]);
        join(merges.socket, block.instr_in[1]);
        join(grants.socket, block.grant_in[0]);
        join(block.dispatch_out[0], execution.socket);
        execution.fw = complete;
        join(block.part_out[0], merge.socket);
        merge.fw = complete;
        block.collected_out[0].bind(stage.socket);
        stage.fw = complete;
        latches.socket.bind(block.drained_in[0]);
        peers(arbiter, "arbiter_", block.request_out, units);
        peers(xbar, "xbar_", block.read_out, units);
        peers(hit, "hit_", block.cache.hit_out, cached ? units : 0);
        peers(source, "source_", block.cache.source_out, cached ? units : 0);
        elaborate();
        smrf_flight &f = flights->record[5];
        f.op = &op;
        f.uid = 1;
        f.unit = SMRF_UNIT_SFU;
        f.num_src = 2;
        f.src[0].row = 10;
        f.src[1].row = 13;
        f.src[1].bank = 1;
        flights->record[6].op = &op;
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    smrf_wires make_wires(bool cached)
    {
        smrf_wires w{};
        w.ctx = this;
        w.cycle = &cycle;
        w.values = &looked_at;
        w.cached = cached;
        w.mapped = true;
        w.enter = [](void *ctx, unsigned, unsigned c, uint32_t flight, uint32_t(*data)[SMRF_LANES],
                     uint32_t *version) {
            return static_cast<bench *>(ctx)->block.cache.enter(c, flight, data, version);
        };
        w.request = [](void *ctx, unsigned, unsigned c, uint32_t flight, const uint32_t *words,
                       unsigned count) {
            static_cast<bench *>(ctx)->block.request(c, flight, words, count);
        };
        w.read = [](void *ctx, unsigned, unsigned c, const uint32_t *words, unsigned count,
                    smrf_operand_latches *to) {
            return static_cast<bench *>(ctx)->block.read(c, words, count, to);
        };
        w.source = [](void *ctx, unsigned, unsigned c, uint32_t flight, unsigned i,
                      const uint32_t *data, uint32_t version) {
            static_cast<bench *>(ctx)->block.cache.source(c, flight, i, data, version);
        };
        w.operands = [](void *ctx, uint32_t, uint32_t sources, const smrf_operand_latches *taken,
                        bool from_cache) {
            for (unsigned i = 0; i < SMRF_MAX_SRC; i++) {
                if (sources >> i & 1) {
                    static_cast<bench *>(ctx)->checked.push_back(
                        {i, taken->data[i][31], taken->version[i], from_cache});
                }
            }
        };
        w.collected = [](void *ctx, uint32_t flight, uint32_t sources) {
            EXPECT_EQ(flight, 5u);
            static_cast<bench *>(ctx)->collected += smrf_count_bits(sources);
        };
        w.leave = [](void *, unsigned sub, unsigned, uint32_t) { EXPECT_EQ(sub, 3u); };
        w.part = [](void *ctx, unsigned, uint32_t flight, unsigned i, const uint32_t *data) {
            static_cast<bench *>(ctx)->block.part(flight, i, data);
        };
        w.dispatch = [](void *ctx, unsigned, uint32_t flight) {
            static_cast<bench *>(ctx)->block.dispatch(flight);
        };
        return w;
    }
    tlm::tlm_response_status enter(uint64_t unit, uint32_t flight)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, unit, &flight, sizeof flight);
        EXPECT_EQ(issue.fw(*gp, tlm::BEGIN_REQ, clock.delay()), tlm::TLM_COMPLETED);
        const tlm::tlm_response_status status = gp->get_response_status();
        gp->release();
        return status;
    }
    void go_on(uint64_t cycles)
    {
        cycle += cycles;
        clock.tick();
    }
    uint32_t word(unsigned unit, unsigned i) const
    {
        return smrf_read_word(flights->record[5].src[i], unit, i);
    }
    void grant(unsigned unit, unsigned i)
    {
        uint32_t w = word(unit, i);
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, 5, &w, sizeof w);
        EXPECT_EQ(grants.fw(*gp, tlm::BEGIN_REQ, clock.delay()), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        gp->release();
    }
    // The crossbar answers with `value` in every lane, after `access`.
    void answer(unsigned unit, uint32_t value, const sc_core::sc_time &access)
    {
        xbar[unit]->fw = [=](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay) {
            auto *lane = reinterpret_cast<uint32_t *>(gp.get_data_ptr());
            std::fill(lane, lane + SMRF_LANES, value);
            register_fields(gp)->version = value + 1;
            delay += access;
            return complete(gp, phase, delay);
        };
    }

    struct check {
        unsigned source;
        uint32_t lane, version;
        bool cached;
        bool operator==(const check &o) const
        {
            return source == o.source && lane == o.lane && version == o.version &&
                   cached == o.cached;
        }
    };
    uint64_t cycle = 2;
    const bool looked_at = true;
    window_clock clock{&cycle, ns(10)};
    rf_pool pool{"pool"};
    wires lines;
    smrf_static_inst op{};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    std::vector<check> checked;
    unsigned collected = 0;
    smrf_wires table;
    mock_initiator issue{"issue"}, merges{"merges"}, grants{"grants"};
    mock_target execution{"execution"}, merge{"merge"}, stage{"stage"};
    mock_initiator latches{"latches"};
    std::vector<std::unique_ptr<mock_target>> arbiter, xbar, hit, source;
    collector_module block;
};

} // namespace

TEST(CollectorModule, AnInstructionAsksForAllItsSourcesInOneRequest)
{
    bench b;
    std::vector<uint32_t> asked;
    b.arbiter[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                           sc_core::sc_time &delay) {
        const auto *words = reinterpret_cast<const uint32_t *>(gp.get_data_ptr());
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(gp.get_address(), 5u) << "the instruction";
        EXPECT_EQ(gp.get_streaming_width(), gp.get_data_length());
        asked.assign(words, words + gp.get_data_length() / sizeof *words);
        return complete(gp, phase, delay);
    };
    EXPECT_EQ(b.enter(1, 5), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(asked, (std::vector<uint32_t>{b.word(1, 0), b.word(1, 1)}));
    ASSERT_EQ(b.arbiter[1]->calls.size(), 1u);
    EXPECT_EQ(b.arbiter[1]->calls[0].time, ns(20));
    EXPECT_TRUE(b.arbiter[0]->calls.empty());
    EXPECT_EQ(b.block.core()->free_mask, 1u);
    EXPECT_EQ(b.block.core()->ready_mask, 0u) << "its operands have not come";
    EXPECT_EQ(b.block.core()->unit[1].missing, 3u);
    EXPECT_EQ(b.collected, 0u);
}

TEST(CollectorModule, AnInstructionWithoutSourcesIsReadyAndAsksForNothing)
{
    bench b;
    EXPECT_EQ(b.enter(0, 6), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.block.core()->ready_mask, 1u);
    EXPECT_EQ(b.block.core()->unit[0].flight, 6u);
    EXPECT_TRUE(b.arbiter[0]->calls.empty());
}

TEST(CollectorModule, AResetFreesTheUnits)
{
    bench b;
    EXPECT_EQ(b.enter(0, 6), tlm::TLM_OK_RESPONSE);
    b.block.reset();
    EXPECT_EQ(b.block.core()->free_mask, 3u);
    EXPECT_EQ(b.block.core()->ready_mask, 0u);
    EXPECT_EQ(b.block.core()->unit[0].flight, SMRF_NO_FLIGHT);
}

TEST(CollectorModule, AGrantedOperandIsReadFromItsPlaceStraightIntoItsLatch)
{
    bench b;
    smrf_xbar map;
    ASSERT_EQ(0, smrf_xbar_init(&map, 2, rows));
    b.enter(1, 5);
    b.go_on(1);
    b.answer(1, 0x5a5a, ns(10));
    b.grant(1, 1);
    ASSERT_EQ(b.xbar[1]->calls.size(), 1u);
    EXPECT_EQ(b.xbar[1]->calls[0].time, ns(30));
    EXPECT_EQ(b.block.core()->latches[1].data[1][31], 0x5a5au);
    EXPECT_EQ(b.checked, (std::vector<bench::check>{{1, 0x5a5a, 0x5a5b, false}}));
    EXPECT_EQ(b.collected, 1u);
    EXPECT_EQ(b.block.core()->unit[1].missing, 1u);
    b.xbar[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                        sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(gp.get_address(), smrf_xbar_address(&map, b.flights->record[5].src[0]));
        EXPECT_EQ(gp.get_data_length(), SMRF_WARP_REG_BYTES);
        EXPECT_EQ(gp.get_byte_enable_ptr(), nullptr) << "a register is read as a whole";
        return complete(gp, phase, delay);
    };
    b.go_on(1);
    b.grant(1, 0);
    EXPECT_EQ(b.block.core()->ready_mask, 2u);
}

class bank_delay : public testing::TestWithParam<unsigned>
{
};

TEST_P(bank_delay, SaysWhenTheInstructionMayLeave)
{
    const unsigned cycles = GetParam();
    bench b(false);
    b.enter(0, 5);
    b.answer(0, 1, ns(10 * cycles));
    b.grant(0, 0);
    b.grant(0, 1);
    const uint64_t granted = b.cycle;
    for (; b.cycle < granted + cycles; b.go_on(1)) {
        EXPECT_FALSE(smrf_collectors_dispatch(b.block.core()));
        EXPECT_EQ(smrf_collectors_probe_next(b.block.core(), b.cycle), granted + cycles);
    }
    EXPECT_TRUE(smrf_collectors_dispatch(b.block.core()));
    ASSERT_EQ(b.execution.calls.size(), 1u);
    EXPECT_EQ(b.execution.calls[0].time, ns(10 * b.cycle));
    EXPECT_EQ(b.block.core()->free_mask, 3u);
}

INSTANTIATE_TEST_SUITE_P(CollectorModule, bank_delay, testing::Values(0u, 1u, 4u));

TEST(CollectorModule, AnInstructionIsDispatchedToItsUnitsLatchOnceThatIsFree)
{
    bench b;
    b.execution.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                        sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(gp.get_address(), unsigned{SMRF_UNIT_SFU});
        EXPECT_EQ(gp.get_data_length(), 4u);
        EXPECT_EQ(*reinterpret_cast<uint32_t *>(gp.get_data_ptr()), 6u);
        return complete(gp, phase, delay);
    };
    b.flights->record[6].unit = SMRF_UNIT_SFU;
    b.block.core()->units_full = 1u << SMRF_UNIT_SFU;
    b.enter(0, 6);
    EXPECT_FALSE(smrf_collectors_dispatch(b.block.core()));
    smrf_collectors_drained(b.block.core(), SMRF_UNIT_SFU);
    EXPECT_TRUE(smrf_collectors_dispatch(b.block.core()));
    EXPECT_EQ(b.execution.calls.size(), 1u);
    b.enter(0, 6);
    EXPECT_FALSE(smrf_collectors_dispatch(b.block.core())) << "it is occupied again";
}

TEST(CollectorModule, AMergesPartsGoToTheMergeUnitAndTheOperandCacheHearsNothingOfThem)
{
    bench b(true, true);
    std::vector<std::pair<uint64_t, uint32_t>> parts;
    b.merge.fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        uint32_t lane = 0;
        std::memcpy(&lane, gp.get_data_ptr() + 124, sizeof lane);
        parts.push_back({gp.get_address(), lane});
        return complete(gp, phase, delay);
    };
    b.flights->record[5].unit = SMRF_UNIT_MERGE;
    uint32_t number = 5;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 1, &number, sizeof number);
    EXPECT_EQ(b.merges.fw(*gp, tlm::BEGIN_REQ, b.clock.delay()), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    gp->release();
    b.answer(1, 111, ns(0));
    b.grant(1, 0);
    b.answer(1, 222, ns(0));
    b.grant(1, 1);
    EXPECT_TRUE(b.checked.empty());
    EXPECT_EQ(0u, b.collected);
    for (const auto *silent : {&b.hit, &b.source}) {
        for (const auto &peer : *silent) {
            EXPECT_TRUE(peer->calls.empty());
        }
    }
    EXPECT_EQ(2u, b.block.core()->stats.part_reads);
    EXPECT_EQ((std::vector<std::pair<uint64_t, uint32_t>>{{smrf_operand_address(5, 0), 111},
                                                          {smrf_operand_address(5, 1), 222}}),
              parts);
    EXPECT_TRUE(smrf_collectors_dispatch(b.block.core()));
}

TEST(CollectorModule, WhatTheOperandCacheHoldsIsNotRequested)
{
    bench b(true, true);
    b.hit[0]->fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                      sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(smrf_flight_of_address(gp.get_address()), 5u);
        const unsigned i = smrf_operand_of_address(gp.get_address());
        if (i == SMRF_OPERAND_MASK) {
            const uint32_t missing = 1;
            EXPECT_EQ(gp.get_data_length(), sizeof missing);
            std::memcpy(gp.get_data_ptr(), &missing, sizeof missing);
        } else {
            EXPECT_EQ(i, 1u);
            EXPECT_EQ(gp.get_data_length(), SMRF_WARP_REG_BYTES);
            std::memset(gp.get_data_ptr(), 0x77, SMRF_WARP_REG_BYTES);
            register_fields(gp)->version = 12;
        }
        return complete(gp, phase, delay);
    };
    b.enter(0, 5);
    EXPECT_EQ(b.checked, (std::vector<bench::check>{{1, 0x77777777, 12, true}}));
    EXPECT_EQ(b.block.core()->stats.cache_hits, 1u);
    EXPECT_EQ(b.block.core()->unit[0].missing, 1u);
    // What comes from a bank is shown to the cache.
    b.source[0]->fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                         sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(gp.get_address(), smrf_operand_address(5, 0));
        EXPECT_EQ(register_fields(gp)->version, 0x41u);
        EXPECT_EQ(*reinterpret_cast<uint32_t *>(gp.get_data_ptr()), 0x40u);
        return complete(gp, phase, delay);
    };
    b.answer(0, 0x40, ns(0));
    b.grant(0, 0);
    EXPECT_EQ(b.source[0]->calls.size(), 1u);
}

TEST(CollectorModule, WhatIsNoInstructionAtAUnitIsAnError)
{
    bench b(false);
    uint32_t flight[2] = {};
    struct wrong {
        uint64_t unit;
        unsigned bytes;
        uint32_t flight;
    };
    for (const wrong &w :
         {wrong{units, 4, 0}, wrong{0, 2, 0}, wrong{0, 8, 0}, wrong{0, 4, SMRF_FLIGHTS}}) {
        flight[0] = w.flight;
        rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, w.unit, flight, w.bytes);
        expect_protocol_error(*gp, [&] { return b.issue.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    flight[0] = 0;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 0, flight, 4);
    for (tlm::tlm_phase phase : other_phases) {
        expect_protocol_error(*gp, [&] { return b.issue.fw(*gp, phase); });
    }
    EXPECT_EQ(b.issue.socket->transport_dbg(*gp), 0u);
    EXPECT_EQ(b.grants.socket->transport_dbg(*gp), 0u);
    gp->release();
    EXPECT_EQ(b.block.core()->free_mask, smrf_collectors_all(b.block.core()));
}

TEST(CollectorModule, AGrantNamesAllSourcesThatMayBeRead)
{
    bench b;
    b.enter(1, 5);
    b.answer(1, 1, ns(0));
    uint32_t words[2] = {b.word(1, 0), b.word(1, 1)};
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 5, words, sizeof words);
    EXPECT_EQ(b.grants.fw(*gp, tlm::BEGIN_REQ, b.clock.delay()), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    gp->release();
    EXPECT_EQ(b.xbar[1]->calls.size(), 2u) << "a read a source";
    EXPECT_EQ(b.block.core()->ready_mask, 2u);
}

TEST(CollectorModule, ReadSourcesGoToTheIssueStageAndALeavingInstructionToTheOperandCache)
{
    bench b(false, true);
    std::vector<std::pair<uint64_t, uint32_t>> read, left;
    auto record = [](auto &to) {
        return [&to](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
            uint32_t word = 0;
            EXPECT_TRUE(gp.is_write());
            EXPECT_EQ(gp.get_data_length(), sizeof word);
            std::memcpy(&word, gp.get_data_ptr(), sizeof word);
            to.push_back({gp.get_address(), word});
            return complete(gp, phase, delay);
        };
    };
    b.stage.fw = record(read);
    b.hit[1]->fw = record(left);
    b.block.collected(5, 0b11);
    b.block.cache.leave(1, 5);
    EXPECT_EQ(read, (std::vector<std::pair<uint64_t, uint32_t>>{{5, 0b11}}));
    EXPECT_EQ(left, (std::vector<std::pair<uint64_t, uint32_t>>{
                        {smrf_operand_address(5, SMRF_OPERAND_MASK), 5}}));
}

TEST(CollectorModule, ADrainedLatchTakesTheNextInstruction)
{
    bench b;
    uint32_t free = SMRF_WORD_YES;
    b.flights->record[6].unit = SMRF_UNIT_SFU;
    b.block.core()->units_full = 1u << SMRF_UNIT_SFU;
    b.enter(0, 6);
    EXPECT_FALSE(smrf_collectors_dispatch(b.block.core()));
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, SMRF_UNIT_SFU, &free, sizeof free);
    EXPECT_EQ(b.latches.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    gp->set_address(SMRF_UNIT_COUNT);
    expect_protocol_error(*gp, [&] { return b.latches.fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
    EXPECT_TRUE(smrf_collectors_dispatch(b.block.core()));
}

TEST(CollectorModule, AMergeAsksWhetherAUnitIsVacant)
{
    bench b;
    b.enter(1, 6);
    for (unsigned unit = 0; unit < units; unit++) {
        uint32_t vacant = 77;
        rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, unit, &vacant, sizeof vacant);
        EXPECT_EQ(b.merges.fw(*gp, tlm::BEGIN_REQ, b.clock.delay()), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        gp->release();
        EXPECT_EQ(vacant, unit == 1 ? SMRF_WORD_NO : SMRF_WORD_YES);
    }
}

TEST(CollectorModule, AGrantThatNobodyWaitsForIsAnError)
{
    bench b(false);
    b.enter(1, 5);
    for (uint32_t word : {b.word(0, 0), b.word(1, 2)}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 5, &word, sizeof word);
        expect_protocol_error(*gp, [&] { return b.grants.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    uint32_t word = b.word(1, 0);
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 6, &word, sizeof word);
    expect_protocol_error(*gp, [&] { return b.grants.fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
    EXPECT_EQ(b.block.core()->unit[1].missing, 3u);
}

class failing_peer : public testing::TestWithParam<tlm::tlm_sync_enum>
{
};

TEST_P(failing_peer, IsReportedAndNothingLeaks)
{
    bench b(false);
    b.arbiter[0]->fw = b.xbar[0]->fw =
        b.execution.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return GetParam();
        };
    expected_reports reports("/smrf/tlm/phase");
    b.enter(0, 5);
    b.grant(0, 0);
    b.grant(0, 1);
    b.go_on(1);
    smrf_collectors_dispatch(b.block.core());
    EXPECT_EQ(reports.seen.size(), 4u);
    EXPECT_EQ(b.pool.in_use(), 0u);
}

INSTANTIATE_TEST_SUITE_P(CollectorModule, failing_peer,
                         testing::Values(tlm::TLM_ACCEPTED, tlm::TLM_UPDATED, tlm::TLM_COMPLETED));

TEST(CollectorModule, AnswersThatComeLaterAreErrors)
{
    bench b(false);
    uint32_t data[SMRF_LANES] = {};
    rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, 0, data, sizeof data);
    expect_protocol_error(*gp, [&] { return b.arbiter[0]->bw(*gp, tlm::BEGIN_RESP); });
    expect_protocol_error(*gp, [&] { return b.xbar[0]->bw(*gp, tlm::END_REQ); });
    gp->release();
}

TEST(CollectorModule, NoDmiAndNoBlockingCalls)
{
    bench b(false);
    expect_refusals(*b.issue.socket.operator->(), b.pool);
    expect_refusals(*b.grants.socket.operator->(), b.pool);
}
