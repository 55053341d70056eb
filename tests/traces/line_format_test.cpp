// SPDX-License-Identifier: Apache-2.0
// Lines as the writer forms them against a slow formatter of the tests' own, character by
// character.
#include "trace_files.h"

#include "models/common/smrf_rng.h"
#include "traces/line_format.h"
#include "traces/opcode.h"

#include <cinttypes>

using namespace trace_files;

namespace
{

template <typename... Args> std::string text(const char *format, Args... args)
{
    char buffer[64];
    snprintf(buffer, sizeof buffer, format, args...);
    return buffer;
}

std::string registers(unsigned n, const uint16_t *list)
{
    std::string s = std::to_string(n) + " ";
    for (unsigned i = 0; i < n; i++) {
        s +=
            (list[i] < 256 ? "R" + std::to_string(list[i]) : "UR" + std::to_string(list[i] - 256)) +
            " ";
    }
    return s;
}

std::string signed_text(uint64_t v)
{
    return std::to_string(static_cast<int64_t>(v)) + " ";
}

// Accel-Sim's tracer: mode 1 = base and stride, 2 = base and deltas of 32 bits, 0 = a list.
std::string addresses(uint32_t mask, const std::vector<uint64_t> &at)
{
    if (at.empty()) {
        return "1 0x0 0 ";
    }
    unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
    uint64_t run = ((UINT64_C(1) << at.size()) - 1) << first;
    bool constant = true, small = true;
    for (size_t i = 1; i < at.size(); i++) {
        auto delta = static_cast<int64_t>(at[i] - at[i - 1]);
        constant = constant && delta == static_cast<int64_t>(at[1] - at[0]);
        small = small && delta >= INT32_MIN && delta <= INT32_MAX;
    }
    std::string base = text("0x%" PRIx64 " ", at[0]);
    if (at.size() > 1 && run == mask && constant && small) {
        return "1 " + base + signed_text(at[1] - at[0]);
    }
    std::string s = (small ? "2 " : "0 ") + base;
    for (size_t i = 1; i < at.size(); i++) {
        s += small ? signed_text(at[i] - at[i - 1]) : text("0x%" PRIx64 " ", at[i]);
    }
    return s;
}

std::string group(const smrf_trace_line &l, const smrf_operand_place *place)
{
    std::string s;
    unsigned n = 0;
    for (unsigned r = 0; place != nullptr && place->vector && r < place->regs; r++) {
        const uint32_t *row =
            place->is_dst ? l.values->dst[place->first + r] : l.values->src[place->first + r];
        for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
            if ((l.mask >> lane & 1) != 0) {
                s += text("0x%" PRIx32 " ", row[lane]);
                n++;
            }
        }
    }
    return std::to_string(n) + " " + s;
}

std::string slow(const smrf_trace_line &l, const std::vector<uint64_t> &at, uint32_t version)
{
    std::string s = text("%04" PRIx32 " %08" PRIx32 " ", l.pc, l.mask) +
                    registers(l.num_dst, l.dst) + l.opcode + " " + registers(l.num_src, l.src) +
                    std::to_string(l.mem_width) + " ";
    if (l.mem_width != 0) {
        s += addresses(l.mask, at);
    }
    s += signed_text(l.imm[0]);
    if (version >= 6) {
        s += signed_text(l.imm[1]);
        if (l.values == nullptr) {
            s += "NoVal ";
        } else {
            s += "Val " + group(l, l.num_dst > 0 ? &l.map->dst[0] : nullptr);
            for (unsigned k = 0; k < l.num_src; k++) {
                s += group(l, &l.map->src[k]);
            }
        }
    }
    return s + "\n";
}

uint64_t random64(smrf_rng *r)
{
    uint64_t v = static_cast<uint64_t>(smrf_rng_next(r)) << 32 | smrf_rng_next(r);
    return v >> smrf_rng_below(r, 64);
}

// Rows that are alike in all lanes, full eight digits, of every length, of anything.
void random_row(smrf_rng *r, uint32_t row[SMRF_LANES])
{
    uint32_t shape = smrf_rng_below(r, 4), first = smrf_rng_next(r) >> smrf_rng_below(r, 32);
    for (unsigned i = 0; i < SMRF_LANES; i++) {
        row[i] = shape == 0   ? first
                 : shape == 1 ? smrf_rng_next(r) | UINT32_C(0x10000000)
                 : shape == 2 ? UINT32_C(1) << i
                              : smrf_rng_next(r) >> smrf_rng_below(r, 32);
    }
}

struct fixture {
    smrf_trace_line line = {};
    smrf_values values = {};
    smrf_operand_map map = {};
    std::vector<uint64_t> at; // of the active lanes
};

void random_operand(smrf_rng *r, smrf_operand_place *place, bool is_dst, uint8_t *first)
{
    place->vector = smrf_rng_below(r, 4) != 0;
    place->is_dst = is_dst;
    place->first = *first;
    place->regs = static_cast<uint8_t>(1 + smrf_rng_below(r, 4));
    *first = static_cast<uint8_t>(*first + place->regs);
}

void random_line(smrf_rng *r, uint32_t version, fixture *f)
{
    static const char *const opcodes[] = {"EXIT", "LDG.E.64.SYS", "HMMA.1688.F32",
                                          "ISETP.GE.U32.AND.EX.AND.ALSO.WITH.A.TAIL.OF.SIXTY.",
                                          "CHARACTERS.AND.MORE.THAN.THAT"};
    smrf_trace_line &l = f->line;
    uint8_t used_dst = 0, used_src = 0;
    l.pc = smrf_rng_next(r) >> smrf_rng_below(r, 32);
    l.mask = random_mask(r);
    l.opcode = opcodes[smrf_rng_below(r, 4)];
    l.num_dst = static_cast<uint8_t>(smrf_rng_below(r, 2));
    l.num_src = static_cast<uint8_t>(smrf_rng_below(r, 6));
    uint32_t names = version >= 6 ? 256 + 64 : 256;
    for (unsigned i = 0; i < SMRF_MAX_BASE; i++) {
        l.dst[i] = static_cast<uint16_t>(smrf_rng_below(r, names));
        l.src[i] = static_cast<uint16_t>(smrf_rng_below(r, names));
    }
    l.imm[0] = smrf_rng_below(r, 2) != 0 ? 0 - random64(r) : random64(r);
    l.imm[1] = version >= 6 ? 0 - random64(r) : 0;
    l.mem_width = static_cast<uint8_t>(smrf_rng_below(r, 2) * 16);
    l.strided = smrf_rng_below(r, 2) != 0;
    l.base = random64(r);
    l.stride = smrf_rng_below(r, 2) != 0 ? 0 - random64(r) : random64(r);
    uint64_t next = random64(r), step = smrf_rng_below(r, 9), jitter = smrf_rng_below(r, 3);
    for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
        if ((l.mask >> lane & 1) == 0) {
            continue;
        }
        l.lane[lane] = next;
        f->at.push_back(l.strided ? l.base + f->at.size() * l.stride : next);
        next = jitter == 0 ? next + step : jitter == 1 ? next - smrf_rng_next(r) : random64(r);
    }
    if (version < 6 || smrf_rng_below(r, 3) == 0) {
        return;
    }
    l.values = &f->values;
    l.map = &f->map;
    random_operand(r, &f->map.dst[0], true, &used_dst);
    for (unsigned k = 0; k < l.num_src; k++) {
        random_operand(r, &f->map.src[k], false, &used_src);
    }
    for (auto &row : f->values.dst) {
        random_row(r, row);
    }
    for (auto &row : f->values.src) {
        random_row(r, row);
    }
}

class LineFormat : public testing::TestWithParam<uint32_t>
{
};

TEST_P(LineFormat, RandomLinesAreWhatTheSlowFormatterMakes)
{
    const uint32_t version = GetParam();
    smrf_rng r;
    smrf_rng_seed(&r, 11, 0);
    std::vector<char> out(SMRF_LINE_TEXT_MAX);
    for (unsigned i = 0; i < 20000; i++) {
        fixture f;
        smrf_listed_text listed;
        random_line(&r, version, &f);
        smrf_trace_line_list(&listed, &f.line, version);
        ASSERT_EQ(smrf_line_refusal(&f.line, &listed), nullptr);
        size_t n = smrf_line_format(out.data(), &f.line, &listed, 75);
        ASSERT_EQ(std::string(out.data(), n), slow(f.line, f.at, version)) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Versions, LineFormat, testing::Values(5u, 6u));

TEST(LineFormat, TheLongestLineFits)
{
    fixture f;
    smrf_listed_text listed;
    std::string opcode(100, 'X');
    f.line.pc = f.line.mask = UINT32_MAX;
    f.line.opcode = opcode.c_str();
    f.line.num_dst = 1;
    f.line.num_src = SMRF_MAX_BASE;
    f.line.mem_width = 128;
    f.line.imm[0] = f.line.imm[1] = UINT64_C(1) << 63;
    f.line.values = &f.values;
    f.line.map = &f.map;
    f.map.dst[0] = {true, true, 0, SMRF_MAX_DST, SMRF_MAX_DST};
    for (unsigned i = 0; i < SMRF_MAX_BASE; i++) {
        f.line.src[i] = 319;
        f.map.src[i] = {true, false, static_cast<uint8_t>(3 * i), 3, 3};
    }
    f.line.dst[0] = 319;
    for (unsigned i = 0; i < SMRF_LANES; i++) {
        f.line.lane[i] = UINT64_MAX - (i % 2 != 0 ? UINT64_C(1) << 40 : 0);
        f.at.push_back(f.line.lane[i]);
        for (auto &row : f.values.dst) {
            row[i] = UINT32_MAX - i;
        }
        for (auto &row : f.values.src) {
            row[i] = UINT32_MAX - 2 * i;
        }
    }
    // Nothing behind the room may be touched.
    std::vector<char> out(SMRF_LINE_TEXT_MAX + 64, '#');
    smrf_trace_line_list(&listed, &f.line, 6);
    ASSERT_EQ(smrf_line_refusal(&f.line, &listed), nullptr);
    size_t n = smrf_line_format(out.data(), &f.line, &listed, 75);
    EXPECT_EQ(std::string(out.data(), n), slow(f.line, f.at, 6));
    EXPECT_EQ(std::string(out.data() + SMRF_LINE_TEXT_MAX, 64), std::string(64, '#'));
}

// A text made for version 6 serves no version 5 file: the writer makes its own.
TEST(LineFormat, ATextOfAnotherVersionIsMadeAnew)
{
    temp_dir dir;
    smrf_trace_writer *w;
    smrf_kernel_info info = {};
    info.name = "k";
    info.id = 1;
    info.grid = {1, 1, 1};
    info.block = {32, 1, 1};
    smrf_trace_line line = {};
    smrf_listed_text listed;
    line.opcode = "NOP";
    line.mask = 1;
    smrf_trace_line_list(&listed, &line, 6);
    line.listed = &listed;
    ASSERT_EQ(smrf_trace_writer_open(&w, (dir / "o").c_str(), SMRF_TRACE_V5, SMRF_COMPRESS_NONE),
              0);
    ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info), 0);
    ASSERT_EQ(smrf_trace_writer_begin_block(w, {0, 0, 0}), 0);
    ASSERT_EQ(smrf_trace_writer_begin_warp(w, 0, 1), 0);
    ASSERT_EQ(smrf_trace_writer_line(w, &line), 0);
    ASSERT_EQ(smrf_trace_writer_end_block(w), 0);
    ASSERT_EQ(smrf_trace_writer_end_kernel(w), 0);
    ASSERT_EQ(smrf_trace_writer_close(w), 0);
    EXPECT_NE(read_file(dir / "o/kernel-1.traceg").find("\n0000 00000001 0 NOP 0 0 0 \n"),
              std::string::npos);
}

// Several background jobs of a compressor: 12 MB of values.
TEST(LineFormat, ALargeCompressedFileIsTheSameEveryTimeAndReadsBack)
{
    std::string first;
    for (int round = 0; round < 2; round++) {
        temp_dir dir;
        smrf_trace_writer *w;
        smrf_kernel_info info = {};
        smrf_rng r;
        smrf_rng_seed(&r, 5, 0);
        info.name = "k";
        info.id = 1;
        info.grid = {1, 1, 1};
        info.block = {32, 1, 1};
        info.binary_version = 75;
        smrf_trace_line line = {};
        smrf_values values = {};
        line.opcode = "IADD3";
        line.mask = UINT32_MAX;
        line.num_dst = line.num_src = 1;
        line.dst[0] = 2;
        line.src[0] = 3;
        line.values = &values;
        values.num_dst = values.num_src = 1;
        const uint32_t insts = 16000;
        std::string at = dir / "o";
        ASSERT_EQ(smrf_trace_writer_open(&w, at.c_str(), SMRF_TRACE_V6, SMRF_COMPRESS_ZSTD), 0);
        ASSERT_EQ(smrf_trace_writer_begin_kernel(w, &info), 0);
        ASSERT_EQ(smrf_trace_writer_begin_block(w, {0, 0, 0}), 0);
        ASSERT_EQ(smrf_trace_writer_begin_warp(w, 0, insts), 0);
        std::vector<uint32_t> want;
        for (uint32_t i = 0; i < insts; i++) {
            for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
                values.dst[0][lane] = values.src[0][lane] = smrf_rng_next(&r);
            }
            want.push_back(values.src[0][31]);
            ASSERT_EQ(smrf_trace_writer_line(w, &line), 0);
        }
        ASSERT_EQ(smrf_trace_writer_end_block(w), 0);
        ASSERT_EQ(smrf_trace_writer_end_kernel(w), 0);
        ASSERT_EQ(smrf_trace_writer_close(w), 0);
        std::string bytes = read_file(at + "/kernel-1.traceg.zst");
        if (round == 1) {
            EXPECT_TRUE(bytes == first);
        }
        first = bytes;
        smrf_trace *t;
        smrf_trace_block *block;
        smrf_inst inst;
        ASSERT_EQ(smrf_trace_open(&t, at.c_str(), nullptr), 0) << smrf_trace_error(t);
        ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
        ASSERT_EQ(smrf_trace_next_block(t, &block), 1) << smrf_trace_error(t);
        for (uint32_t i = 0; i < insts; i++) {
            ASSERT_EQ(smrf_trace_next_inst(block, 0, &inst), 1) << smrf_trace_error(t);
            ASSERT_EQ(inst.values->src[0][31], want[i]);
        }
        smrf_trace_release_block(t, block);
        smrf_trace_close(t);
    }
}

} // namespace
