// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces, objects and references.
texture<float, 1, cudaReadModeElementType> line_of;
texture<int2, 1, cudaReadModeElementType> pairs_of;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> plane_of;
surface<void, 2> board;

extern "C" __global__ void by_reference(float *out, int2 *pairs, float *grey, int n)
{
    const int i = threadIdx.x;
    if (i < n) {
        out[i] = tex1Dfetch(line_of, i) + tex1Dfetch(line_of, i + 1);
        pairs[i] = tex1Dfetch(pairs_of, n - 1 - i);
        grey[i] = tex2D(plane_of, i % 8 + 0.5f, i / 8 + 0.5f);
        surf2Dwrite(i * 3 + surf2Dread<int>(board, i % 8 * 4, i / 8), board, i % 8 * 4, i / 8);
    }
}

extern "C" __global__ void line(float *out, cudaTextureObject_t t, const float *x)
{
    out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]);
}

extern "C" __global__ void plane(float *out, cudaTextureObject_t t, const float *x, const float *y)
{
    out[threadIdx.x] = tex2D<float>(t, x[threadIdx.x], y[threadIdx.x]);
}

extern "C" __global__ void volume(float *out, cudaTextureObject_t t, const float *x, const float *y,
                                  const float *z)
{
    out[threadIdx.x] = tex3D<float>(t, x[threadIdx.x], y[threadIdx.x], z[threadIdx.x]);
}

extern "C" __global__ void layers(float *out, cudaTextureObject_t t, const float *x, const float *y)
{
    out[threadIdx.x] = tex2DLayered<float>(t, x[threadIdx.x], y[threadIdx.x], threadIdx.x % 3);
}

extern "C" __global__ void levels(float *out, cudaTextureObject_t t, const float *x, const float *y)
{
    const float a = x[threadIdx.x], b = y[threadIdx.x];
    out[threadIdx.x] = tex2DLod<float>(t, a, b, 0.0f) +
                       4 * tex2DGrad<float>(t, a, b, make_float2(a, 0), make_float2(0, b));
}

// Each thread has a texture of its own: no uniform register and no constant can hold it.
extern "C" __global__ void choose(float *out, const cudaTextureObject_t *t, const float *x,
                                  const float *y)
{
    const cudaTextureObject_t mine = t[threadIdx.x % 2];
    out[threadIdx.x] = tex2D<float>(mine, x[threadIdx.x], y[threadIdx.x]);
}

extern "C" __global__ void around(float4 *out, cudaTextureObject_t t, const float *x,
                                  const float *y)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, x[threadIdx.x], y[threadIdx.x], 0);
}

extern "C" __global__ void colours(float4 *out, cudaTextureObject_t t, const float *x,
                                   const float *y)
{
    out[threadIdx.x] = tex2D<float4>(t, x[threadIdx.x], y[threadIdx.x]);
}

extern "C" __global__ void whole(int4 *out, cudaTextureObject_t t, const float *x, const float *y)
{
    out[threadIdx.x] = tex2D<int4>(t, x[threadIdx.x], y[threadIdx.x]);
}

extern "C" __global__ void numbered(float2 *out, cudaTextureObject_t t, int first)
{
    out[threadIdx.x] = tex1Dfetch<float2>(t, first + (int)threadIdx.x);
}

template <typename T> __device__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(surf2Dread<T>(from, x * (int)sizeof(T), y), to, (n - 1 - y) * (int)sizeof(T), x);
}

extern "C" __global__ void turn1(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
    turn<unsigned char>(from, to, n);
}

extern "C" __global__ void turn2(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
    turn<short>(from, to, n);
}

extern "C" __global__ void turn8(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
    turn<int2>(from, to, n);
}

extern "C" __global__ void turn16(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
    turn<int4>(from, to, n);
}

// Outside: zeros are read and nothing is written, or the nearest texel counts.
extern "C" __global__ void edges(int *zero, int *nearest, cudaSurfaceObject_t s)
{
    const int x = (int)threadIdx.x - 2, y = (int)threadIdx.y - 2,
              i = threadIdx.y * blockDim.x + threadIdx.x;
    zero[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
    nearest[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
    __syncthreads();
    if (x < 0) {
        surf2Dwrite(-1, s, x * 4, y, cudaBoundaryModeZero);
    }
}

extern "C" __global__ void deep(cudaSurfaceObject_t volume, cudaSurfaceObject_t stack,
                                cudaSurfaceObject_t row, int n)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const float v =
        surf3Dread<float>(volume, x * 4, y, z) + surf2DLayeredread<float>(stack, x * 4, y, z);
    surf3Dwrite(v, volume, x * 4, y, z);
    surf2DLayeredwrite(v + surf1Dread<float>(row, x * 4), stack, x * 4, y, z);
}

extern "C" __global__ void beyond(cudaSurfaceObject_t s)
{
    surf2Dwrite(1, s, 4 * 1000, 0);
}
