/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/dram_take.h"

#include "models/common/smrf_apart.h"

static uint64_t max_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The slice that is served in cycle n: the first with a request and a credit, starting after the
 * slice served last. SMRF_DRAM_NONE: there is none. */
static inline uint32_t next_slice_(const struct smrf_dram *d, const struct smrf_dram_channel *ch,
                                   uint64_t n)
{
    const uint32_t slices = d->map->per_channel;
    const bool shared = ch->shared_out < d->shared;
    uint32_t s = ch->served, first = SMRF_DRAM_NONE;

    for (uint32_t i = 0; i < slices; i++) {
        const struct smrf_dram_port *port = &ch->port[s];

        first = smrf_select((port->asked <= n) & (shared | !port->own_out), s, first);
        s += smrf_select(s == 0, slices, 0) - 1;
    }
    return first;
}

/* One request leaves its slice's queue, in cycle n, if it has a credit by then. */
static void take_(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t n)
{
    const uint32_t slices = d->map->per_channel;
    struct smrf_dram_port *port = ch->port;
    const uint64_t core = smrf_dram_core(d, n) + d->cfg->dram.latency;
    uint32_t r, s;

    while (smrf_dram_credit_next(d, ch) <= n) {
        smrf_dram_credit_return(d, ch);
    }
    s = next_slice_(d, ch, n);
    if (s == SMRF_DRAM_NONE) {
        return;
    }
    ch->shared_out += port[s].own_out;
    port[s].own_out = true;
    ch->served = s;
    r = smrf_dram_pop(d, &port[s].queue);
    port[s].asked = smrf_dram_first(d, &port[s].queue);
    port[s].queued--;
    ch->asked = port[0].asked;
    for (uint32_t i = 1; i < slices; i++) {
        ch->asked = smrf_select64(port[i].asked < ch->asked, port[i].asked, ch->asked);
    }
    d->request[r].cycle = core ? max_(n, smrf_dram_after(d, core - 1)) : n;
    if (ch->latency.head == SMRF_DRAM_NONE) {
        ch->entering = d->request[r].cycle;
    }
    smrf_dram_append(d, &ch->latency, r);
    ch->take_from = n + 1;
    ch->last = max_(ch->last, n);
}

SMRF_APART uint64_t smrf_dram_credit_due(const struct smrf_dram *d,
                                         const struct smrf_dram_channel *ch)
{
    uint64_t due = smrf_dram_credit_next(d, ch);

    for (uint32_t s = 0; s < d->map->per_channel; s++) {
        const struct smrf_dram_port *port = &ch->port[s];

        due = !port->own_out && port->asked < due ? port->asked : due;
    }
    return due;
}

SMRF_APART void smrf_dram_take_all(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t end)
{
    uint64_t n;

    while (ch->asked < end && (n = smrf_dram_next_take(d, ch)) < end) {
        take_(d, ch, n);
    }
}
