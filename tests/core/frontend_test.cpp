// SPDX-License-Identifier: Apache-2.0
// The front end alone: blocks with a given number of instructions a warp, and what it tells.
#include "models/frontend/frontend.h"
#include "models/frontend/l0.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace
{

smrf_frontend_config config()
{
    smrf_frontend_config c{};
    c.gpu.blocks_per_cycle = 32;
    c.sm.threads = 1024;
    c.sm.warps = 32;
    c.sm.blocks = 16;
    c.sm.registers = 65536;
    c.sm.register_unit = 4;
    c.sm.shared_bytes = 65536;
    c.sm.subcores = 4;
    c.frontend.ibuffer = 2;
    c.frontend.fetch_warps = 1;
    c.frontend.icache_ways = 16;
    c.frontend.icache_miss_latency = 100;
    c.rf.banks = 2;
    return c;
}

// Instruction caches as an SM has them around its front end.
struct code_caches {
    explicit code_caches(const smrf_frontend_params &p) : uses_l0(p.l0_bytes != 0)
    {
        EXPECT_EQ(0, smrf_icache_init(&icache, icache_line.data(), &p));
        wires.ctx = &icache;
        wires.code_line = [](void *ctx, unsigned, uint32_t pc, uint64_t cycle, bool waits) {
            smrf_icache *c = static_cast<smrf_icache *>(ctx);
            return waits ? smrf_icache_give(c, pc, cycle) : smrf_icache_fetch(c, pc, cycle);
        };
        for (unsigned sub = 0; sub < 4; sub++) {
            EXPECT_EQ(0, smrf_l0_init(&l0[sub], &l0_line[sub * SMRF_L0_LINES], &p, sub, 4, &wires));
        }
    }
    static uint64_t fetch(void *ctx, unsigned sub, uint32_t pc, uint64_t cycle)
    {
        code_caches *c = static_cast<code_caches *>(ctx);
        return c->uses_l0 ? smrf_l0_fetch(&c->l0[sub], pc, cycle)
                          : smrf_icache_fetch(&c->icache, pc, cycle);
    }
    bool uses_l0;
    smrf_icache icache{};
    smrf_l0 l0[4]{};
    smrf_wires wires{};
    std::vector<smrf_icache_line> icache_line = std::vector<smrf_icache_line>(SMRF_ICACHE_LINES);
    std::vector<smrf_icache_line> l0_line = std::vector<smrf_icache_line>(4 * SMRF_L0_LINES);
};

// How instructions come from the source.
enum class handing { as_many_as_asked, one_by_one, with_a_run };

struct dut {
    explicit dut(const smrf_frontend_config &cfg, uint32_t threads, uint64_t insts)
        : length(insts), fe(std::make_unique<smrf_frontend>()), code(cfg.frontend)
    {
        smrf_frontend_links links{};
        links.wires = {this, start, head, hold, refill, nullptr, ended, barrier, exit};
        links.code = {&code, code_caches::fetch};
        links.source = {this, count, next, block_done, number};
        EXPECT_EQ(0, smrf_frontend_init(fe.get(), store.get(), &cfg, &links));
        kernel.threads_per_block = threads;
        kernel.warps_per_block = (threads + 31) / 32;
        kernel.registers = 32;
    }
    void begin(unsigned blocks)
    {
        smrf_frontend_begin_kernel(fe.get(), &kernel);
        for (unsigned b = 0; b < blocks; b++) {
            ASSERT_TRUE(fe->wants) << b;
            smrf_frontend_launch(fe.get(), &fe->block[b],
                                 cycle); // any address that tells them apart
        }
    }
    void fetch(unsigned cycles = 20)
    {
        for (unsigned i = 0; i < cycles; i++) {
            smrf_frontend_fetch(fe.get(), cycle++);
        }
    }
    void take(unsigned warp)
    {
        head(this, warp, smrf_frontend_take(fe.get(), warp));
    }
    // Take all instructions of a warp, and let it drain.
    void run_out(unsigned warp)
    {
        while (!over.count(warp)) {
            if (!now[warp]) {
                fetch(1);
                continue;
            }
            take(warp);
        }
        smrf_frontend_drained(fe.get(), warp, cycle);
    }

    static dut *self(void *ctx)
    {
        return static_cast<dut *>(ctx);
    }
    void note(const std::string &what, unsigned warp)
    {
        log.push_back(what + " " + std::to_string(warp));
    }
    static void start(void *ctx, unsigned warp, const smrf_warp_start *s)
    {
        self(ctx)->starts.push_back(*s);
        self(ctx)->over.erase(warp);
        self(ctx)->note("start", warp);
    }
    static void head(void *ctx, unsigned warp, const smrf_inst *inst)
    {
        self(ctx)->now[warp] = inst;
        self(ctx)->note(inst ? "head" : "empty", warp);
    }
    static void refill(void *ctx, unsigned warp, uint64_t until)
    {
        self(ctx)->note("refill to " + std::to_string(until), warp);
    }
    static void hold(void *ctx, unsigned warp, uint64_t until)
    {
        self(ctx)->note("hold to " + std::to_string(until), warp);
    }
    static void ended(void *ctx, unsigned warp)
    {
        self(ctx)->over.insert(warp);
        self(ctx)->note("ended", warp);
    }
    static void barrier(void *ctx, unsigned warp, bool waits)
    {
        self(ctx)->note(waits ? "waits" : "passes", warp);
    }
    static void exit(void *ctx, unsigned warp)
    {
        self(ctx)->note("exit", warp);
    }
    static uint64_t count(void *ctx, void *, uint32_t)
    {
        return self(ctx)->length;
    }
    smrf_inst made(unsigned warp)
    {
        smrf_inst inst{};
        inst.op = &op;
        inst.mask = warp;
        inst.imm = handed++;
        return inst;
    }
    static int next(void *ctx, void *, uint32_t warp, unsigned most, smrf_inst *room,
                    const smrf_inst **at, smrf_inst_run *run)
    {
        dut *d = self(ctx);
        EXPECT_GT(most, 0u);
        EXPECT_LE(most, d->length);
        EXPECT_EQ(0u, run->left);
        const unsigned count = d->how == handing::one_by_one ? 1 : most;
        for (unsigned i = 0; i < count; i++) {
            at[i] = &room[i];
            room[i] = d->made(warp);
        }
        smrf_inst *last = nullptr;
        for (; d->how == handing::with_a_run && run->left < 3 && d->handed < d->length;
             run->left++) {
            d->standing.push_back(d->made(warp));
            (last ? last->after : run->next) = &d->standing.back();
            last = &d->standing.back();
        }
        return d->source_result > 0 ? int(count) : d->source_result;
    }
    static uint64_t number(void *, void *)
    {
        return 77;
    }
    static void block_done(void *ctx, void *, uint64_t cycle)
    {
        self(ctx)->log.push_back("done at " + std::to_string(cycle));
    }

    uint64_t length, handed = 0, cycle = 0;
    int source_result = 1;
    handing how = handing::as_many_as_asked;
    std::deque<smrf_inst> standing;
    smrf_static_inst op{};
    smrf_sm_kernel kernel{};
    std::unique_ptr<smrf_frontend> fe;
    code_caches code;
    std::unique_ptr<smrf_frontend_store> store{new smrf_frontend_store()};
    std::vector<std::string> log;
    std::vector<smrf_warp_start> starts;
    const smrf_inst *now[SMRF_MAX_WARPS] = {};
    std::set<unsigned> over;
};

TEST(Frontend, ABlockStartsItsWarpsWithTheirThreadsAndRegisters)
{
    dut d(config(), 72, 1); // three warps, the last of 8 threads
    d.begin(2);
    ASSERT_EQ(6u, d.starts.size());
    EXPECT_EQ(UINT32_MAX, d.starts[0].lanes);
    EXPECT_EQ(0xffu, d.starts[2].lanes);
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQ(i, d.starts[i].age);
        EXPECT_EQ(77u, d.starts[i].block);
        EXPECT_EQ(i % 3, d.starts[i].index);
        EXPECT_EQ(32u, d.starts[i].registers);
        EXPECT_EQ("start " + std::to_string(i), d.log[i]) << "warp slots in the order of blocks";
    }
    EXPECT_EQ(d.starts[0].base, d.starts[1].base) << "each in its own sub-core";
    EXPECT_NE(d.starts[0].base, d.starts[4].base) << "slots 0 and 4 share one";
}

class HandedOver : public testing::TestWithParam<handing>
{
};

INSTANTIATE_TEST_SUITE_P(Frontend, HandedOver,
                         testing::Values(handing::as_many_as_asked, handing::one_by_one,
                                         handing::with_a_run));

TEST_P(HandedOver, AHeadStaysUntilItIsTaken)
{
    dut d(config(), 32, 8);
    d.how = GetParam();
    d.begin(1);
    d.fetch();
    const smrf_inst *first = d.now[0];
    ASSERT_NE(nullptr, first);
    EXPECT_EQ(0u, first->imm);
    d.fetch();
    EXPECT_EQ(first, d.now[0]);
    for (uint64_t n = 1; n < 8; n++) {
        d.take(0);
        d.fetch();
        ASSERT_NE(nullptr, d.now[0]);
        EXPECT_EQ(n, d.now[0]->imm) << "in the order of the trace";
    }
    d.take(0);
    EXPECT_EQ(nullptr, d.now[0]);
    EXPECT_EQ(8u, d.handed) << "asked for as many as there are";
}

TEST(Frontend, ABarrierWaitsForEveryWarpThatHasInstructionsLeft)
{
    dut d(config(), 96, 2);
    d.begin(1);
    d.fetch();
    d.log.clear();
    smrf_frontend_reach_barrier(d.fe.get(), 0);
    smrf_frontend_reach_barrier(d.fe.get(), 2);
    EXPECT_EQ(0u, d.fe->stats.barriers);
    EXPECT_EQ((std::vector<std::string>{"waits 0", "waits 2"}), d.log);
    d.run_out(1); // it never comes to the barrier
    EXPECT_EQ(1u, d.fe->stats.barriers);
    EXPECT_EQ(1, std::count(d.log.begin(), d.log.end(), "passes 0"));
    EXPECT_EQ(1, std::count(d.log.begin(), d.log.end(), "passes 2"));
}

TEST(Frontend, TheSearchForAWarpToFetchLetsThoseExitThatItPasses)
{
    smrf_frontend_config cfg = config();
    cfg.frontend.exit_at_fetch = true;
    dut d(cfg, 128, 3);
    d.begin(1);
    d.fetch();
    auto take = [&](unsigned warp, unsigned n) {
        for (; n; n--) {
            d.take(warp);
        }
    };
    auto exits = [&](unsigned cycles) { // of so many
        d.log.clear();
        d.fetch(cycles);
        std::string all;
        for (const std::string &entry : d.log) {
            all += entry.rfind("exit", 0) == 0 ? entry + " " : "";
        }
        return all;
    };
    take(1, 2);
    take(3, 2);
    d.fetch(4); // 3 last
    for (unsigned warp : {1u, 3u}) {
        take(warp, 1);
        smrf_frontend_drained(d.fe.get(), warp, d.cycle);
    }
    EXPECT_TRUE(smrf_frontend_probe_fetching(d.fe.get()));
    take(0, 2);
    EXPECT_EQ("", exits(1)) << "0 is found before 1 is passed";
    take(2, 2);
    EXPECT_EQ("exit 1 ", exits(1)) << "2 is found before 3 is passed";
    EXPECT_EQ("exit 3 ", exits(1)) << "nobody is to be fetched";
    EXPECT_FALSE(smrf_frontend_probe_fetching(d.fe.get()));
}

TEST(Frontend, AWarpExitsOnceItsTraceHasEndedAndItHasDrained)
{
    dut d(config(), 64, 2);
    d.begin(1);
    d.fetch();
    d.log.clear();
    smrf_frontend_drained(d.fe.get(), 0, d.cycle);
    EXPECT_TRUE(d.log.empty()) << "it has instructions left";
    d.run_out(0);
    EXPECT_EQ("exit 0", d.log.back());
    d.cycle = 777;
    d.run_out(1);
    EXPECT_EQ("done at 777", d.log.back());
    EXPECT_EQ("exit 1", d.log[d.log.size() - 2]);
    EXPECT_EQ(1u, d.fe->stats.blocks);
    EXPECT_EQ(2u, d.fe->stats.warps);
    EXPECT_EQ(0u, d.fe->resident_blocks);
}

TEST(Frontend, AnEndedBlockMakesRoomForAnother)
{
    dut d(config(), 1024, 1);
    d.begin(1);
    smrf_frontend_end_cycle(d.fe.get());
    EXPECT_FALSE(d.fe->wants) << "1024 threads are all there are";
    for (unsigned w = 0; w < 32; w++) {
        smrf_frontend_end_cycle(d.fe.get());
        EXPECT_FALSE(d.fe->wants);
        d.run_out(w);
    }
    smrf_frontend_end_cycle(d.fe.get());
    EXPECT_TRUE(d.fe->wants);
    smrf_frontend_set_more(d.fe.get(), false);
    EXPECT_FALSE(d.fe->wants);
}

TEST(Frontend, AWarpWithoutInstructionsExitsWhenItsFetchFindsNone)
{
    dut d(config(), 32, 0);
    d.begin(1);
    d.fetch();
    EXPECT_EQ((std::vector<std::string>{"start 0", "ended 0", "exit 0", "done at 1"}), d.log);
}

TEST(Frontend, AFailingSourceIsRemembered)
{
    dut d(config(), 32, 4);
    d.source_result = SMRF_ERR_FORMAT;
    d.begin(1);
    d.fetch();
    EXPECT_EQ(SMRF_ERR_FORMAT, d.fe->error);
    EXPECT_EQ(nullptr, d.now[0]);
}

TEST(Frontend, AMissOfTheInstructionCacheHoldsTheWarp)
{
    smrf_frontend_config cfg = config();
    cfg.frontend.icache_bytes = 16384;
    dut d(cfg, 32, 4);
    d.begin(1);
    d.fetch();
    EXPECT_EQ(1, std::count(d.log.begin(), d.log.end(), "hold to 101 0"))
        << "fetched in cycle 0, decoded in 1 with the next fetch: 100 cycles from there";
}

TEST(Frontend, AMissOfASubCoresCacheHoldsTheInstructionThatMisses)
{
    smrf_frontend_config cfg = config();
    cfg.frontend.l0_bytes = 1024;
    cfg.frontend.l0_ways = 8;
    cfg.frontend.l0_latency = 30;
    cfg.frontend.l0_interval = 2;
    dut d(cfg, 64, 4); // two warps, of two sub-cores
    d.begin(1);
    d.fetch();
    EXPECT_EQ(1, std::count(d.log.begin(), d.log.end(), "refill to 31 1"));
    EXPECT_EQ(1, std::count(d.log.begin(), d.log.end(), "refill to 33 0"))
        << "its turn comes later";
}

TEST(Frontend, ResetIsAsNew)
{
    smrf_frontend_config cfg = config();
    cfg.frontend.icache_bytes = 16384;
    dut d(cfg, 96, 3);
    std::vector<std::string> first;
    for (int round = 0; round < 2; round++) {
        d.begin(2);
        d.fetch();
        d.take(1);
        smrf_frontend_reach_barrier(d.fe.get(), 1);
        for (unsigned w : {0u, 2u, 1u, 5u}) { // the second block does not end
            d.run_out(w);
        }
        EXPECT_EQ(1u, d.fe->stats.blocks);
        if (round == 0) {
            first = d.log;
        } else {
            EXPECT_EQ(first, d.log);
        }
        smrf_frontend_reset(d.fe.get());
        smrf_icache_reset(&d.code.icache); // its SM's to do
        d.log.clear();
        d.over.clear();
        std::fill(std::begin(d.now), std::end(d.now), nullptr);
        d.cycle = d.handed = 0;
    }
}

} // namespace
