// SPDX-License-Identifier: Apache-2.0
// Warps that wait at barriers inside of calls make room for others: every switch beside a slow
// reference, on random programs. After all that happens to a warp, both have the same warps with
// registers.
#include "cars_programs.h"
#include "cars_switch_reference.h"

#include "models/common/smrf_rng.h"

namespace
{

using namespace cars_programs;

constexpr unsigned KERNEL = 40, HIGH = 80; // registers: of the kernel, and with its deepest path

enum fault {
    NO_FAULT,
    OUT_OFF_A_BARRIER, // a warp that runs is switched out
    FRAMES_OF_ANOTHER, // a warp gets a register of another's
    ONE_MORE_COUNTED,
    OLDER_IS_LATER, // the warp that came first counts as the last
    LETS_GO_EARLY,  // with stores that have not been made
};

struct watched {
    const smrf_mechanism *healthy = nullptr;
    smrf_cars *state = nullptr;
    cars_switch::reference *slow = nullptr;
    enum fault fault = NO_FAULT;
    unsigned done = 0;     // times it was done
    std::string different; // where the two first differed

    unsigned position(const smrf_flight *f, smrf_register_place at) const
    {
        const unsigned banks = state->setup.rf.banks;
        const unsigned turn = state->setup.rf.swizzle ? f->warp % banks : 0;
        return at.row * banks + (at.bank + banks - turn) % banks - state->warp[f->warp].base;
    }
    // The places of all warps, and the counts.
    void compare(const char *after, unsigned of)
    {
        if (!different.empty()) {
            return;
        }
        std::ostringstream text;
        for (unsigned w = 0; w < state->setup.sm.warps; w++) {
            static const cars_switch::place same[] = {cars_switch::AWAY, cars_switch::NEW,
                                                      cars_switch::IN, cars_switch::LEAVING,
                                                      cars_switch::OUT};
            if (slow->at(w).at != same[state->warp[w].state]) {
                text << "warp " << w << " is at " << unsigned(state->warp[w].state)
                     << ", reference " << slow->at(w).at << "; ";
            }
        }
        if (state->stats.switches != slow->switches || state->stats.switched_in != slow->back) {
            text << state->stats.switches << " switches and " << state->stats.switched_in
                 << " back, reference " << slow->switches << " and " << slow->back << "; ";
        }
        if (!slow->wrong.empty()) {
            text << slow->wrong << "; ";
        }
        if (!text.str().empty()) {
            text << "after " << after << " of warp " << of;
            different = text.str();
        }
    }
} now;

void placed(void *m, const smrf_block_record *block)
{
    now.slow->placed();
    now.healthy->block->placed(m, block);
}

void start(void *m, unsigned warp, uint16_t base, uint32_t registers)
{
    now.slow->start(warp);
    now.healthy->warp->start(m, warp, base, registers);
    if (now.fault == OLDER_IS_LATER && now.done == 0 &&
        now.state->warp[warp].state == SMRF_CARS_STALLED) {
        now.state->warp[warp].age += 1000;
        now.done++;
    }
    now.compare("the start", warp);
}

// A warp that runs is taken for one that waits, while the mechanism looks for one.
void barrier(void *m, unsigned warp, bool waits)
{
    now.slow->barrier(warp, waits);
    smrf_cars_warp *runs = nullptr;
    for (unsigned w = 0; w < now.state->setup.sm.warps && now.fault == OUT_OFF_A_BARRIER; w++) {
        smrf_cars_warp &other = now.state->warp[w];
        if (now.done == 0 && w != warp && other.state == SMRF_CARS_RUNS &&
            !other.waits_at_barrier &&
            now.slow->at(w).lines == 0) { // far from its exit, which it must not reach
            runs = &other;
        }
    }
    if (runs) {
        runs->waits_at_barrier = true;
    }
    now.healthy->warp->barrier(m, warp, waits);
    if (runs) {
        runs->waits_at_barrier = false;
        now.done += runs->state == SMRF_CARS_LEAVES;
    }
    if (now.fault == ONE_MORE_COUNTED && now.done == 0 && now.state->stats.switches == 3) {
        now.state->stats.switches++;
        now.done++;
    }
    now.compare(waits ? "the barrier" : "the end of the barrier", warp);
}

void leaves(void *m, unsigned warp)
{
    now.slow->exit(warp);
    now.healthy->warp->exit(m, warp);
    now.compare("the exit", warp);
}

uint32_t line(void *m, unsigned warp, const smrf_inst *inst, const smrf_simt_out *out)
{
    now.slow->line(warp, out->events & SMRF_SIMT_CALL, out->events & SMRF_SIMT_RETURN);
    const uint32_t cycles = now.healthy->control->line(m, warp, inst, out);
    now.compare("an instruction", warp);
    return cycles;
}

bool next(void *m, unsigned warp, const smrf_inst *before, smrf_micro *micro)
{
    bool any = now.healthy->micro->next(m, warp, before, micro);
    if (any && now.fault == LETS_GO_EARLY && now.done < 8 &&
        std::string(micro->inst.op->text) == "STL (switch)" && micro->inst.op->src[0] >= 30) {
        now.state->warp[warp].under_way--;
        now.done++;
        any = next(m, warp, before, micro);
    }
    return any;
}

void read(void *m, const smrf_flight *f, unsigned i, const uint32_t *data, uint32_t version)
{
    if (std::string(f->op->text) == "STL (switch)") {
        now.slow->stored(f->warp, now.position(f, f->src[i]), version);
    }
    now.healthy->micro->read(m, f, i, data, version);
}

void write(void *m, const smrf_flight *f, unsigned i, uint32_t *data, uint32_t *version)
{
    now.healthy->micro->write(m, f, i, data, version);
    if (std::string(f->op->text) != "LDL (switch)") {
        return;
    }
    const unsigned at = now.position(f, f->dst[i]);
    if (now.fault == FRAMES_OF_ANOTHER && at >= KERNEL && now.done == 0) {
        *version = now.state->warps[f->warp ? f->warp - 1 : 1][at].version;
        now.done++;
    }
    now.slow->loaded(f->warp, at, *version);
}

// Has a warp let go since?
template <class call> void may_let_go(unsigned sub, call &&f)
{
    std::vector<unsigned> leaving;
    for (unsigned w = sub; w < now.state->setup.sm.warps; w += now.state->subs) {
        if (now.state->warp[w].state == SMRF_CARS_LEAVES) {
            leaving.push_back(w);
        }
    }
    f();
    for (unsigned w : leaving) {
        if (now.state->warp[w].state != SMRF_CARS_LEAVES) {
            now.slow->gone(w);
            now.compare("the last store", w);
        }
    }
}

void done(void *m, const smrf_flight *f)
{
    may_let_go(f->warp % now.state->subs, [&] { now.healthy->micro->done(m, f); });
}

void last_read(void *m, unsigned sub, smrf_register_place at)
{
    may_let_go(sub, [&] { now.healthy->rename->last_read(m, sub, at); });
}

// --- random programs
// ------------------------------------------------------------------------------------

void work(smrf_rng *rng, program *p)
{
    for (unsigned n = smrf_rng_below(rng, 6); n; n--) {
        const unsigned r = smrf_rng_below(rng, 14);
        p->push_back(alu(smrf_rng_below(rng, 2) ? SMRF_CLASS_SP : SMRF_CLASS_INT, {uint8_t(22 + r)},
                         {uint8_t(22 + (r + 5) % 14), uint8_t(2 + r)}));
    }
}

// A call: what it saves lives, and so does what its callers saved; `barriers` of them inside.
void call(smrf_rng *rng, program *p, unsigned depth, unsigned barriers)
{
    p->push_back(jump(CALL, SMRF_FLOW_CALL));
    for (uint8_t r : {uint8_t(16), uint8_t(17)}) {
        p->push_back(spill(SMRF_CLASS_STORE, r, 0x100 + 0x40 * depth + 8 * r));
        p->push_back(alu(SMRF_CLASS_INT, {r}, {4}));
    }
    for (unsigned n = 0; n < barriers; n++) {
        work(rng, p);
        p->push_back({op(SMRF_CLASS_BARRIER)});
        p->push_back(alu(SMRF_CLASS_SP, {5}, {16, 17}));
    }
    if (depth < 5 && smrf_rng_below(rng, 2)) {
        call(rng, p, depth + 1, barriers);
    }
    work(rng, p);
    p->push_back(alu(SMRF_CLASS_SP, {5}, {16, 17}));
    for (uint8_t r : {uint8_t(16), uint8_t(17)}) {
        p->push_back(spill(SMRF_CLASS_LOAD, r, 0x100 + 0x40 * depth + 8 * r));
    }
    p->push_back(jump(RETURN, SMRF_FLOW_RET));
}

// Warps of a block take their own ways through calls, so that they reach barriers out of step, some
// never.
program random_program(smrf_rng *rng)
{
    program p;
    for (uint8_t r = 2; r < 38; r++) {
        p.push_back(alu(SMRF_CLASS_INT, {r}, {}));
    }
    for (unsigned n = smrf_rng_below(rng, 4); n; n--) {
        work(rng, &p);
        call(rng, &p, 0, smrf_rng_below(rng, 3));
        for (uint8_t r = 16; r < 38; r++) {
            p.push_back(alu(SMRF_CLASS_SP, {38}, {r}));
        }
        if (smrf_rng_below(rng, 2)) {
            p.push_back({op(SMRF_CLASS_BARRIER)});
        }
    }
    p.push_back(exit_step());
    return p;
}

struct outcome {
    uint64_t switches = 0, violations = 0, laws = 0;
};

outcome run(uint32_t seed, enum fault fault)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 5);
    smrf_config cfg = one_subcore();
    cfg.sm.subcores = 1u << smrf_rng_below(&rng, 2);
    const unsigned fit = 2 + smrf_rng_below(&rng, 7), warps = 1 + smrf_rng_below(&rng, 6);
    cfg.sm.registers = cfg.sm.subcores * std::max(fit, warps) * KERNEL * SMRF_LANES;
    std::vector<block> blocks(1 + smrf_rng_below(&rng, 4), block(warps));
    for (block &b : blocks) {
        for (program &p : b) {
            p = random_program(&rng);
        }
    }

    const smrf_mechanism &healthy = *smrf_mechanism_find("cars-high");
    smrf_mechanism m = healthy;
    const smrf_control_seam control = {line};
    const smrf_warp_seam warp = {start, leaves, barrier};
    smrf_block_seam block = *m.block;
    smrf_micro_seam micro = *m.micro;
    smrf_rename_seam rename = *m.rename;
    block.placed = placed;
    micro.next = next;
    micro.read = read;
    micro.write = write;
    micro.done = done;
    rename.last_read = last_read;
    m.control = &control;
    m.warp = &warp;
    m.block = &block;
    m.micro = &micro;
    m.rename = &rename;

    const auto state = std::make_unique<smrf_cars>();
    const smrf_cars_params options = {1, 1, 0, 0, 1, 20, SMRF_CARS_POLICY_HIGH, 2, 0, 1, 0, 500};
    smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &m);
    setup.options = &options;
    EXPECT_EQ(0, m.init(state.get(), &setup, 0));
    cars_switch::reference slow(cfg.sm.warps, cfg.sm.subcores, std::max(fit, warps) * KERNEL / HIGH,
                                KERNEL);
    now = watched{};
    now.healthy = &healthy;
    now.state = state.get();
    now.slow = &slow;
    now.fault = fault;
    known_program known;
    dut d(cfg, blocks, KERNEL, 0u, &m, state.get());
    d.kernel.program = &known.program;
    d.laws = false;
    d.on_line = follow_calls;
    d.run();
    EXPECT_EQ(blocks.size(), d.done);
    return {state->stats.switches, d.stats().oracle_violations,
            state->stats.faults_stalled + state->stats.faults_rows};
}

TEST(CarsSwitching, EverySwitchIsTheReferences)
{
    uint64_t switches = 0;
    for (uint32_t seed = 0; seed < 150; seed++) {
        const outcome o = run(seed, NO_FAULT);
        ASSERT_EQ("", now.different) << "seed " << seed;
        ASSERT_EQ(0u, o.violations + o.laws) << "seed " << seed;
        switches += o.switches;
    }
    EXPECT_GT(switches, 500u);
}

TEST(CarsSwitching, EveryFaultDiffersFromTheReference)
{
    for (enum fault fault :
         {OUT_OFF_A_BARRIER, FRAMES_OF_ANOTHER, ONE_MORE_COUNTED, OLDER_IS_LATER, LETS_GO_EARLY}) {
        unsigned done = 0, found = 0;
        for (uint32_t seed = 0; seed < 60 && done < 5; seed++) {
            run(seed, fault);
            done += now.done != 0;
            found += now.done != 0 && !now.different.empty();
        }
        EXPECT_GT(done, 0u) << "fault " << fault;
        EXPECT_EQ(done, found) << "fault " << fault;
    }
}

} // namespace
