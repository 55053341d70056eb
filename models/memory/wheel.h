/* SPDX-License-Identifier: Apache-2.0 */
/* A calendar: which members of a group (the inputs of a network) have something to do in which of
 * the next 256 cycles. Waking a member costs one bit, finding the next busy cycle a few words. A
 * wake that lies further ahead is entered at the calendar's end: a woken member looks at its own
 * times, and enters itself again where nothing is due. Its owner knows how many words of 64 members
 * there are. */
#ifndef SMRF_MEMORY_WHEEL_H
#define SMRF_MEMORY_WHEEL_H

#include "models/common/smrf_types.h"

#include <string.h>

#define SMRF_WHEEL_SLOTS 256u
#define SMRF_WHEEL_MAX_WORDS 4u /* 256 members */

struct smrf_wheel {
    uint64_t base; /* first cycle not yet taken */
    uint64_t next; /* first cycle in which a member wakes, SMRF_NEVER if none does */
    uint64_t busy[SMRF_WHEEL_SLOTS / 64];
    uint64_t *member; /* [slot][word] */
};

static inline size_t smrf_wheel_bytes(uint32_t words)
{
    return SMRF_WHEEL_SLOTS * (size_t)words * sizeof(uint64_t);
}

static inline void smrf_wheel_reset(struct smrf_wheel *w, uint32_t words)
{
    w->base = 0;
    w->next = SMRF_NEVER;
    memset(w->busy, 0, sizeof(w->busy));
    memset(w->member, 0, smrf_wheel_bytes(words));
}

static inline void smrf_wheel_init(struct smrf_wheel *w, void *storage, uint32_t words)
{
    w->member = (uint64_t *)storage;
    smrf_wheel_reset(w, words);
}

/* Wake `member` in `cycle`, or in the first cycle not yet taken if that is later. */
static inline void smrf_wheel_add(struct smrf_wheel *w, uint32_t words, uint64_t cycle,
                                  uint32_t member)
{
    uint64_t ahead = cycle > w->base ? cycle - w->base : 0;
    uint32_t slot;

    if (ahead >= SMRF_WHEEL_SLOTS) {
        ahead = SMRF_WHEEL_SLOTS - 1;
    }
    cycle = w->base + ahead;
    w->next = cycle < w->next ? cycle : w->next;
    slot = (uint32_t)cycle % SMRF_WHEEL_SLOTS;
    w->member[slot * words + (words == 1 ? 0 : member / 64)] |= UINT64_C(1) << (member % 64);
    w->busy[slot / 64] |= UINT64_C(1) << (slot % 64);
}

/* Wake `members`, a bit each, in the first cycle not yet taken. */
static inline void smrf_wheel_add_all(struct smrf_wheel *w, uint32_t words, const uint64_t *members)
{
    const uint32_t slot = (uint32_t)w->base % SMRF_WHEEL_SLOTS;

    for (uint32_t i = 0; i < words; i++) {
        if (members[i]) {
            w->member[slot * words + i] |= members[i];
            w->busy[slot / 64] |= UINT64_C(1) << (slot % 64);
            w->next = w->base;
        }
    }
}

static inline uint64_t smrf_wheel_next(const struct smrf_wheel *w)
{
    return w->next;
}

/* The same, looked up in the slots from `base` on. */
static inline uint64_t smrf_wheel_find(const struct smrf_wheel *w)
{
    uint32_t slot = (uint32_t)w->base % SMRF_WHEEL_SLOTS;
    uint64_t word = w->busy[slot / 64] >> (slot % 64);
    uint64_t ahead = 0;

    if (word) {
        return w->base + (uint32_t)__builtin_ctzll(word);
    }
    ahead = 64 - slot % 64;
    for (uint32_t i = 1; i <= SMRF_WHEEL_SLOTS / 64; i++, ahead += 64) {
        word = w->busy[(slot / 64 + i) % (SMRF_WHEEL_SLOTS / 64)];
        if (word) {
            return w->base + ahead + (uint32_t)__builtin_ctzll(word);
        }
    }
    return SMRF_NEVER;
}

/* Take the members of `cycle`, before which none wakes. Returns false if there are none. */
static inline bool smrf_wheel_take(struct smrf_wheel *w, uint32_t words, uint64_t cycle,
                                   uint64_t *members)
{
    uint32_t slot = (uint32_t)cycle % SMRF_WHEEL_SLOTS;
    uint64_t *from = &w->member[slot * words];

    w->base = cycle + 1;
    if (w->next != cycle) {
        return false;
    }
    w->busy[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    for (uint32_t i = 0; i < words; i++) {
        members[i] = from[i];
        from[i] = 0;
    }
    w->next = smrf_wheel_find(w);
    return true;
}

/* No wake-up is due before `cycle`: the calendar now starts there. */
static inline void smrf_wheel_skip(struct smrf_wheel *w, uint64_t cycle)
{
    if (cycle > w->base) {
        w->base = cycle;
    }
}

#endif
