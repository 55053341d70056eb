/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of instructions (models/common/smrf_program.h) for launches without a known program. They
 * are exact: a second reader of the same trace looks ahead to the end of each warp. */
#ifndef SMRF_LOOKAHEAD_H
#define SMRF_LOOKAHEAD_H

#include "platform/gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_lookahead;

/* listed_only: the machine has of each operand only the registers that a trace line lists
 * (rf.base_registers_only); facts then are of these. Returns NULL where there is no memory left. */
struct smrf_lookahead *smrf_lookahead_create(bool listed_only);
void smrf_lookahead_destroy(struct smrf_lookahead *p);
/* The engine's hook. */
const struct smrf_annotator *smrf_lookahead_hook(const struct smrf_lookahead *p);

#ifdef __cplusplus
}
#endif

#endif
