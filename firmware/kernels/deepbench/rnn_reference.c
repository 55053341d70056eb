/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent cells in plain C, step by step; halves where the kernels store halves. */
#include "rnn.h"

#include <math.h>
#include <string.h>

static float sigmoid_(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

static void round_all_(float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = smrf_round_half(value[i]);
    }
}

static void lstm_(struct rnn *w, int step, int item)
{
    const int H = w->hidden, cells = H * w->batch;
    const float *in = w->from_input.value + (step * w->batch + item) * 4 * H;
    const float *rec = w->from_hidden.value + item * 4 * H;
    const float *c = w->c + step * cells + item * H;
    float *next_c = w->c + (step + 1) * cells + item * H;
    float *next = w->h.value + (step + 1) * cells + item * H;
    for (int u = 0; u < H; u++) {
        float i = sigmoid_(in[u] + rec[u] + w->bias[u]);
        float f = sigmoid_(in[H + u] + rec[H + u] + w->bias[H + u]);
        float g = tanhf(in[2 * H + u] + rec[2 * H + u] + w->bias[2 * H + u]);
        float o = sigmoid_(in[3 * H + u] + rec[3 * H + u] + w->bias[3 * H + u]);
        next_c[u] = f * c[u] + i * g;
        next[u] = o * tanhf(next_c[u]);
        if (w->kept.value != NULL) {
            float *kept = w->kept.value + (step * w->batch + item) * 4 * H;
            kept[u] = i;
            kept[H + u] = f;
            kept[2 * H + u] = g;
            kept[3 * H + u] = o;
        }
    }
}

static void gru_(struct rnn *w, int step, int item)
{
    const int H = w->hidden, cells = H * w->batch;
    const float *in = w->from_input.value + (step * w->batch + item) * 3 * H;
    const float *rec = w->from_hidden.value + item * 3 * H;
    const float *old = w->h.value + step * cells + item * H;
    float *next = w->h.value + (step + 1) * cells + item * H;
    for (int u = 0; u < H; u++) {
        float r = sigmoid_(in[u] + rec[u] + w->bias[u]);
        float z = sigmoid_(in[H + u] + rec[H + u] + w->bias[H + u]);
        float recurrent = rec[2 * H + u] + w->bias[2 * H + u];
        float n = tanhf(in[2 * H + u] + r * recurrent);
        next[u] = (1.0f - z) * n + z * old[u];
        if (w->kept.value != NULL) {
            float *kept = w->kept.value + (step * w->batch + item) * 4 * H;
            kept[u] = r;
            kept[H + u] = z;
            kept[2 * H + u] = n;
            kept[3 * H + u] = recurrent;
        }
    }
}

int smrf_rnn_forward(struct smrf_host *host, struct rnn *w)
{
    const int width = w->gates * w->hidden, cells = w->hidden * w->batch;
    const struct layout line = {true, w->hidden};
    SMRF_TRY(smrf_product(host, w->input_weights.value, line, w->x.value, line, w->from_input.value,
                          width, width, w->batch * w->steps, w->hidden));
    round_all_(w->from_input.value, w->from_input.count);
    for (int t = 0; t < w->steps; t++) {
        memset(w->from_hidden.value, 0, w->from_hidden.count * sizeof(float));
        SMRF_TRY(smrf_product(host, w->hidden_weights.value, line, w->h.value + t * cells, line,
                              w->from_hidden.value, width, width, w->batch, w->hidden));
        round_all_(w->from_hidden.value, w->from_hidden.count);
        for (int item = 0; item < w->batch; item++) {
            if (w->gates == 4) {
                lstm_(w, t, item);
            } else {
                gru_(w, t, item);
            }
        }
        round_all_(w->h.value + (t + 1) * cells, (size_t)cells);
    }
    round_all_(w->kept.value, w->kept.count);
    return 0;
}

static void lstm_back_(struct rnn *w, int step, int item, float *carried)
{
    const int H = w->hidden, cells = H * w->batch;
    const float *kept = w->kept.value + (step * w->batch + item) * 4 * H;
    float *d = w->input_gates.value + (step * w->batch + item) * 4 * H;
    for (int u = 0; u < H; u++) {
        const int cell = item * H + u;
        const float i = kept[u], f = kept[H + u], g = kept[2 * H + u], o = kept[3 * H + u];
        const float dh = w->dy.value[step * cells + cell] + w->dh.value[cell];
        const float t = tanhf(w->c[(step + 1) * cells + cell]);
        const float dc = carried[cell] + dh * o * (1.0f - t * t);
        d[u] = dc * g * i * (1.0f - i);
        d[H + u] = dc * w->c[step * cells + cell] * f * (1.0f - f);
        d[2 * H + u] = dc * i * (1.0f - g * g);
        d[3 * H + u] = dh * t * o * (1.0f - o);
        carried[cell] = dc * f;
    }
    round_all_(d, (size_t)(4 * H));
}

static void gru_back_(struct rnn *w, int step, int item, float *carried)
{
    const int H = w->hidden, cells = H * w->batch;
    const float *kept = w->kept.value + (step * w->batch + item) * 4 * H;
    float *din = w->input_gates.value + (step * w->batch + item) * 3 * H;
    float *drec = w->hidden_gates.value + (step * w->batch + item) * 3 * H;
    for (int u = 0; u < H; u++) {
        const int cell = item * H + u;
        const float r = kept[u], z = kept[H + u], n = kept[2 * H + u], rec = kept[3 * H + u];
        const float dh = w->dy.value[step * cells + cell] + w->dh.value[cell] + carried[cell];
        const float dn = dh * (1.0f - z) * (1.0f - n * n);
        din[u] = drec[u] = dn * rec * r * (1.0f - r);
        din[H + u] = drec[H + u] = dh * (w->h.value[step * cells + cell] - n) * z * (1.0f - z);
        din[2 * H + u] = dn;
        drec[2 * H + u] = dn * r;
        carried[cell] = dh * z;
    }
    round_all_(din, (size_t)(3 * H));
    round_all_(drec, (size_t)(3 * H));
}

int smrf_rnn_backward(struct smrf_host *host, struct rnn *w, float *carried)
{
    const int H = w->hidden, width = w->gates * H, columns = w->batch * w->steps;
    /* Products over the gates take the weights with the state's index running along the lines. */
    const struct layout across = {false, H}, gates = {true, width}, gates_t = {false, width};
    const struct tensor *to_hidden = w->gates == 4 ? &w->input_gates : &w->hidden_gates;
    for (int t = w->steps - 1; t >= 0; t--) {
        for (int item = 0; item < w->batch; item++) {
            if (w->gates == 4) {
                lstm_back_(w, t, item, carried);
            } else {
                gru_back_(w, t, item, carried);
            }
        }
        memset(w->dh.value, 0, w->dh.count * sizeof(float));
        SMRF_TRY(smrf_product(host, w->hidden_weights.value, across,
                              to_hidden->value + t * w->batch * width, gates, w->dh.value, H, H,
                              w->batch, width));
        round_all_(w->dh.value, w->dh.count);
    }
    SMRF_TRY(smrf_product(host, w->input_weights.value, across, w->input_gates.value, gates,
                          w->dx.value, H, H, columns, width));
    SMRF_TRY(smrf_product(host, w->x.value, across, w->input_gates.value, gates_t,
                          w->input_gradient.value, H, H, width, columns));
    SMRF_TRY(smrf_product(host, w->h.value, across, to_hidden->value, gates_t,
                          w->hidden_gradient.value, H, H, width, columns));
    round_all_(w->dx.value, w->dx.count);
    round_all_(w->input_gradient.value, w->input_gradient.count);
    round_all_(w->hidden_gradient.value, w->hidden_gradient.count);
    return 0;
}
