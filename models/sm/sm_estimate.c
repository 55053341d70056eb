/* SPDX-License-Identifier: Apache-2.0 */
/* An SM in the view scoreboard: its front end and its load/store unit around sub-cores that need no
 * loop over cycles. */
#include "sm_state.h"

static struct smrf_estimate_config config_(const struct smrf_sm_config *cfg)
{
    return (struct smrf_estimate_config){cfg->sm, cfg->rf, cfg->issue, cfg->scoreboard,
                                         cfg->frontend};
}

void *smrf_sm_lay_out_estimate(struct smrf_layout *a, const struct smrf_sm_config *cfg)
{
    return cfg->sim.view == SMRF_VIEW_SCOREBOARD ? smrf_layout_take(a, sizeof(struct smrf_estimate))
                                                 : NULL;
}

void *smrf_sm_lay_out_estimate_warps(struct smrf_layout *a, const struct smrf_sm_config *cfg)
{
    const struct smrf_estimate_config part = config_(cfg);
    return cfg->sim.view == SMRF_VIEW_SCOREBOARD
               ? smrf_layout_take(a, smrf_estimate_store_bytes(&part))
               : NULL;
}

int smrf_sm_init_estimate(struct smrf_sm *sm, void *state, void *warps)
{
    const struct smrf_estimate_config part = config_(&sm->cfg);
    const struct smrf_estimate_links links = {&sm->front, sm->ldst, sm->links.units,
                                              sm->cfg.sim.seed, sm->id};
    sm->estimate = state;
    return smrf_estimate_init(sm->estimate, warps, &part, &links);
}

enum smrf_sm_stop smrf_sm_run_estimate(struct smrf_sm *sm, uint64_t until)
{
    if (!sm->front.error && !sm->front.wants && sm->cycle < until) {
        sm->cycle = smrf_estimate_run(sm->estimate, until);
        sm->last_progress = sm->estimate->now;
    }
    return sm->front.error   ? SMRF_SM_ERROR
           : sm->front.wants ? SMRF_SM_WANTS_BLOCK
                             : SMRF_SM_REACHED;
}
