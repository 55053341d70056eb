/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/channel.h"

#include "models/common/smrf_assert.h"

void smrf_channel_init(struct smrf_channel *c, struct smrf_memory *memory)
{
    *c = (struct smrf_channel){.memory = memory};
}

void smrf_channel_reset(struct smrf_channel *c)
{
    smrf_channel_init(c, c->memory);
}

/* Show the held request in its cycle, then in that of every further credit known already, as far as
 * the memory can look ahead. */
static bool show_(struct smrf_channel *c)
{
    uint64_t horizon = smrf_memory_horizon(c->memory);
    while (c->held.cycle < horizon) {
        if (smrf_memory_push(c->memory, &c->held)) {
            c->holding = false;
            return true;
        }
        uint64_t next = smrf_memory_credit(c->memory, c->held.sm, c->held.cycle);
        if (next == SMRF_NEVER) {
            return false;
        }
        c->held.cycle = next;
    }
    return false;
}

bool smrf_channel_take(struct smrf_channel *c, const struct smrf_mem_request *request)
{
    uint64_t now = smrf_memory_now(c->memory);
    uint64_t from = c->held.cycle > now ? c->held.cycle : now;
    SMRF_ASSERT(!c->holding);
    c->held = *request;
    c->held.cycle = request->cycle > from ? request->cycle : from;
    c->holding = true;
    return show_(c);
}

bool smrf_channel_retry(struct smrf_channel *c)
{
    if (!c->holding) {
        return false;
    }
    uint64_t now = smrf_memory_now(c->memory);
    uint64_t from = c->held.cycle > now ? c->held.cycle : now;
    uint64_t next = smrf_memory_credit(c->memory, c->held.sm, from);
    if (next == SMRF_NEVER) {
        return false;
    }
    c->held.cycle = next;
    return show_(c);
}
