// SPDX-License-Identifier: Apache-2.0
// What programs of calls are made of, for an SM of sm_dut.h.
#ifndef SMRF_TESTS_CARS_PROGRAMS_H
#define SMRF_TESTS_CARS_PROGRAMS_H

#include "../support/sm_dut.h"

#include "models/cars/cars.h"

namespace cars_programs
{

using namespace sm_test;

constexpr uint32_t CALL = 0xca0, RETURN = 0x2e0, FUNCTION = 0x1000;

// A program of a kernel and one function that saves R16 and R17.
struct known_program {
    known_program()
    {
        function[0].name = "k";
        function[1].name = "f";
        function[1].pc = FUNCTION;
        for (auto &saved : function[1].saved) {
            saved.w[0] = UINT64_C(3) << 16;
        }
        function[1].frame[0] = function[1].frame[1] = 2;
        for (auto &f : function) {
            for (auto &deepest : f.deepest) {
                deepest[0] = deepest[1] = 40; // as if there were more below
            }
        }
        call = {CALL, 0, 1, &callee, false};
        program.num_functions = 2;
        program.num_calls = 1;
        program.function = function;
        program.call = &call;
        program.unknown_call = SMRF_PROGRAM_NONE;
    }
    uint32_t callee = 1;
    smrf_program_function function[2] = {};
    smrf_program_call call{};
    smrf_program program{};
};

// What the SIMT stack would tell of their lines: all lanes of a line call, or return.
inline void follow_calls(const smrf_simt_line *line, smrf_simt_out *out)
{
    out->lanes = out->call_lanes = line->mask;
    if (line->pc == CALL) {
        out->events = SMRF_SIMT_CALL;
        out->target = FUNCTION;
    } else if (line->pc == RETURN) {
        out->events = SMRF_SIMT_RETURN;
    }
}

inline step jump(uint32_t pc, smrf_flow flow)
{
    step s{op(SMRF_CLASS_BRANCH)};
    s.op.pc = pc;
    s.op.flow = uint8_t(flow);
    return s;
}

inline step spill(smrf_class c, uint8_t reg, uint64_t address)
{
    step s = c == SMRF_CLASS_STORE ? memory(c, SMRF_SPACE_LOCAL, {}, {1, reg}, address)
                                   : memory(c, SMRF_SPACE_LOCAL, {reg}, {1}, address);
    s.op.src_slot[1] = 1;
    s.op.flags |= SMRF_INST_SPILL;
    return s;
}

} // namespace cars_programs

#endif
