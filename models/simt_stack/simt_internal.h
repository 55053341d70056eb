/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the SIMT stack core; not for others. Inside the core splits[] is up to
 * date (simt_stack.c parks and seats the running split around every slow step), except in
 * simt_fit.c. */
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
    const struct smrf_simt_line *line;
    uint32_t pc, mask; /* the line's */
    uint32_t after;    /* pc of the instruction after it */
    struct smrf_simt_out *out;
};

/* How a line fits the state. */
enum smrf_simt_fit_kind {
    SMRF_SIMT_FIT_NONE,
    SMRF_SIMT_FIT_AT,
    SMRF_SIMT_FIT_LEARN,
    SMRF_SIMT_FIT_EXCHANGE,
    SMRF_SIMT_FIT_UNDO,
    SMRF_SIMT_FIT_TAKE_BACK,
    SMRF_SIMT_FIT_SOFT,
    SMRF_SIMT_FIT_ABSORB
};
struct smrf_simt_fit {
    enum smrf_simt_fit_kind kind;
    int split;
    int other; /* EXCHANGE: the split that takes its place; UNDO: the split whose place it took */
};

/* --- simt_fit.c --- */

/* The running split's pc may be newer than its entry in splits[]. */
static inline uint32_t smrf_simt_pc_of_(const struct smrf_simt *s, int i)
{
    return i == s->cur && s->pc != SMRF_SIMT_NO_PC ? s->pc : s->splits[i].pc;
}
/* First of the mask-0 lines that were taken for split i's. */
uint32_t smrf_simt_blind_start_(const struct smrf_simt *s, int i);
struct smrf_simt_fit smrf_simt_fit_line_(const struct smrf_simt *s, uint32_t pc, uint32_t mask);

/* --- simt_follow.c --- */

/* Lanes of indirect branches join split i, where their siblings are. */
void smrf_simt_absorb_(struct smrf_simt *s, int i, uint32_t lanes);
/* Name, count and keep a disagreement. */
void smrf_simt_report_(struct smrf_simt *s, const struct smrf_simt_turn *turn);
/* Follow the trace against the prediction. Returns the split that executes, -1 = no lane lives. */
int smrf_simt_follow_(struct smrf_simt *s, const struct smrf_simt_turn *turn);

/* --- simt_split.c --- */

/* Append a split; returns its index. Lanes of all splits are disjoint, so there is room. */
int smrf_simt_add_split_(struct smrf_simt *s, uint32_t pc, uint32_t mask);
/* Remove split i; later ones move down; the running split follows or becomes -1. */
void smrf_simt_remove_split_(struct smrf_simt *s, int i);
/* The trace tells that the lanes mask of split i are at pc. Of an indirect branch or call only they
 * go there; a mask of 0 is no proof. Returns their split. */
int smrf_simt_learn_(struct smrf_simt *s, int i, uint32_t pc, uint32_t mask,
                     struct smrf_simt_out *out);
/* Index of the split that holds any of these lanes (the lowest such), -1 = none. */
int smrf_simt_split_of_(const struct smrf_simt *s, uint32_t lanes);
/* A number that no open entry or frame has; they live far shorter than 2^32 openings. */
uint32_t smrf_simt_new_number_(struct smrf_simt *s);
/* Open an entry for these lanes; where there is no room the oldest is forgotten. */
struct smrf_simt_entry *smrf_simt_open_entry_(struct smrf_simt *s, uint32_t lanes, uint32_t pc,
                                              uint8_t kind, struct smrf_simt_out *out);
/* Newest entry of a kind that holds any of these lanes; one opened in the same call whose target is
 * pc goes first. */
int smrf_simt_find_entry_(const struct smrf_simt *s, uint8_t kind, uint32_t lanes, uint32_t pc);
/* Index of the entry with this number, -1 = none. */
int smrf_simt_entry_of_(const struct smrf_simt *s, uint32_t number);
/* Open entry k: its waiting splits become runnable, those with equal pcs one. */
void smrf_simt_release_(struct smrf_simt *s, int k, struct smrf_simt_out *out);
/* Release every entry whose lanes all wait there, and forget those without lanes. */
void smrf_simt_sweep_(struct smrf_simt *s, struct smrf_simt_out *out);

/* --- simt_call.c --- */

/* The lanes of split i, whose call had no known target, have shown where they are: they entered a
 * frame before the line acts. Returns their split. */
int smrf_simt_complete_call_(struct smrf_simt *s, int i, struct smrf_simt_out *out);
/* Index of the newest frame that holds any of these lanes, -1 = the kernel's own. */
int smrf_simt_frame_of_(const struct smrf_simt *s, uint32_t lanes);
/* Its number, 0 = the kernel's own. */
uint32_t smrf_simt_frame_number_(const struct smrf_simt *s, uint32_t lanes);
/* Lanes leave frame f by return or exit. */
void smrf_simt_leave_frame_(struct smrf_simt *s, int f, uint32_t lanes, struct smrf_simt_out *out);
/* Frames are released newest first. */
void smrf_simt_release_frames_(struct smrf_simt *s, struct smrf_simt_out *out);
/* Is a call at call_pc that goes to target only a jump? */
bool smrf_simt_jump_call_(const struct smrf_simt *s, uint32_t call_pc, uint32_t target);
void smrf_simt_act_call_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn);
void smrf_simt_act_ret_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn);

/* --- simt_flow.c --- */

/* Lanes of split i go their own way to pc; the rest falls through. Returns the lanes' split. */
int smrf_simt_part_(struct smrf_simt *s, int i, uint32_t lanes, uint32_t pc,
                    const struct smrf_simt_turn *turn);
/* Lanes of split i wait at the entry with this number, to go on at pc. */
void smrf_simt_arrive_(struct smrf_simt *s, int i, uint32_t number, uint32_t pc,
                       const struct smrf_simt_turn *turn);
/* Let the instruction act on split i. Sets s->cur. */
void smrf_simt_act_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn);

/* --- simt_condition.c --- */

/* A branch from before stay_pc has sent a split to jump_pc. */
static inline void smrf_simt_note_branch_(struct smrf_simt_split *p, uint32_t stay_pc,
                                          uint32_t jump_pc)
{
    p->stay_pc = stay_pc;
    p->jump_pc = jump_pc;
}
static inline void smrf_simt_forget_branch_(struct smrf_simt_split *p)
{
    p->stay_pc = p->jump_pc = SMRF_SIMT_NO_PC;
    p->branch = 0;
}
/* Is it not known which lanes of the split a branch with a condition moved? */
static inline bool smrf_simt_undecided_(const struct smrf_simt_split *p)
{
    return p->many && p->stay_pc != SMRF_SIMT_NO_PC;
}
/* May the undecided split be at pc? */
bool smrf_simt_may_be_(const struct smrf_simt_split *p, uint32_t pc);
/* May lanes of split i be with split home? */
bool smrf_simt_joins_(const struct smrf_simt *s, int i, int home);
/* Lines with mask 0 were taken for those of split i, which is undecided: of its lanes those of the
 * line are there. Returns their split. */
int smrf_simt_decide_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn);
/* It turns out that the branch which moved split i had a condition. */
void smrf_simt_doubt_(struct smrf_simt *s, int i);
/* Is the line where its lanes would be had the branch before not moved them? */
bool smrf_simt_stayed_(const struct smrf_simt *s, const struct smrf_simt_turn *turn);
void smrf_simt_act_branch_if_(struct smrf_simt *s, int i, const struct smrf_simt_turn *turn);

/* Branch or barrier target that an immediate gives, SMRF_SIMT_NO_PC = none. */
static inline uint32_t smrf_simt_target_(const struct smrf_simt *s, uint64_t imm)
{
    bool known = s->cfg->has_targets && imm != 0 && imm < SMRF_SIMT_NO_PC;
    return known ? (uint32_t)imm : SMRF_SIMT_NO_PC;
}

#endif
