// SPDX-License-Identifier: Apache-2.0
// The crossbar as a TLM interconnect: every read reaches the bank that it names, unchanged, and is
// counted.
#include "tests/support/block_bench.h"

#include "models/xbar/xbar_module.h"

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t rows = 6;

struct bench {
    bench(uint32_t collectors, uint32_t banks, bool monitored = true)
        : xbar("xbar", collectors, banks, rows)
    {
        auto join = [&](auto &from, auto &to) {
            if (monitored) {
                lines.connect(from, to);
            } else {
                from.bind(to);
            }
        };
        for (uint32_t c = 0; c < collectors; c++) {
            unit.push_back(std::make_unique<mock_initiator>(("unit_" + std::to_string(c)).c_str()));
            join(unit[c]->socket, xbar.read_in[c]);
        }
        for (uint32_t b = 0; b < banks; b++) {
            bank.push_back(std::make_unique<mock_target>(("bank_" + std::to_string(b)).c_str()));
            join(xbar.bank_out[b], bank[b]->socket);
        }
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    // Row 3 of a bank.
    rf_payload *read_of(uint32_t b)
    {
        return payload(pool, tlm::TLM_READ_COMMAND, address_of(b), data, sizeof data);
    }
    uint64_t address_of(uint32_t b)
    {
        smrf_register_place at;
        at.row = 3;
        at.bank = static_cast<uint8_t>(b);
        return smrf_xbar_address(xbar.core(), at);
    }
    uint32_t data[SMRF_LANES] = {};
    rf_pool pool{"pool"};
    wires lines;
    xbar_module xbar;
    std::vector<std::unique_ptr<mock_initiator>> unit;
    std::vector<std::unique_ptr<mock_target>> bank;
};

class xbar_of : public testing::TestWithParam<uint32_t>
{
};

} // namespace

TEST_P(xbar_of, AReadPassesToItsBankAndComesBackAsTheBankAnswers)
{
    const uint32_t banks = GetParam(), units = 3;
    bench x(units, banks);
    uint64_t count = 0;
    for (uint32_t b = 0; b < banks; b++) {
        x.bank[b]->fw = [b](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &d) {
            *reinterpret_cast<uint32_t *>(gp.get_data_ptr()) = b + 1;
            EXPECT_EQ(gp.get_address(), 3u * SMRF_WARP_REG_BYTES) << "its own part of the address";
            gp.set_response_status(b == 2 ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
            d += ns(b + 1);
            return tlm::TLM_COMPLETED;
        };
        for (uint32_t c = 0; c < units; c++) {
            rf_payload *gp = x.read_of(b);
            sc_core::sc_time delay = ns(100 * (b * units + c));
            const sc_core::sc_time sent = delay;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            EXPECT_EQ(x.unit[c]->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
            EXPECT_EQ(delay, sent + ns(b + 1)) << "the crossbar adds nothing of its own";
            EXPECT_EQ(gp->is_response_ok(), b != 2);
            EXPECT_EQ(x.data[0], b + 1);
            ASSERT_EQ(x.bank[b]->calls.size(), c + 1);
            EXPECT_EQ(x.bank[b]->calls[c].gp, gp) << "the same payload";
            EXPECT_EQ(gp->get_address(), x.address_of(b)) << "back as it was sent";
            EXPECT_EQ(x.bank[b]->calls[c].time, sent);
            gp->release();
            EXPECT_EQ(x.xbar.core()->stats.crossbar_transfers, ++count);
        }
    }
    x.xbar.reset();
    EXPECT_EQ(x.xbar.core()->stats.crossbar_transfers, 0u);
}

INSTANTIATE_TEST_SUITE_P(XbarModule, xbar_of, testing::Values(1u, 2u, 4u, 8u));

TEST(XbarModule, AnAddressWithoutABankIsAnError)
{
    bench x(1, 2, false);
    rf_payload *gp = x.read_of(2);
    EXPECT_EQ(x.unit[0]->fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(gp->get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(x.unit[0]->socket->transport_dbg(*gp), 0u);
    gp->release();
    EXPECT_EQ(x.xbar.core()->stats.crossbar_transfers, 0u);
}

TEST(XbarModule, APayloadWithoutTheExtensionPasses)
{
    bench x(1, 2, false);
    x.bank[1]->fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    tlm::tlm_generic_payload plain;
    plain.set_address(x.address_of(1));
    EXPECT_EQ(x.unit[0]->fw(plain, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(plain.is_response_ok());
}

TEST(XbarModule, ABankThatAnswersLaterIsAnError)
{
    bench x(2, 2, false);
    rf_payload *gp = x.read_of(1);
    EXPECT_EQ(x.unit[0]->fw(*gp, tlm::BEGIN_REQ), tlm::TLM_ACCEPTED) << "as the bank answers";
    for (tlm::tlm_phase phase : {tlm::END_REQ, tlm::BEGIN_RESP}) {
        expect_protocol_error(*gp, [&] { return x.bank[1]->bw(*gp, phase); });
    }
    EXPECT_TRUE(x.unit[0]->calls.empty()) << "nothing of it goes on";
    gp->release();
}

TEST(XbarModule, DebugAccessReachesTheBankAndIsNotCounted)
{
    bench x(2, 2);
    x.bank[1]->dbg = [](tlm::tlm_generic_payload &) { return 12u; };
    rf_payload *gp = x.read_of(1);
    EXPECT_EQ(x.unit[0]->socket->transport_dbg(*gp), 12u);
    EXPECT_EQ(gp->get_address(), x.address_of(1));
    gp->set_address(x.address_of(0));
    EXPECT_EQ(x.unit[0]->socket->transport_dbg(*gp), 0u);
    gp->release();
    EXPECT_EQ(x.xbar.core()->stats.crossbar_transfers, 0u);
}

TEST(XbarModule, NoDmiAndNoBlockingCalls)
{
    bench x(1, 2, false);
    expect_refusals(*x.unit[0]->socket.operator->(), x.pool);
}
