/* SPDX-License-Identifier: Apache-2.0 */
#include "swl.h"

#include "models/seam/mechanism_define.h"

#include <string.h>

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_swl);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup, unsigned sm)
{
    struct smrf_swl *m = state;
    (void)sm;
    memset(m, 0, sizeof *m);
    m->setup = *setup;
    m->options = setup->options;
    return SMRF_OK;
}

static void attach_(void *state, const struct smrf_services *services)
{
    ((struct smrf_swl *)state)->services = services;
}

/* --- who may issue ---------------------------------------------------------------------------- */

/* The oldest warps of a mask, as many as the limit says. */
static uint64_t oldest_(const struct smrf_swl *m, uint64_t mask)
{
    uint64_t chosen = 0;
    for (unsigned n = 0; n < m->options->warps && mask; n++) {
        unsigned best = (unsigned)__builtin_ctzll(mask);
        for (uint64_t rest = mask; rest; rest &= rest - 1) {
            const unsigned warp = (unsigned)__builtin_ctzll(rest);
            best = m->age[warp] < m->age[best] ? warp : best;
        }
        chosen |= UINT64_C(1) << best;
        mask &= ~(UINT64_C(1) << best);
    }
    return chosen;
}

static void admit_(struct smrf_swl *m)
{
    const uint64_t ready = m->live & ~m->waits;
    uint64_t admitted = 0;
    if (m->options->scope == SMRF_SWL_SM) {
        admitted = oldest_(m, ready);
    } else {
        uint64_t every = 0; /* warps of scheduler 0 */
        for (unsigned warp = 0; warp < m->setup.sm.warps; warp += m->setup.sm.subcores) {
            every |= UINT64_C(1) << warp;
        }
        for (unsigned sub = 0; sub < m->setup.sm.subcores; sub++) {
            admitted |= oldest_(m, ready & every << sub);
        }
    }
    const uint64_t more = admitted & ~m->admitted;
    const unsigned count = (unsigned)__builtin_popcountll(admitted);
    m->admitted = admitted;
    m->stats.admitted += (unsigned)__builtin_popcountll(more);
    m->stats.most = count > m->stats.most ? count : m->stats.most;
    for (uint64_t rest = more; rest; rest &= rest - 1) {
        m->services->wake(m->services->ctx, (unsigned)__builtin_ctzll(rest));
    }
}

static void start_(void *state, unsigned warp, uint16_t base, uint32_t registers)
{
    struct smrf_swl *m = state;
    (void)base;
    (void)registers;
    m->age[warp] = m->ages++;
    m->live |= UINT64_C(1) << warp;
    m->waits &= ~(UINT64_C(1) << warp);
    m->stats.started++;
    admit_(m);
}

static void exit_(void *state, unsigned warp)
{
    struct smrf_swl *m = state;
    m->live &= ~(UINT64_C(1) << warp);
    admit_(m);
}

static void barrier_(void *state, unsigned warp, bool waits)
{
    struct smrf_swl *m = state;
    m->waits = (m->waits & ~(UINT64_C(1) << warp)) | (uint64_t)waits << warp;
    admit_(m);
}

static bool ready_(void *state, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_swl *m = state;
    (void)inst;
    return m->admitted >> warp & 1;
}

/* --- the mechanism ---------------------------------------------------------------------------- */

enum index { SMRF_SWL_STATS(SMRF_MECHANISM_INDEX) COUNTERS };

static const struct smrf_mechanism_stat stats[] = {SMRF_SWL_STATS(SMRF_MECHANISM_ROW)};

static const uint64_t *counters_(const void *m)
{
    return (const uint64_t *)&((const struct smrf_swl *)m)->stats;
}

static const struct smrf_rename_seam rename = {.ready = ready_};
static const struct smrf_warp_seam warp_seam = {
    .start = start_, .exit = exit_, .barrier = barrier_};
static const char *const defaults[] = {"issue.scheduler=gto", NULL};

static const struct smrf_mechanism swl = {
    .name = "swl",
    .summary =
        "only the swl.warps oldest warps of an SM, or a scheduler, issue (Best-SWL: the best of "
        "several)",
    .family = &smrf_swl_family,
    .defaults = defaults,
    .bytes = bytes_,
    .init = init_,
    .attach = attach_,
    .rename = &rename,
    .warp = &warp_seam,
    .counters = counters_,
    .num_counters = COUNTERS,
    .stats = stats,
    .num_stats = sizeof stats / sizeof *stats,
};

SMRF_MECHANISM_FAMILY_OF_VALUES(smrf_swl_family, "swl", SMRF_SWL_PARAMS, SMRF_SWL_VALUES, &swl);
