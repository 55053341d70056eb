/* SPDX-License-Identifier: Apache-2.0 */
#include "issue.h"

int smrf_issue_init(struct smrf_issue *s, const struct smrf_issue_config *cfg,
                    const struct smrf_issue_parts *parts)
{
    s->cfg = *cfg;
    s->parts = parts ? *parts : (struct smrf_issue_parts){0};
    if (!s->parts.scheduler_ops) {
        s->parts.scheduler_ops = smrf_scheduler_policy(&s->cfg.issue);
        s->parts.scheduler = &s->own_scheduler;
    }
    if (!s->parts.dependence_ops) {
        s->parts.dependence_ops = &smrf_scoreboard_ops;
        s->parts.dependence = &s->own_scoreboard;
    }
    smrf_scoreboard_init(&s->own_scoreboard, &s->cfg.scoreboard);
    return smrf_scheduler_init(&s->own_scheduler, &s->cfg.issue, cfg->warps);
}
