// SPDX-License-Identifier: Apache-2.0
#include "functors.cuh"

// --- from global to shared memory

#define SHARE (TILE * DEEP / THREADS) // of a thread

struct Copy {
    METHOD void operator()(half *to, const half *from) const;
};

METHOD void Copy::operator()(half *to, const half *from) const
{
#pragma unroll
    for (int i = 0; i < SHARE; i += VECTOR)
        *(uint4 *)(to + i) = *(const uint4 *)(from + i);
}

FUNCTION void load_tiles(half *tile_a, const half *a, half *tile_b, const half *b, int pitch,
                         int thread)
{
    int row = thread / (DEEP / SHARE), column = thread % (DEEP / SHARE) * SHARE;
    Copy()(tile_a + row * PITCH + column, a + row * pitch + column);
    Copy()(tile_b + row * PITCH + column, b + row * pitch + column);
}

// --- the epilogue: functors in functors, as CUTLASS nests them

struct Clamp {
    METHOD Fragment operator()(const Fragment &x, float low, float high) const;
};

METHOD Fragment Clamp::operator()(const Fragment &x, float low, float high) const
{
    Fragment y;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        y.v[i] = x.v[i] < low ? low : x.v[i];
        y.v[i] = y.v[i] > high ? high : y.v[i];
    }
    return y;
}

// x (clamp(x) + 3) / 6 of every value.
struct HardSwish {
    METHOD Fragment operator()(const Fragment &x) const;
};

METHOD Fragment HardSwish::operator()(const Fragment &x) const
{
    Fragment y = Clamp()(x, -3.0f, 3.0f);
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        y.v[i] = x.v[i] * (y.v[i] + 3.0f) * (1.0f / 6.0f);
    return y;
}

struct LinearCombination {
    float alpha, beta;

    METHOD Fragment operator()(const Fragment &sum, const Fragment &source,
                               const Fragment &bias) const;
};

METHOD Fragment LinearCombination::operator()(const Fragment &sum, const Fragment &source,
                                              const Fragment &bias) const
{
    Fragment x;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        x.v[i] = fmaf(alpha, sum.v[i], fmaf(beta, source.v[i], bias.v[i]));
    return HardSwish()(x);
}

struct Narrow {
    METHOD void operator()(half *to, const Fragment &x) const;
};

METHOD void Narrow::operator()(half *to, const Fragment &x) const
{
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        to[i] = __float2half_rn(x.v[i]);
}

struct OutputOp {
    const Epilogue &epilogue;

    METHOD void operator()(const float *sums, int row, int column) const;
};

METHOD void OutputOp::operator()(const float *sums, int row, int column) const
{
    int at = row * epilogue.columns + column;
    Fragment sum, source, bias;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        sum.v[i] = sums[i];
        source.v[i] = __half2float(epilogue.c[at + i]);
        bias.v[i] = epilogue.bias[column + i];
    }
    LinearCombination combine = {epilogue.alpha, epilogue.beta};
    Fragment x = combine(sum, source, bias);
    Narrow()(epilogue.d + at, x);
}

FUNCTION void finish_tile(const Epilogue &epilogue, const float *tile, int row, int column,
                          int thread)
{
    OutputOp output = {epilogue};
#pragma unroll 1
    for (int i = thread; i < TILE * TILE / VECTOR; i += THREADS) {
        int r = i / (TILE / VECTOR), c = i % (TILE / VECTOR) * VECTOR;
        output(tile + r * TILE + c, row + r, column + c);
    }
}
