/* SPDX-License-Identifier: Apache-2.0 */
/* Words of meets.cu on the host: what each thread saw of a word before and after it was written. */
#include "firmware/kernels/host.h"

enum how { OWN, AHEAD, SYNCED, ATOMIC, LANES, REMOTE };

static const int num_blocks[SMRF_SIZES] = {3, 40, 120}, num_rounds[SMRF_SIZES] = {8, 32, 64};
static const int own_blocks[SMRF_SIZES] = {3, 160, 480}; /* of one warp, not four */

/* The word of a lane after its round. */
static int32_t written_(enum how how, int32_t before, int warps, int r, int lane)
{
    switch (how) {
    case OWN:
    case AHEAD:
        return 3 * before + r;
    case SYNCED:
        return 5 * r + lane;
    case ATOMIC:
    case LANES:
    case REMOTE:
        break;
    }
    return before + warps * (warps + 1) / 2 + warps * r;
}

static int body_(struct smrf_host *host, enum how how)
{
    static const char *const kernels[] = {"meets_own", "meets_ahead", "meets_synced",
                                          "meets_atomic", "meets_lanes"};
    const bool own = how == OWN || how == AHEAD;
    const int warps = own ? 1 : 4, apart = how == AHEAD ? 4 : 1;
    const int blocks = own ? own_blocks[host->run->size] : num_blocks[host->run->size];
    int rounds = num_rounds[host->run->size];
    const int words = blocks * rounds * 32 * apart, threads = blocks * warps * 32;
    const size_t count = (size_t)(threads * rounds) * 2;
    struct smrf_suite_rng rng = {8};
    int32_t *word, *got, *want;
    smrf_dptr from, to;
    SMRF_HOST_GET(host, word, (size_t)words);
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    for (int i = 0; i < words; i++) {
        word[i] = (int32_t)(smrf_suite_u32(&rng) % 1000);
    }
    SMRF_TRY(smrf_suite_buffer(host->run, &from, word, (uint64_t)words * sizeof *word));
    SMRF_TRY(smrf_suite_buffer(host->run, &to, got, count * sizeof *got));
    const struct smrf_exec_dim block = {(uint32_t)warps * 32, 1, 1},
                               grid = {(uint32_t)blocks, 1, 1};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, kernels[how], grid, block, &from, &from, &to, &rounds));
    SMRF_TRY(smrf_device_read(host->run->device, got, to, count * sizeof *got));
    for (int t = 0; t < threads; t++) {
        for (int r = 0; r < rounds; r++) {
            const int row = t / (warps * 32) * rounds + r, lane = t % 32;
            int32_t *saw = want + (t * rounds + r) * 2;
            const int32_t at = word[(row * 32 + lane) * apart];
            saw[0] = how == LANES && lane >= 16 ? 100 * t : at;
            saw[1] = how != LANES ? written_(how, at, warps, r, lane) : lane % 2 ? 3 * at + t : at;
        }
    }
    return smrf_suite_check_i32(host->run, "before and after", got, want, count);
}

static const int num_pairs[SMRF_SIZES] = {4, 320, 480};

/* Blocks in pairs, which are there together. */
static int remote_(struct smrf_host *host)
{
    enum { WARPS = 4 };
    const int blocks = 2 * num_pairs[host->run->size], words = blocks / 2 * WARPS * 32;
    struct smrf_suite_rng rng = {9};
    int32_t *word, *got, *want;
    smrf_dptr from, to, flags;
    SMRF_HOST_GET(host, word, (size_t)words);
    SMRF_HOST_GET(host, got, (size_t)words * 2);
    SMRF_HOST_GET(host, want, (size_t)words * 2);
    for (int i = 0; i < words; i++) {
        word[i] = (int32_t)(smrf_suite_u32(&rng) % 1000) - 1000;
        want[2 * i] = word[i];
        want[2 * i + 1] = 7 * (i / 32) + i % 32;
    }
    SMRF_TRY(smrf_suite_buffer(host->run, &from, word, (uint64_t)words * sizeof *word));
    SMRF_TRY(smrf_suite_buffer(host->run, &to, got, (uint64_t)words * 2 * sizeof *got));
    SMRF_TRY(smrf_suite_buffer(host->run, &flags, got, (uint64_t)words / 16 * sizeof *got));
    const struct smrf_exec_dim block = {WARPS * 32, 1, 1}, grid = {(uint32_t)blocks, 1, 1};
    smrf_device_together(host->run->device, true);
    int rc = SMRF_HOST_LAUNCH(host->run, "meets_remote", grid, block, &from, &from, &to, &flags);
    smrf_device_together(host->run->device, false);
    SMRF_TRY(rc);
    SMRF_TRY(smrf_device_read(host->run->device, got, to, (uint64_t)words * 2 * sizeof *got));
    return smrf_suite_check_i32(host->run, "before and after", got, want, (size_t)words * 2);
}

static int perform_(struct smrf_suite_run *run, enum how how)
{
    struct smrf_host host = {run, NULL};
    int rc = how == REMOTE ? remote_(&host) : body_(&host, how);
    smrf_host_free(&host);
    return rc;
}

#define ROUNDS "3 blocks, 8 rounds", "40 blocks, 32 rounds", "120 blocks, 64 rounds"
#define PROGRAM(NAME, HOW, WHAT, ...)                                                              \
    static int run_##NAME(struct smrf_suite_run *run)                                              \
    {                                                                                              \
        return perform_(run, HOW);                                                                 \
    }                                                                                              \
    const struct smrf_suite_program smrf_##NAME = {                                                \
        #NAME,   "locality",    "words written " WHAT " while a register holds them",              \
        "meets", {__VA_ARGS__}, .run = run_##NAME}

#define OWN_ROUNDS "3 blocks, 8 rounds", "160 blocks, 32 rounds", "480 blocks, 64 rounds"
PROGRAM(meets_own, OWN, "by their own warp", OWN_ROUNDS);
PROGRAM(meets_ahead, AHEAD, "by a wide store of their own warp", OWN_ROUNDS);
PROGRAM(meets_synced, SYNCED, "by another warp", ROUNDS);
PROGRAM(meets_atomic, ATOMIC, "by atomics", ROUNDS);
PROGRAM(meets_lanes, LANES, "in half of the lanes", ROUNDS);
PROGRAM(meets_remote, REMOTE, "by another block", "4 pairs of blocks", "320 pairs of blocks",
        "480 pairs of blocks");
