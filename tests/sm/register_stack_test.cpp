// SPDX-License-Identifier: Apache-2.0
// A machine with register stacks: at a call R16 becomes another register, at the return it is the
// old one again, and the callee's save and restore of it are not issued. The value oracle knows
// from the trace alone what R16 must be, and finds every way to get it wrong.
#include "../support/sm_dut.h"

namespace
{

using namespace sm_test;

constexpr uint32_t CALL = 0xca0, RETURN = 0x2e0;
constexpr uint8_t SAVED = 16;

struct stack {
    struct of_warp {
        uint16_t base;
        unsigned depth;
    } warp[SMRF_MAX_WARPS] = {};
    bool stays = false;         // a return does not go back
    bool same_frame = false;    // every call gets the same register
    bool keeps_restore = false; // the restore is issued all the same
    unsigned removed = 0;

    static stack *self(void *m)
    {
        return static_cast<stack *>(m);
    }
    static void start(void *m, unsigned warp, uint16_t base, uint32_t)
    {
        self(m)->warp[warp] = {base, 0};
    }
    static uint32_t line(void *m, unsigned warp, const smrf_inst *, const smrf_simt_out *out)
    {
        of_warp &w = self(m)->warp[warp];
        w.depth += (out->events & SMRF_SIMT_CALL) != 0;
        w.depth -= (out->events & SMRF_SIMT_RETURN) != 0 && !self(m)->stays;
        return 0;
    }
    static smrf_register_place place(void *m, unsigned warp, unsigned reg)
    {
        const of_warp &w = self(m)->warp[warp];
        unsigned frame = self(m)->same_frame ? w.depth != 0 : w.depth;
        unsigned phys = w.base + (reg == SAVED && frame ? 40 + frame : reg);
        return {uint16_t(phys / 2), uint8_t(phys % 2)};
    }
    static smrf_register_place source(void *m, const smrf_flight *f, unsigned i)
    {
        return place(m, f->warp, f->src_reg[i]);
    }
    static smrf_register_place destination(void *m, const smrf_flight *f, unsigned i,
                                           smrf_register_place *)
    {
        return place(m, f->warp, f->dst_reg[i]);
    }
    static bool remove(void *m, unsigned, const smrf_inst *inst)
    {
        bool load = inst->op->op_class == SMRF_CLASS_LOAD;
        bool gone = inst->op->space == SMRF_SPACE_LOCAL && !(load && self(m)->keeps_restore);
        self(m)->removed += gone;
        return gone;
    }
};

const smrf_warp_seam life = {stack::start, nullptr, nullptr};
const smrf_control_seam control = {stack::line};
const smrf_rename_seam renaming = {
    stack::source, stack::destination, nullptr, nullptr, nullptr, nullptr, nullptr};
const smrf_micro_seam micro = {stack::remove, nullptr, nullptr, nullptr, nullptr};

smrf_mechanism mechanism()
{
    smrf_mechanism m{};
    m.warp = &life;
    m.control = &control;
    m.rename = &renaming;
    m.micro = &micro;
    return m;
}

step jump(uint32_t pc)
{
    step s{op(SMRF_CLASS_BRANCH)};
    s.op.pc = pc;
    return s;
}

step local(smrf_class c, uint64_t address)
{
    bool store = c == SMRF_CLASS_STORE;
    step s = store ? memory(c, SMRF_SPACE_LOCAL, {}, {1, SAVED}, address)
                   : memory(c, SMRF_SPACE_LOCAL, {SAVED}, {1}, address);
    s.op.src_slot[1] = 1;
    return s;
}

// A function that calls itself `depth` times, and uses R16 before and after.
void function(program *p, uint64_t window, unsigned depth)
{
    const uint64_t address = window + 0x1000 - 0x80 * depth;
    p->push_back(jump(CALL));
    p->push_back(local(SMRF_CLASS_STORE, address));
    p->push_back(alu(SMRF_CLASS_INT, {SAVED}, {4}));
    p->push_back(alu(SMRF_CLASS_SP, {5}, {SAVED}));
    if (depth > 1) {
        function(p, window, depth - 1);
    }
    p->push_back(alu(SMRF_CLASS_SP, {6}, {SAVED, 5}));
    p->push_back(local(SMRF_CLASS_LOAD, address));
    p->push_back(jump(RETURN));
}

program calls()
{
    const uint64_t window = UINT64_C(0x7f0a0e000000);
    program p;
    for (unsigned depth = 1; depth <= 5; depth++) {
        p.push_back(alu(SMRF_CLASS_INT, {SAVED}, {4}));
        p.push_back(alu(SMRF_CLASS_SP, {7}, {SAVED}));
        function(&p, window, depth);
        p.push_back(alu(SMRF_CLASS_SP, {8}, {SAVED})); // the caller's value
    }
    p.push_back(exit_step());
    return p;
}

class register_stack : public testing::Test
{
  protected:
    // Runs four warps; returns what the oracle found wrong.
    const smrf_sm_stats &run(bool right = false)
    {
        const program p = calls();
        d = std::make_unique<dut>(replay::preset("rtx2060-paper"), std::vector<block>{{p, p, p, p}},
                                  64u, 0u, &m, &state);
        d->laws = right;
        d->on_line = [](const smrf_simt_line *line, smrf_simt_out *out) {
            out->lanes = out->call_lanes = line->mask;
            out->events = line->pc == CALL     ? SMRF_SIMT_CALL
                          : line->pc == RETURN ? SMRF_SIMT_RETURN
                                               : 0;
        };
        d->run();
        return d->stats();
    }
    const smrf_finding &first() const
    {
        return smrf_sm_oracle(d->sm())->model.first[0];
    }
    const smrf_mechanism m = mechanism();
    stack state;
    std::unique_ptr<dut> d;
};

TEST_F(register_stack, KeepsTheCallersValuesThroughCallsWithoutSavesAndRestores)
{
    const smrf_sm_stats &s = run(true);
    EXPECT_GT(s.oracle_checked, 200u);
    EXPECT_EQ(0u, s.oracle_violations);
    EXPECT_EQ(0u, s.oracle_unrestored);
    EXPECT_EQ(4u * 2 * (1 + 2 + 3 + 4 + 5), s.removed_insts);
    EXPECT_EQ(state.removed, s.removed_insts);
    EXPECT_EQ(32 * s.removed_insts, s.removed_threads);
    EXPECT_EQ(4 * calls().size() - s.removed_insts, s.warp_insts);
}

TEST_F(register_stack, ThatDoesNotGoBackAtAReturnIsFound)
{
    state.stays = true;
    EXPECT_GT(run().oracle_violations, 0u);
    EXPECT_EQ(SMRF_FINDING_OPERAND, first().kind);
    EXPECT_EQ(SAVED, first().reg);
    EXPECT_GT(first().found.version, first().expected.version) << "the callee's, not the caller's";
}

TEST_F(register_stack, WhoseFramesOverlapIsFound)
{
    state.same_frame = true;
    EXPECT_GT(run().oracle_violations, 0u);
    EXPECT_EQ(SAVED, first().reg);
}

TEST_F(register_stack, ThatRemovesASaveAndIssuesItsRestoreIsFoundAtTheReturn)
{
    state.keeps_restore = true;
    const smrf_sm_stats &s = run();
    EXPECT_EQ(4u * (1 + 2 + 3 + 4 + 5), s.oracle_unrestored);
    EXPECT_EQ(SMRF_FINDING_FRAME, first().kind);
    EXPECT_EQ(SAVED, first().reg);
    EXPECT_EQ(RETURN, first().pc);
}

} // namespace
