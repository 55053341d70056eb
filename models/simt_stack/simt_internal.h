/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two halves of the SIMT stack core; not for others. Inside the core splits[] is up to
 * date (simt_stack.c parks and seats the running split around every slow step). */
#ifndef SMRF_SIMT_INTERNAL_H
#define SMRF_SIMT_INTERNAL_H

#include "models/simt_stack/simt_stack.h"

/* Kinds of entries: what arrives at which. SSY, PBK and PCNT are met by SYNC, BRK and CONT. */
enum smrf_simt_kind {
    SMRF_SIMT_KIND_SYNC = 'S', /* BSSY and SSY */
    SMRF_SIMT_KIND_BRK = 'B',
    SMRF_SIMT_KIND_CONT = 'C',
    SMRF_SIMT_KIND_RET = 'R', /* before Volta: return address on the stack */
    SMRF_SIMT_KIND_WARPSYNC = 'W'
};

/* The trace line at work. */
struct smrf_simt_turn {
    const struct smrf_static_inst *op;
    uint32_t mask, next; /* next: pc of the instruction after it */
    uint64_t imm;
    struct smrf_simt_out *out;
};

/* Append a split; returns its index. Lanes of all splits are disjoint, so there is room. */
int smrf_simt_add_split_(struct smrf_simt *s, uint32_t pc, uint32_t mask);
/* Remove split i; later ones move down; the running split follows or becomes -1. */
void smrf_simt_remove_split_(struct smrf_simt *s, int i);
/* Index of the split that holds any of these lanes (the lowest such), -1 = none. */
int smrf_simt_split_of_(const struct smrf_simt *s, uint32_t lanes);
/* Index of the entry with this number, -1 = none. */
int smrf_simt_entry_of_(const struct smrf_simt *s, uint32_t number);
/* Open entry k: its waiting splits become runnable, those with equal pcs one. */
void smrf_simt_release_(struct smrf_simt *s, int k, struct smrf_simt_out *out);
/* Release every entry whose lanes all wait there, and forget those without lanes. */
void smrf_simt_sweep_(struct smrf_simt *s, struct smrf_simt_out *out);
/* Record a call of these lanes. */
void smrf_simt_push_call_(struct smrf_simt *s, uint32_t lanes, uint32_t call_pc,
                          struct smrf_simt_out *out);
/* Index of the newest frame that holds any of these lanes, -1 = the kernel's own. */
int smrf_simt_frame_of_(const struct smrf_simt *s, uint32_t lanes);
/* Is a call at call_pc that goes to target only a jump? */
bool smrf_simt_jump_call_(const struct smrf_simt *s, uint32_t call_pc, uint32_t target);
/* Branch or barrier target that an immediate gives, SMRF_SIMT_NO_PC = none. */
static inline uint32_t smrf_simt_target_(const struct smrf_simt *s, uint64_t imm)
{
    bool known = s->cfg->has_targets && imm != 0 && imm < SMRF_SIMT_NO_PC;
    return known ? (uint32_t)imm : SMRF_SIMT_NO_PC;
}
/* Do the lanes of a branch go to places of their own? */
bool smrf_simt_indirect_(const struct smrf_static_inst *op);
/* Let the instruction act on split i. Sets s->cur. */
void smrf_simt_act_(struct smrf_simt *s, int i, const struct smrf_simt_turn *line);

#endif
