/* SPDX-License-Identifier: Apache-2.0 */
/* A DRAM channel and its slices of the L2 in time: which of them acts next, and how far each may go
 * alone. */
#include "models/memory/l2_internal.h"

/* When to look again at a held slice: its request can go on once the slice has answered one, has
 * got a sector or has room in its queue to DRAM, whose next event may bring the latter two. */
static uint64_t next_look_(const struct smrf_l2 *l, uint32_t c, uint32_t s)
{
    const struct smrf_l2_slice *slice = &l->slice[s];
    const uint64_t fill = smrf_l2_next_fill(l, s), answer = smrf_l2_next_answer(slice);
    const uint64_t own = fill < answer ? fill : answer;
    const uint64_t next = smrf_dram_next(l->dram, c);
    const uint64_t other = next == SMRF_NEVER ? SMRF_NEVER : smrf_dram_seen(l->dram, next);

    return own < other ? own : other;
}

/* The first slice of channel c to try an access. */
static inline uint32_t first_(const struct smrf_l2 *l, uint32_t c)
{
    const uint32_t begin = c * l->map->per_channel, end = begin + l->map->per_channel;
    uint32_t first = begin;

    for (uint32_t s = begin + 1; s < end; s++) {
        first = l->access[s] < l->access[first] ? s : first;
    }
    return first;
}

/* When to look again at the held slices of channel c. */
static uint64_t first_look_(const struct smrf_l2 *l, uint32_t c)
{
    const uint32_t begin = c * l->map->per_channel, end = begin + l->map->per_channel;
    uint64_t first = SMRF_NEVER;

    for (uint32_t s = begin; s < end; s++) {
        if (l->slice[s].hold != SMRF_L2_HOLD_NONE) {
            const uint64_t look = next_look_(l, c, s);
            first = look < first ? look : first;
        }
    }
    return first;
}

/* A held slice may ask for more in `cycle`, up to which its channel is simulated. */
static bool has_room_(struct smrf_l2 *l, uint32_t s, uint64_t cycle)
{
    if (smrf_dram_room(l->dram, s, cycle)) {
        return true;
    }
    smrf_dram_wait(l->dram, s, cycle);
    return false;
}

/* The held slices of channel c look whether they can go on. */
static void look_again_(struct smrf_l2 *l, uint32_t c, uint64_t cycle)
{
    const uint32_t begin = c * l->map->per_channel, end = begin + l->map->per_channel;

    for (uint32_t s = begin; s < end; s++) {
        const uint32_t hold = l->slice[s].hold;

        if (hold != SMRF_L2_HOLD_NONE &&
            (smrf_l2_catch_up(l, s, cycle) ||
             (hold == SMRF_L2_HOLD_WRITES && has_room_(l, s, cycle)))) {
            smrf_l2_access(l, s, cycle);
        }
    }
}

/* Simulates accesses of slice s before `end` for which DRAM need not be simulated further: what
 * DRAM delivers before them is known, and there is room. Other slices do not matter to it. */
static void accesses_(struct smrf_l2 *l, uint32_t s, uint64_t end)
{
    while (l->access[s] < end && smrf_dram_room(l->dram, s, l->access[s])) {
        const uint64_t cycle = l->access[s];

        if (!smrf_l2_read_on(l, s, cycle)) {
            if (smrf_l2_behind(l, s, cycle)) {
                (void)smrf_l2_catch_up(l, s, cycle);
            }
            smrf_l2_access(l, s, cycle);
        }
    }
}

/* .. of all slices of channel c. */
static void accesses_of_(struct smrf_l2 *l, uint32_t c, uint64_t end)
{
    const uint32_t begin = c * l->map->per_channel;
    const uint64_t known = l->dram->channel[c].known;

    for (uint32_t s = begin; s < begin + l->map->per_channel; s++) {
        accesses_(l, s, known < end ? known : end);
    }
}

/* First cycle in which channel c or one of its slices does something; all are at the same cycle. */
static uint64_t next_of_(const struct smrf_l2 *l, uint32_t c)
{
    const uint32_t begin = c * l->map->per_channel, end = begin + l->map->per_channel;
    const uint64_t dram = smrf_dram_next(l->dram, c);
    uint64_t next = dram == SMRF_NEVER ? SMRF_NEVER : smrf_dram_seen(l->dram, dram);

    for (uint32_t s = begin; s < end; s++) {
        const uint64_t fill = smrf_l2_next_fill(l, s), answer = smrf_l2_next_answer(&l->slice[s]);

        next = l->access[s] < next ? l->access[s] : next;
        next = fill < next ? fill : next;
        next = answer < next ? answer : next;
    }
    return next;
}

/* What channel c and its slices do before `end`. */
static void run_to_(struct smrf_l2 *l, uint32_t c, uint64_t end)
{
    const uint32_t begin = c * l->map->per_channel;

    for (;;) {
        uint64_t access, look;
        uint32_t s;

        accesses_of_(l, c, end);
        s = first_(l, c);
        access = l->access[s];
        look = l->held[c] ? first_look_(l, c) : SMRF_NEVER;
        if (look < end && look <= access) {
            smrf_dram_run(l->dram, c, smrf_dram_after(l->dram, look + 1));
            look_again_(l, c, look);
        } else if (access < end) {
            smrf_dram_run(l->dram, c, smrf_dram_after(l->dram, access + 1));
            (void)smrf_l2_catch_up(l, s, access);
            smrf_l2_access(l, s, access);
        } else {
            break;
        }
    }
    smrf_dram_run(l->dram, c, smrf_dram_after(l->dram, end));
    for (uint32_t s = begin; s < begin + l->map->per_channel; s++) {
        (void)smrf_l2_catch_up(l, s, end - 1);
    }
}

/* Requests enter the slices of channel c, which are simulated up to `until`. Returns whether some
 * stay outside. */
static bool enter_(struct smrf_l2 *l, uint32_t c, uint64_t until)
{
    const uint32_t begin = c * l->map->per_channel;
    bool outside = false;

    for (uint32_t s = begin; s < begin + l->map->per_channel; s++) {
        const bool empty = l->slice[s].head == l->door[s].outside;

        if (l->door[s].outside == SMRF_NOC_NONE) {
            continue;
        }
        if (smrf_l2_door_enter(l, s, until) && empty) {
            l->access[s] = smrf_l2_access_of(l, s);
        }
        outside |= l->door[s].outside != SMRF_NOC_NONE;
    }
    return outside;
}

static void run_channel_(struct smrf_l2 *l, uint32_t c, uint64_t end)
{
    const uint64_t most =
        smrf_l2_later(l->within, 1); /* what enters after this has not reached the tags */
    uint64_t done = l->until;
    bool outside = enter_(l, c, done);

    while (done < end) {
        done = outside && end - done > most ? done + most : end;
        run_to_(l, c, done);
        outside = outside && enter_(l, c, done);
    }
    l->last = smrf_l2_later(l->last, smrf_dram_seen(l->dram, l->dram->channel[c].last));
    l->next[c] = next_of_(l, c);
}

uint64_t smrf_l2_next(const struct smrf_l2 *l)
{
    uint64_t next = SMRF_NEVER;

    for (uint32_t c = 0; c < l->cfg->dram.channels; c++) {
        next = l->next[c] < next ? l->next[c] : next;
    }
    return next;
}

void smrf_l2_run(struct smrf_l2 *l, uint64_t end)
{
    for (uint32_t c = 0; c < l->cfg->dram.channels; c++) {
        if (l->next[c] < end) {
            run_channel_(l, c, end);
        }
    }
    l->until = end;
}
