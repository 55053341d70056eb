// SPDX-License-Identifier: Apache-2.0
// Whole machines with register stacks: real code with calls at every size of the register file, the
// mechanism broken on purpose, and warps that wait for each other at barriers.
#include "../support/mechanism_run.h"
#include "cars_programs.h"

namespace
{

using counters = smrf_cars_stats;

const smrf_mechanism &cars(const char *name = "cars-low")
{
    return *smrf_mechanism_find(name);
}

std::string bundled(const char *name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

std::string ray()
{
    return bundled("ray");
}

replay::mechanism_outcome<counters> run(const smrf_mechanism &m,
                                        std::initializer_list<const char *> pairs,
                                        const std::string &trace = ray(), bool laws = true)
{
    replay::options opt;
    opt.laws = laws;
    return replay::run_mechanism<counters>(
        m, trace, replay::mechanism_config(m, "rtx2060-paper", pairs), opt);
}

TEST(Cars, RealCodeReadsTheRightValuesUnderEveryPolicyAndAtEverySize)
{
    for (const char *name : {"cars", "cars-low", "cars-nxlow", "cars-high"}) {
        for (const char *size :
             {"sm.registers=11264", "sm.registers=13312", "sm.registers=65536"}) {
            const auto o = run(cars(name), {size, "gpu.sms=2"});
            SCOPED_TRACE(std::string(name) + " " + size);
            EXPECT_EQ(0, o.run.err) << o.run.error;
            EXPECT_EQ(0u, o.run.stats.oracle_violations);
            EXPECT_EQ(0u, o.run.stats.oracle_unrestored);
            EXPECT_GT(o.run.stats.oracle_checked, 10000u);
            EXPECT_EQ("", o.broken);
            EXPECT_EQ(257u, o.own.calls);
            EXPECT_EQ(1542u, o.own.spills_removed);
        }
    }
}

TEST(Cars, RealCodeReadsTheRightValuesWithEveryOption)
{
    for (const char *option :
         {"cars.push=list", "cars.rfp_slot=0", "cars.trap_overhead=0", "scoreboard.war=off",
          "rf.swizzle=off", "issue.latches=on", "rf.base_registers_only=on"}) {
        const auto o = run(cars(), {"sm.registers=11264", "gpu.sms=2", option});
        SCOPED_TRACE(option);
        EXPECT_EQ(0u, o.run.stats.oracle_violations);
        EXPECT_EQ("", o.broken);
        EXPECT_GT(o.own.traps, 0u);
        EXPECT_GT(o.own.bytes_spilled, 0u);
    }
}

// A stack as deep as the graph has no spills; one frame deep has some.
TEST(Cars, HighLeavesNoSaveOrRestoreToTheL1)
{
    const auto high = run(cars("cars-high"), {"gpu.sms=2"});
    EXPECT_EQ(0u, high.run.ldst.l1d_spill_accesses);
    EXPECT_EQ(0u, high.own.traps);
    const auto low = run(cars(), {"gpu.sms=2", "sm.registers=11264"});
    EXPECT_GT(low.run.ldst.l1d_spill_accesses, 0u);
    EXPECT_EQ(high.run.ldst.l1d_global_load_accesses, low.run.ldst.l1d_global_load_accesses);
    const auto baseline = run(*smrf_mechanism_find("baseline"), {"gpu.sms=2"});
    EXPECT_EQ(high.run.ldst.l1d_global_load_accesses, baseline.run.ldst.l1d_global_load_accesses);
}

TEST(Cars, AProgramWithoutCallsTakesTheSameCyclesWithoutTheAddedLatencies)
{
    const std::string hotspot = bundled("hotspot");
    const auto stacks = run(
        cars("cars"), {"gpu.sms=2", "cars.issue_latency=0", "cars.collector_latency=0"}, hotspot);
    const auto without = run(*smrf_mechanism_find("baseline"), {"gpu.sms=2"}, hotspot);
    // Stall causes, too: everything but the intervals' bounds.
    EXPECT_EQ(without.run.cycles, stacks.run.cycles);
    EXPECT_EQ("", replay::difference(without.run, stacks.run));
    const auto later = run(cars("cars"), {"gpu.sms=2"}, hotspot);
    EXPECT_GT(later.run.cycles, without.run.cycles);
}

TEST(Cars, ThePapersRenamingIsCountedAndDoesNotFail)
{
    const auto o =
        run(cars(), {"gpu.sms=2", "sm.registers=11264", "cars.saved=prefix"}, ray(), false);
    EXPECT_GT(o.run.stats.oracle_violations, 0u);
    EXPECT_EQ("", o.broken);
    const smrf_config cfg =
        replay::mechanism_config(cars(), "rtx2060-paper", {"cars.saved=prefix"});
    EXPECT_TRUE(smrf_mechanism_unsound(&cfg, &cars()));
}

// --- the mechanism broken on purpose -------------------------------------------------------------

enum fault {
    NO_FAULT,
    POP_ONE_LESS,
    RFP_NOT_RESTORED,
    RELEASED_AT_FIRST_RETURN,
    FREED_AT_FIRST_RETURN,
    FILL_TO_WRONG_SLOT,
    LINK_FROM_BASE,
    STALE_FREE_COUNT,
    CORRUPT_FRAME
} fault = NO_FAULT;
unsigned done = 0; // times it was done

uint32_t broken_line(void *state, unsigned warp, const smrf_inst *inst, const smrf_simt_out *out)
{
    auto *m = static_cast<smrf_cars *>(state);
    smrf_cars_warp &w = m->warp[warp];
    const bool returns = out->events & SMRF_SIMT_RETURN;
    if (fault == RFP_NOT_RESTORED && returns && done == 0) {
        done++;
        return 0;
    }
    if (fault == RELEASED_AT_FIRST_RETURN && returns) {
        const int f = smrf_cars_frame_of(&w.stack, inst->mask);
        if (f == w.stack.depth - 1 && w.stack.frame[f].lanes != inst->mask) {
            w.stack.frame[f].lanes = inst->mask;
            done++;
        }
    }
    if (fault == STALE_FREE_COUNT && out->events & SMRF_SIMT_CALL && m->program) {
        w.stack.size += 3;
        const uint32_t cycles = smrf_cars_line(m, warp, inst, out);
        w.stack.size -= 3;
        done++;
        return cycles;
    }
    const uint64_t pops = m->stats.pops;
    const int left = returns ? smrf_cars_frame_of(&w.stack, inst->mask) : SMRF_CARS_KERNEL;
    const uint32_t cycles = smrf_cars_line(m, warp, inst, out);
    if (fault == FREED_AT_FIRST_RETURN && left >= 0 && left < w.stack.depth) {
        w.stack.frame[left].size = 0; // lanes are in it still
        done++;
    }
    if (fault == POP_ONE_LESS && m->stats.pops > pops) {
        m->stats.pops--;
        done++;
    }
    if (fault == CORRUPT_FRAME && returns) {
        for (auto &value : m->frames[warp]) {
            value.lane[inst->mask ? __builtin_ctz(inst->mask) : 0]++;
        }
        done++;
    }
    return cycles;
}

smrf_register_place broken_source(void *state, const smrf_flight *f, unsigned i)
{
    auto *m = static_cast<smrf_cars *>(state);
    if (fault == LINK_FROM_BASE && f->src_reg[i] == 20) {
        done++;
        return smrf_cars_place_(m, f->warp, 20, m->warp[f->warp].base + 20u);
    }
    return smrf_cars_source(m, f, i);
}

bool broken_next(void *state, unsigned warp, const smrf_inst *before, smrf_micro *micro)
{
    auto *m = static_cast<smrf_cars *>(state);
    const bool any = smrf_cars_next(m, warp, before, micro);
    if (any && fault == FILL_TO_WRONG_SLOT && std::string(micro->inst.op->text) == "MOV (stack)" &&
        micro->dst_phys[0] >= m->warp[warp].base + m->warp[warp].kernel) {
        micro->dst_phys[0]++;
        done++;
    }
    return any;
}

// The law that tells of a fault; NULL: the value oracle.
const char *const found_by[] = {nullptr, "pushes", "SIMT stack",   "SIMT stack", nullptr,
                                nullptr, nullptr,  "stack bounds", nullptr};

TEST(Cars, EveryFaultIsFound)
{
    const smrf_control_seam control = {broken_line};
    smrf_mechanism m = cars();
    smrf_rename_seam rename = *m.rename;
    smrf_micro_seam micro = *m.micro;
    rename.source = broken_source;
    micro.next = broken_next;
    m.control = &control;
    m.rename = &rename;
    m.micro = &micro;
    for (int n = NO_FAULT; n <= CORRUPT_FRAME; n++) {
        fault = static_cast<enum fault>(n);
        done = 0;
        if (fault == RELEASED_AT_FIRST_RETURN) {
            continue; // lanes return together here; cars_barriers has some that do not
        }
        // The lanes of fib return one after the other.
        const bool apart = fault == FREED_AT_FIRST_RETURN;
        const auto o = run(m, {"gpu.sms=2", apart ? "sm.registers=65536" : "sm.registers=11264"},
                           bundled(apart ? "fib" : "ray"), false);
        const uint64_t found = o.run.stats.oracle_violations + o.run.stats.oracle_unrestored;
        if (n == NO_FAULT) {
            EXPECT_EQ(0u, found);
            EXPECT_EQ("", o.broken);
            continue;
        }
        EXPECT_GT(done, 0u) << "fault " << n;
        if (found_by[n]) {
            EXPECT_NE(std::string::npos, o.broken.find(found_by[n]))
                << "fault " << n << ": " << o.broken;
        } else { // by its values alone: no law is needed
            EXPECT_GT(found, 0u) << "fault " << n;
        }
    }
    fault = NO_FAULT;
}

// --- barriers ------------------------------------------------------------------------------------

using namespace sm_test;
using namespace cars_programs;

// Calls around barriers, with registers that live across them.
program around_barriers(unsigned barriers)
{
    program p;
    for (uint8_t r = 2; r < 38; r++) {
        p.push_back(alu(SMRF_CLASS_INT, {r}, {}));
    }
    for (unsigned n = 0; n < barriers; n++) {
        p.push_back(jump(CALL, SMRF_FLOW_CALL));
        for (uint8_t r : {uint8_t(16), uint8_t(17)}) {
            p.push_back(spill(SMRF_CLASS_STORE, r, 0x100 + 8 * r));
            p.push_back(alu(SMRF_CLASS_INT, {r}, {4}));
        }
        p.push_back({op(SMRF_CLASS_BARRIER)});
        p.push_back(alu(SMRF_CLASS_SP, {5}, {16, 17}));
        for (uint8_t r : {uint8_t(16), uint8_t(17)}) {
            p.push_back(spill(SMRF_CLASS_LOAD, r, 0x100 + 8 * r));
        }
        p.push_back(jump(RETURN, SMRF_FLOW_RET));
        for (uint8_t r = 2; r < 38; r++) {
            p.push_back(alu(SMRF_CLASS_SP, {38}, {r}));
        }
        p.push_back({op(SMRF_CLASS_BARRIER)});
    }
    p.push_back(exit_step());
    return p;
}

constexpr uint32_t LOWER = 0xffff, UPPER = 0xffff0000, EXIT = 0x400;

// Half of the lanes return; the others go on with the function's registers, and exit in it.
program apart()
{
    program p;
    for (uint8_t r = 2; r < 38; r++) {
        p.push_back(alu(SMRF_CLASS_INT, {r}, {}));
    }
    p.push_back(jump(CALL, SMRF_FLOW_CALL));
    for (uint8_t r : {uint8_t(16), uint8_t(17)}) {
        p.push_back(spill(SMRF_CLASS_STORE, r, 0x100 + 8 * r));
        p.push_back(alu(SMRF_CLASS_INT, {r}, {4}));
    }
    const auto by = [&](uint32_t lanes, step s) {
        s.mask = lanes;
        p.push_back(s);
    };
    by(LOWER, spill(SMRF_CLASS_LOAD, 16, 0x180));
    by(LOWER, spill(SMRF_CLASS_LOAD, 17, 0x188));
    by(LOWER, jump(RETURN, SMRF_FLOW_RET));
    by(UPPER, alu(SMRF_CLASS_SP, {5}, {16, 17}));
    step exit = exit_step();
    exit.op.pc = EXIT;
    by(UPPER, exit);
    for (uint8_t r = 2; r < 38; r++) {
        by(LOWER, alu(SMRF_CLASS_SP, {38}, {r}));
    }
    by(LOWER, exit);
    return p;
}

bool forget_one(void *state, unsigned warp, const smrf_inst *before, smrf_micro *micro)
{
    auto *m = static_cast<smrf_cars *>(state);
    bool any = smrf_cars_next(m, warp, before, micro);
    const std::string text = any ? micro->inst.op->text : "";
    if ((text == "STL (switch)" && micro->inst.op->src[0] == 30) ||
        (text == "LDL (switch)" && micro->inst.op->dst[0] == 30)) {
        m->warp[warp].under_way--;
        done++;
        any = smrf_cars_next(m, warp, before, micro);
    }
    return any;
}

class cars_barriers : public testing::Test
{
  protected:
    // Blocks of so many warps each, on an SM of one sub-core that fits so many without stacks: with
    // them, half.
    void run(unsigned blocks, unsigned warps, unsigned fit,
             const smrf_mechanism &m = cars("cars-high"))
    {
        smrf_config cfg = one_subcore();
        cfg.sm.registers = fit * 40 * 32;
        const program p = around_barriers(3);
        state = std::make_unique<smrf_cars>();
        setup = smrf_mechanism_setup_of(&cfg, &m);
        setup.options = &options;
        ASSERT_EQ(0, m.init(state.get(), &setup, 0));
        d = std::make_unique<dut>(cfg, std::vector<block>(blocks, block(warps, p)), 40u, 0u, &m,
                                  state.get());
        d->kernel.program = &known.program;
        d->laws = false;
        d->on_line = follow_calls;
        d->run();
    }
    void run_apart(const smrf_mechanism &m)
    {
        smrf_config cfg = one_subcore();
        setup = smrf_mechanism_setup_of(&cfg, &m);
        setup.options = &options;
        state = std::make_unique<smrf_cars>();
        ASSERT_EQ(0, m.init(state.get(), &setup, 0));
        d = std::make_unique<dut>(cfg, std::vector<block>(1, block(1, apart())), 40u, 0u, &m,
                                  state.get());
        d->kernel.program = &known.program;
        d->laws = false;
        uint32_t inside = 0;
        d->on_line = [&inside](const smrf_simt_line *line, smrf_simt_out *out) {
            follow_calls(line, out);
            if (line->pc == CALL) {
                inside = line->mask;
            } else if (line->pc == RETURN || line->pc == EXIT) {
                out->events = line->pc == EXIT ? SMRF_SIMT_EXIT : SMRF_SIMT_RETURN;
                inside &= ~line->mask;
            }
            out->frames = out->frame = inside != 0;
        };
        d->run();
    }
    known_program known;
    smrf_cars_params options = {1, 1, 0, 0, 1, 20, SMRF_CARS_POLICY_HIGH, 2, 0, 1, 0, 500};
    smrf_mechanism_setup setup{};
    std::unique_ptr<smrf_cars> state;
    std::unique_ptr<dut> d;
};

TEST_F(cars_barriers, WarpsOfABlockThatDoNotFitTogetherAreSwitched)
{
    run(1, 6, 6);
    EXPECT_GT(state->stats.switches, 0u);
    EXPECT_EQ(state->stats.switches, state->stats.switched_in);
    EXPECT_EQ(0u, d->stats().oracle_violations);
    EXPECT_GT(d->stats().oracle_checked, 500u);
    EXPECT_EQ(state->stats.bytes_spilled, state->stats.bytes_filled + state->stats.bytes_dropped);
    EXPECT_EQ(0u, state->stats.faults_stalled + state->stats.faults_rows);
    EXPECT_EQ(state->stats.rows_taken, state->stats.rows_given);
}

// Two blocks, each with warps that run and warps that have no registers.
TEST_F(cars_barriers, BlocksThatWaitForEachOthersRegistersEnd)
{
    for (unsigned fit = 3; fit <= 9; fit++) {
        run(3, 3, fit);
        EXPECT_EQ(0u, d->stats().oracle_violations) << fit;
        EXPECT_EQ(state->stats.switches, state->stats.switched_in);
        EXPECT_EQ(3u, d->done);
    }
}

TEST_F(cars_barriers, ASwitchThatForgetsARegisterIsFound)
{
    smrf_mechanism m = cars("cars-high");
    smrf_micro_seam micro = *m.micro;
    micro.next = forget_one;
    m.micro = &micro;
    done = 0;
    run(1, 6, 6, m);
    EXPECT_GT(done, 0u);
    EXPECT_GT(d->stats().oracle_violations, 0u);
    EXPECT_EQ(state->stats.bytes_spilled, state->stats.bytes_filled); // which tells nothing
}

TEST_F(cars_barriers, AFrameIsReleasedByItsLastLaneAndNoSooner)
{
    run_apart(cars());
    EXPECT_EQ(0u, d->stats().oracle_violations);
    EXPECT_EQ(0u, state->stats.faults_frames);
    EXPECT_EQ(1u, state->stats.released);
    const smrf_control_seam control = {broken_line};
    smrf_mechanism m = cars();
    m.control = &control;
    fault = RELEASED_AT_FIRST_RETURN;
    done = 0;
    run_apart(m);
    fault = NO_FAULT;
    EXPECT_EQ(1u, done);
    EXPECT_GT(state->stats.faults_frames, 0u);   // the law of the SIMT stack
    EXPECT_GT(d->stats().oracle_violations, 0u); // and what the lanes that stayed then read
}

} // namespace
