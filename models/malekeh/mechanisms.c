/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanisms of Malekeh's hardware, what they publish, and what must hold in every run. */
#include "gpu.h"

#include "models/counters/sm_stats.h"
#include "models/seam/mechanism_define.h"

/* --- statistics ----------------------------------------------------------------------------- */

enum index { SMRF_MALEKEH_STATS(SMRF_MECHANISM_INDEX) COUNTERS };
_Static_assert(COUNTERS <= SMRF_MECHANISM_STATS, "raise SMRF_MECHANISM_STATS");

static const struct smrf_mechanism_stat stats[] = {
    {"hit_ratio", "", "hits / sources; sources are distinct source registers", INDEX_hits,
     INDEX_sources},
    {"reads_per_value", "reads", "hits / values: reads of a cached value, mean", INDEX_hits,
     INDEX_values},
    {"named_hit_ratio", "", "named_hits / named_sources: registers named twice count twice",
     INDEX_named_hits, INDEX_named_sources},
    {"write_ratio", "", "kept / results: writes of the cache of all register writes", INDEX_kept,
     INDEX_results},
    SMRF_MALEKEH_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_malekeh *)m)->stats;
}

/* --- laws ----------------------------------------------------------------------------------- */

SMRF_LAW_SIDE(sources_, OWN(sources))
SMRF_LAW_SIDE(hits_and_misses_, OWN(hits) + OWN(misses))
SMRF_LAW_SIDE(operand_reads_, sm->operand_reads)
SMRF_LAW_SIDE(misses_, OWN(misses))
SMRF_LAW_SIDE(bank_reads_, sm->bank_reads)
SMRF_LAW_SIDE(results_, OWN(results))
SMRF_LAW_SIDE(bank_writes_, sm->bank_writes)
SMRF_LAW_SIDE(fates_, OWN(kept) + OWN(filtered) + OWN(port_drops) + OWN(no_room) +
                          OWN(locked_results) + OWN(homeless))
SMRF_LAW_SIDE(kept_, OWN(kept))
SMRF_LAW_SIDE(cache_writes_, sm->cache_writes)
SMRF_LAW_SIDE(allocations_, OWN(allocations))
SMRF_LAW_SIDE(dispatches_, OWN(dispatches))
SMRF_LAW_SIDE(issued_, sm->warp_insts + sm->further_steps)
SMRF_LAW_SIDE(owner_faults_, OWN(faults_owner))
SMRF_LAW_SIDE(tag_faults_, OWN(faults_tags))
SMRF_LAW_SIDE(lock_faults_, OWN(faults_locks))
SMRF_LAW_SIDE(sthld_faults_, OWN(faults_sthld))
SMRF_LAW_SIDE(zero_, 0)

static const struct smrf_mechanism_law laws[] = {
    {"CCU sources", "hits + misses of the CCUs", "distinct source registers", hits_and_misses_,
     operand_reads_},
    {"CCU operands", "sources that entered the CCUs", "hits + misses", sources_, hits_and_misses_},
    {"CCU misses", "misses of the CCUs", "bank reads", misses_, bank_reads_},
    {"write-through", "register writes that the CCUs saw", "bank writes", results_, bank_writes_},
    {"fates of results", "results kept, filtered, dropped, without room, locked, homeless",
     "register writes that the CCUs saw", fates_, results_},
    {"cache writes", "results that the CCUs kept", "cache writes of the SMs", kept_, cache_writes_},
    {"CCU allocations", "instructions that entered a CCU", "issued", allocations_, issued_},
    {"CCU dispatches", "instructions that left a CCU", "that entered one", dispatches_,
     allocations_},
    {"one CCU a warp", "warps found with two CCUs", "none", owner_faults_, zero_},
    {"unique tags", "CCUs found with two entries of a register", "none", tag_faults_, zero_},
    {"locks", "CCUs found with more locks than valid sources", "none", lock_faults_, zero_},
    {"STHLD edges", "changes of STHLD between edges", "none", sthld_faults_, zero_},
};

/* --- the mechanisms ------------------------------------------------------------------------- */

static const struct smrf_collector_seam collector = {
    .allocate = smrf_malekeh_allocate,
    .arrive = smrf_malekeh_arrive,
    .dispatch = smrf_malekeh_dispatch,
    .write = smrf_malekeh_write,
    .copy = smrf_malekeh_copy,
};

static const struct smrf_allocation_seam allocation = {
    .preferred = smrf_malekeh_preferred,
    .pick = smrf_malekeh_pick,
    .eligible = smrf_malekeh_eligible,
    .gives_any = "malekeh.allocation=any",
};

static const struct smrf_warp_seam warp = {
    .start = smrf_malekeh_start,
    .exit = smrf_malekeh_exit,
};

/* Port D is a crossbar of its own: Malekeh (long) III-B, Fig. 4. */
static void energy_shape_(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape)
{
    const struct smrf_malekeh_params *o = setup->options;
    if (o->cache) {
        shape->store_words = (uint16_t)o->ct_entries;
        shape->result_path = true;
        shape->tags = true;
    }
}

/* Fields that all of them have. */
#define MARKS (UINT64_C(15) << INDEX_storage_file)
#define COMMON(reuse)                                                                              \
    .wants_reuse = reuse, .family = &smrf_malekeh_family, .bytes = smrf_malekeh_bytes,             \
    .init = smrf_malekeh_init, .collector = &collector, .allocation = &allocation, .warp = &warp,  \
    .gpu = &smrf_malekeh_gpu_seam, .check = smrf_malekeh_check, .energy_shape = energy_shape_,     \
    .counters = counters_, .marks = MARKS, SMRF_MECHANISM_TABLES

const struct smrf_mechanism smrf_malekeh_long = SMRF_MECHANISM_VARIANT(
    "malekeh-long",
    "caching collector units, policies by near/far reuse, adaptive wait (long paper)", COMMON(true),
    "malekeh.slots=6");
const struct smrf_mechanism smrf_malekeh_short = SMRF_MECHANISM_VARIANT(
    "malekeh-short",
    "the same as the short paper has it: 7 operand slots, residents first, waits one longer",
    COMMON(true), "malekeh.slots=7", "malekeh.priority=resident_first",
    "malekeh.wait_inclusive=on");
const struct smrf_mechanism smrf_malekeh_private = SMRF_MECHANISM_VARIANT(
    "malekeh-private", "malekeh-long with a caching collector unit for every warp", COMMON(true),
    "malekeh.slots=6", "malekeh.allocation=private", "rf.collectors=8");
const struct smrf_mechanism smrf_gto_lru = SMRF_MECHANISM_VARIANT(
    "gto-lru", "the same hardware under traditional policies: GTO, LRU, every result cached",
    COMMON(false), "malekeh.slots=6", "malekeh.replacement=lru", "malekeh.write=all",
    "malekeh.priority=gto", "malekeh.allocation=any");

/* --- the family ------------------------------------------------------------------------------- */

SMRF_MECHANISM_FAMILY_OF_VALUES(smrf_malekeh_family, "malekeh", SMRF_MALEKEH_PARAMS,
                                SMRF_MALEKEH_VALUES, &smrf_malekeh_long, &smrf_malekeh_short,
                                &smrf_malekeh_private, &smrf_gto_lru);
