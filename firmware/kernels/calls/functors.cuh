// SPDX-License-Identifier: Apache-2.0
#ifndef FUNCTORS_CUH
#define FUNCTORS_CUH

#include "calls.cuh"

#include <cuda_fp16.h>

#define TILE 32    // rows and columns of a block's part of the result
#define DEEP 64    // of the inner dimension at a time
#define THREADS 128
#define PITCH (DEEP + 8) // halves from row to row in shared memory: no bank conflicts
#define VECTOR 8   // results of a thread at a time

struct Fragment {
    float v[VECTOR];
};

// d = activation(alpha * accumulator + beta * c + bias), in half precision.
struct Epilogue {
    float alpha, beta;
    const half *c;
    const float *bias;
    half *d;
    int columns;
};

#ifndef INLINED
extern __device__ void load_tiles(half *tile_a, const half *a, half *tile_b, const half *b,
                                  int pitch, int thread);
extern __device__ void finish_tile(const Epilogue &epilogue, const float *tile, int row,
                                   int column, int thread);
#endif

#endif
