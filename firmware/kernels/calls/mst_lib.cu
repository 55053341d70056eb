// SPDX-License-Identifier: Apache-2.0
#include "mst.cuh"

FUNCTION int parent_of(const Forest &forest, int node)
{
    return forest.parent[node];
}

FUNCTION int root_of(const Forest &forest, int node)
{
    for (int above = forest.parent[node]; above != node; above = forest.parent[node])
        node = parent_of(forest, above);
    return node;
}

FUNCTION bool same_tree(const Forest &forest, int root, int node)
{
    return root_of(forest, node) == root;
}

FUNCTION void consider(const Forest &forest, int root, int other, Key key, Key &best)
{
    if (!same_tree(forest, root, other))
        best = key;
}

// Offers the node's lightest edge to another tree to its own tree. Trees are flat here.
FUNCTION void visit(const Forest &forest, int node)
{
    int root = forest.parent[node], end = forest.first[node + 1];
    Key best = ~(Key)0;
#pragma unroll 1
    for (int e = forest.first[node]; e < end; e++) {
        Key key = (Key)forest.weight[e] << 32 | (unsigned)forest.edge[e];
        int other = forest.to[e];
        if (key < best && forest.parent[other] != root)
            consider(forest, root, other, key, best);
    }
    if (best != ~(Key)0)
        atomicMin(forest.lightest + root, best);
}

// Hooks a root onto the tree at the other end of its edge. Of two trees that chose the same edge,
// the one with the smaller root stays.
FUNCTION bool join(const Forest &forest, const int *ends, int *chosen, int node)
{
    if (forest.parent[node] != node || forest.lightest[node] == ~(Key)0)
        return false;
    int e = (int)(unsigned)forest.lightest[node];
    int a = ends[2 * e], b = ends[2 * e + 1];
    int other = chosen[a] == node ? chosen[b] : chosen[a];
    if (forest.lightest[other] == forest.lightest[node] && node < other)
        return false;
    forest.parent[node] = other;
    return true;
}

FUNCTION void flatten(const Forest &forest, int node)
{
    forest.parent[node] = root_of(forest, node);
}
