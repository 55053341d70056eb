// SPDX-License-Identifier: Apache-2.0
// Ports S, D and R of a mechanism's collectors: what comes on them reaches the mechanism, with real
// caching collector units behind them, and what is no access of theirs is an error.
#include "tests/support/block_bench.h"
#include "tests/support/config_views.h"

#include "models/malekeh/malekeh.h"
#include "models/seam/mechanism_module.h"
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

// Sub-core 1 of an SM whose script does not run.
struct bench {
    bench()
        : sm(static_cast<smrf_sm *>(
              std::aligned_alloc(64, (smrf_sm_bytes(sm_of(cfg)) + 63) / 64 * 64))),
          state(std::aligned_alloc(
              64, (smrf_malekeh_bytes(setup_of(cfg, &smrf_malekeh_long)) + 63) / 64 * 64)),
          block("block", {sm, &smrf_malekeh_long, state, 1, cfg.rf.collectors})
    {
        std::memset(static_cast<void *>(sm), 0, smrf_sm_bytes(sm_of(cfg)));
        smrf_sm_links links{};
        links.mechanism = &smrf_malekeh_long;
        EXPECT_EQ(0, smrf_sm_init(sm, sm_of(cfg), 0, &links));
        EXPECT_EQ(0, smrf_malekeh_init(state, setup_of(cfg, &smrf_malekeh_long), 0));
        for (uint32_t c = 0; c < cfg.rf.collectors; c++) {
            source.push_back(std::make_unique<mock_initiator>(("s_" + std::to_string(c)).c_str()));
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
        std::free(sm);
    }
    // Instruction 5 of warp 9 (k = 2): R4 and R7 to R8, all near.
    smrf_flight &flight()
    {
        auto *f = const_cast<smrf_flight *>(smrf_sm_flight(sm, 5));
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
    void enter(unsigned unit)
    {
        EXPECT_EQ(3u, smrf_malekeh_allocate(state, 1, unit, &flight(), data, versions));
    }
    rf_payload *write(unsigned slot, uint32_t value, uint32_t version = 1, unsigned bytes = 128,
                      uint32_t flight_slot = 5)
    {
        std::fill(row, row + SMRF_LANES, value);
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, 0, row, bytes);
        gp->extension.fields.flight = flight_slot;
        gp->extension.fields.slot = static_cast<uint8_t>(slot);
        gp->extension.fields.version = version;
        gp->extension.fields.lanes = UINT32_MAX;
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
    smrf_sm *sm;
    void *state;
    uint32_t row[SMRF_LANES], data[SMRF_MAX_SRC][SMRF_LANES], versions[SMRF_MAX_SRC];
    std::vector<std::unique_ptr<mock_initiator>> source;
    mock_initiator result{"result"}, status{"status"};
    mechanism_module block;
};

} // namespace

TEST(MechanismModule, ASourceOnPortSReachesItsUnit)
{
    bench b;
    b.enter(1);
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

TEST(MechanismModule, AResultOnPortDComesBackWithWhetherItWasKept)
{
    bench b;
    b.enter(0);
    for (bool near : {true, false}) {
        smrf_flight &f = const_cast<smrf_flight &>(*smrf_sm_flight(b.sm, 5));
        f.near_dst = near;
        rf_payload *gp = b.write(0, 77);
        gp->extension.fields.kept = !near;
        EXPECT_EQ(tlm::TLM_COMPLETED, b.result.fw(*gp, tlm::BEGIN_REQ, ns(2)));
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(near, gp->extension.fields.kept);
        gp->release();
        EXPECT_EQ(near, smrf_ccu_probe_copy(&b.unit(0), 8) != nullptr);
    }
}

TEST(MechanismModule, PortRTellsWhichWarpsHoldValues)
{
    bench b;
    EXPECT_EQ(0u, b.ask());
    b.enter(0);
    EXPECT_EQ(UINT64_C(1) << 2, b.ask());
}

TEST(MechanismModule, WhatIsNoAccessOfAPortIsAnErrorAndChangesNothing)
{
    bench b;
    b.enter(0);
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
