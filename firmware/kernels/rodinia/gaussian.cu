/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination, two kernels a column: the column's multipliers, then the rows below.
 * Structure of Rodinia's gaussian: every launch covers the whole matrix, threads without work
 * leave at once. */
extern "C" __global__ void multipliers(float *m, const float *a, int size, int column)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= size - 1 - column)
        return;
    m[size * (i + column + 1) + column] =
        a[size * (i + column + 1) + column] / a[size * column + column];
}

extern "C" __global__ void eliminate(const float *m, float *a, float *b, int size, int column)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= size - 1 - column)
        return;
    if (y >= size - column)
        return;
    a[size * (x + 1 + column) + y + column] -=
        m[size * (x + 1 + column) + column] * a[size * column + y + column];
    if (y == 0)
        b[x + 1 + column] -= m[size * (x + 1 + column) + y + column] * b[column];
}
