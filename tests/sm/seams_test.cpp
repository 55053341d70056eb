// SPDX-License-Identifier: Apache-2.0
// The seams of the front end and the issue stage, each used by a small mechanism, and by one that
// uses it wrongly.
#include "tests/support/sm_dut.h"

#include <gtest/gtest.h>

#include <map>

using namespace sm_test;

namespace
{

// --- control flow --------------------------------------------------------------------------------

struct listener {
    std::vector<std::string> log;
    uint32_t base = 0, trap = 0;

    static listener *self(void *m)
    {
        return static_cast<listener *>(m);
    }
    static void start(void *m, unsigned, uint16_t base, uint32_t)
    {
        self(m)->base = base;
    }
    static uint32_t line(void *m, unsigned warp, const smrf_inst *, const smrf_simt_out *)
    {
        self(m)->log.push_back("line of " + std::to_string(warp));
        return std::exchange(self(m)->trap, 0);
    }
    static smrf_register_place place(void *m, unsigned reg)
    {
        unsigned phys = self(m)->base + reg;
        return {uint16_t(phys / 2), uint8_t(phys % 2)};
    }
    static smrf_register_place source(void *m, const smrf_flight *f, unsigned i)
    {
        self(m)->log.push_back("read " + std::to_string(f->src_reg[i]));
        return place(m, f->src_reg[i]);
    }
    static smrf_register_place destination(void *m, const smrf_flight *f, unsigned i,
                                           smrf_register_place *)
    {
        self(m)->log.push_back("write " + std::to_string(f->dst_reg[i]));
        return place(m, f->dst_reg[i]);
    }
};

TEST(Seams, ALineIsToldBeforeItsOperandsAreRenamed)
{
    const smrf_warp_seam life = {listener::start, nullptr, nullptr};
    const smrf_control_seam control = {listener::line};
    const smrf_rename_seam rename = {
        listener::source, listener::destination, nullptr, nullptr, nullptr, nullptr, nullptr};
    smrf_mechanism m{};
    m.warp = &life;
    m.control = &control;
    m.rename = &rename;
    listener state;
    state.trap = 7;
    dut d(one_subcore(), {{{alu(SMRF_CLASS_INT, {4}, {2, 3}), exit_step()}}}, 64, 0, &m, &state);
    d.run();
    EXPECT_EQ((std::vector<std::string>{"line of 0", "read 2", "read 3", "write 4", "line of 0"}),
              state.log);
    EXPECT_EQ(8u, d.issues[1].cycle - d.issues[0].cycle) << "seven cycles of a trap";
}

// --- allotment: warps start without registers, and get some when others have ended ---------------

struct late {
    static constexpr uint32_t REGISTERS = 64;
    const smrf_services *services = nullptr;
    std::vector<unsigned> waiting;
    unsigned holding = 0, most = 0;
    bool never = false, twice = false;

    static late *self(void *m)
    {
        return static_cast<late *>(m);
    }
    static void attach(void *m, const smrf_services *s)
    {
        self(m)->services = s;
    }
    static uint32_t registers(void *, const smrf_sm_kernel *)
    {
        return 0;
    }
    bool give(unsigned warp)
    {
        if (never || services->allot(services->ctx, warp, REGISTERS) < 0) {
            return false;
        }
        if (twice) {
            services->allot(services->ctx, warp, REGISTERS);
        }
        most = std::max(most, ++holding);
        return true;
    }
    static void start(void *m, unsigned warp, uint16_t, uint32_t registers)
    {
        EXPECT_EQ(0u, registers);
        if (!self(m)->give(warp)) {
            self(m)->waiting.push_back(warp);
        }
    }
    static void exit(void *m, unsigned)
    {
        self(m)->holding--;
        auto &list = self(m)->waiting;
        while (!list.empty() && self(m)->give(list.front())) {
            list.erase(list.begin());
        }
    }
};

const smrf_warp_seam late_life = {late::start, late::exit, nullptr};
const smrf_allotment_seam late_allotment = {late::registers, false};

smrf_mechanism late_mechanism()
{
    smrf_mechanism m{};
    m.attach = late::attach;
    m.warp = &late_life;
    m.allotment = &late_allotment;
    return m;
}

// Registers for two warps.
smrf_config two_warps()
{
    smrf_config cfg = one_subcore();
    cfg.sm.registers = 2 * SMRF_LANES * late::REGISTERS;
    return cfg;
}

std::vector<block> eight_blocks()
{
    program p;
    for (uint8_t i = 0; i < 10; i++) {
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {uint8_t(20 + i)}, {2}, 0x4000));
        p.push_back(alu(SMRF_CLASS_INT, {2}, {uint8_t(20 + i)}));
    }
    p.push_back(exit_step());
    return std::vector<block>(8, block{p});
}

TEST(Seams, WarpsMayBeResidentWithoutRegistersAndGetThemLater)
{
    dut base(two_warps(), eight_blocks());
    base.run();
    EXPECT_EQ(2u, base.most_resident);

    const smrf_mechanism m = late_mechanism();
    late state;
    dut d(two_warps(), eight_blocks(), 64, 0, &m, &state);
    d.run();
    EXPECT_EQ(8u, d.done);
    EXPECT_EQ(8u, d.most_resident) << "the number that the mechanism gives is what counts";
    EXPECT_EQ(2u, state.most) << "registers are there for two at a time";
    EXPECT_EQ(0u, state.holding);
    EXPECT_GT(d.stats().stall[SMRF_STALL_rename], 0u) << "the others wait for registers";
    EXPECT_GT(d.stats().oracle_checked, 0u);
    const char *limit = nullptr;
    EXPECT_EQ(2u, smrf_sm_occupancy(sm_of(two_warps()), smrf_mechanism_find("baseline"), &d.kernel,
                                    &limit));
    EXPECT_STREQ("sm.registers", limit);
    EXPECT_EQ(16u, smrf_sm_occupancy(sm_of(two_warps()), &m, &d.kernel, &limit));
    EXPECT_STREQ("sm.blocks", limit);
}

// --- allotment: another number of registers for every block --------------------------------------

struct sizes {
    static constexpr uint32_t REGISTERS[3] = {96, 32, 64};
    unsigned placed = 0, done = 0, holding = 0, most = 0, most_blocks = 0, blocks = 0;
    unsigned mixed = 0; // blocks placed beside one of another size
    std::map<unsigned, smrf_block_record> resident;
    std::map<unsigned, uint32_t> of_warp;

    static sizes *self(void *m)
    {
        return static_cast<sizes *>(m);
    }
    static uint32_t registers(void *m, const smrf_sm_kernel *)
    {
        return m ? REGISTERS[self(m)->placed % 3] : REGISTERS[0];
    }
    static void block(void *m, const smrf_block_record *b)
    {
        sizes &s = *self(m);
        EXPECT_EQ(REGISTERS[s.placed % 3], b->registers);
        EXPECT_EQ(0u, s.resident.count(b->slot));
        for (const auto &[slot, other] : s.resident) {
            EXPECT_EQ(0u, other.warps & b->warps);
            s.mixed += other.registers != b->registers;
        }
        s.resident[b->slot] = *b;
        s.placed++;
        s.holding += b->registers;
        s.most = std::max(s.most, s.holding);
        s.most_blocks = std::max(s.most_blocks, ++s.blocks);
    }
    static void start(void *m, unsigned warp, uint16_t base, uint32_t registers)
    {
        sizes &s = *self(m);
        EXPECT_EQ(s.holding - s.holding_before(warp), registers) << "its block's number";
        for (const auto &[other, end] : s.of_warp) {
            EXPECT_TRUE(base >= end || base + registers <= s.first[other]) << "taken twice";
        }
        s.first[warp] = base;
        s.of_warp[warp] = base + registers;
    }
    unsigned holding_before(unsigned warp) const
    {
        unsigned sum = 0;
        for (const auto &[slot, b] : resident) {
            sum += b.warps >> warp & 1 ? 0 : b.registers;
        }
        return sum;
    }
    static void exit(void *m, unsigned warp)
    {
        self(m)->of_warp.erase(warp);
    }
    static void finished(void *m, const smrf_block_record *b)
    {
        sizes &s = *self(m);
        EXPECT_EQ(s.resident.at(b->slot).registers, b->registers);
        EXPECT_EQ(s.resident.at(b->slot).first, b->first);
        s.resident.erase(b->slot);
        s.holding -= b->registers;
        s.blocks--;
        s.done++;
    }
    std::map<unsigned, uint32_t> first;
};
constexpr uint32_t sizes::REGISTERS[3];

TEST(Seams, BlocksOfDifferentSizesStandTogetherOnAnSm)
{
    const smrf_warp_seam life = {sizes::start, sizes::exit, nullptr};
    const smrf_allotment_seam allotment = {sizes::registers, false};
    const smrf_block_seam told = {sizes::block, sizes::finished, false};
    smrf_mechanism m{};
    m.warp = &life;
    m.allotment = &allotment;
    m.block = &told;
    smrf_config cfg = one_subcore();
    cfg.sm.registers = 256 * SMRF_LANES;
    std::vector<block> blocks;
    for (unsigned i = 0; i < 24; i++) {
        blocks.push_back(eight_blocks()[0]);
        blocks.back()[0].resize(5 + 2 * (i % 5)); // so that they end in another order
        blocks.back()[0].push_back(exit_step());
    }
    sizes state;
    dut d(cfg, blocks, 64, 0, &m, &state);
    d.run();
    EXPECT_EQ(24u, state.placed);
    EXPECT_EQ(24u, state.done);
    EXPECT_EQ(0u, state.holding);
    EXPECT_GT(state.mixed, 24u);
    EXPECT_EQ(4u, state.most_blocks) << "96 + 32 + 64 + .. of 256";
    EXPECT_LE(state.most, 256u);
    EXPECT_GT(state.most, 224u);
    EXPECT_EQ(0u, d.stats().oracle_violations);
    EXPECT_GT(d.stats().oracle_checked, 0u);
}

TEST(Seams, AWarpThatNeverGetsRegistersIsNamedAsHeldByTheMechanism)
{
    const smrf_mechanism m = late_mechanism();
    late state;
    state.never = true;
    dut d(two_warps(), eight_blocks(), 64, 0, &m, &state);
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    d.advance(1000);
    EXPECT_EQ(SMRF_NEVER, smrf_sm_next(d.sm()));
    EXPECT_EQ(0u, d.stats().warp_insts);
    smrf_wait_info info;
    smrf_sm_explain(d.sm(), 0, &info);
    EXPECT_EQ(SMRF_WAIT_MECHANISM, info.wait);
}

TEST(SeamsDeathTest, AWarpThatHasRegistersIsGivenNoOthers)
{
    const smrf_mechanism m = late_mechanism();
    late state;
    state.twice = true;
    dut d(two_warps(), eight_blocks(), 64, 0, &m, &state);
    EXPECT_DEATH(d.run(), "registers == 0");
}

// --- micro-operations: R5 is moved out to memory and in again, before every third instruction ----

struct shuttle {
    static constexpr uint8_t REG = 5;
    struct of_warp {
        uint16_t base;
        unsigned lines, phase;
        uint32_t row[SMRF_LANES], version;
    } warp[SMRF_MAX_WARPS] = {};
    smrf_static_inst out = op(SMRF_CLASS_STORE, {}, {REG}), in = op(SMRF_CLASS_LOAD, {REG});
    unsigned given = 0, done = 0, nops = 0, shift = 0;
    uint64_t window = 0;

    shuttle()
    {
        for (smrf_static_inst *o : {&out, &in}) {
            o->space = SMRF_SPACE_LOCAL;
            o->access_bytes = 4;
        }
    }
    static shuttle *self(void *m)
    {
        return static_cast<shuttle *>(m);
    }
    static void start(void *m, unsigned warp, uint16_t base, uint32_t)
    {
        self(m)->warp[warp] = of_warp{};
        self(m)->warp[warp].base = base;
    }
    static uint32_t line(void *m, unsigned warp, const smrf_inst *, const smrf_simt_out *)
    {
        of_warp &w = self(m)->warp[warp];
        w.phase = ++w.lines % 3 == 0 ? 2 : 0;
        return 0;
    }
    static bool nop(const smrf_static_inst *o)
    {
        return o->op_class == SMRF_CLASS_ALU && o->num_src + o->num_dst == 0;
    }
    static bool remove(void *m, unsigned, const smrf_inst *inst)
    {
        self(m)->nops += nop(inst->op);
        return nop(inst->op);
    }
    static bool next(void *m, unsigned warp, const smrf_inst *before, smrf_micro *micro)
    {
        of_warp &w = self(m)->warp[warp];
        EXPECT_FALSE(nop(before->op)) << "it has been removed";
        if (w.phase == 0) {
            return false;
        }
        bool store = w.phase-- == 2;
        micro->inst = smrf_inst{};
        micro->inst.op = store ? &self(m)->out : &self(m)->in;
        micro->inst.mask = UINT32_MAX;
        micro->inst.addr_kind = SMRF_ADDR_STRIDE;
        micro->inst.base = self(m)->window + 0x1000 * warp;
        micro->inst.stride = 4;
        micro->src_phys[0] = micro->dst_phys[0] = uint16_t(w.base + REG);
        self(m)->given++;
        return true;
    }
    static void read(void *m, const smrf_flight *f, unsigned i, const uint32_t *data,
                     uint32_t version)
    {
        EXPECT_EQ(0u, i);
        EXPECT_TRUE(f->micro);
        std::copy_n(data, SMRF_LANES, self(m)->warp[f->warp].row);
        self(m)->warp[f->warp].version = version;
    }
    static void write(void *m, const smrf_flight *f, unsigned, uint32_t *data, uint32_t *version)
    {
        std::copy_n(self(m)->warp[f->warp].row, SMRF_LANES, data);
        std::rotate(data, data + self(m)->shift, data + SMRF_LANES);
        *version = self(m)->warp[f->warp].version;
    }
    static void finished(void *m, const smrf_flight *f)
    {
        EXPECT_TRUE(f->micro);
        self(m)->done++;
    }
};

// What the blocks' accounts add up to.
smrf_block_record total;

void add_up(void *, const smrf_block_record *b)
{
    total.warp_insts += b->warp_insts;
    total.thread_insts += b->thread_insts;
    total.micro_insts += b->micro_insts;
}

const smrf_block_seam accounts = {nullptr, add_up, true};

const smrf_warp_seam shuttle_life = {shuttle::start, nullptr, nullptr};
const smrf_control_seam shuttle_control = {shuttle::line};
const smrf_micro_seam shuttle_micro = {shuttle::remove, shuttle::next, shuttle::read,
                                       shuttle::write, shuttle::finished};

smrf_mechanism shuttle_mechanism()
{
    smrf_mechanism m{};
    m.warp = &shuttle_life;
    m.control = &shuttle_control;
    m.micro = &shuttle_micro;
    m.block = &accounts;
    return m;
}

program uses_of_r5()
{
    program p;
    for (uint8_t i = 0; i < 12; i++) {
        p.push_back(alu(SMRF_CLASS_INT, {shuttle::REG}, {uint8_t(6 + i % 3)}));
        p.push_back(alu(SMRF_CLASS_ALU, {}, {}));
        p.push_back(alu(SMRF_CLASS_SP, {uint8_t(6 + i % 3)}, {shuttle::REG, 9}));
        p.push_back(alu(SMRF_CLASS_INT, {9}, {shuttle::REG}));
    }
    p.push_back(alu(SMRF_CLASS_ALU, {}, {})); // its last instruction is removed
    return p;
}

TEST(Seams, OperationsOfAMechanismMoveARegisterOutAndInAgain)
{
    for (const char *scheduler : {"gto", "lrr"}) {
        const smrf_mechanism m = shuttle_mechanism();
        shuttle state;
        smrf_config cfg = one_subcore();
        cfg.issue.scheduler = scheduler[0] == 'g' ? SMRF_SCHED_GTO : SMRF_SCHED_LRR;
        dut d(cfg, {{uses_of_r5(), uses_of_r5(), uses_of_r5()}}, 64, 0, &m, &state);
        state.window = d.kernel.local_window;
        total = smrf_block_record{};
        d.run();
        const smrf_sm_stats &s = d.stats();
        EXPECT_EQ(s.injected_insts, total.micro_insts);
        EXPECT_EQ(s.warp_insts, total.warp_insts + total.micro_insts);
        EXPECT_EQ(s.thread_insts - s.injected_threads, total.thread_insts);
        EXPECT_EQ(3u * 13, s.removed_insts);
        EXPECT_EQ(state.nops, s.removed_insts) << "each is asked about once";
        EXPECT_GT(state.given, 60u);
        EXPECT_EQ(state.given, s.injected_insts);
        EXPECT_EQ(state.given, state.done);
        EXPECT_EQ(3u * 49 - s.removed_insts + s.injected_insts, s.warp_insts);
        EXPECT_EQ(s.injected_insts,
                  s.warp_insts_by_class[SMRF_CLASS_STORE] + s.warp_insts_by_class[SMRF_CLASS_LOAD]);
        EXPECT_EQ(d.issues.size(), 3u * 49) << "the SIMT stack sees the trace, and it alone";
        EXPECT_GT(d.requests, 0u) << "they go to memory";
        EXPECT_GT(s.oracle_checked, 100u);
        EXPECT_EQ(0u, s.oracle_violations);
    }
}

TEST(Seams, AnOperationThatBringsTheWrongValueIsFoundByTheValueOracle)
{
    const smrf_mechanism m = shuttle_mechanism();
    shuttle state;
    state.shift = 1;
    dut d(one_subcore(), {{uses_of_r5()}}, 64, 0, &m, &state);
    state.window = d.kernel.local_window;
    d.laws = false;
    d.run();
    EXPECT_GT(d.stats().oracle_violations, 0u);
}

// --- scheduling: a warp leaves the active list some cycles after it was asked to -----------------

struct reluctant {
    uint64_t delay;
    std::map<unsigned, uint64_t> asked; // first cycle
    std::map<unsigned, bool> active;
    unsigned demotions = 0, promotions = 0;
    uint64_t last = 0;

    explicit reluctant(uint64_t cycles) : delay(cycles) {}
    static reluctant *self(void *m)
    {
        return static_cast<reluctant *>(m);
    }
    static bool demote(void *m, unsigned warp, uint64_t cycle)
    {
        reluctant *r = self(m);
        EXPECT_TRUE(r->active[warp]);
        EXPECT_GE(cycle, r->last) << "in the order of time, every cycle";
        r->last = cycle;
        uint64_t first = r->asked.emplace(warp, cycle).first->second;
        if (cycle < first + r->delay) {
            return false;
        }
        r->demotions++;
        r->asked.erase(warp);
        r->active[warp] = false;
        return true;
    }
    static void promote(void *m, unsigned warp, uint64_t cycle)
    {
        EXPECT_GE(cycle, self(m)->last);
        EXPECT_FALSE(self(m)->active[warp]);
        self(m)->active[warp] = true;
        self(m)->promotions++;
    }
};

const smrf_schedule_seam reluctant_schedule = {reluctant::demote, reluctant::promote, nullptr};

smrf_config two_level(uint32_t active)
{
    smrf_config cfg = one_subcore();
    cfg.issue.scheduler = SMRF_SCHED_TWO_LEVEL;
    cfg.issue.active_warps = active;
    cfg.sm.warps = 4;
    return cfg;
}

block loads_and_uses()
{
    program p;
    for (uint8_t i = 0; i < 6; i++) {
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {4}, {2}, 0x8000 + 512 * i));
        p.push_back(alu(SMRF_CLASS_INT, {2}, {4}));
    }
    p.push_back(exit_step());
    return block(4, p);
}

uint64_t last_issue(uint64_t delay, reluctant &state)
{
    smrf_mechanism m{};
    m.schedule = &reluctant_schedule;
    state.delay = delay;
    dut d(two_level(2), {loads_and_uses()}, 64, 0, &m, &state);
    d.run();
    EXPECT_EQ(d.issues.size(), 4u * 13);
    return d.issues.back().cycle;
}

TEST(Seams, ADemotionIsToldAndMayBeDelayed)
{
    reluctant prompt(0), slow(0);
    dut base(two_level(2), {loads_and_uses()});
    base.run();
    uint64_t at_once = last_issue(0, prompt), delayed = last_issue(30, slow);
    EXPECT_EQ(base.issues.back().cycle, at_once) << "telling changes nothing";
    EXPECT_GT(delayed, at_once);
    for (const reluctant *r : {&prompt, &slow}) {
        EXPECT_GT(r->demotions, 4u);
        EXPECT_LE(r->demotions, r->promotions);
        EXPECT_LE(r->promotions, r->demotions + 2) << "two are active at most";
    }
}

TEST(Seams, AMechanismThatNeverLetsAWarpGoStopsTheOthers)
{
    smrf_mechanism m{};
    m.schedule = &reluctant_schedule;
    reluctant state(SMRF_NEVER / 2);
    dut d(two_level(1), {loads_and_uses()}, 64, 0, &m, &state);
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    for (uint64_t until = 100; until <= 8000; until += 100) {
        d.advance(until);
    }
    EXPECT_EQ(13u, d.stats().warp_insts) << "one warp, which has ended";
    EXPECT_LT(smrf_sm_last_progress(d.sm()), 4000u) << "what the watchdog goes by";
    smrf_wait_info info;
    smrf_sm_explain(d.sm(), 1, &info);
    EXPECT_EQ(SMRF_WAIT_POLICY, info.wait);
}

} // namespace
