/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first search by levels: a thread a vertex, two kernels a level, until a level adds
 * nothing. Structure of Rodinia's bfs. */
struct vertex {
    int first_edge;
    int num_edges;
};

extern "C" __global__ void visit(const struct vertex *vertices, const int *edges,
                                 unsigned char *frontier, unsigned char *updating,
                                 const unsigned char *visited, int *cost, int num_vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < num_vertices && frontier[v]) {
        frontier[v] = 0;
        for (int e = vertices[v].first_edge; e < vertices[v].first_edge + vertices[v].num_edges;
             e++) {
            const int neighbour = edges[e];
            if (!visited[neighbour]) {
                cost[neighbour] = cost[v] + 1;
                updating[neighbour] = 1;
            }
        }
    }
}

extern "C" __global__ void advance(unsigned char *frontier, unsigned char *updating,
                                   unsigned char *visited, int *again, int num_vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < num_vertices && updating[v]) {
        frontier[v] = 1;
        visited[v] = 1;
        *again = 1;
        updating[v] = 0;
    }
}
