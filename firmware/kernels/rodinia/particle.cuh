/* SPDX-License-Identifier: Apache-2.0 */
/* The particle whose share of the cumulative distribution a thread's draw falls in, looked for from
 * the start: the last one if there is none. Shared by both particle filters. */
#ifndef SMRF_KERNEL_PARTICLE_H
#define SMRF_KERNEL_PARTICLE_H

template <typename real>
static __device__ __forceinline__ void take_particle(const real *x, const real *y,
                                                     const real *distribution, const real *draws,
                                                     real *new_x, real *new_y, int num_particles)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < num_particles) {
        int index = -1;
        for (int j = 0; j < num_particles; j++) {
            if (distribution[j] >= draws[i]) {
                index = j;
                break;
            }
        }
        if (index == -1)
            index = num_particles - 1;
        new_x[i] = x[index];
        new_y[i] = y[index];
    }
}

#endif
