/* SPDX-License-Identifier: Apache-2.0 */
/* Which level the next blocks get: the state machine that compares what blocks have shown. Half of
 * the SMs, A, begin at the lowest level, the other half, B, at the highest.
 * Source: CARS III-B, Fig. 5; where it is silent:
 *  SPLIT    A at 0, B at the top, until a block of each has finished
 *  RAISE k  the top was better: A at k = 1, 2, .. as long as the top is at least as good as k
 *  LOWER k  the bottom was as good: B at k = top - 1, .. as long as the bottom is at least as good
 *  SETTLE c both at the best level seen; if another is remembered as better, it takes its place
 * A level of which no block has finished is waited for.
 *
 * Only like is compared with like. The first blocks of a launch, which begin together and find
 * nothing in the caches, are slower than those that follow, by a third and more: a level that is
 * tried later looks better than it is. So a level counts by its blocks over those of the better end
 * that finished in the same stretch. And levels that run side by side slow each other down, or
 * leave each other more of the L2 and of DRAM than they will have. So the first 16 blocks of later
 * launches, or all, take the place of what was seen of their level beside the first 16 of the
 * end's; are they worse, levels below, which crowd the caches more, are as much worse. No level is
 * tried alone that is not then the best, and each once.
 *
 * cars.policy=paper does none of this. A level is worth the mean of all its blocks, over all
 * launches of the kernel; a launch begins with the best one, and goes on to another as soon as it
 * is worth less than that. */
#ifndef SMRF_CARS_POLICY_H
#define SMRF_CARS_POLICY_H

#include "cars.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_cars_phase { SMRF_CARS_SPLIT, SMRF_CARS_RAISE, SMRF_CARS_LOWER, SMRF_CARS_SETTLE };

struct smrf_cars_mean {
    uint64_t sum, count; /* of blocks */
};

/* A level's blocks, and those of the better end in the same stretch. */
struct smrf_cars_pair {
    struct smrf_cars_mean own, end;
};

struct smrf_cars_machine {
    uint8_t phase; /* enum smrf_cars_phase */
    uint8_t k;     /* RAISE, LOWER: the level that is tried; SETTLE: the one that is kept */
    uint8_t top;   /* highest level */
    uint8_t end;   /* the better one of 0 and top; SPLIT: top */
    bool paper;    /* cars.policy=paper; set behind smrf_cars_machine_begin */
    bool known;    /* the launch began with a level that an earlier one ended with */
    uint64_t value[SMRF_CARS_LEVELS]; /* 0: not seen. In a first launch in 1/65536 of the end's */
    struct smrf_cars_mean launch;     /* its first blocks of: the end; known: level k */
    struct smrf_cars_mean launches[SMRF_CARS_LEVELS]; /* of each level alone */
    struct smrf_cars_pair pair[SMRF_CARS_LEVELS];
    struct smrf_cars_pair late[SMRF_CARS_LEVELS]; /* one of the two has not followed yet */
};

/* levels: at least 1. known: what the kernel's last launch ended with, NULL: it is new. With as
 * many levels, this one begins with the best of them. */
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
