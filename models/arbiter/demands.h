/* SPDX-License-Identifier: Apache-2.0 */
/* The reads that wait for a sub-core's banks, where nobody can tell those of one instruction apart: how
 * many an instruction has of every bank, side by side in one word. A bank serves instructions in the
 * order of their arrival, as its FIFO of single reads does, so that a step costs what instructions
 * wait, not operands. */
#ifndef SMRF_DEMANDS_H
#define SMRF_DEMANDS_H

#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_NO_DEMAND SMRF_MAX_COLLECTING

/* What the instruction in a collector's slot waits for. */
struct smrf_demand {
    uint64_t reads;                       /* a field a bank */
    const struct smrf_register_place *at; /* where its sources lie */
    uint32_t sources;                     /* bit i: it has asked for source i */
    uint32_t flight;                      /* its number */
    uint32_t next;                        /* slot of the next in the order of arrival */
};

struct smrf_demands {
    uint64_t one[SMRF_MAX_BANKS]; /* a read of a bank */
    uint64_t ones;                /* .. of every bank */
    uint64_t below;      /* added to a word, reaches the highest bit of each field that is not 0 */
    uint64_t field;      /* all bits of the lowest field */
    uint32_t shift;      /* from the highest bit of a field to its lowest */
    uint32_t bits;       /* of a field */
    uint32_t most_steps; /* in which no sum of them outgrows its field */
    uint32_t steps;      /* since the sums were last taken */
    uint64_t granted;    /* sum: reads granted */
    uint64_t waited;     /* sum: reads that waited, of each step */
    uint64_t displaced;  /* sum: of them, because a write had their bank */
    uint64_t written;    /* banks that a write has taken in this step */
    uint64_t total;      /* reads of all instructions */
    uint32_t last;       /* slot of the last, SMRF_NO_DEMAND: none */
    /* A slot each; behind them what is before the first. */
    struct smrf_demand slot[SMRF_MAX_COLLECTING + 1];
};

/* operands: most reads of a bank that wait at a time. Returns whether so many can be counted. */
bool smrf_demands_init(struct smrf_demands *d, unsigned banks, uint32_t operands);

/* Nothing waits, nothing is summed up. */
void smrf_demands_reset(struct smrf_demands *d);

/* An instruction asks for those of its sources (bit i, not none), at[i], which stay where they are. */
static inline void smrf_demands_add(struct smrf_demands *d, uint32_t flight, unsigned slot,
                                    const struct smrf_register_place *at, uint32_t sources)
{
    const struct smrf_register_place *from = at;
    uint64_t reads = 0;
    for (uint32_t m = sources; m; m >>= 1, from++) {
        if (m & 1) {
            reads += d->one[from->bank];
        }
    }
    const struct smrf_demand demand = {reads, at, sources, flight, SMRF_NO_DEMAND};
    d->slot[slot] = demand;
    d->slot[d->last].next = slot;
    d->last = slot;
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

/* A step: every bank that no write has taken serves the first instruction that waits for it, and all
 * are free. Returns the slots (bit u) of which nothing waits any more. */
uint32_t smrf_demands_step(struct smrf_demands *d);

/* Must the sums be taken before the next step? */
static inline bool smrf_demands_probe_full(const struct smrf_demands *d)
{
    return d->steps >= d->most_steps;
}

/* Sources that the instruction in a slot waits for: a bank has read those of lower number before. */
uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot);

/* The first slot that waits, and the next behind one; SMRF_NO_DEMAND: none. */
static inline unsigned smrf_demands_first(const struct smrf_demands *d)
{
    return d->slot[SMRF_NO_DEMAND].next;
}
static inline unsigned smrf_demands_next(const struct smrf_demands *d, unsigned slot)
{
    return d->slot[slot].next;
}

#ifdef __cplusplus
}
#endif

#endif
