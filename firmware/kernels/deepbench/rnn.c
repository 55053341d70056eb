/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers after DeepBench (half precision, input as wide as the state), scaled down. The
 * input's products of all steps are one GEMM; each step multiplies the state and applies the gates;
 * training goes back through the steps and sums the weights' gradients. States and gates are
 * halves, sums are floats. The kernels may round a sum to the neighbouring half, which the steps
 * carry on: the tolerance is some units in the last place of a half near 1 (2^-11). */
#include "rnn.h"

#include <math.h>

/* Products by how their matrices lie, each with the biggest tile first. */
static const struct gemm_kernel tn[] = {
    {"gemm_f32_tn", {SMRF_TILE_128X128}, true, true},
    {"gemm_f32_tn_64x32", {SMRF_TILE_64X32}, true, true},
    {"gemm_f32_tn_32x32", {SMRF_TILE_32X32}, true, true},
};
static const struct gemm_kernel nn[] = {
    {"gemm_f32_nn_64x32", {SMRF_TILE_64X32}, false, true},
    {"gemm_f32_nn_32x32", {SMRF_TILE_32X32}, false, true},
};
static const struct gemm_kernel nt[] = {
    {"gemm_f32_nt", {SMRF_TILE_128X128}, false, false},
    {"gemm_f32_nt_64x32", {SMRF_TILE_64X32}, false, false},
};
static const struct gemm_kernel skinny = {"gemm_f32_tn_skinny", {SMRF_TILE_128X8}, true, true};

#define FITTING(kernels, m, n) fitting(kernels, (int)(sizeof(kernels) / sizeof *(kernels)), m, n)

static const struct gemm_kernel *fitting(const struct gemm_kernel *kernels, int count, int m, int n)
{
    const struct smrf_tile *tiles[3];
    for (int i = 0; i < count; i++) {
        tiles[i] = &kernels[i].tile;
    }
    return &kernels[smrf_tile_pick(tiles, count, m, n)];
}

/* Weights times `columns` states: at most 8 of them are a matrix by a handful of vectors. */
static const struct gemm_kernel *by_weights_(int m, int columns)
{
    return columns <= 8 ? &skinny : FITTING(tn, m, columns);
}

/* Half number `index` of a tensor on the device. */
static smrf_dptr at_(const struct tensor *t, int index)
{
    return t->device + (smrf_dptr)index * 2;
}

static smrf_dptr float_at_(smrf_dptr from, int index)
{
    return from + (smrf_dptr)index * 4;
}

static int prepare_(struct smrf_host *host, struct rnn *w)
{
    const size_t cells = (size_t)(w->hidden * w->batch), steps = (size_t)w->steps;
    const size_t width = (size_t)(w->gates * w->hidden);
    const float scale = 1.0f / sqrtf((float)w->hidden);
    struct smrf_suite_rng rng = {11};
    SMRF_TRY(smrf_tensor_random(host, &w->x, steps * cells, &rng, 1.0f));
    SMRF_TRY(smrf_tensor_random(host, &w->input_weights, width * (size_t)w->hidden, &rng, scale));
    SMRF_TRY(smrf_tensor_random(host, &w->hidden_weights, width * (size_t)w->hidden, &rng, scale));
    SMRF_TRY(smrf_tensor_zero(host, &w->h, (steps + 1) * cells));
    SMRF_TRY(smrf_tensor_zero(host, &w->from_input, steps * (size_t)w->batch * width));
    SMRF_TRY(smrf_tensor_zero(host, &w->from_hidden, (size_t)w->batch * width));
    SMRF_HOST_GET(host, w->bias, width);
    SMRF_HOST_GET(host, w->c, (steps + 1) * cells);
    for (size_t i = 0; i < width; i++) {
        w->bias[i] = smrf_suite_f32(&rng, -0.5f, 0.5f);
    }
    for (size_t i = 0; i < cells; i++) {
        w->h.value[i] = smrf_round_half(smrf_suite_f32(&rng, -1.0f, 1.0f));
        w->c[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    SMRF_TRY(smrf_tensor_send(host, &w->h));
    SMRF_TRY(smrf_suite_buffer(host->run, &w->bias_device, w->bias, width * sizeof(float)));
    return smrf_suite_buffer(host->run, &w->c_device, w->c, (steps + 1) * cells * sizeof(float));
}

static struct smrf_exec_dim cell_grid_(const struct rnn *w)
{
    return (struct smrf_exec_dim){smrf_host_cover(w->hidden * w->batch, 128), 1, 1};
}

static const struct smrf_exec_dim cell_block = {128, 1, 1};

/* All steps forward; training keeps every step's cells and gates. */
static int go_forward_(struct smrf_host *host, struct rnn *w, bool training)
{
    struct smrf_suite_run *run = host->run;
    const int width = w->gates * w->hidden, cells = w->hidden * w->batch;
    const int columns = w->batch * w->steps;
    const struct gemm_kernel *step = by_weights_(width, w->batch);
    SMRF_TRY(smrf_gemm(run, by_weights_(width, columns), w->input_weights.device, w->hidden,
                       w->x.device, w->hidden, w->from_input.device, width, width, columns,
                       w->hidden, 1.0f, 0.0f));
    for (int t = 0; t < w->steps; t++) {
        smrf_dptr in = at_(&w->from_input, t * w->batch * width), old = at_(&w->h, t * cells);
        smrf_dptr next = at_(&w->h, (t + 1) * cells), kept = 0;
        smrf_dptr cell = float_at_(w->c_device, training ? t * cells : 0);
        smrf_dptr next_cell = float_at_(w->c_device, (t + 1) * cells);
        if (training) {
            kept = at_(&w->kept, t * 4 * cells);
        }
        SMRF_TRY(smrf_gemm(run, step, w->hidden_weights.device, w->hidden, old, w->hidden,
                           w->from_hidden.device, width, width, w->batch, w->hidden, 1.0f, 0.0f));
        const char *name = training ? "gru_train" : "gru_infer";
        if (w->gates == 4 && training) {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, "lstm_train", cell_grid_(w), cell_block, &in,
                                      &w->from_hidden.device, &w->bias_device, &cell, &next_cell,
                                      &next, &kept, &w->hidden, &w->batch));
        } else if (w->gates == 4) {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, "lstm_infer", cell_grid_(w), cell_block, &in,
                                      &w->from_hidden.device, &w->bias_device, &cell, &next,
                                      &w->hidden, &w->batch));
        } else if (training) {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, name, cell_grid_(w), cell_block, &in,
                                      &w->from_hidden.device, &w->bias_device, &old, &next, &kept,
                                      &w->hidden, &w->batch));
        } else {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, name, cell_grid_(w), cell_block, &in,
                                      &w->from_hidden.device, &w->bias_device, &old, &next,
                                      &w->hidden, &w->batch));
        }
    }
    return 0;
}

static int infer_(struct smrf_host *host, struct rnn *w)
{
    SMRF_TRY(prepare_(host, w));
    SMRF_TRY(go_forward_(host, w, false));
    SMRF_TRY(smrf_rnn_forward(host, w));
    return smrf_tensor_check(host, "h", &w->h, 1e-3, 0.0);
}

static int go_back_(struct smrf_host *host, struct rnn *w, smrf_dptr carried)
{
    struct smrf_suite_run *run = host->run;
    const int width = w->gates * w->hidden, cells = w->hidden * w->batch;
    for (int t = w->steps - 1; t >= 0; t--) {
        smrf_dptr dy = at_(&w->dy, t * cells), kept = at_(&w->kept, t * 4 * cells);
        smrf_dptr cell = float_at_(w->c_device, t * cells);
        smrf_dptr next_cell = float_at_(w->c_device, (t + 1) * cells), old = at_(&w->h, t * cells);
        smrf_dptr to_input = at_(&w->input_gates, t * w->batch * width);
        smrf_dptr to_hidden = at_(&w->hidden_gates, t * w->batch * width);
        if (w->gates == 4) {
            to_hidden = to_input;
            SMRF_TRY(SMRF_HOST_LAUNCH(run, "lstm_back", cell_grid_(w), cell_block, &dy,
                                      &w->dh.device, &carried, &cell, &next_cell, &kept, &to_input,
                                      &w->hidden, &w->batch));
        } else {
            SMRF_TRY(SMRF_HOST_LAUNCH(run, "gru_back", cell_grid_(w), cell_block, &dy,
                                      &w->dh.device, &carried, &old, &kept, &to_input, &to_hidden,
                                      &w->hidden, &w->batch));
        }
        SMRF_TRY(smrf_gemm(run, FITTING(nn, w->hidden, w->batch), w->hidden_weights.device,
                           w->hidden, to_hidden, width, w->dh.device, w->hidden, w->hidden,
                           w->batch, width, 1.0f, 0.0f));
    }
    const int columns = w->batch * w->steps;
    const smrf_dptr hidden_gates = w->gates == 4 ? w->input_gates.device : w->hidden_gates.device;
    SMRF_TRY(smrf_gemm(run, FITTING(nn, w->hidden, columns), w->input_weights.device, w->hidden,
                       w->input_gates.device, width, w->dx.device, w->hidden, w->hidden, columns,
                       width, 1.0f, 0.0f));
    SMRF_TRY(smrf_gemm(run, FITTING(nt, w->hidden, width), w->x.device, w->hidden,
                       w->input_gates.device, width, w->input_gradient.device, w->hidden, w->hidden,
                       width, columns, 1.0f, 0.0f));
    return smrf_gemm(run, FITTING(nt, w->hidden, width), w->h.device, w->hidden, hidden_gates,
                     width, w->hidden_gradient.device, w->hidden, w->hidden, width, columns, 1.0f,
                     0.0f);
}

static int train_(struct smrf_host *host, struct rnn *w)
{
    const size_t cells = (size_t)(w->hidden * w->batch), steps = (size_t)w->steps;
    const size_t width = (size_t)(w->gates * w->hidden), columns = steps * (size_t)w->batch;
    struct smrf_suite_rng rng = {12};
    SMRF_TRY(prepare_(host, w));
    SMRF_TRY(smrf_tensor_random(host, &w->dy, steps * cells, &rng, 0.5f));
    SMRF_TRY(smrf_tensor_zero(host, &w->kept, steps * 4 * cells));
    SMRF_TRY(smrf_tensor_zero(host, &w->dh, cells));
    SMRF_TRY(smrf_tensor_zero(host, &w->dx, steps * cells));
    SMRF_TRY(smrf_tensor_zero(host, &w->input_gates, columns * width));
    SMRF_TRY(smrf_tensor_zero(host, &w->hidden_gates, columns * width));
    SMRF_TRY(smrf_tensor_zero(host, &w->input_gradient, width * (size_t)w->hidden));
    SMRF_TRY(smrf_tensor_zero(host, &w->hidden_gradient, width * (size_t)w->hidden));
    float *carried;
    smrf_dptr carried_device;
    SMRF_HOST_GET(host, carried, cells);
    SMRF_TRY(smrf_suite_buffer(host->run, &carried_device, carried, cells * sizeof *carried));
    SMRF_TRY(go_forward_(host, w, true));
    SMRF_TRY(go_back_(host, w, carried_device));
    SMRF_TRY(smrf_rnn_forward(host, w));
    SMRF_TRY(smrf_rnn_backward(host, w, carried));
    SMRF_TRY(smrf_tensor_check(host, "h", &w->h, 1e-3, 0.0));
    SMRF_TRY(smrf_tensor_check(host, "dx", &w->dx, 1e-3, 1e-3));
    /* Sums over all columns: their errors add up like a random walk. */
    const double sums = 2.5e-4 * sqrt((double)columns);
    SMRF_TRY(smrf_tensor_check(host, "input gradient", &w->input_gradient, sums, 1e-3));
    return smrf_tensor_check(host, "hidden gradient", &w->hidden_gradient, sums, 1e-3);
}

static int perform(struct smrf_suite_run *run, int (*body)(struct smrf_host *, struct rnn *),
                   struct rnn w)
{
    struct smrf_host host = {run, NULL};
    int rc = body(&host, &w);
    smrf_host_free(&host);
    return rc;
}

#define LSTM 4
#define GRU 3
#define SIZES(ID, SUMMARY, BODY, GATES, SH, SB, SS, MH, MB, MS, LH, LB, LS)                        \
    static int run_##ID(struct smrf_suite_run *r)                                                  \
    {                                                                                              \
        static const int sizes[SMRF_SIZES][3] = {{SH, SB, SS}, {MH, MB, MS}, {LH, LB, LS}};        \
        const int *size = sizes[r->size];                                                          \
        return perform(                                                                            \
            r, BODY,                                                                               \
            (struct rnn){.gates = GATES, .hidden = size[0], .batch = size[1], .steps = size[2]});  \
    }                                                                                              \
    const struct smrf_suite_program smrf_rnn_bench_##ID = {                                        \
        "rnn_bench_" #ID,                                                                          \
        "deepbench",                                                                               \
        SUMMARY,                                                                                   \
        "rnn",                                                                                     \
        {"hidden " #SH ", batch " #SB ", steps " #SS, "hidden " #MH ", batch " #MB ", steps " #MS, \
         "hidden " #LH ", batch " #LB ", steps " #LS},                                             \
        .run = run_##ID}

/* clang-format off */
SIZES(t1, "LSTM, training: hidden 128, batch 32, 15 steps", train_, LSTM,
      32, 16, 1,   128, 32, 12,   256, 64, 15);
SIZES(t2, "LSTM, training: hidden 128, batch 64, 15 steps", train_, LSTM,
      32, 24, 1,   128, 64, 6,   256, 64, 20);
SIZES(t3, "LSTM, training: hidden 128, batch 32, 1 step", train_, LSTM,
      32, 24, 1,   128, 32, 1,   512, 64, 1);
SIZES(t4, "GRU, training: hidden 128, batch 64, 1 step", train_, GRU,
      32, 32, 1,   128, 64, 1,   512, 128, 1);
SIZES(t5, "GRU, training: hidden 128, batch 32, 1 step", train_, GRU,
      32, 32, 1,   128, 32, 1,   512, 64, 1);
SIZES(i1, "LSTM, inference: hidden 512, batch 1, 25 steps", infer_, LSTM,
      64, 1, 3,   512, 1, 5,   512, 1, 25);
SIZES(i2, "LSTM, inference: hidden 512, batch 2, 25 steps", infer_, LSTM,
      64, 2, 3,   512, 2, 4,   512, 2, 25);
SIZES(i3, "LSTM, inference: hidden 1024, batch 1, 25 steps", infer_, LSTM,
      128, 1, 1,   960, 1, 2,   1024, 1, 15);
SIZES(i4, "LSTM, inference: hidden 256, batch 4, 150 steps", infer_, LSTM,
      64, 4, 2,   256, 4, 20,   256, 4, 150);
SIZES(i5, "LSTM, inference: hidden 1536, batch 1, 50 steps", infer_, LSTM,
      128, 1, 1,   768, 1, 4,   1536, 1, 7);
SIZES(i6, "GRU, inference: hidden 512, batch 1, 1 step", infer_, GRU,
      128, 1, 1,   640, 1, 1,   1536, 1, 1);
SIZES(i7, "GRU, inference: hidden 512, batch 2, 1 step", infer_, GRU,
      128, 2, 1,   640, 2, 1,   1536, 2, 1);
SIZES(i8, "GRU, inference: hidden 512, batch 4, 1 step", infer_, GRU,
      128, 4, 1,   640, 4, 1,   1536, 4, 1);
SIZES(i9, "GRU, inference: hidden 1536, batch 1, 750 steps", infer_, GRU,
      128, 1, 1,   768, 1, 5,   1536, 1, 12);
SIZES(i10, "LSTM, inference: hidden 256, batch 1, 150 steps", infer_, LSTM,
      64, 1, 3,   256, 1, 30,   256, 1, 150);
/* clang-format on */
