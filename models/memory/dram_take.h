/* SPDX-License-Identifier: Apache-2.0 */
/* Requests on the way from their slices' queues to a DRAM channel's window need a credit. A channel
 * has a fixed number of credits: one for each slice, and shared ones. A request takes its slice's
 * own credit if that is free, else a shared one. A returned credit is the slice's own one if that
 * is out, else a shared one. So a slice may wait while an idle slice keeps its own credit. A read
 * returns its credit when its data leave for the slice, a write when its data are on the bus.
 *
 * Source: Accel-Sim memory_partition_unit::arbitration_metadata, dram_cycle. */
#ifndef SMRF_MEMORY_DRAM_TAKE_H
#define SMRF_MEMORY_DRAM_TAKE_H

#include "models/common/smrf_assert.h"
#include "models/memory/dram.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The DRAM cycle in which the next credit comes back, SMRF_NEVER: none is known. */
static inline uint64_t smrf_dram_credit_next(const struct smrf_dram *d,
                                             const struct smrf_dram_channel *ch)
{
    return ch->back_first == ch->back_last ? SMRF_NEVER : ch->back[ch->back_first & d->backs].cycle;
}

/* It comes back. There is one. */
static inline void smrf_dram_credit_return(const struct smrf_dram *d, struct smrf_dram_channel *ch)
{
    struct smrf_dram_port *port = &ch->port[ch->back[ch->back_first++ & d->backs].slice];

    ch->shared_out -= !port->own_out;
    port->own_out = false;
}

/* Earliest known DRAM cycle in which a slice with a request may have a credit, while all shared
 * ones are taken. It may have to be checked again then. */
uint64_t smrf_dram_credit_due(const struct smrf_dram *d, const struct smrf_dram_channel *ch);

/* The cycle in which the next request may leave a queue, as long as the window has room. */
static inline uint64_t smrf_dram_next_take(const struct smrf_dram *d,
                                           const struct smrf_dram_channel *ch)
{
    uint64_t next = ch->asked > ch->take_from ? ch->asked : ch->take_from;

    if (ch->shared_out >= d->shared) {
        const uint64_t credit = smrf_dram_credit_due(d, ch);

        next = credit > next ? credit : next;
    }
    return ch->room ? next : SMRF_NEVER;
}

/* Part of the function below: some slice has asked. */
void smrf_dram_take_all(struct smrf_dram *d, struct smrf_dram_channel *ch, uint64_t end);

/* Requests leave the queues, one in a cycle, before `end`, to where the window has had room all the
 * time. They are seen when they come to the window, so that this may be made up for, as long as it
 * is done before the window becomes full. */
static inline void smrf_dram_take_asked(struct smrf_dram *d, struct smrf_dram_channel *ch,
                                        uint64_t end)
{
    if (ch->asked < end) {
        smrf_dram_take_all(d, ch, end);
    }
}

/* The credit of one of a slice's requests, of the channel's, comes back in cycle n; those before it
 * do so earlier. */
static inline void smrf_dram_give_credit(struct smrf_dram *d, struct smrf_dram_channel *ch,
                                         uint32_t slice, uint64_t n)
{
    struct smrf_dram_back *back;

    if (ch->back_last - ch->back_first > d->backs) { /* the ring is full */
        const uint64_t first = smrf_dram_credit_next(d, ch);

        smrf_dram_take_asked(d, ch, first);
        smrf_dram_credit_return(d, ch);
        ch->take_from = first > ch->take_from ? first : ch->take_from;
    }
    back = &ch->back[ch->back_last++ & d->backs];
    back->cycle = n;
    back->slice = slice;
}

#ifdef __cplusplus
}
#endif

#endif
