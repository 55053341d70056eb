// SPDX-License-Identifier: Apache-2.0
// The memory behind its sockets against the core alone: the same requests must be answered in the
// same cycles, however far it is run at a time, with the right bytes, and in legal base protocol
// (the monitor is in line everywhere, with exclusion rules for annotated times too).
#include "models/memory/memory_module.h"
#include "tests/support/config_views.h"

#include "models/tlm/memory_port.h"
#include "models/tlm/protocol_monitor.h"
#include "tests/support/expected_reports.h"
#include "tests/support/memory_clock.h"
#include "tests/support/memory_dut.h"
#include "tests/support/sm_traffic.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <tuple>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint64_t period = 1000; // ps
constexpr uint32_t sms = 4;

smrf_config small_config()
{
    smrf_config c = default_config();
    c.gpu.sms = sms;
    return c;
}

reference::traffic random_traffic(uint64_t seed, uint32_t requests, uint32_t gap)
{
    reference::traffic traffic(sms);
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 0);
    for (uint32_t sm = 0; sm < sms; sm++) {
        uint64_t cycle = 0;
        for (uint32_t i = 0; i < requests; i++) {
            smrf_mem_request r = {};
            cycle += smrf_rng_below(&rng, gap);
            r.address = 32 * static_cast<uint64_t>(smrf_rng_below(&rng, 3000));
            r.cycle = cycle;
            r.id = i;
            r.byte_mask = UINT32_MAX;
            r.sm = static_cast<uint16_t>(sm);
            r.kind = static_cast<uint8_t>(smrf_rng_below(&rng, 3));
            if (r.kind == SMRF_MEM_WRITE && smrf_rng_below(&rng, 2)) {
                r.byte_mask = smrf_rng_next(&rng) | 1;
            }
            traffic[sm].push_back(r);
        }
    }
    return traffic;
}

uint32_t lookahead_of(const smrf_config &config)
{
    return smrf_memory_lookahead(memory_of(config));
}

struct bench {
    std::vector<std::unique_ptr<sm_traffic>> sm;
    std::vector<std::unique_ptr<protocol_monitor>> monitor;
    std::unique_ptr<memory_module> memory;
    uint64_t cycle = 0;

    explicit bench(const smrf_config &config, uint32_t response_interval = 0, bool at_home = false)
    {
        memory = std::make_unique<memory_module>("memory", smrf_config_memory(&config), period);
        protocol_monitor_options m;
        m.annotated_exclusion = true;
        for (uint32_t i = 0; i < sms; i++) {
            const std::string n = std::to_string(i);
            sm.push_back(std::make_unique<sm_traffic>(("sm" + n).c_str(), static_cast<uint16_t>(i),
                                                      period, sm_traffic::by_hand,
                                                      response_interval));
            monitor.push_back(std::make_unique<protocol_monitor>(("monitor" + n).c_str(), m));
            sm[i]->port.socket.bind(monitor[i]->in);
            monitor[i]->out.bind(memory->in[i]);
            if (at_home) {
                sm[i]->port.set_at_home();
            }
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ~bench()
    {
        for (const auto &m : monitor) {
            EXPECT_TRUE(m->check_quiescent());
            EXPECT_EQ(m->violations(), 0u);
        }
        for (uint32_t i = 0; i < sms; i++) {
            EXPECT_TRUE(sm[i]->port.pool().check_empty());
            EXPECT_EQ(sm[i]->port.sent(), sm[i]->port.answered());
            EXPECT_EQ(sm[i]->port.late_answers(), 0u);
        }
        EXPECT_TRUE(memory->idle());
        EXPECT_EQ(memory->late_requests(), 0u);
    }
    // A window: the SMs run ahead, the memory and simulated time follow.
    void step(uint64_t window)
    {
        for (const auto &s : sm) {
            s->run_cycles(window);
        }
        cycle += window;
        memory->advance(cycle);
        sc_core::sc_start(ps(window * period));
        while (
            sc_core::sc_pending_activity_at_current_time()) { // sc_start() leaves these for later
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
    // Windows of random length, `longest` cycles at most, until everything is answered.
    void run(const reference::traffic &traffic, uint32_t longest)
    {
        smrf_rng rng;
        smrf_rng_seed(&rng, longest, 0);
        for (uint32_t i = 0; i < sms; i++) {
            sm[i]->wishes = traffic[i];
        }
        while (std::any_of(sm.begin(), sm.end(), [](const auto &s) { return !s->done(); })) {
            ASSERT_LT(cycle, 1000000u) << "no end";
            step(1 + smrf_rng_below(&rng, longest));
        }
        EXPECT_EQ(memory->next(), SMRF_NEVER);
    }
    // (cycle, SM, id, kind) of every answer, in order.
    std::vector<std::tuple<uint64_t, int, uint32_t, int>> answers() const
    {
        std::vector<std::tuple<uint64_t, int, uint32_t, int>> all;
        for (const auto &s : sm) {
            for (const auto &a : s->arrivals) {
                all.emplace_back(a.response.cycle, a.response.sm, a.response.id, a.response.kind);
            }
        }
        std::sort(all.begin(), all.end());
        return all;
    }
};

std::vector<std::tuple<uint64_t, int, uint32_t, int>> expected(const smrf_config &config,
                                                               const reference::traffic &traffic)
{
    memory_dut dut(config);
    std::vector<std::tuple<uint64_t, int, uint32_t, int>> all;
    for (const auto &r : dut.run(traffic, [] { return uint64_t(1); })) {
        all.emplace_back(r.cycle, r.sm, r.id, r.kind);
    }
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace

// Longest window (0: as far as the memory looks ahead) and credits of an SM.
class MemoryModuleWindows : public ::testing::TestWithParam<std::tuple<uint32_t, uint32_t>>
{
  protected:
    smrf_config config = small_config();
    uint32_t longest = std::get<0>(GetParam());

    void SetUp() override
    {
        config.noc.credits = std::get<1>(GetParam());
        longest = longest ? longest : lookahead_of(config);
    }
};

TEST_P(MemoryModuleWindows, AnswersInTheCyclesOfTheCoreAlone)
{
    const reference::traffic traffic = random_traffic(1, 400, 4);
    bench b(config);
    b.run(traffic, longest);
    EXPECT_EQ(b.answers().size(), 400u * sms);
    EXPECT_EQ(b.answers(), expected(config, traffic));
}

TEST_P(MemoryModuleWindows, ForPortsAtHomeItAnswersInTheSameCycles)
{
    const reference::traffic traffic = random_traffic(2, 400, 4);
    bench home(config, 0, true);
    home.run(traffic, longest);
    EXPECT_EQ(home.answers(), expected(config, traffic));
}

TEST_P(MemoryModuleWindows, BytesAreWrittenAndReadInTheOrderOfTheAnswers)
{
    reference::traffic traffic = random_traffic(3, 400, 4);
    for (auto &wishes : traffic) {
        for (auto &r : wishes) {
            r.address = r.address % (32 * 40); // few sectors, many conflicts
        }
    }
    bench b(config);
    b.run(traffic, longest);
    std::map<uint64_t, uint8_t> bytes;
    std::map<std::pair<int, uint32_t>, const sm_traffic::arrival *> arrival;
    for (const auto &s : b.sm) {
        for (const auto &a : s->arrivals) {
            arrival[{a.response.sm, a.response.id}] = &a;
        }
    }
    int reads_of_data = 0;
    for (const auto &[cycle, sm, id, kind] : b.answers()) {
        const auto &a = *arrival[{sm, id}];
        const uint32_t mask = traffic[static_cast<size_t>(sm)][id].byte_mask;
        for (unsigned i = 0; i < 32; i++) {
            if (kind == SMRF_MEM_WRITE && (mask >> i) & 1) {
                bytes[a.address + i] = sm_traffic::pattern(id, i);
            } else if (kind != SMRF_MEM_WRITE) {
                ASSERT_EQ(a.data[i], bytes[a.address + i]) << "cycle " << cycle << " SM " << sm;
                reads_of_data += a.data[i] != 0;
            }
        }
        EXPECT_EQ(a.has_data, kind != SMRF_MEM_WRITE);
    }
    EXPECT_GT(reads_of_data, 1000);
}

INSTANTIATE_TEST_SUITE_P(LengthsAndCredits, MemoryModuleWindows,
                         ::testing::Combine(::testing::Values(1u, 7u, 64u, 0u),
                                            ::testing::Values(1u, 3u, 512u)));

TEST(MemoryModule, IgnoredCommandsTakeTheTimeOfWhatTheyStandForAndMoveNoBytes)
{
    smrf_config config = small_config();
    config.noc.credits = 5;
    const reference::traffic traffic = random_traffic(12, 300, 4); // writes in part, too
    bench b(config, 0, true);
    b.run(traffic, 64);
    EXPECT_EQ(b.answers(), expected(config, traffic));
    EXPECT_GT(b.sm[0]->port.pool().peak(), 0u) << "past a monitor each is a payload";
    EXPECT_EQ(b.memory->store().pages(), 0u);
    smrf_memory_stats got, want;
    b.memory->stats_get(&got);
    memory_dut alone(config);
    alone.run(traffic, [] { return uint64_t(1); });
    smrf_memory_stats_get(alone.get(), &want);
    EXPECT_EQ(got.l2_writes, want.l2_writes);
    EXPECT_EQ(got.l2_atomics, want.l2_atomics);
    EXPECT_EQ(got.dram_reads, want.dram_reads) << "sectors that were written in part";
}

TEST(MemoryModule, AfterAResetItIsAsNew)
{
    const smrf_config config = small_config();
    bench b(config);
    b.run(random_traffic(9, 100, 4), 64);
    const uint64_t later = b.cycle;
    b.memory->reset();
    EXPECT_TRUE(b.memory->idle());
    smrf_memory_stats stats;
    b.memory->stats_get(&stats);
    EXPECT_EQ(stats.requests, 0u);
    EXPECT_EQ(b.memory->store().pages(), 0u);

    // Simulated time has gone on: a new memory that sees the same requests in the same cycles.
    reference::traffic traffic = random_traffic(10, 200, 4);
    for (auto &wishes : traffic) {
        for (auto &r : wishes) {
            r.cycle += later;
        }
    }
    for (const auto &s : b.sm) {
        s->arrivals.clear();
    }
    b.memory->advance(later);
    b.run(traffic, 64);
    EXPECT_EQ(b.answers(), expected(config, traffic));
}

TEST(MemoryModule, AResetInTheMiddleOfTrafficIsRefused)
{
    const smrf_config config = small_config();
    bench b(config);
    b.sm[0]->wishes = random_traffic(11, 1, 1)[0];
    b.step(1);
    expected_reports reports("/smrf/memory/reset");
    b.memory->reset();
    EXPECT_EQ(reports.seen.size(), 1u);
    while (!b.sm[0]->done()) {
        b.step(64);
    }
}

TEST(MemoryModule, GivesTheNextAnswerWhenEndResponseComes)
{
    bench b(small_config(), 4);
    const reference::traffic traffic = random_traffic(8, 10, 1);
    for (uint32_t i = 0; i < sms; i++) {
        b.sm[i]->wishes = traffic[i];
    }
    do {
        b.step(64);
    } while (b.memory->next() != SMRF_NEVER);
    sc_core::sc_start(); // nobody calls advance() any more
    for (const auto &s : b.sm) {
        EXPECT_EQ(s->arrivals.size(), 10u);
    }
}

TEST(MemoryModule, LoneHitTakesTheDocumentedLatency)
{
    smrf_config config = small_config();
    bench b(config);
    b.memory->warm(0, 128);
    reference::traffic traffic(sms);
    smrf_mem_request r = {};
    r.cycle = 5;
    r.byte_mask = UINT32_MAX;
    traffic[0].push_back(r);
    b.run(traffic, 64);
    ASSERT_EQ(b.sm[0]->arrivals.size(), 1u);
    EXPECT_EQ(b.sm[0]->arrivals[0].response.cycle,
              5 + 2 * config.noc.latency + config.l2.latency + 2);
}

TEST(MemoryModule, SlowInitiatorGetsOneAnswerAnInterval)
{
    bench b(small_config(), 3); // its END_RESP follows simulated time, and so must the SMs
    b.run(random_traffic(4, 100, 2), 1);
    for (const auto &s : b.sm) {
        ASSERT_EQ(s->arrivals.size(), 100u);
        for (size_t i = 1; i < s->arrivals.size(); i++) {
            EXPECT_GE(s->arrivals[i].response.cycle, s->arrivals[i - 1].response.cycle + 3);
        }
    }
}

TEST(MemoryModule, StatisticsAreTheCoresAndReset)
{
    bench b(small_config());
    b.run(random_traffic(6, 20, 2), 64);
    smrf_memory_stats stats;
    b.memory->stats_get(&stats);
    EXPECT_EQ(stats.requests, 20u * sms);
    EXPECT_EQ(stats.responses, 20u * sms);
    b.memory->stats_reset();
    b.memory->stats_get(&stats);
    EXPECT_EQ(stats.requests, 0u);
}

// ---- one mock initiator on the first socket, which follows simulated time ----

namespace
{

struct mock_bench {
    mem_pool pool{"test.pool"};
    smrf_config config = small_config();
    mock_initiator initiator{"initiator"};
    protocol_monitor monitor{"monitor"};
    memory_module memory;
    memory_clock clock{"clock", memory, period};
    std::vector<std::unique_ptr<mock_initiator>> others;

    explicit mock_bench(const smrf_config &c = small_config())
        : config(c), memory("memory", smrf_config_memory(&c), period)
    {
        initiator.socket.bind(monitor.in);
        monitor.out.bind(memory.in[0]);
        for (uint32_t i = 1; i < sms; i++) {
            others.push_back(
                std::make_unique<mock_initiator>(("other" + std::to_string(i)).c_str()));
            others.back()->socket.bind(memory.in[i]);
        }
        initiator.bw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &) {
            if (phase != tlm::BEGIN_RESP) {
                return tlm::TLM_ACCEPTED;
            }
            gp.release();
            return tlm::TLM_COMPLETED;
        };
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ~mock_bench()
    {
        EXPECT_TRUE(monitor.check_quiescent());
        EXPECT_TRUE(pool.check_empty());
        EXPECT_TRUE(memory.idle());
    }
    mem_payload *make(uint64_t address, unsigned length, tlm::tlm_command command)
    {
        mem_payload *p = pool.allocate();
        p->set_command(command);
        p->set_address(address);
        p->set_data_length(length);
        p->set_streaming_width(length);
        return p;
    }
    // Long enough for all that a test has sent.
    void run()
    {
        sc_core::sc_start(ps(20 * lookahead_of(config) * period));
    }
    uint64_t hit() const
    {
        return 2 * config.noc.latency + config.l2.latency + 2;
    }
};

} // namespace

TEST(MemoryModule, AccessOfSeveralSectorsIsAnsweredWithItsLast)
{
    mock_bench b;
    b.memory.warm(0, 4096);
    mem_payload *p = b.make(0x10, 100, tlm::TLM_WRITE_COMMAND); // sectors 0 to 3
    std::memset(p->data(), 0x33, 100);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(b.initiator.socket->nb_transport_fw(*p, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm::END_REQ);
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 1u);
    EXPECT_GE(b.initiator.calls[0].time, ps((b.hit() + 3) * period)) << "one packet a cycle";
    smrf_memory_stats stats;
    b.memory.stats_get(&stats);
    EXPECT_EQ(stats.l2_writes, 4u);
    uint8_t bytes[102];
    b.memory.store().read(0xf, bytes, 102);
    EXPECT_EQ(bytes[0], 0);
    EXPECT_EQ(bytes[1], 0x33);
    EXPECT_EQ(bytes[100], 0x33);
    EXPECT_EQ(bytes[101], 0);
}

TEST(MemoryModule, AccessOfMoreSectorsThanCreditsIsTakenBitByBit)
{
    smrf_config config = small_config();
    config.noc.credits = 2;
    mock_bench b(config);
    mem_payload *p = b.make(0, 128, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*p, tlm::BEGIN_REQ), tlm::TLM_ACCEPTED);
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 2u);
    EXPECT_EQ(b.initiator.calls[0].phase, tlm::END_REQ);
    EXPECT_GE(b.initiator.calls[0].time, ps(b.hit() * period)) << "two answers made room";
    EXPECT_EQ(b.initiator.calls[1].phase, tlm::BEGIN_RESP);
    EXPECT_GE(b.initiator.calls[1].time, ps(2 * b.hit() * period));
    EXPECT_EQ(b.monitor.violations(), 0u);
}

TEST(MemoryModule, LateRequestsAreCountedAndTakenInTheFirstCycleThatIsLeft)
{
    mock_bench b;
    b.memory.warm(0, 4096);
    b.memory.advance(100); // simulated time stands at 0
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = ps(40 * period);
    EXPECT_EQ(b.initiator.socket->nb_transport_fw(*p, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(delay, ps(100 * period));
    EXPECT_EQ(b.memory.late_requests(), 1u);
    b.memory.advance(100 + lookahead_of(b.config));
    ASSERT_EQ(b.initiator.calls.size(), 1u);
    EXPECT_EQ(b.initiator.calls[0].time, ps((100 + b.hit()) * period));
}

TEST(MemoryModule, RequestFurtherAheadThanTheLookaheadIsAcceptedAndTakenInTime)
{
    mock_bench b;
    b.memory.warm(0, 4096);
    const uint64_t ahead = 3 * lookahead_of(b.config);
    mem_payload *first = b.make(0, 32, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*first, tlm::BEGIN_REQ), tlm::TLM_UPDATED);
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*p, tlm::BEGIN_REQ, ps(ahead * period)), tlm::TLM_ACCEPTED)
        << "the first is not answered";
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 3u);
    EXPECT_EQ(b.initiator.calls[0].phase, tlm::BEGIN_RESP);
    EXPECT_EQ(b.initiator.calls[0].time, ps(b.hit() * period));
    EXPECT_EQ(b.initiator.calls[1].phase, tlm::END_REQ);
    EXPECT_EQ(b.initiator.calls[1].time, ps(ahead * period));
    EXPECT_EQ(b.initiator.calls[2].phase, tlm::BEGIN_RESP);
    EXPECT_EQ(b.initiator.calls[2].time, ps((ahead + b.hit()) * period));
}

TEST(MemoryModule, RequestOfAnSmThatAwaitsNothingIsTakenHoweverFarAhead)
{
    mock_bench b;
    b.memory.warm(0, 4096);
    const uint64_t ahead = 3 * lookahead_of(b.config);
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = ps(ahead * period);
    EXPECT_EQ(b.initiator.socket->nb_transport_fw(*p, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm::END_REQ);
    EXPECT_EQ(delay, ps(ahead * period));
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 1u);
    EXPECT_EQ(b.initiator.calls[0].phase, tlm::BEGIN_RESP);
    EXPECT_EQ(b.initiator.calls[0].time, ps((ahead + b.hit()) * period));
}

TEST(MemoryModule, OffEdgeRequestIsTakenOnTheNextEdge)
{
    mock_bench b;
    b.memory.warm(0, 4096);
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = ps(1);
    b.initiator.socket->nb_transport_fw(*p, phase, delay);
    EXPECT_EQ(delay, ps(period));
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 1u);
    EXPECT_EQ(b.initiator.calls[0].time, ps((1 + b.hit()) * period));
}

TEST(MemoryModule, ExplicitAndNestedEndResponseAreTaken)
{
    mock_bench b;
    bool nested = true;
    b.initiator.bw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                         sc_core::sc_time &delay) {
        if (phase == tlm::BEGIN_RESP && nested) {
            EXPECT_EQ(b.initiator.fw(gp, tlm::END_RESP, delay), tlm::TLM_COMPLETED);
        }
        return tlm::TLM_ACCEPTED;
    };
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    b.initiator.fw(*p, tlm::BEGIN_REQ);
    b.run();
    EXPECT_TRUE(b.memory.idle());
    p->release();
    nested = false;
    mem_payload *q[2];
    for (mem_payload *&x : q) {
        x = b.make(0, 32, tlm::TLM_READ_COMMAND);
        b.initiator.fw(*x, tlm::BEGIN_REQ);
    }
    b.run();
    EXPECT_EQ(b.initiator.calls.size(), 2u) << "the second answer waits for END_RESP";
    EXPECT_EQ(b.initiator.fw(*q[0], tlm::END_RESP, ps(5 * period)), tlm::TLM_COMPLETED);
    const sc_core::sc_time freed = sc_core::sc_time_stamp() + ps(5 * period);
    b.run();
    ASSERT_EQ(b.initiator.calls.size(), 3u);
    EXPECT_EQ(b.initiator.calls[2].time, freed) << "not before the annotated END_RESP";
    b.initiator.fw(*q[1], tlm::END_RESP, ps(5 * period));
    q[0]->release();
    q[1]->release();
}

TEST(MemoryModule, EndResponseOnTheReturnPathIsTaken)
{
    mock_bench b;
    b.initiator.bw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &) {
        phase = tlm::END_RESP;
        gp.release();
        return tlm::TLM_UPDATED;
    };
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    b.initiator.fw(*p, tlm::BEGIN_REQ);
    b.run();
    EXPECT_EQ(b.initiator.calls.size(), 1u);
    EXPECT_EQ(b.monitor.violations(), 0u);
}

TEST(MemoryModule, MalformedRequestsAreAnsweredWithErrors)
{
    mock_bench b;
    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    p->set_streaming_width(8);
    p->acquire();
    b.initiator.fw(*p, tlm::BEGIN_REQ);
    b.run();
    EXPECT_EQ(p->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    p->release();
    expected_reports reports("/smrf/tlm/zero_data_length");
    p = b.make(0, 0, tlm::TLM_READ_COMMAND);
    p->set_streaming_width(1);
    EXPECT_EQ(b.initiator.fw(*p, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(p->get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    p->release();
    EXPECT_EQ(reports.seen.size(), 1u) << "the monitor's";
}

TEST(MemoryModule, BrokenInitiatorsAreReportedByName)
{
    mock_bench b;
    b.monitor.set_enabled(false);
    expected_reports reports("/smrf/memory/");
    tlm::tlm_generic_payload unmanaged;
    unmanaged.set_read();
    unmanaged.set_data_length(4);
    EXPECT_EQ(b.initiator.fw(unmanaged, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(unmanaged.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(reports.count("/smrf/memory/memory_manager"), 1u);

    mem_payload *p = b.make(0, 32, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*p, tlm::END_RESP), tlm::TLM_COMPLETED);
    EXPECT_EQ(reports.count("/smrf/memory/unknown_transaction"), 1u);
    b.initiator.fw(*p, tlm::END_REQ);
    b.initiator.fw(*p, tlm::BEGIN_RESP);
    EXPECT_EQ(reports.count("/smrf/memory/phase"), 2u);

    mem_payload *early = b.make(0, 32, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*early, tlm::BEGIN_REQ), tlm::TLM_UPDATED);
    const auto far = ps(10 * lookahead_of(b.config) * period);
    EXPECT_EQ(b.initiator.fw(*p, tlm::BEGIN_REQ, far), tlm::TLM_ACCEPTED);
    mem_payload *q = b.make(0, 32, tlm::TLM_READ_COMMAND);
    EXPECT_EQ(b.initiator.fw(*q, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(reports.count("/smrf/memory/request_exclusion"), 1u);
    q->release();
    b.initiator.bw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_RESP) {
            gp.release();
        }
        return tlm::TLM_UPDATED; // without a phase of its own
    };
    b.run();
    EXPECT_EQ(reports.count("/smrf/memory/phase"), 5u);
    EXPECT_EQ(reports.seen.size(), 8u);
}

TEST(MemoryModule, BlockingDebugAndDmi)
{
    mock_bench b;
    uint8_t bytes[64];
    std::memset(bytes, 0x5c, sizeof bytes);
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_address(0x7fc0);
    gp.set_data_ptr(bytes);
    gp.set_data_length(64);
    gp.set_streaming_width(64);
    sc_core::sc_time delay = ps(10);
    b.initiator.socket->b_transport(gp, delay);
    EXPECT_TRUE(gp.is_response_ok());
    EXPECT_FALSE(gp.is_dmi_allowed());
    EXPECT_EQ(delay, ps(10 + b.hit() * period));
    std::memset(bytes, 0, sizeof bytes);
    gp.set_read();
    EXPECT_EQ(b.initiator.socket->transport_dbg(gp), 64u);
    EXPECT_EQ(bytes[63], 0x5c);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(b.initiator.socket->get_direct_mem_ptr(gp, dmi));
    smrf_memory_stats stats;
    b.memory.stats_get(&stats);
    EXPECT_EQ(stats.requests, 2u) << "sectors";
}
