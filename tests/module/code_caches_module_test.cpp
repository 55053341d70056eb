// SPDX-License-Identifier: Apache-2.0
// The front end's caches behind their sockets: annotated times are the cycles of the cores, wrong
// calls are refused.
#include "tests/support/block_bench.h"

#include "models/frontend/constant_l0_module.h"
#include "models/frontend/fetch_module.h"
#include "models/frontend/icache_module.h"
#include "models/frontend/l0_module.h"

using namespace smrf;
using namespace smrf_test;

namespace
{

smrf_frontend_params params(uint32_t icache_bytes)
{
    smrf_frontend_params p{};
    p.l0_bytes = 1024;
    p.l0_ways = 2;
    p.l0_ahead = 3;
    p.l0_latency = 78;
    p.l0_interval = 2;
    p.icache_bytes = icache_bytes;
    p.icache_ways = 4;
    p.icache_miss_latency = 200;
    p.constant_bytes = 512;
    p.constant_ways = 8;
    p.constant_latency = 79;
    return p;
}

// A front end, the caches of two sub-cores and that of the SM.
struct bench {
    explicit bench(uint32_t icache_bytes = 0)
        : front("front_end", 2, &clock, &pool), icache("icache", params(icache_bytes), 2, &clock),
          constants("constant_l0", params(0), &clock), issue("issue")
    {
        for (uint32_t sub = 0; sub < 2; sub++) {
            l0.push_back(std::make_unique<l0_module>(("l0_" + std::to_string(sub)).c_str(),
                                                     params(icache_bytes),
                                                     l0_module::place{sub, 2, &clock, &pool}));
            front.fetch_out[sub].bind(l0[sub]->fetch_in[0]);
            l0[sub]->line_out[0].bind(icache.line_in[sub]);
        }
        issue.socket.bind(constants.constant_in[0]);
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
    }
    uint64_t fetch(unsigned sub, uint32_t pc, uint64_t at)
    {
        cycle = at;
        clock.tick();
        return front.fetch(sub, pc, at);
    }
    // The cycles that a constant takes; the answer's status in *status.
    uint64_t constant(uint64_t address, uint64_t at, tlm::tlm_command command,
                      tlm::tlm_response_status *status)
    {
        cycle = at;
        clock.tick();
        rf_payload *gp = payload(pool, command, address, nullptr, 4);
        sc_core::sc_time delay = clock.delay();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(issue.socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        *status = gp->get_response_status();
        gp->release();
        return clock.cycle_at(delay);
    }
    uint64_t cycle = 0;
    window_clock clock{&cycle, ns(1)};
    rf_pool pool{"pool"};
    fetch_module front;
    icache_module icache;
    std::vector<std::unique_ptr<l0_module>> l0;
    constant_l0_module constants;
    mock_initiator issue;
};

} // namespace

TEST(CodeCachesModule, LinesComeInTheCyclesOfTheCores)
{
    bench b;
    EXPECT_EQ(10u + 78, b.fetch(0, 0x40, 10));
    EXPECT_EQ(12u + 78, b.fetch(1, 0x40, 10)) << "the SM's cache gives one line at a time";
    EXPECT_EQ(14u + 78, b.fetch(0, 0x80, 60)) << "asked for ahead, in the second sub-core's turn";
    EXPECT_EQ(100u, b.fetch(0, 0x70, 100));
    EXPECT_EQ(1u, b.l0[0]->core()->misses);
    EXPECT_EQ(1u, b.l0[0]->core()->streamed);
    EXPECT_EQ(4u, b.pool.transactions(SMRF_PORT_KIND_fetch));
    EXPECT_EQ(2u * 4 + 1, b.pool.transactions(SMRF_PORT_KIND_code_line)) << "a miss, three ahead";
}

TEST(CodeCachesModule, TheCacheOfTheSmMissesToo)
{
    bench b(4096);
    EXPECT_EQ(10u + 200 + 78, b.fetch(0, 0, 10));
    EXPECT_EQ(4u, b.icache.core()->misses);
    EXPECT_EQ(300u + 78, b.fetch(1, 0, 300)) << "it is there now";
}

TEST(CodeCachesModule, AConstantComesInTheCycleOfTheCore)
{
    bench b;
    tlm::tlm_response_status status;
    EXPECT_EQ(5u + 79, b.constant(0x160, 5, tlm::TLM_IGNORE_COMMAND, &status));
    EXPECT_EQ(100u, b.constant(0x164, 100, tlm::TLM_IGNORE_COMMAND, &status));
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, status);
    EXPECT_EQ(1u, b.constants.core()->misses);
}

TEST(CodeCachesModule, RefuseWhatIsNoFetch)
{
    bench b;
    expected_reports reports("/smrf/tlm/phase");
    tlm::tlm_response_status status;
    b.constant(0x160, 5, tlm::TLM_READ_COMMAND, &status);
    EXPECT_NE(tlm::TLM_OK_RESPONSE, status);
    b.constant(UINT64_C(1) << 40, 5, tlm::TLM_IGNORE_COMMAND, &status);
    EXPECT_NE(tlm::TLM_OK_RESPONSE, status);
    EXPECT_EQ(0u, b.constants.core()->accesses);
    expect_refusals(*b.front.fetch_out[0].operator->(), b.pool);
    expect_refusals(*b.l0[0]->line_out[0].operator->(), b.pool);
    expect_refusals(*b.issue.socket.operator->(), b.pool);
}
