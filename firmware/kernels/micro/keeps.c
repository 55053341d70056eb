/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the calls that keep a register of the caller's in half of the lanes. */
#include "firmware/kernels/work.h"

#define BLOCK 64
#define MOST 262144
#define TIMES 2

struct work {
    int32_t in[4 * MOST], got[MOST], want[MOST];
};

static const int sizes[SMRF_SIZES] = {128, 65536, MOST};

static uint32_t stirred_(uint32_t value, int times)
{
    for (int i = 0; i < times; i++) {
        value = value * 5 + 1;
    }
    return value;
}

static uint32_t result_(const int32_t *in, int i, int count)
{
    uint32_t sum = stirred_((uint32_t)in[i], TIMES + 1);
    if (i % 2 != 0) {
        sum += stirred_((uint32_t)i, TIMES);
    }
    for (int k = 0; k < 4; k++) {
        sum += (uint32_t)in[i + k * count] * (uint32_t)(2 * k + 3);
    }
    return sum;
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    struct smrf_suite_rng rng = {35};
    int count = sizes[run->size], times = TIMES;
    const size_t bytes = (size_t)count * sizeof *work->got;
    for (int i = 0; i < 4 * count; i++) {
        work->in[i] = (int32_t)(smrf_suite_u32(&rng) % 1000);
    }
    for (int i = 0; i < count; i++) {
        work->want[i] = (int32_t)result_(work->in, i, count);
    }
    smrf_dptr in, out;
    SMRF_TRY(smrf_suite_buffer(run, &in, work->in, 4 * bytes));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "keeps", smrf_work_grid(count, BLOCK), smrf_work_dim(BLOCK, 1),
                              &in, &out, &times, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    return smrf_suite_check_i32(run, "out", work->got, work->want, (size_t)count);
}

static int run_keeps_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

const struct smrf_suite_program smrf_suite_keeps = {
    "keeps",
    "micro",
    "calls that write a saved register in half of the lanes and read it in all",
    "keeps",
    {"4 warps", "2048 warps", "8192 warps"},
    .run = run_keeps_};
