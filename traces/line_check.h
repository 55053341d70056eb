/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the lines of a launch against its header. A trace that contradicts itself replays, but no
 * GPU ran that kernel. What is wrong is noted as bits; contradiction.h counts them and names the
 * place. */
#ifndef SMRF_LINE_CHECK_H
#define SMRF_LINE_CHECK_H

#include "kernel_header.h"
#include "packed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a single line can contradict: bits 1u << kind of smrf_line_check.found. */
enum smrf_line_contradiction {
    SMRF_LINE_AFTER_EXIT, /* lanes of its mask have ended by EXIT */
    SMRF_LINE_MASK,       /* lanes of its mask are beyond the block's threads */
    SMRF_LINE_OPCODE,     /* its PC has had another opcode or other registers */
    SMRF_LINE_REGISTER,   /* a register at or above the header's count */
    SMRF_LINE_SHARED,     /* an address beyond the block's shared memory */
    SMRF_LINE_PLACE,   /* the ids in front of it are of another block or warp (tracer versions 1, 2)
                        */
    SMRF_LINE_FOLLOWS, /* lanes are at another PC than the instruction before leaves them at, or
                        * some of them are missing though there is no guard */
    SMRF_LINE_CONTRADICTIONS
};

struct smrf_line_check {
    /* of the launch */
    struct smrf_dim3 block_dim;
    uint32_t num_regs; /* of a thread; 256: the header does not say */
    uint32_t binary_version;
    uint64_t shared_bytes;  /* end of the block's shared memory; UINT64_MAX: not known */
    uint64_t shared_window; /* its generic address; 0: not known */
    bool block_ids;         /* block and warp stand in front of each line */
    bool calls;             /* a call has come: PCs behind it may be another function's */
    bool has_barrier, several_barriers; /* one has been met; of more than one number */
    uint64_t barrier;                   /* number of the first */
    /* of the warp */
    struct smrf_dim3 block;
    uint32_t warp, lanes; /* lanes that it has */
    uint32_t dead;        /* lanes that it does not have, or that have ended by EXIT */
    /* Its last line, if all lanes of that must go on at the next PC; else NULL. */
    const struct smrf_code *before;
    uint32_t before_mask;
    /* of the last line that was read by itself */
    uint32_t found; /* bits of enum smrf_line_contradiction */
    uint32_t ended; /* SMRF_LINE_AFTER_EXIT: lanes of its mask that had ended */
    struct {
        const struct smrf_code *code;
        uint32_t mask;
    } follows; /* SMRF_LINE_FOLLOWS: the line before */
};

/* A launch with this header begins. */
void smrf_check_launch(struct smrf_line_check *k, const struct smrf_kernel_header *header);

/* Warp `warp` of the block begins. */
void smrf_check_warp(struct smrf_line_check *k, struct smrf_dim3 block, uint32_t warp);

/* The ids in front of a line: x, y, z of the block, and the warp. */
void smrf_check_place(struct smrf_line_check *k, const uint32_t id[4]);

/* An instruction that the launch has not had, its first execution read. */
void smrf_check_code(struct smrf_line_check *k, const struct smrf_code *c);

/* The highest register that an instruction names for certain; -1: none. */
int smrf_check_highest(const struct smrf_static_inst *inst);

/* An execution: its mask and addresses. Where it ends lanes, later lines are held against that. */
void smrf_check_exec(struct smrf_line_check *k, const struct smrf_exec *e);

/* Have all executions of this instruction to be read line by line? EXIT has: it changes what may
 * follow. */
static inline bool smrf_check_apart(const struct smrf_line_check *k, const struct smrf_code *c)
{
    return c->inst.op_class == SMRF_CLASS_EXIT || k->block_ids;
}

/* Can an execution contradict the header by more than its mask? Where it accesses shared memory,
 * and at a barrier, whose number may differ. */
static inline bool smrf_check_needed(const struct smrf_code *c)
{
    const bool lists_shared =
        c->memory && !c->bulk_copy && (c->inst.flags & SMRF_INST_SHARED_AND_GLOBAL) == 0;
    return (lists_shared &&
            (c->inst.space == SMRF_SPACE_SHARED || c->inst.space == SMRF_SPACE_GENERIC)) ||
           c->inst.op_class == SMRF_CLASS_BARRIER;
}

/* The bytes of an instruction from Volta on; only these have sidecars. */
#define SMRF_CHECK_INST_BYTES 16u

/* Does the sidecar say that all lanes of an execution continue at the next PC? */
bool smrf_check_is_straight(const struct smrf_code *c);

/* May an execution of c with this mask come right after one of `before` (straight) with that? */
static inline bool smrf_check_pair(const struct smrf_code *before, uint32_t before_mask,
                                   const struct smrf_code *c, uint32_t mask)
{
    if ((mask & before_mask) == 0) {
        return true; /* of other lanes */
    }
    return c->inst.pc == before->inst.pc + SMRF_CHECK_INST_BYTES &&
           (mask == before_mask || before->guarded || c->guarded);
}

/* The same after the warp's last line. */
static inline bool smrf_check_follows(const struct smrf_line_check *k, const struct smrf_code *c,
                                      uint32_t mask)
{
    return k->before == NULL || smrf_check_pair(k->before, k->before_mask, c, mask);
}

/* An execution of c was the warp's last line. */
static inline void smrf_check_passed(struct smrf_line_check *k, const struct smrf_code *c,
                                     uint32_t mask)
{
    k->before = c->straight ? c : NULL;
    k->before_mask = mask;
}

/* Where that is needed: is there nothing for smrf_check_exec to note? */
bool smrf_check_passes(const struct smrf_line_check *k, const struct smrf_exec *e);

/* By how many bytes, *least to *most, the addresses of an execution may move at a stroke and still
 * stay in the block's shared memory, or outside of the shared window. *least > *most: each must be
 * checked by itself. */
void smrf_check_shared_reach(const struct smrf_line_check *k, const struct smrf_exec *e,
                             int32_t *least, int32_t *most);

#ifdef __cplusplus
}
#endif

#endif
