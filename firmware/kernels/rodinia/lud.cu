/* SPDX-License-Identifier: Apache-2.0 */
/* LU decomposition in place, without pivoting, by tiles of 16 x 16: the diagonal tile, then the
 * tiles right of and below it, then all others. Structure of Rodinia's lud. */
#define TILE 16

extern "C" __global__ void lud_diagonal(float *m, int size, int offset)
{
    __shared__ float tile[TILE][TILE];
    const int t = threadIdx.x;
    int at = offset * size + offset;

    for (int i = 0; i < TILE; i++) {
        tile[i][t] = m[at + t];
        at += size;
    }
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) { /* column i of L */
            for (int j = 0; j < i; j++)
                tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i) { /* row i + 1 of U */
            for (int j = 0; j < i + 1; j++)
                tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        }
        __syncthreads();
    }
    /* the first row has not changed */
    at = (offset + 1) * size + offset;
    for (int i = 1; i < TILE; i++) {
        m[at + t] = tile[i][t];
        at += size;
    }
}

/* Threads 0 to 15 work on the tile to the right, 16 to 31 on the tile below. */
extern "C" __global__ void lud_perimeter(float *m, int size, int offset)
{
    __shared__ float diagonal[TILE][TILE];
    __shared__ float row[TILE][TILE];
    __shared__ float column[TILE][TILE];
    int at, t;

    if (threadIdx.x < TILE) {
        t = threadIdx.x;
        at = offset * size + offset;
        for (int i = 0; i < TILE / 2; i++) {
            diagonal[i][t] = m[at + t];
            at += size;
        }
        at = offset * size + offset;
        for (int i = 0; i < TILE; i++) {
            row[i][t] = m[at + (blockIdx.x + 1) * TILE + t];
            at += size;
        }
    } else {
        t = threadIdx.x - TILE;
        at = (offset + TILE / 2) * size + offset;
        for (int i = TILE / 2; i < TILE; i++) {
            diagonal[i][t] = m[at + t];
            at += size;
        }
        at = (offset + (blockIdx.x + 1) * TILE) * size + offset;
        for (int i = 0; i < TILE; i++) {
            column[i][t] = m[at + t];
            at += size;
        }
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        t = threadIdx.x;
        for (int i = 1; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                row[i][t] -= diagonal[i][j] * row[j][t];
        }
    } else {
        t = threadIdx.x - TILE;
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                column[t][i] -= column[t][j] * diagonal[j][i];
            column[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        t = threadIdx.x;
        at = (offset + 1) * size + offset;
        for (int i = 1; i < TILE; i++) {
            m[at + (blockIdx.x + 1) * TILE + t] = row[i][t];
            at += size;
        }
    } else {
        t = threadIdx.x - TILE;
        at = (offset + (blockIdx.x + 1) * TILE) * size + offset;
        for (int i = 0; i < TILE; i++) {
            m[at + t] = column[i][t];
            at += size;
        }
    }
}

extern "C" __global__ void lud_internal(float *m, int size, int offset)
{
    __shared__ float row[TILE][TILE];
    __shared__ float column[TILE][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = offset + (blockIdx.y + 1) * TILE;
    const int x = offset + (blockIdx.x + 1) * TILE;
    float sum = 0;

    row[ty][tx] = m[(offset + ty) * size + x + tx];
    column[ty][tx] = m[(y + ty) * size + offset + tx];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
        sum += column[ty][i] * row[i][tx];
    m[(y + ty) * size + x + tx] -= sum;
}
