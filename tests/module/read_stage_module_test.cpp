// SPDX-License-Identifier: Apache-2.0
// The sockets of the read stages: an instruction comes in, reads its operands in the cycles that
// are reserved, takes a result from the bypass and leaves; and peers that fail.
#include "tests/support/block_bench.h"

#include "models/read_stage/read_stage_module.h"
#include "models/wires/words.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t rows = 64, banks = 2;

smrf_read_stage_config config()
{
    smrf_read_stage_config cfg{};
    cfg.rf.banks = banks;
    cfg.rf.window = 3;
    cfg.rf.read_ports = 1;
    cfg.rf.unit_queue = 4;
    cfg.exec.int_interval = 2;
    return cfg;
}

struct bench {
    // merges: a mechanism may merge loaded registers.
    explicit bench(bool merges = false)
        : table(make_wires(merges)),
          block("read_stage", config(), {rows, flights.get(), &table, &clock, &pool})
    {
        if (merges) {
            parts = std::make_unique<mock_target>("parts");
            block.part_out[0].bind(parts->socket);
            parts->fw = complete();
        }
        block.collected_out[0].bind(issue.socket);
        block.dispatch_out[0].bind(units.socket);
        issue.fw = units.fw = complete();
        for (unsigned b = 0; b < banks; b++) {
            bank.push_back(std::make_unique<mock_target>(("bank_" + std::to_string(b)).c_str()));
            lines.connect(block.read_out[b], bank[b]->socket);
            bank[b]->fw = [this, b](tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                    sc_core::sc_time &delay) {
                reads.push_back({cycle, b});
                const uint32_t value = 100 + b;
                for (unsigned l = 0; l < SMRF_LANES && gp.is_read(); l++) {
                    std::memcpy(gp.get_data_ptr() + 4 * l, &value, 4);
                }
                delay += ns(10);
                gp.set_response_status(tlm::TLM_OK_RESPONSE);
                return tlm::TLM_COMPLETED;
            };
        }
        lines.connect(issuing.socket, block.instr_in[0]);
        lines.connect(merging.socket, block.instr_in[1]);
        lines.connect(draining.socket, block.drained_in[0]);
        lines.connect(writing.socket, block.write_in[0]);
        lines.connect(results.socket, block.forward_in[0]);
        elaborate();
        op.op_class = SMRF_CLASS_INT;
        smrf_flight &f = flights->record[7];
        f.op = &op;
        f.uid = 9;
        f.number = 1;
        f.unit = SMRF_UNIT_INT;
        f.mask = UINT32_MAX;
        f.num_src = f.num_read = 2;
        f.src[0] = {4, 0};
        f.src[1] = {5, 1};
        smrf_flight &older = flights->record[3];
        older.uid = 2;
        older.mask = 0x1;
        older.num_dst = 1;
        older.dst[0] = {4, 0};
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    static std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload &, tlm::tlm_phase &,
                                            sc_core::sc_time &)>
    complete()
    {
        return [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
    }
    tlm::tlm_response_status send(mock_initiator &from, tlm::tlm_command command, uint64_t address,
                                  void *data, unsigned bytes)
    {
        rf_payload *gp = payload(pool, command, address, data, bytes);
        EXPECT_EQ(from.fw(*gp, tlm::BEGIN_REQ, clock.delay()), tlm::TLM_COMPLETED);
        const tlm::tlm_response_status status = gp->get_response_status();
        gp->release();
        return status;
    }
    tlm::tlm_response_status enter(mock_initiator &from, uint32_t flight, unsigned bytes = 4)
    {
        return send(from, tlm::TLM_WRITE_COMMAND, 0, &flight, bytes);
    }
    // Cycles up to, not including, `until`.
    void go_on(uint64_t until)
    {
        for (cycle++; cycle < until; cycle++) {
            smrf_read_stage_step(block.core(), cycle);
        }
        cycle--;
    }
    smrf_wires make_wires(bool merges)
    {
        smrf_wires w{};
        w.mapped = merges;
        w.ctx = this;
        w.cycle = &cycle;
        w.values = &values;
        w.read = [](void *ctx, unsigned, unsigned, const uint32_t *words, unsigned n,
                    smrf_operand_latches *to) {
            return static_cast<bench *>(ctx)->block.read(words, n, to);
        };
        w.collected = [](void *ctx, uint32_t flight, uint32_t sources) {
            static_cast<bench *>(ctx)->block.collected(flight, sources);
        };
        w.dispatch = [](void *ctx, unsigned, uint32_t flight) {
            static_cast<bench *>(ctx)->block.dispatch(flight);
        };
        w.part = [](void *ctx, unsigned, uint32_t flight, unsigned i, const uint32_t *data) {
            static_cast<bench *>(ctx)->block.part(flight, i, data);
        };
        w.operands = [](void *ctx, uint32_t, uint32_t, const smrf_operand_latches *l, bool) {
            auto *b = static_cast<bench *>(ctx);
            b->first = l->data[0][0];
            b->second = l->data[0][1];
        };
        return w;
    }

    struct seen {
        uint64_t cycle;
        unsigned bank;
    };
    uint64_t cycle = 10;
    bool values = true;
    uint32_t first = 0, second = 0; // lanes 0 and 1 of the first operand
    std::vector<seen> reads;
    smrf_static_inst op{};
    rf_pool pool{"pool"};
    window_clock clock{&cycle, ns(10)};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    smrf_wires table;
    wires lines;
    std::vector<std::unique_ptr<mock_target>> bank;
    mock_target issue{"issue"}, units{"units"};
    std::unique_ptr<mock_target> parts;
    mock_initiator issuing{"issuing"}, merging{"merging"}, draining{"draining"}, writing{"writing"},
        results{"results"};
    read_stage_module block;
};

} // namespace

TEST(ReadStageModule, AnInstructionReadsInTheLastCycleOfItsWindowAndLeaves)
{
    bench b;
    ASSERT_EQ(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, 7));
    b.go_on(20);
    ASSERT_EQ(2u, b.reads.size());
    EXPECT_EQ(15u, b.reads[0].cycle)
        << "issued in 10, Control in 11, Allocate in 12, three cycles of reads";
    EXPECT_EQ(15u, b.reads[1].cycle);
    EXPECT_EQ(1u, b.issue.calls.size());
    EXPECT_EQ(1u, b.units.calls.size());
    EXPECT_EQ(100u, b.first);
}

TEST(ReadStageModule, AResultGoesToTheInstructionThatHasReadItsRegister)
{
    bench b;
    b.flights->record[7].src[1] = {6, 0}; // the same bank: one is read a cycle earlier
    ASSERT_EQ(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, 7));
    b.go_on(15);
    ASSERT_EQ(1u, b.reads.size());
    b.cycle++;
    uint32_t result[SMRF_LANES] = {77, 88};
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, b.send(b.results, tlm::TLM_WRITE_COMMAND,
                                           smrf_operand_address(3, 0), result, sizeof result));
    smrf_read_stage_step(b.block.core(), b.cycle);
    EXPECT_EQ(77u, b.first) << "the lane that was written";
    EXPECT_EQ(100u, b.second) << "and one that was not";
}

TEST(ReadStageModule, AMergeReadsItsPartsAndHoldsItsPlaceUntilItsUnitTakesIt)
{
    bench b(true);
    b.flights->record[7].unit = SMRF_UNIT_MERGE;
    const auto vacant = [&] {
        uint32_t word = 0;
        EXPECT_EQ(tlm::TLM_OK_RESPONSE,
                  b.send(b.merging, tlm::TLM_READ_COMMAND, 1, &word, sizeof word));
        b.cycle++;
        return word == SMRF_WORD_YES;
    };
    EXPECT_TRUE(vacant());
    ASSERT_EQ(tlm::TLM_OK_RESPONSE, b.enter(b.merging, 7));
    const uint64_t entered = b.cycle;
    b.cycle++;
    EXPECT_FALSE(vacant());
    b.cycle = entered;
    b.go_on(entered + 4);
    ASSERT_EQ(2u, b.reads.size());
    EXPECT_EQ(entered + 2, b.reads[0].cycle) << "looked at in the cycle after, then read";
    EXPECT_EQ(entered + 2, b.reads[1].cycle) << "another bank";
    EXPECT_EQ(2u, b.parts->calls.size());
    EXPECT_EQ(1u, b.units.calls.size());
    EXPECT_EQ(0u, b.issue.calls.size()) << "no source of an instruction has been collected";
    EXPECT_EQ(2u, b.block.core()->stats.part_reads);
    EXPECT_FALSE(vacant()) << "it stands in the latch before its unit";
    uint32_t word = SMRF_WORD_YES;
    EXPECT_EQ(tlm::TLM_OK_RESPONSE,
              b.send(b.draining, tlm::TLM_WRITE_COMMAND, SMRF_UNIT_MERGE, &word, sizeof word));
    EXPECT_TRUE(vacant());
}

TEST(ReadStageModule, AResultThatWaitsHoldsAWritePort)
{
    bench b;
    uint32_t word = 0, result[SMRF_LANES] = {};
    auto port = [&](unsigned bank) {
        EXPECT_EQ(tlm::TLM_OK_RESPONSE,
                  b.send(b.writing, tlm::TLM_READ_COMMAND, bank, &word, sizeof word));
        b.cycle++; // the monitors want transactions apart
        return word == SMRF_WORD_YES;
    };
    EXPECT_TRUE(port(0));
    EXPECT_FALSE(port(0)) << "once a cycle";
    smrf_read_stage_step(b.block.core(), b.cycle);
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, b.send(b.results, tlm::TLM_WRITE_COMMAND,
                                           smrf_operand_address(3, 0), result, sizeof result));
    EXPECT_FALSE(port(0));
    EXPECT_TRUE(port(1)) << "another bank's";
    smrf_read_stage_step(b.block.core(), b.cycle);
    EXPECT_TRUE(port(0));
}

TEST(ReadStageModule, RefusesWhatDoesNotFit)
{
    bench b;
    uint32_t word = 0, result[SMRF_LANES] = {};
    expected_reports errors("/smrf/tlm/phase");
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.enter(b.merging, 7)) << "no merge";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, SMRF_FLIGHTS)) << "no instruction";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, 7, 2)) << "half a number";
    ASSERT_EQ(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, 7));
    b.cycle++;
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.enter(b.issuing, 7)) << "Control is taken";
    EXPECT_NE(tlm::TLM_OK_RESPONSE,
              b.send(b.writing, tlm::TLM_READ_COMMAND, banks, &word, sizeof word))
        << "no such bank";
    EXPECT_NE(tlm::TLM_OK_RESPONSE,
              b.send(b.draining, tlm::TLM_WRITE_COMMAND, SMRF_UNIT_COUNT, &word, sizeof word))
        << "no such unit";
    EXPECT_NE(tlm::TLM_OK_RESPONSE, b.send(b.results, tlm::TLM_WRITE_COMMAND,
                                           smrf_operand_address(3, 1), result, sizeof result))
        << "no such destination";
    EXPECT_EQ(7u, errors.count("/smrf/tlm/phase"));
    b.block.reset();
    EXPECT_EQ(1u, b.block.core()->free);
}
