// SPDX-License-Identifier: Apache-2.0
// A kernel that cannot be executed, beside one that can.
extern "C" __global__ void look(cudaTextureObject_t image, float *out)
{
    float a, b, c, d;
    const int x = threadIdx.x;
    asm("tex.2dms.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %6, %6}];"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(image), "r"(x), "r"(0));
    out[threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void count(int *out)
{
    atomicAdd(out, 1);
}
