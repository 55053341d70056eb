/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/channel.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_inlined.h"

void smrf_channel_init(struct smrf_channel *c, struct smrf_memory *memory)
{
    *c = (struct smrf_channel){.memory = memory};
}

void smrf_channel_reset(struct smrf_channel *c)
{
    smrf_channel_init(c, c->memory);
}

/* The memory has refused the waiting request: it is offered again in the cycle of its next credit.
 * Returns whether that is known. */
static bool refused_(struct smrf_channel *c)
{
    const uint64_t next = smrf_memory_credit(c->memory, c->latest.sm, c->latest.cycle);

    c->latest.cycle = next == SMRF_NEVER ? c->latest.cycle : next;
    return next != SMRF_NEVER;
}

/* Offer the waiting request in its cycle, then in that of every further credit known already, as
 * far as the memory can look ahead. */
static bool offer_(struct smrf_channel *c)
{
    const uint64_t horizon = smrf_memory_horizon(c->memory);

    while (c->latest.cycle < horizon) {
        if (smrf_memory_push(c->memory, &c->latest)) {
            c->waiting = false;
            return true;
        }
        if (!refused_(c)) {
            return false;
        }
    }
    return false;
}

/* First cycle in which the waiting request, or the next one, may be offered. */
static inline uint64_t from_(const struct smrf_channel *c)
{
    const uint64_t now = smrf_memory_now(c->memory);

    return c->latest.cycle > now ? c->latest.cycle : now;
}

static SMRF_APART bool wait_(struct smrf_channel *c, const struct smrf_mem_request *request,
                             uint64_t from)
{
    c->late += request->cycle < smrf_memory_now(c->memory);
    c->latest = *request;
    c->latest.cycle = request->cycle > from ? request->cycle : from;
    c->waiting = true;
    return offer_(c);
}

static SMRF_APART bool wait_refused_(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    c->latest = *request;
    c->waiting = true;
    return refused_(c) && offer_(c);
}

/* Fast path: the memory takes the request at once. */
static inline bool push_(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    if (!smrf_memory_push(c->memory, request)) {
        return wait_refused_(c, request);
    }
    c->latest.cycle = request->cycle;
    return true;
}

/* The function below is also called for each request of an SM, by the socket. */
SMRF_FLAT bool smrf_channel_take(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    const uint64_t from = from_(c);

    SMRF_ASSERT(!c->waiting);
    if (request->cycle < from || !smrf_memory_sure(c->memory, request->sm, request->cycle)) {
        return wait_(c, request, from);
    }
    return push_(c, request);
}

/* With smrf_memory_push within: each request of an SM comes this way. It knows how far it may be
 * ahead. */
SMRF_FLAT bool smrf_channel_send(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    const uint64_t now = smrf_memory_now(c->memory);

    if (c->waiting || request->cycle < c->latest.cycle) {
        return false;
    }
    if (request->cycle < now) {
        (void)wait_(c, request, now);
    } else {
        (void)push_(c, request);
    }
    return true;
}

bool smrf_channel_retry(struct smrf_channel *c)
{
    uint64_t next;

    if (!c->waiting) {
        return false;
    }
    next = smrf_memory_credit(c->memory, c->latest.sm, from_(c));
    if (next == SMRF_NEVER) {
        return false;
    }
    c->latest.cycle = next;
    return offer_(c);
}
