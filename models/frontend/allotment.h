/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of an SM: how many a warp is given, how many thread blocks fit, and which physical
 * registers of a sub-core are taken. Source: Accel-Sim shader_core_config::max_cta. */
#ifndef SMRF_ALLOTMENT_H
#define SMRF_ALLOTMENT_H

#include "models/common/sm_params.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_program.h"
#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_ALLOTMENT_WORDS 64

struct smrf_pieces; /* models/estimate */

/* A launch, as an SM needs to know it. */
struct smrf_sm_kernel {
    uint32_t threads_per_block;
    uint32_t warps_per_block;
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per block */
    uint32_t share;        /* most blocks of the grid that come to an SM at once; 0: not known */
    uint64_t shared_window, local_window;
    bool has_values;                    /* the trace carries register values */
    const struct smrf_program *program; /* as its compiler knows it; NULL: unknown */
    struct smrf_pieces *pieces;         /* the view scoreboard: those of all SMs; else NULL */
};

/* Seam: how many registers a warp is given. */
struct smrf_allotment_seam {
    /* Registers of a thread, for the warps of the next block of the kernel; 0: they are resident
     * without, and do not issue, until the mechanism requests some, or renames them. A
     * kernel's occupancy follows from the answer; m: NULL where it is computed without a machine.
     * If there is no room for a block with this answer, it is asked for again when a warp has
     * exited or given registers back, and after an edge of the mechanism's GPU part. */
    uint32_t (*registers)(void *m, const struct smrf_sm_kernel *kernel);
    /* Blocks whose warps start without registers: no more are resident than if each had the
     * kernel's own. */
    bool as_kernel;
};

struct smrf_allotment {
    struct smrf_sm_params sm;
    uint32_t rows; /* physical registers of a sub-core */
    /* Physical registers of a bit of `used`: about 8, and whole rows of all banks, so that two
     * warps, whose registers may be swizzled differently, never share a row. */
    uint32_t unit;
    uint32_t threads_used; /* registers of threads, as occupancy counts them */
    uint64_t used[SMRF_MAX_SUBCORES][SMRF_ALLOTMENT_WORDS]; /* bit u of word w: unit 64 w + u */
};

/* banks: of a sub-core. Returns 0 or SMRF_ERR_LIMIT: more registers than the map holds. */
int smrf_allotment_init(struct smrf_allotment *a, const struct smrf_sm_params *sm, uint32_t banks);
/* Frees all registers. */
void smrf_allotment_reset(struct smrf_allotment *a);

/* Registers of a thread of the kernel's next block, in whole register units. seam: may be NULL. */
uint32_t smrf_allotment_of_thread(const struct smrf_sm_params *sm, const struct smrf_sm_kernel *k,
                                  const struct smrf_allotment_seam *seam, void *mechanism);
/* Most blocks of a kernel that fit an SM without a machine's state; 0: it does not fit at all.
 * seam: may be NULL. limit (may be NULL) is set to the key of the parameter that limits. */
unsigned smrf_allotment_kernel_blocks(const struct smrf_sm_params *sm, uint32_t banks,
                                      const struct smrf_sm_kernel *k,
                                      const struct smrf_allotment_seam *seam, const char **limit);
/* Physical registers of a warp with the given registers per thread, in whole units. */
uint32_t smrf_allotment_of_warp(const struct smrf_allotment *a, uint32_t registers);

/* Most blocks of the kernel that fit an SM with the given registers per thread; 0: not even one.
 * limit (may be NULL) is set to the key of the parameter that limits. */
unsigned smrf_allotment_occupancy(const struct smrf_sm_params *sm, uint32_t banks,
                                  const struct smrf_sm_kernel *k, uint32_t registers,
                                  const char **limit);

/* Would these warps, in warp slots first, first + 1, .., all get the given registers per thread? */
bool smrf_allotment_fits(const struct smrf_allotment *a, unsigned first, uint32_t warps,
                         uint32_t registers);
/* Count the warps' registers in, or out. */
void smrf_allotment_count(struct smrf_allotment *a, uint32_t warps, uint32_t registers, bool in);

/* Physical registers of a sub-core for one warp, first fit, in whole units. Returns the first or
 * -1: there are none. */
int smrf_allotment_take(struct smrf_allotment *a, unsigned sub, uint32_t registers);
void smrf_allotment_give(struct smrf_allotment *a, unsigned sub, uint32_t base, uint32_t registers);

#ifdef __cplusplus
}
#endif

#endif
