// SPDX-License-Identifier: Apache-2.0
// A memory port whose target ends a wire: requests and answers are calls, as long as nothing asks
// for transactions.
#include "models/tlm/memory_port.h"

#include <gtest/gtest.h>

#include <vector>

using namespace smrf;

namespace
{

// A target that takes requests as calls, from SM 5, and answers when a test says so.
struct wire_target : sc_core::sc_module, tlm::tlm_fw_transport_if<>, memory_wire_end {
    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<smrf_mem_request> taken;
    uint64_t free = 0;
    memory_port *port = nullptr;
    uint32_t transactions = 0;

    explicit wire_target(const sc_core::sc_module_name &name) : sc_module(name)
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    }
    smrf_mem_port attach(memory_port &from, uint16_t sm) override
    {
        if (sm != 5) {
            return {};
        }
        port = &from;
        return {this, [](void *ctx, const smrf_mem_request *r) {
                    auto *self = static_cast<wire_target *>(ctx);
                    if (r->cycle < self->free) {
                        return false;
                    }
                    self->taken.push_back(*r);
                    self->free = r->cycle;
                    return true;
                }};
    }
    uint64_t free_cycle() const override
    {
        return free;
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                       sc_core::sc_time &) override
    {
        transactions++;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload &, sc_core::sc_time &) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload &) override
    {
        return 0;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override
    {
        return false;
    }
};

struct bench {
    std::vector<smrf_mem_response> answers;
    wire_target target{"target"};
    memory_port port;

    explicit bench(uint16_t sm = 5, uint32_t granularity = 1, bool reports_free = false)
        : port("port", options(sm, granularity), events(reports_free))
    {
        port.socket.bind(target.socket);
        port.set_at_home();
        port.set_wired();
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    static memory_port_options options(uint16_t sm, uint32_t granularity)
    {
        memory_port_options o;
        o.sm = sm;
        o.granularity = granularity;
        return o;
    }
    memory_port_events events(bool reports_free)
    {
        memory_port_events e;
        e.ctx = this;
        e.on_free = reports_free ? [](void *, uint64_t) {} : e.on_free;
        e.on_response = [](void *ctx, const smrf_mem_response *r, const uint8_t *data) {
            EXPECT_EQ(data, nullptr);
            static_cast<bench *>(ctx)->answers.push_back(*r);
        };
        return e;
    }
    bool send(uint64_t cycle, uint32_t id)
    {
        const smrf_mem_request r = {0x1000, cycle, id, 0xff, 5, SMRF_MEM_WRITE};
        const smrf_mem_port c = port.c_port();
        return c.send(c.ctx, &r);
    }
    void answer(uint64_t cycle, uint32_t id)
    {
        const smrf_mem_response r = {cycle, id, 5, SMRF_MEM_WRITE};
        target.port->answered(r);
    }
};

} // namespace

TEST(MemoryWire, ARequestIsACallAndUnderWayUntilItsAnswer)
{
    bench b;
    EXPECT_TRUE(b.port.idle());
    ASSERT_TRUE(b.send(3, 9));
    ASSERT_EQ(b.target.taken.size(), 1u);
    EXPECT_EQ(b.target.taken[0].cycle, 3u);
    EXPECT_EQ(b.target.taken[0].id, 9u);
    EXPECT_EQ(b.target.taken[0].byte_mask, 0xffu);
    EXPECT_EQ(b.port.under_way(), 1u);
    EXPECT_EQ(b.port.stats().accesses, 1u);
    b.answer(40, 9);
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].cycle, 40u);
    EXPECT_EQ(b.answers[0].id, 9u);
    EXPECT_EQ(b.answers[0].kind, SMRF_MEM_WRITE);
    EXPECT_TRUE(b.port.idle());
    EXPECT_EQ(b.port.pool().peak(), 0u);
}

TEST(MemoryWire, TheEndSaysWhenTheChannelIsFree)
{
    bench b;
    b.target.free = 20;
    EXPECT_EQ(b.port.free_cycle(), 20u);
    EXPECT_FALSE(b.send(19, 1));
    EXPECT_EQ(b.port.sent(), 0u);
    EXPECT_EQ(b.port.stats().accesses, 0u);
    EXPECT_TRUE(b.port.idle());
    EXPECT_TRUE(b.send(20, 1));
    EXPECT_EQ(b.port.sent(), 1u);
}

TEST(MemoryWire, AnAnswerForACycleThatTheSmHasLeftIsLate)
{
    bench b;
    ASSERT_TRUE(b.send(0, 1));
    ASSERT_TRUE(b.send(1, 2));
    b.port.set_open_cycle(10);
    b.answer(10, 1);
    EXPECT_EQ(b.answers.back().cycle, 10u);
    EXPECT_EQ(b.port.late_answers(), 0u);
    b.answer(9, 2);
    EXPECT_EQ(b.answers.back().cycle, 10u);
    EXPECT_EQ(b.port.late_answers(), 1u);
}

TEST(MemoryWire, AnswersAreSeenInMultiplesOfTheGranularity)
{
    bench b(5, 8);
    for (uint32_t id = 0; id < 3; id++) {
        ASSERT_TRUE(b.send(id, id));
        b.answer(15 + id, id);
    }
    EXPECT_EQ(b.answers[0].cycle, 16u);
    EXPECT_EQ(b.answers[1].cycle, 16u);
    EXPECT_EQ(b.answers[2].cycle, 24u);
}

TEST(MemoryWire, AnEndOfAnotherSmGetsTransactions)
{
    bench b(6);
    ASSERT_TRUE(b.send(0, 1));
    EXPECT_EQ(b.target.transactions, 1u);
    EXPECT_TRUE(b.target.taken.empty());
    EXPECT_EQ(b.answers.size(), 1u);
}

TEST(MemoryWire, WhoWantsToKnowWhenTheChannelIsFreeSendsTransactions)
{
    bench b(5, 1, true);
    ASSERT_TRUE(b.send(0, 1));
    EXPECT_EQ(b.target.transactions, 1u);
    EXPECT_TRUE(b.target.taken.empty());
}
