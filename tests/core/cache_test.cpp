// SPDX-License-Identifier: Apache-2.0
// Sectored tag store and MSHR table against slow references: linear scans over maps and lists with
// time stamps, written from the headers' text.
#include "models/cache/cache.h"
#include "models/cache/mshr.h"
#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace
{

struct aligned_storage {
    explicit aligned_storage(size_t bytes)
        : bytes_(bytes),
          p_(static_cast<unsigned char *>(::operator new(bytes, std::align_val_t(64))))
    {
        std::memset(p_, 0xa5, bytes); // nothing may rely on zeroed storage
    }
    ~aligned_storage()
    {
        ::operator delete(p_, std::align_val_t(64));
    }
    aligned_storage(const aligned_storage &) = delete;
    aligned_storage &operator=(const aligned_storage &) = delete;
    size_t bytes_;
    unsigned char *p_;
};

// A cache as its header describes it: every line with its state and the time of its last access.
struct slow_cache {
    struct line {
        uint64_t stamp = 0;
        bool valid[4] = {}, pending[4] = {};
        uint32_t written[4] = {};
        bool dirty() const
        {
            return written[0] || written[1] || written[2] || written[3];
        }
        bool counts_as_dirty() const
        {
            bool any = false;
            for (int s = 0; s < 4; s++) {
                any = any || (written[s] && (valid[s] || !pending[s]));
            }
            return any;
        }
        bool any_pending() const
        {
            return pending[0] || pending[1] || pending[2] || pending[3];
        }
    };
    struct victim {
        bool evicted = false;
        uint64_t address = 0;
        line was;
    };
    uint32_t sets, ways;
    std::map<uint64_t, line> lines; // by line number
    uint64_t now = 0;
    uint32_t keep_percent = 0;

    uint32_t set_of(uint64_t address) const
    {
        return uint32_t(address / 128 % sets);
    }

    // Lines of a set; the least recently used that may leave.
    bool room(uint32_t set, uint64_t *oldest) const
    {
        uint32_t count = 0, awaited = 0;
        size_t dirty = 0;
        for (const auto &entry : lines) {
            dirty += entry.second.counts_as_dirty();
        }
        bool keep = dirty * 100 < size_t(keep_percent) * sets * ways, found = false;
        uint64_t stamp = UINT64_MAX, dirty_stamp = UINT64_MAX, oldest_dirty = 0;
        for (const auto &[number, l] : lines) {
            if (number % sets != set) {
                continue;
            }
            count++;
            awaited += l.any_pending();
            if (l.any_pending()) {
                continue;
            }
            if (keep && l.dirty()) {
                if (l.stamp < dirty_stamp) {
                    dirty_stamp = l.stamp;
                    oldest_dirty = number;
                }
            } else if (l.stamp < stamp) {
                stamp = l.stamp;
                *oldest = number;
                found = true;
            }
        }
        if (count < ways) {
            *oldest = UINT64_MAX;
        }
        if (!found && awaited == 0 && dirty_stamp != UINT64_MAX && count == ways) {
            *oldest = oldest_dirty;
            found = true;
        }
        return count < ways || found;
    }

    void empty()
    {
        for (auto it = lines.begin(); it != lines.end();) {
            for (int s = 0; s < 4; s++) {
                it->second.valid[s] = false;
                it->second.written[s] = 0;
            }
            it = it->second.any_pending() ? std::next(it) : lines.erase(it);
        }
    }

    smrf_cache_result probe(uint64_t address, bool write) const
    {
        uint64_t unused;
        auto it = lines.find(address / 128);
        uint32_t s = address / 32 % 4;
        if (it == lines.end()) {
            return room(set_of(address), &unused) ? SMRF_CACHE_LINE_MISS : SMRF_CACHE_FULL;
        }
        const line &l = it->second;
        if (l.valid[s] || (write && l.written[s] != 0)) {
            return SMRF_CACHE_HIT;
        }
        return l.pending[s] ? SMRF_CACHE_HIT_PENDING : SMRF_CACHE_SECTOR_MISS;
    }

    victim access(uint64_t address, bool write, uint32_t bytes)
    {
        victim v;
        uint32_t s = address / 32 % 4;
        if (lines.find(address / 128) == lines.end()) {
            uint64_t out = 0;
            EXPECT_TRUE(room(set_of(address), &out));
            if (out != UINT64_MAX) {
                v = victim{true, out * 128, lines[out]};
                lines.erase(out);
            }
        }
        line &l = lines[address / 128];
        l.stamp = ++now;
        if (write) {
            l.written[s] |= bytes;
            l.valid[s] = l.valid[s] || l.written[s] == 0xffffffff;
        } else if (!l.valid[s]) {
            l.pending[s] = true;
        }
        return v;
    }

    bool fill(uint64_t address)
    {
        auto it = lines.find(address / 128);
        uint32_t s = address / 32 % 4;
        if (it == lines.end() || !it->second.pending[s]) {
            return false;
        }
        it->second.pending[s] = false;
        it->second.valid[s] = true;
        return true;
    }
};

struct dut_cache {
    aligned_storage mem;
    smrf_cache c;
    dut_cache(uint32_t sets, uint32_t ways) : mem(smrf_cache_bytes(sets, ways))
    {
        EXPECT_EQ(SMRF_OK, smrf_cache_init(&c, mem.p_, sets, ways));
    }
    uint32_t set(uint64_t a) const
    {
        return smrf_cache_linear_set(&c, a);
    }
    smrf_cache_found probe(uint64_t a, bool write = false) const
    {
        return smrf_cache_probe(&c, a, set(a), write);
    }
    smrf_cache_victim read(uint64_t a)
    {
        smrf_cache_victim v;
        struct smrf_cache_found p = probe(a);
        smrf_cache_read(&c, &p, &v);
        return v;
    }
    smrf_cache_victim write(uint64_t a, uint32_t bytes = 0xffffffff)
    {
        smrf_cache_victim v;
        struct smrf_cache_found p = probe(a, true);
        smrf_cache_write(&c, &p, bytes, &v);
        return v;
    }
    void load(uint64_t a)
    {
        read(a);
        EXPECT_TRUE(smrf_cache_fill(&c, a, set(a)));
    }
};

} // namespace

TEST(Cache, SectorGoesFromMissOverPendingToHit)
{
    dut_cache d(4, 2);

    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0x1000).result);
    EXPECT_FALSE(d.read(0x1000).evicted);
    EXPECT_EQ(SMRF_CACHE_HIT_PENDING, d.probe(0x1000).result);
    EXPECT_EQ(SMRF_CACHE_SECTOR_MISS, d.probe(0x1020).result);
    EXPECT_TRUE(smrf_cache_fill(&d.c, 0x1000, d.set(0x1000)));
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x101f).result);
    EXPECT_TRUE(smrf_cache_probe_valid(&d.c, 0x1000, d.set(0x1000)));
    EXPECT_FALSE(smrf_cache_probe_valid(&d.c, 0x1020, d.set(0x1020)));
    EXPECT_FALSE(smrf_cache_fill(&d.c, 0x1000, d.set(0x1000)))
        << "a second fill finds nothing pending";
}

TEST(Cache, FillsTheLineThatTheReadHadFound)
{
    dut_cache d(4, 2);
    const uint32_t line = d.probe(0x1000).line;

    d.read(0x1000);
    d.read(0x1020);
    d.read(0x2000);
    uint16_t merged = 7;
    EXPECT_TRUE(smrf_cache_fill_line(&d.c, line, 1, &merged));
    EXPECT_EQ(0u, merged) << "nothing was noted";
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x1020).result);
    EXPECT_EQ(SMRF_CACHE_HIT_PENDING, d.probe(0x1000).result);
    EXPECT_EQ(SMRF_CACHE_HIT_PENDING, d.probe(0x2000).result);
    EXPECT_FALSE(smrf_cache_fill_line(&d.c, line, 1, &merged)) << "nothing pending any more";
}

TEST(Cache, GivesBackWithAFillWhatWasNotedOfItsSector)
{
    dut_cache d(4, 2);
    const uint32_t line = d.probe(0x1000).line;
    uint16_t merged;

    for (uint16_t round = 1; round < 4; round++) {
        d.read(0x1000);
        d.read(0x1020);
        EXPECT_EQ(0u, *smrf_cache_note(&d.c, line, 0x1000)) << "nothing is left of the last time";
        *smrf_cache_note(&d.c, line, 0x1000) = round;
        EXPECT_EQ(round, *smrf_cache_note(&d.c, line, 0x1000));
        EXPECT_TRUE(smrf_cache_fill_line(&d.c, line, 1, &merged));
        EXPECT_EQ(0u, merged) << "the other sector's";
        EXPECT_TRUE(smrf_cache_fill_line(&d.c, line, 0, &merged));
        EXPECT_EQ(round, merged);
        smrf_cache_invalidate_all(&d.c);
    }
}

TEST(Cache, EmptiedKeepsOnlySectorsThatAreAwaited)
{
    dut_cache d(2, 3);

    d.load(0x000); // all in set 0
    d.read(0x020); // awaited, in a line with a readable sector
    d.load(0x100);
    d.write(0x200);
    const uint32_t line = d.probe(0x020).line;
    smrf_cache_empty(&d.c);
    EXPECT_EQ(SMRF_CACHE_SECTOR_MISS, d.probe(0x000).result);
    EXPECT_EQ(SMRF_CACHE_HIT_PENDING, d.probe(0x020).result);
    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0x100).result);
    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0x200).result);
    EXPECT_FALSE(d.read(0x300).evicted) << "two ways are free";
    EXPECT_FALSE(d.read(0x400).evicted);
    EXPECT_EQ(SMRF_CACHE_FULL, d.probe(0x500).result) << "every line awaits a sector";
    EXPECT_TRUE(smrf_cache_fill(&d.c, 0x020, 0));
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x020).result);
    EXPECT_EQ(line, d.probe(0x020).line) << "it stayed where it was";
    smrf_cache_victim v = d.read(0x500);
    EXPECT_TRUE(v.evicted);
    EXPECT_EQ(0x000u, v.address);
    EXPECT_EQ(0, v.dirty) << "what had been written is forgotten";
}

TEST(Cache, ReplacesTheLeastRecentlyUsedLineOfTheSet)
{
    dut_cache d(2, 3);

    for (uint64_t a : {0x000, 0x100, 0x200}) { // all in set 0
        d.load(a);
    }
    d.read(0x000); // now 0x100 is the oldest
    smrf_cache_victim v = d.read(0x300);
    EXPECT_TRUE(v.evicted);
    EXPECT_EQ(0x100u, v.address);
    EXPECT_EQ(0, v.dirty);
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x000).result);
    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0x100).result);
}

TEST(Cache, NeverReplacesAPendingLineAndRefusesWhenAllArePending)
{
    dut_cache d(1, 2);

    d.read(0x000); // oldest, pending
    d.load(0x080);
    EXPECT_EQ(0x080u, d.read(0x100).address) << "the older line is pending";
    EXPECT_EQ(SMRF_CACHE_FULL, d.probe(0x180).result);
    EXPECT_EQ(SMRF_CACHE_NO_LINE, d.probe(0x180).line);
    EXPECT_TRUE(smrf_cache_fill(&d.c, 0x000, d.set(0x000)));
    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0x180).result);
}

TEST(Cache, PartlyWrittenSectorBecomesReadableWithItsLastByte)
{
    dut_cache d(1, 2);

    d.write(0x40, 0x0000ffff);
    EXPECT_EQ(SMRF_CACHE_SECTOR_MISS, d.probe(0x40).result);
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x40, true).result);
    d.write(0x40, 0x7fff0000);
    EXPECT_EQ(SMRF_CACHE_SECTOR_MISS, d.probe(0x40).result);
    d.write(0x40, 0x80000000);
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0x40).result);
}

TEST(Cache, VictimCarriesDirtySectorsAndBytes)
{
    dut_cache d(1, 1);

    d.write(0x20, 0x000000f0);
    d.write(0x60);
    d.load(0x00);
    smrf_cache_victim v = d.write(0x1000);
    EXPECT_TRUE(v.evicted);
    EXPECT_EQ(0x0au, v.dirty);
    EXPECT_EQ(0xf0u, v.written[1]);
    EXPECT_EQ(0xffffffffu, v.written[3]);
    EXPECT_EQ(0u, v.written[0]);
}

TEST(Cache, MarkDirtyKeepsTheOrderOfReplacement)
{
    dut_cache d(1, 2);

    d.load(0x000);
    d.load(0x080);
    EXPECT_TRUE(smrf_cache_mark_dirty(&d.c, 0x004, d.set(0x004), 0xf0));
    EXPECT_FALSE(smrf_cache_mark_dirty(&d.c, 0x400, d.set(0x400), 0xf0));
    smrf_cache_victim v = d.read(0x100);
    EXPECT_EQ(0x000u, v.address);
    EXPECT_EQ(1u, v.dirty);
}

TEST(Cache, KeepsDirtyLinesWhileTheyAreFew)
{
    dut_cache d(1, 4);

    smrf_cache_keep_dirty(&d.c, 50);
    d.write(0x000); // the oldest: one of four, fewer than half
    d.load(0x080);
    d.load(0x100);
    d.load(0x180);
    EXPECT_EQ(0x080u, d.read(0x200).address);
    d.write(0x180); // two of four
    EXPECT_EQ(0x000u, d.read(0x280).address);
}

TEST(Cache, CountsNoLineAsDirtyWhoseWrittenSectorIsAwaited)
{
    dut_cache d(1, 4);

    smrf_cache_keep_dirty(&d.c, 50);
    d.write(0x000);
    d.write(0x080, 0xff); // two of four
    d.load(0x100);
    d.load(0x180);
    EXPECT_EQ(d.probe(0x000).line, d.probe(0x200).line) << "the oldest";
    d.read(0x080); // has bytes that were not written
    EXPECT_EQ(d.probe(0x100).line, d.probe(0x200).line) << "one of four: the oldest clean one";
    d.write(0x080); // all of them, before it comes
    EXPECT_EQ(d.probe(0x000).line, d.probe(0x200).line);
    EXPECT_TRUE(smrf_cache_fill(&d.c, 0x080, d.set(0x080)));
    EXPECT_EQ(d.probe(0x000).line, d.probe(0x200).line);
}

TEST(Cache, OfLinesThatAreEquallyOldThatOfTheHighestWayGoesFirst)
{
    dut_cache d(1, 4);

    smrf_cache_age_by_cycle(&d.c);
    smrf_cache_at(&d.c, 1);
    d.load(0x000);
    smrf_cache_at(&d.c, 2);
    for (uint64_t a : {0x080, 0x100, 0x180}) {
        d.load(a);
    }
    EXPECT_EQ(d.probe(0x000).line, d.probe(0x200).line) << "older than the others";
    smrf_cache_at(&d.c, 3);
    d.read(0x000);
    EXPECT_EQ(d.probe(0x180).line, d.probe(0x200).line);
    d.read(0x180);
    EXPECT_EQ(d.probe(0x100).line, d.probe(0x200).line);
    d.write(0x100);
    d.read(0x080); // all in this cycle, one of them dirty
    EXPECT_EQ(d.probe(0x180).line, d.probe(0x200).line);
    smrf_cache_at(&d.c, 4);
    d.read(0x180);
    EXPECT_EQ(d.probe(0x100).line, d.probe(0x200).line) << "dirty or not";
}

TEST(Cache, ReplacesADirtyLineWhereASetHasNothingElse)
{
    dut_cache d(4, 2);

    smrf_cache_keep_dirty(&d.c, 100);
    d.write(0x000);
    d.read(0x200);
    EXPECT_EQ(SMRF_CACHE_FULL, d.probe(0x400).result) << "the awaited line will be clean";
    d.write(0x220);
    EXPECT_TRUE(smrf_cache_fill(&d.c, 0x200, d.set(0x200)));
    smrf_cache_victim v = d.read(0x400);
    EXPECT_EQ(0x000u, v.address) << "both are dirty now";
    EXPECT_EQ(1u, v.dirty);
}

TEST(Cache, ChangingTheWaysEmptiesAndLimitsTheSet)
{
    dut_cache d(1, 4);

    for (uint64_t a = 0; a < 4 * 128; a += 128) {
        d.load(a);
    }
    EXPECT_EQ(SMRF_OK, smrf_cache_set_ways(&d.c, 4));
    EXPECT_EQ(SMRF_CACHE_HIT, d.probe(0).result) << "the same number changes nothing";
    EXPECT_EQ(SMRF_OK, smrf_cache_set_ways(&d.c, 2));
    EXPECT_EQ(SMRF_CACHE_LINE_MISS, d.probe(0).result);
    d.load(0x000);
    d.load(0x080);
    EXPECT_TRUE(d.read(0x100).evicted);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_cache_set_ways(&d.c, 0));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_cache_set_ways(&d.c, 5));
    smrf_cache_reset(&d.c);
    for (uint64_t a = 0; a < 4 * 128; a += 128) {
        EXPECT_FALSE(d.read(a).evicted) << "reset gives all allocated ways back";
    }
}

TEST(Cache, RefusesSizesThatItCannotHold)
{
    smrf_cache c;
    unsigned char byte;

    EXPECT_EQ(0u, smrf_cache_bytes(0, 4));
    EXPECT_EQ(0u, smrf_cache_bytes(4, 0));
    EXPECT_EQ(0u, smrf_cache_bytes(65536, 65536));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_cache_init(&c, &byte, 0, 4));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_cache_init(&c, &byte, 4, 0));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_cache_init(&c, &byte, 65536, 65536));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_cache_init(&c, &byte, 2 * SMRF_CACHE_MAX_SETS, 1));
}

// The first and the last line of the first, of a middle and of the last set, for every number of
// ways.
TEST(Cache, FindsTheSetOfALineWithoutADivision)
{
    for (uint64_t ways = 1; ways <= SMRF_CACHE_MAX_LINES; ways += ways < 70000 ? 1 : 99991) {
        const uint64_t sets = std::min<uint64_t>(SMRF_CACHE_MAX_LINES / ways, SMRF_CACHE_MAX_SETS);
        smrf_cache c{};

        c.sets_a_line = smrf_cache_sets_a_line(uint32_t(ways));
        for (uint64_t set : {uint64_t(0), sets / 2, sets - 1}) {
            ASSERT_EQ(set, smrf_cache_set_of(&c, uint32_t(set * ways))) << ways << " ways";
            ASSERT_EQ(set, smrf_cache_set_of(&c, uint32_t(set * ways + ways - 1)))
                << ways << " ways";
        }
    }
}

TEST(Cache, EqualsSlowReferenceOnRandomAccesses)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        smrf_rng r;
        smrf_rng_seed(&r, seed, 0);
        uint32_t sets = 1u << smrf_rng_below(&r, 4), ways = 1 + smrf_rng_below(&r, 20);
        uint64_t span = uint64_t(sets) * ways * 128 * (1 + smrf_rng_below(&r, 3));
        dut_cache d(sets, ways);
        slow_cache ref{sets, ways, {}, 0, smrf_rng_below(&r, 2) ? smrf_rng_below(&r, 101) : 0};
        smrf_cache_keep_dirty(&d.c, ref.keep_percent);
        std::deque<uint64_t> awaited;
        uint64_t last = UINT64_MAX; // line that was read or written last

        for (int i = 0; i < 3000; i++) {
            uint64_t a = (uint64_t(smrf_rng_next(&r)) % span) + (seed % 2 ? 0xfff0000000000 : 0);
            bool write = smrf_rng_below(&r, 3) == 0;
            uint32_t bytes = smrf_rng_below(&r, 2) ? 0xffffffff : 0xffu << smrf_rng_below(&r, 25);
            if (last != UINT64_MAX && smrf_rng_below(&r, 2)) {
                const uint64_t more = last * 128 + 32 * smrf_rng_below(&r, 4);
                uint32_t line;
                const bool misses = ref.probe(more, false) == SMRF_CACHE_SECTOR_MISS;
                ASSERT_EQ(misses, smrf_cache_read_on(&d.c, more, &line));
                if (misses) {
                    ASSERT_EQ(d.probe(more).line, line);
                    ref.access(more, false, 0);
                    awaited.push_back(more);
                }
                ASSERT_FALSE(smrf_cache_read_on(&d.c, (last + 1) * 128, &line));
            }
            struct smrf_cache_found p = d.probe(a, write);
            ASSERT_EQ(ref.probe(a, write), p.result);
            if (p.result != SMRF_CACHE_FULL) {
                last = a / 128;
                smrf_cache_victim v;
                bool miss = p.result == SMRF_CACHE_SECTOR_MISS || p.result == SMRF_CACHE_LINE_MISS;
                write ? smrf_cache_write(&d.c, &p, bytes, &v) : smrf_cache_read(&d.c, &p, &v);
                slow_cache::victim w = ref.access(a, write, bytes);
                ASSERT_EQ(w.evicted, v.evicted);
                ASSERT_EQ(w.address, w.evicted ? v.address : 0);
                for (uint32_t s = 0; s < 4; s++) {
                    ASSERT_EQ(w.was.written[s], v.dirty ? v.written[s] : 0);
                    ASSERT_EQ(w.was.written[s] != 0, (v.dirty >> s & 1) != 0);
                }
                if (miss && !write) {
                    awaited.push_back(a);
                }
            }
            if (!awaited.empty() && smrf_rng_below(&r, 5) < 2) {
                size_t k = smrf_rng_below(&r, uint32_t(awaited.size()));
                ASSERT_EQ(ref.fill(awaited[k]),
                          smrf_cache_fill(&d.c, awaited[k], d.set(awaited[k])));
                awaited.erase(awaited.begin() + std::ptrdiff_t(k));
            }
            a = uint64_t(smrf_rng_next(&r)) % span + (seed % 2 ? 0xfff0000000000 : 0);
            if (smrf_rng_below(&r, 8) == 0) {
                auto it = ref.lines.find(a / 128);
                ASSERT_EQ(it != ref.lines.end(), smrf_cache_mark_dirty(&d.c, a, d.set(a), bytes));
                if (it != ref.lines.end()) {
                    slow_cache::line &l = it->second;
                    l.written[a / 32 % 4] |= bytes;
                    l.valid[a / 32 % 4] = l.valid[a / 32 % 4] || l.written[a / 32 % 4] == ~0u;
                }
            }
            if (smrf_rng_below(&r, 200) == 0) {
                ref.empty();
                last = UINT64_MAX;
                smrf_cache_empty(&d.c);
            }
            if (smrf_rng_below(&r, 1000) == 0) {
                ref.lines.clear();
                last = UINT64_MAX;
                smrf_cache_invalidate_all(&d.c);
            }
        }
    }
}

TEST(Cache, ResetEqualsFresh)
{
    dut_cache a(4, 8), b(4, 8);

    for (uint64_t i = 0; i < 100; i++) {
        b.write(i * 96);
    }
    smrf_cache_reset(&b.c);
    for (uint64_t i = 0; i < 100; i++) {
        ASSERT_EQ(a.probe(i * 160).result, b.probe(i * 160).result);
        ASSERT_EQ(a.probe(i * 160).line, b.probe(i * 160).line);
        a.load(i * 160 / 32 * 32 + (i << 12));
        b.load(i * 160 / 32 * 32 + (i << 12));
    }
}

namespace
{

struct dut_mshr {
    aligned_storage mem;
    smrf_mshr m;
    dut_mshr(uint32_t entries, uint32_t merge) : mem(smrf_mshr_bytes(entries, merge))
    {
        EXPECT_EQ(SMRF_OK, smrf_mshr_init(&m, mem.p_, entries, merge));
    }
};

} // namespace

TEST(Mshr, MergesUpToItsLimitAndKeepsTheOrderOfRequests)
{
    dut_mshr d(2, 3);
    uint32_t id = 0;

    uint16_t first = SMRF_MSHR_ALONE;
    smrf_mshr_add(&d.m, 1);
    EXPECT_FALSE(smrf_mshr_full(&d.m));
    EXPECT_TRUE(smrf_mshr_merge(&d.m, &first, 11));
    EXPECT_NE(SMRF_MSHR_ALONE, first);
    smrf_mshr_add(&d.m, 1);
    EXPECT_TRUE(smrf_mshr_full(&d.m));
    EXPECT_TRUE(smrf_mshr_merge(&d.m, &first, 12));
    EXPECT_FALSE(smrf_mshr_merge(&d.m, &first, 13));
    EXPECT_FALSE(smrf_mshr_peek(&d.m, &id));
    EXPECT_EQ(1u, smrf_mshr_arrive(&d.m, 20, SMRF_MSHR_ALONE));
    EXPECT_EQ(3u, smrf_mshr_arrive(&d.m, 10, first));
    EXPECT_TRUE(smrf_mshr_peek(&d.m, &id));
    EXPECT_EQ(20u, id);
    for (uint32_t want : {20u, 10u, 11u, 12u}) {
        EXPECT_EQ(want, smrf_mshr_take(&d.m));
    }
    EXPECT_EQ(0u, d.m.in_use);
}

TEST(Mshr, EntryIsFreeOnlyWhenItsLastRequestWasTaken)
{
    dut_mshr d(1, 2);
    uint16_t merged = SMRF_MSHR_ALONE;

    smrf_mshr_add(&d.m, 1);
    EXPECT_TRUE(smrf_mshr_merge(&d.m, &merged, 2));
    smrf_mshr_arrive(&d.m, 1, merged);
    EXPECT_TRUE(smrf_mshr_full(&d.m));
    smrf_mshr_take(&d.m);
    EXPECT_TRUE(smrf_mshr_full(&d.m));
    smrf_mshr_take(&d.m);
    EXPECT_FALSE(smrf_mshr_full(&d.m));
}

TEST(Mshr, RefusesSizesThatItCannotHold)
{
    smrf_mshr m;
    unsigned char byte;

    EXPECT_EQ(0u, smrf_mshr_bytes(0, 1));
    EXPECT_EQ(0u, smrf_mshr_bytes(1, 0));
    EXPECT_EQ(0u, smrf_mshr_bytes(1u << 20, 1u << 20));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_mshr_init(&m, &byte, 0, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_mshr_init(&m, &byte, 1, 0));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_mshr_init(&m, &byte, 1u << 20, 1u << 20));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_mshr_init(&m, &byte, 1, SMRF_MSHR_MAX_MERGE + 1));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_mshr_init(&m, &byte, SMRF_MSHR_MAX_ENTRIES + 1, 1));
}

TEST(Mshr, EqualsSlowReferenceOnRandomTraffic)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        smrf_rng r;
        smrf_rng_seed(&r, seed, 1);
        uint32_t entries = 1 + smrf_rng_below(&r, 12), merge = 1 + smrf_rng_below(&r, 9);
        dut_mshr d(entries, merge);
        std::map<uint64_t, std::deque<uint32_t>> waiting;
        std::map<uint64_t, uint16_t> merged;
        std::deque<std::deque<uint32_t>> ready;

        for (uint32_t i = 0; i < 4000; i++) {
            uint64_t s = smrf_rng_below(&r, entries * 2);
            auto it = waiting.find(s);
            ASSERT_EQ(waiting.size() + ready.size() == entries, smrf_mshr_full(&d.m));
            if (it != waiting.end()) {
                ASSERT_EQ(it->second.size() < merge, smrf_mshr_merge(&d.m, &merged[s], i));
                if (it->second.size() < merge) {
                    it->second.push_back(i);
                }
            } else if (!smrf_mshr_full(&d.m)) {
                waiting[s].push_back(i);
                merged[s] = SMRF_MSHR_ALONE;
                smrf_mshr_add(&d.m, 1);
            }
            s = smrf_rng_below(&r, entries * 2);
            if (waiting.count(s)) {
                ASSERT_EQ(waiting[s].size() == 1, merged[s] == SMRF_MSHR_ALONE);
            }
            if (smrf_rng_below(&r, 3) == 0 && waiting.count(s) && waiting[s].size() == 1 &&
                ready.empty()) {
                smrf_mshr_take_alone(&d.m);
                waiting.erase(s);
            }
            if (smrf_rng_below(&r, 3) == 0 && waiting.count(s)) {
                ASSERT_EQ(waiting[s].size(), smrf_mshr_arrive(&d.m, waiting[s].front(), merged[s]));
                for (size_t n = 0; n < waiting[s].size(); n++) {
                    ASSERT_EQ(waiting[s][n], smrf_mshr_arrived(&d.m, uint32_t(n)));
                }
                ready.push_back(waiting[s]);
                waiting.erase(s);
            }
            uint32_t id;
            ASSERT_EQ(!ready.empty(), smrf_mshr_peek(&d.m, &id));
            ASSERT_EQ(!ready.empty(), smrf_mshr_any_ready(&d.m));
            if (!ready.empty() && smrf_rng_below(&r, 2)) {
                ASSERT_EQ(ready.front().front(), id);
                ASSERT_EQ(id, smrf_mshr_take(&d.m));
                ready.front().pop_front();
                if (ready.front().empty()) {
                    ready.pop_front();
                }
            }
            if (smrf_rng_below(&r, 2000) == 0) {
                smrf_mshr_reset(&d.m);
                waiting.clear();
                ready.clear();
            }
        }
    }
}
