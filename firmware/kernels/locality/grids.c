/* SPDX-License-Identifier: Apache-2.0 */
/* Grids and words of grids.cu on the host. Values are such, or sums in such an order, that kernel
 * and reference agree to the last bit. */
#include "firmware/kernels/host.h"

#include <math.h>

/* --- five points ------------------------------------------------------------------------------ */

static const int grid_sizes[SMRF_SIZES] = {30, 94, 124}, grid_planes[SMRF_SIZES] = {1, 10, 24};

/* Few bits: no sum of the stencil is rounded. */
static void fill_(struct smrf_suite_rng *rng, float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = (float)(smrf_suite_u32(rng) % 4096) / 256.0f;
    }
}

static int stencil_body_(struct smrf_host *host, bool columns)
{
    const int planes = grid_planes[host->run->size];
    int n = grid_sizes[host->run->size], one = 1, pitch = n + 2;
    const size_t count = (size_t)(planes * pitch * pitch);
    struct smrf_suite_rng rng = {5};
    float *in, *want, *got;
    smrf_dptr from, to;
    SMRF_HOST_GET(host, in, count);
    SMRF_HOST_GET(host, want, count);
    SMRF_HOST_GET(host, got, count);
    fill_(&rng, in, count);
    SMRF_TRY(smrf_suite_buffer(host->run, &from, in, count * sizeof *in));
    SMRF_TRY(smrf_suite_buffer(host->run, &to, want, count * sizeof *got)); /* zero around */
    const struct smrf_exec_dim block = {32, 8, 1};
    const struct smrf_exec_dim grid = {smrf_host_cover(n, 32), smrf_host_cover(n, 8),
                                       (uint32_t)planes};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, "stencil", grid, block, &from, &to, &n, &n,
                              columns ? &pitch : &one, columns ? &one : &pitch));
    SMRF_TRY(smrf_device_read(host->run->device, got, to, count * sizeof *got));
    for (int i = 0; i < planes * n * n; i++) {
        const int at = (i / (n * n) * pitch + i / n % n + 1) * pitch + i % n + 1;
        want[at] =
            0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - pitch] + in[at + pitch]);
    }
    return smrf_suite_check_f32(host->run, "grid", got, want, count, 0, 0);
}

/* --- a sweep in place ------------------------------------------------------------------------- */

static const int strips[SMRF_SIZES] = {2, 60, 120}, strip_rows[SMRF_SIZES] = {8, 48, 64};

static int sweep_body_(struct smrf_host *host)
{
    enum { WIDTH = 96, PITCH = WIDTH + 2 };
    const int num = strips[host->run->size];
    int rows = strip_rows[host->run->size];
    const size_t each = (size_t)((rows + 1) * PITCH), count = each * (size_t)num;
    struct smrf_suite_rng rng = {6};
    float *want, *got;
    smrf_dptr place;
    SMRF_HOST_GET(host, want, count);
    SMRF_HOST_GET(host, got, count);
    fill_(&rng, want, count);
    SMRF_TRY(smrf_suite_buffer(host->run, &place, want, count * sizeof *want));
    const struct smrf_exec_dim block = {WIDTH, 1, 1}, grid = {(uint32_t)num, 1, 1};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, "sweep", grid, block, &place, &rows));
    SMRF_TRY(smrf_device_read(host->run->device, got, place, count * sizeof *got));
    for (size_t s = 0; s < count; s += each) {
        for (int y = 1; y <= rows; y++) {
            for (int x = 1; x <= WIDTH; x++) {
                float *at = want + s + y * PITCH + x;
                *at = fmaf(0.25f, at[-PITCH - 1] + at[-PITCH + 1], *at);
            }
        }
    }
    return smrf_suite_check_f32(host->run, "strips", got, want, count, 0, 0);
}

/* --- stores between loads --------------------------------------------------------------------- */

enum store { STORE_OWN, STORE_SYNCED, STORE_RACING };
enum { THREADS = 128 };

static const int store_blocks[SMRF_SIZES] = {2, 60, 120}, store_rounds[SMRF_SIZES] = {6, 32, 64};

/* One block after the other, its threads side by side from barrier to barrier. */
static void store_reference_(enum store how, int32_t *words, const int32_t *all, int32_t *out,
                             int blocks, int rounds)
{
    for (int first = 0; first < blocks * THREADS; first += THREADS) {
        uint32_t sum[THREADS] = {0};
        for (int r = 0; r < rounds; r++) {
            int32_t before[THREADS];
            for (int t = 0; t < THREADS; t++) {
                before[t] = words[first + t];
            }
            for (int t = 0; t < THREADS; t++) {
                const int row = all[r * 32 + t % 32], other = first + (t + 32) % THREADS;
                *(how == STORE_OWN ? &words[first + t] : &words[other]) =
                    how == STORE_OWN ? before[t] + row : 5 * r + row + other;
            }
            for (int t = 0; t < THREADS; t++) {
                sum[t] = 3 * sum[t] + (uint32_t)(before[t] + words[first + t]);
            }
        }
        for (int t = 0; t < THREADS; t++) {
            out[first + t] = (int32_t)sum[t];
        }
    }
}

static int store_body_(struct smrf_host *host, enum store how)
{
    const char *const kernel = how == STORE_OWN ? "stores_own" : "stores_synced";
    const int blocks = store_blocks[host->run->size];
    int rounds = store_rounds[host->run->size];
    const size_t count = (size_t)(blocks * THREADS), rows = (size_t)rounds * 32;
    struct smrf_suite_rng rng = {7};
    int32_t *words, *all, *want, *got;
    smrf_dptr place, table, out;
    SMRF_HOST_GET(host, words, count);
    SMRF_HOST_GET(host, all, rows);
    SMRF_HOST_GET(host, want, count);
    SMRF_HOST_GET(host, got, count);
    for (size_t i = 0; i < count; i++) {
        words[i] = (int32_t)(smrf_suite_u32(&rng) % 1000);
    }
    for (size_t i = 0; i < rows; i++) {
        all[i] = (int32_t)(smrf_suite_u32(&rng) % 1000);
    }
    SMRF_TRY(smrf_suite_buffer(host->run, &place, words, count * sizeof *words));
    SMRF_TRY(smrf_suite_buffer(host->run, &table, all, rows * sizeof *all));
    SMRF_TRY(smrf_suite_buffer(host->run, &out, NULL, count * sizeof *got));
    const struct smrf_exec_dim block = {THREADS, 1, 1}, grid = {(uint32_t)blocks, 1, 1};
    SMRF_TRY(
        SMRF_HOST_LAUNCH(host->run, kernel, grid, block, &place, &place, &table, &out, &rounds));
    SMRF_TRY(smrf_device_read(host->run->device, got, out, count * sizeof *got));
    store_reference_(how, words, all, want, blocks, rounds);
    return smrf_suite_check_i32(host->run, "sums", got, want, count);
}

/* Words are -1 at first; some are set to their own number later. A load may see either value, but
 * the writer must see its own, and no one may see the first value after the second. */
static int race_body_(struct smrf_host *host)
{
    const int blocks = store_blocks[host->run->size];
    int rounds = store_rounds[host->run->size];
    const size_t words = (size_t)(blocks * rounds * 32),
                 count = (size_t)(blocks * THREADS * rounds * 2);
    int32_t *first, *want, *got;
    smrf_dptr place, out;
    SMRF_HOST_GET(host, first, words);
    SMRF_HOST_GET(host, want, count);
    SMRF_HOST_GET(host, got, count);
    for (size_t i = 0; i < words; i++) {
        first[i] = -1;
    }
    SMRF_TRY(smrf_suite_buffer(host->run, &place, first, words * sizeof *first));
    SMRF_TRY(smrf_suite_buffer(host->run, &out, NULL, count * sizeof *got));
    const struct smrf_exec_dim block = {THREADS, 1, 1}, grid = {(uint32_t)blocks, 1, 1};
    SMRF_TRY(
        SMRF_HOST_LAUNCH(host->run, "stores_racing", grid, block, &place, &place, &out, &rounds));
    SMRF_TRY(smrf_device_read(host->run->device, got, out, count * sizeof *got));
    for (size_t i = 0; i < count; i += 2) {
        const size_t round = i / 2 % (size_t)rounds, thread = i / 2 / (size_t)rounds;
        const size_t lane = thread % 32, warp = thread % THREADS / 32;
        const int32_t written = (int32_t)((thread / THREADS * (size_t)rounds + round) * 32 + lane);
        const bool ever = lane < THREADS / 32, own = lane == 7 && lane == warp;
        want[i] = ever && got[i] == written ? written : -1;
        want[i + 1] = own || want[i] == written || (ever && got[i + 1] == written) ? written : -1;
    }
    return smrf_suite_check_i32(host->run, "seen", got, want, count);
}

/* --- programs --------------------------------------------------------------------------------- */

#define RUN(NAME, BODY)                                                                            \
    static int run_##NAME(struct smrf_suite_run *run)                                              \
    {                                                                                              \
        struct smrf_host host = {run, NULL};                                                       \
        int rc = BODY;                                                                             \
        smrf_host_free(&host);                                                                     \
        return rc;                                                                                 \
    }
#define PROGRAM(NAME, BODY, SUMMARY, ...)                                                          \
    RUN(NAME, BODY)                                                                                \
    const struct smrf_suite_program smrf_##NAME = {#NAME,   "locality",    SUMMARY,                \
                                                   "grids", {__VA_ARGS__}, .run = run_##NAME}

PROGRAM(stencil_rows, stencil_body_(&host, false), "five-point stencil, a warp a row's part",
        "30 x 30", "10 x 94 x 94", "24 x 124 x 124");
PROGRAM(stencil_columns, stencil_body_(&host, true), "five-point stencil, a warp a column's part",
        "30 x 30", "10 x 94 x 94", "24 x 124 x 124");
PROGRAM(sweep, sweep_body_(&host), "strips changed in place row by row, a barrier a row",
        "2 x 8 x 96", "60 x 48 x 96", "120 x 64 x 96");
PROGRAM(stores_own, store_body_(&host, STORE_OWN),
        "words that their threads write between two loads", "2 x 128, 6 rounds",
        "60 x 128, 32 rounds", "120 x 128, 64 rounds");
PROGRAM(stores_synced, store_body_(&host, STORE_SYNCED),
        "words that other warps write between two loads and barriers", "2 x 128, 6 rounds",
        "60 x 128, 32 rounds", "120 x 128, 64 rounds");
PROGRAM(stores_racing, race_body_(&host), "words that other warps write while they are loaded",
        "2 x 128, 6 rounds", "60 x 128, 32 rounds", "120 x 128, 64 rounds");
