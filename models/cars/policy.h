/* SPDX-License-Identifier: Apache-2.0 */
/* Which level the next blocks get: the state machine that compares what blocks have shown. Half of
 * the SMs, A, begin at the lowest level, the other half, B, at the highest.
 * Source: CARS III-B, Fig. 5; where it is silent:
 *  SPLIT    A at 0, B at the top, until a block of each has finished
 *  RAISE k  the top was better: A at k = 1, 2, .. as long as the top is at least as good as k
 *  LOWER k  the bottom was as good: B at k = top - 1, .. as long as the bottom is at least as good
 *  SETTLE c both at the best level seen; if another is remembered as better, it takes its place
 * A level of which no block has finished is waited for. In a kernel's first launch levels are seen beside
 * others that slow them down, or leave them more of the L2 and of DRAM than they will have: what has been
 * seen of a level then holds until 16 blocks of a later launch, or all of it, have shown the level alone. */
#ifndef SMRF_CARS_POLICY_H
#define SMRF_CARS_POLICY_H

#include "cars.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_cars_phase {
    SMRF_CARS_SPLIT,
    SMRF_CARS_RAISE,
    SMRF_CARS_LOWER,
    SMRF_CARS_SETTLE
};

struct smrf_cars_machine {
    uint8_t phase; /* enum smrf_cars_phase */
    uint8_t k;     /* RAISE, LOWER: the level that is tried; SETTLE: the one that is kept */
    uint8_t top;   /* highest level */
    bool known;     /* the launch began with a level that an earlier one ended with */
    bool moved;     /* .. and has left it */
    uint16_t alone; /* bit l: what has been seen of level l was seen alone */
    uint64_t sum, count; /* known: of level k alone, until they are enough */
    struct smrf_cars_samples seen;
};

/* levels: at least 1. known: what the kernel's last launch ended with, NULL: it is new. With as many
 * levels, this one begins with the best of them. */
void smrf_cars_machine_begin(struct smrf_cars_machine *p, unsigned levels,
                             const struct smrf_cars_machine *known);
/* Blocks have finished. */
void smrf_cars_machine_step(struct smrf_cars_machine *p, const struct smrf_cars_samples *more);
/* The launch ends. */
void smrf_cars_machine_end(struct smrf_cars_machine *p);
/* Level of the next blocks of group A or B. */
unsigned smrf_cars_machine_level(const struct smrf_cars_machine *p, bool b);
/* The best level seen. */
unsigned smrf_cars_machine_best(const struct smrf_cars_machine *p);

#ifdef __cplusplus
}
#endif

#endif
