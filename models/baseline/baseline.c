/* SPDX-License-Identifier: Apache-2.0 */
/* What every mechanism is compared with: all seams empty. */
#include "models/seam/mechanism.h"

extern const struct smrf_family smrf_baseline_family;

static const struct smrf_mechanism baseline = {
    .name = "baseline",
    .summary = "operand collector units that read every operand from the banks",
};

static const struct smrf_mechanism *const mechanisms[] = {&baseline, NULL};

const struct smrf_family smrf_baseline_family = {.name = "baseline", .mechanism = mechanisms};
