// SPDX-License-Identifier: Apache-2.0
// The trap handler's operations on values: calls that do not fit spill the oldest frames, returns
// fill them, and every register of every open frame must then be where the stack looks for it, with
// what was written there.
#include "models/cars/cars.h"
#include "models/common/smrf_zeroed.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace
{

constexpr unsigned BASE = 8, KERNEL = 24, CIRCLE = 8; // physical registers of the warp

class cars_fill : public testing::Test
{
  protected:
    cars_fill() : rows(BASE + KERNEL + CIRCLE)
    {
        options.rfp_slot = 1;
        setup.sm.subcores = 1;
        setup.sm.warps = 1;
        setup.rf.banks = 2;
        setup.options = &options;
        save(1, {16, 17, 20});
        save(2, {17, 18});
        program.num_functions = 3;
        program.num_calls = 2;
        program.function = function;
        program.unknown_call = SMRF_PROGRAM_NONE;
        services.ctx = this;
        services.readers = [](void *test, unsigned, smrf_register_place at) {
            return static_cast<cars_fill *>(test)->readers(at);
        };
        services.hold = [](void *, unsigned, uint32_t) {};
        services.wake = [](void *, unsigned) {};
        services.fail = [](void *, unsigned, const char *why) { ADD_FAILURE() << why; };
        m = static_cast<smrf_cars *>(smrf_zeroed(sizeof(smrf_cars)));
        m->setup = setup;
        m->options = &options;
        m->services = &services;
        m->program = &program;
        m->subs = 1;
        smrf_cars_ops_init_(m);
        w().state = SMRF_CARS_RUNS;
        w().base = BASE;
        w().kernel = KERNEL;
        std::fill_n(w().holds, SMRF_CARS_REGISTERS, uint8_t(255));
        smrf_cars_stack_reset(&w().stack, CIRCLE, 1, false);
        for (unsigned reg = 0; reg < KERNEL; reg++) {
            write(reg);
        }
    }
    ~cars_fill() override
    {
        smrf_zeroed_free(m);
    }
    void save(unsigned n, std::vector<unsigned> registers)
    {
        function[n].pc = 0x100 * n;
        function[n].frame[0] = uint16_t(registers.size());
        for (unsigned reg : registers) {
            function[n].saved[0].w[0] |= UINT64_C(1) << reg;
        }
    }
    smrf_cars_warp &w()
    {
        return m->warp[0];
    }
    int frame()
    {
        return w().stack.depth - 1;
    }
    unsigned phys(int of, unsigned reg)
    {
        const uint32_t slot = smrf_cars_find(&w().stack, of, reg);
        return slot == SMRF_CARS_BASE ? BASE + reg : smrf_cars_slot_phys_(&w(), slot);
    }
    // An instruction of the newest frame writes a register.
    void write(unsigned reg)
    {
        smrf_static_inst op{};
        smrf_flight f{};
        smrf_register_place carry{};
        f.op = &op;
        f.mask = UINT32_MAX;
        f.dst_reg[0] = uint8_t(reg);
        smrf_cars_destination(m, &f, 0, &carry);
        rows[phys(frame(), reg)] = expected.back()[reg] = ++last;
    }
    void line(smrf_flow flow, uint16_t events, uint32_t target)
    {
        smrf_static_inst op{};
        smrf_inst inst{};
        smrf_simt_out out{};
        op.flow = uint8_t(flow);
        inst.op = &op;
        inst.mask = UINT32_MAX;
        out.events = events;
        out.target = target;
        out.call_lanes = UINT32_MAX;
        out.frames = out.frame = uint16_t(w().stack.depth + (flow == SMRF_FLOW_CALL ? 1 : -1));
        smrf_cars_line(m, 0, &inst, &out);
        operate();
    }
    void call(unsigned n)
    {
        expected.push_back(expected.back()); // the callee sees its caller's values
        called.push_back(n);
        line(SMRF_FLOW_CALL, SMRF_SIMT_CALL, 0x100 * n);
        for (unsigned reg = 0; reg < KERNEL; reg++) {
            if (function[n].saved[0].w[0] >> reg & 1) {
                write(reg);
            }
        }
    }
    void leave()
    {
        const auto inner = expected.back();
        const uint64_t saved = function[called.back()].saved[0].w[0];
        expected.pop_back();
        called.pop_back();
        for (unsigned reg = 0; reg < KERNEL; reg++) { /* others are the callee's to change */
            expected.back()[reg] = saved >> reg & 1 ? expected.back()[reg] : inner.at(reg);
        }
        line(SMRF_FLOW_RET, SMRF_SIMT_RETURN, 0);
    }
    // Instructions that have yet to read a place: with `slow_reads` one, when first asked.
    unsigned readers(smrf_register_place at)
    {
        const auto place = std::make_pair(unsigned(at.row), unsigned(at.bank));
        unread[place] = slow_reads && !unread.count(place);
        waits += unread[place];
        return unread[place];
    }
    // All operations that come before an instruction of the newest frame.
    void operate()
    {
        smrf_static_inst op{};
        smrf_inst before{};
        smrf_micro micro{};
        before.op = &op;
        before.mask = UINT32_MAX;
        for (unsigned tries = 0; tries < 9; tries++) {
            if (!smrf_cars_next(m, 0, &before, &micro)) {
                continue; // what it waits for has been read now
            }
            tries = 0;
            smrf_flight f{};
            uint32_t data[SMRF_LANES] = {}, version = 0;
            f.op = micro.inst.op;
            f.num_dst = f.op->num_dst;
            f.uid = ++last;
            if (f.op->num_src) {
                f.src_reg[0] = f.op->src[0];
                data[0] = rows.at(micro.src_phys[0]);
                smrf_cars_read(m, &f, 0, data, 1);
            }
            if (f.op->num_dst) {
                f.dst_reg[0] = f.op->dst[0];
                const smrf_register_place at =
                    smrf_cars_place_(m, 0, f.dst_reg[0], micro.dst_phys[0]);
                const auto asked = unread.find({at.row, at.bank});
                EXPECT_TRUE(asked != unread.end() && asked->second == 0) << micro.dst_phys[0];
                smrf_cars_write(m, &f, 0, data, &version);
                rows.at(micro.dst_phys[0]) = data[0];
            }
            smrf_cars_done(m, &f);
            unread.clear();
        }
        EXPECT_EQ(0u, w().num_tasks);
    }
    void expect_values()
    {
        for (unsigned reg = 0; reg < KERNEL; reg++) {
            EXPECT_EQ(expected.back()[reg], rows[phys(frame(), reg)])
                << "R" << reg << " in frame " << frame();
        }
    }
    smrf_cars_params options{};
    smrf_mechanism_setup setup{};
    smrf_program_function function[3] = {};
    smrf_program program{};
    smrf_services services{};
    smrf_cars *m = nullptr;
    std::vector<uint32_t> rows;                            // a value of each physical register
    std::vector<std::map<unsigned, uint32_t>> expected{1}; // of each open frame
    std::vector<unsigned> called;
    uint32_t last = 0;
    bool slow_reads = false;
    unsigned waits = 0;
    std::map<std::pair<unsigned, unsigned>, unsigned> unread; // answers since the last operation
};

TEST_F(cars_fill, BringsEveryRegisterBackToItsSlot)
{
    for (unsigned n : {1, 2, 1, 1, 2, 1}) {
        call(n);
        expect_values();
    }
    EXPECT_GT(m->stats.frames_spilled, 2u);
    while (frame() >= 0) {
        leave();
        expect_values();
    }
    EXPECT_GT(m->stats.frames_filled, 2u);
    EXPECT_EQ(m->stats.frames_spilled, m->stats.frames_filled);
}

// An instruction reads later than it issues: its places are written no sooner.
TEST_F(cars_fill, WritesNoPlaceThatHasYetToBeRead)
{
    slow_reads = true;
    for (unsigned n : {1, 2, 1, 1, 2, 1}) {
        call(n);
        expect_values();
    }
    const unsigned waits_of_calls = waits;
    EXPECT_GT(waits_of_calls, 0u);
    while (frame() >= 0) {
        leave();
        expect_values();
    }
    EXPECT_GT(waits, waits_of_calls);
    EXPECT_GT(m->stats.frames_filled, 2u);
}

} // namespace
