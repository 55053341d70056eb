// SPDX-License-Identifier: Apache-2.0
// The issue stage's sockets: what it sends, that it gives every payload back, and what it makes of
// peers that do not do as they should.
#include "tests/support/block_bench.h"

#include "models/issue/issue_module.h"
#include "platform/config/config.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

smrf_config default_config()
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, "rtx2060-paper", &err)) << err.text;
    return cfg;
}

tlm::tlm_sync_enum complete(tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

struct bench {
    explicit bench(bool monitored = true)
        : issue("issue", smrf_issue_config{cfg.issue, cfg.scoreboard, cfg.sm, cfg.rf, 1, cfg.exec},
                {true, &clock, &pool, &ends})
    {
        ends = make_ends();
        results.socket.bind(issue.result_in[0]);
        answers.socket.bind(issue.answer_in[0]);
        reads.socket.bind(issue.collected_in[0]);
        if (monitored) {
            lines.connect(issue.instr_out[0], collectors.socket);
            lines.connect(issue.simt_out[0], simt.socket);
            lines.connect(issue.status_out[0], cache.socket);
            lines.connect(issue.flush_out[0], loads.socket);
        } else {
            issue.instr_out[0].bind(collectors.socket);
            issue.simt_out[0].bind(simt.socket);
            issue.status_out[0].bind(cache.socket);
            issue.flush_out[0].bind(loads.socket);
        }
        collectors.fw = simt.fw = cache.fw = loads.fw = complete;
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    // What the issue stage takes, as "name number number".
    smrf_wires make_ends()
    {
        smrf_wires w{};
        w.ctx = this;
        w.released = [](void *ctx, uint32_t flight, unsigned reg) {
            static_cast<bench *>(ctx)->note("released", flight, reg);
        };
        w.retired = [](void *ctx, uint32_t flight) {
            static_cast<bench *>(ctx)->note("retired", flight, 0);
        };
        w.settled = [](void *ctx, uint32_t flight) {
            static_cast<bench *>(ctx)->note("settled", flight, 0);
        };
        w.answered = [](void *ctx, uint32_t flight) {
            static_cast<bench *>(ctx)->note("answered", flight, 0);
        };
        w.stores = [](void *ctx, unsigned warp, int32_t delta) {
            static_cast<bench *>(ctx)->note("stores", warp, delta);
        };
        w.collected = [](void *ctx, uint32_t flight, uint32_t sources) {
            static_cast<bench *>(ctx)->note("collected", flight, sources);
        };
        return w;
    }
    void go_to(uint64_t to)
    {
        cycle = to;
        clock.tick();
    }
    void note(const std::string &name, int64_t first, int64_t second)
    {
        taken.push_back(name + " " + std::to_string(first) + " " + std::to_string(second));
    }
    void write(mock_initiator &by, uint64_t address, uint32_t word)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, address, &word, sizeof word);
        EXPECT_EQ(by.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        gp->release();
    }

    const smrf_config cfg = default_config();
    std::vector<std::string> taken;
    smrf_wires ends{};
    rf_pool pool{"pool"};
    wires lines;
    uint64_t cycle = 0;
    window_clock clock{&cycle, ns(7)};
    mock_target collectors{"collectors"}, simt{"simt"}, cache{"cache"}, loads{"loads"};
    mock_initiator results{"results"}, answers{"answers"}, reads{"reads"};
    issue_module issue;
};

} // namespace

TEST(IssueModule, AnInstructionGoesToItsUnitAtItsCycle)
{
    bench b;
    for (uint32_t unit = 0; unit < 2; unit++) {
        b.collectors.fw = [unit](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay) {
            uint32_t flight = 0;
            EXPECT_EQ(phase, tlm::BEGIN_REQ);
            EXPECT_TRUE(gp.is_write());
            EXPECT_EQ(gp.get_address(), unit);
            EXPECT_EQ(gp.get_data_length(), sizeof flight);
            EXPECT_EQ(gp.get_streaming_width(), sizeof flight);
            EXPECT_EQ(gp.get_byte_enable_ptr(), nullptr);
            std::memcpy(&flight, gp.get_data_ptr(), sizeof flight);
            EXPECT_EQ(flight, 1234 + unit);
            return complete(gp, phase, delay);
        };
        b.go_to(unit);
        b.issue.allocate(unit, 1234 + unit);
        ASSERT_EQ(b.collectors.calls.size(), unit + 1);
        EXPECT_EQ(b.collectors.calls[unit].time, ns(7 * unit));
        EXPECT_EQ(b.pool.in_use(), 0u);
    }
    EXPECT_TRUE(b.simt.calls.empty());
}

TEST(IssueModule, AResetForgetsItsWarpsAndWhatItCounted)
{
    bench b;
    smrf_issue_start(b.issue.core(), 0, 0, 0, 32);
    smrf_issue_hold(b.issue.core(), 0, 100);
    ASSERT_EQ(smrf_issue_next(b.issue.core()), 100u);
    b.issue.core()->stats.scheduler_cycles = 5;
    b.issue.reset();
    EXPECT_EQ(smrf_issue_next(b.issue.core()), SMRF_NEVER);
    EXPECT_EQ(b.issue.core()->resident, 0u);
    EXPECT_EQ(b.issue.core()->stats.scheduler_cycles, 0u);
}

TEST(IssueModule, ControlFlowGoesToTheSimtStackOfItsWarpAndItsMeaningIsReadBack)
{
    bench b;
    smrf_simt_line line{};
    line.pc = 0x120;
    line.mask = 0xf0f0;
    line.imm = 0x40;
    line.flow = SMRF_SIMT_FLOW_CALL;
    b.go_to(3);
    b.simt.fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        EXPECT_EQ(gp.get_address(), 17u);
        if (gp.is_write()) {
            EXPECT_EQ(gp.get_data_length(), simt_line_bytes);
            EXPECT_EQ(std::memcmp(gp.get_data_ptr(), to_bytes(line).data(), simt_line_bytes), 0);
        } else {
            EXPECT_EQ(gp.get_data_length(), simt_out_bytes);
            smrf_simt_out out{};
            out.active = 99;
            std::memcpy(gp.get_data_ptr(), to_bytes(out).data(), simt_out_bytes);
        }
        return complete(gp, phase, delay);
    };
    EXPECT_EQ(b.issue.line(17, line).active, 99u);
    ASSERT_EQ(b.simt.calls.size(), 2u);
    EXPECT_EQ(b.simt.calls[0].time, ns(21));
    EXPECT_EQ(b.simt.calls[1].time, ns(21));
    EXPECT_TRUE(b.collectors.calls.empty());
}

TEST(IssueModule, TheOperandCacheIsAskedWhichWarpsGoFirst)
{
    bench b;
    b.go_to(2);
    b.cache.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        const uint64_t warps = 0x8000000000000005;
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(gp.get_data_length(), sizeof warps);
        std::memcpy(gp.get_data_ptr(), &warps, sizeof warps);
        return complete(gp, phase, delay);
    };
    EXPECT_EQ(b.issue.status(), 0x8000000000000005);
    ASSERT_EQ(b.cache.calls.size(), 1u);
    EXPECT_EQ(b.cache.calls[0].time, ns(14));
}

TEST(IssueModule, TheLoadStoreUnitLearnsWhenABarrierIsOver)
{
    bench b;
    b.go_to(2);
    b.loads.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        uint32_t warp = 0;
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(gp.get_address(), 1u) << "the sub-core";
        EXPECT_EQ(gp.get_data_length(), sizeof warp);
        std::memcpy(&warp, gp.get_data_ptr(), sizeof warp);
        EXPECT_EQ(warp, 13u);
        return complete(gp, phase, delay);
    };
    b.issue.flush(13);
    ASSERT_EQ(b.loads.calls.size(), 1u);
    EXPECT_EQ(b.loads.calls[0].time, ns(14));
    EXPECT_EQ(b.pool.transactions(SMRF_PORT_KIND_flush), 1u);
}

TEST(IssueModule, APeerThatDoesNotCompleteOrFailsIsReported)
{
    bench b(false);
    for (tlm::tlm_sync_enum status : {tlm::TLM_ACCEPTED, tlm::TLM_UPDATED, tlm::TLM_COMPLETED}) {
        b.collectors.fw = [status](tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                   sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return status;
        };
        expected_reports reports("/smrf/tlm/phase");
        b.issue.allocate(0, 1);
        EXPECT_EQ(reports.seen.size(), 1u);
        EXPECT_EQ(b.pool.in_use(), 0u) << "the payload is given back all the same";
    }
}

TEST(IssueModule, AnAnswerThatComesLaterIsAnError)
{
    bench b(false);
    uint32_t slot = 0;
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 0, &slot, sizeof slot);
    expect_protocol_error(*gp, [&] { return b.collectors.bw(*gp, tlm::BEGIN_RESP); });
    expect_protocol_error(*gp, [&] { return b.simt.bw(*gp, tlm::END_REQ); });
    gp->release();
}

TEST(IssueModule, ResultsAnswersAndReadSourcesReachTheStage)
{
    bench b(false);
    b.write(b.results, 4 * 7, 30);
    b.write(b.results, 4 * (SMRF_DEPEND_UNIFORM + 2), 31);
    b.write(b.results, SMRF_RESULT_RETIRED, 32);
    b.write(b.results, SMRF_RESULT_SETTLED, 33);
    b.write(b.answers, 4 * 5, static_cast<uint32_t>(-2));
    b.write(b.answers, SMRF_ANSWERED_ATOMIC, 34);
    b.write(b.reads, 35, 0b101);
    EXPECT_EQ(b.taken, (std::vector<std::string>{"released 30 7", "released 31 258", "retired 32 0",
                                                 "settled 33 0", "stores 5 -2", "answered 34 0",
                                                 "collected 35 5"}));
}

TEST(IssueModule, WhatIsNoResultAnswerOrSourceIsAnError)
{
    bench b(false);
    struct wrong {
        mock_initiator &by;
        tlm::tlm_command command;
        uint64_t address;
        uint32_t word;
        unsigned bytes;
    };
    const tlm::tlm_command write = tlm::TLM_WRITE_COMMAND, read = tlm::TLM_READ_COMMAND;
    for (const wrong &w :
         {wrong{b.results, write, 0, SMRF_FLIGHTS, 4},
          wrong{b.results, write, 4 * (SMRF_DEPEND_UNIFORM + 256), 0, 4},
          wrong{b.results, write, SMRF_RESULT_SETTLED + 4, 0, 4}, wrong{b.results, read, 0, 0, 4},
          wrong{b.results, write, 0, 0, 2},
          wrong{b.answers, write, SMRF_ANSWERED_ATOMIC, SMRF_FLIGHTS, 4},
          wrong{b.answers, write, SMRF_ANSWERED_ATOMIC + 4, 0, 4}, wrong{b.answers, read, 0, 0, 4},
          wrong{b.reads, write, SMRF_FLIGHTS, 1, 4}, wrong{b.reads, write, 0, 1, 3}}) {
        uint32_t word = w.word;
        rf_payload *gp = payload(b.pool, w.command, w.address, &word, w.bytes);
        expect_protocol_error(*gp, [&] { return w.by.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    uint32_t word = 0;
    rf_payload *gp = payload(b.pool, write, 0, &word, sizeof word);
    for (tlm::tlm_phase phase : other_phases) {
        for (mock_initiator *by : {&b.results, &b.answers, &b.reads}) {
            expect_protocol_error(*gp, [&] { return by->fw(*gp, phase); });
        }
    }
    gp->release();
    EXPECT_TRUE(b.taken.empty());
    expect_refusals(*b.results.socket.operator->(), b.pool);
}
