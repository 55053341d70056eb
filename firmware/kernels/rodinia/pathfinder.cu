/* SPDX-License-Identifier: Apache-2.0 */
/* Cheapest path down a grid, row by row: several rows a launch in shared memory, the valid part of
 * a block shrinks by one column on each side with every row (pyramid). Structure of Rodinia's
 * pathfinder. */
#define THREADS 256

extern "C" __global__ void path_rows(int rows, const int *wall, const int *from, int *to,
                                     int columns, int border)
{
    __shared__ int previous[THREADS];
    __shared__ int result[THREADS];
    const int tx = threadIdx.x;
    const int small = THREADS - rows * 2;
    const int left = small * blockIdx.x - border;
    const int right = left + THREADS - 1;
    const int x = left + tx;
    const int first = left < 0 ? -left : 0;
    const int last = right > columns - 1 ? THREADS - 1 - (right - columns + 1) : THREADS - 1;
    const int west = tx - 1 < first ? first : tx - 1;
    const int east = tx + 1 > last ? last : tx + 1;
    const bool valid = tx >= first && tx <= last;
    bool computed = false;

    if (x >= 0 && x <= columns - 1)
        previous[tx] = from[x];
    __syncthreads();
    for (int i = 0; i < rows; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= THREADS - i - 2 && valid) {
            computed = true;
            const int shortest = min(min(previous[west], previous[tx]), previous[east]);
            result[tx] = shortest + wall[columns * i + x];
        }
        __syncthreads();
        if (i == rows - 1)
            break;
        if (computed)
            previous[tx] = result[tx];
        __syncthreads();
    }
    if (computed)
        to[x] = result[tx];
}
