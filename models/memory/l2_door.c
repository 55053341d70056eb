/* SPDX-License-Identifier: Apache-2.0 */
/* The door of a slice: which request enters when. At most one enters in a cycle, at the earliest in
 * the cycle after it left the network, and only while fewer than SMRF_L2_DOOR requests inside wait
 * at the tags. It reaches the tags the rest of noc.latency and l2.latency later (Accel-Sim:
 * gpgpu_sim::cycle, memory_sub_partition::full, rop delay queue).
 *
 * Requests enter in cycles for which the slice is already simulated: it runs ahead of the network
 * by the distance between them. So the slice remembers in which cycles its door was shut. That
 * depends only on `gate`, the request SMRF_L2_DOOR after the oldest: the door is shut from when
 * `gate` reaches the tags until the next access, which moves `gate` on. */
#include "models/memory/l2_internal.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_bits.h"

#include <string.h>

uint32_t smrf_l2_door_words(const struct smrf_memory_config *cfg)
{
    const uint32_t cycles = cfg->noc.latency + cfg->l2.latency + 64;
    uint32_t words = 1;

    while (words * 64 < cycles) {
        words *= 2;
    }
    return words;
}

void smrf_l2_door_reset(struct smrf_l2 *l, uint32_t s)
{
    struct smrf_l2_door *door = &l->door[s];

    *door = (struct smrf_l2_door){.shut = door->shut,
                                  .entered = door->entered,
                                  .outside = SMRF_NOC_NONE,
                                  .gate = SMRF_NOC_NONE};
    memset(door->shut, 0, SMRF_L2_DOOR_RINGS * l->door_words * sizeof(*door->shut));
}

static uint64_t *word_(const struct smrf_l2 *l, const struct smrf_l2_door *door, uint64_t cycle)
{
    return &door->shut[cycle / 64 & (l->door_words - 1)];
}

/* The door was shut in the cycles [from, to); nothing is remembered of later ones yet. */
static void remember_(const struct smrf_l2 *l, struct smrf_l2_door *door, uint64_t from,
                      uint64_t to)
{
    const uint64_t kept = (uint64_t)l->door_words * 64;
    uint64_t begin = door->known;

    if (to > kept && begin < to - kept) {
        begin = to - kept;
    }
    for (uint64_t cycle = begin; cycle < to;) {
        const uint32_t bit = cycle % 64;
        const uint64_t end = to - cycle < 64 - bit ? to - cycle : 64 - bit; /* of this word's */
        const uint64_t all = end == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << end) - 1) << bit;
        uint64_t shut = all;

        if (from >= cycle + end) {
            shut = 0;
        } else if (from > cycle) {
            shut = all & ~UINT64_C(0) << from % 64;
        }
        *word_(l, door, cycle) = (*word_(l, door, cycle) & ~all) | shut;
        cycle += end;
    }
    door->known = to;
}

SMRF_APART void smrf_l2_door_move(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_door *door = &l->door[s];
    const struct smrf_packet *gate = &l->packet[door->gate];
    const uint64_t from = smrf_l2_later(door->accessed, gate->ready);

    if (from <= cycle) {
        remember_(l, door, from, cycle + 1);
    }
    door->gate = door->inside >= SMRF_L2_DOOR ? gate->next : SMRF_NOC_NONE;
}

/* First cycle, `cycle` or later, in which the door is open; SMRF_NEVER: not before `until`, up to
 * which the slice is simulated; later cycles are not known. */
static uint64_t open_(const struct smrf_l2 *l, const struct smrf_l2_door *door, uint64_t cycle)
{
    for (; cycle < door->accessed; cycle++) {
        if (cycle >= door->known || !(*word_(l, door, cycle) >> cycle % 64 & 1)) {
            return cycle;
        }
    }
    if (door->gate == SMRF_NOC_NONE || l->packet[door->gate].ready > cycle) {
        return cycle;
    }
    return SMRF_NEVER;
}

static uint64_t *entered_word_(const struct smrf_l2 *l, const struct smrf_l2_door *door,
                               uint64_t cycle)
{
    return &door->entered[cycle / 64 & (2 * l->door_words - 1)];
}

/* The next request enters no earlier. */
static void move_on_(const struct smrf_l2 *l, struct smrf_l2_door *door, uint64_t next)
{
    const uint64_t last = next / 64, words = 2 * (uint64_t)l->door_words;
    uint64_t word = door->next / 64;

    if (word < last) {
        word = last - word > words ? last - words : word;
        while (word < last) {
            *entered_word_(l, door, ++word * 64) = 0;
        }
    }
    door->next = next;
}

uint32_t smrf_l2_outside(const struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    const struct smrf_l2_door *door = &l->door[s];
    uint32_t outside = door->waiting;

    for (uint64_t from = cycle + 1; from < door->next; from = (from / 64 + 1) * 64) {
        const uint64_t later = *entered_word_(l, door, from) >> from % 64;

        outside += smrf_count_bits((uint32_t)later) + smrf_count_bits((uint32_t)(later >> 32));
    }
    return outside;
}

bool smrf_l2_door_enter(struct smrf_l2 *l, uint32_t s, uint64_t until)
{
    struct smrf_l2_door *door = &l->door[s];
    bool any = false;

    while (door->outside != SMRF_NOC_NONE) {
        const uint32_t p = door->outside;
        struct smrf_packet *packet = &l->packet[p];
        const uint64_t nominal = packet->ready - l->within;
        const uint64_t enters = open_(l, door, smrf_l2_later(nominal, door->next));

        if (enters == SMRF_NEVER) {
            move_on_(l, door, smrf_l2_later(door->next, until));
            break;
        }
        l->stats.door_cycles += enters - nominal;
        packet->ready = enters + l->within;
        move_on_(l, door, enters + 1);
        *entered_word_(l, door, enters) |= UINT64_C(1) << enters % 64;
        door->outside = packet->next;
        door->waiting--;
        if (++door->inside == SMRF_L2_DOOR) {
            door->gate = p;
        }
        any = true;
    }
    return any;
}
