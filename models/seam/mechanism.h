/* SPDX-License-Identifier: Apache-2.0 */
/* The seams at which a register-file mechanism plugs in, and the registry of mechanisms. The SM
 * calls whatever functions a mechanism fills in; an empty pointer means the baseline's behaviour.
 * Every call names the mechanism's own state, one per SM, allocated by the platform. */
#ifndef SMRF_MECHANISM_H
#define SMRF_MECHANISM_H

#include "flight.h"

#include "models/common/smrf_config.h"
#include "models/common/smrf_rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seam: what a collector unit is. Baseline: an operand collector unit that reads every operand. */
struct smrf_collector_seam {
    /* An instruction enters collector `unit`. Returns the operands (bit i: source i) that must be
     * read from the banks; for every other one the mechanism has written its value to data[i]
     * (32 lanes) and its version to version[i]. */
    uint32_t (*allocate)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f,
                         uint32_t (*data)[SMRF_LANES], uint32_t *version);
    /* Source i has arrived from its bank on port S. */
    void (*arrive)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f, unsigned i,
                   const uint32_t *data, uint32_t version);
    /* The instruction leaves the collector for its execution unit. */
    void (*dispatch)(void *m, unsigned sub, unsigned unit, const struct smrf_flight *f);
    /* Destination i is being written to its bank (port D may take a copy). lanes: written lanes.
     * row: the whole register after the write. */
    void (*write)(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                  const uint32_t *row, uint32_t lanes, uint64_t cycle);
};

/* Seam: which warps the scheduler prefers, and which collector a warp may take. */
struct smrf_allocation_seam {
    /* Warps (bit k of the sub-core) that go before others, after the last issued one. */
    uint64_t (*preferred)(void *m, unsigned sub);
    /* Collector of free_units (bit mask, not empty) for warp slot `warp` of the SM, or -1: wait.
     * Asked once a cycle for the warp that the scheduler has chosen. */
    int (*pick)(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng);
    /* Warps (bit k) that may be considered at all while free_units are free. */
    uint64_t (*eligible)(void *m, unsigned sub, uint32_t free_units);
};

/* Seam: from architectural to physical registers. Baseline: base + register. */
struct smrf_rename_seam {
    /* Physical register (of the sub-core) that a source reads. */
    uint16_t (*source)(void *m, unsigned warp, unsigned reg);
    /* Physical register that a destination writes; may allocate. */
    uint16_t (*destination)(void *m, unsigned warp, unsigned reg);
    /* Can the instruction's destinations be renamed now? Absent: always. */
    bool (*ready)(void *m, unsigned warp, const struct smrf_static_inst *op);
};

/* Seam: a load has its addresses and is about to leave for the memory. Return true if the mechanism
 * satisfies it: no memory access; the destination is usable after `*delay` cycles. Stores are
 * shown too (return value ignored). */
struct smrf_memory_seam {
    bool (*access)(void *m, const struct smrf_flight *f, const struct smrf_inst *inst,
                   uint32_t *delay);
};

/* Seam: calls, returns and the life of a warp. Return value of call and ret: cycles during which
 * the warp cannot issue (a trap, for instance). */
struct smrf_warp_seam {
    void (*start)(void *m, unsigned warp, uint16_t base, uint32_t registers);
    uint32_t (*call)(void *m, unsigned warp, const struct smrf_static_inst *op);
    uint32_t (*ret)(void *m, unsigned warp, const struct smrf_static_inst *op, bool all_returned);
    void (*exit)(void *m, unsigned warp);
};

/* A collector as the energy model sees it; per sub-core. */
struct smrf_energy_shape {
    uint16_t store_words;      /* words of 128 bytes that a collector holds */
    uint16_t crossbar_outputs; /* collectors behind the banks' crossbar */
    bool result_path;          /* results that a collector keeps cross 1 x crossbar_outputs */
    bool hit_copies;           /* a hit is read and written again into the instruction's slot */
    bool tags;                 /* operands and results are looked up */
};

struct smrf_mechanism {
    const char *name;
    const char *summary;
    const char *const *defaults; /* "key=value", NULL-terminated, over the preset's; NULL = none */
    size_t (*bytes)(const struct smrf_config *cfg); /* state of one SM; NULL = stateless */
    int (*init)(void *m, const struct smrf_config *cfg, unsigned sm);
    const struct smrf_collector_seam *collector;
    const struct smrf_allocation_seam *allocation;
    const struct smrf_rename_seam *rename;
    const struct smrf_memory_seam *memory;
    const struct smrf_warp_seam *warp;
    /* Absent: operand collectors, rf.collectors of them. */
    void (*energy_shape)(const struct smrf_config *cfg, struct smrf_energy_shape *shape);
};

/* The registry. index from 0; NULL past the last. */
const struct smrf_mechanism *smrf_mechanism_at(unsigned index);
/* NULL if there is none of that name. */
const struct smrf_mechanism *smrf_mechanism_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
