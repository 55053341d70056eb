/* SPDX-License-Identifier: Apache-2.0 */
/* A port that serves one access a slot, taken ahead of time: of the next 64 slots it is known which
 * are taken; what lies further ahead finds it free, and takes nothing. */
#ifndef SMRF_ESTIMATE_PORT_H
#define SMRF_ESTIMATE_PORT_H

#include "models/common/smrf_types.h"

struct smrf_port {
    uint64_t base;  /* first slot that is remembered */
    uint64_t taken; /* bit i: slot base + i */
};

/* Slots before `now` are forgotten. now: not before the last one. */
static inline void smrf_port_pass(struct smrf_port *p, uint64_t now)
{
    const uint64_t by = now - p->base;
    p->taken = by < 64 ? p->taken >> by : 0;
    p->base = now;
}

/* First free slot from `from` on, not before the base. */
static inline uint64_t smrf_port_free(const struct smrf_port *p, uint64_t from)
{
    const uint64_t ahead = from - p->base;
    if (ahead >= 64) {
        return from;
    }
    const uint64_t open = ~p->taken & UINT64_MAX << ahead;
    return p->base + (open ? (unsigned)__builtin_ctzll(open) : 64u);
}

static inline void smrf_port_take(struct smrf_port *p, uint64_t slot)
{
    const uint64_t ahead = slot - p->base;
    p->taken |= ahead < 64 ? UINT64_C(1) << ahead : 0;
}

#endif
