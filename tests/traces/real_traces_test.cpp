// SPDX-License-Identifier: Apache-2.0
// Recorded traces, field by field against the slow reference; counts against what was counted by
// other means. Skipped where the traces are absent.
#include "trace_files.h"

#include <cstdio>

using namespace trace_files;

namespace
{

struct expected {
    const char *folder;
    uint64_t kernels, warp_insts, thread_insts;
};

// thread_insts of the first six: Accel-Sim's own count. The rest: 0 = not known from elsewhere.
const expected traces[] = {{"vectoradd-sm61-v4", 1, 344, 10516},
                           {"matrixmul-sm61-v4", 1, 4416, 139264},
                           {"vecadd-sm75-v1.2", 1, 46941, 1402112},
                           {"lud-sm70-v3", 1, 560, 17664},
                           {"bfs-sm70-v3", 6, 23665, 275682},
                           {"bfs-sm80-v3", 3, 14796, 149982},
                           {"hotspot-call-excerpt-sm70-v3", 1, 279, 0},
                           {"backprop-sm90-v5", 2, 740, 0},
                           {"ffma-sm90-v5", 1, 1328, 0},
                           {"atax-sm90-v6", 1, 60, 0}};

std::string unpacked(const std::string &path)
{
    if (path.size() < 3 || path.substr(path.size() - 3) != ".xz") {
        return read_file(path);
    }
    std::string text;
    FILE *p = ::popen(("xz -dc '" + path + "'").c_str(), "r");
    char buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, p)) > 0;) {
        text.append(buffer, n);
    }
    ::pclose(p);
    return text;
}

class RealTrace : public testing::TestWithParam<expected>
{
};

TEST_P(RealTrace, EveryFieldOfEveryLineEqualsTheReference)
{
    const expected &e = GetParam();
    std::string root = real_traces();
    if (root.empty() || !fs::is_directory(root + "/" + e.folder)) {
        GTEST_SKIP() << "no real traces: set SMRF_REAL_TRACES to the folder that holds "
                     << e.folder;
    }
    std::string folder = root + "/" + e.folder;
    outcome o = read_all(folder);
    ASSERT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.totals.kernels, e.kernels);
    EXPECT_EQ(o.totals.warp_insts, e.warp_insts);
    if (e.thread_insts != 0) {
        EXPECT_EQ(o.totals.thread_insts, e.thread_insts);
    }
    EXPECT_EQ(o.totals.unknown_opcodes, 0u) << (o.warnings.empty() ? "" : o.warnings[0]);
    std::istringstream list(read_file(folder + "/kernelslist.g"));
    size_t k = 0;
    for (std::string line; std::getline(list, line);) {
        if (line.rfind("kernel", 0) != 0) {
            continue;
        }
        std::vector<block_records> want = reference_kernel(unpacked(folder + "/" + line));
        for (auto &block : want) {
            for (auto it = block.warp.begin(); it != block.warp.end();) {
                it = it->second.empty() ? block.warp.erase(it) : std::next(it);
            }
        }
        expect_same(o.kernels.at(k++), want);
    }
    EXPECT_EQ(k, o.kernels.size());
}

INSTANTIATE_TEST_SUITE_P(All, RealTrace, testing::ValuesIn(traces));

TEST(RealTraceCall, ReturnReadsItsAddressAndThePredicatedLoadsHaveNoAddress)
{
    std::string root = real_traces();
    if (root.empty() || !fs::is_directory(root + "/hotspot-call-excerpt-sm70-v3")) {
        GTEST_SKIP() << "no real traces: set SMRF_REAL_TRACES";
    }
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b;
    smrf_inst i;
    ASSERT_EQ(smrf_trace_open(&t, (root + "/hotspot-call-excerpt-sm70-v3").c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1);
    ASSERT_EQ(smrf_trace_next_block(t, &b), 1);
    unsigned returns = 0, empty_loads = 0;
    while (smrf_trace_next_inst(b, 0, &i) == 1) {
        if (i.op->flow == SMRF_FLOW_RET) {
            returns++;
            EXPECT_EQ(i.op->num_dst, 0);
            ASSERT_EQ(i.op->num_src, 2);
            EXPECT_EQ(i.op->src[0], 4);
            EXPECT_EQ(i.op->src[1], 5);
            ASSERT_EQ(i.op->num_dst_listed, 1);
            EXPECT_EQ(i.op->dst_listed[0], 4);
        }
        if (i.op->op_class == SMRF_CLASS_LOAD && i.mask == 0) {
            empty_loads++;
            EXPECT_EQ(i.addr_kind, SMRF_ADDR_NONE);
        }
    }
    EXPECT_EQ(returns, 1u);
    EXPECT_GT(empty_loads, 0u);
    smrf_trace_release_block(t, b);
    smrf_trace_close(t);
}

} // namespace
