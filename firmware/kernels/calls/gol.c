/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the game of life. */
#include "firmware/kernels/calls/calls.h"

#define SLOT_BYTES 32
#define MAX_CELLS (1024 * 640)
#define BLOCK 128

struct work {
    int32_t kind[MAX_CELLS], cell[2][MAX_CELLS], age[MAX_CELLS];
    int32_t got[MAX_CELLS], got_age[MAX_CELLS];
};

static const struct {
    int width, height, generations;
} sizes[SMRF_SIZES] = {{24, 16, 8}, {256, 160, 3}, {1024, 640, 3}};

static void reference_(struct work *work, int width, int height, int now)
{
    static const int born[] = {1 << 3, 1 << 3 | 1 << 6, 1 << 2};
    static const int stay[] = {1 << 2 | 1 << 3, 1 << 2 | 1 << 3, 0};
    for (int i = 0; i < width * height; i++) {
        int sum = -work->cell[now][i];
        for (int dy = height - 1; dy <= height + 1; dy++) {
            for (int dx = width - 1; dx <= width + 1; dx++) {
                int x = (i % width + dx) % width, y = (i / width + dy) % height;
                sum += work->cell[now][y * width + x];
            }
        }
        int alive = work->cell[now][i];
        int then = (alive ? stay : born)[work->kind[i]] >> sum & 1;
        work->cell[!now][i] = then;
        work->age[i] = then == alive ? work->age[i] + 1 : 0;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int width = sizes[run->size].width, height = sizes[run->size].height;
    int count = width * height, slot_bytes = SLOT_BYTES;
    struct smrf_suite_rng rng = {14};
    for (int i = 0; i < count; i++) {
        work->kind[i] = i % width / 8 % 4 % 3; /* stripes: a warp meets more than one kind */
        work->cell[0][i] = smrf_suite_u32(&rng) % 3 == 0;
    }
    size_t bytes = sizeof(int32_t) * (size_t)count;
    smrf_dptr agents, slots, kinds, cell[2], age;
    SMRF_TRY(smrf_suite_buffer(run, &agents, NULL, sizeof(smrf_dptr) * (size_t)count));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * (size_t)count));
    SMRF_TRY(smrf_suite_buffer(run, &kinds, work->kind, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &cell[0], work->cell[0], bytes));
    SMRF_TRY(smrf_suite_buffer(run, &cell[1], NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &age, NULL, bytes));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(
        SMRF_HOST_LAUNCH(run, "create", grid, block, &agents, &slots, &slot_bytes, &kinds, &count));
    int now = 0;
    for (int i = 0; i < sizes[run->size].generations; i++, now = !now) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "generation", grid, block, &agents, &cell[now], &cell[!now],
                                  &width, &height));
        reference_(work, width, height, now);
    }
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "ages", grid, block, &agents, &age, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, cell[now], bytes));
    SMRF_TRY(smrf_device_read(run->device, work->got_age, age, bytes));
    SMRF_TRY(smrf_suite_check_i32(run, "cell", work->got, work->cell[now], (size_t)count));
    return smrf_suite_check_i32(run, "age", work->got_age, work->age, (size_t)count);
}

static int run_gol_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_PAIR(gol, "gol", "game of life, three rules as virtual functions",
               "24 x 16, 8 generations", "256 x 160, 3 generations", "1024 x 640, 3 generations",
               run_gol_);
/* Its functions call none, so that no module can know more of them. */
SMRF_WORK_BUILD(gol_modules, "gol-modules", "gol",
                "game of life, three rules as virtual functions, a function a module",
                "24 x 16, 8 generations", "256 x 160, 3 generations", "1024 x 640, 3 generations",
                run_gol_);
