// SPDX-License-Identifier: Apache-2.0
// The bypassing operand collector beside a slow reference that remembers whole instructions and
// asks, for each source, which of them still holds the value.
#include "models/bow/boc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace
{

struct unit {
    smrf_boc_config cfg;
    std::vector<uint8_t> state;
    smrf_boc *b;
    uint32_t inst = 0;
    std::map<uint32_t, std::vector<uint8_t>> results; // of the instructions that entered

    explicit unit(smrf_boc_config c) : cfg(c), state(sizeof(smrf_boc) + 64)
    {
        b = reinterpret_cast<smrf_boc *>(state.data());
        EXPECT_EQ(0, smrf_boc_init(b, &cfg));
    }
    // An instruction enters; everything missing arrives as value `base + register`.
    smrf_boc_entered enter(std::vector<uint8_t> src, std::vector<uint8_t> dst, uint32_t pc = 0,
                           uint8_t warp = 1)
    {
        smrf_boc_entered out;
        const smrf_boc_inst in{
            src.data(),          dst.data(),          ++inst, pc ? pc : 16 * inst,
            uint8_t(src.size()), uint8_t(dst.size()), warp,   true};
        results[inst] = dst;
        smrf_boc_enter(b, &in, &out);
        for (unsigned i = 0; i < src.size(); i++) {
            if (out.missing >> i & 1) {
                arrive(i, 100u + src[i]);
            }
        }
        return out;
    }
    void arrive(unsigned i, uint32_t value)
    {
        arrive_at(inst, i, value);
    }
    void arrive_at(uint32_t number, unsigned i, uint32_t value)
    {
        uint32_t row[SMRF_LANES];
        std::fill(row, row + SMRF_LANES, value);
        smrf_boc_arrive(b, number, i, row, value);
    }
    // As enter, but what is missing is still on its way.
    smrf_boc_entered begin(std::vector<uint8_t> src, std::vector<uint8_t> dst)
    {
        smrf_boc_entered out;
        const smrf_boc_inst in{src.data(),          dst.data(),          ++inst, 16 * inst,
                               uint8_t(src.size()), uint8_t(dst.size()), 1,      true};
        results[inst] = dst;
        smrf_boc_enter(b, &in, &out);
        return out;
    }
    bool write(uint32_t number, unsigned i, uint32_t value)
    {
        uint32_t row[SMRF_LANES];
        std::fill(row, row + SMRF_LANES, value);
        return smrf_boc_write(b, number, i, results.at(number).at(i), row, value);
    }
};

const smrf_boc_config paper = {3, 6, 2, false, false};
const smrf_boc_config counting = {3, 6, 2, false, true};

TEST(Boc, ConfigurationIsChecked)
{
    EXPECT_EQ(0, smrf_boc_config_check(&paper));
    for (smrf_boc_config bad : {smrf_boc_config{0, 6, 2, false, false},
                                smrf_boc_config{SMRF_BOC_MAX_WINDOW + 1, 6, 2, false, false},
                                smrf_boc_config{3, 12, 5, false, false}}) {
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_boc_config_check(&bad));
        smrf_boc b;
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_boc_init(&b, &bad));
    }
}

TEST(Boc, ForwardsASourceOfTheInstructionsBefore)
{
    unit u(paper);
    EXPECT_EQ(1u, u.enter({4}, {}).missing);
    smrf_boc_entered e = u.enter({4, 5}, {});
    EXPECT_EQ(1u, e.hits);
    EXPECT_EQ(104u, e.value[0]->data[31]);
    EXPECT_EQ(104u, e.value[0]->version);
    EXPECT_EQ(3u, u.enter({5, 4}, {}).hits);
}

// Malekeh (long) VI-B2: a window of 3 loses the reuses at a distance above 3.
TEST(Boc, ForwardsOverTheWindowsLengthAndNoFarther)
{
    for (unsigned window = 1; window <= SMRF_BOC_MAX_WINDOW; window++) {
        for (unsigned distance = 1; distance <= SMRF_BOC_MAX_WINDOW + 1; distance++) {
            for (bool counts : {false, true}) {
                unit u(smrf_boc_config{uint8_t(window), 6, 2, false, counts});
                u.enter({4}, {5});
                EXPECT_TRUE(u.write(1, 0, 55));
                for (unsigned i = 1; i < distance; i++) {
                    u.enter({}, {});
                }
                smrf_boc_entered e = u.enter({5, 4}, {});
                unsigned reach = counts ? window - 1 : window;
                EXPECT_EQ(distance <= reach ? 3u : 0u, e.hits)
                    << "window " << window << ", distance " << distance << ", counts " << counts;
            }
        }
    }
}

TEST(Boc, TheOldestPlaceForwardsInAnyOrderOfOperands)
{
    unit u(paper);
    u.enter({1, 2, 3}, {});
    u.enter({}, {});
    u.enter({}, {});
    smrf_boc_entered e = u.enter({3, 1, 2}, {});
    EXPECT_EQ(7u, e.hits);
    EXPECT_EQ(103u, e.value[0]->data[0]);
    EXPECT_EQ(101u, e.value[1]->data[0]);
    EXPECT_EQ(102u, e.value[2]->data[0]);
}

TEST(Boc, WhatLeftTheWindowIsReadAgain)
{
    for (const smrf_boc_config &cfg : {paper, counting}) {
        unit u(cfg);
        u.enter({4}, {});
        u.enter({}, {});
        u.enter({}, {});
        EXPECT_EQ(cfg.counts_entering, u.enter({4}, {}).missing == 1);
        u.enter({}, {});
        u.enter({}, {});
        u.enter({}, {});
        EXPECT_EQ(1u, u.enter({4}, {}).missing);
    }
}

TEST(Boc, AForwardedCopyLivesOnInItsNewPlace)
{
    unit u(paper);
    u.enter({4}, {});
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(1u, u.enter({4}, {}).hits) << i;
    }
}

TEST(Boc, ForwardsAResultThatReturnedInTime)
{
    unit u(paper);
    u.enter({}, {7});
    EXPECT_TRUE(u.write(1, 0, 55));
    smrf_boc_entered e = u.enter({7}, {});
    EXPECT_EQ(1u, e.hits);
    EXPECT_EQ(55u, e.value[0]->data[0]);
}

TEST(Boc, AResultWhosePlaceSlidOutGoesToTheBanksOnly)
{
    unit u(paper);
    u.enter({}, {7});
    u.enter({}, {});
    u.enter({}, {});
    u.enter({}, {});
    EXPECT_FALSE(u.write(1, 0, 55));
    EXPECT_EQ(1u, u.enter({7}, {}).missing);
}

TEST(Boc, AResultBeyondTheSlotsIsNotKeptAndOlderCopiesAreDropped)
{
    unit u(paper);
    u.enter({9}, {});
    u.enter({}, {7, 8, 9});
    EXPECT_TRUE(u.write(2, 0, 1));
    EXPECT_TRUE(u.write(2, 1, 2));
    EXPECT_FALSE(u.write(2, 2, 3));
    smrf_boc_entered e = u.enter({7, 8, 9}, {});
    EXPECT_EQ(3u, e.hits);
    EXPECT_EQ(4u, e.missing);
}

TEST(Boc, TheCopyOfARegisterThatTheInstructionWritesIsOld)
{
    unit u(paper);
    u.enter({4}, {4});
    EXPECT_EQ(nullptr, smrf_boc_probe_copy(u.b, 4));
    EXPECT_TRUE(u.write(1, 0, 77));
    ASSERT_NE(nullptr, smrf_boc_probe_copy(u.b, 4));
    EXPECT_EQ(77u, smrf_boc_probe_copy(u.b, 4)[5]);
}

// Without write-after-read order, a reader from another pipeline may enter behind its next writer.
TEST(Boc, AResultDropsTheCopyOfAReaderThatEnteredBehindItsWriter)
{
    for (int slid_out = 0; slid_out < 2; slid_out++) {
        unit u(paper);
        u.enter({}, {7});
        EXPECT_EQ(1u, u.enter({7}, {}).missing) << "the old value, from its bank";
        for (int i = 0; i < 2 * slid_out; i++) {
            u.enter({}, {});
        }
        EXPECT_EQ(!slid_out, u.write(1, 0, 55));
        const uint32_t *copy = smrf_boc_probe_copy(u.b, 7);
        EXPECT_EQ(slid_out ? 0u : 55u, copy ? copy[0] : 0u);
        EXPECT_EQ(slid_out ? 1u : 0u, u.enter({7}, {}).missing);
    }
}

TEST(Boc, SourcesBeyondTheSlotsAreReadAndNotKept)
{
    unit u(smrf_boc_config{3, 2, 1, false, false});
    smrf_boc_entered e = u.enter({1, 2, 3}, {});
    EXPECT_EQ(7u, e.missing);
    EXPECT_EQ(1u, e.unbuffered);
    e = u.enter({1, 2, 3}, {});
    EXPECT_EQ(3u, e.hits);
    EXPECT_EQ(4u, e.missing);
}

TEST(Boc, AnotherWarpStartsEmpty)
{
    unit u(paper);
    u.enter({4}, {}, 0, 1);
    smrf_boc_entered e = u.enter({4}, {}, 0, 2);
    EXPECT_TRUE(e.flushed);
    EXPECT_EQ(1u, e.missing);
    EXPECT_FALSE(u.enter({4}, {}, 0, 2).flushed);
}

TEST(Boc, ATakenBranchStartsANewWindowWhereConfigured)
{
    for (bool flush : {false, true}) {
        unit u(smrf_boc_config{3, 6, 2, flush, false});
        u.enter({4}, {}, 0x100);
        EXPECT_EQ(1u, u.enter({4}, {}, 0x110).hits) << "the next instruction";
        smrf_boc_entered e = u.enter({4}, {}, 0x130);
        EXPECT_EQ(flush, e.branched);
        EXPECT_EQ(flush ? 0u : 1u, e.hits);
        e = u.enter({4}, {}, 0x100);
        EXPECT_EQ(flush, e.branched) << "backwards";
    }
}

// --- random streams beside the reference --------------------------------------------------------

struct reference {
    struct instruction {
        uint32_t number;
        std::vector<uint8_t> src, dst;
        std::map<uint8_t, uint32_t> holds; // register -> value
        std::vector<bool> returned;
    };
    smrf_boc_config cfg;
    std::deque<instruction> window; // newest first
    int warp = -1;
    uint32_t pc = 0;

    // Value of a source in the window, if any still has it and nobody after it writes the register.
    bool lookup(uint8_t reg, uint32_t *value) const
    {
        for (size_t age = 0; age < window.size(); age++) {
            auto found = window[age].holds.find(reg);
            if (found != window[age].holds.end()) {
                *value = found->second;
                return true;
            }
            for (uint8_t d : window[age].dst) {
                if (d == reg) {
                    return false; // its result is not here (yet); what is older is stale
                }
            }
        }
        return false;
    }
};

// A random stream of one configuration through a collector and the reference.
class random_stream
{
  public:
    explicit random_stream(unsigned seed)
        : seed_(seed),
          rng_(seed), cfg_{uint8_t(1 + below(SMRF_BOC_MAX_WINDOW)), uint8_t(1 + below(6)),
                           uint8_t(below(4)), below(2) == 1, below(2) == 1},
          u_(cfg_), ref_{cfg_, {}, -1, 0}
    {
    }
    void step()
    {
        while (!flying_.empty() && below(2)) {
            retire(below(unsigned(flying_.size())));
        }
        if (below(20) == 0) { // the warp's results have all returned before another takes over
            while (!flying_.empty()) {
                retire(0);
            }
            warp_ = int(below(3));
        }
        pc_ = below(6) == 0 ? 16 * below(40) : pc_ + 16;
        const std::vector<uint8_t> src = registers(5), dst = registers(4);
        make_room();
        enter(src, dst);
    }
    uint64_t hits = 0; // sources that the window held
    uint64_t late = 0; // results that it had no use for

  private:
    struct pending {
        uint32_t number;
        unsigned i;
        uint8_t reg;
    };
    unsigned below(unsigned n)
    {
        return unsigned(rng_() % n);
    }
    uint32_t &value_of(uint8_t reg)
    {
        return registers_.try_emplace({warp_, reg}, 100u + reg).first->second;
    }
    // A result returns.
    void retire(size_t at)
    {
        const pending p = flying_[at];
        flying_.erase(flying_.begin() + long(at));
        const uint32_t value = fresh_++;
        value_of(p.reg) = value;
        bool want = false;
        for (auto &i : ref_.window) {
            bool overwritten = false;
            for (auto &j : ref_.window) {
                overwritten |= j.number > i.number && contains(j.dst, p.reg);
            }
            if (i.number == p.number && p.i < cfg_.results && !overwritten) {
                i.holds[p.reg] = value;
                want = true;
            }
        }
        ASSERT_EQ(want, u_.write(p.number, p.i, value)) << "seed " << seed_;
        late += !want;
    }
    static bool contains(const std::vector<uint8_t> &list, uint8_t reg)
    {
        return std::find(list.begin(), list.end(), reg) != list.end();
    }
    // Fewer than `most` different registers. Those with a result under way may be neither read nor
    // written (scoreboard).
    std::vector<uint8_t> registers(unsigned most)
    {
        std::vector<uint8_t> list;
        for (unsigned k = below(most); k; k--) {
            const uint8_t reg = uint8_t(below(10));
            const bool busy = std::any_of(flying_.begin(), flying_.end(),
                                          [&](const pending &p) { return p.reg == reg; });
            if (!busy && !contains(list, reg)) {
                list.push_back(reg);
            }
        }
        return list;
    }
    // What leaves the reference's window before an instruction enters.
    void make_room()
    {
        if (ref_.warp != warp_) {
            ref_.window.clear();
            ref_.warp = warp_;
        } else if (cfg_.flush_on_branch && !ref_.window.empty() &&
                   (pc_ <= ref_.pc || pc_ > ref_.pc + 16)) {
            ref_.window.clear();
        }
        ref_.pc = pc_;
        if (ref_.window.size() == cfg_.window && cfg_.counts_entering) {
            ref_.window.pop_back();
        }
    }
    void enter(const std::vector<uint8_t> &src, const std::vector<uint8_t> &dst)
    {
        smrf_boc_entered out;
        const smrf_boc_inst in{src.data(),          dst.data(),          ++u_.inst,      pc_,
                               uint8_t(src.size()), uint8_t(dst.size()), uint8_t(warp_), true};
        smrf_boc_enter(u_.b, &in, &out);
        u_.results[u_.inst] = dst;
        reference::instruction own{u_.inst, src, dst, {}, {}};
        for (unsigned i = 0; i < src.size(); i++) {
            collect(src[i], i, out);
            if (i < cfg_.sources && !contains(dst, src[i])) {
                own.holds[src[i]] = value_of(src[i]);
            }
        }
        ref_.window.push_front(own);
        if (ref_.window.size() > cfg_.window) {
            ref_.window.pop_back();
        }
        for (unsigned i = 0; i < dst.size(); i++) {
            flying_.push_back({u_.inst, i, dst[i]});
        }
    }
    // Source i is a hit where the reference has it, with the right value, else it comes from its
    // bank.
    void collect(uint8_t reg, unsigned i, const smrf_boc_entered &out)
    {
        uint32_t value = 0;
        const bool hit = ref_.lookup(reg, &value);
        ASSERT_EQ(hit, out.hits >> i & 1) << "seed " << seed_ << " instruction " << u_.inst;
        ASSERT_EQ(!hit, out.missing >> i & 1);
        if (hit) {
            hits++;
            ASSERT_EQ(value, out.value[i]->data[7])
                << "seed " << seed_ << " instruction " << u_.inst;
            ASSERT_EQ(value_of(reg), value) << "the reference is stale";
        } else {
            u_.arrive(i, value_of(reg));
        }
    }

    unsigned seed_;
    std::mt19937 rng_;
    smrf_boc_config cfg_;
    unit u_;
    reference ref_;
    std::map<std::pair<int, uint8_t>, uint32_t> registers_; // architectural values
    std::vector<pending> flying_;
    uint32_t fresh_ = 1000, pc_ = 0;
    int warp_ = 0;
};

TEST(Boc, RandomStreamsEqualTheReference)
{
    uint64_t hits = 0, late = 0;
    for (unsigned seed = 1; seed <= 400; seed++) {
        random_stream stream(seed);
        for (int step = 0; step < 300; step++) {
            stream.step();
            ASSERT_FALSE(HasFatalFailure());
        }
        hits += stream.hits;
        late += stream.late;
    }
    EXPECT_GT(hits, 10000u);
    EXPECT_GT(late, 1000u);
}

// --- several instructions in collection ----------------------------------------------------------

TEST(Boc, WhatArrivesGoesToItsInstructionsPlace)
{
    unit u(paper);
    u.begin({4}, {});
    u.begin({5}, {});
    EXPECT_EQ(1u, u.begin({4}, {}).missing) << "it is on its way to another instruction";
    u.arrive_at(2, 0, 105);
    u.arrive_at(1, 0, 104);
    const smrf_boc_entered e = u.begin({4, 5}, {});
    EXPECT_EQ(3u, e.hits);
    EXPECT_EQ(104u, e.value[0]->data[0]);
    EXPECT_EQ(105u, e.value[1]->data[0]);
}

TEST(Boc, WhatArrivesAfterItsPlaceOrItsRegistersValueIsNotKept)
{
    unit u(paper);
    u.begin({4}, {});
    u.begin({}, {5});
    u.begin({}, {4}); // a newer value is to come
    u.arrive_at(1, 0, 104);
    EXPECT_EQ(1u, u.begin({4}, {}).missing);
    u.begin({9}, {});
    u.begin({}, {});
    u.begin({}, {});
    u.begin({}, {});
    u.arrive_at(5, 0, 109);
    EXPECT_EQ(1u, u.begin({9}, {}).missing);
}

// A result is read for the first time once, wherever it is forwarded to afterwards.
TEST(Boc, TheFirstReadOfAResultIsTold)
{
    unit u(paper);
    EXPECT_EQ(0u, u.enter({1}, {5}).first_reads);
    EXPECT_TRUE(u.write(1, 0, 77));
    smrf_boc_entered e = u.enter({5, 1}, {});
    EXPECT_EQ(3u, e.hits);
    EXPECT_EQ(1u, e.first_reads) << "R1 came from its bank";
    EXPECT_EQ(0u, u.enter({5}, {}).first_reads) << "its second read";
    e = u.enter({8}, {});
    EXPECT_EQ(1u, e.brought);
    EXPECT_EQ(0u, e.first_reads);
}

} // namespace
