/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature of a chip from the power it dissipates: five-point stencil, several time steps a
 * launch. A block keeps its tile in shared memory; the tile's valid part shrinks by one cell on
 * each side with every step (pyramid). Structure of Rodinia's hotspot, whose constant 2.0 is
 * double precision. */
#define TILE 16

extern "C" __global__ void hotspot_steps(int steps, const float *power, const float *from,
                                         float *to, int columns, int rows, int border_columns,
                                         int border_rows, float capacitance, float rx, float ry,
                                         float rz, float step)
{
    __shared__ float now[TILE][TILE];
    __shared__ float watt[TILE][TILE];
    __shared__ float then[TILE][TILE];
    const float ambient = 80.0f;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const float step_over_capacitance = step / capacitance;
    const float rx_1 = 1 / rx;
    const float ry_1 = 1 / ry;
    const float rz_1 = 1 / rz;

    /* what this block computes after all steps, and with its borders */
    const int small_rows = TILE - steps * 2;
    const int small_columns = TILE - steps * 2;
    const int top = small_rows * blockIdx.y - border_rows;
    const int left = small_columns * blockIdx.x - border_columns;
    const int bottom = top + TILE - 1;
    const int right = left + TILE - 1;
    const int y = top + ty;
    const int x = left + tx;
    const int index = columns * y + x;

    if (y >= 0 && y <= rows - 1 && x >= 0 && x <= columns - 1) {
        now[ty][tx] = from[index];
        watt[ty][tx] = power[index];
    }
    __syncthreads();

    /* cells of the tile that lie in the grid, and neighbours that do not leave them */
    const int first_y = top < 0 ? -top : 0;
    const int last_y = bottom > rows - 1 ? TILE - 1 - (bottom - rows + 1) : TILE - 1;
    const int first_x = left < 0 ? -left : 0;
    const int last_x = right > columns - 1 ? TILE - 1 - (right - columns + 1) : TILE - 1;
    const int north = ty - 1 < first_y ? first_y : ty - 1;
    const int south = ty + 1 > last_y ? last_y : ty + 1;
    const int west = tx - 1 < first_x ? first_x : tx - 1;
    const int east = tx + 1 > last_x ? last_x : tx + 1;
    bool computed = false;

    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= TILE - i - 2 && ty >= i + 1 && ty <= TILE - i - 2 &&
            tx >= first_x && tx <= last_x && ty >= first_y && ty <= last_y) {
            computed = true;
            then[ty][tx] =
                now[ty][tx] +
                step_over_capacitance *
                    (watt[ty][tx] + (now[south][tx] + now[north][tx] - 2.0 * now[ty][tx]) * ry_1 +
                     (now[ty][east] + now[ty][west] - 2.0 * now[ty][tx]) * rx_1 +
                     (ambient - now[ty][tx]) * rz_1);
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            now[ty][tx] = then[ty][tx];
        __syncthreads();
    }
    /* only those that computed in the last step have a result */
    if (computed)
        to[index] = then[ty][tx];
}
