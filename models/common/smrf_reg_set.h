/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of an instruction's register lists. The trace reader computes them once for each static
 * instruction, for the machine that replays it. Otherwise the issue stage computes them. */
#ifndef SMRF_REG_SET_H
#define SMRF_REG_SET_H

#include "smrf_inst.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void smrf_reg_set_add(uint64_t *words, unsigned reg)
{
    words[reg >> 6] |= UINT64_C(1) << (reg & 63);
}

static inline bool smrf_reg_set_has(const uint64_t *words, unsigned reg)
{
    return words[reg >> 6] >> (reg & 63) & 1;
}

/* Is any register in both? Asked for every instruction: the words are looked at together. */
static inline bool smrf_reg_set_meet(const uint64_t *words, const uint64_t *others)
{
    uint64_t both[4];
    for (unsigned i = 0; i < 4; i++) {
        both[i] = words[i] & others[i];
    }
    return (both[0] | both[1] | both[2] | both[3]) != 0;
}

/* Of which lists a set is made, and for how many banks. base_only: only of the registers that a
 * trace line lists (rf.base_registers_only). */
static inline uint16_t smrf_reg_set_kind(bool base_only, unsigned banks)
{
    return (uint16_t)(banks << 2 | (base_only ? 1u : 0u) << 1 | 1u);
}

/* The bank of a register among `banks` banks, a power of two. 0: it is none. */
static inline uint64_t smrf_reg_set_bank(unsigned banks, unsigned reg)
{
    return banks == 0 || (banks & (banks - 1)) != 0
               ? 0
               : UINT64_C(1) << (reg & (banks - 1)) * (64 / banks);
}

/* src: [at most SMRF_MAX_SRC], dst: [at most SMRF_MAX_DST]. */
static inline struct smrf_reg_set smrf_reg_set_of(const uint8_t *src, unsigned num_src,
                                                  const uint8_t *dst, unsigned num_dst,
                                                  unsigned banks)
{
    struct smrf_reg_set set;
    memset(&set, 0, sizeof set);
    set.num_dst = (uint8_t)num_dst;
    set.dst_left = (uint16_t)((1u << num_dst) - 1);
    for (unsigned i = 0; i < num_src; i++) {
        if (!smrf_reg_set_has(set.read, src[i])) {
            smrf_reg_set_add(set.read, src[i]);
            set.src[set.num_src++] = src[i];
            set.reads += smrf_reg_set_bank(banks, src[i]);
        }
        set.highest = src[i] > set.highest ? src[i] : set.highest;
    }
    for (unsigned i = 0; i < num_dst; i++) {
        smrf_reg_set_add(set.written, dst[i]);
        set.dst[i] = dst[i];
        set.highest = dst[i] > set.highest ? dst[i] : set.highest;
    }
    set.num_read = set.num_src;
    for (unsigned i = 0; i < 4; i++) {
        set.named[i] = set.read[i] | set.written[i];
    }
    return set;
}

/* An instruction waits for a register that it does not read. */
static inline void smrf_reg_set_wait(struct smrf_reg_set *set, unsigned reg)
{
    smrf_reg_set_add(set->read, reg);
    smrf_reg_set_add(set->named, reg);
}

/* What instructions of a class need. */
static inline unsigned smrf_inst_class_needs(unsigned op_class, unsigned space)
{
    switch (op_class) {
    case SMRF_CLASS_TEX:
        return SMRF_NEED_ISSUE | SMRF_NEED_LONG;
    case SMRF_CLASS_LOAD:
        return SMRF_NEED_ISSUE | SMRF_NEED_MEMORY |
               (space != SMRF_SPACE_SHARED ? (unsigned)SMRF_NEED_LONG : 0u);
    case SMRF_CLASS_STORE:
    case SMRF_CLASS_ATOMIC:
        return SMRF_NEED_ISSUE | SMRF_NEED_MEMORY;
    case SMRF_CLASS_MEMBAR:
        return SMRF_NEED_ISSUE | SMRF_NEED_MEMORY | SMRF_NEED_FENCE;
    case SMRF_CLASS_BARRIER:
        return SMRF_NEED_ISSUE | SMRF_NEED_FENCE;
    case SMRF_CLASS_EXIT:
        return SMRF_NEED_ISSUE;
    default:
        return 0;
    }
}

/* enum smrf_inst_need of an instruction. */
static inline uint8_t smrf_inst_needs(const struct smrf_static_inst *op)
{
    unsigned needs = smrf_inst_class_needs(op->op_class, op->space);
    if (op->num_usrc || op->num_udst) {
        needs |= SMRF_NEED_ISSUE | SMRF_NEED_UNIFORM;
    }
    if (op->flags & SMRF_INST_COPIES) {
        needs |= SMRF_NEED_ISSUE | SMRF_NEED_FENCE | SMRF_NEED_END;
    }
    if (op->flow != SMRF_FLOW_NONE || op->access_bytes) {
        needs |= SMRF_NEED_ISSUE;
    }
    return (uint8_t)(needs | (op->num_udst ? SMRF_NEED_END : 0));
}

/* Of an instruction whose lists are complete. */
static inline struct smrf_reg_set smrf_reg_set_of_inst(const struct smrf_static_inst *op,
                                                       bool base_only, unsigned banks)
{
    struct smrf_reg_set set =
        base_only ? smrf_reg_set_of(op->src_listed, op->num_src_listed, op->dst_listed,
                                    op->num_dst_listed, banks)
                  : smrf_reg_set_of(op->src, op->num_src, op->dst, op->num_dst, banks);
    set.made_for = smrf_reg_set_kind(base_only, banks);
    set.needs = smrf_inst_needs(op);
    return set;
}

#ifdef __cplusplus
}
#endif

#endif
