/* SPDX-License-Identifier: Apache-2.0 */
/* The reads that wait for a sub-core's banks, where nobody can tell those of one instruction apart:
 * how many an instruction has of every bank, side by side in one word. A bank serves instructions
 * in the order of their arrival, as its FIFO of single reads does, so that a step costs what
 * instructions wait, not operands. */
#ifndef SMRF_DEMANDS_H
#define SMRF_DEMANDS_H

#include "models/common/smrf_aligned.h"
#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Instructions that can wait. */
#define SMRF_MAX_DEMANDS 8

/* They are numbered from 1 on in what follows, by their collector's slot. */
struct SMRF_LINE_ALIGNED smrf_demands {
    uint64_t total;     /* reads of all instructions */
    uint64_t written;   /* banks that a write has taken in this step */
    uint64_t ones;      /* a read of every bank */
    uint64_t below;     /* added to a word, reaches the highest bit of each field that is not 0 */
    uint64_t granted;   /* sum: reads granted */
    uint64_t waited;    /* sum: reads that waited, of each step */
    uint64_t displaced; /* sum: of them, because a write had their bank */
    uint64_t order;     /* who waits, the first to come in the lowest byte, a byte each */
    uint64_t one[SMRF_MAX_BANKS];         /* a read of a bank */
    uint64_t reads[SMRF_MAX_DEMANDS + 1]; /* a field a bank */
    uint32_t flight[SMRF_MAX_DEMANDS + 1];
    uint64_t field;      /* all bits of the lowest field */
    uint32_t ordered;    /* bits of `order` in use */
    uint32_t steps_left; /* until the sums must be taken */
    uint32_t shift;      /* from the highest bit of a field to its lowest */
    uint32_t bits;       /* of a field */
    uint32_t most_steps; /* in which no sum of them outgrows its field */
};

/* slots: of the collectors; operands: most reads of a bank that wait at a time. Returns whether so
 * many can be counted. */
bool smrf_demands_init(struct smrf_demands *d, unsigned banks, unsigned slots, uint32_t operands);

/* Nothing waits, nothing is summed up. */
void smrf_demands_reset(struct smrf_demands *d);

/* The reads of all sources of an instruction, from where they lie. */
static inline uint64_t smrf_demands_reads(const struct smrf_demands *d, const struct smrf_flight *f)
{
    const struct smrf_register_place *from = f->src;
    uint64_t reads = 0;
    for (unsigned n = f->num_src; n; n--, from++) {
        reads += d->one[from->bank];
    }
    return reads;
}

/* An instruction asks for all its sources (not none). */
static inline void smrf_demands_add(struct smrf_demands *d, uint32_t flight, unsigned slot,
                                    const struct smrf_flight *f)
{
    const uint64_t reads = f->reads ? f->reads : smrf_demands_reads(d, f);
    const uint32_t behind = d->ordered;
    d->reads[slot + 1] = reads;
    d->flight[slot + 1] = flight;
    d->order |= (uint64_t)(slot + 1) << behind;
    d->ordered = behind + 8;
    d->total += reads;
}

/* A write takes a bank in the coming step. Returns false if one has it already. */
static inline bool smrf_demands_write(struct smrf_demands *d, unsigned bank)
{
    const uint64_t one = d->one[bank], before = d->written;
    d->written = before | one;
    return !(before & one);
}

/* The banks of which a word has reads. */
static inline uint64_t smrf_demands_banks(const struct smrf_demands *d, uint64_t reads)
{
    return (reads + d->below) >> d->shift & d->ones;
}

/* Reads of a bank. */
static inline uint64_t smrf_demands_of(const struct smrf_demands *d, uint64_t reads, unsigned bank)
{
    return reads >> bank * d->bits & d->field;
}

/* Every bank of `granted` serves the first instruction that waits for it. Returns the slots of
 * which nothing waits any more, which are taken out. */
uint32_t smrf_demands_serve_all(struct smrf_demands *d, uint64_t granted);

/* The same of two, without a branch: nobody could tell how it goes. */
static inline uint32_t smrf_demands_serve_two(struct smrf_demands *d, uint64_t granted)
{
    const uint64_t order = d->order;
    const unsigned a = order & 0xff, b = (unsigned)(order >> 8);
    const uint64_t of_a = smrf_demands_banks(d, d->reads[a]) & granted;
    const uint64_t left_a = d->reads[a] -= of_a, left_b = d->reads[b] -= granted ^ of_a;
    const uint32_t served_a = left_a == 0, served_b = left_b == 0;
    d->order = (order & ~(UINT64_C(0xff00) & -(uint64_t)served_b)) >> 8 * served_a;
    d->ordered -= 8 * (served_a + served_b);
    return (served_a << a | served_b << b) >> 1;
}

/* A step: every bank that no write has taken serves the first instruction that waits for it, and
 * all are free. Returns the slots (bit u) of which nothing waits any more. Precondition: one
 * waits. */
static inline uint32_t smrf_demands_step(struct smrf_demands *d)
{
    const uint64_t written = d->written;
    const uint64_t granted = smrf_demands_banks(d, d->total) & ~written;
    const uint64_t total = d->total - granted;
    d->total = total;
    d->granted += granted;
    d->waited += total;
    d->displaced += total & written * d->field;
    d->written = 0;
    d->steps_left--;
    if (d->ordered == 8) { /* mostly */
        const uint32_t served = total == 0;
        const unsigned who = d->order & 0xff;
        d->reads[who] = total;
        d->order = who & (served - 1);
        d->ordered = 8 - 8 * served;
        return served << who >> 1;
    }
    return d->ordered == 16 ? smrf_demands_serve_two(d, granted)
                            : smrf_demands_serve_all(d, granted);
}

/* The sums have been taken. */
static inline void smrf_demands_restart(struct smrf_demands *d)
{
    d->granted = d->waited = d->displaced = 0;
    d->steps_left = d->most_steps;
}

/* Sources that the instruction in a slot waits for, if it does: a bank has read those of lower
 * number before. */
uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot,
                                 const struct smrf_flight *f);

#ifdef __cplusplus
}
#endif

#endif
