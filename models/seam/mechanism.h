/* SPDX-License-Identifier: Apache-2.0 */
/* The seams of a register-file mechanism: structs of functions that the SM calls. A NULL pointer
 * means the baseline's behaviour. Every call gets the mechanism's own state; the platform allocates
 * one for each SM. */
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

/* The machine and the options that a mechanism is built for. */
struct smrf_mechanism_setup {
    struct smrf_gpu_params gpu;
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    struct smrf_sim_params sim;
    bool war;       /* scoreboard.war */
    bool two_level; /* issue.scheduler=two_level: there are lists */
    /* Options of its family, as the struct made of their list. NULL: none. They outlive the
     * mechanism's state. */
    const void *options;
};

/* A launch, as the mechanism's GPU part sees it. */
struct smrf_gpu_launch {
    const char *name;  /* kernel's name in the trace; valid during the call */
    uint64_t number;   /* number of the launch over all traces, from 1 */
    uint32_t grid[3];  /* thread blocks in x, y, z */
    uint32_t block[3]; /* threads of a block */
    const struct smrf_sm_kernel *kernel;
    uint64_t start; /* the first blocks are placed a launch latency after this cycle */
};

/* Seam: decisions for the whole GPU, when a kernel begins and ends, and at the ends of equal
 * intervals of time. In between, the SMs do not know of each other and run in any order, some ahead
 * of others. When one of these functions is called, every SM has been simulated up to `cycle` and
 * none further. The function may read and write the SMs' states. Its writes are effective from
 * `cycle` on, and an SM whose registers are allotted looks for room again. Cycles do not decrease
 * from call to call. In the same cycle the order is: an end, a beginning, an interval. State: one
 * for the GPU; sm: [setup->gpu.sms] states of the SMs. */
struct smrf_gpu_seam {
    size_t (*bytes)(const struct smrf_mechanism_setup *setup);
    int (*init)(void *g, const struct smrf_mechanism_setup *setup);
    /* Replaces a table by the user's text. Returns 0, or SMRF_ERR_FORMAT or SMRF_ERR_INVAL with
     * *line (0: the whole text) and *why. NULL: it has no table. */
    int (*table)(void *g, const char *text, size_t size, unsigned *line, const char **why);
    /* A launch begins, and the SMs are empty. Settings made here apply to its first blocks. NULL:
     * not called. */
    void (*kernel_begin)(void *g, void *const *sm, const struct smrf_gpu_launch *launch,
                         uint64_t cycle);
    /* The last block ended in the cycle before. Not called if a limit ends the run. NULL: not
     * called. */
    void (*kernel_end)(void *g, void *const *sm, const struct smrf_gpu_launch *launch,
                       uint64_t cycle);
    /* Length of an interval in cycles; 0: no intervals. NULL: none. */
    uint64_t (*interval)(const struct smrf_mechanism_setup *setup);
    /* An interval ends. thread_insts: issued by the GPU in the interval; launches: begun so far.
     * Fills row [num_columns] with the interval's record; returns false: no record. NULL if there
     * are no intervals. */
    bool (*edge)(void *g, void *const *sm, uint64_t cycle, uint64_t thread_insts, uint64_t launches,
                 uint64_t *row);
    const char *series; /* name of the list of records in the results */
    const struct smrf_series_column {
        const char *name, *unit, *meaning;
        uint32_t scale; /* the published number is the stored one / scale */
    } * columns;
    unsigned num_columns;
};

/* Number of bits for the values 0 .. most, for a mechanism's storage. */
static inline uint32_t smrf_bits_of(uint32_t most)
{
    return most ? 32u - (uint32_t)__builtin_clz(most) : 0;
}

#define SMRF_MECHANISM_STATS 48 /* most counters of a mechanism */
#define SMRF_SERIES_COLUMNS 8   /* most columns of a series */

/* A published number of a mechanism: counter `index`, summed over the SMs. With `whole` it is a
 * ratio of two counters. */
struct smrf_mechanism_stat {
    const char *name, *unit, *meaning; /* results put "mechanism." before the name */
    uint16_t index;
    uint16_t whole; /* counter to divide by, SMRF_NO_WHOLE: none */
};
#define SMRF_NO_WHOLE UINT16_MAX

struct smrf_sm_stats;
/* An equation between counters that holds at the end of every complete run. own: the mechanism's
 * counters, sm: the SMs', both summed over the GPU. */
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
    const struct smrf_family *family; /* the family with its options; NULL: none */
    bool wants_reuse;                 /* flights have near_src and near_dst */
    /* Instructions have the facts of their program; where it is not known, a look ahead finds
     * them. */
    bool wants_program;
    /* Its collector seam also works in the Allocate stage of rf.read=window, as unit 0:
     * instructions of fixed latency enter there, and may overlap. A hit may be of a value that an
     * older instruction still reads; the read stages deliver it. */
    bool at_allocate;
    /* Its renaming and its operations also work with rf.read=window: an instruction of the trace
     * waits until all operations before it have ended, for which no counter stands in its control
     * bits. */
    bool with_read_stages;
    /* What the compiler must know of the mechanism's hardware; *wish is 0 on entry. NULL: nothing.
     */
    void (*wish)(const struct smrf_mechanism_setup *setup, struct smrf_program_wish *wish);
    const char *const
        *defaults; /* "key=value", NULL-terminated, applied over the preset; NULL = none */
    size_t (*bytes)(
        const struct smrf_mechanism_setup *setup); /* state of one SM; NULL = stateless */
    int (*init)(void *m, const struct smrf_mechanism_setup *setup, unsigned sm);
    /* Called after init with the services of its SM, which outlive the state. NULL: it needs none.
     */
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
    /* Checks the configuration. Returns NULL if the mechanism can run in it, else what to change.
     */
    const char *(*check)(const struct smrf_mechanism_setup *setup);
    /* Checks a launch before it begins; its program may be unknown. Returns the same. NULL: every
     * launch can run. */
    const char *(*program)(const struct smrf_mechanism_setup *setup,
                           const struct smrf_sm_kernel *kernel);
    /* Its counters: one array of uint64_t for each SM. */
    const uint64_t *(*counters)(const void *m);
    unsigned num_counters; /* at most SMRF_MECHANISM_STATS */
    uint64_t marks;        /* bit i: counter i is a high-water mark: the highest of any SM counts */
    const struct smrf_mechanism_stat *stats;
    size_t num_stats;
    const struct smrf_mechanism_law *laws;
    size_t num_laws;
    /* Pipeline cycles that it adds to issue and to the collectors. NULL: none. */
    uint32_t (*latency)(const struct smrf_mechanism_setup *setup);
    /* Is its renaming rule known to be wrong at times? Then the findings of the value oracle are
     * counted and fail no run. NULL: no. */
    bool (*unsound)(const struct smrf_mechanism_setup *setup);
    /* NULL: rf.collectors operand collectors. */
    void (*energy_shape)(const struct smrf_mechanism_setup *setup, struct smrf_energy_shape *shape);
};

/* Does a mechanism attach to collectors, or name registers, which read stages do not know of? */
static inline bool smrf_mechanism_needs_collectors(const struct smrf_mechanism *m)
{
    const bool collects = m->collector && !m->at_allocate;
    const bool renames = m->allocation || m->rename || m->memory || m->micro;
    return collects || m->write || (renames && !m->with_read_stages);
}

/* A family: mechanisms that share their options. A folder under models/ offers one. */
struct smrf_family {
    const char *name;                              /* the options' section: "malekeh" */
    struct smrf_param_table options;               /* empty: none */
    const struct smrf_mechanism *const *mechanism; /* NULL-terminated */
};

#ifdef __cplusplus
}
#endif

#endif
