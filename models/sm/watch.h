/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody who looks into an SM while it runs (a profile, a timeline) and changes nothing. An SM
 * without one pays a comparison a cycle and an instruction. */
#ifndef SMRF_WATCH_H
#define SMRF_WATCH_H

#include "models/common/smrf_inst.h"
#include "models/common/smrf_mem.h"
#include "models/subcore/subcore.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_sm;

/* What a warp does in a cycle, the first that applies to it. X(name, "meaning") */
#define SMRF_WARP_STATES(X)                                                                        \
    X(issued, "issued an instruction")                                                             \
    X(unselected, "could issue, another warp of its scheduler did")                                \
    X(unit, "could issue, the latch of its unit was occupied")                                     \
    X(collector, "could issue, no collector unit could take it")                                   \
    X(inactive, "could issue, the policy did not consider it")                                     \
    X(memory, "waits for a result from memory")                                                    \
    X(data, "waits for a result of another unit")                                                  \
    X(war, "waits for readers of its destination")                                                 \
    X(rename, "waits for a physical register")                                                     \
    X(blocked, "held back by the mechanism or by an instruction-cache refill")                     \
    X(membar, "waits at a memory barrier or for an atomic")                                        \
    X(barrier, "waits at a barrier of its thread block")                                           \
    X(fetch, "its instruction buffer is empty")                                                    \
    X(drain, "has issued its last instruction")

#define SMRF_WARP_STATE_ENUM(name, meaning) SMRF_WARP_##name,
enum smrf_warp_state { SMRF_WARP_STATES(SMRF_WARP_STATE_ENUM) SMRF_WARP_STATE_COUNT };
#undef SMRF_WARP_STATE_ENUM

/* Any function may be NULL. A flight's record (models/flight/flight.h) is filled when it is
 * told. */
struct smrf_watch {
    void *ctx;
    /* inst: its line of the trace, NULL: an operation of the mechanism's own. */
    void (*issued)(void *ctx, const struct smrf_sm *sm, uint32_t flight,
                   const struct smrf_inst *inst);
    /* After a step of a sub-core's arbiter. before: what waited and what was taken when it
     * began. */
    void (*arbitrated)(void *ctx, const struct smrf_sm *sm, unsigned sub,
                       const struct smrf_arbitration *before);
    /* The issue stages have had their turn in `cycle`, in which thread blocks are resident. n > 1:
     * nothing moves in the cycles behind it, n in all. */
    void (*cycles)(void *ctx, const struct smrf_sm *sm, uint64_t cycle, uint64_t n);
    /* Its register reg (SMRF_DEPEND_UNIFORM + u: uniform) has been written and is usable. */
    void (*released)(void *ctx, const struct smrf_sm *sm, uint32_t flight, unsigned reg);
    /* It has left the SM. */
    void (*retired)(void *ctx, const struct smrf_sm *sm, uint32_t flight);
    /* The memory port has taken a request; the answer is known, it arrives in response->cycle. A
     * port that answers at once tells the answer first. */
    void (*requested)(void *ctx, const struct smrf_sm *sm, const struct smrf_mem_request *request);
    void (*answered)(void *ctx, const struct smrf_sm *sm, const struct smrf_mem_response *response);
};

/* NULL: nobody looks. The watch must outlive its use. */
void smrf_sm_watch(struct smrf_sm *sm, const struct smrf_watch *watch);

const char *smrf_warp_state_name(enum smrf_warp_state state);

struct smrf_warp_look {
    enum smrf_warp_state state;          /* SMRF_WARP_STATE_COUNT: no warp in this slot */
    const struct smrf_static_inst *head; /* its next instruction, NULL: none is there yet */
    bool own;                            /* .. is an operation of the mechanism's own */
};

/* What the warp in a slot does in the cycle whose issue is over, if it has not issued in it. */
struct smrf_warp_look smrf_sm_probe_warp(const struct smrf_sm *sm, unsigned warp);

#ifdef __cplusplus
}
#endif

#endif
