// SPDX-License-Identifier: Apache-2.0
// Ports H, S, D and R of an operand cache: what comes on them reaches the mechanism, with real
// caching collector units behind them, and what is no access of theirs is an error.
#include "tests/support/block_bench.h"
#include "tests/support/config_views.h"

#include "models/malekeh/malekeh.h"
#include "models/seam/operand_cache_module.h"
#include "models/wires/words.h"
#include "platform/config/config.h"

#include <cstdlib>
#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

smrf_config small_config()
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, "rtx2060-paper", &err)) << err.text;
    return cfg;
}

// Of sub-core 1.
struct bench {
    bench()
        : state(std::aligned_alloc(
              64, (smrf_malekeh_bytes(setup_of(cfg, &smrf_malekeh_long)) + 63) / 64 * 64)),
          block("block", {&smrf_malekeh_long, state, 1, cfg.rf.collectors, flights.get(), &table})
    {
        EXPECT_EQ(0, smrf_malekeh_init(state, setup_of(cfg, &smrf_malekeh_long), 0));
        table.ctx = this;
        table.cycle = &cycle;
        table.values = &values;
        table.copied = [](void *ctx, uint32_t flight_number, unsigned i, const uint32_t *copy,
                          const uint32_t *in_bank) {
            EXPECT_EQ(flight_number, 5u);
            EXPECT_EQ(i, 0u);
            EXPECT_EQ(std::memcmp(copy, in_bank, SMRF_WARP_REG_BYTES), 0);
            static_cast<bench *>(ctx)->copies++;
        };
        for (uint32_t c = 0; c < cfg.rf.collectors; c++) {
            const std::string id = std::to_string(c);
            hit.push_back(std::make_unique<mock_initiator>(("h_" + id).c_str()));
            source.push_back(std::make_unique<mock_initiator>(("s_" + id).c_str()));
            hit[c]->socket.bind(block.port_h[c]);
            source[c]->socket.bind(block.port_s[c]);
        }
        result.socket.bind(block.port_d[0]);
        status.socket.bind(block.port_r[0]);
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        std::free(state);
    }
    // Instruction 5 of warp 9 (k = 2): R4 and R7 to R8, all near.
    smrf_flight &flight()
    {
        smrf_flight *f = &flights->record[5];
        *f = smrf_flight{};
        f->op = &op;
        f->warp = 9;
        f->sub = 1;
        f->num_src = 2;
        f->src_reg[0] = 4;
        f->src_reg[1] = 7;
        f->num_dst = 1;
        f->dst_reg[0] = 8;
        f->near_src = 3;
        f->near_dst = 1;
        f->version = 31;
        return *f;
    }
    // The instruction enters a unit. Returns what is missing.
    uint32_t enter(unsigned unit)
    {
        flight();
        uint32_t missing = 99;
        rf_payload *gp = payload(pool, tlm::TLM_READ_COMMAND,
                                 smrf_operand_address(5, SMRF_OPERAND_MASK), &missing, 4);
        EXPECT_EQ(tlm::TLM_COMPLETED, hit[unit]->fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        gp->release();
        return missing;
    }
    rf_payload *write(unsigned operand, uint32_t value, uint32_t version = 1, unsigned bytes = 128,
                      uint32_t flight_number = 5)
    {
        std::fill(row, row + SMRF_LANES, value);
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND,
                                 smrf_operand_address(flight_number, operand), row, bytes);
        gp->extension.fields.version = version;
        return gp;
    }
    uint64_t ask()
    {
        uint64_t warps = 0;
        rf_payload *gp = payload(pool, tlm::TLM_READ_COMMAND, 0, &warps, sizeof warps);
        EXPECT_EQ(tlm::TLM_COMPLETED, status.fw(*gp, tlm::BEGIN_REQ, ns(3)));
        EXPECT_TRUE(gp->is_response_ok());
        uint64_t seen = 0;
        gp->set_data_ptr(reinterpret_cast<unsigned char *>(&seen));
        EXPECT_EQ(sizeof seen, status.socket->transport_dbg(*gp));
        EXPECT_EQ(warps, seen);
        gp->release();
        return warps;
    }
    smrf_ccu &unit(unsigned u)
    {
        return static_cast<smrf_malekeh *>(state)->sub[1].ccu[u];
    }

    const smrf_config cfg = small_config();
    rf_pool pool{"pool"};
    smrf_static_inst op{};
    uint64_t cycle = 40;
    bool values = true;
    unsigned copies = 0;
    smrf_wires table{};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    void *state;
    uint32_t row[SMRF_LANES];
    std::vector<std::unique_ptr<mock_initiator>> hit, source;
    mock_initiator result{"result"}, status{"status"};
    operand_cache_module block;
};

} // namespace

TEST(OperandCacheModule, ASourceOnPortSReachesItsUnit)
{
    bench b;
    EXPECT_EQ(3u, b.enter(1));
    for (unsigned i = 0; i < 2; i++) {
        rf_payload *gp = b.write(i, 100 + i, 50 + i);
        EXPECT_EQ(tlm::TLM_COMPLETED, b.source[1]->fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        gp->release();
    }
    EXPECT_TRUE(smrf_ccu_probe_ready(&b.unit(1)));
    EXPECT_EQ(101u, smrf_ccu_probe_operand(&b.unit(1), 1)[31]);
    EXPECT_EQ(0u, b.unit(0).valid);
}

TEST(OperandCacheModule, AResultOnPortDComesBackWithWhetherItWasKept)
{
    bench b;
    EXPECT_EQ(3u, b.enter(0));
    for (bool near : {true, false}) {
        smrf_flight &f = b.flights->record[5];
        f.near_dst = near;
        rf_payload *gp = b.write(0, 77);
        gp->extension.fields.kept = !near;
        EXPECT_EQ(tlm::TLM_COMPLETED, b.result.fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(near, gp->extension.fields.kept);
        gp->release();
        EXPECT_EQ(near, smrf_ccu_probe_copy(&b.unit(0), 8) != nullptr);
    }
    EXPECT_EQ(b.copies, 1u) << "the oracle sees every copy";
}

TEST(OperandCacheModule, WhatIsHeldComesOnPortH)
{
    bench b;
    EXPECT_EQ(3u, b.enter(0)) << "nothing is held";
    for (unsigned i = 0; i < 2; i++) {
        rf_payload *gp = b.write(i, 200 + i, 60 + i);
        b.source[0]->fw(*gp, tlm::BEGIN_REQ, ns(2));
        gp->release();
    }
    uint32_t flight = 5;
    rf_payload *leave = payload(b.pool, tlm::TLM_WRITE_COMMAND,
                                smrf_operand_address(5, SMRF_OPERAND_MASK), &flight, sizeof flight);
    EXPECT_EQ(tlm::TLM_COMPLETED, b.hit[0]->fw(*leave, tlm::BEGIN_REQ, ns(2)));
    EXPECT_TRUE(leave->is_response_ok());
    leave->release();
    EXPECT_EQ(0u, b.enter(0)) << "both are held";
    for (unsigned i = 0; i < 2; i++) {
        uint32_t data[SMRF_LANES] = {};
        rf_payload *gp =
            payload(b.pool, tlm::TLM_READ_COMMAND, smrf_operand_address(5, i), data, sizeof data);
        EXPECT_EQ(tlm::TLM_COMPLETED, b.hit[0]->fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(gp->extension.fields.version, 60 + i);
        EXPECT_EQ(data[31], 200 + i);
        gp->release();
    }
    uint32_t data[SMRF_LANES] = {};
    for (uint64_t address : {smrf_operand_address(5, 2), smrf_operand_address(6, 0)}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, address, data, sizeof data);
        expect_protocol_error(*gp, [&] { return b.hit[0]->fw(*gp, tlm::BEGIN_REQ); });
        gp->release();
    }
}

TEST(OperandCacheModule, AfterAResetNothingIsHeldForWhatEnteredLast)
{
    bench b;
    b.enter(0);
    for (unsigned i = 0; i < 2; i++) {
        rf_payload *gp = b.write(i, 200 + i, 60 + i);
        b.source[0]->fw(*gp, tlm::BEGIN_REQ, ns(2));
        gp->release();
    }
    smrf_operand_cache_leave(b.block.core(), 0, 5);
    ASSERT_EQ(0u, b.enter(0)) << "both are held";
    b.block.reset();
    uint32_t data[SMRF_LANES] = {};
    rf_payload *gp =
        payload(b.pool, tlm::TLM_READ_COMMAND, smrf_operand_address(5, 0), data, sizeof data);
    expect_protocol_error(*gp, [&] { return b.hit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
}

TEST(OperandCacheModule, IgnoredCommandsAreTheSameWithoutValues)
{
    bench b;
    EXPECT_EQ(3u, b.enter(0));
    auto pass = [&](mock_initiator &port, unsigned operand) {
        rf_payload *gp = b.write(operand, 300 + operand, 70 + operand);
        gp->set_command(tlm::TLM_IGNORE_COMMAND);
        EXPECT_EQ(tlm::TLM_COMPLETED, port.fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(b.row[31], 300 + operand) << "untouched";
        const rf_fields fields = gp->extension.fields;
        gp->release();
        return fields;
    };
    for (unsigned i = 0; i < 2; i++) {
        pass(*b.source[0], i);
    }
    EXPECT_TRUE(smrf_ccu_probe_ready(&b.unit(0)));
    EXPECT_EQ(0u, smrf_ccu_probe_operand(&b.unit(0), 1)[31]) << "it brought no lanes";
    EXPECT_TRUE(pass(b.result, 0).kept);
    smrf_operand_cache_leave(b.block.core(), 0, 5);
    EXPECT_EQ(0u, b.enter(0)) << "both are held";
    EXPECT_EQ(71u, pass(*b.hit[0], 1).version) << "as it was sent";
    rf_payload *gp = b.write(2, 1);
    gp->set_command(tlm::TLM_IGNORE_COMMAND);
    expect_protocol_error(*gp, [&] { return b.hit[0]->fw(*gp, tlm::BEGIN_REQ); });
    gp->release();
}

TEST(OperandCacheModule, PortRTellsWhichWarpsHoldValues)
{
    bench b;
    EXPECT_EQ(0u, b.ask());
    EXPECT_EQ(3u, b.enter(0));
    EXPECT_EQ(UINT64_C(1) << 2, b.ask());
}

TEST(OperandCacheModule, WhatIsNoAccessOfAPortIsAnErrorAndChangesNothing)
{
    bench b;
    EXPECT_EQ(3u, b.enter(0));
    const smrf_ccu before = b.unit(0);
    auto wrong = [&](mock_initiator &port, rf_payload *gp, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
        expect_protocol_error(*gp, [&] { return port.fw(*gp, phase); });
        gp->release();
    };
    for (mock_initiator *port : {b.source[0].get(), &b.result}) {
        wrong(*port, b.write(0, 1, 1, 64));              // half a register
        wrong(*port, b.write(2, 1));                     // an operand that there is not
        wrong(*port, b.write(0, 1, 1, 128, UINT32_MAX)); // an instruction that there is not
        rf_payload *read = b.write(0, 1);
        read->set_command(tlm::TLM_READ_COMMAND);
        wrong(*port, read);
        for (tlm::tlm_phase phase : other_phases) {
            wrong(*port, b.write(0, 1), phase);
        }
    }
    wrong(b.status, b.write(0, 1));
    rf_payload *gp = b.write(0, 1);
    EXPECT_EQ(0u, b.result.socket->transport_dbg(*gp));
    EXPECT_EQ(0u, b.status.socket->transport_dbg(*gp)) << "port R is not written";
    gp->release();
    EXPECT_EQ(0, std::memcmp(&before, &b.unit(0), sizeof before));
    expect_refusals(b.block.port_d[0], b.pool);
}
