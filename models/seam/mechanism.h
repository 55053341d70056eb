/* SPDX-License-Identifier: Apache-2.0 */
/* The seams at which a register-file mechanism plugs in. The SM calls whatever functions a
 * mechanism fills in; an empty pointer means the baseline's behaviour. Every call names the
 * mechanism's own state, one per SM, allocated by the platform. */
#ifndef SMRF_MECHANISM_H
#define SMRF_MECHANISM_H

#include "front_seams.h"
#include "memory_seam.h"
#include "operand_seams.h"

#include "models/common/gpu_params.h"
#include "models/common/sim_params.h"
#include "models/common/sm_params.h"
#include "models/common/smrf_program.h"
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
    bool war;       /* scoreboard.war */
    bool two_level; /* issue.scheduler=two_level: there are lists */
    /* Its family's, as the struct made of their list, NULL: it has none. They outlive its state. */
    const void *options;
};

/* A launch as the GPU's part of a mechanism is told of it. */
struct smrf_gpu_launch {
    const char *name;  /* of the kernel, as the trace has it; as long as the call */
    uint64_t number;   /* of the launch, from 1; goes on over several traces */
    uint32_t grid[3];  /* thread blocks in x, y, z */
    uint32_t block[3]; /* threads of one */
    const struct smrf_sm_kernel *kernel;
    uint64_t start; /* cycle after which its first blocks are placed: the launch latency later */
};

/* Seam: what a mechanism decides for the whole GPU: when a kernel begins and ends, and at the edges
 * of equal intervals of time. In between the SMs know nothing of each other, and run in any order,
 * each ahead of others. Whenever one of these functions is called, every SM has been simulated up
 * to `cycle` and none further: it may read and write the SMs' states, what it writes holds from
 * `cycle` on, and an SM whose registers are allotted looks for room again. Cycles do not decrease
 * from call to call; in the same cycle: an end, a beginning, an edge. State: one a GPU; sm:
 * [setup->gpu.sms] states of the SMs. */
struct smrf_gpu_seam {
    size_t (*bytes)(const struct smrf_mechanism_setup *setup);
    int (*init)(void *g, const struct smrf_mechanism_setup *setup);
    /* A text that the user gives takes the place of a table. Returns 0, or SMRF_ERR_FORMAT or
     * SMRF_ERR_INVAL with *line (0: the whole) and *why. NULL: there is nothing to replace. */
    int (*table)(void *g, const char *text, size_t size, unsigned *line, const char **why);
    /* A launch is handed to the SMs, which are empty; what is written decides on its first blocks.
     * NULL: not told. */
    void (*kernel_begin)(void *g, void *const *sm, const struct smrf_gpu_launch *launch,
                         uint64_t cycle);
    /* Its last block has ended, in the cycle before. Not told where a run is cut off. NULL: not
     * told. */
    void (*kernel_end)(void *g, void *const *sm, const struct smrf_gpu_launch *launch,
                       uint64_t cycle);
    /* Cycles between edges, which are at its multiples; 0: none. NULL: none. */
    uint64_t (*interval)(const struct smrf_mechanism_setup *setup);
    /* An edge. thread_insts: issued by the GPU since the edge before; launches: begun so far. row:
     * [num_columns], filled with what the interval is remembered by; returns false: by nothing.
     * NULL where there are none. */
    bool (*edge)(void *g, void *const *sm, uint64_t cycle, uint64_t thread_insts, uint64_t launches,
                 uint64_t *row);
    const char *series; /* name of the list of rows in the results */
    const struct smrf_series_column {
        const char *name, *unit, *meaning;
        uint32_t scale; /* the published number is the stored one / scale */
    } * columns;
    unsigned num_columns;
};

/* Bits that hold 0 .. most: for what a mechanism says of its storage. */
static inline uint32_t smrf_bits_of(uint32_t most)
{
    return most ? 32u - (uint32_t)__builtin_clz(most) : 0;
}

#define SMRF_MECHANISM_STATS 48 /* most counters of a mechanism */
#define SMRF_SERIES_COLUMNS 8   /* most columns of a series */

/* A published number of a mechanism: counter `index` of an SM's state, summed over the SMs; or,
 * with a whole, a ratio of two counters. */
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
    uint8_t
        fills; /* 1 + the mechanism's counter of operands that its operations write into a cache */
};

struct smrf_family;
struct smrf_mechanism {
    const char *name;
    const char *summary;
    const struct smrf_family *family; /* whose options it has; NULL: none */
    bool wants_reuse;                 /* its flights carry near_src and near_dst */
    bool wants_program;               /* its instructions carry facts of their program */
    /* What the compiler is told of its hardware; *wish is 0 on entry. NULL: nothing. */
    void (*wish)(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish);
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
    const struct smrf_write_seam *write;
    const struct smrf_warp_seam *warp;
    const struct smrf_control_seam *control;
    const struct smrf_allotment_seam *allotment;
    const struct smrf_block_seam *block;
    const struct smrf_micro_seam *micro;
    const struct smrf_schedule_seam *schedule;
    const struct smrf_gpu_seam *gpu;
    /* Can it run in this configuration? NULL: yes, else what to change. */
    const char *(*check)(const struct smrf_mechanism_setup *setup);
    /* Can it run this launch, whose program may not be known? The same; asked before the launch
     * begins. NULL: every one. */
    const char *(*program)(const struct smrf_mechanism_setup *setup,
                           const struct smrf_sm_kernel *kernel);
    /* What it counts: one array of uint64_t an SM. */
    const uint64_t *(*counters)(const void *m);
    unsigned num_counters; /* at most SMRF_MECHANISM_STATS */
    uint64_t marks;        /* bit i: counter i is a high-water mark: the highest of any SM counts */
    const struct smrf_mechanism_stat *stats;
    size_t num_stats;
    const struct smrf_mechanism_law *laws;
    size_t num_laws;
    /* Pipeline cycles that it adds to issue and collectors. NULL: none. */
    uint32_t (*latency)(const struct smrf_mechanism_setup *setup);
    /* Does it name registers by a rule that is known to be wrong at times? Then what the value
     * oracle finds is counted and fails no run. NULL: no. */
    bool (*unsound)(const struct smrf_mechanism_setup *setup);
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
