// SPDX-License-Identifier: Apache-2.0
// The table of register values in Allocate beside a slow reference: a list of values in the order
// of replacement, which is searched from the front.
#include "models/common/smrf_err.h"
#include "models/window_cache/value_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <vector>

namespace
{

struct value {
    unsigned warp, reg;
    bool near, pending;
    uint64_t reader;
    uint32_t number, word;
};

// Values as a list, the first of which leaves first.
struct reference {
    smrf_value_table_config cfg;
    std::list<value> values;

    std::list<value>::iterator find(unsigned warp, unsigned reg)
    {
        return std::find_if(values.begin(), values.end(),
                            [&](const value &v) { return v.warp == warp && v.reg == reg; });
    }
    // Makes room; registers of `locked` stay. Returns false: all are locked.
    bool make_room(unsigned warp, const std::vector<uint8_t> &locked)
    {
        if (values.size() < cfg.entries) {
            return true;
        }
        for (bool far_only : {true, false}) {
            if (far_only && cfg.replacement != SMRF_WINDOW_CACHE_FAR_LRU) {
                continue;
            }
            for (auto v = values.begin(); v != values.end(); ++v) {
                const bool stays = v->warp == warp &&
                                   std::find(locked.begin(), locked.end(), v->reg) != locked.end();
                if (!stays && !(far_only && v->near)) {
                    values.erase(v);
                    return true;
                }
            }
        }
        return false;
    }
    smrf_value_table_found read(const smrf_value_table_reader &in)
    {
        smrf_value_table_found out{};
        std::vector<uint8_t> locked;
        values.remove_if([&](const value &v) {
            return cfg.window && v.warp == in.warp && in.number >= v.number + cfg.window;
        });
        for (unsigned i = 0; i < in.num_src; i++) {
            const auto v = find(in.warp, in.src[i]);
            if (v != values.end()) {
                out.hits |= 1u << i;
                locked.push_back(in.src[i]);
                v->number = in.number;
                v->near = in.near >> i & 1;
                if (cfg.replacement != SMRF_WINDOW_CACHE_FIFO) {
                    values.splice(values.end(), values, v);
                }
            }
        }
        for (unsigned i = 0; i < in.num_src; i++) {
            const bool near = in.near >> i & 1;
            const bool wanted = cfg.reads == SMRF_WINDOW_CACHE_READS_ALL ||
                                (cfg.reads == SMRF_WINDOW_CACHE_READS_NEAR && near) ||
                                (cfg.reads == SMRF_WINDOW_CACHE_READS_MARKED && in.marked >> i & 1);
            if (out.hits >> i & 1 || !wanted || !make_room(in.warp, locked)) {
                continue;
            }
            values.push_back({in.warp, in.src[i], near, true, in.uid, in.number, 0});
            locked.push_back(in.src[i]);
            out.enter |= 1u << i;
        }
        return out;
    }
    bool arrive(uint64_t uid, unsigned warp, unsigned reg, uint32_t word)
    {
        const auto v = find(warp, reg);
        if (v == values.end() || !v->pending || v->reader != uid) {
            return false;
        }
        v->pending = false;
        v->word = word;
        return true;
    }
    smrf_value_table_outcome write(const smrf_value_table_result &in)
    {
        auto v = find(in.warp, in.reg);
        const bool present = v != values.end();
        const bool wanted =
            !in.late && (cfg.results == SMRF_WINDOW_CACHE_RESULTS_ALL ||
                         (cfg.results == SMRF_WINDOW_CACHE_RESULTS_NEAR && in.near) ||
                         (cfg.results == SMRF_WINDOW_CACHE_RESULTS_PRESENT && present));
        if (!wanted) {
            if (present) {
                values.erase(v);
            }
            return present ? SMRF_VALUE_TABLE_DROPPED : SMRF_VALUE_TABLE_NOTHING;
        }
        if (!present) {
            make_room(in.warp, {});
            values.push_back({in.warp, in.reg, false, false, 0, 0, 0});
            v = std::prev(values.end());
        } else if (cfg.replacement != SMRF_WINDOW_CACHE_FIFO) {
            values.splice(values.end(), values, v);
        }
        v->near = in.near;
        v->pending = false;
        v->number = in.number;
        v->word = in.row[0];
        return SMRF_VALUE_TABLE_KEPT;
    }
};

struct bench {
    smrf_value_table_config cfg;
    smrf_value_table table{};
    reference slow;
    std::mt19937 random;
    uint64_t uid = 0;
    uint32_t number[4] = {}, version = 0, hits = 0, kept = 0;
    std::vector<std::pair<smrf_value_table_reader, std::vector<uint8_t>>> reading;

    bench(const smrf_value_table_config &c, unsigned seed) : cfg(c), slow{c, {}}, random(seed)
    {
        EXPECT_EQ(0, smrf_value_table_check(&cfg));
    }
    unsigned any(unsigned n)
    {
        return unsigned(random() % n);
    }
    void read()
    {
        std::vector<uint8_t> src;
        for (unsigned n = any(5); n; n--) {
            const auto reg = uint8_t(any(12));
            if (std::find(src.begin(), src.end(), reg) == src.end()) {
                src.push_back(reg);
            }
        }
        const auto warp = uint8_t(any(4));
        number[warp] += 1 + any(3);
        smrf_value_table_reader in{src.data(),          ++uid, number[warp], any(32), any(32),
                                   uint8_t(src.size()), warp};
        smrf_value_table_found out;
        smrf_value_table_read(&table, &cfg, &in, &out);
        const smrf_value_table_found expected = slow.read(in);
        ASSERT_EQ(expected.hits, out.hits) << "instruction " << uid;
        ASSERT_EQ(expected.enter, out.enter) << "instruction " << uid;
        hits += unsigned(__builtin_popcount(out.hits));
        reading.emplace_back(in, src);
    }
    void arrive()
    {
        if (reading.empty()) {
            return;
        }
        const size_t at = any(unsigned(reading.size()));
        for (uint8_t reg : reading[at].second) {
            const smrf_value_table_reader &in = reading[at].first;
            const uint32_t row[SMRF_LANES] = {++version};
            ASSERT_EQ(slow.arrive(in.uid, in.warp, reg, version),
                      smrf_value_table_arrive(&table, in.uid, in.warp, reg, row, version));
        }
        reading.erase(reading.begin() + std::ptrdiff_t(at));
    }
    void write()
    {
        const uint32_t row[SMRF_LANES] = {++version};
        const auto warp = uint8_t(any(4));
        const smrf_value_table_result in{
            row, version, number[warp], warp, uint8_t(any(12)), any(2) != 0, any(8) == 0};
        const auto outcome = smrf_value_table_write(&table, &cfg, &in);
        ASSERT_EQ(slow.write(in), outcome);
        kept += outcome == SMRF_VALUE_TABLE_KEPT;
    }
    void compare()
    {
        for (unsigned warp = 0; warp < 4; warp++) {
            for (unsigned reg = 0; reg < 12; reg++) {
                const uint32_t *copy = smrf_value_table_probe(&table, warp, reg);
                const auto v = slow.find(warp, reg);
                const bool there = v != slow.values.end() && !v->pending;
                ASSERT_EQ(there, copy != nullptr) << "warp " << warp << ", R" << reg;
                if (copy) {
                    ASSERT_EQ(v->word, copy[0]) << "warp " << warp << ", R" << reg;
                }
            }
        }
    }
    void turn()
    {
        switch (any(16)) {
        case 0: {
            const unsigned warp = any(4);
            smrf_value_table_forget(&table, warp);
            slow.values.remove_if([&](const value &v) { return v.warp == warp; });
            break;
        }
        case 1:
        case 2:
        case 3:
        case 4:
            write();
            break;
        case 5:
        case 6:
        case 7:
        case 8:
        case 9:
            arrive();
            break;
        default:
            read();
        }
        compare();
    }
};

TEST(ValueTable, HoldsWhatTheReferenceHolds)
{
    unsigned hits = 0, kept = 0;
    for (uint32_t reads = 0; reads < 4; reads++) {
        for (uint32_t results = 0; results < 4; results++) {
            for (uint32_t replacement = 0; replacement < 3; replacement++) {
                for (uint32_t entries : {1u, 3u, 6u, 16u, 32u}) {
                    const uint32_t window = (reads + results + entries) % 3 * 3;
                    bench b({entries, reads, results, replacement, window},
                            reads * 97 + results * 31 + replacement * 7 + entries);
                    SCOPED_TRACE(testing::Message() << entries << " entries, reads " << reads
                                                    << ", results " << results << ", replacement "
                                                    << replacement << ", window " << window);
                    for (unsigned n = 0; n < 800 && !testing::Test::HasFatalFailure(); n++) {
                        b.turn();
                    }
                    hits += b.hits;
                    kept += b.kept;
                }
            }
        }
    }
    EXPECT_GT(hits, 8000u);
    EXPECT_GT(kept, 10000u);
}

TEST(ValueTable, TakesOneTo32Entries)
{
    for (uint32_t entries : {0u, 33u}) {
        const smrf_value_table_config cfg{entries, 0, 0, 0, 0};
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_value_table_check(&cfg));
    }
}

} // namespace
