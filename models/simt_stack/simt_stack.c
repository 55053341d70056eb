/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core, first half: which split executes a trace line, what happens where none can, and
 * the probes. What instructions do is in simt_flow.c. */
#include "models/simt_stack/simt_stack.h"

#include "models/common/smrf_assert.h"
#include "models/simt_stack/simt_internal.h"

#include <string.h>

int smrf_simt_config_check(const struct smrf_simt_config *cfg)
{
    return cfg->binary_version >= 20 ? SMRF_OK : SMRF_ERR_INVAL;
}

int smrf_simt_init(struct smrf_simt *s, const struct smrf_simt_config *cfg, uint32_t warp,
                   struct smrf_simt_log *log)
{
    int err = smrf_simt_config_check(cfg);
    if (err != SMRF_OK) {
        return err;
    }
    memset(s, 0, sizeof *s);
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
    s->steady = (struct smrf_simt_out){.depth = s->num_entries, .frames = s->num_frames};
    if (s->cur < 0) {
        return;
    }
    const struct smrf_simt_split *run = &s->splits[s->cur];
    s->pc = run->call_pc == SMRF_SIMT_NO_PC ? run->pc : SMRF_SIMT_NO_PC; /* next line: slow */
    s->sure_pc = run->sure_pc;
    s->steady.active = run->mask;
    for (int f = s->num_frames - 1; f >= 0; f--) {
        if ((s->frames[f].lanes & run->mask) != 0) {
            s->steady.call_depth++;
        }
    }
    s->steady.frame = (uint8_t)(smrf_simt_frame_of_(s, run->mask) + 1);
}

void smrf_simt_reset(struct smrf_simt *s, uint32_t initial_lanes)
{
    s->num_splits = s->num_entries = s->num_frames = 0;
    s->cur = -1;
    s->live = initial_lanes;
    s->next_number = 0;
    s->any_lost = false;
    s->sure_pc = SMRF_SIMT_NO_PC;
    memset(s->lost, 0, sizeof s->lost);
    if (initial_lanes != 0) {
        s->cur = (int8_t)smrf_simt_add_split_(s, SMRF_SIMT_NO_PC, initial_lanes);
    }
    seat_(s);
}

/* How a line fits the state. */
enum fit_kind {
    FIT_NONE,
    FIT_AT,
    FIT_LEARN,
    FIT_EXCHANGE,
    FIT_UNDO,
    FIT_TAKE_BACK,
    FIT_SOFT,
    FIT_ABSORB
};
struct fit {
    enum fit_kind kind;
    int split;
    int other; /* EXCHANGE: who was taken for it; UNDO: who it was taken for */
};

/* The running split's pc may be newer than its entry in splits[]. */
static uint32_t pc_of_(const struct smrf_simt *s, int i)
{
    return i == s->cur && s->pc != SMRF_SIMT_NO_PC ? s->pc : s->splits[i].pc;
}

static bool waits_softly_(const struct smrf_simt *s, int i)
{
    return s->splits[i].wait != 0 && s->entries[smrf_simt_entry_of_(s, s->splits[i].wait)].soft;
}

/* Lanes of several splits: an indirect branch whose lanes turn out to go the same way, or splits
 * that wait together at a WARPSYNC. */
static struct fit fit_spanning_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    struct fit none = {FIT_NONE, -1, -1};
    int home = -1, soft = 0, all = 0;
    bool absorb = true;
    for (int i = 0; i < s->num_splits; i++) {
        const struct smrf_simt_split *p = &s->splits[i];
        if ((p->mask & mask) == 0) {
            continue;
        }
        all++;
        if (p->wait != 0) {
            absorb = false;
            soft += waits_softly_(s, i) && p->pc == pc;
        } else if (pc_of_(s, i) == pc && home < 0) {
            home = i;
        } else if (pc_of_(s, i) != SMRF_SIMT_NO_PC || !p->many) {
            absorb = false;
        }
    }
    if (soft == all) {
        return (struct fit){FIT_SOFT, smrf_simt_split_of_(s, mask), -1};
    }
    return absorb && home >= 0 ? (struct fit){FIT_ABSORB, home, -1} : none;
}

static uint32_t sure_pc_of_(const struct smrf_simt *s, int i)
{
    return i == s->cur ? s->sure_pc : s->splits[i].sure_pc;
}

/* First of the mask-0 lines that were taken for split i's. */
static uint32_t blind_start_(const struct smrf_simt *s, int i)
{
    uint32_t sure = sure_pc_of_(s, i);
    return sure != SMRF_SIMT_NO_PC ? sure : s->splits[i].blind_pc;
}

/* Did split i come through pc only over mask-0 lines? They fall through, so a run is a range. */
static bool ran_blind_over_(const struct smrf_simt *s, int i, uint32_t pc)
{
    return s->splits[i].wait == 0 && blind_start_(s, i) <= pc && pc < pc_of_(s, i) &&
           sure_pc_of_(s, i) != pc_of_(s, i) && pc_of_(s, i) != SMRF_SIMT_NO_PC;
}

/* Mask-0 lines may have been given to the wrong split. Split i holds lanes that run at pc, where it
 * is not. */
static struct fit fit_otherwise_(const struct smrf_simt *s, int i, uint32_t pc)
{
    uint32_t at = pc_of_(s, i);
    bool nowhere = at != SMRF_SIMT_NO_PC && sure_pc_of_(s, i) == SMRF_SIMT_NO_PC;
    int unknown = -1;
    for (int k = 0; k < s->num_splits; k++) {
        if (k == i || s->splits[k].wait != 0) {
            continue;
        }
        uint32_t there = pc_of_(s, k);
        if (there == pc && (at == SMRF_SIMT_NO_PC ? k == s->cur && sure_pc_of_(s, k) != there
                                                  : ran_blind_over_(s, k, at))) {
            return (struct fit){FIT_EXCHANGE, i, k};
        }
        if ((ran_blind_over_(s, i, pc) && there == pc) ||
            (nowhere && there == blind_start_(s, i))) {
            return (struct fit){FIT_UNDO, i, k};
        }
        if (there == SMRF_SIMT_NO_PC) {
            unknown = k;
        }
    }
    if (unknown >= 0 && (nowhere || ran_blind_over_(s, i, pc))) {
        return (struct fit){FIT_UNDO, i, unknown};
    }
    if (at != SMRF_SIMT_NO_PC && s->splits[i].given_pc == pc && s->splits[i].blind_pc == at) {
        return (struct fit){FIT_TAKE_BACK, i, -1};
    }
    return (struct fit){at == SMRF_SIMT_NO_PC ? FIT_LEARN : FIT_NONE, i, -1};
}

static struct fit fit_lanes_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    struct fit fit = {FIT_NONE, smrf_simt_split_of_(s, mask), -1};
    if ((mask & ~s->live) != 0) {
        return fit;
    }
    const struct smrf_simt_split *p = &s->splits[fit.split];
    if ((mask & ~p->mask) != 0) {
        return fit_spanning_(s, pc, mask);
    }
    if (p->wait != 0) {
        fit.kind = p->pc == pc && waits_softly_(s, fit.split) ? FIT_SOFT : FIT_NONE;
    } else if (pc_of_(s, fit.split) == pc) {
        fit.kind = FIT_AT;
    } else {
        fit = fit_otherwise_(s, fit.split, pc);
    }
    return fit;
}

/* Nobody shows: the running split if it is there, else the newest that is there; that a split of
 * unknown pc came here is less likely, and least that one called a function here. */
static struct fit fit_empty_(const struct smrf_simt *s, uint32_t pc)
{
    enum { CALLED, CAME, RUNNING, THERE, NUM_RANKS };
    int rank[NUM_RANKS] = {-1, -1, -1, -1}, soft = -1;
    if (s->cur >= 0 && pc_of_(s, s->cur) == pc) {
        return (struct fit){FIT_AT, s->cur, -1};
    }
    for (int i = 0; i < s->num_splits; i++) {
        const struct smrf_simt_split *p = &s->splits[i];
        if (p->wait != 0 && p->pc == pc && waits_softly_(s, i)) {
            soft = i;
        } else if (p->wait == 0 && pc_of_(s, i) == pc) {
            rank[THERE] = i;
        } else if (p->wait == 0 && pc_of_(s, i) == SMRF_SIMT_NO_PC) {
            rank[i == s->cur ? RUNNING : p->call_pc == SMRF_SIMT_NO_PC ? CAME : CALLED] = i;
        }
    }
    for (int r = NUM_RANKS - 1; r >= 0; r--) {
        if (rank[r] >= 0) {
            return (struct fit){r == THERE ? FIT_AT : FIT_LEARN, rank[r], -1};
        }
    }
    return (struct fit){soft >= 0 ? FIT_SOFT : FIT_NONE, soft, -1};
}

static struct fit fit_line_(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    if (mask == 0) {
        return fit_empty_(s, pc);
    }
    if (s->cur >= 0 && pc_of_(s, s->cur) == pc && (mask & ~s->steady.active) == 0) {
        return (struct fit){FIT_AT, s->cur, -1};
    }
    return fit_lanes_(s, pc, mask);
}

/* The trace tells where split i went: it is at the line's pc, having come in at entry. Of an
 * indirect branch only the lanes that show go there. A mask-0 line is no proof. */
static int learn_(struct smrf_simt *s, int i, uint32_t entry, const struct smrf_simt_turn *line)
{
    struct smrf_simt_split *p = &s->splits[i];
    s->log->stats.learned++;
    line->out->events |= SMRF_SIMT_LEARNED;
    if (p->many && line->mask != 0 && line->mask != p->mask) {
        uint32_t call_pc = p->call_pc;
        p->mask &= ~line->mask;
        i = smrf_simt_add_split_(s, line->op->pc, line->mask);
        p = &s->splits[i];
        p->call_pc = call_pc;
        s->log->stats.divergences++;
        line->out->events |= SMRF_SIMT_DIVERGE;
    }
    p->pc = line->op->pc;
    p->blind_pc = entry;
    return i;
}

/* A call whose target was not known, now that its lanes have shown themselves. Returns their split.
 */
static int complete_call_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line)
{
    struct smrf_simt_split *p = &s->splits[i];
    uint32_t call_pc = p->call_pc, lanes = p->mask;
    p->call_pc = SMRF_SIMT_NO_PC;
    if (smrf_simt_jump_call_(s, call_pc, p->blind_pc)) {
        s->log->stats.jump_calls++;
        return i;
    }
    smrf_simt_push_call_(s, lanes, call_pc, line->out);
    line->out->lanes = lanes;
    return smrf_simt_split_of_(s, lanes);
}

/* Lanes of indirect branches join split i, where their siblings are. */
static void absorb_(struct smrf_simt *s, int i, uint32_t lanes)
{
    uint32_t extra = lanes & ~s->splits[i].mask;
    int f = smrf_simt_frame_of_(s, s->splits[i].mask);
    s->splits[i].mask |= lanes;
    for (int j = s->num_splits - 1; j >= 0; j--) {
        struct smrf_simt_split *p = &s->splits[j];
        if (j == i || (p->mask & extra) == 0) {
            continue;
        }
        if (f >= 0 && s->frames[f].call_pc == p->call_pc) {
            s->frames[f].lanes |= p->mask & extra;
        }
        p->mask &= ~extra;
        if (p->mask == 0) {
            smrf_simt_remove_split_(s, j);
            i -= j < i;
        }
    }
}

/* Barriers that the trace proves open, and lanes that left a barrier without arriving. */
static void open_barriers_(struct smrf_simt *s, uint32_t pc, uint32_t mask,
                           struct smrf_simt_out *out)
{
    for (int i = s->num_splits - 1; i >= 0; i--) {
        struct smrf_simt_split *p = &s->splits[i];
        if (p->wait == 0 || (p->mask & mask) == 0) {
            continue;
        }
        int k = smrf_simt_entry_of_(s, p->wait);
        if (p->pc == pc) {
            smrf_simt_release_(s, k, out);
            i = s->num_splits; /* indices changed; ends, since an entry is gone */
        } else {
            s->entries[k].lanes &= ~mask;
        }
    }
}

/* Follow the trace against the prediction. Returns the split that executes, -1 = no lane lives. */
static int follow_(struct smrf_simt *s, const struct smrf_simt_turn *line)
{
    uint32_t pc = line->op->pc, mask = line->mask;
    if (mask == 0) {
        if (s->num_splits == 0) {
            return -1;
        }
        int i = s->cur >= 0 ? s->cur : s->num_splits - 1;
        if (s->splits[i].wait != 0) {
            mask = s->splits[i].mask;
            open_barriers_(s, pc, mask, line->out);
            s->splits[smrf_simt_split_of_(s, mask)].wait = 0;
            smrf_simt_sweep_(s, line->out);
            i = smrf_simt_split_of_(s, mask);
        }
        s->splits[i].pc = s->splits[i].sure_pc = pc;
        s->splits[i].many = false;
        s->splits[i].call_pc = SMRF_SIMT_NO_PC;
        return i;
    }
    s->live |= mask;
    open_barriers_(s, pc, mask, line->out);
    int only = smrf_simt_split_of_(s, mask);
    uint32_t lanes = mask;
    if (only >= 0 && only == s->cur && (mask & ~s->splits[only].mask) == 0) {
        lanes = s->splits[only].mask;
    }
    for (int i = s->num_splits - 1; i >= 0; i--) {
        struct smrf_simt_split *p = &s->splits[i];
        if ((p->mask & mask) == 0) {
            continue;
        }
        if (p->wait == 0 && p->pc == pc) {
            lanes |= p->mask;
        }
        p->mask &= ~lanes;
        if (p->mask == 0) {
            smrf_simt_remove_split_(s, i);
        }
    }
    s->cur = (int8_t)smrf_simt_add_split_(s, pc, lanes);
    smrf_simt_sweep_(s, line->out);
    return smrf_simt_split_of_(s, lanes);
}

/* Name, count and keep a disagreement. */
static void report_(struct smrf_simt *s, const struct smrf_simt_turn *line)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t mask = line->mask, overlaps = 0, expected_mask = 0, expected_pc = SMRF_SIMT_NO_PC;
    bool waits = false;
    for (int i = s->num_splits - 1; i >= 0; i--) {
        const struct smrf_simt_split *p = &s->splits[i];
        if (mask != 0 ? (p->mask & mask) == 0 : (s->cur >= 0 && i != s->cur)) {
            continue;
        }
        overlaps++;
        waits |= p->wait != 0;
        expected_pc = p->pc;
        expected_mask = p->mask;
    }
    uint8_t kind = SMRF_SIMT_MISMATCH_PC;
    if ((mask & ~s->live) != 0 || s->live == 0) {
        kind = SMRF_SIMT_MISMATCH_DEAD;
        stats->mismatch_dead++;
    } else if (waits) {
        kind = SMRF_SIMT_MISMATCH_BARRIER;
        stats->mismatch_barrier++;
    } else if (overlaps > 1 && mask != 0) {
        kind = SMRF_SIMT_MISMATCH_CONVERGE;
        stats->mismatch_converge++;
    } else {
        stats->mismatch_pc++;
    }
    line->out->mismatch = kind;
    line->out->expected_pc = expected_pc;
    if (s->log->num_first < SMRF_SIMT_REPORTS) {
        s->log->first[s->log->num_first++] =
            (struct smrf_simt_report){.line = stats->insts,
                                      .warp = s->warp,
                                      .pc = line->op->pc,
                                      .mask = mask,
                                      .expected_pc = expected_pc,
                                      .expected_mask = expected_mask,
                                      .kind = kind};
    }
}

/* Find the split that executes the line and put it at its pc. -1 = there is none. */
static int select_split_(struct smrf_simt *s, const struct smrf_simt_turn *line)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t pc = line->op->pc;
    struct fit fit = fit_line_(s, pc, line->mask);
    if (s->cur >= 0) {
        s->splits[s->cur].pc = pc_of_(s, s->cur);
        s->splits[s->cur].sure_pc = s->sure_pc;
    }
    switch (fit.kind) {
    case FIT_AT:
        return fit.split;
    case FIT_LEARN:
        return learn_(s, fit.split, pc, line);
    case FIT_EXCHANGE: {
        struct smrf_simt_split *mine = &s->splits[fit.split], *other = &s->splits[fit.other];
        uint32_t entry = blind_start_(s, fit.other);
        stats->exchanged++;
        other->pc = mine->pc;
        if (mine->pc == SMRF_SIMT_NO_PC) {
            other->pc = other->sure_pc;
            other->given_pc = pc;
            other->blind_pc = entry; /* valid while it stays there */
            return learn_(s, fit.split, entry, line);
        }
        mine->pc = pc;
        return fit.split;
    }
    case FIT_TAKE_BACK:
        stats->exchanged++;
        s->splits[fit.split].pc = pc;
        return fit.split;
    case FIT_UNDO:
        stats->exchanged++;
        s->splits[fit.other].blind_pc = blind_start_(s, fit.split);
        s->splits[fit.other].pc = s->splits[fit.split].pc;
        s->splits[fit.split].pc = pc;
        return fit.split;
    case FIT_SOFT: {
        uint32_t lanes = s->splits[fit.split].mask;
        stats->inferred++;
        line->out->events |= SMRF_SIMT_LEARNED;
        smrf_simt_release_(s, smrf_simt_entry_of_(s, s->splits[fit.split].wait), line->out);
        return smrf_simt_split_of_(s, lanes);
    }
    case FIT_ABSORB: {
        uint32_t lanes = s->splits[fit.split].mask | line->mask;
        stats->learned++;
        line->out->events |= SMRF_SIMT_LEARNED;
        absorb_(s, fit.split, lanes);
        return smrf_simt_split_of_(s, lanes);
    }
    case FIT_NONE:
        break;
    }
    report_(s, line);
    return follow_(s, line);
}

/* The frequent branch: the running split takes it as a whole to a known target, or not at all. */
static bool step_uniform_branch_(struct smrf_simt *s, const struct smrf_static_inst *op,
                                 uint32_t mask, uint64_t imm, struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t to = smrf_simt_next_pc(s, op->pc);
    if (op->pc != s->pc || (mask != 0 && mask != s->steady.active)) {
        return false;
    }
    if (mask != 0) {
        to = smrf_simt_target_(s, imm);
        if (to == SMRF_SIMT_NO_PC || smrf_simt_indirect_(op)) {
            return false;
        }
        s->sure_pc = to;
    }
    s->pc = to;
    stats->insts++;
    stats->exact += mask != 0;
    stats->empty += mask == 0;
    *out = s->steady;
    out->lanes = mask;
    return true;
}

int smrf_simt_step_slow(struct smrf_simt *s, const struct smrf_static_inst *op, uint32_t mask,
                        uint64_t imm, struct smrf_simt_out *out)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    if (op->flow == SMRF_FLOW_BRANCH && step_uniform_branch_(s, op, mask, imm, out)) {
        return SMRF_SIMT_MATCH;
    }
    *out = (struct smrf_simt_out){0};
    struct smrf_simt_turn line = {op, mask, smrf_simt_next_pc(s, op->pc), imm, out};
    uint32_t before = s->cur >= 0 ? s->splits[s->cur].mask : 0;
    int i = select_split_(s, &line);
    if (i >= 0 && mask != 0 && s->splits[i].call_pc != SMRF_SIMT_NO_PC) {
        i = complete_call_(s, i, &line);
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
        smrf_simt_act_(s, i, &line);
    }
    if (mask != 0 && s->cur >= 0) {
        s->splits[s->cur].sure_pc = s->splits[s->cur].pc;
        s->splits[s->cur].given_pc = SMRF_SIMT_NO_PC;
        s->splits[s->cur].many &= s->splits[s->cur].pc == SMRF_SIMT_NO_PC;
    }
    seat_(s);
    out->depth = s->steady.depth;
    out->call_depth = s->steady.call_depth;
    out->frames = s->steady.frames;
    out->frame = s->steady.frame;
    return out->mismatch;
}

bool smrf_simt_probe_possible(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    return fit_line_(s, pc, mask).kind != FIT_NONE;
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
    return i < 0 ? SMRF_SIMT_NO_PC : pc_of_(s, i);
}

bool smrf_simt_probe_lane_waits(const struct smrf_simt *s, uint32_t lane)
{
    int i = smrf_simt_split_of_(s, 1u << lane);
    return i >= 0 && s->splits[i].wait != 0;
}
