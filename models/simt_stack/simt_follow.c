/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: where the trace contradicts the state, the trace is followed. */
#include "models/simt_stack/simt_internal.h"

void smrf_simt_absorb_(struct smrf_simt *s, int i, uint32_t lanes)
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

int smrf_simt_follow_(struct smrf_simt *s, const struct smrf_simt_turn *turn)
{
    uint32_t pc = turn->pc, mask = turn->mask;
    if (mask == 0) {
        if (s->num_splits == 0) {
            return -1;
        }
        int i = s->cur >= 0 ? s->cur : s->num_splits - 1;
        if (s->splits[i].wait != 0) {
            mask = s->splits[i].mask;
            open_barriers_(s, pc, mask, turn->out);
            s->splits[smrf_simt_split_of_(s, mask)].wait = 0;
            smrf_simt_sweep_(s, turn->out);
            i = smrf_simt_split_of_(s, mask);
        }
        s->splits[i].pc = s->splits[i].sure_pc = pc;
        s->splits[i].many = false;
        s->splits[i].call_pc = SMRF_SIMT_NO_PC;
        return i;
    }
    s->live |= mask;
    open_barriers_(s, pc, mask, turn->out);
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
    smrf_simt_sweep_(s, turn->out);
    return smrf_simt_split_of_(s, lanes);
}

void smrf_simt_report_(struct smrf_simt *s, const struct smrf_simt_turn *turn)
{
    struct smrf_simt_stats *stats = &s->log->stats;
    uint32_t mask = turn->mask, overlaps = 0, expected_mask = 0, expected_pc = SMRF_SIMT_NO_PC;
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
    } else if (mask != 0 && smrf_simt_stayed_(s, turn)) {
        kind = SMRF_SIMT_MISMATCH_CONDITION;
        stats->mismatch_condition++;
    } else {
        stats->mismatch_pc++;
    }
    stats->mismatches++;
    turn->out->mismatch = kind;
    turn->out->expected_pc = expected_pc;
    if (s->log->num_first < SMRF_SIMT_REPORTS) {
        s->log->first[s->log->num_first++] =
            (struct smrf_simt_report){.line = stats->insts,
                                      .warp = s->warp,
                                      .pc = turn->pc,
                                      .mask = mask,
                                      .expected_pc = expected_pc,
                                      .expected_mask = expected_mask,
                                      .kind = kind};
    }
}
