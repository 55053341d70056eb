// SPDX-License-Identifier: Apache-2.0
// Launch files: every type and every way to fill a buffer, launches in order, dumps, and every
// fault with its line. What the device holds is seen through what is dumped.
#include "firmware/launch/launch_file.h"
#include "tests/support/sass_text.h"
#include "tests/support/temporary_folder.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using smrf_test::sass_function;
using smrf_test::temporary_folder;

namespace
{

// y[i] = a * x[i] + y[i]
const std::vector<std::string> saxpy = {"MOV R1, c[0x0][0x28]",
                                        "S2R R4, SR_CTAID.X",
                                        "S2R R3, SR_TID.X",
                                        "IMAD R4, R4, c[0x0][0x0], R3",
                                        "ISETP.GE.AND P0, PT, R4, c[0x0][0x174], PT",
                                        "@P0 EXIT",
                                        "MOV R5, 0x4",
                                        "IMAD.WIDE R2, R4, R5, c[0x0][0x168]",
                                        "IMAD.WIDE R4, R4, R5, c[0x0][0x160]",
                                        "LDG.E.SYS R2, [R2]",
                                        "LDG.E.SYS R7, [R4]",
                                        "FFMA R7, R2, c[0x0][0x170], R7",
                                        "STG.E.SYS [R4], R7",
                                        "EXIT"};

// out[0..2] = words of the __constant__ `taps`: by bank, by its generic address; of the __device__
// `state`, which becomes 77
const std::vector<std::string> variables = {"MOV R1, c[0x0][0x28]",   "MOV R2, c[0x0][0x160]",
                                            "MOV R3, c[0x0][0x164]",  "MOV R4, c[0x3][0x4]",
                                            "STG.E.SYS [R2], R4",     "MOV R6, c[0x0][0x50]",
                                            "MOV R7, c[0x0][0x54]",   "LD.E.SYS R4, [R6+0x8]",
                                            "STG.E.SYS [R2+0x4], R4", "MOV R6, 32@lo(state)",
                                            "MOV R7, 32@hi(state)",   "LDG.E.SYS R4, [R6]",
                                            "STG.E.SYS [R2+0x8], R4", "MOV R4, 0x4d",
                                            "STG.E.SYS [R6], R4",     "EXIT"};

// out = {s.a, s.b as 16 bits, word at s.p}: struct {int a; short b; const int *p; char c;}
const std::vector<std::string> structure = {"MOV R1, c[0x0][0x28]",   "MOV R2, c[0x0][0x160]",
                                            "MOV R3, c[0x0][0x164]",  "MOV R4, c[0x0][0x168]",
                                            "STG.E.SYS [R2], R4",     "MOV R4, c[0x0][0x16c]",
                                            "STG.E.SYS [R2+0x4], R4", "MOV R6, c[0x0][0x170]",
                                            "MOV R7, c[0x0][0x174]",  "LDG.E.SYS R4, [R6]",
                                            "STG.E.SYS [R2+0x8], R4", "MOV R4, c[0x0][0x178]",
                                            "STG.E.SYS [R2+0xc], R4", "EXIT"};

const char *const data_sections =
    "\t.section\t.nv.constant3,\"a\",@progbits\n\t.align\t4\n"
    "\t.type\ttaps,@object\n\t.size\ttaps,(.L_1 - taps)\ntaps:\n"
    "\t.word\t1, 2, 3\n.L_1:\n"
    "\t.section\t.nv.global.init,\"aw\",@progbits\n\t.align\t4\n"
    "\t.type\tstate,@object\n\t.size\tstate,(.L_2 - state)\nstate:\n\t.word\t5\n.L_2:\n";

std::string module_text()
{
    return sass_function("_Z5saxpyPfPKffi", saxpy) + sass_function("_Z4idlev", {"EXIT"}) +
           sass_function("_Z4paramN1x1SEi", {"MOV R1, c[0x0][0x170]", "EXIT"}) +
           sass_function("_Z9variablesPi", variables) +
           sass_function("_Z9structurePi1S", structure) + data_sections;
}

class LaunchFile : public testing::Test
{
  protected:
    void SetUp() override
    {
        const std::string text = module_text();
        ASSERT_EQ(smrf_device_create(&device_), 0);
        ASSERT_EQ(smrf_device_load_text(device_, &module_, "k.sass", text.data(), text.size()), 0)
            << smrf_device_error(device_);
    }
    void TearDown() override
    {
        smrf_device_destroy(device_);
    }
    int run(const std::string &yaml)
    {
        std::ofstream(folder_ / "l.yaml") << yaml;
        return smrf_launch_file_run(device_, module_, (folder_ / "l.yaml").c_str(), error_);
    }
    template <class T> std::vector<T> dumped(const std::string &name)
    {
        std::ifstream in(folder_ / name, std::ios::binary);
        std::stringstream all;
        all << in.rdbuf();
        std::vector<T> values(all.str().size() / sizeof(T));
        std::memcpy(values.data(), all.str().data(), values.size() * sizeof(T));
        return values;
    }
    template <class T> void store(const std::string &name, const std::vector<T> &values)
    {
        std::ofstream(folder_ / name, std::ios::binary)
            .write(reinterpret_cast<const char *>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(T)));
    }
    // Contents of a buffer declared so.
    template <class T> std::vector<T> filled(const std::string &buffer)
    {
        EXPECT_EQ(run("launches: [{kernel: idle, grid: 1, block: 1}]\nbuffers:\n  b: {" + buffer +
                      "}\ndump: {b: b.bin}\n"),
                  0)
            << error_;
        return dumped<T>("b.bin");
    }
    // Error of a launch file; all of them name the file.
    std::string fault(const std::string &yaml, int code)
    {
        EXPECT_EQ(run(yaml), code) << yaml << error_;
        EXPECT_EQ(std::string(error_).rfind((folder_ / "l.yaml") + ":", 0), 0u) << error_;
        return std::string(error_).substr((folder_ / "l.yaml").size() + 1);
    }
    temporary_folder folder_;
    smrf_device *device_ = nullptr;
    smrf_device_module *module_ = nullptr;
    char error_[SMRF_SASS_ERROR_BYTES] = {};
};

TEST_F(LaunchFile, RunsTheExampleOfItsHeader)
{
    std::vector<float> y(2048);
    for (size_t i = 0; i < y.size(); i++) {
        y[i] = static_cast<float>(i) * 0.25F;
    }
    store("y.bin", y);
    ASSERT_EQ(run("launches:                      # in order\n"
                  "  - kernel: saxpy\n"
                  "    grid: [8, 1, 1]\n"
                  "    block: [256, 1, 1]\n"
                  "    shared: 0\n"
                  "    args: [y, x, {f32: 2.0}, {i32: 2048}]\n"
                  "buffers:\n"
                  "  x: {type: f32, count: 2048, init: {random: {seed: 1, min: -1, max: 1}}}\n"
                  "  y: {type: f32, count: 2048, init: {file: y.bin}}\n"
                  "dump: {y: y.out.bin, x: x.out.bin}\n"),
              0)
        << error_;
    std::vector<float> x = dumped<float>("x.out.bin"), out = dumped<float>("y.out.bin");
    ASSERT_EQ(out.size(), 2048u);
    ASSERT_EQ(x.size(), 2048u);
    for (size_t i = 0; i < out.size(); i++) {
        ASSERT_EQ(out[i], std::fma(x[i], 2.0F, y[i])) << i;
    }
}

TEST_F(LaunchFile, LaunchesFollowEachOtherOnTheSameBuffers)
{
    ASSERT_EQ(run("buffers:\n  y: {type: f32, count: 64}\n"
                  "  x: {type: f32, count: 64, init: {iota: [1, 0.5]}}\n"
                  "launches:\n  - {kernel: saxpy, grid: 2, block: [32], args: [y, x, {f32: 2}, "
                  "{i32: 64}]}\n"
                  "  - {kernel: _Z5saxpyPfPKffi, grid: [2], block: 32, args: [y, y, {f32: 3}, "
                  "{i32: 32}]}\n"
                  "dump: {y: y.bin}\n"),
              0)
        << error_;
    std::vector<float> y = dumped<float>("y.bin");
    for (size_t i = 0; i < y.size(); i++) {
        float first = 2.0F * (1.0F + 0.5F * static_cast<float>(i));
        ASSERT_EQ(y[i], i < 32 ? 4.0F * first : first) << i;
    }
    EXPECT_EQ(run("launches: [{kernel: idle, grid: 1, block: 1}]\n"), 0) << error_;
}

TEST_F(LaunchFile, FillsBuffersOfEveryType)
{
    EXPECT_EQ(filled<int8_t>("type: i8, count: 3, init: {fill: -128}"),
              std::vector<int8_t>(3, -128));
    EXPECT_EQ(filled<uint8_t>("type: u8, count: 3, init: {fill: 0xff}"),
              std::vector<uint8_t>(3, 255));
    EXPECT_EQ(filled<int16_t>("type: i16, count: 2, init: {fill: -32768}"),
              std::vector<int16_t>(2, -32768));
    EXPECT_EQ(filled<uint16_t>("type: u16, count: 2, init: {fill: 65535}"),
              std::vector<uint16_t>(2, 65535));
    EXPECT_EQ(filled<int32_t>("type: i32, count: 2, init: {fill: -5}"),
              std::vector<int32_t>(2, -5));
    EXPECT_EQ(filled<uint32_t>("type: u32, count: 2, init: {fill: 4294967295}"),
              std::vector<uint32_t>(2, UINT32_MAX));
    EXPECT_EQ(filled<int64_t>("type: i64, count: 1, init: {fill: -9223372036854775808}"),
              std::vector<int64_t>(1, INT64_MIN));
    EXPECT_EQ(filled<uint64_t>("type: u64, count: 1, init: {fill: 18446744073709551615}"),
              std::vector<uint64_t>(1, UINT64_MAX));
    EXPECT_EQ(filled<uint16_t>("type: f16, count: 2, init: {fill: -1.5}"),
              std::vector<uint16_t>(2, 0xbe00));
    EXPECT_EQ(filled<float>("type: f32, count: 2, init: {fill: 0.1}"), std::vector<float>(2, 0.1F));
    EXPECT_EQ(filled<double>("type: f64, count: 2, init: {fill: 1e300}"),
              std::vector<double>(2, 1e300));
    EXPECT_EQ(filled<int32_t>("type: i32, count: 4"), std::vector<int32_t>(4, 0));
    EXPECT_EQ(filled<int32_t>("type: i32, count: 4, init: zero"), std::vector<int32_t>(4, 0));
    EXPECT_TRUE(std::isinf(filled<float>("type: f32, count: 1, init: {fill: -.inf}")[0]));
    EXPECT_TRUE(std::isnan(filled<float>("type: f32, count: 1, init: {fill: .nan}")[0]));
}

TEST_F(LaunchFile, HalvesRoundToTheNearestAndTiesToEven)
{
    const std::pair<const char *, uint16_t> values[] = {{"1", 0x3c00},
                                                        {"65504", 0x7bff},
                                                        {"65519.99", 0x7bff},
                                                        {".inf", 0x7c00},
                                                        {"-0.0", 0x8000},
                                                        {"5.9604644775390625e-8", 0x0001},
                                                        {"2.9802322387695312e-8", 0x0000},
                                                        {"2.99e-8", 0x0001},
                                                        {"6.103515625e-05", 0x0400},
                                                        {"1.00048828125", 0x3c00},
                                                        {"1.00146484375", 0x3c02},
                                                        {"2049", 0x6800},
                                                        {"2051", 0x6802}};
    for (const auto &[text, bits] : values) {
        EXPECT_EQ(
            filled<uint16_t>(std::string("type: f16, count: 1, init: {fill: ") + text + "}")[0],
            bits)
            << text;
    }
}

TEST_F(LaunchFile, SequencesGoUpAndDown)
{
    EXPECT_EQ(filled<int32_t>("type: i32, count: 4, init: {iota: [5, -3]}"),
              (std::vector<int32_t>{5, 2, -1, -4}));
    EXPECT_EQ(filled<uint8_t>("type: u8, count: 3, init: {iota: [2, -1]}"),
              (std::vector<uint8_t>{2, 1, 0}));
    EXPECT_EQ(filled<float>("type: f32, count: 3, init: {iota: [0, 0.25]}"),
              (std::vector<float>{0, 0.25F, 0.5F}));
}

TEST_F(LaunchFile, RandomNumbersStayInRangeAndFollowTheSeed)
{
    auto a = filled<int32_t>("type: i32, count: 4096, init: {random: {seed: 3, min: -2, max: 4}}");
    bool seen[7] = {};
    for (int32_t value : a) {
        ASSERT_TRUE(value >= -2 && value <= 4);
        seen[value + 2] = true;
    }
    for (bool one : seen) {
        EXPECT_TRUE(one);
    }
    EXPECT_EQ(
        a, filled<int32_t>("type: i32, count: 4096, init: {random: {seed: 3, min: -2, max: 4}}"));
    EXPECT_NE(
        a, filled<int32_t>("type: i32, count: 4096, init: {random: {seed: 4, min: -2, max: 4}}"));
    double sum = 0;
    for (double value :
         filled<double>("type: f64, count: 4096, init: {random: {min: -1, max: 1}}")) {
        ASSERT_TRUE(value >= -1 && value <= 1);
        sum += value;
    }
    EXPECT_LT(std::fabs(sum / 4096), 5.0 / std::sqrt(3.0 * 4096)); /* five standard errors */
    bool low = false, high = false;
    for (uint64_t value : filled<uint64_t>(
             "type: u64, count: 64, init: {random: {min: 0, max: 0xffffffffffffffff}}")) {
        low |= value < UINT64_MAX / 2;
        high |= value > UINT64_MAX / 2;
    }
    EXPECT_TRUE(low && high);
    EXPECT_EQ(filled<uint8_t>("type: u8, count: 2, init: {random: {min: 7, max: 7}}"),
              std::vector<uint8_t>(2, 7));
}

const std::string idle = "launches: [{kernel: idle, grid: 1, block: 1}]\n";

TEST_F(LaunchFile, FaultsOfBuffersNameLineAndRemedy)
{
    const std::pair<const char *, const char *> cases[] = {
        {"type: f31, count: 1", "3: there is no type 'f31'; the types are: i8 u8"},
        {"count: 1", "3: a buffer needs the key 'type'"},
        {"type: i8", "3: a buffer needs the key 'count'"},
        {"type: i8, count: 0", "3: count is 0: it must be 1 to"},
        {"type: f64, count: 99999999999", "it must be 1 to"},
        {"type: i8, count: many", "'many' is not an integer"},
        {"type: i8, count: [1]", "count must be a single word"},
        {"type: i8, count: 1, size: 3",
         "a buffer has no key 'size'; its keys are: type, count, init"},
        {"type: i8, type: i8, count: 1", "key 'type' stands twice"},
        {"type: i8, count: 1, init: ones", "init is one of: zero"},
        {"type: i8, count: 1, init: {fill: 1, zero: 1}", "init is one of"},
        {"type: i8, count: 1, init: {full: 1}", "init has no key 'full'"},
        {"type: i8, count: 1, init: {fill: 128}", "128 does not fit i8: -128 to 127"},
        {"type: i8, count: 1, init: {fill: -129}", "-129 does not fit i8"},
        {"type: u8, count: 1, init: {fill: -1}", "-1 does not fit u8"},
        {"type: u64, count: 1, init: {fill: 18446744073709551616}", "does not fit u64"},
        {"type: i8, count: 1, init: {fill: 1.5}", "'1.5' is not an integer, but the type is i8"},
        {"type: f16, count: 1, init: {fill: 65520}", "too large for f16"},
        {"type: f32, count: 1, init: {fill: 3.5e38}", "too large for f32"},
        {"type: f64, count: 1, init: {fill: 1e999}", "is not a number"},
        {"type: f64, count: 1, init: {fill: 1.5x}", "'1.5x' is not a number: write one like"},
        {"type: f64, count: 1, init: {fill: --1}", "is not a number"},
        {"type: i8, count: 100, init: {iota: [100, 1]}",
         "last value of the sequence does not fit i8"},
        {"type: u64, count: 2, init: {iota: [0, -1]}",
         "last value of the sequence does not fit u64"},
        {"type: i64, count: 3, init: {iota: [0, 9223372036854775807]}", "does not fit i64"},
        {"type: i8, count: 1, init: {iota: [1]}", "iota must be two numbers"},
        {"type: i8, count: 1, init: {random: 5}", "random must be a mapping"},
        {"type: i8, count: 1, init: {random: {min: 1}}", "random needs the key 'max'"},
        {"type: i8, count: 1, init: {random: {min: 2, max: 1}}", "min must not be above max"},
        {"type: u8, count: 1, init: {random: {min: 200, max: 100}}", "min must not be above max"},
        {"type: f32, count: 1, init: {random: {min: .nan, max: 1}}", "min must not be above max"},
        {"type: i8, count: 1, init: {file: none.bin}", "none.bin' cannot be opened"},
        {"type: i16, count: 4, init: {file: three.bin}", "has 3 bytes, but 4 i16 take 8"},
    };
    store<char>("three.bin", {1, 2, 3});
    for (const auto &[buffer, reason] : cases) {
        EXPECT_LT(run(idle + "buffers:\n  b: {" + buffer + "}\n"), 0) << buffer;
        EXPECT_NE(std::string(error_).find(reason), std::string::npos) << error_ << " / " << reason;
        EXPECT_EQ(std::string(error_).rfind((folder_ / "l.yaml") + ":3: ", 0), 0u) << error_;
    }
    EXPECT_EQ(fault(idle + "buffers:\n  b: {type: i8, count: 1}\n  b: {type: i8, count: 1}\n",
                    SMRF_ERR_FORMAT),
              "4: buffer 'b' stands twice: first in line 3");
    EXPECT_EQ(fault(idle + "buffers: 5\n", SMRF_ERR_FORMAT),
              "2: buffers must be a mapping: key: value");
}

TEST_F(LaunchFile, FaultsOfLaunchesNameLineAndRemedy)
{
    const std::string b = "buffers: {x: {type: f32, count: 32}}\nlaunches:\n  - ";
    const std::string s = b + "{kernel: saxpy, grid: 1, block: 32, ";
    const std::pair<std::string, const char *> cases[] = {
        {b + "{grid: 1, block: 1}\n", "3: a launch needs the key 'kernel'"},
        {b + "{kernel: idle, block: 1}\n", "3: a launch needs the key 'grid'"},
        {b + "{kernel: idle, grid: 1}\n", "3: a launch needs the key 'block'"},
        {b + "{kernel: idle, grid: 1, block: 1, blok: 1}\n",
         "3: a launch has no key 'blok'; its keys are: kernel, grid"},
        {b + "{kernel: idle, grid: [1, 2, 3, 4], block: 1}\n", "3: grid must have 1 to 3 numbers"},
        {b + "{kernel: idle, grid: 0, block: 1}\n", "3: grid is 0"},
        {b + "{kernel: idle, grid: 1, block: 2048}\n", "3: kernel _Z4idlev: a block of 2048"},
        {b + "{kernel: idle, grid: 1, block: 1, shared: 240000}\n", "3: shared is 240000"},
        {b + "{kernel: idle, grid: 1, block: 1, shared: 70000}\n", "a block has 65536"},
        {b + "{kernel: nobody, grid: 1, block: 1}\n", "3: k.sass: no kernel"},
        {b + "{kernel: idle, grid: 1, block: 1, args: [x]}\n",
         "has 0 parameters, but args lists 1"},
        {b + "{kernel: [idle], grid: 1, block: 1}\n", "3: kernel must be a single word"},
        {b + "idle\n", "3: a launch must be a mapping"},
        {s + "args: [x, x, {f32: 2}]}\n",
         "3: kernel '_Z5saxpyPfPKffi' has 4 parameters, but args lists 3"},
        {s + "args: [x, y, {f32: 2}, {i32: 1}]}\n", "3: there is no buffer 'y'"},
        {s + "args: [x, x, {f64: 2}, {i32: 1}]}\n",
         "argument 3 has 8 bytes, but parameter 3 of kernel '_Z5saxpyPfPKffi' has 4: give it "
         "another type"},
        {s + "args: [x, x, x, {i32: 1}]}\n", "it does not take a buffer"},
        {s + "args: [x, x, {f32: 2, i32: 1}, {i32: 1}]}\n",
         "an argument is a buffer's name, a number"},
        {s + "args: [x, x, [2], {i32: 1}]}\n", "there is no buffer '2'"},
        {s + "args: [x, x, [{i16: 2}, {i8: 3}, {i8: [4, 5]}], {i32: 1}]}\n",
         "argument 3 has 6 bytes, but parameter 3"},
        {s + "args: [x, x, [], {i32: 1}]}\n", "an argument has 1 to 4096 bytes"},
        {s + "args: [x, x, [[[[[[[[[x]]]]]]]]], {i32: 1}]}\n", "nested more than 8 times"},
        {s + "args: [x, x, {f32: []}, {i32: 1}]}\n", "an argument has 1 to 4096 bytes"},
        {s + "args: [x, x, {f33: 2}, {i32: 1}]}\n", "there is no type 'f33'"},
        {s + "args: [x, x, {f32: two}, {i32: 1}]}\n", "'two' is not a number"},
        {s + "args: x}\n", "args must be a list"},
        // 32 threads reach beyond the buffer: the device's fault
        {b + "{kernel: saxpy, grid: 1, block: 64, args: [x, x, {f32: 2}, {i32: 64}]}\n", "3: "},
        {"launches: []\n", "1: launches must be a list with at least one"},
        {"launches: {kernel: idle}\n", "1: launches must be a list"},
        {"buffers: {}\n", "1: a launch file needs the key 'launches'"},
        {idle + "kernels: 1\n",
         "2: a launch file has no key 'kernels'; its keys are: launches, buffers, symbols, dump"},
        {idle + "[a]: 1\n", "2: a launch file has no key '(not a word)'"},
        {idle + "dump: {z: z.bin}\n", "2: there is no buffer 'z'"},
        {idle + "dump: z\n", "2: dump must be a mapping"},
        {idle + "buffers: {x: {type: i8, count: 1}}\ndump: {x: [1]}\n",
         "3: a file's name must be a single word"},
        {idle + "buffers: {x: {type: i8, count: 1}}\ndump: {x: no/such/folder/x}\n",
         "cannot write the file"},
        {"launches: [\n", "not valid YAML"},
        {"a: \"\n", "not valid YAML"},
        {"", " the file is empty"},
        {"5\n", "1: a launch file must be a mapping"},
    };
    for (const auto &[yaml, reason] : cases) {
        EXPECT_LT(run(yaml), 0) << yaml;
        EXPECT_NE(std::string(error_).find(reason), std::string::npos) << error_ << " / " << reason;
        EXPECT_EQ(std::string(error_).rfind((folder_ / "l.yaml") + ":", 0), 0u) << error_;
    }
    EXPECT_EQ(smrf_launch_file_run(device_, module_, (folder_ / "none.yaml").c_str(), error_),
              SMRF_ERR_IO);
    EXPECT_NE(std::string(error_).find("none.yaml: cannot open: No such file"), std::string::npos)
        << error_;
}

TEST_F(LaunchFile, VariablesOfTheModuleAreSetAndDumped)
{
    const std::string launches =
        "launches: [{kernel: variables, grid: 1, block: 1, args: [out]}]\n"
        "buffers: {out: {type: i32, count: 4}}\ndump: {out: out.bin, state: state.bin}\n";
    ASSERT_EQ(run(launches + "symbols:\n  taps: {type: i32, count: 3, init: {iota: [10, 10]}}\n"
                             "  state: {type: i32, count: 1}\n"),
              0)
        << error_;
    EXPECT_EQ(dumped<int>("out.bin"), (std::vector<int>{20, 30, 5, 0})); // state keeps its 5
    EXPECT_EQ(dumped<int>("state.bin"), std::vector<int>{77});
    ASSERT_EQ(run(launches + "symbols:\n  taps: {type: i32, count: 2, init: zero}\n"
                             "  state: {type: i32, count: 1, init: {fill: -9}}\n"),
              0)
        << error_;
    EXPECT_EQ(dumped<int>("out.bin"), (std::vector<int>{0, 30, -9, 0}));
}

TEST_F(LaunchFile, FaultsOfVariables)
{
    const std::string s = idle + "symbols:\n  ";
    EXPECT_NE(fault(s + "nobody: {type: i8, count: 1}\n", SMRF_ERR_UNKNOWN)
                  .find("3: k.sass: there is no variable \"nobody\""),
              std::string::npos);
    EXPECT_EQ(fault(s + "taps: {type: i32, count: 4}\n", SMRF_ERR_INVAL),
              "3: variable 'taps' has 12 bytes, but 4 i32 take 16");
    EXPECT_EQ(fault(s + "taps: {type: i32, count: 3}\ndump: {taps: t}\n", SMRF_ERR_INVAL),
              "4: 'taps' is a __constant__ variable: it has no address, and no kernel changes it");
    EXPECT_EQ(fault(s + "state: {type: i32, count: 1}\nbuffers: {state: {type: i8, count: 1}}\n",
                    SMRF_ERR_FORMAT),
              "3: buffer 'state' stands twice: first in line 4");
}

TEST_F(LaunchFile, StructuresAreLaidOutAsTheCompilerDoes)
{
    ASSERT_EQ(run("launches: [{kernel: structure, grid: 1, block: 1, args: [out, [{i32: 7}, "
                  "{i16: -2}, in, {u8: 9}]]}]\n"
                  "buffers: {out: {type: u32, count: 4}, in: {type: u32, count: 1, init: {fill: "
                  "123}}}\ndump: {out: out.bin}\n"),
              0)
        << error_;
    EXPECT_EQ(dumped<uint32_t>("out.bin"), (std::vector<uint32_t>{7, 0xfffe, 123, 9}));
    // members of members: {int a; {short b;}; {p, c}} has the same bytes
    ASSERT_EQ(run("launches: [{kernel: structure, grid: 1, block: 1, args: [out, [[{i32: 7}, "
                  "[{i16: -2}]], [in, {u8: 9}]]]}]\n"
                  "buffers: {out: {type: u32, count: 4}, in: {type: u32, count: 1, init: {fill: "
                  "123}}}\ndump: {out: out.bin}\n"),
              0)
        << error_;
    EXPECT_EQ(dumped<uint32_t>("out.bin"), (std::vector<uint32_t>{7, 0xfffe, 123, 9}));
}

TEST_F(LaunchFile, NothingRunsWhereALaterLaunchIsWrong)
{
    EXPECT_LT(run("buffers: {x: {type: f32, count: 4}}\nlaunches:\n"
                  "  - {kernel: saxpy, grid: 1, block: 32, args: [x, x, {f32: 1}, {i32: 4}]}\n"
                  "  - {kernel: nobody, grid: 1, block: 1}\n"),
              0);
    smrf_exec_totals totals;
    smrf_device_totals(device_, &totals);
    EXPECT_EQ(totals.blocks, 0u);
}

TEST_F(LaunchFile, ArgumentsOfAListingWithoutAttributesArePacked)
{
    // the size of the first parameter, a structure, is not in the mangled name
    EXPECT_EQ(run("launches: [{kernel: _Z4paramN1x1SEi, grid: 1, block: 1, args: [{f32: [1, 2, 3, "
                  "4]}, {i32: 5}]}]\n"),
              0)
        << error_;
    std::string many = "launches: [{kernel: _Z4paramN1x1SEi, grid: 1, block: 1, args: [";
    for (int i = 0; i < 65; i++) {
        many += std::string(i ? ", " : "") + "{f64: [1, 2, 3, 4, 5, 6, 7, 8]}";
    }
    EXPECT_NE(fault(many + "]}]\n", SMRF_ERR_LIMIT).find("more than 4096 bytes"),
              std::string::npos);
}

// Seeded damage: the file runs or is refused with its name, and nothing else happens.
TEST_F(LaunchFile, DamagedFilesRunOrAreRefused)
{
    const std::string valid =
        "launches: # in order\n  - kernel: saxpy\n    grid: [2, 1]\n    block: 8\n"
        "    args: [y, &a x, {f32: 2}, {i32: 9}]\n  - {kernel: idle, grid: 1, block: 3}\n"
        "buffers:\n  x: {type: f32, count: 16, init: {iota: [1, 2]}}\n"
        "  y: {type: f32, count: 16, init: {random: {seed: 5, min: -1, max: .5}}}\n"
        "  z: {type: u8, count: 2, init: {file: two.bin}}\ndump: {y: y.bin}\n";
    const char *const pieces[] = {
        "[",      "]", "{", "}",  ":",  ", ", "- ",   "\n",    "  ",  "#", "\"",   "*a",   "&b ",
        "!!int ", "~", "|", "? ", "\t", "%",  "\xff", "---\n", "f16", "-", ".nan", "fill", "zero"};
    store<char>("two.bin", {1, 2});
    ASSERT_EQ(run(valid), 0) << error_;
    smrf_device_limits limits{};
    limits.stop_after_insts = 1000; /* a grid may have become large */
    smrf_device_limit(device_, &limits);
    unsigned refused = 0;
    uint64_t state = 88172645463325252U;
    auto below = [&state](size_t bound) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<size_t>((state >> 20) % bound);
    };
    for (unsigned n = 0; n < 1000; n++) {
        std::string text = valid;
        for (size_t k = 1 + below(3); k > 0 && !text.empty(); k--) {
            size_t at = below(text.size());
            if (below(3) == 0) {
                text.erase(at, 1 + below(5));
            } else if (below(8) == 0) {
                text.resize(at);
            } else {
                text.insert(at, pieces[below(sizeof pieces / sizeof *pieces)]);
            }
        }
        if (run(text) < 0) {
            refused++;
            ASSERT_EQ(std::string(error_).rfind((folder_ / "l.yaml") + ":", 0), 0u)
                << text << error_;
        } else {
            ASSERT_STREQ(error_, "") << text;
        }
    }
    EXPECT_GT(refused, 300u);
    EXPECT_LT(refused, 1000u);
}

} // namespace
