/* SPDX-License-Identifier: Apache-2.0 */
/* The value oracle as a listener of an SM: it is called at the SM's hooks, and completes a finding
 * with where and when it was made. */
#ifndef SMRF_CHECKER_H
#define SMRF_CHECKER_H

#include "oracle.h"

#include "models/hooks/hooks.h"
#include "models/register_file/rf_params.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_checker {
    struct smrf_listener listener;
    struct smrf_oracle *oracle;
    const struct smrf_flights *flights;
    const uint64_t *cycle; /* the cycle that the SM is in */
    struct smrf_rf_params rf;
    uint16_t sm; /* its number */
};

/* A kernel begins; has_values: its trace carries the values of registers. The checker listens
 * to what it needs in this kernel. All fields but the listener are set before. */
void smrf_checker_kernel(struct smrf_checker *c, struct smrf_hooks *hooks, bool has_values);

#ifdef __cplusplus
}
#endif

#endif
