// SPDX-License-Identifier: Apache-2.0
// The register file cache that is filled interval by interval: every value where it belongs, every
// answer as a slow reference has it, laws kept, and what goes wrong found.
#include "tests/support/known_program.h"
#include "tests/support/random_warps.h"
#include "tests/support/register_cache_bench.h"

#include "models/ltrf/ltrf.h"

#include <map>
#include <set>

namespace
{

using namespace sm_test;

class ltrf : public register_cache_bench<smrf_ltrf, smrf_ltrf_mechanism>
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
            expect_right();
            EXPECT_GT(own().hits, 5 * own().misses) << "what is missed was under way in some lanes";
            EXPECT_GT(own().fetched, 500u);
        }
    }
}

// --- the mechanism with a reference around it ----------------------------------------------------

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
    const uint32_t missing =
        smrf_ltrf_mechanism.collector->allocate(m, sub, unit, f, data, version);
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
    if (gone || static_cast<smrf_ltrf *>(m)->cache.leaving >> warp & 1) {
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
    changed_mechanism changed(smrf_ltrf_mechanism);
    changed.collector.allocate = told_allocate;
    changed.rename.issued = told_issued;
    changed.warp.exit = told_exit;
    changed.write.keep = told_keep;
    changed.micro.read = told_read;
    changed.schedule.demote = told_demote;
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
        run(config(seed % 2 ? 1 : 4), blocks, changed.m);
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

// What a warp at a barrier were brought would leave with it again, and again, and take others'
// turns.
TEST_F(ltrf, AWarpAtABarrierIsBroughtNothing)
{
    program p;
    for (unsigned n = 0; n < 30; n++) {
        p.push_back(alu(SMRF_CLASS_INT, {uint8_t(1 + n % 5)}, {uint8_t(1 + (n + 1) % 5)}));
        if (n % 6 == 5) {
            p.push_back(alu(SMRF_CLASS_BARRIER, {}, {}));
        }
    }
    p.push_back(exit_step());
    std::vector<block> blocks(1, block(16, p));
    known_program::tell(blocks, facts);
    for (program &one : blocks[0]) {
        part(one, 16, 6, false);
    }
    run(config(1, {"issue.inner=gto"}), blocks);
    EXPECT_LT(own().operations, 16u * 6 * 4) << "a few for every warp and barrier";
    EXPECT_EQ("", broken());
}

TEST_F(ltrf, WithoutAProgramEverythingIsInTheBanks)
{
    expect_banks_alone_without_a_program();
    EXPECT_EQ(0u, own().operations);
}

TEST_F(ltrf, NeedsTheOrderOfWritesAndReads)
{
    expect_needs_the_order_of_writes_and_reads();
}

TEST_F(ltrf, MovesOfWarpsWithoutValuesMayComeLater)
{
    expect_moves_may_come_later<smrf_ltrf_stats>();
}

TEST_F(ltrf, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    expect_right_on_every_trace<smrf_ltrf_stats>(
        [](const smrf_ltrf_stats &own) { return own.by_program > 0; });
}

// --- seeded faults -------------------------------------------------------------------------------

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

TEST_F(ltrf, ADeadBitOnALiveValueIsFound)
{
    run_with_values_that_die_early(random_blocks(8, 5));
}

TEST_F(ltrf, AFlushThatSkipsOneIsFound)
{
    run_with_flushes_that_skip_one(random_blocks(12, 5), "LTRF flush");
}

TEST_F(ltrf, AStaleReadOfABankIsFound)
{
    run_with_stale_reads_of_banks(random_blocks(8, 5), "LTRF banks");
}

} // namespace
