// SPDX-License-Identifier: Apache-2.0
// The binary form, built here byte by byte from its description: dictionaries, odd sub-chunks, and
// each count and offset that can be wrong.
#include "trace_files.h"

#include <zdict.h>
#include <zstd.h>

#include <functional>

using namespace trace_files;

namespace
{

std::string u32(uint32_t v)
{
    std::string s;
    for (int i = 0; i < 4; i++) {
        s += static_cast<char>(v >> (8 * i));
    }
    return s;
}

std::string u64(uint64_t v)
{
    return u32(static_cast<uint32_t>(v)) + u32(static_cast<uint32_t>(v >> 32));
}

// The parts of a file, each of which a test may falsify before it is put together.
struct binary {
    std::string head = header("5", 64);
    std::string dictionary;
    uint32_t dictionary_bytes = 0;
    bool own_dictionary_bytes = false;
    std::vector<std::vector<std::vector<std::string>>> blocks; // [block][warp][sub-chunk] lines
    std::function<void(std::string &frame)> change_frame = [](std::string &) {};
    std::function<void(uint32_t &insts, uint32_t &chunks)> change_warp = [](uint32_t &,
                                                                            uint32_t &) {};
    std::function<void(uint32_t &insts, uint32_t &chunks, uint64_t &offset, uint32_t &count)>
        change_footer = [](uint32_t &, uint32_t &, uint64_t &, uint32_t &) {};
    uint32_t block_x = 0, warps_more = 0, blocks_more = 0;
    uint64_t footer_more = 0;
    std::string after_footer;

    std::string frame(const std::string &text) const
    {
        std::string out(ZSTD_compressBound(text.size()), '\0');
        ZSTD_CCtx *c = ZSTD_createCCtx();
        out.resize(ZSTD_compress_usingDict(c, out.data(), out.size(), text.data(), text.size(),
                                           dictionary.data(), dictionary.size(), 3));
        ZSTD_freeCCtx(c);
        return out;
    }

    std::string bytes() const
    {
        std::string file = head + '\0';
        file +=
            u32(own_dictionary_bytes ? dictionary_bytes : static_cast<uint32_t>(dictionary.size()));
        file += u32(2048) + dictionary;
        std::string footer = u32(static_cast<uint32_t>(blocks.size()) + blocks_more);
        for (const auto &block : blocks) {
            footer += u32(block_x) + u32(1) + u32(1);
            for (int i = 0; i < 7; i++) {
                footer += u32(0);
            }
            footer += u32(static_cast<uint32_t>(block.size()) + warps_more);
            for (const auto &warp : block) {
                put_warp(warp, file, footer);
            }
        }
        uint64_t at = file.size() + footer_more;
        return file + footer + after_footer + u64(at);
    }

    static uint32_t lines(const std::string &text)
    {
        return text.empty() ? 0
                            : 1 + static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
    }

    void put_warp(const std::vector<std::string> &warp, std::string &file,
                  std::string &footer) const
    {
        uint32_t insts = 0;
        for (const std::string &text : warp) {
            insts += lines(text);
        }
        uint32_t chunks = static_cast<uint32_t>(warp.size());
        uint32_t own_insts = insts, own_chunks = chunks;
        uint64_t offset = file.size();
        uint32_t count = warp.empty() ? 0 : lines(warp[0]);
        change_warp(own_insts, own_chunks);
        change_footer(insts, chunks, offset, count);
        file += u32(own_insts) + u32(own_chunks);
        footer += u32(insts) + u32(chunks) + u64(offset);
        for (size_t i = 0; i < warp.size(); i++) {
            std::string f = frame(warp[i]);
            uint32_t size = static_cast<uint32_t>(f.size());
            change_frame(f);
            file += u32(f.size() == 3 ? UINT32_MAX : size) + f;
            footer += u32(i == 0 ? count : lines(warp[i]));
        }
    }
};

const char line_a[] = "0000 ffffffff 1 R1 MOV 0 0 5 ";
const char line_b[] = "0010 0000ffff 1 R8 LDG.E 1 R2 4 1 0x100 4 8 ";
const char line_c[] = "0020 ffffffff 0 EXIT 0 0 0 ";

binary small()
{
    binary b;
    b.blocks = {{{std::string(line_a) + "\n" + line_b, line_c}, {}}, {{line_c}}};
    return b;
}

outcome read_binary(const binary &b)
{
    temp_dir dir;
    write_file(dir / "k.tracez", b.bytes());
    return read_all(dir / "k.tracez");
}

void expect_error(const binary &b, int code, const std::string &reason)
{
    outcome o = read_binary(b);
    EXPECT_EQ(o.rc, code) << o.error;
    EXPECT_NE(o.error.find("k.tracez: byte "), std::string::npos) << o.error;
    EXPECT_NE(o.error.find(reason), std::string::npos) << o.error;
}

TEST(Tracez, BlocksWarpsAndSubChunksAreRead)
{
    outcome o = read_binary(small());
    ASSERT_EQ(o.rc, 0) << o.error;
    ASSERT_EQ(o.kernels.size(), 1u);
    ASSERT_EQ(o.kernels[0].size(), 2u);
    const auto &warp = o.kernels[0][0].warp[0];
    ASSERT_EQ(warp.size(), 3u);
    EXPECT_EQ(warp[0], reference_line(line_a, 5, false));
    EXPECT_EQ(warp[1], reference_line(line_b, 5, false));
    EXPECT_EQ(warp[2], reference_line(line_c, 5, false));
    EXPECT_EQ(o.kernels[0][0].warp.count(1), 0u);
    EXPECT_EQ(o.totals.warp_insts, 4u);
    EXPECT_EQ(o.totals.warps, 3u);
    EXPECT_EQ(o.totals.blocks, 2u);
}

TEST(Tracez, DictionaryIsUsed)
{
    binary b;
    std::string samples;
    std::vector<size_t> sizes;
    std::string text;
    for (int i = 0; i < 4000; i++) {
        char line[128];
        int n = std::snprintf(line, sizeof line, "%04x ffffffff 1 R%d LDG.E.SYS 1 R2 4 1 0x%x 4 0 ",
                              i % 64 * 16, i % 64, i * 7919);
        samples += line;
        sizes.push_back(static_cast<size_t>(n));
        text += (i > 0 ? "\n" : "") + std::string(line);
    }
    b.dictionary.resize(16384);
    size_t n = ZDICT_trainFromBuffer(b.dictionary.data(), b.dictionary.size(), samples.data(),
                                     sizes.data(), static_cast<unsigned>(sizes.size()));
    ASSERT_FALSE(ZDICT_isError(n)) << ZDICT_getErrorName(n);
    b.dictionary.resize(n);
    b.blocks = {{{text}}};
    outcome o = read_binary(b);
    ASSERT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.totals.warp_insts, 4000u);
    b.own_dictionary_bytes = true;
    b.dictionary_bytes = UINT32_MAX;
    expect_error(b, SMRF_ERR_CORRUPT, "dictionary");
    b.own_dictionary_bytes = false;
    std::string file = b.bytes();
    for (size_t i = 8; i < 40; i++) { /* the entropy tables behind its magic number and id */
        char &c = file[b.head.size() + 1 + 8 + i];
        c = static_cast<char>(~c);
    }
    temp_dir dir;
    write_file(dir / "k.tracez", file);
    o = read_all(dir / "k.tracez");
    EXPECT_EQ(o.rc, SMRF_ERR_CORRUPT);
    EXPECT_NE(o.error.find("dictionary does not load"), std::string::npos) << o.error;
}

TEST(Tracez, BlankLinesAndCarriageReturnsInSubChunksAreIgnored)
{
    binary b = small();
    b.blocks = {{{std::string(line_a) + "\r"}}};
    EXPECT_EQ(read_binary(b).totals.warp_insts, 1u);
}

TEST(Tracez, TruncatedFilesAreFoundAtEveryLength)
{
    std::string whole = small().bytes();
    temp_dir dir;
    for (size_t keep = 0; keep < whole.size(); keep++) {
        write_file(dir / "k.tracez", whole.substr(0, keep));
        outcome o = read_all(dir / "k.tracez");
        ASSERT_LT(o.rc, 0) << keep;
    }
}

TEST(Tracez, FooterThatDoesNotFitTheFileIsAnError)
{
    binary b = small();
    b.footer_more = 1u << 30;
    expect_error(b, SMRF_ERR_CORRUPT, "offset");
    b = small();
    b.blocks_more = 1;
    expect_error(b, SMRF_ERR_CORRUPT, "ends early");
    b = small();
    b.after_footer = "xxxx";
    expect_error(b, SMRF_ERR_CORRUPT, "follow the footer");
    b = small();
    b.block_x = 99;
    expect_error(b, SMRF_ERR_CORRUPT, "outside the grid");
    b = small();
    b.warps_more = 7;
    expect_error(b, SMRF_ERR_CORRUPT, "warps");
}

TEST(Tracez, WarpEntriesAreChecked)
{
    binary b = small();
    b.change_warp = [](uint32_t &insts, uint32_t &) { insts++; };
    expect_error(b, SMRF_ERR_CORRUPT, "in the footer");
    b = small();
    b.change_footer = [](uint32_t &, uint32_t &, uint64_t &offset, uint32_t &) { offset = 1; };
    expect_error(b, SMRF_ERR_CORRUPT, "outside the warps' data");
    b = small();
    b.change_footer = [](uint32_t &, uint32_t &, uint64_t &offset, uint32_t &) {
        offset = UINT64_MAX;
    };
    expect_error(b, SMRF_ERR_CORRUPT, "outside the warps' data");
    b = small();
    b.change_footer = [](uint32_t &, uint32_t &chunks, uint64_t &, uint32_t &) {
        chunks = 1000000;
    };
    expect_error(b, SMRF_ERR_CORRUPT, "sub-chunks");
    b = small();
    b.change_footer = [](uint32_t &insts, uint32_t &chunks, uint64_t &, uint32_t &) {
        insts = chunks = 0x40000000;
    };
    expect_error(b, SMRF_ERR_CORRUPT, "more than the footer holds");
}

TEST(Tracez, SubChunksMustHoldWhatTheFooterSays)
{
    binary b = small();
    b.change_footer = [](uint32_t &, uint32_t &, uint64_t &, uint32_t &count) { count++; };
    expect_error(b, SMRF_ERR_CORRUPT, "fewer");
    b.change_footer = [](uint32_t &, uint32_t &, uint64_t &, uint32_t &count) { count--; };
    expect_error(b, SMRF_ERR_CORRUPT, "more");
}

TEST(Tracez, DamagedSubChunksAreErrors)
{
    binary b = small();
    b.change_frame = [](std::string &f) { f[0] = 'x'; };
    expect_error(b, SMRF_ERR_CORRUPT, "unpack");
    b.change_frame = [](std::string &f) { f = "abc"; };
    expect_error(b, SMRF_ERR_CORRUPT, "does not fit");
    b = small();
    b.blocks[0][0][0] = "0000 ffffffff 1 R999 MOV 0 0 5 \n" + std::string(line_b);
    expect_error(b, SMRF_ERR_FORMAT, "line 1 of the sub-chunk");
}

TEST(Tracez, HeadersAreChecked)
{
    binary b = small();
    b.head = "-grid dim = (1,1,1)\n-block dim = (x,1,1)\n";
    expect_error(b, SMRF_ERR_FORMAT, "block dim");
    b.head = "-grid dim = (1,1,1)\n";
    expect_error(b, SMRF_ERR_FORMAT, "block dim");
    temp_dir dir;
    write_file(dir / "k.tracez", "no NUL in this file");
    outcome o = read_all(dir / "k.tracez");
    EXPECT_EQ(o.rc, SMRF_ERR_CORRUPT);
    EXPECT_NE(o.error.find("NUL"), std::string::npos);
}

} // namespace
