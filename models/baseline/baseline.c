/* SPDX-License-Identifier: Apache-2.0 */
/* What every mechanism is compared with: all seams empty. The others are the same on machines that
 * nobody builds. Source: CARS V-D, VI-A. */
#include "models/seam/mechanism.h"

extern const struct smrf_family smrf_baseline_family;

#define MECHANISM(symbol, text, what, ...)                                                         \
    static const char *const symbol##_defaults[] = {__VA_ARGS__, NULL};                            \
    static const struct smrf_mechanism symbol = {                                                  \
        .name = text, .summary = what, .defaults = symbol##_defaults}

static const struct smrf_mechanism baseline = {
    .name = "baseline",
    .summary = "operand collector units that read every operand from the banks",
};
MECHANISM(all_hit, "all-hit",
          "the baseline whose saves and restores around calls always hit the L1D",
          "l1d.always_hit_spills=on");
MECHANISM(large_l1, "l1-10mb", "the baseline with an L1D of 10 MB", "l1d.unified_bytes=0",
          "l1d.sets=1024", "l1d.ways=80");
/* A thread of up to 128 registers finds room in all 64 warp slots. The L1D of 128 KB is not
 * shared. */
MECHANISM(virtual_warps, "virtual-warps",
          "the baseline with registers and shared memory for all warp slots", "sm.registers=262144",
          "sm.shared_bytes=262144", "sm.blocks=32", "l1d.unified_bytes=0", "l1d.sets=4",
          "l1d.ways=256");

static const struct smrf_mechanism *const mechanisms[] = {&baseline, &all_hit, &large_l1,
                                                          &virtual_warps, NULL};

const struct smrf_family smrf_baseline_family = {.name = "baseline", .mechanism = mechanisms};
