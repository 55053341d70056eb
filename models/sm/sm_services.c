/* SPDX-License-Identifier: Apache-2.0 */
/* What a mechanism may ask of its SM. Whatever it changes may give any block work. */
#include "sm_state.h"

static void wake_all_(struct smrf_sm *sm)
{
    sm->others = 0;
    sm->progress = true;
}

static struct smrf_issue *issue_of_(const struct smrf_sm *sm, unsigned warp)
{
    return smrf_subcores_issue_of(&sm->subcores, warp);
}

static int allot_(void *ctx, unsigned warp, uint32_t registers)
{
    struct smrf_sm *sm = ctx;
    wake_all_(sm);
    return smrf_frontend_allot(&sm->front, warp, registers);
}

static void wake_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    wake_all_(sm);
    smrf_issue_wake(issue_of_(sm, warp), smrf_subcores_k_of(&sm->subcores, warp), sm->cycle);
}

static uint32_t readers_(void *ctx, unsigned sub, struct smrf_register_place at)
{
    const struct smrf_readers *r = &((struct smrf_sm *)ctx)->subcores.sub[sub].issue->readers;
    return at.row == SMRF_ROW_NONE ? 0 : *smrf_readers_at(r, at);
}

static void finish_(void *ctx, uint32_t flight)
{
    struct smrf_sm *sm = ctx;
    wake_all_(sm);
    smrf_ldst_inlet_finish(sm->links.inlet, flight, sm->cycle);
}

static void release_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    wake_all_(sm);
    smrf_frontend_release(&sm->front, warp);
}

static void hold_(void *ctx, unsigned warp, uint32_t cycles)
{
    struct smrf_sm *sm = ctx;
    const uint64_t until = sm->cycle + 1 + cycles;
    smrf_issue_hold(issue_of_(sm, warp), smrf_subcores_k_of(&sm->subcores, warp), until);
    sm->others = until < sm->others ? until : sm->others;
}

static void fail_(void *ctx, unsigned warp, const char *why)
{
    struct smrf_sm *sm = ctx;
    (void)warp;
    sm->front.error = sm->front.error ? sm->front.error : SMRF_ERR_FORMAT;
    sm->refusal = sm->refusal ? sm->refusal : why;
}

static bool evict_(void *ctx, unsigned sub, struct smrf_register_place at, uint32_t token)
{
    struct smrf_sm *sm = ctx;
    wake_all_(sm);
    return smrf_writeback_evict(sm->links.writeback, sub, at, token);
}

static void settle_lists_(void *ctx, unsigned warp)
{
    struct smrf_sm *sm = ctx;
    if (smrf_subcores_settle_lists(&sm->subcores, warp)) {
        wake_all_(sm);
    }
}

void smrf_sm_offer_services(struct smrf_sm *sm)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    sm->services = (struct smrf_services){sm,       allot_, wake_, readers_, finish_,
                                          release_, hold_,  fail_, evict_,   settle_lists_};
    if (mech->attach) {
        mech->attach(sm->links.mechanism_state, &sm->services);
    }
}
