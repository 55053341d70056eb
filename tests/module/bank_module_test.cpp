// SPDX-License-Identifier: Apache-2.0
// The register bank as a TLM memory: contents, versions, time, refusals, debug access.
#include "tests/support/block_bench.h"

#include "models/bank/bank_module.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t first = 16, rows = 8;

struct bench {
    explicit bench(uint32_t banks, bool monitored = true)
        : bank("bank", {first, rows, banks, ns(3)}), count(banks)
    {
        if (monitored) {
            lines.connect(reader.socket, bank.read_in[0]);
            lines.connect(writer.socket, bank.write_in[0]);
        } else {
            reader.socket.bind(bank.read_in[0]);
            writer.socket.bind(bank.write_in[0]);
        }
        elaborate();
    }
    ~bench()
    {
        EXPECT_TRUE(pool.check_empty());
        lines.expect_clean();
    }
    // Of a row, if the bank is the `which`-th of the banks.
    uint64_t address(uint32_t row, uint32_t which = 0) const
    {
        return (uint64_t{first} + row * count + which) * SMRF_WARP_REG_BYTES;
    }
    void write(uint64_t address, const uint32_t *data, uint32_t lanes, uint32_t version)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, address,
                                 const_cast<uint32_t *>(data), SMRF_WARP_REG_BYTES);
        gp->extension.fields.lanes = lanes;
        gp->extension.fields.version = version;
        if (lanes != UINT32_MAX) {
            gp->enable_lanes(lanes);
        }
        sc_core::sc_time delay = at;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(writer.socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, at + ns(3)) << "the access time is added";
        at += ns(3);
        gp->release();
    }
    uint32_t read(uint64_t address, uint32_t *data)
    {
        rf_payload *gp = payload(pool, tlm::TLM_READ_COMMAND, address, data, SMRF_WARP_REG_BYTES);
        sc_core::sc_time delay = at;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(reader.socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, at + ns(3));
        at += ns(3);
        const uint32_t version = gp->extension.fields.version;
        gp->release();
        return version;
    }

    sc_core::sc_time at = ns(5); // annotated to the next access
    rf_pool pool{"pool"};
    mock_initiator reader{"reader"}, writer{"writer"};
    wires lines;
    bank_module bank;
    uint32_t count;
};

void fill(uint32_t *data, uint32_t seed)
{
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        data[lane] = seed * 1000 + lane;
    }
}

class bank_of : public testing::TestWithParam<uint32_t>
{
};

} // namespace

TEST_P(bank_of, EveryRowKeepsItsDataAndItsVersion)
{
    bench b(GetParam());
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    for (uint32_t row = 0; row < rows; row++) {
        fill(data, row + 1);
        b.write(b.address(row, GetParam() - 1), data, UINT32_MAX, 100 + row);
    }
    for (uint32_t row = 0; row < rows; row++) {
        fill(data, row + 1);
        EXPECT_EQ(b.read(b.address(row, GetParam() - 1), got), 100 + row);
        EXPECT_EQ(std::memcmp(data, got, sizeof data), 0) << row;
        EXPECT_EQ(smrf_bank_probe(b.bank.core(), row)->lane[3], (row + 1) * 1000 + 3);
    }
    EXPECT_EQ(b.bank.core()->reads, rows);
    EXPECT_EQ(b.bank.core()->writes, rows);
    EXPECT_EQ(b.lines.transactions(), 2u * rows);
}

INSTANTIATE_TEST_SUITE_P(BankModule, bank_of, testing::Values(1u, 2u, 3u, 4u));

TEST(BankModule, OnlyTheLanesOfAWriteChange)
{
    bench b(2);
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    fill(data, 1);
    b.write(b.address(4), data, UINT32_MAX, 1);
    fill(data, 2);
    b.write(b.address(4), data, 0x80000101, 2);
    EXPECT_EQ(b.read(b.address(4), got), 2u);
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        EXPECT_EQ(got[lane], (0x80000101u >> lane & 1 ? 2000 : 1000) + lane);
    }
}

TEST(BankModule, AddressesOutsideAreTheZeroRegister)
{
    bench b(2);
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    fill(data, 7);
    for (uint64_t address : {b.address(rows), uint64_t{0}, UINT64_MAX / 128 * 128}) {
        fill(got, 9);
        b.write(address, data, UINT32_MAX, 5);
        EXPECT_EQ(b.read(address, got), 0u);
        EXPECT_EQ(got[0] | got[31], 0u);
    }
    for (uint32_t row = 0; row < rows; row++) {
        EXPECT_EQ(smrf_bank_probe(b.bank.core(), row)->lane[1], 0u) << "nothing was written";
    }
}

TEST(BankModule, TheIgnoreCommandTouchesNothing)
{
    bench b(2);
    uint32_t data[SMRF_LANES];
    fill(data, 3);
    rf_payload *gp = payload(b.pool, tlm::TLM_IGNORE_COMMAND, b.address(1), data, sizeof data);
    gp->extension.fields.lanes = UINT32_MAX;
    EXPECT_EQ(b.writer.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    b.writer.socket->transport_dbg(*gp);
    gp->release();
    EXPECT_EQ(smrf_bank_probe(b.bank.core(), 1)->lane[1], 0u);
    EXPECT_EQ(data[1], 3001u);
    EXPECT_EQ(b.bank.core()->reads + b.bank.core()->writes, 0u);
}

TEST(BankModule, WhatIsNotAWholeRegisterIsABurstError)
{
    bench b(2);
    uint32_t data[2 * SMRF_LANES] = {};
    struct wrong {
        uint64_t address;
        unsigned bytes;
    };
    for (const wrong &w : {wrong{b.address(0), 64}, wrong{b.address(0), 256},
                           wrong{b.address(0) + 4, SMRF_WARP_REG_BYTES}}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, w.address, data, w.bytes);
        EXPECT_EQ(b.reader.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
        EXPECT_EQ(gp->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
        gp->release();
    }
    EXPECT_EQ(b.bank.core()->reads, 0u);
}

TEST(BankModule, APayloadWithoutTheExtensionIsAnError)
{
    bench b(2, false);
    uint32_t data[SMRF_LANES] = {};
    tlm::tlm_generic_payload gp;
    gp.set_read();
    gp.set_address(b.address(0));
    gp.set_data_ptr(reinterpret_cast<unsigned char *>(data));
    gp.set_data_length(sizeof data);
    gp.set_streaming_width(sizeof data);
    EXPECT_EQ(b.reader.fw(gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_EQ(gp.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST(BankModule, OtherPhasesAreErrors)
{
    bench b(2, false);
    uint32_t data[SMRF_LANES] = {};
    for (tlm::tlm_phase phase : other_phases) {
        rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, b.address(0), data, sizeof data);
        expect_protocol_error(*gp, [&] { return b.reader.fw(*gp, phase); });
        gp->release();
    }
    EXPECT_EQ(b.bank.core()->reads, 0u);
}

TEST(BankModule, DebugAccessReadsAndWritesPartsWithoutTakingThePort)
{
    bench b(2);
    uint32_t data[SMRF_LANES], got[SMRF_LANES] = {};
    fill(data, 4);
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, b.address(2), data, sizeof data);
    EXPECT_EQ(b.reader.socket->transport_dbg(*gp), SMRF_WARP_REG_BYTES);
    gp->set_read();
    gp->set_address(b.address(2) + 4 * 30);
    gp->set_data_ptr(reinterpret_cast<unsigned char *>(got));
    EXPECT_EQ(b.writer.socket->transport_dbg(*gp), 8u) << "up to the register's end";
    EXPECT_EQ(got[0], 4030u);
    EXPECT_EQ(got[1], 4031u);
    EXPECT_EQ(got[2], 0u);
    gp->set_address(b.address(rows));
    EXPECT_EQ(b.reader.socket->transport_dbg(*gp), 0u) << "no such row";
    gp->set_address(b.address(2));
    gp->enable_lanes(1);
    EXPECT_EQ(b.reader.socket->transport_dbg(*gp), 0u) << "byte enables are not for debugging";
    gp->release();
    EXPECT_EQ(b.bank.core()->reads + b.bank.core()->writes, 0u);
}

TEST(BankModule, NoDmiAndNoBlockingCalls)
{
    bench b(2, false);
    expect_refusals(*b.reader.socket.operator->(), b.pool);
    expect_refusals(*b.writer.socket.operator->(), b.pool);
}

TEST(BankModule, APayloadHeldBackIsALeak)
{
    bench b(2);
    uint32_t data[SMRF_LANES] = {};
    rf_payload *held = payload(b.pool, tlm::TLM_READ_COMMAND, b.address(0), data, sizeof data);
    EXPECT_EQ(b.reader.fw(*held, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    {
        expected_reports reports("/smrf/tlm/leak");
        EXPECT_FALSE(b.pool.check_empty());
        EXPECT_EQ(reports.seen.size(), 1u);
    }
    held->release();
}
