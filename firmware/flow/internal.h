/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/flow: the steps of the analysis in their order. Each returns 0 or a negative
 * error. */
#ifndef SMRF_FLOW_INTERNAL_H
#define SMRF_FLOW_INTERNAL_H

#include "firmware/flow/flow.h"
#include "models/common/smrf_err.h"

#include <stddef.h>

#define SMRF_FLOW_STACK_POINTER 1 /* R1 */

/* Zeroed, lives as long as the program; NULL = no memory. */
void *smrf_flow_alloc(struct smrf_flow_program *p, size_t count, size_t size);

int smrf_flow_load(struct smrf_flow_program *p, const struct smrf_operand_table *table,
                   uint32_t binary_version, const char **reason); /* program.c */
int smrf_flow_blocks(struct smrf_flow_program *p, const struct smrf_operand_table *table);
int smrf_flow_calls(struct smrf_flow_program *p, const struct smrf_operand_table *table);
int smrf_flow_conditions(struct smrf_flow_program *p); /* of its instructions */
int smrf_flow_abi(struct smrf_flow_program *p);
int smrf_flow_depth(struct smrf_flow_program *p);      /* calls.c, after the saves are known */
void smrf_flow_list_only(struct smrf_flow_program *p); /* program.c; control flow is known */
int smrf_flow_liveness(struct smrf_flow_program *p);
int smrf_flow_divergence(struct smrf_flow_program *p);
int smrf_flow_strands(struct smrf_flow_program *p);
int smrf_flow_intervals(struct smrf_flow_program *p, unsigned most);
/* After the strands. */
int smrf_flow_placement(struct smrf_flow_program *p, const struct smrf_flow_options *options);

/* Does a result come from memory, or from as far away? */
bool smrf_flow_is_long(const struct smrf_static_inst *op);

/* Values that differ between lanes which run together, on some path to a point. */
struct smrf_flow_varying {
    bool known;   /* some path has been looked at */
    uint8_t pred; /* bit p */
    struct smrf_regset reg;
};

struct smrf_flow_uniform {
    const struct smrf_flow_program *p;
    const bool *varied;                     /* [num_blocks]: parted lanes write there */
    struct smrf_flow_varying *entry, *exit; /* [num_functions] */
    struct smrf_flow_varying *in;           /* of one function's blocks */
    bool grown;                             /* entry or exit */
};

/* end is due also after a failure. */
int smrf_flow_uniform_begin(struct smrf_flow_uniform *u, const struct smrf_flow_program *p,
                            const bool *varied);
/* Mark the last instructions of blocks that may part lanes which run together, after `varied` and
 * the functions' `parts` have grown. Returns whether some were not marked before. */
bool smrf_flow_uniform_run(struct smrf_flow_uniform *u);
void smrf_flow_uniform_end(struct smrf_flow_uniform *u);

/* Bits of the sources whose values are dead after the instruction. `live`: the registers that are
 * live after it, among those that were there before it wrote. */
static inline uint32_t smrf_flow_final(const struct smrf_flow_inst *inst,
                                       const struct smrf_regset *live)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < inst->op.num_src; k++) {
        bits |= (uint32_t)!smrf_regset_has(live, inst->op.src[k]) << k;
    }
    return bits;
}

/* A call inside its function, taken for a jump, from which a return leads back. */
struct smrf_operands;
bool smrf_flow_comes_back(const struct smrf_operands *row, const struct smrf_flow_inst *inst);

static inline struct smrf_flow_inst *smrf_flow_last(const struct smrf_flow_program *p,
                                                    const struct smrf_flow_block *b)
{
    return &p->inst[b->first + b->count - 1];
}

/* The site that a block ends in, NULL = none. */
static inline const struct smrf_flow_site *smrf_flow_site_of(const struct smrf_flow_program *p,
                                                             const struct smrf_flow_block *b)
{
    const uint8_t role = smrf_flow_last(p, b)->role;
    return role == SMRF_FLOW_CALLS || role == SMRF_FLOW_TAIL
               ? smrf_flow_site_at(p, b->first + b->count - 1)
               : NULL;
}

#endif
