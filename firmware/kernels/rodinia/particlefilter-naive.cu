/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling of a particle filter: every thread looks, from the start, for the particle whose
 * share of the cumulative distribution its draw falls in. Double precision. Structure of Rodinia's
 * naive particle filter, which leaves all else to the host. */
#include "particle.cuh"

extern "C" __global__ void resample(const double *x, const double *y, const double *distribution,
                                    const double *draws, double *new_x, double *new_y,
                                    int num_particles)
{
    take_particle(x, y, distribution, draws, new_x, new_y, num_particles);
}
