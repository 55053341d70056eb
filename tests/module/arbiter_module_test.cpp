// SPDX-License-Identifier: Apache-2.0
// The arbiter's request sockets: requests enter its queues as they came, everything else is refused.
#include "tests/support/block_bench.h"

#include "models/arbiter/arbiter_module.h"

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t banks = 4, units = 3;

struct bench {
    explicit bench(bool monitored = true) : arbiter("arbiter", banks, units)
    {
        for (uint32_t c = 0; c < units; c++) {
            unit.push_back(std::make_unique<mock_initiator>(("unit_" + std::to_string(c)).c_str()));
            if (monitored) {
                lines.connect(unit[c]->socket, arbiter.request_in[c]);
            } else {
                unit[c]->socket.bind(arbiter.request_in[c]);
            }
        }
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    rf_payload *request(uint32_t c, smrf_read *reads, unsigned bytes)
    {
        return payload(pool, tlm::TLM_WRITE_COMMAND, c, reads, bytes);
    }
    rf_pool pool{"pool"};
    wires lines;
    arbiter_module arbiter;
    std::vector<std::unique_ptr<mock_initiator>> unit;
};

smrf_read read_of(unsigned bank, unsigned collector, unsigned operand)
{
    smrf_read read{};
    read.bank = static_cast<uint8_t>(bank);
    read.collector = static_cast<uint8_t>(collector);
    read.operand = static_cast<uint8_t>(operand);
    read.phys = static_cast<uint16_t>(10 * bank + operand);
    read.slot = 77 + collector;
    return read;
}

} // namespace

TEST(ArbiterModule, AnInstructionsReadsEnterTheQueuesOfTheirBanksInOrder)
{
    bench b;
    for (unsigned c = 0; c < units; c++) {
        smrf_read reads[3] = {read_of(1, c, 0), read_of(3, c, 1), read_of(1, c, 2)};
        rf_payload *gp = b.request(c, reads, sizeof reads);
        sc_core::sc_time delay = ns(4);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(b.unit[c]->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, ns(4)) << "queueing takes no time of its own";
        gp->release();
    }
    smrf_arbiter *core = b.arbiter.core();
    EXPECT_EQ(core->waiting, 0b1010u);
    EXPECT_EQ(core->count[1], 2 * units);
    EXPECT_EQ(core->count[3], units);
    for (unsigned c = 0; c < units; c++) {
        const smrf_read *head = smrf_arbiter_entry(core, 1, 2 * c);
        EXPECT_EQ(head->collector, c);
        EXPECT_EQ(head->operand, 0u);
        EXPECT_EQ(head->slot, 77 + c);
        EXPECT_EQ(head->phys, 10u);
        EXPECT_EQ(smrf_arbiter_entry(core, 1, 2 * c + 1)->operand, 2u);
        EXPECT_EQ(smrf_arbiter_entry(core, 3, c)->operand, 1u);
    }
}

TEST(ArbiterModule, WhatIsNoListOfReadsIsAnError)
{
    bench b(false);
    smrf_read reads[2] = {read_of(0, 0, 0), read_of(1, 0, 1)};
    for (unsigned bytes : {0u, 1u, unsigned{sizeof *reads} - 1, unsigned{sizeof *reads} + 4}) {
        rf_payload *gp = b.request(0, reads, bytes);
        expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    rf_payload *gp = b.request(0, reads, sizeof reads);
    gp->set_read();
    expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->set_write();
    for (tlm::tlm_phase phase : other_phases) {
        expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, phase); });
    }
    gp->release();
    EXPECT_EQ(b.arbiter.core()->waiting, 0u) << "nothing was queued";
}

TEST(ArbiterModule, AReadOfNoBankIsAnErrorAndNothingOfItsListIsQueued)
{
    bench b(false);
    smrf_read reads[2] = {read_of(0, 0, 0), read_of(banks, 0, 1)};
    rf_payload *gp = b.request(0, reads, sizeof reads);
    expect_protocol_error(*gp, [&] { return b.unit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
    EXPECT_EQ(b.arbiter.core()->waiting, 0u);
}

TEST(ArbiterModule, NoDebugNoDmiNoBlockingCalls)
{
    bench b(false);
    smrf_read reads[1] = {read_of(0, 0, 0)};
    rf_payload *gp = b.request(0, reads, sizeof reads);
    EXPECT_EQ(b.unit[0]->socket->transport_dbg(*gp), 0u) << "queues hold nothing to look at";
    gp->release();
    expect_refusals(*b.unit[0]->socket.operator->(), b.pool);
}
