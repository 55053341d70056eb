/* SPDX-License-Identifier: Apache-2.0 */
/* What the value oracles of a machine's SMs found first: faults of the model, then contradictions
 * of the trace, each in order of time. */
#ifndef SMRF_FINDINGS_H
#define SMRF_FINDINGS_H

#include "models/oracle/oracle.h"
#include "platform/gpu/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_launch;

struct smrf_findings {
    struct smrf_finding first[2 * SMRF_ORACLE_FINDINGS];
    size_t count;
};

void smrf_findings_gather(struct smrf_findings *all, const struct smrf_machine *machine);

/* One line about a finding, without a line break. launches: [num_launches]. */
void smrf_finding_text(const struct smrf_finding *f, const struct smrf_launch *launches,
                       size_t num_launches, char *text, size_t size);

/* "operand", "copy", "trace" */
const char *smrf_finding_kind_name(const struct smrf_finding *f);

/* Coordinates of its block. l: its launch. */
struct smrf_dim3 smrf_finding_block(const struct smrf_finding *f, const struct smrf_launch *l);

#ifdef __cplusplus
}
#endif

#endif
