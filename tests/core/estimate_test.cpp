// SPDX-License-Identifier: Apache-2.0
// The view without a loop over cycles against a slow reference that has one: random programs of
// register instructions and barriers on random machines, and the cycle in which each warp exits.
#include "models/common/smrf_reg_set.h"
#include "models/common/smrf_rng.h"
#include "models/estimate/estimate.h"
#include "platform/config/smrf_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace
{

constexpr unsigned block_warps = 4, blocks = 2;

struct line {
    smrf_static_inst op{};
    smrf_inst inst{};
};
using program = std::vector<std::vector<line>>; // [warp][instruction]

struct machine {
    smrf_config c{};
    smrf_units_config units() const
    {
        return {c.exec, c.sm.subcores, 0, 1, false};
    }
    smrf_estimate_config estimate() const
    {
        return {c.sm, c.rf, c.issue, c.scoreboard, c.frontend};
    }
};

struct dice {
    smrf_rng rng{};
    explicit dice(uint64_t seed)
    {
        smrf_rng_seed(&rng, seed, 41);
    }
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng, n);
    }
    template <class T> T of(std::initializer_list<T> list)
    {
        return list.begin()[below(static_cast<uint32_t>(list.size()))];
    }
};

machine random_machine(dice &d)
{
    machine m;
    smrf_config_default_sections(&m.c);
    m.c.sm.subcores = d.of({1u, 2u, 4u});
    m.c.sm.warps = block_warps * blocks;
    m.c.rf.banks = d.of({1u, 2u, 3u, 4u});
    m.c.rf.swizzle = d.below(2);
    m.c.rf.collectors = d.of({1u, 2u, 3u});
    m.c.rf.collector_ports = d.of({0u, 1u, 2u});
    m.c.rf.dispatch = d.of({1u, 4u});
    m.c.issue.scheduler = d.of<uint32_t>({SMRF_SCHED_GTO, SMRF_SCHED_LRR, SMRF_SCHED_OLDEST});
    m.c.issue.width = d.of({1u, 1u, 2u});
    m.c.scoreboard.war = d.below(2);
    m.c.frontend.fetch_warps = d.of({1u, 4u});
    m.c.frontend.ibuffer = d.of({1u, 2u});
    return m;
}

program random_program(dice &d, const machine &m)
{
    program p(block_warps * blocks);
    const bool listed = d.below(2);
    const uint32_t barriers = d.below(4);
    for (unsigned w = 0; w < p.size(); w++) {
        p[w].resize(1 + d.below(60));
        for (line &l : p[w]) {
            l.op.op_class = d.of<uint8_t>({SMRF_CLASS_INT, SMRF_CLASS_ALU, SMRF_CLASS_SP,
                                           SMRF_CLASS_SFU, SMRF_CLASS_DP, SMRF_CLASS_BRANCH});
            for (uint32_t n = d.below(5); n > 0; n--) {
                l.op.src[l.op.num_src++] = static_cast<uint8_t>(d.below(12));
            }
            if (d.below(4)) {
                const uint32_t base = d.below(12);
                for (uint32_t n = 0; n < 1 + d.below(2); n++) {
                    l.op.dst[l.op.num_dst++] = static_cast<uint8_t>(base + n);
                }
            }
            if (barriers && d.below(12) == 0) {
                l.op = smrf_static_inst{};
                l.op.op_class = SMRF_CLASS_BARRIER;
            }
            l.inst.mask = UINT32_MAX;
        }
    }
    for (auto &warp : p) {
        for (line &l : warp) {
            if (listed) { // otherwise the view makes the set itself
                l.op.set = smrf_reg_set_of_inst(&l.op, false, m.c.rf.banks);
            }
            l.inst.op = &l.op;
        }
    }
    return p;
}

// --- the view -----------------------------------------------------------------------------------

struct dut;
dut *present = nullptr;

struct dut {
    const machine &m;
    const program &p;
    std::array<unsigned, block_warps * blocks> at{}; // next instruction of a warp
    std::map<unsigned, uint64_t> exits;
    smrf_frontend_wires inner{};
    std::unique_ptr<smrf_frontend> front = std::make_unique<smrf_frontend>();
    std::unique_ptr<smrf_frontend_store> store = std::make_unique<smrf_frontend_store>();
    std::unique_ptr<smrf_estimate> e = std::make_unique<smrf_estimate>();
    std::unique_ptr<smrf_units> units = std::make_unique<smrf_units>();
    std::vector<smrf_estimate_warp> warps;
    void *ldst = nullptr, *ldst_store = nullptr;

    dut(const machine &mach, const program &prog) : m(mach), p(prog), warps(m.c.sm.warps)
    {
        present = this;
        const smrf_units_config u = m.units();
        const smrf_estimate_config part = m.estimate();
        const smrf_frontend_config f = {m.c.gpu, m.c.sm, m.c.frontend, m.c.rf};
        const smrf_ldst_config l = {m.c.gpu, m.c.sm, m.c.rf, m.c.ldst, m.c.l1d};
        ldst = zeroed(smrf_ldst_bytes(&l));
        ldst_store = zeroed(smrf_ldst_store_bytes(&l));
        EXPECT_EQ(0, smrf_units_init(units.get(), &u, nullptr, nullptr));
        const smrf_estimate_links links = {front.get(), static_cast<smrf_ldst *>(ldst),
                                           units.get()};
        EXPECT_EQ(0, smrf_estimate_init(e.get(), warps.data(), &part, &links));
        const smrf_ldst_events events = smrf_estimate_events(e.get());
        const smrf_mem_port port{};
        EXPECT_EQ(
            0, smrf_ldst_init(static_cast<smrf_ldst *>(ldst), ldst_store, &l, 0, &events, &port));
        smrf_frontend_links ends{};
        ends.wires = smrf_estimate_wires(e.get());
        inner = ends.wires;
        ends.wires.exit = exit;
        ends.source = {this, length, next, done, number};
        EXPECT_EQ(0, smrf_frontend_init(front.get(), store.get(), &f, &ends));
    }
    ~dut()
    {
        std::free(ldst);
        std::free(ldst_store);
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;

    static void *zeroed(size_t bytes)
    {
        bytes = (bytes + 63) / 64 * 64;
        void *p = std::aligned_alloc(64, bytes);
        std::memset(p, 0, bytes);
        return p;
    }
    static unsigned block_of(const void *block)
    {
        return static_cast<unsigned>(reinterpret_cast<uintptr_t>(block) - 1);
    }
    static uint64_t length(void *ctx, void *block, uint32_t warp)
    {
        return static_cast<dut *>(ctx)->p[block_of(block) * block_warps + warp].size();
    }
    static int next(void *ctx, void *block, uint32_t warp, unsigned, smrf_inst *,
                    const smrf_inst **inst, smrf_inst_run *)
    {
        auto *self = static_cast<dut *>(ctx);
        const unsigned w = block_of(block) * block_warps + warp;
        *inst = &self->p[w][self->at[w]++].inst;
        return 1;
    }
    static void done(void *, void *, uint64_t) {}
    static uint64_t number(void *, void *block)
    {
        return block_of(block);
    }
    static void exit(void *ctx, unsigned w)
    {
        present->exits[w] = present->e->now;
        present->inner.exit(ctx, w);
    }

    // Windows of random lengths.
    void run(dice &d)
    {
        smrf_sm_kernel kernel{};
        kernel.threads_per_block = block_warps * SMRF_LANES;
        kernel.warps_per_block = block_warps;
        kernel.registers = 16;
        smrf_frontend_begin_kernel(front.get(), &kernel);
        smrf_estimate_begin_kernel(e.get(), &kernel);
        uint64_t cycle = 1;
        unsigned placed = 0;
        while (front->wants || front->resident_blocks) {
            if (front->wants && placed < blocks) {
                smrf_frontend_launch(front.get(), reinterpret_cast<void *>(uintptr_t{1} + placed++),
                                     cycle);
                smrf_estimate_launched(e.get(), cycle);
                smrf_frontend_set_more(front.get(), placed < blocks);
                continue;
            }
            cycle = smrf_estimate_run(e.get(), cycle + 1 + d.below(70));
        }
    }
};

// --- the reference ------------------------------------------------------------------------------

// A port that is taken up to 63 slots ahead.
struct slots {
    std::set<uint64_t> taken;
    uint64_t take(uint64_t from, uint64_t now)
    {
        const uint64_t at = first(from, now);
        if (at < now + 64) {
            taken.insert(at);
        }
        return at;
    }
    uint64_t first(uint64_t from, uint64_t now) const
    {
        while (from < now + 64 && taken.count(from)) {
            from++;
        }
        return from;
    }
};

struct reference {
    struct warp {
        size_t pc = 0, buffered = 0; // instructions
        uint64_t held = 0, last = 0, age = 0;
        bool resident = false, waits = false;
        std::map<unsigned, uint64_t> ready, read;
    };
    struct sub {
        std::map<unsigned, slots> bank;
        slots dispatch;
        std::vector<uint64_t> collector;
        std::map<unsigned, uint64_t> latch, unit;
        int last = -1;
    };
    const machine &m;
    const program &p;
    std::vector<warp> w;
    std::vector<sub> s;
    std::map<unsigned, uint64_t> exits;
    std::set<unsigned> need; // warps without an instruction
    int fetched = -1;        // .. of whom one is fetched, and not decoded
    unsigned last_fetched = 0;

    reference(const machine &mach, const program &prog)
        : m(mach), p(prog), w(prog.size()), s(mach.c.sm.subcores)
    {
        for (sub &one : s) {
            one.collector.resize(m.c.rf.collectors);
        }
    }

    bool ended(unsigned i) const
    {
        return w[i].pc == p[i].size();
    }
    void release(unsigned block, uint64_t t)
    {
        bool all = true, any = false;
        for (unsigned i = block * block_warps; i < (block + 1) * block_warps; i++) {
            all = all && (ended(i) || w[i].waits);
            any = any || w[i].waits;
        }
        for (unsigned i = block * block_warps; all && any && i < (block + 1) * block_warps; i++) {
            w[i].held = w[i].waits ? std::max(w[i].held, t + 1) : w[i].held;
            w[i].waits = false;
        }
    }
    bool ready(unsigned i, uint64_t t)
    {
        warp &a = w[i];
        if (!a.resident || a.buffered == 0 || a.waits || a.held > t) {
            return false;
        }
        const smrf_static_inst &op = p[i][a.pc].op;
        bool is = true;
        for (unsigned n = 0; n < op.num_src; n++) {
            is = is && a.ready[op.src[n]] <= t;
        }
        for (unsigned n = 0; n < op.num_dst; n++) {
            is = is && a.ready[op.dst[n]] <= t;
            is = is && (!m.c.scoreboard.war || a.read[op.dst[n]] <= t);
        }
        return is;
    }
    unsigned bank(unsigned i, unsigned reg) const
    {
        return (reg + (m.c.rf.swizzle ? i : 0)) % m.c.rf.banks;
    }
    uint64_t collect(sub &on, unsigned i, const smrf_static_inst &op, uint64_t t)
    {
        std::vector<unsigned> left;
        for (unsigned n = 0; n < op.num_src; n++) {
            if (std::find(left.begin(), left.end(), op.src[n]) == left.end()) {
                left.push_back(op.src[n]);
            }
        }
        const size_t ports = m.c.rf.collector_ports ? m.c.rf.collector_ports : SMRF_MAX_SRC;
        std::map<uint64_t, size_t> through; // operands by cycle
        uint64_t at = t + 1, last = t;
        while (!left.empty()) {
            size_t best = 0;
            for (size_t n = 1; n < left.size(); n++) {
                if (on.bank[bank(i, left[n])].first(at, t) <
                    on.bank[bank(i, left[best])].first(at, t)) {
                    best = n;
                }
            }
            last = on.bank[bank(i, left[best])].take(at, t);
            w[i].read[left[best]] = last;
            at = ++through[last] == ports ? last + 1 : last;
            left.erase(left.begin() + static_cast<long>(best));
        }
        return last + 1;
    }
    std::array<uint32_t, 2> timing(unsigned op_class) const
    {
        const smrf_exec_params &e = m.c.exec;
        switch (op_class) {
        case SMRF_CLASS_SP:
            return {e.sp_latency, e.sp_interval};
        case SMRF_CLASS_SFU:
            return {e.sfu_latency, e.sfu_interval};
        case SMRF_CLASS_DP:
            return {e.dp_latency, e.dp_interval};
        case SMRF_CLASS_BRANCH:
            return {e.branch_latency, e.branch_interval};
        case SMRF_CLASS_BARRIER:
            return {1, 1};
        default:
            return {e.int_latency, e.int_interval};
        }
    }
    static unsigned unit(unsigned op_class)
    {
        return op_class == SMRF_CLASS_ALU || op_class == SMRF_CLASS_BARRIER
                   ? unsigned{SMRF_CLASS_INT}
                   : op_class;
    }
    void issue(sub &on, unsigned i, uint64_t t)
    {
        warp &a = w[i];
        const smrf_static_inst &op = p[i][a.pc].op;
        const auto collector = std::min_element(on.collector.begin(), on.collector.end());
        const uint64_t there = collect(on, i, op, t);
        uint64_t at = std::max(there, on.latch[unit(op.op_class)]);
        if (m.c.rf.dispatch == 1) {
            at = on.dispatch.take(at, t);
        }
        const auto time = timing(op.op_class);
        const uint64_t start = std::max(at + 1, on.unit[unit(op.op_class)]);
        *collector = at;
        on.latch[unit(op.op_class)] = start;
        on.unit[unit(op.op_class)] = start + time[1];
        const uint64_t end = start + time[0] + 2;
        a.last = std::max(a.last, end);
        for (unsigned n = 0; n < op.num_dst; n++) {
            a.ready[op.dst[n]] = on.bank[bank(i, op.dst[n])].take(end, t);
            a.last = std::max(a.last, a.ready[op.dst[n]]);
        }
        a.held = t + 1;
        a.pc++;
        if (--a.buffered == 0 && !ended(i)) {
            need.insert(i);
        }
        a.waits = op.op_class == SMRF_CLASS_BARRIER;
        release(i / block_warps, t);
    }
    int choose(const sub &on, unsigned of, const std::vector<unsigned> &can) const
    {
        const auto greedy = std::find(can.begin(), can.end(), static_cast<unsigned>(on.last));
        if (m.c.issue.scheduler == SMRF_SCHED_GTO && on.last >= 0 && greedy != can.end()) {
            return on.last;
        }
        if (m.c.issue.scheduler == SMRF_SCHED_LRR) {
            const int last = on.last >= 0 ? on.last : static_cast<int>(of + w.size() - s.size());
            for (const unsigned i : can) {
                if (static_cast<int>(i) > last) {
                    return static_cast<int>(i);
                }
            }
            return static_cast<int>(can.front());
        }
        return static_cast<int>(*std::min_element(
            can.begin(), can.end(), [&](unsigned a, unsigned b) { return w[a].age < w[b].age; }));
    }
    void cycle(uint64_t t)
    {
        for (unsigned of = 0; of < s.size(); of++) {
            sub &on = s[of];
            for (uint32_t n = 0; n < m.c.issue.width; n++) {
                std::vector<unsigned> can;
                for (unsigned i = of; i < w.size(); i += static_cast<unsigned>(s.size())) {
                    if (ready(i, t)) {
                        can.push_back(i);
                    }
                }
                if (can.empty() ||
                    *std::min_element(on.collector.begin(), on.collector.end()) > t) {
                    break;
                }
                const int i = choose(on, of, can);
                on.last = i;
                issue(on, static_cast<unsigned>(i), t);
            }
        }
        for (unsigned i = 0; i < w.size(); i++) {
            if (w[i].resident && ended(i) && std::max(w[i].last, w[i].held - 1) <= t) {
                w[i].resident = false;
                exits[i] = t;
            }
        }
        fetch(t);
    }
    // Decode what was fetched before, then fetch the next, so often.
    void fetch(uint64_t t)
    {
        for (uint32_t n = 0; n < m.c.frontend.fetch_warps; n++) {
            if (fetched >= 0) {
                warp &a = w[static_cast<size_t>(fetched)];
                const size_t left = p[static_cast<size_t>(fetched)].size() - a.pc;
                a.buffered = std::min<size_t>(m.c.frontend.ibuffer, left);
                a.held = std::max(a.held, t + 1);
                fetched = -1;
            }
            if (!need.empty()) {
                auto next = need.upper_bound(last_fetched);
                next = next == need.end() ? need.begin() : next;
                last_fetched = *next;
                fetched = static_cast<int>(*next);
                need.erase(next);
            }
        }
    }
    void place(unsigned block)
    {
        for (unsigned i = 0; i < block_warps; i++) {
            warp &a = w[block * block_warps + i];
            a.resident = true;
            need.insert(block * block_warps + i);
            a.age = block * block_warps + i;
        }
    }
    void run()
    {
        uint64_t t = 1;
        place(0);
        for (; exits.size() < w.size(); t++) {
            if (t == 2) { // a block a cycle
                place(1);
            }
            cycle(t);
        }
    }
};

} // namespace

TEST(Estimate, WarpsExitWhenASlowReferenceHasThemExit)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        dice d(seed);
        const machine m = random_machine(d);
        const program p = random_program(d, m);
        dut fast(m, p);
        reference slow(m, p);
        fast.run(d);
        slow.run();
        ASSERT_EQ(slow.exits, fast.exits) << "seed " << seed;
        uint64_t insts = 0;
        for (const auto &warp : p) {
            insts += warp.size();
        }
        ASSERT_EQ(insts, fast.e->stats.warp_insts);
        ASSERT_EQ(insts, fast.e->stats.completed);
        ASSERT_EQ(blocks, fast.front->stats.blocks);
    }
}

TEST(Estimate, HowFarItRunsAtATimeChangesNothing)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        dice d(seed), one(seed + 1000), other(seed + 2000);
        const machine m = random_machine(d);
        const program p = random_program(d, m);
        dut a(m, p);
        a.run(one);
        dut b(m, p);
        b.run(other);
        ASSERT_EQ(a.exits, b.exits) << "seed " << seed;
    }
}

TEST(Estimate, RefusesByNameWhatItDoesNotModel)
{
    machine m;
    smrf_config_default_sections(&m.c);
    const auto refusal = [&] {
        const smrf_estimate_config part = m.estimate();
        const char *text = smrf_estimate_refusal(&part);
        return std::string(text ? text : "");
    };
    EXPECT_EQ("", refusal());
    m.c.rf.collector_slots = 3;
    EXPECT_EQ("rf.collector_slots", refusal());
    m.c.issue.scheduler = SMRF_SCHED_TWO_LEVEL;
    EXPECT_EQ("issue.scheduler=two_level", refusal());
    m.c.issue.scheduler = SMRF_SCHED_SWL;
    EXPECT_EQ("issue.scheduler=swl", refusal());
}

TEST(EstimatePort, TakesTheFirstFreeSlotOfThoseThatItRemembers)
{
    smrf_port p{};
    smrf_port_pass(&p, 100);
    EXPECT_EQ(100u, smrf_port_free(&p, 100));
    smrf_port_take(&p, 100);
    smrf_port_take(&p, 101);
    EXPECT_EQ(102u, smrf_port_free(&p, 100));
    smrf_port_pass(&p, 101);
    EXPECT_EQ(102u, smrf_port_free(&p, 101));
    for (uint64_t t = 101; t < 165; t++) {
        smrf_port_take(&p, t);
    }
    EXPECT_EQ(165u, smrf_port_free(&p, 101)); // behind what is remembered
    smrf_port_take(&p, 165);
    EXPECT_EQ(165u, smrf_port_free(&p, 165));
    smrf_port_pass(&p, 1000);
    EXPECT_EQ(1000u, smrf_port_free(&p, 1000));
}
