/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"
int smrf_runner_slurm(struct smrf_runner *r)
{
    return smrf_runner_fail(r, SMRF_ERR_STATE, "not yet");
}
bool smrf_runner_slurm_lives(const char *job)
{
    (void)job;
    return false;
}
