// SPDX-License-Identifier: Apache-2.0
// What reaches the SM from around it: instruction-cache refills and copies of the host.
#include "../support/microbench.h"
#include "../support/replay.h"

#include <fstream>

namespace
{

const uint64_t BUFFER = UINT64_C(0x7f0a20000000);

replay::result run(const std::string &path, std::initializer_list<const char *> pairs)
{
    return replay::run(path, replay::preset("rtx2060-paper", pairs));
}

TEST(InstructionCacheInTheSm, AStraightProgramWaitsOnceALine)
{
    replay::temporary_folder f;
    microbench::write(f.path(), {}, [](unsigned, unsigned) {
        microbench::program p(40, microbench::op{"IADD3", {10}, {11, 12}});
        p.push_back({"EXIT", {}, {}});
        return p;
    });
    replay::result ideal = run(f.path(), {"gpu.sms=1"});
    replay::result cold = run(
        f.path(), {"gpu.sms=1", "frontend.icache_bytes=16K", "frontend.icache_miss_latency=500"});
    // 41 instructions of 16 bytes lie in 6 lines of 128.
    EXPECT_EQ(0u, ideal.stats.icache_misses);
    EXPECT_EQ(6u, cold.stats.icache_misses);
    EXPECT_GE(cold.cycles, ideal.cycles + 6 * 490);
    EXPECT_LE(cold.cycles, ideal.cycles + 6 * 510);
    EXPECT_GT(cold.stats.stall[SMRF_STALL_blocked], 6u * 480);
    EXPECT_EQ(0u, cold.stats.oracle_violations);
}

TEST(InstructionCacheInTheSm, EveryKernelStartsCold)
{
    replay::temporary_folder f;
    microbench::write(f.path(), {}, [](unsigned, unsigned) {
        return microbench::program{{"MOV", {1}, {2}}, {"EXIT", {}, {}}};
    });
    std::ofstream(f.path() + "/kernelslist.g") << "kernel-1.traceg\nkernel-1.traceg\n";
    EXPECT_EQ(2u, run(f.path(), {"gpu.sms=1", "frontend.icache_bytes=16K"}).stats.icache_misses);
}

TEST(CopiesFromTheHost, LeaveTheirLinesInL2OnlyWhereSaid)
{
    replay::temporary_folder f;
    microbench::write(f.path(), {}, [](unsigned, unsigned) {
        return microbench::program{{"LDG.E.SYS", {10}, {2}, BUFFER}, {"EXIT", {}, {}}};
    });
    std::ofstream(f.path() + "/kernelslist.g") << "MemcpyHtoD,0x00007f0a20000000,4096\n"
                                               << "kernel-1.traceg\n";
    uint64_t cold = run(f.path(), {"gpu.sms=1"}).cycles;
    uint64_t warm = run(f.path(), {"gpu.sms=1", "l2.copies_warm=on"}).cycles;
    EXPECT_LT(warm + 100, cold) << "a DRAM access less";
}

TEST(CollectorBusy, CountsTheCyclesFromIssueToDispatch)
{
    replay::temporary_folder f;
    microbench::write(f.path(), {}, [](unsigned, unsigned) {
        return microbench::program{{"FFMA", {10}, {2, 4, 6}}, {"EXIT", {}, {}}};
    });
    // Three operands on one port take three cycles, the dispatch follows; EXIT leaves in the next.
    EXPECT_EQ(5u, run(f.path(), {"gpu.sms=1"}).stats.collector_busy);
}

} // namespace
