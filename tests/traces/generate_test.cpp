// SPDX-License-Identifier: Apache-2.0
// The generator: the bundled traces are what it writes, and what it writes is a sensible program.
#include "trace_files.h"

#include "traces/byte_source.h"
#include "traces/generate/generate.h"

using namespace trace_files;

namespace
{

std::string unpacked(const std::string &path)
{
    smrf_trace_error_text error = {};
    smrf_source *s;
    std::string text;
    char buffer[65536];
    EXPECT_EQ(smrf_source_open(&s, path.c_str(), nullptr, &error), 0) << error.text;
    if (s == nullptr) {
        return "";
    }
    for (int64_t n; (n = smrf_source_read(s, buffer, sizeof buffer, &error)) > 0;) {
        text.append(buffer, static_cast<size_t>(n));
    }
    EXPECT_EQ(error.code, 0) << error.text;
    smrf_source_close(s);
    return text;
}

std::string bundled(const std::string &name)
{
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    return std::string(source != nullptr ? source : ".") + "/traces/bundled/" + name;
}

void expect_bundled(const std::string &name, const std::string &made)
{
    std::string want = unpacked(made + "/kernel-1.traceg.xz");
    EXPECT_GT(want.size(), 10000u);
    EXPECT_EQ(unpacked(bundled(name) + "/kernel-1.traceg.xz"), want)
        << "regenerate it: traces/bundled/README.md names the command";
    EXPECT_EQ(read_file(bundled(name) + "/kernelslist.g"), read_file(made + "/kernelslist.g"));
    EXPECT_LT(fs::file_size(bundled(name) + "/kernel-1.traceg.xz"), 300u * 1024);
}

TEST(Generate, BundledTracesAreWhatTheGeneratorWrites)
{
    char error[256];
    temp_dir dir;
    std::string a = dir / "a", b = dir / "b";
    smrf_gen_target target = {a.c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_XZ};
    ASSERT_EQ(smrf_generate_matmul(&target, 64, error), 0) << error;
    expect_bundled("matmul", a);
    target.dir = b.c_str();
    ASSERT_EQ(smrf_generate_divergent(&target, 500, error), 0) << error;
    expect_bundled("divergent", b);
}

// Every register that is read has been written before by the same lanes of the warp; what the
// hardware sets up itself is the exception.
void expect_true_dependences(const std::string &path)
{
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b;
    smrf_inst i;
    ASSERT_EQ(smrf_trace_open(&t, path.c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1);
    while (smrf_trace_next_block(t, &b) == 1) {
        for (uint32_t w = 0; w < smrf_trace_block_warps(b); w++) {
            std::map<int, uint32_t> written;
            while (smrf_trace_next_inst(b, w, &i) == 1) {
                for (unsigned k = 0; k < i.op->num_src; k++) {
                    ASSERT_EQ(i.mask & ~written[i.op->src[k]], 0u)
                        << i.op->text << " at " << i.op->pc << " reads R" << int{i.op->src[k]};
                }
                for (unsigned k = 0; k < i.op->num_dst; k++) {
                    written[i.op->dst[k]] |= i.mask;
                    ASSERT_LT(i.op->dst[k], info.num_regs);
                }
            }
        }
        smrf_trace_release_block(t, b);
    }
    EXPECT_EQ(smrf_trace_totals_get(t)->unknown_opcodes, 0u);
    smrf_trace_close(t);
}

TEST(Generate, BundledTracesReadNothingUnwritten)
{
    expect_true_dependences(bundled("matmul"));
    expect_true_dependences(bundled("divergent"));
}

TEST(Generate, MatmulTouchesTheElementsOfItsMatrices)
{
    outcome o = read_all(bundled("matmul"));
    ASSERT_EQ(o.rc, 0) << o.error;
    const uint64_t a = 0x7f0a20000000, b = 0x7f0a21000000, c = 0x7f0a22000000;
    std::map<uint64_t, int> loads, stores;
    uint64_t barriers = 0, ffma = 0;
    for (const auto &block : o.kernels.at(0)) {
        for (const auto &[w, records] : block.warp) {
            for (const record &r : records) {
                barriers += r.opcode == "BAR.SYNC";
                ffma += r.opcode == "FFMA";
                for (auto [lane, at] : r.address) {
                    if (r.opcode == "LDG.E.SYS") {
                        loads[at]++;
                    }
                    if (r.opcode == "STG.E.SYS") {
                        stores[at]++;
                    }
                    if (r.opcode.substr(0, 3) == "LDS" || r.opcode.substr(0, 3) == "STS") {
                        EXPECT_LT(at, 2048u);
                    }
                }
            }
        }
    }
    EXPECT_EQ(barriers, 16u * 8 * 4 * 2);
    EXPECT_EQ(ffma, 64u * 64 * 64 / 32);
    for (uint64_t i = 0; i < 64 * 64; i++) {
        EXPECT_EQ(loads[a + 4 * i], 4) << "each element of A by one tile of each column of blocks";
        EXPECT_EQ(loads[b + 4 * i], 4);
        EXPECT_EQ(stores[c + 4 * i], 1);
    }
    EXPECT_EQ(loads.size(), 2u * 64 * 64);
    EXPECT_EQ(stores.size(), 64u * 64);
}

TEST(Generate, DivergentThreadsEachStoreOnceAndEveryPathIsTaken)
{
    outcome o = read_all(bundled("divergent"));
    ASSERT_EQ(o.rc, 0) << o.error;
    std::map<uint64_t, int> stores;
    std::map<std::string, uint64_t> seen;
    bool partial_exit = false;
    for (const auto &block : o.kernels.at(0)) {
        for (const auto &[w, records] : block.warp) {
            uint32_t exited = 0;
            for (const record &r : records) {
                seen[r.opcode]++;
                if (r.opcode == "EXIT") {
                    EXPECT_EQ(exited & r.mask, 0u);
                    exited |= r.mask;
                    partial_exit |= r.mask != 0 && r.mask != UINT32_MAX;
                } else {
                    EXPECT_EQ(exited & r.mask, 0u) << "a lane runs after its exit";
                }
                for (auto [lane, at] : r.address) {
                    stores[at] += r.opcode == "STG.E.SYS";
                }
            }
            EXPECT_EQ(exited, UINT32_MAX);
        }
    }
    uint64_t stored = 0;
    for (auto [at, n] : stores) {
        EXPECT_LE(n, 1);
        stored += static_cast<uint64_t>(n);
    }
    EXPECT_EQ(stored, 500u);
    EXPECT_TRUE(partial_exit);
    EXPECT_GE(seen["BSYNC"], seen["BSSY"]) << "once an arriving subset";
    EXPECT_EQ(seen["CALL.REL.NOINC"], seen["RET.REL.NODEC"]);
    EXPECT_GT(seen["CALL.REL.NOINC"], 0u);
}

TEST(Generate, InstructionsAreParsedFromText)
{
    smrf_gen_inst i;
    char copy[64];
    ASSERT_EQ(smrf_generate_parse_inst("FFMA R20+16*2 R2 R3 RZ", &i, copy), 0);
    EXPECT_STREQ(i.opcode, "FFMA");
    EXPECT_EQ(i.dst, 20);
    EXPECT_EQ(i.dst_cycle, 16);
    EXPECT_EQ(i.dst_step, 2);
    EXPECT_EQ(i.num_src, 3);
    EXPECT_EQ(i.src[2], 255);
    ASSERT_EQ(smrf_generate_parse_inst("STG.E - R2 R4 @0x100,4,-8,32", &i, copy), 0);
    EXPECT_EQ(i.num_dst, 0);
    EXPECT_EQ(i.num_src, 2);
    EXPECT_EQ(i.address, 0x100u);
    EXPECT_EQ(i.step, -8);
    EXPECT_EQ(i.warp_step, 32);
    for (const char *bad : {"", "FFMA R300", "FFMA X1", "FFMA R1 R2 17", "LDG R1 R2 @1",
                            "LDG R1 @x,1,1", "FFMA R200+100 R1", "FFMA R1+0 R2", "FFMA R1R2"}) {
        EXPECT_NE(smrf_generate_parse_inst(bad, &i, copy), 0) << bad;
    }
}

TEST(Generate, PatternsRepeatInTurnWithCyclingDestinationsAndMovingAddresses)
{
    smrf_gen_pattern p = {};
    char copy[2][64];
    char error[256];
    ASSERT_EQ(smrf_generate_parse_inst("FFMA R20+2 R2 R3 R5", &p.inst[0], copy[0]), 0);
    ASSERT_EQ(smrf_generate_parse_inst("LDG.E R10 R10 @0x1000,4,256,65536", &p.inst[1], copy[1]),
              0);
    p.num_insts = 2;
    p.blocks = 2;
    p.warps = 3;
    p.length = 6;
    p.num_regs = 32;
    p.binary_version = 75;
    temp_dir dir;
    std::string out = dir / "p";
    smrf_gen_target target = {out.c_str(), SMRF_TRACE_V6, SMRF_COMPRESS_NONE};
    ASSERT_EQ(smrf_generate_pattern(&target, &p, error), 0) << error;
    outcome o = read_all(out);
    ASSERT_EQ(o.rc, 0) << o.error;
    ASSERT_EQ(o.kernels.at(0).size(), 2u);
    const auto &w = o.kernels[0][1].warp[2];
    ASSERT_EQ(w.size(), 7u);
    EXPECT_EQ(w[0].dst[0], 20);
    EXPECT_EQ(w[2].dst[0], 21);
    EXPECT_EQ(w[4].dst[0], 20);
    EXPECT_EQ(w[3].address.at(2), 0x1000u + 256 + 8 + 5 * 65536);
    EXPECT_EQ(w[6].opcode, "EXIT");
    EXPECT_EQ(w[6].pc, 6u * 16);
}

TEST(Generate, IllegalRequestsAreRefused)
{
    char error[256];
    smrf_gen_target target = {"/proc/no/such", SMRF_TRACE_V5, SMRF_COMPRESS_NONE};
    EXPECT_EQ(smrf_generate_matmul(&target, 17, error), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_generate_divergent(&target, 0, error), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_generate_matmul(&target, 16, error), SMRF_ERR_IO);
    EXPECT_NE(std::string(error), "");
    smrf_gen_pattern p = {};
    EXPECT_EQ(smrf_generate_pattern(&target, &p, error), SMRF_ERR_INVAL);
}

} // namespace
