// SPDX-License-Identifier: Apache-2.0
// recursion.sass.xz is the text of
//   nvcc -arch=sm_75 -rdc=true -cubin recursion.cu; nvlink; nvdisasm -hex, without debug sections (CUDA 11.8)
// A recursion as deep as the argument, one call a level; odd lanes go two levels less.
__device__ __noinline__ unsigned descend(unsigned level, unsigned seed)
{
    if (level == 0)
        return seed;
    const unsigned below = descend(level - 1, seed * 3 + level);
    return below ^ level * seed;
}

extern "C" __global__ void recursion(unsigned *out, unsigned depth)
{
    out[threadIdx.x] = descend(depth - (threadIdx.x & 1) * 2, threadIdx.x);
}
