/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler knows of a kernel's program and hands to the hardware with it: plain data, made
 * from the sidecar of a trace before the launch begins, and valid until it has ended. Mechanisms
 * read it and nothing else of the program. */
#ifndef SMRF_PROGRAM_H
#define SMRF_PROGRAM_H

#include "models/common/smrf_inst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_PROGRAM_NONE UINT32_MAX
#define SMRF_PLACE_LAST_RESULT 15 /* a place of an operand; see smrf_inst_facts */
#define SMRF_PLACE_ALSO_BANK 16
#define SMRF_PLACE_FROM_BANK 16

/* What the compiler knows of the hardware that it compiles for. */
struct smrf_program_wish {
    uint32_t operand_entries; /* of the operand file, a thread, to 14; 0: there is none */
    bool last_result;         /* there is a last-result file */
    bool read_operands;       /* the operand file takes what is read several times, too */
    uint32_t
        interval_registers; /* most registers that an interval names; 0: as the compiler likes */
};

/* A set of vector registers. */
struct smrf_program_set {
    uint64_t w[4];
};

static inline bool smrf_program_set_has(const struct smrf_program_set *s, unsigned reg)
{
    return s->w[reg >> 6] >> (reg & 63) & 1;
}

static inline unsigned smrf_program_set_count(const struct smrf_program_set *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t w = s->w[i]; w; w &= w - 1) {
            n++;
        }
    }
    return n;
}

/* The lowest register of a set from one on, SMRF_REG_ZERO: there is none. */
static inline unsigned smrf_program_set_next(const struct smrf_program_set *s, unsigned from)
{
    for (unsigned i = from >> 6; i < 4; i++) {
        const uint64_t w = i == from >> 6 ? s->w[i] & UINT64_MAX << (from & 63) : s->w[i];
        if (w) {
            return 64 * i + (unsigned)__builtin_ctzll(w);
        }
    }
    return SMRF_REG_ZERO;
}

/* What is known of an instruction; src[i], dst[i]: of the lists that the machine sees. */
struct smrf_inst_facts {
    /* Registers whose value some lane of the warp may still need when it has executed; the lanes
     * that wait elsewhere are lanes of the warp. */
    struct smrf_program_set live;
    /* Bit i: the old value of dst[i] is dead in lanes that do not execute the instruction. */
    uint16_t unmerged_dst;
    bool exact; /* of this execution alone, from what the trace holds further on: no compiler's */
    /* Registers of the instruction's interval: the same pointer throughout an interval. NULL: the
     * program is not known. The same holds for the next two fields. */
    const struct smrf_program_set *interval;
    uint32_t strand;
    bool ends_strand; /* the next instruction belongs to another strand */
    /* If the wish has files beside the register file: where each source of the static instruction
     * is read, and where each destination is written. 0 = the register file; 1 and above = an entry
     * of the operand file; PLACE_LAST_RESULT. Destinations: PLACE_ALSO_BANK = and the register
     * file. Sources: PLACE_FROM_BANK = from the register file, and into the entry. */
    uint8_t src_place[SMRF_MAX_SRC], dst_place[SMRF_MAX_DST];
};

/* Which registers a register stack renames. */
enum smrf_program_frames {
    SMRF_FRAMES_MASK,   /* those that the function saves, whichever they are */
    SMRF_FRAMES_PREFIX, /* R16 up to the last that it saves */
    SMRF_FRAMES_KINDS
};

struct smrf_program_function {
    const char *name;
    uint32_t pc, bytes;
    bool recursive;
    /* Registers that it keeps for its caller, and whose saves and restores are all marked
     * SMRF_INST_SPILL: a register stack may take their place. */
    struct smrf_program_set saved[SMRF_FRAMES_KINDS];
    /* Of saved[MASK]: those whose value at its entry it may read before it writes them. */
    struct smrf_program_set read_first;
    uint16_t frame[SMRF_FRAMES_KINDS]; /* registers of a frame (FRU) */
    /* Registers of the deepest path from here on, its own frame among them, recursion counted once;
     * second: with one register more a call, for the caller's frame pointer. */
    uint32_t deepest[SMRF_FRAMES_KINDS][2];
};

struct smrf_program_call {
    uint32_t pc, caller; /* function */
    uint32_t num_callees;
    const uint32_t *callee; /* functions */
    bool indirect;
};

struct smrf_program {
    uint32_t num_functions, num_calls, num_insts;
    const struct smrf_program_function *function; /* by PC; the kernel is the first */
    const struct smrf_program_call *call;         /* by PC */
    const uint32_t *pc; /* of each instruction, ascending; NULL: unknown */
    const struct smrf_inst_facts *facts;
    uint32_t unknown_call; /* PC of a call that may lead anywhere, PROGRAM_NONE: there is none */
};

/* The function that begins at a PC; PROGRAM_NONE if there is none. */
static inline uint32_t smrf_program_function_at(const struct smrf_program *p, uint32_t pc)
{
    uint32_t low = 0, high = p->num_functions;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->function[middle].pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->num_functions && p->function[low].pc == pc ? low : SMRF_PROGRAM_NONE;
}

/* Facts of the instruction at a PC, NULL: not known. */
static inline const struct smrf_inst_facts *smrf_program_facts_at(const struct smrf_program *p,
                                                                  uint32_t pc)
{
    uint32_t low = 0, high = p->num_insts;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->pc[middle] < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->num_insts && p->pc[low] == pc ? &p->facts[low] : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
