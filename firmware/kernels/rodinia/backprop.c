/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>

#define HIDDEN 16 /* units of the hidden layer, and inputs of a block */
#define RATE 0.3f
#define MOMENTUM 0.3f

static const int inputs[SMRF_SIZES] = {256, 8192, 81920};

struct layers {
    int n;
    float *input;   /* [n + 1], the bias unit first */
    float *weights; /* [n + 1][HIDDEN + 1], column 0 unused */
    float *changes; /* of the weights in the step before, same shape */
    float *sums;    /* [n / HIDDEN][HIDDEN] */
    float *got;
    float hidden[HIDDEN + 1], delta[HIDDEN + 1];
};

static size_t num_weights_(const struct layers *l)
{
    return (size_t)(l->n + 1) * (HIDDEN + 1);
}

/* A block's sums by halves, in the kernel's order. */
static void forward_(const struct layers *l, float *sums)
{
    for (int block = 0; block < l->n / HIDDEN; block++) {
        for (int h = 0; h < HIDDEN; h++) {
            float product[HIDDEN];
            for (int i = 0; i < HIDDEN; i++) {
                const int unit = block * HIDDEN + i + 1;
                product[i] = l->weights[unit * (HIDDEN + 1) + h + 1] * l->input[unit];
            }
            for (int half = 1; half < HIDDEN; half *= 2) {
                for (int i = 0; i < HIDDEN; i += 2 * half) {
                    product[i] += product[i + half];
                }
            }
            sums[block * HIDDEN + h] = product[0];
        }
    }
}

/* The host's part between the kernels: hidden units, one output unit, the error sent back. */
static void hidden_layer_(struct layers *l, const float *output_weights)
{
    float output = output_weights[0];
    for (int h = 1; h <= HIDDEN; h++) {
        float sum = l->weights[h];
        for (int block = 0; block < l->n / HIDDEN; block++) {
            sum += l->sums[block * HIDDEN + h - 1];
        }
        l->hidden[h] = 1.0f / (1.0f + expf(-sum));
        output += output_weights[h] * l->hidden[h];
    }
    output = 1.0f / (1.0f + expf(-output));
    const float error = output * (1.0f - output) * (0.1f - output);
    for (int h = 1; h <= HIDDEN; h++) {
        l->delta[h] = l->hidden[h] * (1.0f - l->hidden[h]) * error * output_weights[h];
    }
}

static void adjust_(struct layers *l)
{
    for (int unit = 0; unit <= l->n; unit++) {
        for (int h = 1; h <= HIDDEN; h++) {
            const int i = unit * (HIDDEN + 1) + h;
            const float input = unit == 0 ? 1.0f : l->input[unit];
            l->changes[i] = RATE * l->delta[h] * input + MOMENTUM * l->changes[i];
            l->weights[i] += l->changes[i];
        }
    }
}

static int prepare_(struct smrf_rodinia_host *host, struct layers *l, float *output_weights)
{
    struct smrf_suite_rng rng = {3};
    l->input = smrf_rodinia_take(host, (size_t)l->n + 1, sizeof *l->input);
    l->weights = smrf_rodinia_take(host, num_weights_(l), sizeof *l->weights);
    l->changes = smrf_rodinia_take(host, num_weights_(l), sizeof *l->changes);
    l->sums = smrf_rodinia_take(host, (size_t)l->n, sizeof *l->sums);
    l->got = smrf_rodinia_take(host, num_weights_(l), sizeof *l->got);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    /* small enough that the hidden units do not saturate, however many inputs there are */
    const float range = 4.0f / sqrtf((float)l->n);
    smrf_rodinia_fill(&rng, l->input, (size_t)l->n + 1, 0.0f, 1.0f);
    smrf_rodinia_fill(&rng, l->weights, num_weights_(l), -range, range);
    smrf_rodinia_fill(&rng, l->changes, num_weights_(l), -range / 8, range / 8);
    smrf_rodinia_fill(&rng, output_weights, HIDDEN + 1, -1.0f, 1.0f);
    return 0;
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct layers l = {.n = inputs[run->size]};
    float output_weights[HIDDEN + 1], rate = RATE, momentum = MOMENTUM;
    SMRF_TRY(prepare_(host, &l, output_weights));
    const uint64_t weight_bytes = num_weights_(&l) * sizeof(float);
    const uint64_t sum_bytes = (uint64_t)l.n * sizeof(float);
    smrf_dptr d_input, d_weights, d_changes, d_sums, d_delta;
    SMRF_TRY(smrf_suite_buffer(run, &d_input, l.input, sum_bytes + sizeof(float)));
    SMRF_TRY(smrf_suite_buffer(run, &d_weights, l.weights, weight_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_changes, l.changes, weight_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_sums, NULL, sum_bytes));
    const struct smrf_exec_dim grid = smrf_rodinia_dim(1, (uint32_t)(l.n / HIDDEN));
    const struct smrf_exec_dim block = smrf_rodinia_dim(HIDDEN, HIDDEN);
    SMRF_RODINIA_LAUNCH(run, "layer_forward", grid, block, &d_input, &d_weights, &d_sums);
    SMRF_TRY(smrf_device_read(run->device, l.got, d_sums, sum_bytes));
    forward_(&l, l.sums);
    SMRF_TRY(smrf_suite_check_f32(run, "partial sum", l.got, l.sums, (size_t)l.n, 0, 0));
    hidden_layer_(&l, output_weights);
    SMRF_TRY(smrf_suite_buffer(run, &d_delta, l.delta, sizeof l.delta));
    SMRF_RODINIA_LAUNCH(run, "adjust_weights", grid, block, &d_delta, &d_input, &d_weights,
                        &d_changes, &rate, &momentum);
    adjust_(&l);
    SMRF_TRY(smrf_device_read(run->device, l.got, d_weights, weight_bytes));
    SMRF_TRY(smrf_suite_check_f32(run, "weight", l.got, l.weights, num_weights_(&l), 1e-8, 2e-7));
    SMRF_TRY(smrf_device_read(run->device, l.got, d_changes, weight_bytes));
    return smrf_suite_check_f32(run, "change", l.got, l.changes, num_weights_(&l), 4e-9, 2e-7);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_backprop = {
    .name = "backprop",
    .group = "rodinia",
    .summary = "training step of a perceptron: forward sums by blocks, weights adjusted",
    .sass = "backprop",
    .size_text = {"256 inputs, 16 hidden units", "8192 inputs, 16 hidden units",
                  "81920 inputs, 16 hidden units"},
    .run = run_,
};
