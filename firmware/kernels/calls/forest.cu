// SPDX-License-Identifier: Apache-2.0
// Isolation by a random forest, a function a level: the deepest chains of calls (Rapids's RF).
#include "forest.cuh"

#ifdef INLINED
#include "forest_lib.cu"
#endif

extern "C" __global__ void isolate(const Node *nodes, const int *roots, int trees,
                                   const float *features, int num_features, float *out, int count)
{
    int i = thread_index();
    if (i < count)
        out[i] = predict(nodes, roots, trees, features + i * num_features) / (float)trees;
}
