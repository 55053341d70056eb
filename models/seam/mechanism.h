/* SPDX-License-Identifier: Apache-2.0 */
/* The seams at which a register-file mechanism plugs in. The SM calls whatever functions a mechanism
 * fills in; an empty pointer means the baseline's behaviour.
 * Every call names the mechanism's own state, one per SM, allocated by the platform. */
#ifndef SMRF_MECHANISM_H
#define SMRF_MECHANISM_H

#include "front_seams.h"

#include "models/common/gpu_params.h"
#include "models/common/sim_params.h"
#include "models/common/sm_params.h"
#include "models/common/smrf_rng.h"
#include "models/flight/flight.h"
#include "models/register_file/rf_params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a mechanism is built for. */
struct smrf_mechanism_setup {
    struct smrf_gpu_params gpu;
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    struct smrf_sim_params sim;
    /* Its family's, as the struct made of their list, NULL: it has none. They outlive its state. */
    const void *options;
};

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
     * row: the whole register after the write. Returns whether a copy was kept. */
    bool (*write)(void *m, unsigned sub, const struct smrf_flight *f, unsigned i,
                  const uint32_t *row, uint32_t lanes, uint64_t cycle);
    /* The mechanism's copy of a warp's register [32], NULL: none. Under sim.check it is compared with
     * the bank after every write of the register, whether or not it is ever read. */
    const uint32_t *(*copy)(const void *m, unsigned sub, unsigned warp, unsigned reg);
};

/* What pick returns where it has no collector for the warp. */
enum smrf_pick_none {
    SMRF_PICK_NEXT = -1,      /* another warp may be asked about in this cycle */
    SMRF_PICK_NONE = -2,      /* none may */
    SMRF_PICK_NEXT_WAIT = -3, /* as NEXT; something counts, so that the next cycle is not skipped */
    SMRF_PICK_NONE_WAIT = -4  /* as NONE; the same */
};

/* Seam: which warps the scheduler prefers, and which collector a warp may take. */
struct smrf_allocation_seam {
    /* Warps (bit k of the sub-core) that go before others, after the last issued one. */
    uint64_t (*preferred)(void *m, unsigned sub);
    /* Collector of free_units (bit mask, not empty) for warp slot `warp` of the SM, which the
     * scheduler has chosen, or enum smrf_pick_none. With issue.latches it may be asked several times
     * a cycle. rng: the SM's. */
    int (*pick)(void *m, unsigned sub, unsigned warp, uint32_t free_units, struct smrf_rng *rng,
                uint64_t cycle);
    /* Those of the warps `ready` (bit k) that may be considered while free_units are free. Not asked
     * with issue.latches. */
    uint64_t (*eligible)(void *m, unsigned sub, uint32_t free_units, uint64_t ready);
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

/* Seam: the life of a warp. */
struct smrf_warp_seam {
    /* It starts, with so many physical registers of its sub-core from base on. */
    void (*start)(void *m, unsigned warp, uint16_t base, uint32_t registers);
    /* It has exited; its registers are free. */
    void (*exit)(void *m, unsigned warp);
};

/* Seam: what a mechanism decides for the whole GPU, at the edges of equal intervals of time. Between
 * two edges the SMs know nothing of each other. State: one a GPU. */
struct smrf_gpu_seam {
    size_t (*bytes)(const struct smrf_mechanism_setup *setup);
    int (*init)(void *g, const struct smrf_mechanism_setup *setup);
    /* A text that the user gives takes the place of a table. Returns 0, or SMRF_ERR_FORMAT or
     * SMRF_ERR_INVAL with *line (0: the whole) and *why. NULL: there is nothing to replace. */
    int (*table)(void *g, const char *text, size_t size, unsigned *line, const char **why);
    /* Cycles between edges, which are at its multiples; 0: none. */
    uint64_t (*interval)(const struct smrf_mechanism_setup *setup);
    /* Every SM has been simulated up to the edge, and none further. sm: [setup->gpu.sms] states of the
     * SMs; thread_insts: issued by the GPU since the edge before; launches: begun so far. row:
     * [num_columns], filled with what the interval is remembered by; returns false: by nothing. */
    bool (*edge)(void *g, void *const *sm, uint64_t cycle, uint64_t thread_insts, uint64_t launches,
                 uint64_t *row);
    const char *series; /* name of the list of rows in the results */
    const struct smrf_series_column {
        const char *name, *unit, *meaning;
        uint32_t scale; /* the published number is the stored one / scale */
    } * columns;
    unsigned num_columns;
};

#define SMRF_MECHANISM_STATS 48 /* most counters of a mechanism */
#define SMRF_SERIES_COLUMNS 8   /* most columns of a series */

/* A published number of a mechanism: counter `index` of an SM's state, summed over the SMs; or, with
 * a whole, a ratio of two counters. */
struct smrf_mechanism_stat {
    const char *name, *unit, *meaning; /* "mechanism." is put before the name */
    uint16_t index;
    uint16_t whole; /* counter to divide by, SMRF_NO_WHOLE: none */
};
#define SMRF_NO_WHOLE UINT16_MAX

struct smrf_sm_stats;
/* An equation between counters that holds at the end of every complete run. own: the mechanism's,
 * sm: the SMs', both summed over the GPU. */
struct smrf_mechanism_law {
    const char *name, *left_text, *right_text;
    uint64_t (*left)(const uint64_t *own, const struct smrf_sm_stats *sm);
    uint64_t (*right)(const uint64_t *own, const struct smrf_sm_stats *sm);
};

/* A collector as the energy model sees it; per sub-core. */
struct smrf_energy_shape {
    uint16_t store_words;      /* words of 128 bytes that a collector holds */
    uint16_t crossbar_outputs; /* collectors behind the banks' crossbar */
    bool result_path;          /* results that a collector keeps cross 1 x crossbar_outputs */
    bool hit_copies;           /* a hit is read and written again into the instruction's slot */
    bool tags;                 /* operands and results are looked up */
};

struct smrf_family;
struct smrf_mechanism {
    const char *name;
    const char *summary;
    const struct smrf_family *family; /* whose options it has; NULL: none */
    bool wants_reuse;                 /* its flights carry near_src and near_dst */
    const char *const *defaults; /* "key=value", NULL-terminated, over the preset's; NULL = none */
    size_t (*bytes)(
        const struct smrf_mechanism_setup *setup); /* state of one SM; NULL = stateless */
    int (*init)(void *m, const struct smrf_mechanism_setup *setup, unsigned sm);
    /* After init: what it may ask of its SM, which outlives it. NULL: nothing. */
    void (*attach)(void *m, const struct smrf_services *services);
    const struct smrf_collector_seam *collector;
    const struct smrf_allocation_seam *allocation;
    const struct smrf_rename_seam *rename;
    const struct smrf_memory_seam *memory;
    const struct smrf_warp_seam *warp;
    const struct smrf_control_seam *control;
    const struct smrf_allotment_seam *allotment;
    const struct smrf_micro_seam *micro;
    const struct smrf_schedule_seam *schedule;
    const struct smrf_gpu_seam *gpu;
    /* Can it run in this configuration? NULL: yes, else what to change. */
    const char *(*check)(const struct smrf_mechanism_setup *setup);
    /* What it counts: one array of uint64_t an SM. */
    const uint64_t *(*counters)(const void *m);
    unsigned num_counters; /* at most SMRF_MECHANISM_STATS */
    const struct smrf_mechanism_stat *stats;
    size_t num_stats;
    const struct smrf_mechanism_law *laws;
    size_t num_laws;
    /* Absent: operand collectors, rf.collectors of them. */
    void (*energy_shape)(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape);
};

/* Mechanisms that share their options: what a folder under models/ offers. */
struct smrf_family {
    const char *name;                              /* the options' section: "malekeh" */
    struct smrf_param_table options;               /* empty: none */
    const struct smrf_mechanism *const *mechanism; /* NULL-terminated */
};

#ifdef __cplusplus
}
#endif

#endif
