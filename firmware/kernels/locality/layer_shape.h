/* SPDX-License-Identifier: Apache-2.0 */
/* Shape of a network's layer, shared by the kernels and their host: images of `channels` planes of
 * h x w, results of `filters` planes of p x q. */
#ifndef SMRF_LAYER_SHAPE_H
#define SMRF_LAYER_SHAPE_H

/* Filters of a convolution that a thread computes where lanes are rows: divides their number. */
#define LAYER_ROWS_FILTERS 4

struct layer_shape {
    int channels, h, w;
    int filters, p, q;
    int groups; /* a filter sees channels / groups of the planes */
    int relu;
};

#endif
