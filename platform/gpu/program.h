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

/* What the compilers have made of a program: a trace launches one more than once. */
struct smrf_gpu_analysis;

#define SMRF_GPU_PROGRAMS 64 /* kept at once */

struct smrf_gpu_program {
    struct smrf_gpu_analysis *known[SMRF_GPU_PROGRAMS];
    unsigned num, next;                      /* of them; the one that makes room */
    const struct smrf_gpu_analysis *present; /* NULL: the launch's program is not known */
    const char *why;                         /* the reason */
    uint64_t analysed, found; /* launches: programs that were analysed, that were known */
};

/* wish: of the mechanism's hardware. listed_only: the machine has of each operand only the
 * registers that a trace line lists (rf.base_registers_only); facts then are of these. The trace's
 * launch begins, none of its blocks has been read. Returns 0 (known or not) or SMRF_ERR_NOMEM. */
int smrf_gpu_program_open(struct smrf_gpu_program *p, struct smrf_trace *trace,
                          const struct smrf_kernel_info *info, const struct smrf_program_wish *wish,
                          bool listed_only);
/* NULL: it is not known. */
const struct smrf_program *smrf_gpu_program_get(const struct smrf_gpu_program *p);
/* Marks an instruction of the launch with what is known of it: its facts, and whether it only saves
 * or restores a register. */
void smrf_gpu_program_mark(const struct smrf_gpu_program *p, struct smrf_static_inst *inst);
void smrf_gpu_program_close(struct smrf_gpu_program *p);

#ifdef __cplusplus
}
#endif

#endif
