// SPDX-License-Identifier: Apache-2.0
// The register file cache: every value where it belongs, every answer as a slow reference has it, laws
// kept, and what goes wrong found.
#include "../support/mechanism_run.h"
#include "tests/support/known_program.h"
#include "tests/support/mechanism_bench.h"
#include "tests/support/random_warps.h"
#include "tests/support/rfc_reference.h"

#include "models/rfc/rfc.h"

namespace
{

using namespace sm_test;

constexpr unsigned REGISTERS = 24;

std::vector<block> random_blocks(unsigned warps, uint32_t seed)
{
    static const random_warps::shape shape = {20, 150, 11, 9, 12, true};
    return random_warps::blocks(shape, 3, warps, seed, seed % 2);
}

// The mechanism with the reference around it: every seam is told, then the reference.
std::unique_ptr<rfc_reference::cache> reference;
smrf_services inner, outer;

bool told_evict(void *ctx, unsigned sub, smrf_register_place at, uint32_t token)
{
    reference->asked(token % SMRF_MAX_WARPS, token);
    return inner.evict(ctx, sub, at, token);
}

void told_attach(void *m, const smrf_services *s)
{
    inner = outer = *s;
    outer.evict = told_evict;
    smrf_rfc_mechanism.attach(m, &outer);
}

void told_issued(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    reference->issued(f->warp, inst->facts);
    smrf_rfc_mechanism.rename->issued(m, f, inst);
}

bool told_ready(void *m, unsigned warp, const smrf_inst *inst)
{
    const auto *rfc = static_cast<const smrf_rfc *>(m);
    for (unsigned i = 0; i < inst->op->num_src; i++) {
        const smrf_held_value *entry;
        const auto where =
            smrf_held_look(&rfc->warp[warp].entries, inst->op->src[i], inst->mask, &entry);
        if (where == SMRF_HELD_BOTH) {
            reference->before_its_turn(warp, inst->op->src[i]);
        }
    }
    return smrf_rfc_mechanism.rename->ready(m, warp, inst);
}

uint32_t told_allocate(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                       uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing =
        smrf_rfc_mechanism.collector->allocate(m, sub, unit, f, data, version);
    reference->collected(f, missing);
    return missing;
}

smrf_write_verdict told_where(void *m, const smrf_flight *f, unsigned i)
{
    const smrf_write_verdict v = smrf_rfc_mechanism.write->where(m, f, i);
    reference->result(f, i, v == SMRF_WRITE_COPY);
    return v;
}

uint32_t told_written(void *m, unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    const uint32_t lanes = smrf_rfc_mechanism.write->evict(m, sub, token, data, version);
    reference->written(token % SMRF_MAX_WARPS, token);
    return lanes;
}

bool told_demote(void *m, unsigned warp, uint64_t cycle)
{
    const auto *rfc = static_cast<const smrf_rfc *>(m);
    if (!(rfc->split >> warp & 1)) {
        reference->demoting(warp);
    }
    const bool gone = smrf_rfc_mechanism.schedule->demote(m, warp, cycle);
    if (gone) {
        reference->demoted(warp);
    }
    return gone;
}

void told_promote(void *m, unsigned warp, uint64_t cycle)
{
    reference->promoted(warp);
    smrf_rfc_mechanism.schedule->promote(m, warp, cycle);
}

void told_exit(void *m, unsigned warp)
{
    reference->exited(warp);
    smrf_rfc_mechanism.warp->exit(m, warp);
}

class rfc : public mechanism_bench<smrf_rfc>
{
  protected:
    void run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &m = smrf_rfc_mechanism, bool laws = true)
    {
        known_program::tell(blocks, facts);
        mechanism_bench::run(cfg, std::move(blocks), REGISTERS, m, laws);
    }
    static smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
    {
        return two_level(subcores, options);
    }
};

// Sub-cores and the monolithic machine, collectors fed from the issue stage and from latches.
const std::initializer_list<const char *> machines[] = {
    {},
    {"rfc.entries=1"},
    {"rfc.dead=off", "rf.banks=1"},
    {"issue.latches=on", "rf.steps=2"},
    {"issue.active_warps=4", "issue.inner=gto"},
    {"rf.write_per_sector=on", "rfc.entries=16"},
    {"rf.drop_conflicting_writes=on", "rf.l1_hit_writes=off"},
    {"issue.scheduler=gto"},
};

TEST_F(rfc, KeepsEveryValueAndItsLaws)
{
    uint32_t seed = 0;
    for (const auto &options : machines) {
        for (unsigned subcores : {1, 4}) {
            SCOPED_TRACE(seed);
            run(config(subcores, options), random_blocks(12, 1000 * seed++));
            EXPECT_EQ(0u, d->stats().oracle_violations);
            EXPECT_GT(d->stats().oracle_checked, 1000u);
            EXPECT_EQ("", broken());
            EXPECT_EQ(own().hits, d->stats().cache_hits);
            EXPECT_EQ(own().evicted, d->stats().evictions);
            EXPECT_GT(own().hits, 500u);
            EXPECT_GT(own().split, 5u);
            EXPECT_EQ(0u, own().resident);
        }
    }
}

TEST_F(rfc, AnswersAsTheReference)
{
    smrf_collector_seam collector = *smrf_rfc_mechanism.collector;
    smrf_rename_seam rename = *smrf_rfc_mechanism.rename;
    smrf_warp_seam life = *smrf_rfc_mechanism.warp;
    const smrf_write_seam write = {told_where, smrf_rfc_mechanism.write->keep, told_written};
    const smrf_schedule_seam schedule = {told_demote, told_promote};
    smrf_mechanism changed = smrf_rfc_mechanism;
    collector.allocate = told_allocate;
    rename.issued = told_issued;
    rename.ready = told_ready;
    life.exit = told_exit;
    changed.attach = told_attach;
    changed.collector = &collector;
    changed.rename = &rename;
    changed.warp = &life;
    changed.write = &write;
    changed.schedule = &schedule;
    for (uint32_t seed = 0; seed < 12; seed++) {
        const bool dead = seed % 3;
        const unsigned entries = 2 + seed % 5;
        const std::string text = "rfc.entries=" + std::to_string(entries);
        reference = std::make_unique<rfc_reference::cache>(entries, dead);
        run(config(seed % 2 ? 1 : 4, {text.c_str(), dead ? "rfc.dead=on" : "rfc.dead=off"}),
            random_blocks(8, 31 * seed), changed);
        EXPECT_EQ(std::list<std::string>{}, reference->wrong) << "seed " << seed;
        EXPECT_EQ(own().hits, reference->hits);
        EXPECT_EQ(own().dead, reference->died);
        EXPECT_EQ(own().flushed, reference->flushed);
        EXPECT_GT(reference->displaced, 100u);
        EXPECT_GT(own().split, 10u);
        EXPECT_EQ(dead, reference->died > 0);
    }
}

// A warp that waits for memory leaves the list, and what it had is in the banks.
TEST_F(rfc, AWarpThatWaitsForMemoryLeavesNothing)
{
    program p;
    for (uint8_t r = 1; r <= 5; r++) {
        p.push_back(alu(SMRF_CLASS_INT, {r}, {}));
    }
    p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {10}, {1, 2, 3, 4, 5}, 0x4000));
    p.push_back(alu(SMRF_CLASS_INT, {11}, {10}));
    p.push_back(alu(SMRF_CLASS_INT, {12}, {1, 2, 3, 4, 5}));
    p.push_back(exit_step());
    run(config(1), {{p}});
    EXPECT_EQ(1u, own().flushes);
    EXPECT_EQ(5u, own().flushed);
    EXPECT_EQ(5u, own().evicted) << "all five are read later";
    EXPECT_EQ(5u, own().hits) << "the load's";
    EXPECT_EQ(5u, own().misses - 1) << "and then come from the banks, as does what was loaded";
    EXPECT_EQ(0u, d->stats().oracle_violations);
}

TEST_F(rfc, DeadValuesAreNotWrittenBack)
{
    program p;
    for (unsigned n = 0; n < 40; n++) { // each is read once, by the next
        p.push_back(alu(SMRF_CLASS_INT, {uint8_t(n % 20)}, {uint8_t((n + 19) % 20)}));
    }
    p.push_back(exit_step());
    run(config(1), {{p}});
    EXPECT_EQ(0u, own().evicted);
    EXPECT_EQ(39u, own().hits) << "all but the first, which reads what nobody wrote";
    run(config(1, {"rfc.dead=off"}), {{p}});
    EXPECT_EQ(39u, own().evicted) << "the last comes when its warp has left the list";
    EXPECT_EQ(1u, own().direct);
}

TEST_F(rfc, NeedsTheOrderOfWritesAndReads)
{
    const smrf_config cfg = config(1, {"scoreboard.war=off"});
    const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &smrf_rfc_mechanism);
    EXPECT_NE(nullptr, smrf_rfc_mechanism.check(&setup));
}

TEST_F(rfc, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    for (const std::string &trace : replay::all_traces()) {
        for (const char *preset : {"rtx2060-paper", "qv100-accelsim"}) {
            SCOPED_TRACE(trace + " " + preset);
            const auto o = replay::run_mechanism<smrf_rfc_stats>(
                smrf_rfc_mechanism, trace,
                replay::mechanism_config(smrf_rfc_mechanism, preset));
            EXPECT_EQ("", o.broken);
            EXPECT_EQ(0u, o.run.stats.oracle_violations);
            EXPECT_GT(o.own.hits, 0u);
        }
    }
}

// --- seeded faults ------------------------------------------------------------------------------------

void dies_early(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    smrf_inst wrong = *inst;
    const smrf_inst_facts none{};
    wrong.facts = f->number % 7 ? inst->facts : &none;
    smrf_rfc_mechanism.rename->issued(m, f, &wrong);
}

TEST_F(rfc, ADeadBitOnALiveValueIsFound)
{
    smrf_rename_seam rename = *smrf_rfc_mechanism.rename;
    rename.issued = dies_early;
    smrf_mechanism changed = smrf_rfc_mechanism;
    changed.rename = &rename;
    run(config(1), random_blocks(8, 5), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
}

// One entry is passed over, stays with the warp and is taken away from it unwritten.
bool skips_one(void *m, unsigned warp, uint64_t cycle)
{
    auto &e = static_cast<smrf_rfc *>(m)->warp[warp].entries;
    const uint8_t left = e.held > 1;
    const smrf_held_value hidden = e.queue[left ? e.held - 1 : 0];
    e.held = uint8_t(e.held - left);
    const bool gone = smrf_rfc_mechanism.schedule->demote(m, warp, cycle);
    if (left) {
        e.queue[e.held] = hidden;
    }
    e.held = uint8_t(e.held + left);
    return gone;
}

TEST_F(rfc, AFlushThatSkipsOneIsFound)
{
    const smrf_schedule_seam schedule = {skips_one, smrf_rfc_mechanism.schedule->promote};
    smrf_mechanism changed = smrf_rfc_mechanism;
    changed.schedule = &schedule;
    run(config(1), random_blocks(12, 5), changed, false);
    EXPECT_GT(own().faults_resident, 0u);
    EXPECT_NE(std::string::npos, broken().find("RFC flush"));
}

uint32_t reads_the_bank(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                        uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing = smrf_rfc_mechanism.collector->allocate(m, sub, unit, f, data, version);
    return f->number % 5 ? missing : (1u << f->num_src) - 1;
}

TEST_F(rfc, AStaleReadOfABankIsFound)
{
    smrf_collector_seam collector = *smrf_rfc_mechanism.collector;
    collector.allocate = reads_the_bank;
    smrf_mechanism changed = smrf_rfc_mechanism;
    changed.collector = &collector;
    run(config(1), random_blocks(8, 5), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
    EXPECT_NE(std::string::npos, broken().find("RFC misses"));
}

} // namespace
