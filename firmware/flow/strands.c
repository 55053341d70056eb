/* SPDX-License-Identifier: Apache-2.0 */
/* Strands (Gebhart et al., "A Compile-Time Managed Multi-Level Register File Hierarchy", MICRO
 * 2011): stretches in which a warp never waits for a result of long latency. One ends before an
 * instruction that needs such a result of the same strand, at a backward branch and at its target,
 * around a call, where paths meet on which different results are outstanding, and behind what else
 * a warp may wait for long: barriers, fences, atomics and groups of copies.
 * Source: the paper names the ends; Assumption: results of long latency are loads from memory other
 * than shared and constant memory, atomics that return a value, and texture. */
#include "firmware/flow/internal.h"

#include <stdlib.h>

struct strand {
    uint32_t number;
    struct smrf_regset outstanding;
};

bool smrf_flow_is_long(const struct smrf_static_inst *op)
{
    switch ((enum smrf_class)op->op_class) {
    case SMRF_CLASS_LOAD:
        return op->space != SMRF_SPACE_SHARED && op->space != SMRF_SPACE_CONST;
    case SMRF_CLASS_ATOMIC:
    case SMRF_CLASS_TEX:
        return true;
    default:
        return false;
    }
}

static void begin_(struct smrf_flow_program *p, struct strand *s)
{
    *s = (struct strand){.number = p->num_strands++};
}

static bool touches_(const struct smrf_flow_inst *i, const struct smrf_regset *set)
{
    struct smrf_regset both = i->reads;
    (void)smrf_regset_unite(&both, &i->writes);
    (void)smrf_regset_meet(&both, set);
    return smrf_regset_count(&both) != 0;
}

static bool waits_(const struct smrf_flow_inst *i)
{
    return i->role == SMRF_FLOW_CALLS || i->role == SMRF_FLOW_GIVES_WAY ||
           i->op.op_class == SMRF_CLASS_BARRIER || i->op.op_class == SMRF_CLASS_MEMBAR ||
           i->op.op_class == SMRF_CLASS_ATOMIC || (i->op.flags & SMRF_INST_COPIES_WAIT);
}

/* Does a block end in a branch to itself or to what comes before it? */
static bool jumps_back_(const struct smrf_flow_program *p, const struct smrf_flow_block *block)
{
    for (uint32_t k = 0; k < block->num_succ; k++) {
        if (p->block[block->succ[k]].order <= block->order) {
            return true;
        }
    }
    return false;
}

/* Does the block go on with the strand that all its predecessors end with? */
static bool goes_on_(const struct smrf_flow_program *p, const struct strand *end, uint32_t b,
                     struct strand *s)
{
    const struct smrf_flow_block *block = &p->block[b];
    const struct strand *first = NULL;
    for (uint32_t k = 0; k < block->num_pred; k++) {
        const struct smrf_flow_block *from = &p->block[block->pred[k]];
        const struct strand *other = &end[block->pred[k]];
        if (from->order == SMRF_FLOW_NOWHERE) {
            continue;
        }
        first = first != NULL ? first : other;
        if (jumps_back_(p, from) || waits_(smrf_flow_last(p, from)) ||
            other->number != first->number ||
            !smrf_regset_same(&other->outstanding, &first->outstanding)) {
            return false;
        }
    }
    if (first != NULL) {
        *s = *first;
    }
    return first != NULL;
}

static void number_(struct smrf_flow_program *p, struct strand *end, uint32_t b)
{
    const struct smrf_flow_block *block = &p->block[b];
    struct strand s;
    if (block->order == SMRF_FLOW_NOWHERE || !goes_on_(p, end, b, &s)) {
        begin_(p, &s);
    }
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        struct smrf_flow_inst *inst = &p->inst[i];
        if (touches_(inst, &s.outstanding) || (i > block->first && waits_(inst - 1))) {
            begin_(p, &s);
        }
        inst->strand = s.number;
        if (smrf_flow_is_long(&inst->op)) {
            (void)smrf_regset_unite(&s.outstanding, &inst->writes);
        }
    }
    end[b] = s;
}

int smrf_flow_strands(struct smrf_flow_program *p)
{
    struct strand *end = calloc(p->num_blocks + (size_t)1, sizeof *end);
    uint32_t *sorted = malloc((p->num_blocks + (size_t)1) * sizeof *sorted);
    const int rc = end != NULL && sorted != NULL ? 0 : SMRF_ERR_NOMEM;
    for (uint32_t f = 0; rc == 0 && f < p->num_functions; f++) {
        const struct smrf_flow_function *fn = &p->function[f];
        uint32_t reached = 0;
        for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
            if (p->block[b].order != SMRF_FLOW_NOWHERE) {
                sorted[p->block[b].order] = b;
                reached++;
            }
        }
        for (uint32_t i = 0; i < reached; i++) {
            number_(p, end, sorted[i]);
        }
        for (uint32_t b = fn->first_block; b < fn->first_block + fn->num_blocks; b++) {
            if (p->block[b].order == SMRF_FLOW_NOWHERE) {
                number_(p, end, b);
            }
        }
    }
    free(end);
    free(sorted);
    return rc;
}
