// SPDX-License-Identifier: Apache-2.0
// Convolutions whose times on desktop cards are published, each written from the operation's
// description alone. Beyond the edge there are zeros. Results are clamped to 0 .. 1, in double
// precision, as in the measured programs: a constant without an f makes the compiler convert.

static __device__ float clamped(float sum)
{
    return fmin(fmax((double)sum, 0.0), 1.0);
}

__constant__ float weights[121];
extern __shared__ float tile[];

// --- a line of values ----------------------------------------------------------------------------

// The mask lies in global memory ..
extern "C" __global__ void line(float *to, const float *from, const float *mask, int width,
                                int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        const int first = at - width / 2;
        float sum = 0;
        for (int k = 0; k < width; k++) {
            const int i = first + k;
            if (i >= 0 && i < count) {
                sum += from[i] * mask[k];
            }
        }
        to[at] = clamped(sum);
    }
}

// .. or in constant memory. From here on every block is full.
extern "C" __global__ void line_constant(float *to, const float *from, int width, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = at - width / 2;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        const int i = first + k;
        if (i >= 0 && i < count) {
            sum += from[i] * weights[k];
        }
    }
    to[at] = clamped(sum);
}

// A block's values and those on both sides of them in shared memory.
extern "C" __global__ void line_tiles(float *to, const float *from, int width, int count)
{
    const unsigned mine = blockIdx.x * blockDim.x + threadIdx.x;
    const int at = mine, side = width / 2;
    const int before = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
    const int behind = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x >= blockDim.x - side) {
        tile[threadIdx.x - (blockDim.x - side)] = before < 0 ? 0 : from[before];
    }
    tile[side + threadIdx.x] = from[mine];
    if (threadIdx.x < side) {
        tile[side + blockDim.x + threadIdx.x] = behind >= count ? 0 : from[behind];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < width; k++) {
        sum += tile[threadIdx.x + k] * weights[k];
    }
    to[at] = clamped(sum);
}

// Only a block's own values in shared memory; its neighbours' come from the cache.
extern "C" __global__ void line_cached(float *to, const float *from, int width, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x, first = at - width / 2;
    const int begin = blockIdx.x * blockDim.x, end = (blockIdx.x + 1) * blockDim.x;
    tile[threadIdx.x] = from[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < width; k++) {
        const int i = first + k;
        if (i >= 0 && i < count) {
            if (i >= begin && i < end) {
                sum += tile[threadIdx.x + k - width / 2] * weights[k];
            } else {
                sum += from[i] * weights[k];
            }
        }
    }
    to[at] = clamped(sum);
}

// --- an image of several channels ----------------------------------------------------------------

static __device__ __forceinline__ void image_by(float *to, const float *from, const float *mask,
                                                int mask_rows, int mask_cols, int rows, int cols,
                                                int channels)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) {
        const int top = row - mask_rows / 2, left = col - mask_cols / 2;
        for (int channel = 0; channel < channels; channel++) {
            float sum = 0;
            for (int k = 0; k < mask_rows; k++) {
                for (int l = 0; l < mask_cols; l++) {
                    if (top + k >= 0 && top + k < rows && left + l >= 0 && left + l < cols) {
                        sum += from[((top + k) * cols + left + l) * channels + channel] *
                               mask[k * mask_cols + l];
                    }
                }
            }
            to[(row * cols + col) * channels + channel] = clamped(sum);
        }
    }
}

extern "C" __global__ void image(float *to, const float *from, const float *mask, int mask_rows,
                                 int mask_cols, int rows, int cols, int channels)
{
    image_by(to, from, mask, mask_rows, mask_cols, rows, cols, channels);
}

extern "C" __global__ void image_constant(float *to, const float *from, int mask_rows,
                                          int mask_cols, int rows, int cols, int channels)
{
    image_by(to, from, weights, mask_rows, mask_cols, rows, cols, channels);
}

// A block reads one value a thread. Threads of its last rows and columns make no result: a block's
// results are fewer than its values by the mask's width less one each way.
extern "C" __global__ void image_tiles(float *to, const float *from, int mask_rows, int mask_cols,
                                       int rows, int cols, int channels)
{
    const int high = blockDim.y - mask_rows + 1, wide = blockDim.x - mask_cols + 1;
    const int ty = threadIdx.y, tx = threadIdx.x;
    const int row = blockIdx.y * high + ty, col = blockIdx.x * wide + tx;
    const int y = row - mask_rows / 2, x = col - mask_cols / 2;
    for (int channel = 0; channel < channels; channel++) {
        const bool inside = y >= 0 && y < rows && x >= 0 && x < cols;
        tile[ty * blockDim.x + tx] = inside ? from[(y * cols + x) * channels + channel] : 0;
        __syncthreads();
        if (ty < high && tx < wide && row < rows && col < cols) {
            float sum = 0;
            for (int k = 0; k < mask_rows; k++) {
                for (int l = 0; l < mask_cols; l++) {
                    sum += tile[(ty + k) * blockDim.x + tx + l] * weights[k * mask_cols + l];
                }
            }
            to[(row * cols + col) * channels + channel] = clamped(sum);
        }
        __syncthreads();
    }
}
