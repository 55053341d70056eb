/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>

#define THREADS 256
#define NEAREST 5

static const int places[SMRF_SIZES] = {16000, 250000, 2500000};

struct place {
    float latitude, longitude;
};

/* The nearest places, by repeated passes: the next is the first of those that are not nearer. */
static void nearest_(const float *distance, int n, int found[NEAREST])
{
    for (int k = 0; k < NEAREST; k++) {
        int best = -1;
        for (int i = 0; i < n; i++) {
            bool taken = false;
            for (int j = 0; j < k; j++) {
                taken = taken || found[j] == i;
            }
            if (!taken && (best < 0 || distance[i] < distance[best])) {
                best = i;
            }
        }
        found[k] = best;
    }
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {10};
    int n = places[run->size];
    const size_t count = (size_t)n;
    float latitude = 30.0f, longitude = 90.0f;
    struct place *place = smrf_rodinia_take(host, count, sizeof *place);
    float *got = smrf_rodinia_take(host, count, sizeof *got);
    float *want = smrf_rodinia_take(host, count, sizeof *want);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int i = 0; i < n; i++) {
        place[i].latitude = smrf_suite_f32(&rng, 7.0f, 70.0f);
        place[i].longitude = smrf_suite_f32(&rng, 0.0f, 358.0f);
        const float x = latitude - place[i].latitude, y = longitude - place[i].longitude;
        want[i] = sqrtf(fmaf(x, x, y * y));
    }
    smrf_dptr d_places, d_distance;
    SMRF_TRY(smrf_suite_buffer(run, &d_places, place, count * sizeof *place));
    SMRF_TRY(smrf_suite_buffer(run, &d_distance, NULL, count * sizeof *got));
    /* a second grid dimension where one is not enough, as for cards of old */
    const uint32_t blocks = smrf_rodinia_blocks(count, THREADS), rows = blocks / 4096 + 1;
    SMRF_RODINIA_LAUNCH(run, "distances", smrf_rodinia_dim(smrf_rodinia_blocks(blocks, rows), rows),
                        smrf_rodinia_dim(THREADS, 1), &d_places, &d_distance, &n, &latitude,
                        &longitude);
    SMRF_TRY(smrf_device_read(run->device, got, d_distance, count * sizeof *got));
    SMRF_TRY(smrf_suite_check_f32(run, "distance", got, want, count, 0, 0));
    int found[NEAREST], truth[NEAREST];
    nearest_(got, n, found);
    nearest_(want, n, truth);
    for (int k = 0; k < NEAREST; k++) { /* places as far as each other may change seats */
        SMRF_TRY(smrf_suite_check_f32(run, "nearest", &want[found[k]], &want[truth[k]], 1, 0, 0));
    }
    return 0;
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_nn = {
    .name = "nn",
    .group = "rodinia",
    .summary = "nearest neighbours: distances of all records to a place",
    .sass = "nn",
    .size_text = {"16000 records", "250000 records", "2500000 records"},
    .run = run_,
};
