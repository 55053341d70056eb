/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's part: at every edge the STHLD machine sees the GPU's instructions of the interval, and
 * every SM is given the new STHLD. Source: Malekeh (long) IV-B3. */
#include "gpu.h"

#include <string.h>

#define IPC_SCALE 1000000

static size_t bytes_(const struct smrf_mechanism_setup *setup)
{
    (void)setup;
    return sizeof(struct smrf_malekeh_gpu);
}

static int init_(void *state, const struct smrf_mechanism_setup *setup)
{
    const struct smrf_malekeh_params *o = setup->options;
    struct smrf_malekeh_gpu *g = state;
    memset(g, 0, sizeof *g);
    g->setup = *setup;
    g->options = o;
    g->config = (struct smrf_sthld_config){
        .threshold = o->sthld_threshold,
        .first = o->sthld,
        .max = o->sthld_mode == SMRF_MALEKEH_FIXED ? o->sthld : o->sthld_max,
        .only_drops = o->sthld_only_drops,
        .count_idle = o->sthld_count_idle,
    };
    smrf_sthld_default_table(&g->config.table, (int)o->sthld_climb, (int)o->sthld_back,
                             (int)o->sthld_fine);
    return smrf_sthld_init(&g->sthld, &g->config);
}

static int table_(void *state, const char *text, size_t size, unsigned *line, const char **why)
{
    struct smrf_malekeh_gpu *g = state;
    if (g->options->sthld_mode == SMRF_MALEKEH_FIXED) {
        *line = 0;
        *why = "with malekeh.sthld_mode=fixed STHLD does not move; leave the table out";
        return SMRF_ERR_INVAL;
    }
    int err = smrf_sthld_read_table(&g->config.table, text, size, line, why);
    if (!err) {
        smrf_sthld_reset(&g->sthld);
    }
    return err;
}

/* Who never waits needs no STHLD. */
static uint64_t interval_(const struct smrf_mechanism_setup *setup)
{
    const struct smrf_malekeh_params *o = setup->options;
    return o->allocation == SMRF_MALEKEH_NEAR_FAR ? o->sthld_interval : 0;
}

static bool edge_(void *state, void *const *sm, uint64_t cycle, uint64_t thread_insts,
                  uint64_t launches, uint64_t *row)
{
    struct smrf_malekeh_gpu *g = state;
    uint64_t value = g->sthld.value, number = g->sthld.state;
    bool evaluated = true;
    for (uint32_t i = 0; i < g->setup.gpu.sms; i++) {
        struct smrf_malekeh *m = sm[i];
        m->stats.faults_sthld += m->sthld != value;
    }
    if (g->options->sthld_mode == SMRF_MALEKEH_ADAPTIVE) {
        if (g->options->sthld_restart && launches != g->launches) {
            smrf_sthld_reset(&g->sthld);
            number = g->sthld.state;
        }
        evaluated = smrf_sthld_step(&g->sthld, thread_insts);
    }
    g->launches = launches;
    for (uint32_t i = 0; i < g->setup.gpu.sms; i++) {
        ((struct smrf_malekeh *)sm[i])->sthld = g->sthld.value;
    }
    row[0] = cycle;
    row[1] = thread_insts;
    row[2] = thread_insts * IPC_SCALE / g->options->sthld_interval;
    row[3] = value;
    row[4] = number;
    row[5] = g->sthld.large;
    return evaluated && thread_insts != 0;
}

static const struct smrf_series_column columns[] = {
    {"cycle", "core cycles", "at which the interval ended", 1},
    {"thread_instructions", "thread instructions", "issued by the GPU in the interval", 1},
    {"ipc", "thread instructions/cycle", "of the interval", IPC_SCALE},
    {"sthld", "cycles", "STHLD in the interval", 1},
    {"state", "", "of the machine in the interval", 1},
    {"large", "", "1 = IPC differed much from the interval before", 1},
};

const struct smrf_gpu_seam smrf_malekeh_gpu_seam = {
    .bytes = bytes_,
    .init = init_,
    .table = table_,
    .interval = interval_,
    .edge = edge_,
    .series = "sthld_walk",
    .columns = columns,
    .num_columns = sizeof columns / sizeof *columns,
};
