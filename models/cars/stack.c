/* SPDX-License-Identifier: Apache-2.0 */
#include "stack.h"

#include "models/common/smrf_assert.h"

int smrf_cars_frame_of(const struct smrf_cars_stack *s, uint32_t lanes)
{
    int f = s->depth - 1;
    while (f >= 0 && !(s->frame[f].lanes & lanes)) {
        f--;
    }
    return f;
}

/* Registers of the set below reg. */
static uint32_t rank_(const struct smrf_program_set *set, unsigned reg)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < reg >> 6; i++) {
        n += (uint32_t)__builtin_popcountll(set->w[i]);
    }
    return n + (uint32_t)__builtin_popcountll(set->w[reg >> 6] & ((UINT64_C(1) << (reg & 63)) - 1));
}

uint32_t smrf_cars_slot_of(const struct smrf_cars_stack *s, int frame, unsigned reg)
{
    const struct smrf_cars_frame *f = &s->frame[frame];
    const struct smrf_program_set *saved = smrf_cars_saved(s, f->function);
    if (f->in_memory) {
        return SMRF_CARS_BASE;
    }
    if (s->prefix) {
        const bool in =
            reg >= SMRF_CARS_FIRST && reg < SMRF_CARS_FIRST + smrf_cars_fru(s, f->function);
        return in ? f->first + s->slot + (reg - SMRF_CARS_FIRST) : SMRF_CARS_BASE;
    }
    return smrf_program_set_has(saved, reg) ? f->first + s->slot + rank_(saved, reg)
                                            : SMRF_CARS_BASE;
}

uint32_t smrf_cars_find(const struct smrf_cars_stack *s, int frame, unsigned reg)
{
    uint32_t slot = SMRF_CARS_BASE;
    /* All frames older than a spilled one are spilled. */
    while (frame >= s->spilled && slot == SMRF_CARS_BASE) {
        slot = smrf_cars_slot_of(s, frame, reg);
        frame = s->prefix ? SMRF_CARS_KERNEL : s->frame[frame].parent;
    }
    return slot;
}

unsigned smrf_cars_register(const struct smrf_cars_stack *s,
                            const struct smrf_program_function *function, unsigned n)
{
    const struct smrf_program_set *saved = smrf_cars_saved(s, function);
    if (s->prefix) {
        return SMRF_CARS_FIRST + n;
    }
    for (unsigned i = 0;; i++) {
        SMRF_ASSERT(i < 4);
        const unsigned here = (unsigned)__builtin_popcountll(saved->w[i]);
        uint64_t w = saved->w[i];
        if (n >= here) {
            n -= here;
            continue;
        }
        while (n--) {
            w &= w - 1;
        }
        return 64 * i + (unsigned)__builtin_ctzll(w);
    }
}

unsigned smrf_cars_in_the_way(const struct smrf_cars_stack *s, unsigned slots)
{
    unsigned n = s->spilled;
    while (n < s->depth && s->size - (smrf_cars_rsp(s) - s->frame[n].first) < slots) {
        n++;
    }
    return n - s->spilled;
}

unsigned smrf_cars_can_fill(const struct smrf_cars_stack *s, int frame)
{
    const bool spilled = frame >= 0 && frame < s->spilled;
    return spilled && smrf_cars_rsp(s) - s->frame[frame].first <= s->size
               ? (unsigned)(s->spilled - frame)
               : 0;
}

int smrf_cars_enter(struct smrf_cars_stack *s, const struct smrf_program_function *function,
                    int parent, uint32_t lanes, bool in_memory)
{
    const uint32_t rsp = smrf_cars_rsp(s);
    const unsigned size = in_memory ? 0 : smrf_cars_fru(s, function) + s->slot;
    if (s->depth == SMRF_CARS_FRAMES || rsp + size > SMRF_CARS_SLOTS) {
        return -1;
    }
    SMRF_ASSERT(size <= smrf_cars_free(s));
    s->frame[s->depth] = (struct smrf_cars_frame){
        .function = function,
        .lanes = lanes,
        .first = rsp,
        .size = (uint16_t)size,
        .parent = (int16_t)parent,
        .in_memory = in_memory,
    };
    return s->depth++;
}

uint32_t smrf_cars_leave(struct smrf_cars_stack *s, uint32_t lanes, bool all)
{
    uint32_t left = lanes;
    for (int f = s->depth - 1; f >= 0 && left; f--) {
        const uint32_t here = s->frame[f].lanes & left;
        s->frame[f].lanes &= ~here;
        left &= all ? left : ~here;
    }
    return all ? 0 : left;
}

void smrf_cars_release(struct smrf_cars_stack *s)
{
    SMRF_ASSERT(smrf_cars_empty(s));
    s->depth--;
    s->spilled = s->spilled > s->depth ? s->depth : s->spilled;
}
