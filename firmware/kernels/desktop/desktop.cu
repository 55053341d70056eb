// SPDX-License-Identifier: Apache-2.0
// Operations whose times on desktop cards are published: matrix sums, an image in grey, matrix
// products of integers, histograms. Each is written from the operation's description alone.

// --- c = a + b, rows x cols ----------------------------------------------------------------------

// A warp's threads lie beside each other in a row ..
extern "C" __global__ void add_along_rows(float *c, const float *a, const float *b, int rows,
                                          int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
    }
}

// .. or below each other in a column.
extern "C" __global__ void add_along_columns(float *c, const float *a, const float *b, int rows,
                                             int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
    }
}

// --- an image of three bytes a pixel to one ------------------------------------------------------

extern "C" __global__ void grey(unsigned char *to, const unsigned char *from, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const int at = y * width + x;
        const unsigned char red = from[3 * at], green = from[3 * at + 1], blue = from[3 * at + 2];
        to[at] = 0.21f * red + 0.71f * green + 0.07f * blue;
    }
}

// --- c = a b, n x n ------------------------------------------------------------------------------

extern "C" __global__ void product(unsigned *c, const unsigned *a, const unsigned *b, int n)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        unsigned sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

extern __shared__ unsigned tiles[];

// Tiles of the block's size in shared memory; the compiler does not know how wide they are.
extern "C" __global__ void product_tiles(unsigned *c, const unsigned *a, const unsigned *b, int n)
{
    const int width = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * width + x, row = blockIdx.y * width + y;
    unsigned *of_a = tiles, *of_b = tiles + width * width;
    unsigned sum = 0;
    for (int first = 0; first < n; first += width) {
        of_a[y * width + x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        of_b[y * width + x] = first + y < n && col < n ? b[(first + y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < width; k++) {
            sum += of_a[y * width + k] * of_b[k * width + x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
}

// A thread makes two results of a row, a tile's width apart.
extern "C" __global__ void product_pairs(unsigned *c, const unsigned *a, const unsigned *b, int n)
{
    const int width = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * 2 * width + x, other = col + width;
    const int row = blockIdx.y * width + y;
    unsigned *of_a = tiles, *of_b = of_a + width * width, *of_other = of_b + width * width;
    unsigned sum = 0, second = 0;
    for (int first = 0; first < n; first += width) {
        of_a[y * width + x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        of_b[y * width + x] = first + y < n && col < n ? b[(first + y) * n + col] : 0;
        of_other[y * width + x] = first + y < n && other < n ? b[(first + y) * n + other] : 0;
        __syncthreads();
        for (int k = 0; k < width; k++) {
            sum += of_a[y * width + k] * of_b[k * width + x];
            second += of_a[y * width + k] * of_other[k * width + x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
    if (row < n && other < n) {
        c[row * n + other] = second;
    }
}

// The same with the second tile of b read one row further on in the first: what the cards were timed
// with. A row of b is read once for both sums. The last row is the second tile's first.
extern "C" __global__ void product_rows(unsigned *c, const unsigned *a, const unsigned *b, int n)
{
    const int width = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * 2 * width + x, other = col + width;
    const int row = blockIdx.y * width + y;
    unsigned *of_a = tiles, *of_b = of_a + width * width, *behind = of_b + width * width;
    unsigned sum = 0, second = 0;
    for (int first = 0; first < n; first += width) {
        of_a[y * width + x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        of_b[y * width + x] = first + y < n && col < n ? b[(first + y) * n + col] : 0;
        behind[y * width + x] = first + y < n && other < n ? b[(first + y) * n + other] : 0;
        __syncthreads();
        for (int k = 0; k < width; k++) {
            sum += of_a[y * width + k] * of_b[k * width + x];
            second += of_a[y * width + k] * of_b[(k + 1) * width + x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
    if (row < n && other < n) {
        c[row * n + other] = second;
    }
}

// --- how many values fall into each bin ----------------------------------------------------------

extern "C" __global__ void histogram(unsigned *bins, const unsigned *values, int count)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        atomicAdd(&bins[values[i]], 1u);
    }
}

// A block counts in shared memory first.
extern "C" __global__ void histogram_shared(unsigned *bins, const unsigned *values, int count,
                                            int num_bins)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = threadIdx.x; i < num_bins; i += blockDim.x) {
        tiles[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        atomicAdd(&tiles[values[i]], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < num_bins; i += blockDim.x) {
        atomicAdd(&bins[i], tiles[i]);
    }
}
