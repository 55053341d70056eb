// SPDX-License-Identifier: Apache-2.0
// Switch statements: tables of code labels in a constant bank and the branches that use them,
// from text to results.
#include "firmware/launch/device.h"
#include "tests/support/sass_text.h"

using smrf_test::sass_function;

namespace
{

// out[tid] = 100 * the case of tid & 3, where case 3 goes to case 1's code.
std::string table(const std::string &kernel)
{
    std::string text = "\t.section\t.nv.constant2." + kernel +
                       ",\"a\",@progbits\n\t.align\t4\n.nv.constant2." + kernel + ":\n";
    const char *labels[] = {"0", "1", "2", "1"};
    for (int i = 0; i < 4; i++) {
        char offset[32];
        std::snprintf(offset, sizeof offset, "        /*%04x*/ \t.word\t", 4 * i);
        text += offset + std::string("(.L_") + kernel + labels[i] + " - .text." + kernel + ")\n";
    }
    return text;
}

std::vector<std::string> cases(std::vector<std::string> lines, const std::string &kernel)
{
    for (int i = 0; i < 3; i++) {
        char value[48];
        std::snprintf(value, sizeof value, "MOV R7, 0x%x", 100 * i);
        lines.insert(lines.end(), {".L_" + kernel + std::to_string(i) + ":", value,
                                   "BRA `(.L_" + kernel + "end)"});
    }
    lines.insert(lines.end(), {".L_" + kernel + "end:", "IMAD.WIDE.U32 R2, R0, R5, c[0x0][0x160]",
                               "STG.E.SYS [R2], R7", "EXIT"});
    return lines;
}

class Switch : public testing::Test
{
  protected:
    // Runs kernel(out, n) of the module with one warp.
    std::vector<uint32_t> run(const std::string &text, const char *kernel, uint32_t n)
    {
        std::vector<uint32_t> out(32, 7);
        smrf_device *device = nullptr;
        smrf_device_module *module = nullptr;
        struct smrf_device_function *function = nullptr;
        smrf_dptr address = 0;
        void *args[] = {&address, &n};
        EXPECT_EQ(smrf_device_create(&device), 0);
        EXPECT_EQ(smrf_device_load_text(device, &module, "k.sass", text.data(), text.size()), 0)
            << smrf_device_error(device);
        if (module && smrf_device_get_function(module, &function, kernel) == 0) {
            EXPECT_EQ(smrf_device_alloc(device, &address, 128), 0);
            EXPECT_EQ(smrf_device_launch(function, {1, 1, 1}, {32, 1, 1}, 0, args, 2), 0)
                << smrf_device_error(device);
            EXPECT_EQ(smrf_device_read(device, out.data(), address, 128), 0);
        } else {
            ADD_FAILURE() << smrf_device_error(device);
        }
        smrf_device_destroy(device);
        return out;
    }
};

// With the base as printed of a linked module (a number) and of an object (an expression).
TEST_F(Switch, BrxLeadsEveryLaneToItsCase)
{
    for (const char *base : {"-0x70", "`(((.text._Z1bPij - .) - 0x10))"}) {
        std::string text =
            sass_function("_Z1aPij", {"EXIT"}) +
            sass_function("_Z1bPij",
                          cases({"S2R R0, SR_TID.X", "MOV R5, 0x4",
                                 "LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT", "SHF.L.U32 R4, R4, 0x2, RZ",
                                 "LDC R6, c[0x2][R4]", "MOV R7, RZ", std::string("BRX R6 ") + base},
                                "_Z1bPij")) +
            table("_Z1bPij");
        /* the branch reads R6 and R7 as one offset: R7 is zero until a case sets it */
        std::vector<uint32_t> out = run(text, "_Z1bPij", 0);
        const uint32_t expected[] = {0, 100, 200, 100};
        for (uint32_t i = 0; i < 32; i++) {
            EXPECT_EQ(out[i], expected[i & 3]) << i << " " << base;
        }
    }
}

TEST_F(Switch, BrxuLeadsTheWarpToItsCase)
{
    const std::string text =
        sass_function("_Z1bPij", cases({"S2R R0, SR_TID.X", "MOV R5, 0x4",
                                        "ULDC UR4, c[0x0][0x168]", "USHF.L.U32 UR4, UR4, 0x2, URZ",
                                        "ULDC UR6, c[0x2][UR4]", "UMOV UR7, URZ", "BRXU UR6 -0x70"},
                                       "_Z1bPij")) +
        table("_Z1bPij");
    const uint32_t expected[] = {0, 100, 200, 100};
    for (uint32_t n = 0; n < 4; n++) {
        EXPECT_EQ(run(text, "_Z1bPij", n), std::vector<uint32_t>(32, expected[n])) << n;
    }
}

} // namespace
