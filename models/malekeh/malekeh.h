/* SPDX-License-Identifier: Apache-2.0 */
/* Malekeh in an SM: the caching collector units of every sub-core, which warp goes first, which CCU
 * a warp gets, and for how long a warp without a CCU waits for one that holds near values (STHLD).
 * In a GPU: the controller that moves STHLD.
 *
 * A warp owns at most one CCU of its sub-core, so that no register has two copies.
 * Source: Malekeh (long) IV-B, Fig. 6; Malekeh (short) 5, 6. */
#ifndef SMRF_MALEKEH_H
#define SMRF_MALEKEH_H

#include "ccu.h"
#include "sthld.h"

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counters of an SM. X(name, unit, "meaning") */
#define SMRF_MALEKEH_STATS(X)                                                                      \
    X(allocations, "instructions", "instructions that entered a CCU")                              \
    X(dispatches, "instructions", "instructions that left a CCU for their unit")                   \
    X(sources, "operands", "distinct source registers of the instructions that entered")           \
    X(hits, "operands", "sources that the cache table held already")                               \
    X(misses, "operands", "sources to be read from the banks")                                     \
    X(values, "values", "values that entered the cache table: read from a bank, or results kept")  \
    X(uncached, "operands",                                                                        \
      "misses that got no entry: more sources than slots or unlocked entries")                     \
    X(wide_instructions, "instructions", "instructions with uncached sources")                     \
    X(named_sources, "operands", "source operands; a register that is named twice counts twice")   \
    X(named_hits, "operands", "sources that the cache table held already")                         \
    X(results, "accesses", "register writes seen")                                                 \
    X(near_results, "accesses", "results annotated near")                                          \
    X(kept, "accesses", "results that a CCU kept: writes of the cache")                            \
    X(kept_read, "accesses", "kept results that were read from the cache before they left it")     \
    X(near_kept, "accesses", "kept results that were near")                                        \
    X(kept_in_place, "accesses", "results kept in an entry that had the register already")         \
    X(filtered, "accesses", "results that the write policy did not keep")                          \
    X(port_drops, "accesses", "results to keep that found port D busy")                            \
    X(no_room, "accesses", "results to keep that found every entry locked")                        \
    X(locked_results, "accesses", "results for a register that the instruction in the CCU reads")  \
    X(homeless, "accesses", "results of warps that no longer have a CCU")                          \
    X(invalidations, "entries",                                                                    \
      "entries dropped because their register was written and the result not kept")                \
    X(flushes, "flushes", "CCUs with values that were emptied because another warp took them")     \
    X(exit_flushes, "flushes", "CCUs with values that were emptied because their warp exited")     \
    X(near_flushed, "values", "near values lost to flushes")                                       \
    X(near_replaced, "values", "near values lost to replacement")                                  \
    X(own_allocations, "allocations", "allocations of the CCU that the warp owned")                \
    X(far_allocations, "allocations",                                                              \
      "allocations to a warp without a CCU, of a CCU without near values")                         \
    X(forced_allocations, "allocations",                                                           \
      "allocations to a warp without a CCU, of a CCU with near values")                            \
    X(waits, "cycles", "cycles in which a warp without a CCU waited for STHLD")                    \
    X(storage_file, "bytes/SM", "storage of the register file")                                    \
    X(storage_values, "bytes/SM", "storage of the cache tables' values")                           \
    X(storage_added, "bytes/SM",                                                                   \
      "storage of values beyond that of the same number of operand collectors with 6 operands")    \
    X(storage_control, "bytes/SM",                                                                 \
      "storage of tags, locks, reuse bits, LRU order and operand indices")                         \
    X(faults_owner, "checks", "checks that found a warp with two CCUs of a sub-core")              \
    X(faults_tags, "checks", "checks that found two entries for one register in a CCU")            \
    X(faults_locks, "checks", "checks that found more locks than valid sources")                   \
    X(faults_sthld, "checks", "checks that found a change of STHLD within an interval")

#define SMRF_MALEKEH_FIELD(name, unit, meaning) uint64_t name;
struct smrf_malekeh_stats {
    SMRF_MALEKEH_STATS(SMRF_MALEKEH_FIELD)
};
#undef SMRF_MALEKEH_FIELD

/* Masks of units: bit u; of warps: bit k (warp slot k x subcores + sub). */
struct smrf_malekeh_sub {
    uint64_t owners;                     /* warps that own a CCU */
    uint64_t with_data;                  /* of them, those whose CCU holds a value */
    uint32_t near;                       /* port R: units that hold a near value */
    uint8_t unit_of[SMRF_MAX_SUB_WARPS]; /* of an owner */
    struct smrf_rng rng;                 /* of the allocator */
    struct smrf_ccu *ccu;                /* [units] */
};

struct smrf_malekeh {
    struct smrf_mechanism_setup setup;
    const struct smrf_malekeh_params *options;
    struct smrf_ccu_config ccu_config;
    struct smrf_malekeh_stats stats;
    uint32_t units, subs, sub_shift;
    uint32_t sthld;                        /* written at the edges only */
    uint32_t waited[SMRF_MAX_SUBCORES];    /* the wait counters; [0] only, if there is one an SM */
    uint64_t waited_at[SMRF_MAX_SUBCORES]; /* cycle of their last step */
    struct smrf_malekeh_sub sub[SMRF_MAX_SUBCORES];
};

/* The GPU's part. */
struct smrf_malekeh_gpu {
    struct smrf_mechanism_setup setup;
    const struct smrf_malekeh_params *options;
    struct smrf_sthld_config config;
    struct smrf_sthld sthld;
    uint64_t launches; /* begun before the last edge */
};

/* --- one SM, as the seams see it (mechanisms.c fills them in) --------------------------------- */

size_t smrf_malekeh_bytes(const struct smrf_mechanism_setup *setup);
int smrf_malekeh_init(void *m, const struct smrf_mechanism_setup *setup, unsigned sm);
/* What keeps the mechanism from running in this configuration, NULL: nothing. */
const char *smrf_malekeh_check(const struct smrf_mechanism_setup *setup);

uint64_t smrf_malekeh_preferred(void *m, unsigned sub);
uint64_t smrf_malekeh_eligible(void *m, unsigned sub, uint32_t free_units, uint64_t ready);
int smrf_malekeh_pick(void *m, unsigned sub, unsigned warp, uint32_t free_units,
                      struct smrf_rng *rng, uint64_t cycle);

uint32_t smrf_malekeh_allocate(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                               uint32_t (*data)[SMRF_LANES], uint32_t *version);
void smrf_malekeh_arrive(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                         unsigned i, const uint32_t *data, uint32_t version);
void smrf_malekeh_dispatch(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f);
bool smrf_malekeh_write(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                        const uint32_t *row, uint32_t lanes, uint64_t cycle);
const uint32_t *smrf_malekeh_copy(const void *m, unsigned sub, unsigned warp, unsigned reg);

void smrf_malekeh_start(void *m, unsigned warp, uint16_t base, uint32_t registers);
void smrf_malekeh_exit(void *m, unsigned warp);

/* The mechanisms, which differ in their defaults only. */
extern const struct smrf_mechanism smrf_malekeh_long, smrf_malekeh_short, smrf_malekeh_private,
    smrf_gto_lru;
extern const struct smrf_family smrf_malekeh_family;

#ifdef __cplusplus
}
#endif

#endif
