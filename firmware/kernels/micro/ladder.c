/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the divergence ladders. Arithmetic wraps around, so it is unsigned here. */
#include "firmware/kernels/work.h"

#define TABLE 256
#define MAX_THREADS 16384
#define BLOCK 128

struct work {
    int32_t table[TABLE], got[MAX_THREADS], want[MAX_THREADS];
};

static const struct {
    int threads, rounds, shortest, step;
} sizes[SMRF_SIZES] = {{128, 16, 4, 2}, {2048, 32, 8, 3}, {12288, 64, 16, 4}};

static uint32_t entry_(const struct work *work, uint32_t x)
{
    return (uint32_t)work->table[x & 255];
}

static uint32_t rung_(const struct work *work, uint32_t lane, uint32_t x, uint32_t bit)
{
    return lane >> bit & 1 ? entry_(work, x) + bit : x * 5 - bit;
}

/* x shifted right as a signed number. */
static uint32_t right_(uint32_t x, unsigned places)
{
    return x >> places | (x >> 31 ? ~(~UINT32_C(0) >> places) : 0);
}

static uint32_t climb_(const struct work *work, uint32_t lane, uint32_t x, uint32_t r)
{
    if (!(lane & 1)) {
        return rung_(work, lane, x, 1) - r;
    }
    x = entry_(work, x) + 1;
    if (!(lane & 2)) {
        return rung_(work, lane, x, 2) + 2 * r;
    }
    x ^= entry_(work, x) << 1;
    if (!(lane & 4)) {
        return rung_(work, lane, x, 3) ^ r;
    }
    x += entry_(work, right_(x, 3));
    if (!(lane & 8)) {
        return rung_(work, lane, x + r, 4);
    }
    x -= entry_(work, right_(x, 5)) * 3;
    return lane & 16 ? x * 7 + r : rung_(work, lane, x, 3);
}

static uint32_t circle_(const struct work *work, uint32_t x, uint32_t rounds)
{
    for (uint32_t r = 0; r < rounds; r++) {
        x = x * 3 + entry_(work, x ^ r);
        if ((x & 1023) == 7) {
            break;
        }
        if (!(x & 1)) {
            x ^= entry_(work, right_(x, 1));
        }
    }
    return x;
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int threads = sizes[run->size].threads, rounds = sizes[run->size].rounds;
    int shortest = sizes[run->size].shortest, step = sizes[run->size].step;
    struct smrf_suite_rng rng = {33};
    for (int i = 0; i < TABLE; i++) {
        work->table[i] = (int32_t)smrf_suite_u32(&rng);
    }
    size_t bytes = sizeof(int32_t) * (size_t)threads;
    struct smrf_exec_dim grid = smrf_work_grid(threads, BLOCK), block = smrf_work_dim(BLOCK, 1);
    smrf_dptr table, out;
    SMRF_TRY(smrf_suite_buffer(run, &table, work->table, sizeof work->table));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "ladder", grid, block, &out, &table, &rounds));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    for (uint32_t i = 0; i < (uint32_t)threads; i++) {
        uint32_t x = i;
        for (uint32_t r = 0; r < (uint32_t)rounds; r++) {
            x = climb_(work, i & 31, x, r);
        }
        work->want[i] = (int32_t)x;
    }
    SMRF_TRY(smrf_suite_check_i32(run, "ladder", work->got, work->want, (size_t)threads));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "trips", grid, block, &out, &table, &shortest, &step));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    for (uint32_t i = 0; i < (uint32_t)threads; i++) {
        work->want[i] = (int32_t)circle_(work, i, (uint32_t)(shortest + (int)(i & 31) * step));
    }
    return smrf_suite_check_i32(run, "trips", work->got, work->want, (size_t)threads);
}

static int run_ladder_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

const struct smrf_suite_program smrf_suite_ladder = {
    "ladder",
    "micro",
    "divergence: nested branches, loops left one lane after the other",
    "ladder",
    {"4 warps, 16 rounds", "64 warps, 32 rounds", "384 warps, 64 rounds"},
    .run = run_ladder_};
