/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the shared-memory bank conflicts: a launch for every stride from 1 to 32 words,
 * which is also the number of lanes that meet in a bank. */
#include "firmware/kernels/work.h"

#define WORDS 4096
#define THREADS 128
#define STRIDES 6
#define MAX_BLOCKS 64

struct work {
    int32_t got[MAX_BLOCKS * THREADS], want[MAX_BLOCKS * THREADS];
};

static const struct {
    int blocks, steps;
} sizes[SMRF_SIZES] = {{1, 32}, {8, 256}, {32, 1024}};

static void reference_(struct work *work, int blocks, int stride, int steps)
{
    for (int i = 0; i < blocks * THREADS; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < steps; k++) {
            int at = (i % THREADS * stride + k * (stride * THREADS + 1)) % WORDS;
            sum += (uint32_t)((at * 3 + i / THREADS) ^ k);
        }
        work->want[i] = (int32_t)sum;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int blocks = sizes[run->size].blocks, steps = sizes[run->size].steps;
    size_t count = (size_t)(blocks * THREADS);
    smrf_dptr out;
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, sizeof(int32_t) * count));
    for (int k = 0, stride = 1; k < STRIDES; k++, stride *= 2) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "shared_banks", smrf_work_dim(blocks, 1),
                                  smrf_work_dim(THREADS, 1), &out, &stride, &steps));
        SMRF_TRY(smrf_device_read(run->device, work->got, out, sizeof(int32_t) * count));
        reference_(work, blocks, stride, steps);
        SMRF_TRY(smrf_suite_check_i32(run, "sum", work->got, work->want, count));
    }
    return 0;
}

static int run_shared_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

const struct smrf_suite_program smrf_suite_shared_banks = {"shared-banks",
                                                           "micro",
                                                           "shared memory, 1 to 32 lanes a bank",
                                                           "shared-banks",
                                                           {"4 warps, 32 steps, 6 strides",
                                                            "32 warps, 256 steps, 6 strides",
                                                            "128 warps, 1024 steps, 6 strides"},
                                                           .run = run_shared_};
