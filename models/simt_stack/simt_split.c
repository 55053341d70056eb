/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: the lists of splits and of open barriers. */
#include "models/common/smrf_assert.h"
#include "models/simt_stack/simt_internal.h"

#include <string.h>

int smrf_simt_add_split_(struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    SMRF_ASSERT(mask != 0 && s->num_splits < SMRF_LANES);
    struct smrf_simt_stats *stats = &s->log->stats;
    if (s->num_splits == SMRF_SIMT_NEAR && s->splits == s->near) {
        memcpy(s->far, s->near, sizeof s->near);
        s->splits = s->far;
    }
    int i = s->num_splits++;
    s->splits[i] = (struct smrf_simt_split){.pc = pc,
                                            .mask = mask,
                                            .call_pc = SMRF_SIMT_NO_PC,
                                            .sure_pc = pc,
                                            .given_pc = SMRF_SIMT_NO_PC,
                                            .stay_pc = SMRF_SIMT_NO_PC,
                                            .jump_pc = SMRF_SIMT_NO_PC};
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

uint32_t smrf_simt_new_number_(struct smrf_simt *s)
{
    s->next_number += s->next_number == UINT32_MAX ? 2u : 1u;
    return s->next_number;
}

struct smrf_simt_entry *smrf_simt_open_entry_(struct smrf_simt *s, uint32_t lanes, uint32_t pc,
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
                                  .number = smrf_simt_new_number_(s),
                                  .pc = pc,
                                  .target = SMRF_SIMT_NO_PC,
                                  .frame = smrf_simt_frame_number_(s, lanes),
                                  .kind = kind};
    if (s->num_entries > stats->max_depth) {
        stats->max_depth = s->num_entries;
    }
    return e;
}

int smrf_simt_find_entry_(const struct smrf_simt *s, uint8_t kind, uint32_t lanes, uint32_t pc)
{
    int newest = -1;
    uint32_t frame = smrf_simt_frame_number_(s, lanes);
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

int smrf_simt_learn_(struct smrf_simt *s, int i, uint32_t pc, uint32_t mask,
                     struct smrf_simt_out *out)
{
    struct smrf_simt_split *p = &s->splits[i];
    s->log->stats.learned++;
    out->events |= SMRF_SIMT_LEARNED;
    if (p->many && mask != 0 && mask != p->mask) {
        uint32_t call_pc = p->call_pc, branch = p->branch;
        p->mask &= ~mask;
        i = smrf_simt_add_split_(s, pc, mask);
        p = &s->splits[i];
        p->call_pc = call_pc;
        p->branch = branch;
        s->log->stats.divergences++;
        out->events |= SMRF_SIMT_DIVERGE;
    }
    p->pc = pc;
    p->from_pc = pc;
    return i;
}
