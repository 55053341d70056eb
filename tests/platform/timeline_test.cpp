// SPDX-License-Identifier: Apache-2.0
// Timelines: what they record is what the run counts and what the profile books, however they are
// cut.
#include "../support/platform_files.h"
#include "models/common/smrf_types.h"
#include "platform/observe/profile.h"
#include "platform/observe/timeline.h"
#include "platform/platform.h"

#include <algorithm>
#include <map>

namespace
{

using namespace smrf_test;

std::string bundled(const std::string &name)
{
    return std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
}

// A run on one SM, seen through an observer.
class observed
{
  public:
    observed(const std::string &trace, const smrf_observer &observer,
             const std::string &mechanism = "baseline")
    {
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        smrf_platform_engine(p, "direct");
        EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism.c_str()));
        EXPECT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=1"));
        smrf_platform_observe(p, &observer);
        EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
        EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    }
    observed(const observed &) = delete;
    ~observed()
    {
        smrf_platform_destroy(p);
    }
    uint64_t count(const char *name) const
    {
        uint64_t value = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(p, name, &value)) << name;
        return value;
    }

  private:
    smrf_platform *p = nullptr;
};

struct recorded {
    recorded(const std::string &trace, uint64_t from, uint64_t to,
             const std::string &mechanism = "baseline")
    {
        const smrf_timeline_window window = {0, from, to};
        t = smrf_timeline_create(&window);
        run = std::make_unique<observed>(trace, smrf_timeline_observer(t), mechanism);
        EXPECT_EQ(SMRF_OK, smrf_timeline_end(t));
    }
    recorded(const recorded &) = delete;
    ~recorded()
    {
        run.reset();
        smrf_timeline_free(t);
    }
    template <class F> uint64_t count(smrf_timeline_kind kind, F part) const
    {
        uint64_t sum = 0;
        for (size_t i = 0; i < t->num_events; i++) {
            sum += t->event[i].kind == kind ? part(t->event[i]) : 0;
        }
        return sum;
    }
    uint64_t number(smrf_timeline_kind kind) const
    {
        return count(kind, [](const smrf_timeline_event &) { return 1; });
    }
    smrf_timeline *t = nullptr;
    std::unique_ptr<observed> run;
};

uint64_t length(const smrf_timeline_event &e)
{
    return e.end - e.start;
}

uint64_t is_issue(const smrf_timeline_event &e)
{
    return e.state == SMRF_WARP_issued;
}

class timeline_under : public testing::TestWithParam<const char *>
{
};

TEST_P(timeline_under, AWholeRunHoldsEverythingThatTheRunCounts)
{
    recorded r(bundled("matmul"), 0, 1000000, GetParam());
    EXPECT_EQ(r.run->count("instructions.warp"), r.count(SMRF_TIMELINE_WARP, is_issue));
    EXPECT_EQ(r.run->count("rf.bank_reads"), r.number(SMRF_TIMELINE_READ));
    EXPECT_EQ(r.run->count("rf.bank_conflict_cycles"), r.number(SMRF_TIMELINE_WAIT));
    EXPECT_EQ(r.run->count("instructions.warp"), r.number(SMRF_TIMELINE_COLLECTOR))
        << "every instruction goes through a collector unit";
    EXPECT_EQ(1u, r.number(SMRF_TIMELINE_KERNEL));
    EXPECT_GT(r.number(SMRF_TIMELINE_REQUEST), 100u);
    EXPECT_EQ(0u, r.count(SMRF_TIMELINE_REQUEST, [](const smrf_timeline_event &e) {
        return e.end <= e.start || e.address % 32 != 0;
    }));
    for (size_t i = 1; i < r.t->num_events; i++) {
        ASSERT_LE(r.t->event[i - 1].start, r.t->event[i].start);
    }
}

// Two recorders that share no code: spans of states, and counts of them by instruction.
TEST_P(timeline_under, ItsWarpsSpansAreTheProfilesWarpCycles)
{
    recorded r(bundled("hotspot"), 0, 10000000, GetParam());
    smrf_profile *profile = smrf_profile_create();
    {
        observed run(bundled("hotspot"), smrf_profile_observer(profile), GetParam());
        const smrf_profile_kernel *kernel = nullptr;
        const int kernels = smrf_profile_get(profile, &kernel);
        ASSERT_GT(kernels, 0);
        for (unsigned state = 0; state < SMRF_WARP_STATE_COUNT; state++) {
            uint64_t booked = 0;
            for (int k = 0; k < kernels; k++) {
                for (size_t i = 0; i < kernel[k].num_inst; i++) {
                    booked += kernel[k].inst[i].counts.state[state];
                }
            }
            EXPECT_EQ(booked, r.count(SMRF_TIMELINE_WARP, [state](const smrf_timeline_event &e) {
                return e.state == state ? length(e) : 0;
            })) << smrf_warp_state_name(static_cast<smrf_warp_state>(state));
        }
    }
    smrf_profile_free(profile);
    std::map<unsigned, uint64_t> end; // of the last span of a slot
    for (size_t i = 0; i < r.t->num_events; i++) {
        const smrf_timeline_event &e = r.t->event[i];
        if (e.kind == SMRF_TIMELINE_WARP) {
            ASSERT_GE(e.start, end[e.index]) << "a warp does one thing at a time";
            end[e.index] = e.end;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, timeline_under,
                         testing::Values("baseline", "malekeh-long", "bow-long"),
                         [](const auto &of) {
                             std::string name = of.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

// Cut anywhere: the parts make up the whole.
TEST(Timeline, ItsPartsMakeUpTheWhole)
{
    const uint64_t cuts[] = {0, 777, 1500, 1501, 100000};
    recorded whole(bundled("matmul"), cuts[0], cuts[4]);
    std::map<smrf_timeline_kind, uint64_t> sum;
    for (unsigned i = 0; i + 1 < sizeof cuts / sizeof *cuts; i++) {
        recorded part(bundled("matmul"), cuts[i], cuts[i + 1]);
        for (unsigned kind = 0; kind <= SMRF_TIMELINE_REQUEST; kind++) {
            const auto k = static_cast<smrf_timeline_kind>(kind);
            sum[k] += part.count(k, length);
        }
        for (size_t e = 0; e < part.t->num_events; e++) {
            ASSERT_GE(part.t->event[e].start, cuts[i]);
            ASSERT_LE(part.t->event[e].end, cuts[i + 1]);
        }
    }
    for (const auto &[kind, cycles] : sum) {
        EXPECT_EQ(whole.count(kind, length), cycles) << kind;
    }
}

// --- the files
// --------------------------------------------------------------------------------------

struct timeline_files : testing::Test {
    temporary_folder folder;
    std::string trace = bundled("matmul");
    outcome run(const std::string &options)
    {
        return smrf(folder, "run -q --set gpu.sms=1 " + options + " " + trace);
    }
};

TEST_F(timeline_files, TraceEventsAreCompleteAndWellFormed)
{
    const std::string path = folder / "t.json";
    ASSERT_EQ(0, run("--timeline " + path + " --from 1000 --to 1300").status);
    document d(read_file(path));
    recorded r(trace, 1000, 1300);
    std::map<std::string, uint64_t> slices, begun, ended;
    size_t i;
    const json_t *e;
    json_array_foreach(d.at("traceEvents"), i, e)
    {
        const std::string phase = json_string_value(json_object_get(e, "ph"));
        if (phase == "M") {
            continue;
        }
        const std::string kind = json_string_value(json_object_get(e, "cat"));
        const json_int_t at = json_integer_value(json_object_get(e, "ts"));
        EXPECT_GE(at, 1000);
        EXPECT_LE(at, 1300);
        slices[kind] += phase == "X";
        begun[kind] += phase == "b";
        ended[kind] += phase == "e";
        if (phase == "X") {
            EXPECT_GT(json_integer_value(json_object_get(e, "dur")), 0);
        }
    }
    EXPECT_EQ(r.number(SMRF_TIMELINE_WARP), slices["warps"]);
    EXPECT_EQ(r.number(SMRF_TIMELINE_READ), slices["bank reads"]);
    EXPECT_EQ(r.number(SMRF_TIMELINE_WRITE), slices["bank writes"]);
    EXPECT_EQ(r.number(SMRF_TIMELINE_WAIT), begun["waiting for a bank"]);
    EXPECT_EQ(begun, ended);
}

// A small reader of value change dumps: the cycles for which each one-bit signal is 1.
std::map<std::string, uint64_t> high_cycles(const std::string &text)
{
    std::map<std::string, std::string> name; // by code
    std::map<std::string, uint64_t> since, sum;
    std::stringstream in(text);
    std::string line, scope;
    uint64_t now = 0;
    while (std::getline(in, line)) {
        std::stringstream words(line);
        std::string first, type, bits, code, called;
        words >> first;
        if (first == "$scope") {
            words >> type >> scope;
        } else if (first == "$var") {
            words >> type >> bits >> code >> called;
            if (type == "wire") {
                name[code] = scope + "." + called;
            }
        } else if (first[0] == '#') {
            now = std::stoull(first.substr(1));
        } else if ((first[0] == '0' || first[0] == '1') && name.count(first.substr(1))) {
            const std::string &signal = name[first.substr(1)];
            if (since.count(signal)) {
                sum[signal] += now - since[signal];
                since.erase(signal);
            }
            if (first[0] == '1') {
                since[signal] = now;
            }
        }
    }
    EXPECT_TRUE(since.empty()) << "signals stay high behind the window";
    return sum;
}

TEST_F(timeline_files, AWaveformIsHighWhereBanksAreReadAndUnitsAreHeld)
{
    const std::string path = folder / "t.vcd";
    ASSERT_EQ(0, run("--timeline " + path + " --from 900 --to 1500").status);
    recorded r(trace, 900, 1500);
    std::map<std::string, uint64_t> expected;
    for (size_t i = 0; i < r.t->num_events; i++) {
        const smrf_timeline_event &e = r.t->event[i];
        const char *what = e.kind == SMRF_TIMELINE_READ        ? "bank_read_"
                           : e.kind == SMRF_TIMELINE_WRITE     ? "bank_write_"
                           : e.kind == SMRF_TIMELINE_COLLECTOR ? "unit_busy_"
                                                               : nullptr;
        if (what) {
            expected["sub_core_" + std::to_string(e.sub) + "." + what + std::to_string(e.index)] +=
                length(e);
        }
    }
    ASSERT_GT(expected.size(), 8u);
    EXPECT_EQ(expected, high_cycles(read_file(path)));
}

TEST_F(timeline_files, OptionsThatAreWrongAreRefused)
{
    const std::pair<const char *, const char *> wrong[] = {
        {"--timeline t.json --from 10 --to 10", "--to must be after --from"},
        {"--timeline t.json --from -1", "--from takes a whole number"},
        {"--timeline t.json --sm 1", "there is no SM 1"},
        {"--timeline - --json -", "-"},
    };
    for (const auto &[options, words] : wrong) {
        outcome o = run(options);
        EXPECT_EQ(2, o.status) << options;
        EXPECT_NE(std::string::npos, o.err.find(words)) << o.err;
    }
    EXPECT_EQ(3, run("--timeline /nosuch/t.json").status);
}

// One thread block on four SMs: three have no warp, which is said.
TEST_F(timeline_files, LooksAtTheBusiestSmUnlessOneIsNamed)
{
    launch_shape shape = small_launch();
    shape.blocks = 1;
    shape.warps = 1;
    const std::string one = write_trace(folder, "one", shape, 1);
    const std::string begin = "run -q --set gpu.sms=4 --set gpu.launch_latency=0 --timeline ";
    const outcome o = smrf(folder, begin + (folder / "a.json") + " " + one);
    ASSERT_EQ(0, o.status) << o.err;
    document busiest(read_file(folder / "a.json"));
    const long long sm = busiest.count("otherData.sm");
    const auto named = [&](long long n) {
        const std::string file = folder / ("sm" + std::to_string(n) + ".json");
        const outcome run = smrf(folder, begin + file + " --sm " + std::to_string(n) + " " + one);
        EXPECT_EQ(0, run.status) << run.err;
        return run.err;
    };
    for (long long n = 0; n < 4; n++) {
        EXPECT_EQ(n != sm, named(n).find("the timeline is empty") != std::string::npos) << n;
    }
}

TEST_F(timeline_files, AWindowBehindTheEndIsRefused)
{
    const outcome o = run("--timeline " + (folder / "t.json") + " --from 1000000");
    EXPECT_EQ(2, o.status);
    EXPECT_NE(std::string::npos, o.err.find("--from 1000000: the run ends after ")) << o.err;
    EXPECT_FALSE(fs::exists(folder / "t.json"));
}

// --- one cycle
// ------------------------------------------------------------------------------------------

struct at_command : testing::Test {
    temporary_folder folder;
    std::string trace = bundled("matmul");
    outcome at(const std::string &options)
    {
        return smrf(folder, "at --set gpu.sms=1 " + options + " " + trace);
    }
};

TEST_F(at_command, SaysWhatABankDoesInALine)
{
    recorded r(trace, 0, 100000);
    // A cycle in which bank 1 of sub-core 2 is read while somebody waits for it.
    const smrf_timeline_event *read = nullptr;
    for (size_t i = 0; i < r.t->num_events && !read; i++) {
        const smrf_timeline_event &e = r.t->event[i];
        if (e.kind == SMRF_TIMELINE_WAIT && e.sub == 2 && e.index == 1) {
            for (size_t k = 0; k < r.t->num_events; k++) {
                const smrf_timeline_event &f = r.t->event[k];
                if (f.kind == SMRF_TIMELINE_READ && f.start == e.start && f.sub == 2 &&
                    f.index == 1) {
                    read = &f;
                }
            }
        }
    }
    ASSERT_NE(nullptr, read);
    outcome o = at("--bank 1 --cycle " + std::to_string(read->start));
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(5, std::count(o.out.begin(), o.out.end(), '\n')) << "a head and four sub-cores";
    const std::string words = "sub-core 2 bank 1: reads R" + std::to_string(read->reg) +
                              " for warp " + std::to_string(read->warp);
    const size_t place = o.out.find(words);
    ASSERT_NE(std::string::npos, place) << words << "\n" << o.out;
    EXPECT_NE(std::string::npos, o.out.find("waiting: R", place));
}

TEST_F(at_command, ShowsEveryResidentWarpOnce)
{
    recorded r(trace, 1200, 1201);
    outcome o = at("--cycle 1200");
    ASSERT_EQ(0, o.status) << o.err;
    std::stringstream text(o.out);
    std::string line;
    uint64_t warps = 0;
    while (std::getline(text, line)) {
        warps += line.rfind("  warp ", 0) == 0;
    }
    EXPECT_EQ(r.number(SMRF_TIMELINE_WARP), warps);
    EXPECT_GT(warps, 8u);
}

TEST_F(at_command, RefusesWhatIsNotThere)
{
    const std::pair<const char *, const char *> wrong[] = {
        {"", "no --cycle"},
        {"--cycle x", "--cycle takes a whole number"},
        {"--cycle 99999999", "the run ends after"},
        {"--cycle 100 --bank 2", "has 2 banks"},
        {"--cycle 100 --sm 1", "there is no SM 1"},
    };
    for (const auto &[options, words] : wrong) {
        outcome o = at(options);
        EXPECT_EQ(2, o.status) << options << o.err;
        EXPECT_NE(std::string::npos, o.err.find(words)) << options << o.err;
        EXPECT_EQ("", o.out);
    }
}

TEST(TimelineFile, OfARunThatFailsBeforeALaunchSaysNothingOfAnSm)
{
    temporary_folder folder;
    write_file(folder / "wrong.traceg", "-kernel name = k\n");
    const outcome o =
        smrf(folder, "run -q --timeline " + (folder / "t.json") + " " + (folder / "wrong.traceg"));
    EXPECT_EQ(3, o.status);
    EXPECT_NE(std::string::npos, o.err.find("wrong.traceg")) << o.err;
    EXPECT_EQ(std::string::npos, o.err.find("no warp is on SM")) << o.err;
}

} // namespace
