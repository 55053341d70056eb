/* SPDX-License-Identifier: Apache-2.0 */
/* Potential and forces between the particles of neighbouring boxes: a block a home box, which goes
 * over itself and its neighbours with both boxes' particles in shared memory. Structure of
 * Rodinia's lavaMD. */
#include "lavamd.h"

extern "C" __global__ void box_forces(struct lavamd_parameters parameters, int num_boxes,
                                      const struct lavamd_box *boxes,
                                      const struct lavamd_vector *positions, const float *charges,
                                      struct lavamd_vector *forces)
{
    __shared__ struct lavamd_vector home_position[LAVAMD_PARTICLES];
    __shared__ struct lavamd_vector other_position[LAVAMD_PARTICLES];
    __shared__ float other_charge[LAVAMD_PARTICLES];
    const int box = blockIdx.x;

    if (box >= num_boxes)
        return;
    const float a2 = 2.0f * parameters.alpha * parameters.alpha;
    const struct lavamd_vector *home = &positions[boxes[box].first];
    struct lavamd_vector *force = &forces[boxes[box].first];

    for (int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS)
        home_position[i] = home[i];
    __syncthreads();
    for (int k = 0; k < 1 + boxes[box].num_neighbours; k++) {
        const int other = k == 0 ? box : boxes[box].neighbours[k - 1];
        const int first = boxes[other].first;
        for (int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS) {
            other_position[i] = positions[first + i];
            other_charge[i] = charges[first + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS) {
            for (int j = 0; j < LAVAMD_PARTICLES; j++) {
                const float r2 = home_position[i].v + other_position[j].v -
                                 (home_position[i].x * other_position[j].x +
                                  home_position[i].y * other_position[j].y +
                                  home_position[i].z * other_position[j].z);
                const float u2 = a2 * r2;
                const float vij = expf(-u2);
                const float fs = 2 * vij;
                const float dx = home_position[i].x - other_position[j].x;
                const float dy = home_position[i].y - other_position[j].y;
                const float dz = home_position[i].z - other_position[j].z;
                force[i].v += other_charge[j] * vij;
                force[i].x += other_charge[j] * (fs * dx);
                force[i].y += other_charge[j] * (fs * dy);
                force[i].z += other_charge[j] * (fs * dz);
            }
        }
        __syncthreads();
    }
}
