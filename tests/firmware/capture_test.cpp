// SPDX-License-Identifier: Apache-2.0
// The capture: streams against a plain record of what the executor did, all formats against each
// other, options, errors.
#include "tests/support/captured_kernel.h"

#include "firmware/capture/stream.h"
#include "traces/files/folder.h"

using namespace smrf_test;

namespace
{

TEST_F(capture, WritesWhatTheExecutorDidInEveryFormatAndCompression)
{
    unsigned n = 0;
    for (auto format : {SMRF_TRACE_V5, SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        for (auto compression :
             {SMRF_COMPRESS_NONE, SMRF_COMPRESS_XZ, SMRF_COMPRESS_GZ, SMRF_COMPRESS_ZSTD}) {
            if (format == SMRF_TRACE_TRACEZ && compression != SMRF_COMPRESS_NONE) {
                continue;
            }
            run_options o;
            o.format = format;
            o.compression = compression;
            const std::string dir = folder / ("t" + std::to_string(n++));
            run_result r = run(dir, o);
            ASSERT_EQ(r.rc, 0) << r.error;
            read_trace t = read_back(dir);
            EXPECT_EQ(t.rc, 0) << t.error;
            EXPECT_TRUE(t.warnings.empty()) << t.warnings[0];
            EXPECT_EQ(t.seen, expected(r));
            EXPECT_EQ(t.copies, 2u);
            ASSERT_EQ(t.infos.size(), 2u);
            EXPECT_EQ(t.names[1], "k");
            EXPECT_EQ(t.infos[1].id, 2u);
            EXPECT_EQ(t.infos[0].grid.y, GRID.y);
            EXPECT_EQ(t.infos[0].block.x, THREADS);
            EXPECT_EQ(t.infos[0].shared_bytes, 4u * THREADS);
            EXPECT_EQ(t.infos[0].num_regs, 24u);
            EXPECT_EQ(t.infos[0].binary_version, 75u);
            EXPECT_EQ(t.infos[0].shared_window, SMRF_EXEC_SHARED_WINDOW);
            EXPECT_EQ(t.infos[0].local_window, SMRF_EXEC_LOCAL_WINDOW);
        }
    }
}

TEST_F(capture, AWarpsLocalAddressesAreOffsetsTheSameForEveryLane)
{
    run_result r = run(folder / "t");
    ASSERT_EQ(r.rc, 0) << r.error;
    unsigned met = 0;
    for (const auto &warp : read_back(folder / "t").seen) {
        for (const seen_inst &i : warp.second) {
            if (i.opcode != "STL" || i.mask == 0) {
                continue;
            }
            met++;
            for (unsigned l = 1; l < 32; l++) {
                EXPECT_EQ(i.lane[l], (i.mask >> l & 1) != 0 ? i.lane[0] : 0);
            }
            EXPECT_LT(i.lane[0], SMRF_EXEC_WINDOW_BYTES);
        }
    }
    EXPECT_EQ(met, 2u * GRID.x * GRID.y * WARPS);
}

// The values of a source are those that the trace's own last write of the register left.
TEST_F(capture, ValuesFollowFromEachOther)
{
    for (auto format : {SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        run_options o;
        o.format = format;
        o.values = true;
        o.replace = true;
        run_result r = run(folder / "t", o);
        ASSERT_EQ(r.rc, 0) << r.error;
        read_trace t = read_back(folder / "t");
        ASSERT_EQ(t.rc, 0) << t.error;
        EXPECT_TRUE(t.warnings.empty()) << t.warnings[0];
        EXPECT_EQ(t.seen, expected(r));
        uint64_t compared = 0;
        for (const auto &warp : t.values) {
            std::map<unsigned, std::array<uint32_t, 32>> reg;
            const std::vector<seen_inst> &insts = t.seen[warp.first];
            for (size_t i = 0; i < insts.size(); i++) {
                const smrf_static_inst &op =
                    t.op[{std::get<0>(warp.first), uint32_t(insts[i].address)}];
                ASSERT_EQ(warp.second[i].size(), insts[i].mask == 0
                                                     ? warp.second[i].size()
                                                     : size_t(op.num_dst) + op.num_src);
                for (size_t v = warp.second[i].size(); v-- > 0;) {
                    const auto &[number, lanes] = warp.second[i][v];
                    auto &row = reg[number];
                    for (unsigned l = 0; l < 32; l++) {
                        if ((insts[i].mask >> l & 1) == 0) {
                            continue;
                        }
                        if (v >= op.num_dst) {
                            EXPECT_EQ(row[l], lanes[l]) << op.text << " R" << number;
                            compared++;
                        } else {
                            row[l] = lanes[l];
                        }
                    }
                }
            }
        }
        EXPECT_GT(compared, 10000u);
    }
}

TEST_F(capture, ASmallBudgetSpillsAndChangesNothing)
{
    run_options large, small;
    large.values = small.values = true;
    large.format = small.format = SMRF_TRACE_V6;
    large.loops = small.loops = 400;
    small.budget = 1;
    run_result a = run(folder / "a", large), b = run(folder / "b", small);
    ASSERT_EQ(a.rc, 0) << a.error;
    ASSERT_EQ(b.rc, 0) << b.error;
    EXPECT_EQ(a.totals.spilled_bytes, 0u);
    EXPECT_GT(b.totals.spilled_bytes, uint64_t{4} * SMRF_STREAM_CHUNK);
    EXPECT_EQ(folder_files(folder / "a"), folder_files(folder / "b"));
}

TEST_F(capture, TracingTwiceGivesTheSameBytes)
{
    for (auto format : {SMRF_TRACE_V5, SMRF_TRACE_V6, SMRF_TRACE_TRACEZ}) {
        run_options o;
        o.format = format;
        o.replace = true;
        o.compression = format == SMRF_TRACE_TRACEZ ? SMRF_COMPRESS_NONE : SMRF_COMPRESS_XZ;
        ASSERT_EQ(run(folder / "a", o).rc, 0);
        ASSERT_EQ(run(folder / "b", o).rc, 0);
        auto a = folder_files(folder / "a");
        EXPECT_EQ(a, folder_files(folder / "b"));
        EXPECT_EQ(a.size(), 5u) << "a list, and two files a launch";
    }
}

// ---- options ----------------------------------------------------------------------------------

TEST_F(capture, WritesOnlyTheBlocksAndWarpsAskedForButCountsEverything)
{
    run_options o;
    o.blocks = "0,3-4";
    o.warps = "2,0";
    run_result r = run(folder / "t", o);
    ASSERT_EQ(r.rc, 0) << r.error;
    seen_trace want = expected(r);
    uint64_t all = 0, written = 0;
    for (auto i = want.begin(); i != want.end();) {
        const auto [launch, block, warp] = i->first;
        all += i->second.size();
        bool in = (block == 0 || block == 3 || block == 4) && warp != 1;
        written += in ? i->second.size() : 0;
        i = in ? std::next(i) : want.erase(i);
    }
    EXPECT_EQ(read_back(folder / "t").seen, want);
    EXPECT_EQ(r.totals.warp_insts, all);
    EXPECT_EQ(r.totals.written_insts, written);
    EXPECT_EQ(r.totals.written_blocks, 6u);
}

TEST_F(capture, ABlockThatNoGridHasIsAnErrorAndLeavesNothing)
{
    run_options o;
    o.blocks = "0,3-77";
    run_result r = run(folder / "t", o);
    EXPECT_EQ(SMRF_ERR_INVAL, r.rc);
    EXPECT_NE(std::string::npos, r.error.find("there is no block 77")) << r.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "t"));
}

TEST_F(capture, AnInstructionLimitEndsALaunchsTraceAfterAWholeBlock)
{
    run_result whole = run("");
    uint64_t block = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        block += whole.seen[{1, 0, w}].size();
    }
    run_options o;
    o.max_insts = block + 1;
    run_result r = run(folder / "t", o);
    ASSERT_EQ(r.rc, 0) << r.error;
    seen_trace want = expected(r);
    for (auto i = want.begin(); i != want.end();) {
        i = std::get<1>(i->first) < 2 ? std::next(i) : want.erase(i);
    }
    EXPECT_EQ(read_back(folder / "t").seen, want);
    EXPECT_EQ(r.totals.written_blocks, 4u);
    EXPECT_EQ(r.totals.warp_insts, whole.totals.warp_insts);
}

TEST_F(capture, WithoutAFolderItCountsByClass)
{
    run_result r = run("");
    uint64_t loads = 0, threads = 0, all = 0;
    for (const auto &warp : r.seen) {
        for (const seen_inst &i : warp.second) {
            loads += i.opcode.rfind("LD", 0) == 0;
            threads += static_cast<unsigned>(__builtin_popcount(i.mask));
            all++;
        }
    }
    EXPECT_EQ(r.totals.by_class[SMRF_CLASS_LOAD], loads);
    EXPECT_EQ(r.totals.thread_insts, threads);
    EXPECT_EQ(r.totals.warp_insts, all);
    EXPECT_EQ(r.totals.written_insts, 0u);
    EXPECT_EQ(r.totals.copies, 2u);
    EXPECT_EQ(r.totals.copied_bytes, 2u * 4 * THREADS);
}

TEST_F(capture, RefusesRangesThatAreNone)
{
    for (const char *text :
         {"", ",", "1,", "a", "3-1", "-2", "1-", "1;2", "1 ,2", "99999999999999999999"}) {
        smrf_capture_ranges r;
        char error[SMRF_SASS_ERROR_BYTES] = "";
        EXPECT_EQ(smrf_capture_ranges_parse(&r, text, error), SMRF_ERR_INVAL) << text;
        EXPECT_NE(std::string(error).find("such as 0,3,8-15"), std::string::npos);
        EXPECT_EQ(r.num, 0u);
    }
    smrf_capture_ranges r;
    char error[SMRF_SASS_ERROR_BYTES];
    ASSERT_EQ(smrf_capture_ranges_parse(&r, "5,7-9", error), 0);
    for (uint64_t v = 0; v < 12; v++) {
        EXPECT_EQ(smrf_capture_ranges_has(&r, v), v == 5 || (v >= 7 && v <= 9)) << v;
    }
    smrf_capture_ranges_free(&r);
}

// ---- errors -----------------------------------------------------------------------------------

TEST_F(capture, AFailingKernelLeavesNothing)
{
    run_options o;
    o.text = sass_function("k", {"MOV R2, 0x10", "MOV R3, RZ", "LDG.E.SYS R4, [R2]", "EXIT"});
    run_result r = run(folder / "t", o);
    EXPECT_LT(r.rc, 0);
    EXPECT_NE(r.error.find("LDG"), std::string::npos) << r.error;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(capture, CannotBeFinishedAfterAFailedLaunchAndSaysWhy)
{
    for (const char *dir : {"t", ""}) {
        run_options o;
        o.text = sass_function("k", {"MOV R2, 0x10", "MOV R3, RZ", "LDG.E.SYS R4, [R2]", "EXIT"});
        o.goes_on = true;
        run_result r = run(*dir ? folder / dir : "", o);
        EXPECT_EQ(r.rc, SMRF_ERR_STATE);
        EXPECT_EQ(r.error, "a launch failed before: its trace cannot be completed");
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    }
}

TEST_F(capture, ASignalEndsTheRunAndLeavesNothing)
{
    const volatile sig_atomic_t stop = 1;
    run_options o;
    o.stop = &stop;
    run_result r = run(folder / "t", o);
    EXPECT_EQ(r.rc, SMRF_ERR_STATE);
    EXPECT_NE(r.error.find("stopped by a signal"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(capture, ReplacesATraceOnlyWhenTold)
{
    ASSERT_EQ(run(folder / "t").rc, 0);
    run_result again = run(folder / "t");
    EXPECT_EQ(again.rc, SMRF_ERR_IO);
    EXPECT_NE(again.error.find(folder / "t"), std::string::npos) << again.error;
    EXPECT_NE(again.error.find("--force"), std::string::npos);
    std::ofstream(folder / "t/notes.txt") << "mine";
    std::ofstream(folder / "t/kernel-7.traceg.xz") << "old";
    run_options o;
    o.replace = true;
    o.launches = 1;
    const auto before = folder_files(folder / "t");
    again = run(folder / "t", o);
    EXPECT_EQ(again.rc, SMRF_ERR_IO) << "it may be somebody's";
    EXPECT_NE(again.error.find("kernel-7.traceg.xz, which no kernelslist.g there names"),
              std::string::npos)
        << again.error;
    EXPECT_TRUE(folder_files(folder / "t") == before);
    std::ofstream(folder / "t/kernelslist.g", std::ios::app) << "kernel-7.traceg\n";
    ASSERT_EQ(run(folder / "t", o).rc, 0);
    auto files = folder_files(folder / "t");
    EXPECT_EQ(files.count("notes.txt"), 1u) << "what is no trace stays";
    EXPECT_EQ(files.count("kernel-7.traceg.xz"), 0u);
    EXPECT_EQ(files.count("kernel-2.traceg"), 0u);
    EXPECT_EQ(files.size(), 4u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// The lock of a process that was killed names its folder; nothing else is touched.
TEST_F(capture, RemovesWhatAKilledRunLeftAndNothingElse)
{
    for (const char *name : {"t.0badcafe.partial", "t.partial", "t.00000000.partial"}) {
        std::filesystem::create_directory(folder / name);
        std::ofstream(folder / (std::string(name) + "/kernel-1.traceg")) << "half";
        std::ofstream(folder / (std::string(name) + "/kernelslist.g")) << "half";
    }
    std::ofstream(folder / ".t.lock") << "smrf 1 t.0badcafe.partial\n";
    ASSERT_EQ(run(folder / "t/").rc, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "t.0badcafe.partial"));
    EXPECT_FALSE(std::filesystem::exists(folder / ".t.lock"));
    EXPECT_EQ(folder_files(folder / "t.partial").size(), 2u) << "somebody's trace";
    EXPECT_EQ(folder_files(folder / "t.00000000.partial").size(), 2u);
}

// What a killed run has left becomes a trace: the launches that the running list names.
TEST_F(capture, ResumesWhatAKilledRunLeft)
{
    char error[512] = "";
    smrf_folder *f = nullptr;
    const std::string dir = folder / "t", left = folder / "t.0badcafe.partial";
    EXPECT_EQ(smrf_folder_resume(&f, dir.c_str(), false, error, sizeof error), 0);
    EXPECT_EQ(f, nullptr) << "nothing was left";
    for (const bool listed : {false, true}) {
        std::filesystem::create_directory(left);
        std::ofstream(folder / ".t.lock") << "smrf 1 t.0badcafe.partial\n";
        for (const char *name : {"kernel-1.traceg.zst", "kernel-1.operands", "kernel-2.traceg.zst",
                                 "kernel-3.traceg.zst.00c0ffee.part"}) {
            std::ofstream(left + "/" + name) << "whole or not";
        }
        if (listed) {
            std::ofstream(left + "/kernelslist.g.running.part") << "kernel-1.traceg.zst\n";
        }
        EXPECT_EQ(smrf_folder_resume(&f, dir.c_str(), false, error, sizeof error), 0) << error;
        EXPECT_EQ(f != nullptr, listed);
        EXPECT_EQ(std::filesystem::exists(left), listed);
        EXPECT_EQ(std::filesystem::exists(folder / ".t.lock"), listed);
    }
    EXPECT_EQ(folder_files(left).size(), 3u);
    ASSERT_EQ(smrf_folder_publish(f, error, sizeof error), 0) << error;
    const auto files = folder_files(dir);
    EXPECT_EQ(files.size(), 3u);
    EXPECT_EQ(files.at("kernelslist.g"), "kernel-1.traceg.zst\n");
    EXPECT_EQ(files.count("kernel-1.operands"), 1u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(capture, ALockThatNamesSomethingElseHarmsNothing)
{
    std::filesystem::create_directory(folder / "precious");
    std::ofstream(folder / "precious/kernel-1.traceg") << "mine";
    for (const char *name : {"precious", "t.1/../precious", "../x", "t.partial", ""}) {
        std::ofstream(folder / ".t.lock") << "smrf 1 " << name << "\n";
        run_options o;
        o.replace = true;
        ASSERT_EQ(run(folder / "t", o).rc, 0) << name;
        EXPECT_EQ(folder_files(folder / "precious").size(), 1u) << name;
    }
    std::ofstream(folder / ".t.lock") << "a letter\n";
    run_result r = run(folder / "u");
    EXPECT_EQ(r.rc, 0);
    r = run(folder / "t");
    EXPECT_EQ(r.rc, SMRF_ERR_IO);
    EXPECT_NE(r.error.find("move it away"), std::string::npos) << r.error;
    EXPECT_TRUE(std::filesystem::exists(folder / ".t.lock"));
}

TEST_F(capture, OnlyOneWritesATrace)
{
    smrf_capture *first = nullptr, *second = nullptr;
    const std::string dir = folder / "t";
    smrf_capture_options o = {};
    o.dir = dir.c_str();
    ASSERT_EQ(smrf_capture_open(&first, &o), 0);
    o.replace = true;
    EXPECT_EQ(smrf_capture_open(&second, &o), SMRF_ERR_IO);
    std::string error = smrf_capture_error(second);
    EXPECT_NE(error.find("process " + std::to_string(getpid()) + " is writing a trace there"),
              std::string::npos)
        << error;
    smrf_capture_close(second);
    smrf_capture_close(first);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A link stays, and the folder behind it is written.
TEST_F(capture, FollowsALinkToTheFolder)
{
    std::filesystem::create_directory_symlink("far", folder / "t");
    EXPECT_EQ(run(folder / "t").rc, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "t"));
    EXPECT_EQ(read_back(folder / "far").rc, 0);
    run_options o;
    o.replace = true;
    EXPECT_EQ(run(folder / "t", o).rc, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "t"));
}

TEST_F(capture, WritesTheFolderInWhichItStands)
{
    std::filesystem::create_directory(folder / "t");
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "t");
    run_options o;
    o.replace = true;
    EXPECT_EQ(run(".", o).rc, 0);
    EXPECT_EQ(run(".", o).rc, 0);
    EXPECT_TRUE(std::filesystem::exists("kernelslist.g")) << "still the same folder";
    std::filesystem::current_path(here);
    EXPECT_EQ(read_back(folder / "t").rc, 0);
}

TEST_F(capture, RefusesAFileForAFolder)
{
    std::ofstream(folder / "t") << "text";
    run_result r = run(folder / "t");
    EXPECT_EQ(r.rc, SMRF_ERR_IO);
    EXPECT_NE(r.error.find("is no folder"), std::string::npos) << r.error;
}

TEST_F(capture, MakesTheFoldersAbove)
{
    EXPECT_EQ(run(folder / "a/b/c").rc, 0);
    EXPECT_EQ(read_back(folder / "a/b/c").rc, 0);
}

TEST_F(capture, RefusesValuesInVersion5)
{
    run_options o;
    o.values = true;
    run_result r = run(folder / "t", o);
    EXPECT_EQ(r.rc, SMRF_ERR_INVAL);
    EXPECT_NE(r.error.find("version 6"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
