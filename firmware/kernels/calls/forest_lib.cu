// SPDX-License-Identifier: Apache-2.0
#include "forest.cuh"

FUNCTION float leaf(const Node *node)
{
    return node->value;
}

// How far a row gets: what is left of a leaf's rows counts as their mean depth.
template <int LEVEL> struct Level {
    static METHOD float visit(const Node *nodes, const Node *node, const float *features)
    {
        if (node->feature < 0)
            return leaf(node);
        const Node *next = nodes + node->child;
        next += features[node->feature] >= node->threshold;
        return 1.0f + Level<LEVEL + 1>::visit(nodes, next, features);
    }
};

template <> struct Level<LEVELS> {
    static METHOD float visit(const Node *, const Node *node, const float *)
    {
        return leaf(node);
    }
};

FUNCTION float tree(const Node *nodes, int root, const float *features)
{
    return Level<0>::visit(nodes, nodes + root, features);
}

FUNCTION float predict(const Node *nodes, const int *roots, int trees, const float *features)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < trees; i++)
        sum += tree(nodes, roots[i], features);
    return sum;
}
