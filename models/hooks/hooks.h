/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of an SM: named positions at which listeners are called. A listener observes and changes
 * nothing; examples are the value oracle, a profile, a timeline, the data of stores. The blocks do
 * not know their listeners. A position without a listener costs one comparison. Source: Akita's
 * hooks. */
#ifndef SMRF_MODEL_HOOKS_H
#define SMRF_MODEL_HOOKS_H

#include "models/common/smrf_inst.h"
#include "models/common/smrf_mem.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_operand_latches;
struct smrf_simt_out;
struct smrf_warp_start;

/* State of an arbiter before its step. If fewer reads wait for a bank afterwards, the first of them
 * was granted; with rf.perfect, all were. smrf_arbiter_at() from the head on names them. */
struct smrf_arbitration {
    uint32_t write_mask;            /* bit b: a write used bank b */
    uint16_t count[SMRF_MAX_BANKS]; /* reads that waited for the bank */
    uint16_t head[SMRF_MAX_BANKS];  /* position of the first of them */
};

/* A listener's functions; NULL ones are not called. flight: number of an instruction in flight
 * (models/flight/flight.h), whose record is filled in; warp: warp slot of the SM. */
struct smrf_listener {
    void *ctx;

    /* --- front end and issue stages --- */
    /* A warp starts. */
    void (*started)(void *ctx, unsigned warp, const struct smrf_warp_start *start);
    /* An instruction has issued. inst: its line of the trace. */
    void (*issued)(void *ctx, uint32_t flight, const struct smrf_inst *inst);
    /* The same, with the change of the SIMT stack. */
    void (*flow)(void *ctx, uint32_t flight, const struct smrf_simt_out *out);
    /* An operation of the mechanism has issued. */
    void (*injected)(void *ctx, uint32_t flight);
    /* The mechanism has removed an instruction of the trace, which does not issue. */
    void (*removed)(void *ctx, unsigned warp, const struct smrf_inst *inst);

    /* --- load/store unit --- */
    /* A memory instruction or a fence leaves the latch before it. */
    void (*arrived)(void *ctx, uint32_t flight);

    /* --- operands and results: called where values are moved (wires->values) --- */
    /* Sources (bit i) are in the latches of their collector; cached: from the operand cache. */
    void (*operands)(void *ctx, uint32_t flight, uint32_t sources,
                     const struct smrf_operand_latches *latches, bool cached);
    /* After a result was written: the copy in the operand cache, and the row of the bank: [32]. */
    void (*copied)(void *ctx, uint32_t flight, unsigned i, const uint32_t *copy,
                   const uint32_t *row);
    /* Destination i of a load already holds the loaded data: the row [32] and its version. */
    void (*shared)(void *ctx, uint32_t flight, unsigned i, const uint32_t *row, uint32_t version);
    /* Destination i of a load has been merged from two registers: [32]. */
    void (*merged)(void *ctx, uint32_t flight, unsigned i, const uint32_t *row);

    /* --- end of an instruction --- */
    /* Its register has been written and is usable. */
    void (*released)(void *ctx, uint32_t flight, unsigned reg);
    /* It leaves the SM. Its uniform results are usable from now on. */
    void (*retired)(void *ctx, uint32_t flight);

    /* --- arbiters, memory port, time --- */
    /* After a step of a sub-core's arbiter. */
    void (*arbitrated)(void *ctx, unsigned sub, const struct smrf_arbitration *before);
    /* The memory port has taken a request. The answer is known and arrives in response->cycle. A
     * port that answers at once calls `answered` first. */
    void (*requested)(void *ctx, const struct smrf_mem_request *request);
    void (*answered)(void *ctx, const struct smrf_mem_response *response);
    /* The issue stages have acted in `cycle`, with thread blocks resident. n > 1: nothing changes
     * in the n - 1 cycles after it. */
    void (*cycles)(void *ctx, uint64_t cycle, uint64_t n);
};

/* X(position) */
#define SMRF_HOOKS(X)                                                                              \
    X(started)                                                                                     \
    X(issued)                                                                                      \
    X(flow)                                                                                        \
    X(injected)                                                                                    \
    X(removed)                                                                                     \
    X(arrived)                                                                                     \
    X(operands)                                                                                    \
    X(copied)                                                                                      \
    X(shared)                                                                                      \
    X(merged)                                                                                      \
    X(released)                                                                                    \
    X(retired)                                                                                     \
    X(arbitrated)                                                                                  \
    X(requested)                                                                                   \
    X(answered)                                                                                    \
    X(cycles)

#define SMRF_HOOK_ENUM(position) SMRF_HOOK_##position,
enum smrf_hook { SMRF_HOOKS(SMRF_HOOK_ENUM) SMRF_HOOK_COUNT };
#undef SMRF_HOOK_ENUM

#define SMRF_MAX_LISTENERS 4

/* The listeners of a position. */
struct smrf_hook_list {
    uint32_t count;
    const struct smrf_listener *listener[SMRF_MAX_LISTENERS];
};

struct smrf_hooks {
    uint32_t hooked; /* bit p: position p has a listener */
    struct smrf_hook_list all;
    struct smrf_hook_list at[SMRF_HOOK_COUNT];
};

/* Does a position have a listener? */
#define SMRF_HOOKED(hooks, position) ((hooks)->hooked >> SMRF_HOOK_##position & 1)

/* Calls the listeners of a position, in the order in which they were added. */
#define SMRF_CALL_LISTENERS(hooks, position, ...)                                                  \
    do {                                                                                           \
        const struct smrf_hook_list *list_ = &(hooks)->at[SMRF_HOOK_##position];                   \
        for (uint32_t n_ = 0; n_ < list_->count; n_++) {                                           \
            list_->listener[n_]->position(list_->listener[n_]->ctx, __VA_ARGS__);                  \
        }                                                                                          \
    } while (0)

/* Adds a listener, which is kept by pointer. Call it again if an added listener has changed. */
void smrf_hooks_add(struct smrf_hooks *h, const struct smrf_listener *listener);

#ifdef __cplusplus
}
#endif

#endif
