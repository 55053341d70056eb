// SPDX-License-Identifier: Apache-2.0
// The programs of the group tensor: results are what plain C computes, bit for bit, and most
// instructions are the tensor cores'.
#include "tests/support/suite_group.h"

#include <cstring>

namespace
{

class Tensor : public testing::TestWithParam<const char *>
{
};

TEST_P(Tensor, AgreesWithTheReferenceAndLeavesMostToTheTensorCores)
{
    struct counts {
        uint64_t all = 0, tensor = 0, fours = 0, others = 0;
    } seen;
    smrf_device_listener listener{};
    listener.ctx = listener.exec.ctx = &seen;
    listener.exec.before = [](void *ctx, const smrf_exec_warp *, const smrf_exec_op *op, uint32_t,
                              uint32_t) {
        auto *c = static_cast<counts *>(ctx);
        const char *text = op->inst->text;
        c->all++;
        c->tensor += std::strstr(text, "HMMA") != nullptr;
        c->fours += std::strstr(text, "LDSM.16.M88.4") != nullptr;
        c->others += std::strstr(text, "LDSM") != nullptr;
        return 0;
    };
    const smrf_test::suite_outcome run =
        smrf_test::run_suite_program(GetParam(), SMRF_SMALL, nullptr, &listener);
    EXPECT_EQ(run.rc, 0) << run.error;
    EXPECT_GT(100 * seen.tensor, 60 * seen.all);
    EXPECT_GT(seen.fours, 0u);
    EXPECT_EQ(seen.fours, seen.others) << "all of four matrices";
    RecordProperty("tensor_per_1000", std::to_string(1000 * seen.tensor / seen.all));
}

INSTANTIATE_TEST_SUITE_P(Programs, Tensor, testing::ValuesIn(smrf_test::programs_of("tensor")),
                         smrf_test::program_name);

} // namespace
