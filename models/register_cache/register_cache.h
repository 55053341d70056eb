/* SPDX-License-Identifier: Apache-2.0 */
/* What the register file caches beside a two-level scheduler have in common. Values of the warps on
 * the active list are in the cache, and are newer than those in the banks. They are written to
 * their banks through the banks' ports, all of them before their warp leaves the list. Every
 * register has its place in the banks as in the baseline. The mechanism decides which values are
 * cached and when one is evicted. Its state begins with a struct smrf_register_cache, its list of
 * counters with SMRF_REGISTER_CACHE_STATS, so that functions that need nothing else are here. */
#ifndef SMRF_REGISTER_CACHE_H
#define SMRF_REGISTER_CACHE_H

#include "cached_values.h"

#include "models/seam/mechanism_define.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_REGISTER_CACHE_STATS(X)                                                               \
    X(sources, "operands", "distinct source registers of collected instructions and operations")   \
    X(hits, "operands", "operands of instructions, read from the cache")                           \
    X(misses, "operands", "operands of instructions, read from the banks")                         \
    X(kept, "results", "results written to the cache")                                             \
    X(direct, "results", "results written to their banks at once")                                 \
    X(overwritten, "results", "results that a newer result of the same register replaced")         \
    X(evicted, "results", "results written back to their banks")                                   \
    X(outdated, "results", "results that reached their bank after a newer value")                  \
    X(ended, "results", "results that were in the cache when their warp ended")                    \
    X(resident, "results", "results in the cache at the end of the run")                           \
    X(by_program, "instructions", "instructions that the analysis of the program covers")          \
    X(by_nobody, "instructions", "instructions for which no analysis exists")                      \
    X(faults_resident, "times", "times that a warp with values joined the active list")

#define SMRF_REGISTER_CACHE_FIELD(name, unit, meaning) uint64_t name;

struct smrf_cached_warp {
    struct smrf_cached_values values;
    struct smrf_program_set live; /* after its last instruction */
    bool known;                   /* whether the program's analysis knows it */
    uint16_t base;                /* physical register of its R0 */
    uint32_t registers;           /* that it has */
};

struct smrf_register_cache {
    struct smrf_mechanism_setup setup;
    struct smrf_services services;
    uint64_t *count;  /* the mechanism's counters, in the order of its list */
    uint64_t active;  /* bit w: warp w is on the active list */
    uint64_t holding; /* bit w: warp w has values, cached or on their way to a bank */
    uint64_t leaving; /* bit w: warp w is about to leave the active list */
    uint64_t waits;   /* its next instruction waits for values to come or go */
    uint64_t late;    /* bit s: of sub-core s: moves of warps may be made later than they happen */
    uint32_t tokens;
    struct smrf_cached_warp warp[SMRF_MAX_WARPS];
};

static inline uint64_t smrf_cached_bit(unsigned warp)
{
    return UINT64_C(1) << warp;
}

extern const char *const smrf_register_cache_defaults[]; /* of struct smrf_mechanism */

/* Functions of seams and of struct smrf_mechanism, which have the state of a whole mechanism. */
const char *smrf_register_cache_check(const struct smrf_mechanism_setup *setup);
void smrf_register_cache_attach(void *state, const struct smrf_services *services);
const uint64_t *smrf_register_cache_counters(const void *state);
void smrf_register_cache_last_read(void *state, unsigned sub, struct smrf_register_place at);
uint32_t smrf_register_cache_evict(void *state, unsigned sub, uint32_t token, uint32_t *data,
                                   uint32_t *version);
void smrf_register_cache_start(void *state, unsigned warp, uint16_t base, uint32_t registers);
void smrf_register_cache_promote(void *state, unsigned warp, uint64_t cycle);

/* All bytes of *state, of which `count` is a part, are 0 but for what is set here. Returns 0 or
 * SMRF_ERR_INVAL. */
int smrf_register_cache_init(void *state, size_t bytes, const struct smrf_mechanism_setup *setup,
                             uint64_t *count);

/* A warp has exited, with `results` results that count as resident. */
void smrf_register_cache_exit(struct smrf_register_cache *c, unsigned warp, uint64_t results);

/* An instruction has issued: what is known after it. */
void smrf_register_cache_issued(struct smrf_register_cache *c, const struct smrf_flight *f,
                                const struct smrf_inst_facts *facts);

/* What waited for a value may go on. */
void smrf_register_cache_wake(struct smrf_register_cache *c, unsigned warp);

/* A warp ceases to move freely, or something depends on where it is. */
static inline void smrf_register_cache_settle(struct smrf_register_cache *c, unsigned warp)
{
    const uint64_t bit = UINT64_C(1) << (warp & (c->setup.sm.subcores - 1));
    if (c->late & bit) {
        c->late &= ~bit;
        c->services.settle_lists(c->services.ctx, warp);
    }
}

/* Has none of the warps (bit k of the sub-core) anything cached that would have to leave before it?
 * bound: warps (bit w) that do not move freely for reasons of the mechanism's own. */
bool smrf_register_cache_move_freely(struct smrf_register_cache *c, unsigned sub, uint64_t warps,
                                     uint64_t bound);

/* As smrf_cached_put and smrf_cached_drop, of a warp. */
bool smrf_register_cache_put(struct smrf_register_cache *c, unsigned warp,
                             const struct smrf_cached_result *put, const uint32_t *data);
void smrf_register_cache_drop(struct smrf_register_cache *c, unsigned warp, unsigned n);

/* May results go to the cache? */
bool smrf_register_cache_holds(const struct smrf_register_cache *c, unsigned warp);

/* The n-th of a warp's queue goes to its bank; stays: and is kept. */
void smrf_register_cache_leave(struct smrf_register_cache *c, unsigned warp, unsigned n,
                               bool stays);

/* Is the value dead? An instruction that has issued may still have to collect it. Precondition: the
 * mechanism gets reports of last reads, so that readers are counted. */
bool smrf_register_cache_is_dead(const struct smrf_register_cache *c, unsigned warp,
                                 const struct smrf_cached_value *v);

/* Sources of which the bank has some lanes and the cache others. Returns their number. */
unsigned smrf_register_cache_parted(const struct smrf_register_cache *c, unsigned warp,
                                    const struct smrf_inst *inst, uint8_t reg[SMRF_MAX_SRC]);

/* Sources of an instruction that are the cache's in all their lanes: their values. Returns the
 * others, as the collector seam does. */
uint32_t smrf_register_cache_collect(const struct smrf_register_cache *c,
                                     const struct smrf_flight *f, uint32_t (*data)[SMRF_LANES],
                                     uint32_t *version);

/* Nothing of a warp is left, neither cached nor on its way to a bank: it may leave the list. */
bool smrf_register_cache_gone(struct smrf_register_cache *c, unsigned warp);

/* Sides of laws, and the laws that all of them have. */
struct smrf_sm_stats;
#define SMRF_REGISTER_CACHE_SIDE(name)                                                             \
    uint64_t smrf_register_cache_##name(const uint64_t *own, const struct smrf_sm_stats *sm)
SMRF_REGISTER_CACHE_SIDE(law_none);
SMRF_REGISTER_CACHE_SIDE(law_sources);
SMRF_REGISTER_CACHE_SIDE(law_operand_reads);
SMRF_REGISTER_CACHE_SIDE(law_hits_and_misses);
SMRF_REGISTER_CACHE_SIDE(law_misses);
SMRF_REGISTER_CACHE_SIDE(law_bank_reads);
SMRF_REGISTER_CACHE_SIDE(law_kept);
SMRF_REGISTER_CACHE_SIDE(law_direct_and_evicted);
SMRF_REGISTER_CACHE_SIDE(law_bank_writes);
SMRF_REGISTER_CACHE_SIDE(law_resident);
SMRF_REGISTER_CACHE_SIDE(law_faults_resident);
#undef SMRF_REGISTER_CACHE_SIDE

#define SMRF_REGISTER_CACHE_LAWS(name)                                                             \
    {name " sources", "sources of what was collected", "operands read",                            \
     smrf_register_cache_law_sources, smrf_register_cache_law_operand_reads},                      \
        {name " writes", "results that went to their banks at once + evicted", "bank writes",      \
         smrf_register_cache_law_direct_and_evicted, smrf_register_cache_law_bank_writes},         \
        {name " flush", "warps that came to the active list with values", "none",                  \
         smrf_register_cache_law_faults_resident, smrf_register_cache_law_none},                   \
    {                                                                                              \
        name " end", "results in the cache", "none", smrf_register_cache_law_resident,             \
            smrf_register_cache_law_none                                                           \
    }

/* Laws for mechanisms in which only instructions read. */
#define SMRF_REGISTER_CACHE_READ_LAWS(name)                                                        \
    {name " reads", "sources of collected instructions", "hits + misses",                          \
     smrf_register_cache_law_sources, smrf_register_cache_law_hits_and_misses},                    \
    {                                                                                              \
        name " misses", "misses", "bank reads", smrf_register_cache_law_misses,                    \
            smrf_register_cache_law_bank_reads                                                     \
    }

/* What its energy shape is: with tags or not, fills + 1 of the counters (0: none). */
#define SMRF_REGISTER_CACHE_ENERGY(has_tags, counter)                                              \
    static void energy_shape_(const struct smrf_mechanism_setup *setup,                            \
                              struct smrf_energy_shape *shape)                                     \
    {                                                                                              \
        (void)setup;                                                                               \
        shape->tags = has_tags;                                                                    \
        shape->fills = counter;                                                                    \
    }

/* Fields of struct smrf_mechanism that all of them have: functions, seams and tables under these
 * names in the mechanism's file. The state's counters are in `stats`. */
#define SMRF_REGISTER_CACHE_MECHANISM                                                              \
    .wants_program = true, .defaults = smrf_register_cache_defaults, .bytes = bytes_,              \
    .init = init_, .attach = smrf_register_cache_attach, .check = smrf_register_cache_check,       \
    .counters = smrf_register_cache_counters, .collector = &collector, .rename = &rename,          \
    .write = &write, .warp = &warp, .schedule = &schedule, .energy_shape = energy_shape_,          \
    SMRF_MECHANISM_TABLES

#ifdef __cplusplus
}
#endif

#endif
