/* SPDX-License-Identifier: Apache-2.0 */
/* An SM's request channel into the memory: it takes one sector at a time and shows it to the memory
 * in its cycle or, without a credit then, in the first cycle in which the SM has one. Until that
 * cycle is known the request waits and the channel takes no other.
 *
 * The same channel stands before the memory with and without TLM sockets; there, taking is
 * BEGIN_REQ and the cycle in which the memory took the request is END_REQ. */
#ifndef SMRF_MEMORY_CHANNEL_H
#define SMRF_MEMORY_CHANNEL_H

#include "models/memory/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_channel {
    struct smrf_memory *memory;
    struct smrf_mem_request latest; /* the latest that waited; its cycle: of the latest of all, as
                                       it was offered last */
    bool waiting;                   /* `latest` waits for its credit */
    uint64_t late;                  /* requests for a cycle that the memory had passed */
};

void smrf_channel_init(struct smrf_channel *c, struct smrf_memory *memory);

/* As after init. The memory is reset apart. */
void smrf_channel_reset(struct smrf_channel *c);

/* First cycle in which the channel takes another request: that in which the memory took the latest
 * one; SMRF_NEVER while one waits. */
static inline uint64_t smrf_channel_free(const struct smrf_channel *c)
{
    return c->waiting ? SMRF_NEVER : c->latest.cycle;
}

/* Take a request, in its cycle or as soon after it as the channel is free and the memory has not
 * passed. No request waits. Returns true if the memory has taken it, in the cycle that
 * smrf_channel_free() returns; false: it waits. */
bool smrf_channel_take(struct smrf_channel *c, const struct smrf_mem_request *request);

/* The same as long as the channel is free in the request's cycle, for a sender that is no further
 * ahead than smrf_memory_push says: no such request must wait to be known. Returns false, and
 * nothing has changed, if the channel is not free. */
bool smrf_channel_send(struct smrf_channel *c, const struct smrf_mem_request *request);

/* After smrf_memory_run: the waiting request may have found its credit. Returns true if the memory
 * has taken it now; false also if none waits. */
bool smrf_channel_retry(struct smrf_channel *c);

#ifdef __cplusplus
}
#endif

#endif
