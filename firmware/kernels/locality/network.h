/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of convolutional networks on the host: what is launched for one, and its reference. */
#ifndef SMRF_LOCALITY_NETWORK_H
#define SMRF_LOCALITY_NETWORK_H

#include "firmware/kernels/host.h"
#include "firmware/kernels/locality/layer_shape.h"

enum layer_kind {
    LAYER_CONV_11, /* 11 x 11, stride 4 */
    LAYER_CONV_5,  /* 5 x 5, zeroes around */
    LAYER_CONV_3,
    LAYER_POOL_MAX, /* 3 x 3, stride 2 */
    LAYER_POOL_AVERAGE,
    LAYER_NORMALISE,
    LAYER_CONNECT
};

struct layer {
    enum layer_kind kind;
    const char *name;
    int filters[SMRF_SIZES]; /* 0: as many planes as come in */
    int groups;              /* of a convolution */
    int relu;
};

struct network {
    const struct layer *layers;
    int num_layers;
    int input[SMRF_SIZES]; /* rows and columns of the three input planes */
    float range;           /* inputs lie between -range and range */
};

/* Shape of layer `index` at a size. */
struct layer_shape smrf_layer_shape(const struct network *network, int index, enum smrf_size size);
/* Elements of an image that goes into a layer or comes out of it, and of its weights. */
int smrf_layer_in(const struct layer_shape *s);
int smrf_layer_out(const struct layer_shape *s);
int smrf_layer_weights(const struct layer *layer, const struct layer_shape *s);
/* One image through a layer. */
void smrf_layer_reference(const struct layer *layer, const struct layer_shape *s, const float *in,
                          const float *weights, const float *bias, float *out);

#endif
