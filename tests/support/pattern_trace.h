// SPDX-License-Identifier: Apache-2.0
// Small traces of repeated instructions, made for a test by the project's own generator.
#ifndef SMRF_TESTS_PATTERN_TRACE_H
#define SMRF_TESTS_PATTERN_TRACE_H

#include "tests/support/platform_files.h"
#include "traces/generate/generate.h"

namespace smrf_test
{

// One pattern of instructions as a trace in `folder`.
inline std::string pattern(const temporary_folder &folder, const std::vector<const char *> &lines,
                           uint32_t blocks, uint32_t warps, uint64_t length,
                           smrf_trace_compression compression = SMRF_COMPRESS_NONE,
                           uint32_t shared_bytes = 4096)
{
    static char copies[SMRF_PATTERN_INSTS][64];
    const std::string path = folder / "trace";
    std::filesystem::create_directory(path);
    smrf_gen_target target = {path.c_str(), SMRF_TRACE_V5, compression};
    smrf_gen_pattern p = {};
    char error[256] = "";
    for (const char *line : lines) {
        EXPECT_EQ(0, smrf_generate_parse_inst(line, &p.inst[p.num_insts], copies[p.num_insts]))
            << line;
        p.num_insts++;
    }
    p.blocks = blocks;
    p.warps = warps;
    p.length = length;
    p.num_regs = 64;
    p.shared_bytes = shared_bytes;
    p.binary_version = 75;
    EXPECT_EQ(0, smrf_generate_pattern(&target, &p, error)) << error;
    return path;
}

} // namespace smrf_test

#endif
