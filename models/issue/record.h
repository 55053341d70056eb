/* SPDX-License-Identifier: Apache-2.0 */
/* What the record of an instruction in flight is made of: gone through for every instruction. */
#ifndef SMRF_ISSUE_RECORD_H
#define SMRF_ISSUE_RECORD_H

#include "issue_internal.h"

#include "models/common/smrf_bits.h"

#include <string.h>

/* A set's reads of the banks, of a warp whose registers begin so many bits further. */
static inline uint64_t smrf_issue_turned_reads(uint64_t reads, unsigned by)
{
    return reads << by | reads >> (-by & 63);
}

/* Where a register lies that nobody renames and its warp has: `first` is the bank of the warp's
 * register 0, base that register's number among those of the sub-core, whose banks are a power of
 * two. */
static inline struct smrf_register_place smrf_issue_even_place(unsigned shift, unsigned base,
                                                               unsigned first, unsigned reg)
{
    const struct smrf_register_place place = {(uint16_t)((base + reg) >> shift),
                                              (uint8_t)((first + reg) & ((1u << shift) - 1))};
    return place;
}

static inline void smrf_issue_count(struct smrf_issue_stats *stats, const struct smrf_inst *inst,
                                    unsigned num_src, unsigned num_dst)
{
    const unsigned op_class = inst->op->op_class, lanes = smrf_count_bits(inst->mask);
    stats->warp_insts++;
    stats->thread_insts += lanes;
    stats->by_class[op_class].warp_insts++;
    stats->by_class[op_class].thread_insts += lanes;
    stats->operand_reads += num_src;
    stats->operand_writes += num_dst;
}

/* What records of all instructions have in common, and a brief one alone: all but the places. set:
 * its registers. */
static inline void smrf_issue_begin(struct smrf_issue *s, unsigned k, struct smrf_flight *f,
                                    const struct smrf_inst *inst, const struct smrf_reg_set *set)
{
    const uint8_t needs = set->needs, num_src = set->num_src, num_read = set->num_read;
    const uint8_t num_dst = set->num_dst;
    const uint16_t dst_left = set->dst_left, carries = set->no_carries;
    struct smrf_issue_warp *w = &s->warp[k];
    f->op = inst->op;
    f->uid = s->links.flights->issued++;
    f->mask = inst->mask;
    f->shared = false;
    f->micro = false;
    f->brief = true;
    f->warp = w->slot;
    f->sub = s->sub;
    f->unit = w->head_unit;
    f->needs = needs;
    f->num_src = num_src;
    f->num_read = num_read;
    f->num_dst = num_dst;
    f->dst_left = dst_left;
    f->carries = carries;
    w->issued++;
    w->inflight++;
}

/* What the load/store unit wants to know of a memory instruction. */
static inline void smrf_issue_keep_addresses(struct smrf_issue *s, unsigned k, uint32_t flight,
                                             const struct smrf_inst *inst)
{
    struct smrf_issue_warp *w = &s->warp[k];
    struct smrf_inst *to = &s->links.flights->memory[flight].inst;
    memcpy(to, inst, offsetof(struct smrf_inst, imm));
    if (inst->addr_kind == SMRF_ADDR_LIST && !inst->list) {
        memcpy(to->lane, inst->lane, sizeof to->lane);
    }
    if (inst->op->op_class == SMRF_CLASS_ATOMIC && inst->mask) {
        w->atomics++;
        smrf_issue_note_lone(w);
    }
}

#endif
