// SPDX-License-Identifier: Apache-2.0
// The register file cache that the compiler manages: every value where it belongs, every answer as
// a slow reference has it, laws kept, and what goes wrong found.
#include "tests/support/placed_warps.h"
#include "tests/support/places_reference.h"
#include "tests/support/register_cache_bench.h"

#include "models/rfc_software/rfc_software.h"

namespace
{

using namespace sm_test;

class rfc_software : public register_cache_bench<smrf_rfc_software, smrf_rfc_software_mechanism>
{
  protected:
    std::vector<block> random_blocks(unsigned warps, uint32_t seed, bool parted,
                                     unsigned entries = 3)
    {
        std::vector<block> all(3);
        for (unsigned b = 0; b < all.size(); b++) {
            for (unsigned n = 0; n < warps; n++) {
                placed_warps::warp w = placed_warps::make(seed + 100 * b + n, parted);
                placed_warps::tell(w, entries, facts);
                all[b].push_back(w.program);
            }
        }
        return all;
    }
};

const std::initializer_list<const char *> machines[] = {
    {},
    {"rf.banks=1"},
    {"issue.latches=on", "rf.steps=2"},
    {"issue.active_warps=4", "issue.inner=gto"},
    {"rf.write_per_sector=on"},
    {"rf.drop_conflicting_writes=on", "rf.l1_hit_writes=off"},
    {"issue.scheduler=gto"},
};

TEST_F(rfc_software, KeepsEveryValueAndItsLaws)
{
    uint32_t seed = 0;
    for (const auto &options : machines) {
        for (const bool parted : {false, true}) {
            for (unsigned subcores : {1, 4}) {
                SCOPED_TRACE(seed);
                const unsigned entries = 1 + seed % 4;
                run(config(subcores, options), random_blocks(12, 1000 * seed++, parted, entries));
                expect_right();
                EXPECT_EQ(own().hits, d->stats().cache_hits);
                EXPECT_GT(own().hits, 500u);
                EXPECT_GT(own().spared, 100u);
                EXPECT_GT(own().brought, 50u);
                if (!parted) {
                    EXPECT_EQ(0u, own().violations) << "one path: the compiler is right";
                    EXPECT_LE(own().rescued, 5u) << "lanes that a guard keeps from going on";
                }
            }
        }
    }
}

// Lanes that wait elsewhere in a strand lose it when the warp leaves the list between its
// instructions.
TEST_F(rfc_software, InterleavedPathsViolateWhatTheCompilerTold)
{
    run(config(4), random_blocks(16, 7, true));
    EXPECT_GT(own().violations, 0u);
    EXPECT_GT(own().rescued, 0u);
    EXPECT_EQ(0u, d->stats().oracle_violations) << "the model mends them";
    run(config(4, {"issue.scheduler=gto"}), random_blocks(16, 7, true));
    EXPECT_EQ(0u, own().violations) << "nobody leaves a list";
}

// --- the mechanism with the reference around it
// ---------------------------------------------------------

std::unique_ptr<places_reference::table> reference;

void told_issued(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    reference->issued(f);
    smrf_rfc_software_mechanism.rename->issued(m, f, inst);
}

uint32_t told_allocate(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                       uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing =
        smrf_rfc_software_mechanism.collector->allocate(m, sub, unit, f, data, version);
    reference->collected(f, missing);
    return missing;
}

bool on_a_list(const void *m, unsigned warp)
{
    return smrf_register_cache_holds(static_cast<const smrf_register_cache *>(m), warp);
}

void told_arrive(void *m, unsigned sub, unsigned unit, const smrf_flight *f, unsigned i,
                 const uint32_t *data, uint32_t version)
{
    reference->arrived(f, i, on_a_list(m, f->warp));
    smrf_rfc_software_mechanism.collector->arrive(m, sub, unit, f, i, data, version);
}

void told_keep(void *m, const smrf_flight *f, unsigned i, const uint32_t *data, uint32_t lanes,
               uint32_t version)
{
    reference->result(f, i, true, on_a_list(m, f->warp));
    smrf_rfc_software_mechanism.write->keep(m, f, i, data, lanes, version);
}

bool told_write(void *m, unsigned sub, const smrf_flight *f, unsigned i, const uint32_t *row,
                uint32_t lanes, uint64_t cycle)
{
    reference->result(f, i, false, on_a_list(m, f->warp));
    return smrf_rfc_software_mechanism.collector->write(m, sub, f, i, row, lanes, cycle);
}

bool told_demote(void *m, unsigned warp, uint64_t cycle)
{
    const bool gone = smrf_rfc_software_mechanism.schedule->demote(m, warp, cycle);
    if (gone || static_cast<smrf_rfc_software *>(m)->cache.leaving >> warp & 1) {
        reference->emptied(warp);
    }
    return gone;
}

void told_exit(void *m, unsigned warp)
{
    reference->emptied(warp);
    smrf_rfc_software_mechanism.warp->exit(m, warp);
}

TEST_F(rfc_software, AnswersAsTheReference)
{
    changed_mechanism changed(smrf_rfc_software_mechanism);
    changed.collector.allocate = told_allocate;
    changed.collector.arrive = told_arrive;
    changed.collector.write = told_write;
    changed.rename.issued = told_issued;
    changed.warp.exit = told_exit;
    changed.write.keep = told_keep;
    changed.schedule.demote = told_demote;
    for (uint32_t seed = 0; seed < 12; seed++) {
        reference = std::make_unique<places_reference::table>();
        run(config(seed % 2 ? 1 : 4), random_blocks(8, 31 * seed, seed % 3, 1 + seed % 5),
            changed.m);
        EXPECT_EQ(std::list<std::string>{}, reference->wrong) << "seed " << seed;
        EXPECT_EQ(own().hits, reference->hits);
        EXPECT_EQ(own().violations, reference->lost);
        EXPECT_EQ(own().spared, reference->spared);
        EXPECT_GT(reference->hits, 500u);
    }
}

TEST_F(rfc_software, WithoutAProgramEverythingIsInTheBanks)
{
    expect_banks_alone_without_a_program();
}

TEST_F(rfc_software, NeedsTheOrderOfWritesAndReads)
{
    expect_needs_the_order_of_writes_and_reads();
}

TEST_F(rfc_software, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    expect_right_on_every_trace<smrf_rfc_software_stats>(
        [](const smrf_rfc_software_stats &own) { return own.by_program > 0; });
}

// --- seeded faults
// ------------------------------------------------------------------------------------

// What is read behind its strand is not written to its bank.
void dies_early(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    auto *facts = const_cast<smrf_inst_facts *>(f->facts);
    facts->dst_place[0] &= 15;
    smrf_rfc_software_mechanism.rename->issued(m, f, inst);
}

TEST_F(rfc_software, AValueThatItsBankLacksIsFound)
{
    changed_mechanism changed(smrf_rfc_software_mechanism);
    changed.rename.issued = dies_early;
    run(config(1), random_blocks(8, 5, false), changed.m, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
}

TEST_F(rfc_software, AnEntryThatStaysBehindIsFound)
{
    run_with_flushes_that_skip_one(random_blocks(12, 5, true), "RFC flush");
}

TEST_F(rfc_software, AStaleReadOfABankIsFound)
{
    run_with_stale_reads_of_banks(random_blocks(8, 5, false), "RFC misses");
}

// Two results of one strand share an entry while both are needed.
void crowds(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    auto *facts = const_cast<smrf_inst_facts *>(f->facts);
    for (uint8_t &place : facts->dst_place) {
        place = uint8_t(place & 15 ? (place & SMRF_PLACE_ALSO_BANK) | 1 : place);
    }
    smrf_rfc_software_mechanism.rename->issued(m, f, inst);
}

TEST_F(rfc_software, AnEntryGivenTwiceIsFound)
{
    changed_mechanism changed(smrf_rfc_software_mechanism);
    changed.rename.issued = crowds;
    run(config(1), random_blocks(8, 5, false), changed.m, false);
    EXPECT_GT(own().violations, 0u) << "on one path";
}

// Nothing is brought to where it is read again.
void brings_nothing(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    auto *facts = const_cast<smrf_inst_facts *>(f->facts);
    for (uint8_t &place : facts->src_place) {
        place = place & SMRF_PLACE_FROM_BANK ? 0 : place;
    }
    smrf_rfc_software_mechanism.rename->issued(m, f, inst);
}

TEST_F(rfc_software, AnOperandThatIsNotBroughtIsFound)
{
    changed_mechanism changed(smrf_rfc_software_mechanism);
    changed.rename.issued = brings_nothing;
    run(config(1), random_blocks(8, 5, false), changed.m, false);
    EXPECT_EQ(0u, own().brought);
    EXPECT_GT(own().violations, 0u) << "on one path";
}

} // namespace
