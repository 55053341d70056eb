// SPDX-License-Identifier: Apache-2.0
// The register stack of CARS against values: lanes call, directly and through pointers, return,
// exit and run apart at random, and warps are switched at barriers. What the stack says is done to
// rows of registers and to memory, and every register of every lane must read what the calling
// convention promises. The promise is kept lane by lane, without a stack.
#include "models/cars/policy.h"
#include "models/cars/stack.h"
#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace
{

constexpr unsigned registers = 40; // of the kernel

smrf_program_function function_of(const std::set<unsigned> &saved)
{
    smrf_program_function f{};
    for (unsigned r : saved) {
        f.saved[SMRF_FRAMES_MASK].w[r / 64] |= UINT64_C(1) << r % 64;
        if (r >= SMRF_CARS_FIRST) {
            f.saved[SMRF_FRAMES_PREFIX].w[r / 64] |= UINT64_C(1) << r % 64;
            f.frame[SMRF_FRAMES_PREFIX] = uint16_t(r - SMRF_CARS_FIRST + 1);
        }
    }
    f.frame[SMRF_FRAMES_MASK] = uint16_t(saved.size());
    return f;
}

// What a lane may expect: its registers, and what its open calls saved.
struct lane_model {
    std::map<unsigned, uint32_t> reg;
    std::vector<std::map<unsigned, uint32_t>> saved;
    std::vector<std::map<unsigned, uint32_t>> stored; // by the callee itself, to memory
    bool live = true;
};

struct machine {
    machine(unsigned size, unsigned slot, uint64_t seed) : slots(size, std::vector<uint32_t>(32))
    {
        smrf_rng_seed(&rng, seed, 7);
        smrf_cars_stack_reset(&s, size, slot, false);
        for (unsigned r = 0; r < registers; r++) {
            base[r] = std::vector<uint32_t>(32);
        }
        for (const auto &set : std::vector<std::set<unsigned>>{
                 {}, {20, 21}, {2, 16, 17, 18}, {16, 19, 20, 21, 30}, {24}, {2, 20, 21, 36, 37}}) {
            functions.push_back(function_of(set));
            saved.push_back(set);
        }
    }
    unsigned below(unsigned n)
    {
        return smrf_rng_below(&rng, n);
    }
    uint32_t &at(int frame, unsigned reg, unsigned l)
    {
        const uint32_t slot = smrf_cars_find(&s, frame, reg);
        return slot == SMRF_CARS_BASE ? base[reg][l] : slots[slot % s.size][l];
    }
    // Registers that a frame holds in slots.
    unsigned held(const smrf_cars_frame &f) const
    {
        return f.in_memory ? 0 : unsigned(f.size) - s.slot;
    }
    // A trap: the oldest frame in registers goes the way of the calling convention.
    void spill()
    {
        smrf_cars_frame &f = s.frame[s.spilled];
        f.out = f.in_memory ? 0 : f.lanes;
        for (unsigned n = 0; n < held(f); n++) {
            const unsigned reg = smrf_cars_register(&s, f.function, n);
            for (unsigned l = 0; l < 32; l++) {
                if (f.lanes >> l & 1) {
                    memory[{f.first + n, l}] = base[reg][l];
                    base[reg][l] = slots[(f.first + s.slot + n) % s.size][l];
                }
            }
        }
        s.spilled++;
        traps++;
    }
    void fill(int frame)
    {
        for (unsigned k = smrf_cars_can_fill(&s, frame); k; k--) {
            smrf_cars_frame &f = s.frame[--s.spilled];
            for (unsigned n = 0; n < held(f); n++) {
                const unsigned reg = smrf_cars_register(&s, f.function, n);
                slots[(f.first + s.slot + n) % s.size] = base[reg];
                restore(f, n, reg, f.out & f.lanes);
            }
            f.out = 0;
            fills++;
        }
    }
    void restore(const smrf_cars_frame &f, unsigned n, unsigned reg, uint32_t lanes)
    {
        for (unsigned l = 0; l < 32; l++) {
            if (lanes >> l & 1) {
                base[reg][l] = memory[{f.first + n, l}];
            }
        }
    }
    // late: where the callee becomes known with its first instruction, nothing is moved for it; a
    // frame that does not fit then keeps its saves in memory.
    void call(uint32_t lanes, bool late = false)
    {
        const unsigned which = below(unsigned(functions.size()));
        const int parent = smrf_cars_frame_of(&s, lanes);
        const unsigned need = smrf_cars_fru(&s, &functions[which]) + s.slot;
        const bool in_memory = late && need > smrf_cars_free(&s);
        for (unsigned n = in_memory ? 0 : smrf_cars_in_the_way(&s, need); n; n--) {
            spill();
        }
        ASSERT_TRUE(in_memory || need <= smrf_cars_free(&s));
        const int frame = smrf_cars_enter(&s, &functions[which], parent, lanes, in_memory);
        ASSERT_GE(frame, 0);
        for (unsigned l = 0; l < 32; l++) {
            if (lanes >> l & 1) {
                lane[l].saved.emplace_back();
                lane[l].stored.emplace_back();
                for (unsigned r : saved[which]) {
                    lane[l].saved.back()[r] = lane[l].reg[r];
                    if (in_memory) {
                        lane[l].stored.back()[r] = at(frame, r, l);
                    }
                }
            }
        }
        // A function writes what it saves before it reads it.
        for (unsigned r : saved[which]) {
            write(lanes, r);
        }
        left_in_memory += in_memory;
    }
    // An indirect call: lanes go to functions of their own, one after the other.
    void call_apart(uint32_t lanes)
    {
        for (unsigned n = 0; lanes && n < 3; n++) {
            const uint32_t some = n == 2 ? lanes : lanes & smrf_rng_below(&rng, UINT32_MAX);
            if (some && s.depth < 60) {
                call(some, n > 0);
            }
            lanes &= ~some;
        }
    }
    // A warp that waits at a barrier is switched out, and in again where others have been: what
    // moves are the kernel's registers and the frames that are not spilled.
    void swap()
    {
        const auto base_then = base;
        const auto slots_then = slots;
        for (auto &[r, row] : base) {
            row.assign(32, UINT32_MAX);
        }
        for (auto &row : slots) {
            row.assign(32, UINT32_MAX);
        }
        base = base_then;
        for (uint32_t slot = smrf_cars_bottom(&s); slot < smrf_cars_rsp(&s); slot++) {
            slots[slot % s.size] = slots_then[slot % s.size];
        }
        swaps++;
    }
    void leave(uint32_t lanes, bool exits)
    {
        const int f = smrf_cars_frame_of(&s, lanes);
        for (unsigned l = 0; l < 32 && !exits; l++) { // the function's own loads
            if (lanes >> l & 1) {
                for (auto &[r, value] : lane[l].stored.back()) {
                    at(f, r, l) = value;
                }
            }
        }
        if (!exits && f >= 0 && s.frame[f].out & lanes) {
            for (unsigned n = 0; n < held(s.frame[f]); n++) {
                restore(s.frame[f], n, smrf_cars_register(&s, s.frame[f].function, n),
                        s.frame[f].out & lanes);
            }
            s.frame[f].out &= ~lanes;
        }
        EXPECT_EQ(0u, smrf_cars_leave(&s, lanes, exits));
        while (smrf_cars_empty(&s)) {
            smrf_cars_release(&s);
            released++;
        }
        for (unsigned l = 0; l < 32; l++) {
            if (!(lanes >> l & 1)) {
                continue;
            }
            if (exits) {
                lane[l].live = false;
                lane[l].saved.clear();
                lane[l].stored.clear();
            } else {
                for (auto &[r, value] : lane[l].saved.back()) {
                    lane[l].reg[r] = value;
                }
                lane[l].saved.pop_back();
                lane[l].stored.pop_back();
            }
        }
    }
    void write(uint32_t lanes, unsigned reg)
    {
        const int frame = smrf_cars_frame_of(&s, lanes);
        for (unsigned l = 0; l < 32; l++) {
            if (lanes >> l & 1) {
                at(frame, reg, l) = lane[l].reg[reg] = ++values;
            }
        }
    }
    void check()
    {
        for (unsigned l = 0; l < 32; l++) {
            if (!lane[l].live) {
                continue;
            }
            const int frame = smrf_cars_frame_of(&s, 1u << l);
            for (auto &[r, value] : lane[l].reg) {
                ASSERT_EQ(value, at(frame, r, l))
                    << "lane " << l << " R" << r << " frame " << frame;
            }
        }
        const uint32_t rsp = smrf_cars_rsp(&s), bottom = smrf_cars_bottom(&s);
        ASSERT_LE(bottom, rsp);
        ASSERT_LE(rsp - bottom, s.size);
    }
    // Lanes that run together: of one frame.
    uint32_t together()
    {
        uint32_t live = 0, chosen = 0;
        for (unsigned l = 0; l < 32; l++) {
            live |= uint32_t(lane[l].live) << l;
        }
        if (!live) {
            return 0;
        }
        unsigned first = below(32);
        while (!(live >> first & 1)) {
            first = (first + 1) % 32;
        }
        const int frame = smrf_cars_frame_of(&s, 1u << first);
        const uint32_t some = below(2) ? UINT32_MAX : uint32_t(smrf_rng_below(&rng, 1u << 31));
        for (unsigned l = 0; l < 32; l++) {
            const bool same = (live >> l & 1) && smrf_cars_frame_of(&s, 1u << l) == frame;
            chosen |= uint32_t(same && (l == first || some >> l & 1)) << l;
        }
        return chosen;
    }
    void step()
    {
        const uint32_t lanes = together();
        if (!lanes) {
            return;
        }
        const int frame = smrf_cars_frame_of(&s, lanes);
        const unsigned what = below(100);
        if (what < 20 && s.depth < 40) {
            call(lanes);
        } else if (what < 25 && s.depth < 40) {
            call_apart(lanes);
        } else if (what < 50 && frame >= 0) {
            leave(lanes, false);
        } else if (what == 50 && below(8) == 0) {
            leave(lanes, true);
        } else if (what == 51) {
            swap();
        } else {
            if (smrf_cars_can_fill(&s, frame)) {
                fill(frame);
            }
            const unsigned reg = below(registers);
            if (smrf_cars_find(&s, frame, reg) != SMRF_CARS_BASE || frame < 0 || below(4)) {
                write(lanes, reg);
            }
        }
    }

    smrf_cars_stack s{};
    smrf_rng rng{};
    std::vector<smrf_program_function> functions;
    std::vector<std::set<unsigned>> saved;
    std::map<unsigned, std::vector<uint32_t>> base;
    std::vector<std::vector<uint32_t>> slots;
    std::map<std::pair<uint32_t, unsigned>, uint32_t> memory;
    lane_model lane[32];
    uint32_t values = 0;
    unsigned traps = 0, fills = 0, released = 0, left_in_memory = 0, swaps = 0;
};

class cars_stack : public testing::TestWithParam<unsigned>
{
};

TEST_P(cars_stack, GivesEveryLaneTheValuesThatTheCallingConventionPromises)
{
    unsigned traps = 0, fills = 0, left_in_memory = 0, swaps = 0;
    for (unsigned round = 0; round < 24; round++) {
        machine m(6 + GetParam() % 3 * 5 + round % 4, GetParam() & 1, GetParam() * 100 + round);
        for (unsigned n = 0; n < 400; n++) {
            m.step();
            m.check();
            if (HasFatalFailure()) {
                FAIL() << "round " << round << " step " << n;
            }
        }
        traps += m.traps;
        fills += m.fills;
        left_in_memory += m.left_in_memory;
        swaps += m.swaps;
    }
    EXPECT_GT(traps, 50u);
    EXPECT_GT(fills, 10u);
    EXPECT_GT(left_in_memory, 10u);
    EXPECT_GT(swaps, 10u);
}

INSTANTIATE_TEST_SUITE_P(Part, cars_stack, testing::Range(0u, 8u));

// CARS III-A by the letter: a register of the newest frame, or the base register, whatever lies
// between.
TEST(CarsStack, ThePapersRuleLooksAtTheNewestFrameAlone)
{
    smrf_cars_stack s{};
    const smrf_program_function outer = function_of({20, 21}), leaf = function_of({});
    for (bool prefix : {false, true}) {
        smrf_cars_stack_reset(&s, 32, 1, prefix);
        ASSERT_EQ(0, smrf_cars_enter(&s, &outer, SMRF_CARS_KERNEL, UINT32_MAX, false));
        EXPECT_EQ(prefix ? 7u : 3u, smrf_cars_rsp(&s)) << "R16 to R21, or two registers";
        EXPECT_EQ(prefix ? 5u : 1u, smrf_cars_find(&s, 0, 20));
        ASSERT_EQ(1, smrf_cars_enter(&s, &leaf, 0, UINT32_MAX, false));
        EXPECT_EQ(prefix ? SMRF_CARS_BASE : 1u, smrf_cars_find(&s, 1, 20));
    }
}

TEST(CarsStack, MoreCallsThanTheSimtStackFollowsAreRefused)
{
    smrf_cars_stack s{};
    const smrf_program_function leaf = function_of({});
    smrf_cars_stack_reset(&s, 32, 0, false);
    for (int n = 0; n < SMRF_CARS_FRAMES; n++) {
        ASSERT_EQ(n, smrf_cars_enter(&s, &leaf, n - 1, UINT32_MAX, false));
    }
    EXPECT_EQ(-1, smrf_cars_enter(&s, &leaf, SMRF_CARS_FRAMES - 1, UINT32_MAX, false));
}

TEST(CarsStack, AFrameWaitsForItsLastLaneAndForNewerFrames)
{
    smrf_cars_stack s{};
    const smrf_program_function f = function_of({20});
    smrf_cars_stack_reset(&s, 32, 0, false);
    smrf_cars_enter(&s, &f, SMRF_CARS_KERNEL, 0xff, false);
    smrf_cars_enter(&s, &f, SMRF_CARS_KERNEL, 0xff00, false);
    smrf_cars_leave(&s, 0x0f, false);
    EXPECT_FALSE(smrf_cars_empty(&s));
    smrf_cars_leave(&s, 0xf0, false);
    EXPECT_FALSE(smrf_cars_empty(&s)) << "the newer one is open";
    smrf_cars_leave(&s, 0xff00, false);
    ASSERT_TRUE(smrf_cars_empty(&s));
    smrf_cars_release(&s);
    ASSERT_TRUE(smrf_cars_empty(&s));
    EXPECT_EQ(0x1u, smrf_cars_leave(&s, 0x1, false)) << "a return without a call";
}

// --- Fig. 5
// ----------------------------------------------------------------------------------------

// Has the machine settle where level i performs as given; returns where the next blocks go, by
// step.
std::vector<std::pair<unsigned, unsigned>> settle(const std::vector<uint64_t> &performance,
                                                  smrf_cars_machine *p)
{
    std::vector<std::pair<unsigned, unsigned>> path;
    for (unsigned n = 0; n < 40; n++) {
        const unsigned a = smrf_cars_machine_level(p, false), b = smrf_cars_machine_level(p, true);
        path.emplace_back(a, b);
        smrf_cars_samples more{};
        for (unsigned level : std::set<unsigned>{a, b}) {
            more.sum[level] = performance[level];
            more.count[level] = 1;
        }
        smrf_cars_machine_step(p, &more);
    }
    return path;
}

TEST(CarsPolicy, SettlesAtTheBestOfLevelsThatRiseAndFallOnce)
{
    const std::vector<std::vector<uint64_t>> cases = {
        {9}, {5, 9}, {9, 5}, {1, 2, 3, 9}, {9, 3, 2, 1}, {3, 9, 8, 5}, {7, 7, 7, 7}};
    for (const auto &performance : cases) {
        smrf_cars_machine p;
        smrf_cars_machine_begin(&p, unsigned(performance.size()), nullptr);
        const auto path = settle(performance, &p);
        EXPECT_EQ(0u, path[0].first);
        EXPECT_EQ(performance.size() - 1, path[0].second);
        EXPECT_EQ(SMRF_CARS_SETTLE, p.phase);
        uint64_t best = 0;
        for (uint64_t value : performance) {
            best = std::max(best, value);
        }
        EXPECT_EQ(best, performance[p.k]);
        EXPECT_EQ(p.k, path.back().first);
        EXPECT_EQ(p.k, path.back().second);
        EXPECT_EQ(performance[smrf_cars_machine_best(&p)], best);
    }
}

TEST(CarsPolicy, TriesTheNextLevelsFromTheSideThatIsWorse)
{
    smrf_cars_machine p;
    smrf_cars_machine_begin(&p, 4, nullptr);
    EXPECT_EQ((std::pair<unsigned, unsigned>{1, 3}), settle({1, 2, 3, 9}, &p)[1]) << "RAISE";
    smrf_cars_machine_begin(&p, 4, nullptr);
    EXPECT_EQ((std::pair<unsigned, unsigned>{0, 2}), settle({9, 3, 2, 1}, &p)[1]) << "LOWER";
}

std::pair<unsigned, unsigned> levels(const smrf_cars_machine &p)
{
    return {smrf_cars_machine_level(&p, false), smrf_cars_machine_level(&p, true)};
}

// Takes steps in which blocks of one level finish, one each.
void finish(smrf_cars_machine *p, unsigned level, uint64_t performance, int blocks = 1)
{
    for (int n = 0; n < blocks; n++) {
        smrf_cars_samples more{};
        more.sum[level] = performance;
        more.count[level] = 1;
        smrf_cars_machine_step(p, &more);
    }
}

TEST(CarsPolicy, BeginsWithTheBestOfTheLastLaunch)
{
    smrf_cars_machine last, p;
    smrf_cars_machine_begin(&last, 4, nullptr);
    settle({1, 2, 8, 9}, &last);
    smrf_cars_machine_end(&last);
    smrf_cars_machine_begin(&p, 4, &last);
    EXPECT_EQ(3u, smrf_cars_machine_level(&p, false));
    EXPECT_EQ(3u, smrf_cars_machine_level(&p, true));
    smrf_cars_machine_begin(&p, 3, &last);
    EXPECT_EQ(SMRF_CARS_SPLIT, p.phase) << "another number of levels: another kernel";
}

// Fig. 5 as it stands: all blocks of a level, over all launches, whatever ran beside them.
TEST(CarsPolicy, ByThePapersFigureALevelIsWorthTheMeanOfAllItsBlocks)
{
    smrf_cars_machine last, p;
    smrf_cars_machine_begin(&p, 3, nullptr);
    p.paper = true;
    finish(&p, 2, 11, 5);
    EXPECT_EQ((std::pair<unsigned, unsigned>{0, 2}), levels(p)) << "SPLIT until both are seen";
    finish(&p, 0, 10);
    ASSERT_EQ((std::pair<unsigned, unsigned>{1, 2}), levels(p)) << "RAISE";
    finish(&p, 2, 18);
    finish(&p, 1, 17);
    EXPECT_EQ((std::pair<unsigned, unsigned>{1, 1}), levels(p)) << "17 beside a mean of 12";
    finish(&p, 1, 5, 9);
    EXPECT_EQ((std::pair<unsigned, unsigned>{2, 2}), levels(p)) << "6, less than what is recorded";
    smrf_cars_machine_end(&p);
    last = p;
    smrf_cars_machine_begin(&p, 3, &last);
    EXPECT_EQ((std::pair<unsigned, unsigned>{2, 2}), levels(p)) << "the next launch's start";
    finish(&p, 2, 4, 6);
    EXPECT_EQ((std::pair<unsigned, unsigned>{0, 0}), levels(p)) << "below what 0 once had";
}

TEST(CarsPolicy, ByThePapersFigureTheTopComesDownWhereTheBottomIsBetter)
{
    smrf_cars_machine p;
    smrf_cars_machine_begin(&p, 4, nullptr);
    p.paper = true;
    finish(&p, 0, 9);
    finish(&p, 3, 2);
    EXPECT_EQ((std::pair<unsigned, unsigned>{0, 2}), levels(p)) << "LOWER";
    finish(&p, 2, 3);
    EXPECT_EQ((std::pair<unsigned, unsigned>{0, 1}), levels(p));
    finish(&p, 1, 12);
    EXPECT_EQ((std::pair<unsigned, unsigned>{1, 1}), levels(p)) << "the best of all";
}

// The first blocks of a launch are slow, whatever their level.
TEST(CarsPolicy, ALevelThatIsTriedLaterIsNotBetterForIt)
{
    smrf_cars_machine p;
    smrf_cars_machine_begin(&p, 3, nullptr);
    finish(&p, 2, 11, 5);
    finish(&p, 0, 10);
    ASSERT_EQ((std::pair<unsigned, unsigned>{1, 2}), levels(p)) << "RAISE";
    finish(&p, 2, 18);
    finish(&p, 1, 17);
    EXPECT_EQ((std::pair<unsigned, unsigned>{2, 2}), levels(p)) << "17 beside 18, not beside 11";
    finish(&p, 1, 30, 100);
    EXPECT_EQ(2u, p.k) << "beside nothing";
    finish(&p, 2, 10);
    EXPECT_EQ(1u, p.k) << "beside 10";
}

TEST(CarsPolicy, ALevelThatFinishesNothingLaterIsNotWorseForIt)
{
    smrf_cars_machine p;
    smrf_cars_machine_begin(&p, 2, nullptr);
    finish(&p, 1, 10000);
    finish(&p, 0, 12000);
    finish(&p, 0, 24000, 50);
    smrf_cars_machine_end(&p);
    EXPECT_EQ(0u, p.k);
    EXPECT_NEAR(10.0 / 12, double(p.value[1]) / double(p.value[0]), 0.001);
}

// Beside the top, whose saves never reach the L2, the bottom has the L2 for itself; alone it has
// not.
class cars_policy_alone : public ::testing::Test
{
  protected:
    cars_policy_alone()
    {
        smrf_cars_machine_begin(&p, 3, nullptr);
        finish(&p, 2, 42);
        finish(&p, 0, 45);
        finish(&p, 1, 30);
        finish(&p, 0, 45);
        next();
        EXPECT_EQ(0u, level());
    }
    void next()
    {
        smrf_cars_machine_end(&p);
        const smrf_cars_machine last = p;
        smrf_cars_machine_begin(&p, 3, &last);
    }
    unsigned level() const
    {
        return smrf_cars_machine_level(&p, true);
    }
    smrf_cars_machine p;
};

TEST_F(cars_policy_alone, TheFirstSixteenBlocksOfALaunchTell)
{
    finish(&p, 0, 20, 15);
    EXPECT_EQ(0u, level());
    finish(&p, 0, 39);
    EXPECT_EQ(2u, level()) << "less than 42";
    finish(&p, 2, 10, 100);
    EXPECT_EQ(2u, level()) << "not its first blocks of a launch";
    next();
    finish(&p, 2, 48, 16);
    finish(&p, 2, 10, 100);
    next();
    EXPECT_EQ(2u, level());
    next();
    EXPECT_EQ(2u, level()) << "no block, nothing new";
}

TEST_F(cars_policy_alone, AWholeLaunchTellsWithFewerBlocks)
{
    finish(&p, 0, 43, 7);
    next();
    EXPECT_EQ(0u, level()) << "above 42 beside others";
    finish(&p, 0, 32, 7);
    next();
    ASSERT_EQ(2u, level()) << "37.5 in all launches";
    finish(&p, 2, 31, 7);
    next();
    EXPECT_EQ(0u, level()) << "31 alone; 30 beside others is not tried";
    for (int launch = 0; launch < 4; launch++) {
        finish(&p, 0, 36, 7);
        next();
        EXPECT_EQ(0u, level()) << "each only once";
    }
}

TEST(CarsPolicy, LevelsBelowOneThatIsWorseAloneAreAsMuchWorse)
{
    smrf_cars_machine first, p;
    smrf_cars_machine_begin(&first, 3, nullptr);
    finish(&first, 2, 400);
    finish(&first, 0, 410);
    finish(&first, 1, 430);
    finish(&first, 0, 410);
    smrf_cars_machine_end(&first);
    smrf_cars_machine_begin(&p, 3, &first);
    ASSERT_EQ(1u, smrf_cars_machine_level(&p, true));
    finish(&p, 1, 360, 16);
    EXPECT_EQ(2u, smrf_cars_machine_level(&p, true)) << "0 would be 410 * 360 / 430";
}

} // namespace
