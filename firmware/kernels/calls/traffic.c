/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the traffic on a ring. */
#include "firmware/kernels/calls/calls.h"

#define SLOT_BYTES 32
#define MAX_VEHICLES 655360
#define APART 24 /* cells, at first and on the mean */
#define MAX_CELLS (MAX_VEHICLES * APART)
#define BLOCK 128

struct work {
    int32_t kind[MAX_VEHICLES], at[MAX_VEHICLES], speed[MAX_VEHICLES], got[MAX_VEHICLES];
    int32_t road[2][MAX_CELLS];
};

static const struct {
    int vehicles, sight, steps;
} sizes[SMRF_SIZES] = {{64, 96, 4}, {20480, 96, 2}, {655360, 96, 2}};

static int next_(int kind, int speed, int gap, int draw)
{
    int top = kind ? 3 : 6, room = kind ? (gap > 0 ? gap - 1 : 0) : gap;
    int v = speed < top ? speed + 1 : top;
    v = v < room ? v : room;
    return v > 0 && draw < (kind ? 96 : 48) ? v - 1 : v;
}

static void reference_(struct work *work, int count, int length, int sight, int time, int now)
{
    memset(work->road[!now], 0, sizeof(int32_t) * (size_t)length);
    for (int i = 0; i < count; i++) {
        int gap = 0;
        while (gap < sight && !work->road[now][(work->at[i] + gap + 1) % length]) {
            gap++;
        }
        uint32_t draw = ((uint32_t)i * 2654435761u + (uint32_t)time) * 2246822519u;
        work->speed[i] = next_(work->kind[i], work->speed[i], gap, (int)(draw >> 24));
        work->at[i] = (work->at[i] + work->speed[i]) % length;
        work->road[!now][work->at[i]] = 1;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].vehicles, sight = sizes[run->size].sight;
    int length = count * APART, slot_bytes = SLOT_BYTES;
    struct smrf_suite_rng rng = {34};
    for (int i = 0; i < count; i++) {
        work->kind[i] = i / 32 % 4 == 3; /* columns of trucks */
        work->at[i] = i * APART + (int)(smrf_suite_u32(&rng) % APART);
        work->road[0][work->at[i]] = 1;
    }
    smrf_dptr vehicles, slots, kinds, at, road[2];
    size_t bytes = sizeof(int32_t) * (size_t)count;
    SMRF_TRY(smrf_suite_buffer(run, &vehicles, NULL, sizeof(smrf_dptr) * (size_t)count));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * (size_t)count));
    SMRF_TRY(smrf_suite_buffer(run, &kinds, work->kind, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &at, work->at, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &road[0], NULL, bytes * APART));
    SMRF_TRY(smrf_suite_buffer(run, &road[1], NULL, bytes * APART));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "create", grid, block, &vehicles, &slots, &slot_bytes, &kinds,
                              &at, &road[0], &count));
    int now = 0;
    for (int time = 0; time < sizes[run->size].steps; time++, now = !now) {
        if (time) {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, "clear", smrf_work_grid(length, BLOCK), block,
                                      &road[!now], &length));
        }
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "step", grid, block, &vehicles, &road[now], &road[!now],
                                  &length, &sight, &time, &count));
        reference_(work, count, length, sight, time, now);
    }
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "places", grid, block, &vehicles, &at, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, at, bytes));
    return smrf_suite_check_i32(run, "place", work->got, work->at, (size_t)count);
}

static int run_traffic_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(traffic, "traffic", "traffic", "traffic on a ring, virtual functions",
                 "64 vehicles, 4 steps", "20480 vehicles, 2 steps", "655360 vehicles, 2 steps",
                 run_traffic_);
