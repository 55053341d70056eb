// SPDX-License-Identifier: Apache-2.0
// The view without a loop over cycles against a slow reference that has one, and that finds the
// time of each piece anew: random programs of register instructions and barriers on random
// machines, and the cycle in which each warp exits.
#include "models/common/smrf_reg_set.h"
#include "models/estimate/estimate.h"
#include "platform/config/smrf_config.h"
#include "tests/support/dice.h"

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
    unsigned run = 0; // so many behind it come with it
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
            l.run = d.below(3) ? d.below(40) : 0;
        }
    }
    for (auto &warp : p) {
        for (line &l : warp) {
            if (listed) { // otherwise the view makes the set itself
                l.op.set = smrf_reg_set_of_inst(&l.op, false, m.c.rf.banks);
            }
            l.inst.op = &l.op;
            l.op.index = static_cast<uint32_t>(&l - warp.data()) + 7;
            l.inst.after = &l == &warp.back() ? nullptr : &(&l)[1].inst;
            l.run = std::min(l.run, static_cast<unsigned>(&warp.back() - &l));
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
    std::unique_ptr<smrf_pieces> pieces = std::make_unique<smrf_pieces>();
    void *state = nullptr, *ldst = nullptr, *ldst_store = nullptr;

    dut(const machine &mach, const program &prog) : m(mach), p(prog)
    {
        present = this;
        const smrf_units_config u = m.units();
        const smrf_estimate_config part = m.estimate();
        const smrf_frontend_config f = {m.c.gpu, m.c.sm, m.c.frontend, m.c.rf};
        const smrf_ldst_config l = {m.c.gpu, m.c.sm, m.c.rf, m.c.ldst, m.c.l1d};
        ldst = zeroed(smrf_ldst_bytes(&l));
        ldst_store = zeroed(smrf_ldst_store_bytes(&l));
        EXPECT_EQ(0, smrf_units_init(units.get(), &u, nullptr, nullptr));
        const smrf_estimate_links links = {front.get(), static_cast<smrf_ldst *>(ldst), units.get(),
                                           1, 0};
        state = zeroed(smrf_estimate_store_bytes(&part));
        EXPECT_EQ(0, smrf_estimate_init(e.get(), state, &part, &links));
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
        std::free(state);
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
    static int next(void *ctx, void *block, uint32_t warp, unsigned most, smrf_inst *,
                    const smrf_inst **inst, smrf_inst_run *run)
    {
        auto *self = static_cast<dut *>(ctx);
        const unsigned w = block_of(block) * block_warps + warp;
        const line &l = self->p[w][self->at[w]++];
        *inst = &l.inst;
        if (most == 1) {
            *run = {l.inst.after, static_cast<uint16_t>(l.run), l.inst.mask};
            self->at[w] += l.run;
        }
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
        kernel.pieces = pieces.get();
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

std::array<uint64_t, 2> timing(const smrf_exec_params &e, unsigned op_class)
{
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

unsigned unit_of(unsigned op_class)
{
    return op_class == SMRF_CLASS_ALU || op_class == SMRF_CLASS_BARRIER ? unsigned{SMRF_CLASS_INT}
                                                                        : op_class;
}

template <class T> uint64_t of(const std::map<T, uint64_t> &m, T key)
{
    const auto at = m.find(key);
    return at == m.end() ? 0 : at->second;
}

// A piece on an idle sub-core, cycle by cycle.
struct alone {
    const machine &m;
    uint64_t t = 0, end = 0, held = 0;
    std::map<unsigned, uint64_t> needed, brought, read, bank, latch, unit;
    std::set<unsigned> written; // first by the piece
    std::vector<uint64_t> collector;
    std::map<std::string, uint64_t> parts; // of resources but banks
    std::map<unsigned, uint64_t> of_bank;  // .. of banks

    explicit alone(const machine &mach) : m(mach), collector(m.c.rf.collectors) {}

    bool can(const smrf_static_inst &op) const
    {
        bool is = *std::min_element(collector.begin(), collector.end()) <= t;
        for (unsigned n = 0; n < op.num_src; n++) {
            is = is && of(brought, unsigned{op.src[n]}) <= t;
        }
        for (unsigned n = 0; n < op.num_dst; n++) {
            is = is && of(brought, unsigned{op.dst[n]}) <= t;
            is = is && (!m.c.scoreboard.war || of(read, unsigned{op.dst[n]}) <= t);
        }
        return is;
    }
    void need(unsigned reg, bool writes)
    {
        if (!brought.count(reg) && !needed.count(reg)) {
            needed[reg] = t;
            if (writes) {
                written.insert(reg);
            }
        }
    }
    void add(const smrf_static_inst &op)
    {
        while (!can(op)) {
            t++;
        }
        const std::set<unsigned> sources(op.src, op.src + op.num_src);
        for (unsigned n = 0; n < op.num_src; n++) {
            need(op.src[n], false);
        }
        for (unsigned n = 0; n < op.num_dst; n++) {
            need(op.dst[n], true);
        }
        const uint64_t ports = m.c.rf.collector_ports ? m.c.rf.collector_ports : SMRF_MAX_SRC;
        uint64_t there = t + 1 + (sources.size() + ports - 1) / ports;
        for (const unsigned reg : sources) {
            uint64_t &b = bank[reg % m.c.rf.banks];
            b = std::max(b, t + 1) + 1;
            there = std::max(there, b);
            of_bank[reg % m.c.rf.banks] += 16;
        }
        for (const unsigned reg : sources) {
            read[reg] = there - 1;
        }
        const unsigned u = unit_of(op.op_class);
        const auto time = timing(m.c.exec, op.op_class);
        const uint64_t at = std::max(there, latch[u]), start = std::max(at + 1, unit[u]);
        *std::min_element(collector.begin(), collector.end()) = at;
        latch[u] = start;
        unit[u] = start + time[1];
        parts["unit " + std::to_string(u)] += 16 * time[1];
        held += at - t;
        for (unsigned n = 0; n < op.num_dst; n++) {
            brought[op.dst[n]] = start + time[0] + 2;
            of_bank[op.dst[n] % m.c.rf.banks] += 16;
        }
        end = std::max(end, start + time[0] + 2);
        t++;
    }
};

struct reference {
    struct warp {
        size_t pc = 0, buffered = 0, ahead = 0; // instructions
        uint64_t held = 0, last = 0, age = 0;
        bool resident = false, waits = false;
        std::map<unsigned, uint64_t> ready, read;
    };
    struct sub {
        std::map<std::string, uint64_t> busy; // parts
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
    // Instructions of the next piece: a barrier stands alone, and so does what comes without
    // others; it has four classes at most, and does not go beyond a section of 32. Double
    // precision, which takes its unit for longer than that, is in pieces of its own.
    size_t length(unsigned i) const
    {
        const warp &a = w[i];
        const auto op = [&](size_t n) -> const smrf_static_inst & { return p[i][a.pc + n].op; };
        const auto is_long = [](const smrf_static_inst &o) { return o.op_class == SMRF_CLASS_DP; };
        std::set<unsigned> classes = {op(0).op_class};
        size_t n = 1;
        while (op(0).op_class != SMRF_CLASS_BARRIER && n <= a.ahead && a.buffered == 1 &&
               op(n).index % 32 != 0 && op(n).op_class != SMRF_CLASS_BARRIER &&
               is_long(op(n)) == is_long(op(0)) &&
               (classes.size() < 4 || classes.count(op(n).op_class))) {
            classes.insert(op(n++).op_class);
        }
        return n;
    }
    alone piece(unsigned i) const
    {
        alone a(m);
        for (size_t n = 0; n < length(i); n++) {
            a.add(p[i][w[i].pc + n].op);
        }
        return a;
    }
    bool ready(unsigned i, uint64_t t) const
    {
        const warp &a = w[i];
        if (!a.resident || a.buffered == 0 || a.waits || a.held > t) {
            return false;
        }
        const alone by_itself = piece(i);
        return std::all_of(by_itself.needed.begin(), by_itself.needed.end(), [&](const auto &reg) {
            const bool war = m.c.scoreboard.war && by_itself.written.count(reg.first);
            return of(a.ready, reg.first) <= t + reg.second &&
                   (!war || of(a.read, reg.first) <= t + reg.second);
        });
    }
    uint64_t rate() const
    {
        return std::min(m.c.issue.width, m.c.rf.dispatch);
    }
    // So many parts of a cycle would the piece wait for a resource that it takes so much of.
    static uint64_t wait(uint64_t busy, uint64_t now, uint64_t parts, uint64_t span)
    {
        const uint64_t backlog = std::max(busy, now) - now;
        const uint64_t slack = span > parts ? span - parts : 0;
        return backlog > slack ? backlog - slack : 0;
    }
    static uint64_t take(uint64_t &busy, uint64_t now, uint64_t parts, uint64_t span)
    {
        const uint64_t waits = wait(busy, now, parts, span);
        busy = std::max(busy, now) + parts;
        return waits;
    }
    alone piece_of_all(unsigned i) const
    {
        alone own = piece(i);
        own.parts["issue"] = 16 * length(i) / rate();
        own.parts["collectors"] = 16 * own.held / m.c.rf.collectors;
        return own;
    }
    // Do issue, collectors and units take the warp's piece now?
    bool taken(sub &on, unsigned i, uint64_t t) const
    {
        const alone own = piece_of_all(i);
        return std::all_of(own.parts.begin(), own.parts.end(), [&](const auto &r) {
            return wait(on.busy[r.first], 16 * t, r.second, 16 * own.t) == 0;
        });
    }
    void start(sub &on, unsigned i, uint64_t t)
    {
        warp &a = w[i];
        const alone own = piece_of_all(i);
        const size_t n = length(i);
        const bool barrier = p[i][a.pc].op.op_class == SMRF_CLASS_BARRIER;
        const uint64_t now = 16 * t, span = 16 * own.t;
        uint64_t by = 0;
        for (const auto &r : own.parts) {
            by = std::max(by, take(on.busy[r.first], now, r.second, span));
        }
        for (const auto &b : own.of_bank) {
            const unsigned at = (b.first + (m.c.rf.swizzle ? i : 0)) % m.c.rf.banks;
            by = std::max(by, take(on.busy["bank " + std::to_string(at)], now, b.second, span));
        }
        const uint64_t late = (by + 15) / 16, tail = own.end > own.t ? own.end - own.t : 0;
        for (const auto &reg : own.brought) {
            a.ready[reg.first] = t + late + reg.second;
        }
        for (const auto &reg : own.read) {
            if (reg.second > own.t) {
                a.read[reg.first] = t + late + reg.second;
            }
        }
        a.last = std::max(a.last, t + late + own.end);
        a.held = t + own.t + (late > tail ? late - tail : 0);
        a.pc += n;
        a.ahead = a.buffered == 1 ? a.ahead - (n - 1) : a.ahead;
        a.buffered--;
        if (!a.buffered && !ended(i)) { // what comes next is there
            a.buffered = 1;
            a.ahead = a.ahead ? a.ahead - 1 : p[i][a.pc].run;
        }
        a.waits = barrier;
        release(i / block_warps, t);
    }
    int choose(const sub &on, unsigned sub_core, const std::vector<unsigned> &can) const
    {
        const auto greedy = std::find(can.begin(), can.end(), static_cast<unsigned>(on.last));
        if (m.c.issue.scheduler == SMRF_SCHED_GTO && on.last >= 0 && greedy != can.end()) {
            return on.last;
        }
        if (m.c.issue.scheduler == SMRF_SCHED_LRR) {
            const int last =
                on.last >= 0 ? on.last : static_cast<int>(sub_core + w.size() - s.size());
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
        for (unsigned sub_core = 0; sub_core < s.size(); sub_core++) {
            sub &on = s[sub_core];
            while (on.busy["issue"] <= 16 * t) {
                std::vector<unsigned> can;
                for (unsigned i = sub_core; i < w.size(); i += static_cast<unsigned>(s.size())) {
                    if (ready(i, t) && taken(on, i, t)) {
                        can.push_back(i);
                    }
                }
                if (can.empty()) {
                    break;
                }
                on.last = choose(on, sub_core, can);
                start(on, static_cast<unsigned>(on.last), t);
            }
        }
        for (unsigned i = 0; i < w.size(); i++) {
            if (w[i].resident && ended(i) && w[i].last <= t) {
                w[i].resident = false;
                exits[i] = t;
            }
        }
        fetch(t);
    }
    // The first of a warp: decode what was fetched before, then fetch the next, so often.
    void fetch(uint64_t t)
    {
        for (uint32_t n = 0; n < m.c.frontend.fetch_warps; n++) {
            if (fetched >= 0) {
                warp &a = w[static_cast<size_t>(fetched)];
                const auto &lines = p[static_cast<size_t>(fetched)];
                a.buffered = std::min<size_t>(m.c.frontend.ibuffer, lines.size());
                a.ahead = a.buffered == 1 ? lines[0].run : lines[1].run;
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
        for (; exits.size() < w.size() && t < 100000; t++) {
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
        dice d(seed, 41);
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
        smrf_sm_stats stats;
        smrf_estimate_stats(fast.e.get(), &stats);
        ASSERT_EQ(insts, stats.warp_insts);
        ASSERT_EQ(insts, stats.completed);
        ASSERT_EQ(blocks, fast.front->stats.blocks);
    }
}

TEST(Estimate, HowFarItRunsAtATimeChangesNothing)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        dice d(seed, 41), one(seed + 1000, 41), other(seed + 2000, 41);
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

// Found anew and kept, and more of them than are kept.
TEST(Estimate, APieceIsTheSameWhetherItIsKeptOrNot)
{
    dice d(7, 41);
    const machine m = random_machine(d);
    smrf_units units{};
    const smrf_units_config u = m.units();
    ASSERT_EQ(0, smrf_units_init(&units, &u, nullptr, nullptr));
    const smrf_piece_machine on = {m.c.rf, m.c.issue, m.c.scoreboard, &units};
    const auto pieces = std::make_unique<smrf_pieces>();
    std::vector<line> lines(SMRF_PIECES + 300);
    for (line &l : lines) {
        l.op.op_class = SMRF_CLASS_SP;
        l.op.index = static_cast<uint32_t>(&l - lines.data());
        l.op.num_src = l.op.num_dst = 1;
        l.op.src[0] = static_cast<uint8_t>(d.below(100));
        l.op.dst[0] = static_cast<uint8_t>(d.below(100));
        l.inst.op = &l.op;
        l.inst.after = &l == &lines.back() ? nullptr : &(&l)[1].inst;
    }
    for (unsigned round = 0; round < 2; round++) {
        for (const line &l : lines) {
            const auto ahead = static_cast<unsigned>(&lines.back() - &l);
            const unsigned within = SMRF_PIECE_INSTS - 1 - l.op.index % SMRF_PIECE_INSTS;
            smrf_piece_room own{}, anew{};
            const smrf_piece *p =
                smrf_pieces_of(pieces.get(), &own, &on, &l.op, l.inst.after, ahead, nullptr);
            smrf_piece_find(&anew, &on, &l.op, l.inst.after, std::min(ahead, within));
            EXPECT_EQ(l.op.index >= SMRF_PIECES, p == &own.piece);
            ASSERT_EQ(std::min(ahead, within) + 1, p->insts);
            EXPECT_EQ(anew.piece.span, p->span);
            EXPECT_EQ(anew.piece.end, p->end);
            EXPECT_EQ(anew.piece.num_in, p->num_in);
            EXPECT_EQ(anew.piece.num_use, p->num_use);
        }
    }
}

// A guess is taken where it is right, and put right where it is not.
TEST(Estimate, APieceIsFoundWhereItHasBeenLookedForLast)
{
    dice d(8, 41);
    const machine m = random_machine(d);
    smrf_units units{};
    const smrf_units_config u = m.units();
    ASSERT_EQ(0, smrf_units_init(&units, &u, nullptr, nullptr));
    const smrf_piece_machine on = {m.c.rf, m.c.issue, m.c.scoreboard, &units};
    const auto pieces = std::make_unique<smrf_pieces>();
    std::vector<line> lines(4);
    for (line &l : lines) {
        l.op.op_class = SMRF_CLASS_SP;
        l.op.index = static_cast<uint32_t>(&l - lines.data());
        l.inst.op = &l.op;
        l.inst.after = &l == &lines.back() ? nullptr : &(&l)[1].inst;
    }
    smrf_piece_room own{};
    const auto find = [&](size_t i, unsigned ahead, smrf_piece **guess) {
        return smrf_pieces_of(pieces.get(), &own, &on, &lines[i].op, lines[i].inst.after, ahead,
                              guess);
    };
    smrf_piece *const whole = find(0, 3, nullptr), *const cut = find(0, 1, nullptr);
    ASSERT_NE(whole, cut);
    smrf_piece *guess = nullptr;
    EXPECT_EQ(whole, find(0, 3, &guess));
    EXPECT_EQ(whole, guess);
    EXPECT_EQ(cut, find(0, 1, &guess)) << "it begins with the same, but ends sooner";
    EXPECT_EQ(cut, guess);
    EXPECT_EQ(2u, guess->insts);
    EXPECT_EQ(nullptr, guess->follower);
    EXPECT_EQ(nullptr, guess->cut);
}

// --- a load in front
// ------------------------------------------------------------------------------

namespace
{

// Instructions of a piece that begins with the first of these.
unsigned piece_of(std::vector<smrf_static_inst> ops)
{
    machine m;
    smrf_config_default_sections(&m.c);
    std::vector<smrf_inst> inst(ops.size());
    for (size_t i = ops.size(); i-- > 0;) {
        inst[i].op = &ops[i];
        inst[i].after = i + 1 < ops.size() ? &inst[i + 1] : nullptr;
    }
    auto units = std::make_unique<smrf_units>();
    const smrf_units_config u = m.units();
    EXPECT_EQ(0, smrf_units_init(units.get(), &u, nullptr, nullptr));
    const smrf_piece_machine on = {m.c.rf, m.c.issue, m.c.scoreboard, units.get()};
    auto p = std::make_unique<smrf_piece_room>();
    smrf_piece_find(p.get(), &on, &ops[0], inst[0].after, static_cast<unsigned>(ops.size() - 1));
    return p->piece.insts;
}

smrf_static_inst op_of(smrf_class op_class, uint8_t dst, uint8_t src)
{
    smrf_static_inst op{};
    op.op_class = static_cast<uint8_t>(op_class);
    op.num_dst = op.num_src = 1;
    op.dst[0] = dst;
    op.src[0] = src;
    return op;
}

} // namespace

TEST(Piece, GoesOnBehindALoadUpToWhatReadsOrOverwritesIt)
{
    const smrf_static_inst load = op_of(SMRF_CLASS_LOAD, 1, 2), other = op_of(SMRF_CLASS_INT, 3, 4);
    EXPECT_EQ(3u, piece_of({load, other, other}));
    EXPECT_EQ(2u, piece_of({load, other, op_of(SMRF_CLASS_INT, 5, 1), other}));
    EXPECT_EQ(2u, piece_of({load, other, op_of(SMRF_CLASS_INT, 1, 4), other}));
    EXPECT_EQ(1u, piece_of({load, load, other})) << "one access to memory, at its beginning";
    EXPECT_EQ(2u, piece_of({other, other, load}));
    const smrf_static_inst dp = op_of(SMRF_CLASS_DP, 4, 5);
    EXPECT_EQ(2u, piece_of({other, other, dp, dp})) << "does not wait for the unit";
    EXPECT_EQ(2u, piece_of({dp, dp, other}));
    EXPECT_EQ(1u, piece_of({op_of(SMRF_CLASS_ATOMIC, 1, 2), other})) << "its warp waits";
    EXPECT_EQ(1u, piece_of({op_of(SMRF_CLASS_MEMBAR, 1, 2), other}));
}
