/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies from global to shared memory of one warp, and what waits for them. LDGSTS
 * begins a copy, LDGDEPBAR closes the group of those since the last, and DEPBAR.LE SB, N holds its
 * warp until all closed groups but the N last are done.
 * Source: PTX ISA, cp.async; Accel-Sim shader_core_ctx::issue_warp and unset_depbar. */
#ifndef SMRF_COPIES_H
#define SMRF_COPIES_H

#include "issue_params.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most unfinished groups of a warp: the range of DEPBAR's 6 bits. A warp that closes one more waits
 * for its oldest group. */
#define SMRF_COPY_GROUPS 64

struct smrf_copies {
    uint32_t open;          /* number of the group that takes copies; closed ones are below */
    uint32_t awaited_below; /* groups below this number are waited for */
    uint32_t awaited;       /* unfinished copies of these groups; 0: no wait */
    uint16_t left[SMRF_COPY_GROUPS]; /* copies of group g mod SMRF_COPY_GROUPS that are not done */
};

/* A copy begins. Returns its group, for smrf_copies_done. */
uint32_t smrf_copies_begin(struct smrf_copies *c);
/* The open group is closed. */
void smrf_copies_close(struct smrf_copies *c);
/* The warp waits for all closed groups but the `but` last. */
void smrf_copies_wait(struct smrf_copies *c, uint64_t but, enum smrf_copy_rule rule);
/* A copy is done. Returns whether the warp has nothing to wait for any longer. */
bool smrf_copies_done(struct smrf_copies *c, uint32_t group);

#ifdef __cplusplus
}
#endif

#endif
