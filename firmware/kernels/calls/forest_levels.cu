// SPDX-License-Identifier: Apache-2.0
// forest_lib.cu for the build with a module a function: the levels as functions instead of templates.
#include "forest.cuh"

FUNCTION float leaf(const Node *node)
{
    return node->value;
}

// How far a row gets from a node of a level.
#define LEVEL(level, next_level)                                                                   \
    extern __device__ float visit_##next_level(const Node *nodes, const Node *node,                \
                                               const float *features);                             \
    FUNCTION float visit_##level(const Node *nodes, const Node *node, const float *features)       \
    {                                                                                              \
        if (node->feature < 0)                                                                     \
            return leaf(node);                                                                     \
        const Node *next = nodes + node->child;                                                    \
        next += features[node->feature] >= node->threshold;                                        \
        return 1.0f + visit_##next_level(nodes, next, features);                                   \
    }

LEVEL(0, 1)
LEVEL(1, 2)
LEVEL(2, 3)
LEVEL(3, 4)
LEVEL(4, 5)
LEVEL(5, 6)
LEVEL(6, 7)
LEVEL(7, 8)
LEVEL(8, 9)
LEVEL(9, 10)
LEVEL(10, 11)
LEVEL(11, 12)
LEVEL(12, 13)

FUNCTION float visit_13(const Node *, const Node *node, const float *)
{
    return leaf(node);
}

extern __device__ float visit_0(const Node *nodes, const Node *node, const float *features);

FUNCTION float tree(const Node *nodes, int root, const float *features)
{
    return visit_0(nodes, nodes + root, features);
}

FUNCTION float predict(const Node *nodes, const int *roots, int trees, const float *features)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < trees; i++)
        sum += tree(nodes, roots[i], features);
    return sum;
}
