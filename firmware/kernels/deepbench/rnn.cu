/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise parts of recurrent cells; their matrix products are kernels of their own, as in the
 * vendor's library. One thread a cell: index = element of the batch * hidden + unit. Matrices
 * hold one column per element of the batch, so a column has the gates of all units, gate by gate.
 * Sums in single precision, values between kernels in half. */
#include "gemm.cuh"

/* What the input gives the gates, and the gates the state; many columns to a handful. */
GEMM(gemm_f32_tn, float, SMRF_TILE_128X128, 16, 16, true, true)
GEMM_GUARD(gemm_f32_tn_64x32, true, float, SMRF_TILE_64X32, 16, 16, true, true)
GEMM_GUARD(gemm_f32_tn_32x32, true, float, SMRF_TILE_32X32, 16, 16, true, true)
GEMM(gemm_f32_tn_skinny, float, SMRF_TILE_128X8, 32, 8, true, true)
/* Gradients of the inputs and the state. */
GEMM_GUARD(gemm_f32_nn_64x32, true, float, SMRF_TILE_64X32, 16, 16, false, true)
GEMM_GUARD(gemm_f32_nn_32x32, true, float, SMRF_TILE_32X32, 16, 16, false, true)
/* Gradients of the weights. */
GEMM(gemm_f32_nt, float, SMRF_TILE_128X128, 16, 16, false, false)
GEMM_GUARD(gemm_f32_nt_64x32, true, float, SMRF_TILE_64X32, 16, 16, false, false)

/* Exact to rounding: training. Approximate by the special-function unit: inference. */
struct exact {
    static __device__ float tanh(float x)
    {
        return tanhf(x);
    }
    static __device__ float sigmoid(float x)
    {
        return 1.0f / (1.0f + expf(-x));
    }
};

struct quick {
    static __device__ float tanh(float x)
    {
        float y;
        asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ float sigmoid(float x)
    {
        return __fdividef(1.0f, 1.0f + __expf(-x));
    }
};

/* from_input, from_hidden: products of this step; bias: per gate and unit. gates: i, f, g, o after
 * their functions, kept for the way back (NULL in inference). */
template <class F>
static __device__ __forceinline__ void lstm(const half *from_input, const half *from_hidden,
                                            const float *bias, float *cell, float *next_cell,
                                            half *next_hidden, half *gates, int hidden, int batch)
{
    int index = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= hidden * batch) {
        return;
    }
    int unit = index % hidden, column = index / hidden * 4 * hidden;
    float sum[4];
#pragma unroll
    for (int gate = 0; gate < 4; gate++) {
        int at = gate * hidden + unit;
        sum[gate] = __half2float(from_input[column + at]) + __half2float(from_hidden[column + at]) +
                    bias[at];
    }
    float i = F::sigmoid(sum[0]), f = F::sigmoid(sum[1]), g = F::tanh(sum[2]);
    float o = F::sigmoid(sum[3]);
    float c = f * cell[index] + i * g;
    next_cell[index] = c;
    next_hidden[index] = __float2half_rn(o * F::tanh(c));
    if (gates != nullptr) {
        gates[column + unit] = __float2half_rn(i);
        gates[column + hidden + unit] = __float2half_rn(f);
        gates[column + 2 * hidden + unit] = __float2half_rn(g);
        gates[column + 3 * hidden + unit] = __float2half_rn(o);
    }
}

extern "C" __global__ void lstm_train(const half *from_input, const half *from_hidden,
                                      const float *bias, float *cell, float *next_cell,
                                      half *next_hidden, half *gates, int hidden, int batch)
{
    lstm<exact>(from_input, from_hidden, bias, cell, next_cell, next_hidden, gates, hidden, batch);
}

extern "C" __global__ void lstm_infer(const half *from_input, const half *from_hidden,
                                      const float *bias, float *cell, half *next_hidden, int hidden,
                                      int batch)
{
    lstm<quick>(from_input, from_hidden, bias, cell, cell, next_hidden, nullptr, hidden, batch);
}

/* One step back: hidden_gradient (from the next step, half) plus out_gradient (from above) gives
 * the gradients of the gates' sums; cell_gradient is carried from step to step. */
extern "C" __global__ void lstm_back(const half *out_gradient, const half *hidden_gradient,
                                     float *cell_gradient, const float *cell,
                                     const float *next_cell, const half *gates, half *gate_gradient,
                                     int hidden, int batch)
{
    int index = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= hidden * batch) {
        return;
    }
    int unit = index % hidden, column = index / hidden * 4 * hidden;
    float i = __half2float(gates[column + unit]);
    float f = __half2float(gates[column + hidden + unit]);
    float g = __half2float(gates[column + 2 * hidden + unit]);
    float o = __half2float(gates[column + 3 * hidden + unit]);
    float dh = __half2float(out_gradient[index]) + __half2float(hidden_gradient[index]);
    float t = exact::tanh(next_cell[index]);
    float dc = cell_gradient[index] + dh * o * (1.0f - t * t);
    gate_gradient[column + unit] = __float2half_rn(dc * g * i * (1.0f - i));
    gate_gradient[column + hidden + unit] = __float2half_rn(dc * cell[index] * f * (1.0f - f));
    gate_gradient[column + 2 * hidden + unit] = __float2half_rn(dc * i * (1.0f - g * g));
    gate_gradient[column + 3 * hidden + unit] = __float2half_rn(dh * t * o * (1.0f - o));
    cell_gradient[index] = dc * f;
}

/* Gates r, z, n; next = (1 - z) * n + z * old, with n = tanh(input + r * (recurrent + bias)). */
template <class F>
static __device__ __forceinline__ void gru(const half *from_input, const half *from_hidden,
                                           const float *bias, const half *old, half *next_hidden,
                                           half *gates, int hidden, int batch)
{
    int index = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= hidden * batch) {
        return;
    }
    int unit = index % hidden, column = index / hidden * 3 * hidden;
    float in[3], rec[3];
#pragma unroll
    for (int gate = 0; gate < 3; gate++) {
        int at = gate * hidden + unit;
        in[gate] = __half2float(from_input[column + at]);
        rec[gate] = __half2float(from_hidden[column + at]) + bias[at];
    }
    float r = F::sigmoid(in[0] + rec[0]), z = F::sigmoid(in[1] + rec[1]);
    float n = F::tanh(in[2] + r * rec[2]);
    next_hidden[index] = __float2half_rn((1.0f - z) * n + z * __half2float(old[index]));
    if (gates != nullptr) {
        int keep = index / hidden * 4 * hidden + unit;
        gates[keep] = __float2half_rn(r);
        gates[keep + hidden] = __float2half_rn(z);
        gates[keep + 2 * hidden] = __float2half_rn(n);
        gates[keep + 3 * hidden] = __float2half_rn(rec[2]);
    }
}

extern "C" __global__ void gru_train(const half *from_input, const half *from_hidden,
                                     const float *bias, const half *old, half *next_hidden,
                                     half *gates, int hidden, int batch)
{
    gru<exact>(from_input, from_hidden, bias, old, next_hidden, gates, hidden, batch);
}

extern "C" __global__ void gru_infer(const half *from_input, const half *from_hidden,
                                     const float *bias, const half *old, half *next_hidden,
                                     int hidden, int batch)
{
    gru<quick>(from_input, from_hidden, bias, old, next_hidden, nullptr, hidden, batch);
}

/* One step back. The product with the recurrent weights' transpose follows and gives the rest of
 * the old state's gradient; what passes by z directly goes to direct. The gate n's sum has two
 * gradients: of the input's part and, times r, of the recurrent part. */
extern "C" __global__ void gru_back(const half *out_gradient, const half *hidden_gradient,
                                    float *direct, const half *old, const half *gates,
                                    half *input_gradient, half *recurrent_gradient, int hidden,
                                    int batch)
{
    int index = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= hidden * batch) {
        return;
    }
    int unit = index % hidden, column = index / hidden * 3 * hidden;
    int kept = index / hidden * 4 * hidden + unit;
    float r = __half2float(gates[kept]), z = __half2float(gates[kept + hidden]);
    float n = __half2float(gates[kept + 2 * hidden]);
    float rec = __half2float(gates[kept + 3 * hidden]);
    float dh =
        __half2float(out_gradient[index]) + __half2float(hidden_gradient[index]) + direct[index];
    float dn = dh * (1.0f - z) * (1.0f - n * n);
    float dz = dh * (__half2float(old[index]) - n) * z * (1.0f - z);
    float dr = dn * rec * r * (1.0f - r);
    direct[index] = dh * z;
    half hr = __float2half_rn(dr), hz = __float2half_rn(dz);
    input_gradient[column + unit] = hr;
    input_gradient[column + hidden + unit] = hz;
    input_gradient[column + 2 * hidden + unit] = __float2half_rn(dn);
    recurrent_gradient[column + unit] = hr;
    recurrent_gradient[column + hidden + unit] = hz;
    recurrent_gradient[column + 2 * hidden + unit] = __float2half_rn(dn * r);
}
