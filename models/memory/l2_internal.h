/* SPDX-License-Identifier: Apache-2.0 */
/* What a slice of the L2 does (l2.c), for the time that it shares with its DRAM channel
 * (l2_channel.c). */
#ifndef SMRF_MEMORY_L2_INTERNAL_H
#define SMRF_MEMORY_L2_INTERNAL_H

#include "models/memory/l2.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t smrf_l2_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The set of a line of a slice. Sectors of one come one after the other. */
static inline uint32_t smrf_l2_set(const struct smrf_l2 *l, struct smrf_l2_slice *slice,
                                   uint64_t local)
{
    if (local / SMRF_LINE_BYTES != slice->line) {
        slice->line = local / SMRF_LINE_BYTES;
        slice->set = smrf_map_set(l->map, local);
    }
    return slice->set;
}

/* The cycle in which a slice takes the next sector from DRAM, if it is known. */
static inline uint64_t smrf_l2_next_fill(const struct smrf_l2 *l, uint32_t s)
{
    return smrf_l2_later(smrf_dram_arrival(l->dram, s), l->slice[s].filled);
}

/* The first cycle in which its queue of replies has room, given what is in it now. */
static inline uint64_t smrf_l2_reply_room(const struct smrf_l2_slice *slice)
{
    return slice->replied < SMRF_L2_REPLIES ? 0 : slice->replied + 1 - SMRF_L2_REPLIES;
}

/* The first cycle in which its MSHRs can give their next answer. */
static inline uint64_t smrf_l2_next_answer(const struct smrf_l2_slice *slice)
{
    return smrf_mshr_any_ready(&slice->mshr)
               ? smrf_l2_later(slice->answer, smrf_l2_reply_room(slice))
               : SMRF_NEVER;
}

#define SMRF_L2_DOOR_RINGS 3 /* lengths of a ring that a door has */

/* Words of a door's ring. */
uint32_t smrf_l2_door_words(const struct smrf_memory_config *cfg);
void smrf_l2_door_reset(struct smrf_l2 *l, uint32_t s);

/* Requests that have left the network enter slice s in the cycles known so far. until: the slice
 * has been carried out up to there. Those that stay outside come up to the tags `within` behind
 * that, or later. Returns whether one entered. */
bool smrf_l2_door_enter(struct smrf_l2 *l, uint32_t s, uint64_t until);

/* Part of the function below: there is a `gate`. */
void smrf_l2_door_move(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* The oldest request of slice s has had its access. */
static inline void smrf_l2_door_leave(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    struct smrf_l2_door *door = &l->door[s];

    door->inside--;
    if (door->gate != SMRF_NOC_NONE) {
        smrf_l2_door_move(l, s, cycle);
    }
    door->accessed = cycle + 1;
}

static inline void smrf_l2_adding_reset(struct smrf_l2_slice *slice)
{
    for (uint32_t i = 0; i < SMRF_L2_ADDING; i++) {
        slice->adding[i] = (struct smrf_l2_adding){.line = SMRF_NEVER};
    }
}

/* An atomic finds its sector in `cycle`, and its words are added behind those that the line takes
 * already. Returns the cycle in which they all are. */
static inline uint64_t smrf_l2_add(struct smrf_l2 *l, uint32_t s, uint32_t p, uint64_t cycle)
{
    const struct smrf_packet *packet = &l->packet[p];
    const uint64_t line = packet->address / SMRF_LINE_BYTES;
    struct smrf_l2_adding *a = &l->slice[s].adding[line % SMRF_L2_ADDING];

    if (l->cfg->l2.atomic_cycles == 0) {
        return cycle;
    }
    a->until = a->line == line ? smrf_l2_later(a->until, cycle) : cycle;
    a->line = line;
    a->until += smrf_count_bits(packet->bytes) > sizeof(uint32_t) ? l->cfg->l2.atomic_cycles : 1;
    return a->until - 1;
}

/* When slice s tries the access of its oldest request. */
static inline uint64_t smrf_l2_access_of(const struct smrf_l2 *l, uint32_t s)
{
    const struct smrf_l2_slice *slice = &l->slice[s];

    return slice->head == l->door[s].outside
               ? SMRF_NEVER /* there is none, or it is not in */
               : smrf_l2_later(l->packet[slice->head].ready, slice->free);
}

/* Sectors from DRAM and answers up to and including `cycle`, in their order: in a cycle one request
 * whose sector came before it is answered, then a sector comes. Returns false if there was none. */
bool smrf_l2_catch_up(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* Is there one? */
static inline bool smrf_l2_behind(const struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    return smrf_l2_next_fill(l, s) <= cycle || smrf_l2_next_answer(&l->slice[s]) <= cycle;
}

/* Access of the oldest request, which has arrived. */
void smrf_l2_access(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* Where the oldest request reads one more sector of the line that was accessed last, and misses it
 * as nothing stands against that: its access. Returns whether it was made; what else happens in the
 * slice up to its cycle changes nothing here. There is room in the queue to DRAM. */
bool smrf_l2_read_on(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
