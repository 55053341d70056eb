/* SPDX-License-Identifier: Apache-2.0 */
/* Why a warp makes no progress, for the watchdog's report; where the value oracle found something.
 * Never on the hot path. */
#include "sm_state.h"

/* --- where an instruction in flight is ------------------------------------------------------------ */

static bool in_write_queue_(const struct smrf_sm_sub *s, uint32_t slot, int32_t *bank)
{
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        for (unsigned i = 0; i < s->queue_count[b]; i++) {
            if (s->queue[b][(s->queue_head[b] + i) % SMRF_SM_WRITE_QUEUE].slot == slot) {
                *bank = (int32_t)b;
                return true;
            }
        }
    }
    return false;
}

static bool in_collector_(const struct smrf_sm *sm, const struct smrf_sm_sub *s, uint32_t slot,
                          struct smrf_wait_info *info)
{
    const struct smrf_collectors *c = s->blocks.collectors;
    for (unsigned u = 0; u < c->count; u++) {
        if (c->free_mask >> u & 1 || c->unit[u].slot != slot) {
            continue;
        }
        info->holder_collector = (int32_t)u;
        info->holder_place = "collector, ready for its unit";
        if (c->unit[u].missing) {
            const struct smrf_flight *f = &sm->flight[slot];
            unsigned i = (unsigned)__builtin_ctz(c->unit[u].missing);
            unsigned phys = f->src_phys[i] == SMRF_PHYS_NONE ? f->src_reg[i] : f->src_phys[i];
            info->holder_bank = (int32_t)smrf_sm_bank_of(&sm->cfg, f->warp, phys);
            info->holder_place = "collector, waiting for a bank";
        }
        return true;
    }
    return false;
}

static void place_(const struct smrf_sm *sm, uint32_t slot, struct smrf_wait_info *info)
{
    const struct smrf_flight *f = &sm->flight[slot];
    const struct smrf_sm_sub *s = &sm->sub[f->sub];

    info->slot = slot;
    info->holder_warp = f->warp;
    info->holder_pc = f->op->pc;
    info->holder_text = f->op->text;
    if (s->blocks.issue->latch_full >> f->unit & 1 && s->blocks.issue->latch[f->unit] == slot) {
        info->holder_place = "issue latch";
    } else if (in_collector_(sm, s, slot, info)) {
        return;
    } else if (s->unit_full >> f->unit & 1 && s->unit_latch[f->unit] == slot) {
        info->holder_place = "latch before its unit";
    } else if (in_write_queue_(s, slot, &info->holder_bank)) {
        info->holder_place = "write queue of a bank";
    } else {
        info->holder_place =
            f->unit == SMRF_UNIT_MEM ? "load/store unit or memory" : "execution unit";
    }
}

/* --- who holds what the head instruction needs ------------------------------------------------------- */

static bool contains_(const uint8_t *regs, unsigned count, unsigned reg)
{
    for (unsigned i = 0; i < count; i++) {
        if (regs[i] == reg) {
            return true;
        }
    }
    return false;
}

static bool matches_(const struct smrf_flight *f, enum smrf_wait wait, unsigned reg)
{
    switch (wait) {
    case SMRF_WAIT_REGISTER:
        return reg >= SMRF_DEPEND_UNIFORM
                   ? contains_(f->op->udst, f->op->num_udst, reg - SMRF_DEPEND_UNIFORM)
                   : contains_(f->dst_reg, f->num_dst, reg);
    case SMRF_WAIT_READERS:
        return contains_(f->src_reg, f->num_src, reg);
    default:
        return true;
    }
}

/* Name the oldest instruction of the warp in flight that matches. */
static void find_holder_(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    uint64_t used[SMRF_MAX_FLIGHTS / 64];
    uint32_t best = SMRF_NO_SLOT;
    for (unsigned i = 0; i < SMRF_MAX_FLIGHTS / 64; i++) {
        used[i] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < sm->flights.free_count; i++) {
        used[sm->flights.free[i] / 64] &= ~(UINT64_C(1) << (sm->flights.free[i] % 64));
    }
    for (uint32_t slot = 0; slot < SMRF_MAX_FLIGHTS; slot++) {
        const struct smrf_flight *f = &sm->flight[slot];
        if (used[slot / 64] >> (slot % 64) & 1 && f->warp == warp &&
            matches_(f, info->wait, info->reg) &&
            (best == SMRF_NO_SLOT || f->uid < sm->flight[best].uid)) {
            best = slot;
        }
    }
    if (best != SMRF_NO_SLOT) {
        place_(sm, best, info);
    }
}

/* The way out of issue: who is in it? */
static void explain_exit_(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_sm_issue_of(sm, warp);
    const struct smrf_collectors *c = sm->sub[smrf_sm_sub_of(sm, warp)].blocks.collectors;
    unsigned unit = issue->warp[smrf_sm_k_of(sm, warp)].head_unit;

    if (sm->cfg.issue.latches) {
        if (issue->latch_full >> unit & 1) {
            info->wait = SMRF_WAIT_UNIT;
            place_(sm, issue->latch[unit], info);
        }
    } else if (c->free_mask == 0) {
        info->wait = SMRF_WAIT_COLLECTOR;
        place_(sm, c->unit[0].slot, info);
    } else if (sm->links.mechanism->allocation) {
        info->wait = SMRF_WAIT_MECHANISM;
    }
}

static enum smrf_wait state_of_(const struct smrf_issue *issue, unsigned k)
{
    const struct smrf_issue_warp *w = &issue->warp[k];
    uint64_t bit = UINT64_C(1) << k;

    return !(issue->resident & bit)                   ? SMRF_WAIT_NO_WARP
           : !w->head && issue->ended & bit           ? SMRF_WAIT_DRAIN
           : !w->head                                 ? SMRF_WAIT_FETCH
           : issue->barrier & bit                     ? SMRF_WAIT_BARRIER
           : w->membar || w->atomics                  ? SMRF_WAIT_MEMBAR
           : issue->held & bit                        ? SMRF_WAIT_MECHANISM
           : issue->data & bit                        ? SMRF_WAIT_REGISTER
           : issue->war & bit                         ? SMRF_WAIT_READERS
           : issue->rename & bit                      ? SMRF_WAIT_MECHANISM
           : !(smrf_issue_probe_allowed(issue) & bit) ? SMRF_WAIT_POLICY
                                                      : SMRF_WAIT_NONE;
}

void smrf_sm_explain(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info)
{
    const struct smrf_issue *issue = smrf_sm_issue_of(sm, warp);
    unsigned k = smrf_sm_k_of(sm, warp);
    const struct smrf_issue_warp *w = &issue->warp[k];
    *info = (struct smrf_wait_info){
        .wait = state_of_(issue, k),
        .slot = SMRF_NO_SLOT,
        .holder_bank = -1,
        .holder_collector = -1,
        .stores = w->stores,
    };
    if (w->head) {
        info->pc = w->head->op->pc;
        info->text = w->head->op->text;
        if (info->wait == SMRF_WAIT_REGISTER || info->wait == SMRF_WAIT_READERS) {
            info->reg = smrf_issue_probe_culprit(
                issue, k, info->wait == SMRF_WAIT_READERS ? SMRF_HAZARD_WAR : SMRF_HAZARD_DATA);
        }
    }
    switch (info->wait) {
    case SMRF_WAIT_NONE:
        explain_exit_(sm, warp, info);
        break;
    case SMRF_WAIT_REGISTER:
    case SMRF_WAIT_READERS:
    case SMRF_WAIT_MEMBAR:
    case SMRF_WAIT_DRAIN:
        find_holder_(sm, warp, info);
        break;
    default:
        break;
    }
}

/* --- where something is wrong ----------------------------------------------------------------------- */

void smrf_sm_locate(const struct smrf_sm *sm, struct smrf_finding *at, unsigned sub, unsigned phys)
{
    unsigned index = phys == SMRF_PHYS_NONE ? at->reg : phys;
    at->cycle = sm->cycle;
    at->sm = sm->id;
    at->sub = (uint8_t)sub;
    at->bank = (uint8_t)smrf_sm_bank_of(&sm->cfg, at->warp, index);
    at->row = smrf_sm_row_of(&sm->cfg, phys);
}
