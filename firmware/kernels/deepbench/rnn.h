/* SPDX-License-Identifier: Apache-2.0 */
/* A recurrent layer's data, and its reference on the host. */
#ifndef SMRF_DEEPBENCH_RNN_H
#define SMRF_DEEPBENCH_RNN_H

#include "tensor.h"

struct rnn {
    int gates; /* 4: LSTM (i, f, g, o); 3: GRU (r, z, n) */
    int hidden, batch, steps;
    struct tensor x, input_weights, hidden_weights;
    struct tensor h; /* steps + 1 states, the first one given */
    struct tensor from_input, from_hidden;
    float *bias, *c; /* c: steps + 1 cell states (LSTM) */
    smrf_dptr bias_device, c_device;
    /* training */
    struct tensor kept;         /* gates after their functions, four a cell and step */
    struct tensor dy, dh, dx;   /* dh: of the state, from the step after */
    struct tensor input_gates;  /* gradients of the gates' sums, and for the GRU of the */
    struct tensor hidden_gates; /* recurrent part's */
    struct tensor input_gradient, hidden_gradient; /* of the weights */
};

/* Fill h (from the second state on) and c, and kept if it has room. */
int smrf_rnn_forward(struct smrf_host *host, struct rnn *w);
/* Fill dx and the weights' gradients. carried: a zero for every cell. */
int smrf_rnn_backward(struct smrf_host *host, struct rnn *w, float *carried);

#endif
