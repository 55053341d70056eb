/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles for people and programs: of one run, or of two side by side (the same traces, another
 * mechanism). */
#ifndef SMRF_PROFILE_REPORT_H
#define SMRF_PROFILE_REPORT_H

#include "platform/observe/profile.h"

#include <jansson.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_profile_run {
    const char *mechanism;
    const struct smrf_profile_kernel *kernel;
    size_t num_kernels;
};

/* What comes first. */
enum smrf_profile_order {
    SMRF_PROFILE_BY_CYCLES, /* warp-cycles; of two runs: their difference */
    SMRF_PROFILE_BY_SLOWER, /* of two runs: warp-cycles that the second has more */
    SMRF_PROFILE_BY_CONFLICTS,
    SMRF_PROFILE_BY_PC
};

struct smrf_profile_view {
    enum smrf_profile_order order;
    size_t top;  /* instructions of a kernel, 0 = all */
    bool source; /* the source's lines between the instructions, if their files are here */
    const char *(*name)(const char *mangled, int width);
};

/* NULL: the run has none of that name. */
const struct smrf_profile_kernel *smrf_profile_kernel_named(const struct smrf_profile_run *run,
                                                            const char *name);
/* The instruction at the same place of another run's kernel; NULL: none, or k is NULL. */
const struct smrf_profile_inst *smrf_profile_inst_like(const struct smrf_profile_kernel *k,
                                                       const struct smrf_profile_inst *like);
/* "saxpy.cu:6", "6" where the file is not known, "-". Returns its length. */
int smrf_profile_place(const struct smrf_profile_inst *inst, char *text, size_t size);

/* count: 1 or 2 runs. The second is compared with the first. */
void smrf_profile_print(const struct smrf_profile_run *run, size_t count,
                        const struct smrf_profile_view *view, FILE *out);
/* A row an instruction and run. */
void smrf_profile_csv(const struct smrf_profile_run *run, size_t count, FILE *out);
/* NULL: out of memory. */
json_t *smrf_profile_json(const struct smrf_profile_run *run, size_t count);

#ifdef __cplusplus
}
#endif

#endif
