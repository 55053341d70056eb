/* SPDX-License-Identifier: Apache-2.0 */
#include "interval.h"

#include "models/common/smrf_zeroed.h"

#include <string.h>

int smrf_interval_init(struct smrf_interval *i, const struct smrf_config *cfg,
                       const struct smrf_mechanism *mechanism, struct smrf_sm **sm, void **state)
{
    const struct smrf_gpu_seam *seam = mechanism->gpu;
    memset(i, 0, sizeof *i);
    i->cfg = cfg;
    i->seam = seam;
    i->sm = sm;
    i->state = state;
    i->next = SMRF_NEVER;
    if (!seam) {
        return SMRF_OK;
    }
    i->setup = smrf_mechanism_setup_of(cfg, mechanism);
    i->gpu_state = smrf_zeroed(seam->bytes(&i->setup));
    if (!i->gpu_state) {
        return SMRF_ERR_NOMEM;
    }
    i->length = seam->interval ? seam->interval(&i->setup) : 0;
    return smrf_interval_reset(i);
}

int smrf_interval_reset(struct smrf_interval *i)
{
    i->next = i->length ? i->length : SMRF_NEVER;
    i->thread_insts = 0;
    i->launches = 0;
    if (!i->seam) {
        return SMRF_OK;
    }
    memset(i->gpu_state, 0, i->seam->bytes(&i->setup));
    return i->seam->init(i->gpu_state, &i->setup);
}

void smrf_interval_free(struct smrf_interval *i)
{
    smrf_zeroed_free(i->gpu_state);
    i->gpu_state = NULL;
}

static uint64_t issued_(const struct smrf_interval *i)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < i->cfg->gpu.sms; s++) {
        sum += smrf_sm_stats_get(i->sm[s])->thread_insts;
    }
    return sum;
}

bool smrf_interval_pass(struct smrf_interval *i, uint64_t cycle)
{
    const bool any = i->next <= cycle;
    while (i->next <= cycle) {
        uint64_t row[SMRF_SERIES_COLUMNS];
        uint64_t now = issued_(i);
        bool keep =
            i->seam->edge(i->gpu_state, i->state, i->next, now - i->thread_insts, i->launches, row);
        if (keep && i->row) {
            i->row(i->row_ctx, row);
        }
        i->thread_insts = now;
        i->next += i->length;
    }
    return any;
}

static struct smrf_gpu_launch launch_(const struct smrf_interval *i, const struct smrf_gpu *gpu)
{
    const struct smrf_kernel_info *info = &gpu->kernel.info;
    return (struct smrf_gpu_launch){
        .name = info->name,
        .number = i->launches,
        .grid = {info->grid.x, info->grid.y, info->grid.z},
        .block = {info->block.x, info->block.y, info->block.z},
        .kernel = &gpu->launch,
        .start = gpu->kernel.start,
    };
}

void smrf_interval_kernel_begin(struct smrf_interval *i, const struct smrf_gpu *gpu, uint64_t cycle)
{
    i->launches++;
    if (i->seam && i->seam->kernel_begin) {
        const struct smrf_gpu_launch launch = launch_(i, gpu);
        i->seam->kernel_begin(i->gpu_state, i->state, &launch, cycle);
    }
}

void smrf_interval_kernel_end(struct smrf_interval *i, const struct smrf_gpu *gpu, uint64_t cycle)
{
    if (i->seam && i->seam->kernel_end) {
        const struct smrf_gpu_launch launch = launch_(i, gpu);
        i->seam->kernel_end(i->gpu_state, i->state, &launch, cycle);
    }
}
