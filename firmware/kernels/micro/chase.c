/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the pointer chasing: one cycle through all links, in random order. */
#include "firmware/kernels/work.h"

#define LINK_BYTES 16
#define MAX_LINKS 65536
#define MAX_WALKERS 8192
#define BLOCK 128

struct work {
    int32_t order[MAX_LINKS], next[MAX_LINKS];
    int32_t last[MAX_WALKERS], sum[MAX_WALKERS], want_last[MAX_WALKERS], want_sum[MAX_WALKERS];
};

static const struct {
    int links, walkers, steps;
} sizes[SMRF_SIZES] = {{1024, 128, 256}, {16384, 2048, 1024}, {65536, 8192, 2560}};

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int links = sizes[run->size].links, walkers = sizes[run->size].walkers;
    int steps = sizes[run->size].steps, stride = links / walkers;
    struct smrf_suite_rng rng = {32};
    for (int i = 0; i < links; i++) { /* shuffle */
        int j = (int)(smrf_suite_u32(&rng) % (unsigned)(i + 1));
        work->order[i] = work->order[j];
        work->order[j] = i;
    }
    for (int i = 0; i < links; i++) {
        work->next[work->order[i]] = work->order[(i + 1) % links];
    }
    for (int i = 0; i < walkers; i++) {
        int32_t at = i * stride;
        for (int k = 0; k < steps; k++) {
            work->want_sum[i] += at;
            at = work->next[at];
        }
        work->want_last[i] = at;
    }
    smrf_dptr chain, next, last, sum;
    size_t bytes = sizeof(int32_t) * (size_t)walkers;
    SMRF_TRY(smrf_suite_buffer(run, &chain, NULL, LINK_BYTES * (size_t)links));
    SMRF_TRY(smrf_suite_buffer(run, &next, work->next, sizeof(int32_t) * (size_t)links));
    SMRF_TRY(smrf_suite_buffer(run, &last, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &sum, NULL, bytes));
    struct smrf_exec_dim block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "connect", smrf_work_grid(links, BLOCK), block, &chain, &next,
                              &links));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "chase", smrf_work_grid(walkers, BLOCK), block, &chain, &last,
                              &sum, &stride, &steps));
    SMRF_TRY(smrf_device_read(run->device, work->last, last, bytes));
    SMRF_TRY(smrf_device_read(run->device, work->sum, sum, bytes));
    SMRF_TRY(smrf_suite_check_i32(run, "last link", work->last, work->want_last, (size_t)walkers));
    return smrf_suite_check_i32(run, "sum", work->sum, work->want_sum, (size_t)walkers);
}

static int run_chase_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

const struct smrf_suite_program smrf_suite_chase = {"chase",
                                                    "micro",
                                                    "pointer chasing through one random cycle",
                                                    "chase",
                                                    {"4 warps, 256 steps in 16 KiB",
                                                     "64 warps, 1024 steps in 256 KiB",
                                                     "256 warps, 2560 steps in 1 MiB"},
                                                    .run = run_chase_};
