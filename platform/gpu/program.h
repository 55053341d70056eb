/* SPDX-License-Identifier: Apache-2.0 */
/* The program of the present launch, as the compilers of firmware/ make it from the sidecar of its
 * trace: what mechanisms are given, and what the trace's instructions are marked with. */
#ifndef SMRF_GPU_PROGRAM_H
#define SMRF_GPU_PROGRAM_H

#include "models/common/smrf_program.h"
#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_cars_code; /* firmware/cars/cars.h */

struct smrf_gpu_program {
    struct smrf_cars_code *code; /* NULL: the launch's program is not known */
    struct smrf_inst_facts *facts;
    struct smrf_program_set *interval; /* registers of each */
    const char *why; /* .. because */
};

/* wish: of the mechanism's hardware. The trace's launch begins, none of its blocks has been read. Its instructions are marked as they
 * are met, by `p`, which stays where it is until smrf_gpu_program_close. Returns 0 (known or not) or
 * SMRF_ERR_NOMEM. */
int smrf_gpu_program_open(struct smrf_gpu_program *p, struct smrf_trace *trace,
                          const struct smrf_kernel_info *info,
                          const struct smrf_program_wish *wish);
/* NULL: it is not known. */
const struct smrf_program *smrf_gpu_program_get(const struct smrf_gpu_program *p);
void smrf_gpu_program_close(struct smrf_gpu_program *p);

#ifdef __cplusplus
}
#endif

#endif
