/* SPDX-License-Identifier: Apache-2.0 */
/* Packets by the cycle in which they go on. Those of one cycle stay in the order in which they were
 * entered, whatever the steps in which time advances: days that lie too far ahead have one list,
 * which is looked through at fixed times. */
#ifndef SMRF_MEMORY_CALENDAR_H
#define SMRF_MEMORY_CALENDAR_H

#include "models/memory/noc.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CALENDAR_DAYS 1024u /* a power of two */
#define SMRF_CALENDAR_TURN (SMRF_CALENDAR_DAYS / 2)

struct smrf_packets {
    uint32_t first, last; /* first: SMRF_NOC_NONE: none */
};

static inline void smrf_packets_append(struct smrf_packets *to, struct smrf_packet *packet,
                                       uint32_t p)
{
    packet[p].next = SMRF_NOC_NONE;
    if (to->first == SMRF_NOC_NONE) {
        to->first = p;
    } else {
        packet[to->last].next = p;
    }
    to->last = p;
}

struct smrf_calendar {
    uint64_t end;                           /* the days are those before it */
    uint64_t used[SMRF_CALENDAR_DAYS / 64]; /* a bit a day: it has packets */
    struct smrf_packets later;              /* behind the days */
    struct smrf_packets day[SMRF_CALENDAR_DAYS];
};

static inline void smrf_calendar_reset(struct smrf_calendar *c)
{
    memset(c, 0, offsetof(struct smrf_calendar, later));
    c->end = SMRF_CALENDAR_DAYS;
    c->later.first = SMRF_NOC_NONE;
}

/* Packet p goes on when it is ready, not before the next day to be taken. */
static inline void smrf_calendar_add(struct smrf_calendar *c, struct smrf_packet *packet,
                                     uint32_t p)
{
    const uint64_t cycle = packet[p].ready;
    const uint32_t d = cycle % SMRF_CALENDAR_DAYS;
    const uint64_t bit = UINT64_C(1) << d % 64;
    struct smrf_packets *day = &c->day[d];

    if (cycle >= c->end) {
        smrf_packets_append(&c->later, packet, p);
        return;
    }
    if (!(c->used[d / 64] & bit)) {
        c->used[d / 64] |= bit;
        day->first = SMRF_NOC_NONE;
    }
    smrf_packets_append(day, packet, p);
}

/* First day with packets from `now` on, or an earlier one on which to look again; SMRF_NEVER: there
 * is none. */
static inline uint64_t smrf_calendar_next(const struct smrf_calendar *c, uint64_t now)
{
    const uint32_t d = now % SMRF_CALENDAR_DAYS;
    uint64_t word = c->used[d / 64] >> d % 64, at = now;

    for (uint32_t i = d / 64; !word && at - now < SMRF_CALENDAR_DAYS;) {
        i = (i + 1) % (SMRF_CALENDAR_DAYS / 64);
        at += 64 - at % 64;
        word = c->used[i];
    }
    if (word) {
        return at + (uint32_t)__builtin_ctzll(word);
    }
    return c->later.first == SMRF_NOC_NONE     ? SMRF_NEVER
           : c->end - SMRF_CALENDAR_TURN > now ? c->end - SMRF_CALENDAR_TURN
                                               : now;
}

/* More days: what is due on them moves there. */
static inline void smrf_calendar_turn(struct smrf_calendar *c, struct smrf_packet *packet)
{
    uint32_t next;

    c->end += SMRF_CALENDAR_TURN;
    uint32_t p = c->later.first;
    c->later.first = SMRF_NOC_NONE;
    for (; p != SMRF_NOC_NONE; p = next) {
        next = packet[p].next;
        smrf_calendar_add(c, packet, p);
    }
}

/* Take the packets of a day, as they are linked; all earlier ones have been taken. Returns the
 * first one, SMRF_NOC_NONE: there is none. */
static inline uint32_t smrf_calendar_take(struct smrf_calendar *c, struct smrf_packet *packet,
                                          uint64_t day)
{
    const uint32_t d = day % SMRF_CALENDAR_DAYS;
    const uint64_t bit = UINT64_C(1) << d % 64;

    while (day >= c->end - SMRF_CALENDAR_TURN) {
        smrf_calendar_turn(c, packet);
    }
    if (!(c->used[d / 64] & bit)) {
        return SMRF_NOC_NONE;
    }
    c->used[d / 64] &= ~bit;
    return c->day[d].first;
}

#ifdef __cplusplus
}
#endif

#endif
