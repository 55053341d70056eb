/* SPDX-License-Identifier: Apache-2.0 */
/* Shape of a convolution, shared by the kernels and their host. Images are n x h x w x c (channels
 * contiguous), filters k x r x s x c, results n x p x q x k. */
#ifndef SMRF_CONV_SHAPE_H
#define SMRF_CONV_SHAPE_H

struct conv_shape {
    int n, h, w, c; /* c, k: multiples of 8 */
    int k, r, s;
    int pad, stride;
    int p, q;
};

#endif
