/* SPDX-License-Identifier: Apache-2.0 */
#include "icache.h"

#include <string.h>

int smrf_icache_build(struct smrf_icache *c, struct smrf_icache_line *line,
                      const struct smrf_icache_shape *shape)
{
    const uint32_t lines = shape->bytes / shape->line_bytes;
    *c = (struct smrf_icache){.sets = lines / shape->ways,
                              .ways = shape->ways,
                              .latency = shape->latency,
                              .line_bytes = shape->line_bytes,
                              .line = line};
    if (lines > shape->most || (c->sets & (c->sets - 1)) != 0) {
        return SMRF_ERR_INVAL;
    }
    smrf_icache_reset(c);
    return SMRF_OK;
}

int smrf_icache_init(struct smrf_icache *c, struct smrf_icache_line *line,
                     const struct smrf_frontend_params *params)
{
    const struct smrf_icache_shape shape = {params->icache_bytes, SMRF_LINE_BYTES,
                                            params->icache_ways, params->icache_miss_latency,
                                            SMRF_ICACHE_LINES};
    const int err = smrf_icache_build(c, line, &shape);
    c->interval = params->l0_interval;
    return err;
}

void smrf_icache_reset(struct smrf_icache *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
    c->port = 0;
}

uint64_t smrf_icache_fetch(struct smrf_icache *c, uint32_t pc, uint64_t cycle)
{
    if (c->sets == 0) {
        return cycle;
    }
    uint32_t tag = pc / c->line_bytes;
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

uint64_t smrf_icache_give(struct smrf_icache *c, uint32_t pc, uint64_t cycle)
{
    const uint64_t at = cycle > c->port ? cycle : c->port;
    c->port = at + c->interval;
    return smrf_icache_fetch(c, pc, at);
}
