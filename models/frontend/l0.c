/* SPDX-License-Identifier: Apache-2.0 */
#include "l0.h"

#include <string.h>

int smrf_l0_init(struct smrf_l0 *c, struct smrf_icache_line *line,
                 const struct smrf_frontend_params *params, uint32_t sub, uint32_t subcores,
                 const struct smrf_wires *wires)
{
    const uint32_t lines = params->l0_bytes / SMRF_LINE_BYTES;
    c->line = line;
    c->wires = wires;
    c->sub = sub;
    c->ways = params->l0_ways;
    c->sets = lines ? lines / c->ways : 0;
    c->ahead = params->l0_ahead;
    c->latency = params->l0_latency;
    c->turn = params->l0_interval * subcores;
    c->accesses = c->misses = c->streamed = 0;
    if (lines > SMRF_L0_LINES || (c->sets & (c->sets - 1)) != 0 || c->ahead > SMRF_L0_AHEAD) {
        return SMRF_ERR_INVAL;
    }
    smrf_l0_reset(c);
    return SMRF_OK;
}

void smrf_l0_reset(struct smrf_l0 *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
    c->stream = (struct smrf_l0_stream){0};
}

static struct smrf_icache_line *set_of_(const struct smrf_l0 *c, uint32_t tag)
{
    return &c->line[(size_t)(tag & (c->sets - 1)) * c->ways];
}

/* When a line is there that the L1 is asked for in a cycle. */
static uint64_t from_l1_(const struct smrf_l0 *c, uint32_t tag, uint64_t cycle, bool waits)
{
    const struct smrf_wires *w = c->wires;
    return w->code_line(w->ctx, c->sub, tag * SMRF_LINE_BYTES, cycle, waits) + c->latency;
}

/* Asks for as many lines as the buffer has room for. */
static void fill_(struct smrf_l0 *c, uint64_t cycle)
{
    struct smrf_l0_stream *s = &c->stream;
    for (uint64_t at = cycle + c->turn; s->count < c->ahead; at += c->turn) {
        s->ready[s->count] = from_l1_(c, s->first + s->count, at, false);
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

uint64_t smrf_l0_fetch(struct smrf_l0 *c, uint32_t pc, uint64_t cycle)
{
    const uint32_t tag = pc / SMRF_LINE_BYTES;
    struct smrf_l0_stream *s = &c->stream;
    struct smrf_icache_line *victim;
    const struct smrf_icache_line *hit =
        smrf_icache_find(set_of_(c, tag), c->ways, tag, ++c->accesses, &victim);
    if (hit) {
        return hit->ready > cycle ? hit->ready : cycle;
    }
    uint64_t ready;
    if (tag - s->first < s->count) {
        ready = take_(s, tag - s->first);
        c->streamed++;
    } else {
        ready = from_l1_(c, tag, cycle, true);
        *s = (struct smrf_l0_stream){.first = tag + 1};
        c->misses++;
    }
    fill_(c, cycle);
    *victim = (struct smrf_icache_line){ready, c->accesses, tag};
    return ready > cycle ? ready : cycle;
}
