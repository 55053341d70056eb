// SPDX-License-Identifier: Apache-2.0
// BOW on whole traces: values always right, laws always kept, the same outcome however the run is
// cut; a larger window never forwards less in a run of one warp.
#include "../support/replay.h"

#include "models/bow/bow.h"

#include <algorithm>
#include <cstring>

namespace
{

std::vector<std::string> traces()
{
    const std::string source = std::getenv("SMRF_SOURCE_DIR");
    std::vector<std::string> all = {source + "/traces/bundled/matmul",
                                    source + "/traces/bundled/divergent"};
    if (!replay::real_traces().empty()) {
        for (const auto &entry : std::filesystem::directory_iterator(replay::real_traces())) {
            if (std::filesystem::exists(entry.path() / "kernelslist.g")) {
                all.push_back(entry.path().string());
            }
        }
    }
    std::sort(all.begin() + 2, all.end());
    return all;
}

smrf_config config_of(const smrf_mechanism &m, const char *preset,
                      std::initializer_list<const char *> pairs = {})
{
    std::vector<const char *> all;
    for (size_t i = 0; m.defaults && m.defaults[i]; i++) {
        all.push_back(m.defaults[i]);
    }
    all.insert(all.end(), pairs);
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, preset, &err)) << err.text;
    EXPECT_EQ(0, smrf_config_set_pairs(&cfg, all.data(), all.size(), "test", &err)) << err.text;
    EXPECT_EQ(0, smrf_config_check(&cfg, &err)) << err.text;
    return cfg;
}

struct outcome {
    replay::result run;
    smrf_bow_stats own{};
    std::string broken; // names of laws
};

outcome run(const smrf_mechanism &m, const std::string &trace, const smrf_config &cfg,
            uint64_t slice = SMRF_NEVER)
{
    outcome o;
    replay::options opt;
    opt.mechanism = &m;
    opt.slice = slice;
    opt.end = [&](const smrf_machine *machine) {
        for (uint32_t i = 0; i < cfg.gpu_sms && m.counters; i++) {
            auto to = reinterpret_cast<uint64_t *>(&o.own);
            const uint64_t *from = m.counters(machine->mechanism_state[i]);
            for (unsigned k = 0; k < m.num_counters; k++) {
                to[k] += from[k];
            }
        }
    };
    o.run = replay::run(trace, cfg, opt);
    const auto own = reinterpret_cast<const uint64_t *>(&o.own);
    for (size_t i = 0; i < m.num_laws; i++) {
        if (m.laws[i].left(own, &o.run.stats) != m.laws[i].right(own, &o.run.stats)) {
            o.broken += m.laws[i].name + std::string("; ");
        }
    }
    return o;
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
    for (const std::string &trace : traces()) {
        for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
            for (const smrf_mechanism *m : {&smrf_bow_long, &smrf_bow_short}) {
                SCOPED_TRACE(trace + " " + preset + " " + m->name);
                expect_right(run(*m, trace, config_of(*m, preset)));
            }
        }
    }
}

TEST(Bow, EveryVariantIssuesTheBaselinesInstructions)
{
    const std::initializer_list<const char *> variants[] = {
        {"bow.window=2"},
        {"bow.window=8", "bow.sources=12", "bow.results=4"},
        {"bow.sources=1", "bow.results=0"},
        {"bow.flush_on_branch=on"},
        {"bow.private=off", "rf.collectors=3"},
        {"bow.private=off", "rf.collectors=2", "rf.collector_pick=random"},
        {"scoreboard.war=off"},
        {"bow.private=off", "sm.subcores=1", "rf.collectors=8", "issue.width=2"},
    };
    for (const std::string &trace : {traces()[0], traces()[1]}) {
        for (const auto &pairs : variants) {
            SCOPED_TRACE(trace + " " + *pairs.begin());
            expect_right(
                run(smrf_bow_long, trace, config_of(smrf_bow_long, "rtx2060-paper", pairs)));
        }
    }
}

TEST(Bow, AWindowOfOneForwardsNothing)
{
    outcome o = run(smrf_bow_long, traces()[0],
                    config_of(smrf_bow_long, "rtx2060-paper", {"bow.window=1"}));
    EXPECT_EQ(0u, o.own.hits);
    EXPECT_EQ("", o.broken);
}

TEST(Bow, PrivateWindowsForwardWhatTheStreamAllowsAndMoreWithALargerOne)
{
    uint64_t before = 0;
    for (const char *window : {"bow.window=1", "bow.window=2", "bow.window=3", "bow.window=5"}) {
        outcome o =
            run(smrf_bow_long, traces()[0], config_of(smrf_bow_long, "rtx2060-paper", {window}));
        EXPECT_GE(o.own.hits, before) << window;
        EXPECT_EQ(0u, o.own.flushes + o.own.homeless);
        before = o.own.hits;
    }
}

TEST(Bow, CutsInTimeChangeNothing)
{
    for (const smrf_mechanism *m : {&smrf_bow_long, &smrf_bow_short}) {
        smrf_config cfg = config_of(*m, "rtx2060-paper");
        outcome whole = run(*m, traces()[1], cfg);
        for (uint32_t quantum : {1u, 13u, 300u}) {
            cfg.sim_quantum = quantum;
            outcome cut = run(*m, traces()[1], cfg, 77);
            EXPECT_EQ("", replay::difference(whole.run, cut.run));
            EXPECT_EQ(0, std::memcmp(&whole.own, &cut.own, sizeof whole.own));
        }
    }
}

TEST(Bow, PrivateNeedsACollectorForEveryWarp)
{
    smrf_config cfg = config_of(smrf_bow_long, "rtx2060-paper");
    EXPECT_EQ(nullptr, smrf_bow_long.check(&cfg));
    cfg.rf_collectors = 2;
    ASSERT_NE(nullptr, smrf_bow_long.check(&cfg));
    EXPECT_NE(nullptr, std::strstr(smrf_bow_long.check(&cfg), "rf.collectors"));
    std::vector<uint64_t> state(smrf_bow_long.bytes(&cfg) / 8 + 8);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_bow_long.init(state.data(), &cfg, 0));
}

} // namespace
