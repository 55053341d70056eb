/* SPDX-License-Identifier: Apache-2.0 */
/* Seams of the front end and the issue stage: control flow, micro-operations, scheduling.
 * (Allotment and thread blocks: allotment.h and block_seam.h of models/frontend.) Warps are warp
 * slots of the SM. */
#ifndef SMRF_FRONT_SEAMS_H
#define SMRF_FRONT_SEAMS_H

#include "models/flight/flight.h"
#include "models/frontend/allotment.h"
#include "models/frontend/block_seam.h"
#include "models/simt_stack/simt_stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a mechanism may ask of its SM while one of its functions runs, and between cycles. */
struct smrf_services {
    void *ctx;
    /* Give a resident warp that has no registers so many a thread. Returns the first physical
     * register of its sub-core, or -1: there is no room. */
    int (*allot)(void *ctx, unsigned warp, uint32_t registers);
    /* What holds the warp's next instruction back may have gone, or micro-operations have come. */
    void (*wake)(void *ctx, unsigned warp);
    /* Instructions in flight that have still to collect a register, the one that is being renamed
     * among them. Precondition: the seam `rename` has last_read. */
    uint32_t (*readers)(void *ctx, unsigned sub, struct smrf_register_place at);
    /* A load that waits (SMRF_MEMORY_WAIT) ends in the next cycle, or is collected from
     * then on if it is a merge. */
    void (*finish)(void *ctx, uint32_t flight);
    /* Take the registers of a resident warp back, none of which is in use: it has none until it is
     * allotted some again. */
    void (*release)(void *ctx, unsigned warp);
    /* The warp issues nothing for so many cycles from the next on. */
    void (*hold)(void *ctx, unsigned warp, uint32_t cycles);
    /* The run cannot go on: why, for the user; the text outlives the SM. */
    void (*fail)(void *ctx, unsigned warp, const char *why);
    /* What the mechanism alone holds is to go to a bank of a sub-core. Returns false: too much
     * waits for this bank. */
    bool (*evict)(void *ctx, unsigned sub, struct smrf_register_place at, uint32_t token);
};

/* Seam: control flow. */
struct smrf_control_seam {
    /* A line of the trace that moves the SIMT stack otherwise than straight on, or may; out: what
     * the stack made of it. Told when it issues (or is removed), before its operands are renamed.
     * Returns cycles during which the warp then cannot issue (a trap, for instance). */
    uint32_t (*line)(void *m, unsigned warp, const struct smrf_inst *inst,
                     const struct smrf_simt_out *out);
};

#define SMRF_MICRO_WAITS 64 /* most registers that an operation waits for without reading them */

/* A mechanism's own operation: it issues, collects its operands, executes and writes back as any
 * instruction, but the SIMT stack does not see it. */
struct smrf_micro {
    /* With addresses of its own, if it is a load or a store; its op lives as long as the mechanism.
     * Registers in the lists of op are what the dependence check and the collectors go by; a
     * register is at most once in src (RZ: none). No control flow, barrier or fence. */
    struct smrf_inst inst;
    /* What is read and written: physical registers of the sub-core. */
    uint16_t src_phys[SMRF_MAX_SRC], dst_phys[SMRF_MAX_DST];
    /* An operation without sources: registers whose pending writes it waits for all the same. */
    uint8_t num_waits, waits[SMRF_MICRO_WAITS];
};

/* Seam: micro-operations, and instructions of the trace that are not issued. */
struct smrf_micro_seam {
    /* The trace's next instruction of a warp: is it removed? Asked once. No control flow, barrier,
     * fence or atomic can be. NULL: none is. */
    bool (*remove)(void *m, unsigned warp, const struct smrf_inst *inst);
    /* The next operation that comes before this instruction, in *micro, all of which is filled but
     * the lists' rests; returns false: there is none. Asked when the instruction is the warp's
     * next, whenever one of them has issued, and after wake. They issue also while the warp waits
     * at a barrier. NULL: there are none, and no other function below is needed. */
    bool (*next)(void *m, unsigned warp, const struct smrf_inst *before, struct smrf_micro *micro);
    /* Source i [32] of an operation has been collected. */
    void (*read)(void *m, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                 uint32_t version);
    /* What an operation writes to destination i, [32] and a version: a register that is moved keeps
     * its own. */
    void (*write)(void *m, const struct smrf_flight *f, unsigned i, uint32_t *data,
                  uint32_t *version);
    /* An operation has left the SM. NULL: not called. */
    void (*done)(void *m, const struct smrf_flight *f);
};

/* Seam: the lists of a scheduler that has some (issue.scheduler=two_level). */
struct smrf_schedule_seam {
    /* A warp is to leave the active list. Returns false: not yet; the call is repeated in the next
     * cycle, if the warp still waits. NULL: at once. */
    bool (*demote)(void *m, unsigned warp, uint64_t cycle);
    /* A warp has come to the active list. NULL: not called. */
    void (*promote)(void *m, unsigned warp, uint64_t cycle);
};

#ifdef __cplusplus
}
#endif

#endif
