// SPDX-License-Identifier: Apache-2.0
// A whole text from a file or from memory, plain or compressed.
#include "traces/whole_text.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace
{

std::string xz(const std::string &text)
{
    std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
    size_t size = 0;
    EXPECT_EQ(lzma_easy_buffer_encode(
                  6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t *>(text.data()),
                  text.size(), reinterpret_cast<uint8_t *>(&packed[0]), &size, packed.size()),
              LZMA_OK);
    packed.resize(size);
    return packed;
}

struct outcome {
    int rc;
    std::string text, error;
};

outcome take(int rc, char *text, size_t size, const smrf_trace_error_text &error)
{
    const outcome o{rc, std::string(text ? text : "", size), error.text};
    EXPECT_EQ(text == nullptr, rc < 0);
    EXPECT_TRUE(text == nullptr || text[size] == '\0');
    std::free(text);
    return o;
}

outcome of_bytes(const std::string &bytes, uint64_t most = 1 << 20)
{
    char *text;
    size_t size;
    smrf_trace_error_text error{};
    const int rc =
        smrf_whole_text_of_bytes("here", bytes.data(), bytes.size(), most, &text, &size, &error);
    return take(rc, text, size, error);
}

outcome of_file(const std::string &path, uint64_t most = 1 << 20)
{
    char *text;
    size_t size;
    smrf_trace_error_text error{};
    const int rc = smrf_whole_text_of_file(path.c_str(), most, &text, &size, &error);
    return take(rc, text, size, error);
}

// Longer than what a source takes at a time, and no repetition that a decoder could lose.
std::string long_text()
{
    std::string text;
    for (unsigned i = 0; i < 60000; i++) {
        text += std::to_string(i * 2654435761u) + '\n';
    }
    return text;
}

TEST(WholeText, FromMemoryIsTheSamePlainAndCompressed)
{
    for (const std::string &text : {std::string("a\n"), std::string(), long_text()}) {
        for (const std::string &bytes : {text, xz(text)}) {
            const outcome o = of_bytes(bytes);
            EXPECT_EQ(o.rc, 0) << o.error;
            EXPECT_EQ(o.text, text);
        }
    }
}

TEST(WholeText, FromAFileIsTheSamePlainAndCompressed)
{
    smrf_test::temporary_folder folder;
    const std::string text = long_text(), path = folder / "text";
    for (const std::string &bytes : {text, xz(text)}) {
        std::ofstream(path, std::ios::binary) << bytes;
        const outcome o = of_file(path);
        EXPECT_EQ(o.rc, 0) << o.error;
        EXPECT_EQ(o.text, text);
    }
    EXPECT_EQ(of_file(folder / "none").rc, SMRF_ERR_IO);
}

TEST(WholeText, LimitIsOnWhatIsDecompressed)
{
    const std::string text(5000, 'x');
    for (const std::string &bytes : {text, xz(text)}) {
        EXPECT_EQ(of_bytes(bytes, 5000).rc, 0);
        const outcome o = of_bytes(bytes, 4999);
        EXPECT_EQ(o.rc, SMRF_ERR_LIMIT);
        EXPECT_NE(o.error.find("here: is larger than 4999 bytes"), std::string::npos) << o.error;
    }
}

TEST(WholeText, DamagedDataAreAnError)
{
    const std::string packed = xz(long_text());
    const outcome cut = of_bytes(packed.substr(0, packed.size() / 2));
    EXPECT_EQ(cut.rc, SMRF_ERR_CORRUPT);
    EXPECT_NE(cut.error.find("here: byte"), std::string::npos) << cut.error;
    std::string changed = packed;
    changed[packed.size() / 2] ^= 1;
    EXPECT_EQ(of_bytes(changed).rc, SMRF_ERR_CORRUPT);
}

} // namespace
