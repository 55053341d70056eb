// SPDX-License-Identifier: Apache-2.0
// smrf study: a file is checked whole before anything runs; its tables and claims are what the runs
// found; gaps are shown.
#include "tests/support/study_folder.h"

#include <cmath>
#include <cstring>
#include <sqlite3.h>

using namespace smrf_test;

namespace
{

TEST_F(study, AMistakeInSectionsTracesOrVariantsEndsItAtOnce)
{
    const std::string h = head;
    refuses({
        {h + "figurs: {}\n", 5, "'figurs'; did you mean figures?"},
        {h + "wrong: 1\n", 5, "it may have title, summary"},
        {h + "seeds: [1, 1]\n", 5, "given twice"},
        {h + "series: {interval: 0.5}\n", 5, "whole number of cycles"},
        {h + "series: {by: warp}\n", 5, "gpu, sm, subcore or bank, not 'warp'"},
        {h + "series: {of: [ipcc]}\n", 5, "did you mean ipc?"},
        {h + "series: {by: bank, of: [ipc]}\n", 5, "ipc is not kept by bank, but by subcore"},
        {h + "series: {every: 5}\n", 5, "may have interval, by, of"},
        {h + "figures: {f: {series: time, of: new, columns: [ipc]}}\n", 5,
         "needs a section series"},
        {h + "series: {by: gpu}\nfigures: {f: {series: time, of: new, sm: 1, columns: [ipc]}}\n", 6,
         "the series is by gpu: leave sm: out"},
        {h + "seeds: [x]\n", 5, "whole number, not 'x'"},
        {h + "seeds: [1]\nseeds: [2]\n", 6, "'seeds' is given twice, first on line 5"},
        {h + "size: huge\ntraces: [c]\n", 6, "given twice"},
        {h + "preset: rtx2060\n", 0, "rtx2060"},
        {h + "set: {rf.bnks: 4}\n", 5, "did you mean rf.banks?"},
        {h + "set:\n  rf: {banks: 1000}\n", 0, "out of range"},
        {h + "set: [a]\n", 5, "key: value"},
        {h + "baseline: old\n", 5, "no variant 'old'"},
        {h + "config: none.yaml\n", 0, "none.yaml"},
        {"variants: {baseline: }\n", 0, "there is no trace"},
        {"traces: [a]\n", 0, "variants: expected at least one"},
        {"traces: [nowhere]\nvariants: {baseline: }\n", 1, "nowhere"},
        {"traces: [\"no*\"]\nvariants: {baseline: }\n", 1, "no file fits"},
        {"traces: [\"*.md\"]\nvariants: {baseline: }\n", 1, "no trace fits"},
        {"traces: [{suite: rodina}]\nvariants: {baseline: }\n", 1, "did you mean rodinia?"},
        {"traces:\n  - suite: nn\n    size: huge\nvariants: {baseline: }\n", 2,
         "small, medium or large"},
        {"size: 9\ntraces: [{suite: array_add, scale: [9]}]\nvariants: {baseline: }\n", 1,
         "a size is small, medium or large, not '9'"},
        {"traces:\n  - suite: nn\n    size: 9\nvariants: {baseline: }\n", 2,
         "a size is small, medium or large, not '9'"},
        {"traces:\n  - suite: array_add\n    size: 9\nvariants: {baseline: }\n", 2, "not '9'"},
        {"traces:\n  - suite: nn\n    scale: [9]\nvariants: {baseline: }\n", 3, "nn has no scale"},
        {"traces:\n  - suite: array_add\n    scale: [9,\n      0]\nvariants: {baseline: }\n", 4,
         "1 to 99, not '0'"},
        {"traces: [{suite: array_add, scale: [100]}]\nvariants: {baseline: }\n", 1,
         "1 to 99, not '100'"},
        {"traces: [{suite: aray_add, scale: [9]}]\nvariants: {baseline: }\n", 1,
         "did you mean array_add?"},
        {"traces: [{pth: a}]\nvariants: {baseline: }\n", 1, "did you mean path?"},
        {"traces: [a]\nvariants:\n  malekeh-lng:\n", 3, "did you mean malekeh-long?"},
        {"traces: [a]\nvariants:\n  x: {mechanism: gto-lr}\n", 3, "did you mean gto-lru?"},
        {"traces: [a]\nvariants:\n  x: {tool: anotate}\n", 3, "run or annotate"},
        {"traces: [a]\nvariants:\n  x: {sett: {}}\n", 3, "did you mean set?"},
        {"traces: [a]\nvariants:\n  baseline: {set: {rf.bank: 2}}\n", 3, "did you mean rf.banks?"},
        {"traces: [a]\nvariants:\n  baseline: {preset: none}\n", 3, "none"},
    });
}

TEST_F(study, AMistakeInSweepsFiguresOrClaimsEndsItAtOnce)
{
    const std::string h = head;
    refuses({
        {h + "sweeps:\n  s: {of: baseline}\n", 6, "axes:, zip: or points:"},
        {h + "sweeps:\n  s: {of: bse, axes: {rf.banks: [2]}}\n", 6, "no variant 'bse'"},
        {h + "sweeps:\n  s: {of: new, axes: {rf.bans: [2]}}\n", 6, "did you mean rf.banks?"},
        {h + "sweeps:\n  s:\n    of: new\n    axes:\n      rf.banks: [2, x]\n", 9,
         "'x' is not a number"},
        {h + "sweeps:\n  s: {of: new, zip: {rf.banks: [2, 4], rf.collectors: [2]}}\n", 6,
         "one length"},
        {h + "statistics: [ipc, \"rf.*\", ipcc]\n", 5, "did you mean ipc?"},
        {h + "statistics: [\"register.*\"]\n", 5, "there is none that 'register.*' fits"},
        {h + "sweeps:\n  s: {of: new, axes: {rf.banks: [2]}, traces: [hotspt]}\n", 6, "'hotspt'"},
        {"traces: [a]\nvariants:\n  baseline: {traces: [c]}\n", 3, "no trace or group 'c'"},
        {h + "figures:\n  f: {columns: [new], value: ipc, traces: [zz]}\n", 6,
         "no trace or group 'zz'"},
        {h + "derived: {x: ipcc}\n", 5, "did you mean ipc?"},
        {h + "derived: {ipc: cycles}\n", 5, "no new name"},
        {h + "derived:\n  x: y\n  y: ipc\n", 6, "'y'"},
        {h + "claims:\n  - {claim: c, paper: 1}\n", 6, "value: (ours)"},
        {h + "untried:\n  - {what: c}\n", 6, "has what: and why:"},
        {h + "untried:\n  - {what: c, wy: d}\n", 6, "did you mean why?"},
        {"traces: [a]\nvariants:\n  baseline: {cycles: 0}\n", 3, "at least 1"},
        {"traces: [a]\nvariants:\n  reuse: {tool: annotate, cycles: 9}\n", 3, "of runs, not"},
        {"traces: [a]\nvariants:\n  baseline: {seeds: 0}\n", 3, "at least 1"},
        {h + "sweeps:\n  s: {of: new, axes: {rf.banks: [2]}, seeds: 1.5}\n", 6, "at least 1"},
        {h + "claims:\n  - {claim: c, paper: one, value: mean(ipc@new)}\n", 6, "expected a number"},
        {h + "claims:\n  - {claim: c, paper: 1, value: ipc@new}\n", 6, "is not one number"},
        {h + "claims:\n  - {claim: c, paper: 1, value: mean(ipc)}\n", 6, "is not one number"},
        {h + "claims:\n  - {claim: c, paper: 1, tolerance: -1, value: mean(ipc@new)}\n", 6,
         "at least 0"},
        {h + "claims:\n  - {claim: c, paper: 1, value: 'mean(ipc@nw)'}\n", 6, "did you mean new?"},
        {h + "claims:\n  - {claim: c, paper: 24, tolerance: 50, value: mean(ipc@new)}\n", 6,
         "50 is more than half of the paper's effect, 24"},
        {h + "claims:\n  - {claim: c, paper: 24, tolerance: 51%, value: mean(ipc@new)}\n", 6,
         "more than half"},
        {h + "claims:\n  - {claim: c, paper: 1.48, neutral: 1, tolerance: 0.3, value: "
             "mean(ipc@new)}\n",
         6, "half of the paper's effect, 0.48"},
        {h + "claims:\n  - {claim: c, paper: 0, tolerance: 3, value: mean(ipc@new)}\n", 6,
         "say with effect:"},
        {h + "claims:\n  - {claim: c, paper: '>0', tolerance: 1, value: mean(ipc@new)}\n", 6,
         "a bound has none"},
        {h + "claims:\n  - {claim: c, paper: 264, value: 64 * 6 / 8 + 216}\n", 6,
         "asks for no statistic of a run"},
        {h + "claims:\n  - {claim: c, kind: storage, paper: 1, value: mean(ipc@new)}\n", 6,
         "mechanism.storage_*"},
        {h + "claims:\n  - {claim: c, paper: 1, value: max(mechanism.storage_added@new)}\n", 6,
         "kind: storage"},
        {h + "claims:\n  - {claim: c, kind: ours, paper: 1, value: mean(ipc@new)}\n", 6,
         "no number of the paper"},
        {h + "claims:\n  - {claim: c, kind: mine, paper: 1, value: mean(ipc@new)}\n", 6,
         "not 'mine'"},
        {h + "claims:\n  - {claim: c, paper: 1, value: mean(ipc@new), note: 'of {ipcc}'}\n", 6,
         "did you mean ipc?"},
        {h + "claims:\n  - {claim: c, paper: 1, value: mean(ipc@new), note: 'of {ipc@new}'}\n", 6,
         "is not one number"},
        {h + "figures:\n  f: {columns: [nw], value: ipc}\n", 6, "did you mean new?"},
        {h + "figures:\n  f: {columns: [new]}\n", 6, "need a value:"},
        {h + "figures:\n  f: {columns: {x: ipc}}\n", 6, "is not one number"},
        {h + "figures:\n  f: {rows: launches, mean: geometric, columns: {x: ipc@new}}\n", 6,
         "no mean"},
        {h + "figures:\n  f: {rows: swep, columns: {x: mean(ipc)}}\n", 6, "launches or a sweep"},
        {h + "figures:\n  f: {columns: [new], value: ipc, plot: bars}\n", 6,
         "none, dots, stacked, lines"},
        {h + "figures:\n  f: {columns: [new], value: ipc, marks: [{label: x}]}\n", 6,
         "at: and label:"},
        {h + "figures:\n  F/x: {columns: [new], value: ipc}\n", 6, "stem of files"},
    });
}

TEST_F(study, WhatIsNoStudyAtAllIsRefused)
{
    const std::string h = head;
    refuses({
        {h + "figures: [", 6, "not valid YAML"},
        {h + "---\na: 1\n", 5, "second document"},
        {"", 0, "is empty"},
        {"[1, 2]\n", 1, "key: value"},
    });
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 7; i++) {
        const std::string n = std::to_string(i), b = "*a" + std::to_string(i - 1);
        bomb += "a" + n + ": &a" + n + " [" + b;
        for (int k = 0; k < 8; k++) {
            bomb += ", " + b;
        }
        bomb += "]\n";
    }
    EXPECT_TRUE(has(run(bomb).err, "more than 100000 values"));
}

TEST_F(study, APatternOfTracesPassesOverOtherFiles)
{
    const std::string traces = folder / "traces";
    fs::create_directory(traces);
    for (const char *name : {"a", "b"}) {
        fs::rename(tiny_trace(folder, name), traces + "/" + name);
    }
    write_file(traces + "/README.md", "what they are");
    const outcome o = run("traces: [\"" + traces + "/*\", \"" + traces +
                          "/b/kernel-1.trace*\"]\nvariants: {baseline: }\n");
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_EQ(3, told_runs(o.err).all);
}

TEST_F(study, WordsOfTheCommandLineAreCheckedToo)
{
    const struct {
        const char *words, *says;
    } cases[] = {
        {"study", "which study"},
        {"study larf-2", "no study of 'larf-2'"},
        {"study nowhere.yaml", "nowhere.yaml"},
        {"study malekeh --size huge", "small, medium or large"},
        {"study hardware --size 9", "small, medium or large, not '9'"},
        {"study malekeh --jobs 0", "--jobs takes"},
        {"study malekeh --preset none", "none"},
        {"study malekeh --set a/b", "a/b"},
        {"study malekeh --program none", "no program or group 'none'"},
        {"study malekeh /nowhere/trace", "/nowhere/trace"},
    };
    for (const auto &c : cases) {
        outcome o = smrf(folder, std::string(c.words) + " -o " + out);
        EXPECT_EQ(2, o.status) << c.words << o.err;
        EXPECT_TRUE(has(o.err, c.says)) << c.words << o.err;
        EXPECT_FALSE(fs::exists(out));
    }
    EXPECT_EQ(3, smrf(folder, "study malekeh -o /proc/none/x --program hotspot").status);
}

TEST_F(study, TablesAndClaimsAreWhatTheRunsFound)
{
    const std::string a = tiny_trace(folder, "a", 20), b = tiny_trace(folder, "b", 45);
    outcome o =
        run(std::string(head) +
            "sweeps:\n  banks: {of: baseline, axes: {rf.banks: [1, 4]}}\n"
            "derived: {speedup: ipc / ipc@baseline}\n"
            "claims:\n"
            "  - {claim: exact, paper: 1, tolerance: 0.5, value: geomean(speedup@new)}\n"
            "  - {claim: more, paper: 1.8, neutral: 0, value: mean(speedup@new)}\n"
            "  - {claim: less, paper: 0.6, value: mean(speedup@new)}\n"
            "  - {claim: other, paper: -9, value: mean(speedup@new)}\n"
            "  - {claim: above, paper: '>0.1', value: mean(speedup@new)}\n"
            "  - {claim: none, paper: 1, value: 'at(ipc@new, \"hotspot\")'}\n"
            "  - {claim: tiny, paper: 2.5, value: mean(speedup@new)}\n"
            "  - {claim: huge, paper: 0.4, value: mean(speedup@new)}\n"
            "  - {claim: short of it, paper: '>9', value: mean(speedup@new)}\n"
            "  - {claim: no effect, paper: 0, effect: 9, tolerance: 1%, value: mean(speedup@new)}\n"
            "  - {claim: bytes, kind: storage, paper: 2048, tolerance: 0, value: "
            "max(mechanism.storage_added@new)}\n"
            "  - {claim: own, kind: ours, value: mean(speedup@new), note: 'so "
            "{100 * mean(speedup@new)}, and {at(ipc@new, \"hotspot\")} of none'}\n"
            "figures:\n"
            "  f: {columns: [new], value: speedup, mean: geometric, plot: dots, neutral: 1}\n"
            "  g: {rows: banks, columns: {ipc: mean(ipc), hits: mean(rf.hit_ratio)}, plot: lines}\n"
            "  h: {rows: banks, columns: traces, value: cycles, plot: lines}\n"
            "  k: {rows: {two: 1 + 1}}\n"
            "statistics: [ipc, 'rf.*']\n");
    ASSERT_EQ(0, o.status) << o.err;
    const document d = result();
    const std::string base = "", fresh = "--mechanism malekeh-long --set malekeh.ct_entries=8 ";
    const double ra = replay(fresh + a) / replay(a), rb = replay(fresh + b) / replay(b);
    EXPECT_NEAR(ra, cell(d, "f", "a", 0), 1e-7);
    EXPECT_NEAR(rb, cell(d, "f", "b", 0), 1e-7);
    EXPECT_NEAR(std::sqrt(ra * rb), cell(d, "f", "mean", 0), 1e-7);
    const std::string four = "--set rf.banks=4 ";
    EXPECT_NEAR((replay(four + a) + replay(four + b)) / 2, cell(d, "g", "4", 0), 1e-6);
    EXPECT_NEAR(replay(four + b, "cycles"), cell(d, "h", "4", 1), 1e-6);
    EXPECT_EQ(2, cell(d, "k", "two", 0));
    EXPECT_EQ("reproduced", verdict(d, "exact"));
    ASSERT_NEAR(1.1, (ra + rb) / 2, 0.09); // what these papers' numbers are laid around
    EXPECT_EQ("trend", verdict(d, "more"));
    EXPECT_EQ("trend", verdict(d, "less"));
    EXPECT_EQ("not reproduced", verdict(d, "other"));
    EXPECT_EQ("reproduced", verdict(d, "above"));
    EXPECT_EQ("not measured", verdict(d, "none"));
    EXPECT_EQ("not reproduced", verdict(d, "tiny")) << "less than half of the effect";
    EXPECT_EQ("not reproduced", verdict(d, "huge")) << "more than twice the effect";
    EXPECT_EQ("not reproduced", verdict(d, "short of it")) << "a bound has no half";
    EXPECT_NEAR((ra + rb) / 2 - 1.8,
                json_number_value(json_object_get(claim(d, "more"), "difference")), 1e-7);
    EXPECT_TRUE(has(o.out, "measured   1 reproduced, 2 trend, 4 not reproduced, 1 not measured\n"))
        << o.out;
    EXPECT_TRUE(has(o.out, "statement  1 reproduced, 1 not reproduced\n"))
        << "no number, and counted apart" << o.out;
    EXPECT_TRUE(has(o.out, "storage    1 reproduced\n")) << o.out;
    EXPECT_TRUE(has(o.out, "ours       1 shown\n")) << o.out;
    EXPECT_EQ("shown", verdict(d, "own"));
    EXPECT_EQ("not reproduced", verdict(d, "no effect")) << "none has no direction";
    EXPECT_EQ("ours", text_of(d, "own", "kind"));
    EXPECT_EQ("statement", text_of(d, "above", "kind"));
    EXPECT_EQ("storage", text_of(d, "bytes", "kind"));
    char told[64];
    std::snprintf(told, sizeof told, "so %.1f, and - of none", 100 * (ra + rb) / 2);
    EXPECT_EQ(told, text_of(d, "own", "note")) << "worked out, not written";
    const std::string page = read_file(out + "/report.html");
    for (const char *part : {"measured by replays", "Storage, computed", "the paper has none"}) {
        EXPECT_TRUE(has(page, part)) << part;
    }
    EXPECT_TRUE(has(read_file(out + "/claims.csv"), "own,ours,,,"));
    for (const char *file : {"f.csv", "g.csv", "h.csv", "k.csv", "claims.csv", "report.html",
                             "results.csv", "experiment.sqlite"}) {
        EXPECT_TRUE(fs::exists(out + "/" + file)) << file;
    }
    for (const char *figure : {"f", "g", "h"}) {
        EXPECT_TRUE(draws(out, figure)) << figure;
    }
    EXPECT_FALSE(has(read_file(out + "/results.csv"), ",cycles,")) << "statistics: chooses";
    EXPECT_TRUE(has(read_file(out + "/results.csv"), ",rf.hit_ratio,"));
}

TEST_F(study, LaunchesOfATraceAreRowsOfATable)
{
    const std::string source = std::getenv("SMRF_SOURCE_DIR");
    outcome o = run("traces: [{path: " + source +
                    "/traces/bundled/hotspot, group: g}]\n"
                    "variants:\n  baseline:\n  new: {mechanism: malekeh-long}\n"
                    "derived: {speedup: cycles@baseline / cycles}\n"
                    "figures:\n  f: {rows: launches, columns: {cycles: cycles@new, gain: "
                    "speedup@new}, plot: dots}\n");
    ASSERT_EQ(0, o.status) << o.err;
    const document d = result();
    double sum = 0;
    for (const char *row : {"1 hotspot_steps", "2 hotspot_steps"}) {
        const double cycles = cell(d, "f-hotspot", row, 0);
        EXPECT_GT(cycles, 0) << row;
        EXPECT_GT(cell(d, "f-hotspot", row, 1), 0.5) << row;
        sum += cycles;
    }
    EXPECT_EQ(replay("--mechanism malekeh-long " + source + "/traces/bundled/hotspot", "cycles"),
              sum);
    EXPECT_TRUE(draws(out, "f-hotspot"));
}

TEST_F(study, RunsEndAfterTheCyclesThatAreAskedFor)
{
    const std::string a = tiny_trace(folder, "a");
    const std::string text = "traces: [a]\nvariants:\n  baseline:\n  begin: {mechanism: baseline, "
                             "cycles: 150}\n  long: {mechanism: baseline, cycles: 1000000}\n"
                             "sweeps:\n  s: {of: begin, axes: {rf.banks: [4]}}\nfigures:\n  f: "
                             "{columns: [baseline, begin, long, s-4], value: cycles}\n";
    outcome o = run(text);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(4, told_runs(o.err).made()) << "as long as the whole, and another run";
    const document d = result();
    EXPECT_EQ(150, cell(d, "f", "a", 1));
    EXPECT_EQ(150, cell(d, "f", "a", 3));
    EXPECT_EQ(replay(a, "cycles"), cell(d, "f", "a", 0));
    EXPECT_EQ(replay(a, "cycles"), cell(d, "f", "a", 2)) << "the trace ends before";
    EXPECT_LT(150, cell(d, "f", "a", 0));
    EXPECT_EQ(0, told_runs(run(text).err).made());
}

TEST_F(study, AFailedRunIsAGapOfTheReport)
{
    tiny_trace(folder, "a");
    const std::string kernel = tiny_trace(folder, "b") + "/kernel-2.traceg";
    write_file(kernel, read_file(kernel) + "\n#BEGIN_TB\nthis is no block\n");
    const std::string text =
        std::string(head) +
        "figures:\n  f: {columns: [new], value: ipc, mean: arithmetic, plot: dots}\n";
    outcome o = run(text);
    EXPECT_EQ(1, o.status) << o.err;
    EXPECT_TRUE(has(o.err, "2 of 4 runs failed")) << o.err;
    const std::string page = read_file(out + "/report.html");
    EXPECT_TRUE(has(page, "2 of 4 runs are missing"));
    EXPECT_TRUE(has(page, "kernel-2.traceg")) << "and why";
    EXPECT_TRUE(std::isnan(cell(result(), "f", "b", 0)));
    EXPECT_EQ(cell(result(), "f", "a", 0), cell(result(), "f", "mean", 0));
}

// The traces that a study made lie below its folder: moved with it, they are its own.
TEST_F(study, AFolderThatIsMovedIsTheSameStudy)
{
    tiny_trace(folder, "a");
    const std::string text =
        "traces: [a, {suite: [nn]}]\nvariants:\n  baseline:\n  new: {mechanism: malekeh-long}\n"
        "derived: {speedup: ipc / ipc@baseline}\n"
        "claims:\n  - {claim: gain, place: F, paper: 1, unit: \"%\", "
        "value: 100 * geomean(speedup@new) - 100}\n"
        "figures:\n  f: {columns: [new], value: speedup, mean: geometric}\n";
    ASSERT_EQ(0, run(text).status);
    const std::string first = read_file(out + "/claims.csv");
    EXPECT_NE("not measured", verdict(result(), "gain"));
    fs::rename(out, folder / "moved");
    out = folder / "moved";
    outcome o = run(text, "--report");
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_TRUE(has(o.out, "runs                4 of 4")) << o.out;
    EXPECT_EQ(first, read_file(out + "/claims.csv"));
    // Without a trace half of the runs are missing: told, and no value is made of the other half.
    fs::remove(out + "/traces/nn-small/kernelslist.g");
    o = run(text, "--report");
    EXPECT_TRUE(has(o.out, "runs                2 of 4")) << o.out;
    EXPECT_TRUE(has(o.out, "missing             2 runs, the first baseline on nn: no trace of it"))
        << o.out;
    EXPECT_EQ("not measured", verdict(result(), "gain"));
    EXPECT_TRUE(json_is_null(json_object_get(claim(result(), "gain"), "ours")));
    EXPECT_TRUE(std::isnan(cell(result(), "f", "mean", 0)));
    EXPECT_FALSE(std::isnan(cell(result(), "f", "a", 0)));
}

// A store that somebody edited is not believed, and the run is made again.
TEST_F(study, NumbersThatWereChangedAreNoResult)
{
    tiny_trace(folder, "a");
    const std::string text =
        std::string(head).replace(0, std::strlen("traces: [a, b]"), "traces: [a]") +
        "claims: [{claim: c, place: F, paper: 1, value: 'mean(ipc@new)'}]\n";
    ASSERT_EQ(0, run(text).status);
    const std::string claims = read_file(out + "/claims.csv");
    sqlite3 *db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open((out + "/experiment.sqlite").c_str(), &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(db,
                                      "UPDATE numbers SET value = 100 * value WHERE run = "
                                      "(SELECT max(run) FROM numbers)",
                                      nullptr, nullptr, nullptr));
    sqlite3_close(db);
    outcome o = run(text, "--report");
    EXPECT_TRUE(has(o.out, "runs                1 of 2")) << o.out;
    EXPECT_TRUE(has(o.out, "they were changed")) << o.out;
    EXPECT_EQ("not measured", verdict(result(), "c"));
    o = run(text);
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_EQ(1, told_runs(o.err).made());
    EXPECT_EQ(claims, read_file(out + "/claims.csv"));
}

// What a spreadsheet would calculate, and a name that is no UTF-8, in results.csv.
TEST_F(study, ATableHoldsNoFormulaAndIsUtf8)
{
    fs::rename(tiny_trace(folder, "a"), folder / "caf\xe9");
    outcome o = run("traces: [{path: \"caf?\", group: \"=2+5\"}]\nvariants: {baseline: }\n");
    ASSERT_EQ(0, o.status) << o.err;
    const std::string csv = read_file(out + "/results.csv");
    EXPECT_TRUE(has(csv, "\ncaf\\xe9,'=2+5,baseline,")) << csv.substr(0, 300);
    EXPECT_TRUE(has(csv, ",-") == false || !has(csv, ",'-")) << "a number is no formula";
    EXPECT_EQ(std::string::npos, csv.find('\xe9'));
    EXPECT_TRUE(has(read_file(out + "/report.html"), "caf\\xe9"));
}

// The scales of a program may stand in several entries, each of which has its group.
TEST_F(study, AScaleIsOfTheGroupOfItsEntry)
{
    const outcome o = run("traces:\n  - {suite: [array_add], scale: [1], group: tiny}\n"
                          "  - {suite: [array_add], scale: [2], group: small}\n"
                          "variants: {baseline: {traces: [small]}}\n");
    ASSERT_EQ(0, o.status) << o.err;
    const std::string csv = read_file(out + "/results.csv");
    EXPECT_TRUE(has(csv, "\narray_add-2,small,baseline,")) << csv.substr(0, 300);
    EXPECT_FALSE(has(csv, "\narray_add-1,")) << "of another group";
}

TEST_F(study, AReportShowsWhatThereIs)
{
    tiny_trace(folder, "a");
    tiny_trace(folder, "b", 6);
    const std::string figures = "figures:\n  f: {columns: [new], value: ipc, plot: dots}\n";
    outcome o = run(head + figures, "--report");
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_TRUE(has(o.out, "runs                0 of 4")) << o.out;
    ASSERT_EQ(0, run(std::string(head) + "  later: {mechanism: gto-lru}\n", "").status);
    o = run(std::string(head) + "  last: {mechanism: bow-long}\n" + figures, "--report");
    EXPECT_TRUE(has(o.out, "runs                4 of 6")) << o.out;
    EXPECT_TRUE(has(read_file(out + "/report.html"), "2 of 6 runs are missing"));
}

TEST_F(study, SuiteTracesAreMadeOnceAndAgainWhenTouched)
{
    const std::string text = "traces: [{suite: nn}]\nvariants: {baseline: }\n";
    ASSERT_EQ(0, run(text).status);
    const std::string list = out + "/traces/nn-small/kernelslist.g";
    const auto time = fs::last_write_time(list);
    ASSERT_EQ(0, run(text).status);
    EXPECT_EQ(time, fs::last_write_time(list));
    write_file(list, read_file(list) + "# touched\n");
    outcome o = run(text);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_FALSE(has(read_file(list), "touched"));
    EXPECT_EQ(1, told_runs(o.err).there) << "it is the trace that it was";
}

TEST_F(study, TwoRunnersTraceTheSuiteTogether)
{
    write_file(folder / "mine.yaml",
               "traces: [{suite: [nn, srad, hotspot]}]\nvariants: {baseline: , gto-lru: }\n");
    const std::string words = " study " + (folder / "mine.yaml") + " -o " + out + " >/dev/null 2>";
    const std::string shell = program() + words + (folder / "1") + " & " + program() + words +
                              (folder / "2") + "; s=$?; wait $! && exit $s";
    ASSERT_EQ(0, std::system(shell.c_str())) << read_file(folder / "1") << read_file(folder / "2");
    EXPECT_EQ(6, told_runs(read_file(folder / "1")).made() +
                     told_runs(read_file(folder / "2")).made());
}

} // namespace
