// SPDX-License-Identifier: Apache-2.0
// The register file cache: every value where it belongs, every answer as a slow reference has it,
// laws kept, and what goes wrong found.
#include "tests/support/known_program.h"
#include "tests/support/random_warps.h"
#include "tests/support/register_cache_bench.h"
#include "tests/support/rfc_reference.h"

#include "models/rfc/rfc.h"

namespace
{

using namespace sm_test;

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
        const smrf_cached_value *entry;
        const auto where =
            smrf_cached_locate(&rfc->cache.warp[warp].values, inst->op->src[i], inst->mask, &entry);
        if (where == SMRF_CACHED_BOTH) {
            reference->before_its_turn(warp, inst->op->src[i]);
        }
    }
    return smrf_rfc_mechanism.rename->ready(m, warp, inst);
}

uint32_t told_allocate(void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                       uint32_t (*data)[SMRF_LANES], uint32_t *version)
{
    const uint32_t missing = smrf_rfc_mechanism.collector->allocate(m, sub, unit, f, data, version);
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
    if (!(rfc->cache.waits >> warp & 1)) {
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

class rfc : public register_cache_bench<smrf_rfc, smrf_rfc_mechanism>
{
  protected:
    void run(const smrf_config &cfg, std::vector<block> blocks,
             const smrf_mechanism &m = smrf_rfc_mechanism)
    {
        known_program::tell(blocks, facts);
        register_cache_bench::run(cfg, std::move(blocks), m);
    }
    std::vector<block> known_blocks(unsigned warps, uint32_t seed)
    {
        std::vector<block> all = random_blocks(warps, seed);
        known_program::tell(all, facts);
        return all;
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
            expect_right();
            EXPECT_EQ(own().hits, d->stats().cache_hits);
            EXPECT_GT(own().hits, 500u);
            EXPECT_GT(own().split, 5u);
        }
    }
}

TEST_F(rfc, AnswersAsTheReference)
{
    changed_mechanism changed(smrf_rfc_mechanism);
    changed.collector.allocate = told_allocate;
    changed.rename.issued = told_issued;
    changed.rename.ready = told_ready;
    changed.warp.exit = told_exit;
    changed.write.where = told_where;
    changed.write.evict = told_written;
    changed.schedule.demote = told_demote;
    changed.schedule.promote = told_promote;
    changed.m.attach = told_attach;
    for (uint32_t seed = 0; seed < 12; seed++) {
        const bool dead = seed % 3;
        const unsigned entries = 2 + seed % 5;
        const std::string text = "rfc.entries=" + std::to_string(entries);
        reference = std::make_unique<rfc_reference::cache>(entries, dead);
        run(config(seed % 2 ? 1 : 4, {text.c_str(), dead ? "rfc.dead=on" : "rfc.dead=off"}),
            random_blocks(8, 31 * seed), changed.m);
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
    expect_needs_the_order_of_writes_and_reads();
}

TEST_F(rfc, MovesOfWarpsWithoutValuesMayComeLater)
{
    expect_moves_may_come_later<smrf_rfc_stats>();
}

TEST_F(rfc, ValuesAreRightAndLawsHoldOnEveryTrace)
{
    expect_right_on_every_trace<smrf_rfc_stats>([](const smrf_rfc_stats &) { return true; });
}

// --- seeded faults
// ------------------------------------------------------------------------------------

TEST_F(rfc, ADeadBitOnALiveValueIsFound)
{
    run_with_values_that_die_early(known_blocks(8, 5));
}

TEST_F(rfc, AFlushThatSkipsOneIsFound)
{
    run_with_flushes_that_skip_one(known_blocks(12, 5), "RFC flush");
}

TEST_F(rfc, AStaleReadOfABankIsFound)
{
    run_with_stale_reads_of_banks(known_blocks(8, 5), "RFC misses");
}

} // namespace
