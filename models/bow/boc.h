/* SPDX-License-Identifier: Apache-2.0 */
/* A bypassing operand collector (BOC): an operand collector that keeps the operands of a warp's
 * last instructions. The sources of an instruction that enters are looked up in the window, newest
 * place first, and copied into its own slots; only the rest is read from the banks. Then the window
 * slides: the oldest place leaves, the new one enters. Its first destinations have slots, too,
 * reserved at entry and filled when the result returns while the place is still in the window. The
 * banks are always written.
 *
 * Source: BOW (Esfeden et al., MICRO 2020) as modelled by Malekeh (long) VI-B, Fig. 11: window 3, 6
 * sources and 2 destinations a place. That reuses "farther than 3" are lost to a window of 3, and
 * those nearer are not (VI-B2), says that the instruction that enters sees `window` instructions
 * before it; counts_entering is the narrower reading. Assumption: a destination without a slot has
 * its older copies dropped when its instruction enters. */
#ifndef SMRF_BOC_H
#define SMRF_BOC_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_BOC_MAX_WINDOW 8
#define SMRF_BOC_MAX_SLOTS 16 /* sources + results of a place */
#define SMRF_BOC_NO_WARP 0xff

struct smrf_boc_config {
    uint8_t window;       /* places, 1 .. SMRF_BOC_MAX_WINDOW */
    uint8_t sources;      /* source slots of a place */
    uint8_t results;      /* result slots of a place; sources + results <= SMRF_BOC_MAX_SLOTS */
    bool flush_on_branch; /* a taken branch starts a new window */
    bool
        counts_entering; /* an instruction sees the window - 1 before it: it is one of the window */
};

/* One instruction's operands. Bits of the masks: slots, sources first. */
struct smrf_boc_place {
    uint32_t inst;   /* number of the instruction in its warp */
    uint32_t named;  /* slots that belong to a register */
    uint32_t valid;  /* of them, those that hold its value */
    uint32_t unread; /* valid results that have not been read yet */
    uint8_t reg[SMRF_BOC_MAX_SLOTS];
};

/* What a slot holds, where values are carried. */
struct smrf_boc_value {
    uint32_t version;
    uint32_t data[SMRF_LANES];
};

struct smrf_boc {
    const struct smrf_boc_config *cfg;
    uint8_t warp; /* SMRF_BOC_NO_WARP = no owner */
    uint8_t newest, held;
    bool wide;   /* a place has more than 8 slots */
    uint32_t pc; /* of the newest instruction */
    struct smrf_boc_place place[SMRF_BOC_MAX_WINDOW + 1];
    /* [place][slot]; apart, so that the places, which are searched, lie close together. */
    struct smrf_boc_value value[SMRF_BOC_MAX_WINDOW + 1][SMRF_BOC_MAX_SLOTS];
};

struct smrf_boc_inst {
    const uint8_t *src, *dst; /* distinct registers */
    uint32_t inst, pc;
    uint8_t num_src, num_dst, warp;
    bool values; /* are they carried? */
};

struct smrf_boc_entered {
    uint32_t hits, missing; /* bit i: source i */
    /* of a hit, where values are carried; valid until the next call */
    const struct smrf_boc_value *value[SMRF_MAX_SRC];
    unsigned unbuffered;  /* sources beyond the slots */
    unsigned brought;     /* missing ones that a slot waits for */
    unsigned first_reads; /* hits that are the first of a result */
    bool flushed;         /* values of another warp were dropped */
    bool branched;        /* values were dropped at a taken branch */
};

/* 0 or SMRF_ERR_INVAL. */
int smrf_boc_config_check(const struct smrf_boc_config *cfg);
/* cfg is kept. */
int smrf_boc_init(struct smrf_boc *b, const struct smrf_boc_config *cfg);
/* Forgets everything; the unit has no owner. */
void smrf_boc_reset(struct smrf_boc *b);

/* An instruction enters; that whose place it takes has been dispatched. What is still on its way to
 * an older one is missing, and is read again. */
void smrf_boc_enter(struct smrf_boc *b, const struct smrf_boc_inst *in,
                    struct smrf_boc_entered *out);
/* Source i of instruction `inst` arrives from its bank (data NULL: values are not carried). It is
 * kept while its place is in the window. */
void smrf_boc_arrive(struct smrf_boc *b, uint32_t inst, unsigned i, const uint32_t *data,
                     uint32_t version);
/* Destination i (register reg) of instruction `inst` returns. Whether a slot took it. Every other
 * copy of the register is dropped: a reader that was issued before the writer may have entered
 * after it where write-after-read order is not kept (scoreboard.war=off). */
bool smrf_boc_write(struct smrf_boc *b, uint32_t inst, unsigned i, unsigned reg,
                    const uint32_t *row, uint32_t version);
/* The newest copy of a register [32], NULL: none. */
const uint32_t *smrf_boc_probe_copy(const struct smrf_boc *b, unsigned reg);

#ifdef __cplusplus
}
#endif

#endif
