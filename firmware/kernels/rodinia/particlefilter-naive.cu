/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling of a particle filter: every thread looks, from the start, for the particle whose
 * share of the cumulative distribution its draw falls in. Double precision. Structure of Rodinia's
 * naive particle filter, which leaves all else to the host. */
extern "C" __global__ void resample(const double *x, const double *y, const double *distribution,
                                    const double *draws, double *new_x, double *new_y,
                                    int num_particles)
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
