/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a B+ tree: a block answers one query, a thread looks at one key slot of a node. The
 * block goes down the tree a level at a time; the thread whose slot brackets the key names the
 * child. Structure of Rodinia's b+tree (kernels findK and findRangeK). */
#include "btree.h"

extern "C" __global__ void find_key(int height, const struct btree_node *nodes, int num_nodes,
                                    const int *records, int *current, int *next, const int *keys,
                                    int *answers)
{
    const int slot = threadIdx.x;
    const int query = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (nodes[current[query]].keys[slot] <= keys[query] &&
            nodes[current[query]].keys[slot + 1] > keys[query]) {
            /* leaves hold record numbers, which can be past the last node */
            if (nodes[next[query]].indices[slot] < num_nodes)
                next[query] = nodes[next[query]].indices[slot];
        }
        __syncthreads();
        if (slot == 0)
            current[query] = next[query];
        __syncthreads();
    }
    if (nodes[current[query]].keys[slot] == keys[query])
        answers[query] = records[nodes[current[query]].indices[slot]];
}

/* Two descents side by side: to the first and to the last key of a range. */
extern "C" __global__ void find_range(int height, const struct btree_node *nodes, int num_nodes,
                                      int *current, int *next, int *last_current, int *last_next,
                                      const int *first, const int *last, int *start, int *length)
{
    const int slot = threadIdx.x;
    const int query = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (nodes[current[query]].keys[slot] <= first[query] &&
            nodes[current[query]].keys[slot + 1] > first[query]) {
            if (nodes[current[query]].indices[slot] < num_nodes)
                next[query] = nodes[current[query]].indices[slot];
        }
        if (nodes[last_current[query]].keys[slot] <= last[query] &&
            nodes[last_current[query]].keys[slot + 1] > last[query]) {
            if (nodes[last_current[query]].indices[slot] < num_nodes)
                last_next[query] = nodes[last_current[query]].indices[slot];
        }
        __syncthreads();
        if (slot == 0) {
            current[query] = next[query];
            last_current[query] = last_next[query];
        }
        __syncthreads();
    }
    if (nodes[current[query]].keys[slot] == first[query])
        start[query] = nodes[current[query]].indices[slot];
    __syncthreads();
    if (nodes[last_current[query]].keys[slot] == last[query])
        length[query] = nodes[last_current[query]].indices[slot] - start[query] + 1;
}
