// SPDX-License-Identifier: Apache-2.0
#include "models/arbiter/arbiter.h"
#include "models/common/smrf_rng.h"
#include "models/flight/flight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace
{

struct dut {
    dut(uint32_t banks, uint32_t collectors, uint32_t ports, uint32_t operands = 64,
        bool perfect = false, uint32_t slots = 1)
        : a(new smrf_arbiter)
    {
        const smrf_arbiter_config cfg = {banks, collectors, ports, operands, perfect, slots};
        wires.ctx = this;
        wires.grant = [](void *ctx, unsigned sub, uint32_t flight, const uint32_t *,
                         unsigned count) {
            EXPECT_EQ(3u, sub);
            auto &all = static_cast<dut *>(ctx)->granted;
            all.insert(all.end(), count, flight);
        };
        EXPECT_EQ(0, smrf_arbiter_init(a.get(), store.get(), &cfg, 3, &wires));
    }
    void push(uint32_t id, uint8_t bank, uint8_t collector)
    {
        const uint32_t word = smrf_read_word({0, bank}, collector, 0);
        smrf_arbiter_request(a.get(), id, &word, 1);
    }
    std::vector<uint32_t> step()
    {
        granted.clear();
        const unsigned n = smrf_arbiter_step(a.get());
        EXPECT_EQ(n, granted.size());
        return granted;
    }
    smrf_arbiter_stats stats() const
    {
        return smrf_arbiter_statistics(a.get());
    }
    std::unique_ptr<smrf_arbiter> a;
    std::unique_ptr<smrf_arbiter_store> store{new smrf_arbiter_store()};
    smrf_wires wires{};
    std::vector<uint32_t> granted;
};

using ids = std::vector<uint32_t>;

TEST(Arbiter, RefusesNoBankTooManyBanksAndTooDeepFifos)
{
    auto a = std::make_unique<smrf_arbiter>();
    auto store = std::make_unique<smrf_arbiter_store>();
    const smrf_wires wires{};
    auto init = [&](uint32_t banks, uint32_t collectors, uint32_t operands) {
        const smrf_arbiter_config cfg = {banks, collectors, 1, operands, false, 1};
        return smrf_arbiter_init(a.get(), store.get(), &cfg, 0, &wires);
    };
    EXPECT_EQ(SMRF_ERR_INVAL, init(0, 1, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, init(SMRF_MAX_BANKS + 1, 1, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, init(1, 0, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, init(1, SMRF_MAX_COLLECTORS + 1, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, init(1, 1, SMRF_ARBITER_DEPTH + 1));
    EXPECT_EQ(0, init(SMRF_MAX_BANKS, SMRF_MAX_COLLECTORS, SMRF_ARBITER_DEPTH));
}

TEST(Arbiter, AReadIsGrantedAfterItsBankIsFreeAgain)
{
    // Whoever is granted a read may at once ask for a write of the next step.
    dut d(1, 1, 0);
    d.push(0, 0, 0);
    d.wires.grant = [](void *ctx, unsigned, uint32_t, const uint32_t *, unsigned) {
        EXPECT_TRUE(smrf_arbiter_take_write(static_cast<dut *>(ctx)->a.get(), 0));
    };
    EXPECT_EQ(1u, smrf_arbiter_step(d.a.get()));
    EXPECT_FALSE(smrf_arbiter_take_write(d.a.get(), 0));
}

TEST(Arbiter, ACollectorTakesAsManyOperandsAStepAsItHasPorts)
{
    for (uint32_t ports = 0; ports <= SMRF_MAX_BANKS; ports++) {
        dut d(SMRF_MAX_BANKS, 2, ports);
        for (uint32_t b = 0; b < SMRF_MAX_BANKS; b++) {
            d.push(b, uint8_t(b), 1);
        }
        const uint32_t each = ports ? ports : SMRF_MAX_BANKS;
        uint32_t left = SMRF_MAX_BANKS;
        while (left) {
            const uint32_t n = uint32_t(d.step().size());
            EXPECT_EQ(std::min(left, each), n) << ports << " ports";
            left -= n;
            if (n == 0) {
                break;
            }
        }
    }
}

TEST(Arbiter, ResetForgetsRequestsWritesAndCounters)
{
    dut d(2, 2, 1);
    d.push(0, 0, 0);
    d.push(1, 0, 0);
    d.step();
    EXPECT_GT(d.stats().bank_conflict_cycles, 0u);
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 1));
    smrf_arbiter_reset(d.a.get());
    EXPECT_FALSE(smrf_arbiter_probe_busy(d.a.get()));
    EXPECT_EQ(0u, d.stats().bank_conflict_cycles);
    EXPECT_EQ(ids{}, d.step());
}

TEST(Arbiter, GrantsABankInOrderOfArrivalOneAStep)
{
    dut d(2, 4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        d.push(i, 1, uint8_t(3 - i));
    }
    EXPECT_EQ(ids{0}, d.step());
    EXPECT_EQ(ids{1}, d.step());
    EXPECT_EQ(ids{2}, d.step());
    EXPECT_EQ(ids{}, d.step());
}

TEST(Arbiter, GrantsEveryBankInOneStep)
{
    dut d(4, 1, 0);
    for (uint32_t b = 0; b < 4; b++) {
        d.push(b, uint8_t(3 - b), 0);
    }
    EXPECT_EQ((ids{0, 1, 2, 3}), d.step()) << "oldest first";
}

TEST(Arbiter, AWriteTakesItsBankForExactlyOneStep)
{
    dut d(2, 2, 0);
    d.push(0, 0, 0);
    d.push(1, 1, 0);
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 0));
    EXPECT_FALSE(smrf_arbiter_take_write(d.a.get(), 0)) << "single-ported";
    EXPECT_TRUE(smrf_arbiter_probe_busy(d.a.get()));
    EXPECT_EQ(ids{1}, d.step());
    EXPECT_EQ(ids{0}, d.step());
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 0)) << "free again";
}

TEST(Arbiter, TheOlderOfTwoBanksWinsACollectorsPort)
{
    dut d(2, 2, 1);
    d.push(10, 1, 0);
    d.push(11, 0, 0);
    EXPECT_EQ(ids{10}, d.step());
    EXPECT_EQ(ids{11}, d.step());
}

TEST(Arbiter, ABusyPortHoldsUpOnlyItsOwnBank)
{
    dut d(3, 3, 1);
    d.push(0, 0, 0); // takes the port of collector 0
    d.push(1, 1, 0); // waits for it, at the head of bank 1
    d.push(2, 2, 1); // another collector, another bank
    d.push(3, 1, 2); // behind the head of bank 1
    EXPECT_EQ((ids{0, 2}), d.step()) << "no head-of-line blocking across banks";
    EXPECT_EQ(ids{1}, d.step());
    EXPECT_EQ(ids{3}, d.step());
}

TEST(Arbiter, TellsWhetherAnOperandWaitedForABankOrAPort)
{
    dut d(2, 3, 1);
    d.push(1, 0, 0);
    d.push(2, 0, 1);
    d.push(3, 0, 2);
    d.push(4, 1, 0); // its bank is free, the port of 0 is not
    EXPECT_EQ((ids{1}), d.step());
    EXPECT_EQ(2u, d.stats().waits_read);
    EXPECT_EQ(1u, d.stats().waits_port);
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 0)); // the two others of bank 0
    EXPECT_EQ((ids{4}), d.step());
    EXPECT_EQ(2u, d.stats().waits_write);
    EXPECT_EQ((ids{2}), d.step());
    EXPECT_EQ(3u, d.stats().waits_read);
    EXPECT_EQ(6u, d.stats().bank_conflict_cycles);
    EXPECT_EQ(5u, smrf_arbiter_probe_waited(d.a.get(), 0));
    EXPECT_EQ(1u, smrf_arbiter_probe_waited(d.a.get(), 1));
}

TEST(Arbiter, APerfectOneGrantsEverythingAtOnceAndRefusesNoWrite)
{
    dut d(2, 2, 1, 64, true);
    for (uint32_t i = 0; i < 40; i++) {
        d.push(i, i % 2, i / 2 % 2);
    }
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 0));
    EXPECT_TRUE(smrf_arbiter_take_write(d.a.get(), 0));
    const unsigned first = d.a->bank[0].head;
    ids all = d.step();
    EXPECT_EQ(20u, smrf_arbiter_at(d.a.get(), 0, first + 10)->flight) << "it can be told which";
    std::sort(all.begin(), all.end());
    ASSERT_EQ(40u, all.size());
    EXPECT_EQ(39u, all.back());
    EXPECT_EQ(0u, d.stats().bank_conflict_cycles);
    EXPECT_FALSE(smrf_arbiter_probe_busy(d.a.get()));
    EXPECT_TRUE(d.step().empty());
}

TEST(Arbiter, EveryRequestIsGrantedHoweverManyYoungerOnesCome)
{
    dut d(2, 4, 1);
    std::set<uint32_t> waiting;
    uint32_t id = 0;
    smrf_rng rng;
    smrf_rng_seed(&rng, 5, 5);
    std::vector<uint32_t> since(4000);
    for (uint32_t step = 0; step < 2000; step++) {
        if (waiting.size() < 24) {
            since[id] = step;
            waiting.insert(id);
            d.push(id++, uint8_t(smrf_rng_below(&rng, 2)), uint8_t(smrf_rng_below(&rng, 4)));
        }
        for (uint32_t granted : d.step()) {
            waiting.erase(granted);
            ASSERT_LE(step - since[granted], 24u)
                << "at most one step for each that was there before";
        }
    }
    EXPECT_LE(waiting.size(), 24u);
}

TEST(Arbiter, InstructionsOfACollectorShareItsPort)
{
    dut d(4, 2, 1, 64, false, 3);
    d.push(1, 0, 0);
    d.push(2, 1, 2); // the same collector
    d.push(3, 2, 3); // the next
    d.push(4, 3, 5);
    EXPECT_EQ((ids{1, 3}), d.step());
    EXPECT_EQ((ids{2, 4}), d.step());
}

// One FIFO a bank, looked at from the oldest head to the youngest.
class reference
{
  public:
    reference(uint32_t banks, uint32_t ports) : fifo_(banks), ports_(ports) {}
    void push(uint32_t id, uint32_t bank, uint32_t collector)
    {
        fifo_[bank].push_back({id, collector});
    }
    bool write(uint32_t bank)
    {
        return written_.insert(bank).second;
    }
    ids step()
    {
        ids granted;
        std::vector<uint32_t> used(SMRF_MAX_COLLECTORS);
        std::vector<std::pair<uint32_t, uint32_t>> heads; // id (rises with age), bank
        for (uint32_t b = 0; b < fifo_.size(); b++) {
            if (!fifo_[b].empty() && !written_.count(b)) {
                heads.push_back({fifo_[b].front().first, b});
            }
        }
        std::sort(heads.begin(), heads.end());
        for (auto &h : heads) {
            uint32_t c = fifo_[h.second].front().second;
            if (ports_ == 0 || used[c] < ports_) {
                used[c]++;
                granted.push_back(h.first);
                fifo_[h.second].pop_front();
            }
        }
        written_.clear();
        for (auto &f : fifo_) {
            conflicts += f.size();
        }
        return granted;
    }
    uint64_t conflicts = 0;
    size_t depth(uint32_t bank) const
    {
        return fifo_[bank].size();
    }

  private:
    std::vector<std::deque<std::pair<uint32_t, uint32_t>>> fifo_;
    std::set<uint32_t> written_;
    uint32_t ports_;
};

TEST(Arbiter, AgreesWithFifosOnRandomTraffic)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 3);
        uint32_t banks = seed % 5 == 0 ? 1 : seed % 5 == 1 ? 16 : 1 + smrf_rng_below(&rng, 16);
        uint32_t collectors = seed % 3 == 0 ? 1 : 1 + smrf_rng_below(&rng, 16);
        uint32_t ports = smrf_rng_below(&rng, 4);
        uint32_t operands = 1 + smrf_rng_below(&rng, 40);
        dut d(banks, collectors, ports, operands);
        d.a->next_age = seed % 2 ? UINT32_MAX - 100 : 0; // more than 32 bits of them
        reference r(banks, ports);
        uint32_t id = 0;
        for (uint32_t step = 0; step < 500; step++) {
            for (uint32_t n = smrf_rng_below(&rng, 4); n; n--) {
                uint32_t b = smrf_rng_below(&rng, banks), c = smrf_rng_below(&rng, collectors);
                if (r.depth(b) < operands) {
                    d.push(id, uint8_t(b), uint8_t(c));
                    r.push(id++, b, c);
                }
            }
            for (uint32_t n = smrf_rng_below(&rng, 3); n; n--) {
                uint32_t b = smrf_rng_below(&rng, banks);
                ASSERT_EQ(r.write(b), smrf_arbiter_take_write(d.a.get(), b));
            }
            ASSERT_EQ(r.step(), d.step()) << "seed " << seed << " step " << step;
            ASSERT_EQ(r.conflicts, d.stats().bank_conflict_cycles) << "seed " << seed;
        }
        EXPECT_EQ(r.conflicts, d.stats().bank_conflict_cycles) << "seed " << seed;
    }
}

} // namespace
