/* SPDX-License-Identifier: Apache-2.0 */
/* The reads that wait for a sub-core's banks, where nobody can tell those of one instruction apart: how
 * many an instruction has of every bank, side by side in one word. A bank serves instructions in the
 * order of their arrival, as its FIFO of single reads does, so that a step costs what instructions
 * wait, not operands. */
#ifndef SMRF_DEMANDS_H
#define SMRF_DEMANDS_H

#include "models/common/smrf_aligned.h"
#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_NO_DEMAND SMRF_MAX_COLLECTING

/* What the instruction in a collector's slot waits for. */
struct smrf_demand {
    uint64_t reads;  /* a field a bank */
    uint32_t flight; /* its number */
    uint32_t next;   /* slot of the next in the order of arrival */
};

struct SMRF_LINE_ALIGNED smrf_demands {
    uint64_t total;      /* reads of all instructions */
    uint64_t written;    /* banks that a write has taken in this step */
    uint64_t ones;       /* a read of every bank */
    uint64_t below;      /* added to a word, reaches the highest bit of each field that is not 0 */
    uint64_t granted;    /* sum: reads granted */
    uint64_t waited;     /* sum: reads that waited, of each step */
    uint64_t displaced;  /* sum: of them, because a write had their bank */
    uint32_t steps_left; /* until the sums must be taken */
    uint8_t shift;       /* from the highest bit of a field to its lowest */
    uint8_t first,
        last; /* slots: of the first and of the last to come where any waits, else some */
    uint64_t one[SMRF_MAX_BANKS]; /* a read of a bank */
    struct smrf_demand slot[SMRF_MAX_COLLECTING];
    uint64_t field;      /* all bits of the lowest field */
    uint32_t bits;       /* of a field */
    uint32_t most_steps; /* in which no sum of them outgrows its field */
};

/* operands: most reads of a bank that wait at a time. Returns whether so many can be counted. */
bool smrf_demands_init(struct smrf_demands *d, unsigned banks, uint32_t operands);

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
    const struct smrf_demand demand = {reads, flight, SMRF_NO_DEMAND};
    d->slot[d->last].next = slot;
    d->slot[slot] = demand;
    d->first = d->total ? d->first : (uint8_t)slot;
    d->last = (uint8_t)slot;
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

/* Every bank of `granted` (not none) serves the first instruction that waits for it, of several. Returns
 * the slots of which nothing waits any more, which are taken out. */
uint32_t smrf_demands_serve(struct smrf_demands *d, uint64_t granted);

/* A step: every bank that no write has taken serves the first instruction that waits for it, and all
 * are free. Returns the slots (bit u) of which nothing waits any more. Precondition: one waits. */
static inline uint32_t smrf_demands_step(struct smrf_demands *d)
{
    const uint64_t written = d->written;
    const uint64_t granted = smrf_demands_banks(d, d->total) & ~written;
    const uint64_t total = d->total - granted;
    d->total = total;
    d->granted += granted;
    d->waited += total;
    d->steps_left--;
    if (written) {
        d->displaced += total & written * d->field;
        d->written = 0;
    }
    if (d->first == d->last) { /* mostly */
        d->slot[d->first].reads = total;
        return (uint32_t)!total << d->first;
    }
    return granted ? smrf_demands_serve(d, granted) : 0;
}

/* The sums have been taken. */
static inline void smrf_demands_restart(struct smrf_demands *d)
{
    d->granted = d->waited = d->displaced = 0;
    d->steps_left = d->most_steps;
}

/* Sources that the instruction in a slot waits for, if it does: a bank has read those of lower number
 * before. */
uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot,
                                 const struct smrf_flight *f);

/* The first slot that waits, and the next behind one; SMRF_NO_DEMAND: none. */
static inline unsigned smrf_demands_first(const struct smrf_demands *d)
{
    return d->total ? d->first : SMRF_NO_DEMAND;
}
static inline unsigned smrf_demands_next(const struct smrf_demands *d, unsigned slot)
{
    return d->slot[slot].next;
}

#ifdef __cplusplus
}
#endif

#endif
