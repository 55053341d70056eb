// SPDX-License-Identifier: Apache-2.0
#include "models/memory/backing_store.h"

#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using namespace smrf;

TEST(BackingStore, UnwrittenBytesAreZeroAndCostNothing)
{
    backing_store store;
    std::vector<uint8_t> bytes(10000, 0xff);
    store.read(0xfffffffff000, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, std::vector<uint8_t>(10000, 0));
    store.write(0x1234, bytes.data(), bytes.size());
    EXPECT_EQ(store.pages(), 0u) << "zeros need no page";
}

TEST(BackingStore, BytesAcrossPagesComeBack)
{
    backing_store store;
    std::vector<uint8_t> in(9000), out(9000);
    for (size_t i = 0; i < in.size(); i++) {
        in[i] = static_cast<uint8_t>(i * 31 + 1);
    }
    store.write(4000, in.data(), in.size());
    EXPECT_EQ(store.pages(), 4u); // bytes 4000 to 12999: pages 0 to 3
    store.read(4000, out.data(), out.size());
    EXPECT_EQ(in, out);
    store.clear();
    store.read(4000, out.data(), out.size());
    EXPECT_EQ(out, std::vector<uint8_t>(9000, 0));
}

TEST(BackingStore, ZerosOverwriteWhatIsThere)
{
    backing_store store;
    const uint8_t ones[4] = {1, 1, 1, 1}, zeros[4] = {};
    uint8_t out[4];
    store.write(0, ones, 4);
    store.write(1, zeros, 2);
    store.read(0, out, 4);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[1], 0);
    EXPECT_EQ(out[2], 0);
    EXPECT_EQ(out[3], 1);
}

TEST(BackingStore, RandomAccessesMatchAMapOfBytes)
{
    backing_store store;
    std::map<uint64_t, uint8_t> reference;
    smrf_rng rng;
    smrf_rng_seed(&rng, 1, 0);
    for (int n = 0; n < 5000; n++) {
        uint8_t data[64], enables[8];
        const uint64_t address = smrf_rng_below(&rng, 3) * 4096 + smrf_rng_below(&rng, 4096);
        const unsigned length = 1 + smrf_rng_below(&rng, 64);
        const unsigned enable_length = smrf_rng_below(&rng, 9); // 0 = none
        for (uint8_t &b : data) {
            b = static_cast<uint8_t>(smrf_rng_next(&rng) & smrf_rng_next(&rng));
        }
        for (uint8_t &b : enables) {
            b = smrf_rng_below(&rng, 2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        }
        tlm::tlm_generic_payload gp;
        gp.set_address(address);
        gp.set_data_ptr(data);
        gp.set_data_length(length);
        gp.set_streaming_width(length);
        gp.set_byte_enable_ptr(enable_length ? enables : nullptr);
        gp.set_byte_enable_length(enable_length);
        const bool write = smrf_rng_below(&rng, 2);
        gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        uint8_t before[64];
        std::copy(data, data + 64, before);
        ASSERT_EQ(store.access(gp), tlm::TLM_OK_RESPONSE);
        for (unsigned i = 0; i < length; i++) {
            const bool on = enable_length == 0 || enables[i % enable_length] != 0;
            if (write && on) {
                reference[address + i] = data[i];
            } else if (!write) {
                ASSERT_EQ(data[i], on ? reference[address + i] : before[i]) << "access " << n;
            }
        }
    }
}

TEST(BackingStore, MalformedAccessesAreRefusedWithTheirStatus)
{
    backing_store store;
    uint8_t data[8] = {1}, enables[1] = {0xff};
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_data_ptr(data);
    gp.set_data_length(8);
    gp.set_streaming_width(4);
    EXPECT_EQ(store.access(gp), tlm::TLM_BURST_ERROR_RESPONSE);
    gp.set_streaming_width(8);
    gp.set_byte_enable_ptr(enables);
    EXPECT_EQ(store.access(gp), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    gp.set_byte_enable_ptr(nullptr);
    gp.set_data_ptr(nullptr);
    EXPECT_EQ(store.access(gp), tlm::TLM_GENERIC_ERROR_RESPONSE);
    gp.set_command(tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(store.access(gp), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(store.debug(gp), 0u);
    EXPECT_EQ(store.pages(), 0u);
}
