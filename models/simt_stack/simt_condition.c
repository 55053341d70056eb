/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack core: branches with a condition beside their guard. The lanes of such a line are those
 * whose guard holds, and which of them jumped shows only when they run: until then they are one
 * split of unknown pc. Lanes that went the same way as others run with them from there on. */
#include "models/simt_stack/simt_internal.h"

bool smrf_simt_may_be_(const struct smrf_simt_split *p, uint32_t pc)
{
    return pc == p->stay_pc || pc == p->jump_pc || p->jump_pc == SMRF_SIMT_NO_PC;
}

bool smrf_simt_joins_(const struct smrf_simt *s, int i, int home)
{
    const struct smrf_simt_split *p = &s->splits[i], *q = &s->splits[home];
    uint32_t pc = smrf_simt_pc_of_(s, i);
    bool same = p->branch != 0 && p->branch == q->branch;
    if (pc == smrf_simt_pc_of_(s, home)) {
        return same && p->from_pc == q->from_pc;
    }
    return pc == SMRF_SIMT_NO_PC && p->many &&
           (!smrf_simt_undecided_(p) || (same && smrf_simt_may_be_(p, q->from_pc)));
}

int smrf_simt_decide_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    uint32_t from = s->splits[i].from_pc;
    if (turn->mask != s->splits[i].mask) {
        s->splits[i].pc = SMRF_SIMT_NO_PC;
        i = smrf_simt_learn_(s, i, turn->pc, turn->mask, turn->out);
        s->splits[i].from_pc = from;
    }
    return i;
}

bool smrf_simt_stayed_(const struct smrf_simt *s, const struct smrf_simt_turn *turn)
{
    int i = smrf_simt_split_of_(s, turn->mask);
    const struct smrf_simt_split *p = &s->splits[i < 0 ? 0 : i];
    return i >= 0 && (turn->mask & ~p->mask) == 0 && p->wait == 0 && p->pc == p->jump_pc &&
           p->pc != SMRF_SIMT_NO_PC && turn->pc == p->stay_pc;
}

void smrf_simt_doubt_(struct smrf_simt *s, int i)
{
    s->splits[i].many = true;
    s->splits[i].pc = SMRF_SIMT_NO_PC;
    s->splits[i].branch = smrf_simt_new_number_(s);
}

void smrf_simt_act_branch_if_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn)
{
    int j = smrf_simt_part_(s, i, turn->mask, SMRF_SIMT_NO_PC, turn);
    smrf_simt_note_branch_(&s->splits[j], turn->after, smrf_simt_target_(s, turn->line->imm));
    smrf_simt_doubt_(s, j);
    if (j != i) {
        s->splits[i].branch = s->splits[j].branch;
        s->splits[i].from_pc = turn->after;
    }
}
