// SPDX-License-Identifier: Apache-2.0
// The register bank as a TLM memory: contents, versions, time, refusals, debug access.
#include "tests/support/block_bench.h"

#include "models/bank/bank_module.h"

#include <cstring>

using namespace smrf;
using namespace smrf_test;

namespace
{

constexpr uint32_t rows = 8;

struct bench {
    explicit bench(bool monitored = true) : bank("bank", rows, ns(3))
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
    static uint64_t address(uint32_t row)
    {
        return uint64_t{row} * SMRF_WARP_REG_BYTES;
    }
    void write(uint64_t address, const uint32_t *data, uint32_t lanes, uint32_t version)
    {
        rf_payload *gp = payload(pool, tlm::TLM_WRITE_COMMAND, address,
                                 const_cast<uint32_t *>(data), SMRF_WARP_REG_BYTES);
        gp->extension.fields.version = version;
        gp->enable_lanes(lanes);
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
};

void fill(uint32_t *data, uint32_t seed)
{
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        data[lane] = seed * 1000 + lane;
    }
}

} // namespace

TEST(BankModule, EveryRowKeepsItsDataAndItsVersion)
{
    bench b;
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    smrf_bank_row scratch;
    for (uint32_t row = 0; row < rows; row++) {
        fill(data, row + 1);
        b.write(b.address(row), data, UINT32_MAX, 100 + row);
    }
    for (uint32_t row = 0; row < rows; row++) {
        fill(data, row + 1);
        EXPECT_EQ(b.read(b.address(row), got), 100 + row);
        EXPECT_EQ(std::memcmp(data, got, sizeof data), 0) << row;
        EXPECT_EQ(smrf_bank_probe(b.bank.core(), row, &scratch)->lane[3], (row + 1) * 1000 + 3);
    }
    EXPECT_EQ(b.bank.core()->reads, rows);
    EXPECT_EQ(b.bank.core()->writes, rows);
    EXPECT_EQ(b.lines.transactions(), 2u * rows);
}

TEST(BankModule, AResetClearsRegistersVersionsAndCounters)
{
    bench b;
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    fill(data, 9);
    b.write(b.address(rows - 1), data, UINT32_MAX, 100);
    b.bank.reset();
    EXPECT_EQ(b.bank.core()->writes, 0u);
    EXPECT_EQ(b.read(b.address(rows - 1), got), 0u);
    EXPECT_EQ(got[5], 0u);
    EXPECT_EQ(b.bank.core()->reads, 1u);
}

TEST(BankModule, OnlyTheLanesOfAWriteChange)
{
    bench b;
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

TEST(BankModule, EnablesThatPartALaneAreObeyedByteByByte)
{
    bench b(false);
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    fill(data, 1);
    b.write(b.address(4), data, UINT32_MAX, 1);
    // A pattern of six bytes, repeated: the first two are written.
    unsigned char pattern[6] = {TLM_BYTE_ENABLED, TLM_BYTE_ENABLED};
    unsigned char bytes[SMRF_WARP_REG_BYTES];
    std::memset(bytes, 0xee, sizeof bytes);
    rf_payload *gp = payload(b.pool, tlm::TLM_WRITE_COMMAND, b.address(4), bytes, sizeof bytes);
    gp->set_byte_enable_ptr(pattern);
    gp->set_byte_enable_length(sizeof pattern);
    EXPECT_EQ(b.writer.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp->is_response_ok());
    // The same of a read: the others stay.
    unsigned char seen[SMRF_WARP_REG_BYTES];
    std::memset(seen, 0x11, sizeof seen);
    gp->set_read();
    gp->set_data_ptr(seen);
    EXPECT_EQ(b.reader.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    gp->release();
    b.read(b.address(4), got);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        const bool enabled = i % 6 < 2;
        EXPECT_EQ(reinterpret_cast<unsigned char *>(got)[i],
                  enabled ? 0xee : reinterpret_cast<unsigned char *>(data)[i])
            << i;
        EXPECT_EQ(seen[i], enabled ? 0xee : 0x11) << i;
    }
}

TEST(BankModule, TheWordBehindTheLastRowIsTheZeroRegister)
{
    bench b;
    uint32_t data[SMRF_LANES], got[SMRF_LANES];
    fill(data, 7);
    fill(got, 9);
    b.write(b.address(rows), data, UINT32_MAX, 5);
    EXPECT_EQ(b.read(b.address(rows), got), 0u);
    EXPECT_EQ(got[0] | got[31], 0u);
    smrf_bank_row scratch;
    for (uint32_t row = 0; row < rows; row++) {
        EXPECT_EQ(smrf_bank_probe(b.bank.core(), row, &scratch)->lane[1], 0u)
            << "nothing was written";
    }
}

TEST(BankModule, AddressesBeyondItAreErrors)
{
    bench b;
    uint32_t data[SMRF_LANES] = {};
    for (uint64_t address : {b.address(rows + 1), UINT64_MAX / 128 * 128}) {
        rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, address, data, sizeof data);
        EXPECT_EQ(b.reader.fw(*gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
        EXPECT_EQ(gp->get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        gp->release();
    }
    EXPECT_EQ(b.bank.core()->reads, 0u);
}

TEST(BankModule, AnotherAccessTimeHoldsFromTheNextAccessOn)
{
    bench b;
    uint32_t data[SMRF_LANES] = {};
    rf_payload *gp = payload(b.pool, tlm::TLM_READ_COMMAND, b.address(0), data, sizeof data);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    b.bank.set_access(ns(8));
    sc_core::sc_time delay = ns(5);
    b.reader.socket->nb_transport_fw(*gp, phase, delay);
    EXPECT_EQ(delay, ns(13));
    gp->release();
}

TEST(BankModule, AnIgnoredCommandIsAnAccessOfItsPortThatMovesNothing)
{
    bench b;
    uint32_t data[SMRF_LANES];
    fill(data, 2);
    b.write(b.address(1), data, UINT32_MAX, 9);
    for (mock_initiator *port : {&b.reader, &b.writer}) {
        fill(data, 3);
        rf_payload *gp = payload(b.pool, tlm::TLM_IGNORE_COMMAND, b.address(1), data, sizeof data);
        gp->extension.fields.version = 77;
        sc_core::sc_time delay = b.at;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(port->socket->nb_transport_fw(*gp, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(gp->is_response_ok());
        EXPECT_EQ(delay, b.at + ns(3)) << "it takes its time";
        b.at += ns(3);
        EXPECT_EQ(gp->extension.fields.version, 77u);
        port->socket->transport_dbg(*gp);
        gp->release();
        EXPECT_EQ(data[1], 3001u);
    }
    EXPECT_EQ(b.bank.core()->reads, 1u);
    EXPECT_EQ(b.bank.core()->writes, 2u);
    EXPECT_EQ(b.read(b.address(1), data), 9u);
    EXPECT_EQ(data[1], 2001u);
}

TEST(BankModule, WhatIsNotAWholeRegisterIsABurstError)
{
    bench b;
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

TEST(BankModule, APayloadWithoutTheExtensionIsAPlainMemoryAccess)
{
    bench b(false);
    uint32_t data[SMRF_LANES], got[SMRF_LANES] = {};
    fill(data, 6);
    b.write(b.address(3), got, UINT32_MAX, 9);
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_address(b.address(3));
    gp.set_data_ptr(reinterpret_cast<unsigned char *>(data));
    gp.set_data_length(sizeof data);
    gp.set_streaming_width(sizeof data);
    EXPECT_EQ(b.writer.fw(gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp.is_response_ok());
    gp.set_read();
    gp.set_data_ptr(reinterpret_cast<unsigned char *>(got));
    EXPECT_EQ(b.reader.fw(gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(gp.is_response_ok());
    EXPECT_EQ(std::memcmp(data, got, sizeof data), 0);
    EXPECT_EQ(b.read(b.address(3), got), 0u) << "a write that tells no version has none";
}

TEST(BankModule, OtherPhasesAreErrors)
{
    bench b(false);
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
    bench b;
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
    bench b(false);
    expect_refusals(*b.reader.socket.operator->(), b.pool);
    expect_refusals(*b.writer.socket.operator->(), b.pool);
}

TEST(BankModule, APayloadHeldBackIsALeak)
{
    bench b;
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
