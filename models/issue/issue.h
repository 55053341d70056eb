/* SPDX-License-Identifier: Apache-2.0 */
/* Issue stage of a sub-core: the dependence check and the scheduler, each replaceable whole. */
#ifndef SMRF_ISSUE_H
#define SMRF_ISSUE_H

#include "scheduler.h"
#include "scoreboard.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_issue_config {
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    uint32_t warps; /* warp slots of the sub-core */
};

/* What takes the place of the stage's own scheduler and scoreboard; ops NULL: its own. State is the
 * caller's, one a sub-core, and initialised. */
struct smrf_issue_parts {
    const struct smrf_scheduler_ops *scheduler_ops;
    void *scheduler;
    const struct smrf_dependence_ops *dependence_ops;
    void *dependence;
};

struct smrf_issue {
    struct smrf_issue_config cfg;
    struct smrf_issue_parts parts;
    struct smrf_scheduler own_scheduler;
    struct smrf_scoreboard own_scoreboard;
};

/* parts: NULL = the stage's own. Returns 0 or SMRF_ERR_INVAL: too many warps, or none. */
int smrf_issue_init(struct smrf_issue *s, const struct smrf_issue_config *cfg,
                    const struct smrf_issue_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
