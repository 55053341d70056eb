/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: what branches, barriers and exits do to splits and barriers. */
#include "models/simt_stack/simt_internal.h"

int smrf_simt_part_(struct smrf_simt *s, int i, uint32_t lanes, uint32_t pc,
                    const struct smrf_simt_turn *line)
{
    s->cur = (int8_t)i;
    s->splits[i].many = false; /* its lanes show where it is */
    if (lanes == s->splits[i].mask) {
        s->splits[i].pc = s->splits[i].sure_pc = pc;
        return i;
    }
    s->splits[i].mask &= ~lanes;
    s->splits[i].pc = s->splits[i].sure_pc = line->next;
    if ((line->out->events & SMRF_SIMT_DIVERGE) == 0) {
        s->log->stats.divergences++;
    }
    line->out->events |= SMRF_SIMT_DIVERGE;
    return smrf_simt_add_split_(s, pc, lanes);
}

void smrf_simt_arrive_(struct smrf_simt *s, int i, uint32_t number, uint32_t pc,
                       const struct smrf_simt_turn *line)
{
    int j = smrf_simt_part_(s, i, line->mask, pc, line);
    s->splits[j].wait = number;
    s->log->stats.arrivals++;
    if (j == i) {
        s->cur = -1;
    }
    smrf_simt_sweep_(s, line->out);
    int back = smrf_simt_split_of_(s, line->mask);
    if (s->cur < 0 && s->splits[back].wait == 0) {
        s->cur = (int8_t)back;
    }
}

static char letter_(const struct smrf_static_inst *op, size_t i)
{
    for (size_t k = 0; op->text != NULL && k <= i; k++) {
        if (op->text[k] == '\0') {
            return '\0';
        }
    }
    return op->text != NULL ? op->text[i] : '\0';
}

bool smrf_simt_indirect_(const struct smrf_static_inst *op)
{
    return letter_(op, 2) == 'X'; /* BRX, JMX, BRXU, JMXU */
}

static void act_branch_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    bool indirect = smrf_simt_indirect_(line->op);
    uint32_t target = indirect ? SMRF_SIMT_NO_PC : smrf_simt_target_(s, line->imm);
    int j = smrf_simt_part_(s, i, line->mask, target, line);
    s->splits[j].many = indirect;
}

static void act_open_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    uint8_t kind = SMRF_SIMT_KIND_SYNC;
    if (letter_(line->op, 0) == 'P') {
        kind = letter_(line->op, 1) == 'C' ? SMRF_SIMT_KIND_CONT : SMRF_SIMT_KIND_BRK;
    }
    uint32_t frame = smrf_simt_frame_number_(s, line->mask);
    /* The same barrier register again: what it held of these lanes is gone. */
    for (int k = 0; s->volta && k < s->num_entries; k++) {
        if (s->entries[k].pc == line->op->pc && s->entries[k].frame == frame) {
            s->entries[k].lanes &= ~line->mask;
        }
    }
    s->cur = (int8_t)i;
    s->splits[i].pc = line->next;
    smrf_simt_sweep_(s, line->out);
    smrf_simt_open_entry_(s, line->mask, line->op->pc, kind, line->out)->target =
        smrf_simt_target_(s, line->imm);
    s->log->stats.barriers++;
}

static void act_sync_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    uint8_t kind = SMRF_SIMT_KIND_SYNC;
    char c = letter_(line->op, 0);
    if (!s->volta && (c == 'B' || c == 'C')) {
        kind = c == 'B' ? SMRF_SIMT_KIND_BRK : SMRF_SIMT_KIND_CONT;
    }
    int k = smrf_simt_find_entry_(s, kind, line->mask, s->volta ? line->op->pc : SMRF_SIMT_NO_PC);
    if (k < 0) {
        s->log->stats.strays++;
        int j = smrf_simt_part_(s, i, line->mask, s->volta ? line->next : SMRF_SIMT_NO_PC, line);
        s->splits[j].many = !s->volta;
        return;
    }
    struct smrf_simt_entry *e = &s->entries[k];
    e->lanes |= line->mask;
    if (s->volta && e->target == SMRF_SIMT_NO_PC) {
        e->target = line->op->pc;
    }
    for (int n = k + 1; n < s->num_entries; n++) {
        if (s->entries[n].kind != SMRF_SIMT_KIND_WARPSYNC) {
            s->entries[n].lanes &= ~line->mask;
        }
    }
    smrf_simt_arrive_(s, i, e->number, s->volta ? line->next : e->target, line);
}

static void act_break_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    s->splits[i].pc = line->next;
    s->cur = (int8_t)i;
    s->log->stats.breaks++;
    int k = smrf_simt_find_entry_(s, SMRF_SIMT_KIND_SYNC, line->mask, SMRF_SIMT_NO_PC);
    if (k < 0) {
        return;
    }
    s->entries[k].lanes &= ~line->mask;
    smrf_simt_sweep_(s, line->out);
}

static void act_warpsync_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    /* WARPSYNC.COLLECTIVE and .EXCLUSIVE have a code address as immediate. */
    bool modified = letter_(line->op, 8) == '.';
    uint32_t lanes = 0;
    if (modified && letter_(line->op, 9) == 'A') { /* WARPSYNC.ALL */
        lanes = UINT32_MAX;
    } else if (!modified && s->cfg->has_targets && line->imm <= UINT32_MAX) {
        lanes = (uint32_t)line->imm;
    }
    bool soft = (lanes & line->mask) != line->mask;
    lanes = soft ? s->live : (lanes & s->live);
    uint32_t number = 0;
    s->cur = (int8_t)i; /* follows the split where opening an entry moves it */
    for (int k = s->num_entries - 1; k >= 0 && number == 0; k--) {
        const struct smrf_simt_entry *e = &s->entries[k];
        if (e->kind == SMRF_SIMT_KIND_WARPSYNC && e->soft == soft &&
            (soft ? e->pc == line->op->pc && (e->lanes & line->mask) == line->mask
                  : e->lanes == lanes)) {
            number = e->number;
        }
    }
    if (number == 0) {
        struct smrf_simt_entry *e =
            smrf_simt_open_entry_(s, lanes, line->op->pc, SMRF_SIMT_KIND_WARPSYNC, line->out);
        e->soft = soft;
        e->frame = 0; /* of no call: it outlives a return of other lanes */
        number = e->number;
    }
    smrf_simt_arrive_(s, s->cur, number, line->next, line);
}

static uint32_t count_lanes_(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (uint32_t)(x * UINT64_C(0x01010101)) >> 24;
}

static void act_exit_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    uint32_t lanes = line->mask;
    line->out->events |= SMRF_SIMT_EXIT;
    s->log->stats.exits += count_lanes_(lanes);
    s->live &= ~lanes;
    for (int k = 0; k < s->num_entries; k++) {
        s->entries[k].lanes &= ~lanes;
    }
    for (int f = s->num_frames - 1; f >= 0; f--) {
        smrf_simt_leave_frame_(s, f, lanes, line->out);
    }
    smrf_simt_release_frames_(s, line->out);
    s->cur = (int8_t)i;
    s->splits[i].mask &= ~lanes;
    s->splits[i].pc = line->next;
    if (s->splits[i].mask == 0) {
        smrf_simt_remove_split_(s, i);
    }
    smrf_simt_sweep_(s, line->out);
}

void smrf_simt_act_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    typedef void act_fn(struct smrf_simt *, int, const struct smrf_simt_turn *);
    static act_fn *const act[] = {
        [SMRF_FLOW_BRANCH] = act_branch_,     [SMRF_FLOW_CALL] = smrf_simt_act_call_,
        [SMRF_FLOW_RET] = smrf_simt_act_ret_, [SMRF_FLOW_BSSY] = act_open_,
        [SMRF_FLOW_BSYNC] = act_sync_,        [SMRF_FLOW_BREAK] = act_break_,
        [SMRF_FLOW_WARPSYNC] = act_warpsync_, [SMRF_FLOW_SSY] = act_open_,
        [SMRF_FLOW_SYNC] = act_sync_,         [SMRF_FLOW_EXIT] = act_exit_,
    };
    uint8_t flow = line->op->flow;
    if (flow == SMRF_FLOW_YIELD) {
        s->log->stats.yields++;
    }
    if (flow < sizeof act / sizeof act[0] && act[flow] != NULL && line->mask != 0) {
        line->out->lanes = line->mask;
        act[flow](s, i, line);
        return;
    }
    s->splits[i].pc = line->next;
    s->cur = (int8_t)i;
}
