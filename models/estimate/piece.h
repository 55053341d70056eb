/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a warp's program and their times, found once and kept: consecutive instructions of one
 * mask that need nothing but registers and units, behind a load or store or without one, or a
 * single one of any kind. Its own time is that on an idle sub-core; what it takes of each resource
 * tells how long others hold it up.
 *
 * Offsets are cycles from the piece's start, in which its first instruction issues. */
#ifndef SMRF_ESTIMATE_PIECE_H
#define SMRF_ESTIMATE_PIECE_H

#include "models/common/sm_params.h"
#include "models/issue/issue_params.h"
#include "models/register_file/rf_params.h"
#include "models/units/units.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_PIECE_INSTS 32 /* at most */
#define SMRF_PIECE_LIMIT 64 /* registers that it waits for, or brings: no instruction has more */
#define SMRF_PIECE_CLASSES 4
#define SMRF_PIECES 2048     /* of a kernel that are kept; further ones are found each time */
#define SMRF_PIECE_WAYS 4096 /* a power of two */
#define SMRF_PIECE_LINES (SMRF_PIECES * 7)

/* Registers: R, then UR. */
#define SMRF_PIECE_UREG 256
#define SMRF_PIECE_REGISTERS (SMRF_PIECE_UREG + SMRF_UREG_ZERO + 1)

/* What a sub-core has of each resource is counted in such parts of a cycle. */
#define SMRF_PIECE_PARTS 16

/* Resources of a sub-core. */
enum smrf_resource {
    SMRF_RESOURCE_ISSUE,
    SMRF_RESOURCE_COLLECTORS,
    SMRF_RESOURCE_UNIT, /* and those behind it */
    SMRF_RESOURCE_BANK = SMRF_RESOURCE_UNIT + SMRF_UNIT_COUNT,
    SMRF_RESOURCES = SMRF_RESOURCE_BANK + SMRF_MAX_BANKS
};

/* What pieces depend on. */
struct smrf_piece_machine {
    struct smrf_rf_params rf;
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    const struct smrf_units *units; /* latencies and intervals; never stepped */
};

/* A register that others bring, or still read if it is written. */
struct smrf_piece_need {
    uint16_t reg;
    uint16_t at;  /* first cycle in which it is needed */
    uint8_t inst; /* instruction of the piece that needs it */
    bool written; /* this instruction writes it */
};

struct smrf_piece_register {
    uint16_t reg;
    uint16_t at;
};

struct smrf_piece_use {
    uint16_t resource; /* a bank: of warp 0 */
    uint16_t slack;    /* parts: others may hold the resource so long without any delay */
    uint32_t parts;
};

/* A piece that is kept lies with its lists in neighbouring lines of the host's cache. */
struct smrf_piece {
    /* What it was found for. */
    const struct smrf_static_inst *first;
    const struct smrf_inst *next;
    const struct smrf_inst *behind; /* its instructions, on the run */
    const struct smrf_piece_need *in;
    const struct smrf_piece_use *use; /* the last of them are of banks */
    uint16_t ahead;                   /* further instructions that it could have taken */
    uint16_t insts;                   /* it has */
    uint16_t span;                    /* its warp's next instruction may issue */
    uint16_t end;                     /* its last result is there */
    uint16_t collected;               /* operands of its first instruction are there */
    uint8_t num_in, num_use, num_bank, num_class, num_out, num_late;
    uint8_t unit;  /* of its first instruction */
    uint8_t needs; /* enum smrf_inst_need, of its first */
    bool barrier;
    /* What it counts: instructions that are steps of another, operands. */
    uint16_t steps, reads, writes;
    uint8_t op_class[SMRF_PIECE_CLASSES], of_class[SMRF_PIECE_CLASSES];
    const struct smrf_piece_register *out;  /* usable from then on */
    const struct smrf_piece_register *late; /* read behind its span, up to then */
    /* What was looked for behind it last, and the same instructions with a cut: SMs that share it
     * look there first, and write to it. */
    struct smrf_piece *follower, *cut;
};

/* One that is being found, or not kept. */
struct smrf_piece_room {
    struct smrf_piece piece;
    struct smrf_piece_use use[SMRF_RESOURCES];
    struct smrf_piece_need in[SMRF_PIECE_LIMIT];
    struct smrf_piece_register out[SMRF_PIECE_LIMIT], late[SMRF_PIECE_LIMIT];
};

/* Pieces of a kernel, by what they begin with. All SMs share them, on whatever threads they run: a
 * piece that two of them find at the same time is kept twice, with the same content. */
struct smrf_pieces {
    uint32_t count, lines; /* those that are kept, and attempts to keep more; of the lines below */
    uint32_t way[SMRF_PIECE_WAYS]; /* 1 + a piece's first line; 0: none */
    struct smrf_piece_line {
        unsigned char byte[64];
    } __attribute__((aligned(64))) line[SMRF_PIECE_LINES];
};

/* Find the times of a piece that begins with `op`; behind it, on a run, stand `ahead` further
 * instructions from `next` on, of which it takes as many as it can. */
void smrf_piece_find(struct smrf_piece_room *r, const struct smrf_piece_machine *m,
                     const struct smrf_static_inst *op, const struct smrf_inst *next,
                     unsigned ahead);

/* All are forgotten: other instructions come. No SM runs meanwhile. */
void smrf_pieces_forget(struct smrf_pieces *pieces);

/* One that is not kept: found, and kept at the first free way from this one on; own: room for it
 * where there is no more to keep it, as long as it is in use. */
struct smrf_piece *smrf_pieces_add(struct smrf_pieces *pieces, unsigned way,
                                   struct smrf_piece_room *own, const struct smrf_piece_machine *m,
                                   const struct smrf_static_inst *op, const struct smrf_inst *next,
                                   unsigned ahead);

static inline unsigned smrf_pieces_way(const struct smrf_static_inst *op,
                                       const struct smrf_inst *next, unsigned ahead)
{
    const uint64_t key = (uint64_t)(uintptr_t)op ^ (uint64_t)(uintptr_t)next << 1 ^ ahead;
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SMRF_PIECE_WAYS;
}

static inline bool smrf_piece_is(const struct smrf_piece *p, const struct smrf_static_inst *op,
                                 const struct smrf_inst *next, unsigned ahead)
{
    return p->first == op && p->next == next && p->ahead == ahead;
}

/* The same as smrf_piece_find, from what is kept; own as above. guess: where it may stand, or NULL;
 * what is found is noted there. A piece ends in any case where the program's next section of
 * SMRF_PIECE_INSTS begins, so that warps that come to an instruction in different ways have the
 * same pieces behind it. */
static inline struct smrf_piece *
smrf_pieces_of(struct smrf_pieces *pieces, struct smrf_piece_room *own,
               const struct smrf_piece_machine *m, const struct smrf_static_inst *op,
               const struct smrf_inst *next, unsigned ahead, struct smrf_piece **guess)
{
    const unsigned rest = SMRF_PIECE_INSTS - 1 - op->index % SMRF_PIECE_INSTS;
    ahead = ahead < rest ? ahead : rest;
    next = ahead ? next : NULL;
    struct smrf_piece *p = guess ? __atomic_load_n(guess, __ATOMIC_ACQUIRE) : NULL;
    if (p && smrf_piece_is(p, op, next, ahead)) {
        return p;
    }
    unsigned way = smrf_pieces_way(op, next, ahead);
    uint32_t at;
    for (; (at = __atomic_load_n(&pieces->way[way], __ATOMIC_ACQUIRE)) != 0;
         way = (way + 1) % SMRF_PIECE_WAYS) {
        p = (struct smrf_piece *)(void *)&pieces->line[at - 1];
        if (smrf_piece_is(p, op, next, ahead)) {
            if (guess) {
                __atomic_store_n(guess, p, __ATOMIC_RELEASE);
            }
            return p;
        }
    }
    return smrf_pieces_add(pieces, way, own, m, op, next, ahead);
}

#ifdef __cplusplus
}
#endif

#endif
