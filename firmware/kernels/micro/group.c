/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

extern const struct smrf_suite_program smrf_suite_chase, smrf_suite_ffma, smrf_suite_ffma_conflict1,
    smrf_suite_ffma_conflict2, smrf_suite_ffma_conflict3, smrf_suite_ffma_regs128,
    smrf_suite_ffma_regs255, smrf_suite_ffma_regs40, smrf_suite_ffma_regs64, smrf_suite_ffma_reuse1,
    smrf_suite_ffma_reuse10, smrf_suite_ffma_reuse3, smrf_suite_ffma_reuse40, smrf_suite_keeps,
    smrf_suite_ladder, smrf_suite_shared_banks;

const struct smrf_suite_program *const smrf_suite_micro[] = {
    &smrf_suite_chase,
    &smrf_suite_ffma,
    &smrf_suite_ffma_conflict1,
    &smrf_suite_ffma_conflict2,
    &smrf_suite_ffma_conflict3,
    &smrf_suite_ffma_regs128,
    &smrf_suite_ffma_regs255,
    &smrf_suite_ffma_regs40,
    &smrf_suite_ffma_regs64,
    &smrf_suite_ffma_reuse1,
    &smrf_suite_ffma_reuse10,
    &smrf_suite_ffma_reuse3,
    &smrf_suite_ffma_reuse40,
    &smrf_suite_keeps,
    &smrf_suite_ladder,
    &smrf_suite_shared_banks,
    NULL,
};
