/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of all records to a place; the host picks the nearest. Structure of Rodinia's nn. */
struct place {
    float latitude;
    float longitude;
};

extern "C" __global__ void distances(const struct place *places, float *distance, int num_places,
                                     float latitude, float longitude)
{
    const int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;

    if (id < num_places) {
        const struct place *p = places + id;
        distance[id] = sqrtf((latitude - p->latitude) * (latitude - p->latitude) +
                             (longitude - p->longitude) * (longitude - p->longitude));
    }
}
