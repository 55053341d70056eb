// SPDX-License-Identifier: Apache-2.0
// Cube maps, mipmaps, reductions on surfaces.
extern "C" __global__ void cube(float *out, cudaTextureObject_t t, const float3 *d)
{
    const float3 v = d[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z);
}

extern "C" __global__ void cubes(float *out, cudaTextureObject_t t, const float3 *d)
{
    const float3 v = d[threadIdx.x];
    out[threadIdx.x] = texCubemapLayered<float>(t, v.x, v.y, v.z, threadIdx.x % 2);
}

extern "C" __global__ void faces(cudaSurfaceObject_t s, int width)
{
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    for (int face = 0; face < 6; face++) {
        const float v = surfCubemapread<float>(s, x * 4, y, face);
        surfCubemapwrite(v + 0.5f, s, x * 4, y, face);
    }
}

extern "C" __global__ void at_level(float *out, cudaTextureObject_t t, const float3 *p)
{
    const float3 v = p[threadIdx.x];
    out[threadIdx.x] = tex2DLod<float>(t, v.x, v.y, v.z);
}

// Texels a step along x, as many along y.
extern "C" __global__ void at_steps(float *out, cudaTextureObject_t t, const float3 *p)
{
    const float3 v = p[threadIdx.x];
    out[threadIdx.x] =
        tex2DGrad<float>(t, v.x, v.y, make_float2(v.z, 0), make_float2(0, v.z));
}

extern "C" __global__ void layered_steps(float *out, cudaTextureObject_t t, const float3 *p)
{
    const float3 v = p[threadIdx.x];
    out[threadIdx.x] = tex2DLayeredGrad<float>(t, v.x, v.y, threadIdx.x % 2, make_float2(v.z, 0),
                                               make_float2(0, v.z));
}

extern "C" __global__ void reduce(cudaSurfaceObject_t s)
{
    const int i = threadIdx.x, negative = i - 5;
    asm volatile("sured.b.2d.add.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(0), "r"(i % 2),
                 "r"(i));
    asm volatile("sured.b.2d.min.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(0),
                 "r"(negative));
    asm volatile("sured.b.2d.max.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(0), "r"(i));
    asm volatile("sured.b.2d.and.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1),
                 "r"(~(1 << i)));
    asm volatile("sured.b.2d.or.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(1),
                 "r"(1 << i));
    asm volatile("sured.b.2d.add.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(400), "r"(0), "r"(i));
}
