/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core, second half: what each control-flow instruction does to splits, barriers and
 * call frames. */
#include "models/common/smrf_assert.h"
#include "models/simt_stack/simt_internal.h"

#include <string.h>

int smrf_simt_add_split_(struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    SMRF_ASSERT(mask != 0 && s->num_splits < SMRF_LANES);
    struct smrf_simt_stats *stats = &s->log->stats;
    int i = s->num_splits++;
    s->splits[i] = (struct smrf_simt_split){.pc = pc,
                                            .mask = mask,
                                            .call_pc = SMRF_SIMT_NO_PC,
                                            .sure_pc = pc,
                                            .given_pc = SMRF_SIMT_NO_PC};
    if (s->num_splits > stats->max_splits) {
        stats->max_splits = s->num_splits;
    }
    return i;
}

void smrf_simt_remove_split_(struct smrf_simt *s, int i)
{
    int after = s->num_splits - 1 - i;
    memmove(&s->splits[i], &s->splits[i + 1], (size_t)after * sizeof s->splits[0]);
    s->num_splits--;
    if (s->cur == i) {
        s->cur = -1;
    } else if (s->cur > i) {
        s->cur--;
    }
}

int smrf_simt_split_of_(const struct smrf_simt *s, uint32_t lanes)
{
    for (int i = 0; i < s->num_splits; i++) {
        if ((s->splits[i].mask & lanes) != 0) {
            return i;
        }
    }
    return -1;
}

int smrf_simt_entry_of_(const struct smrf_simt *s, uint32_t number)
{
    for (int k = s->num_entries - 1; k >= 0; k--) {
        if (s->entries[k].number == number) {
            return k;
        }
    }
    return -1;
}

static void remove_entry_(struct smrf_simt *s, int k)
{
    int after = s->num_entries - 1 - k;
    memmove(&s->entries[k], &s->entries[k + 1], (size_t)after * sizeof s->entries[0]);
    s->num_entries--;
}

void smrf_simt_release_(struct smrf_simt *s, int k, struct smrf_simt_out *out)
{
    uint32_t number = s->entries[k].number;
    bool merged = false;
    for (int i = 0; i < s->num_splits; i++) {
        if (s->splits[i].wait != number) {
            continue;
        }
        for (int j = s->num_splits - 1; j > i; j--) {
            if (s->splits[j].wait != number || s->splits[j].pc != s->splits[i].pc) {
                continue;
            }
            s->splits[i].mask |= s->splits[j].mask;
            smrf_simt_remove_split_(s, j);
            merged = true;
        }
        s->splits[i].wait = 0;
        s->splits[i].sure_pc = s->splits[i].pc;
    }
    remove_entry_(s, k);
    if (merged) {
        s->log->stats.reconvergences++;
        out->events |= SMRF_SIMT_RECONVERGE;
    }
}

static uint32_t waiting_lanes_(const struct smrf_simt *s, uint32_t number)
{
    uint32_t lanes = 0;
    for (int i = 0; i < s->num_splits; i++) {
        if (s->splits[i].wait == number) {
            lanes |= s->splits[i].mask;
        }
    }
    return lanes;
}

void smrf_simt_sweep_(struct smrf_simt *s, struct smrf_simt_out *out)
{
    for (int k = s->num_entries - 1; k >= 0; k--) {
        if ((s->entries[k].lanes & ~waiting_lanes_(s, s->entries[k].number)) == 0) {
            smrf_simt_release_(s, k, out);
        }
    }
}

/* A number that no open entry or frame has; they live far shorter than 2^32 openings. */
static uint32_t new_number_(struct smrf_simt *s)
{
    s->next_number += s->next_number == UINT32_MAX ? 2u : 1u;
    return s->next_number;
}

int smrf_simt_frame_of_(const struct smrf_simt *s, uint32_t lanes)
{
    for (int f = s->num_frames - 1; f >= 0; f--) {
        if ((s->frames[f].lanes & lanes) != 0) {
            return f;
        }
    }
    return -1;
}

static uint32_t frame_number_(const struct smrf_simt *s, uint32_t lanes)
{
    int f = smrf_simt_frame_of_(s, lanes);
    return f < 0 ? 0 : s->frames[f].number;
}

/* Open an entry for these lanes; where there is no room the oldest is forgotten. */
static struct smrf_simt_entry *open_entry_(struct smrf_simt *s, uint32_t lanes, uint32_t pc,
                                           uint8_t kind, struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    if (s->num_entries == SMRF_SIMT_DEPTH) {
        stats->lost_barriers++;
        out->events |= SMRF_SIMT_OVERFLOW;
        smrf_simt_release_(s, 0, out);
    }
    struct smrf_simt_entry *e = &s->entries[s->num_entries++];
    *e = (struct smrf_simt_entry){.lanes = lanes,
                                  .number = new_number_(s),
                                  .pc = pc,
                                  .target = SMRF_SIMT_NO_PC,
                                  .frame = frame_number_(s, lanes),
                                  .kind = kind};
    if (s->num_entries > stats->max_depth) {
        stats->max_depth = s->num_entries;
    }
    return e;
}

/* Newest entry of a kind that holds any of these lanes; one opened in the same call whose target is
 * pc goes first. */
static int find_entry_(const struct smrf_simt *s, uint8_t kind, uint32_t lanes, uint32_t pc)
{
    int newest = -1;
    uint32_t frame = frame_number_(s, lanes);
    for (int k = s->num_entries - 1; k >= 0; k--) {
        const struct smrf_simt_entry *e = &s->entries[k];
        if (e->kind != kind || (e->lanes & lanes) == 0) {
            continue;
        }
        if (pc != SMRF_SIMT_NO_PC && e->target == pc && e->frame == frame) {
            return k;
        }
        if (newest < 0) {
            newest = k;
        }
    }
    return newest;
}

bool smrf_simt_jump_call_(const struct smrf_simt *s, uint32_t call_pc, uint32_t target)
{
    uint32_t next = smrf_simt_next_pc(s, call_pc);
    return target == next || target == smrf_simt_next_pc(s, next);
}

void smrf_simt_push_call_(struct smrf_simt *s, uint32_t lanes, uint32_t call_pc,
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
        return;
    }
    if (!s->volta) {
        open_entry_(s, lanes, call_pc, SMRF_SIMT_KIND_RET, out)->target = return_pc;
    }
    s->frames[s->num_frames++] = (struct smrf_simt_frame){
        .lanes = lanes, .number = new_number_(s), .call_pc = call_pc, .return_pc = return_pc};
    stats->calls++;
    if (s->num_frames > stats->max_frames) {
        stats->max_frames = s->num_frames;
    }
    out->events |= SMRF_SIMT_CALL;
    out->call_pc = call_pc;
}

/* Lanes leave frame f by return or exit. */
static void leave_frame_(struct smrf_simt *s, int f, uint32_t lanes, struct smrf_simt_out *out)
{
    struct smrf_simt_frame *frame = &s->frames[f];
    bool had_lanes = frame->lanes != 0;
    frame->lanes &= ~lanes;
    if (had_lanes && frame->lanes == 0) {
        s->log->stats.all_returned++;
        out->events |= SMRF_SIMT_ALL_RETURNED;
        out->call_pc = frame->call_pc;
    }
}

/* Frames are released newest first. */
static void release_frames_(struct smrf_simt *s, struct smrf_simt_out *out)
{
    while (s->num_frames > 0 && s->frames[s->num_frames - 1].lanes == 0) {
        s->num_frames--;
        out->released++;
    }
}

/* Lanes of split i go their own way to pc; the rest falls through. Returns the lanes' split. */
static int part_(struct smrf_simt *s, int i, uint32_t lanes, uint32_t pc,
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

/* Lanes of split i wait at the entry with this number, to go on at pc. */
static void arrive_(struct smrf_simt *s, int i, uint32_t number, uint32_t pc,
                    const struct smrf_simt_turn *line)
{
    int j = part_(s, i, line->mask, pc, line);
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
    int j = part_(s, i, line->mask, target, line);
    s->splits[j].many = indirect;
}

static void act_call_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    bool indirect = line->op->num_src_base + line->op->num_dst_base != 0; /* names a register */
    uint32_t pc = line->op->pc;
    uint32_t target = indirect ? SMRF_SIMT_NO_PC : smrf_simt_target_(s, line->imm);
    int j = part_(s, i, line->mask, target, line);
    if (target == SMRF_SIMT_NO_PC) {
        s->splits[j].call_pc = pc;
        s->splits[j].many = indirect;
    } else if (smrf_simt_jump_call_(s, pc, target)) {
        s->log->stats.jump_calls++;
    } else {
        smrf_simt_push_call_(s, line->mask, pc, line->out);
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
    leave_frame_(s, f, lanes, out);
    return pc;
}

static void act_ret_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t lanes = line->mask;
    stats->returns++;
    line->out->events |= SMRF_SIMT_RETURN;
    uint32_t orphans = s->any_lost ? return_lost_(s, lanes) : 0;
    uint32_t rest = lanes & ~orphans;
    int f, ret = s->volta ? -1 : find_entry_(s, SMRF_SIMT_KIND_RET, rest, SMRF_SIMT_NO_PC);
    if (ret >= 0 && orphans == 0) { /* before Volta: wait for the other lanes of the call */
        uint32_t number = s->entries[ret].number, pc = s->entries[ret].target;
        while ((f = smrf_simt_frame_of_(s, rest)) >= 0) {
            uint32_t part_lanes = rest & s->frames[f].lanes;
            (void)return_from_(s, f, part_lanes, line->out);
            rest &= ~part_lanes;
        }
        release_frames_(s, line->out);
        arrive_(s, i, number, pc, line);
        return;
    }
    int j = part_(s, i, lanes, SMRF_SIMT_NO_PC, line);
    while (rest != 0 && (f = smrf_simt_frame_of_(s, rest)) >= 0) {
        uint32_t part_lanes = rest & s->frames[f].lanes;
        uint32_t pc = return_from_(s, f, part_lanes, line->out);
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
    release_frames_(s, line->out);
    smrf_simt_sweep_(s, line->out);
}

static void act_open_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    uint8_t kind = SMRF_SIMT_KIND_SYNC;
    if (letter_(line->op, 0) == 'P') {
        kind = letter_(line->op, 1) == 'C' ? SMRF_SIMT_KIND_CONT : SMRF_SIMT_KIND_BRK;
    }
    uint32_t frame = frame_number_(s, line->mask);
    /* The same barrier register again: what it held of these lanes is gone. */
    for (int k = 0; s->volta && k < s->num_entries; k++) {
        if (s->entries[k].pc == line->op->pc && s->entries[k].frame == frame) {
            s->entries[k].lanes &= ~line->mask;
        }
    }
    s->cur = (int8_t)i;
    s->splits[i].pc = line->next;
    smrf_simt_sweep_(s, line->out);
    open_entry_(s, line->mask, line->op->pc, kind, line->out)->target =
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
    int k = find_entry_(s, kind, line->mask, s->volta ? line->op->pc : SMRF_SIMT_NO_PC);
    if (k < 0) {
        s->log->stats.strays++;
        int j = part_(s, i, line->mask, s->volta ? line->next : SMRF_SIMT_NO_PC, line);
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
    arrive_(s, i, e->number, s->volta ? line->next : e->target, line);
}

static void act_break_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    s->splits[i].pc = line->next;
    s->cur = (int8_t)i;
    s->log->stats.breaks++;
    int k = find_entry_(s, SMRF_SIMT_KIND_SYNC, line->mask, SMRF_SIMT_NO_PC);
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
            open_entry_(s, lanes, line->op->pc, SMRF_SIMT_KIND_WARPSYNC, line->out);
        e->soft = soft;
        e->frame = 0; /* of no call: it outlives a return of other lanes */
        number = e->number;
    }
    arrive_(s, s->cur, number, line->next, line);
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
        leave_frame_(s, f, lanes, line->out);
    }
    release_frames_(s, line->out);
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
        [SMRF_FLOW_BRANCH] = act_branch_,     [SMRF_FLOW_CALL] = act_call_,
        [SMRF_FLOW_RET] = act_ret_,           [SMRF_FLOW_BSSY] = act_open_,
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
