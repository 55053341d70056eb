// SPDX-License-Identifier: Apache-2.0
// The next buffer of a text prepared by somebody else, against a text that is read alone: the same
// lines, the same digest whenever it is asked for, the same errors in the same places.
#include "beside.h"
#include "compressed.h"
#include "trace_files.h"

#include "traces/text_file.h"

#include <cstring>

using namespace trace_files;

namespace
{

// Of any length up to twice the buffer's, many of them short.
std::string random_lines(smrf_rng *rng, size_t bytes, bool long_ones)
{
    constexpr uint32_t longest = 600000;
    static const std::string letters = [] {
        std::string some;
        smrf_rng own;
        smrf_rng_seed(&own, 7, 7);
        while (some.size() < longest) {
            some += static_cast<char>('a' + smrf_rng_below(&own, 26));
        }
        return some;
    }();
    std::string text;
    while (text.size() < bytes) {
        const uint32_t most = long_ones && smrf_rng_below(rng, 1000) == 0 ? longest
                              : smrf_rng_below(rng, 20) == 0              ? 3000
                                                                          : 90;
        const uint32_t length = smrf_rng_below(rng, most);
        text.append(letters, smrf_rng_below(rng, longest - length), length);
        text += '\n';
    }
    if (smrf_rng_below(rng, 2)) {
        text += "no newline";
    }
    return text;
}

struct reader {
    smrf_text text = {};
    smrf_digest digest = {};
    smrf_trace_error_text error = {};
    explicit reader(const std::string &path)
    {
        smrf_digest_init(&digest);
        EXPECT_EQ(smrf_text_open(&text, path.c_str(), &digest, nullptr, &error), 0) << error.text;
    }
    uint64_t value()
    {
        smrf_text_hash(&text);
        return smrf_digest_value(&digest);
    }
    std::string line() const
    {
        const char *at = text.buffer + text.pos;
        const auto *end = static_cast<const char *>(std::memchr(at, '\n', text.limit - text.pos));
        return std::string(at, static_cast<size_t>(end + 1 - at));
    }
};

constexpr size_t pad =
    15; // zeros behind the text, one less than SMRF_TEXT_PAD where a newline was missing

// Returns what has been read, to the end or to `rc`; gives up in the middle where `most` bytes have
// been.
std::string read_both(const std::string &path, helper &h, smrf_rng *rng, uint32_t asks, size_t most,
                      int *rc)
{
    reader alone(path), with(path);
    const smrf_trace_beside beside = h.beside();
    std::string read;
    smrf_text_beside(&with.text, &beside);
    while (read.size() < most && !testing::Test::HasFailure()) {
        *rc = smrf_text_line(&alone.text, &alone.error);
        EXPECT_EQ(smrf_text_line(&with.text, &with.error), *rc);
        EXPECT_STREQ(with.error.text, alone.error.text);
        EXPECT_EQ(with.error.code, alone.error.code);
        if (*rc <= 0 || testing::Test::HasFailure()) {
            break;
        }
        EXPECT_EQ(with.text.line, alone.text.line);
        read += alone.line();
        EXPECT_EQ(with.line(), alone.line());
        EXPECT_EQ(0, std::memcmp(with.text.buffer + with.text.end,
                                 alone.text.buffer + alone.text.end, pad));
        if (smrf_rng_below(rng, asks) == 0) {
            EXPECT_EQ(with.value(), alone.value());
        }
        if (smrf_rng_below(rng, 3000) == 0) {
            smrf_text_beside(&with.text, smrf_rng_below(rng, 4) ? &beside : nullptr);
        }
        smrf_text_skip_line(&alone.text);
        smrf_text_skip_line(&with.text);
    }
    smrf_text_close(&alone.text);
    smrf_text_close(&with.text);
    EXPECT_EQ(smrf_digest_value(&with.digest), smrf_digest_value(&alone.digest));
    smrf_digest whole;
    smrf_digest_init(&whole);
    smrf_digest_add(&whole, read.data(), read.size());
    EXPECT_EQ(smrf_digest_value(&with.digest), smrf_digest_value(&whole));
    return read;
}

std::string (*const forms[])(const std::string &) = {[](const std::string &in) { return in; }, xz,
                                                     gz, zst};

} // namespace

TEST(Beside, RandomLinesInEveryForm)
{
    temp_dir dir;
    const std::string path = dir / "t";
    unsigned times = 0;
    for (uint64_t seed = 0; seed < 24 && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 0);
        helper h(static_cast<helper::kind>(seed % helper::kinds));
        std::string text = random_lines(&rng, 500000 + smrf_rng_below(&rng, 2000000), seed % 8 < 4);
        write_file(path, forms[seed / 2 % 4](text));
        int rc = -1;
        const bool whole = seed % 5 != 4;
        const std::string read =
            read_both(path, h, &rng, seed % 3 ? 20000 : 50, whole ? SIZE_MAX : 900000, &rc);
        text += text.back() == '\n' ? "" : "\n";
        EXPECT_TRUE(rc == 0 || (!whole && rc == 1)) << rc;
        EXPECT_TRUE(read == (whole ? text : text.substr(0, read.size())));
        times += h.times();
    }
    EXPECT_GT(times, 40u);
}

// What comes before the damage is read, and the file's place is told.
TEST(Beside, DamagedFiles)
{
    temp_dir dir;
    const std::string path = dir / "t";
    unsigned times = 0;
    for (uint64_t seed = 0; seed < 18 && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 1);
        helper h(static_cast<helper::kind>(seed % helper::kinds));
        std::string file = forms[1 + seed / 3 % 3](random_lines(&rng, 1200000, seed % 2));
        const size_t at =
            file.size() / 2 + smrf_rng_below(&rng, static_cast<uint32_t>(file.size() / 3));
        const bool cut = seed / 9 % 2,
                   unnoticed = !cut && seed / 3 % 3 == 2; // zstd sums nothing up
        if (cut) {
            file.resize(at);
        } else {
            file.replace(at, 64, std::string(64, '\x5a'));
        }
        write_file(path, file);
        int rc = 0;
        (void)read_both(path, h, &rng, 2000, SIZE_MAX, &rc);
        EXPECT_TRUE(rc == SMRF_ERR_CORRUPT || (unnoticed && rc == 0)) << rc;
        times += h.times();
    }
    EXPECT_GT(times, 20u);
}

// A line that is too long, wherever buffers are exchanged.
TEST(Beside, ALineWithoutEnd)
{
    temp_dir dir;
    smrf_rng rng;
    smrf_rng_seed(&rng, 1, 2);
    write_file(dir / "t", random_lines(&rng, 900000, false) + std::string(17u << 20, 'x'));
    helper h(helper::thread);
    int rc = 0;
    (void)read_both(dir / "t", h, &rng, 2000, SIZE_MAX, &rc);
    EXPECT_EQ(rc, SMRF_ERR_LIMIT);
    EXPECT_GT(h.times(), 0u);
}

TEST(Beside, NobodyIsWokenForASmallFile)
{
    temp_dir dir;
    smrf_rng rng;
    smrf_rng_seed(&rng, 1, 3);
    for (const size_t bytes : {size_t{1000}, size_t{300000}, size_t{3000000}}) {
        helper h(helper::late);
        int rc = 0;
        write_file(dir / "t", random_lines(&rng, bytes, false));
        (void)read_both(dir / "t", h, &rng, 5000, SIZE_MAX, &rc);
        EXPECT_EQ(h.times() != 0, bytes > 1000000) << bytes;
    }
}
