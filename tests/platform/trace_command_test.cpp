// SPDX-License-Identifier: Apache-2.0
// smrf trace as a process: the suite, machine code with a launch file, every option, every error,
// and the traces replayed with the oracle on.
#include "tests/support/platform_files.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <pty.h>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace smrf_test;

namespace
{

// The program for exec, without a shell.
std::string built_path()
{
    const std::string quoted = program();
    return quoted.substr(1, quoted.size() - 2);
}

enum { OK = 0, FAILURE = 1, USAGE = 2, INPUT = 3, CHECK = 4 };

class trace_command : public ::testing::Test
{
  protected:
    outcome run(const std::string &arguments)
    {
        return smrf(folder, "trace " + arguments);
    }
    void expect(int status, const std::string &arguments, const std::string &text)
    {
        outcome got = run(arguments);
        EXPECT_EQ(status, got.status) << arguments << "\n" << got.err;
        EXPECT_NE(std::string::npos, got.err.find(text)) << arguments << "\n" << got.err;
        EXPECT_EQ("", got.out) << arguments;
    }
    std::string dir(const std::string &name)
    {
        return folder / name;
    }
    static std::map<std::string, std::string> files(const std::string &path)
    {
        std::map<std::string, std::string> all;
        for (const auto &e : fs::directory_iterator(path)) {
            all[e.path().filename().string()] = read_file(e.path().string());
        }
        return all;
    }
    // Of an unfinished trace.
    bool has_leftovers()
    {
        for (const auto &e : fs::directory_iterator(folder.path())) {
            if (e.path().extension() == ".partial" || e.path().extension() == ".lock") {
                return true;
            }
        }
        return false;
    }
    std::string sass()
    {
        return (fs::path(std::getenv("SMRF_SOURCE_DIR")) / "firmware/kernels/rodinia/nn.sass.xz")
            .string();
    }
    // The nearest-neighbour kernel over `count` records.
    std::string launch_file(unsigned count, const std::string &more = "")
    {
        const std::string n = std::to_string(count);
        write_file(
            dir("nn.yaml"),
            "launches:\n  - {kernel: distances, grid: [" + std::to_string((count + 255) / 256) +
                ", 1, 1], block: [256, 1, 1], args: [places, dist, {i32: " + n +
                "}, {f32: 30}, {f32: 90}]}\n"
                "buffers:\n  places: {type: f32, count: " +
                std::to_string(2 * count) +
                ", init: {random: {seed: 1, min: 0, max: 90}}}\n  dist: {type: f32, count: " + n +
                ", init: zero}\n" + more);
        return dir("nn.yaml");
    }
    temporary_folder folder;
};

// Blocks that meet in memory (mst, backprop), that do not (hotspot), and several launches.
TEST_F(trace_command, ThreadsChangeNoByte)
{
    for (const char *what :
         {"hotspot --size medium -f v6", "mst --size medium", "backprop --size medium -f tracez",
          "srad --size medium --max-insts 100000 --blocks 0-8"}) {
        const std::string line = std::string(what) + " --force -q -o ";
        ASSERT_EQ(OK, run(line + "'" + dir("one") + "' --threads 1").status) << what;
        ASSERT_EQ(OK, run(line + "'" + dir("many") + "' --threads 4").status) << what;
        EXPECT_TRUE(files(dir("one")) == files(dir("many"))) << what;
    }
    expect(USAGE, "nn --no-trace --threads 0", "--threads takes a whole number above 0, not '0'");
    expect(USAGE, "nn --no-trace --threads 9", "--threads takes at most 8, not '9'");
    EXPECT_EQ(OK, run("nn --no-trace -q --threads auto").status);
}

TEST_F(trace_command, TracesAProgramThatThenReplays)
{
    outcome got = run("hotspot -o " + dir("t"));
    EXPECT_EQ(OK, got.status) << got.err;
    EXPECT_EQ("", got.err);
    for (const char *text : {"hotspot, small: ", "Warp instructions ",
                             "values equal the reference's", "Mix ", "smrf run ", "blocks"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text << "\n" << got.out;
    }
    outcome replay = smrf(folder, "run " + dir("t"));
    EXPECT_EQ(OK, replay.status) << replay.err;
    EXPECT_NE(std::string::npos, replay.out.find(" 0 differ")) << replay.out;
    EXPECT_FALSE(has_leftovers());
}

// Divergence, shared memory, matrix instructions, many launches: values and masks both hold.
TEST_F(trace_command, ReplaysAgreeWithTheTracedValuesAndMasks)
{
    for (const char *program : {"hotspot", "gaussian", "bfs", "gemm_bench_i1", "lud", "ray"}) {
        for (const char *format : {"v6", "tracez --values on"}) {
            outcome got =
                run(std::string(program) + " --force -q --format " + format + " -o " + dir("t"));
            ASSERT_EQ(OK, got.status) << program << got.err;
            outcome replay = smrf(folder, "run --quiet --json - " + dir("t"));
            ASSERT_EQ(OK, replay.status) << program << replay.err;
            document d(replay.out);
            EXPECT_GT(d.count("oracle.trace_values"), 1000) << program;
            EXPECT_EQ(d.count("oracle.trace_mismatches"), 0) << program;
            EXPECT_EQ(d.count("oracle.violations"), 0) << program;
            EXPECT_EQ(d.count("simt.mask_mismatches"), 0) << program;
        }
    }
}

TEST_F(trace_command, FormatsHoldTheSameInstructions)
{
    std::string mixes;
    for (const char *format : {"v5", "v6", "v6 --values off", "tracez", "v5 --compress none",
                               "v5 --compress gz", "v5 --compress zstd"}) {
        ASSERT_EQ(OK,
                  run(std::string("pathfinder --force -q -o ") + dir("t") + " --format " + format)
                      .status);
        outcome info = smrf(folder, "info " + dir("t"));
        ASSERT_EQ(OK, info.status) << info.err;
        if (mixes.empty()) {
            mixes = info.out;
        }
        EXPECT_EQ(mixes, info.out) << format;
    }
    EXPECT_NE(std::string::npos, mixes.find("memory"));
}

TEST_F(trace_command, TracingTwiceGivesTheSameBytes)
{
    ASSERT_EQ(OK, run("srad -q --format v6 -o " + dir("a")).status);
    ASSERT_EQ(OK, run("srad -q --format v6 -o " + dir("b")).status);
    EXPECT_TRUE(files(dir("a")) == files(dir("b")));
}

// Stores between the loads that warps share, neighbours that are loaded again: with the values of
// the trace.
TEST_F(trace_command, SharedRegistersHoldWhatWasLastStored)
{
    for (const char *name :
         {"stencil_rows", "stencil_columns", "sweep", "stores_own", "stores_synced",
          "stores_racing", "meets_own", "meets_ahead", "meets_synced", "meets_atomic",
          "meets_lanes", "meets_remote", "cifarnet_conv1_loops"}) {
        SCOPED_TRACE(name);
        ASSERT_EQ(OK, run(std::string(name) + " -q --force --format v6 -o " + dir("t")).status);
        const outcome got = smrf(folder, "run -q -p larf-paper -m larf --json - " + dir("t"));
        ASSERT_EQ(OK, got.status) << got.err;
        document json(got.out);
        ASSERT_NE(nullptr, json.root());
        const json_t *oracle = json_object_get(json.root(), "oracle");
        const json_t *own = json_object_get(json.root(), "mechanism");
        const auto count = [](const json_t *of, const char *key) {
            return json_integer_value(json_object_get(of, key));
        };
        EXPECT_EQ(0, count(oracle, "violations"));
        EXPECT_GT(count(oracle, "trace_values"), 0);
        EXPECT_EQ(0, count(own, "stale_local") + count(own, "stale_remote"));
        EXPECT_EQ(name == std::string("stores_racing"), count(oracle, "raced") > 0);
        const std::set<std::string> nothing = {"sweep", "meets_own", "meets_ahead", "meets_remote"};
        const bool alone = nothing.count(name) != 0;
        EXPECT_EQ(alone, count(own, "perfect_shares") == 0);
        if (std::string(name).find("meets_") == 0) { // sharing ends, or a load does not share
            const std::map<std::string, const char *> ended = {{"meets_atomic", "emptied"},
                                                               {"meets_remote", "emptied"}, // fence
                                                               {"meets_ahead", "overtaking"},
                                                               {"meets_lanes", "lanes_live"}};
            const auto by = ended.find(name);
            EXPECT_GT(count(own, by == ended.end() ? "invalidated" : by->second), 0);
        }
    }
}

// Read stages have a place for the merges of partly shared loads, as collectors have.
TEST_F(trace_command, PartsOfRegistersAreMergedInReadStages)
{
    for (const char *name : {"stencil_rows", "cifarnet_conv1_loops"}) {
        SCOPED_TRACE(name);
        ASSERT_EQ(OK, run(std::string(name) + " -q --force --format v6 -o " + dir("t")).status);
        std::set<long long> cycles;
        for (const char *engine : {"systemc", "direct"}) {
            const outcome got =
                smrf(folder, std::string("run -q -p turing-modern -m larf -s "
                                         "larf.partial_hits=on --json - --engine ") +
                                 engine + " " + dir("t"));
            ASSERT_EQ(OK, got.status) << got.err;
            document json(got.out);
            const auto count = [](const json_t *of, const char *key) {
                return json_integer_value(json_object_get(of, key));
            };
            const json_t *oracle = json_object_get(json.root(), "oracle");
            const json_t *own = json_object_get(json.root(), "mechanism");
            const json_t *sm = json_object_get(json_object_get(json.root(), "counters"), "sm");
            EXPECT_EQ(0, count(oracle, "violations"));
            EXPECT_GT(count(oracle, "trace_values"), 0);
            EXPECT_GT(count(own, "partial_shares"), 0);
            EXPECT_GE(count(sm, "part_reads"), 2 * count(own, "partial_shares"));
            cycles.insert(count(json.root(), "cycles"));
        }
        EXPECT_EQ(1u, cycles.size());
    }
}

// A block that waits for another one ends only where both are there.
TEST_F(trace_command, BlocksThatWaitForOneAnotherTakeTurns)
{
    const std::string sass =
        (fs::path(std::getenv("SMRF_SOURCE_DIR")) / "firmware/kernels/locality/meets.sass.xz")
            .string();
    const auto launch = [&](const std::string &together, const char *blocks = "4") {
        write_file(dir("meets.yaml"),
                   "launches:\n  - {kernel: meets_remote, grid: [" + std::string(blocks) +
                       ", 1, 1], block: [64, 1, 1], args: "
                       "[words, words, out, flags]" +
                       together +
                       "}\nbuffers:\n  words: {type: i32, count: 128, init: {fill: -5}}\n"
                       "  out: {type: i32, count: 256, init: zero}\n"
                       "  flags: {type: i32, count: 8, init: zero}\ndump: {out: out.bin}\n");
        return sass + " --launch " + dir("meets.yaml") +
               " --allow-outside --runaway 100000 -q --force -o " + dir("t");
    };
    expect(INPUT, launch(", together: maybe"), "together is true or false");
    expect(INPUT, launch(", together: true", "9000"), "at most 16384 warps");
    // From the beginning, or from when one has waited for long.
    for (const char *together : {", together: true", ""}) {
        const outcome got = run(launch(together));
        ASSERT_EQ(OK, got.status) << together << got.err;
        const std::string bytes = read_file(dir("out.bin"));
        ASSERT_EQ(1024u, bytes.size()) << together;
        for (int at = 0; at < 128; at++) {
            int32_t saw[2];
            std::memcpy(saw, bytes.data() + 8 * at, sizeof saw);
            EXPECT_EQ(-5, saw[0]) << together << at;
            EXPECT_EQ(7 * (at / 32) + at % 32, saw[1]) << together << at;
        }
        const outcome replay = smrf(folder, "run -q --json - " + dir("t"));
        EXPECT_EQ(OK, replay.status) << together << replay.err;
    }
}

TEST_F(trace_command, InfoTellsTheProgramBehindATrace)
{
    ASSERT_EQ(OK, run("fib -q -o " + dir("t")).status);
    const outcome text = smrf(folder, "info --flow " + dir("t"));
    ASSERT_EQ(OK, text.status) << text.err;
    for (const char *part : {"kernel              fib", "fibonacci", "(recursive)", "save ",
                             "restore ", "block 0000", "parts lanes", "R2 R17 R19-R21"}) {
        EXPECT_NE(std::string::npos, text.out.find(part)) << part << "\n" << text.out;
    }
    document json(smrf(folder, "info --flow --json " + dir("t")).out);
    ASSERT_NE(nullptr, json.root());
    const json_t *kernel = json_array_get(json_object_get(json.root(), "kernels"), 0);
    EXPECT_STREQ("fib", json_string_value(json_object_get(kernel, "name")));
    const json_t *function = json_array_get(json_object_get(kernel, "functions"), 1);
    const json_t *saved = json_object_get(function, "saved");
    EXPECT_EQ(5u, json_array_size(saved));
    EXPECT_EQ(17, json_integer_value(json_array_get(saved, 1)));
    EXPECT_EQ(10u, json_array_size(json_object_get(kernel, "saves")));
    EXPECT_GT(json_array_size(json_object_get(function, "blocks")), 3u);
}

TEST_F(trace_command, CarsTellsWhatFunctionsPushAndHowDeepTheStackGets)
{
    ASSERT_EQ(OK, run("fib -q -o " + dir("t")).status);
    const outcome text = smrf(folder, "cars --code " + dir("t"));
    ASSERT_EQ(OK, text.status) << text.err;
    for (const char *part : {"kernel              fib", "fibonacci", "(recursive)", "Low ", "High ",
                             "PUSH R2 R17 R19 R20 R21", "PUSH frame pointer", "POP R2"}) {
        EXPECT_NE(std::string::npos, text.out.find(part)) << part << "\n" << text.out;
    }
    document json(smrf(folder, "cars --json " + dir("t")).out);
    ASSERT_NE(nullptr, json.root());
    const json_t *kernel = json_array_get(json_object_get(json.root(), "kernels"), 0);
    const json_t *function = json_array_get(json_object_get(kernel, "functions"), 1);
    EXPECT_EQ(5, json_integer_value(json_object_get(function, "fru")));
    EXPECT_EQ(6, json_integer_value(json_object_get(function, "max_stack_depth")));
    const json_int_t registers = json_integer_value(json_object_get(kernel, "kernel_registers"));
    EXPECT_EQ(registers + 6, json_integer_value(json_object_get(kernel, "low")));
    fs::remove(dir("t") + "/kernel-1.operands");
    const outcome none = smrf(folder, "cars " + dir("t"));
    EXPECT_EQ(INPUT, none.status);
    EXPECT_NE(std::string::npos, none.err.find("smrf trace")) << none.err;
}

TEST_F(trace_command, RegisterStacksSayWhatTheyNeed)
{
    ASSERT_EQ(OK, run("fib -q -o " + dir("t")).status);
    const auto refused = [&](const std::string &arguments, const char *what) {
        const outcome got = smrf(folder, "run -q -m cars-low " + arguments + " " + dir("t"));
        EXPECT_NE(OK, got.status) << arguments;
        EXPECT_NE(std::string::npos, got.err.find(what)) << got.err;
    };
    EXPECT_EQ(OK, smrf(folder, "run -q -m cars " + dir("t")).status);
    refused("-s sm.registers=3072", "sm.registers");
    const std::string sidecar = dir("t") + "/kernel-1.operands";
    std::string text = read_file(sidecar);
    std::string other = text;
    other.replace(other.find("STL A:"), 6, "LDL A:");
    write_file(sidecar, other);
    refused("", "kernel-1.operands");
    fs::remove(sidecar);
    refused("", "smrf trace");
}

TEST_F(trace_command, AccessesOfTheL1AreToldByTheirUse)
{
    ASSERT_EQ(OK, run("fib -q -o " + dir("t")).status);
    const auto uses = [&] {
        document json(smrf(folder, "run -q --json - " + dir("t")).out);
        const json_t *l1d = json_object_get(json.root(), "l1d");
        const json_t *use = json_object_get(l1d, "by_use");
        const auto at = [&](const char *name) {
            return json_integer_value(json_object_get(use, name));
        };
        EXPECT_EQ(json_integer_value(json_object_get(l1d, "accesses")),
                  at("global") + at("local") + at("spill"));
        return std::pair<json_int_t, json_int_t>{at("local"), at("spill")};
    };
    const auto known = uses();
    EXPECT_GT(known.second, 0);
    fs::remove(dir("t") + "/kernel-1.operands");
    const auto unknown = uses();
    EXPECT_EQ(0, unknown.second) << "without the program nobody knows";
    EXPECT_EQ(known.first + known.second, unknown.first);
}

TEST_F(trace_command, InfoOnAProgramNeedsASidecarThatTellsIt)
{
    ASSERT_EQ(OK, run("nn -q -o " + dir("t")).status);
    const std::string sidecar = dir("t") + "/kernel-1.operands";
    std::string text = read_file(sidecar);
    write_file(sidecar, "#smrf operands 1\n");
    outcome got = smrf(folder, "info --flow " + dir("t"));
    EXPECT_EQ(INPUT, got.status);
    EXPECT_NE(std::string::npos, got.err.find("version 2")) << got.err;
    EXPECT_NE(std::string::npos, got.err.find("smrf trace")) << got.err;
    EXPECT_EQ("", got.out);
    fs::remove(sidecar);
    got = smrf(folder, "info --flow " + dir("t"));
    EXPECT_EQ(INPUT, got.status);
    EXPECT_NE(std::string::npos, got.err.find("no sidecar")) << got.err;
    write_file(sidecar, text.replace(text.find(" EXIT"), 5, " BRA A:0x7ff0"));
    got = smrf(folder, "info --flow " + dir("t"));
    EXPECT_EQ(INPUT, got.status);
    EXPECT_NE(std::string::npos, got.err.find("no instruction")) << got.err;
}

TEST_F(trace_command, CompressionChoosesTheFilesNames)
{
    const std::pair<const char *, const char *> cases[] = {
        {"--compress none", ".traceg"},  {"", ".traceg.zst"},
        {"--compress gz", ".traceg.gz"}, {"--compress zstd", ".traceg.zst"},
        {"--format tracez", ".tracez"},  {"--format tracez --compress zstd", ".tracez"},
        {"--format v6", ".traceg.zst"},  {"--compress xz", ".traceg.xz"}};
    for (const auto &c : cases) {
        ASSERT_EQ(OK, run(std::string("nn --force -q -o ") + dir("t") + " " + c.first).status);
        auto all = files(dir("t"));
        EXPECT_EQ(1u, all.count(std::string("kernel-1") + c.second)) << c.first;
        EXPECT_EQ(1u, all.count("kernel-1.operands"));
        EXPECT_EQ(1u, all.count("kernelslist.g"));
        EXPECT_EQ(3u, all.size());
    }
}

TEST_F(trace_command, WritesTheBlocksWarpsAndAmountsAskedFor)
{
    document whole(run("nn --no-trace -q --json").out);
    EXPECT_EQ(whole.count("written_blocks"), 0);
    document some(run("nn -q --json --blocks 0,5-6 --warps 1 -o " + dir("t")).out);
    EXPECT_EQ(some.count("written_blocks"), 3);
    EXPECT_EQ(some.count("warp_insts"), whole.count("warp_insts"));
    EXPECT_EQ(some.count("values_compared"), whole.count("values_compared"));
    EXPECT_GT(some.count("written_warp_insts"), 0);
    EXPECT_LT(some.count("written_warp_insts"), whole.count("warp_insts") / 20);
    document few(run("nn -q --json --max-insts 1 -o " + dir("few")).out);
    EXPECT_EQ(few.count("written_blocks"), 1);
    document info(smrf(folder, "info --json " + dir("t")).out);
    EXPECT_EQ(OK, smrf(folder, "run -q " + dir("few")).status);
    EXPECT_EQ(OK, smrf(folder, "run -q " + dir("t")).status);
}

TEST_F(trace_command, SaysThatAPartIsNothingForAccelSim)
{
    EXPECT_EQ(std::string::npos, run("backprop -o " + dir("t")).out.find("Accel-Sim"));
    EXPECT_NE(std::string::npos,
              run("backprop --blocks 0 -o " + dir("part")).out.find("Accel-Sim wants every block"));
}

// "@!P0 BRA P1" stands in ray's code: a trace without its operands shows lanes behind it that
// should have jumped, and the replay says why, and that nothing else is wrong.
TEST_F(trace_command, WithoutOperandsTheConditionsOfBranchesAreToldAsSuch)
{
    ASSERT_EQ(OK, run("ray -q -o " + dir("t")).status);
    outcome whole = smrf(folder, "run --json " + dir("whole.json") + " " + dir("t"));
    EXPECT_NE(std::string::npos, whole.out.find("0 traced masks differ")) << whole.out;
    EXPECT_EQ(std::string::npos, whole.out.find("behind a branch")) << whole.out;
    for (const auto &e : fs::directory_iterator(dir("t"))) {
        if (e.path().extension() == ".operands") {
            fs::remove(e.path());
        }
    }
    outcome bare = smrf(folder, "run --json " + dir("bare.json") + " " + dir("t"));
    EXPECT_EQ(OK, bare.status) << bare.err;
    EXPECT_NE(std::string::npos, bare.out.find("lanes stayed behind a branch")) << bare.out;
    EXPECT_NE(std::string::npos, bare.out.find("legal")) << bare.out;
    document d(read_file(dir("bare.json")));
    EXPECT_GT(d.count("simt.unlisted_conditions"), 0);
    EXPECT_EQ(d.count("simt.unlisted_conditions"), d.count("simt.mask_mismatches"));
}

// "@!P0 EXIT P1" stands in mst's code: its lanes are those that end, or with --exact the tracer's,
// some of which go on, as the replay notices.
TEST_F(trace_command, ExactWritesTheTracersOwnLines)
{
    ASSERT_EQ(OK, run("mst-inlined -q -o " + dir("t")).status);
    ASSERT_EQ(OK, run("mst-inlined -q --exact -o " + dir("exact")).status);
    document ours(smrf(folder, "run -q --engine direct --json - " + dir("t")).out);
    document exact(smrf(folder, "run -q --engine direct --json - " + dir("exact")).out);
    EXPECT_EQ(ours.count("simt.mask_mismatches"), 0);
    EXPECT_GT(exact.count("simt.mask_mismatches"), 0);
    EXPECT_EQ(exact.count("cycles"), ours.count("cycles"));
}

TEST_F(trace_command, JsonSaysWhatTheSummarySays)
{
    outcome got = run("backprop --no-trace --json " + dir("s.json"));
    EXPECT_EQ(OK, got.status) << got.err;
    document d(read_file(dir("s.json")));
    long long sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach(d.at("classes"), key, value)
    {
        sum += json_integer_value(value);
    }
    EXPECT_EQ(sum, d.count("warp_insts"));
    EXPECT_EQ(d.count("launches"), 2);
    EXPECT_GT(d.count("copied_bytes"), 0);
    EXPECT_NE(std::string::npos, got.out.find("Executed            2 launches"));
    outcome to_stdout = run("backprop --no-trace --json");
    EXPECT_EQ(read_file(dir("s.json")), to_stdout.out) << "the summary goes to standard error";
    EXPECT_NE(std::string::npos, to_stdout.err.find("Executed"));
    expect(INPUT, "backprop --no-trace -q --json " + dir("none/s.json"), "cannot write");
}

TEST_F(trace_command, ListsTheSuiteWithSizesAndMixes)
{
    const std::string names = run("--list").out;
    const std::string group = run("--list tensor").out;
    EXPECT_NE(std::string::npos, group.find("conv_wide_a")) << group;
    EXPECT_NE(std::string::npos, group.find("small executes")) << group;
    EXPECT_EQ(std::string::npos, group.find("hotspot")) << group;
    outcome got = run("--list --all");
    EXPECT_EQ(OK, got.status) << got.err << got.out;
    EXPECT_EQ(std::string::npos, got.out.find("FAILED")) << got.out;
    for (const char *text : {"rodinia:", "hotspot", "small executes", "medium"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text;
    }
    std::istringstream lines(got.out);
    unsigned programs = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.size() > 2 && line.compare(0, 2, "  ") == 0 && line[2] != ' ') {
            const std::string name = line.substr(2, line.find(' ', 2) - 2);
            programs++;
            EXPECT_NE(std::string::npos, names.find(" " + name)) << name;
        }
    }
    EXPECT_GT(programs, 100u);
    document one(run("--list --json nn hotspot").out);
    ASSERT_EQ(2u, json_array_size(one.root()));
    json_t *hotspot = json_array_get(one.root(), 0);
    EXPECT_STREQ("hotspot", json_string_value(json_object_get(hotspot, "name")));
    EXPECT_STREQ("rodinia", json_string_value(json_object_get(hotspot, "group")));
    EXPECT_GT(json_integer_value(document::at(hotspot, "small.warp_insts")), 1000);
    EXPECT_GT(json_integer_value(document::at(hotspot, "small.values_compared")), 100);
    json_t *sizes = json_object_get(hotspot, "sizes");
    EXPECT_EQ(3u, json_object_size(sizes));
    expect(USAGE, "--list hotspott", "did you mean hotspot?");
    expect(USAGE, "--list --json x.json", "standard output");
}

// traces/bundled/README.md names the commands.
TEST_F(trace_command, TheBundledTracesAreWhatItWrites)
{
    const std::pair<const char *, const char *> cases[] = {
        {"hotspot", "hotspot"}, {"gemm_bench_i1", "gemm"}, {"ray", "ray"}, {"fib", "fib"}};
    for (const auto &c : cases) {
        const fs::path bundled =
            fs::path(std::getenv("SMRF_SOURCE_DIR")) / "traces/bundled" / c.second;
        ASSERT_EQ(OK, run(std::string(c.first) + " -q --compress xz -o " + dir(c.second)).status);
        auto have = files(bundled.string()), want = files(dir(c.second));
        ASSERT_EQ(have.size(), want.size());
        for (const auto &f : want) {
            ASSERT_EQ(1u, have.count(f.first)) << c.second << "/" << f.first;
            if (f.first.find(".xz") == std::string::npos) { // another liblzma may pack otherwise
                EXPECT_TRUE(f.second == have[f.first])
                    << c.second << "/" << f.first << ": make it anew with the README's command";
            }
        }
        outcome old = smrf(folder, "run --engine direct --quiet --json - " + bundled.string());
        outcome made = smrf(folder, "run --engine direct --quiet --json - " + dir(c.second));
        document a(old.out), b(made.out);
        EXPECT_EQ(a.text("provenance.trace_digest"), b.text("provenance.trace_digest")) << c.second;
    }
}

// ---- a launch file ----------------------------------------------------------------------------

TEST_F(trace_command, TracesMachineCodeWithALaunchFile)
{
    outcome got = run(sass() + " --launch " + launch_file(600, "dump: {dist: d.bin}\n") +
                      " --allow-outside -o " + dir("t"));
    EXPECT_EQ(OK, got.status) << got.err;
    EXPECT_EQ(600u * 4, read_file(dir("d.bin")).size());
    EXPECT_NE(std::string::npos, got.out.find("nn.yaml"));
    EXPECT_EQ(OK, smrf(folder, "run -q " + dir("t")).status);
}

TEST_F(trace_command, SaysWhatIsWrongWithTheFiles)
{
    expect(USAGE, sass() + " -o " + dir("t"), "needs --launch");
    expect(INPUT, dir("none.sass") + " --launch " + launch_file(10) + " -o " + dir("t"),
           "none.sass");
    expect(INPUT, sass() + " --launch " + dir("none.yaml") + " -o " + dir("t"), "none.yaml");
    write_file(dir("bad.sass"), "this is no machine code\n");
    expect(INPUT, dir("bad.sass") + " --launch " + launch_file(10) + " -o " + dir("t"),
           "bad.sass:");
    write_file(dir("bad.yaml"), "launches:\n  - {kernel: nothing, grid: [1,1,1], block: [1,1,1], "
                                "args: []}\nbuffers: {}\n");
    expect(INPUT, sass() + " --launch " + dir("bad.yaml") + " -o " + dir("t"), "nothing");
    EXPECT_FALSE(fs::exists(dir("t")));
    EXPECT_FALSE(has_leftovers());
}

// 300 records in a buffer of 10: the kernel leaves its allocation.
TEST_F(trace_command, AKernelThatGoesWrongLeavesNoTrace)
{
    std::string path = launch_file(300), text = read_file(path);
    text.replace(text.find("count: 600"), 10, "count: 10 ");
    write_file(path, text);
    outcome got = run(sass() + " --launch " + path + " -o " + dir("t"));
    EXPECT_NE(OK, got.status);
    for (const char *word : {"distances", "LDG", "warp"}) {
        EXPECT_NE(std::string::npos, got.err.find(word)) << got.err;
    }
    EXPECT_FALSE(fs::exists(dir("t")));
    EXPECT_FALSE(has_leftovers());
}

// ---- the command line -------------------------------------------------------------------------

TEST_F(trace_command, ExplainsWrongUsage)
{
    const std::string out = " -o " + dir("t");
    expect(USAGE, "", "no PROGRAM");
    expect(USAGE, "hotspot nn" + out, "one PROGRAM at a time");
    expect(USAGE, "hotspott" + out, "did you mean hotspot?");
    expect(USAGE, "qqqqqqqqqq" + out, "smrf trace --list");
    expect(USAGE, "hotspot", "Give -o DIR, or --no-trace");
    expect(USAGE, "hotspot --no-trace" + out, "takes no -o DIR");
    expect(USAGE, "hotspot --size huge" + out, "--size takes one of small, medium, large");
    expect(USAGE, "hotspot --format v7" + out, "--format takes one of v5, v6, tracez");
    expect(USAGE, "hotspot --compress rar" + out, "--compress takes one of none, xz, gz, zstd");
    expect(USAGE, "hotspot --format tracez --compress xz" + out, "leave --compress out");
    expect(USAGE, "hotspot --values on" + out, "add --format v6");
    expect(USAGE, "hotspot --values maybe" + out, "--values takes one of off, on");
    expect(USAGE, "hotspot --blocks 3-1" + out, "0,3,8-15");
    expect(USAGE, "hotspot --warps x" + out, "0,3,8-15");
    expect(USAGE, "hotspot --max-insts 0" + out, "whole number above 0");
    expect(USAGE, "hotspot --depth -3" + out, "whole number above 0");
    expect(USAGE, "hotspot --stack 0" + out, "whole number above 0");
    expect(USAGE, "hotspot --stack 524289" + out, "at most 524288");
    expect(USAGE, "hotspot --heap x" + out, "whole number above 0");
    expect(USAGE, "hotspot --runaway -1" + out, "whole number above 0");
    expect(USAGE, "hotspot --launch x.yaml" + out, "--launch goes with FILE.sass");
    expect(USAGE, sass() + " --launch x.yaml --size small" + out, "programs of the suite");
    expect(USAGE, "hotspot --frobnicate" + out, "frobnicate");
    EXPECT_FALSE(fs::exists(dir("t")));
}

TEST_F(trace_command, LimitsAreTheUsers)
{
    expect(INPUT, "hotspot --no-trace --runaway 100", "has executed 100 instructions");
    EXPECT_EQ(OK, run("hotspot --no-trace --runaway 100000").status);
    expect(INPUT, "fib --no-trace --stack 64", "local");
    EXPECT_EQ(OK, run("fib --no-trace --stack 65536").status);
}

TEST_F(trace_command, DoesNotReplaceATraceUnasked)
{
    ASSERT_EQ(OK, run("nn -q -o " + dir("t")).status);
    auto before = files(dir("t"));
    expect(INPUT, "hotspot -o " + dir("t"), "--force");
    EXPECT_EQ(before, files(dir("t")));
    ASSERT_EQ(OK, run("hotspot -q --force -o " + dir("t")).status);
    EXPECT_NE(before, files(dir("t")));
    write_file(dir("file"), "x");
    expect(INPUT, "nn -o " + dir("file"), "is no folder");
}

TEST_F(trace_command, TakesCubinsAndTellsTheirKernels)
{
    const std::string file =
        std::string(std::getenv("SMRF_SOURCE_DIR")) + "/tests/firmware/cubins/parts.fatbin";
    outcome got = run("--kernels " + file);
    EXPECT_EQ(OK, got.status) << got.err;
    for (const char *text : {"# sm_75, ", " bytes of shared memory.\n",
                             "- {kernel: \"parts\", grid: [1, 1, 1], block: [256, 1, 1], "
                             "args: [k1_p0, k1_p1, {u32: 0}, {u32: 0}]}",
                             "k1_p1: {type: f32, count: 1024, init: zero}"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text << "\n" << got.out;
    }
    std::string launches = got.out; // a launch file as it stands, but for this block's size
    launches.replace(launches.find("block: [256"), 11, "block: [128");
    write_file(dir("l.yaml"), launches);
    for (const char *arch : {"75", "90"}) {
        const std::string to = dir(std::string("t") + arch);
        got = run(file + " -q --compress none --arch sm_" + arch + " --launch " + dir("l.yaml") +
                  " -o " + to);
        ASSERT_EQ(OK, got.status) << got.err;
        EXPECT_NE(
            std::string::npos,
            read_file(to + "/kernel-1.traceg").find(std::string("-binary version = ") + arch));
        EXPECT_EQ(OK, smrf(folder, "run -q " + to).status);
    }
    EXPECT_NE(std::string::npos, run("--kernels --arch sm_90 " + file).out.find("# sm_90, "));
    EXPECT_EQ(INPUT, run("--kernels " + dir("none.cubin")).status);
    EXPECT_EQ(USAGE, run("--kernels").status);
}

TEST_F(trace_command, HelpTeaches)
{
    outcome got = run("--help");
    EXPECT_EQ(OK, got.status);
    for (const char *text :
         {"smrf trace hotspot", "nvdisasm", "launches:", "--blocks", "Exit status", "--list"}) {
        EXPECT_NE(std::string::npos, got.out.find(text)) << text;
    }
    EXPECT_NE(std::string::npos, smrf(folder, "--help").out.find("smrf trace"));
}

// ---- signals and terminals --------------------------------------------------------------------

TEST_F(trace_command, ASignalLeavesNoTrace)
{
    const std::string out = dir("t"), binary = built_path();
    pid_t pid = fork();
    if (pid == 0) {
        std::freopen("/dev/null", "w", stderr);
        execl(binary.c_str(), "smrf", "trace", "lavamd", "--size", "large", "-q", "-o", out.c_str(),
              nullptr);
        _exit(127);
    }
    for (int i = 0; i < 500 && !has_leftovers(); i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(pid, SIGINT);
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(FAILURE, WEXITSTATUS(status));
    EXPECT_FALSE(fs::exists(out));
    EXPECT_FALSE(has_leftovers());
}

// Of several at once one wins, whole; each other says who was there first.
TEST_F(trace_command, SeveralIntoOneFolderDoNotMix)
{
    const char *programs[] = {"nn", "hotspot", "pathfinder", "bfs"};
    std::vector<std::map<std::string, std::string>> alone;
    for (const char *program : programs) {
        ASSERT_EQ(OK, run(std::string(program) + " -q -o " + dir(program)).status);
        alone.push_back(files(dir(program)));
    }
    const std::string script = "for p in nn hotspot pathfinder bfs; do " + program() +
                               " trace $p -q FORCE -o " + dir("t") + " 2>" + folder.path() +
                               "/$p.err && echo $p >>" + folder.path() + "/won & done; wait";
    for (const char *force : {"", "--force", "--force"}) {
        std::string line = script;
        line.replace(line.find("FORCE"), 5, force);
        fs::remove(dir("won"));
        ASSERT_EQ(0, std::system(line.c_str()));
        auto got = files(dir("t"));
        bool whole = false;
        for (const auto &a : alone) {
            whole = whole || a == got;
        }
        EXPECT_TRUE(whole);
        EXPECT_NE("", read_file(dir("won"))) << "somebody wins";
        for (const char *program : programs) {
            std::string err = read_file(dir(std::string(program) + ".err"));
            bool won = ("\n" + read_file(dir("won"))).find("\n" + std::string(program) + "\n") !=
                       std::string::npos;
            EXPECT_TRUE(won ? err.empty()
                            : err.find("is writing a trace there") != std::string::npos ||
                                  err.find("holds a trace already") != std::string::npos)
                << program << ": " << err;
        }
        EXPECT_FALSE(has_leftovers());
    }
}

TEST_F(trace_command, ShowsProgressOnATerminal)
{
    int master = -1;
    const std::string binary = built_path();
    pid_t pid = forkpty(&master, nullptr, nullptr, nullptr);
    if (pid == 0) {
        execl(binary.c_str(), "smrf", "trace", "lavamd", "--size", "large", "--no-trace", nullptr);
        _exit(127);
    }
    std::string seen;
    char buffer[512];
    for (ssize_t n; (n = read(master, buffer, sizeof buffer)) > 0;) {
        seen.append(buffer, static_cast<size_t>(n));
        if (seen.find("M warp instructions/s") != std::string::npos) {
            kill(pid, SIGTERM);
        }
    }
    waitpid(pid, nullptr, 0);
    close(master);
    EXPECT_NE(std::string::npos, seen.find("M warp instructions/s")) << seen;
    EXPECT_NE(std::string::npos, seen.find("block ")) << seen;
}

} // namespace
