/* SPDX-License-Identifier: Apache-2.0 */
#include "constant_l0.h"

#include <string.h>

int smrf_constant_l0_init(struct smrf_constant_l0 *c, struct smrf_icache_line *line,
                          const struct smrf_frontend_params *params)
{
    const uint32_t lines = params->constant_bytes / SMRF_CONSTANT_LINE_BYTES;
    c->line = line;
    c->ways = params->constant_ways;
    c->sets = lines ? lines / c->ways : 0;
    c->latency = params->constant_latency;
    c->accesses = c->misses = 0;
    if (lines > SMRF_CONSTANT_LINES || (c->sets & (c->sets - 1)) != 0) {
        return SMRF_ERR_INVAL;
    }
    smrf_constant_l0_reset(c);
    return SMRF_OK;
}

void smrf_constant_l0_reset(struct smrf_constant_l0 *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
}

uint64_t smrf_constant_l0_read(struct smrf_constant_l0 *c, uint32_t address, uint64_t cycle)
{
    const uint32_t tag = address / SMRF_CONSTANT_LINE_BYTES;
    struct smrf_icache_line *set = &c->line[(size_t)(tag & (c->sets - 1)) * c->ways];
    struct smrf_icache_line *victim;
    const struct smrf_icache_line *hit =
        smrf_icache_find(set, c->ways, tag, ++c->accesses, &victim);
    if (hit) {
        return hit->ready > cycle ? hit->ready : cycle;
    }
    c->misses++;
    *victim = (struct smrf_icache_line){cycle + c->latency, c->accesses, tag};
    return victim->ready;
}
