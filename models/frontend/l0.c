/* SPDX-License-Identifier: Apache-2.0 */
#include "l0.h"

#include <string.h>

int smrf_l0_init(struct smrf_l0 *c, struct smrf_icache_line *line,
                 const struct smrf_frontend_params *params, uint32_t subcores,
                 struct smrf_icache *l1)
{
    const uint32_t lines = params->l0_bytes / SMRF_LINE_BYTES;
    c->line = line;
    c->l1 = l1;
    c->subcores = subcores;
    c->ways = params->l0_ways;
    c->sets = lines ? lines / c->ways : 0;
    c->ahead = params->l0_ahead;
    c->latency = params->l0_latency;
    c->interval = params->l0_interval;
    c->accesses = c->misses = c->streamed = 0;
    if (lines > SMRF_L0_LINES || (c->sets & (c->sets - 1)) != 0 || c->ahead > SMRF_L0_AHEAD ||
        subcores > SMRF_MAX_SUBCORES) {
        return SMRF_ERR_INVAL;
    }
    smrf_l0_reset(c);
    return SMRF_OK;
}

void smrf_l0_reset(struct smrf_l0 *c)
{
    for (uint32_t sub = 0; sub < c->subcores; sub++) {
        memset(&c->line[sub * SMRF_L0_LINES], 0, (size_t)c->sets * c->ways * sizeof *c->line);
    }
    memset(c->stream, 0, sizeof c->stream);
    c->port = 0;
}

static struct smrf_icache_line *set_of_(const struct smrf_l0 *c, unsigned sub, uint32_t tag)
{
    return &c->line[sub * SMRF_L0_LINES + (size_t)(tag & (c->sets - 1)) * c->ways];
}

/* When a line is there that the L1 looks up at a cycle. */
static uint64_t from_l1_(const struct smrf_l0 *c, uint32_t tag, uint64_t cycle)
{
    const uint64_t there = c->l1 ? smrf_icache_fetch(c->l1, tag * SMRF_LINE_BYTES, cycle) : cycle;
    return there + c->latency;
}

/* The same of a line that an instruction waits for: the L1 gives one at a time. */
static uint64_t demand_(struct smrf_l0 *c, uint32_t tag, uint64_t cycle)
{
    const uint64_t at = cycle > c->port ? cycle : c->port;
    c->port = at + c->interval;
    return from_l1_(c, tag, at);
}

/* Asks for as many lines as the buffer has room for. */
static void fill_(const struct smrf_l0 *c, struct smrf_l0_stream *s, uint64_t cycle)
{
    const uint64_t turn = (uint64_t)c->interval * c->subcores;
    for (uint64_t at = cycle + turn; s->count < c->ahead; at += turn) {
        s->ready[s->count] = from_l1_(c, s->first + s->count, at);
        s->count++;
    }
}

/* Takes a line out of the buffer, and those before it. Returns when it is there. */
static uint64_t take_(struct smrf_l0_stream *s, uint32_t at)
{
    const uint64_t ready = s->ready[at];
    s->first += at + 1;
    s->count -= at + 1;
    memmove(s->ready, s->ready + at + 1, s->count * sizeof *s->ready);
    return ready;
}

uint64_t smrf_l0_fetch(struct smrf_l0 *c, unsigned sub, uint32_t pc, uint64_t cycle)
{
    const uint32_t tag = pc / SMRF_LINE_BYTES;
    struct smrf_l0_stream *s = &c->stream[sub];
    struct smrf_icache_line *victim;
    const struct smrf_icache_line *hit =
        smrf_icache_find(set_of_(c, sub, tag), c->ways, tag, ++c->accesses, &victim);
    if (hit) {
        return hit->ready > cycle ? hit->ready : cycle;
    }
    uint64_t ready;
    if (tag - s->first < s->count) {
        ready = take_(s, tag - s->first);
        c->streamed++;
    } else {
        ready = demand_(c, tag, cycle);
        *s = (struct smrf_l0_stream){.first = tag + 1};
        c->misses++;
    }
    fill_(c, s, cycle);
    *victim = (struct smrf_icache_line){ready, c->accesses, tag};
    return ready > cycle ? ready : cycle;
}
