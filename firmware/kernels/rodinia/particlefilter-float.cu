/* SPDX-License-Identifier: Apache-2.0 */
/* Particle filter that follows an object through a video: motion model and likelihood with random
 * numbers drawn on the device, weights and their sum, cumulative distribution, resampling.
 * Structure of Rodinia's float particle filter. */
#include "particle.cuh"

#define THREADS 128

/* Linear congruential generator, in [0, 1). */
__device__ float uniform(int *seeds, int i)
{
    const int next = 1103515245 * seeds[i] + 12345;

    seeds[i] = next & 0x7fffffff;
    return fabsf(seeds[i] / 2147483648.0f);
}

/* Box and Muller. */
__device__ float normal(int *seeds, int i)
{
    const float u = uniform(seeds, i);
    const float v = uniform(seeds, i);
    const float cosine = cosf(2 * 3.14159265358979f * v);
    const float r = -2 * logf(u + 1e-7f);

    return sqrtf(r) * cosine;
}

/* Move the particles, and weigh them by how their surroundings look in this frame: pixels of the
 * object are near 228, of the background near 100. */
extern "C" __global__ void likelihoods(float *x, float *y, const float *from_x, const float *from_y,
                                       const int *object, float *likelihood,
                                       const unsigned char *frame, float *weights,
                                       int num_particles, int num_points, int width, int height,
                                       int *seeds, float *partial_sums)
{
    __shared__ float buffer[THREADS];
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < num_particles) {
        x[i] = from_x[i] + 1.0f + 5.0f * normal(seeds, i);
        y[i] = from_y[i] - 2.0f + 2.0f * normal(seeds, i);
        weights[i] = 1 / (float)num_particles;
    }
    buffer[threadIdx.x] = 0.0f;
    __syncthreads();
    if (i < num_particles) {
        const int middle_x = (int)rintf(x[i]);
        const int middle_y = (int)rintf(y[i]);
        float sum = 0.0f;
        for (int p = 0; p < num_points; p++) {
            const int px = middle_x + object[p * 2];
            const int py = middle_y + object[p * 2 + 1];
            int at = px * height + py;
            if (px < 0 || py < 0 || px >= width || py >= height)
                at = 0;
            const float background = frame[at] - 100;
            const float foreground = frame[at] - 228;
            sum += (background * background - foreground * foreground) / 50.0f;
        }
        likelihood[i] = sum / num_points;
        weights[i] = weights[i] * expf(likelihood[i] - 300.0f);
        buffer[threadIdx.x] = weights[i];
    }
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            buffer[threadIdx.x] += buffer[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial_sums[blockIdx.x] = buffer[0];
}

extern "C" __global__ void add_sums(float *partial_sums, int num_blocks)
{
    if (blockDim.x * blockIdx.x + threadIdx.x == 0) {
        float sum = 0.0f;
        for (int b = 0; b < num_blocks; b++)
            sum += partial_sums[b];
        partial_sums[0] = sum;
    }
}

extern "C" __global__ void normalise(float *weights, const float *partial_sums, int num_particles)
{
    __shared__ float sum;
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (threadIdx.x == 0)
        sum = partial_sums[0];
    __syncthreads();
    if (i < num_particles)
        weights[i] = weights[i] / sum;
}

/* One thread: the cumulative distribution, and where the draws start. */
extern "C" __global__ void accumulate(const float *weights, float *distribution, float *draws,
                                      int num_particles, int *seeds)
{
    if (blockDim.x * blockIdx.x + threadIdx.x == 0) {
        distribution[0] = weights[0];
        for (int i = 1; i < num_particles; i++)
            distribution[i] = weights[i] + distribution[i - 1];
        draws[0] = 1 / (float)num_particles * uniform(seeds, 0);
    }
}

extern "C" __global__ void spread_draws(float *draws, int num_particles)
{
    __shared__ float start;
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (threadIdx.x == 0)
        start = draws[0];
    __syncthreads();
    if (i > 0 && i < num_particles)
        draws[i] = start + i / (float)num_particles;
}

extern "C" __global__ void find_index(const float *x, const float *y, const float *distribution,
                                      const float *draws, float *new_x, float *new_y,
                                      int num_particles)
{
    take_particle(x, y, distribution, draws, new_x, new_y, num_particles);
    __syncthreads();
}
