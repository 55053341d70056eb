// SPDX-License-Identifier: Apache-2.0
// What the writer writes reads back identical, in every format and compression, and nothing
// half-written ever carries a final name.
#include "trace_files.h"

#include "models/common/smrf_rng.h"
#include "traces/opcode.h"

#include <memory>

using namespace trace_files;

namespace
{

struct written_line {
    smrf_trace_line line = {};
    std::unique_ptr<smrf_values> values;
};

struct program {
    std::vector<std::vector<std::vector<written_line>>> blocks; // [block][warp][line]
};

const char *const opcodes[] = {"FFMA",          "IMAD.WIDE",      "LDG.E.64.SYS", "STG.E.128",
                               "HMMA.1688.F32", "SHFL.IDX",       "LDS.U",        "ATOMG.E.ADD",
                               "RET.REL.NODEC", "FROBNICATE.XYZ", "UMOV",         "EXIT"};

uint64_t random64(smrf_rng *r)
{
    return static_cast<uint64_t>(smrf_rng_next(r)) << 32 | smrf_rng_next(r);
}

void random_addresses(smrf_rng *r, smrf_trace_line *l)
{
    uint64_t base = random64(r) >> smrf_rng_below(r, 40);
    int64_t stride = static_cast<int64_t>(smrf_rng_below(r, 64)) - 16;
    uint32_t shape = smrf_rng_below(r, 4);
    uint64_t at = base;
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        l->lane[lane] = at;
        if (shape < 2) {
            at += static_cast<uint64_t>(stride); // stride or equal deltas
        } else if (shape == 2) {
            at += smrf_rng_below(r, 4096); // deltas
        } else {
            at = random64(r); // a list
        }
    }
}

void random_values(smrf_rng *r, written_line *w, uint32_t arch)
{
    smrf_listed_inst in = {};
    smrf_static_inst inst;
    in.opcode = w->line.opcode;
    in.num_dst = w->line.num_dst;
    in.num_src = w->line.num_src;
    std::copy(std::begin(w->line.dst), std::end(w->line.dst), in.dst);
    std::copy(std::begin(w->line.src), std::end(w->line.src), in.src);
    in.mem_width = w->line.mem_width;
    in.imm = w->line.mem_width == 0 ? w->line.imm[0] : 0;
    in.binary_version = arch;
    smrf_opcode_decode(&in, &inst, nullptr);
    w->values = std::make_unique<smrf_values>();
    w->values->num_dst = inst.num_dst;
    w->values->num_src = inst.num_src;
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        for (unsigned i = 0; i < inst.num_dst; i++) {
            w->values->dst[i][lane] = smrf_rng_next(r);
        }
        for (unsigned i = 0; i < inst.num_src; i++) {
            w->values->src[i][lane] = smrf_rng_next(r);
        }
    }
    w->line.values = w->values.get();
}

written_line random_line(smrf_rng *r, bool six, uint32_t pcs)
{
    written_line w;
    smrf_trace_line &l = w.line;
    auto reg = [&]() -> uint16_t {
        if (six && smrf_rng_below(r, 6) == 0) {
            return static_cast<uint16_t>(256 + smrf_rng_below(r, 64));
        }
        return static_cast<uint16_t>(smrf_rng_below(r, 256));
    };
    l.pc = smrf_rng_below(r, pcs) * 16;
    l.mask = random_mask(r);
    l.opcode = opcodes[smrf_rng_below(r, sizeof opcodes / sizeof opcodes[0])];
    l.num_dst = static_cast<uint8_t>(smrf_rng_below(r, 2));
    l.num_src = static_cast<uint8_t>(smrf_rng_below(r, 5));
    for (unsigned i = 0; i < l.num_dst; i++) {
        l.dst[i] = reg();
    }
    for (unsigned i = 0; i < l.num_src; i++) {
        l.src[i] = reg();
    }
    if (smrf_rng_below(r, 3) == 0) {
        l.mem_width = static_cast<uint8_t>(1u << smrf_rng_below(r, 5));
        random_addresses(r, &l);
    }
    if (smrf_rng_below(r, 3) == 0) {
        l.imm[0] = smrf_rng_below(r, 2) ? random64(r) : smrf_rng_below(r, 100);
    }
    if (six && smrf_rng_below(r, 3) == 0) {
        l.imm[1] = random64(r);
    }
    return w;
}

program random_program(uint64_t seed, bool six, uint32_t arch)
{
    smrf_rng r;
    smrf_rng_seed(&r, seed, 0);
    program p;
    p.blocks.resize(1 + smrf_rng_below(&r, 3));
    for (auto &block : p.blocks) {
        block.resize(3);
        for (auto &warp : block) {
            uint32_t n = smrf_rng_below(&r, 4) == 0 ? 0 : smrf_rng_below(&r, 60);
            if (smrf_rng_below(&r, 12) == 0) {
                n = 2048 + smrf_rng_below(&r, 2049);
            }
            for (uint32_t i = 0; i < n; i++) {
                warp.push_back(random_line(&r, six, 200));
                if (six && smrf_rng_below(&r, 4) == 0) {
                    random_values(&r, &warp.back(), arch);
                }
            }
        }
    }
    return p;
}

smrf_kernel_info kernel_info(uint32_t arch)
{
    smrf_kernel_info i = {};
    i.name = "_Z6kernelPf with blanks";
    i.id = 3;
    i.grid = {8, 2, 1};
    i.block = {33, 2, 1};
    i.shared_bytes = 4096;
    i.num_regs = 77;
    i.binary_version = arch;
    i.stream = UINT64_MAX;
    i.shared_window = 0x7f0000000000;
    i.local_window = 0x7e0000000000;
    return i;
}

void write_program(const program &p, const std::string &dir, smrf_trace_format format,
                   smrf_trace_compression compression, uint32_t arch)
{
    smrf_trace_writer *w;
    smrf_kernel_info info = kernel_info(arch);
    ASSERT_EQ(smrf_trace_writer_open(&w, dir.c_str(), format, compression), 0);
    ASSERT_EQ(smrf_trace_writer_memcpy(w, 0x7f0000001000, 12345), 0);
    ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info), 0) << smrf_trace_writer_error(w);
    for (uint32_t b = 0; b < p.blocks.size(); b++) {
        ASSERT_EQ(smrf_trace_writer_begin_block(w, {b, 1, 0}), 0);
        for (uint32_t i = 0; i < p.blocks[b].size(); i++) {
            ASSERT_EQ(smrf_trace_writer_begin_warp(w, i, p.blocks[b][i].size()), 0);
            for (const written_line &l : p.blocks[b][i]) {
                ASSERT_EQ(smrf_trace_writer_line(w, &l.line), 0) << smrf_trace_writer_error(w);
            }
        }
        ASSERT_EQ(smrf_trace_writer_end_block(w), 0);
    }
    ASSERT_EQ(smrf_trace_writer_end_kernel(w), 0) << smrf_trace_writer_error(w);
    ASSERT_EQ(smrf_trace_writer_close(w), 0);
}

void expect_values(const smrf_inst &got, const smrf_trace_line &want)
{
    /* With no register and no value there is nothing to tell "no values" from "none needed". */
    ASSERT_EQ(got.values != nullptr, want.values != nullptr) << want.opcode;
    if (got.values == nullptr) {
        return;
    }
    ASSERT_EQ(got.values->num_dst, want.values->num_dst);
    ASSERT_EQ(got.values->num_src, want.values->num_src);
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        if ((want.mask >> lane & 1) == 0) {
            continue;
        }
        for (unsigned i = 0; i < want.values->num_dst; i++) {
            ASSERT_EQ(got.values->dst[i][lane], want.values->dst[i][lane]);
        }
        for (unsigned i = 0; i < want.values->num_src; i++) {
            ASSERT_EQ(got.values->src[i][lane], want.values->src[i][lane]);
        }
    }
}

void expect_line(const smrf_inst &got, const smrf_trace_line &want)
{
    record r = from_inst(got);
    ASSERT_EQ(r.pc, want.pc);
    ASSERT_EQ(r.mask, want.mask);
    ASSERT_EQ(r.opcode, want.opcode);
    ASSERT_EQ(r.imm, want.imm[0]) << want.opcode;
    unsigned vectors = 0;
    for (unsigned i = 0; i < want.num_src; i++) {
        vectors += want.src[i] < 256;
    }
    ASSERT_EQ(r.src.size(), vectors);
    for (unsigned lane = 0; lane < SMRF_LANES && want.mem_width != 0; lane++) {
        if ((want.mask >> lane & 1) == 0) {
            continue;
        }
        ASSERT_EQ(r.address.count(static_cast<int>(lane)), 1u) << lane;
        ASSERT_EQ(r.address[static_cast<int>(lane)], want.lane[lane]) << lane;
    }
    ASSERT_EQ(r.address.size(),
              want.mem_width != 0 ? static_cast<size_t>(__builtin_popcount(want.mask)) : 0u);
    expect_values(got, want);
}

void expect_reads_back(const program &p, const std::string &dir, uint32_t arch)
{
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *block;
    ASSERT_EQ(smrf_trace_open(&t, dir.c_str(), nullptr), 0) << smrf_trace_error(t);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
    smrf_kernel_info want = kernel_info(arch);
    EXPECT_STREQ(info.name, want.name);
    EXPECT_EQ(info.id, want.id);
    EXPECT_EQ(info.grid.x, want.grid.x);
    EXPECT_EQ(info.block.y, want.block.y);
    EXPECT_EQ(info.shared_bytes, want.shared_bytes);
    EXPECT_EQ(info.num_regs, want.num_regs);
    EXPECT_EQ(info.binary_version, arch);
    EXPECT_EQ(info.stream, want.stream);
    EXPECT_EQ(info.shared_window, want.shared_window);
    EXPECT_EQ(info.local_window, want.local_window);
    for (uint32_t b = 0; b < p.blocks.size(); b++) {
        ASSERT_EQ(smrf_trace_next_block(t, &block), 1) << smrf_trace_error(t);
        EXPECT_EQ(smrf_trace_block_id(block).x, b);
        EXPECT_EQ(smrf_trace_block_id(block).y, 1u);
        ASSERT_EQ(smrf_trace_block_warps(block), 3u);
        for (uint32_t w = 0; w < 3; w++) {
            ASSERT_EQ(smrf_trace_warp_length(block, w), p.blocks[b][w].size());
            smrf_inst inst;
            for (const written_line &l : p.blocks[b][w]) {
                ASSERT_EQ(smrf_trace_next_inst(block, w, &inst), 1) << smrf_trace_error(t);
                expect_line(inst, l.line);
                if (testing::Test::HasFatalFailure()) {
                    return;
                }
            }
            ASSERT_EQ(smrf_trace_next_inst(block, w, &inst), 0);
        }
        smrf_trace_release_block(t, block);
    }
    ASSERT_EQ(smrf_trace_next_block(t, &block), 0) << smrf_trace_error(t);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 0) << smrf_trace_error(t);
    EXPECT_EQ(smrf_trace_totals_get(t)->memcpy_bytes, 12345u);
    smrf_trace_close(t);
}

struct form {
    smrf_trace_format format;
    smrf_trace_compression compression;
};

class RoundTrip : public testing::TestWithParam<form>
{
};

TEST_P(RoundTrip, RandomTracesReadBackIdentical)
{
    bool six = GetParam().format != SMRF_TRACE_V5;
    const uint32_t archs[] = {61, 70, 75, 80, 90};
    for (uint64_t seed = 1; seed <= 25; seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        uint32_t arch = archs[seed % 5];
        temp_dir dir;
        program p = random_program(seed, six, arch);
        write_program(p, dir / "out", GetParam().format, GetParam().compression, arch);
        expect_reads_back(p, dir / "out", arch);
        if (HasFailure()) {
            return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, RoundTrip,
    testing::Values(form{SMRF_TRACE_V5, SMRF_COMPRESS_NONE}, form{SMRF_TRACE_V5, SMRF_COMPRESS_XZ},
                    form{SMRF_TRACE_V5, SMRF_COMPRESS_GZ}, form{SMRF_TRACE_V5, SMRF_COMPRESS_ZSTD},
                    form{SMRF_TRACE_V6, SMRF_COMPRESS_NONE}, form{SMRF_TRACE_V6, SMRF_COMPRESS_XZ},
                    form{SMRF_TRACE_V6, SMRF_COMPRESS_GZ}, form{SMRF_TRACE_V6, SMRF_COMPRESS_ZSTD},
                    form{SMRF_TRACE_TRACEZ, SMRF_COMPRESS_NONE},
                    form{SMRF_TRACE_TRACEZ, SMRF_COMPRESS_ZSTD}));

TEST(Writer, DigestIsTheSameForEveryCompression)
{
    program p = random_program(7, false, 75);
    std::vector<uint64_t> digests;
    for (auto c : {SMRF_COMPRESS_NONE, SMRF_COMPRESS_XZ, SMRF_COMPRESS_GZ, SMRF_COMPRESS_ZSTD}) {
        temp_dir dir;
        write_program(p, dir / "out", SMRF_TRACE_V5, c, 75);
        digests.push_back(read_all(dir / "out").totals.digest);
    }
    for (uint64_t d : digests) {
        EXPECT_EQ(d, digests[0]);
    }
}

TEST(Writer, LinesLookAsTheTracerWritesThem)
{
    temp_dir dir;
    smrf_trace_writer *w;
    smrf_kernel_info info = kernel_info(75);
    ASSERT_EQ(smrf_trace_writer_open(&w, (dir / "o").c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_NONE),
              0);
    ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info), 0);
    ASSERT_EQ(smrf_trace_writer_begin_block(w, {0, 0, 0}), 0);
    ASSERT_EQ(smrf_trace_writer_begin_warp(w, 0, 4), 0);
    smrf_trace_line l = {};
    l.pc = 0x10;
    l.mask = UINT32_MAX;
    l.opcode = "LDG.E.SYS";
    l.num_dst = l.num_src = 1;
    l.dst[0] = 8;
    l.src[0] = 2;
    l.mem_width = 4;
    for (unsigned i = 0; i < 32; i++) {
        l.lane[i] = 0x7f0000000000 + 8 * i;
    }
    ASSERT_EQ(smrf_trace_writer_line(w, &l), 0);
    l.mask = 0x11;
    ASSERT_EQ(smrf_trace_writer_line(w, &l), 0);
    l.lane[4] = 0;
    l.imm[0] = UINT64_MAX;
    ASSERT_EQ(smrf_trace_writer_line(w, &l), 0);
    l.mask = 0;
    ASSERT_EQ(smrf_trace_writer_line(w, &l), 0);
    ASSERT_EQ(smrf_trace_writer_end_block(w), 0);
    ASSERT_EQ(smrf_trace_writer_end_kernel(w), 0);
    ASSERT_EQ(smrf_trace_writer_close(w), 0);
    std::string text = read_file(dir / "o/kernel-3.traceg");
    EXPECT_NE(text.find("\n0010 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 0x7f0000000000 8 0 \n"),
              std::string::npos);
    EXPECT_NE(text.find("\n0010 00000011 1 R8 LDG.E.SYS 1 R2 4 2 0x7f0000000000 32 0 \n"),
              std::string::npos);
    EXPECT_NE(text.find("\n0010 00000011 1 R8 LDG.E.SYS 1 R2 4 0 0x7f0000000000 0x0 -1 \n"),
              std::string::npos);
    EXPECT_NE(text.find("\n0010 00000000 1 R8 LDG.E.SYS 1 R2 4 1 0x0 0 -1 \n"), std::string::npos);
    EXPECT_EQ(read_file(dir / "o/kernelslist.g"), "kernel-3.traceg\n");
}

class Unfinished : public testing::Test
{
  protected:
    void SetUp() override
    {
        info_ = kernel_info(75);
        ASSERT_EQ(
            smrf_trace_writer_open(&w_, (dir_ / "o").c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_XZ), 0);
        ASSERT_EQ(smrf_trace_writer_begin_kernel(w_, &info_), 0);
        ASSERT_EQ(smrf_trace_writer_begin_block(w_, {0, 0, 0}), 0);
        ASSERT_EQ(smrf_trace_writer_begin_warp(w_, 0, 1), 0);
        line_.opcode = "EXIT";
    }
    // After any error: the code is passed on to the close and the folder holds nothing.
    void expect_dropped(int code)
    {
        EXPECT_EQ(smrf_trace_writer_close(w_), code);
        EXPECT_TRUE(fs::is_empty(dir_ / "o"));
    }
    temp_dir dir_;
    smrf_trace_writer *w_ = nullptr;
    smrf_kernel_info info_ = {};
    smrf_trace_line line_ = {};
};

TEST_F(Unfinished, ClosingInsideALaunchLeavesNoFile)
{
    expect_dropped(SMRF_ERR_STATE);
}

TEST_F(Unfinished, TooFewInstructionsAreRefused)
{
    EXPECT_EQ(smrf_trace_writer_end_block(w_), SMRF_ERR_STATE);
    EXPECT_NE(std::string(smrf_trace_writer_error(w_)).find("fewer"), std::string::npos);
    expect_dropped(SMRF_ERR_STATE);
}

TEST_F(Unfinished, TooManyInstructionsAreRefused)
{
    EXPECT_EQ(smrf_trace_writer_line(w_, &line_), 0);
    EXPECT_EQ(smrf_trace_writer_line(w_, &line_), SMRF_ERR_STATE);
    expect_dropped(SMRF_ERR_STATE);
}

TEST_F(Unfinished, WarpsOutOfOrderOrBeyondTheBlockAreRefused)
{
    EXPECT_EQ(smrf_trace_writer_line(w_, &line_), 0);
    EXPECT_EQ(smrf_trace_writer_begin_warp(w_, 0, 1), SMRF_ERR_INVAL);
    expect_dropped(SMRF_ERR_INVAL);
}

TEST_F(Unfinished, EachThingThatVersionFiveCannotSayIsRefused)
{
    smrf_values values = {};
    std::vector<smrf_trace_line> bad(8, line_);
    bad[0].opcode = "lower";
    bad[1].opcode = "TWO WORDS";
    bad[2].opcode = nullptr;
    bad[3].num_src = 9;
    bad[4].num_src = 1;
    bad[4].src[0] = 256;
    bad[5].imm[1] = 1;
    bad[6].values = &values;
    bad[7].num_dst = 1;
    bad[7].dst[0] = 320;
    for (size_t i = 0; i < bad.size(); i++) {
        temp_dir dir;
        smrf_trace_writer *w;
        ASSERT_EQ(smrf_trace_writer_open(&w, dir.path().c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_NONE),
                  0);
        ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info_), 0);
        ASSERT_EQ(smrf_trace_writer_begin_block(w, {0, 0, 0}), 0);
        ASSERT_EQ(smrf_trace_writer_begin_warp(w, 0, 1), 0);
        EXPECT_EQ(smrf_trace_writer_line(w, &bad[i]), SMRF_ERR_INVAL) << i;
        EXPECT_EQ(smrf_trace_writer_close(w), SMRF_ERR_INVAL);
        EXPECT_TRUE(fs::is_empty(dir.path()));
    }
    expect_dropped(SMRF_ERR_STATE);
}

TEST(Writer, IllegalHeadersAreRefused)
{
    std::vector<smrf_kernel_info> bad(5, kernel_info(75));
    bad[0].name = "two\nlines";
    bad[1].grid.y = 0;
    bad[2].block = {1024, 2, 2};
    bad[3].block.z = 0;
    bad[4].num_regs = 257;
    for (size_t i = 0; i < bad.size(); i++) {
        temp_dir dir;
        smrf_trace_writer *w;
        ASSERT_EQ(smrf_trace_writer_open(&w, dir.path().c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_NONE),
                  0);
        EXPECT_EQ(smrf_trace_writer_begin_kernel(w, &bad[i]), SMRF_ERR_INVAL) << i;
        EXPECT_EQ(smrf_trace_writer_close(w), SMRF_ERR_INVAL);
    }
}

TEST(Writer, FoldersThatCannotBeMadeAndOuterCompressionOfBinaryTracesAreErrors)
{
    smrf_trace_writer *w;
    EXPECT_EQ(smrf_trace_writer_open(&w, "/proc/no/such", SMRF_TRACE_V5, SMRF_COMPRESS_NONE),
              SMRF_ERR_IO);
    EXPECT_EQ(smrf_trace_writer_close(w), SMRF_ERR_IO);
    temp_dir dir;
    EXPECT_EQ(smrf_trace_writer_open(&w, dir.path().c_str(), SMRF_TRACE_TRACEZ, SMRF_COMPRESS_XZ),
              SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_trace_writer_close(w), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_trace_writer_close(nullptr), SMRF_ERR_NOMEM);
}

TEST(Writer, FullDiskIsAnError)
{
    temp_dir dir;
    fs::create_symlink("/dev/full", dir / "kernel-3.traceg");
    smrf_trace_writer *w;
    smrf_kernel_info info = kernel_info(75);
    ASSERT_EQ(smrf_trace_writer_open(&w, dir.path().c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_NONE), 0);
    ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info), 0);
    EXPECT_EQ(smrf_trace_writer_end_kernel(w), SMRF_ERR_IO);
    EXPECT_NE(std::string(smrf_trace_writer_error(w)).find("kernel-3"), std::string::npos);
    EXPECT_EQ(smrf_trace_writer_close(w), SMRF_ERR_IO);
    EXPECT_FALSE(fs::exists(dir / "kernelslist.g"));
}

} // namespace
