/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: which split executes a trace line. */
#include "models/simt_stack/simt_internal.h"

static bool waits_softly_(const struct smrf_simt *s, int i)
{
    return s->splits[i].wait != 0 && s->entries[smrf_simt_entry_of_(s, s->splits[i].wait)].soft;
}

/* Lanes of several splits: an indirect branch whose lanes turn out to go the same way, or splits
 * that wait together at a WARPSYNC. */
static struct smrf_simt_fit fit_spanning_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    struct smrf_simt_fit none = {SMRF_SIMT_FIT_NONE, -1, -1};
    int home = -1, soft = 0, all = 0;
    bool absorb = true;
    for (int i = 0; i < s->num_splits && home < 0; i++) {
        const struct smrf_simt_split *p = &s->splits[i];
        if ((p->mask & mask) != 0 && p->wait == 0 && smrf_simt_pc_of_(s, i) == pc) {
            home = i;
        }
    }
    for (int i = 0; i < s->num_splits; i++) {
        const struct smrf_simt_split *p = &s->splits[i];
        if ((p->mask & mask) == 0) {
            continue;
        }
        all++;
        soft += p->wait != 0 && waits_softly_(s, i) && p->pc == pc;
        absorb &= i == home || (p->wait == 0 && home >= 0 && smrf_simt_joins_(s, i, home));
    }
    if (soft == all) {
        return (struct smrf_simt_fit){SMRF_SIMT_FIT_SOFT, smrf_simt_split_of_(s, mask), -1};
    }
    return absorb && home >= 0 ? (struct smrf_simt_fit){SMRF_SIMT_FIT_ABSORB, home, -1} : none;
}

static uint32_t sure_pc_of_(const struct smrf_simt *s, int i)
{
    return i == s->cur ? s->sure_pc : s->splits[i].sure_pc;
}

uint32_t smrf_simt_blind_start_(const struct smrf_simt *s, int i)
{
    uint32_t sure = sure_pc_of_(s, i);
    return sure != SMRF_SIMT_NO_PC ? sure : s->splits[i].blind_pc;
}

/* Did split i come through pc only over mask-0 lines? They fall through, so a run is a range. */
static bool ran_blind_over_(const struct smrf_simt *s, int i, uint32_t pc)
{
    return s->splits[i].wait == 0 && smrf_simt_blind_start_(s, i) <= pc &&
           pc < smrf_simt_pc_of_(s, i) && sure_pc_of_(s, i) != smrf_simt_pc_of_(s, i) &&
           smrf_simt_pc_of_(s, i) != SMRF_SIMT_NO_PC;
}

/* Split i holds lanes that run at pc. */
static struct smrf_simt_fit fit_undecided_(const struct smrf_simt *s, int i, uint32_t pc)
{
    for (int k = 0; k < s->num_splits; k++) {
        if (k != i && s->splits[k].wait == 0 && smrf_simt_pc_of_(s, k) == pc &&
            smrf_simt_joins_(s, i, k)) {
            return (struct smrf_simt_fit){SMRF_SIMT_FIT_ABSORB, k, -1};
        }
    }
    bool here = smrf_simt_may_be_(&s->splits[i], pc);
    return (struct smrf_simt_fit){here ? SMRF_SIMT_FIT_LEARN : SMRF_SIMT_FIT_NONE, i, -1};
}

/* Mask-0 lines may have been given to the wrong split. Split i holds lanes that run at pc, where it
 * is not. */
static struct smrf_simt_fit fit_otherwise_(const struct smrf_simt *s, int i, uint32_t pc)
{
    uint32_t at = smrf_simt_pc_of_(s, i);
    if (at == SMRF_SIMT_NO_PC && smrf_simt_undecided_(&s->splits[i])) {
        return fit_undecided_(s, i, pc);
    }
    bool nowhere = at != SMRF_SIMT_NO_PC && sure_pc_of_(s, i) == SMRF_SIMT_NO_PC;
    int unknown = -1;
    for (int k = 0; k < s->num_splits; k++) {
        if (k == i || s->splits[k].wait != 0) {
            continue;
        }
        uint32_t there = smrf_simt_pc_of_(s, k);
        if (there == pc && (at == SMRF_SIMT_NO_PC ? k == s->cur && sure_pc_of_(s, k) != there
                                                  : ran_blind_over_(s, k, at))) {
            return (struct smrf_simt_fit){SMRF_SIMT_FIT_EXCHANGE, i, k};
        }
        if ((ran_blind_over_(s, i, pc) && there == pc) ||
            (nowhere && there == smrf_simt_blind_start_(s, i))) {
            return (struct smrf_simt_fit){SMRF_SIMT_FIT_UNDO, i, k};
        }
        if (there == SMRF_SIMT_NO_PC && !smrf_simt_undecided_(&s->splits[k])) {
            unknown = k;
        }
    }
    if (unknown >= 0 && (nowhere || ran_blind_over_(s, i, pc))) {
        return (struct smrf_simt_fit){SMRF_SIMT_FIT_UNDO, i, unknown};
    }
    if (at != SMRF_SIMT_NO_PC && s->splits[i].given_pc == pc && s->splits[i].blind_pc == at) {
        return (struct smrf_simt_fit){SMRF_SIMT_FIT_TAKE_BACK, i, -1};
    }
    return (struct smrf_simt_fit){at == SMRF_SIMT_NO_PC ? SMRF_SIMT_FIT_LEARN : SMRF_SIMT_FIT_NONE,
                                  i, -1};
}

static struct smrf_simt_fit fit_lanes_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    struct smrf_simt_fit fit = {SMRF_SIMT_FIT_NONE, smrf_simt_split_of_(s, mask), -1};
    if ((mask & ~s->live) != 0) {
        return fit;
    }
    const struct smrf_simt_split *p = &s->splits[fit.split];
    if ((mask & ~p->mask) != 0) {
        return fit_spanning_(s, pc, mask);
    }
    if (p->wait != 0) {
        fit.kind =
            p->pc == pc && waits_softly_(s, fit.split) ? SMRF_SIMT_FIT_SOFT : SMRF_SIMT_FIT_NONE;
    } else if (smrf_simt_pc_of_(s, fit.split) == pc) {
        fit.kind = SMRF_SIMT_FIT_AT;
    } else {
        fit = fit_otherwise_(s, fit.split, pc);
    }
    return fit;
}

/* No split fits better: the running split if it is there, else the newest that is; that a split of
 * unknown pc came here is less likely, and least that one called a function here. */
static struct smrf_simt_fit fit_empty_(const struct smrf_simt *s, uint32_t pc)
{
    enum { CALLED, CAME, RUNNING, THERE, NUM_RANKS };
    int rank[NUM_RANKS] = {-1, -1, -1, -1}, soft = -1;
    if (s->cur >= 0 && smrf_simt_pc_of_(s, s->cur) == pc) {
        return (struct smrf_simt_fit){SMRF_SIMT_FIT_AT, s->cur, -1};
    }
    for (int i = 0; i < s->num_splits; i++) {
        const struct smrf_simt_split *p = &s->splits[i];
        if (p->wait != 0 && p->pc == pc && waits_softly_(s, i)) {
            soft = i;
        } else if (p->wait == 0 && smrf_simt_pc_of_(s, i) == pc) {
            rank[THERE] = i;
        } else if (p->wait == 0 && smrf_simt_pc_of_(s, i) == SMRF_SIMT_NO_PC &&
                   (!smrf_simt_undecided_(p) || smrf_simt_may_be_(p, pc))) {
            rank[i == s->cur ? RUNNING : p->call_pc == SMRF_SIMT_NO_PC ? CAME : CALLED] = i;
        }
    }
    for (int r = NUM_RANKS - 1; r >= 0; r--) {
        if (rank[r] >= 0) {
            return (struct smrf_simt_fit){r == THERE ? SMRF_SIMT_FIT_AT : SMRF_SIMT_FIT_LEARN,
                                          rank[r], -1};
        }
    }
    return (struct smrf_simt_fit){soft >= 0 ? SMRF_SIMT_FIT_SOFT : SMRF_SIMT_FIT_NONE, soft, -1};
}

struct smrf_simt_fit smrf_simt_fit_line_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    if (mask == 0) {
        return fit_empty_(s, pc);
    }
    if (s->cur >= 0 && smrf_simt_pc_of_(s, s->cur) == pc && (mask & ~s->steady.active) == 0) {
        return (struct smrf_simt_fit){SMRF_SIMT_FIT_AT, s->cur, -1};
    }
    return fit_lanes_(s, pc, mask);
}
