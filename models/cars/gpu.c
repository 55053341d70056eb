/* SPDX-License-Identifier: Apache-2.0 */
/* Between launches and at edges. Source: CARS III-B: half of the SMs at each end, performance of
 * finished blocks, the best level remembered by the kernel's name. */
#include "gpu.h"

#include <string.h>

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_cars_gpu);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup)
{
    struct smrf_cars_gpu *g = state;
    memset(g, 0, sizeof *g);
    g->setup = *setup;
    return SMRF_OK;
}

static uint32_t policy_(const struct smrf_cars_gpu *g)
{
    return ((const struct smrf_cars_params *)g->setup.options)->policy;
}

static uint64_t hash_(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    while (*name) {
        h = (h ^ (unsigned char)*name++) * UINT64_C(0x100000001b3);
    }
    return h;
}

static struct smrf_cars_known *known_(struct smrf_cars_gpu *g)
{
    for (uint32_t i = 0; i < g->num_known; i++) {
        if (g->known[i].hash == g->hash) {
            return &g->known[i];
        }
    }
    return NULL;
}

static void set_levels_(const struct smrf_cars_gpu *g, void *const *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < g->setup.gpu.sms; i++) {
        struct smrf_cars *m = sm[i];
        m->level = smrf_cars_machine_level(&g->machine, i >= (g->setup.gpu.sms + 1) / 2);
        m->settled = g->machine.known && !g->machine.paper;
        m->others = m->blocks;
        m->alone_since = cycle;
    }
}

static void kernel_begin_(void *state, void *const *sm, const struct smrf_gpu_launch *launch,
                          uint64_t cycle)
{
    struct smrf_cars_gpu *g = state;
    (void)cycle;
    for (uint32_t i = 0; i < g->setup.gpu.sms; i++) {
        smrf_cars_launch_(sm[i], launch->kernel);
    }
    const struct smrf_cars *first = sm[0];
    g->runs = first->program != NULL;
    if (!g->runs) {
        return;
    }
    g->hash = hash_(launch->name);
    const struct smrf_cars_known *known = known_(g);
    smrf_cars_machine_begin(&g->machine, first->num_levels, known ? &known->machine : NULL);
    g->machine.paper = policy_(g) == SMRF_CARS_POLICY_PAPER;
    set_levels_(g, sm, 0);
}

/* Returns whether levels have changed. */
static bool collect_(struct smrf_cars_gpu *g, void *const *sm, uint64_t cycle)
{
    struct smrf_cars_samples all = {{0}, {0}};
    const unsigned phase = g->machine.phase, k = g->machine.k;
    bool any = false;
    for (uint32_t i = 0; i < g->setup.gpu.sms; i++) {
        struct smrf_cars *m = sm[i];
        for (unsigned level = 0; level < SMRF_CARS_LEVELS; level++) {
            all.sum[level] += m->samples.sum[level];
            all.count[level] += m->samples.count[level];
            any |= m->samples.count[level] != 0;
        }
        memset(&m->samples, 0, sizeof m->samples);
    }
    if (!g->runs || !any) {
        return false;
    }
    smrf_cars_machine_step(&g->machine, &all);
    const bool changed = phase != g->machine.phase || k != g->machine.k;
    if (changed) {
        set_levels_(g, sm, cycle);
    }
    return changed;
}

static void kernel_end_(void *state, void *const *sm, const struct smrf_gpu_launch *launch,
                        uint64_t cycle)
{
    struct smrf_cars_gpu *g = state;
    (void)launch;
    collect_(g, sm, cycle);
    if (!g->runs) {
        return;
    }
    smrf_cars_machine_end(&g->machine);
    struct smrf_cars_known *known = known_(g);
    if (!known && g->num_known < SMRF_CARS_NAMES) {
        known = &g->known[g->num_known++];
    }
    if (known) {
        *known = (struct smrf_cars_known){g->hash, g->machine};
    }
}

static uint64_t interval_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_cars_params *o = setup->options;
    return o->policy >= SMRF_CARS_POLICY_ADAPTIVE ? o->interval : 0;
}

static bool edge_(void *state, void *const *sm, uint64_t cycle, uint64_t thread_insts,
                  uint64_t launches, uint64_t *row)
{
    struct smrf_cars_gpu *g = state;
    const bool changed = collect_(g, sm, cycle);
    (void)thread_insts;
    row[0] = cycle;
    row[1] = launches;
    row[2] = g->machine.phase;
    row[3] = smrf_cars_machine_level(&g->machine, false);
    row[4] = smrf_cars_machine_level(&g->machine, true);
    return changed;
}

static const struct smrf_series_column columns[] = {
    {"cycle", "core cycles", "at which the levels changed", 1},
    {"launch", "", "number of the launch", 1},
    {"phase", "", "0 SPLIT, 1 RAISE, 2 LOWER, 3 SETTLE", 1},
    {"level_a", "", "of the next blocks of the first half of the SMs", 1},
    {"level_b", "", "of the other half", 1},
};

const struct smrf_gpu_seam smrf_cars_gpu_seam = {
    .bytes = bytes_,
    .init = init_,
    .kernel_begin = kernel_begin_,
    .kernel_end = kernel_end_,
    .interval = interval_,
    .edge = edge_,
    .series = "cars_levels",
    .columns = columns,
    .num_columns = sizeof columns / sizeof *columns,
};
