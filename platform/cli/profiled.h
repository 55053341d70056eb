/* SPDX-License-Identifier: Apache-2.0 */
/* A replay that is profiled, for the commands that show where time goes. */
#ifndef SMRF_CLI_PROFILED_H
#define SMRF_CLI_PROFILED_H

#include "machine.h"

#include "platform/observe/profile_report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_cli_profiled {
    struct smrf_platform *platform;
    struct smrf_profile *profile;
    struct smrf_profile_run run;
};

/* Replay the machine's traces under its mechanism-th --mechanism, by the direct engine unless
 * another is named, and check that what is counted by instruction is what the run has counted.
 * launch: only what happens in this one is profiled, from 1; 0: in all. What is wrong is printed.
 * Returns an enum smrf_exit; call smrf_cli_profiled_free() afterwards, also after a failure. */
int smrf_cli_profiled_run(struct smrf_cli_profiled *r, struct smrf_cli_machine *m, size_t mechanism,
                          size_t launch);
void smrf_cli_profiled_free(struct smrf_cli_profiled *r);

#ifdef __cplusplus
}
#endif

#endif
