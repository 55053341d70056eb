// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/payload_pool.h"

#include "tests/support/expected_reports.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

using namespace smrf;

namespace
{

rf_fields some_fields()
{
    rf_fields f;
    f.version = 1234;
    f.kept = true;
    return f;
}

void expect_same(const rf_fields &a, const rf_fields &b)
{
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.kept, b.kept);
}

// The extension of somebody else's interconnect.
struct foreign_extension : tlm::tlm_extension<foreign_extension> {
    int *deaths;
    explicit foreign_extension(int *d) : deaths(d) {}
    ~foreign_extension() override
    {
        ++*deaths;
    }
    tlm_extension_base *clone() const override
    {
        return new foreign_extension(deaths);
    }
    void copy_from(const tlm_extension_base &) override {}
};

// Everything that a transaction's life can change.
// Register payloads with every attribute put back in order, as payloads need that leave the SM.
using foreign_pool = payload_pool<rf_extension>;
using foreign_payload = foreign_pool::payload;

void soil(foreign_payload &p)
{
    p.set_write();
    p.set_address(0x1000);
    p.set_data_length(128);
    p.set_streaming_width(64);
    p.enable_lanes(0x0000ffff);
    p.set_dmi_allowed(true);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    p.set_gp_option(tlm::TLM_FULL_PAYLOAD);
    p.set_data_ptr(nullptr);
    p.extension.fields = some_fields();
    p.owner_state = 7;
}

void expect_fresh(foreign_payload &p)
{
    EXPECT_EQ(p.get_command(), tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(p.get_address(), 0u);
    EXPECT_EQ(p.get_data_ptr(), p.data());
    EXPECT_EQ(p.get_data_length(), 0u);
    EXPECT_EQ(p.get_streaming_width(), 0u);
    EXPECT_EQ(p.get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(p.get_byte_enable_length(), 0u);
    EXPECT_FALSE(p.is_dmi_allowed());
    EXPECT_EQ(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(p.get_gp_option(), tlm::TLM_MIN_PAYLOAD);
    EXPECT_EQ(p.get_extension<rf_extension>(), &p.extension);
    EXPECT_EQ(p.owner_state, 0u);
    expect_same(p.extension.fields, rf_fields{});
}

} // namespace

TEST(RfExtension, CloneAndCopyCarryEveryField)
{
    rf_extension e;
    e.fields = some_fields();
    auto *clone = static_cast<rf_extension *>(e.clone());
    expect_same(clone->fields, some_fields());
    rf_extension copy;
    copy.copy_from(e);
    expect_same(copy.fields, some_fields());
    clone->free();
}

// A field that is added must be added to some_fields() and expect_same() above too.
TEST(RfExtension, HasNoFieldThatTheseTestsDoNotKnow)
{
    EXPECT_EQ(sizeof(rf_fields), 8u);
    EXPECT_EQ(sizeof(mem_fields), 12u);
}

TEST(MemExtension, CloneAndCopyCarryEveryField)
{
    mem_extension e;
    e.fields.id = 77;
    e.fields.sm = 255;
    e.fields.kind = SMRF_MEM_ATOMIC;
    auto *clone = static_cast<mem_extension *>(e.clone());
    mem_extension copy;
    copy.copy_from(*clone);
    EXPECT_EQ(copy.fields.id, 77u);
    EXPECT_EQ(copy.fields.sm, 255u);
    EXPECT_EQ(copy.fields.kind, SMRF_MEM_ATOMIC);
    clone->free();
}

TEST(RfExtension, SurvivesDeepCopyOfAPayload)
{
    foreign_pool pool;
    foreign_payload *p = pool.allocate();
    p->extension.fields = some_fields();
    {
        tlm::tlm_generic_payload copy;
        copy.deep_copy_from(*p);
        ASSERT_NE(copy.get_extension<rf_extension>(), nullptr);
        expect_same(copy.get_extension<rf_extension>()->fields, some_fields());
        EXPECT_EQ(pool.find(copy), nullptr) << "a copy is not the pool's";
    }
    p->release();
    EXPECT_TRUE(pool.check_empty());
}

TEST(PayloadPool, FirstAndReusedPayloadsAreFresh)
{
    foreign_pool pool("p", {1, 1});
    foreign_payload *first = pool.allocate();
    expect_fresh(*first);
    EXPECT_EQ(first->get_ref_count(), 1);
    soil(*first);
    first->release();
    foreign_payload *again = pool.allocate();
    ASSERT_EQ(again, first);
    expect_fresh(*again);
    again->release();
}

TEST(PayloadPool, ReturnsOnlyWithTheLastRelease)
{
    foreign_pool pool;
    foreign_payload *p = pool.allocate();
    p->acquire();
    p->release();
    EXPECT_EQ(pool.in_use(), 1u);
    p->release();
    EXPECT_EQ(pool.in_use(), 0u);
}

TEST(PayloadPool, GrowsByChunksAndCountsItsPeak)
{
    foreign_pool pool("p", {4, 0});
    std::vector<foreign_payload *> held;
    std::set<foreign_payload *> distinct;
    for (int i = 0; i < 9; i++) {
        held.push_back(pool.allocate());
        distinct.insert(held.back());
        EXPECT_EQ(pool.in_use(), static_cast<uint64_t>(i + 1));
    }
    EXPECT_EQ(distinct.size(), 9u);
    EXPECT_EQ(pool.created(), 12u);
    for (foreign_payload *p : held) {
        p->release();
    }
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_EQ(pool.peak(), 9u);
    for (int i = 0; i < 100; i++) {
        pool.allocate()->release();
    }
    EXPECT_EQ(pool.created(), 12u) << "reuse must not create payloads";
}

TEST(PayloadPool, RefusesBeyondItsCapacity)
{
    foreign_pool pool("p", {4, 6});
    std::vector<foreign_payload *> held;
    for (int i = 0; i < 6; i++) {
        held.push_back(pool.allocate());
        ASSERT_NE(held.back(), nullptr);
    }
    EXPECT_EQ(pool.allocate(), nullptr);
    EXPECT_EQ(pool.created(), 6u);
    held.back()->release();
    EXPECT_EQ(pool.allocate(), held.back());
    for (foreign_payload *p : held) {
        p->release();
    }
    EXPECT_TRUE(pool.check_empty());
}

TEST(PayloadPool, ReportsALeakByNameAndNumber)
{
    foreign_pool pool("sm3.pool");
    foreign_payload *p = pool.allocate();
    {
        smrf_test::expected_reports reports("/smrf/tlm/leak");
        EXPECT_FALSE(pool.check_empty());
        ASSERT_EQ(reports.seen.size(), 1u);
        EXPECT_NE(reports.seen[0].text.find("sm3.pool: 1 "), std::string::npos);
    }
    p->release();
    EXPECT_TRUE(pool.check_empty());
}

TEST(PayloadPool, DropsForeignAutoExtensionsAndKeepsItsOwn)
{
    int deaths = 0;
    foreign_pool pool("p", {1, 1});
    foreign_payload *p = pool.allocate();
    p->set_auto_extension(new foreign_extension(&deaths));
    p->release();
    EXPECT_EQ(deaths, 1);
    p = pool.allocate();
    EXPECT_EQ(p->get_extension<foreign_extension>(), nullptr);
    EXPECT_EQ(p->get_extension<rf_extension>(), &p->extension);
    p->release();
}

TEST(PayloadPool, RepairsAnExtensionThatWasClearedOutside)
{
    foreign_pool pool("p", {1, 1});
    foreign_payload *p = pool.allocate();
    p->clear_extension<rf_extension>();
    EXPECT_EQ(pool.find(*p), nullptr);
    p->release();
    p = pool.allocate();
    expect_fresh(*p);
    EXPECT_EQ(pool.find(*p), p);
    p->release();
}

TEST(PayloadPool, KnowsItsOwnPayloadsFromOthers)
{
    foreign_pool one, two;
    foreign_payload *p = one.allocate();
    EXPECT_EQ(one.find(*p), p);
    EXPECT_EQ(two.find(*p), nullptr);
    tlm::tlm_generic_payload plain;
    EXPECT_EQ(one.find(plain), nullptr);
    p->release();
}

TEST(PayloadPool, LaneMasksBecomeByteEnablesAndBack)
{
    foreign_pool pool;
    foreign_payload *p = pool.allocate();
    p->set_data_length(128);
    for (uint32_t lanes : {0u, 1u, 0x80000000u, 0x0f0f00ffu, 0xfffffffeu}) {
        p->enable_lanes(lanes);
        ASSERT_EQ(p->get_byte_enable_length(), 128u);
        for (uint32_t b = 0; b < 128; b++) {
            EXPECT_EQ(p->get_byte_enable_ptr()[b], (lanes >> (b / 4)) & 1 ? 0xff : 0x00);
        }
        uint32_t seen = 0;
        EXPECT_TRUE(whole_lanes(*p, seen));
        EXPECT_EQ(seen, lanes);
    }
    p->enable_lanes(UINT32_MAX);
    EXPECT_EQ(p->get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(p->get_byte_enable_length(), 0u);
    uint32_t seen = 0;
    EXPECT_TRUE(whole_lanes(*p, seen));
    EXPECT_EQ(seen, UINT32_MAX);
    p->release();
}

TEST(PayloadPool, RepeatingByteEnablesAreReadAsTheStandardSays)
{
    tlm::tlm_generic_payload gp;
    uint8_t pattern[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    gp.set_byte_enable_ptr(pattern);
    gp.set_byte_enable_length(8);
    uint32_t lanes = 0;
    EXPECT_TRUE(whole_lanes(gp, lanes));
    EXPECT_EQ(lanes, 0x55555555u);
}

TEST(PayloadPool, ByteEnablesThatPartALaneAreNoLanes)
{
    tlm::tlm_generic_payload gp;
    uint8_t pattern[8] = {0xff, 0xff, 0xff, 0, 0, 0, 0, 0};
    uint32_t lanes = 0;
    gp.set_byte_enable_ptr(pattern);
    gp.set_byte_enable_length(8);
    EXPECT_FALSE(whole_lanes(gp, lanes));
}

TEST(PayloadPool, APortsPayloadBeginsEveryTransactionClean)
{
    rf_pool pool{"pool"};
    uint32_t word = 0;
    {
        port_payload port(pool, SMRF_PORT_KIND_grant, tlm::TLM_WRITE_COMMAND, sizeof word);
        port_payload same(pool, SMRF_PORT_KIND_grant, tlm::TLM_WRITE_COMMAND, sizeof word);
        port_payload other(pool, SMRF_PORT_KIND_read, tlm::TLM_READ_COMMAND, sizeof word);
        rf_payload &first = port.begin_write(1, &word, false);
        EXPECT_EQ(first.get_command(), tlm::TLM_IGNORE_COMMAND);
        first.extension.fields = some_fields();
        first.enable_lanes(5);
        rf_payload &second = same.begin_write(2, &word, true);
        EXPECT_EQ(&first, &second);
        expect_same(second.extension.fields, rf_fields{});
        EXPECT_EQ(second.get_byte_enable_ptr(), nullptr);
        EXPECT_EQ(second.get_address(), 2u);
        EXPECT_TRUE(second.is_write());
        EXPECT_TRUE(other.begin(2, &word).is_read());
        EXPECT_TRUE(second.is_write()) << "a transaction that another's call begins";
        EXPECT_EQ(pool.resident(), 2u);
        port.count();
        same.count();
        EXPECT_EQ(pool.transactions(SMRF_PORT_KIND_grant), 2u) << "of all ports of the kind";
        EXPECT_EQ(pool.transactions(SMRF_PORT_KIND_read), 0u);
        pool.reset_transactions();
        EXPECT_EQ(pool.transactions(SMRF_PORT_KIND_grant), 0u);
        EXPECT_EQ(pool.in_use(), 0u);
        second.acquire();
        EXPECT_EQ(pool.in_use(), 1u) << "a target must not hold it";
        second.release();
        EXPECT_EQ(pool.in_use(), 0u);
    }
    EXPECT_EQ(pool.resident(), 0u);
}

TEST(PayloadPool, ByteMasksBecomeByteEnables)
{
    mem_pool pool;
    mem_payload *p = pool.allocate();
    p->enable_bytes(0x8000000f, 32);
    ASSERT_EQ(p->get_byte_enable_length(), 32u);
    for (uint32_t b = 0; b < 32; b++) {
        EXPECT_EQ(p->get_byte_enable_ptr()[b] != 0, b < 4 || b == 31);
    }
    p->enable_bytes(0x0000000f, 4);
    EXPECT_EQ(p->get_byte_enable_ptr(), nullptr) << "all bytes of the access are enabled";
    p->enable_bytes(0xffffffff, 32);
    EXPECT_EQ(p->get_byte_enable_ptr(), nullptr);
    p->release();
}
TEST(InternalPool, PayloadsAreIncompleteWithoutByteEnablesAndHeldOnce)
{
    rf_pool pool("p", {1, 0});
    rf_payload *p = pool.allocate();
    p->set_response_status(tlm::TLM_OK_RESPONSE);
    p->enable_lanes(1);
    p->release();
    EXPECT_EQ(0u, pool.in_use());
    rf_payload *again = pool.allocate();
    EXPECT_EQ(p, again);
    EXPECT_EQ(tlm::TLM_INCOMPLETE_RESPONSE, again->get_response_status());
    EXPECT_EQ(nullptr, again->get_byte_enable_ptr());
    EXPECT_EQ(0u, again->get_byte_enable_length());
    EXPECT_EQ(1, again->get_ref_count());
    EXPECT_EQ(&again->extension.fields, register_fields(*again));
    again->release();
    EXPECT_TRUE(pool.check_empty());
}
