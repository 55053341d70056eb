/* SPDX-License-Identifier: Apache-2.0 */
/* The register stack of a warp: which frames are open, where they lie, and where a register is
 * found.
 * Source: CARS III-A, III-C, IV-A, Fig. 6.
 *
 * A frame is opened by a call and holds the registers that its function saves (FRU), behind one for
 * the caller's frame pointer if cars.rfp_slot says so. Frames lie one behind the other in a circle
 * of `size` registers; slots are numbered from the bottom of the stack and go on, register slot %
 * size. RFP is the first slot of the newest frame's registers, RSP the slot behind them.
 *
 * Lanes that run apart have open frames of their own, all in the one stack in the order in which
 * they were entered: a register of a lane is looked for in the frames that the lane is in, from the
 * newest to the oldest, and lies in the first of them whose function saves it; in none: in the
 * warp's base registers. (The paper's rule, cars.saved=prefix, looks at the newest frame alone: a
 * leaf that saves nothing then reads its return address from where the kernel left one.)
 *
 * A frame is released when its last lane has returned and no newer frame is open.
 *
 * Traps. Where a new frame does not fit, whole frames are spilled, the oldest first. A spilled
 * frame is what the calling convention would have made of it without a stack: the caller's values
 * of its registers go from the base registers to memory, its own to the base registers. So each
 * lane finds everything where the search above ends, whatever frame it is in and however little
 * room there is, and frames that are spilled are always the oldest. When control comes to a spilled
 * frame and there is room, it and the spilled ones above it are filled: its registers go back to
 * their slots, the caller's from memory to the base registers. If there is none, it runs as it is;
 * lanes that return from it restore the caller's values before. Traffic is that of the paper's
 * handler: a register out and one back each; besides, it is moved within the register file.
 *
 * Low always has room for a frame when all others are spilled.
 *
 * Storage. The paper counts RFP, RSP and free registers of 64 warps, and the list of stalled ones
 * (mechanism.storage_pointers). The search by lanes takes more: for each open frame its first slot
 * (10 bits), its caller's frame (9) and which function's list it holds (16); its lanes are the SIMT
 * stack's (mechanism.storage_frames, for each of mechanism.peak_frames). A machine that runs only
 * warps whose lanes call together needs the newest frames alone. */
#ifndef SMRF_CARS_STACK_H
#define SMRF_CARS_STACK_H

#include "models/common/smrf_program.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CARS_FRAMES 512               /* most open at once, the SIMT stack's SMRF_SIMT_DEPTH */
#define SMRF_CARS_FRAME_BITS (10 + 9 + 16) /* of an open frame's place, caller and function */
#define SMRF_CARS_SLOTS 2048               /* most slots of open frames */
#define SMRF_CARS_FIRST 16                 /* first register of a frame by the paper's rule */
#define SMRF_CARS_KERNEL (-1)              /* no frame */
#define SMRF_CARS_BASE UINT32_MAX

struct smrf_cars_frame {
    const struct smrf_program_function *function;
    uint32_t lanes; /* inside */
    uint32_t out;   /* lanes whose caller's values lie in memory; of spilled frames */
    uint32_t first; /* slot */
    uint16_t size;  /* slots */
    int16_t parent; /* frame of the caller, CARS_KERNEL */
    bool in_memory; /* it has no slots: its saves and restores are left in place */
};

struct smrf_cars_stack {
    uint32_t size;    /* registers of the circle */
    uint16_t depth;   /* frames */
    uint16_t spilled; /* number of spilled frames, the oldest ones */
    uint8_t slot;     /* registers of a frame pointer */
    bool prefix;      /* the paper's renaming */
    struct smrf_cars_frame frame[SMRF_CARS_FRAMES];
};

static inline void smrf_cars_stack_reset(struct smrf_cars_stack *s, uint32_t size, unsigned slot,
                                         bool prefix)
{
    s->size = size;
    s->depth = s->spilled = 0;
    s->slot = (uint8_t)slot;
    s->prefix = prefix;
}

/* Slot behind the last. */
static inline uint32_t smrf_cars_rsp(const struct smrf_cars_stack *s)
{
    return s->depth ? s->frame[s->depth - 1].first + s->frame[s->depth - 1].size : 0;
}

/* First slot that is in registers. */
static inline uint32_t smrf_cars_bottom(const struct smrf_cars_stack *s)
{
    return s->spilled < s->depth ? s->frame[s->spilled].first : smrf_cars_rsp(s);
}

static inline uint32_t smrf_cars_free(const struct smrf_cars_stack *s)
{
    return s->size - (smrf_cars_rsp(s) - smrf_cars_bottom(s));
}

/* Registers that a frame of the function holds. */
static inline const struct smrf_program_set *
smrf_cars_saved(const struct smrf_cars_stack *s, const struct smrf_program_function *function)
{
    return &function->saved[s->prefix ? SMRF_FRAMES_PREFIX : SMRF_FRAMES_MASK];
}

static inline unsigned smrf_cars_fru(const struct smrf_cars_stack *s,
                                     const struct smrf_program_function *function)
{
    return function->frame[s->prefix ? SMRF_FRAMES_PREFIX : SMRF_FRAMES_MASK];
}

/* Newest frame with any of the lanes, CARS_KERNEL: none. */
int smrf_cars_frame_of(const struct smrf_cars_stack *s, uint32_t lanes);

/* Slot where a register of lanes that run in a frame lies, CARS_BASE: in the base registers. */
uint32_t smrf_cars_find(const struct smrf_cars_stack *s, int frame, unsigned reg);
/* Slot of a register in a frame, CARS_BASE: the frame does not hold it. */
uint32_t smrf_cars_slot_of(const struct smrf_cars_stack *s, int frame, unsigned reg);
/* The n-th register that a frame holds, from 0. */
unsigned smrf_cars_register(const struct smrf_cars_stack *s,
                            const struct smrf_program_function *function, unsigned n);

/* Frames that must be spilled until a frame of `slots` slots fits. */
unsigned smrf_cars_in_the_way(const struct smrf_cars_stack *s, unsigned slots);
/* Spilled frames from the newest down to `frame` that fit as they are, if all do; else 0. */
unsigned smrf_cars_can_fill(const struct smrf_cars_stack *s, int frame);

/* The lanes enter a function. in_memory: the frame has no slots. Returns the frame, or -1: more are
 * open than the stack follows. */
int smrf_cars_enter(struct smrf_cars_stack *s, const struct smrf_program_function *function,
                    int parent, uint32_t lanes, bool in_memory);
/* Lanes leave their newest frames (return), or all (exit). Returns lanes that were in none. */
uint32_t smrf_cars_leave(struct smrf_cars_stack *s, uint32_t lanes, bool all);
/* Is the newest frame without lanes? */
static inline bool smrf_cars_empty(const struct smrf_cars_stack *s)
{
    return s->depth && s->frame[s->depth - 1].lanes == 0;
}
/* Release the newest frame, which is empty. */
void smrf_cars_release(struct smrf_cars_stack *s);

#ifdef __cplusplus
}
#endif

#endif
