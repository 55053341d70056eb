// SPDX-License-Identifier: Apache-2.0
#include "dispatch.cuh"

typedef float (*Function)(const Node *nodes, const Node *node, float x, float *out);

FUNCTION float constant(const Node *, const Node *node, float, float *)
{
    return node->constant;
}

FUNCTION float variable(const Node *, const Node *node, float x, float *)
{
    return x + node->constant;
}

FUNCTION float sum(const Node *nodes, const Node *node, float x, float *out)
{
    float left = value(nodes, node->left, x, out);
    return left + value(nodes, node->right, x, out);
}

FUNCTION float product(const Node *nodes, const Node *node, float x, float *out)
{
    float left = value(nodes, node->left, x, out);
    return left == 0.0f ? 0.0f : left * value(nodes, node->right, x, out);
}

FUNCTION float larger(const Node *nodes, const Node *node, float x, float *out)
{
    float left = value(nodes, node->left, x, out), right = value(nodes, node->right, x, out);
    return left > right ? left : right;
}

// By the powers of a table of its own: local memory that is no save.
FUNCTION float power(const Node *nodes, const Node *node, float x, float *out)
{
    float powers[8], by = value(nodes, node->left, x, out);
    powers[0] = 1.0f;
    for (int i = 1; i < 8; i++)
        powers[i] = powers[i - 1] * by;
    return powers[node->right & 7] * 0.125f + by;
}

FUNCTION float stop(const Node *nodes, const Node *node, float x, float *out)
{
    float last = value(nodes, node->left, x, out);
    if (last > node->constant) {
        *out = last;
        asm volatile("exit;");
    }
    return last;
}

static __device__ const Function table[KINDS] = {constant, variable, sum, product, larger, power, stop};

FUNCTION float value(const Node *nodes, int at, float x, float *out)
{
    const Node *node = nodes + at;
    return table[node->kind](nodes, node, x, out);
}
