// SPDX-License-Identifier: Apache-2.0
// Programs that register stacks cannot follow: each is refused with a text that says what to do.
#include "models/cars/cars.h"
#include "models/common/smrf_zeroed.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

class cars_refusal : public testing::Test
{
  protected:
    cars_refusal()
    {
        options.rfp_slot = 1;
        setup.sm.subcores = 1;
        setup.sm.registers = 512 * 32;
        setup.sm.register_unit = 8;
        setup.rf.banks = 2;
        setup.options = &options;
        function[1].pc = 0x100;
        function[1].saved[0].w[0] = UINT64_C(1) << 20;
        function[1].frame[0] = 1;
        program.num_functions = 2;
        program.num_calls = 1;
        program.function = function;
        program.unknown_call = SMRF_PROGRAM_NONE;
        kernel.registers = 32;
        kernel.program = &program;
        services.ctx = this;
        services.fail = [](void *ctx, unsigned, const char *why) {
            static_cast<cars_refusal *>(ctx)->text = why;
        };
        m = static_cast<smrf_cars *>(smrf_zeroed(sizeof(smrf_cars)));
        m->setup = setup;
        m->options = &options;
        m->services = &services;
        m->program = &program;
        m->subs = 1;
        m->warp[0].state = SMRF_CARS_RUNS;
        m->warp[0].kernel = 32;
        smrf_cars_stack_reset(&m->warp[0].stack, 200, 1, false);
        inst.op = &op;
        inst.mask = UINT32_MAX;
    }
    ~cars_refusal() override
    {
        smrf_zeroed_free(m);
    }
    void line(smrf_flow flow, uint16_t events, uint32_t target = 0)
    {
        smrf_simt_out out{};
        op.flow = uint8_t(flow);
        out.events = events;
        out.target = target;
        out.call_lanes = UINT32_MAX;
        out.frames = out.frame = m->warp[0].stack.depth;
        smrf_cars_line(m, 0, &inst, &out);
        m->warp[0].num_tasks = 0; // as if all had issued
    }
    bool says(const char *part) const
    {
        return text.find(part) != std::string::npos;
    }
    smrf_cars_params options{};
    smrf_mechanism_setup setup{};
    smrf_program_function function[2] = {};
    smrf_program program{};
    smrf_sm_kernel kernel{};
    smrf_services services{};
    smrf_static_inst op{};
    smrf_inst inst{};
    smrf_cars *m = nullptr;
    std::string text;
};

TEST_F(cars_refusal, AReturnWithoutACall)
{
    line(SMRF_FLOW_RET, SMRF_SIMT_RETURN);
    EXPECT_TRUE(says("no call") && says("trace again")) << text;
}

TEST_F(cars_refusal, ACallToAFunctionThatTheSidecarDoesNotHave)
{
    line(SMRF_FLOW_CALL, SMRF_SIMT_CALL, 0x4440);
    EXPECT_TRUE(says("sidecar") && says("trace again")) << text;
}

TEST_F(cars_refusal, ARecursionWithoutBound)
{
    for (unsigned n = 0; n < SMRF_CARS_FRAMES; n++) {
        line(SMRF_FLOW_CALL, SMRF_SIMT_CALL, 0x100);
    }
    EXPECT_EQ("", text);
    line(SMRF_FLOW_CALL, SMRF_SIMT_CALL, 0x100);
    EXPECT_TRUE(says("recursion")) << text;
}

TEST_F(cars_refusal, ProgramsThatDoNotFit)
{
    const auto why = [&] {
        const char *given = smrf_cars_program_check(&setup, &kernel);
        return std::string(given ? given : "");
    };
    EXPECT_EQ("", why());
    function[1].frame[0] = 490;
    EXPECT_NE(std::string::npos, why().find("raise sm.registers")) << why();
    function[1].frame[0] = 1;
    function[1].saved[0].w[1] = 1;
    EXPECT_NE(std::string::npos, why().find("another trace")) << why();
    function[1].saved[0].w[1] = 0;
    program.unknown_call = 0x40;
    EXPECT_NE(std::string::npos, why().find(".indirect")) << why();
    kernel.program = nullptr;
    EXPECT_NE(std::string::npos, why().find("smrf trace")) << why();
}

} // namespace
