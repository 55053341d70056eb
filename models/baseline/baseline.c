/* SPDX-License-Identifier: Apache-2.0 */
/* What every mechanism is compared with: all seams empty. The other variants run on idealised
 * machines. Source: CARS V-D, VI-A. */
#include "models/seam/mechanism_define.h"

extern const struct smrf_family smrf_baseline_family;

static const struct smrf_mechanism baseline = {
    .name = "baseline",
    .summary = "operand collector units that read every operand from the banks",
};
static const struct smrf_mechanism all_hit = SMRF_MECHANISM_VARIANT(
    "all-hit", "the baseline whose saves and restores around calls always hit the L1D",
    .family = NULL, "l1d.always_hit_spills=on");
static const struct smrf_mechanism large_l1 =
    SMRF_MECHANISM_VARIANT("l1-10mb", "the baseline with an L1D of 10 MB", .family = NULL,
                           "l1d.unified_bytes=0", "l1d.sets=1024", "l1d.ways=80");
/* A thread of up to 128 registers finds room in all 64 warp slots. The L1D of 128 KB is not
 * shared. */
static const struct smrf_mechanism virtual_warps = SMRF_MECHANISM_VARIANT(
    "virtual-warps", "the baseline with registers and shared memory for all warp slots",
    .family = NULL, "sm.registers=262144", "sm.shared_bytes=262144", "sm.blocks=64",
    "l1d.unified_bytes=0", "l1d.sets=4", "l1d.ways=256");

static const struct smrf_mechanism *const mechanisms[] = {&baseline, &all_hit, &large_l1,
                                                          &virtual_warps, NULL};

const struct smrf_family smrf_baseline_family = {.name = "baseline", .mechanism = mechanisms};
