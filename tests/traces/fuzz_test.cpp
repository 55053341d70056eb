// SPDX-License-Identifier: Apache-2.0
// Damaged input of every kind ends in an error or in success, never in a crash or a hang.
#include "trace_files.h"

#include "models/common/smrf_rng.h"
#include "traces/generate/generate.h"

using namespace trace_files;

namespace
{

std::string mutate(const std::string &in, smrf_rng *r)
{
    static const char *const words[] = {"-1",
                                        "0x",
                                        "R256",
                                        "\n",
                                        "\r\n",
                                        "#END_TB\n",
                                        "warp = 3\n",
                                        "insts = 4000000000\n",
                                        "ffffffff",
                                        "Val",
                                        " ",
                                        "255",
                                        "18446744073709551616",
                                        "#BEGIN_TB\n",
                                        "LDG.E",
                                        "2",
                                        "\t"};
    std::string s = in;
    for (uint32_t n = 1 + smrf_rng_below(r, 6); n > 0 && !s.empty(); n--) {
        size_t at = smrf_rng_below(r, static_cast<uint32_t>(s.size()));
        switch (smrf_rng_below(r, 5)) {
        case 0:
            s[at] = static_cast<char>(smrf_rng_next(r));
            break;
        case 1:
            s.erase(at, 1 + smrf_rng_below(r, 20));
            break;
        case 2:
            s.insert(at, words[smrf_rng_below(r, sizeof words / sizeof words[0])]);
            break;
        case 3:
            s.insert(at, s.substr(smrf_rng_below(r, static_cast<uint32_t>(s.size())),
                                  smrf_rng_below(r, 60)));
            break;
        default:
            if (smrf_rng_below(r, 8) == 0) {
                s.resize(at);
            } else {
                s[at] = static_cast<char>(s[at] ^ (1 << smrf_rng_below(r, 8)));
            }
            break;
        }
    }
    return s;
}

// Read everything, ignoring the content. Returns the last result.
int drain(const std::string &path)
{
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b;
    smrf_inst i;
    int rc = smrf_trace_open(&t, path.c_str(), nullptr);
    while (rc >= 0 && (rc = smrf_trace_next_kernel(t, &info)) > 0) {
        while ((rc = smrf_trace_next_block(t, &b)) > 0) {
            for (uint32_t w = 0; w < smrf_trace_block_warps(b); w++) {
                uint64_t n = 0;
                int one;
                while ((one = smrf_trace_next_inst(b, w, &i)) == 1) {
                    EXPECT_LE(i.op->num_src, SMRF_MAX_SRC);
                    EXPECT_LT(i.op->op_class, SMRF_CLASS_COUNT);
                    n++;
                }
                EXPECT_EQ(one, 0);
                EXPECT_EQ(n, smrf_trace_warp_length(b, w));
            }
            smrf_trace_release_block(t, b);
        }
        if (rc < 0) {
            break;
        }
    }
    if (rc < 0) {
        EXPECT_NE(std::string(smrf_trace_error(t)), "");
    }
    smrf_trace_close(t);
    return rc;
}

void fuzz(const std::string &name, const std::string &valid, unsigned rounds, uint64_t seed)
{
    temp_dir dir;
    smrf_rng r;
    smrf_rng_seed(&r, seed, 0);
    unsigned errors = 0;
    write_file(dir / name, valid);
    ASSERT_EQ(drain(dir / name), 0);
    for (unsigned i = 0; i < rounds; i++) {
        SCOPED_TRACE(name + " round " + std::to_string(i));
        write_file(dir / name, mutate(valid, &r));
        errors += drain(dir / name) < 0;
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(errors, rounds / 4) << "the mutations are meant to hurt";
}

std::string generated(smrf_trace_format format, smrf_trace_compression compression,
                      const std::string &name)
{
    temp_dir dir;
    char error[256];
    std::string out = dir / "o";
    smrf_gen_target target = {out.c_str(), format, compression};
    EXPECT_EQ(smrf_generate_divergent(&target, 90, error), 0) << error;
    return read_file(out + "/" + name);
}

TEST(Fuzz, DamagedTextNeverCrashes)
{
    fuzz("k.traceg", generated(SMRF_TRACE_V5, SMRF_COMPRESS_NONE, "kernel-1.traceg"), 700, 1);
    fuzz("k.traceg", generated(SMRF_TRACE_V6, SMRF_COMPRESS_NONE, "kernel-1.traceg"), 700, 2);
}

TEST(Fuzz, DamagedBinaryNeverCrashes)
{
    fuzz("k.tracez", generated(SMRF_TRACE_TRACEZ, SMRF_COMPRESS_NONE, "kernel-1.tracez"), 1500, 3);
}

TEST(Fuzz, DamagedCompressionNeverCrashes)
{
    fuzz("k.traceg", generated(SMRF_TRACE_V5, SMRF_COMPRESS_XZ, "kernel-1.traceg.xz"), 400, 4);
    fuzz("k.traceg", generated(SMRF_TRACE_V5, SMRF_COMPRESS_GZ, "kernel-1.traceg.gz"), 400, 5);
    fuzz("k.traceg", generated(SMRF_TRACE_V5, SMRF_COMPRESS_ZSTD, "kernel-1.traceg.zst"), 400, 6);
}

TEST(Fuzz, DamagedValuesNeverCrash)
{
    std::string text = header("6", 64, 90);
    std::vector<std::string> lines;
    for (int i = 0; i < 30; i++) {
        lines.push_back("00" + std::to_string(10 + i) +
                        " 00000003 1 R4 IMAD.WIDE 3 R8 UR4 R255 0 0 0 Val 4 0x1 0x2 0xa 0xb 2 0x64 "
                        "0x65 0 0 ");
    }
    fuzz("k.traceg", text + one_warp(lines), 700, 7);
}

TEST(Fuzz, DamagedListsNeverCrash)
{
    temp_dir dir;
    smrf_rng r;
    smrf_rng_seed(&r, 8, 0);
    write_file(dir / "kernel-1.traceg", header("5") + one_warp({"0000 ffffffff 0 EXIT 0 0 0 "}));
    const std::string list =
        "MemcpyHtoD,0x00007fb02d700000,4096\nkernel-1.traceg\n\nkernel-1.traceg\n";
    for (int i = 0; i < 500; i++) {
        write_file(dir / "kernelslist.g", mutate(list, &r));
        drain(dir / "kernelslist.g");
    }
}

} // namespace
