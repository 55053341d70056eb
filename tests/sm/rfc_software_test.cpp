// SPDX-License-Identifier: Apache-2.0
// The register file cache that the compiler manages: every value where it belongs, every answer as a
// slow reference has it, laws kept, and what goes wrong found.
#include "../support/mechanism_run.h"
#include "tests/support/mechanism_bench.h"
#include "tests/support/placed_warps.h"
#include "tests/support/places_reference.h"

#include "models/rfc_software/rfc_software.h"

namespace
{

using namespace sm_test;

constexpr unsigned REGISTERS = 24;

class rfc_software : public mechanism_bench<smrf_rfc_software>
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
    void run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &m = smrf_rfc_software_mechanism, bool laws = true)
    {
        mechanism_bench::run(cfg, std::move(blocks), REGISTERS, m, laws);
    }
    static smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
    {
        return two_level(subcores, options);
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
                EXPECT_EQ(0u, d->stats().oracle_violations);
                EXPECT_GT(d->stats().oracle_checked, 1000u);
                EXPECT_EQ("", broken());
                EXPECT_EQ(own().hits, d->stats().cache_hits);
                EXPECT_EQ(own().evicted, d->stats().evictions);
                EXPECT_GT(own().hits, 500u);
                EXPECT_GT(own().spared, 100u);
                EXPECT_EQ(0u, own().resident);
                if (!parted) {
                    EXPECT_EQ(0u, own().violations) << "one path: the compiler is right";
                    EXPECT_LE(own().rescued, 5u) << "lanes that a guard keeps from going on";
                }
            }
        }
    }
}

// Lanes that wait elsewhere in a strand lose it when the warp leaves the list between its instructions.
TEST_F(rfc_software, InterleavedPathsViolateWhatTheCompilerTold)
{
    run(config(4), random_blocks(16, 7, true));
    EXPECT_GT(own().violations, 0u);
    EXPECT_GT(own().rescued, 0u);
    EXPECT_EQ(0u, d->stats().oracle_violations) << "the model mends them";
    run(config(4, {"issue.scheduler=gto"}), random_blocks(16, 7, true));
    EXPECT_EQ(0u, own().violations) << "nobody leaves a list";
}

// --- the mechanism with the reference around it ---------------------------------------------------------

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
    const auto *s = static_cast<const smrf_rfc_software *>(m);
    return (s->active & ~s->leaving) >> warp & 1;
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
    if (gone || static_cast<smrf_rfc_software *>(m)->leaving >> warp & 1) {
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
    smrf_collector_seam collector = *smrf_rfc_software_mechanism.collector;
    smrf_rename_seam rename = *smrf_rfc_software_mechanism.rename;
    smrf_warp_seam life = *smrf_rfc_software_mechanism.warp;
    smrf_write_seam write = *smrf_rfc_software_mechanism.write;
    const smrf_schedule_seam schedule = {told_demote,
                                         smrf_rfc_software_mechanism.schedule->promote};
    smrf_mechanism changed = smrf_rfc_software_mechanism;
    collector.allocate = told_allocate;
    collector.write = told_write;
    rename.issued = told_issued;
    life.exit = told_exit;
    write.keep = told_keep;
    changed.collector = &collector;
    changed.rename = &rename;
    changed.warp = &life;
    changed.write = &write;
    changed.schedule = &schedule;
    for (uint32_t seed = 0; seed < 12; seed++) {
        reference = std::make_unique<places_reference::table>();
        run(config(seed % 2 ? 1 : 4), random_blocks(8, 31 * seed, seed % 3, 1 + seed % 5), changed);
        EXPECT_EQ(std::list<std::string>{}, reference->wrong) << "seed " << seed;
        EXPECT_EQ(own().hits, reference->hits);
        EXPECT_EQ(own().violations, reference->lost);
        EXPECT_EQ(own().spared, reference->spared);
        EXPECT_GT(reference->hits, 500u);
    }
}

TEST_F(rfc_software, WithoutAProgramEverythingIsInTheBanks)
{
    const program p = {alu(SMRF_CLASS_INT, {1}, {}), alu(SMRF_CLASS_INT, {2}, {1}), exit_step()};
    run(config(4), {{p}});
    EXPECT_EQ(0u, own().hits);
    EXPECT_EQ(0u, own().kept);
    EXPECT_EQ(own().by_nobody, 3u);
}

TEST_F(rfc_software, NeedsTheOrderOfWritesAndReads)
{
    const smrf_config cfg = config(1, {"scoreboard.war=off"});
    const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &smrf_rfc_software_mechanism);
    EXPECT_NE(nullptr, smrf_rfc_software_mechanism.check(&setup));
}

TEST_F(rfc_software, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    for (const std::string &trace : replay::all_traces()) {
        for (const char *preset : {"rtx2060-paper", "qv100-accelsim"}) {
            SCOPED_TRACE(trace + " " + preset);
            const auto o = replay::run_mechanism<smrf_rfc_software_stats>(
                smrf_rfc_software_mechanism, trace,
                replay::mechanism_config(smrf_rfc_software_mechanism, preset));
            EXPECT_EQ("", o.broken);
            EXPECT_EQ(0u, o.run.stats.oracle_violations);
            EXPECT_EQ(o.own.by_program > 0, o.own.hits > 0);
        }
    }
}

// --- seeded faults ------------------------------------------------------------------------------------

// What is read behind its strand is not written to its bank.
void dies_early(void *m, const smrf_flight *f, const smrf_inst *inst)
{
    auto *facts = const_cast<smrf_inst_facts *>(f->facts);
    facts->dst_place[0] &= 15;
    smrf_rfc_software_mechanism.rename->issued(m, f, inst);
}

TEST_F(rfc_software, AValueThatItsBankLacksIsFound)
{
    smrf_rename_seam rename = *smrf_rfc_software_mechanism.rename;
    rename.issued = dies_early;
    smrf_mechanism changed = smrf_rfc_software_mechanism;
    changed.rename = &rename;
    run(config(1), random_blocks(8, 5, false), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
}

// One entry is passed over, stays with the warp and is taken away from it unwritten.
bool skips_one(void *m, unsigned warp, uint64_t cycle)
{
    auto &e = static_cast<smrf_rfc_software *>(m)->warp[warp].held;
    const uint8_t left = e.held > 0;
    const smrf_held_value hidden = e.queue[left ? e.held - 1 : 0];
    e.held = uint8_t(e.held - left);
    const bool gone = smrf_rfc_software_mechanism.schedule->demote(m, warp, cycle);
    e.queue[e.held] = hidden;
    e.held = uint8_t(e.held + left);
    return gone;
}

TEST_F(rfc_software, AnEntryThatStaysBehindIsFound)
{
    const smrf_schedule_seam schedule = {skips_one, smrf_rfc_software_mechanism.schedule->promote};
    smrf_mechanism changed = smrf_rfc_software_mechanism;
    changed.schedule = &schedule;
    run(config(1), random_blocks(12, 5, true), changed, false);
    EXPECT_GT(own().faults_resident, 0u);
    EXPECT_NE(std::string::npos, broken().find("RFC flush"));
}

uint32_t reads_the_bank(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                        uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing =
        smrf_rfc_software_mechanism.collector->allocate(m, sub, unit, f, data, version);
    return f->number % 5 ? missing : (1u << f->num_src) - 1;
}

TEST_F(rfc_software, AStaleReadOfABankIsFound)
{
    smrf_collector_seam collector = *smrf_rfc_software_mechanism.collector;
    collector.allocate = reads_the_bank;
    smrf_mechanism changed = smrf_rfc_software_mechanism;
    changed.collector = &collector;
    run(config(1), random_blocks(8, 5, false), changed, false);
    EXPECT_GT(d->stats().oracle_violations, 0u);
    EXPECT_NE(std::string::npos, broken().find("RFC misses"));
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
    smrf_rename_seam rename = *smrf_rfc_software_mechanism.rename;
    rename.issued = crowds;
    smrf_mechanism changed = smrf_rfc_software_mechanism;
    changed.rename = &rename;
    run(config(1), random_blocks(8, 5, false), changed, false);
    EXPECT_GT(own().violations, 0u) << "on one path";
}

} // namespace
