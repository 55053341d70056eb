/* SPDX-License-Identifier: Apache-2.0 */
/* Half-precision arrays of the tensor-core programs, on the device and, as floats, on the host. */
#ifndef SMRF_DEEPBENCH_TENSOR_H
#define SMRF_DEEPBENCH_TENSOR_H

#include "firmware/kernels/deepbench/tiles.h"
#include "firmware/kernels/host.h"

struct tensor {
    smrf_dptr device;
    float *value; /* on the host; every one of them a half */
    size_t count;
};

/* Zeroes on both sides. */
int smrf_tensor_zero(struct smrf_host *host, struct tensor *t, size_t count);
/* Random multiples of 1 / steps from -1 to 1. Products of them and their sums need few bits, so
 * that they are exact in any order: kernel and reference then agree to the last bit. */
int smrf_tensor_exact(struct smrf_host *host, struct tensor *t, size_t count,
                      struct smrf_suite_rng *rng, int steps);
/* Random halves from -limit to limit. */
int smrf_tensor_random(struct smrf_host *host, struct tensor *t, size_t count,
                       struct smrf_suite_rng *rng, float limit);
/* Allocate on the device and copy the host's values there. */
int smrf_tensor_send(struct smrf_host *host, struct tensor *t);
/* What the device holds, as floats in host memory; NULL with the error set. */
float *smrf_tensor_read(struct smrf_host *host, const struct tensor *t);
/* Compare what the device holds with the host's values. */
int smrf_tensor_check(struct smrf_host *host, const char *what, const struct tensor *t,
                      double absolute, double relative);

float smrf_round_half(float value); /* to the nearest half */

/* The step that makes float sums of products exact, and the one for sums in half precision. */
#define SMRF_EXACT_F32 256
#define SMRF_EXACT_F16 4

/* How a matrix of span x k elements lies in memory: line after line, `stride` apart. */
struct layout {
    bool along; /* k runs along a line, else k counts the lines */
    int stride;
};

/* c[j * ldc + i] += sum over k of a(i, k) * b(j, k), in single precision, k ascending. */
int smrf_product(struct smrf_host *host, const float *a, struct layout la, const float *b,
                 struct layout lb, float *c, int ldc, int m, int n, int k);

/* A kernel of gemm.cuh: its tile and how it wants A and B. */
struct gemm_kernel {
    const char *name;
    struct smrf_tile tile;
    bool a_along, b_along;
};

/* Blocks that fill the machine: two for each of ten SMs. A tile that makes fewer is too big. */
#define SMRF_FILL 20

/* Which of `count` tiles: the first that fills the machine with m x n, else the last. */
int smrf_tile_pick(const struct smrf_tile *const tiles[], int count, int m, int n);
/* Blocks that cover m x n, and their threads. */
struct smrf_exec_dim smrf_tile_grid(const struct smrf_tile *tile, int m, int n);
struct smrf_exec_dim smrf_tile_block(const struct smrf_tile *tile);

/* C (m x n, ldc) = alpha * A * B + beta * C on the device. */
int smrf_gemm(struct smrf_suite_run *run, const struct gemm_kernel *kernel, smrf_dptr a, int lda,
              smrf_dptr b, int ldb, smrf_dptr c, int ldc, int m, int n, int k, float alpha,
              float beta);

#endif
