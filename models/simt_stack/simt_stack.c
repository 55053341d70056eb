/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: a trace line from end to end, and the probes. Which split executes it is found
 * in simt_fit.c, what a line that no split can execute does is in simt_follow.c, what instructions
 * do is in simt_flow.c and simt_call.c. */
#include "models/simt_stack/simt_internal.h"

#include <string.h>

int smrf_simt_config_check(const struct smrf_simt_config *cfg)
{
    return cfg->binary_version >= 20 ? SMRF_OK : SMRF_ERR_INVAL;
}

int smrf_simt_init(struct smrf_simt *s, struct smrf_simt_split splits[SMRF_LANES],
                   struct smrf_simt_store *store, const struct smrf_simt_config *cfg, uint32_t warp,
                   struct smrf_simt_log *log)
{
    int err = smrf_simt_config_check(cfg);
    if (err != SMRF_OK) {
        return err;
    }
    s->far = splits;
    s->entries = store->entries;
    s->frames = store->frames;
    s->cfg = cfg;
    s->log = log;
    s->warp = warp;
    s->volta = cfg->binary_version >= 70;
    s->step = s->volta ? 16 : 8;
    /* Control words: none in Fermi, at the head of every 64 bytes in Kepler, of 32 until Pascal. */
    bool words = !s->volta && cfg->binary_version >= 30;
    s->pad = words ? 8 : 0;
    s->group = cfg->binary_version >= 50 ? 31 : 63;
    smrf_simt_reset(s, 0);
    return SMRF_OK;
}

static void seat_(struct smrf_simt *s)
{
    s->pc = SMRF_SIMT_NO_PC;
    s->steady = (struct smrf_simt_out){
        .depth = s->num_entries, .frames = s->num_frames, .splits = s->num_splits};
    if (s->cur < 0) {
        return;
    }
    const struct smrf_simt_split *run = &s->splits[s->cur];
    bool pending = run->call_pc != SMRF_SIMT_NO_PC || smrf_simt_undecided_(run);
    s->pc = pending ? SMRF_SIMT_NO_PC : run->pc; /* NO_PC: the next line is slow */
    s->sure_pc = run->sure_pc;
    s->steady.active = run->mask;
    for (int f = s->num_frames - 1; f >= 0; f--) {
        if ((s->frames[f].lanes & run->mask) != 0) {
            s->steady.call_depth++;
        }
    }
    s->steady.frame = s->steady.own_frame = (uint16_t)(smrf_simt_frame_of_(s, run->mask) + 1);
}

void smrf_simt_reset(struct smrf_simt *s, uint32_t initial_lanes)
{
    s->splits = s->near;
    s->num_splits = 0;
    s->num_entries = s->num_frames = 0;
    s->cur = -1;
    s->live = initial_lanes;
    s->next_number = s->on_frame = 0;
    s->any_lost = false;
    s->sure_pc = SMRF_SIMT_NO_PC;
    memset(s->lost, 0, sizeof s->lost);
    if (initial_lanes != 0) {
        s->cur = (int8_t)smrf_simt_add_split_(s, SMRF_SIMT_NO_PC, initial_lanes);
    }
    seat_(s);
}

int smrf_simt_begin_kernel(struct smrf_simt_stacks *s, const struct smrf_simt_config *cfg,
                           uint32_t first_warp, struct smrf_simt_log *log)
{
    int err = smrf_simt_config_check(cfg);
    if (err == SMRF_OK) {
        s->cfg = cfg;
        s->log = log;
        s->first_warp = first_warp;
    }
    return err;
}

void smrf_simt_start(struct smrf_simt_stacks *s, uint32_t warp, uint32_t initial_lanes)
{
    (void)smrf_simt_init(&s->stack[warp], s->splits[warp], &s->store[warp], s->cfg,
                         s->first_warp + warp, s->log);
    smrf_simt_reset(&s->stack[warp], initial_lanes);
}

void smrf_simt_stacks_reset(struct smrf_simt_stacks *s)
{
    for (uint32_t w = 0; w < SMRF_MAX_WARPS; w++) {
        if (s->stack[w].cfg) {
            smrf_simt_reset(&s->stack[w], 0);
        }
    }
}

/* Split i is at the line, having come in at entry. */
static int learn_(struct smrf_simt *s, int i, uint32_t entry, const struct smrf_simt_turn *turn)
{
    i = smrf_simt_learn_(s, i, turn->pc, turn->mask, turn->out);
    s->splits[i].blind_pc = entry;
    return i;
}

/* Find the split that executes the line and put it at its pc. -1 = there is none. */
static int select_split_(struct smrf_simt *s, const struct smrf_simt_turn *turn)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t pc = turn->pc;
    struct smrf_simt_fit fit = smrf_simt_fit_line_(s, pc, turn->mask);
    if (s->cur >= 0) {
        s->splits[s->cur].pc = smrf_simt_pc_of_(s, s->cur);
        s->splits[s->cur].sure_pc = s->sure_pc;
    }
    switch (fit.kind) {
    case SMRF_SIMT_FIT_AT:
        return turn->mask != 0 && smrf_simt_undecided_(&s->splits[fit.split])
                   ? smrf_simt_decide_(s, fit.split, turn)
                   : fit.split;
    case SMRF_SIMT_FIT_LEARN:
        return learn_(s, fit.split, pc, turn);
    case SMRF_SIMT_FIT_EXCHANGE: {
        struct smrf_simt_split *mine = &s->splits[fit.split], *other = &s->splits[fit.other];
        uint32_t entry = smrf_simt_blind_start_(s, fit.other);
        stats->exchanged++;
        other->pc = mine->pc;
        if (mine->pc == SMRF_SIMT_NO_PC) {
            other->pc = other->sure_pc;
            other->given_pc = pc;
            other->blind_pc = entry; /* valid while it stays there */
            return learn_(s, fit.split, entry, turn);
        }
        mine->pc = pc;
        return fit.split;
    }
    case SMRF_SIMT_FIT_TAKE_BACK:
        stats->exchanged++;
        s->splits[fit.split].pc = pc;
        return fit.split;
    case SMRF_SIMT_FIT_UNDO:
        stats->exchanged++;
        s->splits[fit.other].blind_pc = smrf_simt_blind_start_(s, fit.split);
        s->splits[fit.other].pc = s->splits[fit.split].pc;
        s->splits[fit.split].pc = pc;
        return fit.split;
    case SMRF_SIMT_FIT_SOFT: {
        uint32_t lanes = s->splits[fit.split].mask;
        stats->inferred++;
        turn->out->events |= SMRF_SIMT_LEARNED;
        smrf_simt_release_(s, smrf_simt_entry_of_(s, s->splits[fit.split].wait), turn->out);
        return smrf_simt_split_of_(s, lanes);
    }
    case SMRF_SIMT_FIT_ABSORB: {
        uint32_t lanes = s->splits[fit.split].mask | turn->mask;
        stats->learned++;
        turn->out->events |= SMRF_SIMT_LEARNED;
        smrf_simt_absorb_(s, fit.split, lanes);
        return smrf_simt_split_of_(s, lanes);
    }
    case SMRF_SIMT_FIT_NONE:
        break;
    }
    smrf_simt_report_(s, turn);
    if (turn->out->mismatch == SMRF_SIMT_MISMATCH_CONDITION) {
        int i = smrf_simt_split_of_(s, turn->mask);
        smrf_simt_doubt_(s, i);
        return learn_(s, i, pc, turn);
    }
    return smrf_simt_follow_(s, turn);
}

/* The frequent branch: the running split takes it as a whole to a known target, or not at all. */
static bool step_uniform_branch_(struct smrf_simt *s, const struct smrf_simt_line *line,
                                 struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t to = smrf_simt_next_pc(s, line->pc);
    if (line->pc != s->pc || (line->mask != 0 && line->mask != s->steady.active)) {
        return false;
    }
    if (line->mask != 0) {
        to = smrf_simt_target_(s, line->imm);
        if (to == SMRF_SIMT_NO_PC) {
            return false;
        }
        s->sure_pc = to;
        smrf_simt_forget_branch_(&s->splits[s->cur]);
        smrf_simt_note_branch_(&s->splits[s->cur], smrf_simt_next_pc(s, line->pc), to);
    }
    s->pc = to;
    stats->insts++;
    stats->exact += line->mask != 0;
    stats->empty += line->mask == 0;
    *out = s->steady;
    out->lanes = line->mask;
    return true;
}

/* The line is of the newest frame of its lanes. */
static void enter_line_(struct smrf_simt *s, uint32_t active, struct smrf_simt_out *out)
{
    uint32_t number = smrf_simt_frame_number_(s, active);
    out->own_frame = (uint16_t)(smrf_simt_frame_of_(s, active) + 1);
    if (number != s->on_frame && (out->events & SMRF_SIMT_CALLED) == 0) {
        out->events |= SMRF_SIMT_FRAME_SWITCH;
    }
    s->on_frame = number;
}

/* Where the warp goes on: with the split that runs, else where the line's lanes wait. */
static void leave_line_(struct smrf_simt *s, uint32_t lanes, struct smrf_simt_out *out)
{
    lanes = s->cur >= 0 ? s->splits[s->cur].mask : lanes & s->live;
    s->on_frame = smrf_simt_frame_number_(s, lanes);
    out->frame = (uint8_t)(smrf_simt_frame_of_(s, lanes) + 1);
}

int smrf_simt_step_slow(struct smrf_simt *s, const struct smrf_simt_line *line,
                        struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    if (line->flow == SMRF_SIMT_FLOW_BRANCH && step_uniform_branch_(s, line, out)) {
        return SMRF_SIMT_MATCH;
    }
    uint32_t mask = line->mask;
    *out = (struct smrf_simt_out){0};
    struct smrf_simt_turn turn = {line, line->pc, mask, smrf_simt_next_pc(s, line->pc), out};
    uint32_t before = s->cur >= 0 ? s->splits[s->cur].mask : 0;
    int i = select_split_(s, &turn);
    if (i >= 0 && mask != 0 && s->splits[i].call_pc != SMRF_SIMT_NO_PC) {
        i = smrf_simt_complete_call_(s, i, out);
    }
    stats->insts++;
    if (i < 0) {
        s->cur = -1;
        stats->empty++;
    } else {
        uint32_t active = s->splits[i].mask;
        out->active = active;
        stats->exact += mask == active;
        stats->empty += mask == 0;
        stats->subset += mask != 0 && mask != active;
        if (before != 0 && (before & active) == 0) {
            stats->switches++;
            out->events |= SMRF_SIMT_SWITCH;
        }
        enter_line_(s, active, out);
        smrf_simt_act_(s, i, &turn);
        leave_line_(s, mask != 0 ? mask : active, out);
    }
    if (mask != 0 && s->cur >= 0) {
        s->splits[s->cur].sure_pc = s->splits[s->cur].pc;
        s->splits[s->cur].given_pc = SMRF_SIMT_NO_PC;
        s->splits[s->cur].many &= s->splits[s->cur].pc == SMRF_SIMT_NO_PC;
    }
    seat_(s);
    out->depth = s->steady.depth;
    out->splits = s->steady.splits;
    out->call_depth = s->steady.call_depth;
    out->frames = s->steady.frames;
    return out->mismatch;
}

bool smrf_simt_probe_possible(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    return smrf_simt_fit_line_(s, pc, mask).kind != SMRF_SIMT_FIT_NONE;
}

uint32_t smrf_simt_probe_active(const struct smrf_simt *s)
{
    return s->steady.active;
}

uint32_t smrf_simt_probe_live(const struct smrf_simt *s)
{
    return s->live;
}

uint32_t smrf_simt_probe_depth(const struct smrf_simt *s)
{
    return s->num_entries;
}

uint32_t smrf_simt_probe_call_depth(const struct smrf_simt *s)
{
    return s->steady.call_depth;
}

uint32_t smrf_simt_probe_splits(const struct smrf_simt *s)
{
    return s->num_splits;
}

uint32_t smrf_simt_probe_lane_pc(const struct smrf_simt *s, uint32_t lane)
{
    int i = smrf_simt_split_of_(s, 1u << lane);
    return i < 0 ? SMRF_SIMT_NO_PC : smrf_simt_pc_of_(s, i);
}

bool smrf_simt_probe_lane_waits(const struct smrf_simt *s, uint32_t lane)
{
    int i = smrf_simt_split_of_(s, 1u << lane);
    return i >= 0 && s->splits[i].wait != 0;
}
