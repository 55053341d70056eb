// SPDX-License-Identifier: Apache-2.0
// The collector units' sockets: an instruction comes in, its reads are requested, granted operands
// are read into the latches; and every way in which a peer can fail.
#include "platform/config/registry.h"
#include "tests/support/block_bench.h"
#include "tests/support/config_views.h"

#include "models/collector/collector_module.h"
#include "platform/config/config.h"

#include <cstdlib>
#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t first_register = 512;

smrf_config small_config()
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, "rtx2060-paper", &err)) << err.text;
    cfg.sim.check = 0;
    return cfg;
}

tlm::tlm_sync_enum complete(tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// One sub-core's units in an SM whose other blocks are not called.
struct bench {
    explicit bench(bool monitored = true)
        : sm(static_cast<smrf_sm *>(
              std::aligned_alloc(64, (smrf_sm_bytes(sm_of(cfg)) + 63) / 64 * 64))),
          units("units", cfg.rf, {sm, 0, first_register, &pool})
    {
        auto join = [&](auto &from, auto &to) {
            if (monitored) {
                lines.connect(from, to);
            } else {
                from.bind(to);
            }
        };
        join(issue.socket, units.instr_in[0]);
        for (uint32_t c = 0; c < cfg.rf.collectors; c++) {
            const std::string id = std::to_string(c);
            arbiter.push_back(std::make_unique<mock_target>(("arbiter_" + id).c_str()));
            xbar.push_back(std::make_unique<mock_target>(("xbar_" + id).c_str()));
            join(units.request_out[c], arbiter[c]->socket);
            join(units.read_out[c], xbar[c]->socket);
            arbiter[c]->fw = xbar[c]->fw = complete;
        }
        std::memset(static_cast<void *>(sm), 0, smrf_sm_bytes(sm_of(cfg)));
        smrf_sm_links links{};
        table = {this, nullptr, &bench::request, nullptr, nullptr, nullptr};
        links.wires = &table;
        links.mechanism = smrf_mechanism_find("baseline");
        for (unsigned s = 0; s < cfg.sm.subcores; s++) {
            links.sub[s].collectors = units.core();
        }
        EXPECT_EQ(0, smrf_sm_init(sm, sm_of(cfg), 0, &links));
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
        std::free(sm);
    }
    static void request(void *ctx, unsigned sub, unsigned unit, const smrf_read *reads,
                        unsigned count)
    {
        EXPECT_EQ(sub, 0u);
        static_cast<bench *>(ctx)->units.request(unit, reads, count, ns(2));
    }
    // Instruction `slot` with sources R4 and R7 in physical registers 10 and 13.
    void prepare(uint32_t slot)
    {
        auto *f = const_cast<smrf_flight *>(smrf_sm_flight(sm, slot));
        f->num_src = 2;
        f->warp = 4;
        f->src_reg[0] = 4;
        f->src_reg[1] = 7;
        f->src_phys[0] = 10;
        f->src_phys[1] = 13;
    }
    tlm::tlm_sync_enum enter(uint64_t unit, uint32_t slot, tlm::tlm_response_status *status)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, unit, &slot, sizeof slot);
        const tlm::tlm_sync_enum sync = issue.fw(*gp, tlm::BEGIN_REQ, ns(2));
        *status = gp->get_response_status();
        gp->release();
        return sync;
    }

    const smrf_config cfg = small_config();
    rf_pool pool{"pool"};
    wires lines;
    smrf_sm *sm;
    smrf_wires table{};
    mock_initiator issue{"issue"};
    std::vector<std::unique_ptr<mock_target>> arbiter, xbar;
    collector_module units;
};

} // namespace

TEST(CollectorModule, AnInstructionAsksForAllItsSourcesInOneRequest)
{
    bench b;
    std::vector<smrf_read> asked;
    b.arbiter[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                           sc_core::sc_time &delay) {
        const auto *reads = reinterpret_cast<const smrf_read *>(gp.get_data_ptr());
        EXPECT_TRUE(gp.is_write());
        EXPECT_EQ(gp.get_streaming_width(), gp.get_data_length());
        asked.assign(reads, reads + gp.get_data_length() / sizeof *reads);
        return complete(gp, phase, delay);
    };
    b.prepare(5);
    tlm::tlm_response_status status;
    EXPECT_EQ(b.enter(1, 5, &status), tlm::TLM_COMPLETED);
    EXPECT_EQ(status, tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(asked.size(), 2u);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(asked[i].slot, 5u);
        EXPECT_EQ(asked[i].collector, 1u);
        EXPECT_EQ(asked[i].operand, i);
        EXPECT_EQ(asked[i].reg, i ? 7u : 4u);
        EXPECT_EQ(asked[i].phys, i ? 13u : 10u);
        EXPECT_EQ(asked[i].bank, smrf_sm_bank_of(sm_of(b.cfg), 4, i ? 13 : 10));
    }
    ASSERT_EQ(b.arbiter[1]->calls.size(), 1u);
    EXPECT_EQ(b.arbiter[1]->calls[0].time, ns(2));
    EXPECT_TRUE(b.arbiter[0]->calls.empty());
    EXPECT_EQ(b.units.core()->free_mask & 2, 0u);
    EXPECT_EQ(b.units.core()->ready_mask & 2, 0u) << "its operands have not come";
    EXPECT_EQ(b.units.core()->unit[1].missing, 3u);
}

TEST(CollectorModule, AnInstructionWithoutSourcesIsReadyAndAsksForNothing)
{
    bench b;
    tlm::tlm_response_status status;
    EXPECT_EQ(b.enter(0, 6, &status), tlm::TLM_COMPLETED);
    EXPECT_EQ(b.units.core()->unit[0].missing, 0u);
    EXPECT_EQ(b.units.core()->unit[0].slot, 6u);
    EXPECT_TRUE(b.arbiter[0]->calls.empty());
}

TEST(CollectorModule, AGrantedOperandIsReadStraightIntoItsLatch)
{
    bench b;
    smrf_read read{};
    read.slot = 5;
    read.phys = 10;
    read.bank = 1;
    read.collector = 1;
    read.operand = 2;
    read.reg = 4;
    read.warp = 9;
    b.xbar[1]->fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                        sc_core::sc_time &delay) {
        rf_fields *f = register_fields(gp);
        EXPECT_TRUE(gp.is_read());
        EXPECT_EQ(gp.get_address(), (first_register + 10) * SMRF_WARP_REG_BYTES);
        EXPECT_EQ(gp.get_data_length(), SMRF_WARP_REG_BYTES);
        EXPECT_EQ(gp.get_byte_enable_ptr(), nullptr) << "a register is read as a whole";
        EXPECT_EQ(f->flight, 5u);
        EXPECT_EQ(f->lanes, UINT32_MAX);
        EXPECT_EQ(f->phys_reg, 10u);
        EXPECT_EQ(f->arch_reg, 4u);
        EXPECT_EQ(f->warp, 9u);
        EXPECT_EQ(f->collector, 1u);
        EXPECT_EQ(f->bank, 1u);
        EXPECT_EQ(f->slot, 2u);
        f->version = 321;
        std::memset(gp.get_data_ptr(), 0x5a, SMRF_WARP_REG_BYTES);
        delay += ns(1);
        return complete(gp, phase, delay);
    };
    EXPECT_EQ(b.units.read(read, ns(6)), 321u);
    EXPECT_EQ(b.units.core()->unit[1].data[2][0], 0x5a5a5a5au);
    EXPECT_EQ(b.units.core()->unit[1].data[2][31], 0x5a5a5a5au);
    EXPECT_EQ(b.xbar[1]->calls.at(0).time, ns(6));
}

TEST(CollectorModule, WhatIsNoInstructionAtAUnitIsAnError)
{
    bench b(false);
    uint32_t slot[2] = {};
    struct wrong {
        uint64_t unit;
        unsigned bytes;
    };
    for (const wrong &w : {wrong{b.cfg.rf.collectors, 4}, wrong{0, 2}, wrong{0, 8}}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, w.unit, slot, w.bytes);
        expect_protocol_error(*gp, [&] { return b.issue.fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, 0, slot, 4);
    for (tlm::tlm_phase phase : other_phases) {
        expect_protocol_error(*gp, [&] { return b.issue.fw(*gp, phase); });
    }
    EXPECT_EQ(b.issue.socket->transport_dbg(*gp), 0u);
    gp->release();
    EXPECT_EQ(b.units.core()->free_mask, smrf_collectors_all(b.units.core()));
}

TEST(CollectorModule, PeersThatDoNotCompleteOrFailAreReportedAndNothingLeaks)
{
    bench b(false);
    smrf_read read{};
    for (tlm::tlm_sync_enum sync : {tlm::TLM_ACCEPTED, tlm::TLM_UPDATED, tlm::TLM_COMPLETED}) {
        b.arbiter[0]->fw = b.xbar[0]->fw = [sync](tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                                  sc_core::sc_time &) {
            gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return sync;
        };
        expected_reports reports("/smrf/tlm/phase");
        b.units.request(0, &read, 1, sc_core::SC_ZERO_TIME);
        b.units.read(read, sc_core::SC_ZERO_TIME);
        EXPECT_EQ(reports.seen.size(), 2u);
        EXPECT_EQ(b.pool.in_use(), 0u);
    }
}

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
}
