// SPDX-License-Identifier: Apache-2.0
// The command line, as processes of build/smrf: every exit status, every error a user can meet, and
// what the documents contain.
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include <chrono>
#include <csignal>
#include <pty.h>
#include <thread>
#include <unistd.h>

using namespace smrf_test;

namespace
{

enum { OK = 0, USAGE = 2, INPUT = 3, CHECK = 4 };

class cli : public ::testing::Test
{
  protected:
    outcome run(const std::string &arguments)
    {
        return smrf(folder, arguments);
    }
    std::string trace(const launch_shape &shape = small_launch(), unsigned launches = 1)
    {
        return write_trace(folder, "trace" + std::to_string(next_++), shape, launches);
    }
    void expect(int status, const std::string &arguments, const std::string &text)
    {
        outcome got = run(arguments);
        EXPECT_EQ(status, got.status) << arguments << "\n" << got.err;
        EXPECT_NE(std::string::npos, got.err.find(text)) << arguments << "\n" << got.err;
        EXPECT_EQ("", got.out) << arguments;
    }
    temporary_folder folder;

  private:
    int next_ = 0;
};

// Enough work for a signal to come in the middle: a long trace, many times.
std::string long_work(const temporary_folder &folder, unsigned times)
{
    launch_shape shape = small_launch();
    shape.blocks = 60;
    shape.warps = 8;
    shape.repeat = 100;
    std::string trace = write_trace(folder, "long", shape), all;
    for (unsigned i = 0; i < times; i++) {
        all += " " + trace;
    }
    return all;
}

// The answer to a reduction is the last event of the launch: nothing of it may be left to the next.
TEST_F(cli, ReplaysLaunchesThatEndInAReduction)
{
    launch_shape shape = small_launch();
    shape.body = {"00000001 0 RED.E.ADD.STRONG.GPU 2 R2 R6 4 2 0x7f0000010000 0"};
    const std::string path = trace(shape, 3);
    for (const char *engine : {"systemc", "direct"}) {
        outcome got = run(std::string("run --engine ") + engine + " " + path);
        EXPECT_EQ(OK, got.status) << got.err;
    }
}

TEST_F(cli, PrintsASummaryAndNothingElse)
{
    outcome got = run("run " + trace());
    EXPECT_EQ(OK, got.status) << got.err;
    EXPECT_EQ("", got.err) << "no banner, no progress, no note on a pipe";
    for (const char *text : {"cycles ", "IPC ", "register reads", "bank conflicts", "L1D ", "L2 ",
                             "DRAM ", "value oracle", "issued", "instructions a second"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text << "\n" << got.out;
    }
}

TEST_F(cli, QuietPrintsNothing)
{
    outcome got = run("run -q " + trace());
    EXPECT_EQ(OK, got.status);
    EXPECT_EQ("", got.out + got.err);
}

// --- usage ------------------------------------------------------------------------------------

TEST_F(cli, HelpTeaches)
{
    outcome got = run("--help");
    EXPECT_EQ(OK, got.status);
    for (const char *text : {"smrf run", "smrf info", "smrf list", "--explain", "Exit status"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text;
    }
    got = run("run --help");
    EXPECT_EQ(OK, got.status);
    for (const char *text : {"--preset", "--mechanism", "--config", "--set", "--gpgpusim", "--json",
                             "--csv", "--seed", "--max-cycles", "--max-insts", "--check"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text;
    }
    EXPECT_EQ(OK, run("info --help").status);
    EXPECT_EQ(OK, run("list --help").status);
    EXPECT_EQ(OK, run("--version").status);
}

TEST_F(cli, WrongUsageExitsWith2AndSaysWhatToDo)
{
    std::string t = trace();
    expect(USAGE, "", "usage: smrf run");
    expect(USAGE, "rnu " + t, "did you mean run?");
    expect(USAGE, "run", "no TRACE");
    expect(USAGE, "info", "no TRACE");
    expect(USAGE, "run --bogus " + t, "--bogus");
    expect(USAGE, "run --set rf.bnaks=2 " + t, "did you mean rf.banks?");
    expect(USAGE, "run --set rf.banks=99 " + t, "out of range");
    expect(USAGE, "run --set rf.banks " + t, "rf.banks");
    expect(USAGE, "run --preset rtx2060-papr " + t, "did you mean rtx2060-paper?");
    expect(USAGE, "run --mechanism baselin " + t, "did you mean baseline?");
    expect(USAGE, "run --engine fast " + t, "systemc or direct");
    expect(USAGE, "run --check perhaps " + t, "--check: 'perhaps' is neither on nor off");
    expect(USAGE, "run --seed x " + t, "--seed: 'x' is not a number");
    expect(USAGE, "run --max-cycles 1e3 " + t, "--max-cycles");
    expect(USAGE, "run --max-insts -5 " + t, "--max-insts");
    expect(USAGE, "run --preset rtx3070 " + t, "did you mean cars-rtx3070 or rtx3070-accelsim?");
    expect(USAGE, "run --mechanism malekeh " + t,
           "did you mean malekeh-long, malekeh-short or malekeh-private?");
    expect(USAGE, "run --presett x " + t,
           "there is no option --presett; did you mean --preset?; smrf run --help shows all");
    expect(USAGE, "--explain rf.bank", "did you mean rf.banks");
    expect(USAGE, "--explain rf.hits", "no option or statistic is called 'rf.hits'; did you mean");
    expect(USAGE, "--explain", "one key");
    expect(USAGE, "list presetz", "did you mean presets?");
}

TEST_F(cli, NamesAreFoundInAnyCaseOfLetters)
{
    const outcome o = smrf(folder, "run -q --json - -p RTX2060-Paper -m Malekeh-LONG " + trace());
    ASSERT_EQ(0, o.status) << o.err;
    const document d(o.out);
    EXPECT_EQ("rtx2060-paper", d.text("provenance.preset"));
    EXPECT_EQ("malekeh-long", d.text("provenance.mechanism"));
}

TEST_F(cli, ExplainsStatistics)
{
    const outcome o = smrf(folder, "--explain rf.collector_stalls");
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_NE(std::string::npos, o.out.find("but got no collector unit")) << o.out;
    EXPECT_NE(std::string::npos, o.out.find("unit: scheduler cycles")) << o.out;
    const outcome own = smrf(folder, "--explain mechanism.own_allocations");
    ASSERT_EQ(0, own.status) << own.err;
    EXPECT_NE(std::string::npos, own.out.find("allocations of the CCU that the warp owned"));
    EXPECT_NE(std::string::npos, own.out.find("counted by: malekeh-long, malekeh-short"));
}

// More reads than operands, and fewer writes than results: the summary says why.
TEST_F(cli, TheSummarySaysWhichReadsAndWritesAreNoOperands)
{
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    const outcome o = smrf(folder, "run -p larf-paper -m larf " +
                                       std::string(source ? source : ".") + "/traces/bundled/ray");
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_NE(std::string::npos, o.out.find(" of them to merge loads)")) << o.out;
    EXPECT_NE(std::string::npos, o.out.find(" shared without a write")) << o.out;
}

TEST_F(cli, ExplainTellsEverythingAboutAKey)
{
    for (const char *arguments :
         {"--explain rf.banks", "--explain=rf.banks", "run --explain rf.banks"}) {
        outcome got = run(arguments);
        EXPECT_EQ(OK, got.status) << arguments;
        for (const char *text : {"rf.banks", "unit", "range", "default", "source"}) {
            EXPECT_NE(std::string::npos, got.out.find(text)) << text << "\n" << got.out;
        }
    }
}

TEST_F(cli, ListsShowPresetsMechanismsOptionsAndStatisticsWithUnits)
{
    EXPECT_NE(std::string::npos, run("list presets").out.find("qv100-accelsim"));
    EXPECT_NE(std::string::npos, run("list mechanisms").out.find("baseline"));
    EXPECT_NE(std::string::npos, run("list options --all").out.find("  rf.banks "));
    std::string statistics = run("list statistics --all").out;
    EXPECT_NE(std::string::npos, statistics.find("rf.bank_conflict_cycles"));
    EXPECT_NE(std::string::npos, statistics.find("(operand cycles)"));
    std::string all = run("list --all").out;
    for (const char *text : {"qv100-accelsim", "baseline", "rf.banks", "dram.reads"}) {
        EXPECT_NE(std::string::npos, all.find(text)) << text;
    }
}

TEST_F(cli, ListsFitAScreenUntilAGroupOrAllIsAskedFor)
{
    const auto lines = [](const std::string &text) {
        return std::count(text.begin(), text.end(), '\n');
    };
    for (const char *list : {"list", "list options", "list statistics", "trace --list"}) {
        const outcome got = run(list);
        EXPECT_EQ(OK, got.status) << list;
        EXPECT_LE(lines(got.out), 60) << list;
        EXPECT_GE(lines(got.out), 15) << list;
        EXPECT_NE(std::string::npos, got.out.find("--all")) << list << " tells how to see more";
    }
    // Every option and statistic stands in the list of its group.
    struct smrf_stat_info info;
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        const std::string name = info.name;
        const size_t dot = name.find('.', name.rfind("counters.", 0) == 0 ? 9 : 0);
        if (i % 20 == 0) { // a process each
            const std::string group = dot == std::string::npos ? "run" : name.substr(0, dot);
            const std::string out = run("list statistics " + group).out;
            EXPECT_NE(std::string::npos, out.find("\n  " + name + " ")) << name;
            EXPECT_EQ(group == "rf", out.find("\n  rf.bank_reads ") != std::string::npos);
        }
    }
    const std::string two = run("list options rf malekeh").out;
    EXPECT_NE(std::string::npos, two.find("  rf.banks "));
    EXPECT_NE(std::string::npos, two.find("  malekeh.slots "));
    EXPECT_EQ(std::string::npos, two.find("  l1d.sets "));
    const std::string own = run("list statistics ltrf").out;
    EXPECT_NE(std::string::npos, own.find("  mechanism.intervals "));
    EXPECT_EQ(std::string::npos, own.find("  mechanism.traps "));
    expect(USAGE, "list options rff", "there is no list of 'rff'");
}

// --- bad input ----------------------------------------------------------------------------------

TEST_F(cli, MissingAndDamagedFilesExitWith3AndAreNamed)
{
    std::string t = trace();
    expect(INPUT, "run /nonexistent/trace", "/nonexistent/trace");
    expect(INPUT, "info /nonexistent/trace", "/nonexistent/trace");
    expect(INPUT, "run --config /nonexistent/c.yaml " + t, "/nonexistent/c.yaml");
    expect(INPUT, "run --gpgpusim /nonexistent/g.config " + t, "/nonexistent/g.config");
    expect(INPUT, "run --json /nonexistent/x.json " + t, "/nonexistent/x.json");
    expect(INPUT, "run --csv /nonexistent/x.csv " + t, "/nonexistent/x.csv");
    write_file(folder / "bad.yaml", "rf:\n  bnaks: 2\n");
    expect(INPUT, "run --config " + (folder / "bad.yaml") + " " + t, "bad.yaml:2");

    std::string missing = trace();
    fs::remove(missing + "/kernel-1.traceg");
    expect(INPUT, "run " + missing, "kernel-1.traceg");

    std::string text = kernel_text(small_launch(), 1);
    write_file(folder / "cut.traceg", text.substr(0, text.size() / 2));
    expect(INPUT, "run " + (folder / "cut.traceg"), "cut.traceg");
    expect(INPUT, "info " + (folder / "cut.traceg"), "cut.traceg");
}

TEST_F(cli, ATruncatedXzFileExitsWith3AndTellsThePosition)
{
    std::string whole = folder / "k.traceg";
    write_file(whole, kernel_text(small_launch(), 1));
    if (std::system(("xz -k " + whole + " 2>/dev/null").c_str()) != 0) {
        GTEST_SKIP() << "no xz program";
    }
    EXPECT_EQ(OK, run("run " + whole + ".xz").status);
    std::string bytes = read_file(whole + ".xz");
    write_file(folder / "cut.traceg.xz", bytes.substr(0, bytes.size() / 2));
    expect(INPUT, "run " + (folder / "cut.traceg.xz"), "truncated");
}

TEST_F(cli, AnUnknownOpcodeIsANoteUnlessStrict)
{
    launch_shape shape;
    shape.body = {"ffffffff 1 R4 FROBNICATE 1 R2 0 0"};
    std::string t = trace(shape);
    outcome got = run("run -q " + t);
    EXPECT_EQ(OK, got.status);
    EXPECT_NE(std::string::npos, got.err.find("FROBNICATE")) << got.err;
    expect(INPUT, "run --strict " + t, "FROBNICATE");
    expect(INPUT, "info --strict " + t, "FROBNICATE");
}

// --- checks of the model -----------------------------------------------------------------------

TEST_F(cli, TheWatchdogExitsWith4AndNamesTheStuckWarp)
{
    // Accesses in one step to a DRAM whose cycle is 1,365 of the SM's.
    std::string json = folder / "w.json";
    const std::string patience =
        "--engine systemc --set sim.view=lt --set sim.watchdog=1000 --set dram.khz=1000 ";
    outcome got = run("run " + patience + "--json " + json + " " + trace());
    EXPECT_EQ(CHECK, got.status);
    for (const char *text : {"no progress: SM ", "sim.watchdog", "warp 0", "LDG.E", "waits for"}) {
        EXPECT_NE(std::string::npos, got.err.find(text)) << text << "\n" << got.err;
    }
    document result(read_file(json));
    EXPECT_TRUE(json_is_true(result.at("partial")));
    EXPECT_EQ("failed", result.text("end"));
    EXPECT_NE(std::string::npos, result.text("checks.failure").find("no progress"));
    EXPECT_NE(std::string::npos, got.out.find("value oracle"))
        << "the summary is printed: " << got.out;
}

TEST_F(cli, ASlowMemoryIsNoDeadlock)
{
    // A DRAM cycle of 1,365 SM cycles: no SM gets anything for more than 100,000 of them, but the
    // banks work without a pause of 60,000.
    const std::string slow =
        "--preset rtx2060-accelsim --set dram.khz=1000 --set sim.watchdog=60000 --json ";
    const std::string bundled =
        std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/matmul";
    const std::string json = folder / "slow.json";
    for (const char *engine : {"direct", "systemc"}) {
        outcome got = run("run -q --set sim.watchdog=1000 --set dram.latency=10000 --engine " +
                          std::string(engine) + " " + trace());
        EXPECT_EQ(OK, got.status) << got.err;
        got = run("run -q " + slow + json + " --engine " + engine + " " + bundled);
        ASSERT_EQ(OK, got.status) << got.err;
        EXPECT_GT(document(read_file(json)).count("cycles"), 500000);
    }
}

// --- limits and signals ------------------------------------------------------------------------

TEST_F(cli, LimitsGiveCompleteResultsMarkedPartial)
{
    launch_shape shape = small_launch();
    shape.repeat = 50;
    std::string t = trace(shape), json = folder / "r.json";
    ASSERT_EQ(OK, run("run --max-cycles 300 --json " + json + " " + t).status);
    {
        document result(read_file(json));
        EXPECT_TRUE(json_is_true(result.at("partial")));
        EXPECT_EQ("limit", result.text("end"));
        EXPECT_EQ(300, result.count("cycles"));
        json_t *launch = json_array_get(result.at("kernels"), 0);
        EXPECT_TRUE(json_is_true(json_object_get(launch, "partial")));
        EXPECT_EQ(300, json_integer_value(json_object_get(launch, "cycles")));
    }
    ASSERT_EQ(OK, run("run --max-insts 50 --json " + json + " " + t).status);
    document result(read_file(json));
    EXPECT_TRUE(json_is_true(result.at("partial")));
    EXPECT_GE(result.count("instructions.warp"), 50);
    EXPECT_LT(result.count("instructions.warp"), static_cast<long long>(instructions(shape)));
}

TEST_F(cli, ARunCutOffCountsEveryCycleUpToThereWithBothEngines)
{
    std::string t = trace(), text[2];
    for (const char *cycles : {"7", "64", "100", "333"}) {
        for (int i = 0; i < 2; i++) {
            outcome got = run(std::string("run -q --set gpu.sms=2 --json - --engine ") +
                              (i ? "direct" : "systemc") + " --max-cycles " + cycles + " " + t);
            ASSERT_EQ(OK, got.status) << got.err;
            document result(got.out);
            // Both SMs have a block from cycle 1 on; each of their 4 schedulers counts the cycles
            // from then to the cut.
            EXPECT_EQ(2 * 4 * (std::stoll(cycles) - 1), result.count("issue.scheduler_cycles"))
                << cycles;
            text[i] = result.without_sim();
        }
        EXPECT_EQ(text[0], text[1]) << cycles;
    }
}

TEST_F(cli, EquationsOfARunCutOffHoldWithWhatIsInFlight)
{
    launch_shape shape = small_launch();
    shape.repeat = 20;
    const std::string t = trace(shape);
    long long seen[3] = {0, 0, 0};
    for (const char *mechanism : {"baseline", "malekeh-long", "bow-short"}) {
        for (int cycles = 50; cycles <= 900; cycles += 170) {
            const outcome got = run("run --json - --max-cycles " + std::to_string(cycles) + " -m " +
                                    mechanism + " " + t);
            ASSERT_EQ(OK, got.status) << got.err;
            document result(got.out.substr(got.out.find('{')));
            const long long reads = result.count("rf.operand_reads"),
                            insts = result.count("instructions.warp");
            const long long flying[3] = {result.count("instructions.in_flight"),
                                         result.count("rf.in_flight"),
                                         result.count("l1d.in_flight")};
            EXPECT_EQ(insts, result.count("counters.sm.completed") + flying[0]);
            EXPECT_EQ(reads,
                      result.count("rf.bank_reads") + result.count("rf.cache_hits") + flying[1]);
            for (int i = 0; i < 3; i++) {
                EXPECT_GE(flying[i], 0);
                seen[i] += flying[i];
            }
            EXPECT_LE(flying[1], 3 * flying[0]) << "operands of instructions that are in flight";
            EXPECT_LE(flying[0], insts);
        }
    }
    for (const long long any : seen) {
        EXPECT_GT(any, 0);
    }
    const outcome cut = run("run --max-cycles 60 " + t), whole = run("run " + t);
    EXPECT_NE(std::string::npos, cut.out.find(" in flight")) << cut.out;
    EXPECT_EQ(std::string::npos, whole.out.find(" in flight")) << whole.out;
}

void signalled_run(const temporary_folder &folder, int number)
{
    std::string json = folder / "s.json", work = long_work(folder, 400);
    std::string command = "exec " + program() + " run -q --json " + json + work;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
        _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by a signal";
    EXPECT_EQ(OK, WEXITSTATUS(status));
    document result(read_file(json));
    EXPECT_TRUE(json_is_true(result.at("partial")));
    EXPECT_EQ("stopped", result.text("end"));
    EXPECT_GT(result.count("cycles"), 0);
}

TEST_F(cli, CtrlCGivesPartialResults)
{
    signalled_run(folder, SIGINT);
}

TEST_F(cli, SigtermGivesPartialResults)
{
    signalled_run(folder, SIGTERM);
}

TEST_F(cli, DrawsAProgressBarOnATerminal)
{
    std::string command = "exec " + program() + " run " + long_work(folder, 6);
    int terminal = -1;
    struct winsize size = {24, 120, 0, 0};
    pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    ASSERT_GE(child, 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
        _exit(127);
    }
    std::string text;
    char buffer[4096];
    ssize_t n;
    while ((n = read(terminal, buffer, sizeof buffer)) > 0) {
        text.append(buffer, static_cast<size_t>(n));
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    EXPECT_EQ(0, status);
    EXPECT_NE(std::string::npos, text.find(" %  ")) << text;
    EXPECT_NE(std::string::npos, text.find("warp instructions/s")) << text;
    EXPECT_NE(std::string::npos, text.find("left ")) << text;
    EXPECT_EQ(std::string::npos, text.find("SystemC")) << "the banner";
}

// --- documents ---------------------------------------------------------------------------------

TEST_F(cli, JsonHasTheKeysThatOthersRelyOn)
{
    std::string json = folder / "r.json";
    ASSERT_EQ(OK, run("run -q --seed 7 --json " + json + " " + trace(small_launch(), 2)).status);
    document result(read_file(json));
    const char *const shared[] = {"cycles",
                                  "ipc",
                                  "warp_ipc",
                                  "instructions.warp",
                                  "instructions.thread",
                                  "instructions.by_class",
                                  "rf.operand_reads",
                                  "rf.bank_reads",
                                  "rf.cache_hits",
                                  "rf.hit_ratio",
                                  "rf.operand_writes",
                                  "rf.bank_writes",
                                  "rf.cache_writes",
                                  "rf.bank_conflict_cycles",
                                  "rf.crossbar_transfers",
                                  "issue.cycles_issued",
                                  "issue.stalls",
                                  "l1d.accesses",
                                  "l1d.hit_ratio",
                                  "l2.hit_ratio",
                                  "dram.reads",
                                  "dram.writes",
                                  "simt.mask_mismatches",
                                  "oracle.violations",
                                  "partial"};
    for (const char *key : shared) {
        EXPECT_NE(nullptr, result.at(key)) << key;
        for (size_t i = 0; i < 2; i++) {
            EXPECT_NE(nullptr, document::at(json_array_get(result.at("kernels"), i), key)) << key;
        }
    }
    for (const char *key : {"sim.wall_s", "sim.warp_instructions_per_s", "sim.engine",
                            "provenance.version", "provenance.seed", "provenance.trace_digest",
                            "provenance.config", "provenance.preset", "provenance.mechanism"}) {
        EXPECT_NE(nullptr, result.at(key)) << key;
    }
    for (const char *key : {"name", "id", "grid", "block", "start", "occupancy", "limit"}) {
        EXPECT_NE(nullptr, json_object_get(json_array_get(result.at("kernels"), 1), key)) << key;
    }
    EXPECT_EQ(2u, json_array_size(result.at("kernels")));
    EXPECT_TRUE(json_is_false(result.at("partial")));
    EXPECT_EQ(7, result.count("provenance.seed"));
    EXPECT_DOUBLE_EQ(json_number_value(result.at("ipc")), std::stod([&] {
                         char text[32];
                         std::snprintf(text, sizeof text, "%.9g",
                                       static_cast<double>(result.count("instructions.thread")) /
                                           static_cast<double>(result.count("cycles")));
                         return std::string(text);
                     }()));
}

TEST_F(cli, TheSameInputAndSeedGiveTheSameBytesButForSim)
{
    std::string t = trace(small_launch(), 2), text[2];
    for (int i = 0; i < 2; i++) {
        std::string json = folder / ("r" + std::to_string(i));
        ASSERT_EQ(OK, run("run -q --json " + json + " " + t).status);
        text[i] = read_file(json);
        size_t sim = text[i].find("\n  \"sim\": {");
        ASSERT_NE(std::string::npos, sim);
        text[i].resize(sim);
    }
    EXPECT_EQ(text[0], text[1]);
    EXPECT_GT(text[0].size(), 1000u);
}

TEST_F(cli, ATraceInAnotherPlaceOrCompressionGivesTheSameBytesButForSim)
{
    std::string a = trace(), b = trace(), text[2];
    ASSERT_NE(a, b);
    for (int i = 0; i < 2; i++) {
        outcome got = run("run -q --json - " + (i ? b : a));
        ASSERT_EQ(OK, got.status);
        text[i] = got.out.substr(0, got.out.find("\n  \"sim\": {"));
    }
    EXPECT_EQ(text[0], text[1]);
}

TEST_F(cli, CheckOffChangesNoNumberButTheOraclesOwn)
{
    std::string t = trace();
    document on(run("run -q --json - " + t).out), off(run("run -q --check off --json - " + t).out);
    for (const char *key : {"cycles", "instructions.warp", "rf.bank_reads", "issue.stalls.data"}) {
        EXPECT_EQ(on.count(key), off.count(key)) << key;
    }
    EXPECT_GT(on.count("oracle.checked"), 0);
    EXPECT_EQ(0, off.count("oracle.checked"));
}

std::vector<std::string> cells(const std::string &line)
{
    std::vector<std::string> all(1);
    bool quoted = false;
    for (char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            all.emplace_back();
        } else {
            all.back() += c;
        }
    }
    return all;
}

TEST_F(cli, CsvHasARowForTheRunAndOneForEachLaunchWithTheJsonsNumbers)
{
    std::string csv = folder / "r.csv", json = folder / "r.json";
    ASSERT_EQ(
        OK, run("run -q --csv " + csv + " --json " + json + " " + trace(small_launch(), 3)).status);
    std::istringstream lines(read_file(csv));
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(lines, line);) {
        rows.push_back(cells(line));
    }
    ASSERT_EQ(5u, rows.size());
    document result(read_file(json));
    size_t checked = 0;
    for (size_t c = 0; c < rows[0].size(); c++) {
        json_t *value = result.at(rows[0][c]);
        if (value != nullptr && json_is_integer(value)) {
            EXPECT_EQ(std::to_string(json_integer_value(value)), rows[1][c]) << rows[0][c];
            json_t *third = document::at(json_array_get(result.at("kernels"), 2), rows[0][c]);
            if (third != nullptr) {
                EXPECT_EQ(std::to_string(json_integer_value(third)), rows[4][c]) << rows[0][c];
            }
            checked++;
        }
    }
    EXPECT_GT(checked, 100u);
    for (const auto &row : rows) {
        EXPECT_EQ(rows[0].size(), row.size());
    }
    EXPECT_EQ("total", rows[1][0]);
    EXPECT_EQ("3", rows[4][0]);
}

TEST_F(cli, ResultsOnStandardOutputStandAlone)
{
    outcome got = run("run --json - " + trace());
    EXPECT_EQ(OK, got.status);
    document result(got.out);
    EXPECT_GT(result.count("cycles"), 0);
    EXPECT_NE(std::string::npos, got.err.find("cycles")) << "the summary moves to standard error";
}

TEST_F(cli, NoHalfWrittenFileStaysBehind)
{
    std::string dir = folder / "out";
    fs::create_directories(dir);
    EXPECT_EQ(OK, run("run -q --json " + dir + "/r.json " + trace()).status);
    EXPECT_EQ(INPUT, run("run -q --json " + dir + "/q.json /nonexistent").status);
    size_t files = 0;
    for (const auto &entry : fs::directory_iterator(dir)) {
        EXPECT_EQ("r.json", entry.path().filename());
        files++;
    }
    EXPECT_EQ(1u, files);
    if (fs::exists("/dev/full")) {
        expect(INPUT, "run -q --json /dev/full " + trace(), "/dev/full");
    }
}

// --- other inputs ------------------------------------------------------------------------------

TEST_F(cli, AFileAListAndAFolderAreTheSameTrace)
{
    std::string t = trace();
    std::string digest;
    for (const char *form : {"", "/kernelslist.g", "/kernel-1.traceg"}) {
        outcome got = run("run -q --json - " + t + form);
        ASSERT_EQ(OK, got.status) << form << got.err;
        document result(got.out);
        EXPECT_EQ(static_cast<long long>(instructions(small_launch())),
                  result.count("instructions.warp"));
    }
}

TEST_F(cli, GpgpusimOptionsWithoutCounterpartAreListed)
{
    write_file(folder / "gpgpusim.config", "-gpgpu_n_clusters 3\n-gpgpu_no_such_option 5\n");
    outcome got = run("run -q --json - --gpgpusim " + (folder / "gpgpusim.config") + " " + trace());
    EXPECT_EQ(OK, got.status) << got.err;
    EXPECT_NE(std::string::npos, got.err.find("gpgpusim.config:2: -gpgpu_no_such_option 5"))
        << got.err;
    EXPECT_EQ(3, json_integer_value(
                     json_object_get(document(got.out).at("provenance.config"), "gpu.sms")));
}

TEST_F(cli, InfoCountsWhatTheTraceHolds)
{
    launch_shape shape = small_launch();
    std::string t = trace(shape, 2);
    outcome text = run("info " + t);
    EXPECT_EQ(OK, text.status) << text.err;
    for (const char *part : {"launches            2", "FFMA", "LDG", "STG", "instruction mix"}) {
        EXPECT_NE(std::string::npos, text.out.find(part)) << part << "\n" << text.out;
    }
    document json(run("info --json " + t).out);
    EXPECT_EQ(2, json.count("launches"));
    EXPECT_EQ(4, json.count("blocks"));
    EXPECT_EQ(8, json.count("warps"));
    EXPECT_EQ(static_cast<long long>(2 * instructions(shape)), json.count("instructions.warp"));
    EXPECT_EQ(8, json.count("instructions.by_opcode.FFMA"));
    EXPECT_EQ(8, json.count("instructions.by_class.load"));
    EXPECT_EQ(8, json.count("memory.global.stores"));
    EXPECT_EQ(2 * 8 * 32 * 4, json.count("memory.global.lane_bytes")) << "loads and stores";
    EXPECT_EQ(8, json.count("registers.highest_used_plus_1")) << "R7";
    EXPECT_EQ(2u, json_array_size(json.at("kernels")));
}

// --- real traces -------------------------------------------------------------------------------

TEST_F(cli, EveryRealTraceReplaysWithTheInstructionsItHolds)
{
    std::string dir = real_traces();
    if (dir.empty() || !fs::is_directory(dir)) {
        GTEST_SKIP() << "no real traces; set SMRF_REAL_TRACES to their folder";
    }
    size_t traces = 0;
    for (const auto &entry : fs::directory_iterator(dir)) {
        if (!entry.is_directory()) {
            continue;
        }
        std::string t = entry.path().string();
        document info(run("info --json " + t).out);
        outcome got = run("run -q --json - " + t);
        ASSERT_EQ(OK, got.status) << t << ": " << got.err;
        document result(got.out);
        EXPECT_EQ(info.count("instructions.warp"), result.count("instructions.warp")) << t;
        EXPECT_EQ(info.count("instructions.thread"), result.count("instructions.thread")) << t;
        EXPECT_EQ(0, result.count("oracle.violations")) << t;
        EXPECT_GT(result.count("oracle.checked"), 0) << t;
        traces++;
    }
    EXPECT_GT(traces, 0u);
}

} // namespace
