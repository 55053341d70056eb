// SPDX-License-Identifier: Apache-2.0
// Malekeh's mechanisms on whole traces: values always right, laws always kept, the baseline when
// the cache is off, the same outcome however the run is cut; and every invariant's check fires when
// the invariant is broken on purpose.
#include "../support/mechanism_run.h"
#include "../support/near_annotator.h"
#include "../support/pattern_trace.h"
#include "platform/config/registry.h"

#include "models/malekeh/malekeh.h"

#include <algorithm>

namespace
{

using smrf_test::near_annotator;

const char *const mechanisms[] = {"malekeh-long", "malekeh-short", "malekeh-private", "gto-lru"};
const char *const presets[] = {"rtx2060-paper", "rtx2060-accelsim"};

using replay::all_traces;

// With the rows of the intervals.
struct outcome : replay::mechanism_outcome<smrf_malekeh_stats> {
    std::vector<std::vector<uint64_t>> rows;
};

const smrf_malekeh_params &options(smrf_config &cfg)
{
    return *static_cast<smrf_malekeh_params *>(smrf_config_options(&cfg, &smrf_malekeh_long));
}

smrf_config config_of(const smrf_mechanism &m, const char *preset,
                      std::initializer_list<const char *> pairs = {})
{
    smrf_config cfg = replay::mechanism_config(m, preset, pairs);
    if (options(cfg).allocation == SMRF_MALEKEH_PRIVATE) {
        cfg.rf.collectors = cfg.sm.warps / cfg.sm.subcores;
    }
    return cfg;
}

// hook: between windows.
outcome run(const smrf_mechanism &m, const std::string &trace, const smrf_config &cfg,
            near_annotator::mode mode, uint64_t slice = SMRF_NEVER,
            std::function<void(const smrf_machine *)> hook = nullptr)
{
    outcome o;
    near_annotator bits(mode);
    replay::options opt;
    opt.annotator = &bits.seam;
    opt.slice = slice;
    opt.laws = !hook;
    opt.window = std::move(hook);
    opt.row = [&](const uint64_t *row) {
        o.rows.push_back(std::vector<uint64_t>(row, row + m.gpu->num_columns));
    };
    static_cast<replay::mechanism_outcome<smrf_malekeh_stats> &>(o) =
        replay::run_mechanism<smrf_malekeh_stats>(m, trace, cfg, opt);
    return o;
}

TEST(Malekeh, ValuesAreRightAndLawsHoldOnEveryTraceUnderEveryMechanism)
{
    for (const std::string &trace : all_traces()) {
        for (const char *preset : presets) {
            for (const char *name : mechanisms) {
                for (auto mode :
                     {near_annotator::FAR, near_annotator::NEAR, near_annotator::MIXED}) {
                    SCOPED_TRACE(trace + " " + preset + " " + name + " " + std::to_string(mode));
                    const smrf_mechanism &m = *smrf_mechanism_find(name);
                    outcome o = run(m, trace, config_of(m, preset), mode);
                    EXPECT_EQ("", o.broken);
                    EXPECT_EQ(0u, o.run.stats.oracle_violations);
                    EXPECT_EQ(0u, o.run.stats.oracle_stale_copies);
                    EXPECT_EQ(o.own.hits, o.run.stats.cache_hits);
                    EXPECT_LE(o.own.named_hits, o.own.named_sources);
                    EXPECT_GE(o.own.named_sources, o.own.sources);
                    if (mode == near_annotator::FAR && o.own.near_results + o.own.near_kept) {
                        ADD_FAILURE() << "near results without near bits";
                    }
                }
            }
        }
    }
}

// What the mechanisms do to the cycle of the baseline without a cache: nothing.
TEST(Malekeh, WithTheCacheOffItIsTheBaselineCycleByCycle)
{
    for (const std::string &trace : all_traces()) {
        for (const char *preset : presets) {
            SCOPED_TRACE(trace + " " + preset);
            const smrf_mechanism &base = *smrf_mechanism_find("baseline");
            const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
            replay::options opt;
            opt.mechanism = &base;
            replay::result plain = replay::run(trace, config_of(base, preset), opt);
            outcome off = run(
                m, trace,
                config_of(m, preset,
                          {"malekeh.cache=off", "malekeh.priority=gto", "malekeh.allocation=any"}),
                near_annotator::MIXED);
            EXPECT_EQ("", replay::difference(plain, off.run));
            EXPECT_EQ("", off.broken);
            EXPECT_EQ(0u, off.own.hits + off.own.kept);
        }
    }
}

// Without its own order and allocation a cache may change when things happen, but never what.
TEST(Malekeh, EveryVariantIssuesTheBaselinesInstructions)
{
    const std::initializer_list<const char *> variants[] = {
        {"malekeh.cache=off"},
        {"malekeh.ct_entries=1"},
        {"malekeh.ct_entries=32", "malekeh.slots=24"},
        {"malekeh.slots=1"},
        {"malekeh.replacement=far_lru", "malekeh.read_marks=off"},
        {"malekeh.write=present", "malekeh.write_ports=0"},
        {"malekeh.write=all", "malekeh.write_ports=3"},
        {"malekeh.far_write=update"},
        {"malekeh.partial_allocates=off"},
        {"malekeh.flush_on_exit=off"},
        {"malekeh.priority=resident_first"},
        {"malekeh.priority=gto"},
        {"malekeh.allocation=own"},
        {"malekeh.allocation=any"},
        {"malekeh.far_choice=first", "malekeh.forced_choice=fewest"},
        {"malekeh.far_choice=fewest", "malekeh.forced_choice=first"},
        {"malekeh.strict_top_warp=on", "malekeh.sthld_mode=fixed", "malekeh.sthld=3"},
        {"malekeh.sthld_mode=fixed", "malekeh.sthld=20", "malekeh.wait_inclusive=on"},
        {"malekeh.sthld_mode=fixed", "malekeh.sthld=20", "malekeh.wait_counter=sm"},
        {"malekeh.sthld_mode=fixed", "malekeh.sthld=20", "malekeh.wait_clear=any"},
        {"malekeh.sthld_mode=fixed", "malekeh.sthld=5", "malekeh.priority=gto"},
        {"malekeh.sthld_interval=200", "malekeh.sthld_restart=on", "malekeh.sthld_only_drops=on"},
        {"malekeh.sthld_interval=200", "malekeh.sthld_count_idle=on"},
        {"rf.collectors=5", "malekeh.sthld_mode=fixed", "malekeh.sthld=5"},
        {"sm.subcores=1", "rf.collectors=8", "issue.width=2"},
        {"scoreboard.war=off"},
        {"rf.steps=2", "rf.collector_ports=0"},
    };
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
    for (const std::string &trace : {all_traces()[0], all_traces()[1]}) {
        for (const char *preset : presets) {
            for (const auto &pairs : variants) {
                SCOPED_TRACE(trace + " " + preset + " " + *pairs.begin());
                outcome o = run(m, trace, config_of(m, preset, pairs), near_annotator::MIXED);
                EXPECT_EQ("", o.broken);
                EXPECT_EQ(o.run.totals.warp_insts, o.run.stats.warp_insts);
                EXPECT_EQ(0u, o.run.stats.oracle_violations);
                EXPECT_EQ(0u, o.run.stats.oracle_stale_copies);
            }
        }
    }
}

TEST(Malekeh, ResultsOfLockedSourcesOccurOnlyWhereWritesMayOvertakeReads)
{
    for (const std::string &trace : all_traces()) {
        const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
        outcome o = run(m, trace, config_of(m, "rtx2060-paper"), near_annotator::NEAR);
        EXPECT_EQ(0u, o.own.locked_results) << trace;
    }
}

TEST(Malekeh, CutsInTimeChangeNothing)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
    for (const std::string &trace : all_traces()) {
        smrf_config cfg =
            config_of(m, "rtx2060-paper", {"malekeh.sthld_interval=300", "malekeh.sthld=2"});
        outcome whole = run(m, trace, cfg, near_annotator::MIXED);
        EXPECT_GT(whole.rows.size(), 0u) << trace;
        for (uint32_t quantum : {1u, 13u, 300u}) {
            for (uint64_t slice : {uint64_t(77), SMRF_NEVER}) {
                SCOPED_TRACE(trace + " quantum " + std::to_string(quantum) + " slice " +
                             std::to_string(slice));
                cfg.sim.quantum = quantum;
                outcome cut = run(m, trace, cfg, near_annotator::MIXED, slice);
                EXPECT_EQ("", replay::difference(whole.run, cut.run));
                EXPECT_EQ(whole.rows, cut.rows);
                EXPECT_EQ(0, std::memcmp(&whole.own, &cut.own, sizeof whole.own));
            }
        }
    }
}

TEST(Malekeh, TheCheckChangesNoTiming)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-short");
    smrf_config cfg = config_of(m, "rtx2060-paper");
    outcome with = run(m, all_traces()[0], cfg, near_annotator::MIXED);
    cfg.sim.check = 0;
    outcome without = run(m, all_traces()[0], cfg, near_annotator::MIXED);
    EXPECT_EQ(with.run.kernels, without.run.kernels);
    EXPECT_EQ(0, std::memcmp(&with.own, &without.own, sizeof with.own));
    EXPECT_GT(with.run.stats.oracle_checked, without.run.stats.oracle_checked);
}

TEST(Malekeh, EveryWarpKeepsItsOwnUnitUnderPrivate)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-private");
    outcome o = run(m, all_traces()[0], config_of(m, "rtx2060-paper"), near_annotator::NEAR);
    EXPECT_EQ(0u, o.own.flushes + o.own.homeless + o.own.waits + o.own.far_allocations);
    EXPECT_EQ(o.own.allocations, o.own.own_allocations);
    EXPECT_TRUE(o.rows.empty()) << "nobody waits: no STHLD";
}

// A source that is in the cache has been read when its instruction enters: only the first reads,
// from the banks, hold back who writes the register next.
TEST(Malekeh, AHitHoldsNoLaterWriterBack)
{
    smrf_test::temporary_folder folder;
    const std::string trace =
        smrf_test::pattern(folder, {"FFMA R4 R2 R3 R5", "MOV R2 R6"}, 1, 1, 400);
    for (const char *mechanism : {"malekeh-long", "malekeh-short", "malekeh-private"}) {
        SCOPED_TRACE(mechanism);
        const smrf_mechanism &m = *smrf_mechanism_find(mechanism);
        outcome o =
            run(m, trace, config_of(m, "rtx2060-paper", {"gpu.sms=1"}), near_annotator::NEAR);
        EXPECT_GT(o.own.hits, 4 * o.own.misses);
        EXPECT_LT(o.run.stats.stall[SMRF_STALL_war], 4u);
    }
}

TEST(Malekeh, ALongerWaitWaitsMoreAndFlushesLess)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
    uint64_t waits = 0, hits = 0;
    for (const char *sthld : {"malekeh.sthld=0", "malekeh.sthld=8", "malekeh.sthld=64"}) {
        outcome o = run(m, all_traces()[0],
                        config_of(m, "rtx2060-paper", {"malekeh.sthld_mode=fixed", sthld}),
                        near_annotator::NEAR);
        EXPECT_EQ(std::string(sthld) == "malekeh.sthld=0", o.own.waits == 0) << sthld;
        EXPECT_GE(o.own.waits, waits) << sthld;
        EXPECT_GT(o.own.hits, hits) << sthld;
        waits = o.own.waits;
        hits = o.own.hits;
    }
}

TEST(Malekeh, TheWalkListsWhatTheMachineDid)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
    smrf_config cfg = config_of(m, "rtx2060-paper", {"malekeh.sthld_interval=250"});
    outcome o = run(m, all_traces()[0], cfg, near_annotator::NEAR);
    smrf_sthld_config machine{};
    smrf_sthld_default_table(&machine.table, 8, 16, 8);
    machine.threshold = 200;
    machine.max = 64;
    smrf_sthld own;
    ASSERT_EQ(0, smrf_sthld_init(&own, &machine));
    ASSERT_GT(o.rows.size(), 8u);
    uint64_t insts = 0;
    for (const auto &row : o.rows) {
        EXPECT_EQ(0u, row[0] % 250) << "on an edge";
        EXPECT_EQ(row[1] * 1000000 / 250, row[2]) << "IPC";
        EXPECT_EQ(own.value, row[3]);
        EXPECT_EQ(own.state, row[4]);
        smrf_sthld_step(&own, row[1]);
        EXPECT_EQ(own.large, row[5] != 0);
        insts += row[1];
    }
    EXPECT_LE(insts, o.run.stats.thread_insts);
    EXPECT_GT(insts, o.run.stats.thread_insts * 9 / 10);
}

// --- faults: every invariant's check fires

// Break something in the SMs' states between windows, where fault finds something to break: once,
// or again and again, since a flush may come before the look that would see it.
outcome break_it(const std::function<bool(smrf_malekeh &)> &fault,
                 std::initializer_list<const char *> pairs = {}, bool once = false,
                 uint32_t quantum = 16)
{
    const smrf_mechanism &m = *smrf_mechanism_find("malekeh-long");
    smrf_config cfg = config_of(m, "rtx2060-paper", pairs);
    cfg.sim.quantum = quantum;
    bool done = false;
    outcome o = run(m, all_traces()[0], cfg, near_annotator::MIXED, SMRF_NEVER,
                    [&](const smrf_machine *machine) {
                        for (uint32_t i = 0; i < cfg.gpu.sms && !(once && done); i++) {
                            done |=
                                fault(*static_cast<smrf_malekeh *>(machine->mechanism_state[i]));
                        }
                    });
    EXPECT_TRUE(done) << "the fault found its moment";
    return o;
}

bool has(const outcome &o, const char *law)
{
    return o.broken.find(law) != std::string::npos;
}

// A unit without an instruction and with some values.
smrf_ccu *idle_unit(smrf_malekeh &m, int values)
{
    for (unsigned s = 0; s < m.subs; s++) {
        for (unsigned u = 0; u < m.units; u++) {
            smrf_ccu *c = &m.sub[s].ccu[u];
            if (!c->slot_valid && !c->locked && __builtin_popcount(c->valid) >= values) {
                return c;
            }
        }
    }
    return nullptr;
}

TEST(MalekehFault, HealthyRunsBreakNoLaw)
{
    outcome o = break_it([](smrf_malekeh &) { return true; });
    EXPECT_EQ("", o.broken);
    EXPECT_EQ(0u, o.run.stats.oracle_violations + o.run.stats.oracle_stale_copies);
}

TEST(MalekehFault, TwoUnitsOfAWarpAreFound)
{
    // For one window a unit says that it is its neighbour's warp's, then it is put right: the model
    // itself would not get far with it.
    smrf_ccu *wrong = nullptr;
    uint8_t right = 0;
    outcome o = break_it(
        [&](smrf_malekeh &m) {
            if (wrong) {
                wrong->warp = right;
                wrong = nullptr;
            }
            for (unsigned s = 0; s < m.subs && !m.stats.faults_owner && !wrong; s++) {
                smrf_ccu *c = m.sub[s].ccu;
                if (c[0].slot_valid && c[1].slot_valid && !smrf_ccu_probe_ready(&c[1])) {
                    wrong = &c[1];
                    right = c[1].warp;
                    wrong->warp = c[0].warp;
                }
            }
            return wrong != nullptr;
        },
        {}, false, 1);
    EXPECT_TRUE(has(o, "one CCU a warp")) << o.broken;
}

TEST(MalekehFault, TwoEntriesOfARegisterAreFound)
{
    outcome o = break_it([](smrf_malekeh &m) {
        smrf_ccu *c = idle_unit(m, 6);
        if (!c) {
            return false;
        }
        unsigned a = unsigned(__builtin_ctz(c->valid));
        unsigned b = unsigned(__builtin_ctz(c->valid & (c->valid - 1)));
        c->tag[a] = c->tag[b];
        return true;
    });
    EXPECT_TRUE(has(o, "unique tags")) << o.broken;
}

TEST(MalekehFault, ALockWithoutASourceIsFound)
{
    outcome o = break_it([](smrf_malekeh &m) {
        bool any = false;
        for (unsigned s = 0; s < m.subs; s++) {
            for (unsigned u = 0; u < m.units; u++) {
                smrf_ccu *c = &m.sub[s].ccu[u];
                uint32_t open = c->valid & ~c->locked;
                if (c->slot_valid && open) {
                    c->locked |= open;
                    any = true;
                }
            }
        }
        return any;
    });
    EXPECT_TRUE(has(o, "locks")) << o.broken;
}

TEST(MalekehFault, AChangeOfSthldBetweenEdgesIsFound)
{
    outcome o = break_it(
        [](smrf_malekeh &m) {
            m.sthld++;
            return true;
        },
        {"malekeh.sthld_interval=1000"}, true);
    EXPECT_TRUE(has(o, "STHLD edges")) << o.broken;
}

TEST(MalekehFault, AnAlteredCopyIsFoundByTheValueOracle)
{
    outcome o = break_it([](smrf_malekeh &m) {
        smrf_ccu *c = idle_unit(m, 4);
        for (unsigned e = 0; c && e < c->cfg->entries; e++) {
            c->data[e][3] = 0xdead;
        }
        return c != nullptr;
    });
    EXPECT_GT(o.run.stats.oracle_violations, 0u);
}

// A unit that does not look at results: its copies go stale, whether or not they are read again.
bool deaf_write(void *, unsigned, const smrf_flight *, unsigned, const uint32_t *, uint32_t,
                uint64_t)
{
    return false;
}

TEST(MalekehFault, CopiesThatMissAResultAreFoundAtTheWrite)
{
    smrf_collector_seam collector = *smrf_malekeh_long.collector;
    collector.write = deaf_write;
    smrf_mechanism m = smrf_malekeh_long;
    m.collector = &collector;
    outcome o = run(m, all_traces()[0], config_of(m, "rtx2060-paper"), near_annotator::NEAR,
                    SMRF_NEVER, [](const smrf_machine *) {});
    EXPECT_GT(o.run.stats.oracle_stale_copies, 0u);
    EXPECT_GT(o.run.stats.oracle_violations, 0u);
    EXPECT_TRUE(has(o, "write-through")) << o.broken;
}

TEST(MalekehFault, EveryCountOfALawIsWatched)
{
    const struct {
        const char *law;
        uint64_t smrf_malekeh_stats::*counter;
    } cases[] = {
        {"CCU sources", &smrf_malekeh_stats::hits},
        {"CCU operands", &smrf_malekeh_stats::sources},
        {"CCU misses", &smrf_malekeh_stats::misses},
        {"write-through", &smrf_malekeh_stats::results},
        {"fates of results", &smrf_malekeh_stats::filtered},
        {"cache writes", &smrf_malekeh_stats::kept},
        {"CCU allocations", &smrf_malekeh_stats::allocations},
        {"CCU dispatches", &smrf_malekeh_stats::dispatches},
        {"one CCU a warp", &smrf_malekeh_stats::faults_owner},
        {"unique tags", &smrf_malekeh_stats::faults_tags},
        {"locks", &smrf_malekeh_stats::faults_locks},
        {"STHLD edges", &smrf_malekeh_stats::faults_sthld},
    };
    EXPECT_EQ(smrf_malekeh_long.num_laws, std::size(cases)) << "every law is tried";
    for (const auto &c : cases) {
        outcome o = break_it(
            [&](smrf_malekeh &m) {
                m.stats.*c.counter += 1;
                return true;
            },
            {}, true);
        EXPECT_TRUE(has(o, c.law)) << c.law << ": " << o.broken;
    }
}

} // namespace
