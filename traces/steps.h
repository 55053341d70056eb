/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with more registers than one instruction of the model can have: a warp group's
 * multiply names up to 128 registers of accumulators. They issue in steps, one behind the other, as
 * a tensor core works through the columns of its matrix. A step writes 8 registers and reads 16 at
 * most, so that each has room for the lanes that a renamed result leaves alone. */
#ifndef SMRF_STEPS_H
#define SMRF_STEPS_H

#include "models/common/smrf_inst.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_STEP_DST 8
#define SMRF_STEP_SRC 16
#define SMRF_WIDE_MAX (SMRF_MAX_BASE * 128) /* an operand has 128 registers at most */

/* All vector registers of an instruction, in operand order. */
struct smrf_wide {
    uint16_t num_src, num_dst;
    uint8_t src[SMRF_WIDE_MAX], src_slot[SMRF_WIDE_MAX];
    uint8_t dst[SMRF_WIDE_MAX];
};

/* Does one instruction hold them all? */
bool smrf_wide_fits(const struct smrf_wide *w);
/* How many steps; 1 where it fits. */
unsigned smrf_wide_steps(const struct smrf_wide *w);
/* The register lists of step n. A step reads what it adds to: where sources and destinations are as
 * many, it has as many of both; other sources come first. Returns the index of its first source in
 * *src and of its first destination in *dst. */
void smrf_wide_step(const struct smrf_wide *w, unsigned n, struct smrf_static_inst *out,
                    unsigned *src, unsigned *dst);

#ifdef __cplusplus
}
#endif

#endif
