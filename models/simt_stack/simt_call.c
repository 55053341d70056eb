/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: calls, returns and their frames. */
#include "models/simt_stack/simt_internal.h"

int smrf_simt_frame_of_(const struct smrf_simt *s, uint32_t lanes)
{
    for (int f = s->num_frames - 1; f >= 0; f--) {
        if ((s->frames[f].lanes & lanes) != 0) {
            return f;
        }
    }
    return -1;
}

uint32_t smrf_simt_frame_number_(const struct smrf_simt *s, uint32_t lanes)
{
    int f = smrf_simt_frame_of_(s, lanes);
    return f < 0 ? 0 : s->frames[f].number;
}

bool smrf_simt_jump_call_(const struct smrf_simt *s, uint32_t call_pc, uint32_t target)
{
    uint32_t next = smrf_simt_next_pc(s, call_pc);
    return target == next || target == smrf_simt_next_pc(s, next);
}

/* Lanes enter a new frame. Returns 1 + its index, 0 where there is no room. */
static uint16_t push_(struct smrf_simt *s, uint32_t lanes, uint32_t call_pc,
                      struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t return_pc = smrf_simt_next_pc(s, call_pc);
    bool nested_in_lost = false;
    for (uint32_t l = 0; s->any_lost && l < SMRF_LANES; l++) {
        nested_in_lost |= (lanes >> l & 1u) != 0 && s->lost[l] != 0;
    }
    if (s->num_frames == SMRF_SIMT_DEPTH || nested_in_lost) {
        stats->lost_calls++;
        out->events |= SMRF_SIMT_OVERFLOW;
        s->any_lost = true;
        for (uint32_t l = 0; l < SMRF_LANES; l++) {
            s->lost[l] = (uint16_t)(s->lost[l] + (lanes >> l & 1u));
        }
        return 0;
    }
    if (!s->volta) {
        smrf_simt_open_entry_(s, lanes, call_pc, SMRF_SIMT_KIND_RET, out)->target = return_pc;
    }
    s->frames[s->num_frames++] = (struct smrf_simt_frame){.lanes = lanes,
                                                          .number = smrf_simt_new_number_(s),
                                                          .call_pc = call_pc,
                                                          .return_pc = return_pc};
    stats->calls++;
    if (s->num_frames > stats->max_frames) {
        stats->max_frames = s->num_frames;
    }
    return s->num_frames;
}

/* The line's own call, which sends its lanes to target. */
static void enter_(struct smrf_simt *s, uint32_t lanes, uint32_t target,
                   const struct smrf_simt_turn *turn)
{
    struct smrf_simt_out *out = turn->out;
    if (smrf_simt_jump_call_(s, turn->pc, target)) {
        s->log->stats.jump_calls++;
        return;
    }
    out->call_frame = push_(s, lanes, turn->pc, out);
    if (out->call_frame != 0) {
        out->events |= SMRF_SIMT_CALL;
        out->call_pc = turn->pc;
        out->target = target;
        out->call_lanes = lanes;
    }
}

int smrf_simt_complete_call_(struct smrf_simt *s, int i, struct smrf_simt_out *out)
{
    struct smrf_simt_split *p = &s->splits[i];
    uint32_t call_pc = p->call_pc, lanes = p->mask, target = p->blind_pc;
    p->call_pc = SMRF_SIMT_NO_PC;
    if (smrf_simt_jump_call_(s, call_pc, target)) {
        s->log->stats.jump_calls++;
        return i;
    }
    out->called_frame = push_(s, lanes, call_pc, out);
    if (out->called_frame != 0) {
        out->events |= SMRF_SIMT_CALLED;
        out->called_pc = call_pc;
        out->called_target = target;
        out->called_lanes = lanes;
    }
    return smrf_simt_split_of_(s, lanes);
}

void smrf_simt_leave_frame_(struct smrf_simt *s, int f, uint32_t lanes, struct smrf_simt_out *out)
{
    struct smrf_simt_frame *frame = &s->frames[f];
    if ((frame->lanes & lanes) == 0) {
        return;
    }
    frame->lanes &= ~lanes;
    if (frame->lanes == 0) {
        s->log->stats.all_returned++;
        out->events |= SMRF_SIMT_ALL_RETURNED;
        out->call_pc = frame->call_pc;
    }
}

void smrf_simt_release_frames_(struct smrf_simt *s, struct smrf_simt_out *out)
{
    while (s->num_frames > 0 && s->frames[s->num_frames - 1].lanes == 0) {
        s->num_frames--;
        out->released++;
    }
}

/* The trace does not say where the call goes, but the warp's next line may already be the callee's
 * first: then its lanes are known to be there. */
static void look_ahead_(struct smrf_simt *s, int j, const struct smrf_simt_turn *turn)
{
    uint32_t target = turn->line->next_pc, lanes = turn->line->next_mask;
    if (lanes == 0 || (lanes & ~turn->mask) != 0) {
        return;
    }
    int k = smrf_simt_learn_(s, j, target, lanes, turn->out);
    struct smrf_simt_split *p = &s->splits[k];
    p->sure_pc = target;
    p->call_pc = SMRF_SIMT_NO_PC;
    p->many = false;
    s->cur = s->cur == j ? (int8_t)k : s->cur;
    enter_(s, p->mask, target, turn);
}

void smrf_simt_act_call_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    bool indirect = turn->line->flow == SMRF_SIMT_FLOW_CALL_REGISTER;
    uint32_t target = indirect ? SMRF_SIMT_NO_PC : smrf_simt_target_(s, turn->line->imm);
    int j = smrf_simt_part_(s, i, turn->mask, target, turn);
    if (target == SMRF_SIMT_NO_PC) {
        s->splits[j].call_pc = turn->pc;
        s->splits[j].many = indirect;
        look_ahead_(s, j, turn);
    } else {
        enter_(s, turn->mask, target, turn);
    }
}

/* Lanes whose call was not recorded: they return to where the trace shows them. */
static uint32_t return_lost_(struct smrf_simt *s, uint32_t lanes)
{
    uint32_t lost = 0, left = 0;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        if ((lanes >> l & 1u) != 0 && s->lost[l] != 0) {
            lost |= 1u << l;
            s->lost[l]--;
        }
        left |= s->lost[l];
    }
    s->any_lost = left != 0;
    return lost;
}

/* Lanes of one frame return: barriers opened inside it are over for them. Returns the pc. */
static uint32_t return_from_(struct smrf_simt *s, int f, uint32_t lanes, struct smrf_simt_out *out)
{
    uint32_t pc = s->frames[f].return_pc, number = s->frames[f].number;
    for (int k = 0; k < s->num_entries; k++) {
        if (s->entries[k].frame == number) {
            s->entries[k].lanes &= ~lanes;
        }
    }
    out->call_pc = s->frames[f].call_pc;
    smrf_simt_leave_frame_(s, f, lanes, out);
    return pc;
}

void smrf_simt_act_ret_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t lanes = turn->mask;
    stats->returns++;
    turn->out->events |= SMRF_SIMT_RETURN;
    uint32_t orphans = s->any_lost ? return_lost_(s, lanes) : 0;
    uint32_t rest = lanes & ~orphans;
    int f,
        ret = s->volta ? -1 : smrf_simt_find_entry_(s, SMRF_SIMT_KIND_RET, rest, SMRF_SIMT_NO_PC);
    if (ret >= 0 && orphans == 0) { /* before Volta: wait for the other lanes of the call */
        uint32_t number = s->entries[ret].number, pc = s->entries[ret].target;
        while ((f = smrf_simt_frame_of_(s, rest)) >= 0) {
            uint32_t part_lanes = rest & s->frames[f].lanes;
            (void)return_from_(s, f, part_lanes, turn->out);
            rest &= ~part_lanes;
        }
        smrf_simt_release_frames_(s, turn->out);
        smrf_simt_arrive_(s, i, number, pc, turn);
        return;
    }
    int j = smrf_simt_part_(s, i, lanes, SMRF_SIMT_NO_PC, turn);
    while (rest != 0 && (f = smrf_simt_frame_of_(s, rest)) >= 0) {
        uint32_t part_lanes = rest & s->frames[f].lanes;
        uint32_t pc = return_from_(s, f, part_lanes, turn->out);
        rest &= ~part_lanes;
        if (part_lanes == s->splits[j].mask) {
            s->splits[j].pc = s->splits[j].sure_pc = pc;
        } else {
            s->splits[j].mask &= ~part_lanes;
            (void)smrf_simt_add_split_(s, pc, part_lanes);
        }
    }
    if ((orphans | rest) != 0) {
        stats->orphans += rest != 0;
        s->splits[j].many = true;
    }
    smrf_simt_release_frames_(s, turn->out);
    smrf_simt_sweep_(s, turn->out);
}
