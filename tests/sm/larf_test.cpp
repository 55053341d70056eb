// SPDX-License-Identifier: Apache-2.0
// Sharing of loaded registers: against a slow reference on random programs, its times, and what
// finds each way to do it wrongly.
#include "tests/support/larf_run.h"
#include "tests/support/sharing_reference.h"

#include "models/common/smrf_rng.h"

#include <random>

namespace
{

using namespace sm_test;

uint32_t some_lanes(smrf_rng *rng)
{
    const unsigned first = smrf_rng_below(rng, 32), count = 1 + smrf_rng_below(rng, 32 - first);
    const uint32_t run = count == 32 ? UINT32_MAX : ((1u << count) - 1) << first;
    return smrf_rng_below(rng, 4) ? run : smrf_rng_next(rng) | 1u << first;
}

// Loads of one, two and four registers from a few places, whole, shifted, divergent, with strides
// of all kinds; stores that overlap some; atomics, fences, loads past the L1.
step random_access(smrf_rng *rng)
{
    static const int64_t strides[] = {4, 4, 4, 8, 440, -4, 0, -508, 511, 512, 10896, 1 << 30};
    const auto d = uint8_t(smrf_rng_below(rng, 16));
    const auto a = uint8_t(smrf_rng_below(rng, 16));
    const unsigned kind = smrf_rng_below(rng, 40);
    const uint64_t place =
        DATA + 128 * smrf_rng_below(rng, 4) + 4 * smrf_rng_below(rng, 3) * smrf_rng_below(rng, 6);
    if (kind == 0) {
        return {op(SMRF_CLASS_MEMBAR)};
    }
    if (kind < 3) {
        return memory(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, {}, {a, d}, DATA + 4096);
    }
    if (kind < 6) {
        step s = memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, {a, d}, place);
        s.mask = smrf_rng_below(rng, 2) ? 1u << smrf_rng_below(rng, 32) : UINT32_MAX;
        s.stride = strides[smrf_rng_below(rng, 8)];
        return s;
    }
    const unsigned words = kind < 8 ? 4 : kind < 11 ? 2 : 1;
    std::vector<uint8_t> dst;
    for (unsigned i = 0; i < words; i++) {
        dst.push_back(uint8_t(d + i));
    }
    step s = memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, dst, {a}, place);
    s.op.access_bytes = uint8_t(4 * words);
    s.stride = words == 1 ? strides[smrf_rng_below(rng, 12)] : 4 * words;
    if (kind == 11) {
        s.op.flags |= SMRF_INST_BYPASS_L1;
    }
    return s;
}

program random_program(uint32_t seed, unsigned length, bool stores = true)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 4);
    program p;
    while (p.size() < length) {
        const auto d = uint8_t(smrf_rng_below(&rng, 20)), a = uint8_t(smrf_rng_below(&rng, 20));
        step s = smrf_rng_below(&rng, 5) < 2 ? random_access(&rng)
                                             : alu(SMRF_CLASS_INT, {d}, {a, uint8_t((a + 5) % 20)});
        const bool writes = s.op.op_class == SMRF_CLASS_STORE || s.op.op_class == SMRF_CLASS_ATOMIC;
        if (writes && !stores) {
            continue;
        }
        if (smrf_rng_below(&rng, 4) == 0 && !writes) {
            s.mask = some_lanes(&rng);
        }
        if (s.op.op_class != SMRF_CLASS_STORE || smrf_rng_below(&rng, 2)) {
            p.push_back(s);
            continue;
        }
        // A store between two loads of its bytes, whose operands may come sooner.
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {20}, {}, s.address));
        p.push_back(alu(SMRF_CLASS_INT, {a}, {20}));
        p.push_back(s);
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {21}, {}, s.address));
        p.push_back(alu(SMRF_CLASS_INT, {22}, {20, 21}));
    }
    p.push_back(exit_step());
    return p;
}

std::vector<block> random_blocks(unsigned count, unsigned warps, uint32_t seed, bool stores = true)
{
    std::vector<block> all;
    for (unsigned b = 0; b < count; b++) {
        block one;
        for (unsigned w = 0; w < warps; w++) {
            one.push_back(random_program(seed + 50 * b + w, 150, stores));
        }
        all.push_back(one);
    }
    return all;
}

class larf : public larf_run
{
  protected:
    // A wrong run that an audit finds, unless one of the model's own rules has before it.
    template <class Faults> void audited(const smrf_mechanism &mechanism, Faults faults)
    {
        run(config(1), random_blocks(2, 6, 5, false), mechanism, false);
        if (faults()) {
            fprintf(stderr, "audit\n");
            std::abort();
        }
    }
    static constexpr const char *CAUGHT = "audit|model rule broken";
};

// --- against the reference
// ----------------------------------------------------------------------------

TEST_F(larf, DecidesAsTheReferenceOnRandomPrograms)
{
    static const char *const options[] = {"larf.entries=200",     "larf.entries=1",
                                          "larf.entries=0",       "larf.entries=12",
                                          "larf.allocate=lookup", "larf.overwrite=new",
                                          "larf.partial_hits=on", "larf.partial_pending=off"};
    uint64_t shares = 0, merges = 0, waiting = 0, full = 0, pending = 0, invalidated = 0, lanes = 0,
             overtaken = 0;
    for (uint32_t seed = 0; seed < 32; seed++) {
        const smrf_config cfg = config(1u << seed % 2, {options[seed % 8]});
        sharing_reference::mechanism behind;
        behind.reference.most = seed % 8 == 1 ? 1 : seed % 8 == 3 ? 12 : seed % 8 == 2 ? 0 : 200;
        run(cfg, random_blocks(3, 6, 997 * seed), behind.self);
        EXPECT_EQ(0u, d->stats().oracle_violations) << seed;
        EXPECT_EQ(0u, d->stats().oracle_wrong_shares) << seed;
        EXPECT_EQ(behind.reference.shares, self()->stats.perfect_shares);
        EXPECT_EQ(behind.reference.merges, self()->stats.partial_shares);
        EXPECT_EQ(0u, self()->stats.stale_local);
        shares += behind.reference.shares;
        merges += behind.reference.merges;
        waiting += behind.reference.waiting_merges;
        EXPECT_EQ(behind.reference.waiting_merges, self()->stats.pending_merges);
        EXPECT_TRUE(seed % 8 != 7 || behind.reference.waiting_merges == 0);
        full += behind.reference.full;
        pending += self()->stats.pending_shares;
        invalidated += self()->stats.invalidated;
        lanes += self()->stats.lanes_live;
        EXPECT_EQ(seed % 8 == 6, behind.reference.hits > 0);
        overtaken += behind.reference.overtaken;
        EXPECT_EQ(behind.reference.overtaken, self()->stats.overtaking);
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(shares, 80u);
    EXPECT_GT(merges, 10u);
    EXPECT_GT(waiting, 10u);
    EXPECT_GT(full, 100u);
    EXPECT_GT(pending, 30u);
    EXPECT_GT(invalidated, 100u);
    EXPECT_GT(lanes, 10u);
    EXPECT_GT(overtaken, 0u);
}

TEST_F(larf, WithoutItsTableIsTheVirtualRegisterFile)
{
    for (uint32_t seed = 0; seed < 6; seed++) {
        run(config(1 + seed % 2, {"larf.table=off"}), random_blocks(3, 6, 31 * seed));
        const std::vector<issue> without = d->issues;
        EXPECT_EQ(0u, self()->stats.perfect_shares + self()->stats.partial_shares);
        const smrf_config cfg = config(1 + seed % 2);
        std::vector<block> blocks = random_blocks(3, 6, 31 * seed);
        known_program::tell(blocks, facts);
        mechanism_state other(cfg, smrf_virtual_rf);
        dut file(cfg, blocks, REGISTERS, 0, &smrf_virtual_rf, other.get());
        file.run();
        EXPECT_EQ(file.issues, without);
    }
}

TEST_F(larf, SavesAccessesAndRegistersAndTheCheckCostsNoTime)
{
    // Warps that read the same rows, one after the other, and need them for a while.
    program p;
    for (uint8_t row = 0; row < 8; row++) {
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {row}, {20}, DATA + 128 * row));
    }
    for (unsigned n = 0; n < 40; n++) {
        p.push_back(alu(SMRF_CLASS_SP, {uint8_t(8 + n % 4)}, {uint8_t(n % 8), uint8_t(8 + n % 4)}));
    }
    p.push_back(exit_step());
    const std::vector<block> blocks(2, block(4, p));
    smrf_config cfg = config(1);
    run(cfg, blocks);
    const uint64_t end = d->ends.back(), peak = self()->v.stats.peak_registers;
    const uint64_t loads = smrf_ldst_statistics(smrf_sm_ldst(d->sm()))->global_loads;
    EXPECT_EQ(2u * 4 * 8, self()->stats.loads);
    EXPECT_GT(self()->stats.perfect_shares, 40u);
    EXPECT_LT(peak, self()->v.stats.peak_names * 2 / 3);
    cfg.sim.check = false;
    run(cfg, blocks);
    EXPECT_EQ(end, d->ends.back());
    run(config(1, {"larf.table=off"}), blocks);
    EXPECT_GT(smrf_ldst_statistics(smrf_sm_ldst(d->sm()))->global_loads, 3 * loads);
    EXPECT_GT(self()->v.stats.peak_registers, peak);
    EXPECT_GT(d->ends.back(), end);
}

// Registers keep their names until their warp exits, so that loads write over older values.
program partial(bool exits, bool needed = true)
{
    const uint32_t lanes = (1u << 20) - 1;
    program p = {alu(SMRF_CLASS_INT, {1}, {}), alu(SMRF_CLASS_INT, {2}, {})};
    if (exits) {
        p.push_back(exit_step());
        p.back().mask = ~lanes;
    }
    for (const uint8_t reg : {uint8_t(1), uint8_t(2)}) {
        p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {reg}, {}, DATA));
        p.back().mask = lanes;
    }
    p.push_back(alu(SMRF_CLASS_INT, {3}, {1, 2}));
    p.back().mask = exits || !needed ? lanes : UINT32_MAX;
    p.push_back(exit_step());
    return p;
}

TEST_F(larf, LanesThatHaveExitedHoldNothingBackLanesThatWaitDo)
{
    run(config(1, {"larf.release=exit"}), {{partial(true)}});
    EXPECT_EQ(1u, self()->stats.perfect_shares);
    EXPECT_EQ(0u, d->stats().oracle_violations);
    run(config(1, {"larf.release=exit"}), {{partial(false)}});
    EXPECT_EQ(0u, self()->stats.perfect_shares);
    EXPECT_EQ(1u, self()->stats.lanes_live);
    EXPECT_EQ(0u, d->stats().oracle_violations);
}

TEST_F(larf, LanesThatWaitHoldNothingBackThatTheyDoNotNeed)
{
    for (const bool needed : {false, true}) {
        run(config(1), {{partial(false, needed)}});
        EXPECT_EQ(needed ? 0u : 1u, self()->stats.perfect_shares);
        EXPECT_EQ(needed ? 1u : 0u, self()->stats.lanes_live);
        EXPECT_EQ(0u, d->stats().oracle_violations);
    }
}

// A store of a few bytes between two loads of the same row, by each of their lanes and just beside
// them.
TEST_F(larf, AStoreBetweenTwoLoadsTakesTheRegisterOutOfTheTable)
{
    for (int64_t at : {-4, 0, 4, 60, 124, 128}) {
        step store = memory(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, {}, {4}, DATA + uint64_t(at));
        store.mask = 1u << 9;
        const program p = {memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {1}, {}, DATA),
                           alu(SMRF_CLASS_INT, {4}, {1}),
                           store,
                           memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {2}, {}, DATA),
                           alu(SMRF_CLASS_INT, {3}, {1, 2}),
                           exit_step()};
        run(config(1), {{p}});
        const bool overlaps = at >= 0 && at < 128;
        EXPECT_EQ(overlaps ? 0u : 1u, self()->stats.perfect_shares) << at;
        EXPECT_EQ(overlaps ? 1u : 0u, self()->stats.invalidated) << at;
        EXPECT_EQ(0u, self()->stats.stale_local);
    }
}

// --- times
// ---------------------------------------------------------------------------------------------

step load(uint8_t reg, uint64_t address)
{
    return memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {reg}, {}, address);
}

TEST_F(larf, APerfectShareTakesTheLookupAPartialOneTheMissTheReadsAndTheMerge)
{
    const auto wait = [&](const program &p, std::initializer_list<const char *> options) {
        run(config(1, options), {{p}});
        const std::vector<uint64_t> at = d->cycles_of(0);
        return at[p.size() - 3] - at[p.size() - 4]; // from the last load to its use
    };
    // R1 to R3 live to the end.
    const auto with = [](std::vector<step> body) {
        body.push_back(alu(SMRF_CLASS_INT, {9}, {1, 2, 3}));
        body.push_back(exit_step());
        return program(body);
    };
    const program again =
        with({load(1, DATA), load(2, DATA + 512), alu(SMRF_CLASS_INT, {5}, {1, 2}), load(3, DATA),
              alu(SMRF_CLASS_INT, {4}, {3})});
    const program between =
        with({load(1, DATA), load(2, DATA + 128), alu(SMRF_CLASS_INT, {5}, {1, 2}),
              load(3, DATA + 40), alu(SMRF_CLASS_INT, {4}, {3})});
    const uint64_t one = wait(again, {});
    EXPECT_EQ(1u, self()->stats.perfect_shares);
    EXPECT_EQ(one + 6, wait(again, {"larf.lookup_cycles=7"}));
    // The L1 still has what the third load wants.
    wait(between, {});
    EXPECT_EQ(0u, self()->stats.partial_shares);
    // Lines of the same set have driven it out.
    program driven = between;
    for (unsigned n = 1; n < 5; n++) {
        driven.insert(driven.begin() + 2, load(uint8_t(10 + n), DATA + 0x10000 * n));
        driven.insert(driven.begin() + 2, load(uint8_t(14 + n), DATA + 128 + 0x10000 * n));
    }
    for (uint8_t n = 11; n < 19; n++) { // .. and have come before the third load
        driven.insert(driven.end() - 4, alu(SMRF_CLASS_INT, {n}, {n}));
    }
    const uint64_t merged = wait(driven, {});
    EXPECT_EQ(1u, self()->stats.partial_shares);
    const smrf_config cfg = config(1);
    EXPECT_GT(merged, one + cfg.l1d.latency);
    EXPECT_LT(merged, one + cfg.l1d.latency + 20);
    const uint64_t missed = wait(driven, {"larf.partial=off"});
    EXPECT_EQ(0u, self()->stats.partial_shares);
    EXPECT_GT(missed, merged + 100);
}

// A row that lies between two others is asked for while both are on their way, from a memory that
// is slow: it is there a merge after the later of the two, not a memory access after it was asked
// for.
TEST_F(larf, APartialShareWaitsForTheLoadsOfItsParts)
{
    const auto uses = [&](std::initializer_list<const char *> options) {
        const program p = {load(1, DATA),
                           load(2, DATA + 128),
                           load(3, DATA + 40),
                           alu(SMRF_CLASS_INT, {4}, {2}),
                           alu(SMRF_CLASS_INT, {5}, {3}),
                           alu(SMRF_CLASS_INT, {9}, {1, 2, 3}),
                           exit_step()};
        run(config(1, options), {{p}});
        EXPECT_EQ(0u, d->stats().oracle_violations);
        const std::vector<uint64_t> at = d->cycles_of(0);
        return at[4] - at[3]; // from the use of the later part to that of the merge
    };
    const uint64_t merged = uses({});
    EXPECT_EQ(1u, self()->stats.pending_merges);
    EXPECT_EQ(1u, self()->stats.partial_shares);
    EXPECT_GE(merged, uint64_t(SMRF_LARF_MERGE_CYCLES));
    EXPECT_LT(merged, 20u);
    EXPECT_EQ(2u, smrf_ldst_statistics(smrf_sm_ldst(d->sm()))->global_loads);
    uses({"larf.partial_pending=off"});
    EXPECT_EQ(0u, self()->stats.partial_shares);
    EXPECT_EQ(3u, smrf_ldst_statistics(smrf_sm_ldst(d->sm()))->global_loads);
}

// --- seeded faults: each is caught
// ------------------------------------------------------------------------

smrf_larf *of(void *m)
{
    return static_cast<smrf_larf *>(m);
}

struct faulty {
    smrf_rename_seam rename = *smrf_larf_mechanism.rename;
    smrf_memory_seam memory = *smrf_larf_mechanism.memory;
    smrf_mechanism self = smrf_larf_mechanism;
    faulty()
    {
        self.rename = &rename;
        self.memory = &memory;
    }
};

TEST_F(larf, ACountThatIsNotIncrementedIsFound)
{
    faulty f;
    f.memory.address = [](void *m, const smrf_memory_request *r, smrf_memory_answer *answer) {
        const auto verdict = smrf_larf_mechanism.memory->address(m, r, answer);
        if (verdict == SMRF_MEMORY_SHARE) {
            smrf_vrf *v = &of(m)->v;
            smrf_vrf_at(v, r->f->sub, smrf_vrf_number(v, answer->at[0]))->names--;
        }
        return verdict;
    };
    EXPECT_DEATH(audited(f.self, [&] { return self()->v.stats.faults_names; }), CAUGHT);
}

TEST_F(larf, AStoreThatTakesOutItsExactBaseOnlyIsFound)
{
    faulty f;
    f.memory.store = [](void *m, const smrf_memory_request *r) {
        smrf_larf *l = of(m);
        smrf_larf_log_store(l->log, r->inst, r->f->version, r->cycle);
        for (uint32_t i = 0; i < l->table.capacity; i++) {
            smrf_amt_entry *e = &l->table.entry[i];
            if (e->taken && e->bytes.base == r->inst->base) {
                smrf_vrf_at(&l->v, e->sub, e->phys)->listed = false;
                smrf_amt_remove(&l->table, e);
            }
        }
    };
    uint64_t stale = 0;
    for (uint32_t seed = 0; seed < 4; seed++) {
        run(config(1), random_blocks(3, 6, 41 * seed), f.self, false);
        stale += self()->stats.stale_local;
    }
    EXPECT_GT(stale, 0u);
}

TEST_F(larf, ALoadThatOvertakesAStoreOfItsBytesIsFound)
{
    faulty f;
    f.memory.address = [](void *m, const smrf_memory_request *r, smrf_memory_answer *answer) {
        of(m)->num_ahead = 0;
        return smrf_larf_mechanism.memory->address(m, r, answer);
    };
    uint64_t stale = 0;
    for (uint32_t seed = 0; seed < 4; seed++) {
        run(config(1), random_blocks(3, 6, 41 * seed), f.self, false);
        stale += self()->stats.stale_local;
    }
    EXPECT_GT(stale, 0u);
}

TEST_F(larf, AShiftThatIsOffByOneIsFound)
{
    faulty f;
    f.memory.l1 = [](void *m, const smrf_memory_request *r, bool readable,
                     smrf_memory_answer *answer) {
        const auto verdict = smrf_larf_mechanism.memory->l1(m, r, readable, answer);
        smrf_merge_part *part = answer->part[0];
        if (verdict == SMRF_MEMORY_MERGE && part->lanes &&
            part->shift + __builtin_ctz(part->lanes) > 0) {
            part->shift--;
        }
        return verdict;
    };
    uint64_t wrong = 0;
    for (uint32_t seed = 0; seed < 6; seed++) {
        run(config(1), random_blocks(3, 6, 997 * seed, false), f.self, false);
        wrong += d->stats().oracle_violations + d->stats().oracle_wrong_shares;
    }
    EXPECT_GT(wrong, 0u);
}

TEST_F(larf, APendingHitThatIsReleasedEarlyIsFound)
{
    faulty f;
    f.memory.address = [](void *m, const smrf_memory_request *r, smrf_memory_answer *answer) {
        smrf_larf *l = of(m);
        for (uint32_t i = 0; i < l->table.capacity; i++) {
            l->table.entry[i].flight = SMRF_NO_FLIGHT;
        }
        return smrf_larf_mechanism.memory->address(m, r, answer);
    };
    run(config(1), random_blocks(2, 6, 5, false), f.self, false);
    EXPECT_GT(d->stats().oracle_wrong_shares, 0u);
}

TEST_F(larf, AMergeThatIsReleasedBeforeItsPartIsThereIsFound)
{
    faulty f;
    f.memory.l1 = [](void *m, const smrf_memory_request *r, bool readable,
                     smrf_memory_answer *answer) {
        const auto verdict = smrf_larf_mechanism.memory->l1(m, r, readable, answer);
        if (verdict == SMRF_MEMORY_MERGE && answer->delay == SMRF_MEMORY_WAIT) {
            answer->delay = 0;
            of(m)->awaited[r->flight] = UINT8_MAX; // and nobody releases it again
        }
        return verdict;
    };
    uint64_t wrong = 0;
    for (uint32_t seed = 0; seed < 6; seed++) {
        run(config(1), random_blocks(3, 6, 997 * seed, false), f.self, false);
        wrong += d->stats().oracle_violations;
    }
    EXPECT_GT(wrong, 0u);
}

TEST_F(larf, InactiveLanesThatAreOverwrittenAreFound)
{
    faulty f;
    f.memory.address = [](void *m, const smrf_memory_request *r, smrf_memory_answer *answer) {
        smrf_larf *l = of(m);
        for (unsigned i = 0; i < r->f->num_dst; i++) {
            if (smrf_vrf_holds(&l->v, r->f, i)) {
                smrf_vrf_at(&l->v, r->f->sub, smrf_vrf_number(&l->v, r->f->dst[i]))->fresh = true;
            }
        }
        return smrf_larf_mechanism.memory->address(m, r, answer);
    };
    uint64_t wrong = 0;
    for (uint32_t seed = 0; seed < 6; seed++) {
        run(config(1), random_blocks(3, 6, 997 * seed, false), f.self, false);
        wrong += d->stats().oracle_violations;
    }
    EXPECT_GT(wrong, 0u);
}

TEST_F(larf, AnEntryThatOutlivesItsRegisterIsFound)
{
    faulty f;
    f.rename.issued = [](void *m, const smrf_flight *flight, const smrf_inst *inst) {
        of(m)->v.lost = [](void *, unsigned, unsigned) {};
        smrf_larf_mechanism.rename->issued(m, flight, inst);
    };
    EXPECT_DEATH(audited(f.self, [&] { return self()->stats.faults_entries; }), CAUGHT);
}

TEST_F(larf, ARegisterThatIsFreedUnderAReaderIsFound)
{
    faulty f;
    f.rename.issued = [](void *m, const smrf_flight *flight, const smrf_inst *inst) {
        smrf_vrf *v = &of(m)->v;
        const smrf_services own = v->services;
        v->services.readers = [](void *, unsigned, smrf_register_place) { return 0u; };
        smrf_larf_mechanism.rename->issued(m, flight, inst);
        v->services = own;
    };
    run(config(1), random_blocks(2, 6, 5), f.self, false);
    EXPECT_GT(self()->v.stats.faults_freed, 0u);
}

// --- coherence between SMs
// -----------------------------------------------------------------------------------

TEST_F(larf, AStoreOfAnotherSmBetweenALoadAndItsShareIsCounted)
{
    std::vector<smrf_larf_log> logs(2);
    const smrf_config cfg = config(1);
    mechanism_state a(cfg, smrf_larf_mechanism), b(cfg, smrf_larf_mechanism);
    smrf_larf *l[2] = {of(a.get()), of(b.get())};
    smrf_larf_view view[2];
    for (unsigned i = 0; i < 2; i++) {
        view[i] = {l[i]->log, &l[i]->table, &l[i]->stats.stale_local, &l[i]->stats.stale_remote};
    }
    smrf_amt_entry out;
    smrf_amt_entry *e =
        smrf_amt_insert(&l[0]->table, 0, 7, {DATA, 4, UINT32_MAX}, SMRF_NO_FLIGHT, 100, &out);
    smrf_static_inst wide = op(SMRF_CLASS_STORE);
    wide.access_bytes = 4;
    smrf_inst store{};
    store.op = &wide;
    store.mask = 1;
    store.addr_kind = SMRF_ADDR_STRIDE;
    store.base = DATA + 40;
    const auto use = [&](uint64_t cycle) {
        smrf_larf_log_use(l[0]->log, e, e->bytes, uint32_t(cycle), cycle);
    };
    use(110);
    smrf_larf_log_store(l[1]->log, &store, 120, 120);
    use(130);
    store.base = DATA + 128; // beside it
    smrf_larf_log_store(l[1]->log, &store, 140, 140);
    smrf_larf_compare(view, 2);
    EXPECT_EQ(1u, l[0]->stats.stale_remote) << "the use after the store, not that before it";
    use(600);
    smrf_larf_compare(view, 2);
    EXPECT_EQ(2u, l[0]->stats.stale_remote) << "the entry has survived a store, and is remembered";
    EXPECT_EQ(0u, l[0]->stats.stale_local);
    store.base = DATA;
    smrf_larf_log_store(l[0]->log, &store, 700, 700);
    use(710);
    smrf_larf_compare(view, 2);
    EXPECT_EQ(1u, l[0]->stats.stale_local);
}

// Uses of near and far lines, of narrow and wide ones: those that stores meet are counted, lane by
// lane.
TEST_F(larf, AStoreIsComparedWithEveryUseThatItMeets)
{
    const smrf_config cfg = config(1);
    mechanism_state a(cfg, smrf_larf_mechanism), b(cfg, smrf_larf_mechanism);
    smrf_larf *user = of(a.get()), *storer = of(b.get());
    smrf_larf_view view[2] = {
        {user->log, &user->table, &user->stats.stale_local, &user->stats.stale_remote},
        {storer->log, &storer->table, &storer->stats.stale_local, &storer->stats.stale_remote}};
    std::mt19937 rng(7);
    const auto any = [&](std::vector<int> of) { return of[rng() % of.size()]; };
    uint64_t met = 0;
    for (unsigned round = 0; round < 500; round++) {
        smrf_static_inst wide = op(SMRF_CLASS_STORE);
        wide.access_bytes = uint8_t(any({1, 4, 16}));
        smrf_inst store{};
        store.op = &wide;
        store.mask = uint32_t(rng() | 1);
        store.addr_kind = SMRF_ADDR_STRIDE;
        store.base = DATA + rng() % 600000;
        store.stride = any({0, 4, 132, 4096, -4, -8192});
        smrf_larf_log_store(storer->log, &store, 20, 20);
        for (unsigned n = 0; n < 4; n++) {
            smrf_amt_entry e{};
            e.bytes = {store.base + rng() % 3000 - 1500, any({0, 4, 128, 4096, -4}),
                       uint32_t(rng() | 2)};
            e.loaded = 10;
            smrf_larf_log_use(user->log, &e, e.bytes, 1, 30);
            bool meets = false;
            for (unsigned s = 0; s < 32; s++) {
                for (unsigned l = 0; l < 32; l++) {
                    const uint64_t to = smrf_inst_address(&store, s);
                    const uint64_t from = e.bytes.base + l * uint64_t(e.bytes.stride);
                    meets |= store.mask >> s & e.bytes.lanes >> l & 1 &&
                             from < to + wide.access_bytes && to < from + 4;
                }
            }
            met += meets;
        }
        smrf_larf_compare(view, 2);
        ASSERT_EQ(met, user->stats.stale_remote) << "round " << round;
    }
    EXPECT_GT(met, 100u);
    EXPECT_LT(met, 1000u);
}

} // namespace
