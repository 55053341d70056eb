// SPDX-License-Identifier: Apache-2.0
// DRAM channels alone: every timing parameter by formula, and the order of service. One clock for
// core and DRAM unless a test is about clocks.
#include "../support/memory_dut.h"

#include "models/memory/dram.h"

#include <gtest/gtest.h>

namespace
{

class dram
{
  public:
    explicit dram(const smrf_config &config)
        : c(config), part(smrf_config_memory(&c)), storage_(smrf_dram_bytes(&part) + 64)
    {
        auto address = (reinterpret_cast<uintptr_t>(storage_.data()) + 63) / 64 * 64;
        smrf_map_init(&map, &part);
        smrf_dram_init(&d, reinterpret_cast<void *>(address), &part, &map);
    }

    smrf_config c;
    smrf_memory_config part; // kept by the core
    smrf_map map{};
    smrf_dram d{};

    // Address within slice 0 of a sector in bank, row and column (0 to 63) of a machine with one
    // slice and channel.
    uint64_t at(uint32_t bank, uint64_t row, uint32_t column) const
    {
        uint64_t line = c.dram.banks > 1
                            ? (row * (c.dram.banks / 2) + bank / 2) * 32 + column / 4 * 2 + bank % 2
                            : row * 16 + column / 4;
        return line * 128 + column % 4 * 32;
    }

    struct job {
        uint64_t cycle, local;
        uint32_t sectors; // to write, 0: a read
        uint32_t slice = 0;
    };
    struct served {
        uint64_t cycle, local;
        uint32_t slice;
    };

    // Push jobs (ascending cycles), run to the end; returns reads in order of arrival.
    std::vector<served> run(const std::vector<job> &jobs)
    {
        std::vector<served> out;
        size_t next = 0;

        for (uint64_t cycle = 0; cycle < 20000; cycle++) {
            for (uint32_t channel = 0; channel < c.dram.channels; channel++) {
                smrf_dram_run(&d, channel, smrf_dram_after(&d, cycle + 1));
            }
            for (uint32_t slice = 0; slice < c.l2.slices; slice++) {
                while (smrf_dram_arrival(&d, slice) <= cycle) {
                    out.push_back({cycle, smrf_dram_fetch(&d, slice), slice});
                }
            }
            if (d.stats.writes > written_) {
                written_ = d.stats.writes;
                stored_ = cycle + 1; // what is seen in a cycle began with the next one
            }
            for (; next < jobs.size() && jobs[next].cycle == cycle; next++) {
                if (jobs[next].sectors) {
                    smrf_dram_write(&d, jobs[next].slice, jobs[next].local, jobs[next].sectors,
                                    cycle);
                } else {
                    smrf_dram_read(&d, jobs[next].slice, jobs[next].local, jobs[next].local, cycle);
                }
            }
        }
        return out;
    }

    // Cycle of the last command of the last write.
    uint64_t stored() const
    {
        return stored_;
    }

    // Cycle of a read's column command, from the cycle in which its data came.
    uint64_t command(uint64_t filled) const
    {
        return filled - c.dram.cl;
    }

    uint64_t data() const
    {
        return d.data;
    }

    // First command for what a slice asks for in `cycle`: into its queue, out of it, `latency` core
    // cycles, into the window, a cycle each.
    uint64_t arrival(uint64_t cycle) const
    {
        return cycle + 4 + c.dram.latency;
    }

  private:
    std::vector<unsigned char> storage_;
    uint64_t stored_ = 0, written_ = 0;
};

smrf_config one_channel()
{
    smrf_config c = default_config();

    c.dram.channels = 1;
    c.l2.slices = 1;
    c.dram.khz = c.gpu.core_khz;
    return c;
}

TEST(Dram, ActivatesReadsAndReturns)
{
    dram m(one_channel());
    auto out = m.run({{5, m.at(3, 7, 0), 0}});

    ASSERT_EQ(1u, out.size());
    EXPECT_EQ(m.arrival(5) + m.c.dram.rcd, m.command(out[0].cycle));
}

TEST(Dram, SpacesColumnsByTheBankGroupAndActivationsByBank)
{
    dram m(one_channel());
    auto out = m.run({{0, m.at(0, 0, 0), 0},   // group 0
                      {0, m.at(0, 0, 1), 0},   // the same row
                      {0, m.at(1, 0, 0), 0}}); // group 1

    ASSERT_EQ(3u, out.size());
    uint64_t first = m.command(out[0].cycle);
    EXPECT_EQ(m.c.dram.ccdl, m.command(out[1].cycle) - first);
    EXPECT_EQ(m.arrival(0) + m.c.dram.rrd + m.c.dram.rcd, m.command(out[2].cycle));

    // Open rows of two groups: a column every ccd.
    std::vector<dram::job> jobs;
    for (uint32_t i = 0; i < 16; i++) {
        jobs.push_back({1000, m.at(i % 2, 0, 8 + i), 0});
    }
    smrf_dram_reset(&m.d);
    jobs.insert(jobs.begin(), {{0, m.at(0, 0, 0), 0}, {0, m.at(1, 0, 0), 0}});
    out = m.run(jobs);
    ASSERT_EQ(18u, out.size());
    EXPECT_EQ(15u * m.c.dram.ccd, out[17].cycle - out[2].cycle);
}

TEST(Dram, KeepsARowOpenForItsActiveTimeAndCloses)
{
    dram m(one_channel());
    auto out = m.run({{0, m.at(0, 0, 0), 0}, {0, m.at(0, 1, 0), 0}});

    // activate, read at rcd; precharge at ras; activate at max(rc, ras + rp) = 79; read.
    ASSERT_EQ(2u, out.size());
    uint64_t activate = std::max(m.c.dram.rc, m.c.dram.ras + m.c.dram.rp);
    EXPECT_EQ(m.arrival(0) + activate + m.c.dram.rcd, m.command(out[1].cycle));

    smrf_config c = one_channel();
    c.dram.ras = 1; // the read's own limits remain: data and rtpl before the precharge
    dram fast(c);
    out = fast.run({{0, fast.at(0, 0, 0), 0}, {0, fast.at(0, 1, 0), 0}});
    uint64_t precharge = c.dram.rcd + std::max<uint64_t>(fast.data(), c.dram.rtpl);
    activate = std::max<uint64_t>(c.dram.rc, precharge + c.dram.rp);
    EXPECT_EQ(fast.arrival(0) + activate + c.dram.rcd, fast.command(out[1].cycle));

    c.dram.rc = 1;
    c.dram.rtpl = 9;
    dram faster(c);
    out = faster.run({{0, faster.at(0, 0, 0), 0}, {0, faster.at(0, 1, 0), 0}});
    EXPECT_EQ(faster.arrival(0) + c.dram.rcd + 9 + c.dram.rp + c.dram.rcd,
              faster.command(out[1].cycle));
}

TEST(Dram, RecoversAfterAWrite)
{
    for (uint32_t recovery : {24u, 60u}) { // 24: the row's active time is longer
        smrf_config c = one_channel();
        c.dram.wr = recovery;
        dram m(c);
        auto out = m.run({{0, m.at(0, 0, 0), 1}, {0, m.at(0, 1, 0), 0}});
        uint64_t write = m.arrival(0) + c.dram.rcd - c.dram.wl - 1;
        uint64_t precharge =
            std::max(write + c.dram.wl + m.data() + c.dram.wr, m.arrival(0) + c.dram.ras);

        ASSERT_EQ(1u, out.size());
        EXPECT_EQ(precharge + c.dram.rp + c.dram.rcd, m.command(out[0].cycle));
        EXPECT_EQ(write, m.stored());
    }
}

TEST(Dram, TurnsTheBusAround)
{
    dram m(one_channel());
    auto out = m.run({{0, m.at(0, 0, 0), 1}, {0, m.at(0, 0, 1), 0}});
    uint64_t write = m.arrival(0) + m.c.dram.rcd - m.c.dram.wl - 1;

    ASSERT_EQ(1u, out.size());
    EXPECT_EQ(write + m.c.dram.wl + m.data() + m.c.dram.cdlr, m.command(out[0].cycle));

    dram n(one_channel());
    out = n.run({{0, n.at(0, 0, 0), 0}, {0, n.at(0, 0, 1), 1}});
    EXPECT_EQ(n.command(out[0].cycle) + n.c.dram.cl + n.data() + 2 - n.c.dram.wl, n.stored());
    EXPECT_EQ(1u, n.d.stats.turnarounds);
}

TEST(Dram, ServesOpenRowsFirstWithinItsWindow)
{
    for (uint32_t window : {1u, 2u, 64u}) {
        smrf_config c = one_channel();
        c.dram.queue = window;
        dram m(c);
        auto out = m.run({{0, m.at(0, 0, 0), 0},    // opens row 0
                          {1000, m.at(0, 1, 0), 0}, // taken at once: another row
                          {1000, m.at(0, 0, 1), 0},
                          {1000, m.at(0, 1, 1), 0}});
        std::vector<uint64_t> order;

        for (auto &s : out) {
            order.push_back(s.local);
        }
        std::vector<uint64_t> in_order = {m.at(0, 0, 0), m.at(0, 1, 0), m.at(0, 0, 1),
                                          m.at(0, 1, 1)};
        std::vector<uint64_t> row_first = {m.at(0, 0, 0), m.at(0, 1, 0), m.at(0, 1, 1),
                                           m.at(0, 0, 1)};
        EXPECT_EQ(window > 1 ? row_first : in_order, order) << window;
        EXPECT_EQ(window > 1 ? 1u : 0u, m.d.stats.row_hits);
        EXPECT_EQ(window > 1, m.d.stats.queue_full_cycles == 0);
    }
}

// Accel-Sim makes one request of a line's dirty sectors: it takes one place of the window and keeps
// its bank until its last sector.
TEST(Dram, WritesALineAsOneRequest)
{
    smrf_config c = one_channel();
    c.dram.queue = 1;
    dram m(c);
    auto out = m.run({{0, m.at(0, 0, 0), 3}, {0, m.at(0, 0, 4), 0}});
    uint64_t first = m.arrival(0) + c.dram.rcd - c.dram.wl - 1;

    EXPECT_EQ(first + 2 * c.dram.ccdl, m.stored());
    EXPECT_EQ(3u, m.d.stats.writes);
    EXPECT_EQ(2u, m.d.stats.turnarounds);
    EXPECT_EQ(0u, m.d.stats.queue_full_cycles);
    ASSERT_EQ(1u, out.size());
    EXPECT_EQ(m.stored() + c.dram.wl + m.data() + c.dram.cdlr, m.command(out[0].cycle));
}

// The bank of the first request may read in the cycle in which bank 1 may be activated. The turn is
// three behind the former, which was committed and activated, then bank 1 committed.
TEST(Dram, GivesARowCommandBesideAColumnCommandUnlessTheTurnLeavesThatOut)
{
    for (uint32_t first : {15u, 2u}) {
        smrf_config c = one_channel();
        c.dram.rcd = c.dram.rrd;
        dram m(c);
        auto out = m.run({{0, m.at(first, 0, 0), 0}, {0, m.at(1, 0, 0), 0}});

        ASSERT_EQ(2u, out.size());
        EXPECT_EQ(m.arrival(0) + c.dram.rcd + (first == 2), m.command(out[0].cycle)) << first;
        EXPECT_EQ(m.arrival(0) + c.dram.rrd + c.dram.rcd, m.command(out[1].cycle)) << first;
    }
}

TEST(Dram, TakesItsSlicesInTurnOneRequestACycle)
{
    smrf_config c = one_channel();
    c.l2.slices = 2;
    dram m(c);
    std::vector<dram::job> jobs;
    for (uint32_t i = 0; i < 8; i++) { // even banks are slice 0's, odd ones slice 1's
        jobs.push_back({i / 2, i / 2 * 32, 0, 1 - i % 2});
    }
    auto out = m.run(jobs);
    ASSERT_EQ(8u, out.size());
    EXPECT_EQ(0u, out[0].slice) << "the last slice counts as served";
    EXPECT_EQ(m.arrival(0) + c.dram.rcd, m.command(out[0].cycle));
    const auto other = std::find_if(out.begin(), out.end(), [](auto &r) { return r.slice == 1; });
    // its bank is ready at rrd + rcd, when the first one reads its third sector
    EXPECT_EQ(m.arrival(0) + c.dram.rrd + c.dram.rcd + c.dram.ccd, m.command(other->cycle));
}

TEST(Dram, HasRoomForSixtyFourOfASlice)
{
    smrf_config c = one_channel();
    c.dram.queue = 1;
    dram m(c);
    for (uint32_t i = 0; i < SMRF_DRAM_SLICE_QUEUE; i++) {
        EXPECT_TRUE(smrf_dram_room(&m.d, 0, i));
        smrf_dram_read(&m.d, 0, m.at(0, i, 0), 0, i);
    }
    EXPECT_FALSE(smrf_dram_room(&m.d, 0, SMRF_DRAM_SLICE_QUEUE));
    EXPECT_EQ(uint64_t(SMRF_DRAM_SLICE_QUEUE), m.run({}).size());
    EXPECT_TRUE(smrf_dram_room(&m.d, 0, SMRF_DRAM_SLICE_QUEUE));
}

TEST(Dram, TakesAsManyBurstsAsASectorNeeds)
{
    smrf_config c = one_channel();
    c.dram.bus_bytes = 1; // 16 bytes a burst
    dram m(c);
    auto out = m.run({{0, m.at(0, 0, 0), 0}, {0, m.at(0, 0, 1), 0}});

    EXPECT_EQ(4u, m.data());
    EXPECT_EQ(m.arrival(0) + c.dram.rcd + c.dram.ccdl, m.command(out[0].cycle));
    EXPECT_EQ(2 * c.dram.ccdl, out[1].cycle - out[0].cycle);
}

TEST(Dram, RunsAtTheRatioOfItsClock)
{
    for (uint32_t khz : {3500500u, 850000u, 1365000u, 1u}) {
        smrf_config c = one_channel();
        c.dram.khz = khz;
        c.gpu.core_khz = khz == 1 ? 3 : 1365000;
        dram m(c);
        std::vector<dram::job> jobs;
        for (uint32_t i = 0; i < 64; i++) {
            jobs.push_back({0, m.at(0, 0, i), 0});
        }
        auto out = m.run(jobs);
        double ratio = double(c.gpu.core_khz) / khz;

        ASSERT_EQ(64u, out.size());
        EXPECT_NEAR((c.dram.rcd + c.dram.cl + 1) * ratio, double(out[0].cycle - m.arrival(0)),
                    2 + 3 * ratio);
        EXPECT_NEAR(63 * c.dram.ccdl * ratio, double(out[63].cycle - out[0].cycle), 1.0);
    }
}

TEST(Dram, SustainsASectorEveryColumnSpacing)
{
    smrf_config c = default_config(); // 64 sectors a window, all channels alike
    c.dram.channels = 1;
    c.l2.slices = 1;
    dram m(c);
    std::vector<dram::job> jobs;
    uint32_t sectors = 2000;

    for (uint32_t i = 0; i < sectors; i++) { // rows of a pair of banks, then of the next
        jobs.push_back({i / 100 * 150,
                        m.at(i / 4 % 2 + i / 128 % 8 * 2, i / 1024, i / 8 * 4 % 64 + i % 4),
                        false});
    }
    auto out = m.run(jobs);
    ASSERT_EQ(sectors, out.size());
    double cycles = double(out.back().cycle - out.front().cycle);
    double least = sectors * c.dram.ccd * double(c.gpu.core_khz) / c.dram.khz;
    EXPECT_GE(cycles, least - 10);
    EXPECT_LE(cycles, 1.3 * least);
}

} // namespace
