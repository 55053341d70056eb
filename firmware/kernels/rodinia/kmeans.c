/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define THREADS 256
#define MAX_CENTRES 1024 /* as in the kernel's constant memory */

static const struct {
    int points, features, clusters, iterations;
} sizes[SMRF_SIZES] = {{256, 8, 4, 3}, {8192, 16, 5, 6}, {32768, 34, 5, 8}};

struct clustering {
    int n, features, clusters;
    float *points; /* [n][features] */
    float *inverted, *got_inverted;
    float centres[MAX_CENTRES];
    int *membership, *want;
};

/* Points scattered around hidden middles; the first points are the first centres. */
static int prepare_(struct smrf_rodinia_host *host, struct clustering *c)
{
    struct smrf_suite_rng rng = {7};
    const size_t values = (size_t)c->n * (size_t)c->features;
    c->points = smrf_rodinia_take(host, values, sizeof(float));
    c->inverted = smrf_rodinia_take(host, values, sizeof(float));
    c->got_inverted = smrf_rodinia_take(host, values, sizeof(float));
    c->membership = smrf_rodinia_take(host, (size_t)c->n, sizeof(int));
    c->want = smrf_rodinia_take(host, (size_t)c->n, sizeof(int));
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int i = 0; i < c->n; i++) {
        const float middle = (float)(smrf_suite_u32(&rng) % (uint32_t)c->clusters);
        for (int j = 0; j < c->features; j++) {
            const float x = middle * (float)(1 + j % 3) + smrf_suite_f32(&rng, -1.5f, 1.5f);
            c->points[i * c->features + j] = x;
            c->inverted[j * c->n + i] = x;
        }
    }
    memcpy(c->centres, c->points, (size_t)(c->clusters * c->features) * sizeof(float));
    return 0;
}

static void assign_(struct clustering *c)
{
    for (int i = 0; i < c->n; i++) {
        float least = FLT_MAX;
        for (int k = 0; k < c->clusters; k++) {
            float distance = 0;
            for (int j = 0; j < c->features; j++) {
                const float d = c->points[i * c->features + j] - c->centres[k * c->features + j];
                distance = fmaf(d, d, distance);
            }
            if (distance < least) {
                least = distance;
                c->want[i] = k;
            }
        }
    }
}

static void move_centres_(struct clustering *c)
{
    for (int k = 0; k < c->clusters; k++) {
        int members = 0;
        for (int i = 0; i < c->n; i++) {
            members += c->membership[i] == k;
        }
        for (int j = 0; members > 0 && j < c->features; j++) {
            double sum = 0;
            for (int i = 0; i < c->n; i++) {
                if (c->membership[i] == k) {
                    sum += (double)c->points[i * c->features + j];
                }
            }
            c->centres[k * c->features + j] = (float)(sum / members);
        }
    }
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct clustering c = {.n = sizes[run->size].points,
                           .features = sizes[run->size].features,
                           .clusters = sizes[run->size].clusters};
    SMRF_TRY(prepare_(host, &c));
    const uint64_t n = (uint64_t)c.n, bytes = n * (uint64_t)c.features * sizeof(float);
    smrf_dptr d_points, d_features, d_membership;
    SMRF_TRY(smrf_suite_buffer(run, &d_points, c.points, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_features, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_membership, NULL, n * sizeof(int)));
    const struct smrf_exec_dim grid = smrf_rodinia_dim(smrf_rodinia_blocks(n, THREADS), 1);
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1);
    SMRF_RODINIA_LAUNCH(run, "invert_mapping", grid, block, &d_points, &d_features, &c.n,
                        &c.features);
    SMRF_TRY(smrf_device_read(run->device, c.got_inverted, d_features, bytes));
    SMRF_TRY(smrf_suite_check_f32(run, "feature", c.got_inverted, c.inverted,
                                  (size_t)(bytes / sizeof(float)), 0, 0));
    for (int i = 0; i < sizes[run->size].iterations; i++) {
        SMRF_TRY(smrf_device_symbol_write(run->module, "centres", c.centres,
                                          (uint64_t)(c.clusters * c.features) * sizeof(float), 0));
        SMRF_RODINIA_LAUNCH(run, "assign_points", grid, block, &d_features, &c.features, &c.n,
                            &c.clusters, &d_membership);
        SMRF_TRY(smrf_device_read(run->device, c.membership, d_membership, n * sizeof(int)));
        assign_(&c);
        SMRF_TRY(smrf_suite_check_i32(run, "membership", c.membership, c.want, (size_t)c.n));
        move_centres_(&c);
    }
    return 0;
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_kmeans = {
    .name = "kmeans",
    .group = "rodinia",
    .summary = "k-means clustering: points laid out by features, assigned to the nearest centre",
    .sass = "kmeans",
    .size_text = {"256 points, 8 features, 4 clusters, 3 iterations",
                  "8192 points, 16 features, 5 clusters, 6 iterations",
                  "32768 points, 34 features, 5 clusters, 8 iterations"},
    .run = run_,
};
