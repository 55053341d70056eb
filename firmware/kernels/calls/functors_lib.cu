// SPDX-License-Identifier: Apache-2.0
#include "functors.cuh"

// --- from global to shared memory: a functor that fetches, one that says where, one that copies

struct Layout {
    int pitch;

    METHOD int operator()(int row, int column) const;
};

METHOD int Layout::operator()(int row, int column) const
{
    return row * pitch + column;
}

struct Copy {
    METHOD void operator()(half *to, const half *from) const;
};

METHOD void Copy::operator()(half *to, const half *from) const
{
    *(uint2 *)to = *(const uint2 *)from;
}

FUNCTION void load_tile(half *tile, const half *matrix, int pitch, int thread)
{
    Layout there = {pitch}, here = {PITCH};
    int row = thread / (DEEP / VECTOR), column = thread % (DEEP / VECTOR) * VECTOR;
    Copy()(tile + here(row, column), matrix + there(row, column));
}

// --- the epilogue: functors in functors, as CUTLASS nests them

struct Clamp {
    METHOD float operator()(float x) const;
};

METHOD float Clamp::operator()(float x) const
{
    x = x < 0.0f ? 0.0f : x;
    return x > 6.0f ? 6.0f : x;
}

// x clamp(x + 3) / 6 of every value.
struct HardSwish {
    METHOD Fragment operator()(const Fragment &x) const;
};

METHOD Fragment HardSwish::operator()(const Fragment &x) const
{
    Fragment y;
    Clamp clamp;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        y.v[i] = x.v[i] * clamp(x.v[i] + 3.0f) * (1.0f / 6.0f);
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

struct Widen {
    METHOD Fragment operator()(const half *from) const;
};

METHOD Fragment Widen::operator()(const half *from) const
{
    Fragment x;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        x.v[i] = __half2float(from[i]);
    return x;
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
    Fragment sum, bias;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        sum.v[i] = sums[i];
        bias.v[i] = epilogue.bias[column + i];
    }
    LinearCombination combine = {epilogue.alpha, epilogue.beta};
    Fragment x = combine(sum, Widen()(epilogue.c + at), bias);
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
