// SPDX-License-Identifier: Apache-2.0
// smrf study: every table is there, its numbers are those of the runs, an interrupted study goes
// on, failures leave gaps and are told, bad input is refused.
#include "firmware/kernels/suite.h"
#include "platform/study/jobs.h"
#include "tests/support/platform_files.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <sys/stat.h>

using namespace smrf_test;

namespace
{

struct study : testing::Test {
    temporary_folder folder;
    std::string source(const std::string &path) const
    {
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        return std::string(root ? root : ".") + "/" + path;
    }
    std::string traces() const
    {
        return source("traces/bundled/matmul") + " " + source("traces/bundled/divergent");
    }
    outcome run(const std::string &options)
    {
        return smrf(folder, "study malekeh -o " + (folder / "out") + " " + options);
    }
    json_t *load(const std::string &path) const
    {
        json_t *root = json_load_file((folder / path).c_str(), 0, nullptr);
        EXPECT_NE(nullptr, root) << path;
        return root;
    }
    static double cell(const json_t *root, const char *table, const char *row, size_t column)
    {
        const json_t *rows =
            json_object_get(json_object_get(json_object_get(root, "tables"), table), "rows");
        return json_number_value(json_array_get(json_object_get(rows, row), column));
    }
};

TEST_F(study, TablesHoldWhatTheRunsFound)
{
    outcome o = run("--no-sweeps --jobs 2 " + traces());
    ASSERT_EQ(0, o.status) << o.err;
    json_t *all = load("out/study.json");
    double product = 1;
    for (const char *bench : {"matmul", "divergent"}) {
        std::string runs = std::string("out/runs/rtx2060-paper/") + bench + "/";
        json_t *base = load(runs + "baseline.json"), *own = load(runs + "malekeh-long.json");
        double ipc = json_number_value(json_object_get(own, "ipc")) /
                     json_number_value(json_object_get(base, "ipc"));
        double hits = json_number_value(json_object_get(json_object_get(own, "rf"), "hit_ratio"));
        auto energy = [](const json_t *run) {
            return json_number_value(json_object_get(
                json_object_get(json_object_get(run, "energy"), "sliced23"), "total"));
        };
        EXPECT_NEAR(ipc, cell(all, "fig12-ipc", bench, 0), 1e-6);
        EXPECT_NEAR(hits, cell(all, "fig13-hit-ratio", bench, 0), 1e-6);
        EXPECT_NEAR(energy(own) / energy(base), cell(all, "fig15-energy-sliced23", bench, 0), 1e-6);
        EXPECT_GT(hits, 0.0);
        product *= ipc;
        json_decref(base);
        json_decref(own);
    }
    EXPECT_NEAR(std::sqrt(product), cell(all, "fig12-ipc", "mean", 0), 1e-6);
    EXPECT_NEAR(2048, cell(all, "overhead", "data: 2 entries more", 0), 1e-9);
    size_t i, compared = 0;
    json_t *claim;
    const std::string csv = read_file(folder / "out/claims.csv");
    json_array_foreach(json_object_get(all, "claims"), i, claim)
    {
        if (json_is_number(json_object_get(claim, "ours"))) {
            compared++;
            EXPECT_NEAR(json_number_value(json_object_get(claim, "ours")) -
                            json_number_value(json_object_get(claim, "paper")),
                        json_number_value(json_object_get(claim, "difference")), 1e-6);
            char figures[32];
            std::snprintf(figures, sizeof figures, " %9.2f ",
                          json_number_value(json_object_get(claim, "ours")));
            const std::string name = json_string_value(json_object_get(claim, "claim"));
            EXPECT_NE(std::string::npos, o.out.find(name)) << "it is printed";
            EXPECT_NE(std::string::npos, o.out.find(figures)) << name;
            EXPECT_NE(std::string::npos, csv.find(name));
        }
    }
    EXPECT_GT(compared, 25u);
    json_decref(all);
    std::string page = read_file(folder / "out/index.html");
    EXPECT_NE(std::string::npos, page.find("ours - paper"));
    EXPECT_NE(std::string::npos, page.find("</html>"));
    if (std::system("command -v gnuplot >/dev/null") == 0) {
        EXPECT_NE(std::string::npos, page.find("<svg")) << "pictures stand in the page";
        EXPECT_TRUE(fs::exists(folder / "out/fig12-ipc.svg"));
    }
    EXPECT_EQ(std::string::npos, page.find("<img")) << "the page needs no other file";
}

TEST_F(study, SmallSizesHaveAWalkGroupMeansAndThePapersLine)
{
    outcome o = run("--no-sweeps --program nn --program gemm_bench_i5 --program srad");
    ASSERT_EQ(0, o.status) << o.err;
    json_t *all = load("out/study.json");
    const json_t *walk =
        json_object_get(json_object_get(json_object_get(all, "tables"), "sthld-walk-srad"), "rows");
    EXPECT_GT(json_object_size(walk), 10u) << "in intervals of 500 cycles";
    const double nn = cell(all, "fig13-hit-ratio", "nn", 0),
                 srad = cell(all, "fig13-hit-ratio", "srad", 0),
                 gemm = cell(all, "fig13-hit-ratio", "gemm_bench_i5", 0);
    EXPECT_NEAR((nn + srad) / 2, cell(all, "fig13-hit-ratio", "mean Rodinia", 0), 1e-6);
    EXPECT_NEAR(gemm, cell(all, "fig13-hit-ratio", "mean DeepBench", 0), 1e-6);
    EXPECT_NEAR((nn + srad + gemm) / 3, cell(all, "fig13-hit-ratio", "mean", 0), 1e-6);
    json_decref(all);
    if (std::system("command -v gnuplot >/dev/null") == 0) {
        const std::string hits = read_file(folder / "out/fig13-hit-ratio.svg");
        for (const char *text :
             {"hit ratio of register reads", "paper: malekeh-long", "bow-long"}) {
            EXPECT_NE(std::string::npos, hits.find(text)) << text;
        }
        const std::string steps = read_file(folder / "out/sthld-walk-srad.svg");
        for (const char *text : {"STHLD, cycles", "IPC, thread instructions a cycle",
                                 "core cycle at which the interval ended"}) {
            EXPECT_NE(std::string::npos, steps.find(text)) << text;
        }
    }
}

TEST_F(study, AGroupStandsForItsProgramsAndNobodyIsRunTwice)
{
    outcome o = run("--no-sweeps --program nn --program rodinia --program nn");
    ASSERT_EQ(0, o.status) << o.err;
    json_t *all = load("out/study.json");
    const json_t *rows =
        json_object_get(json_object_get(json_object_get(all, "tables"), "fig12-ipc"), "rows");
    size_t programs = 0;
    for (unsigned i = 0; smrf_suite_at(i); i++) {
        if (std::string("rodinia") == smrf_suite_at(i)->group) {
            programs++;
            EXPECT_NE(nullptr, json_object_get(rows, smrf_suite_at(i)->name));
        }
    }
    EXPECT_EQ(programs + 2, json_object_size(rows)) << "and the means of Rodinia and of all";
    json_decref(all);
}

TEST_F(study, SecondTimeOnlyRunsWhatIsMissing)
{
    ASSERT_EQ(0, run("--no-sweeps " + traces()).status);
    std::string kept = folder / "out/runs/rtx2060-paper/matmul/baseline.json";
    std::string lost = folder / "out/runs/rtx2060-paper/matmul/bow-long.json";
    std::string before = read_file(folder / "out/study.json");
    auto time = fs::last_write_time(kept);
    fs::remove(lost);
    ASSERT_EQ(0, run("--no-sweeps " + traces()).status);
    EXPECT_EQ(time, fs::last_write_time(kept));
    EXPECT_TRUE(fs::exists(lost));
    EXPECT_EQ(before, read_file(folder / "out/study.json"));
}

TEST_F(study, WhatIsNoResultOrOlderThanTheProgramIsRunAgain)
{
    fs::copy(source("traces/bundled/divergent"), folder / "mine", fs::copy_options::recursive);
    const std::string command = "--no-sweeps " + (folder / "mine");
    ASSERT_EQ(0, run(command).status);
    const std::string tables = read_file(folder / "out/study.json");
    const std::string runs = folder / "out/runs/rtx2060-paper/mine/";
    const std::string whole = read_file(runs + "malekeh-long.json");
    for (const std::string &bad : {std::string(), whole.substr(0, 1000), std::string("{}")}) {
        write_file(runs + "malekeh-long.json", bad);
        ASSERT_EQ(0, run(command).status);
        EXPECT_EQ(tables, read_file(folder / "out/study.json"));
    }
    const auto past = fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 20);
    fs::last_write_time(runs + "baseline.json", past);
    ASSERT_EQ(0, run(command).status);
    EXPECT_LT(past, fs::last_write_time(runs + "baseline.json")) << "older than the program";
}

// What lies there belongs to this trace, this machine and this program, or is made again.
TEST_F(study, AResultOfSomethingElseIsMadeAgain)
{
    const std::string mine = folder / "mine", runs = folder / "out/runs/rtx2060-paper/mine/";
    fs::copy(source("traces/bundled/divergent"), mine, fs::copy_options::recursive);
    const std::string command = "--no-sweeps " + mine;
    ASSERT_EQ(0, run(command).status);
    const std::string whole = read_file(runs + "baseline.json");
    const std::string distances = read_file(runs + "reuse-distances.json");
    const char *changes[][2] = {{"\"partial\": false", "\"partial\": true"},
                                {"\"rf.banks\": 2", "\"rf.banks\": 4"},
                                {"\"preset\": \"rtx2060-paper\"", "\"preset\": \"larf-paper\""},
                                {"\"mechanism\": \"baseline\"", "\"mechanism\": \"bow-long\""},
                                {"\"version\": \"0", "\"version\": \"9"},
                                {"\"trace_digest\": \"0x", "\"trace_digest\": \"0y"},
                                {"\"commit\": \"", "\"commit\": \"0"}};
    for (const auto &c : changes) {
        std::string other = whole;
        size_t at = other.find(c[0]);
        ASSERT_NE(std::string::npos, at) << c[0];
        write_file(runs + "baseline.json", other.replace(at, std::strlen(c[0]), c[1]));
        ASSERT_EQ(0, run(command).status);
        EXPECT_EQ(std::string::npos, read_file(runs + "baseline.json").find(c[1], at)) << c[1];
    }
    for (const char *stem : {"baseline.json", "reuse-distances.json"}) {
        write_file(runs + stem, "{\"provenance\": {}, \"reuses\": 1}");
        ASSERT_EQ(0, run(command).status);
        EXPECT_LT(300u, read_file(runs + stem).size());
    }
    EXPECT_EQ(distances, read_file(runs + "reuse-distances.json"));
    const auto kept = fs::last_write_time(runs + "baseline.json");
    ASSERT_EQ(0, run(command).status);
    EXPECT_EQ(kept, fs::last_write_time(runs + "baseline.json")) << "nothing has changed";

    // The kernel's file, changed in place: as old and as long as before.
    fs::remove_all(mine);
    launch_shape shape = small_launch();
    write_trace(folder, "mine", shape);
    const std::string kernel = mine + "/kernel-1.traceg";
    ASSERT_EQ(0, run(command).status);
    const auto time = fs::last_write_time(kernel);
    const std::string text = read_file(kernel);
    std::string changed = text;
    for (size_t at; (at = changed.find("FFMA")) != std::string::npos;) {
        changed.replace(at, 4, "FMUL");
    }
    write_file(kernel, changed);
    fs::last_write_time(kernel, time);
    ASSERT_EQ(0, run(command).status);
    json_t *root = load("out/runs/rtx2060-paper/mine/baseline.json");
    outcome info = smrf(folder, "run --quiet --json - " + mine);
    EXPECT_EQ(
        document(info.out).text("provenance.trace_digest"),
        json_string_value(json_object_get(json_object_get(root, "provenance"), "trace_digest")));
    json_decref(root);
}

// Whatever form a trace has, reading it tells the digest that a run tells.
TEST_F(study, NothingIsMadeAgainOfAnyFormatOfTrace)
{
    for (const char *format : {"v5", "v6", "tracez"}) {
        const std::string trace = folder / format;
        ASSERT_EQ(0, smrf(folder, "trace bfs -q -o " + trace + " --format " + format).status);
        ASSERT_EQ(0, run("--no-sweeps " + trace).status);
        const std::string runs = folder / (std::string("out/runs/rtx2060-paper/") + format + "/");
        const auto first = fs::last_write_time(runs + "malekeh-long.json"),
                   second = fs::last_write_time(runs + "reuse-distances.json");
        ASSERT_EQ(0, run("--no-sweeps " + trace).status);
        EXPECT_EQ(first, fs::last_write_time(runs + "malekeh-long.json")) << format;
        EXPECT_EQ(second, fs::last_write_time(runs + "reuse-distances.json")) << format;
    }
}

// A run that a signal ended leaves a document and status 0; it is no result.
TEST_F(study, ARunThatWasStoppedIsNoResult)
{
    ASSERT_EQ(0, smrf(folder, "trace lavamd --size medium -q -o " + (folder / "long")).status);
    const std::string shell =
        program() + " study malekeh --no-sweeps --jobs 1 -o " + (folder / "out") + " " +
        (folder / "long") + " >/dev/null 2>" + (folder / "err") +
        " </dev/null & study=$!; for i in $(seq 300); do for c in $(cat "
        "/proc/$study/task/$study/children); do grep -q malekeh-long.json /proc/$c/cmdline && "
        "sleep "
        "0.1 && kill -TERM $c && break 2; done; sleep 0.01; done; wait $study";
    EXPECT_EQ(0, WEXITSTATUS(std::system(shell.c_str())));
    const std::string err = read_file(folder / "err");
    if (err.find("leave gaps") == std::string::npos) {
        GTEST_SKIP() << "the run ended before it could be stopped";
    }
    EXPECT_NE(std::string::npos, err.find("stopped by a signal")) << err;
    EXPECT_FALSE(fs::exists(folder / "out/runs/rtx2060-paper/long/malekeh-long.json"));
}

TEST_F(study, TracesOfOneNameAreTwoBenchmarks)
{
    fs::create_directory(folder / "a");
    fs::copy(source("traces/bundled/divergent"), folder / "a/matmul", fs::copy_options::recursive);
    ASSERT_EQ(
        0,
        run("--no-sweeps " + source("traces/bundled/matmul") + " " + (folder / "a/matmul")).status);
    json_t *all = load("out/study.json");
    EXPECT_GT(cell(all, "fig13-hit-ratio", "matmul-2", 0), 0.9);
    EXPECT_LT(cell(all, "fig13-hit-ratio", "matmul", 0), 0.9);
    json_decref(all);
}

TEST_F(study, ATraceThatCountsTwiceIsToldAndTensorInstructionsAreCompared)
{
    for (const char *name : {"conv_bench_own", "gemm_again"}) {
        fs::copy(source("traces/bundled/gemm"), folder / name, fs::copy_options::recursive);
    }
    const char *told = "1 of them replays the same trace as another one";
    ASSERT_EQ(0, run("--no-sweeps " + (folder / "conv_bench_own")).status);
    EXPECT_EQ(std::string::npos, read_file(folder / "out/index.html").find(told));
    ASSERT_EQ(0, run("--no-sweeps " + (folder / "conv_bench_own") + " " + (folder / "gemm_again") +
                     " " + source("traces/bundled/matmul"))
                     .status);
    EXPECT_NE(std::string::npos, read_file(folder / "out/index.html").find(told));

    json_t *base = load("out/runs/rtx2060-paper/conv_bench_own/baseline.json");
    json_t *insts = json_object_get(base, "instructions"), *claim;
    const double share =
        json_number_value(json_object_get(json_object_get(insts, "by_class"), "tensor")) /
        json_number_value(json_object_get(insts, "warp"));
    EXPECT_GT(share, 0.01);
    json_t *all = load("out/study.json");
    size_t i, found = 0;
    json_array_foreach(json_object_get(all, "claims"), i, claim)
    {
        const std::string name = json_string_value(json_object_get(claim, "claim"));
        if (name == "tensor-core instructions, conv_bench, mean") {
            found++;
            EXPECT_NEAR(100 * share, json_number_value(json_object_get(claim, "ours")), 1e-6);
            EXPECT_NEAR(65.6, json_number_value(json_object_get(claim, "paper")), 1e-9);
        }
    }
    EXPECT_EQ(1u, found);
    json_decref(all);
    json_decref(base);
}

TEST_F(study, AFailedRunLeavesAGapAndIsTold)
{
    write_file(folder / "broken.traceg", "-kernel name = k\nthis is no trace\n");
    outcome o =
        run("--no-sweeps " + source("traces/bundled/matmul") + " " + (folder / "broken.traceg"));
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("failed and leave gaps")) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("broken.traceg")) << o.err;
    json_t *all = load("out/study.json");
    EXPECT_GT(cell(all, "fig13-hit-ratio", "matmul", 0), 0.0);
    EXPECT_FALSE(fs::exists(folder / "out/runs/rtx2060-paper/broken.traceg/baseline.json"));
    json_decref(all);
    fs::remove_all(folder / "out");
    o = run("--no-sweeps " + (folder / "broken.traceg"));
    EXPECT_NE(0, o.status) << "nothing was measured";
    EXPECT_FALSE(fs::exists(folder / "out/index.html"));
}

// The log of a job in `folder`, after jobs that list this program's tests have been run.
int run_job(const temporary_folder &folder, const std::string &log, std::string *text)
{
    smrf_jobs jobs{};
    char why[SMRF_JOB_TEXT];
    const char *const arguments[] = {"--gtest_list_tests", nullptr};
    EXPECT_EQ(0, smrf_jobs_add(&jobs, (folder / "none.json").c_str(), log.c_str(), arguments));
    const int failed = smrf_jobs_run(&jobs, 1, nullptr, nullptr, why);
    smrf_jobs_free(&jobs);
    *text = why;
    return failed;
}

TEST(Jobs, ALogReplacesAnEarlierLogAndNothingElse)
{
    temporary_folder folder;
    const std::string log = folder / "a.log", other = folder / "mine";
    std::string why;
    write_file(other, "of the user");
    fs::create_hard_link(other, log);
    EXPECT_EQ(1, run_job(folder, log, &why)) << "it makes no result";
    EXPECT_NE(std::string::npos, read_file(log).find("Jobs.")) << read_file(log);
    EXPECT_EQ("of the user", read_file(other));

    fs::remove(log);
    fs::create_symlink(other, log);
    EXPECT_EQ(1, run_job(folder, log, &why));
    EXPECT_EQ(log + ": File exists", why);
    EXPECT_EQ("of the user", read_file(other));
    EXPECT_TRUE(fs::is_symlink(log));

    fs::remove(log);
    ASSERT_EQ(0, mkfifo(log.c_str(), 0600));
    EXPECT_EQ(1, run_job(folder, log, &why));
    EXPECT_EQ(log + ": File exists", why);
    EXPECT_TRUE(fs::is_fifo(log));
}

TEST_F(study, BadUsageIsRefused)
{
    const struct {
        const char *arguments, *says;
        int status;
    } cases[] = {
        {"study", "which study", 2},
        {"study larf-2", "no study of 'larf-2'", 2},
        {"study malekeh --size huge", "--size is", 2},
        {"study malekeh --jobs 0", "--jobs takes", 2},
        {"study malekeh --preset none", "none", 2},
        {"study malekeh --set a/b", "no '/'", 2},
        {"study malekeh --program none", "no program or group 'none'", 3},
        {"study malekeh /nowhere/trace", "/nowhere/trace", 3},
        {"study malekeh -o /proc/none/x --program hotspot", "cannot make the folder", 3},
    };
    for (const auto &c : cases) {
        outcome o = smrf(folder, c.arguments);
        EXPECT_EQ(c.status, o.status) << c.arguments << o.err;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << o.err;
    }
}

TEST_F(study, InterruptedItGoesOn)
{
    std::string command =
        "study malekeh --no-sweeps --jobs 1 -o " + (folder / "out") + " " + traces();
    std::string shell = program() + " " + command + " >/dev/null 2>" + (folder / "err") +
                        " </dev/null & pid=$!; sleep 0.3; kill -TERM $pid; wait $pid";
    int status = std::system(shell.c_str());
    if (WEXITSTATUS(status) == 0) {
        GTEST_SKIP() << "the study ended before it could be interrupted";
    }
    EXPECT_NE(std::string::npos, read_file(folder / "err").find("goes on from here"));
    EXPECT_FALSE(fs::exists(folder / "out/index.html"));
    outcome o = run("--no-sweeps " + traces());
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_TRUE(fs::exists(folder / "out/index.html"));
}

} // namespace
