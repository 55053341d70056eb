/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: what branches, barriers and exits do to splits and barriers. */
#include "models/simt_stack/simt_internal.h"

int smrf_simt_part_(struct smrf_simt *s, int i, uint32_t lanes, uint32_t pc,
                    const struct smrf_simt_turn *turn)
{
    s->cur = (int8_t)i;
    s->splits[i].many = false; /* its lanes show where it is */
    if (lanes == s->splits[i].mask) {
        s->splits[i].pc = s->splits[i].sure_pc = pc;
        return i;
    }
    s->splits[i].mask &= ~lanes;
    s->splits[i].pc = s->splits[i].sure_pc = turn->after;
    if ((turn->out->events & SMRF_SIMT_DIVERGE) == 0) {
        s->log->stats.divergences++;
    }
    turn->out->events |= SMRF_SIMT_DIVERGE;
    return smrf_simt_add_split_(s, pc, lanes);
}

void smrf_simt_arrive_(struct smrf_simt *s, int i, uint32_t number, uint32_t pc,
                       const struct smrf_simt_turn *turn)
{
    int j = smrf_simt_part_(s, i, turn->mask, pc, turn);
    s->splits[j].wait = number;
    s->log->stats.arrivals++;
    if (j == i) {
        s->cur = -1;
    }
    smrf_simt_sweep_(s, turn->out);
    int back = smrf_simt_split_of_(s, turn->mask);
    if (s->cur < 0 && s->splits[back].wait == 0) {
        s->cur = (int8_t)back;
    }
}

static void act_branch_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    bool indirect = turn->line->flow == SMRF_SIMT_FLOW_BRANCH_REGISTER;
    uint32_t target = indirect ? SMRF_SIMT_NO_PC : smrf_simt_target_(s, turn->line->imm);
    int j = smrf_simt_part_(s, i, turn->mask, target, turn);
    s->splits[j].many = indirect;
    if (!indirect) {
        if (j == i) {
            smrf_simt_forget_branch_(&s->splits[j]);
        }
        smrf_simt_note_branch_(&s->splits[j], turn->after, target);
    }
}

static void act_open_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    uint8_t flow = turn->line->flow;
    uint8_t kind = flow == SMRF_SIMT_FLOW_PBK    ? SMRF_SIMT_KIND_BRK
                   : flow == SMRF_SIMT_FLOW_PCNT ? SMRF_SIMT_KIND_CONT
                                                 : SMRF_SIMT_KIND_SYNC;
    uint32_t frame = smrf_simt_frame_number_(s, turn->mask);
    /* The same barrier register again: what it held of these lanes is gone. */
    for (int k = 0; s->volta && k < s->num_entries; k++) {
        if (s->entries[k].pc == turn->pc && s->entries[k].frame == frame) {
            s->entries[k].lanes &= ~turn->mask;
        }
    }
    s->cur = (int8_t)i;
    s->splits[i].pc = turn->after;
    smrf_simt_sweep_(s, turn->out);
    smrf_simt_open_entry_(s, turn->mask, turn->pc, kind, turn->out)->target =
        smrf_simt_target_(s, turn->line->imm);
    s->log->stats.barriers++;
}

static void act_sync_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    uint8_t flow = turn->line->flow;
    uint8_t kind = flow == SMRF_SIMT_FLOW_BRK    ? SMRF_SIMT_KIND_BRK
                   : flow == SMRF_SIMT_FLOW_CONT ? SMRF_SIMT_KIND_CONT
                                                 : SMRF_SIMT_KIND_SYNC;
    int k = smrf_simt_find_entry_(s, kind, turn->mask, s->volta ? turn->pc : SMRF_SIMT_NO_PC);
    if (k < 0) {
        s->log->stats.strays++;
        int j = smrf_simt_part_(s, i, turn->mask, s->volta ? turn->after : SMRF_SIMT_NO_PC, turn);
        s->splits[j].many = !s->volta;
        return;
    }
    struct smrf_simt_entry *e = &s->entries[k];
    e->lanes |= turn->mask;
    if (s->volta && e->target == SMRF_SIMT_NO_PC) {
        e->target = turn->pc;
    }
    for (int n = k + 1; n < s->num_entries; n++) {
        if (s->entries[n].kind != SMRF_SIMT_KIND_WARPSYNC) {
            s->entries[n].lanes &= ~turn->mask;
        }
    }
    smrf_simt_arrive_(s, i, e->number, s->volta ? turn->after : e->target, turn);
}

static void act_break_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    s->splits[i].pc = turn->after;
    s->cur = (int8_t)i;
    s->log->stats.breaks++;
    int k = smrf_simt_find_entry_(s, SMRF_SIMT_KIND_SYNC, turn->mask, SMRF_SIMT_NO_PC);
    if (k < 0) {
        return;
    }
    s->entries[k].lanes &= ~turn->mask;
    smrf_simt_sweep_(s, turn->out);
}

static void act_warpsync_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    uint32_t lanes = 0;
    if (turn->line->flow == SMRF_SIMT_FLOW_WARPSYNC_ALL) {
        lanes = UINT32_MAX;
    } else if (turn->line->flow == SMRF_SIMT_FLOW_WARPSYNC && s->cfg->has_targets &&
               turn->line->imm <= UINT32_MAX) {
        lanes = (uint32_t)turn->line->imm;
    }
    bool soft = (lanes & turn->mask) != turn->mask;
    lanes = soft ? s->live : (lanes & s->live);
    uint32_t number = 0;
    s->cur = (int8_t)i; /* follows the split where opening an entry moves it */
    for (int k = s->num_entries - 1; k >= 0 && number == 0; k--) {
        const struct smrf_simt_entry *e = &s->entries[k];
        if (e->kind == SMRF_SIMT_KIND_WARPSYNC && e->soft == soft &&
            (soft ? e->pc == turn->pc && (e->lanes & turn->mask) == turn->mask
                  : e->lanes == lanes)) {
            number = e->number;
        }
    }
    if (number == 0) {
        struct smrf_simt_entry *e =
            smrf_simt_open_entry_(s, lanes, turn->pc, SMRF_SIMT_KIND_WARPSYNC, turn->out);
        e->soft = soft;
        e->frame = 0; /* of no call: it outlives a return of other lanes */
        number = e->number;
    }
    smrf_simt_arrive_(s, s->cur, number, turn->after, turn);
}

static uint32_t count_lanes_(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (uint32_t)(x * UINT64_C(0x01010101)) >> 24;
}

static void act_exit_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    uint32_t lanes = turn->mask;
    turn->out->events |= SMRF_SIMT_EXIT;
    s->log->stats.exits += count_lanes_(lanes);
    s->live &= ~lanes;
    for (int k = 0; k < s->num_entries; k++) {
        s->entries[k].lanes &= ~lanes;
    }
    for (int f = s->num_frames - 1; f >= 0; f--) {
        smrf_simt_leave_frame_(s, f, lanes, turn->out);
    }
    smrf_simt_release_frames_(s, turn->out);
    s->cur = (int8_t)i;
    s->splits[i].mask &= ~lanes;
    s->splits[i].pc = turn->after;
    if (s->splits[i].mask == 0) {
        smrf_simt_remove_split_(s, i);
    }
    smrf_simt_sweep_(s, turn->out);
}

void smrf_simt_act_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    typedef void act_fn(struct smrf_simt *, int, const struct smrf_simt_turn *);
    static act_fn *const act[SMRF_SIMT_FLOW_COUNT] = {
        [SMRF_SIMT_FLOW_BRANCH] = act_branch_,
        [SMRF_SIMT_FLOW_BRANCH_IF] = smrf_simt_act_branch_if_,
        [SMRF_SIMT_FLOW_BRANCH_REGISTER] = act_branch_,
        [SMRF_SIMT_FLOW_CALL] = smrf_simt_act_call_,
        [SMRF_SIMT_FLOW_CALL_REGISTER] = smrf_simt_act_call_,
        [SMRF_SIMT_FLOW_RET] = smrf_simt_act_ret_,
        [SMRF_SIMT_FLOW_BSSY] = act_open_,
        [SMRF_SIMT_FLOW_BSYNC] = act_sync_,
        [SMRF_SIMT_FLOW_BREAK] = act_break_,
        [SMRF_SIMT_FLOW_WARPSYNC] = act_warpsync_,
        [SMRF_SIMT_FLOW_WARPSYNC_ALL] = act_warpsync_,
        [SMRF_SIMT_FLOW_WARPSYNC_ANY] = act_warpsync_,
        [SMRF_SIMT_FLOW_SSY] = act_open_,
        [SMRF_SIMT_FLOW_PBK] = act_open_,
        [SMRF_SIMT_FLOW_PCNT] = act_open_,
        [SMRF_SIMT_FLOW_SYNC] = act_sync_,
        [SMRF_SIMT_FLOW_BRK] = act_sync_,
        [SMRF_SIMT_FLOW_CONT] = act_sync_,
        [SMRF_SIMT_FLOW_EXIT] = act_exit_,
    };
    uint8_t flow = turn->line->flow;
    if (flow == SMRF_SIMT_FLOW_YIELD) {
        s->log->stats.yields++;
    }
    if (flow < SMRF_SIMT_FLOW_COUNT && act[flow] != NULL && turn->mask != 0) {
        turn->out->lanes = turn->mask;
        if (flow != SMRF_SIMT_FLOW_BRANCH) { /* behind which go the lanes that it does not move */
            smrf_simt_forget_branch_(&s->splits[i]);
        }
        act[flow](s, i, turn);
        return;
    }
    s->splits[i].pc = turn->after;
    s->cur = (int8_t)i;
}
