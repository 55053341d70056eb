// SPDX-License-Identifier: Apache-2.0
// Running what is planned: nothing again that is there, everything that is not; failures, signals,
// kills, several runners in one folder.
#include "platform/crew/crew.h"
#include "platform/runner/runner.h"
#include "tests/support/experiment_folder.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

using namespace smrf_test;

namespace
{

struct runner : testing::Test {
    temporary_folder folder;
    std::string out = folder / "out";
    outcome sweep(const std::string &words)
    {
        return smrf(folder, "sweep -o " + out + " " + words);
    }
};

// As many processes as processors, and as many threads in each, would wait for each other.
TEST_F(runner, ProcessesBesideEachOtherShareTheProcessors)
{
    const smrf_experiment_options given{};
    smrf_variant variant{};
    smrf_trace_of trace{};
    smrf_experiment x;
    smrf_runner_options o{};
    smrf_runner r{};
    variant.tool = "run";
    trace.path = "trace";
    smrf_experiment_init(&x, "x", &given);
    x.variant = &variant;
    x.trace = &trace;
    r.x = &x;
    r.options = &o;
    smrf_planned planned{};
    planned.run.preset = planned.run.mechanism = "any";
    const auto threads = [&](unsigned jobs, size_t runs) {
        o.jobs = jobs;
        r.num_planned = runs;
        for (const char **word = smrf_runner_words(&r, &planned); *word != nullptr; word++) {
            if (strncmp(*word, "--threads=", 10) == 0) {
                return atol(*word + 10);
            }
        }
        return 0L;
    };
    const long all = smrf_crew_processors();
    EXPECT_EQ(all, threads(1, 100));
    EXPECT_EQ(all, threads(100, 1)) << "there are no others";
    EXPECT_EQ(1, threads(static_cast<unsigned>(all), 1000));
    EXPECT_EQ(1, threads(static_cast<unsigned>(4 * all), 1000));
    o.slurm = true;
    EXPECT_EQ(0, threads(100, 1000)) << "a task finds out what it was given";
    smrf_experiment_free(&x);
}

TEST_F(runner, ASecondTimeNothingIsRun)
{
    const std::string words = "--axis rf.banks=2,4 -m baseline -m malekeh-long " +
                              tiny_trace(folder, "a") + " " + tiny_trace(folder, "b", 5);
    outcome first = sweep(words);
    ASSERT_EQ(0, first.status) << first.err;
    EXPECT_EQ(8, told_runs(first.err).made());
    const std::string csv = read_file(out + "/results.csv");
    outcome second = sweep(words);
    ASSERT_EQ(0, second.status);
    EXPECT_EQ(0, told_runs(second.err).made());
    EXPECT_EQ(first.out, second.out);
    EXPECT_EQ(csv, read_file(out + "/results.csv"));
    EXPECT_EQ(
        4, told_runs(sweep("--axis rf.banks=2,4,8,16 " + (folder / "a") + " " + (folder / "b")).err)
               .made())
        << "two values more";
    for (const auto &left : fs::directory_iterator(out + "/runs")) {
        EXPECT_EQ(".tracing", left.path().filename()) << "nothing is left but the store";
    }
}

// What a run depends on, changed one at a time: the run is made again, the others are not.
TEST_F(runner, WhatHasChangedIsRunAgain)
{
    const std::string trace = tiny_trace(folder, "a"), other = tiny_trace(folder, "b", 7);
    const std::string kernel = trace + "/kernel-1.traceg", words = "--axis rf.banks=2 ";
    const std::string both = words + trace + " " + other;
    ASSERT_EQ(2, told_runs(sweep(both).err).made());

    const auto time = fs::last_write_time(kernel); // in place: as long and as old as before
    std::string text = read_file(kernel);
    for (size_t at; (at = text.find("FFMA")) != std::string::npos;) {
        text.replace(at, 4, "FMUL");
    }
    write_file(kernel, text);
    fs::last_write_time(kernel, time);
    EXPECT_EQ(1, told_runs(sweep(both).err).made()) << "a kernel's file";

    write_file(trace + "/kernel-1.operands", "");
    sweep(both); // an empty sidecar is damaged: it is looked at, and that is what counts
    fs::remove(trace + "/kernel-1.operands");
    EXPECT_EQ(0, told_runs(sweep(both).err).made()) << "as it was";

    fs::rename(trace, folder / "old"); // another trace of that name, older than the results
    tiny_trace(folder, "a", 9);
    for (const auto &file : fs::directory_iterator(trace)) {
        fs::last_write_time(file, time - std::chrono::hours(24 * 365));
    }
    EXPECT_EQ(1, told_runs(sweep(both).err).made()) << "another trace of the same name";

    fs::create_directory(folder / "moved"); // the same trace elsewhere is the same trace
    fs::rename(other, folder / "moved/b");
    EXPECT_EQ(0, told_runs(sweep(words + trace + " " + (folder / "moved/b")).err).made());

    EXPECT_EQ(
        2, told_runs(sweep(words + "-s rf.collectors=4 " + trace + " " + (folder / "moved/b")).err)
               .made())
        << "a parameter";
    EXPECT_EQ(1, told_runs(sweep(words + "--seeds 2 " + trace).err).made()) << "a seed more";
}

TEST_F(runner, AnotherProgramsResultsAreNotTaken)
{
    const std::string trace = tiny_trace(folder, "a");
    ASSERT_EQ(0, sweep("--axis rf.banks=2 " + trace).status);
    const std::string own = program().substr(1, program().size() - 2), copy = folder / "smrf";
    fs::copy_file(own, copy);
    std::ofstream(copy, std::ios::app) << "x"; // built anew from the same commit
    const std::string command = copy + " sweep -o " + out + " --axis rf.banks=2 " + trace +
                                " >/dev/null 2>" + (folder / "err");
    ASSERT_EQ(0, std::system(command.c_str())) << read_file(folder / "err");
    EXPECT_EQ(1, told_runs(read_file(folder / "err")).made());
    EXPECT_EQ(2, number(out, "SELECT count(DISTINCT program_digest) FROM runs"));
    EXPECT_EQ(1, number(out, "SELECT count(DISTINCT program_digest) FROM results"));
}

// Fifty runs and more, a trace among them that is damaged after its first launch.
TEST_F(runner, OneThatFailsLeavesAGapAndTheOthersGoOn)
{
    std::string words =
        "--axis rf.banks=2,4,8 --axis rf.collectors=2,4,8 --axis issue.scheduler=gto,lrr ";
    for (const char *name : {"a", "b", "c"}) {
        words += tiny_trace(folder, name, name[0] - 'a' + 2u) + " ";
    }
    const std::string broken = folder / "b/kernel-2.traceg";
    write_file(broken, read_file(broken) + "\n#BEGIN_TB\nthis is no block\n");
    outcome o = sweep(words);
    EXPECT_EQ(1, o.status) << "it is told";
    EXPECT_EQ(54, told_runs(o.err).all);
    EXPECT_TRUE(has(o.err, "18 of 54 runs failed")) << o.err;
    EXPECT_TRUE(has(o.err, "kernel-2.traceg")) << o.err;
    EXPECT_EQ(36, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
    EXPECT_EQ(0, number(out, "SELECT count(*) FROM results WHERE trace = 'b'"));
    outcome again = sweep(words);
    EXPECT_EQ(1, again.status);
    EXPECT_EQ(18, told_runs(again.err).made()) << "those that failed";
    tiny_trace(folder, "b", 3);
    EXPECT_EQ(0, sweep(words).status) << "mended";
}

TEST_F(runner, APartialRunIsNoResult)
{
    ASSERT_EQ(0, smrf(folder, "trace hotspot --size medium -q -o " + (folder / "long")).status);
    const std::string shell = program() + " sweep --axis rf.banks=2 -o " + out + " " +
                              (folder / "long") + " >/dev/null 2>" + (folder / "err") +
                              " </dev/null & sweep=$!; for i in $(seq 500); do c=$(cat "
                              "/proc/$sweep/task/$sweep/children); [ -n \"$c\" ] && sleep 0.15 && "
                              "kill -TERM $c && break; sleep 0.01; done; wait $sweep";
    const int status = std::system(shell.c_str());
    const std::string err = read_file(folder / "err");
    if (WEXITSTATUS(status) == 0) {
        GTEST_SKIP() << "the run ended before it could be stopped";
    }
    EXPECT_EQ(1, WEXITSTATUS(status)) << err;
    EXPECT_EQ(0, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
    EXPECT_EQ(0, number(out, "SELECT count(*) FROM statistics"));
}

TEST_F(runner, ARunThatWantsTooMuchMemoryFails)
{
    outcome o = sweep("--axis rf.banks=2 --memory 3 " + tiny_trace(folder, "a"));
    EXPECT_EQ(1, o.status) << o.err;
    EXPECT_TRUE(has(o.err, "1 of 1 runs failed")) << o.err;
    EXPECT_TRUE(has(o.err, "more than --memory=3 allows")) << o.err;
}

// The kernel's part of a control group, played on a folder: each new group gets its events, and its
// process may be killed.
class played_kernel
{
  public:
    played_kernel(const std::string &group, const std::string &events, bool kills)
        : thread_([this, group, events, kills] { play(group, events, kills); })
    {
    }
    ~played_kernel()
    {
        stop_ = true;
        thread_.join();
    }
    played_kernel(const played_kernel &) = delete;
    std::string limit; // memory.max of the last group

  private:
    void play(const std::string &group, const std::string &events, bool kills)
    {
        std::set<std::string> seen;
        for (; !stop_; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
            for (const auto &child : fs::directory_iterator(group)) {
                const std::string path = child.path().string();
                const std::string procs = child.is_directory() && fs::exists(path + "/cgroup.procs")
                                              ? read_file(path + "/cgroup.procs")
                                              : "";
                if (procs.empty() || !seen.insert(path).second) {
                    continue;
                }
                limit = read_file(path + "/memory.max");
                write_file(path + "/memory.events", events);
                write_file(path + "/memory.peak", "4194304\n");
                if (kills) {
                    kill(std::stoi(procs), SIGKILL);
                }
            }
        }
    }
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

struct control_group : runner {
    std::string group = folder / "group";
    void SetUp() override
    {
        fs::create_directory(group);
        write_file(group + "/cgroup.controllers", "cpu io memory pids\n");
        write_file(group + "/cgroup.subtree_control", "cpu memory\n");
        write_file(group + "/cgroup.procs", "");
        setenv("SMRF_CGROUP", group.c_str(), 1);
        long_trace = folder / "long";
        ASSERT_EQ(0, smrf(folder, "trace hotspot --size medium -q -o " + long_trace).status);
    }
    void TearDown() override
    {
        unsetenv("SMRF_CGROUP");
    }
    std::string long_trace;
};

TEST_F(control_group, SaysThatItsOwnLimitWasStruck)
{
    played_kernel kernel(group, "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n", true);
    outcome o = sweep("--axis rf.banks=2 --memory 3 " + long_trace);
    EXPECT_EQ(1, o.status) << o.err;
    EXPECT_TRUE(has(o.err, "more memory than --memory=3 allows: its control group's memory.max "
                           "ended it, at 4 MB"))
        << o.err;
    EXPECT_EQ("3145728", kernel.limit);
}

TEST_F(control_group, SaysThatALimitAroundItWasStruck)
{
    played_kernel kernel(group, "low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n", true);
    outcome o = sweep("--axis rf.banks=2 --memory 3000 " + long_trace);
    EXPECT_EQ(1, o.status) << o.err;
    EXPECT_TRUE(has(o.err, "at less than --memory=3000 allows")) << o.err;
}

TEST_F(control_group, LimitsInThePlaceOfResidentMemory)
{
    played_kernel kernel(group, "oom 0\noom_kill 0\n", false);
    outcome o = sweep("--axis rf.banks=2 --memory 3 " + long_trace);
    EXPECT_EQ(0, o.status) << "resident memory is not watched beside it: " << o.err;
    EXPECT_EQ("3145728", kernel.limit);
}

TEST_F(control_group, WithoutTheControllerResidentMemoryIsWatched)
{
    write_file(group + "/cgroup.controllers", "cpu io pids\n");
    outcome o = sweep("--axis rf.banks=2 --memory 3 " + long_trace);
    EXPECT_EQ(1, o.status) << o.err;
    EXPECT_TRUE(has(o.err, "MB of memory, more than --memory=3 allows")) << o.err;
    EXPECT_EQ(3, std::distance(fs::directory_iterator(group), fs::directory_iterator()))
        << "no group was made";
}

// The mechanism of CARS reserves gigabytes of addresses and uses some megabytes.
TEST_F(runner, WhatARunOnlyReservesDoesNotCount)
{
    const std::string ray =
        std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/ray/kernel-1.traceg.xz";
    outcome o = sweep("--axis mechanism=cars --memory 2000 " + ray);
    EXPECT_EQ(0, o.status) << o.err;
}

TEST_F(runner, TwoInOneFolderShareTheWork)
{
    std::string words =
        " sweep --jobs 2 -o " + out + " --axis rf.banks=2,4,8 --axis rf.collectors=2,4 ";
    for (const char *name : {"a", "b", "c", "d"}) {
        words += tiny_trace(folder, name, name[0] - 'a' + 2u) + " ";
    }
    const std::string shell = program() + words + ">/dev/null 2>" + (folder / "1") + " & " +
                              program() + words + ">/dev/null 2>" + (folder / "2") +
                              "; s=$?; wait $! && exit $s";
    ASSERT_EQ(0, std::system(shell.c_str())) << read_file(folder / "1") << read_file(folder / "2");
    const told_runs one(read_file(folder / "1")), two(read_file(folder / "2"));
    EXPECT_EQ(24, one.all);
    EXPECT_EQ(24, one.made() + two.made()) << "each run by one of them";
    EXPECT_EQ(24, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
}

// At many moments, the runner with its children or alone: what is there then is what would be.
TEST_F(runner, KilledItGoesOnAndLosesNothing)
{
    std::string words = "--jobs 2 --axis rf.banks=2,4,8 --axis rf.collectors=2,4 ";
    for (const char *name : {"a", "b"}) {
        words += tiny_trace(folder, name, name[0] - 'a' + 3u) + " ";
    }
    ASSERT_EQ(0, smrf(folder, "sweep -o " + (folder / "calm") + " " + words).status);
    int kills = 0, most = 0;
    for (int moment = 0; moment < 40; moment++) {
        const std::string shell =
            program() + " sweep -o " + out + " " + words + ">/dev/null 2>&1 & " + "sleep 0." +
            std::to_string(10 + 7 * (moment % 11)) + "; kill -KILL $! 2>/dev/null; wait $!";
        const int status = WEXITSTATUS(std::system(shell.c_str()));
        const int whole =
            fs::exists(out + "/experiment.sqlite") && fs::file_size(out + "/experiment.sqlite") > 0
                ? static_cast<int>(
                      number(out, "SELECT count(*) FROM sqlite_master WHERE name = 'runs'") > 0
                          ? number(out, "SELECT count(*) FROM runs WHERE status = 'whole'")
                          : 0)
                : 0;
        EXPECT_GE(whole, most) << "nothing that was there is lost";
        most = whole;
        kills += status != 0;
        if (status == 0) {
            break;
        }
    }
    EXPECT_GT(kills, 0);
    outcome end = sweep(words);
    ASSERT_EQ(0, end.status) << end.err;
    EXPECT_EQ(read_file(folder / "calm/results.csv"), read_file(out + "/results.csv"));
    EXPECT_EQ(12, number(out, "SELECT count(*) FROM runs"));
    EXPECT_EQ("ok", rows(out, "PRAGMA integrity_check").at(0));
}

// A day of work in small: a mistyped key, a trace that is damaged in the middle, two runners in one
// folder, one of them killed, both again.
TEST_F(runner, OfADayWithEveryMishapNothingIsLostAndNothingTwice)
{
    std::string traces;
    for (const char *name : {"a", "b", "c", "d", "e"}) {
        tiny_trace(folder, name, name[0] - 'a' + 20u);
        traces += std::string(traces.empty() ? "" : ", ") + name;
    }
    const std::string broken = folder / "c/kernel-2.traceg", good = read_file(broken);
    const auto study = [&](const std::string &key) {
        write_file(folder / "day.yaml",
                   "title: day\ntraces: [" + traces +
                       "]\nvariants: {baseline: , malekeh-long: }\n" +
                       "sweeps: {s: {of: baseline, axes: {" + key +
                       ": [4, 8, 16], rf.collectors: [2, 4]}}}\n"
                       "figures: {ipc: {columns: [malekeh-long], value: ipc / ipc@baseline}}\n");
    };
    const std::string words = " study " + (folder / "day.yaml") + " --jobs 1 -o " + out;
    study("rf.bansk");
    const outcome typo = smrf(folder, words);
    EXPECT_EQ(2, typo.status);
    EXPECT_TRUE(has(typo.err, "day.yaml:4: unknown key 'rf.bansk'; did you mean rf.banks?"))
        << typo.err;
    EXPECT_FALSE(fs::exists(out));

    study("rf.banks");
    write_file(broken, good.substr(0, good.find("FFMA", good.size() / 2)) + "no number\n");
    const std::string command = program() + words;
    std::system((command + " >/dev/null 2>&1 & a=$!; " + command + " >/dev/null 2>&1 & b=$!; " +
                 "for i in $(seq 200); do sleep 0.05; [ $(ls " + out +
                 "/runs 2>/dev/null | wc -l) -gt 1 ] && "
                 "break; done; sleep 0.4; kill -KILL $a; sleep 0.2; kill -KILL $b; wait")
                    .c_str());
    const long long before = number(out, "SELECT count(*) FROM runs WHERE status = 'whole'");
    EXPECT_LT(0, before);
    EXPECT_GT(36, before) << "it was killed in the middle";
    EXPECT_EQ(0, smrf(folder, words + " --report").status);
    EXPECT_TRUE(has(read_file(out + "/report.html"),
                    std::to_string(40 - before) + " of 40 runs are missing"));

    const int both = std::system((command + " >/dev/null 2>" + (folder / "1") + " & " + command +
                                  " >/dev/null 2>" + (folder / "2") +
                                  "; s=$?; wait $!; t=$?; "
                                  "[ $s = 1 ] && [ $t = 1 ]")
                                     .c_str());
    EXPECT_EQ(0, both) << "both tell of the failure\n"
                       << read_file(folder / "1") << read_file(folder / "2");
    EXPECT_TRUE(has(read_file(folder / "1"), "8 of 40 runs failed")) << read_file(folder / "1");
    EXPECT_EQ(32, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
    EXPECT_EQ(8, number(out, "SELECT count(*) FROM runs WHERE status = 'failed'"));
    EXPECT_EQ(40, number(out, "SELECT count(DISTINCT key) FROM runs"));
    EXPECT_EQ(
        number(out, "SELECT count(*) FROM statistics"),
        number(out, "SELECT count(*) FROM (SELECT DISTINCT run, launch, name FROM statistics)"));
    const std::string page = read_file(out + "/report.html");
    EXPECT_TRUE(has(page, "8 of 40 runs are missing"));
    EXPECT_TRUE(has(page, "kernel-2.traceg:"));

    write_file(broken, good);
    const outcome end = smrf(folder, words);
    ASSERT_EQ(0, end.status) << end.err;
    EXPECT_EQ(8, told_runs(end.err).made()) << "those of the damaged trace";
    ASSERT_EQ(0,
              smrf(folder, " study " + (folder / "day.yaml") + " -o " + (folder / "calm")).status);
    EXPECT_EQ(read_file(folder / "calm/results.csv"), read_file(out + "/results.csv"));
}

TEST_F(runner, InterruptedItSaysSoAndGoesOn)
{
    const std::string words = "--jobs 1 --axis rf.banks=2,4,8,16 --axis rf.collectors=2,4,8,16 " +
                              tiny_trace(folder, "a", 40);
    const std::string shell = program() + " sweep -o " + out + " " + words + ">/dev/null 2>" +
                              (folder / "err") + " & sleep 0.3; kill -TERM $!; wait $!";
    if (WEXITSTATUS(std::system(shell.c_str())) == 0) {
        GTEST_SKIP() << "it ended before it could be interrupted";
    }
    EXPECT_TRUE(has(read_file(folder / "err"), "goes on from here")) << read_file(folder / "err");
    EXPECT_EQ(0, number(out, "SELECT count(*) FROM runs WHERE status = 'claimed'"));
    EXPECT_EQ(0, sweep(words).status);
}

TEST_F(runner, AFullDiskIsToldAndNothingIsLost)
{
    const std::string words =
        "--jobs 1 --axis rf.banks=2,4,8 --axis rf.collectors=2,4,8 " + tiny_trace(folder, "a");
    const std::string command = "ulimit -f 200; " + program() + " sweep -o " + out + " " + words +
                                ">/dev/null 2>" + (folder / "err");
    EXPECT_NE(0, std::system(command.c_str())) << "100 KiB do not hold it";
    EXPECT_FALSE(read_file(folder / "err").empty());
    EXPECT_EQ("ok", rows(out, "PRAGMA integrity_check").at(0));
    outcome o = sweep(words);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(9, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
}

} // namespace
