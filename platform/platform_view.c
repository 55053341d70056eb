/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: what a view cannot do is refused by name before anything is built. */
#include "platform_internal.h"

#include "models/estimate/estimate.h"

/* Does a mechanism take part in what a sub-core does? */
static bool takes_part_(const struct smrf_mechanism *m)
{
    return m->collector || m->allocation || m->rename || m->memory || m->write || m->warp ||
           m->control || m->allotment || m->block || m->micro || m->schedule || m->gpu;
}

int smrf_platform_check_view(struct smrf_platform *p)
{
    const struct smrf_estimate_config part = {p->cfg.sm, p->cfg.rf, p->cfg.issue, p->cfg.scoreboard,
                                              p->cfg.frontend};
    const char *refused = smrf_estimate_refusal(&part);
    if (smrf_view_is_exact(&p->cfg)) {
        return SMRF_OK;
    }
    if (takes_part_(p->mechanism)) {
        return smrf_platform_fail(
            p, SMRF_ERR_INVAL,
            "sim.view=scoreboard does not model the mechanism %s: use "
            "sim.view=at, or a mechanism without a part of its own (baseline)",
            p->mechanism->name);
    }
    if (refused) {
        return smrf_platform_fail(
            p, SMRF_ERR_INVAL, "sim.view=scoreboard does not model %s: use sim.view=at", refused);
    }
    return p->num_energy_own || p->observer.attach
               ? smrf_platform_fail(p, SMRF_ERR_INVAL,
                                    "sim.view=scoreboard has no %s: use sim.view=at",
                                    p->num_energy_own ? "energy" : "timeline and no profile")
               : SMRF_OK;
}
