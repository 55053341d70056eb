/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual register file: a warp's register gets a physical one when it is first named. Several
 * names may mean one physical register. It is free when no name means it and no read or write of it
 * is pending. Source: LARF 3 (baseline register mapping); Jeon et al., GPGPU Register File
 * Virtualization, MICRO 2015 (allocation, release at death, throttling).
 *
 * Throttling cannot deadlock. It follows the banker's rule with thread blocks as customers, because
 * the warps of a block wait for each other at barriers. For every sub-core, free counts the
 * registers without a name, including pinned ones. need(b) counts what the warps of block b can
 * still demand: all registers that they may name (ended warps included), minus the physical
 * registers that only one of them names. The invariant is
 *     need(oldest) <= free (1)
 * - A younger block gets a new register only if (1) holds afterwards. A warp of the oldest block
 *   gets one at once: need and free shrink by one.
 * - When a register loses its last name, free grows by one; need also grows by one if the name was
 *   the oldest block's.
 * - When names of several warps come to mean a register, need grows by one. This happens when a
 *   load shares it; the load's own new register becomes free, so free grows by one, too.
 * - When the oldest block ends, all that it could demand is free, and no block can demand more.
 *   (If need left out ended warps, younger blocks could keep what these give back.)
 * So the oldest block only waits for registers that are pinned by a read or a result in flight, and
 * these do not wait for registers: the block ends, and the next one becomes the oldest. */
#ifndef SMRF_LARF_RENAMING_H
#define SMRF_LARF_RENAMING_H

#include "larf_params.h"

#include "models/common/smrf_program.h"
#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_VRF_WORDS 4 /* of a set of a warp's registers */

#define SMRF_VRF_STATS(X)                                                                          \
    X(allocated, "registers", "physical registers taken")                                          \
    X(freed, "registers", "registers freed again")                                                 \
    X(named, "names", "architectural registers that were mapped to a physical one")                \
    X(unnamed, "names", "mappings that ended")                                                     \
    X(released, "names", "mappings that ended because the value is not read again")                \
    X(overwritten, "results",                                                                      \
      "results written into the same physical register as the value before")                       \
    X(carried, "results",                                                                          \
      "results of some lanes that got a new register; the old values of the other lanes "          \
      "were copied into it")                                                                       \
    X(throttled, "times", "times that a warp's next instruction got no register")                  \
    X(by_program, "instructions",                                                                  \
      "instructions whose dead registers come from the analysis of the program")                   \
    X(by_lookahead, "instructions",                                                                \
      "instructions whose dead registers come from an exact look ahead in the trace")              \
    X(by_nobody, "instructions", "instructions whose dead registers are unknown")                  \
    X(peak_registers, "registers", "most physical registers in use at once, in the fullest SM")    \
    X(peak_names, "names", "most mappings at once; without sharing, each would need a register")   \
    X(peak_demand, "registers",                                                                    \
      "most registers that the resident warps can name; without renaming, these are allocated")    \
    X(peak_blocks, "blocks", "most thread blocks resident in an SM")                               \
    X(faults_freed, "registers", "registers freed before their last read")                         \
    X(faults_names, "audits",                                                                      \
      "audits (sim.check, one a warp) that found another number of mappings than the registers "   \
      "count")

#define SMRF_VRF_FIELD(name, unit, meaning) uint64_t name;
struct smrf_vrf_stats {
    SMRF_VRF_STATS(SMRF_VRF_FIELD)
};
#undef SMRF_VRF_FIELD

struct smrf_vrf_register {
    uint16_t names; /* of warps' registers that mean it */
    uint16_t pins;  /* results that are on their way to it, or that merge from it */
    uint16_t next;  /* free: of its bank */
    uint8_t warp;   /* whose names these are */
    bool mixed;     /* several warps have had names of it */
    bool free;
    bool reserved; /* kept for a load that has not been looked up, and not yet in use */
    bool fresh;    /* taken by its last writer, which left no older lanes in it */
    bool listed;   /* report when its value is freed */
};

struct smrf_vrf_warp {
    uint16_t phys[256]; /* of an architectural register, SMRF_PHYS_NONE: none */
    uint64_t mapped[SMRF_VRF_WORDS];
    uint32_t lanes;    /* that have executed something and have not exited */
    uint16_t alone;    /* registers that only this warp names */
    uint16_t unmerged; /* destinations of its next instruction: see smrf_inst_facts.unmerged_dst */
    uint8_t block;     /* slot */
};

struct smrf_vrf_block {
    uint64_t warps;
    uint32_t need[SMRF_MAX_SUBCORES];
};

struct smrf_vrf_sub {
    uint16_t head[SMRF_MAX_BANKS]; /* free registers of a bank */
    uint16_t count[SMRF_MAX_BANKS];
    uint32_t free, dying; /* without names: free now; when their last read or result is done */
    uint64_t waiting;     /* warps that were refused registers */
};

struct smrf_vrf {
    struct smrf_larf_params options;
    struct smrf_rf_params rf;
    struct smrf_sm_params sm;
    struct smrf_services services;
    /* A listed register has lost its value: the last name is gone, or it is written. */
    void (*lost)(void *ctx, unsigned sub, unsigned phys);
    void *ctx;
    uint64_t banks_reciprocal; /* for smrf_place_turned() */
    bool audited;              /* sim.check: count the names again at every exit */
    uint32_t physical;         /* registers of a sub-core */
    bool ordered;              /* the compiler's control bits order a warp's reads and writes */
    uint32_t demand;           /* registers that a warp of the present kernel may name */
    uint32_t in_use, names, resident_warps, blocks;
    uint8_t order[SMRF_MAX_BLOCKS]; /* slots of resident blocks, the oldest first */
    struct smrf_vrf_block block[SMRF_MAX_BLOCKS];
    struct smrf_vrf_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_vrf_warp warp[SMRF_MAX_WARPS];
    struct smrf_vrf_register *reg; /* [subcores * physical], the owner's */
    struct smrf_vrf_stats stats;   /* last: a mechanism's own follow */
};

/* Physical registers of a sub-core, and bytes for all of an SM's. */
uint32_t smrf_vrf_physical(const struct smrf_mechanism_setup *setup,
                           const struct smrf_larf_params *options);
size_t smrf_vrf_bytes(const struct smrf_mechanism_setup *setup,
                      const struct smrf_larf_params *options);
/* reg is set by the owner before. */
void smrf_vrf_init(struct smrf_vrf *v, const struct smrf_mechanism_setup *setup,
                   const struct smrf_larf_params *options);

static inline struct smrf_vrf_register *smrf_vrf_at(struct smrf_vrf *v, unsigned sub, unsigned phys)
{
    return &v->reg[sub * v->physical + phys];
}

static inline struct smrf_register_place smrf_vrf_place(const struct smrf_vrf *v, unsigned phys)
{
    return smrf_place_turned(v->rf.banks, v->banks_reciprocal, 0, phys, phys);
}

static inline unsigned smrf_vrf_number(const struct smrf_vrf *v, struct smrf_register_place at)
{
    return at.row * v->rf.banks + at.bank;
}

/* --- seams, of a mechanism whose state begins with a struct smrf_vrf -------------------------- */

void smrf_vrf_attach(void *m, const struct smrf_services *services);
/* Registers of a thread that count for a kernel's occupancy; of a block that the file cannot hold:
 * too many for any SM. */
uint32_t smrf_vrf_registers(void *m, const struct smrf_sm_kernel *kernel);
void smrf_vrf_placed(void *m, const struct smrf_block_record *block);
void smrf_vrf_finished(void *m, const struct smrf_block_record *block);
void smrf_vrf_start(void *m, unsigned warp, uint16_t base, uint32_t registers);
void smrf_vrf_exit(void *m, unsigned warp);
bool smrf_vrf_ready(void *m, unsigned warp, const struct smrf_inst *inst);
struct smrf_register_place smrf_vrf_source(void *m, const struct smrf_flight *f, unsigned i);
struct smrf_register_place smrf_vrf_destination(void *m, const struct smrf_flight *f, unsigned i,
                                                struct smrf_register_place *carry);
void smrf_vrf_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst);
void smrf_vrf_written(void *m, const struct smrf_flight *f, unsigned reg);
void smrf_vrf_last_read(void *m, unsigned sub, struct smrf_register_place at);
struct smrf_register_place smrf_vrf_probe(const void *m, unsigned warp, unsigned reg);

/* --- sharing ---------------------------------------------------------------------------------- */

/* Does destination i of a load still mean the register that it was given? */
bool smrf_vrf_holds(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i);
/* And does no older value live on in the lanes that it does not write? */
bool smrf_vrf_replaceable(const struct smrf_vrf *v, const struct smrf_flight *f, unsigned i);
/* Destination i of a load means physical register phys from here on. Returns where that lies. */
struct smrf_register_place smrf_vrf_share(struct smrf_vrf *v, const struct smrf_flight *f,
                                          unsigned i, unsigned phys);
/* Destination i of a load, which was only reserved, is in use. */
void smrf_vrf_use(struct smrf_vrf *v, const struct smrf_flight *f, unsigned i);
/* Keep a register, named or not, until it is unpinned as often. */
void smrf_vrf_pin(struct smrf_vrf *v, unsigned sub, unsigned phys);
void smrf_vrf_unpin(struct smrf_vrf *v, unsigned sub, unsigned phys);

#ifdef __cplusplus
}
#endif

#endif
