// SPDX-License-Identifier: Apache-2.0
// The host's calls: what they do, and that each refusal says what was wrong.
#include "firmware/kernels/suite.h"
#include "firmware/launch/device.h"
#include "tests/support/sass_text.h"
#include "tests/support/suite_text.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace smrf_test;

namespace
{

class device : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(smrf_device_create(&gpu), 0);
    }
    void TearDown() override
    {
        smrf_device_destroy(gpu);
    }
    void load(const std::string &text)
    {
        ASSERT_EQ(smrf_device_load_text(gpu, &module, "k.sass", text.data(), text.size()), 0)
            << smrf_device_error(gpu);
    }
    void refused(int rc, int expected, const char *text)
    {
        EXPECT_EQ(rc, expected) << text;
        EXPECT_NE(std::string(smrf_device_error(gpu)).find(text), std::string::npos)
            << smrf_device_error(gpu);
    }
    struct smrf_device *gpu = nullptr;
    struct smrf_device_module *module = nullptr;
    struct smrf_device_function *kernel = nullptr;
};

TEST_F(device, CopiesThereAndBack)
{
    smrf_dptr a = 0;
    const std::vector<uint8_t> in = {1, 2, 3, 4, 5};
    std::vector<uint8_t> out(5);
    ASSERT_EQ(smrf_device_alloc(gpu, &a, 5), 0);
    EXPECT_EQ(a % 512, 0u);
    EXPECT_EQ(smrf_device_write(gpu, a, in.data(), 5), 0);
    EXPECT_EQ(smrf_device_set(gpu, a + 1, 9, 2), 0);
    EXPECT_EQ(smrf_device_read(gpu, out.data(), a, 5), 0);
    EXPECT_EQ(out, (std::vector<uint8_t>{1, 9, 9, 4, 5}));
    EXPECT_EQ(smrf_device_free(gpu, a), 0);
    refused(smrf_device_read(gpu, out.data(), a, 1), SMRF_ERR_INVAL, "not all of one allocation");
}

TEST_F(device, RefusesMemoryThatIsNotThere)
{
    smrf_dptr a = 0;
    uint8_t byte = 0;
    refused(smrf_device_alloc(gpu, &a, 0), SMRF_ERR_INVAL, "0 bytes");
    refused(smrf_device_alloc(gpu, &a, UINT64_C(1) << 60), SMRF_ERR_NOMEM, "no room");
    EXPECT_EQ(a, 0u);
    refused(smrf_device_free(gpu, 0x1234), SMRF_ERR_INVAL, "nothing is allocated at 0x1234");
    refused(smrf_device_write(gpu, 0x1234, &byte, 1), SMRF_ERR_INVAL, "the host writes 1 bytes");
    refused(smrf_device_set(gpu, 0x1234, 0, 1), SMRF_ERR_INVAL, "the host sets 1 bytes");
}

TEST_F(device, RefusesTextThatIsNoModule)
{
    refused(smrf_device_load(gpu, &module, "/none.sass", 0), SMRF_ERR_IO, "/none.sass");
    EXPECT_EQ(module, nullptr);
    EXPECT_LT(smrf_device_load_text(gpu, &module, "x.sass", "rubbish\n", 8), 0);
    EXPECT_NE(std::string(smrf_device_error(gpu)).find("x.sass"), std::string::npos);
}

TEST_F(device, FindsKernelsAndNamesThoseThereAre)
{
    load(sass_function("_Z5firstPf", {"EXIT"}) + sass_function("second", {"EXIT"}) +
         sass_function("callee", {"RET.ABS.NODEC R20 0x0"}, false));
    struct smrf_device_function *again = nullptr;
    ASSERT_EQ(smrf_device_get_function(module, &kernel, "first"), 0) << smrf_device_error(gpu);
    EXPECT_EQ(smrf_device_get_function(module, &again, "_Z5firstPf"), 0);
    EXPECT_EQ(kernel, again);
    EXPECT_STREQ(smrf_device_function_info(kernel)->name, "_Z5firstPf");
    refused(smrf_device_get_function(module, &kernel, "third"), SMRF_ERR_UNKNOWN,
            "_Z5firstPf, second");
    EXPECT_EQ(kernel, nullptr);
    refused(smrf_device_get_function(module, &kernel, "callee"), SMRF_ERR_UNKNOWN, "not a kernel");
}

TEST_F(device, RefusesLaunchesThatTheHardwareWould)
{
    load(sass_function("k", {"EXIT"}));
    ASSERT_EQ(smrf_device_get_function(module, &kernel, "k"), 0);
    auto launch = [&](smrf_exec_dim grid, smrf_exec_dim block, uint32_t shared) {
        return smrf_device_launch(kernel, grid, block, shared, nullptr, 0);
    };
    EXPECT_EQ(launch({1, 1, 1}, {1024, 1, 1}, 65536), 0) << smrf_device_error(gpu);
    refused(launch({1, 1, 1}, {1025, 1, 1}, 0), SMRF_ERR_INVAL, "1025 x 1 x 1 threads");
    refused(launch({1, 1, 1}, {32, 33, 1}, 0), SMRF_ERR_INVAL, "at most 1024");
    refused(launch({1, 1, 1}, {1, 1, 65}, 0), SMRF_ERR_INVAL, "z at most 64");
    refused(launch({1, 1, 1}, {0, 1, 1}, 0), SMRF_ERR_INVAL, "at least 1");
    refused(launch({0, 1, 1}, {1, 1, 1}, 0), SMRF_ERR_INVAL, "0 x 1 x 1 blocks");
    refused(launch({1, 65536, 1}, {1, 1, 1}, 0), SMRF_ERR_INVAL, "y and z at most 65535");
    refused(launch({1, 1, 1}, {1, 1, 1}, 65537), SMRF_ERR_INVAL, "a block has 65536");
    void *arg = nullptr;
    refused(smrf_device_launch(kernel, {1, 1, 1}, {1, 1, 1}, 0, &arg, 1), SMRF_ERR_INVAL,
            "1 arguments given, 0 parameters declared");
}

TEST_F(device, SumsWhatItsLaunchesDid)
{
    load(sass_function("k", {"NOP", "EXIT"}));
    ASSERT_EQ(smrf_device_get_function(module, &kernel, "k"), 0);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(smrf_device_launch(kernel, {2, 1, 1}, {40, 1, 1}, 0, nullptr, 0), 0);
    }
    smrf_exec_totals t;
    smrf_device_totals(gpu, &t);
    EXPECT_EQ(t.blocks, 6u);
    EXPECT_EQ(t.warps, 12u);
    EXPECT_EQ(t.warp_insts, 24u);
    EXPECT_EQ(t.thread_insts, 3u * 2 * 40 * 2);
}

// ---- what the suite's programs share ----------------------------------------------------------

TEST(Suite, ProgramsHaveTheirCodeSizesAndNamesOfTheirOwn)
{
    std::set<std::string> names;
    std::string group;
    const smrf_suite_program *p;
    for (unsigned i = 0; (p = smrf_suite_at(i)) != nullptr; i++) {
        EXPECT_TRUE(names.insert(p->name).second) << p->name << " twice";
        EXPECT_EQ(smrf_suite_find(p->name), p);
        EXPECT_GT(smrf_test::suite_text(p).size(), 1000u) << p->name;
        for (const char *size : p->size_text) {
            EXPECT_TRUE(size != nullptr && size[0] != '\0') << p->name;
        }
    }
    EXPECT_GT(names.size(), 40u);
    EXPECT_EQ(smrf_suite_find("none"), nullptr);
}

TEST(Suite, ChecksNoticeTheFirstDifference)
{
    smrf_suite_run run{};
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();
    const float want[] = {1, nan, -inf, 100}, same[] = {1, nan, -inf, 100.5f};
    EXPECT_EQ(smrf_suite_check_f32(&run, "y", same, want, 4, 0.5, 0), 0) << run.error;
    EXPECT_EQ(smrf_suite_check_f32(&run, "y", same, want, 4, 0, 0.005), 0) << run.error;
    EXPECT_EQ(run.compared, 8u);
    EXPECT_EQ(smrf_suite_check_f32(&run, "y", same, want, 4, 0.4, 0), SMRF_ERR_CHECK);
    EXPECT_NE(std::string(run.error).find("y[3] of 4: got 100.5, the reference has 100"),
              std::string::npos)
        << run.error;
    const float wrong[][2] = {{nan, 1}, {1, nan}, {inf, -inf}, {inf, 1}, {1, inf}};
    for (const auto &w : wrong) {
        EXPECT_EQ(smrf_suite_check_f32(&run, "y", &w[0], &w[1], 1, 1e30, 1), SMRF_ERR_CHECK);
    }
    const int32_t a[] = {1, 2}, b[] = {1, 3};
    EXPECT_EQ(smrf_suite_check_i32(&run, "n", a, a, 2), 0);
    EXPECT_EQ(smrf_suite_check_i32(&run, "n", a, b, 2), SMRF_ERR_CHECK);
    EXPECT_NE(std::string(run.error).find("n[1] of 2: got 2, the reference has 3"),
              std::string::npos);
    EXPECT_EQ(run.compared, 10u) << "a failed comparison counts nothing";
}

// Value of a half by the definition of IEEE 754.
double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double v = exponent == 0 ? std::ldexp(mantissa, -24)
                                   : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
    return bits >> 15 ? -v : v;
}

TEST(Suite, HalvesRoundToTheNearestEven)
{
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const uint16_t h = static_cast<uint16_t>(bits),
                       minus = static_cast<uint16_t>(bits | 0x8000);
        ASSERT_EQ(smrf_suite_from_half(h), half_value(bits));
        ASSERT_EQ(smrf_suite_half(smrf_suite_from_half(h)), h);
        ASSERT_EQ(smrf_suite_half(smrf_suite_from_half(minus)), minus);
        if (bits + 1 == 0x7c00) {
            break;
        }
        const double low = half_value(bits), high = half_value(bits + 1), middle = (low + high) / 2;
        const float tie = static_cast<float>(middle);
        ASSERT_EQ(tie, middle);
        ASSERT_EQ(smrf_suite_half(tie), bits % 2 == 0 ? bits : bits + 1);
        ASSERT_EQ(smrf_suite_half(std::nextafterf(tie, 0.0f)), bits);
        ASSERT_EQ(smrf_suite_half(std::nextafterf(tie, 1e9f)), bits + 1);
    }
    EXPECT_EQ(smrf_suite_half(65519.0f), 0x7bff);
    EXPECT_EQ(smrf_suite_half(65520.0f), 0x7c00);
    EXPECT_EQ(smrf_suite_half(-1e30f), 0xfc00);
    EXPECT_TRUE(std::isnan(smrf_suite_from_half(0x7e00)));
    EXPECT_EQ(smrf_suite_half(std::nanf("")), 0x7fff);
    EXPECT_EQ(smrf_suite_from_half(0xfc00), -std::numeric_limits<float>::infinity());
}

TEST(Suite, RandomNumbersAreTheSameEverywhere)
{
    smrf_suite_rng a{7}, b{7};
    for (int i = 0; i < 1000; i++) {
        EXPECT_EQ(smrf_suite_u32(&a), smrf_suite_u32(&b));
        float f = smrf_suite_f32(&a, -2, 3);
        EXPECT_GE(f, -2);
        EXPECT_LT(f, 3);
        EXPECT_EQ(f, smrf_suite_f32(&b, -2, 3));
    }
    smrf_suite_rng zero{0}; // splitmix64 of 0 begins with e220a8397b1dcdaf
    EXPECT_EQ(smrf_suite_u32(&zero), 0xe220a839u);
}

} // namespace
