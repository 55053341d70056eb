/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <string.h>

#define ONE (UINT64_C(1) << 16)
#define FIRST 16 /* blocks */

static bool seen_(const struct smrf_cars_machine *p, unsigned level)
{
    return p->value[level] != 0;
}

static void add_(struct smrf_cars_mean *m, struct smrf_cars_mean more)
{
    m->sum += more.sum;
    m->count += more.count;
}

/* At least 1: 0 is what has not been seen. */
static uint64_t mean_(struct smrf_cars_mean m)
{
    const uint64_t mean = m.sum / m.count;
    return mean ? mean : 1;
}

static uint64_t ratio_(const struct smrf_cars_pair *pair)
{
    const uint64_t ratio = mean_(pair->own) * ONE / mean_(pair->end);
    return ratio ? ratio : 1;
}

unsigned smrf_cars_machine_best(const struct smrf_cars_machine *p)
{
    unsigned best = p->k;
    for (unsigned level = 0; level <= p->top; level++) {
        best = p->value[level] > p->value[best] ? level : best;
    }
    return best;
}

static void settle_(struct smrf_cars_machine *p)
{
    p->phase = SMRF_CARS_SETTLE;
    p->k = (uint8_t)smrf_cars_machine_best(p);
}

void smrf_cars_machine_begin(struct smrf_cars_machine *p, unsigned levels,
                             const struct smrf_cars_machine *known)
{
    if (known && known->top == levels - 1) {
        *p = *known;
        p->known = true;
        memset(&p->launch, 0, sizeof p->launch);
        return;
    }
    memset(p, 0, sizeof *p);
    p->top = p->end = (uint8_t)(levels - 1);
    p->phase = levels == 1 ? SMRF_CARS_SETTLE : SMRF_CARS_SPLIT;
}

/* The level's stretch begins: what the end's blocks have shown until now was another one. */
static void try_(struct smrf_cars_machine *p, unsigned level)
{
    p->k = (uint8_t)level;
    memset(&p->late[level], 0, sizeof p->late[level]);
}

/* A block of each end has finished: the others are seen beside the better one. */
static void split_(struct smrf_cars_machine *p)
{
    const struct smrf_cars_pair bottom = p->pair[0];
    const bool low = p->value[0] >= ONE;
    if (low) {
        p->end = 0;
        p->pair[p->top] = (struct smrf_cars_pair){bottom.end, bottom.own};
        p->value[p->top] = ratio_(&p->pair[p->top]);
    }
    p->launch = low ? bottom.own : bottom.end;
    p->value[p->end] = ONE;
    p->phase = low ? SMRF_CARS_LOWER : SMRF_CARS_RAISE;
    try_(p, low ? p->top - 1u : 1);
}

static void raise_(struct smrf_cars_machine *p)
{
    while (p->k < p->top && seen_(p, p->k) && p->value[p->k] <= p->value[p->end]) {
        try_(p, p->k + 1u);
    }
    if (p->k >= p->top || seen_(p, p->k)) {
        settle_(p);
    }
}

static void lower_(struct smrf_cars_machine *p)
{
    while (p->k > 0 && seen_(p, p->k) && p->value[p->k] <= p->value[p->end]) {
        try_(p, p->k - 1u);
    }
    if (p->k == 0 || seen_(p, p->k)) {
        settle_(p);
    }
}

/* Blocks of a level count when some of the end have finished since, and the other way round. */
static void compare_(struct smrf_cars_machine *p, const struct smrf_cars_samples *more)
{
    const struct smrf_cars_mean end = {more->sum[p->end], more->count[p->end]};
    if (p->launch.count < FIRST) {
        add_(&p->launch, end);
    }
    for (unsigned level = 0; level <= p->top; level++) {
        struct smrf_cars_pair *late = &p->late[level];
        if (level == p->end) {
            continue;
        }
        add_(&late->own, (struct smrf_cars_mean){more->sum[level], more->count[level]});
        add_(&late->end, end);
        if (late->own.count && late->end.count) {
            add_(&p->pair[level].own, late->own);
            add_(&p->pair[level].end, late->end);
            memset(late, 0, sizeof *late);
            p->value[level] = ratio_(&p->pair[level]);
        }
    }
}

/* What the level's launches have begun with takes the place of what was seen of it beside others.
 * Is it less, those below, which crowd the caches more, lose as much. */
static void alone_(struct smrf_cars_machine *p)
{
    const uint64_t beside = p->value[p->k];
    add_(&p->launches[p->k], p->launch);
    p->value[p->k] = mean_(p->launches[p->k]);
    for (unsigned level = 0; level < p->k && p->value[p->k] < beside; level++) {
        if (p->launches[level].count == 0) {
            p->value[level] = p->value[level] * (p->value[p->k] * ONE / beside) / ONE;
        }
    }
    settle_(p);
}

/* What the present phase asks for. */
static void go_on_(struct smrf_cars_machine *p)
{
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

/* Fig. 5 as it stands: means of all blocks. */
static void paper_(struct smrf_cars_machine *p, const struct smrf_cars_samples *more)
{
    for (unsigned level = 0; level <= p->top; level++) {
        add_(&p->launches[level], (struct smrf_cars_mean){more->sum[level], more->count[level]});
        p->value[level] = p->launches[level].count ? mean_(p->launches[level]) : 0;
    }
    if (p->phase == SMRF_CARS_SPLIT && seen_(p, 0) && seen_(p, p->top)) {
        const bool low = p->value[0] >= p->value[p->top];
        p->end = low ? 0 : p->top;
        p->phase = low ? SMRF_CARS_LOWER : SMRF_CARS_RAISE;
        try_(p, low ? p->top - 1u : 1);
    }
    go_on_(p);
}

void smrf_cars_machine_step(struct smrf_cars_machine *p, const struct smrf_cars_samples *more)
{
    if (p->paper) {
        paper_(p, more);
        return;
    }
    if (p->known) {
        if (p->launch.count < FIRST) {
            add_(&p->launch, (struct smrf_cars_mean){more->sum[p->k], more->count[p->k]});
            if (p->launch.count >= FIRST) {
                alone_(p);
            }
        }
        return;
    }
    compare_(p, more);
    if (p->phase == SMRF_CARS_SPLIT && seen_(p, 0)) {
        split_(p);
    }
    go_on_(p);
}

void smrf_cars_machine_end(struct smrf_cars_machine *p)
{
    if (p->paper) {
        settle_(p);
        return;
    }
    if (!p->known) {
        for (unsigned level = 0; level <= p->top && p->launch.count; level++) {
            const uint64_t value = p->value[level] * mean_(p->launch) / ONE;
            p->value[level] = seen_(p, level) && value == 0 ? 1 : value;
        }
    } else if (p->launch.count && p->launch.count < FIRST) {
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
