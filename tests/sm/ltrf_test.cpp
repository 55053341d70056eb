// SPDX-License-Identifier: Apache-2.0
// The register file cache that is filled interval by interval: every value where it belongs, every
// answer as a slow reference has it, laws kept, and what goes wrong found.
#include "../support/mechanism_run.h"
#include "tests/support/known_program.h"
#include "tests/support/mechanism_bench.h"
#include "tests/support/random_warps.h"

#include "models/ltrf/ltrf.h"

#include <map>
#include <set>

namespace
{

using namespace sm_test;

constexpr unsigned REGISTERS = 24;

class ltrf : public mechanism_bench<smrf_ltrf>
{
  protected:
    // Straight code, cut where it would name more than `most` registers, and at random.
    void part(program &p, unsigned most, uint32_t seed, bool cut = true)
    {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 31);
        std::set<unsigned> named;
        smrf_program_set *now = nullptr;
        for (size_t n = 0; n < p.size(); n++) {
            std::set<unsigned> sum = named;
            sum.insert(p[n].op.src, p[n].op.src + p[n].op.num_src);
            sum.insert(p[n].op.dst, p[n].op.dst + p[n].op.num_dst);
            if (!now || sum.size() > most || (cut && smrf_rng_below(&rng, 30) == 0)) {
                now = &intervals.emplace_back();
                sum.clear();
                sum.insert(p[n].op.src, p[n].op.src + p[n].op.num_src);
                sum.insert(p[n].op.dst, p[n].op.dst + p[n].op.num_dst);
            }
            named = sum;
            for (unsigned r : named) {
                now->w[r / 64] |= uint64_t{1} << r % 64;
            }
            auto *f = const_cast<smrf_inst_facts *>(p[n].facts);
            f->exact = false;
            f->interval = now;
        }
    }
    std::vector<block> random_blocks(unsigned warps, uint32_t seed, unsigned most = 8)
    {
        static const random_warps::shape shape = {20, 150, 11, 9, 12, true};
        std::vector<block> all = random_warps::blocks(shape, 3, warps, seed, seed % 2);
        known_program::tell(all, facts);
        for (block &b : all) {
            for (program &p : b) {
                part(p, most, seed++);
            }
        }
        return all;
    }
    void run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &m = smrf_ltrf_mechanism, bool laws = true)
    {
        mechanism_bench::run(cfg, std::move(blocks), REGISTERS, m, laws);
    }
    static smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
    {
        return two_level(subcores, options);
    }
    std::list<smrf_program_set> intervals;
};

const std::initializer_list<const char *> machines[] = {
    {},
    {"rf.banks=1", "ltrf.prefetch=1"},
    {"issue.latches=on", "rf.steps=2"},
    {"issue.active_warps=4", "issue.inner=gto", "ltrf.prefetch=16"},
    {"rf.write_per_sector=on"},
    {"rf.drop_conflicting_writes=on", "rf.l1_hit_writes=off"},
    {"issue.scheduler=gto"},
};

TEST_F(ltrf, KeepsEveryValueAndItsLaws)
{
    uint32_t seed = 0;
    for (const auto &options : machines) {
        for (unsigned subcores : {1, 4}) {
            SCOPED_TRACE(seed);
            const unsigned most = 6 + seed % 11;
            run(config(subcores, options), random_blocks(12, 1000 * seed++, most));
            EXPECT_EQ(0u, d->stats().oracle_violations);
            EXPECT_GT(d->stats().oracle_checked, 1000u);
            EXPECT_EQ("", broken());
            EXPECT_EQ(own().evicted, d->stats().evictions);
            EXPECT_GT(own().hits, 5 * own().misses) << "what is missed was under way in some lanes";
            EXPECT_GT(own().fetched, 500u);
            EXPECT_EQ(0u, own().resident);
        }
    }
}

// --- the mechanism with a reference around it -------------------------------------------------------------

// Registers that the cache holds, told by what happens at the seams and by nothing else.
struct reference_t {
    std::map<unsigned, std::set<unsigned>> held; // by warp
    std::map<unsigned, const smrf_program_set *> interval;
    std::set<std::string> wrong;
    uint64_t reads = 0;

    static bool has(const smrf_program_set *set, unsigned reg)
    {
        return set && smrf_program_set_has(set, reg);
    }
    // An instruction issues: its interval is there, and what is not of it has gone.
    void issued(const smrf_flight *f)
    {
        interval[f->warp] = f->facts->interval;
        for (auto r = held[f->warp].begin(); r != held[f->warp].end();) {
            r = has(interval[f->warp], *r) ? std::next(r) : held[f->warp].erase(r);
        }
    }
    void collected(const smrf_flight *f, uint32_t missing)
    {
        for (unsigned i = 0; i < f->num_src && !f->micro; i++) {
            const bool there = held[f->warp].count(f->src_reg[i]) != 0;
            reads++;
            if (there == bool(missing >> i & 1) && f->mask) {
                wrong.insert("read of R" + std::to_string(f->src_reg[i]));
            }
        }
    }
};
std::unique_ptr<reference_t> reference;

void told_issued(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    reference->issued(f);
    smrf_ltrf_mechanism.rename->issued(m, f, inst);
}

uint32_t told_allocate(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                       uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing = smrf_ltrf_mechanism.collector->allocate(m, sub, unit, f, data, version);
    reference->collected(f, missing);
    return missing;
}

void told_read(void *m, const smrf_flight *f, unsigned i, const uint32_t *data, uint32_t version)
{
    reference->held[f->warp].insert(f->src_reg[i]);
    smrf_ltrf_mechanism.micro->read(m, f, i, data, version);
}

void told_keep(void *m, const smrf_flight *f, unsigned i, const uint32_t *data, uint32_t lanes,
               uint32_t version)
{
    reference->held[f->warp].insert(f->dst_reg[i]);
    smrf_ltrf_mechanism.write->keep(m, f, i, data, lanes, version);
}

bool told_demote(void *m, unsigned warp, uint64_t cycle)
{
    const bool gone = smrf_ltrf_mechanism.schedule->demote(m, warp, cycle);
    if (gone || static_cast<smrf_ltrf *>(m)->leaving >> warp & 1) {
        reference->held[warp].clear();
    }
    return gone;
}

void told_exit(void *m, unsigned warp)
{
    reference->held[warp].clear();
    smrf_ltrf_mechanism.warp->exit(m, warp);
}

TEST_F(ltrf, AnswersAsTheReference)
{
    smrf_collector_seam collector = *smrf_ltrf_mechanism.collector;
    smrf_rename_seam rename = *smrf_ltrf_mechanism.rename;
    smrf_warp_seam life = *smrf_ltrf_mechanism.warp;
    smrf_write_seam write = *smrf_ltrf_mechanism.write;
    smrf_micro_seam micro = *smrf_ltrf_mechanism.micro;
    const smrf_schedule_seam schedule = {told_demote, smrf_ltrf_mechanism.schedule->promote};
    smrf_mechanism changed = smrf_ltrf_mechanism;
    collector.allocate = told_allocate;
    rename.issued = told_issued;
    life.exit = told_exit;
    write.keep = told_keep;
    micro.read = told_read;
    changed.collector = &collector;
    changed.rename = &rename;
    changed.warp = &life;
    changed.write = &write;
    changed.micro = &micro;
    changed.schedule = &schedule;
    for (uint32_t seed = 0; seed < 12; seed++) {
        reference = std::make_unique<reference_t>();
        std::vector<block> blocks = random_blocks(8, 31 * seed, 5 + seed);
        for (block &b : blocks) {
            for (program &p : b) {
                for (step &s : p) {
                    s.mask = s.mask ? UINT32_MAX : 0; // lanes are the oracle's business
                }
            }
        }
        run(config(seed % 2 ? 1 : 4), blocks, changed);
        EXPECT_EQ(std::set<std::string>{}, reference->wrong) << "seed " << seed;
        EXPECT_EQ(own().hits + own().misses, reference->reads);
        EXPECT_GT(reference->reads, 500u);
    }
}

// What a warp had is in the banks while it waits for memory, and comes again before it goes on.
TEST_F(ltrf, AWarpThatWaitsForMemoryIsBroughtItsRegistersAgain)
{
    program p;
    for (uint8_t r = 1; r <= 5; r++) {
        p.push_back(alu(SMRF_CLASS_INT, {r}, {}));
    }
    p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {10}, {1, 2, 3, 4, 5}, 0x4000));
    p.push_back(alu(SMRF_CLASS_INT, {11}, {10}));
    p.push_back(alu(SMRF_CLASS_INT, {12}, {1, 2, 3, 4, 5}));
    p.push_back(exit_step());
    known_program::tell(p, facts);
    part(p, 16, 6, false);
    ASSERT_EQ(1u, intervals.size());
    run(config(1), {{p}});
    EXPECT_EQ(2u, own().flushes) << "and at its end";
    EXPECT_EQ(5u, own().evicted);
    EXPECT_EQ(6u, own().fetched) << "these, and what was loaded";
    EXPECT_EQ(11u, own().hits);
    EXPECT_EQ(0u, own().misses);
    EXPECT_EQ(2u, own().intervals) << "begun again";
}

TEST_F(ltrf, WithoutAProgramEverythingIsInTheBanks)
{
    const program p = {alu(SMRF_CLASS_INT, {1}, {}), alu(SMRF_CLASS_INT, {2}, {1}), exit_step()};
    run(config(4), {{p}});
    EXPECT_EQ(0u, own().hits);
    EXPECT_EQ(0u, own().kept);
    EXPECT_EQ(0u, own().operations);
    EXPECT_EQ(own().by_nobody, 3u);
}

TEST_F(ltrf, NeedsTheOrderOfWritesAndReads)
{
    const smrf_config cfg = config(1, {"scoreboard.war=off"});
    const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &smrf_ltrf_mechanism);
    EXPECT_NE(nullptr, smrf_ltrf_mechanism.check(&setup));
}

TEST_F(ltrf, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    for (const std::string &trace : replay::all_traces()) {
        for (const char *preset : {"rtx2060-paper", "qv100-accelsim"}) {
            SCOPED_TRACE(trace + " " + preset);
            const auto o = replay::run_mechanism<smrf_ltrf_stats>(
                smrf_ltrf_mechanism, trace,
                replay::mechanism_config(smrf_ltrf_mechanism, preset));
            EXPECT_EQ("", o.broken);
            EXPECT_EQ(0u, o.run.stats.oracle_violations);
            EXPECT_EQ(o.own.by_program > 0, o.own.hits > 0);
        }
    }
}

// --- seeded faults ------------------------------------------------------------------------------------

TEST_F(ltrf, AnIntervalThatMissesARegisterIsFound)
{
    std::vector<block> blocks = random_blocks(8, 5);
    for (smrf_program_set &set : intervals) {
        set.w[0] &= ~uint64_t{2}; // R1
    }
    run(config(1), blocks, smrf_ltrf_mechanism, false);
    EXPECT_GT(own().uncovered, 0u);
    EXPECT_NE(std::string::npos, broken().find("LTRF intervals"));
}

void dies_early(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    smrf_inst wrong = *inst;
    const smrf_inst_facts none{};
    wrong.facts = f->number % 7 ? inst->facts : &none;
    smrf_ltrf_mechanism.rename->issued(m, f, &wrong);
}

TEST_F(ltrf, ADeadBitOnALiveValueIsFound)
{
    smrf_rename_seam rename = *smrf_ltrf_mechanism.rename;
    rename.issued = dies_early;
    smrf_mechanism changed = smrf_ltrf_mechanism;
    changed.rename = &rename;
    run(config(1), random_blocks(8, 5), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
}

// One value is passed over, stays with the warp and is taken away from it unwritten.
bool skips_one(void *m, unsigned warp, uint64_t cycle)
{
    auto &e = static_cast<smrf_ltrf *>(m)->warp[warp].held;
    const uint8_t left = e.held > 0;
    const smrf_held_value hidden = e.queue[left ? e.held - 1 : 0];
    e.held = uint8_t(e.held - left);
    const bool gone = smrf_ltrf_mechanism.schedule->demote(m, warp, cycle);
    e.queue[e.held] = hidden;
    e.held = uint8_t(e.held + left);
    return gone;
}

TEST_F(ltrf, AFlushThatSkipsOneIsFound)
{
    const smrf_schedule_seam schedule = {skips_one, smrf_ltrf_mechanism.schedule->promote};
    smrf_mechanism changed = smrf_ltrf_mechanism;
    changed.schedule = &schedule;
    run(config(1), random_blocks(12, 5), changed, false);
    EXPECT_GT(own().faults_resident, 0u);
    EXPECT_NE(std::string::npos, broken().find("LTRF flush"));
}

uint32_t reads_the_bank(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                        uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing = smrf_ltrf_mechanism.collector->allocate(m, sub, unit, f, data, version);
    return f->number % 5 ? missing : (1u << f->num_src) - 1;
}

TEST_F(ltrf, AStaleReadOfABankIsFound)
{
    smrf_collector_seam collector = *smrf_ltrf_mechanism.collector;
    collector.allocate = reads_the_bank;
    smrf_mechanism changed = smrf_ltrf_mechanism;
    changed.collector = &collector;
    run(config(1), random_blocks(8, 5), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
    EXPECT_NE(std::string::npos, broken().find("LTRF banks"));
}

} // namespace
