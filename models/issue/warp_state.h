/* SPDX-License-Identifier: Apache-2.0 */
/* What the warps of an issue stage do, for profiles, timelines and the watchdog. */
#ifndef SMRF_WARP_STATE_H
#define SMRF_WARP_STATE_H

#include "issue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a warp does in a cycle, the first that applies to it. X(name, "meaning") */
#define SMRF_WARP_STATES(X)                                                                        \
    X(issued, "issued an instruction")                                                             \
    X(unselected, "could issue, another warp of its scheduler did")                                \
    X(unit, "could issue, the latch of its unit was occupied")                                     \
    X(collector, "could issue, no collector unit was free")                                        \
    X(port, "could issue, read stages were held by an instruction without ports")                  \
    X(queue, "could issue, read stages were held before the full queue of a unit")                 \
    X(withheld, "could issue, the mechanism gave it none of the free collector units")             \
    X(inactive, "could issue, the scheduling policy left it out")                                  \
    X(count, "waits for the end of a stall count in the control bits")                             \
    X(counter, "waits for a counter of the control bits")                                          \
    X(memory, "waits for a result from memory")                                                    \
    X(data, "waits for a result of another unit")                                                  \
    X(war, "waits for readers of its destination")                                                 \
    X(rename, "waits for a physical register")                                                     \
    X(blocked, "held back by the mechanism or by an instruction-cache refill")                     \
    X(membar, "waits at a memory barrier or for an atomic")                                        \
    X(barrier, "waits at a barrier of its thread block")                                           \
    X(fetch, "its instruction buffer is empty, or a cache is refilled for it")                     \
    X(constant, "waits for a constant, of its own or of the warp that issued last")                \
    X(drain, "has issued its last instruction")

#define SMRF_WARP_STATE_ENUM(name, meaning) SMRF_WARP_##name,
enum smrf_warp_state { SMRF_WARP_STATES(SMRF_WARP_STATE_ENUM) SMRF_WARP_STATE_COUNT };
#undef SMRF_WARP_STATE_ENUM

const char *smrf_warp_state_name(enum smrf_warp_state state);

struct smrf_warp_look {
    enum smrf_warp_state state;          /* SMRF_WARP_STATE_COUNT: no warp in this slot */
    const struct smrf_static_inst *head; /* its next instruction, NULL: none is there yet */
    bool own;                            /* it is an operation of the mechanism */
};

/* What warp k does in the cycle whose issue is over, if it has not issued in it. */
struct smrf_warp_look smrf_issue_probe_warp(const struct smrf_issue *s, unsigned k);

#ifdef __cplusplus
}
#endif

#endif
