// SPDX-License-Identifier: Apache-2.0
// The capture: lines as Accel-Sim's tracer lists operands (oracle: the rules written out as texts),
// streams against a plain record of what the executor did, all formats against each other, options,
// errors.
#include "tests/support/capture_run.h"

#include "firmware/capture/code.h"
#include "firmware/capture/stream.h"
#include "traces/files/folder.h"

#include <csignal>
#include <sstream>

using namespace smrf_test;

namespace
{

// ---- one instruction's line -----------------------------------------------------------------

std::string name(uint16_t reg)
{
    return reg >= 256 ? "UR" + std::to_string(reg - 256) : "R" + std::to_string(reg);
}

// "1 R4 IMAD 2 R0 R3 0 5": what stands on the line between mask and addresses, then immediates.
std::string line_text(const smrf_trace_line &l, bool second)
{
    std::string t = std::to_string(l.num_dst) + " ";
    for (unsigned i = 0; i < l.num_dst; i++) {
        t += name(l.dst[i]) + " ";
    }
    t += std::string(l.opcode) + " " + std::to_string(l.num_src) + " ";
    for (unsigned i = 0; i < l.num_src; i++) {
        t += name(l.src[i]) + " ";
    }
    t += std::to_string(l.mem_width) + " " + std::to_string(static_cast<int64_t>(l.imm[0]));
    return second ? t + " " + std::to_string(static_cast<int64_t>(l.imm[1])) : t;
}

// The instruction under test stands at 0x10 of the kernel; a label .L_1 is at 0x20, and a function
// f of two instructions follows the kernel's 0x40 bytes.
struct one_line {
    explicit one_line(const std::string &line)
        : module(sass_function("k", {"NOP", line, ".L_1:", "EXIT", "NOP"}) +
                 sass_function("f", {"NOP", "RET.REL.NODEC R20 `(f)"}, false))
    {
        EXPECT_EQ(module.code(), 0) << module.error();
        if (module.get() == nullptr) {
            return;
        }
        ops.resize(module->num_insts);
        for (uint32_t i = 0; i < module->num_insts; i++) {
            ops[i].inst = &module->inst[i];
            for (unsigned k = 0; k < module->inst[i].num_operands; k++) {
                if (module->inst[i].operand[k].kind == SMRF_SASS_MEM) {
                    ops[i].control = SMRF_EXEC_MEMORY;
                }
            }
        }
        code = {module.get(), ops.data(), SMRF_EXEC_RZ};
    }
    std::string text(uint32_t version)
    {
        smrf_capture_code *made = nullptr;
        char error[SMRF_SASS_ERROR_BYTES] = "";
        EXPECT_EQ(smrf_capture_code_make(&made, &code, &module.function("k"), version, true, error),
                  0)
            << error;
        const uint32_t index = module.function("k").first + 1;
        std::string t = made ? line_text(made->op[index]->line, version >= 6) : error;
        char side[SMRF_CAPTURE_TEXT_MAX] = "";
        EXPECT_TRUE(made && smrf_capture_text(made, &module->inst[index], side));
        sidecar = side;
        smrf_capture_code_free(made);
        return t;
    }
    sass_module module;
    std::vector<smrf_exec_op> ops;
    smrf_exec_code code{};
    std::string sidecar;
};

struct listing {
    const char *sass, *v5, *v6, *sidecar;
};

// Accel-Sim's tracer_tool.cu: operand 0 is the destination if it is a register; of an address the
// base; constants, predicates and (version 5) uniform registers are left out; RZ is R255; the
// immediate is the last one, in version 6 the first two.
const listing listings[] = {
    {"IMAD R0, R7, c[0x0][0x0], R3", "1 R0 IMAD 2 R7 R3 0 0", "1 R0 IMAD 2 R7 R3 0 0 0",
     "0010 PT - IMAD =R0 A:R7 B:c[0x0][0x0] C:R3"},
    {"IADD3 R1, R1.reuse, -0x10, RZ", "1 R1 IADD3 2 R1 R255 0 -16", "1 R1 IADD3 2 R1 R255 0 -16 0",
     "0010 PT - IADD3 =R1 A:R1.reuse B:-0x10 C:RZ"},
    {"IADD3 R4, P0, R4, 0x40, RZ", "1 R4 IADD3 2 R4 R255 0 64", "1 R4 IADD3 2 R4 R255 0 64 0",
     "0010 PT - IADD3 =R4 =P0 A:R4 B:0x40 C:RZ"},
    {"IADD3.X R5, RZ, R5, RZ, P0, !PT", "1 R5 IADD3.X 3 R255 R5 R255 0 0",
     "1 R5 IADD3.X 3 R255 R5 R255 0 0 0", "0010 PT - IADD3.X =R5 A:RZ B:R5 C:RZ ?P0 ?!PT"},
    {"@!P2 ISETP.GE.AND P0, PT, R8, c[0x0][0x178], PT", "0 ISETP.GE.AND 1 R8 0 0",
     "0 ISETP.GE.AND 1 R8 0 0 0", "0010 !P2 - ISETP.GE.AND =P0 =PT A:R8 B:c[0x0][0x178] ?PT"},
    {"PLOP3.LUT P0, PT, P1, PT, !P2, 0x80, 0x8", "0 PLOP3.LUT 0 0 8", "0 PLOP3.LUT 0 0 128 8",
     "0010 PT - PLOP3.LUT =P0 =PT ?P1 ?PT ?!P2 A:0x80 B:0x8"},
    {"LOP3.LUT P2, RZ, R9, 0x3, RZ, 0xc0, !PT", "0 LOP3.LUT 3 R255 R9 R255 0 192",
     "0 LOP3.LUT 3 R255 R9 R255 0 3 192", "0010 PT - LOP3.LUT =P2 =RZ A:R9 B:0x3 C:RZ D:0xc0 ?!PT"},
    {"LEA R2, P1, R4, c[0x0][0x160], 0x2", "1 R2 LEA 1 R4 0 2", "1 R2 LEA 1 R4 0 2 0",
     "0010 PT - LEA =R2 =P1 A:R4 B:c[0x0][0x160] C:0x2"},
    {"SHFL.UP PT, R2, R11, 0x1, RZ", "0 SHFL.UP 3 R2 R11 R255 0 1", "0 SHFL.UP 3 R2 R11 R255 0 1 0",
     "0010 PT - SHFL.UP =PT =R2 A:R11 B:0x1 C:RZ"},
    {"VOTE.ANY R6, PT, P0", "1 R6 VOTE.ANY 0 0 0", "1 R6 VOTE.ANY 0 0 0 0",
     "0010 PT - VOTE.ANY =R6 =PT ?P0"},
    {"VOTE.ALL P1, P0", "0 VOTE.ALL 0 0 0", "0 VOTE.ALL 0 0 0 0", "0010 PT - VOTE.ALL =P1 ?P0"},
    {"FSETP.GTU.AND P0, PT, |R5|, +INF , PT", "0 FSETP.GTU.AND 1 R5 0 0",
     "0 FSETP.GTU.AND 1 R5 0 0 0", "0010 PT - FSETP.GTU.AND =P0 =PT A:|R5| B:+INF ?PT"},
    {"HFMA2 R1, R1.H0_H0, R2, -R3.H1_H1", "1 R1 HFMA2 3 R1 R2 R3 0 0",
     "1 R1 HFMA2 3 R1 R2 R3 0 0 0", "0010 PT - HFMA2 =R1 A:R1.H0_H0 B:R2 C:-R3.H1_H1"},
    {"FADD R0, -R1, 1.5", "1 R0 FADD 1 R1 0 0", "1 R0 FADD 1 R1 0 0 0",
     "0010 PT - FADD =R0 A:-R1 B:1.5"},
    {"S2R R3, SR_CTAID.X", "1 R3 S2R 0 0 0", "1 R3 S2R 0 0 0 0", "0010 PT - S2R =R3 A:SR_CTAID.X"},
    {"HMMA.1688.F32 R4, R8.reuse, R2, R4", "1 R4 HMMA.1688.F32 3 R8 R2 R4 0 0",
     "1 R4 HMMA.1688.F32 3 R8 R2 R4 0 0 0", "0010 PT - HMMA.1688.F32 =R4 A:R8.reuse B:R2 C:R4"},
    {"LDG.E.128.SYS R4, [R2+0x10]", "1 R4 LDG.E.128.SYS 1 R2 16 0",
     "1 R4 LDG.E.128.SYS 1 R2 16 0 0", "0010 PT - LDG.E.128.SYS =R4 A:[R2+0x10]"},
    {"@P0 STG.E.SYS [R8+-0x4], R6", "0 STG.E.SYS 2 R8 R6 4 0", "0 STG.E.SYS 2 R8 R6 4 0 0",
     "0010 P0 - STG.E.SYS A:[R8-0x4] B:R6"},
    {"LDG.E.SYS R4, [R2.reuse+0x10]", "1 R4 LDG.E.SYS 1 R2 4 0", "1 R4 LDG.E.SYS 1 R2 4 0 0",
     "0010 PT - LDG.E.SYS =R4 A:[R2.reuse+0x10]"},
    {"LDS.U R5, [0x10]", "1 R5 LDS.U 1 R255 4 0", "1 R5 LDS.U 1 R255 4 0 0",
     "0010 PT - LDS.U =R5 A:[0x10]"},
    {"LDS.U.U8 R5, [R9.X4+UR4+0x10]", "1 R5 LDS.U.U8 1 R9 1 0", "1 R5 LDS.U.U8 1 R9 1 0 0",
     "0010 PT - LDS.U.U8 =R5 A:[R9.X4+UR4+0x10]"},
    {"STL.64 [R1], R6", "0 STL.64 2 R1 R6 8 0", "0 STL.64 2 R1 R6 8 0 0",
     "0010 PT - STL.64 A:[R1] B:R6"},
    {"ATOMG.E.ADD.STRONG.GPU PT, R0, [R2], R5", "0 ATOMG.E.ADD.STRONG.GPU 3 R0 R2 R5 4 0",
     "0 ATOMG.E.ADD.STRONG.GPU 3 R0 R2 R5 4 0 0",
     "0010 PT - ATOMG.E.ADD.STRONG.GPU =PT =R0 A:[R2] B:R5"},
    {"RED.E.ADD.STRONG.GPU [R2], R5", "0 RED.E.ADD.STRONG.GPU 2 R2 R5 4 0",
     "0 RED.E.ADD.STRONG.GPU 2 R2 R5 4 0 0", "0010 PT - RED.E.ADD.STRONG.GPU A:[R2] B:R5"},
    {"LDC R2, c[0x3][R4+0x8]", "1 R2 LDC 0 0 0", "1 R2 LDC 0 0 0 0",
     "0010 PT - LDC =R2 A:c[0x3][R4+0x8]"},
    {"UMOV UR4, 0x5", "0 UMOV 0 0 5", "1 UR4 UMOV 0 0 5 0", "0010 PT - UMOV =UR4 A:0x5"},
    {"IMAD R10, R10, UR4, R3", "1 R10 IMAD 2 R10 R3 0 0", "1 R10 IMAD 3 R10 UR4 R3 0 0 0",
     "0010 PT - IMAD =R10 A:R10 B:UR4 C:R3"},
    {"R2UR UR6, R2", "0 R2UR 1 R2 0 0", "1 UR6 R2UR 1 R2 0 0 0", "0010 PT - R2UR =UR6 A:R2"},
    {"@P0 BRA `(.L_1)", "0 BRA 0 0 32", "0 BRA 0 0 32 0", "0010 P0 - BRA A:0x20"},
    {"BSSY B0, `(.L_1)", "0 BSSY 0 0 32", "0 BSSY 0 0 32 0", "0010 PT - BSSY =B0 A:0x20"},
    {"BSYNC B0", "0 BSYNC 0 0 0", "0 BSYNC 0 0 0 0", "0010 PT - BSYNC A:B0"},
    {"BMOV.32.CLEAR RZ, B6", "1 R255 BMOV.32.CLEAR 0 0 0", "1 R255 BMOV.32.CLEAR 0 0 0 0",
     "0010 PT - BMOV.32.CLEAR =RZ A:B6"},
    {"BMOV.32 B6, R2", "0 BMOV.32 1 R2 0 0", "0 BMOV.32 1 R2 0 0 0", "0010 PT - BMOV.32 =B6 A:R2"},
    {"CALL.REL.NOINC `(f)", "0 CALL.REL.NOINC 0 0 64", "0 CALL.REL.NOINC 0 0 64 0",
     "0010 PT - CALL.REL.NOINC A:0x40"},
    {"RET.REL.NODEC R20 `(k)", "1 R20 RET.REL.NODEC 0 0 0", "1 R20 RET.REL.NODEC 0 0 0 0",
     "0010 PT - RET.REL.NODEC A:R20 B:0x0"},
    {"BAR.SYNC 0x1", "0 BAR.SYNC 0 0 1", "0 BAR.SYNC 0 0 1 0", "0010 PT - BAR.SYNC A:0x1"},
};

TEST(Capture, ListsOperandsAsAccelSimsTracerDoes)
{
    for (const listing &l : listings) {
        one_line one(l.sass);
        if (one.module.get() == nullptr) {
            continue;
        }
        EXPECT_EQ(one.text(5), l.v5) << l.sass;
        EXPECT_EQ(one.sidecar, l.sidecar);
        EXPECT_EQ(one.text(6), l.v6) << l.sass;
    }
}

TEST(Capture, GivesCalleesPCsBehindTheKernelWhicheverComesFirstInTheText)
{
    sass_module module(sass_function("f", {"NOP", "NOP", "EXIT"}, false) +
                       sass_function("other", {"NOP", "EXIT"}) +
                       sass_function("k", {"NOP", "EXIT"}) + sass_function("g", {"EXIT"}, false));
    std::vector<smrf_exec_op> ops(module->num_insts);
    smrf_exec_code code{module.get(), ops.data(), SMRF_EXEC_RZ};
    smrf_capture_code *c = nullptr;
    char error[SMRF_SASS_ERROR_BYTES];
    ASSERT_EQ(smrf_capture_code_make(&c, &code, &module.function("k"), 5, true, error), 0) << error;
    const uint32_t k = module.function("k").size, g = module.function("g").size;
    EXPECT_EQ(smrf_capture_pc(c, module.function("k").address + 16), 16u);
    EXPECT_EQ(smrf_capture_pc(c, module.function("g").address), k);
    EXPECT_EQ(smrf_capture_pc(c, module.function("f").address), k + g);
    EXPECT_EQ(c->op[module.function("other").first], nullptr) << "no kernel calls another";
    smrf_capture_code_free(c);
}

// ---- runs -------------------------------------------------------------------------------------

// Every space, divergence, a loop, a constant between registers, a mark of reuse, a guard.
std::string kernel_text()
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

run_result run(const std::string &dir, const run_options &o = {})
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
seen_trace expected(const run_result &r)
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

TEST_F(capture, WritesWhatTheExecutorDidInEveryFormatAndCompression)
{
    unsigned n = 0;
    for (auto format : {SMRF_TRACE_V5, SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        for (auto compression :
             {SMRF_COMPRESS_NONE, SMRF_COMPRESS_XZ, SMRF_COMPRESS_GZ, SMRF_COMPRESS_ZSTD}) {
            if (format == SMRF_TRACE_TRACEZ && compression != SMRF_COMPRESS_NONE) {
                continue;
            }
            run_options o;
            o.format = format;
            o.compression = compression;
            const std::string dir = folder / ("t" + std::to_string(n++));
            run_result r = run(dir, o);
            ASSERT_EQ(r.rc, 0) << r.error;
            read_trace t = read_back(dir);
            EXPECT_EQ(t.rc, 0) << t.error;
            EXPECT_TRUE(t.warnings.empty()) << t.warnings[0];
            EXPECT_EQ(t.seen, expected(r));
            EXPECT_EQ(t.copies, 2u);
            ASSERT_EQ(t.infos.size(), 2u);
            EXPECT_EQ(t.names[1], "k");
            EXPECT_EQ(t.infos[1].id, 2u);
            EXPECT_EQ(t.infos[0].grid.y, GRID.y);
            EXPECT_EQ(t.infos[0].block.x, THREADS);
            EXPECT_EQ(t.infos[0].shared_bytes, 4u * THREADS);
            EXPECT_EQ(t.infos[0].num_regs, 24u);
            EXPECT_EQ(t.infos[0].binary_version, 75u);
            EXPECT_EQ(t.infos[0].shared_window, SMRF_EXEC_SHARED_WINDOW);
            EXPECT_EQ(t.infos[0].local_window, SMRF_EXEC_LOCAL_WINDOW);
        }
    }
}

TEST_F(capture, AWarpsLocalAddressesAreOffsetsTheSameForEveryLane)
{
    run_result r = run(folder / "t");
    ASSERT_EQ(r.rc, 0) << r.error;
    unsigned met = 0;
    for (const auto &warp : read_back(folder / "t").seen) {
        for (const seen_inst &i : warp.second) {
            if (i.opcode != "STL" || i.mask == 0) {
                continue;
            }
            met++;
            for (unsigned l = 1; l < 32; l++) {
                EXPECT_EQ(i.lane[l], (i.mask >> l & 1) != 0 ? i.lane[0] : 0);
            }
            EXPECT_LT(i.lane[0], SMRF_EXEC_WINDOW_BYTES);
        }
    }
    EXPECT_EQ(met, 2u * GRID.x * GRID.y * WARPS);
}

// The values of a source are those that the trace's own last write of the register left.
TEST_F(capture, ValuesFollowFromEachOther)
{
    for (auto format : {SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        run_options o;
        o.format = format;
        o.values = true;
        o.replace = true;
        run_result r = run(folder / "t", o);
        ASSERT_EQ(r.rc, 0) << r.error;
        read_trace t = read_back(folder / "t");
        ASSERT_EQ(t.rc, 0) << t.error;
        EXPECT_TRUE(t.warnings.empty()) << t.warnings[0];
        EXPECT_EQ(t.seen, expected(r));
        uint64_t compared = 0;
        for (const auto &warp : t.values) {
            std::map<unsigned, std::array<uint32_t, 32>> reg;
            const std::vector<seen_inst> &insts = t.seen[warp.first];
            for (size_t i = 0; i < insts.size(); i++) {
                const smrf_static_inst &op =
                    t.op[{std::get<0>(warp.first), uint32_t(insts[i].address)}];
                ASSERT_EQ(warp.second[i].size(), insts[i].mask == 0
                                                     ? warp.second[i].size()
                                                     : size_t(op.num_dst) + op.num_src);
                for (size_t v = warp.second[i].size(); v-- > 0;) {
                    const auto &[number, lanes] = warp.second[i][v];
                    auto &row = reg[number];
                    for (unsigned l = 0; l < 32; l++) {
                        if ((insts[i].mask >> l & 1) == 0) {
                            continue;
                        }
                        if (v >= op.num_dst) {
                            EXPECT_EQ(row[l], lanes[l]) << op.text << " R" << number;
                            compared++;
                        } else {
                            row[l] = lanes[l];
                        }
                    }
                }
            }
        }
        EXPECT_GT(compared, 10000u);
    }
}

TEST_F(capture, ASmallBudgetSpillsAndChangesNothing)
{
    run_options large, small;
    large.values = small.values = true;
    large.format = small.format = SMRF_TRACE_V6;
    large.loops = small.loops = 400;
    small.budget = 1;
    run_result a = run(folder / "a", large), b = run(folder / "b", small);
    ASSERT_EQ(a.rc, 0) << a.error;
    ASSERT_EQ(b.rc, 0) << b.error;
    EXPECT_EQ(a.totals.spilled_bytes, 0u);
    EXPECT_GT(b.totals.spilled_bytes, uint64_t{4} * SMRF_STREAM_CHUNK);
    EXPECT_EQ(folder_files(folder / "a"), folder_files(folder / "b"));
}

TEST_F(capture, TracingTwiceGivesTheSameBytes)
{
    for (auto format : {SMRF_TRACE_V5, SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        run_options o;
        o.format = format;
        o.replace = true;
        o.compression = format == SMRF_TRACE_TRACEZ ? SMRF_COMPRESS_NONE : SMRF_COMPRESS_XZ;
        ASSERT_EQ(run(folder / "a", o).rc, 0);
        ASSERT_EQ(run(folder / "b", o).rc, 0);
        auto a = folder_files(folder / "a");
        EXPECT_EQ(a, folder_files(folder / "b"));
        EXPECT_EQ(a.size(), 5u) << "a list, and two files a launch";
    }
}

// ---- options ----------------------------------------------------------------------------------

TEST_F(capture, WritesOnlyTheBlocksAndWarpsAskedForButCountsEverything)
{
    run_options o;
    o.blocks = "0,3-4";
    o.warps = "2,0";
    run_result r = run(folder / "t", o);
    ASSERT_EQ(r.rc, 0) << r.error;
    seen_trace want = expected(r);
    uint64_t all = 0, written = 0;
    for (auto i = want.begin(); i != want.end();) {
        const auto [launch, block, warp] = i->first;
        all += i->second.size();
        bool in = (block == 0 || block == 3 || block == 4) && warp != 1;
        written += in ? i->second.size() : 0;
        i = in ? std::next(i) : want.erase(i);
    }
    EXPECT_EQ(read_back(folder / "t").seen, want);
    EXPECT_EQ(r.totals.warp_insts, all);
    EXPECT_EQ(r.totals.written_insts, written);
    EXPECT_EQ(r.totals.written_blocks, 6u);
}

TEST_F(capture, ABlockThatNoGridHasIsAnErrorAndLeavesNothing)
{
    run_options o;
    o.blocks = "0,3-77";
    run_result r = run(folder / "t", o);
    EXPECT_EQ(SMRF_ERR_INVAL, r.rc);
    EXPECT_NE(std::string::npos, r.error.find("there is no block 77")) << r.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "t"));
}

TEST_F(capture, AnInstructionLimitEndsALaunchsTraceAfterAWholeBlock)
{
    run_result whole = run("");
    uint64_t block = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        block += whole.seen[{1, 0, w}].size();
    }
    run_options o;
    o.max_insts = block + 1;
    run_result r = run(folder / "t", o);
    ASSERT_EQ(r.rc, 0) << r.error;
    seen_trace want = expected(r);
    for (auto i = want.begin(); i != want.end();) {
        i = std::get<1>(i->first) < 2 ? std::next(i) : want.erase(i);
    }
    EXPECT_EQ(read_back(folder / "t").seen, want);
    EXPECT_EQ(r.totals.written_blocks, 4u);
    EXPECT_EQ(r.totals.warp_insts, whole.totals.warp_insts);
}

TEST_F(capture, WithoutAFolderItCountsByClass)
{
    run_result r = run("");
    uint64_t loads = 0, threads = 0, all = 0;
    for (const auto &warp : r.seen) {
        for (const seen_inst &i : warp.second) {
            loads += i.opcode.rfind("LD", 0) == 0;
            threads += static_cast<unsigned>(__builtin_popcount(i.mask));
            all++;
        }
    }
    EXPECT_EQ(r.totals.by_class[SMRF_CLASS_LOAD], loads);
    EXPECT_EQ(r.totals.thread_insts, threads);
    EXPECT_EQ(r.totals.warp_insts, all);
    EXPECT_EQ(r.totals.written_insts, 0u);
    EXPECT_EQ(r.totals.copies, 2u);
    EXPECT_EQ(r.totals.copied_bytes, 2u * 4 * THREADS);
}

TEST_F(capture, RefusesRangesThatAreNone)
{
    for (const char *text :
         {"", ",", "1,", "a", "3-1", "-2", "1-", "1;2", "1 ,2", "99999999999999999999"}) {
        smrf_capture_ranges r;
        char error[SMRF_SASS_ERROR_BYTES] = "";
        EXPECT_EQ(smrf_capture_ranges_parse(&r, text, error), SMRF_ERR_INVAL) << text;
        EXPECT_NE(std::string(error).find("such as 0,3,8-15"), std::string::npos);
        EXPECT_EQ(r.num, 0u);
    }
    smrf_capture_ranges r;
    char error[SMRF_SASS_ERROR_BYTES];
    ASSERT_EQ(smrf_capture_ranges_parse(&r, "5,7-9", error), 0);
    for (uint64_t v = 0; v < 12; v++) {
        EXPECT_EQ(smrf_capture_ranges_has(&r, v), v == 5 || (v >= 7 && v <= 9)) << v;
    }
    smrf_capture_ranges_free(&r);
}

// ---- errors -----------------------------------------------------------------------------------

TEST_F(capture, AFailingKernelLeavesNothing)
{
    run_options o;
    o.text = sass_function("k", {"MOV R2, 0x10", "MOV R3, RZ", "LDG.E.SYS R4, [R2]", "EXIT"});
    run_result r = run(folder / "t", o);
    EXPECT_LT(r.rc, 0);
    EXPECT_NE(r.error.find("LDG"), std::string::npos) << r.error;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(capture, CannotBeFinishedAfterAFailedLaunchAndSaysWhy)
{
    for (const char *dir : {"t", ""}) {
        run_options o;
        o.text = sass_function("k", {"MOV R2, 0x10", "MOV R3, RZ", "LDG.E.SYS R4, [R2]", "EXIT"});
        o.goes_on = true;
        run_result r = run(*dir ? folder / dir : "", o);
        EXPECT_EQ(r.rc, SMRF_ERR_STATE);
        EXPECT_EQ(r.error, "a launch failed before: its trace cannot be completed");
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    }
}

TEST_F(capture, ASignalEndsTheRunAndLeavesNothing)
{
    const volatile sig_atomic_t stop = 1;
    run_options o;
    o.stop = &stop;
    run_result r = run(folder / "t", o);
    EXPECT_EQ(r.rc, SMRF_ERR_STATE);
    EXPECT_NE(r.error.find("stopped by a signal"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(capture, ReplacesATraceOnlyWhenTold)
{
    ASSERT_EQ(run(folder / "t").rc, 0);
    run_result again = run(folder / "t");
    EXPECT_EQ(again.rc, SMRF_ERR_IO);
    EXPECT_NE(again.error.find(folder / "t"), std::string::npos) << again.error;
    EXPECT_NE(again.error.find("--force"), std::string::npos);
    std::ofstream(folder / "t/notes.txt") << "mine";
    std::ofstream(folder / "t/kernel-7.traceg.xz") << "old";
    run_options o;
    o.replace = true;
    o.launches = 1;
    const auto before = folder_files(folder / "t");
    again = run(folder / "t", o);
    EXPECT_EQ(again.rc, SMRF_ERR_IO) << "it may be somebody's";
    EXPECT_NE(again.error.find("kernel-7.traceg.xz, which no kernelslist.g there names"),
              std::string::npos)
        << again.error;
    EXPECT_TRUE(folder_files(folder / "t") == before);
    std::ofstream(folder / "t/kernelslist.g", std::ios::app) << "kernel-7.traceg\n";
    ASSERT_EQ(run(folder / "t", o).rc, 0);
    auto files = folder_files(folder / "t");
    EXPECT_EQ(files.count("notes.txt"), 1u) << "what is no trace stays";
    EXPECT_EQ(files.count("kernel-7.traceg.xz"), 0u);
    EXPECT_EQ(files.count("kernel-2.traceg"), 0u);
    EXPECT_EQ(files.size(), 4u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// The lock of a process that was killed names its folder; nothing else is touched.
TEST_F(capture, RemovesWhatAKilledRunLeftAndNothingElse)
{
    for (const char *name : {"t.0badcafe.partial", "t.partial", "t.00000000.partial"}) {
        std::filesystem::create_directory(folder / name);
        std::ofstream(folder / (std::string(name) + "/kernel-1.traceg")) << "half";
        std::ofstream(folder / (std::string(name) + "/kernelslist.g")) << "half";
    }
    std::ofstream(folder / ".t.lock") << "smrf 1 t.0badcafe.partial\n";
    ASSERT_EQ(run(folder / "t/").rc, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "t.0badcafe.partial"));
    EXPECT_FALSE(std::filesystem::exists(folder / ".t.lock"));
    EXPECT_EQ(folder_files(folder / "t.partial").size(), 2u) << "somebody's trace";
    EXPECT_EQ(folder_files(folder / "t.00000000.partial").size(), 2u);
}

// What a killed run has left becomes a trace: the launches that the running list names.
TEST_F(capture, ResumesWhatAKilledRunLeft)
{
    char error[512] = "";
    smrf_folder *f = nullptr;
    const std::string dir = folder / "t", left = folder / "t.0badcafe.partial";
    EXPECT_EQ(smrf_folder_resume(&f, dir.c_str(), false, error, sizeof error), 0);
    EXPECT_EQ(f, nullptr) << "nothing was left";
    for (const bool listed : {false, true}) {
        std::filesystem::create_directory(left);
        std::ofstream(folder / ".t.lock") << "smrf 1 t.0badcafe.partial\n";
        for (const char *name : {"kernel-1.traceg.zst", "kernel-1.operands", "kernel-2.traceg.zst",
                                 "kernel-3.traceg.zst.00c0ffee.part"}) {
            std::ofstream(left + "/" + name) << "whole or not";
        }
        if (listed) {
            std::ofstream(left + "/kernelslist.g.running.part") << "kernel-1.traceg.zst\n";
        }
        EXPECT_EQ(smrf_folder_resume(&f, dir.c_str(), false, error, sizeof error), 0) << error;
        EXPECT_EQ(f != nullptr, listed);
        EXPECT_EQ(std::filesystem::exists(left), listed);
        EXPECT_EQ(std::filesystem::exists(folder / ".t.lock"), listed);
    }
    EXPECT_EQ(folder_files(left).size(), 3u);
    ASSERT_EQ(smrf_folder_publish(f, error, sizeof error), 0) << error;
    const auto files = folder_files(dir);
    EXPECT_EQ(files.size(), 3u);
    EXPECT_EQ(files.at("kernelslist.g"), "kernel-1.traceg.zst\n");
    EXPECT_EQ(files.count("kernel-1.operands"), 1u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(capture, ALockThatNamesSomethingElseHarmsNothing)
{
    std::filesystem::create_directory(folder / "precious");
    std::ofstream(folder / "precious/kernel-1.traceg") << "mine";
    for (const char *name : {"precious", "t.1/../precious", "../x", "t.partial", ""}) {
        std::ofstream(folder / ".t.lock") << "smrf 1 " << name << "\n";
        run_options o;
        o.replace = true;
        ASSERT_EQ(run(folder / "t", o).rc, 0) << name;
        EXPECT_EQ(folder_files(folder / "precious").size(), 1u) << name;
    }
    std::ofstream(folder / ".t.lock") << "a letter\n";
    run_result r = run(folder / "u");
    EXPECT_EQ(r.rc, 0);
    r = run(folder / "t");
    EXPECT_EQ(r.rc, SMRF_ERR_IO);
    EXPECT_NE(r.error.find("move it away"), std::string::npos) << r.error;
    EXPECT_TRUE(std::filesystem::exists(folder / ".t.lock"));
}

TEST_F(capture, OnlyOneWritesATrace)
{
    smrf_capture *first = nullptr, *second = nullptr;
    const std::string dir = folder / "t";
    smrf_capture_options o = {};
    o.dir = dir.c_str();
    ASSERT_EQ(smrf_capture_open(&first, &o), 0);
    o.replace = true;
    EXPECT_EQ(smrf_capture_open(&second, &o), SMRF_ERR_IO);
    std::string error = smrf_capture_error(second);
    EXPECT_NE(error.find("process " + std::to_string(getpid()) + " is writing a trace there"),
              std::string::npos)
        << error;
    smrf_capture_close(second);
    smrf_capture_close(first);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A link stays, and the folder behind it is written.
TEST_F(capture, FollowsALinkToTheFolder)
{
    std::filesystem::create_directory_symlink("far", folder / "t");
    EXPECT_EQ(run(folder / "t").rc, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "t"));
    EXPECT_EQ(read_back(folder / "far").rc, 0);
    run_options o;
    o.replace = true;
    EXPECT_EQ(run(folder / "t", o).rc, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "t"));
}

TEST_F(capture, WritesTheFolderInWhichItStands)
{
    std::filesystem::create_directory(folder / "t");
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "t");
    run_options o;
    o.replace = true;
    EXPECT_EQ(run(".", o).rc, 0);
    EXPECT_EQ(run(".", o).rc, 0);
    EXPECT_TRUE(std::filesystem::exists("kernelslist.g")) << "still the same folder";
    std::filesystem::current_path(here);
    EXPECT_EQ(read_back(folder / "t").rc, 0);
}

TEST_F(capture, RefusesAFileForAFolder)
{
    std::ofstream(folder / "t") << "text";
    run_result r = run(folder / "t");
    EXPECT_EQ(r.rc, SMRF_ERR_IO);
    EXPECT_NE(r.error.find("is no folder"), std::string::npos) << r.error;
}

TEST_F(capture, MakesTheFoldersAbove)
{
    EXPECT_EQ(run(folder / "a/b/c").rc, 0);
    EXPECT_EQ(read_back(folder / "a/b/c").rc, 0);
}

TEST_F(capture, RefusesValuesInVersion5)
{
    run_options o;
    o.values = true;
    run_result r = run(folder / "t", o);
    EXPECT_EQ(r.rc, SMRF_ERR_INVAL);
    EXPECT_NE(r.error.find("version 6"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// ---- the sidecar ------------------------------------------------------------------------------

void replace(const std::string &path, const std::string &from, const std::string &to)
{
    std::string text = file_text(path);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(path, std::ios::binary) << text.replace(at, from.size(), to);
}

class sidecar : public capture
{
  protected:
    void SetUp() override
    {
        run_options o;
        o.launches = 1;
        ASSERT_EQ(run(folder / "t", o).rc, 0);
    }
    // The line changed, what does the reader say? Both files have to be named.
    std::string complaint(const std::string &from, const std::string &to)
    {
        replace(path, from, to);
        read_trace t = read_back(folder / "t");
        EXPECT_EQ(t.rc, SMRF_ERR_FORMAT) << t.error;
        return t.error;
    }
    const smrf_static_inst &op(const char *opcode)
    {
        trace = read_back(folder / "t");
        EXPECT_EQ(trace.rc, 0) << trace.error;
        for (const auto &o : trace.op) {
            if (std::string(o.second.text) == opcode) {
                return o.second;
            }
        }
        ADD_FAILURE() << opcode;
        return trace.op.begin()->second;
    }
    const std::string path = folder / "t/kernel-1.operands";
    read_trace trace;
};

TEST_F(sidecar, TellsPositionsReuseAndPredicates)
{
    trace = read_back(folder / "t");
    ASSERT_EQ(trace.rc, 0) << trace.error;
    // R11 = R9 x c[..] + R10.reuse
    const smrf_static_inst &imad = trace.op[{1, 0x150}];
    ASSERT_STREQ(imad.text, "IMAD");
    EXPECT_EQ(imad.has_operands, 1);
    ASSERT_EQ(imad.num_src, 2);
    EXPECT_EQ(imad.src[1], 10);
    EXPECT_EQ(imad.src_slot[0], 0);
    EXPECT_EQ(imad.src_slot[1], 2);
    EXPECT_EQ(imad.src_reuse, 2u);
    EXPECT_EQ(imad.const_slots, 2u);
    EXPECT_EQ(imad.guard, 7);
    // @P1 BRA and ISETP P1
    const smrf_static_inst &bra = trace.op[{1, 0x140}], &isetp = trace.op[{1, 0x130}];
    EXPECT_EQ(bra.guard, 1);
    EXPECT_EQ(bra.guard_inverted, 0);
    EXPECT_EQ(isetp.pred_dst, 2);
    EXPECT_EQ(isetp.pred_src, 0);
    const smrf_static_inst &stg = trace.op[{1, 0x1a0}];
    ASSERT_STREQ(stg.text, "STG.E.SYS");
    EXPECT_EQ(stg.guard, 0);
    EXPECT_EQ(stg.guard_inverted, 1);
    // IMAD.WIDE R4, R0, R12, c[..]: A and B are single registers
    EXPECT_EQ(trace.op[(std::pair<unsigned, uint32_t>{1, 0x60})].num_src, 2);
}

TEST_F(sidecar, IsNotNeeded)
{
    seen_trace with = read_back(folder / "t").seen;
    std::filesystem::remove(path);
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ(trace.seen, with);
    const smrf_static_inst &imad = trace.op[{1, 0x150}];
    EXPECT_EQ(imad.has_operands, 0);
    EXPECT_EQ(imad.guard, 7);
    EXPECT_EQ(imad.src_reuse, 0u);
    EXPECT_EQ(imad.src_slot[1], 1) << "a guess without it";
}

// The same file as it was before version 2: no control bits, functions as remarks.
TEST_F(sidecar, Version1StillReads)
{
    seen_trace now = read_back(folder / "t").seen;
    std::string text = file_text(path), old;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        size_t control = line.find(" - ");
        if (line[0] == '.') {
            continue;
        }
        old += line == "#smrf operands 3"     ? "#smrf operands 1\n#function 0000 k"
               : control != std::string::npos ? line.erase(control, 2)
                                              : line;
        old += '\n';
    }
    std::ofstream(path, std::ios::binary) << old;
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ(trace.seen, now);
    EXPECT_EQ((trace.op[{1, 0x150}].has_operands), 1);
    EXPECT_EQ((trace.op[{1, 0x150}].has_control), 0);
}

TEST_F(sidecar, ControlBitsReachTheInstruction)
{
    replace(path, "0150 PT - IMAD", "0150 PT 0407e3 IMAD");
    trace = read_back(folder / "t");
    EXPECT_EQ(trace.rc, 0) << trace.error;
    EXPECT_EQ((trace.op[{1, 0x150}].has_control), 1);
    EXPECT_EQ((trace.op[{1, 0x150}].control), 0x407e3u);
    EXPECT_EQ((trace.op[{1, 0x140}].has_control), 0);
}

TEST_F(sidecar, AMismatchNamesBothFiles)
{
    std::string error = complaint("IMAD =R11 A:R9", "IMAD =R11 A:R19");
    EXPECT_NE(error.find("kernel-1.traceg:"), std::string::npos) << error;
    EXPECT_NE(error.find("kernel-1.operands:24"), std::string::npos) << error;
    EXPECT_NE(error.find("R19"), std::string::npos) << error;
    EXPECT_NE(complaint("A:R19", "A:R9 D:R3").find("does not fit"), std::string::npos);
    EXPECT_NE(complaint("IMAD =R11 A:R9 D:R3", "IMAD.HI =R11 A:R9").find("IMAD.HI"),
              std::string::npos);
}

// It says how long it is: half of one would change results without a word.
TEST_F(sidecar, EveryCutIsAnError)
{
    const std::string whole = file_text(path);
    const size_t end = whole.rfind("#end ");
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(std::stol(whole.substr(end + 5)), std::count(whole.begin(), whole.end(), '\n') - 1);
    // Version 2 has no last line, but says how long its functions are.
    std::string old = whole.substr(0, end);
    old.replace(old.find("operands 3"), 10, "operands 2");
    for (const std::string &text : {whole, old}) {
        std::ofstream(path, std::ios::binary) << text;
        trace = read_back(folder / "t");
        EXPECT_EQ(trace.rc, 0) << trace.error;
        for (size_t cut = 0; cut + 1 < text.size(); cut += 1 + cut % 5) {
            std::ofstream(path, std::ios::binary) << text.substr(0, cut);
            trace = read_back(folder / "t");
            EXPECT_LT(trace.rc, 0) << cut << " of " << text.size();
            EXPECT_NE(trace.error.find("kernel-1.operands"), std::string::npos) << trace.error;
        }
    }
    std::ofstream(path, std::ios::binary) << whole << "0ff0 PT - NOP\n";
    EXPECT_NE(read_back(folder / "t").error.find("nothing may follow"), std::string::npos);
    std::string shorter = whole;
    shorter.erase(shorter.find("0150 PT"), shorter.find("0160 PT") - shorter.find("0150 PT"));
    std::ofstream(path, std::ios::binary) << shorter;
    EXPECT_NE(read_back(folder / "t").error.find("is not whole"), std::string::npos);
}

TEST_F(sidecar, AnInstructionThatIsNotInItIsAnError)
{
    std::string error = complaint("0150 PT", "0158 PT");
    EXPECT_NE(error.find("kernel-1.operands"), std::string::npos) << error;
    EXPECT_NE(error.find("PC 0150"), std::string::npos) << error;
}

TEST_F(sidecar, BadTextIsAnErrorWithFileAndLine)
{
    const char *const changes[][3] = {
        {"#smrf operands 3", "#operands", "the first line must read"},
        {"0150 PT", "0140 PT", "PCs must ascend"},
        {"0150 PT", "x150 PT", "a hexadecimal PC"},
        {"0150 PT", "0150 Q1", "a guard"},
        {"0150 PT - IMAD", "0150 PT IMAD", "the control bits"},
        {"0150 PT - IMAD", "0150 PT 200000 IMAD", "the control bits"},
        {"0150 PT - IMAD", "0150 PT - imad", "an opcode"},
        {".function 0000", ".function", "'.function PC bytes registers"},
        {".function", ".call 0000 xyz\n.function", "PCs must follow"},
        {".function", ".function 0000 10 3 device f\n.function", "functions must ascend"},
        {".function", ".functions", "unknown statement"},
        {"0150 PT - IMAD =R11", "0150 PT - IMAD R11", "an operand must begin"},
        {"0150 PT - IMAD =R11", "0150 PT - IMAD =R256", "is no register"},
        {"B:c[0x0][0x168] C:R10", "B:c[0x0][0x168 C:R10", "is no register"},
        {"A:R9 B:c[0x0][0x168]", "A:R9 A: B:c[0x0][0x168]", "is no register"},
        {"IMAD =R11 A:R9", "IMAD =R11 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 ?P0 A:R9", "12 operands"},
    };
    const std::string good = file_text(path);
    for (const auto &c : changes) {
        std::ofstream(path, std::ios::binary) << good;
        std::string error = complaint(c[0], c[1]);
        EXPECT_NE(error.find("kernel-1.operands:"), std::string::npos) << error;
        EXPECT_NE(error.find(c[2]), std::string::npos) << error;
    }
    std::ofstream(path, std::ios::binary) << "";
    EXPECT_NE(read_back(folder / "t").error.find("is empty"), std::string::npos);
}

TEST_F(sidecar, BelongsToTheTracesDigest)
{
    auto digest = [&] {
        smrf_trace *t = nullptr;
        smrf_kernel_info info;
        EXPECT_EQ(smrf_trace_open(&t, (folder / "t").c_str(), nullptr), 0);
        while (smrf_trace_next_kernel(t, &info) == 1) {
        }
        uint64_t d = smrf_trace_totals_get(t)->digest;
        smrf_trace_close(t);
        return d;
    };
    uint64_t before = digest();
    replace(path, ".reuse", "");
    EXPECT_NE(digest(), before);
}

} // namespace
