// SPDX-License-Identifier: Apache-2.0
// Two units that divide: each brings the slow path of the division along, a local function of the
// same name, in a section of the same name. quotients.fatbin: nvcc 11.8 -rdc=true, with UNIT 1 and
// UNIT 2, linked with -dlink -fatbin.
#if UNIT == 1
__device__ __noinline__ double ratio(double a, double b)
{
    return a / b + 1;
}
#else
extern __device__ double ratio(double a, double b);

__device__ __noinline__ double inverse(double a, double b)
{
    return b / a;
}

extern "C" __global__ void quotients(double *out, const double *in)
{
    const int i = threadIdx.x;
    out[i] = ratio(in[i], in[i + 1]) - inverse(in[i], in[i + 1]);
}
#endif
