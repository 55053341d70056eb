// SPDX-License-Identifier: Apache-2.0
// BOW on whole traces: values always right, laws always kept, the same outcome however the run is
// cut; a larger window never forwards less in a run of one warp.
#include "../support/mechanism_run.h"
#include "tests/support/config_views.h"

#include "models/bow/bow.h"

#include <cstring>

namespace
{

using replay::mechanism_config;
using outcome = replay::mechanism_outcome<smrf_bow_stats>;

outcome run(const smrf_mechanism &m, const std::string &trace, const smrf_config &cfg,
            uint64_t slice = SMRF_NEVER)
{
    replay::options opt;
    opt.slice = slice;
    return replay::run_mechanism<smrf_bow_stats>(m, trace, cfg, opt);
}

void expect_right(const outcome &o)
{
    EXPECT_EQ("", o.broken);
    EXPECT_EQ(0u, o.run.stats.oracle_violations);
    EXPECT_EQ(0u, o.run.stats.oracle_stale_copies);
    EXPECT_EQ(o.run.totals.warp_insts, o.run.stats.warp_insts);
    EXPECT_EQ(o.own.hits, o.run.stats.cache_hits);
    EXPECT_GT(o.own.hits, 0u);
}

TEST(Bow, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    for (const std::string &trace : replay::all_traces()) {
        for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
            for (const smrf_mechanism *m : {&smrf_bow_long, &smrf_bow_short}) {
                SCOPED_TRACE(trace + " " + preset + " " + m->name);
                expect_right(run(*m, trace, mechanism_config(*m, preset)));
            }
        }
    }
}

TEST(Bow, EveryVariantIssuesTheBaselinesInstructions)
{
    const std::initializer_list<const char *> variants[] = {
        {"bow.window=2"},
        {"rf.collector_slots=1"},
        {"bow.window=4", "rf.collector_slots=4"},
        {"bow.private=off", "rf.collectors=2", "rf.collector_slots=3"},
        {"bow.counts_entering=on"},
        {"bow.window=8", "bow.sources=12", "bow.results=4"},
        {"bow.sources=1", "bow.results=0"},
        {"bow.flush_on_branch=on"},
        {"bow.private=off", "rf.collectors=3"},
        {"bow.private=off", "rf.collectors=2", "rf.collector_pick=random"},
        {"scoreboard.war=off"},
        {"bow.private=off", "sm.subcores=1", "rf.collectors=8", "issue.width=2"},
    };
    for (const std::string &trace : {replay::all_traces()[0], replay::all_traces()[1]}) {
        for (const auto &pairs : variants) {
            SCOPED_TRACE(trace + " " + *pairs.begin());
            expect_right(
                run(smrf_bow_long, trace, mechanism_config(smrf_bow_long, "rtx2060-paper", pairs)));
        }
    }
}

TEST(Bow, AWindowOfTheEnteringInstructionAloneForwardsNothing)
{
    outcome o = run(smrf_bow_long, replay::all_traces()[0],
                    mechanism_config(smrf_bow_long, "rtx2060-paper",
                                     {"bow.window=1", "bow.counts_entering=on"}));
    EXPECT_EQ(0u, o.own.hits);
    EXPECT_EQ("", o.broken);
}

TEST(Bow, PrivateWindowsForwardWhatTheStreamAllowsAndMoreWithALargerOne)
{
    uint64_t before = 0;
    for (const char *window : {"bow.window=1", "bow.window=2", "bow.window=3", "bow.window=5"}) {
        outcome o =
            run(smrf_bow_long, replay::all_traces()[0],
                mechanism_config(smrf_bow_long, "rtx2060-paper", {window, "rf.collector_slots=1"}));
        EXPECT_GE(o.own.hits, before) << window;
        EXPECT_EQ(0u, o.own.flushes + o.own.homeless);
        before = o.own.hits;
    }
}

// Cycles in which a ready warp got none: none was free, or its own has no place for it now.
uint64_t without_collector(const outcome &o)
{
    return o.run.stats.stall[SMRF_STALL_collector] + o.run.stats.stall[SMRF_STALL_withheld];
}

// A window's instructions are collected together; the oldest holds up whose place follows.
TEST(Bow, AsManyInstructionsOfAWarpAreCollectedAsItsWindowHas)
{
    const std::string trace = replay::all_traces()[0];
    outcome before =
        run(smrf_bow_long, trace,
            mechanism_config(smrf_bow_long, "rtx2060-paper", {"rf.collector_slots=1"}));
    for (const char *slots : {"rf.collector_slots=2", "rf.collector_slots=3"}) {
        outcome o =
            run(smrf_bow_long, trace, mechanism_config(smrf_bow_long, "rtx2060-paper", {slots}));
        EXPECT_LT(without_collector(o), without_collector(before));
        expect_right(o);
        before = o;
    }
    outcome more = run(smrf_bow_long, trace,
                       mechanism_config(smrf_bow_long, "rtx2060-paper", {"rf.collector_slots=4"}));
    EXPECT_EQ("", replay::difference(before.run, more.run)) << "the window has three";
}

TEST(Bow, CutsInTimeChangeNothing)
{
    for (const smrf_mechanism *m : {&smrf_bow_long, &smrf_bow_short}) {
        smrf_config cfg = mechanism_config(*m, "rtx2060-paper");
        outcome whole = run(*m, replay::all_traces()[1], cfg);
        for (uint32_t quantum : {1u, 13u, 300u}) {
            cfg.sim.quantum = quantum;
            outcome cut = run(*m, replay::all_traces()[1], cfg, 77);
            EXPECT_EQ("", replay::difference(whole.run, cut.run));
            EXPECT_EQ(0, std::memcmp(&whole.own, &cut.own, sizeof whole.own));
        }
    }
}

TEST(Bow, PrivateNeedsACollectorForEveryWarp)
{
    smrf_config cfg = mechanism_config(smrf_bow_long, "rtx2060-paper");
    EXPECT_EQ(nullptr, smrf_bow_long.check(setup_of(cfg, &smrf_bow_long)));
    cfg.rf.collectors = 2;
    ASSERT_NE(nullptr, smrf_bow_long.check(setup_of(cfg, &smrf_bow_long)));
    EXPECT_NE(nullptr,
              std::strstr(smrf_bow_long.check(setup_of(cfg, &smrf_bow_long)), "rf.collectors"));
    std::vector<uint64_t> state(smrf_bow_long.bytes(setup_of(cfg, &smrf_bow_long)) / 8 + 8);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bow_long.init(state.data(), setup_of(cfg, &smrf_bow_long), 0));
}

// --- faults, put in between windows of a healthy run -------------------------------------------

// fault: returns whether it found its moment. once: never again after that.
outcome break_it(const std::function<bool(smrf_bow &)> &fault, bool once = false)
{
    smrf_config cfg = mechanism_config(smrf_bow_long, "rtx2060-paper");
    cfg.sim.quantum = 16;
    bool done = false;
    replay::options opt;
    opt.laws = false;
    opt.window = [&](const smrf_machine *machine) {
        for (uint32_t i = 0; i < cfg.gpu.sms && !(once && done); i++) {
            done |= fault(*static_cast<smrf_bow *>(machine->mechanism_state[i]));
        }
    };
    outcome o =
        replay::run_mechanism<smrf_bow_stats>(smrf_bow_long, replay::all_traces()[0], cfg, opt);
    EXPECT_TRUE(done) << "the fault found its moment";
    return o;
}

TEST(BowFault, EveryCountOfALawIsWatched)
{
    const struct {
        const char *law;
        uint64_t smrf_bow_stats::*counter;
    } cases[] = {
        {"BOC sources", &smrf_bow_stats::sources},
        {"BOC misses", &smrf_bow_stats::misses},
        {"write-through", &smrf_bow_stats::results},
        {"fates of results", &smrf_bow_stats::slid_out},
        {"BOC writes", &smrf_bow_stats::kept},
        {"BOC entries", &smrf_bow_stats::entered},
    };
    EXPECT_EQ(smrf_bow_long.num_laws, std::size(cases)) << "every law is tried";
    for (const auto &c : cases) {
        outcome o = break_it(
            [&](smrf_bow &m) {
                m.stats.*c.counter += 1;
                return true;
            },
            true);
        EXPECT_NE(std::string::npos, o.broken.find(c.law + std::string("; "))) << o.broken;
    }
}

// What the visible places of every collector hold.
bool alter(smrf_bow &m, const std::function<void(smrf_boc_value &)> &change)
{
    bool found = false;
    for (unsigned u = 0; u < m.subs * m.units; u++) {
        for (unsigned place = 0; place <= SMRF_BOC_MAX_WINDOW; place++) {
            for (unsigned slot = 0; m.boc[u].held && slot < SMRF_BOC_MAX_SLOTS; slot++) {
                if (m.boc[u].place[place].valid >> slot & 1) {
                    change(m.boc[u].value[place][slot]);
                    found = true;
                }
            }
        }
    }
    return found;
}

TEST(BowFault, AnAlteredCopyIsFoundByTheValueOracle)
{
    outcome o = break_it(
        [](smrf_bow &m) { return alter(m, [](smrf_boc_value &v) { v.data[3] = 0xdead; }); });
    EXPECT_GT(o.run.stats.oracle_violations, 0u);
}

TEST(BowFault, AnOlderValueThanProgramOrderDemandsIsFound)
{
    outcome o =
        break_it([](smrf_bow &m) { return alter(m, [](smrf_boc_value &v) { v.version = 0; }); });
    EXPECT_GT(o.run.stats.oracle_violations, 0u);
}

} // namespace
