// SPDX-License-Identifier: Apache-2.0
// The sockets of the execution units and their write-back: instructions that come in, results that
// go to banks and to the operand cache, evictions, merges; and peers that fail.
#include "tests/support/block_bench.h"

#include "models/units/units_module.h"
#include "models/wires/words.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t rows = 64, banks = 2, subcores = 2;

tlm::tlm_sync_enum complete(tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

smrf_units_config config()
{
    smrf_units_config cfg{};
    cfg.subcores = subcores;
    cfg.exec.result_buses = 8;
    cfg.merge_latency = 4;
    return cfg;
}

smrf_rf_params params()
{
    smrf_rf_params rf{};
    rf.banks = banks;
    rf.write_queue = 8;
    return rf;
}

struct bench {
    bench() : block("units", config(), params(), {rows, flights.get(), &table, &clock, &pool})
    {
        for (unsigned s = 0; s < subcores; s++) {
            const std::string id = std::to_string(s);
            execution.push_back(std::make_unique<mock_initiator>(("from_" + id).c_str()));
            cache.push_back(std::make_unique<mock_target>(("cache_" + id).c_str()));
            lines.connect(execution[s]->socket, block.dispatch_in[s]);
            block.result_out[s].bind(cache[s]->socket);
            cache[s]->fw = complete;
            auto peer = [&](auto &list, const char *name, auto &port) {
                list.push_back(std::make_unique<mock_target>((name + id).c_str()));
                port.bind(list[s]->socket);
                list[s]->fw = complete;
            };
            peer(collectors, "collectors_", block.drained_out[s]);
            peer(arbiter, "arbiter_", block.port_out[s]);
            peer(issue, "issue_", block.settled_out[s]);
            for (unsigned b = 0; b < banks; b++) {
                bank.push_back(std::make_unique<mock_target>(
                    ("bank_" + id + "_" + std::to_string(b)).c_str()));
                block.write_out(s, b).bind(bank.back()->socket);
                bank.back()->fw = complete;
            }
        }
        lines.connect(block.access_out[0], memory.socket);
        memory.fw = complete;
        lines.connect(loads.socket, block.load_in[0]);
        lines.connect(laters.socket, block.later_in[0]);
        lines.connect(block.merged_out[0], merge.socket);
        merge.fw = complete;
        elaborate();
        smrf_flight &f = flights->record[7];
        f = {};
        f.op = &op;
        f.sub = 1;
        f.unit = SMRF_UNIT_SFU;
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    tlm::tlm_response_status dispatch(uint64_t unit, uint32_t flight, unsigned bytes = 4)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, unit, &flight, bytes);
        EXPECT_EQ(execution[1]->fw(*gp, tlm::BEGIN_REQ, clock.delay()), tlm::TLM_COMPLETED);
        const tlm::tlm_response_status status = gp->get_response_status();
        gp->release();
        return status;
    }
    smrf_write result(uint32_t lanes)
    {
        smrf_write w{};
        w.data = row;
        w.lanes = lanes;
        w.version = 31;
        w.flight = 7;
        w.at = {9, 1};
        w.sub = 1;
        w.destination = 2;
        return w;
    }
    smrf_wires make_wires()
    {
        smrf_wires w{};
        w.ctx = this;
        w.cycle = &cycle;
        w.values = &values;
        w.cached = true;
        return w;
    }
    mock_target &bank_of(unsigned sub, unsigned index)
    {
        return *bank[sub * banks + index];
    }

    uint64_t cycle = 5;
    bool values = true;
    smrf_static_inst op{};
    uint32_t row[SMRF_LANES] = {11, 22, 33};
    rf_pool pool{"pool"};
    window_clock clock{&cycle, ns(10)};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    smrf_wires table = make_wires();
    wires lines;
    std::vector<std::unique_ptr<mock_initiator>> execution;
    std::vector<std::unique_ptr<mock_target>> cache, bank, collectors, arbiter, issue;
    mock_target merge{"merge"}, memory{"memory"};
    mock_initiator loads{"loads"}, laters{"laters"};
    units_module block;
};

} // namespace

TEST(UnitsModule, AnInstructionGoesToTheFreeLatchOfItsUnitAndNowhereElse)
{
    bench b;
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, 7));
    const unsigned latch = smrf_units_latch_of(1, SMRF_UNIT_SFU);
    EXPECT_EQ(UINT64_C(1) << latch, b.block.units()->full);
    EXPECT_EQ(7u, b.block.units()->latched[latch]);
    expected_reports errors("/smrf/tlm/phase");
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, 7)) << "occupied";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SP, 7)) << "another unit's";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, SMRF_FLIGHTS)) << "no instruction";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, 7, 2)) << "half a number";
    EXPECT_EQ(4u, errors.count("/smrf/tlm/phase"));
}

TEST(UnitsModule, AResetEmptiesTheLatches)
{
    bench b;
    ASSERT_EQ(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, 7));
    b.block.writeback()->stats.bank_writes = 3;
    b.block.reset();
    EXPECT_EQ(0u, b.block.units()->full);
    EXPECT_EQ(0u, b.block.writeback()->stats.bank_writes);
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, b.dispatch(SMRF_UNIT_SFU, 7)) << "free again";
}

TEST(UnitsModule, AResultIsWrittenToItsRowWithItsLanesEnabled)
{
    bench b;
    unsigned seen = 0;
    b.bank_of(1, 1).fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay) {
        uint32_t lanes = 0;
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(9u * SMRF_WARP_REG_BYTES, gp.get_address());
        EXPECT_TRUE(whole_lanes(gp, lanes));
        EXPECT_EQ(0x5u, lanes);
        EXPECT_EQ(0, std::memcmp(gp.get_data_ptr(), b.row, sizeof b.row));
        EXPECT_EQ(31u, register_fields(gp)->version);
        EXPECT_EQ(ns(50), delay) << "in the cycle of the SM";
        seen++;
        return complete(gp, phase, delay);
    };
    b.block.write(b.result(0x5));
    EXPECT_EQ(1u, seen);
    EXPECT_TRUE(b.bank_of(0, 1).calls.empty());
    EXPECT_TRUE(b.bank_of(1, 0).calls.empty());
}

TEST(UnitsModule, TheOperandCacheGetsTheWholeRegisterAndSaysWhetherItKeptIt)
{
    bench b;
    const uint32_t in_bank[SMRF_LANES] = {1, 2, 3, 4};
    b.bank_of(1, 1).dbg = [&](tlm::tlm_generic_payload &gp) {
        std::memcpy(gp.get_data_ptr(), in_bank, sizeof in_bank);
        return unsigned(sizeof in_bank);
    };
    for (bool kept : {true, false}) {
        b.cache[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay) {
            EXPECT_EQ(smrf_operand_address(7, 2), gp.get_address());
            EXPECT_EQ(0, std::memcmp(gp.get_data_ptr(), in_bank, sizeof in_bank))
                << "with the lanes that were not written";
            register_fields(gp)->kept = kept;
            return complete(gp, phase, delay);
        };
        EXPECT_EQ(kept, b.block.result(b.result(0x1)));
    }
}

TEST(UnitsModule, WhatNoBankTakesGoesToTheOperandCacheLaneByLane)
{
    bench b;
    b.cache[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                         sc_core::sc_time &delay) {
        uint32_t lanes = 0;
        EXPECT_EQ(smrf_operand_address(7, SMRF_OPERAND_ALONE + 2), gp.get_address());
        EXPECT_TRUE(whole_lanes(gp, lanes));
        EXPECT_EQ(0x3u, lanes);
        EXPECT_EQ(31u, register_fields(gp)->version);
        return complete(gp, phase, delay);
    };
    b.block.keep(b.result(0x3));
    EXPECT_EQ(1u, b.cache[1]->calls.size());
}

TEST(UnitsModule, AnEvictionIsReadFromTheOperandCacheAtItsToken)
{
    bench b;
    b.cache[0]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                         sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(77u, gp.get_address());
        uint32_t word[SMRF_EVICTION_WORDS] = {5, 6};
        EXPECT_EQ(sizeof word, gp.get_data_length());
        word[SMRF_LANES] = 0xf;
        word[SMRF_LANES + 1] = 99;
        std::memcpy(gp.get_data_ptr(), word, sizeof word);
        return complete(gp, phase, delay);
    };
    uint32_t data[SMRF_LANES] = {}, version = 0;
    EXPECT_EQ(0xfu, b.block.evict(0, 77, data, &version));
    EXPECT_EQ(99u, version);
    EXPECT_EQ(5u, data[0]);
    EXPECT_EQ(6u, data[1]);
}

TEST(UnitsModule, AMergesResultIsReadFromTheMergeUnit)
{
    bench b;
    b.merge.fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(smrf_operand_address(7, 2), gp.get_address());
        EXPECT_EQ(128u, gp.get_data_length());
        gp.get_data_ptr()[124] = 9;
        return complete(gp, phase, delay);
    };
    uint32_t data[SMRF_LANES] = {};
    b.block.merged(7, 2, data);
    EXPECT_EQ(9u, data[31]);
    EXPECT_EQ(1u, b.merge.calls.size());
}

namespace
{

// What a peer is sent: the address and the word of each write.
void record(mock_target &peer, std::vector<std::pair<uint64_t, uint32_t>> &to)
{
    peer.fw = [&to](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        uint32_t word = 0;
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(sizeof word, gp.get_data_length());
        EXPECT_EQ(ns(50), delay) << "in the cycle of the SM";
        std::memcpy(&word, gp.get_data_ptr(), sizeof word);
        to.push_back({gp.get_address(), word});
        return complete(gp, phase, delay);
    };
}

} // namespace

TEST(UnitsModule, LatchesAndResultsAreReportedToTheSubCoreOfTheInstruction)
{
    bench b;
    std::vector<std::pair<uint64_t, uint32_t>> drained, settled, entered;
    record(*b.collectors[1], drained);
    record(*b.issue[1], settled);
    record(b.memory, entered);
    b.block.drained(1, SMRF_UNIT_SFU);
    b.block.access(7);
    b.block.released(7, 12);
    b.block.retired(7);
    b.block.settled(7);
    using list = std::vector<std::pair<uint64_t, uint32_t>>;
    EXPECT_EQ(drained, (list{{SMRF_UNIT_SFU, SMRF_WORD_YES}}));
    EXPECT_EQ(entered, (list{{1, 7}}));
    EXPECT_EQ(settled, (list{{48, 7}, {SMRF_RESULT_RETIRED, 7}, {SMRF_RESULT_SETTLED, 7}}));
    EXPECT_TRUE(b.issue[0]->calls.empty());
    EXPECT_TRUE(b.collectors[0]->calls.empty());
}

TEST(UnitsModule, AWriteTakesItsBankOnlyIfTheArbiterSaysSo)
{
    bench b;
    for (const uint32_t answer : {uint32_t{SMRF_WORD_YES}, uint32_t{SMRF_WORD_NO}}) {
        b.arbiter[1]->fw = [answer](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay) {
            EXPECT_TRUE(gp.is_read());
            EXPECT_EQ(1u, gp.get_address());
            std::memcpy(gp.get_data_ptr(), &answer, sizeof answer);
            return complete(gp, phase, delay);
        };
        EXPECT_EQ(answer == SMRF_WORD_YES, b.block.port(1, 1));
    }
}

TEST(UnitsModule, TheOperandCacheSaysWhetherItAloneTakesAResult)
{
    bench b;
    for (const uint32_t answer : {uint32_t{SMRF_WORD_YES}, uint32_t{SMRF_WORD_NO}}) {
        b.cache[1]->fw = [answer](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay) {
            EXPECT_TRUE(gp.is_read());
            EXPECT_EQ(smrf_operand_address(7, SMRF_OPERAND_ALONE + 3), gp.get_address());
            std::memcpy(gp.get_data_ptr(), &answer, sizeof answer);
            return complete(gp, phase, delay);
        };
        EXPECT_EQ(answer == SMRF_WORD_YES, b.block.alone(7, 3));
    }
}

TEST(UnitsModule, ALoadsResultsComeInTheCycleThatItNames)
{
    bench b;
    uint64_t due = 9;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 7, &due, sizeof due);
    EXPECT_EQ(b.laters.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    gp->release();
    EXPECT_EQ(9u, b.flights->record[7].due);
    EXPECT_TRUE(smrf_units_probe_results(b.block.units(), 9));
}

TEST(UnitsModule, WhatIsNoResultOfALoadIsAnError)
{
    bench b;
    uint64_t word = 0;
    struct wrong {
        tlm::tlm_command command;
        uint64_t address;
        unsigned bytes;
    };
    const tlm::tlm_command write = tlm::TLM_WRITE_COMMAND, read = tlm::TLM_READ_COMMAND;
    const uint64_t seven = uint64_t{7} * SMRF_LOAD_SPAN;
    for (const wrong &w :
         {wrong{write, seven + SMRF_LOAD_OFFER, 4}, wrong{read, seven + SMRF_LOAD_OFFER, 8},
          wrong{read, seven + SMRF_LOAD_PORTLESS, 4}, wrong{write, seven + SMRF_LOAD_PORTLESS, 8},
          wrong{write, seven + SMRF_LOAD_PORTLESS + 1, 4},
          wrong{read, uint64_t{SMRF_FLIGHTS} * SMRF_LOAD_SPAN, 4}}) {
        rf_payload *gp = payload(b.pool, w.command, w.address, &word, w.bytes);
        expect_protocol_error(*gp, [&] { return b.loads.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    for (const wrong &w : {wrong{write, 7, 4}, wrong{read, 7, 8}, wrong{write, SMRF_FLIGHTS, 8}}) {
        rf_payload *gp = payload(b.pool, w.command, w.address, &word, w.bytes);
        expect_protocol_error(*gp, [&] { return b.laters.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
}

TEST(UnitsModule, APeerThatFailsIsReported)
{
    bench b;
    for (auto *peer : {&b.bank_of(1, 1), b.cache[1].get()}) {
        peer->fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
    }
    expected_reports errors("/smrf/tlm/phase");
    b.block.write(b.result(UINT32_MAX));
    b.block.result(b.result(UINT32_MAX));
    b.block.keep(b.result(UINT32_MAX));
    EXPECT_EQ(3u, errors.count("/smrf/tlm/phase"));
}

TEST(UnitsModule, NoDmiAndNoBlockingCalls)
{
    bench b;
    expect_refusals(*b.execution[0]->socket.operator->(), b.pool);
}
