// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces against the formulas of CUDA's programming guide. Coordinates are such that
// no weight needs more than the eight bits that a filter has: the results are exact.
#include "textures.h"

#include <cmath>

static char k_reference, k_line, k_plane, k_volume, k_layers, k_levels, k_choose, k_around,
    k_colours, k_whole, k_numbered;
static reference line_of, pairs_of, plane_of;
static char board;

__attribute__((constructor)) static void register_all()
{
    static image m(application_textures);
    m.kernel(&k_reference, "by_reference");
    m.kernel(&k_line, "line");
    m.kernel(&k_plane, "plane");
    m.kernel(&k_volume, "volume");
    m.kernel(&k_layers, "layers");
    m.kernel(&k_levels, "levels");
    m.kernel(&k_choose, "choose");
    m.kernel(&k_around, "around");
    m.kernel(&k_colours, "colours");
    m.kernel(&k_whole, "whole");
    m.kernel(&k_numbered, "numbered");
    __cudaRegisterTexture(m.handle, &line_of, nullptr, "line_of", 1, 0, 0);
    __cudaRegisterTexture(m.handle, &pairs_of, nullptr, "pairs_of", 1, 0, 0);
    __cudaRegisterTexture(m.handle, &plane_of, nullptr, "plane_of", 2, 1, 0);
    __cudaRegisterSurface(m.handle, &board, nullptr, "board", 2, 0);
    m.end();
}

static const float edge = 7.5F;

static float at(int x, int y, int z, int mode)
{
    x = stand_in(x, width, mode);
    y = stand_in(y, height, mode);
    z = stand_in(z, depth, mode);
    return x < 0 || y < 0 || z < 0 ? edge : texel(x, y, z);
}

// T(x) = (1 - a) T[i] + a T[i + 1] in each direction that there is (programming guide, linear
// filtering); i = floor(x) for the nearest texel.
static float expected(const float p[3], int dims, bool linear, int mode)
{
    int i[3] = {0, 0, 0};
    float a[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < dims; d++) {
        const float b = p[d] - (linear ? 0.5F : 0.0F);
        i[d] = static_cast<int>(std::floor(b));
        a[d] = linear ? b - static_cast<float>(i[d]) : 0;
    }
    for (int c = 0; c < 1 << dims; c++) {
        float weight = 1;
        for (int d = 0; d < dims; d++) {
            weight *= (c >> d & 1) != 0 ? a[d] : 1 - a[d];
        }
        if (weight != 0) {
            sum += weight * at(i[0] + (c & 1), i[1] + (c >> 1 & 1), i[2] + (c >> 2), mode);
        }
    }
    return sum;
}

struct coordinates {
    std::vector<float> v[3];
    float *on_device[3];
    // In steps of 1 / steps of a texel, from before the texture to behind it.
    coordinates(int steps, bool normalized)
    {
        static const int size[] = {width, height, depth};
        unsigned state = 1;
        for (int d = 0; d < 3; d++) {
            for (int i = 0; i < n; i++) {
                state = state * 1664525 + 1013904223;
                const int most = (size[d] + 3) * steps;
                const float x =
                    static_cast<float>(static_cast<int>(state >> 8) % most) / steps - 1.5F;
                v[d].push_back(x);
            }
            std::vector<float> given = v[d];
            for (float &x : given) {
                x = normalized ? x / static_cast<float>(size[d]) : x;
            }
            on_device[d] = upload(given);
        }
    }
};

static unsigned long long texture_of(void *array, int mode, bool linear, bool normalized,
                                     int read = 0)
{
    resource r = {};
    r.type = from_array;
    r.array = array;
    sampler s = {};
    s.mode[0] = s.mode[1] = s.mode[2] = mode;
    s.filter = linear;
    s.normalized = normalized;
    s.read = read;
    s.edge[0] = edge;
    unsigned long long t = 0;
    OK(cudaCreateTextureObject(&t, &r, &s, nullptr));
    CHECK(t != 0);
    resource told;
    OK(cudaGetTextureObjectResourceDesc(&told, t));
    CHECK(told.type == from_array && told.array == array);
    return t;
}

static void compare(const char *what, const float *out, const coordinates &c, int dims, bool linear,
                    int mode, bool layered = false, float scale = 1)
{
    const std::vector<float> got = download(out, n);
    for (int i = 0; i < n; i++) {
        const float p[3] = {c.v[0][i], c.v[1][i], c.v[2][i]};
        float want = expected(p, dims, linear, mode);
        if (layered) { // texel(x, y, layer): the layer is a whole number
            const float q[3] = {p[0], p[1], static_cast<float>(i % 3) + (linear ? 0.5F : 0)};
            want = expected(q, 3, linear, mode);
        }
        if (got[i] != want * scale) {
            std::fprintf(stderr, "%s, mode %d, %s: (%g, %g, %g) gives %g, not %g\n", what, mode,
                         linear ? "linear" : "nearest", p[0], p[1], p[2], got[i], want);
            std::exit(1);
        }
    }
}

// All filters, modes and kinds of coordinates, 1-D to 3-D and layers.
static void check_filters(float *out)
{
    void *row = filled({width, 0, 0}, 0, texels()),
         *sheet = filled({width, height, 0}, 8, texels()),
         *box = filled({width, height, depth}, 0, texels()),
         *stack = filled({width, height, depth}, 1, texels());
    channels format;
    cuda_extent extent;
    unsigned flags;
    OK(cudaArrayGetInfo(&format, &extent, &flags, stack));
    CHECK(format.x == 32 && format.y == 0 && extent.depth == depth && flags == 1);
    for (int normalized = 0; normalized < 2; normalized++) {
        // A normalized coordinate is not exact in a float: stay clear of the steps.
        const coordinates fine(normalized ? 2 : 16, normalized != 0),
            coarse(normalized ? 2 : 4, normalized != 0);
        for (int mode = normalized ? wrap : clamp; mode <= border; mode++) {
            for (int linear = normalized ? 1 : 0; linear < 2; linear++) {
                if (!normalized && mode == mirror) {
                    continue;
                }
                const int real = mode;
                auto t = texture_of(sheet, mode, linear, normalized);
                OK(launch(&k_plane, 1, n, 0, nullptr, out, t, fine.on_device[0],
                          fine.on_device[1]));
                compare("plane", out, fine, 2, linear, real);
                OK(launch(&k_levels, 1, n, 0, nullptr, out, t, fine.on_device[0],
                          fine.on_device[1]));
                compare("levels", out, fine, 2, linear, real, false, 5);
                if (mode != border) { // beside a row is its border
                    auto u = texture_of(row, mode, linear, normalized);
                    OK(launch(&k_line, 1, n, 0, nullptr, out, u, fine.on_device[0]));
                    compare("line", out, fine, 1, linear, real);
                    OK(cudaDestroyTextureObject(u));
                }
                auto v = texture_of(box, mode, linear, normalized);
                OK(launch(&k_volume, 1, n, 0, nullptr, out, v, coarse.on_device[0],
                          coarse.on_device[1], coarse.on_device[2]));
                compare("volume", out, coarse, 3, linear, real);
                auto w = texture_of(stack, mode, linear, normalized);
                OK(launch(&k_layers, 1, n, 0, nullptr, out, w, fine.on_device[0],
                          fine.on_device[1]));
                compare("layers", out, fine, 2, linear, real, true);
                unsigned long long both[2] = {t, t}, *list;
                OK(cudaMalloc(reinterpret_cast<void **>(&list), sizeof both));
                OK(cudaMemcpy(list, both, sizeof both, to_device));
                OK(launch(&k_choose, 1, n, 0, nullptr, out, list, fine.on_device[0],
                          fine.on_device[1]));
                compare("choose", out, fine, 2, linear, real);
                OK(cudaFree(list));
                OK(cudaDestroyTextureObject(t));
                OK(cudaDestroyTextureObject(v));
                OK(cudaDestroyTextureObject(w));
            }
        }
    }
    const coordinates c(4, false);
    auto t = texture_of(sheet, clamp, false, false);
    float *four;
    OK(cudaMalloc(reinterpret_cast<void **>(&four), n * 16));
    OK(launch(&k_around, 1, n, 0, nullptr, four, t, c.on_device[0], c.on_device[1]));
    const std::vector<float> got = download(four, 4 * n);
    for (int i = 0; i < n; i++) {
        const int x = static_cast<int>(std::floor(c.v[0][i] - 0.5F)),
                  y = static_cast<int>(std::floor(c.v[1][i] - 0.5F));
        CHECK(got[4 * i] == at(x, y + 1, 0, clamp) && got[4 * i + 1] == at(x + 1, y + 1, 0, clamp));
        CHECK(got[4 * i + 2] == at(x + 1, y, 0, clamp) && got[4 * i + 3] == at(x, y, 0, clamp));
    }
    OK(cudaDestroyTextureObject(t));
    CHECK_CODE(cudaDestroyTextureObject(t), 1);
    for (void *array : {row, sheet, box, stack}) {
        OK(cudaFreeArray(array));
    }
    CHECK_CODE(cudaFreeArray(row), 400);
}

// Texels of 8, 16 and 32 bits, signed and not, as numbers and as fractions.
static void check_formats()
{
    const int side = 8;
    std::vector<float> x, y;
    for (int i = 0; i < n; i++) {
        x.push_back(static_cast<float>(i % side) + 0.5F);
        y.push_back(static_cast<float>(i / side) + 0.5F);
    }
    float *dx = upload(x), *dy = upload(y);
    int *out;
    OK(cudaMalloc(reinterpret_cast<void **>(&out), n * 16));
    for (int bits = 8; bits <= 32; bits *= 2) {
        for (int kind = of_int; kind <= of_unsigned; kind++) {
            for (int count = 1; count <= 4; count *= 2) {
                const channels f = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                    count > 3 ? bits : 0, kind};
                std::vector<unsigned char> data(n * count * bits / 8);
                for (size_t i = 0; i < data.size(); i++) {
                    data[i] = static_cast<unsigned char>(i * 37 + i / 11);
                }
                void *array;
                const size_t row = static_cast<size_t>(side) * count * bits / 8;
                OK(cudaMallocArray(&array, &f, side, side, 0));
                OK(cudaMemcpyToArray(array, 0, 0, data.data(), data.size(), to_device));
                for (int fraction = 0; fraction < (bits < 32 ? 2 : 1); fraction++) {
                    auto t = texture_of(array, clamp, false, false, fraction);
                    OK(launch(fraction ? &k_colours : &k_whole, 1, n, 0, nullptr, out, t, dx, dy));
                    const std::vector<int> got = download(out, 4 * n);
                    for (int i = 0; i < 4 * n; i++) {
                        unsigned raw = 0;
                        if (i % 4 < count) {
                            std::memcpy(&raw, &data[(i / 4 * count + i % 4) * (bits / 8)],
                                        bits / 8);
                        }
                        const int number = kind == of_int
                                               ? static_cast<int>(raw << (32 - bits)) >> (32 - bits)
                                               : static_cast<int>(raw);
                        const double most = std::ldexp(1.0, kind == of_int ? bits - 1 : bits) - 1;
                        float share = static_cast<float>(std::fmax(number / most, -1.0)), is;
                        std::memcpy(&is, &got[i], 4);
                        CHECK(fraction ? std::fabs(is - share) < 1e-7F : got[i] == number);
                    }
                    OK(cudaDestroyTextureObject(t));
                }
                std::vector<unsigned char> back(data.size());
                OK(cudaMemcpy2DFromArray(back.data(), row, array, 0, 0, row, side, to_host));
                CHECK(back == data);
                OK(cudaFreeArray(array));
            }
        }
    }
    const channels three = {8, 8, 8, 0, of_unsigned};
    void *array;
    CHECK_CODE(cudaMallocArray(&array, &three, 8, 8, 0), 20);
}

// Linear and pitched memory.
static void check_memory(float *out)
{
    std::vector<float> v;
    for (int i = 0; i < 2 * n; i++) {
        v.push_back(static_cast<float>(i * i));
    }
    float *memory = upload(v);
    resource r = {};
    sampler s = {};
    r.type = from_linear;
    r.memory.at = memory;
    r.memory.format = {32, 32, 0, 0, of_float};
    r.memory.width = n * 4; // half of them
    unsigned long long t;
    OK(cudaCreateTextureObject(&t, &r, &s, nullptr));
    float *pairs;
    OK(cudaMalloc(reinterpret_cast<void **>(&pairs), n * 8));
    OK(launch(&k_numbered, 1, n, 0, nullptr, pairs, t, -4));
    const std::vector<float> got = download(pairs, 2 * n);
    for (int i = 0; i < n; i++) {
        const bool inside = i >= 4 && i < 4 + n / 2;
        for (int k = 0; k < 2; k++) {
            CHECK(got[2 * i + k] == (inside ? v[2 * (i - 4) + k] : 0));
        }
    }
    void *rows;
    size_t pitch;
    OK(cudaMallocPitch(&rows, &pitch, width * 4, height));
    OK(cudaMemcpy2D(rows, pitch, texels().data(), width * 4, width * 4, height, to_device));
    r = {};
    r.type = from_pitch;
    r.memory.at = rows;
    r.memory.format = floats;
    r.memory.width = width;
    r.memory.height = height;
    r.memory.pitch = pitch;
    s.mode[0] = s.mode[1] = clamp;
    s.filter = 1;
    OK(cudaCreateTextureObject(&t, &r, &s, nullptr));
    const coordinates c(16, false);
    OK(launch(&k_plane, 1, n, 0, nullptr, out, t, c.on_device[0], c.on_device[1]));
    compare("pitched", out, c, 2, true, clamp);
    r.type = from_mipmaps;
    CHECK_CODE(cudaCreateTextureObject(&t, &r, &s, nullptr), 400); // memory is none
}

static void check_references()
{
    std::vector<float> v;
    std::vector<int> pairs;
    std::vector<unsigned char> grey;
    for (int i = 0; i <= n; i++) {
        v.push_back(static_cast<float>(i) * 0.25F);
        pairs.push_back(i);
        pairs.push_back(-7 * i);
        grey.push_back(static_cast<unsigned char>(i * 4));
    }
    float *line = upload(v), *out, *shades;
    int *two = upload(pairs), *swapped;
    const channels f2 = {32, 32, 0, 0, of_int}, byte = {8, 0, 0, 0, of_unsigned},
                   word = {32, 0, 0, 0, of_int};
    OK(cudaMalloc(reinterpret_cast<void **>(&out), n * 4));
    OK(cudaMalloc(reinterpret_cast<void **>(&shades), n * 4));
    OK(cudaMalloc(reinterpret_cast<void **>(&swapped), n * 8));
    void *plane, *numbers;
    OK(cudaMallocArray(&plane, &byte, 8, 8, 0));
    OK(cudaMemcpyToArray(plane, 0, 0, grey.data(), 64, to_device));
    OK(cudaMallocArray(&numbers, &word, 8, 8, 2));
    OK(cudaMemcpy2DToArray(numbers, 0, 0, two, 32, 32, 8, device_to_device));
    size_t offset = 1;
    OK(cudaBindTexture(&offset, &line_of, line, &floats, (n + 1) * 4));
    CHECK(offset == 0);
    OK(cudaBindTexture(nullptr, &pairs_of, two, &f2, ~static_cast<size_t>(0)));
    plane_of.mode[0] = plane_of.mode[1] = clamp;
    OK(cudaBindTextureToArray(&plane_of, plane, &byte));
    OK(cudaBindSurfaceToArray(&board, numbers, &word));
    OK(launch(&k_reference, 1, n, 0, nullptr, out, swapped, shades, n));
    const std::vector<float> sums = download(out, n), share = download(shades, n);
    const std::vector<int> got = download(swapped, 2 * n);
    int left[n];
    OK(cudaMemcpy2DFromArray(left, 32, numbers, 0, 0, 32, 8, to_host));
    for (int i = 0; i < n; i++) {
        CHECK(sums[i] == v[i] + v[i + 1] && share[i] == static_cast<float>(grey[i]) / 255.0F);
        CHECK(got[2 * i] == n - 1 - i && got[2 * i + 1] == -7 * (n - 1 - i));
        CHECK(left[i] == pairs[i] + 3 * i);
    }
    OK(cudaUnbindTexture(&pairs_of));
    CHECK_CODE(
        cudaBindTexture(nullptr, reinterpret_cast<reference *>(&board + 1), line, &floats, 4), 18);
}

int main()
{
    float *out;
    OK(cudaMalloc(reinterpret_cast<void **>(&out), n * 4));
    check_filters(out);
    check_formats();
    check_memory(out);
    check_references();
    puts("passed");
    return 0;
}
