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

/* Services of the SM. A mechanism may call them from one of its functions, and between cycles. */
struct smrf_services {
    void *ctx;
    /* Gives a resident warp its registers, if it has none. Returns the first physical register of
     * its sub-core, or -1: there is no room. */
    int (*allot)(void *ctx, unsigned warp, uint32_t registers);
    /* Wakes a warp: its next instruction may be able to issue now, or it has new micro-operations.
     */
    void (*wake)(void *ctx, unsigned warp);
    /* Number of instructions in flight that have yet to collect a register, including the one that
     * is being renamed. Precondition: the seam `rename` has last_read. */
    uint32_t (*readers)(void *ctx, unsigned sub, struct smrf_register_place at);
    /* Ends the wait of a load (SMRF_MEMORY_WAIT) in the next cycle. A merge is collected from then
     * on. */
    void (*finish)(void *ctx, uint32_t flight);
    /* Takes the registers of a resident warp back. None of them is in use. The warp has no
     * registers until it is allotted some again. */
    void (*release)(void *ctx, unsigned warp);
    /* The warp issues nothing for this number of cycles, beginning with the next one. */
    void (*hold)(void *ctx, unsigned warp, uint32_t cycles);
    /* Ends the run with an error. why: the reason for the user; the text outlives the SM. */
    void (*fail)(void *ctx, unsigned warp, const char *why);
    /* Requests an eviction: a value that only the mechanism holds goes to its bank. Returns false:
     * the bank's queue is full. */
    bool (*evict)(void *ctx, unsigned sub, struct smrf_register_place at, uint32_t token);
    /* Makes the moves between the scheduler's lists, of the warp and of the others of its sub-core,
     * that the seam `schedule` has let wait (move_freely). Call it before a decision that depends
     * on the lists, and before a warp ceases to move freely. */
    void (*settle_lists)(void *ctx, unsigned warp);
};

/* Seam: control flow. */
struct smrf_control_seam {
    /* A trace line that changes the SIMT stack otherwise than straight on, or may do so. out: the
     * change. Called when the line issues (or is removed), before its operands are renamed. Returns
     * the number of cycles for which the warp cannot issue afterwards (because of a trap, for
     * instance). */
    uint32_t (*line)(void *m, unsigned warp, const struct smrf_inst *inst,
                     const struct smrf_simt_out *out);
};

#define SMRF_MICRO_WAITS 64 /* most registers that an operation waits for without reading them */

/* A mechanism's own operation. It issues, collects its operands, executes and writes back as any
 * instruction, but the SIMT stack does not see it. */
struct smrf_micro {
    /* Loads and stores bring their own addresses. op lives as long as the mechanism. The dependence
     * check and the collectors use the register lists of op; a register is at most once in src
     * (except RZ). No control flow, barrier or fence. */
    struct smrf_inst inst;
    /* The physical registers of the sub-core that are read and written. */
    uint16_t src_phys[SMRF_MAX_SRC], dst_phys[SMRF_MAX_DST];
    /* For an operation without sources: registers whose pending writes it waits for. */
    uint8_t num_waits, waits[SMRF_MICRO_WAITS];
};

/* Seam: micro-operations, and instructions of the trace that are not issued. */
struct smrf_micro_seam {
    /* Is the warp's next instruction of the trace removed? Called once for each. Control flow,
     * barriers, fences and atomics cannot be removed. NULL: none is. */
    bool (*remove)(void *m, unsigned warp, const struct smrf_inst *inst);
    /* Gives the next operation before this instruction, in *micro: as its last call for the warp
     * left it, or zero. The rest of the lists has no meaning. Returns false: there is none. Called
     * when the instruction becomes the warp's next one, whenever one of its operations has issued,
     * and after wake. Operations also issue while the warp waits at a barrier. NULL: there are
     * none, and the functions below are not needed. */
    bool (*next)(void *m, unsigned warp, const struct smrf_inst *before, struct smrf_micro *micro);
    /* Source i [32] of an operation has been collected. data and version have no meaning where
     * values are not moved. */
    void (*read)(void *m, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                 uint32_t version);
    /* Gives the value that an operation writes to destination i, [32], and its version. A moved
     * register keeps its version. Called where values are moved. */
    void (*write)(void *m, const struct smrf_flight *f, unsigned i, uint32_t *data,
                  uint32_t *version);
    /* An operation has left the SM. NULL: not called. */
    void (*done)(void *m, const struct smrf_flight *f);
};

/* Seam: the lists of a two-level scheduler (issue.scheduler=two_level). */
struct smrf_schedule_seam {
    /* May a warp leave the active list? Returns false: not yet; the call is repeated in the next
     * cycle if the warp still waits. NULL: always. */
    bool (*demote)(void *m, unsigned warp, uint64_t cycle);
    /* A warp has joined the active list. NULL: not called. */
    void (*promote)(void *m, unsigned warp, uint64_t cycle);
    /* May the warps (bit k of the sub-core), which wait, leave and join the active list any number
     * of times without an effect but on which warps are there? Then their moves may come later, all
     * at once: the service settle_lists makes them. NULL: no. */
    bool (*move_freely)(void *m, unsigned sub, uint64_t warps);
};

#ifdef __cplusplus
}
#endif

#endif
