// SPDX-License-Identifier: Apache-2.0
// Every way in which a target may answer, one at a time: the initiator must come to the same end
// whichever a target chooses. A core cycle is 1 ns throughout.
#include "models/tlm/memory_port.h"

#include "tests/support/expected_reports.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <sysc/kernel/sc_dynamic_processes.h>
#include <vector>

using namespace smrf;
using namespace smrf_test;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace
{

struct answered {
    smrf_mem_response response;
    bool has_data;
    std::array<uint8_t, 32> data;
};

struct bench {
    std::vector<answered> answers;
    std::vector<uint64_t> frees;
    mock_target target{"target"};
    memory_port port;

    explicit bench(uint32_t response_interval = 0)
        : port("port", options(response_interval), events())
    {
        port.socket.bind(target.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ~bench()
    {
        EXPECT_TRUE(port.pool().check_empty());
        EXPECT_EQ(port.sent(), port.answered());
        EXPECT_EQ(answers.size(), port.answered());
    }

    static memory_port_options options(uint32_t response_interval)
    {
        memory_port_options o;
        o.sm = 5;
        o.period_ps = 1000;
        o.bus.response_cycles = response_interval;
        return o;
    }
    memory_port_events events()
    {
        memory_port_events e;
        e.ctx = this;
        e.on_free = [](void *ctx, uint64_t cycle) {
            static_cast<bench *>(ctx)->frees.push_back(cycle);
        };
        e.on_response = [](void *ctx, const smrf_mem_response *r, const uint8_t *data) {
            answered a = {*r, data != nullptr, {}};
            if (data != nullptr) {
                std::memcpy(a.data.data(), data, 32);
            }
            static_cast<bench *>(ctx)->answers.push_back(a);
        };
        e.write_data = [](void *, const smrf_mem_request *r, uint8_t *data) {
            std::memset(data, static_cast<int>(r->id), 32);
            return UINT32_MAX;
        };
        return e;
    }
    bool send(uint64_t cycle, uint32_t id = 1, uint8_t kind = SMRF_MEM_READ,
              uint32_t mask = 0xffffffff)
    {
        smrf_mem_request r = {};
        r.address = 0x1000 + 32 * id;
        r.cycle = cycle;
        r.id = id;
        r.byte_mask = mask;
        r.sm = 5;
        r.kind = kind;
        smrf_mem_port c = port.c_port();
        return c.send(c.ctx, &r);
    }
    tlm_generic_payload &last()
    {
        return *target.calls.back().gp;
    }
};

mock_target::nb answer_with(tlm_sync_enum status, tlm_phase set_phase, uint64_t delay_ns,
                            bool response)
{
    return [=](tlm_generic_payload &gp, tlm_phase &phase, sc_core::sc_time &delay) {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        if (response) {
            gp.set_response_status(tlm::TLM_OK_RESPONSE);
            if (gp.is_read()) {
                std::memset(gp.get_data_ptr(), 0x5a, gp.get_data_length());
            }
        }
        if (status == tlm::TLM_UPDATED) {
            phase = set_phase;
        }
        delay += ns(delay_ns);
        return status;
    };
}

} // namespace

TEST(MemoryPort, RequestCarriesWhatTheLoadStoreUnitAsked)
{
    bench b;
    ASSERT_TRUE(b.send(3, 9, SMRF_MEM_WRITE, 0x0000ff01));
    ASSERT_EQ(b.target.calls.size(), 1u);
    tlm_generic_payload &gp = b.last();
    EXPECT_EQ(b.target.calls[0].phase, tlm::BEGIN_REQ);
    EXPECT_EQ(b.target.calls[0].time, ns(3)) << "annotated with its cycle";
    EXPECT_TRUE(gp.is_write());
    EXPECT_EQ(gp.get_address(), 0x1000u + 32 * 9);
    EXPECT_EQ(gp.get_data_length(), 32u);
    EXPECT_EQ(gp.get_streaming_width(), 32u);
    EXPECT_EQ(gp.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_FALSE(gp.is_dmi_allowed());
    ASSERT_EQ(gp.get_byte_enable_length(), 32u);
    for (unsigned i = 0; i < 32; i++) {
        EXPECT_EQ(gp.get_byte_enable_ptr()[i] != 0, i == 0 || (i >= 8 && i < 16));
        EXPECT_EQ(gp.get_data_ptr()[i], 9);
    }
    ASSERT_NE(gp.get_extension<mem_extension>(), nullptr);
    EXPECT_EQ(gp.get_extension<mem_extension>()->fields.id, 9u);
    EXPECT_EQ(gp.get_extension<mem_extension>()->fields.sm, 5u);
    EXPECT_EQ(gp.get_extension<mem_extension>()->fields.kind, SMRF_MEM_WRITE);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    b.target.bw(gp, tlm::BEGIN_RESP, ns(10));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_FALSE(b.answers[0].has_data);
    EXPECT_EQ(b.answers[0].response.id, 9u);
    EXPECT_EQ(b.answers[0].response.sm, 5u);
    EXPECT_EQ(b.answers[0].response.kind, SMRF_MEM_WRITE);
}

TEST(MemoryPort, RunsAfterAResetAsBeforeIt)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 7, false);
    for (int round = 0; round < 2; round++) {
        b.port.set_open_cycle(2);
        ASSERT_TRUE(b.send(3, 9));
        EXPECT_EQ(b.port.free_cycle(), 10u);
        EXPECT_FALSE(b.send(9, 10)) << "the channel is busy";
        b.last().set_response_status(tlm::TLM_OK_RESPONSE);
        b.target.bw(b.last(), tlm::BEGIN_RESP, ns(12));
        EXPECT_EQ(b.answers.back().response.cycle, 12u);
        EXPECT_EQ(b.port.sent(), 1u);
        EXPECT_EQ(b.port.answered(), 1u);
        b.port.reset();
        EXPECT_EQ(b.port.free_cycle(), 0u);
        EXPECT_EQ(b.port.open_cycle(), 0u);
        EXPECT_EQ(b.port.sent() + b.port.answered(), 0u);
        b.answers.clear();
    }
}

TEST(MemoryPort, AtHomeItSaysWhatIsAccessedAndMovesNoBytes)
{
    bench b;
    b.port.set_at_home();
    for (uint8_t kind : {SMRF_MEM_WRITE, SMRF_MEM_READ, SMRF_MEM_ATOMIC, SMRF_MEM_READ}) {
        b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 0, false);
        const bool write = kind == SMRF_MEM_WRITE;
        ASSERT_TRUE(b.send(3, 9, kind, write ? 0x0000ff01 : 0xffffffff));
        tlm_generic_payload &gp = b.last();
        EXPECT_EQ(gp.get_command(), tlm::TLM_IGNORE_COMMAND);
        EXPECT_EQ(gp.get_address(), 0x1000u + 32 * 9);
        EXPECT_EQ(gp.get_data_length(), 32u);
        EXPECT_EQ(gp.get_streaming_width(), 32u);
        EXPECT_EQ(gp.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        EXPECT_EQ(gp.get_byte_enable_ptr(), nullptr);
        EXPECT_EQ(gp.get_byte_enable_length(), 0u);
        ASSERT_NE(gp.get_extension<mem_extension>(), nullptr);
        EXPECT_EQ(gp.get_extension<mem_extension>()->fields.id, 9u);
        EXPECT_EQ(gp.get_extension<mem_extension>()->fields.sm, 5u);
        EXPECT_EQ(gp.get_extension<mem_extension>()->fields.kind, kind);
        EXPECT_EQ(gp.get_extension<mem_extension>()->fields.bytes, write ? 0x0000ff01 : 0xffffffff);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        b.target.bw(gp, tlm::BEGIN_RESP, ns(10));
        EXPECT_FALSE(b.answers.back().has_data);
        EXPECT_EQ(b.answers.back().response.kind, kind);
    }
    EXPECT_EQ(b.answers.size(), 4u);
    EXPECT_EQ(b.port.pool().created(), 64u) << "one payload, used again";
}

TEST(MemoryPort, AtomicTravelsAsAReadWithItsKindInTheExtension)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 7, true);
    ASSERT_TRUE(b.send(0, 1, SMRF_MEM_ATOMIC));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.kind, SMRF_MEM_ATOMIC);
    EXPECT_TRUE(b.answers[0].has_data);
}

TEST(MemoryPort, FourPhasesOneAfterTheOther)
{
    bench b(2);
    ASSERT_TRUE(b.send(0));
    EXPECT_EQ(b.port.free_cycle(), SMRF_NEVER);
    EXPECT_FALSE(b.send(1)) << "request exclusion rule";
    EXPECT_EQ(b.target.calls.size(), 1u);
    sc_core::sc_start(ns(4));
    EXPECT_EQ(b.target.bw(b.last(), tlm::END_REQ), tlm::TLM_ACCEPTED);
    EXPECT_EQ(b.frees, std::vector<uint64_t>{4});
    sc_core::sc_start(ns(6));
    b.last().set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.target.bw(b.last(), tlm::BEGIN_RESP), tlm::TLM_ACCEPTED);
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 10u);
    EXPECT_FALSE(b.port.idle());
    sc_core::sc_start(ns(3));
    ASSERT_EQ(b.target.calls.size(), 2u);
    EXPECT_EQ(b.target.calls[1].phase, tlm::END_RESP);
    EXPECT_EQ(b.target.calls[1].time, ns(12)) << "response_interval after BEGIN_RESP";
    EXPECT_TRUE(b.port.idle());
}

TEST(MemoryPort, AcceptedRequestThatEndsInItsOwnCycleLeavesTheChannelFree)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 0, false);
    ASSERT_TRUE(b.send(5, 1));
    EXPECT_EQ(b.port.free_cycle(), 5u);
    EXPECT_TRUE(b.frees.empty()) << "nobody had to wait";
    ASSERT_TRUE(b.send(5, 2));
    ASSERT_TRUE(b.send(6, 3));
    for (size_t i = 0; i < 3; i++) {
        auto &gp = *b.target.calls[i].gp;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.target.bw(gp, tlm::BEGIN_RESP, ns(20 + i)), tlm::TLM_COMPLETED);
    }
    ASSERT_EQ(b.answers.size(), 3u);
    EXPECT_EQ(b.answers[2].response.cycle, 22u);
    EXPECT_EQ(b.port.pool().peak(), 3u);
}

TEST(MemoryPort, AnnotatedEndOfRequestKeepsTheChannelUntilThen)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 3, false);
    ASSERT_TRUE(b.send(5, 1));
    EXPECT_EQ(b.frees, std::vector<uint64_t>{8});
    EXPECT_FALSE(b.send(7, 2));
    EXPECT_TRUE(b.send(8, 2));
    for (size_t i = 0; i < 2; i++) {
        auto &gp = *b.target.calls[i].gp;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        b.target.bw(gp, tlm::BEGIN_RESP, ns(20));
    }
}

TEST(MemoryPort, BeginResponseOnTheReturnPathEndsTheRequestAndIsAnsweredByEndResponse)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::BEGIN_RESP, 9, true);
    ASSERT_TRUE(b.send(1));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 10u);
    EXPECT_EQ(b.answers[0].data[31], 0x5a);
    EXPECT_EQ(b.port.free_cycle(), 10u);
    EXPECT_EQ(b.port.pool().in_use(), 1u);
    sc_core::sc_start(ns(11));
    ASSERT_EQ(b.target.calls.size(), 2u);
    EXPECT_EQ(b.target.calls[1].phase, tlm::END_RESP);
    EXPECT_EQ(b.target.calls[1].time, ns(10));
}

TEST(MemoryPort, EarlyCompletionIsAnAnswer)
{
    bench b;
    b.target.fw = answer_with(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 9, true);
    ASSERT_TRUE(b.send(1));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 10u);
    EXPECT_EQ(b.port.free_cycle(), 10u);
    EXPECT_TRUE(b.port.idle());
}

TEST(MemoryPort, ResponseThatOvertakesEndOfRequestImpliesIt)
{
    bench b;
    ASSERT_TRUE(b.send(1));
    sc_core::sc_start(ns(6));
    b.last().set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.target.bw(b.last(), tlm::BEGIN_RESP, ns(1)), tlm::TLM_COMPLETED);
    EXPECT_EQ(b.frees, std::vector<uint64_t>{7});
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 7u);
}

TEST(MemoryPort, PhasesFromWithinTheForwardCallAreTaken)
{
    bench b;
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &delay) {
        EXPECT_EQ(gp.get_ref_count(), 1) << "the initiator's only";
        b.target.bw(gp, tlm::END_REQ, delay);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.target.bw(gp, tlm::BEGIN_RESP, delay + ns(4)), tlm::TLM_COMPLETED);
        EXPECT_EQ(gp.get_ref_count(), 1) << "not before the call that began it returns";
        return tlm::TLM_ACCEPTED;
    };
    ASSERT_TRUE(b.send(2));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 6u);
    EXPECT_EQ(b.port.free_cycle(), 2u);
}

TEST(MemoryPort, EndedTransactionStaysReadableForItsCallers)
{
    bench b;
    ASSERT_TRUE(b.send(0, 4, SMRF_MEM_WRITE));
    tlm_generic_payload &gp = b.last();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.target.bw(gp, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    EXPECT_TRUE(b.port.idle());
    EXPECT_TRUE(gp.is_write());
    EXPECT_EQ(gp.get_address(), 0x1080u);
    EXPECT_EQ(gp.get_data_length(), 32u);
    EXPECT_EQ(gp.get_response_status(), tlm::TLM_OK_RESPONSE);
}

TEST(MemoryPort, OffEdgeTimesAreAlignedUpAndEdgesKept)
{
    bench b;
    const uint64_t offset[] = {0, 1, 999, 1000, 1001};
    const uint64_t cycle[] = {10, 11, 11, 11, 12};
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 0, false);
    sc_core::sc_start(ns(10));
    for (int i = 0; i < 5; i++) {
        ASSERT_TRUE(b.send(10));
        b.last().set_response_status(tlm::TLM_OK_RESPONSE);
        b.target.bw(b.last(), tlm::BEGIN_RESP, ps(offset[i]));
        EXPECT_EQ(b.answers.back().response.cycle, cycle[i]);
    }
}

TEST(MemoryPort, NothingArrivesBeforeTheOpenCycle)
{
    bench b;
    ASSERT_TRUE(b.send(0));
    b.port.set_open_cycle(64); // the SM ran 64 cycles ahead of a target that answers sooner
    sc_core::sc_start(ns(3));
    b.last().set_response_status(tlm::TLM_OK_RESPONSE);
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].response.cycle, 64u);
    EXPECT_EQ(b.frees, std::vector<uint64_t>{64});
    EXPECT_EQ(b.port.late_answers(), 2u) << "the channel and the answer";
}

TEST(MemoryPort, ErrorAnswerIsReportedAndStillReachesTheSm)
{
    bench b;
    expected_reports reports("/smrf/memory_port/response");
    ASSERT_TRUE(b.send(0));
    std::memset(b.last().get_data_ptr(), 0xee, 32);
    b.last().set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    b.target.bw(b.last(), tlm::BEGIN_RESP, ns(5));
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].data[0], 0) << "no stale bytes";
    EXPECT_EQ(b.last().get_data_ptr()[0], 0xee) << "nor changed ones in the payload";
    EXPECT_EQ(b.port.error_answers(), 1u);
    ASSERT_EQ(reports.seen.size(), 1u);
    EXPECT_NE(reports.seen[0].text.find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos);
    EXPECT_NE(reports.seen[0].text.find("0x1020"), std::string::npos);
    EXPECT_NE(reports.seen[0].text.find("cycle 5"), std::string::npos);
}

TEST(MemoryPort, ReportThatThrowsLeavesThePortSettled)
{
    bench b;
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        b.target.bw(gp, tlm::BEGIN_RESP);
        return tlm::TLM_ACCEPTED;
    };
    sc_core::sc_report_handler::set_handler(&sc_core::sc_report_handler::default_handler);
    sc_core::sc_report_handler::set_actions("/smrf/memory_port/response", sc_core::SC_THROW);
    EXPECT_THROW(b.send(0, 1), sc_core::sc_report);
    b.target.fw = answer_with(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 1, false);
    EXPECT_THROW(b.send(0, 2), sc_core::sc_report);
    b.target.fw = nullptr;
    ASSERT_TRUE(b.send(1, 3));
    EXPECT_THROW(b.target.bw(b.last(), tlm::BEGIN_RESP, ns(1)), sc_core::sc_report);
    EXPECT_TRUE(b.port.idle());
    EXPECT_EQ(b.answers.size(), 3u);
    EXPECT_EQ(b.port.free_cycle(), 1u);
}

TEST(MemoryPort, CompletionWithoutAStatusIsAnErrorAnswer)
{
    bench b;
    expected_reports reports("/smrf/memory_port/response");
    b.target.fw = answer_with(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 1, false);
    ASSERT_TRUE(b.send(0));
    EXPECT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.port.error_answers(), 1u);
    EXPECT_EQ(reports.seen.size(), 1u);
}

TEST(MemoryPort, ForeignAndFinishedTransactionsAreRefused)
{
    bench b;
    expected_reports reports("/smrf/memory_port/unknown_transaction");
    tlm_generic_payload stranger;
    b.target.bw(stranger, tlm::BEGIN_RESP);
    EXPECT_EQ(b.port.protocol_errors(), 1u);
    ASSERT_TRUE(b.send(0));
    b.last().set_response_status(tlm::TLM_OK_RESPONSE);
    b.last().acquire(); // the target holds on to it, as it may
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    EXPECT_EQ(b.port.protocol_errors(), 1u);
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    EXPECT_EQ(b.port.protocol_errors(), 2u);
    EXPECT_EQ(b.answers.size(), 1u);
    b.last().release();
}

TEST(MemoryPort, PhasesOutOfOrderAreReportedAndDoNotHang)
{
    bench b(1);
    expected_reports reports("/smrf/memory_port/phase");
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_REQ, 0, false);
    ASSERT_TRUE(b.send(0));
    b.target.bw(b.last(), tlm::END_REQ);
    EXPECT_EQ(reports.seen.size(), 1u);
    b.target.bw(b.last(), tlm::END_RESP);
    EXPECT_EQ(reports.seen.size(), 2u);
    b.last().set_response_status(tlm::TLM_OK_RESPONSE);
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    EXPECT_EQ(reports.seen.size(), 3u);
    EXPECT_EQ(b.answers.size(), 1u);
    sc_core::sc_start(ns(5));
    EXPECT_TRUE(b.port.idle());
    b.target.fw = answer_with(tlm::TLM_UPDATED, tlm::END_RESP, 0, true);
    ASSERT_TRUE(b.send(5));
    EXPECT_EQ(reports.seen.size(), 4u);
    b.target.bw(b.last(), tlm::BEGIN_RESP);
    b.target.fw = [](tlm_generic_payload &, tlm_phase &, sc_core::sc_time &) {
        return tlm::TLM_UPDATED;
    };
    sc_core::sc_start(ns(5));
    EXPECT_EQ(reports.seen.size(), 5u) << "END_RESP answered with TLM_UPDATED";
    EXPECT_EQ(b.port.protocol_errors(), 5u);
}

TEST(MemoryPort, UpdateAfterTheAnswerHadEndedIsReported)
{
    bench b;
    expected_reports reports("/smrf/memory_port/phase");
    b.target.fw = [&](tlm_generic_payload &gp, tlm_phase &, sc_core::sc_time &) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        b.target.bw(gp, tlm::BEGIN_RESP);
        return tlm::TLM_COMPLETED;
    };
    ASSERT_TRUE(b.send(0));
    EXPECT_EQ(reports.seen.size(), 1u);
    EXPECT_EQ(b.answers.size(), 1u);
}

TEST(MemoryPort, RequestForAPastCycleIsReportedAndSentNow)
{
    bench b;
    expected_reports reports("/smrf/memory_port/late_request");
    b.target.fw = answer_with(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 1, true);
    sc_core::sc_start(ns(10));
    ASSERT_TRUE(b.send(3));
    EXPECT_EQ(b.target.calls[0].time, ns(10));
    EXPECT_EQ(reports.seen.size(), 1u);
}

TEST(MemoryPort, DebugAccessPassesThroughWithoutTransactions)
{
    bench b;
    b.target.dbg = [](tlm_generic_payload &gp) {
        if (gp.is_read()) {
            std::memset(gp.get_data_ptr(), 0x42, gp.get_data_length());
        } else {
            EXPECT_EQ(gp.get_data_ptr()[0], 0x17);
        }
        EXPECT_EQ(gp.get_address(), 0x80u);
        return gp.get_data_length() - 1;
    };
    uint8_t bytes[8] = {};
    EXPECT_EQ(b.port.debug_read(0x80, bytes, 8), 7u);
    EXPECT_EQ(bytes[3], 0x42);
    bytes[0] = 0x17;
    EXPECT_EQ(b.port.debug_write(0x80, bytes, 8), 7u);
    EXPECT_TRUE(b.target.calls.empty());
    EXPECT_EQ(b.port.pool().created(), 0u);
}

TEST(MemoryPort, PeriodIsTheNearestEvenNumberOfPicoseconds)
{
    EXPECT_EQ(period_ps(1000000), 1000u);
    EXPECT_EQ(period_ps(1365000), 732u);  // 732.6
    EXPECT_EQ(period_ps(1132000), 884u);  // 883.39: 884 is 0.61 off, 882 is 1.39
    EXPECT_EQ(period_ps(1000), 1000000u); // 1 MHz
    EXPECT_EQ(period_ps(4000000), 250u);
}

TEST(MemoryPort, LooselyTimedATargetThatWaitsInItsCallHoldsTheRequestChannel)
{
    memory_port_options options = bench::options(0);
    options.view = SMRF_VIEW_LT;
    mock_target target("target");
    memory_port port("port", options, {});
    uint64_t waits = 0;
    target.b = [&](tlm_generic_payload &gp, sc_core::sc_time &) {
        sc_core::wait(ns(waits));
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    port.socket.bind(target.socket);
    const auto send = [&](uint64_t cycle) {
        smrf_mem_request r = {};
        r.cycle = cycle;
        r.kind = SMRF_MEM_READ;
        return port.send(r);
    };
    sc_core::sc_spawn([&] {
        EXPECT_TRUE(send(3));
        EXPECT_EQ(4u, port.free_cycle());
        waits = 10;
        EXPECT_TRUE(send(4));
        EXPECT_EQ(10u, port.free_cycle());
        EXPECT_FALSE(send(9));
        EXPECT_TRUE(send(10));
    });
    sc_core::sc_start(ns(100));
    EXPECT_EQ(3u, port.answered());
    EXPECT_EQ(0u, port.late_answers());
}
