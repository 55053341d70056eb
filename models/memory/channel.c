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

/* The memory has refused the held request: it is offered again in the cycle of its next credit.
 * Returns whether that is known. */
static bool refused_(struct smrf_channel *c)
{
    const uint64_t next = smrf_memory_credit(c->memory, c->held.sm, c->held.cycle);

    c->held.cycle = next == SMRF_NEVER ? c->held.cycle : next;
    return next != SMRF_NEVER;
}

/* Offer the held request in its cycle, then in that of every further credit known already, as far
 * as the memory can look ahead. */
static bool show_(struct smrf_channel *c)
{
    const uint64_t horizon = smrf_memory_horizon(c->memory);

    while (c->held.cycle < horizon) {
        if (smrf_memory_push(c->memory, &c->held)) {
            c->holding = false;
            return true;
        }
        if (!refused_(c)) {
            return false;
        }
    }
    return false;
}

/* First cycle in which the held request, or the next one, may be offered. */
static inline uint64_t from_(const struct smrf_channel *c)
{
    const uint64_t now = smrf_memory_now(c->memory);

    return c->held.cycle > now ? c->held.cycle : now;
}

static SMRF_APART bool hold_(struct smrf_channel *c, const struct smrf_mem_request *request,
                             uint64_t from)
{
    c->late += request->cycle < smrf_memory_now(c->memory);
    c->held = *request;
    c->held.cycle = request->cycle > from ? request->cycle : from;
    c->holding = true;
    return show_(c);
}

static SMRF_APART bool hold_refused_(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    c->held = *request;
    c->holding = true;
    return refused_(c) && show_(c);
}

/* Fast path: the memory takes the request at once. */
static inline bool push_(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    if (!smrf_memory_push(c->memory, request)) {
        return hold_refused_(c, request);
    }
    c->held.cycle = request->cycle;
    return true;
}

bool smrf_channel_take(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    const uint64_t from = from_(c);

    SMRF_ASSERT(!c->holding);
    if (request->cycle < from || !smrf_memory_sure(c->memory, request->sm, request->cycle)) {
        return hold_(c, request, from);
    }
    return push_(c, request);
}

/* With smrf_memory_push within: each request of an SM comes this way. It knows how far it may be
 * ahead. */
SMRF_FLAT bool smrf_channel_send(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    const uint64_t now = smrf_memory_now(c->memory);

    if (c->holding || request->cycle < c->held.cycle) {
        return false;
    }
    if (request->cycle < now) {
        (void)hold_(c, request, now);
    } else {
        (void)push_(c, request);
    }
    return true;
}

bool smrf_channel_retry(struct smrf_channel *c)
{
    uint64_t next;

    if (!c->holding) {
        return false;
    }
    next = smrf_memory_credit(c->memory, c->held.sm, from_(c));
    if (next == SMRF_NEVER) {
        return false;
    }
    c->held.cycle = next;
    return show_(c);
}
