/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <string.h>

#define ENOUGH 16 /* blocks */

/* Is the mean of level i at least, or more than, that of level j? Both have been seen. */
static bool at_least_(const struct smrf_cars_machine *p, unsigned i, unsigned j)
{
    return p->seen.sum[i] / p->seen.count[i] >= p->seen.sum[j] / p->seen.count[j];
}

static bool seen_(const struct smrf_cars_machine *p, unsigned level)
{
    return level <= p->top && p->seen.count[level];
}

unsigned smrf_cars_machine_best(const struct smrf_cars_machine *p)
{
    unsigned best = p->k;
    for (unsigned level = 0; level <= p->top; level++) {
        if (seen_(p, level) && (!seen_(p, best) || !at_least_(p, best, level))) {
            best = level;
        }
    }
    return best;
}

static void settle_(struct smrf_cars_machine *p)
{
    const unsigned best = smrf_cars_machine_best(p);
    if (best != p->k) {
        p->moved = true;
        p->sum = p->count = 0;
    }
    p->phase = SMRF_CARS_SETTLE;
    p->k = (uint8_t)best;
}

/* What has been seen of the level that is kept takes the place of what was seen of it beside others. */
static void alone_(struct smrf_cars_machine *p)
{
    p->alone = (uint16_t)(p->alone | 1u << p->k);
    p->seen.sum[p->k] = p->sum;
    p->seen.count[p->k] = p->count;
    settle_(p);
}

void smrf_cars_machine_begin(struct smrf_cars_machine *p, unsigned levels,
                             const struct smrf_cars_machine *known)
{
    if (known && known->top == levels - 1) {
        *p = *known;
        p->known = true;
        p->moved = false;
        p->sum = p->count = 0;
        return;
    }
    memset(p, 0, sizeof *p);
    p->top = (uint8_t)(levels - 1);
    p->phase = levels == 1 ? SMRF_CARS_SETTLE : SMRF_CARS_SPLIT;
}

static void raise_(struct smrf_cars_machine *p)
{
    while (p->k < p->top && seen_(p, p->k) && at_least_(p, p->top, p->k)) {
        p->k++;
    }
    if (p->k >= p->top || seen_(p, p->k)) {
        settle_(p);
    }
}

static void lower_(struct smrf_cars_machine *p)
{
    while (p->k > 0 && seen_(p, p->k) && at_least_(p, 0, p->k)) {
        p->k--;
    }
    if (p->k == 0 || seen_(p, p->k)) {
        settle_(p);
    }
}

void smrf_cars_machine_step(struct smrf_cars_machine *p, const struct smrf_cars_samples *more)
{
    if (p->known && !(p->alone >> p->k & 1)) {
        p->sum += more->sum[p->k];
        p->count += more->count[p->k];
        if (p->count >= ENOUGH) {
            alone_(p);
        }
        return;
    }
    for (unsigned level = 0; level <= p->top; level++) {
        p->seen.sum[level] += more->sum[level];
        p->seen.count[level] += more->count[level];
    }
    if (p->phase == SMRF_CARS_SPLIT && seen_(p, 0) && seen_(p, p->top)) {
        const bool low = at_least_(p, 0, p->top);
        p->phase = low ? SMRF_CARS_LOWER : SMRF_CARS_RAISE;
        p->k = low ? (uint8_t)(p->top - 1) : 1;
    }
    switch ((enum smrf_cars_phase)p->phase) {
    case SMRF_CARS_SPLIT:
        break;
    case SMRF_CARS_RAISE:
        raise_(p);
        break;
    case SMRF_CARS_LOWER:
        lower_(p);
        break;
    case SMRF_CARS_SETTLE:
        settle_(p);
        break;
    }
}

void smrf_cars_machine_end(struct smrf_cars_machine *p)
{
    if (p->known && !p->moved && p->count && !(p->alone >> p->k & 1)) {
        alone_(p);
    }
    settle_(p);
}

unsigned smrf_cars_machine_level(const struct smrf_cars_machine *p, bool b)
{
    switch ((enum smrf_cars_phase)p->phase) {
    case SMRF_CARS_SPLIT:
        return b ? p->top : 0;
    case SMRF_CARS_RAISE:
        return b ? p->top : p->k;
    case SMRF_CARS_LOWER:
        return b ? p->k : 0;
    case SMRF_CARS_SETTLE:
        break;
    }
    return p->k;
}
