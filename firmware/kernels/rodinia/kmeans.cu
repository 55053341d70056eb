/* SPDX-License-Identifier: Apache-2.0 */
/* K-means clustering: points are laid out feature by feature once, then every iteration assigns
 * each point to its nearest centre; the host moves the centres. Structure of Rodinia's kmeans,
 * with the centres in constant memory. */
#define MAX_CENTRES 1024 /* clusters x features */

__constant__ float centres[MAX_CENTRES];

extern "C" __global__ void invert_mapping(const float *points, float *features, int num_points,
                                          int num_features)
{
    const int point = threadIdx.x + blockDim.x * blockIdx.x;

    if (point < num_points) {
        for (int i = 0; i < num_features; i++)
            features[point + num_points * i] = points[point * num_features + i];
    }
}

extern "C" __global__ void assign_points(const float *features, int num_features, int num_points,
                                         int num_clusters, int *membership)
{
    const unsigned block = gridDim.x * blockIdx.y + blockIdx.x;
    const int point = block * blockDim.x * blockDim.y + threadIdx.x;
    int nearest = -1;

    if (point < num_points) {
        float least = 3.40282347e+38f;
        for (int i = 0; i < num_clusters; i++) {
            const int base = i * num_features;
            float distance = 0.0f;
            for (int j = 0; j < num_features; j++) {
                const float difference =
                    __ldg(features + point + j * num_points) - centres[base + j];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = i;
            }
        }
    }
    if (point < num_points)
        membership[point] = nearest;
}
