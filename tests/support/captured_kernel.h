// SPDX-License-Identifier: Apache-2.0
// A kernel of every kind of instruction, traced with any options, and what its trace must hold.
#ifndef SMRF_TEST_CAPTURED_KERNEL_H
#define SMRF_TEST_CAPTURED_KERNEL_H

#include "capture_run.h"

#include <csignal>

namespace smrf_test
{

// Every space, divergence, a loop, a constant between registers, a mark of reuse, a guard.
inline std::string kernel_text()
{
    return sass_function("k", {"MOV R1, c[0x0][0x28]",
                               "S2R R0, SR_TID.X",
                               "IADD3 R1, R1, -0x8, RZ",
                               "MOV R2, c[0x0][0x160]",
                               "MOV R3, c[0x0][0x164]",
                               "MOV R12, 0x4",
                               "IMAD.WIDE R4, R0, R12, c[0x0][0x160]",
                               "LDG.E.SYS R6, [R4]",
                               "STL [R1+0x4], R6",
                               "LDL R7, [R1+0x4]",
                               "IMAD.SHL.U32 R8, R0, 0x4, RZ",
                               "STS [R8], R7",
                               "BAR.SYNC 0x0",
                               "LOP3.LUT R13, R8, 0x1c, RZ, 0x3c, !PT",
                               "LDS.U R9, [R13]",
                               "ISETP.LT.AND P0, PT, R0, 0x9, PT",
                               "@P0 IADD3 R9, R9, 0x1, RZ",
                               "MOV R10, RZ",
                               ".L_1:",
                               "IADD3 R10, R10.reuse, 0x1, RZ",
                               "ISETP.LT.AND P1, PT, R10, c[0x0][0x168], PT",
                               "@P1 BRA `(.L_1)",
                               "IMAD R11, R9, c[0x0][0x168], R10.reuse",
                               "BSSY B0, `(.L_2)",
                               "@P0 BRA `(.L_2)",
                               "IADD3 R11, R11, R0, RZ",
                               ".L_2:",
                               "BSYNC B0",
                               "@!P0 STG.E.SYS [R4], R11",
                               "EXIT"});
}

struct run_options {
    enum smrf_trace_format format = SMRF_TRACE_V5;
    enum smrf_trace_compression compression = SMRF_COMPRESS_NONE;
    bool values = false, replace = false, goes_on = false; // goes_on: after a failed launch
    const char *blocks = nullptr, *warps = nullptr;
    uint64_t max_insts = 0;
    size_t budget = 0;
    const volatile sig_atomic_t *stop = nullptr;
    uint32_t loops = 3;
    unsigned launches = 2;
    std::string text = kernel_text();
};

struct run_result {
    int rc = 0;
    std::string error;
    seen_trace seen;
    smrf_capture_totals totals{};
    uint64_t kernel = 0; // code address
};

constexpr uint32_t THREADS = 80, WARPS = 3; // the last warp is half empty
constexpr smrf_exec_dim GRID = {3, 2, 1};

inline run_result run(const std::string &dir, const run_options &o = {})
{
    run_result out;
    char error[SMRF_SASS_ERROR_BYTES];
    smrf_capture_options c{};
    c.dir = dir.empty() ? nullptr : dir.c_str();
    c.format = o.format;
    c.compression = o.compression;
    c.values = o.values;
    c.replace = o.replace;
    c.max_insts = o.max_insts;
    c.memory_budget = o.budget;
    c.stop = o.stop;
    if (o.blocks) {
        EXPECT_EQ(smrf_capture_ranges_parse(&c.blocks, o.blocks, error), 0);
    }
    if (o.warps) {
        EXPECT_EQ(smrf_capture_ranges_parse(&c.warps, o.warps, error), 0);
    }
    smrf_capture *capture = nullptr;
    smrf_device *device = nullptr;
    smrf_device_module *module = nullptr;
    struct smrf_device_function *function = nullptr;
    out.rc = smrf_capture_open(&capture, &c);
    if (out.rc == 0) {
        recorder tee(smrf_capture_listener(capture));
        EXPECT_EQ(smrf_device_create(&device), 0);
        smrf_device_listen(device, tee.listener());
        smrf_dptr data = 0;
        std::vector<uint32_t> host(THREADS);
        for (uint32_t i = 0; i < THREADS; i++) {
            host[i] = i * i;
        }
        EXPECT_EQ(smrf_device_load_text(device, &module, "k.sass", o.text.data(), o.text.size()), 0)
            << smrf_device_error(device);
        EXPECT_EQ(smrf_device_get_function(module, &function, "k"), 0) << smrf_device_error(device);
        EXPECT_EQ(smrf_device_alloc(device, &data, 4 * THREADS), 0);
        for (unsigned l = 0; out.rc == 0 && l < o.launches; l++) {
            EXPECT_EQ(smrf_device_write(device, data, host.data(), 4 * THREADS), 0);
            uint8_t params[12];
            std::memcpy(params, &data, 8);
            std::memcpy(params + 8, &o.loops, 4);
            out.rc = smrf_device_launch_raw(function, GRID, {THREADS, 1, 1}, 4 * THREADS, params,
                                            sizeof params);
        }
        out.kernel = smrf_device_function_info(function)->address;
        if (out.rc != 0) {
            out.error = smrf_device_error(device);
        }
        if (out.rc == 0 || o.goes_on) {
            out.rc = smrf_capture_finish(capture);
        }
        out.seen = tee.seen;
    }
    smrf_capture_sums(capture, &out.totals);
    if (smrf_capture_error(capture)[0] != '\0') {
        out.error = smrf_capture_error(capture);
    }
    smrf_capture_close(capture);
    smrf_device_destroy(device);
    smrf_capture_ranges_free(&c.blocks);
    smrf_capture_ranges_free(&c.warps);
    return out;
}

// What the executor did, with PCs for addresses: what a trace must hold.
inline seen_trace expected(const run_result &r)
{
    seen_trace t = r.seen;
    for (auto &warp : t) {
        for (seen_inst &i : warp.second) {
            i.address -= r.kernel;
        }
    }
    return t;
}

class capture : public ::testing::Test
{
  protected:
    temporary_folder folder;
};

} // namespace smrf_test

#endif
