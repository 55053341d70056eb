// SPDX-License-Identifier: Apache-2.0
// A kernel that cannot be executed, beside one that can.
extern "C" __global__ void look(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = texCubemap<float>(image, threadIdx.x, 0, 1);
}

extern "C" __global__ void count(int *out)
{
    atomicAdd(out, 1);
}
